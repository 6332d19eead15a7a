/*
 * A question asked by optgap.h, its document printed as the program prints it:
 *
 *   public_json QUESTION FAMILY [OPTION=TEXT | OPTION= | %POLICY | +SETTING]... [INSTANCE...]
 *
 * OPTION= is a switch; +exact, +explain, +runs=N, +ties=N and +truth=TEXT are of the request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"

enum { POLICIES_MAX = 8 };

typedef struct {
    og_problem *problem;
    og_policy *policy[POLICIES_MAX];
    og_request request;
    og_ties ties;
    og_message message;
} asking;

static void take_setting(asking *of, const char *word)
{
    of->request.exact = of->request.exact || strcmp(word, "exact") == 0;
    of->request.explain = of->request.explain || strcmp(word, "explain") == 0;
    of->request.dry_run = of->request.dry_run || strcmp(word, "dry-run") == 0;
    if (strncmp(word, "runs=", 5) == 0) {
        of->request.runs = atoi(word + 5);
    } else if (strncmp(word, "ties=", 5) == 0) {
        of->ties = (og_ties)atoi(word + 5);
        of->request.ties = &of->ties;
        of->request.ties_count = 1;
    } else if (strncmp(word, "truth=", 6) == 0) {
        of->request.truth = word + 6;
    }
}

static og_status take_option(asking *of, char *word)
{
    char *text = strchr(word, '=');
    *text++ = '\0';
    return og_problem_set(of->problem, word, *text != '\0' ? text : NULL, &of->message);
}

static og_status take(asking *of, char *word)
{
    if (word[0] == '%') {
        og_policy **policy = &of->policy[of->request.policy_count];
        og_status status = og_policy_new(word + 1, policy, &of->message);
        of->request.policy_count += status == OG_OK;
        return status;
    }
    if (word[0] == '+') {
        take_setting(of, word + 1);
        return OG_OK;
    }
    return strchr(word, '=') != NULL ? take_option(of, word)
                                     : og_problem_add(of->problem, word, &of->message);
}

static og_status print(asking *of, const char *name)
{
    typedef og_status question(og_problem * problem, const og_request *request, og_report **out,
                               og_message *message);
    static const struct {
        const char *name;
        question *ask;
    } known[] = {{"solve", og_solve},
                 {"compare", og_compare},
                 {"query", og_query},
                 {"bound", og_bound},
                 {"simulate", og_simulate}};
    size_t i = 0;
    while (strcmp(known[i].name, name) != 0) {
        i++;
    }
    og_report *report = NULL;
    og_status status = known[i].ask(of->problem, &of->request, &report, &of->message);
    if (status == OG_OK) {
        char *json = og_document_json(report->document);
        puts(json);
        free(json);
        og_report_free(report);
    }
    return status;
}

int main(int argc, char **argv)
{
    asking of = {.problem = NULL};
    og_request_default(&of.request);
    of.request.policies = (const og_policy *const *)of.policy;
    og_status status = argc < 3 ? OG_BAD_INPUT : og_problem_new(argv[2], &of.problem, &of.message);
    for (int i = 3; status == OG_OK && i < argc; i++) {
        status = take(&of, argv[i]);
    }
    if (status == OG_OK) {
        status = print(&of, argv[1]);
    }
    if (status != OG_OK) {
        fprintf(stderr, "public_json: %s\n", of.message.text);
    }
    for (int i = 0; i < POLICIES_MAX; i++) {
        og_policy_free(of.policy[i]);
    }
    og_problem_free(of.problem);
    return (int)status;
}
