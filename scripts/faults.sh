#!/bin/sh
# Makes every call of the system that the preload makes fail, one at a time, at every place it is
# made: the full run of tests/faults/run_faults.py (scripts/test.sh has the short one), some 9 000
# jobs in half an hour on one core. Options are passed on: --only FUNCTION, --job JOB, --seed N,
# --workers N, --each 0 (every place in every job, 35 000), --resume FILE to go on with a run that
# was ended.   WI_BUILD (default build/) has been built.
set -eu
cd "$(dirname "$0")/.."
WI_BUILD=${WI_BUILD:-$PWD/build}
export WI_BUILD WI_SOURCE="$PWD"
ninja -C "$WI_BUILD" whyidle_faults fault_job job13 job_local tool_profiler | tail -n 1
exec python3 tests/faults/run_faults.py --full "$@"
