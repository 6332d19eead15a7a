/* The numbers below the Dirichlet arms: exact sums, and doubles rounded to nearest. */
#include "dp/base/arb.h"
#include "dp/base/rational.h"
#include "dp/prior/dirichlet.h"

#include <flint/fmpq.h>
#include <malloc.h>

#include "dp/prior/beta.h"
#include "tests/oracle_classes.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(dirichlet, 120);

/* A posterior, and its spelling for messages. */
typedef struct {
    int classes;
    og_fraction a[OG_CLASSES_MAX];
    char text[400];
} test_posterior;

static void spell(test_posterior *posterior)
{
    char *at = posterior->text;
    for (int c = 0; c < posterior->classes; c++) {
        char word[48];
        og_fraction_format(posterior->a[c], word, sizeof word);
        at += sprintf(at, "%s%s", c > 0 ? "," : "", word);
    }
}

static test_posterior read_posterior(const char *text)
{
    test_posterior posterior = {0};
    const char *at = text;
    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        ck_assert_int_eq(og_fraction_parse(at, length, &posterior.a[posterior.classes++]), OG_OK);
        at += length + (at[length] == ',');
    }
    spell(&posterior);
    return posterior;
}

static test_posterior random_whole(random_source *random, int classes_most, uint32_t most)
{
    test_posterior posterior = {.classes =
                                    2 + (int)random_below(random, (uint32_t)classes_most - 1)};
    for (int c = 0; c < posterior.classes; c++) {
        posterior.a[c] = (og_fraction){1 + random_below(random, most), 1};
    }
    spell(&posterior);
    return posterior;
}

/* Parameters of every size from 0.1 to `most`, often near to each other or apart by one. */
static test_posterior random_real(random_source *random, int classes_least, int classes_most,
                                  int64_t most)
{
    test_posterior posterior = {
        .classes = classes_least +
                   (int)random_below(random, (uint32_t)(classes_most - classes_least + 1))};
    int64_t top = 1 + most * 100;
    while (top > 300 && random_below(random, 3) > 0) {
        top /= 10;
    }
    for (int c = 0; c < posterior.classes; c++) {
        int64_t num = 10 + (int64_t)(random_next(random) % (uint64_t)top);
        posterior.a[c] = og_fraction_make(num, 100);
        uint32_t how = c == 0 ? 9 : random_below(random, 8);
        if (how < 3) {
            posterior.a[c] = posterior.a[c - 1];
        } else if (how == 3) {
            posterior.a[c] = (og_fraction){posterior.a[c - 1].num + posterior.a[c - 1].den,
                                           posterior.a[c - 1].den};
        } else if (how == 4) {
            posterior.a[c] =
                og_fraction_make(posterior.a[c - 1].num * (100 / posterior.a[c - 1].den) + 37, 100);
        }
    }
    spell(&posterior);
    return posterior;
}

typedef struct {
    double call, reward, gain[OG_CLASSES_MAX];
} values;

static const int32_t no_labels[OG_CLASSES_MAX];

/* Of a posterior that is reached from a prior by `counts`. */
static values values_after(int classes, const og_fraction *prior, const int32_t *counts,
                           int32_t depth, const char *text)
{
    values out;
    og_dirichlet *dirichlet = NULL;
    ck_assert_int_eq(og_dirichlet_new(classes, prior, depth, &dirichlet), OG_OK);
    struct mallinfo2 before = mallinfo2();
    ck_assert_msg(og_dirichlet_call(dirichlet, OG_WORTH_CALLS, counts, &out.call) == OG_OK &&
                      og_dirichlet_reward(dirichlet, OG_WORTH_CALLS, counts, &out.reward) ==
                          OG_OK &&
                      og_dirichlet_gains(dirichlet, OG_WORTH_CALLS, counts, out.gain) == OG_OK,
                  "%s: no values", text);
    struct mallinfo2 after = mallinfo2();
    uint64_t held = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    /* With two classes a value may lie halfway between two doubles, and needs more precision. */
    ck_assert_msg(classes == 2 || held <= og_dirichlet_bytes(classes, prior, depth),
                  "%s: %" PRIu64 " bytes, %" PRIu64 " were announced", text, held,
                  og_dirichlet_bytes(classes, prior, depth));
    og_dirichlet_free(dirichlet);
    return out;
}

static values values_of(const test_posterior *posterior)
{
    return values_after(posterior->classes, posterior->a, no_labels, 1, posterior->text);
}

static void whole_numbers(const test_posterior *posterior, int *out)
{
    for (int c = 0; c < posterior->classes; c++) {
        out[c] = (int)posterior->a[c].num;
    }
}

/* h(a + e_c) - h(a) and its expectation, taken literally. */
OG_TEST(exact_reward_and_gains_are_differences_of_the_calls)
{
    uint64_t seed = test_seed(2);
    random_source random = random_start(seed);
    OWN_MPQ got = MPQ_NEW, here = MPQ_NEW, next = MPQ_NEW, reward = MPQ_NEW, share = MPQ_NEW;
    for (int i = 0; i < test_cases(60); i++) {
        test_posterior posterior = random_whole(&random, 5, 4);
        int a[OG_CLASSES_MAX], total = 0;
        whole_numbers(&posterior, a);
        for (int c = 0; c < posterior.classes; c++) {
            total += a[c];
        }
        oracle_class_call(posterior.classes, a, here);
        og_dirichlet_exact_call(posterior.classes, posterior.a, got);
        ck_assert_msg(mpq_equal(got, here), "seed %" PRIu64 ": call of %s", seed, posterior.text);
        mpq_set_ui(reward, 0, 1);
        for (int c = 0; c < posterior.classes; c++) {
            a[c]++;
            oracle_class_call(posterior.classes, a, next);
            a[c]--;
            mpq_sub(next, next, here);
            og_dirichlet_exact_gain(posterior.classes, posterior.a, c, got);
            ck_assert_msg(mpq_equal(got, next), "seed %" PRIu64 ": gain %d of %s", seed, c,
                          posterior.text);
            mpq_set_ui(share, (unsigned)a[c], (unsigned)total);
            mpq_canonicalize(share);
            mpq_mul(next, next, share);
            mpq_add(reward, reward, next);
        }
        og_dirichlet_exact_reward(posterior.classes, posterior.a, got);
        ck_assert_msg(mpq_equal(got, reward), "seed %" PRIu64 ": R of %s", seed, posterior.text);
    }
}

static void check_nearest(double got, const mpq_t exact, const char *what, int c, const char *text,
                          uint64_t seed)
{
    double nearest = og_nearest_quotient(mpq_numref(exact), mpq_denref(exact));
    ck_assert_msg(got == nearest && !(got == 0 && signbit(got)),
                  "seed %" PRIu64 ": %s %d of %s is %.17g, not %.17g", seed, what, c, text, got,
                  nearest);
}

static void check_doubles(const test_posterior *posterior, uint64_t seed)
{
    mpq_t exact;
    values got = values_of(posterior);
    mpq_init(exact);
    for (int c = 0; c < posterior->classes; c++) {
        og_dirichlet_exact_gain(posterior->classes, posterior->a, c, exact);
        check_nearest(got.gain[c], exact, "gain", c, posterior->text, seed);
    }
    og_dirichlet_exact_call(posterior->classes, posterior->a, exact);
    check_nearest(got.call, exact, "call", 0, posterior->text, seed);
    og_dirichlet_exact_reward(posterior->classes, posterior->a, exact);
    check_nearest(got.reward, exact, "R", 0, posterior->text, seed);
    mpq_clear(exact);
}

OG_TEST(doubles_are_the_fractions_rounded_to_nearest)
{
    uint64_t seed = test_seed(3);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(40); i++) {
        test_posterior posterior =
            random_whole(&random, OG_CLASSES_MAX, 1 + random_below(&random, 12));
        check_doubles(&posterior, seed);
    }
    for (int i = 0; i < test_cases(5); i++) {
        test_posterior posterior = random_whole(&random, 4, 120);
        check_doubles(&posterior, seed);
    }
}

/* Chen, Lin and Zhou's two classes: the call, R and gains of dp/prior/beta.h at 1/2, bit for bit.
 */
OG_TEST(two_classes_have_the_bits_of_the_beta_arm)
{
    uint64_t seed = test_seed(4);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(40); i++) {
        test_posterior posterior = random_real(&random, 2, 2, 1000);
        og_group group = {
            .a = posterior.a[0], .b = posterior.a[1], .threshold = {1, 2}, .count = 1};
        og_beta *beta = NULL;
        ck_assert_int_eq(og_beta_new(&group, 1, &beta), OG_OK);
        values got = values_of(&posterior);
        ck_assert_msg(got.call == beta->call, "seed %" PRIu64 ": call of %s", seed, posterior.text);
        ck_assert_msg(got.reward == beta->reward[0], "seed %" PRIu64 ": R of %s is %.17g not %.17g",
                      seed, posterior.text, got.reward, beta->reward[0]);
        double gain[2], error;
        ck_assert_int_eq(og_beta_gains(beta, gain, &error), OG_OK);
        for (int c = 0; c < 2; c++) {
            ck_assert_msg(fabs(got.gain[c] - gain[c]) <= 1.01 * error * fabs(gain[c]) &&
                              (beta->flip[0] < 0 || got.gain[c] == gain[c]),
                          "seed %" PRIu64 ": gain %d of %s is %.17g not %.17g", seed, c,
                          posterior.text, got.gain[c], gain[c]);
        }
        og_beta_free(beta);
    }
}

/* The double is the nearest to a number in the ball. */
static void check_against_ball(double got, const arb_t ball, const char *what, const char *text)
{
    arb_t distance;
    arb_init(distance);
    arb_set_d(distance, got);
    arb_sub(distance, distance, ball, 256);
    double off = arf_get_d(arb_midref(distance), ARF_RND_UP);
    double radius = mag_get_d(arb_radref(ball)), ulp = nextafter(fabs(got), INFINITY) - fabs(got);
    ck_assert_msg(radius < 1e-19, "%s of %s: the oracle is off by %g", what, text, radius);
    ck_assert_msg(fabs(off) <= 0.501 * ulp + 2 * radius + 1e-28, "%s of %s: %.17g is off by %g",
                  what, text, got, off);
    arb_clear(distance);
}

/* R from its definition, with the oracle's probabilities. */
static void oracle_reward(const test_posterior *posterior, arb_t out)
{
    test_posterior next = *posterior;
    arb_t chance, share;
    int leader = og_dirichlet_leader(posterior->classes, posterior->a);
    OWN_MPQ total = MPQ_NEW, part = MPQ_NEW;
    arb_init(chance);
    arb_init(share);
    for (int c = 0; c < posterior->classes; c++) {
        og_fraction_get_mpq(part, posterior->a[c]);
        mpq_add(total, total, part);
    }
    oracle_class_chance(posterior->classes, posterior->a, leader, out);
    arb_neg(out, out);
    for (int c = 0; c < posterior->classes; c++) {
        fmpq_t ratio;
        fmpq_init(ratio);
        og_fraction_get_mpq(part, posterior->a[c]);
        mpq_div(part, part, total);
        fmpq_set_mpq(ratio, part);
        arb_set_fmpq(share, ratio, 160);
        next.a[c].num += next.a[c].den;
        oracle_class_chance(posterior->classes, next.a,
                            og_dirichlet_leader(posterior->classes, next.a), chance);
        next.a[c] = posterior->a[c];
        arb_addmul(out, chance, share, 160);
        fmpq_clear(ratio);
    }
    arb_clear(chance);
    arb_clear(share);
}

static void check_integrals(const test_posterior *posterior)
{
    values got = values_of(posterior);
    arb_t ball;
    arb_init(ball);
    oracle_class_chance(posterior->classes, posterior->a,
                        og_dirichlet_leader(posterior->classes, posterior->a), ball);
    check_against_ball(got.call, ball, "call", posterior->text);
    oracle_reward(posterior, ball);
    check_against_ball(got.reward, ball, "R", posterior->text);
    arb_clear(ball);
}

OG_TEST(doubles_are_the_integrals_rounded_to_nearest)
{
    static const char *const known[] = {"0.1,0.2,1.05", "2.5,2.25,2", "0.1,1,10,40.5,40"};
    for (size_t i = 0; i < (test_is_short() ? 1 : sizeof known / sizeof *known); i++) {
        test_posterior posterior = read_posterior(known[i]);
        check_integrals(&posterior);
    }
    random_source random = random_start(test_seed(5));
    for (int i = 0; i < test_cases(2); i++) {
        test_posterior posterior = random_real(&random, 3, 4, 20);
        check_integrals(&posterior);
    }
}

/* From the same oracle, which takes up to a minute for these. */
OG_TEST(large_parameters_have_their_known_calls)
{
    static const struct {
        const char *posterior;
        double call;
    } rows[] = {
        {"1000,0.1,999.9", 0.500892269506211795975681393733},
        {"300.5,300,299.1", 0.348808771337843224718356107944},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_posterior read = read_posterior(rows[i].posterior);
        double got = values_of(&read).call;
        ck_assert_msg(got == rows[i].call, "%s: %.17g", read.text, got);
    }
}

/* Sums of the doubles: every one is within half a unit in the last place. */
OG_TEST(gains_add_up_to_the_reward)
{
    uint64_t seed = test_seed(6);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(20); i++) {
        test_posterior posterior = random_real(&random, 2, OG_CLASSES_MAX, 1000);
        values got = values_of(&posterior);
        double total = 0, reward = 0, size = 0;
        for (int c = 0; c < posterior.classes; c++) {
            total += og_fraction_double(posterior.a[c]);
        }
        for (int c = 0; c < posterior.classes; c++) {
            double part = og_fraction_double(posterior.a[c]) / total * got.gain[c];
            reward += part;
            size += fabs(part);
        }
        ck_assert_msg(fabs(reward - got.reward) <= 30 * 0x1p-53 * size,
                      "seed %" PRIu64 ": %s: %.17g %.17g", seed, posterior.text, reward,
                      got.reward);
    }
}

/* Does a label of this class change the call: is a_c + 1 larger than every parameter, and a_c not
 * the largest already (of several largest ones the first class is called)? */
static bool label_flips(int32_t classes, const og_fraction *a, int32_t class_)
{
    int32_t leader = og_dirichlet_leader(classes, a);
    return class_ != leader && og_fraction_compare(og_fraction_plus(a[class_], 1), a[leader]) > 0;
}

OG_TEST(reward_is_zero_exactly_where_no_label_changes_the_leader)
{
    uint64_t seed = test_seed(7);
    random_source random = random_start(seed);
    int zeros = 0;
    for (int i = 0; i < test_cases(60); i++) {
        test_posterior posterior = random_real(&random, 2, 6, 100);
        bool flips = false;
        for (int c = 0; c < posterior.classes; c++) {
            flips = flips || label_flips(posterior.classes, posterior.a, c);
        }
        double reward = values_of(&posterior).reward;
        ck_assert_msg(flips ? reward > 0 : reward == 0, "seed %" PRIu64 ": %s: %g", seed,
                      posterior.text, reward);
        zeros += !flips;
    }
    ck_assert_int_gt(zeros, 0);
    test_posterior tie = read_posterior("3.25,2.25,1,1");
    ck_assert(values_of(&tie).reward == 0);
    ck_assert(!label_flips(tie.classes, tie.a, 1));
    tie = read_posterior("3.25,2.2500000000000001,1,1");
    ck_assert(values_of(&tie).reward > 0);
    ck_assert(label_flips(tie.classes, tie.a, 1));
}

static void check_same(const values *x, const values *y, int classes, const int *place,
                       const test_posterior *posterior, uint64_t seed)
{
    bool same = x->call == y->call && x->reward == y->reward;
    for (int c = 0; c < classes; c++) {
        same = same && x->gain[c] == y->gain[place[c]];
    }
    ck_assert_msg(same, "seed %" PRIu64 ": other bits for %s", seed, posterior->text);
}

/* The same posterior in another order of classes, and from another prior with another depth. */
OG_TEST(bits_depend_on_the_multiset_of_parameters_alone)
{
    uint64_t seed = test_seed(8);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(30); i++) {
        test_posterior posterior = random_real(&random, 2, 6, 50), moved = posterior;
        int place[OG_CLASSES_MAX];
        int32_t counts[OG_CLASSES_MAX] = {0}, depth = 1 + (int32_t)random_below(&random, 5);
        for (int c = 0; c < posterior.classes; c++) {
            place[c] = c;
        }
        for (int c = posterior.classes - 1; c > 0; c--) {
            int other = (int)random_below(&random, (uint32_t)c + 1), keep = place[c];
            place[c] = place[other];
            place[other] = keep;
        }
        for (int c = 0; c < posterior.classes; c++) {
            og_fraction a = posterior.a[c];
            while (a.num > a.den && random_below(&random, 2)) {
                a.num -= a.den;
                counts[place[c]]++;
                depth++;
            }
            moved.a[place[c]] = a;
        }
        values here = values_of(&posterior);
        values there = values_after(posterior.classes, moved.a, counts, depth, posterior.text);
        check_same(&here, &there, posterior.classes, place, &posterior, seed);
    }
}

OG_TEST(parameters_at_the_ends_of_their_range_have_values)
{
    static const char *const rows[] = {
        "0.000001,0.000001,0.000001",
        "1000000,1000000,1000000",
        "100000,99999.5,0.000001",
        "0.000001,0.000001,0.000001,0.000001,0.000001,0.000001,0.000001,0.000001,0.000001,0.000002",
        "1000,1000,1000,1000,1000,1000,1000,1000,1000,1000",
        "1.00000000000000001,1,1",
        "1.0000001,1,1.0000002",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_posterior posterior = read_posterior(rows[i]);
        values got = values_of(&posterior);
        ck_assert_msg(got.call > 0 && got.call <= 1 && got.reward > 0 && got.reward < 1, "%s",
                      posterior.text);
    }
    /* As the parameters go to 0, one class has everything: h is 1/C, and one label reveals the
     * class. */
    test_posterior posterior = read_posterior(rows[0]);
    values got = values_of(&posterior);
    ck_assert(got.call == 1.0 / 3);
    ck_assert(fabs(got.reward - 2.0 / 3) < 3e-6);
}

/* Known: 11/18 = 1/2 + 1/9, by hand from the race; R(1,1,1) = 2/3 * (11/18 - 7/36). */
OG_TEST(small_cases_are_those_worked_out_by_hand)
{
    test_posterior posterior = read_posterior("2,1,1");
    OWN_MPQ got = MPQ_NEW;
    og_dirichlet_exact_call(3, posterior.a, got);
    ck_assert(mpq_cmp_ui(got, 11, 18) == 0);
    posterior = read_posterior("1,1,1");
    og_dirichlet_exact_reward(3, posterior.a, got);
    ck_assert(mpq_cmp_ui(got, 5, 18) == 0);
    og_dirichlet_exact_gain(3, posterior.a, 1, got);
    ck_assert(mpq_cmp_ui(got, 5, 18) == 0);
    posterior = read_posterior("2,1,1");
    og_dirichlet_exact_reward(3, posterior.a, got);
    ck_assert(mpq_cmp_ui(got, 0, 1) == 0);
}
