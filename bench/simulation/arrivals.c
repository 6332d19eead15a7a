/* Draws the times of workers who arrive, and keeps those at work in the order of their ends. */
#include "bench/simulation/arrivals.h"

#include <math.h>

#include "bench/random.h"

/* Draw the `number`-th exponential time of this purpose in the run. */
static double draw_time(const og_arrivals *arrivals, og_draw_purpose purpose, uint32_t number,
                        double rate)
{
    uint64_t bits = og_draw(arrivals->seed, purpose, arrivals->run, 0, number);
    return -log1p(-og_draw_unit(bits)) / rate;
}

static void push_end(og_arrivals *arrivals, og_work_end end)
{
    uint32_t at = arrivals->end_count++;
    while (at > 0 && arrivals->ends[(at - 1) / 2].time > end.time) {
        arrivals->ends[at] = arrivals->ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    arrivals->ends[at] = end;
}

static og_work_end pop_end(og_arrivals *arrivals)
{
    og_work_end first = arrivals->ends[0];
    og_work_end last = arrivals->ends[--arrivals->end_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < arrivals->end_count; child = 2 * at + 1) {
        if (child + 1 < arrivals->end_count &&
            arrivals->ends[child + 1].time < arrivals->ends[child].time) {
            child++;
        }
        if (arrivals->ends[child].time >= last.time) {
            break;
        }
        arrivals->ends[at] = arrivals->ends[child];
        at = child;
    }
    arrivals->ends[at] = last;
    return first;
}

/* Set the time of the next arrival. */
static void await_arrival(og_arrivals *arrivals)
{
    uint32_t number = (uint32_t)(arrivals->workers - arrivals->left);
    arrivals->now = arrivals->left == 0 ? INFINITY
                                        : arrivals->now + draw_time(arrivals, OG_DRAW_ARRIVAL,
                                                                    number, arrivals->arrival_rate);
}

og_arrivals og_arrivals_of(const og_delay *delay, int32_t workers, og_work_end *ends)
{
    return (og_arrivals){.arrival_rate = og_fraction_double(delay->arrival_rate),
                         .service_rate = og_fraction_double(delay->service_rate),
                         .workers = workers,
                         .ends = ends};
}

void og_arrivals_begin(og_arrivals *arrivals, uint64_t seed, uint64_t run)
{
    arrivals->seed = seed;
    arrivals->run = run;
    arrivals->end_count = 0;
    arrivals->left = arrivals->workers;
    arrivals->now = 0;
    await_arrival(arrivals);
}

bool og_arrivals_ended(og_arrivals *arrivals, uint32_t *instance)
{
    if (arrivals->end_count == 0 || arrivals->ends[0].time > arrivals->now) {
        return false;
    }
    *instance = pop_end(arrivals).instance;
    return true;
}

void og_arrivals_place(og_arrivals *arrivals, uint32_t instance)
{
    uint32_t number = (uint32_t)(arrivals->workers - arrivals->left);
    double took = draw_time(arrivals, OG_DRAW_SERVICE, number, arrivals->service_rate);
    push_end(arrivals, (og_work_end){arrivals->now + took, instance});
    og_arrivals_lose(arrivals);
}

void og_arrivals_lose(og_arrivals *arrivals)
{
    arrivals->left--;
    await_arrival(arrivals);
}
