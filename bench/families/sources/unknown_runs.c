/*
 * Simulates labels from sources of unknown accuracy. Truths and accuracies are drawn from their
 * priors, and the n-th label of a source about an instance is the same for every policy. Instances
 * keep their places.
 */
#include <math.h>

#include "bench/families/sources/problem.h"
#include "bench/random.h"

enum {
    ACCURACIES = 1 << 24,         /* numbers of draws, more than there are instances */
    LABELS_OF_A_SOURCE = 1 << 24, /* more than any run has */
};

typedef struct {
    og_arena arena;
    const og_crowd_problem *problem;
    int32_t count; /* instances */
    uint64_t seed, run;
    uint64_t *labels;      /* the caller's; NULL: labels are not counted */
    og_crowd_group *group; /* [count], a copy each */
    bool *positive;        /* [count] the truth */
    double accuracy[OG_SOURCES_MAX];
    double *plus, *minus, *room; /* [count], scratch of og_crowd_weigh */
    og_crowd_state shown;
} episode;

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    const og_crowd_problem *problem = e->problem;
    int32_t i = 0;
    e->seed = seed;
    e->run = run;
    e->labels = labels;
    e->shown.left = problem->budget;
    for (int32_t j = 0; j < problem->source_count; j++) {
        const og_crowd_source *source = &problem->source[j];
        const og_draw_place at = {seed, OG_DRAW_TRUTH, run, (uint32_t)(ACCURACIES + j), 0};
        e->accuracy[j] = source->known ? source->chance[0]
                                       : og_beta_draw(source->chance[0], source->chance[1], &at);
    }
    for (int32_t g = 0; g < problem->group_count; g++) {
        const int32_t prior = problem->prior_of_group[g];
        for (int64_t k = 0; k < problem->size_of_group[g]; k++, i++) {
            uint64_t bits = og_draw(seed, OG_DRAW_TRUTH, run, (uint32_t)i, 0);
            e->group[i] = (og_crowd_group){prior, 1, {0}};
            e->positive[i] = og_draw_unit(bits) < problem->prior[prior].chance[0];
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
        for (int32_t j = 0; j < e->problem->source_count; j++) {
            if (og_crowd_open(e->problem, &e->group[i], j, e->shown.left)) {
                open[used++] = (og_act_open){{{(uint32_t)i, (uint32_t)j, 0}}, 1};
            }
        }
    }
    *number = (uint32_t)e->shown.left;
    return used;
}

/* The j-th of the open acts that are tied. */
static og_act act_of(const episode *e, const bool *tied, int64_t which)
{
    int32_t at = 0;
    for (int32_t i = 0;; i++) {
        for (int32_t j = 0; j < e->problem->source_count; j++) {
            if (og_crowd_open(e->problem, &e->group[i], j, e->shown.left) && tied[at++] &&
                which-- == 0) {
                return (og_act){{(uint32_t)i, (uint32_t)j, 0}};
            }
        }
    }
}

static void step(void *self, const bool *tied, int64_t which)
{
    episode *e = self;
    const og_act act = act_of(e, tied, which);
    const uint32_t i = act.part[0], j = act.part[1];
    uint8_t *label = &e->group[i].label[2 * j];
    uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, i,
                            j * LABELS_OF_A_SOURCE + (uint32_t)(label[0] + label[1]));
    bool right = og_draw_unit(bits) < e->accuracy[j];
    label[right == e->positive[i] ? 0 : 1]++;
    e->shown.left -= e->problem->source[j].price;
    if (e->labels != NULL) {
        e->labels[i]++;
    }
}

static void score(void *self, double *metric)
{
    episode *e = self;
    double gain = 0, correct = 0;
    double all = og_crowd_weigh(e->problem, e->group, e->count, e->room, e->plus, e->minus);
    for (int32_t i = 0; i < e->count; i++) {
        const double *chance = e->problem->prior[e->group[i].prior].chance;
        gain += fmax(e->plus[i], e->minus[i]) / all - fmax(chance[0], chance[1]);
        correct += (e->plus[i] >= e->minus[i]) == e->positive[i];
    }
    metric[OG_EXPECTED] = gain;
    metric[OG_CORRECT] = correct;
}

og_status sources_unknown_environment(const sources *own, og_environment *out)
{
    const og_crowd_problem *problem = &own->made->unknown;
    const size_t count = (size_t)problem->instances;
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->problem = problem;
    e->count = (int32_t)count;
    e->group = og_arena_array(&e->arena, count, sizeof *e->group);
    e->positive = og_arena_array(&e->arena, count, sizeof *e->positive);
    e->plus = og_arena_array(&e->arena, count, sizeof *e->plus);
    e->minus = og_arena_array(&e->arena, count, sizeof *e->minus);
    e->room = og_arena_array(&e->arena, problem->room, sizeof *e->room);
    OG_TRY(og_arena_whole(e));
    e->shown = (og_crowd_state){.count = e->count, .group = e->group};
    *out = (og_environment){.self = e,
                            .open_max = e->count * problem->source_count,
                            .begin = begin,
                            .state = state,
                            .open = open_all,
                            .step = step,
                            .score = score,
                            .free = og_arena_free};
    return OG_OK;
}
