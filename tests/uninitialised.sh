#!/usr/bin/env bash
# Looks for memory that is read before it is written, which address and undefined-behaviour sanitizers cannot see: runs
# unit tests of the core under valgrind, all of them or those whose name contains one of some words.
#
#     tests/uninitialised.sh [word ...]
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory test-cpp >/dev/null
[[ $# -gt 0 ]] || set -- ""
for word in "$@"; do
    # The tests have an operator new of their own, which valgrind is to leave alone.
    valgrind --quiet --error-exitcode=9 --soname-synonyms=somalloc=nouserintercepts build/tests/cpp/tests/treekernels_tests "$word"
done
