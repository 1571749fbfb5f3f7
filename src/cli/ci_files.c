/* What CI systems read, see ci_files.h.
 * Threads: main. */
#include "cli/ci_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"

/* XML text: what XML forbids even as an entity, control bytes and bad UTF-8, becomes '?'. */
static void put_xml(FILE *file, const char *text)
{
    struct wi_phrase phrase;
    wi_out_str(wi_phrase_begin(&phrase), text);
    for (const char *at = wi_phrase_end(&phrase); *at; at++) {
        const char *entity = *at == '&'   ? "&amp;"
                             : *at == '<' ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (entity)
            fputs(entity, file);
        else
            fputc(*at, file);
    }
}

static int count(const struct wi_gates *gates, enum wi_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < gates->count; i++)
        n += gates->gates[i].outcome == outcome;
    return n;
}

static void put_case(FILE *file, const struct wi_gate *gate)
{
    static const char *const ELEMENTS[] = {NULL, "skipped", "error", "failure"};
    const char *element = ELEMENTS[gate->outcome];
    char text[256];
    wi_gate_sentence(gate, text, sizeof(text));
    fputs("  <testcase classname=\"whyidle.check\" name=\"", file);
    put_xml(file, gate->name);
    fputs("\">\n", file);
    if (element) {
        fprintf(file, "    <%s message=\"", element);
        put_xml(file, text);
        fputs("\"/>\n", file);
    } else {
        fputs("    <system-out>", file);
        put_xml(file, text);
        fputs("</system-out>\n", file);
    }
    fputs("  </testcase>\n", file);
}

int wi_junit_write(const char *path, const struct wi_gates *gates, const char *subject)
{
    FILE *file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "whyidle check: cannot write '%s': %s\n", path, strerror(errno));
        return -1;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"whyidle check ", file);
    put_xml(file, subject);
    fprintf(file, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", gates->count,
            count(gates, WI_FAIL), count(gates, WI_UNSURE), count(gates, WI_SKIPPED));
    for (int i = 0; i < gates->count; i++)
        put_case(file, &gates->gates[i]);
    fputs("</testsuite>\n", file);
    int bad = ferror(file);
    if (fclose(file) != 0 || bad) {
        fprintf(stderr, "whyidle check: cannot write '%s'\n", path);
        return -1;
    }
    return 0;
}

/* Text of a table cell: nothing that Markdown would take for its own. */
static void put_cell(FILE *file, const char *text)
{
    struct wi_phrase phrase;
    wi_out_str(wi_phrase_begin(&phrase), text);
    for (const char *at = wi_phrase_end(&phrase); *at; at++) {
        if (strchr("|`*_<>[]\\", *at))
            fputc('\\', file);
        fputc(*at, file);
    }
}

void wi_markdown_append(const struct wi_gates *gates, const char *subject, const char *headline)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    FILE *file = path && path[0] ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    fputs("### whyidle check: ", file);
    put_cell(file, subject);
    fputs("\n\n", file);
    if (headline) {
        put_cell(file, headline);
        fputs("\n\n", file);
    }
    fputs("| gate | outcome | |\n|---|---|---|\n", file);
    for (int i = 0; i < gates->count; i++) {
        char text[256];
        wi_gate_sentence(&gates->gates[i], text, sizeof(text));
        fputs("| ", file);
        put_cell(file, gates->gates[i].name);
        fprintf(file, " | %s | ", wi_outcome_word(gates->gates[i].outcome));
        put_cell(file, text);
        fputs(" |\n", file);
    }
    fputc('\n', file);
    fclose(file);
}
