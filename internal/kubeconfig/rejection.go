// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import "slices"

// Reason classifies a Rejection in one CamelCase word.
type Reason string

// Reasons about the file as a whole.
const (
	// Malformed is a file that is not valid YAML or JSON, or a field of the wrong type.
	Malformed Reason = "Malformed"
	// TooLarge is a file over 1 MiB.
	TooLarge Reason = "TooLarge"
	// TooComplex is a file with too many or too deeply nested values.
	TooComplex Reason = "TooComplex"
	// NotAKubeconfig is another kind of file, or none.
	NotAKubeconfig Reason = "NotAKubeconfig"
	// MultipleDocuments is a file with more than one YAML document.
	MultipleDocuments Reason = "MultipleDocuments"
	// AliasNotAllowed is a YAML alias or merge key anywhere in the file.
	AliasNotAllowed Reason = "AliasNotAllowed"
	// DuplicateKey is a mapping, anywhere in the file, that holds a key twice.
	DuplicateKey Reason = "DuplicateKey"
	// DuplicateName is a name that two clusters, users or contexts share.
	DuplicateName Reason = "DuplicateName"
)

// Reasons about the selection.
const (
	// ContextRequired is a file without current-context when none was asked for.
	ContextRequired Reason = "ContextRequired"
	// ContextNotFound is a context, asked for or current, that the file does not have.
	ContextNotFound Reason = "ContextNotFound"
	// ClusterNotFound is a context that names no cluster, or a missing one.
	ClusterNotFound Reason = "ClusterNotFound"
	// UserNotFound is a context that names no user, or a missing one.
	UserNotFound Reason = "UserNotFound"
)

// Reasons about the selected user.
const (
	// ExecNotAllowed is a credential plugin.
	ExecNotAllowed Reason = "ExecNotAllowed"
	// AuthProviderNotAllowed is a legacy authentication provider.
	AuthProviderNotAllowed Reason = "AuthProviderNotAllowed"
	// FileReferenceNotAllowed is a path where content must be embedded; also on the selected cluster.
	FileReferenceNotAllowed Reason = "FileReferenceNotAllowed"
	// ImpersonationNotAllowed is as, as-uid, as-groups or as-user-extra.
	ImpersonationNotAllowed Reason = "ImpersonationNotAllowed"
	// CredentialMissing is a user without any credential.
	CredentialMissing Reason = "CredentialMissing"
	// CredentialAmbiguous is a user with more than one kind of credential.
	CredentialAmbiguous Reason = "CredentialAmbiguous"
	// TokenInvalid is a token that cannot be one.
	TokenInvalid Reason = "TokenInvalid"
	// BasicAuthInvalid is an incomplete or impossible username and password.
	BasicAuthInvalid Reason = "BasicAuthInvalid"
	// ClientCertificateInvalid is a certificate and key that do not parse or do not belong together.
	ClientCertificateInvalid Reason = "ClientCertificateInvalid"
)

// Reasons about the selected cluster.
const (
	// ServerInvalid is a server that is not an https URL of the accepted form.
	ServerInvalid Reason = "ServerInvalid"
	// UserinfoNotAllowed is a user name or password in server or proxy-url.
	UserinfoNotAllowed Reason = "UserinfoNotAllowed"
	// InsecureNotAllowed is insecure-skip-tls-verify without permission.
	InsecureNotAllowed Reason = "InsecureNotAllowed"
	// InsecureWithCA is insecure-skip-tls-verify together with a CA.
	InsecureWithCA Reason = "InsecureWithCA"
	// CAInvalid is a CA bundle that is not PEM certificates only.
	CAInvalid Reason = "CAInvalid"
	// TLSServerNameInvalid is a tls-server-name that is no DNS name or IP address.
	TLSServerNameInvalid Reason = "TLSServerNameInvalid"
	// ProxyNotAllowed is a proxy-url without permission.
	ProxyNotAllowed Reason = "ProxyNotAllowed"
	// ProxyInvalid is a proxy-url that is not of the accepted form.
	ProxyInvalid Reason = "ProxyInvalid"
)

// Reasons about the Secret that holds the file.
const (
	// KeyNotFound is a Secret without the key asked for, or without any usual one.
	KeyNotFound Reason = "KeyNotFound"
	// KeyAmbiguous is a Secret with several usual keys when none was asked for.
	KeyAmbiguous Reason = "KeyAmbiguous"
)

var reasons = []Reason{
	Malformed, TooLarge, TooComplex, NotAKubeconfig, MultipleDocuments, AliasNotAllowed, DuplicateKey, DuplicateName,
	ContextRequired, ContextNotFound, ClusterNotFound, UserNotFound,
	ExecNotAllowed, AuthProviderNotAllowed, FileReferenceNotAllowed, ImpersonationNotAllowed,
	CredentialMissing, CredentialAmbiguous, TokenInvalid, BasicAuthInvalid, ClientCertificateInvalid,
	ServerInvalid, UserinfoNotAllowed, InsecureNotAllowed, InsecureWithCA, CAInvalid, TLSServerNameInvalid,
	ProxyNotAllowed, ProxyInvalid,
	KeyNotFound, KeyAmbiguous,
}

// Reasons returns every reason a Rejection can have.
func Reasons() []Reason { return slices.Clone(reasons) }

// Rejection says why input was refused and what to change. It is safe to
// publish: of the input it holds at most context names.
type Rejection struct { //nolint:errname // it is a verdict; the package's vocabulary is accepted or rejected
	Reason Reason
	// Field is where in the input, such as users[0].user.exec; empty for the
	// file as a whole. List positions stand for names.
	Field string
	// Message names the field and the next step, in at most 1024 bytes.
	Message string
}

// Error returns the message.
func (r *Rejection) Error() string { return r.Message }

// reject builds a Rejection whose message reads "<field> <text>". The text
// never holds input.
func reject(reason Reason, field, text string) *Rejection {
	subject := field
	if subject == "" {
		subject = "the kubeconfig"
	}
	return &Rejection{Reason: reason, Field: field, Message: subject + " " + text}
}
