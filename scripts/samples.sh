#!/usr/bin/env bash
# Runs every sample under whyidle, on the real GPU if there is one (WI_GPU=virtual forces the model),
# and prints what it says beside what samples/samples.def expects; exit 1 if one is not as it should.
#   scripts/samples.sh [--later] [PROGRAM...]
# --later also runs those whose evidence is not gathered yet. Builds what is missing ($WI_BUILD).
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

wi_build
wi_gpu_env
real=()
if [ "$WI_GPU" = real ]; then
    real=(--real --path="$WI_LIBRARY_PATH" --suffix="$WI_SUFFIX")
fi
exec python3 "$WI_ROOT/tests/samples/run_samples.py" "$WI_BUILD" "$@" "${real[@]}"
