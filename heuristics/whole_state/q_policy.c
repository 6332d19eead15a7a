/*
 * Policies that label an instance with the largest Q, the future gain if it is labelled now:
 *
 *   lookahead:D   followed by the optimal policy, with min(D, left) labels left in all [Chen, Lin
 *                 and Zhou name the one-step case, which is kg]. The horizon is D labels;
 *                 D = 1 is kg, and D >= T is optimal.
 *   rollout:NAME  followed by NAME with its ties broken at random [Bertsekas, Tsitsiklis
 *                 and Wu, Journal of Heuristics 3 (1997), 245-262]. If ties do not matter it is
 *                 never worse than NAME: V_rollout >= V_NAME by induction over the labels left, for
 *                 the largest Q is at least what NAME itself earns.
 *
 * A solver computes Q and lives as long as the policy, so that later states reuse the stored
 * values. Both policies depend only on a state's classes (reduction 2, for rollout with NAME's
 * ranks), never on the reductions in use.
 *
 * Ties. Qs of equivalent instances tie. Other Qs tie if they are equal in exact arithmetic. If
 * several Qs are within their proved errors of the largest and all arms are rational, fractions
 * decide; otherwise they tie and count as ties that depend on a tolerance.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"
#include "dp/product/optimum/kept.h"
#include "dp/product/solve.h"
#include "heuristics/asking.h"

/* Work space for one state. */
typedef struct {
    og_arena arena;
    int32_t room;
    double *error;  /* [room] of Q */
    int32_t *alike; /* [room] */
    bool *top;      /* [room] Q may be the largest */
} look;

typedef struct {
    const og_arms *arms;
    int32_t depth;        /* largest number of labels to look ahead */
    og_ranks *followed;   /* the policy followed afterwards; NULL: the optimal policy */
    og_settings settings; /* of each of the two solvers */
    bool rational;
    og_solver *solver;
    og_kept *kept; /* layers of the followed policy; NULL: none, or not used yet */
    bool asked;
    og_exact *exact; /* NULL: not needed yet, or not rational */
    look look;
    uint64_t tolerance_ties;
} q_policy;

static void q_policy_free(void *self)
{
    q_policy *of = self;
    og_exact_free(of->exact);
    og_kept_free(of->kept);
    og_solver_free(of->solver);
    og_ranks_free(of->followed);
    og_arena_clear(&of->look.arena);
    free(of);
}

static og_status reserve(look *of, int32_t count)
{
    if (count <= of->room) {
        return OG_OK;
    }
    size_t room = (size_t)count + 8;
    og_arena_clear(&of->arena);
    of->error = og_arena_array(&of->arena, room, sizeof *of->error);
    of->alike = og_arena_array(&of->arena, room, sizeof *of->alike);
    of->top = og_arena_array(&of->arena, room, sizeof *of->top);
    of->room = of->arena.failed ? 0 : (int32_t)room;
    return og_arena_status(&of->arena);
}

/* Marks the groups whose Q may be the largest. Returns how many of them are not known to be
 * equivalent to another. */
static int32_t mark_top(look *of, const double *q, int32_t count)
{
    double proved = 0;
    int32_t contenders = 0;
    for (int32_t i = 0; i < count; i++) {
        proved = fmax(proved, q[i] - of->error[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        of->top[i] = q[i] + of->error[i] >= proved;
        /* If no gain is possible, every Q is exactly 0. */
        contenders += of->top[i] && of->alike[i] == i && of->error[i] > 0;
    }
    return contenders;
}

/* Keeps only the contenders with the largest fraction. */
static og_status settle(q_policy *of, const og_state *state, og_message *message)
{
    if (of->exact == NULL) {
        OG_TRY(of->followed == NULL ? og_exact_new(of->arms, &of->settings, &of->exact, message)
                                    : og_exact_new_policy(of->arms, of->followed, OG_TIES_RANDOM,
                                                          &of->settings, &of->exact, message));
    }
    og_arena arena = {0};
    mpq_t *q = og_arena_fractions(&arena, (size_t)state->count);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        status = og_exact_q_at(of->exact, state, q, message);
    }
    int32_t best = 0;
    for (int32_t i = 1; status == OG_OK && i < state->count; i++) {
        best = mpq_cmp(q[i], q[best]) > 0 ? i : best;
    }
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        of->look.top[i] = mpq_equal(q[i], q[best]);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    q_policy *of = self;
    og_state seen = *state;
    seen.left = state->left < of->depth ? state->left : of->depth;
    *kind = OG_ANSWER_INDEX;
    OG_TRY(reserve(&of->look, state->count));
    OG_TRY(og_solver_alike(of->solver, &seen, of->look.alike, message));
    if (of->followed != NULL && !of->asked) {
        OG_TRY(og_kept_new_policy(of->arms, of->followed, &of->settings, of->solver, &of->kept,
                                  message));
        of->asked = true;
    }
    OG_TRY(og_kept_q_at(of->kept, of->solver, &seen, answer, of->look.error, message));
    int32_t contenders = mark_top(&of->look, answer, state->count);
    og_status status = OG_OK;
    if (contenders > 1 && of->rational) {
        status = settle(of, &seen, message);
    } else if (contenders > 1) {
        __atomic_fetch_add(&of->tolerance_ties, (uint64_t)contenders - 1, __ATOMIC_RELAXED);
    }
    double best = 0;
    for (int32_t i = 0; i < state->count; i++) {
        best = fmax(best, answer[i]);
    }
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = of->look.top[i] ? best : fmin(answer[i], nextafter(best, -INFINITY));
    }
    return status;
}

static uint64_t tolerance_ties(void *self)
{
    q_policy *of = self;
    uint64_t inner = of->followed == NULL ? 0 : og_ranks_tolerance_ties(of->followed);
    return inner + __atomic_load_n(&of->tolerance_ties, __ATOMIC_RELAXED);
}

/* The inner solvers run on the calling thread with half of the memory each. */
static og_settings solver_settings(const og_policy_use *use, bool rational)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = rational ? use->memory_bytes / 2 : use->memory_bytes;
    return og_stop_settings(&settings, use->stop);
}

/* Takes ownership of `followed`, also on failure. */
static og_status make(const og_arms *arms, int32_t depth, og_ranks *followed,
                      const og_policy_use *use, og_ranks **out, og_message *message)
{
    q_policy *of = calloc(1, sizeof *of);
    if (of == NULL) {
        og_ranks_free(followed);
        return OG_NO_MEMORY;
    }
    of->arms = arms;
    of->depth = depth;
    of->followed = followed;
    of->rational = og_exact_check(arms, NULL) == OG_OK;
    of->settings = solver_settings(use, of->rational);
    og_status status = followed == NULL ? og_solver_new(arms, &of->settings, &of->solver, message)
                                        : og_solver_new_policy(arms, followed, OG_TIES_RANDOM,
                                                               &of->settings, &of->solver, message);
    og_chooser chooser = {.self = of,
                          .look = followed == NULL ? OG_LOOK_VALUE : OG_LOOK_RANKS,
                          .apart = followed,
                          .choose = choose,
                          .tolerance_ties = tolerance_ties,
                          .free = q_policy_free};
    if (status == OG_OK) {
        status = og_ranks_new_chooser(arms, &chooser, out);
    }
    if (status != OG_OK) {
        q_policy_free(of);
    }
    return status;
}

/* `why` may be empty. */
static og_status explain(const og_policy_name *policy, og_status status, const og_message *why,
                         og_message *message)
{
    return og_message_set(message, status, "policy '%.100s': %s", policy->name,
                          why->text[0] != '\0' ? why->text : og_status_text(status));
}

og_status og_make_lookahead(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_message why = {""};
    og_status status = make(arms, (int32_t)policy->parameter, NULL, use, out, &why);
    return status == OG_OK ? OG_OK : explain(policy, status, &why, message);
}

og_status og_make_rollout(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_policy_name followed;
    og_ranks *ranks = NULL;
    const char *name = strchr(policy->name, ':');
    assert(name != NULL);
    og_message why = {""};
    og_status status = og_policy_name_parse(name + 1, &followed, &why);
    og_policy_use half = *use;
    bool inside = status == OG_OK && og_policy_name_has_solver(&followed);
    followed.answer_seconds = policy->answer_seconds;
    followed.tie_relative = policy->tie_relative;
    half.memory_bytes = inside ? use->memory_bytes / 2 : use->memory_bytes;
    if (status == OG_OK) {
        status = og_policy_name_ranks_for(&followed, arms, &half, &ranks, &why);
    }
    if (status == OG_OK) {
        status = make(arms, arms->budget, ranks, &half, out, &why);
    }
    return status == OG_OK ? OG_OK : explain(policy, status, &why, message);
}
