// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestTokenDoesNotShowItself(t *testing.T) {
	const canary = "zQ7t0k9W9xV4Jq"
	token := Token{Value: canary, SecretName: firstToken, Account: testAccount}
	g := NewWithT(t)
	for _, v := range []any{token, &token, []Token{token}, map[string]Token{"k": token}, struct{ Token Token }{token}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			g.Expect(fmt.Sprintf(verb, v)).NotTo(Or(ContainSubstring(canary),
				ContainSubstring(fmt.Sprintf("%x", canary)), ContainSubstring(fmt.Sprintf("%X", canary))), "%s of %T", verb, v)
		}
		text, err := json.Marshal(v)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(text)).NotTo(ContainSubstring(canary), "JSON of %T", v)
	}
	g.Expect(token.GoString()).To(Equal("token (redacted)"))
}

func TestTokenNames(t *testing.T) {
	g := NewWithT(t)
	plane := newPlane(t, newFakePlane(), wantedOf(nil))
	for name, want := range map[string]bool{
		"ccluster-manager-token": true, "ccluster-manager-token-x": true, "ccluster-manager-token-": true,
		"ccluster-manager-tokens": false, "ccluster-manager": false, "": false, "other-token": false,
	} {
		g.Expect(plane.isTokenName(name)).To(Equal(want), name)
	}
}

func TestPruneTokensDeletesOnlyItsOwn(t *testing.T) {
	const second, third = firstToken + "-b", firstToken + "-c"
	all := func() []client.Object {
		elsewhere := own(firstToken, "x")
		elsewhere.Namespace = "other"
		return []client.Object{
			own(firstToken, "a"), own(second, "b"), marked(ourMarker, anchorSecret(third)), elsewhere,
			marked(ourMarker, anchorSecret("not-a-token")), marked(neighbourMarker, anchorSecret(firstToken+"-n")),
			marked(foreignMarker, anchorSecret(firstToken+"-f")), anchorSecret(firstToken + "-u"),
		}
	}
	others := []string{"not-a-token", firstToken + "-n", firstToken + "-f", firstToken + "-u", firstToken}
	for keep, deleted := range map[string][]string{
		"":         {firstToken, second, third},
		second:     {firstToken, third},
		firstToken: {second, third},
		"unknown":  {firstToken, second, third},
	} {
		t.Run("keep "+keep, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane(all()...)
			g.Expect(newPlane(t, server, wantedOf(nil)).PruneTokens(t.Context(), keep)).To(Succeed())
			var writes []string
			for _, name := range deleted {
				writes = append(writes, "delete Secret kube-system/"+name)
			}
			g.Expect(server.writes()).To(Equal(writes))
			left := others
			for _, name := range []string{firstToken, second, third} {
				if name == keep {
					left = append([]string{name}, left...)
				}
			}
			g.Expect(server.secrets(t)).To(ConsistOf(left))
		})
	}
}

func TestPruneTokensMeetsChanges(t *testing.T) {
	notFound := apierrors.NewNotFound(corev1.Resource("secrets"), firstToken)
	for name, test := range map[string]struct {
		answer error
		want   string
	}{
		"gone meanwhile": {notFound, ""},
		"forbidden":      {forbidden("secrets"), "delete token Secret " + firstToken + ": "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane(own(firstToken, "a"))
			server.answer = func(call string) error {
				if call == "delete Secret kube-system/"+firstToken {
					return test.answer
				}
				return nil
			}
			err := newPlane(t, server, wantedOf(nil)).PruneTokens(t.Context(), "")
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(errors.Is(err, test.answer)).To(BeTrue())
		})
	}
}

func TestPruneTokensSparesAReplacement(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(own(firstToken, "a"))
	server.after = func(call string) {
		if call != "list Secret kube-system" {
			return
		}
		g.Expect(server.server.Delete(t.Context(), anchorSecret(firstToken))).To(Succeed())
		other := anchorSecret(firstToken)
		other.UID = "uid-other"
		g.Expect(server.server.Create(t.Context(), other)).To(Succeed())
	}
	err := newPlane(t, server, wantedOf(nil)).PruneTokens(t.Context(), "")
	g.Expect(apierrors.IsConflict(err)).To(BeTrue())
	g.Expect(server.secrets(t)).To(ConsistOf(firstToken))
}

func TestKeepToken(t *testing.T) {
	const second, third = firstToken + "-b", firstToken + "-c"
	anchor := func(name string) *corev1.Secret { return marked(ourMarker, anchorSecret(name)) }
	for name, test := range map[string]struct {
		bound   bool
		secrets []*corev1.Secret
		gone    bool
		left    []string
	}{
		"there":                 {secrets: []*corev1.Secret{own(second, "b")}, left: []string{second}},
		"there, unlabelled":     {secrets: []*corev1.Secret{changed(own(second, "b"), func(s *corev1.Secret) { s.Labels = nil })}, left: []string{second}},
		"there, bound":          {bound: true, secrets: []*corev1.Secret{anchor(second)}, left: []string{second}},
		"there, with leftovers": {secrets: []*corev1.Secret{own(firstToken, "a"), own(second, "b"), anchor(third)}, left: []string{second}},
		"gone":                  {gone: true},
		"gone, leftovers stay":  {secrets: []*corev1.Secret{own(firstToken, "a")}, gone: true, left: []string{firstToken}},
		"an anchor instead":     {secrets: []*corev1.Secret{anchor(second)}, gone: true, left: []string{second}},
		"a token instead":       {bound: true, secrets: []*corev1.Secret{own(second, "b")}, gone: true, left: []string{second}},
		"being deleted":         {secrets: []*corev1.Secret{changed(own(second, "b"), terminating)}, gone: true, left: []string{second}},
		"foreign":               {secrets: []*corev1.Secret{marked(foreignMarker, tokenSecret(second, "x", testAccount))}, gone: true, left: []string{second}},
		"unmarked":              {secrets: []*corev1.Secret{tokenSecret(second, "x", testAccount)}, gone: true, left: []string{second}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var objects []client.Object
			for _, s := range test.secrets {
				objects = append(objects, identified(s))
			}
			server := newFakePlane(objects...)
			plane := newPlane(t, server, wantedOf(nil))
			err := plane.KeepToken(t.Context(), second, test.bound)
			g.Expect(server.secrets(t)).To(ConsistOf(test.left))
			if test.gone {
				g.Expect(plane.Wrote()).To(BeEmpty())
				g.Expect(err).To(MatchError(ErrTokenGone))
				g.Expect(plane.Objects()).To(BeEmpty())
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(plane.Objects()).To(Equal([]ccluster.RemoteObject{{
				APIVersion: "v1", Kind: "Secret", Namespace: "kube-system", Name: second, UID: "uid-of-" + second,
			}}))
			// Whatever somebody has edited is mended once.
			again := newPlane(t, server, wantedOf(nil))
			g.Expect(again.KeepToken(t.Context(), second, test.bound)).To(Succeed())
			g.Expect(again.Wrote()).To(BeEmpty())
		})
	}
}

// The label is what Secrets are found by, the annotations say whose they are.
func TestKeepTokenMendsTheMarker(t *testing.T) {
	for name, s := range map[string]*corev1.Secret{
		"a token":   own(firstToken, "a"),
		"an anchor": marked(ourMarker, anchorSecret(firstToken)),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s.Labels = nil
			server := newFakePlane(s, marked(ourMarker, account(DefaultAccountName)))
			plane := newPlane(t, server, wantedOf(nil))
			uid, err := plane.Account(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			bound := s.Type == corev1.SecretTypeOpaque
			g.Expect(plane.KeepToken(t.Context(), firstToken, bound)).To(Succeed())
			g.Expect(plane.Wrote()).To(ContainElement(HaveField("Kind", "Secret")))

			live := &corev1.Secret{}
			g.Expect(server.find(t, live, "kube-system", firstToken)).To(BeTrue())
			g.Expect(live.Labels).To(Equal(ourMarker.Labels()))
			g.Expect(live.UID).To(Equal(s.UID))
			g.Expect(live.Data).To(Equal(s.Data))
			if bound {
				g.Expect(live.OwnerReferences).To(ConsistOf(HaveField("UID", uid)))
			}
		})
	}
}

func TestKeepTokenReportsErrors(t *testing.T) {
	const kept = firstToken + "-b"
	for _, call := range []string{
		"list Secret kube-system", "get Secret kube-system/" + kept,
		"apply Secret kube-system/" + kept, "delete Secret kube-system/" + firstToken,
	} {
		t.Run(call, func(t *testing.T) {
			g := NewWithT(t)
			stored := own(kept, "b")
			if call == "get Secret kube-system/"+kept {
				stored.Labels = nil // Otherwise the list has it.
			}
			server := newFakePlane(own(firstToken, "a"), stored)
			server.answer = func(c string) error {
				if c == call {
					return forbidden("secrets")
				}
				return nil
			}
			err := newPlane(t, server, wantedOf(nil)).KeepToken(t.Context(), kept, false)
			g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
			g.Expect(errors.Is(err, ErrTokenGone)).To(BeFalse())
		})
	}
}

func TestARecordIsReplacedByALaterOne(t *testing.T) {
	g := NewWithT(t)
	plane := newPlane(t, newFakePlane(), wantedOf(nil))
	for _, uid := range []types.UID{"uid-1", "uid-2"} {
		s := anchorSecret(firstToken)
		s.UID = uid
		plane.record(piece{apiVersion: "v1", kind: "Secret", live: s}, true)
	}
	other := anchorSecret("other")
	plane.record(piece{apiVersion: "v1", kind: "Secret", live: other}, false)
	g.Expect(plane.Objects()).To(HaveExactElements(HaveField("UID", "uid-2"), HaveField("Name", "other")))
	g.Expect(plane.Wrote()).To(HaveExactElements(HaveField("UID", "uid-2")))
}
