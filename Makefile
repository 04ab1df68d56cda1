# All set-up lives here: `make demo` or `make test` in a fresh clone is enough.
# Needed beforehand: git, make and Python >= 3.11 (another than python3: make demo PYTHON=python3.12).
# Paths are relative throughout, so that the folder's name may hold blanks.

SHELL  := /bin/sh
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.pt2e-kit-installed
EXTRA  := $(VENV)/.pt2e-kit-backends-installed
# nbgrader starts `alembic` by name, so the environment's bin must come first on the path.
RUN    := PATH="$$PWD/$(BIN):$$PATH"
PYTEST_ARGS ?=
DEMO_ARGS   ?=
LAB_ARGS    ?=

.DEFAULT_GOAL := help
.PHONY: help demo test lab release solutions generate fmt lint lock screenshots setup backends browser system

help:  ## list the targets
	@echo "pt2e-kit: make TARGET"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: setup  ## set up, then grade a class of a dozen submissions and show what came out
	@$(RUN) $(BIN)/python -m pt2e_kit demo $(DEMO_ARGS)

test: backends browser  ## set up, then run all tests (PYTEST_ARGS="-k lock" for some)
	@$(RUN) $(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

lab: setup  ## open JupyterLab on the course (LAB_ARGS="--no-browser")
	@$(RUN) $(BIN)/python -m jupyterlab $$([ "$$(id -u)" != 0 ] || echo --allow-root) $(LAB_ARGS)

backends: setup  ## install ExecuTorch and ONNX Runtime, for m08 and m09
	@$(MAKE) --silent --no-print-directory $(EXTRA)

release: setup  ## make the student versions in release/ anew from source/
	@$(RUN) $(BIN)/python -m pt2e_kit release

solutions: setup  ## execute source/ and write solutions/ anew
	@$(RUN) $(BIN)/python -m pt2e_kit solutions

generate: backends release solutions  ## make all that is generated anew: release/, solutions/, demo/
	@$(BIN)/python tools/make_demo_class.py

fmt: setup  ## bring notebooks and code to their fixed form
	@$(RUN) $(BIN)/python -m pt2e_kit fmt
	@$(BIN)/python -m ruff format --quiet .

lint: setup  ## ruff and basedpyright
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(RUN) $(BIN)/python -m basedpyright

lock: setup  ## make requirements.lock anew from pyproject.toml
	@$(BIN)/python tools/make_lock.py

screenshots: browser  ## take the screenshots of README and docs anew
	@$(RUN) $(BIN)/python tools/make_screenshots.py

setup: system  ## only the set-up: .venv and, on Debian as root, graphviz and bubblewrap
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || [ -x $(BIN)/python ] || { \
	  echo "pt2e-kit needs Python 3.11 or newer, and '$(PYTHON)' is not one."; \
	  echo "Say which Python to use, for example: make demo PYTHON=python3.12"; exit 1; }
	@# An environment that was moved, or whose Python is gone, is made anew.
	@if ! $(BIN)/python -c 'import pip' 2>/dev/null || { [ -e $(STAMP) ] && [ "$$(cat $(STAMP))" != "$$(pwd -P)" ]; }; \
	  then $(PYTHON) -m venv --clear $(VENV); fi
	@$(MAKE) --silent --no-print-directory $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@echo "Installing what requirements.lock names in $(VENV): this takes a few minutes the first time."
	@rm -f $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@pwd -P > $(STAMP)

$(EXTRA): requirements-backends.lock $(STAMP)
	@echo "Installing what requirements-backends.lock names in $(VENV)."
	@rm -f $(EXTRA)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -r requirements-backends.lock
	@touch $(EXTRA)

# For the tests in a real browser; without it they are skipped.
browser: setup
	@command -v chromium >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1 || [ "$$(id -u)" != 0 ] || { \
	  echo "Installing with apt-get: chromium"; \
	  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium; } </dev/null >/dev/null \
	    || echo "apt-get could not install chromium. The tests in a browser will be skipped."; }

# What pip cannot bring. Missing pictures or sandbox are no reason to stop: each is said and the rest goes on.
system:
	@missing=; \
	command -v dot >/dev/null 2>&1 || missing="$$missing graphviz"; \
	[ "$$(uname -s)" != Linux ] || command -v bwrap >/dev/null 2>&1 || missing="$$missing bubblewrap"; \
	[ -x $(BIN)/python ] || ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || $(PYTHON) -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	[ -z "$$missing" ] && exit 0; \
	if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
	  echo "Installing with apt-get:$$missing"; \
	  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $$missing; } </dev/null >/dev/null \
	    || echo "apt-get could not install:$$missing. Going on without."; \
	elif command -v apt-get >/dev/null 2>&1; then \
	  echo "Missing:$$missing. To install, run as root: apt-get install -y$$missing"; \
	elif command -v brew >/dev/null 2>&1; then \
	  echo "Missing:$$missing. To install: brew install$$missing"; \
	else \
	  echo "Missing:$$missing. Install with your system's package manager."; \
	fi
