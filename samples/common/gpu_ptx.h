/* The kernels of the samples as PTX text, so that no CUDA compiler is needed: the driver compiles
 * it for the device at hand (Volta or newer). %globaltimer counts nanoseconds. */
#ifndef WI_SAMPLES_GPU_PTX_H
#define WI_SAMPLES_GPU_PTX_H

#define SPIN_PTX(name)                                                                             \
    ".visible .entry " name "(.param .u64 ns)\n"                                                   \
    "{\n"                                                                                          \
    "    .reg .b64 %rd<5>;\n"                                                                      \
    "    .reg .pred %p<2>;\n"                                                                      \
    "    ld.param.u64 %rd1, [ns];\n"                                                               \
    "    mov.u64 %rd2, %globaltimer;\n"                                                            \
    "AGAIN:\n"                                                                                     \
    "    mov.u64 %rd3, %globaltimer;\n"                                                            \
    "    sub.s64 %rd4, %rd3, %rd2;\n"                                                              \
    "    setp.lt.u64 %p1, %rd4, %rd1;\n"                                                           \
    "    @%p1 bra AGAIN;\n"                                                                        \
    "    ret;\n"                                                                                   \
    "}\n"

static const char *const gpu_kernel_name[] = {"wi_spin_ns", "wi_spin_thin_ns",
                                              "ncclDevKernel_Sample_spin_ns"};

static const char gpu_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n" SPIN_PTX("wi_spin_ns")
        SPIN_PTX("wi_spin_thin_ns") SPIN_PTX("ncclDevKernel_Sample_spin_ns");

#endif
