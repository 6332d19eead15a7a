/*
 * The state of tasks after recorded labels. Equal tasks are at one place, so the cost of what is
 * computed for places does not depend on the number of tasks.
 */
#include "bench/recorded/standing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/posterior.h"
#include "dp/arm/arm_after.h"

/* Most nodes of all arms, with classes and with several priors. */
enum { NODES_CLASSES = 30000, NODES_PRIORS = 1000000 };

static double nodes_of(int32_t depth, int32_t classes)
{
    double nodes = 1;
    for (int32_t k = 1; k <= classes; k++) {
        nodes *= (double)(depth + k) / k;
    }
    return nodes;
}

/* The cost of an arm's root in nodes: a root takes longer than a node of two outcomes. */
enum { ROOT_NODES = 100 };

typedef struct {
    int32_t counts[OG_CLASSES_MAX]; /* labels by outcome */
    int32_t labels, prior;
    int32_t room; /* at most the budget and OG_AHEAD_MAX + 1 */
    uint32_t task;
} counted;

/* The input while the state is set up. */
typedef struct {
    const og_labels *labels;
    const og_task_terms *terms;
    const og_settings *settings;
    counted *tasks; /* [task_count] */
    int32_t classes;
    int32_t limit;         /* the most room that counts */
    int32_t longest, room; /* most labels, and most room, of a task */
} input;

/* The number of nodes of all arms, one for each place or one for each prior. */
static double nodes_in_all(const og_standing *standing, const input *in, bool apart, int32_t ahead)
{
    double root = in->classes > 2 ? 0 : ROOT_NODES;
    return apart ? standing->place_count * (root + nodes_of(ahead, in->classes))
                 : in->terms->prior_count * (root + nodes_of(in->longest + ahead, in->classes));
}

static int32_t useful_ahead(const og_standing *standing, const input *in, bool apart)
{
    int32_t ahead = in->room < OG_AHEAD_MAX ? in->room : OG_AHEAD_MAX;
    bool limited = in->classes > 2 || in->terms->prior_count > 1;
    double most = in->classes > 2 ? NODES_CLASSES : NODES_PRIORS;
    while (limited && ahead > 1 && nodes_in_all(standing, in, apart, ahead) > most) {
        ahead--;
    }
    return ahead;
}

/* Set `ahead` as large as possible; true means one arm for each place. */
static bool choose_depth(og_standing *standing, const input *in)
{
    int32_t ahead = useful_ahead(standing, in, true), together = useful_ahead(standing, in, false);
    standing->ahead = ahead > together ? ahead : together;
    return ahead != together ? ahead > together
                             : nodes_in_all(standing, in, true, ahead) <=
                                   nodes_in_all(standing, in, false, ahead);
}

static og_status check_prior(const og_labels *labels, const og_group *prior, og_message *message)
{
    int32_t classes = og_labels_classes(labels);
    bool fits = classes == 2 ? prior->kind == OG_PRIOR_BETA
                             : prior->kind == OG_PRIOR_DIRICHLET && prior->part_count == classes;
    return fits && prior->count == 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the prior of every task must be %s, for labels of %d classes; "
                                "name classes that no label has yet by --classes",
                                classes == 2 ? "A,B[@D]" : "with a number for each class",
                                (int)classes);
}

static int compare_counted(const void *x, const void *y)
{
    const counted *a = x, *b = y;
    if (a->prior != b->prior) {
        return a->prior < b->prior ? -1 : 1;
    }
    int order = (a->labels > b->labels) - (a->labels < b->labels);
    for (int32_t k = 0; order == 0 && k < OG_CLASSES_MAX; k++) {
        order = (a->counts[k] > b->counts[k]) - (a->counts[k] < b->counts[k]);
    }
    return order != 0 ? order : (a->room > b->room) - (a->room < b->room);
}

/* Count the labels of the tasks, and sort them; OG_BAD_INPUT if a task has too many. */
static og_status count_labels(input *in, og_message *message)
{
    const og_labels *labels = in->labels;
    const og_task_terms *terms = in->terms;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        counted *task = &in->tasks[i];
        task->task = i;
        task->prior = terms->prior_of != NULL ? terms->prior_of[i] : 0;
        task->room = terms->room != NULL && terms->room[i] < in->limit ? terms->room[i] : in->limit;
        in->room = in->room > task->room ? in->room : task->room;
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        counted *task = &in->tasks[labels->task[i]];
        task->counts[og_labels_outcome(labels, i)]++;
        if (++task->labels > OG_BUDGET_MAX - OG_AHEAD_MAX) {
            return og_message_set(message, OG_BAD_INPUT, "a task has more than %d labels",
                                  OG_BUDGET_MAX - OG_AHEAD_MAX);
        }
        in->longest = in->longest > task->labels ? in->longest : task->labels;
    }
    qsort(in->tasks, labels->task_count, sizeof *in->tasks, compare_counted);
    return OG_OK;
}

static og_status find_places(const input *in, og_standing *out)
{
    out->place_of = calloc((size_t)out->task_count + 1, sizeof *out->place_of);
    out->place = calloc((size_t)out->task_count + 1, sizeof *out->place);
    OG_TRY(OG_ALLOCATED(out->place_of));
    OG_TRY(OG_ALLOCATED(out->place));
    for (uint32_t i = 0; i < out->task_count; i++) {
        const counted *task = &in->tasks[i];
        if (i == 0 || compare_counted(task, task - 1) != 0) {
            og_spot *place = &out->place[out->place_count++];
            memcpy(place->counts, task->counts, sizeof place->counts);
            place->prior = task->prior;
            place->steps = task->room;
            place->capped = task->room < in->limit;
        }
        out->place[out->place_count - 1].tasks++;
        out->place_of[task->task] = out->place_count - 1;
        out->open += task->room > 0;
    }
    return OG_OK;
}

/* The prior after these labels. */
static og_group posterior_of(const og_group *prior, const int32_t *counts, uint32_t tasks)
{
    og_group after = *prior;
    after.count = tasks;
    if (prior->kind == OG_PRIOR_BETA) {
        after.a = og_fraction_plus(after.a, counts[0]);
        after.b = og_fraction_plus(after.b, counts[1]);
        return after;
    }
    for (int32_t c = 0; c < prior->part_count; c++) {
        after.alpha[c] = og_fraction_plus(after.alpha[c], counts[c]);
    }
    return after;
}

static int32_t tasks_of_prior(const og_standing *standing, int32_t prior)
{
    int32_t tasks = 0;
    for (uint32_t i = 0; i < standing->place_count; i++) {
        tasks += standing->place[i].prior == prior ? (int32_t)standing->place[i].tasks : 0;
    }
    return tasks > 0 ? tasks : 1;
}

static og_status add_places(const og_standing *standing, og_groups *problem, og_message *message)
{
    for (uint32_t i = 0; i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        og_group group =
            posterior_of(&standing->terms.prior[place->prior], place->counts, place->tasks);
        OG_TRY(og_groups_add(problem, &group, message));
    }
    return OG_OK;
}

/* The problem whose groups are the places, or the priors. Only policies that choose by the whole
 * state depend on the number of tasks. */
static og_status fill_problem(const input *in, bool apart, const og_standing *standing,
                              og_groups *problem, og_message *message)
{
    static const int32_t no_labels[OG_CLASSES_MAX];
    for (int32_t k = 0; k < in->terms->prior_count; k++) {
        og_group whole = posterior_of(&in->terms->prior[k], no_labels, tasks_of_prior(standing, k));
        /* a limit that holds for the prior with all labels holds for each posterior */
        OG_TRY(og_group_check(&whole, in->longest + standing->ahead, message));
        OG_TRY(apart ? OG_OK : og_groups_add(problem, &whole, message));
    }
    return apart ? add_places(standing, problem, message) : OG_OK;
}

static og_status build_arms(const input *in, bool apart, og_standing *out, og_message *message)
{
    og_groups problem;
    og_groups_init(&problem, out->ahead + (apart ? 0 : in->longest));
    og_status status = fill_problem(in, apart, out, &problem, message);
    OG_THEN(status, og_arms_new(&problem, in->settings, &out->arms, message));
    OG_THEN(status, og_standing_check_payoffs(out->arms, message));
    og_groups_clear(&problem);
    return status;
}

og_status og_standing_check_payoffs(const og_arms *arms, og_message *message)
{
    char word[OG_GROUP_TEXT_BYTES];
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        bool table = og_arm_prior(arm)->payoff.kind == OG_WORTH_VALUES;
        for (uint32_t node = 0; table && node < arm->level[arm->depth]; node++) {
            if (arm->reward[node] >= 0) {
                continue;
            }
            og_posterior_format(arm, node, word, sizeof word);
            return og_message_set(message, OG_BAD_INPUT,
                                  "a label can lower this payoff (at %.200s by %.4g), which only "
                                  "solve, compare and other questions about instances support",
                                  word, -arm->reward[node]);
        }
    }
    return OG_OK;
}

/* The node after these labels, in any order. */
static uint32_t node_after(const og_arm *arm, const int32_t *counts)
{
    uint32_t node = 0;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        for (int32_t n = 0; n < counts[k]; n++) {
            node = arm->next[(size_t)node * (size_t)arm->outcome_count + (size_t)k];
        }
    }
    return node;
}

static og_status place_tasks(const input *in, og_standing *out, og_message *message)
{
    OG_TRY(find_places(in, out));
    bool apart = choose_depth(out, in);
    OG_TRY(build_arms(in, apart, out, message));
    for (uint32_t i = 0; i < out->place_count; i++) {
        og_spot *place = &out->place[i];
        place->arm = out->arms->arm_of_group[apart ? (int32_t)i : place->prior];
        place->node = apart ? 0 : node_after(out->arms->arm[place->arm], place->counts);
        place->beyond = place->steps > out->ahead;
        place->steps = place->beyond ? out->ahead : place->steps;
    }
    return OG_OK;
}

og_status og_standing_init(const og_labels *labels, const og_task_terms *terms,
                           const og_settings *settings, og_standing *out, og_message *message)
{
    *out = (og_standing){.labels = labels, .terms = *terms, .task_count = labels->task_count};
    input in = {.labels = labels,
                .terms = terms,
                .settings = settings,
                .classes = og_labels_classes(labels),
                .limit = terms->budget < OG_AHEAD_MAX + 1 ? terms->budget : OG_AHEAD_MAX + 1};
    for (int32_t k = 0; k < terms->prior_count; k++) {
        OG_TRY(check_prior(labels, &terms->prior[k], message));
    }
    in.tasks = calloc((size_t)labels->task_count + 1, sizeof *in.tasks);
    OG_TRY(OG_ALLOCATED(in.tasks));
    og_status status = count_labels(&in, message);
    OG_THEN(status, place_tasks(&in, out, message));
    free(in.tasks);
    return status;
}

/* Makes the arms of places; those that differ in room only share one. */
static og_status add_roots(const og_standing *standing, int32_t depth, og_arm **arm, int32_t *count,
                           int32_t *arm_of_place, int64_t *tasks)
{
    for (uint32_t i = 0; i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i], *last = i > 0 ? place - 1 : NULL;
        if (last == NULL || last->arm != place->arm || last->node != place->node) {
            OG_TRY(og_arm_new_after(standing->arms->arm[place->arm], place->node, depth, NAN, NAN,
                                    &arm[*count]));
            ++*count;
        }
        arm_of_place[i] = *count - 1;
        tasks[i] = place->tasks;
    }
    return OG_OK;
}

og_status og_standing_roots(const og_standing *standing, int32_t depth, og_arms **out)
{
    og_arena arena = {0};
    int32_t places = (int32_t)standing->place_count, count = 0;
    og_arm **arm = og_arena_array(&arena, standing->place_count, sizeof(og_arm *));
    int32_t *arm_of_place = og_arena_array(&arena, standing->place_count, sizeof *arm_of_place);
    int64_t *tasks = og_arena_array(&arena, standing->place_count, sizeof *tasks);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, add_roots(standing, depth, arm, &count, arm_of_place, tasks));
    OG_THEN(status, og_arms_of(depth, arm, count, places, arm_of_place, tasks, out));
    for (int32_t a = 0; status != OG_OK && a < count; a++) {
        og_arm_free(arm[a]);
    }
    og_arena_clear(&arena);
    return status;
}

double og_standing_root_nodes(const og_standing *standing, int32_t depth)
{
    return standing->place_count * nodes_of(depth, og_labels_classes(standing->labels));
}

void og_standing_clear(og_standing *standing)
{
    og_arms_free(standing->arms);
    free(standing->place_of);
    free(standing->place);
    *standing = (og_standing){.arms = NULL};
}

og_status og_standing_rights(const og_arm *arm, double *right)
{
    size_t outcomes = (size_t)arm->outcome_count, inner = arm->level[arm->depth];
    double *gain = calloc(inner * outcomes + 1, sizeof *gain), error;
    og_status status = OG_ALLOCATED(gain);
    right[0] = arm->call;
    OG_THEN(status, inner > 0 ? og_arm_gains(arm, NULL, gain, &error) : OG_OK);
    for (size_t edge = 0; status == OG_OK && edge < inner * outcomes; edge++) {
        right[arm->next[edge]] = right[edge / outcomes] + gain[edge];
    }
    free(gain);
    return status;
}

og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth)
{
    const og_arms *arms = standing->arms;
    double *right = calloc(arms->node_offset[arms->arm_count], sizeof *right);
    og_status status = OG_ALLOCATED(right);
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = og_standing_rights(arms->arm[a], right + arms->node_offset[a]);
    }
    for (uint32_t i = 0; status == OG_OK && i < standing->task_count; i++) {
        const og_spot *place = &standing->place[standing->place_of[i]];
        const og_arm *arm = arms->arm[place->arm];
        double most = og_payoff_best(&og_arm_prior(arm)->payoff);
        called[i] = og_arm_called(arm, place->node);
        worth[i] = fmin(right[arms->node_offset[place->arm] + place->node], most);
    }
    free(right);
    return status;
}
