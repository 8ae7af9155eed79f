// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"strings"
	"unicode"
)

const maxTokenBytes = 64 << 10

// readCredential returns the one credential of the selected user.
func readCredential(user object) (Credential, error) {
	if err := refuseIndirection(user); err != nil {
		return Credential{}, err
	}
	token, err := user.str("token")
	if err != nil {
		return Credential{}, err
	}
	token = strings.TrimSpace(token)
	hasToken := token != ""
	hasPair := user.isSet("client-certificate-data") || user.isSet("client-key-data")
	hasPassword := user.isSet("username") || user.isSet("password")

	switch {
	case hasToken && hasPair, hasToken && hasPassword, hasPair && hasPassword:
		return Credential{}, reject(CredentialAmbiguous, user.path, "sets more than one of token, client certificate and password; keep one")
	case hasToken:
		return Credential{BearerToken: token}, checkToken(user.at("token"), token)
	case hasPair:
		return readClientCertificate(user)
	case hasPassword:
		return readPassword(user)
	}
	return Credential{}, reject(CredentialMissing, user.path, "has no credential and would connect as an anonymous client; set token, or client-certificate-data and client-key-data")
}

// refuseIndirection refuses everything that makes a client run a program, open
// a file or act as somebody else.
func refuseIndirection(user object) error {
	const embed = "; use token, or client-certificate-data and client-key-data"
	if user.find("exec") != nil {
		return reject(ExecNotAllowed, user.at("exec"), "would run a program inside the manager"+embed)
	}
	if user.find("auth-provider") != nil {
		return reject(AuthProviderNotAllowed, user.at("auth-provider"), "would run a provider inside the manager"+embed)
	}
	for _, ref := range []struct{ file, data string }{
		{"tokenFile", "token"},
		{"client-certificate", "client-certificate-data"},
		{"client-key", "client-key-data"},
	} {
		if user.isSet(ref.file) {
			return refuseFile(user, ref.file, ref.data)
		}
	}
	for _, key := range []string{"as", "as-uid", "as-groups", "as-user-extra"} {
		if user.isSet(key) {
			return reject(ImpersonationNotAllowed, user.at(key), "is impersonation, which is not supported; remove it and use a credential of the identity itself")
		}
	}
	return nil
}

func refuseFile(o object, file, data string) *Rejection {
	return reject(FileReferenceNotAllowed, o.at(file), "names a file, which is never opened; embed the content as "+data+" (`kubectl config view --raw --flatten`)")
}

func checkToken(field, token string) error {
	if len(token) > maxTokenBytes {
		return reject(TokenInvalid, field, "is longer than 64 KiB")
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return reject(TokenInvalid, field, "must be one word of printable ASCII; remove blanks, line breaks and any `Bearer` in front of it")
		}
	}
	return nil
}

// readPassword reads HTTP basic authentication. Kubernetes itself has dropped
// it, authenticating proxies in front of it have not.
func readPassword(user object) (Credential, error) {
	username, err := user.str("username")
	if err != nil {
		return Credential{}, err
	}
	password, err := user.str("password")
	if err != nil {
		return Credential{}, err
	}
	switch {
	case username == "":
		return Credential{}, reject(BasicAuthInvalid, user.at("username"), "must be set together with password")
	case password == "":
		return Credential{}, reject(BasicAuthInvalid, user.at("password"), "must be set together with username")
	case strings.ContainsRune(username, ':'):
		return Credential{}, reject(BasicAuthInvalid, user.at("username"), "must not hold a colon")
	case strings.ContainsFunc(username, unicode.IsControl):
		return Credential{}, reject(BasicAuthInvalid, user.at("username"), "must not hold control characters")
	case strings.ContainsFunc(password, unicode.IsControl):
		return Credential{}, reject(BasicAuthInvalid, user.at("password"), "must not hold control characters")
	}
	return Credential{Username: username, Password: password}, nil
}
