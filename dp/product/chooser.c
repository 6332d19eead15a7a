/*
 * Policies with a chooser: checks a user-defined function's answers and makes calls one at a time
 * where needed.
 */
#include "dp/product/chooser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/ties.h"
#include "dp/engine/strategy.h"
#include "dp/product/chooser_lock.h"

/* ---- nodes that look different ---- */

typedef struct {
    const og_arms *arms;
    int32_t arm;
    uint32_t node;
} place;

/* By this instances of one arm can be told apart. */
static uint32_t apart_by(const place *at)
{
    return og_arm_alike(at->arms->arm[at->arm], at->node);
}

/* Compares posterior parameters, thresholds and payoffs in a fixed order. Arms other than Beta have
 * their own kind of posterior. */
static int compare_posteriors(const void *left, const void *right)
{
    const place *a = left;
    const place *b = right;
    const og_group *of_a = og_arm_group(a->arms->arm[a->arm]);
    const og_group *of_b = og_arm_group(b->arms->arm[b->arm]);
    bool beta_a = of_a != NULL && a->arms->arm[a->arm]->lattice;
    bool beta_b = of_b != NULL && b->arms->arm[b->arm]->lattice;
    if (!beta_a || !beta_b) {
        int apart = a->arm != b->arm ? (a->arm < b->arm ? -1 : 1)
                                     : (apart_by(a) > apart_by(b)) - (apart_by(a) < apart_by(b));
        return beta_a == beta_b ? apart : beta_a ? -1 : 1;
    }
    og_fraction in_a[2];
    og_fraction in_b[2];
    og_arm_posterior(a->arms->arm[a->arm], a->node, in_a);
    og_arm_posterior(b->arms->arm[b->arm], b->node, in_b);
    for (int i = 0; i < 2; i++) {
        int order = og_fraction_compare(in_a[i], in_b[i]);
        if (order != 0) {
            return order;
        }
    }
    int order = og_fraction_compare(of_a->threshold, of_b->threshold);
    return order != 0 ? order : og_payoff_compare(&of_a->payoff, &of_b->payoff);
}

static og_status name_posteriors(const og_arms *arms, og_ranks *ranks)
{
    size_t count = arms->node_offset[arms->arm_count];
    place *places = calloc(count + 1, sizeof *places);
    OG_TRY(OG_ALLOCATED(places));
    size_t used = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (uint32_t node = 0; node < arms->arm[a]->node_count; node++) {
            places[used++] = (place){arms, a, node};
        }
    }
    qsort(places, used, sizeof *places, compare_posteriors);
    uint32_t name = 0;
    for (size_t i = 0; i < used; i++) {
        name += i > 0 && compare_posteriors(&places[i - 1], &places[i]) != 0;
        ranks->rank[places[i].arm][places[i].node] = name;
    }
    free(places);
    return OG_OK;
}

static og_status name_nodes(const og_arms *arms, og_look look, og_ranks *ranks)
{
    if (look == OG_LOOK_POSTERIOR) {
        return name_posteriors(arms, ranks);
    }
    for (int32_t a = 0; look == OG_LOOK_LABELS && a < arms->arm_count; a++) {
        for (uint32_t node = 0; node < arms->arm[a]->node_count; node++) {
            ranks->rank[a][node] = arms->node_offset[a] + node;
        }
    }
    return OG_OK;
}

og_status og_ranks_new_chooser(const og_arms *arms, const og_chooser *chooser, og_ranks **out)
{
    og_ranks *ranks;
    OG_TRY(chooser->look == OG_LOOK_RANKS ? og_ranks_copy(arms, chooser->apart, &ranks)
                                          : og_ranks_new_uniform(arms, &ranks));
    og_chooser_lock *locked = calloc(1, sizeof *locked);
    og_status status = locked == NULL ? OG_NO_MEMORY : name_nodes(arms, chooser->look, ranks);
    if (status != OG_OK) {
        free(locked);
        og_ranks_free(ranks);
        return status;
    }
    ranks->stops = false; /* not what `apart` does, but what the chooser answers */
    locked->chooser = *chooser;
    locked->chooser.apart = NULL;
    locked->arms = arms;
    og_lock_init(&locked->lock);
    ranks->chooser_lock = locked;
    *out = ranks;
    return OG_OK;
}

/* ---- asking ---- */

/* Makes every index that ties with the largest equal to it; if that of stopping, the last, is one
 * of them or is larger, all become -INFINITY. */
static void raise_ties(og_chooser_lock *locked, double relative, int32_t count, double *answer)
{
    double top = -INFINITY, *stop = &answer[count];
    uint64_t near = 0;
    for (int32_t i = 0; i < count; i++) {
        top = fmax(top, answer[i]);
    }
    double least = og_tie_least(top, relative);
    for (int32_t i = 0; i < count; i++) {
        near += answer[i] >= least && answer[i] != top;
        answer[i] = answer[i] >= least ? top : answer[i];
    }
    near += *stop >= least && *stop < top;
    for (int32_t i = 0; *stop >= least && i < count; i++) {
        answer[i] = -INFINITY;
    }
    if (near > 0) {
        __atomic_fetch_add(&locked->near_ties, near, __ATOMIC_RELAXED);
    }
}

static void keep_failure(og_chooser_lock *locked, og_status status, const og_message *message)
{
    if (status != OG_OK) {
        og_lock_take(&locked->lock);
        if (locked->failure.text[0] == '\0') {
            locked->failure = *message;
        }
        og_lock_release(&locked->lock);
    }
}

/* True if the policy stops in this state, always or by a draw. */
static bool is_stopping(og_answer kind, int32_t count, const double *answer)
{
    for (int32_t i = 0; kind != OG_ANSWER_WEIGHTS && i < count; i++) {
        if (answer[i] > -INFINITY) {
            return false;
        }
    }
    return kind != OG_ANSWER_WEIGHTS || answer[count] > 0;
}

og_status og_ranks_ask_plainly(const og_ranks *ranks, const og_state *state, double *answer,
                               og_answer *kind)
{
    og_chooser_lock *locked = ranks->chooser_lock;
    const og_chooser *chooser = &locked->chooser;
    og_message message;
    og_message_clear(&message);
    og_status status = og_state_check_groups(locked->arms, state, &message);
    if (status == OG_OK && !chooser->concurrent) {
        og_lock_take(&locked->lock);
    }
    answer[state->count] = -INFINITY;
    if (status == OG_OK) {
        status = chooser->choose(chooser->self, state, answer, kind, &message);
        if (!chooser->concurrent) {
            og_lock_release(&locked->lock);
        }
    }
    OG_THEN(status, og_stopping_check(*kind, &answer[state->count], &message));
    OG_THEN(status, og_answer_check(*kind, state->count + 1, answer, "group", &message));
    keep_failure(locked, status, &message);
    return status;
}

og_status og_ranks_foresee(const og_ranks *ranks, const og_state *state, int32_t count, bool *more)
{
    og_chooser_lock *locked = ranks->chooser_lock;
    og_message message = {""};
    *more = false;
    if (locked == NULL || locked->chooser.foresee == NULL) {
        return OG_OK;
    }
    og_lock_take(&locked->lock);
    og_status status = locked->chooser.foresee(locked->chooser.self, state, count, more, &message);
    og_lock_release(&locked->lock);
    keep_failure(locked, status, &message);
    return status;
}

og_status og_ranks_ask(const og_ranks *ranks, const og_state *state, double *answer,
                       og_answer *kind)
{
    og_chooser_lock *locked = ranks->chooser_lock;
    OG_TRY(og_ranks_ask_plainly(ranks, state, answer, kind));
    if (*kind != OG_ANSWER_WEIGHTS) {
        double relative = *kind == OG_ANSWER_INDEX ? locked->chooser.tie_relative : 0;
        raise_ties(locked, relative, state->count, answer);
        *kind = OG_ANSWER_INDEX;
    }
    if (is_stopping(*kind, state->count, answer)) {
        __atomic_store_n(&locked->stopped, true, __ATOMIC_RELAXED);
    }
    return OG_OK;
}

/* ---- instances on their own ---- */

typedef struct {
    double answer;
    bool exact;
    uint32_t *rank; /* the place of its rank */
} alone;

static int by_answer(const void *left, const void *right)
{
    const alone *x = left, *y = right;
    return (x->answer < y->answer) - (x->answer > y->answer);
}

/* Ranks the answers in groups of ties, the largest answers highest. Unless all answers are exact,
 * the tolerance applies to all. */
static void rank_alone(alone *found, size_t count, double relative, uint64_t *near)
{
    bool exact = true;
    uint32_t groups = 0;
    double least = INFINITY;
    qsort(found, count, sizeof *found, by_answer);
    for (size_t i = 0; i < count; i++) {
        exact = exact && found[i].exact;
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || found[i].answer < least) {
            least = og_tie_least(found[i].answer, exact ? 0 : relative);
            groups++;
        } else {
            *near += found[i].answer != found[i - 1].answer;
        }
        *found[i].rank = groups;
    }
    for (size_t i = 0; i < count; i++) {
        *found[i].rank = groups - *found[i].rank;
    }
}

/* Asks about all nodes that can be labelled with so many labels left; writes *count answers. */
static og_status ask_alone(const og_ranks *ranks, const og_arms *arms, int32_t left, og_ranks *out,
                           alone *found, size_t *count, og_message *message)
{
    *count = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        uint32_t *rank = out->rank[(int64_t)left * arms->arm_count + a];
        uint32_t nodes = arms->arm[a]->level[arms->budget - left + 1];
        for (uint32_t node = 0; node < nodes; node++) {
            og_state_group group = {a, node, 1};
            const og_state state = {left, arms->budget, 1, &group};
            og_answer kind = OG_ANSWER_INDEX;
            double answer[2];
            alone *one = &found[(*count)++];
            og_status status = og_ranks_ask_plainly(ranks, &state, answer, &kind);
            if (status != OG_OK) {
                og_ranks_failure(ranks, message);
                return status;
            }
            if (kind == OG_ANSWER_WEIGHTS) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "the policy answers with weights; only an index of each "
                                      "instance on its own is supported here");
            }
            if (!(answer[0] > answer[1])) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "the policy stops, which is not supported here");
            }
            one->answer = answer[0];
            one->exact = kind == OG_ANSWER_EXACT;
            one->rank = &rank[node];
        }
    }
    return OG_OK;
}

og_status og_ranks_alone(const og_ranks *ranks, const og_arms *arms, og_ranks **out,
                         og_message *message)
{
    og_ranks *made = NULL;
    size_t most = 0, count;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        most += arms->arm[a]->level[arms->budget];
    }
    alone *found = calloc(most + 1, sizeof *found);
    og_status status = found == NULL ? OG_NO_MEMORY : og_ranks_new(arms, true, &made);
    for (int32_t left = 1; status == OG_OK && left <= arms->budget; left++) {
        status = ask_alone(ranks, arms, left, made, found, &count, message);
        if (status == OG_OK) {
            rank_alone(found, count, ranks->chooser_lock->chooser.tie_relative,
                       &made->tolerance_ties);
        }
    }
    free(found);
    return OG_MADE(status, made, og_ranks_free, out);
}

const og_chooser *og_ranks_chooser(const og_ranks *ranks)
{
    return &ranks->chooser_lock->chooser;
}

bool og_ranks_may_stop(const og_ranks *ranks)
{
    const og_chooser_lock *locked = ranks->chooser_lock;
    return locked != NULL ? __atomic_load_n(&locked->stopped, __ATOMIC_RELAXED) : ranks->stops;
}

void og_ranks_failure(const og_ranks *ranks, og_message *message)
{
    og_chooser_lock *locked = ranks->chooser_lock;
    if (locked == NULL || message == NULL) {
        return;
    }
    og_lock_take(&locked->lock);
    if (locked->failure.text[0] != '\0') {
        *message = locked->failure;
    }
    og_lock_release(&locked->lock);
}

uint64_t og_ranks_tolerance_ties(const og_ranks *ranks)
{
    const og_chooser_lock *locked = ranks->chooser_lock;
    bool counts = locked != NULL && locked->chooser.tolerance_ties != NULL;
    return ranks->tolerance_ties +
           (locked != NULL ? __atomic_load_n(&locked->near_ties, __ATOMIC_RELAXED) : 0) +
           (counts ? locked->chooser.tolerance_ties(locked->chooser.self) : 0);
}

/* Weights of the groups with the largest index, or of stopping if that is `done`. */
static void weigh_ties(const og_state *state, og_ties ties, double done, double *weight)
{
    double top = -INFINITY;
    for (int32_t i = 0; i < state->count; i++) {
        top = fmax(top, weight[i]);
    }
    bool found = top == done;
    weight[state->count] = found;
    for (int32_t i = 0; i < state->count; i++) {
        bool tied = weight[i] == top && top != done && !(found && ties == OG_TIES_FIRST);
        weight[i] = !tied ? 0 : ties == OG_TIES_RANDOM ? (double)state->group[i].copies : 1;
        found = found || tied;
    }
}

static bool look_alike(const og_ranks *ranks, const og_state_group *x, const og_state_group *y)
{
    og_look look = ranks->chooser_lock->chooser.look;
    if (look == OG_LOOK_VALUE || look == OG_LOOK_RANKS) {
        return x->arm == y->arm && x->node == y->node;
    }
    return ranks->rank[x->arm][x->node] == ranks->rank[y->arm][y->node];
}

/* Runs of instances that look alike are one group to the policy, which labels its first
 * instance. */
static void gather_weights(const og_ranks *ranks, const og_state *state, double *weight)
{
    for (int32_t i = 1; i < state->count; i++) {
        for (int32_t j = 0; weight[i] > 0 && j < i; j++) {
            if (look_alike(ranks, &state->group[j], &state->group[i])) {
                weight[j] += weight[i];
                weight[i] = 0;
            }
        }
    }
}

og_status og_ranks_choose(const og_ranks *ranks, const og_state *state, og_ties ties,
                          double *weight)
{
    og_answer kind;
    return og_ranks_pick(ranks, state, ties, weight, &kind);
}

og_status og_ranks_pick(const og_ranks *ranks, const og_state *state, og_ties ties, double *weight,
                        og_answer *kind)
{
    double done = -INFINITY;
    *kind = OG_ANSWER_INDEX;
    if (ranks->chooser_lock != NULL) {
        OG_TRY(og_ranks_ask(ranks, state, weight, kind));
    } else {
        done = ranks->stops ? 0 : done;
        for (int32_t i = 0; i < state->count; i++) {
            const og_state_group *group = &state->group[i];
            weight[i] = og_ranks_of(ranks, group->arm, state->left)[group->node];
        }
    }
    if (*kind == OG_ANSWER_INDEX) {
        weigh_ties(state, ties, done, weight);
    } else if (ties == OG_TIES_FIRST) {
        gather_weights(ranks, state, weight);
    }
    return OG_OK;
}
