/*
 * Turns answers into weights. A user-defined function may answer wrongly, so every mistake found
 * here is a status with a message.
 */
#include "dp/engine/strategy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/ties.h"

void og_strategy_free(og_strategy *strategy)
{
    if (strategy->free != NULL) {
        strategy->free(strategy->self);
    }
    memset(strategy, 0, sizeof *strategy);
}

static og_status begin_names(void *self, void *scratch, void *belief, og_message *message)
{
    (void)self, (void)scratch, (void)message;
    memset(belief, 0, sizeof(uint64_t));
    return OG_OK;
}

static double learn_names(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                          int32_t branch, void *after)
{
    (void)self, (void)view, (void)act, (void)answer, (void)branch;
    memset(after, 0, sizeof(uint64_t));
    return 1;
}

void og_strategy_keep_names(og_strategy *by)
{
    by->belief_bytes = sizeof(uint64_t);
    by->begin = begin_names;
    by->learn = learn_names;
}

og_status og_strategy_begin(const og_strategy *by, void *scratch, void *belief, og_message *message)
{
    if (by->begin == NULL) {
        return OG_OK;
    }
    OG_TRY(by->begin(by->self, scratch, belief, message));
    if (by->told_count == 0) {
        return OG_OK;
    }
    assert(by->branches_max <= 1);
    og_arena arena = {0};
    void *before = og_arena_array(&arena, by->belief_bytes, 1);
    const og_strategy_view view = {.scratch = scratch, .belief = before};
    og_status status = og_arena_status(&arena);
    for (int32_t k = 0; status == OG_OK && k < by->told_count; k++) {
        const og_told *one = &by->told[k];
        memcpy(before, belief, by->belief_bytes);
        if (!(by->learn(by->self, &view, one->act, one->answer, 0, belief) > 0)) {
            status = og_message_set(message, OG_FAILED,
                                    "a belief leaves the range of doubles after label %d of the "
                                    "history",
                                    k + 1);
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* The largest weight gets this exponent. That leaves room below for weights 2^1900 times smaller,
 * and above for the products with values and for their sums. */
enum { TOP_EXPONENT = 900 };

static og_status scale(int32_t count, double *weight, const char *what, og_message *message)
{
    double top = 0;
    int exponent;
    for (int32_t i = 0; i < count; i++) {
        top = fmax(top, weight[i]);
    }
    if (top == 0) {
        return og_message_set(message, OG_FAILED, "the policy's weights add up to 0");
    }
    frexp(top, &exponent);
    for (int32_t i = 0; i < count; i++) {
        double scaled = ldexp(weight[i], TOP_EXPONENT - exponent);
        if (ldexp(scaled, exponent - TOP_EXPONENT) != weight[i]) {
            return og_message_set(
                message, OG_FAILED,
                "the policy's weight of %s %ld, %g, is too small beside %g; make it 0 or larger",
                what, (long)i, weight[i], top);
        }
        weight[i] = scaled;
    }
    return OG_OK;
}

og_status og_answer_check(og_answer kind, int32_t count, double *answer, const char *what,
                          og_message *message)
{
    for (int32_t i = 0; i < count; i++) {
        if (kind == OG_ANSWER_INDEX && isnan(answer[i])) {
            return og_message_set(message, OG_FAILED,
                                  "the policy's index of %s %ld is not a number (NaN)", what,
                                  (long)i);
        }
        if (kind == OG_ANSWER_WEIGHTS && !(answer[i] >= 0 && isfinite(answer[i]))) {
            return og_message_set(message, OG_FAILED,
                                  "the policy's weight of %s %ld must be at least 0, not %g", what,
                                  (long)i, answer[i]);
        }
    }
    return kind == OG_ANSWER_WEIGHTS ? scale(count, answer, what, message) : OG_OK;
}

og_status og_stopping_check(og_answer kind, double *stop, og_message *message)
{
    const bool weighs = kind == OG_ANSWER_WEIGHTS;
    *stop = weighs && *stop == -INFINITY ? 0 : *stop;
    return !isnan(*stop) && !(weighs && (*stop < 0 || isinf(*stop)))
               ? OG_OK
               : og_message_set(message, OG_FAILED,
                                weighs
                                    ? "the policy's weight of stopping must be at least 0, not %g"
                                    : "the policy's index of stopping is not a number (%g)",
                                *stop);
}

double og_strategy_least(const og_strategy *by, double largest)
{
    assert(by->tie >= 0 && by->tie_relative >= 0);
    return og_tie_least(largest, by->tie_relative) - by->tie;
}

og_status og_strategy_weigh(const og_strategy *by, og_answer kind, og_ties ties,
                            const og_act_open *open, int32_t count, double *answer, int32_t *apart,
                            og_message *message)
{
    assert(count > 0);
    OG_TRY(og_stopping_check(kind, &answer[count], message));
    OG_TRY(og_answer_check(kind, count + 1, answer, "act", message));
    *apart = 0;
    if (kind == OG_ANSWER_WEIGHTS) {
        return OG_OK;
    }
    double best = answer[0];
    for (int32_t i = 1; i < count; i++) {
        best = fmax(best, answer[i]);
    }
    double least = og_strategy_least(by, best);
    bool taken = answer[count] >= least, stops = taken;
    *apart += stops && answer[count] < best;
    answer[count] = stops;
    for (int32_t i = 0; i < count; i++) {
        bool tied = answer[i] >= least && !stops;
        *apart += tied && answer[i] != best;
        answer[i] = tied && !(taken && ties == OG_TIES_FIRST) ? (double)open[i].copies : 0;
        taken = taken || tied;
    }
    return OG_OK;
}

og_status og_strategy_choose_any(void *self, const og_strategy_view *view, double *answer,
                                 og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = (double)view->open[i].copies;
    }
    *kind = OG_ANSWER_WEIGHTS;
    return OG_OK;
}

og_status og_strategy_picks(const og_strategy *by, og_strategy_view view, bool *pick, double *index,
                            og_message *message)
{
    const int32_t count = view.count;
    og_arena arena = {0};
    if (count == 0) {
        return OG_OK;
    }
    view.scratch = og_arena_array(&arena, by->scratch_bytes, 1);
    void *belief = og_arena_array(&arena, by->belief_bytes, 1);
    double *answer = og_arena_array(&arena, (size_t)count + 1, sizeof *answer);
    view.belief = belief;
    og_answer kind = OG_ANSWER_INDEX;
    int32_t apart;
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_strategy_begin(by, view.scratch, belief, message));
    if (status == OG_OK) {
        answer[count] = -INFINITY;
        status = by->choose(by->self, &view, answer, &kind, message);
    }
    if (status == OG_OK && index != NULL) {
        memcpy(index, answer, (size_t)count * sizeof *index);
    }
    OG_THEN(status,
            og_strategy_weigh(by, kind, OG_TIES_RANDOM, view.open, count, answer, &apart, message));
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = answer[i] > 0;
    }
    og_arena_clear(&arena);
    return status;
}
