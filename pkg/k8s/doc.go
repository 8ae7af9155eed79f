// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package k8s is a small Kubernetes client without schemas: manifests go in as JSON or YAML text,
// objects come back as [Value]s that are read by JSON pointer. It creates, gets, lists, watches and
// deletes Pods, Services, Jobs and any other namespaced [Resource], and reads the logs of Pods.
//
//	config, err := k8s.LoadConfig("")
//	client, err := k8s.NewClient(config)
//	pod, err := client.Create(ctx, k8s.Pods, manifest)
//	for event, err := range client.Watch(ctx, k8s.Pods, k8s.WatchOptions{Selector: "app=hello"}) { … }
//
// Calls work in the namespace of the [Config], or in another one through [Client.In]. They can be
// made from several goroutines. A refusal of the API server is an [*Error], which the predicates of
// k8s.io/apimachinery/pkg/api/errors understand as well.
//
// Everything that talks to the server is client-go's; this package logs nothing.
package k8s
