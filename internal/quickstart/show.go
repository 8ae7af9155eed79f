// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// show presents what has come to be.
func (s *scene) show(ctx context.Context) error {
	s.printer.heading("What is on the control plane now")
	if err := s.showCommand(ctx, controlKubeconfig, "get", "clusterregistrations,cclinfraplanes", "-n", namespace, "-o", "wide"); err != nil {
		return err
	}
	reg := &v1alpha1.ClusterRegistration{}
	if err := s.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: registration}, reg); err != nil {
		return fmt.Errorf("read registration: %w", err)
	}
	s.printer.heading("The conditions of ClusterRegistration " + registration)
	s.printer.table(conditionRows(reg.Status.Conditions))

	secret := &corev1.Secret{}
	if err := s.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1alpha1.CredentialsSecretName(registration)}, secret); err != nil {
		return fmt.Errorf("read credentials: %w", err)
	}
	s.printer.heading("What Argo CD is given")
	if err := s.showCommand(ctx, controlKubeconfig, "get", "secrets,appprojects", "-n", localargo.Namespace, "-l", v1alpha1.ManagedLabel); err != nil {
		return err
	}
	s.printer.heading("What is in Secret " + secret.Name)
	s.printer.table(keyRows(secret.Data))
	return s.whoAmI(ctx, secret)
}

// conditionRows is the table of conditions.
func conditionRows(conditions []metav1.Condition) [][]string {
	rows := [][]string{{"CONDITION", "STATUS", "REASON", "MESSAGE"}}
	for _, c := range conditions {
		rows = append(rows, []string{c.Type, string(c.Status), c.Reason, c.Message})
	}
	return rows
}

// keyRows is the table of a Secret's keys: what is under them is not for the screen.
func keyRows(data map[string][]byte) [][]string {
	rows := [][]string{{"KEY", "BYTES"}}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		rows = append(rows, []string{key, strconv.Itoa(len(data[key]))})
	}
	return rows
}

// whoAmI asks the infra plane, with nothing but the Secret's content, who that is.
func (s *scene) whoAmI(ctx context.Context, secret *corev1.Secret) (err error) {
	kubeconfig, err := credentialKubeconfig(secret.Data)
	if err != nil {
		return err
	}
	if err := s.work.write(tokenKubeconfig, kubeconfig); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(s.work.path(tokenKubeconfig))) }()
	s.printer.heading("Who the infra plane takes the holder of that token for")
	return s.showCommand(ctx, tokenKubeconfig, "auth", "whoami")
}

// credentialKubeconfig makes a kubeconfig of a cluster Secret.
func credentialKubeconfig(data map[string][]byte) ([]byte, error) {
	cluster, err := argocd.ParseCluster(data)
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	return localplane.Kubeconfig(registration, &rest.Config{
		Host: cluster.Server, BearerToken: cluster.Config.BearerToken,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: cluster.Config.TLSClientConfig.CAData, ServerName: cluster.Config.TLSClientConfig.ServerName,
		},
	})
}

// showCommand shows a kubectl command and what it prints.
func (s *scene) showCommand(ctx context.Context, kubeconfig string, args ...string) error {
	s.printer.command(args)
	out, err := s.kubectl.run(ctx, s.work.path(kubeconfig), args...)
	if err != nil {
		return err
	}
	s.printer.text(out)
	return nil
}
