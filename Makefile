# Everything runs in a virtual environment of its own: only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
# A worker that crashes ends the run: pytest-xdist would wait for its successor for ever. Libraries keep to
# one thread: there is a worker for each core, and threads that wait for each other took half of the time.
# Compiled modules are kept, so that the processes which tests start need not compile them again.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest \
  -n $(JOBS) --max-worker-restart 0
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# On a clone the native library is compiled for this machine alone, and once: an installation that
# finds one younger than the environment takes it.
BUILT = $(shell find src/s2fs/_native -name 'libs2fs_engine_*' -newer $(VENV)/.made 2>/dev/null)
INSTALL = $(if $(BUILT),SKBUILD_WHEEL_CMAKE=false,SKBUILD_CMAKE_DEFINE=S2FS_INSTRUCTION_SETS=here) $(PIP)

.PHONY: demo check test test-build test-long fuzz sanitize races coverage docs lint format bench peers paper changelog clean

demo: $(VENV)/.installed-demo
	$(BIN)/s2fs demo

# What a change of a criterion, a search, a selector or the engine can break first.
check: $(VENV)/.installed-check
	$(PYTEST) $(or $(TESTS),tests/frozen tests/criteria tests/search tests/selectors tests/_native \
	  tests/cli/test_demo.py tests/cli/test_output.py)

# What users' answers rest on; TESTS names some of them.
test: $(VENV)/.installed-test
	$(PYTEST) $(TESTS)

# All examples of the property tests, the tests that take minutes, and every instruction set.
test-long: $(VENV)/.all-instruction-sets
	S2FS_TESTS=long $(PYTEST) $(TESTS)

# Twenty thousand damaged files, of every format.
fuzz: $(VENV)/.installed-test
	S2FS_FUZZ=20000 $(PYTEST) tests/io/test_fuzz.py

coverage: $(VENV)/.installed-dev
	$(PYTEST) --cov --cov-report=term --cov-report=xml

# Installations of every kind: from the sdist, without a compiler, read-only.
test-build: $(VENV)/.installed-test
	S2FS_TESTS=long $(BIN)/python -m pytest tests/_native/test_build.py

# The native library under the address and undefined-behaviour sanitizers, then built again without them.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1
sanitize: $(VENV)/.installed-test
	cmake -S . -B build/sanitized -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS="$(SANITIZE)" -DS2FS_SANITIZED=ON
	cmake --build build/sanitized
	LD_PRELOAD="$(foreach name,asan ubsan stdc++,$$(g++ -print-file-name=lib$(name).so))" \
	  ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	  $(BIN)/python -m pytest -n 0 $(or $(TESTS),tests/_native); status=$$?; \
	  cmake -S . -B build/plain && cmake --build build/plain --clean-first && exit $$status

# Parallel loops under the thread sanitizer, in the same way.
races: $(VENV)/.installed-test
	cmake -S . -B build/races -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS="-fsanitize=thread -g1" -DS2FS_SANITIZED=ON
	cmake --build build/races
	LD_PRELOAD="$(foreach name,tsan stdc++,$$(g++ -print-file-name=lib$(name).so))" \
	  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 setarch -R $(BIN)/python tools/check_races.py; status=$$?; \
	  cmake -S . -B build/plain && cmake --build build/plain --clean-first && exit $$status

docs: $(VENV)/.installed-docs
	rm -rf docs/reference  # pages of names that are gone
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open the documentation in a browser: $(CURDIR)/docs/_build/html/index.html"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit -q -r src bench/src --skip B615  # our load_dataset is not the Hugging Face function

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Speed over time: a few small cases, kept by commit in bench/asv/.asv. S2FS_DATA adds two of the paper's datasets.
ASV = cd bench/asv && $(abspath $(BIN))/asv
bench: $(VENV)/.installed-bench
	$(ASV) machine --yes
	$(ASV) run --environment existing:$(abspath $(BIN))/python --set-commit-hash $$(git rev-parse HEAD) $(ASV_OPTIONS)

# S²FS beside its peers. S2FS_DATA adds the paper's datasets; other scripts: bench/studies/README.md.
peers: $(VENV)/.installed-bench
	$(BIN)/python bench/studies/peers.py -k 30 --limit 8 $(if $(S2FS_DATA),,--datasets)

# The paper's experiments: 2.6 hours of processor time, or a tenth of it with TENTH=1, which leaves the
# pages alone. Stopped, the same command goes on. S2FS_DATA names the folder of the datasets.
paper: $(VENV)/.installed-report
	$(BIN)/s2fs bench paper --out paper $(if $(TENTH),--tenth)
ifndef TENTH
	cp paper/paper.npz bench/results/paper.npz
	$(BIN)/python bench/studies/reproduction.py --write-docs
endif

# The fragments of changes/ become a section of CHANGELOG.md.
changelog: $(VENV)/.installed-dev
	$(BIN)/towncrier build --yes

# The stamps make a second run reuse the environment; what the native library is made of renews it.
$(VENV)/.made: pyproject.toml CMakeLists.txt $(wildcard src/s2fs/_native/src/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "s2fs needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) --version); set PYTHON=python3.x"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed-demo: $(VENV)/.made
	$(INSTALL) --editable '.[cli,report]'
	@touch $@

$(VENV)/.installed-check: $(VENV)/.made
	$(INSTALL) --editable '.[check]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.made bench/studies/requirements.txt
	$(INSTALL) --editable . --editable ./bench --requirement bench/studies/requirements.txt
	@touch $@

# Development holds what the others need.
$(VENV)/.installed-dev: $(VENV)/.made bench/pyproject.toml
	$(INSTALL) --editable '.[dev]' --editable ./bench
	@touch $@ $(VENV)/.installed-docs $(VENV)/.installed-test $(VENV)/.installed-demo

# Tests and documentation need both distributions.
$(VENV)/.installed-%: $(VENV)/.made bench/pyproject.toml
	$(INSTALL) --editable '.[$*]' --editable ./bench
	@touch $@

$(VENV)/.all-instruction-sets: $(VENV)/.installed-test
	$(PIP) --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) build dist src/s2fs/_native/*.so docs/_build docs/gallery docs/reference .coverage \
	  coverage.xml .mypy_cache .pytest_cache .ruff_cache .hypothesis
