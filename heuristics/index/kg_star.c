/*
 * Computes kg-star [spec: max over 1 <= n <= r of the expected gain of n labels on this instance
 * alone, divided by n; Frazier and Powell, "Paradoxes in learning and the marginal value of
 * information", Decision Analysis 7 (2010)]. The gain of n labels is the expected sum of R over the
 * visited nodes,
 *
 *   g_n(x) = R(x) + sum_k p_k g_{n-1}(next_k),   index_r(x) = max(index_{r-1}(x), g_r(x) / r).
 *
 * Rounding. All terms are positive, and one level adds a relative error c = max(error of p, error
 * of R) + (m + 2) u for m outcomes, u the unit roundoff. To first order g_n has the error n c, and
 * the quotient adds u; the stated error is 2 c (r + 1). A nonzero gain is never stored below the
 * smallest normal number. This adds at most that number to g for each level, and so at most once to
 * g_n / n.
 * Checked by tests/test_index.c: index_is_the_definition_within_the_stated_error
 */
#include <float.h>
#include <math.h>

#include "heuristics/index/finite_horizon.h"

static void gain_of_labels(const og_stage *stage, const void *data)
{
    (void)data;
    /* Positive if a reward can be reached, since no prior gives a probability below 2^-50. */
    double gain = stage->expected > 0 ? fmax(stage->expected, DBL_MIN) : 0;
    *stage->value = gain;
    *stage->index = fmax(*stage->index, gain > 0 ? fmax(gain / stage->left, DBL_MIN) : 0);
}

static void exact_gain_of_labels(const og_exact_stage *stage, const void *data)
{
    (void)data;
    mpq_set(stage->value, stage->expected);
    mpz_mul_ui(mpq_denref(stage->expected), mpq_denref(stage->expected), (uint32_t)stage->left);
    mpq_canonicalize(stage->expected);
    if (mpq_cmp(stage->expected, stage->index) > 0) {
        mpq_set(stage->index, stage->expected);
    }
}

static og_status places(const og_index_job *job, const og_scored *scored, og_take_places *take,
                        void *sink)
{
    (void)scored;
    return og_stages_places(job, exact_gain_of_labels, NULL, take, sink);
}

og_status og_score_kg_star(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    OG_TRY(og_scored_init(job, true, false, out));
    OG_TRY(og_stages_score(job, gain_of_labels, NULL, out));
    double c = og_node_error(job->arms, 2);
    for (int32_t left = 1; left <= job->arms->budget; left++) {
        out->left_error[left] = out->index->error = 2 * c * (left + 1.0);
    }
    out->absolute = out->index->absolute_error = 2 * DBL_MIN;
    out->places = og_stages_exact_possible(job) ? places : NULL;
    return OG_OK;
}
