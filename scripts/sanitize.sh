#!/usr/bin/env bash
# Runs what can run so under the sanitizers: AddressSanitizer and UBSan on the tests of the layers,
# the importers, the command, the virtual GPU and jobs under the preload, Python's too;
# ThreadSanitizer on rings, helper and the ways of starting and ending, with everything in the
# process instrumented.
#   scripts/sanitize.sh          all of it, some 40 minutes on two cores
#   scripts/sanitize.sh --short  the part that scripts/test.sh runs, a few minutes
# Builds into $WI_BUILD-asan and $WI_BUILD-tsan (WI_BUILD: default build/), WI_JOBS at a time, and
# leaves a log of each part there. What is skipped or left out is counted, with the reason of each.
# Exit 1 on any finding, 77 where the compiler has no sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${WI_BUILD:-$PWD/build}
short=0
[ "${1:-}" != --short ] || short=1
jobs=${WI_JOBS:-$(nproc)}

if ! echo 'int main(void) { return 0; }' |
    ${CC:-cc} -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null; then
    echo "skipped: the compiler has no sanitizers"
    exit 77
fi

# configure KIND FOLDER
configure() { cmake -S . -B "$2" -G Ninja -DWHYIDLE_SANITIZE="$1" >/dev/null; }

# tests FOLDER SUITE ARGUMENTS: runs ctest there; says what failed, and why something was skipped
tests() {
    local folder=$1 name=$2 status=0
    local log="$folder/${name//[^A-Za-z]/_}.log"
    shift 2
    ctest --test-dir "$folder" --output-on-failure -j 1 "$@" >"$log" 2>&1 || status=$?
    local ran failed skipped
    ran=$(grep -acE '^ *[0-9]+/[0-9]+ Test' "$log" || true)
    failed=$(grep -acE '\*\*\*(Failed|Timeout|Exception|Not Run)' "$log" || true)
    skipped=$(grep -acE '\*\*\*Skipped' "$log" || true)
    echo "$name: $ran tests, $skipped skipped, $failed with findings"
    awk '/^[0-9]+\/[0-9]+ Testing: / { test = $3 }
        /^(skipped|SKIP|not tried):? / { print "  " test ": " $0 }' \
        "$folder/Testing/Temporary/LastTest.log"
    if [ $status -ne 0 ] || [ "$ran" -eq 0 ]; then
        grep -aE '\*\*\*|SUMMARY|ERROR: |runtime error|WARNING: Thread' "$log" |
            sort | uniq -c | head -n 40
        bad=1
    fi
}

left_out=''

# leave PATTERN REASON: tests that this script leaves out
leave() {
    local count
    count=$(ctest --test-dir "$build-asan" -N -R "$1" | sed -n 's/^Total Tests: //p')
    echo "left out: $count tests, $2"
    left_out="$left_out${left_out:+|}$1"
}

bad=0
export UBSAN_OPTIONS=print_stacktrace=1
# Leaks are looked for in the unit tests; jobs end as jobs end.
export TSAN_OPTIONS="report_thread_leaks=0 exitcode=66"

# Leaks are looked for where no interpreter and no shell is part of the test.
jobs_too='^(preload_|sites_|watch_|faults_|torch_|demo_|test_vgpu_(nvcc|majors|settings))'

export ASAN_OPTIONS=detect_leaks=1
configure ON "$build-asan"
if [ $short -eq 1 ]; then
    programs=$(ninja -C "$build-asan" -t targets all | sed -n 's/^\(test_[a-z_]*\): phony$/\1/p')
    # the tests of the virtual GPU open its libraries
    programs="$programs $(ninja -C "$build-asan" -t targets all |
        sed -n 's/^\(vgpu\/[^ ]*\): C_SHARED_LIBRARY.*/\1/p')"
    # shellcheck disable=SC2086
    ninja -C "$build-asan" -j "$jobs" $programs >/dev/null
    tests "$build-asan" "AddressSanitizer and UBSan, layers" -R '^test_' -E "$jobs_too"
else
    ninja -C "$build-asan" -j "$jobs" >/dev/null
    leave '^(live_|sample_|watch_waits)' 'which measure waits in real time'
    leave '^abi_matrix' 'which holds the layouts of fetched libraries against ours, whatever the build'
    tests "$build-asan" "AddressSanitizer and UBSan, layers" -E "$left_out|$jobs_too" --timeout 400
    # two images of the library are one of the cases, so its symbol is there twice
    export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0
    tests "$build-asan" "AddressSanitizer and UBSan, jobs" -R "$jobs_too" -E "$left_out" --timeout 400
fi

configure thread "$build-tsan"
ninja -C "$build-tsan" -j "$jobs" whyidle_preload vgpu_cuda vgpu_cudart13 vgpu_cupti13 job13 \
    job_reopen job_local tool_profiler test_ring test_shared_ring >/dev/null
tests "$build-tsan" "ThreadSanitizer, rings" -R '^test_(shared_)?ring$'
tests "$build-tsan" "ThreadSanitizer, jobs" -R '^preload_races' --timeout 400
exit $bad
