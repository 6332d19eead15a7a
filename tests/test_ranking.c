/*
 * Ranking by comparisons: known values, an integral in other coordinates, and identities that hold
 * for every prior. Bellman's equation over matrices of wins is in tests/conformance_other.c.
 */
#include <float.h>
#include <gsl/gsl_cdf.h>

#include "bench/families/ranking/ranking.h"
#include "bench/families/table.h"
#include "dp/engine/strategy.h"
#include "dp/families/ranking_bounds.h"
#include "dp/families/ranking_rule.h"
#include "heuristics/families/ranking_policy.h"
#include "tests/families.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking, 60);

enum { ITEMS = OG_RANKING_ITEMS_MAX };

static const uint64_t plenty = UINT64_C(1) << 32;

/* Known values have twelve or thirteen digits. */
static const double known_digits = 1e-11;

/* ---- wins as a matrix ---- */

typedef struct {
    int32_t wins[ITEMS][ITEMS]; /* of i over j */
} matrix;

static og_ranking_counts counts_of(int32_t items, const matrix *m)
{
    og_ranking_counts counts = {.wins = {0}};
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = 0; j < items; j++) {
            counts.wins[i] = (uint8_t)(counts.wins[i] + m->wins[i][j]);
            if (i < j) {
                counts.compared[og_ranking_pair(items, i, j)] =
                    (uint8_t)(m->wins[i][j] + m->wins[j][i]);
            }
        }
    }
    return counts;
}

static void init(og_ranking_posterior *posterior, const double *prior, int32_t items,
                 int32_t labels)
{
    og_message message = {""};
    og_ranking_prior given = {.items = items};
    memcpy(given.item, prior, (size_t)items * sizeof *prior);
    og_status status = og_ranking_posterior_init(posterior, &given, labels, plenty, NULL, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    ck_assert(posterior->error <= 1e-12);
}

/* ---- masses ---- */

OG_TEST_LOOP(test_known_masses, 0, 7)
{
    static const struct {
        double prior[3];
        matrix seen;
        double mass, g12, g13, g23; /* mass 0: not known */
    } rows[] = {
        {{1, 1, 1}, {{{0, 1}}}, 0.5, 0.75, 0.613705638880109, 0.386294361119891},
        {{1, 1, 1}, {{{0, 1, 1}}}, 0.289868133696453, 0.802531242477, 0.802531242477, 0.5},
        {{1, 1, 1},
         {{{0, 1}, {0, 0, 1}}},
         0.210131866303547,
         0.646771395240,
         0.770557818955,
         0.677535344898},
        {{1, 1, 1},
         {{{0, 3, 2}, {1, 0, 4}, {5, 2, 0}}},
         1.29673815552e-06,
         0.436329327680,
         0.378745892384,
         0.450048567934},
        {{1, 1, 1}, {{{0, 1}, {1}}}, 0, 0.5, 0.523350749921, 0.523350749921},
        {{1, 1, 1}, {{{0, 1}, {0, 0, 1}, {1}}}, 0, 0.5, 0.5, 0.5},
        {{0.5, 1.5, 2},
         {{{0, 1}, {0}, {1}}},
         0.164467666561,
         0.433640929792,
         0.128417599263,
         0.187903104714},
    };
    const int32_t i = _i;
    og_ranking_posterior posterior;
    double above[ITEMS * ITEMS];
    init(&posterior, rows[i].prior, 3, 17);
    og_ranking_counts counts = counts_of(3, &rows[i].seen);
    double mass = og_ranking_masses(&posterior, &counts, above);
    if (rows[i].mass > 0) {
        ck_assert_double_eq_tol(mass / rows[i].mass, 1, known_digits);
    }
    ck_assert_double_eq_tol(above[1] / mass, rows[i].g12, known_digits);
    ck_assert_double_eq_tol(above[2] / mass, rows[i].g13, known_digits);
    ck_assert_double_eq_tol(above[5] / mass, rows[i].g23, known_digits);
    og_ranking_posterior_clear(&posterior);
}

static double draw_prior(random_source *state, double prior[ITEMS], int32_t items)
{
    double whole = 0;
    for (int32_t i = 0; i < items; i++) {
        prior[i] = (1 + (double)random_below(state, 12)) / 4;
        whole += prior[i];
    }
    return whole;
}

static matrix draw_matrix(random_source *state, int32_t items, int32_t labels)
{
    matrix m = {{{0}}};
    for (int32_t t = 0; t < labels; t++) {
        int32_t i = (int32_t)random_below(state, (uint32_t)items);
        int32_t j = (int32_t)random_below(state, (uint32_t)items - 1);
        m.wins[i][j + (j >= i)]++;
    }
    return m;
}

enum { TRAPEZES = 1280 }; /* to each side, so that nothing but 1e-50 is left out */

/*
 * The whole mass of three items, from the trapezoidal rule in the logarithms of two ratios of
 * scores: other coordinates, other points, no orders. The integrand is analytic up to pi from the
 * real line, so steps of 1/8 have an error of exp(-16 pi^2) times the integrand's growth there.
 */
static double mass_in_logarithms(const double prior[3], const og_ranking_counts *counts)
{
    double sum[2] = {0, 0}; /* with the likelihood; without */
    for (int32_t k = -TRAPEZES; k <= TRAPEZES; k++) {
        double row[2] = {0, 0};
        for (int32_t l = -TRAPEZES; l <= TRAPEZES; l++) {
            double u = k / 8., v = l / 8.;
            double log_score[3] = {u, v, 0}, top = fmax(fmax(u, v), 0), whole = 0, density = 0;
            double likelihood = 0;
            for (int32_t i = 0; i < 3; i++) {
                whole += prior[i];
                density += prior[i] * log_score[i];
                likelihood += counts->wins[i] * log_score[i];
            }
            density -= whole * (top + log(exp(u - top) + exp(v - top) + exp(-top)));
            if (density < -120) {
                continue;
            }
            for (int32_t p = 0; p < 3; p++) {
                double x = log_score[p == 2 ? 1 : 0], y = log_score[p == 0 ? 1 : 2];
                likelihood -= counts->compared[p] * (fmax(x, y) + log1p(exp(-fabs(x - y))));
            }
            row[0] += exp(density + likelihood);
            row[1] += exp(density);
        }
        sum[0] += row[0];
        sum[1] += row[1];
    }
    return sum[0] / sum[1];
}

OG_TEST_LOOP(test_mass_in_other_coordinates, 0, test_cases(4))
{
    random_source state = random_start(test_seed(7100 + (uint64_t)_i));
    double prior[ITEMS], above[ITEMS * ITEMS], least = 1e-8; /* known of the mass below */
    og_ranking_posterior posterior;
    draw_prior(&state, prior, 3);
    for (int32_t i = 0; i < 3; i++) {
        prior[i] = fmax(prior[i], 0.75); /* slower ones need a longer reach */
    }
    init(&posterior, prior, 3, 12);
    matrix seen = draw_matrix(&state, 3, 12);
    og_ranking_counts counts = counts_of(3, &seen);
    double mass = og_ranking_masses(&posterior, &counts, above);
    /* Two sums of rows, and an exponent with some dozen operations on numbers up to 12 * 160, of
     * which more than -ln(1e-8) + 120 means nothing. */
    double rounding = (2 * (4 * TRAPEZES + 2) + 24 * (120 - log(least))) * DBL_EPSILON;
    ck_assert(mass > least);
    ck_assert_double_eq_tol(mass_in_logarithms(prior, &counts) / mass, 1,
                            posterior.error + rounding);
    og_ranking_posterior_clear(&posterior);
}

/* Sums over the last coordinate that are kept, and those computed anew for each order, give the
 * same bits; also the second time, and by several threads at once. */
OG_TEST_LOOP(test_kept_sums, 0, test_cases(8))
{
    random_source state = random_start(test_seed(7150 + (uint64_t)_i));
    enum { STATES = 12 };
    double prior[ITEMS], anew[STATES][ITEMS * ITEMS], kept[2 * STATES][ITEMS * ITEMS];
    double mass[STATES], again[2 * STATES];
    og_ranking_counts counts[STATES];
    int32_t items = 3 + (int32_t)random_below(&state, 2), labels = 9 - items;
    og_ranking_posterior posterior;
    draw_prior(&state, prior, items);
    init(&posterior, prior, items, labels);
    ck_assert(posterior.kept > 0);
    for (int32_t i = 0; i < STATES; i++) {
        matrix seen =
            draw_matrix(&state, items, (int32_t)random_below(&state, (uint32_t)labels + 1));
        counts[i] = counts_of(items, &seen);
    }
#pragma omp parallel for num_threads(3) schedule(dynamic, 1)
    for (int32_t i = 0; i < 2 * STATES; i++) {
        again[i] = og_ranking_masses(&posterior, &counts[i % STATES], kept[i]);
    }
    for (int32_t r = 0; r < posterior.order_count; r++) {
        posterior.rule[r].sum = NULL; /* as without room */
    }
    for (int32_t i = 0; i < STATES; i++) {
        mass[i] = og_ranking_masses(&posterior, &counts[i], anew[i]);
    }
    size_t size = (size_t)(items * items) * sizeof(double);
    for (int32_t i = 0; i < 2 * STATES; i++) {
        ck_assert(again[i] == mass[i % STATES]);
        ck_assert_mem_eq(kept[i], anew[i % STATES], size);
    }
    og_ranking_posterior_clear(&posterior);
}

/* A comparison splits the mass of every order; without any, scores are Betas' ratios; the mean
 * scores follow from the masses of one more comparison. */
OG_TEST_LOOP(test_identities, 0, test_cases(20))
{
    random_source state = random_start(test_seed(7200 + (uint64_t)_i));
    const og_ranking_counts none = {.wins = {0}};
    int32_t items = 2 + (int32_t)random_below(&state, 3), labels = 9;
    double prior[ITEMS], above[ITEMS * ITEMS], won[ITEMS * ITEMS], lost[ITEMS * ITEMS];
    og_ranking_posterior posterior;
    draw_prior(&state, prior, items);
    init(&posterior, prior, items, labels + 1);
    const double near = 2 * posterior.error; /* errors of both compared numbers */
    ck_assert_double_eq_tol(og_ranking_masses(&posterior, &none, above), 1, near);
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = 0; j < items; j++) {
            double g = gsl_cdf_beta_P(0.5, prior[j], prior[i]);
            ck_assert(i == j || fabs(above[i * items + j] - g) <= near);
        }
    }
    matrix seen = draw_matrix(&state, items, labels);
    og_ranking_counts counts = counts_of(items, &seen);
    double mass = og_ranking_masses(&posterior, &counts, above);
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            og_ranking_counts after = counts;
            after.compared[og_ranking_pair(items, i, j)]++;
            after.wins[i]++;
            double up = og_ranking_masses(&posterior, &after, won);
            after.wins[i]--;
            after.wins[j]++;
            double down = og_ranking_masses(&posterior, &after, lost);
            ck_assert_double_eq_tol((up + down) / mass, 1, near);
            for (int32_t k = 0; k < items * items; k++) {
                ck_assert_double_eq_tol(won[k] + lost[k], above[k], near * mass);
            }
        }
    }
    og_ranking_posterior_clear(&posterior);
}

OG_TEST(test_best_ranking)
{
    /* Majorities in a cycle: the best ranking gives up the weakest of them. */
    const double cycle[9] = {0, 0.6, 0.45, 0.4, 0, 0.7, 0.55, 0.3, 0};
    const double scores[3] = {2, 2 * (1 + 1e-12), 1};
    ck_assert_double_eq_tol(og_ranking_best(3, cycle), (0.6 + 0.7 + 0.45) / 3, 1e-15);
    ck_assert_double_eq_tol(og_ranking_score(3, cycle, scores), (0.5 + 0.45 + 0.7) / 3, 1e-15);
}

/* ---- values ---- */

static void *open_ranking(const char *const *words, int32_t word_count, int32_t budget,
                          const char *history)
{
    const og_settings settings = {.threads = 2, .memory_bytes = plenty};
    const og_problem_text given = {
        .history = history, .words = words, .word_count = word_count, .budget = budget, .left = -1};
    og_message message = {""};
    void *problem = NULL;
    og_status status = og_family_ranking.model.open(&given, &settings, &problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return problem;
}

static og_value_found value_of(const void *problem, const char *policy, og_ties ties, int threads)
{
    const og_settings settings = {
        .threads = threads, .memory_bytes = plenty, .reductions = OG_REDUCE_ALL};
    og_message message = {""};
    og_value_found found;
    ck_assert_msg(family_value(&og_family_ranking, problem, policy, ties, &settings, NULL, &found,
                               &message) == OG_OK,
                  "%s", message.text);
    return found;
}

typedef struct {
    const char *words[3];
    int32_t word_count, budget;
    const char *policy; /* NULL: the optimum */
    og_ties ties;
    double value, called; /* called 0: there is none */
} known_value;

static const known_value known_values[] = {
    {{"3x1"}, 1, 0, NULL, 0, 0.5, 0},
    {{"3x1"}, 1, 1, NULL, 0, 0.659137092586739, 0}, /* (19/4 - 4 ln 2) / 3 */
    {{"3x1"}, 1, 2, NULL, 0, 0.7088782037311, 0},
    {{"3x1"}, 1, 3, NULL, 0, 0.7586193148754, 0},
    {{"3x1"}, 1, 5, NULL, 0, 0.7996203334311, 0},
    {{"3x1"}, 1, 10, NULL, 0, 0.852169320472, 0},
    {{"3x1"}, 1, 16, NULL, 0, 0.8819594788925, 0},
    {{"3x1"}, 1, 20, NULL, 0, 0.8944332187249, 0},
    {{"2", "1", "3"}, 3, 0, NULL, 0, 37. / 48, 0},
    {{"2", "1", "3"}, 3, 3, NULL, 0, 0.8101162055512, 0},
    {{"2", "1", "3"}, 3, 5, NULL, 0, 0.8326155367683, 0},
    {{"4x1"}, 1, 3, NULL, 0, 0.710223427774, 0},
    {{"4x1"}, 1, 5, NULL, 0, 0.7676128661327, 0},
    {{"3x1"}, 1, 10, "kg-exact", OG_TIES_RANDOM, 0.8442780515555, 0},
    {{"3x1"}, 1, 10, "kg-exact", OG_TIES_BEST, 0.8513490056775, 0},
    {{"3x1"}, 1, 10, "kg-exact", OG_TIES_WORST, 0.8298556966345, 0},
    {{"3x1"}, 1, 10, "kg-exact", OG_TIES_FIRST, 0.8368737912597, 0},
    {{"2", "1", "3"}, 3, 5, "kg-exact", OG_TIES_RANDOM, 0.8249971809331, 0},
    {{"2", "1", "3"}, 3, 5, "kg-exact", OG_TIES_FIRST, 0.8245852337394, 0},
    {{"2", "1", "3"}, 3, 5, "kg-exact", OG_TIES_WORST, 0.8094480924624, 0},
    {{"4x1"}, 1, 4, "kg-exact", OG_TIES_RANDOM, 0.736002722601, 0},
    {{"3x1"}, 1, 5, "akg", OG_TIES_FIRST, 0.795526501616, 0.797919145509},
    {{"3x1"}, 1, 10, "akg", OG_TIES_RANDOM, 0.845350475058, 0.846302932762},
    {{"2", "1", "3"}, 3, 5, "akg", OG_TIES_RANDOM, 0.827810050265, 0},
    {{"4x1"}, 1, 4, "akg", OG_TIES_RANDOM, 0.729994661650, 0.730234460339},
    {{"3x1"}, 1, 10, "distance", OG_TIES_RANDOM, 0.846167843897, 0.849384191531},
    {{"3x1"}, 1, 5, "distance", OG_TIES_BEST, 0.795965945937, 0},
    {{"3x1"}, 1, 5, "distance", OG_TIES_WORST, 0.795151714676, 0},
    {{"2", "1", "3"}, 3, 5, "distance", OG_TIES_RANDOM, 0.831429558637, 0},
    {{"2", "1", "3"}, 3, 5, "distance", OG_TIES_FIRST, 0.831296730549, 0},
    {{"4x1"}, 1, 3, "distance", OG_TIES_FIRST, 0.698648930535, 0.705456946416},
    {{"3x1"}, 1, 10, "uniform", OG_TIES_RANDOM, 0.8267748774161, 0},
    {{"4x1"}, 1, 5, "uniform", OG_TIES_RANDOM, 0.7304870484564, 0},
    {{"3x1"}, 1, 2, "sorting", OG_TIES_RANDOM, 0.689424728391, 0.6911544135705},
    {{"3x1"}, 1, 4, "sorting", OG_TIES_RANDOM, 0.750159776475, 0.7531114691093},
};

OG_TEST_LOOP(test_known_values, 0, sizeof known_values / sizeof *known_values)
{
    const known_value *row = &known_values[_i];
    void *problem = open_ranking(row->words, row->word_count, row->budget, NULL);
    og_value_found found = value_of(problem, row->policy, row->ties, 2);
    ck_assert_double_eq_tol(found.result.value, row->value, known_digits);
    if (row->called > 0) {
        ck_assert_double_eq_tol(found.called_value, row->called, known_digits);
    }
    ck_assert(found.result.error_bound < 1e-11);
    og_family_close(&og_family_ranking, problem);
}

/* Two items are one coin: the instance Beta(A, B) with threshold 1/2. */
OG_TEST(test_two_items_are_a_coin)
{
    static const char *const words[] = {"2", "3"};
    og_groups coin;
    void *problem = open_ranking(words, 2, 7, NULL), *labelled;
    const og_settings settings = {.threads = 1, .memory_bytes = plenty};
    const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
    og_value_found one = value_of(problem, NULL, OG_TIES_RANDOM, 1), other;
    og_message message = {""};
    og_solution solution;
    const og_family *family = og_families[0];
    test_problem("2,3", 7, &coin);
    ck_assert(family_open(family, &coin, NULL, &settings, &labelled, &message) == OG_OK);
    ck_assert(og_family_solve(family, labelled, &optimum, &settings, &solution, &message) == OG_OK);
    ck_assert(solution.value(solution.self, &other, &message) == OG_OK);
    ck_assert_double_eq_tol(one.result.value, other.result.value, 1e-12);
    og_solution_free(&solution);
    og_family_close(family, labelled);
    og_groups_clear(&coin);
    og_family_close(&og_family_ranking, problem);
}

/* ---- bounds ---- */

OG_TEST_LOOP(test_bound_of_pairs, 0, 7)
{
    /* Of the uniform prior, known for T = 0 .. 6. */
    static const double known[] = {0.5, 0.75, 0.75, 13. / 16, 13. / 16, 27. / 32, 27. / 32};
    static const char *const words[] = {"3x1"};
    const og_settings settings = {.threads = 2, .memory_bytes = plenty};
    og_upper_bound bound = {.value = 0};
    og_message message = {""};
    void *problem = open_ranking(words, 1, _i, NULL);
    ck_assert(og_family_ranking.model.bound(problem,
                                            &(og_bound_use){.which = 0, .settings = &settings},
                                            &bound, NULL, &message) == OG_OK);
    ck_assert(bound.value >= known[_i] - 1e-15 && bound.value <= known[_i] + 2 * bound.error);
    ck_assert(bound.error < 1e-11);
    og_value_found found = value_of(problem, NULL, OG_TIES_RANDOM, 2);
    ck_assert(bound.value >= found.result.value - found.result.error_bound);
    og_family_close(&og_family_ranking, problem);
}

OG_TEST_LOOP(test_bound_of_a_split, 0, 6)
{
    /* The price to 1e-7. */
    static const struct {
        int32_t budget;
        double value, price;
    } rows[] = {
        {1, 0.659137092587, 0.0908629}, {2, 0.708878203731, 0.0822436},
        {3, 0.7649786310, 0.0237607},   {4, 0.7846142241, 0.0251881},
        {5, 0.8075108994, 0.0158425},   {10, 0.8601721290, 0.0074043},
    };
    static const char *const words[] = {"3x1"};
    const og_settings settings = {.threads = 2, .memory_bytes = plenty};
    og_upper_bound bound = {.value = 0};
    og_message message = {""};
    void *problem = open_ranking(words, 1, rows[_i].budget, NULL);
    ck_assert(og_family_ranking.model.bound(problem,
                                            &(og_bound_use){.which = 1, .settings = &settings},
                                            &bound, NULL, &message) == OG_OK);
    ck_assert_double_eq_tol(bound.value, rows[_i].value, 1e-8);
    ck_assert_double_eq_tol(bound.price[0], rows[_i].price, 1e-5);
    ck_assert(bound.error < 1e-11);
    og_value_found found = value_of(problem, NULL, OG_TIES_RANDOM, 2);
    ck_assert(bound.value >= found.result.value - found.result.error_bound);
    og_bound_clear(&bound);
    og_family_close(&og_family_ranking, problem);
}

/* A pair's problem over matrices, rewards where they are earned. */
static double literal_split(const og_ranking_posterior *posterior, matrix *m, int32_t left,
                            int32_t i, int32_t j, double price)
{
    double above[ITEMS * ITEMS], best = -INFINITY;
    int32_t items = posterior->prior.items;
    og_ranking_counts counts = counts_of(items, m);
    double mass = og_ranking_masses(posterior, &counts, above);
    if (left == 0) {
        return fmax(above[i * items + j], above[j * items + i]);
    }
    for (int32_t k = 0; k < items; k++) {
        for (int32_t l = k + 1; l < items; l++) {
            double sum = mass * (k == i && l == j ? -price : price / (posterior->pairs - 1));
            m->wins[k][l]++;
            sum += literal_split(posterior, m, left - 1, i, j, price);
            m->wins[k][l]--;
            m->wins[l][k]++;
            sum += literal_split(posterior, m, left - 1, i, j, price);
            m->wins[l][k]--;
            best = fmax(best, sum);
        }
    }
    return best;
}

OG_TEST_LOOP(test_split_is_the_definition, 0, test_cases(10))
{
    random_source state = random_start(test_seed(7350 + (uint64_t)_i));
    int32_t items = 3 + (int32_t)random_below(&state, 2), left = items == 3 ? 3 : 2;
    int32_t had = (int32_t)random_below(&state, 3);
    double price = (double)random_below(&state, 100) / 500, sum = 0, above[ITEMS * ITEMS], error;
    og_ranking_prior prior = {.items = items};
    og_message message = {""};
    og_ranking *ranking;
    og_ranking_split *split;
    draw_prior(&state, prior.item, items);
    prior.item[items - 1] = prior.item[0]; /* some alike */
    matrix seen = draw_matrix(&state, items, had);
    og_ranking_counts counts = counts_of(items, &seen);
    ck_assert(og_ranking_new(&prior, &(og_ranking_told){&counts, had, left}, plenty, NULL, &ranking,
                             &message) == OG_OK);
    ck_assert(og_ranking_split_new(ranking, 2, plenty, NULL, &split) == OG_OK);
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            sum += literal_split(&ranking->posterior, &seen, left, i, j, price) /
                   ranking->posterior.pairs;
        }
    }
    double value = og_ranking_split_value(split, price, &error);
    double expected = sum / og_ranking_masses(&ranking->posterior, &counts, above);
    ck_assert_double_eq_tol(value, expected, 2 * error);
    og_ranking_split_free(split);
    og_ranking_free(ranking);
}

OG_TEST_LOOP(test_bound_of_everything, 0, 6)
{
    static const double known[] = {0.5,           0.75,          0.789548944621, 0.823951206549,
                                   0.84193515059, 0.857334984217};
    static const char *const words[] = {"3x1"};
    const og_settings settings = {.threads = 1, .memory_bytes = plenty};
    og_upper_bound bound = {.value = 0};
    og_message message = {""};
    void *problem = open_ranking(words, 1, _i, NULL);
    ck_assert(og_family_ranking.model.bound(problem,
                                            &(og_bound_use){.which = 2, .settings = &settings},
                                            &bound, NULL, &message) == OG_OK);
    ck_assert_double_eq_tol(bound.value, known[_i], known_digits);
    ck_assert(bound.error < 1e-11);
    og_family_close(&og_family_ranking, problem);
}
