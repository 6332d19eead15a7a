/*
 * Reads cells from one study and stores them in another. Invariant: a cell is stored whole, in one
 * transaction, under the run that computed it.
 */
#include "bench/study/merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/arena.h"

enum { STAGE_BYTES = 160 };

/* The columns of a cell, and of a policy in it, in the order of reading. */
enum {
    C_ID,
    C_RUN,
    C_COMMAND,
    C_PROGRAM,
    C_COMMIT,
    C_PRIOR,
    C_INSTANCES,
    C_BUDGET,
    C_RUNS,
    C_SEED,
    C_TRUTH,
    C_STATUS,
    C_REASON,
    C_CALL,
    C_VALUE,
    C_GAIN,
    C_ERROR,
    C_STATES,
    C_LOWER,
    C_UPPER,
    C_SCALAR,
    C_VECTOR,
    C_PREVAILING,
    C_SECONDS,
    C_THREADS,
    C_MEMORY
};
enum {
    P_POLICY,
    P_TIES,
    P_STATUS,
    P_REASON,
    P_VALUE,
    P_GAIN,
    P_ERROR,
    P_LOW,
    P_HIGH,
    P_SPREAD,
    P_CORRECT,
    P_CORRECT_LOW,
    P_CORRECT_HIGH,
    P_TOLERANCE,
    P_STATES,
    P_SECONDS,
    P_HASH
};

static const char cells_sql[] =
    "SELECT cell.id, run.id, run.command, cell.program, cell.commit_id, current_prior(prior), "
    "instances, budget,"
    " runs, seed, truth, status, reason, call_value, value, gain, error, states, lower, upper,"
    " lagrangian_scalar, lagrangian_vector, prevailing_charge, seconds, threads, memory_bytes"
    " FROM cell JOIN run ON run.id = cell.run ORDER BY run.id, cell.id";

static const char policies_sql[] =
    "SELECT policy, ties, status, reason, value, gain, error, low, high, standard_error, correct,"
    " correct_low, correct_high, tolerance_ties, states, seconds, file_hash FROM policy"
    " WHERE cell = ?1 ORDER BY policy, ties";

static const char spent_sql[] = "SELECT instance, soft, labels, wrong FROM spent"
                                " WHERE cell = ?1 AND policy = ?2 AND ties = ?3";

/* For a study older than the column. */
static const char old_spent_sql[] = "SELECT instance, soft, labels, NULL FROM spent"
                                    " WHERE cell = ?1 AND policy = ?2 AND ties = ?3";

typedef struct {
    og_study_db *into, *from;
    const char *path; /* of `from` */
    og_stop *stop;
    og_message *message;
    og_arena arena; /* for the current cell */
    int64_t run;    /* run of the current cell in this study */
    int64_t run_of; /* its run in the other study; -1: none yet */
    bool old;       /* the other study has no column for wrong calls */
    og_merged out;
} merging;

static og_status reading_failed(const merging *m)
{
    sqlite3 *handle = og_study_db_handle(m->from);
    return sqlite3_errcode(handle) == SQLITE_NOMEM
               ? OG_NO_MEMORY
               : og_message_set(m->message, OG_FAILED, "the study %.200s cannot be read: %s",
                                m->path, sqlite3_errmsg(handle));
}

static og_status prepare(const merging *m, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(og_study_db_handle(m->from), sql, -1, out, NULL) == SQLITE_OK
               ? OG_OK
               : reading_failed(m);
}

/* ---- values ---- */

static double real_at(sqlite3_stmt *at, int column)
{
    return sqlite3_column_type(at, column) == SQLITE_NULL ? NAN : sqlite3_column_double(at, column);
}

/* Copy a text into the cell's arena, so that it outlives the row. */
static const char *text_at(merging *m, sqlite3_stmt *at, int column)
{
    const char *text = (const char *)sqlite3_column_text(at, column);
    text = text != NULL ? text : "";
    return og_arena_copy(&m->arena, text, strlen(text) + 1, 1);
}

static void reason_at(sqlite3_stmt *at, int column, char reason[160])
{
    const char *text = (const char *)sqlite3_column_text(at, column);
    snprintf(reason, 160, "%s", text != NULL ? text : "");
}

static bool says(sqlite3_stmt *at, int column, const char *word)
{
    const char *text = (const char *)sqlite3_column_text(at, column);
    return text != NULL && strcmp(text, word) == 0;
}

static og_ties ties_at(sqlite3_stmt *at, int column)
{
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        if (says(at, column, og_ties_name((og_ties)ties))) {
            return (og_ties)ties;
        }
    }
    return (og_ties)OG_TIES_COUNT;
}

/* ---- a cell ---- */

static og_status read_spent(merging *m, int64_t id, int64_t instances, og_cell_row *row,
                            double *soft)
{
    sqlite3_stmt *at = NULL;
    double *spent = og_arena_array(&m->arena, (size_t)instances, sizeof *spent);
    double *wrong = og_arena_array(&m->arena, (size_t)instances, sizeof *wrong);
    int code;
    OG_TRY(og_arena_status(&m->arena));
    OG_TRY(prepare(m, m->old ? old_spent_sql : spent_sql, &at));
    sqlite3_bind_int64(at, 1, id);
    sqlite3_bind_text(at, 2, row->policy, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(at, 3, og_ties_name(row->ties), -1, SQLITE_STATIC);
    while ((code = sqlite3_step(at)) == SQLITE_ROW) {
        int64_t instance = sqlite3_column_int64(at, 0);
        if (instance >= 0 && instance < instances) {
            soft[instance] = sqlite3_column_double(at, 1);
            spent[instance] = sqlite3_column_double(at, 2);
            wrong[instance] = real_at(at, 3);
            row->spent = spent;
            row->wrong = wrong;
        }
    }
    og_status status = code == SQLITE_DONE ? OG_OK : reading_failed(m);
    sqlite3_finalize(at);
    return status;
}

static og_status read_row(merging *m, sqlite3_stmt *at, og_cell_row *row)
{
    *row = (og_cell_row){.policy = text_at(m, at, P_POLICY),
                         .ties = ties_at(at, P_TIES),
                         .known = says(at, P_STATUS, "ok"),
                         .value = real_at(at, P_VALUE),
                         .gain = real_at(at, P_GAIN),
                         .error = real_at(at, P_ERROR),
                         .low = real_at(at, P_LOW),
                         .high = real_at(at, P_HIGH),
                         .standard_error = real_at(at, P_SPREAD),
                         .correct = real_at(at, P_CORRECT),
                         .correct_low = real_at(at, P_CORRECT_LOW),
                         .correct_high = real_at(at, P_CORRECT_HIGH),
                         .tolerance_ties = (uint64_t)sqlite3_column_int64(at, P_TOLERANCE),
                         .states = (uint64_t)sqlite3_column_int64(at, P_STATES),
                         .seconds = real_at(at, P_SECONDS),
                         .file_hash = (uint64_t)sqlite3_column_int64(at, P_HASH)};
    reason_at(at, P_REASON, row->reason);
    OG_TRY(og_arena_status(&m->arena));
    return (int)row->ties != OG_TIES_COUNT
               ? OG_OK
               : og_message_set(m->message, OG_BAD_INPUT,
                                "the study %.200s has tie rules that this version does not support",
                                m->path);
}

static og_status read_rows(merging *m, int64_t id, og_cell *cell)
{
    sqlite3_stmt *at = NULL;
    int code = SQLITE_DONE;
    int32_t room = 0;
    double *soft = og_arena_array(&m->arena, (size_t)cell->key.instances, sizeof *soft);
    cell->soft = soft;
    OG_TRY(og_arena_status(&m->arena));
    OG_TRY(prepare(m, policies_sql, &at));
    sqlite3_bind_int64(at, 1, id);
    og_status status = OG_OK;
    while (status == OG_OK && (code = sqlite3_step(at)) == SQLITE_ROW) {
        if (cell->row_count == room) {
            og_cell_row *rows =
                og_arena_array(&m->arena, (size_t)(2 * room + 8), sizeof *cell->rows);
            if (rows == NULL) {
                status = OG_NO_MEMORY;
                break;
            }
            if (room > 0) {
                memcpy(rows, cell->rows, (size_t)room * sizeof *rows);
            }
            cell->rows = rows;
            room = 2 * room + 8;
        }
        og_cell_row *row = &cell->rows[cell->row_count++];
        status = read_row(m, at, row);
        OG_THEN(status, read_spent(m, id, cell->key.instances, row, soft));
    }
    if (status == OG_OK && code != SQLITE_DONE) {
        status = reading_failed(m);
    }
    sqlite3_finalize(at);
    return status;
}

static og_status read_cell(merging *m, sqlite3_stmt *at, og_cell *cell)
{
    *cell = (og_cell){.key = {.prior = text_at(m, at, C_PRIOR),
                              .instances = sqlite3_column_int64(at, C_INSTANCES),
                              .budget = sqlite3_column_int64(at, C_BUDGET),
                              .runs = sqlite3_column_int64(at, C_RUNS),
                              .seed = (uint64_t)sqlite3_column_int64(at, C_SEED),
                              .truth = text_at(m, at, C_TRUTH)},
                      .status = says(at, C_STATUS, "ok")      ? OG_CELL_OK
                                : says(at, C_STATUS, "limit") ? OG_CELL_LIMIT
                                                              : OG_CELL_SIMULATED,
                      .call = real_at(at, C_CALL),
                      .value = real_at(at, C_VALUE),
                      .gain = real_at(at, C_GAIN),
                      .error = real_at(at, C_ERROR),
                      .states = (uint64_t)sqlite3_column_int64(at, C_STATES),
                      .lower = real_at(at, C_LOWER),
                      .upper = real_at(at, C_UPPER),
                      .scalar = real_at(at, C_SCALAR),
                      .vector = real_at(at, C_VECTOR),
                      .prevailing = real_at(at, C_PREVAILING),
                      .seconds = real_at(at, C_SECONDS),
                      .threads = sqlite3_column_int(at, C_THREADS),
                      .memory_bytes = (uint64_t)sqlite3_column_int64(at, C_MEMORY)};
    reason_at(at, C_REASON, cell->reason);
    OG_TRY(og_arena_status(&m->arena));
    if (cell->key.instances < 0 || cell->key.instances > INT32_MAX) {
        return og_message_set(m->message, OG_BAD_INPUT,
                              "the study %.200s is damaged: a cell has %lld instances", m->path,
                              (long long)cell->key.instances);
    }
    return read_rows(m, sqlite3_column_int64(at, C_ID), cell);
}

/* Find the same run, if it was merged before. */
static og_status find_run(const merging *m, const char *const words[3], int64_t *run)
{
    sqlite3_stmt *at = NULL;
    sqlite3 *handle = og_study_db_handle(m->into);
    int code = sqlite3_prepare_v2(handle,
                                  "SELECT coalesce(max(id), 0) FROM run WHERE command = ?1 AND"
                                  " program = ?2 AND commit_id = ?3",
                                  -1, &at, NULL);
    for (int i = 0; code == SQLITE_OK && i < 3; i++) {
        code = sqlite3_bind_text(at, i + 1, words[i], -1, SQLITE_STATIC);
    }
    code = code == SQLITE_OK ? sqlite3_step(at) : code;
    *run = code == SQLITE_ROW ? sqlite3_column_int64(at, 0) : 0;
    sqlite3_finalize(at);
    return code == SQLITE_ROW
               ? OG_OK
               : og_message_set(m->message, OG_FAILED, "the study cannot be read: %s",
                                sqlite3_errmsg(handle));
}

/* Store the run that computed the cell, once for all of its cells. */
static og_status begin_run(merging *m, sqlite3_stmt *at)
{
    int64_t run = sqlite3_column_int64(at, C_RUN);
    if (run == m->run_of) {
        return OG_OK;
    }
    const char *words[] = {text_at(m, at, C_COMMAND), text_at(m, at, C_PROGRAM),
                           text_at(m, at, C_COMMIT)};
    OG_TRY(og_arena_status(&m->arena));
    OG_TRY(find_run(m, words, &m->run));
    m->run_of = run;
    return m->run > 0
               ? OG_OK
               : og_study_db_begin(m->into, words[0], words[1], words[2], &m->run, m->message);
}

static og_status merge_cell(merging *m, sqlite3_stmt *at)
{
    og_cell cell;
    og_stored stored;
    OG_TRY(read_cell(m, at, &cell));
    OG_TRY(og_study_db_has(m->into, &cell.key, NULL, &stored, m->message));
    OG_TRY(begin_run(m, at));
    OG_TRY(og_study_db_put(m->into, m->run, &cell, m->message));
    m->out.cells++;
    m->out.added += stored == OG_STORED_NOT;
    m->out.limited += og_cell_is_limited(&cell);
    return OG_OK;
}

/* ---- all cells ---- */

static og_status count_cells(const merging *m, int64_t *cells)
{
    sqlite3_stmt *at = NULL;
    OG_TRY(prepare(m, "SELECT count(*) FROM cell", &at));
    og_status status = sqlite3_step(at) == SQLITE_ROW ? OG_OK : reading_failed(m);
    *cells = sqlite3_column_int64(at, 0);
    sqlite3_finalize(at);
    return status;
}

static og_status look_for_columns(merging *m)
{
    sqlite3_stmt *at = NULL;
    OG_TRY(prepare(m, "SELECT count(*) FROM pragma_table_info('spent') WHERE name = 'wrong'", &at));
    og_status status = sqlite3_step(at) == SQLITE_ROW ? OG_OK : reading_failed(m);
    m->old = sqlite3_column_int64(at, 0) == 0;
    sqlite3_finalize(at);
    return status;
}

static bool go_on(const merging *m, int64_t cells)
{
    char words[STAGE_BYTES];
    snprintf(words, sizeof words, "%" PRId64 " of %" PRId64 " cells", m->out.cells, cells);
    og_stop_tell(m->stop, words, (double)m->out.cells / (double)(cells > 0 ? cells : 1));
    return og_stop_look(m->stop) == OG_LIMIT_NONE;
}

static og_status merge_all(merging *m)
{
    sqlite3_stmt *at = NULL;
    int64_t cells = 0;
    int code = SQLITE_DONE;
    OG_TRY(count_cells(m, &cells));
    OG_TRY(look_for_columns(m));
    OG_TRY(prepare(m, cells_sql, &at));
    og_status status = OG_OK;
    while (status == OG_OK && (code = sqlite3_step(at)) == SQLITE_ROW) {
        if (!go_on(m, cells)) {
            m->out.ended = true;
            break;
        }
        status = merge_cell(m, at);
        og_arena_clear(&m->arena);
    }
    if (status == OG_OK && !m->out.ended && code != SQLITE_DONE) {
        status = reading_failed(m);
    }
    sqlite3_finalize(at);
    return status;
}

og_status og_study_check(const char *path, const og_study_wait *wait, og_message *message)
{
    og_study_db *db = NULL;
    og_status status = og_study_db_open(path, false, wait, &db, message);
    og_study_db_close(db);
    return status;
}

og_status og_study_merge(og_study_db *into, const char *path, const og_study_wait *wait,
                         og_stop *stop, og_merged *out, og_message *message)
{
    og_message own = {""};
    merging m = {.into = into,
                 .path = path,
                 .stop = stop,
                 .message = message != NULL ? message : &own,
                 .run_of = -1};
    OG_TRY(og_study_db_open(path, false, wait, &m.from, m.message));
    og_status status = merge_all(&m);
    og_study_db_close(m.from);
    if (status == OG_OK) {
        *out = m.out;
    }
    return status;
}
