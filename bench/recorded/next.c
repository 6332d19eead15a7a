/* Chooses the labels of a batch by a policy's index. */
#include "bench/recorded/next.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/next_bounds.h"
#include "dp/base/arena.h"
#include "dp/product/chooser.h"

/* A label that the batch may have. */
typedef struct {
    double value; /* the largest is chosen first: a rank, or an expected index */
    uint32_t task;
    int32_t turn; /* labels of the task before it in the batch */
    uint64_t tie;
} candidate;

static int compare_candidates(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->value != b->value) {
        return a->value < b->value ? 1 : -1;
    }
    if (a->turn != b->turn) {
        return a->turn < b->turn ? -1 : 1;
    }
    return a->tie != b->tie ? (a->tie > b->tie) - (a->tie < b->tie)
                            : (a->task > b->task) - (a->task < b->task);
}

static og_policy_use use_of(const og_next_request *request)
{
    const og_settings *settings = request->settings;
    return (og_policy_use){.whole_budget = request->budget,
                           .threads = settings->threads,
                           .memory_bytes = settings->memory_bytes,
                           .stop = og_stop_of(settings)};
}

static og_status find_ranks(const og_standing *standing, const og_next_request *request,
                            og_ranks **ranks, og_message *message)
{
    const og_policy_name *policy = request->policy;
    const og_policy_use use = use_of(request);
    bool priced = strcmp(policy->name, "lagrangian") == 0;
    if (!priced) {
        OG_TRY(og_policy_name_ranks_for(policy, standing->arms, &use, ranks, message));
    }
    bool together = !priced && (*ranks)->chooser_lock != NULL;
    if (priced || (together && !og_policy_name_in_state(policy))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "next does not support policy '%.200s', which uses all tasks "
                              "together; choose one with an index for each task, such as opt-kg",
                              policy->name);
    }
    if (together && (request->batch > 1 || request->price > 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.200s' does not support %s; omit it, or choose a policy "
                              "with an index for each task, such as opt-kg",
                              policy->name, request->batch > 1 ? "--batch" : "--price");
    }
    return OG_OK;
}

static bool is_uniform(const og_next_request *request)
{
    return strcmp(request->policy->name, "uniform") == 0;
}

static const og_spot *place_of(const og_standing *standing, uint32_t task)
{
    return &standing->place[standing->place_of[task]];
}

/* ---- one label of each task ---- */

/* rank[place_count]: 1 for the places that a policy without an index chooses among the tasks that
 * can get a label, else 0. */
static og_status choose_places(const og_standing *standing, const og_ranks *ranks, int32_t left,
                               uint32_t *rank, og_message *message)
{
    og_arena arena = {0};
    og_state_group *group = og_arena_array(&arena, standing->place_count, sizeof *group);
    double *weight = og_arena_array(&arena, standing->place_count, sizeof *weight);
    og_status status = og_arena_status(&arena);
    int32_t count = 0;
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        if (place->steps > 0) {
            group[count++] = (og_state_group){place->arm, place->node, place->tasks};
        }
    }
    if (status == OG_OK) {
        const og_state state = {left, left, count, group};
        status = og_ranks_choose(ranks, &state, OG_TIES_RANDOM, weight);
        og_ranks_failure(ranks, message);
    }
    count = 0;
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        rank[i] = standing->place[i].steps > 0 && weight[count++] > 0;
    }
    og_arena_clear(&arena);
    return status;
}

/* rank[place_count] of the places: larger ones first. */
static og_status rank_places(const og_standing *standing, const og_ranks *ranks, int32_t left,
                             uint32_t *rank, og_message *message)
{
    if (ranks->chooser_lock != NULL && left > 0) {
        return choose_places(standing, ranks, left, rank, message);
    }
    for (uint32_t i = 0; i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        rank[i] = left > 0 ? og_ranks_of(ranks, place->arm, left)[place->node] : 0;
    }
    return OG_OK;
}

/* Choose, in the order of ranks, among the tasks that are worth a label with at most so many
 * labels. */
static og_status choose(const og_standing *standing, const uint32_t *rank, const int32_t *needs,
                        const og_next_request *request, og_next *out)
{
    candidate *order = calloc((size_t)standing->task_count + 1, sizeof *order);
    OG_TRY(OG_ALLOCATED(order));
    int32_t most = request->budget - out->count + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        uint32_t place = standing->place_of[i];
        if (needs[place] <= most) {
            uint64_t tie = og_draw(request->seed, OG_DRAW_TIE, 0, i, 0);
            order[count++] = (candidate){rank[place], i, 0, tie};
        }
    }
    qsort(order, count, sizeof *order, compare_candidates);
    for (int32_t i = 0; i < out->count; i++) {
        out->task[i] = order[i].task;
    }
    free(order);
    return OG_OK;
}

static og_status find_indices(const og_standing *standing, const og_next_request *request,
                              og_next *out, og_message *message)
{
    og_index *index = NULL;
    const og_policy_use use = use_of(request);
    OG_TRY(og_policy_name_index(request->policy, standing->arms, &use, &index, message));
    out->index = calloc((size_t)out->count + 1, sizeof *out->index);
    for (int32_t i = 0; out->index != NULL && i < out->count; i++) {
        const og_spot *place = place_of(standing, out->task[i]);
        out->index[i] = og_index_of(index, place->arm, out->index_ahead)[place->node];
    }
    og_index_free(index);
    return OG_ALLOCATED(out->index);
}

static void size_batch(const og_standing *standing, const int32_t *needs,
                       const og_next_request *request, og_next *out)
{
    uint32_t within[OG_AHEAD_MAX + 1] = {0}; /* number of tasks that need at most so many labels */
    int32_t ahead = standing->ahead, budget = request->budget;
    for (uint32_t i = 0; i < standing->place_count; i++) {
        within[needs[i] <= ahead ? needs[i] : 0] += standing->place[i].tasks;
    }
    within[0] = 0;
    for (int32_t n = 1; n <= ahead; n++) {
        within[n] += within[n - 1];
    }
    out->worth = within[budget < ahead ? budget : ahead];
    out->count = request->batch < budget ? request->batch : budget;
    out->count = out->count < (int64_t)out->worth ? out->count : (int32_t)out->worth;
    while (within[budget - out->count < ahead ? budget - out->count + 1 : ahead] <
           (uint32_t)out->count) {
        out->count--;
    }
}

static og_status choose_singles(const og_standing *standing, const og_next_request *request,
                                const og_ranks *ranks, og_stop *stop, og_next *out,
                                og_message *message)
{
    og_arena arena = {0};
    int32_t *needs = og_arena_array(&arena, standing->place_count, sizeof *needs);
    uint32_t *rank = og_arena_array(&arena, standing->place_count, sizeof *rank);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_next_needs(standing, request->price, stop, needs));
    if (status == OG_OK) {
        size_batch(standing, needs, request, out);
        status = rank_places(standing, ranks, out->index_ahead, rank, message);
    }
    OG_THEN(status, choose(standing, rank, needs, request, out));
    og_arena_clear(&arena);
    OG_TRY(status);
    if (ranks->chooser_lock != NULL || is_uniform(request)) {
        return OG_OK;
    }
    status = find_indices(standing, request, out, message);
    return status == OG_STOPPED ? OG_OK : status;
}

/* ---- several labels of a task ---- */

/* The number of labels that a task of the place can have in the batch. */
static int32_t batch_room(const og_spot *place, const og_next_request *request)
{
    return place->steps < request->per_batch ? place->steps : request->per_batch;
}

/* expected[j]: the index that is expected after j labels of the place, [count], not increasing.
 * `probability` has room for two levels of the arm. */
static void expect_indices(const og_standing *standing, const og_index *index, const og_spot *place,
                           int32_t count, double *probability, double *expected)
{
    const og_arm *arm = standing->arms->arm[place->arm];
    size_t outcomes = (size_t)arm->outcome_count;
    int32_t level = og_arm_level(arm, place->node);
    uint32_t first = place->node, end = first + 1; /* the nodes that can be reached */
    double *now = probability, *then = probability + arm->node_count;
    now[first] = 1;
    for (int32_t j = 0; j < count; j++) {
        const double *of = og_index_of(index, place->arm, standing->ahead - j);
        uint32_t from = arm->level[level + j + 1], to = arm->level[level + j + 2];
        expected[j] = 0;
        memset(then + from, 0, (to - from) * sizeof *then);
        for (uint32_t node = first; node < end; node++) {
            expected[j] += now[node] > 0 ? now[node] * of[node] : 0;
            for (size_t k = 0; k < outcomes; k++) {
                size_t edge = node * outcomes + k;
                then[arm->next[edge]] += now[node] * arm->probability[edge];
            }
        }
        expected[j] = j > 0 ? fmin(expected[j], expected[j - 1]) : expected[j];
        double *spare = now;
        now = then;
        then = spare;
        first = from;
        end = to;
    }
}

/* expected[place * per_batch + j] for all places; all 0 for uniform. */
static og_status expect_all(const og_standing *standing, const og_next_request *request,
                            double *expected, og_message *message)
{
    og_index *index = NULL;
    const og_policy_use use = use_of(request);
    uint32_t most = 0;
    if (is_uniform(request)) {
        return OG_OK;
    }
    for (int32_t a = 0; a < standing->arms->arm_count; a++) {
        uint32_t nodes = standing->arms->arm[a]->node_count;
        most = nodes > most ? nodes : most;
    }
    double *probability = calloc(2 * (size_t)most + 1, sizeof *probability);
    og_status status = OG_ALLOCATED(probability);
    OG_THEN(status, og_policy_name_index(request->policy, standing->arms, &use, &index, message));
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        expect_indices(standing, index, place, batch_room(place, request), probability,
                       expected + (size_t)i * (size_t)request->per_batch);
    }
    og_index_free(index);
    free(probability);
    return status;
}

static size_t list_candidates(const og_standing *standing, const og_next_request *request,
                              const double *expected, candidate *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        size_t first = standing->place_of[i] * (size_t)request->per_batch;
        int32_t room = batch_room(place_of(standing, i), request);
        for (int32_t j = 0; j < room; j++) {
            uint64_t tie = og_draw(request->seed, OG_DRAW_TIE, 0, i, 0);
            out[count++] = (candidate){expected[first + (size_t)j], i, j, tie};
        }
    }
    qsort(out, count, sizeof *out, compare_candidates);
    return count;
}

static og_status choose_several(const og_standing *standing, const og_next_request *request,
                                og_next *out, og_message *message)
{
    size_t width = (size_t)request->per_batch;
    og_arena arena = {0};
    double *expected = og_arena_array(&arena, standing->place_count * width, sizeof *expected);
    candidate *all = og_arena_array(&arena, standing->task_count * width, sizeof *all);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, expect_all(standing, request, expected, message));
    if (status == OG_OK) {
        size_t count = list_candidates(standing, request, expected, all);
        int32_t wanted = request->batch < request->budget ? request->batch : request->budget;
        out->count = count < (size_t)wanted ? (int32_t)count : wanted;
        out->worth = standing->open;
        out->index = is_uniform(request) ? NULL : calloc((size_t)out->count + 1, sizeof(double));
        status = is_uniform(request) ? OG_OK : OG_ALLOCATED(out->index);
        for (int32_t i = 0; status == OG_OK && i < out->count; i++) {
            out->task[i] = all[i].task;
            if (out->index != NULL) {
                out->index[i] = all[i].value;
            }
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- the whole search ---- */

static og_status find_all(const og_standing *standing, const og_next_request *request,
                          og_stop *stop, og_next *out, og_message *message)
{
    og_ranks *ranks = NULL;
    og_status status = find_ranks(standing, request, &ranks, message);
    OG_THEN(status, request->per_batch > 1
                        ? choose_several(standing, request, out, message)
                        : choose_singles(standing, request, ranks, stop, out, message));
    og_ranks_free(ranks);
    return status == OG_OK ? og_next_bounds(standing, request, stop, out) : status;
}

og_status og_next_find(const og_standing *standing, const og_next_request *request, og_next *out,
                       og_message *message)
{
    if (request->price > 0 && request->per_batch > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--price does not support several labels of a task in a batch: with "
                              "a price the next label waits for the one before; omit --per-batch");
    }
    og_next made = {.index_ahead = standing->ahead};
    made.task = calloc((size_t)request->batch + 1, sizeof *made.task);
    og_status status = OG_ALLOCATED(made.task);
    if (standing->open == 0) { /* nothing to choose, and nothing to lose */
        made.stops = request->price > 0;
    } else {
        OG_THEN(status, find_all(standing, request, og_stop_of(request->settings), &made, message));
    }
    if (status != OG_OK) {
        og_next_clear(&made);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_next_clear(og_next *next)
{
    free(next->task);
    free(next->index);
    *next = (og_next){.task = NULL};
}
