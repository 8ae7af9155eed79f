// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package version tells which build of the project is running. It reads nothing but the
// running binary.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Unknown is the version of a build that nobody stamped.
const Unknown = "dev"

// The build sets these two with -ldflags -X; what it leaves empty is read from the module
// information that the Go tool puts into each binary.
var (
	// Version of the build: a tag such as v0.1.0, a description such as v0.1.0-3-g1a2b3c4,
	// or Unknown.
	Version string
	// Commit the build was made from, in hexadecimal, or empty.
	Commit string
)

func init() {
	info, _ := debug.ReadBuildInfo()
	Version, Commit = resolve(Version, Commit, info)
}

// String is version, commit and Go version in one line, for --version and the first log line.
func String() string {
	return format(Version, Commit, runtime.Version())
}

// resolve fills in what the linker left empty. info is nil in a binary without module support.
func resolve(version, commit string, info *debug.BuildInfo) (string, string) {
	if info != nil {
		// "(devel)" is what the Go tool writes for a build from a working copy.
		if version == "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		if commit == "" {
			commit = setting(info, "vcs.revision")
		}
	}
	if version == "" {
		version = Unknown
	}
	return version, commit
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func format(version, commit, goVersion string) string {
	if commit == "" {
		return fmt.Sprintf("%s (%s)", version, goVersion)
	}
	return fmt.Sprintf("%s (%s, %s)", version, commit, goVersion)
}
