#!/usr/bin/env bash
# Looks for memory that is read before it is written, which the other sanitizers cannot see: the unit tests of the core
# under valgrind, and the fuzz targets with clang's memory sanitizer where there is clang.
#
#     tests/uninitialised.sh [name of C++ tests]
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory .venv/.tests
.venv/bin/cmake -S . -B build/valgrind -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DTREEKERNELS_TESTS=ON \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" --log-level=WARNING
.venv/bin/cmake --build build/valgrind
for name in ${1:-dag brackets corpus features gram matrices simd search visits wide}; do
    valgrind --quiet --error-exitcode=9 --track-origins=no build/valgrind/cpp/tests/treekernels_tests "$name"
done
if command -v clang++ >/dev/null; then
    .venv/bin/python tests/fuzz/native.py native-brackets 60 memory
    .venv/bin/python tests/fuzz/native.py native-arrays 60 memory
fi
