/*
 * Every name that `optgap policies` prints, in every family and question, with no label, one and
 * two: an answer, or one line that says why not. (Files and programs: tests/test_own_policy.py.)
 */
#include "heuristics/policy.h"
#include "tests/conformance.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(policy_names, 60);

static const char *const questions[] = {"compare", "simulate", "query", "bound", "tree", "index"};
enum { QUESTIONS = sizeof questions / sizeof *questions, BYTES = 400 };

/* A random problem of the family; the first one is a small one where others take long. */
static og_problem *problem_of_case(const og_case *by, int round, random_source *random)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    char text[BYTES] = "";
    og_problem *given = NULL;
    og_problem_text opened;
    void *problem = NULL;
    og_message message = {""};
    by->draw(random, text, sizeof text);
    if (round == 0 && strcmp(by->family, "independent") == 0) {
        strcpy(text, "-T 2 1,1 2,1@0.3");
    } else if (round == 0 && strcmp(by->family, "ranking") == 0) {
        strcpy(text, "-T 2 3x1");
    }
    question_ok(question_open(by->family, text, &settings, &given, &opened, &problem, &message),
                &message, text);
    og_family_close(given->family, problem);
    return given;
}

static void check_name(og_problem *problem, const char *name, const char *budget, int number)
{
    og_question *asked = NULL;
    og_document *report = NULL;
    og_message message = {""};
    const char *family = problem->family->name;
    bool tree = strcmp(questions[number], "tree") == 0;
    ck_assert_int_eq(og_question_new(questions[number], &asked, &message), OG_OK);
    ck_assert_int_eq(og_question_set(asked, "threads", "1", &message), OG_OK);
    if (number < 2) {
        ck_assert_int_eq(og_question_set(asked, "runs", "2", &message), OG_OK);
    }
    og_status named =
        og_question_set(asked, tree ? "against" : "policy", name, &message); /* not of bound */
    ck_assert_msg(named == OG_OK || number == 3, "%s: %s", name, message.text);
    if (!problem->family->own_budget) {
        ck_assert_int_eq(og_problem_set(problem, "budget", budget, &message), OG_OK);
    }
    og_status status = og_ask(problem, asked, &report, &message);
    test_assert_msg(status == OG_OK || (status == OG_BAD_INPUT && message.text[0] != '\0' &&
                                        strchr(message.text, '\n') == NULL),
                    "%s in %s, question %d with %s labels: status %d: %s", name, family, number,
                    budget, status, message.text);
    og_document_free(report);
    og_question_free(asked);
}

OG_TEST_LOOP(every_family_answers_or_says_why_not, 0, 11)
{
    static const char *const budgets[] = {"0", "1", "2"};
    random_source random = random_start(test_seed(94));
    const og_policy_row *row;
    char name[BYTES];
    ck_assert_ptr_nonnull(og_cases[_i]);
    for (int round = 0; round < test_cases(1); round++) {
        og_problem *problem = problem_of_case(og_cases[_i], round, &random);
        for (int i = 0; (row = og_policy_row_at((size_t)i)) != NULL; i++) {
            if (row->form == OG_PARAMETER_FILE || row->form == OG_PARAMETER_COMMAND) {
                continue; /* there is none */
            }
            bool bare = row->parameter[0] == '\0' || row->parameter[0] == '[';
            snprintf(name, sizeof name, "%s%s%s", row->name, bare ? "" : ":",
                     bare ? "" : row->example);
            for (int number = 0; number < QUESTIONS; number++) {
                check_name(problem, name, budgets[(round + i + number) % 3], number);
            }
        }
        og_problem_free(problem);
    }
}
