#!/usr/bin/env bash
# One command for a machine with a real GPU: root, no network, toolkit or not; under 8 minutes.
# Builds if a compiler is there (else uses the build as it is), runs the demo jobs, the program
# built by nvcc and live scenario cases at levels A and C, measures what a launch costs and how
# true gaps of known length come out. Table and JSON: $OUT, else ./gpu-check-out.
# Without a GPU it runs on the virtual one and marks every device figure as modelled.
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

if command -v cmake >/dev/null && command -v gcc >/dev/null && command -v ninja >/dev/null; then
    wi_build || echo "gpu_check: building failed; going on with what $WI_BUILD holds" >&2
elif [ ! -e "$WI_BUILD/build.ninja" ]; then
    echo "gpu_check: nothing is built in $WI_BUILD, and no compiler is here to build it" >&2
    exit 2
fi
wi_gpu_env
for file in "$WI_LIB" "$WI_CMD" "$WI_BUILD/samples/demo_loader$WI_SUFFIX"; do
    [ -e "$file" ] || { echo "gpu_check: $file is missing" >&2; exit 2; }
done
if [ "$WI_GPU" = virtual ] && wi_gpu_here; then
    echo "gpu_check: a GPU is here but no libcudart: a toolkit, or pip's nvidia-cuda-runtime, is" \
        "needed to use it; what follows is the virtual GPU" >&2
fi
LD_LIBRARY_PATH=$WI_LIBRARY_PATH "$WI_CMD" doctor || true
export WI_ROOT WI_BUILD WI_GPU WI_SUFFIX WI_LIBRARY_PATH WI_LIB WI_CMD
exec python3 "$WI_ROOT/tests/scenarios/gpu_check.py"
