/* The command solve: the optimal value and, if requested, an optimal policy. */
#include <inttypes.h>

#include "dp/base/world.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* The owner of a type of blocks is stored in two bytes. */
enum { RANKS_MOST = 65535 };

static og_status check_ranks(const command_request *request, og_message *message)
{
    return request->wish.ask.dry_run || request->ranks == 0
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--ranks requires --dry-run; otherwise mpirun -n %" PRId32
                                " starts them",
                                request->ranks);
}

static int finish(const command_request *request, const og_asked *asked)
{
    (void)request;
    tell(&asked->warning);
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    const og_world imagined = {.ranks = request->ranks, .parcel = OG_WORLD_PARCEL};
    if (request->ranks > 0) {
        request->wish.ask.settings.world = &imagined;
    }
    const question about = {.check = check_ranks,
                            .stage = request->wish.ask.dry_run ? "counting" : "solving",
                            .ask = &og_question_solve,
                            .opens = true,
                            .fail = fail_by_limit,
                            .finish = finish};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_solve_options),
    OG_OPTION(INT32, "ranks", "N", command_request, ranks, .least = 1, .most = RANKS_MOST,
              .topic = OG_TOPIC_LIMITS, .brief = "with --dry-run: forecast for N processes",
              .help = "with --dry-run: also forecast the memory and the traffic of N processes (1 "
                      "to 65535) under mpirun, which share the layers of blocks"),
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
    .about = "Computes the optimal value: the expected number of correct calls if every label is "
             "placed as well as possible.",
    .details = "Examples:\n"
               "\n"
               "  optgap solve -T 36 10x1,1\n"
               "  optgap solve -T 100 --dry-run 50x1,1\n"
               "  optgap solve -T 60 --dry-run --ranks 4 10x1,1\n"
               "  optgap solve -T 30 --arithmetic exact 10x1,1\n"
               "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
               "  optgap solve -T 6 --export-model model.drn 3x1,1 2,1\n"
               "\n"
               "The error bound is proved; --arithmetic exact prints a fraction. When the memory "
               "is full, states that are cheap to compute again are evicted: this takes longer and "
               "does not change the value. If a limit is reached before the optimum is proved, "
               "nothing is printed on standard output and the exit status is 3; 'optgap bound' and "
               "'optgap compare' still give results then.",
    .options = options,
    .families = FAMILY_VALUES,
    .ranks = true,
    .run = run,
};
