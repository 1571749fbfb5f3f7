#!/usr/bin/env bash
# Plays changed copies of every case in virtual time (durations by up to 15 %, counts by up to 30 %)
# and prints for each case in how many the report is right; exit 1 below 98 %. Then generated jobs
# in which nothing is wrong: exit 1 if anything is found in one.
#   scripts/variants.sh [SEEDS] [CASE...]
# SEEDS is 50 unless given; the healthy jobs are twice as many and left out if cases are named.
# WHYIDLE_CASES names the folder of given.md (default: ../shared/cases). Builds what is missing
# ($WI_BUILD, default build/).
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

seeds=50
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seeds=$1
    shift
fi
wi_build
export WI_BUILD
run=("$WI_ROOT/tests/scenarios/variants.py" --seeds "$seeds")
status=0
for file in "${WHYIDLE_CASES:-$WI_ROOT/../shared/cases}/given.md" \
    "$WI_ROOT/tests/scenarios/own_cases.md"; do
    if [ ! -e "$file" ]; then
        echo "skipped: no $file; set WHYIDLE_CASES to the folder that has it"
        continue
    fi
    wanted=()
    for case in "$@"; do
        ! grep -q "^### $case\b" "$file" || wanted+=("$case")
    done
    if [ $# = 0 ] || [ ${#wanted[@]} -gt 0 ]; then
        "${run[@]}" "$file" "${wanted[@]}" || status=1
    fi
done
if [ $# = 0 ]; then
    "${run[@]}" --healthy --seeds $((2 * seeds)) || status=1
fi
exit $status
