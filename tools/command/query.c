/* query: what to label now, and what each policy would label. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/value/query.h"
#include "tools/command/commands.h"
#include "tools/option/family.h"
#include "tools/show/json.h"
#include "tools/show/memory.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const request *asked;
    const og_query_result *found;
    bool any_left;
} report;

/* The posterior as it was given, without the count. */
static void group_words(const og_group *group, char words[OG_GROUP_TEXT_BYTES])
{
    og_group one = *group;
    one.count = 1;
    og_group_format(&one, words, OG_GROUP_TEXT_BYTES);
}

static const char *verdict(const og_query_result *found, int32_t group)
{
    if (!found->optimal[group]) {
        return "";
    }
    return found->near_tie[group] ? "near-tie" : "optimal";
}

/* Instances as they were given, by the same decimals whatever the arithmetic. */
static void print_instances(const report *seen)
{
    static const char *const plain[] = {"instance", "count", "Q", "lost", ""};
    static const char *const exact[] = {"instance", "count", "Q", "exactly", "lost", ""};
    const og_query_result *found = seen->found;
    table *grid = seen->asked->exact ? table_new("lrdldl", exact) : table_new("lrddl", plain);
    for (int32_t i = 0; i < found->group_count; i++) {
        char words[OG_GROUP_TEXT_BYTES];
        char number[NUMBER_TEXT_BYTES];
        const og_group *group = &seen->asked->problem.groups[i];
        group_words(group, words);
        table_cell(grid, "%s", words);
        table_cell(grid, "%" PRId64, group->count);
        number_format_value(found->q[i], number);
        table_cell(grid, "%s", number);
        if (seen->asked->exact) {
            char fraction[FRACTION_TEXT_BYTES];
            fraction_format(found->q_exact[i], fraction);
            table_cell(grid, "%s", fraction);
        }
        number_format_gap(found->lost[i], 0, number);
        table_cell(grid, "%s", number);
        table_cell(grid, "%s", verdict(found, i));
    }
    table_print(grid, stdout);
    table_free(grid);
}

/* The picks of one policy, by words, and the least and the largest loss among them. */
static char *picks_text(const report *seen, int32_t policy, double *least, double *largest)
{
    const og_query_result *found = seen->found;
    const bool *pick = found->pick + (size_t)policy * (size_t)found->group_count;
    size_t bytes = 1, length = 0;
    for (int32_t i = 0; i < found->group_count; i++) {
        bytes += (size_t)og_group_format(&seen->asked->problem.groups[i], NULL, 0) + 1;
    }
    char *all = allocate(bytes, 1);
    *least = INFINITY;
    *largest = 0;
    for (int32_t i = 0; i < found->group_count; i++) {
        if (pick[i]) {
            char words[OG_GROUP_TEXT_BYTES];
            *least = fmin(*least, found->lost[i]);
            *largest = fmax(*largest, found->lost[i]);
            group_words(&seen->asked->problem.groups[i], words);
            length += (size_t)sprintf(all + length, "%s%s", length > 0 ? " " : "", words);
        }
    }
    return all;
}

static void print_policies(const report *seen)
{
    static const char *const headings[] = {"policy", "lost", "would label"};
    table *grid = table_new("ldl", headings);
    for (int32_t i = 0; i < seen->found->policy_count; i++) {
        double least = 0;
        double largest = 0;
        char low[NUMBER_TEXT_BYTES];
        char high[NUMBER_TEXT_BYTES];
        char *picks = picks_text(seen, i, &least, &largest);
        table_cell(grid, "%s", seen->asked->policies[i].name);
        number_format_gap(least, 0, low);
        number_format_gap(largest, 0, high);
        table_cell(grid, "%s%s%s", low, largest > least ? " to " : "", largest > least ? high : "");
        table_cell(grid, "%s", picks);
        free(picks);
    }
    table_print(grid, stdout);
    table_free(grid);
}

static bool has_near_tie(const og_query_result *found)
{
    bool some = false;
    for (int32_t i = 0; i < found->group_count; i++) {
        some = some || found->near_tie[i];
    }
    return some;
}

/* What fractions can be had for (dp/exact/exact.h), but for sizes. */
static bool has_exact_values(const og_problem *problem)
{
    bool exact = true;
    for (int32_t i = 0; i < problem->group_count; i++) {
        exact = exact && og_group_is_whole(&problem->groups[i]);
    }
    return exact || problem->objective == OG_OBJECTIVE_BANDIT;
}

/* What Q is, and how far it can be trusted. */
static void print_accuracy(const report *seen)
{
    char number[NUMBER_TEXT_BYTES];
    char words[2 * NUMBER_TEXT_BYTES];
    double error = 0;
    bool shown = true;
    for (int32_t i = 0; i < seen->found->group_count; i++) {
        char fraction[FRACTION_TEXT_BYTES];
        error = fmax(error, seen->found->q_error[i]);
        shown =
            shown && (!seen->asked->exact || fraction_format(seen->found->q_exact[i], fraction));
    }
    number_format_bound(error, number);
    snprintf(words, sizeof words, "(error at most %s)", number);
    print_paragraph(stdout,
                    "Q: expected %s still to be gained if this instance is labelled now "
                    "and play is optimal after that %s. Lost: the best Q minus the "
                    "Q of what is labelled.%s",
                    counted(&seen->asked->problem),
                    seen->asked->exact ? "(exact, decimals are rounded)" : words,
                    shown ? "" : fraction_note);
    if (has_near_tie(seen->found)) {
        print_paragraph(stdout,
                        "Near-tie: the best Qs differ by less than their error; which one is best "
                        "is open%s.",
                        has_exact_values(&seen->asked->problem)
                            ? ": --arithmetic exact settles it"
                            : ", as exact arithmetic needs priors of whole numbers");
    }
}

static void print_notes(const report *seen)
{
    print_accuracy(seen);
    for (int32_t i = 0; i < seen->found->policy_count; i++) {
        if (seen->found->tolerance_ties[i] > 0) {
            print_paragraph(stdout,
                            "Ties of %s hang on a tolerance: %" PRIu64
                            " pairs of indices too close to tell apart.",
                            seen->asked->policies[i].name, seen->found->tolerance_ties[i]);
        }
    }
}

static void print_table(const report *seen)
{
    table *fields = fields_new();
    fields_problem(fields, &seen->asked->problem, "Labels left");
    if (seen->asked->budget != seen->asked->left) {
        table_cell(fields, "Whole budget");
        table_cell(fields, "%" PRId32, seen->asked->budget);
    }
    fields_print(fields);
    putchar('\n');
    if (!seen->any_left) {
        puts("No labels are left: there is nothing to decide.");
        return;
    }
    print_instances(seen);
    putchar('\n');
    print_policies(seen);
    putchar('\n');
    print_notes(seen);
}

static json_t *instances_json(const report *seen)
{
    const og_query_result *found = seen->found;
    json_t *instances = array_new();
    for (int32_t i = 0; i < found->group_count; i++) {
        json_t *object = instance(&seen->asked->problem.groups[i], "posterior");
        object_put(object, "q", real(seen->any_left ? found->q[i] : NAN));
        if (seen->asked->exact) {
            object_put(object, "q_exact",
                       fraction_json(found->q_exact != NULL ? found->q_exact[i] : NULL));
        }
        object_put(object, "error_bound", real(seen->any_left ? found->q_error[i] : NAN));
        object_put(object, "lost", real(seen->any_left ? found->lost[i] : NAN));
        object_put(object, "optimal", json_boolean(found->optimal[i]));
        object_put(object, "near_tie", json_boolean(found->near_tie[i]));
        array_add(instances, object);
    }
    return instances;
}

static json_t *policies_json(const report *seen)
{
    const og_query_result *found = seen->found;
    json_t *policies = object_new();
    for (int32_t i = 0; i < found->policy_count; i++) {
        json_t *picks = array_new();
        for (int32_t j = 0; j < found->group_count; j++) {
            if (found->pick[(size_t)i * (size_t)found->group_count + (size_t)j]) {
                array_add(picks, whole((uint64_t)j));
            }
        }
        object_put(policies, seen->asked->policies[i].name, picks);
    }
    return policies;
}

static void print_json(const report *seen)
{
    json_t *document = object_new();
    object_put(document, "budget", whole((uint64_t)seen->asked->budget));
    object_put(document, "left", whole((uint64_t)seen->asked->left));
    object_put(document, "q", real(seen->any_left ? seen->found->best : NAN));
    object_put(document, "accuracy", phrase(seen->asked->exact ? "exact" : "double"));
    object_put(document, "instances", instances_json(seen));
    object_put(document, "policies", policies_json(seen));
    document_print(document);
}

static int run(request *asked)
{
    og_message message = {""};
    og_query_result found = {0};
    if (asked->left > asked->budget) {
        og_message_set(&message, OG_BAD_INPUT,
                       "--left %" PRId32 " is more than the whole budget, -T %" PRId32, asked->left,
                       asked->budget);
        return complain(OG_BAD_INPUT, &message);
    }
    if (asked->kind != NULL) {
        return family_query(asked);
    }
    og_query_request wanted = {.problem = &asked->problem,
                               .whole_budget = asked->budget,
                               .policies = asked->policies,
                               .policy_count = asked->policy_count,
                               .settings = asked->settings,
                               .exact = asked->exact};
    wanted.settings.watch = progress_watch;
    show_stage("solving");
    og_status status = og_query(&wanted, &found, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        char words[STOP_REASON_BYTES];
        return complain_limit(status, &message, stop_reason(asked, words), asked);
    }
    report seen = {asked, &found, found.q != NULL};
    if (asked->json) {
        print_json(&seen);
    } else {
        print_table(&seen);
    }
    og_query_clear(&found);
    return EXIT_RESULT;
}

static const og_option_row options[] = {
    OG_OPTION(INT32, "budget", "N", request, budget,
              .help = "labels left to give, 0 to 1000000 (with --left: the whole budget); required",
              .letter = 'T', .given = offsetof(request, budget_given), .most = OG_BUDGET_MAX,
              .required = "-T N (--budget N) is missing: how many labels are left",
              .what = "the budget (-T)"),
    OG_OPTION(INT32, "left", "N", request, left,
              .help = "labels left, if fewer than the whole budget -T; only policies that depend "
                      "on the whole budget, such as gittins-inf, see the difference (default: all)",
              .most = OG_BUDGET_MAX),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_query = {
    .name = "query",
    .summary = "one state: what to label now, and what each policy would label",
    .word = INSTANCE_WORDS("2x2,1"),
    .about = "What to label now. Every INSTANCE is a posterior: with a uniform prior, an instance "
             "with s positive and f negative labels is 1+s,1+f.",
    .details =
        "Example: two instances seen positive once, one seen twice each way, two labels left\n"
        "\n"
        "  optgap query -T 2 2x2,1 3,3\n"
        "\n"
        "Q is what is still to be gained if an instance of this posterior is labelled now "
        "and play is optimal after that. All instances tied for a policy's choice are "
        "listed. Near-ties are instances whose Qs differ by less than their proved error; "
        "with --arithmetic exact there are none, equal Qs are equal fractions.\n"
        "\n"
        "JSON: left, budget, instances[].posterior, .count, .q, .optimal, .near_tie (best "
        "within the error, but not to the bit: --arithmetic exact settles it), policies.NAME "
        "(indices into instances); with --arithmetic exact instances[].q_exact, such as \"5/32\".",
    .options = options,
    .families = FAMILY_VALUES,
    .lists_policies = true,
    .run = run,
};
