// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"context"

	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// NodeName is what a simulated node is called.
const NodeName = localnode.Name

// AddNode gives a plane a simulated node, on which Pods that are bound to it get Ready. There is no
// scheduler: Pods have to name the node.
func (b *Bed) AddNode(ctx context.Context, plane *localplane.Plane) error {
	n, err := localnode.Start(ctx, plane, localnode.Options{Assets: b.options.Assets, LogDir: b.logs})
	if err != nil {
		return err
	}
	b.nodes = append(b.nodes, n)
	return nil
}
