/* What every process does that has the preload, whether it uses CUDA or not: three variables, for
 * the driver, for NVTX and for the children. Nothing else, and little of it: a page that is read or
 * written here costs every process of the job a microsecond or more. So no heap, no wi_out_f, code
 * that lies together (WI_AT_LOAD), and one block for what is written, on the page of .data that the
 * loader writes anyway: scripts/check_load.sh holds that page and the relocations.
 * Threads: the loader's. May not: use functions that old systems keep in other libraries than libc:
 * in a process without CUDA nothing has loaded those. */
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/out.h"
#include "collect/hot.h"
#include "collect/publish.h"

#define PATH_BYTES 1024
#define MAX_LIST   128  /* variables; with more of them, */
#define TEXT_BYTES 1280 /* or with longer ones, setenv and its heap do it */

extern char **environ;

/* The process's variables with ours at the end: "NAME=value", one after another in text. */
static struct {
    char *list[MAX_LIST];
    char text[TEXT_BYTES];
    size_t used;
} ours __attribute__((section(".data")));

/* The last two digits of value. */
WI_AT_LOAD static void put_two(struct wi_out *out, int64_t value)
{
    wi_out_char(out, (char)('0' + value / 10 % 10));
    wi_out_char(out, (char)('0' + value % 10));
}

/* Days since 1970 to a date, without the locale and files that gmtime may touch. */
WI_AT_LOAD static void put_time(struct wi_out *out, int64_t seconds)
{
    int64_t z = seconds / 86400 + 719468, era = z / 146097, day_of_era = z - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day + 2) / 153, rest = seconds % 86400;
    int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);

    put_two(out, year / 100);
    put_two(out, year);
    put_two(out, month);
    put_two(out, day - (153 * shifted + 2) / 5 + 1);
    wi_out_char(out, '-');
    put_two(out, rest / 3600);
    put_two(out, rest / 60 % 60);
    put_two(out, rest % 60);
}

WI_AT_LOAD static int put_absolute(struct wi_out *out, const char *path)
{
    char cwd[PATH_BYTES];
    if (path[0] != '/') {
        if (syscall(SYS_getcwd, cwd, sizeof(cwd)) <= 0)
            return WI_ERR_IO;
        wi_out_str(out, cwd);
        wi_out_char(out, '/');
    }
    wi_out_str(out, path);
    return 0;
}

/* Clock and number by bare calls: the quicker ways lie on pages of their own. */
WI_AT_LOAD int wi_default_job_dir(char *path, size_t cap)
{
    const char *base = getenv("WHYIDLE_OUT"), *slurm = getenv("SLURM_JOB_ID");
    struct timespec now = {0, 0};
    struct wi_out out;
    wi_out_mem(&out, path, cap);
    if (put_absolute(&out, base && *base ? base : "whyidle-out") != 0)
        return WI_ERR_IO;
    wi_out_char(&out, '/');
    if (slurm && *slurm) {
        wi_out_name(&out, slurm);
    } else {
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
        put_time(&out, now.tv_sec);
    }
    wi_out_char(&out, '-');
    wi_out_i64(&out, syscall(SYS_getpid));
    return wi_out_finish(&out);
}

WI_AT_LOAD static int find_own(struct dl_phdr_info *image, size_t size, void *path)
{
    (void)size;
    for (int i = 0; i < image->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &image->dlpi_phdr[i];
        uintptr_t from_start = (uintptr_t)&ours - image->dlpi_addr - part->p_vaddr;
        if (part->p_type == PT_LOAD && from_start < part->p_memsz) {
            *(const char **)path = image->dlpi_name;
            return 1;
        }
    }
    return 0;
}

/* The path of this library's file, absolute. (dladdr was not always libc's.) */
WI_AT_LOAD static int own_path(char *path, size_t cap)
{
    const char *name = NULL;
    struct wi_out out;
    if (!dl_iterate_phdr(find_own, &name) || !name)
        return WI_ERR_NOT_FOUND;
    wi_out_mem(&out, path, cap);
    if (put_absolute(&out, name) != 0)
        return WI_ERR_IO;
    return wi_out_finish(&out);
}

/* What setenv does, in the block above. 0 if there is no room. */
WI_AT_LOAD static int keep(const char *name, const char *value)
{
    char *entry = ours.text + ours.used, **list = environ;
    size_t count = 0;
    struct wi_out out;
    while (list && count < MAX_LIST && list[count])
        count++;
    if (count + 2 > MAX_LIST)
        return 0;
    wi_out_mem(&out, entry, sizeof(ours.text) - ours.used);
    wi_out_str(&out, name);
    wi_out_char(&out, '=');
    wi_out_str(&out, value);
    if (wi_out_finish(&out) != 0)
        return 0;
    ours.used += out.len + 1;
    if (list != ours.list && count > 0)
        memcpy(ours.list, list, count * sizeof(*list));
    ours.list[count] = entry;
    ours.list[count + 1] = NULL;
    environ = ours.list;
    return 1;
}

/* alone: no other thread can read the variables meanwhile, and it has none of this name. */
WI_AT_LOAD static void offer(const char *name, int (*get)(char *, size_t), int alone)
{
    char value[PATH_BYTES];
    if (get(value, sizeof(value)) == 0 && !(alone && keep(name, value)))
        setenv(name, value, 1);
}

/* The loader runs constructors before the job has threads. When the driver or NVTX loads the
 * library there may be some; but then one of the two variables is there, and the others are or are
 * not needed. An injection that somebody else asked for stays, also that of nothing; a folder named
 * by nothing is none. */
__attribute__((constructor)) static void loaded(void)
{
    const char *on = getenv("WHYIDLE"), *ranges = getenv("WHYIDLE_NVTX");
    const char *folder = getenv("WHYIDLE_JOB_DIR");
    if ((on && !strcmp(on, "0")) || getauxval(AT_SECURE)) {
        atomic_store(&wi_live, WI_LIVE_NONE);
        return;
    }
    if (!getenv("LD_PRELOAD"))
        return;
    int cuda = !getenv("CUDA_INJECTION64_PATH"), nvtx = !getenv("NVTX_INJECTION64_PATH");
    int alone = cuda && nvtx;
    if (cuda)
        offer("CUDA_INJECTION64_PATH", own_path, alone);
    if (nvtx && !(ranges && !strcmp(ranges, "off")))
        offer("NVTX_INJECTION64_PATH", own_path, alone);
    if (!folder || !*folder)
        offer("WHYIDLE_JOB_DIR", wi_default_job_dir, alone && !folder);
}
