/* whyidle report: shows a saved report or a recording.
 * Threads: main. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/job_reports.h"
#include "cli/places.h"
#include "cli/show.h"
#include "cli/what_if.h"

static int show(const struct wi_args *args, const struct wi_report *report)
{
    const char *path = args->rest_count > 0 ? args->rest[0] : "";
    int json = !strcmp(wi_args_value(args, WI_OPT_FORMAT, "text"), "json");
    int err = json ? wi_show_json(STDOUT_FILENO, report)
                   : wi_show_text(STDOUT_FILENO, report, args, isatty(STDOUT_FILENO) ? path : NULL);
    if (err)
        fprintf(stderr, "whyidle report: cannot write: %s\n", strerror(errno));
    return err ? WI_EXIT_USAGE : WI_EXIT_OK;
}

static int report_file(const struct wi_args *args, const char *path, const struct wi_change *change)
{
    struct wi_input input;
    struct wi_json_error error;
    int status = WI_EXIT_USAGE;
    if (wi_input_load(&input, path, wi_args_has(args, WI_OPT_PARTIAL), &error) == 0)
        status =
            change ? wi_what_if_show(args, change, &input, path) : show(args, &input.saved.report);
    else
        wi_input_complain(path, &error);
    wi_input_free(&input);
    return status;
}

/* The folder of a job, or the folder that holds those of several: then the newest. Who names none
 * wants the newest. */
static int report_folder(const struct wi_args *args, const char *folder)
{
    struct wi_job_reports reports;
    int status = WI_EXIT_USAGE;
    wi_job_reports_find(&reports, folder);
    if (args->rest_count == 0)
        reports.jobs = 0;
    const struct wi_report *primary = wi_job_reports_primary(&reports);
    if (primary) {
        status = show(args, primary);
        for (int i = 0; i < reports.count && reports.count > 1; i++)
            wi_show_line(STDERR_FILENO, &reports.inputs[i].saved.report, reports.paths[i]);
        if (reports.count > 1)
            fprintf(
                stderr,
                "whyidle: this is one of %d reports; another: whyidle report FILE; all of them: "
                "whyidle merge %s\n",
                reports.count, reports.folder);
    } else if (reports.damaged == 0) {
        fprintf(stderr, "whyidle: %s: no report in this folder (make one: whyidle PROGRAM)\n",
                folder);
    }
    wi_job_reports_tell(&reports, folder, "report");
    wi_job_reports_free(&reports);
    return status;
}

int wi_cmd_report(const struct wi_args *args)
{
    char out[PATH_MAX];
    const char *path = args->rest_count > 0 ? args->rest[0] : out;
    const char *what_if = wi_args_value(args, WI_OPT_WHAT_IF, NULL);
    struct wi_change change;
    struct stat status;
    if (what_if && wi_what_if_parse(what_if, &change) != 0)
        return WI_EXIT_USAGE;
    if (args->rest_count == 0 && wi_read_folder(out) != 0) {
        fprintf(stderr, "whyidle report: the current folder cannot be named: %s\n",
                strerror(errno));
        return WI_EXIT_USAGE;
    }
    if (stat(path, &status) != 0) {
        fprintf(stderr, "whyidle: %s: %s%s\n", path, strerror(errno),
                path == out ? " (make a report: whyidle PROGRAM)" : "");
        return WI_EXIT_USAGE;
    }
    if (!S_ISDIR(status.st_mode))
        return report_file(args, path, what_if ? &change : NULL);
    if (!what_if)
        return report_folder(args, path);
    fprintf(stderr,
            "whyidle: %s: a folder of reports has no events to replay; --what-if needs a recording "
            "(WHYIDLE_TRACE=FILE makes one)\n",
            path);
    return WI_EXIT_USAGE;
}
