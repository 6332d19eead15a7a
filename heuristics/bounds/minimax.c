/*
 * Solves the matrix game of minimax.h by adding rows. States are multisets of (class, labels),
 * level by level, each with its successors. Invariant of the rounds: the bounds are those of the
 * best randomized policy and of the best mixture so far, and each row is a policy evaluated under
 * every prior.
 */
#include "heuristics/bounds/minimax.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/grow.h"
#include "dp/base/state_set.h"
#include "dp/base/stop.h"
#include "dp/prior/tails.h"
#include "heuristics/bounds/minimax_game.h"

enum { ROUNDS_MAX = 500, TOLD_STATES_MAX = 5000, CALLS_MAX = 64 };

static const double unit = 0x1p-53;

/* A policy without randomization. */
typedef struct {
    int32_t *choice; /* [states] group in the state's list; NULL: not kept */
    uint64_t *calls; /* [states] bit i: group i is called positive */
} row;

typedef struct {
    og_minimax shown; /* first */
    og_arena arena;
    const og_minimax_question *question;
    og_message *message;
    og_stop *stop;
    int32_t priors, budget;
    uint32_t nodes;     /* number of nodes of one class: n (n + 1) / 2 + s after n labels, s of them
                           positive */
    double *negative;   /* [priors][nodes] probability of a negative label */
    double *positive;   /* [priors][nodes] probability of a positive label */
    double *likelihood; /* [priors][nodes] of the labels in their order */
    double *right[2]; /* [priors][classes * nodes] probability that calling it negative, positive is
                         correct */
    og_state_set *sets; /* all states, by level */
    uint32_t *level;    /* [budget + 2] the first state of each */
    uint64_t *next_at;  /* [next_room - 1 at most] where a state's successors begin */
    uint32_t *next;     /* two for each group: positive, negative */
    size_t next_at_room, next_room, next_count;
    double *value; /* [states][priors] expected correct calls in the end, from here on, under the
                      policy */
    row *rows;     /* [row_count] */
    double *loss;  /* [row_count][priors] */
    size_t rows_room, loss_room;
    int32_t row_count;
    double *drawn, *mixture;      /* [rows], [priors] of this round */
    double *best_weight;          /* [priors] */
    double *best_regret, *errors; /* [priors] */
    double *best_drawn;           /* [rows] */
    size_t drawn_room, best_drawn_room;
    int32_t *number;    /* [policy_count] rows with positive probability */
    double *chance;     /* [policy_count] their probabilities */
    double *lambda;     /* [priors] scratch */
    double value_error; /* relative, of every value */
} minimax;

static og_status no_room(const minimax *m, og_status status)
{
    return og_message_set(m->message, status, "%s",
                          status == OG_STOPPED
                              ? "the states of all policies do not fit the memory limit"
                              : og_status_text(status));
}

/* ---- tables ---- */

static og_status allocate_tables(minimax *m)
{
    size_t priors = (size_t)m->priors, nodes = m->nodes;
    size_t all = nodes * (size_t)m->question->class_count;
    m->positive = og_arena_array(&m->arena, priors * nodes, sizeof *m->positive);
    m->negative = og_arena_array(&m->arena, priors * nodes, sizeof *m->negative);
    m->likelihood = og_arena_array(&m->arena, priors * nodes, sizeof *m->likelihood);
    m->right[0] = og_arena_array(&m->arena, priors * all, sizeof **m->right);
    m->right[1] = og_arena_array(&m->arena, priors * all, sizeof **m->right);
    m->level = og_arena_array(&m->arena, (size_t)m->budget + 2, sizeof *m->level);
    m->mixture = og_arena_array(&m->arena, priors, sizeof *m->mixture);
    m->best_weight = og_arena_array(&m->arena, priors, sizeof *m->best_weight);
    m->best_regret = og_arena_array(&m->arena, priors, sizeof *m->best_regret);
    m->errors = og_arena_array(&m->arena, priors, sizeof *m->errors);
    m->lambda = og_arena_array(&m->arena, priors, sizeof *m->lambda);
    return og_arena_status(&m->arena);
}

static og_status fill_node(minimax *m, int32_t f, int32_t s, int32_t n)
{
    const og_group *prior = &m->question->prior[f];
    uint32_t node = (uint32_t)n * ((uint32_t)n + 1) / 2 + (uint32_t)s;
    size_t at = (size_t)f * m->nodes + node;
    double a = og_fraction_double(prior->a) + s, b = og_fraction_double(prior->b) + (n - s);
    m->positive[at] = a / (a + b);
    m->negative[at] = b / (a + b);
    m->likelihood[at] = 1;
    if (n > 0) { /* the last of them was positive, if any */
        uint32_t before = (uint32_t)n * ((uint32_t)n - 1) / 2 + (uint32_t)(s > 0 ? s - 1 : 0);
        size_t from = (size_t)f * m->nodes + before;
        m->likelihood[at] = m->likelihood[from] * (s > 0 ? m->positive : m->negative)[from];
    }
    for (int32_t c = 0; c < m->question->class_count; c++) {
        og_group group = {.a = og_fraction_plus(prior->a, s),
                          .b = og_fraction_plus(prior->b, n - s),
                          .threshold = m->question->threshold[c],
                          .count = 1};
        size_t call = ((size_t)f * (size_t)m->question->class_count + (size_t)c) * m->nodes + node;
        OG_TRY(og_beta_tails(&group, &m->right[0][call], &m->right[1][call]));
    }
    return OG_OK;
}

static og_status fill_tables(minimax *m)
{
    for (int32_t f = 0; f < m->priors; f++) {
        for (int32_t n = 0; n <= m->budget; n++) {
            for (int32_t s = 0; s <= n; s++) {
                og_status status = fill_node(m, f, s, n);
                if (status != OG_OK) {
                    return og_message_set(
                        m->message, status,
                        "the probability of a correct call could not be computed");
                }
            }
            if (og_stop_asked(m->stop)) {
                return og_message_set(m->message, OG_STOPPED, "the work was stopped");
            }
        }
    }
    return OG_OK;
}

/* The labels of a node of any class. */
static void labels_of(const minimax *m, uint32_t member, int32_t *n, int32_t *s)
{
    uint32_t node = member % m->nodes;
    int32_t count = (int32_t)((sqrt(8.0 * node + 1) - 1) / 2);
    while ((uint32_t)(count + 1) * (uint32_t)(count + 2) / 2 <= node) {
        count++;
    }
    while ((uint32_t)count * (uint32_t)(count + 1) / 2 > node) {
        count--;
    }
    *n = count;
    *s = (int32_t)(node - (uint32_t)count * (uint32_t)(count + 1) / 2);
}

/* ---- states ---- */

static og_status note_next(minimax *m, uint32_t next)
{
    uint32_t *longer = og_grown(m->next, &m->next_room, m->next_count + 1, sizeof *longer);
    OG_TRY(OG_ALLOCATED(longer));
    m->next = longer;
    m->next[m->next_count++] = next;
    return OG_OK;
}

static uint64_t bytes_held(const minimax *m)
{
    return og_state_set_bytes(m->sets) + m->next_room * sizeof *m->next +
           m->next_at_room * sizeof *m->next_at +
           (uint64_t)og_state_set_count(m->sets) *
               ((uint64_t)m->priors * sizeof *m->value + 2 * sizeof(uint64_t));
}

/* Adds all successors of a state; `list` and `out` have room for its groups. */
static og_status expand(minimax *m, uint32_t state, og_copies *list, og_copies *out)
{
    int32_t count;
    const og_settings *settings = &m->question->settings;
    const og_copies *at = og_state_set_at(m->sets, state, &count);
    memcpy(list, at, (size_t)count * sizeof *list);
    uint64_t *longer = og_grown(m->next_at, &m->next_at_room, (size_t)state + 2, sizeof *longer);
    OG_TRY(OG_ALLOCATED(longer));
    m->next_at = longer;
    m->next_at[state] = m->next_count;
    for (int32_t i = 0; i < count; i++) {
        int32_t n, s;
        labels_of(m, list[i].member, &n, &s);
        for (int negative = 0; negative < 2; negative++) {
            uint32_t to = list[i].member + (uint32_t)n + 1 + (negative ? 0 : 1), entry;
            bool added;
            int32_t length = og_multiset_replace(list, count, list[i].member, to, out);
            OG_TRY(og_state_set_put(m->sets, out, length, settings->memory_bytes, &entry, &added));
            OG_TRY(note_next(m, entry));
        }
    }
    return bytes_held(m) > settings->memory_bytes ? OG_STOPPED : OG_OK;
}

static og_status look_around(minimax *m)
{
    uint64_t most = m->question->settings.states_max;
    if (most > 0 && og_state_set_count(m->sets) > most) {
        return og_message_set(m->message, OG_STOPPED, "more than %" PRIu64 " states", most);
    }
    return og_stop_asked(m->stop) ? og_message_set(m->message, OG_STOPPED, "the work was stopped")
                                  : OG_OK;
}

static og_status put_root(minimax *m, og_copies *list)
{
    const og_minimax_question *question = m->question;
    uint32_t entry;
    bool added;
    for (int32_t c = 0; c < question->class_count; c++) {
        list[c] = (og_copies){(uint32_t)c * m->nodes, (uint32_t)question->count[c]};
    }
    return og_state_set_put(m->sets, list, question->class_count, question->settings.memory_bytes,
                            &entry, &added);
}

static og_status make_levels(minimax *m, og_copies *list, og_copies *out)
{
    og_status status = put_root(m, list);
    for (int32_t n = 0; status == OG_OK && n < m->budget; n++) {
        m->level[n + 1] = og_state_set_count(m->sets);
        for (uint32_t i = m->level[n]; status == OG_OK && i < m->level[n + 1]; i++) {
            OG_TRY(look_around(m));
            status = expand(m, i, list, out);
        }
    }
    m->level[m->budget + 1] = og_state_set_count(m->sets);
    return status == OG_OK ? OG_OK : no_room(m, status);
}

static og_status make_states(minimax *m)
{
    size_t room = (size_t)m->question->class_count + (size_t)m->budget + 2;
    og_copies *list = og_arena_array(&m->arena, room, sizeof *list);
    og_copies *out = og_arena_array(&m->arena, room, sizeof *out);
    OG_TRY(og_arena_status(&m->arena));
    OG_TRY(og_state_set_new(8, &m->sets));
    OG_TRY(make_levels(m, list, out));
    size_t states = og_state_set_count(m->sets);
    m->shown.states = states;
    m->shown.told = states <= TOLD_STATES_MAX && room <= CALLS_MAX;
    m->value = og_arena_array(&m->arena, states * (size_t)m->priors, sizeof *m->value);
    return og_arena_status(&m->arena);
}

/* ---- the best answer to a mixture ---- */

/* Writes weight * likelihood of the state's labels to m->lambda. */
static void weigh(const minimax *m, const og_copies *list, int32_t count)
{
    for (int32_t f = 0; f < m->priors; f++) {
        double product = m->mixture[f];
        for (int32_t i = 0; i < count; i++) {
            uint32_t node = list[i].member % m->nodes;
            for (uint32_t k = 0; node > 0 && k < list[i].copies; k++) {
                product *= m->likelihood[(size_t)f * m->nodes + node];
            }
        }
        m->lambda[f] = product;
    }
}

/* The last level: the mixture's posterior determines every group's call. */
static void decide(minimax *m, uint32_t state, row *into)
{
    int32_t count;
    size_t classes = (size_t)m->question->class_count * m->nodes;
    const og_copies *list = og_state_set_at(m->sets, state, &count);
    double *value = &m->value[(size_t)state * (size_t)m->priors];
    weigh(m, list, count);
    memset(value, 0, (size_t)m->priors * sizeof *value);
    for (int32_t i = 0; i < count; i++) {
        double sum[2] = {0, 0};
        for (int32_t f = 0; f < m->priors; f++) {
            size_t at = (size_t)f * classes + list[i].member;
            sum[0] += m->lambda[f] * m->right[0][at];
            sum[1] += m->lambda[f] * m->right[1][at];
        }
        bool called = sum[1] >= sum[0];
        for (int32_t f = 0; f < m->priors; f++) {
            value[f] += list[i].copies * m->right[called][(size_t)f * classes + list[i].member];
        }
        if (into->calls != NULL && called) {
            into->calls[state] |= UINT64_C(1) << i;
        }
    }
}

/* Expected correct calls in the end under prior f if a copy of the group is labelled. */
static double labelled(const minimax *m, const uint32_t *next, uint32_t member, int32_t f)
{
    size_t at = (size_t)f * m->nodes + member % m->nodes, priors = (size_t)m->priors;
    return m->positive[at] * m->value[(size_t)next[0] * priors + (size_t)f] +
           m->negative[at] * m->value[(size_t)next[1] * priors + (size_t)f];
}

static void choose(minimax *m, uint32_t state, row *into)
{
    int32_t count, best = 0;
    double most = -1;
    const og_copies *list = og_state_set_at(m->sets, state, &count);
    const uint32_t *next = &m->next[m->next_at[state]];
    double *value = &m->value[(size_t)state * (size_t)m->priors];
    weigh(m, list, count);
    for (int32_t i = 0; i < count; i++) {
        double sum = 0;
        for (int32_t f = 0; f < m->priors; f++) {
            sum += m->lambda[f] * labelled(m, &next[2 * i], list[i].member, f);
        }
        best = sum > most ? i : best;
        most = sum > most ? sum : most;
    }
    for (int32_t f = 0; f < m->priors; f++) {
        value[f] = labelled(m, &next[2 * best], list[best].member, f);
    }
    if (into->choice != NULL) {
        into->choice[state] = best;
    }
}

static og_status add_row(minimax *m)
{
    size_t count = (size_t)m->row_count + 1, states = m->shown.states;
    row *rows = og_grown(m->rows, &m->rows_room, count, sizeof *rows);
    m->rows = rows != NULL ? rows : m->rows;
    double *loss = og_grown(m->loss, &m->loss_room, count * (size_t)m->priors, sizeof *loss);
    m->loss = loss != NULL ? loss : m->loss;
    double *drawn = og_grown(m->drawn, &m->drawn_room, count, sizeof *drawn);
    m->drawn = drawn != NULL ? drawn : m->drawn;
    double *best = og_grown(m->best_drawn, &m->best_drawn_room, count, sizeof *best);
    m->best_drawn = best != NULL ? best : m->best_drawn;
    if (rows == NULL || loss == NULL || drawn == NULL || best == NULL) {
        return no_room(m, OG_NO_MEMORY);
    }
    m->rows[m->row_count] = (row){NULL, NULL};
    if (m->shown.told) {
        m->rows[m->row_count].choice = og_arena_array(&m->arena, states, sizeof(int32_t));
        m->rows[m->row_count].calls = og_arena_array(&m->arena, states, sizeof(uint64_t));
    }
    m->best_drawn[m->row_count] = 0;
    return og_arena_status(&m->arena);
}

/* Adds the mixture's optimal policy as a row; its average regret may raise the lower bound. */
static og_status answer(minimax *m)
{
    OG_TRY(add_row(m));
    row *into = &m->rows[m->row_count];
    for (uint32_t i = m->level[m->budget + 1]; i-- > 0;) {
        if (i >= m->level[m->budget]) {
            decide(m, i, into);
        } else {
            choose(m, i, into);
        }
        if (i % 1024 == 0 && og_stop_asked(m->stop)) {
            return og_message_set(m->message, OG_STOPPED, "the work was stopped");
        }
    }
    const og_minimax_question *question = m->question;
    double best = 0, optimal = 0, weights = 0, unsure = 0;
    for (int32_t f = 0; f < m->priors; f++) {
        double value = m->value[f];
        m->loss[(size_t)m->row_count * (size_t)m->priors + (size_t)f] =
            question->optimal[f] - value;
        weights += m->mixture[f];
        best += m->mixture[f] * value;
        optimal += m->mixture[f] * question->optimal[f];
        unsure += m->mixture[f] * question->optimal_error[f];
    }
    m->row_count++;
    /* At each level the chosen action is as good as the best, up to the errors of the two compared
     * sums: errors of values, likelihoods and summation. */
    double compared = m->value_error + (10.0 * m->budget + m->priors + 4) * unit;
    double slack = 1.02 * (3.0 * m->budget + 4) * compared * best + 4 * m->priors * unit * optimal;
    double lower = (optimal - unsure - best - slack) / weights;
    lower -= 4 * unit * fabs(lower);
    if (lower > m->shown.lower) {
        m->shown.lower = lower;
        memcpy(m->best_weight, m->mixture, (size_t)m->priors * sizeof *m->mixture);
    }
    return OG_OK;
}

/* ---- the game ---- */

/* Keeps the current randomized policy if its largest regret is smaller than that of all earlier
 * ones. */
static void take_drawn(minimax *m)
{
    double largest = -INFINITY, sum = 0;
    for (int32_t k = 0; k < m->row_count; k++) {
        sum += m->drawn[k];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t f = 0; f < m->priors; f++) {
            double regret = 0, scale = fabs(m->question->optimal[f]);
            for (int32_t k = 0; k < m->row_count; k++) {
                regret += m->drawn[k] / sum * m->loss[(size_t)k * (size_t)m->priors + (size_t)f];
            }
            /* A value is at most the optimum; the sums of the rows' losses add rounding. */
            double error = m->question->optimal_error[f] +
                           1.01 * scale * (m->value_error + (m->row_count + 6) * unit);
            if (pass == 0) {
                largest = fmax(largest, regret + error);
            } else {
                m->best_regret[f] = regret;
                m->errors[f] = error;
            }
        }
        if (largest >= m->shown.upper) {
            return;
        }
    }
    m->shown.upper = largest;
    for (int32_t k = 0; k < m->row_count; k++) {
        m->best_drawn[k] = m->drawn[k] / sum;
    }
}

/* True if the bounds are as close as rounding allows, or the last round found a known policy again
 * and so cannot improve them. */
static bool is_settled(const minimax *m)
{
    const double *last = &m->loss[(size_t)(m->row_count - 1) * (size_t)m->priors];
    double largest = 0;
    for (int32_t f = 0; f < m->priors; f++) {
        largest = fmax(largest, m->question->optimal[f]);
    }
    bool again = false;
    for (int32_t k = 0; k + 1 < m->row_count && !again; k++) {
        again = memcmp(&m->loss[(size_t)k * (size_t)m->priors], last,
                       (size_t)m->priors * sizeof *last) == 0;
    }
    return again || m->shown.upper - m->shown.lower <= 1e-12 * largest;
}

static og_status play(minimax *m)
{
    for (int32_t f = 0; f < m->priors; f++) {
        m->mixture[f] = 1.0 / m->priors;
    }
    m->shown.lower = -INFINITY;
    m->shown.upper = INFINITY;
    og_status status = answer(m);
    while (status == OG_OK) {
        m->shown.rounds++;
        status = og_game_solve(m->row_count, m->priors, m->loss, m->drawn, m->mixture);
        if (status != OG_OK) {
            const char *why = status == OG_BAD_INPUT
                                  ? "--minimax needs GLPK, which this build was made without"
                                  : "GLPK could not solve the game";
            og_message_set(m->message, status, "%s", why);
            break;
        }
        take_drawn(m);
        if (m->shown.rounds == ROUNDS_MAX || (m->shown.rounds > 1 && is_settled(m))) {
            break;
        }
        status = answer(m);
    }
    /* If a limit or GLPK ended it after the first round, the bracket is still valid. */
    bool ends = isfinite(m->shown.lower) && isfinite(m->shown.upper);
    m->shown.stopped = status != OG_OK || m->shown.rounds == ROUNDS_MAX;
    return ends && (status == OG_STOPPED || status == OG_FAILED) ? OG_OK : status;
}

static og_status show(minimax *m)
{
    og_minimax *shown = &m->shown;
    m->number = og_arena_array(&m->arena, (size_t)m->row_count, sizeof *m->number);
    m->chance = og_arena_array(&m->arena, (size_t)m->row_count, sizeof *m->chance);
    OG_TRY(og_arena_status(&m->arena));
    for (int32_t k = 0; k < m->row_count; k++) {
        if (m->best_drawn[k] > 0) {
            m->number[shown->policy_count] = k;
            m->chance[shown->policy_count++] = m->best_drawn[k];
        }
    }
    shown->lower = fmax(shown->lower, 0);
    shown->chance = m->chance;
    shown->weight = m->best_weight;
    shown->regret = m->best_regret;
    shown->regret_error = m->errors;
    return OG_OK;
}

og_status og_minimax_find(const og_minimax_question *question, og_minimax **out,
                          og_message *message)
{
    og_message ignored = {""};
    minimax *m = calloc(1, sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->question = question;
    m->message = message != NULL ? message : &ignored;
    m->priors = question->prior_count;
    m->budget = question->budget;
    m->nodes = (uint32_t)(m->budget + 1) * (uint32_t)(m->budget + 2) / 2;
    /* Errors: a tail (2 units), its product with the copies and the sum over groups; at each level
     * a probability (parameters 2 each, their sums, the ratio: 8), its product with a value and a
     * sum. */
    m->value_error = 1.01 * (11.0 * m->budget + question->class_count + 8) * unit;
    m->stop = og_stop_of(&question->settings);
    og_status status = allocate_tables(m);
    OG_THEN(status, fill_tables(m));
    OG_THEN(status, make_states(m));
    OG_THEN(status, play(m));
    OG_THEN(status, show(m));
    if (status == OG_OK) {
        m->message = &ignored;
        m->question = NULL;
        *out = &m->shown;
    } else {
        og_minimax_free(&m->shown);
    }
    return status;
}

/* ---- listing states ---- */

static void tell_state(const minimax *m, uint32_t state, const row *by, og_minimax_group *group,
                       int32_t *count)
{
    const og_copies *list = og_state_set_at(m->sets, state, count);
    for (int32_t i = 0; i < *count; i++) {
        int32_t n, s;
        labels_of(m, list[i].member, &n, &s);
        group[i] = (og_minimax_group){.group = (int32_t)(list[i].member / m->nodes),
                                      .positive = s,
                                      .negative = n - s,
                                      .copies = list[i].copies,
                                      .called = (by->calls[state] >> i & 1) != 0};
    }
}

void og_minimax_tell(const og_minimax *game, int32_t k,
                     bool (*take)(void *user, int32_t left, const og_minimax_group *group,
                                  int32_t count, int32_t choice),
                     void *user)
{
    const minimax *m = (const minimax *)game;
    const row *by = &m->rows[m->number[k]];
    og_minimax_group group[CALLS_MAX];
    bool met[TOLD_STATES_MAX] = {true};
    for (int32_t n = 0; n <= m->budget; n++) {
        for (uint32_t i = m->level[n]; i < m->level[n + 1]; i++) {
            int32_t count, choice = n < m->budget ? by->choice[i] : -1;
            if (!met[i]) {
                continue;
            }
            tell_state(m, i, by, group, &count);
            if (!take(user, m->budget - n, group, count, choice)) {
                return;
            }
            for (int o = 0; o < 2 && choice >= 0; o++) {
                met[m->next[m->next_at[i] + 2 * (uint64_t)choice + (uint64_t)o]] = true;
            }
        }
    }
}

void og_minimax_free(og_minimax *game)
{
    minimax *m = (minimax *)game;
    if (m == NULL) {
        return;
    }
    og_state_set_free(m->sets);
    free(m->next_at);
    free(m->next);
    free(m->rows);
    free(m->loss);
    free(m->drawn);
    free(m->best_drawn);
    og_arena_clear(&m->arena);
    free(m);
}
