#ifndef OG_BENCH_STUDY_STUDY_DB_H
#define OG_BENCH_STUDY_STUDY_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/ties.h"

/*
 * The results of studies in one SQLite database (one transaction for each cell; a write-ahead log
 * while it is written, one file when it is closed).
 *
 * A cell is one problem, valued exactly (runs = 0) or by simulation: one row of table `cell`, and
 * one of `policy` for each policy and tie rule. A value that a limit kept from being proved is NULL
 * and the row's status 'limit'; what is proved all the same stands in lower and upper. Gaps are not
 * stored: the view `result` has them, one row for each policy, as everything that is plotted.
 *
 *   run     id, command, program, commit_id, started      what was asked for, by which program
 *   cell    id, prior, instances, budget, runs, seed, truth (these are its key; runs = 0: exact;
 *           truth: bench/study/law.h),
 *           status ('ok', 'limit', 'simulated'), reason, call_value (correct calls without labels),
 *           value, gain, error (proved), accuracy ('double', 'simulated'), states, lower, upper,
 *           lagrangian_scalar, lagrangian_vector, prevailing_charge, seconds, threads,
 *           memory_bytes (the limit), program, commit_id, finished (UTC), run (the last)
 *   policy  cell, policy, ties (its key), status ('ok', 'limit'), reason, value, gain, error
 *           (proved; NULL if simulated), low, high (95 %; equal to value -+ error if exact),
 *           standard_error, correct, correct_low, correct_high (calls that were really correct,
 *           simulated), tolerance_ties, states, seconds, program, commit_id, file_hash (of the
 *           policy's files, heuristics/policy.h; NULL: it has none, or the row is older than this)
 *   spent   cell, policy, ties, instance (from 0; these are its key), soft (the soft label),
 *           labels (mean over the runs, or expected), wrong (exact: the chance that the decision is
 *           wrong; else NULL): where truth is a list or a grid
 *   result  view of cell and policy: their columns (optimal_value, ... are the cell's, or for
 *           a simulated one those of the exact cell of the same problem), gap, gap_low, gap_high
 *           (by error or interval), gap_percent (of the optimal value), gain_lost_percent
 *           (NULL of no gain, unless the gap is 0),
 *           gap_at_most (from upper). A gap within the errors is 0
 *
 * An exact cell that is not of truth 'prior' has the optimum and the bounds of its prior all the
 * same, unless labels fall by another truth: then they are NULL. Its policies, and 'optimal', which
 * is the play that is optimal by what is believed, have in `correct` the expected number of
 * correct decisions where labels fall as `truth` says, correct_low and correct_high by its proved
 * error. With 'believe:A,B' `value` is the same, and the gap is the regret of the wrong prior.
 *
 * PRAGMA application_id is OG_STUDY_DB_ID, user_version OG_STUDY_DB_VERSION.
 */
enum { OG_STUDY_DB_ID = 0x6f707467, OG_STUDY_DB_VERSION = 1 };

typedef struct og_study_db og_study_db;

/* Another process has locked the database: called ten times a second or more, with the seconds that
 * this has lasted; false gives up. */
typedef struct {
    bool (*call)(void *user, double seconds); /* NULL: nobody is told */
    void *user;
} og_study_wait;

/*
 * Open a database; `write`: make it if there is none, or an empty file. The view is made if it is
 * missing. OG_BAD_INPUT with a message: the name is none of a file, the study is not there or
 * cannot be read (write false), it is no study, one of another version, or without a table: it is
 * then as it was. OG_FAILED: it cannot be opened for writing, or another process keeps it locked
 * for a minute, here or in a later call. `wait` is copied; NULL is fine. One thread at a time.
 */
og_status og_study_db_open(const char *path, bool write, const og_study_wait *wait,
                           og_study_db **out, og_message *message);

/* For reading with one's own SQL. */
sqlite3 *og_study_db_handle(og_study_db *db);

void og_study_db_close(og_study_db *db); /* NULL is fine */

/* What a cell is known by. Texts are borrowed. */
typedef struct {
    const char *prior; /* an INSTANCE word without COUNT, perhaps with options of a family */
    int64_t instances;
    int64_t budget;
    int64_t runs; /* 0: exact; then the seed is stored as 0 */
    uint64_t seed;
    const char *truth; /* a law (bench/study/law.h) */
} og_cell_key;

/* One policy of a cell. */
typedef struct {
    const char *policy; /* borrowed */
    og_ties ties;
    bool known;       /* false: a limit was reached, and `reason` says which */
    char reason[160]; /* a few words */
    double value;     /* this and what follows as the columns above; NAN where there is none */
    double gain;
    double error;
    double low;
    double high;
    double standard_error;
    double correct;
    double correct_low;
    double correct_high;
    uint64_t tolerance_ties;
    uint64_t states;
    double seconds;
    uint64_t file_hash;  /* of the policy's files; 0: none are known */
    const double *spent; /* [instances] mean labels; NULL: not told; borrowed */
    const double *wrong; /* [instances] with spent: chances of a wrong decision; NULL: not known */
} og_cell_row;

typedef enum { OG_CELL_OK, OG_CELL_LIMIT, OG_CELL_SIMULATED } og_cell_status;

typedef struct {
    og_cell_key key;
    og_cell_status status;
    char reason[160];
    double call; /* this and what follows as the columns above; NAN where there is none */
    double value;
    double gain;
    double error;
    uint64_t states;
    double lower;
    double upper;
    double scalar;
    double vector;
    double prevailing;
    double seconds;
    int threads;
    uint64_t memory_bytes;
    int32_t row_count;
    og_cell_row *rows;  /* [row_count] */
    const double *soft; /* [instances] with rows' spent; borrowed */
} og_cell;

/* Who is at work; *run is what og_study_db_put wants. Texts are copied. */
og_status og_study_db_begin(og_study_db *db, const char *command, const char *program,
                            const char *commit, int64_t *run, og_message *message);

/*
 * Store a finished cell, or what was missing of it, in one transaction. What is known already is
 * never replaced by what is not: a proved optimum stays, a bracket gets no wider, a policy's value
 * stays where the new row has none. A row of other files is another policy's and is replaced.
 *
 * OG_FAILED with a message: nothing of the cell is stored, the rest of the database is untouched
 * (a full disk). So too if the optimum or a value is stored and differs by more than both errors:
 * one of the two is wrong.
 */
og_status og_study_db_put(og_study_db *db, int64_t run, const og_cell *cell, og_message *message);

/* OTHER: with other files of the policy. Where either hash is not known they are taken for the
 * same. */
typedef enum { OG_STORED_NOT, OG_STORED_OTHER, OG_STORED_LIMIT, OG_STORED_OK } og_stored;

/* What is stored of a cell itself (policy NULL) or of a policy in it, whose files have this hash.
 */
og_status og_study_db_has(og_study_db *db, const og_cell_key *key, const char *policy, og_ties ties,
                          uint64_t file_hash, og_stored *out, og_message *message);

/* Drop what is stored of a policy in the cells that `next` tells, until it returns false: all of
 * it, or, on OG_FAILED with a message, nothing. */
og_status og_study_db_forget(og_study_db *db, const char *policy,
                             bool (*next)(void *user, og_cell_key *out), void *user,
                             og_message *message);

#endif
