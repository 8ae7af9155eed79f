// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a kind of namespaced object, by where the API serves it.
type Resource struct {
	// Prefix is /api/v1 for the core group, and /apis/GROUP/VERSION for any other.
	Prefix string
	// Plural is the resource's name in paths, such as pods.
	Plural string
}

// Resources that need not be spelled out.
var (
	Pods     = Resource{Prefix: "/api/v1", Plural: "pods"}
	Services = Resource{Prefix: "/api/v1", Plural: "services"}
	Jobs     = Resource{Prefix: "/apis/batch/v1", Plural: "jobs"}
)

// gvr reads the Prefix; slashes at its ends do not matter.
func (r Resource) gvr() (schema.GroupVersionResource, error) {
	parts := strings.Split(strings.Trim(r.Prefix, "/"), "/")
	var at schema.GroupVersionResource
	switch {
	case len(parts) == 2 && parts[0] == "api":
		at = schema.GroupVersionResource{Version: parts[1], Resource: r.Plural}
	case len(parts) == 3 && parts[0] == "apis":
		at = schema.GroupVersionResource{Group: parts[1], Version: parts[2], Resource: r.Plural}
	}
	if !segments(parts[1:]...) || at.Version == "" {
		return at, fmt.Errorf("k8s: Resource.Prefix %q must be /api/VERSION or /apis/GROUP/VERSION", r.Prefix)
	}
	if !segments(r.Plural) {
		return at, fmt.Errorf("k8s: Resource.Plural %q must be a resource's name, such as pods", r.Plural)
	}
	return at, nil
}

// segments tells that each can be a part of a path, which "..", for one, would lead elsewhere.
func segments(parts ...string) bool {
	for _, part := range parts {
		if part == "" || len(content.IsPathSegmentName(part)) > 0 {
			return false
		}
	}
	return true
}

// path is where the API serves the resource in a namespace, or one object if name is set.
func path(at schema.GroupVersionResource, namespace, name string, more ...string) string {
	parts := []string{"", "apis", at.Group, at.Version}
	if at.Group == "" {
		parts = []string{"", "api", at.Version}
	}
	parts = append(parts, "namespaces", namespace, at.Resource)
	if name != "" {
		parts = append(parts, name)
	}
	return strings.Join(append(parts, more...), "/")
}
