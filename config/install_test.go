// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

const systemNamespace = "ccluster-system"

func deployment(t *testing.T, dir string) *appsv1.Deployment {
	t.Helper()
	return one[*appsv1.Deployment](t, render(t, dir), "ccluster-manager")
}

// options are what the manager makes of the Deployment's arguments.
func options(t *testing.T, dir string) manager.Options {
	t.Helper()
	o, err := manager.Parse(deployment(t, dir).Spec.Template.Spec.Containers[0].Args)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return o
}

func TestManagerRunsWithoutPrivileges(t *testing.T) {
	for _, dir := range installs {
		t.Run(dir, func(t *testing.T) {
			g := NewWithT(t)
			pod := deployment(t, dir).Spec.Template.Spec
			g.Expect(pod.Containers).To(HaveLen(1))
			g.Expect(pod.InitContainers).To(BeEmpty())
			g.Expect(pod.Volumes).To(BeEmpty())
			g.Expect([]bool{pod.HostNetwork, pod.HostPID, pod.HostIPC}).To(HaveEach(false))
			g.Expect(pod.SecurityContext).To(HaveValue(And(
				HaveField("RunAsNonRoot", HaveValue(BeTrue())),
				HaveField("RunAsUser", HaveValue(BeEquivalentTo(65532))),
				HaveField("RunAsGroup", HaveValue(BeEquivalentTo(65532))),
				HaveField("SeccompProfile.Type", corev1.SeccompProfileTypeRuntimeDefault),
			)))
			g.Expect(pod.Containers[0].SecurityContext).To(HaveValue(Equal(corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false),
				ReadOnlyRootFilesystem:   new(true),
				Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			})))
			for _, list := range []corev1.ResourceList{pod.Containers[0].Resources.Requests, pod.Containers[0].Resources.Limits} {
				g.Expect(list).To(And(HaveKey(corev1.ResourceCPU), HaveKey(corev1.ResourceMemory)))
			}
			namespace := one[*corev1.Namespace](t, render(t, dir), systemNamespace)
			g.Expect(namespace.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
		})
	}
}

func TestManagersImageIsTheOneThatDeployReplaces(t *testing.T) {
	for _, dir := range installs {
		NewWithT(t).Expect(deployment(t, dir).Spec.Template.Spec.Containers[0].Image).To(Equal("controller"), dir)
	}
}

func TestManagersArguments(t *testing.T) {
	g := NewWithT(t)
	o := options(t, "default")
	g.Expect(o.LeaderElect).To(BeTrue())
	g.Expect(o.MetricsInsecure).To(BeFalse())
	g.Expect(o.Controllers).To(Equal(manager.DefaultOptions().Controllers))
	g.Expect(o.Namespaces).To(BeEmpty())
	g.Expect(o.DenyCIDRs).To(Equal(manager.DefaultOptions().DenyCIDRs))

	g.Expect(options(t, "namespaced").Namespaces).To(Equal([]string{"tenant-a"}))
	g.Expect(options(t, "registration-only").Controllers).To(Equal([]string{"registration"}))
}

func TestPortsProbesAndServiceMeetTheArguments(t *testing.T) {
	g := NewWithT(t)
	objects, o := render(t, "default"), options(t, "default")
	container := deployment(t, "default").Spec.Template.Spec.Containers[0]
	ports := map[string]int32{}
	for _, p := range container.Ports {
		ports[p.Name] = p.ContainerPort
	}
	g.Expect(o.MetricsAddress).To(Equal(":8443"))
	g.Expect(o.HealthProbeAddress).To(Equal(":8081"))
	g.Expect(ports).To(Equal(map[string]int32{"metrics": 8443, "probes": 8081}))
	g.Expect(container.LivenessProbe.HTTPGet.Path).To(Equal("/healthz"))
	g.Expect(container.ReadinessProbe.HTTPGet.Path).To(Equal("/readyz"))
	g.Expect(container.LivenessProbe.HTTPGet.Port.StrVal).To(Equal("probes"))
	g.Expect(container.ReadinessProbe.HTTPGet.Port.StrVal).To(Equal("probes"))

	service := one[*corev1.Service](t, objects, "ccluster-metrics")
	g.Expect(service.Spec.Ports).To(HaveLen(1))
	g.Expect(service.Spec.Ports[0].TargetPort.StrVal).To(Equal("metrics"))
	policy := one[*networkingv1.NetworkPolicy](t, render(t, "network-policy"), "ccluster-manager")
	g.Expect(policy.Spec.Ingress[0].Ports[0].Port.IntVal).To(Equal(ports["metrics"]))

	pod := deployment(t, "default").Spec.Template.Labels
	for _, selector := range []map[string]string{
		deployment(t, "default").Spec.Selector.MatchLabels, service.Spec.Selector, policy.Spec.PodSelector.MatchLabels,
	} {
		g.Expect(selector).NotTo(BeEmpty())
		g.Expect(labels.SelectorFromSet(selector).Matches(labels.Set(pod))).To(BeTrue())
	}
	for _, o := range []interface{ GetNamespace() string }{service, policy, deployment(t, "default")} {
		g.Expect(o.GetNamespace()).To(Equal(systemNamespace))
	}
}

func TestWhichKindsAreInstalled(t *testing.T) {
	for dir, want := range map[string][]string{
		"default":           {"cclcomponentsets.ccluster.nvidia.com", "cclinfraplanes.ccluster.nvidia.com", "clusterregistrations.ccluster.nvidia.com"},
		"namespaced":        {"cclcomponentsets.ccluster.nvidia.com", "cclinfraplanes.ccluster.nvidia.com", "clusterregistrations.ccluster.nvidia.com"},
		"registration-only": {"clusterregistrations.ccluster.nvidia.com"},
	} {
		t.Run(dir, func(t *testing.T) {
			var names []string
			for _, crd := range all[*apiextensionsv1.CustomResourceDefinition](render(t, dir)) {
				names = append(names, crd.Name)
			}
			NewWithT(t).Expect(names).To(ConsistOf(want))
		})
	}
}

func TestSamplesAreValid(t *testing.T) {
	g := NewWithT(t)
	objects := render(t, "samples")
	registrations := 0
	for _, o := range objects {
		g.Expect(o.GetNamespace()).To(BeElementOf("", "tenant-a"))
		if o.GetObjectKind().GroupVersionKind().Group == "ccluster.nvidia.com" {
			registrations++
			g.Expect(ccluster.Validate(o)).To(Succeed(), o.GetName())
		}
	}
	g.Expect(registrations).To(Equal(2))
	secret := one[*corev1.Secret](t, objects, "edge-1-kubeconfig")
	g.Expect(secret.Data).To(HaveLen(1))
	g.Expect(secret.Labels).To(HaveKey("ccluster.nvidia.com/bootstrap"))
}
