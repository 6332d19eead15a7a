/* A study over a grid, into its database. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/asked.h"
#include "bench/study/merge.h"
#include "bench/study/study_db.h"
#include "bench/study/sweep.h"

/* Check the names, because a misspelt one would have no effect. */
static og_status check_recompute(const og_grid *grid, const og_study *study, og_message *message)
{
    for (int32_t i = 0; i < grid->recompute_count; i++) {
        bool known = false;
        for (int32_t j = 0; j < study->policy_count; j++) {
            known = known || strcmp(study->policies[j].name, grid->recompute[i]) == 0;
        }
        if (!known) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--recompute supports only the study's policies, not '%.200s'",
                                  grid->recompute[i]);
        }
    }
    return OG_OK;
}

/* Set the keys given one by one, then missing ones from the file, then from the defaults. */
static og_status read_study(const og_grid *grid, og_study *study, og_message *message)
{
    for (int32_t i = 0; i < grid->count; i++) {
        OG_TRY(og_study_set(study, grid->key[i], grid->text[i], message));
    }
    if (grid->file != NULL) {
        OG_TRY(og_study_read(grid->file, study, message));
    }
    OG_TRY(og_study_complete(study, message));
    return check_recompute(grid, study, message);
}

static bool wait_for_database(void *user, double seconds)
{
    char words[160];
    snprintf(words, sizeof words, "waiting for another process that uses the database, %.0f s",
             seconds);
    og_stop_tell(user, words, 0);
    return og_stop_look(user) == OG_LIMIT_NONE;
}

static og_document *describe(const og_grid *grid, const og_study *study,
                             const og_sweep_result *done)
{
    og_document *document = og_document_new();
    og_put_text(document, "study", grid->database);
    og_put_whole(document, "cells", (uint64_t)done->cells);
    og_put_whole(document, "found", (uint64_t)done->found);
    og_put_whole(document, "changed", (uint64_t)done->changed);
    og_put_whole(document, "finished", (uint64_t)done->finished);
    og_put_whole(document, "limited", (uint64_t)done->limited);
    og_put_bool(document, "interrupted", done->interrupted);
    og_show_field(document, "Study", "%s", grid->database);
    og_show_field(document, "Cells", "%" PRId64, done->cells);
    if (done->found > 0) {
        og_show_field(document, "Stored before", "%" PRId64, done->found);
    }
    if (done->changed > 0) {
        og_show_field(document, "Other files",
                      "%" PRId64 " (a policy's file has changed since they were stored)",
                      done->changed);
    }
    og_show_field(document, "Computed now", "%" PRId64, done->finished);
    if (done->limited > 0) {
        og_show_field(document, "With a limit", "%" PRId64, done->limited);
    }
    if (study->left_out[0] != '\0') {
        og_put_text(document, "left_out", study->left_out);
        og_show_field(document, "Left out", "%s (no exact value; --runs N simulates them)",
                      study->left_out);
    }
    return document;
}

/* Report what differs from the request. */
static void report_limits(og_asked *asked, const og_sweep_result *done)
{
    int64_t stored = done->found + done->finished;
    og_report *report = &asked->box->report;
    if (done->interrupted) {
        report->optimal_status = OG_STOPPED;
        og_message_set(&asked->warning, OG_OK,
                       "%" PRId64 " of %" PRId64 " cells are stored; the same command continues",
                       stored, done->cells);
    } else if (done->limited > 0) {
        report->optimal_status = OG_STOPPED;
        og_message_set(&asked->warning, OG_OK,
                       "a limit was reached in %" PRId64 " of %" PRId64
                       " cells, which hold proved brackets; --retry computes them again, with more "
                       "--time-limit, --memory or --max-policy-states",
                       done->limited, done->cells);
    }
}

static og_status fill_study(og_asked *asked, const og_study *study, og_study_db *db,
                            og_message *message)
{
    og_sweep_result done = {0};
    OG_TRY(og_sweep_run(asked, study, db, &done, message));
    report_limits(asked, &done);
    asked->box->document = describe(asked->given, study, &done);
    return OG_OK;
}

/* ---- merging another study ---- */

static void report_merged(og_asked *asked, const og_merged *merged)
{
    const og_grid *grid = asked->given;
    og_document *document = og_document_new();
    og_put_text(document, "study", grid->database);
    og_put_text(document, "merged", grid->merge);
    og_put_whole(document, "cells", (uint64_t)merged->cells);
    og_put_whole(document, "added", (uint64_t)merged->added);
    og_put_whole(document, "limited", (uint64_t)merged->limited);
    og_put_bool(document, "interrupted", merged->ended);
    og_show_field(document, "Study", "%s", grid->database);
    og_show_field(document, "Merged", "%s", grid->merge);
    og_show_field(document, "Cells", "%" PRId64 ", %" PRId64 " of them new", merged->cells,
                  merged->added);
    if (merged->limited > 0) {
        og_show_field(document, "With a limit", "%" PRId64, merged->limited);
    }
    asked->box->document = document;
    if (merged->ended) {
        asked->box->report.optimal_status = OG_STOPPED;
        og_message_set(&asked->warning, OG_OK,
                       "%" PRId64 " cells of %.200s are stored; the same command continues",
                       merged->cells, grid->merge);
    }
}

static og_status merge(og_asked *asked, og_message *message)
{
    const og_grid *grid = asked->given;
    const og_study_wait wait = {.call = wait_for_database, .user = &asked->stop};
    og_study_db *db = NULL;
    og_merged merged = {0};
    if (grid->count > 0 || grid->file != NULL || grid->parts > 0 || grid->recompute_count > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--merge does not support a grid, --part and --recompute; omit them");
    }
    OG_TRY(og_study_check(grid->merge, &wait, message));
    OG_TRY(og_study_db_open(grid->database, true, &wait, &db, message));
    og_status status = og_study_merge(db, grid->merge, &wait, &asked->stop, &merged, message);
    og_study_db_close(db);
    if (status == OG_OK) {
        report_merged(asked, &merged);
    }
    return status;
}

static og_status answer(og_asked *asked, og_message *message)
{
    const og_grid *grid = asked->given;
    og_study study = {0};
    og_study_db *db = NULL;
    if (grid->merge != NULL) {
        if (og_world_is_shared(asked->request.settings.world)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "several ranks do not support --merge; omit it or mpirun");
        }
        return merge(asked, message);
    }
    if (grid->parts < 0 || (grid->parts > 0 && (grid->part < 1 || grid->part > grid->parts))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--part must be from 1 to the number of parts, not %" PRId32
                              " of %" PRId32,
                              grid->part, grid->parts);
    }
    og_status status = read_study(grid, &study, message);
    const og_world *world = asked->request.settings.world;
    if (status == OG_OK && !(og_world_is_shared(world) && world->rank > 0)) {
        og_stop_tell(&asked->stop, "study", 0);
        const og_study_wait wait = {.call = wait_for_database, .user = &asked->stop};
        status = og_study_db_open(grid->database, true, &wait, &db, message);
    }
    OG_THEN(status, fill_study(asked, &study, db, message));
    og_study_db_close(db);
    og_study_clear(&study);
    return status;
}

const og_question_kind og_question_sweep = {.answer = answer};
