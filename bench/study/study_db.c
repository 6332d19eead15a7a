/*
 * The database of studies. Every change is one transaction, so cells are always complete, however
 * the program ends. The version is read before anything is written.
 */
#include "bench/study/study_db.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/study/study_family.h"
#include "dp/base/clock.h"
#include "dp/base/file.h"

static const double busy_seconds = 60;

struct og_study_db {
    sqlite3 *handle;
    char *path;
    bool writing;
    og_study_wait wait;
    double waits_since; /* clock time of the start of waiting */
};

/* clang-format off */
#define RESULT_VIEW \
    "VIEW IF NOT EXISTS result AS" \
    " WITH joined AS (SELECT c.prior, c.instances, c.budget, c.runs, c.seed, c.truth," \
    "  c.status AS cell_status, c.reason AS cell_reason, c.call_value," \
    "  coalesce(c.value, e.value) AS optimal_value, coalesce(c.gain, e.gain) AS optimal_gain," \
    "  coalesce(c.error, e.error) AS optimal_error, c.accuracy, c.states AS optimal_states," \
    "  max(coalesce(c.lower, e.lower), coalesce(e.lower, c.lower)) AS lower," \
    "  min(coalesce(c.upper, e.upper), coalesce(e.upper, c.upper)) AS upper," \
    "  c.lagrangian_scalar, c.lagrangian_vector, c.prevailing_charge, c.seconds AS cell_seconds," \
    "  p.policy, p.ties, p.status, p.reason, p.value, p.gain, p.error, p.low, p.high," \
    "  p.standard_error, p.correct, p.correct_low, p.correct_high, p.tolerance_ties, p.states," \
    "  p.seconds, coalesce(p.program, c.program) AS program," \
    "  coalesce(p.commit_id, c.commit_id) AS commit_id, c.finished, c.run," \
    "  coalesce(c.gain, e.gain) - p.gain AS off," \
    "  coalesce(c.error, e.error) + coalesce(p.error, 0) AS off_error," \
    "  (p.high - p.low) / 2 AS half" \
    "  FROM cell c LEFT JOIN policy p ON p.cell = c.id" \
    "  LEFT JOIN cell e ON c.runs > 0 AND c.truth = 'prior' AND e.runs = 0 AND e.prior = c.prior" \
    "   AND e.instances = c.instances AND e.budget = c.budget)," \
    " gapped AS (SELECT *, CASE WHEN abs(off) <= off_error THEN 0.0 ELSE off END AS gap" \
    "  FROM joined)" \
    " SELECT prior, instances, budget, runs, seed, truth, policy, ties, status, reason," \
    "  value, gain, error, low, high, gap, max(0.0, off - half - optimal_error) AS gap_low," \
    "  max(0.0, off + half + optimal_error) AS gap_high," \
    "  100 * gap / optimal_value AS gap_percent," \
    "  CASE WHEN optimal_gain > 0 THEN 100 * gap / optimal_gain WHEN gap = 0 THEN 0.0 END" \
    "   AS gain_lost_percent," \
    "  CASE WHEN truth = 'prior' THEN max(0.0, upper - low) END AS gap_at_most," \
    "  standard_error, correct, correct_low, correct_high, tolerance_ties, states, seconds," \
    "  cell_status, cell_reason, call_value, optimal_value, optimal_gain, optimal_error, accuracy," \
    "  optimal_states, lower, upper, lagrangian_scalar, lagrangian_vector, prevailing_charge," \
    "  cell_seconds, program, commit_id, finished, run FROM gapped;\n"

static const char schema[] =
    "CREATE TABLE run ("
    " id INTEGER PRIMARY KEY, command TEXT NOT NULL, program TEXT NOT NULL,"
    " commit_id TEXT NOT NULL, started TEXT NOT NULL);\n"
    "CREATE TABLE cell ("
    " id INTEGER PRIMARY KEY, prior TEXT NOT NULL, instances INTEGER NOT NULL,"
    " budget INTEGER NOT NULL, runs INTEGER NOT NULL, seed INTEGER NOT NULL, truth TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK (status IN ('ok', 'limit', 'simulated')), reason TEXT,"
    " call_value REAL, value REAL, gain REAL, error REAL, accuracy TEXT NOT NULL,"
    " states INTEGER, lower REAL, upper REAL, lagrangian_scalar REAL, lagrangian_vector REAL,"
    " prevailing_charge REAL, seconds REAL NOT NULL, threads INTEGER NOT NULL,"
    " memory_bytes INTEGER NOT NULL, program TEXT NOT NULL, commit_id TEXT NOT NULL,"
    " finished TEXT NOT NULL, run INTEGER NOT NULL REFERENCES run (id),"
    " UNIQUE (prior, instances, budget, runs, seed, truth));\n"
    "CREATE TABLE policy ("
    " cell INTEGER NOT NULL REFERENCES cell (id), policy TEXT NOT NULL, ties TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK (status IN ('ok', 'limit')), reason TEXT,"
    " value REAL, gain REAL, error REAL, low REAL, high REAL, standard_error REAL,"
    " correct REAL, correct_low REAL, correct_high REAL, tolerance_ties INTEGER NOT NULL,"
    " states INTEGER, seconds REAL, program TEXT NOT NULL, commit_id TEXT NOT NULL,"
    " file_hash INTEGER, PRIMARY KEY (cell, policy, ties)) WITHOUT ROWID;\n"
    "CREATE TABLE spent ("
    " cell INTEGER NOT NULL REFERENCES cell (id), policy TEXT NOT NULL, ties TEXT NOT NULL,"
    " instance INTEGER NOT NULL, soft REAL NOT NULL, labels REAL NOT NULL, wrong REAL,"
    " PRIMARY KEY (cell, policy, ties, instance)) WITHOUT ROWID;\n"
    "CREATE " RESULT_VIEW;


static const char insert_cell[] =
    "INSERT INTO cell (prior, instances, budget, runs, seed, truth, status, reason, call_value,"
    " value, gain, error, accuracy, states, lower, upper, lagrangian_scalar, lagrangian_vector,"
    " prevailing_charge, seconds, threads, memory_bytes, run, program, commit_id, finished)"
    " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,"
    " ?20, ?21, ?22, id, program, commit_id, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
    " FROM run WHERE id = ?23"
    " ON CONFLICT (prior, instances, budget, runs, seed, truth) DO UPDATE SET"
    " status = excluded.status, reason = excluded.reason, value = excluded.value,"
    " gain = excluded.gain, error = excluded.error, states = excluded.states,"
    " lower = max(coalesce(lower, excluded.lower), coalesce(excluded.lower, lower)),"
    " upper = min(coalesce(upper, excluded.upper), coalesce(excluded.upper, upper)),"
    " lagrangian_scalar = coalesce(excluded.lagrangian_scalar, lagrangian_scalar),"
    " lagrangian_vector = coalesce(excluded.lagrangian_vector, lagrangian_vector),"
    " prevailing_charge = coalesce(excluded.prevailing_charge, prevailing_charge),"
    " seconds = excluded.seconds, threads = excluded.threads,"
    " memory_bytes = excluded.memory_bytes, run = excluded.run, program = excluded.program,"
    " commit_id = excluded.commit_id, finished = excluded.finished"
    " WHERE cell.status <> 'ok'";

static const char insert_policy[] =
    "INSERT INTO policy (cell, policy, ties, status, reason, value, gain, error, low, high,"
    " standard_error, correct, correct_low, correct_high, tolerance_ties, states, seconds, file_hash,"
    " program, commit_id)"
    " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
    " program, commit_id FROM run WHERE id = ?19"
    " ON CONFLICT (cell, policy, ties) DO UPDATE SET"
    " status = excluded.status, reason = excluded.reason, value = excluded.value,"
    " gain = excluded.gain, error = excluded.error, low = excluded.low, high = excluded.high,"
    " standard_error = excluded.standard_error, correct = excluded.correct,"
    " correct_low = excluded.correct_low, correct_high = excluded.correct_high,"
    " tolerance_ties = excluded.tolerance_ties, states = excluded.states,"
    " seconds = excluded.seconds, program = excluded.program, commit_id = excluded.commit_id,"
    " file_hash = excluded.file_hash WHERE policy.status <> 'ok'";

static const char insert_spent[] =
    "INSERT OR IGNORE INTO spent (cell, policy, ties, instance, soft, labels, wrong)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

static const char insert_run[] =
    "INSERT INTO run (command, program, commit_id, started)"
    " VALUES (?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";

static const char find_cell[] =
    "SELECT id, status, value, error, NULL FROM cell WHERE prior = ?1 AND instances = ?2"
    " AND budget = ?3 AND runs = ?4 AND seed = ?5 AND truth = ?6";

static const char find_policy[] =
    "SELECT status, value, error, file_hash FROM policy WHERE cell = ?1 AND policy = ?2 AND ties = ?3";

static const char drop_spent[] =
    "DELETE FROM spent WHERE cell = ?1 AND policy = ?2 AND ties = coalesce(?3, ties)";

static const char drop_policy[] =
    "DELETE FROM policy WHERE cell = ?1 AND policy = ?2 AND ties = coalesce(?3, ties)";
/* clang-format on */

static const char *const cell_words[] = {"ok", "limit", "simulated"};
static const char *const accuracy_words[] = {"double", "none", "simulated"};

/* -- Statements ------------------------------------------------------------------------------- */

static og_status database_failed(const og_study_db *db, og_message *message)
{
    int code = sqlite3_errcode(db->handle);
    if (code == SQLITE_NOMEM) {
        return OG_NO_MEMORY;
    }
    if (code == SQLITE_NOTADB) {
        return og_message_set(message, OG_BAD_INPUT, "%s is not a study database", db->path);
    }
    if (code == SQLITE_BUSY) {
        return og_message_set(message, OG_FAILED,
                              "the study %s is in use by another process, which keeps it locked",
                              db->path);
    }
    return og_message_set(message, OG_FAILED, "the study %s: %s", db->path,
                          sqlite3_errmsg(db->handle));
}

/* A statement with its parameters bound in order. */
typedef struct {
    sqlite3_stmt *at;
    int bound;
    bool failed;
} statement;

static statement prepare(og_study_db *db, const char *sql)
{
    statement made = {0};
    made.failed = sqlite3_prepare_v2(db->handle, sql, -1, &made.at, NULL) != SQLITE_OK;
    return made;
}

static void bind_text(statement *to, const char *text)
{
    int length = text != NULL ? (int)strlen(text) : 0;
    to->failed = to->failed || sqlite3_bind_text(to->at, ++to->bound, text, length,
                                                 SQLITE_TRANSIENT) != SQLITE_OK;
}

static void bind_whole(statement *to, int64_t value)
{
    to->failed = to->failed || sqlite3_bind_int64(to->at, ++to->bound, value) != SQLITE_OK;
}

/* Bind a number; numbers that are not finite become NULL. */
static void bind_real(statement *to, double value)
{
    ++to->bound;
    int code = isfinite(value) ? sqlite3_bind_double(to->at, to->bound, value)
                               : sqlite3_bind_null(to->at, to->bound);
    to->failed = to->failed || code != SQLITE_OK;
}

static void bind_hash(statement *to, uint64_t hash)
{
    if (hash != 0) {
        bind_whole(to, (int64_t)hash);
    } else {
        bind_text(to, NULL);
    }
}

static void bind_reals(statement *to, const double *value, int count)
{
    for (int i = 0; i < count; i++) {
        bind_real(to, value[i]);
    }
}

/* Returns SQLITE_ROW, SQLITE_DONE, or the error. */
static int step(statement *at)
{
    return at->failed ? SQLITE_ERROR : sqlite3_step(at->at);
}

/* Execute a statement without rows and free it. */
static og_status finish(og_study_db *db, statement *at, og_message *message)
{
    og_status status = step(at) == SQLITE_DONE ? OG_OK : database_failed(db, message);
    sqlite3_finalize(at->at);
    return status;
}

static og_status execute(og_study_db *db, const char *sql, og_message *message)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? OG_OK
               : database_failed(db, message);
}

static og_status read_number(og_study_db *db, const char *sql, int64_t *out, og_message *message)
{
    statement at = prepare(db, sql);
    og_status status = OG_OK;
    if (step(&at) == SQLITE_ROW) {
        *out = sqlite3_column_int64(at.at, 0);
    } else {
        status = database_failed(db, message);
    }
    sqlite3_finalize(at.at);
    return status;
}

/* Commit or roll back the transaction. */
static og_status conclude(og_study_db *db, og_status status, og_message *message)
{
    OG_THEN(status, execute(db, "COMMIT", message));
    if (status != OG_OK && sqlite3_get_autocommit(db->handle) == 0) {
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    }
    return status;
}

/* -- Opening ---------------------------------------------------------------------------------- */

typedef struct {
    int64_t id, version, tables;
} stamp;

static og_status read_stamp(og_study_db *db, stamp *out, og_message *message)
{
    OG_TRY(read_number(db, "SELECT count(*) FROM sqlite_master", &out->tables, message));
    OG_TRY(read_number(db, "PRAGMA application_id", &out->id, message));
    return read_number(db, "PRAGMA user_version", &out->version, message);
}

static bool is_empty(const stamp *found)
{
    return found->id == 0 && found->version == 0 && found->tables == 0;
}

static og_status create(og_study_db *db, og_message *message)
{
    char pragmas[96];
    stamp found = {0};
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             OG_STUDY_DB_ID, OG_STUDY_DB_VERSION);
    og_status status = execute(db, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE", message);
    OG_TRY(status);
    status = read_stamp(db, &found, message);
    if (status == OG_OK && is_empty(&found)) { /* no other program created it meanwhile */
        status = execute(db, schema, message);
        OG_THEN(status, execute(db, pragmas, message));
    }
    return conclude(db, status, message);
}

static og_status check_version(const og_study_db *db, const stamp *found, og_message *message)
{
    if (found->id != OG_STUDY_DB_ID) {
        return og_message_set(message, OG_BAD_INPUT, "%s is not a study database", db->path);
    }
    if (found->version != OG_STUDY_DB_VERSION) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the study %s has version %" PRId64
                              "; this program reads version %d and leaves it as it is",
                              db->path, found->version, (int)OG_STUDY_DB_VERSION);
    }
    return OG_OK;
}

/* Check the tables and views, which another program may have removed. A missing view is created, in
 * a temporary schema if the study is only read; without a table it is not a study. */
static og_status check_tables(og_study_db *db, bool write, og_message *message)
{
    int64_t tables = 0, views = 0;
    OG_TRY(read_number(db,
                       "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
                       " AND name IN ('run', 'cell', 'policy', 'spent')",
                       &tables, message));
    if (tables != 4) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the study %s is damaged: one of its tables is missing", db->path);
    }
    OG_TRY(read_number(db,
                       "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = 'result'",
                       &views, message));
    return views > 0
               ? OG_OK
               : execute(db, write ? "CREATE " RESULT_VIEW : "CREATE TEMP " RESULT_VIEW, message);
}

static og_status add_column(og_study_db *db, const char *look, const char *add, og_message *message)
{
    int64_t there = 0;
    OG_TRY(read_number(db, look, &there, message));
    if (there > 0) {
        return OG_OK;
    }
    OG_TRY(execute(db, "BEGIN IMMEDIATE", message));
    og_status status = read_number(db, look, &there, message);
    if (status == OG_OK && there == 0) { /* no other program created it meanwhile */
        status = execute(db, add, message);
    }
    return conclude(db, status, message);
}

/* Add the columns that older studies lack: the hash of a policy's files, and wrong calls. */
static og_status add_columns(og_study_db *db, og_message *message)
{
    OG_TRY(add_column(db,
                      "SELECT count(*) FROM pragma_table_info('policy') WHERE name = 'file_hash'",
                      "ALTER TABLE policy ADD COLUMN file_hash INTEGER", message));
    return add_column(db, "SELECT count(*) FROM pragma_table_info('spent') WHERE name = 'wrong'",
                      "ALTER TABLE spent ADD COLUMN wrong REAL", message);
}

/* ---- priors that were stored with earlier names of options ---- */

/* The SQL function current_prior(prior). */
static void current_prior(sqlite3_context *context, int count, sqlite3_value **value)
{
    enum { PRIOR_BYTES = 16384 };
    char text[PRIOR_BYTES];
    og_message ignored = {""};
    const char *prior = (const char *)sqlite3_value_text(value[count - 1]);
    if (prior != NULL && og_study_family_format(prior, text, sizeof text, &ignored) == OG_OK) {
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_result_value(context, value[count - 1]);
    }
}

static og_status add_function(og_study_db *db, og_message *message)
{
    return sqlite3_create_function(db->handle, "current_prior", 1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, current_prior, NULL,
                                   NULL) == SQLITE_OK
               ? OG_OK
               : database_failed(db, message);
}

/* Name the options of stored priors as they are named now. If the study also has the cell under
 * the new name, the old one remains. */
static og_status rename_priors(og_study_db *db, og_message *message)
{
    int64_t count = 0;
    OG_TRY(read_number(db,
                       "SELECT count(*) FROM (SELECT DISTINCT prior FROM cell WHERE prior LIKE"
                       " '%--%') WHERE prior <> current_prior(prior)",
                       &count, message));
    return count == 0 ? OG_OK
                      : execute(db,
                                "UPDATE OR IGNORE cell SET prior = current_prior(prior)"
                                " WHERE prior LIKE '%--%' AND prior <> current_prior(prior)",
                                message);
}

/* Another process has locked the database: try again, or give up (0). */
static int wait_a_little(void *user, int times)
{
    const struct timespec nap = {0, 50000000};
    og_study_db *db = user;
    if (times == 0) {
        db->waits_since = og_seconds();
    }
    double seconds = og_seconds() - db->waits_since;
    if (seconds > busy_seconds ||
        (db->wait.call != NULL && !db->wait.call(db->wait.user, seconds))) {
        return 0;
    }
    nanosleep(&nap, NULL);
    return 1;
}

static og_status make_ready(og_study_db *db, bool write, og_message *message)
{
    stamp found = {0};
    sqlite3_busy_handler(db->handle, wait_a_little, db);
    OG_TRY(read_stamp(db, &found, message));
    if (write && is_empty(&found)) {
        OG_TRY(create(db, message));
        OG_TRY(read_stamp(db, &found, message));
    }
    OG_TRY(check_version(db, &found, message));
    OG_TRY(check_tables(db, write, message));
    OG_TRY(add_function(db, message));
    if (!write) {
        return OG_OK;
    }
    OG_TRY(execute(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", message));
    OG_TRY(add_columns(db, message));
    return rename_priors(db, message);
}

/* Refuse names that SQLite does not treat as files, or changes. */
static og_status check_path(const char *path, og_message *message)
{
    size_t length = strlen(path);
    const char *reason = "";
    if (length == 0 || path[length - 1] == '/' || strcmp(path, ":memory:") == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%s' cannot be the file of a study; give another name", path);
    }
    return og_file_check_regular(path, &reason) == OG_OK
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "the study %s cannot be opened: %s", path,
                                reason);
}

/* Open the file of this name. SQLite may be built to interpret names as URIs, but not if the name
 * begins with a folder. */
static int open_file(const char *path, int flags, sqlite3 **out)
{
    const char *folder = path[0] == '/' ? "" : "./";
    size_t size = strlen(folder) + strlen(path) + 1;
    char *name = malloc(size);
    if (name == NULL) {
        return SQLITE_NOMEM;
    }
    snprintf(name, size, "%s%s", folder, path);
    int code = sqlite3_open_v2(name, out, flags, NULL);
    free(name);
    return code;
}

og_status og_study_db_open(const char *path, bool write, const og_study_wait *wait,
                           og_study_db **out, og_message *message)
{
    OG_TRY(check_path(path, message));
    og_study_db *db = calloc(1, sizeof *db);
    char *copy = strdup(path);
    if (db == NULL || copy == NULL) {
        free(db);
        free(copy);
        return OG_NO_MEMORY;
    }
    db->path = copy;
    db->wait = wait != NULL ? *wait : (og_study_wait){.call = NULL};
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    og_status status = OG_OK;
    int code = open_file(path, flags, &db->handle);
    if (code != SQLITE_OK) {
        status = code == SQLITE_NOMEM ? OG_NO_MEMORY
                                      : og_message_set(message, write ? OG_FAILED : OG_BAD_INPUT,
                                                       "the study %s cannot be opened: %s", path,
                                                       sqlite3_errmsg(db->handle));
    } else {
        status = make_ready(db, write, message);
    }
    if (status != OG_OK) {
        og_study_db_close(db);
        return status;
    }
    db->writing = write;
    *out = db;
    return OG_OK;
}

sqlite3 *og_study_db_handle(og_study_db *db)
{
    return db->handle;
}

void og_study_db_close(og_study_db *db)
{
    if (db != NULL) {
        if (db->writing) {
            /* Remove the log, so that the study is one file, which can be read on read-only disks.
             * While other processes use the database the log stays; the last of them removes it. */
            sqlite3_busy_timeout(db->handle, 0);
            sqlite3_exec(db->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        }
        sqlite3_close_v2(db->handle);
        free(db->path);
        free(db);
    }
}

/* -- Reading and storing ---------------------------------------------------------------------- */

static void bind_key(statement *to, const og_cell_key *key)
{
    bind_text(to, key->prior);
    bind_whole(to, key->instances);
    bind_whole(to, key->budget);
    bind_whole(to, key->runs);
    bind_whole(to, key->runs > 0 ? (int64_t)key->seed : 0);
    bind_text(to, key->truth);
}

/* The entry stored under a key. */
typedef struct {
    og_stored stored;
    int64_t id;
    double value; /* NAN: none */
    double error;
    uint64_t file_hash; /* 0: unknown */
} entry;

static double column_real(const statement *at, int column)
{
    bool none = sqlite3_column_type(at->at, column) == SQLITE_NULL;
    return none ? NAN : sqlite3_column_double(at->at, column);
}

static og_status look_up(og_study_db *db, statement *at, int first, entry *out, og_message *message)
{
    int code = step(at);
    og_status status = OG_OK;
    *out = (entry){.stored = OG_STORED_NOT};
    if (code == SQLITE_ROW) {
        const char *word = (const char *)sqlite3_column_text(at->at, first);
        bool limit = word != NULL && strcmp(word, "limit") == 0;
        out->stored = limit ? OG_STORED_LIMIT : OG_STORED_OK;
        out->id = first > 0 ? sqlite3_column_int64(at->at, 0) : 0;
        out->value = column_real(at, first + 1);
        out->error = column_real(at, first + 2);
        out->file_hash = (uint64_t)sqlite3_column_int64(at->at, first + 3);
    } else if (code != SQLITE_DONE) {
        status = database_failed(db, message);
    }
    sqlite3_finalize(at->at);
    return status;
}

static og_status look_up_cell(og_study_db *db, const og_cell_key *key, entry *out,
                              og_message *message)
{
    statement at = prepare(db, find_cell);
    bind_key(&at, key);
    return look_up(db, &at, 1, out, message);
}

static og_status look_up_policy(og_study_db *db, int64_t cell, const char *policy, og_ties ties,
                                entry *out, og_message *message)
{
    statement at = prepare(db, find_policy);
    bind_whole(&at, cell);
    bind_text(&at, policy);
    bind_text(&at, og_ties_name(ties));
    return look_up(db, &at, 0, out, message);
}

/* True if computed with other files for certain. */
static bool is_other(const entry *stored, uint64_t file_hash)
{
    return stored->file_hash != 0 && file_hash != 0 && stored->file_hash != file_hash;
}

og_status og_study_db_has(og_study_db *db, const og_cell_key *key, const og_cell_row *row,
                          og_stored *out, og_message *message)
{
    entry found = {0};
    OG_TRY(look_up_cell(db, key, &found, message));
    if (row != NULL && found.stored != OG_STORED_NOT) {
        OG_TRY(look_up_policy(db, found.id, row->policy, row->ties, &found, message));
    }
    *out = row != NULL && is_other(&found, row->file_hash) ? OG_STORED_OTHER : found.stored;
    return OG_OK;
}

/* Delete the rows of one tie rule; NULL: of all. */
static og_status drop_rows(og_study_db *db, int64_t cell, const char *policy, const char *ties,
                           og_message *message)
{
    static const char *const from[] = {drop_spent, drop_policy};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        statement at = prepare(db, from[i]);
        bind_whole(&at, cell);
        bind_text(&at, policy);
        bind_text(&at, ties);
        OG_TRY(finish(db, &at, message));
    }
    return OG_OK;
}

og_status og_study_db_forget(og_study_db *db, const char *policy,
                             bool (*next)(void *user, og_cell_key *out), void *user,
                             og_message *message)
{
    og_cell_key key;
    og_status status = execute(db, "BEGIN IMMEDIATE", message);
    while (status == OG_OK && next(user, &key)) {
        entry found = {0};
        status = look_up_cell(db, &key, &found, message);
        if (status == OG_OK && found.stored != OG_STORED_NOT) {
            status = drop_rows(db, found.id, policy, NULL, message);
        }
    }
    return conclude(db, status, message);
}

og_status og_study_db_begin(og_study_db *db, const char *command, const char *program,
                            const char *commit, int64_t *run, og_message *message)
{
    statement at = prepare(db, insert_run);
    bind_text(&at, command);
    bind_text(&at, program);
    bind_text(&at, commit);
    OG_TRY(finish(db, &at, message));
    *run = sqlite3_last_insert_rowid(db->handle);
    return OG_OK;
}

/* Check that two values of the same quantity agree within their proved errors; simulated values
 * have none. */
static og_status check_same(const og_study_db *db, const entry *stored, double value, double error,
                            const char *what, og_message *message)
{
    double off = fabs(stored->value - value); /* NAN if one is missing */
    if (stored->stored == OG_STORED_OK && off > stored->error + error) {
        return og_message_set(message, OG_FAILED,
                              "the study %s holds %.17g as the value of %s, and now it is %.17g: "
                              "one of them is wrong, please report this",
                              db->path, stored->value, what, value);
    }
    return OG_OK;
}

static og_status put_cell(og_study_db *db, int64_t run, const og_cell *cell, og_message *message)
{
    statement at = prepare(db, insert_cell);
    bind_key(&at, &cell->key);
    bind_text(&at, cell_words[cell->status]);
    bind_text(&at, cell->status == OG_CELL_LIMIT ? cell->reason : NULL);
    bind_reals(&at, (double[]){cell->call, cell->value, cell->gain, cell->error}, 4);
    bind_text(&at, accuracy_words[cell->status]);
    bind_whole(&at, (int64_t)cell->states);
    bind_reals(&at,
               (double[]){cell->lower, cell->upper, cell->scalar, cell->vector, cell->prevailing,
                          cell->seconds},
               6);
    bind_whole(&at, cell->threads);
    bind_whole(&at, (int64_t)cell->memory_bytes);
    bind_whole(&at, run);
    return finish(db, &at, message);
}

static og_status put_spent(og_study_db *db, int64_t id, const og_cell *cell, const og_cell_row *row,
                           og_message *message)
{
    for (int64_t i = 0; row->spent != NULL && i < cell->key.instances; i++) {
        statement at = prepare(db, insert_spent);
        bind_whole(&at, id);
        bind_text(&at, row->policy);
        bind_text(&at, og_ties_name(row->ties));
        bind_whole(&at, i);
        bind_real(&at, cell->soft[i]);
        bind_real(&at, row->spent[i]);
        bind_real(&at, row->wrong != NULL ? row->wrong[i] : NAN);
        OG_TRY(finish(db, &at, message));
    }
    return OG_OK;
}

static og_status put_row(og_study_db *db, int64_t run, int64_t id, const og_cell *cell,
                         const og_cell_row *row, og_message *message)
{
    entry stored = {0};
    OG_TRY(look_up_policy(db, id, row->policy, row->ties, &stored, message));
    bool unsure = stored.file_hash != row->file_hash && row->known;
    if (stored.stored != OG_STORED_NOT && (is_other(&stored, row->file_hash) || unsure)) {
        OG_TRY(drop_rows(db, id, row->policy, og_ties_name(row->ties), message));
        stored = (entry){.stored = OG_STORED_NOT};
    }
    OG_TRY(check_same(db, &stored, row->value, row->error, row->policy, message));
    statement at = prepare(db, insert_policy);
    bind_whole(&at, id);
    bind_text(&at, row->policy);
    bind_text(&at, og_ties_name(row->ties));
    bind_text(&at, row->known ? "ok" : "limit");
    bind_text(&at, row->known ? NULL : row->reason);
    bind_reals(&at,
               (double[]){row->value, row->gain, row->error, row->low, row->high,
                          row->standard_error, row->correct, row->correct_low, row->correct_high},
               9);
    bind_whole(&at, (int64_t)row->tolerance_ties);
    bind_whole(&at, (int64_t)row->states);
    bind_real(&at, row->seconds);
    bind_hash(&at, row->file_hash);
    bind_whole(&at, run);
    OG_TRY(finish(db, &at, message));
    return put_spent(db, id, cell, row, message);
}

static og_status put_all(og_study_db *db, int64_t run, const og_cell *cell, og_message *message)
{
    entry stored = {0};
    OG_TRY(look_up_cell(db, &cell->key, &stored, message));
    OG_TRY(check_same(db, &stored, cell->value, cell->error, "the optimum", message));
    OG_TRY(put_cell(db, run, cell, message));
    OG_TRY(look_up_cell(db, &cell->key, &stored, message));
    for (int32_t i = 0; i < cell->row_count; i++) {
        OG_TRY(put_row(db, run, stored.id, cell, &cell->rows[i], message));
    }
    return OG_OK;
}

og_status og_study_db_put(og_study_db *db, int64_t run, const og_cell *cell, og_message *message)
{
    OG_TRY(execute(db, "BEGIN IMMEDIATE", message));
    return conclude(db, put_all(db, run, cell, message), message);
}

bool og_cell_is_limited(const og_cell *cell)
{
    bool limited = cell->status == OG_CELL_LIMIT;
    for (int32_t i = 0; i < cell->row_count; i++) {
        limited = limited || !cell->rows[i].known;
    }
    return limited;
}
