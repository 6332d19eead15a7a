/*
 * Walks labels that have a price, state by state: the instances and the standard arm, whose label
 * here means to stop. Values are reduced by the price of the labels left, so that stopping is worth
 * 0. They do not contain prices already paid.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/families/independent/independent.h"
#include "bench/families/independent/priced.h"

typedef struct {
    og_arena arena;
    uint32_t standard; /* the number of the standard arm */
    og_steps inner;
    og_step_view stand; /* current */
    double price, paid; /* of a label; of all labels left */
    mpq_t *exact;       /* [2] the same */
} stepper;

static const double unit = 0x1p-53;

static bool is_stop(stepper *steps, const og_action *action)
{
    return steps->inner.act(steps->inner.self, action).part[0] == steps->standard;
}

static void root(void *self, og_step_state *out)
{
    const stepper *steps = self;
    steps->inner.root(steps->inner.self, out);
}

static og_status take(void *self, const og_step_state *place, og_step_view *out,
                      og_message *message)
{
    stepper *steps = self;
    OG_TRY(steps->inner.take(steps->inner.self, place, &steps->stand, message));
    *out = steps->stand;
    steps->paid = steps->price * steps->stand.left;
    mpq_set_si(steps->exact[1], steps->stand.left, 1);
    mpq_mul(steps->exact[1], steps->exact[1], steps->exact[0]);
    return OG_OK;
}

static og_act act(void *self, const og_action *action)
{
    const stepper *steps = self;
    return steps->inner.act(steps->inner.self, action);
}

/* The earnings of an action besides a difference of expected calls, less its price. */
static double reward(void *self, const og_action *action, mpq_ptr exact)
{
    stepper *steps = self;
    double earned = steps->inner.reward(steps->inner.self, action, exact) - steps->price;
    bool stops = is_stop(steps, action);
    if (exact != NULL) {
        mpq_sub(exact, exact, steps->exact[0]);
    }
    if (exact != NULL && stops) {
        mpq_set_ui(exact, 0, 1);
    }
    return stops ? 0 : earned;
}

static int32_t answer(void *self, const og_outcome *outcome, og_act *of_act)
{
    const stepper *steps = self;
    return steps->inner.answer(steps->inner.self, outcome, of_act);
}

static void next(void *self, const og_outcome *outcome, og_step_state *out)
{
    const stepper *steps = self;
    og_act taken;
    steps->inner.answer(steps->inner.self, outcome, &taken);
    steps->inner.next(steps->inner.self, outcome, out);
    if (taken.part[0] == steps->standard) {
        mpq_t ignored;
        mpq_init(ignored);
        steps->inner.counted(steps->inner.self, &out->value, ignored);
        mpq_clear(ignored);
        out->words = 0;
        out->state = steps->stand.state;
    }
}

/* Stopping is worth 0, and a value within its error of 0 becomes 0. */
static double beyond_stop(double value, double error)
{
    return fabs(value) <= error ? 0 : value;
}

static og_status value(void *self, double *out, double *error, og_message *message)
{
    const stepper *steps = self;
    OG_TRY(steps->inner.value(steps->inner.self, out, error, message));
    *error += 4 * unit * fabs(*out);
    *out = beyond_stop(*out - steps->paid, *error);
    *error *= 2;
    return OG_OK;
}

static og_status q(void *self, double *out, double *error, og_message *message)
{
    stepper *steps = self;
    OG_TRY(steps->inner.q(steps->inner.self, out, error, message));
    for (int32_t i = 0; i < steps->stand.x->action_count; i++) {
        bool stops = is_stop(steps, &steps->stand.x->action[i]);
        error[i] = stops ? 0 : error[i] + 4 * unit * fabs(out[i]);
        out[i] = stops ? 0 : beyond_stop(out[i] - steps->paid, error[i]);
        error[i] *= 2;
    }
    return OG_OK;
}

static og_status q_of(void *self, int32_t action, double *out, double *error, og_message *message)
{
    stepper *steps = self;
    OG_TRY(steps->inner.q_of(steps->inner.self, action, out, error, message));
    bool stops = is_stop(steps, &steps->stand.x->action[action]);
    *error = stops ? 0 : *error + 4 * unit * fabs(*out);
    *out = stops ? 0 : *out - steps->paid;
    return OG_OK;
}

static void counted(void *self, double *out, mpq_ptr exact)
{
    const stepper *steps = self;
    steps->inner.counted(steps->inner.self, out, exact);
}

static og_status q_exact(void *self, mpq_t *out, og_message *message)
{
    stepper *steps = self;
    OG_TRY(steps->inner.q_exact(steps->inner.self, out, message));
    for (int32_t i = 0; i < steps->stand.x->action_count; i++) {
        mpq_sub(out[i], out[i], steps->exact[1]);
        if (is_stop(steps, &steps->stand.x->action[i])) {
            mpq_set_ui(out[i], 0, 1);
        }
    }
    return OG_OK;
}

static void probability_exact(void *self, const og_outcome *outcome, mpq_ptr exact)
{
    const stepper *steps = self;
    steps->inner.probability_exact(steps->inner.self, outcome, exact);
}

static void free_stepper(void *self)
{
    stepper *steps = self;
    og_steps_free(&steps->inner);
    og_arena_free(steps);
}

og_status og_priced_steps(const og_arms *arms, og_fraction price, const og_steps_use *use,
                          og_steps *out, og_message *message)
{
    og_steps_use inner = *use;
    stepper *steps = og_arena_new(sizeof *steps);
    og_status status = steps == NULL ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK) {
        steps->exact = og_arena_fractions(&steps->arena, 2);
        status = og_arena_status(&steps->arena);
    }
    if (status == OG_OK) {
        bool stops = og_arm_is_standard(arms->arm[arms->arm_count - 1]);
        steps->standard = stops ? (uint32_t)arms->arm_count - 1 : UINT32_MAX;
        steps->price = og_fraction_double(price);
        og_fraction_get_mpq(steps->exact[0], price);
        inner.like = use->like != NULL ? &((const stepper *)use->like->self)->inner : NULL;
        status = og_steps_of_arms(arms, &inner, &steps->inner, message);
    }
    if (status != OG_OK) {
        og_arena_free(steps);
        return status;
    }
    *out = steps->inner;
    out->self = steps;
    out->losses = true;
    out->either_sign = steps->standard == UINT32_MAX;
    out->root = root;
    out->take = take;
    out->act = act;
    out->reward = reward;
    out->answer = answer;
    out->next = next;
    out->value = value;
    out->q = q;
    out->q_of = q_of;
    out->counted = counted;
    out->q_exact = q_exact;
    out->probability_exact = probability_exact;
    out->free = free_stepper;
    return OG_OK;
}
