# Everything a newcomer types. `make` alone lists it. Needs Python 3.11 to 3.13, git and make; no root, no Docker.
# `make setup PYTHON=python3.13` prefers that one, VENV=folder installs elsewhere.

VENV       ?= .venv
PYTHON     ?=
UV_VERSION := 0.13.9
CHOICE     ?= not distributed and not cms and not browser and (not slow or sample)
RUN        := $(VENV)/bin/python
INSTALLED  := $(VENV)/.installed
ADAPTERS   := .venv-adapters

# Some shells forbid bytecode. Airflow starts an interpreter for every task: 2 s with bytecode, 8 s without.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test test-slow test-cms test-distributed test-browser setup-adapters test-adapters test-alerts lint demo up down status replay bench bench-families eval eval-families eval-dates lock clean eval-staleness

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## Install everything into a virtual environment; quick when nothing changed

# Version managers leave a `python3.12` on the PATH that only says "not installed": each is asked, not looked up.
$(INSTALLED): requirements.txt pyproject.toml
	@supported='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; \
	if ! $(RUN) -c "$$supported" >/dev/null 2>&1; then \
	  for python in $(PYTHON) python3.11 python3.12 python3.13 python3 python none; do \
	    [ $$python = none ] || ! $$python -c "$$supported" >/dev/null 2>&1 || break; \
	  done; \
	  if [ $$python = none ]; then \
	    echo "truecopy needs Python 3.11, 3.12 or 3.13 with the venv module; none of python3.11, python3.12," >&2; \
	    echo "python3.13, python3 on the PATH is one. Debian and Ubuntu: apt install python3-venv" >&2; \
	    exit 1; \
	  fi; \
	  echo "making $(VENV) with $$($$python --version)"; \
	  $$python -m venv $(VENV); \
	fi
	$(RUN) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(RUN) -m uv pip sync --python $(RUN) --compile-bytecode requirements.txt
	$(RUN) -m uv pip install --python $(RUN) --no-deps --editable .
	@touch $@

test: setup ## All quick tests and a sample of the slow ones; ARGS="-k gate" is passed to pytest
	$(RUN) -m pytest -m "$(CHOICE)" $(ARGS)

test-slow: setup ## All tests but those that need Redis and Postgres, or a real content system
	$(RUN) -m pytest -m "not distributed and not cms and not browser" $(ARGS)

test-cms: setup ## Real content systems with editors at work; ARGS="-k wordpress" for one of them
	$(RUN) -m pytest -m cms $(ARGS)

test-distributed: setup ## Celery with two workers, on Redis and Postgres started for the test
	$(RUN) -m pytest -m distributed $(ARGS)

test-browser: setup ## The ops view in Chromium, in a real Airflow; screenshots in tests/browser/screenshots
	$(RUN) -m pytest -m browser tests/browser $(ARGS)

setup-adapters: setup ## The environment of `make test-adapters`: LangChain, LlamaIndex and nothing of ours
	$(RUN) -m uv venv --quiet --allow-existing --python $(RUN) $(ADAPTERS)
	$(RUN) -m uv pip sync --quiet --python $(ADAPTERS)/bin/python tests/adapters/requirements.txt

test-adapters: setup-adapters ## The retrievers for LangChain and LlamaIndex, in an environment of their own
	TRUECOPY_PYTHON=$(abspath $(RUN)) $(ADAPTERS)/bin/python -m pytest tests/adapters $(ARGS)

test-alerts: ## The rules of monitoring/ against their tests; needs promtool (Debian and Ubuntu: apt install prometheus)
	promtool check config --syntax-only monitoring/prometheus.yaml
	promtool check rules monitoring/alerts.yaml
	promtool test rules monitoring/tests/*.yaml

lint: setup ## ruff, mypy and the layers of the library
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports

demo: setup ## A tour with a small company's handbook, or with your Markdown: DOCS=folder
	DOCS="$(DOCS)" $(RUN) -m examples.demo

up: setup ## Start Airflow on 127.0.0.1 and print how to log in
	$(RUN) scripts/airflow_local.py up

down: ## Stop Airflow
	@if [ -x $(RUN) ]; then $(RUN) scripts/airflow_local.py down; $(RUN) -m examples.demo --down; else echo "$(VENV) is not there: nothing runs"; fi

status: setup ## Which Airflow processes run
	$(RUN) scripts/airflow_local.py status

replay: setup ## Replay five real documentation histories, sampled, and compare the index after every sync; ARGS=--all
	$(RUN) -m tests.replay $(ARGS)

bench: setup ## Fourteen scenarios beside LangChain and CocoIndex, ARGS=path/to/your/docs; then the resolver over 100,000
	$(RUN) -m tests.benchmarks $(ARGS)
	$(RUN) -m tests.benchmarks.families --documents 100000

bench-families: setup ## The resolver over 7,000 made-up documents: seconds beside the engine, memory; ARGS="--documents 500"
	$(RUN) -m tests.benchmarks.families $(ARGS)

eval: setup ## Questions with known answers: metrics, baseline, naive pipeline; real questions where they are
	$(RUN) -m tests.evaluation $(ARGS)

eval-families: setup ## What replaces what in real registers, headers shown and hidden: links, heads, what waits for a person
	$(RUN) -m tests.evaluation.families $(ARGS)

eval-dates: setup ## Declared dates of real documents against those of git, names and texts, where they are
	$(RUN) -m tests.evaluation.dates $(ARGS)

eval-staleness: setup ## What the staleness detector proposes on real documents, against what became of them
	$(RUN) -m tests.evaluation.staleness $(ARGS)

lock: setup ## Compile requirements.in to requirements.txt, keeping pins that still fit
	$(RUN) -m uv pip compile requirements.in -o requirements.txt --quiet --universal --python-version 3.11 \
	  --custom-compile-command "make lock"

clean: down ## Remove caches and Airflow's local database; the index, manifests and ledger stay
	rm -rf .airflow .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path "./$(VENV)/*" -prune -exec rm -rf {} +
	@echo "kept: state/ (index, manifests, ledger) and $(VENV)/; remove them by hand if you mean it"
