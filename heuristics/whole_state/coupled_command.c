/* Asks a program for its choice in a state of a process, or in a situation of coupled instances. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "heuristics/whole_state/child.h"
#include "heuristics/whole_state/command_lines.h"
#include "heuristics/whole_state/coupled_command.h"

enum { ANSWER_BYTES = 65536, ANSWER_ACT_BYTES = 64 };

struct og_coupled_asker {
    char *command;
    double answer_seconds;
    og_stop *stop;
    og_child *child; /* NULL until the first question */
};

og_status og_coupled_asker_new(const char *command, double answer_seconds, og_stop *stop,
                               og_coupled_asker **out, og_message *message)
{
    (void)message;
    og_coupled_asker *asker = calloc(1, sizeof *asker);
    OG_TRY(OG_ALLOCATED(asker));
    *asker = (og_coupled_asker){strdup(command), answer_seconds, stop, NULL};
    return OG_MADE(OG_ALLOCATED(asker->command), asker, og_coupled_asker_free, out);
}

void og_coupled_asker_free(og_coupled_asker *asker)
{
    if (asker != NULL) {
        og_child_end(asker->child);
        free(asker->command);
    }
    free(asker);
}

/* ---- a line and its answer ---- */

/* The request on a line, to be freed; takes the request over. NULL: out of memory. */
static char *line_of(json_t *request)
{
    char *text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    size_t length = text != NULL ? strlen(text) : 0;
    char *line = text != NULL ? realloc(text, length + 2) : NULL;
    if (line != NULL) {
        memcpy(line + length, "\n", 2);
    } else {
        free(text);
    }
    json_decref(request);
    return line;
}

/* What is read from an answer. */
typedef og_status reader(const void *state, const json_t *line, double *answer, og_answer *kind,
                         og_message *why);

/* Sends the request, which is freed, and reads the answer, one number for each of `count` choices.
 */
static og_status converse(og_coupled_asker *asker, char *request, int32_t count, reader *read,
                          const void *state, double *answer, og_answer *kind, og_message *message)
{
    og_child_line got = {"", 0};
    og_message why = {""};
    json_error_t error;
    og_status status =
        asker->child != NULL ? OG_OK : og_child_start(asker->command, &asker->child, &why);
    if (status == OG_OK) {
        const og_answer_limits limits = {
            asker->answer_seconds, ANSWER_BYTES + ANSWER_ACT_BYTES * (size_t)count, asker->stop};
        status = og_child_ask(asker->child, (og_child_line){request, strlen(request)}, &limits,
                              &got, &why);
    }
    json_t *line = NULL;
    if (status == OG_OK) {
        line = json_loadb(got.text, got.length, JSON_REJECT_DUPLICATES, &error);
        status = line == NULL
                     ? og_message_set(&why, OG_FAILED, "its answer is not JSON (%.80s)", error.text)
                     : read(state, line, answer, kind, &why);
    }
    json_decref(line);
    if (status == OG_STOPPED) {
        og_message_set(message, status, "%s", why.text);
    } else if (status != OG_OK) {
        og_child_complain(asker->command, (og_child_line){request, strlen(request) - 1}, got, &why,
                          message);
    }
    free(request);
    return status;
}

/* ---- states of a process ---- */

typedef struct {
    const char *state;
    int32_t count;
    const char *const *act; /* [count] */
} choice_of_acts;

/* NULL: out of memory, or a text that is not UTF-8. */
static json_t *write_state(const choice_of_acts *at)
{
    json_t *acts = json_array(), *request = json_object();
    int failed = acts == NULL || request == NULL;
    for (int32_t i = 0; !failed && i < at->count; i++) {
        failed = json_array_append_new(acts, json_string(at->act[i])) != 0;
    }
    failed = failed || json_object_set_new(request, "state", json_string(at->state)) != 0 ||
             json_object_set(request, "acts", acts) != 0;
    json_decref(acts);
    if (failed) {
        json_decref(request);
        return NULL;
    }
    return request;
}

static og_status read_numbers(const json_t *numbers, const char *name, int32_t count,
                              double *answer, og_message *why)
{
    if (!json_is_array(numbers) || json_array_size(numbers) != (size_t)count) {
        return og_message_set(why, OG_FAILED, "\"%s\" must be a list of %d numbers, one an act",
                              name, (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(numbers, (size_t)i);
        if (!json_is_number(number)) {
            return og_message_set(why, OG_FAILED, "\"%s\" must have only numbers", name);
        }
        answer[i] = json_number_value(number);
    }
    return OG_OK;
}

static og_status read_act(const void *state, const json_t *line, double *answer, og_answer *kind,
                          og_message *why)
{
    const choice_of_acts *at = state;
    const int32_t count = at->count;
    const json_t *choice = json_object_get(line, "choose");
    const json_t *weights = json_object_get(line, "weights");
    const json_t *index = json_object_get(line, "index");
    bool found = false;
    *kind = weights != NULL ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    if (json_object_size(line) != 1 || (choice == NULL && weights == NULL && index == NULL)) {
        return og_message_set(why, OG_FAILED,
                              "its answer must be {\"choose\":\"ACT\"}, {\"weights\":[...]} or "
                              "{\"index\":[...]}");
    }
    if (choice == NULL) {
        OG_TRY(read_numbers(weights != NULL ? weights : index,
                            weights != NULL ? "weights" : "index", count, answer, why));
        return og_answer_check(*kind, count, answer, "act", why);
    }
    if (!json_is_string(choice)) {
        return og_message_set(why, OG_FAILED, "\"choose\" must be the text of an act");
    }
    for (int32_t i = 0; i < count; i++) {
        answer[i] = strcmp(json_string_value(choice), at->act[i]) == 0;
        found = found || answer[i] > 0;
    }
    return found ? OG_OK
                 : og_message_set(why, OG_FAILED, "state '%.80s' has no act '%.63s'", at->state,
                                  json_string_value(choice));
}

og_status og_process_ask(og_coupled_asker *asker, const char *state, int32_t count,
                         const char *const *act, double *answer, og_answer *kind,
                         og_message *message)
{
    const choice_of_acts at = {state, count, act};
    char *request = line_of(write_state(&at));
    if (request == NULL) {
        return og_message_set(message, OG_FAILED,
                              "policy 'command:%.60s': a state or an act is not UTF-8, or memory "
                              "is out",
                              asker->command);
    }
    return converse(asker, request, count, read_act, &at, answer, kind, message);
}

/* ---- situations ---- */

static json_t *row_of(const int32_t *number, int32_t count)
{
    json_t *row = json_array();
    for (int32_t i = 0; i < count; i++) {
        if (json_array_append_new(row, json_integer(number[i])) != 0) {
            json_decref(row);
            return NULL;
        }
    }
    return row;
}

/* Numbers of each instance and worker, a list for each instance. */
static json_t *rows_of(const og_situation *now, const int32_t *number)
{
    json_t *rows = json_array();
    for (int32_t i = 0; i < now->instance_count; i++) {
        if (json_array_append_new(rows, row_of(&number[(size_t)i * (size_t)now->worker_count],
                                               now->worker_count)) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static int put_choices(json_t *request, const og_situation *now)
{
    json_t *instance = json_array(), *worker = json_array(), *counts = json_array();
    int failed = json_object_set_new(request, "instance", instance) |
                 json_object_set_new(request, "worker", worker) |
                 json_object_set_new(request, "counts", counts);
    for (int32_t c = 0; !failed && c < now->choice_count; c++) {
        const og_label_choice *choice = &now->choice[c];
        failed = json_array_append_new(instance, json_integer(choice->instance)) |
                 json_array_append_new(worker, json_integer(choice->worker)) |
                 json_array_append_new(counts, json_integer(choice->copies));
    }
    return failed;
}

/* NULL: out of memory. */
static json_t *write_situation(const og_situation *now)
{
    json_t *request = json_object();
    if (put_choices(request, now) ||
        json_object_set_new(request, "positive", rows_of(now, now->positive)) ||
        json_object_set_new(request, "negative", rows_of(now, now->negative)) ||
        json_object_set_new(request, "left", json_integer(now->left)) ||
        json_object_set_new(request, "budget", json_integer(now->budget)) ||
        json_object_set_new(request, "price", json_real(now->price))) {
        json_decref(request);
        return NULL;
    }
    return request;
}

static og_status read_choice(const void *state, const json_t *line, double *answer, og_answer *kind,
                             og_message *why)
{
    const og_situation *now = state;
    og_view view = {.count = now->choice_count, .answer = answer};
    og_command_manner ignored = {false, false};
    OG_TRY(og_command_read_answer(line, &view, &ignored, kind, why));
    *kind = *kind == OG_ANSWER_EXACT ? OG_ANSWER_INDEX : *kind;
    return OG_OK;
}

og_status og_situation_ask(og_coupled_asker *asker, const og_situation *now, double *answer,
                           og_answer *kind, og_message *message)
{
    char *request = line_of(write_situation(now));
    return request == NULL ? OG_NO_MEMORY
                           : converse(asker, request, now->choice_count, read_choice, now, answer,
                                      kind, message);
}
