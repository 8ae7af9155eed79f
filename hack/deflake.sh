#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# deflake.sh GINKGO REPEAT PACKAGE...: runs the tests 1 + REPEAT times in random order and stops at
# the first failure. A ginkgo suite cannot be run twice in one process, so ginkgo repeats those.
set -euo pipefail
cd "$(dirname "$0")/.."

ginkgo=$1
repeat=$2
shift 2

mapfile -t plain < <(hack/packages.sh plain "$@")
mapfile -t suites < <(hack/packages.sh ginkgo "$@")

if ((${#plain[@]})); then
  go test -race -shuffle=on -failfast -timeout 60m -count "$((repeat + 1))" "${plain[@]}"
fi
if ((${#suites[@]})); then
  mapfile -t folders < <(go list -f '{{.Dir}}' "${suites[@]}")
  "$ginkgo" run --race --randomize-all --randomize-suites --repeat "$repeat" --timeout 60m "${folders[@]}"
fi
