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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"
#include "heuristics/whole_state/following.h"

/* Work space for one state. */
typedef struct {
    og_arena arena;
    int32_t room;
    double *error;  /* [room] of Q */
    int32_t *alike; /* [room] */
    bool *top;      /* [room] Q may be the largest */
} q_look;

typedef struct {
    const og_arms *arms;
    int32_t depth; /* largest number of labels to look ahead */
    og_following following;
    bool rational;
    og_exact *exact; /* NULL: not needed yet, or not rational; with the memory of `following` */
    q_look look;
    uint64_t tolerance_ties;
} q_policy;

static void q_policy_free(void *self)
{
    q_policy *policy = self;
    og_exact_free(policy->exact);
    og_following_clear(&policy->following);
    og_arena_clear(&policy->look.arena);
    free(policy);
}

static og_status reserve(q_look *look, int32_t count)
{
    if (count <= look->room) {
        return OG_OK;
    }
    size_t room = (size_t)count + 8;
    og_arena_clear(&look->arena);
    look->error = og_arena_array(&look->arena, room, sizeof *look->error);
    look->alike = og_arena_array(&look->arena, room, sizeof *look->alike);
    look->top = og_arena_array(&look->arena, room, sizeof *look->top);
    look->room = look->arena.failed ? 0 : (int32_t)room;
    return og_arena_status(&look->arena);
}

/* Marks the groups whose Q may be the largest. Returns how many of them are not known to be
 * equivalent to another. */
static int32_t mark_top(q_look *look, const double *q, int32_t count)
{
    double proved = 0;
    int32_t contenders = 0;
    for (int32_t i = 0; i < count; i++) {
        proved = fmax(proved, q[i] - look->error[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        look->top[i] = q[i] + look->error[i] >= proved;
        /* If no gain is possible, every Q is exactly 0. */
        contenders += look->top[i] && look->alike[i] == i && look->error[i] > 0;
    }
    return contenders;
}

/* Keeps only the contenders with the largest fraction. */
static og_status keep_exact_best(q_policy *policy, const og_state *state, og_message *message)
{
    if (policy->exact == NULL) {
        const og_ranks *followed = policy->following.ranks;
        const og_settings *settings = &policy->following.settings;
        OG_TRY(followed == NULL ? og_exact_new(policy->arms, settings, &policy->exact, message)
                                : og_exact_new_policy(policy->arms, followed, OG_TIES_RANDOM,
                                                      settings, &policy->exact, message));
    }
    og_arena arena = {0};
    mpq_t *q = og_arena_fractions(&arena, (size_t)state->count);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_exact_q_at(policy->exact, state, q, message));
    int32_t best = 0;
    for (int32_t i = 1; status == OG_OK && i < state->count; i++) {
        best = mpq_cmp(q[i], q[best]) > 0 ? i : best;
    }
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        policy->look.top[i] = mpq_equal(q[i], q[best]);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    q_policy *policy = self;
    og_state seen = *state;
    seen.left = state->left < policy->depth ? state->left : policy->depth;
    *kind = OG_ANSWER_INDEX;
    OG_TRY(reserve(&policy->look, state->count));
    OG_TRY(og_solver_alike(policy->following.solver, &seen, policy->look.alike, message));
    OG_TRY(og_following_q(&policy->following, &seen, answer, policy->look.error, message));
    int32_t contenders = mark_top(&policy->look, answer, state->count);
    og_status status = OG_OK;
    if (contenders > 1 && policy->rational) {
        status = keep_exact_best(policy, &seen, message);
    } else if (contenders > 1) {
        __atomic_fetch_add(&policy->tolerance_ties, (uint64_t)contenders - 1, __ATOMIC_RELAXED);
    }
    double best = 0;
    for (int32_t i = 0; i < state->count; i++) {
        best = fmax(best, answer[i]);
    }
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = policy->look.top[i] ? best : fmin(answer[i], nextafter(best, -INFINITY));
    }
    return status;
}

static uint64_t tolerance_ties(void *self)
{
    q_policy *policy = self;
    const og_ranks *followed = policy->following.ranks;
    uint64_t inner = followed == NULL ? 0 : og_ranks_tolerance_ties(followed);
    return inner + __atomic_load_n(&policy->tolerance_ties, __ATOMIC_RELAXED);
}

/* `followed`: the policy has a NAME. Solvers in doubles and in fractions share the memory. */
static og_status make(const og_policy_name *policy, bool followed, const og_arms *arms,
                      const og_policy_use *use, og_ranks **out, og_message *message)
{
    q_policy *self = calloc(1, sizeof *self);
    OG_TRY(OG_ALLOCATED(self));
    self->arms = arms;
    self->depth = followed ? arms->budget : (int32_t)policy->parameter;
    self->rational = og_exact_check(arms, NULL) == OG_OK;
    og_status status = og_following_init(followed ? policy : NULL, arms, use,
                                         self->rational ? 2 : 1, &self->following, message);
    og_chooser chooser = {.self = self,
                          .look = followed ? OG_LOOK_RANKS : OG_LOOK_VALUE,
                          .apart = self->following.ranks,
                          .choose = choose,
                          .tolerance_ties = tolerance_ties,
                          .free = q_policy_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        q_policy_free(self);
    }
    return status;
}

/* ---- labels that have a price ---- */

/* A policy that sees the standard arm, for states without it. */
typedef struct {
    og_ranks *all; /* owned */
    int32_t standard;
    og_arena arena;
    int32_t room;
    og_state_group *group; /* [room + 1] */
    double *weight;        /* [room + 2] */
} priced_policy;

static void priced_free(void *self)
{
    priced_policy *policy = self;
    og_ranks_free(policy->all);
    og_arena_clear(&policy->arena);
    free(policy);
}

/* Stops if not buying a label is better than each label. If it only ties, it can wait: any label
 * worth its price may be bought before labels that are not bought. */
static og_status choose_priced(void *self, const og_state *state, double *answer, og_answer *kind,
                               og_message *message)
{
    priced_policy *policy = self;
    const int32_t count = state->count;
    bool any = false;
    if (count > policy->room) {
        og_arena_clear(&policy->arena);
        policy->group = og_arena_array(&policy->arena, (size_t)count + 1, sizeof *policy->group);
        policy->weight = og_arena_array(&policy->arena, (size_t)count + 2, sizeof *policy->weight);
        policy->room = policy->arena.failed ? 0 : count;
        OG_TRY(og_arena_status(&policy->arena));
    }
    memcpy(policy->group, state->group, (size_t)count * sizeof *policy->group);
    policy->group[count] = (og_state_group){.arm = policy->standard, .copies = 1};
    const og_state seen = {state->left, state->budget, count + 1, policy->group};
    og_status status = og_ranks_pick(policy->all, &seen, OG_TIES_RANDOM, policy->weight, kind);
    if (status != OG_OK) {
        og_ranks_failure(policy->all, message);
        return status;
    }
    for (int32_t i = 0; i < count; i++) {
        any = any || policy->weight[i] > 0;
        answer[i] = policy->weight[i] > 0 ? 1 : 0;
    }
    answer[count] = any ? -INFINITY : 1;
    return OG_OK;
}

static uint64_t priced_ties(void *self)
{
    return og_ranks_tolerance_ties(((priced_policy *)self)->all);
}

static og_status make_priced(const og_policy_name *policy, const og_arms *arms,
                             const og_policy_use *use, og_ranks **out, og_message *message)
{
    priced_policy *self = calloc(1, sizeof *self);
    OG_TRY(OG_ALLOCATED(self));
    self->standard = arms->arm_count;
    og_status status = make(policy, false, use->with_standard, use, &self->all, message);
    og_chooser chooser = {.self = self,
                          .look = OG_LOOK_VALUE,
                          .choose = choose_priced,
                          .tolerance_ties = priced_ties,
                          .free = priced_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        priced_free(self);
    }
    return status;
}

og_status og_make_lookahead(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_message why = {""};
    og_status status = (use->with_standard != NULL ? make_priced(policy, arms, use, out, &why)
                                                   : make(policy, false, arms, use, out, &why));
    return status == OG_OK ? OG_OK : og_following_explain(policy, status, &why, message);
}

og_status og_make_rollout(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_message why = {""};
    og_status status = make(policy, true, arms, use, out, &why);
    return status == OG_OK ? OG_OK : og_following_explain(policy, status, &why, message);
}
