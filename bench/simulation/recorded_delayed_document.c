/* Describes runs on recorded labels that take time. */
#include <inttypes.h>
#include <math.h>

#include "bench/describe.h"
#include "bench/simulation/recorded_delayed.h"

enum { RATE_BYTES = 48 };

static double per_task(const og_replay_arrivals *arrivals, double sum)
{
    return arrivals->bound.price_count > 0 ? sum / arrivals->world.tasks : NAN;
}

void og_replay_arrivals_put(const og_replay_arrivals *arrivals, og_document *document)
{
    const og_recorded_delayed *world = &arrivals->world;
    og_put_whole(document, "held_out", (uint64_t)arrivals->held);
    og_put_text(document, "method", arrivals->method);
    og_put_whole(document, "tasks_drawn", (uint64_t)world->tasks);
    og_put_whole(document, "arrivals", (uint64_t)world->workers);
    og_put_number(document, "arrival_rate", og_fraction_double(world->delay->arrival_rate));
    og_put_number(document, "service_rate", og_fraction_double(world->delay->service_rate));
    og_put_number(document, "bound_per_task", per_task(arrivals, arrivals->bound.value));
    og_put_number(document, "bound_error", per_task(arrivals, arrivals->bound.error));
    og_put_number(document, "price",
                  arrivals->bound.price_count > 0 ? arrivals->bound.price[0] : NAN);
}

static void put_difference(const char *name, const og_estimate *difference, og_document *object)
{
    og_document *more = og_put_object(object, name);
    og_put_number(more, "mean", difference->mean);
    og_put_number(more, "standard_error", difference->standard_error);
    og_put_numbers(more, "interval", (const double[]){difference->low, difference->high}, 2);
}

void og_replay_arrivals_put_row(const og_replay_arrivals *arrivals, const og_simulate_row *row,
                                og_document *object)
{
    const og_estimate *accuracy = &row->metric[OG_DELAYED_ACCURACY];
    const og_estimate *believed = &row->metric[OG_DELAYED_BELIEVED];
    og_put_number(object, "accuracy", accuracy->mean);
    og_put_number(object, "standard_error", accuracy->standard_error);
    og_put_number(object, "low", accuracy->low);
    og_put_number(object, "high", accuracy->high);
    og_put_number(object, "believed", believed->mean);
    og_put_number(object, "believed_error", believed->standard_error);
    og_put_number(object, "labels", row->metric[OG_DELAYED_LABELS].mean);
    og_put_number(object, "seconds", row->metric[OG_DELAYED_SECONDS].mean);
    put_difference("difference", &row->difference[OG_DELAYED_ACCURACY], object);
    put_difference("believed_difference", &row->difference[OG_DELAYED_BELIEVED], object);
    og_show_cell(object, "accuracy", "%.2f +-%.2f", 100 * accuracy->mean,
                 50 * (accuracy->high - accuracy->low));
    og_show_cell(object, "believed", "%.3f +-%.3f", 100 * believed->mean,
                 50 * (believed->high - believed->low));
    if (arrivals->bound.price_count > 0) {
        og_show_cell(object, "below", "%.3f",
                     100 * (per_task(arrivals, arrivals->bound.value) - believed->mean));
    }
    og_show_cell(object, "labels", "%.5g", row->metric[OG_DELAYED_LABELS].mean);
    og_show_cell(object, "one run", "%.3f", row->metric[OG_DELAYED_SECONDS].mean);
}

void og_replay_arrivals_show(const og_replay_arrivals *arrivals, og_document *document)
{
    const og_recorded_delayed *world = &arrivals->world;
    char arrival[RATE_BYTES];
    char service[RATE_BYTES];
    og_fraction_format(world->delay->arrival_rate, arrival, sizeof arrival);
    og_fraction_format(world->delay->service_rate, service, sizeof service);
    if (arrivals->held > 0) {
        og_show_field(document, "Held out", "%" PRId64 " tasks%s%s", arrivals->held,
                      arrivals->method != NULL ? "; the prior is fitted to them, method " : "",
                      arrivals->method != NULL ? arrivals->method : "");
    }
    og_show_field(document, "Workers",
                  "%" PRId32 " arrive, for %" PRId32 " tasks drawn in each run", world->workers,
                  world->tasks);
    if (world->event != NULL) {
        og_show_field(document, "Events", "%" PRId64 ", as listed", world->event_count);
    } else {
        og_show_field(document, "Rates", "arrivals %s, each label %s", arrival, service);
    }
    if (arrivals->bound.price_count > 0) {
        og_show_field(document, "Bound", "%.3f %% believed, at the price %.6g of a worker",
                      100 * per_task(arrivals, arrivals->bound.value), arrivals->bound.price[0]);
    }
}

void og_replay_arrivals_show_table(const og_replay_arrivals *arrivals, const og_document *policies,
                                   og_document *document)
{
    og_document *table = og_show_by_policy(document, policies);
    og_show_column(table, "accuracy, %", 'd', "accuracy", OG_SHOW_PLAIN);
    og_show_column(table, "believed, %", 'd', "believed", OG_SHOW_PLAIN);
    if (arrivals->bound.price_count > 0) {
        og_show_column(table, "below\nthe bound", 'd', "below", OG_SHOW_PLAIN);
    }
    og_show_column(table, "labels", 'd', "labels", OG_SHOW_PLAIN);
    og_show_column(table, "one run,\nseconds", 'd', "one run", OG_SHOW_PLAIN);
    og_show_paragraph(document,
                      "Accuracy: share of the tasks called as gold says. Believed: the mean "
                      "probability that a call is right, by the prior and the labels that came. +- "
                      "is half of a 95 %% interval. The bound is on what is believed, if labels "
                      "fall by the prior; it holds for no accuracy.");
}
