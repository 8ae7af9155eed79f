// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// Watch tells the controller of changes of Argo CD's own objects. Their kinds may come and go
// while the manager runs, which a watch of the manager's own cache does not survive.
type Watch struct {
	config     *rest.Config
	scheme     *runtime.Scheme
	interval   time.Duration
	namespaces map[string]cache.Config
	events     chan event.GenericEvent
	r          *Reconciler
}

// DefaultWatchInterval is the time between two looks whether Argo CD's kinds exist.
const DefaultWatchInterval = 15 * time.Second

// NewWatch returns a Watch, to be added to a manager. Namespaces are where Applications may be;
// none means all.
func NewWatch(cfg *rest.Config, scheme *runtime.Scheme, interval time.Duration, namespaces []string) *Watch {
	if interval == 0 {
		interval = DefaultWatchInterval
	}
	w := &Watch{config: cfg, scheme: scheme, interval: interval, events: make(chan event.GenericEvent)}
	if len(namespaces) > 0 {
		w.namespaces = map[string]cache.Config{}
		for _, n := range namespaces {
			w.namespaces[n] = cache.Config{}
		}
	}
	return w
}

// NeedLeaderElection makes the manager start it with the controllers.
func (*Watch) NeedLeaderElection() bool { return true }

// Start runs until ctx ends.
func (w *Watch) Start(ctx context.Context) error {
	kinds, err := discovery.NewDiscoveryClientForConfig(w.config)
	if err != nil {
		return fmt.Errorf("make discovery client: %w", err)
	}
	ticker := time.NewTicker(w.interval)
	defer ticker.Stop()
	stop := func() {}
	defer func() { stop() }()
	watching := false
	for {
		present, err := exist(kinds)
		switch {
		case err != nil:
			ctrl.LoggerFrom(ctx).V(1).Info("Could not find out whether Argo CD is installed", "error", err.Error())
		case present && !watching:
			if stop, err = w.watch(ctx); err != nil {
				return err
			}
			watching = true
			w.everything(ctx)
		case !present && watching:
			stop()
			stop, watching = func() {}, false
			w.everything(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// exist tells whether the API server has both kinds.
func exist(kinds discovery.DiscoveryInterface) (bool, error) {
	list, err := kinds.ServerResourcesForGroupVersion(argocd.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found := map[string]bool{}
	for _, resource := range list.APIResources {
		found[resource.Kind] = true
	}
	return found[argocd.ProjectKind.Kind] && found[argocd.ApplicationKind.Kind], nil
}

// watch runs a cache of metadata until the returned function is called.
func (w *Watch) watch(ctx context.Context) (func(), error) {
	objects, err := cache.New(w.config, cache.Options{Scheme: w.scheme, DefaultNamespaces: w.namespaces})
	if err != nil {
		return nil, fmt.Errorf("make cache of Argo CD's objects: %w", err)
	}
	life, end := context.WithCancel(ctx)
	for _, o := range []struct {
		kind   string
		notice func(context.Context, client.Object)
	}{
		{argocd.ProjectKind.Kind, w.projectChanged}, {argocd.ApplicationKind.Kind, w.applicationChanged},
	} {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(argocd.GroupVersion.WithKind(o.kind))
		informer, err := objects.GetInformer(life, object, cache.BlockUntilSynced(false))
		if err != nil {
			end()
			return nil, fmt.Errorf("watch %s: %w", o.kind, err)
		}
		tell := func(obj any) {
			if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			if changed, ok := obj.(client.Object); ok {
				o.notice(life, changed)
			}
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: tell, UpdateFunc: func(_, obj any) { tell(obj) }, DeleteFunc: tell,
		})
		if err != nil {
			end()
			return nil, fmt.Errorf("watch %s: %w", o.kind, err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// It ends with its context, and only then.
		_ = objects.Start(life)
	}()
	return func() {
		end()
		<-done
	}, nil
}

// projectChanged has the planes of an AppProject's namespace looked at again.
func (w *Watch) projectChanged(ctx context.Context, project client.Object) {
	if project.GetNamespace() != w.r.options.ArgoCDNamespace {
		return
	}
	namespace, ours := project.GetAnnotations()[v1alpha1.TenantAnnotation]
	if !ours {
		var found bool
		if namespace, found = argocd.TenantOf(project.GetName()); !found {
			return
		}
	}
	w.r.memory.sawProject(namespace, "")
	w.wake(ctx, func(*v1alpha1.CCLInfraPlane) bool { return true }, client.InNamespace(namespace))
}

// applicationChanged has the planes looked at again that wait for Applications to go.
func (w *Watch) applicationChanged(ctx context.Context, app client.Object) {
	options := []client.ListOption{client.InNamespace(app.GetNamespace())}
	if app.GetNamespace() == w.r.options.ArgoCDNamespace {
		// Such a one may deploy to anybody's plane.
		options = nil
	}
	w.wake(ctx, func(p *v1alpha1.CCLInfraPlane) bool { return p.DeletionTimestamp != nil }, options...)
}

// everything has all planes looked at again: Argo CD has come or gone.
func (w *Watch) everything(ctx context.Context) {
	w.r.memory.forgetProjects()
	w.wake(ctx, func(*v1alpha1.CCLInfraPlane) bool { return true })
}

func (w *Watch) wake(ctx context.Context, wanted func(*v1alpha1.CCLInfraPlane) bool, options ...client.ListOption) {
	var list v1alpha1.CCLInfraPlaneList
	if err := w.r.client.List(ctx, &list, options...); err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("Skipped a wake-up of planes", "error", err.Error())
		return
	}
	for i := range list.Items {
		if !wanted(&list.Items[i]) {
			continue
		}
		select {
		case w.events <- event.GenericEvent{Object: &list.Items[i]}:
		case <-ctx.Done():
			return
		}
	}
}
