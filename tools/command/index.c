/* index: the table of an index policy. */
#include <inttypes.h>
#include <stdio.h>

#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { FRACTION_BYTES = 48 };

typedef struct {
    const og_arms *arms;
    const og_index *index;
    int32_t columns;   /* of what a node is named by; left and index follow */
    bool print;        /* tab separated lines */
    og_document *rows; /* otherwise */
} listing;

static void list_entry(const listing *to, const og_fraction *posterior, int32_t left, double value)
{
    if (!to->print) {
        og_document *row = og_put_array(to->rows, NULL);
        for (int32_t i = 0; i < to->columns; i++) {
            og_put_number(row, NULL, og_fraction_double(posterior[i]));
        }
        og_put_whole(row, NULL, (uint64_t)left);
        og_put_number(row, NULL, value);
        return;
    }
    for (int32_t i = 0; i < to->columns; i++) {
        char number[FRACTION_BYTES];
        og_fraction_format(posterior[i], number, sizeof number);
        printf("%s\t", number);
    }
    printf("%" PRId32 "\t%s\n", left, og_words_exact(value).text);
}

/* Every node that still can be labelled, with every number of labels that can be left there. */
static void list_arm(const listing *to, int32_t arm_index)
{
    const og_arm *arm = to->arms->arm[arm_index];
    for (int32_t level = 0; level < arm->depth; level++) {
        for (uint32_t node = arm->level[level]; node < arm->level[level + 1]; node++) {
            og_fraction posterior[OG_CLASSES_MAX];
            og_arm_posterior(arm, node, posterior);
            for (int32_t left = 1; left <= arm->depth - level; left++) {
                double value = og_index_of(to->index, arm_index, left)[node];
                list_entry(to, posterior, left, value);
            }
        }
    }
}

static void list_all(const listing *to)
{
    for (int32_t i = 0; i < to->arms->arm_count; i++) {
        list_arm(to, i);
    }
}

/* What a node is named by: the parameters of its posterior; of a mixture, its labels. */
static const char *column_name(const og_arms *arms, int32_t column)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    bool mixture = og_arm_prior(arms->arm[0])->kind == OG_PRIOR_MIXTURE;
    return !mixture ? letters[column] : column == 0 ? "positive" : "negative";
}

static og_document *describe(const command_request *request, const opened *of,
                             const og_index *index)
{
    const og_arms *arms = of->family->arms(of->problem);
    int32_t names = arms->arm[0]->outcome_count;
    og_document *document = og_document_new();
    of->family->describe(of->problem, document);
    og_put_text(document, "policy", request->policies[0].name);
    og_put_number(document, "relative_error", index->error);
    og_put_number(document, "absolute_error", index->absolute_error);
    og_put_text(document, "note", index->note);
    og_document *columns = og_put_array(document, "columns");
    for (int32_t i = 0; i < names; i++) {
        og_put_text(columns, NULL, column_name(arms, i));
    }
    og_put_text(columns, NULL, "left");
    og_put_text(columns, NULL, "index");
    list_all(&(listing){arms, index, names, false, og_put_array(document, "rows")});
    return document;
}

static void print_lines(const og_arms *arms, const og_index *index)
{
    int32_t names = arms->arm[0]->outcome_count;
    for (int32_t i = 0; i < names; i++) {
        printf("%s\t", column_name(arms, i));
    }
    puts("left\tindex");
    list_all(&(listing){arms, index, names, true, NULL});
    if (!progress_quiet() && index->note[0] != '\0') {
        note("%s", index->note);
    }
}

/* The table has no column that could tell two thresholds apart, nor, where nodes stand for their
 * labels, two priors. */
static og_status check_instances(const og_arms *arms, og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_group *prior = og_arm_prior(arms->arm[i]);
        if (prior->kind != OG_PRIOR_BETA && arms->group_count > 1) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the index table of a prior that is no Beta is of that instance "
                                  "alone");
        }
        if (og_fraction_compare(prior->threshold, og_arm_prior(arms->arm[0])->threshold) != 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the instances of one index table must have the same threshold");
        }
    }
    return OG_OK;
}

static int print(const command_request *request, const opened *of)
{
    og_message message = {""};
    og_index *index = NULL;
    const og_arms *arms = arms_of(of, "index");
    if (arms == NULL) {
        return EXIT_USAGE;
    }
    og_status status = check_instances(arms, &message);
    if (status == OG_OK) {
        status = og_policy_name_index(&request->policies[0], arms, of->sizes.budget,
                                      request->settings.threads, &index, &message);
    }
    int code = EXIT_RESULT;
    if (status != OG_OK) {
        code = complain(status, &message);
    } else if (request->json) {
        code = show(describe(request, of, index), request);
    } else {
        print_lines(arms, index);
    }
    og_index_free(index);
    return code;
}

static int run(command_request *request)
{
    og_message message = {""};
    opened of;
    if (request->exact) {
        og_message_set(&message, OG_BAD_INPUT,
                       "index prints doubles, with a proved error; --arithmetic exact is for "
                       "solve, compare, query and bound");
        return complain(OG_BAD_INPUT, &message);
    }
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = print(request, &of);
    }
    close_problem(&of);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION(POLICY, "policy", "NAME", command_request, policies, .help = "the policy; required",
              .count = offsetof(command_request, policy_count),
              .given = offsetof(command_request, policies_given),
              .required = "--policy NAME is missing: whose index is to be printed, such as opt-kg",
              .once = "index prints the table of one policy"),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_index = {
    .name = "index",
    .summary = "an index policy's table",
    .word = INSTANCE_WORDS("1,1"),
    .about = "The index of every posterior that up to N labels can lead to, for every number of "
             "labels that can then be left. The policy labels the instance with the largest "
             "index.",
    .details = "Example:\n"
               "\n"
               "  optgap index --policy opt-kg -T 5 1,1\n"
               "\n"
               "The columns are a, b, left, index, separated by tabs, with a line of headings. "
               "Where a policy's index is an approximation, a line on standard error says so.\n"
               "\n"
               "JSON: problem, policy, columns, rows, relative_error and "
               "absolute_error (proved: an index is off by at most the one times its size plus the "
               "other), note.",
    .options = options,
    .lists_policies = true,
    .run = run,
};
