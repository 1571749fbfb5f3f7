/* The parsed command line, expanded from options.def.
 * Threads: main. The strings are those of argv. */
#ifndef WI_CLI_OPTIONS_H
#define WI_CLI_OPTIONS_H

#include <stdio.h>

/* Exit statuses of the command itself; docs/ci.md lists them. */
enum wi_exit {
    WI_EXIT_OK = 0,
    WI_EXIT_GATE = 1,         /* check: a gate failed; doctor: it cannot work */
    WI_EXIT_USAGE = 2,        /* wrong usage or bad input */
    WI_EXIT_INCONCLUSIVE = 3, /* check: nobody can say */
    WI_EXIT_JOB = 4,          /* check: the job itself failed */
    WI_EXIT_OWN = 125,        /* run: whyidle could not start the job */
    WI_EXIT_NO_EXEC = 126,    /* run: found, but cannot be executed, as a shell says it */
    WI_EXIT_NOT_FOUND = 127   /* run: not found, as a shell says it */
};

enum wi_command {
#define COMMAND(id, word, arguments, sentence) WI_CMD_##id,
#define OPTION(commands, id, name, letter, type, argument, words, sentence)
#define EXAMPLE(command, line, sentence)
#include "cli/options.def"
#undef COMMAND
#undef OPTION
    WI_CMD_COUNT
};

enum wi_option {
#define COMMAND(id, word, arguments, sentence)
#define OPTION(commands, id, name, letter, type, argument, words, sentence) WI_OPT_##id,
#include "cli/options.def"
#undef COMMAND
#undef OPTION
#undef EXAMPLE
    WI_OPT_COUNT
};

#define WI_MOST_USES 64 /* options in one command line */

struct wi_option_use {
    enum wi_option option;
    const char *value; /* NULL for FLAG */
};

struct wi_args {
    enum wi_command command;
    struct wi_option_use uses[WI_MOST_USES]; /* in the order given */
    int use_count;
    char **rest; /* what follows the options, NULL-terminated */
    int rest_count;
    int dashes; /* 1 if "--" stood before the rest */
};

/* Parses argv (without touching it). Returns 0, or -1 after one line on stderr that says what is
 * wrong and what to do. */
int wi_args_parse(struct wi_args *args, int argc, char **argv);
/* The last value given, or fallback; for FLAG "" if given. */
const char *wi_args_value(const struct wi_args *args, enum wi_option option, const char *fallback);
int wi_args_has(const struct wi_args *args, enum wi_option option);
/* The argument of an option of type COLUMNS, or fallback. */
int wi_args_number(const struct wi_args *args, enum wi_option option, int fallback);
/* "check" */
const char *wi_command_word(enum wi_command command);
/* "--max-stall" */
const char *wi_option_name(enum wi_option option);
/* Reads a percentage, 0 to 100, nothing behind it. Returns 0 or -1. */
int wi_percent_parse(const char *text, double *percent);
/* Prints help: of one command, or with WI_CMD_COUNT the overview. */
void wi_help_print(FILE *to, enum wi_command command);
/* The command of a word, WI_CMD_COUNT if it is none. */
enum wi_command wi_command_find(const char *word);

#endif
