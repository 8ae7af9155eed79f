#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# check-dockerfile.sh: does what the Dockerfile does, without a container engine. Copies what
# .dockerignore lets through into an empty folder, runs the Dockerfile's own build command there, and
# requires that the file copied into the image is a static binary with the given version.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v0.0.0-check
commit=0123456789abcdef0123456789abcdef01234567

die() {
  echo "Dockerfile: $1" >&2
  exit 1
}

# Instructions on one line each, comments gone.
instructions=$(sed -e '/^[[:space:]]*#/d' Dockerfile | sed -e ':join' -e '/\\$/{N;s/\\\n[[:space:]]*//;b join' -e '}')

# The image ends with the last FROM.
final=$(awk '/^FROM / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' <<<"$instructions")

grep -qE '^FROM scratch$' <<<"$final" || die "the image must start from scratch"
grep -qE '^USER [1-9][0-9]*:[1-9][0-9]*$' <<<"$final" || die "USER must be a number other than 0, with a group"
entrypoint=$(sed -nE 's/^ENTRYPOINT \["([^"]+)"\]$/\1/p' <<<"$final")
[[ -n $entrypoint ]] || die "ENTRYPOINT must be one program, in the exec form"
binary=$(sed -nE "s|^COPY --from=build /src/(.+) $entrypoint\$|\1|p" <<<"$final")
[[ -n $binary ]] || die "nothing is copied from /src to $entrypoint"

go_image=$(sed -nE 's/^FROM .*golang:([0-9]+\.[0-9]+) AS build$/\1/p' <<<"$instructions")
go_module=$(awk '$1 == "go" { print $2 }' go.mod)
[[ -n $go_image && $go_module == "$go_image"* ]] || die "builds with Go '$go_image', but go.mod has $go_module"

build=$(sed -nE 's/^RUN (--mount=[^ ]+ )*(.*make .*)$/\2/p' <<<"$instructions")
[[ $(wc -l <<<"$build") == 1 && -n $build ]] || die "must have exactly one RUN instruction that calls make"

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
while IFS= read -r line; do
  case $line in
    '' | '#'* | '*') ;;
    '!'*[*?[]*) die ".dockerignore: $line is a pattern" ;;
    '!'*)
      if [[ -e ${line#!} ]]; then
        cp -R "${line#!}" "$context/"
      fi
      ;;
    *) die ".dockerignore: $line would remove a part of an allowed path" ;;
  esac
done <.dockerignore

echo "Building as the Dockerfile does: $build"
(
  cd "$context"
  export TARGETOS=linux TARGETARCH VERSION=$version COMMIT=$commit
  TARGETARCH=$(go env GOARCH)
  unset CGO_ENABLED
  bash -euo pipefail -c "$build"
)
go run ./hack/imagecheck "$context/$binary" "$version"
echo "verify: the image's build makes a static binary"
