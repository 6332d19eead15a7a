/* Chooses labels of sources with prices. Tasks with the same prior and labels are planned together.
 */
#include "bench/recorded/next_sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/model_prior.h"
#include "bench/recorded/names.h"
#include "dp/base/stop.h"

enum { PRIOR_PARTS = 1000000000 };

/* A task with its labels by source. */
typedef struct {
    double prior;
    int32_t balance[OG_SOURCES_MAX]; /* positive labels less negative ones */
    int32_t used[OG_SOURCES_MAX];
    int32_t room; /* most further labels; OG_ROOM_ANY */
    uint32_t task;
    uint64_t tie; /* random bits for the task's name */
} state;

typedef struct {
    og_arena arena;
    const og_request *request;
    const og_batch *wanted;
    const og_labels *labels;
    const og_offers *offers;
    const og_crowd_belief *belief; /* NULL: all accuracies are known */
    og_sources known;              /* with the expected accuracies */
    state *state;                  /* [tasks] sorted, those without room last */
    uint32_t *start_of;            /* [tasks] */
    og_sources_start *start;       /* [count] */
    og_sources_mix mix;
    bool *second; /* [tasks] follows the second policy of the mix */
    int32_t count;
    uint32_t open; /* tasks with room */
} purchase_plan;

/* ---- labels by source ---- */

/* The source of a worker; that with the name "*" has all others. -1: none. */
static int32_t source_of(const og_offers *offers, const char *worker)
{
    size_t length = strcspn(worker, ":");
    int32_t others = -1;
    for (int32_t j = 0; j < offers->sources->sources.count; j++) {
        if (strlen(offers->name[j]) == length && memcmp(offers->name[j], worker, length) == 0) {
            return j;
        }
        others = strcmp(offers->name[j], "*") == 0 ? j : others;
    }
    return others;
}

/* source[worker_count] of each worker. */
static og_status find_sources(const og_labels *labels, const og_offers *offers, int32_t *source,
                              og_message *message)
{
    OG_TRY(og_labels_need_workers(labels, "--source", message));
    for (uint32_t w = 0; w < labels->worker_count; w++) {
        source[w] = source_of(offers, og_labels_worker_name(labels, w));
        if (source[w] < 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "worker '%.60s' is no source; workers must have the name of a "
                                  "--source, such as '%s' or '%s:ann', or give one for all others, "
                                  "--source '*:PRICE:P'",
                                  og_labels_worker_name(labels, w), offers->name[0],
                                  offers->name[0]);
        }
    }
    return OG_OK;
}

/* Fills state[task_count], in the order of tasks. With a belief it is the prior of further labels.
 */
static og_status count_labels(const og_labels *labels, const og_offers *offers,
                              const og_crowd_belief *belief, state *states, og_message *message)
{
    int32_t *source = calloc(labels->worker_count + (size_t)1, sizeof *source);
    OG_TRY(OG_ALLOCATED(source));
    og_status status = find_sources(labels, offers, source, message);
    for (uint32_t i = 0; i < labels->task_count; i++) {
        int32_t room = offers->room != NULL ? offers->room[i] : OG_ROOM_ANY;
        states[i] = (state){.task = i, .prior = offers->prior[i], .room = room};
    }
    for (int64_t i = 0; status == OG_OK && i < labels->label_count; i++) {
        state *task = &states[labels->task[i]];
        int32_t j = source[labels->worker[i]];
        int32_t sign = og_labels_outcome(labels, i) == 0 ? 1 : -1;
        task->balance[j] += belief == NULL ? sign : 0;
        task->used[j]++;
    }
    for (uint32_t i = 0; belief != NULL && i < labels->task_count; i++) {
        states[i].prior = belief->chance[2 * (size_t)i];
    }
    free(source);
    return status;
}

/* The probability that the task is positive. OG_BAD_INPUT with a message: labels of sources that
 * are always or never right contradict each other. */
static og_status find_positive(const og_labels *labels, const og_offers *offers, const state *task,
                               double *out, og_message *message)
{
    double odds = log(task->prior) - log1p(-task->prior);
    for (int32_t j = 0; j < offers->sources->sources.count; j++) {
        double right = og_fraction_double(offers->sources->sources.source[j].accuracy);
        bool sure = right <= 0 || right >= 1;
        if (task->balance[j] != 0) {
            odds += task->balance[j] * (log(right) - log1p(-right));
        }
        if (isnan(odds) || (sure && abs(task->balance[j]) != task->used[j])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "task '%.60s' has labels that contradict each other, but of "
                                  "sources that are never wrong; give them another accuracy",
                                  og_labels_task_name(labels, task->task));
        }
    }
    *out = 1 / (1 + exp(-odds));
    return OG_OK;
}

og_status og_sources_calls(const og_labels *labels, const og_offers *offers,
                           const og_crowd_belief *belief, double *positive, og_message *message)
{
    for (uint32_t i = 0; belief != NULL && i < labels->task_count; i++) {
        positive[i] = belief->chance[2 * (size_t)i];
    }
    if (belief != NULL) {
        return OG_OK;
    }
    state *states = calloc(labels->task_count + (size_t)1, sizeof *states);
    OG_TRY(OG_ALLOCATED(states));
    og_status status = count_labels(labels, offers, NULL, states, message);
    for (uint32_t i = 0; status == OG_OK && i < labels->task_count; i++) {
        status = find_positive(labels, offers, &states[i], &positive[i], message);
    }
    free(states);
    return status;
}

/* ---- unknown accuracies ---- */

/* The priors of tasks that are positive with these probabilities, at most [most] different ones,
 * and the prior of each. */
static int32_t find_priors(const og_labels *labels, const double *prior, int32_t most,
                           og_group *group, int32_t *prior_of)
{
    int32_t count = 0;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        og_wide parts = (og_wide)rint(prior[i] * PRIOR_PARTS);
        int32_t k = 0;
        while (k < count && group[k].a.num != parts) {
            k++;
        }
        if (k == count && count < most) {
            group[count++] = (og_group){.kind = OG_PRIOR_BETA,
                                        .a = {parts, PRIOR_PARTS},
                                        .b = {PRIOR_PARTS - parts, PRIOR_PARTS}};
        }
        prior_of[i] = k;
    }
    return count;
}

/* What the belief needs; the arena has it. */
static og_status describe_crowd(const og_labels *labels, const og_offers *offers,
                                const int32_t *source, og_arena *arena, og_crowd *out)
{
    const og_sources *sources = &offers->sources->sources;
    og_group *task = og_arena_array(arena, OG_MODEL_PRIORS_MAX, sizeof *task);
    og_group *worker = og_arena_array(arena, OG_SOURCES_MAX, sizeof *worker);
    int32_t *prior_of = og_arena_array(arena, labels->task_count, sizeof *prior_of);
    bool *known = og_arena_array(arena, OG_SOURCES_MAX, sizeof *known);
    OG_TRY(og_arena_status(arena));
    for (int32_t j = 0; j < sources->count; j++) {
        og_fraction right = sources->source[j].accuracy, wrong = offers->sources->wrong[j];
        known[j] = wrong.den == 0;
        wrong = known[j] ? (og_fraction){right.den - right.num, right.den} : wrong;
        worker[j] = (og_group){.kind = OG_PRIOR_BETA, .a = right, .b = wrong};
    }
    *out = (og_crowd){.label_count = labels->label_count,
                      .task_count = labels->task_count,
                      .worker_count = labels->worker_count,
                      .task = labels->task,
                      .worker = labels->worker,
                      .label = labels->label,
                      .task_prior = task,
                      .task_priors =
                          find_priors(labels, offers->prior, OG_MODEL_PRIORS_MAX, task, prior_of),
                      .prior_of = prior_of,
                      .sure = true,
                      .worker_prior = worker,
                      .worker_priors = sources->count,
                      .known = known,
                      .worker_prior_of = source};
    return OG_OK;
}

og_status og_sources_believe(const og_labels *labels, const og_offers *offers, og_stop *stop,
                             int32_t *source, og_crowd_belief *out, og_message *message)
{
    og_arena arena = {0};
    og_crowd crowd;
    OG_TRY(labels->label_count > 0 ? find_sources(labels, offers, source, message) : OG_OK);
    og_status status = describe_crowd(labels, offers, source, &arena, &crowd);
    OG_THEN(status, og_crowd_believe(&crowd, stop, out, message));
    og_arena_clear(&arena);
    return status;
}

/* The expected accuracy of the next label, in billionths: a function of the labels. */
static og_fraction expect_accuracy(const purchase_plan *plan, const int32_t *source, int32_t j)
{
    const og_labels *labels = plan->labels;
    double right = 0, all = 0;
    for (int64_t i = 0; i < labels->label_count; i++) {
        if (source[labels->worker[i]] == j) {
            const double *coin = plan->belief->coin + 4 * (size_t)labels->worker[i];
            right += coin[0] / (coin[0] + coin[1]);
            all++;
        }
    }
    if (all == 0) {
        double a = og_fraction_double(plan->offers->sources->sources.source[j].accuracy);
        right = a / (a + og_fraction_double(plan->offers->sources->wrong[j]));
        all = 1;
    }
    return og_fraction_make((og_wide)rint(right / all * PRIOR_PARTS), PRIOR_PARTS);
}

static og_status find_known(purchase_plan *plan, og_purchases *out, og_message *message)
{
    og_fraction accuracy[OG_SOURCES_MAX];
    int32_t *source = og_arena_array(&plan->arena, plan->labels->worker_count, sizeof *source);
    OG_TRY(OG_ALLOCATED(source));
    bool labelled = plan->belief != NULL && plan->labels->label_count > 0;
    OG_TRY(labelled ? find_sources(plan->labels, plan->offers, source, message) : OG_OK);
    for (int32_t j = 0; j < plan->offers->sources->sources.count; j++) {
        accuracy[j] = plan->belief != NULL ? expect_accuracy(plan, source, j) : (og_fraction){1, 2};
    }
    plan->known = og_crowd_as_known(plan->offers->sources, accuracy);
    for (int32_t j = 0; j < plan->known.count; j++) {
        out->accuracy[j] = og_fraction_double(plan->known.source[j].accuracy);
    }
    return OG_OK;
}

/* ---- groups ---- */

/* Equal ones have the same start. */

static int compare_states(const void *x, const void *y)
{
    const state *a = x, *b = y;
    if (a->room != b->room) {
        return a->room > b->room ? -1 : 1;
    }
    if (a->prior != b->prior) {
        return a->prior < b->prior ? -1 : 1;
    }
    int order = memcmp(a->balance, b->balance, sizeof a->balance);
    order = order != 0 ? order : memcmp(a->used, b->used, sizeof a->used);
    return order;
}

/* Equal ones in an order of their names. */
static int order_states(const void *x, const void *y)
{
    const state *a = x, *b = y;
    int order = compare_states(a, b);
    order = order != 0 ? order : (a->tie > b->tie) - (a->tie < b->tie);
    return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

/* Tasks without room are in the value now, and in no start. */
static og_status find_starts(purchase_plan *plan, og_purchases *out, og_message *message)
{
    uint32_t tasks = plan->labels->task_count;
    for (uint32_t i = 0; i < tasks; i++) {
        state *task = &plan->state[i];
        plan->open += task->room > 0;
        task->tie = og_name_bits(og_labels_task_name(plan->labels, i), plan->request->seed);
    }
    qsort(plan->state, tasks, sizeof *plan->state, order_states);
    for (uint32_t i = 0; i < tasks; i++) {
        const state *task = &plan->state[i];
        double positive = task->prior;
        OG_TRY(plan->belief != NULL
                   ? OG_OK
                   : find_positive(plan->labels, plan->offers, task, &positive, message));
        for (int32_t j = 0; j < OG_SOURCES_MAX; j++) {
            out->given[j] += task->used[j];
        }
        out->now += fmax(positive, 1 - positive);
        if (i < plan->open && (i == 0 || compare_states(task, task - 1) != 0)) {
            og_sources_start *start = &plan->start[plan->count++];
            *start = (og_sources_start){.positive = positive, .room = task->room};
            memcpy(start->used, task->used, sizeof start->used);
        }
        if (i < plan->open) {
            plan->start[plan->count - 1].count++;
            plan->start_of[task->task] = (uint32_t)plan->count - 1;
        } else {
            out->most += fmax(positive, 1 - positive);
        }
    }
    return OG_OK;
}

/* ---- the choice ---- */

typedef struct {
    og_purchase purchase;
    uint64_t tie;
} candidate;

static int compare_candidates(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->purchase.gain != b->purchase.gain) {
        return a->purchase.gain > b->purchase.gain ? -1 : 1;
    }
    return a->tie != b->tie
               ? (a->tie > b->tie) - (a->tie < b->tie)
               : (a->purchase.task > b->purchase.task) - (a->purchase.task < b->purchase.task);
}

/* Spread the first policy evenly over the tasks, equal ones together. */
static void mix_policies(purchase_plan *plan)
{
    double due = 0.5;
    for (uint32_t i = 0; i < plan->open; i++) {
        due += plan->mix.share;
        plan->second[plan->state[i].task] = due < 1;
        due -= due < 1 ? 0 : 1;
    }
}

/* The policy that the task follows, and the other one. */
static const og_sources_advice *advice_of(const purchase_plan *plan, uint32_t task, bool other)
{
    return &plan->mix
                .advice[2 * (size_t)plan->start_of[task] + (plan->second[task] != other ? 1 : 0)];
}

static size_t list_candidates(const purchase_plan *plan, candidate *all)
{
    size_t count = 0;
    for (uint32_t k = 0; k < plan->open; k++) {
        uint32_t i = plan->state[k].task;
        const og_sources_advice *advice = advice_of(plan, i, false);
        advice = advice->source >= 0 ? advice : advice_of(plan, i, true);
        if (advice->source >= 0) {
            all[count++] = (candidate){
                {i, advice->source, advice->gain, plan->start[plan->start_of[i]].positive},
                plan->state[k].tie};
        }
    }
    qsort(all, count, sizeof *all, compare_candidates);
    return count;
}

static og_status choose(const purchase_plan *plan, og_purchases *out)
{
    const og_label_source *source = plan->known.source;
    int32_t left = plan->wanted->budget;
    candidate *all = calloc((size_t)plan->labels->task_count + 1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    size_t count = list_candidates(plan, all);
    size_t wanted = (size_t)plan->wanted->batch < count ? (size_t)plan->wanted->batch : count;
    out->purchase = og_arena_array(&out->arena, wanted, sizeof *out->purchase);
    og_status status = OG_ALLOCATED(out->purchase);
    for (size_t i = 0; status == OG_OK && i < count && out->count < (int32_t)wanted; i++) {
        og_purchase *one = &all[i].purchase;
        const og_sources_advice *other = advice_of(plan, one->task, true);
        if (source[one->source].price > left && other->source >= 0) {
            one->source = other->source;
            one->gain = other->gain;
        }
        if (source[one->source].price <= left) {
            left -= source[one->source].price;
            out->purchase[out->count++] = *one;
        }
    }
    free(all);
    return status;
}

static og_status find(purchase_plan *plan, og_purchases *out, og_message *message)
{
    size_t tasks = plan->labels->task_count;
    plan->state = og_arena_array(&plan->arena, tasks, sizeof *plan->state);
    plan->start_of = og_arena_array(&plan->arena, tasks, sizeof *plan->start_of);
    plan->start = og_arena_array(&plan->arena, tasks, sizeof *plan->start);
    plan->second = og_arena_array(&plan->arena, tasks, sizeof *plan->second);
    plan->mix.advice = og_arena_array(&plan->arena, 2 * tasks, sizeof *plan->mix.advice);
    OG_TRY(og_arena_status(&plan->arena));
    OG_TRY(count_labels(plan->labels, plan->offers, plan->belief, plan->state, message));
    OG_TRY(find_known(plan, out, message));
    OG_TRY(find_starts(plan, out, message));
    if (plan->open > 0) {
        OG_TRY(og_sources_plan(plan->start, plan->count, plan->wanted->budget, &plan->known,
                               og_stop_of(&plan->request->settings), &plan->mix));
        memcpy(out->planned, plan->mix.bought, sizeof out->planned);
        out->most += plan->mix.bound.value;
        out->unit = plan->mix.bound.price[0];
        og_bound_clear(&plan->mix.bound);
        mix_policies(plan);
    }
    /* a probability is off by less than 1e-13, and its worth by no more */
    out->most += 1e-13 * (double)tasks;
    return choose(plan, out);
}

og_status og_purchases_find(const og_asked *asked, const og_labels *labels, const og_offers *offers,
                            const og_crowd_belief *belief, og_purchases *out, og_message *message)
{
    purchase_plan plan = {.request = &asked->request,
                          .wanted = asked->given,
                          .labels = labels,
                          .offers = offers,
                          .belief = belief};
    og_purchases made = {.count = 0};
    og_status status = find(&plan, &made, message);
    og_arena_clear(&plan.arena);
    return OG_MADE_IN(status, made, og_purchases_clear, out);
}

void og_purchases_clear(og_purchases *purchases)
{
    og_arena_clear(&purchases->arena);
    *purchases = (og_purchases){.count = 0};
}
