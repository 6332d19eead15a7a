/*
 * A question asked by optgap.h, its document printed as the program prints it:
 *
 *   public_json QUESTION FAMILY [OPTION=TEXT | OPTION= | %POLICY | +SETTING]... [INSTANCE...]
 *
 * OPTION= is a switch; +exact, +explain, +runs=N, +ties=N, +truth=TEXT, +believe=A,B,
 * +history=1+,2- are of the request. With "-" in the place of a family there is no
 * problem: replay.
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
    og_recording recording;
    int32_t at[POLICIES_MAX];
    og_message message;
} asking;

static void take_setting(asking *call, const char *word)
{
    call->request.exact = call->request.exact || strcmp(word, "exact") == 0;
    call->request.explain = call->request.explain || strcmp(word, "explain") == 0;
    call->request.dry_run = call->request.dry_run || strcmp(word, "dry-run") == 0;
    call->request.all_actions = call->request.all_actions || strcmp(word, "all-actions") == 0;
    if (strncmp(word, "runs=", 5) == 0) {
        call->request.runs = atoi(word + 5);
    } else if (strncmp(word, "ties=", 5) == 0) {
        call->ties = (og_ties)atoi(word + 5);
        call->request.ties = &call->ties;
        call->request.ties_count = 1;
    } else if (strncmp(word, "levels=", 7) == 0) {
        call->request.tree_levels = atoi(word + 7);
    } else if (strncmp(word, "truth=", 6) == 0) {
        call->request.truth = word + 6;
    } else if (strncmp(word, "believe=", 8) == 0) {
        call->request.believe = word + 8;
    } else if (strncmp(word, "history=", 8) == 0) {
        call->request.history = word + 8;
    }
}

static og_status take_option(asking *call, char *word)
{
    char *text = strchr(word, '=');
    *text++ = '\0';
    return og_problem_set(call->problem, word, *text != '\0' ? text : NULL, &call->message);
}

/* Of a recording. */
static og_status take_word(asking *call, char *word)
{
    char *text = strchr(word, '=');
    *text++ = '\0';
    if (strcmp(word, "labels") == 0) {
        call->recording.labels_file = text;
    } else if (strcmp(word, "gold") == 0) {
        call->recording.gold_file = text;
    } else if (strcmp(word, "labels-prior") == 0) {
        call->recording.prior = text;
    } else if (strcmp(word, "final-ties") == 0) {
        call->recording.final_positive = strcmp(text, "positive") == 0;
    } else if (strcmp(word, "labels-budget") == 0) {
        call->recording.budget = atoi(text);
    } else if (strcmp(word, "labels-problem") == 0) {
        call->recording.problem = text;
    } else if (strcmp(word, "labels-fill") == 0) {
        call->recording.fill = text;
    } else if (strcmp(word, "labels-explore") == 0) {
        call->recording.explore = atof(text);
    } else if (strcmp(word, "labels-votes") == 0) {
        call->recording.weighted = strcmp(text, "weighted") == 0;
    } else if (strcmp(word, "at") == 0) {
        for (char *rest; (rest = strsep(&text, ",")) != NULL;) {
            call->at[call->recording.at_count++] = atoi(rest);
        }
    } else {
        return OG_BAD_INPUT;
    }
    return OG_OK;
}

static og_status take(asking *call, char *word)
{
    if (word[0] == '%') {
        og_policy **policy = &call->policy[call->request.policy_count];
        og_status status = og_policy_new(word + 1, policy, &call->message);
        call->request.policy_count += status == OG_OK;
        return status;
    }
    if (word[0] == '+') {
        take_setting(call, word + 1);
        return OG_OK;
    }
    if (call->problem == NULL) {
        return take_word(call, word);
    }
    return strchr(word, '=') != NULL ? take_option(call, word)
                                     : og_problem_add(call->problem, word, &call->message);
}

static og_status print(asking *call, const char *name)
{
    typedef og_status question(og_problem * problem, const og_request *request, og_document **out,
                               og_message *message);
    static const struct {
        const char *name;
        question *ask;
    } known[] = {{"solve", og_solve},       {"compare", og_compare},   {"query", og_query},
                 {"bound", og_bound},       {"simulate", og_simulate}, {"index", og_index_table},
                 {"tree", og_decision_tree}};
    size_t i = 0;
    while (call->problem != NULL && strcmp(known[i].name, name) != 0) {
        i++;
    }
    og_document *report = NULL;
    og_status status = call->problem != NULL
                           ? known[i].ask(call->problem, &call->request, &report, &call->message)
                           : og_replay(&call->recording, &call->request, &report, &call->message);
    if (status == OG_OK) {
        char *json = og_document_json(report);
        puts(json);
        free(json);
        og_document_free(report);
    }
    return status;
}

int main(int argc, char **argv)
{
    asking call = {.problem = NULL, .recording = {.budget = -1}};
    call.recording.at = call.at;
    og_request_default(&call.request);
    call.request.policies = (const og_policy *const *)call.policy;
    og_status status = argc < 3 ? OG_BAD_INPUT
                       : strcmp(argv[2], "-") == 0
                           ? OG_OK
                           : og_problem_new(argv[2], &call.problem, &call.message);
    for (int i = 3; status == OG_OK && i < argc; i++) {
        status = take(&call, argv[i]);
    }
    if (status == OG_OK) {
        status = print(&call, argv[1]);
    }
    if (status != OG_OK) {
        fprintf(stderr, "public_json: %s\n", call.message.text);
    }
    for (int i = 0; i < POLICIES_MAX; i++) {
        og_policy_free(call.policy[i]);
    }
    og_problem_free(call.problem);
    return (int)status;
}
