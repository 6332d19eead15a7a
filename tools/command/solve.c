/* solve: the optimal value alone, and on request what optimal play does. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/exact/exact.h"
#include "dp/export/export.h"
#include "dp/product/forecast.h"
#include "tools/command/commands.h"
#include "tools/option/family.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    double call;
    og_result result;
    mpq_t value, gain;       /* exact arithmetic only */
    og_export_info exported; /* with --export-policy only */
} solution;

static void print_value(const request *asked, const solution *found, table *fields)
{
    char words[NUMBER_TEXT_BYTES];
    char counts[COUNTED_BYTES];
    number_format_value(found->result.value, words);
    table_cell(fields, "Optimal value");
    table_cell(fields, "%s expected %s", words,
               counted_of(&asked->problem, og_problem_size(&asked->problem), counts));
    if (asked->exact) {
        fields_fraction(fields, found->value);
    }
    table_cell(fields, "Without labels");
    number_format_value(found->call, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Gain");
    number_format_value(found->result.gain, words);
    table_cell(fields, "%s", words);
    if (asked->exact) {
        fields_fraction(fields, found->gain);
        table_cell(fields, "Accuracy");
        table_cell(fields, "exact, decimals are rounded");
    } else {
        table_cell(fields, "Error at most");
        number_format_bound(found->result.error_bound, words);
        table_cell(fields, "%s (proved)", words);
    }
}

static void print_export(const request *asked, const og_export_info *exported, table *fields)
{
    char words[NUMBER_TEXT_BYTES];
    table_cell(fields, "Policy file");
    table_cell(fields, "%s", asked->export_policy);
    table_cell(fields, "States in it");
    og_bytes_format(exported->file_bytes, words);
    table_cell(fields, "%" PRIu64 ", %s, %s", exported->states,
               asked->all_optimal ? "all optimal actions" : "one optimal action each", words);
    if (asked->all_optimal || exported->near_ties > 0) {
        table_cell(fields, "Near ties");
        table_cell(fields, "%" PRIu64 " of them, which doubles cannot decide", exported->near_ties);
    }
}

static void print_table(const request *asked, const solution *found)
{
    char words[NUMBER_TEXT_BYTES];
    const og_result *result = &found->result;
    table *fields = fields_new();
    fields_problem(fields, &asked->problem, "Labels");
    print_value(asked, found, fields);
    table_cell(fields, "States");
    table_cell(fields, "%" PRIu64, result->states);
    fields_forgotten(fields, result);
    table_cell(fields, "Memory");
    og_bytes_format(result->memory_bytes, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Time");
    table_cell(fields, "%.2f s", result->seconds);
    if (asked->export_policy != NULL) {
        print_export(asked, &found->exported, fields);
    }
    fields_print(fields);
}

static json_t *export_json(const request *asked, const og_export_info *exported)
{
    json_t *object = object_new();
    object_put(object, "file", phrase(asked->export_policy));
    object_put(object, "actions", phrase(asked->all_optimal ? "all" : "one"));
    object_put(object, "states", whole(exported->states));
    object_put(object, "near_ties", whole(exported->near_ties));
    object_put(object, "bytes", whole(exported->file_bytes));
    return object;
}

static void print_json(const request *asked, const solution *found)
{
    json_t *document = object_new();
    object_put(document, "problem", problem_json(&asked->problem));
    object_put(document, "optimal",
               optimal_json(&found->result, asked->exact, found->value, found->gain));
    if (asked->export_policy != NULL) {
        object_put(document, "policy", export_json(asked, &found->exported));
    }
    document_print(document);
}

static og_status solve_exactly(const og_settings *settings, const og_arms *arms, solution *found,
                               og_message *message)
{
    og_exact *exact = NULL;
    og_status status = og_exact_new(arms, settings, &exact, message);
    if (status == OG_OK) {
        status = og_exact_value(exact, found->value, found->gain, &found->result, message);
    }
    og_exact_free(exact);
    return status;
}

/* The value first, whatever becomes of the file: a checkpoint then holds it. */
static og_status solve(const request *asked, og_settings settings, const og_arms *arms,
                       solution *found, og_message *message)
{
    og_solver *solver = NULL;
    og_export_request wanted = {.path = asked->export_policy, .all = asked->all_optimal};
    if (wanted.path != NULL) {
        settings.memory_bytes -= settings.memory_bytes / 5; /* following the play takes a quarter
                                                               of the solver's beside it */
    }
    og_status status = og_solver_new(arms, &settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, &found->result, message);
    }
    if (status == OG_OK && wanted.path != NULL) {
        warn(message);
        message->text[0] = '\0';
        show_stage("writing the policy");
        status = og_export_policy(solver, &wanted, NULL, &found->exported, message);
    }
    og_solver_free(solver);
    return status;
}

static int run_solve(const request *asked, const og_arms *arms)
{
    og_message message = {""};
    solution found = {.call = og_arms_call(arms, NULL)};
    og_settings settings = asked->settings;
    settings.watch = progress_watch;
    mpq_inits(found.value, found.gain, NULL);
    og_status status = asked->exact ? solve_exactly(&settings, arms, &found, &message)
                                    : solve(asked, settings, arms, &found, &message);
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status != OG_OK) {
        char words[STOP_REASON_BYTES];
        const char *reason = stop_reason(asked, words);
        bool too_many =
            asked->all_optimal && reason == NULL && strstr(message.text, "memory") == NULL;
        code =
            too_many ? complain(status, &message) : complain_limit(status, &message, reason, asked);
    } else {
        warn(&message);
        if (asked->json) {
            print_json(asked, &found);
        } else {
            print_table(asked, &found);
        }
    }
    mpq_clears(found.value, found.gain, NULL);
    return code;
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

static og_status check_options(const request *asked, og_message *message)
{
    if (asked->all_optimal && asked->export_policy == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--all-optimal says what --export-policy FILE writes, which is "
                              "missing");
    }
    if (asked->dry_run && asked->export_policy != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--dry-run solves nothing, so there is no policy to export");
    }
    return check_arithmetic(asked, message);
}

static int run(request *asked)
{
    og_message message = {""};
    og_arms *arms = NULL;
    og_status status = check_options(asked, &message);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    if (asked->kind != NULL) {
        return family_solve(asked);
    }
    progress_catch_signals();
    show_stage(asked->dry_run ? "counting" : "solving");
    status = og_arms_new(&asked->problem, asked->settings.threads, asked->settings.memory_bytes,
                         &arms, &message);
    if (status != OG_OK) {
        show_stage(NULL);
        return complain_limit(status, &message, NULL, asked);
    }
    int code = asked->dry_run ? run_forecast(asked, arms) : run_solve(asked, arms);
    og_arms_free(arms);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION(PATH, "export-policy", "FILE", request, export_policy,
              .help = "write what optimal play labels to FILE: one optimal action for every state "
                      "that it can reach; 'optgap verify FILE' checks it"),
    OG_OPTION(SWITCH, "all-optimal", NULL, request, all_optimal,
              .help = "with --export-policy: all optimal actions instead of one, for problems "
                      "small enough to value every action of every state"),
    OG_OPTION(SWITCH, "dry-run", NULL, request, dry_run,
              .help = "solve nothing: say how many states and how much memory it can take at most"),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_solve = {
    .name = "solve",
    .summary = "the optimal value only, with sizes and times",
    .word = INSTANCE_WORDS("10x1,1"),
    .about = "The optimal value: the expected number of correct calls in the end if every "
             "label is placed as well as possible.",
    .details = "Example:\n"
               "\n"
               "  optgap solve -T 36 10x1,1\n"
               "\n"
               "  optgap solve -T 100 --dry-run 50x1,1\n"
               "\n"
               "  optgap solve -T 30 --arithmetic exact 10x1,1\n"
               "\n"
               "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
               "\n"
               "The error bound is proved; --arithmetic exact gives a fraction. When the memory is "
               "full, states that are cheap to solve "
               "again are forgotten: that takes longer, and the value stays the same to the last "
               "bit. If a limit is reached before the optimum is proved (time, or a memory limit "
               "that does not hold even the tables), nothing is printed on standard output and the "
               "exit status is 3; 'optgap bound' and 'optgap compare' still tell something then.\n"
               "\n"
               "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .states, "
               ".forgotten, .memory_bytes, .seconds; with --arithmetic exact .value_exact and "
               ".gain_exact, such as \"121/16\"; with --export-policy policy.file, .actions, "
               ".states, .near_ties, .bytes; with --dry-run forecast.states, "
               ".bytes_per_state, .memory_bytes, .table_bytes, .memory_limit_bytes.",
    .options = options,
    .families = FAMILY_VALUES,
    .run = run,
};
