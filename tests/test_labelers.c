/*
 * Choosing labelers: the known values of Liu and Liu's problem, the definitions written out (all
 * votes of all tasks, each with its chance), fractions beside doubles, and identities.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/families/labelers.h"
#include "dp/families/labelers_game.h"
#include "tests/support.h"

static const uint64_t plenty = UINT64_C(1) << 31;

static og_labelers crowd_of(const char *words)
{
    og_labelers of = {.count = 0};
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        og_fraction p;
        ck_assert_int_eq(og_fraction_parse(words, length, &p), OG_OK);
        of.cost[of.count] = og_fraction_make(1, 50);
        og_labelers_set(&of, of.count++, p);
        words += length + strspn(words + length, " ");
    }
    return of;
}

static og_votes votes_of(const char *words)
{
    og_votes votes;
    og_labelers of = crowd_of(words);
    ck_assert_int_eq(og_votes_make(&of, &votes), OG_OK);
    return votes;
}

static void check_near(double found, double wanted, double digits)
{
    ck_assert_msg(fabs(found - wanted) <= digits * fmax(1, fabs(wanted)), "%.17g is not %.17g",
                  found, wanted);
}

static void check_fraction(mpq_srcptr found, const char *wanted)
{
    mpq_t known;
    mpq_init(known);
    ck_assert_int_eq(mpq_set_str(known, wanted, 10), 0);
    mpq_canonicalize(known);
    char *text = mpq_get_str(NULL, 10, found);
    ck_assert_msg(mpq_equal(found, known), "%s is not %s", text, wanted);
    free(text);
    mpq_clear(known);
}

static mpq_t *fractions(size_t count)
{
    mpq_t *list = calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        mpq_init(list[i]);
    }
    return list;
}

static void fractions_free(mpq_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mpq_clear(list[i]);
    }
    free(list);
}

/* A multiplicative congruence: high bits, enough to choose cases. */
static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* ---- votes ---- */

static const char table_1[] = "0.763 0.781 0.625 0.783 0.727";

START_TEST(test_majorities_have_known_values)
{
    static const struct {
        const char *words;
        uint32_t set;
        const char *majority;
    } known[] = {
        {"0.9 0.7 0.6", 0, "1/2"},
        {"0.9 0.7 0.6", 1, "9/10"},
        {"0.9 0.7 0.6", 3, "4/5"},
        {"0.9 0.7 0.6", 7, "417/500"},
        {"0.8 0.75 0.7 0.65", 1, "4/5"},
        {"0.8 0.75 0.7 0.65", 3, "31/40"},
        {"0.8 0.75 0.7 0.65", 7, "169/200"},
        {"0.8 0.75 0.7 0.65", 15, "6529/8000"},
        {"0.6 0.6 0.6 0.6 0.6", 31, "2133/3125"},
        {"1 0.6 0.6", 1, "1"},
        {table_1, 31, "3533571539869/4000000000000"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        og_labelers of = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        size_t sets = (size_t)1 << of.count;
        mpq_t *list = fractions(sets);
        ck_assert_int_eq(og_votes_make_exact(&of, list, NULL, NULL, NULL), OG_OK);
        check_fraction(list[known[k].set], known[k].majority);
        for (size_t x = 0; x < sets; x++) {
            ck_assert(fabs(votes.majority[x] - mpq_get_d(list[x])) <=
                      og_labelers_error(of.count) * votes.majority[x]);
        }
        fractions_free(list, sets);
    }
}
END_TEST

START_TEST(test_best_sets_are_known)
{
    static const struct {
        const char *words;
        uint32_t best;
        double weighted;
    } known[] = {
        {"0.9 0.7 0.6", 1, 0.9},
        {"0.8 0.75 0.7 0.65", 7, 0.84725},
        {"0.7 0.7 0.7 0.7", 7, 0.784},
        {"0.3 0.2 0.1", 1, 0.902},
        {"1 0.6 0.6", 1, 1},
        {table_1, 31, 0.88339288496725},
        {"0.6 0.6 0.6 0.6 0.6", 31, 0.68256},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        og_labelers of = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        uint32_t best = 0;
        ck_assert_uint_eq(votes.best, known[k].best);
        ck_assert_int_eq(og_votes_make_exact(&of, NULL, NULL, NULL, &best), OG_OK);
        ck_assert_uint_eq(best, known[k].best);
        check_near(votes.weighted, known[k].weighted, 1e-12);
    }
    ck_assert_uint_eq(votes_of("0.9 0.6 0.55").best_weighted, 1);
}
END_TEST

START_TEST(test_no_set_beats_the_best)
{
    static const char *const words[] = {table_1, "0.3 0.8 0.6 0.55", "0.1 0.2 0.95 0.6 0.6 0.7"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        og_labelers of = crowd_of(words[k]);
        og_votes votes = votes_of(words[k]);
        double largest = 0;
        for (uint32_t x = 1; x < 1u << of.count; x++) {
            largest = fmax(largest, votes.majority[x]);
        }
        check_near(votes.majority[votes.best], largest, 1e-12);
        ck_assert(votes.weighted >= largest - 1e-12);
    }
}
END_TEST

START_TEST(test_votes_weighted_by_estimates_have_known_values)
{
    static const double known[][2] = {{0, 0.865914328}, {0.1, 0.865914328}, {1, 0.868792615}};
    og_labelers of = crowd_of(table_1), by = crowd_of("0.8 0.75 0.5 0.9 0.7");
    mpq_t exact;
    mpq_init(exact);
    for (size_t k = 0; k < 3; k++) {
        double found = 0;
        by.eps = known[k][0];
        ck_assert_int_eq(og_votes_weighted(&of, &by, 31, &found), OG_OK);
        ck_assert_int_eq(og_votes_weighted_exact(&of, &by, 31, exact), OG_OK);
        check_near(found, known[k][1], 1e-12);
        check_near(found, mpq_get_d(exact), og_labelers_error(5));
    }
    mpq_clear(exact);
}
END_TEST

START_TEST(test_disagreement_has_known_values)
{
    static const double known[] = {0.213226946373, 0.202375115373, 0.312420396381, 0.201204816373,
                                   0.236599532373};
    og_votes votes = votes_of(table_1);
    og_labelers of = crowd_of("0.9 0.7 0.6"), five = crowd_of(table_1);
    mpq_t *list = fractions(3);
    double fewer = 0, equal = 0;
    for (int i = 0; i < 5; i++) {
        check_near(votes.disagreement[i], known[i], 1e-12);
    }
    ck_assert_int_eq(og_votes_make_exact(&of, NULL, list, NULL, NULL), OG_OK);
    check_fraction(list[0], "3/20");
    check_fraction(list[1], "19/100");
    check_fraction(list[2], "27/100");
    fractions_free(list, 3);
    ck_assert_int_eq(og_votes_order(&five, 3, 2, 1, &fewer, &equal), OG_OK);
    check_near(fewer, 0.270232790004, 1e-11);
    check_near(1 - fewer - equal, 0.159017209996, 1e-11);
    ck_assert_int_eq(og_votes_order(&five, 3, 2, 20, &fewer, &equal), OG_OK);
    check_near(fewer, 0.725962796711, 1e-11);
    check_near(equal, 0.101968226437, 1e-11);
    ck_assert_int_eq(og_votes_order(&five, 3, 2, 100, &fewer, &equal), OG_OK);
    check_near(fewer, 0.949860123054, 1e-11);
    ck_assert_int_eq(og_votes_order(&five, 3, 2, 300, &fewer, &equal), OG_OK);
    check_near(1 - fewer - equal, 0.001677, 5e-4);
}
END_TEST

/* ---- testers ---- */

START_TEST(test_tester_laws_are_known)
{
    static const struct {
        int32_t times;
        const char *law[8]; /* labeler 1 is the lowest bit */
    } known[] = {
        {1, {"0", "0", "0", "27/100", "0", "19/100", "3/20", "39/100"}},
        {2,
         {"18189/500000", "24261/500000", "12561/500000", "120789/500000", "14211/500000",
          "82439/500000", "50739/500000", "176811/500000"}},
        {3,
         {"469071/25000000", "381387/5000000", "598491/25000000", "6263397/25000000",
          "486603/25000000", "4151509/25000000", "368613/5000000", "9280929/25000000"}},
        {5,
         {"103018851243/6250000000000", "118153356951/1250000000000", "168290988903/6250000000000",
          "1564509492801/6250000000000", "122990507199/6250000000000",
          "1019209011097/6250000000000", "69346643049/1250000000000",
          "2334481148757/6250000000000"}},
    };
    og_labelers of = crowd_of("0.9 0.7 0.6");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        mpq_t *law = fractions(8);
        double rounded[8];
        ck_assert_int_eq(og_tester_law_exact(&of, known[k].times, law), OG_OK);
        ck_assert_int_eq(og_tester_law(&of, known[k].times, rounded), OG_OK);
        for (int x = 0; x < 8; x++) {
            check_fraction(law[x], known[k].law[x]);
            check_near(rounded[x], mpq_get_d(law[x]), 1e-14);
        }
        fractions_free(law, 8);
    }
}
END_TEST

/* All votes of the tasks, one by one: who agreed with the label in the end. */
static void add_votes(const og_labelers *of, int32_t times, int32_t done, uint32_t first,
                      int32_t twice, double chance, double *law)
{
    uint32_t all = (1u << of->count) - 1;
    if (done == times) {
        double right = twice > times ? 1 : twice == times ? 0.5 : 0;
        law[first] += chance * right;
        law[first ^ all] += chance * (1 - right);
        return;
    }
    for (uint32_t x = 0; x <= all; x++) {
        double here = chance;
        int32_t votes = 2 * __builtin_popcount(x);
        for (int i = 0; i < of->count; i++) {
            here *= (x >> i & 1) != 0 ? of->chance[i] : 1 - of->chance[i];
        }
        bool even = votes == of->count;
        for (int coin = 0; coin <= even; coin++) {
            int32_t label = even ? coin : votes > of->count;
            add_votes(of, times, done + 1, done == 0 ? x : first, twice + 2 * label,
                      even ? here / 2 : here, law);
        }
    }
}

START_TEST(test_a_testers_law_is_that_of_all_its_votes)
{
    static const char *const words[] = {"0.9 0.7 0.6", "0.8 0.65", "0.3 0.5 1", "0.9"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        og_labelers of = crowd_of(words[k]);
        for (int32_t times = 1; times <= 4; times++) {
            double found[8], wanted[8] = {0};
            add_votes(&of, times, 0, 0, 0, 1, wanted);
            ck_assert_int_eq(og_tester_law(&of, times, found), OG_OK);
            for (int x = 0; x < 1 << of.count; x++) {
                check_near(found[x], wanted[x], 1e-13);
            }
        }
    }
}
END_TEST

/* ---- LS_OL ---- */

static og_ls_ol_value run(const og_labelers *of, double g1, double g2, int32_t budget,
                          bool weighted)
{
    const og_ls_ol by = {.explore = {g1, g2}, .budget = budget, .weighted = weighted};
    og_ls_ol_value value;
    og_message message = {""};
    og_status status = og_ls_ol_run(of, &by, plenty, NULL, &value, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return value;
}

START_TEST(test_the_schedule_is_known)
{
    static const struct {
        double g1, g2;
        const char *steps;
    } known[] = {{1.5, 1, "xNrrNrxrrrNrrxNrrxxx"}, {1, 1, "xxrNrxxrrNrrxxx"}, {0, 0, "xxxxxx"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const og_ls_ol by = {.explore = {known[k].g1, known[k].g2}, .budget = 100};
        og_ls_ol_state now;
        og_ls_ol_begin(&by, &now);
        for (const char *step = known[k].steps; *step != '\0'; step++) {
            ck_assert_int_eq("xNr"[og_ls_ol_next(&now)], *step);
        }
    }
    og_labelers of = crowd_of("0.9 0.7 0.6");
    og_ls_ol_value sixty = run(&of, 1.5, 1, 60, false), more = run(&of, 1.5, 1, 200, false);
    ck_assert(sixty.steps[1] == 5 && sixty.steps[2] == 24 && sixty.steps[0] == 31);
    ck_assert(more.steps[1] == 7 && more.steps[2] == 40 && more.steps[0] == 153);
}
END_TEST

/* Testers by their votes, labels and coins as the algorithm is written, with lists of counts. */
START_TEST(test_the_schedule_is_that_of_the_algorithm)
{
    for (int k = 0; k < test_cases(40); k++) {
        const og_ls_ol by = {.explore = {0.25 * (k % 7), 0.4 * (k % 5)}, .budget = 300};
        og_ls_ol_state now;
        int labelled[400] = {1}, testers = 1;
        og_ls_ol_begin(&by, &now);
        for (int t = 1; t <= by.budget; t++) {
            double d1 = by.explore[0] * log(t), d2 = by.explore[1] * log(t);
            int again = -1, step;
            for (int i = 0; i < testers; i++) {
                again = labelled[i] <= d2 && (again < 0 || k % 2 == 0) ? i : again;
            }
            if (again >= 0) {
                labelled[again]++;
                step = OG_LS_OL_AGAIN;
            } else if (testers <= d1) {
                labelled[testers++] = 1;
                step = OG_LS_OL_NEW;
            } else {
                step = OG_LS_OL_EXPLOIT;
            }
            ck_assert_int_eq((int)og_ls_ol_next(&now), step);
            ck_assert_int_eq(now.testers, testers);
        }
    }
}
END_TEST

typedef struct {
    const char *words;
    double g1, g2;
    int32_t budget;
    bool weighted;
    const char *regret, *cost;
} known_regret;

static const char three[] = "0.9 0.7 0.6", four[] = "0.8 0.75 0.7 0.65";

static const known_regret regrets[] = {
    {three, 1.5, 1, 5, false, "481/500", "4/25"},
    {three, 1.5, 1, 5, true, "27587/25000", "1/5"},
    {three, 1.5, 1, 10, false, "164623327634017223079/62500000000000000000",
     "1008962809090800463/3125000000000000000"},
    {three, 1.5, 1, 10, true, "2229307171253905557/781250000000000000",
     "2394712793077/6250000000000"},
    {three, 1.5, 1, 20, false,
     "4479895521114945018093092895111597684343/976562500000000000000000000000000000000",
     "28468856429518117788016261174671530611/48828125000000000000000000000000000000"},
    {three, 1.5, 1, 20, true,
     "6022599388204846791678862864867809390761/1220703125000000000000000000000000000000",
     "33170673188268866283589091123251/48828125000000000000000000000000"},
    {four, 1, 1, 15, false,
     "5483087608949144155438686417087524231/2097152000000000000000000000000000000",
     "-45488148228020808888900633850258299/419430400000000000000000000000000000"},
    {four, 1, 1, 15, true,
     "5112551565303182078365317069890885091/1677721600000000000000000000000000000",
     "-91916679156182756038497281/409600000000000000000000000"},
};

START_TEST(test_regrets_are_known_as_fractions)
{
    const known_regret *known = &regrets[_i];
    og_labelers of = crowd_of(known->words);
    const og_ls_ol by = {
        .explore = {known->g1, known->g2}, .budget = known->budget, .weighted = known->weighted};
    mpq_t *q = fractions(4), *list = fractions(16);
    uint32_t best = 0;
    og_ls_ol_value value, rounded = run(&of, known->g1, known->g2, known->budget, known->weighted);
    ck_assert_int_eq(og_ls_ol_run_exact(&of, &by, plenty, NULL, &value, q[0], q[1], NULL, NULL),
                     OG_OK);
    ck_assert(fabs(value.right - rounded.right) <= rounded.error * value.right);
    ck_assert(fabs(value.cost - rounded.cost) <= rounded.error * value.cost);
    ck_assert_int_eq(og_votes_make_exact(&of, list, NULL, q[2], &best), OG_OK);
    if (known->weighted) {
        og_votes votes = votes_of(known->words);
        best = votes.best_weighted;
    } else {
        mpq_set(q[2], list[best]);
    }
    mpq_set_ui(q[3], (unsigned long)known->budget, 1);
    mpq_mul(q[2], q[2], q[3]);
    mpq_sub(q[0], q[2], q[0]);
    check_fraction(q[0], known->regret);
    mpq_set_ui(q[2], (unsigned long)(__builtin_popcount(best) * known->budget), 50);
    mpq_canonicalize(q[2]);
    mpq_sub(q[1], q[1], q[2]);
    check_fraction(q[1], known->cost);
    fractions_free(q, 4);
    fractions_free(list, 16);
}
END_TEST

START_TEST(test_regrets_are_known)
{
    static const struct {
        const char *words;
        double g1, g2;
        int32_t budget;
        double regret, cost, weighted; /* NAN: not known */
    } known[] = {
        {three, 1.5, 1, 60, 11.5432608065, 1.30525558806, 12.3728704087},
        {three, 1.5, 1, 200, 22.7593665016, 2.86872029728, 25.1189837406},
        {table_1, 0.8, 0.8, 40, 6.20643041814, -2.48958880226, NAN},
        {table_1, 0.5, 1, 200, 27.9470684250, NAN, NAN},
        {table_1, 0.5, 1, 2000, 240.944467180, NAN, NAN},
        {table_1, 1, 1, 200, 28.9733101314, NAN, NAN},
        {table_1, 1, 1, 1000, 100.129487914, NAN, NAN},
        {table_1, 1, 1, 2000, 181.293691994, NAN, NAN},
    };
    size_t count = test_is_short() ? 5 : sizeof known / sizeof *known;
    for (size_t k = 0; k < count; k++) {
        og_labelers of = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        int32_t budget = known[k].budget;
        og_ls_ol_value value = run(&of, known[k].g1, known[k].g2, budget, false);
        check_near(budget * votes.majority[votes.best] - value.right, known[k].regret, 1e-10);
        if (!isnan(known[k].cost)) {
            double cost = 0.02 * __builtin_popcount(votes.best) * budget;
            check_near(value.cost - cost, known[k].cost, 1e-10);
        }
        if (!isnan(known[k].weighted)) {
            value = run(&of, known[k].g1, known[k].g2, budget, true);
            check_near(budget * votes.weighted - value.right, known[k].weighted, 1e-10);
        }
    }
}
END_TEST

START_TEST(test_selections_are_known)
{
    /* Four testers, each labelled three times: G1 and G2 that say so at T = 1000. */
    const og_ls_ol by = {.explore = {3.2 / log(1000), 2.1 / log(1000)}, .budget = 1000};
    og_labelers of = crowd_of(three);
    og_ls_ol_value value;
    mpq_t *q = fractions(2), *set = fractions(8);
    ck_assert_int_eq(og_ls_ol_run_exact(&of, &by, plenty, NULL, &value, q[0], q[1], set, NULL),
                     OG_OK);
    ck_assert_int_eq(value.testers, 4);
    ck_assert_int_eq(value.times, 3);
    check_fraction(set[1], "284707267059695996237202667519/390625000000000000000000000000");
    check_fraction(set[2], "29421347831265826081135196217/195312500000000000000000000000");
    check_fraction(set[4], "25549047588356393091051142431/390625000000000000000000000000");
    check_fraction(set[7], "1345374355588497406842237351/24414062500000000000000000000");
    fractions_free(q, 2);
    fractions_free(set, 8);
}
END_TEST

START_TEST(test_a_law_too_large_is_refused_before_it_is_begun)
{
    og_labelers of = crowd_of("0.6 0.6 0.6 0.6 0.6 0.6 0.6 0.6 0.6");
    const og_ls_ol by = {.explore = {5, 0}, .budget = 1000};
    og_ls_ol_value value;
    og_message message = {""};
    ck_assert_int_eq(og_ls_ol_run(&of, &by, plenty, NULL, &value, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "--explore") != NULL, "%s", message.text);
}
END_TEST

/* ---- priors ---- */

static og_labelers_prior *orders_of(const char *words)
{
    og_labelers of = crowd_of(words);
    og_labelers_prior *prior = NULL;
    og_message message = {""};
    og_status status = og_labelers_prior_orders(&of, &prior, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return prior;
}

static og_labelers_prior *beta_of(int32_t count, int64_t a, int64_t b, int32_t tasks)
{
    og_labelers of = {.count = count};
    og_labelers_prior *prior = NULL;
    for (int32_t i = 0; i < count; i++) {
        of.cost[i] = og_fraction_make(0, 1);
    }
    ck_assert_int_eq(og_labelers_prior_beta(&of, og_fraction_make(a, 1), og_fraction_make(b, 1),
                                            tasks, &prior, NULL),
                     OG_OK);
    return prior;
}

static og_labelers_game *game_of(const og_labelers_prior *prior, og_labelers_rules rules)
{
    og_labelers_game *game = NULL;
    og_message message = {""};
    rules.price.den = rules.price.den == 0 ? 1 : rules.price.den;
    og_status status = og_labelers_game_new(prior, &rules, plenty, &game, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return game;
}

static og_result solved(const og_labelers_game *game, unsigned reductions)
{
    const og_question question = {.reductions = reductions};
    og_settings settings;
    og_model model;
    og_solution solution;
    og_found found;
    og_message message = {""};
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = plenty;
    ck_assert_int_eq(og_labelers_model(game, &question, &model), OG_OK);
    ck_assert_int_eq(og_solution_by_engine(&model, &question, &settings, &solution, &message),
                     OG_OK);
    og_status status = solution.value(solution.self, &found, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_solution_free(&solution);
    return found.result;
}

START_TEST(test_least_regrets_are_known_as_fractions)
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
        og_labelers_game *game = game_of(prior, (og_labelers_rules){.budget = known[k].budget});
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
        og_labelers_game_free(game);
        og_labelers_prior_free(prior);
    }
    fractions_free(q, 1);
}
END_TEST

START_TEST(test_least_regrets_are_known)
{
    static const char worse[] = "0.95 0.55 0.55";
    static const struct {
        const char *words;
        int32_t budget;
        double regret, any; /* NAN: not known */
    } known[] = {
        {three, 1, 0.066, 0.066},
        {three, 20, 1.31789233348, 18 - 16.6826600107},
        {three, 40, 2.58923488423, 36 - 33.4239641529},
        {three, 60, 3.77306808861, 54 - 50.2737657191},
        {worse, 20, 3.54388866082, NAN},
        {worse, 60, 10.4568412853, NAN},
        {three, 100, 5.88983422105, 90 - 84.2803931131},
        {worse, 100, 16.9256649154, 16.7089127660},
    };
    size_t count = test_is_short() ? 5 : sizeof known / sizeof *known;
    for (size_t k = 0; k < count; k++) {
        og_labelers_prior *prior = orders_of(known[k].words);
        og_labelers_game *game = game_of(prior, (og_labelers_rules){.budget = known[k].budget});
        double told = known[k].budget * og_labelers_told(game), any = 0;
        check_near(told - solved(game, OG_REDUCE_ALL).value, known[k].regret, 1e-10);
        if (!isnan(known[k].any)) {
            ck_assert_int_eq(og_labelers_any_rule(game, NULL, &any, NULL), OG_OK);
            check_near(told - any, known[k].any, 1e-10);
        }
        og_labelers_game_free(game);
        og_labelers_prior_free(prior);
    }
}
END_TEST

/* The definition: every set, all votes of its members one by one, what is left being played best.
 */
static double play_out(const og_labelers_game *game, const double *weight, int32_t left)
{
    const og_labelers_prior *prior = game->prior;
    double best = -INFINITY;
    uint32_t all = (1u << prior->count) - 1;
    for (uint32_t set = 0; left > 0 && set <= all; set++) {
        int size = __builtin_popcount(set);
        bool asked = set == 0 ? game->rules.nobody : set == all || !game->rules.odd || size % 2;
        double sum = 0, cost = 0;
        for (int i = 0; i < prior->count; i++) {
            cost += (set >> i & 1) != 0 ? og_fraction_double(prior->at[0].cost[i]) : 0;
        }
        for (uint32_t ones = 0; asked && ones <= set; ones++) {
            double after[200] = {0}, mass = 0;
            int votes = 2 * __builtin_popcount(ones);
            for (int h = 0; (ones & ~set) == 0 && h < prior->hypotheses; h++) {
                double one = 0.5, zero = 0.5; /* the label, and these votes */
                for (int i = 0; i < prior->count; i++) {
                    double p = prior->at[h].chance[i];
                    bool says = (ones >> i & 1) != 0;
                    one *= (set >> i & 1) == 0 ? 1 : says ? p : 1 - p;
                    zero *= (set >> i & 1) == 0 ? 1 : says ? 1 - p : p;
                }
                sum += weight[h] * (votes > size ? one : votes < size ? zero : (one + zero) / 2);
                after[h] = weight[h] * (one + zero);
                mass += after[h];
            }
            if (mass > 0) {
                sum -= mass * og_fraction_double(game->rules.price) * cost;
                sum += play_out(game, after, left - 1);
            }
        }
        best = asked ? fmax(best, sum) : best;
    }
    return left > 0 ? best : 0;
}

START_TEST(test_the_optimum_is_that_of_the_definition)
{
    static const struct {
        const char *words;
        bool odd, nobody;
        int64_t price; /* hundredths; a vote costs 1/50 */
        int32_t budget;
    } cases[] = {
        {three, false, false, 0, 3},
        {three, false, true, 400, 3},
        {three, true, false, 150, 4},
        {"0.95 0.55 0.55", false, false, 0, 3},
        {"0.9 0.6", false, false, 0, 4},
        {"0.3 0.8 0.45", false, true, 0, 3},
        {"0.3 0.2 0.1", false, false, 0, 3},
        {"1 0.6 0.6", false, false, 50, 3},
        {"0.8 0.7 0.6 0.9", true, false, 0, 2},
        {"0.9", false, false, 0, 3},
    };
    mpq_t *q = fractions(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const og_labelers_rules rules = {.budget = cases[k].budget,
                                         .price = og_fraction_make(cases[k].price, 100),
                                         .odd = cases[k].odd,
                                         .nobody = cases[k].nobody};
        og_labelers_prior *prior = orders_of(cases[k].words);
        og_labelers_game *game = game_of(prior, rules);
        double wanted = play_out(game, game->weight, rules.budget);
        for (unsigned reductions = 0; reductions <= OG_REDUCE_ALL; reductions++) {
            check_near(solved(game, reductions).value, wanted, 1e-12);
        }
        ck_assert_int_eq(og_labelers_value_exact(game, OG_LABELERS_OPTIMUM, NULL, q[0], NULL),
                         OG_OK);
        check_near(mpq_get_d(q[0]), wanted, 1e-12);
        og_labelers_game_free(game);
        og_labelers_prior_free(prior);
    }
    fractions_free(q, 1);
}
END_TEST

/* Anything goes: chances of 0 and 1, coins, equal ones, prices, histories. */
START_TEST(test_random_problems_agree_with_the_definition)
{
    uint64_t state = test_seed(20261123);
    mpq_t *q = fractions(1);
    for (int k = 0; k < test_cases(60); k++) {
        og_labelers of = {.count = 1 + (int32_t)(draw(&state) % 3)};
        og_labelers_prior *prior = NULL;
        og_labelers_votes votes = {0, 0};
        for (int32_t i = 0; i < of.count; i++) {
            bool coarse = draw(&state) % 3 == 0;
            og_labelers_set(&of, i, og_fraction_make((int64_t)(draw(&state) % 11), 10));
            if (coarse) {
                og_labelers_set(&of, i, og_fraction_make((int64_t)(draw(&state) % 3), 2));
            }
            of.cost[i] = og_fraction_make((int64_t)(draw(&state) % 3), 20);
        }
        ck_assert_int_eq(og_labelers_prior_orders(&of, &prior, NULL), OG_OK);
        votes.asked = (uint32_t)draw(&state) & ((1u << of.count) - 1);
        votes.ones = (uint32_t)draw(&state) & votes.asked;
        const og_labelers_rules rules = {.budget = 1 + (int32_t)(draw(&state) % 3),
                                         .price = og_fraction_make((int64_t)(draw(&state) % 2), 1),
                                         .odd = draw(&state) % 2 == 0,
                                         .nobody = draw(&state) % 2 == 0,
                                         .had = (int32_t)(draw(&state) % 2),
                                         .history = &votes};
        og_labelers_game *game = NULL;
        og_status status = og_labelers_game_new(prior, &rules, plenty, &game, NULL);
        if (status == OG_OK) { /* else the votes are impossible */
            double wanted = play_out(game, game->weight, rules.budget);
            for (unsigned reductions = 0; reductions < 32; reductions += 1 + reductions % 3) {
                check_near(solved(game, reductions).value, wanted, 1e-12);
            }
            ck_assert_int_eq(og_labelers_value_exact(game, OG_LABELERS_OPTIMUM, NULL, q[0], NULL),
                             OG_OK);
            check_near(mpq_get_d(q[0]), wanted, 1e-12);
        }
        og_labelers_game_free(game);
        og_labelers_prior_free(prior);
    }
    fractions_free(q, 1);
}
END_TEST

START_TEST(test_a_history_is_a_step_of_the_definition)
{
    const og_labelers_votes votes[] = {{7, 3}, {1, 1}, {3, 1}};
    og_labelers_prior *prior = orders_of(three);
    og_labelers_rules rules = {.budget = 3, .had = 3, .history = votes};
    og_labelers_game *game = game_of(prior, rules);
    rules.had = 0;
    rules.budget = 4;
    og_labelers_game *before = game_of(prior, rules);
    mpq_t *q = fractions(2), sum;
    const og_open open[] = {{{{7, 0, 0}}, 1}, {{{3, 0, 0}}, 1}};
    check_near(solved(game, OG_REDUCE_ALL).value, play_out(game, game->weight, 3), 1e-12);
    ck_assert_int_eq(og_labelers_value_exact(game, OG_LABELERS_OPTIMUM, NULL, q[0], NULL), OG_OK);
    check_near(mpq_get_d(q[0]), play_out(game, game->weight, 3), 1e-12);
    mpq_init(sum); /* the optimum is the best Q */
    ck_assert_int_eq(og_labelers_q_exact(before, open, 2, NULL, q, NULL), OG_OK);
    ck_assert_int_eq(og_labelers_value_exact(before, OG_LABELERS_OPTIMUM, NULL, sum, NULL), OG_OK);
    ck_assert(mpq_equal(q[0], sum));
    ck_assert(mpq_cmp(q[1], sum) < 0);
    mpq_clear(sum);
    fractions_free(q, 2);
    og_labelers_game_free(game);
    og_labelers_game_free(before);
    og_labelers_prior_free(prior);
}
END_TEST

/* Points of a Beta prior are exact for so many tasks: more of them change nothing. */
START_TEST(test_betas_do_not_depend_on_the_points)
{
    for (int32_t tasks = 1; tasks <= 5; tasks++) {
        og_labelers_prior *few = beta_of(3, 4, 1, tasks), *many = beta_of(3, 4, 1, tasks + 4);
        og_labelers_game *one = game_of(few, (og_labelers_rules){.budget = tasks});
        og_labelers_game *other = game_of(many, (og_labelers_rules){.budget = tasks});
        og_result found = solved(one, OG_REDUCE_ALL), more = solved(other, OG_REDUCE_ALL);
        ck_assert(fabs(found.value - more.value) <= found.error_bound + more.error_bound);
        og_labelers_game_free(one);
        og_labelers_game_free(other);
        og_labelers_prior_free(few);
        og_labelers_prior_free(many);
    }
    og_labelers_prior *one = beta_of(1, 4, 1, 1); /* one voter: E p = 4/5 */
    og_labelers_game *game = game_of(one, (og_labelers_rules){.budget = 1});
    check_near(solved(game, OG_REDUCE_ALL).value, 0.8, 1e-12);
    og_labelers_game_free(game);
    og_labelers_prior_free(one);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("labelers");
    TCase *votes = test_group(suite, "votes", 20), *ls_ol = test_group(suite, "ls-ol", 60);
    TCase *game = test_group(suite, "game", 60);
    tcase_add_test(votes, test_majorities_have_known_values);
    tcase_add_test(votes, test_best_sets_are_known);
    tcase_add_test(votes, test_no_set_beats_the_best);
    tcase_add_test(votes, test_votes_weighted_by_estimates_have_known_values);
    tcase_add_test(votes, test_disagreement_has_known_values);
    tcase_add_test(ls_ol, test_tester_laws_are_known);
    tcase_add_test(ls_ol, test_a_testers_law_is_that_of_all_its_votes);
    tcase_add_test(ls_ol, test_the_schedule_is_known);
    tcase_add_test(ls_ol, test_the_schedule_is_that_of_the_algorithm);
    tcase_add_loop_test(ls_ol, test_regrets_are_known_as_fractions, 0,
                        sizeof regrets / sizeof *regrets);
    tcase_add_test(ls_ol, test_regrets_are_known);
    tcase_add_test(ls_ol, test_selections_are_known);
    tcase_add_test(ls_ol, test_a_law_too_large_is_refused_before_it_is_begun);
    tcase_add_test(game, test_least_regrets_are_known_as_fractions);
    tcase_add_test(game, test_least_regrets_are_known);
    tcase_add_test(game, test_the_optimum_is_that_of_the_definition);
    tcase_add_test(game, test_random_problems_agree_with_the_definition);
    tcase_add_test(game, test_a_history_is_a_step_of_the_definition);
    tcase_add_test(game, test_betas_do_not_depend_on_the_points);
    return test_run(suite);
}
