/*
 * The model of assigning workers to tasks. A key is a word with the labels left, then the rows of
 * the table, two bits a cell. Each word holds as many rows as fit below a mark that keeps the word
 * from being 0.
 */
#include "dp/families/assignment_model.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "dp/families/assignment_names.h"

enum { KEY_BITS = 62 };

typedef struct {
    og_arena arena;
    const og_assignment_start *start; /* borrowed */
    const og_assignment *assignment;
    bool merges; /* acts that lead to the same states are evaluated once */
    int32_t rows_in_word;
    int32_t key_words;
    og_assignment_names names;
} problem;

/* An expanded state, in the order of its key; the root in its given order. */
typedef struct {
    og_arena arena;
    int32_t left;
    int8_t *at, *best;    /* [cells] */
    double *plus, *minus; /* [tasks] of the last final state */
    mpq_t *part;          /* [2 tasks + 1] the same in fractions; NULL: not needed so far */
    og_assignment_room room;
    og_assignment_state shown;
} scratch;

#include "dp/families/table_model.h"

/* ---- the problem ---- */

static og_status make_start(og_assignment_start *start, const int8_t *label, int32_t budget,
                            og_message *message)
{
    const og_assignment *assignment = start->assignment;
    const int64_t cells = og_assignment_cells(assignment);
    double *plus = og_arena_array(&start->arena, (size_t)assignment->tasks, sizeof *plus);
    double *minus = og_arena_array(&start->arena, (size_t)assignment->tasks, sizeof *minus);
    start->label = og_arena_copy(&start->arena, label, (size_t)cells, sizeof *label);
    OG_TRY(og_arena_status(&start->arena));
    for (int64_t k = 0; k < cells; k++) {
        start->had += label[k] != 0;
    }
    start->budget = cells - start->had < budget ? (int32_t)(cells - start->had) : budget;
    OG_TRY(og_assignment_posterior_init(assignment, start->had + start->budget, &start->posterior,
                                        message));
    start->mass = og_assignment_weigh(&start->posterior, label, plus, minus);
    if (!(start->mass >= DBL_MIN)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the labels of --history are impossible: they contradict a worker "
                              "who is always right or always wrong");
    }
    start->prior =
        og_assignment_called(assignment->tasks, plus, minus) / assignment->tasks / start->mass;
    return OG_OK;
}

og_status og_assignment_start_new(const og_assignment *assignment, const int8_t *label,
                                  int32_t budget, og_assignment_start **out, og_message *message)
{
    if (assignment->tasks > OG_ASSIGNMENT_TASKS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "exact values support at most %d tasks, not %" PRId32,
                              OG_ASSIGNMENT_TASKS_MAX, assignment->tasks);
    }
    og_assignment_start *start = og_arena_new(sizeof *start);
    OG_TRY(OG_ALLOCATED(start));
    start->assignment = assignment;
    return OG_MADE(make_start(start, label, budget, message), start, og_assignment_start_free, out);
}

void og_assignment_start_free(og_assignment_start *start)
{
    if (start != NULL) {
        og_assignment_posterior_clear(&start->posterior);
    }
    og_arena_free(start);
}

/*
 * Sums and maxima of positive numbers keep relative errors. To those of the posteriors, at the root
 * and at the end, are added the sums over tasks, a quotient each, and for each label a sum of two
 * and a mean over the cells. A value is at most 1; terms lost below the range of doubles are
 * negligible.
 */
double og_assignment_error(const og_assignment_start *start)
{
    const double cells = (double)og_assignment_cells(start->assignment);
    double roundings = start->assignment->tasks + start->budget * (4 + cells) + 8;
    return 1.02 * (2 * start->posterior.error + roundings * DBL_EPSILON / 2) + DBL_MIN;
}

/* ---- keys ---- */

static uint64_t code_of(int8_t label)
{
    return label == 0 ? 0 : label == 1 ? 1 : 2;
}

static void write_key(const problem *m, const int8_t *label, int32_t left, uint64_t *key)
{
    const int32_t in_word = m->rows_in_word * m->assignment->workers;
    const int64_t cells = og_assignment_cells(m->assignment);
    key[0] = MARK | (uint64_t)left;
    for (int32_t word = 1; word < m->key_words; word++) {
        int64_t first = (int64_t)(word - 1) * in_word;
        key[word] = MARK;
        for (int32_t k = 0; k < in_word && first + k < cells; k++) {
            key[word] |= code_of(label[first + k]) << 2 * k;
        }
    }
}

static void read_key(const problem *m, const uint64_t *key, scratch *s)
{
    const int32_t in_word = m->rows_in_word * m->assignment->workers;
    const int64_t cells = og_assignment_cells(m->assignment);
    s->left = left_in(key);
    for (int64_t k = 0; k < cells; k++) {
        uint64_t code = key[1 + k / in_word] >> 2 * (k % in_word) & 3;
        s->at[k] = (int8_t)(code == 2 ? -1 : (int)code);
    }
}

/* ---- acts ---- */

/* Cells in the rows of equal tasks, or in the columns of equal workers, lead to the same states. */
static bool same_rows(const problem *m, const int8_t *label, int32_t i, int32_t k)
{
    const size_t row = (size_t)m->assignment->workers;
    return m->assignment->context[k] == m->assignment->context[i] &&
           memcmp(&label[(size_t)k * row], &label[(size_t)i * row], row) == 0;
}

static bool same_columns(const problem *m, const int8_t *label, int32_t j, int32_t k)
{
    bool same = m->names.worker_group[j] == m->names.worker_group[k];
    for (int32_t i = 0; same && i < m->assignment->tasks; i++) {
        const int8_t *row = &label[(ptrdiff_t)i * m->assignment->workers];
        same = row[j] == row[k];
    }
    return same;
}

typedef bool same_lines(const problem *m, const int8_t *label, int32_t i, int32_t k);

/* The number of lines equal to this one, with itself; 0 if an earlier one is equal. */
static int32_t copies_of(const problem *m, const int8_t *label, same_lines *same, int32_t i,
                         int32_t count)
{
    int32_t copies = 0;
    for (int32_t k = 0; k < count; k++) {
        if (k == i || same(m, label, i, k)) {
            if (k < i) {
                return 0;
            }
            copies++;
        }
    }
    return copies;
}

static og_status expand_all(const problem *m, og_expansion *x, bool merges)
{
    const scratch *s = x->scratch;
    const int32_t tasks = m->assignment->tasks, workers = m->assignment->workers;
    int32_t alike[KEY_BITS / 2]; /* workers */
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    for (int32_t j = 0; j < workers; j++) {
        alike[j] = merges ? copies_of(m, s->at, same_columns, j, workers) : 1;
    }
    for (int32_t i = 0; s->left > 0 && i < tasks; i++) {
        int32_t rows = merges ? copies_of(m, s->at, same_rows, i, tasks) : 1;
        for (int32_t j = 0; j < workers; j++) {
            int32_t cell = i * workers + j;
            if (s->at[cell] == 0 && rows * alike[j] > 0) {
                add_act(x, (uint32_t)cell);
                x->action[x->action_count - 1].weight = rows * alike[j];
            }
        }
    }
    return OG_OK;
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const problem *m = self;
    return expand_all(m, x, m->merges);
}

static og_status expand_root(const void *self, og_expansion *x)
{
    return expand_all(self, x, false);
}

static og_act act_of(const problem *m, uint32_t cell)
{
    uint32_t workers = (uint32_t)m->assignment->workers;
    return (og_act){{cell / workers, cell % workers, 0}};
}

/* ---- states ---- */

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->shown = outcome == NULL ? (og_assignment_state){m->start, s->left, s->at}
                               : (og_assignment_state){m->start, s->left - 1, s->best};
    return &s->shown;
}

static double measure(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    return og_assignment_weigh(&m->start->posterior, outcome == NULL ? s->at : s->best, NULL, NULL);
}

static double score(const void *self, const og_expansion *x, const og_outcome *outcome,
                    const double *decision)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    (void)outcome;
    return og_assignment_scored(m->assignment->tasks, s->plus, s->minus, decision) /
           m->assignment->tasks;
}

/* The table with so many labels left, renamed as in its key. Final tables keep their names: they
 * are not stored. */
static int32_t write_state(const problem *m, const int8_t *label, int32_t left, og_belief *belief,
                           scratch *s, uint64_t *key, double *value)
{
    assert(belief == NULL || belief->bytes == m->names.belief_bytes);
    if (left == 0) {
        memcpy(s->best, label, (size_t)og_assignment_cells(m->assignment));
        og_assignment_weigh(&m->start->posterior, s->best, s->plus, s->minus);
        *value =
            og_assignment_called(m->assignment->tasks, s->plus, s->minus) / m->assignment->tasks;
        return 0;
    }
    og_assignment_canonical(&m->names, label, belief != NULL ? belief->at : NULL, &s->room,
                            s->best);
    write_key(m, s->best, left, key);
    return m->key_words;
}

static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value)
{
    scratch *s = x->scratch;
    s->at[outcome->from] = outcome->to == 0 ? 1 : -1;
    int32_t words = write_state(self, s->at, s->left - 1, belief, s, key, value);
    s->at[outcome->from] = 0;
    return words;
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->left = m->start->budget;
    memcpy(s->at, m->start->label, (size_t)og_assignment_cells(m->assignment));
    return write_state(m, s->at, s->left, belief, s, key, value);
}

/*
 * Values of the model are those of tables, whatever came first. Divided by the probability of this
 * table they have its error, and so does the value expected without another label. Terms below
 * 2^-1000, which become 0, may matter if a table is extremely unlikely.
 */
static void place(const void *self, const og_expansion *x, const og_counts *at, og_state_value *out)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->left = at->left;
    for (int64_t k = 0; k < og_assignment_cells(m->assignment); k++) {
        s->at[k] = (int8_t)(m->start->label[k] + at->positive[k] - at->negative[k]);
    }
    out->mass = og_assignment_weigh(&m->start->posterior, s->at, s->plus, s->minus);
    out->prior = og_assignment_called(m->assignment->tasks, s->plus, s->minus) /
                 m->assignment->tasks / out->mass;
    out->error = 2 * og_assignment_error(m->start) + 0x1p-1000 / out->mass;
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const problem *m = self;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    const size_t cells = (size_t)og_assignment_cells(m->assignment),
                 tasks = (size_t)m->assignment->tasks;
    s->at = og_arena_array(&s->arena, cells, sizeof *s->at);
    s->best = og_arena_array(&s->arena, cells, sizeof *s->best);
    s->plus = og_arena_array(&s->arena, tasks, sizeof *s->plus);
    s->minus = og_arena_array(&s->arena, tasks, sizeof *s->minus);
    og_assignment_room_init(&m->names, &s->room, &s->arena);
    return og_expansion_init(s, cells, 2 * cells, x);
}

static double error_of(const void *self, double value, bool of_q)
{
    const problem *m = self;
    (void)value;
    (void)of_q; /* Q counts from the prior value: together they are at most 1 */
    return og_assignment_error(m->start);
}

/* ---- fractions ---- */

/* The share of tasks called correctly, times Pr(label). part[2 tasks + 1] is scratch, and Pr(label)
 * the last. */
static og_status called_exact(const og_assignment *assignment, const int8_t *label, mpq_t *part,
                              mpq_t out)
{
    const size_t tasks = (size_t)assignment->tasks;
    mpq_t *minus = part + tasks;
    OG_TRY(og_assignment_weigh_exact(assignment, label, part[2 * tasks], part, minus));
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < tasks; i++) {
        mpq_add(out, out, mpq_cmp(part[i], minus[i]) > 0 ? part[i] : minus[i]);
    }
    mpq_set_ui(part[0], 1, (uint32_t)tasks);
    mpq_mul(out, out, part[0]);
    return OG_OK;
}

static og_status end_exact(const void *self, const og_expansion *x, const og_outcome *outcome,
                           mpq_t out)
{
    const problem *m = self;
    scratch *s = x->scratch;
    if (s->part == NULL) {
        s->part = og_arena_fractions(&s->arena, 2 * (size_t)m->assignment->tasks + 1);
        OG_TRY(OG_ALLOCATED(s->part));
    }
    return called_exact(m->assignment, outcome == NULL ? s->at : s->best, s->part, out);
}

og_status og_assignment_prior_exact(const og_assignment_start *start, mpq_t value)
{
    const size_t tasks = (size_t)start->assignment->tasks;
    og_arena arena = {0};
    mpq_t *part = og_arena_fractions(&arena, 2 * tasks + 2);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, called_exact(start->assignment, start->label, part, part[2 * tasks + 1]));
    if (status == OG_OK) {
        mpq_div(value, part[2 * tasks + 1], part[2 * tasks]);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status prior_exact(const void *self, mpq_t out)
{
    const problem *m = self;
    return og_assignment_prior_exact(m->start, out);
}

static og_status scale_exact(const void *self, mpq_t out)
{
    const problem *m = self;
    return og_assignment_weigh_exact(m->assignment, m->start->label, out, NULL, NULL);
}

static double near(const void *self)
{
    const problem *m = self;
    return og_assignment_error(m->start);
}

static const og_model_exact exact = {
    .end = end_exact, .prior = prior_exact, .scale = scale_exact, .near = near};

/* ---- the whole ---- */

static og_model model_of(const problem *m)
{
    const og_assignment_start *start = m->start;
    return (og_model){
        .self = m,
        .depth_max = start->budget + 1,
        .outcomes_max = 2,
        .key_words_max = m->key_words,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = start->prior,
        .prior_error = og_assignment_error(start),
        .scale = start->mass,
        .acts_max = (int32_t)og_assignment_cells(m->assignment),
        .decision_count = m->assignment->tasks,
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .place = place,
        .act = act,
        .answer = answer,
        .state = state,
        .successor_with = successor_with,
        .score = score,
        .stage = stage,
        .measure = measure,
        .exact = &exact,
        .free = og_arena_free,
    };
}

og_status og_assignment_model(const og_assignment_start *start, const og_value_asked *question,
                              og_model *out)
{
    const og_strategy *by = question->by;
    const bool belief = by != NULL && by->belief_bytes > 0;
    const bool named =
        og_strategy_keeps_names(by) || (by != NULL && question->ties == OG_TIES_FIRST);
    problem *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->start = start;
    m->assignment = start->assignment;
    m->rows_in_word = KEY_BITS / (2 * m->assignment->workers);
    m->key_words = 1 + (m->assignment->tasks + m->rows_in_word - 1) / m->rows_in_word;
    og_assignment_names_init(
        &m->names, m->assignment, (question->reductions & OG_REDUCE_SORT) != 0 && !named,
        by == NULL && (question->reductions & OG_REDUCE_MERGE) != 0, &m->arena);
    m->merges = by == NULL && m->names.sorts;
    if (belief) {
        m->names.belief_bytes = by->belief_bytes;
        memcpy(m->names.item_bytes, by->item_bytes, sizeof by->item_bytes);
    }
    OG_TRY(og_arena_whole(m));
    *out = model_of(m);
    return OG_OK;
}
