/* solve: the optimal value alone, and on request what optimal play does. */
#include <stdio.h>
#include <string.h>

#include "bench/value/solve.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

static og_status check_options(const command_request *request, og_message *message)
{
    if (request->all_optimal && request->export_policy == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--all-optimal says what --export-policy FILE writes, which is "
                              "missing");
    }
    if (request->dry_run && request->export_policy != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--dry-run solves nothing, so there is no policy to export");
    }
    return check_arithmetic(request, message);
}

static void show_progress(void *user, const char *stage)
{
    (void)user;
    show_stage(stage);
}

static int fail(const command_request *request, og_status status, const og_message *message)
{
    char words[STOP_REASON_BYTES];
    const char *reason = stop_reason(request, words);
    bool too_many =
        request->all_optimal && reason == NULL && strstr(message->text, "memory") == NULL;
    return too_many ? complain(status, message) : complain_limit(status, message, reason, request);
}

static int solve(const command_request *request, const opened *of)
{
    og_message message = {""};
    og_solved found;
    const og_solve_request wanted = {.family = of->family,
                                     .problem = of->problem,
                                     .settings = watched_settings(request),
                                     .exact = request->exact,
                                     .export_policy = request->export_policy,
                                     .all_optimal = request->all_optimal,
                                     .dry_run = request->dry_run,
                                     .progress = show_progress};
    og_status status = og_solve_run(&wanted, &found, &message);
    show_stage(NULL);
    int code;
    if (status != OG_OK) {
        code = fail(request, status, &message);
    } else {
        warn(&found.warning);
        code = show(og_solved_describe(&wanted, &found), request->json);
    }
    og_solved_clear(&found);
    return code;
}

static int run(command_request *request)
{
    og_message message = {""};
    opened of;
    og_status status = check_options(request, &message);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    show_stage(request->dry_run ? "counting" : "solving");
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = solve(request, &of);
    }
    close_problem(&of);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION(PATH, "export-policy", "FILE", command_request, export_policy,
              .help = "write what optimal play labels to FILE: one optimal action for every state "
                      "that it can reach; 'optgap verify FILE' checks it"),
    OG_OPTION(SWITCH, "all-optimal", NULL, command_request, all_optimal,
              .help = "with --export-policy: all optimal actions instead of one, for problems "
                      "small enough to value every action of every state"),
    OG_OPTION(SWITCH, "dry-run", NULL, command_request, dry_run,
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
    .details =
        "Example:\n"
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
        "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .engine, "
        ".states, .forgotten, .memory_bytes, .seconds; with --arithmetic exact .value_exact and "
        ".gain_exact, such as \"121/16\"; with --export-policy policy.file, .actions, "
        ".states, .near_ties, .bytes; with --dry-run forecast.states, "
        ".bytes_per_state, .memory_bytes, .table_bytes, .blocks.states, "
        ".blocks.memory_bytes, .blocks.exact (else at most), .memory_limit_bytes.",
    .options = options,
    .families = FAMILY_VALUES,
    .run = run,
};
