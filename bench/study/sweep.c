/*
 * A sweep: finds the missing cells and computes them. All access to the database, the list of
 * waiting cells and the progress is in one critical section; cells (sweep_cell.c) are independent
 * of each other.
 */
#include "bench/study/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/study/cell_law.h"
#include "bench/study/sweep_cell.h"
#include "bench/study/sweep_ranks.h"
#include "commit.h"
#include "config.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"

enum { TIME_BYTES = 32 };

/* -- What is missing -------------------------------------------------------------------------- */

/* The number of the grid's problems, which are ordered by prior, number of instances, budget and
 * law. */
static int64_t count_cells(const og_study *study)
{
    return (int64_t)study->prior_count * study->instances_count * study->budget_count *
           study->law_count;
}

static og_sweep_task nth_task(const og_study *study, int64_t number)
{
    int64_t problem = number / study->law_count;
    int64_t grid = problem / study->budget_count;
    return (og_sweep_task){.prior = (int32_t)(grid / study->instances_count),
                           .instances = study->instances[grid % study->instances_count],
                           .budget = study->budgets[problem % study->budget_count],
                           .law = (int32_t)(number % study->law_count)};
}

/* Look up a stored cell: the worst state of its rows and the cell itself, and whether some row was
 * computed with other files. */
static og_status look_up(const og_sweep_job *work, const og_sweep_task *task, og_stored *out,
                         bool *other, og_message *message)
{
    const og_study *study = work->study;
    og_cell_key key = og_sweep_key(study, task);
    *other = false;
    OG_TRY(og_study_db_has(work->db, &key, NULL, out, message));
    if (*out != OG_STORED_NOT && og_cell_law_is(&key)) {
        og_stored optimal = OG_STORED_NOT;
        OG_TRY(og_study_db_has(work->db, &key,
                               &(og_cell_row){.policy = OG_CELL_OPTIMAL, .ties = OG_TIES_RANDOM},
                               &optimal, message));
        *out = optimal < *out ? optimal : *out;
    }
    int32_t pairs = *out != OG_STORED_NOT ? study->policy_count * study->ties_count : 0;
    for (int32_t i = 0; i < pairs; i++) {
        int32_t policy = i / study->ties_count;
        og_stored stored = OG_STORED_NOT;
        OG_TRY(og_study_db_has(work->db, &key,
                               &(og_cell_row){.policy = study->policies[policy].name,
                                              .ties = study->ties[i % study->ties_count],
                                              .file_hash = work->hash[policy]},
                               &stored, message));
        *out = stored < *out ? stored : *out;
        *other = *other || stored == OG_STORED_OTHER;
    }
    return OG_OK;
}

static bool is_wanted(const og_grid *grid, og_stored stored)
{
    return stored <= OG_STORED_OTHER || (stored == OG_STORED_LIMIT && grid->retry);
}

static int by_size(const void *left, const void *right)
{
    const og_sweep_task *x = left, *y = right;
    if (x->budget != y->budget) {
        return x->budget < y->budget ? -1 : 1;
    }
    if (x->instances != y->instances) {
        return x->instances < y->instances ? -1 : 1;
    }
    return x->prior != y->prior ? x->prior - y->prior : x->law - y->law;
}

/* The cells from which a policy is to be deleted. */
typedef struct {
    const og_study *study;
    int64_t number;
} memory_share;

static bool next_key(void *user, og_cell_key *out)
{
    memory_share *forgetting = user;
    if (forgetting->number >= count_cells(forgetting->study)) {
        return false;
    }
    og_sweep_task next = nth_task(forgetting->study, forgetting->number++);
    *out = og_sweep_key(forgetting->study, &next);
    return true;
}

/* Delete them all at once, so that no old value remains after an interrupted sweep. */
static og_status forget_policies(const og_sweep_job *work, og_message *message)
{
    for (int32_t i = 0; i < work->grid->recompute_count; i++) {
        memory_share forgetting = {.study = work->study};
        OG_TRY(
            og_study_db_forget(work->db, work->grid->recompute[i], next_key, &forgetting, message));
    }
    return OG_OK;
}

static og_status list_tasks(og_sweep_job *work, og_message *message)
{
    const og_study *study = work->study;
    int64_t cells = count_cells(study);
    work->tasks = calloc((size_t)cells + 1, sizeof *work->tasks);
    work->hash = calloc((size_t)study->policy_count + 1, sizeof *work->hash);
    if (work->tasks == NULL || work->hash == NULL) {
        return OG_NO_MEMORY;
    }
    for (int64_t i = 0; i < cells; i++) {
        work->tasks[i] = nth_task(study, i);
    }
    qsort(work->tasks, (size_t)cells, sizeof *work->tasks, by_size);
    og_status status = og_sweep_hash_files(study, work->hash, message);
    int64_t step = work->grid->parts > 0 ? work->grid->parts : 1;
    int64_t first = work->grid->parts > 0 ? work->grid->part - 1 : 0;
    for (int64_t i = first; status == OG_OK && i < cells; i += step) {
        og_sweep_task next = work->tasks[i];
        og_stored stored = OG_STORED_NOT;
        bool other = false;
        status = look_up(work, &next, &stored, &other, message);
        work->out->cells++;
        work->out->changed += other;
        if (is_wanted(work->grid, stored)) {
            work->tasks[work->task_count++] = next;
        } else {
            work->out->found++;
            work->out->limited += stored == OG_STORED_LIMIT;
        }
    }
    return status;
}

/* List the policies and the tie rules with a missing pair; a few extra pairs are harmless. */
static og_status list_missing(const og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    const og_study *study = work->study;
    og_cell_key key = og_sweep_key(study, cell->task);
    bool rule[OG_TIES_COUNT] = {false};
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < study->policy_count; i++) {
        bool any = false;
        for (int32_t j = 0; status == OG_OK && j < study->ties_count; j++) {
            og_stored stored = OG_STORED_NOT;
            status = og_study_db_has(work->db, &key,
                                     &(og_cell_row){.policy = study->policies[i].name,
                                                    .ties = study->ties[j],
                                                    .file_hash = cell->hash[i]},
                                     &stored, message);
            bool wanted = is_wanted(work->grid, stored);
            any = any || wanted;
            rule[j] = rule[j] || wanted;
        }
        if (any) {
            cell->hash[cell->policy_count] = cell->hash[i];
            cell->policies[cell->policy_count++] = study->policies[i];
        }
    }
    for (int32_t j = 0; j < study->ties_count; j++) {
        if (rule[j]) {
            cell->ties[cell->ties_count++] = study->ties[j];
        }
    }
    return status;
}

/* -- The schedule ----------------------------------------------------------------------------- */

static double weight(const og_sweep_task *task)
{
    double live = fmin((double)task->instances, (double)task->budget);
    return log(((double)task->budget + 1) * (live + 1));
}

static void fit_add(og_sweep_fit *to, double x, double y)
{
    to->count += 1;
    to->x += x;
    to->y += y;
    to->xx += x * x;
    to->xy += x * y;
}

/* Estimate the seconds left: they grow like a power of the weight; parallel cells share the
 * threads. */
static double guess_seconds_left(const og_sweep_job *work, const bool *stored)
{
    enum { CELLS_LEAST = 5 };
    const og_sweep_fit *fit = &work->times;
    double spread = fit->count * fit->xx - fit->x * fit->x;
    if (fit->count < CELLS_LEAST || !(spread > 1e-9 * fit->xx)) {
        return NAN;
    }
    double slope = (fit->count * fit->xy - fit->x * fit->y) / spread;
    double base = (fit->y - slope * fit->x) / fit->count;
    double sum = 0;
    for (int64_t i = 0; i < work->task_count; i++) {
        if (!stored[i]) {
            sum += exp(base + slope * weight(&work->tasks[i]));
        }
    }
    return sum / work->lanes;
}

/* "40 s", "3 min", "2.5 h". */
static void time_format(double seconds, char text[TIME_BYTES])
{
    if (seconds < 90) {
        snprintf(text, TIME_BYTES, "%.0f s", ceil(seconds));
    } else if (seconds < 90 * 60) {
        snprintf(text, TIME_BYTES, "%.0f min", seconds / 60);
    } else {
        snprintf(text, TIME_BYTES, "%.1f h", seconds / 3600);
    }
}

static void report_progress(const og_sweep_job *work, const bool *stored,
                            const og_sweep_task *alone)
{
    char words[160], left[TIME_BYTES];
    int64_t done = work->out->found + work->done, cells = work->out->cells;
    double seconds = guess_seconds_left(work, stored);
    og_text out = og_text_begin(words, sizeof words);
    og_text_add(&out, "%" PRId64 " of %" PRId64 " cells", done, cells);
    if (isfinite(seconds)) {
        time_format(seconds, left);
        og_text_add(&out, ", about %s left", left);
    }
    if (alone != NULL) {
        og_text_add(&out, "; alone: %" PRId64 "x%.40s, %" PRId64 " labels", alone->instances,
                    work->study->priors[alone->prior], alone->budget);
    }
    og_stop_tell(og_stop_of(work->settings), words, (double)done / (double)cells);
}

static void fail(og_sweep_job *work, og_status status, const og_message *message)
{
    if (work->status == OG_OK) {
        work->status = status;
        work->message = *message;
    }
    og_stop_end(&work->stop);
}

/* Store a cell. Called in the critical section. */
static void store(og_sweep_job *work, int64_t at, og_sweep_cell *cell, bool *stored)
{
    og_message message = {""};
    og_status status = og_study_db_put(work->db, work->run, &cell->found, &message);
    if (status != OG_OK) {
        fail(work, status, &message);
        return;
    }
    stored[at] = true;
    work->done++;
    work->out->finished++;
    work->out->limited += og_cell_is_limited(&cell->found);
    fit_add(&work->times, weight(cell->task), log(cell->found.seconds + 1e-6));
    report_progress(work, stored, NULL);
}

/* Prepare a cell with the policies that lack a row. */
static og_status begin_cell(og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    OG_TRY(og_sweep_cell_begin(work, cell, message));
    og_lock_take(&work->lock);
    og_status status = list_missing(work, cell, message);
    og_lock_release(&work->lock);
    return status == OG_OK ? og_sweep_cell_rows(cell) : status;
}

/* Compute the task and store it, or mark it to run alone. */
static void do_task(og_sweep_job *work, int64_t at, int threads, bool *stored)
{
    og_sweep_task *task = &work->tasks[at];
    og_message message = {""};
    og_sweep_cell cell = {.task = task,
                          .threads = threads,
                          .memory_bytes = task->large ? work->settings->memory_bytes
                                                      : work->settings->memory_bytes /
                                                            (uint64_t)work->settings->threads};
    double begun = og_seconds();
    og_status status = begin_cell(work, &cell, &message);
    bool simulated = work->study->runs > 0;
    bool alone = status == OG_OK && !simulated && !task->large && work->settings->threads > 1 &&
                 !og_sweep_cell_fits(&cell);
    if (status == OG_OK && !alone) {
        status = og_sweep_cell_value(work, &cell, &message);
        alone = cell.short_of_memory && !task->large && work->settings->threads > 1;
    }
    cell.found.seconds = og_seconds() - begun;
    og_lock_take(&work->lock);
    if (status != OG_OK) {
        fail(work, status, &message);
    } else if (alone) {
        task->large = true;
    } else if (!cell.dropped && og_stop_status(&work->stop) == OG_OK) {
        store(work, at, &cell, stored);
    }
    og_lock_release(&work->lock);
    og_sweep_cell_clear(&cell);
}

typedef struct {
    og_sweep_job *work;
    bool *stored;
} cells_work;

static void do_range(void *context, int thread, int64_t begin, int64_t end)
{
    const cells_work *rows = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        if (!og_sweep_is_stopped(rows->work)) {
            do_task(rows->work, i, 1, rows->stored);
        }
    }
}

/* ---- over ranks ---- */

/* Store a rank's cell, or handle its failure. */
static void take_answer(og_sweep_job *work, const og_sweep_answer *from, og_sweep_cell *cell,
                        bool *stored)
{
    if (from->at < 0) {
        return;
    }
    if (from->status != OG_OK) {
        fail(work, from->status, &from->message);
    } else if (from->dropped) { /* that rank was interrupted before this one */
        og_stop_end(&work->stop);
    } else if (stored != NULL && !og_sweep_is_stopped(work)) {
        og_sweep_answer_cell(from, cell);
        store(work, from->at, cell, stored);
    }
    og_sweep_cell_clear(cell);
}

/* Send the next cell, or the end, to the rank that has just answered. */
static og_status send_next(og_sweep_job *work, int rank, int64_t *next, og_sweep_cell *cell)
{
    og_message message = {""};
    if (*next >= work->task_count || og_sweep_is_stopped(work)) {
        work->busy--;
        return og_sweep_send(work, rank, NULL, 0);
    }
    *cell = (og_sweep_cell){.task = &work->tasks[*next]};
    og_status status = begin_cell(work, cell, &message);
    if (status != OG_OK) {
        fail(work, status, &message);
        og_sweep_cell_clear(cell);
        work->busy--;
        return og_sweep_send(work, rank, NULL, 0);
    }
    return og_sweep_send(work, rank, cell, (*next)++);
}

/* Distribute cells until every rank has received the end. If memory runs out before, `busy` is
 * below 0: the ranks still wait. */
static og_status hand_out(og_sweep_job *work, bool *stored)
{
    int64_t next = 0;
    og_sweep_cell *cell = calloc((size_t)work->settings->world->ranks, sizeof *cell);
    og_status status = cell == NULL ? OG_NO_MEMORY : OG_OK;
    while (status == OG_OK && work->busy > 0) {
        og_sweep_answer from;
        status = og_sweep_wait(work, &from);
        if (status == OG_OK) {
            take_answer(work, &from, &cell[from.rank], stored);
            free(from.bytes);
            status = send_next(work, from.rank, &next, &cell[from.rank]);
        }
    }
    for (int i = 0; cell != NULL && i < work->settings->world->ranks; i++) {
        og_sweep_cell_clear(&cell[i]);
    }
    free(cell);
    work->busy = status == OG_OK ? work->busy : -1;
    return status;
}

static void do_tasks(og_sweep_job *work, bool *stored)
{
    int threads = work->settings->threads;
    cells_work rows = {work, stored};
    og_parallel_ranges(threads, work->task_count, 1, do_range, &rows);
    for (int64_t i = 0; i < work->task_count; i++) {
        if (work->tasks[i].large && !stored[i] && !og_sweep_is_stopped(work)) {
            report_progress(work, stored, &work->tasks[i]);
            do_task(work, i, threads, stored);
        }
    }
}

/* The command that does the same, for the database. */
static og_status make_command(const og_sweep_job *work, char **text)
{
    const og_grid *grid = work->grid;
    char *words = NULL;
    char part[48] = "";
    if (grid->parts > 0) {
        snprintf(part, sizeof part, " --part %" PRId32 "/%" PRId32, grid->part, grid->parts);
    }
    og_status status = og_study_words(work->study, &words);
    if (status == OG_OK &&
        asprintf(text, "optgap sweep %s %s%s", grid->database, words, part) < 0) {
        *text = NULL;
        status = OG_NO_MEMORY;
    }
    free(words);
    return status;
}

static og_status sweep(og_sweep_job *work, og_message *message)
{
    char *command = NULL;
    OG_TRY(forget_policies(work, message));
    og_status status = list_tasks(work, message);
    if (status != OG_OK || work->task_count == 0) {
        return status;
    }
    const char *commit = work->grid->commit != NULL ? work->grid->commit : OG_COMMIT;
    OG_TRY(make_command(work, &command));
    status = og_study_db_begin(work->db, command, OG_VERSION, commit, &work->run, message);
    free(command);
    OG_TRY(status);
    bool *stored = calloc((size_t)work->task_count, sizeof *stored);
    OG_TRY(OG_ALLOCATED(stored));
    report_progress(work, stored, NULL);
    if (work->busy > 0) {
        og_message none = {"out of memory"};
        status = hand_out(work, stored);
        if (status != OG_OK) {
            fail(work, status, &none);
        }
    } else {
        do_tasks(work, stored);
    }
    free(stored);
    work->out->interrupted = work->status == OG_OK && og_stop_status(&work->stop) != OG_OK;
    if (work->status != OG_OK && message != NULL) {
        *message = work->message;
    }
    return work->status;
}

/* Run as one of several ranks; all ranks return the same status. */
static og_status run_as_rank(og_sweep_job *work, og_message *message)
{
    const og_world *world = work->settings->world;
    struct {
        og_status status;
        og_message message;
        og_sweep_result found;
    } end;
    if (!og_world_is_shared(world)) {
        return sweep(work, message);
    }
    memset(&end, 0, sizeof end);
    if (world->rank > 0) {
        OG_TRY(og_sweep_follow(work, message));
    } else {
        work->busy = work->lanes = world->ranks - 1;
        end.status = sweep(work, &end.message);
        work->task_count = 0; /* if it was not reached */
        og_status status = hand_out(work, NULL);
        end.status = end.status == OG_OK ? status : end.status;
        if (work->busy < 0) { /* the starter of the ranks ends them (tools/ranks/ranks.h) */
            return og_message_set(message, end.status, "out of memory");
        }
        end.found = *work->out;
    }
    world->tell(world->self, 0, &end, sizeof end);
    *work->out = end.found;
    return end.status == OG_OK ? OG_OK
                               : og_message_set(message, end.status, "%s", end.message.text);
}

og_status og_sweep_run(const og_asked *asked, const og_study *study, og_study_db *db,
                       og_sweep_result *out, og_message *message)
{
    og_sweep_result found = {0};
    const og_settings *settings = &asked->request.settings;
    og_sweep_job work = {.settings = settings,
                         .grid = asked->given,
                         .study = study,
                         .db = db,
                         .lanes = settings->threads,
                         .out = &found};
    og_lock_init(&work.lock);
    work.stop = og_stop_for(og_stop_of(settings), 0);
    work.stop.quiet = true;
    og_status status = run_as_rank(&work, message);
    og_lock_clear(&work.lock);
    free(work.tasks);
    free(work.hash);
    if (status == OG_OK) {
        *out = found;
    }
    return status;
}
