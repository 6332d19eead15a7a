/*
 * Votes of labelers and LS_OL: the known values of Liu and Liu's problem, the definitions written
 * out (all votes of all tasks, each with its chance), and fractions beside doubles.
 */
#include "dp/families/labelers.h"
#include "tests/crowd.h"
#include "tests/support.h"

OG_SUITE(labelers, 60);

static const uint64_t plenty = UINT64_C(1) << 31;

/* ---- votes ---- */

static const char table_1[] = "0.763 0.781 0.625 0.783 0.727";

OG_TEST(test_majorities_have_known_values)
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
        {"0.6 0.6 0.6 0.6 0.6", 1, "3/5"},
        {"0.6 0.6 0.6 0.6 0.6", 3, "3/5"},
        {"0.6 0.6 0.6 0.6 0.6", 7, "81/125"},
        {"0.6 0.6 0.6 0.6 0.6", 15, "81/125"},
        {"0.6 0.6 0.6 0.6 0.6", 31, "2133/3125"},
        {"0.7 0.7 0.7 0.7", 7, "98/125"},
        {"0.3 0.2 0.1", 1, "3/10"},
        {"1 0.6 0.6", 1, "1"},
        {table_1, 8, "783/1000"}, /* prefixes of the labelers by accuracy */
        {table_1, 10, "391/500"},
        {table_1, 11, "871670902/1000000000"},
        {table_1, 27, "858931183/1000000000"},
        {table_1, 31, "3533571539869/4000000000000"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        og_labelers labelers = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        size_t sets = (size_t)1 << labelers.count;
        mpq_t *list = fractions(sets);
        ck_assert_int_eq(og_votes_make_exact(&labelers, list, NULL, NULL, NULL), OG_OK);
        check_fraction(list[known[k].set], known[k].majority);
        for (size_t x = 0; x < sets; x++) {
            ck_assert(fabs(votes.majority[x] - mpq_get_d(list[x])) <=
                      og_labelers_error(labelers.count) * votes.majority[x]);
        }
        fractions_free(list, sets);
    }
}

OG_TEST(test_best_sets_are_known)
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
        og_labelers labelers = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        uint32_t best = 0;
        ck_assert_uint_eq(votes.best, known[k].best);
        ck_assert_int_eq(og_votes_make_exact(&labelers, NULL, NULL, NULL, &best), OG_OK);
        ck_assert_uint_eq(best, known[k].best);
        check_near(votes.weighted, known[k].weighted, 1e-12);
    }
    ck_assert_uint_eq(votes_of("0.9 0.6 0.55").best_weighted, 1);
}

OG_TEST(test_weighted_votes_of_sets_are_known)
{
    static const char *const prefixes[] = {"4/5", "4/5", "169/200", "3389/4000"};
    og_labelers four_of = crowd_of("0.8 0.75 0.7 0.65"), three_of = crowd_of("0.9 0.6 0.55");
    mpq_t *q = fractions(1);
    for (uint32_t n = 1; n <= 4; n++) {
        ck_assert_int_eq(og_votes_weighted_exact(&four_of, &four_of, (1u << n) - 1, q[0]), OG_OK);
        check_fraction(q[0], prefixes[n - 1]);
    }
    int best = 0;
    for (uint32_t x = 1; x < 8; x++) {
        ck_assert_int_eq(og_votes_weighted_exact(&three_of, &three_of, x, q[0]), OG_OK);
        best += mpq_cmp_ui(q[0], 9, 10) == 0;
    }
    ck_assert_int_eq(best, 4);
    fractions_free(q, 1);
}

/* Uniform accuracies from 0 to 1, five labelers: the rows of a published table with an accuracy of
 * a thousandth. The majority of all is right with probability 1/2. */
OG_TEST(test_means_over_uniform_accuracies_are_known)
{
    static const double known[] = {0.5, 0.838, 0.939};
    const int cases = 20000;
    double sum[3] = {0}, squares[3] = {0};
    uint64_t state = test_seed(20261123);
    for (int k = 0; k < cases; k++) {
        og_labelers labelers = {.count = 5};
        og_votes votes;
        for (int32_t i = 0; i < labelers.count; i++) {
            double p;
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            p = ldexp((double)(state >> 33), -31);
            og_labelers_set_double(&labelers, i, p, 1 - p);
        }
        ck_assert_int_eq(og_votes_make(&labelers, &votes), OG_OK);
        const double found[] = {votes.majority[31], votes.majority[votes.best], votes.weighted};
        for (int c = 0; c < 3; c++) {
            sum[c] += found[c];
            squares[c] += found[c] * found[c];
        }
    }
    for (int c = 0; c < 3; c++) {
        double mean = sum[c] / cases, error = sqrt((squares[c] / cases - mean * mean) / cases);
        ck_assert_msg(fabs(mean - known[c]) <= 5 * error + 0.001, "%g is not %g", mean, known[c]);
    }
}

OG_TEST(test_no_set_beats_the_best)
{
    static const char *const words[] = {table_1, "0.3 0.8 0.6 0.55", "0.1 0.2 0.95 0.6 0.6 0.7"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        og_labelers labelers = crowd_of(words[k]);
        og_votes votes = votes_of(words[k]);
        double largest = 0;
        for (uint32_t x = 1; x < 1u << labelers.count; x++) {
            largest = fmax(largest, votes.majority[x]);
        }
        check_near(votes.majority[votes.best], largest, 1e-12);
        ck_assert(votes.weighted >= largest - 1e-12);
    }
}

OG_TEST(test_votes_weighted_by_estimates_have_known_values)
{
    static const double known[][2] = {{0, 0.865914328}, {0.1, 0.865914328}, {1, 0.868792615}};
    og_labelers labelers = crowd_of(table_1), by = crowd_of("0.8 0.75 0.5 0.9 0.7");
    OWN_MPQ exact = MPQ_NEW;
    for (size_t k = 0; k < 3; k++) {
        double found = 0;
        by.eps = known[k][0];
        ck_assert_int_eq(og_votes_weighted(&labelers, &by, 31, &found), OG_OK);
        ck_assert_int_eq(og_votes_weighted_exact(&labelers, &by, 31, exact), OG_OK);
        check_near(found, known[k][1], 1e-12);
        check_near(found, mpq_get_d(exact), og_labelers_error(5));
    }
}

OG_TEST(test_disagreement_has_known_values)
{
    static const double known[] = {0.213226946373, 0.202375115373, 0.312420396381, 0.201204816373,
                                   0.236599532373};
    og_votes votes = votes_of(table_1);
    og_labelers labelers = crowd_of("0.9 0.7 0.6");
    mpq_t *list = fractions(3);
    for (int i = 0; i < 5; i++) {
        check_near(votes.disagreement[i], known[i], 1e-12);
    }
    ck_assert_int_eq(og_votes_make_exact(&labelers, NULL, list, NULL, NULL), OG_OK);
    check_fraction(list[0], "3/20");
    check_fraction(list[1], "19/100");
    check_fraction(list[2], "27/100");
    fractions_free(list, 3);
}

/* ---- testers ---- */

/* ---- LS_OL ---- */

static og_ls_ol_value run(const og_labelers *labelers, double g1, double g2, int32_t budget,
                          bool weighted)
{
    const og_ls_ol by = {.explore = {g1, g2}, .budget = budget, .weighted = weighted};
    og_ls_ol_value value;
    og_message message = {""};
    og_status status = og_ls_ol_run(labelers, &by, plenty, NULL, &value, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return value;
}

OG_TEST(test_the_schedule_is_known)
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
    og_labelers labelers = crowd_of("0.9 0.7 0.6");
    og_ls_ol_value sixty = run(&labelers, 1.5, 1, 60, false),
                   more = run(&labelers, 1.5, 1, 200, false);
    ck_assert(sixty.steps[1] == 5 && sixty.steps[2] == 24 && sixty.steps[0] == 31);
    ck_assert(more.steps[1] == 7 && more.steps[2] == 40 && more.steps[0] == 153);
}

/* Testers by their votes, labels and coins as the algorithm is written, with lists of counts. */
OG_TEST(test_the_schedule_is_that_of_the_algorithm)
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

OG_TEST_LOOP(test_regrets_are_known_as_fractions, 0, sizeof regrets / sizeof *regrets)
{
    const known_regret *known = &regrets[_i];
    og_labelers labelers = crowd_of(known->words);
    const og_ls_ol by = {
        .explore = {known->g1, known->g2}, .budget = known->budget, .weighted = known->weighted};
    mpq_t *q = fractions(4), *list = fractions(16);
    uint32_t best = 0;
    og_ls_ol_value rounded = run(&labelers, known->g1, known->g2, known->budget, known->weighted);
    og_ls_ol_exact exact = {.right = q[0], .cost = q[1]};
    ck_assert_int_eq(og_ls_ol_run_exact(&labelers, &by, plenty, NULL, &exact, NULL), OG_OK);
    const og_ls_ol_value value = exact.rounded;
    ck_assert(fabs(value.right - rounded.right) <= rounded.error * value.right);
    ck_assert(fabs(value.cost - rounded.cost) <= rounded.error * value.cost);
    ck_assert_int_eq(og_votes_make_exact(&labelers, list, NULL, q[2], &best), OG_OK);
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

OG_TEST(test_regrets_are_known)
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
        {table_1, 0.5, 1, 1000, 123.871100327, NAN, NAN},
        {table_1, 0.5, 1, 2000, 240.944467180, NAN, NAN},
        {table_1, 1, 1, 200, 28.9733101314, NAN, NAN},
        {table_1, 1, 1, 1000, 100.129487914, NAN, NAN},
        {table_1, 1, 1, 2000, 181.293691994, NAN, NAN},
    };
    size_t count = test_is_short() ? 5 : sizeof known / sizeof *known;
    for (size_t k = 0; k < count; k++) {
        og_labelers labelers = crowd_of(known[k].words);
        og_votes votes = votes_of(known[k].words);
        int32_t budget = known[k].budget;
        og_ls_ol_value value = run(&labelers, known[k].g1, known[k].g2, budget, false);
        check_near(budget * votes.majority[votes.best] - value.right, known[k].regret, 1e-10);
        if (!isnan(known[k].cost)) {
            double cost = 0.02 * __builtin_popcount(votes.best) * budget;
            check_near(value.cost - cost, known[k].cost, 1e-10);
        }
        if (!isnan(known[k].weighted)) {
            value = run(&labelers, known[k].g1, known[k].g2, budget, true);
            check_near(budget * votes.weighted - value.right, known[k].weighted, 1e-10);
        }
    }
}

OG_TEST(test_selections_are_known)
{
    /* Four testers, each labelled three times: G1 and G2 that say so at T = 1000. */
    const og_ls_ol by = {.explore = {3.2 / log(1000), 2.1 / log(1000)}, .budget = 1000};
    og_labelers labelers = crowd_of(three);
    mpq_t *q = fractions(2), *set = fractions(8);
    og_ls_ol_exact exact = {.right = q[0], .cost = q[1], .set = set};
    ck_assert_int_eq(og_ls_ol_run_exact(&labelers, &by, plenty, NULL, &exact, NULL), OG_OK);
    const og_ls_ol_value value = exact.rounded;
    ck_assert_int_eq(value.testers, 4);
    ck_assert_int_eq(value.times, 3);
    check_fraction(set[1], "284707267059695996237202667519/390625000000000000000000000000");
    check_fraction(set[2], "29421347831265826081135196217/195312500000000000000000000000");
    check_fraction(set[4], "25549047588356393091051142431/390625000000000000000000000000");
    check_fraction(set[7], "1345374355588497406842237351/24414062500000000000000000000");
    fractions_free(q, 2);
    fractions_free(set, 8);
}

OG_TEST(test_a_law_too_large_is_refused_before_it_is_begun)
{
    og_labelers labelers = crowd_of("0.6 0.6 0.6 0.6 0.6 0.6 0.6 0.6 0.6");
    const og_ls_ol by = {.explore = {5, 0}, .budget = 1000};
    og_ls_ol_value value;
    og_message message = {""};
    ck_assert_int_eq(og_ls_ol_run(&labelers, &by, plenty, NULL, &value, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "--explore") != NULL, "%s", message.text);
}
