/*
 * One pass over the states of each distinct arm for every price, those that follow first.
 *
 * Rounding. Let u = 2^-53, rho and pi the arm's relative errors of R and p, n its outcomes, T the
 * labels, D the slots, W the workers who can come in them, R the largest reward, F >= every
 * computed value. Along a path there are W means over an arrival, of chances right to 3u with 3
 * roundings; M = T D moves of a label at most, of chances right to pi + (n + 3) u, with a mean over
 * n + 1 outcomes and a reward, right to rho and two roundings, of which T are not 0; and W workers,
 * whose price takes two roundings off. max() widens no error:
 *
 *   error <= 1.02 (W 6u F + M (pi + (3n + 10) u) (F + R) + T rho R + W 2u (z + F))
 */
#include "heuristics/bounds/deadline_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/bounds/lines.h"

enum { TAKEN, NOT_TAKEN, SENT_AWAY };

typedef struct {
    double value, purchases;
} place;

typedef struct {
    og_arena arena;
    const og_arms *arms;
    const og_deadline *deadline;
    og_deadline_alone **alone; /* [arm_count] */
    double *count;             /* [arm_count] instances */
    place *place;              /* [most states of an arm] */
    double prior, prior_error;
    double workers, workers_error; /* E[N] */
    double dearest;                /* at this price nothing is bought */
    int32_t evaluations;
} relaxed;

/* Workers in time come in independent slots: what is still expected of `left`, slot by slot. */
double og_deadline_workers(const og_arms *arms, const og_deadline *deadline, double *error)
{
    int32_t at_once = og_deadline_at_once(deadline), labels = arms->budget;
    int32_t workers = og_deadline_labels(deadline, OG_BUDGET_MAX);
    size_t row = (size_t)labels + 1;
    double *expected = calloc(2 * row, sizeof *expected);
    double found = labels; /* without memory: no more than so many */
    for (int32_t w = 0; expected != NULL && w < workers; w++) {
        /* [row]: of the slots that follow; behind it, of this one too after so many have come */
        double *later = expected, *here = expected + row;
        int32_t come = at_once - 1 - w % at_once;
        og_fraction p = og_deadline_arrival(deadline, come);
        double comes = og_fraction_double(p), none = (double)(p.den - p.num) / (double)p.den;
        for (int32_t r = labels; r > 0; r--) {
            here[r] = comes * (1 + here[r - 1]) + none * later[r];
        }
        if (come == 0) {
            memcpy(later, here, row * sizeof *later);
        }
    }
    if (expected != NULL) {
        found = expected[labels];
    }
    free(expected);
    *error = 1.02 * workers * 6 * 0x1p-53;
    return found;
}

static place place_at(const relaxed *of, uint32_t state)
{
    return state == OG_ALONE_END ? (place){0, 0} : of->place[state];
}

/* Where taking gains nothing nobody is taken. */
static place serve(const relaxed *of, const og_alone_way *way, double price)
{
    place taken = place_at(of, way[TAKEN].to);
    place left = place_at(of, way[of->deadline->turn_away ? SENT_AWAY : NOT_TAKEN].to);
    taken.value -= price;
    taken.purchases += 1;
    return taken.value > left.value ? taken : left;
}

static place value_arm(const relaxed *of, const og_deadline_alone *alone, double price,
                       double *largest)
{
    for (uint32_t i = 0; i < alone->count; i++) {
        const og_alone_state *at = &alone->state[i];
        const og_alone_way *way = &alone->way[at->first];
        place sum = {at->reward, 0};
        for (uint32_t k = 0; !at->worker && k < at->end - at->first; k++) {
            place next = place_at(of, way[k].to);
            sum.value += way[k].chance * next.value;
            sum.purchases += way[k].chance * next.purchases;
        }
        of->place[i] = at->worker ? serve(of, way, price) : sum;
        *largest = fmax(*largest, of->place[i].value);
    }
    return place_at(of, alone->root);
}

static double error_of(const relaxed *of, const og_arm *arm, double price, double largest)
{
    const double u = 0x1p-53;
    double slots = of->deadline->slots, labels = arm->depth, n = arm->outcome_count;
    double workers = slots * og_deadline_at_once(of->deadline);
    double reward = of->dearest;
    double move = arm->probability_error + (3 * n + 10) * u;
    return 1.02 * (workers * 6 * u * largest + labels * slots * move * (largest + reward) +
                   labels * arm->reward_error * reward + workers * 2 * u * (price + largest));
}

static og_status line_at(void *context, double price, og_line *out)
{
    relaxed *of = context;
    double value = of->prior + price * of->workers, error = of->prior_error, purchases = 0;
    error += price * of->workers * (of->workers_error + 0x1p-52);
    for (int32_t a = 0; a < of->arms->arm_count; a++) {
        double largest = 0;
        place found = value_arm(of, of->alone[a], price, &largest);
        value += of->count[a] * found.value;
        purchases += of->count[a] * found.purchases;
        error += of->count[a] * error_of(of, of->arms->arm[a], price, largest);
    }
    error += 0x1p-52 * (of->arms->arm_count + 3) * fabs(value);
    of->evaluations++;
    *out = (og_line){price, value, 1.02 * error, of->workers - purchases};
    return OG_OK;
}

static og_status relaxed_init(relaxed *of, const og_arms *arms, const og_deadline *deadline,
                              uint64_t memory_bytes, og_message *message)
{
    size_t count = (size_t)arms->arm_count;
    uint32_t most = 0;
    *of = (relaxed){.arms = arms, .deadline = deadline};
    of->alone = og_arena_array(&of->arena, count, sizeof *of->alone);
    of->count = og_arena_array(&of->arena, count, sizeof *of->count);
    OG_TRY(og_arena_status(&of->arena));
    of->prior = og_arms_call(arms, &of->prior_error);
    of->workers = og_deadline_workers(arms, deadline, &of->workers_error);
    for (size_t a = 0; a < count; a++) {
        const og_arm *arm = arms->arm[a];
        of->count[a] = (double)og_arms_copies(arms, (int32_t)a);
        for (uint32_t i = 0; i < arm->level[arm->depth]; i++) {
            of->dearest = fmax(of->dearest, arm->reward[i]);
        }
        OG_TRY(og_deadline_alone_new(arm, deadline, memory_bytes, &of->alone[a], message));
        memory_bytes -= of->alone[a]->bytes;
        most = of->alone[a]->count > most ? of->alone[a]->count : most;
    }
    of->place = og_arena_array(&of->arena, most, sizeof *of->place);
    return og_arena_status(&of->arena);
}

static void relaxed_clear(relaxed *of)
{
    for (int32_t a = 0; of->alone != NULL && a < of->arms->arm_count; a++) {
        og_deadline_alone_free(of->alone[a]);
    }
    og_arena_clear(&of->arena);
}

og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, double price, double *value,
                                     double *error, og_message *message)
{
    relaxed of;
    og_line line;
    og_status status = relaxed_init(&of, arms, deadline, memory_bytes, message);
    OG_THEN(status, line_at(&of, price, &line));
    relaxed_clear(&of);
    OG_TRY(status);
    *value = line.value + line.error;
    *error = line.error;
    return OG_OK;
}

og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_upper_bound *out, og_message *message)
{
    relaxed of;
    og_line best;
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = relaxed_init(&of, arms, deadline, memory_bytes, message);
    OG_THEN(status, og_lines_least(line_at, &of, of.dearest, &best, &bound.converged));
    if (status == OG_OK) {
        bound.price[0] = best.price;
        bound.value = best.value + best.error;
        bound.error = best.error;
        bound.evaluations = of.evaluations;
        *out = bound;
    } else {
        og_bound_clear(&bound);
    }
    relaxed_clear(&of);
    return status;
}
