// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// deduced compares objects whose types are not known here.
var deduced = managedfields.NewDeducedTypeConverter()

// ensureProject keeps the AppProject of the plane's namespace as its planes ask for.
func (r *Reconciler) ensureProject(ctx context.Context, s *scope) error {
	defer r.tenants.lock(s.key.Namespace)()
	return r.ensureProjectLocked(ctx, s)
}

func (r *Reconciler) ensureProjectLocked(ctx context.Context, s *scope) error {
	project, err := r.project(ctx, s)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	text, err := json.Marshal(project)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if r.memory.projectSeen(s.key.Namespace, string(text)) {
		return nil
	}
	if p := r.applyProject(ctx, project); p != nil {
		return s.no(p)
	}
	r.memory.sawProject(s.key.Namespace, string(text))
	return nil
}

func (r *Reconciler) applyProject(ctx context.Context, project argocd.Project) *problem {
	live := argocd.NewProjectObject()
	err := r.live.Get(ctx, keyOf(project.Namespace, project.Name), live)
	found := err == nil
	switch {
	case isAbsentKind(err):
		return r.notInstalled()
	case err != nil && !apierrors.IsNotFound(err):
		return onControlPlane(fmt.Errorf("read AppProject: %w", err))
	case found && live.GetLabels()[v1alpha1.ManagedLabel] != v1alpha1.ManagedProject && live.GetAnnotations()[v1alpha1.TenantAnnotation] == "":
		return r.foreignProject(project.Name)
	case found && live.GetDeletionTimestamp() != nil:
		return waiting(5*time.Second, v1alpha1.ReasonPending, "AppProject %s/%s is being deleted and will be made again", project.Namespace, project.Name)
	}
	intent, err := project.Intent()
	if err != nil {
		return onControlPlane(err)
	}
	if !found {
		err = r.projects.Create(ctx, intent, live)
		if _, ok := errors.AsType[*apply.ErrForeign](err); ok {
			return r.foreignProject(project.Name)
		}
	} else {
		_, err = r.projects.Ensure(ctx, live, intent, live)
	}
	switch {
	case isAbsentKind(err):
		return r.notInstalled()
	case err != nil && !found:
		return r.absentNamespace(err)
	case err != nil:
		return onControlPlane(err)
	}
	return nil
}

func (r *Reconciler) notInstalled() *problem {
	return waiting(r.options.CheckPeriod, v1alpha1.ReasonArgoCDNotInstalled,
		"Argo CD's kinds do not exist here: install Argo CD; the plane becomes Available by itself then")
}

func (r *Reconciler) foreignProject(name string) *problem {
	return waiting(r.options.CheckPeriod, v1alpha1.ReasonForeignObject,
		"AppProject %s/%s belongs to somebody else: remove it", r.options.ArgoCDNamespace, name)
}

// project is what the AppProject of the plane's namespace has to be, this plane included unless
// it goes.
func (r *Reconciler) project(ctx context.Context, s *scope) (argocd.Project, error) {
	planes, err := r.planesOf(ctx, s)
	if err != nil {
		return argocd.Project{}, err
	}
	project := argocd.Project{
		Name: argocd.ProjectName(s.key.Namespace), Namespace: r.options.ArgoCDNamespace,
		Labels:      map[string]string{v1alpha1.ManagedLabel: v1alpha1.ManagedProject},
		Annotations: map[string]string{v1alpha1.TenantAnnotation: s.key.Namespace},
		Spec: argocd.ProjectSpec{
			Description:      "Infra planes of namespace " + s.key.Namespace,
			SourceRepos:      slices.Clone(r.options.SourceRepos),
			SourceNamespaces: []string{s.key.Namespace},
			Destinations:     []argocd.Destination{},
		},
	}
	if project.Spec.SourceRepos == nil {
		project.Spec.SourceRepos = []string{}
	}
	wide, own := false, false
	for i := range planes {
		p := &planes[i]
		if p.Spec.ClusterCredentialsRef.Name == "" {
			own = own || r.options.inClusterAllowed(p.Namespace)
			continue
		}
		project.Spec.Destinations = append(project.Spec.Destinations,
			argocd.Destination{Name: argocd.ClusterName(p.Namespace, p.Name), Namespace: "*"})
		isWide, err := r.isWide(ctx, s, p)
		if err != nil {
			return argocd.Project{}, err
		}
		wide = wide || isWide
	}
	if own {
		excluded, err := r.excluded(ctx, s.key.Namespace)
		if err != nil {
			return argocd.Project{}, err
		}
		for _, namespace := range excluded {
			project.Spec.Destinations = append(project.Spec.Destinations,
				argocd.Destination{Server: argocd.InClusterServer, Namespace: "!" + namespace})
		}
		wide = true
	}
	if wide {
		project.Spec.ClusterResourceWhitelist = []argocd.GroupKind{argocd.AllKinds}
	}
	return project, nil
}

// planesOf are the namespace's planes by name, but for those that are gone but for their
// finalizer, this one among them.
func (r *Reconciler) planesOf(ctx context.Context, s *scope) ([]v1alpha1.CCLInfraPlane, error) {
	var list v1alpha1.CCLInfraPlaneList
	reader := client.Reader(r.client)
	if s.drained {
		// Of several that go at one time, the last one has to know that it is.
		reader = r.live
	}
	if err := reader.List(ctx, &list, client.InNamespace(s.key.Namespace)); err != nil {
		return nil, fmt.Errorf("list planes: %w", err)
	}
	planes := slices.DeleteFunc(list.Items, func(p v1alpha1.CCLInfraPlane) bool { return p.Name == s.key.Name })
	if !s.drained {
		// The cache may not show it yet.
		planes = append(planes, *s.plane)
	}
	slices.SortFunc(planes, func(a, b v1alpha1.CCLInfraPlane) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return planes, nil
}

// isWide tells whether a plane's account is bound in the whole cluster: this one's by its
// credentials, another's by its cluster Secret.
func (r *Reconciler) isWide(ctx context.Context, s *scope, p *v1alpha1.CCLInfraPlane) (bool, error) {
	if p.Name == s.key.Name && s.secret != nil {
		return len(s.cluster.Namespaces) == 0 || s.cluster.ClusterResources, nil
	}
	mirror := &corev1.Secret{}
	err := r.clusters.Get(ctx, keyOf(r.options.ArgoCDNamespace, argocd.ClusterName(p.Namespace, p.Name)), mirror)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read cluster Secret: %w", err)
	}
	return len(mirror.Data[argocd.KeyNamespaces]) == 0 || string(mirror.Data[argocd.KeyClusterResources]) == "true", nil
}

// excluded are the namespaces of the operator's own cluster that nobody's Applications may reach:
// those of Argo CD, the manager and Kubernetes itself, and those of other tenants.
func (r *Reconciler) excluded(ctx context.Context, own string) ([]string, error) {
	namespaces := []string{r.options.ArgoCDNamespace, "kube-system", "kube-public", "kube-node-lease"}
	if r.options.ManagerNamespace != "" {
		namespaces = append(namespaces, r.options.ManagerNamespace)
	}
	var planes v1alpha1.CCLInfraPlaneList
	if err := r.client.List(ctx, &planes, &client.ListOptions{}); err != nil {
		return nil, fmt.Errorf("list planes: %w", err)
	}
	for i := range planes.Items {
		if n := planes.Items[i].Namespace; n != own {
			namespaces = append(namespaces, n)
		}
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces), nil
}

// removeProject deletes the AppProject with its namespace's last plane.
func (r *Reconciler) removeProject(ctx context.Context, s *scope) error {
	live := argocd.NewProjectObject()
	err := r.live.Get(ctx, keyOf(r.options.ArgoCDNamespace, argocd.ProjectName(s.key.Namespace)), live)
	if isAbsentKind(err) || apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read AppProject: %w", err)
	}
	if live.GetAnnotations()[v1alpha1.TenantAnnotation] != s.key.Namespace {
		return nil
	}
	return r.deleteProject(ctx, live)
}

func (r *Reconciler) deleteProject(ctx context.Context, live *unstructured.Unstructured) error {
	uid := live.GetUID()
	if err := client.IgnoreNotFound(r.client.Delete(ctx, live, client.Preconditions{UID: &uid})); err != nil {
		return fmt.Errorf("delete AppProject: %w", err)
	}
	return nil
}
