/* policies: lists the policies that --policy accepts. */
#include <ctype.h>
#include <string.h>

#include "bench/document.h"
#include "bench/families/table.h"
#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

/* "cvar-kg:ALPHA", "gittins-inf[:DELTA]", "kg" */
static const char *colon_of(const og_policy_row *info)
{
    return isupper((unsigned char)info->parameter[0]) ? ":" : "";
}

static bool is_meant(const command_request *request, const og_policy_row *info)
{
    const char *topic = info->objective != NULL ? info->objective : "labels";
    return request->objective == NULL || strcmp(request->objective, topic) == 0;
}

static int run(command_request *request)
{
    og_document *document = og_document_new();
    og_document *policies = og_put_array(document, "policies");
    og_document *rows = og_show_rows(document); /* two lines for each */
    for (size_t i = 0; og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *info = og_policy_row_at(i);
        if (!is_meant(request, info)) {
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
    og_show_column(table, "labels / source", 'l', "labels", OG_SHOW_PLAIN);
    if (request->objective == NULL || strcmp(request->objective, "labels") == 0) {
        og_show_paragraph(document,
                          "For labels: rollout:rollout:gittins-fh loses least if the problem is "
                          "small; dual:2 with few labels and midway:gittins-fh with many lose "
                          "little; gittins-fh suits any size (manual: policies).");
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
    .word = OG_OPTION(CUSTOM, NULL, "TOPIC", command_request, objective, .what = "the topic",
                      .choices = "labels ranking labelers assignment", .read = og_problem_option),
    .usage = "[OPTION...] [TOPIC]",
    .notes = "A name can have a parameter: cvar-kg:0.5. Policies of your own: table:FILE,\n"
             "command:CMD and plugin:FILE.so. --ties says which of several instances with\n"
             "equal indices is labelled.",
    .brief = "List the policies: name, parameter, what each labels and its source. With TOPIC\n"
             "(labels, ranking, labelers or assignment), only those of that topic.",
    .example = "  optgap policies\n"
               "  optgap policies ranking",
    .about = "What --policy can name: every policy, its parameter (in brackets where it may be "
             "left out), what it labels and where it is from.",
    .details = "Example:\n"
               "\n"
               "  optgap policies --json\n"
               "\n"
               "Valued exactly: compare gives the policy's exact value; the others can only be "
               "simulated.\n"
               "\n"
               "JSON: policies[].name, .parameter, .summary, .source, .valued_exactly, .objective "
               "(the only one that it is for, or null).",
    .options = options,
    .run = run,
};
