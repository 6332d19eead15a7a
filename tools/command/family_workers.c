/* Workers of unknown reliability on the command line. */
#include "tools/command/family_workers.h"

#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/workers.h"

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    if (asked->crew.group_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior A,B is missing: how reliable the workers are "
                              "believed to be");
    }
    return og_family_workers(&asked->problem, &asked->crew, asked->once, policy_count,
                             &asked->settings, out, message);
}

static void describe(const request *asked, og_document *document)
{
    og_document *object = og_describe_problem(document, &asked->problem, "Labels");
    og_document *workers = og_put_array(object, "workers");
    for (int32_t g = 0; g < asked->crew.group_count; g++) {
        const og_group *group = &asked->crew.groups[g];
        og_document *row = og_put_object(workers, NULL);
        og_put_parameters(row, "prior", group);
        og_put_whole(row, "count", (uint64_t)group->count);
    }
    og_put_bool(object, "once", asked->once);
    og_show_instances(document, "Workers", &asked->crew, "worker");
    og_show_more(document, "%s", asked->once ? ", each asked once about an instance at most" : "");
}

static void action(const request *asked, const og_first_action *first, char *words, size_t size)
{
    char worker[OG_GROUP_TEXT_BYTES];
    char instance[OG_GROUP_TEXT_BYTES];
    og_group_format(&asked->problem.groups[first->instance], instance, sizeof instance);
    og_group_format(&asked->crew.groups[first->worker], worker, sizeof worker);
    snprintf(words, size, "%.100s by %.100s", instance, worker);
}

static const family_kind reliability = {
    .option = "--workers-prior",
    .labels = "Labels",
    .make = make,
    .describe = describe,
    .action = action,
    .note = "Policies that follow the order of labels (uniform, kg, opt-kg) make their own final "
            "calls; 'called exactly' is what they are worth if the exact posterior makes them. "
            "Their indices are doubles without a proved error: those within 1e-10 tie. Upper "
            "bounds are those of reliable workers.",
};

static og_status read_workers_prior(request *asked, const char *text, og_message *message)
{
    og_group group;
    og_status status = family_choose(asked, &reliability, message);
    if (status == OG_OK) {
        status = og_group_parse(text, &group, message);
        if (status != OG_OK) {
            og_message fault = *message;
            return og_message_set(message, status, "--workers-prior %.40s: %s", text, fault.text);
        }
    }
    return status == OG_OK ? og_problem_add(&asked->crew, &group, message) : status;
}

static og_status read_once(request *asked, const char *text, og_message *message)
{
    (void)text;
    asked->once = true;
    return family_choose(asked, &reliability, message);
}

const option option_workers_prior = {
    .name = "workers-prior",
    .argument = "[Nx]A,B",
    .help = "N workers (default 1) of unknown reliability: each answers as a reliable one with a "
            "chance that has the prior Beta(A,B), else the opposite; may be given several times",
    .read = read_workers_prior,
};

const option option_once = {
    .name = "once",
    .help = "with --workers-prior: no worker is asked about an instance twice",
    .read = read_once,
};
