/*
 * lp-update labels in each state what the policy lagrangian labels first in the problem that begins
 * there, with the labels left as its budget. The linear programme of the fluid problem
 * (heuristics/bounds/fluid.h) is solved again in every state, as by Gast, Gaujal and Yan (arXiv
 * 2106.10067 and 2211.01961), who label by the probabilities with which a solution labels at once.
 * There are many solutions; this is the one with most entropy (heuristics/index/draw.h), so that
 * the choice does not depend on the solver.
 *
 * Ties are those of lagrangian, and tolerance_ties counts those among the state's posteriors. The
 * ranks of a state are those of its posteriors' classes of twins, so that mirror images share them;
 * they are remembered.
 */
#include <float.h>
#include <stdlib.h>

#include "dp/arm/arm_after.h"
#include "dp/base/arena.h"
#include "dp/engine/memo.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"
#include "heuristics/index/symmetry.h"
#include "heuristics/whole_state/following.h"

enum { KEY_WORDS = 256 }; /* of states whose answers are kept */

typedef struct {
    og_arena arena;
    const og_arms *arms;
    og_policy_name lagrangian;
    og_policy_use use;
    double **call;      /* [arm_count], of each node */
    double *call_error; /* [arm_count] */
    og_twins *twins;
    og_memo *memo; /* of ranks, and of the ties of a state; calls are made one after the other */
    og_memo_user user;
    uint64_t key[KEY_WORDS];
    uint64_t tolerance_ties;
} lp_update;

/* Instances that are in twin posteriors. */
typedef struct {
    uint32_t class;
    int64_t copies;
    double rank;
} kind_of_instance;

/* A state, by kinds: mirror images are the same. */
typedef struct {
    og_arena arena;
    int32_t left, count;
    kind_of_instance *kinds; /* [state->count], `count` used */
    uint32_t *class_of;      /* [state->count] of each group */
    og_arm **arm;            /* [count] made from the first member of the class */
    int32_t *number;         /* [count] 0, 1, ... */
    int64_t *copies;         /* [count] */
    double ties;
} beginning;

static int compare_kinds(const void *x, const void *y)
{
    const kind_of_instance *left = x, *right = y;
    return (left->class > right->class) - (left->class < right->class);
}

static og_status find_kinds(const lp_update *policy, const og_state *state, beginning *out)
{
    size_t count = (size_t)state->count;
    out->left = state->left;
    out->kinds = og_arena_array(&out->arena, count, sizeof *out->kinds);
    out->class_of = og_arena_array(&out->arena, count, sizeof *out->class_of);
    out->arm = og_arena_array(&out->arena, count, sizeof(og_arm *));
    out->number = og_arena_array(&out->arena, count, sizeof *out->number);
    out->copies = og_arena_array(&out->arena, count, sizeof *out->copies);
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        out->class_of[i] =
            policy->twins->class_of[policy->arms->node_offset[group->arm] + group->node];
        out->kinds[i] = (kind_of_instance){out->class_of[i], group->copies, 0};
    }
    qsort(out->kinds, count, sizeof *out->kinds, compare_kinds);
    for (int32_t i = 0; i < state->count; i++) {
        bool same = out->count > 0 && out->kinds[out->count - 1].class == out->kinds[i].class;
        if (same) {
            out->kinds[out->count - 1].copies += out->kinds[i].copies;
        } else {
            out->kinds[out->count++] = out->kinds[i];
        }
    }
    for (int32_t k = 0; k < out->count; k++) {
        out->number[k] = k;
        out->copies[k] = out->kinds[k].copies;
    }
    return OG_OK;
}

static og_status make_arms(const lp_update *policy, beginning *begun, int32_t *made)
{
    for (*made = 0; *made < begun->count; ++*made) {
        uint32_t class = begun->kinds[*made].class, node = policy->twins->first_node[class];
        int32_t arm = policy->twins->first_arm[class];
        OG_TRY(og_arm_new_after(policy->arms->arm[arm], node, begun->left, policy->call[arm][node],
                                policy->call_error[arm], &begun->arm[*made]));
    }
    return OG_OK;
}

/* The ranks of the first label. */
static og_status compute(const lp_update *policy, beginning *begun, og_message *message)
{
    og_arms *arms = NULL;
    og_ranks *ranks = NULL;
    og_policy_use use = policy->use;
    int32_t made;
    use.whole_budget = begun->left;
    og_status status = make_arms(policy, begun, &made);
    OG_THEN(status, og_arms_of(begun->left, begun->arm, begun->count, begun->count, begun->number,
                               begun->copies, &arms));
    OG_THEN(status, og_policy_name_ranks_for(&policy->lagrangian, arms, &use, &ranks, message));
    for (int32_t k = 0; status == OG_OK && k < begun->count; k++) {
        begun->kinds[k].rank = og_ranks_of(ranks, k, begun->left)[0];
        begun->ties = (double)ranks->tolerance_ties_begin;
    }
    for (int32_t k = 0; arms == NULL && k < made; k++) {
        og_arm_free(begun->arm[k]);
    }
    og_ranks_free(ranks);
    og_arms_free(arms);
    return status;
}

/* ---- memory ---- */

/* Number k of a state: the rank of kind k < count, or its ties. */
static double *number_of(beginning *begun, int32_t k)
{
    return k < begun->count ? &begun->kinds[k].rank : &begun->ties;
}

/* Writes the key of a state; returns its words, of which the last is for the number k; 0: too many.
 */
static int32_t write_key(lp_update *policy, const beginning *begun)
{
    if (begun->count > (KEY_WORDS - 2) / 2) {
        return 0;
    }
    policy->key[0] = (uint64_t)begun->left;
    for (int32_t k = 0; k < begun->count; k++) {
        policy->key[2 * k + 1] = begun->kinds[k].class;
        policy->key[2 * k + 2] = (uint64_t)begun->kinds[k].copies;
    }
    return 2 * begun->count + 2;
}

static bool recall(lp_update *policy, beginning *begun, int32_t words)
{
    for (int32_t k = 0; words > 0 && k <= begun->count; k++) {
        policy->key[words - 1] = (uint64_t)k + 1;
        if (!og_memo_get(&policy->user, policy->key, words, og_memo_hash(policy->key, words),
                         number_of(begun, k))) {
            return false;
        }
    }
    return words > 0;
}

static void remember(lp_update *policy, beginning *begun, int32_t words)
{
    for (int32_t k = 0; words > 0 && k <= begun->count; k++) {
        policy->key[words - 1] = (uint64_t)k + 1;
        og_memo_put(&policy->user, policy->key, words, og_memo_hash(policy->key, words),
                    *number_of(begun, k), 1);
    }
}

/* The ranks of all kinds, and the ties. */
static og_status find_ranks(lp_update *policy, const og_state *state, beginning *begun,
                            og_message *message)
{
    OG_TRY(find_kinds(policy, state, begun));
    if (begun->count == 1) {
        return OG_OK; /* there is no choice */
    }
    int32_t words = write_key(policy, begun);
    if (!recall(policy, begun, words)) {
        OG_TRY(compute(policy, begun, message));
        remember(policy, begun, words);
    }
    return OG_OK;
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    lp_update *policy = self;
    beginning begun = {.count = 0};
    *kind = OG_ANSWER_EXACT;
    message->text[0] = '\0';
    og_status status = find_ranks(policy, state, &begun, message);
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        kind_of_instance wanted = {.class = begun.class_of[i]};
        answer[i] = ((kind_of_instance *)bsearch(&wanted, begun.kinds, (size_t)begun.count,
                                                 sizeof wanted, compare_kinds))
                        ->rank;
    }
    if (status == OG_OK) {
        __atomic_fetch_add(&policy->tolerance_ties, (uint64_t)begun.ties, __ATOMIC_RELAXED);
    }
    og_arena_clear(&begun.arena);
    return status == OG_OK || message->text[0] != '\0'
               ? status
               : og_message_set(message, status, "policy 'lp-update': %s", og_status_text(status));
}

static uint64_t tolerance_ties(void *self)
{
    lp_update *policy = self;
    return __atomic_load_n(&policy->tolerance_ties, __ATOMIC_RELAXED);
}

static void lp_update_free(void *self)
{
    lp_update *policy = self;
    if (policy != NULL && policy->memo != NULL) {
        og_memo_leave(&policy->user);
    }
    if (policy != NULL) {
        og_memo_free(policy->memo);
        og_twins_free(policy->twins);
    }
    og_arena_free(self);
}

static og_status make_memory(lp_update *policy)
{
    OG_TRY(og_twins_new(policy->arms, OG_TWINS_ALL, policy->use.stop, &policy->twins));
    OG_TRY(og_memo_new(policy->use.memory_bytes / 2, KEY_WORDS, &policy->memo));
    og_memo_join(policy->memo, &policy->user);
    return OG_OK;
}

static og_status find_calls(lp_update *policy)
{
    size_t count = (size_t)policy->arms->arm_count;
    policy->call = og_arena_array(&policy->arena, count, sizeof *policy->call);
    policy->call_error = og_arena_array(&policy->arena, count, sizeof *policy->call_error);
    OG_TRY(og_arena_status(&policy->arena));
    for (size_t a = 0; a < count; a++) {
        const og_arm *arm = policy->arms->arm[a];
        policy->call[a] = og_arena_array(&policy->arena, arm->node_count, sizeof **policy->call);
        OG_TRY(og_arena_status(&policy->arena));
        double *error = &policy->call_error[a];
        OG_TRY(og_arm_calls(arm, false, policy->use.stop, policy->call[a], error));
        /* A sum of at most depth + 1 terms of at most the scale of calls, which are at least half
         * of it, for payoffs that are not negative. */
        *error = 2 * (arm->depth + 2.0) * (*error + arm->call_error + DBL_EPSILON);
    }
    return OG_OK;
}

og_status og_make_lp_update(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    OG_TRY(og_refuse_prices(policy, arms, message));
    lp_update *self = og_arena_new(sizeof *self);
    OG_TRY(OG_ALLOCATED(self));
    self->arms = arms;
    self->use = *use;
    self->use.threads = 1;
    self->use.roots = true;
    og_status status = og_policy_name_parse("lagrangian", &self->lagrangian, message);
    OG_THEN(status, find_calls(self));
    OG_THEN(status, make_memory(self));
    const og_chooser chooser = {.self = self,
                                .look = OG_LOOK_VALUE,
                                .choose = choose,
                                .tolerance_ties = tolerance_ties,
                                .free = lp_update_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        lp_update_free(self);
    }
    return status;
}
