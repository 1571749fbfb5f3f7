#!/bin/sh
# Fuzzes every reader, and the engine, with AddressSanitizer and UBSan:
#   scripts/fuzz.sh [SECONDS [TARGET...]]    SECONDS of CPU time for each target (default 60), one after another
# The time is the processor's, as the kernel counts it, so that a busy machine shortens nothing.
# Corpora and findings are kept in build-fuzz/; a finding ends it with the log and status 1.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- fuzz_engine fuzz_kineto fuzz_trace fuzz_report fuzz_saved_report fuzz_symbols \
    fuzz_proc fuzz_python fuzz_cfi
out=build-fuzz
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }

mkdir -p "$out/objects"
# Words for the mutator: the members and categories that the importer reads.
sed -n 's/^FIELD([A-Z]*, [A-Z_]*, \("[^"]*"\),.*/\1/p; s/^CATEGORY(\("[^"]*"\),.*/\1/p' \
    src/import/kineto_fields.def src/import/categories.def >"$out/words"

compile() { # SOURCE...: the names of their objects, each built once and when a file has changed
    for source in "$@"; do
        object=$out/objects/$(echo "$source" | tr / _).o
        if [ ! -f "$object" ] || [ -n "$(find src tests/fuzz -newer "$object" -name '*.[chd]*' | head -1)" ]; then
            clang -std=gnu11 -g -O1 -D_GNU_SOURCE -DWHYIDLE_VERSION='"fuzz"' -DWI_TEST_ROOT \
                -DWI_TEST_FAULTS -Isrc -Iinclude -fsanitize=fuzzer-no-link,address,undefined \
                -fno-sanitize-recover=undefined -c "$source" -o "$object" || exit 1
        fi
        echo "$object"
    done
}

seed() { # TARGET FOLDER: small inputs to begin with
    case $1 in
    fuzz_report) python3 tests/fuzz/seed_trace.py "$2" --report ;;
    fuzz_trace) python3 tests/fuzz/seed_trace.py "$2" ;;
    fuzz_kineto) cp tests/import/data/*.json "$2/" && python3 tests/fuzz/seed_trace.py "$2" ;;
    fuzz_saved_report)
        for sample in loader pageable healthy; do
            [ ! -x build/tests/golden/report_print ] ||
                build/tests/golden/report_print "$sample" json >"$2/$sample" 2>/dev/null || true
        done ;;
    fuzz_cfi) python3 tests/fuzz/seed_cfi.py "$2" ;;
    fuzz_symbols)
        for version in 2 4 5; do
            printf 'int f(int x)\n{\n    return x + 1;\n}\n' |
                clang -x c -gdwarf-$version -shared -nostdlib -Wl,-z,noseparate-code -o "$out/seed.so" -
            { printf '\000\002'; cat "$out/seed.so"; } >"$2/dwarf$version"
        done ;;
    fuzz_proc)
        for file in /proc/stat /proc/self/status /proc/self/cgroup /proc/loadavg; do
            head -c 700 $file && printf '\377'
        done >"$2/files"
        printf '200000 100000\377throttled_usec 5\n\377' >>"$2/files"
        head -c 400 /proc/self/stat >"$2/stat" ;;
    esac
}

ticks=$(getconf CLK_TCK)

cpu_seconds() { # PID: what it has used, nothing once it is gone
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk -v ticks="$ticks" '{ print int(($12 + $13) / ticks) }'
}

fuzz() { # TARGET LOG ARGUMENTS...: ends it in good order when its time is used; sets used and its status
    target=$1 log=$2 used=0
    shift 2
    "$out/$target" "$@" >"$log" 2>&1 &
    pid=$!
    while now=$(cpu_seconds $pid) && [ -n "$now" ] && [ "$(sed 's/.*) //; s/ .*//' /proc/$pid/stat)" != Z ]; do
        used=$now
        [ "$used" -lt "$seconds" ] || kill -USR1 $pid 2>/dev/null || true
        sleep 1
    done
    wait $pid
}

for target in "$@"; do
    corpus=$out/corpus-$target
    mkdir -p "$corpus"
    seed "$target" "$corpus"
    main=tests/fuzz/$target.c
    extra="src/import/*.c" libs="-lyajl -lz" most=4096
    case $target in
    fuzz_engine) extra='' libs='' most=2048 ;;
    fuzz_saved_report)
        main=tests/cli/fuzz_saved_report.c libs=-lyajl most=16384
        extra="src/cli/json_doc.c src/cli/report_device.c src/cli/report_fields.c
            src/cli/report_predictions.c src/cli/report_read.c src/cli/report_rows.c" ;;
    fuzz_symbols) extra='' libs='' most=16384 ;;
    fuzz_proc | fuzz_python | fuzz_cfi)
        libs='' extra="src/collect/*.c src/cuda/*.c" most=16384 ;;
    esac
    # shellcheck disable=SC2086
    objects=$(compile src/base/*.c src/symbols/*.c src/model/*.c src/analyze/*.c src/report/*.c $extra)
    case $extra in src/collect*) # as an archive: the preload's own entry points stay out
        rm -f "$out/$target.a"
        ar rc "$out/$target.a" $objects
        objects=$out/$target.a ;;
    esac
    # shellcheck disable=SC2086
    clang -fsanitize=fuzzer,address,undefined $(compile "$main") $objects $libs -lm -ldl -lpthread \
        -o "$out/$target"
    log=$out/$target.log
    if ! fuzz "$target" "$log" -max_len=$most -timeout=20 -rss_limit_mb=1024 -dict="$out/words" \
        -artifact_prefix="$out/$target-" -print_final_stats=1 -verbosity=0 "$corpus"; then
        tail -n 60 "$log"
        echo "$target: a finding after $used s of CPU"
        exit 1
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "$target: $used s of CPU, ${executions:-unknown} executions, no finding"
done
case " $* " in # those of a run that was stopped; of no other script's
*" fuzz_proc "*) rm -rf /dev/shm/wi-fuzz-proc-* ;;
esac
