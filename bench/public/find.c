/* The smallest problem in which a policy loses, or two differ, or a claim fails. */
#include "bench/find/find.h"

#include "bench/families/table.h"
#include "bench/find/find_document.h"
#include "bench/public/handles.h"

static int32_t or_usual(int32_t given, int32_t usual)
{
    return given != 0 ? given : usual;
}

static og_status read_search(const og_task *task, og_find_request *out, og_message *message)
{
    const og_search *search = task->given;
    const og_request *request = &task->request;
    if (task->policy_count < 1 || task->policy_count > 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a search is about one policy, perhaps against a second one");
    }
    if (request->ties_count != 1) {
        return og_message_set(message, OG_BAD_INPUT, "find goes by one tie rule");
    }
    out->policy = &task->policies[0];
    out->against = task->policy_count == 2 ? &task->policies[1] : NULL;
    out->claim.kind = out->against != NULL ? OG_CLAIM_EQUAL : OG_CLAIM_OPTIMAL;
    out->ties = request->ties[0];
    out->worst = search->worst;
    out->grid = (og_order_grid){.instances = or_usual(search->instances, 3),
                                .budget = or_usual(search->budget, 4),
                                .parameter = or_usual(search->parameter, 4)};
    const char *thresholds = search->thresholds != NULL ? search->thresholds : "0.5";
    OG_TRY(og_order_thresholds_parse(thresholds, &out->grid, message));
    return search->claim != NULL ? og_claim_parse(search->claim, &out->claim, message) : OG_OK;
}

og_status og_task_find(og_task *task, og_message *message)
{
    og_find_request wanted = {.family = og_families[0],
                              .settings = task->request.settings,
                              .seconds_max = task->request.seconds_max,
                              .interrupted = og_task_stops,
                              .progress = og_task_share,
                              .user = task};
    og_found_problem found = {.family = NULL};
    OG_TRY(read_search(task, &wanted, message));
    og_task_stage(task, "searching");
    og_status status = og_find_run(&wanted, &found, message);
    if (status == OG_OK) {
        task->box->document = og_find_describe(&wanted, &found);
        task->warning = found.why;
        task->box->report.optimal_status = found.complete ? OG_OK : OG_STOPPED;
    }
    og_found_problem_clear(&found);
    return status;
}

og_status og_find(const og_search *search, const og_request *request, og_report **out,
                  og_message *message)
{
    return og_ask(NULL, request, search, og_task_find, OG_ASK_POLICIES | OG_ASK_OWN_TIME, out,
                  message);
}
