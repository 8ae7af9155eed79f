// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	pollInterval = 50 * time.Millisecond
	// callTimeout keeps one unanswered request from hiding that a process died.
	callTimeout = 5 * time.Second

	probeSecret    = "localplane-probe"
	serviceAccount = "default"
	rootCAConfig   = "kube-root-ca.crt"
)

// await repeats check until it succeeds, a process ends, or ctx ends.
func (p *Plane) await(ctx context.Context, what string, check func(context.Context) error) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if err := p.Check(); err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		call, cancel := context.WithTimeout(ctx, callTimeout)
		last := check(call)
		cancel()
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w; last answer: %w", what, context.Cause(ctx), last)
		case <-ticker.C:
		}
	}
}

func (p *Plane) awaitAPIServer(ctx context.Context) error {
	err := p.await(ctx, "the API server", func(ctx context.Context) error {
		return p.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	if err != nil {
		return err
	}
	for _, namespace := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		err := p.await(ctx, "namespace "+namespace, func(ctx context.Context) error {
			_, err := p.client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Plane) awaitControllerManager(ctx context.Context) error {
	err := p.await(ctx, "the default service account", func(ctx context.Context) error {
		_, err := p.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, serviceAccount, metav1.GetOptions{})
		return err
	})
	if err != nil {
		return err
	}
	err = p.await(ctx, "the root CA of the default namespace", func(ctx context.Context) error {
		_, err := p.client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(ctx, rootCAConfig, metav1.GetOptions{})
		return err
	})
	if err != nil {
		return err
	}
	return p.awaitTokenController(ctx)
}

// awaitTokenController has a Secret filled. Objects made by an earlier run of
// the controller manager say nothing about this one; this does.
func (p *Plane) awaitTokenController(ctx context.Context) error {
	secrets := p.client.CoreV1().Secrets(metav1.NamespaceDefault)
	remove := func(ctx context.Context) error {
		err := secrets.Delete(ctx, probeSecret, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	probe := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:        probeSecret,
			Annotations: map[string]string{corev1.ServiceAccountNameKey: serviceAccount},
		},
		Type: corev1.SecretTypeServiceAccountToken,
	}
	err := p.await(ctx, "a Secret to be made", func(ctx context.Context) error {
		if err := remove(ctx); err != nil {
			return err
		}
		_, err := secrets.Create(ctx, probe, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	err = p.await(ctx, "the token controller", func(ctx context.Context) error {
		secret, err := secrets.Get(ctx, probeSecret, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(secret.Data[corev1.ServiceAccountTokenKey]) == 0 {
			return errors.New("the Secret has no token yet")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.await(ctx, "a Secret to be removed", remove)
}
