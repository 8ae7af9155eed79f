#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# verify-boilerplate.sh: every Go file starts with hack/boilerplate.go.txt, every shell script and
# Makefile with the same lines as a comment of theirs.
set -euo pipefail
cd "$(dirname "$0")/.."

header=$(<hack/boilerplate.go.txt)
script_header=${header//\/\//#}
bad=0

while IFS= read -r file; do
  want=$header
  if [[ $file != *.go ]]; then
    want=$script_header
  fi
  # A build constraint, with a blank line after it, or an interpreter line has to stand first.
  head=$(awk '
    NR == 1 && /^#!/ { next }
    NR == 1 && /^\/\/go:build / { getline; next }
    ++n <= 2
    n == 2 { exit }
  ' "$file")
  if [[ $head != "$want" ]]; then
    echo "$file: does not start with the licence header" >&2
    bad=1
  fi
done < <(find . \( -path ./.git -o -path ./bin \) -prune -o -type f \( -name '*.go' -o -name '*.sh' -o -name Makefile -o -path ./.ci/run \) -print | sort)

if ((bad)); then
  exit 1
fi
echo "verify: licence headers are in place"
