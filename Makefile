# `make demo` and `make test` do all of their own set-up in .venv. They need GNU make and, on Windows, Git Bash.
VENV := .venv
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# ON makes C++ warnings errors. It is for our own builds: a compiler that we have not met may warn of other things.
STRICT ?= OFF

# What is installed, each with a stamp: the package with what the demo needs, then tools for tests, then for the pages.
BUILT := $(VENV)/.built$(if $(filter ON,$(STRICT)),-strict)
TESTS := $(VENV)/.tests
PAGES := $(VENV)/.pages

# The grammars of tree-sitter, faiss, polars and gensim have no wheels for a Python without the GIL, nor can they be
# compiled for it: the tests that need them are skipped there.
WITH_GIL = $(shell $(BIN)/python -c "import sysconfig; print('' if sysconfig.get_config_var('Py_GIL_DISABLED') else ',test-gil')")

files_under = $(foreach path,$(wildcard $1/*),$(if $(wildcard $(path)/*),$(call files_under,$(path),$2),$(filter $2,$(path))))
CPP := $(call files_under,cpp,%.cpp %.hpp)
NATIVE := CMakeLists.txt pyproject.toml $(CPP)
SOURCES := src tests tools benchmarks examples docs/conf.py docs/_ext

.PHONY: demo native test lint-and-cpp test-all test-cpp test-threads pytest mutate lint fuzz format stub bench track papers docs sanitize wheel clean

demo: $(BUILT)
	@mkdir -p demo
	@$(BIN)/python -m treekernels demo --report demo/report.html --explore demo

# Side by side, since the tests of Python leave a core idle now and then.
test: $(TESTS)
	@$(MAKE) --no-print-directory --jobs=2 lint-and-cpp pytest

lint-and-cpp: lint
	@$(MAKE) --no-print-directory test-cpp

# After an edit of C++ files: compiles what changed, as it was compiled last, and puts the module in its place. What pip
# does besides takes longer than this.
native:
	@test -n "$(wildcard build/cp3*)" || $(MAKE) --no-print-directory $(BUILT)
	@folder=$$(ls -td build/cp3*/ | head -1) && $(BIN)/cmake --build $$folder --config Release && \
	    $(BIN)/cmake --install $$folder --config Release --prefix $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('platlib'))")

# The unit tests of the C++ core, in a build of their own in which preconditions are checked. Many files are compiled as
# one, which saves a third of the time and shows names that stand twice.
test-cpp: $(TESTS)
	$(BIN)/cmake -S . -B build/tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DTREEKERNELS_TESTS=ON -DTREEKERNELS_ASSERTIONS=ON -DTREEKERNELS_STRICT=$(STRICT) \
	    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-Og -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 --log-level=WARNING
	$(BIN)/cmake --build build/tests
	build/tests/cpp/tests/treekernels_tests

# On two cores; what measures time comes last, alone. With two workers, linear algebra in more threads than one would only
# wait for a core.
pytest test-all: export OPENBLAS_NUM_THREADS = 1
pytest test-all: export OMP_NUM_THREADS = 1
pytest: $(TESTS)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not serial and not slow"
	$(BIN)/python -m pytest -m "serial and not slow" $$(grep -rl --include="test_*.py" mark.serial tests)

# Also the tests that take long and add little to the others.
test-all: test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow tests

# Every test by four threads at once: what they share must bear it.
test-threads: $(TESTS)
	$(BIN)/python -m pytest --parallel-threads=4 -p no:xdist -m "not serial and not slow" tests/kernels/test_kernel_values.py \
	    tests/kernels/test_elastic.py tests/kernels/test_subpath.py tests/kernels/test_few_trees.py tests/kernels/test_algebra.py \
	    tests/data tests/structures tests/learners/test_public_weighted_forest.py tests/learners/test_pairs_learning.py \
	    tests/learners/test_svm.py tests/embeddings/test_distributed_api.py

lint: $(TESTS)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/python -m mypy
	@$(BIN)/clang-format --dry-run --Werror $(CPP)

# The property tests with sixty times as many examples, and other ones each time; it takes an hour or more.
# TARGET=brackets SECONDS=60 throws inputs at one target of tests/fuzz/targets.py instead, TARGET=all at each; libFuzzer makes
# them where its package for Python can be installed. TARGET=native-brackets, native-arrays, or native for both are in C++,
# and need clang.
TARGET ?=
SECONDS ?= 60
ifeq ($(TARGET),)
fuzz: export HYPOTHESIS_PROFILE = nightly
endif
fuzz: $(TESTS)
	@$(if $(TARGET),$(PIP) install "treekernels[fuzz]" || echo "atheris is missing: inputs are mutated blindly.")
	$(if $(TARGET),$(BIN)/python tests/fuzz/run.py $(TARGET) $(SECONDS),$(BIN)/python -m pytest -m hypothesis)

format: $(TESTS)
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)
	@$(BIN)/clang-format -i $(CPP)

# The stub of the native module is generated; a test compares it with the module.
stub: $(TESTS)
	$(BIN)/python -m nanobind.stubgen -q -m treekernels._native -o src/treekernels/_native.pyi

DATA ?= ../shared/data
bench: $(TESTS)
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script --data $(DATA) || exit 1; done

# What has become slower or faster by more than a fifth since the last commit that was measured; half a minute.
track: export OMP_NUM_THREADS = 1
track: export OPENBLAS_NUM_THREADS = 1
track: $(TESTS)
	$(BIN)/python benchmarks/track.py --data $(DATA)

# Pages and examples, in docs/_build/html; a warning is an error. The examples are run.
docs: $(PAGES)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The pages are in docs/_build/html/index.html"

# The papers' experiments in full, an hour and more, and docs/papers.md from them. Programs in C++ need their grammar.
papers: $(TESTS)
	@$(PIP) install tree-sitter-cpp
	$(BIN)/python benchmarks/papers/run.py --data $(DATA)

# Mistakes made on purpose, which the tests must notice. Takes an hour.
mutate: $(TESTS)
	$(BIN)/python tests/mutate.py

# All tests against a build with address and undefined-behaviour sanitizers, and those of threads against one with the
# thread sanitizer, in environments of their own. SANITIZER=address or thread for one of the two.
SANITIZER ?= all
sanitize:
	./tests/sanitize.sh $(SANITIZER) $(PYTHON)

# The source distribution, a wheel built from it, and a look at both: in dist, where a release takes them from.
wheel: dist/.checked

dist/.checked: $(NATIVE) $(call files_under,src,%.py %.pyi %.typed %.jinja %.html %.css %.js %.svg) tests/smoke.py tools/wheel.py README.md LICENSE
	$(PYTHON) tools/wheel.py
	@touch $@

$(BUILT): $(NATIVE)
	@test -x $(BIN)/python || { echo "Setting up $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@$(PIP) install "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	@$(BIN)/python tools/install.py report $(if $(filter ON,$(STRICT)),--strict)
	@touch $@ $(VENV)/.built

# The package is installed already, so that this fetches what its extra needs, and nothing is built.
$(TESTS): $(BUILT)
	@echo "Fetching what the tests need ..."
	@$(PIP) install "treekernels[test$(WITH_GIL)]"
	@touch $@

$(PAGES): $(BUILT)
	@echo "Fetching what the pages need ..."
	@$(PIP) install "treekernels[docs]"
	@touch $@

clean:
	rm -rf $(VENV) build dist demo docs/_build docs/generated docs/examples .mypy_cache .pytest_cache .ruff_cache .hypothesis
