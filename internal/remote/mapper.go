// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kinds are the resources of a plane that can be reached. Listing them here
// saves discovery, which would be several calls and a cache per plane.
var kinds = []struct {
	group      schema.GroupVersion
	kind       string
	resource   string
	namespaced bool
}{
	{corev1.SchemeGroupVersion, "Namespace", "namespaces", false},
	{corev1.SchemeGroupVersion, "Node", "nodes", false},
	{corev1.SchemeGroupVersion, "PersistentVolume", "persistentvolumes", false},
	{corev1.SchemeGroupVersion, "ConfigMap", "configmaps", true},
	{corev1.SchemeGroupVersion, "Event", "events", true},
	{corev1.SchemeGroupVersion, "PersistentVolumeClaim", "persistentvolumeclaims", true},
	{corev1.SchemeGroupVersion, "Pod", "pods", true},
	{corev1.SchemeGroupVersion, "Secret", "secrets", true},
	{corev1.SchemeGroupVersion, "Service", "services", true},
	{corev1.SchemeGroupVersion, "ServiceAccount", "serviceaccounts", true},
	{rbacv1.SchemeGroupVersion, "ClusterRole", "clusterroles", false},
	{rbacv1.SchemeGroupVersion, "ClusterRoleBinding", "clusterrolebindings", false},
	{rbacv1.SchemeGroupVersion, "Role", "roles", true},
	{rbacv1.SchemeGroupVersion, "RoleBinding", "rolebindings", true},
	{authenticationv1.SchemeGroupVersion, "SelfSubjectReview", "selfsubjectreviews", false},
	{authenticationv1.SchemeGroupVersion, "TokenReview", "tokenreviews", false},
	{authorizationv1.SchemeGroupVersion, "LocalSubjectAccessReview", "localsubjectaccessreviews", true},
	{authorizationv1.SchemeGroupVersion, "SelfSubjectAccessReview", "selfsubjectaccessreviews", false},
	{authorizationv1.SchemeGroupVersion, "SelfSubjectRulesReview", "selfsubjectrulesreviews", false},
	{authorizationv1.SchemeGroupVersion, "SubjectAccessReview", "subjectaccessreviews", false},
	{appsv1.SchemeGroupVersion, "DaemonSet", "daemonsets", true},
	{appsv1.SchemeGroupVersion, "Deployment", "deployments", true},
	{appsv1.SchemeGroupVersion, "ReplicaSet", "replicasets", true},
	{appsv1.SchemeGroupVersion, "StatefulSet", "statefulsets", true},
	{batchv1.SchemeGroupVersion, "CronJob", "cronjobs", true},
	{batchv1.SchemeGroupVersion, "Job", "jobs", true},
}

// knownKinds gives the kind of a resource.
var knownKinds = sync.OnceValue(func() map[schema.GroupVersionResource]string {
	known := make(map[schema.GroupVersionResource]string, len(kinds))
	for _, entry := range kinds {
		known[entry.group.WithResource(entry.resource)] = entry.kind
	}
	return known
})

func newMapper() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, entry := range kinds {
		scope := meta.RESTScope(meta.RESTScopeRoot)
		if entry.namespaced {
			scope = meta.RESTScopeNamespace
		}
		resource := entry.group.WithResource(entry.resource)
		mapper.AddSpecific(entry.group.WithKind(entry.kind), resource, resource, scope)
	}
	return mapper
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, rbacv1.AddToScheme, authenticationv1.AddToScheme,
		authorizationv1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("build scheme: %w", err)
		}
	}
	return scheme, nil
}
