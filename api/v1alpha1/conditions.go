// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Conditions of a ClusterRegistration. All are always present, in this order.
const (
	// ConditionBootstrapAccepted is True when the bootstrap kubeconfig was read, parsed and
	// allowed, or is no longer needed. True reasons: Accepted, NotRequired. False:
	// ReferenceNotFound, KubeconfigRejected, InvalidSpec, ReferenceNotPermitted, or a failure of
	// the control plane. Unknown: Pending.
	ConditionBootstrapAccepted = "BootstrapAccepted"

	// ConditionReachable is True when the endpoint answers as a Kubernetes API server. True
	// reasons: Connected, NotRequired. False, among others: ConnectionFailed, TLSFailed,
	// AddressDenied, NotAKubernetesAPI, ServerAlreadyRegistered, ClusterIdentityChanged,
	// Unauthorized. Unknown: Pending.
	ConditionReachable = "Reachable"

	// ConditionAuthorized is True when the claim, the ServiceAccount and its rights are in
	// place on the infra plane. True reasons: Granted, GrantedByOwner, NotRequired. False:
	// AlreadyClaimed, ForeignObject, BootstrapRequired, ReferenceNotFound, or a refusal by the
	// infra plane such as Forbidden. Unknown: Pending.
	ConditionAuthorized = "Authorized"

	// ConditionTokenIssued is True when a token was issued that the final endpoint accepts as
	// that ServiceAccount. True reasons: Verified, NotRequired. False: TokenRejected,
	// ForeignObject, BootstrapRequired, or a refusal by the infra plane such as Forbidden.
	// Unknown: TokenPending, Pending.
	ConditionTokenIssued = "TokenIssued"

	// ConditionCredentialsApplied is True when `<name>-credentials` and the CCLInfraPlane are
	// as they should be. True reason: Applied. False: ForeignObject, Pending, Draining, or a
	// failure of the control plane such as Forbidden. Unknown: Pending.
	ConditionCredentialsApplied = "CredentialsApplied"

	// ConditionPlaneAvailable mirrors Available of the CCLInfraPlane. Unknown with
	// NotReported while no controller has written it, with Pending while there is no plane.
	ConditionPlaneAvailable = "PlaneAvailable"

	// ConditionProbed is True when the requested probe has succeeded; it is not part of Ready.
	// True reasons: Succeeded, NotRequested. False: ProbeFailed, ProbeTimedOut, or a refusal by
	// the infra plane such as Forbidden. Unknown: ProbeRunning, Pending.
	ConditionProbed = "Probed"

	// ConditionReady is True when every condition but Probed is. Its reason is that of the
	// first one that is False, or else not True; while the object is deleted, of the deletion.
	ConditionReady = "Ready"
)

// ConditionAvailable of a CCLInfraPlane is True when its credential is valid, mirrored into Argo
// CD, and was accepted by the endpoint in the last check. True reason: Available. False, among
// others: ReferenceNotFound, InvalidCredentials, ReferenceNotPermitted, ServerAlreadyRegistered,
// ArgoCDNotInstalled, ForeignObject, Unauthorized, ConnectionFailed; while the object is deleted,
// Draining.
const ConditionAvailable = "Available"

// Conditions of a CCLComponentSet.
const (
	// ConditionValidated is True when every chart, value and plane of the spec is usable.
	ConditionValidated = "Validated"
	// ConditionComponentsApplied is True when every component that may be released is.
	ConditionComponentsApplied = "ComponentsApplied"
	// ConditionProgressing is False when the rollout is finished.
	ConditionProgressing = "Progressing"
)

// RegistrationConditions are the conditions of a ClusterRegistration in order.
func RegistrationConditions() []string {
	return []string{
		ConditionBootstrapAccepted, ConditionReachable, ConditionAuthorized, ConditionTokenIssued,
		ConditionCredentialsApplied, ConditionPlaneAvailable, ConditionProbed, ConditionReady,
	}
}

// ReadyConditions are the conditions that Ready of a ClusterRegistration summarises, in order.
func ReadyConditions() []string { return RegistrationConditions()[:6] }

// Reasons of True.
const (
	// ReasonReady: everything that is summarised is True.
	ReasonReady = "Ready"
	// ReasonAccepted: the bootstrap kubeconfig is well-formed and allowed.
	ReasonAccepted = "Accepted"
	// ReasonConnected: the endpoint answered as a Kubernetes API server.
	ReasonConnected = "Connected"
	// ReasonGranted: the manager granted the rights.
	ReasonGranted = "Granted"
	// ReasonGrantedByOwner: `access.binding` is None; the owner of the plane grants rights.
	ReasonGrantedByOwner = "GrantedByOwner"
	// ReasonVerified: the endpoint accepted the token as the expected ServiceAccount.
	ReasonVerified = "Verified"
	// ReasonAvailable: the plane's credential is mirrored and was accepted.
	ReasonAvailable = "Available"
	// ReasonApplied: the objects are as they should be.
	ReasonApplied = "Applied"
	// ReasonNotRequired: the step does not apply to this registration.
	ReasonNotRequired = "NotRequired"
	// ReasonNotRequested: the optional step was not asked for.
	ReasonNotRequested = "NotRequested"
	// ReasonSucceeded: the probe's command has exited with 0.
	ReasonSucceeded = "Succeeded"
)

// Reasons of waiting: nobody has to do anything yet.
const (
	// ReasonPending: an earlier step has not finished.
	ReasonPending = "Pending"
	// ReasonSuspended: `reconciliation` is Suspended.
	ReasonSuspended = "Suspended"
	// ReasonDeleting: the object is being deleted.
	ReasonDeleting = "Deleting"
	// ReasonDraining: the CCLInfraPlane is still being removed.
	ReasonDraining = "Draining"
	// ReasonNotReported: the other controller has written nothing yet.
	ReasonNotReported = "NotReported"
	// ReasonTokenPending: the infra plane has not filled the token Secret yet.
	ReasonTokenPending = "TokenPending"
	// ReasonProbeRunning: the probe's Job has not ended yet.
	ReasonProbeRunning = "ProbeRunning"
)

// Reasons that a person has to resolve.
const (
	// ReasonInvalidSpec: a field of the spec cannot be met as it is.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonReferenceNotFound: an object that the spec names does not exist.
	ReasonReferenceNotFound = "ReferenceNotFound"
	// ReasonReferenceNotPermitted: the manager's flags do not allow what the spec asks for.
	ReasonReferenceNotPermitted = "ReferenceNotPermitted"
	// ReasonKubeconfigRejected: the kubeconfig breaks a rule; the message names it.
	ReasonKubeconfigRejected = "KubeconfigRejected"
	// ReasonInvalidCredentials: the credentials Secret breaks a rule; the message names it.
	ReasonInvalidCredentials = "InvalidCredentials"
	// ReasonArgoCDNotInstalled: Argo CD's kinds or its namespace do not exist here.
	ReasonArgoCDNotInstalled = "ArgoCDNotInstalled"
	// ReasonServerAlreadyRegistered: another plane of this control plane has this server.
	ReasonServerAlreadyRegistered = "ServerAlreadyRegistered"
	// ReasonClusterIdentityChanged: another cluster answers at the known address.
	ReasonClusterIdentityChanged = "ClusterIdentityChanged"
	// ReasonAlreadyClaimed: another registration of this control plane has this cluster.
	ReasonAlreadyClaimed = "AlreadyClaimed"
	// ReasonForeignObject: an object of somebody else has a name that is needed.
	ReasonForeignObject = "ForeignObject"
	// ReasonBootstrapRequired: only an admin kubeconfig can repair this, and there is none.
	ReasonBootstrapRequired = "BootstrapRequired"
	// ReasonTokenRejected: the final endpoint does not accept the token as that account.
	ReasonTokenRejected = "TokenRejected"
	// ReasonAddressDenied: the manager's dial policy forbids the address.
	ReasonAddressDenied = "AddressDenied"
)

// Reasons of failures that are retried.
const (
	// ReasonConnectionFailed: the endpoint could not be reached or did not answer in time.
	ReasonConnectionFailed = "ConnectionFailed"
	// ReasonTLSFailed: the endpoint's certificate was not accepted.
	ReasonTLSFailed = "TLSFailed"
	// ReasonNotAKubernetesAPI: something else than a Kubernetes API server answered.
	ReasonNotAKubernetesAPI = "NotAKubernetesAPI"
	// ReasonUnauthorized: the API server did not accept the credential.
	ReasonUnauthorized = "Unauthorized"
	// ReasonForbidden: the credential lacks a right.
	ReasonForbidden = "Forbidden"
	// ReasonEscalationForbidden: the credential may not grant rights that it lacks itself.
	ReasonEscalationForbidden = "EscalationForbidden"
	// ReasonAdmissionDenied: an admission webhook or policy refused the object.
	ReasonAdmissionDenied = "AdmissionDenied"
	// ReasonQuotaExceeded: a resource quota refused the object.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonNamespaceTerminating: the namespace is being deleted.
	ReasonNamespaceTerminating = "NamespaceTerminating"
	// ReasonTooManyRequests: the API server asked to come back later.
	ReasonTooManyRequests = "TooManyRequests"
	// ReasonApplyConflict: an object is being deleted, or was changed at the same moment.
	ReasonApplyConflict = "ApplyConflict"
	// ReasonRevocationUnproven: the token may still be accepted. It is a reason of Ready of an
	// object that is being deleted, and of an event.
	ReasonRevocationUnproven = "RevocationUnproven"
	// ReasonWorkloadsOrphaned: Applications outlived their plane, so that nobody removes what they
	// have deployed. It is of an event only.
	ReasonWorkloadsOrphaned = "WorkloadsOrphaned"
	// ReasonRevocationIncomplete: objects are left on the infra plane. It is of an event only.
	ReasonRevocationIncomplete = "RevocationIncomplete"
	// ReasonProbeFailed: the probe's Job has failed; the message has the end of its log.
	ReasonProbeFailed = "ProbeFailed"
	// ReasonProbeTimedOut: the probe's Job did not end in time; the message tells what its Pod
	// waits for.
	ReasonProbeTimedOut = "ProbeTimedOut"
	// ReasonServerError: the API server failed.
	ReasonServerError = "ServerError"
	// ReasonInternalError: the manager failed; its log has more.
	ReasonInternalError = "InternalError"
)
