/* optgap.h from a user's view: problems and questions, refused input and messages. */
#include <unistd.h>

#include "tests/public_support.h"
#include "tests/random_problem.h"

OG_SUITE(public, 60);

/* ---- what there is ---- */

OG_TEST(test_families)
{
    int32_t count = 0;
    for (; og_family_name(count) != NULL; count++) {
        og_document *document = NULL;
        ck_assert_int_eq(og_family_describe(og_family_name(count), &document, &said), OG_OK);
        ck_assert_str_eq(og_document_text(og_document_find(document, "name")),
                         og_family_name(count));
        const og_document *options = og_document_find(document, "options");
        ck_assert_int_ge(og_document_count(options), 1);
        const og_document *first = og_document_child(options, 0);
        ck_assert_ptr_nonnull(og_document_text(og_document_find(first, "help")));
        ck_assert_int_gt(og_document_count(og_document_find(document, "policies")), 10);
        og_document_free(document);
    }
    ck_assert_int_ge(count, 4);
    ck_assert_str_eq(og_family_name(0), "independent");
    ck_assert_ptr_null(og_family_name(-1));
    ck_assert_str_eq(og_status_text(OG_NO_MEMORY), "out of memory");
    ck_assert_int_gt((int)strlen(og_version()), 0);
    og_document *document = NULL;
    REFUSED(OG_BAD_INPUT, "unknown problem type 'worker'",
            og_family_describe("worker", &document, &said));
    ck_assert_ptr_null(document);
}

/* As the program writes them, and as messages have them. */
OG_TEST(test_messages_name_options)
{
    static const char *const text[][2] = {
        {"--time-limit, --max-states N or --memory",
         "\"time-limit\", \"max-states\" N or \"memory\""},
        {"-T N (--budget N) is missing, as -T 12", "\"budget\" is missing, as \"budget\" 12"},
        {"(-T) and --workers-prior", "(\"budget\") and \"workers-prior\""},
        {"use --arithmetic exact; --arithmetic is", "use \"arithmetic\" exact; \"arithmetic\" is"},
        {"the prior's --assume 2,1: '--x y' 1,1 --y=1",
         "the prior's \"assume\" 2,1: '--x y' 1,1 --y=1"},
        {"a -- b --- c-T a--runs --Runs --runs-", "a -- b --- c-T a--runs --Runs --runs-"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *named = og_options_named(text[i][0]);
        ck_assert_str_eq(named, text[i][1]);
        free(named);
    }
    og_document *report = NULL;
    REFUSED(OG_BAD_INPUT,
            "\"final\" does not support \"max-per-task\", because it buys no labels; omit one of "
            "them",
            attempt("next", NULL, NULL, &report, "labels=x", "budget=2", "final", "max-per-task=1",
                    NULL));
    og_problem *problem = instances("2", "2x1,1");
    REFUSED(OG_BAD_INPUT, "\"truth\" and \"assume\" cannot be combined",
            attempt("compare", problem, NULL, &report, "truth=prior", "assume=2,1", NULL));
    og_problem_free(problem);
    problem = instances("2", "2x1,1");
    set(problem, "left", "3");
    REFUSED(OG_BAD_INPUT, "\"left\" 3 is more than the whole budget, \"budget\" 2",
            attempt("solve", problem, NULL, &report, NULL));
    og_problem_free(problem);
}

OG_TEST(test_documents_take_null)
{
    ck_assert_int_eq(og_document_count(NULL), 0);
    ck_assert_ptr_null(og_document_child(NULL, 0));
    ck_assert_ptr_null(og_document_find(NULL, "x"));
    ck_assert_str_eq(og_document_name(NULL), "");
    ck_assert(isnan(og_document_number(NULL)));
    ck_assert_ptr_null(og_document_text(NULL));
    og_document_free(NULL);
    og_problem_free(NULL);
    og_policy_free(NULL);
    og_document_free(NULL);
}

/* ---- problems ---- */

OG_TEST(test_problems_that_are_refused)
{
    og_problem *problem = NULL;
    REFUSED(OG_BAD_INPUT, "unknown problem type", og_problem_new("indepedent", &problem, &said));
    ck_assert_ptr_null(problem);
    problem = problem_of("independent");
    REFUSED(OG_BAD_INPUT, "'budge' of independent", og_problem_set(problem, "budge", "1", &said));
    REFUSED(OG_BAD_INPUT, "whole number", og_problem_set(problem, "budget", "-1", &said));
    REFUSED(OG_BAD_INPUT, "needs a value", og_problem_set(problem, "budget", NULL, &said));
    REFUSED(OG_BAD_INPUT, "labels", og_problem_set(problem, "problem", "gold", &said));
    REFUSED(OG_BAD_INPUT, "'1,'", og_problem_add(problem, "1,", &said));
    REFUSED(OG_BAD_INPUT, "\"budget\" is missing: the number of labels, such as \"budget\" 12",
            og_problem_check(problem, &said));
    set(problem, "budget", "3");
    REFUSED(OG_BAD_INPUT, "no instances", og_problem_check(problem, &said));
    const double wrong[] = {0, -1, NAN, INFINITY, 1e-9, 1e9};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(og_problem_add_beta(problem, 1, wrong[i], 1, 0.5, NULL), OG_BAD_INPUT);
        ck_assert_int_eq(og_problem_add_beta(problem, 1, 1, wrong[i], 0.5, NULL), OG_BAD_INPUT);
    }
    ck_assert_int_eq(og_problem_add_beta(problem, 1, 1, 1, 1, NULL), OG_BAD_INPUT);
    ck_assert_int_eq(og_problem_add_beta(problem, 0, 1, 1, 0.5, NULL), OG_BAD_INPUT);
    const int32_t labels[] = {1, -1};
    REFUSED(OG_BAD_INPUT, "-1",
            og_problem_add_counts(problem, 2, labels, labels, 1, 1, 0.5, &said));
    REFUSED(OG_BAD_INPUT, "no instances", og_problem_check(problem, &said));
    add(problem, "1,1");
    ck_assert_int_eq(og_problem_check(problem, NULL), OG_OK);
    set(problem, "left", "4");
    REFUSED(OG_BAD_INPUT, "more than the whole budget", og_problem_check(problem, &said));
    og_problem_free(problem);
}

OG_TEST(test_options_of_a_family)
{
    og_problem *problem = problem_of("workers");
    set(problem, "budget", "2");
    add(problem, "2x1,1");
    REFUSED(OG_BAD_INPUT, "does not take a value", og_problem_set(problem, "once", "yes", &said));
    REFUSED(OG_BAD_INPUT, "\"workers-prior\" A,B is missing", og_problem_check(problem, &said));
    set(problem, "once", NULL);
    char text[] = "2x4,1"; /* copied */
    set(problem, "workers-prior", text);
    text[0] = '9';
    og_document *report = ask("solve", problem, NULL, NULL);
    ck_assert_double_gt(og_number_at(report, "optimal.gain"), 0);
    og_document_free(report);
    REFUSED(OG_BAD_INPUT, "after the first question", og_problem_set(problem, "once", NULL, &said));
    set(problem, "objective", "bandit");
    REFUSED(OG_BAD_INPUT, "bandit", og_problem_check(problem, &said));
    og_problem_free(problem);
}

/* Compares each part of a document with what its path gives. */
static void check_paths(const og_document *whole, const og_document *at, const char *path)
{
    for (int32_t i = 0; i < og_document_count(at); i++) {
        const og_document *part = og_document_child(at, i);
        const char *name = og_document_name(part);
        char longer[200], number[16];
        snprintf(number, sizeof number, "%d", i);
        snprintf(longer, sizeof longer, "%s%s%s", path, path[0] != '\0' ? "." : "",
                 name[0] != '\0' ? name : number);
        double there = og_number_at(whole, longer), here = og_document_number(part);
        ck_assert_msg(there == here || (isnan(there) && isnan(here)), "%s", longer);
        ck_assert_ptr_eq(og_text_at(whole, longer), og_document_text(part));
        check_paths(whole, part, longer);
    }
}

/* Names of policies may have dots. */
OG_TEST(test_every_part_has_a_path)
{
    og_problem *problem = instances("3", "2x1,1");
    static const char *const asked[] = {"query", "compare", "simulate"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        og_document *report =
            ask(asked[i], problem, NULL, "policies=cvar-kg:0.5,cvar-kg:0.25", NULL);
        check_paths(report, report, "");
        ck_assert_double_nan(og_number_at(report, "problem."));
        og_document_free(report);
    }
    og_problem_free(problem);
}

/* The document of what a problem is made of. */
static char *described(og_problem *problem)
{
    og_document *document = NULL;
    ck_assert_int_eq(og_problem_describe(problem, &document, &said), OG_OK);
    char *json = og_document_json(document);
    og_document_free(document);
    return json;
}

OG_TEST(test_numbers_are_words)
{
    og_problem *words = instances("5", "3x1.5,0.7@0.3");
    add(words, "3,1");
    add(words, "1,2");
    og_problem *numbers = problem_of("independent");
    set(numbers, "budget", "5");
    ck_assert_int_eq(og_problem_add_beta(numbers, 3, 1.5, 0.7, 0.3, &said), OG_OK);
    const int32_t positive[] = {2, 0}, negative[] = {0, 1};
    ck_assert_int_eq(og_problem_add_counts(numbers, 2, positive, negative, 1, 1, 0.5, &said),
                     OG_OK);
    char *x = described(words), *y = described(numbers);
    ck_assert_str_eq(x, y);
    free(x);
    free(y);
    og_problem_free(words);
    og_problem_free(numbers);
}

/* A quadratic way to add them would pass the time limit of a test. */
OG_TEST(test_many_counts_are_added_and_all_or_none)
{
    enum { TASKS = 100000 };
    int32_t *positive = calloc(TASKS, sizeof *positive),
            *negative = calloc(TASKS, sizeof *negative);
    ck_assert(positive != NULL && negative != NULL);
    for (int32_t i = 0; i < TASKS; i++) {
        positive[i] = i % 317;
        negative[i] = i / 317;
    }
    og_problem *problem = problem_of("independent");
    ck_assert_int_eq(og_problem_add_counts(problem, TASKS, positive, negative, 1, 1, 0.5, &said),
                     OG_OK);
    negative[TASKS - 1] = -1;
    REFUSED(OG_BAD_INPUT, "numbers of labels",
            og_problem_add_counts(problem, TASKS, positive, negative, 1, 1, 0.5, &said));
    REFUSED(OG_BAD_INPUT, "count must be at least 0, not -1",
            og_problem_add_counts(problem, -1, positive, negative, 1, 1, 0.5, &said));
    ck_assert_int_eq(og_problem_add_beta(problem, 1000000000 - TASKS, 1, 1, 0.5, &said), OG_OK);
    REFUSED(OG_BAD_INPUT, "instances in all", og_problem_add(problem, "1,1", &said));
    og_problem_free(problem);
    free(positive);
    free(negative);
}

/* 1 + 0.07 * 2 has 17 digits, and query looks at its posteriors after hundreds of labels. */
OG_TEST(test_doubles_are_numbers_of_a_problem)
{
    og_problem *doubles = problem_of("independent"), *near = instances("12", "1.26,1.14");
    set(doubles, "budget", "12");
    ck_assert_int_eq(og_problem_add_beta(doubles, 1, 1.26, 1 + 0.07 * 2, 0.5, &said), OG_OK);
    ck_assert_int_eq(og_problem_add_beta(doubles, 1, 1 / 3.0, 1e-3 / 3, 0.1 + 0.2, &said), OG_OK);
    ck_assert_int_eq(
        og_problem_add_beta(near, 1, 0.333333333333333, 3.33333333333333e-4, 0.3, &said), OG_OK);
    og_document *x = ask("query", doubles, NULL, NULL), *y = ask("query", near, NULL, NULL);
    ck_assert_int_eq(og_document_count(acts_of(x)), 2);
    for (int32_t i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(og_number_at(act_of(x, i), "q"), og_number_at(act_of(y, i), "q"),
                                1e-11);
    }
    og_document_free(x);
    og_document_free(y);
    og_problem_free(doubles);
    og_problem_free(near);
}

/* ---- questions ---- */

OG_TEST(test_solve)
{
    og_problem *problem = instances("1", "1,1"); /* Beta(1,1), one label: 1/2 becomes 3/4 */
    og_document *report = ask("solve", problem, NULL, NULL);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"), 0.75,
                            og_number_at(report, "optimal.error_bound"));
    ck_assert_double_eq_tol(og_number_at(report, "optimal.gain"), 0.25, 1e-12);
    ck_assert(lower_of(report) <= 0.75 && 0.75 <= upper_of(report));
    const og_document *optimal = og_document_find(report, "optimal");
    ck_assert_double_eq(og_document_number(og_document_find(optimal, "value")),
                        og_number_at(report, "optimal.value"));
    ck_assert_str_eq(og_document_name(optimal), "optimal");
    og_document_free(report);
    report = ask("solve", problem, NULL, "arithmetic=exact", NULL);
    optimal = og_document_find(report, "optimal");
    ck_assert_str_eq(og_document_text(og_document_find(optimal, "value_exact")), "3/4");
    og_document_free(report);
    report = ask("solve", problem, NULL, "dry-run", NULL);
    ck_assert(isnan(og_number_at(report, "optimal.value")));
    og_document_free(report);
    report = NULL;
    REFUSED(OG_BAD_INPUT, "\"dry-run\"",
            attempt("solve", problem, NULL, &report, "dry-run", "export-policy=x", NULL));
    REFUSED(OG_BAD_INPUT, "\"all-optimal\"",
            attempt("solve", problem, NULL, &report, "all-optimal", NULL));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
}

OG_TEST(test_export)
{
    char path[] = "/tmp/optgap-public-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    og_problem *problem = instances("3", "2x1,1");
    char option[sizeof path + 16], of_file[sizeof path + 16];
    snprintf(option, sizeof option, "export-policy=%s", path);
    snprintf(of_file, sizeof of_file, "file=%s", path);
    og_document *report = ask("solve", problem, NULL, option, NULL);
    ck_assert_ptr_nonnull(og_document_find(report, "policy"));
    og_document *verified = ask("verify", NULL, NULL, of_file, NULL);
    ck_assert_double_eq_tol(og_number_at(verified, "value"), og_number_at(report, "optimal.value"),
                            og_number_at(verified, "error_bound") +
                                og_number_at(report, "optimal.error_bound"));
    ck_assert_double_eq(og_number_at(verified, "optimality_certified"), 1);
    ck_assert_str_eq(og_document_text(og_document_find(verified, "file")), path);
    og_document_free(verified);
    og_document_free(report);
    verified = NULL;
    REFUSED(OG_BAD_INPUT, "no-such-file",
            attempt("verify", NULL, NULL, &verified, "file=no-such-file", NULL));
    ck_assert_ptr_null(verified);
    unlink(path);
    og_problem_free(problem);
}

OG_TEST(test_compare_usual_policies)
{
    og_problem *problem = instances("4", "3x1,1");
    og_document *report = ask("compare", problem, NULL, NULL);
    ck_assert_int_eq(og_document_count(og_document_find(report, "policies")), 5);
    ck_assert_ptr_null(og_text_at(report, "optimal.limit"));
    for (int32_t i = 0; i < og_document_count(og_document_find(report, "policies")); i++) {
        const og_document *row = policy_of(report, i);
        ck_assert_ptr_null(og_text_at(row, "limit"));
        ck_assert_double_eq_tol(og_number_at(row, "gap"),
                                og_number_at(report, "optimal.value") - policy_value(row), 1e-12);
        ck_assert(isnan(og_number_at(row, "accuracy")));
    }
    ck_assert_str_eq(og_text_at(policy_of(report, 2), "name"), "opt-kg");
    ck_assert_int_eq(og_document_count(og_document_find(report, "bounds")), 4);
    ck_assert_double_ge(
        og_number_at(og_document_child(og_document_find(report, "bounds"), 0), "value"),
        og_number_at(report, "optimal.value"));
    og_document_free(report);
    og_problem_free(problem);
}

OG_TEST(test_a_joint_end_is_one_bound_more)
{
    og_problem *problem = instances("24", "10x1,1");
    og_document *report = ask("bound", problem, NULL, "joint-end=3", NULL);
    ck_assert_int_eq(og_document_count(og_document_find(report, "bounds")), 5);
    ck_assert_str_eq(og_document_name(og_document_child(og_document_find(report, "bounds"), 4)),
                     "joint_end");
    ck_assert(
        isfinite(og_number_at(og_document_child(og_document_find(report, "bounds"), 4), "value")));
    og_document_free(report);
    report = NULL;
    REFUSED(OG_BAD_INPUT, "joint-end",
            attempt("bound", problem, NULL, &report, "joint-end=9", NULL));
    og_problem_free(problem);
}

OG_TEST(test_compare_explains)
{
    og_problem *problem = instances("4", "3x1,1");
    og_document *report =
        ask("compare", problem, NULL, "policy=kg", "ties=first,worst", "explain", NULL);
    ck_assert_int_eq(og_document_count(og_document_find(report, "policies")), 2);
    ck_assert_str_eq(og_text_at(policy_of(report, 1), "ties"), "worst");
    const og_document *row = og_document_child(og_document_find(report, "policies"), 0);
    ck_assert_ptr_nonnull(og_document_find(row, "explain"));
    og_document_free(report);
    og_problem_free(problem);
}

OG_TEST(test_query_and_bound)
{
    og_problem *problem = instances("2", "2x2,1");
    add(problem, "3,3");
    og_document *report = ask("query", problem, NULL, NULL);
    ck_assert_int_eq(og_document_count(acts_of(report)), 2);
    ck_assert_str_eq(og_text_at(act_of(report, 0), "text"), "2x2,1");
    ck_assert_int_eq((int)og_number_at(act_of(report, 0), "count"), 2);
    bool best = og_number_at(act_of(report, 0), "q") >= og_number_at(act_of(report, 1), "q");
    ck_assert_double_eq(og_number_at(act_of(report, best ? 0 : 1), "optimal"), 1);
    ck_assert_double_eq(og_number_at(act_of(report, best ? 0 : 1), "lost"), 0);
    for (int32_t i = 0; i < 2; i++) {
        ck_assert(is_picked(report, 0, i)); /* uniform */
    }
    og_document_free(report);
    report = ask("bound", problem, NULL, NULL);
    og_document *solved = ask("solve", problem, NULL, NULL);
    ck_assert_double_ge(og_number_at(report, "bounds.lagrangian_scalar.value"),
                        og_number_at(solved, "optimal.value"));
    ck_assert_double_le(og_number_at(report, "call_value"), og_number_at(solved, "optimal.value"));
    ck_assert_str_eq(og_document_name(og_document_child(og_document_find(report, "bounds"), 0)),
                     "lagrangian_scalar");
    og_document_free(report);
    og_document_free(solved);
    set(problem, "left", "0");
    report = ask("query", problem, NULL, NULL);
    ck_assert(isnan(og_number_at(act_of(report, 0), "q")));
    og_document_free(report);
    og_problem_free(problem);
}

/* A state of the four instances of test_states as a problem of its own. */
static og_document *ask_state(const char *objective, const double *posterior, int32_t left,
                              const char *const *more)
{
    char word[64];
    og_problem *problem = problem_of("independent");
    snprintf(word, sizeof word, "%d", (int)left);
    set(problem, "budget", word);
    set(problem, "problem", objective);
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, "%g,%g%s", posterior[2 * i], posterior[2 * i + 1], more[i]);
        add(problem, word);
    }
    og_document *report = ask("query", problem, NULL, NULL);
    og_problem_free(problem);
    return report;
}

/* Many states at once are what a question for each says: Q within the errors of both, which grow
 * with the most labels left of any state, the same choices, and the same bits on any number of
 * threads. */
OG_TEST(test_states)
{
    enum { STATES = 48, PLACES = 4 * STATES, MOST = 6 };
    static const char *const more[2][4] = {{"", "", "", ""}, {"@0.3", "@0.3", "=1,-2,0,1", ""}};
    for (int n = 0; n < test_cases(12); n++) {
        uint64_t seed = test_seed(6060) + (uint64_t)n;
        random_source source = random_start(seed);
        double posterior[2 * PLACES], q[PLACES], again[PLACES];
        bool best[PLACES];
        int32_t left[STATES];
        bool bandit = random_below(&source, 4) == 0;
        const char *objective = bandit ? "bandit" : "labels";
        const char *const *words = more[!bandit && random_below(&source, 2) == 0];
        uint32_t kinds = random_below(&source, 2) == 0 ? 2 : 5; /* few: rows share them */
        for (int i = 0; i < 2 * PLACES; i++) {
            posterior[i] =
                1 + random_below(&source, kinds) + (random_below(&source, 30) == 0 ? 0.5 : 0);
        }
        for (int i = 0; i < STATES; i++) {
            left[i] = (int32_t)random_below(&source, MOST + 1);
        }
        og_problem *problem = problem_of("independent");
        set(problem, "budget", "6");
        set(problem, "problem", objective);
        char word[64];
        snprintf(word, sizeof word, "2x9,1%s", words[0]);
        add(problem, word);
        for (int i = 2; i < 4; i++) {
            snprintf(word, sizeof word, "1,8%s", words[i]);
            add(problem, word);
        }
        snprintf(word, sizeof word, "threads=%d", 1 + (int)random_below(&source, 3));
        og_question *limits = question_with("query", NULL, word, NULL);
        og_status status =
            og_query_states(problem, STATES, posterior, left, limits, q, best, &said);
        ck_assert_msg(status == OG_OK, "%s", said.text);
        ck_assert_int_eq(set_of(limits, "threads=1"), OG_OK);
        ck_assert_int_eq(
            og_query_states(problem, STATES, posterior, left, limits, again, best, &said), OG_OK);
        og_question_free(limits);
        ck_assert_mem_eq(q, again, sizeof q);
        for (int i = 0; i < STATES; i++) {
            og_document *report = ask_state(objective, posterior + 8 * (size_t)i, left[i], words);
            for (int k = 0; k < 4; k++) {
                double known = og_number_at(act_of(report, k), "q"), found = q[4 * i + k];
                double allowed =
                    og_number_at(act_of(report, k), "error_bound") * (1 + MOST / (double)left[i]);
                bool same =
                    left[i] == 0 ? isnan(found) && isnan(known) : fabs(found - known) <= allowed;
                test_assert_msg(same, "seed %d, state %d: %.17g, not %.17g", (int)seed, i, found,
                                known);
                test_assert_msg(best[4 * i + k] == (left[i] > 0 && og_number_at(act_of(report, k),
                                                                                "optimal") == 1),
                                "seed %d, state %d: best %d", (int)seed, i, k);
            }
            og_document_free(report);
        }
        og_problem_free(problem);
    }
}

OG_TEST(test_states_are_checked)
{
    double posterior[] = {1, 1, 2, 1, 1, 1, 2, 0}, q[4];
    bool best[4];
    int32_t left[] = {3, 2};
    og_problem *problem = instances("3", "2x1,1");
    REFUSED(OG_BAD_INPUT, "state 1: b must be a positive number, not 0",
            og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    posterior[7] = 1e-7;
    REFUSED(OG_BAD_INPUT,
            "state 1: ", og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    posterior[7] = 1;
    left[1] = 4;
    REFUSED(OG_BAD_INPUT, "state 1 has 4 labels left; must be from 0 to 3",
            og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    left[1] = 2;
    ck_assert_int_eq(og_query_states(problem, 2, posterior, left, NULL, q, best, &said), OG_OK);
    og_question *limits = question_with("query", NULL, "scratch=/tmp", NULL);
    REFUSED(OG_BAD_INPUT, "\"scratch\"",
            og_query_states(problem, 2, posterior, left, limits, q, best, &said));
    og_question_free(limits);
    og_problem_free(problem);
    problem = instances("3", "1,1,1");
    REFUSED(OG_BAD_INPUT, "Beta",
            og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    og_problem_free(problem);
    problem = instances("3each", "2x1,1");
    REFUSED(OG_BAD_INPUT, "a list of states",
            og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    og_problem_free(problem);
    problem = instances("3", "1001x1,1");
    REFUSED(OG_BAD_INPUT, "at most 1000",
            og_query_states(problem, 2, posterior, left, NULL, q, best, &said));
    og_problem_free(problem);
}

OG_TEST(test_history)
{
    og_problem *problem = instances("5", "2x1,1"), *after = instances("5", "2,1");
    og_document *report = NULL;
    set(after, "left", "3");
    add(after, "1,2");
    og_document *mine = ask("query", problem, NULL, "history=1+ 2-", NULL),
                *theirs = ask("query", after, NULL, NULL);
    ck_assert_int_eq(og_document_count(acts_of(mine)), 2);
    for (int32_t i = 0; i < 2; i++) {
        ck_assert_str_eq(og_text_at(act_of(mine, i), "text"),
                         og_text_at(act_of(theirs, i), "text"));
        ck_assert_double_eq(og_number_at(act_of(mine, i), "q"),
                            og_number_at(act_of(theirs, i), "q"));
    }
    const og_document *described = og_document_find(mine, "problem");
    ck_assert_str_eq(og_document_text(og_document_find(described, "history")), "1+ 2-");
    og_document_free(mine);
    REFUSED(OG_BAD_INPUT, "unknown option 'history' of solve",
            attempt("solve", problem, NULL, &report, "history=1+ 2-", NULL));
    og_document_free(theirs);
    og_problem_free(after);
    REFUSED(OG_BAD_INPUT, "\"history\": '3-'",
            attempt("query", problem, NULL, &report, "history=1+ 3-", NULL));
    REFUSED(OG_BAD_INPUT, "6 words",
            attempt("query", problem, NULL, &report, "history=1+ 1+ 1+ 1+ 1+ 1+", NULL));
    set(problem, "left", "2");
    REFUSED(OG_BAD_INPUT, "3 are left",
            attempt("query", problem, NULL, &report, "history=1+ 2-", NULL));
    og_problem_free(problem);
    problem = problem_of("deadline");
    set(problem, "budget", "1");
    set(problem, "deadline", "2");
    set(problem, "slot-arrivals", "1");
    set(problem, "slot-service", "1");
    add(problem, "1,1");
    REFUSED(OG_BAD_INPUT, "does not support",
            attempt("query", problem, NULL, &report, "history=1+", NULL));
    og_problem_free(problem);
}

OG_TEST(test_simulate)
{
    og_problem *problem = instances("6", "4x1,1");
    og_document *report = ask("simulate", problem, NULL, "runs=2000", NULL);
    og_document *exact = ask("compare", problem, NULL, NULL);
    ck_assert_int_eq((int)og_number_at(report, "runs"), 2000);
    for (int32_t i = 0; i < og_document_count(og_document_find(report, "policies")); i++) {
        const og_document *row = policy_of(report, i);
        ck_assert_double_eq_tol(policy_value(row), policy_value(policy_of(exact, i)),
                                4 * policy_error(row));
        ck_assert(og_number_at(row, "accuracy") > 0.5 && og_number_at(row, "accuracy") < 1);
    }
    ck_assert_double_eq(og_number_at(policy_of(report, 0), "difference.mean"), 0);
    og_document_free(report);
    og_document_free(exact);
    report = NULL;
    ck_assert_int_eq(attempt("simulate", problem, NULL, &report, "truth=beta:0,1", NULL),
                     OG_BAD_INPUT);
    report = ask("simulate", problem, NULL, "truth=beta:4,1", NULL);
    og_document_free(report);
    report = NULL;
    REFUSED(OG_BAD_INPUT, "A,B",
            attempt("compare", problem, NULL, &report, "assume=2,1@0.3", NULL));
    og_problem_free(problem);
}

/* ---- the end of a question ---- */

static bool enough(void *user, const og_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

OG_TEST(test_cancelling)
{
    int asked = 0;
    og_problem *problem = instances("80", "10x1,1");
    og_document *report = NULL;
    static const char *const names[] = {"solve", "query", "simulate", "compare"};
    og_question *watched[4];
    for (int i = 0; i < 4; i++) {
        watched[i] = question_with(names[i], NULL, "memory=256M", NULL);
        og_question_watch(watched[i], enough, &asked);
    }
    REFUSED(OG_STOPPED, "", og_ask(problem, watched[0], &report, &said));
    REFUSED(OG_STOPPED, "", og_ask(problem, watched[1], &report, &said));
    ck_assert_ptr_null(report);
    ck_assert_int_eq(asked, 2); /* the watch is not called again */
    og_status status = og_ask(problem, watched[2], &report, &said);
    ck_assert(status == OG_STOPPED || (status == OG_OK && og_number_at(report, "runs") < 10000));
    og_document_free(report);
    report = answer_of(watched[3], problem);
    for (int i = 0; i < 4; i++) {
        og_question_free(watched[i]);
    }
    ck_assert_ptr_nonnull(og_text_at(report, "optimal.limit"));
    ck_assert(isnan(og_number_at(report, "optimal.value")));
    ck_assert_double_le(lower_of(report), upper_of(report));
    ck_assert_ptr_nonnull(og_text_at(policy_of(report, 0), "limit"));
    ck_assert_str_ne(og_text_at(policy_of(report, 0), "limit"), "");
    og_document_free(report);
    report = NULL;
    REFUSED(OG_STOPPED, "", attempt("solve", problem, NULL, &report, "time-limit=0.001", NULL));
    ck_assert_ptr_null(report);
    ck_assert_int_gt((int)strlen(said.text), 0);
    og_problem_free(problem);
}
