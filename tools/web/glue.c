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

static const uint64_t memory_usual = UINT64_C(1) << 30;

/* One of the page's functions, with a buffer for its state. */
typedef struct {
    int32_t number;
    double *state;
    size_t room; /* of state */
} user_function;

typedef struct {
    const json_t *question;
    og_problem *problem;
    og_policy *policy[POLICIES_MAX];
    user_function function[POLICIES_MAX];
    og_ties ties[OG_TIES_COUNT];
    og_request request;
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

static og_status take_option(asking *call, const char *name, const json_t *text)
{
    if (!json_is_string(text) && !json_is_null(text)) {
        return refuse(call, name, "needs a text, a list of texts, or null for a switch");
    }
    return og_problem_set(call->problem, name, json_string_value(text), &call->message);
}

static og_status take_options(asking *call, const char *key, const json_t *options)
{
    const char *name;
    json_t *given;
    if (!json_is_object(options)) {
        return refuse(call, key, "is not an object of texts");
    }
    json_object_foreach((json_t *)options, name, given)
    {
        og_status status = json_is_array(given) ? OG_OK : take_option(call, name, given);
        for (size_t i = 0; status == OG_OK && i < json_array_size(given); i++) {
            status =
                take_option(call, name, json_array_get(given, i)); /* size 0 if it is no list */
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
    return og_policy_callback(json_string_value(name), &callback, &call->policy[at],
                              &call->message);
}

static og_status take_policies(asking *call, const char *key, const json_t *words)
{
    size_t i;
    json_t *word;
    if (!json_is_array(words) || json_array_size(words) > POLICIES_MAX) {
        return refuse(call, key, "is not a list of at most 64");
    }
    json_array_foreach(words, i, word)
    {
        og_status status = json_is_string(word) ? og_policy_new(json_string_value(word),
                                                                &call->policy[i], &call->message)
                                                : take_function(call, key, word, (int32_t)i);
        if (status != OG_OK) {
            return status;
        }
    }
    call->request.policy_count = (int32_t)json_array_size(words);
    return OG_OK;
}

static og_status take_ties(asking *call, const char *key, const json_t *words)
{
    static const char *const rule[OG_TIES_COUNT] = {"random", "first", "best", "worst"};
    size_t i;
    json_t *word;
    if (!json_is_array(words) || json_array_size(words) > OG_TIES_COUNT) {
        return refuse(call, key, "is not a list of at most 4");
    }
    json_array_foreach(words, i, word)
    {
        int number = 0;
        while (number < OG_TIES_COUNT &&
               !(json_is_string(word) && strcmp(rule[number], json_string_value(word)) == 0)) {
            number++;
        }
        if (number == OG_TIES_COUNT) {
            return refuse(call, key, "are random, first, best or worst");
        }
        call->ties[i] = (og_ties)number;
    }
    call->request.ties_count = (int32_t)json_array_size(words);
    return OG_OK;
}

/* ---- plain fields of the request ---- */

typedef enum { TRUTH, TEXT, SECONDS, INT32, INT64, UINT64 } kind;

typedef struct {
    const char *key;
    kind kind;
    size_t offset; /* in og_request */
} field;

static const field fields[] = {
    {"exact", TRUTH, offsetof(og_request, exact)},
    {"explain", TRUTH, offsetof(og_request, explain)},
    {"dry_run", TRUTH, offsetof(og_request, dry_run)},
    {"all_actions", TRUTH, offsetof(og_request, all_actions)},
    {"truth", TEXT, offsetof(og_request, truth)},
    {"believe", TEXT, offsetof(og_request, believe)},
    {"history", TEXT, offsetof(og_request, history)},
    {"seconds_max", SECONDS, offsetof(og_request, seconds_max)},
    {"tree_states_max", INT32, offsetof(og_request, tree_states_max)},
    {"tree_levels", INT32, offsetof(og_request, tree_levels)},
    {"runs", INT64, offsetof(og_request, runs)},
    {"seed", UINT64, offsetof(og_request, seed)},
    {"memory_bytes", UINT64, offsetof(og_request, settings.memory_bytes)},
    {"optimum_states_max", UINT64, offsetof(og_request, optimum_states_max)},
    {"policy_states_max", UINT64, offsetof(og_request, policy_states_max)},
};

static og_status take_whole(asking *call, const field *row, const json_t *value)
{
    char *at = (char *)&call->request + row->offset;
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (row->kind == INT32 && number > INT32_MAX)) {
        return refuse(call, row->key, "is not a whole number in its range");
    }
    if (row->kind == INT32) {
        *(int32_t *)(void *)at = (int32_t)number;
    } else if (row->kind == INT64) {
        *(int64_t *)(void *)at = number;
    } else {
        *(uint64_t *)(void *)at = (uint64_t)number;
    }
    return OG_OK;
}

static og_status take_field(asking *call, const field *row, const json_t *value)
{
    char *at = (char *)&call->request + row->offset;
    switch (row->kind) {
    case TRUTH:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) ? OG_OK : refuse(call, row->key, "is not true or false");
    case TEXT:
        *(const char **)(void *)at = json_string_value(value);
        return json_is_string(value) ? OG_OK : refuse(call, row->key, "is not a text");
    case SECONDS:
        *(double *)(void *)at = json_number_value(value);
        return json_is_number(value) ? OG_OK : refuse(call, row->key, "is not a number");
    default:
        return take_whole(call, row, value);
    }
}

static og_status take_key(asking *call, const char *key, const json_t *value)
{
    static const struct {
        const char *key;
        og_status (*take)(asking *call, const char *key, const json_t *value);
    } lists[] = {{"options", take_options},
                 {"instances", take_instances},
                 {"policies", take_policies},
                 {"ties", take_ties}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(lists[i].key, key) == 0) {
            return lists[i].take(call, key, value);
        }
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].key, key) == 0) {
            return take_field(call, &fields[i], value);
        }
    }
    bool known = strcmp(key, "question") == 0 || strcmp(key, "family") == 0;
    return known ? OG_OK : refuse(call, key, "is no key of a question");
}

static og_status take_question(asking *call)
{
    const char *key;
    json_t *value;
    og_request_default(&call->request);
    call->request.settings.threads = 1;
    call->request.settings.memory_bytes = memory_usual;
    call->request.settings.watch = tell;
    call->request.policies = (const og_policy *const *)call->policy;
    call->request.ties = call->ties;
    json_object_foreach((json_t *)call->question, key, value)
    {
        og_status status = take_key(call, key, value);
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

/* ---- the answer ---- */

static og_status ask(asking *call, const char *name)
{
    static const struct {
        const char *name;
        og_status (*ask)(og_problem *problem, const og_request *request, og_document **out,
                         og_message *message);
    } known[] = {{"solve", og_solve},       {"compare", og_compare},   {"query", og_query},
                 {"bound", og_bound},       {"simulate", og_simulate}, {"index", og_index_table},
                 {"tree", og_decision_tree}};
    if (strcmp(name, "problem") == 0) {
        return og_problem_describe(call->problem, &call->answer, &call->message);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0) {
            og_status status =
                known[i].ask(call->problem, &call->request, &call->answer, &call->message);
            if (status == OG_OK) {
                call->warning = call->message;
            }
            return status;
        }
    }
    return refuse(call, name, "is no question");
}

static og_status answer(asking *call)
{
    const json_t *name = json_object_get(call->question, "question");
    const json_t *family = json_object_get(call->question, "family");
    if (!json_is_string(name) || (family != NULL && !json_is_string(family))) {
        return refuse(call, "question", "is missing, or the family is not a name");
    }
    const char *of_family = family != NULL ? json_string_value(family) : "independent";
    if (strcmp(json_string_value(name), "family") == 0) {
        return og_family_describe(of_family, &call->answer, &call->message);
    }
    og_status status = og_problem_new(of_family, &call->problem, &call->message);
    if (status == OG_OK) {
        status = take_question(call);
    }
    return status == OG_OK ? ask(call, json_string_value(name)) : status;
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
    og_problem_free(call->problem);
    for (int32_t i = 0; i < POLICIES_MAX; i++) {
        og_policy_free(call->policy[i]);
        free(call->function[i].state);
    }
}

char *lab_ask(const char *question)
{
    asking call = {.question = NULL};
    json_error_t error;
    json_t *root = json_loads(question, JSON_REJECT_DUPLICATES, &error);
    call.question = root;
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
