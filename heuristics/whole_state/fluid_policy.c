/*
 * Policies that solve the fluid problem again in every state (heuristics/bounds/fluid.h). With F
 * its value, and S_k the state S after outcome k of a label of instance i:
 *
 *   U_0 = F,   U_d(S, r) = max over i of R_i + sum_k p_k U_{d-1}(S_k, r - 1);   U_d = F for r <= 1
 *
 *   dual:D        labels the largest R_i + sum_k p_k U_{D-1}(S_k, r - 1). After Brown and Zhang
 * 2025. Optimal for one instance, and for T <= D + 1. midway:NAME   the largest R_i + sum_k p_k
 * (F(S_k, r - 1) + G(S_k, r - 1)) / 2, with G the gain of NAME, its ties broken at random: halfway
 * between an upper and a lower bound.
 *
 * Ties. F has an error of at most OG_FLUID_ERROR, and G one far below. So scores that are equal in
 * exact arithmetic differ by at most 2 OG_FLUID_ERROR = SURE_TIE, and those within TIE of the
 * largest tie. A difference from SURE_TIE to SURE_APART is counted as one that a tolerance decided.
 * Ties are frequent, since a first label often costs the bound nothing; gittins_ties.h breaks them.
 *
 * Nodes with equal posteriors, and mirror images, are replaced with one of them, so that the order
 * of the instances and mirrors change nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"
#include "heuristics/bounds/fluid.h"
#include "heuristics/index/gittins_ties.h"
#include "heuristics/whole_state/following.h"

#define TIE 1e-9
#define SURE_TIE (2 * OG_FLUID_ERROR)
#define SURE_APART 1e-7

typedef struct {
    const og_arms *arms;
    og_twins *twins;
    og_fluid *fluid;
    og_gittins_ties *ties;
    bool midway; /* else dual */
    og_following following;
    int32_t depth; /* D */
    /* Work space: */
    og_fluid_place *places; /* [levels][row] states, from the one in question on */
    size_t row, places_room;
    double *q; /* [q_room] of `following` */
    size_t q_room;
    bool *top; /* [top_room] */
    size_t top_room;
    uint64_t tolerance_ties;
} fluid_policy;

static void fluid_policy_free(void *self)
{
    fluid_policy *policy = self;
    og_following_clear(&policy->following);
    og_gittins_ties_free(policy->ties);
    og_fluid_free(policy->fluid);
    og_twins_free(policy->twins);
    free(policy->places);
    free(policy->q);
    free(policy->top);
    free(policy);
}

/* ---- states ---- */

/* The node that stands for a class. */
static uint32_t node_of(const fluid_policy *policy, uint32_t class)
{
    return policy->arms->node_offset[policy->twins->first_arm[class]] +
           policy->twins->first_node[class];
}

/* Adds copies of a node, in ascending order; copies may be -1. Returns the new count. */
static int32_t add_copies(og_fluid_place *place, int32_t count, uint32_t node, int64_t copies)
{
    int32_t at = 0;
    while (at < count && place[at].node < node) {
        at++;
    }
    if (at < count && place[at].node == node) {
        place[at].copies += copies;
        if (place[at].copies == 0) {
            memmove(&place[at], &place[at + 1], (size_t)(count - at - 1) * sizeof *place);
            return count - 1;
        }
        return count;
    }
    memmove(&place[at + 1], &place[at], (size_t)(count - at) * sizeof *place);
    place[at] = (og_fluid_place){node, copies};
    return count + 1;
}

static og_status reserve(fluid_policy *policy, const og_state *state)
{
    int32_t levels = 2 + (policy->depth < state->left ? policy->depth : state->left);
    policy->row = (size_t)state->count + (size_t)levels;
    og_fluid_place *places = og_grown(policy->places, &policy->places_room,
                                      policy->row * (size_t)levels, sizeof *places);
    OG_TRY(OG_ALLOCATED(places));
    policy->places = places;
    bool *top = og_grown(policy->top, &policy->top_room, (size_t)state->count, sizeof *top);
    OG_TRY(OG_ALLOCATED(top));
    policy->top = top;
    double *q = og_grown(policy->q, &policy->q_room, (size_t)state->count, sizeof *q);
    OG_TRY(OG_ALLOCATED(q));
    policy->q = q;
    return OG_OK;
}

/* ---- scores ---- */

static og_status value(fluid_policy *policy, const og_fluid_place *place, int32_t count,
                       int32_t left, int32_t depth, double *out);

/* R + sum_k p_k U(S_k) of a label of the node place[i], with U `depth` labels deep. */
static og_status label_value(fluid_policy *policy, const og_fluid_place *place, int32_t count,
                             int32_t i, int32_t left, int32_t depth, double *out)
{
    int32_t number = og_arms_arm_of(policy->arms, place[i].node);
    const og_arm *arm = policy->arms->arm[number];
    uint32_t node = place[i].node - policy->arms->node_offset[number];
    og_fluid_place *next =
        policy->places + policy->row * (1 + (size_t)(place - policy->places) / policy->row);
    *out = arm->reward[node];
    for (int32_t k = 0; left > 1 && k < arm->outcome_count; k++) {
        size_t outcome = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        uint32_t after = policy->arms->node_offset[number] + arm->next[outcome];
        double later;
        if (arm->probability[outcome] == 0) {
            continue;
        }
        memcpy(next, place, (size_t)count * sizeof *place);
        int32_t moved = add_copies(next, count, place[i].node, -1);
        moved = add_copies(next, moved, node_of(policy, policy->twins->class_of[after]), 1);
        OG_TRY(value(policy, next, moved, left - 1, depth, &later));
        *out += arm->probability[outcome] * later;
    }
    return OG_OK;
}

/* U_depth. */
static og_status value(fluid_policy *policy, const og_fluid_place *place, int32_t count,
                       int32_t left, int32_t depth, double *out)
{
    if (depth == 0 || left <= 1) {
        return og_fluid_value(policy->fluid, place, count, left, out);
    }
    double best = 0;
    for (int32_t i = 0; i < count; i++) {
        double one;
        OG_TRY(label_value(policy, place, count, i, left, depth - 1, &one));
        best = fmax(best, one);
    }
    *out = best;
    return OG_OK;
}

/* The scores of dual:D. */
static og_status score(fluid_policy *policy, const og_state *state, double *answer)
{
    const uint32_t *offset = policy->arms->node_offset;
    int32_t count = 0;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        uint32_t class = policy->twins->class_of[offset[group->arm] + group->node];
        count = add_copies(policy->places, count, node_of(policy, class), group->copies);
    }
    for (int32_t p = 0; p < count; p++) {
        double one;
        OG_TRY(label_value(policy, policy->places, count, p, state->left, policy->depth - 1, &one));
        for (int32_t i = 0; i < state->count; i++) {
            const og_state_group *group = &state->group[i];
            uint32_t class = policy->twins->class_of[offset[group->arm] + group->node];
            answer[i] = node_of(policy, class) == policy->places[p].node ? one : answer[i];
        }
    }
    return OG_OK;
}

/* ---- ties ---- */

/* Marks the scores that tie with the largest. Counts those that only a tolerance decides. */
static void mark_top(fluid_policy *policy, const double *answer, int32_t count)
{
    double best = 0;
    uint64_t near = 0;
    for (int32_t i = 0; i < count; i++) {
        best = fmax(best, answer[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        double below = best - answer[i];
        policy->top[i] = below <= TIE;
        near += below > SURE_TIE && below < SURE_APART;
    }
    __atomic_fetch_add(&policy->tolerance_ties, near, __ATOMIC_RELAXED);
}

/* Makes the marked scores equal to the largest, and all others smaller. */
static void raise_top(const fluid_policy *policy, double *answer, int32_t count)
{
    double best = 0;
    for (int32_t i = 0; i < count; i++) {
        best = fmax(best, answer[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        answer[i] = policy->top[i] ? best : fmin(answer[i], nextafter(best, -INFINITY));
    }
}

static og_status choose_in(fluid_policy *policy, const og_state *state, double *answer,
                           og_message *message)
{
    OG_TRY(reserve(policy, state));
    if (policy->midway) { /* before the fluid problem: NAME may solve some, too */
        OG_TRY(og_following_q(&policy->following, state, policy->q, answer, message));
    }
    og_status status = score(policy, state, answer);
    og_fluid_leave(policy->fluid);
    OG_TRY(status);
    for (int32_t i = 0; policy->midway && i < state->count; i++) {
        answer[i] = (answer[i] + policy->q[i]) / 2;
    }
    mark_top(policy, answer, state->count);
    OG_TRY(og_gittins_ties_break(policy->ties, state, policy->top));
    raise_top(policy, answer, state->count);
    return OG_OK;
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    fluid_policy *policy = self;
    *kind = OG_ANSWER_INDEX;
    message->text[0] = '\0';
    og_status status = choose_in(policy, state, answer, message);
    if (status == OG_FAILED && message->text[0] == '\0') {
        status = og_message_set(message, OG_STOPPED, "the fluid problem was not solved");
    } else if (status != OG_OK && message->text[0] == '\0') {
        og_message_set(message, status, "the fluid problem: %s", og_status_text(status));
    }
    return status;
}

static uint64_t tolerance_ties(void *self)
{
    fluid_policy *policy = self;
    const og_ranks *followed = policy->following.ranks;
    uint64_t inner = followed == NULL ? 0 : og_ranks_tolerance_ties(followed);
    return inner + __atomic_load_n(&policy->tolerance_ties, __ATOMIC_RELAXED);
}

/* ---- making ---- */

static og_status prepare(fluid_policy *self, const og_policy_name *policy, const og_arms *arms,
                         const og_policy_use *use, og_message *message)
{
    og_policy_use half = *use;
    half.memory_bytes = use->memory_bytes / 2;
    self->arms = arms;
    self->depth = self->midway || !policy->has_parameter ? 1 : (int32_t)policy->parameter;
    if (self->midway) {
        OG_TRY(og_following_init(policy, arms, &half, 1, &self->following, message));
    }
    OG_TRY(og_twins_new(arms, OG_TWINS_ALL, use->stop, &self->twins));
    OG_TRY(og_fluid_new(arms, half.memory_bytes, use->stop, &self->fluid));
    return og_gittins_ties_new(arms, self->twins, use->threads, use->stop, &self->ties);
}

static og_status make(const og_policy_name *policy, bool midway, const og_arms *arms,
                      const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_message why = {""};
    OG_TRY(og_refuse_prices(policy, arms, message));
    fluid_policy *self = calloc(1, sizeof *self);
    OG_TRY(OG_ALLOCATED(self));
    self->midway = midway;
    og_status status = prepare(self, policy, arms, use, &why);
    og_chooser chooser = {.self = self,
                          .look = midway ? OG_LOOK_RANKS : OG_LOOK_VALUE,
                          .apart = self->following.ranks,
                          .choose = choose,
                          .tolerance_ties = tolerance_ties,
                          .free = fluid_policy_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        fluid_policy_free(self);
        return og_following_explain(policy, status, &why, message);
    }
    return OG_OK;
}

og_status og_make_dual(const og_policy_name *policy, const og_arms *arms, const og_policy_use *use,
                       og_ranks **out, og_message *message)
{
    return make(policy, false, arms, use, out, message);
}

og_status og_make_midway(const og_policy_name *policy, const og_arms *arms,
                         const og_policy_use *use, og_ranks **out, og_message *message)
{
    return make(policy, true, arms, use, out, message);
}
