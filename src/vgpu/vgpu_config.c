/* Reads the model's numbers and the kernel profile from the environment, once.
 * Threads: any; the first caller reads. May not: fail, a bad line is told on stderr and skipped. */
#include "vgpu_config.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule {
    char pattern[256];
    bool from_argument;
    double scale_ns; /* the duration, or what the first argument is multiplied with */
};

static struct {
    pthread_once_t once;
    struct vg_config config;
    int visible[16], visible_count;
    struct rule *rules;
    int rule_count;
} state = {.once = PTHREAD_ONCE_INIT};

static int64_t read_number(const char *name, int64_t def, int64_t low, int64_t high)
{
    const char *text = getenv(name);
    if (text == NULL || *text == 0) {
        return def;
    }
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end != 0) {
        fprintf(stderr, "virtual GPU: %s=%s is not a number, using %lld\n", name, text,
                (long long)def);
        return def;
    }
    return value < low ? low : value > high ? high : value;
}

static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].name) == 0) {
            return units[i].ns;
        }
    }
    return -1;
}

/* Parses "12.5us", "3 ms" or "arg0 ns". */
static bool parse_duration(const char *text, struct rule *rule)
{
    double value = 1;
    char unit[8] = "";
    if (sscanf(text, " arg0 %7s", unit) == 1) {
        rule->from_argument = true;
    } else if (sscanf(text, " %lf %7s", &value, unit) != 2) {
        return false;
    }
    rule->scale_ns = value * unit_ns(unit);
    return rule->scale_ns >= 0;
}

static void read_profile(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fprintf(stderr, "virtual GPU: cannot read the profile %s: %s\n", path, strerror(errno));
        return;
    }
    char line[512];
    for (int number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
        struct rule rule = {.pattern = ""};
        int used = 0;
        line[strcspn(line, "#\n")] = 0;
        if (sscanf(line, " %255s %n", rule.pattern, &used) < 1) {
            continue;
        }
        struct rule *grown = realloc(state.rules, (state.rule_count + 1) * sizeof(rule));
        if (grown == NULL || !parse_duration(line + used, &rule)) {
            fprintf(stderr, "virtual GPU: %s:%d: not `pattern duration`\n", path, number);
            state.rules = grown != NULL ? grown : state.rules;
            continue;
        }
        state.rules = grown;
        state.rules[state.rule_count++] = rule;
    }
    fclose(file);
}

/* As the real driver: a list of ordinals that ends at the first one that does not exist. */
static void read_visible(void)
{
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    for (int i = 0; i < state.config.devices && text == NULL; i++) {
        state.visible[state.visible_count++] = i;
    }
    while (text != NULL && state.visible_count < 16) {
        char *end = NULL;
        long device = strtol(text, &end, 10);
        if (end == text || device < 0 || device >= state.config.devices) {
            break;
        }
        state.visible[state.visible_count++] = (int)device;
        text = *end == ',' ? end + 1 : end;
    }
}

static void read_all(void)
{
#define MODEL(id, name, def, low, high, unit, sentence)                                            \
    state.config.id = read_number(name, def, low, high);
#include "vgpu_model.def"
#undef MODEL
    read_visible();
    const char *profile = getenv("VGPU_PROFILE");
    if (profile != NULL && *profile != 0) {
        read_profile(profile);
    }
}

const struct vg_config *vg_config(void)
{
    pthread_once(&state.once, read_all);
    return &state.config;
}

int vg_device_count(void)
{
    vg_config();
    return state.visible_count;
}

int vg_machine_device(int device)
{
    return device >= 0 && device < vg_device_count() ? state.visible[device] : -1;
}

static uint64_t argument_ns(const void *first_argument, double scale_ns)
{
    int64_t value = 0;
    if (first_argument == NULL) {
        return (uint64_t)vg_config()->kernel_ns;
    }
    memcpy(&value, first_argument, sizeof(value));
    return value < 0 ? 0 : (uint64_t)((double)value * scale_ns);
}

uint64_t vg_kernel_duration_ns(const char *kernel, const void *first_argument)
{
    const struct vg_config *config = vg_config();
    for (int i = 0; i < state.rule_count; i++) {
        const struct rule *rule = &state.rules[i];
        if (fnmatch(rule->pattern, kernel, 0) == 0) {
            return rule->from_argument ? argument_ns(first_argument, rule->scale_ns)
                                       : (uint64_t)rule->scale_ns;
        }
    }
    if (strstr(kernel, "spin") != NULL && strstr(kernel, "ns") != NULL) {
        return argument_ns(first_argument, 1);
    }
    return (uint64_t)config->kernel_ns;
}
