/* Labels that take time on the command line. */
#include "tools/command/family_delayed.h"

#include <inttypes.h>

#include "bench/families/delayed.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/report.h"

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

static void fields(const request *asked, table *rows)
{
    char arrival[RATE_BYTES];
    char service[RATE_BYTES];
    og_fraction_format(delay_of(asked)->arrival_rate, arrival, sizeof arrival);
    og_fraction_format(delay_of(asked)->service_rate, service, sizeof service);
    fields_problem(rows, &asked->problem, "Workers");
    table_cell(rows, "Rates");
    table_cell(rows, "arrivals %s, each label %s", arrival, service);
}

static json_t *problem(const request *asked)
{
    json_t *object = problem_json(&asked->problem);
    object_put(object, "arrival_rate", real(og_fraction_double(delay_of(asked)->arrival_rate)));
    object_put(object, "service_rate", real(og_fraction_double(delay_of(asked)->service_rate)));
    return object;
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
    .fields = fields,
    .problem = problem,
    .action = action,
};
