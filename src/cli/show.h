/* Writes reports to the terminal, a pipe or a file.
 * Threads: main. */
#ifndef WI_CLI_SHOW_H
#define WI_CLI_SHOW_H

#include "cli/options.h"
#include "report/report.h"

/* Whether text on fd has colours and how wide it is: options, environment and terminal say it. */
int wi_show_color(int fd, const struct wi_args *args);
int wi_show_width(int fd, const struct wi_args *args);
/* The text report on fd, with colours and width as the options, the environment and the terminal
 * say; hints as in struct wi_text_options. Returns 0 or -1 (write error). */
int wi_show_text(int fd, const struct wi_report *report, const struct wi_args *args,
                 const char *hints);
/* The document on fd. */
int wi_show_json(int fd, const struct wi_report *report);
/* The document in a file: complete, or not there. Complains on stderr and returns -1 if not. */
int wi_save_json(const char *path, const struct wi_report *report);
/* One line for a report beside others: "rank 1, pid 12 on node: <verdict>, idles 50.0 %  FILE". */
void wi_show_line(int fd, const struct wi_report *report, const char *path);

#endif
