#!/usr/bin/env bash
# Plays the timelines of a scenario file and prints, one line a case and rank, the truth beside
# what whyidle says; exit 1 if a class is off by more than 5 points of wall time.
#   scripts/play.sh [--live] [--json] [--level A|C] [--strict] FILE [CASE...]
# --live runs real processes under the preload, on the real GPU if there is one (WI_GPU=virtual
# forces the model). Builds what is missing ($WI_BUILD, default build/).
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

wi_build
wi_gpu_env
options=()
if [ "$WI_GPU" = real ]; then
    export LD_LIBRARY_PATH=$WI_LIBRARY_PATH
    options=(--real --play-live "$WI_BUILD/tests/scenarios/play_live$WI_SUFFIX")
fi
export WI_BUILD
exec python3 "$WI_ROOT/tests/scenarios/check_play.py" "${options[@]}" "$@"
