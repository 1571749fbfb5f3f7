/* whyidle doctor: can it work here, how fully, and one repair per line.
 * Threads: main. Changes nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "cli/commands.h"
#include "cli/elf_facts.h"
#include "cli/gpu_here.h"
#include "cli/places.h"

enum state { GOOD, NOTE, LESS, BAD }; /* works; worth knowing; less detail; cannot work */

struct doctor {
    int worst;
    int cupti; /* one was found */
};

/* One line a fact: "ok    driver      libcuda.so.1, CUDA 13.0, 1 device". */
static void fact(struct doctor *doctor, enum state state, const char *name, const char *fmt, ...)
    WI_PRINTF(4, 5);
static void fact(struct doctor *doctor, enum state state, const char *name, const char *fmt, ...)
{
    static const char *const WORDS[] = {"ok", "note", "less", "BAD"};
    va_list args;
    printf("%-5s %-12s", WORDS[state], name);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    doctor->worst = (int)state > doctor->worst ? (int)state : doctor->worst;
}

static void repair(const char *text)
{
    printf("%-18srepair: %s\n", "", text);
}

static void check_library(struct doctor *doctor)
{
    char path[PATH_MAX];
    if (wi_find_library(path) != 0) {
        fact(doctor, BAD, "library", "libwhyidle.so was not found beside the command");
        repair("install both into one prefix, or set WHYIDLE_LIB to the library's path");
    } else if (strpbrk(path, ": ")) {
        fact(doctor, BAD, "library", "%s: the linker cannot preload a path with a blank or colon",
             path);
        repair("copy the library elsewhere and set WHYIDLE_LIB to it");
    } else {
        fact(doctor, GOOD, "library", "%s", path);
    }
}

static void check_driver(struct doctor *doctor)
{
    struct wi_gpu_here gpu;
    wi_gpu_ask(&gpu);
    if (!gpu.has_driver) {
        fact(doctor, BAD, "driver", "%s", gpu.problem);
        repair("install the NVIDIA driver; in a container start it with --gpus all (or --nv)");
    } else if (gpu.init_error) {
        fact(doctor, BAD, "driver", "libcuda.so.1 is there, but cuInit fails with %d",
             gpu.init_error);
        repair("run nvidia-smi: the kernel module and the library must have the same version");
    } else if (!gpu.devices) {
        fact(doctor, BAD, "driver", "no device is visible (CUDA_VISIBLE_DEVICES=%s)",
             getenv("CUDA_VISIBLE_DEVICES") ? getenv("CUDA_VISIBLE_DEVICES") : "");
        repair("unset CUDA_VISIBLE_DEVICES, or ask the scheduler for a GPU");
    } else {
        fact(doctor, GOOD, "driver", "CUDA %d.%d, %d device%s", gpu.driver_version / 1000,
             gpu.driver_version % 1000 / 10, gpu.devices, gpu.devices == 1 ? "" : "s");
    }
}

static void check_cupti(struct doctor *doctor)
{
    char folder[PATH_MAX], path[PATH_MAX];
    const char *given = getenv("WHYIDLE_LIBCUPTI");
    if (given && given[0]) {
        int there = access(given, R_OK) == 0;
        doctor->cupti = there;
        fact(doctor, there ? GOOD : LESS, "cupti", "%s (WHYIDLE_LIBCUPTI)%s", given,
             there ? "" : ": not readable");
        if (!there)
            repair("unset WHYIDLE_LIBCUPTI, or name a libcupti.so that exists");
    } else if (wi_cuda_find("libcupti.so*", folder, path) == 0) {
        doctor->cupti = 1;
        fact(doctor, GOOD, "cupti", "%s", path);
    } else {
        fact(doctor, LESS, "cupti",
             "no libcupti.so in the usual places: host calls only (level C)");
        repair("pip install nvidia-cuda-cupti-cu12 (or the toolkit), or set WHYIDLE_LIBCUPTI");
    }
    if (wi_cuda_find("libcudart.so*", folder, path) == 0)
        fact(doctor, GOOD, "cudart", "%s", path);
    else
        fact(doctor, NOTE, "cudart", "none in the usual places; a job may bring its own");
}

static void check_output(struct doctor *doctor)
{
    char out[PATH_MAX];
    char temp[PATH_MAX];
    if (wi_out_folder(out) == 0 && wi_writable(out)) {
        fact(doctor, GOOD, "output", "%s", out);
        return;
    }
    const char *why = strerror(errno);
    int spare = wi_spare_folder(temp) == 0 && wi_writable(temp);
    fact(doctor, spare ? LESS : BAD, "output", "%s cannot be written to (%s); %s %s", out, why,
         temp, spare ? "will be used" : "neither");
    repair("set WHYIDLE_OUT to a folder that can be written to");
}

static void check_proc(struct doctor *doctor)
{
    static const struct {
        const char *path, *what;
    } FILES[] = {
        {"/proc/self/schedstat", "running and waiting time of threads"},
        {"/proc/self/task", "threads of the job"},
        {"/proc/stat", "idle cores"},
    };
    for (size_t i = 0; i < WI_ARRAY_LEN(FILES); i++) {
        if (access(FILES[i].path, R_OK) == 0)
            continue;
        fact(doctor, LESS, "proc", "%s is not readable: no %s", FILES[i].path, FILES[i].what);
        repair("mount /proc in the container as usual (without hidepid)");
        return;
    }
    fact(doctor, GOOD, "proc", "host evidence is readable");
}

/* What profiling restrictions of the driver mean here: nothing, and that is worth a line. */
static void check_restrictions(struct doctor *doctor)
{
    char text[8192] = "";
    int fd = open("/proc/driver/nvidia/params", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = 0;
    if (strstr(text, "RmProfilingAdminOnly: 1"))
        fact(doctor, NOTE, "permission",
             "GPU counters are for administrators only; whyidle uses none");
}

static void check_conflicts(struct doctor *doctor)
{
    const char *injection = getenv("CUDA_INJECTION64_PATH"), *preload = getenv("LD_PRELOAD");
    const char *off = getenv("WHYIDLE");
    if (off && !strcmp(off, "0")) {
        fact(doctor, BAD, "switch", "WHYIDLE=0 switches everything off");
        repair("unset WHYIDLE");
    }
    if (injection && injection[0] && !strstr(injection, "libwhyidle")) {
        fact(doctor, LESS, "conflict", "CUDA_INJECTION64_PATH=%s: another tool may hold CUPTI",
             injection);
        repair("unset CUDA_INJECTION64_PATH; only one tool can record device times");
    }
    if (preload && preload[0] && !strstr(preload, "libwhyidle"))
        fact(doctor, NOTE, "preload", "LD_PRELOAD=%s is kept, whyidle is loaded behind it",
             preload);
}

/* Its calls of the runtime never leave the program: only CUPTI, which the driver calls, sees them.
 */
static void check_static_runtime(struct doctor *doctor, const char *path)
{
    if (doctor->cupti) {
        fact(doctor, NOTE, "program",
             "%s holds the CUDA runtime itself (static): wrappers cannot see its calls, CUPTI can: "
             "full detail works (level A), host calls only (level C) does not",
             path);
        return;
    }
    fact(
        doctor, LESS, "program",
        "%s holds the CUDA runtime itself (static): wrappers cannot see its calls, and there is no "
        "CUPTI that could: nothing would be recorded",
        path);
    repair("get a libcupti (above), or link the program with nvcc -cudart shared");
}

static void check_linked(struct doctor *doctor, const char *path, const struct wi_elf_facts *facts)
{
    if (facts->other_machine) {
        fact(doctor, BAD, "program", "%s is built for another processor", path);
        repair("use a whyidle built for it");
    } else if (!facts->dynamic) {
        fact(doctor, BAD, "program", "%s is linked statically: LD_PRELOAD cannot reach it", path);
        repair("link it dynamically, or set CUDA_INJECTION64_PATH=$(whyidle lib)");
    } else if (facts->set_id) {
        fact(doctor, BAD, "program", "%s is set-user-id: the linker ignores LD_PRELOAD", path);
        repair("run a copy without that bit");
    } else if (facts->needs_cudart) {
        fact(doctor, GOOD, "program", "%s links the CUDA runtime dynamically", path);
    } else if (facts->has_device_code || facts->holds_runtime) {
        check_static_runtime(doctor, path);
    } else {
        fact(doctor, GOOD, "program", "%s loads what it needs at run time%s", path,
             facts->needs_cuda ? ", with the driver API" : "");
    }
}

static void check_program(struct doctor *doctor, const char *name)
{
    char path[PATH_MAX];
    struct wi_elf_facts facts;
    if (wi_program_find(name, path) != 0 || wi_elf_read(path, &facts) != 0) {
        fact(doctor, BAD, "program", "%s: not found, or not executable", name);
        repair("give its path");
        return;
    }
    if (facts.interpreter[0]) {
        fact(doctor, NOTE, "program", "%s is a script of %s", path, facts.interpreter);
        if (wi_program_find(facts.interpreter, path) != 0 || wi_elf_read(path, &facts) != 0)
            return;
    }
    if (facts.is_elf)
        check_linked(doctor, path, &facts);
    else
        fact(doctor, NOTE, "program", "%s is neither a program nor a script that says whose", path);
}

int wi_cmd_doctor(const struct wi_args *args)
{
    struct doctor doctor = {0};
    check_library(&doctor);
    check_driver(&doctor);
    check_cupti(&doctor);
    check_output(&doctor);
    check_proc(&doctor);
    check_restrictions(&doctor);
    check_conflicts(&doctor);
    if (args->rest_count > 0)
        check_program(&doctor, args->rest[0]);
    printf("\nwhyidle %s here\n", doctor.worst == BAD    ? "cannot work"
                                  : doctor.worst == LESS ? "works with less detail"
                                                         : "can work in full detail");
    return doctor.worst == BAD ? WI_EXIT_GATE : WI_EXIT_OK;
}
