/*
 * Labelers whose accuracies are not known: the least regrets of Liu and Liu's problem that are
 * known, the definition written out, fractions beside doubles, and identities.
 */
#include "dp/families/labelers_game.h"
#include "tests/crowd.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(labelers_game, 60);

static const uint64_t plenty = UINT64_C(1) << 31;
static const char three[] = "0.9 0.7 0.6";

/* ---- priors ---- */

static og_labelers_prior *orders_of(const char *words)
{
    og_labelers labelers = crowd_of(words);
    og_labelers_prior *prior = NULL;
    og_message message = {""};
    og_status status = og_labelers_prior_orders(&labelers, &prior, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return prior;
}

static og_labelers_prior *beta_of(int32_t count, int64_t a, int64_t b, int32_t tasks)
{
    og_labelers labelers = {.count = count};
    og_labelers_prior *prior = NULL;
    for (int32_t i = 0; i < count; i++) {
        labelers.cost[i] = og_fraction_make(0, 1);
    }
    ck_assert_int_eq(og_labelers_prior_beta(&labelers, og_fraction_make(a, 1),
                                            og_fraction_make(b, 1), tasks, &prior, NULL),
                     OG_OK);
    return prior;
}

static og_labelers_problem *game_of(const og_labelers_prior *prior, og_labelers_rules rules)
{
    og_labelers_problem *game = NULL;
    og_message message = {""};
    rules.price.den = rules.price.den == 0 ? 1 : rules.price.den;
    og_status status = og_labelers_problem_new(prior, &rules, plenty, &game, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return game;
}

static og_result solved(const og_labelers_problem *game, unsigned reductions)
{
    const og_value_asked asked = {.reductions = reductions};
    const og_settings settings = question_settings(reductions, 1);
    og_model model;
    ck_assert_int_eq(og_labelers_model(game, &asked, &model), OG_OK);
    return question_value(&model, &asked, &settings, "labelers").result;
}

OG_TEST(test_least_regrets_are_known_as_fractions)
{
    static const struct {
        const char *words;
        int32_t budget;
        const char *majority, *any;
    } known[] = {
        {three, 9, "3753/500", "3753/500"},
        {three, 10, "1042500100177824681837/125000000000000000000",
         "1042500100177824681837/125000000000000000000"},
        {three, 12, "2502005374284156023213619/250000000000000000000000",
         "2502006462990543762960003/250000000000000000000000"},
        {"0.9 0.6 0.6", 10, "3776550828661278/476837158203125", "3776550828661278/476837158203125"},
    };
    mpq_t *q = fractions(1);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        og_labelers_prior *prior = orders_of(known[k].words);
        og_labelers_problem *game = game_of(prior, (og_labelers_rules){.budget = known[k].budget});
        double any = 0;
        ck_assert_int_eq(og_labelers_value_exact(game, OG_LABELERS_OPTIMUM, NULL, q[0], NULL),
                         OG_OK);
        check_fraction(q[0], known[k].majority);
        og_result found = solved(game, OG_REDUCE_ALL);
        ck_assert(fabs(found.value - mpq_get_d(q[0])) <= found.error_bound);
        ck_assert_int_eq(og_labelers_value_exact(game, OG_LABELERS_ANY_RULE, NULL, q[0], NULL),
                         OG_OK);
        check_fraction(q[0], known[k].any);
        ck_assert_int_eq(og_labelers_any_rule(game, NULL, &any, NULL), OG_OK);
        check_near(any, mpq_get_d(q[0]), 1e-12);
        og_labelers_problem_free(game);
        og_labelers_prior_free(prior);
    }
    fractions_free(q, 1);
}

OG_TEST(test_least_regrets_are_known)
{
    static const char worse[] = "0.95 0.55 0.55";
    static const struct {
        const char *words;
        int32_t budget;
        double regret, any; /* NAN: not known */
    } known[] = {
        {three, 1, 0.066, 0.066},
        {three, 5, 5 * 0.066, 5 * 0.066},
        {three, 20, 1.31789233348, 18 - 16.6826600107},
        {three, 40, 2.58923488423, 36 - 33.4239641529},
        {three, 60, 3.77306808861, 54 - 50.2737657191},
        {worse, 20, 3.54388866082, NAN},
        {worse, 60, 10.4568412853, NAN},
        {three, 100, 5.88983422105, 90 - 84.2803931131},
        {worse, 100, 16.9256649154, 16.7089127660},
    };
    size_t count = test_is_short() ? 6 : sizeof known / sizeof *known;
    for (size_t k = 0; k < count; k++) {
        og_labelers_prior *prior = orders_of(known[k].words);
        og_labelers_problem *game = game_of(prior, (og_labelers_rules){.budget = known[k].budget});
        double told = known[k].budget * og_labelers_told(game), any = 0;
        check_near(told - solved(game, OG_REDUCE_ALL).value, known[k].regret, 1e-10);
        if (!isnan(known[k].any)) {
            ck_assert_int_eq(og_labelers_any_rule(game, NULL, &any, NULL), OG_OK);
            check_near(told - any, known[k].any, 1e-10);
        }
        og_labelers_problem_free(game);
        og_labelers_prior_free(prior);
    }
}

/* The cost of greedy's votes from the definition: the smallest set that is best now, all its votes.
 */
static double cost_of_greedy(const og_labelers_problem *game, const double *weight, int32_t left)
{
    const og_labelers_prior *prior = game->prior;
    uint32_t all = (1u << prior->count) - 1, set = 0;
    double largest = -INFINITY, cost = 0, paid = 0, mass = 0, sum = 0;
    for (int size = 1; left > 0 && size <= prior->count; size++) {
        for (uint32_t x = 1; x <= all; x++) {
            double now = 0;
            cost = 0;
            mass = 0;
            for (int i = 0; i < prior->count; i++) {
                cost += (x >> i & 1) != 0 ? og_fraction_double(prior->at[0].cost[i]) : 0;
            }
            for (int h = 0; h < prior->hypotheses; h++) {
                og_votes votes;
                ck_assert_int_eq(og_votes_make(&prior->at[h], &votes), OG_OK);
                now +=
                    weight[h] * (votes.majority[x] - og_fraction_double(game->rules.price) * cost);
                mass += weight[h];
            }
            uint32_t apart = x ^ set; /* among equally good sets, the one with the lowest labeler */
            bool first = (x & apart & (~apart + 1)) != 0 && __builtin_popcount(set) == size;
            if (__builtin_popcount(x) == size &&
                (now > largest + 1e-12 || (first && now > largest - 1e-12))) {
                largest = now;
                set = x;
                paid = cost;
            }
        }
    }
    sum = mass * paid;
    for (uint32_t ones = 0; left > 1 && ones <= set; ones++) {
        double after[200] = {0};
        for (int h = 0; (ones & ~set) == 0 && h < prior->hypotheses; h++) {
            double one = 0.5, zero = 0.5; /* the label, and these votes */
            for (int i = 0; i < prior->count; i++) {
                double p = prior->at[h].chance[i];
                bool says = (ones >> i & 1) != 0;
                one *= (set >> i & 1) == 0 ? 1 : says ? p : 1 - p;
                zero *= (set >> i & 1) == 0 ? 1 : says ? 1 - p : p;
            }
            after[h] = weight[h] * (one + zero);
        }
        sum += (ones & ~set) == 0 ? cost_of_greedy(game, after, left - 1) : 0;
    }
    return sum;
}

static double greedy_by_engine(const og_labelers_problem *game, bool costs, double *error)
{
    const og_value_asked asked = {.reductions = 0};
    const og_settings settings = question_settings(0, 1);
    og_model model;
    ck_assert_int_eq(og_labelers_greedy_model(game, costs, &model), OG_OK);
    const og_value_found found = question_value(&model, &asked, &settings, "greedy");
    *error = found.result.error_bound;
    return found.result.value;
}

OG_TEST(test_greedys_votes_cost_what_the_definition_says)
{
    static const struct {
        const char *words;
        int64_t price; /* hundredths; votes cost 1/50, 3/50, 5/50, ... */
        int32_t budget;
        bool literal;
    } cases[] = {
        {three, 0, 3, true},      {three, 100, 4, true},
        {three, 300, 3, true},    {"0.95 0.55 0.55", 50, 4, true},
        {"0.9 0.4", 40, 5, true}, {three, 100, 8, false},
    };
    mpq_t *q = fractions(2);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const og_labelers_rules rules = {.budget = cases[k].budget,
                                         .price = og_fraction_make(cases[k].price, 100)};
        og_labelers labelers = crowd_of(cases[k].words);
        og_labelers_prior *prior = NULL;
        double error = 0;
        for (int32_t i = 0; i < labelers.count; i++) {
            labelers.cost[i] = og_fraction_make(2 * i + 1, 50);
        }
        ck_assert_int_eq(og_labelers_prior_orders(&labelers, &prior, NULL), OG_OK);
        og_labelers_problem *game = game_of(prior, rules);
        for (int costs = 0; costs < 2; costs++) {
            double found = greedy_by_engine(game, costs == 1, &error);
            og_labelers_exact what = costs == 1 ? OG_LABELERS_GREEDY_COST : OG_LABELERS_GREEDY;
            ck_assert_int_eq(og_labelers_value_exact(game, what, NULL, q[costs], NULL), OG_OK);
            ck_assert(fabs(found - mpq_get_d(q[costs])) <= error);
        }
        if (cases[k].literal) {
            check_near(mpq_get_d(q[1]), cost_of_greedy(game, game->weight, rules.budget), 1e-12);
        }
        og_labelers_problem_free(game);
        og_labelers_prior_free(prior);
    }
    fractions_free(q, 2);
}

/* Points of a Beta prior are exact for so many tasks: more of them change nothing. */
OG_TEST(test_betas_do_not_depend_on_the_points)
{
    for (int32_t tasks = 1; tasks <= 5; tasks++) {
        og_labelers_prior *few = beta_of(3, 4, 1, tasks), *many = beta_of(3, 4, 1, tasks + 4);
        og_labelers_problem *one = game_of(few, (og_labelers_rules){.budget = tasks});
        og_labelers_problem *other = game_of(many, (og_labelers_rules){.budget = tasks});
        og_result found = solved(one, OG_REDUCE_ALL), more = solved(other, OG_REDUCE_ALL);
        ck_assert(fabs(found.value - more.value) <= found.error_bound + more.error_bound);
        og_labelers_problem_free(one);
        og_labelers_problem_free(other);
        og_labelers_prior_free(few);
        og_labelers_prior_free(many);
    }
    og_labelers_prior *one = beta_of(1, 4, 1, 1); /* one voter: E p = 4/5 */
    og_labelers_problem *game = game_of(one, (og_labelers_rules){.budget = 1});
    check_near(solved(game, OG_REDUCE_ALL).value, 0.8, 1e-12);
    og_labelers_problem_free(game);
    og_labelers_prior_free(one);
}
