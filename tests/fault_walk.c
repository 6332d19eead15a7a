#include "tests/fault_walk.h"

#include "tests/faults.h"
#include "tests/support.h"

void digest(outcome *out, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        out->digest = (out->digest ^ byte[i]) * UINT64_C(0x100000001b3);
    }
}

void digest_double(outcome *out, double value)
{
    digest(out, &value, sizeof value);
}

void digest_result(outcome *out, const og_result *result)
{
    digest_double(out, result->value);
    digest_double(out, result->gain);
    digest_double(out, result->error_bound);
}

enum { PATTERN = 0x5a };

void paint(void *object, size_t size)
{
    memset(object, PATTERN, size);
}

void check_paint(outcome *out, const void *object, size_t size)
{
    const unsigned char *byte = object;
    for (size_t i = 0; out->status != OG_OK && i < size; i++) {
        out->touched = out->touched || byte[i] != PATTERN;
    }
}

static outcome perform(const fault_scene *scene, int64_t first, bool on, faults_report *report)
{
    outcome out = {.status = OG_OK};
    if (scene->before != NULL) {
        scene->before();
    }
    faults_begin(FAULTS_ALL, first, on);
    if (scene->run != NULL) {
        scene->run(&out);
    } else {
        scene->run_with(&out, scene->with);
    }
    faults_end(report);
    return out;
}

static const char *describe(const fault_scene *scene, int64_t n, bool on,
                            const faults_report *report)
{
    static char text[256];
    snprintf(text, sizeof text, "%s, call %" PRId64 "%s (%s at 0x%" PRIx64 ")", scene->name, n,
             on ? " and all after it" : "", report->call, report->caller);
    return text;
}

static bool one_line(const char *text)
{
    return strnlen(text, OG_MESSAGE_BYTES) < OG_MESSAGE_BYTES && strchr(text, '\n') == NULL;
}

static void check_outcome(const fault_scene *scene, int64_t n, bool on, const outcome *expected,
                          const outcome *got, const faults_report *report)
{
    const char *where = describe(scene, n, on, report);
    ck_assert_msg(report->blocks == 0, "%s: %" PRId64 " blocks leaked, one from 0x%" PRIx64, where,
                  report->blocks, report->block_by);
    ck_assert_msg(report->files == 0, "%s: %" PRId64 " files left open", where, report->files);
    ck_assert_msg(!got->touched, "%s: an output was touched", where);
    const char *wrong = scene->after != NULL ? scene->after(got) : NULL;
    ck_assert_msg(wrong == NULL, "%s: %s (status %d: %s)", where, wrong, got->status,
                  got->message.text);
    ck_assert_msg(one_line(got->message.text), "%s: message \"%s\"", where, got->message.text);
    if (got->status == OG_OK) {
        ck_assert_msg(got->digest == expected->digest, "%s: another result", where);
        return;
    }
    ck_assert_msg(report->failed, "%s: status %d without a fault: %s", where, got->status,
                  got->message.text);
    /* og_memo_new has one word for beyond the limit and for what cannot be had. */
    bool memory = got->status == OG_NO_MEMORY || got->status == OG_STOPPED;
    bool is_file = strchr("fo", report->call[0]) != NULL || strcmp(report->call, "rename") == 0;
    bool file = got->status == OG_FAILED || got->status == OG_BAD_INPUT;
    ck_assert_msg(memory || (file && (is_file || on)), "%s: status %d: %s", where, got->status,
                  got->message.text);
    ck_assert_msg(got->status == OG_NO_MEMORY || got->message.text[0] != '\0',
                  "%s: status %d without a message", where, got->status);
}

/*
 * Every call of a short run. For a run with thousands of calls, which writes entry after entry,
 * only calls near its start and end and some between. Short tests use a smaller limit than
 * thousands.
 */
int64_t fault_stride(int64_t n, int64_t calls, bool on)
{
    enum { LONG = 3000, LONG_IF_SHORT = 1000, EACH = 100, SOME = 100 };
    int thousands = test_is_short() ? test_cases(LONG_IF_SHORT) : LONG;
    int some = test_is_short() ? test_cases(SOME) : SOME;
    int64_t each = calls < thousands ? calls : test_cases(EACH);
    int64_t between = n > each && n < calls - each ? (calls - 2 * each) / some + 1 : 1;
    return on ? 7 * between : between;
}

void fault_walk(const fault_scene *scene, bool on)
{
    faults_report report;
    outcome expected = perform(scene, 0, false, &report);
    ck_assert_msg(expected.status == OG_OK, "%s: %s", scene->name, expected.message.text);
    check_outcome(scene, 0, false, &expected, &expected, &report);
    int64_t calls = report.calls;
    ck_assert_msg(calls > 0, "%s: nothing can fail", scene->name);
    int64_t failed = 0;
    for (int64_t n = 1; n <= calls; n += fault_stride(n, calls, on)) {
        outcome got = perform(scene, n, on, &report);
        check_outcome(scene, n, on, &expected, &got, &report);
        failed += got.status != OG_OK;
        ck_assert_msg(report.failed || !scene->in_turn, "%s: no call %" PRId64, scene->name, n);
    }
    ck_assert_msg(failed > 0, "%s: no call matters", scene->name);
}

static const fault_scene *all_scenes;

START_TEST(each_call_may_fail)
{
    fault_walk(&all_scenes[_i], false);
}
END_TEST

START_TEST(all_calls_from_one_on_may_fail)
{
    fault_walk(&all_scenes[_i], true);
}
END_TEST

int fault_suite(const char *name, const fault_scene *scenes, int count, void (*before)(void),
                void (*after)(void))
{
    Suite *suite = suite_create(name);
    TCase *contract = test_group(suite, "contract", 600);
    all_scenes = scenes;
    tcase_add_checked_fixture(contract, before, after);
    tcase_add_loop_test(contract, each_call_may_fail, 0, count);
    tcase_add_loop_test(contract, all_calls_from_one_on_may_fail, 0, count);
    return test_run(suite);
}
