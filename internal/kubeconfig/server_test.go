// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"net/url"
	"strings"
	"testing"
)

// badServers are written into YAML, so that \n is a line break.
var badServers = map[string]string{
	"http":                  "http://" + canaryHost,
	"no scheme":             canaryHost + ":6443",
	"bare host":             canaryHost,
	"scheme only":           "https://",
	"one slash":             "https:/" + canaryHost,
	"no slashes":            "https:" + canaryHost,
	"no scheme but slashes": "//" + canaryHost,
	"another scheme":        "ftp://" + canaryHost,
	"file":                  "file:///etc/passwd",
	"leading blank":         " https://" + canaryHost,
	"trailing blank":        "https://" + canaryHost + " ",
	"inner blank":           "https:// " + canaryHost,
	"trailing newline":      "https://" + canaryHost + `\n`,
	"inner newline":         "https://" + canaryHost + `\n.example`,
	"tab":                   "https://" + canaryHost + `\t`,
	"no-break space":        "https://" + canaryHost + `\u00a0`,
	"zero-width space":      "https://" + canaryHost + `\u200b`,
	"right-to-left":         "https://" + canaryHost + `\u202e`,
	"BOM":                   `\ufeffhttps://` + canaryHost,
	"NUL":                   "https://" + canaryHost + `\0`,
	"IPv6 without brackets": "https://2001:db8::1",
	"IPv6 and port bare":    "https://2001:db8::1:6443",
	"half bracket":          "https://[2001:db8::1",
	"other half":            "https://2001:db8::1]",
	"text after bracket":    "https://[2001:db8::1]x",
	"IPv4 in brackets":      "https://[10.0.0.1]",
	"name in brackets":      "https://[edge]",
	"zone":                  "https://[fe80::1%25eth0]",
	"raw zone":              "https://[fe80::1%eth0]",
	"empty port":            "https://" + canaryHost + ":",
	"port zero":             "https://" + canaryHost + ":0",
	"port too large":        "https://" + canaryHost + ":65536",
	"huge port":             "https://" + canaryHost + ":18446744073709551617",
	"signed port":           "https://" + canaryHost + ":+443",
	"named port":            "https://" + canaryHost + ":https",
	"two ports":             "https://" + canaryHost + ":1:2",
	"port only":             "https://:6443",
	"query":                 "https://" + canaryHost + "?token=" + canaryWord,
	"empty query":           "https://" + canaryHost + "/?",
	"fragment":              "https://" + canaryHost + "#" + canaryWord,
	"empty fragment":        "https://" + canaryHost + "/#",
	"backslash":             `https://` + canaryHost + `\\x`,
	"escaped host":          "https://%6b." + canaryHost,
	"escaped path":          "https://" + canaryHost + "/a%2f..%2fb",
	"escaped dots":          "https://" + canaryHost + "/%2e%2e/b",
	"blank path":            "https://" + canaryHost + "/a b",
	"umlaut path":           "https://" + canaryHost + "/ü",
	"quote in path":         "https://" + canaryHost + "/'",
	"empty label":           "https://a.." + canaryHost,
	"leading dot":           "https://." + canaryHost,
	"two trailing dots":     "https://" + canaryHost + "..",
	"dot":                   "https://.",
	"leading hyphen":        "https://-" + canaryHost,
	"trailing hyphen":       "https://" + canaryHost + "-",
	"wildcard":              "https://*." + canaryHost,
	"comma":                 "https://a," + canaryHost,
	"semicolon":             "https://a;" + canaryHost,
	"long label":            "https://" + strings.Repeat("a", 64) + ".example",
	"long name":             "https://" + strings.Repeat("a.", 127) + "example",
	"long URL":              "https://" + canaryHost + "/" + strings.Repeat("a", 2048),
	"decimal address":       "https://2130706433",
	"short address":         "https://127.1",
	"octal address":         "https://0177.0.0.1",
	"hexadecimal address":   "https://0x7f000001",
	"hexadecimal part":      "https://127.0.0.0x1",
	"five parts":            "https://1.2.3.4.5",
	"address out of range":  "https://256.1.1.1",
	"leading zeros":         "https://010.0.0.1",
	"bad punycode":          "https://xn--zzzzzz--.example",
	"ASCII punycode":        "https://xn--edge-.example",
	"IDNA dash":             "https://ü-.example",
	"list":                  "https://a.example,https://b.example",
}

func TestCanonicalServer(t *testing.T) {
	for raw, want := range map[string]string{
		"https://edge.example":                    "https://edge.example",
		"HTTPS://EDGE.Example":                    "https://edge.example",
		"https://edge.example/":                   "https://edge.example",
		"https://edge.example:443":                "https://edge.example",
		"https://edge.example:0443/":              "https://edge.example",
		"https://edge.example.":                   "https://edge.example",
		"https://edge.example.:443/":              "https://edge.example",
		"https://edge.example:6443":               "https://edge.example:6443",
		"https://edge.example:06443//":            "https://edge.example:6443",
		"https://edge.example:65535":              "https://edge.example:65535",
		"https://edge":                            "https://edge",
		"https://edge_1-control-plane:6443":       "https://edge_1-control-plane:6443",
		"https://127.0.0.1:6443":                  "https://127.0.0.1:6443",
		"https://127.0.0.1.":                      "https://127.0.0.1",
		"https://１２７.0.0.1":                       "https://127.0.0.1",
		"https://[::1]:6443":                      "https://[::1]:6443",
		"https://[2001:DB8:0000:0:0:0:0:1]":       "https://[2001:db8::1]",
		"https://[2001:db8::0001]:443/":           "https://[2001:db8::1]",
		"https://[::ffff:10.0.0.1]":               "https://10.0.0.1",
		"https://[::FFFF:0a00:0001]:6443":         "https://10.0.0.1:6443",
		"https://[::10.0.0.1]":                    "https://[::a00:1]",
		"https://bücher.example":                  "https://xn--bcher-kva.example",
		"https://BÜCHER.example":                  "https://xn--bcher-kva.example",
		"https://XN--bcher-KVA.example":           "https://xn--bcher-kva.example",
		"https://edge。example":                    "https://edge.example",
		"https://r3---sn-4g5e.example":            "https://r3---sn-4g5e.example",
		"https://0x7g.example":                    "https://0x7g.example",
		"https://1.example":                       "https://1.example",
		"https://edge.example/k8s/clusters/c-1":   "https://edge.example/k8s/clusters/c-1",
		"https://edge.example/k8s/clusters/c-1//": "https://edge.example/k8s/clusters/c-1",
		"https://edge.example/a/./b/../c//d":      "https://edge.example/a/c/d",
		"https://edge.example/../..":              "https://edge.example",
		"https://edge.example/Clusters/root:org":  "https://edge.example/Clusters/root:org",
		"https://edge.example/a@b":                "https://edge.example/a@b",
	} {
		got, err := CanonicalServer(raw)
		if err != nil || got != want {
			t.Errorf("CanonicalServer(%q) = %q, %v; want %q", raw, got, err, want)
			continue
		}
		if again, err := CanonicalServer(got); err != nil || again != got {
			t.Errorf("CanonicalServer(%q) = %q, %v; want it unchanged", got, again, err)
		}
		// What is dialled goes through net/url: it must find the same parts.
		if parsed, err := url.Parse(got); err != nil || parsed.String() != got || parsed.Scheme != "https" || parsed.User != nil || parsed.RawPath != "" {
			t.Errorf("url.Parse(%q) = %v, %v", got, parsed, err)
		}
	}
}

func TestCanonicalServerRejects(t *testing.T) {
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00", `\u00a0`, "\u00a0", `\u200b`, "\u200b", `\u202e`, "\u202e", `\ufeff`, "\ufeff", `\\`, `\`)
	for name, raw := range badServers {
		got, err := CanonicalServer(unescape.Replace(raw))
		if err == nil {
			t.Errorf("%s: got %q, want a rejection", name, got)
			continue
		}
		rejection := asRejection(t, err)
		if rejection.Reason != ServerInvalid || rejection.Field != "server" {
			t.Errorf("%s: got %s at %q", name, rejection.Reason, rejection.Field)
		}
		if found := leak(rejection.Message, secrets()...); found != "" {
			t.Errorf("%s: message %q quotes %q", name, rejection.Message, found)
		}
	}
	for _, raw := range []string{"https://" + canaryUser + ":" + canaryPhrase + "@" + canaryHost, "https://@" + canaryHost, `https://a@b\c`} {
		_, err := CanonicalServer(raw)
		if rejection := asRejection(t, err); rejection.Reason != UserinfoNotAllowed || leak(rejection.Message, secrets()...) != "" {
			t.Errorf("CanonicalServer(%q): %s: %s", raw, rejection.Reason, rejection.Message)
		}
	}
}

func TestCanonicalFieldNames(t *testing.T) {
	_, err := CanonicalServerName("a b")
	if rejection := asRejection(t, err); rejection.Reason != TLSServerNameInvalid || rejection.Field != "tlsServerName" {
		t.Errorf("CanonicalServerName: %s at %q", rejection.Reason, rejection.Field)
	}
	_, err = CanonicalProxy("gopher://a")
	if rejection := asRejection(t, err); rejection.Reason != ProxyInvalid || rejection.Field != "proxyURL" {
		t.Errorf("CanonicalProxy: %s at %q", rejection.Reason, rejection.Field)
	}
}
