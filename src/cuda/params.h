/* Turns a parameter list of shapes.h, (type, name, type, name, ...), into the members of a
 * structure, a prototype or an argument list.
 * Threads: none. May not: contain anything but these macros. */
#ifndef WI_CUDA_PARAMS_H
#define WI_CUDA_PARAMS_H

/* clang-format off */
/* a zero-sized structure is not ISO C; CUPTI passes no parameters there, nothing reads it */
#define WI_MEMBERS_0()     char none;
#define WI_MEMBERS_1(t, n) t n;
#define WI_MEMBERS_2(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_1(__VA_ARGS__)
#define WI_MEMBERS_3(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_2(__VA_ARGS__)
#define WI_MEMBERS_4(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_3(__VA_ARGS__)
#define WI_MEMBERS_5(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_4(__VA_ARGS__)
#define WI_MEMBERS_6(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_5(__VA_ARGS__)
#define WI_MEMBERS_7(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_6(__VA_ARGS__)
#define WI_MEMBERS_8(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_7(__VA_ARGS__)
#define WI_MEMBERS_9(t, n, ...)                                                                    \
    t n;                                                                                           \
    WI_MEMBERS_8(__VA_ARGS__)

#define WI_PROTO_0()          void
#define WI_PROTO_1(t, n)      t n
#define WI_PROTO_2(t, n, ...) t n, WI_PROTO_1(__VA_ARGS__)
#define WI_PROTO_3(t, n, ...) t n, WI_PROTO_2(__VA_ARGS__)
#define WI_PROTO_4(t, n, ...) t n, WI_PROTO_3(__VA_ARGS__)
#define WI_PROTO_5(t, n, ...) t n, WI_PROTO_4(__VA_ARGS__)
#define WI_PROTO_6(t, n, ...) t n, WI_PROTO_5(__VA_ARGS__)
#define WI_PROTO_7(t, n, ...) t n, WI_PROTO_6(__VA_ARGS__)
#define WI_PROTO_8(t, n, ...) t n, WI_PROTO_7(__VA_ARGS__)
#define WI_PROTO_9(t, n, ...) t n, WI_PROTO_8(__VA_ARGS__)

#define WI_ARGS_0()
#define WI_ARGS_1(t, n)      n
#define WI_ARGS_2(t, n, ...) n, WI_ARGS_1(__VA_ARGS__)
#define WI_ARGS_3(t, n, ...) n, WI_ARGS_2(__VA_ARGS__)
#define WI_ARGS_4(t, n, ...) n, WI_ARGS_3(__VA_ARGS__)
#define WI_ARGS_5(t, n, ...) n, WI_ARGS_4(__VA_ARGS__)
#define WI_ARGS_6(t, n, ...) n, WI_ARGS_5(__VA_ARGS__)
#define WI_ARGS_7(t, n, ...) n, WI_ARGS_6(__VA_ARGS__)
#define WI_ARGS_8(t, n, ...) n, WI_ARGS_7(__VA_ARGS__)
#define WI_ARGS_9(t, n, ...) n, WI_ARGS_8(__VA_ARGS__)

/* the initializer of the structure: as the arguments, never empty */
#define WI_INIT_0() 0
#define WI_INIT_1(...) WI_ARGS_1(__VA_ARGS__)
#define WI_INIT_2(...) WI_ARGS_2(__VA_ARGS__)
#define WI_INIT_3(...) WI_ARGS_3(__VA_ARGS__)
#define WI_INIT_4(...) WI_ARGS_4(__VA_ARGS__)
#define WI_INIT_5(...) WI_ARGS_5(__VA_ARGS__)
#define WI_INIT_6(...) WI_ARGS_6(__VA_ARGS__)
#define WI_INIT_7(...) WI_ARGS_7(__VA_ARGS__)
#define WI_INIT_8(...) WI_ARGS_8(__VA_ARGS__)
#define WI_INIT_9(...) WI_ARGS_9(__VA_ARGS__)
/* clang-format on */

#endif
