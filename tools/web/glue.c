/*
 * The engine for a web page: reads a question in JSON, asks the library through optgap.h, and
 * returns the document. No state outlives a call, so that any question can follow, also after an
 * error.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"
#include "tools/web/glue.h"

enum { POLICIES_MAX = 64, COLUMNS = 5 };

/* One of the page's functions, with a buffer for its state. */
typedef struct {
    int32_t number;
    double *state;
    size_t room; /* of state */
} user_function;

typedef struct {
    const json_t *asked;
    const char *name; /* of the question */
    og_problem *problem;
    og_question *question; /* NULL: the problem is only described */
    og_policy *policy[POLICIES_MAX];
    user_function function[POLICIES_MAX];
    og_document *answer;
    og_message warning; /* beside an answer */
    og_message message;
} asking;

static og_status refuse(asking *call, const char *key, const char *text)
{
    snprintf(call->message.text, sizeof call->message.text, "\"%.100s\" %s", key, text);
    return OG_BAD_INPUT;
}

/* ---- the page's functions ---- */

static bool tell(void *user, const og_progress *progress)
{
    (void)user;
    return lab_progress(progress->settled, (double)progress->states, (double)progress->memory_bytes,
                        progress->seconds);
}

static og_status make_room(user_function *function, const og_plugin_state *state)
{
    size_t need = 0;
    for (int32_t i = 0; i < state->count; i++) {
        need +=
            COLUMNS + (size_t)state->group[i].parameter_count + (size_t)state->group[i].label_count;
    }
    if (need > function->room) {
        double *larger = realloc(function->state, 2 * need * sizeof *larger);
        if (larger == NULL) {
            return OG_NO_MEMORY;
        }
        function->state = larger;
        function->room = 2 * need;
    }
    return OG_OK;
}

static double *put_group(double *out, const og_plugin_group *group)
{
    int32_t labels = group->labels != NULL ? group->label_count : 0;
    *out++ = (double)group->copies;
    *out++ = group->threshold;
    *out++ = group->kind;
    *out++ = group->parameter_count;
    *out++ = labels;
    for (int32_t i = 0; i < group->parameter_count; i++) {
        *out++ = group->parameter[i];
    }
    for (int32_t i = 0; i < labels; i++) {
        *out++ = group->labels[i];
    }
    return out;
}

static og_status choose(void *user, const og_plugin_state *state, double *answer, bool *weights,
                        og_message *message)
{
    user_function *function = user;
    og_status status = make_room(function, state);
    if (status != OG_OK) {
        return status;
    }
    double *end = function->state;
    for (int32_t i = 0; i < state->count; i++) {
        end = put_group(end, &state->group[i]);
    }
    int kind = lab_choose(function->number, state->left, state->budget, state->count,
                          function->state, answer, message->text, (int32_t)sizeof message->text);
    *weights = kind == LAB_WEIGHTS;
    return kind == LAB_FAILED ? OG_FAILED : OG_OK;
}

/* ---- the question ---- */

static og_status take_option(asking *call, bool of_problem, const char *name, const json_t *text)
{
    if (!json_is_string(text) && !json_is_null(text)) {
        return refuse(call, name, "needs a text, a list of texts, or null for a switch");
    }
    const char *value = json_string_value(text);
    return of_problem               ? og_problem_set(call->problem, name, value, &call->message)
           : call->question != NULL ? og_question_set(call->question, name, value, &call->message)
                                    : OG_OK;
}

static og_status take_options(asking *call, const char *key, const json_t *options)
{
    const char *name;
    json_t *given;
    bool of_problem = strcmp(key, "options") == 0;
    if (!json_is_object(options)) {
        return refuse(call, key, "is not an object of texts");
    }
    json_object_foreach((json_t *)options, name, given)
    {
        og_status status =
            json_is_array(given) ? OG_OK : take_option(call, of_problem, name, given);
        for (size_t i = 0; status == OG_OK && i < json_array_size(given); i++) {
            status = take_option(call, of_problem, name,
                                 json_array_get(given, i)); /* size 0 if it is no list */
        }
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

static og_status take_instances(asking *call, const char *key, const json_t *words)
{
    size_t i;
    json_t *word;
    if (!json_is_array(words)) {
        return refuse(call, key, "is not a list of texts");
    }
    json_array_foreach(words, i, word)
    {
        if (!json_is_string(word)) {
            return refuse(call, key, "is not a list of texts");
        }
        og_status status = og_problem_add(call->problem, json_string_value(word), &call->message);
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

static og_status take_function(asking *call, const char *key, const json_t *words, int32_t at)
{
    const json_t *name = json_object_get(words, "name");
    const json_t *number = json_object_get(words, "function");
    if (!json_is_string(name) || !json_is_integer(number) || json_integer_value(number) < 0 ||
        json_integer_value(number) > INT32_MAX) {
        return refuse(call, key, "are names, or objects with a name and a function's number");
    }
    call->function[at].number = (int32_t)json_integer_value(number);
    const og_callback callback = {.user = &call->function[at],
                                  .looks_at_labels = json_is_true(json_object_get(words, "labels")),
                                  .choose = choose};
    og_status status =
        og_policy_callback(json_string_value(name), &callback, &call->policy[at], &call->message);
    return status == OG_OK ? og_question_policy(call->question, call->policy[at], &call->message)
                           : status;
}

static og_status take_policies(asking *call, const char *key, const json_t *words)
{
    size_t i;
    json_t *word;
    if (call->question == NULL) {
        return OG_OK;
    }
    if (!json_is_array(words) || json_array_size(words) > POLICIES_MAX) {
        return refuse(call, key, "is not a list of at most 64");
    }
    json_array_foreach(words, i, word)
    {
        const char *option = strcmp(call->name, "tree") == 0 ? "against" : "policy";
        og_status status =
            !json_is_string(word)
                ? take_function(call, key, word, (int32_t)i)
                : og_question_set(call->question, option, json_string_value(word), &call->message);
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

static og_status take_key(asking *call, const char *key, const json_t *value)
{
    static const struct {
        const char *key;
        og_status (*take)(asking *call, const char *key, const json_t *value);
    } lists[] = {{"options", take_options},
                 {"with", take_options},
                 {"instances", take_instances},
                 {"policies", take_policies}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(lists[i].key, key) == 0) {
            return lists[i].take(call, key, value);
        }
    }
    bool known = strcmp(key, "question") == 0 || strcmp(key, "family") == 0;
    return known ? OG_OK : refuse(call, key, "is no key of a question");
}

static og_status begin_question(asking *call)
{
    og_status status = og_question_new(call->name, &call->question, &call->message);
    if (status == OG_OK) {
        og_question_watch(call->question, tell, NULL);
        status = og_question_set(call->question, "threads", "1", &call->message);
    }
    return status == OG_OK ? og_question_set(call->question, "memory", "1G", &call->message)
                           : status;
}

static og_status take_keys(asking *call)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)call->asked, key, value)
    {
        og_status status = take_key(call, key, value);
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

/* ---- the answer ---- */

static og_status ask(asking *call)
{
    if (call->question == NULL) {
        return og_problem_describe(call->problem, &call->answer, &call->message);
    }
    og_status status = og_ask(call->problem, call->question, &call->answer, &call->message);
    if (status == OG_OK) {
        call->warning = call->message;
    }
    return status;
}

static og_status answer(asking *call)
{
    const json_t *name = json_object_get(call->asked, "question");
    const json_t *family = json_object_get(call->asked, "family");
    if (!json_is_string(name) || (family != NULL && !json_is_string(family))) {
        return refuse(call, "question", "is missing, or the family is not a name");
    }
    const char *of_family = family != NULL ? json_string_value(family) : "independent";
    call->name = json_string_value(name);
    if (strcmp(call->name, "family") == 0) {
        return og_family_describe(of_family, &call->answer, &call->message);
    }
    og_status status = og_problem_new(of_family, &call->problem, &call->message);
    if (status == OG_OK && strcmp(call->name, "problem") != 0) {
        status = begin_question(call);
    }
    if (status == OG_OK) {
        status = take_keys(call);
    }
    return status == OG_OK ? ask(call) : status;
}

/* A message may be cut inside a character; Jansson refuses such text, so other bytes become '?'. */
static json_t *string_of(const char *text)
{
    json_t *string = json_string(text);
    og_message plain;
    if (string == NULL) {
        snprintf(plain.text, sizeof plain.text, "%s", text);
        for (char *at = plain.text; *at != '\0'; at++) {
            *at = (unsigned char)*at < 0x80 ? *at : '?';
        }
        string = json_string(plain.text);
    }
    return string;
}

/* {"status", ..., "document"}: the document's own text is copied, not read and written again. */
static char *written(const asking *call, og_status status)
{
    static const char *const word[] = {"ok", "bad_input", "no_memory", "stopped", "failed"};
    const char *said = call->message.text[0] != '\0' ? call->message.text : og_status_text(status);
    char *document = call->answer != NULL ? og_document_json(call->answer) : strdup("null");
    json_t *head =
        json_pack("{s:s, s:o, s:o}", "status", word[status], "message",
                  string_of(status != OG_OK ? said : ""), "warning", string_of(call->warning.text));
    char *text = head != NULL ? json_dumps(head, JSON_COMPACT) : NULL;
    char *whole = NULL;
    if (document != NULL && text != NULL) {
        static const char key[] = ",\"document\":";
        size_t bytes = strlen(text) + strlen(document) + sizeof key + 1;
        whole = malloc(bytes);
        if (whole != NULL) {
            text[strlen(text) - 1] = '\0'; /* its brace closes later */
            snprintf(whole, bytes, "%s%s%s}", text, key, document);
        }
    }
    free(document);
    free(text);
    json_decref(head);
    return whole;
}

static void clear(asking *call)
{
    og_document_free(call->answer);
    og_question_free(call->question);
    og_problem_free(call->problem);
    for (int32_t i = 0; i < POLICIES_MAX; i++) {
        og_policy_free(call->policy[i]);
        free(call->function[i].state);
    }
}

char *lab_ask(const char *question)
{
    asking call = {.asked = NULL};
    json_error_t error;
    json_t *root = json_loads(question, JSON_REJECT_DUPLICATES, &error);
    call.asked = root;
    og_status status = OG_BAD_INPUT;
    if (json_is_object(root)) {
        status = answer(&call);
    } else {
        snprintf(call.message.text, sizeof call.message.text,
                 "the question must be a JSON object: %s", error.text);
    }
    char *text = written(&call, status);
    clear(&call);
    json_decref(root);
    return text;
}
