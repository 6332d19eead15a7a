/* The command policies: lists the policies that a problem type accepts. */
#include <ctype.h>
#include <string.h>

#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

/* "cvar-kg:ALPHA", "gittins-inf[:DELTA]", "kg" */
static const char *colon_of(const og_policy_row *info)
{
    return isupper((unsigned char)info->parameter[0]) ? ":" : "";
}

static int run(command_request *request)
{
    og_document *document = og_document_new();
    og_document *policies = og_put_array(document, "policies");
    og_document *rows = og_show_rows(document); /* two rows for each policy */
    for (size_t i = 0; og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *info = og_policy_row_at(i);
        if (request->wish.objective != NULL && !og_policy_row_fits(info, request->wish.objective)) {
            continue;
        }
        og_document *object = og_put_object(policies, NULL);
        og_put_text(object, "name", info->name);
        og_put_text(object, "parameter", info->parameter);
        og_put_text(object, "summary", info->summary);
        og_put_text(object, "source", info->source);
        if (info->objective != NULL) {
            og_put_text(object, "objective", info->objective);
        } else {
            og_put_null(object, "objective");
        }
        og_put_bool(object, "valued_exactly", info->valued_exactly);
        og_document *row = og_put_object(rows, NULL);
        og_show_cell(row, "name", "%s%s%s", info->name, colon_of(info), info->parameter);
        og_put_bool(row, "valued_exactly", info->valued_exactly);
        og_put_text(row, "labels", info->summary);
        row = og_put_object(rows, NULL);
        og_put_text(row, "name", "");
        og_put_text(row, "valued_exactly", "");
        og_show_cell(row, "labels", "  %s", info->source);
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "valued\nexactly", 'l', "valued_exactly", OG_SHOW_PLAIN);
    og_show_column(table, "chooses / source", 'l', "labels", OG_SHOW_PLAIN);
    if (request->wish.objective == NULL || strcmp(request->wish.objective, "instances") == 0 ||
        strcmp(request->wish.objective, "labels") == 0) {
        og_show_paragraph(document,
                          "For labels: rollout:rollout:gittins-fh loses least if the problem is "
                          "small; rollout:gittins-fh is faster, and dual:2 and "
                          "midway:gittins-fh lose less than it with few labels; gittins-fh "
                          "suits any size (manual: policies).");
    }
    return show(document, request);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(json_rows),
    OG_OPTION_LAST,
};

const command command_policies = {
    .name = "policies",
    .summary = "list the policies",
    .word = OG_OPTION(CUSTOM, NULL, "TOPIC", command_request, wish.objective, .what = "the topic",
                      .choices = "instances labels bandit prices features workers sources "
                                 "assignment labelers ranking deadline process",
                      .read = og_problem_option),
    .usage = "[OPTION...] [TOPIC]",
    .notes = "A policy chooses the instance to label next. Its name can have a parameter:\n"
             "cvar-kg:0.5. Your own policies: table:FILE, command:CMD and plugin:FILE.so.\n"
             "If several instances have equal indices, --ties chooses among them.\n"
             "TOPIC: instances, bandit, prices, features, workers, sources, assignment,\n"
             "labelers, ranking, deadline or process.",
    .brief = "List the policies: name, parameter, the instance that each labels, and its\n"
             "source. With TOPIC, list only those that this problem type accepts.",
    .example = "  optgap policies\n"
               "  optgap policies workers",
    .about = "Lists the policies for --policy and --policies: name, parameter (in brackets if "
             "optional), what the policy labels, and its source.",
    .details = "Examples:\n"
               "\n"
               "  optgap policies workers\n"
               "  optgap policies --json\n"
               "\n"
               "'valued exactly': compare computes the policy's exact value; other policies can "
               "only be simulated.",
    .options = options,
    .run = run,
};
