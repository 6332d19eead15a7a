/*
 * The game with labelers in fractions, layer by layer. A state is how often each outcome of votes
 * has occurred, and its value is multiplied by its probability, so that nothing is divided. The
 * states of a layer, which have the same number of tasks, are in the order of a walk over the
 * outcomes.
 */
#define OG_LABELERS_FRACTIONS
#include <inttypes.h>
#include <string.h>

#include "dp/families/labelers_rule.h"

typedef struct {
    og_arena arena;
    const og_labelers_problem *game;
    og_labelers_exact what;
    size_t hypotheses;
    mpq_t *weight;  /* [hypotheses] after the history, times its probability */
    mpq_t *chance;  /* [game->kinds * hypotheses] */
    mpq_t *worth;   /* [game->choices * hypotheses] */
    mpq_t *counted; /* the same, or the cost of the votes */
    bool greedy;
    bool *left_out; /* [game->choices] as og_labelers_left_out; all false for greedy */
    int32_t kinds;  /* of the others; */
    int32_t *slot;  /* [game->kinds] its number among them; */
    int32_t *kind;  /* [game->kinds] the inverse */
    mpq_t *sum;     /* [3] scratch */
    og_stop *stop;
} exact_game;

/* The walk over one layer. */
typedef struct {
    exact_game *exact;
    og_arena arena;
    int32_t tasks, layer;
    int32_t *times;       /* [kinds] */
    mpq_t *mass;          /* [(kinds + 1) * hypotheses] */
    int64_t *ways;        /* [(kinds + 1) * (tasks + 2)] number of lists of so many numbers with a
                           * sum */
    mpq_t *value, *later; /* of this layer's states, and of the next one's */
    int64_t state;
    int32_t choice; /* the greedy choice */
} layers;

/* ---- numbers of the game ---- */

static void votes_chance(const og_labelers *labelers, uint32_t asked, uint32_t ones, mpq_t out)
{
    mpq_t right, wrong, chance;
    mpq_inits(right, wrong, chance, NULL);
    mpq_set_ui(right, 1, 1);
    mpq_set_ui(wrong, 1, 1);
    for (int32_t i = 0; i < labelers->count; i++) {
        if ((asked >> i & 1) != 0) {
            bool one = (ones >> i & 1) != 0;
            number_set_chance(chance, labelers, i, one);
            mpq_mul(right, right, chance);
            number_set_chance(chance, labelers, i, !one);
            mpq_mul(wrong, wrong, chance);
        }
    }
    mpq_add(out, right, wrong);
    mpq_clears(right, wrong, chance, NULL);
}

static void weigh(exact_game *exact)
{
    const og_labelers_problem *game = exact->game;
    mpq_t chance;
    mpq_init(chance);
    for (size_t h = 0; h < exact->hypotheses; h++) {
        mpq_set(exact->weight[h], game->prior->exact[h]);
        for (int32_t n = 0; n < game->rules.had; n++) {
            og_labelers_votes votes = game->rules.history[n];
            votes_chance(&game->prior->at[h], votes.asked, votes.ones, chance);
            mpq_mul(exact->weight[h], exact->weight[h], chance);
        }
        mpq_add(exact->sum[0], exact->sum[0], exact->weight[h]);
    }
    for (size_t h = 0; h < exact->hypotheses; h++) {
        mpq_div(exact->weight[h], exact->weight[h], exact->sum[0]);
    }
    mpq_clear(chance);
}

/* Subtracts the cost of the votes of a set from its value and, if wanted, also stores it
 * separately. */
static void take_cost(const exact_game *exact, uint32_t members, mpq_ptr worth, mpq_ptr counted)
{
    const og_labelers_problem *game = exact->game;
    mpq_t price, cost;
    mpq_inits(price, cost, NULL);
    og_fraction_get_mpq(price, game->rules.price);
    for (int32_t i = 0; i < game->prior->count; i++) {
        if ((members >> i & 1) != 0) {
            og_fraction_get_mpq(cost, game->prior->at[0].cost[i]);
            if (counted != worth) {
                mpq_add(counted, counted, cost);
            }
            mpq_mul(cost, cost, price);
            mpq_sub(worth, worth, cost);
        }
    }
    mpq_clears(price, cost, NULL);
}

static og_status make_costs(exact_game *exact)
{
    const og_labelers_problem *game = exact->game;
    og_arena local = {0};
    mpq_t *majority = og_arena_fractions(&local, OG_LABELERS_SETS);
    og_status status = og_arena_status(&local);
    for (size_t h = 0; status == OG_OK && h < exact->hypotheses; h++) {
        status = og_votes_make_exact(&game->prior->at[h], majority, NULL, NULL, NULL);
        for (int32_t c = 0; status == OG_OK && c < game->choices; c++) {
            const og_labelers_choice *choice = &game->choice[c];
            mpq_ptr worth = exact->worth[(size_t)c * exact->hypotheses + h];
            if (game->rules.weighted) {
                const og_labelers *at = &game->prior->at[h];
                status = og_votes_weighted_exact(at, at, choice->members, worth);
            } else {
                mpq_set(worth, majority[choice->members]);
            }
            take_cost(exact, choice->members, worth,
                      exact->counted[(size_t)c * exact->hypotheses + h]);
            for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds; k++) {
                votes_chance(&game->prior->at[h], choice->members, game->kind_ones[k],
                             exact->chance[(size_t)k * exact->hypotheses + h]);
            }
        }
    }
    og_arena_clear(&local);
    return status;
}

static void number_slots(exact_game *exact)
{
    const og_labelers_problem *game = exact->game;
    if (!exact->greedy) {
        og_labelers_left_out(game, exact->left_out);
    }
    for (int32_t c = 0; c < game->choices; c++) {
        for (int32_t k = 0; !exact->left_out[c] && k < game->choice[c].kinds; k++) {
            exact->kind[exact->kinds] = game->choice[c].kind_first + k;
            exact->slot[game->choice[c].kind_first + k] = exact->kinds++;
        }
    }
}

static og_status exact_init(exact_game *exact, const og_labelers_problem *game,
                            og_labelers_exact what, og_stop *stop)
{
    size_t hypotheses = (size_t)game->prior->hypotheses;
    *exact = (exact_game){.game = game, .what = what, .hypotheses = hypotheses, .stop = stop};
    exact->weight = og_arena_fractions(&exact->arena, hypotheses);
    exact->chance = og_arena_fractions(&exact->arena, (size_t)game->kinds * hypotheses);
    exact->worth = og_arena_fractions(&exact->arena, (size_t)game->choices * hypotheses);
    exact->greedy = what == OG_LABELERS_GREEDY || what == OG_LABELERS_GREEDY_COST;
    exact->counted = what == OG_LABELERS_GREEDY_COST
                         ? og_arena_fractions(&exact->arena, (size_t)game->choices * hypotheses)
                         : exact->worth;
    exact->sum = og_arena_fractions(&exact->arena, 3);
    exact->left_out = og_arena_array(&exact->arena, (size_t)game->choices, sizeof *exact->left_out);
    exact->slot = og_arena_array(&exact->arena, (size_t)game->kinds, sizeof *exact->slot);
    exact->kind = og_arena_array(&exact->arena, (size_t)game->kinds, sizeof *exact->kind);
    OG_TRY(og_arena_status(&exact->arena));
    number_slots(exact);
    weigh(exact);
    return make_costs(exact);
}

/* ---- one state ---- */

static void expected(const exact_game *exact, mpq_t *worth, mpq_t *mass, int32_t choice, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    for (size_t h = 0; h < exact->hypotheses; h++) {
        number_add_product(out, mass[h], worth[(size_t)choice * exact->hypotheses + h]);
    }
}

/* The place of this state in the next layer. */
static int64_t place_of(const layers *l)
{
    int64_t place = 0;
    int32_t rest = l->layer + 1;
    for (int32_t k = 0; k < l->exact->kinds; k++) {
        const int64_t *ways = &l->ways[(l->exact->kinds - k - 1) * (l->tasks + 2)];
        for (int32_t n = 0; n < l->times[k]; n++) {
            place += ways[rest - n];
        }
        rest -= l->times[k];
    }
    return place;
}

/* The value of a choice: with information, it includes the later tasks; else the choice is repeated
 * to the end. */
static void value_choice(layers *l, mpq_t *mass, int32_t c, mpq_t out)
{
    const og_labelers_choice *choice = &l->exact->game->choice[c];
    int32_t left = l->tasks - l->layer;
    expected(l->exact, l->exact->counted, mass, c, out);
    if (choice->kinds == 0) {
        og_add_multiple(out, left - 1, out);
    }
    for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds && left > 1; k++) {
        int32_t *times = &l->times[l->exact->slot[k]];
        ++*times;
        mpq_add(out, out, l->later[place_of(l)]);
        --*times;
    }
}

static void value_state(layers *l, mpq_t *mass)
{
    exact_game *exact = l->exact;
    mpq_ptr best = l->value[l->state++], now = exact->sum[0], largest = exact->sum[1];
    bool first = true;
    for (int32_t c = 0; c < exact->game->choices; c++) {
        if (exact->left_out[c] && exact->game->choice[c].kinds > 0) {
            continue;
        }
        if (exact->greedy) {
            expected(exact, exact->worth, mass, c, now);
        } else {
            value_choice(l, mass, c, now);
        }
        if (first || mpq_cmp(now, largest) > 0) {
            mpq_set(largest, now);
            l->choice = c;
            first = false;
        }
    }
    if (exact->greedy) {
        value_choice(l, mass, l->choice, largest);
    }
    mpq_set(best, largest);
}

/* ---- layers ---- */

static void walk(layers *l, int32_t kind, int32_t rest)
{
    exact_game *exact = l->exact;
    mpq_t *mass = &l->mass[(size_t)kind * exact->hypotheses], *next = mass + exact->hypotheses;
    if (kind == exact->kinds) {
        if (rest == 0) {
            value_state(l, mass);
        }
        return;
    }
    for (size_t h = 0; h < exact->hypotheses; h++) {
        mpq_set(next[h], mass[h]);
    }
    for (int32_t n = 0; n <= rest && !og_stop_asked(exact->stop); n++) {
        l->times[kind] = n;
        if (kind + 1 < exact->kinds || n == rest) {
            walk(l, kind + 1, rest - n);
        }
        for (size_t h = 0; h < exact->hypotheses; h++) {
            mpq_mul(next[h], next[h],
                    exact->chance[(size_t)exact->kind[kind] * exact->hypotheses + h]);
        }
    }
    l->times[kind] = 0;
}

/* Number of lists of so many numbers with the sum tasks - 1; whole in each step, as long as it is
 * small. */
static double states_of(int32_t kinds, int32_t tasks)
{
    double states = 1;
    for (int32_t k = 1; k < kinds; k++) {
        states = states * (tasks - 1 + k) / k;
    }
    return states;
}

static og_status layers_init(layers *l, exact_game *exact, int32_t tasks, og_message *message)
{
    int32_t kinds = exact->kinds, columns = tasks + 2;
    double most = kinds > 0 && tasks > 0 ? states_of(kinds, tasks) : 1;
    *l = (layers){.exact = exact, .tasks = tasks};
    if (most > OG_LABELERS_EXACT_STATES) {
        return og_message_set(message, OG_STOPPED,
                              "%" PRId32 " outcomes of votes and %" PRId32
                              " tasks make %.3g states, more than %d for fractions",
                              kinds, tasks, most, OG_LABELERS_EXACT_STATES);
    }
    l->times = og_arena_array(&l->arena, (size_t)kinds + 1, sizeof *l->times);
    l->mass = og_arena_fractions(&l->arena, ((size_t)kinds + 1) * exact->hypotheses);
    l->ways = og_arena_array(&l->arena, ((size_t)kinds + 1) * (size_t)columns, sizeof *l->ways);
    l->value = og_arena_fractions(&l->arena, (size_t)most);
    l->later = og_arena_fractions(&l->arena, (size_t)most);
    OG_TRY(og_arena_status(&l->arena));
    l->ways[0] = 1;
    for (int32_t k = 1; k <= kinds; k++) {
        for (int32_t n = 0; n < columns; n++) {
            l->ways[k * columns + n] =
                l->ways[(k - 1) * columns + n] + (n > 0 ? l->ways[k * columns + n - 1] : 0);
        }
    }
    return OG_OK;
}

/* The value of so many tasks, beginning with these masses of the hypotheses. */
static og_status value_from(exact_game *exact, mpq_t *weight, int32_t tasks, mpq_t value,
                            og_message *message)
{
    layers l;
    bool still = exact->kinds == 0;
    og_status status = layers_init(&l, exact, tasks, message);
    for (size_t h = 0; status == OG_OK && h < exact->hypotheses; h++) {
        mpq_set(l.mass[h], weight[h]);
    }
    for (l.layer = still ? 0 : tasks - 1; status == OG_OK && tasks > 0 && l.layer >= 0; l.layer--) {
        mpq_t *kept = l.later;
        l.later = l.value;
        l.value = kept;
        l.state = 0;
        walk(&l, 0, l.layer);
        status = og_stop_status(exact->stop);
    }
    if (status == OG_OK) {
        mpq_set(value, l.value[0]);
    }
    og_arena_clear(&l.arena);
    return status;
}

/* ---- questions ---- */

static og_status any_rule(const og_labelers_problem *game, exact_game *exact, mpq_t value,
                          og_message *message)
{
    rule r;
    if (game->rules.budget == 0) {
        mpq_set_ui(value, 0, 1);
        return OG_OK;
    }
    if (rule_steps(game) > OG_LABELERS_EXACT_STATES) {
        return og_message_set(
            message, OG_STOPPED,
            "the upper bound for any rule would take %.2g steps with fractions, more than %d",
            rule_steps(game), OG_LABELERS_EXACT_STATES);
    }
    og_status status = rule_init(&r, game, exact->stop);
    for (size_t h = 0; status == OG_OK && h < r.hypotheses; h++) {
        mpq_set(r.mass[h], exact->weight[h]);
    }
    if (status == OG_OK) {
        rule_walk(&r, 0, 0);
        mpq_set(value, r.sum[0]);
        status = og_stop_status(exact->stop);
    }
    og_arena_clear(&r.arena);
    return status;
}

/* For one task: the best choice given the present weights, or for each hypothesis. */
static void one_task(exact_game *exact, mpq_t value)
{
    mpq_ptr now = exact->sum[0], largest = exact->sum[1];
    size_t parts = exact->what == OG_LABELERS_TOLD ? exact->hypotheses : 1;
    mpq_set_ui(value, 0, 1);
    for (size_t part = 0; part < parts; part++) {
        for (int32_t c = 0; c < exact->game->choices; c++) {
            if (parts > 1) {
                mpq_mul(now, exact->weight[part],
                        exact->worth[(size_t)c * exact->hypotheses + part]);
            } else {
                expected(exact, exact->worth, exact->weight, c, now);
            }
            if (c == 0 || mpq_cmp(now, largest) > 0) {
                mpq_set(largest, now);
            }
        }
        mpq_add(value, value, largest);
    }
}

og_status og_labelers_value_exact(const og_labelers_problem *game, og_labelers_exact what,
                                  og_stop *stop, mpq_t value, og_message *message)
{
    exact_game exact;
    og_status status = exact_init(&exact, game, what, stop);
    if (status == OG_OK && (what == OG_LABELERS_STILL || what == OG_LABELERS_TOLD)) {
        one_task(&exact, value);
    } else if (status == OG_OK) {
        status = what == OG_LABELERS_ANY_RULE
                     ? any_rule(game, &exact, value, message)
                     : value_from(&exact, exact.weight, game->rules.budget, value, message);
    }
    og_arena_clear(&exact.arena);
    return status;
}

static og_status q_of(exact_game *exact, int32_t c, mpq_t *mass, mpq_t q, og_message *message)
{
    const og_labelers_choice *choice = &exact->game->choice[c];
    expected(exact, exact->worth, exact->weight, c, q);
    for (int32_t k = 0; k < choice->kinds || k == 0; k++) {
        for (size_t h = 0; h < exact->hypotheses; h++) {
            size_t kind = (size_t)(choice->kind_first + k);
            mpq_set(mass[h], exact->weight[h]);
            if (choice->kinds > 0) {
                mpq_mul(mass[h], mass[h], exact->chance[kind * exact->hypotheses + h]);
            }
        }
        OG_TRY(value_from(exact, mass, exact->game->rules.budget - 1, exact->sum[2], message));
        mpq_add(q, q, exact->sum[2]);
    }
    return OG_OK;
}

og_status og_labelers_q_exact(const og_labelers_problem *game, const og_act_open *open,
                              int32_t count, og_stop *stop, mpq_t *q, og_message *message)
{
    exact_game exact;
    og_arena local = {0};
    mpq_t *mass = og_arena_fractions(&local, (size_t)game->prior->hypotheses);
    og_status status = og_arena_status(&local);
    og_status made = exact_init(&exact, game, OG_LABELERS_OPTIMUM, stop);
    OG_THEN(status, made);
    for (int32_t c = 0; c < game->choices; c++) {
        for (int32_t i = 0; status == OG_OK && i < count; i++) {
            if (open[i].act.part[0] == game->choice[c].members) {
                status = q_of(&exact, c, mass, q[i], message);
            }
        }
    }
    og_arena_clear(&exact.arena);
    og_arena_clear(&local);
    return status;
}
