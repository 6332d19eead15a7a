/* Workers of unknown reliability on the command line. */
#include "bench/families/workers.h"

#include <stdio.h>

#include "bench/describe.h"
#include "tools/option/family.h"

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    const og_workers_options *own = asked->family_options;
    return og_family_workers(&asked->problem, &own->workers, own->once, policy_count,
                             &asked->settings, out, message);
}

static void describe(const request *asked, og_document *document)
{
    const og_workers_options *own = asked->family_options;
    og_document *object = og_describe_problem(document, &asked->problem, "Labels");
    og_document *workers = og_put_array(object, "workers");
    for (int32_t g = 0; g < own->workers.group_count; g++) {
        const og_group *group = &own->workers.groups[g];
        og_document *row = og_put_object(workers, NULL);
        og_put_parameters(row, "prior", group);
        og_put_whole(row, "count", (uint64_t)group->count);
    }
    og_put_bool(object, "once", own->once);
    og_show_instances(document, "Workers", &own->workers, "worker");
    og_show_more(document, "%s", own->once ? ", each asked once about an instance at most" : "");
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
    .describe = describe,
    .action = action,
    .note = "Policies that follow the order of labels (uniform, kg, opt-kg) make their own final "
            "calls; 'called exactly' is what they are worth if the exact posterior makes them. "
            "Their indices are doubles without a proved error: those within 1e-10 tie. Upper "
            "bounds are those of reliable workers.",
};
