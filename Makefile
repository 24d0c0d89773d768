# Everything a person does here. Whatever is called first installs what it needs into .venv and
# node_modules; nothing of the user's is touched.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
# jsii's Node is the one from .venv; CDK asks nobody's cloud for news or flags.
export CDK_DISABLE_CLI_TELEMETRY := true
export JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION := true

REQUEST ?= examples/acme/request.json
EDITION ?=
FRESH ?=
MINUTES ?= 5
SEED ?=
PAGES ?= pages
# Two processes, a file of tests each, those that take minutes first (tests/conftest.py): what waits
# for a lease does not keep the rest waiting, and nobody waits for a long one at the end.
SIDE_BY_SIDE := -n 2 --dist loadfile --no-loadscope-reorder
READY := .venv/.ready node_modules/.ready

.DEFAULT_GOAL := help
.PHONY: help run test check kill-matrix chaos bench-extraction bench-reading bench-report
.PHONY: synth sandbox deploy diagram clean

help:  ## Say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(READY)  ## Run the agent on REQUEST in the sandbox; EDITION=2 a week later, FRESH=1 anew
	@./ratchet demo $(REQUEST) $(if $(EDITION),--edition $(EDITION)) $(if $(FRESH),--fresh)

test: $(READY)  ## Run every test, the whole run in the sandbox included
	@$(BIN)/pytest $(SIDE_BY_SIDE) $(TESTS)

check: $(READY)  ## Lint, types, architecture, generated pages, then every test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m stacks.diagram --check
	@$(BIN)/pytest $(SIDE_BY_SIDE)

kill-matrix: $(READY)  ## Kill every step at every call, and print what became of it
	@$(BIN)/python -m tests.matrix

chaos: $(READY)  ## Run the sample among deaths by chance; MINUTES=5, SEED=... draws them again
	@$(BIN)/python -m tests.chaos --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

bench-extraction: $(READY)  ## Measure the reader on the corpus of real articles, beside others
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -r tests/benches/requirements.txt
	@$(BIN)/python -m tests.benches.extraction

bench-reading: $(READY)  ## Fetch and extract 1,000 web pages of the folder PAGES
	@$(BIN)/python -m tests.benches.reading $(PAGES)

bench-report: $(READY)  ## Render a report of 1,000 sources and 5,000 findings: time, size, memory
	@$(BIN)/python -m tests.benches.report

synth: $(READY)  ## Make the CloudFormation template for AWS in cdk.out
	@node_modules/.bin/cdk synth --quiet

sandbox: $(READY)  ## Keep an AWS account up on this machine until Ctrl-C
	@./ratchet sandbox up

deploy: $(READY)  ## Deploy to the AWS account of your credentials
	@node_modules/.bin/cdk deploy

diagram: $(READY)  ## Draw docs/story.md anew from the synthesized state machine
	@$(BIN)/python -m stacks.diagram

clean:  ## Stop the sandbox, and remove all that was built, installed or remembered
	@if [ -x $(BIN)/python ]; then ./ratchet sandbox down || true; fi
	@rm -rf .venv node_modules .build .sandbox cdk.out out .pytest_cache .mypy_cache .ruff_cache
	@rm -rf .import_linter_cache .hypothesis

.venv/.ready: requirements.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed: make PYTHON=python3.13"; exit 1; }
	@echo "Installing into .venv, about a minute"
	@test -d .venv || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

node_modules/.ready: package.json package-lock.json .venv/.ready
	@npm ci --loglevel=error
	@touch $@
