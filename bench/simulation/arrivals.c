/* Draws the times of workers who arrive, and keeps those at work in the order of their ends. */
#include "bench/simulation/arrivals.h"

#include <math.h>

#include "bench/random.h"

/* Draw the `number`-th exponential time of this purpose in the run. */
static double draw_time(const og_arrivals *of, og_draw_purpose purpose, uint32_t number,
                        double rate)
{
    uint64_t bits = og_draw(of->seed, purpose, of->run, 0, number);
    return -log1p(-og_draw_unit(bits)) / rate;
}

static void push_end(og_arrivals *of, og_work_end end)
{
    uint32_t at = of->end_count++;
    while (at > 0 && of->ends[(at - 1) / 2].time > end.time) {
        of->ends[at] = of->ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    of->ends[at] = end;
}

static og_work_end pop_end(og_arrivals *of)
{
    og_work_end first = of->ends[0];
    og_work_end last = of->ends[--of->end_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < of->end_count; child = 2 * at + 1) {
        if (child + 1 < of->end_count && of->ends[child + 1].time < of->ends[child].time) {
            child++;
        }
        if (of->ends[child].time >= last.time) {
            break;
        }
        of->ends[at] = of->ends[child];
        at = child;
    }
    of->ends[at] = last;
    return first;
}

/* Set the time of the next arrival. */
static void await_arrival(og_arrivals *of)
{
    uint32_t number = (uint32_t)(of->workers - of->left);
    of->now = of->left == 0 ? INFINITY
                            : of->now + draw_time(of, OG_DRAW_ARRIVAL, number, of->arrival_rate);
}

og_arrivals og_arrivals_of(const og_delay *delay, int32_t workers, og_work_end *ends)
{
    return (og_arrivals){.arrival_rate = og_fraction_double(delay->arrival_rate),
                         .service_rate = og_fraction_double(delay->service_rate),
                         .workers = workers,
                         .ends = ends};
}

void og_arrivals_begin(og_arrivals *of, uint64_t seed, uint64_t run)
{
    of->seed = seed;
    of->run = run;
    of->end_count = 0;
    of->left = of->workers;
    of->now = 0;
    await_arrival(of);
}

bool og_arrivals_ended(og_arrivals *of, uint32_t *instance)
{
    if (of->end_count == 0 || of->ends[0].time > of->now) {
        return false;
    }
    *instance = pop_end(of).instance;
    return true;
}

void og_arrivals_place(og_arrivals *of, uint32_t instance)
{
    uint32_t number = (uint32_t)(of->workers - of->left);
    double took = draw_time(of, OG_DRAW_SERVICE, number, of->service_rate);
    push_end(of, (og_work_end){of->now + took, instance});
    og_arrivals_lose(of);
}

void og_arrivals_lose(og_arrivals *of)
{
    of->left--;
    await_arrival(of);
}
