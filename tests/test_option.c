/* The typed reader of options: accepted and refused values of each kind, and the messages. */
#include "bench/option.h"

#include "dp/base/fraction.h"
#include "dp/base/ties.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"
#include "tests/support.h"

OG_SUITE(option, 60);

typedef struct {
    bool first; /* at offset 0: never `given` */
    bool flag, exact, given;
    int32_t number;
    int64_t large;
    double seconds;
    uint64_t bytes;
    og_fraction rate;
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    double *mean;
    int32_t mean_count;
    const char *text, *path, *file, *choice;
    og_policy_name *policies;
    int32_t policy_count;
    og_groups problem;
    int custom;
} values;

static og_status read_custom(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    if (text[0] == '\0') {
        return og_message_set(message, OG_FAILED, "--%s is empty", row->name);
    }
    *(int *)og_option_value(options, row) = text[0];
    return OG_OK;
}

static const og_option_row shared[] = {
    OG_OPTION(SWITCH, "flag", NULL, values, flag, .help = ""),
    OG_OPTION(EITHER, "arithmetic", "KIND", values, exact, .choices = "double exact",
              .fallback = "double"),
    OG_OPTION_LAST,
};

static const og_option_row rows[] = {
    OG_OPTION(INT32, "number", "N", values, number, .least = 2, .most = 9, .required = "no number",
              .given = offsetof(values, given)),
    OG_OPTION_TABLE(shared),
    OG_OPTION(INT64, "large", "N", values, large, .most = INT64_MAX, .what = "the large (-L)"),
    OG_OPTION(SECONDS, "seconds", "SECONDS", values, seconds, .fallback = "1.5"),
    OG_OPTION(SECONDS, "wait", "SECONDS", values, seconds, .example = "600"),
    OG_OPTION(BYTES, "memory", "SIZE", values, bytes, .fallback = "2K"),
    OG_OPTION(FRACTION, "rate", "R", values, rate, .help = ""),
    OG_OPTION(CHOICE, "objective", "WHAT", values, choice, .choices = "calls bandit regret",
              .was = "goal"),
    OG_OPTION(TEXT, "goal-of", "TEXT", values, text, .was = "text", .help = ""),
    OG_OPTION(CHOICES, "ties", "RULE", values, ties, .count = offsetof(values, ties_count),
              .choices = "random first best worst", .what = "tie rule", .fallback = "random"),
    OG_OPTION(NUMBERS, "mean", "M", values, mean, .count = offsetof(values, mean_count), .most = 3,
              .example = "one for each feature", .fallback = "0"),
    OG_OPTION(TEXT, "text", "TEXT", values, text, .help = ""),
    OG_OPTION(PATH, "path", "FILE", values, path, .help = ""),
    OG_OPTION(POLICY, "policy", "NAME", values, policies, .count = offsetof(values, policy_count)),
    OG_OPTION(POLICIES, "policies", "NAMES", values, policies,
              .count = offsetof(values, policy_count), .fallback = "kg,opt-kg"),
    OG_OPTION(GROUP, "prior", "A,B", values, problem,
              .count = offsetof(values, problem.group_count)),
    OG_OPTION(CUSTOM, "custom", "X", values, custom, .read = read_custom, .fallback = "z"),
    OG_OPTION_LAST,
};

static const og_option_row file_word = OG_OPTION(PATH, NULL, "FILE", values, file, .basic = true);
static const og_option_row group_word = OG_OPTION(GROUP, NULL, "INSTANCE...", values, problem,
                                                  .count = offsetof(values, problem.group_count));

enum { ROOM = 24 };

static const og_option_row *row_of(const char *name)
{
    const og_option_row *list[ROOM];
    int32_t count = 0;
    og_option_list(rows, list, ROOM, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(list[i]->name, name) == 0) {
            return list[i];
        }
    }
    ck_abort_msg("no option %s", name);
    return NULL;
}

static og_status read_one(values *into, const char *name, const char *text, og_message *message)
{
    return og_option_read(row_of(name), into, text, message);
}

static void clear(values *given)
{
    free(given->mean);
    free(given->policies);
    og_groups_clear(&given->problem);
}

OG_TEST(earlier_names_are_found_after_those_of_today)
{
    const og_option_row *list[ROOM];
    int32_t count = 0;
    og_option_list(rows, list, ROOM, &count);
    ck_assert_str_eq(list[og_option_find(list, count, "goal")]->name, "objective");
    ck_assert_str_eq(list[og_option_find(list, count, "objective")]->name, "objective");
    ck_assert_str_eq(list[og_option_find(list, count, "text")]->name, "text");
    ck_assert_int_eq(og_option_find(list, count, "goa"), -1);
}

OG_TEST(read_fills_every_kind)
{
    static const char *const words[][2] = {
        {"number", "9"},
        {"flag", NULL},
        {"arithmetic", "exact"},
        {"seconds", ".5"},
        {"memory", "3K"},
        {"rate", "0.25"},
        {"objective", "bandit"},
        {"ties", "worst,first"},
        {"mean", "1,-2.5"},
        {"text", ""},
        {"path", "a b"},
        {"policy", "kg"},
        {"policies", "uniform,opt-kg"},
        {"prior", "3x2,1"},
        {"custom", "q"},
        {"large", "9223372036854775807"},
    };
    values got = {.flag = false};
    og_message message = {""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert_msg(read_one(&got, words[i][0], words[i][1], &message) == OG_OK, "%s: %s",
                      words[i][0], message.text);
    }
    ck_assert(got.number == 9 && got.given && got.flag && got.exact && !got.first);
    ck_assert(got.seconds == 0.5 && got.bytes == 3072 && got.large == INT64_MAX);
    ck_assert(got.rate.num == 1 && got.rate.den == 4);
    ck_assert_str_eq(got.choice, "bandit");
    ck_assert(got.ties_count == 2 && got.ties[0] == OG_TIES_WORST && got.ties[1] == OG_TIES_FIRST);
    ck_assert(got.mean_count == 2 && got.mean[0] == 1 && got.mean[1] == -2.5);
    ck_assert_str_eq(got.text, "");
    ck_assert_str_eq(got.path, "a b");
    ck_assert_int_eq(got.policy_count, 3);
    ck_assert_str_eq(got.policies[2].name, "opt-kg");
    ck_assert(got.problem.group_count == 1 && og_groups_at(&got.problem, 0)->count == 3);
    ck_assert_int_eq(got.custom, 'q');
    clear(&got);
}

OG_TEST(read_of_a_list_again_replaces_numbers_and_choices)
{
    values got = {.flag = false};
    ck_assert_int_eq(read_one(&got, "ties", "best,worst", NULL), OG_OK);
    ck_assert_int_eq(read_one(&got, "ties", "first", NULL), OG_OK);
    ck_assert(got.ties_count == 1 && got.ties[0] == OG_TIES_FIRST);
    ck_assert_int_eq(read_one(&got, "mean", "1,2,3", NULL), OG_OK);
    ck_assert_int_eq(read_one(&got, "mean", "4", NULL), OG_OK);
    ck_assert(got.mean_count == 1 && got.mean[0] == 4);
    clear(&got);
}

OG_TEST(read_refuses_in_one_line_and_keeps_the_value)
{
    static const char *const cases[][3] = {
        {"number", "1", "--number must be a whole number from 2 to 9, not '1'"},
        {"number", "10", "--number must be a whole number from 2 to 9, not '10'"},
        {"number", "", "--number must be a whole number from 2 to 9, not ''"},
        {"number", "3x", "--number must be a whole number from 2 to 9, not '3x'"},
        {"number", "-3", "--number must be a whole number from 2 to 9, not '-3'"},
        {"large", "9223372036854775808",
         "the large (-L) must be a whole number from 0 to 9223372036854775807, not "
         "'9223372036854775808'"},
        {"arithmetic", "exac", "--arithmetic must be double or exact, not 'exac'"},
        {"arithmetic", "", "--arithmetic must be double or exact, not ''"},
        {"objective", "", "--objective must be calls, bandit or regret, not ''"},
        {"seconds", "0",
         "--seconds must be a number of seconds greater than 0, such as 90 or 0.5 (at most "
         "1000000000), not '0'"},
        {"wait", "1e3",
         "--wait must be a number of seconds greater than 0, such as 600 (at most 1000000000), not "
         "'1e3'"},
        {"memory", "2b",
         "--memory must be a number of bytes such as 16M or 2G (K, M, G, T; at most 1024T), not "
         "'2b'"},
        {"memory", "1025T",
         "--memory must be a number of bytes such as 16M or 2G (K, M, G, T; at most 1024T), not "
         "'1025T'"},
        {"rate", "0", "--rate must be a decimal number greater than 0, not '0'"},
        {"rate", "", "--rate must be a decimal number greater than 0, not ''"},
        {"ties", "frist",
         "unknown tie rule 'frist'; did you mean 'first'? (known: random, first, best, worst)"},
        {"ties", "best,best", "--ties names 'best' twice"},
        {"ties", "", "expected names with commas between them, not ''"},
        {"ties", "best,", "expected names with commas between them, not 'best,'"},
        {"mean", "1,,2",
         "--mean must be a decimal, or one for each feature with commas between, not ',2'"},
        {"mean", "inf",
         "--mean must be a decimal, or one for each feature with commas between, not 'inf'"},
        {"mean", "1,2,3,4", "--mean has more than 3 numbers"},
        {"path", "", "--path needs the name of a file"},
        {"policies", "kg,", "expected names with commas between them, not 'kg,'"},
        {"prior", "0,1", "--prior 0,1: "},
    };
    values got = {.number = 5, .large = 6, .seconds = 7, .bytes = 8, .path = "p", .choice = "c"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        og_message message = {""};
        ck_assert_msg(read_one(&got, cases[i][0], cases[i][1], &message) == OG_BAD_INPUT,
                      "--%s '%s' is taken", cases[i][0], cases[i][1]);
        size_t length = strcmp(cases[i][0], "prior") == 0 ? strlen(cases[i][2]) : sizeof message;
        ck_assert_msg(strncmp(message.text, cases[i][2], length) == 0, "--%s '%s': %s", cases[i][0],
                      cases[i][1], message.text);
        ck_assert_int_eq(read_one(&got, cases[i][0], cases[i][1], NULL), OG_BAD_INPUT);
    }
    ck_assert(got.number == 5 && got.large == 6 && got.seconds == 7 && got.bytes == 8);
    ck_assert(!got.given && !got.exact && got.rate.den == 0 && got.problem.group_count == 0);
    ck_assert_str_eq(got.path, "p");
    ck_assert_str_eq(got.choice, "c");
    clear(&got);
}

OG_TEST(a_message_is_one_line_of_utf8_whatever_it_repeats)
{
    og_message message = {""};
    og_message_set(&message, OG_BAD_INPUT, "[%s] [%.3s] %s", "a\n\xff\xc3", "ab\xc3\xa9",
                   "\xc3\xa9");
    ck_assert_str_eq(message.text, "[a???] [ab?] \xc3\xa9");
}

OG_TEST(words_that_are_no_options_are_named_by_their_argument)
{
    values got = {.flag = false};
    og_message message = {""};
    ck_assert_int_eq(og_option_read(&file_word, &got, "", &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "FILE needs the name of a file");
    ck_assert_int_eq(og_option_read(&group_word, &got, "1,1", &message), OG_OK);
    ck_assert_int_eq(og_option_read(&group_word, &got, "1", &message), OG_BAD_INPUT);
    ck_assert_msg(strncmp(message.text, "--", 2) != 0, "%s", message.text);
    clear(&got);
}

OG_TEST(a_reader_of_its_own_says_what_it_says)
{
    values got = {.custom = 1};
    og_message message = {""};
    ck_assert_int_eq(read_one(&got, "custom", "", &message), OG_FAILED);
    ck_assert_str_eq(message.text, "--custom is empty");
    ck_assert_int_eq(got.custom, 1);
}

OG_TEST(defaults_are_read_where_nothing_was_given)
{
    const og_option_row *list[ROOM];
    values got = {.flag = false};
    int32_t count = 0;
    og_message message = {""};
    og_option_list(rows, list, ROOM, &count);
    ck_assert_int_eq(count, (int)(sizeof rows / sizeof *rows));
    ck_assert_str_eq(list[1]->name, "flag"); /* one row of its table */
    ck_assert_int_eq(read_one(&got, "policy", "uniform", NULL), OG_OK);
    ck_assert_int_eq(og_option_default(list[0], &got, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "no number");
    for (int32_t i = 1; i < count; i++) {
        ck_assert_int_eq(og_option_default(list[i], &got, &message), OG_OK);
    }
    ck_assert(!got.given && !got.flag && !got.exact && got.seconds == 1.5 && got.bytes == 2048);
    ck_assert(got.ties_count == 1 && got.ties[0] == OG_TIES_RANDOM);
    ck_assert(got.mean_count == 1 && got.mean[0] == 0 && got.custom == 'z');
    ck_assert_int_eq(got.policy_count, 1); /* one was given, so the default is not added */
    clear(&got);
}
