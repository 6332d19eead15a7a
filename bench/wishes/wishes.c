/* What the options of a question say: its begin and end, and the inputs that it makes. */
#include "bench/wishes/wishes.h"

#include <stdlib.h>
#include <string.h>

#include "dp/engine/settings.h"

void og_wishes_init(og_wishes *wishes)
{
    *wishes = (og_wishes){.budget = -1, .left = -1};
    wishes->ask.settings.reductions = OG_REDUCE_ALL;
    wishes->ask.settings.tables = &wishes->tables;
    wishes->ask.ties = wishes->ties;
}

void og_wishes_clear(og_wishes *wishes)
{
    free(wishes->policies);
    free(wishes->against);
    free(wishes->at);
    free(wishes->sources);
    *wishes = (og_wishes){.budget = -1};
}

static void set_policies(const og_wishes *wishes, og_policy_name *policies, int32_t count)
{
    for (int32_t i = 0; wishes->answer_seconds > 0 && i < count; i++) {
        policies[i].answer_seconds = wishes->answer_seconds;
        policies[i].tie_relative = wishes->ask.tie_tolerance;
    }
}

void og_wishes_set_policies(og_wishes *wishes)
{
    set_policies(wishes, wishes->policies, wishes->policy_count);
    set_policies(wishes, wishes->against, wishes->against_count);
}

const og_batch *og_wishes_next(og_wishes *wishes)
{
    og_batch *given = &wishes->batch;
    given->budget = wishes->budget;
    given->stakes = wishes->stakes;
    given->sources = wishes->sources;
    given->source_count = wishes->source_count;
    return given;
}

og_status og_wishes_find(og_wishes *wishes, const og_search **out)
{
    size_t count = (size_t)(wishes->policy_count + wishes->against_count);
    og_policy_name *all = realloc(wishes->policies, (count + 1) * sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    wishes->policies = all;
    for (int32_t i = 0; i < wishes->against_count; i++) {
        all[wishes->policy_count++] = wishes->against[i];
    }
    wishes->against_count = 0;
    wishes->search.stakes = wishes->stakes;
    *out = &wishes->search;
    return OG_OK;
}

const og_replay_input *og_wishes_replay(og_wishes *wishes)
{
    og_recording *recording = &wishes->replay.recording;
    recording->problem = wishes->objective;
    recording->at = wishes->at;
    recording->at_count = wishes->at_count;
    recording->stakes = wishes->stakes;
    wishes->replay.workers = og_replay_has_people(&wishes->replay);
    return &wishes->replay;
}

bool og_replay_has_people(const og_replay_input *given)
{
    const og_recording *recording = &given->recording;
    return recording->labels_file != NULL && recording->pairs_file == NULL &&
           (recording->workers_prior != NULL || given->worker_priors_file != NULL);
}

bool og_replay_is_delayed(const og_replay_input *given)
{
    return given->recording.labels_file != NULL && given->delay.arrival_rate.num > 0;
}

og_status og_wishes_check_replay(const og_wishes *wishes, og_message *message)
{
    const og_replay_input *given = &wishes->replay;
    const og_recording *recording = &given->recording;
    bool labels = recording->labels_file != NULL || recording->count > 0;
    bool rate = given->delay.service_rate.num > 0;
    if (strcmp(wishes->objective, "assignment") == 0) {
        return OG_OK;
    }
    if (labels == (recording->pairs_file != NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              labels ? "--labels and --pairs cannot be combined; give one"
                                     : "--labels FILE is missing: the recorded labels, columns "
                                       "task, worker, label; or --pairs FILE, comparisons");
    }
    if (strcmp(wishes->objective, "labelers") == 0 || og_replay_has_people(given) ||
        !og_replay_is_delayed(given) || (rate && given->arrivals > 0)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT, "--arrival-rate requires --%s; give both",
                          rate ? "arrivals U, the number of workers that arrive"
                               : "service-rate R, the labels per unit of time of a busy worker");
}
