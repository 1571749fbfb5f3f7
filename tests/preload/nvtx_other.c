/* Another tool's injection library: counts the pushes it gets and says so at the end.
 * Threads: any. */
#include <stdint.h>
#include <stdio.h>

typedef void (*function)(void);

static int pushes;

static int on_push(const char *name)
{
    (void)name;
    return pushes++;
}

struct callbacks {
    size_t size;
    int (*get)(int, function ***, unsigned *);
};

int InitializeInjectionNvtx2(const struct callbacks *(*export_table)(uint32_t));
int InitializeInjectionNvtx2(const struct callbacks *(*export_table)(uint32_t))
{
    function **table;
    unsigned count;
    if (!export_table(1)->get(1, &table, &count))
        return 0;
    *table[9] = (function)on_push;
    return 1;
}

__attribute__((destructor)) static void say(void)
{
    printf("the other tool saw %d pushes\n", pushes);
}
