/*
 * A sweep: which cells are missing, and what they come to. All that touches the database, the list
 * of cells that wait and the progress happens in one critical section; a cell itself is computed by
 * og_compare_run or og_simulate_run, which know nothing of the others.
 */
#include "bench/study/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "bench/study/cell_law.h"
#include "bench/study/study_family.h"
#include "bench/value/bounds.h"
#include "bench/value/compare.h"
#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/product/forecast.h"

typedef struct {
    int32_t prior;
    int64_t instances;
    int64_t budget;
    int32_t law;
    bool large; /* waits to run alone */
} task;

/* Sums for a line fitted to the logarithms of the cells' weights and seconds. */
typedef struct {
    double count, x, y, xx, xy;
} fit;

typedef struct {
    const og_sweep_request *request;
    int64_t run;
    task *tasks; /* [task_count] what is missing, small ones first */
    int64_t task_count;
    int64_t done;   /* of them, stored */
    uint64_t *hash; /* [policy_count of the study] of the policies' files as the sweep begins */
    fit times;
    atomic_bool stop; /* interrupted or failed */
    og_lock lock;     /* of the database, the cells that wait and the progress */
    og_status status; /* the first failure */
    og_message message;
    og_sweep_result *out;
} job;

/* A cell at work: what is asked, and room for what comes of it. */
typedef struct {
    og_arena arena; /* of the arrays below */
    const task *of;
    og_groups problem;
    og_study_family family;
    int threads;
    uint64_t memory_bytes;
    og_policy_name *policies; /* [policy_count] of which a row is missing */
    uint64_t *hash;           /* [policy_count] of their files, just before they are valued */
    int32_t policy_count;
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    og_cell found;
    bool dropped; /* interrupted: nothing is to be stored */
    bool short_of_memory;
} cell_job;

static bool limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

/* -- What is missing -------------------------------------------------------------------------- */

static og_status hash_files(const og_study *study, uint64_t *hash, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < study->policy_count; i++) {
        status = og_policy_name_file_hash(study->policies[i].name, &hash[i], message);
    }
    return status;
}

/* The grid's problems in the order of the priors, numbers of instances, budgets and laws. */
static int64_t count_cells(const og_study *study)
{
    return (int64_t)study->prior_count * study->instances_count * study->budget_count *
           study->law_count;
}

static task nth_task(const og_study *study, int64_t number)
{
    int64_t problem = number / study->law_count;
    int64_t grid = problem / study->budget_count;
    return (task){.prior = (int32_t)(grid / study->instances_count),
                  .instances = study->instances[grid % study->instances_count],
                  .budget = study->budgets[problem % study->budget_count],
                  .law = (int32_t)(number % study->law_count)};
}

static og_cell_key key_of(const og_sweep_request *request, const task *of)
{
    const og_study *study = request->study;
    return (og_cell_key){.prior = study->priors[of->prior],
                         .instances = of->instances,
                         .budget = of->budget,
                         .runs = study->runs,
                         .seed = study->seed,
                         .truth = study->laws[of->law]};
}

/* How far a cell is stored: its worst row, the cell itself included; and whether some row is by
 * other files. */
static og_status look_up(const job *work, const task *of, og_stored *out, bool *other,
                         og_message *message)
{
    const og_sweep_request *request = work->request;
    const og_study *study = request->study;
    og_cell_key key = key_of(request, of);
    *other = false;
    OG_TRY(og_study_db_has(request->db, &key, NULL, OG_TIES_RANDOM, 0, out, message));
    if (*out != OG_STORED_NOT && og_cell_law_is(&key)) {
        og_stored optimal = OG_STORED_NOT;
        OG_TRY(og_study_db_has(request->db, &key, OG_CELL_OPTIMAL, OG_TIES_RANDOM, 0, &optimal,
                               message));
        *out = optimal < *out ? optimal : *out;
    }
    int32_t pairs = *out != OG_STORED_NOT ? study->policy_count * study->ties_count : 0;
    for (int32_t i = 0; i < pairs; i++) {
        int32_t policy = i / study->ties_count;
        og_stored stored = OG_STORED_NOT;
        OG_TRY(og_study_db_has(request->db, &key, study->policies[policy].name,
                               study->ties[i % study->ties_count], work->hash[policy], &stored,
                               message));
        *out = stored < *out ? stored : *out;
        *other = *other || stored == OG_STORED_OTHER;
    }
    return OG_OK;
}

static bool is_wanted(const og_sweep_request *request, og_stored stored)
{
    return stored <= OG_STORED_OTHER || (stored == OG_STORED_LIMIT && request->retry);
}

static int by_size(const void *left, const void *right)
{
    const task *x = left, *y = right;
    if (x->budget != y->budget) {
        return x->budget < y->budget ? -1 : 1;
    }
    if (x->instances != y->instances) {
        return x->instances < y->instances ? -1 : 1;
    }
    return x->prior != y->prior ? x->prior - y->prior : x->law - y->law;
}

/* The cells in which a policy is to be forgotten. */
typedef struct {
    const og_sweep_request *request;
    int64_t number;
} forgetting;

static bool next_key(void *user, og_cell_key *out)
{
    forgetting *of = user;
    if (of->number >= count_cells(of->request->study)) {
        return false;
    }
    task next = nth_task(of->request->study, of->number++);
    *out = key_of(of->request, &next);
    return true;
}

/* All at once, so that a sweep that is ended goes on without any of the old values. */
static og_status forget_policies(const og_sweep_request *request, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < request->recompute_count; i++) {
        forgetting of = {.request = request};
        status = og_study_db_forget(request->db, request->recompute[i], next_key, &of, message);
    }
    return status;
}

static og_status list_tasks(job *work, og_message *message)
{
    const og_study *study = work->request->study;
    int64_t cells = count_cells(study);
    work->tasks = calloc((size_t)cells + 1, sizeof *work->tasks);
    work->hash = calloc((size_t)study->policy_count + 1, sizeof *work->hash);
    if (work->tasks == NULL || work->hash == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < cells; i++) {
        work->tasks[i] = nth_task(study, i);
    }
    qsort(work->tasks, (size_t)cells, sizeof *work->tasks, by_size);
    og_status status = hash_files(study, work->hash, message);
    int64_t step = work->request->parts > 0 ? work->request->parts : 1;
    int64_t first = work->request->parts > 0 ? work->request->part - 1 : 0;
    for (int64_t i = first; status == OG_OK && i < cells; i += step) {
        task next = work->tasks[i];
        og_stored stored = OG_STORED_NOT;
        bool other = false;
        status = look_up(work, &next, &stored, &other, message);
        work->out->cells++;
        work->out->changed += other;
        if (is_wanted(work->request, stored)) {
            work->tasks[work->task_count++] = next;
        } else {
            work->out->found++;
            work->out->limited += stored == OG_STORED_LIMIT;
        }
    }
    return status;
}

/* Policies and tie rules of which some pair is missing: a few pairs too many are harmless. */
static og_status list_missing(const job *work, cell_job *cell, og_message *message)
{
    const og_sweep_request *request = work->request;
    const og_study *study = request->study;
    og_cell_key key = key_of(request, cell->of);
    bool rule[OG_TIES_COUNT] = {false};
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < study->policy_count; i++) {
        bool any = false;
        for (int32_t j = 0; status == OG_OK && j < study->ties_count; j++) {
            og_stored stored = OG_STORED_NOT;
            status = og_study_db_has(request->db, &key, study->policies[i].name, study->ties[j],
                                     cell->hash[i], &stored, message);
            bool wanted = is_wanted(request, stored);
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

/* -- One cell --------------------------------------------------------------------------------- */

static bool is_stopped(void *user)
{
    job *work = user;
    const og_sweep_request *request = work->request;
    if (request->interrupted != NULL && request->interrupted(request->user)) {
        atomic_store(&work->stop, true);
    }
    return atomic_load(&work->stop);
}

static void forget(og_cell_row *row)
{
    row->value = row->gain = row->error = row->low = row->high = NAN;
    row->standard_error = row->correct = row->correct_low = row->correct_high = NAN;
    row->seconds = NAN;
}

/* The rows by name, nothing known. */
static og_status begin_rows(cell_job *cell)
{
    og_cell *found = &cell->found;
    int32_t pairs = cell->policy_count * cell->ties_count;
    found->row_count = pairs + og_cell_law_is(&found->key);
    found->rows = og_arena_array(&cell->arena, (size_t)found->row_count + 1, sizeof *found->rows);
    OG_TRY(og_arena_status(&cell->arena));
    for (int32_t i = 0; i < pairs; i++) {
        og_cell_row *row = &found->rows[i];
        row->policy = cell->policies[i / cell->ties_count].name;
        row->ties = cell->ties[i % cell->ties_count];
        row->file_hash = cell->hash[i / cell->ties_count];
        forget(row);
    }
    for (int32_t i = pairs; i < found->row_count; i++) {
        found->rows[i] = (og_cell_row){.policy = OG_CELL_OPTIMAL, .ties = OG_TIES_RANDOM};
        forget(&found->rows[i]);
    }
    found->call = found->value = found->gain = found->error = NAN;
    found->lower = found->upper = found->scalar = found->vector = found->prevailing = NAN;
    return OG_OK;
}

static void say_limit(const og_study *study, og_limit limit, char reason[160])
{
    static const char *const words[] = {[OG_LIMIT_NONE] = "limit",
                                        [OG_LIMIT_MEMORY] = "memory limit",
                                        [OG_LIMIT_INDEX] = "index not made in its time",
                                        [OG_LIMIT_NATURE] = "no exact value",
                                        [OG_LIMIT_SIZE] = "too large for exact values",
                                        [OG_LIMIT_TIME] = "time limit",
                                        [OG_LIMIT_INTERRUPT] = "interrupted"};
    if (limit == OG_LIMIT_STATES) {
        snprintf(reason, 160, "more than %" PRIu64 " states", study->policy_states_max);
    } else {
        snprintf(reason, 160, "%s", words[limit]);
    }
}

/* Nothing could be had of the cell within the limit. */
static void fail_cell(cell_job *cell, og_cell_status status, const og_message *message)
{
    cell->found.status = status;
    snprintf(cell->found.reason, sizeof cell->found.reason, "%.150s", message->text);
    for (int32_t i = 0; i < cell->found.row_count; i++) {
        og_cell_row *row = &cell->found.rows[i];
        snprintf(row->reason, sizeof row->reason, "%.150s", message->text);
    }
}

/* Those that have columns; of other families only the least is kept. */
static void take_bounds(const og_family *family, const og_bounds *from, og_cell *to)
{
    if (family->bounds != og_bounds_of_arms) {
        return;
    }
    double *const value[] = {&to->scalar, &to->vector, &to->prevailing};
    for (int32_t i = 0; i < from->count && i < 3; i++) {
        *value[i] = isfinite(from->bound[i].value) ? from->bound[i].value : NAN;
    }
}

/* The one place that knows what og_compare_run returns. */
static void take_comparison(const og_study *study, const og_comparison *from, cell_job *cell)
{
    og_cell *to = &cell->found;
    bool proved = from->optimal_status == OG_OK;
    to->status = proved ? OG_CELL_OK : OG_CELL_LIMIT;
    say_limit(study, from->optimal_limit, to->reason);
    to->call = from->call;
    to->value = proved ? from->optimal.value : NAN;
    to->gain = proved ? from->optimal.gain : NAN;
    to->error = proved ? from->optimal.error_bound : NAN;
    to->states = from->optimal.states;
    to->lower = from->lower;
    to->upper = isfinite(from->upper) ? from->upper : NAN;
    take_bounds(cell->family.family, &from->bounds, to);
    cell->dropped = from->optimal_limit == OG_LIMIT_INTERRUPT;
    cell->short_of_memory = from->optimal_limit == OG_LIMIT_MEMORY;
    for (int32_t i = 0; i < from->row_count; i++) {
        const og_compare_row *row = &from->rows[i];
        og_cell_row *stored = &to->rows[i];
        stored->known = row->status == OG_OK;
        stored->states = row->result.states;
        stored->tolerance_ties = row->tolerance_ties;
        stored->seconds = row->result.seconds;
        say_limit(study, row->limit, stored->reason);
        cell->dropped = cell->dropped || row->limit == OG_LIMIT_INTERRUPT;
        cell->short_of_memory = cell->short_of_memory || row->limit == OG_LIMIT_MEMORY;
        if (stored->known) {
            stored->value = row->result.value;
            stored->gain = row->result.gain;
            stored->error = row->result.error_bound;
            stored->low = row->result.value - row->result.error_bound;
            stored->high = row->result.value + row->result.error_bound;
        }
    }
}

static og_status value_exactly(job *work, cell_job *cell, og_message *message)
{
    const og_study *study = work->request->study;
    og_comparison found = {0};
    void *problem = NULL;
    const og_family *family = cell->family.family;
    og_compare_request wanted = {.family = family,
                                 .policies = cell->policies,
                                 .policy_count = cell->policy_count,
                                 .ties = cell->ties,
                                 .ties_count = cell->ties_count,
                                 .policy_states_max = study->policy_states_max,
                                 .seconds_max = work->request->cell_seconds_max,
                                 .interrupted = is_stopped,
                                 .user = work};
    og_settings_default(&wanted.settings);
    wanted.settings.threads = cell->threads;
    wanted.settings.memory_bytes = cell->memory_bytes;
    wanted.settings.stop_when_full = !cell->of->large;
    const og_given given = og_study_family_given(&cell->family, &cell->problem);
    og_status status = family->open(&given, &wanted.settings, &problem, message);
    og_study_law law = {.believed = false};
    OG_THEN(status, og_study_law_read(cell->found.key.truth, cell->of->instances, &law, message));
    if (status == OG_OK) {
        wanted.problem = problem;
        wanted.truth = law.actual ? &law.truth : NULL;
        wanted.believed = law.believed ? &law.belief : NULL;
        status = og_compare_run(&wanted, &found, message);
    }
    family->close(problem);
    if (limit_reached(status)) {
        cell->short_of_memory = true;
        fail_cell(cell, OG_CELL_LIMIT, message);
        status = OG_OK;
    } else if (status == OG_OK) {
        take_comparison(study, &found, cell);
        status = og_cell_law_take(&found, &law, &cell->arena, &cell->found);
        og_comparison_clear(&found);
    }
    og_study_law_clear(&law);
    return status;
}

static og_settings settings_of(const cell_job *cell)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = cell->threads;
    settings.memory_bytes = cell->memory_bytes;
    return settings;
}

static og_status open_cell(const cell_job *cell, void **problem, og_message *message)
{
    const og_settings settings = settings_of(cell);
    const og_given given = og_study_family_given(&cell->family, &cell->problem);
    return *problem != NULL ? OG_OK
                            : cell->family.family->open(&given, &settings, problem, message);
}

static og_status find_bounds(const cell_job *cell, void **problem, og_cell *to)
{
    const og_settings settings = settings_of(cell);
    og_bounds found = {0};
    OG_TRY(open_cell(cell, problem, NULL));
    const og_bounds_request wanted = {
        .family = cell->family.family, .problem = *problem, .settings = &settings};
    og_status status = og_bounds_find(&wanted, &found, NULL);
    if (status == OG_OK) {
        double least = og_bounds_least(&found);
        take_bounds(cell->family.family, &found, to);
        to->upper = isfinite(least) ? least : NAN;
    }
    og_bounds_clear(&found);
    return limit_reached(status) ? OG_OK : status;
}

static og_status take_labels(const og_simulation *from, const og_study *study, cell_job *cell)
{
    size_t size = (size_t)cell->of->instances;
    size_t rows = (size_t)cell->found.row_count;
    double *soft = og_arena_array(&cell->arena, size, sizeof *soft);
    double *spent = og_arena_array(&cell->arena, size * rows, sizeof *spent);
    OG_TRY(og_arena_status(&cell->arena));
    for (size_t i = 0; i < size; i++) {
        soft[i] = og_fraction_double(study->truth.soft[i]);
    }
    cell->found.soft = soft;
    for (size_t i = 0; i < rows; i++) {
        if (cell->found.rows[i].known) {
            memcpy(spent + i * size, from->rows[i].labels, size * sizeof *spent);
            cell->found.rows[i].spent = spent + i * size;
        }
    }
    return OG_OK;
}

static og_status take_simulation(const og_simulation *from, const og_study *study, cell_job *cell)
{
    og_cell *to = &cell->found;
    bool whole = from->runs == study->runs;
    to->call = from->call;
    cell->dropped = from->limit == OG_LIMIT_INTERRUPT;
    for (int32_t i = 0; i < from->row_count; i++) {
        const og_simulate_row *row = &from->rows[i];
        og_cell_row *stored = &to->rows[i];
        stored->known = whole && row->status == OG_OK;
        stored->tolerance_ties = row->tolerance_ties;
        snprintf(stored->reason, sizeof stored->reason, "%.150s",
                 row->status == OG_OK ? "time limit" : row->message.text);
        cell->short_of_memory = cell->short_of_memory || row->status == OG_NO_MEMORY;
        if (stored->known) {
            stored->value = row->metric[OG_EXPECTED].mean;
            stored->gain = row->metric[OG_EXPECTED].mean - from->call;
            stored->low = row->metric[OG_EXPECTED].low;
            stored->high = row->metric[OG_EXPECTED].high;
            stored->standard_error = row->metric[OG_EXPECTED].standard_error;
            stored->correct = row->metric[OG_CORRECT].mean;
            stored->correct_low = row->metric[OG_CORRECT].low;
            stored->correct_high = row->metric[OG_CORRECT].high;
        }
    }
    bool labels = whole && study->truth.kind == OG_TRUTH_LIST;
    return labels ? take_labels(from, study, cell) : OG_OK;
}

static og_status play(job *work, cell_job *cell, og_message *message)
{
    const og_study *study = work->request->study;
    double limit = work->request->cell_seconds_max;
    bool short_time = limit > 0 && limit < study->index_seconds_max;
    og_simulation found = {0};
    const og_family *family = cell->family.family;
    void *problem = NULL;
    og_source source;
    og_simulate_request wanted = {.source = &source,
                                  .policies = cell->policies,
                                  .policy_count = cell->policy_count,
                                  .ties = cell->ties,
                                  .ties_count = cell->ties_count,
                                  .runs = study->runs,
                                  .seed = study->seed,
                                  .threads = cell->threads,
                                  .memory_bytes = cell->memory_bytes,
                                  .count_labels = study->truth.kind == OG_TRUTH_LIST,
                                  .index_seconds_max =
                                      short_time ? limit : study->index_seconds_max,
                                  .seconds_max = limit,
                                  .interrupted = is_stopped,
                                  .user = work};
    cell->found.status = OG_CELL_SIMULATED;
    og_status status = family->arms != NULL ? OG_OK : open_cell(cell, &problem, message);
    if (status == OG_OK) {
        source = family->arms != NULL ? og_source_independent(&cell->problem, &study->truth)
                                      : family->source(problem, &study->truth);
        status = og_simulate_run(&wanted, &found, message);
    }
    if (limit_reached(status)) {
        cell->short_of_memory = status == OG_NO_MEMORY;
        fail_cell(cell, OG_CELL_SIMULATED, message);
        status = OG_OK;
    } else if (status == OG_OK) {
        status = take_simulation(&found, study, cell);
        og_simulation_clear(&found);
    }
    if (status == OG_OK && study->truth.kind == OG_TRUTH_PRIOR && !cell->dropped) {
        status = find_bounds(cell, &problem, &cell->found);
    }
    family->close(problem);
    return status;
}

/* Will it surely fit a share of the memory? What cannot be foreseen is tried. */
static bool fits_share(const cell_job *cell)
{
    og_arms *arms = NULL;
    og_forecast forecast = {0};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = cell->memory_bytes;
    if (cell->family.family->arms == NULL) {
        return true;
    }
    og_status status = og_arms_new(&cell->problem, 1, cell->memory_bytes, &arms, NULL);
    if (status == OG_OK) {
        status = og_forecast_make(arms, &settings, &forecast, NULL);
    }
    og_arms_free(arms);
    return !limit_reached(status) && forecast.memory_bytes <= (double)cell->memory_bytes;
}

/* -- The schedule ----------------------------------------------------------------------------- */

static double weight(const task *of)
{
    double live = fmin((double)of->instances, (double)of->budget);
    return log(((double)of->budget + 1) * (live + 1));
}

static void fit_add(fit *to, double x, double y)
{
    to->count += 1;
    to->x += x;
    to->y += y;
    to->xx += x * x;
    to->xy += x * y;
}

/* Seconds grow as some power of the weight; cells that run side by side share the threads. */
static double guess_seconds_left(const job *work, const bool *stored)
{
    enum { CELLS_LEAST = 5 };
    const fit *of = &work->times;
    double spread = of->count * of->xx - of->x * of->x;
    if (of->count < CELLS_LEAST || !(spread > 1e-9 * of->xx)) {
        return NAN;
    }
    double slope = (of->count * of->xy - of->x * of->y) / spread;
    double base = (of->y - slope * of->x) / of->count;
    double sum = 0;
    for (int64_t i = 0; i < work->task_count; i++) {
        if (!stored[i]) {
            sum += exp(base + slope * weight(&work->tasks[i]));
        }
    }
    return sum / work->request->threads;
}

static void tell(const job *work, const bool *stored, const task *alone)
{
    const og_sweep_request *request = work->request;
    og_sweep_progress progress = {.cells = work->out->cells,
                                  .done = work->out->found + work->done,
                                  .seconds_left = guess_seconds_left(work, stored)};
    if (alone != NULL) {
        progress.alone = request->study->priors[alone->prior];
        progress.instances = alone->instances;
        progress.budget = alone->budget;
    }
    if (request->progress != NULL) {
        request->progress(request->user, &progress);
    }
}

static void fail(job *work, og_status status, const og_message *message)
{
    if (work->status == OG_OK) {
        work->status = status;
        work->message = *message;
    }
    atomic_store(&work->stop, true);
}

static bool is_limited(const og_cell *found)
{
    bool limited = found->status == OG_CELL_LIMIT;
    for (int32_t i = 0; i < found->row_count; i++) {
        limited = limited || !found->rows[i].known;
    }
    return limited;
}

/* In the critical section. */
static void store(job *work, int64_t at, cell_job *cell, bool *stored)
{
    og_message message = {""};
    og_status status = og_study_db_put(work->request->db, work->run, &cell->found, &message);
    if (status != OG_OK) {
        fail(work, status, &message);
        return;
    }
    stored[at] = true;
    work->done++;
    work->out->finished++;
    work->out->limited += is_limited(&cell->found);
    fit_add(&work->times, weight(cell->of), log(cell->found.seconds + 1e-6));
    tell(work, stored, NULL);
}

static og_status begin_cell(job *work, cell_job *cell, og_message *message)
{
    const og_study *study = work->request->study;
    const task *of = cell->of;
    cell->policies =
        og_arena_array(&cell->arena, (size_t)study->policy_count, sizeof *cell->policies);
    cell->hash = og_arena_array(&cell->arena, (size_t)study->policy_count, sizeof *cell->hash);
    OG_TRY(og_arena_status(&cell->arena));
    OG_TRY(hash_files(study, cell->hash, message));
    const char *prior = study->priors[of->prior];
    og_status status =
        og_study_family_read(prior, of->instances, of->budget, &cell->family, message);
    if (status == OG_OK && !cell->family.by_words) {
        status = og_study_problem(prior, of->instances, of->budget, &cell->problem, message);
    }
    if (status == OG_OK) {
        og_lock_take(&work->lock);
        status = list_missing(work, cell, message);
        og_lock_release(&work->lock);
    }
    cell->found.key = key_of(work->request, of);
    cell->found.threads = cell->threads;
    cell->found.memory_bytes = cell->memory_bytes;
    return status == OG_OK ? begin_rows(cell) : status;
}

static void clear_cell(cell_job *cell)
{
    og_groups_clear(&cell->problem);
    og_study_family_clear(&cell->family);
    og_arena_clear(&cell->arena);
}

/* Compute the task and store it, or find that it must run alone. */
static void do_task(job *work, int64_t at, int threads, bool *stored)
{
    task *of = &work->tasks[at];
    og_message message = {""};
    cell_job cell = {.of = of,
                     .threads = threads,
                     .memory_bytes = of->large ? work->request->memory_bytes
                                               : work->request->memory_bytes /
                                                     (uint64_t)work->request->threads};
    double begun = og_seconds();
    og_groups_init(&cell.problem, 0);
    og_status status = begin_cell(work, &cell, &message);
    bool simulated = work->request->study->runs > 0;
    bool alone = status == OG_OK && !simulated && !of->large && work->request->threads > 1 &&
                 !fits_share(&cell);
    if (status == OG_OK && !alone) {
        status = simulated ? play(work, &cell, &message) : value_exactly(work, &cell, &message);
        alone = cell.short_of_memory && !of->large && work->request->threads > 1;
    }
    cell.found.seconds = og_seconds() - begun;
    og_lock_take(&work->lock);
    if (status != OG_OK) {
        fail(work, status, &message);
    } else if (alone) {
        of->large = true;
    } else if (!cell.dropped && !atomic_load(&work->stop)) {
        store(work, at, &cell, stored);
    }
    og_lock_release(&work->lock);
    clear_cell(&cell);
}

typedef struct {
    job *work;
    bool *stored;
} cells_work;

static void do_range(void *context, int thread, int64_t begin, int64_t end)
{
    const cells_work *of = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        if (!is_stopped(of->work)) {
            do_task(of->work, i, 1, of->stored);
        }
    }
}

static void do_tasks(job *work, bool *stored)
{
    int threads = work->request->threads;
    cells_work of = {work, stored};
    og_parallel_ranges(threads, work->task_count, 1, do_range, &of);
    for (int64_t i = 0; i < work->task_count; i++) {
        if (work->tasks[i].large && !stored[i] && !is_stopped(work)) {
            tell(work, stored, &work->tasks[i]);
            do_task(work, i, threads, stored);
        }
    }
}

static og_status sweep(job *work, og_message *message)
{
    const og_sweep_request *request = work->request;
    OG_TRY(forget_policies(request, message));
    og_status status = list_tasks(work, message);
    if (status != OG_OK || work->task_count == 0) {
        return status;
    }
    status = og_study_db_begin(request->db, request->command, request->program, request->commit,
                               &work->run, message);
    if (status != OG_OK) {
        return status;
    }
    bool *stored = calloc((size_t)work->task_count, sizeof *stored);
    if (stored == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    tell(work, stored, NULL);
    do_tasks(work, stored);
    free(stored);
    work->out->interrupted = work->status == OG_OK && atomic_load(&work->stop);
    if (work->status != OG_OK && message != NULL) {
        *message = work->message;
    }
    return work->status;
}

og_status og_sweep_run(const og_sweep_request *request, og_sweep_result *out, og_message *message)
{
    og_sweep_result found = {0};
    job work = {.request = request, .out = &found};
    og_lock_init(&work.lock);
    og_status status = sweep(&work, message);
    og_lock_clear(&work.lock);
    free(work.tasks);
    free(work.hash);
    if (status == OG_OK) {
        *out = found;
    }
    return status;
}
