/*
 * A user's program that links only the core (tests/test_core.py). It solves, queries and compares
 * independent instances and prints each result in a line: a name, a tab and 17 digits. Then it
 * prints the messages about policies that the core does not have.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/families/independent/independent.h"
#include "bench/questions/compare.h"
#include "bench/questions/compare_document.h"
#include "bench/questions/query.h"

static const og_family *const family = &og_family_independent;

static void check(og_status status, const og_message *message)
{
    if (status != OG_OK) {
        fprintf(stderr, "%s: %s\n", og_status_text(status), message->text);
        exit(1);
    }
}

static void print(const char *name, double value)
{
    printf("%s\t%.17g\n", name, value);
}

static void solve(const og_problem_text *given, const og_settings *settings)
{
    og_asked asked = {.family = family, .request = {.settings = *settings}};
    og_message message = {""};
    check(og_question_run(&og_question_solve, &asked, given, &message), &message);
    print("solve", og_number_at(asked.document, "optimal.value"));
    og_asked_clear(&asked);
}

static void query(void *problem, const og_settings *settings)
{
    const og_asked asked = og_asked_about(family, problem, settings);
    og_message message = {""};
    og_query_result found;
    check(og_query_run(&asked, &found, &message), &message);
    for (int32_t i = 0; i < found.count; i++) {
        print("q", found.q[i]);
    }
    og_query_clear(&found);
}

/* kg is valued exactly, ucb1-tuned is simulated. */
static void compare(void *problem, const og_settings *settings)
{
    static const char *const names[] = {"kg", "ucb1-tuned"};
    og_policy_name policies[2];
    og_message message = {""};
    og_comparison found = {0};
    for (int i = 0; i < 2; i++) {
        check(og_policy_name_parse(names[i], &policies[i], &message), &message);
    }
    og_asked asked = og_asked_about(family, problem, settings);
    asked.policies = policies;
    asked.policy_count = 2;
    asked.request.index_seconds_max = 60;
    asked.request.runs = 1000;
    asked.request.seed = 7;
    check(og_compare_run(&asked, NULL, &found, &message), &message);
    print("optimal", found.optimal.value);
    for (int32_t i = 0; i < found.row_count; i++) {
        print(names[found.rows[i].policy], found.rows[i].result.value);
    }
    for (int32_t i = 0; i < found.bounds.count; i++) {
        print(found.bounds.name[i], found.bounds.bound[i].value);
    }
    og_document *document = og_comparison_describe(&asked, &found);
    char *json = og_document_json(document);
    printf("json\t%s\n", og_document_failed(document) ? "failed" : json == NULL ? "none" : "some");
    free(json);
    og_document_free(document);
    og_comparison_clear(&found);
}

static void say_why_not(const void *problem, const char *name)
{
    const og_policy_use use = {.whole_budget = 1, .threads = 1};
    og_message message = {""};
    og_strategy strategy = {0};
    og_policy_name policy;
    check(og_policy_name_parse(name, &policy, &message), &message);
    og_status status = og_family_strategy(family, problem, &policy, &use, &strategy, &message);
    printf("%s\t%d %s\n", name, status == OG_BAD_INPUT, message.text);
}

/* core BUDGET INSTANCE... */
int main(int argc, char **argv)
{
    const og_problem_text given = {.words = (const char *const *)argv + 2,
                                   .word_count = argc - 2,
                                   .budget = atoi(argv[1]),
                                   .left = -1};
    og_settings settings;
    og_message message = {""};
    void *problem = NULL;
    og_settings_default(&settings);
    settings.threads = 3;
    check(family->model.open(&given, &settings, &problem, &message), &message);
    solve(&given, &settings);
    query(problem, &settings);
    compare(problem, &settings);
    say_why_not(problem, "lagrangian");
    say_why_not(problem, "rollout:lagrangian");
    say_why_not(problem, "dual");
    say_why_not(problem, "midway:kg");
    say_why_not(problem, "lp-update");
    say_why_not(problem, "command:cat");
    og_family_close(family, problem);
    return 0;
}
