#!/usr/bin/env bash
# One command for a machine with a real GPU: root, no network, toolkit or not; under 8 minutes, the
# build included. Builds if a compiler is there (else uses the build as it is), runs the demo jobs,
# programs built by nvcc, every sample, PyTorch jobs and the live scenario cases, measures what a
# launch costs and how true gaps of known length come out. Table and JSON: $OUT, else
# ./gpu-check-out. What is missing here is skipped with its reason, what the time does not allow is
# told as left out. Exit 1 if an expectation is missed, or nothing could be checked.
#   scripts/gpu_check.sh [PART...]    demos nvcc static launch-cost gaps samples torch live
# Without a GPU it runs on the virtual one and marks every row as modelled. docs/gpu-results.md.
set -euo pipefail
WI_STARTED_S=$(date +%s)
. "$(dirname "$0")/gpu_env.sh"

if command -v cmake >/dev/null && command -v gcc >/dev/null && command -v ninja >/dev/null; then
    wi_build || echo "gpu_check: building failed; going on with what $WI_BUILD holds" >&2
    # Not everywhere: a build with sanitizers has no jobs of the preload.
    ninja -C "$WI_BUILD" job_driver >/dev/null 2>&1 || true
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
export WI_ROOT WI_BUILD WI_GPU WI_SUFFIX WI_LIBRARY_PATH WI_LIB WI_PRELOAD WI_CMD WI_STARTED_S
exec python3 "$WI_ROOT/tests/scenarios/gpu_check.py" "$@"
