/* Task assignment on recorded labels or by crowds that are drawn. */
#include "tools/command/world.h"

#include <stdio.h>
#include <string.h>

#include "tools/command/open.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { AT_MAX = 10000 };

static int finish(const command_request *request, const og_task *task)
{
    (void)request;
    warn(&task->warning);
    return progress_interrupted() ? EXIT_LIMIT : EXIT_RESULT;
}

static og_status read_assignment(command_request *request, og_message *message)
{
    static const og_option_row row =
        OG_OPTION(POLICIES, "policies", "NAMES", command_request, policies,
                  .count = offsetof(command_request, policy_count));
    if (request->policies_given) {
        return OG_OK;
    }
    request->policy_count = 0;
    bool several = request->contexts_file != NULL || request->clusters > 1;
    return og_option_read(&row, request,
                          several ? "naive,opt-kg,opt-kg-multi,bbta:0,bbta:1"
                                  : "naive,opt-kg,bbta:0,bbta:1",
                          message);
}

int replay_world(command_request *request)
{
    static const question about = {
        .ask = og_task_replay_assignment, .watched = true, .finish = finish};
    og_message message = {""};
    const og_assignment_recording given = {.labels_file = request->labels_file,
                                           .gold_file = request->gold_file,
                                           .contexts_file = request->contexts_file,
                                           .data_file = request->data_file,
                                           .crowd = request->crowd,
                                           .fill = request->fill,
                                           .clusters = request->clusters,
                                           .budget = request->left_open ? -1 : request->budget,
                                           .at = request->at,
                                           .at_count = request->at_count};
    og_status status = read_assignment(request, &message);
    return status != OG_OK ? complain(status, &message) : answer_question(request, &about, &given);
}

og_status world_unasked(const command_request *request, og_message *message)
{
    const char *given = request->crowd != NULL           ? "--crowd"
                        : request->contexts_file != NULL ? "--contexts"
                        : request->data_file != NULL     ? "--data"
                        : request->clusters > 0          ? "--kmeans"
                                                         : NULL;
    return given == NULL ? OG_OK
                         : og_message_set(message, OG_BAD_INPUT,
                                          "%s is for --objective assignment with --gold", given);
}

static og_status read_at(void *options, const og_option_row *row, const char *text,
                         og_message *message)
{
    command_request *request = options;
    request->at_count = 0;
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        og_status status = og_option_whole(row, word, &point, message);
        if (status != OG_OK) {
            return status;
        }
        if (request->at_count == AT_MAX ||
            (request->at_count > 0 && point <= request->at[request->at_count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at takes at most %d budgets, each larger than the one before: "
                                  "'%.40s'",
                                  AT_MAX, word);
        }
        request->at = grow(request->at, (size_t)request->at_count + 1, sizeof *request->at);
        request->at[request->at_count++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

const og_option_row world_rows[] = {
    OG_OPTION(PATH, "contexts", "FILE", command_request, contexts_file,
              .help = "assignment: the context of each task, a table with the columns task and "
                      "context, any words (default: one context)"),
    OG_OPTION(INT32, "kmeans", "S", command_request, clusters,
              .help = "assignment: S contexts found in the numbers of --data", .least = 1,
              .most = 1000),
    OG_OPTION(PATH, "data", "FILE", command_request, data_file,
              .help = "assignment: a table with the column task and numbers about each"),
    OG_OPTION(TEXT, "crowd", "MODEL:K", command_request, crowd,
              .help = "assignment: instead of --labels, K workers drawn for each run: "
                      "spammer-hammer, one-coin or malicious"),
    OG_OPTION(CUSTOM, "at", "N,N,...", command_request, at,
              .help = "budgets at which accuracy is reported, ascending; the last is always -T "
                      "(default: fifths of it)",
              .most = OG_BUDGET_MAX, .read = read_at),
    OG_OPTION_LAST,
};
