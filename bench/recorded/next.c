/* Chooses the labels of a batch by a policy's index. */
#include "bench/recorded/next.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/names.h"
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

/* The question, the candidates of its batch, and the workers of those that are taken. */
typedef struct {
    const og_asked *asked;
    const og_standing *standing;
    int32_t wanted;    /* labels of the batch */
    int32_t per_batch; /* labels of a task */
    candidate *order;  /* [count] best first */
    size_t count;
    og_matching *matching; /* NULL: labels need no workers */
    og_arms *roots;  /* each place as a root, if the policy's index needs only these; else NULL */
    og_index *index; /* of the policy, from its ranks; NULL: it has none */
} next_choice;

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

/* Random bits for the name of a task, so that ties do not depend on the order of the table. */
static uint64_t tie_of(const next_choice *choice, uint32_t task)
{
    const char *name = og_labels_task_name(choice->standing->labels, task);
    return og_name_bits(name, choice->asked->request.seed);
}

/* True if each place is an arm of its own, and all that is asked of a policy is its index there
 * with as many labels left as the arm has. gittins-inf values no roots that are far from the best
 * one. */
static bool asks_roots(const next_choice *choice)
{
    const og_standing *standing = choice->standing;
    bool roots = choice->per_batch == 1 && standing->arms->budget == standing->ahead &&
                 strcmp(choice->asked->policies[0].name, "gittins-inf") != 0;
    for (uint32_t i = 0; roots && i < standing->place_count; i++) {
        roots = standing->place[i].node == 0;
    }
    return roots || choice->roots != NULL;
}

/* gittins-fh:N looks N labels ahead of a place: arms of this depth are enough, if they are fewer
 * nodes than its table has for 1, ..., N labels. */
static og_status make_roots(next_choice *choice)
{
    static const char name[] = "gittins-fh:";
    const og_standing *standing = choice->standing;
    const og_policy_name *policy = choice->asked->policies;
    double depth = policy->parameter,
           nodes = standing->arms->node_offset[standing->arms->arm_count];
    bool apart = choice->per_batch == 1 && strncmp(policy->name, name, sizeof name - 1) == 0 &&
                 depth <= standing->ahead && !asks_roots(choice) &&
                 og_standing_root_nodes(standing, (int32_t)depth) <= depth * nodes;
    return apart ? og_standing_roots(standing, (int32_t)depth, &choice->roots) : OG_OK;
}

/* Where the policy has the place. */
static const og_arms *arms_of(const next_choice *choice)
{
    return choice->roots != NULL ? choice->roots : choice->standing->arms;
}

static int32_t arm_of(const next_choice *choice, uint32_t place)
{
    return choice->roots != NULL ? choice->roots->arm_of_group[place]
                                 : choice->standing->place[place].arm;
}

static uint32_t node_of(const next_choice *choice, uint32_t place)
{
    return choice->roots != NULL ? 0 : choice->standing->place[place].node;
}

static og_policy_use use_of(const next_choice *choice)
{
    const og_settings *settings = &choice->asked->request.settings;
    return (og_policy_use){.roots = asks_roots(choice),
                           .whole_budget = choice->standing->terms.budget,
                           .threads = settings->threads,
                           .memory_bytes = settings->memory_bytes,
                           .stop = og_stop_of(settings)};
}

static og_status find_ranks(next_choice *choice, og_ranks **ranks, og_message *message)
{
    const og_policy_name *policy = choice->asked->policies;
    bool priced = strcmp(policy->name, "lagrangian") == 0;
    if (!priced) {
        OG_TRY(make_roots(choice));
        const og_policy_use use = use_of(choice);
        OG_TRY(og_policy_name_ranks_and_index(policy, arms_of(choice), &use, ranks, &choice->index,
                                              message));
    }
    bool together = !priced && (*ranks)->chooser_lock != NULL;
    if (priced || (together && !og_policy_name_in_state(policy))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "next does not support policy '%.200s', which uses all tasks "
                              "together; choose one with an index for each task, such as opt-kg",
                              policy->name);
    }
    if (!priced && (*ranks)->stops &&
        (choice->per_batch > 1 || choice->standing->terms.price > 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.200s' stops, which next does not support with %s; omit it",
                              policy->name, choice->per_batch > 1 ? "--per-batch" : "--price");
    }
    const char *unfit = choice->wanted > 1                  ? "--batch"
                        : choice->per_batch > 1             ? "--per-batch"
                        : choice->standing->terms.price > 0 ? "--price"
                                                            : NULL;
    if (together && unfit != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.200s' does not support %s; omit it, or choose a policy "
                              "with an index for each task, such as opt-kg",
                              policy->name, unfit);
    }
    return OG_OK;
}

static bool is_uniform(const next_choice *choice)
{
    return strcmp(choice->asked->policies[0].name, "uniform") == 0;
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
    double *weight = og_arena_array(&arena, (size_t)standing->place_count + 1, sizeof *weight);
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
    if (status == OG_OK && weight[count] > 0) {
        status = og_message_set(message, OG_BAD_INPUT, "the policy stops, which is not supported");
    }
    count = 0;
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        rank[i] = standing->place[i].steps > 0 && weight[count++] > 0;
    }
    og_arena_clear(&arena);
    return status;
}

/* rank[place_count] of the places: larger ones first. */
static og_status rank_places(const next_choice *choice, const og_ranks *ranks, int32_t left,
                             uint32_t *rank, og_message *message)
{
    const og_standing *standing = choice->standing;
    if (ranks->chooser_lock != NULL && left > 0) {
        return choose_places(standing, ranks, left, rank, message);
    }
    for (uint32_t i = 0; i < standing->place_count; i++) {
        rank[i] = left > 0 ? og_ranks_of(ranks, arm_of(choice, i), left)[node_of(choice, i)] : 0;
    }
    return OG_OK;
}

static void choice_clear(next_choice *choice)
{
    free(choice->order);
    og_index_free(choice->index);
    og_arms_free(choice->roots);
    og_matching_free(choice->matching);
}

/* Room for the batch; if workers have capacities, also for the plan of all labels. */
static og_status start_matching(next_choice *choice)
{
    const og_free_workers *workers = choice->standing->terms.workers;
    og_matching_free(choice->matching);
    choice->matching = NULL;
    if (workers == NULL) {
        return OG_OK;
    }
    int64_t most = workers->limited ? choice->standing->terms.budget : choice->wanted;
    choice->matching = og_matching_new(workers, choice->standing->task_count, most);
    return OG_ALLOCATED(choice->matching);
}

/* Take a label of the task; false if there is no worker for it. */
static bool take(next_choice *choice, uint32_t task)
{
    return choice->matching == NULL || og_matching_add(choice->matching, task, 1);
}

/* Take at most `wanted` tasks that are worth a label if the batch has so many. Returns their
 * number; out->task receives them. */
static int32_t pick(next_choice *choice, const int32_t *needs, int32_t wanted, og_next *out)
{
    const og_standing *standing = choice->standing;
    int32_t found = 0, most = standing->terms.budget - wanted + 1;
    for (size_t i = 0; i < choice->count && found < wanted; i++) {
        uint32_t task = choice->order[i].task;
        if (needs[standing->place_of[task]] <= most && take(choice, task)) {
            out->task[found++] = task;
        }
    }
    return found;
}

/*
 * Choose in the order of ranks. If workers are missing, the batch is the largest for which there
 * are workers; with a price more tasks are worth a label after a smaller batch, so it is searched
 * by halving.
 */
static og_status choose(next_choice *choice, const uint32_t *rank, const int32_t *needs,
                        og_next *out)
{
    const og_standing *standing = choice->standing;
    choice->order = calloc((size_t)standing->task_count + 1, sizeof *choice->order);
    OG_TRY(OG_ALLOCATED(choice->order));
    for (uint32_t i = 0; i < standing->task_count; i++) {
        uint32_t place = standing->place_of[i];
        if (needs[place] <= standing->terms.budget && !(out->by_rule && rank[place] == 0)) {
            choice->order[choice->count++] = (candidate){rank[place], i, 0, tie_of(choice, i)};
        }
    }
    qsort(choice->order, choice->count, sizeof *choice->order, compare_candidates);
    int32_t least = 0, beyond = out->count + 1, tried = out->count;
    for (;;) {
        OG_TRY(start_matching(choice));
        int32_t found = pick(choice, needs, tried, out);
        if (found < tried && standing->terms.price == 0) {
            tried = least = found; /* the same tasks are worth a label */
            break;
        }
        least = found == tried ? tried : least;
        beyond = found == tried ? beyond : tried;
        if (beyond - least <= 1 && found == tried) {
            break;
        }
        tried = beyond - least <= 1 ? least : least + (beyond - least) / 2;
    }
    out->count = least;
    return OG_OK;
}

static og_status list_indices(const next_choice *choice, og_next *out)
{
    const og_standing *standing = choice->standing;
    out->index = calloc((size_t)out->count + 1, sizeof *out->index);
    for (int32_t i = 0; out->index != NULL && i < out->count; i++) {
        uint32_t place = standing->place_of[out->task[i]];
        out->index[i] = og_index_of(choice->index, arm_of(choice, place),
                                    out->index_ahead)[node_of(choice, place)];
    }
    return OG_ALLOCATED(out->index);
}

static void size_batch(const next_choice *choice, const int32_t *needs, og_next *out)
{
    const og_standing *standing = choice->standing;
    uint32_t within[OG_AHEAD_MAX + 1] = {0}; /* number of tasks that need at most so many labels */
    int32_t ahead = standing->ahead, budget = standing->terms.budget;
    for (uint32_t i = 0; i < standing->place_count; i++) {
        within[needs[i] <= ahead ? needs[i] : 0] += standing->place[i].tasks;
    }
    within[0] = 0;
    for (int32_t n = 1; n <= ahead; n++) {
        within[n] += within[n - 1];
    }
    out->worth = within[budget < ahead ? budget : ahead];
    out->count = choice->wanted < budget ? choice->wanted : budget;
    out->count = out->count < (int64_t)out->worth ? out->count : (int32_t)out->worth;
    while (within[budget - out->count < ahead ? budget - out->count + 1 : ahead] <
           (uint32_t)out->count) {
        out->count--;
    }
}

/* Tasks of rank 0 are done, whether they are open or not. */
static void count_done(const og_standing *standing, const og_ranks *ranks, og_next *out)
{
    out->by_rule = true;
    for (uint32_t i = 0; i < standing->place_count && out->index_ahead > 0; i++) {
        const og_spot *place = &standing->place[i];
        bool done = og_ranks_of(ranks, place->arm, out->index_ahead)[place->node] == 0;
        out->done += done ? place->tasks : 0;
    }
}

static og_status choose_singles(next_choice *choice, const og_ranks *ranks, og_stop *stop,
                                og_next *out, og_message *message)
{
    const og_standing *standing = choice->standing;
    og_arena arena = {0};
    int32_t *needs = og_arena_array(&arena, standing->place_count, sizeof *needs);
    uint32_t *rank = og_arena_array(&arena, standing->place_count, sizeof *rank);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_next_needs(standing, stop, needs));
    if (status == OG_OK) {
        size_batch(choice, needs, out);
        status = rank_places(choice, ranks, out->index_ahead, rank, message);
    }
    if (status == OG_OK && ranks->stops) {
        count_done(standing, ranks, out);
    }
    OG_THEN(status, choose(choice, rank, needs, out));
    og_arena_clear(&arena);
    OG_TRY(status);
    return choice->index != NULL ? list_indices(choice, out) : OG_OK;
}

/* ---- several labels of a task ---- */

/* The number of labels that a task of the place can have in the batch. */
static int32_t batch_room(const next_choice *choice, const og_spot *place)
{
    return place->steps < choice->per_batch ? place->steps : choice->per_batch;
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
        const double *values = og_index_of(index, place->arm, standing->ahead - j);
        uint32_t from = arm->level[level + j + 1], to = arm->level[level + j + 2];
        expected[j] = 0;
        memset(then + from, 0, (to - from) * sizeof *then);
        for (uint32_t node = first; node < end; node++) {
            expected[j] += now[node] > 0 ? now[node] * values[node] : 0;
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
static og_status expect_all(const next_choice *choice, double *expected)
{
    const og_standing *standing = choice->standing;
    uint32_t most = 0;
    if (choice->index == NULL) {
        return OG_OK;
    }
    for (int32_t a = 0; a < standing->arms->arm_count; a++) {
        uint32_t nodes = standing->arms->arm[a]->node_count;
        most = nodes > most ? nodes : most;
    }
    double *probability = calloc(2 * (size_t)most + 1, sizeof *probability);
    og_status status = OG_ALLOCATED(probability);
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        expect_indices(standing, choice->index, place, batch_room(choice, place), probability,
                       expected + (size_t)i * (size_t)choice->per_batch);
    }
    free(probability);
    return status;
}

static void list_candidates(next_choice *choice, const double *expected)
{
    const og_standing *standing = choice->standing;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        size_t first = standing->place_of[i] * (size_t)choice->per_batch;
        int32_t room = batch_room(choice, place_of(standing, i));
        for (int32_t j = 0; j < room; j++) {
            choice->order[choice->count++] =
                (candidate){expected[first + (size_t)j], i, j, tie_of(choice, i)};
        }
    }
    qsort(choice->order, choice->count, sizeof *choice->order, compare_candidates);
}

/* A task without a worker for a label has none for later ones. */
static void pick_several(next_choice *choice, og_next *out)
{
    int32_t budget = choice->standing->terms.budget;
    int32_t wanted = choice->wanted < budget ? choice->wanted : budget;
    for (size_t i = 0; i < choice->count && out->count < wanted; i++) {
        const candidate *one = &choice->order[i];
        if (take(choice, one->task)) {
            out->task[out->count] = one->task;
            if (out->index != NULL) {
                out->index[out->count] = one->value;
            }
            out->count++;
        }
    }
}

static og_status choose_several(next_choice *choice, og_next *out)
{
    const og_standing *standing = choice->standing;
    size_t width = (size_t)choice->per_batch;
    double *expected = calloc(standing->place_count * width + 1, sizeof *expected);
    choice->order = calloc(standing->task_count * width + 1, sizeof *choice->order);
    out->index = is_uniform(choice) ? NULL : calloc((size_t)choice->wanted + 1, sizeof *out->index);
    out->worth = standing->open;
    og_status status = OG_ALLOCATED(expected);
    OG_THEN(status, OG_ALLOCATED(choice->order));
    OG_THEN(status, is_uniform(choice) ? OG_OK : OG_ALLOCATED(out->index));
    OG_THEN(status, start_matching(choice));
    OG_THEN(status, expect_all(choice, expected));
    if (status == OG_OK) {
        list_candidates(choice, expected);
        pick_several(choice, out);
    }
    free(expected);
    return status;
}

/* ---- the whole search ---- */

/* The bounds may still change the workers, so that they fit the plan. */
static og_status finish(const next_choice *choice, og_stop *stop, og_next *out)
{
    OG_TRY(og_next_bounds(choice->standing, choice->matching, stop, out));
    if (choice->matching == NULL) {
        return OG_OK;
    }
    out->worker = calloc((size_t)out->count + 1, sizeof *out->worker);
    OG_TRY(OG_ALLOCATED(out->worker));
    for (int32_t k = 0; k < out->count; k++) {
        out->worker[k] = og_matching_worker(choice->matching, k);
    }
    return OG_OK;
}

static og_status find_all(next_choice *choice, og_next *out, og_message *message)
{
    og_ranks *ranks = NULL;
    og_stop *stop = og_stop_of(&choice->asked->request.settings);
    og_status status = find_ranks(choice, &ranks, message);
    OG_THEN(status, choice->per_batch > 1 ? choose_several(choice, out)
                                          : choose_singles(choice, ranks, stop, out, message));
    og_ranks_free(ranks);
    OG_THEN(status, finish(choice, stop, out));
    choice_clear(choice);
    return status;
}

og_status og_next_find(const og_asked *asked, const og_standing *standing, og_next *out,
                       og_message *message)
{
    const og_batch *given = asked->given;
    double price = standing->terms.price;
    next_choice choice = {.asked = asked,
                          .standing = standing,
                          .wanted = given->batch,
                          .per_batch = given->per_batch > 0 ? given->per_batch : 1};
    if (price > 0 && choice.per_batch > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--price does not support several labels of a task in a batch: with "
                              "a price the next label waits for the one before; omit --per-batch");
    }
    og_next made = {.index_ahead = standing->ahead};
    made.task = calloc((size_t)choice.wanted + 1, sizeof *made.task);
    og_status status = OG_ALLOCATED(made.task);
    if (standing->open == 0) { /* nothing to choose, and nothing to lose */
        made.stops = price > 0;
    } else {
        OG_THEN(status, find_all(&choice, &made, message));
    }
    return OG_MADE_IN(status, made, og_next_clear, out);
}

void og_next_clear(og_next *next)
{
    free(next->task);
    free(next->index);
    free(next->worker);
    *next = (og_next){.task = NULL};
}
