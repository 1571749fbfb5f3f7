/* Members of the report document: commas, and what is not known as null.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_MEMBERS_H
#define WI_REPORT_MEMBERS_H

#include <stdint.h>

#include "base/out.h"
#include "report/report.h"

struct wi_members {
    struct wi_out *out;
    int first; /* no member of the current object or array has been written */
};

/* Starts a member; the second on its own line, for those of the document itself. */
void wi_put_key(struct wi_members *json, const char *name);
void wi_put_top_key(struct wi_members *json, const char *name);
/* Starts an element of an array, on its own line. */
void wi_put_item(struct wi_members *json);
/* `bracket` begins or ends an object or an array. */
void wi_put_open(struct wi_members *json, char bracket);
void wi_put_close(struct wi_members *json, char bracket);

/* A whole member. WI_UNKNOWN, an empty text and a name that is none are null. */
void wi_put_null(struct wi_members *json, const char *name);
void wi_put_int(struct wi_members *json, const char *name, int64_t value);
/* 0 stands for "not known" in struct wi_device_info and for the pid. */
void wi_put_known(struct wi_members *json, const char *name, uint64_t value);
void wi_put_bool(struct wi_members *json, const char *name, int value);
void wi_put_text(struct wi_members *json, const char *name, const char *text);
void wi_put_name(struct wi_members *json, const char *name, const struct wi_report *report,
                 uint32_t id);
/* With six digits after the point. */
void wi_put_share(struct wi_members *json, const char *name, double value);

#endif
