// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// refusals counts how often the infra plane has refused to tell the reconciler who it is,
// since the position.
func refusals(since int64) int {
	GinkgoHelper()
	events, err := infra.Audit(localplane.AuditFilter{Since: since, UserAgent: remoteAgent, Where: func(e localplane.AuditEvent) bool {
		// A request that is not let in names no resource.
		return strings.HasSuffix(e.RequestURI, "/selfsubjectreviews")
	}})
	Expect(err).NotTo(HaveOccurred())
	refused := 0
	for _, e := range events {
		if e.Code == http.StatusUnauthorized {
			refused++
		}
	}
	return refused
}

// patient lets a proof take its real ten seconds while the clock of a spec runs ahead.
func patient(o *registration.Options) { o.RevokeTimeout = 24 * time.Hour }

var _ = Describe("A revocation", Serial, func() {
	for _, restarted := range []bool{false, true} {
		who := map[bool]string{false: "one process", true: "a process that is replaced meanwhile"}[restarted]
		It("is proven by three refusals over half a minute, with its own token alone: "+who, func(ctx SpecContext) {
			h := newHarness(ctx, patient)
			reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) {
				r.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
			})
			key := client.ObjectKeyFromObject(reg)
			_, cred := h.credential(reg)
			since, err := infra.AuditPosition()
			Expect(err).NotTo(HaveOccurred())
			Expect(h.kube.Delete(ctx, reg)).To(Succeed())
			h.settle(key, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonRevocationUnproven)
			if restarted {
				h.replace()
			}
			Eventually(func() int {
				h.must(key)
				return refusals(since)
			}).Should(Equal(1))
			first := h.clock.Now()
			h.gone(key)
			Expect(refusals(since)).To(BeNumerically(">=", 3))
			Expect(h.clock.Now().Sub(first)).To(BeNumerically(">=", 20*time.Second))
			Expect(apierrors.IsUnauthorized(cred.client().List(ctx, &corev1.NodeList{}))).To(BeTrue())
			h.expectNothingLeft(reg)
			close(h.recorder.Events)
			for e := range h.recorder.Events {
				Expect(e).NotTo(ContainSubstring(v1alpha1.ReasonRevocationIncomplete))
			}
		})
	}
})
