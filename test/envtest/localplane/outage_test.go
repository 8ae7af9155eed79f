// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"context"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("an outage", func() {
	It("of the API server ends with the same cluster at the same address", func(ctx SpecContext) {
		c, ns := clientset(full.Config()), namespace()
		before, server := identity(ctx, full), full.Server()
		createServiceAccount(ctx, c, ns)
		account := withToken(full, requestToken(ctx, c, ns, time.Hour).Token)

		Expect(full.StopAPIServer()).To(Succeed())
		_, err := whoAmI(ctx, c)
		Expect(err).To(MatchError(syscall.ECONNREFUSED))
		Expect(full.Check()).To(Succeed())
		Expect(full.StopAPIServer()).To(Succeed(), "it is stopped already")

		Expect(full.StartAPIServer(ctx)).To(Succeed())
		Expect(full.Server()).To(Equal(server))
		Expect(identity(ctx, full)).To(Equal(before))
		Expect(whoAmI(ctx, account)).To(Equal("system:serviceaccount:" + ns + ":robot"))
		createTokenSecret(ctx, c, ns)
		Eventually(tokenData(ctx, c, ns)).Should(HaveKey("token"), "the controller manager is back too")
	})

	It("of everything leaves another cluster with the same keys", func(ctx SpecContext) {
		c, ns := clientset(full.Config()), namespace()
		before, server := identity(ctx, full), full.Server()
		createServiceAccount(ctx, c, ns)
		account := withToken(full, requestToken(ctx, c, ns, time.Hour).Token)
		Expect(whoAmI(ctx, account)).To(Equal("system:serviceaccount:" + ns + ":robot"))

		Expect(full.Rebuild(ctx)).To(Succeed())

		Expect(full.Server()).To(Equal(server))
		Expect(whoAmI(ctx, c)).To(Equal("kubernetes-admin"))
		Expect(identity(ctx, full)).NotTo(Equal(before))
		_, err := c.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
		Expect(err).To(Satisfy(apierrors.IsNotFound))
		_, err = whoAmI(ctx, account)
		Expect(err).To(Satisfy(apierrors.IsUnauthorized))
		admin, err := client.New(full.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(admin.Create(ctx, widget(metav1.NamespaceDefault, "again", 1))).To(Succeed(), "the CRDs are there")
	})
})

var _ = Describe("a front", func() {
	It("leads to the same API server under another address", func(ctx SpecContext) {
		front, err := full.Front(ctx)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(front.Close)
		Expect(front.Server()).NotTo(Equal(full.Server()))
		through := clientset(front.Config(full.Config()))
		namespace, err := through.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(namespace.UID).To(Equal(identity(ctx, full)))
		Expect(front.Accepted()).To(Equal(1))

		ns := namespace.Name
		front.Pause()
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err = through.CoreV1().Namespaces().Get(short, ns, metav1.GetOptions{})
		Expect(err).To(MatchError(context.DeadlineExceeded))
		front.Resume()
		_, err = through.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())

		front.Retarget(bare)
		Eventually(func() error {
			_, err := through.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
			return err
		}).Should(MatchError(ContainSubstring("certificate signed by unknown authority")))
	})
})
