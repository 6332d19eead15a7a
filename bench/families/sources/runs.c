/*
 * Simulates labels bought from sources. Truths are drawn from the prior, and the n-th label of a
 * source about an instance is the same for every policy. Instances keep their places.
 */
#include <math.h>

#include "bench/families/sources/problem.h"
#include "bench/random.h"
#include "heuristics/families/sources_policy.h"

enum { LABELS_OF_A_SOURCE = 1 << 24 }; /* numbers of draws, more than any run has */

typedef struct {
    og_arena arena;
    const sources *own;
    const og_sources_problem *problem;
    int32_t count; /* instances */
    uint64_t seed, run;
    uint64_t *labels;        /* the caller's; NULL: labels are not counted */
    og_sources_group *group; /* [count] */
    double *chance;          /* [arm_count] probability that an instance is positive */
    bool *positive;          /* [count] the truth */
    int32_t *asked;          /* [count][OG_SOURCES_MAX] */
    og_sources_state shown;
} episode;

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    const og_arms *arms = e->problem->arms;
    int32_t i = 0;
    e->seed = seed;
    e->run = run;
    e->labels = labels;
    e->shown.left = arms->budget;
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t k = 0; k < arms->group_size[g]; k++, i++) {
            uint64_t bits = og_draw(seed, OG_DRAW_TRUTH, run, (uint32_t)i, 0);
            e->group[i] = (og_sources_group){arms->arm_of_group[g], 0, 1};
            e->positive[i] = og_draw_unit(bits) < e->chance[arms->arm_of_group[g]];
            for (int32_t j = 0; j < OG_SOURCES_MAX; j++) {
                e->asked[i * OG_SOURCES_MAX + j] = 0;
            }
        }
    }
}

static const void *state(void *self)
{
    return &((const episode *)self)->shown;
}

static int32_t open_all(void *self, og_act_open *open, uint32_t *number)
{
    const episode *e = self;
    int32_t used = 0;
    for (int32_t i = 0; i < e->count; i++) {
        const og_arm *arm = e->problem->arms->arm[e->group[i].arm];
        uint32_t first, end = og_sources_actions(arm, e->group[i].node, &first);
        for (uint32_t a = first; a < end; a++) {
            if (arm->cost[a] <= e->shown.left) {
                open[used++] =
                    (og_act_open){{{(uint32_t)i, (uint32_t)og_sources_of_action(arm, a), 0}}, 1};
            }
        }
    }
    *number = (uint32_t)e->shown.left;
    return used;
}

/* The j-th of the open acts that are tied. */
static og_act act_of(episode *e, const bool *tied, int64_t j)
{
    int32_t at = 0;
    for (int32_t i = 0;; i++) {
        const og_arm *arm = e->problem->arms->arm[e->group[i].arm];
        uint32_t first, end = og_sources_actions(arm, e->group[i].node, &first);
        for (uint32_t a = first; a < end; a++) {
            if (arm->cost[a] <= e->shown.left && tied[at++] && j-- == 0) {
                return (og_act){{(uint32_t)i, a, 0}};
            }
        }
    }
}

static void step(void *self, const bool *tied, int64_t j)
{
    episode *e = self;
    const og_act act = act_of(e, tied, j);
    og_sources_group *group = &e->group[act.part[0]];
    const og_arm *arm = e->problem->arms->arm[group->arm];
    const uint32_t action = act.part[1];
    int32_t source = og_sources_of_action(arm, action);
    int32_t *asked = &e->asked[act.part[0] * OG_SOURCES_MAX + (uint32_t)source];
    uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, act.part[0],
                            (uint32_t)source * LABELS_OF_A_SOURCE + (uint32_t)*asked);
    double right = og_fraction_double(e->own->options->given.sources.source[source].accuracy);
    bool says_positive = (og_draw_unit(bits) < right) == e->positive[act.part[0]];
    uint32_t next = arm->next[2 * (size_t)action + (says_positive ? 0 : 1)];
    ++*asked;
    e->shown.left -= arm->cost[action];
    group->node = e->problem->first[group->arm][next];
    if (e->labels != NULL) {
        e->labels[act.part[0]]++;
    }
}

static void score(void *self, double *metric)
{
    const episode *e = self;
    double gain = 0, correct = 0;
    for (int32_t i = 0; i < e->count; i++) {
        const og_arm *arm = e->problem->arms->arm[e->group[i].arm];
        double p = og_sources_positive(arm, e->group[i].node);
        gain += fmax(p, 1 - p) - arm->call;
        correct += (p >= 0.5) == e->positive[i];
    }
    metric[OG_EXPECTED] = gain;
    metric[OG_CORRECT] = correct;
}

static og_status make_environment(void *self, og_environment *out)
{
    const sources *own = self;
    if (own->unknown) {
        return sources_unknown_environment(own, out);
    }
    const og_sources_problem *problem = &own->made->problem;
    const og_arms *arms = problem->arms;
    size_t count = (size_t)og_arms_instances(arms);
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->own = own;
    e->problem = problem;
    e->count = (int32_t)count;
    e->group = og_arena_array(&e->arena, count, sizeof *e->group);
    e->positive = og_arena_array(&e->arena, count, sizeof *e->positive);
    e->asked = og_arena_array(&e->arena, count * OG_SOURCES_MAX, sizeof *e->asked);
    e->chance = og_arena_array(&e->arena, (size_t)arms->arm_count, sizeof *e->chance);
    OG_TRY(og_arena_whole(e));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        e->chance[a] = og_sources_positive(arms->arm[a], 0);
    }
    e->shown = (og_sources_state){.count = e->count, .group = e->group};
    *out = (og_environment){.self = e,
                            .open_max = e->count * own->options->given.sources.count,
                            .begin = begin,
                            .state = state,
                            .open = open_all,
                            .step = step,
                            .score = score,
                            .free = og_arena_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    const sources *problem = self;
    const og_policy_use use = {.threads = 1, .memory_bytes = UINT64_MAX}; /* tables exist */
    return og_family_strategy(&og_family_sources, problem, policy, &use, out, message);
}

enum { INSTANCES_MAX = 1 << 20 };

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const sources *problem = source->problem;
    const og_truth *truth = source->truth;
    int64_t instances = og_groups_size(&problem->instances);
    if (!og_truth_is_prior(truth)) {
        return og_family_lacks(&og_family_sources, "--truth other than prior", message);
    }
    if (instances > INSTANCES_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "simulate supports at most %d instances of sources; give fewer",
                              INSTANCES_MAX);
    }
    const og_settings settings = {.threads = use->threads,
                                  .memory_bytes = use->memory_bytes,
                                  .watch = og_stop_watch,
                                  .watch_user = use->stop};
    OG_TRY(sources_need(problem, &settings, message));
    /* error of a posterior; with unknown accuracies twice the error of a table is added */
    const double posterior = 4 * 0x1p-52 + 2.1 * problem->made->unknown.error;
    *out = (og_environments){.self = (void *)problem,
                             .instances = instances,
                             .metric_count = 2,
                             .size = (double)instances,
                             .gain_max = (double)instances,
                             .run_error =
                                 (double)instances * ((double)instances * 0x1p-52 + posterior),
                             .all_labels = NAN,
                             .strategy = make_strategy,
                             .environment = make_environment};
    return og_family_prior(&og_family_sources, problem, &out->prior, &out->prior_error, NULL,
                           message);
}

og_source sources_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}
