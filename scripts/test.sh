#!/usr/bin/env bash
# Installs what is missing, builds with gcc and clang, and runs every test. Ends in one line that
# counts them: "N passed, N failed, N skipped". Skipped tests say why above it.
#   scripts/test.sh [--all]      --all: also the long tests of real jobs in real time
#   scripts/test.sh PATTERN      only the tests whose names match (ctest -R), gcc only
# WI_BUILD (default build/) is the build folder; clang builds into $WI_BUILD-clang.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=${WI_BUILD:-$root/build}
pattern=
choice=(-LE '^long$')
case ${1:-} in
--all) choice=() ;;
"") ;;
*) pattern=$1 choice=(-R "$1") ;;
esac
jobs=$(nproc)

scripts/setup.sh --tests

cmake -S . -B "$build" -G Ninja >"/tmp/whyidle-cmake.$$" || { cat "/tmp/whyidle-cmake.$$"; exit 1; }
rm -f "/tmp/whyidle-cmake.$$"
ninja -C "$build" -j "$jobs" | tail -n 1
extra_passed=0
extra_failed=0
if [ -z "$pattern" ]; then
    if command -v clang >/dev/null; then
        if CC=clang cmake -S . -B "$build-clang" -G Ninja >/dev/null &&
            ninja -C "$build-clang" -j "$jobs" >"$build/clang.log"; then
            echo "build with clang: no warning"
            extra_passed=1
        else
            tail -n 40 "$build/clang.log"
            extra_failed=1
        fi
    else
        echo "build with clang: no clang here"
    fi
fi

log=$build/tests.log
status=0
# One at a time: many tests measure waits in real time.
ctest --test-dir "$build" --output-on-failure -j 1 ${choice[@]+"${choice[@]}"} >"$log" 2>&1 || status=$?
grep -E '^ *[0-9]+/[0-9]+ Test' "$log" || true
if grep -q '\*\*\*Failed\|\*\*\*Timeout\|\*\*\*Exception\|\*\*\*Not Run' "$log"; then
    grep -vE '^ *[0-9]+/[0-9]+ Test.*Passed|^ +Start ' "$log" | tail -n 200
fi
if [ -z "$pattern" ]; then
    sanitized=0
    scripts/sanitize.sh --short || sanitized=$?
    case $sanitized in
    0) extra_passed=$((extra_passed + 1)) ;;
    77) ;;
    *) extra_failed=$((extra_failed + 1)) ;;
    esac
fi
ran=$(grep -cE '^ *[0-9]+/[0-9]+ Test' "$log" || true)
skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test.*\*\*\*Skipped' "$log" || true)
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test.*  Passed' "$log" || true)
failed=$((ran - skipped - passed))
if [ "$skipped" -gt 0 ]; then
    echo "skipped, with the reason each gives:"
    while read -r name; do
        reason=$(ctest --test-dir "$build" -V -R "^$name\$" 2>/dev/null | sed -n 's/^[0-9]*: //p' |
            grep -iE 'skip|no |not |missing|absent' | tail -n 1)
        echo "  $name: ${reason:-no reason given}"
    done < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .*\*\*\*Skipped.*/\1/p' "$log")
fi
if [ "${#choice[@]}" -gt 0 ] && [ -z "$pattern" ]; then
    left=$(ctest --test-dir "$build" -N -L '^long$' | sed -n 's/^Total Tests: //p')
    echo "left out: $left long tests; scripts/test.sh --all runs them too"
fi
echo "$((passed + extra_passed)) passed, $((failed + extra_failed)) failed, $skipped skipped"
[ "$ran" -gt 0 ] && [ "$status" -eq 0 ] && [ "$extra_failed" -eq 0 ]
