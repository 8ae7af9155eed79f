// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

type rejectedCase struct {
	name   string
	input  string
	opts   Options
	reason Reason
	field  string
	says   string // a part of the message
}

const (
	userPath    = "users[0].user"
	clusterPath = "clusters[0].cluster"
)

func withUser(user string) string       { return file(goodCluster, user) }
func withCluster(cluster string) string { return file(cluster, goodUser) }
func withServer(server string) string {
	return withCluster(`server: "` + server + `", certificate-authority-data: "` + b64(edgeCA.certificate) + `"`)
}

func withCA(ca []byte) string {
	return withCluster(`server: "` + serverURL + `", certificate-authority-data: "` + b64(ca) + `"`)
}

// replaced is the good file with one part exchanged; the part must exist.
func replaced(old, with string) string {
	good := goodFile()
	if !strings.Contains(good, old) {
		panic("fixture has no " + old)
	}
	return strings.ReplaceAll(good, old, with)
}

func contextList(names ...string) string {
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "- name: %q\n  context: {cluster: %q, user: %q}\n", name, clusterName, userName)
	}
	return out.String()
}

// withContexts has the named contexts and no current one.
func withContexts(names ...string) string {
	good := replaced(`current-context: "`+contextName+`"`+"\n", "")
	return strings.Replace(good, contextList(contextName), contextList(names...), 1)
}

func encryptedKey() []byte {
	return pem.EncodeToMemory(&pem.Block{
		Type: "EC PRIVATE KEY", Bytes: []byte("not readable"),
		Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"},
	})
}

func secretManifest() string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: edge}\ndata:\n  value: " + b64([]byte(goodFile())) + "\n"
}

func bareJWT() string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"RS256"}`)) + "." + part([]byte(`{"sub":"`+canaryWord+`"}`)) + "." + part([]byte(canaryPhrase))
}

// rejectedCases holds the rows of the rules for tenant kubeconfigs, and of
// each row the variants that must fare the same.
func rejectedCases() []rejectedCase {
	return slices.Concat(programCases(), fileReferenceCases(), missingCases(), serverCases(), userinfoCases(),
		contextCases(), insecureCases(), caCases(), tokenCases(), certificateCases(), impersonationCases(),
		duplicateCases(), wrongFileCases(), sizeCases(), syntaxCases(), typeCases())
}

func programCases() []rejectedCase {
	exec := `{apiVersion: client.authentication.k8s.io/v1, command: "` + canaryCommand + `", args: ["` + canaryWord + `"]}`
	return []rejectedCase{
		{name: "exec", input: withUser(`exec: ` + exec), reason: ExecNotAllowed, field: userPath + ".exec", says: "client-certificate-data"},
		{name: "exec beside a token", input: withUser(goodUser + `, exec: ` + exec), reason: ExecNotAllowed, field: userPath + ".exec"},
		{name: "empty exec", input: withUser(goodUser + `, exec: {}`), reason: ExecNotAllowed, field: userPath + ".exec"},
		{name: "exec of the wrong type", input: withUser(goodUser + `, exec: "` + canaryCommand + `"`), reason: ExecNotAllowed, field: userPath + ".exec"},
		{name: "exec list", input: withUser(goodUser + `, exec: []`), reason: ExecNotAllowed, field: userPath + ".exec"},
		{name: "quoted key", input: withUser(goodUser + `, "\x65xec": ` + exec), reason: ExecNotAllowed, field: userPath + ".exec"},
		{name: "auth-provider", input: withUser(`auth-provider: {name: gcp, config: {cmd-path: "` + canaryCommand + `"}}`), reason: AuthProviderNotAllowed, field: userPath + ".auth-provider", says: "token"},
		{name: "auth-provider beside a token", input: withUser(goodUser + `, auth-provider: {name: oidc}`), reason: AuthProviderNotAllowed, field: userPath + ".auth-provider"},
	}
}

func fileReferenceCases() []rejectedCase {
	ref := func(key string) string { return key + `: "` + canaryPath + `"` }
	return []rejectedCase{
		{name: "tokenFile", input: withUser(ref("tokenFile")), reason: FileReferenceNotAllowed, field: userPath + ".tokenFile", says: "embed the content as token"},
		{name: "token and tokenFile", input: withUser(goodUser + ", " + ref("tokenFile")), reason: FileReferenceNotAllowed, field: userPath + ".tokenFile"},
		{name: "tokenFile of a device", input: withUser(`tokenFile: /dev/stdin`), reason: FileReferenceNotAllowed, field: userPath + ".tokenFile"},
		{name: "tokenFile of the wrong type", input: withUser(goodUser + `, tokenFile: ["x"]`), reason: FileReferenceNotAllowed, field: userPath + ".tokenFile"},
		{name: "client-certificate", input: withUser(ref("client-certificate")), reason: FileReferenceNotAllowed, field: userPath + ".client-certificate", says: "client-certificate-data"},
		{name: "client-key", input: withUser(ref("client-key")), reason: FileReferenceNotAllowed, field: userPath + ".client-key", says: "client-key-data"},
		{name: "client-key beside data", input: withUser(pairUser(client.certificate, client.key) + ", " + ref("client-key")), reason: FileReferenceNotAllowed, field: userPath + ".client-key"},
		{name: "certificate-authority", input: withCluster(`server: "` + serverURL + `", ` + ref("certificate-authority")), reason: FileReferenceNotAllowed, field: clusterPath + ".certificate-authority", says: "certificate-authority-data"},
		{name: "certificate-authority beside data", input: withCluster(goodCluster + ", " + ref("certificate-authority")), reason: FileReferenceNotAllowed, field: clusterPath + ".certificate-authority"},
	}
}

func missingCases() []rejectedCase {
	contextPath := "contexts[0].context"
	return []rejectedCase{
		{name: "context names a missing cluster", input: replaced(`{cluster: "`+clusterName+`"`, `{cluster: "gone"`), reason: ClusterNotFound, field: contextPath + ".cluster"},
		{name: "context names a missing user", input: replaced(`user: "`+userName+`"`, `user: "gone"`), reason: UserNotFound, field: contextPath + ".user"},
		{name: "names differ in case", input: replaced(`user: "`+userName+`"`, `user: "`+strings.ToUpper(userName)+`"`), reason: UserNotFound, field: contextPath + ".user"},
		{name: "context without cluster", input: replaced(`cluster: "`+clusterName+`", `, ""), reason: ClusterNotFound, field: contextPath + ".cluster"},
		{name: "context without user", input: replaced(`, user: "`+userName+`"`, ""), reason: UserNotFound, field: contextPath + ".user"},
		{name: "context with empty user", input: replaced(`user: "`+userName+`"`, `user: ""`), reason: UserNotFound, field: contextPath + ".user"},
		{name: "empty context", input: replaced(`  context: {cluster: "`+clusterName+`", user: "`+userName+`"}`, ""), reason: ClusterNotFound, field: contextPath + ".cluster"},
		{name: "no users", input: replaced(`users:`, `users: []`+"\nold:"), reason: UserNotFound, field: contextPath + ".user"},
		{name: "no clusters", input: replaced(`clusters:`, "old:"), reason: ClusterNotFound, field: contextPath + ".cluster"},
		{name: "no credential", input: withUser(``), reason: CredentialMissing, field: userPath, says: "anonymous"},
		{name: "null user", input: replaced(`  user: {`+goodUser+`}`, `  user: null`), reason: CredentialMissing, field: userPath},
		{name: "user entry without user", input: replaced(`  user: {`+goodUser+`}`, ``), reason: CredentialMissing, field: userPath},
		{name: "empty token", input: withUser(`token: ""`), reason: CredentialMissing, field: userPath},
		{name: "null token", input: withUser(`token: null`), reason: CredentialMissing, field: userPath},
		{name: "token of blanks", input: withUser(`token: " \t\r\n"`), reason: CredentialMissing, field: userPath},
		{name: "misspelt token", input: withUser(`Token: "` + canaryWord + `"`), reason: CredentialMissing, field: userPath},
		{name: "credential in an extension", input: withUser(`extensions: [{name: x, extension: {token: "` + canaryWord + `"}}]`), reason: CredentialMissing, field: userPath},
		{name: "username alone", input: withUser(`username: "` + canaryUser + `"`), reason: BasicAuthInvalid, field: userPath + ".password"},
		{name: "password alone", input: withUser(`password: "` + canaryPhrase + `"`), reason: BasicAuthInvalid, field: userPath + ".username"},
		{name: "username with a colon", input: withUser(`username: "a:` + canaryUser + `", password: "` + canaryPhrase + `"`), reason: BasicAuthInvalid, field: userPath + ".username"},
		{name: "username with a line break", input: withUser(`username: "a\n` + canaryUser + `", password: "` + canaryPhrase + `"`), reason: BasicAuthInvalid, field: userPath + ".username"},
		{name: "password with a line break", input: withUser(`username: "` + canaryUser + `", password: "` + canaryPhrase + `\n"`), reason: BasicAuthInvalid, field: userPath + ".password"},
		{name: "token and certificate", input: withUser(goodUser + ", " + pairUser(client.certificate, client.key)), reason: CredentialAmbiguous, field: userPath},
		{name: "token and password", input: withUser(goodUser + `, username: "` + canaryUser + `", password: "` + canaryPhrase + `"`), reason: CredentialAmbiguous, field: userPath},
		{name: "certificate and password", input: withUser(pairUser(client.certificate, client.key) + `, username: "` + canaryUser + `", password: "` + canaryPhrase + `"`), reason: CredentialAmbiguous, field: userPath},
	}
}

func serverCases() []rejectedCase {
	cases := []rejectedCase{
		{name: "no server", input: withCluster(``), reason: ServerInvalid, field: clusterPath + ".server", says: "must be set"},
		{name: "null cluster", input: replaced(`  cluster: {`+goodCluster+`}`, `  cluster:`), reason: ServerInvalid, field: clusterPath + ".server"},
	}
	for name, server := range badServers {
		cases = append(cases, rejectedCase{name: "server: " + name, input: withServer(server), reason: ServerInvalid, field: clusterPath + ".server"})
	}
	for name, serverName := range map[string]string{
		"URL": "https://" + canaryHost, "with port": canaryHost + ":443", "blank": canaryHost + " ", "newline": canaryHost + `\n`,
		"wildcard": "*." + canaryHost, "zone": "fe80::1%eth0", "half bracket": "[2001:db8::1", "zero width": canaryHost + `\u200b`,
	} {
		cases = append(cases, rejectedCase{
			name: "tls-server-name: " + name, input: withCluster(goodCluster + `, tls-server-name: "` + serverName + `"`),
			reason: TLSServerNameInvalid, field: clusterPath + ".tls-server-name",
		})
	}
	for name, proxy := range map[string]string{
		"scheme": "ftp://" + canaryHost, "no scheme": canaryHost + ":3128", "path": "http://" + canaryHost + "/p", "query": "http://" + canaryHost + "/?x",
		"port": "http://" + canaryHost + ":x", "blank": "http://" + canaryHost + " ", "no host": "http://:80", "IPv6": "http://2001:db8::1:80",
	} {
		cases = append(cases, rejectedCase{
			name: "proxy-url: " + name, input: withCluster(goodCluster + `, proxy-url: "` + proxy + `"`), opts: Options{AllowProxy: true},
			reason: ProxyInvalid, field: clusterPath + ".proxy-url",
		})
	}
	return append(cases, rejectedCase{
		name: "proxy-url without permission", input: withCluster(goodCluster + `, proxy-url: "http://` + canaryHost + `"`),
		reason: ProxyNotAllowed, field: clusterPath + ".proxy-url", says: "--allow-proxy",
	})
}

func userinfoCases() []rejectedCase {
	var cases []rejectedCase
	for name, userinfo := range map[string]string{
		"both": canaryUser + ":" + canaryPhrase, "name": canaryUser, "empty": "", "escaped": "a%40b:" + canaryPhrase, "two": "a@" + canaryUser,
	} {
		cases = append(cases,
			rejectedCase{name: "server userinfo: " + name, input: withServer("https://" + userinfo + "@" + canaryHost), reason: UserinfoNotAllowed, field: clusterPath + ".server"},
			rejectedCase{
				name: "proxy userinfo: " + name, input: withCluster(goodCluster + `, proxy-url: "socks5://` + userinfo + "@" + canaryHost + `"`), opts: Options{AllowProxy: true},
				reason: UserinfoNotAllowed, field: clusterPath + ".proxy-url",
			})
	}
	return cases
}

func contextCases() []rejectedCase {
	long := strings.Repeat("n", maxListedNameBytes+1)
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("c%02d-%s", i, strings.Repeat("x", 120))
	}
	return []rejectedCase{
		{name: "no current-context", input: replaced(`current-context: "`+contextName+`"`, ""), reason: ContextRequired, field: "current-context", says: "`bootstrap.context` to 'admin@edge'"},
		{name: "empty current-context", input: replaced(`current-context: "`+contextName+`"`, `current-context: ""`), reason: ContextRequired, field: "current-context"},
		{name: "several contexts and none current", input: withContexts("a", "arn:aws:eks:eu-1:12:cluster/b", "c_d.e"), reason: ContextRequired, field: "current-context", says: "one of 'a', 'arn:aws:eks:eu-1:12:cluster/b', 'c_d.e'"},
		{name: "unprintable names are counted", input: withContexts("a", "b\x1b[31m", "c d", "e\u202e", "f'", long), reason: ContextRequired, field: "current-context", says: "to 'a' or 5 more"},
		{name: "only unprintable names", input: withContexts("a b", "c\nd"), reason: ContextRequired, field: "current-context", says: "one of its contexts"},
		{name: "many long names are bounded", input: withContexts(many...), reason: ContextRequired, field: "current-context", says: "or 35 more"},
		{name: "many short names are bounded", input: withContexts(strings.Split("a b c d e f g h i j k l", " ")...), reason: ContextRequired, field: "current-context", says: "'j' or 2 more"},
		{name: "current-context is missing", input: replaced(`current-context: "`+contextName+`"`, `current-context: "`+canaryWord+`"`), reason: ContextNotFound, field: "current-context", says: "'admin@edge'"},
		{name: "wanted context is missing", input: goodFile(), opts: Options{Context: canaryWord}, reason: ContextNotFound, field: "bootstrap.context", says: "'admin@edge'"},
		{name: "no contexts", input: replaced(`contexts:`, "old:"), reason: ContextNotFound, field: "contexts"},
		{name: "empty config", input: "apiVersion: v1\nkind: Config\n", reason: ContextNotFound, field: "contexts"},
	}
}

func insecureCases() []rejectedCase {
	field := clusterPath + ".insecure-skip-tls-verify"
	insecure := `server: "` + serverURL + `", insecure-skip-tls-verify: true`
	allowed := Options{AllowInsecure: true}
	return []rejectedCase{
		{name: "insecure", input: withCluster(insecure), reason: InsecureNotAllowed, field: field, says: "certificate-authority-data"},
		{name: "insecure spelt True", input: withCluster(strings.Replace(insecure, "true", "True", 1)), reason: InsecureNotAllowed, field: field},
		{name: "insecure with a CA", input: withCluster(goodCluster + `, insecure-skip-tls-verify: true`), opts: allowed, reason: InsecureWithCA, field: field},
		{name: "insecure with a CA, not permitted", input: withCluster(goodCluster + `, insecure-skip-tls-verify: true`), reason: InsecureWithCA, field: field},
		{name: "insecure with a broken CA", input: withCluster(insecure + `, certificate-authority-data: "!"`), opts: allowed, reason: InsecureWithCA, field: field},
		{name: "insecure with a CA file", input: withCluster(insecure + `, certificate-authority: "` + canaryPath + `"`), opts: allowed, reason: FileReferenceNotAllowed, field: clusterPath + ".certificate-authority"},
		{name: "insecure as a string", input: withCluster(goodCluster + `, insecure-skip-tls-verify: "true"`), opts: allowed, reason: Malformed, field: field},
		{name: "insecure as a number", input: withCluster(goodCluster + `, insecure-skip-tls-verify: 1`), opts: allowed, reason: Malformed, field: field},
		{name: "insecure as yes", input: withCluster(goodCluster + `, insecure-skip-tls-verify: yes`), opts: allowed, reason: Malformed, field: field},
	}
}

func caCases() []rejectedCase {
	field := clusterPath + ".certificate-authority-data"
	raw := func(value string) string {
		return withCluster(`server: "` + serverURL + `", certificate-authority-data: ` + string(must(json.Marshal(value))))
	}
	cut := edgeCA.certificate[:len(edgeCA.certificate)-20]
	return []rejectedCase{
		{name: "CA is not base64", input: raw("!!" + canaryWord), reason: CAInvalid, field: field, says: "base64"},
		{name: "CA is bare PEM", input: raw(string(edgeCA.certificate)), reason: CAInvalid, field: field, says: "base64"},
		{name: "CA is URL-safe base64", input: raw("-_-_"), reason: CAInvalid, field: field},
		{name: "CA of blanks", input: raw(" \n"), reason: CAInvalid, field: field},
		{name: "CA is not PEM", input: withCA([]byte(canaryWord)), reason: CAInvalid, field: field, says: "PEM"},
		{name: "CA is DER", input: withCA(der(edgeCA.certificate)), reason: CAInvalid, field: field},
		{name: "CA encoded twice", input: withCA([]byte(b64(edgeCA.certificate))), reason: CAInvalid, field: field},
		{name: "CA with a private key", input: withCA(join(edgeCA.certificate, edgeCA.key)), reason: CAInvalid, field: field, says: "private key"},
		{name: "CA is a request", input: withCA(block("CERTIFICATE REQUEST", der(edgeCA.certificate))), reason: CAInvalid, field: field},
		{name: "CA is truncated", input: withCA(cut), reason: CAInvalid, field: field},
		{name: "second of two CAs is truncated", input: withCA(join(otherCA.certificate, cut)), reason: CAInvalid, field: field},
		{name: "first of two CAs is damaged", input: withCA(join(cut, otherCA.certificate)), reason: CAInvalid, field: field},
		{name: "CA is not a certificate", input: withCA(block("CERTIFICATE", []byte(canaryWord))), reason: CAInvalid, field: field, says: "parsed"},
		{name: "CA with trailing DER", input: withCA(block("CERTIFICATE", append(der(edgeCA.certificate), 0))), reason: CAInvalid, field: field},
	}
}

func tokenCases() []rejectedCase {
	field := userPath + ".token"
	cases := []rejectedCase{{name: "token over 64 KiB", input: withUser(`token: "` + strings.Repeat("a", maxTokenBytes+1) + `"`), reason: TokenInvalid, field: field}}
	for name, token := range map[string]string{
		"newline": canaryWord + `\n` + canaryPhrase, "carriage return": canaryWord + `\r` + canaryPhrase, "blank": canaryWord + " " + canaryPhrase,
		"tab": canaryWord + `\t` + canaryPhrase, "NUL": canaryWord + `\0`, "escape": canaryWord + `\e[0m`, "DEL": canaryWord + `\x7f`,
		"Bearer": "Bearer " + canaryWord, "umlaut": canaryWord + "ü", "zero width": canaryWord + `\u200b` + canaryPhrase,
		"no-break space": canaryWord + `\_` + canaryPhrase, "BOM": `\ufeff` + canaryWord,
	} {
		cases = append(cases, rejectedCase{name: "token with " + name, input: withUser(`token: "` + token + `"`), reason: TokenInvalid, field: field})
	}
	return cases
}

func certificateCases() []rejectedCase {
	certField, keyField := userPath+".client-certificate-data", userPath+".client-key-data"
	bad := func(name string, certificate, key []byte, field, says string) rejectedCase {
		return rejectedCase{name: "client certificate: " + name, input: withUser(pairUser(certificate, key)), reason: ClientCertificateInvalid, field: field, says: says}
	}
	return []rejectedCase{
		{name: "certificate alone", input: withUser(`client-certificate-data: "` + b64(client.certificate) + `"`), reason: ClientCertificateInvalid, field: keyField},
		{name: "key alone", input: withUser(`client-key-data: "` + b64(client.key) + `"`), reason: ClientCertificateInvalid, field: certField},
		{name: "certificate is not base64", input: withUser(`client-certificate-data: "!", client-key-data: "` + b64(client.key) + `"`), reason: ClientCertificateInvalid, field: certField},
		{name: "key is not base64", input: withUser(`client-certificate-data: "` + b64(client.certificate) + `", client-key-data: "-----"`), reason: ClientCertificateInvalid, field: keyField},
		bad("key of another", client.certificate, expired.key, keyField, "must be the private key of"),
		bad("key of another type", client.certificate, edClient.key, keyField, ""),
		bad("swapped", client.key, client.certificate, certField, ""),
		bad("not PEM", []byte(canaryWord), client.key, certField, "PEM"),
		bad("key not PEM", client.certificate, []byte(canaryWord), keyField, "PEM"),
		bad("unparsable", block("CERTIFICATE", []byte(canaryWord)), client.key, certField, "parsed"),
		bad("unparsable key", client.certificate, block("PRIVATE KEY", []byte(canaryWord)), keyField, ""),
		bad("unparsable chain", join(client.certificate, block("CERTIFICATE", []byte(canaryWord))), client.key, certField, "parsed"),
		bad("encrypted key", client.certificate, encryptedKey(), keyField, "encrypted"),
		bad("encrypted PKCS 8 key", client.certificate, block("ENCRYPTED PRIVATE KEY", []byte(canaryWord)), keyField, "encrypted"),
		bad("huge key", client.certificate, block("RSA PRIVATE KEY", make([]byte, maxKeyBytes+1)), keyField, "larger"),
		bad("encoded twice", []byte(b64(client.certificate)), client.key, certField, ""),
	}
}

func impersonationCases() []rejectedCase {
	var cases []rejectedCase
	for key, value := range map[string]string{
		"as": `"` + canaryUser + `"`, "as-uid": `"` + canaryUser + `"`, "as-groups": `["` + canaryUser + `"]`,
		"as-user-extra": `{"` + canaryUser + `": ["x"]}`,
	} {
		cases = append(cases, rejectedCase{name: key, input: withUser(goodUser + `, ` + key + `: ` + value), reason: ImpersonationNotAllowed, field: userPath + "." + key})
	}
	return append(cases,
		rejectedCase{name: "as beside a certificate", input: withUser(pairUser(client.certificate, client.key) + `, as: x`), reason: ImpersonationNotAllowed, field: userPath + ".as"},
		rejectedCase{name: "as of the wrong type", input: withUser(goodUser + `, as: {a: b}`), reason: ImpersonationNotAllowed, field: userPath + ".as"},
		rejectedCase{name: "as-groups as a string", input: withUser(goodUser + `, as-groups: "system:masters"`), reason: ImpersonationNotAllowed, field: userPath + ".as-groups"},
	)
}

func duplicateCases() []rejectedCase {
	entry := func(list, name string) string { return list + ":\n- name: \"" + name + "\"\n" }
	return []rejectedCase{
		{name: "two clusters", input: replaced("clusters:\n", entry("clusters", clusterName)), reason: DuplicateName, field: "clusters[1].name", says: "clusters[0]"},
		{name: "two users", input: replaced("users:\n", entry("users", userName)), reason: DuplicateName, field: "users[1].name", says: "users[0]"},
		{name: "two contexts", input: replaced("contexts:\n", entry("contexts", contextName)), reason: DuplicateName, field: "contexts[1].name", says: "contexts[0]"},
		{name: "duplicates nobody selects", input: goodFile() + "- {name: other}\n- {name: other}\n", reason: DuplicateName, field: "users[2].name", says: "users[1]"},
		{name: "key twice at the top", input: goodFile() + "users: []\n", reason: DuplicateKey, says: "line 13"},
		{name: "key twice in the user", input: withUser(goodUser + ", " + goodUser), reason: DuplicateKey},
		{name: "key twice, spelt differently", input: withUser(goodUser + `, "t\x6fken": b`), reason: DuplicateKey},
		{name: "key twice in JSON", input: `{"kind":"Config","users":[],"users":[]}`, reason: DuplicateKey, says: "line 1"},
		{name: "key twice in an extension", input: goodFile() + "extensions: [{name: x, extension: {a: 1, a: 2}}]\n", reason: DuplicateKey},
	}
}

func wrongFileCases() []rejectedCase {
	cases := []rejectedCase{
		{name: "empty", input: "", says: "is empty"},
		{name: "blanks", input: " \n\t\r\n", says: "is empty"},
		{name: "only a BOM", input: "\ufeff", says: "is empty"},
		{name: "only comments", input: "# " + canaryWord + "\n", says: "is empty"},
		{name: "only a document marker", input: "---\n"},
		{name: "JWT", input: bareJWT(), says: "bare token"},
		{name: "JWT with newline", input: bareJWT() + "\n", says: "bare token"},
		{name: "JWT with Bearer", input: "Bearer " + bareJWT(), says: "bare token"},
		{name: "opaque token", input: canaryWord, says: "not a mapping"},
		{name: "Secret manifest", input: secretManifest(), field: "kind", says: "manifest of a Secret"},
		{name: "Secret manifest in JSON", input: `{"apiVersion":"v1","kind":"Secret","stringData":{"value":"` + canaryWord + `"}}`, field: "kind", says: "manifest of a Secret"},
		{name: "another manifest", input: "apiVersion: v1\nkind: ConfigMap\nclusters: []\n", field: "kind", says: "must be Config"},
		{name: "list of manifests", input: "apiVersion: v1\nkind: List\nitems: []\n", field: "kind"},
		{name: "another version", input: "apiVersion: v2\nkind: Config\nclusters: []\n", field: "apiVersion", says: "must be v1"},
		{name: "Argo CD cluster config", input: `{"bearerToken":"` + canaryWord + `","tlsClientConfig":{}}`, says: "no clusters"},
		{name: "base64 twice", input: b64([]byte(goodFile())), says: "base64-encoded"},
		{name: "base64 twice, folded", input: fold(b64([]byte(goodFile())), "\r\n"), says: "base64-encoded"},
		{name: "base64 three times", input: b64([]byte(b64([]byte(goodFile())))), says: "base64-encoded"},
		{name: "base64 of a PEM file", input: b64(client.key), says: "base64-encoded"},
		{name: "other base64", input: b64([]byte(canaryWord)), says: "not a mapping"},
		{name: "PEM certificate", input: string(client.certificate), says: "PEM file"},
		{name: "PEM key", input: string(client.key), says: "PEM file"},
		{name: "PEM after text", input: "subject=CN:" + canaryUser + "\n\n" + string(client.certificate), says: "PEM file"},
		{name: "encrypted PEM", input: string(encryptedKey()), says: "PEM file"},
		{name: "list", input: "- a\n- b\n", says: "not a mapping"},
		{name: "number", input: "12345678", says: "not a mapping"},
		{name: "JSON string", input: `"` + canaryWord + `"`, says: "not a mapping"},
		{name: "some mapping", input: "password: " + canaryPhrase, says: "no clusters"},
		{name: "empty mapping", input: "{}", says: "no clusters"},
		{name: "null", input: "null", says: "not a mapping"},
	}
	for i := range cases {
		cases[i].reason = NotAKubeconfig
	}
	return cases
}

func sizeCases() []rejectedCase {
	var tags strings.Builder
	for i := range maxTagDirectives + 1 {
		fmt.Fprintf(&tags, "%%TAG !a%d! x\n", i)
	}
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	return []rejectedCase{
		{name: "over 1 MiB", input: goodFile() + "#" + strings.Repeat("x", maxBytes), reason: TooLarge, says: "1 MiB"},
		{name: "1 MiB of garbage", input: strings.Repeat("\xff", maxBytes+1), reason: TooLarge},
		{name: "many values", input: goodFile() + "x: [" + strings.Repeat("a,", maxIndicators) + "]", reason: TooComplex},
		{name: "many list items", input: goodFile() + "x:\n" + strings.Repeat("- a\n", maxIndicators), reason: TooComplex},
		{name: "many comments", input: goodFile() + strings.Repeat("#\n", maxIndicators), reason: TooComplex},
		{name: "many documents", input: strings.Repeat("---\n", maxIndicators+1), reason: TooComplex},
		{name: "many tag directives", input: tags.String() + "---\n" + goodFile(), reason: TooComplex},
		{name: "deep lists", input: goodFile() + "x: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), reason: TooComplex, says: "32 levels at line 13"},
		{name: "deep mappings", input: goodFile() + "x: " + strings.Repeat("{a: ", 40) + strings.Repeat("}", 40), reason: TooComplex},
		{name: "deep keys", input: goodFile() + strings.Repeat("? ", 40), reason: Malformed},
		{name: "deeper than the parser allows", input: strings.Repeat("[", 20000), reason: Malformed},
		{name: "billion laughs", input: laughs + goodFile(), reason: AliasNotAllowed, says: "line 2"},
		{name: "long string many times", input: "a: &a " + strings.Repeat("x", 500000) + "\nb: [" + strings.Repeat("*a ,", 60000) + "]\n" + goodFile(), reason: AliasNotAllowed},
		{name: "alias of itself", input: goodFile() + "x: &x [*x]\n", reason: AliasNotAllowed},
		{name: "alias as a key", input: "x: &x a\n*x : b\n" + goodFile(), reason: AliasNotAllowed},
		{name: "harmless alias", input: replaced(`current-context: "`+contextName+`"`, `current-context: &c "`+contextName+`"`+"\nx: *c"), reason: AliasNotAllowed},
		{name: "merge key", input: withUser(`<<: {token: "` + canaryWord + `"}`), reason: AliasNotAllowed, says: "merge key"},
		{name: "merged exec", input: withUser(goodUser + `, <<: {exec: {command: "` + canaryCommand + `"}}`), reason: AliasNotAllowed},
	}
}

func syntaxCases() []rejectedCase {
	return []rejectedCase{
		{name: "two documents", input: goodFile() + "---\n" + goodFile(), reason: MultipleDocuments},
		{name: "empty second document", input: goodFile() + "---\n", reason: MultipleDocuments},
		{name: "empty first document", input: "---\n---\n" + goodFile(), reason: MultipleDocuments},
		{name: "broken second document", input: goodFile() + "...\n{" + canaryWord, reason: Malformed},
		{name: "JSON and more", input: `{"kind":"Config"} {"kind":"Config"}`, reason: Malformed},
		{name: "unclosed quote", input: withUser(`token: "` + canaryWord), reason: Malformed, says: "line"},
		{name: "unclosed bracket", input: goodFile() + "x: [" + canaryWord, reason: Malformed},
		{name: "tab indentation", input: "clusters:\n\t- " + canaryWord, reason: Malformed},
		{name: "unknown anchor", input: withUser(`token: *` + "zQ7t0k9W9xV4Jq"), reason: Malformed},
		{name: "bad tag", input: withUser(`token: !<` + canaryWord), reason: Malformed},
		{name: "PEM at the margin", input: "clusters:\n" + string(edgeCA.certificate), reason: Malformed},
		{name: "key that is a list", input: goodFile() + "? [" + canaryHost + "]\n: a\n", reason: Malformed, says: "line 13"},
		{name: "NUL", input: goodFile() + "\x00", reason: Malformed, says: "control characters"},
		{name: "NUL in the token", input: withUser(`token: "` + canaryWord + "\x00" + `"`), reason: Malformed},
		{name: "escape character", input: goodFile() + "# \x1b[31m", reason: Malformed},
		{name: "invalid UTF-8", input: goodFile() + "# \xff\xfe", reason: Malformed, says: "UTF-8"},
		{name: "gzip", input: "\x1f\x8b\x08\x00" + canaryWord + "\xff", reason: Malformed, says: "UTF-8"},
		{name: "UTF-16 without BOM", input: utf16File(binary.LittleEndian, goodFile()), reason: Malformed},
		{name: "half a UTF-16 character", input: utf16File(binary.LittleEndian, "\ufeff"+goodFile()) + "x", reason: Malformed},
	}
}

func utf16File(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func fold(text, eol string) string {
	var out strings.Builder
	for len(text) > 64 {
		out.WriteString(text[:64] + eol)
		text = text[64:]
	}
	return out.String() + text + eol
}

func typeCases() []rejectedCase {
	cases := []rejectedCase{
		{name: "clusters is a mapping", input: replaced("clusters:\n", "clusters: {a: b}\nold:\n"), field: "clusters"},
		{name: "users is a string", input: replaced("users:\n", "users: a\nold:\n"), field: "users"},
		{name: "context entry is a string", input: replaced("contexts:\n", "contexts:\n- a\n"), field: "contexts[0]"},
		{name: "null entry", input: replaced("contexts:\n", "contexts:\n- null\n"), field: "contexts[0]"},
		{name: "entry without name", input: replaced("users:\n", "users:\n- user: {}\n"), field: "users[0].name"},
		{name: "entry with empty name", input: replaced("users:\n", "users:\n- name: ''\n"), field: "users[0].name"},
		{name: "entry with a numeric name", input: replaced("users:\n", "users:\n- name: 7\n"), field: "users[0].name"},
		{name: "context is a list", input: replaced(`{cluster: "`+clusterName+`", user: "`+userName+`"}`, "[]"), field: "contexts[0].context"},
		{name: "context names a user by number", input: replaced(`user: "`+userName+`"`, `user: 7`), field: "contexts[0].context.user"},
		{name: "user is a list", input: replaced("{"+goodUser+"}", "[a]"), field: userPath},
		{name: "user is a string", input: replaced("{"+goodUser+"}", canaryWord), field: userPath},
		{name: "cluster is a string", input: replaced("{"+goodCluster+"}", `"`+serverURL+`"`), field: clusterPath},
		{name: "current-context is a number", input: replaced(`current-context: "`+contextName+`"`, `current-context: 7`), field: "current-context"},
		{name: "kind is a list", input: replaced("kind: Config", "kind: [Config]"), field: "kind"},
		{name: "apiVersion is a number", input: replaced("apiVersion: v1", "apiVersion: 1"), field: "apiVersion"},
		{name: "server is a list", input: withCluster(`server: ["` + serverURL + `"]`), field: clusterPath + ".server"},
		{name: "CA is a mapping", input: withCluster(`server: "` + serverURL + `", certificate-authority-data: {a: b}`), field: clusterPath + ".certificate-authority-data"},
		{name: "tls-server-name is a boolean", input: withCluster(goodCluster + `, tls-server-name: true`), field: clusterPath + ".tls-server-name"},
		{name: "proxy-url is a list", input: withCluster(goodCluster + `, proxy-url: [a]`), field: clusterPath + ".proxy-url"},
	}
	for name, token := range map[string]string{
		"number": "8417239465", "float": "84172.39465", "boolean": "true", "list": `["` + canaryWord + `"]`, "mapping": `{a: "` + canaryWord + `"}`,
		"binary": `!!binary "` + b64([]byte(canaryWord)) + `"`, "custom tag": `!Ref "` + canaryWord + `"`,
	} {
		cases = append(cases, rejectedCase{name: "token is a " + name, input: withUser(`token: ` + token), field: userPath + ".token"})
	}
	cases = append(cases,
		rejectedCase{name: "username is a number", input: withUser(`username: 8417239465, password: a`), field: userPath + ".username"},
		rejectedCase{name: "password is a number", input: withUser(`username: a, password: 8417239465`), field: userPath + ".password"},
	)
	for i := range cases {
		cases[i].reason = Malformed
	}
	return cases
}

func TestParseRejects(t *testing.T) {
	for _, tc := range rejectedCases() {
		t.Run(tc.name, func(t *testing.T) {
			target, err := Parse([]byte(tc.input), tc.opts)
			rejection := asRejection(t, err)
			if rejection.Reason != tc.reason || rejection.Field != tc.field {
				t.Errorf("got %s at %q, want %s at %q; message: %s", rejection.Reason, rejection.Field, tc.reason, tc.field, rejection.Message)
			}
			if !strings.Contains(rejection.Message, tc.says) {
				t.Errorf("message %q does not say %q", rejection.Message, tc.says)
			}
			if !strings.HasPrefix(rejection.Message, tc.field) {
				t.Errorf("message %q does not begin with its field", rejection.Message)
			}
			if target.Endpoint.Server != "" || target.Credential.BearerToken != "" || target.Credential.ClientKeyData != nil || target.Credential.Password != "" {
				t.Error("a rejected file also returned a target")
			}
			if _, again := Parse([]byte(tc.input), tc.opts); again.Error() != rejection.Message {
				t.Errorf("second message %q differs from %q", again.Error(), rejection.Message)
			}
		})
	}
}

// TestMessagesHoldNoInput checks every rejection against every secret, and
// against the values that only single cases have.
func TestMessagesHoldNoInput(t *testing.T) {
	all := append(secrets(), bareJWT(), "8417239465", "84172.39465", "zQ7t0k9W9xV4Jq", b64([]byte(goodFile())), b64([]byte(canaryWord)))
	for _, tc := range rejectedCases() {
		_, err := Parse([]byte(tc.input), tc.opts)
		message := asRejection(t, err).Message
		if found := leak(message, all...); found != "" {
			t.Errorf("%s: message %q quotes %q", tc.name, message, found)
		}
	}
}

// TestEveryReasonIsProduced ties the list of reasons to the cases.
func TestEveryReasonIsProduced(t *testing.T) {
	seen := map[Reason]bool{KeyNotFound: true, KeyAmbiguous: true} // SelectKey's own test
	for _, tc := range rejectedCases() {
		seen[tc.reason] = true
	}
	for _, reason := range Reasons() {
		if !seen[reason] {
			t.Errorf("no case is rejected as %s", reason)
		}
		delete(seen, reason)
	}
	if len(seen) != 0 {
		t.Errorf("reasons missing from Reasons(): %v", seen)
	}
}
