#!/usr/bin/env bash
# Runs the tests against a core built with the address and undefined-behaviour sanitizers.
#
# In an environment of its own, so that the ordinary build stays as it is. Tests of time and of the largest trees are left
# out: they would take too long here. Leaks are not looked for, since Python itself does not free all it has at exit.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
venv=build/sanitize-venv
test -x $venv/bin/python || "$python" -m venv $venv
$venv/bin/pip install --quiet --disable-pip-version-check "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
$venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
    --config-settings=cmake.define.TREEKERNELS_SANITIZE=ON --config-settings=build-dir=build/sanitize --editable ".[test]"
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
    $venv/bin/python -m pytest tests -p no:cacheprovider \
    -k "not interrupt and not import and not million and not hundred and not chain and not 20_000 and not 10_000 and not memory"
