/* Stands in for libwhyidle.so in tests of the command: if STAND_IN_REPORT names a file, every
 * process copies it into WHYIDLE_JOB_DIR when it is loaded, as a rolling report would be there;
 * the fixtures' pid becomes its own. STAND_IN_ONLY restricts that to the program of that base name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID "\"pid\":4711"

static void make_folders(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(copy, 0755);
        *slash = '/';
    }
    mkdir(copy, 0755);
}

static void copy_report(FILE *in, FILE *out)
{
    static char text[1 << 20];
    text[fread(text, 1, sizeof(text) - 1, in)] = 0;
    char *pid = strstr(text, PID);
    if (pid)
        fprintf(out, "%.*s\"pid\":%d%s", (int)(pid - text), text, (int)getpid(), pid + strlen(PID));
    else
        fputs(text, out);
}

__attribute__((constructor)) static void leave_report(void)
{
    const char *from = getenv("STAND_IN_REPORT"), *folder = getenv("WHYIDLE_JOB_DIR");
    const char *only = getenv("STAND_IN_ONLY"), *rank = getenv("RANK");
    char path[PATH_MAX + 64];
    if (!from || !folder || (only && strcmp(only, program_invocation_short_name) != 0))
        return;
    make_folders(folder);
    snprintf(path, sizeof(path), "%s/node1.%s.%d.json", folder, rank ? rank : "0", (int)getpid());
    FILE *in = fopen(from, "re"), *out = fopen(path, "we");
    if (in && out)
        copy_report(in, out);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
}
