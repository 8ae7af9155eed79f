// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestOnTransition(t *testing.T) {
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	change := func(condition string, from, to metav1.ConditionStatus, reason, message string) conditions.Transition {
		return conditions.Transition{
			Type: condition, From: from, To: to, Reason: reason, Message: message, StatusChanged: from != to, ReasonChanged: true,
		}
	}
	for name, test := range map[string]struct {
		transition conditions.Transition
		// want is type, reason and text; empty for no event.
		want string
	}{
		"it works":                        {change("Reachable", unknown, yes, "Connected", ""), "Normal Connected Reachable is True"},
		"it works, with a message":        {change("Authorized", no, yes, "GrantedByOwner", "the owner grants"), "Normal GrantedByOwner Authorized is True: the owner grants"},
		"it fails":                        {change("Reachable", yes, no, "ConnectionFailed", "no answer"), "Warning ConnectionFailed Reachable is False: no answer"},
		"it fails at once":                {change("BootstrapAccepted", unknown, no, "KubeconfigRejected", "exec"), "Warning KubeconfigRejected BootstrapAccepted is False: exec"},
		"it fails for another reason":     {change("Reachable", no, no, "TLSFailed", "expired"), "Warning TLSFailed Reachable is False: expired"},
		"it works for another reason":     {change("BootstrapAccepted", yes, yes, "NotRequired", "own token"), ""},
		"it is not known any more":        {change("PlaneAvailable", yes, unknown, "NotReported", "nobody"), ""},
		"it is not known":                 {change("TokenIssued", unknown, unknown, "TokenPending", "soon"), ""},
		"it waits: drain":                 {change("CredentialsApplied", yes, no, "Draining", "going"), "Normal Draining CredentialsApplied is False: going"},
		"it waits: earlier object":        {change("CredentialsApplied", unknown, no, "Pending", "going"), "Normal Pending CredentialsApplied is False: going"},
		"all is well":                     {change("Ready", no, yes, "Ready", ""), "Normal Ready Ready is True"},
		"all is not well":                 {change("Ready", yes, no, "ConnectionFailed", "Reachable: no answer"), "Warning ConnectionFailed Ready is False: Reachable: no answer"},
		"it is deleted":                   {change("Ready", yes, no, "Deleting", "going"), "Normal Deleting Ready is False: going"},
		"it is not well for other reason": {change("Ready", no, no, "TLSFailed", "Reachable: expired"), ""},
		"it is suspended":                 {change("Ready", yes, unknown, "Suspended", "by spec"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, worth := onTransition(test.transition)
			if test.want == "" {
				g.Expect(worth).To(BeFalse())
				return
			}
			g.Expect(worth).To(BeTrue())
			g.Expect(e.kind + " " + e.reason + " " + fmt.Sprintf(e.note, e.args...)).To(Equal(test.want))
			g.Expect(e.action).To(Equal("Reconcile"))
		})
	}
}

// A message is data: it must not be taken for a format.
func TestEventsTakeMessagesAsTheyAre(t *testing.T) {
	g := NewWithT(t)
	e, worth := onTransition(conditions.Transition{Type: "Reachable", To: metav1.ConditionFalse, Reason: "X", Message: "100%d %s", StatusChanged: true})
	g.Expect(worth).To(BeTrue())
	g.Expect(fmt.Sprintf(e.note, e.args...)).To(Equal("Reachable is False: 100%d %s"))
}

func TestExpected(t *testing.T) {
	g := NewWithT(t)
	calm := map[string]bool{
		v1alpha1.ReasonPending: true, v1alpha1.ReasonTokenPending: true, v1alpha1.ReasonSuspended: true,
		v1alpha1.ReasonDeleting: true, v1alpha1.ReasonDraining: true, v1alpha1.ReasonNotReported: true,
		v1alpha1.ReasonRevocationUnproven: true,
	}
	for _, reason := range reasonsDeclared(t) {
		g.Expect(expected(reason)).To(Equal(calm[reason]), reason)
	}
}

func TestNotices(t *testing.T) {
	for name, test := range map[string]struct {
		notice notice
		want   string
	}{
		"stored":      {tokenStored(v1alpha1.TokenBound), "Normal TokenStored IssueToken A new Bound token was accepted by the infra plane and stored"},
		"released":    {released("left %s", "it"), "Normal Released Delete left it"},
		"left behind": {leftBehind("Role a/b"), "Warning RevocationIncomplete Delete The infra plane could not be cleaned up in time; left there: Role a/b"},
		"bootstrap":   {bootstrapRemoved("kc"), "Normal BootstrapRemoved Delete Secret kc was deleted, as `spec.bootstrap.afterRegistration` asks: the registration's own token is proven"},
	} {
		t.Run(name, func(t *testing.T) {
			n := test.notice
			NewWithT(t).Expect(n.kind + " " + n.reason + " " + n.action + " " + fmt.Sprintf(n.note, n.args...)).To(Equal(test.want))
			NewWithT(t).Expect(n.reason).To(MatchRegexp(regexp.MustCompile(`^[A-Z][A-Za-z]+$`).String()))
		})
	}
}

func TestTruncate(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short":              {"abc", 4, "abc"},
		"exact":              {"abcd", 4, "abcd"},
		"long":               {"abcde", 4, "abcd …"},
		"empty":              {"", 0, ""},
		"nothing left":       {"abc", 0, " …"},
		"inside a character": {"abä", 3, "ab …"},
		"after a character":  {"aäb", 3, "aä …"},
		"inside a wide one":  {"a😀b", 4, "a …"},
		"not text":           {"a\xff\xfeb", 3, "a …"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := truncate(test.text, test.limit)
			g.Expect(got).To(Equal(test.want))
			g.Expect(utf8.ValidString(got)).To(BeTrue())
		})
	}
	NewWithT(t).Expect(truncate(strings.Repeat("ä", 1000), 900)).To(Equal(strings.Repeat("ä", 450) + " …"))
}
