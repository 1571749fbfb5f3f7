/* whyidle demo: a small job with a known bottleneck, on the GPU if there is one, else on the
 * virtual one, and the report of it.
 * Threads: main. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "cli/commands.h"
#include "cli/gpu_here.h"
#include "cli/job_run.h"
#include "cli/places.h"
#include "cli/show.h"

struct demo {
    const char *name, *sentence;
};

static const struct demo DEMOS[] = {
#define DEMO(name, sentence) {name, sentence},
#include "cli/demos.def"
#undef DEMO
};

/* Where the job finds its CUDA runtime, and which build of it fits. */
struct device_choice {
    int is_virtual;
    const char *suffix; /* of the program's name */
    char library_path[PATH_MAX * 4];
};

static void list(void)
{
    printf("demo jobs, for whyidle demo NAME:\n");
    for (size_t i = 0; i < WI_ARRAY_LEN(DEMOS); i++)
        printf("  %-10s %s\n", DEMOS[i].name, DEMOS[i].sentence);
}

static const struct demo *find(const char *name)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(DEMOS); i++)
        if (!strcmp(DEMOS[i].name, name))
            return &DEMOS[i];
    return NULL;
}

/* folder[:folder][:what LD_LIBRARY_PATH was] */
static void set_path(struct device_choice *choice, const char *first, const char *second)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    snprintf(choice->library_path, sizeof(choice->library_path), "%s%s%s%s%s", first,
             second ? ":" : "", second ? second : "", before && before[0] ? ":" : "",
             before ? before : "");
}

static int choose_real(struct device_choice *choice)
{
    static const struct {
        const char *pattern, *suffix;
    } MAJORS[] = {{"libcudart.so.13", ""}, {"libcudart.so.12", "_cu12"}};
    struct wi_gpu_here gpu;
    char folder[PATH_MAX], path[PATH_MAX];
    wi_gpu_ask(&gpu);
    for (size_t i = 0; gpu.devices > 0 && i < WI_ARRAY_LEN(MAJORS); i++) {
        if (wi_cuda_find(MAJORS[i].pattern, folder, path) != 0)
            continue;
        choice->suffix = MAJORS[i].suffix;
        set_path(choice, folder, NULL);
        return 0;
    }
    return -1;
}

static int choose_virtual(struct device_choice *choice)
{
    char runtime[PATH_MAX], driver[PATH_MAX];
    if (wi_find_place(WI_PLACE_VGPU, "13", runtime) != 0 ||
        wi_find_place(WI_PLACE_VGPU, "libcuda.so.1", driver) != 0)
        return -1;
    *strrchr(driver, '/') = 0;
    choice->is_virtual = 1;
    choice->suffix = "";
    set_path(choice, runtime, driver);
    return 0;
}

static int report(const struct wi_args *args, struct wi_job_run *run)
{
    const struct wi_report *primary = wi_job_reports_primary(&run->reports);
    int status = wi_child_exit(&run->child);
    if (status != 0)
        fprintf(stderr, "whyidle demo: the job failed (status %d)\n", status);
    else if (!primary)
        wi_job_no_cuda(run);
    else
        wi_show_text(STDOUT_FILENO, primary, args, run->elsewhere ? run->folder : "");
    return status != 0 || !primary ? WI_EXIT_GATE : WI_EXIT_OK;
}

static int run_demo(const struct wi_args *args, const struct demo *demo)
{
    static struct wi_job_run run;
    static struct device_choice choice;
    char file[64], program[PATH_MAX];
    if (choose_real(&choice) != 0 && choose_virtual(&choice) != 0) {
        fprintf(stderr,
                "whyidle demo: there is no GPU here, and the virtual one is not installed\n");
        return WI_EXIT_GATE;
    }
    snprintf(file, sizeof(file), "demo_%s%s", demo->name, choice.suffix);
    if (wi_find_place(WI_PLACE_DEMO, file, program) != 0) {
        fprintf(stderr, "whyidle demo: the program %s is not installed\n", file);
        return WI_EXIT_GATE;
    }
    printf("%s: %s, on %s\n", demo->name, demo->sentence,
           choice.is_virtual ? "the virtual GPU (no GPU here; times are modelled)" : "the GPU");
    const char *const env[] = {"LD_LIBRARY_PATH", choice.library_path, NULL};
    char *argv[] = {program, NULL};
    int err = wi_job_run(&run, argv, env);
    return err ? err : report(args, &run);
}

int wi_cmd_demo(const struct wi_args *args)
{
    if (args->rest_count == 0) {
        list();
        return WI_EXIT_OK;
    }
    const struct demo *demo = find(args->rest[0]);
    if (!demo) {
        fprintf(stderr, "whyidle demo: no demo '%s' (see: whyidle demo)\n", args->rest[0]);
        return WI_EXIT_USAGE;
    }
    return run_demo(args, demo);
}
