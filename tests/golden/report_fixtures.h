/* Hand-made results for the tests of the writers: every shape a report can have.
 * Threads: one. The structs live in the fixture, which must stay where it is. */
#ifndef WI_TESTS_REPORT_FIXTURES_H
#define WI_TESTS_REPORT_FIXTURES_H

#include "report/report.h"

struct fixture {
    struct wi_job job;
    struct wi_result result;
    struct wi_names *names;
    struct wi_device_result devices[4];
    struct wi_finding findings[8];
    struct wi_kernel_row kernels[4];
    struct wi_copy_row copies[4];
    struct wi_gap_row gaps[4];
    struct wi_series series;
    struct wi_collective_row collective;
    struct wi_prediction predictions[4];
    struct wi_report report;
};

/* Fills the fixture called name; 0 if there is none. fixture_free() releases its names. */
int fixture_make(struct fixture *fixture, const char *name);
void fixture_free(struct fixture *fixture);
/* The names, in order; NULL ends the list. */
const char *const *fixture_names(void);

#endif
