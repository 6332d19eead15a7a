/* The report and the document of policies on recorded labels. */
#include "bench/public/replayed.h"

#include "dp/base/rows.h"

static og_report_policy played(og_asked *asked, const og_replayed *found,
                               const og_simulate_row *row)
{
    og_report_policy out = og_report_row(asked, row->policy, row->ties, row->status, &row->message);
    if (row->status == OG_OK) {
        int32_t count = found->at_count, last = count - 1;
        int32_t value = found->scored ? 3 * count + last : last;
        og_report_estimate(&out, &row->metric[value], &row->difference[value]);
        out.accuracy = row->metric[last].mean;
    }
    return out;
}

void og_asked_report_played(og_asked *asked, const og_replayed *found)
{
    og_report *report = &asked->box->report;
    og_report_policy *row = og_report_rows(asked->box, found->runs.row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        row[i] = played(asked, found, &found->runs.rows[i]);
    }
    report->runs = found->runs.runs;
    report->seconds = found->runs.seconds;
}

og_status og_asked_replay(og_asked *asked, const og_recorded_world *world, og_message *message)
{
    const og_recording *given = asked->given;
    og_replayed found = {.at = NULL};
    OG_TRY(og_replay_run(asked, world, &found, message));
    og_asked_report_played(asked, &found);
    asked->box->document = og_replayed_describe(asked, world, &found);
    og_replayed_clear(&found);
    if (world->labels != NULL && given->labels_file != NULL) {
        og_labels_warning(world->labels, given->labels_file, &asked->warning);
        og_rows_note(&asked->warning, given->gold_file, world->gold_count.trimmed);
    }
    return OG_OK;
}
