/* Reading small files of /proc and the cgroup tree.
 * Threads: the helper, and the thread that ends the process. May not: allocate, keep descriptors.
 */
#ifndef WI_COLLECT_PROCFS_H
#define WI_COLLECT_PROCFS_H

#include <stddef.h>
#include <stdint.h>

/* The file's first cap-1 bytes, NUL-terminated; the length or a negative code. */
long wi_read_file(const char *path, char *buf, size_t cap);
/* The number at *at after spaces; moves *at behind it. WI_UNKNOWN if there is none. */
int64_t wi_take_number(const char **at);
/* Behind the next n words. */
const char *wi_skip_words(const char *at, int n);

#endif
