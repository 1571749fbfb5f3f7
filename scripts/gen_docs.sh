#!/usr/bin/env bash
# Rewrites the generated pages of docs/ from the tables; --check compares only.
set -euo pipefail
exec python3 "$(dirname "$0")/gen_docs.py" "$@"
