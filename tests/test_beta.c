/* The exact and the rigorous numbers below the Beta arms, one by one. */
#include "dp/base/rational.h"
#include "dp/prior/beta_walk.h"

#include <flint/fmpq.h>

#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(beta, 60);

enum { CASES = 2000 };

/* The middle between two doubles is rounded to the even one, and other numbers to the nearer one.
 */
OG_TEST(nearest_quotient_decides_beside_the_middle_of_two_doubles)
{
    static const struct {
        int side;
        double below_odd, below_even;
    } rows[] = {{-1, 0x1p53, 0x1.0000000000001p53},
                {0, 0x1p53, 0x1.0000000000002p53},
                {1, 0x1.0000000000001p53, 0x1.0000000000002p53}};
    mpz_t num, den;
    mpz_inits(num, den, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned shift = 1; shift < 2000; shift += 37) {
            for (unsigned middle = 1; middle <= 3; middle += 2) {
                mpz_set_ui(den, 1);
                mpz_mul_2exp(den, den, shift);
                mpz_set_ui(num, (UINT64_C(1) << 53) + middle);
                mpz_mul(num, num, den);
                mpz_add_ui(num, num, 1);
                mpz_sub_ui(num, num, (unsigned)(1 - rows[i].side));
                double expected = middle == 1 ? rows[i].below_odd : rows[i].below_even;
                ck_assert_msg(og_nearest_quotient(num, den) == expected, "2^53 + %u, %d, shift %u",
                              middle, rows[i].side, shift);
                mpz_neg(num, num);
                ck_assert(og_nearest_quotient(num, den) == -expected);
            }
        }
    }
    mpz_set_ui(num, 0);
    ck_assert(og_nearest_quotient(num, den) == 0);
    mpz_clears(num, den, NULL);
}

OG_TEST(nearest_quotient_reads_back_every_double)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    OWN_MPQ exact = MPQ_NEW;
    for (int i = 0; i < test_cases(CASES); i++) {
        double value =
            ldexp((double)(random_next(&random) >> 11), (int)random_below(&random, 1900) - 1000);
        mpq_set_d(exact, value);
        ck_assert_msg(og_nearest_quotient(mpq_numref(exact), mpq_denref(exact)) == value,
                      "seed %" PRIu64 ": %a", seed, value);
    }
}

/* weight = (N-1)! / ((A-1)! (B-1)!) x^A y^B / q^N */
static void defined_weight(uint64_t a, uint64_t b, int64_t x, int64_t q, mpz_t out)
{
    mpz_t power;
    mpz_init(power);
    mpz_fac_ui(out, a + b - 1);
    mpz_fac_ui(power, a - 1);
    mpz_divexact(out, out, power);
    mpz_fac_ui(power, b - 1);
    mpz_divexact(out, out, power);
    mpz_ui_pow_ui(power, (unsigned long)x, a);
    mpz_mul(out, out, power);
    mpz_ui_pow_ui(power, (unsigned long)(q - x), b);
    mpz_mul(out, out, power);
    mpz_clear(power);
}

OG_TEST(exact_integers_are_those_of_the_definition)
{
    uint64_t seed = test_seed(2);
    random_source random = random_start(seed);
    mpq_t a, b, threshold, expected;
    mpz_t got, whole;
    mpq_inits(a, b, threshold, expected, NULL);
    mpz_inits(got, whole, NULL);
    for (int i = 0; i < test_cases(CASES); i++) {
        uint64_t A = 1 + random_below(&random, 40), B = 1 + random_below(&random, 40);
        int64_t q = 2 + random_below(&random, 1000);
        int64_t x = 1 + random_below(&random, (uint32_t)(q - 1));
        mpq_set_ui(a, A, 1);
        mpq_set_ui(b, B, 1);
        mpq_set_si(threshold, x, (unsigned long)q);
        mpq_canonicalize(threshold);
        oracle_positive(expected, a, b, threshold);
        mpz_ui_pow_ui(whole, (unsigned long)q, A + B - 1);
        mpz_mul(mpq_numref(expected), mpq_numref(expected), whole);
        mpq_canonicalize(expected);
        og_exact_tail(A, B, x, q, got);
        ck_assert_msg(mpz_cmp_ui(mpq_denref(expected), 1) == 0 &&
                          mpz_cmp(got, mpq_numref(expected)) == 0,
                      "seed %" PRIu64 ": tail of %" PRIu64 ",%" PRIu64 "@%" PRId64 "/%" PRId64,
                      seed, A, B, x, q);
        og_exact_weight(A, B, x, q, got);
        defined_weight(A, B, x, q, whole);
        ck_assert_msg(mpz_cmp(got, whole) == 0,
                      "seed %" PRIu64 ": weight of %" PRIu64 ",%" PRIu64 "@%" PRId64 "/%" PRId64,
                      seed, A, B, x, q);
    }
    mpq_clears(a, b, threshold, expected, NULL);
    mpz_clears(got, whole, NULL);
}

/* The ball holds 2P - 1, known to 2 ORACLE_H_ERROR, and is no wider than its precision allows. */
static void check_excess(const og_group *group, slong precision, uint64_t seed)
{
    char word[160];
    mpq_t a, b, threshold, expected;
    fmpq_t exact;
    arb_t excess, weight, slack;
    og_group_format(group, word, sizeof word);
    mpq_inits(a, b, threshold, expected, NULL);
    og_fraction_get_mpq(a, group->a);
    og_fraction_get_mpq(b, group->b);
    og_fraction_get_mpq(threshold, group->threshold);
    oracle_positive(expected, a, b, threshold);
    mpq_set_ui(a, 1, 1);
    mpq_mul_2exp(expected, expected, 1);
    mpq_sub(expected, expected, a);
    fmpq_init(exact);
    fmpq_set_mpq(exact, expected);
    arb_init(excess);
    arb_init(weight);
    arb_init(slack);
    og_ball_root(group, excess, weight, precision);
    ck_assert_msg(arb_is_finite(weight) && arb_is_positive(weight), "seed %" PRIu64 ": %s", seed,
                  word);
    ck_assert_msg(mag_cmp_2exp_si(arb_radref(excess), -precision / 2) < 0,
                  "seed %" PRIu64 ": a wide ball for %s", seed, word);
    arb_set_d(slack, 2 * ORACLE_H_ERROR);
    arb_add_error(excess, slack);
    ck_assert_msg(arb_contains_fmpq(excess, exact), "seed %" PRIu64 ": %s at %d bits", seed, word,
                  (int)precision);
    arb_clear(excess);
    arb_clear(weight);
    arb_clear(slack);
    fmpq_clear(exact);
    mpq_clears(a, b, threshold, expected, NULL);
}

/* Parameters of every size up to 10^5, thresholds near the mean and anywhere. */
OG_TEST(ball_of_the_root_holds_the_exact_value)
{
    uint64_t seed = test_seed(3);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(40); i++) {
        int64_t parameter[2];
        for (int k = 0; k < 2; k++) {
            int64_t most = INT64_C(100000000) >> random_below(&random, 25);
            parameter[k] = 1 + (int64_t)(random_next(&random) % (uint64_t)most);
        }
        int64_t parts = 20 + 3 * random_below(&random, 300);
        double mean = (double)parameter[0] / (double)(parameter[0] + parameter[1]);
        int64_t num = random_below(&random, 2) ? (int64_t)(mean * (double)parts)
                                               : random_below(&random, (uint32_t)parts);
        og_group group = {.a = og_fraction_make(parameter[0], 1000),
                          .b = og_fraction_make(parameter[1], 1000),
                          .threshold = og_fraction_make(num < 1 ? 1 : num, parts),
                          .count = 1};
        check_excess(&group, 128, seed);
        check_excess(&group, 384, seed);
    }
}

/* A parameter or a threshold's distance from 0 or 1 of any size. */
static og_fraction random_size(random_source *random, int digits)
{
    int64_t most = 10;
    for (uint32_t more = random_below(random, (uint32_t)digits); more > 0; more--) {
        most *= 10;
    }
    return og_fraction_make(1 + (int64_t)(random_next(random) % (uint64_t)most), 1000000);
}

OG_TEST(every_prior_in_range_has_its_numbers)
{
    uint64_t seed = test_seed(4);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(300); i++) {
        og_group group = {.a = random_size(&random, 12), .b = random_size(&random, 12), .count = 1};
        og_fraction share = random_size(&random, 5);
        int64_t num = random_below(&random, 2) ? share.num : share.den - share.num;
        group.threshold = og_fraction_make(num, share.den);
        if (random_below(&random, 2)) { /* near the mean, where sums are longest */
            int64_t mean =
                (int64_t)(1e9 / (1 + og_fraction_double(group.b) / og_fraction_double(group.a)));
            group.threshold = og_fraction_make(mean < 1           ? 1
                                               : mean < 999999999 ? mean
                                                                  : 999999999,
                                               1000000000);
        }
        char word[160];
        og_beta *beta = NULL;
        og_group_format(&group, word, sizeof word);
        if (og_group_check(&group, 20, NULL) != OG_OK) {
            continue;
        }
        ck_assert_msg(og_beta_new(&group, 20, &beta) == OG_OK, "seed %" PRIu64 ": %s", seed, word);
        ck_assert_msg(beta->call >= 0.5 && beta->call <= 1, "seed %" PRIu64 ": %s", seed, word);
        og_beta_free(beta);
    }
}
