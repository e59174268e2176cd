#!/usr/bin/env bash
# Runs tests against cores built with sanitizers: address and undefined behaviour, then threads.
#
#     tests/sanitize.sh [address|thread|all] [python] [arguments of pytest]
#
# In environments of their own, so that the ordinary build stays as it is. Tests of time and of the largest trees are left
# out: they would take too long here; and forks, after which the sanitizer of threads allows no new ones. Leaks are not
# looked for, since Python itself does not free all it has at exit. Reports end the process, so that pytest must not keep
# them to itself.
set -euo pipefail
cd "$(dirname "$0")/.."
which=${1:-all}
python=${2:-python3}
shift $(($# < 2 ? $# : 2))
slow="not fork and not interrupt and not import and not million and not hundred and not chain and not 20_000 and not 10_000 and not memory and not each_other"

# The environment build/sanitize-NAME-venv, with the core built that way. The unit tests of the core are run at once.
prepare() {
    venv=build/sanitize-$1-venv
    test -x $venv/bin/python || "$python" -m venv $venv
    $venv/bin/pip install --quiet --disable-pip-version-check "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
    # Not for threads: a corpus is read while it grows, which is sound, but an assertion looks at its size.
    local options=(TREEKERNELS_SANITIZE="$1" TREEKERNELS_ASSERTIONS=$([[ $1 = address ]] && echo ON || echo OFF)
        CMAKE_BUILD_TYPE=Debug CMAKE_CXX_FLAGS_DEBUG=-O1)
    $venv/bin/cmake -S . -B build/sanitize-$1-tests -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/$venv/bin/ninja" \
        -DTREEKERNELS_TESTS=ON "${options[@]/#/-D}" --log-level=WARNING
    $venv/bin/cmake --build build/sanitize-$1-tests
    setarch --addr-no-randomize build/sanitize-$1-tests/cpp/tests/treekernels_tests
    $venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
        "${options[@]/#/--config-settings=cmake.define.}" --config-settings=build-dir=build/sanitize-$1 --editable ".[test,treesitter]"
}

if [[ $which != thread ]]; then
    prepare address
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
        ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
        $venv/bin/python -m pytest -p no:cacheprovider --capture=sys -m "not slow and not serial" -k "$slow" "${@:-tests}"
    # Every fuzz target, for so many seconds.
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
        ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
        $venv/bin/python tests/fuzz/run.py all "${FUZZ_SECONDS:-20}"
    if command -v clang++ >/dev/null; then
        $venv/bin/python tests/fuzz/run.py native "${FUZZ_SECONDS:-20}"
    fi
fi

if [[ $which != address ]]; then
    # What threads share: the tests that start some, or let the core start them. A race ends in exit code 66, also where
    # the tests pass. The addresses of a process that was started at random ones are not what this sanitizer expects.
    prepare thread
    threaded=(tests/learners/test_threads.py tests/data/test_forest_threads.py tests/kernels/test_kernel_properties.py
        tests/kernels/test_tripartite.py tests/learners/test_weighted_forest.py tests/learners/test_svm.py
        tests/learners/test_many_trees.py tests/learners/test_compact_kernels.py
        tests/embeddings/test_distributed.py tests/embeddings/test_distributed_api.py
        tests/embeddings/test_partial_vectors.py tests/embeddings/test_nystroem.py
        tests/kernels/test_gradients.py tests/kernels/test_smoothed.py tests/learners/test_ranker.py
        tests/learners/test_pairs_of_operations.py tests/learners/test_same_bits.py
        tests/search/test_tree_index.py tests/search/test_weighted_index.py)
    rm -f build/races.*
    trap 'cat build/races.* 2>/dev/null' EXIT  # pytest would swallow them
    LD_PRELOAD="$(gcc -print-file-name=libtsan.so)" \
        TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp history_size=4 exitcode=66 log_path=$PWD/build/races" \
        setarch --addr-no-randomize $venv/bin/python -m pytest -p no:cacheprovider -m "not slow and not serial" -k "$slow" "${@:-${threaded[@]}}"
fi
