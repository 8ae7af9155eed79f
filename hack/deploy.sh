#!/usr/bin/env bash
# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

# deploy.sh KUBECTL CONFIG_IMAGE IMG: applies config/default with its image CONFIG_IMAGE replaced by
# IMG. The replacement is an overlay under bin/, so no file of config/ changes.
set -euo pipefail
cd "$(dirname "$0")/.."

kubectl=$1
config_image=$2
image=$3

mkdir -p bin/deploy
{
  echo "apiVersion: kustomize.config.k8s.io/v1beta1"
  echo "kind: Kustomization"
  echo "resources:"
  echo "- ../../config/default"
  echo "images:"
  echo "- name: $config_image"
  case $image in
    *@*)
      echo "  newName: ${image%%@*}"
      echo "  digest: ${image#*@}"
      ;;
    *:*)
      # A colon before the last slash belongs to a port.
      if [[ ${image##*:} == */* ]]; then
        echo "  newName: $image"
      else
        echo "  newName: ${image%:*}"
        echo "  newTag: ${image##*:}"
      fi
      ;;
    *) echo "  newName: $image" ;;
  esac
} >bin/deploy/kustomization.yaml

rendered=$("$kubectl" kustomize bin/deploy)
if ! grep -qF "image: $image" <<<"$rendered"; then
  echo "config/default has no image named $config_image to replace by $image" >&2
  exit 1
fi
"$kubectl" apply --server-side -f - <<<"$rendered"
