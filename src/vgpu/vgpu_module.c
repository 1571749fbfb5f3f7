/* Modules and kernels. Names come from the `.entry` lines of PTX text; any other image is taken
 * to hold every kernel that is asked for.
 * Threads: any. May not: read an image beyond its text or magic number. */
#include "vgpu_driver.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct vg_module *modules;

static struct vg_function *add(struct vg_module *module, const char *name, size_t length)
{
    struct vg_function *function = calloc(1, sizeof(*function));
    if (function == NULL || (function->name = strndup(name, length)) == NULL) {
        free(function);
        return NULL;
    }
    function->magic = VG_FUNCTION_MAGIC;
    function->module = module;
    function->next = module->functions;
    module->functions = function;
    return function;
}

static bool name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static void read_entries(struct vg_module *module, const char *text)
{
    static const char word[] = ".entry";
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at, word)) {
        at += sizeof(word) - 1;
        const char *name = at + strspn(at, " \t\r\n");
        size_t length = 0;
        while (name_character(name[length])) {
            length++;
        }
        if (name > at && length > 0) {
            add(module, name, length);
        }
    }
}

/* ELF, the wrapper nvcc emits around a fat binary, or a bare fat binary. */
static bool binary_image(const void *image)
{
    static const uint32_t magics[] = {0x464c457fu, 0x466243b1u, 0xba55ed50u};
    uint32_t magic;
    memcpy(&magic, image, sizeof(magic));
    return magic == magics[0] || magic == magics[1] || magic == magics[2];
}

int vg_module_load(const void *image, struct vg_module **module)
{
    if (image == NULL) {
        return VG_INVALID_VALUE;
    }
    struct vg_module *loaded = calloc(1, sizeof(*loaded));
    if (loaded == NULL) {
        return VG_OUT_OF_MEMORY;
    }
    loaded->magic = VG_MODULE_MAGIC;
    loaded->open_ended = binary_image(image);
    if (!loaded->open_ended) {
        read_entries(loaded, image);
        if (loaded->functions == NULL) {
            free(loaded);
            return VG_INVALID_IMAGE;
        }
    }
    pthread_mutex_lock(&vg_model.lock);
    loaded->id = modules != NULL ? modules->id + 1 : 1;
    loaded->next = modules;
    modules = loaded;
    pthread_mutex_unlock(&vg_model.lock);
    *module = loaded;
    return VG_SUCCESS;
}

void vg_module_unload(struct vg_module *module)
{
    /* Kernel names stay: records in a tracer's buffers still point at them. */
    module->magic = 0;
    for (struct vg_function *function = module->functions; function != NULL;
         function = function->next) {
        function->magic = 0;
    }
}

struct vg_function *vg_module_function(struct vg_module *module, const char *name)
{
    pthread_mutex_lock(&vg_model.lock);
    struct vg_function *function = module->functions;
    while (function != NULL && strcmp(function->name, name) != 0) {
        function = function->next;
    }
    if (function == NULL && module->open_ended) {
        function = add(module, name, strlen(name));
    }
    pthread_mutex_unlock(&vg_model.lock);
    return function;
}

int vg_module_function_count(const struct vg_module *module)
{
    int count = 0;
    for (const struct vg_function *f = module->functions; f != NULL; f = f->next) {
        count++;
    }
    return count;
}
