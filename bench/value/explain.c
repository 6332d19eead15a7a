/*
 * A policy's losses, by a forward pass: the states with r labels left and their probabilities, what
 * is lost by the policy's choice in each, and from that the states with r - 1 left.
 */
#include "bench/value/explain.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/product/chooser.h"
#include "dp/product/forward.h"

/* What is known of a state before it is looked at. */
typedef struct {
    double probability;
    uint64_t terms; /* that were added up to it */
} presence;

/* A decision while costlier ones may still come: its state as a list. */
typedef struct {
    og_decision decision;
    og_copies *list; /* [decision.count] */
} candidate;

typedef struct {
    og_arena arena;
    const og_explain_request *request;
    og_message *message;
    og_solver *own;     /* the policy's; NULL where no tie is broken by values */
    double relative;    /* proved relative error of V and Q */
    double tie_error;   /* what the last choice among ties may have cost by rounding; proved */
    og_forward pass;    /* payload: presence */
    int32_t groups_max; /* no state so far has more groups */
    double *weight;     /* of the groups of the state at hand */
    double *q;
    double *q_error;
    double drift;       /* proved relative error of the probabilities here */
    uint64_t terms_max; /* below */
    double error;
    double begun;
    double looked; /* when the watch was called last */
    candidate best[OG_DECISIONS];
    int32_t best_count;
    og_explanation out;
} walk;

enum { GROUPS_STEP = 16 };

static const double unit = 0x1p-53;
static const double watch_seconds = 0.1;

void og_explanation_clear(og_explanation *explanation)
{
    for (int32_t i = 0; i < explanation->decision_count; i++) {
        free(explanation->decision[i].group);
    }
    free(explanation->stage);
    memset(explanation, 0, sizeof *explanation);
}

static void walk_clear(walk *w)
{
    og_solver_free(w->own);
    og_forward_clear(&w->pass);
    for (int32_t i = 0; i < w->best_count; i++) {
        free(w->best[i].list);
    }
    og_explanation_clear(&w->out);
    og_arena_clear(&w->arena);
}

/* ---- states ---- */

static og_status failed(const walk *w, og_status status)
{
    const char *text = status == OG_STOPPED
                           ? "the memory limit does not hold the states that the policy meets"
                           : og_status_text(status);
    return og_message_set(w->message, status, "%s", text);
}

static void add_presence(walk *w, og_multisets *set, uint32_t entry, double probability)
{
    presence *at = og_multisets_payload(set, entry);
    at->probability += probability;
    at->terms++;
    w->terms_max = at->terms > w->terms_max ? at->terms : w->terms_max;
}

/* ---- what the policy chooses ---- */

/* Of several that tie, the one whose continuation under the policy itself is worth most, least. */
static og_status break_ties(walk *w, const og_state *state)
{
    bool best = w->request->ties == OG_TIES_BEST;
    int32_t top = -1;
    for (int32_t i = 0; i < state->count; i++) {
        if (w->weight[i] == 0) {
            continue;
        }
        OG_TRY(og_solver_q_of(w->own, state, i, &w->q[i], w->message));
        if (top < 0 || (best ? w->q[i] > w->q[top] : w->q[i] < w->q[top])) {
            top = i;
        }
    }
    assert(top >= 0);
    w->tie_error = 2.02 * og_solver_relative_error(w->own) * w->q[top];
    for (int32_t i = 0; i < state->count; i++) {
        w->weight[i] = i == top;
    }
    return OG_OK;
}

/* Weights that were answered are no ties. */
static og_status has_ties(walk *w, const og_state *state, bool *tied)
{
    const og_ranks *ranks = w->request->ranks;
    og_answer kind = OG_ANSWER_INDEX;
    og_status status =
        ranks->chooser_lock != NULL ? og_ranks_ask(ranks, state, w->q, &kind) : OG_OK;
    int32_t count = 0;
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        count += w->weight[i] > 0;
    }
    *tied = kind == OG_ANSWER_INDEX && count > 1;
    return status;
}

/* w->weight: probabilities, adding up to 1 but for rounding. */
static og_status choose(walk *w, const og_state *state)
{
    const og_ranks *ranks = w->request->ranks;
    bool tied = false;
    w->tie_error = 0;
    og_status status = og_ranks_choose(ranks, state, w->request->ties, w->weight);
    if (status == OG_OK && w->own != NULL) {
        status = has_ties(w, state, &tied);
    }
    if (status != OG_OK) {
        og_ranks_failure(ranks, w->message);
        return status;
    }
    if (tied) {
        status = break_ties(w, state);
    }
    double sum = 0;
    for (int32_t i = 0; i < state->count; i++) {
        sum += w->weight[i];
    }
    for (int32_t i = 0; i < state->count; i++) {
        w->weight[i] /= sum;
    }
    return status;
}

/* ---- what it loses ---- */

static og_status find_loss(walk *w, const og_state *state, double value, double *loss,
                           double *error)
{
    double chosen = 0;
    for (int32_t i = 0; i < state->count; i++) {
        if (w->weight[i] > 0) {
            OG_TRY(og_solver_q_of(w->request->optimum, state, i, &w->q[i], w->message));
            chosen += w->weight[i] * w->q[i];
        }
    }
    /* V and Q as computed, the mean of the Qs and the weights in it, their difference. */
    *error = 1.01 * (value * (w->relative + unit) +
                     chosen * (w->relative + (3.0 * state->count + 4) * unit));
    *loss = value - chosen;
    if (*loss < -*error) {
        return og_message_set(w->message, OG_FAILED,
                              "the results contradict each other (a label worth more than the "
                              "optimum: %.17g > %.17g): please report this",
                              chosen, value);
    }
    if (*loss <= *error) {
        *loss = 0; /* nothing but rounding */
    }
    return OG_OK;
}

/* Where the decision belongs among the costliest so far; of equal ones the earlier stays ahead. */
static og_status consider(walk *w, const og_decision *made)
{
    int32_t at = w->best_count;
    while (at > 0 && made->contribution > w->best[at - 1].decision.contribution) {
        at--;
    }
    if (at == OG_DECISIONS) {
        return OG_OK;
    }
    og_copies *copy = malloc((size_t)made->count * sizeof *copy);
    if (copy == NULL) {
        return failed(w, OG_NO_MEMORY);
    }
    memcpy(copy, w->pass.list, (size_t)made->count * sizeof *copy);
    if (w->best_count == OG_DECISIONS) {
        free(w->best[--w->best_count].list);
    }
    memmove(&w->best[at + 1], &w->best[at], (size_t)(w->best_count - at) * sizeof *w->best);
    w->best[at] = (candidate){*made, copy};
    w->best_count++;
    return OG_OK;
}

/* ---- from one label to the next ---- */

static og_status follow(walk *w, double probability)
{
    const og_state *state = &w->pass.state;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        const og_arm *arm = w->request->arms->arm[group->arm];
        const double *p = &arm->probability[(size_t)group->node * (size_t)arm->outcome_count];
        for (int32_t k = 0; w->weight[i] > 0 && k < arm->outcome_count; k++) {
            uint32_t entry;
            og_status status = og_forward_put(&w->pass, i, k, &entry);
            if (status != OG_OK) {
                return failed(w, status);
            }
            add_presence(w, w->pass.below, entry, probability * w->weight[i] * p[k]);
        }
    }
    return OG_OK;
}

static og_status visit(walk *w, uint32_t entry, long double *stage)
{
    const og_state *state = &w->pass.state;
    double probability = ((const presence *)og_multisets_payload(w->pass.here, entry))->probability;
    og_forward_take(&w->pass, entry);
    w->groups_max = state->count > w->groups_max ? state->count + GROUPS_STEP : w->groups_max;
    double value = 0;
    og_status status = og_solver_value_at(w->request->optimum, state, &value, w->message);
    if (status != OG_OK || value == 0) {
        return status; /* where nothing can be gained nothing can be lost, now or later */
    }
    double loss = 0;
    double error = 0;
    OG_TRY(choose(w, state));
    OG_TRY(find_loss(w, state, value, &loss, &error));
    *stage += (long double)probability * loss;
    w->error += probability * (1 + w->drift) * (error + w->tie_error);
    w->error += probability * loss * (w->drift + 4 * unit);
    if (loss > 0 && probability * loss > 0) {
        og_decision made = {.left = state->left,
                            .probability = probability,
                            .loss = loss,
                            .contribution = probability * loss,
                            .count = state->count};
        OG_TRY(consider(w, &made));
    }
    if (state->left > 1) {
        OG_TRY(follow(w, probability));
    }
    w->out.states++;
    return OG_OK;
}

/* Now and then, and at the limit on states. */
static og_status look_around(walk *w)
{
    const og_settings *settings = &w->request->settings;
    if (settings->states_max > 0 && w->out.states > settings->states_max) {
        return og_message_set(w->message, OG_STOPPED, "the policy meets more than %llu states",
                              (unsigned long long)settings->states_max);
    }
    double now = og_seconds();
    if (settings->watch == NULL || now - w->looked < watch_seconds) {
        return OG_OK;
    }
    w->looked = now;
    og_progress progress = {.states = w->out.states,
                            .memory_bytes = og_multisets_bytes(w->pass.here) +
                                            og_multisets_bytes(w->pass.below),
                            .settled = 0,
                            .seconds = now - w->begun};
    return settings->watch(settings->watch_user, &progress)
               ? OG_OK
               : og_message_set(w->message, OG_STOPPED, "the work was stopped");
}

static og_status one_stage(walk *w)
{
    long double stage = 0;
    uint32_t count = og_forward_count(&w->pass);
    w->terms_max = 0;
    for (uint32_t entry = 0; entry < count; entry++) {
        OG_TRY(look_around(w));
        OG_TRY(visit(w, entry, &stage));
    }
    w->out.stage[w->pass.left] = (double)stage;
    w->error += (double)stage * (unit + (double)count * 0x1p-63);
    /* A probability is a sum of products of one here, a weight and an outcome's. */
    double outcome = 0;
    double groups = w->groups_max;
    for (int32_t a = 0; a < w->request->arms->arm_count; a++) {
        outcome = fmax(outcome, w->request->arms->arm[a]->probability_error);
    }
    w->drift = 1.01 * (w->drift + outcome + ((double)w->terms_max + groups + 4) * unit);
    og_forward_next(&w->pass);
    return OG_OK;
}

/* ---- the costliest decisions, in full ---- */

static int32_t first_group_of(const og_arms *arms, int32_t arm)
{
    int32_t g = 0;
    while (arms->arm_of_group[g] != arm) {
        g++;
    }
    return g;
}

static og_status describe(walk *w, const candidate *from, og_decision *out)
{
    const og_arms *arms = w->request->arms;
    const og_state *state = &w->pass.state;
    double best = 0;
    og_forward_take_list(&w->pass, from->decision.left, from->list, from->decision.count);
    OG_TRY(choose(w, state));
    OG_TRY(og_solver_q_at(w->request->optimum, state, w->q, w->q_error, w->message));
    og_decision_group *group = calloc((size_t)state->count, sizeof *group);
    if (group == NULL) {
        return failed(w, OG_NO_MEMORY);
    }
    for (int32_t i = 0; i < state->count; i++) {
        best = fmax(best, w->q[i] - w->q_error[i]);
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *at = &state->group[i];
        group[i] = (og_decision_group){.prior = first_group_of(arms, at->arm),
                                       .copies = at->copies,
                                       .chosen = w->weight[i],
                                       .q = w->q[i],
                                       .optimal = w->q[i] + w->q_error[i] >= best};
        og_arm_counts(arms->arm[at->arm], at->node, group[i].labels);
    }
    *out = from->decision;
    out->group = group;
    return OG_OK;
}

static og_status begin(walk *w)
{
    const og_explain_request *request = w->request;
    const og_arms *arms = request->arms;
    og_settings settings = request->settings;
    bool by_values = request->ties == OG_TIES_BEST || request->ties == OG_TIES_WORST;
    size_t room = (size_t)arms->group_count + 2 * (size_t)arms->budget + 2;
    w->begun = w->looked = og_seconds();
    w->relative = og_solver_relative_error(request->optimum);
    w->groups_max = arms->group_count + 1 + GROUPS_STEP;
    w->out.budget = arms->budget;
    w->out.stage = calloc((size_t)arms->budget + 1, sizeof *w->out.stage);
    w->weight = og_arena_array(&w->arena, room, sizeof *w->weight);
    w->q = og_arena_array(&w->arena, room, sizeof *w->q);
    w->q_error = og_arena_array(&w->arena, room, sizeof *w->q_error);
    og_status status = w->out.stage == NULL ? OG_NO_MEMORY : og_arena_status(&w->arena);
    if (status == OG_OK) {
        status = og_forward_begin(arms, request->ties == OG_TIES_FIRST, sizeof(presence),
                                  settings.memory_bytes / (by_values ? 4 : 2), &w->pass);
    }
    if (status != OG_OK) {
        return failed(w, status);
    }
    add_presence(w, w->pass.here, 0, 1);
    if (!by_values) {
        return OG_OK;
    }
    settings.memory_bytes /= 2;
    settings.checkpoint = NULL;
    return og_solver_new_policy(arms, request->ranks, request->ties, &settings, &w->own,
                                w->message);
}

og_status og_explain(const og_explain_request *request, og_explanation *out, og_message *message)
{
    og_message ignored = {""};
    walk w = {.request = request, .message = message != NULL ? message : &ignored};
    og_status status = begin(&w);
    while (status == OG_OK && w.pass.left >= 1) {
        status = one_stage(&w);
    }
    for (int32_t i = 0; status == OG_OK && i < w.best_count; i++) {
        status = describe(&w, &w.best[i], &w.out.decision[i]);
        w.out.decision_count += status == OG_OK;
    }
    for (int32_t left = request->arms->budget; left >= 1 && status == OG_OK; left--) {
        w.out.total += w.out.stage[left];
    }
    w.out.error = 1.01 * (w.error + request->arms->budget * unit * w.out.total);
    if (status == OG_OK) {
        *out = w.out;
        memset(&w.out, 0, sizeof w.out);
    }
    walk_clear(&w);
    return status;
}
