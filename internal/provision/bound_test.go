// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const boundLife = 2 * time.Hour

func TestBoundDecides(t *testing.T) {
	const (
		second = firstToken + "-abcdefghij"
		third  = firstToken + "-klmnopqrst"
		fresh  = "(fresh)"
	)
	anchor := func(name string) *corev1.Secret { return marked(ourMarker, anchorSecret(name)) }
	for name, test := range map[string]struct {
		last    string
		secrets []*corev1.Secret
		// name is of the new token's anchor, left of the older Secrets that stay.
		name string
		left []string
	}{
		"first":                     {name: firstToken},
		"first, an anchor is left":  {secrets: []*corev1.Secret{anchor(firstToken)}, name: fresh},
		"first, a token is left":    {secrets: []*corev1.Secret{own(firstToken, "x")}, name: fresh},
		"first, several are left":   {secrets: []*corev1.Secret{anchor(firstToken), anchor(second)}, name: fresh},
		"first, others' are there":  {secrets: []*corev1.Secret{marked(foreignMarker, anchorSecret(second)), anchorSecret(third)}, name: firstToken, left: []string{second, third}},
		"next":                      {last: firstToken, secrets: []*corev1.Secret{anchor(firstToken)}, name: fresh, left: []string{firstToken}},
		"next, one was lost":        {last: second, secrets: []*corev1.Secret{anchor(second), anchor(third)}, name: fresh, left: []string{second}},
		"next, the last was lost":   {last: second, name: fresh},
		"next, all were lost":       {last: second, secrets: []*corev1.Secret{anchor(third)}, name: fresh},
		"next, foreign first":       {last: second, secrets: []*corev1.Secret{anchorSecret(firstToken)}, name: fresh, left: []string{firstToken}},
		"after a long-lived token":  {last: firstToken, secrets: []*corev1.Secret{own(firstToken, "a")}, name: fresh, left: []string{firstToken}},
		"next, of a former account": {last: second, secrets: []*corev1.Secret{anchor(second)}, name: fresh, left: []string{second}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			sa := account(DefaultAccountName)
			sa.UID = testAccount
			objects := []client.Object{sa}
			for _, s := range test.secrets {
				objects = append(objects, identified(s.DeepCopy()))
			}
			server := newFakePlane(objects...)
			plane := newPlane(t, server, wantedOf(nil))

			token, err := plane.Bound(t.Context(), testAccount, test.last, boundLife)
			g.Expect(err).NotTo(HaveOccurred())
			if test.name == fresh {
				g.Expect(token.SecretName).To(MatchRegexp(`^ccluster-manager-token-[a-z0-9]{10}$`))
			} else {
				g.Expect(token.SecretName).To(Equal(test.name))
			}
			g.Expect(token.Value).To(Equal("issued-token"))
			g.Expect(token.Account).To(Equal(testAccount))
			g.Expect(token.ExpiresAt.Equal(tokenExpiry.Time)).To(BeTrue(), "what the plane says, not what was asked for")

			live := &corev1.Secret{}
			g.Expect(server.find(t, live, "kube-system", token.SecretName)).To(BeTrue())
			g.Expect(live.Type).To(Equal(corev1.SecretTypeOpaque))
			g.Expect(live.Data).To(BeEmpty())
			g.Expect(live.OwnerReferences).To(Equal([]metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ServiceAccount", Name: DefaultAccountName, UID: testAccount,
			}}))
			g.Expect(server.requests).To(Equal([]authenticationv1.TokenRequestSpec{{
				ExpirationSeconds: new(int64(7200)),
				BoundObjectRef: &authenticationv1.BoundObjectReference{
					APIVersion: "v1", Kind: "Secret", Name: token.SecretName, UID: live.UID,
				},
			}}))
			g.Expect(plane.Objects()).To(ConsistOf(And(
				HaveField("Name", token.SecretName), HaveField("UID", string(live.UID)))))
			g.Expect(server.secrets(t)).To(ConsistOf(append([]string{token.SecretName}, test.left...)))
		})
	}
}

func TestBoundRefusesAForeignAnchor(t *testing.T) {
	for name, s := range map[string]*corev1.Secret{
		"unmarked":    anchorSecret(firstToken),
		"neighbour's": marked(neighbourMarker, anchorSecret(firstToken)),
		"foreign":     marked(foreignMarker, anchorSecret(firstToken)),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			wanted := wantedOf(nil)
			wanted.Adopt = true // An anchor is never adopted: a token of somebody else may be bound to it.
			server := newFakePlane(identified(s))
			_, err := newPlane(t, server, wanted).Bound(t.Context(), testAccount, "", boundLife)
			g.Expect(err).To(Equal(&ForeignError{Kind: "Secret", Namespace: "kube-system", Name: firstToken}))
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}

func TestBoundErrors(t *testing.T) {
	const request = "request token of ServiceAccount kube-system/ccluster-manager"
	for name, test := range map[string]struct {
		call   string
		last   string
		want   string
		writes []string
	}{
		"read":    {"get Secret kube-system/" + firstToken, "", "read token Secret " + firstToken + ": ", []string{}},
		"list":    {"list Secret kube-system", "gone", "list token Secrets: ", []string{}},
		"anchor":  {"apply Secret kube-system/" + firstToken, "", "create Secret kube-system/" + firstToken + ": ", []string{"apply Secret kube-system/" + firstToken}},
		"request": {request, "", "request token: ", []string{"apply Secret kube-system/" + firstToken, request}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			server.answer = func(call string) error {
				if call == test.call {
					return forbidden("things")
				}
				return nil
			}
			token, err := newPlane(t, server, wantedOf(nil)).Bound(t.Context(), testAccount, test.last, boundLife)
			g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(token).To(BeZero())
			g.Expect(server.writes()).To(Equal(test.writes))
		})
	}
}

func TestAnEmptyTokenIsPending(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(account(DefaultAccountName))
	server.token = ""
	token, err := newPlane(t, server, wantedOf(nil)).Bound(t.Context(), testAccount, "", boundLife)
	g.Expect(err).To(MatchError(ErrTokenPending))
	g.Expect(token).To(BeZero())
}

// What an interrupted request has left is nobody's, and is withdrawn by the next one.
func TestALostTokenIsWithdrawn(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(account(DefaultAccountName))
	first, err := newPlane(t, server, wantedOf(nil)).Bound(t.Context(), testAccount, "", boundLife)
	g.Expect(err).NotTo(HaveOccurred())
	second, err := newPlane(t, server, wantedOf(nil)).Bound(t.Context(), testAccount, "", boundLife)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second.SecretName).NotTo(Equal(first.SecretName))
	g.Expect(server.secrets(t)).To(ConsistOf(second.SecretName))
}
