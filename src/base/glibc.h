/* Binds functions that moved between glibc's libraries to their oldest versions, so that what is
 * built on a new system loads on one with glibc 2.17 (scripts/check_exports.sh holds the bound).
 * Include it in every file of the preload that calls one of them.
 * Threads: none. May not: be used in the command, which is linked as usual. */
#ifndef WI_BASE_GLIBC_H
#define WI_BASE_GLIBC_H

#if defined(__x86_64__)
#define WI_GLIBC_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define WI_GLIBC_OLDEST "GLIBC_2.17"
#endif

#if defined(WI_GLIBC_OLDEST) && !defined(__SANITIZE_ADDRESS__) &&                                  \
    !defined(__SANITIZE_THREAD__) && !defined(WI_TEST_FAULTS)
#define WI_OLDEST(name) __asm__(".symver " #name ", " #name "@" WI_GLIBC_OLDEST)
WI_OLDEST(dlopen);
WI_OLDEST(dlclose);
WI_OLDEST(dlsym);
WI_OLDEST(dlvsym);
WI_OLDEST(dladdr);
WI_OLDEST(dlerror);
WI_OLDEST(pthread_create);
WI_OLDEST(pthread_key_create);
WI_OLDEST(pthread_setspecific);
WI_OLDEST(pthread_attr_init);
WI_OLDEST(pthread_attr_destroy);
WI_OLDEST(pthread_attr_setstacksize);
WI_OLDEST(pthread_attr_setdetachstate);
#undef WI_OLDEST
#endif

#endif
