/* Any file as a loaded one, and any registers and stack: the walk by its unwind tables ends, reads
 * nothing that is not there and gives no frame that cannot be one. The input is where the walk
 * begins (two bytes), how far the frame pointer is above the stack's (one), the words of the stack
 * (one, how many there are) and then the file. A word of the stack whose third byte is 'P' becomes
 * an address in the file.
 * Threads: one. Built by scripts/fuzz.sh. */
#include "collect/cfi.c"

#include <stdlib.h>
#include <sys/mman.h>

#define IMAGE_BYTES 16384u
#define HEAD_BYTES  4u
#define MOST        64

static unsigned char *image;

static void require(int truth)
{
    if (!truth)
        abort();
}

static void load_image(const unsigned char *data, size_t len)
{
    memset(image, 0, IMAGE_BYTES);
    memcpy(image, data, len < IMAGE_BYTES ? len : IMAGE_BYTES);
    memset(&state, 0, sizeof(state));
    state.readings = MAX_READINGS; /* no other file is looked for */
    state.modules[state.count++] = (struct module){(uintptr_t)image, (uintptr_t)image + IMAGE_BYTES,
                                                   table_of((uintptr_t)image)};
}

static void walk(const unsigned char *head, uintptr_t *stack, size_t words)
{
    uintptr_t frames[MOST];
    struct wi_cfi_regs regs = {.ip = (uintptr_t)image + (head[0] | head[1] << 8),
                               .sp = 0x7fff00000000u,
                               .fp = 0x7fff00000000u + head[2] * 8u,
                               .lr = words ? stack[0] : 0};
    int count = wi_cfi_walk(&regs, stack, words * sizeof(*stack), frames, MOST);
    require(count >= 1 && count <= MOST && frames[0] == regs.ip);
    for (int i = 1; i < count; i++)
        require(frames[i] >= 4096);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    if (!image) {
        image = mmap(NULL, IMAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(image != MAP_FAILED);
        wi_peek_init();
    }
    if (len < HEAD_BYTES || len < HEAD_BYTES + data[3] * sizeof(uintptr_t))
        return 0;
    size_t words = data[3];
    uintptr_t *stack = malloc(words * sizeof(*stack) + 1); /* what is read beyond it is seen */
    require(stack != NULL);
    for (size_t i = 0; i < words; i++) {
        const unsigned char *word = data + HEAD_BYTES + i * sizeof(*stack);
        memcpy(&stack[i], word, sizeof(*stack));
        if (word[2] == 'P')
            stack[i] = (uintptr_t)image + (word[0] | word[1] << 8);
    }
    size_t used = HEAD_BYTES + words * sizeof(*stack);
    load_image(data + used, len - used);
    walk(data, stack, words);
    free(stack);
    return 0;
}
