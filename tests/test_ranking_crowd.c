/*
 * Ranking by workers of unknown reliability: known values, and masses as sums over who was
 * faithful, of integrals for reliable workers. Bellman's equation is in tests/conformance_other.c.
 */
#include <float.h>

#include "bench/families/ranking/ranking.h"
#include "dp/engine/strategy.h"
#include "dp/families/ranking.h"
#include "tests/families.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_crowd, 60);

enum { ITEMS = OG_RANKING_ITEMS_MAX, MASSES = ITEMS * ITEMS, ANSWERS = 8 };

static const uint64_t plenty = UINT64_C(1) << 32;

/* Known values have twelve digits. */
static const double known_digits = 1e-11;

/* ---- the definition ---- */

typedef struct {
    int32_t winner, loser, worker;
} told;

typedef struct {
    const og_ranking_prior *prior;
    og_ranking_posterior reliable; /* the same items */
    int32_t count;
    told told[ANSWERS];
} history;

static void begin(history *h, const og_ranking_prior *prior, int32_t labels)
{
    og_message message = {""};
    og_ranking_prior items = *prior;
    items.workers = 0;
    h->prior = prior;
    h->count = 0;
    ck_assert_msg(og_ranking_posterior_init(&h->reliable, &items, labels, plenty, NULL, &message) ==
                      OG_OK,
                  "%s", message.text);
}

/* B(mu + k, nu + l) / B(mu, nu) */
static double beta_ratio(const double worker[2], int32_t k, int32_t l)
{
    return exp(lgamma(worker[0] + k) + lgamma(worker[1] + l) -
               lgamma(worker[0] + worker[1] + k + l) - lgamma(worker[0]) - lgamma(worker[1]) +
               lgamma(worker[0] + worker[1]));
}

/* Masses as a sum over all choices of the answers that were faithful. */
static double literal_masses(const history *h, double above[MASSES])
{
    double sum = 0;
    memset(above, 0, MASSES * sizeof *above);
    for (unsigned set = 0; set < 1u << h->count; set++) {
        og_ranking_counts counts = {.wins = {0}};
        int32_t faithful[OG_RANKING_WORKERS_MAX][2] = {{0}};
        double part[MASSES], weight = 1;
        for (int32_t t = 0; t < h->count; t++) {
            told x = h->told[t];
            bool so = (set >> t & 1) != 0;
            og_ranking_add(&h->reliable.prior, &counts, so ? x.winner : x.loser,
                           so ? x.loser : x.winner, 0);
            faithful[x.worker][so ? 0 : 1]++;
        }
        for (int32_t w = 0; w < h->prior->workers; w++) {
            weight *= beta_ratio(h->prior->worker[w], faithful[w][0], faithful[w][1]);
        }
        sum += weight * og_ranking_masses(&h->reliable, &counts, part);
        for (int32_t k = 0; k < h->prior->items * h->prior->items; k++) {
            above[k] += weight * part[k];
        }
    }
    return sum;
}

static bool was_asked(const history *h, int32_t i, int32_t j, int32_t worker)
{
    for (int32_t t = 0; t < h->count; t++) {
        told x = h->told[t];
        if (x.worker == worker &&
            ((x.winner == i && x.loser == j) || (x.winner == j && x.loser == i))) {
            return true;
        }
    }
    return false;
}

static og_ranking_counts counts_of(const history *h)
{
    og_ranking_counts counts = {.wins = {0}};
    for (int32_t t = 0; t < h->count; t++) {
        og_ranking_add(h->prior, &counts, h->told[t].winner, h->told[t].loser, h->told[t].worker);
    }
    return counts;
}

/* ---- masses ---- */

OG_TEST(test_known_masses)
{
    const og_ranking_prior prior = {
        .items = 3, .item = {1, 1, 1}, .workers = 2, .worker = {{4, 1}, {4, 1}}};
    const told seen[] = {{0, 1, 0}, {1, 2, 0}, {1, 0, 1}};
    og_ranking_counts counts = {.wins = {0}};
    og_ranking_posterior posterior;
    og_message message;
    double above[MASSES];
    ck_assert(og_ranking_posterior_init(&posterior, &prior, 6, plenty, NULL, &message) == OG_OK);
    for (size_t t = 0; t < 3; t++) {
        og_ranking_add(&prior, &counts, seen[t].winner, seen[t].loser, seen[t].worker);
    }
    double mass = og_ranking_masses(&posterior, &counts, above);
    ck_assert_double_eq_tol(mass, 0.108880878000, known_digits);
    ck_assert_double_eq_tol(above[1] / mass, 0.440020065079, known_digits);
    ck_assert_double_eq_tol(above[2] / mass, 0.583235036673, known_digits);
    ck_assert_double_eq_tol(above[5] / mass, 0.650533658115, known_digits);
    ck_assert_double_eq_tol(og_ranking_best(3, above) / mass, 0.597916209903, known_digits);
    og_ranking_posterior_clear(&posterior);
}

static og_ranking_prior draw_prior(random_source *state, int32_t items, int32_t workers)
{
    og_ranking_prior prior = {.items = items, .workers = workers};
    for (int32_t i = 0; i < items; i++) {
        bool like = i > 0 && random_below(state, 2) == 0;
        prior.item[i] = like ? prior.item[0] : (1 + (double)random_below(state, 12)) / 4;
    }
    for (int32_t w = 0; w < workers; w++) {
        bool like = w > 0 && random_below(state, 2) == 0;
        prior.worker[w][0] = like ? prior.worker[0][0] : (1 + (double)random_below(state, 8)) / 2;
        prior.worker[w][1] = like ? prior.worker[0][1] : (1 + (double)random_below(state, 8)) / 2;
    }
    return prior;
}

static void draw_history(random_source *state, history *h, int32_t count)
{
    while (h->count < count) {
        int32_t i = (int32_t)random_below(state, (uint32_t)h->prior->items);
        int32_t j = (int32_t)random_below(state, (uint32_t)h->prior->items - 1);
        int32_t w = (int32_t)random_below(state, (uint32_t)h->prior->workers);
        j += j >= i;
        if (!was_asked(h, i, j, w)) {
            h->told[h->count++] = (told){i, j, w};
        }
    }
}

/* Masses are the definition's, and every comparison that is left splits them. */
OG_TEST_LOOP(test_masses_are_the_definition, 0, test_cases(20))
{
    random_source state = random_start(test_seed(7400 + (uint64_t)_i));
    int32_t items = 2 + (int32_t)random_below(&state, 3);
    int32_t workers = items == 2 ? 8 : 1 + (int32_t)random_below(&state, 3);
    int32_t most = workers * (items * (items - 1) / 2);
    int32_t count = (int32_t)random_below(&state, (uint32_t)(most < 6 ? most : 6));
    og_ranking_prior prior = draw_prior(&state, items, workers);
    og_ranking_posterior posterior;
    og_message message;
    history h;
    double above[MASSES], expected[MASSES], part[2][MASSES];
    begin(&h, &prior, 7);
    draw_history(&state, &h, count);
    ck_assert(og_ranking_posterior_init(&posterior, &prior, 7, plenty, NULL, &message) == OG_OK);
    const double near = posterior.error + h.reliable.error + 400 * DBL_EPSILON; /* lgamma and exp */
    og_ranking_counts counts = counts_of(&h);
    double mass = og_ranking_masses(&posterior, &counts, above);
    ck_assert_double_eq_tol(mass / literal_masses(&h, expected), 1, near);
    for (int32_t k = 0; k < items * items; k++) {
        ck_assert(fabs(above[k] - expected[k]) <= near * expected[k]);
    }
    for (int32_t w = 0; w < workers; w++) {
        for (int32_t i = 0; i < items; i++) {
            for (int32_t j = i + 1; j < items; j++) {
                for (int32_t k = 0; k < 2 && !was_asked(&h, i, j, w); k++) {
                    og_ranking_counts next = counts;
                    og_ranking_add(&prior, &next, k == 0 ? i : j, k == 0 ? j : i, w);
                    og_ranking_masses(&posterior, &next, part[k]);
                }
                for (int32_t k = 0; k < items * items && !was_asked(&h, i, j, w); k++) {
                    ck_assert(fabs(part[0][k] + part[1][k] - above[k]) <= near * above[k]);
                }
            }
        }
    }
    og_ranking_posterior_clear(&posterior);
    og_ranking_posterior_clear(&h.reliable);
}

/* ---- values ---- */

typedef struct {
    og_ranking_options options;
    const char *history;
    og_group worker[ITEMS];
    const char *word[ITEMS];
    int32_t word_count;
} given_ranking;

static void give(given_ranking *given, const char *const *words, int32_t word_count,
                 const char *const *workers, int32_t worker_count, const char *seen)
{
    og_message message = {""};
    *given = (given_ranking){.history = seen, .word_count = word_count};
    memcpy(given->word, words, (size_t)word_count * sizeof *words);
    for (int32_t w = 0; w < worker_count; w++) {
        ck_assert(og_group_parse(workers[w], &given->worker[w], &message) == OG_OK);
    }
    given->options.workers = og_groups_of(given->worker, worker_count);
}

static og_status open_given(const given_ranking *made, int32_t budget, void **problem,
                            og_message *message)
{
    const og_settings settings = {.threads = 2, .memory_bytes = plenty};
    const og_problem_text given = {.options = &made->options,
                                   .history = made->history,
                                   .words = made->word,
                                   .word_count = made->word_count,
                                   .budget = budget,
                                   .left = -1};
    return og_family_ranking.model.open(&given, &settings, problem, message);
}

static og_value_found value_of(const void *problem, const char *policy, og_ties ties)
{
    const og_settings settings = {
        .threads = 2, .memory_bytes = plenty, .reductions = OG_REDUCE_ALL};
    og_message message = {""};
    og_value_found found;
    ck_assert_msg(family_value(&og_family_ranking, problem, policy, ties, &settings, NULL, &found,
                               &message) == OG_OK,
                  "%s", message.text);
    return found;
}

static const struct {
    const char *worker[2];
    int32_t worker_count, budget;
    const char *policy;   /* NULL: the optimum */
    double value, called; /* called 0: not known */
} known[] = {
    {{"4,1"}, 1, 0, NULL, 0.5, 0},
    {{"4,1"}, 1, 1, NULL, 0.595482255552, 0},
    {{"4,1"}, 1, 2, NULL, 0.624752301247, 0},
    {{"4,1"}, 1, 3, NULL, 0.649139477248, 0},
    {{"4,1"}, 1, 9, NULL, 0.649139477248, 0}, /* there is no more to be asked */
    {{"4,1"}, 1, 2, "akg", 0.624752301247, 0.624752301247},
    {{"4,1"}, 1, 3, "akg", 0.649139477248, 0.649139477248},
    {{"2x4,1"}, 1, 3, NULL, 0.657962522243, 0},
    {{"2x4,1"}, 1, 4, NULL, 0.671581362324, 0},
    {{"2x4,1"}, 1, 5, NULL, 0.684408374643, 0},
    {{"2x4,1"}, 1, 3, "akg", 0.657387337757, 0.657387337757},
    {{"2x4,1"}, 1, 4, "akg", 0.669978199024, 0.670380151972},
    {{"2x4,1"}, 1, 5, "akg", 0.683331600481, 0.683944979840},
    {{"3x4,1"}, 1, 3, NULL, 0.658164049445, 0},
    {{"3x4,1"}, 1, 4, NULL, 0.675132068033, 0},
    {{"3x4,1"}, 1, 3, "akg", 0.657387337757, 0},
    {{"3x4,1"}, 1, 4, "akg", 0.671279792233, 0},
    {{"4,1", "1,1"}, 2, 3, NULL, 0.649139477248, 0},
    {{"1,1", "4,1"}, 2, 4, NULL, 0.649139477248, 0},
};

OG_TEST_LOOP(test_known_values, 0, sizeof known / sizeof *known)
{
    static const char *const words[] = {"3x1"};
    given_ranking given;
    og_message message = {""};
    void *problem;
    give(&given, words, 1, known[_i].worker, known[_i].worker_count, NULL);
    ck_assert(open_given(&given, known[_i].budget, &problem, &message) == OG_OK);
    og_value_found found = value_of(problem, known[_i].policy, OG_TIES_FIRST);
    ck_assert_double_eq_tol(found.result.value, known[_i].value, known_digits);
    if (known[_i].called > 0) {
        ck_assert_double_eq_tol(found.called_value, known[_i].called, known_digits);
    }
    ck_assert(found.result.error_bound < 1e-11);
    og_family_close(&og_family_ranking, problem);
}

/* All that can be asked is asked: the bound is the value. */
OG_TEST(test_everything_is_reached)
{
    static const char *const words[] = {"2", "1", "3"}, *const workers[] = {"2x4,1"};
    const og_settings settings = {.threads = 1, .memory_bytes = plenty};
    given_ranking given;
    og_message message = {""};
    og_upper_bound bound = {.value = NAN};
    void *problem;
    give(&given, words, 3, workers, 1, "1>2@2 3>2@1");
    ck_assert(open_given(&given, 9, &problem, &message) == OG_OK);
    ck_assert(og_family_ranking.model.bound(problem,
                                            &(og_bound_use){.which = 2, .settings = &settings},
                                            &bound, NULL, &message) == OG_OK);
    og_value_found found = value_of(problem, NULL, OG_TIES_RANDOM);
    ck_assert_double_eq_tol(bound.value, found.result.value, 2 * bound.error);
    og_family_close(&og_family_ranking, problem);
}

/* A worker who says nothing is preferred where all others are believed to harm. */
OG_TEST(test_akg_asks_who_says_nothing)
{
    static const char *const words[] = {"2", "1", "3"}, *const workers[] = {"4,1", "2,2"};
    const og_settings settings = {.threads = 1, .memory_bytes = plenty};
    given_ranking given;
    og_message message = {""};
    og_act_open open[6];
    bool pick[6];
    og_policy_name name;
    og_strategy akg;
    og_solution solution;
    void *problem;
    give(&given, words, 3, workers, 2, NULL);
    ck_assert(open_given(&given, 3, &problem, &message) == OG_OK);
    ck_assert(og_policy_name_parse("akg", &name, &message) == OG_OK);
    ck_assert(og_family_strategy(&og_family_ranking, problem, &name,
                                 &(og_policy_use){.picks_only = true}, &akg, &message) == OG_OK);
    const og_value_asked question = {.by = &akg, .ties = OG_TIES_RANDOM};
    ck_assert(og_family_solve(&og_family_ranking, problem, &question, &settings, &solution,
                              &message) == OG_OK);
    ck_assert_int_eq(og_family_acts(&og_family_ranking, problem, open, 6), 6);
    ck_assert(solution.picks(solution.self, open, 6, pick, NULL, &message) == OG_OK);
    for (int32_t k = 0; k < 6; k++) {
        ck_assert_int_eq(pick[k], open[k].act.part[2] == 1);
    }
    og_solution_free(&solution);
    og_strategy_free(&akg);
    og_family_close(&og_family_ranking, problem);
}

OG_TEST_LOOP(test_what_cannot_be_is_refused, 0, 11)
{
    static const char *const words[] = {"3x1"};
    static const struct {
        const char *worker, *history;
        og_status status;
    } rows[] = {
        {"2x4,1", "1>2", OG_BAD_INPUT},         {"2x4,1", "1>2@3", OG_BAD_INPUT},
        {"2x4,1", "1>2@0", OG_BAD_INPUT},       {"2x4,1", "1@1>2", OG_BAD_INPUT},
        {"2x4,1", "1>2@1 2>1@1", OG_BAD_INPUT}, {"2x4,1", "4>2@1", OG_BAD_INPUT},
        {"2x4,1", "1>1@1", OG_BAD_INPUT},       {"1001x4,1", NULL, OG_STOPPED},
        {"4,1@0.3", NULL, OG_BAD_INPUT},        {"4,1,1", NULL, OG_BAD_INPUT},
        {NULL, "1>2@1", OG_BAD_INPUT},
    };
    given_ranking given;
    og_message message = {""};
    void *problem;
    give(&given, words, 1, &rows[_i].worker, rows[_i].worker != NULL, rows[_i].history);
    ck_assert(open_given(&given, 5, &problem, &message) == rows[_i].status);
    ck_assert(message.text[0] != '\0');
}
