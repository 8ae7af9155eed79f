// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The kinds of Argo CD that are used.
var (
	GroupVersion    = schema.GroupVersion{Group: "argoproj.io", Version: "v1alpha1"}
	ProjectKind     = GroupVersion.WithKind("AppProject")
	ApplicationKind = GroupVersion.WithKind("Application")
)

// Project is the part of an AppProject that is used: what Applications of a namespace may do.
type Project struct {
	Name, Namespace     string
	Labels, Annotations map[string]string
	Spec                ProjectSpec
}

// ProjectSpec is the spec of an AppProject.
type ProjectSpec struct {
	Description string `json:"description,omitempty"`
	// SourceRepos are the repositories that charts may come from. They are globs.
	SourceRepos []string `json:"sourceRepos"`
	// SourceNamespaces are where Applications may be. They are globs.
	SourceNamespaces []string `json:"sourceNamespaces"`
	// Destinations are where Applications may deploy to.
	Destinations []Destination `json:"destinations"`
	// ClusterResourceWhitelist are the cluster-scoped kinds that may be deployed; none by default.
	ClusterResourceWhitelist []GroupKind `json:"clusterResourceWhitelist,omitempty"`
}

// Destination is a cluster by its name, or by its server, and namespaces on it. All are globs; a
// namespace that begins with an exclamation mark is every other one, and forbids that one where
// the cluster is given by its server.
type Destination struct {
	Name      string `json:"name,omitempty"`
	Server    string `json:"server,omitempty"`
	Namespace string `json:"namespace"`
}

// GroupKind is a kind of objects, or a glob of them.
type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// AllKinds is every kind.
var AllKinds = GroupKind{Group: "*", Kind: "*"}

// Intent is the whole AppProject as it is to be applied.
func (p Project) Intent() (runtime.ApplyConfiguration, error) {
	spec, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p.Spec)
	if err != nil {
		return nil, fmt.Errorf("encode AppProject %s: %w", p.Name, err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(ProjectKind)
	u.SetNamespace(p.Namespace)
	u.SetName(p.Name)
	u.SetLabels(p.Labels)
	u.SetAnnotations(p.Annotations)
	return client.ApplyConfigurationFromUnstructured(u), nil
}

// NewProjectObject is an empty AppProject to read into.
func NewProjectObject() *unstructured.Unstructured { return newObject(ProjectKind) }

func newObject(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}
