/*
 * Strategies on the search problem (tests/search_problem.h). Compares the engine's values, over
 * states and over histories, with a literal enumeration. Masses are sums of powers of 1/2, so that
 * values are exact except for means over three ties.
 */
#include "dp/engine/solution.h"
#include "dp/engine/strategy.h"
#include "tests/random_problem.h"
#include "tests/search_problem.h"
#include "tests/support.h"

OG_SUITE(strategy, 120);

static const double rounding = SEARCH_ROUNDING;

/* ---- a strategy that forgets every fourth look, and its faults ---- */

enum { LOOKED, FORGOTTEN };
static const double chance_of[] = {0.75, 0.25};

typedef enum { WELL, NO_BELIEF, BAD_INDEX, BAD_WEIGHTS, NO_LESSON, ODD_COINS, NO_DECISION } ailment;

typedef struct {
    const search *boxes;
    ailment has;
} searcher;

/* It looks in the box with the largest mass in its memory, as if a look found half of the mass. */
static double own_index(const search *boxes, uint64_t remembered, int box)
{
    return boxes->mass[box] * pow(0.5, (double)remembered);
}

static og_status begin(void *self, void *scratch_of_thread, void *belief, og_message *message)
{
    const searcher *who = self;
    (void)scratch_of_thread;
    memset(belief, 0, BOXES * sizeof(uint64_t));
    return who->has == NO_BELIEF ? og_message_set(message, OG_FAILED, "no belief") : OG_OK;
}

static double learn(void *self, const og_strategy_view *view, og_act done, int32_t answered,
                    int32_t branch, void *after)
{
    const searcher *who = self;
    uint64_t *remembered = after;
    (void)answered;
    memcpy(after, view->belief, BOXES * sizeof(uint64_t));
    remembered[done.part[0]] += branch == LOOKED;
    return who->has == NO_LESSON ? NAN : chance_of[branch];
}

static og_status choose(void *self, const og_strategy_view *view, double *answers, og_answer *kind,
                        og_message *message)
{
    const searcher *who = self;
    const uint64_t *remembered = view->belief;
    (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        int box = (int)view->open[i].act.part[0];
        answers[i] = who->has == BAD_INDEX ? NAN : own_index(who->boxes, remembered[box], box);
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

/* Without a belief: chooses boxes with the mass in the state. */
static og_status choose_by_mass(void *self, const og_strategy_view *view, double *answers,
                                og_answer *kind, og_message *message)
{
    const searcher *who = self;
    const shown *now = view->state;
    (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answers[i] = mass_of(who->boxes, now->looks, (int)view->open[i].act.part[0]);
        answers[i] = who->has == BAD_WEIGHTS ? 0 : answers[i];
    }
    *kind = OG_ANSWER_WEIGHTS;
    return OG_OK;
}

static og_status decide(void *self, const og_strategy_view *view, double *decision,
                        og_message *message)
{
    const searcher *who = self;
    const uint64_t *remembered = view->belief;
    for (int i = 0; i < who->boxes->boxes; i++) {
        decision[i] = own_index(who->boxes, remembered[i], i);
    }
    return who->has == NO_DECISION ? og_message_set(message, OG_FAILED, "no decision") : OG_OK;
}

static og_strategy forgetful(searcher *who)
{
    return (og_strategy){.self = who,
                         .belief_bytes = BOXES * sizeof(uint64_t),
                         .item_bytes = {sizeof(uint64_t), 0},
                         .branches_max = 2,
                         .begin = begin,
                         .learn = learn,
                         .choose = choose,
                         .decide = decide};
}

/* ---- the definition ---- */

typedef struct {
    double own, exact;
} worth;

static worth worth_of(const search *boxes, og_ties ties, int left, const int *looks,
                      const uint64_t *remembered)
{
    double index[BOXES] = {0}, most = -INFINITY;
    worth best = {0, 0};
    int tied = 0;
    for (int i = 0; i < boxes->boxes; i++) {
        index[i] = own_index(boxes, remembered[i], i);
        most = fmax(most, index[i]);
    }
    if (left == 0) {
        return (worth){named_mass(boxes, looks, index), largest_mass(boxes, looks)};
    }
    for (int i = 0; i < boxes->boxes; i++) {
        if (index[i] != most || (ties == OG_TIES_FIRST && tied > 0)) {
            continue;
        }
        double now =
            mass_of(boxes, looks, i) * boxes->found[i] - boxes->cost * whole_mass(boxes, looks);
        worth sum = {now, now};
        int next[BOXES];
        memcpy(next, looks, sizeof next);
        next[i]++;
        for (int coin = LOOKED; coin <= FORGOTTEN; coin++) {
            uint64_t memory[BOXES];
            memcpy(memory, remembered, sizeof memory);
            memory[i] += coin == LOOKED;
            worth more = worth_of(boxes, ties, left - 1, next, memory);
            sum.own += chance_of[coin] * more.own;
            sum.exact += chance_of[coin] * more.exact;
        }
        if (ties == OG_TIES_RANDOM || tied == 0) {
            best = (worth){best.own + sum.own, best.exact + sum.exact};
        } else if (ties == OG_TIES_BEST ? sum.own > best.own : sum.own < best.own) {
            best = sum;
        }
        tied++;
    }
    double share = ties == OG_TIES_RANDOM ? tied : 1;
    return (worth){best.own / share, best.exact / share};
}

/* Optimal play, or boxes drawn by their masses. */
static double value_by(const search *boxes, bool drawn, int left, const int *looks);

static double value_of_look(const search *boxes, bool drawn, int left, const int *looks, int box)
{
    int next[BOXES];
    memcpy(next, looks, sizeof next);
    next[box]++;
    return mass_of(boxes, looks, box) * boxes->found[box] - boxes->cost * whole_mass(boxes, looks) +
           value_by(boxes, drawn, left - 1, next);
}

static double value_by(const search *boxes, bool drawn, int left, const int *looks)
{
    double best = -INFINITY, mean = 0;
    if (left == 0) {
        return largest_mass(boxes, looks);
    }
    for (int i = 0; i < boxes->boxes; i++) {
        double value = value_of_look(boxes, drawn, left, looks, i);
        best = fmax(best, value);
        mean += mass_of(boxes, looks, i) / whole_mass(boxes, looks) * value;
    }
    return drawn ? mean : best;
}

/* ---- tests ---- */

static const int no_looks[BOXES] = {0};
static const uint64_t no_memory[BOXES] = {0};

static search random_search(random_source *random)
{
    static const double masses[] = {1, 1, 2, 3}, chances[] = {0.5, 0.5, 0.25, 1};
    search boxes = {.boxes = 1 + (int)random_below(random, BOXES),
                    .looks = (int)random_below(random, 6),
                    .cost = random_below(random, 2) == 0 ? 0 : 0.125};
    for (int i = 0; i < boxes.boxes; i++) {
        bool same = i > 0 && random_below(random, 2) == 0;
        boxes.mass[i] = same ? boxes.mass[i - 1] : masses[random_below(random, 4)];
        boxes.found[i] = same ? boxes.found[i - 1] : chances[random_below(random, 4)];
    }
    return boxes;
}

static og_solution solve(const search *boxes, const og_strategy *by, og_ties ties,
                         unsigned reductions, int threads)
{
    const og_value_asked question = {.by = by, .ties = ties, .reductions = reductions};
    og_model made = search_model(boxes, &question);
    og_settings settings;
    og_solution solution;
    og_message message = {""};
    og_settings_default(&settings);
    settings.threads = threads;
    settings.memory_bytes = UINT64_C(1) << 28;
    ck_assert_msg(og_solution_by_engine(&made, &question, &settings, &solution, &message) == OG_OK,
                  "%s", message.text);
    return solution;
}

static og_value_found value_with(const search *boxes, const og_strategy *by, og_ties ties,
                                 unsigned reductions, int threads)
{
    og_solution solution = solve(boxes, by, ties, reductions, threads);
    og_value_found found;
    og_message message = {""};
    ck_assert_msg(solution.value(solution.self, &found, &message) == OG_OK, "%s", message.text);
    og_solution_free(&solution);
    return found;
}

OG_TEST(optimum_and_q_are_those_of_the_enumeration)
{
    random_source random = random_start(test_seed(81));
    for (int round = 0; round < test_cases(50); round++) {
        const search boxes = random_search(&random);
        OWN(og_solution) solution = solve(&boxes, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        const og_act_open open[BOXES] = {{{{0}}, 1}, {{{1}}, 1}, {{{2}}, 1}};
        og_value_found found;
        og_message message;
        double q[BOXES], error[BOXES];
        double truth = value_by(&boxes, false, boxes.looks, no_looks);
        ck_assert_int_eq(solution.value(solution.self, &found, &message), OG_OK);
        ck_assert_double_eq_tol(found.result.value, truth, rounding);
        ck_assert_double_eq_tol(found.result.gain, truth - largest_mass(&boxes, no_looks),
                                rounding);
        ck_assert(isnan(found.called_value));
        og_status status = solution.q(solution.self, open, boxes.boxes, q, error, &message);
        ck_assert_int_eq(status, boxes.looks > 0 ? OG_OK : OG_BAD_INPUT);
        for (int i = 0; status == OG_OK && i < boxes.boxes; i++) {
            truth = value_of_look(&boxes, false, boxes.looks, no_looks, i) -
                    largest_mass(&boxes, no_looks);
            ck_assert_double_eq_tol(q[i], truth, rounding);
            ck_assert_double_eq(error[i], rounding);
        }
    }
}

OG_TEST(a_belief_with_coins_is_valued_as_by_the_enumeration)
{
    random_source random = random_start(test_seed(82));
    for (int round = 0; round < test_cases(30); round++) {
        const search boxes = random_search(&random);
        searcher who = {&boxes, WELL};
        og_strategy by = forgetful(&who);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            worth truth = worth_of(&boxes, (og_ties)ties, boxes.looks, no_looks, no_memory);
            for (int way = 0; way < 4; way++) { /* sorted, not, with threads, by histories */
                by.forest = way == 3;
                og_value_found found = value_with(&boxes, &by, (og_ties)ties,
                                                  way == 1 ? 0 : OG_REDUCE_ALL, way == 2 ? 3 : 1);
                ck_assert_double_eq_tol(found.result.value, truth.own, rounding);
                ck_assert_double_eq_tol(found.called_value, truth.exact, rounding);
            }
        }
    }
}

OG_TEST(weights_are_drawn_by_and_no_tie_rule_is_asked)
{
    random_source random = random_start(test_seed(83));
    for (int round = 0; round < test_cases(30); round++) {
        search boxes = random_search(&random);
        for (int i = 0; i < boxes.boxes; i++) { /* no mass becomes 0 */
            boxes.found[i] = boxes.found[i] == 1 ? 0.5 : boxes.found[i];
        }
        searcher who = {&boxes, WELL};
        og_strategy by = {.self = &who, .choose = choose_by_mass};
        double truth = value_by(&boxes, true, boxes.looks, no_looks);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            for (int forest = 0; forest < 2; forest++) {
                by.forest = forest == 1;
                og_value_found found = value_with(&boxes, &by, (og_ties)ties, OG_REDUCE_ALL, 1);
                ck_assert_double_eq_tol(found.result.value, truth, rounding);
                ck_assert(isnan(found.called_value));
            }
        }
    }
}

OG_TEST(sorting_leaves_fewer_states_and_histories_are_all)
{
    const search boxes = {.boxes = 3, .looks = 4, .mass = {1, 1, 1}, .found = {0.5, 0.5, 0.5}};
    searcher who = {&boxes, WELL};
    og_strategy by = forgetful(&who);
    og_value_found sorted = value_with(&boxes, &by, OG_TIES_RANDOM, OG_REDUCE_ALL, 1);
    og_value_found plain = value_with(&boxes, &by, OG_TIES_RANDOM, 0, 1);
    ck_assert_uint_lt(2 * sorted.result.states, plain.result.states);
    by.item_bytes[0] = 0; /* then nothing may be renamed */
    ck_assert_uint_eq(value_with(&boxes, &by, OG_TIES_RANDOM, OG_REDUCE_ALL, 1).result.states,
                      plain.result.states);
    by.forest = true;
    og_value_found walked = value_with(&boxes, &by, OG_TIES_FIRST, 0, 1);
    /* a look ends, found, with two coins, and goes on with two: 1 + 4 + 2 * 4 + 4 * 4 + 8 * 4 */
    ck_assert_uint_eq(walked.result.states, 61);
}

OG_TEST(ties_within_a_tolerance_are_counted)
{
    const search boxes = {.boxes = 2, .looks = 1, .mass = {1, 1.0625}, .found = {1, 0.5}};
    searcher who = {&boxes, WELL};
    og_strategy by = forgetful(&who);
    for (int way = 0; way < 4; way++) {
        by.forest = way % 2 == 1;
        by.tie = way < 2 ? 0.125 : 0;
        by.tie_relative = way < 2 ? 0 : 0.125;
        og_value_found found = value_with(&boxes, &by, OG_TIES_FIRST, OG_REDUCE_ALL, 1);
        ck_assert_double_eq(found.called_value, 2.0625);
        ck_assert_uint_ge(found.tolerance_ties, 1);
    }
    by = forgetful(&who);
    ck_assert_uint_eq(value_with(&boxes, &by, OG_TIES_FIRST, OG_REDUCE_ALL, 1).tolerance_ties, 0);
}

OG_TEST(picks_are_all_that_tie_at_the_root)
{
    const search boxes = {.boxes = 3, .looks = 2, .mass = {2, 1, 2}, .found = {0.5, 0.5, 0.25}};
    const og_act_open open[BOXES] = {{{{0}}, 1}, {{{1}}, 1}, {{{2}}, 1}};
    searcher who = {&boxes, WELL};
    const og_strategy by = forgetful(&who);
    OWN(og_solution) solution = solve(&boxes, &by, OG_TIES_FIRST, OG_REDUCE_ALL, 1);
    bool pick[BOXES];
    og_message message;
    ck_assert_int_eq(solution.picks(solution.self, open, BOXES, pick, NULL, &message), OG_OK);
    ck_assert(pick[0] && !pick[1] && pick[2]);
}

OG_TEST(a_strategy_that_fails_ends_the_work_with_its_message)
{
    static const struct {
        ailment has;
        const char *says;
    } cases[] = {{NO_BELIEF, "no belief"},          {BAD_INDEX, "is not a number"},
                 {BAD_WEIGHTS, "add up to 0"},      {NO_LESSON, "failed to learn"},
                 {ODD_COINS, "do not add up to 1"}, {NO_DECISION, "no decision"}};
    const search boxes = {.boxes = 2, .looks = 3, .mass = {1, 1}, .found = {0.5, 0.25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        searcher who = {&boxes, cases[i].has};
        for (int way = 0; way < 4; way++) {
            og_strategy by = forgetful(&who);
            og_value_found found = {.tolerance_ties = 7};
            og_message message = {""};
            by.forest = way % 2 == 1;
            by.branches_max = cases[i].has == ODD_COINS ? 1 : 2;
            by.choose = cases[i].has == BAD_WEIGHTS ? choose_by_mass : choose;
            og_ties ties = way < 2 ? OG_TIES_RANDOM : OG_TIES_WORST;
            OWN(og_solution) solution = solve(&boxes, &by, ties, OG_REDUCE_ALL, 1);
            ck_assert_int_eq(solution.value(solution.self, &found, &message), OG_FAILED);
            ck_assert_msg(strstr(message.text, cases[i].says) != NULL, "%s", message.text);
            ck_assert_uint_eq(found.tolerance_ties, 7);
        }
    }
}

OG_TEST(beliefs_that_no_key_holds_are_refused)
{
    const search boxes = {.boxes = 1, .looks = 1, .mass = {1}, .found = {0.5}};
    searcher who = {&boxes, WELL};
    og_strategy by = forgetful(&who);
    by.belief_bytes = OG_KEY_WORDS_MAX * sizeof(uint64_t);
    const og_value_asked question = {.by = &by, .reductions = OG_REDUCE_ALL};
    og_model made = search_model(&boxes, &question);
    og_settings settings;
    og_solution solution;
    og_message message = {""};
    og_settings_default(&settings);
    ck_assert_int_eq(og_solution_by_engine(&made, &question, &settings, &solution, &message),
                     OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "too large to store"));
}
