// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
)

// liveStatus is the newest status known: the cache may be behind our last write.
func (r *record) liveStatus(reg *v1alpha1.ClusterRegistration) *v1alpha1.ClusterRegistrationStatus {
	if r.written == nil {
		return &reg.Status
	}
	order, err := resourceversion.CompareResourceVersion(reg.ResourceVersion, r.writtenVersion)
	if err != nil || order >= 0 {
		return &reg.Status
	}
	return r.written
}

// writeStatus writes the pass's outcome if it differs from what is there, and then
// sends the events.
func (r *Reconciler) writeStatus(ctx context.Context, s *scope) error {
	ready := v1alpha1.ReadyConditions()
	if r.options.ReadyWithoutPlane {
		ready = ready[:len(ready)-1]
	}
	s.conds.Summarize(v1alpha1.ConditionReady, ready...)
	if s.reg.Spec.Reconciliation == v1alpha1.ReconciliationSuspended && s.reg.DeletionTimestamp.IsZero() {
		s.conds.Set(v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonSuspended, "`spec.reconciliation` is Suspended: nothing is checked or repaired")
	}
	if !s.reg.DeletionTimestamp.IsZero() {
		s.conds.Set(v1alpha1.ConditionReady, metav1.ConditionFalse, s.deletion.reason, "%s", s.deletion.message)
	}
	r.memory.report(stateOf(s))
	next := s.status()
	if s.conds.Changed() || !equality.Semantic.DeepEqual(s.record.liveStatus(s.reg), &next) {
		if err := r.applyStatus(ctx, s, &next); err != nil {
			return err
		}
	}
	for _, e := range s.events {
		r.recorder.Eventf(s.reg, nil, e.kind, e.reason, e.action, e.note, e.args...)
	}
	return nil
}

func (r *Reconciler) applyStatus(ctx context.Context, s *scope, next *v1alpha1.ClusterRegistrationStatus) error {
	written := &v1alpha1.ClusterRegistration{}
	err := r.status.Status(ctx, v1alpha1ac.ClusterRegistration(s.reg.Name, s.reg.Namespace).
		WithUID(s.reg.UID).WithStatus(s.statusIntent(next)), written)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		// Deleted, and perhaps made anew, meanwhile.
		return nil
	}
	if err != nil {
		return err
	}
	s.record.written, s.record.writtenVersion = written.Status.DeepCopy(), written.ResourceVersion
	for _, t := range s.conds.Transitions() {
		if e, worth := onTransition(t); worth {
			s.events = append(s.events, e)
		}
	}
	return nil
}

func (s *scope) status() v1alpha1.ClusterRegistrationStatus {
	st := v1alpha1.ClusterRegistrationStatus{
		Conditions: s.conds.Conditions(), ObservedGeneration: s.reg.Generation,
		Server: s.report.server, KubernetesVersion: s.report.version, ClusterUID: s.report.clusterUID,
		Token: s.report.token, Probe: s.report.probe, RemoteObjects: s.report.objects,
	}
	if s.reg.Spec.InCluster == nil {
		st.ServiceAccount = v1alpha1.ServiceAccountStatus{
			Namespace: s.wanted.Account.Namespace, Name: s.wanted.Account.Name, UID: string(s.report.account),
		}
	}
	st.InfraPlaneRef.Name, st.CredentialsSecretRef.Name = s.report.planeRef, s.report.secretRef
	return st
}

// statusIntent is the whole status: what is left out is removed.
func (s *scope) statusIntent(st *v1alpha1.ClusterRegistrationStatus) *v1alpha1ac.ClusterRegistrationStatusApplyConfiguration {
	ac := v1alpha1ac.ClusterRegistrationStatus().
		WithConditions(s.conds.Build()...).WithObservedGeneration(st.ObservedGeneration)
	set := func(value string, with func(string) *v1alpha1ac.ClusterRegistrationStatusApplyConfiguration) {
		if value != "" {
			with(value)
		}
	}
	set(st.Server, ac.WithServer)
	set(st.KubernetesVersion, ac.WithKubernetesVersion)
	set(st.ClusterUID, ac.WithClusterUID)
	if sa := st.ServiceAccount; sa.Name != "" {
		account := v1alpha1ac.ServiceAccountStatus().WithNamespace(sa.Namespace).WithName(sa.Name)
		if sa.UID != "" {
			account.WithUID(sa.UID)
		}
		ac.WithServiceAccount(account)
	}
	if t := st.Token; t.Type != "" {
		token := v1alpha1ac.TokenStatus().WithType(t.Type).WithSecretName(t.SecretName)
		withTime(t.IssuedAt, token.WithIssuedAt)
		withTime(t.ExpiresAt, token.WithExpiresAt)
		ac.WithToken(token)
	}
	if p := st.Probe; p.Inputs != "" {
		ac.WithProbe(v1alpha1ac.ProbeStatus().WithInputs(p.Inputs).WithCompletedAt(p.CompletedAt))
	}
	if st.InfraPlaneRef.Name != "" {
		ac.WithInfraPlaneRef(v1alpha1ac.LocalObjectReference().WithName(st.InfraPlaneRef.Name))
	}
	if st.CredentialsSecretRef.Name != "" {
		ac.WithCredentialsSecretRef(v1alpha1ac.LocalObjectReference().WithName(st.CredentialsSecretRef.Name))
	}
	for _, o := range st.RemoteObjects {
		object := v1alpha1ac.RemoteObject().WithAPIVersion(o.APIVersion).WithKind(o.Kind).WithName(o.Name)
		if o.Namespace != "" {
			object.WithNamespace(o.Namespace)
		}
		if o.UID != "" {
			object.WithUID(o.UID)
		}
		ac.WithRemoteObjects(object)
	}
	return ac
}

func withTime(t metav1.Time, with func(metav1.Time) *v1alpha1ac.TokenStatusApplyConfiguration) {
	if !t.IsZero() {
		with(t)
	}
}
