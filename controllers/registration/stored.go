// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// stored is the content of `<name>-credentials`.
type stored struct {
	plane ccluster.InfraPlane
	// generation of the spec that it was made for.
	generation int64
	token      provision.Token
	kind       v1alpha1.TokenType
	// inputs are what the token was issued for, renewAt when it is to be replaced.
	inputs  inputs
	renewAt time.Time
	// lastName is the token Secret that is named there, also if nothing else is right.
	lastName string
	// authentic tells that every field is as this controller wrote it.
	authentic bool
}

// loadStored reads the credential. One that is absent, terminating, somebody else's
// or cannot be parsed is no credential.
func (r *Reconciler) loadStored(ctx context.Context, s *scope) error {
	secret := &corev1.Secret{}
	key := s.objectKey(v1alpha1.CredentialsSecretName(s.key.Name))
	err := r.client.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) && s.report.secretRef != "" {
		// It has been written, so it may have lost the label by which the cache has it.
		err = r.live.Get(ctx, key, secret)
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return onControlPlane(fmt.Errorf("read credentials: %w", err))
	}
	s.stored = r.parseStored(s, secret)
	return nil
}

func (r *Reconciler) parseStored(s *scope, secret *corev1.Secret) *stored {
	if !metav1.IsControlledBy(secret, s.reg) {
		return nil
	}
	st := &stored{lastName: secret.Annotations[v1alpha1.TokenSecretAnnotation]}
	cluster, err := argocd.ParseCluster(secret.Data)
	if err != nil {
		return st
	}
	st.generation, _ = strconv.ParseInt(secret.Annotations[v1alpha1.GenerationAnnotation], 10, 64)
	st.kind = v1alpha1.TokenType(secret.Annotations[v1alpha1.TokenTypeAnnotation])
	st.inputs = parseInputs(secret.Annotations[v1alpha1.TokenInputsAnnotation])
	st.renewAt = parseTime(secret.Annotations[v1alpha1.TokenRenewAtAnnotation])
	st.token = provision.Token{
		Value: cluster.Config.BearerToken, SecretName: st.lastName,
		Account:   types.UID(secret.Annotations[v1alpha1.TokenServiceAccountUIDAnnotation]),
		IssuedAt:  parseTime(secret.Annotations[v1alpha1.TokenIssuedAtAnnotation]),
		ExpiresAt: parseTime(secret.Annotations[v1alpha1.TokenExpiresAtAnnotation]),
	}
	st.plane = ccluster.InfraPlane{
		Server: cluster.Server, BearerToken: cluster.Config.BearerToken,
		CACert: cluster.Config.TLSClientConfig.CAData, TLSServerName: cluster.Config.TLSClientConfig.ServerName,
		Insecure: cluster.Config.TLSClientConfig.Insecure, ProxyURL: cluster.Config.ProxyURL,
	}
	// What somebody else has written since is theirs, and not what was proven.
	owned, err := r.objects.Owns(secret, provenFields(st.kind)...)
	st.authentic = err == nil && owned && s.expects(st.plane.Server)
	return st
}

// expects tells whether a token may be for a server: the one in the status, which others write
// than those who write Secrets, or that of the spec.
func (s *scope) expects(server string) bool {
	if s.report.server == "" || server == s.report.server {
		return true
	}
	wanted := s.reg.Spec.Endpoint
	if wanted == nil {
		return false
	}
	canonical, err := kubeconfig.CanonicalServer(wanted.Server)
	return err == nil && server == canonical
}

// provenFields are all that is read back of a credential.
func provenFields(kind v1alpha1.TokenType) [][]string {
	fields := [][]string{
		{"data", argocd.KeyServer},
		{"data", argocd.KeyConfig},
		annotation(v1alpha1.GenerationAnnotation), annotation(v1alpha1.TokenTypeAnnotation),
		annotation(v1alpha1.TokenSecretAnnotation), annotation(v1alpha1.TokenServiceAccountUIDAnnotation),
		annotation(v1alpha1.TokenIssuedAtAnnotation), annotation(v1alpha1.TokenInputsAnnotation),
	}
	if kind == v1alpha1.TokenBound {
		fields = append(fields, annotation(v1alpha1.TokenExpiresAtAnnotation), annotation(v1alpha1.TokenRenewAtAnnotation))
	}
	return fields
}

func annotation(key string) []string { return []string{"metadata", "annotations", key} }

func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (st *stored) endpoint() kubeconfig.Endpoint {
	return kubeconfig.Endpoint{
		Server: st.plane.Server, CAData: st.plane.CACert, TLSServerName: st.plane.TLSServerName,
		ProxyURL: st.plane.ProxyURL, Insecure: st.plane.Insecure,
	}
}

// infraPlane is what the registration's credentials have to be.
func (s *scope) infraPlane() ccluster.InfraPlane {
	if s.reg.Spec.InCluster != nil {
		return ccluster.InfraPlane{}
	}
	p := ccluster.InfraPlane{
		Server: s.endpoint.Server, BearerToken: s.token.Value, CACert: s.endpoint.CAData,
		TLSServerName: s.endpoint.TLSServerName, ProxyURL: s.endpoint.ProxyURL, Insecure: s.endpoint.Insecure,
		Namespaces:  slices.Clone(s.wanted.Namespaces),
		Labels:      map[string]string{},
		Annotations: map[string]string{},
		Finalizer:   v1alpha1.CredentialsFinalizer,
	}
	if a := s.reg.Spec.Access; a != nil {
		p.ClusterResources = a.ClusterResources == v1alpha1.ClusterResourcesInclude
	}
	for k, v := range s.reg.Spec.ClusterLabels {
		p.Labels[k] = string(v)
	}
	for k, v := range s.reg.Spec.ClusterAnnotations {
		p.Annotations[k] = string(v)
	}
	p.Labels[v1alpha1.ManagedLabel] = v1alpha1.ManagedCredentials
	maps.Copy(p.Annotations, map[string]string{
		v1alpha1.GenerationAnnotation:             strconv.FormatInt(s.reg.Generation, 10),
		v1alpha1.TokenTypeAnnotation:              string(tokenType(s.reg)),
		v1alpha1.TokenSecretAnnotation:            s.token.SecretName,
		v1alpha1.TokenServiceAccountUIDAnnotation: string(s.token.Account),
		v1alpha1.TokenIssuedAtAnnotation:          formatTime(s.token.IssuedAt),
	})
	p.Annotations[v1alpha1.TokenInputsAnnotation] = s.inputs.String()
	if !s.token.ExpiresAt.IsZero() {
		p.Annotations[v1alpha1.TokenExpiresAtAnnotation] = formatTime(s.token.ExpiresAt)
	}
	if !s.renewAt.IsZero() {
		p.Annotations[v1alpha1.TokenRenewAtAnnotation] = formatTime(s.renewAt)
	}
	return p
}

func tokenType(reg *v1alpha1.ClusterRegistration) v1alpha1.TokenType {
	if t := reg.Spec.Token; t != nil && t.Type != "" {
		return t.Type
	}
	return v1alpha1.TokenLongLived
}

// defaultExpiration is asked for where the spec does not say.
const defaultExpiration = 30 * 24 * time.Hour

func tokenLife(reg *v1alpha1.ClusterRegistration) time.Duration {
	if t := reg.Spec.Token; t != nil && t.ExpirationSeconds > 0 {
		return time.Duration(t.ExpirationSeconds) * time.Second
	}
	return defaultExpiration
}
