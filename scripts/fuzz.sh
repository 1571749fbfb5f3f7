#!/bin/sh
# Fuzzes the readers of files with AddressSanitizer and UBSan: scripts/fuzz.sh [SECONDS [TARGET...]]
# SECONDS of CPU for each target (default 60); corpora and findings are kept in build-fuzz/.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- fuzz_kineto fuzz_trace fuzz_report fuzz_saved_report
out=build-fuzz
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }

mkdir -p "$out"
# Words for the mutator: the members and categories that the importer reads.
sed -n 's/^FIELD([A-Z]*, [A-Z_]*, \("[^"]*"\),.*/\1/p; s/^CATEGORY(\("[^"]*"\),.*/\1/p' \
    src/import/kineto_fields.def src/import/categories.def >"$out/words"

for target in "$@"; do
    source=tests/fuzz/$target.c more=
    [ "$target" != fuzz_saved_report ] || {
        source=tests/cli/$target.c
        more="src/cli/json_doc.c src/cli/report_fields.c src/cli/report_read.c"
    }
    # shellcheck disable=SC2086 # file names without blanks
    clang -std=gnu11 -g -O1 -D_GNU_SOURCE -DWHYIDLE_VERSION='"fuzz"' -Isrc -Iinclude \
        -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined "$source" $more src/base/*.c src/model/*.c \
        src/import/*.c src/analyze/*.c src/report/*.c -lyajl -lz -lm -o "$out/$target"
    corpus=$out/corpus-$target
    mkdir -p "$corpus"
    case $target in
    fuzz_saved_report)
        print=${WI_BUILD:-build}/tests/golden/report_print
        for name in $("$print"); do "$print" "$name" json >"$corpus/$name.json"; done ;;
    fuzz_report) python3 tests/fuzz/seed_trace.py "$corpus" --report ;;
    fuzz_trace) python3 tests/fuzz/seed_trace.py "$corpus" ;;
    *) cp tests/import/data/*.json "$corpus/" && python3 tests/fuzz/seed_trace.py "$corpus" ;;
    esac
    echo "== $target, $seconds s"
    log=$out/$target.log
    if ! "$out/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -dict="$out/words" -artifact_prefix="$out/$target-" -print_final_stats=1 -verbosity=0 \
        "$corpus" >"$log" 2>&1; then
        tail -n 60 "$log"
        exit 1
    fi
    grep '^stat::' "$log"
done
