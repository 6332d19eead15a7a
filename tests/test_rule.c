/*
 * Rules of one label (heuristics/rule.h): against their definition, and a rule that is added here,
 * which every family with prospects then supports, in every question.
 */
#include <math.h>
#include <string.h>

#include "heuristics/user_policy.h"
#include "tests/conformance.h"
#include "tests/literal.h"
#include "tests/public_support.h"
#include "tests/question.h"

OG_SUITE(rule, 60);

enum { OUTCOMES = 6, BYTES = 400 };

static const struct {
    const char *name;
    const og_rule *rule;
} rules[] = {{"kg", &og_rule_mean},         {"opt-kg", &og_rule_best},
             {"pess-kg", &og_rule_worst},   {"cvar-kg", &og_rule_best_part},
             {"entropy", &og_rule_entropy}, {"least-confidence", &og_rule_unsure}};
enum { RULES = sizeof rules / sizeof *rules };

/* ---- the definition ---- */

typedef struct {
    int32_t count;
    int whole[OUTCOMES], gains[OUTCOMES], sum; /* weights, and gains in sevenths */
    double probability[OUTCOMES], gain[OUTCOMES];
} random_label;

/* With ties. */
static random_label draw_label(random_source *random)
{
    random_label out = {.count = 1 + (int32_t)random_below(random, OUTCOMES)};
    for (int32_t k = 0; k < out.count; k++) {
        out.whole[k] = 1 + (int)random_below(random, 5);
        out.gains[k] = (int)random_below(random, 9) - 4;
        out.sum += out.whole[k];
    }
    for (int32_t k = 0; k < out.count; k++) {
        out.probability[k] = (double)out.whole[k] / out.sum;
        out.gain[k] = out.gains[k] / 7.0;
    }
    return out;
}

static void check_rule(const random_label *label, int which, og_fraction parameter, bool mean)
{
    char name[BYTES];
    long double chance[OUTCOMES], gain[OUTCOMES], sum = 0;
    snprintf(name, sizeof name, which == 3 ? "%s:%.17g" : "%s", rules[which].name,
             og_fraction_double(parameter));
    for (int32_t k = 0; k < label->count; k++) {
        chance[k] = (long double)label->whole[k] / label->sum;
        gain[k] = label->gains[k] / 7.0L;
        sum += chance[k] * gain[k];
    }
    const og_prospect at = {.count = label->count,
                            .probability = label->probability,
                            .gain = label->gain,
                            .mean = mean ? (double)sum : NAN,
                            .mean_radius = 0x1p-53,
                            .probability_error = 0x1p-53,
                            .gain_error = 0x1p-53};
    long double expected = literal_rule(name, label->count, chance, gain);
    const og_rule_use use = {rules[which].rule, parameter, og_fraction_double(parameter), false};
    double radius, found = rules[which].rule->index(&at, &use, &radius);
    ck_assert_double_eq(found, rules[which].rule->index(&at, &use, NULL));
    test_assert_msg(fabsl(found - expected) <= radius + 1e-18L && radius < 1e-13,
                    "%s: %.17g with radius %g, not %.17Lg", name, found, radius, expected);
    mpq_t exact[2 * OUTCOMES], out;
    mpq_init(out);
    for (int32_t k = 0; k < label->count; k++) {
        mpq_inits(exact[k], exact[OUTCOMES + k], NULL);
        mpq_set_si(exact[k], label->whole[k], (unsigned long)label->sum);
        mpq_set_si(exact[OUTCOMES + k], label->gains[k], 7);
        mpq_canonicalize(exact[k]);
        mpq_canonicalize(exact[OUTCOMES + k]);
    }
    rules[which].rule->exact(label->count, exact, exact + OUTCOMES, parameter, out);
    test_assert_msg(fabsl(mpq_get_d(out) - expected) < 1e-15L, "%s in fractions: %.17g, not %.17Lg",
                    name, mpq_get_d(out), expected);
    for (int32_t k = 0; k < label->count; k++) {
        mpq_clears(exact[k], exact[OUTCOMES + k], NULL);
    }
    mpq_clear(out);
}

OG_TEST(rules_agree_with_their_definition)
{
    random_source random = random_start(test_seed(1));
    for (int round = 0; round < test_cases(2000); round++) {
        const random_label label = draw_label(&random);
        const og_fraction parameter = {(int64_t)random_below(&random, 9), 8};
        for (int which = 0; which < RULES; which++) {
            check_rule(&label, which, parameter, round % 2 == 0);
        }
    }
}

/* ---- a rule of one's own ---- */

/* The largest gain, as of opt-kg, in other words. */
static double my_index(const og_prospect *at, const og_rule_use *use, double *radius)
{
    double largest = at->gain[0];
    (void)use;
    for (int32_t k = 1; k < at->count; k++) {
        largest = fmax(largest, at->gain[k]);
    }
    if (radius != NULL) {
        *radius = at->gain_error * fabs(largest) + at->gain_absolute;
    }
    return largest;
}

static const og_rule mine = {.index = my_index};

static const char *const questions[] = {"compare", "query", "simulate"};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static og_status ask_one(og_problem *problem, const og_policy *own, const char *named, int asked,
                         og_document **out)
{
    memset(&said, 0, sizeof said);
    return attempt(questions[asked], problem, own != NULL ? POLICIES(own) : NULL, out, "threads=1",
                   asked != 1 ? "runs=3" : "threads=1", named, NULL);
}

/* What is told of a policy: values and picks. */
static void check_same(const og_document *known, const og_document *own, const char *words)
{
    double x = og_document_number(known), y = og_document_number(own);
    ck_assert_int_eq(og_document_count(known), og_document_count(own));
    test_assert_msg(isnan(x) ? isnan(y) : fabs(x - y) < 1e-9, "%s: %s %.17g and %.17g", words,
                    og_document_name(known), x, y);
    for (int32_t i = 0; i < og_document_count(known); i++) {
        const og_document *part = og_document_child(known, i);
        const char *name = og_document_name(part); /* without fractions, ties are by tolerance */
        if (strstr(name, "seconds") == NULL && strcmp(name, "tolerance_ties") != 0) {
            check_same(part, og_document_child(own, i), words);
        }
    }
}

/* The rule and the library's policy: the same answer, or both are refused. */
static void check_own(og_problem *problem, const char *like, int asked, const char *words)
{
    char named[BYTES];
    og_document *first = NULL, *second = NULL;
    const og_user_policy function = {.rule = &mine};
    const og_policy own = {.name = og_policy_name_of("mine", &function), .function = function};
    snprintf(named, sizeof named, "policy=%s", like);
    og_status status = ask_one(problem, NULL, named, asked, &first);
    og_status again = ask_one(problem, &own, NULL, asked, &second);
    test_assert_msg(status == again, "%s, asked %d: status %d, and of a rule %d: %s", words, asked,
                    status, again, said.text);
    bool without = strcmp(problem->family->name, "labelers") == 0; /* it has no prospects */
    test_assert_msg(asked > 0 || (status == OG_OK) != without, "%s: status %d: %s", words, status,
                    said.text);
    if (status == OG_OK) {
        check_same(og_document_child(og_document_find(first, "policies"), 0),
                   og_document_child(og_document_find(second, "policies"), 0), words);
    }
    og_document_free(first);
    og_document_free(second);
}

OG_TEST_LOOP(an_added_rule_is_in_every_family, 0, 11)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    const og_case *by = og_cases[_i];
    random_source random = random_start(test_seed(2));
    const char *like = strcmp(by->family, "ranking") == 0 ? "opt-kg-exact" : "opt-kg";
    for (int round = 0; round < test_cases(6); round++) {
        char text[BYTES] = "", words[BYTES];
        og_problem *given = NULL;
        og_problem_text opened;
        void *problem = NULL;
        og_message message = {""};
        by->draw(&random, text, sizeof text);
        strcpy(words, text);
        question_ok(question_open(by->family, text, &settings, &given, &opened, &problem, &message),
                    &message, words);
        og_family_close(given->family, problem);
        for (int asked = 0; asked < QUESTIONS; asked++) {
            check_own(given, like, asked, words);
        }
        og_problem_free(given);
    }
}
