#include <inttypes.h>

#include "tools/commands.h"
#include "tools/json.h"
#include "tools/number.h"
#include "tools/report.h"

/* solve: the optimal value alone. */

static void print_table(const request *asked, double call, const og_result *result)
{
    char words[NUMBER_TEXT_BYTES];
    table *fields = fields_new();
    fields_problem(fields, &asked->problem, "Labels");
    number_format_value(result->value, words);
    table_cell(fields, "Optimal value");
    table_cell(fields, "%s expected correct calls of %" PRId64, words,
               og_problem_size(&asked->problem));
    table_cell(fields, "Without labels");
    number_format_value(call, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Gain");
    number_format_value(result->gain, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Error at most");
    number_format_bound(result->error_bound, words);
    table_cell(fields, "%s (proved)", words);
    table_cell(fields, "States");
    table_cell(fields, "%" PRIu64, result->states);
    table_cell(fields, "Memory");
    size_format(result->memory_bytes, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Time");
    table_cell(fields, "%.2f s", result->seconds);
    fields_print(fields);
}

static void print_json(const request *asked, const og_result *result)
{
    json_t *document = object_new();
    object_put(document, "problem", problem_json(&asked->problem));
    object_put(document, "optimal", optimal_json(result));
    document_print(document);
}

static int run(const request *asked)
{
    og_message message = {""};
    og_arms *arms = NULL;
    og_solver *solver = NULL;
    og_result result = {0};
    show_stage("solving");
    og_status status = og_arms_new(&asked->problem, asked->settings.threads,
                                   asked->settings.memory_bytes, &arms, &message);
    if (status == OG_OK) {
        status = og_solver_new(arms, &asked->settings, &solver, &message);
    }
    if (status == OG_OK) {
        status = og_solver_value(solver, &result, &message);
    }
    show_stage(NULL);
    if (status == OG_OK && asked->json) {
        print_json(asked, &result);
    } else if (status == OG_OK) {
        print_table(asked, og_arms_call(arms, NULL), &result);
    }
    og_solver_free(solver);
    og_arms_free(arms);
    return status == OG_OK ? EXIT_RESULT
                           : complain_limit(status, &message, &asked->settings, &result);
}

static const option *const options[] = {
    &option_budget, &option_arithmetic, &option_threads, &option_memory, &option_json, NULL,
};

const command command_solve = {
    .name = "solve",
    .summary = "the optimal value only, with sizes and times",
    .arguments = "INSTANCE...",
    .about = "The optimal value: the expected number of correct calls in the end if every "
             "label is placed as well as possible.",
    .details = "Example:\n"
               "\n"
               "  optgap solve -T 40 10x1,1\n"
               "\n"
               "The error bound is proved. If the memory limit is reached first, nothing is "
               "printed on standard output and the exit status is 3; 'optgap bound' and "
               "'optgap compare' still tell something then.\n"
               "\n"
               "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .states, "
               ".memory_bytes, .seconds.",
    .options = options,
    .read_argument = read_instance,
    .argument_missing = "no INSTANCE is given, such as 10x1,1",
    .run = run,
};
