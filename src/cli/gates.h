/* The gates of `whyidle check`: a bound on a share of the window, and what a report says to it.
 * Threads: main. Pure but for its messages. */
#ifndef WI_CLI_GATES_H
#define WI_CLI_GATES_H

#include "cli/options.h"
#include "report/report.h"

enum wi_outcome { WI_PASS, WI_SKIPPED, WI_UNSURE, WI_FAIL };

#define WI_MOST_GATES WI_MOST_USES

struct wi_gate {
    char name[80]; /* "--max data-loading=5" */
    char what[64]; /* "data-loading", "all stalls", "compute" */
    double bound;  /* percent */
    int at_least;  /* 1: the share must reach the bound, 0: it must not exceed it */
    enum wi_option option;
    int class_id; /* of --max with a class, else -1 */
    int subcause; /* of --max with a sub-cause, else -1 */
    /* The outcome, the worst over all reports and devices. */
    enum wi_outcome outcome;
    double value;       /* percent of the window, negative = not known */
    double unknown;     /* percent of the window that nothing is known about */
    long long rank;     /* of the report that decided, WI_UNKNOWN if it has none */
    int device;         /* of it, negative = none */
    const char *reason; /* of UNSURE and SKIPPED */
};

struct wi_gates {
    struct wi_gate gates[WI_MOST_GATES];
    int count;
};

/* The gates of the command line. Returns their number. */
int wi_gates_make(struct wi_gates *gates, const struct wi_args *args);
/* Every gate against every used device of a report; keeps the worst outcome. */
void wi_gates_judge(struct wi_gates *gates, const struct wi_report *report);
/* Gives every gate that outcome, for a job without a report. */
void wi_gates_set(struct wi_gates *gates, enum wi_outcome outcome, const char *reason);
/* The worst outcome of all. */
enum wi_outcome wi_gates_outcome(const struct wi_gates *gates);
/* "PASS", "SKIPPED", "INCONCLUSIVE", "FAIL" */
const char *wi_outcome_word(enum wi_outcome outcome);
/* The sentence behind the word: "data-loading 70.2 % of the time on GPU #0, allowed at most 5 %".
 */
void wi_gate_sentence(const struct wi_gate *gate, char *text, int size);

#endif
