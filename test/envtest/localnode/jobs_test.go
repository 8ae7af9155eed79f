// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var _ = DescribeTable("A Job on the simulated node",
	func(ctx SpecContext, policy corev1.RestartPolicy, command string, condition batchv1.JobConditionType, succeeded, failed int32) {
		template := pod("c", command).Spec
		template.RestartPolicy = policy
		jobs := kube.BatchV1().Jobs(namespace)
		made, err := jobs.Create(ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "job-"},
			Spec:       batchv1.JobSpec{BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{Spec: template}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx SpecContext) {
			background := metav1.DeletePropagationBackground
			Expect(jobs.Delete(ctx, made.Name, metav1.DeleteOptions{PropagationPolicy: &background})).To(Succeed())
		})
		Eventually(func(g Gomega) {
			live, err := jobs.Get(ctx, made.Name, metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.Status.Conditions).To(ContainElement(And(
				HaveField("Type", condition), HaveField("Status", corev1.ConditionTrue))))
			g.Expect(live.Status.Succeeded).To(Equal(succeeded))
			g.Expect(live.Status.Failed).To(Equal(failed))
		}).Should(Succeed())
	},
	Entry("completes", corev1.RestartPolicyNever, "true", batchv1.JobComplete, int32(1), int32(0)),
	Entry("completes with Pods that are restarted on failure", corev1.RestartPolicyOnFailure, "true", batchv1.JobComplete, int32(1), int32(0)),
	Entry("fails", corev1.RestartPolicyNever, "false", batchv1.JobFailed, int32(0), int32(1)),
)
