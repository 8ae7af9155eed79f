// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
)

// HelloChart and HelloVersion name a chart that every bed serves: a ConfigMap and a Deployment.
const (
	HelloChart   = "hello"
	HelloVersion = "1.0.0"
)

//go:embed hello
var hello embed.FS

// writeHello writes the chart's folder.
func writeHello(dir string) error {
	chart, err := fs.Sub(hello, "hello")
	if err == nil {
		err = os.CopyFS(dir, chart)
	}
	if err != nil {
		return fmt.Errorf("write chart hello: %w", err)
	}
	return nil
}
