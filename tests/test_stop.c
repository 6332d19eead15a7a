/* What ends the work: parts end with the whole, at their time, or by their states. */
#include "dp/base/stop.h"

#include "dp/base/clock.h"
#include "tests/support.h"

OG_SUITE(stop, 60);

typedef struct {
    int calls, stages;
    bool over;
    og_progress last;
    double share;
} caller;

static bool watch(void *user, const og_progress *progress)
{
    caller *by = user;
    by->calls++;
    by->last = *progress;
    return !by->over;
}

static void begins(void *user, const char *name, double share)
{
    caller *by = user;
    ck_assert_str_eq(name, "stage");
    by->stages++;
    by->share = share;
}

OG_TEST(parts_end_with_the_whole_and_keep_its_reason)
{
    caller by = {.over = true};
    og_stop call;
    og_stop_init(&call, watch, &by);
    og_stop part = og_stop_for(&call, 0), inner = og_stop_for(&part, 0);
    ck_assert(!og_stop_asked(&inner) && by.calls == 0); /* a moment for quick work */
    ck_assert_int_eq(og_stop_look(&inner), OG_LIMIT_INTERRUPT);
    ck_assert_int_eq(og_stop_look(&inner), OG_LIMIT_INTERRUPT);
    ck_assert_int_eq(by.calls, 1);
    ck_assert(og_stop_asked(&inner) && og_stop_status(&call) == OG_STOPPED);
    og_stop_extend(&inner, INFINITY);
    ck_assert_int_eq(og_stop_limit(&inner), OG_LIMIT_NONE);
    ck_assert_int_eq(og_stop_look(&inner), OG_LIMIT_INTERRUPT);
}

OG_TEST(the_end_of_a_part_is_not_that_of_the_whole)
{
    og_stop call;
    og_stop_init(&call, NULL, NULL);
    og_stop part = og_stop_part(&call, og_seconds() - 1), other = og_stop_for(&call, 0);
    ck_assert_int_eq(og_stop_look(&part), OG_LIMIT_TIME);
    ck_assert_int_eq(og_stop_look(&other), OG_LIMIT_NONE);
    ck_assert_int_eq(og_stop_limit(&call), OG_LIMIT_NONE);
    og_stop_extend(&part, INFINITY);
    ck_assert_int_eq(og_stop_look(&part), OG_LIMIT_NONE);
    og_stop_end(&part);
    ck_assert_int_eq(og_stop_look(&part), OG_LIMIT_INTERRUPT);
    ck_assert_int_eq(og_stop_limit(&call), OG_LIMIT_NONE);
}

OG_TEST(states_end_a_part_once_some_were_evicted)
{
    og_progress progress = {.states = 101};
    og_stop part = og_stop_for(NULL, 0);
    part.states_max = 100;
    ck_assert(og_stop_watch(&part, &progress));
    progress.forgotten = 1;
    ck_assert(!og_stop_watch(&part, &progress));
    ck_assert_int_eq(og_stop_limit(&part), OG_LIMIT_STATES);
    ck_assert(og_stop_watch(NULL, &progress) && !og_stop_asked(NULL));
}

OG_TEST(progress_reaches_the_caller_unless_the_part_is_quiet)
{
    caller by = {.calls = 0};
    og_stop call;
    og_settings settings = {.watch = watch, .watch_user = &by};
    og_stop_take(&call, &settings);
    call.stage = begins;
    ck_assert_ptr_eq(og_stop_of(&settings), &call);
    og_stop part = og_stop_for(&call, 0), quiet = og_stop_for(&part, 0);
    quiet.quiet = true;
    ck_assert(og_stop_watch(&part, &(og_progress){.states = 7, .seconds = 1e9}));
    ck_assert(by.calls == 1 && by.last.states == 7 && by.last.seconds < 1e6);
    ck_assert(og_stop_watch(&quiet, &(og_progress){.states = 8}));
    og_stop_tell(&quiet, "stage", 0.5);
    ck_assert(by.calls == 1 && by.stages == 0);
    og_stop_tell(&part, "stage", 0.5);
    ck_assert(by.stages == 1 && by.share == 0.5 && call.progress.settled == 0.5);
}
