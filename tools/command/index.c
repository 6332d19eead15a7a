/* index: the table of an index policy. */
#include <inttypes.h>

#include "tools/command/commands.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { FRACTION_BYTES = 48 };

typedef struct {
    const og_arms *arms;
    const og_index *index;
    int32_t columns; /* of what a node is named by; left and index follow */
    json_t *rows;    /* NULL: print tab separated lines */
} listing;

static void list_entry(const listing *to, const og_fraction *posterior, int32_t left, double value)
{
    if (to->rows != NULL) {
        json_t *row = array_new();
        for (int32_t i = 0; i < to->columns; i++) {
            array_add(row, real(og_fraction_double(posterior[i])));
        }
        array_add(row, whole((uint64_t)left));
        array_add(row, real(value));
        array_add(to->rows, row);
        return;
    }
    char words[NUMBER_TEXT_BYTES];
    for (int32_t i = 0; i < to->columns; i++) {
        char number[FRACTION_BYTES];
        og_fraction_format(posterior[i], number, sizeof number);
        printf("%s\t", number);
    }
    number_format_exact(value, words);
    printf("%" PRId32 "\t%s\n", left, words);
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

static void print_json(const request *asked, const og_arms *arms, const og_index *index)
{
    int32_t names = arms->arm[0]->outcome_count;
    json_t *document = object_new();
    json_t *columns = array_new();
    json_t *rows = array_new();
    for (int32_t i = 0; i < names; i++) {
        array_add(columns, phrase(column_name(arms, i)));
    }
    array_add(columns, phrase("left"));
    array_add(columns, phrase("index"));
    list_all(&(listing){arms, index, names, rows});
    object_put(document, "problem", problem_json(&asked->problem));
    object_put(document, "policy", phrase(asked->policies[0].name));
    object_put(document, "relative_error", real(index->error));
    object_put(document, "absolute_error", real(index->absolute_error));
    object_put(document, "note", phrase(index->note));
    object_put(document, "columns", columns);
    object_put(document, "rows", rows);
    document_print(document);
}

static void print_lines(const og_arms *arms, const og_index *index)
{
    int32_t names = arms->arm[0]->outcome_count;
    for (int32_t i = 0; i < names; i++) {
        printf("%s\t", column_name(arms, i));
    }
    puts("left\tindex");
    list_all(&(listing){arms, index, names, NULL});
    if (!progress_quiet() && index->note[0] != '\0') {
        note("%s", index->note);
    }
}

/* The table has no column that could tell two thresholds apart, nor, where nodes stand for their
 * labels, two priors. */
static og_status check_instances(const og_problem *problem, og_message *message)
{
    for (int32_t i = 0; i < problem->group_count; i++) {
        if (problem->groups[i].kind != OG_PRIOR_BETA && problem->group_count > 1) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the index table of a prior that is no Beta is of that instance "
                                  "alone");
        }
    }
    for (int32_t i = 1; i < problem->group_count; i++) {
        if (og_fraction_compare(problem->groups[i].threshold, problem->groups[0].threshold) != 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the instances of one index table must have the same threshold");
        }
    }
    return OG_OK;
}

static int run(request *asked)
{
    og_message message = {""};
    og_arms *arms = NULL;
    og_index *index = NULL;
    og_status status = check_instances(&asked->problem, &message);
    if (status == OG_OK && asked->exact) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "index prints doubles, with a proved error; --arithmetic exact is "
                                "for solve, compare, query and bound");
    }
    if (status == OG_OK) {
        status = og_arms_new(&asked->problem, asked->settings.threads, asked->settings.memory_bytes,
                             &arms, &message);
    }
    if (status == OG_OK) {
        status = og_policy_index(&asked->policies[0], arms, asked->budget, asked->settings.threads,
                                 &index, &message);
    }
    if (status == OG_OK && asked->json) {
        print_json(asked, arms, index);
    } else if (status == OG_OK) {
        print_lines(arms, index);
    }
    og_index_free(index);
    og_arms_free(arms);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION(POLICY, "policy", "NAME", request, policies, .help = "the policy; required",
              .count = offsetof(request, policy_count),
              .required = "--policy NAME is missing: whose index is to be printed, such as opt-kg",
              .once = "index prints the table of one policy"),
    OG_OPTION_TABLE(objective_rows),
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
