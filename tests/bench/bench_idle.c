/* What a preloaded library costs in a process that never touches CUDA, and whether it leaves one
 * alone.
 *   bench_idle LIBRARY OTHER PAIRS   starts a program that does nothing, in turn without, with
 *                                    LIBRARY and with OTHER (a library that does nothing); prints
 *                                    "added N us", "added_other N us": medians of the differences
 *   bench_idle --child LIBRARY       ends with 0 if the library is mapped, the process has one
 *                                    thread and no open file but 0, 1 and 2; else says what is so
 * Threads: one. */
#include <dirent.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PAIRS 1000

extern char **environ;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* From the start of a program until it has ended; -1 if it failed. */
static double one_process_us(const char *preload)
{
    char program[] = "/bin/true", *words[] = {program, NULL};
    int status = -1;
    pid_t child;

    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    double start = now_us();
    int failed = posix_spawn(&child, program, NULL, NULL, words, environ) != 0 ||
                 waitpid(child, &status, 0) != child || status != 0;
    double took = now_us() - start;
    unsetenv("LD_PRELOAD");
    return failed ? -1 : took;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), by_value);
    printf("%s %.1f us\n", name, values[count / 2]);
}

static int compare(const char *library, const char *other, int pairs)
{
    static double bare[MAX_PAIRS], added[MAX_PAIRS], added_other[MAX_PAIRS];

    for (int i = 0; i < pairs; i++) {
        bare[i] = one_process_us(NULL);
        double ours = one_process_us(library), theirs = one_process_us(other);
        if (bare[i] < 0 || ours < 0 || theirs < 0)
            return 1;
        added[i] = ours - bare[i];
        added_other[i] = theirs - bare[i];
    }
    report("bare", bare, pairs);
    report("added", added, pairs);
    report("added_other", added_other, pairs);
    return 0;
}

static int entries_of(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int is_mapped(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;

    while (maps && !found && fgets(line, sizeof(line), maps))
        found = strstr(line, library) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static int child(const char *library)
{
    int mapped = is_mapped(library), threads = entries_of("/proc/self/task");
    int files = entries_of("/proc/self/fd") - 1; /* the folder that is being read is one */

    if (mapped && threads == 1 && files == 3)
        return 0;
    printf("mapped %d, threads %d, open files %d\n", mapped, threads, files);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return child(argv[2]);
    int pairs = argc == 4 ? atoi(argv[3]) : 0;

    if (pairs < 1 || pairs > MAX_PAIRS)
        return 2;
    return compare(argv[1], argv[2], pairs);
}
