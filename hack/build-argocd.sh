#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# Builds Argo CD, Helm and kwok from the modules pinned in hack/argocd, hack/helm and hack/kwok into
# bin/argocd, or into the folder given as the first argument, and puts their manifests beside them.
# With --manifests only those are made, which takes seconds; with --node kwok is built too, which is
# enough for a simulated node. Builds nothing that is there in the pinned versions, or when
# CCLUSTER_ARGOCD_ASSETS names another folder.
# The first build takes several minutes.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
only=
if [[ ${1:-} == --manifests || ${1:-} == --node ]]; then
  only=${1#--}
  shift
fi
out=${1:-$root/bin/argocd}
links=(argocd-application-controller argocd-repo-server)

assets=${CCLUSTER_ARGOCD_ASSETS:-$out}
if [[ $assets != "$out" && ! $assets -ef $out ]]; then
  echo "Using what is in CCLUSTER_ARGOCD_ASSETS=$assets; nothing is built."
  exit 0
fi

# version FOLDER MODULE prints the version that the module in FOLDER pins.
version() {
  awk -v m="$2" '{ for (i = 1; i < NF; i++) if ($i == m) { print $(i + 1); exit } }' "$root/hack/$1/go.mod"
}

argocd=github.com/argoproj/argo-cd/v3
argocd_version=$(version argocd "$argocd")
helm_version=$(version helm helm.sh/helm/v4)
kwok_version=$(version kwok sigs.k8s.io/kwok)
# Argo CD needs a newer Go than the rest, for this build alone.
toolchain=$(awk '$1 == "toolchain" { print $2; exit }' "$root/hack/argocd/go.mod")
platform=$(go env GOOS)/$(go env GOARCH)

mkdir -p "$out"
out=$(cd "$out" && pwd)

# up_to_date STAMP TEXT FILE...
up_to_date() {
  local stamp=$out/$1 text=$2 file
  shift 2
  [[ -f $stamp && $(<"$stamp") == "$text" ]] || return 1
  for file in "$@"; do
    [[ -e $out/$file ]] || return 1
  done
}

manifests="argocd $argocd_version, kwok $kwok_version"
if ! up_to_date .manifests "$manifests" crds config stages; then
  echo "Fetching manifests: $manifests"
  rm -rf "$out/crds" "$out/config" "$out/stages" "$out/.manifests"
  mkdir -p "$out/crds" "$out/config" "$out/stages"
  # folder NAME MODULE [VARIABLE=VALUE...] prints where the files of a module are that hack/NAME pins.
  folder() {
    local name=$1 module=$2
    shift 2
    (cd "$root/hack/$name" && env GOWORK=off "$@" go mod download -json "$module") | awk -F'"' '$2 == "Dir" { print $4 }'
  }
  source=$(folder argocd "$argocd" "GOTOOLCHAIN=${toolchain:-auto}")
  install -m 0644 "$source"/manifests/crds/{application,appproject}-crd.yaml "$out/crds/"
  install -m 0644 "$source"/manifests/base/config/*.yaml "$out/config/"
  rm -f "$out/config/kustomization.yaml"
  source=$(folder kwok sigs.k8s.io/kwok)
  for stage in node/fast node/heartbeat-with-lease pod/fast; do
    for file in "$source/kustomize/stage/$stage"/*.yaml; do
      [[ ${file##*/} == kustomization.yaml ]] || install -m 0644 "$file" "$out/stages/${stage%%/*}-${file##*/}"
    done
  done
  printf '%s\n' "$manifests" >"$out/.manifests"
fi
if [[ $only == manifests ]]; then
  exit 0
fi

# Each binary has a stamp of its own, which is written last and vouches for it.
missing=()
# want NAME VERSION [LINK...]: it has to be built, if it is not there.
want() {
  local name=$1 version=$2
  shift 2
  stamps[$name]="$name $version, $platform"
  up_to_date ".stamp-$name" "${stamps[$name]}" "$name" "$@" || missing+=("$name")
}
declare -A stamps
want kwok "$kwok_version"
if [[ $only != node ]]; then
  want argocd "$argocd_version" "${links[@]}"
  want helm "$helm_version"
fi
if ((${#missing[@]} == 0)); then
  echo "Up to date in $out: $(printf '%s\n' "${stamps[@]%,*}" | sort | paste -sd, | sed 's/,/, /g'), $platform"
  exit 0
fi

# Beside the target, so that the rename replaces a binary in one step.
work=$(mktemp -d "$out/.build-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step=0
# build NAME PACKAGE [VARIABLE=VALUE...]
build() {
  local name=$1 package=$2 begin=$SECONDS
  shift 2
  [[ " ${missing[*]} " == *" $name "* ]] || return 0
  rm -f "$out/.stamp-$name"
  step=$((step + 1))
  echo "[$step/${#missing[@]}] building ${stamps[$name]} ($SECONDS s so far)"
  (cd "$root/hack/$name" && env GOWORK=off CGO_ENABLED=0 "$@" go build -trimpath -ldflags "-s -w" -o "$work/$name" "$package")
  mv -f "$work/$name" "$out/$name"
  if [[ $name == argocd ]]; then
    # It acts by its name.
    for link in "${links[@]}"; do
      ln -sf argocd "$out/$link"
    done
  fi
  printf '%s\n' "${stamps[$name]}" >"$work/stamp"
  mv -f "$work/stamp" "$out/.stamp-$name"
  echo "[$step/${#missing[@]}] built $name in $((SECONDS - begin)) s"
}

echo "Building into $out"
build kwok sigs.k8s.io/kwok/cmd/kwok
build argocd "$argocd/cmd" "GOTOOLCHAIN=${toolchain:-auto}"
build helm helm.sh/helm/v4/cmd/helm
echo "Done in $SECONDS s"
