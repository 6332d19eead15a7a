/* query: what to label now, and what each policy would label. */
#include <inttypes.h>
#include <math.h>

#include "bench/describe.h"
#include "bench/value/query.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/option/family.h"
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
static og_document *put_instances(og_document *document, const report *seen)
{
    const og_query_result *found = seen->found;
    og_document *instances = og_put_array(document, "instances");
    for (int32_t i = 0; i < found->group_count; i++) {
        char words[OG_GROUP_TEXT_BYTES];
        const og_group *group = &seen->asked->problem.groups[i];
        og_document *object = og_put_instance(instances, group, "posterior");
        og_put_number(object, "q", seen->any_left ? found->q[i] : NAN);
        if (seen->asked->exact) {
            og_put_fraction(object, "q_exact", found->q_exact != NULL ? found->q_exact[i] : NULL);
        }
        og_put_number(object, "error_bound", seen->any_left ? found->q_error[i] : NAN);
        og_put_number(object, "lost", seen->any_left ? found->lost[i] : NAN);
        og_put_bool(object, "optimal", found->optimal[i]);
        og_put_bool(object, "near_tie", found->near_tie[i]);
        group_words(group, words);
        og_show_cell(object, "text", "%s", words);
        og_show_cell(object, "optimal", "%s", verdict(found, i));
    }
    return instances;
}

/* What each policy picks, and the least and the largest loss among that. */
static og_document *put_policies(og_document *document, const report *seen)
{
    const og_query_result *found = seen->found;
    og_document *policies = og_put_object(document, "policies");
    for (int32_t i = 0; i < found->policy_count; i++) {
        const bool *pick = found->pick + (size_t)i * (size_t)found->group_count;
        og_document *picks = og_put_array(policies, seen->asked->policies[i].name);
        double least = INFINITY;
        double largest = 0;
        for (int32_t j = 0; j < found->group_count; j++) {
            if (pick[j]) {
                char words[OG_GROUP_TEXT_BYTES];
                group_words(&seen->asked->problem.groups[j], words);
                og_show_cell(picks, "picks", "%s%s", og_document_count(picks) > 0 ? " " : "",
                             words);
                og_put_whole(picks, NULL, (uint64_t)j);
                least = fmin(least, found->lost[j]);
                largest = fmax(largest, found->lost[j]);
            }
        }
        og_show_cell(picks, "lost", "%s", og_words_gap(least, 0).text);
        if (largest > least) {
            og_show_cell(picks, "lost", " to %s", og_words_gap(largest, 0).text);
        }
    }
    return policies;
}

static void show_tables(og_document *document, const report *seen, og_document *instances,
                        og_document *policies)
{
    og_document *grid = og_show_table(document, instances);
    og_show_column(grid, "instance", 'l', "text", OG_SHOW_PLAIN);
    og_show_column(grid, "count", 'r', "count", OG_SHOW_PLAIN);
    og_show_column(grid, "Q", 'd', "q", OG_SHOW_VALUE);
    if (seen->asked->exact) {
        og_show_column(grid, "exactly", 'l', "q_exact", OG_SHOW_FRACTION);
    }
    og_show_column(grid, "lost", 'd', "lost", OG_SHOW_GAP);
    og_show_column(grid, "", 'l', "optimal", OG_SHOW_PLAIN);
    grid = og_show_table(document, policies);
    og_show_column(grid, "policy", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(grid, "lost", 'd', "lost", OG_SHOW_PLAIN);
    og_show_column(grid, "would label", 'l', "picks", OG_SHOW_PLAIN);
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
static void show_accuracy(og_document *document, const report *seen, const og_document *instances)
{
    double error = 0;
    for (int32_t i = 0; i < seen->found->group_count; i++) {
        error = fmax(error, seen->found->q_error[i]);
    }
    og_show_paragraph(
        document,
        "Q: expected %s still to be gained if this instance is labelled now and play is optimal "
        "after that (%s%s). Lost: the best Q minus the Q of what is labelled.%s",
        og_counted(&seen->asked->problem),
        seen->asked->exact ? "exact, decimals are rounded" : "error at most ",
        seen->asked->exact ? "" : og_words_bound(error).text,
        og_document_is_long(instances, "q_exact") ? og_fraction_note : "");
    if (has_near_tie(seen->found)) {
        og_show_paragraph(
            document,
            "Near-tie: the best Qs differ by less than their error; which one is best is open%s.",
            has_exact_values(&seen->asked->problem)
                ? ": --arithmetic exact settles it"
                : ", as exact arithmetic needs priors of whole numbers");
    }
    for (int32_t i = 0; i < seen->found->policy_count; i++) {
        og_show_tolerance(document, seen->asked->policies[i].name, NULL,
                          seen->found->tolerance_ties[i]);
    }
}

static og_document *describe(const report *seen)
{
    const request *asked = seen->asked;
    og_document *document = og_document_new();
    og_put_whole(document, "budget", (uint64_t)asked->budget);
    og_put_whole(document, "left", (uint64_t)asked->left);
    og_put_number(document, "q", seen->any_left ? seen->found->best : NAN);
    og_put_text(document, "accuracy", asked->exact ? "exact" : "double");
    og_document *instances = put_instances(document, seen);
    og_document *policies = put_policies(document, seen);
    og_show_problem(document, &asked->problem, "Labels left");
    if (asked->budget != asked->left) {
        og_show_field(document, "Whole budget", "%" PRId32, asked->budget);
    }
    if (seen->any_left) {
        show_tables(document, seen, instances, policies);
        show_accuracy(document, seen, instances);
    } else {
        og_show_paragraph(document, "No labels are left: there is nothing to decide.");
    }
    return document;
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
    int code = show(describe(&seen), asked->json);
    og_query_clear(&found);
    return code;
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
