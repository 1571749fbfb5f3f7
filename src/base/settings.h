/* The WHYIDLE_* variables, expanded from settings.def.
 * Threads: parse once, read from any. May not: allocate; the strings are the environment's own. */
#ifndef WI_BASE_SETTINGS_H
#define WI_BASE_SETTINGS_H

#include <stdint.h>

#include "base/out.h"

#define WI_SETTING_C_FLAG int64_t
#define WI_SETTING_C_INT  int64_t
#define WI_SETTING_C_WORD const char *
#define WI_SETTING_C_TEXT const char *

struct wi_settings {
#define SETTING(id, name, type, def, low, high, sentence) WI_SETTING_C_##type id;
#include "base/settings.def"
#undef SETTING
};

enum wi_setting_type { WI_SETTING_FLAG, WI_SETTING_INT, WI_SETTING_WORD, WI_SETTING_TEXT };

/* One row for help texts and the documentation. */
struct wi_setting_row {
    const char *name;
    enum wi_setting_type type;
    const char *sentence;
    const char *words;                 /* WORD only, else NULL */
    const char *text_default;          /* WORD only, else NULL */
    int64_t number_default, low, high; /* FLAG and INT only */
};

/* What is wrong with the environment is told through warn (may be NULL), one call a fault:
 * unknown names, words not in the list, numbers out of range (clamped). What is set to nothing has
 * its default. environment may be NULL. */
typedef void (*wi_settings_warn)(const char *name, const char *problem);
void wi_settings_parse(struct wi_settings *settings, char **environment, wi_settings_warn warn);
/* The rows in table order; *count gets their number. */
const struct wi_setting_row *wi_settings_rows(int *count);
/* What it may be set to: "rank0, all, none", "1 to 3600", "0 or 1"; nothing for TEXT. */
void wi_setting_allowed(struct wi_out *out, const struct wi_setting_row *row);

#endif
