/* Settles near ties of doubles in fractions, which are set up when first needed. */
#include "dp/exact/near_tie.h"

#include <gmp.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "dp/exact/exact.h"

struct og_near_tie {
    const og_arms *arms;
    og_settings settings; /* of the fractions */
    og_exact *exact;      /* built when first needed */
    bool given_up;
};

og_status og_near_tie_new(const og_arms *arms, const og_settings *settings, uint64_t memory_bytes,
                          og_near_tie **out)
{
    og_near_tie *settler = calloc(1, sizeof *settler);
    OG_TRY(OG_ALLOCATED(settler));
    settler->arms = arms;
    settler->given_up = og_exact_check(arms, NULL) != OG_OK;
    og_settings_default(&settler->settings);
    settler->settings.threads = 1;
    settler->settings.memory_bytes = memory_bytes;
    settler->settings.states_max = OG_SETTLE_STATES;
    settler->settings = og_stop_settings(&settler->settings, og_stop_of(settings));
    *out = settler;
    return OG_OK;
}

static void mark_largest(mpq_t *q, int32_t count, bool *optimal)
{
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++) {
        best = mpq_cmp(q[i], q[best]) > 0 ? i : best;
    }
    for (int32_t i = 0; i < count; i++) {
        optimal[i] = mpq_equal(q[i], q[best]) != 0;
    }
}

og_status og_near_tie_settle(og_near_tie *settler, const og_state *state, bool *optimal,
                             bool *settled, og_message *message)
{
    og_message reason = {""};
    *settled = false;
    if (settler->given_up) {
        return OG_OK;
    }
    og_arena arena = {0};
    mpq_t *q = og_arena_fractions(&arena, (size_t)state->count);
    if (q == NULL) {
        og_arena_clear(&arena);
        return OG_NO_MEMORY;
    }
    og_status status = OG_OK;
    if (settler->exact == NULL) {
        status = og_exact_new(settler->arms, &settler->settings, &settler->exact, &reason);
    }
    OG_THEN(status, og_exact_q_at(settler->exact, state, q, &reason));
    *settled = status == OG_OK;
    if (status == OG_OK) {
        mark_largest(q, state->count, optimal);
    }
    og_arena_clear(&arena);
    settler->given_up = status != OG_OK;
    return status == OG_STOPPED && og_stop_status(og_stop_of(&settler->settings)) != OG_OK
               ? og_message_set(message, OG_STOPPED, "%s", reason.text)
               : OG_OK;
}

void og_near_tie_free(og_near_tie *settler)
{
    if (settler != NULL) {
        og_exact_free(settler->exact);
    }
    free(settler);
}

/* ---- equivalent instances ---- */

/* The parameters of an instance in a node of Betas: a, b and the threshold, and the payoff. False
 * for arms of other kinds. */
static bool describe(const og_arms *arms, const og_state_group *moved, og_fraction out[3],
                     og_payoff *payoff)
{
    const og_group *group = og_arm_group(arms->arm[moved->arm]);
    if (group == NULL) {
        return false;
    }
    og_arm_posterior(arms->arm[moved->arm], moved->node, out);
    out[2] = group->threshold;
    *payoff = group->payoff;
    return true;
}

static bool equal(og_fraction x, og_fraction y)
{
    return og_fraction_compare(x, y) == 0;
}

bool og_alike(const og_arms *arms, const og_state_group *x, const og_state_group *y)
{
    og_fraction of_x[3], of_y[3];
    og_payoff payoff_x, payoff_y;
    const og_arm *arm = arms->arm[x->arm];
    if (x->arm == y->arm && og_arm_alike(arm, x->node) == og_arm_alike(arm, y->node)) {
        return true;
    }
    if (!describe(arms, x, of_x, &payoff_x) || !describe(arms, y, of_y, &payoff_y)) {
        return false;
    }
    og_fraction mirror = {of_x[2].den - of_x[2].num, of_x[2].den};
    og_payoff mirror_payoff = og_payoff_mirror(&payoff_x);
    return (equal(of_x[0], of_y[0]) && equal(of_x[1], of_y[1]) && equal(of_x[2], of_y[2]) &&
            og_payoff_compare(&payoff_x, &payoff_y) == 0) ||
           (equal(of_x[0], of_y[1]) && equal(of_x[1], of_y[0]) && equal(mirror, of_y[2]) &&
            og_payoff_compare(&mirror_payoff, &payoff_y) == 0);
}
