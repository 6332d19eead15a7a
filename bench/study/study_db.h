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
 * A cell is one problem, evaluated exactly (runs = 0) or simulated: one row of table `cell`, and
 * one row of `policy` for each policy and tie rule. If a limit prevents a proof, the value is NULL
 * and the row's status 'limit'; the proved bounds are in lower and upper. Gaps are not stored: the
 * view `result` computes them, with one row for each policy and everything needed for plots.
 *
 *   run     id, command, program, commit_id, started      the command and the program that ran it
 *   cell    id, prior, instances, budget, runs, seed, truth (these are its key; runs = 0: exact;
 *           truth: bench/study/law.h),
 *           status ('ok', 'limit', 'simulated'), reason, call_value (correct calls without labels),
 *           value, gain, error (proved), accuracy ('double', 'simulated'), states, lower, upper,
 *           lagrangian_scalar, lagrangian_vector, prevailing_charge, seconds, threads,
 *           memory_bytes (the limit), program, commit_id, finished (UTC), run (the last)
 *   policy  cell, policy, ties (its key), status ('ok', 'limit'), reason, value, gain, error
 *           (proved; NULL if simulated), low, high (95 %; equal to value -+ error if exact),
 *           standard_error, correct, correct_low, correct_high (calls that were correct,
 *           simulated), tolerance_ties, states, seconds, program, commit_id, file_hash (of the
 *           policy's files, heuristics/policy.h; NULL: no files, or an older row)
 *   spent   cell, policy, ties, instance (from 0; these are its key), soft (the soft label),
 *           labels (mean over the runs, or expected), wrong (exact: the probability of a wrong
 *           call; else NULL): if truth is a list or a grid
 *   result  view of cell and policy: their columns (optimal_value, ... are the cell's, or for
 *           a simulated one those of the exact cell of the same problem), gap, gap_low, gap_high
 *           (by error or interval), gap_percent (of the optimal value), gain_lost_percent
 *           (NULL of no gain, unless the gap is 0),
 *           gap_at_most (from upper). A gap within the errors is 0
 *
 * An exact cell with a wrong belief has the optimum and the bounds of its prior; with another truth
 * these are NULL. Its policies, and 'optimal', the policy that is optimal under the belief, have in
 * `correct` the expected number of correct calls if labels follow `truth`; correct_low and
 * correct_high add its proved error. With 'believe:A,B' `value` is the same, and the gap is the
 * regret of the wrong prior.
 *
 * PRAGMA application_id is OG_STUDY_DB_ID, user_version OG_STUDY_DB_VERSION.
 */
enum { OG_STUDY_DB_ID = 0x6f707467, OG_STUDY_DB_VERSION = 1 };

typedef struct og_study_db og_study_db;

/* Called ten times a second or more while another process has locked the database, with the seconds
 * waited so far; false gives up. */
typedef struct {
    bool (*call)(void *user, double seconds); /* NULL: wait silently */
    void *user;
} og_study_wait;

/*
 * Open a database; with `write` create it if it does not exist or is an empty file. A missing view
 * is created. OG_BAD_INPUT with a message, and an unchanged file: the name is not a valid file
 * name; the study does not exist or cannot be read (write false); the file is not a study, has
 * another version, or lacks a table. OG_FAILED: it cannot be opened for writing, or another process
 * keeps it locked for a minute, here or in a later call. `wait` is copied and may be NULL. One
 * thread at a time.
 */
og_status og_study_db_open(const char *path, bool write, const og_study_wait *wait,
                           og_study_db **out, og_message *message);

/* The handle, to read with other SQL. */
sqlite3 *og_study_db_handle(og_study_db *db);

void og_study_db_close(og_study_db *db); /* may be NULL */

/* The key of a cell. Texts are borrowed. */
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
    bool known;       /* false: a limit was reached, named in `reason` */
    char reason[160]; /* a few words */
    double value;     /* this and the following are the columns above; NAN if missing */
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
    uint64_t file_hash;  /* of the policy's files; 0: unknown */
    const double *spent; /* [instances] mean labels; NULL: missing; borrowed */
    const double *wrong; /* [instances] with spent: probabilities of a wrong call; NULL: missing */
} og_cell_row;

typedef enum { OG_CELL_OK, OG_CELL_LIMIT, OG_CELL_SIMULATED } og_cell_status;

typedef struct {
    og_cell_key key;
    og_cell_status status;
    char reason[160];
    double call; /* this and the following are the columns above; NAN if missing */
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

/* True if a limit left the optimum or a policy unknown. */
bool og_cell_is_limited(const og_cell *cell);

/* Record a run of a program; *run is for og_study_db_put. Texts are copied. */
og_status og_study_db_begin(og_study_db *db, const char *command, const char *program,
                            const char *commit, int64_t *run, og_message *message);

/*
 * Store a finished cell, or its missing part, in one transaction. A known value is never replaced
 * by a missing one: a proved optimum stays, a bracket does not grow, a policy's value stays if the
 * new row has none. A row of other files belongs to another policy and is replaced. OG_FAILED with
 * a message: nothing of the cell is stored and the rest of the database is unchanged (a full disk).
 * The same happens if a stored optimum or value differs from the new one by more than both errors:
 * one of them is wrong.
 */
og_status og_study_db_put(og_study_db *db, int64_t run, const og_cell *cell, og_message *message);

/* OTHER: the policy had other files. If either hash is unknown, the files are assumed to be the
 * same. */
typedef enum { OG_STORED_NOT, OG_STORED_OTHER, OG_STORED_LIMIT, OG_STORED_OK } og_stored;

/* The state of a stored cell (row NULL), or of a row in it with this policy, ties and file_hash. */
og_status og_study_db_has(og_study_db *db, const og_cell_key *key, const og_cell_row *row,
                          og_stored *out, og_message *message);

/* Delete the rows of a policy in the cells that `next` returns, until it returns false. On
 * OG_FAILED with a message, nothing is deleted. */
og_status og_study_db_forget(og_study_db *db, const char *policy,
                             bool (*next)(void *user, og_cell_key *out), void *user,
                             og_message *message);

#endif
