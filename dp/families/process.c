/*
 * Solves a process that was found, by backward induction over the table, and values strategies on
 * it. No function here calls itself, so that paths may have any length.
 */
#include "dp/families/process.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/rational.h"
#include "dp/families/process_parts.h"

enum { LOOK_EVERY = 4096, NOWHERE = 0 };

/* ---- order and heights ---- */

static uint32_t first_outcome(const og_process_table *table, uint32_t state)
{
    return table->act[table->act_first[state]].outcome_first;
}

static uint32_t outcome_after(const og_process_table *table, uint32_t state)
{
    return first_outcome(table, state + 1);
}

/* Kahn's order; returns how many states got a place: all but those on and after a cycle. `in`
 * counts the outcomes that lead to a state and were not passed. */
static uint32_t order_states(og_process_table *table, uint32_t *in)
{
    uint32_t placed = 1;
    for (uint32_t k = 0; k < table->outcome_count; k++) {
        in[table->outcome[k].next]++;
    }
    table->order[0] = 0;
    if (in[0] > 0) {
        return 0;
    }
    for (uint32_t i = 0; i < placed; i++) {
        uint32_t state = table->order[i], after = outcome_after(table, state);
        for (uint32_t k = first_outcome(table, state); k < after; k++) {
            uint32_t next = table->outcome[k].next;
            if (--in[next] == 0) {
                table->order[placed++] = next;
            }
        }
    }
    return placed;
}

typedef struct {
    uint32_t state, outcome;
} step;

/* A walk from the root through states without a place, depth first: the first outcome that leads
 * back into its own path closes a cycle. path[count] and `at`, where it begins. */
static uint32_t find_cycle(const og_process_table *table, const uint32_t *in, uint8_t *mark,
                           step *path, uint32_t *count)
{
    enum { ON_PATH = 1, DONE = 2 };
    for (uint32_t root = 0; root < table->state_count; root++) {
        if (in[root] == 0 || mark[root] != 0) {
            continue;
        }
        *count = 0;
        path[(*count)++] = (step){root, first_outcome(table, root)};
        mark[root] = ON_PATH;
        while (*count > 0) {
            step *last = &path[*count - 1];
            if (last->outcome == outcome_after(table, last->state)) {
                mark[last->state] = DONE;
                --*count;
                continue;
            }
            uint32_t next = table->outcome[last->outcome++].next;
            if (mark[next] == ON_PATH) {
                uint32_t at = 0;
                while (path[at].state != next) {
                    at++;
                }
                return at;
            }
            if (mark[next] == 0 && in[next] > 0) {
                path[(*count)++] = (step){next, first_outcome(table, next)};
                mark[next] = ON_PATH;
            }
        }
    }
    return NOWHERE;
}

/* Names at most so many states of a cycle, from the one that was found first. */
static og_status tell_cycle(const og_process_table *table, const step *path, uint32_t count,
                            og_message *message)
{
    enum { NAMED = 4 };
    char words[OG_MESSAGE_BYTES] = "", text[OG_PROCESS_SHOWN];
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++) {
        least = path[i].state < path[least].state ? i : least;
    }
    for (uint32_t i = 0; i <= count; i++) {
        if (i < NAMED || i == count) {
            size_t used = strlen(words);
            og_process_state_text(table, path[(least + i) % count].state, text, sizeof text);
            snprintf(words + used, sizeof words - used, "%s%s%s", i > 0 ? ", " : "",
                     i == count && count > NAMED ? "..., " : "", text);
        }
    }
    og_process_state_text(table, path[least].state, text, sizeof text);
    return og_message_set(message, OG_BAD_INPUT, "process: state '%s' leads back to itself: %s",
                          text, words);
}

static og_status refuse_cycle(const og_process_table *table, const uint32_t *in,
                              og_message *message)
{
    og_arena arena = {0};
    uint8_t *mark = og_arena_array(&arena, table->state_count, sizeof *mark);
    step *path = og_arena_array(&arena, table->state_count, sizeof *path);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        uint32_t count = 0, at = find_cycle(table, in, mark, path, &count);
        status = tell_cycle(table, path + at, count - at, message);
    }
    og_arena_clear(&arena);
    return status;
}

static void find_heights(og_process_table *table)
{
    for (uint32_t i = table->state_count; i-- > 0;) {
        uint32_t state = og_process_at(table, i), height = 0;
        uint32_t after = outcome_after(table, state);
        for (uint32_t k = first_outcome(table, state); k < after; k++) {
            uint32_t next = table->height[table->outcome[k].next] + 1;
            height = next > height ? next : height;
        }
        table->height[state] = height;
    }
}

og_status og_process_order(og_process_table *table, bool sorted, og_stop *stop, og_message *message)
{
    size_t count = table->state_count;
    table->height = calloc(count, sizeof *table->height);
    table->order = sorted ? NULL : malloc(count * sizeof *table->order);
    if (table->height == NULL || (!sorted && table->order == NULL)) {
        return OG_NO_MEMORY;
    }
    if (og_stop_look(stop) != OG_LIMIT_NONE) {
        return og_stop_building(message);
    }
    if (!sorted && order_states(table, table->height) < table->state_count) {
        return refuse_cycle(table, table->height, message);
    }
    find_heights(table);
    table->bytes += count * (sizeof *table->height + (sorted ? 0 : sizeof *table->order));
    return OG_OK;
}

/* ---- values ---- */

double og_process_q(const og_process_table *table, const double *value, uint32_t act)
{
    double sum = 0;
    const og_process_outcome *outcome = &table->outcome[table->act[act].outcome_first];
    const og_process_outcome *after = &table->outcome[table->act[act + 1].outcome_first];
    for (; outcome < after; outcome++) {
        sum += outcome->probability * (outcome->reward + value[outcome->next]);
    }
    return sum;
}

static double absolute_q(const og_process_table *table, const double *value, uint32_t act)
{
    double sum = 0;
    for (uint32_t k = table->act[act].outcome_first; k < table->act[act + 1].outcome_first; k++) {
        const og_process_outcome *outcome = &table->outcome[k];
        sum += outcome->probability * (fabs(outcome->reward) + value[outcome->next]);
    }
    return sum;
}

typedef double q_function(const og_process_table *table, const double *value, uint32_t act);

/* The largest value of each state; the ends' values are there. */
static inline og_status induce(const og_process_table *table, q_function *q, double *value,
                               og_stop *stop)
{
    for (uint32_t i = table->state_count; i-- > 0;) {
        uint32_t state = og_process_at(table, i), act = table->act_first[state];
        uint32_t after = table->act_first[state + 1];
        if (i % LOOK_EVERY == 0 && og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        if (act < after) {
            double best = q(table, value, act);
            while (++act < after) {
                double other = q(table, value, act);
                best = other > best ? other : best;
            }
            value[state] = best;
        }
    }
    return OG_OK;
}

static og_status find_absolute(og_process_table *table, og_stop *stop)
{
    double *value = table->value;
    if (table->negative) {
        value = calloc(table->state_count, sizeof *value);
        OG_TRY(OG_ALLOCATED(value));
        for (uint32_t e = 0; e < table->end_count; e++) {
            value[table->end[e].state] = fabs(table->end[e].value);
        }
        og_status status = induce(table, absolute_q, value, stop);
        if (status != OG_OK) {
            free(value);
            return status;
        }
    }
    table->absolute = value[0];
    for (uint32_t s = 0; s < table->state_count; s++) {
        table->absolute_max = fmax(table->absolute_max, value[s]);
    }
    if (table->negative) {
        free(value);
    }
    return OG_OK;
}

static og_status solve(og_process_table *table, og_stop *stop)
{
    table->value = malloc((size_t)table->state_count * sizeof *table->value);
    OG_TRY(OG_ALLOCATED(table->value));
    table->bytes += (uint64_t)table->state_count * sizeof *table->value;
    for (uint32_t e = 0; e < table->end_count; e++) {
        table->value[table->end[e].state] = table->end[e].value;
    }
    OG_TRY(induce(table, og_process_q, table->value, stop));
    return find_absolute(table, stop);
}

double og_process_relative_error(const og_process_table *table, int32_t drawn)
{
    double level = (double)table->outcomes_max + 4 + 2 * (double)drawn;
    double roundings = (level * table->height[0] + 2) * 0x1p-53;
    return roundings < 0x1p-22 ? roundings * (1 + 0x1p-20) : roundings / (1 - 4 * roundings);
}

double og_process_error(const og_process_table *table, int32_t drawn, bool any)
{
    /* Products below the range of doubles lose at most 2^-1074 each. */
    double tiny = (double)table->outcomes_max * table->height[0] * 0x1p-1074;
    double relative = og_process_relative_error(table, drawn);
    return relative * (any ? table->absolute_max : table->absolute) + tiny;
}

og_status og_process_find(const og_process_source *source, uint64_t memory_bytes, og_stop *stop,
                          og_process_table **out, og_message *message)
{
    bool sorted;
    og_process_table *table = calloc(1, sizeof *table);
    OG_TRY(OG_ALLOCATED(table));
    og_status status = og_process_states(source, memory_bytes, stop, table, &sorted, message);
    OG_THEN(status, og_process_order(table, sorted, stop, message));
    if (status == OG_OK) {
        status = solve(table, stop);
        status = status == OG_STOPPED ? og_stop_building(message) : status;
    }
    return OG_MADE(status, table, og_process_free, out);
}

static void free_exact(const og_process_table *table, mpq_t *value)
{
    for (uint32_t s = 0; value != NULL && s < table->state_count; s++) {
        mpq_clear(value[s]);
    }
    free(value);
}

void og_process_free(og_process_table *table)
{
    if (table == NULL) {
        return;
    }
    for (uint32_t i = 0; i < table->number_count; i++) {
        mpq_clear(table->number[i]);
    }
    free(table->key_first);
    free(table->key);
    free(table->act_first);
    free(table->act);
    free(table->outcome);
    free(table->end);
    free(table->name);
    free(table->exact);
    free(table->number);
    free(table->nearest);
    free(table->order);
    free(table->height);
    free(table->value);
    free_exact(table, table->value_exact);
    free(table);
}

og_status og_process_room(const og_process_table *table, uint64_t bytes, uint64_t memory_bytes,
                          og_message *message)
{
    return table->bytes <= memory_bytes && bytes <= memory_bytes - table->bytes
               ? OG_OK
               : og_message_set(message, OG_STOPPED,
                                "the values of %u states do not fit the memory limit",
                                (unsigned)table->state_count);
}

/* ---- fractions ---- */

void og_process_q_exact(const og_process_table *table, mpq_t *value, uint32_t act, mpq_t out)
{
    mpq_t part;
    mpq_init(part);
    mpq_set_ui(out, 0, 1);
    for (uint32_t k = table->act[act].outcome_first; k < table->act[act + 1].outcome_first; k++) {
        mpq_add(part, table->number[table->exact[k][1]], value[table->outcome[k].next]);
        mpq_mul(part, part, table->number[table->exact[k][0]]);
        mpq_add(out, out, part);
    }
    mpq_clear(part);
}

static uint64_t limbs_bytes(mpq_srcptr value)
{
    return (mpz_size(mpq_numref(value)) + mpz_size(mpq_denref(value)) + 4) * sizeof(mp_limb_t);
}

/* Fractions of all states, those of the ends set; the caller frees them in any case. */
static og_status begin_exact(const og_process_table *table, uint64_t memory_bytes, mpq_t **out,
                             uint64_t *bytes, og_message *message)
{
    *bytes = table->state_count * (uint64_t)sizeof **out;
    OG_TRY(og_process_room(table, *bytes, memory_bytes, message));
    *out = malloc(table->state_count * sizeof **out);
    OG_TRY(OG_ALLOCATED(*out));
    for (uint32_t s = 0; s < table->state_count; s++) {
        mpq_init((*out)[s]);
    }
    for (uint32_t e = 0; e < table->end_count; e++) {
        mpq_set((*out)[table->end[e].state], table->number[table->end[e].exact]);
    }
    return OG_OK;
}

static og_status check_exact(const og_process_table *table, uint64_t bytes, uint64_t memory_bytes,
                             og_stop *stop, og_message *message)
{
    OG_TRY(og_process_room(table, bytes, memory_bytes, message));
    return og_stop_asked(stop) ? og_stop_building(message) : OG_OK;
}

static og_status induce_exactly(const og_process_table *table, uint64_t memory_bytes, og_stop *stop,
                                mpq_t *value, uint64_t *bytes, mpq_t q, og_message *message)
{
    for (uint32_t i = table->state_count; i-- > 0;) {
        uint32_t state = og_process_at(table, i), after = table->act_first[state + 1];
        for (uint32_t act = table->act_first[state]; act < after; act++) {
            og_process_q_exact(table, value, act, q);
            if (act == table->act_first[state] || mpq_cmp(q, value[state]) > 0) {
                mpq_set(value[state], q);
            }
        }
        *bytes += limbs_bytes(value[state]);
        OG_TRY(check_exact(table, *bytes, memory_bytes, stop, message));
    }
    return OG_OK;
}

og_status og_process_exact(og_process_table *table, uint64_t memory_bytes, og_stop *stop,
                           og_message *message)
{
    mpq_t *value = NULL, q;
    uint64_t bytes;
    if (table->value_exact != NULL) {
        return OG_OK;
    }
    mpq_init(q);
    og_status status = begin_exact(table, memory_bytes, &value, &bytes, message);
    OG_THEN(status, induce_exactly(table, memory_bytes, stop, value, &bytes, q, message));
    mpq_clear(q);
    if (status != OG_OK) {
        free_exact(table, value);
        return status;
    }
    table->value_exact = value;
    table->bytes += bytes;
    return OG_OK;
}

/* ---- strategies ---- */

enum { UNREACHED, BY_MEAN, BY_MAX, BY_MIN };

typedef struct {
    og_arena arena;
    const og_process_table *table;
    const og_strategy *by;
    og_ties ties;
    uint8_t *how;      /* [state_count] */
    double *weight;    /* [act_count + 1] of the acts of reached states */
    double *value;     /* [state_count] */
    og_act_open *open; /* [acts_max + 1] */
    double *answer;    /* [acts_max + 1] the last: of stopping */
    void *scratch;
    uint64_t reached, apart;
} followed;

int32_t og_process_open(const og_process_table *table, uint32_t state, og_act_open *open)
{
    uint32_t count = og_process_acts(table, state);
    for (uint32_t a = 0; a < count; a++) {
        open[a] = (og_act_open){og_process_act_of(table, state, a), 1};
    }
    return (int32_t)count;
}

/* Asks the strategy about a state, and marks the states that follow its acts. */
static og_status follow(followed *f, uint32_t state, og_message *message)
{
    const og_process_table *table = f->table;
    const og_process_view seen = {table, state};
    uint32_t first = table->act_first[state];
    double *weight = f->weight + first;
    og_answer kind = OG_ANSWER_INDEX;
    int32_t apart = 0, count = og_process_open(table, state, f->open);
    const og_strategy_view view = {
        .scratch = f->scratch, .state = &seen, .open = f->open, .count = count};
    bool best = f->ties == OG_TIES_BEST, either = best || f->ties == OG_TIES_WORST;
    f->reached++;
    if (count == 0) {
        return OG_OK;
    }
    f->answer[count] = -INFINITY;
    OG_TRY(f->by->choose(f->by->self, &view, f->answer, &kind, message));
    OG_TRY(og_strategy_weigh(f->by, kind, either ? OG_TIES_RANDOM : f->ties, f->open, count,
                             f->answer, &apart, message));
    assert(f->answer[count] == 0);
    memcpy(weight, f->answer, (size_t)count * sizeof *weight);
    f->apart += (uint64_t)apart;
    f->how[state] = either && kind == OG_ANSWER_INDEX ? best ? BY_MAX : BY_MIN : BY_MEAN;
    for (int32_t a = 0; a < count; a++) {
        const og_process_act *act = &table->act[first + (uint32_t)a];
        for (uint32_t k = act[0].outcome_first; weight[a] > 0 && k < act[1].outcome_first; k++) {
            uint8_t *how = &f->how[table->outcome[k].next];
            *how = *how == UNREACHED ? BY_MEAN : *how;
        }
    }
    return OG_OK;
}

static og_status follow_all(followed *f, og_stop *stop, og_message *message)
{
    f->how[0] = BY_MEAN;
    for (uint32_t i = 0; i < f->table->state_count; i++) {
        uint32_t state = og_process_at(f->table, i);
        if (i % LOOK_EVERY == 0 && og_stop_asked(stop)) {
            return og_message_set(message, OG_STOPPED, "the work was stopped");
        }
        if (f->how[state] != UNREACHED) {
            OG_TRY(follow(f, state, message));
        }
    }
    return OG_OK;
}

static double combine(const followed *f, uint32_t state)
{
    const og_process_table *table = f->table;
    double sum = 0, weights = 0, most = NAN;
    uint8_t how = f->how[state];
    for (uint32_t act = table->act_first[state]; act < table->act_first[state + 1]; act++) {
        if (f->weight[act] > 0) {
            double q = og_process_q(table, f->value, act);
            sum += f->weight[act] * q;
            weights += f->weight[act];
            most = isnan(most) || (how == BY_MAX ? q > most : q < most) ? q : most;
        }
    }
    return how == BY_MEAN ? sum / weights : most;
}

static void value_all(followed *f)
{
    const og_process_table *table = f->table;
    for (uint32_t e = 0; e < table->end_count; e++) {
        f->value[table->end[e].state] = table->end[e].value;
    }
    for (uint32_t i = table->state_count; i-- > 0;) {
        uint32_t state = og_process_at(table, i);
        if (f->how[state] == UNREACHED) {
            f->value[state] = NAN;
        } else if (og_process_acts(table, state) > 0) {
            f->value[state] = combine(f, state);
        }
    }
}

static void combine_exactly(const followed *f, mpq_t *value, uint32_t state, mpq_t q, mpq_t weights)
{
    const og_process_table *table = f->table;
    uint8_t how = f->how[state];
    bool first = true;
    mpq_t weight;
    mpq_init(weight);
    mpq_set_ui(weights, 0, 1);
    for (uint32_t act = table->act_first[state]; act < table->act_first[state + 1]; act++) {
        if (f->weight[act] > 0) {
            og_process_q_exact(table, value, act, q);
            int over = first ? 0 : mpq_cmp(q, value[state]);
            if (how == BY_MEAN) {
                mpq_set_d(weight, f->weight[act]);
                mpq_add(weights, weights, weight);
                mpq_mul(q, q, weight);
                mpq_add(value[state], value[state], q);
            } else if (first || (how == BY_MAX ? over > 0 : over < 0)) {
                mpq_set(value[state], q);
            }
            first = false;
        }
    }
    if (how == BY_MEAN) {
        mpq_div(value[state], value[state], weights);
    }
    mpq_clear(weight);
}

static og_status value_exactly(const followed *f, uint64_t memory_bytes, og_stop *stop,
                               og_process_valued *out, og_message *message)
{
    const og_process_table *table = f->table;
    mpq_t *value = NULL, q, weights;
    uint64_t bytes = 0;
    mpq_inits(q, weights, NULL);
    og_status status = begin_exact(table, memory_bytes, &value, &bytes, message);
    for (uint32_t i = table->state_count; status == OG_OK && i-- > 0;) {
        uint32_t state = og_process_at(table, i);
        if (f->how[state] != UNREACHED && og_process_acts(table, state) > 0) {
            combine_exactly(f, value, state, q, weights);
        }
        bytes += limbs_bytes(value[state]);
        status = check_exact(table, bytes, memory_bytes, stop, message);
    }
    if (status == OG_OK) {
        mpq_set(out->exact, value[0]);
    }
    out->bytes += bytes;
    mpq_clears(q, weights, NULL);
    free_exact(table, value);
    return status;
}

static og_status follow_and_value(followed *f, uint64_t memory_bytes, og_stop *stop,
                                  og_process_valued *out, og_message *message)
{
    OG_TRY(follow_all(f, stop, message));
    value_all(f);
    out->value = f->value[0];
    out->reached = f->reached;
    out->tolerance_ties = f->apart;
    return out->exact != NULL ? value_exactly(f, memory_bytes, stop, out, message) : OG_OK;
}

og_status og_process_value(const og_process_table *table, const og_strategy *by, og_ties ties,
                           uint64_t memory_bytes, og_stop *stop, og_process_valued *out,
                           og_message *message)
{
    size_t states = table->state_count, acts = table->act_count;
    followed f = {.table = table, .by = by, .ties = ties};
    out->bytes = states * (1 + sizeof *f.value) + acts * sizeof *f.weight;
    OG_TRY(og_process_room(table, out->bytes, memory_bytes, message));
    f.how = og_arena_array(&f.arena, states, sizeof *f.how);
    f.weight = og_arena_array(&f.arena, acts + 1, sizeof *f.weight);
    f.value = out->values != NULL ? out->values : og_arena_array(&f.arena, states, sizeof *f.value);
    f.open = og_arena_array(&f.arena, (size_t)table->acts_max + 1, sizeof *f.open);
    f.answer = og_arena_array(&f.arena, (size_t)table->acts_max + 1, sizeof *f.answer);
    f.scratch = og_arena_array(&f.arena, by->scratch_bytes + 1, 1);
    og_status status = og_arena_status(&f.arena);
    OG_THEN(status, follow_and_value(&f, memory_bytes - out->bytes, stop, out, message));
    og_arena_clear(&f.arena);
    return status;
}
