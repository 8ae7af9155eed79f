#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# verify-docs.sh: every relative link of a Markdown page leads to something, every decision record is
# in the index, and every make target that a page names exists.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob

bad=0
complain() {
  echo "$1" >&2
  bad=1
}

mapfile -t pages < <(find . \( -path ./.git -o -path ./bin \) -prune -o -type f -name '*.md' -print | sort)

# What looks like a link in code is none.
prose() {
  awk '/^[[:space:]]*(```|~~~)/ { fenced = !fenced; next } !fenced { gsub(/`[^`]*`/, ""); print }' "$1"
}

for page in "${pages[@]}"; do
  while IFS= read -r target; do
    target=${target%%#*}
    case $target in
      '' | *://* | mailto:*) continue ;;
    esac
    if [[ ! -e ${page%/*}/$target ]]; then
      complain "$page: link to $target, which does not exist"
    fi
  done < <(prose "$page" | grep -oE '\]\([^)[:space:]]+' | sed 's/^](//' || true)

  while IFS= read -r target; do
    if ! grep -qE "^$target:" Makefile; then
      complain "$page: names make $target, which is no target"
    fi
  done < <(grep -ohE '(`|^[[:space:]]*(\$ )?)make [a-z][a-z0-9-]*' "$page" | sed -E 's/.*make //' | sort -u || true)
done

for record in docs/adr/[0-9]*.md; do
  if [[ $record != */0000-* ]] && ! grep -qF "(${record##*/})" docs/adr/README.md; then
    complain "docs/adr/README.md: ${record##*/} is missing"
  fi
done

if ((bad)); then
  exit 1
fi
echo "verify: links, decision records and make targets in ${#pages[@]} pages hold"
