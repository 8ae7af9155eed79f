#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# generate.sh CONTROLLER_GEN ROLE_NAME: one controller-gen run for all that it
# generates, then removal of files of an earlier run that this one did not write.
set -euo pipefail
cd "$(dirname "$0")/.."

controller_gen=$1
role_name=$2
header=hack/boilerplate.go.txt

# RBAC markers stand beside the code that needs the right.
paths=(paths=./api/v1alpha1)
for dir in controllers cmd; do
  if [[ -d $dir ]]; then
    paths+=("paths=./$dir/...")
  fi
done

stamp=$(mktemp)
trap 'rm -f "$stamp"' EXIT

echo "Generating from ${paths[*]#paths=}"
"$controller_gen" \
  "object:headerFile=$header" \
  "applyconfiguration:headerFile=$header,omitToolVersion=true" \
  crd \
  "rbac:roleName=$role_name" \
  "${paths[@]}" \
  output:crd:artifacts:config=config/crd/bases \
  output:rbac:artifacts:config=config/rbac

find api/v1alpha1/applyconfiguration config/crd/bases -type f ! -newer "$stamp" -print -delete |
  sed 's/^/Removed stale /'
