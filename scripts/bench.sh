#!/usr/bin/env bash
# Measures what whyidle costs and how fast it is, on the virtual GPU, in one run of about two minutes, and
# prints the table with its bars. Build first, and leave the machine alone meanwhile.
#   scripts/bench.sh [--markdown FILE] [--json FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
export WI_SOURCE=$PWD WI_BUILD=${WI_BUILD:-$PWD/build}
if [ ! -e "$WI_BUILD/build.ninja" ]; then
    cmake -S . -B "$WI_BUILD" -G Ninja >/dev/null
fi
ninja -C "$WI_BUILD" >/dev/null
exec python3 tests/bench/bench.py "$@"
