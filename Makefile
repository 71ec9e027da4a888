# Every verb does the set-up it needs. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
STAMP := -X main.version=$(VERSION) -X main.commit=$(shell git rev-parse --short HEAD 2>/dev/null)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PY := .venv/bin/python
SAM := SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=us-east-1 .build/sam/bin/sam
# The browser driver of tests: the one that tools/node pins, instead of a download per run.
export PAGS_PLAYWRIGHT_DRIVER ?= $(CURDIR)/tools/node/node_modules/playwright-core

.PHONY: help run demo test unit lint build functions validate rehearse bench samlocal console setup chromium fmt clean

help: ## List the verbs
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: build ## Serve console and API on this machine
	@bin/pags serve $(ARGS) || [ $$? -eq 130 ] # ctrl-C is how it ends

demo: build .build/node.stamp chromium ## A browser task from start to end on this machine; MODEL=real uses a real model
	go run ./demo $(if $(MODEL),-model $(MODEL)) $(ARGS)

test: setup chromium lint validate build ## Everything that has to hold before a change lands
	@# The console's tests mostly wait for the browser, so the functions are built beside them.
	+$(MAKE) -j2 --no-print-directory --output-sync=target console-test functions
	+$(MAKE) --no-print-directory unit
	+$(MAKE) --no-print-directory rehearse
	+$(MAKE) --no-print-directory demo

unit: setup chromium console ## Go tests alone
	@mkdir -p .build
	go test -timeout 15m ./... 2>&1 | tee .build/test.log

lint: console-deps ## Formatting, vet, staticcheck, types and rules of the console
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); [ -z "$$unformatted" ] || { echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	if [ -f console/package.json ]; then npm --prefix console run --silent check; fi

build: console ## bin/pags, console embedded
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w $(STAMP)' -o bin/pags ./runner/cmd/pags

functions: ## Every Lambda bootstrap for arm64, and a table of package sizes
	go run ./tools/functions -version $(VERSION) $(ARGS)

validate: .build/python.stamp .build/sam.stamp .build/node.stamp ## Template and state machines against SAM, cfn-lint, asl-validator and our own reading
	$(SAM) validate --lint --template template.yaml
	.venv/bin/cfn-lint template.yaml
	@mkdir -p .build
	$(PY) tools/sam_transform.py template.yaml > .build/transformed.json
	.venv/bin/cfn-lint .build/transformed.json
	for f in statemachines/*.asl.json; do tools/node/node_modules/.bin/asl-validator --json-path "$$f"; done
	go test -count=1 -run 'Agrees|OurTemplate' ./pkg/local/gateway
	go test -count=1 -run 'Permissions|Parity|Stack' ./laws
	@echo "validate: ok"

rehearse: setup chromium build ## The demo's path through the bootstraps that would be deployed
	go run ./tools/functions -arch $$(go env GOHOSTARCH) -out .build/rehearsal -zip=false -version $(VERSION)
	go run ./demo/rehearsal $(ARGS)

bench: build ## Numbers with their targets, as JSON lines
	go run ./bench $(ARGS)

samlocal: .build/sam.stamp .build/python.stamp ## A route through the real `sam local start-api`; needs root for a Docker engine
	tools/samlocal.sh

console: console-deps .build/console.stamp ## Build the console that bin/pags embeds

fmt: ## Format Go files
	gofmt -w $$(git ls-files '*.go')

clean: ## Remove what was built; tools and environments stay
	rm -rf bin .aws-sam .build/functions .build/rehearsal .build/console.stamp

# ---------------------------------------------------------------- set-up, each step once

setup: .build/python.stamp .build/node.stamp console-deps

chromium:
	@for c in "$${PAGS_CHROMIUM:-chromium}" google-chrome google-chrome-stable chromium-browser "/Applications/Google Chrome.app" /Applications/Chromium.app; do \
	  if command -v "$$c" >/dev/null || [ -d "$$c" ]; then exit 0; fi; done; \
	echo "A Chromium or Chrome is needed: apt-get install chromium, or brew install --cask chromium; or set PAGS_CHROMIUM to one."; exit 1

.build/python.stamp: tools/python/requirements.txt
	@mkdir -p .build
	[ -x $(PY) ] || python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.build/sam.stamp: tools/python/sam.txt
	@mkdir -p .build
	[ -x .build/sam/bin/pip ] || python3 -m venv .build/sam
	.build/sam/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.build/node.stamp: tools/node/package-lock.json
	@mkdir -p .build
	npm ci --prefix tools/node --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: console-deps console-test
console-deps: $(if $(wildcard console/package-lock.json),.build/console-deps.stamp)

.build/console-deps.stamp: console/package-lock.json
	@mkdir -p .build
	npm ci --prefix console --no-audit --no-fund --loglevel=error
	@touch $@

.build/console.stamp: .build/console-deps.stamp $(shell find console -type f -not -path '*/node_modules/*' -not -path 'console/dist/*' -not -path 'console/e2e/*' 2>/dev/null)
	npm --prefix console run --silent build
	@touch $@

console-test: build .build/node.stamp chromium
	npm --prefix console run --silent test
	npm --prefix console run --silent e2e

# ---------------------------------------------------------------- sam build: one target per function of the template

build-%:
	folder=$$(GOOS= GOARCH= go run ./tools/functions -folder $*); \
	CGO_ENABLED=0 GOOS=linux GOARCH=$(or $(GOARCH),arm64) go build -trimpath -tags lambda.norpc \
	  -ldflags '-s -w -X github.com/proagentstore/pags/functions/internal/boot.Version=$(VERSION)' -o $(ARTIFACTS_DIR)/bootstrap "./$$folder"
	GOOS= GOARCH= go run ./tools/functions -warm $* -arch $(or $(GOARCH),arm64) -out $(ARTIFACTS_DIR)
