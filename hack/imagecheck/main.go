// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Command imagecheck tells whether a binary can be the only program of an empty image: a static
// Linux executable, built without cgo and without paths of the machine that built it, and stamped
// with the version it was given.
//
//	imagecheck BINARY VERSION
package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: imagecheck BINARY VERSION")
		os.Exit(2)
	}
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "%s cannot be the program of the image:\n%v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// check returns every reason against the binary, joined.
func check(path, version string) error {
	data, err := os.ReadFile(path) //nolint:gosec // The caller names the file to check.
	if err != nil {
		return err
	}
	return errors.Join(checkStatic(data), checkBuild(data), checkStamp(data, version))
}

// checkStatic looks for what needs files that an empty image does not have: a program
// interpreter and shared libraries.
func checkStatic(data []byte) error {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("read ELF header: %w", err)
	}
	var errs []error
	if file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN {
		errs = append(errs, fmt.Errorf("not an executable: %s", file.Type))
	}
	for _, program := range file.Progs {
		if program.Type == elf.PT_INTERP {
			errs = append(errs, errors.New("not static: it names a program interpreter"))
		}
	}
	libraries, err := file.ImportedLibraries()
	if err != nil {
		errs = append(errs, fmt.Errorf("read shared libraries: %w", err))
	}
	for _, library := range libraries {
		errs = append(errs, fmt.Errorf("not static: it needs the shared library %s", library))
	}
	return errors.Join(errs...)
}

func checkBuild(data []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("read Go build information: %w", err)
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	var errs []error
	for _, want := range []struct{ key, value string }{
		{"CGO_ENABLED", "0"},
		{"-trimpath", "true"},
		{"GOOS", "linux"},
	} {
		if got := settings[want.key]; got != want.value {
			errs = append(errs, fmt.Errorf("built with %s=%q, must be %q", want.key, got, want.value))
		}
	}
	return errors.Join(errs...)
}

// checkStamp finds the version in the data. The linker drops a variable that nothing reads and
// ignores a name that it does not know, so its absence means that --version would not tell.
func checkStamp(data []byte, version string) error {
	if version == "" {
		return errors.New("no version to look for")
	}
	if !bytes.Contains(data, []byte(version)) {
		return fmt.Errorf("not stamped with version %q", version)
	}
	return nil
}
