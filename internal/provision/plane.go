// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// Plane is one infra plane as seen with one credential during one pass.
type Plane struct {
	client client.Client
	// owner is the field manager.
	owner   string
	applier apply.Applier
	// withdrawals writes the one annotation that is not in an object's own intent.
	withdrawals apply.Applier
	wanted      Wanted
	// now is what withdrawals are measured by, sweepAt the time of the next one.
	now     func() time.Time
	sweepAt time.Time
	account types.UID
	// inherited tells that the account was there before, and with it perhaps more.
	inherited bool
	// right is one that the account has by its role.
	right *authorizationv1.ResourceAttributes
	// asAccount tells that the credential is the account's own.
	asAccount bool
	objects   []ccluster.RemoteObject
	wrote     []ccluster.RemoteObject
}

// New returns a Plane that writes as field manager owner, followed by the
// marker's hash: claims are told apart by their field manager, so two claimants
// must never share one.
func New(c client.Client, owner string, wanted Wanted) (*Plane, error) {
	owner += "-" + wanted.Marker.Hash()[:16]
	applier, err := apply.New(c, converter(), owner)
	if err != nil {
		return nil, err
	}
	withdrawals, err := apply.New(c, converter(), owner+"-withdrawal")
	if err != nil {
		return nil, err
	}
	return &Plane{client: c, owner: owner, applier: applier, withdrawals: withdrawals, wanted: wanted, now: time.Now}, nil
}

// converter parses a large schema: once is enough.
var converter = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
})

// WithClock sets what withdrawals are measured by.
func (p *Plane) WithClock(now func() time.Time) *Plane {
	p.now = now
	return p
}

// AsAccount tells that the credential is the account's own, which must not take away what
// it works by.
func (p *Plane) AsAccount() *Plane {
	p.asAccount = true
	return p
}

// Objects lists what was found or made so far, in creation order.
func (p *Plane) Objects() []ccluster.RemoteObject { return p.objects }

// made tells whether this pass has made or mended an object of a kind.
func (p *Plane) made(kind string) bool {
	return slices.ContainsFunc(p.wrote, func(o ccluster.RemoteObject) bool { return o.Kind == kind })
}

// Inherited tells that the cluster was claimed before this pass: there may be more of the
// registration than anybody remembers.
func (p *Plane) Inherited() bool { return len(p.objects) > 0 && !p.made("ConfigMap") }

// Wrote lists what had to be made or mended so far.
func (p *Plane) Wrote() []ccluster.RemoteObject { return p.wrote }

// piece is one object that is wanted on the plane.
type piece struct {
	apiVersion, kind string
	// live receives what is on the plane.
	live   client.Object
	key    types.NamespacedName
	intent func() runtime.ApplyConfiguration
	// immovable tells that live differs in a field that cannot be changed, so
	// that the object has to be made anew. Optional.
	immovable func() bool
	// lifeline tells that the account works by this object: without it, it may no longer
	// be able to make another.
	lifeline bool
	// adoptable tells that live has the shape that may be taken over. Optional.
	adoptable func() bool
}

// ensure makes one object as it should be and records it.
func (p *Plane) ensure(ctx context.Context, o piece) error {
	err := p.client.Get(ctx, o.key, o.live)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("read %s %s: %w", o.kind, o.key, err)
	}
	return p.ensureOver(ctx, o, err == nil)
}

// ensureOver is ensure for an object that has been read into live, or found to be absent.
func (p *Plane) ensureOver(ctx context.Context, o piece, found bool) error {
	if !found {
		return p.create(ctx, o)
	}
	if err := p.admit(o); err != nil {
		return err
	}
	if o.immovable != nil && o.immovable() {
		if o.lifeline && p.asAccount {
			return ErrLifeline
		}
		if err := p.remove(ctx, o.live); err != nil {
			return fmt.Errorf("replace %s %s: %w", o.kind, o.key, err)
		}
		return p.create(ctx, o)
	}
	wrote, err := p.applier.Ensure(ctx, o.live, o.intent(), o.live)
	if err != nil {
		return err
	}
	p.record(o, wrote)
	return nil
}

func (p *Plane) create(ctx context.Context, o piece) error {
	// A stale read must not leak into the answer.
	o.live.SetUID("")
	if err := p.applier.Create(ctx, o.intent(), o.live); err != nil {
		var foreign *apply.ErrForeign
		// A plane's answer may come without the causes that ErrForeign is told by;
		// an apply without UID conflicts for no other reason.
		if errors.As(err, &foreign) || apierrors.IsConflict(err) {
			return &ForeignError{Kind: o.kind, Namespace: o.key.Namespace, Name: o.key.Name}
		}
		return err
	}
	p.record(o, true)
	return nil
}

// admit decides whether live may be written.
func (p *Plane) admit(o piece) error {
	switch p.wanted.Marker.judge(o.live) {
	case ours:
		if o.live.GetDeletionTimestamp() != nil {
			return &TerminatingError{Kind: o.kind, Namespace: o.key.Namespace, Name: o.key.Name}
		}
		return nil
	case unmarked:
		if p.hasWritten(o.live) {
			// Somebody has removed the marker, nobody has taken the object over.
			return nil
		}
		if p.wanted.Adopt && o.adoptable != nil && o.adoptable() {
			return nil
		}
	case neighbours, foreign:
	}
	return &ForeignError{Kind: o.kind, Namespace: o.key.Namespace, Name: o.key.Name}
}

// hasWritten tells that fields of an object are this registration's: no other has its field
// manager.
func (p *Plane) hasWritten(obj client.Object) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == p.owner && e.Operation == metav1.ManagedFieldsOperationApply
	})
}

func (p *Plane) record(o piece, wrote bool) {
	r := ccluster.RemoteObject{
		APIVersion: o.apiVersion, Kind: o.kind,
		Namespace: o.live.GetNamespace(), Name: o.live.GetName(), UID: string(o.live.GetUID()),
	}
	p.objects = recordOnce(p.objects, r)
	if wrote {
		p.wrote = recordOnce(p.wrote, r)
	}
}

// Recall lists an object that an earlier pass has recorded and this one may not look at.
func (p *Plane) Recall(o ccluster.RemoteObject) { p.objects = recordOnce(p.objects, o) }

// recordOnce replaces an earlier record of the object: it may have been made anew.
func recordOnce(list []ccluster.RemoteObject, r ccluster.RemoteObject) []ccluster.RemoteObject {
	list = slices.DeleteFunc(list, func(o ccluster.RemoteObject) bool {
		return o.Kind == r.Kind && o.Namespace == r.Namespace && o.Name == r.Name
	})
	return append(list, r)
}

// remove deletes exactly the object that was read.
func (p *Plane) remove(ctx context.Context, obj client.Object) error {
	uid := obj.GetUID()
	return client.IgnoreNotFound(p.client.Delete(ctx, obj, client.Preconditions{UID: &uid}))
}
