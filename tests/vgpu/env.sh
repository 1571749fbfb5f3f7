# Source this to run programs on the virtual GPU: `. tests/vgpu/env.sh [major]`. Needs WI_BUILD.
LD_LIBRARY_PATH=$WI_BUILD/vgpu/${1:-13}:$WI_BUILD/vgpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
