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

static uint32_t classes_with(const index_drawing *drawing, int32_t left)
{
    return og_twins_with_left(drawing->job->twins, drawing->job->arms->budget, left);
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
static size_t find_places(index_drawing *drawing, const int8_t *sign, int32_t left, bool *gains,
                          place *out)
{
    double *lean = drawing->draw->lean[left];
    size_t count = 0;
    for (uint32_t c = 0; c < classes_with(drawing, left); c++) {
        if (lean != NULL) {
            lean[c] = -INFINITY;
        }
        if (sign[c] < 0 || (sign[c] == 0 && !drawing->priced[left] && !gains[c])) {
            continue;
        }
        gains[c] = gains[c] || sign[c] > 0;
        if (out != NULL) {
            out[count] = (place){.class = c, .must = sign[c] > 0};
        }
        count++;
    }
    return count;
}

static og_status list_places(index_drawing *drawing, int8_t *const *sign)
{
    size_t classes = drawing->job->twins->class_count;
    int32_t budget = drawing->job->arms->budget;
    for (int pass = 0; pass < 2; pass++) {
        bool *gains = og_arena_array(&drawing->arena, classes, sizeof *gains);
        OG_TRY(og_arena_status(&drawing->arena));
        for (int32_t left = 1; left <= budget; left++) {
            place *out = drawing->places == NULL ? NULL : drawing->places + drawing->first[left];
            drawing->first[left + 1] =
                drawing->first[left] + find_places(drawing, sign[left], left, gains, out);
        }
        if (pass == 0) {
            drawing->places = og_arena_array(&drawing->arena, drawing->first[budget + 1],
                                             sizeof *drawing->places);
        }
    }
    return og_arena_status(&drawing->arena);
}

/* Keeps the places that instances can reach. Only they add to the expected labels, and their
 * probabilities do not depend on others, so that what is left has the same bits. */
static og_status keep_reached(index_drawing *drawing)
{
    const og_index_job *job = drawing->job;
    const int32_t budget = job->arms->budget;
    bool *reached = og_arena_array(&drawing->arena, job->twins->class_count, sizeof *reached);
    size_t kept = drawing->first[budget + 1];
    OG_TRY(og_arena_status(&drawing->arena));
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        reached[c] = drawing->start[c] > 0;
    }
    for (int32_t left = budget; left >= 1; left--) { /* from behind, so that they move to the end */
        size_t end = drawing->first[left + 1];
        drawing->first[left + 1] = kept;
        for (size_t i = end; i > drawing->first[left]; i--) {
            const place at = drawing->places[i - 1];
            if (!reached[at.class]) {
                continue;
            }
            drawing->places[--kept] = at;
            int32_t outcomes = job->arms->arm[job->twins->first_arm[at.class]]->outcome_count;
            for (int32_t k = 0; left > 1 && k < outcomes; k++) {
                reached[og_twins_next(job->twins, job->arms, at.class, k)] = true;
            }
        }
    }
    drawing->first[1] = kept;
    return OG_OK;
}

/* Computes the probabilities at the charges mu[budget], in the order of the stages. */
static void pass_back(index_drawing *drawing, const double *mu)
{
    const og_index_job *job = drawing->job;
    int32_t budget = job->arms->budget, outcomes;
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        drawing->there[c] = 0;
    }
    for (int32_t left = 1; left <= budget; left++) {
        double charge = mu[budget - left];
        for (size_t i = drawing->first[left]; i < drawing->first[left + 1]; i++) {
            place *at = &drawing->places[i];
            const double *probability = probabilities(job, at->class, &outcomes);
            double bought = -charge, waited = drawing->there[at->class];
            for (int32_t k = 0; left > 1 && k < outcomes; k++) {
                bought += probability[k] *
                          drawing->there[og_twins_next(job->twins, job->arms, at->class, k)];
            }
            double lean = at->must ? INFINITY : bought - waited;
            double part = exp(-fabs(lean)); /* of the smaller term in the larger one */
            at->chance = (lean > 0 ? 1 : part) / (1 + part);
            drawing->beside[at->class] = at->must ? bought : fmax(bought, waited) + log1p(part);
            if (drawing->draw->lean[left] != NULL) {
                drawing->draw->lean[left][at->class] = lean;
            }
        }
        for (size_t i = drawing->first[left]; i < drawing->first[left + 1]; i++) {
            drawing->there[drawing->places[i].class] = drawing->beside[drawing->places[i].class];
        }
    }
}

/* Computes the expected labels bought with these probabilities. */
static void pass_forth(index_drawing *drawing)
{
    const og_index_job *job = drawing->job;
    int32_t budget = job->arms->budget, outcomes;
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        drawing->there[c] = drawing->start[c];
    }
    for (int32_t left = budget; left >= 1; left--) {
        double sum = 0;
        for (size_t i = drawing->first[left]; i < drawing->first[left + 1]; i++) {
            const place *at = &drawing->places[i];
            drawing->beside[at->class] = at->chance * drawing->there[at->class];
            sum += drawing->beside[at->class];
        }
        drawing->draw->bought[budget - left] = sum;
        for (size_t i = drawing->first[left]; i < drawing->first[left + 1]; i++) {
            uint32_t class = drawing->places[i].class;
            const double *probability = probabilities(job, class, &outcomes);
            drawing->there[class] -= drawing->beside[class];
            for (int32_t k = 0; left > 1 && k < outcomes; k++) {
                drawing->there[og_twins_next(job->twins, job->arms, class, k)] +=
                    probability[k] * drawing->beside[class];
            }
        }
    }
}

/* The gradient of the dual, which has its minimum at the best charges. */
static void slope_of_dual(void *context, const double *mu, double *gradient)
{
    index_drawing *drawing = context;
    int32_t budget = drawing->job->arms->budget;
    pass_back(drawing, mu);
    pass_forth(drawing);
    for (int32_t l = 0; l < budget; l++) {
        double spare = drawing->priced[budget - l] ? 0 : exp(-mu[l]);
        gradient[l] = 1 - drawing->draw->bought[l] - spare + OG_DRAW_RIDGE * mu[l];
    }
}

static og_status find_charges(index_drawing *drawing)
{
    const og_arms *arms = drawing->job->arms;
    double instances = 1 + (double)og_arms_instances(arms);
    double work = (double)drawing->first[arms->budget + 1] + arms->budget;
    double *mu = drawing->draw->charge;
    double *unused = og_arena_array(&drawing->arena, (size_t)arms->budget, sizeof *unused);
    OG_TRY(og_arena_status(&drawing->arena));
    /* Start: if all instances were equal, each would buy with probability 1 / instances. */
    for (int32_t l = 0; l < arms->budget; l++) {
        mu[l] = log(instances);
    }
    int32_t most = (int32_t)fmax(20, fmin(EVALUATIONS_MOST, work_most / work));
    OG_TRY(drawing->job->first ? keep_reached(drawing) : OG_OK); /* `most` is of all */
    OG_TRY(
        og_descend(arms->budget, slope_of_dual, drawing, 1e-13, most, mu, &drawing->draw->steep));
    slope_of_dual(drawing, mu, unused);
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
    const int32_t from = job->first && budget > 0 ? budget : 1;
    for (int32_t left = from; !draw->arena.failed && left <= budget; left++) {
        size_t classes = og_twins_with_left(job->twins, budget, left);
        draw->lean[left] = og_arena_array(&draw->arena, classes, sizeof **draw->lean);
    }
    return draw;
}

static og_status drawing_init(index_drawing *drawing, const double *price, double nil)
{
    const og_arms *arms = drawing->job->arms;
    size_t classes = drawing->job->twins->class_count, budget = (size_t)arms->budget;
    drawing->draw = allocate_draw(drawing->job);
    drawing->priced = og_arena_array(&drawing->arena, budget + 1, sizeof *drawing->priced);
    drawing->first = og_arena_array(&drawing->arena, budget + 2, sizeof *drawing->first);
    drawing->start = og_arena_array(&drawing->arena, classes, sizeof *drawing->start);
    drawing->there = og_arena_array(&drawing->arena, classes, sizeof *drawing->there);
    drawing->beside = og_arena_array(&drawing->arena, classes, sizeof *drawing->beside);
    if (drawing->draw == NULL || drawing->draw->arena.failed || drawing->arena.failed) {
        return OG_NO_MEMORY;
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        drawing->priced[left] = price[left] > nil;
    }
    for (int32_t i = 0; arms->budget > 0 && i < arms->group_count; i++) {
        drawing->start[drawing->job->twins->class_of[arms->node_offset[arms->arm_of_group[i]]]] +=
            (double)arms->group_size[i];
    }
    return OG_OK;
}

og_status og_draw_new(const og_index_job *job, int8_t *const *sign, const double *price, double nil,
                      og_draw **out)
{
    index_drawing drawing = {.job = job};
    og_status status = drawing_init(&drawing, price, nil);
    OG_THEN(status, list_places(&drawing, sign));
    OG_THEN(status, find_charges(&drawing));
    if (status == OG_OK) {
        *out = drawing.draw;
        drawing.draw = NULL;
    }
    og_draw_free(drawing.draw);
    og_arena_clear(&drawing.arena);
    return status;
}
