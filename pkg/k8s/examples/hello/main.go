// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Hello starts a Pod, waits for it to finish, prints its log and cleans up: in the Pod's own
// namespace if it runs in one, else in the namespace of the current kubeconfig context.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

const manifest = `
apiVersion: v1
kind: Pod
metadata:
  name: hello
  labels: {app: hello}
spec:
  restartPolicy: Never
  containers:
  - name: c
    image: busybox
    command: [echo, hi]
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := hello(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hello(ctx context.Context, out io.Writer) (err error) {
	config, err := k8s.LoadConfig("")
	if err != nil {
		return err
	}
	client, err := k8s.NewClient(config)
	if err != nil {
		return err
	}
	if _, err := client.Create(ctx, k8s.Pods, manifest); err != nil {
		return err
	}
	defer func() {
		_, failed := client.DeleteAll(context.WithoutCancel(ctx), k8s.Pods, "app=hello")
		err = errors.Join(err, failed)
	}()
	phase, err := finished(ctx, client)
	if err != nil {
		return err
	}
	log, err := client.Logs(ctx, "hello", k8s.LogOptions{})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s", phase, log)
	return err
}

// finished waits until the Pod has ended, and returns its phase.
func finished(ctx context.Context, client *k8s.Client) (string, error) {
	options := k8s.WatchOptions{Selector: "app=hello", Timeout: 5 * time.Minute}
	for event, err := range client.Watch(ctx, k8s.Pods, options) {
		if err != nil {
			return "", err
		}
		phase, err := event.Object.StringAt("/status/phase")
		if err != nil && !errors.Is(err, k8s.ErrAbsent) {
			return "", err
		}
		if phase == "Succeeded" || phase == "Failed" {
			return phase, nil
		}
	}
	return "", errors.New("the Pod has not ended in five minutes")
}
