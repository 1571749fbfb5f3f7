/* Long C++ names in few columns. Expected texts are written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/pretty_names.h"
#include "report/short_name.h"

#define KERNEL                                                                                     \
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<std::pair<int, "    \
    "float> >, std::array<char*, 1ul> >(int, at::native::FillFunctor<int>, std::array<char*, 1>)"

static void shows(const char *text, int columns, const char *wanted)
{
    char got[1200];
    struct wi_out out;
    wi_out_mem(&out, got, sizeof(got));
    wi_put_short_name(&out, text, columns);
    wi_out_finish(&out);
    assert_string_equal(got, wanted);
}

static void bare_is(const char *text, const char *wanted)
{
    char got[1200];
    struct wi_out out;
    wi_out_mem(&out, got, sizeof(got));
    wi_put_bare_name(&out, text);
    wi_out_finish(&out);
    assert_string_equal(got, wanted);
}

static void goes_step_by_step(void **state)
{
    (void)state;
    shows(KERNEL, 300, KERNEL);
    shows(KERNEL, 129,
          "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<std::pair<int, "
          "float> >, std::array<char*, 1ul> >");
    shows(KERNEL, 110,
          "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<...>, "
          "std::array<...> >");
    shows(KERNEL, 60, "at::native::vectorized_elementwise_kernel<...>");
    shows(KERNEL, 40, "vectorized_elementwise_kernel<...>");
    shows(KERNEL, 20, "vectorized_elementw…");
}

static void leaves_others_alone(void **state)
{
    (void)state;
    shows("spin_ns", 42, "spin_ns");
    shows("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 42,
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    shows("a name that is no name of C++, and long", 12, "long");
    shows("", 10, "");
    shows("f<", 1, "…");
}

static void knows_brackets_that_are_none(void **state)
{
    (void)state;
    bare_is("bool ns::operator<<int>(ns::A<int> const&)", "ns::operator<<int>");
    bare_is("ns::A::operator()(int) const", "ns::A::operator()");
    bare_is("(anonymous namespace)::run(int)", "(anonymous namespace)::run");
    bare_is("void (anonymous namespace)::run<float>(float*)", "(anonymous namespace)::run<float>");
    bare_is("main", "main");
    bare_is("ns::A::step(int, char) [clone .part.0]", "ns::A::step");
    bare_is("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()");
}

/* What can be read without a demangler. */
static void reads_what_stands_there(void **state)
{
    (void)state;
    shows("_ZN2at6native6kernelILi4EfEEvPT_", 42, "at::native::kernel<...>");
    shows("_Z9train_onePfi", 42, "train_one");
    shows("_ZN12_GLOBAL__N_13runEv", 42, "(anonymous namespace)::run");
    shows("_ZN99short", 42, "_ZN99short");
    shows("_Z", 42, "_Z");
}

/* Any bytes: no crash, never wider than asked for. */
static void survives_anything(void **state)
{
    (void)state;
    static const char PIECES[] = "<>(){}[]:,* aZ_N1 9operator-&\xc3\xa9";
    char text[80];
    uint32_t random = 12345;
    for (int round = 0; round < 20000; round++) {
        size_t len = 0;
        for (; len < sizeof(text) - 1 && (random = random * 1664525 + 1013904223) >> 27; len++)
            text[len] = PIECES[(random >> 16) % (sizeof(PIECES) - 1)];
        text[len] = 0;
        char got[1200];
        struct wi_out out;
        wi_out_mem(&out, got, sizeof(got));
        wi_put_short_name(&out, text, 20);
        assert_true(out.col <= 20);
        wi_put_bare_name(&out, text);
        assert_int_equal(wi_out_finish(&out), 0);
    }
}

static char *pretend(const char *name, char *to, size_t *cap, int *status)
{
    (void)to;
    (void)cap;
    *status = strcmp(name, "_ZN1a1bEv") != 0;
    return *status ? NULL : strdup("void a::b(int)");
}

static void renames_a_result(void **state)
{
    (void)state;
    struct wi_names *names = wi_names_create(1 << 20);
    struct wi_kernel_row kernels[2] = {{.name = wi_names_str(names, "_ZN1a1bEv")},
                                       {.name = wi_names_str(names, "_ZN1a1cEv")}};
    struct wi_finding finding = {.site_after = wi_names_str(names, "b.cpp:7 in _ZN1a1bEv"),
                                 .site_before = wi_names_str(names, "_ZN1a1bEv+0x1f (x.so)"),
                                 .exposed_site = wi_names_str(names, "t.py:3 in a_Zb"),
                                 .kernel = kernels[0].name};
    struct wi_result result = {.finding_count = 1, .kernel_count = 2};
    struct wi_demangler with = {pretend, free};
    result.findings = &finding;
    result.kernels = kernels;
    wi_pretty_names(&result, names, &with);
    assert_string_equal(wi_names_text(names, kernels[0].name), "void a::b(int)");
    assert_string_equal(wi_names_text(names, kernels[1].name), "_ZN1a1cEv");
    assert_string_equal(wi_names_text(names, finding.kernel), "void a::b(int)");
    assert_string_equal(wi_names_text(names, finding.site_after), "b.cpp:7 in a::b");
    assert_string_equal(wi_names_text(names, finding.site_before), "a::b+0x1f (x.so)");
    assert_string_equal(wi_names_text(names, finding.exposed_site), "t.py:3 in a_Zb");
    wi_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_step_by_step),
        cmocka_unit_test(leaves_others_alone),
        cmocka_unit_test(knows_brackets_that_are_none),
        cmocka_unit_test(reads_what_stands_there),
        cmocka_unit_test(survives_anything),
        cmocka_unit_test(renames_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
