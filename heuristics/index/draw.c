/*
 * Computes the relaxed problem's solution with the largest entropy: a backward pass for
 * probabilities, a forward pass for expected labels, and a descent on the charges around both. Both
 * passes visit only a list of the places that may buy, by labels left; all other classes wait and
 * keep their values.
 */
#include "heuristics/index/draw.h"

#include <math.h>

#include "heuristics/index/descent.h"

/* Limits of the descent: evaluations, and visited places, about ten seconds. */
enum { EVALUATIONS_MOST = 400 };
static const double work_most = 2e8;

/* A class that may buy. */
typedef struct {
    uint32_t class;
    bool must; /* true if it buys with probability 1 */
    double chance;
} place;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    og_draw *draw;
    bool *priced;  /* [budget + 1] by labels left */
    size_t *first; /* [budget + 2] places with `left` labels left: first[left] .. first[left + 1] */
    place *places; /* [first[budget + 1]] */
    double *start; /* [class_count] instances at the start */
    double *there; /* [class_count] expected instances; F in the backward pass */
    double *beside; /* [class_count] values to be copied to `there` at the end of a stage */
} index_drawing;

static uint32_t classes_with(const index_drawing *of, int32_t left)
{
    return og_twins_with_left(of->job->twins, of->job->arms->budget, left);
}

static const double *probabilities(const og_index_job *job, uint32_t class, int32_t *outcomes)
{
    const og_arm *arm = job->arms->arm[job->twins->first_arm[class]];
    *outcomes = arm->outcome_count;
    return arm->probability + job->twins->first_node[class] * (size_t)arm->outcome_count;
}

/* Lists the places with `left` labels left, and sets the leans of the other classes. gains[class]
 * is true if there is a positive advantage with fewer labels left, and is updated. Returns the
 * number of places. */
static size_t find_places(index_drawing *of, const og_index *advantage, double nil, int32_t left,
                          bool *gains, place *out)
{
    const og_twins *twins = of->job->twins;
    size_t count = 0;
    for (uint32_t c = 0; c < classes_with(of, left); c++) {
        double index = og_index_of(advantage, twins->first_arm[c], left)[twins->first_node[c]];
        of->draw->lean[left][c] = -INFINITY;
        if (index < -nil || (index <= nil && !of->priced[left] && !gains[c])) {
            continue;
        }
        gains[c] = gains[c] || index > nil;
        if (out != NULL) {
            out[count] = (place){.class = c, .must = index > nil};
        }
        count++;
    }
    return count;
}

static og_status list_places(index_drawing *of, const og_index *advantage, double nil)
{
    size_t classes = of->job->twins->class_count;
    int32_t budget = of->job->arms->budget;
    for (int pass = 0; pass < 2; pass++) {
        bool *gains = og_arena_array(&of->arena, classes, sizeof *gains);
        OG_TRY(og_arena_status(&of->arena));
        for (int32_t left = 1; left <= budget; left++) {
            place *out = of->places == NULL ? NULL : of->places + of->first[left];
            of->first[left + 1] =
                of->first[left] + find_places(of, advantage, nil, left, gains, out);
        }
        if (pass == 0) {
            of->places = og_arena_array(&of->arena, of->first[budget + 1], sizeof *of->places);
        }
    }
    return og_arena_status(&of->arena);
}

/* ln(e^x + e^y) */
static double log_sum(double x, double y)
{
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* Computes the probabilities at the charges mu[budget], in the order of the stages. */
static void pass_back(index_drawing *of, const double *mu)
{
    const og_index_job *job = of->job;
    int32_t budget = job->arms->budget, outcomes;
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        of->there[c] = 0;
    }
    for (int32_t left = 1; left <= budget; left++) {
        double charge = mu[budget - left];
        for (size_t i = of->first[left]; i < of->first[left + 1]; i++) {
            place *at = &of->places[i];
            const double *probability = probabilities(job, at->class, &outcomes);
            double bought = -charge, waited = of->there[at->class];
            for (int32_t k = 0; left > 1 && k < outcomes; k++) {
                bought +=
                    probability[k] * of->there[og_twins_next(job->twins, job->arms, at->class, k)];
            }
            double lean = at->must ? INFINITY : bought - waited;
            at->chance = at->must ? 1 : 1 / (1 + exp(-lean));
            of->beside[at->class] = at->must ? bought : log_sum(bought, waited);
            of->draw->lean[left][at->class] = lean;
        }
        for (size_t i = of->first[left]; i < of->first[left + 1]; i++) {
            of->there[of->places[i].class] = of->beside[of->places[i].class];
        }
    }
}

/* Computes the expected labels bought with these probabilities. */
static void pass_forth(index_drawing *of)
{
    const og_index_job *job = of->job;
    int32_t budget = job->arms->budget, outcomes;
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        of->there[c] = of->start[c];
    }
    for (int32_t left = budget; left >= 1; left--) {
        double sum = 0;
        for (size_t i = of->first[left]; i < of->first[left + 1]; i++) {
            const place *at = &of->places[i];
            of->beside[at->class] = at->chance * of->there[at->class];
            sum += of->beside[at->class];
        }
        of->draw->bought[budget - left] = sum;
        for (size_t i = of->first[left]; i < of->first[left + 1]; i++) {
            uint32_t class = of->places[i].class;
            const double *probability = probabilities(job, class, &outcomes);
            of->there[class] -= of->beside[class];
            for (int32_t k = 0; left > 1 && k < outcomes; k++) {
                of->there[og_twins_next(job->twins, job->arms, class, k)] +=
                    probability[k] * of->beside[class];
            }
        }
    }
}

/* The gradient of the dual, which has its minimum at the best charges. */
static void slope_of_dual(void *context, const double *mu, double *gradient)
{
    index_drawing *of = context;
    int32_t budget = of->job->arms->budget;
    pass_back(of, mu);
    pass_forth(of);
    for (int32_t l = 0; l < budget; l++) {
        double spare = of->priced[budget - l] ? 0 : exp(-mu[l]);
        gradient[l] = 1 - of->draw->bought[l] - spare + OG_DRAW_RIDGE * mu[l];
    }
}

static og_status find_charges(index_drawing *of)
{
    const og_arms *arms = of->job->arms;
    double instances = 1 + (double)og_arms_instances(arms),
           work = (double)of->first[arms->budget + 1] + arms->budget;
    double *mu = of->draw->charge;
    double *unused = og_arena_array(&of->arena, (size_t)arms->budget, sizeof *unused);
    OG_TRY(og_arena_status(&of->arena));
    /* Start: if all instances were equal, each would buy with probability 1 / instances. */
    for (int32_t l = 0; l < arms->budget; l++) {
        mu[l] = log(instances);
    }
    int32_t most = (int32_t)fmax(20, fmin(EVALUATIONS_MOST, work_most / work));
    OG_TRY(og_descend(arms->budget, slope_of_dual, of, 1e-13, most, mu, &of->draw->steep));
    slope_of_dual(of, mu, unused);
    return OG_OK;
}

void og_draw_free(og_draw *draw)
{
    og_arena_free(draw);
}

static og_draw *allocate_draw(const og_index_job *job)
{
    int32_t budget = job->arms->budget;
    og_draw *draw = og_arena_new(sizeof *draw);
    if (draw == NULL) {
        return NULL;
    }
    draw->budget = budget;
    draw->lean = og_arena_array(&draw->arena, (size_t)budget + 1, sizeof *draw->lean);
    draw->bought = og_arena_array(&draw->arena, (size_t)budget, sizeof *draw->bought);
    draw->charge = og_arena_array(&draw->arena, (size_t)budget, sizeof *draw->charge);
    for (int32_t left = 1; !draw->arena.failed && left <= budget; left++) {
        size_t classes = og_twins_with_left(job->twins, budget, left);
        draw->lean[left] = og_arena_array(&draw->arena, classes, sizeof **draw->lean);
    }
    return draw;
}

static og_status drawing_init(index_drawing *of, const double *price, double nil)
{
    const og_arms *arms = of->job->arms;
    size_t classes = of->job->twins->class_count, budget = (size_t)arms->budget;
    of->draw = allocate_draw(of->job);
    of->priced = og_arena_array(&of->arena, budget + 1, sizeof *of->priced);
    of->first = og_arena_array(&of->arena, budget + 2, sizeof *of->first);
    of->start = og_arena_array(&of->arena, classes, sizeof *of->start);
    of->there = og_arena_array(&of->arena, classes, sizeof *of->there);
    of->beside = og_arena_array(&of->arena, classes, sizeof *of->beside);
    if (of->draw == NULL || of->draw->arena.failed || of->arena.failed) {
        return OG_NO_MEMORY;
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        of->priced[left] = price[left] > nil;
    }
    for (int32_t i = 0; arms->budget > 0 && i < arms->group_count; i++) {
        of->start[of->job->twins->class_of[arms->node_offset[arms->arm_of_group[i]]]] +=
            (double)arms->group_size[i];
    }
    return OG_OK;
}

og_status og_draw_new(const og_index_job *job, const og_index *advantage, const double *price,
                      double nil, og_draw **out)
{
    index_drawing of = {.job = job};
    og_status status = drawing_init(&of, price, nil);
    OG_THEN(status, list_places(&of, advantage, nil));
    OG_THEN(status, find_charges(&of));
    if (status == OG_OK) {
        *out = of.draw;
        of.draw = NULL;
    }
    og_draw_free(of.draw);
    og_arena_clear(&of.arena);
    return status;
}
