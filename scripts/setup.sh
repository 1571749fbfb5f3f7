#!/usr/bin/env bash
# Installs what is missing of the packages that building and testing need, from the distribution.
#   scripts/setup.sh [--tests]    --tests: also what only single tests use (they skip without it)
# Does nothing, and needs no network, where everything is there. Debian and Ubuntu; root or sudo.
set -euo pipefail

packages=(gcc libc6-dev cmake ninja-build binutils pkg-config
          zlib1g-dev libsqlite3-dev libyajl-dev libcmocka-dev
          python3 python3-jsonschema)

if ! command -v dpkg-query >/dev/null; then
    echo "setup: no dpkg here; install the equivalents of: ${packages[*]}" >&2
    exit 1
fi

optional=()
if [ "${1:-}" = --tests ]; then
    optional=(clang python3-torch)
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
wanted=()
for package in ${optional[@]+"${optional[@]}"}; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || wanted+=("$package")
done
if [ $((${#missing[@]} + ${#wanted[@]})) -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        { echo "setup: root is needed for: ${missing[*]:-} ${wanted[*]:-}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]:-} ${wanted[*]:-}"
export DEBIAN_FRONTEND=noninteractive
${as_root[@]+"${as_root[@]}"} apt-get -q update >/dev/null || echo "setup: the package lists are not fresh" >&2
if [ ${#missing[@]} -gt 0 ]; then
    ${as_root[@]+"${as_root[@]}"} apt-get -q install -y --no-install-recommends "${missing[@]}" >/dev/null
fi
if [ ${#wanted[@]} -gt 0 ]; then
    ${as_root[@]+"${as_root[@]}"} apt-get -q install -y --no-install-recommends "${wanted[@]}" >/dev/null ||
        echo "setup: ${wanted[*]} could not be had; the tests that use it are skipped" >&2
fi
