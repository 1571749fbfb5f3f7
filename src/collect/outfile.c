/* Report files, see outfile.h.
 * Threads: one at a time. May not: allocate; use names from the environment uncleaned. */
#include "collect/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "collect/collect.h"
#include "collect/jobinfo.h"
#include "collect/publish.h"

#define PATH_BYTES 1024
#define TRIES      100

static struct {
    char dir[PATH_BYTES], path[PATH_BYTES], temp[PATH_BYTES];
    _Atomic int ready; /* path is settled: it may be told while the helper still writes */
    int fallback, fd;
    int new_dir; /* this process made the job's folder */
} state;

/* Makes the folder and its parents. 1 if the last one is new, 0 if it was there. */
static int make_dirs(const char *path)
{
    char part[PATH_BYTES];
    int made = 0;
    size_t len = strlen(path);
    if (len >= sizeof(part))
        return WI_ERR_RANGE;
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (part[i] != '/' && part[i])
            continue;
        char kept = part[i];
        part[i] = 0;
        made = mkdir(part, 0777) == 0;
        if (!made && errno != EEXIST && !kept)
            return WI_ERR_IO;
        part[i] = kept;
    }
    return made;
}

/* "latest" beside the job's folder points to the newest; replaced whole so that it always works. */
static void link_latest(void)
{
    char temp[PATH_BYTES], link[PATH_BYTES];
    struct wi_out out;
    const char *slash = strrchr(state.dir, '/');
    int parent = (int)(slash - state.dir);
    wi_out_mem(&out, temp, sizeof(temp));
    wi_out_bytes(&out, state.dir, (size_t)parent);
    wi_out_f(&out, "/.latest.%d", wi_process.pid);
    int bad = wi_out_finish(&out);
    wi_out_mem(&out, link, sizeof(link));
    wi_out_bytes(&out, state.dir, (size_t)parent);
    wi_out_str(&out, "/latest");
    if (bad || wi_out_finish(&out) != 0 || symlink(slash + 1, temp) != 0)
        return;
    if (syscall(SYS_renameat, AT_FDCWD, temp, AT_FDCWD, link) != 0)
        unlink(temp);
}

/* <host>.<rank>.<pid>, and .<n> from the second program on that an exec put into this process. */
static void put_name(struct wi_out *out, int n)
{
    const struct wi_job *job = wi_job_base();
    wi_out_name(out, job->host ? job->host : "host");
    wi_out_f(out, ".%lld.%d", (long long)(job->rank < 0 ? 0 : job->rank), wi_process.pid);
    if (n > 1)
        wi_out_f(out, ".%d", n);
}

static int paths_in(const char *dir, const char *prefix, int n)
{
    struct wi_out out;
    wi_out_mem(&out, state.path, sizeof(state.path));
    wi_out_f(&out, "%s/%s", dir, prefix);
    put_name(&out, n);
    wi_out_str(&out, ".json");
    int bad = wi_out_finish(&out);
    wi_out_mem(&out, state.temp, sizeof(state.temp));
    wi_out_f(&out, "%s/.%s", dir, prefix);
    put_name(&out, n);
    wi_out_str(&out, ".tmp");
    return bad ? bad : wi_out_finish(&out);
}

static int open_temp(void)
{
    return open(state.temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Finds a name nobody has in the folder; the descriptor of its temporary file or -1. */
static int claim(const char *dir, const char *prefix)
{
    for (int n = 1; n <= TRIES; n++) {
        if (paths_in(dir, prefix, n) != 0)
            return -1;
        if (faccessat(AT_FDCWD, state.path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            continue;
        int fd = open_temp();
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* The user's own folder for reports below TMPDIR, where the command looks too (cli/places.c).
 * Without room for folders there, the report lies in TMPDIR itself. */
static int claim_spare(const char *dir)
{
    char job[256];
    const char *tmp = getenv("TMPDIR"), *base = dir ? strrchr(dir, '/') : NULL;
    struct wi_out out;
    tmp = tmp && *tmp ? tmp : "/tmp";
    wi_out_mem(&out, job, sizeof(job));
    if (base && base[1])
        wi_out_str(&out, base + 1);
    else /* the current folder has no name */
        wi_out_f(&out, "job-%d", wi_process.pid);
    int bad = wi_out_finish(&out);
    wi_out_mem(&out, state.dir, sizeof(state.dir));
    wi_out_f(&out, "%s/whyidle-out-%d/%s", tmp, (int)getuid(), job);
    int made = !bad && wi_out_finish(&out) == 0 ? make_dirs(state.dir) : WI_ERR_IO;
    int fd = made >= 0 ? claim(state.dir, "") : -1;
    if (fd >= 0 && made == 1)
        link_latest();
    return fd >= 0 ? fd : claim(tmp, "whyidle-");
}

static int claim_first(void)
{
    const char *dir = wi_process.settings.job_dir;
    struct wi_out out;
    wi_out_mem(&out, state.dir, sizeof(state.dir));
    wi_out_str(&out, dir);
    if (!dir || wi_out_finish(&out) != 0)
        dir = wi_default_job_dir(state.dir, sizeof(state.dir)) == 0 ? state.dir : NULL;
    int made = dir ? make_dirs(state.dir) : WI_ERR_IO;
    int fd = made >= 0 ? claim(state.dir, "") : -1;
    if (fd >= 0 && (made == 1 || state.new_dir) && strrchr(state.dir, '/') > state.dir)
        link_latest();
    if (fd < 0) {
        state.fallback = 1;
        fd = claim_spare(dir);
    }
    state.ready = fd >= 0;
    return fd;
}

void wi_outfile_announce(void)
{
    if (wi_process.settings.wrapper > 0 && wi_process.settings.job_dir)
        state.new_dir = make_dirs(wi_process.settings.job_dir) == 1;
}

int wi_outfile_begin(struct wi_out *out, char *buf, size_t cap)
{
    state.fd = state.ready ? open_temp() : claim_first();
    if (state.fd < 0)
        return WI_ERR_IO;
    wi_out_fd(out, state.fd, buf, cap);
    return 0;
}

int wi_outfile_commit(struct wi_out *out)
{
    int err = wi_out_finish(out);
    if (close(state.fd) != 0 && !err)
        err = WI_ERR_IO;
    if (!err && syscall(SYS_renameat, AT_FDCWD, state.temp, AT_FDCWD, state.path) != 0)
        err = WI_ERR_IO;
    if (err)
        unlink(state.temp);
    return err;
}

const char *wi_outfile_path(void)
{
    return state.ready ? state.path : "";
}

int wi_outfile_is_fallback(void)
{
    return state.fallback;
}
