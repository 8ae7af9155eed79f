// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const edgeServer = "https://edge-1.example:6443"

func otherReg(namespace, name, server string, age time.Duration) *v1alpha1.ClusterRegistration {
	reg := newReg()
	reg.Namespace, reg.Name, reg.UID = namespace, name, "uid-other"
	reg.CreationTimestamp = metav1.NewTime(now.Add(-age))
	reg.Status.Server = server
	return reg
}

func planeWith(namespace, name, server string) *v1alpha1.CCLInfraPlane {
	plane := &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	plane.Status.Server = server
	return plane
}

func TestAServerIsRegisteredOnce(t *testing.T) {
	own := otherReg("team", "edge-1", edgeServer, time.Hour)
	own.UID = "uid-reg"
	for name, test := range map[string]struct {
		objects []client.Object
		// holding tells that this registration has stored a credential already.
		holding bool
		refused bool
	}{
		"nobody":                      {},
		"this registration":           {objects: []client.Object{own, planeWith("team", "edge-1", edgeServer)}},
		"others, with other servers":  {objects: []client.Object{otherReg("team", "b", edgeServer+"0", 0), planeWith("x", "y", "https://other.example")}},
		"a registration":              {objects: []client.Object{otherReg("other", "a", edgeServer, 0)}, refused: true},
		"a plane":                     {objects: []client.Object{planeWith("team", "b", edgeServer)}, refused: true},
		"a plane of our name":         {objects: []client.Object{planeWith("other", "edge-1", edgeServer)}, refused: true},
		"an earlier one, too late":    {objects: []client.Object{otherReg("other", "z", edgeServer, 2*time.Hour)}, holding: true, refused: true},
		"a later one":                 {objects: []client.Object{otherReg("other", "a", edgeServer, 0)}, holding: true},
		"one of the same moment":      {objects: []client.Object{otherReg("other", "z", edgeServer, time.Hour)}, holding: true, refused: true},
		"one of the same moment, ZZZ": {objects: []client.Object{otherReg("zzz", "a", edgeServer, time.Hour)}, holding: true},
		"a plane, but we have it":     {objects: []client.Object{planeWith("team", "b", edgeServer)}, holding: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			reg := newReg()
			reg.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour))
			r := newReconciler(t, newServer(t, test.objects...))
			s := r.newScope(reg, regKey)
			s.endpoint.Server = edgeServer
			if test.holding {
				s.stored = &stored{}
			}
			err := r.refuseDuplicates(t.Context(), s)
			if !test.refused {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(outcomeOf(t, s, err)).To(Equal(outcome{"Reachable", "ServerAlreadyRegistered", nil}))
			g.Expect(err).To(MatchError("Another plane of this control plane has the server " + edgeServer + ": delete that one first"))
		})
	}
}

func TestPrecedes(t *testing.T) {
	g := NewWithT(t)
	at := func(namespace, name string, age time.Duration) *v1alpha1.ClusterRegistration {
		return otherReg(namespace, name, "", age)
	}
	for name, test := range map[string]struct {
		a, b *v1alpha1.ClusterRegistration
	}{
		"older":                {at("z", "z", 2), at("a", "a", 1)},
		"smaller namespace":    {at("a", "z", 1), at("b", "a", 1)},
		"smaller name":         {at("a", "a", 1), at("a", "b", 1)},
		"a namespace's prefix": {at("a-b", "c", 1), at("a", "b-c", 1)},
	} {
		g.Expect(precedes(test.a, test.b)).To(BeTrue(), name)
		g.Expect(precedes(test.b, test.a)).To(BeFalse(), name)
	}
	g.Expect(precedes(at("a", "a", 1), at("a", "a", 1))).To(BeFalse())
}

func TestLookingForDuplicatesReportsErrors(t *testing.T) {
	for name, failing := range map[string]client.ObjectList{
		"registrations": &v1alpha1.ClusterRegistrationList{}, "planes": &v1alpha1.CCLInfraPlaneList{},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			r.client = interceptor.NewClient(newServer(t), interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					if _, ok := failing.(*v1alpha1.ClusterRegistrationList); ok == isRegistrations(list) {
						return down()
					}
					return c.List(ctx, list, opts...)
				},
			})
			err := r.refuseDuplicates(t.Context(), s)
			g.Expect(apierrors.IsInternalError(err)).To(BeTrue(), "controller-runtime is to try again")
		})
	}
}

func isRegistrations(list client.ObjectList) bool {
	_, ok := list.(*v1alpha1.ClusterRegistrationList)
	return ok
}
