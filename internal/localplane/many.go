// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// StartAll starts several planes side by side, in the order of opts. A plane
// without a name is called plane-1, plane-2 and so on. After an error none of
// them is left running.
func StartAll(ctx context.Context, opts ...Options) ([]*Plane, error) {
	planes := make([]*Plane, len(opts))
	errs := make([]error, len(opts))
	var wg sync.WaitGroup
	for i, o := range opts {
		if o.Name == "" {
			o.Name = fmt.Sprintf("plane-%d", i+1)
		}
		wg.Go(func() { planes[i], errs[i] = Start(ctx, o) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, StopAll(context.WithoutCancel(ctx), planes...))
	}
	return planes, nil
}

// StopAll stops planes side by side and joins their errors. Nil planes are
// skipped.
func StopAll(ctx context.Context, planes ...*Plane) error {
	errs := make([]error, len(planes))
	var wg sync.WaitGroup
	for i, p := range planes {
		if p != nil {
			wg.Go(func() { errs[i] = p.Stop(ctx) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}
