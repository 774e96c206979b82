# `make site` builds the site, `make test` passes all tests. Both set up what they need, once.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes
NODE_20 := node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1
NPM_CI := PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

export NO_MKDOCS_2_WARNING := 1 # the theme's notice about a MkDocs that is not used here
export PYTHONUTF8 := 1

.PHONY: site serve test lint ids facts bench clean

site: .venv/site node_modules/site
	@echo "Building the site ..."
	@$(BIN)/mkdocs build --strict
	@echo "Look at it: $(BIN)/python -m http.server --directory site, then open http://localhost:8000/"

serve: .venv/site node_modules/site
	$(BIN)/mkdocs serve

test: lint .venv/browser
	$(BIN)/pytest

lint: .venv/test node_modules/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

ids: .venv/site
	$(BIN)/python hooks/ids.py

facts: site
	@$(BIN)/python tests/facts.py site/questions.json

bench: .venv/test node_modules/test
	PYTHONPATH=hooks $(BIN)/python tests/bench.py

clean:
	rm -rf site site.new .cache

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; exit 1; }
	@echo "Making the virtual environment .venv ..."
	@$(PYTHON) -m venv .venv

.venv/site: requirements.txt | .venv/bin/python
	@echo "Installing Python packages ..."
	@$(PIP) -r $<
	@touch $@

.venv/test: requirements-test.txt .venv/site
	@echo "Installing Python packages for tests ..."
	@$(PIP) -r $<
	@touch $@

.venv/browser: .venv/test
	@$(BIN)/python tests/chromium.py
	@touch $@

# Node.js 20 and npm of the system where they are, else of a Python package
.venv/node: requirements-node.txt | .venv/site
	@$(NODE_20) || { echo "Installing Node.js into .venv ..."; $(PIP) -r $<; }
	@touch $@

node_modules/site: package-lock.json .venv/node
	@echo "Installing KaTeX ..."
	@$(NPM_CI) --omit=dev
	@touch $@

node_modules/test: package-lock.json .venv/node
	@echo "Installing npm packages for tests ..."
	@$(NPM_CI)
	@touch node_modules/site $@

# Tests of this course alone
include $(wildcard tests/*/*.mk)
