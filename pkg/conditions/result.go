// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Result is what a condition is to be set to.
type Result struct {
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// MaxMessageBytes is the length, in bytes, at which messages are cut.
const MaxMessageBytes = 1024

const ellipsis = "…"

// clip cuts a message between runes and marks the cut. It also replaces invalid
// UTF-8, which JSON would replace on the way to the server: the condition read
// back would differ from the one built, and be written again forever.
func clip(message string) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= MaxMessageBytes {
		return message
	}
	end := MaxMessageBytes - len(ellipsis)
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + ellipsis
}
