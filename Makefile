# Everything runs in a virtual environment of its own: only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-long docs lint format clean

demo: $(VENV)/.installed
	$(BIN)/s2fs demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

# What builds and installs the package again: without a compiler, from the sdist, read-only.
test-long: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m long

docs: $(VENV)/.installed-docs
	rm -rf docs/reference  # pages of names that are gone
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open the documentation in a browser: $(CURDIR)/docs/_build/html/index.html"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The stamps make a second run reuse the environment; what the native library is made of renews it.
$(VENV)/.installed: pyproject.toml CMakeLists.txt $(wildcard src/s2fs/_engine/native/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "s2fs needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) --version); set PYTHON=python3.x"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) build src/s2fs/_engine/*.so docs/_build docs/gallery docs/reference .mypy_cache .pytest_cache .ruff_cache .hypothesis
