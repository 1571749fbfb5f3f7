/* How a program was linked: what decides whether a preload reaches it.
 * Threads: main. Reads the file only; every offset in it is distrusted. */
#ifndef WI_CLI_ELF_FACTS_H
#define WI_CLI_ELF_FACTS_H

#include <limits.h>

struct wi_elf_facts {
    int is_elf;            /* 0: a script or something else */
    char interpreter[128]; /* of a script's first line, the program alone; "" if none */
    int other_machine;     /* built for another processor or word size than this command */
    int dynamic;           /* has a dynamic linker: LD_PRELOAD works */
    int needs_cudart;      /* NEEDED names libcudart */
    int needs_cuda;        /* NEEDED names libcuda */
    int has_device_code;   /* has .nv_fatbin: compiled by nvcc */
    int holds_runtime;     /* has a text of the CUDA runtime itself: linked with the static one */
    int set_id;            /* set-user-id or set-group-id: the linker ignores LD_PRELOAD */
};

/* The path of a program as execvp finds it. 0 or -1. */
int wi_program_find(const char *name, char path[PATH_MAX]);
/* Fills the facts; 0, or -1 if the file cannot be read. */
int wi_elf_read(const char *path, struct wi_elf_facts *facts);

#endif
