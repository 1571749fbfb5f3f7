/* Where things are, see places.h.
 * Threads: main. */
#include "cli/places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"

#define MOST_FOLDERS 3
#define LIBRARY_NAME "libwhyidle.so"
#define SPARE_NAME   "whyidle-out-" /* and the number of the user */

static const char *const FOLDERS[][MOST_FOLDERS] = {
#define PLACE(id, installed, unpacked, built) {installed, unpacked, built},
#include "cli/places.def"
#undef PLACE
};

/* The folder that holds the running command. */
static int own_folder(char path[PATH_MAX])
{
    ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (len <= 0)
        return -1;
    path[len] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return -1;
    *slash = 0;
    return 0;
}

int wi_find_place(enum wi_place place, const char *file, char path[PATH_MAX])
{
    char own[PATH_MAX], candidate[PATH_MAX * 2];
    if (own_folder(own) != 0)
        return -1;
    for (int i = 0; i < MOST_FOLDERS; i++) {
        snprintf(candidate, sizeof(candidate), "%s/%s/%s", own, FOLDERS[place][i], file);
        if (realpath(candidate, path))
            return 0;
    }
    /* Everything unpacked into one folder. */
    snprintf(candidate, sizeof(candidate), "%s/%s", own, file);
    return realpath(candidate, path) ? 0 : -1;
}

int wi_find_library(char path[PATH_MAX])
{
    const char *given = getenv("WHYIDLE_LIB");
    if (given && given[0])
        return realpath(given, path) ? 0 : -1;
    return wi_find_place(WI_PLACE_LIBRARY, LIBRARY_NAME, path);
}

int wi_out_folder(char path[PATH_MAX])
{
    const char *given = getenv("WHYIDLE_OUT");
    char cwd[PATH_MAX];
    int len;
    if (!given || !given[0])
        given = "whyidle-out";
    if (given[0] == '/')
        len = snprintf(path, PATH_MAX, "%s", given);
    else if (!getcwd(cwd, sizeof(cwd)))
        return -1;
    else
        len = snprintf(path, PATH_MAX, "%s/%s", strcmp(cwd, "/") ? cwd : "", given);
    return len < PATH_MAX ? 0 : -1;
}

int wi_spare_folder(char path[PATH_MAX])
{
    const char *temp = getenv("TMPDIR");
    int len = snprintf(path, PATH_MAX, "%s/" SPARE_NAME "%d", temp && temp[0] ? temp : "/tmp",
                       (int)getuid());
    return len < PATH_MAX && path[0] == '/' ? 0 : -1;
}

/* Names that others may choose in a folder that all may write to: only what belongs to that user.
 */
static int belongs(const char *path, long user)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && (long)status.st_uid == user;
}

int wi_spare_of_job(const char *job, char path[PATH_MAX])
{
    const char *temp = getenv("TMPDIR");
    struct dirent *entry;
    temp = temp && temp[0] ? temp : "/tmp";
    DIR *dir = temp[0] == '/' ? opendir(temp) : NULL;
    int found = 0;
    while (dir && !found && (entry = readdir(dir))) {
        char *end, parent[PATH_MAX];
        size_t begins = strlen(SPARE_NAME);
        if (strncmp(entry->d_name, SPARE_NAME, begins) != 0)
            continue;
        long user = strtol(entry->d_name + begins, &end, 10);
        int len = snprintf(parent, sizeof(parent), "%s/%s", temp, entry->d_name);
        if (*end || end == entry->d_name + begins || len >= PATH_MAX)
            continue;
        len = snprintf(path, PATH_MAX, "%s/%s", parent, job);
        found = len < PATH_MAX && belongs(parent, user) && belongs(path, user);
    }
    if (dir)
        closedir(dir);
    return found ? 0 : -1;
}

/* Rights say little: for root all of them are there, also in /proc and on what is mounted
 * read-only. */
static int try_folder(const char *folder)
{
    char probe[PATH_MAX + 32];
    struct stat status;
    if (stat(folder, &status) != 0)
        return 0;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return 0;
    }
    snprintf(probe, sizeof(probe), "%s/.whyidle-probe.%d", folder, (int)getpid());
    if (mkdir(probe, 0700) != 0)
        return errno == EEXIST;
    rmdir(probe);
    return 1;
}

int wi_writable(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", folder);
    while (access(path, F_OK) != 0) {
        if (errno != ENOENT)
            return 0;
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return try_folder("/");
        *slash = 0;
    }
    return try_folder(path);
}

int wi_can_write(const char *file)
{
    char folder[PATH_MAX];
    struct stat status;
    const char *slash = strrchr(file, '/');
    if (stat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return 0;
    }
    if (!strncmp(file, "/dev/", 5) || !strncmp(file, "/proc/", 6)) /* written in place */
        return access(file, W_OK) == 0;
    size_t len = slash ? (size_t)(slash - file) + (slash == file) : 1;
    if (len >= sizeof(folder)) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memcpy(folder, slash ? file : ".", len);
    folder[len] = 0;
    return try_folder(folder);
}

/* The youngest folder in `out` by its time of change. */
static int youngest(const char *out, char path[PATH_MAX])
{
    DIR *dir = opendir(out);
    struct dirent *entry;
    struct timespec best = {0};
    int found = -1;
    while (dir && (entry = readdir(dir))) {
        char candidate[PATH_MAX];
        struct stat status;
        int len = snprintf(candidate, sizeof(candidate), "%s/%s", out, entry->d_name);
        if (entry->d_name[0] == '.' || len >= (int)sizeof(candidate) ||
            stat(candidate, &status) != 0 || !S_ISDIR(status.st_mode))
            continue;
        int later = status.st_mtim.tv_sec > best.tv_sec ||
                    (status.st_mtim.tv_sec == best.tv_sec && status.st_mtim.tv_nsec > best.tv_nsec);
        if (found == 0 && !later)
            continue;
        best = status.st_mtim;
        memcpy(path, candidate, (size_t)len + 1);
        found = 0;
    }
    if (dir)
        closedir(dir);
    return found;
}

int wi_latest_job(const char *out, char path[PATH_MAX])
{
    char link[PATH_MAX + 16];
    snprintf(link, sizeof(link), "%s/latest", out);
    return realpath(link, path) ? 0 : youngest(out, path);
}

int wi_read_folder(char path[PATH_MAX])
{
    char spare[PATH_MAX], job[PATH_MAX];
    int known = wi_out_folder(path) == 0;
    if (known && wi_writable(path))
        return 0;
    if (wi_spare_folder(spare) != 0 || wi_latest_job(spare, job) != 0)
        return known ? 0 : -1;
    memcpy(path, spare, sizeof(spare));
    return 0;
}

static int is_report_name(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return entry->d_name[0] != '.' && len > 5 && !strcmp(entry->d_name + len - 5, ".json");
}

char **wi_list_reports(const char *folder, int *count)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_report_name, alphasort);
    char **list = calloc(n > 0 ? (size_t)n : 1, sizeof(*list));
    *count = 0;
    for (int i = 0; i < n; i++) {
        if (list && asprintf(&list[*count], "%s/%s", folder, entries[i]->d_name) > 0)
            ++*count;
        free(entries[i]);
    }
    free(entries);
    return list;
}

void wi_free_list(char **list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static int count_of(const char *folder, int folders)
{
    struct dirent *entry;
    struct stat status;
    int count = 0;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' ||
            fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        count += folders ? S_ISDIR(status.st_mode) != 0
                         : S_ISREG(status.st_mode) && !is_report_name(entry);
    }
    if (dir)
        closedir(dir);
    return count;
}

int wi_count_strange(const char *folder)
{
    return count_of(folder, 0);
}

int wi_count_jobs(const char *folder)
{
    return count_of(folder, 1);
}
