/* Lines of a text report: labels, word wrap, styles. Width is an argument, never a terminal.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#ifndef WI_REPORT_LAYOUT_H
#define WI_REPORT_LAYOUT_H

#include "base/out.h"

#define WI_LABEL_COLUMNS 14 /* where the text behind a label begins */

enum wi_style { WI_STYLE_PLAIN, WI_STYLE_STRONG, WI_STYLE_DIM, WI_STYLE_ALARM, WI_STYLE_GOOD };

struct wi_layout {
    struct wi_out *out;
    int width;
    int color;
};

/* Columns of a text: as asked for, else as the variable COLUMNS says (may be NULL), else the
 * terminal's (0 = it is none, or nothing was asked for); 100 where nobody says, from 40 to 100. */
int wi_layout_width(int asked, const char *columns, int terminal);
/* Switches the style; escape sequences count as no column. */
void wi_layout_style(struct wi_layout *layout, enum wi_style style);
/* Writes text from the current column on, broken at blanks before `width` (not at U+00A0, and not
 * between a number and its unit); following lines begin
 * at column `indent`. A word longer than a line is cut where the line ends. The text must be
 * clean, as wi_phrase_end() returns it. Ends without a newline. */
void wi_layout_wrap(struct wi_layout *layout, const char *text, int indent);
/* "label         text\n": the label padded to WI_LABEL_COLUMNS, the text wrapped behind it. */
void wi_layout_line(struct wi_layout *layout, const char *label, const char *text);
/* Any text, cleaned and cut to `columns` characters, the last one "…" if some were cut. */
void wi_layout_cut(struct wi_out *out, const char *text, int columns);

/* A text that is put together before it is wrapped. */
struct wi_phrase {
    struct wi_out out;
    char text[1600];
};

/* Empties the phrase and returns its writer. */
struct wi_out *wi_phrase_begin(struct wi_phrase *phrase);
/* Its text, terminated and with control bytes and invalid UTF-8 shown as '?', so that bytes can be
 * counted as columns; cut if it was longer than the phrase holds. */
const char *wi_phrase_end(struct wi_phrase *phrase);

#endif
