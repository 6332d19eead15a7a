/* INSTANCE words: what they say, how they are refused, and problems made of them. */
#include "dp/prior/problem.h"

#include "dp/prior/respell.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(problem, 60);

enum { CASES = 20000 };

static bool same_fraction(og_fraction x, og_fraction y)
{
    return x.num == y.num && x.den == y.den;
}

static bool same_group(const og_group *x, const og_group *y)
{
    return same_fraction(x->a, y->a) && same_fraction(x->b, y->b) &&
           same_fraction(x->threshold, y->threshold) && x->count == y->count &&
           og_group_compare(x, y) == 0;
}

OG_TEST(parse_reads_mixtures_and_classes)
{
    static const char *const words[][2] = {
        {"0.25:5,1+0.5:1,1+0.25:1,5", NULL},
        {"3x1:1,1+2:2.5,1@0.3", NULL},
        {"1:1,1", NULL},
        {"1e+1:1,1e+2+.5:2,1@.5", "10:1,100+0.5:2,1"},
        {"1,1,1", NULL},
        {"7x0.5,2,3,4,5,6,7,8,9,10", NULL},
        {"1x1,1.0,2e0", "1,1,2"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        og_message message;
        char back[OG_GROUP_TEXT_BYTES], cut[8];
        ck_assert_msg(og_group_parse(words[i][0], &group, &message) == OG_OK, "%s", message.text);
        int length = og_group_format(&group, back, sizeof back);
        ck_assert_str_eq(back, words[i][1] != NULL ? words[i][1] : words[i][0]);
        ck_assert_int_eq(length, (int)strlen(back));
        ck_assert_int_eq(og_group_format(&group, NULL, 0), length);
        ck_assert_int_eq(og_group_format(&group, cut, sizeof cut), length);
        ck_assert(strlen(cut) == (length < 8 ? (size_t)length : 7));
        ck_assert_int_eq(og_group_check(&group, 1000, &message), OG_OK);
    }
    og_group group;
    ck_assert_int_eq(og_group_parse("2x0.25:5,1+1.5:1,2@0.3", &group, NULL), OG_OK);
    ck_assert(group.kind == OG_PRIOR_MIXTURE && group.part_count == 2 && group.count == 2);
    ck_assert(same_fraction(group.component[1].weight, (og_fraction){3, 2}));
    ck_assert(same_fraction(group.component[1].b, (og_fraction){2, 1}));
    ck_assert_double_eq(og_group_weight_sum(&group), 1.75);
    ck_assert_int_eq(og_group_parse("1,2,0.5", &group, NULL), OG_OK);
    ck_assert(group.kind == OG_PRIOR_DIRICHLET && group.part_count == 3);
    ck_assert(same_fraction(group.alpha[2], (og_fraction){1, 2}));
}

/* Priors that are the same have the same plain form, and others do not. */
OG_TEST(plain_is_one_form_for_one_prior)
{
    static const char *const words[][2] = {
        {"0.25:5,1+0.5:1,1+0.25:1,5", "1:1,1+0.5:5,1+0.5:1,5"},
        {"0.1:2,1+0.2:3,1@0.3", "1e5:3,1+5e4:2,1@0.3"},
        {"1:1,1+1:1,1", "1,1"},
        {"7:2.5,1", "2.5,1"},
        {"1:1,1+1:2,1+2:1,1", "3:1,1+1:2,1"},
        {"2:1,1+1:1,1+1:2,1+2:2,1", "1:1,1+1:2,1"},
    };
    enum { COUNT = sizeof words / sizeof *words };
    og_group plain[COUNT][2];
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < 2; k++) {
            og_group group;
            ck_assert_int_eq(og_group_parse(words[i][k], &group, NULL), OG_OK);
            ck_assert(og_group_plain(&group, &plain[i][k]));
        }
        ck_assert_msg(og_group_compare(&plain[i][0], &plain[i][1]) == 0, "%s", words[i][0]);
        for (size_t j = 0; j < i; j++) {
            int order = og_group_compare(&plain[i][0], &plain[j][0]);
            ck_assert(order != 0 && order == -og_group_compare(&plain[j][0], &plain[i][0]));
        }
    }
}

OG_TEST(parse_reads_a_word)
{
    static const struct {
        const char *word;
        og_group group;
        const char *back;
    } rows[] = {
        {"1,1", {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, "1,1"},
        {"10x1,1", {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 10}, "10x1,1"},
        {"1x2,1", {.a = {2, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, "2,1"},
        {"007x2,1", {.a = {2, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 7}, "7x2,1"},
        {"2,1@0.3", {.a = {2, 1}, .b = {1, 1}, .threshold = {3, 10}, .count = 1}, "2,1@0.3"},
        {"2,1@.5", {.a = {2, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, "2,1"},
        {"2,1@5e-1", {.a = {2, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, "2,1"},
        {"3x0.5,2.25@0.001",
         {.a = {1, 2}, .b = {9, 4}, .threshold = {1, 1000}, .count = 3},
         "3x0.5,2.25@0.001"},
        {"1e+3,1E-6",
         {.a = {1000, 1}, .b = {1, 1000000}, .threshold = {1, 2}, .count = 1},
         "1000,0.000001"},
        {"1e6,1000000",
         {.a = {1000000, 1}, .b = {1000000, 1}, .threshold = {1, 2}, .count = 1},
         "1000000,1000000"},
        {"1000000000x1,1",
         {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = OG_COUNT_MAX},
         "1000000000x1,1"},
        {"1,1@0.999999999999999999",
         {.a = {1, 1},
          .b = {1, 1},
          .threshold = {INT64_C(999999999999999999), INT64_C(1000000000000000000)},
          .count = 1},
         "1,1@0.999999999999999999"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_group got;
        og_message message;
        char back[OG_GROUP_TEXT_BYTES];
        ck_assert_msg(og_group_parse(rows[i].word, &got, &message) == OG_OK, "%s: %s", rows[i].word,
                      message.text);
        ck_assert_msg(same_group(&got, &rows[i].group), "%s", rows[i].word);
        int length = og_group_format(&got, back, sizeof back);
        ck_assert_str_eq(back, rows[i].back);
        ck_assert_int_eq(length, (int)strlen(back));
    }
}

/* The error of a word, as in the message. */
static const struct {
    const char *word;
    const char *says;
} bad_words[] = {
    {"", "empty"},
    {"1", "needs two parameters"},
    {"10x1", "needs two parameters"},
    {"5x", "needs two parameters"},
    {"@0.5", "needs two parameters"},
    {" ", "needs two parameters"},
    {",", "the parameter A is missing"},
    {",1", "the parameter A is missing"},
    {"1,", "the parameter B is missing"},
    {"1,@0.3", "the parameter B is missing"},
    {"1,1@", "the threshold is missing"},
    {"0,1", "the parameter A must be greater than 0"},
    {"1,0", "the parameter B must be greater than 0"},
    {"1,0.000", "the parameter B must be greater than 0"},
    {"-1,1", "the parameter A is '-1' but must be greater than 0"},
    {"1,-0.5", "the parameter B is '-0.5' but must be greater than 0"},
    {"-0,1", "the parameter A is '-0' but must be greater than 0"},
    {"1e-7,1", "the parameter A must lie between 1e-06 and 1e+06"},
    {"1,1000000.1", "the parameter B must lie between 1e-06 and 1e+06"},
    {"1e18,1", "the parameter A must lie between 1e-06 and 1e+06"},
    {"nan,1", "the parameter A is 'nan', not a decimal number"},
    {"1,inf", "the parameter B is 'inf', not a decimal number"},
    {"1,-inf", "the parameter B is '-inf', not a decimal number"},
    {"1,infinity", "the parameter B is 'infinity', not a decimal number"},
    {"1,1x", "the parameter B is '1x', not a decimal number"},
    {"1,1@0.5x", "the threshold is '0.5x', not a decimal number"},
    {"1,0x1", "the parameter B is '0x1', not a decimal number"},
    {"1,1@0x1p-1", "the threshold is '0x1p-1', not a decimal number"},
    {"1,1 ", "the parameter B is '1 ', not a decimal number"},
    {" 1,1", "the parameter A is ' 1', not a decimal number"},
    {"1, 1", "the parameter B is ' 1', not a decimal number"},
    {"1,1\n", "the parameter B is '1?', not a decimal number"},
    {"+1,1", "the parameter A is '+1', not a decimal number"},
    {"1,+1", "the parameter B is '+1', not a decimal number"},
    {"a,b", "the parameter A is 'a', not a decimal number"},
    {"1..5,1", "the parameter A is '1..5', not a decimal number"},
    {".,1", "the parameter A is '.', not a decimal number"},
    {"1e,1", "the parameter A is '1e', not a decimal number"},
    {"1e-,1", "the parameter A is '1e-', not a decimal number"},
    {"1e400,1", "the parameter A is '1e400', not a decimal number of at most 18 digits"},
    {"1,1e-400", "the parameter B is '1e-400', not a decimal number of at most 18 digits"},
    {"1.0000000000000000001,1", "not a decimal number of at most 18 digits"},
    {"1,1@0", "the threshold must lie strictly between 0 and 1"},
    {"1,1@1", "the threshold must lie strictly between 0 and 1"},
    {"1,1@1.0", "the threshold must lie strictly between 0 and 1"},
    {"1,1@2", "the threshold must lie strictly between 0 and 1"},
    {"1,1@-0.5", "the threshold is '-0.5' but must be greater than 0"},
    {"1,1@nan", "the threshold is 'nan', not a decimal number"},
    {"1,1@50%", "the threshold is '50%', not a decimal number"},
    {"1,1@0.5@0.3", "the threshold is '0.5@0.3', not a decimal number"},
    {"1@0.5,1", "the threshold is '0.5,1', not a decimal number"},
    {"0x1,1", "the count must be at least 1"},
    {"00x1,1", "the count must be at least 1"},
    {"x1,1", "the count '' before 'x' is not a whole number"},
    {"-1x1,1", "the count '-1' before 'x' is not a whole number"},
    {"+1x1,1", "the count '+1' before 'x' is not a whole number"},
    {"1.5x1,1", "the count '1.5' before 'x' is not a whole number"},
    {"1e3x1,1", "the count '1e3' before 'x' is not a whole number"},
    {" 2x1,1", "the count ' 2' before 'x' is not a whole number"},
    {"nanx1,1", "the count 'nan' before 'x' is not a whole number"},
    {"2x2x1,1", "the parameter A is '2x1', not a decimal number"},
    {"10X1,1", "the parameter A is '10X1', not a decimal number"},
    {"1000000001x1,1", "the count must be at most 1000000000"},
    {"99999999999999999999999999999x1,1", "the count must be at most 1000000000"},
    {"18446744073709551617x1,1", "the count must be at most 1000000000"}, /* 2^64 + 1 */
    {"1,1,", "a parameter is missing"},
    {"1,,1", "a parameter is missing"},
    {"1,0,1", "every parameter must be greater than 0"},
    {"1,1,-1", "a parameter is '-1' but must be greater than 0"},
    {"1,1,1e7", "every parameter must lie between 1e-06 and 1e+06"},
    {"1,1,1x", "a parameter is '1x', not a decimal number"},
    {"1,1,1@0.5", "a threshold needs two classes; of 3 the one with the largest share"},
    {"1,2,3,4,5,6,7,8,9,10,11", "at most 10 classes"},
    {"1,1+2,1", "the component '1,1' of a mixture has no weight"},
    {"1:1,1+2,1", "the component '2,1' of a mixture has no weight"},
    {"1:1,1+", "the component '' of a mixture has no weight"},
    {"+1:1,1", "the component '' of a mixture has no weight"},
    {":1,1", "a weight is missing"},
    {"1:,1", "the parameter A is missing"},
    {"1:1,", "the parameter B is missing"},
    {"1:1", "needs two parameters"},
    {"1:1,1,1", "the component '1,1,1' of a mixture must have two parameters"},
    {"0:1,1", "a weight must be greater than 0"},
    {"-1:1,1+1:2,1", "a weight is '-1' but must be greater than 0"},
    {"1e7:1,1", "a weight must lie between 1e-06 and 1e+06"},
    {"1:1,1+1:2,0", "the parameter B must be greater than 0"},
    {"1:1,1+1:1e9,1", "the parameter A must lie between 1e-06 and 1e+06"},
    {"1:1,1@0.2+1:2,2@0.2", "the threshold is '0.2+1:2,2@0.2', not a decimal number"},
    {"extra", "expected [COUNTx]A,B[@D], such as 10x1,1"},
    {"10 x 1,1", "; did you mean '10x1,1'?"},
    {"10X1,1", "; did you mean '10x1,1'?"},
    {"10*1,1", "; did you mean '10x1,1'?"},
    {"10\xc3\x97"
     "1,1",
     "instance '10\xc3\x97"
     "1,1': "},
    {"10\xc3\x97"
     "1,1",
     "; did you mean '10x1,1'?"},
    {"1;1", "; did you mean '1,1'?"},
    {"1:1", "; did you mean '1,1'?"},
    {"3x0,5,0,5", "; did you mean '3x0.5,0.5'?"},
    {"1,5,1@0.3", "; did you mean '1.5,1@0.3'?"},
    {"1:1,1+1:2,1@1", "the threshold must lie strictly between 0 and 1"},
    {"1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1+1:1,1", "at most 10 components"},
};

/* UTF-8 that the word holds counts as printable. */
static bool is_one_printable_line(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 127) {
            return false;
        }
    }
    return true;
}

OG_TEST(parse_names_what_is_wrong_and_keeps_the_output)
{
    for (size_t i = 0; i < sizeof bad_words / sizeof *bad_words; i++) {
        const og_group before = {.a = {9, 1}, .b = {9, 1}, .threshold = {1, 9}, .count = 9};
        og_group got = before;
        og_message message = {"none"};
        ck_assert_msg(og_group_parse(bad_words[i].word, &got, &message) == OG_BAD_INPUT,
                      "'%s' was accepted", bad_words[i].word);
        ck_assert_msg(strstr(message.text, bad_words[i].says) != NULL, "'%s': %s",
                      bad_words[i].word, message.text);
        if (bad_words[i].word[0] != '\0' && is_one_printable_line(bad_words[i].word)) {
            ck_assert_msg(strstr(message.text, bad_words[i].word) != NULL, "'%s' is not named: %s",
                          bad_words[i].word, message.text);
        }
        ck_assert_msg(is_one_printable_line(message.text), "%s", message.text);
        ck_assert(same_group(&got, &before));
        ck_assert_int_eq(og_group_parse(bad_words[i].word, &got, NULL), OG_BAD_INPUT);
    }
}

OG_TEST(with_points_is_for_likely_decimals_only)
{
    static const char *const words[][2] = {
        {"10x1.5,2,5", "10x1.5,2.5"},
        {"1,5,1", "1.5,1"},
        {"1,1,5", "1,1.5"},
        {"1,5,2,5", "1.5,2.5"},
        {"2,25,3", "2.25,3"},
        {"1,05,3", "1.05,3"},
        {"1,1,1", NULL},
        {"2,1,1", NULL},
        {"0.5,0.5,0.5", NULL},
        {"1,1", NULL},
        {"1.5,2.5", NULL},
        {"1,2,3,5,5", NULL},
        {"1", NULL},
        {"", NULL},
        {"1,,5", NULL},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char out[OG_RESPELT_BYTES];
        bool likely = og_group_with_points(words[i][0], og_group_is_word, out);
        ck_assert_msg(likely == (words[i][1] != NULL), "%s", words[i][0]);
        if (likely) {
            ck_assert_str_eq(out, words[i][1]);
        }
    }
}

OG_TEST(parse_refuses_very_long_words_with_a_short_message)
{
    static const char *const around[][2] = {{"", ",1"},   {"1,", ""}, {"1,1@0.", ""},
                                            {"", "x1,1"}, {"", ""},   {"-", ",1"}};
    enum { LENGTH = 100000 };
    char *digits = malloc(LENGTH + 1), *word = malloc(LENGTH + 16);
    ck_assert(digits != NULL && word != NULL);
    memset(digits, '7', LENGTH);
    digits[LENGTH] = '\0';
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        og_group got;
        og_message message;
        snprintf(word, LENGTH + 16, "%s%s%s", around[i][0], digits, around[i][1]);
        ck_assert_int_eq(og_group_parse(word, &got, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "777...'") != NULL && strlen(message.text) < 300, "%s",
                      message.text);
    }
    /* As many zeros are no digits that count. */
    memset(digits, '0', LENGTH);
    og_group got;
    snprintf(word, LENGTH + 16, "%s1,1", digits);
    ck_assert_int_eq(og_group_parse(word, &got, NULL), OG_OK);
    ck_assert(same_fraction(got.a, (og_fraction){1, 1}));
    free(digits);
    free(word);
}

/* A number of up to 12 digits in the range of parameters, as a fraction of a power of ten. */
static og_fraction random_parameter(random_source *random)
{
    static const int64_t powers[] = {1, 10, 100, 10000, 1000000};
    int64_t den = powers[random_below(random, 5)];
    int64_t most = random_below(random, 2) ? 3 * den : 1000000 * den;
    return og_fraction_make(1 + (int64_t)(random_next(random) % (uint64_t)most), den);
}

static og_fraction random_threshold(random_source *random)
{
    static const int64_t powers[] = {2, 10, 1000, INT64_C(1000000000000),
                                     INT64_C(1000000000000000000)};
    int64_t den = powers[random_below(random, 5)];
    return og_fraction_make(1 + (int64_t)(random_next(random) % (uint64_t)(den - 1)), den);
}

OG_TEST(format_is_read_back_as_the_same_group)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(CASES); i++) {
        og_group group = {.a = random_parameter(&random),
                          .b = random_parameter(&random),
                          .threshold = random_threshold(&random),
                          .count =
                              1 + random_below(&random, random_below(&random, 2) ? 3 : 1000000000)};
        og_group again;
        char text[OG_GROUP_TEXT_BYTES];
        og_message message;
        og_group_format(&group, text, sizeof text);
        ck_assert_msg(og_group_parse(text, &again, &message) == OG_OK, "seed %" PRIu64 ": %s", seed,
                      message.text);
        ck_assert_msg(same_group(&group, &again), "seed %" PRIu64 ": %s", seed, text);
        ck_assert_int_eq(og_group_check(&again, 0, &message), OG_OK);
    }
}

/* Words of the characters that matter: whatever is accepted is in range and reads back. */
OG_TEST(parse_accepts_only_what_is_in_range)
{
    static const char alphabet[] = "0123456789..,,@xe-+: n1:1,";
    uint64_t seed = test_seed(2);
    random_source random = random_start(seed);
    int accepted = 0;
    for (int i = 0; i < test_cases(10 * CASES); i++) {
        char word[16], text[OG_GROUP_TEXT_BYTES];
        size_t length = 3 + random_below(&random, 8);
        for (size_t k = 0; k < length; k++) {
            word[k] = alphabet[random_below(&random, sizeof alphabet - 1)];
        }
        word[length] = '\0';
        og_group group, again;
        og_message message;
        if (og_group_parse(word, &group, &message) != OG_OK) {
            ck_assert_msg(is_one_printable_line(message.text), "%s", message.text);
            continue;
        }
        accepted++;
        ck_assert_msg(og_group_check(&group, 0, &message) == OG_OK, "'%s': %s", word, message.text);
        og_group_format(&group, text, sizeof text);
        ck_assert_msg(og_group_parse(text, &again, NULL) == OG_OK && same_group(&group, &again),
                      "seed %" PRIu64 ": '%s' became '%s'", seed, word, text);
    }
    ck_assert_int_gt(accepted, 100);
}

OG_TEST(check_refuses_numbers_that_no_word_spells)
{
    static const struct {
        og_group group;
        int32_t labels;
        const char *says;
    } rows[] = {
        {{.a = {2, 2}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, 0, "lowest terms"},
        {{.a = {1, 0}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, 0, "lowest terms"},
        {{.a = {1, -1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1}, 0, "lowest terms"},
        {{.a = {-OG_FRACTION_MAX - 1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1},
         0,
         "lowest terms"},
        {{.a = {1, 1}, .b = {1, OG_FRACTION_MAX + 1}, .threshold = {1, 2}, .count = 1},
         0,
         "lowest terms"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {2, 4}, .count = 1}, 0, "lowest terms"},
        {{.a = {0, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1},
         0,
         "the parameter A must be greater than 0"},
        {{.a = {1, 1}, .b = {-1, 3}, .threshold = {1, 2}, .count = 1},
         0,
         "the parameter B must be greater than 0"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {0, 1}, .count = 1}, 0, "the threshold"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {1, 1}, .count = 1}, 0, "the threshold"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {-1, 2}, .count = 1}, 0, "the threshold"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 0},
         0,
         "the count must lie between 1 and 1000000000"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = -5},
         0,
         "the count must lie between 1 and 1000000000"},
        {{.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = OG_COUNT_MAX + 1},
         0,
         "the count must lie between"},
        {{.a = {1, OG_FRACTION_MAX / 1000000 + 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1},
         0,
         "must lie between 1e-06"},
        {{.a = {OG_FRACTION_MAX - 1, OG_FRACTION_MAX / 1000000},
          .b = {1, 1},
          .threshold = {1, 2},
          .count = 1},
         0,
         NULL},
        {{.a = {OG_FRACTION_MAX - 1, OG_FRACTION_MAX / 1000000},
          .b = {1, 1},
          .threshold = {1, 2},
          .count = 1},
         1,
         "too many digits"},
        {{.a = {1, 1},
          .b = {OG_FRACTION_MAX - 1, OG_FRACTION_MAX / 1000000},
          .threshold = {1, 2},
          .count = 1},
         1,
         "too many digits"},
        {{.a = {1, 3}, .b = {1, 7}, .threshold = {2, 3}, .count = 1}, OG_BUDGET_MAX, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_message message = {""};
        og_status status = og_group_check(&rows[i].group, rows[i].labels, &message);
        ck_assert_msg(status == (rows[i].says == NULL ? OG_OK : OG_BAD_INPUT), "row %zu: %s", i,
                      message.text);
        if (rows[i].says != NULL) {
            ck_assert_msg(strstr(message.text, rows[i].says) != NULL, "row %zu: %s", i,
                          message.text);
        }
    }
}

/* From 1e-6 to 1e6, all 53 bits. */
static double random_double(random_source *random)
{
    return exp2(-19.9 + 39.8 * (double)(random_next(random) >> 11) * 0x1p-53);
}

/* In every kind of prior a double is a parameter, with as many labels as there can be. */
OG_TEST(doubles_are_parameters_thresholds_and_weights)
{
    static const char *const words[] = {"%.17g,%.17g@%.17g", "%.17g,%.17g,%.17g",
                                        "%.17g:%.17g,%.17g+%.17g:2,1"};
    uint64_t seed = test_seed(5);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(CASES / 10); i++) {
        char word[200], text[OG_GROUP_TEXT_BYTES];
        og_group group, again;
        og_message message = {""};
        double x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = random_double(&random);
        }
        x[2] = i % 3 == 0 ? (double)(1 + (random_next(&random) >> 12)) * 0x1p-53 : x[2];
        snprintf(word, sizeof word, words[i % 3], x[0], x[1], x[2], x[3]);
        ck_assert_msg(og_group_parse(word, &group, &message) == OG_OK &&
                          og_group_check(&group, OG_BUDGET_MAX, &message) == OG_OK,
                      "seed %" PRIu64 ": %s: %s", seed, word, message.text);
        og_group_format(&group, text, sizeof text);
        ck_assert_msg(og_group_parse(text, &again, &message) == OG_OK &&
                          og_group_compare(&group, &again) == 0 &&
                          og_group_hash(&group) == og_group_hash(&again),
                      "seed %" PRIu64 ": %s became %s", seed, word, text);
        og_fraction fractions[] = {i % 3 == 0   ? group.b
                                   : i % 3 == 1 ? group.alpha[1]
                                                : group.component[0].a};
        ck_assert_msg(og_fraction_double(fractions[0]) == x[1], "seed %" PRIu64 ": %s", seed, word);
    }
}

OG_TEST(cut_keeps_the_number_of_instances)
{
    OWN(og_groups) problem;
    og_message message = {""};
    og_group group = {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = OG_COUNT_MAX - 5};
    og_groups_init(&problem, 1);
    ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    group.count = 5;
    ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_groups_size(&problem), OG_COUNT_MAX);
    og_groups_cut(&problem, 1);
    ck_assert_int_eq(problem.group_count, 1);
    ck_assert_int_eq(og_groups_size(&problem), OG_COUNT_MAX - 5);
    ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
}

enum { LISTED = 60 };

/* The first place with this text. */
static int first_place(char text[][OG_GROUP_TEXT_BYTES], int place)
{
    int first = 0;
    while (strcmp(text[first], text[place]) != 0) {
        first++;
    }
    return first;
}

/* Groups that are written alike are one kind, also after some were cut. */
OG_TEST(equal_groups_are_stored_once_and_listed_in_the_order_given)
{
    static const char *const words[] = {
        "1,1",         "2x1,1",       "1,1@0.3",     "1,1=1,0,0,1", "1,1=2,-1,0,1", "1,1=brier",
        "1:1,1+1:2,1", "2:1,1+2:2,1", "1:2,1+1:1,1", "1,1,1",       "1,2",          "2x1,1,1",
    };
    const int count = sizeof words / sizeof *words;
    static char text[LISTED][OG_GROUP_TEXT_BYTES];
    for (int n = 0; n < test_cases(500); n++) {
        random_source source = random_start(test_seed(9200) + (uint64_t)n);
        OWN(og_groups) problem;
        og_groups_init(&problem, 3);
        for (int i = 0; i < LISTED; i++) {
            og_group group;
            if (random_below(&source, 20) == 0) {
                i -= i > 3 ? 3 : 0;
                og_groups_cut(&problem, i);
            }
            const char *word = words[random_below(&source, (uint32_t)count)];
            ck_assert_int_eq(og_group_parse_paid(word, &group, NULL), OG_OK);
            og_group_format(&group, text[i], sizeof text[i]);
            ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
        }
        ck_assert_int_eq(problem.group_count, LISTED);
        ck_assert_int_le(problem.kind_count, count);
        int64_t size = 0;
        for (int i = 0; i < LISTED; i++) {
            char found[OG_GROUP_TEXT_BYTES];
            const og_group *group = og_groups_at(&problem, i);
            og_group_format(group, found, sizeof found);
            test_assert_msg(strcmp(found, text[i]) == 0 &&
                                group == og_groups_at(&problem, first_place(text, i)),
                            "case %d: %s at %d became %s", n, text[i], i, found);
            size += group->count;
        }
        ck_assert_int_eq(og_groups_size(&problem), size);
    }
}

OG_TEST(add_keeps_order_and_counts_instances)
{
    og_groups problem;
    og_groups_init(&problem, 7);
    ck_assert(problem.budget == 7 && problem.group_count == 0 && problem.kind == NULL);
    ck_assert_int_eq(og_groups_size(&problem), 0);
    int64_t size = 0;
    for (int32_t i = 0; i < 100; i++) {
        og_group group = {.a = {i + 1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = i % 5 + 1};
        ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
        size += group.count;
    }
    ck_assert_int_eq(problem.group_count, 100);
    ck_assert_int_eq(og_groups_size(&problem), size);
    for (int32_t i = 0; i < 100; i++) {
        ck_assert_int_eq(og_groups_at(&problem, i)->a.num, i + 1);
    }
    og_groups_clear(&problem);
    ck_assert(problem.group_count == 0 && problem.kind == NULL);
    og_groups_clear(&problem);
}

OG_TEST(add_refuses_more_instances_than_the_limit_and_keeps_the_problem)
{
    OWN(og_groups) problem;
    og_message message;
    og_group group = {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = OG_COUNT_MAX};
    og_groups_init(&problem, 1);
    ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    group.count = 1;
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "1000000000 instances in all") != NULL, "%s", message.text);
    group.threshold = (og_fraction){1, 1};
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
    ck_assert_int_eq(problem.group_count, 1);
    ck_assert_int_eq(og_groups_size(&problem), OG_COUNT_MAX);
}

/* Of structs that no word describes; a caller may fill one. */
OG_TEST(check_refuses_groups_that_no_word_describes)
{
    static const struct {
        int kind;
        int32_t part_count;
        const char *words;
    } rows[] = {{-1, 0, "unsupported kind"},
                {OG_PRIOR_NODES + 1, 0, "unsupported kind"},
                {OG_PRIOR_MIXTURE, -1, "unsupported kind"},
                {OG_PRIOR_COINS, 1, "unsupported kind"},
                {OG_PRIOR_DIRICHLET, OG_PARTS_MAX + 1, "unsupported kind"},
                {OG_PRIOR_MIXTURE, 0, "too few components"},
                {OG_PRIOR_DIRICHLET, OG_CLASSES_MIN - 1, "too few classes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_group group = {.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1};
        og_message message = {""};
        for (int k = 0; k < OG_CLASSES_MIN; k++) {
            group.alpha[k] = (og_fraction){1, 1};
        }
        group.kind = (og_prior_kind)rows[i].kind;
        group.part_count = rows[i].part_count;
        ck_assert_int_eq(og_group_check(&group, 1, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[i].words) != NULL, "%s", message.text);
    }
}
