/*
 * Answers become weights: what is checked here is what somebody else's function may get wrong, so
 * every mistake is a status with a message.
 */
#include "dp/engine/strategy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "dp/base/arena.h"

void og_strategy_free(og_strategy *strategy)
{
    if (strategy->free != NULL) {
        strategy->free(strategy->self);
    }
    memset(strategy, 0, sizeof *strategy);
}

static og_status check(og_answer kind, int32_t count, const double *answer, og_message *message)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        if (kind == OG_ANSWER_INDEX && isnan(answer[i])) {
            return og_message_set(message, OG_FAILED, "the policy's index of act %ld is no number",
                                  (long)i);
        }
        if (kind == OG_ANSWER_WEIGHTS && !(answer[i] >= 0 && isfinite(answer[i]))) {
            return og_message_set(message, OG_FAILED,
                                  "the policy's weight of act %ld is %g; weights are at least 0",
                                  (long)i, answer[i]);
        }
        sum += answer[i];
    }
    if (kind == OG_ANSWER_WEIGHTS && !(sum > 0 && isfinite(sum))) {
        return og_message_set(message, OG_FAILED, "the policy's weights add up to %g", sum);
    }
    return OG_OK;
}

og_status og_strategy_weigh(const og_strategy *by, og_answer kind, og_ties ties,
                            const og_open *open, int32_t count, double *answer, int32_t *apart,
                            og_message *message)
{
    assert(count > 0 && by->tie >= 0 && by->tie_relative >= 0);
    OG_TRY(check(kind, count, answer, message));
    *apart = 0;
    if (kind == OG_ANSWER_WEIGHTS) {
        return OG_OK;
    }
    double best = answer[0];
    for (int32_t i = 1; i < count; i++) {
        best = fmax(best, answer[i]);
    }
    double relative = by->tie_relative > 0 && isfinite(best) ? by->tie_relative * fabs(best) : 0;
    double least = best - by->tie - relative;
    bool taken = false;
    for (int32_t i = 0; i < count; i++) {
        bool tied = answer[i] >= least;
        *apart += tied && answer[i] != best;
        answer[i] = tied && !(taken && ties == OG_TIES_FIRST) ? (double)open[i].copies : 0;
        taken = taken || tied;
    }
    return OG_OK;
}

og_status og_strategy_picks(const og_strategy *by, const void *state, const og_open *open,
                            int32_t count, bool *pick, og_message *message)
{
    og_arena arena = {0};
    void *scratch = og_arena_array(&arena, by->scratch_bytes, 1);
    void *belief = og_arena_array(&arena, by->belief_bytes, 1);
    double *answer = og_arena_array(&arena, (size_t)count, sizeof *answer);
    og_answer kind = OG_ANSWER_INDEX;
    int32_t apart;
    og_status status = og_arena_status(&arena);
    if (status == OG_OK && by->begin != NULL) {
        status = by->begin(by->self, scratch, belief, message);
    }
    OG_THEN(status,
            by->choose(by->self, scratch, state, belief, open, count, answer, &kind, message));
    OG_THEN(status,
            og_strategy_weigh(by, kind, OG_TIES_RANDOM, open, count, answer, &apart, message));
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = answer[i] > 0;
    }
    og_arena_clear(&arena);
    return status;
}
