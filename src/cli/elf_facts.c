/* How a program was linked, see elf_facts.h.
 * Threads: main. */
#include "cli/elf_facts.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the runtime's table of errors; a program that links the shared one does not hold it. */
#define RUNTIME_TEXT "CUDA driver version is insufficient for CUDA runtime version"

struct image {
    const unsigned char *data;
    size_t size;
};

/* The bytes [offset, offset + size), NULL if the file has not so many. */
static const void *at(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->data + offset : NULL;
}

/* A terminated string at offset, "" if it does not end inside the file. */
static const char *text_at(const struct image *image, uint64_t offset)
{
    if (offset >= image->size || !memchr(image->data + offset, 0, image->size - offset))
        return "";
    return (const char *)image->data + offset;
}

/* File offset of a virtual address, by the loadable segments. */
static uint64_t offset_of(const struct image *image, const ElfW(Ehdr) * header, uint64_t address)
{
    for (int i = 0; i < header->e_phnum; i++) {
        const ElfW(Phdr) *segment =
            at(image, header->e_phoff + (uint64_t)i * sizeof(*segment), sizeof(*segment));
        if (segment && segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return UINT64_MAX;
}

static void read_dynamic(const struct image *image, const ElfW(Ehdr) * header,
                         const ElfW(Phdr) * segment, struct wi_elf_facts *facts)
{
    uint64_t count = segment->p_filesz / sizeof(ElfW(Dyn)), strings = UINT64_MAX;
    const ElfW(Dyn) *entries = at(image, segment->p_offset, count * sizeof(*entries));
    for (uint64_t i = 0; entries && i < count; i++)
        if (entries[i].d_tag == DT_STRTAB)
            strings = offset_of(image, header, entries[i].d_un.d_ptr);
    for (uint64_t i = 0; entries && i < count && strings != UINT64_MAX; i++) {
        if (entries[i].d_tag != DT_NEEDED || entries[i].d_un.d_val > image->size)
            continue;
        const char *name = text_at(image, strings + entries[i].d_un.d_val);
        facts->needs_cudart |= !strncmp(name, "libcudart.so", 12);
        facts->needs_cuda |= !strncmp(name, "libcuda.so", 10);
    }
}

static void read_sections(const struct image *image, const ElfW(Ehdr) * header,
                          struct wi_elf_facts *facts)
{
    const ElfW(Shdr) *names =
        at(image, header->e_shoff + (uint64_t)header->e_shstrndx * sizeof(*names), sizeof(*names));
    for (int i = 0; names && i < header->e_shnum; i++) {
        const ElfW(Shdr) *section =
            at(image, header->e_shoff + (uint64_t)i * sizeof(*section), sizeof(*section));
        if (section && !strcmp(text_at(image, names->sh_offset + section->sh_name), ".nv_fatbin"))
            facts->has_device_code = 1;
    }
}

static void read_elf(const struct image *image, struct wi_elf_facts *facts)
{
    ElfW(Ehdr) header;
    const ElfW(Ehdr) *own = (const ElfW(Ehdr) *)at(image, 0, sizeof(header));
    facts->is_elf = 1;
    if (!own || own->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
        facts->other_machine = 1;
        return;
    }
    header = *own;
#if defined(__x86_64__)
    facts->other_machine = header.e_machine != EM_X86_64;
#elif defined(__aarch64__)
    facts->other_machine = header.e_machine != EM_AARCH64;
#endif
    for (int i = 0; i < header.e_phnum; i++) {
        const ElfW(Phdr) *segment =
            at(image, header.e_phoff + (uint64_t)i * sizeof(*segment), sizeof(*segment));
        facts->dynamic |= segment && segment->p_type == PT_INTERP;
        if (segment && segment->p_type == PT_DYNAMIC)
            read_dynamic(image, &header, segment, facts);
    }
    read_sections(image, &header, facts);
    facts->holds_runtime =
        memmem(image->data, image->size, RUNTIME_TEXT, sizeof(RUNTIME_TEXT) - 1) != NULL;
}

/* "#!/usr/bin/env -S python3 -u" -> "python3", "#!/bin/sh" -> "/bin/sh" */
static void read_script(const struct image *image, struct wi_elf_facts *facts)
{
    char line[256];
    size_t len = image->size - 2 < sizeof(line) - 1 ? image->size - 2 : sizeof(line) - 1;
    memcpy(line, image->data + 2, len);
    line[len] = 0;
    line[strcspn(line, "\n")] = 0;
    char *rest, *word = strtok_r(line, " \t", &rest);
    const char *base = word ? strrchr(word, '/') : NULL;
    while (word && ((base && !strcmp(base, "/env")) || word[0] == '-')) {
        word = strtok_r(NULL, " \t", &rest);
        base = NULL;
    }
    if (word)
        snprintf(facts->interpreter, sizeof(facts->interpreter), "%.120s", word);
}

int wi_elf_read(const char *path, struct wi_elf_facts *facts)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    memset(facts, 0, sizeof(*facts));
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size < 4) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    struct image image = {.size = (size_t)status.st_size};
    void *map = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return -1;
    image.data = map;
    facts->set_id = (status.st_mode & (S_ISUID | S_ISGID)) != 0;
    if (!memcmp(image.data, ELFMAG, SELFMAG))
        read_elf(&image, facts);
    else if (image.data[0] == '#' && image.data[1] == '!')
        read_script(&image, facts);
    munmap(map, image.size);
    return 0;
}

int wi_program_find(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return realpath(name, path) && access(path, X_OK) == 0 ? 0 : -1;
    for (const char *folder = folders ? folders : "/usr/bin:/bin"; *folder;) {
        char candidate[PATH_MAX];
        size_t len = strcspn(folder, ":");
        snprintf(candidate, sizeof(candidate), "%.*s/%s", len ? (int)len : 1, len ? folder : ".",
                 name);
        if (access(candidate, X_OK) == 0 && realpath(candidate, path))
            return 0;
        folder += len + (folder[len] == ':');
    }
    return -1;
}
