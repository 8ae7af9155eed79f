#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# packages.sh unit|server|plain|ginkgo [PACKAGE...]: lists the packages that have tests of that sort,
# of all or of the given ones.
#   server  start the real API server          unit   the others
#   ginkgo  are run by ginkgo                   plain  the others
set -euo pipefail
cd "$(dirname "$0")/.."

kind=$1
shift
if (($# == 0)); then
  set -- ./...
fi

# Import path, then everything that the package's tests import, then what the package itself does.
listing=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}} {{join .Imports " "}}{{end}}' "$@")

awk -v kind="$kind" '
  NF == 0 { next }
  {
    server = $1 ~ /\/(test\/envtest|internal\/localplane|internal\/quickstart)(\/|$)/
    ginkgo = 0
    for (i = 2; i <= NF; i++) {
      if ($i ~ /\/internal\/localplane$/ || $i == "sigs.k8s.io/controller-runtime/pkg/envtest") server = 1
      if ($i == "github.com/onsi/ginkgo/v2") ginkgo = 1
    }
  }
  kind == "server" && server || kind == "unit" && !server || kind == "ginkgo" && ginkgo || kind == "plain" && !ginkgo { print $1 }
' <<<"$listing"
