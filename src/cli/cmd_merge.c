/* whyidle merge: the ranks and processes of one job side by side.
 * Threads: main. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/merge_show.h"
#include "cli/places.h"
#include "cli/show.h"

static int show(const struct wi_args *args, const struct wi_merge *merge,
                const struct wi_job_reports *reports)
{
    char buf[8192];
    struct wi_out out;
    struct wi_layout layout = {&out, wi_show_width(STDOUT_FILENO, args),
                               wi_show_color(STDOUT_FILENO, args)};
    wi_out_fd(&out, STDOUT_FILENO, buf, sizeof(buf));
    if (!strcmp(wi_args_value(args, WI_OPT_FORMAT, "text"), "json"))
        wi_merge_json(&out, merge, reports);
    else
        wi_merge_text(&layout, merge, reports, !isatty(STDOUT_FILENO));
    if (wi_out_finish(&out) == 0)
        return WI_EXIT_OK;
    fprintf(stderr, "whyidle merge: cannot write: %s\n", strerror(errno));
    return WI_EXIT_USAGE;
}

/* The folder given, or the newest job in the one given, or the newest job of all. */
static int load(const struct wi_args *args, struct wi_job_reports *reports, char folder[PATH_MAX])
{
    if (args->rest_count > 0)
        snprintf(folder, PATH_MAX, "%s", args->rest[0]);
    else if (wi_read_folder(folder) != 0)
        return 0;
    wi_job_reports_find(reports, folder);
    if (args->rest_count == 0)
        reports->jobs = 0;
    wi_job_reports_tell(reports, folder, "merge");
    return reports->count;
}

/* What is wrong with a folder that gave no report. */
static void complain(const char *folder)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        fprintf(stderr, "whyidle: %s: %s\n", folder, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        fprintf(stderr, "whyidle: %s: not a folder; merge takes the folder of a job\n", folder);
    else
        fprintf(stderr, "whyidle: %s: no report in this folder (make one: whyidle PROGRAM)\n",
                folder);
}

int wi_cmd_merge(const struct wi_args *args)
{
    struct wi_job_reports reports = {0};
    struct wi_merge merge;
    char folder[PATH_MAX] = "";
    int status = WI_EXIT_USAGE;
    if (load(args, &reports, folder) == 0)
        complain(folder);
    else if (wi_merge_make(&merge, &reports) != 0)
        fprintf(stderr, "whyidle merge: out of memory\n");
    else {
        status = show(args, &merge, &reports);
        wi_merge_free(&merge);
    }
    wi_job_reports_free(&reports);
    return status;
}
