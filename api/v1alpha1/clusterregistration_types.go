// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterRegistrationSpec says which cluster to register and how much it is trusted with.
//
// +kubebuilder:validation:ExactlyOneOf=bootstrap;inCluster
// +kubebuilder:validation:XValidation:rule="has(self.bootstrap) == has(oldSelf.bootstrap)",message="`bootstrap` and `inCluster` must not be exchanged: create a new registration",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="(has(self.serviceAccount) ? self.serviceAccount.name : 'ccluster-manager') == (has(oldSelf.serviceAccount) ? oldSelf.serviceAccount.name : 'ccluster-manager')",message="`serviceAccount.name` must not change: create a new registration",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="(has(self.serviceAccount) ? self.serviceAccount.__namespace__ : 'kube-system') == (has(oldSelf.serviceAccount) ? oldSelf.serviceAccount.__namespace__ : 'kube-system')",message="`serviceAccount.namespace` must not change: create a new registration",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.inCluster) || !has(self.endpoint)",message="`endpoint` must not be set with `inCluster`",fieldPath=".endpoint",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.inCluster) || !has(self.serviceAccount)",message="`serviceAccount` must not be set with `inCluster`",fieldPath=".serviceAccount",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.inCluster) || !has(self.access)",message="`access` must not be set with `inCluster`",fieldPath=".access",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.inCluster) || !has(self.token)",message="`token` must not be set with `inCluster`",fieldPath=".token",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.inCluster) || !has(self.probe)",message="`probe` must not be set with `inCluster`",fieldPath=".probe",reason=FieldValueForbidden
type ClusterRegistrationSpec struct {
	// bootstrap names the admin kubeconfig that the manager registers the cluster with.
	// Exactly one of `bootstrap` and `inCluster` must be set; the choice is immutable.
	// +optional
	Bootstrap Bootstrap `json:"bootstrap,omitzero"`

	// inCluster registers the cluster that the manager runs in, without a credential.
	// The manager must run with --allow-in-cluster.
	// +optional
	InCluster *InCluster `json:"inCluster,omitempty"`

	// endpoint says how the cluster's API server is reached from Argo CD, and from then on by
	// the manager too. Each field defaults to the kubeconfig's.
	// +optional
	Endpoint *Endpoint `json:"endpoint,omitempty"`

	// serviceAccount is the account on the infra plane that the token is for. Immutable.
	// Default: kube-system/ccluster-manager.
	// +optional
	ServiceAccount *ServiceAccountReference `json:"serviceAccount,omitempty"`

	// access is what that account may do. Default: a ClusterRoleBinding to cluster-admin.
	// +optional
	Access *Access `json:"access,omitempty"`

	// token is the kind of token that is issued. Default: LongLived.
	// +optional
	Token *Token `json:"token,omitempty"`

	// adoption says whether objects of the expected names and shape that carry no marker may
	// be taken over. `Never` reports them as a conflict, `Unmarked` takes them over. Default:
	// Never.
	// +kubebuilder:default=Never
	// +optional
	Adoption Adoption `json:"adoption,omitempty"`

	// clusterLabels are copied to the Argo CD cluster Secret. Keys must not be in the domains
	// argocd.argoproj.io, ccluster.nvidia.com, kubernetes.io or k8s.io. At most 32.
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && !format.qualifiedName().validate(k).hasValue())",message="keys must be qualified names"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.matches('^([^/]*[.])?(argocd[.]argoproj[.]io|ccluster[.]nvidia[.]com|kubernetes[.]io|k8s[.]io)/'))",message="keys must not be in the domains 'argocd.argoproj.io', 'ccluster.nvidia.com', 'kubernetes.io' or 'k8s.io'",reason=FieldValueForbidden
	// +optional
	ClusterLabels map[string]LabelValue `json:"clusterLabels,omitempty"`

	// clusterAnnotations are copied to the Argo CD cluster Secret. Keys must not be in the
	// domains argocd.argoproj.io, ccluster.nvidia.com, kubernetes.io or k8s.io. At most 32.
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && !format.qualifiedName().validate(k).hasValue())",message="keys must be qualified names"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.matches('^([^/]*[.])?(argocd[.]argoproj[.]io|ccluster[.]nvidia[.]com|kubernetes[.]io|k8s[.]io)/'))",message="keys must not be in the domains 'argocd.argoproj.io', 'ccluster.nvidia.com', 'kubernetes.io' or 'k8s.io'",reason=FieldValueForbidden
	// +optional
	ClusterAnnotations map[string]AnnotationValue `json:"clusterAnnotations,omitempty"`

	// probe is a Job that shows whether Pods run on the infra plane; condition Probed has its
	// outcome. It must not be set with `inCluster`. Default: none.
	// +optional
	Probe *Probe `json:"probe,omitempty"`

	// deletionPolicy is what happens on the infra plane when the registration is deleted.
	// `Revoke` removes what was created there, `Retain` leaves all of it. Default: Revoke.
	// +kubebuilder:default=Revoke
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// reconciliation is whether the manager works on this object. `Suspended` stops all work
	// but deletion. Default: Active.
	// +kubebuilder:default=Active
	// +optional
	Reconciliation Reconciliation `json:"reconciliation,omitempty"`
}

// Bootstrap is the admin credential a cluster is registered with.
type Bootstrap struct {
	// kubeconfigSecretRef names a Secret in the registration's namespace that holds a
	// kubeconfig. It must not be the registration's own `<name>-credentials`.
	// +required
	KubeconfigSecretRef KubeconfigSecretReference `json:"kubeconfigSecretRef,omitzero"`

	// context is the kubeconfig context to use. Default: the file's current-context.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Context *string `json:"context,omitempty"`

	// afterRegistration says whether the admin kubeconfig Secret stays once the manager's own
	// token is proven. `Keep` leaves it, `Delete` removes it. Default: Keep.
	// +kubebuilder:default=Keep
	// +optional
	AfterRegistration AfterRegistration `json:"afterRegistration,omitempty"`
}

// KubeconfigSecretReference names a kubeconfig inside a Secret of the same namespace.
type KubeconfigSecretReference struct {
	// name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="must be a DNS subdomain"
	// +required
	Name string `json:"name,omitempty"`

	// key of the Secret's data that holds the kubeconfig. Default: the only one present of
	// value, kubeconfig, config and admin.conf.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	// +optional
	Key string `json:"key,omitempty"`
}

// InCluster selects the cluster that the manager runs in. It has no fields.
type InCluster struct{}

// Endpoint is the address of an API server.
type Endpoint struct {
	// server is an https URL: a DNS name or IP address, optional port and path. Default: the
	// kubeconfig's.
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https://(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)(:[0-9]{1,5})?(/[-a-zA-Z0-9._~/]*)?$`
	// +optional
	Server string `json:"server,omitempty"`

	// caBundle is PEM, base64-encoded on the wire: the certificate authorities that the
	// server's certificate must be signed by. Default: the kubeconfig's.
	// +kubebuilder:validation:MinLength=4
	// +kubebuilder:validation:MaxLength=262144
	// +optional
	CABundle []byte `json:"caBundle,omitempty"`

	// tlsServerName replaces the host of `server` when its certificate is checked. Default: the
	// kubeconfig's.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|[0-9a-fA-F:.]+)?$`
	// +optional
	TLSServerName *string `json:"tlsServerName,omitempty"`

	// proxyURL is an http, https or socks5 proxy without user information. The manager must
	// run with --allow-proxy. Default: the kubeconfig's.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^((https?|socks5)://(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)(:[0-9]{1,5})?/?)?$`
	// +optional
	ProxyURL *string `json:"proxyURL,omitempty"`
}

// ServiceAccountReference names a ServiceAccount on the infra plane.
type ServiceAccountReference struct {
	// namespace of the ServiceAccount. It must exist on the infra plane. Default: kube-system.
	// +kubebuilder:default=kube-system
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS label"
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// name of the ServiceAccount. Default: ccluster-manager.
	// +kubebuilder:default=ccluster-manager
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS label"
	// +optional
	Name string `json:"name,omitempty"`
}

// Access is what the registered ServiceAccount may do on the infra plane.
//
// +kubebuilder:validation:XValidation:rule="self.binding == 'RoleBindings' || !has(self.namespaces) || size(self.namespaces) == 0",message="`namespaces` must be empty unless `binding` is 'RoleBindings'",fieldPath=".namespaces"
// +kubebuilder:validation:XValidation:rule="self.binding != 'RoleBindings' || (has(self.namespaces) && size(self.namespaces) > 0)",message="`namespaces` must name at least one namespace with `binding` 'RoleBindings'",fieldPath=".namespaces"
// +kubebuilder:validation:XValidation:rule="self.binding == 'RoleBindings' || self.clusterResources == 'Exclude'",message="`clusterResources` must be 'Exclude' unless `binding` is 'RoleBindings'",fieldPath=".clusterResources"
type Access struct {
	// binding is the kind of RBAC object that grants the rights. `ClusterRoleBinding` grants
	// them in the whole cluster, `RoleBindings` in the listed namespaces, `None` grants nothing:
	// the owner of the infra plane manages RBAC. Default: ClusterRoleBinding.
	// +kubebuilder:default=ClusterRoleBinding
	// +optional
	Binding Binding `json:"binding,omitempty"`

	// clusterRoleName is the ClusterRole that is bound. It must exist on the infra plane.
	// Unused with `binding` None. Default: cluster-admin.
	// +kubebuilder:default=cluster-admin
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[^/%]+$`
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be '.' or '..'"
	// +optional
	ClusterRoleName string `json:"clusterRoleName,omitempty"`

	// namespaces of the infra plane that the role is bound in, with `binding` RoleBindings; they
	// must exist. They also limit what Argo CD manages there. At most 100.
	// +listType=set
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(n, !format.dns1123Label().validate(n).hasValue())",message="items must be DNS labels"
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`

	// clusterResources says whether Argo CD manages cluster-scoped resources too, with
	// `binding` RoleBindings. Default: Exclude.
	// +kubebuilder:default=Exclude
	// +optional
	ClusterResources ClusterResources `json:"clusterResources,omitempty"`
}

// Token is the kind of token that a registration holds.
type Token struct {
	// type of the token. `LongLived` is a token Secret filled by the infra plane, without
	// expiry. `Bound` is a requested token that expires and is renewed. Default: LongLived.
	// +kubebuilder:default=LongLived
	// +optional
	Type TokenType `json:"type,omitempty"`

	// expirationSeconds is the life in seconds asked for a Bound token; the infra plane may
	// grant less. Between 600 and 4294967296. Unused with `type` LongLived. Default: 2592000
	// (30 days).
	// +kubebuilder:default=2592000
	// +kubebuilder:validation:Minimum=600
	// +kubebuilder:validation:Maximum=4294967296
	// +optional
	ExpirationSeconds int64 `json:"expirationSeconds,omitempty"`
}

// AfterRegistration is what happens to the admin kubeconfig Secret.
// +kubebuilder:validation:Enum=Keep;Delete
type AfterRegistration string

// Values of AfterRegistration.
const (
	AfterRegistrationKeep   AfterRegistration = "Keep"
	AfterRegistrationDelete AfterRegistration = "Delete"
)

// Binding is how rights are granted on an infra plane.
// +kubebuilder:validation:Enum=ClusterRoleBinding;RoleBindings;None
type Binding string

// Values of Binding.
const (
	BindingClusterRoleBinding Binding = "ClusterRoleBinding"
	BindingRoleBindings       Binding = "RoleBindings"
	BindingNone               Binding = "None"
)

// ClusterResources says whether cluster-scoped resources are managed.
// +kubebuilder:validation:Enum=Exclude;Include
type ClusterResources string

// Values of ClusterResources.
const (
	ClusterResourcesExclude ClusterResources = "Exclude"
	ClusterResourcesInclude ClusterResources = "Include"
)

// TokenType is a kind of ServiceAccount token.
// +kubebuilder:validation:Enum=LongLived;Bound
type TokenType string

// Values of TokenType.
const (
	TokenLongLived TokenType = "LongLived"
	TokenBound     TokenType = "Bound"
)

// Adoption says which objects without a marker may be taken over.
// +kubebuilder:validation:Enum=Never;Unmarked
type Adoption string

// Values of Adoption.
const (
	AdoptionNever    Adoption = "Never"
	AdoptionUnmarked Adoption = "Unmarked"
)

// DeletionPolicy is what a deleted registration leaves on its infra plane.
// +kubebuilder:validation:Enum=Revoke;Retain
type DeletionPolicy string

// Values of DeletionPolicy.
const (
	DeletionRevoke DeletionPolicy = "Revoke"
	DeletionRetain DeletionPolicy = "Retain"
)

// Reconciliation is whether a controller works on an object.
// +kubebuilder:validation:Enum=Active;Suspended
type Reconciliation string

// Values of Reconciliation.
const (
	ReconciliationActive    Reconciliation = "Active"
	ReconciliationSuspended Reconciliation = "Suspended"
)

// LabelValue is the value of a label.
// +kubebuilder:validation:MinLength=0
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^([a-zA-Z0-9]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?)?$`
type LabelValue string

// AnnotationValue is the value of an annotation.
// +kubebuilder:validation:MinLength=0
// +kubebuilder:validation:MaxLength=4096
type AnnotationValue string

// ClusterRegistrationStatus is what was last observed.
type ClusterRegistrationStatus struct {
	// conditions are always all present: BootstrapAccepted, Reachable, Authorized, TokenIssued,
	// CredentialsApplied, PlaneAvailable, Probed and Ready.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that this status is about.
	// +kubebuilder:validation:Minimum=1
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// server is the address in the credentials, in canonical form.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Server string `json:"server,omitempty"`

	// kubernetesVersion is what the infra plane says its version is.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`

	// clusterUID is what the infra plane says the UID of its kube-system namespace is. It is
	// a report, never proof of identity.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ClusterUID string `json:"clusterUID,omitempty"`

	// serviceAccount is the account on the infra plane.
	// +optional
	ServiceAccount ServiceAccountStatus `json:"serviceAccount,omitzero"`

	// token is the token in the credentials Secret.
	// +optional
	Token TokenStatus `json:"token,omitzero"`

	// probe is the latest probe that has ended. Condition Probed has its outcome.
	// +optional
	Probe ProbeStatus `json:"probe,omitzero"`

	// infraPlaneRef names the CCLInfraPlane that was written.
	// +optional
	InfraPlaneRef LocalObjectReference `json:"infraPlaneRef,omitzero"`

	// credentialsSecretRef names the Secret that was written.
	// +optional
	CredentialsSecretRef LocalObjectReference `json:"credentialsSecretRef,omitzero"`

	// remoteObjects lists what is kept on the infra plane. It is a report: deletion finds
	// objects by their marker.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +optional
	RemoteObjects []RemoteObject `json:"remoteObjects,omitempty"`
}

// ServiceAccountStatus identifies a ServiceAccount on an infra plane.
type ServiceAccountStatus struct {
	// namespace of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	Namespace string `json:"namespace,omitempty"`

	// name of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`

	// uid of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	UID string `json:"uid,omitempty"`
}

// TokenStatus is what is known of the issued token. It never holds the token.
type TokenStatus struct {
	// type of the token.
	// +required
	Type TokenType `json:"type,omitempty"`

	// secretName is the Secret on the infra plane that holds the token (LongLived) or that
	// the token is bound to (Bound).
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	SecretName string `json:"secretName,omitempty"`

	// issuedAt is when the token was issued.
	// +optional
	IssuedAt metav1.Time `json:"issuedAt,omitzero"`

	// expiresAt is the expiry that the infra plane returned. Absent for LongLived.
	// +optional
	ExpiresAt metav1.Time `json:"expiresAt,omitzero"`
}

// RemoteObject names an object on an infra plane.
type RemoteObject struct {
	// apiVersion of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	APIVersion string `json:"apiVersion,omitempty"`

	// kind of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	Kind string `json:"kind,omitempty"`

	// namespace of the object. Absent for cluster-scoped kinds.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`

	// uid of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	UID string `json:"uid,omitempty"`
}

// ClusterRegistration turns an admin kubeconfig into a least-exposed credential of its cluster
// and a CCLInfraPlane, keeps both healthy, and takes them away again.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=creg,categories=ccluster
// +kubebuilder:printcolumn:name="Server",type=string,JSONPath=`.status.server`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.kubernetesVersion`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.token.expiresAt`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && !format.dns1123Label().validate(self.metadata.name).hasValue()",message="`metadata.name` must be a DNS label of at most 63 characters",fieldPath=".metadata"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.bootstrap) || self.spec.bootstrap.kubeconfigSecretRef.name != self.metadata.name + '-credentials'",message="`spec.bootstrap.kubeconfigSecretRef.name` must not be '<name>-credentials': that Secret is written by the manager",fieldPath=".spec.bootstrap.kubeconfigSecretRef.name"
type ClusterRegistration struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is standard object metadata. The name must be a DNS label.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the wanted registration.
	// +required
	Spec ClusterRegistrationSpec `json:"spec,omitzero"`

	// status is what was last observed.
	// +optional
	Status ClusterRegistrationStatus `json:"status,omitzero"`
}

// ClusterRegistrationList is a list of ClusterRegistrations.
//
// +kubebuilder:object:root=true
type ClusterRegistrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterRegistration `json:"items"`
}
