// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Kinds of this API, as written in a manifest.
const (
	ClusterRegistrationKind = "ClusterRegistration"
	CCLInfraPlaneKind       = "CCLInfraPlane"
	CCLComponentSetKind     = "CCLComponentSet"
)

// Labels and annotations on objects of the control plane.
const (
	// BootstrapLabel on a Secret, with any value, makes the manager react to its
	// changes at once. Without it the Secret is read only while it is needed.
	BootstrapLabel = "ccluster.nvidia.com/bootstrap"
	// ManagedLabel on a Secret written by the manager holds what it is:
	// ManagedCredentials.
	ManagedLabel = "ccluster.nvidia.com/managed"
	// ManagedCredentials is the ManagedLabel value of `<name>-credentials`.
	ManagedCredentials = "credentials"
	// ManagedCluster is the ManagedLabel value of a plane's cluster Secret in Argo CD's namespace.
	ManagedCluster = "cluster"
	// ManagedProject is the ManagedLabel value of a namespace's AppProject.
	ManagedProject = "project"
	// InfraPlaneAnnotation on a cluster Secret in Argo CD's namespace is the `namespace/name` of
	// the CCLInfraPlane that it is for.
	InfraPlaneAnnotation = "ccluster.nvidia.com/infra-plane"
	// TenantAnnotation on an AppProject is the namespace that it is for.
	TenantAnnotation = "ccluster.nvidia.com/tenant"
	// RotateRequestedAtAnnotation on a ClusterRegistration, an RFC 3339 time, asks
	// for a new token once.
	RotateRequestedAtAnnotation = "ccluster.nvidia.com/rotate-requested-at"
	// GenerationAnnotation on `<name>-credentials` is the generation of the
	// ClusterRegistration that the credential was made for.
	GenerationAnnotation = "ccluster.nvidia.com/generation"
	// TokenTypeAnnotation on `<name>-credentials` is the TokenType of the stored token.
	TokenTypeAnnotation = "ccluster.nvidia.com/token-type"
	// TokenSecretAnnotation on `<name>-credentials` names the Secret on the
	// infra plane that the stored token came from or is bound to.
	TokenSecretAnnotation = "ccluster.nvidia.com/token-secret"
	// TokenServiceAccountUIDAnnotation on `<name>-credentials` holds the UID of
	// the ServiceAccount that the stored token is for.
	TokenServiceAccountUIDAnnotation = "ccluster.nvidia.com/token-service-account-uid"
	// TokenIssuedAtAnnotation on `<name>-credentials` is the RFC 3339 time at
	// which the stored token was issued.
	TokenIssuedAtAnnotation = "ccluster.nvidia.com/token-issued-at"
	// TokenRenewAtAnnotation on `<name>-credentials` is the RFC 3339 time, by the manager's
	// clock, at which the stored token is to be replaced.
	TokenRenewAtAnnotation = "ccluster.nvidia.com/token-renew-at"
	// TokenInputsAnnotation on `<name>-credentials` is a hash of what the stored token was
	// issued for; another one asks for another token.
	TokenInputsAnnotation = "ccluster.nvidia.com/token-inputs"
	// TokenExpiresAtAnnotation on `<name>-credentials` is the RFC 3339 expiry of
	// the stored token, as the infra plane returned it.
	TokenExpiresAtAnnotation = "ccluster.nvidia.com/token-expires-at"
)

// Marker of the objects that a registration makes on an infra plane.
const (
	// MarkerLabel holds a hash of the control plane ID and the registration's
	// namespace and name: what revocation selects by.
	MarkerLabel = "ccluster.nvidia.com/registration-hash"
	// ControlPlaneAnnotation holds the control plane ID.
	ControlPlaneAnnotation = "ccluster.nvidia.com/control-plane"
	// WithdrawAtAnnotation on a token Secret is the RFC 3339 time from which it is deleted:
	// another token has taken its place.
	WithdrawAtAnnotation = "ccluster.nvidia.com/withdraw-at"
	// RegistrationAnnotation holds the registration's `namespace/name`.
	RegistrationAnnotation = "ccluster.nvidia.com/registration"
)

// Finalizers.
const (
	// RegistrationFinalizer keeps a ClusterRegistration until its infra plane
	// has been cleaned up or given up.
	RegistrationFinalizer = "ccluster.nvidia.com/registration"
	// InfraPlaneFinalizer keeps a CCLInfraPlane until no Application deploys to it and its
	// cluster Secret is gone.
	InfraPlaneFinalizer = "ccluster.nvidia.com/infra-plane"
	// CredentialsFinalizer keeps `<name>-credentials` until the token in it is
	// no longer needed to revoke itself.
	CredentialsFinalizer = "ccluster.nvidia.com/credentials"
)

// CredentialsSecretName is the name of the Secret that holds the credential of
// the plane or registration called name.
func CredentialsSecretName(name string) string { return name + "-credentials" }
