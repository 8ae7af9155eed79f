// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
)

// RotateServiceAccountKey replaces the key that signs service account tokens and
// restarts what uses it: every token from before is refused from then on, while
// client certificates and all objects stay as they are. The tokens in Secrets are
// not signed anew. It returns when Start would; after an error, calling it again
// starts what is not running.
func (p *Plane) RotateServiceAccountKey(ctx context.Context) error {
	// The controller manager must not fill Secrets with the old key meanwhile.
	err := errors.Join(p.halt(controllerManagerBinary), p.halt(apiServerBinary))
	if err == nil {
		err = p.replaceSigningKey()
	}
	if err == nil {
		err = p.bringUp(ctx)
	}
	if err != nil {
		return fmt.Errorf("rotate service account key of plane %s: %w", p.opts.Name, err)
	}
	return nil
}

// replaceSigningKey writes another key. Processes read it when they start.
func (p *Plane) replaceSigningKey() error {
	signing, verifying, err := newSigningKey()
	if err != nil {
		return err
	}
	return errors.Join(p.dir.write(signingKeyFile, signing), p.dir.write(signingPubFile, verifying))
}
