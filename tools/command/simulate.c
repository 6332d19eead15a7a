/* simulate: Monte Carlo values, for sizes beyond exact valuation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/simulation/simulate_document.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { STAGE_BYTES = 128 };

static const double show_seconds = 0.5;

static bool is_interrupted(void *user)
{
    (void)user;
    return progress_interrupted();
}

/* What was shown last, and when. */
typedef struct {
    const command_request *request;
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
                 last->request->runs, now);
    }
    show_stage(runs ? words : stage);
    last->shown = now;
}

/* Fewer runs than asked for is a result, and a limit that was reached. */
static int report_runs(const command_request *request, const og_simulation *found)
{
    char words[STOP_REASON_BYTES];
    const char *reason = stop_reason(request, words);
    if (found->runs == request->runs) {
        return EXIT_RESULT;
    }
    note("%s: %" PRId64 " of %" PRId64 " runs are done", reason != NULL ? reason : "stopped",
         found->runs, request->runs);
    return EXIT_LIMIT;
}

static int simulate(const command_request *request, const opened *of)
{
    og_message message = {""};
    og_simulation found = {0};
    showing last = {.request = request};
    double limit = request->time_limit_seconds;
    bool short_time = limit > 0 && limit < request->index_seconds;
    if (of->family->source == NULL) {
        return complain(og_family_lacks(of->family, "simulate", &message), &message);
    }
    const og_source source = of->family->source(of->problem, &request->truth);
    const og_simulate_request wanted = {
        .source = &source,
        .policies = request->policies,
        .policy_count = request->policy_count,
        .ties = request->ties,
        .ties_count = request->ties_count,
        .runs = request->runs,
        .seed = request->seed,
        .threads = request->settings.threads,
        .memory_bytes = request->settings.memory_bytes,
        .index_seconds_max = short_time ? limit : request->index_seconds,
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
    const og_simulation_report seen = {.family = of->family,
                                       .problem = of->problem,
                                       .request = &wanted,
                                       .found = &found,
                                       .truth = &request->truth,
                                       .truth_text = request->truth_text};
    int code = show(og_simulation_describe(&seen), request->json);
    if (code == EXIT_RESULT) {
        code = report_runs(request, &found);
    }
    og_simulation_clear(&found);
    return code;
}

static int run(command_request *request)
{
    opened of;
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = simulate(request, &of);
    }
    close_problem(&of);
    return code;
}

static og_status read_truth(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    command_request *request = options;
    og_truth truth;
    (void)row;
    og_status status = og_truth_parse(text, &truth, message);
    if (status == OG_OK) {
        og_truth_clear(&request->truth);
        request->truth = truth;
        request->truth_text = text;
    }
    return status;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    RUNS_ROW("10000", "how many times every policy is played"),
    SEED_ROW("1", "another seed gives other random numbers, the same seed the same ones"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", command_request, truth,
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
