/* The sweep over one device's operations, see device.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/device.h"

#include <string.h>

#include "analyze/limits.h"

void wi_device_init(struct wi_device *device, int32_t id)
{
    memset(device, 0, sizeof(*device));
    device->info.device = id;
    device->window_start_ns = device->pos_ns = WI_UNKNOWN;
    device->gap_start_ns = WI_UNKNOWN;
    device->bad_since_ns = WI_UNKNOWN;
    device->last_thread = UINT32_MAX;
    device->line.start_ns = device->line.end_ns = WI_UNKNOWN;
}

static uint64_t min_known(uint64_t fit, uint64_t total, uint64_t each)
{
    if (!total || !each)
        return fit;
    uint64_t by = total / each;
    return by < fit ? by : fit;
}

double wi_device_waves(const struct wi_device_info *info, const struct wi_device_op *op)
{
    uint64_t blocks = (uint64_t)op->grid[0] * op->grid[1] * op->grid[2];
    uint64_t threads = (uint64_t)op->block[0] * op->block[1] * op->block[2];
    if (!blocks || !threads || !info->sms)
        return -1;
    threads = (threads + 31) / 32 * 32; /* whole warps */
    uint64_t fit = UINT64_MAX;
    fit = min_known(fit, info->threads_per_sm, threads);
    fit = min_known(fit, info->blocks_per_sm, 1);
    fit = min_known(fit, info->registers_per_sm, threads * op->registers);
    fit = min_known(fit, info->shared_bytes_per_sm, op->shared_bytes);
    if (!fit || fit == UINT64_MAX)
        fit = 1; /* nothing known of the SM: one block each, so that no kernel is blamed wrongly */
    return (double)blocks / ((double)info->sms * (double)fit);
}

struct now {
    unsigned kinds; /* bit n: an operation of kind n is there */
    double waves;
    int waves_unknown;
    int working; /* operations that are not tried out only */
    int maybe;
    struct wi_active *kernel, *copy; /* the first of each */
};

#define GRAPHS       (1u << WI_ACTIVE_GRAPH)
#define MEMSETS      (1u << WI_ACTIVE_MEMSET)
#define COLLECTIVES  (1u << WI_ACTIVE_COLLECTIVE)
#define LOCAL_COPIES (1u << WI_ACTIVE_LOCAL_COPY)
#define KERNELS      (1u << WI_ACTIVE_KERNEL | COLLECTIVES | GRAPHS)
#define COPIES       (1u << WI_ACTIVE_COPY | LOCAL_COPIES)

static int any(const struct now *now, unsigned kinds)
{
    return (now->kinds & kinds) != 0;
}

static struct now look(struct wi_device *device)
{
    struct now now = {0};
    for (uint32_t i = 0; i < device->active_count; i++) {
        struct wi_active *op = &device->active[i];
        now.kinds |= 1u << op->kind;
        now.working += op->trying != WI_TRYING;
        now.maybe += op->trying == WI_TRYING_MAYBE;
        if (op->kind == WI_ACTIVE_KERNEL) {
            now.waves_unknown |= op->waves < 0;
            now.waves += op->waves;
            now.kernel = now.kernel ? now.kernel : op;
        } else if (op->kind == WI_ACTIVE_COPY && !now.copy) {
            now.copy = op;
        }
    }
    return now;
}

/* The raw figures of [a, b): unions per kind, whatever the classes say. */
static void add_raw(struct wi_timeline *line, const struct now *now, int64_t ns)
{
    int kernels = any(now, KERNELS), copies = any(now, COPIES), memsets = any(now, MEMSETS);
    line->kernel_ns += kernels ? ns : 0;
    line->copy_ns += copies ? ns : 0;
    line->memset_ns += memsets ? ns : 0;
    line->exposed_ns += !kernels && (copies || memsets) ? ns : 0;
}

/* The class of a busy stretch: the first that holds, in this order. */
static void charge_busy(struct wi_device *device, const struct wi_device_rows *rows, int64_t a,
                        int64_t b)
{
    struct now now = look(device);
    int64_t ns = b - a;
    add_raw(&device->line, &now, ns);
    if (!now.working) {
        device->subcause_ns[WI_SUB_AUTOTUNE] += ns;
        wi_series_add(&device->series, WI_SERIES_COMPUTE, a, b);
        return;
    }
    int full = now.kernel && (now.waves_unknown || now.waves * WI_LIMIT_FILL_WAVES_INVERSE >= 1);
    enum wi_series_kind kind = WI_SERIES_TRANSFER;
    if (full || any(&now, GRAPHS | MEMSETS | LOCAL_COPIES)) {
        kind = WI_SERIES_COMPUTE;
        device->subcause_ns[WI_SUB_COMPUTE] += ns;
        device->maybe_ns += now.maybe == (int)device->active_count ? ns : 0;
    } else if (now.kernel) {
        kind = WI_SERIES_UNDER_FILLED;
        device->subcause_ns[WI_SUB_UNDER_FILLED] += ns;
        rows->underfilled(rows->user, now.kernel->row, ns);
    } else if (any(&now, COLLECTIVES)) {
        kind = WI_SERIES_COMMUNICATION;
        device->subcause_ns[WI_SUB_EXPOSED_COLLECTIVE] += ns;
    } else if (now.copy) {
        rows->exposed(rows->user, device, now.copy, ns);
    } else {
        device->subcause_ns[WI_SUB_BLIND_INTERVAL] += ns;
    }
    wi_series_add(&device->series, kind, a, b);
}

static void note_busy(struct wi_device *device, int64_t a, int64_t b)
{
    struct wi_busy_span *last = &device->busy[(device->busy_count - 1) % WI_BUSY_SPANS];
    if (device->busy_count && a - last->end_ns <= WI_LIMIT_BUSY_JOIN_NS)
        last->end_ns = b;
    else
        device->busy[device->busy_count++ % WI_BUSY_SPANS] = (struct wi_busy_span){a, b};
}

static uint32_t first_to_end(const struct wi_device *device)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < device->active_count; i++)
        if (device->active[i].end_ns < device->active[first].end_ns)
            first = i;
    return first;
}

void wi_device_advance(struct wi_device *device, int64_t t_ns, const struct wi_device_rows *rows)
{
    if (device->pos_ns == WI_UNKNOWN)
        return;
    while (device->active_count && device->pos_ns < t_ns) {
        uint32_t first = first_to_end(device);
        int64_t end = device->active[first].end_ns;
        int64_t to = end < t_ns ? end : t_ns;
        if (to > device->pos_ns) {
            charge_busy(device, rows, device->pos_ns, to);
            note_busy(device, device->pos_ns, to);
            device->pos_ns = to;
        }
        if (end <= t_ns)
            device->active[first] = device->active[--device->active_count];
    }
    if (device->pos_ns < t_ns) {
        if (device->gap_start_ns == WI_UNKNOWN)
            device->gap_start_ns = device->pos_ns;
        if (device->line.start_ns != WI_UNKNOWN)
            device->raw_idle_ns += t_ns - device->pos_ns;
        wi_series_add(&device->series, WI_SERIES_IDLE, device->pos_ns, t_ns);
        device->pos_ns = t_ns;
    }
}

static void end_raw_gap(struct wi_device *device)
{
    int64_t ns = device->raw_idle_ns;
    if (!ns)
        return;
    device->line.idle_ns += ns;
    device->line.gaps++;
    if (ns > device->line.longest_gap_ns)
        device->line.longest_gap_ns = ns;
    device->raw_idle_ns = 0;
}

static void add_active(struct wi_device *device, const struct wi_active *active)
{
    if (device->active_count < WI_ACTIVE_OPS) {
        device->active[device->active_count++] = *active;
        return;
    }
    for (uint32_t i = 0; i < device->active_count; i++) {
        struct wi_active *other = &device->active[i];
        if (other->kind == active->kind || i + 1 == device->active_count) {
            other->end_ns = active->end_ns > other->end_ns ? active->end_ns : other->end_ns;
            return;
        }
    }
}

int wi_device_start(struct wi_device *device, const struct wi_device_op *op,
                    const struct wi_active *active)
{
    device->used = 1;
    if (device->pos_ns == WI_UNKNOWN)
        device->pos_ns = op->start_ns;
    if (device->line.start_ns == WI_UNKNOWN)
        device->line.start_ns = op->start_ns;
    if (device->line.end_ns == WI_UNKNOWN || op->end_ns > device->line.end_ns)
        device->line.end_ns = op->end_ns;
    if (op->end_ns <= device->pos_ns)
        return 0; /* covers nothing that is not charged yet */
    end_raw_gap(device);
    add_active(device, active);
    return device->gap_start_ns != WI_UNKNOWN;
}

void wi_device_close_gap(struct wi_device *device)
{
    device->gap_start_ns = WI_UNKNOWN;
}

void wi_device_end_span(struct wi_device *device, const struct wi_device_rows *rows)
{
    if (!device->used)
        return;
    wi_device_advance(device, device->line.end_ns, rows);
    end_raw_gap(device);
}

static int64_t overlap(int64_t a_start, int64_t a_end, int64_t b_start, int64_t b_end)
{
    int64_t start = a_start > b_start ? a_start : b_start;
    int64_t end = a_end < b_end ? a_end : b_end;
    return end > start ? end - start : 0;
}

int64_t wi_device_busy_in(const struct wi_device *device, int64_t start_ns, int64_t end_ns)
{
    int64_t total = 0, running_until = device->pos_ns;
    uint32_t kept = device->busy_count < WI_BUSY_SPANS ? device->busy_count : WI_BUSY_SPANS;
    for (uint32_t i = 0; i < kept; i++)
        total += overlap(device->busy[i].start_ns, device->busy[i].end_ns, start_ns, end_ns);
    for (uint32_t i = 0; i < device->active_count; i++) /* not charged yet */
        if (device->active[i].end_ns > running_until)
            running_until = device->active[i].end_ns;
    return total + overlap(device->pos_ns, running_until, start_ns, end_ns);
}

void wi_device_note_blind(struct wi_device *device, int64_t start_ns, int64_t end_ns)
{
    device->blind[device->blind_count++ % WI_BUSY_SPANS] = (struct wi_busy_span){start_ns, end_ns};
}

int64_t wi_device_take_blind(struct wi_device *device, int64_t start_ns, int64_t end_ns)
{
    int64_t total = 0;
    uint32_t kept = device->blind_count < WI_BUSY_SPANS ? device->blind_count : WI_BUSY_SPANS;
    for (uint32_t i = 0; i < kept; i++) {
        struct wi_busy_span *blind = &device->blind[i];
        int64_t a = blind->start_ns > start_ns ? blind->start_ns : start_ns;
        int64_t b = blind->end_ns < end_ns ? blind->end_ns : end_ns;
        if (b <= a)
            continue;
        total += b - a;
        if (a == blind->start_ns)
            blind->start_ns = b; /* the part behind stays; one before it stays with the rest */
        else
            blind->end_ns = a;
    }
    device->subcause_ns[WI_SUB_COMPUTE] += total;
    device->line.kernel_ns += total;
    device->line.idle_ns -= total;
    return total;
}
