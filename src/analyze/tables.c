/* Bounded tables beside the time line, see tables.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/tables.h"

#include <string.h>

#include "base/attr.h"

struct wi_tables *wi_tables_create(struct wi_arena *arena)
{
    struct wi_tables *tables = wi_arena_alloc(arena, sizeof(*tables));
    if (!tables)
        return NULL;
    tables->kernel_count = tables->copy_count = 1; /* row 0: the others */
    tables->kernels[0].device = tables->copies[0].device = WI_NO_DEVICE;
    tables->copies[0].call_ns = WI_UNKNOWN;
    return tables;
}

void wi_tables_copy_used(struct wi_tables *into, const struct wi_tables *from)
{
    memcpy(into, from, offsetof(struct wi_tables, kernels));
    memcpy(into->kernels, from->kernels, from->kernel_count * sizeof(*into->kernels));
    memcpy(into->copies, from->copies, sizeof(into->copies));
    memcpy(into->gaps, from->gaps, sizeof(into->gaps));
    into->collectives.count = from->collectives.count;
    into->collectives.dropped = from->collectives.dropped;
    memcpy(into->collectives.rows, from->collectives.rows,
           from->collectives.count * sizeof(*into->collectives.rows));
}

static uint32_t kernel_row(struct wi_tables *tables, uint32_t name, int32_t device)
{
    const struct wi_kernel_row *latest = &tables->kernels[tables->latest_kernel];
    if (tables->latest_kernel && latest->name == name && latest->device == device)
        return tables->latest_kernel;
    const uint32_t mask = WI_ARRAY_LEN(tables->kernel_index) - 1;
    uint32_t at = (name * 2654435761u + (uint32_t)device * 40503u) & mask;
    for (; tables->kernel_index[at]; at = (at + 1) & mask) {
        uint32_t row = tables->kernel_index[at] - 1;
        if (tables->kernels[row].name == name && tables->kernels[row].device == device)
            return row;
    }
    if (tables->kernel_count == WI_KERNEL_SLOTS)
        return 0;
    uint32_t row = tables->kernel_count++;
    tables->kernel_index[at] = row + 1;
    tables->kernels[row].name = name;
    tables->kernels[row].device = device;
    return row;
}

uint32_t wi_tables_kernel(struct wi_tables *tables, const struct wi_device_op *op)
{
    uint32_t row = kernel_row(tables, op->name, op->device);
    tables->latest_kernel = row;
    struct wi_kernel_row *kernel = &tables->kernels[row];
    kernel->count++;
    kernel->total_ns += op->end_ns - op->start_ns;
    memcpy(kernel->grid, op->grid, sizeof(kernel->grid));
    memcpy(kernel->block, op->block, sizeof(kernel->block));
    return row;
}

static uint8_t host_side(const struct wi_device_op *op)
{
    if (op->direction == WI_COPY_H2D || op->direction == WI_COPY_MANAGED_H2D)
        return op->src_mem;
    if (op->direction == WI_COPY_D2H || op->direction == WI_COPY_MANAGED_D2H)
        return op->dst_mem;
    return WI_MEM_DEVICE;
}

uint32_t wi_tables_copy(struct wi_tables *tables, const struct wi_device_op *op, int64_t call_ns)
{
    uint8_t host_mem = host_side(op);
    uint32_t row = 1;
    for (; row < tables->copy_count; row++) {
        const struct wi_copy_row *have = &tables->copies[row];
        if (have->direction == op->direction && have->host_mem == host_mem &&
            have->device == op->device)
            break;
    }
    if (row == WI_COPY_SLOTS) {
        row = 0;
    } else if (row == tables->copy_count) {
        tables->copy_count++;
        tables->copies[row] = (struct wi_copy_row){.direction = op->direction,
                                                   .host_mem = host_mem,
                                                   .device = op->device,
                                                   .call_ns = WI_UNKNOWN};
    }
    struct wi_copy_row *copy = &tables->copies[row];
    copy->count++;
    copy->bytes += op->bytes;
    copy->total_ns += op->end_ns - op->start_ns;
    if (call_ns != WI_UNKNOWN)
        copy->call_ns = copy->call_ns == WI_UNKNOWN ? call_ns : copy->call_ns + call_ns;
    return row;
}

static uint32_t shortest_gap(const struct wi_tables *tables)
{
    uint32_t shortest = 0;
    for (uint32_t i = 1; i < tables->gap_count; i++)
        if (tables->gaps[i].end_ns - tables->gaps[i].start_ns <
            tables->gaps[shortest].end_ns - tables->gaps[shortest].start_ns)
            shortest = i;
    return shortest;
}

void wi_tables_gap(struct wi_tables *tables, const struct wi_gap_row *gap)
{
    if (tables->gap_count < WI_GAP_SLOTS) {
        tables->gaps[tables->gap_count++] = *gap;
    } else if (gap->end_ns - gap->start_ns > tables->shortest_ns) {
        tables->gaps[shortest_gap(tables)] = *gap;
    } else {
        return;
    }
    const struct wi_gap_row *shortest = &tables->gaps[shortest_gap(tables)];
    tables->shortest_ns = shortest->end_ns - shortest->start_ns;
}

int wi_tables_wants_gap(const struct wi_tables *tables, int64_t ns)
{
    return tables->gap_count < WI_GAP_SLOTS || ns > tables->shortest_ns;
}
