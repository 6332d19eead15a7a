/* Estimates the time of an index from indices for fewer labels. */
#include "bench/simulation/index_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "dp/base/clock.h"

enum { PROBE_BUDGET = 16 }; /* with fewer labels there is no estimate */

/* Part of the limit. A shorter time is too noisy to predict one as long as the limit. */
static const double probe_share = 1e-3;

/* Processor time, so that a busy machine does not increase the estimate. */
static double work_seconds(int threads)
{
    return og_seconds_of_process() / threads;
}

typedef struct {
    double seconds;
    bool by_left;
} probe;

/* Build the ranks of the same problem with fewer labels. */
static og_status probe_index(const og_index_cost *cost, int32_t budget, probe *out,
                             og_message *message)
{
    og_groups smaller = *cost->problem;
    smaller.budget = budget;
    og_arms *arms = NULL;
    OG_TRY(og_arms_new(&smaller, cost->settings, &arms, message));
    double begun = work_seconds(cost->settings->threads);
    bool by_left = false;
    og_status status = cost->make(cost->user, arms, &by_left, message);
    if (status == OG_OK) {
        *out = (probe){work_seconds(cost->settings->threads) - begun, by_left};
    }
    og_arms_free(arms);
    return status;
}

static og_status refuse_memory(const og_index_cost *cost, int32_t labels, int32_t arm_count,
                               og_message *message)
{
    /* Bytes for the index and the rank of a node, for each number of labels left. */
    const double row_bytes = sizeof(double) + sizeof(uint32_t);
    double bytes = row_bytes * arm_count * labels * labels * labels / 6;
    if (bytes <= (double)cost->settings->memory_bytes) {
        return OG_OK;
    }
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "its index for %" PRId32 " labels takes %s; the limit is %s", labels,
                          og_bytes_format((uint64_t)fmin(bytes, 0x1p63), need),
                          og_bytes_format(cost->settings->memory_bytes, limit));
}

static og_status refuse_time(const og_index_cost *cost, int32_t budget, double seconds,
                             og_message *message)
{
    double limit = cost->seconds_max;
    if (limit <= 0 || seconds <= limit) {
        return OG_OK;
    }
    char need[40];
    if (seconds < 600) {
        snprintf(need, sizeof need, "%.0f seconds", seconds);
    } else if (seconds < 36000) {
        snprintf(need, sizeof need, "%.0f minutes", seconds / 60);
    } else {
        snprintf(need, sizeof need, "%.3g hours", seconds / 3600);
    }
    return og_message_set(message, OG_STOPPED,
                          "its index for %" PRId32 " labels is forecast to take %s; the limit is "
                          "%.3g seconds",
                          budget, need, limit);
}

/* Extrapolate with the power law through two timings; the exponent is at least 2, as the tables
 * grow like the square of the budget. */
static double foretell(int32_t budget, double before, double seconds, int32_t at)
{
    double power = fmin(6, fmax(2, log2(seconds / before)));
    return seconds * pow((double)budget / at, power);
}

/* Decide if the index would take too long. Refuse it only if a second measurement of both sizes
 * agrees; use from each measurement the value in favour of the index. */
static og_status judge_time(const og_index_cost *cost, int32_t labels, double before, probe *seen,
                            int32_t at, og_message *message)
{
    double limit = cost->seconds_max;
    if (before <= 0 || seen->seconds <= 0 || seen->seconds < probe_share * limit ||
        refuse_time(cost, labels, foretell(labels, before, seen->seconds, at), NULL) == OG_OK) {
        return OG_OK;
    }
    probe half = {0, false}, again = {0, false};
    OG_TRY(probe_index(cost, at / 2, &half, message));
    OG_TRY(probe_index(cost, at, &again, message));
    seen->seconds = fmin(seen->seconds, again.seconds);
    return refuse_time(cost, labels,
                       foretell(labels, fmax(before, half.seconds), seen->seconds, at), message);
}

og_status og_index_cost_check(const og_index_cost *cost, int32_t labels, int32_t arm_count,
                              og_message *message)
{
    double before = 0;
    for (int32_t at = PROBE_BUDGET; at <= labels / 2; at *= 2) {
        probe seen = {0, false};
        OG_TRY(probe_index(cost, at, &seen, message));
        if (seen.by_left) {
            OG_TRY(refuse_memory(cost, labels, arm_count, message));
        }
        OG_TRY(judge_time(cost, labels, before, &seen, at, message));
        before = seen.seconds;
    }
    return OG_OK;
}
