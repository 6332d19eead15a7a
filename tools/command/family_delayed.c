/* Labels that take time on the command line. */
#include "tools/command/family_delayed.h"

#include <string.h>

#include "bench/describe.h"
#include "bench/families/delayed.h"

enum { RATE_BYTES = 48 };

static og_status check(const request *asked, og_message *message)
{
    if (asked->budget_given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T and --workers both say how many labels there are; with labels "
                              "that take time it is --workers U");
    }
    if (asked->delay.arrival_rate.den == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arrival-rate R is missing: how many workers arrive in a unit of "
                              "time");
    }
    if (asked->delay.service_rate.den == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--service-rate R is missing: how many labels a worker would give in "
                              "a unit of time");
    }
    if (!asked->workers_given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers U is missing: how many workers arrive in all");
    }
    return og_delay_check(&asked->delay, message);
}

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    og_status status = check(asked, message);
    return status == OG_OK ? og_family_delayed(&asked->problem, &asked->delay, policy_count,
                                               &asked->settings, out, message)
                           : status;
}

static void describe(const request *asked, og_document *document)
{
    char arrival[RATE_BYTES];
    char service[RATE_BYTES];
    const og_delay *delay = &asked->delay;
    og_document *object = og_describe_problem(document, &asked->problem, "Workers");
    og_put_number(object, "arrival_rate", og_fraction_double(delay->arrival_rate));
    og_put_number(object, "service_rate", og_fraction_double(delay->service_rate));
    og_fraction_format(delay->arrival_rate, arrival, sizeof arrival);
    og_fraction_format(delay->service_rate, service, sizeof service);
    og_show_field(document, "Rates", "arrivals %s, each label %s", arrival, service);
}

static void action(const request *asked, const og_first_action *first, char *words, size_t size)
{
    og_group_format(&asked->problem.groups[first->instance], words, size);
}

static const family_kind delayed = {
    .option = "--arrival-rate",
    .labels = "Workers",
    .make = make,
    .describe = describe,
    .action = action,
};

bool is_delayed(const request *asked)
{
    return asked->kind == &delayed;
}

og_status delayed_prepare(request *asked, og_message *message)
{
    og_status status = check(asked, message);
    if (status == OG_OK && asked->usual_policies) {
        asked->policy_count = 0;
        status = option_policies.read(asked, og_delayed_usual_policies, message);
    }
    return status;
}

static og_status read_rate(request *asked, const char *text, const char *name, og_fraction *out,
                           og_message *message)
{
    og_status status = family_choose(asked, &delayed, message);
    if (status == OG_OK && (og_fraction_parse(text, strlen(text), out) != OG_OK || out->num <= 0)) {
        *out = (og_fraction){0, 0};
        status =
            og_message_set(message, OG_BAD_INPUT,
                           "%s must be a decimal number greater than 0, not '%.64s'", name, text);
    }
    return status;
}

static og_status read_arrival_rate(request *asked, const char *text, og_message *message)
{
    return read_rate(asked, text, "--arrival-rate", &asked->delay.arrival_rate, message);
}

static og_status read_service_rate(request *asked, const char *text, og_message *message)
{
    return read_rate(asked, text, "--service-rate", &asked->delay.service_rate, message);
}

static og_status read_workers(request *asked, const char *text, og_message *message)
{
    int64_t workers = 0;
    og_status status = family_choose(asked, &delayed, message);
    if (status == OG_OK) {
        status = read_integer(text, "--workers", 0, OG_BUDGET_MAX, &workers, message);
    }
    if (status == OG_OK) {
        asked->budget = (int32_t)workers;
        asked->workers_given = true;
    }
    return status;
}

const option option_arrival_rate = {
    .name = "arrival-rate",
    .argument = "R",
    .help = "labels take time: so many workers arrive in a unit of time, at random, and each is "
            "given one instance at once",
    .read = read_arrival_rate,
};

const option option_service_rate = {
    .name = "service-rate",
    .argument = "R",
    .help = "and each labels it after a random time, 1/R on average",
    .read = read_service_rate,
};

const option option_workers = {
    .name = "workers",
    .argument = "U",
    .help = "so many workers arrive in all, 0 to 1000000; takes the place of -T",
    .read = read_workers,
};
