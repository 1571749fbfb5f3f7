#!/usr/bin/env bash
# Holds our reading of activity records against every libcupti that can be had: strides as this
# library's own walker takes them, records in the newest structures of that version's own headers
# decoded to what was put into them, callback ids by name. Needs no driver and no GPU; versions
# that do nothing without a driver are held against the layouts of their headers only.
#   scripts/abi_matrix.sh [--markdown] [PACKAGE==VERSION | debian:RELEASE]...
# Without arguments the list below, wheels fetched with pip as it is configured here and packages of
# Debian (WI_DEBIAN: address of a mirror), and the toolkit that is installed. Exit 1 if one
# disagrees, 77 if there was nothing to look at (no network, no toolkit).
# WI_BUILD (default build/) is the build folder, WI_ABI (default $WI_BUILD/abi) keeps what was fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${WI_BUILD:-$PWD/build}
keep=${WI_ABI:-$build/abi}
markdown=0
[ "${1:-}" != --markdown ] || { markdown=1; shift; }
# The first and the last of each line of releases, and those between that changed a structure.
wanted=(debian:bullseye debian:bookworm debian:trixie nvidia-cuda-cupti-cu11==11.7.101 nvidia-cuda-cupti-cu11==11.8.87
    nvidia-cuda-cupti-cu12==12.0.146 nvidia-cuda-cupti-cu12==12.2.142
    nvidia-cuda-cupti-cu12==12.4.127 nvidia-cuda-cupti-cu12==12.9.79
    nvidia-cuda-cupti==13.0.85 nvidia-cuda-cupti==13.1.115 nvidia-cuda-cupti==13.2.86
    nvidia-cuda-cupti==13.3.75 nvidia-cuda-cupti==13.4.92 nvidia-cuda-cupti==13.5.25)
[ $# -eq 0 ] || wanted=("$@")
kinds=(Kernel Memcpy MemcpyPtoP Memset GraphTrace Device Overhead Context)
cc=${CC:-cc}
mkdir -p "$keep"
[ -f "$build/build.ninja" ] || cmake -S . -B "$build" -G Ninja >/dev/null
ninja -C "$build" wi_cuda wi_model wi_base >/dev/null

# fetch PACKAGE==VERSION FOLDER: unpacks the wheel; says nothing if it cannot be had
fetch() {
    [ -d "$2/nvidia" ] && return
    rm -rf "$2" && mkdir -p "$2"
    python3 -m pip download -q --no-deps --disable-pip-version-check -d "$2" "$1" \
        >"$2/pip.log" 2>&1 || return
    python3 -m zipfile -e "$2"/*.whl "$2" && rm -f "$2"/*.whl
}

# fetch_debian RELEASE FOLDER: unpacks that release's libcupti and its headers, likewise
fetch_debian() {
    local file files mirror=${WI_DEBIAN:-http://deb.debian.org/debian}
    [ ! -d "$2/usr" ] || return 0
    rm -rf "$2" && mkdir -p "$2"
    files=$(curl -fsS -m 60 "$mirror/dists/$1/non-free/binary-amd64/Packages.xz" 2>"$2/curl.log" | xzcat 2>>"$2/curl.log" |
        sed -nE 's|^Filename: (.*/libcupti(-dev_\|[0-9.]+_).*)|\1|p')
    [ -n "$files" ] || return 0
    for file in $files; do
        curl -fsS -m 300 -o "$2/one.deb" "$mirror/$file" 2>"$2/curl.log" &&
            dpkg-deb -x "$2/one.deb" "$2" || { rm -rf "$2/usr"; return 0; }
    done
    sed -nE 's|.*/libcupti-dev_([0-9.]+).*|deb \1|p' <<<"$files" >"$2/name"
    rm -f "$2/one.deb" "$2"/usr/lib/*/*.a
}

# newest KIND INCLUDE: the structure of the kind with the highest number in these headers
newest() {
    cat "$2"/cupti_activity*.h | grep -oE "^ *\} *CUpti_Activity$1[0-9]*;" |
        grep -oE "CUpti_Activity$1[0-9]*" | sort -V | tail -n 1
}

# look NAME INCLUDE LIBRARY: one row; 1 if something disagrees
look() {
    local defines=() structures=() name program=$keep/decode_${1// /_} out status=0
    for kind in "${kinds[@]}"; do
        name=$(newest "$kind" "$2")
        if [ -z "$name" ]; then # graphs as a whole are recorded from 11.7 on
            [ "$kind" = GraphTrace ] && continue
            echo "$1: no structure for $kind in its headers"
            return 1
        fi
        defines+=("-DREAL_$kind=$name")
        structures+=("${name#CUpti_Activity}")
    done
    "$cc" -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests/preload/abi -isystem "$2" "${defines[@]}" \
        tests/preload/decode_real.c "$build"/src/cuda/libwi_cuda.a "$build"/libwi_model.a \
        "$build"/libwi_base.a -ldl -pthread -o "$program" 2>"$program.log" ||
        { echo "$1: does not compile against its headers"; head -n 5 "$program.log"; return 1; }
    out=$("$program" "$3" 2>&1) || status=$?
    local strides agrees=yes
    if [ $status -eq 3 ] || [ $status -ge 128 ]; then # walks nothing, or crashes, without a driver
        status=0
        out=$("$program" - 2>&1) || status=$?
        agrees="layout only"
    fi
    strides=$(sed -n 's/^api //p' <<<"$out" | head -n 1)
    [ $status -eq 0 ] || agrees=NO
    row "$1" "$strides" "$agrees" "${structures[0]} ${structures[1]} ${structures[3]}"
    [ $status -eq 0 ] || { grep -v '^api ' <<<"$out" | head -n 20; return 1; }
}

# row NAME "API kernel N copy N ..." AGREES STRUCTURES
row() {
    set -- "$1" "$3" "$4" $2
    local name=$1 agrees=$2 structures=$3 api=${4:--}
    shift 4 || shift $#
    local values=() column
    local -A strides=()
    while [ $# -gt 1 ]; do strides[$1]=$2; shift 2; done
    for column in "${columns[@]}"; do values+=("${strides[$column]:--}"); done
    if [ $markdown -eq 1 ]; then
        printf '| %s | %s |' "$name" "$api"
        printf ' %s |' "${values[@]}"
        printf ' %s | %s |\n' "$structures" "$agrees"
    else
        printf '%-12s %7s' "$name" "$api"
        printf ' %8s' "${values[@]}"
        printf '  %-24s %s\n' "$structures" "$agrees"
    fi
}

columns=(kernel copy peer memset graph device overhead context call)
if [ $markdown -eq 1 ]; then
    printf '| CUDA | API |'
    printf ' %s |' "${columns[@]}"
    echo ' newest structures | agrees |'
    echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
else
    printf '%-12s %7s' CUDA API
    printf ' %8s' "${columns[@]}"
    printf '  %-24s %s\n' "newest structures" agrees
fi
seen=0 bad=0 missing=()
for package in "${wanted[@]}"; do
    version=${package#*[=:]} version=${version#=}
    case $package in
    debian:*) fetch_debian "$version" "$keep/$version" || true ;;
    *) fetch "$package" "$keep/$version" || true ;;
    esac
    library=$(find "$keep/$version" -name 'libcupti.so.1*' 2>/dev/null | sort | head -n 1)
    header=$(find "$keep/$version" -name cupti_activity.h 2>/dev/null | head -n 1)
    if [ -z "$library" ] || [ -z "$header" ]; then
        missing+=("$package")
        continue
    fi
    seen=$((seen + 1))
    name=$(cat "$keep/$version/name" 2>/dev/null || echo "$version")
    look "$name" "$(dirname "$header")" "$library" || bad=1
done
home=${CUDA_HOME:-/usr/local/cuda}
for library in "$home"/lib64/libcupti.so.1? "$home"/extras/CUPTI/lib64/libcupti.so.1?; do
    [ -f "$library" ] && [ -f "$home/include/cupti_activity.h" ] || continue
    seen=$((seen + 1))
    look installed "$home/include" "$library" || bad=1
    break
done
[ ${#missing[@]} -eq 0 ] || echo "not to be had here: ${missing[*]}"
if [ $seen -eq 0 ]; then
    echo "skipped: no libcupti could be fetched and none is installed"
    exit 77
fi
exit $bad
