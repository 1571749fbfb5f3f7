#!/bin/sh
# A program built by nvcc with a shared runtime runs on the virtual GPU and gives the right bytes,
# with both kinds of default stream. Skipped (77) where there is no nvcc.
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null)
if [ -z "$nvcc" ]; then
    echo "skipped: no nvcc"
    exit 77
fi
major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
if [ ! -d "$WI_BUILD/vgpu/$major" ]; then
    echo "skipped: nvcc of CUDA $major"
    exit 77
fi
runtime=$([ -z "${WI_SANITIZE:-}" ] || ldd "$WI_BUILD/vgpu/libcuda.so.1" |
    sed -n 's/.* => \(.*\/lib[at]san[^ ]*\) .*/\1/p')
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
want="sum 2147450880 factor 7 kernel about 2 ms"
for mode in legacy per-thread; do
    "$nvcc" -cudart shared --default-stream "$mode" -o "$work/spin" \
        "$WI_SOURCE/samples/nvcc/spin.cu" || exit 1
    got=$(LD_PRELOAD=$runtime LD_LIBRARY_PATH=$WI_BUILD/vgpu/$major:$WI_BUILD/vgpu "$work/spin")
    if [ "$got" != "$want" ]; then
        echo "$mode: got '$got', want '$want'"
        exit 1
    fi
done
echo "$got"
