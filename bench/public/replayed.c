/* The document of policies on recorded labels. */
#include "bench/public/replayed.h"

#include "dp/base/rows.h"

og_status og_asked_replay(og_asked *asked, const og_recorded_world *world, og_message *message)
{
    const og_recording *given = asked->given;
    og_replayed found = {.at = NULL};
    OG_TRY(og_replay_run(asked, world, &found, message));
    asked->runs = found.runs.runs;
    asked->document = og_replayed_describe(asked, world, &found);
    og_replayed_clear(&found);
    if (world->labels != NULL && given->labels_file != NULL) {
        og_labels_warning(world->labels, given->labels_file, &asked->warning);
        og_rows_note(&asked->warning, given->gold_file, world->gold_count.trimmed);
    }
    return OG_OK;
}
