/*
 * Runs of a family that brings none of its own: the outcomes of the optimum's model, drawn with its
 * probabilities, which are those of the prior. Metrics: what the run earned and what the model
 * counts at its end, which is the posterior's expectation, as a gain and as a total. In one run the
 * outcomes of the n-th act are drawn with the same random number for all policies.
 */
#include "bench/family.h"

#include <math.h>
#include <stdlib.h>

#include "bench/random.h"
#include "dp/base/grow.h"
#include "dp/base/stop.h"

enum { METRICS = 2, BLOCK_RUNS = 64 };

typedef struct {
    const og_family *family;
    const void *problem;
    og_environment_use use;
    og_model model; /* of the optimum, without reductions, so that it has every act */
    double prior;
} world;

typedef struct {
    const world *all;
    og_expansion x; /* of the current state; at the end of the last one before it */
    uint64_t *key;  /* [key_words_max] of the current state */
    int32_t words;  /* of the key; 0: the run is over */
    uint64_t seed, run;
    uint32_t drawn; /* outcomes */
    double earned;  /* by acts, and at the end by its state */
    og_told *told;  /* [told_count] answers that nobody has heard, from told[heard] on */
    size_t told_count, told_room, heard;
    og_status status;
} episode;

static double measure_of(const episode *e, const og_outcome *outcome)
{
    const og_model *model = &e->all->model;
    return model->measure != NULL ? model->measure(model->self, &e->x, outcome) : 1;
}

/* Keep the answer of an outcome until it is heard. */
static void tell(episode *e, const og_outcome *outcome)
{
    const og_model *model = &e->all->model;
    og_told one;
    one.answer = model->answer(model->self, &e->x, outcome, &one.act);
    if (one.answer < 0) {
        return; /* there is none */
    }
    og_told *told = og_grown(e->told, &e->told_room, e->told_count + 1, sizeof *told);
    if (told == NULL) {
        e->status = OG_NO_MEMORY;
        return;
    }
    e->told = told;
    e->told[e->told_count++] = one;
}

static bool hear(void *self, og_act *act, int32_t *answer)
{
    episode *e = self;
    if (e->heard == e->told_count) {
        e->heard = e->told_count = 0;
        return false;
    }
    *act = e->told[e->heard].act;
    *answer = e->told[e->heard++].answer;
    return true;
}

/* Go on to an outcome of the action. */
static void take(episode *e, const og_action *action)
{
    const og_model *model = &e->all->model;
    const og_outcome *outcome = &e->x.outcome[action->outcome_first];
    const og_outcome *last = outcome + action->outcome_count - 1;
    double unit = og_draw_unit(og_draw(e->seed, OG_DRAW_LABEL, e->run, 0, e->drawn++));
    double here = measure_of(e, NULL), value = 0;
    e->earned += action->reward / here;
    for (;; outcome++) {
        e->words = model->successor(model->self, &e->x, outcome, e->key, &value);
        double after = measure_of(e, outcome);
        double chance = outcome->probability * (after / here);
        if (outcome == last || unit < chance) {
            e->earned += e->words == 0 ? value / after : 0;
            tell(e, outcome);
            return;
        }
        unit -= chance;
    }
}

/* Make the state of the key the current one, and go on while nobody chooses there. */
static void arrive(episode *e)
{
    const og_model *model = &e->all->model;
    while (e->words > 0) {
        e->status = model->expand(model->self, e->key, e->words, &e->x);
        if (e->status != OG_OK || e->x.combine != OG_COMBINE_MEAN) {
            return;
        }
        take(e, e->x.action);
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    const og_model *model = &e->all->model;
    double value = 0;
    (void)labels;
    *e = (episode){.all = e->all,
                   .x = e->x,
                   .key = e->key,
                   .seed = seed,
                   .run = run,
                   .told = e->told,
                   .told_room = e->told_room};
    e->words = model->root(model->self, &e->x, NULL, e->key, &value);
    e->earned = e->words == 0 ? value / (model->scale > 0 ? model->scale : 1) : 0;
    arrive(e);
}

static const void *state(void *self)
{
    const episode *e = self;
    return e->all->model.state(e->all->model.self, &e->x, NULL);
}

static int32_t open_acts(void *self, og_act_open *open, uint32_t *number)
{
    const episode *e = self;
    const og_model *model = &e->all->model;
    *number = e->drawn;
    if (e->words == 0 || e->status != OG_OK) {
        return 0;
    }
    for (int32_t i = 0; i < e->x.action_count; i++) {
        const og_action *action = &e->x.action[i];
        open[i] = (og_act_open){model->act(model->self, &e->x, action), (int64_t)action->weight};
    }
    return e->x.action_count;
}

static void step(void *self, const bool *tied, int64_t j)
{
    episode *e = self;
    const og_action *action = e->x.action;
    while (!*tied || j >= (int64_t)action->weight) {
        j -= *tied++ ? (int64_t)action->weight : 0;
        action++;
    }
    take(e, action);
    arrive(e);
}

/* What the posterior at the end expects, less what is expected without labels; nobody knows what is
 * true. */
static void score(void *self, double *metric)
{
    const episode *e = self;
    double gain = e->earned - (e->all->model.gains ? 0 : e->all->prior);
    metric[OG_EXPECTED] = e->status == OG_OK ? gain : NAN;
    metric[OG_CORRECT] = metric[OG_EXPECTED] + e->all->prior;
}

static void free_episode(void *self)
{
    episode *e = self;
    if (e->x.action != NULL) {
        e->all->model.expansion_free(&e->x);
    }
    free(e->key);
    free(e->told);
    free(e);
}

static og_status new_episode(void *self, og_environment *out)
{
    const world *all = self;
    const og_model *model = &all->model;
    episode *e = calloc(1, sizeof *e);
    og_expansion made;
    OG_TRY(OG_ALLOCATED(e));
    e->all = all;
    e->key = calloc((size_t)model->key_words_max, sizeof *e->key);
    og_status status = OG_ALLOCATED(e->key);
    OG_THEN(status, model->expansion_new(model->self, &made));
    if (status != OG_OK) {
        free_episode(e);
        return status;
    }
    e->x = made;
    *out = (og_environment){.self = e,
                            .open_max = model->acts_max,
                            .begin = begin,
                            .state = state,
                            .open = open_acts,
                            .step = step,
                            .hear = hear,
                            .score = score,
                            .free = free_episode};
    return OG_OK;
}

static og_status strategy(void *self, const og_policy_name *policy, og_strategy *out,
                          og_message *message)
{
    const world *all = self;
    const og_policy_use use = {
        .threads = all->use.threads, .memory_bytes = all->use.memory_bytes, .stop = all->use.stop};
    OG_TRY(og_family_strategy(all->family, all->problem, policy, &use, out, message));
    if (out->decide == NULL && out->choose != NULL) {
        return OG_OK;
    }
    og_strategy_free(out);
    return og_message_set(
        message, OG_BAD_INPUT,
        "policy '%.64s' makes its own final calls, which runs of %s by their model "
        "do not support",
        policy->name, all->family->words.problems);
}

static void free_world(void *self)
{
    world *all = self;
    og_model_free(&all->model);
    free(all);
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const og_family *family = source->family;
    const og_value_asked optimum = {.stop = use->stop};
    og_settings settings;
    og_problem_size sizes;
    double error;
    if (source->truth != NULL && !og_truth_is_prior(source->truth)) {
        return og_family_lacks(family, "--truth", message);
    }
    og_settings_default(&settings);
    settings.threads = use->threads;
    settings.memory_bytes = use->memory_bytes;
    family->model.sizes(source->problem, &sizes);
    world *all = calloc(1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    *all = (world){.family = family, .problem = source->problem, .use = *use};
    og_status status = og_family_prior(family, source->problem, &all->prior, &error, NULL, message);
    OG_THEN(status,
            family->model.model(source->problem, &optimum, &settings, &all->model, message));
    if (status != OG_OK) {
        free(all);
        return status;
    }
    double most = sizes.metric.amount  ? sizes.most
                  : sizes.metric.share ? 1
                                       : (double)sizes.decisions;
    *out = (og_environments){.self = all,
                             .metric_count = METRICS,
                             .block_runs = BLOCK_RUNS,
                             .prior = all->prior,
                             .prior_error = error,
                             .size = most,
                             .gain_max = most,
                             .run_error = all->model.error(all->model.self, most, false),
                             .all_labels = NAN,
                             .strategy = strategy,
                             .environment = new_episode,
                             .free = free_world};
    return OG_OK;
}

bool og_family_is_simulated(const og_family *family)
{
    return family->runs.source != NULL || family->model.model != NULL;
}

og_source og_family_source_by_model(const og_family *family, const void *problem,
                                    const og_truth *truth)
{
    return (og_source){.open = open_runs, .family = family, .problem = problem, .truth = truth};
}

og_source og_family_source(const og_family *family, const void *problem, const og_truth *truth)
{
    return family->runs.source != NULL ? family->runs.source(problem, truth)
                                       : og_family_source_by_model(family, problem, truth);
}
