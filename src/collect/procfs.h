/* Reading small files of /proc and the cgroup tree.
 * Threads: the helper, and the thread that ends the process. May not: allocate.
 * Built with WI_TEST_ROOT (tests only), a path that exists below the folder named by the variable
 * WI_TEST_ROOT is read there. */
#ifndef WI_COLLECT_PROCFS_H
#define WI_COLLECT_PROCFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define WI_TICK_NS INT64_C(10000000) /* USER_HZ, part of the ABI of /proc */

/* The file's first cap-1 bytes, NUL-terminated; the length or a negative code. */
long wi_read_file(const char *path, char *buf, size_t cap);
/* The same for a path that is put together as by wi_out_f. */
long wi_read_at(char *buf, size_t cap, const char *path, ...) WI_PRINTF(3, 4);
/* Opens a file that is read again and again, where jobs rarely look; -1 if it cannot be. */
int wi_keep_open(const char *path, ...) WI_PRINTF(1, 2);
/* Reads it from its start. *fd becomes -1 when it no longer is ours or no longer answers. */
long wi_read_kept(int *fd, char *buf, size_t cap);
/* Gives up one that answers what it should not. It is not closed: it may be the job's by now. So
 * that files which never answer do not take all numbers, none is kept open after a few of these. */
void wi_lose_kept(int *fd);
/* The number at *at after spaces; moves *at behind it. WI_UNKNOWN if there is none. */
int64_t wi_take_number(const char **at);
/* The same with digits of base 16, with or without "0x". */
int64_t wi_take_hex(const char **at);
/* Behind the next n words. */
const char *wi_skip_words(const char *at, int n);
/* The number behind `word` (with its colon or space) at the start of a line; WI_UNKNOWN if none. */
int64_t wi_number_of(const char *text, const char *word);

/* What /proc/.../stat says; WI_UNKNOWN where it is cut. */
struct wi_proc_stat {
    int64_t id, minor_faults, major_faults, user_ns, kernel_ns, start_ticks;
    char state;
};
/* 0, or WI_ERR_FORMAT when it is no such line. The name in it may hold anything. */
int wi_parse_stat(const char *text, struct wi_proc_stat *stat);

/* Calls use() for every entry of the folder that is a number; no opendir: that allocates.
 * A negative code if the folder cannot be read. */
int wi_each_number(const char *folder, void *user, void (*use)(void *user, const char *name));

#endif
