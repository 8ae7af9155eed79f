// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"slices"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// address fills a URL to n characters.
func address(n int) string {
	const scheme = "https://"
	return scheme + letters(n-len(scheme))
}

// registrationCases are about the choice of a cluster and how it is reached.
func registrationCases() []Case {
	s := registration()
	cases := slices.Concat(
		s.required("spec"),
		s.names(),
		s.choice(),
		s.bootstrap(),
		s.endpoint(),
		s.enum("spec.adoption", "Never", "Unmarked"),
		s.enum("spec.deletionPolicy", "Revoke", "Retain"),
		s.enum("spec.reconciliation", "Active", "Suspended"),
	)
	return append(cases, inClusterExclusions()...)
}

func (s subject) names() []Case {
	const tooLong = "`metadata.name` must be a DNS label of at most 63 characters"
	label := s.cel("", tooLong)
	const ownSecret = "`spec.bootstrap.kubeconfigSecretRef.name` must not be '<name>-credentials': that Secret is written by the manager"
	own := s.cel("", ownSecret)
	const name, secret = "metadata.name", "spec.bootstrap.kubeconfigSecretRef.name"
	return []Case{
		s.accept(label, "at the limit", set(name, letters(63))),
		s.reject(label, "over the limit", invalid("metadata", tooLong), set(name, letters(64))),
		s.reject(label, "subdomain", invalid("metadata", tooLong), set(name, "edge.1")),
		s.accept(label, "generated", unset(name), set("metadata.generateName", letters(80))),
		s.reject(label, "generated subdomain", invalid("metadata", tooLong), unset(name), set("metadata.generateName", "edge.")),
		s.accept(own, "credentials of another", set(secret, "edge-2-credentials")),
		s.reject(own, "own credentials", invalid(secret, ownSecret), set(secret, v1alpha1.CredentialsSecretName("edge-1"))),
	}
}

func (s subject) choice() []Case {
	const one = "exactly one of the fields in [bootstrap inCluster] must be set"
	r := s.cel("spec", one)
	return []Case{
		s.accept(r, "bootstrap"),
		inClusterRegistration().accept(r, "inCluster"),
		s.reject(r, "none", invalid("spec", one), set("spec", Object{})),
		s.reject(r, "both", invalid("spec", one), set("spec.inCluster", Object{})),
	}
}

func (s subject) bootstrap() []Case {
	const name, key = "spec.bootstrap.kubeconfigSecretRef.name", "spec.bootstrap.kubeconfigSecretRef.key"
	return slices.Concat(
		s.required("spec.bootstrap.kubeconfigSecretRef"),
		s.but(set(key, "value")).required(name),
		s.lengths(name, 1, 253, letters),
		s.dnsSubdomain(name),
		s.lengths(key, 1, 253, letters),
		s.pattern(key, []string{"value", "admin.conf", "A_b-1"}, []string{"a/b", "a b", "a\n"}),
		s.lengths("spec.bootstrap.context", 0, 512, letters),
		[]Case{s.accept(Rule{}, "empty context", set("spec.bootstrap.context", ""))},
		s.enum("spec.bootstrap.afterRegistration", "Keep", "Delete"),
	)
}

func (s subject) endpoint() []Case {
	const server, ca = "spec.endpoint.server", "spec.endpoint.caBundle"
	const serverName, proxy = "spec.endpoint.tlsServerName", "spec.endpoint.proxyURL"
	host := []string{
		"h", "ccluster-ip-control-plane:6443", "EXAMPLE.com", "10.0.0.1:1", "[::1]:6443", "[fe80::1.2.3.4]",
	}
	badHost := []string{
		"", ":6443", "user@h", "user:secret@h", "h:", "h:123456", "h:port", "::1", "[::1", "-h", "h.", "h h", "h?q", "h#f", "*",
	}
	before := func(scheme string, texts []string) []string {
		var urls []string
		for _, text := range texts {
			urls = append(urls, scheme+text)
		}
		return urls
	}
	return slices.Concat(
		s.lengths(server, 9, 1024, address),
		s.pattern(server,
			slices.Concat(before("https://", host), []string{"https://h/", "https://h:1/clusters/a_b.c~d"}),
			slices.Concat(before("https://", badHost[1:]), []string{
				"http://host", "HTTPS://host", "host.example.com:6443", " https://h", "https://h/a b", "https://h/%2e", "https://h\n",
			}),
		),
		s.lengths(ca, 4, 262144, letters),
		// The rest of the manager cannot decode an object with text that is not base64.
		s.texts(s.rule(ca, "format"), wrongType(ca, "must be of type byte"),
			[]string{"UEVN", "UEU=", "UA=="}, []string{"UEVNC", "UEVN=", "UE=N", "PEM!", "UE\nVN", "UE-_"}),
		s.lengths(serverName, 0, 253, letters),
		s.pattern(serverName, []string{"", "h", "EXAMPLE.com", "10.0.0.1", "::1"}, []string{"h:1", "-h", "h.", "a b", "[::1]", "*.h"}),
		s.lengths(proxy, 0, 1024, address),
		s.pattern(proxy,
			slices.Concat([]string{"", "https://h/"}, before("http://", host), before("socks5://", host)),
			slices.Concat(before("http://", badHost), []string{"h:3128", "ftp://h", "socks4://h", "http://h/path"}),
		),
	)
}

// inClusterExclusions are the parts that make no sense for the manager's own cluster.
func inClusterExclusions() []Case {
	s, in := registration(), inClusterRegistration()
	var cases []Case
	for _, name := range []string{"endpoint", "serviceAccount", "access", "token", "probe"} {
		message := "`" + name + "` must not be set with `inCluster`"
		r := s.cel("spec", message)
		cases = append(cases,
			s.accept(r, "with bootstrap", set("spec."+name, Object{})),
			in.accept(r, "absent"),
			in.reject(r, "empty", forbidden("spec."+name, message), set("spec."+name, Object{})),
		)
	}
	return cases
}
