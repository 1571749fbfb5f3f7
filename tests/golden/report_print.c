/* Prints a fixture as the writers do: report_print NAME text|json [WIDTH [COLOR]], or without
 * arguments the names of the fixtures. For golden tests and for making input of other tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_fixtures.h"

static int list(void)
{
    for (const char *const *name = fixture_names(); *name; name++)
        puts(*name);
    return 0;
}

int main(int argc, char **argv)
{
    static struct fixture fixture;
    struct wi_text_options options = {argc > 3 ? atoi(argv[3]) : 100, argc > 4, 1, ""};
    struct wi_out out;
    char buf[4096];
    if (argc < 3)
        return list();
    if (!fixture_make(&fixture, argv[1])) {
        fprintf(stderr, "report_print: no fixture '%s'\n", argv[1]);
        return 2;
    }
    wi_out_fd(&out, STDOUT_FILENO, buf, sizeof(buf));
    if (!strcmp(argv[2], "json"))
        wi_report_json(&out, &fixture.report);
    else
        wi_report_text(&out, &fixture.report, &options);
    int err = wi_out_finish(&out);
    fixture_free(&fixture);
    return err ? 1 : 0;
}
