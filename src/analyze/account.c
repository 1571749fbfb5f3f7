/* From ordered operations to charged time: every op moves its device's sweep on, every gap is
 * charged when the op that ends it is known (engine_state.h).
 * Threads: the engine's. May not: allocate, but a device at its first appearance. */
#include "analyze/engine_state.h"
#include "analyze/limits.h"
#include "analyze/rules.h"

/* Occurrence ids: calls count up from 1, gaps down from the top, operations without a call from
 * here. */
#define UNKNOWN_CALL ((uint64_t)1 << 62)

#define NO_ROW UINT32_MAX

static void add_underfilled(void *user, uint32_t row, int64_t ns)
{
    const struct wi_account *account = user;
    account->tables->kernels[row].underfilled_ns += ns;
}

/* Copy time with no kernel beside it: to the cause of that copy. */
static void add_exposed(void *user, struct wi_device *device, struct wi_active *copy, int64_t ns)
{
    const struct wi_account *account = user;
    if (copy->row != NO_ROW)
        account->tables->copies[copy->row].exposed_ns += ns;
    struct wi_sig_key key = {.device = device->info.device,
                             .subcause = copy->subcause,
                             .exposed_by = -1,
                             .api_after = copy->api,
                             .site_after = copy->site};
    struct wi_signature *sig = wi_ledger_get(account->ledger, &key);
    if (!sig) {
        account->ledger->spilled_ns += ns;
        device->subcause_ns[WI_SUB_UNDETERMINED] += ns;
        return;
    }
    wi_ledger_add(sig, copy->occurrence, WI_PORTION_UNSEEN, device->pos_ns, ns);
    wi_ledger_range(sig, copy->range, ns);
    if (!copy->exposed) {
        copy->exposed = 1;
        sig->copies++;
        sig->bytes += copy->bytes;
    }
}

static struct wi_device_rows rows_of(const struct wi_account *account)
{
    return (struct wi_device_rows){(void *)account, add_underfilled, add_exposed};
}

struct wi_device *wi_account_device(struct wi_engine *engine, int32_t id)
{
    for (uint32_t i = 0; i < engine->device_count; i++)
        if (engine->devices[i]->info.device == id)
            return engine->devices[i];
    if (engine->device_count == WI_DEVICE_SLOTS)
        return NULL;
    struct wi_device *device = wi_arena_alloc(&engine->arena, sizeof(*device));
    if (!device)
        return NULL;
    wi_device_init(device, id);
    engine->steps[engine->device_count] =
        wi_arena_alloc(&engine->arena, sizeof(struct wi_step_finder));
    engine->tunings[engine->device_count] =
        wi_arena_alloc(&engine->arena, sizeof(struct wi_tuning));
    engine->devices[engine->device_count++] = device;
    return device;
}

int64_t wi_account_window_start(const struct wi_engine *engine, int64_t first_op_ns)
{
    int64_t first = engine->calls.first_enter_ns;
    if (engine->config.imported || first == WI_UNKNOWN || first > first_op_ns)
        return first_op_ns;
    return first;
}

/* The latest sample that was taken by end_ns: the same one however late the gap is charged. NULL if
 * there is none. Remembers between which times that holds. */
static const struct wi_host_sample *latest_sample(struct wi_sample_sums *sums, int64_t end_ns)
{
    const struct wi_host_sample *best = NULL;
    uint64_t kept = sums->count < WI_RECENT_SAMPLES ? sums->count : WI_RECENT_SAMPLES;
    sums->until_ns = INT64_MAX;
    for (uint64_t i = 0; i < kept; i++) {
        const struct wi_host_sample *sample = &sums->recent[i];
        if (sample->at_ns > end_ns)
            sums->until_ns = sample->at_ns < sums->until_ns ? sample->at_ns : sums->until_ns;
        else if (!best || sample->at_ns > best->at_ns)
            best = sample;
    }
    sums->latest = best;
    return best;
}

static int64_t plus_known(int64_t sum, int64_t value)
{
    return value == WI_UNKNOWN ? sum : (sum == WI_UNKNOWN ? 0 : sum) + value;
}

/* That sample; starts and exits of child processes count from all samples of the gap: such a view
 * of it is made in `view`. Most gaps lie between two samples. */
static const struct wi_host_sample *sample_of(struct wi_sample_sums *sums, int64_t start_ns,
                                              int64_t end_ns, struct wi_host_sample *view)
{
    const struct wi_host_sample *best = sums->latest;
    if (!best || end_ns < best->at_ns || end_ns >= sums->until_ns)
        best = latest_sample(sums, end_ns);
    if (!best || best->at_ns <= start_ns)
        return best;
    int64_t starts = WI_UNKNOWN, exits = WI_UNKNOWN;
    uint64_t kept = sums->count < WI_RECENT_SAMPLES ? sums->count : WI_RECENT_SAMPLES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct wi_host_sample *sample = &sums->recent[i];
        if (sample->at_ns > end_ns || sample->at_ns <= start_ns)
            continue;
        starts = plus_known(starts, sample->child_starts);
        exits = plus_known(exits, sample->child_exits);
    }
    *view = *best;
    view->child_starts = starts == WI_UNKNOWN ? best->child_starts : starts;
    view->child_exits = exits == WI_UNKNOWN ? best->child_exits : exits;
    return view;
}

static struct wi_charge charge_of(const struct wi_account *account, struct wi_device *device,
                                  const struct wi_host_sample *sample, uint64_t occurrence)
{
    struct wi_engine *engine = account->engine;
    return (struct wi_charge){
        .calls = &engine->calls,
        .ledger = account->ledger,
        .sample = sample,
        .device = device,
        .devices = engine->devices,
        .device_count = engine->device_count,
        .blind = engine->blind,
        .blind_count = engine->blind_count < WI_BLIND_SLOTS ? engine->blind_count : WI_BLIND_SLOTS,
        .occurrence = occurrence,
        .before_first_op = !device->used || !device->busy_count};
}

static void charge_gap(const struct wi_account *account, struct wi_device *device, int64_t end_ns,
                       const struct wi_gap_end *how, uint64_t occurrence)
{
    int64_t start_ns = device->gap_start_ns;
    struct wi_host_sample view;
    const struct wi_host_sample *sample =
        sample_of(&account->engine->samples, start_ns, end_ns, &view);
    struct wi_charge charge = charge_of(account, device, sample, occurrence);
    charge.start_ns = start_ns;
    wi_charge_gap(&charge, start_ns, end_ns, how);
    if (device->bad_since_ns != WI_UNKNOWN && device->bad_since_ns < end_ns)
        device->bad_since_ns = WI_UNKNOWN;
    wi_device_close_gap(device);
    if (!wi_tables_wants_gap(account->tables, end_ns - start_ns))
        return;
    struct wi_gap_row gap = {device->info.device, start_ns, end_ns, WI_SUB_UNDETERMINED};
    if (charge.main_sig && charge.main_sig->key.subcause != WI_UNDECIDED) {
        gap.subcause = (enum wi_subcause)charge.main_sig->key.subcause;
    } else if (charge.main_sig) {
        struct wi_evidence evidence = wi_evidence_of(charge.main_sig, charge.main_portion, NULL);
        gap.subcause = wi_rule_match(&evidence)->subcause;
    }
    wi_tables_gap(account->tables, &gap);
}

static enum wi_subcause cause_of_copy(struct wi_engine *engine, const struct wi_device_op *op,
                                      uint32_t slot)
{
    struct wi_host_sample view;
    const struct wi_host_sample *sample =
        sample_of(&engine->samples, op->start_ns, op->start_ns, &view);
    struct wi_copy_facts facts = {
        .bytes = (int64_t)op->bytes,
        .run_copies = 1,
        .direction = op->direction,
        .pageable = op->src_mem == WI_MEM_PAGEABLE || op->dst_mem == WI_MEM_PAGEABLE,
        .managed = op->src_mem == WI_MEM_MANAGED || op->dst_mem == WI_MEM_MANAGED ||
                   op->direction == WI_COPY_MANAGED_H2D || op->direction == WI_COPY_MANAGED_D2H,
        .link_share = wi_copy_link_share(sample, (int64_t)op->bytes, op->end_ns - op->start_ns)};
    if (slot != WI_NO_SLOT) {
        const struct wi_call_slot *call = &engine->calls.slots[slot];
        facts.run_copies = wi_copy_facts_of(&engine->calls, call).run_copies;
        facts.blocking = wi_call_blocked(call);
        facts.repeated = call->repeated;
    }
    return wi_copy_cause(&facts);
}

static int64_t duration_of(const struct wi_call_slot *slot)
{
    return slot ? slot->call.exit_ns - slot->call.enter_ns : WI_UNKNOWN;
}

/* The op as the sweep sees it, entered into the tables. */
static struct wi_active activate(struct wi_engine *engine, struct wi_device *device,
                                 const struct wi_device_op *op, uint32_t slot)
{
    const struct wi_call_slot *call = slot == WI_NO_SLOT ? NULL : &engine->calls.slots[slot];
    struct wi_active active = {.end_ns = op->end_ns, .bytes = op->bytes, .waves = -1};
    if (call) {
        active.api = call->call.api;
        active.site = call->call.site;
        active.range = call->call.range;
    }
    switch (op->kind) {
    case WI_OP_KERNEL:
        device->kernels++;
        active.kind = op->flags & WI_OP_COLLECTIVE ? WI_ACTIVE_COLLECTIVE : WI_ACTIVE_KERNEL;
        active.waves = wi_device_waves(&device->info, op);
        engine->coverage.unknown_fill += active.kind == WI_ACTIVE_KERNEL && active.waves < 0;
        active.row = wi_tables_kernel(engine->tables, op);
        if (op->flags & WI_OP_COLLECTIVE)
            wi_collectives_add(&engine->tables->collectives, op);
        break;
    case WI_OP_GRAPH:
        device->graphs++;
        active.kind = WI_ACTIVE_GRAPH;
        active.row = wi_tables_kernel(engine->tables, op);
        break;
    case WI_OP_MEMSET:
        device->memsets++;
        active.kind = WI_ACTIVE_MEMSET;
        break;
    default:
        active.kind = wi_copy_crosses(op->direction) ? WI_ACTIVE_COPY : WI_ACTIVE_LOCAL_COPY;
        active.subcause = (uint8_t)cause_of_copy(engine, op, slot);
        active.row = NO_ROW;
        if (op->flags & WI_OP_PEER)
            break;
        device->copies++;
        active.row = wi_tables_copy(engine->tables, op, duration_of(call));
        break;
    }
    if (op->flags & WI_OP_BAD_TIMES)
        active.kind = WI_ACTIVE_BAD;
    return active;
}

static uint32_t join_call(struct wi_engine *engine, const struct wi_device_op *op, uint32_t slot)
{
    slot = wi_calls_find_again(&engine->calls, op->corr, slot);
    if (slot == WI_NO_SLOT || op->flags & WI_OP_PEER)
        return slot;
    wi_calls_join(&engine->calls, slot, op);
    engine->coverage.ops_matched++;
    if (op->start_ns < engine->calls.slots[slot].call.enter_ns)
        engine->coverage.negative_latency++;
    return slot;
}

/* An op of a device whose sweep has already passed its start: what it covers of the time that was
 * charged as blind is known now. */
static void take_late(struct wi_engine *engine, struct wi_device *device,
                      const struct wi_device_op *op)
{
    if (!device->used || op->start_ns >= device->pos_ns)
        return;
    engine->coverage.lost[WI_LOSS_LATE] += !(op->flags & WI_OP_PEER);
    int64_t end = op->end_ns < device->pos_ns ? op->end_ns : device->pos_ns;
    int64_t taken = wi_device_take_blind(device, op->start_ns, end);
    const struct wi_sig_key key = {
        .device = device->info.device, .subcause = WI_SUB_BLIND_INTERVAL, .exposed_by = -1};
    struct wi_signature *sig = taken ? wi_ledger_get(engine->ledger, &key) : NULL;
    if (sig)
        sig->portion_ns[WI_PORTION_UNSEEN] -= taken;
}

static uint32_t index_of(const struct wi_engine *engine, const struct wi_device *device)
{
    uint32_t i = 0;
    while (engine->devices[i] != device)
        i++;
    return i;
}

/* Is the operation only a trial? What a search did before it was known as one is made good. */
static enum wi_trying trying(struct wi_engine *engine, struct wi_device *device,
                             const struct wi_device_op *op, uint32_t slot)
{
    struct wi_tuning *tuning = engine->tunings[index_of(engine, device)];
    if (!tuning)
        return WI_TRYING_NOT;
    uint32_t segment = slot == WI_NO_SLOT ? 0 : engine->calls.slots[slot].segment;
    enum wi_trying trying = wi_tuning_op(tuning, engine->trials, segment, op);
    if (tuning->stretch == device->maybe_stretch && tuning->on) {
        device->subcause_ns[WI_SUB_COMPUTE] -= device->maybe_ns;
        device->subcause_ns[WI_SUB_AUTOTUNE] += device->maybe_ns;
    }
    if (tuning->stretch != device->maybe_stretch || tuning->on)
        device->maybe_ns = 0;
    device->maybe_stretch = tuning->stretch;
    return trying;
}

static void note_step(struct wi_engine *engine, const struct wi_device *device,
                      const struct wi_device_op *op)
{
    uint32_t i = index_of(engine, device);
    int64_t idle = device->gap_start_ns == WI_UNKNOWN ? 0 : op->start_ns - device->gap_start_ns;
    if (engine->steps[i])
        wi_steps_op(engine->steps[i], op, idle > 0 ? idle : 0);
}

/* Whose work it is: what follows the device's own threads and what is replayed. The share of a copy
 * on the other device is neither issued to it nor played twice. */
static enum wi_trying take_own(struct wi_engine *engine, struct wi_device *device,
                               const struct wi_device_op *op, uint32_t slot, double waves)
{
    const struct wi_call_slot *call = slot == WI_NO_SLOT ? NULL : &engine->calls.slots[slot];
    if (op->flags & WI_OP_PEER)
        return WI_TRYING_NOT;
    if (call)
        device->last_thread = call->thread_index;
    wi_reservoir_op(&engine->calls.reservoir, call ? call->kept : 0, call ? call->seq : 0, op,
                    waves, device->info.sms);
    return trying(engine, device, op, slot);
}

void wi_account_next(struct wi_engine *engine)
{
    struct wi_account account = {engine, engine->ledger, engine->tables};
    struct wi_device_rows rows = rows_of(&account);
    struct wi_op_entry entry;
    const struct wi_device_op *op = wi_op_queue_pop(&engine->queue, &entry);
    struct wi_device *device = wi_account_device(engine, op->device);
    int counts = !(op->flags & WI_OP_PEER);
    engine->coverage.ops += counts;
    if (!device) {
        engine->coverage.lost[WI_LOSS_THREADS] += counts;
        return;
    }
    uint32_t slot = join_call(engine, op, entry.call);
    take_late(engine, device, op);
    if (!device->used) {
        device->window_start_ns = wi_account_window_start(engine, op->start_ns);
        device->pos_ns = device->window_start_ns;
    }
    wi_device_advance(device, op->start_ns, &rows);
    note_step(engine, device, op);
    struct wi_active active = activate(engine, device, op, slot);
    active.trying = (uint8_t)take_own(engine, device, op, slot, active.waves);
    int between = device->trying == WI_TRYING && active.trying == WI_TRYING;
    device->trying = active.trying;
    active.occurrence =
        slot == WI_NO_SLOT ? UNKNOWN_CALL + entry.number : engine->calls.slots[slot].seq;
    if (!wi_device_start(device, op, &active))
        return;
    struct wi_gap_end how = {
        .slot = slot, .graph_node = !!(op->flags & WI_OP_GRAPH_NODE), .trying = between};
    charge_gap(&account, device, device->pos_ns, &how, UINT64_MAX - engine->gaps++);
}

void wi_account_end(const struct wi_account *account, struct wi_device *device, int64_t end_ns)
{
    struct wi_device_rows rows = rows_of(account);
    wi_device_end_span(device, &rows);
    if (end_ns > device->pos_ns)
        wi_device_advance(device, end_ns, &rows);
    if (device->gap_start_ns == WI_UNKNOWN || device->gap_start_ns >= device->pos_ns)
        return;
    struct wi_gap_end how = {.slot = WI_NO_SLOT, .trailing = 1};
    charge_gap(account, device, device->pos_ns, &how, UINT64_MAX - account->engine->gaps);
}

void wi_account_bad(struct wi_engine *engine, const struct wi_device_op *op)
{
    struct wi_device *device = wi_account_device(engine, op->device);
    uint32_t slot = wi_calls_find(&engine->calls, op->corr);
    int counts = !(op->flags & WI_OP_PEER);
    engine->coverage.ops += counts;
    engine->coverage.lost[WI_LOSS_BAD_CLOCK] += counts;
    if (!device || slot == WI_NO_SLOT)
        return;
    engine->coverage.ops_matched += counts;
    int64_t since = engine->calls.slots[slot].call.enter_ns;
    if (device->bad_since_ns == WI_UNKNOWN || since < device->bad_since_ns)
        device->bad_since_ns = since;
}
