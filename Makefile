# Copyright The ccluster-go Authors.
# SPDX-License-Identifier: Apache-2.0

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory --no-builtin-rules

# ---------------------------------------------------------------- settings

# The image that docker-build makes and deploy runs.
IMG ?= ccluster-go/manager:dev
# The name that config/manager gives to the manager's image.
CONFIG_IMAGE ?= controller
# The name of the generated ClusterRole, which config/rbac binds.
ROLE_NAME ?= ccluster-manager-role

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)

# The real etcd, kube-apiserver, kube-scheduler and so on that tests
# and the quickstart run against. A folder that KUBEBUILDER_ASSETS names is used
# as it is; otherwise hack/build-controlplane.sh fills bin/controlplane.
ASSETS := $(or $(KUBEBUILDER_ASSETS),$(CURDIR)/bin/controlplane)
WITH_ASSETS := KUBEBUILDER_ASSETS='$(ASSETS)'

# Test packages at one time: every server suite starts a control plane of its
# own, so a machine with many cores would run out of memory first.
TEST_PARALLEL ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))
# The suite that waits the longest begins first, so that the others run beside it.
TEST_FIRST ?= ./test/envtest/registration
GO_TEST_FLAGS ?= -race -p $(TEST_PARALLEL) -timeout 60m
# What deflake repeats, and how many more times than once.
DEFLAKE_PKGS ?= ./...
DEFLAKE_REPEAT ?= 9

# More flags for go test of the e2e target, such as -v.
E2E_FLAGS ?=

RUN_ARGS ?=
KUBECTL ?= $(firstword $(wildcard $(ASSETS)/kubectl) kubectl)

# ---------------------------------------------------------------- tools

# Each tool is pinned in a module of its own, hack/<tool>/go.mod, and built once.
TOOLS := bin/tools
# tool-version: $(1) the tool's folder in hack, $(2) the module that carries its version.
tool-version = $(shell awk -v m=$(2) '{for (i = 1; i < NF; i++) if ($$i == m) {print $$(i+1); exit}}' $(wildcard hack/$(1)/go.mod) /dev/null)

CONTROLLER_GEN := $(TOOLS)/controller-gen-$(call tool-version,controller-gen,sigs.k8s.io/controller-tools)
GOLANGCI_LINT := $(TOOLS)/golangci-lint-$(call tool-version,golangci-lint,github.com/golangci/golangci-lint/v2)
KUBE_API_LINTER := $(TOOLS)/kube-api-linter-$(call tool-version,kube-api-linter,sigs.k8s.io/kube-api-linter)
GINKGO := $(TOOLS)/ginkgo-$(call tool-version,ginkgo,github.com/onsi/ginkgo/v2)

# tool-rule: $(1) file to build, $(2) the tool's folder in hack.
define tool-rule
$(1): hack/$(2)/go.mod $(TOOLS)/.go-version
	@hack/build-tool.sh $(2) $$@
endef
$(eval $(call tool-rule,$(CONTROLLER_GEN),controller-gen))
$(eval $(call tool-rule,$(GOLANGCI_LINT),golangci-lint))
$(eval $(call tool-rule,$(KUBE_API_LINTER),kube-api-linter))
$(eval $(call tool-rule,$(GINKGO),ginkgo))

# A linter reads the export data of the toolchain that built it, so another
# toolchain means another build. Written only when it changes.
$(TOOLS)/.go-version: FORCE
	@mkdir -p $(@D)
	@v=$$(go version); [[ -f $@ && $$(<$@) == "$$v" ]] || echo "$$v" >$@

.PHONY: FORCE
FORCE:

##@ Start here

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN {FS = ":.*## "; print "Usage: make <target>"} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z][a-z0-9-]*:.*## / {printf "  %-14s %s\n", $$1, $$2}' Makefile

.PHONY: quickstart
quickstart: envtest-bin $(if $(filter 1,$(ARGOCD)),argocd-bin,argocd-manifests) ## Two control planes on this machine, one registered with the other. ARGOCD=1 deploys to it. QUICKSTART_EXIT=1 ends it at success.
	@$(WITH_ASSETS) go run ./hack/quickstart

##@ Develop

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Generate deep copies, apply configurations, CRDs and the manager's role.
	@hack/generate.sh $(CONTROLLER_GEN) $(ROLE_NAME)

.PHONY: api-docs
api-docs: ## Generate docs/api from the CRDs.
	go run ./hack/apidocs config/crd/bases docs/api

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go code.
	$(GOLANGCI_LINT) fmt

.PHONY: lint
lint: $(GOLANGCI_LINT) lint-api ## All linters, API conventions included.
	go vet ./...
	$(GOLANGCI_LINT) run

.PHONY: lint-api
lint-api: $(KUBE_API_LINTER) ## The Kubernetes API conventions, on api/.
	$(KUBE_API_LINTER) run --config .golangci-kal.yml ./api/...

.PHONY: verify
verify: $(CONTROLLER_GEN) ## Fail if generated files, modules, headers, docs or the image build are not as they should be.
	@hack/verify-boilerplate.sh
	@hack/verify-docs.sh
	@hack/verify-tidy.sh
	@hack/verify-generated.sh
	@hack/check-dockerfile.sh

##@ Test

.PHONY: test
test: envtest-bin node-bin ## All tests, real API server included, with the race detector.
	@$(WITH_ASSETS) go test $(GO_TEST_FLAGS) $(TEST_FIRST) ./...

.PHONY: test-unit
test-unit: ## The tests that need no API server.
	go test $(GO_TEST_FLAGS) $$(hack/packages.sh unit)

.PHONY: test-envtest
test-envtest: envtest-bin node-bin ## The tests on the real API server.
	@$(WITH_ASSETS) go test $(GO_TEST_FLAGS) $$(hack/packages.sh server)

.PHONY: envtest-bin
envtest-bin: ## Build etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl into bin/controlplane, once.
	@hack/build-controlplane.sh

.PHONY: e2e
e2e: envtest-bin argocd-bin ## The tests on real Argo CD, with a simulated node. Needs redis-server.
	@$(WITH_ASSETS) go test -tags e2e -timeout 40m $(E2E_FLAGS) ./test/e2e

.PHONY: argocd-manifests
argocd-manifests: ## Fetch Argo CD's and kwok's manifests into bin/argocd, once.
	@hack/build-argocd.sh --manifests

.PHONY: node-bin
node-bin: ## The same, and build kwok there, for a simulated node.
	@hack/build-argocd.sh --node

.PHONY: argocd-bin
argocd-bin: ## Build Argo CD, Helm and kwok into bin/argocd, once.
	@hack/build-argocd.sh

.PHONY: deflake
deflake: envtest-bin node-bin $(GINKGO) ## Repeat the tests in random order: DEFLAKE_REPEAT more times, of DEFLAKE_PKGS.
	@$(WITH_ASSETS) hack/deflake.sh $(GINKGO) $(DEFLAKE_REPEAT) $(DEFLAKE_PKGS)

##@ Build

VERSION_PKG := github.com/ccluster-go/ccluster-go/internal/version
GO_BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=false \
	-ldflags '-s -w -X $(VERSION_PKG).Version=$(VERSION) -X $(VERSION_PKG).Commit=$(COMMIT)'

.PHONY: build
build: build-static ## Build bin/manager and bin/ccluster.
	$(if $(wildcard cmd/ccluster),$(GO_BUILD) -o bin/ccluster ./cmd/ccluster)

# The Dockerfile runs this target and hack/check-dockerfile.sh checks what it makes.
.PHONY: build-static
build-static: ## Build bin/manager alone, as the image has it.
	$(GO_BUILD) -o bin/manager ./cmd/manager

.PHONY: docker-build
docker-build: ## Build the manager's image IMG.
	docker build --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) -t $(IMG) .

.PHONY: clean
clean: ## Remove everything that was built.
	rm -rf bin

##@ Run

.PHONY: run
run: ## Run the manager here, against the current kubeconfig. Flags in RUN_ARGS.
	go run ./cmd/manager $(RUN_ARGS)

.PHONY: install
install: ## Install the CRDs into the current cluster.
	$(KUBECTL) apply --server-side -k config/crd

.PHONY: deploy
deploy: ## Install CRDs, RBAC and the manager with image IMG into the current cluster.
	@hack/deploy.sh $(KUBECTL) $(CONFIG_IMAGE) $(IMG)
