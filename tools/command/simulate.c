/* The command simulate: estimates the values of policies in random runs, for any size. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/families/assignment/assignment.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"

enum { STAGE_BYTES = 128 };

static const double show_seconds = 0.5;

static void show_runs(void *user, const char *stage, double share)
{
    const command_request *request = user;
    char words[STAGE_BYTES];
    bool runs = strcmp(stage, "runs") == 0;
    if (runs && progress_seconds() - progress_drawn() < show_seconds) {
        return;
    }
    if (runs) {
        snprintf(words, sizeof words, "%.0f %% of %" PRId64 " runs, %.0f s", 100 * share,
                 request->wish.ask.runs, progress_seconds());
    }
    show_stage(runs ? words : stage);
}

static int run_crowd(command_request *request, const og_assignment_options *from)
{
    const og_replay_input given = {.recording = {.problem = "assignment",
                                                 .gold_file = from->gold_file,
                                                 .contexts_file = from->contexts_file,
                                                 .budget = request->wish.budget,
                                                 .at = request->wish.at,
                                                 .at_count = request->wish.at_count},
                                   .data_file = from->data_file,
                                   .crowd = from->crowd != NULL ? from->crowd : "",
                                   .clusters = from->clusters};
    request->wish.tables = from->tables;
    return answer_replay(request, NULL, &given);
}

/* NULL if the problem is of another family. */
static const og_assignment_options *assignment_of(const command_request *request)
{
    return request->family == &og_family_assignment ? request->family_options : NULL;
}

static bool is_crowd(const command_request *request)
{
    const og_assignment_options *given = assignment_of(request);
    return given != NULL && given->gold_file != NULL && request->word_count == 0;
}

static const option_question questions[] = {
    {"--gold",
     "budget policy policies max-answer-time tie-tolerance ties problem runs seed counts at "
     "threads "
     "memory time-limit quiet json no-times",
     is_crowd, "gold crowd contexts kmeans data columns encoding classes"},
    {"a simulation without --gold", NULL, NULL, NULL},
    {.name = NULL},
};

static int run(command_request *request)
{
    if (is_crowd(request)) {
        return run_crowd(request, assignment_of(request));
    }
    static const question about = {.ask = &og_question_simulate,
                                   .progress = show_runs,
                                   .opens = true,
                                   .fail = fail_by_limit,
                                   .finish = finish_runs};
    const og_curve curve = {request->wish.at, request->wish.at_count, request->wish.trace_file};
    return answer_question(request, &about, &curve);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_simulate_options),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_simulate = {
    .name = "simulate",
    .summary = "estimate the values of policies by simulation",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Estimate the values of policies (expected numbers of correct calls) in random\n"
             "runs, for any number of labels.",
    .example = "  optgap simulate -T 100 --policies opt-kg,kg --runs 2000 50x1,1\n"
               "  optgap simulate -T 50 --policy opt-kg --truth beta:4,1 --runs 2000 20x1,1",
    .about = "Estimates the values of policies in many runs with random soft labels and labels. "
             "Use it if exact values are out of reach, or if the truth differs from the priors.",
    .details = "Examples:\n"
               "\n"
               "  optgap simulate -T 100 --policies opt-kg,kg --runs 2000 50x1,1\n"
               "  optgap simulate -T 50 --policy opt-kg --truth beta:4,1 --runs 2000 20x1,1\n"
               "  optgap simulate -T 30 --policy opt-kg --truth list:0,.4,.45,1 --json 4x1,1\n"
               "\n"
               "In a run all policies get the same soft labels, and the n-th label of an instance "
               "is the same for all, so differences are more precise than values. The number of "
               "threads does not change the result. --ties is random or first. At a time limit the "
               "program prints the result of the finished runs, with exit status 3.",
    .options = options,
    .questions = questions,
    .families = FAMILY_RUNS,
    .run = run,
};
