/*
 * What doubles cannot tell apart, settled in fractions; they are made when they are first asked
 * for.
 */
#include "dp/exact/settle.h"

#include <gmp.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/exact/exact.h"

struct og_settler {
    const og_arms *arms;
    og_settings settings; /* of the fractions */
    og_exact *exact;      /* made when it is first needed */
    bool given_up;
    og_watch *watch; /* the caller's */
    void *watch_user;
    bool told_to_stop;
};

/* Remembers who stopped the fractions: the limit or the watch. */
static bool watch(void *user, const og_progress *progress)
{
    og_settler *settler = user;
    settler->told_to_stop = !settler->watch(settler->watch_user, progress);
    return !settler->told_to_stop;
}

og_status og_settler_new(const og_arms *arms, const og_settings *settings, uint64_t memory_bytes,
                         og_settler **out)
{
    og_settler *settler = calloc(1, sizeof *settler);
    OG_TRY(og_allocated(settler));
    settler->arms = arms;
    settler->given_up = og_exact_check(arms, NULL) != OG_OK;
    settler->watch = settings->watch;
    settler->watch_user = settings->watch_user;
    og_settings_default(&settler->settings);
    settler->settings.threads = 1;
    settler->settings.memory_bytes = memory_bytes;
    settler->settings.states_max = OG_SETTLE_STATES;
    if (settings->watch != NULL) {
        settler->settings.watch = watch;
        settler->settings.watch_user = settler;
    }
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

og_status og_settle(og_settler *settler, const og_state *state, bool *optimal, bool *settled,
                    og_message *message)
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
    return settler->told_to_stop ? og_message_set(message, OG_STOPPED, "%s", reason.text) : OG_OK;
}

void og_settler_free(og_settler *settler)
{
    if (settler != NULL) {
        og_exact_free(settler->exact);
    }
    free(settler);
}

/* ---- alike ---- */

typedef struct {
    mpq_t a, b, threshold;
} posterior;

static void add_whole(mpq_t to, int32_t number)
{
    mpz_addmul_ui(mpq_numref(to), mpq_denref(to),
                  (unsigned long)number); /* in lowest terms still */
}

/* False if the arm is none of Betas. */
static bool posterior_init(const og_arms *arms, const og_state_group *of, posterior *out)
{
    const og_arm *arm = arms->arm[of->arm];
    const og_group *group = og_arm_group(arm);
    if (group == NULL || !arm->lattice) {
        return false;
    }
    int32_t counts[2];
    og_arm_counts(arm, of->node, counts);
    mpq_inits(out->a, out->b, out->threshold, NULL);
    og_fraction_get_mpq(out->a, group->a);
    og_fraction_get_mpq(out->b, group->b);
    og_fraction_get_mpq(out->threshold, group->threshold);
    add_whole(out->a, counts[0]);
    add_whole(out->b, counts[1]);
    return true;
}

static void posterior_clear(posterior *of)
{
    mpq_clears(of->a, of->b, of->threshold, NULL);
}

static bool same_or_mirrored(posterior *x, const posterior *y)
{
    if (mpq_equal(x->a, y->a) && mpq_equal(x->b, y->b) && mpq_equal(x->threshold, y->threshold)) {
        return true;
    }
    mpz_sub(mpq_numref(x->threshold), mpq_denref(x->threshold), mpq_numref(x->threshold));
    return mpq_equal(x->a, y->b) && mpq_equal(x->b, y->a) && mpq_equal(x->threshold, y->threshold);
}

bool og_alike(const og_arms *arms, const og_state_group *x, const og_state_group *y)
{
    if (x->arm == y->arm && x->node == y->node) {
        return true;
    }
    posterior of_x, of_y;
    if (!posterior_init(arms, x, &of_x)) {
        return false;
    }
    bool alike = posterior_init(arms, y, &of_y);
    if (alike) {
        alike = same_or_mirrored(&of_x, &of_y);
        posterior_clear(&of_y);
    }
    posterior_clear(&of_x);
    return alike;
}
