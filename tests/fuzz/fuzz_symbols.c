/* Any bytes as a program file: looking up a symbol and a source line in it ends, and gives text
 * that fits. The first bytes are the place that is asked for. Threads: one. Built by
 * scripts/fuzz.sh. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/elf_symbols.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    static int fd = -1;
    struct wi_place_name place;
    char id[WI_BUILD_ID_TEXT], link[40];
    uint64_t address = 0;
    uint16_t offset = 0;
    if (len < sizeof(offset))
        return 0;
    memcpy(&offset, data, sizeof(offset));
    data += sizeof(offset);
    len -= sizeof(offset);
    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    require(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, len, 0) == (ssize_t)len);
    if (wi_elf_address(fd, offset, &address) != 0)
        address = offset;
    memset(&place, 0, sizeof(place));
    wi_elf_name(fd, address, &place);
    require(strnlen(place.name, sizeof(place.name)) < sizeof(place.name));
    require(strnlen(place.source, sizeof(place.source)) < sizeof(place.source));
    wi_elf_build_id(fd, id);
    require(strnlen(id, sizeof(id)) < sizeof(id));
    wi_elf_debug_link(fd, link, sizeof(link));
    require(strnlen(link, sizeof(link)) < sizeof(link));
    return 0;
}
