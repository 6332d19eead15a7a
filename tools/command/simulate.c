/* simulate: Monte Carlo values, for sizes beyond exact valuation. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/simulation/simulate.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const request *asked;
    const og_simulation *found;
    const opened *of;
    double size; /* final decisions */
} report;

enum { STAGE_BYTES = 128 };

static const double show_seconds = 0.5;

static const char *name_of(const report *seen, const og_simulate_row *row)
{
    return seen->asked->policies[row->policy].name;
}

static const char *truth_of(const request *asked)
{
    return asked->truth_text != NULL ? asked->truth_text : "prior";
}

/* As many decimals as the standard error has a use for: its first two digits. */
static int decimals_for(double error)
{
    const double most = 6;
    return (int)fmax(0, fmin(most, 1 - floor(log10(error))));
}

static og_words mean_words(double mean, double error)
{
    og_words words = og_words_value(mean);
    if (error > 0) {
        snprintf(words.text, sizeof words.text, "%.*f", decimals_for(error), mean);
    }
    return words;
}

/* What is seen of an estimate, beside the values. Where all runs agree only rounding is allowed
 * for, which would be shown as noise. */
static void show_estimate(og_document *row, og_estimate found)
{
    double error = found.standard_error;
    bool agree = error == 0;
    og_show_cell(row, "mean", "%s", mean_words(found.mean, error).text);
    og_show_cell(row, "standard_error", "%.2g", error);
    og_show_cell(row, "interval", "%s .. %s",
                 mean_words(agree ? found.mean : found.low, error).text,
                 mean_words(agree ? found.mean : found.high, error).text);
}

static void show_rows(og_document *document, const og_document *rows, bool difference)
{
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    og_show_column(table, difference ? "more\ncorrect" : "expected\ncorrect", 'd', "mean",
                   OG_SHOW_PLAIN);
    og_show_column(table, "standard\nerror", 'r', "standard_error", OG_SHOW_PLAIN);
    og_show_column(table, "95 % interval", 'l', "interval", OG_SHOW_PLAIN);
    if (!difference) {
        og_show_column(table, "accuracy, %\n(std. error)", 'l', "accuracy", OG_SHOW_PLAIN);
    }
}

/* The draws from the priors make posteriors right about themselves; other truths do not. */
static bool posteriors_are_right(const report *seen)
{
    return seen->asked->truth.kind == OG_TRUTH_PRIOR;
}

/* False if there is nothing to compare. */
static bool show_differences(og_document *document, const report *seen)
{
    const og_simulate_row *first = &seen->found->rows[seen->found->first_row];
    og_document *rows = og_show_rows(document);
    for (int32_t i = seen->found->first_row + 1; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status == OG_OK) {
            og_document *object = og_put_object(rows, NULL);
            og_put_text(object, "name", name_of(seen, row));
            og_put_text(object, "ties", og_ties_name(row->ties));
            show_estimate(object, posteriors_are_right(seen) ? row->difference[OG_EXPECTED]
                                                             : row->difference[OG_CORRECT]);
        }
    }
    if (og_document_count(rows) > 0) {
        og_show_paragraph(document, "Than %s (ties %s), run by run:", name_of(seen, first),
                          og_ties_name(first->ties));
        show_rows(document, rows, true);
    }
    return og_document_count(rows) > 0;
}

/* What a reader must know to trust the figures above. */
static void show_notes(og_document *document, const report *seen, bool compared)
{
    og_show_paragraph(
        document,
        "Expected correct: calls out of %.0f that the posteriors at the end expect to be "
        "correct%s. Accuracy: calls that were. In each run all policies meet the same soft labels "
        "and the same labels%s.",
        seen->size,
        posteriors_are_right(seen) ? "; its mean is the policy's value"
                                   : ", wrongly where the truth is not as the priors say",
        compared ? ", so differences are known better than values" : "");
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status != OG_OK && i % seen->asked->ties_count == 0) {
            og_show_paragraph(
                document, "Not simulated: %s: %s%s.", name_of(seen, row),
                row->message.text[0] != '\0' ? row->message.text : og_status_text(row->status),
                row->status == OG_STOPPED ? "; --index-time SECONDS allows more" : "");
        } else {
            og_show_tolerance(document, name_of(seen, row), og_ties_name(row->ties),
                              row->tolerance_ties);
        }
    }
}

static void put_interval(og_document *object, const char *name, og_estimate found, double scale,
                         bool given)
{
    const double ends[] = {scale * found.low, scale * found.high};
    if (given) {
        og_put_numbers(object, name, ends, 2);
    } else {
        og_put_null(object, name);
    }
}

static void put_estimate(og_document *object, og_estimate found, bool given)
{
    og_put_number(object, "mean", given ? found.mean : NAN);
    og_put_number(object, "standard_error", given ? found.standard_error : NAN);
    put_interval(object, "interval", found, 1, given);
}

static void put_row(og_document *policies, const report *seen, const og_simulate_row *row)
{
    bool given = row->status == OG_OK;
    double share = 1 / seen->size;
    og_document *object = og_put_object(policies, NULL);
    og_put_text(object, "name", name_of(seen, row));
    og_put_text(object, "ties", og_ties_name(row->ties));
    og_put_text(object, "status", given ? "ok" : "limit");
    og_put_text(object, "limit", given ? NULL : row->message.text);
    put_estimate(object, row->metric[OG_EXPECTED], given);
    og_put_number(object, "accuracy", given ? share * row->metric[OG_CORRECT].mean : NAN);
    og_put_number(object, "accuracy_standard_error",
                  given ? share * row->metric[OG_CORRECT].standard_error : NAN);
    put_interval(object, "accuracy_interval", row->metric[OG_CORRECT], share, given);
    put_estimate(og_put_object(object, "difference"), row->difference[OG_EXPECTED], given);
    put_estimate(og_put_object(object, "correct_difference"), row->difference[OG_CORRECT], given);
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    if (given) {
        show_estimate(object, row->metric[OG_EXPECTED]);
        double percent = 100 / seen->size;
        double error = percent * row->metric[OG_CORRECT].standard_error;
        og_show_cell(object, "accuracy", "%s (%.2g)",
                     mean_words(percent * row->metric[OG_CORRECT].mean, error).text, error);
    } else {
        og_show_cell(object, "interval", "not simulated");
    }
}

static void show_fields(og_document *document, const report *seen)
{
    const request *asked = seen->asked;
    og_show_field(document, "Without labels", "%s expected correct calls",
                  og_words_value(seen->found->call).text);
    if (asked->truth.kind == OG_TRUTH_LIST) {
        og_show_field(document, "Truth", "a list of %" PRId64 " soft labels", asked->truth.count);
    } else if (!posteriors_are_right(seen)) {
        og_show_field(document, "Truth", "%s", truth_of(asked));
    }
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs,
                  asked->seed);
}

static og_document *describe(const report *seen)
{
    const og_simulation *found = seen->found;
    og_document *document = og_document_new();
    seen->of->family->describe(seen->of->problem, document);
    og_put_number(document, "call_value", found->call);
    og_put_text(document, "truth", truth_of(seen->asked));
    og_put_whole(document, "runs", (uint64_t)found->runs);
    og_put_whole(document, "seed", seen->asked->seed);
    og_put_whole(document, "difference_to", (uint64_t)found->first_row);
    og_put_number(document, "rounding", found->rounding);
    og_put_number(document, "seconds", found->seconds);
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < found->row_count; i++) {
        put_row(policies, seen, &found->rows[i]);
    }
    show_fields(document, seen);
    show_rows(document, policies, false);
    show_notes(document, seen, show_differences(document, seen));
    return document;
}

static bool is_interrupted(void *user)
{
    (void)user;
    return progress_interrupted();
}

/* What was shown last, and when. */
typedef struct {
    const request *asked;
    const char *stage;
    double shown;
} showing;

static void show_progress(void *user, const char *stage, double share)
{
    showing *last = user;
    char words[STAGE_BYTES];
    bool runs = strcmp(stage, "runs") == 0;
    double now = progress_seconds();
    if (runs && now - last->shown < show_seconds) {
        return;
    }
    if (runs) {
        snprintf(words, sizeof words, "%.0f %% of %" PRId64 " runs, %.0f s", 100 * share,
                 last->asked->runs, now);
    }
    show_stage(runs ? words : stage);
    last->shown = now;
}

/* Fewer runs than asked for is a result, and a limit that was reached. */
static int report_runs(const report *seen)
{
    char words[STOP_REASON_BYTES];
    const char *reason = stop_reason(seen->asked, words);
    if (seen->found->runs == seen->asked->runs) {
        return EXIT_RESULT;
    }
    note("%s: %" PRId64 " of %" PRId64 " runs are done", reason != NULL ? reason : "stopped",
         seen->found->runs, seen->asked->runs);
    return EXIT_LIMIT;
}

static int simulate(const request *asked, const opened *of)
{
    og_message message = {""};
    og_simulation found = {0};
    showing last = {.asked = asked};
    double limit = asked->time_limit_seconds;
    bool short_time = limit > 0 && limit < asked->index_seconds;
    if (of->family->source == NULL) {
        return complain(og_family_lacks(of->family, "simulate", &message), &message);
    }
    const og_source source = of->family->source(of->problem, &asked->truth);
    const og_simulate_request wanted = {
        .source = &source,
        .policies = asked->policies,
        .policy_count = asked->policy_count,
        .ties = asked->ties,
        .ties_count = asked->ties_count,
        .runs = asked->runs,
        .seed = asked->seed,
        .threads = asked->settings.threads,
        .memory_bytes = asked->settings.memory_bytes,
        .index_seconds_max = short_time ? limit : asked->index_seconds,
        .seconds_max = limit,
        .interrupted = is_interrupted,
        .progress = show_progress,
        .user = &last,
    };
    progress_catch_signals();
    og_status status = og_simulate_run(&wanted, &found, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    report seen = {asked, &found, of, (double)of->sizes.decisions};
    int code = show(describe(&seen), asked->json);
    if (code == EXIT_RESULT) {
        code = report_runs(&seen);
    }
    og_simulation_clear(&found);
    return code;
}

static int run(request *asked)
{
    opened of;
    int code = open_problem(asked, &of);
    if (code == EXIT_RESULT) {
        code = simulate(asked, &of);
    }
    close_problem(&of);
    return code;
}

static og_status read_truth(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    request *asked = options;
    og_truth truth;
    (void)row;
    og_status status = og_truth_parse(text, &truth, message);
    if (status == OG_OK) {
        og_truth_clear(&asked->truth);
        asked->truth = truth;
        asked->truth_text = text;
    }
    return status;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    RUNS_ROW("10000", "how many times every policy is played"),
    SEED_ROW("1", "another seed gives other random numbers, the same seed the same ones"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", request, truth,
              .help = "where soft labels come from: prior; beta:A,B for all instances; "
                      "list:X,X,... one for each instance, the same in every run",
              .fallback = "prior", .read = read_truth),
    OG_OPTION_TABLE(index_time_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_simulate = {
    .name = "simulate",
    .summary = "Monte Carlo values with intervals, for any number of labels",
    .word = INSTANCE_WORDS("10x1,1"),
    .about = "Plays policies many times with random soft labels and labels: their values where "
             "exact valuation is out of reach, and what happens when the truth is not as the "
             "priors say.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap simulate -T 100 --policies opt-kg,kg --runs 2000 50x1,1\n"
        "  optgap simulate -T 50 --policy opt-kg --truth beta:4,1 --runs 2000 20x1,1\n"
        "  optgap simulate -T 30 --policy opt-kg --truth list:0,.4,.45,1 --json 4x1,1\n"
        "\n"
        "In each run all policies meet the same soft labels, and the n-th label of an instance is "
        "the same whoever asks for it, so differences are known better than values. The result "
        "does not depend on the number of threads. Ties are random or first. A time limit ends "
        "with the runs done by then and exit status 3.\n"
        "\n"
        "JSON: problem, truth, runs, seed, policies[].name, .ties, .mean (correct calls that the "
        "posteriors expect at the end), .standard_error, .interval [low, high] (95 %), .accuracy "
        "(share of the calls that were correct), .accuracy_standard_error, .accuracy_interval, "
        ".difference and .correct_difference (.mean, .standard_error, .interval; to the policy "
        "number difference_to), .limit (why it is not simulated).",
    .options = options,
    .families = FAMILY_RUNS,
    .lists_policies = true,
    .run = run,
};
