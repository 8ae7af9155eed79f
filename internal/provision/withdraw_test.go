// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// planeAt is a plane whose clock stands still at issued.
func planeAt(t *testing.T, server *fakePlane) *Plane {
	t.Helper()
	return newPlane(t, server, wantedOf(nil)).WithClock(func() time.Time { return issued })
}

// withdrawn is a token Secret that is to go at a time.
func withdrawn(name, at string) *corev1.Secret {
	s := own(name, "x")
	s.Annotations[ccluster.WithdrawAtAnnotation] = at
	return s
}

const (
	past   = "2030-01-02T03:04:05Z"
	soon   = "2030-01-02T03:14:05Z"
	future = "2030-01-02T04:04:05Z"
)

func TestWithdrawToken(t *testing.T) {
	at := issued.Add(time.Hour)
	for name, test := range map[string]struct {
		secret *corev1.Secret
		// want is the annotation afterwards.
		want  string
		wrote bool
	}{
		"the last one":           {own(firstToken, "a"), future, true},
		"an anchor":              {marked(ourMarker, anchorSecret(firstToken)), future, true},
		"again":                  {withdrawn(firstToken, soon), soon, false},
		"again, when it is time": {withdrawn(firstToken, past), future, true},
		"not a time":             {withdrawn(firstToken, "soon"), future, true},
		"gone":                   {nil, "", false},
		"foreign":                {marked(foreignMarker, tokenSecret(firstToken, "x", testAccount)), "", false},
		"unmarked":               {identified(tokenSecret(firstToken, "x", testAccount)), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			if test.secret != nil {
				server = newFakePlane(test.secret)
			}
			g.Expect(planeAt(t, server).WithdrawToken(t.Context(), firstToken, at.In(time.FixedZone("east", 3600)))).To(Succeed())
			g.Expect(server.writes()).To(HaveLen(map[bool]int{true: 1, false: 0}[test.wrote]))
			live := &corev1.Secret{}
			server.find(t, live, "kube-system", firstToken)
			g.Expect(live.Annotations[ccluster.WithdrawAtAnnotation]).To(Equal(test.want))
		})
	}
}

// What the Secret is and when it goes are two intents: neither drops the other's fields.
func TestAWithdrawnSecretStaysWhatItIs(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	plane := planeAt(t, server)
	_, err := plane.LongLived(t.Context(), testAccount, "")
	g.Expect(err).To(MatchError(ErrTokenPending))
	before := &corev1.Secret{}
	g.Expect(server.find(t, before, "kube-system", firstToken)).To(BeTrue())
	g.Expect(plane.WithdrawToken(t.Context(), firstToken, issued.Add(time.Hour))).To(Succeed())
	g.Expect(plane.KeepToken(t.Context(), firstToken, false)).To(Succeed())

	after := &corev1.Secret{}
	g.Expect(server.find(t, after, "kube-system", firstToken)).To(BeTrue())
	g.Expect(after.Annotations).To(HaveKeyWithValue(ccluster.WithdrawAtAnnotation, future))
	delete(after.Annotations, ccluster.WithdrawAtAnnotation)
	g.Expect(after.Annotations).To(Equal(before.Annotations))
	g.Expect(after.Labels).To(Equal(before.Labels))
	managers := map[string]bool{}
	for _, sent := range server.applied {
		managers[sent.manager] = true
	}
	g.Expect(managers).To(HaveLen(2))
}

func TestWithdrawTokenReportsErrors(t *testing.T) {
	for _, call := range []string{"get Secret kube-system/" + firstToken, "apply Secret kube-system/" + firstToken} {
		t.Run(call, func(t *testing.T) {
			server := newFakePlane(own(firstToken, "a"))
			server.answer = func(c string) error {
				if c == call {
					return forbidden("secrets")
				}
				return nil
			}
			NewWithT(t).Expect(planeAt(t, server).WithdrawToken(t.Context(), firstToken, issued)).To(Satisfy(apierrors.IsForbidden))
		})
	}
}

// A replacement of the Secret must not be withdrawn.
func TestWithdrawTokenSparesAReplacement(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(own(firstToken, "a"))
	server.after = func(call string) {
		if call != "get Secret kube-system/"+firstToken {
			return
		}
		g.Expect(server.server.Delete(t.Context(), anchorSecret(firstToken))).To(Succeed())
		other := own(firstToken, "b")
		other.UID = "uid-other"
		g.Expect(server.server.Create(t.Context(), other)).To(Succeed())
	}
	g.Expect(planeAt(t, server).WithdrawToken(t.Context(), firstToken, issued)).To(Satisfy(apierrors.IsConflict))
}

func TestWithdrawnTokensArePrunedInTime(t *testing.T) {
	const kept = firstToken + "-k"
	for name, test := range map[string]struct {
		secrets []*corev1.Secret
		left    []string
		next    string
	}{
		"none":          {nil, []string{kept}, ""},
		"its time":      {[]*corev1.Secret{withdrawn(firstToken, past)}, []string{kept}, ""},
		"not yet":       {[]*corev1.Secret{withdrawn(firstToken, future)}, []string{kept, firstToken}, future},
		"some of three": {[]*corev1.Secret{withdrawn(firstToken, future), withdrawn(firstToken+"-b", soon), withdrawn(firstToken+"-c", past)}, []string{kept, firstToken, firstToken + "-b"}, soon},
		"no time":       {[]*corev1.Secret{withdrawn(firstToken, "never")}, []string{kept}, ""},
		"not withdrawn": {[]*corev1.Secret{own(firstToken, "x")}, []string{kept}, ""},
		"foreign":       {[]*corev1.Secret{changed(withdrawn(firstToken, past), func(s *corev1.Secret) { s.Annotations[ccluster.ControlPlaneAnnotation] = "plane-b" })}, []string{kept, firstToken}, ""},
	} {
		for how, prune := range map[string]func(*testing.T, *Plane) error{
			"prune": func(t *testing.T, p *Plane) error { t.Helper(); return p.PruneTokens(t.Context(), kept) },
			"keep":  func(t *testing.T, p *Plane) error { t.Helper(); return p.KeepToken(t.Context(), kept, false) },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				g := NewWithT(t)
				// The stored one stays, whatever is written on it.
				server := newFakePlane(withdrawn(kept, past))
				for _, s := range test.secrets {
					g.Expect(server.server.Create(t.Context(), s.DeepCopy())).To(Succeed())
				}
				plane := planeAt(t, server)
				g.Expect(prune(t, plane)).To(Succeed())
				g.Expect(server.secrets(t)).To(ConsistOf(test.left))
				if test.next == "" {
					g.Expect(plane.NextWithdrawal()).To(BeZero())
				} else {
					g.Expect(plane.NextWithdrawal().Format(time.RFC3339)).To(Equal(test.next))
				}
				g.Expect(plane.PruneTokens(t.Context(), kept)).To(Succeed())
			})
		}
	}
}

func TestTheNextWithdrawalIsForgotten(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(withdrawn(firstToken, future))
	plane := planeAt(t, server)
	g.Expect(plane.PruneTokens(t.Context(), "")).To(Succeed())
	g.Expect(plane.NextWithdrawal()).NotTo(BeZero())
	g.Expect(server.server.Delete(t.Context(), anchorSecret(firstToken))).To(Succeed())
	g.Expect(plane.PruneTokens(t.Context(), "")).To(Succeed())
	g.Expect(plane.NextWithdrawal()).To(BeZero())
}

// A token that is on its way out is not what a rotation ends with.
func TestReplacingDoesNotReviveAWithdrawnToken(t *testing.T) {
	const second, third = firstToken + "-b", firstToken + "-c"
	for name, test := range map[string]struct {
		secrets []*corev1.Secret
		want    string
	}{
		"a withdrawn one":            {[]*corev1.Secret{own(firstToken, "a"), withdrawn(second, future)}, ""},
		"one whose time has come":    {[]*corev1.Secret{own(firstToken, "a"), withdrawn(second, past)}, ""},
		"one of an earlier attempt":  {[]*corev1.Secret{own(firstToken, "a"), withdrawn(second, future), own(third, "c")}, third},
		"the stored one by itself":   {[]*corev1.Secret{own(firstToken, "a")}, ""},
		"nothing, not even a stored": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			for _, s := range test.secrets {
				g.Expect(server.server.Create(t.Context(), s)).To(Succeed())
			}
			plane := planeAt(t, server)
			token, err := plane.ReplaceLongLived(t.Context(), testAccount, firstToken)
			if test.want != "" {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(token.SecretName).To(Equal(test.want))
				return
			}
			g.Expect(err).To(MatchError(ErrTokenPending))
			g.Expect(plane.Objects()).To(ConsistOf(HaveField("Name", MatchRegexp(`^ccluster-manager-token-[a-z0-9]{10}$`))))
		})
	}
}
