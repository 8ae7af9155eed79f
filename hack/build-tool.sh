#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# build-tool.sh NAME OUTPUT: builds the one tool that hack/NAME/go.mod pins.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
output=$PWD/$2

package=$(awk '$1 == "tool" { print $2; exit }' "hack/$name/go.mod")
[[ -n $package ]] || { echo "hack/$name/go.mod has no tool line" >&2; exit 1; }

echo "Building ${output##*/} (once) ..."
start=$SECONDS
mkdir -p "${output%/*}"
(cd "hack/$name" && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$output.tmp" "$package")
# A build that is cut short must not leave a file that looks up to date.
mv "$output.tmp" "$output"
echo "Built ${output##*/} in $((SECONDS - start)) s"
