/* policies: what --policy can name. */
#include <ctype.h>
#include <stdio.h>

#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/show/json.h"
#include "tools/show/report.h"

/* "cvar-kg:ALPHA", "gittins-inf[:DELTA]", "kg" */
static const char *colon_of(const og_policy_info *info)
{
    return isupper((unsigned char)info->parameter[0]) ? ":" : "";
}

static void print_table(void)
{
    static const char *const headings[] = {"policy", "valued\nexactly", "labels / source"};
    table *grid = table_new("lll", headings);
    for (size_t i = 0; og_policy_info_at(i) != NULL; i++) {
        const og_policy_info *info = og_policy_info_at(i);
        table_cell(grid, "%s%s%s", info->name, colon_of(info), info->parameter);
        table_cell(grid, "%s", info->valued_exactly ? "yes" : "no");
        table_cell(grid, "%s", info->summary);
        table_cell(grid, " ");
        table_cell(grid, " ");
        table_cell(grid, "  %s", info->source);
    }
    table_print(grid, stdout);
    table_free(grid);
}

static void print_json(void)
{
    json_t *document = object_new();
    json_t *policies = array_new();
    for (size_t i = 0; og_policy_info_at(i) != NULL; i++) {
        const og_policy_info *info = og_policy_info_at(i);
        json_t *object = object_new();
        object_put(object, "name", phrase(info->name));
        object_put(object, "parameter", phrase(info->parameter));
        object_put(object, "summary", phrase(info->summary));
        object_put(object, "source", phrase(info->source));
        object_put(object, "valued_exactly", json_boolean(info->valued_exactly));
        array_add(policies, object);
    }
    object_put(document, "policies", policies);
    document_print(document);
}

static int run(request *asked)
{
    if (asked->json) {
        print_json();
    } else {
        print_table();
    }
    return EXIT_RESULT;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(json_rows),
    OG_OPTION_LAST,
};

const command command_policies = {
    .name = "policies",
    .summary = "the known policies, their parameters and sources",
    .about = "What --policy can name: every policy, its parameter (in brackets where it may be "
             "left out), what it labels and where it is from.",
    .details = "Example:\n"
               "\n"
               "  optgap policies --json\n"
               "\n"
               "Valued exactly: compare gives the policy's exact value; the others can only be "
               "simulated.\n"
               "\n"
               "JSON: policies[].name, .parameter, .summary, .source, .valued_exactly.",
    .options = options,
    .run = run,
};
