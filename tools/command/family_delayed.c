/* Labels that take time on the command line. */
#include "tools/command/family_delayed.h"

#include "bench/describe.h"
#include "bench/families/delayed.h"

enum { RATE_BYTES = 48 };

const og_delay *delay_of(const request *asked)
{
    const og_delayed_options *own = asked->family_options;
    return asked->kind == &family_delayed ? &own->delay : NULL;
}

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    const og_delay *delay = delay_of(asked);
    og_status status = og_delay_check(delay, message);
    return status == OG_OK ? og_family_delayed(&asked->problem, delay, policy_count,
                                               &asked->settings, out, message)
                           : status;
}

static void describe(const request *asked, og_document *document)
{
    char arrival[RATE_BYTES];
    char service[RATE_BYTES];
    const og_delay *delay = delay_of(asked);
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

/* Workers are the budget. */
static og_status settle(request *asked, og_message *message)
{
    const og_delayed_options *own = asked->family_options;
    if (asked->budget_given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T and --workers both say how many labels there are; with labels "
                              "that take time it is --workers U");
    }
    asked->budget = own->workers;
    return OG_OK;
}

const family_kind family_delayed = {
    .option = "--arrival-rate",
    .options = &og_delayed_option_set,
    .own_budget = true,
    .has_bounds = true,
    .has_runs = true,
    .labels = "Workers",
    .settle = settle,
    .make = make,
    .describe = describe,
    .action = action,
};
