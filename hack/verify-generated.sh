#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# verify-generated.sh: generates again, in place, and fails if that changed, added or removed a file.
# It compares with the working tree as it was, not with git, so other changes do not matter.
set -euo pipefail
cd "$(dirname "$0")/.."

generated=(
  api/v1alpha1/zz_generated.deepcopy.go
  api/v1alpha1/applyconfiguration
  config/crd/bases
  config/rbac/role.yaml
  docs/api
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

snapshot() {
  local path
  mkdir -p "$work/$1"
  for path in "${generated[@]}"; do
    if [[ -e $path ]]; then
      mkdir -p "$work/$1/${path%/*}"
      cp -R "$path" "$work/$1/$path"
    fi
  done
}

snapshot before
make generate api-docs
snapshot after

if ! (cd "$work" && diff -ruN before after); then
  echo "Generated files were out of date. They are right now: review and commit them." >&2
  exit 1
fi
echo "verify: generated files are up to date"
