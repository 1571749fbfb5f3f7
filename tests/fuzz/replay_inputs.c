/* Hands every file of a folder to a fuzz target, in the order of their names. Which ones there are
 * is printed, so that a target that ends the program says on what.
 * usage: PROGRAM FOLDER   Threads: one. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* In memory of exactly its size, whose end a sanitizer watches. */
static int replay(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    unsigned char *whole = malloc(MOST_BYTES);
    size_t len = file && whole ? fread(whole, 1, MOST_BYTES, file) : 0;
    unsigned char *data = len ? realloc(whole, len) : NULL;
    if (file)
        fclose(file);
    if (data) {
        printf("%s, %zu bytes\n", name, len);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, len);
    } else {
        printf("%s cannot be read\n", path);
        free(whole);
    }
    free(data);
    return data != NULL;
}

int main(int argc, char **argv)
{
    struct dirent **names;
    int count = argc == 2 ? scandir(argv[1], &names, is_file, alphasort) : -1, bad = count < 1;
    for (int i = 0; i < count; i++) {
        bad += !replay(argv[1], names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    printf("%d inputs\n", count);
    return bad != 0;
}
