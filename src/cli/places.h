/* Where things are: the library beside the command, the demo jobs, the folders of reports.
 * Threads: main. */
#ifndef WI_CLI_PLACES_H
#define WI_CLI_PLACES_H

#include <limits.h>
#include <stddef.h>

/* What the command comes with; see places.def. */
enum wi_place {
#define PLACE(id, ...) WI_PLACE_##id,
#include "cli/places.def"
#undef PLACE
    WI_PLACE_COUNT
};

/* The absolute path of libwhyidle.so: WHYIDLE_LIB, else beside the command. Returns 0, or -1 if
 * there is none. */
int wi_find_library(char path[PATH_MAX]);
/* The first of the place's folders that holds `file`, as the path of the file. 0 or -1. */
int wi_find_place(enum wi_place place, const char *file, char path[PATH_MAX]);
/* WHYIDLE_OUT or whyidle-out in the current folder, absolute. 0 or -1. */
int wi_out_folder(char path[PATH_MAX]);
/* Where reports go when that cannot be written to, absolute: below TMPDIR, the user's own. The
 * preload has the same (collect/outfile.c). 0 or -1. */
int wi_spare_folder(char path[PATH_MAX]);
/* The folder of that name in the spare folder of any user: a job may have changed its user. 0, or
 * -1 if there is none. */
int wi_spare_of_job(const char *job, char path[PATH_MAX]);
/* The folder to read the latest report from: that of wi_out_folder(), or the spare one if reports
 * go there now. 0 or -1. */
int wi_read_folder(char path[PATH_MAX]);
/* 1 if the folder, or the nearest parent of it that exists, can be written to: a file is put there
 * for a moment, since rights alone do not tell. 0 with errno if not. */
int wi_writable(const char *folder);
/* 1 if a file can be written at the path: its folder is there and lets one. 0 with errno if not. */
int wi_can_write(const char *file);
/* The folder of the newest job in `out`: its link `latest`, else the youngest folder. 0 or -1. */
int wi_latest_job(const char *out, char path[PATH_MAX]);
/* The reports (*.json) of a job's folder, sorted by name; free with wi_free_list(). */
char **wi_list_reports(const char *folder, int *count);
void wi_free_list(char **list, int count);
/* Files in the folder that wi_list_reports() does not list, and folders in it; names that begin
 * with a dot, and links, are neither. */
int wi_count_strange(const char *folder);
int wi_count_jobs(const char *folder);

#endif
