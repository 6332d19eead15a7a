/* Workers of unknown reliability on the command line. */
#include "bench/families/workers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/option/family.h"
#include "tools/show/json.h"
#include "tools/show/report.h"

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    const og_workers_options *own = asked->family_options;
    return og_family_workers(&asked->problem, &own->workers, own->once, policy_count,
                             &asked->settings, out, message);
}

static void fields(const request *asked, table *rows)
{
    const og_workers_options *own = asked->family_options;
    int64_t workers = og_problem_size(&own->workers);
    char *words = problem_text(&own->workers);
    fields_problem(rows, &asked->problem, "Labels");
    table_cell(rows, "Workers");
    table_cell(rows, "%s (%" PRId64 " worker%s)%s", words, workers, workers == 1 ? "" : "s",
               own->once ? ", each asked once about an instance at most" : "");
    free(words);
}

static json_t *problem(const request *asked)
{
    const og_workers_options *own = asked->family_options;
    json_t *object = problem_json(&asked->problem);
    json_t *workers = array_new();
    for (int32_t g = 0; g < own->workers.group_count; g++) {
        const og_group *group = &own->workers.groups[g];
        json_t *row = object_new();
        object_put(row, "prior", parameters(group));
        object_put(row, "count", whole((uint64_t)group->count));
        array_add(workers, row);
    }
    object_put(object, "workers", workers);
    object_put(object, "once", json_boolean(own->once));
    return object;
}

static void action(const request *asked, const og_first_action *first, char *words, size_t size)
{
    const og_workers_options *own = asked->family_options;
    char worker[OG_GROUP_TEXT_BYTES];
    char instance[OG_GROUP_TEXT_BYTES];
    og_group_format(&asked->problem.groups[first->instance], instance, sizeof instance);
    og_group_format(&own->workers.groups[first->worker], worker, sizeof worker);
    snprintf(words, size, "%.100s by %.100s", instance, worker);
}

const family_kind family_workers = {
    .option = "--workers-prior",
    .options = &og_workers_option_set,
    .has_bounds = true,
    .labels = "Labels",
    .make = make,
    .fields = fields,
    .problem = problem,
    .action = action,
    .note = "Policies that follow the order of labels (uniform, kg, opt-kg) make their own final "
            "calls; 'called exactly' is what they are worth if the exact posterior makes them. "
            "Their indices are doubles without a proved error: those within 1e-10 tie. Upper "
            "bounds are those of reliable workers.",
};
