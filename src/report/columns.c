/* Tables from columns.def, see columns.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/columns.h"

#include <string.h>

#include "base/attr.h"
#include "report/human.h"
#include "report/short_name.h"

enum cell_kind { TEXT, NAME, COUNT, NS, BYTES, SHARE, STEP, BAR, DIMS };

struct cell {
    int64_t value;
    const char *text;
    const uint32_t *dims;
};

#define FIELD_TEXT  text
#define FIELD_COUNT value
#define FIELD_NS    value
#define FIELD_NAME  text
#define FIELD_BYTES value
#define FIELD_SHARE value
#define FIELD_STEP  value
#define FIELD_BAR   value
#define FIELD_DIMS  dims

struct column {
    const char *key, *header;
    int width, drop;
    enum cell_kind kind;
    void (*get)(const void *row, const struct wi_names *names, struct cell *cell);
};

/* The getters are numbered by their line in columns.def. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define GETTER       PASTE(get_, __LINE__)
#define DEFINE(type, kind, expression)                                                             \
    static void GETTER(const void *row, const struct wi_names *names, struct cell *cell)           \
    {                                                                                              \
        const struct type *r = row;                                                                \
        (void)names;                                                                               \
        cell->FIELD_##kind = (expression);                                                         \
    }
#define CLASS_COLUMN(key, header, width, drop, kind, e)  DEFINE(wi_class_row, kind, e)
#define KERNEL_COLUMN(key, header, width, drop, kind, e) DEFINE(wi_kernel_row, kind, e)
#define COPY_COLUMN(key, header, width, drop, kind, e)   DEFINE(wi_copy_row, kind, e)
#define CALL_COLUMN(key, header, width, drop, kind, e)   DEFINE(wi_class_calls, kind, e)
#include "report/columns.def"
#undef CLASS_COLUMN
#undef KERNEL_COLUMN
#undef COPY_COLUMN
#undef CALL_COLUMN

#define ROW(key, header, width, drop, kind) {key, header, width, drop, kind, GETTER},
#define NO_ROW(key, header, width, drop, kind, e)

static const struct column CLASSES[] = {
#define CLASS_COLUMN(key, header, width, drop, kind, e) ROW(key, header, width, drop, kind)
#define KERNEL_COLUMN                                   NO_ROW
#define COPY_COLUMN                                     NO_ROW
#define CALL_COLUMN                                     NO_ROW
#include "report/columns.def"
#undef CLASS_COLUMN
#undef KERNEL_COLUMN
};

static const struct column KERNELS[] = {
#define CLASS_COLUMN                                     NO_ROW
#define KERNEL_COLUMN(key, header, width, drop, kind, e) ROW(key, header, width, drop, kind)
#include "report/columns.def"
#undef KERNEL_COLUMN
#undef COPY_COLUMN
};

static const struct column COPIES[] = {
#define KERNEL_COLUMN                                  NO_ROW
#define COPY_COLUMN(key, header, width, drop, kind, e) ROW(key, header, width, drop, kind)
#include "report/columns.def"
#undef COPY_COLUMN
#undef CALL_COLUMN
};

static const struct column CALLS[] = {
#define COPY_COLUMN                                    NO_ROW
#define CALL_COLUMN(key, header, width, drop, kind, e) ROW(key, header, width, drop, kind)
#include "report/columns.def"
};

static const struct {
    const struct column *columns;
    int count;
} TABLES[] = {
    [WI_TABLE_CLASSES] = {CLASSES, WI_ARRAY_LEN(CLASSES)},
    [WI_TABLE_KERNELS] = {KERNELS, WI_ARRAY_LEN(KERNELS)},
    [WI_TABLE_COPIES] = {COPIES, WI_ARRAY_LEN(COPIES)},
    [WI_TABLE_CALLS] = {CALLS, WI_ARRAY_LEN(CALLS)},
};

#define INDENT      2
#define MAX_COLUMNS 16
_Static_assert(WI_ARRAY_LEN(KERNELS) <= MAX_COLUMNS && WI_ARRAY_LEN(COPIES) <= MAX_COLUMNS,
               "raise MAX_COLUMNS");

static int absolute(int value)
{
    return value < 0 ? -value : value;
}

/* Figures per step take the place of the bar. */
static int wanted(const struct column *column, const struct wi_table *table)
{
    if (!column->header)
        return 0;
    return column->kind == STEP  ? table->step_scale > 0
           : column->kind == BAR ? table->step_scale <= 0
                                 : 1;
}

/* Fills widths[] for `width` characters, 0 = column left out; the first column takes what remains
 * up to its own width. */
static void fit(const struct wi_table *table, int width, int *widths)
{
    const struct column *columns = TABLES[table->id].columns;
    int count = TABLES[table->id].count;
    for (int limit = 9; limit >= 0; limit--) {
        int total = INDENT;
        for (int i = 0; i < count; i++) {
            int shown = wanted(&columns[i], table) && columns[i].drop <= limit;
            widths[i] = shown ? absolute(columns[i].width) : 0;
            total += i > 0 && widths[i] ? widths[i] + 1 : 0;
        }
        /* Half of the first column is the least that is still worth reading. */
        if (total + widths[0] / 2 > width && limit > 0)
            continue;
        if (total + widths[0] > width)
            widths[0] = width - total > 8 ? width - total : 8;
        return;
    }
}

static void put_bar(struct wi_out *out, int64_t value, int64_t whole, int width)
{
    static const char *const EIGHTHS[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (value <= 0 || whole <= 0)
        return;
    int64_t steps = (int64_t)((double)value / (double)whole * width * 8 + 0.5);
    if (steps > (int64_t)width * 8)
        steps = (int64_t)width * 8;
    for (; steps >= 8; steps -= 8)
        wi_out_str(out, "█");
    wi_out_str(out, EIGHTHS[steps]);
}

static void put_dims(struct wi_out *out, const uint32_t *dims)
{
    if (!dims[0])
        wi_out_char(out, '-');
    else
        wi_out_f(out, "%ux%ux%u", dims[0], dims[1], dims[2]);
}

static void put_cell(struct wi_out *out, const struct column *column, const struct cell *cell,
                     const struct wi_table *table, int width)
{
    switch (column->kind) {
    case NAME:
        wi_put_short_name(out, cell->text && cell->text[0] ? cell->text : "-", width);
        break;
    case TEXT:
        wi_layout_cut(out, cell->text && cell->text[0] ? cell->text : "-", width);
        break;
    case COUNT:
        wi_human_count(out, cell->value);
        break;
    case NS:
        wi_human_ns(out, cell->value);
        break;
    case BYTES:
        wi_human_bytes(out, cell->value);
        break;
    case SHARE:
        wi_human_share(out, cell->value, table->whole_ns, 1);
        break;
    case STEP:
        if (cell->value == WI_UNKNOWN)
            wi_out_char(out, '-');
        else
            wi_out_fixed(out, (double)cell->value * table->step_scale / 1e6, 2);
        break;
    case BAR:
        put_bar(out, cell->value, table->whole_ns, width);
        break;
    case DIMS:
        put_dims(out, cell->dims);
        break;
    }
}

/* A cell of `width` columns, cut to them; right-aligned unless left is set. */
static void put_padded(struct wi_out *out, struct wi_phrase *phrase, int width, int left)
{
    int blanks = width - (int)phrase->out.col;
    if (!left)
        wi_out_pad(out, ' ', blanks);
    wi_layout_cut(out, wi_phrase_end(phrase), width);
    if (left)
        wi_out_pad(out, ' ', blanks);
}

/* A row, or with a title the headers; without blanks at its end. */
static void put_line(struct wi_layout *layout, const struct wi_table *table, const void *row,
                     const char *title)
{
    const struct column *columns = TABLES[table->id].columns;
    int count = TABLES[table->id].count, widths[MAX_COLUMNS];
    struct wi_phrase line, part;
    struct wi_out *out = wi_phrase_begin(&line);
    fit(table, layout->width, widths);
    for (int i = 0; i < count; i++) {
        if (!widths[i])
            continue;
        struct wi_out *cell_out = wi_phrase_begin(&part);
        struct cell cell = {0};
        wi_out_pad(out, ' ', i > 0 ? 1 : title ? 0 : INDENT);
        if (title) {
            wi_out_str(cell_out, i == 0 ? title : columns[i].header);
        } else {
            columns[i].get(row, table->names, &cell);
            put_cell(cell_out, &columns[i], &cell, table, widths[i]);
        }
        put_padded(out, &part, widths[i] + (title && i == 0 ? INDENT : 0), columns[i].width < 0);
    }
    const char *text = wi_phrase_end(&line);
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        len--;
    wi_out_bytes(layout->out, text, len);
    wi_out_char(layout->out, '\n');
}

void wi_table_head(struct wi_layout *layout, const struct wi_table *table, const char *title)
{
    wi_layout_style(layout, WI_STYLE_STRONG);
    put_line(layout, table, NULL, title);
    wi_layout_style(layout, WI_STYLE_PLAIN);
}

void wi_table_row(struct wi_layout *layout, const struct wi_table *table, const void *row)
{
    put_line(layout, table, row, NULL);
}

static void put_json(struct wi_out *out, const struct column *column, const struct cell *cell)
{
    if (column->kind == TEXT || column->kind == NAME)
        wi_out_json(out, cell->text && cell->text[0] ? cell->text : NULL);
    else if (column->kind == DIMS && cell->dims[0])
        wi_out_f(out, "[%u,%u,%u]", cell->dims[0], cell->dims[1], cell->dims[2]);
    else if (column->kind == DIMS || cell->value == WI_UNKNOWN)
        wi_out_str(out, "null");
    else
        wi_out_i64(out, cell->value);
}

void wi_table_json(struct wi_out *out, const struct wi_table *table, const void *row)
{
    const struct column *columns = TABLES[table->id].columns;
    int first = 1;
    for (int i = 0; i < TABLES[table->id].count; i++) {
        struct cell cell = {0};
        if (!columns[i].key)
            continue;
        columns[i].get(row, table->names, &cell);
        wi_out_f(out, first ? "\"%s\":" : ",\"%s\":", columns[i].key);
        put_json(out, &columns[i], &cell);
        first = 0;
    }
}
