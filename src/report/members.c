/* Members of the report document, see members.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/members.h"

void wi_put_key(struct wi_members *json, const char *name)
{
    wi_out_str(json->out, json->first ? "" : ",");
    wi_out_json(json->out, name);
    wi_out_char(json->out, ':');
    json->first = 0;
}

void wi_put_top_key(struct wi_members *json, const char *name)
{
    wi_out_str(json->out, json->first ? "\n" : ",\n");
    wi_out_json(json->out, name);
    wi_out_char(json->out, ':');
    json->first = 0;
}

void wi_put_item(struct wi_members *json)
{
    wi_out_str(json->out, json->first ? "\n " : ",\n ");
    json->first = 0;
}

void wi_put_open(struct wi_members *json, char bracket)
{
    wi_out_char(json->out, bracket);
    json->first = 1;
}

void wi_put_close(struct wi_members *json, char bracket)
{
    wi_out_char(json->out, bracket);
    json->first = 0;
}

void wi_put_null(struct wi_members *json, const char *name)
{
    wi_put_key(json, name);
    wi_out_str(json->out, "null");
}

void wi_put_int(struct wi_members *json, const char *name, int64_t value)
{
    wi_put_key(json, name);
    if (value == WI_UNKNOWN)
        wi_out_str(json->out, "null");
    else
        wi_out_i64(json->out, value);
}

void wi_put_known(struct wi_members *json, const char *name, uint64_t value)
{
    wi_put_int(json, name, value ? (int64_t)value : WI_UNKNOWN);
}

void wi_put_bool(struct wi_members *json, const char *name, int value)
{
    wi_put_key(json, name);
    wi_out_str(json->out, value ? "true" : "false");
}

void wi_put_text(struct wi_members *json, const char *name, const char *text)
{
    wi_put_key(json, name);
    wi_out_json(json->out, text && text[0] ? text : NULL);
}

void wi_put_name(struct wi_members *json, const char *name, const struct wi_report *report,
                 uint32_t id)
{
    wi_put_text(json, name, wi_names_text(report->names, id));
}

void wi_put_share(struct wi_members *json, const char *name, double value)
{
    wi_put_key(json, name);
    wi_out_json_fixed(json->out, value, 6);
}
