// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

const (
	systemNamespace = "ccluster-system"
	managerAccount  = "ccluster-manager"
	configFolder    = "../../../config"
)

// render builds a kustomization.
func render(dir string) []*unstructured.Unstructured {
	GinkgoHelper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	Expect(err).NotTo(HaveOccurred())
	objects := make([]*unstructured.Unstructured, 0, resources.Size())
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		Expect(err).NotTo(HaveOccurred())
		o := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal(text, o)).To(Succeed())
		objects = append(objects, o)
	}
	return objects
}

// overlay is a kustomization on top of one in config, with more lines.
func overlay(dir, more string) string {
	GinkgoHelper()
	folder, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	base, err := filepath.Abs(filepath.Join(configFolder, dir))
	Expect(err).NotTo(HaveOccurred())
	relative, err := filepath.Rel(folder, base)
	Expect(err).NotTo(HaveOccurred())
	text := "resources:\n- " + relative + "\n" + more
	Expect(os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600)).To(Succeed())
	return folder
}

// apply writes objects as an administrator does, and waits for new kinds to be served.
func (c *cluster) apply(ctx context.Context, objects []*unstructured.Unstructured) {
	GinkgoHelper()
	for _, o := range objects {
		intent := client.ApplyConfigurationFromUnstructured(o.DeepCopy())
		Expect(c.Apply(ctx, intent, client.FieldOwner("administrator"), client.ForceOwnership)).
			To(Succeed(), o.GetKind()+" "+o.GetName())
	}
	for _, o := range objects {
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		Eventually(func(g Gomega, ctx context.Context) {
			crd := &apiextensionsv1.CustomResourceDefinition{}
			g.Expect(c.Get(ctx, client.ObjectKeyFromObject(o), crd)).To(Succeed())
			g.Expect(crd.Status.Conditions).To(ContainElement(And(
				HaveField("Type", apiextensionsv1.Established), HaveField("Status", apiextensionsv1.ConditionTrue))))
		}).WithContext(ctx).Should(Succeed())
	}
}

// install applies a whole kustomization of config, the manager's Deployment included.
func install(ctx context.Context, c *cluster, dir string) {
	GinkgoHelper()
	c.apply(ctx, render(filepath.Join(configFolder, dir)))
}

// arguments are those of the Deployment among the objects.
func arguments(objects []*unstructured.Unstructured) []string {
	GinkgoHelper()
	for _, o := range objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		deployment := &appsv1.Deployment{}
		Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, deployment)).To(Succeed())
		return deployment.Spec.Template.Spec.Containers[0].Args
	}
	Fail("no Deployment is rendered")
	return nil
}

// token asks for a token of a ServiceAccount, as a pod's kubelet does.
func (c *cluster) token(ctx context.Context, namespace, account string) string {
	GinkgoHelper()
	sa := &corev1.ServiceAccount{}
	sa.Namespace, sa.Name = namespace, account
	request := &authenticationv1.TokenRequest{}
	Expect(c.SubResource("token").Create(ctx, sa, request)).To(Succeed())
	return request.Status.Token
}

// as is the plane's configuration for whoever has the token, and nothing else.
func (c *cluster) as(token string) *rest.Config {
	return &rest.Config{Host: c.Server(), BearerToken: token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: c.CAData()}}
}

var _ = Describe("config/default on a server", func() {
	It("has a pod that the restricted namespace admits", func(ctx SpecContext) {
		Eventually(func(g Gomega, ctx context.Context) {
			var pods corev1.PodList
			g.Expect(control.List(ctx, &pods, client.InNamespace(systemNamespace))).To(Succeed())
			g.Expect(pods.Items).To(ContainElement(HaveField("Spec.ServiceAccountName", managerAccount)))
		}).WithContext(ctx).Should(Succeed())
	})

	It("accepts the samples", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		samples := render(overlay("samples", "namespace: "+namespace+"\n"))
		control.apply(ctx, samples)
		kinds := map[string]int{}
		for _, o := range samples {
			kinds[o.GetKind()]++
			if o.GetNamespace() != "" {
				Expect(o.GetNamespace()).To(Equal(namespace))
			}
		}
		Expect(kinds).To(Equal(map[string]int{"Namespace": 1, "Secret": 1, "ClusterRegistration": 2}))
		var secret corev1.Secret
		Expect(control.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "edge-1-kubeconfig"}, &secret)).To(Succeed())
		Expect(secret.Annotations).NotTo(HaveKey(corev1.LastAppliedConfigAnnotation))
		// No manager has seen them, so they go at once: the next one must not find them here.
		Expect(control.DeleteAllOf(ctx, &v1alpha1.ClusterRegistration{}, client.InNamespace(namespace))).To(Succeed())
	})
})
