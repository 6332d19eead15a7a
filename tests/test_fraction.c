/* Exact fractions: what decimals spell, and back. */
#include "dp/base/fraction.h"

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(fraction, 60);

enum { CASES = 20000 };

static og_status parse(const char *text, og_fraction *out)
{
    return og_fraction_parse(text, strlen(text), out);
}

#define E18 ((og_wide)INT64_C(1000000000000000000))

OG_TEST(parse_reads_what_the_decimal_spells)
{
    static const struct {
        const char *text;
        og_wide num, den;
    } rows[] = {
        {"3", 3, 1},
        {"0", 0, 1},
        {"0.25", 1, 4},
        {".5", 1, 2},
        {"2.", 2, 1},
        {"0.3", 3, 10},
        {"1e-3", 1, 1000},
        {"1E3", 1000, 1},
        {"1e+3", 1000, 1},
        {"12.50e1", 125, 1},
        {"007.5", 15, 2},
        {"0.000", 0, 1},
        {"0e999999999999999999999", 0, 1},
        {"1000000000000000000", E18, 1},
        {"1e18", E18, 1},
        {"999999999999.999999", INT64_C(999999999999999999), 1000000},
        {"0.000001", 1, 1000000},
        {"0.123456789012345678", INT64_C(61728394506172839), INT64_C(500000000000000000)},
        {"0.000000000000000001", 1, E18},
        {"1e-24", 1, E18 * 1000000},
        {"1.2345678901234567e-6", INT64_C(12345678901234567), E18 * 10000},
        {"0.0000000000000262144", 1, INT64_C(38146972656250)},
        {"1.0000000000000000000000000000", 1, 1},
        {"100000000000000000000000000000e-29", 1, 1},
        {"0.00000000000000000000000000001e29", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_fraction got = {-1, -1};
        ck_assert_msg(parse(rows[i].text, &got) == OG_OK, "%s was refused", rows[i].text);
        ck_assert_msg(got.num == rows[i].num && got.den == rows[i].den, "%s became %.17g",
                      rows[i].text, og_fraction_double(got));
    }
}

OG_TEST(parse_refuses_all_else_and_keeps_the_output)
{
    static const char *const rows[] = {
        "",
        ".",
        "e5",
        "1e",
        "1e+",
        "1e-",
        "-1",
        "+1",
        " 1",
        "1 ",
        "0x1",
        "0x10",
        "nan",
        "inf",
        "1..2",
        "1.2.3",
        "1,2",
        "1e5.5",
        "1f",
        "1_0",
        "infinity",
        "1e19",
        "1e-25",
        "0x1p3",
        "1e1e1",
        "--1",
        "1-",
        "1e99999999",
        "1e-999999",
        "\xd9\xa1",
        "1e 5",
        "NaN",
        "1000000000000000001",                      /* 19 digits */
        "0.1234567890123456789",                    /* 19 digits */
        "1234567890123456789012345678901234567890", /* far too many */
        "1e9999999999999999999999999999999999999999",
        "1e-99999999999999999999999999999999999999",
        "3e-37",
        "9.999999999999999375", /* 19 digits, though 625 cancels */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_fraction got = {-1, -1};
        ck_assert_msg(parse(rows[i], &got) == OG_BAD_INPUT, "'%s' was accepted", rows[i]);
        ck_assert_msg(got.num == -1 && got.den == -1, "'%s' wrote the output", rows[i]);
    }
}

OG_TEST(parse_reads_only_as_far_as_it_is_told)
{
    og_fraction got;
    ck_assert_int_eq(og_fraction_parse("12345", 2, &got), OG_OK);
    ck_assert(got.num == 12 && got.den == 1);
    ck_assert_int_eq(og_fraction_parse("1\0"
                                       "2",
                                       3, &got),
                     OG_BAD_INPUT);
    ck_assert_int_eq(og_fraction_parse("5", 0, &got), OG_BAD_INPUT);
}

/* digits with a point somewhere, perhaps an exponent: a decimal that fits. */
static void random_decimal(random_source *random, char *text, size_t size)
{
    int whole = (int)random_below(random, 10), part = (int)random_below(random, 9);
    size_t used = 0;
    for (int i = 0; i < whole; i++) {
        used += (size_t)snprintf(text + used, size - used, "%u", random_below(random, 10));
    }
    if (part > 0 || whole == 0) {
        used += (size_t)snprintf(text + used, size - used, ".%u", random_below(random, 10));
    }
    for (int i = 1; i < part; i++) {
        used += (size_t)snprintf(text + used, size - used, "%u", random_below(random, 10));
    }
    if (random_below(random, 4) == 0) {
        snprintf(text + used, size - used, "e%d", (int)random_below(random, 17) - 8);
    }
}

OG_TEST(double_is_the_nearest_and_format_reads_back)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(CASES); i++) {
        char text[64], back[64];
        og_fraction value, again;
        random_decimal(&random, text, sizeof text);
        ck_assert_msg(parse(text, &value) == OG_OK, "seed %" PRIu64 ": %s refused", seed, text);
        /* The C library reads decimals to the nearest double. */
        ck_assert_msg(og_fraction_double(value) == strtod(text, NULL),
                      "seed %" PRIu64 ": %s became %.17g", seed, text, og_fraction_double(value));
        int length = og_fraction_format(value, back, sizeof back);
        ck_assert_int_eq(length, (int)strlen(back));
        ck_assert_msg(parse(back, &again) == OG_OK && again.num == value.num &&
                          again.den == value.den,
                      "seed %" PRIu64 ": %s was written as %s", seed, text, back);
        ck_assert_msg(strlen(back) < 2 || strchr(back, '.') == NULL ||
                          back[strlen(back) - 1] != '0',
                      "%s is not the shortest", back);
    }
}

static og_wide random_size(random_source *random)
{
    og_wide upper = (og_wide)(random_next(random) >> 1) << 64, lower = (og_wide)random_next(random);
    og_wide value = (upper | lower) >> random_below(random, 127);
    return 1 + value % OG_FRACTION_MAX;
}

/* |value - rounded| is at most half the distance to either neighbour. */
static bool is_nearest(const mpq_t value, double rounded)
{
    OWN_MPQ here = MPQ_NEW, other = MPQ_NEW;
    bool nearest = true;
    for (int side = -1; side <= 1; side += 2) {
        mpq_set_d(here, rounded);
        mpq_set_d(other, nextafter(rounded, side * INFINITY));
        mpq_add(here, here, other);
        mpq_div_2exp(here, here, 1);
        nearest &= side < 0 ? mpq_cmp(here, value) <= 0 : mpq_cmp(here, value) >= 0;
    }
    return nearest;
}

OG_TEST(fractions_of_any_size_compare_and_round_exactly)
{
    uint64_t seed = test_seed(2);
    random_source random = random_start(seed);
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    for (int i = 0; i < test_cases(CASES); i++) {
        og_fraction a = og_fraction_make(random_size(&random), random_size(&random));
        og_fraction b = og_fraction_make(-random_size(&random), random_size(&random));
        og_fraction c = random_below(&random, 2) ? a : og_fraction_make(a.num, b.den);
        og_fraction_get_mpq(x, a);
        og_fraction_get_mpq(y, c);
        ck_assert_int_eq(og_fraction_compare(a, c), (mpq_cmp(x, y) > 0) - (mpq_cmp(x, y) < 0));
        ck_assert_msg(is_nearest(x, og_fraction_double(a)), "seed %" PRIu64, seed);
        og_fraction_get_mpq(y, b);
        ck_assert_msg(is_nearest(y, og_fraction_double(b)), "seed %" PRIu64, seed);
        ck_assert_int_eq(og_fraction_compare(b, a), -1);
        ck_assert_int_eq(og_fraction_compare(a, b), 1);
        mpq_canonicalize(x);
        og_fraction_get_mpq(y, a);
        ck_assert(mpq_equal(x, y));
    }
}

/* n/d beside the middle k/2^53 of two doubles, off by 1/(d 2^53): n 2^53 = k d +- 1. */
OG_TEST(double_is_the_nearest_beside_the_middle_of_two)
{
    random_source random = random_start(test_seed(3));
    const uint64_t unit = UINT64_C(1) << 53;
    OWN_MPQ exact = MPQ_NEW;
    for (int i = 0; i < test_cases(CASES); i++) {
        uint64_t k = unit | random_next(&random) % unit | 1, inverse = k;
        for (int bits = 3; bits < 64; bits *= 2) { /* Newton: k * inverse = 1 in twice the bits */
            inverse *= 2 - k * inverse;
        }
        int sign = random_below(&random, 2) ? 1 : -1;
        uint64_t den = (sign < 0 ? inverse : -inverse) % unit;
        __extension__ unsigned __int128 product = (unsigned __int128)k * den;
        uint64_t num = (uint64_t)((product + (unsigned)(sign > 0) - (unsigned)(sign < 0)) >> 53);
        og_fraction value = og_fraction_make((int64_t)num, (int64_t)den);
        og_fraction_get_mpq(exact, value);
        ck_assert_msg(is_nearest(exact, og_fraction_double(value)), "%" PRIu64 "/%" PRIu64, num,
                      den);
    }
}

OG_TEST(format_writes_decimals_where_there_are_some)
{
    static const struct {
        og_fraction value;
        const char *text;
    } rows[] = {
        {{0, 1}, "0"},
        {{5, 1}, "5"},
        {{-5, 1}, "-5"},
        {{1, 2}, "0.5"},
        {{-1, 8}, "-0.125"},
        {{1, 3}, "1/3"},
        {{-7, 30}, "-7/30"},
        {{5, 2}, "2.5"},
        {{1, 1000000}, "0.000001"},
        {{OG_FRACTION_MAX, 1}, "10000000000000000000000000000000"},
        {{1, OG_FRACTION_MAX}, "0.0000000000000000000000000000001"},
        {{1, E18}, "0.000000000000000001"},
        {{E18 + 1, E18 * 100}, "0.01000000000000000001"},
        {{E18 + 1, 3}, "1000000000000000001/3"},
        {{-1, E18 + 9}, "-1/1000000000000000009"},
        {{1, INT64_C(1) << 59}, "1/576460752303423488"},            /* 59 decimals */
        {{INT64_C(999999999999999999), 2}, "499999999999999999.5"}, /* 19 digits */
        {{INT64_C(999999999999999999), (og_wide)E18 << 20},         /* 38 digits */
         "999999999999999999/1048576000000000000000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64], tiny[3];
        int length = og_fraction_format(rows[i].value, text, sizeof text);
        ck_assert_str_eq(text, rows[i].text);
        ck_assert_int_eq(length, (int)strlen(text));
        ck_assert_int_eq(og_fraction_format(rows[i].value, tiny, sizeof tiny), length);
    }
}

OG_TEST(make_reduces_to_lowest_terms)
{
    og_fraction value = og_fraction_make(6, 4);
    ck_assert(value.num == 3 && value.den == 2);
    value = og_fraction_make(-6, 4);
    ck_assert(value.num == -3 && value.den == 2);
    value = og_fraction_make(0, 7);
    ck_assert(value.num == 0 && value.den == 1);
    ck_assert(og_fraction_is_integer(og_fraction_make(8, 4)));
    ck_assert(!og_fraction_is_integer(og_fraction_make(8, 3)));
}
