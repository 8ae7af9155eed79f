// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var issued = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// own is a token Secret of ours.
func own(name, token string) *corev1.Secret {
	s := marked(ourMarker, tokenSecret(name, token, testAccount))
	s.CreationTimestamp = metav1.NewTime(issued)
	return s
}

func changed(s *corev1.Secret, change func(*corev1.Secret)) *corev1.Secret {
	change(s)
	return s
}

func terminating(s *corev1.Secret) {
	now := metav1.NewTime(issued)
	s.DeletionTimestamp, s.Finalizers = &now, []string{"example.com/keep"}
}

func TestLongLivedDecides(t *testing.T) {
	const (
		second  = firstToken + "-abcdefghij"
		third   = firstToken + "-klmnopqrst"
		pending = "(pending)"
		fresh   = "(fresh)"
	)
	foreignFirst := &ForeignError{Kind: "Secret", Namespace: "kube-system", Name: firstToken}
	for name, test := range map[string]struct {
		last    string
		adopt   bool
		secrets []*corev1.Secret
		// token is the value that is returned, pending if there is none yet.
		token string
		// name is of the Secret it is in, fresh if that is a new one.
		name string
		err  error
	}{
		"first":                        {token: pending, name: firstToken},
		"first, made by an earlier":    {secrets: []*corev1.Secret{own(firstToken, "")}, token: pending, name: firstToken},
		"first, filled":                {secrets: []*corev1.Secret{own(firstToken, "a")}, token: "a", name: firstToken},
		"first, foreign":               {secrets: []*corev1.Secret{marked(foreignMarker, tokenSecret(firstToken, "x", testAccount))}, err: foreignFirst},
		"first, neighbour's":           {secrets: []*corev1.Secret{marked(neighbourMarker, tokenSecret(firstToken, "x", testAccount))}, err: foreignFirst},
		"first, unmarked":              {secrets: []*corev1.Secret{tokenSecret(firstToken, "x", testAccount)}, err: foreignFirst},
		"first, adopted":               {adopt: true, secrets: []*corev1.Secret{tokenSecret(firstToken, "a", testAccount)}, token: "a", name: firstToken},
		"first, adopted, not filled":   {adopt: true, secrets: []*corev1.Secret{tokenSecret(firstToken, "", testAccount)}, token: pending, name: firstToken},
		"first, adopting no other":     {adopt: true, secrets: []*corev1.Secret{anchorSecret(firstToken)}, err: foreignFirst},
		"first, another account's":     {adopt: true, secrets: []*corev1.Secret{changed(tokenSecret(firstToken, "x", testAccount), ofOther)}, err: foreignFirst},
		"first, of a former account":   {secrets: []*corev1.Secret{marked(ourMarker, tokenSecret(firstToken, "x", "uid-former"))}, token: pending, name: firstToken},
		"first, of a mistaken type":    {secrets: []*corev1.Secret{marked(ourMarker, anchorSecret(firstToken))}, token: pending, name: firstToken},
		"first, being deleted":         {secrets: []*corev1.Secret{changed(own(firstToken, "x"), terminating)}, err: &TerminatingError{Kind: "Secret", Namespace: "kube-system", Name: firstToken}},
		"stored":                       {last: second, secrets: []*corev1.Secret{own(second, "b"), own(firstToken, "a")}, token: "b", name: second},
		"stored, first name":           {last: firstToken, secrets: []*corev1.Secret{own(firstToken, "a")}, token: "a", name: firstToken},
		"emptied":                      {last: second, secrets: []*corev1.Secret{changed(own(second, "b"), func(s *corev1.Secret) { s.Data = nil })}, token: pending, name: second},
		"lost":                         {last: second, token: pending, name: fresh},
		"lost, the first one":          {last: firstToken, token: pending, name: fresh},
		"being deleted":                {last: second, secrets: []*corev1.Secret{changed(own(second, "b"), terminating)}, token: pending, name: fresh},
		"no longer ours":               {last: second, secrets: []*corev1.Secret{marked(foreignMarker, tokenSecret(second, "x", testAccount))}, token: pending, name: fresh},
		"unmarked, though adopting":    {last: second, adopt: true, secrets: []*corev1.Secret{tokenSecret(second, "x", testAccount)}, token: pending, name: fresh},
		"another account's":            {last: second, secrets: []*corev1.Secret{changed(own(second, "x"), ofOther)}, token: pending, name: fresh},
		"of a former account":          {last: second, secrets: []*corev1.Secret{marked(ourMarker, tokenSecret(second, "x", "uid-former"))}, token: pending, name: fresh},
		"after a bound token":          {last: second, secrets: []*corev1.Secret{marked(ourMarker, anchorSecret(second))}, token: pending, name: fresh},
		"an earlier attempt's":         {last: second, secrets: []*corev1.Secret{own(third, "c")}, token: "c", name: third},
		"an earlier attempt's, empty":  {last: second, secrets: []*corev1.Secret{own(third, "")}, token: pending, name: third},
		"an earlier attempt's, lost":   {last: second, secrets: []*corev1.Secret{changed(own(third, "c"), terminating)}, token: pending, name: fresh},
		"an earlier attempt's, bound":  {last: second, secrets: []*corev1.Secret{marked(ourMarker, anchorSecret(third))}, token: pending, name: fresh},
		"somebody's, in between":       {last: second, secrets: []*corev1.Secret{marked(neighbourMarker, tokenSecret(third, "x", testAccount))}, token: pending, name: fresh},
		"another Secret of ours":       {last: second, secrets: []*corev1.Secret{own("ccluster-manager-other", "x")}, token: pending, name: fresh},
		"the first, when it was lost":  {last: second, secrets: []*corev1.Secret{own(firstToken, "a")}, token: "a", name: firstToken},
		"two, in the order of names":   {last: firstToken, secrets: []*corev1.Secret{own(third, "c"), own(second, "b")}, token: "b", name: second},
		"in another namespace":         {last: second, secrets: []*corev1.Secret{changed(own(third, "x"), func(s *corev1.Secret) { s.Namespace = "other" })}, token: pending, name: fresh},
		"of an account that starts so": {last: second, secrets: []*corev1.Secret{own(firstToken+"s", "x")}, token: pending, name: fresh},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects := make([]client.Object, 0, len(test.secrets))
			before := map[string]*corev1.Secret{}
			for _, s := range test.secrets {
				s = identified(s.DeepCopy())
				before[s.Namespace+"/"+s.Name] = s
				objects = append(objects, s)
			}
			wanted := wantedOf(nil)
			wanted.Adopt = test.adopt
			server := newFakePlane(objects...)
			plane := newPlane(t, server, wanted)

			token, err := plane.LongLived(t.Context(), testAccount, test.last)
			switch {
			case test.err != nil:
				g.Expect(err).To(Equal(test.err))
				g.Expect(token).To(BeZero())
				g.Expect(server.writes()).To(BeEmpty())
				return
			case test.token == pending:
				g.Expect(err).To(MatchError(ErrTokenPending))
				g.Expect(token).To(BeZero())
			default:
				g.Expect(err).NotTo(HaveOccurred())
				want := before["kube-system/"+test.name]
				g.Expect(token.Value).To(Equal(test.token))
				g.Expect(token.SecretName).To(Equal(test.name))
				g.Expect(token.Account).To(Equal(testAccount))
				g.Expect(token.IssuedAt.Equal(want.CreationTimestamp.Time)).To(BeTrue())
				g.Expect(token.ExpiresAt).To(BeZero())
			}

			g.Expect(plane.Objects()).To(HaveLen(1))
			used := plane.Objects()[0]
			if test.name == fresh {
				g.Expect(used.Name).To(MatchRegexp(`^ccluster-manager-token-[a-z0-9]{10}$`))
				g.Expect(before).NotTo(HaveKey("kube-system/" + used.Name))
				g.Expect(plane.Wrote()).To(Equal(plane.Objects()))
			} else {
				g.Expect(used.Name).To(Equal(test.name))
			}
			live := &corev1.Secret{}
			g.Expect(server.find(t, live, "kube-system", used.Name)).To(BeTrue())
			g.Expect(live.Type).To(Equal(corev1.SecretTypeServiceAccountToken))
			g.Expect(live.Annotations).To(HaveKeyWithValue(corev1.ServiceAccountNameKey, DefaultAccountName))
			g.Expect(ourMarker.Owns(live)).To(BeTrue())

			// The others are left for PruneTokens, once the new token is stored.
			for key, s := range before {
				if key == "kube-system/"+used.Name {
					continue
				}
				live := &corev1.Secret{}
				g.Expect(server.find(t, live, s.Namespace, s.Name)).To(BeTrue(), key)
				g.Expect(live.ResourceVersion).To(Equal("999"), key)
			}
		})
	}
}

func ofOther(s *corev1.Secret) { s.Annotations[corev1.ServiceAccountNameKey] = "other" }

// A token without expiry carries the name of its Secret: another of that name revives it.
func TestFreshNamesAreNeverUsedTwice(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]bool{}
	plane := newPlane(t, newFakePlane(), wantedOf(nil))
	for range 100 {
		name := plane.freshTokenName()
		g.Expect(seen).NotTo(HaveKey(name))
		g.Expect(plane.isTokenName(name)).To(BeTrue())
		g.Expect(name).NotTo(Equal(firstToken))
		seen[name] = true
	}
}

// Waiting for the token controller costs one read each time.
func TestPollingATokenWritesNothing(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	plane := newPlane(t, server, wantedOf(nil))
	_, err := plane.LongLived(t.Context(), testAccount, "")
	g.Expect(err).To(MatchError(ErrTokenPending))
	server.forget()

	_, err = plane.LongLived(t.Context(), testAccount, "")
	g.Expect(err).To(MatchError(ErrTokenPending))
	g.Expect(server.calls).To(Equal([]string{"get Secret kube-system/" + firstToken}))
	server.forget()

	fill(t, server, firstToken, "filled")
	token, err := plane.LongLived(t.Context(), testAccount, "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(token.Value).To(Equal("filled"))
	g.Expect(server.calls).To(Equal([]string{"get Secret kube-system/" + firstToken}))
}

// fill does the token controller's work.
func fill(t *testing.T, server *fakePlane, name, token string) {
	t.Helper()
	g := NewWithT(t)
	s := &corev1.Secret{}
	g.Expect(server.find(t, s, "kube-system", name)).To(BeTrue())
	s.Annotations[corev1.ServiceAccountUIDKey] = string(testAccount)
	s.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token), "ca.crt": []byte("x")}
	g.Expect(server.server.Update(t.Context(), s, client.FieldOwner("kube-controller-manager"))).To(Succeed())
}

// The name of the account on a Secret of ours is drift like any other: it is set right,
// but what the Secret holds is another account's token until the controller has seen it.
func TestATokenOfAnotherAccountIsNeverReturned(t *testing.T) {
	g := NewWithT(t)
	planted := marked(ourMarker, tokenSecret(firstToken, "stolen", "uid-other"))
	ofOther(planted)
	server := newFakePlane(planted)
	token, err := newPlane(t, server, wantedOf(nil)).LongLived(t.Context(), testAccount, "")
	g.Expect(err).To(MatchError(ErrTokenPending))
	g.Expect(token).To(BeZero())
	live := &corev1.Secret{}
	g.Expect(server.find(t, live, "kube-system", firstToken)).To(BeTrue())
	g.Expect(live.Annotations).To(HaveKeyWithValue(corev1.ServiceAccountNameKey, DefaultAccountName))
}

func TestLongLivedReportsWhatItCouldNotRead(t *testing.T) {
	for call, want := range map[string]string{
		"get Secret kube-system/" + firstToken: "read token Secret " + firstToken + ": ",
		"list Secret kube-system":              "list token Secrets: ",
	} {
		t.Run(call, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			server.answer = func(c string) error {
				if c == call {
					return apierrors.NewInternalError(errors.New("down"))
				}
				return nil
			}
			_, err := newPlane(t, server, wantedOf(nil)).LongLived(t.Context(), testAccount, firstToken)
			g.Expect(err).To(MatchError(HavePrefix(want)))
			g.Expect(apierrors.IsInternalError(err)).To(BeTrue())
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}
