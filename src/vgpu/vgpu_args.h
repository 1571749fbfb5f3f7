/* Expansion of argument lists in the call tables: one list gives the prototype, the struct of
 * arguments that subscribers see and its initialiser. Also the argument types both tables use.
 * Threads: none. May not: name a call. */
#ifndef VGPU_ARGS_H
#define VGPU_ARGS_H

typedef const char *vg_text;
typedef const void *vg_const;
typedef void (*vg_host_function)(void *);
typedef void (*vg_stream_callback)(void *stream, int status, void *data);

/* A place of managed memory. */
struct vg_location {
    int type, id;
};

#define VG_FIELDS_0(x)      char none;
#define VG_FIELDS_1(t1, a1) t1 a1;
#define VG_FIELDS_2(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_1(__VA_ARGS__)
#define VG_FIELDS_3(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_2(__VA_ARGS__)
#define VG_FIELDS_4(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_3(__VA_ARGS__)
#define VG_FIELDS_5(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_4(__VA_ARGS__)
#define VG_FIELDS_6(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_5(__VA_ARGS__)
#define VG_FIELDS_7(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_6(__VA_ARGS__)
#define VG_FIELDS_8(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_7(__VA_ARGS__)
#define VG_FIELDS_9(t1, a1, ...)                                                                   \
    t1 a1;                                                                                         \
    VG_FIELDS_8(__VA_ARGS__)
#define VG_FIELDS_10(t1, a1, ...)                                                                  \
    t1 a1;                                                                                         \
    VG_FIELDS_9(__VA_ARGS__)
#define VG_FIELDS_11(t1, a1, ...)                                                                  \
    t1 a1;                                                                                         \
    VG_FIELDS_10(__VA_ARGS__)

#define VG_PARAMS_0(x)            void
#define VG_PARAMS_1(t1, a1)       t1 a1
#define VG_PARAMS_2(t1, a1, ...)  t1 a1, VG_PARAMS_1(__VA_ARGS__)
#define VG_PARAMS_3(t1, a1, ...)  t1 a1, VG_PARAMS_2(__VA_ARGS__)
#define VG_PARAMS_4(t1, a1, ...)  t1 a1, VG_PARAMS_3(__VA_ARGS__)
#define VG_PARAMS_5(t1, a1, ...)  t1 a1, VG_PARAMS_4(__VA_ARGS__)
#define VG_PARAMS_6(t1, a1, ...)  t1 a1, VG_PARAMS_5(__VA_ARGS__)
#define VG_PARAMS_7(t1, a1, ...)  t1 a1, VG_PARAMS_6(__VA_ARGS__)
#define VG_PARAMS_8(t1, a1, ...)  t1 a1, VG_PARAMS_7(__VA_ARGS__)
#define VG_PARAMS_9(t1, a1, ...)  t1 a1, VG_PARAMS_8(__VA_ARGS__)
#define VG_PARAMS_10(t1, a1, ...) t1 a1, VG_PARAMS_9(__VA_ARGS__)
#define VG_PARAMS_11(t1, a1, ...) t1 a1, VG_PARAMS_10(__VA_ARGS__)

#define VG_NAMES_0(x)            0
#define VG_NAMES_1(t1, a1)       a1
#define VG_NAMES_2(t1, a1, ...)  a1, VG_NAMES_1(__VA_ARGS__)
#define VG_NAMES_3(t1, a1, ...)  a1, VG_NAMES_2(__VA_ARGS__)
#define VG_NAMES_4(t1, a1, ...)  a1, VG_NAMES_3(__VA_ARGS__)
#define VG_NAMES_5(t1, a1, ...)  a1, VG_NAMES_4(__VA_ARGS__)
#define VG_NAMES_6(t1, a1, ...)  a1, VG_NAMES_5(__VA_ARGS__)
#define VG_NAMES_7(t1, a1, ...)  a1, VG_NAMES_6(__VA_ARGS__)
#define VG_NAMES_8(t1, a1, ...)  a1, VG_NAMES_7(__VA_ARGS__)
#define VG_NAMES_9(t1, a1, ...)  a1, VG_NAMES_8(__VA_ARGS__)
#define VG_NAMES_10(t1, a1, ...) a1, VG_NAMES_9(__VA_ARGS__)
#define VG_NAMES_11(t1, a1, ...) a1, VG_NAMES_10(__VA_ARGS__)

/* `list` is a parenthesised list of `count` pairs: type, name, type, name ... */
#define VG_FIELDS(count, list) VG_FIELDS_##count list
#define VG_PARAMS(count, list) VG_PARAMS_##count list
#define VG_NAMES(count, list)  VG_NAMES_##count list

#endif
