/* Compiler attributes used across the layers.
 * Threads: none. May not: include anything of the project. */
#ifndef WI_BASE_ATTR_H
#define WI_BASE_ATTR_H

#define WI_EXPORT __attribute__((visibility("default")))
#define WI_HOT __attribute__((hot))
#define WI_COLD __attribute__((cold, noinline))
/* What collect/load.c calls in every process lies together, beside the constructor. */
#define WI_AT_LOAD __attribute__((section(".text.startup")))
#define WI_APART __attribute__((noinline)) /* its registers are not saved by who seldom calls it */
#define WI_UNUSED __attribute__((unused))
#define WI_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define WI_TLS_IE __thread __attribute__((tls_model("initial-exec")))
#define WI_LIKELY(x) __builtin_expect(!!(x), 1)
#define WI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WI_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
