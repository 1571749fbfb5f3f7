/* stat by system call: the functions of that name are symbols of glibc 2.33 and later only; before,
 * they were macros over others. The kernel fills the same struct on these machines.
 * Threads: any. */
#ifndef WI_COLLECT_STAT_CALL_H
#define WI_COLLECT_STAT_CALL_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)
/* flags: 0, or AT_SYMLINK_NOFOLLOW for a link itself. */
static inline int wi_stat_path(const char *path, struct stat *to, int flags)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, to, flags);
}

static inline int wi_stat_fd(int fd, struct stat *to)
{
    return (int)syscall(SYS_fstat, fd, to);
}
#else
static inline int wi_stat_path(const char *path, struct stat *to, int flags)
{
    return fstatat(AT_FDCWD, path, to, flags);
}

static inline int wi_stat_fd(int fd, struct stat *to)
{
    return fstat(fd, to);
}
#endif

#endif
