# How the CUDA runtime was linked decides what can be recorded; doctor tells them apart.
command -v nvcc > /dev/null || { echo SKIP no nvcc; exit 0; }
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' > p.cu
nvcc -cudart shared p.cu -o shared 2>/dev/null && nvcc -cudart static p.cu -o static 2>/dev/null || { echo SKIP nvcc does not work; exit 0; }
whyidle doctor -- ./shared | grep program | sed "s|$PWD/||"
whyidle doctor -- ./static | grep program | sed "s|$PWD/||"
