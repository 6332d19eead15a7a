/*
 * Runs of a process: the outcomes of its table. In one run the outcome of an act of this name after
 * so many acts has the same random number for all policies.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/families/process/problem.h"
#include "bench/random.h"
#include "heuristics/process_policy.h"

enum { METRICS = 2, BLOCK_RUNS = 64 }; /* the sum of rewards, as expected and as earned */

typedef struct {
    const process *problem;
    og_environment_use use;
} world;

typedef struct {
    const og_process_table *table;
    uint64_t seed, run;
    og_process_view now;
    uint32_t done; /* acts */
    double earned;
} episode;

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    (void)labels;
    *e = (episode){.table = e->table, .seed = seed, .run = run, .now = {e->table, 0}};
}

static const void *state(void *self)
{
    return &((episode *)self)->now;
}

static int32_t open_acts(void *self, og_act_open *open, uint32_t *number)
{
    episode *e = self;
    *number = e->done;
    return og_process_open(e->table, e->now.state, open);
}

static void step(void *self, const bool *tied, int64_t j)
{
    episode *e = self;
    const og_process_table *table = e->table;
    uint32_t act = table->act_first[e->now.state];
    for (uint32_t a = 0;; a++) {
        if (tied[a] && j-- == 0) {
            act += a;
            break;
        }
    }
    uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, table->act[act].name, e->done++);
    double unit = og_draw_unit(bits);
    const og_process_outcome *outcome = &table->outcome[table->act[act].outcome_first];
    const og_process_outcome *last = &table->outcome[table->act[act + 1].outcome_first - 1];
    while (outcome < last && unit >= outcome->probability) {
        unit -= (outcome++)->probability;
    }
    e->earned += outcome->reward;
    e->now.state = outcome->next;
}

static void score(void *self, double *metric)
{
    const episode *e = self;
    metric[OG_EXPECTED] = metric[OG_CORRECT] = e->earned + e->table->value[e->now.state];
}

static og_status new_episode(void *self, og_environment *out)
{
    const og_process_table *table = ((world *)self)->problem->table;
    episode *e = calloc(1, sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->table = table;
    *out = (og_environment){.self = e,
                            .open_max = table->acts_max,
                            .begin = begin,
                            .state = state,
                            .open = open_acts,
                            .step = step,
                            .score = score,
                            .free = free};
    return OG_OK;
}

static og_status strategy(void *self, const og_policy_name *policy, og_strategy *out,
                          og_message *message)
{
    const world *w = self;
    const og_policy_use use = {
        .threads = w->use.threads, .memory_bytes = w->use.memory_bytes, .stop = w->use.stop};
    return og_process_strategy(policy, w->problem->table, &use, out, message);
}

/* Bounds of the sum of a run: the largest absolute reward of each act, and end. */
static double largest_run(const og_process_table *table)
{
    double reward = 0, end = 0;
    for (uint32_t k = 0; k < table->outcome_count; k++) {
        reward = fmax(reward, fabs(table->outcome[k].reward));
    }
    for (uint32_t e = 0; e < table->end_count; e++) {
        end = fmax(end, fabs(table->end[e].value));
    }
    return reward * table->height[0] + end;
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const process *problem = source->problem;
    double largest = largest_run(problem->table);
    if (source->truth != NULL && !og_truth_is_prior(source->truth)) {
        return og_family_lacks(&og_family_process, "--truth", message);
    }
    world *w = calloc(1, sizeof *w);
    OG_TRY(OG_ALLOCATED(w));
    *w = (world){problem, *use};
    *out = (og_environments){.self = w,
                             .metric_count = METRICS,
                             .block_runs = BLOCK_RUNS,
                             .size = largest,
                             .gain_max = largest,
                             .run_error = largest * problem->table->height[0] * 0x1p-53,
                             .all_labels = NAN,
                             .strategy = strategy,
                             .environment = new_episode,
                             .free = free};
    return OG_OK;
}

og_source process_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}
