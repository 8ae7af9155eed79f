// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

// goodTarget is what goodFile stands for.
func goodTarget() Target {
	return Target{
		Endpoint:   Endpoint{Server: serverURL, CAData: edgeCA.certificate},
		Credential: Credential{BearerToken: canaryWord},
	}
}

func changed(change func(*Target)) Target {
	target := goodTarget()
	change(&target)
	return target
}

func certificateTarget(pair keyPair) Target {
	return changed(func(t *Target) {
		t.Credential = Credential{ClientCertificateData: pair.certificate, ClientKeyData: pair.key}
	})
}

func serverTarget(server string) Target {
	return changed(func(t *Target) { t.Endpoint.Server = server })
}

type acceptedCase struct {
	name  string
	input string
	opts  Options
	want  Target
}

func acceptedCases() []acceptedCase {
	return slices.Concat(formCases(), selectionCases(), credentialCases(), endpointCases())
}

// formCases are spellings of one file.
func formCases() []acceptedCase {
	good := goodFile()
	asJSON := must(yaml.YAMLToJSON([]byte(good)))
	var value any
	if err := json.Unmarshal(asJSON, &value); err != nil {
		panic(err)
	}
	tabbed := must(json.MarshalIndent(value, "", "\t"))
	folded := func(style string) string {
		lines := strings.TrimSpace(strings.ReplaceAll(fold(b64(edgeCA.certificate), "\n"), "\n", "\n      "))
		return strings.Replace(good, `  cluster: {`+goodCluster+`}`,
			"  cluster:\n    server: "+serverURL+"\n    certificate-authority-data: "+style+"\n      "+lines, 1)
	}
	inputs := map[string]string{
		"YAML":                     good,
		"byte order mark":          "\ufeff" + good,
		"CRLF":                     strings.ReplaceAll(good, "\n", "\r\n"),
		"byte order mark and CRLF": "\ufeff" + strings.ReplaceAll(good, "\n", "\r\n"),
		"UTF-16, little-endian":    utf16File(binary.LittleEndian, "\ufeff"+good),
		"UTF-16, big-endian":       utf16File(binary.BigEndian, "\ufeff"+good),
		"JSON":                     string(asJSON),
		"JSON with tabs":           string(tabbed),
		"JSON with CRLF and BOM":   "\ufeff" + strings.ReplaceAll(string(tabbed), "\n", "\r\n"),
		"base64 in a literal":      folded("|"),
		"base64 in a folded text":  folded(">-"),
		"base64 over plain lines":  folded(""),
		"base64 folded with CRLF":  strings.ReplaceAll(folded("|-"), "\n", "\r\n"),
		"escaped line breaks":      strings.Replace(good, b64(edgeCA.certificate), strings.ReplaceAll(fold(b64(edgeCA.certificate), "\n"), "\n", `\n`), 1),
		"document markers":         "# made by hand\n---\n" + good + "...\n",
		"YAML directive":           "%YAML 1.1\n---\n" + good,
		"no final newline":         strings.TrimSpace(good),
		"no kind":                  strings.Replace(good, "kind: Config\n", "", 1),
		"no apiVersion":            strings.Replace(good, "apiVersion: v1\n", "", 1),
		"unknown fields": strings.Replace(good, "kind: Config\n", "kind: Config\npreferences: {colors: true}\nx-new: [1, {a: null}]\n", 1) +
			"  color: red\nextensions: [{name: x, extension: {exec: {command: a}}}]\n",
		"unknown cluster fields": withCluster(goodCluster + `, disable-compression: true, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: a}}]`),
		"tagged string":          strings.Replace(good, `token: "`, `token: !!str "`, 1),
		"empty forbidden fields": withUser(goodUser + `, exec: null, auth-provider: ~, tokenFile: "", client-certificate: "", client-key: null, as: "", as-uid: "", as-groups: [], as-user-extra: {}, username: "", password: ""`),
		"empty cluster fields":   withCluster(goodCluster + `, certificate-authority: "", tls-server-name: "", proxy-url: "", insecure-skip-tls-verify: false`),
		"fields in another case": withUser(goodUser + `, Exec: {command: a}, tokenfile: /a, As: b`),
		"anchor without alias":   strings.Replace(good, "users:\n", "users: &all\n", 1),
		"exactly 1 MiB":          good + "#" + strings.Repeat("x", maxBytes-len(good)-1),
	}
	var cases []acceptedCase
	for name, input := range inputs {
		cases = append(cases, acceptedCase{name: name, input: input, want: goodTarget()})
	}
	return cases
}

func selectionCases() []acceptedCase {
	two := replaced("contexts:\n", "contexts:\n- name: other\n  context: {cluster: second, user: second}\n")
	two = strings.Replace(two, "clusters:\n", "clusters:\n- name: second\n  cluster: {server: \"https://second.example\"}\n", 1)
	two = strings.Replace(two, "users:\n", "users:\n- name: second\n  user: {token: second}\n", 1)
	hostile := goodFile() + `- name: e
  user: {exec: {command: "` + canaryCommand + `"}, auth-provider: {name: x}, tokenFile: /etc/passwd, as: root, token: 7}
- name: f
  user: [not, a, mapping]
`
	hostile = strings.Replace(hostile, "clusters:\n", "clusters:\n- name: e\n  cluster: {server: 'http://u:p@h', certificate-authority: /a, insecure-skip-tls-verify: maybe}\n- name: f\n", 1)
	hostile = strings.Replace(hostile, "contexts:\n", "contexts:\n- name: e\n  context: {cluster: gone, user: gone}\n- name: f\n", 1)
	dated := strings.ReplaceAll(goodFile(), `"`+contextName+`"`, "2024-01-31")
	second := Target{Endpoint: Endpoint{Server: "https://second.example"}, Credential: Credential{BearerToken: "second"}}
	return []acceptedCase{
		{name: "current of two contexts", input: two, want: goodTarget()},
		{name: "other of two contexts", input: two, opts: Options{Context: "other"}, want: second},
		{name: "no current-context but one asked for", input: withContexts("a", "b"), opts: Options{Context: "b"}, want: goodTarget()},
		{name: "missing current-context but one asked for", input: replaced(`current-context: "`+contextName+`"`, "current-context: gone"), opts: Options{Context: contextName}, want: goodTarget()},
		{name: "entries that are not selected may hold anything", input: hostile, want: goodTarget()},
		{name: "a bare date as a name", input: dated, want: goodTarget()},
		{name: "a name with odd characters", input: strings.ReplaceAll(goodFile(), contextName, `Ü '\x22`), want: goodTarget()},
	}
}

func credentialCases() []acceptedCase {
	ecParameters := block("EC PARAMETERS", []byte{6, 8, 42, 134, 72, 206, 61, 3, 1, 7})
	comment := []byte("subject=CN: plane\r\n")
	crlf := func(p keyPair) string {
		return pairUser([]byte(strings.ReplaceAll(string(p.certificate), "\n", "\r\n")), []byte(strings.ReplaceAll(string(p.key), "\n", "\r\n")))
	}
	password := changed(func(t *Target) { t.Credential = Credential{Username: canaryUser, Password: " " + canaryPhrase} })
	return []acceptedCase{
		{name: "token with a final newline", input: withUser(`token: "` + canaryWord + `\n"`), want: goodTarget()},
		{name: "token between blanks", input: withUser(`token: "  \r\n` + canaryWord + `\t "`), want: goodTarget()},
		{name: "token in a literal", input: strings.Replace(goodFile(), `  user: {`+goodUser+`}`, "  user:\n    token: |\n      "+canaryWord, 1), want: goodTarget()},
		{name: "quoted number as a token", input: withUser(`token: "123456"`), want: changed(func(t *Target) { t.Credential.BearerToken = "123456" })},
		{name: "longest token", input: withUser(`token: "` + strings.Repeat("a", maxTokenBytes) + `"`), want: changed(func(t *Target) { t.Credential.BearerToken = strings.Repeat("a", maxTokenBytes) })},
		{name: "client certificate", input: withUser(pairUser(client.certificate, client.key)), want: certificateTarget(client)},
		{name: "Ed25519 client certificate", input: withUser(pairUser(edClient.certificate, edClient.key)), want: certificateTarget(edClient)},
		{name: "RSA client certificate", input: withUser(pairUser(rsaPair.certificate, rsaPair.key)), want: certificateTarget(rsaPair)},
		{name: "expired client certificate", input: withUser(pairUser(expired.certificate, expired.key)), want: certificateTarget(expired)},
		{name: "client certificate with an empty token", input: withUser(pairUser(client.certificate, client.key) + `, token: ""`), want: certificateTarget(client)},
		{name: "client certificate with CRLF", input: withUser(crlf(client)), want: certificateTarget(client)},
		{name: "comments and curve parameters", input: withUser(pairUser(join(comment, client.certificate), join(ecParameters, client.key))), want: certificateTarget(client)},
		{name: "certificate and key in one file", input: withUser(pairUser(join(client.key, client.certificate), join(client.certificate, client.key))), want: certificateTarget(client)},
		{name: "certificate chain", input: withUser(pairUser(join(client.certificate, edgeCA.certificate), client.key)), want: certificateTarget(keyPair{join(client.certificate, edgeCA.certificate), client.key})},
		{name: "username and password", input: withUser(`username: "` + canaryUser + `", password: " ` + canaryPhrase + `"`), want: password},
	}
}

func endpointCases() []acceptedCase {
	bundle := join(edgeCA.certificate, otherCA.certificate)
	proxy := func(raw, want string) acceptedCase {
		return acceptedCase{
			name: "proxy " + raw, input: withCluster(goodCluster + `, proxy-url: "` + raw + `"`), opts: Options{AllowProxy: true},
			want: changed(func(t *Target) { t.Endpoint.ProxyURL = want }),
		}
	}
	serverName := func(raw, want string) acceptedCase {
		return acceptedCase{
			name: "tls-server-name " + raw, input: withCluster(goodCluster + `, tls-server-name: "` + raw + `"`),
			want: changed(func(t *Target) { t.Endpoint.TLSServerName = want }),
		}
	}
	return []acceptedCase{
		{name: "trailing slash", input: withServer(serverURL + "/"), want: goodTarget()},
		{name: "path prefix", input: withServer("https://rancher.example/k8s/clusters/c-m-1/"), want: serverTarget("https://rancher.example/k8s/clusters/c-m-1")},
		{name: "IPv6", input: withServer("https://[2001:DB8:0:0::1]:443"), want: serverTarget("https://[2001:db8::1]")},
		{name: "no CA", input: withCluster(`server: "` + serverURL + `"`), want: changed(func(t *Target) { t.Endpoint.CAData = nil })},
		{name: "empty CA", input: withCluster(`server: "` + serverURL + `", certificate-authority-data: ""`), want: changed(func(t *Target) { t.Endpoint.CAData = nil })},
		{name: "CA bundle with comments", input: withCA(join([]byte("# one\n"), edgeCA.certificate, []byte("\n# two\n"), otherCA.certificate, []byte("# end"))), want: changed(func(t *Target) { t.Endpoint.CAData = bundle })},
		{name: "expired CA", input: withCA(expired.certificate), want: changed(func(t *Target) { t.Endpoint.CAData = expired.certificate })},
		{
			name: "permitted insecure", input: withCluster(`server: "` + serverURL + `", insecure-skip-tls-verify: true`), opts: Options{AllowInsecure: true},
			want: changed(func(t *Target) { t.Endpoint.CAData, t.Endpoint.Insecure = nil, true }),
		},
		{name: "insecure permitted but not used", input: goodFile(), opts: Options{AllowInsecure: true, AllowProxy: true}, want: goodTarget()},
		serverName("Kubernetes.", "kubernetes"),
		serverName("api.Edge.example", "api.edge.example"),
		serverName("10.0.0.1", "10.0.0.1"),
		serverName("2001:DB8::0:1", "2001:db8::1"),
		serverName("[2001:db8::1]", "2001:db8::1"),
		serverName("bücher.example", "xn--bcher-kva.example"),
		proxy("http://proxy.example:3128", "http://proxy.example:3128"),
		proxy("HTTPS://Proxy.example:443/", "https://proxy.example"),
		proxy("socks5://10.0.0.1:1080", "socks5://10.0.0.1"),
		proxy("http://[::1]:8080", "http://[::1]:8080"),
	}
}

func TestParseAccepts(t *testing.T) {
	for _, tc := range acceptedCases() {
		t.Run(tc.name, func(t *testing.T) {
			g := NewWithT(t)
			input := []byte(tc.input)
			got, err := Parse(input, tc.opts)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.Endpoint).To(Equal(tc.want.Endpoint))
			g.Expect(checkTarget(got, tc.opts)).To(BeEmpty())
			g.Expect(sameCredential(got.Credential, tc.want.Credential)).To(BeTrue(), "credential differs")
			g.Expect(string(input)).To(Equal(tc.input), "input was changed")
		})
	}
}
