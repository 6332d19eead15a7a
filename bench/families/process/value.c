/* Values of a process: the optimum, which its table has, and strategies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/problem.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"

typedef struct {
    og_arena arena;
    const process *problem;
    og_value_asked question;
    og_settings settings;
} solved;

static og_status value_exactly(solved *s, og_message *message)
{
    return og_process_exact(s->problem->table, s->settings.memory_bytes, og_stop_of(&s->settings),
                            message);
}

static og_status value_strategy(solved *s, og_value_found *out, og_message *message)
{
    const og_process_table *table = s->problem->table;
    og_process_valued found = {.exact = s->question.fractions ? out->value : NULL};
    OG_TRY(og_process_value(table, s->question.by, s->question.ties, s->settings.memory_bytes,
                            og_stop_of(&s->settings), &found, message));
    out->tolerance_ties = found.tolerance_ties;
    out->result.value = found.value;
    out->result.error_bound = og_process_error(table, table->acts_max, false);
    out->result.states = out->result.expanded = found.reached;
    out->result.by_stages = true;
    out->result.memory_bytes = table->bytes + found.bytes;
    return OG_OK;
}

static og_status value_optimum(solved *s, og_value_found *out, og_message *message)
{
    const og_process_table *table = s->problem->table;
    OG_TRY(s->question.fractions ? value_exactly(s, message) : OG_OK);
    if (s->question.fractions) {
        mpq_set(out->value, table->value_exact[0]);
    }
    out->result.value = table->value[0];
    out->result.error_bound = og_process_error(table, 0, false);
    out->result.states = out->result.expanded = table->state_count;
    out->result.by_stages = true;
    out->result.memory_bytes = table->bytes;
    out->result.seconds = s->problem->found_seconds;
    return OG_OK;
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    solved *s = self;
    og_value_found found = {.called_value = NAN, .value = out->value, .gain = out->gain};
    double begun = og_seconds();
    OG_TRY(s->question.by != NULL ? value_strategy(s, &found, message)
                                  : value_optimum(s, &found, message));
    if (s->question.fractions) {
        mpq_set(found.gain, found.value);
        found.result.value = og_nearest(found.value);
        found.result.error_bound = fabs(found.result.value) * 0x1p-53;
    }
    found.result.gain = found.result.value;
    found.result.seconds += og_seconds() - begun;
    *out = found;
    return OG_OK;
}

static og_status q(void *self, const og_act_open *open, int32_t count, double *values,
                   double *error, og_message *message)
{
    const solved *s = self;
    const og_process_table *table = s->problem->table;
    (void)message;
    for (int32_t i = 0; i < count; i++) {
        values[i] = og_process_q(table, table->value, table->act_first[0] + open[i].act.part[0]);
        error[i] = og_process_error(table, 0, false);
    }
    return OG_OK;
}

static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *values,
                         og_message *message)
{
    solved *s = self;
    const og_process_table *table = s->problem->table;
    OG_TRY(value_exactly(s, message));
    for (int32_t i = 0; i < count; i++) {
        og_process_q_exact(table, table->value_exact, table->act_first[0] + open[i].act.part[0],
                           values[i]);
    }
    return OG_OK;
}

static og_status picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message)
{
    const solved *s = self;
    const og_process_view root = {s->problem->table, 0};
    const og_strategy_view view = {.state = &root, .open = open, .count = count};
    return og_strategy_picks(s->question.by, view, pick, index, message);
}

og_status process_solve(const void *problem, const og_value_asked *question,
                        const og_settings *settings, og_solution *out, og_message *message)
{
    solved *s = og_arena_new(sizeof *s);
    (void)message;
    OG_TRY(OG_ALLOCATED(s));
    s->problem = problem;
    s->question = *question;
    s->settings = *settings;
    *out = (og_solution){.self = s,
                         .value = value,
                         .q = q,
                         .q_exact = q_exact,
                         .picks = picks,
                         .free = og_arena_free};
    return OG_OK;
}
