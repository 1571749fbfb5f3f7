/* The command whyidle: parses the command line and hands over to the command.
 * Threads: main. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/places.h"

int wi_cmd_lib(const struct wi_args *args)
{
    char path[PATH_MAX];
    (void)args;
    if (wi_find_library(path) != 0) {
        fprintf(stderr,
                "whyidle lib: libwhyidle.so was not found beside the command; set WHYIDLE_LIB "
                "to its path\n");
        return WI_EXIT_USAGE;
    }
    puts(path);
    return WI_EXIT_OK;
}

int wi_cmd_help(const struct wi_args *args)
{
    enum wi_command command = WI_CMD_COUNT;
    if (wi_args_has(args, WI_OPT_HELP))
        command = args->command;
    else if (args->rest_count > 0)
        command = wi_command_find(args->rest[0]);
    if (args->rest_count > 0 && command == WI_CMD_COUNT) {
        fprintf(stderr, "whyidle help: no command '%s' (see: whyidle help)\n", args->rest[0]);
        return WI_EXIT_USAGE;
    }
    wi_help_print(stdout, command);
    return WI_EXIT_OK;
}

int wi_cmd_version(const struct wi_args *args)
{
    (void)args;
    printf("whyidle %s\n", WHYIDLE_VERSION);
    return WI_EXIT_OK;
}

/* What could not be printed is no success; what was worse already stays that. */
static int written(const struct wi_args *args, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "whyidle %s: cannot write: %s\n", wi_command_word(args->command),
            strerror(errno));
    return status == WI_EXIT_OK ? WI_EXIT_USAGE : status;
}

int main(int argc, char **argv)
{
    static struct wi_args args;
    static int (*const COMMANDS[])(const struct wi_args *) = {
        [WI_CMD_RUN] = wi_cmd_run,         [WI_CMD_REPORT] = wi_cmd_report,
        [WI_CMD_CHECK] = wi_cmd_check,     [WI_CMD_DOCTOR] = wi_cmd_doctor,
        [WI_CMD_LIB] = wi_cmd_lib,         [WI_CMD_DEMO] = wi_cmd_demo,
        [WI_CMD_MERGE] = wi_cmd_merge,     [WI_CMD_HELP] = wi_cmd_help,
        [WI_CMD_VERSION] = wi_cmd_version, [WI_CMD_EXPLAIN] = wi_cmd_explain,
    };
    if (argc < 2) { /* nothing was asked for: help, but no success for a script */
        wi_help_print(stderr, WI_CMD_COUNT);
        return WI_EXIT_USAGE;
    }
    if (wi_args_parse(&args, argc, argv) != 0)
        return WI_EXIT_USAGE;
    int help = wi_args_has(&args, WI_OPT_HELP);
    return written(&args, help ? wi_cmd_help(&args) : COMMANDS[args.command](&args));
}
