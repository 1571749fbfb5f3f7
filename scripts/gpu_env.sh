# shellcheck shell=bash disable=SC2034
# To be sourced: which GPU the jobs run on, and the environment for it. Sets
#   WI_ROOT, WI_BUILD  the source tree and its build folder (default: build/ in the tree)
#   WI_GPU             real or virtual; preset it to force one
#   WI_SUFFIX          "" or "_cu12": which build of the samples fits the libcudart found
#   WI_LIBRARY_PATH    what LD_LIBRARY_PATH of a job must be
#   WI_LIB, WI_CMD     libwhyidle.so and the command
#   WI_PRELOAD         what LD_PRELOAD of a job must be
WI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WI_BUILD=${WI_BUILD:-$WI_ROOT/build}
case $WI_BUILD in /*) ;; *) WI_BUILD=$PWD/$WI_BUILD ;; esac

# The folders where a libcudart of major $1 may lie, outside the loader's own list.
wi_cudart_folders() {
    local root
    for root in ${CUDA_HOME:-} ${CUDA_PATH:-} /usr/local/cuda /usr/local/cuda-"$1"*; do
        printf '%s\n' "$root/lib64" "$root"/targets/*/lib
    done
    [ -z "${CONDA_PREFIX:-}" ] || printf '%s\n' "$CONDA_PREFIX/lib"
    for root in ${VIRTUAL_ENV:-} /usr/local /usr /opt/conda "$HOME/.local"; do
        printf '%s\n' "$root"/lib/python3*/site-packages/nvidia/*/lib \
            "$root"/lib/python3*/dist-packages/nvidia/*/lib
    done
}

# Prints "MAJOR FOLDER" of a libcudart that the samples can use; the folder is empty if the loader
# finds it by itself.
wi_find_cudart() {
    local major folder
    for major in 13 12; do
        if ldconfig -p 2>/dev/null | grep -q "libcudart.so.$major "; then
            echo "$major"
            return 0
        fi
        while read -r folder; do
            if [ -e "$folder/libcudart.so.$major" ]; then
                echo "$major $folder"
                return 0
            fi
        done < <(wi_cudart_folders $major)
    done
    return 1
}

wi_gpu_here() {
    compgen -G '/dev/nvidia[0-9]*' >/dev/null || nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

# The runtime of the sanitizer that a library is built with, which has to be loaded before it.
wi_sanitizer_runtime() {
    ldd "$1" 2>/dev/null | sed -n 's/.* => \(.*\/lib[at]san[^ ]*\) .*/\1/p'
}

wi_gpu_env() {
    local major folder runtime
    WI_SUFFIX=
    if [ -z "${WI_GPU:-}" ]; then
        WI_GPU=virtual
        if wi_gpu_here && wi_find_cudart >/dev/null; then
            WI_GPU=real
        fi
    fi
    if [ "$WI_GPU" = real ]; then
        read -r major folder < <(wi_find_cudart) || { echo "no libcudart found" >&2; return 1; }
        [ "$major" = 13 ] || WI_SUFFIX=_cu12
        WI_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    else
        WI_LIBRARY_PATH=$WI_BUILD/vgpu/13:$WI_BUILD/vgpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
    WI_LIB=$WI_BUILD/src/collect/libwhyidle.so
    WI_CMD=$WI_BUILD/src/cli/whyidle
    runtime=$(wi_sanitizer_runtime "$WI_LIB")
    WI_PRELOAD=${runtime:+$runtime }$WI_LIB
}

# Builds what running jobs needs; quiet unless it fails.
wi_build() {
    local log
    log=$(mktemp)
    if [ ! -e "$WI_BUILD/build.ninja" ]; then
        cmake -S "$WI_ROOT" -B "$WI_BUILD" -G Ninja >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    fi
    if ! ninja -C "$WI_BUILD" src/cli/all src/collect/all src/vgpu/all samples/all \
        tests/scenarios/all >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}
