/*
 * The options of a question of optgap.h: each has the value that the program reads, wrong ones are
 * refused in one line and leave the question as it was.
 */
#include "bench/public/question.h"
#include "tests/public_support.h"

OG_SUITE(public_question, 60);

static const char *const names[] = {"solve", "compare", "query",  "bound", "simulate",
                                    "index", "tree",    "verify", "find",  "replay",
                                    "next",  "fit",     "labels"};
enum { NAMES = sizeof names / sizeof *names };

/* Also numbers out of every range, what C reads as a number, and half a list. */
static const char *const texts[] = {NULL,
                                    "",
                                    "0",
                                    "-1",
                                    "1",
                                    "nan",
                                    "inf",
                                    "1e999",
                                    "0x10",
                                    "1.5",
                                    "1,1",
                                    "2,1",
                                    "kg",
                                    "kg,opt-k",
                                    "kg,",
                                    "first,last",
                                    "first,first",
                                    "a\nb",
                                    "%s%n",
                                    " 1",
                                    "1 ",
                                    "\xff",
                                    "3,1",
                                    "1,2,",
                                    "2G",
                                    "1025",
                                    "exact",
                                    "prior",
                                    "all",
                                    "value:2",
                                    "auto",
                                    "recursion",
                                    "99999999999999999999",
                                    "x:1:2"};
enum { TEXTS = sizeof texts / sizeof *texts };

/* What a question without lists says, where those that could not be filled may have room. */
static bool is_same(const og_wishes *x, const og_wishes *y)
{
    og_wishes one = *x, two = *y;
    one.policies = two.policies = one.against = two.against = NULL;
    return memcmp(&one, &two, sizeof one) == 0;
}

static void check_text(const char *name, const og_option_row *row, const char *text)
{
    char quoted[80];
    og_question *question = question_with(name, NULL, NULL);
    const og_wishes before = question->wishes;
    bool policies = row->kind == OG_OPTION_POLICY || row->kind == OG_OPTION_POLICIES;
    memset(&said, 0, sizeof said);
    og_status status = og_question_set(question, row->name, text, &said);
    if (status != OG_OK) {
        bool missing = (row->argument == NULL) != (text == NULL); /* "option 'seed' needs ..." */
        snprintf(quoted, sizeof quoted, missing ? "'%s'" : "\"%s\"", row->name);
        bool named = strstr(said.text, quoted) != NULL || policies ||
                     (row->what != NULL && strstr(said.text, row->what) != NULL) ||
                     strncmp(said.text, "expected names", 14) == 0 ||
                     strstr(said.text, "is an option of the problem") != NULL;
        ck_assert_msg(status == OG_BAD_INPUT && named && strchr(said.text, '\n') == NULL,
                      "%s, %s=%s: status %d: %s", name, row->name, text, status, said.text);
        ck_assert_msg(is_same(&before, &question->wishes), "%s, %s=%s: changed", name, row->name,
                      text);
    }
    og_question_free(question);
}

OG_TEST_LOOP(a_wrong_value_is_refused_and_changes_nothing, 0, NAMES)
{
    const og_question *any = question_with(names[_i], NULL, NULL);
    for (int32_t i = 0; i < any->row_count; i++) {
        for (size_t k = 0; k < TEXTS; k++) {
            check_text(names[_i], any->row[i], texts[k]);
        }
    }
    og_question_free((og_question *)any);
}

/* A switch has no text, a value has one that is not empty. */
OG_TEST_LOOP(a_missing_or_superfluous_text_is_refused, 0, NAMES)
{
    og_question *any = question_with(names[_i], NULL, NULL);
    for (int32_t i = 0; i < any->row_count; i++) {
        const og_option_row *row = any->row[i];
        const char *text = row->argument == NULL ? "1" : NULL;
        ck_assert_msg(og_question_set(any, row->name, text, &said) == OG_BAD_INPUT, "%s of %s",
                      row->name, names[_i]);
        if (row->argument != NULL) {
            ck_assert_msg(og_question_set(any, row->name, "", &said) == OG_BAD_INPUT, "%s of %s",
                          row->name, names[_i]);
        }
    }
    og_question_free(any);
}

OG_TEST(unknown_names_are_refused_with_a_near_one)
{
    og_question *question = NULL;
    REFUSED(OG_BAD_INPUT, "unknown question 'compere'; did you mean 'compare'",
            og_question_new("compere", &question, &said));
    ck_assert_ptr_null(question);
    question = question_with("compare", NULL, NULL);
    REFUSED(OG_BAD_INPUT, "unknown option 'policys' of compare; did you mean 'policy'",
            og_question_set(question, "policys", "kg", &said));
    REFUSED(OG_BAD_INPUT, "unknown option '--seed'",
            og_question_set(question, "--seed", "1", &said));
    REFUSED(OG_BAD_INPUT, "unknown option '' of compare",
            og_question_set(question, "", "1", &said));
    REFUSED(OG_BAD_INPUT, "unknown option 'history'",
            og_question_set(question, "history", "1+", &said)); /* of query */
    REFUSED(OG_BAD_INPUT, "\"budget\" is an option of the problem; set it with og_problem_set",
            og_question_set(question, "budget", "3", &said));
    ck_assert_int_eq(og_question_set(question, "believe", "2,1", NULL), OG_OK); /* earlier names */
    og_question_free(question);
    og_question_free(NULL);
}

OG_TEST(an_option_that_repeats_adds_and_any_other_replaces)
{
    char text[] = "kg"; /* copied */
    og_problem *problem = instances("2", "2x1,1");
    og_question *question = question_with("compare", NULL, "ties=first", "runs=3", NULL);
    ck_assert_int_eq(og_question_set(question, "policy", text, &said), OG_OK);
    memset(text, '?', 2);
    ck_assert_int_eq(set_of(question, "policies=opt-kg,uniform"), OG_OK);
    ck_assert_int_eq(set_of(question, "ties=worst"), OG_OK);
    ck_assert_int_eq(set_of(question, "policies=pess-kg,no-such"), OG_BAD_INPUT);
    og_document *report = answer_of(question, problem);
    ck_assert_int_eq(og_document_count(og_document_find(report, "policies")), 3);
    ck_assert_str_eq(og_text_at(report, "policies.0.name"), "kg");
    ck_assert_str_eq(og_text_at(report, "policies.2.name"), "uniform");
    ck_assert_str_eq(og_text_at(report, "policies.2.ties"), "worst");
    og_document_free(report);
    report = answer_of(question, problem); /* again, and the same */
    ck_assert_int_eq(og_document_count(og_document_find(report, "policies")), 3);
    og_document_free(report);
    og_question_free(question);
    og_problem_free(problem);
    question = question_with("next", NULL, "labels=one", "labels=two", NULL);
    ck_assert_str_eq(question->wishes.batch.labels_file, "one\ntwo");
    og_question_free(question);
}

OG_TEST(a_question_is_about_what_its_name_says)
{
    og_problem *problem = instances("2", "2x1,1");
    og_document *report = NULL;
    REFUSED(OG_BAD_INPUT, "solve is about a problem", attempt("solve", NULL, NULL, &report, NULL));
    REFUSED(OG_BAD_INPUT, "find is not about a problem",
            attempt("find", problem, NULL, &report, "policy=kg", NULL));
    REFUSED(OG_BAD_INPUT, "verify does not support",
            attempt("verify", problem, NULL, &report, "file=x", NULL));
    REFUSED(OG_BAD_INPUT, "\"file\" FILE is missing", attempt("verify", NULL, NULL, &report, NULL));
    REFUSED(OG_BAD_INPUT, "\"policy\" NAME is missing", attempt("find", NULL, NULL, &report, NULL));
    REFUSED(OG_BAD_INPUT, "\"policy\" NAME is missing",
            attempt("index", problem, NULL, &report, NULL));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
}

/* `against` of a search is the second policy, also of a function's. */
static og_status label_the_first(void *user, const og_plugin_state *state, double *answer,
                                 bool *weights, og_message *message)
{
    (void)user, (void)weights, (void)message;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = -(double)i;
    }
    return OG_OK;
}

OG_TEST(a_search_compares_with_another_policy)
{
    const og_callback callback = {.choose = label_the_first};
    og_policy *own = NULL;
    ck_assert_int_eq(og_policy_callback("own", &callback, &own, &said), OG_OK);
    og_question *search = question_with("find", POLICIES(own), "against=opt-kg", "instances=2",
                                        "budget=2", "parameter=2", NULL);
    for (int again = 0; again < 2; again++) {
        og_document *report = answer_of(search, NULL);
        ck_assert_str_eq(og_text_at(report, "policies.0.name"), "own");
        ck_assert_str_eq(og_text_at(report, "policies.1.name"), "opt-kg");
        og_document_free(report);
    }
    og_question_free(search);
    REFUSED(OG_BAD_INPUT, "solve does not support policies",
            og_question_policy(search = question_with("solve", NULL, NULL), own, &said));
    og_question_free(search);
    og_policy_free(own);
}
