/*
 * Runs of a policy with the fluid value F (heuristics/bounds/fluid.h) as control variate, for
 * bench/studies/resolving:
 *
 *   fluid_runs POLICY T FIRST RUNS INSTANCE...
 *
 * A run in which the label of S_t earns R_t has lost
 *
 *   sum over t of  F(S_t) - (R_t + expected F(S_{t+1})),
 *
 * and F(S_0) less the expectation of this sum is the policy's gain, since the sum telescopes. Every
 * term is at least 0, and nearly all are 0 if the policy is good, so that few runs are enough.
 *
 * Prints one JSON object: the value without labels, F(S_0), what each of the runs FIRST, FIRST + 1,
 * ... lost, and the processor time of the choices. The labels of an instance in a run are the same
 * for every policy, and so are the draws among ties.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/random.h"
#include "dp/base/arena.h"
#include "dp/product/chooser.h"
#include "heuristics/bounds/fluid.h"
#include "heuristics/index/symmetry.h"
#include "heuristics/policy.h"

enum { SEED = 1 };
static const uint64_t memory_bytes = UINT64_C(1) << 30;

typedef struct {
    og_arena arena;
    og_groups problem;
    og_arms *arms;
    og_twins *twins;
    og_fluid *fluid;
    og_ranks *ranks;
    uint32_t count;   /* instances */
    uint32_t *start;  /* [count] global nodes before any label */
    uint32_t *at;     /* [count] and now */
    uint32_t *labels; /* [count] received */
    uint32_t *sorted; /* [count] work space, like the rest */
    og_fluid_place *place;
    og_state_group *group;
    double *weight;                /* [count + 1] */
    double first_seconds, seconds; /* of the first choice, and of all */
    uint64_t choices;
} node_runs;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_nodes(const void *x, const void *y)
{
    uint32_t left = *(const uint32_t *)x, right = *(const uint32_t *)y;
    return (left > right) - (left < right);
}

/* Counts equal nodes of `sorted`, into place[]. Returns the number of different ones. */
static int32_t gather(node_runs *runs)
{
    int32_t count = 0;
    qsort(runs->sorted, runs->count, sizeof *runs->sorted, compare_nodes);
    for (uint32_t i = 0; i < runs->count; i++) {
        if (i == 0 || runs->sorted[i] != runs->sorted[i - 1]) {
            runs->place[count++] = (og_fluid_place){runs->sorted[i], 0};
        }
        runs->place[count - 1].copies++;
    }
    return count;
}

/* F of the state; mirror images count as one node. */
static og_status fluid_value(node_runs *runs, int32_t left, double *value)
{
    *value = 0;
    for (uint32_t i = 0; left > 0 && i < runs->count; i++) {
        uint32_t class = runs->twins->class_of[runs->at[i]];
        runs->sorted[i] =
            runs->arms->node_offset[runs->twins->first_arm[class]] + runs->twins->first_node[class];
    }
    return left == 0 ? OG_OK : og_fluid_value(runs->fluid, runs->place, gather(runs), left, value);
}

/* The instance that the policy labels. */
static og_status choose(node_runs *runs, uint64_t run, int32_t left, uint32_t *instance)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        runs->sorted[i] = runs->at[i];
    }
    int32_t count = gather(runs), chosen = 0;
    for (int32_t g = 0; g < count; g++) {
        int32_t arm = og_arms_arm_of(runs->arms, runs->place[g].node);
        runs->group[g] = (og_state_group){arm, runs->place[g].node - runs->arms->node_offset[arm],
                                          runs->place[g].copies};
    }
    const og_state state = {left, runs->arms->budget, count, runs->group};
    double start = processor_seconds(), sum = 0;
    OG_TRY(og_ranks_choose(runs->ranks, &state, OG_TIES_RANDOM, runs->weight));
    double seconds = processor_seconds() - start;
    runs->first_seconds = runs->choices++ == 0 ? seconds : runs->first_seconds;
    runs->seconds += seconds;
    for (int32_t g = 0; g < count; g++) {
        sum += runs->weight[g];
    }
    double rest = sum * og_draw_unit(og_draw(SEED, OG_DRAW_TIE, run, 0, (uint32_t)left));
    for (int32_t g = 0; g < count && rest >= 0; g++) {
        chosen = runs->weight[g] > 0 ? g : chosen;
        rest -= runs->weight[g];
    }
    *instance = 0;
    while (runs->at[*instance] != runs->place[chosen].node) {
        ++*instance;
    }
    return OG_OK;
}

/* Labels an instance. *fluid is F before and after; *lost what is lost in expectation. */
static og_status label(node_runs *runs, uint64_t run, int32_t left, uint32_t instance,
                       double *fluid, double *lost)
{
    uint32_t before = runs->at[instance];
    int32_t number = og_arms_arm_of(runs->arms, before);
    const og_arm *arm = runs->arms->arm[number];
    uint32_t offset = runs->arms->node_offset[number], node = before - offset, drawn = before;
    double rest =
        og_draw_unit(og_draw(SEED, OG_DRAW_LABEL, run, instance, runs->labels[instance]++));
    double score = arm->reward[node], after = 0;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t outcome = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        double later, probability = arm->probability[outcome];
        if (probability == 0) {
            continue;
        }
        runs->at[instance] = offset + arm->next[outcome];
        OG_TRY(fluid_value(runs, left - 1, &later));
        score += probability * later;
        drawn = rest >= 0 ? runs->at[instance] : drawn;
        after = rest >= 0 ? later : after;
        rest -= probability;
    }
    runs->at[instance] = drawn;
    *lost += *fluid - score;
    *fluid = after;
    return OG_OK;
}

static og_status play(node_runs *runs, uint64_t run, double fluid, double *lost)
{
    *lost = 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        runs->at[i] = runs->start[i];
        runs->labels[i] = 0;
    }
    for (int32_t left = runs->arms->budget; left > 0; left--) {
        uint32_t instance;
        og_fluid_leave(runs->fluid); /* the policy may use GLPK */
        OG_TRY(choose(runs, run, left, &instance));
        OG_TRY(label(runs, run, left, instance, &fluid, lost));
    }
    return OG_OK;
}

/* ---- making ---- */

static og_status read_problem(node_runs *runs, int32_t budget, char **words, og_message *message)
{
    og_groups_init(&runs->problem, budget);
    for (; *words != NULL; words++) {
        og_group group;
        OG_TRY(og_group_parse(*words, &group, message));
        OG_TRY(og_groups_add(&runs->problem, &group, message));
        runs->count += (uint32_t)group.count;
    }
    return og_arms_new(&runs->problem, &(og_settings){.threads = 1, .memory_bytes = memory_bytes},
                       &runs->arms, message);
}

static og_status place_instances(node_runs *runs)
{
    runs->start = og_arena_array(&runs->arena, runs->count, sizeof *runs->start);
    runs->at = og_arena_array(&runs->arena, runs->count, sizeof *runs->at);
    runs->labels = og_arena_array(&runs->arena, runs->count, sizeof *runs->labels);
    runs->sorted = og_arena_array(&runs->arena, runs->count, sizeof *runs->sorted);
    runs->place = og_arena_array(&runs->arena, runs->count, sizeof *runs->place);
    runs->group = og_arena_array(&runs->arena, runs->count, sizeof *runs->group);
    runs->weight = og_arena_array(&runs->arena, runs->count + 1, sizeof *runs->weight);
    OG_TRY(og_arena_status(&runs->arena));
    uint32_t placed = 0;
    for (int32_t g = 0; g < runs->arms->group_count; g++) {
        for (int64_t copy = 0; copy < runs->arms->group_size[g]; copy++) {
            runs->start[placed++] = runs->arms->node_offset[runs->arms->arm_of_group[g]];
        }
    }
    return OG_OK;
}

static og_status prepare(node_runs *runs, char **argv, og_message *message)
{
    og_policy_name policy;
    OG_TRY(og_policy_name_parse(argv[1], &policy, message));
    OG_TRY(read_problem(runs, atoi(argv[2]), argv + 5, message));
    const og_policy_use use = {
        .whole_budget = runs->arms->budget, .threads = 1, .memory_bytes = memory_bytes};
    OG_TRY(place_instances(runs));
    OG_TRY(og_twins_new(runs->arms, OG_TWINS_ALL, NULL, &runs->twins));
    OG_TRY(og_fluid_new(runs->arms, memory_bytes, NULL, &runs->fluid));
    return og_policy_name_ranks_for(&policy, runs->arms, &use, &runs->ranks, message);
}

static og_status print_runs(node_runs *runs, uint64_t first, uint64_t count)
{
    double fluid, lost;
    for (uint32_t i = 0; i < runs->count; i++) {
        runs->at[i] = runs->start[i];
    }
    OG_TRY(fluid_value(runs, runs->arms->budget, &fluid));
    printf("{\"call\": %.17g, \"fluid\": %.17g, \"lost\": [", og_arms_prior_value(runs->arms, NULL),
           fluid);
    for (uint64_t n = 0; n < count; n++) {
        OG_TRY(play(runs, first + n, fluid, &lost));
        printf("%s%.17g", n == 0 ? "" : ", ", lost);
    }
    printf("], \"choices\": %llu, \"first_seconds\": %g, \"seconds\": %g}\n",
           (unsigned long long)runs->choices, runs->first_seconds, runs->seconds);
    return OG_OK;
}

int main(int argc, char **argv)
{
    node_runs runs = {.count = 0};
    og_message message = {""};
    if (argc < 6) {
        fprintf(stderr, "usage: fluid_runs POLICY T FIRST RUNS INSTANCE...\n");
        return 2;
    }
    og_status status = prepare(&runs, argv, &message);
    OG_THEN(status, print_runs(&runs, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10)));
    if (status != OG_OK) {
        fprintf(stderr, "fluid_runs: %s\n",
                message.text[0] != '\0' ? message.text : og_status_text(status));
    }
    og_ranks_free(runs.ranks);
    og_fluid_free(runs.fluid);
    og_twins_free(runs.twins);
    og_arms_free(runs.arms);
    og_groups_clear(&runs.problem);
    og_arena_clear(&runs.arena);
    return status == OG_OK ? 0 : 1;
}
