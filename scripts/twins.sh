#!/usr/bin/env bash
# Holds predictions made from the bad runs of given.md against what the fixes of twins.md really
# brought, and prints the tables; exit 1 if too many miss (tests/scenarios/check_twins.py).
#   scripts/twins.sh [--accept] [ID...]
# --accept writes the tables into docs/predictions.md. WHYIDLE_CASES names the folder of the two files
# (default: ../shared/cases). Builds what is missing ($WI_BUILD, default build/).
set -euo pipefail
. "$(dirname "$0")/gpu_env.sh"

wi_build
export WI_BUILD WI_SOURCE=$WI_ROOT
options=()
if [ "${1:-}" = --accept ]; then
    options=(--markdown "$WI_ROOT/docs/predictions.md")
    shift
fi
exec python3 "$WI_ROOT/tests/scenarios/check_twins.py" "${options[@]}" "$@"
