/*
 * Simulates independent instances whose labels take time: processes arrivals in order, and before
 * each the labels that finish earlier. The times of the u-th arrival and of the u-th worker's work
 * are the same for all policies. The fast way stores every instance's rank and recomputes it if the
 * instance has changed, or all ranks if they depend on the number of workers to come.
 * og_environment_loop always asks for all of them.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/random.h"
#include "bench/simulation/independent.h"
#include "bench/simulation/sources.h"
#include "heuristics/families/delayed_policy.h"

/* A worker at work. */
typedef struct {
    double time; /* time of the label */
    uint32_t instance;
} work_end;

typedef struct {
    og_episode *episode;
    double arrival_rate, service_rate;
    double now;             /* the next arrival; after the last one INFINITY */
    og_delayed_state shown; /* including the workers to come */
    uint32_t *at_work;      /* [count] */
    uint32_t *rank;         /* [count] */
    work_end *ends;         /* [budget + 1] a heap: no time is earlier than its parent's */
    uint32_t end_count;
} delayed_run;

static void assign(void *object, og_block *block)
{
    delayed_run *of = object;
    const og_instances *all = of->episode->all;
    of->at_work = og_block_take(block, all->count, sizeof *of->at_work);
    of->rank = og_block_take(block, all->count, sizeof *of->rank);
    of->ends = og_block_take(block, (size_t)all->labels + 1, sizeof *of->ends);
}

/* ---- times ---- */

/* Draw the `number`-th exponential time of this purpose in the run. */
static double draw_time(const delayed_run *of, og_draw_purpose purpose, uint32_t number,
                        double rate)
{
    uint64_t bits = og_draw(of->episode->seed, purpose, of->episode->run, 0, number);
    return -log1p(-og_draw_unit(bits)) / rate;
}

static void push_end(delayed_run *of, work_end end)
{
    uint32_t at = of->end_count++;
    while (at > 0 && of->ends[(at - 1) / 2].time > end.time) {
        of->ends[at] = of->ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    of->ends[at] = end;
}

static work_end pop_end(delayed_run *of)
{
    work_end first = of->ends[0];
    work_end last = of->ends[--of->end_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < of->end_count; child = 2 * at + 1) {
        if (child + 1 < of->end_count && of->ends[child + 1].time < of->ends[child].time) {
            child++;
        }
        if (of->ends[child].time >= last.time) {
            break;
        }
        of->ends[at] = of->ends[child];
        at = child;
    }
    of->ends[at] = last;
    return first;
}

/* Set the time of the next arrival; `left` workers are to come. */
static void await_arrival(delayed_run *of)
{
    uint32_t number = (uint32_t)(of->episode->all->labels - of->shown.left);
    of->now = of->shown.left == 0
                  ? INFINITY
                  : of->now + draw_time(of, OG_DRAW_ARRIVAL, number, of->arrival_rate);
}

/* Assign the arrived worker to this instance. */
static void place_worker(delayed_run *of, uint32_t instance)
{
    uint32_t number = (uint32_t)(of->episode->all->labels - of->shown.left);
    of->at_work[instance]++;
    push_end(of, (work_end){of->now + draw_time(of, OG_DRAW_SERVICE, number, of->service_rate),
                            instance});
    of->shown.left--;
    await_arrival(of);
}

/* ---- the environment ---- */

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    delayed_run *of = self;
    og_episode_begin(of->episode, seed, run, labels);
    for (uint32_t i = 0; i < of->episode->all->count; i++) {
        of->at_work[i] = 0;
    }
    of->end_count = 0;
    of->shown.left = of->episode->all->labels;
    of->now = 0;
    await_arrival(of);
}

static const void *state(void *self)
{
    return &((const delayed_run *)self)->shown;
}

/* List the instances in the order given, in the form for policies: arm, node, workers at work. */
static int32_t open_all(void *self, og_act_open *open, uint32_t *number)
{
    const delayed_run *of = self;
    for (uint32_t i = 0; i < of->episode->all->count; i++) {
        open[i] = (og_act_open){
            {{of->episode->all->arm_of[i], of->episode->places[i].node, of->at_work[i]}}, 1};
    }
    *number = (uint32_t)of->shown.left;
    return of->shown.left > 0 ? (int32_t)of->episode->all->count : 0;
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
    delayed_run *of = self;
    if (of->end_count == 0 || of->ends[0].time > of->now) {
        return false;
    }
    uint32_t instance = pop_end(of).instance;
    *answer = (int32_t)og_episode_label(of->episode, instance);
    *act = (og_act){{instance}};
    of->at_work[instance]--;
    return true;
}

static void score(void *self, double *metric)
{
    og_episode_score(((const delayed_run *)self)->episode, metric);
}

/* ---- policies ---- */

static uint32_t rank_of(const delayed_run *of, const og_delayed_policy *policy, uint32_t instance)
{
    return og_delayed_policy_rank(policy, (int32_t)of->episode->all->arm_of[instance],
                                  of->episode->places[instance].node,
                                  (int32_t)of->at_work[instance], of->shown.left);
}

static uint32_t choose_by_ranks(const delayed_run *of, og_ties ties)
{
    const uint32_t *rank = of->rank;
    uint32_t count = of->episode->all->count, most = 0, tied = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = rank[i] > most ? rank[i] : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        tied += rank[i] == most;
    }
    uint32_t j = og_episode_draw_tie(of->episode, ties, tied, of->shown.left);
    uint32_t i = 0;
    while (rank[i] != most || j-- > 0) {
        i++;
    }
    return i;
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    delayed_run *of = self;
    const og_delayed_policy *policy = by->self;
    int32_t workers = of->episode->all->labels;
    (void)message;
    while (of->shown.left > 0) {
        og_act act;
        int32_t answer, left = of->shown.left;
        while (hear(of, &act, &answer)) {
            of->rank[act.part[0]] = rank_of(of, policy, act.part[0]);
        }
        if (left == workers || og_delayed_policy_changes(policy, left)) {
            for (uint32_t i = 0; i < of->episode->all->count; i++) {
                of->rank[i] = rank_of(of, policy, i);
            }
        }
        uint32_t instance = choose_by_ranks(of, ties);
        place_worker(of, instance);
        if (left > 1) {
            of->rank[instance] = rank_of(of, policy, instance);
        }
    }
    og_act act;
    int32_t answer;
    while (hear(of, &act, &answer)) {
    }
    score(of, metric);
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
                         .arrival_rate = og_fraction_double(delay->arrival_rate),
                         .service_rate = og_fraction_double(delay->service_rate)};
    delayed_run *of = start.episode == NULL ? NULL : og_block_build(&start, sizeof start, assign);
    if (of == NULL) {
        free(start.episode);
        return OG_NO_MEMORY;
    }
    *out = (og_environment){.self = of,
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
