// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// renewals lets the manager's clock run for a time, and counts the tokens that are stored.
func (b *bench) renewals(reg *v1alpha1.ClusterRegistration, during time.Duration) int {
	GinkgoHelper()
	b.forgetPast()
	count := 0
	for end := b.clock.Now().Add(during); b.clock.Now().Before(end); {
		b.must(client.ObjectKeyFromObject(reg))
		count += len(eventsOf("TokenStored", b.events()))
	}
	return count
}

var _ = Describe("A token that expires", func() {
	It("is renewed by the life that the plane grants, however much was asked for", func(ctx SpecContext) {
		plane := testenv.Planes(GinkgoTB(), localplane.Options{
			Name: "clamping", APIServerArgs: map[string][]string{"service-account-max-token-expiration": {"1h"}},
		})[0]
		b := newBench(ctx)
		b.moveTo(plane)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 30 * 24 * 3600}
		})
		Expect(time.Until(reg.Status.Token.ExpiresAt.Time)).To(BeNumerically("~", time.Hour, 2*time.Minute))
		Expect(b.renewals(reg, 40*time.Minute)).To(BeZero())
		Expect(b.renewals(reg, 20*time.Minute)).To(Equal(1))
		Expect(b.renewals(reg, 4*time.Hour)).To(BeNumerically("~", 5, 1))
	})

	for _, skew := range []time.Duration{-5 * time.Hour, 5 * time.Hour} {
		It(fmt.Sprintf("is neither renewed all the time nor too late by a clock that is %s off", skew), func(ctx SpecContext) {
			b := newBench(ctx)
			b.advance(skew)
			reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
				r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 3600}
			})
			Expect(b.renewals(reg, 40*time.Minute)).To(BeZero())
			Expect(b.renewals(reg, 20*time.Minute)).To(Equal(1))
			b.restart()
			Expect(b.renewals(reg, 30*time.Minute)).To(BeZero())
		})
	}
})
