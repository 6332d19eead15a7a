/* solve: the optimal value, and optionally the optimal policy. */
#include <inttypes.h>
#include <stdio.h>

#include "dp/base/world.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* A type knows its owner by two bytes. */
enum { RANKS_MOST = 65535 };

static og_status check_options(const command_request *request, og_message *message)
{
    if (request->all_optimal && request->export_policy == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--all-optimal requires --export-policy FILE; give both");
    }
    if (request->dry_run && request->export_policy != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--dry-run does not support --export-policy; omit one of them");
    }
    if (!request->dry_run && request->ranks > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--ranks requires --dry-run; otherwise mpirun -n %" PRId32
                              " starts them",
                              request->ranks);
    }
    if (request->dry_run && request->export_model != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--dry-run does not support --export-model; omit one of them");
    }
    return check_arithmetic(request, message);
}

static int fail(const command_request *request, og_status status, const og_message *message)
{
    char words[STOP_REASON_BYTES];
    return complain_limit(status, message, stop_reason(request, words), request);
}

static int finish(const command_request *request, const og_task *task)
{
    (void)request;
    tell(&task->warning);
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    const og_world imagined = {.ranks = request->ranks, .parcel = OG_WORLD_PARCEL};
    if (request->ranks > 0) {
        request->settings.world = &imagined;
    }
    const question about = {.check = check_options,
                            .stage = request->dry_run ? "counting" : "solving",
                            .ask = og_task_solve,
                            .watched = true,
                            .opens = true,
                            .fail = fail,
                            .finish = finish};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION_TABLE(scratch_rows),
    OG_OPTION(OUTPUT, "export-policy", "FILE", command_request, export_policy, .what = "policy",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "write an optimal policy to FILE",
              .help = "write what optimal play labels to FILE: one optimal action for every state "
                      "that it can reach; 'optgap verify FILE' checks it"),
    OG_OPTION(SWITCH, "all-optimal", NULL, command_request, all_optimal, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "with --export-policy: write all optimal choices",
              .help = "with --export-policy: all optimal actions instead of one, for problems "
                      "small enough to value every action of every state"),
    OG_OPTION(OUTPUT, "export-model", "FILE", command_request, export_model, .what = "model",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write the model to NAME.drn (Storm) or .tra (PRISM)",
              .help = "write all that can be done, not only what is optimal, to FILE, for a model "
                      "checker to find the optimum by itself: NAME.drn for Storm, or NAME.tra "
                      "for PRISM, with NAME.lab and NAME.srew beside it"),
    OG_OPTION(SWITCH, "dry-run", NULL, command_request, dry_run, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "print the states and the memory it can take",
              .help = "solve nothing: say how many states and how much memory it can take at most"),
    OG_OPTION(INT32, "ranks", "N", command_request, ranks, .least = 1, .most = RANKS_MOST,
              .topic = OG_TOPIC_LIMITS, .brief = "with --dry-run: forecast for N processes",
              .help = "with --dry-run: what each of N processes would take that share the "
                      "layers of blocks, as mpirun starts them, and what they would send"),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_solve = {
    .name = "solve",
    .summary = "compute the optimal value",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Compute the optimal value: the expected number of correct calls if every label\n"
             "is placed as well as possible.",
    .example = "  optgap solve -T 36 10x1,1\n"
               "  optgap solve -T 100 --dry-run 50x1,1",
    .about = "The optimal value: the expected number of correct calls in the end if every "
             "label is placed as well as possible.",
    .details = "Example:\n"
               "\n"
               "  optgap solve -T 36 10x1,1\n"
               "\n"
               "  optgap solve -T 100 --dry-run 50x1,1\n"
               "\n"
               "  optgap solve -T 60 --dry-run --ranks 4 10x1,1\n"
               "\n"
               "  optgap solve -T 30 --arithmetic exact 10x1,1\n"
               "\n"
               "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
               "\n"
               "  optgap solve -T 6 --export-model model.drn 3x1,1 2,1\n"
               "\n"
               "The error bound is proved; --arithmetic exact gives a fraction. When the memory is "
               "full, states that are cheap to solve "
               "again are forgotten: that takes longer, and the value stays the same to the last "
               "bit. If a limit is reached before the optimum is proved (time, or a memory limit "
               "that does not hold even the tables), nothing is printed on standard output and the "
               "exit status is 3; 'optgap bound' and 'optgap compare' still tell something then.\n"
               "\n"
               "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .engine, "
               ".states, .forgotten, .memory_bytes, .seconds; of several ranks .ranks, "
               ".sent_bytes; with --arithmetic exact .value_exact and "
               ".gain_exact, such as \"121/16\"; with --export-policy policy.file, .actions, "
               ".states, .near_ties, .bytes; with --export-model model.file, .format, .property, "
               ".states, .choices, .transitions, .bytes; with --dry-run forecast.states, "
               ".bytes_per_state, .memory_bytes, .table_bytes, .blocks.states, "
               ".blocks.memory_bytes, .blocks.exact (else at most), .blocks.ranks, "
               ".blocks.sent_bytes, .memory_limit_bytes.",
    .options = options,
    .families = FAMILY_VALUES,
    .ranks = true,
    .run = run,
};
