/* simulate: Monte Carlo values, for sizes beyond exact valuation. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/simulation/simulate.h"
#include "tools/command/commands.h"
#include "tools/command/family_delayed.h"
#include "tools/option/family.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const request *asked;
    const og_simulation *found;
    double size; /* instances */
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

static void format_mean(double mean, double error, char text[NUMBER_TEXT_BYTES])
{
    if (error > 0) {
        snprintf(text, NUMBER_TEXT_BYTES, "%.*f", decimals_for(error), mean);
    } else {
        number_format_value(mean, text);
    }
}

static void print_estimate(table *grid, og_estimate found)
{
    char mean[NUMBER_TEXT_BYTES];
    format_mean(found.mean, found.standard_error, mean);
    table_cell(grid, "%s", mean);
    table_cell(grid, "%.2g", found.standard_error);
}

/* Where all runs agree only rounding is allowed for, which would be shown as noise. */
static void print_interval(table *grid, og_estimate found)
{
    char low[NUMBER_TEXT_BYTES];
    char high[NUMBER_TEXT_BYTES];
    bool agree = found.standard_error == 0;
    format_mean(agree ? found.mean : found.low, found.standard_error, low);
    format_mean(agree ? found.mean : found.high, found.standard_error, high);
    table_cell(grid, "%s .. %s", low, high);
}

static void print_accuracy(table *grid, const report *seen, og_estimate correct)
{
    char mean[NUMBER_TEXT_BYTES];
    double percent = 100 / seen->size;
    double error = percent * correct.standard_error;
    format_mean(percent * correct.mean, error, mean);
    table_cell(grid, "%s (%.2g)", mean, error);
}

static void print_rows(const report *seen)
{
    static const char *const headings[] = {
        "policy",          "ties",          "expected\ncorrect",
        "standard\nerror", "95 % interval", "accuracy, %\n(std. error)"};
    table *grid = table_new("lldrll", headings);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        table_cell(grid, "%s", name_of(seen, row));
        table_cell(grid, "%s", og_ties_name(row->ties));
        if (row->status != OG_OK) {
            table_cell(grid, "-");
            table_cell(grid, "-");
            table_cell(grid, "not simulated");
            table_cell(grid, "-");
            continue;
        }
        print_estimate(grid, row->metric[OG_EXPECTED]);
        print_interval(grid, row->metric[OG_EXPECTED]);
        print_accuracy(grid, seen, row->metric[OG_CORRECT]);
    }
    table_print(grid, stdout);
    table_free(grid);
}

/* The draws from the priors make posteriors right about themselves; other truths do not. */
static bool posteriors_are_right(const report *seen)
{
    return seen->asked->truth.kind == OG_TRUTH_PRIOR;
}

/* False if there is nothing to compare. */
static bool print_differences(const report *seen)
{
    static const char *const headings[] = {"policy", "ties", "more\ncorrect", "standard\nerror",
                                           "95 % interval"};
    table *grid = table_new("lldrl", headings);
    bool some = false;
    for (int32_t i = seen->found->first_row + 1; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        og_estimate difference =
            posteriors_are_right(seen) ? row->difference[OG_EXPECTED] : row->difference[OG_CORRECT];
        if (row->status != OG_OK) {
            continue;
        }
        table_cell(grid, "%s", name_of(seen, row));
        table_cell(grid, "%s", og_ties_name(row->ties));
        print_estimate(grid, difference);
        print_interval(grid, difference);
        some = true;
    }
    if (some) {
        const og_simulate_row *first = &seen->found->rows[seen->found->first_row];
        print_paragraph(stdout, "Than %s (ties %s), run by run:", name_of(seen, first),
                        og_ties_name(first->ties));
        putchar('\n');
        table_print(grid, stdout);
        putchar('\n');
    }
    table_free(grid);
    return some;
}

/* What a reader must know to trust the figures above. */
static void print_notes(const report *seen, bool compared)
{
    print_paragraph(stdout,
                    "Expected correct: calls out of %.0f that the posteriors at the end expect to "
                    "be correct%s. Accuracy: calls that were. In each run all policies meet the "
                    "same soft labels and the same labels%s.",
                    seen->size,
                    posteriors_are_right(seen)
                        ? "; its mean is the policy's value"
                        : ", wrongly where the truth is not as the priors say",
                    compared ? ", so differences are known better than values" : "");
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status != OG_OK && i % seen->asked->ties_count == 0) {
            print_paragraph(stdout, "Not simulated: %s: %s%s.", name_of(seen, row),
                            row->message.text[0] != '\0' ? row->message.text
                                                         : og_status_text(row->status),
                            row->status == OG_STOPPED ? "; --index-time SECONDS allows more" : "");
        } else if (row->tolerance_ties > 0) {
            print_paragraph(stdout,
                            "Ties of %s (%s) hang on a tolerance: %" PRIu64
                            " pairs of indices too close to tell apart.",
                            name_of(seen, row), og_ties_name(row->ties), row->tolerance_ties);
        }
    }
}

static void print_table(const report *seen)
{
    char words[NUMBER_TEXT_BYTES];
    const request *asked = seen->asked;
    table *fields = fields_new();
    if (asked->kind != NULL) {
        asked->kind->fields(asked, fields);
    } else {
        fields_problem(fields, &asked->problem, "Labels");
    }
    number_format_value(seen->found->call, words);
    table_cell(fields, "Without labels");
    table_cell(fields, "%s expected correct calls", words);
    if (!posteriors_are_right(seen)) {
        table_cell(fields, "Truth");
        if (asked->truth.kind == OG_TRUTH_LIST) {
            table_cell(fields, "a list of %" PRId64 " soft labels", asked->truth.count);
        } else {
            table_cell(fields, "%s", truth_of(asked));
        }
    }
    table_cell(fields, "Runs");
    table_cell(fields, "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs, asked->seed);
    fields_print(fields);
    putchar('\n');
    print_rows(seen);
    putchar('\n');
    bool compared = print_differences(seen);
    print_notes(seen, compared);
}

static json_t *interval_json(og_estimate found, double scale, bool given)
{
    const double ends[] = {scale * found.low, scale * found.high};
    return given ? reals(ends, 2) : json_null();
}

static void put_estimate(json_t *object, og_estimate found, double scale, bool given)
{
    object_put(object, "mean", real(given ? scale * found.mean : NAN));
    object_put(object, "standard_error", real(given ? scale * found.standard_error : NAN));
    object_put(object, "interval", interval_json(found, scale, given));
}

static json_t *estimate_json(og_estimate found, bool given)
{
    json_t *object = object_new();
    put_estimate(object, found, 1, given);
    return object;
}

static json_t *row_json(const report *seen, const og_simulate_row *row)
{
    bool given = row->status == OG_OK;
    double share = 1 / seen->size;
    json_t *object = object_new();
    object_put(object, "name", phrase(name_of(seen, row)));
    object_put(object, "ties", phrase(og_ties_name(row->ties)));
    object_put(object, "status", phrase(given ? "ok" : "limit"));
    object_put(object, "limit", given ? json_null() : phrase(row->message.text));
    put_estimate(object, row->metric[OG_EXPECTED], 1, given);
    object_put(object, "accuracy", real(given ? share * row->metric[OG_CORRECT].mean : NAN));
    object_put(object, "accuracy_standard_error",
               real(given ? share * row->metric[OG_CORRECT].standard_error : NAN));
    object_put(object, "accuracy_interval", interval_json(row->metric[OG_CORRECT], share, given));
    object_put(object, "difference", estimate_json(row->difference[OG_EXPECTED], given));
    object_put(object, "correct_difference", estimate_json(row->difference[OG_CORRECT], given));
    object_put(object, "tolerance_ties", whole(row->tolerance_ties));
    return object;
}

static void print_json(const report *seen)
{
    const og_simulation *found = seen->found;
    json_t *document = object_new();
    json_t *policies = array_new();
    object_put(document, "problem",
               seen->asked->kind != NULL ? seen->asked->kind->problem(seen->asked)
                                         : problem_json(&seen->asked->problem));
    object_put(document, "call_value", real(found->call));
    object_put(document, "truth", phrase(truth_of(seen->asked)));
    object_put(document, "runs", whole((uint64_t)found->runs));
    object_put(document, "seed", whole(seen->asked->seed));
    object_put(document, "difference_to", whole((uint64_t)found->first_row));
    object_put(document, "rounding", real(found->rounding));
    object_put(document, "seconds", real(found->seconds));
    for (int32_t i = 0; i < found->row_count; i++) {
        array_add(policies, row_json(seen, &found->rows[i]));
    }
    object_put(document, "policies", policies);
    document_print(document);
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

static int run(request *asked)
{
    og_message message = {""};
    if (asked->kind != NULL && asked->kind->simulate != NULL) {
        return asked->kind->simulate(asked);
    }
    og_status status = OG_OK;
    if (is_delayed(asked)) {
        status = delayed_prepare(asked, &message);
    } else if (asked->kind != NULL) {
        status = og_message_set(&message, OG_BAD_INPUT, "simulate does not know %s",
                                asked->kind->option);
    }
    if (status != OG_OK) {
        return complain(status, &message);
    }
    og_simulation found = {0};
    showing last = {.asked = asked};
    double limit = asked->time_limit_seconds;
    bool short_time = limit > 0 && limit < asked->index_seconds;
    og_source source = is_delayed(asked)
                           ? og_source_delayed(&asked->problem, &asked->truth, &asked->delay)
                           : og_source_independent(&asked->problem, &asked->truth);
    og_simulate_request wanted = {.source = &source,
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
                                  .user = &last};
    progress_catch_signals();
    status = og_simulate(&wanted, &found, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    report seen = {asked, &found, (double)og_problem_size(&asked->problem)};
    if (asked->json) {
        print_json(&seen);
    } else {
        print_table(&seen);
    }
    int code = report_runs(&seen);
    og_simulation_clear(&found);
    return code;
}

static og_status read_truth(request *asked, const char *text, og_message *message)
{
    og_truth truth;
    og_status status = og_truth_parse(text, &truth, message);
    if (status == OG_OK) {
        og_truth_clear(&asked->truth);
        asked->truth = truth;
        asked->truth_text = text;
    }
    return status;
}

static const option option_runs = {
    .name = "runs",
    .argument = "N",
    .fallback = "10000",
    .help = "how many times every policy is played",
    .read = read_runs,
};

static const option option_seed = {
    .name = "seed",
    .argument = "N",
    .fallback = "1",
    .help = "another seed gives other random numbers, the same seed the same ones",
    .read = read_seed,
};

static const option option_truth = {
    .name = "truth",
    .argument = "TRUTH",
    .fallback = "prior",
    .help = "where soft labels come from: prior; beta:A,B for all instances; list:X,X,... one for "
            "each instance, the same in every run",
    .read = read_truth,
};

static const option *const options[] = {
    &option_budget,         &option_policy,  &option_policies,
    &option_policy_timeout, &option_ties,    &option_runs,
    &option_seed,           &option_truth,   &option_index_time,
    &option_threads,        &option_memory,  &option_time_limit,
    &option_quiet,          &option_json,    &option_arrival_rate,
    &option_service_rate,   &option_workers, NULL,
};

const command command_simulate = {
    .name = "simulate",
    .summary = "Monte Carlo values with intervals, for any number of labels",
    .arguments = "INSTANCE...",
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
    .lists_policies = true,
    .read_argument = read_instance,
    .argument_missing = "no INSTANCE is given, such as 10x1,1",
    .run = run,
};
