/* solve: the optimal value alone, and on request what optimal play does. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/words.h"
#include "dp/exact/exact.h"
#include "dp/export/export.h"
#include "dp/product/forecast.h"
#include "tools/command/commands.h"
#include "tools/option/family.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    double call;
    og_result result;
    mpq_t value, gain;       /* exact arithmetic only */
    og_export_info exported; /* with --export-policy only */
} solution;

static void describe_export(og_document *document, const request *asked,
                            const og_export_info *exported)
{
    bool all = asked->all_optimal;
    og_document *policy = og_put_object(document, "policy");
    og_put_text(policy, "file", asked->export_policy);
    og_put_text(policy, "actions", all ? "all" : "one");
    og_put_whole(policy, "states", exported->states);
    og_put_whole(policy, "near_ties", exported->near_ties);
    og_put_whole(policy, "bytes", exported->file_bytes);
    og_show_field(document, "Policy file", "%s", asked->export_policy);
    og_show_field(document, "States in it", "%" PRIu64 ", %s, %s", exported->states,
                  all ? "all optimal actions" : "one optimal action each",
                  og_words_bytes(exported->file_bytes).text);
    if (all || exported->near_ties > 0) {
        og_show_field(document, "Near ties", "%" PRIu64 " of them, which doubles cannot decide",
                      exported->near_ties);
    }
}

static og_document *describe(const request *asked, const solution *found)
{
    og_document *document = og_document_new();
    og_describe_problem(document, &asked->problem, "Labels");
    og_describe_optimum(
        document, &found->result, asked->exact, found->value, found->gain, found->call,
        og_counted_of(&asked->problem, og_problem_size(&asked->problem)).text, " (proved)");
    if (asked->export_policy != NULL) {
        describe_export(document, asked, &found->exported);
    }
    return document;
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
        code = show(describe(asked, &found), asked->json);
    }
    mpq_clears(found.value, found.gain, NULL);
    return code;
}

/* ---- --dry-run ---- */

static og_document *describe_forecast(const request *asked, const og_forecast *forecast)
{
    uint64_t limit = asked->settings.memory_bytes;
    double most = forecast->memory_bytes;
    bool counted = isfinite(forecast->states);
    og_document *document = og_document_new();
    og_describe_problem(document, &asked->problem, "Labels");
    og_document *object = og_put_object(document, "forecast");
    og_put_number(object, "states", forecast->states);
    og_put_number(object, "bytes_per_state", forecast->bytes_per_state);
    og_put_number(object, "memory_bytes", most);
    og_put_whole(object, "table_bytes", forecast->table_bytes);
    og_put_whole(object, "memory_limit_bytes", limit);
    og_show_field(document, "States", "at most %s",
                  counted ? og_words_most(forecast->states).text : "more than 1e308");
    og_show_field(document, "Memory", "%s for all of them, %.0f bytes each",
                  most < 0x1p62 ? og_words_bytes((uint64_t)most).text : "more than any machine has",
                  forecast->bytes_per_state);
    og_show_field(document, "Tables", "%s of it, needed in any case",
                  og_words_bytes(forecast->table_bytes).text);
    og_show_field(document, "Memory limit", "%s", og_words_bytes(limit).text);
    og_show_paragraph(document,
                      "Nothing was solved. Bounds and forced labels, which this count does not "
                      "know, usually leave far fewer states. %s",
                      most <= (double)limit
                          ? "Even all of them fit the memory limit."
                          : "Where the memory is full, states that are cheap to solve again are "
                            "forgotten: slower, the same value.");
    return document;
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
    return show(describe_forecast(asked, &forecast), asked->json);
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
