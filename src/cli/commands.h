/* The commands, one function each; they return the exit status.
 * Threads: main. */
#ifndef WI_CLI_COMMANDS_H
#define WI_CLI_COMMANDS_H

#include "cli/options.h"

int wi_cmd_run(const struct wi_args *args);
int wi_cmd_report(const struct wi_args *args);
int wi_cmd_check(const struct wi_args *args);
int wi_cmd_merge(const struct wi_args *args);
int wi_cmd_explain(const struct wi_args *args);
int wi_cmd_doctor(const struct wi_args *args);
int wi_cmd_lib(const struct wi_args *args);
int wi_cmd_demo(const struct wi_args *args);
int wi_cmd_help(const struct wi_args *args);
int wi_cmd_version(const struct wi_args *args);

#endif
