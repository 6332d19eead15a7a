/*
 * Runs of independent instances whose labels have a deadline, slot by slot. The arrivals of
 * workers, and the time that each phase of the u-th worker takes, are the same for all policies.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/random.h"
#include "bench/simulation/independent.h"
#include "bench/simulation/sources.h"
#include "heuristics/families/deadline_policy.h"

/* A label under way. */
typedef struct {
    uint32_t instance;
    uint32_t worker; /* number of workers before this one */
    int32_t phases;  /* left */
    int32_t slots;   /* until this phase ends, this one included */
} label;

typedef struct {
    og_episode *episode;
    const og_deadline *deadline;
    double advance;
    int32_t bits;
    int32_t slots, left; /* left */
    int32_t come;        /* workers of this slot who received an instance */
    uint32_t workers;    /* who received an instance */
    og_deadline_state shown;
    label *labels; /* [budget] under way, in the order of the requests */
    uint32_t label_count;
    uint32_t *heard; /* [budget] instances whose labels have arrived, the next one last */
    uint32_t heard_count;
    uint32_t *under_way; /* [count] as shown to policies */
} dated_run;

static void assign(void *object, og_block *block)
{
    dated_run *run = object;
    const og_instances *all = run->episode->all;
    size_t budget = (size_t)all->labels + 1;
    run->labels = og_block_take(block, budget, sizeof *run->labels);
    run->heard = og_block_take(block, budget, sizeof *run->heard);
    run->under_way = og_block_take(block, all->count, sizeof *run->under_way);
}

/* ---- time ---- */

/* Draw the slots of a phase, which are geometric: the least number whose cumulative probability
 * exceeds a uniform number. */
static int32_t phase_slots(const dated_run *run, const label *at)
{
    uint64_t bits = og_draw(run->episode->seed, OG_DRAW_SERVICE, run->episode->run,
                            (uint32_t)at->phases, at->worker);
    double slots = run->advance < 1 ? log1p(-og_draw_unit(bits)) / log1p(-run->advance) : 0;
    return slots < OG_DEADLINE_SLOTS_MAX ? 1 + (int32_t)slots : OG_DEADLINE_SLOTS_MAX + 1;
}

static void arrive(dated_run *run, uint32_t instance)
{
    run->heard[run->heard_count++] = instance;
}

static void end_slot(dated_run *run)
{
    uint32_t kept = 0;
    run->slots--;
    run->come = 0;
    for (uint32_t i = 0; i < run->label_count; i++) {
        label now = run->labels[i];
        now.slots--;
        if (now.slots == 0) {
            now.phases--;
            now.slots = now.phases > 0 ? phase_slots(run, &now) : 0;
        }
        if (now.phases == 0 || (run->slots == 0 && run->deadline->late)) {
            arrive(run, now.instance);
        } else {
            run->labels[kept++] = now;
        }
    }
    run->label_count = kept;
}

/* Labels left that can still be requested in time. */
static int32_t left_in_time(const dated_run *run)
{
    return og_deadline_labels_left(run->deadline, run->slots, run->come, run->left);
}

/* True if one more worker arrives in this slot. */
static bool worker_comes(const dated_run *run)
{
    if (run->come == og_deadline_at_once(run->deadline)) {
        return false;
    }
    uint64_t bits = og_draw(run->episode->seed, OG_DRAW_ARRIVAL, run->episode->run,
                            (uint32_t)run->come, (uint32_t)(run->deadline->slots - run->slots));
    return og_draw_unit(bits) < og_fraction_double(og_deadline_arrival(run->deadline, run->come));
}

/* Advance to the next slot with a worker who can be asked, or to the end. */
static void await(dated_run *run)
{
    while (run->slots > 0 && !(left_in_time(run) > 0 && worker_comes(run))) {
        end_slot(run);
    }
}

/* ---- the environment ---- */

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    dated_run *play = self;
    og_episode_begin(play->episode, seed, run, labels);
    play->slots = play->deadline->slots;
    play->left = play->episode->all->labels;
    play->come = 0;
    play->workers = 0;
    play->label_count = 0;
    play->heard_count = 0;
    await(play);
}

static const void *state(void *self)
{
    dated_run *run = self;
    run->shown = (og_deadline_state){.left = left_in_time(run),
                                     .slots = run->slots,
                                     .come = run->come,
                                     .kind = OG_DEADLINE_WORKER};
    return &run->shown;
}

/* Labels that can still arrive, as the model counts them (dp/families/deadline.h). */
static void find_under_way(dated_run *run)
{
    for (uint32_t i = 0; i < run->episode->all->count; i++) {
        run->under_way[i] = 0;
    }
    for (uint32_t i = 0; i < run->label_count; i++) {
        const label *now = &run->labels[i];
        if (run->deadline->late || now->phases <= run->slots) {
            run->under_way[now->instance] += UINT32_C(1) << (run->bits * (now->phases - 1));
        }
    }
}

/* List the instances in the order given; policies do not send workers away. */
static int32_t open_all(void *self, og_act_open *open, uint32_t *number)
{
    dated_run *run = self;
    const og_episode *episode = run->episode;
    *number = (uint32_t)(run->slots + run->come * (OG_DEADLINE_SLOTS_MAX + 1));
    if (run->slots == 0) {
        return 0;
    }
    find_under_way(run);
    for (uint32_t i = 0; i < episode->all->count; i++) {
        open[i] = (og_act_open){
            {{episode->all->arm_of[i], episode->places[i].node, run->under_way[i]}}, 1};
    }
    return (int32_t)episode->all->count;
}

static void step(void *self, const bool *tied, int64_t j)
{
    dated_run *run = self;
    uint32_t i = 0;
    while (!tied[i] || j-- > 0) {
        i++;
    }
    label given = {.instance = i, .worker = run->workers++, .phases = run->deadline->phases};
    given.slots = phase_slots(run, &given);
    run->labels[run->label_count++] = given;
    run->left--;
    run->come++;
    await(run);
}

static bool hear(void *self, og_act *act, int32_t *answer)
{
    dated_run *run = self;
    if (run->heard_count == 0) {
        return false;
    }
    uint32_t instance = run->heard[--run->heard_count];
    *answer = (int32_t)og_episode_label(run->episode, instance);
    *act = (og_act){{instance}};
    return true;
}

static void score(void *self, double *metric)
{
    og_episode_score(((const dated_run *)self)->episode, metric);
}

/* ---- opening ---- */

static og_status make_policy(const og_instances *all, const og_policy_name *policy,
                             const og_arms *arms, og_strategy *out, og_message *message)
{
    const og_policy_use use = og_instances_policy_use(all, arms, all->use.memory_bytes);
    return og_deadline_strategy_new(policy, arms, all->delay, &use, out, message);
}

static void run_free(void *self)
{
    free(((dated_run *)self)->episode);
    free(self);
}

static og_status make_environment(void *self, og_environment *out)
{
    const og_instances *all = self;
    const og_deadline *deadline = all->delay;
    dated_run start = {.episode = og_episode_new(all),
                       .deadline = deadline,
                       .advance = og_fraction_double(deadline->advance),
                       .bits = og_deadline_bits(deadline, all->labels)};
    dated_run *run = start.episode == NULL ? NULL : og_block_build(&start, sizeof start, assign);
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
                            .free = run_free};
    return OG_OK;
}

static og_status open_dated(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message)
{
    const og_groups *problem = source->problem;
    OG_TRY(og_deadline_check(source->delay, problem->budget, message));
    OG_TRY(og_instances_open(source, use, out, message));
    ((og_instances *)out->self)->make = make_policy;
    out->strategy = og_instances_strategy;
    out->environment = make_environment;
    return OG_OK;
}

og_source og_source_deadline(const og_groups *in_time, const og_truth *truth,
                             const og_deadline *deadline)
{
    return (og_source){.open = open_dated, .problem = in_time, .truth = truth, .delay = deadline};
}
