# `make demo` and `make test` do all of their own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
NATIVE := CMakeLists.txt pyproject.toml $(CPP)
SOURCES := src tests benchmarks examples docs/conf.py docs/_ext

.PHONY: demo test test-cpp lint format stub bench papers docs sanitize clean

demo: $(STAMP)
	@mkdir -p demo
	@$(BIN)/python -m treekernels demo --report demo/report.html

test: $(STAMP) lint test-cpp
	$(BIN)/python -m pytest

# The unit tests of the C++ core, in a build of their own in which preconditions are checked.
test-cpp: $(STAMP)
	$(BIN)/cmake -S . -B build/tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DTREEKERNELS_TESTS=ON -DTREEKERNELS_ASSERTIONS=ON -DTREEKERNELS_STRICT=ON \
	    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 --log-level=WARNING
	$(BIN)/cmake --build build/tests
	build/tests/cpp/tests/treekernels_tests

lint: $(STAMP)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(STAMP)
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/clang-format -i $(CPP)

# The stub of the native module is generated; a test compares it with the module.
stub: $(STAMP)
	$(BIN)/python -m nanobind.stubgen -q -m treekernels._native -o src/treekernels/_native.pyi

DATA ?= ../shared/data
bench: $(STAMP)
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script --data $(DATA) || exit 1; done

# Pages and examples, in docs/_build/html; a warning is an error. The examples are run.
docs: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The pages are in docs/_build/html/index.html"

# The papers' experiments in full, half an hour and more, and docs/papers.md from them.
papers: $(STAMP)
	$(BIN)/python benchmarks/papers/run.py --data $(DATA)

# All tests against a build with address and undefined-behaviour sanitizers, in an environment of its own.
sanitize:
	./tests/sanitize.sh $(PYTHON)

$(STAMP): $(NATIVE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation \
	    -C cmake.define.TREEKERNELS_STRICT=ON --editable ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) build dist demo docs/_build docs/generated docs/examples .mypy_cache .pytest_cache .ruff_cache .hypothesis
