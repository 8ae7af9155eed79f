// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// revoke removes what the registration made on the plane. It ends without error also
// when there is nothing to remove, when the spec wants it left, and when the plane could
// not be cleaned up within the time that is allowed.
func (r *Reconciler) revoke(ctx context.Context, s *scope) error {
	if s.reg.Spec.InCluster != nil {
		return nil
	}
	if s.reg.Spec.DeletionPolicy == v1alpha1.DeletionRetain {
		s.events = append(s.events, released("`spec.deletionPolicy` is Retain: everything on the infra plane was left there"))
		return nil
	}
	deadline := s.revokeBy(r.options.RevokeTimeout)
	now := r.clock.Now()
	if now.Before(s.record.retryAt) && now.Before(deadline) {
		return &problem{reason: v1alpha1.ReasonDeleting, message: "Waiting to try again to clean up the infra plane", after: min(s.record.retryAt.Sub(now), deadline.Sub(now))}
	}
	if err := r.loadStored(ctx, s); err != nil {
		return err
	}
	err := r.withdraw(ctx, s)
	if err == nil {
		return nil
	}
	if !now.Before(deadline) {
		r.giveUp(ctx, s, err)
		return nil
	}
	p := onPlane(err)
	wait := p.after
	if p.backoff {
		wait = max(wait, remote.Backoff(s.record.failures, r.random()))
		s.record.failures++
		s.record.retryAt = now.Add(min(wait, deadline.Sub(now)))
	} else if wait == 0 {
		// A change would end the wait, but none need come before the deadline.
		wait = r.options.CheckPeriod
	}
	return &problem{reason: p.reason, message: "Cleaning up the infra plane: " + s.advised(v1alpha1.ConditionReady, p), after: min(wait, deadline.Sub(now))}
}

// revokeBy is when cleaning up is given up: a while after the deletion, or after the plane's
// Applications let it begin.
func (s *scope) revokeBy(timeout time.Duration) time.Time {
	begin := s.reg.DeletionTimestamp.Time
	if s.record.drainedAt.After(begin) {
		begin = s.record.drainedAt
	}
	return begin.Add(timeout)
}

// withdraw removes what is on the plane and then waits until the plane refuses the token.
func (r *Reconciler) withdraw(ctx context.Context, s *scope) error {
	if !s.record.cleaned {
		if err := r.cleanPlane(ctx, s); err != nil {
			return err
		}
		s.record.cleaned = true
		// Also the next process has to know that a refused token is no obstacle.
		s.report.objects = []v1alpha1.RemoteObject{s.accountObject()}
	}
	return r.proveRevocation(ctx, s)
}

// cleanPlane works with the bootstrap's credential if there is one, which can remove
// everything, and else with the registration's own token.
func (r *Reconciler) cleanPlane(ctx context.Context, s *scope) error {
	var tried error = errNothingToClean
	for _, connect := range []func(context.Context, *scope) (bool, error){r.cleanAsAdmin, r.cleanAsOwn} {
		possible, err := connect(ctx, s)
		if !possible {
			continue
		}
		if err == nil {
			return nil
		}
		tried = err
	}
	if len(s.report.objects) == 0 && s.stored == nil && neverDialled(tried) {
		// It never got as far as the plane.
		return nil
	}
	return tried
}

// neverDialled tells failures that were there before any connection.
func neverDialled(err error) bool {
	local := []remote.Kind{remote.AddressDenied, remote.ProxyNotAllowed, remote.InsecureNotAllowed, remote.InvalidConfig}
	return slices.Contains(local, remote.Classify(err).Kind) || errors.Is(err, errNothingToClean)
}

// errNothingToClean says that there is no credential to clean up with.
var errNothingToClean = &problem{
	reason:  v1alpha1.ReasonBootstrapRequired,
	message: "there is no credential: create the bootstrap Secret again",
}

func (r *Reconciler) cleanAsAdmin(ctx context.Context, s *scope) (bool, error) {
	target, err := r.readBootstrap(ctx, s)
	if err != nil {
		var rejection *kubeconfig.Rejection
		none := errors.As(err, &rejection) || errors.Is(err, errNoBootstrap)
		return !none, err
	}
	endpoint, err := resolveEndpoint(target.Endpoint, s.reg.Spec.Endpoint, r.options)
	if err != nil {
		return false, err
	}
	conn, err := r.pool.Fresh(s.key, endpoint, target.Credential)
	if err != nil {
		return true, err
	}
	defer conn.Close()
	other, err := s.isAnotherCluster(ctx, conn)
	if err != nil {
		return true, err
	}
	if other {
		// That nothing of ours is there says nothing about where it is.
		return false, nil
	}
	return true, r.clean(ctx, s, conn, true)
}

// isAnotherCluster tells whether something else than the registered cluster answers.
func (s *scope) isAnotherCluster(ctx context.Context, conn *remote.Conn) (bool, error) {
	if s.report.clusterUID == "" {
		return false, nil
	}
	uid, err := conn.ClusterUID(ctx)
	return string(uid) != s.report.clusterUID, err
}

func (r *Reconciler) cleanAsOwn(ctx context.Context, s *scope) (bool, error) {
	if !s.usable() {
		return false, nil
	}
	conn, err := r.pool.Fresh(s.key, s.stored.endpoint(), kubeconfig.Credential{BearerToken: s.stored.token.Value})
	if err != nil {
		return true, err
	}
	defer conn.Close()
	return true, r.clean(ctx, s, conn, false)
}

func (r *Reconciler) clean(ctx context.Context, s *scope, conn *remote.Conn, admin bool) error {
	plane, err := provision.New(conn.Client(), Owner, s.wanted)
	if err != nil {
		return err
	}
	if admin || !s.onlyAccountLeft() {
		err := plane.RemoveRights(ctx, s.report.objects, admin)
		s.record.hidden = nil
		if hidden, ok := errors.AsType[*provision.HiddenError](err); ok {
			s.record.hidden = hidden.Objects
		} else if err != nil {
			return err
		}
		if !admin {
			// Written down before the token ends itself: if this process ends with it,
			// the next one knows what a refused token means.
			s.report.objects = []v1alpha1.RemoteObject{s.accountObject()}
			return waiting(time.Millisecond, v1alpha1.ReasonDeleting, "The ServiceAccount is next")
		}
	}
	err = plane.RemoveAccount(ctx, s.report.objects, admin)
	if f := remote.Classify(err); f.Kind == remote.Unauthorized && f.FromAPI && !admin && s.onlyAccountLeft() {
		return nil
	}
	return err
}

func (s *scope) accountObject() v1alpha1.RemoteObject {
	return v1alpha1.RemoteObject{
		APIVersion: "v1", Kind: "ServiceAccount",
		Namespace: s.wanted.Account.Namespace, Name: s.wanted.Account.Name, UID: string(s.report.account),
	}
}

// onlyAccountLeft tells that an earlier pass has removed everything else.
func (s *scope) onlyAccountLeft() bool {
	return len(s.report.objects) == 1 && s.report.objects[0] == s.accountObject()
}
