#!/usr/bin/env bash
# Shows whyidle at work: builds it, runs three jobs that waste their GPU, each in its own way, and
# a healthy one, and prints the reports. On the real GPU if there is one, else on the virtual one.
# Exit 0 if every verdict is the right one and `whyidle check` passes and fails where it should.
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

"$WI_ROOT/scripts/setup.sh"
echo "building into $WI_BUILD"
wi_build
wi_gpu_env
out=$WI_BUILD/demo
rm -rf "$out"
failures=0

note() {
    printf '%s  %s\n' "$1" "$2"
    if [ "$1" = BAD ]; then
        failures=$((failures + 1))
    fi
}

# run_job NAME: runs it under the preload; the report lands in $out/NAME.txt and as JSON.
run_job() {
    local status=0
    mkdir -p "$out/$1"
    LD_LIBRARY_PATH=$WI_LIBRARY_PATH LD_PRELOAD=$WI_PRELOAD WHYIDLE_OUT=$out/$1 WHYIDLE_PRINT=all \
        "$WI_BUILD/samples/$1$WI_SUFFIX" 2>"$out/$1.txt" || status=$?
    cat "$out/$1.txt"
    [ "$status" -eq 0 ] || note BAD "$1: ended with status $status"
}

# The job's report as a file.
report_of() {
    find "$out/$1" -type f -name '*.json' | head -n 1
}

# The verdict's id in the job's report.
verdict_of() {
    sed -n 's/^VERDICT \([^ ]*\).*/\1/p' "$out/$1.txt" | head -n 1
}

# expect NAME VERDICT CHECK_STATUS: VERDICT is a pattern of the verdict's id. Where other programs
# have the cores the report says just that: the job runs again, twice at most.
expect() {
    local name=$1 pattern=$2 wanted=$3 verdict status=0 again=2
    echo
    echo "=== $name ($WI_GPU GPU)"
    run_job "$name"
    while [ "$(verdict_of "$name")" = host/cpu-contention ] && [ $again -gt 0 ]; do
        again=$((again - 1))
        note '?? ' "$name: other programs take the cores; once more"
        rm -rf "${out:?}/$name"
        run_job "$name"
    done
    verdict=$(verdict_of "$name")
    if [[ $verdict =~ ^($pattern)$ ]]; then
        note "ok " "$name: verdict $verdict"
    else
        note BAD "$name: verdict '$verdict', expected $pattern"
    fi
    "$WI_CMD" check --max-stall 20 "$(report_of "$name")" >"$out/$name.check" 2>&1 || status=$?
    if [ "$status" -eq "$wanted" ]; then
        note "ok " "$name: whyidle check --max-stall 20 exits $status"
    else
        note BAD "$name: whyidle check --max-stall 20 exits $status, expected $wanted"
        cat "$out/$name.check"
    fi
}

expect demo_loader 'data-loading/.*' 1
expect demo_pageable 'transfer/.*' 1
expect demo_launch 'small-batch/launch-bound' 1
expect demo_healthy 'compute|none' 0

echo
if [ "$failures" -ne 0 ]; then
    echo "demo: $failures of 8 expectations missed"
    exit 1
fi
echo "demo: all verdicts and gates as expected; reports in $out"
