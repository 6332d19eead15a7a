/*
 * A question asked by optgap.h, its document printed as the program prints it:
 *
 *   public_json QUESTION FAMILY [OPTION=TEXT | OPTION= | %POLICY | +OPTION[=TEXT]]... [INSTANCE...]
 *
 * OPTION= is a switch of the problem; +OPTION is of the question. With "-" in the place of a family
 * there is no problem, and all options are of the question.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"

typedef struct {
    og_problem *problem;
    og_question *question;
    const char *policy; /* the name of its option */
    og_message message;
} asking;

static og_status set(asking *call, bool of_problem, char *word)
{
    char *text = strchr(word, '=');
    if (text != NULL) {
        *text++ = '\0';
        text = *text != '\0' ? text : NULL;
    }
    return of_problem ? og_problem_set(call->problem, word, text, &call->message)
                      : og_question_set(call->question, word, text, &call->message);
}

static og_status take(asking *call, char *word)
{
    if (word[0] == '%') {
        return og_question_set(call->question, call->policy, word + 1, &call->message);
    }
    if (word[0] == '+' || call->problem == NULL) {
        return set(call, false, word + (word[0] == '+'));
    }
    return strchr(word, '=') != NULL ? set(call, true, word)
                                     : og_problem_add(call->problem, word, &call->message);
}

static og_status print(asking *call)
{
    og_document *report = NULL;
    og_status status = og_ask(call->problem, call->question, &report, &call->message);
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
    asking call = {.problem = NULL};
    og_status status =
        argc < 3 ? OG_BAD_INPUT : og_question_new(argv[1], &call.question, &call.message);
    if (status == OG_OK && strcmp(argv[2], "-") != 0) {
        status = og_problem_new(argv[2], &call.problem, &call.message);
    }
    call.policy = status == OG_OK && strcmp(argv[1], "tree") == 0 ? "against" : "policy";
    for (int i = 3; status == OG_OK && i < argc; i++) {
        status = take(&call, argv[i]);
    }
    if (status == OG_OK) {
        status = print(&call);
    }
    if (status != OG_OK) {
        fprintf(stderr, "public_json: %s\n", call.message.text);
    }
    og_question_free(call.question);
    og_problem_free(call.problem);
    return (int)status;
}
