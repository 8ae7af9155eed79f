#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# verify-tidy.sh: go.mod and go.sum of every module are what go mod tidy makes of them. Writes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

bad=0
for module in go.mod hack/*/go.mod; do
  # A module may need a newer Go than this one.
  toolchain=$(awk '$1 == "toolchain" { print $2; exit }' "$module")
  if ! (cd "$(dirname "$module")" && GOWORK=off GOTOOLCHAIN=${toolchain:-$(go env GOTOOLCHAIN)} go mod tidy -diff); then
    echo "$module is not tidy: run go mod tidy in $(dirname "$module")" >&2
    bad=1
  fi
done

if ((bad)); then
  exit 1
fi
echo "verify: every module is tidy"
