#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl
# from the modules pinned in hack/etcd and hack/kubernetes into bin/controlplane, or into
# the folder given as the first argument. Builds nothing when they are there in
# the pinned versions, or when KUBEBUILDER_ASSETS names other binaries.
# The first build takes several minutes.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/bin/controlplane}
binaries=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl)

assets=${KUBEBUILDER_ASSETS:-$out}
if [[ $assets != "$out" && ! $assets -ef $out ]]; then
  echo "Using the binaries in KUBEBUILDER_ASSETS=$assets; nothing is built."
  exit 0
fi

# version FOLDER MODULE prints the version that the module in FOLDER pins.
version() {
  (cd "$root/hack/$1" && GOWORK=off go list -m -f '{{.Version}}' "$2")
}

etcd_version=$(version etcd go.etcd.io/etcd/server/v3)
kubernetes_version=$(version kubernetes k8s.io/kubernetes)
stamp="etcd $etcd_version, kubernetes $kubernetes_version, $(go env GOOS)/$(go env GOARCH)"

up_to_date() {
  local name
  [[ -f $out/.stamp && $(<"$out/.stamp") == "$stamp" ]] || return 1
  for name in "${binaries[@]}"; do
    [[ -x $out/$name ]] || return 1
  done
}

if up_to_date; then
  echo "Up to date in $out: $stamp"
  exit 0
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
# Beside the target, so that the rename replaces a binary in one step.
work=$(mktemp -d "$out/.build-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rm -f "$out/.stamp"

IFS=. read -r major minor _ <<<"${kubernetes_version#v}"
ldflags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  ldflags+=" -X $package.gitVersion=$kubernetes_version"
  ldflags+=" -X $package.gitMajor=$major -X $package.gitMinor=$minor"
done

step=0
# build NAME FOLDER PACKAGE LDFLAGS
build() {
  local name=$1 folder=$2 package=$3 flags=$4 begin=$SECONDS
  step=$((step + 1))
  echo "[$step/${#binaries[@]}] building $name ($SECONDS s so far)"
  (cd "$root/hack/$folder" && GOWORK=off CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$work/$name" "$package")
  mv -f "$work/$name" "$out/$name"
  echo "[$step/${#binaries[@]}] built $name in $((SECONDS - begin)) s"
}

echo "Building into $out: $stamp"
build etcd etcd go.etcd.io/etcd/server/v3 "-s -w"
for name in "${binaries[@]:1}"; do
  build "$name" kubernetes "k8s.io/kubernetes/cmd/$name" "$ldflags"
done

# Last: a stamp vouches for all of them.
printf '%s\n' "$stamp" >"$work/.stamp"
mv -f "$work/.stamp" "$out/.stamp"
echo "Done in $SECONDS s: export KUBEBUILDER_ASSETS=$out"
