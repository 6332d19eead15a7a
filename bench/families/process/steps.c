/*
 * A process state by state. A key is the number of a state plus 1 and, for play, the bits of the
 * reward earned so far. Ends have no key, but for fractions, where their value is the value
 * counted.
 */
#include <math.h>
#include <string.h>

#include "bench/families/process/problem.h"
#include "dp/base/arena.h"

typedef struct {
    og_arena arena;
    og_process_table *table;
    bool earns;          /* keys have the reward earned */
    const double *value; /* [state_count] */
    double error;
    bool exact;
    og_expansion x;
    og_process_view now, next; /* the current state; an end */
    double earned;             /* before the current state */
} stepper;

static uint32_t act_first(const stepper *s)
{
    return s->table->act_first[s->now.state];
}

static void place(stepper *s, uint32_t state, double earned, og_step_state *out)
{
    const og_process_table *table = s->table;
    bool end = og_process_acts(table, state) == 0;
    out->stage = (int32_t)table->height[state];
    out->words = end && !s->exact ? 0 : s->earns ? 2 : 1;
    out->key[0] = (uint64_t)state + 1;
    if (s->earns) {
        memcpy(&out->key[1], &earned, sizeof earned);
    }
    s->next = (og_process_view){table, state};
    out->value = out->words == 0 ? earned + table->value[state] : 0;
    out->state = &s->next;
}

static void root(void *self, og_step_state *out)
{
    place(self, 0, 0, out);
    out->probability = 1;
}

static og_status take(void *self, const og_step_state *at, og_step_view *out, og_message *message)
{
    stepper *s = self;
    const og_process_table *table = s->table;
    (void)message;
    s->now = (og_process_view){table, (uint32_t)(at->key[0] - 1)};
    if (s->earns) {
        memcpy(&s->earned, &at->key[1], sizeof s->earned);
    }
    uint32_t first = act_first(s), base = table->act[first].outcome_first;
    s->x.combine = OG_COMBINE_MAX;
    s->x.action_count = (int32_t)og_process_acts(table, s->now.state);
    for (int32_t a = 0; a < s->x.action_count; a++) {
        uint32_t act = first + (uint32_t)a, from = table->act[act].outcome_first;
        og_action *action = &s->x.action[a];
        *action = (og_action){.weight = 1,
                              .bound = INFINITY,
                              .outcome_first = (int32_t)(from - base),
                              .outcome_count = (int32_t)og_process_outcomes(table, act)};
        for (uint32_t k = from; k < table->act[act + 1].outcome_first; k++) {
            const og_process_outcome *outcome = &table->outcome[k];
            action->reward += outcome->probability * outcome->reward;
            s->x.outcome[k - base] = (og_outcome){.probability = outcome->probability,
                                                  .bound = INFINITY,
                                                  .from = k,
                                                  .to = outcome->next};
        }
    }
    *out =
        (og_step_view){.left = (int32_t)table->height[s->now.state], .state = &s->now, .x = &s->x};
    return OG_OK;
}

static og_act act(void *self, const og_action *action)
{
    const stepper *s = self;
    return og_process_act_of(s->table, s->now.state, (uint32_t)(action - s->x.action));
}

static double reward(void *self, const og_action *action, mpq_ptr exact)
{
    const stepper *s = self;
    const og_process_table *table = s->table;
    mpq_t part;
    if (exact != NULL && s->exact) {
        mpq_init(part);
        mpq_set_ui(exact, 0, 1);
        for (int32_t i = 0; i < action->outcome_count; i++) {
            uint32_t k = s->x.outcome[action->outcome_first + i].from;
            mpq_mul(part, table->number[table->exact[k][0]], table->number[table->exact[k][1]]);
            mpq_add(exact, exact, part);
        }
        mpq_clear(part);
    }
    return action->reward;
}

static int32_t answer(void *self, const og_outcome *outcome, og_act *done)
{
    const stepper *s = self;
    *done = og_process_act_of(s->table, s->now.state, 0);
    return (int32_t)outcome->to;
}

static void next(void *self, const og_outcome *outcome, og_step_state *out)
{
    stepper *s = self;
    out->probability = outcome->probability;
    place(s, outcome->to, s->earned + s->table->outcome[outcome->from].reward, out);
}

/* ---- values ---- */

static og_status value_of(void *self, double *value, double *error, og_message *message)
{
    const stepper *s = self;
    (void)message;
    *value = s->value[s->now.state];
    *error = s->error;
    return OG_OK;
}

static og_status q_of(void *self, int32_t action, double *q, double *error, og_message *message)
{
    const stepper *s = self;
    (void)message;
    *q = og_process_q(s->table, s->value, act_first(s) + (uint32_t)action);
    *error = s->error;
    return OG_OK;
}

static og_status q_all(void *self, double *q, double *error, og_message *message)
{
    const stepper *s = self;
    for (int32_t a = 0; a < s->x.action_count; a++) {
        OG_TRY(q_of(self, a, &q[a], &error[a], message));
    }
    return OG_OK;
}

static void counted(void *self, double *value, mpq_ptr exact)
{
    const stepper *s = self;
    bool end = s->x.action_count == 0;
    *value = end ? s->table->value[s->now.state] : 0;
    mpq_set_ui(exact, 0, 1);
    if (end) {
        mpq_set(exact, s->table->value_exact[s->now.state]);
    }
}

static og_status q_exact(void *self, mpq_t *q, og_message *message)
{
    stepper *s = self;
    (void)message;
    for (int32_t a = 0; a < s->x.action_count; a++) {
        og_process_q_exact(s->table, s->table->value_exact, act_first(s) + (uint32_t)a, q[a]);
    }
    return OG_OK;
}

static void probability_exact(void *self, const og_outcome *outcome, mpq_ptr exact)
{
    const stepper *s = self;
    mpq_set(exact, s->table->number[s->table->exact[outcome->from][0]]);
}

/* ---- making ---- */

/* Acts and outcomes of the state with most. */
static uint32_t most_outcomes(const og_process_table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->state_count; i++) {
        uint32_t count = table->act[table->act_first[i + 1]].outcome_first -
                         table->act[table->act_first[i]].outcome_first;
        most = count > most ? count : most;
    }
    return most;
}

static og_status make(stepper *s, const og_steps_use *use, og_message *message)
{
    og_process_table *table = s->table;
    og_stop *stop = og_stop_of(&use->settings);
    double *own = NULL;
    s->x.action = og_arena_array(&s->arena, (size_t)table->acts_max, sizeof *s->x.action);
    s->x.outcome = og_arena_array(&s->arena, most_outcomes(table), sizeof *s->x.outcome);
    s->value = table->value;
    s->error = og_process_error(table, 0, true);
    if (use->by != NULL) {
        own = og_arena_array(&s->arena, table->state_count, sizeof *own);
        s->value = own;
        s->error = og_process_error(table, table->acts_max, true);
    }
    OG_TRY(og_arena_status(&s->arena));
    og_process_valued valued = {.values = own};
    OG_TRY(use->by != NULL ? og_process_value(table, use->by, use->ties, use->settings.memory_bytes,
                                              stop, &valued, message)
                           : OG_OK);
    return use->exact ? og_process_exact(table, use->settings.memory_bytes, stop, message) : OG_OK;
}

og_status process_steps(const void *problem, const og_steps_use *use, og_steps *out,
                        og_message *message)
{
    const process *own = problem;
    if (use->exact && !own->table->rational) {
        mpq_t none;
        double value, error;
        mpq_init(none);
        og_status refused =
            og_family_prior(&og_family_process, problem, &value, &error, none, message);
        mpq_clear(none);
        return refused;
    }
    stepper *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->table = own->table;
    s->earns = use->apart && !use->exact;
    s->exact = use->exact;
    og_status status = make(s, use, message);
    if (status != OG_OK) {
        og_arena_free(s);
        return status;
    }
    *out = (og_steps){.self = s,
                      .key_words_max = 2,
                      .acts_max = own->table->acts_max + 1,
                      .budget = (int32_t)own->table->height[0],
                      .losses = true,
                      .either_sign = true,
                      .root = root,
                      .take = take,
                      .act = act,
                      .reward = reward,
                      .answer = answer,
                      .next = next,
                      .value = value_of,
                      .q = q_all,
                      .q_of = q_of,
                      .counted = use->exact ? counted : NULL,
                      .q_exact = use->exact ? q_exact : NULL,
                      .probability_exact = use->exact ? probability_exact : NULL,
                      .free = og_arena_free};
    return OG_OK;
}
