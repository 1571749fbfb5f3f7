# How the CUDA runtime was linked decides what can be recorded; doctor tells them apart.
command -v nvcc > /dev/null || { echo SKIP no nvcc; exit 0; }
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' > p.cu
nvcc -cudart shared p.cu -o shared 2>/dev/null && nvcc -cudart static p.cu -o static 2>/dev/null || { echo SKIP nvcc does not work; exit 0; }
whyidle doctor -- ./shared | grep program | sed "s|$PWD/||"
whyidle doctor -- ./static | grep program | sed "s|$PWD/||"
echo --- a program without kernels of its own, and where there is no CUPTI
printf '#include <cuda_runtime_api.h>\nint main(void) { return cudaFree(0) == 0; }\n' > q.c
cuda=$(dirname "$(dirname "$(command -v nvcc)")")
cc -I"$cuda/include" q.c -o bare -L"$cuda/lib64" -lcudart_static -lrt -ldl -lpthread || exit
whyidle doctor -- ./bare | grep program | sed "s|$PWD/||"
WHYIDLE_LIBCUPTI=$PWD/missing whyidle doctor -- ./bare | grep -A1 program | sed "s|$PWD/||"
