/*
 * Simulates independent instances whose labels take time: processes arrivals in order, and before
 * each the labels that finish earlier. The fast way stores every instance's rank and recomputes it
 * if the instance has changed, or all ranks if they depend on the number of workers to come.
 * og_environment_loop always asks for all of them.
 */
#include <stdlib.h>

#include "bench/simulation/arrivals.h"
#include "bench/simulation/independent.h"
#include "bench/simulation/sources.h"
#include "heuristics/families/delayed_policy.h"

typedef struct {
    og_episode *episode;
    og_arrivals clock;
    og_delayed_state shown; /* including the workers to come */
    uint32_t *at_work;      /* [count] */
    uint32_t *rank;         /* [count] */
} delayed_run;

static void assign(void *object, og_block *block)
{
    delayed_run *run = object;
    const og_instances *all = run->episode->all;
    run->at_work = og_block_take(block, all->count, sizeof *run->at_work);
    run->rank = og_block_take(block, all->count, sizeof *run->rank);
    run->clock.ends = og_block_take(block, (size_t)all->labels + 1, sizeof *run->clock.ends);
}

/* Assign the arrived worker to this instance. */
static void place_worker(delayed_run *run, uint32_t instance)
{
    run->at_work[instance]++;
    og_arrivals_place(&run->clock, instance);
    run->shown.left = run->clock.left;
}

/* ---- the environment ---- */

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    delayed_run *play = self;
    og_episode_begin(play->episode, seed, run, labels);
    for (uint32_t i = 0; i < play->episode->all->count; i++) {
        play->at_work[i] = 0;
    }
    og_arrivals_begin(&play->clock, seed, run);
    play->shown.left = play->clock.left;
}

static const void *state(void *self)
{
    return &((const delayed_run *)self)->shown;
}

/* List the instances in the order given, in the form for policies: arm, node, workers at work. */
static int32_t open_all(void *self, og_act_open *open, uint32_t *number)
{
    const delayed_run *run = self;
    for (uint32_t i = 0; i < run->episode->all->count; i++) {
        open[i] = (og_act_open){
            {{run->episode->all->arm_of[i], run->episode->places[i].node, run->at_work[i]}}, 1};
    }
    *number = (uint32_t)run->shown.left;
    return run->shown.left > 0 ? (int32_t)run->episode->all->count : 0;
}

static void step(void *self, const bool *tied, int64_t j)
{
    uint32_t i = 0;
    while (!tied[i] || j-- > 0) {
        i++;
    }
    place_worker(self, i);
}

static bool hear(void *self, og_act *act, int32_t *answer)
{
    delayed_run *run = self;
    uint32_t instance;
    if (!og_arrivals_ended(&run->clock, &instance)) {
        return false;
    }
    *answer = (int32_t)og_episode_label(run->episode, instance);
    *act = (og_act){{instance}};
    run->at_work[instance]--;
    return true;
}

static void score(void *self, double *metric)
{
    og_episode_score(((const delayed_run *)self)->episode, metric);
}

/* ---- policies ---- */

static uint32_t rank_of(const delayed_run *run, const og_delayed_policy *policy, uint32_t instance)
{
    return og_delayed_policy_rank(policy, (int32_t)run->episode->all->arm_of[instance],
                                  run->episode->places[instance].node,
                                  (int32_t)run->at_work[instance], run->shown.left);
}

static uint32_t choose_by_ranks(const delayed_run *run, og_ties ties)
{
    const uint32_t *rank = run->rank;
    uint32_t count = run->episode->all->count, most = 0, tied = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = rank[i] > most ? rank[i] : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        tied += rank[i] == most;
    }
    uint32_t j = og_episode_draw_tie(run->episode, ties, tied, run->shown.left);
    uint32_t i = 0;
    while (rank[i] != most || j-- > 0) {
        i++;
    }
    return i;
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    delayed_run *run = self;
    const og_delayed_policy *policy = by->self;
    int32_t workers = run->episode->all->labels;
    (void)message;
    while (run->shown.left > 0) {
        og_act act;
        int32_t answer, left = run->shown.left;
        OG_TRY(og_run_status(by, 0)); /* a choice looks at all instances */
        while (hear(run, &act, &answer)) {
            run->rank[act.part[0]] = rank_of(run, policy, act.part[0]);
        }
        if (left == workers || og_delayed_policy_changes(policy, left)) {
            for (uint32_t i = 0; i < run->episode->all->count; i++) {
                run->rank[i] = rank_of(run, policy, i);
            }
        }
        uint32_t instance = choose_by_ranks(run, ties);
        place_worker(run, instance);
        if (left > 1) {
            run->rank[instance] = rank_of(run, policy, instance);
        }
    }
    og_act act;
    int32_t answer;
    while (hear(run, &act, &answer)) {
    }
    score(run, metric);
    return OG_OK;
}

static og_status make_policy(const og_instances *all, const og_policy_name *policy,
                             const og_arms *arms, og_strategy *out, og_message *message)
{
    const og_policy_use use = og_instances_policy_use(all, arms, all->use.memory_bytes);
    OG_TRY(og_delayed_strategy_new(policy, arms, all->delay, &use, out, message));
    out->ranks = ((const og_delayed_policy *)out->self)->ranks;
    return OG_OK;
}

/* ---- opening ---- */

static void run_free(void *self)
{
    free(((delayed_run *)self)->episode);
    free(self);
}

static og_status make_environment(void *self, og_environment *out)
{
    const og_instances *all = self;
    const og_delay *delay = all->delay;
    delayed_run start = {.episode = og_episode_new(all),
                         .clock = og_arrivals_of(delay, all->labels, NULL)};
    delayed_run *run = start.episode == NULL ? NULL : og_block_build(&start, sizeof start, assign);
    if (run == NULL) {
        free(start.episode);
        return OG_NO_MEMORY;
    }
    *out = (og_environment){.self = run,
                            .open_max = (int32_t)all->count,
                            .begin = begin,
                            .state = state,
                            .open = open_all,
                            .step = step,
                            .hear = hear,
                            .score = score,
                            .play = play,
                            .free = run_free};
    return OG_OK;
}

static og_status open_delayed(const og_source *source, const og_environment_use *use,
                              og_environments *out, og_message *message)
{
    og_status status = og_delay_check(source->delay, message);
    OG_THEN(status, og_instances_open(source, use, out, message));
    if (status == OG_OK) {
        ((og_instances *)out->self)->make = make_policy;
        out->strategy = og_instances_strategy;
        out->environment = make_environment;
    }
    return status;
}

og_source og_source_delayed(const og_groups *problem, const og_truth *truth, const og_delay *delay)
{
    return (og_source){.open = open_delayed, .problem = problem, .truth = truth, .delay = delay};
}
