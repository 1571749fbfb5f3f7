/* The command line, see options.h.
 * Threads: main. */
#include "cli/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/settings.h"
#include "model/classes.h"

#define LEAST_COLUMNS 40
#define MOST_COLUMNS  100

enum type { FLAG, TEXT, WORD, COLUMNS, PERCENT, GATE };

enum command_bits {
#define COMMAND(id, word, arguments, sentence) IN_##id = 1 << WI_CMD_##id,
#define OPTION(commands, id, name, letter, type, argument, words, sentence)
#define EXAMPLE(command, line, sentence)
#include "cli/options.def"
#undef COMMAND
#undef OPTION
    IN_ALL = (1 << WI_CMD_COUNT) - 1
};

struct command_row {
    const char *word, *arguments, *sentence;
};

static const struct command_row COMMANDS[] = {
#define COMMAND(id, word, arguments, sentence) {word, arguments, sentence},
#define OPTION(commands, id, name, letter, type, argument, words, sentence)
#include "cli/options.def"
#undef COMMAND
#undef OPTION
};

struct option_row {
    int commands;
    const char *name;
    char letter;
    enum type type;
    const char *argument, *words, *sentence;
};

static const struct option_row OPTIONS[] = {
#define COMMAND(id, word, arguments, sentence)
#define OPTION(commands, id, name, letter, type, argument, words, sentence)                        \
    {commands, name, letter, type, argument, words, sentence},
#include "cli/options.def"
#undef OPTION
#undef EXAMPLE
};

struct example_row {
    enum wi_command command;
    const char *line, *sentence;
};

static const struct example_row EXAMPLES[] = {
#define OPTION(commands, id, name, letter, type, argument, words, sentence)
#define EXAMPLE(command, line, sentence) {WI_CMD_##command, line, sentence},
#include "cli/options.def"
#undef COMMAND
#undef OPTION
#undef EXAMPLE
};

enum wi_command wi_command_find(const char *word)
{
    for (int i = 0; i < WI_CMD_COUNT; i++)
        if (!strcmp(COMMANDS[i].word, word))
            return (enum wi_command)i;
    return WI_CMD_COUNT;
}

const char *wi_command_word(enum wi_command command)
{
    return COMMANDS[command].word;
}

const char *wi_option_name(enum wi_option option)
{
    return OPTIONS[option].name;
}

static int usage(const struct wi_args *args, const char *problem, const char *what)
{
    fprintf(stderr, "whyidle %s: %s: %s (see: whyidle help %s)\n", COMMANDS[args->command].word,
            problem, what, COMMANDS[args->command].word);
    return -1;
}

int wi_percent_parse(const char *text, double *percent)
{
    char *end;
    if (*text < '0' || *text > '9') /* strtod would take "inf", "nan", "-1" and blanks */
        return -1;
    *percent = strtod(text, &end);
    if (*end == '%')
        end++;
    return *end == 0 && *percent >= 0 && *percent <= 100 ? 0 : -1;
}

/* 1 if word is one of the words in list, which are separated by '|'. */
static int listed(const char *list, const char *word)
{
    size_t len = strlen(word);
    while (*list) {
        size_t here = strcspn(list, "|");
        if (here == len && !memcmp(list, word, len))
            return 1;
        list += here + (list[here] == '|');
    }
    return 0;
}

/* CLASS=PERCENT, the class a word of classes.def or the id of a sub-cause. */
static int valid_gate(const char *value)
{
    char name[64];
    double percent;
    size_t len = strcspn(value, "=");
    if (value[len] != '=' || len >= sizeof(name) ||
        wi_percent_parse(value + len + 1, &percent) != 0)
        return 0;
    memcpy(name, value, len);
    name[len] = 0;
    return wi_class_find(name) >= 0 || wi_subcause_find(name) >= 0;
}

static int valid_columns(const char *value)
{
    char *end;
    long number = strtol(value, &end, 10);
    return *value >= '0' && *value <= '9' && *end == 0 && number >= LEAST_COLUMNS &&
           number <= MOST_COLUMNS;
}

static int check_value(const struct wi_args *args, const struct option_row *row, const char *value)
{
    double percent;
    char text[160], words[96];
    snprintf(text, sizeof(text), "%.60s %.60s", row->name, value);
    if (row->type == WORD && !listed(row->words, value)) {
        snprintf(words, sizeof(words), "none of %s", row->words);
        return usage(args, words, text);
    }
    if (row->type == COLUMNS && !valid_columns(value))
        return usage(args, "not a number from 40 to 100", text);
    if (row->type == PERCENT && wi_percent_parse(value, &percent) != 0)
        return usage(args, "not a percentage from 0 to 100, such as 20", text);
    if (row->type == GATE && !valid_gate(value))
        return usage(
            args,
            "not CLASS=PCT with a class or sub-cause of `whyidle explain`, such as data-loading=10",
            text);
    if (row->type == TEXT && !value[0])
        return usage(args, "an empty argument", row->name);
    return 0;
}

/* The row that arg names for this command; *value gets what follows '=' or the letter, or NULL. */
static const struct option_row *find(const struct wi_args *args, const char *arg,
                                     const char **value)
{
    size_t len = strcspn(arg, "=");
    *value = arg[len] ? arg + len + 1 : NULL;
    for (size_t i = 0; i < WI_ARRAY_LEN(OPTIONS); i++) {
        const struct option_row *row = &OPTIONS[i];
        int by_name = strlen(row->name) == len && !memcmp(row->name, arg, len);
        int by_letter = row->letter && arg[1] == row->letter && (!arg[2] || row->type != FLAG);
        if (!(row->commands >> args->command & 1) || !(by_name || by_letter))
            continue;
        if (by_letter)
            *value = arg[2] ? arg + 2 : NULL;
        return row;
    }
    return NULL;
}

static int parse_options(struct wi_args *args, int argc, char **argv, int at)
{
    for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
        const char *value;
        if (!strcmp(argv[at], "--")) {
            args->dashes = 1;
            at++;
            break;
        }
        const struct option_row *row = find(args, argv[at], &value);
        if (!row)
            return usage(args, "unknown option", argv[at]);
        if (row->type == FLAG && value)
            return usage(args, "takes no argument", argv[at]);
        if (row->type != FLAG && !value)
            value = ++at < argc ? argv[at] : NULL;
        if (row->type != FLAG && !value)
            return usage(args, "needs an argument", row->name);
        if (row->type != FLAG && check_value(args, row, value) != 0)
            return -1;
        if (args->use_count == WI_MOST_USES)
            return usage(args, "too many options", row->name);
        args->uses[args->use_count++] =
            (struct wi_option_use){(enum wi_option)(row - OPTIONS), value};
    }
    args->rest = argv + at;
    args->rest_count = argc - at;
    return 0;
}

/* Words behind the options that the command takes, by its arguments in the table. */
static int most_words(enum wi_command command)
{
    static const char OPTIONS_FIRST[] = "[OPTION]... ";
    const char *arguments = COMMANDS[command].arguments;
    if (!strncmp(arguments, OPTIONS_FIRST, sizeof(OPTIONS_FIRST) - 1))
        arguments += sizeof(OPTIONS_FIRST) - 1;
    return strstr(arguments, "...") || strstr(arguments, "--") ? INT_MAX : arguments[0] != 0;
}

int wi_args_parse(struct wi_args *args, int argc, char **argv)
{
    memset(args, 0, sizeof(*args));
    args->command = argc > 1 ? wi_command_find(argv[1]) : WI_CMD_HELP;
    args->rest = argv + argc;
    if (argc < 2)
        return 0;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        args->command = WI_CMD_HELP;
        return 0;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        args->command = WI_CMD_VERSION;
        return 0;
    }
    if (args->command == WI_CMD_COUNT) {
        args->command = WI_CMD_RUN;
        return parse_options(args, argc, argv, 1);
    }
    /* report and check also take options behind the file. */
    if (parse_options(args, argc, argv, 2) != 0)
        return -1;
    if ((args->command == WI_CMD_REPORT || args->command == WI_CMD_CHECK) && !args->dashes &&
        args->rest_count > 1) {
        char **file = args->rest;
        if (parse_options(args, argc, argv, (int)(args->rest - argv) + 1) != 0)
            return -1;
        if (args->rest_count > 0)
            return usage(args, "more than one file", args->rest[0]);
        file[1] = NULL;
        args->rest = file;
        args->rest_count = 1;
        args->dashes = 0;
    }
    int most = most_words(args->command);
    if (args->rest_count > most)
        return usage(args, most ? "takes only one" : "takes no argument", args->rest[most]);
    return 0;
}

const char *wi_args_value(const struct wi_args *args, enum wi_option option, const char *fallback)
{
    for (int i = args->use_count - 1; i >= 0; i--)
        if (args->uses[i].option == option)
            return args->uses[i].value ? args->uses[i].value : "";
    return fallback;
}

int wi_args_has(const struct wi_args *args, enum wi_option option)
{
    return wi_args_value(args, option, NULL) != NULL;
}

int wi_args_number(const struct wi_args *args, enum wi_option option, int fallback)
{
    const char *value = wi_args_value(args, option, NULL);
    return value ? (int)strtol(value, NULL, 10) : fallback;
}

static void print_option(FILE *to, const struct option_row *row)
{
    char head[64], letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    snprintf(head, sizeof(head), "%s%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    fprintf(to, "  %-25s %s\n", head, row->sentence);
}

static void print_examples(FILE *to, enum wi_command command)
{
    fprintf(to, "\nexamples:\n");
    for (size_t i = 0; i < WI_ARRAY_LEN(EXAMPLES); i++)
        if (EXAMPLES[i].command == command)
            fprintf(to, "  %s\n      %s\n", EXAMPLES[i].line, EXAMPLES[i].sentence);
}

/* Every variable, and what it may be set to. */
static void print_settings(FILE *to)
{
    int count = 0;
    const struct wi_setting_row *rows = wi_settings_rows(&count);
    fprintf(to, "\nsettings, read from the environment:\n");
    for (int i = 0; i < count; i++) {
        char allowed[96];
        struct wi_out out;
        wi_out_mem(&out, allowed, sizeof(allowed));
        wi_setting_allowed(&out, &rows[i]);
        wi_out_finish(&out);
        fprintf(to, "  %-21s %s\n", rows[i].name, rows[i].sentence);
        if (rows[i].type == WI_SETTING_WORD)
            fprintf(to, "%24s%s (default: %s)\n", "", allowed, rows[i].text_default);
        else if (rows[i].type != WI_SETTING_TEXT)
            fprintf(to, "%24s%s (default: %lld)\n", "", allowed, (long long)rows[i].number_default);
    }
}

static void print_overview(FILE *to)
{
    fprintf(to,
            "whyidle %s says why the GPU was not working, and what to change.\n\n"
            "usage: whyidle PROGRAM [ARGUMENT]...\n"
            "       whyidle COMMAND [OPTION]... [ARGUMENT]...\n\ncommands:\n",
            WHYIDLE_VERSION);
    for (int i = 0; i < WI_CMD_COUNT; i++)
        fprintf(to, "  %-8s %s\n", COMMANDS[i].word, COMMANDS[i].sentence);
    print_examples(to, WI_CMD_RUN);
    print_settings(to);
    fprintf(to, "\nwhyidle help COMMAND explains one.\n");
}

void wi_help_print(FILE *to, enum wi_command command)
{
    if (command == WI_CMD_COUNT) {
        print_overview(to);
        return;
    }
    fprintf(to, "usage: whyidle %s %s\n\n%s\n\noptions:\n", COMMANDS[command].word,
            COMMANDS[command].arguments, COMMANDS[command].sentence);
    for (size_t i = 0; i < WI_ARRAY_LEN(OPTIONS); i++)
        if (OPTIONS[i].commands >> command & 1)
            print_option(to, &OPTIONS[i]);
    if (command == WI_CMD_CHECK)
        fprintf(
            to,
            "\nexit status: 0 pass, 1 a gate failed, 2 wrong usage or bad input, 3 inconclusive,\n"
            "4 the job itself failed\n");
    if (command == WI_CMD_RUN)
        fprintf(to,
                "\nexit status: the job's; 125 whyidle itself failed, 126 and 127 as a shell\n");
    print_examples(to, command);
}
