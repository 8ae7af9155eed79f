// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// tally counts what the reconciler asked of both planes, by the audit logs.
type tally struct {
	control, infra int64
}

func startTally() tally {
	GinkgoHelper()
	c, err := control.AuditPosition()
	Expect(err).NotTo(HaveOccurred())
	i, err := infra.AuditPosition()
	Expect(err).NotTo(HaveOccurred())
	return tally{control: c, infra: i}
}

// calls lists the requests since the start as `verb resource`, watches and a cache's
// first lists left out.
func (t tally) calls() (onControl, onInfra []string) {
	GinkgoHelper()
	events, err := control.Audit(localplane.AuditFilter{Since: t.control, UserAgent: controlAgent, Where: func(e localplane.AuditEvent) bool {
		return e.Verb != "watch" && e.Verb != "list"
	}})
	Expect(err).NotTo(HaveOccurred())
	onControl = describe(events)
	events, err = infra.Audit(localplane.AuditFilter{Since: t.infra, UserAgent: remoteAgent})
	Expect(err).NotTo(HaveOccurred())
	return onControl, describe(events)
}

func describe(events []localplane.AuditEvent) []string {
	list := make([]string, 0, len(events))
	for _, e := range events {
		resource := e.Resource
		if e.Subresource != "" {
			resource += "/" + e.Subresource
		}
		if resource == "" {
			resource = e.RequestURI
		}
		list = append(list, fmt.Sprintf("%s %s", e.Verb, resource))
	}
	return list
}

// mutating counts calls that change something. A review is a question in the form of a create.
func mutating(calls []string) int {
	n := 0
	for _, c := range calls {
		if !strings.HasPrefix(c, "get ") && !strings.HasPrefix(c, "list ") && !strings.HasSuffix(c, "reviews") {
			n++
		}
	}
	return n
}

var _ = Describe("The calls of a registration", Serial, func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("are no more than it takes: "+string(kind), func(ctx SpecContext) {
			h := newHarness(ctx)
			before := startTally()
			reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })
			onControl, onInfra := before.calls()
			AddReportEntry("calls", fmt.Sprintf("%s: control plane %d (%d mutating) %v; infra plane %d (%d mutating) %v", kind,
				len(onControl), mutating(onControl), onControl, len(onInfra), mutating(onInfra), onInfra), ReportEntryVisibilityAlways)
			// A finalizer, a Secret, a plane and at most one status for waiting and one for the end.
			Expect(mutating(onControl)).To(BeNumerically("<=", 5))
			// A claim, an account, three bindings and roles, a token Secret or anchor and request.
			Expect(mutating(onInfra)).To(BeNumerically("<=", 7))

			By("applying the same thing again")
			key := client.ObjectKeyFromObject(reg)
			again := startTally()
			for range 9 {
				h.must(key)
			}
			onControl, onInfra = again.calls()
			Expect(onControl).To(BeEmpty())
			Expect(onInfra).To(Equal(slices.Repeat([]string{"create selfsubjectaccessreviews"}, 9)))

			By("auditing")
			h.must(key)
			audit := startTally()
			for range 10 {
				h.must(key)
			}
			onControl, onInfra = audit.calls()
			Expect(onControl).To(BeEmpty())
			Expect(mutating(onInfra)).To(BeZero())
			Expect(onInfra).To(HaveLen(10 + len(reg.Status.RemoteObjects)))

			By("starting anew")
			h.restart()
			restarted := startTally()
			h.must(key)
			onControl, onInfra = restarted.calls()
			Expect(onControl).To(BeEmpty())
			Expect(onInfra).To(Equal([]string{"create selfsubjectaccessreviews"}))
		})
	}
})
