/* What CI systems read: JUnit XML, and Markdown for a step's summary.
 * Threads: main. */
#ifndef WI_CLI_CI_FILES_H
#define WI_CLI_CI_FILES_H

#include "cli/gates.h"

/* Writes the gates as one test suite. subject: what was checked. 0, or -1 after one line on
 * stderr. */
int wi_junit_write(const char *path, const struct wi_gates *gates, const char *subject);
/* Appends a table to the file named by GITHUB_STEP_SUMMARY, if there is one. headline: of the
 * report, may be NULL. */
void wi_markdown_append(const struct wi_gates *gates, const char *subject, const char *headline);

#endif
