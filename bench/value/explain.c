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
#include "dp/base/multisets.h"
#include "dp/product/chooser.h"

/* What is known of a state before it is looked at. */
typedef struct {
    double probability;
    uint64_t terms; /* that were added up to it */
} presence;

/* A decision while better ones may still come: its state as a list. */
typedef struct {
    og_decision decision;
    og_copies *list; /* [decision.count] */
} candidate;

typedef struct {
    const og_explain_request *request;
    og_message *message;
    og_solver *own;   /* the policy's; NULL where no tie is broken by values */
    double relative;  /* proved relative error of V and Q */
    double tie_error; /* what the last choice among ties may have cost by rounding; proved */
    bool ordered;
    uint64_t set_bytes; /* limit of each of the two sets */
    og_multisets *here;
    og_multisets *below;
    int32_t room; /* of the next five */
    og_state_group *group;
    og_copies *list;      /* the state, copied: sets move */
    og_copies *successor; /* [room + 2] */
    double *weight;
    double *q;
    double drift;       /* proved relative error of the probabilities here */
    uint64_t terms_max; /* below */
    double error;
    double begun;
    double looked; /* when the watch was called last */
    candidate best[OG_DECISIONS];
    int32_t best_count;
    og_explanation out;
} walk;

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
    og_multisets_free(w->here);
    og_multisets_free(w->below);
    free(w->group);
    free(w->list);
    free(w->successor);
    free(w->weight);
    free(w->q);
    for (int32_t i = 0; i < w->best_count; i++) {
        free(w->best[i].list);
    }
    og_explanation_clear(&w->out);
}

/* ---- states ---- */

static og_status reserve(walk *w, int32_t count)
{
    if (count <= w->room) {
        return OG_OK;
    }
    size_t room = (size_t)count + 16;
    w->room = 0;
    free(w->group);
    free(w->list);
    free(w->successor);
    free(w->weight);
    free(w->q);
    w->group = malloc(room * sizeof *w->group);
    w->list = malloc(room * sizeof *w->list);
    w->successor = malloc((room + 2) * sizeof *w->successor);
    w->weight = malloc(room * sizeof *w->weight);
    w->q = malloc(room * sizeof *w->q);
    if (w->group == NULL || w->list == NULL || w->successor == NULL || w->weight == NULL ||
        w->q == NULL) {
        return OG_NO_MEMORY;
    }
    w->room = (int32_t)room;
    return OG_OK;
}

/* Members of lists are global nodes. */
static og_state take_state(walk *w, int32_t left, const og_copies *list, int32_t count)
{
    const og_arms *arms = w->request->arms;
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = og_arms_arm_of(arms, list[i].member);
        w->group[i] =
            (og_state_group){arm, list[i].member - arms->node_offset[arm], (int64_t)list[i].copies};
    }
    return (og_state){left, arms->budget, count, w->group};
}

static int compare_members(const void *left, const void *right)
{
    const og_copies *a = left;
    const og_copies *b = right;
    return (a->member > b->member) - (a->member < b->member);
}

/* Neighbours of one member become one; returns the length. */
static int32_t join(og_copies *list, int32_t count)
{
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (written > 0 && list[written - 1].member == list[i].member) {
            list[written - 1].copies += list[i].copies;
        } else if (list[i].copies > 0) {
            list[written++] = list[i];
        }
    }
    return written;
}

/* The first instance of run `from` is labelled and becomes `to`: the runs after that. */
static int32_t replace_in_order(const og_copies *list, int32_t count, int32_t from, uint32_t to,
                                og_copies *out)
{
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == from) {
            out[written++] = (og_copies){to, 1};
            out[written++] = (og_copies){list[i].member, list[i].copies - 1};
        } else {
            out[written++] = list[i];
        }
    }
    return join(out, written);
}

static og_status put(walk *w, og_multisets *set, const og_copies *list, int32_t count,
                     double probability)
{
    uint32_t entry;
    bool added;
    og_status status = og_multisets_put(set, list, count, w->set_bytes, &entry, &added);
    if (status == OG_STOPPED) {
        return og_message_set(w->message, status,
                              "the memory limit does not hold the states that the policy meets");
    }
    if (status != OG_OK) {
        return og_message_set(w->message, status, "%s", og_status_text(status));
    }
    presence *at = og_multisets_payload(set, entry);
    at->probability += probability;
    at->terms++;
    w->terms_max = at->terms > w->terms_max ? at->terms : w->terms_max;
    return OG_OK;
}

static og_status put_first(walk *w)
{
    const og_arms *arms = w->request->arms;
    og_status status = reserve(w, arms->group_count + 1);
    if (status != OG_OK) {
        return og_message_set(w->message, status, "%s", og_status_text(status));
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        w->list[g] =
            (og_copies){arms->node_offset[arms->arm_of_group[g]], (uint32_t)arms->group_size[g]};
    }
    if (!w->ordered) {
        qsort(w->list, (size_t)arms->group_count, sizeof *w->list, compare_members);
    }
    return put(w, w->here, w->list, join(w->list, arms->group_count), 1);
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
        og_status status = og_solver_q_of(w->own, state, i, &w->q[i], w->message);
        if (status != OG_OK) {
            return status;
        }
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
    og_status status = ranks->asked != NULL ? og_ranks_ask(ranks, state, w->q, &kind) : OG_OK;
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
            og_status status = og_solver_q_of(w->request->optimum, state, i, &w->q[i], w->message);
            if (status != OG_OK) {
                return status;
            }
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
static og_status consider(walk *w, const og_state *state, const og_copies *list,
                          const og_decision *made)
{
    int32_t at = w->best_count;
    while (at > 0 && made->contribution > w->best[at - 1].decision.contribution) {
        at--;
    }
    if (at == OG_DECISIONS) {
        return OG_OK;
    }
    og_copies *copy = malloc((size_t)state->count * sizeof *copy);
    if (copy == NULL) {
        return og_message_set(w->message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    memcpy(copy, list, (size_t)state->count * sizeof *copy);
    if (w->best_count == OG_DECISIONS) {
        free(w->best[--w->best_count].list);
    }
    memmove(&w->best[at + 1], &w->best[at], (size_t)(w->best_count - at) * sizeof *w->best);
    w->best[at] = (candidate){*made, copy};
    w->best_count++;
    return OG_OK;
}

/* ---- from one label to the next ---- */

static og_status follow(walk *w, const og_state *state, const og_copies *list, double probability)
{
    const og_arms *arms = w->request->arms;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        const og_arm *arm = arms->arm[group->arm];
        const size_t first = (size_t)group->node * (size_t)arm->outcome_count;
        for (int32_t k = 0; status == OG_OK && w->weight[i] > 0 && k < arm->outcome_count; k++) {
            uint32_t to = arms->node_offset[group->arm] + arm->next[first + (size_t)k];
            int32_t count = w->ordered ? replace_in_order(list, state->count, i, to, w->successor)
                                       : og_multiset_replace(list, state->count, list[i].member, to,
                                                             w->successor);
            status = put(w, w->below, w->successor, count,
                         probability * w->weight[i] * arm->probability[first + (size_t)k]);
        }
    }
    return status;
}

static og_status visit(walk *w, uint32_t entry, int32_t left, long double *stage)
{
    int32_t count;
    const og_copies *stored = og_multisets_at(w->here, entry, &count);
    double probability = ((const presence *)og_multisets_payload(w->here, entry))->probability;
    og_status status = reserve(w, count);
    if (status != OG_OK) {
        return og_message_set(w->message, status, "%s", og_status_text(status));
    }
    memcpy(w->list, stored, (size_t)count * sizeof *stored);
    /* The walk keeps what was reserved: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    og_state state = take_state(w, left, w->list, count);
    double value = 0;
    status = og_solver_value_at(w->request->optimum, &state, &value, w->message);
    if (status != OG_OK || value == 0) {
        return status; /* where nothing can be gained nothing can be lost, now or later */
    }
    double loss = 0;
    double error = 0;
    status = choose(w, &state);
    if (status == OG_OK) {
        status = find_loss(w, &state, value, &loss, &error);
    }
    if (status != OG_OK) {
        return status;
    }
    *stage += (long double)probability * loss;
    w->error += probability * (1 + w->drift) * (error + w->tie_error);
    w->error += probability * loss * (w->drift + 4 * unit);
    if (loss > 0 && probability * loss > 0) {
        og_decision made = {.left = left,
                            .probability = probability,
                            .loss = loss,
                            .contribution = probability * loss,
                            .count = count};
        status = consider(w, &state, w->list, &made);
    }
    if (status == OG_OK && left > 1) {
        status = follow(w, &state, w->list, probability);
    }
    w->out.states++;
    return status;
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
                            .memory_bytes =
                                og_multisets_bytes(w->here) + og_multisets_bytes(w->below),
                            .settled = 0,
                            .seconds = now - w->begun};
    return settings->watch(settings->watch_user, &progress)
               ? OG_OK
               : og_message_set(w->message, OG_STOPPED, "the work was stopped");
}

static og_status pass(walk *w, int32_t left)
{
    long double stage = 0;
    og_status status = OG_OK;
    uint32_t count = og_multisets_count(w->here);
    w->terms_max = 0;
    for (uint32_t entry = 0; status == OG_OK && entry < count; entry++) {
        status = look_around(w);
        if (status == OG_OK) {
            status = visit(w, entry, left, &stage);
        }
    }
    w->out.stage[left] = (double)stage;
    w->error += (double)stage * (unit + (double)count * 0x1p-63);
    /* A probability is a sum of products of one here, a weight and an outcome's. */
    double outcome = 0;
    double groups = w->room;
    for (int32_t a = 0; a < w->request->arms->arm_count; a++) {
        outcome = fmax(outcome, w->request->arms->arm[a]->probability_error);
    }
    w->drift = 1.01 * (w->drift + outcome + ((double)w->terms_max + groups + 4) * unit);
    og_multisets *done = w->here;
    w->here = w->below;
    w->below = done;
    og_multisets_empty(w->below);
    return status;
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
    int32_t count = from->decision.count;
    double best = 0;
    og_status status = reserve(w, count);
    og_decision_group *group = calloc((size_t)count, sizeof *group);
    double *error = calloc((size_t)count, sizeof *error);
    status = status != OG_OK || group == NULL || error == NULL ? OG_NO_MEMORY : OG_OK;
    if (status != OG_OK) {
        og_message_set(w->message, status, "%s", og_status_text(status));
    }
    og_state state = {.count = 0};
    if (status == OG_OK) {
        state = take_state(w, from->decision.left, from->list, count);
        status = choose(w, &state);
    }
    if (status == OG_OK) {
        status = og_solver_q_at(w->request->optimum, &state, w->q, error, w->message);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        best = fmax(best, w->q[i] - error[i]);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        const og_state_group *at = &state.group[i];
        group[i] = (og_decision_group){.prior = first_group_of(arms, at->arm),
                                       .copies = at->copies,
                                       .chosen = w->weight[i],
                                       .q = w->q[i],
                                       .optimal = w->q[i] + error[i] >= best};
        og_arm_counts(arms->arm[at->arm], at->node, group[i].labels);
    }
    free(error);
    if (status != OG_OK) {
        free(group);
        return status;
    }
    *out = from->decision;
    out->group = group;
    return OG_OK;
}

static og_status begin(walk *w)
{
    const og_explain_request *request = w->request;
    og_settings settings = request->settings;
    bool by_values = request->ties == OG_TIES_BEST || request->ties == OG_TIES_WORST;
    w->begun = w->looked = og_seconds();
    w->ordered = request->ties == OG_TIES_FIRST;
    w->relative = og_solver_relative_error(request->optimum);
    w->set_bytes = settings.memory_bytes / (by_values ? 4 : 2);
    w->out.budget = request->arms->budget;
    w->out.stage = calloc((size_t)request->arms->budget + 1, sizeof *w->out.stage);
    if (w->out.stage == NULL || og_multisets_new(sizeof(presence), &w->here) != OG_OK ||
        og_multisets_new(sizeof(presence), &w->below) != OG_OK) {
        return og_message_set(w->message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    if (!by_values) {
        return OG_OK;
    }
    settings.memory_bytes /= 2;
    settings.checkpoint = NULL;
    return og_solver_new_policy(request->arms, request->ranks, request->ties, &settings, &w->own,
                                w->message);
}

og_status og_explain(const og_explain_request *request, og_explanation *out, og_message *message)
{
    og_message ignored = {""};
    walk w = {.request = request, .message = message != NULL ? message : &ignored};
    og_status status = begin(&w);
    if (status == OG_OK) {
        status = put_first(&w);
    }
    for (int32_t left = request->arms->budget; status == OG_OK && left >= 1; left--) {
        status = pass(&w, left);
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
