/*
 * Choosing labelers as a model: a state is how often each outcome of votes has occurred and the
 * tasks left, which determine the weights of the hypotheses. Invariant: `weight` belongs to `at`,
 * the expanded state; `best` is the latest successor.
 */
#include <math.h>
#include <string.h>

#include "dp/base/orders.h"
#include "dp/families/labelers_game.h"

enum { BYTES_IN_WORD = 7, MARK = 1, ORDERS_LABELERS_MAX = 5 };

/* Histories less likely than this are skipped: weights would leave the range of doubles. */
static const double least_mass = 1e-250;

typedef struct {
    og_arena arena;
    const og_labelers_problem *game;
    bool bounds, merges, greedy, costs;
    int32_t orders;   /* number of ways to rename labelers; 0: they keep their names */
    int32_t *renamed; /* [orders * kinds] */
    bool *left_out;   /* [choices] omitted by the optimum */
    int32_t still[OG_LABELERS_SETS]; /* [still_count] choices without information */
    int32_t still_count;
} problem;

typedef struct {
    og_arena arena;
    int32_t left;
    uint8_t *at, *best, *trial, *named; /* [kinds] */
    double *weight, *after;             /* [hypotheses] with sum 1 */
    og_labelers_state shown;
} scratch;

/* ---- weights ---- */

/* The weights of a state, with sum 1. */
static void weigh(const og_labelers_problem *game, const uint8_t *at, double *weight)
{
    size_t hypotheses = (size_t)game->prior->hypotheses, times = (size_t)game->rules.budget + 1;
    double sum = 0;
    memcpy(weight, game->weight, hypotheses * sizeof *weight);
    for (int32_t k = 0; k < game->kinds; k++) {
        const double *power = &game->power[(size_t)k * hypotheses * times + at[k]];
        for (size_t h = 0; at[k] > 0 && h < hypotheses; h++) {
            weight[h] *= power[h * times];
        }
    }
    for (size_t h = 0; h < hypotheses; h++) {
        sum += weight[h];
    }
    for (size_t h = 0; sum > 0 && h < hypotheses; h++) {
        weight[h] /= sum;
    }
}

static double worth(const og_labelers_problem *game, const double *weight, int32_t choice)
{
    return og_labelers_mean(game, weight,
                            &game->worth[(size_t)choice * (size_t)game->prior->hypotheses]);
}

/* ---- names ---- */

static uint32_t rename_set(const uint8_t *order, int32_t count, uint32_t set)
{
    uint32_t named = 0;
    for (int32_t i = 0; i < count; i++) {
        named |= (set >> i & 1) << order[i];
    }
    return named;
}

static int32_t find_kind(const og_labelers_problem *game, uint32_t members, uint32_t ones)
{
    if ((ones & members & (~members + 1)) == 0) {
        ones ^= members;
    }
    for (int32_t c = 0; c < game->choices; c++) {
        const og_labelers_choice *choice = &game->choice[c];
        for (int32_t k = 0; choice->members == members && k < choice->kinds; k++) {
            if (game->kind_ones[choice->kind_first + k] == ones) {
                return choice->kind_first + k;
            }
        }
    }
    return -1;
}

/* False if, because of rounding, a set gives information but does not after renaming. */
static bool add_order(problem *m, const uint8_t *order)
{
    bool whole = true;
    const og_labelers_problem *game = m->game;
    int32_t *renamed = &m->renamed[(size_t)m->orders++ * (size_t)game->kinds];
    for (int32_t c = 0; c < game->choices; c++) {
        const og_labelers_choice *choice = &game->choice[c];
        uint32_t members = rename_set(order, game->prior->count, choice->members);
        for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds; k++) {
            uint32_t ones = rename_set(order, game->prior->count, game->kind_ones[k]);
            renamed[k] = find_kind(game, members, ones);
            whole = whole && renamed[k] >= 0;
        }
    }
    return whole;
}

/* All orders, the given one first; m->orders is 0 if one is not whole. */
static void add_orders(problem *m)
{
    uint8_t order[OG_LABELERS_MAX];
    bool whole = true;
    for (int32_t i = 0; i < m->game->prior->count; i++) {
        order[i] = (uint8_t)i;
    }
    do {
        whole = add_order(m, order) && whole;
    } while (og_orders_next(NULL, m->game->prior->count, order));
    m->orders = whole ? m->orders : 0;
}

/* Renames the state in `best` to make it as large as possible. */
static void make_canonical(const problem *m, scratch *s)
{
    size_t kinds = (size_t)m->game->kinds;
    memcpy(s->named, s->best, kinds);
    for (int32_t o = 1; o < m->orders; o++) { /* the first changes nothing */
        const int32_t *renamed = &m->renamed[(size_t)o * kinds];
        for (size_t k = 0; k < kinds; k++) {
            s->trial[renamed[k]] = s->named[k];
        }
        if (memcmp(s->trial, s->best, kinds) > 0) {
            memcpy(s->best, s->trial, kinds);
        }
    }
}

/* ---- keys ---- */

static int32_t key_words(const problem *m)
{
    return 1 + (m->game->kinds + BYTES_IN_WORD - 1) / BYTES_IN_WORD;
}

static void write_key(const problem *m, const uint8_t *at, int32_t left, uint64_t *key)
{
    int32_t kinds = m->game->kinds;
    key[0] = (uint64_t)left << 8 | MARK;
    for (int32_t k = 0, word = 1; k < kinds; word++) {
        key[word] = MARK;
        for (int32_t i = 1; i <= BYTES_IN_WORD && k < kinds; i++) {
            key[word] |= (uint64_t)at[k++] << 8 * i;
        }
    }
}

static void read_key(const problem *m, const uint64_t *key, scratch *s)
{
    s->left = (int32_t)(key[0] >> 8);
    for (int32_t k = 0; k < m->game->kinds; k++) {
        s->at[k] = (uint8_t)(key[1 + k / BYTES_IN_WORD] >> 8 * (k % BYTES_IN_WORD + 1));
    }
    weigh(m->game, s->at, s->weight);
}

/* ---- the model ---- */

/* The next outcome of an expansion, `from` the choice, `to` the kind; `most` is the largest value
 * of the tasks to come, times the probability of the outcome. */
static void add_outcome(og_expansion *x, int32_t *used, int32_t c, uint32_t kind, double chance,
                        double most)
{
    x->outcome[(*used)++] = (og_outcome){
        .probability = chance, .bound = most / chance, .from = (uint32_t)c, .to = kind};
}

/* Returns an upper bound on the sum of the outcomes' values. */
static double list_outcomes(const problem *m, const scratch *s, int32_t c, og_expansion *x,
                            int32_t *used)
{
    const og_labelers_problem *game = m->game;
    const og_labelers_choice *choice = &game->choice[c];
    int32_t hypotheses = game->prior->hypotheses;
    double later = m->bounds ? s->left - 1 : INFINITY;
    if (choice->kinds == 0) {
        double most = later * (m->bounds ? og_labelers_mean(game, s->weight, game->most) : 1);
        add_outcome(x, used, c, UINT32_MAX, 1, most);
        return most;
    }
    double sum = 0;
    for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds; k++) {
        const double *chance = &game->chance[(size_t)k * (size_t)hypotheses];
        double mass = og_labelers_mean(game, s->weight, chance), most = 0;
        for (int32_t h = 0; m->bounds && h < hypotheses; h++) {
            most += s->weight[h] * chance[h] * game->most[h];
        }
        if (mass > least_mass) {
            add_outcome(x, used, c, (uint32_t)k, mass, later * (m->bounds ? most : 1));
            sum += later * most;
        }
    }
    return m->bounds ? sum : INFINITY;
}

static void add_choice(const problem *m, const scratch *s, int32_t c, og_expansion *x,
                       int32_t *used)
{
    int32_t first = *used;
    double now = m->costs ? m->game->cost[c] : worth(m->game, s->weight, c);
    double later = list_outcomes(m, s, c, x, used);
    x->action[x->action_count++] = (og_action){.reward = now,
                                               .weight = 1,
                                               .bound = now + later,
                                               .outcome_first = first,
                                               .outcome_count = *used - first};
}

/* A choice without information, repeated to the end. */
static void add_to_the_end(const scratch *s, double worth_now, og_expansion *x)
{
    x->action[x->action_count++] =
        (og_action){.reward = s->left * worth_now, .weight = 1, .bound = INFINITY};
}

/* The best choice without information. */
static void add_still(const problem *m, const scratch *s, og_expansion *x)
{
    double most = -INFINITY;
    for (int32_t k = 0; k < m->still_count; k++) {
        most = fmax(most, worth(m->game, s->weight, m->still[k]));
    }
    if (m->still_count > 0) {
        add_to_the_end(s, most, x);
    }
}

static void add_greedy(const problem *m, const scratch *s, og_expansion *x, int32_t *used)
{
    int32_t c = og_labelers_greedy(m->game, s->weight);
    if (m->game->choice[c].kinds == 0) {
        add_to_the_end(s, m->costs ? m->game->cost[c] : worth(m->game, s->weight, c), x);
    } else {
        add_choice(m, s, c, x, used);
    }
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    int32_t used = 0;
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    if (m->merges) {
        add_still(m, s, x);
    }
    if (m->greedy) {
        add_greedy(m, s, x, &used);
    }
    for (int32_t c = 0; !m->greedy && c < m->game->choices; c++) {
        if (!m->merges || !m->left_out[c]) {
            add_choice(m, s, c, x, &used);
        }
    }
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    (void)words;
    read_key(self, key, x->scratch);
    return expand_shown(self, x);
}

static og_status expand_root(const void *self, og_expansion *x)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    int32_t used = 0;
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    for (int32_t c = 0; s->left > 0 && c < m->game->choices; c++) {
        add_choice(m, s, c, x, &used);
    }
    return OG_OK;
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    const problem *m = self;
    const og_outcome *outcome = &x->outcome[action->outcome_first];
    return (og_act){{m->game->choice[outcome->from].members, 0, 0}};
}

/* The votes of the members as bits, or their complement; no answer for a set without
 * information. */
static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *act)
{
    const problem *m = self;
    (void)x;
    *act = (og_act){{m->game->choice[outcome->from].members, 0, 0}};
    return outcome->to == UINT32_MAX ? OG_ANSWER_NONE : (int32_t)m->game->kind_ones[outcome->to];
}

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->shown = (og_labelers_state){m->game, s->left, s->weight, s->at};
    if (outcome != NULL) {
        weigh(m->game, s->best, s->after);
        s->shown = (og_labelers_state){m->game, s->left - 1, s->after, s->best};
    }
    return &s->shown;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self;
    (void)words;
    *left = (int32_t)(key[0] >> 8);
    return *left;
}

static int32_t write_state(const problem *m, scratch *s, int32_t left, uint64_t *key, double *value)
{
    make_canonical(m, s);
    *value = 0;
    if (left == 0) {
        return 0;
    }
    write_key(m, s->best, left, key);
    return key_words(m);
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    memcpy(s->best, s->at, (size_t)m->game->kinds);
    if (outcome->to != UINT32_MAX) {
        s->best[outcome->to]++;
    }
    return write_state(m, s, s->left - 1, key, value);
}

static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value)
{
    (void)belief; /* has no records: labelers keep their names */
    return successor(self, x, outcome, key, value);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    (void)belief;
    s->left = m->game->rules.budget;
    memset(s->at, 0, (size_t)m->game->kinds);
    memset(s->best, 0, (size_t)m->game->kinds);
    weigh(m->game, s->at, s->weight);
    return write_state(m, s, s->left, key, value);
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const problem *m = self;
    const og_labelers_problem *game = m->game;
    size_t kinds = (size_t)game->kinds, hypotheses = (size_t)game->prior->hypotheses;
    size_t choices = (size_t)game->choices;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->at = og_arena_array(&s->arena, kinds, 1);
    s->best = og_arena_array(&s->arena, kinds, 1);
    s->trial = og_arena_array(&s->arena, kinds, 1);
    s->named = og_arena_array(&s->arena, kinds, 1);
    s->weight = og_arena_array(&s->arena, hypotheses, sizeof *s->weight);
    s->after = og_arena_array(&s->arena, hypotheses, sizeof *s->after);
    return og_expansion_init(s, choices + 1, kinds + choices + 1, x);
}

static double total_error(const og_labelers_problem *game)
{
    double tasks = game->rules.budget;
    return (game->error + least_mass * 1e20) * game->scale * tasks;
}

static double error_of(const void *self, double value, bool of_q)
{
    const problem *m = self;
    (void)value;
    (void)of_q;
    return total_error(m->game);
}

/* For costs, which are not negative: relative to the largest. */
static double cost_error(const void *self, double value, bool of_q)
{
    const problem *m = self;
    const og_labelers_problem *game = m->game;
    double scale = 0;
    (void)value;
    (void)of_q;
    for (int32_t c = 0; c < game->choices; c++) {
        scale = fmax(scale, game->cost[c]);
    }
    return scale / game->scale * total_error(game);
}

/* ---- construction ---- */

static og_status make(const og_labelers_problem *game, const og_value_asked *question,
                      problem **out)
{
    problem *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    bool optimum = question->by == NULL;
    bool renames = optimum && (question->reductions & OG_REDUCE_SORT) != 0 && game->alike &&
                   game->prior->count <= ORDERS_LABELERS_MAX;
    size_t orders = renames ? (size_t)og_orders_count(NULL, game->prior->count, INT32_MAX) : 0;
    m->game = game;
    m->bounds = optimum && (question->reductions & OG_REDUCE_BOUND) != 0;
    m->merges = optimum && (question->reductions & OG_REDUCE_MERGE) != 0;
    m->renamed = og_arena_array(&m->arena, orders * (size_t)game->kinds, sizeof *m->renamed);
    m->left_out = og_arena_array(&m->arena, (size_t)game->choices, sizeof *m->left_out);
    og_status status = og_arena_status(&m->arena);
    if (status == OG_OK && renames) {
        add_orders(m);
    }
    if (status == OG_OK) {
        og_labelers_left_out(game, m->left_out);
    }
    for (int32_t c = 0; status == OG_OK && c < game->choices; c++) {
        if (game->choice[c].kinds == 0) {
            m->still[m->still_count++] = c;
        }
    }
    return OG_MADE(status, m, og_arena_free, out);
}

static int32_t most_outcomes(const og_labelers_problem *game)
{
    int32_t most = 1;
    for (int32_t c = 0; c < game->choices; c++) {
        most = game->choice[c].kinds > most ? game->choice[c].kinds : most;
    }
    return most;
}

static og_model model_of(const problem *m)
{
    const og_labelers_problem *game = m->game;
    double prior = game->rules.budget * fmin(0.5, game->still);
    return (og_model){
        .self = m,
        .depth_max = game->rules.budget + 1,
        .outcomes_max = most_outcomes(game),
        .key_words_max = key_words(m),
        .margin = 4 * total_error(game),
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = prior,
        .prior_error = total_error(game),
        .bytes = (uint64_t)game->kinds * (uint64_t)game->prior->hypotheses *
                 (uint64_t)(game->rules.budget + 2) * sizeof(double),
        .acts_max = game->choices + 1,
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .act = act,
        .answer = answer,
        .state = state,
        .successor_with = successor_with,
        .stage = stage,
        .free = og_arena_free,
    };
}

og_status og_labelers_model(const og_labelers_problem *game, const og_value_asked *question,
                            og_model *out)
{
    problem *m;
    OG_TRY(make(game, question, &m));
    *out = model_of(m);
    return OG_OK;
}

og_status og_labelers_greedy_model(const og_labelers_problem *game, bool costs, og_model *out)
{
    const og_value_asked question = {.reductions = 0};
    problem *m;
    OG_TRY(make(game, &question, &m));
    m->greedy = true;
    m->costs = costs;
    *out = model_of(m);
    out->decided = true;
    if (costs) {
        out->prior = out->prior_error = 0;
        out->error = cost_error;
    }
    return OG_OK;
}
