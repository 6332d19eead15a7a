/*
 * Computes a policy's losses with a forward pass. From the states with r labels left and their
 * probabilities it computes the loss of the policy's choice in each, and then the states with r - 1
 * labels left.
 */
#include "bench/questions/explain.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/questions/choice.h"
#include "dp/base/clock.h"
#include "dp/base/ties.h"

/* Data about a state before it is visited. */
typedef struct {
    double probability;
    uint64_t terms; /* number of terms in the sum */
} presence;

/* A decision, which costlier ones may still replace, and its state. */
typedef struct {
    og_decision decision;
    int32_t stage, words;
    uint64_t *key; /* [words] */
} candidate;

typedef struct {
    og_arena arena;
    const og_explained_policy *policy;
    og_message *message;
    og_steps *optimum;
    og_steps own;         /* the policy's values; zeroed if ties do not need them */
    double tie_error;     /* proved bound: loss from rounding in the last choice among ties */
    og_forward_pass pass; /* payload: presence */
    og_step_state here;   /* the current state */
    og_step_state next;
    og_step_view stand; /* of the current state */
    int32_t acts_max;   /* no state so far has more acts */
    double *weight;     /* of the acts of the current state */
    double *q;
    double *q_error;
    og_choice choice;
    char *text;        /* [TEXT_BYTES] */
    long double stage; /* loss of this stage so far */
    long double *lost; /* [budget + 1] the same for each number of labels left */
    uint64_t states_met;
    int32_t stage_count; /* stages at the start of the pass, except one without labels */
    double drift;        /* proved relative error of the current probabilities */
    uint64_t terms_max;  /* in the next stage */
    double error;
    double begun;
    double looked; /* time of the last call of the watch */
    candidate best[OG_DECISIONS];
    int32_t best_count;
    og_explanation out;
} walk;

enum { ACTS_STEP = 16, TEXT_BYTES = 1 << 16 };

static const double unit = 0x1p-53;
static const double watch_seconds = 0.1;

void og_explanation_clear(og_explanation *explanation)
{
    og_arena_clear(&explanation->arena);
    memset(explanation, 0, sizeof *explanation);
}

static void walk_clear(walk *w)
{
    og_steps_free(&w->own);
    og_forward_pass_clear(&w->pass);
    for (int32_t i = 0; i < w->best_count; i++) {
        free(w->best[i].key);
    }
    og_explanation_clear(&w->out);
    og_arena_clear(&w->arena);
}

const char *og_explain_refusal(const og_family *family, const og_strategy *by)
{
    return !og_family_is_followed(family) ? "--explain does not support this family of problems"
                                          : og_choice_refusal(by);
}

/* ---- states ---- */

static og_status failed(const walk *w, og_status status)
{
    const char *text = status == OG_STOPPED
                           ? "the memory limit does not hold the states that the policy reaches"
                           : og_status_text(status);
    return og_message_set(w->message, status, "%s", text);
}

static void add_presence(walk *w, int32_t stage, uint32_t entry, double probability)
{
    presence *at = og_forward_pass_payload(&w->pass, stage, entry);
    at->probability += probability;
    at->terms++;
    w->terms_max = at->terms > w->terms_max ? at->terms : w->terms_max;
}

/* ---- the policy's choice ---- */

/* Of several ties, choose the one with the largest, or smallest, value when the policy itself
 * continues. */
static og_status break_ties(walk *w)
{
    const og_steps *own = &w->own;
    bool best = w->policy->ties == OG_TIES_BEST;
    int32_t count = w->stand.x->action_count;
    int32_t top = -1;
    double error;
    og_step_view stand;
    OG_TRY(own->take(own->self, &w->here, &stand, w->message));
    for (int32_t i = 0; i < count; i++) {
        if (w->weight[i] == 0) {
            continue;
        }
        OG_TRY(own->q_of(own->self, i, &w->q[i], &error, w->message));
        w->tie_error = fmax(w->tie_error, 2.02 * error);
        if (top < 0 || (best ? w->q[i] > w->q[top] : w->q[i] < w->q[top])) {
            top = i;
        }
    }
    assert(top >= 0);
    for (int32_t i = 0; i < count; i++) {
        w->weight[i] = i == top;
    }
    return OG_OK;
}

/* Set w->weight: probabilities, which add up to 1 within rounding; the last is that of stopping,
 * which gains nothing. If the strategy answered with weights, they are not ties. */
static og_status choose(walk *w)
{
    const og_expansion *x = w->stand.x;
    og_answer kind = OG_ANSWER_INDEX;
    int32_t tied = 0;
    double sum = 0;
    w->tie_error = 0;
    OG_TRY(og_choice_weigh(&w->choice, &w->stand, w->weight, &kind, w->message));
    for (int32_t i = 0; i < x->action_count; i++) {
        tied += w->weight[i] > 0;
    }
    if (w->own.self != NULL && kind == OG_ANSWER_INDEX && tied > 1) {
        OG_TRY(break_ties(w));
    }
    for (int32_t i = 0; i <= x->action_count; i++) {
        sum += w->weight[i];
    }
    for (int32_t i = 0; i <= x->action_count; i++) {
        w->weight[i] /= sum;
    }
    return OG_OK;
}

/* ---- its loss ---- */

static og_status find_loss(walk *w, double value, double value_error, double *loss, double *error)
{
    const og_steps *optimum = w->optimum;
    int32_t count = w->stand.x->action_count;
    double chosen = 0, chosen_error = 0, terms = 0;
    for (int32_t i = 0; i < count; i++) {
        if (w->weight[i] > 0) {
            OG_TRY(optimum->q_of(optimum->self, i, &w->q[i], &w->q_error[i], w->message));
            chosen += w->weight[i] * w->q[i];
            terms += w->weight[i] * fabs(w->q[i]);
            chosen_error += w->weight[i] * w->q_error[i];
        }
    }
    /* Errors of V and Q, of the mean of the Qs and its weights, and of the difference. */
    *error =
        1.01 * (value_error + fabs(value) * unit + chosen_error + terms * (3.0 * count + 4) * unit);
    *loss = value - chosen;
    if (*loss < -*error) {
        return og_message_set(w->message, OG_FAILED,
                              "the results contradict each other (a label worth more than the "
                              "optimum: %.17g > %.17g): please report this",
                              chosen, value);
    }
    if (*loss <= *error) {
        *loss = 0; /* only rounding */
    }
    return OG_OK;
}

/* Insert the decision among the costliest so far; of equal ones the earlier stays first. */
static og_status consider(walk *w, const og_decision *made)
{
    int32_t at = w->best_count;
    while (at > 0 && made->contribution > w->best[at - 1].decision.contribution) {
        at--;
    }
    if (at == OG_DECISIONS) {
        return OG_OK;
    }
    size_t bytes = (size_t)w->here.words * sizeof *w->here.key;
    uint64_t *copy = malloc(bytes);
    if (copy == NULL) {
        return failed(w, OG_NO_MEMORY);
    }
    memcpy(copy, w->here.key, bytes);
    if (w->best_count == OG_DECISIONS) {
        free(w->best[--w->best_count].key);
    }
    memmove(&w->best[at + 1], &w->best[at], (size_t)(w->best_count - at) * sizeof *w->best);
    w->best[at] = (candidate){*made, w->here.stage, w->here.words, copy};
    w->best_count++;
    return OG_OK;
}

/* ---- from one label to the next ---- */

static og_status follow(walk *w, double probability)
{
    const og_expansion *x = w->stand.x;
    for (int32_t i = 0; i < x->action_count; i++) {
        const og_action *action = &x->action[i];
        for (int32_t k = 0; w->weight[i] > 0 && k < action->outcome_count; k++) {
            uint32_t entry;
            w->optimum->next(w->optimum->self, &x->outcome[action->outcome_first + k], &w->next);
            if (w->next.words == 0) {
                continue;
            }
            og_status status = og_forward_pass_put(&w->pass, &w->next, &entry);
            if (status != OG_OK) {
                return failed(w, status);
            }
            add_presence(w, w->next.stage, entry, probability * w->weight[i] * w->next.probability);
        }
    }
    return OG_OK;
}

/* Find the policy's choice in the current state, and its loss. */
static og_status judge(walk *w, double value, double value_error, double probability)
{
    double loss = 0;
    double error = 0;
    OG_TRY(choose(w));
    OG_TRY(find_loss(w, value, value_error, &loss, &error));
    w->stage += (long double)probability * loss;
    w->lost[w->stand.left] += (long double)probability * loss;
    w->error += probability * (1 + w->drift) * (error + w->tie_error);
    w->error += probability * loss * (w->drift + 4 * unit);
    if (loss > 0 && probability * loss > 0) {
        og_decision made = {.left = w->stand.left,
                            .probability = probability,
                            .loss = loss,
                            .contribution = probability * loss,
                            .count = w->stand.x->action_count};
        OG_TRY(consider(w, &made));
    }
    w->out.states++;
    return OG_OK;
}

static og_status visit(walk *w, uint32_t entry)
{
    const og_steps *optimum = w->optimum;
    const presence *at = og_forward_pass_payload(&w->pass, w->pass.stage, entry);
    double probability = at->probability;
    double value = 0, error;
    og_forward_pass_place(&w->pass, entry, &w->here);
    OG_TRY(optimum->take(optimum->self, &w->here, &w->stand, w->message));
    int32_t count = w->stand.x->action_count;
    w->acts_max = count > w->acts_max ? count + ACTS_STEP : w->acts_max;
    if (w->stand.x->combine == OG_COMBINE_MEAN) {
        w->weight[0] = 1;
        return follow(w, probability);
    }
    if (w->stand.left == 0) {
        return OG_OK; /* nothing is decided any more */
    }
    OG_TRY(optimum->value(optimum->self, &value, &error, w->message));
    if (value == 0 && optimum->gains && !optimum->losses) {
        return OG_OK; /* without a further gain there is no further loss */
    }
    OG_TRY(judge(w, value, error, probability));
    return w->stand.left > 1 ? follow(w, probability) : OG_OK;
}

/* Call the watch now and then, and check the limit on states. */
static og_status look_around(walk *w)
{
    const og_settings *settings = &w->policy->settings;
    if (settings->states_max > 0 && w->out.states > settings->states_max) {
        return og_message_set(w->message, OG_STOPPED, "the policy reaches more than %llu states",
                              (unsigned long long)settings->states_max);
    }
    double now = og_seconds();
    if (settings->watch == NULL || now - w->looked < watch_seconds) {
        return OG_OK;
    }
    w->looked = now;
    og_progress progress = {.states = w->out.states,
                            .memory_bytes = og_forward_pass_bytes(&w->pass),
                            .settled = 0,
                            .seconds = now - w->begun};
    return settings->watch(settings->watch_user, &progress)
               ? OG_OK
               : og_message_set(w->message, OG_STOPPED, "the work was stopped");
}

static og_status one_stage(walk *w)
{
    uint32_t count = og_forward_pass_count(&w->pass);
    w->terms_max = 0;
    w->stage = 0;
    for (uint32_t entry = 0; entry < count; entry++) {
        OG_TRY(look_around(w));
        OG_TRY(visit(w, entry));
    }
    w->error += (double)w->stage * (unit + (double)count * 0x1p-63);
    w->states_met += count;
    /* The next probabilities are sums of products: a current probability, a weight and an outcome's
     * probability. */
    w->drift = 1.01 * (w->drift + w->optimum->probability_error +
                       ((double)w->terms_max + (double)w->acts_max + 4) * unit);
    og_forward_pass_next(&w->pass);
    return OG_OK;
}

/* ---- the costliest decisions, in full ---- */

static char *text_of(walk *w, const char *text)
{
    return og_arena_copy(&w->out.arena, text, strlen(text) + 1, 1);
}

static og_status describe(walk *w, const candidate *from, og_decision *out)
{
    const og_family *family = w->policy->family;
    const og_steps *optimum = w->optimum;
    const void *problem = w->policy->problem;
    double best = w->optimum->either_sign ? -INFINITY : 0;
    w->here.stage = from->stage;
    w->here.words = from->words;
    memcpy(w->here.key, from->key, (size_t)from->words * sizeof *from->key);
    OG_TRY(optimum->take(optimum->self, &w->here, &w->stand, w->message));
    OG_TRY(choose(w));
    OG_TRY(optimum->q(optimum->self, w->q, w->q_error, w->message));
    const og_expansion *x = w->stand.x;
    og_decision_act *act = og_arena_array(&w->out.arena, (size_t)x->action_count, sizeof *act);
    *out = from->decision;
    family->words.state_text(problem, w->stand.state, w->text, TEXT_BYTES);
    out->text = text_of(w, w->text);
    for (int32_t i = 0; i < x->action_count; i++) {
        best = fmax(best, w->q[i] - w->q_error[i]);
    }
    for (int32_t i = 0; act != NULL && i < x->action_count; i++) {
        act[i] = (og_decision_act){.act = optimum->act(optimum->self, &x->action[i]),
                                   .copies = (int64_t)x->action[i].weight,
                                   .chosen = w->weight[i],
                                   .q = w->q[i],
                                   .optimal = w->q[i] + w->q_error[i] >= best};
        og_family_words_of(family).step_text(problem, act[i].act, w->text, TEXT_BYTES);
        act[i].text = text_of(w, w->text);
    }
    out->act = act;
    og_status status = og_arena_status(&w->out.arena);
    return status == OG_OK ? OG_OK : failed(w, status);
}

static og_status allocate(walk *w)
{
    size_t acts = (size_t)w->optimum->acts_max, words = (size_t)w->optimum->key_words_max;
    size_t labels = (size_t)w->out.budget + 1;
    w->out.stage = og_arena_array(&w->out.arena, labels, sizeof *w->out.stage);
    w->lost = og_arena_array(&w->arena, labels, sizeof *w->lost);
    w->weight = og_arena_array(&w->arena, acts + 1, sizeof *w->weight);
    w->q = og_arena_array(&w->arena, acts, sizeof *w->q);
    w->q_error = og_arena_array(&w->arena, acts, sizeof *w->q_error);
    w->here.key = og_arena_array(&w->arena, words, sizeof *w->here.key);
    w->next.key = og_arena_array(&w->arena, words, sizeof *w->next.key);
    w->text = og_arena_array(&w->arena, TEXT_BYTES, 1);
    OG_TRY(og_choice_init(&w->arena, w->policy->by, w->optimum, w->policy->ties, &w->choice));
    return w->out.stage == NULL ? OG_NO_MEMORY : og_arena_status(&w->arena);
}

static og_status begin_walk(walk *w)
{
    const og_explained_policy *policy = w->policy;
    og_settings settings = policy->settings;
    bool by_values = og_ties_by_value(policy->ties);
    w->begun = w->looked = og_seconds();
    w->out.budget = w->optimum->budget;
    og_status status = allocate(w);
    if (status == OG_OK) {
        w->optimum->root(w->optimum->self, &w->next);
        status = og_forward_pass_begin(&w->next, sizeof(presence),
                                       settings.memory_bytes / (by_values ? 4 : 2), &w->pass);
    }
    if (status != OG_OK) {
        return failed(w, status);
    }
    if (w->next.words > 0) {
        og_problem_size sizes;
        policy->family->model.sizes(policy->problem, &sizes);
        w->acts_max = sizes.acts + 1 + ACTS_STEP;
        w->stage_count = w->pass.stage;
        add_presence(w, w->pass.stage, 0, 1);
    }
    settings.memory_bytes /= 2;
    settings.checkpoint = NULL;
    if (by_values && (policy->by->belief_bytes > 0 || policy->by->decide != NULL)) {
        return og_message_set(w->message, OG_BAD_INPUT,
                              "ties best and worst of a policy with a belief or final calls of its "
                              "own are not followed");
    }
    const og_steps_use use = {.settings = settings, .by = policy->by, .ties = policy->ties};
    return by_values ? og_family_steps(policy->family, policy->problem, &use, &w->own, w->message)
                     : OG_OK;
}

static og_status root_error(walk *w, double *error)
{
    const og_steps *optimum = w->optimum;
    double value = 0, own;
    *error = 0;
    if (optimum->root_errors > 0 && w->pass.stage >= 0) {
        og_forward_pass_place(&w->pass, 0, &w->here);
        OG_TRY(optimum->take(optimum->self, &w->here, &w->stand, w->message));
        OG_TRY(optimum->value(optimum->self, &value, &own, w->message));
        *error = optimum->root_errors * own;
    }
    return OG_OK;
}

/* Sum the losses by labels left, and in total. If decisions with the same number of labels left
 * belong to several stages, their sums have more terms than a stage. */
static void sum_up(walk *w)
{
    for (int32_t left = w->out.budget; left >= 1; left--) {
        w->out.stage[left] = (double)w->lost[left];
        w->out.total += w->out.stage[left];
    }
    if (w->stage_count > w->out.budget) {
        w->error += w->out.total * (double)w->states_met * 0x1p-63;
    }
    w->out.error = 1.01 * (w->error + w->out.budget * unit * w->out.total);
}

og_status og_explain(const og_explained_policy *policy, og_explanation *out, og_message *message)
{
    og_message ignored = {""};
    walk w = {.policy = policy,
              .optimum = policy->optimum,
              .message = message != NULL ? message : &ignored};
    og_status status = begin_walk(&w);
    OG_THEN(status, root_error(&w, &w.error));
    while (status == OG_OK && w.pass.stage >= 0) {
        status = one_stage(&w);
    }
    for (int32_t i = 0; status == OG_OK && i < w.best_count; i++) {
        status = describe(&w, &w.best[i], &w.out.decision[i]);
        w.out.decision_count += status == OG_OK;
    }
    if (status == OG_OK) {
        sum_up(&w);
        *out = w.out;
        memset(&w.out, 0, sizeof w.out);
    }
    walk_clear(&w);
    return status;
}
