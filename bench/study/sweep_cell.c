/* Computes one cell of a sweep: calls og_compare_run or og_simulate_run on its problem and copies
 * the stored results. */
#include "bench/study/sweep_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/questions/bounds.h"
#include "bench/questions/compare.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "bench/study/cell_law.h"
#include "dp/product/forecast.h"

static bool limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

og_cell_key og_sweep_key(const og_study *study, const og_sweep_task *task)
{
    return (og_cell_key){.prior = study->priors[task->prior],
                         .instances = task->instances,
                         .budget = task->budget,
                         .runs = study->runs,
                         .seed = study->seed,
                         .truth = study->laws[task->law]};
}

og_status og_sweep_hash_files(const og_study *study, uint64_t *hash, og_message *message)
{
    for (int32_t i = 0; i < study->policy_count; i++) {
        OG_TRY(og_policy_name_file_hash(study->policies[i].name, &hash[i], message));
    }
    return OG_OK;
}

og_status og_sweep_cell_begin(const og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    const og_study *study = work->study;
    const og_sweep_task *task = cell->task;
    cell->policies =
        og_arena_array(&cell->arena, (size_t)study->policy_count, sizeof *cell->policies);
    cell->hash = og_arena_array(&cell->arena, (size_t)study->policy_count, sizeof *cell->hash);
    og_groups_init(&cell->problem, 0);
    OG_TRY(og_arena_status(&cell->arena));
    OG_TRY(og_sweep_hash_files(study, cell->hash, message));
    const char *prior = study->priors[task->prior];
    og_status status =
        og_study_family_read(prior, task->instances, task->budget, &cell->family, message);
    if (status == OG_OK && !cell->family.by_words) {
        status = og_study_problem(prior, task->instances, task->budget, &cell->problem, message);
    }
    cell->found.key = og_sweep_key(study, task);
    cell->found.threads = cell->threads;
    cell->found.memory_bytes = cell->memory_bytes;
    return status;
}

void og_sweep_cell_clear(og_sweep_cell *cell)
{
    og_groups_clear(&cell->problem);
    og_study_family_clear(&cell->family);
    og_arena_clear(&cell->arena);
}

static void forget(og_cell_row *row)
{
    row->value = row->gain = row->error = row->low = row->high = NAN;
    row->standard_error = row->correct = row->correct_low = row->correct_high = NAN;
    row->seconds = NAN;
}

og_status og_sweep_cell_rows(og_sweep_cell *cell)
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

/* Mark a cell without any result within the limit. */
static void fail_cell(og_sweep_cell *cell, og_cell_status status, const og_message *message)
{
    cell->found.status = status;
    snprintf(cell->found.reason, sizeof cell->found.reason, "%.150s", message->text);
    for (int32_t i = 0; i < cell->found.row_count; i++) {
        og_cell_row *row = &cell->found.rows[i];
        snprintf(row->reason, sizeof row->reason, "%.150s", message->text);
    }
}

/* Copy the bounds that have columns; for other families only the least is stored. */
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

/* Copy the results of og_compare_run. */
static void take_comparison(const og_study *study, const og_comparison *from, og_sweep_cell *cell)
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

static og_status value_exactly(og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    const og_study *study = work->study;
    og_comparison found = {0};
    void *problem = NULL;
    const og_family *family = cell->family.family;
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = cell->threads;
    settings.memory_bytes = cell->memory_bytes;
    settings.stop_when_full = !cell->task->large;
    const og_problem_text given = og_study_family_given(&cell->family, &cell->problem);
    og_status status = family->open(&given, &settings, &problem, message);
    og_study_law law = {.believed = false};
    OG_THEN(status, og_study_law_read(cell->found.key.truth, cell->task->instances, &law, message));
    if (status == OG_OK) {
        const og_compare_under under = {.truth = law.actual ? &law.truth : NULL,
                                        .believed = law.believed ? &law.belief : NULL};
        settings = og_stop_settings(&settings, &work->stop);
        og_asked asked = og_asked_about(family, problem, &settings);
        asked.policies = cell->policies;
        asked.policy_count = cell->policy_count;
        asked.request.ties = cell->ties;
        asked.request.ties_count = cell->ties_count;
        asked.request.policy_states_max = study->policy_states_max;
        asked.request.seconds_max = work->grid->cell_seconds_max;
        status = og_compare_run(&asked, &under, &found, message);
    }
    family->close(problem);
    if (limit_reached(status)) {
        cell->short_of_memory = true;
        og_message_complete(message, status);
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

static og_settings settings_of(const og_sweep_cell *cell)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = cell->threads;
    settings.memory_bytes = cell->memory_bytes;
    return settings;
}

static og_status open_cell(const og_sweep_cell *cell, void **problem, og_message *message)
{
    const og_settings settings = settings_of(cell);
    const og_problem_text given = og_study_family_given(&cell->family, &cell->problem);
    return *problem != NULL ? OG_OK
                            : cell->family.family->open(&given, &settings, problem, message);
}

static og_status find_bounds(const og_sweep_cell *cell, void **problem, og_cell *to)
{
    const og_settings settings = settings_of(cell);
    og_bounds found = {0};
    OG_TRY(open_cell(cell, problem, NULL));
    const og_asked asked = og_asked_about(cell->family.family, *problem, &settings);
    og_status status = og_bounds_find(&asked, &settings, &found, NULL);
    if (status == OG_OK) {
        double least = og_bounds_least(&found);
        take_bounds(cell->family.family, &found, to);
        to->upper = isfinite(least) ? least : NAN;
    }
    og_bounds_clear(&found);
    return limit_reached(status) ? OG_OK : status;
}

static og_status take_labels(const og_simulation *from, const og_study *study, og_sweep_cell *cell)
{
    size_t size = (size_t)cell->task->instances;
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

static og_status take_simulation(const og_simulation *from, const og_study *study,
                                 og_sweep_cell *cell)
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

static og_status play(og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    const og_study *study = work->study;
    og_simulation found = {0};
    const og_family *family = cell->family.family;
    void *problem = NULL;
    og_source source;
    const og_settings settings = settings_of(cell);
    const og_asked asked = {.policies = cell->policies,
                            .policy_count = cell->policy_count,
                            .request = {.settings = og_stop_settings(&settings, &work->stop),
                                        .ties = cell->ties,
                                        .ties_count = cell->ties_count,
                                        .runs = study->runs,
                                        .seed = study->seed,
                                        .counts = study->truth.kind == OG_TRUTH_LIST,
                                        .index_seconds_max = study->index_seconds_max,
                                        .seconds_max = work->grid->cell_seconds_max}};
    cell->found.status = OG_CELL_SIMULATED;
    og_status status = family->arms != NULL ? OG_OK : open_cell(cell, &problem, message);
    if (status == OG_OK) {
        source = family->arms != NULL ? og_source_independent(&cell->problem, &study->truth)
                                      : family->source(problem, &study->truth);
        status = og_simulate_run(&asked, &source, &found, message);
    }
    if (limit_reached(status)) {
        cell->short_of_memory = status == OG_NO_MEMORY;
        og_message_complete(message, status);
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

bool og_sweep_cell_fits(const og_sweep_cell *cell)
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
    og_status status = og_arms_new(&cell->problem, &settings, &arms, NULL);
    OG_THEN(status, og_forecast_make(arms, &settings, &forecast, NULL));
    og_arms_free(arms);
    return !limit_reached(status) && forecast.memory_bytes <= (double)cell->memory_bytes;
}

og_status og_sweep_cell_value(og_sweep_job *work, og_sweep_cell *cell, og_message *message)
{
    bool simulated = work->study->runs > 0;
    return simulated ? play(work, cell, message) : value_exactly(work, cell, message);
}
