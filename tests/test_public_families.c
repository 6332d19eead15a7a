/*
 * Families with special INSTANCE words, through optgap.h: labelers and rankings. Values are the
 * known ones; unsupported features are refused in one line.
 */
#include "tests/public_support.h"

OG_SUITE(public_families, 60);

static const char table_1[] = "0.763 0.781 0.625 0.783 0.727";

/* A problem from its words, separated by blanks. */
static og_problem *problem_in_words(const char *family, const char *budget, const char *words)
{
    og_problem *problem = problem_of(family);
    set(problem, "budget", budget);
    for (char word[32]; *words != '\0'; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        add(problem, word);
        words += length;
    }
    return problem;
}

static double number_at(const og_document *document, const char *name)
{
    return og_document_number(og_document_find(document, name));
}

static const og_document *policy_at(const og_document *report, int32_t i)
{
    return og_document_child(og_document_find(report, "policies"), i);
}

OG_TEST(test_labelers_are_compared)
{
    og_problem *problem = problem_in_words("labelers", "10", "0.9 0.7 0.6");
    set(problem, "explore", "1.5,1");
    set(problem, "cost", "0.02");
    og_document *report = ask("compare", problem, NULL, "arithmetic=exact", NULL);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"), 9, 1e-12);
    ck_assert_int_eq(og_document_count(og_document_find(report, "policies")),
                     3); /* ls-ol, everybody, best-set */
    ck_assert_str_eq(og_text_at(policy_of(report, 0), "name"), "ls-ol");
    ck_assert_double_eq_tol(og_number_at(policy_of(report, 0), "gap"), 2.63397324214, 1e-10);
    ck_assert_double_eq_tol(policy_value(policy_of(report, 1)), 8.34, 1e-12);
    ck_assert_str_eq(og_document_text(og_document_find(policy_at(report, 0), "cost_regret_exact")),
                     "1008962809090800463/3125000000000000000");
    og_document_free(report);
    og_problem_free(problem);
}

OG_TEST(test_labelers_of_unknown_accuracy)
{
    og_problem *problem = problem_in_words("labelers", "10", "0.9 0.7 0.6");
    set(problem, "unknown", "orders");
    og_document *report = ask("solve", problem, NULL, NULL);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"), 8.34000080142, 1e-10);
    og_document_free(report);
    report = ask("query", problem, NULL, NULL);
    ck_assert_int_eq(og_document_count(acts_of(report)), 7); /* sets but the empty one */
    og_document_free(report);
    report = ask("bound", problem, NULL, NULL);
    const og_document *bounds = og_document_find(report, "bounds");
    ck_assert_double_eq_tol(number_at(og_document_find(bounds, "told"), "value"), 9, 1e-10);
    og_document_free(report);
    report = ask("simulate", problem, NULL, "runs=400", NULL);
    for (int32_t i = 0; i < og_document_count(og_document_find(report, "policies")); i++) {
        ck_assert(policy_value(policy_of(report, i)) > 5 && policy_value(policy_of(report, i)) < 9);
    }
    og_document_free(report);
    og_problem_free(problem);
}

OG_TEST(test_what_labelers_have_not_is_refused)
{
    og_problem *problem = problem_of("labelers");
    og_document *report = NULL;
    og_session *session = NULL;
    set(problem, "budget", "5");
    REFUSED(OG_BAD_INPUT, "no instances", attempt("compare", problem, NULL, &report, NULL));
    REFUSED(OG_BAD_INPUT, "G1,G2", og_problem_set(problem, "explore", "1", &said));
    REFUSED(OG_BAD_INPUT, "unit:Z", og_problem_set(problem, "contexts", "0", &said));
    REFUSED(OG_BAD_INPUT, "unknown option", og_problem_set(problem, "once", NULL, &said));
    REFUSED(OG_BAD_INPUT, "unknown option", og_problem_set(problem, "objective", "calls", &said));
    og_problem_free(problem);
    problem = problem_in_words("labelers", "5", "0.9 1.1");
    REFUSED(OG_BAD_INPUT, "'1.1'", attempt("solve", problem, NULL, &report, NULL));
    og_problem_free(problem);
    problem = problem_in_words("labelers", "5", table_1);
    REFUSED(OG_BAD_INPUT, "labelers", og_session_new(problem, NULL, &session, &said));
    REFUSED(OG_BAD_INPUT, "labelers",
            attempt("solve", problem, NULL, &report, "export-policy=/nowhere/file", NULL));
    REFUSED(OG_BAD_INPUT, "'kg'", attempt("compare", problem, NULL, &report, "policy=kg", NULL));
    REFUSED(OG_BAD_INPUT, "in numbers", og_problem_add_beta(problem, 1, 1, 1, 0.5, &said));
    og_problem_free(problem);
    ck_assert_ptr_null(report);
    ck_assert_ptr_null(session);
}

OG_TEST(test_rankings_are_compared)
{
    og_problem *problem = problem_in_words("ranking", "1", "1 1 1");
    og_document *report = ask("solve", problem, NULL, NULL);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"), 0.6591370925867, 1e-12);
    og_document_free(report);
    report = ask("compare", problem, NULL, NULL);
    ck_assert_int_gt(og_document_count(og_document_find(report, "policies")), 0);
    ck_assert_double_ge(og_number_at(policy_of(report, 0), "gap"), 0);
    og_document_free(report);
    report = ask("query", problem, NULL, NULL);
    ck_assert_int_eq(og_document_count(acts_of(report)), 3); /* pairs */
    og_document_free(report);
    og_problem_free(problem);
}

OG_TEST(test_what_rankings_have_not_is_refused)
{
    og_document *report = NULL;
    og_problem *problem = problem_in_words("ranking", "2", "1 x");
    REFUSED(OG_BAD_INPUT, "'x'", attempt("solve", problem, NULL, &report, NULL));
    REFUSED(OG_BAD_INPUT, "explore", og_problem_set(problem, "explore", "1,1", &said));
    og_problem_free(problem);
    ck_assert_ptr_null(report);
}

OG_TEST(test_a_process_has_no_instances)
{
    og_document *report = NULL;
    og_problem *problem = problem_of("process");
    add(problem, "1,1");
    REFUSED(OG_BAD_INPUT, "has no INSTANCE", attempt("solve", problem, NULL, &report, NULL));
    og_problem_free(problem);
    ck_assert_ptr_null(report);
}
