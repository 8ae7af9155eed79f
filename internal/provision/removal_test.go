// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"errors"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// Remove is a whole removal, as a registration that is deleted does it.
func (p *Plane) Remove(ctx context.Context, recorded []ccluster.RemoteObject, admin bool) error {
	err := p.RemoveRights(ctx, recorded, admin)
	var hidden *HiddenError
	if err != nil && !errors.As(err, &hidden) {
		return err
	}
	if last := p.RemoveAccount(ctx, recorded, admin); last != nil {
		return last
	}
	return err
}
