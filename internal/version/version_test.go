// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"testing"
)

func TestResolve(t *testing.T) {
	module := func(version, revision string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		if revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}}
		}
		return info
	}
	for name, tc := range map[string]struct {
		version, commit string
		info            *debug.BuildInfo
		wantVersion     string
		wantCommit      string
	}{
		"stamped wins over the module":   {"v1.2.3", "abc", module("v9.9.9", "fff"), "v1.2.3", "abc"},
		"installed by version":           {"", "", module("v0.4.0", ""), "v0.4.0", ""},
		"built from a working copy":      {"", "", module("(devel)", "0123abc"), Unknown, "0123abc"},
		"only the version is stamped":    {"v1.2.3", "", module("(devel)", "0123abc"), "v1.2.3", "0123abc"},
		"only the commit is stamped":     {"", "abc", module("v0.4.0", "fff"), "v0.4.0", "abc"},
		"module without a version":       {"", "", module("", ""), Unknown, ""},
		"binary without module support":  {"", "", nil, Unknown, ""},
		"stamped without module support": {"v1.2.3", "abc", nil, "v1.2.3", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			version, commit := resolve(tc.version, tc.commit, tc.info)
			if version != tc.wantVersion || commit != tc.wantCommit {
				t.Errorf("got %q, %q; want %q, %q", version, commit, tc.wantVersion, tc.wantCommit)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	if got, want := format("v1.2.3", "abc", "go1.26.0"), "v1.2.3 (abc, go1.26.0)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := format("dev", "", "go1.26.0"), "dev (go1.26.0)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
