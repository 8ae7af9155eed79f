// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apply writes Kubernetes objects with typed server-side apply, one
// field manager per [Applier].
//
// An intent is a generated apply configuration (or unstructured content wrapped
// by client.ApplyConfigurationFromUnstructured) that holds every field its
// manager wants, and nothing else: a field that was applied before and is left
// out is given up, and removed from the object unless another manager wants it
// too. So there is one function per object that returns its whole intent, and
// no two writers share a field manager.
//
// What the package adds to client.Client.Apply:
//
//   - The caller's intent is never changed. controller-runtime decodes the
//     server's answer into the value it was given; applying such a value again
//     would claim every field of the object. Here a copy is sent, and the answer
//     goes into a separate object if one is asked for.
//   - [Applier.Ensure] and [Applier.EnsureStatus] write nothing when the object
//     already is as intended, by looking at what managedFields says is ours.
//   - [Applier.Create] is the create-only form that server-side apply lacks.
//   - [Conflicts] and [ErrForeign] say who holds what, without error texts.
//
// # Limits
//
// Intents are compared as they are written. A value that the server stores in
// another form (the quantity "1000m", kept as "1"), or does not give back
// (stringData of a Secret), always looks changed; write the canonical form. So
// does a field the server drops for the endpoint used, such as status through
// [Applier.Object] on a kind with a status subresource.
//
// Objects to compare must carry managedFields: a cache that strips them makes
// every Ensure a write.
//
// # Non-goals
//
// The package decides nothing about retries, reads no object by itself, keeps no
// cache, does not log, and has no path for Update or merge patches.
package apply
