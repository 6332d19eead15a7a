/*
 * Recursion backward over the workers to come and, in each layer, over the classes in the order of
 * creation, since a class's successors in its layer are earlier classes. It computes the value and
 * the expected number of purchases. A forward pass then computes how often each worker is taken.
 *
 * Rounding. Let u = 2^-53, rho and pi the arm's relative errors of R and p, n its outcomes, U the
 * workers, F >= every computed value. D has an error of at most (U (pi + 2u) + rho) D. Taking a
 * worker adds roundings of u max(D, price) twice and of F once. In the mean over events the weights
 * have a relative error of at most 2 pi + 16u (stored rates, their sum and the division), and the
 * mean adds n + 2 roundings. A path takes U workers and sees 2 U events, and max() does not widen
 * an error:
 *
 *   error <= 1.02 U ((U (pi + 2u) + rho) D + 2u max(D, price) + u F + 2 (2 pi + (n + 18) u) F)
 *
 * Checked by tests/test_delayed.c: bound_is_the_recursion_of_one_instance_at_its_prices
 */
#include "heuristics/bounds/priced_delayed.h"

#include <float.h>
#include <math.h>

#include "dp/base/arena.h"

/* A class. */
typedef struct {
    double value; /* v */
    double purchases;
    double mass; /* probability of reaching the class in this layer */
    bool takes;  /* true if the next worker is taken */
} place;

struct og_priced_delayed {
    og_arena arena;
    const og_arm *arm;
    double arrival_rate, service_rate;
    og_delayed_layers *layers;
    size_t *first; /* [workers + 1] position of a layer's first class among all classes */
    place *place;  /* [classes] */
    double dearest;
    uint64_t work;
    og_stop *stop;
};

og_status og_priced_delayed_new(const og_arm *arm, int32_t workers, const og_delay *delay,
                                uint64_t memory_bytes, og_stop *stop, og_priced_delayed **out,
                                og_message *message)
{
    int32_t group_arm = 0;
    int64_t one = 1;
    og_arm *the_arm = (og_arm *)arm; /* og_arms has no const pointers; this one owns nothing */
    og_arms arms = {.budget = workers,
                    .arm_count = 1,
                    .arm = &the_arm,
                    .group_count = 1,
                    .arm_of_group = &group_arm,
                    .group_size = &one};
    og_priced_delayed *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    made->arm = arm;
    made->stop = stop;
    made->arrival_rate = og_fraction_double(delay->arrival_rate);
    made->service_rate = og_fraction_double(delay->service_rate);
    const og_delayed_layers_use use = {
        .merge = true, .most = delay->most, .memory_bytes = memory_bytes, .stop = stop};
    og_status status = og_delayed_layers_new(&arms, &use, &made->layers, message);
    made->first = og_arena_array(&made->arena, (size_t)workers + 1, sizeof *made->first);
    OG_THEN(status, og_arena_status(&made->arena));
    if (status == OG_OK) {
        size_t total = og_delayed_layers_first(made->layers, made->first, &made->dearest);
        made->place = og_arena_array(&made->arena, total, sizeof *made->place);
        status = og_arena_status(&made->arena);
    }
    return OG_MADE(status, made, og_priced_delayed_free, out);
}

void og_priced_delayed_free(og_priced_delayed *priced)
{
    if (priced != NULL) {
        og_delayed_layers_free(priced->layers);
    }
    og_arena_free(priced);
}

double og_priced_delayed_dearest(const og_priced_delayed *priced)
{
    return priced->dearest;
}

uint64_t og_priced_delayed_work(const og_priced_delayed *priced)
{
    return priced->work;
}

/* Computes values and purchases of the layer with m workers to come; the next worker costs `price`.
 */
static void value_layer(og_priced_delayed *p, int32_t m, double price, double *largest)
{
    const og_delayed_layer *layer = &p->layers->layer[m];
    const place *below = p->place + p->first[m - 1];
    place *here = p->place + p->first[m];
    for (uint32_t c = 0; c < layer->class_count; c++) {
        const og_delayed_row *row = &layer->row[c];
        const place *given = &below[row->given], *down = &below[row->down];
        double taken = row->reward - price + given->value;
        bool takes = taken > down->value;
        double sum = p->arrival_rate * (takes ? taken : down->value);
        double count = p->arrival_rate * (takes ? 1 + given->purchases : down->purchases);
        for (uint32_t k = row->first; k < row->end; k++) {
            sum += p->service_rate * layer->way[k].rate * here[layer->way[k].to].value;
            count += p->service_rate * layer->way[k].rate * here[layer->way[k].to].purchases;
        }
        double q = p->arrival_rate + p->service_rate * row->rate_total;
        here[c] = (place){.value = sum / q, .purchases = count / q, .takes = takes};
        *largest = fmax(*largest, fmax(here[c].value, taken));
    }
    p->work += layer->class_count;
}

/* Computes how often each worker is taken, forward from the root; all masses must be 0 before.
 * Successors are earlier classes, so a pass from the last class to the first visits each when its
 * mass is complete. */
static void follow(og_priced_delayed *p, double *bought)
{
    int32_t workers = p->layers->workers;
    for (uint32_t c = 0; c < p->layers->layer[0].class_count; c++) {
        p->place[c].mass = 0; /* this layer has no workers to come */
    }
    p->place[p->first[workers] + p->layers->root[0]].mass = 1;
    for (int32_t m = workers; m > 0; m--) {
        const og_delayed_layer *layer = &p->layers->layer[m];
        place *here = p->place + p->first[m], *below = p->place + p->first[m - 1];
        bought[workers - m] = 0;
        for (uint32_t c = layer->class_count; c-- > 0;) {
            const og_delayed_row *row = &layer->row[c];
            if (here[c].mass == 0) {
                continue;
            }
            double share = here[c].mass / (p->arrival_rate + p->service_rate * row->rate_total);
            double arrives = share * p->arrival_rate;
            below[here[c].takes ? row->given : row->down].mass += arrives;
            bought[workers - m] += here[c].takes ? arrives : 0;
            for (uint32_t k = row->first; k < row->end; k++) {
                here[layer->way[k].to].mass += share * p->service_rate * layer->way[k].rate;
            }
        }
    }
}

og_status og_priced_delayed_stages(og_priced_delayed *priced, const double *price, double *bought,
                                   og_priced *out)
{
    const double u = DBL_EPSILON / 2;
    const og_arm *arm = priced->arm;
    int32_t workers = priced->layers->workers;
    double largest = 0, dearest = 0;
    for (int32_t m = 1; m <= workers; m++) {
        if (og_stop_asked(priced->stop)) {
            return OG_STOPPED;
        }
        dearest = fmax(dearest, price[workers - m]);
        value_layer(priced, m, price[workers - m], &largest);
    }
    if (bought != NULL) {
        follow(priced, bought);
    }
    size_t root = priced->first[workers] + priced->layers->root[0];
    double p_error = arm->probability_error;
    double reward = (workers * (p_error + 2 * u) + arm->reward_error) * priced->dearest;
    double taking = 2 * u * fmax(priced->dearest, dearest) + u * largest;
    double event = (2 * p_error + (arm->outcome_count + 18) * u) * largest;
    out->gain = priced->place[root].value;
    out->purchases = priced->place[root].purchases;
    out->error = 1.02 * workers * (reward + taking + 2 * event);
    return OG_OK;
}
