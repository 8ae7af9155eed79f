// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"fmt"
	"io"
)

// What holds a token hides itself as a whole: formatting looks into fields that are not
// exported without asking the types in there.

// Format keeps the token out of formatted output, whatever the verb.
func (stored) Format(state fmt.State, _ rune) { redact(state, "stored credentials") }

// Format keeps the tokens out of formatted output, whatever the verb.
func (scope) Format(state fmt.State, _ rune) { redact(state, "scope") }

// Format keeps the token out of formatted output, whatever the verb.
func (record) Format(state fmt.State, _ rune) { redact(state, "record") }

// Format keeps the connection's token out of formatted output, whatever the verb.
func (session) Format(state fmt.State, _ rune) { redact(state, "session") }

func redact(state fmt.State, what string) { _, _ = io.WriteString(state, what+" (redacted)") }
