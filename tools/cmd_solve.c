#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "dp/forecast.h"
#include "tools/commands.h"
#include "tools/json.h"
#include "tools/number.h"
#include "tools/progress.h"
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
    fields_forgotten(fields, result);
    table_cell(fields, "Memory");
    og_bytes_format(result->memory_bytes, words);
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

static og_status solve(const request *asked, const og_arms *arms, og_result *result,
                       og_message *message)
{
    og_solver *solver = NULL;
    og_settings settings = asked->settings;
    settings.watch = progress_watch;
    og_status status = og_solver_new(arms, &settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, result, message);
    }
    og_solver_free(solver);
    return status;
}

static int run_solve(const request *asked, const og_arms *arms)
{
    og_message message = {""};
    og_result result = {0};
    og_status status = solve(asked, arms, &result, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        char words[STOP_REASON_BYTES];
        return complain_limit(status, &message, stop_reason(asked, words), asked);
    }
    warn(&message);
    if (asked->json) {
        print_json(asked, &result);
    } else {
        print_table(asked, og_arms_call(arms, NULL), &result);
    }
    return EXIT_RESULT;
}

/* ---- --dry-run ---- */

static void bytes_format(double bytes, char words[NUMBER_TEXT_BYTES])
{
    if (bytes < 0x1p62) {
        og_bytes_format((uint64_t)bytes, words);
    } else {
        snprintf(words, NUMBER_TEXT_BYTES, "%s", "more than any machine has");
    }
}

static void print_forecast(const request *asked, const og_forecast *forecast)
{
    char words[NUMBER_TEXT_BYTES];
    table *fields = fields_new();
    bool fits = forecast->memory_bytes <= (double)asked->settings.memory_bytes;
    fields_problem(fields, &asked->problem, "Labels");
    table_cell(fields, "States");
    if (isfinite(forecast->states)) {
        number_format_gap_most(forecast->states, words);
        table_cell(fields, "at most %s", words);
    } else {
        table_cell(fields, "at most more than 1e308");
    }
    table_cell(fields, "Memory");
    bytes_format(forecast->memory_bytes, words);
    table_cell(fields, "%s for all of them, %.0f bytes each", words, forecast->bytes_per_state);
    table_cell(fields, "Tables");
    og_bytes_format(forecast->table_bytes, words);
    table_cell(fields, "%s of it, needed in any case", words);
    table_cell(fields, "Memory limit");
    og_bytes_format(asked->settings.memory_bytes, words);
    table_cell(fields, "%s", words);
    fields_print(fields);
    putchar('\n');
    print_paragraph(stdout,
                    "Nothing was solved. Bounds and forced labels, which this count does not know, "
                    "usually leave far fewer states. %s",
                    fits ? "Even all of them fit the memory limit."
                         : "Where the memory is full, states that are cheap to solve again are "
                           "forgotten: slower, the same value.");
}

static void print_forecast_json(const request *asked, const og_forecast *forecast)
{
    json_t *document = object_new();
    json_t *object = object_new();
    object_put(document, "problem", problem_json(&asked->problem));
    object_put(object, "states", real(forecast->states));
    object_put(object, "bytes_per_state", real(forecast->bytes_per_state));
    object_put(object, "memory_bytes", real(forecast->memory_bytes));
    object_put(object, "table_bytes", whole(forecast->table_bytes));
    object_put(object, "memory_limit_bytes", whole(asked->settings.memory_bytes));
    object_put(document, "forecast", object);
    document_print(document);
}

static int run_forecast(const request *asked, const og_arms *arms)
{
    og_message message = {""};
    og_forecast forecast;
    og_status status = og_forecast_make(arms, &asked->settings, &forecast, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        return complain_limit(status, &message, NULL, asked);
    }
    if (asked->json) {
        print_forecast_json(asked, &forecast);
    } else {
        print_forecast(asked, &forecast);
    }
    return EXIT_RESULT;
}

static int run(const request *asked)
{
    og_message message = {""};
    og_arms *arms = NULL;
    progress_catch_signals();
    show_stage(asked->dry_run ? "counting" : "solving");
    og_status status = og_arms_new(&asked->problem, asked->settings.threads,
                                   asked->settings.memory_bytes, &arms, &message);
    if (status != OG_OK) {
        show_stage(NULL);
        return complain_limit(status, &message, NULL, asked);
    }
    int code = asked->dry_run ? run_forecast(asked, arms) : run_solve(asked, arms);
    og_arms_free(arms);
    return code;
}

static og_status read_dry_run(request *asked, const char *text, og_message *message)
{
    (void)text;
    (void)message;
    asked->dry_run = true;
    return OG_OK;
}

static const option option_dry_run = {
    .name = "dry-run",
    .help = "solve nothing: say how many states and how much memory it can take at most",
    .read = read_dry_run,
};

static const option *const options[] = {
    &option_budget,
    &option_arithmetic,
    &option_threads,
    &option_memory,
    &option_time_limit,
    &option_checkpoint,
    &option_checkpoint_every,
    &option_dry_run,
    &option_quiet,
    &option_json,
    NULL,
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
               "  optgap solve -T 100 --dry-run 50x1,1\n"
               "\n"
               "The error bound is proved. When the memory is full, states that are cheap to solve "
               "again are forgotten: that takes longer, and the value stays the same to the last "
               "bit. If a limit is reached before the optimum is proved (time, or a memory limit "
               "that does not hold even the tables), nothing is printed on standard output and the "
               "exit status is 3; 'optgap bound' and 'optgap compare' still tell something then.\n"
               "\n"
               "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .states, "
               ".forgotten, .memory_bytes, .seconds; with --dry-run forecast.states, "
               ".bytes_per_state, .memory_bytes, .table_bytes, .memory_limit_bytes.",
    .options = options,
    .read_argument = read_instance,
    .argument_missing = "no INSTANCE is given, such as 10x1,1",
    .run = run,
};
