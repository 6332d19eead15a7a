/* Asks a program for its choice among the acts of a process's state. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "heuristics/whole_state/child.h"
#include "heuristics/whole_state/process_command.h"

enum { SHOWN = 100, ANSWER_BYTES = 65536, ANSWER_ACT_BYTES = 64 };

struct og_process_asker {
    char *command;
    double answer_seconds;
    og_stop *stop;
    og_child *child; /* NULL until the first question */
};

og_status og_process_asker_new(const char *command, double answer_seconds, og_stop *stop,
                               og_process_asker **out, og_message *message)
{
    (void)message;
    og_process_asker *asker = calloc(1, sizeof *asker);
    OG_TRY(OG_ALLOCATED(asker));
    *asker = (og_process_asker){strdup(command), answer_seconds, stop, NULL};
    return OG_MADE(OG_ALLOCATED(asker->command), asker, og_process_asker_free, out);
}

void og_process_asker_free(og_process_asker *asker)
{
    if (asker != NULL) {
        og_child_end(asker->child);
        free(asker->command);
    }
    free(asker);
}

/* A line to be freed; NULL: out of memory, or a text that is not UTF-8. */
static char *write_request(const char *state, int32_t count, const char *const *act)
{
    json_t *acts = json_array(), *request = json_object();
    int failed = acts == NULL || request == NULL;
    for (int32_t i = 0; !failed && i < count; i++) {
        failed = json_array_append_new(acts, json_string(act[i])) != 0;
    }
    failed = failed || json_object_set_new(request, "state", json_string(state)) != 0 ||
             json_object_set(request, "acts", acts) != 0;
    char *text = failed ? NULL : json_dumps(request, JSON_COMPACT);
    size_t length = text != NULL ? strlen(text) : 0;
    char *line = text != NULL ? realloc(text, length + 2) : NULL;
    if (line != NULL) {
        memcpy(line + length, "\n", 2);
    } else {
        free(text);
    }
    json_decref(acts);
    json_decref(request);
    return line;
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

static og_status read_answer(const json_t *line, const char *state, int32_t count,
                             const char *const *act, double *answer, og_answer *kind,
                             og_message *why)
{
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
    for (int32_t i = 0; i < count; i++) {
        answer[i] = json_is_string(choice) && strcmp(json_string_value(choice), act[i]) == 0;
        found = found || answer[i] > 0;
    }
    return found ? OG_OK
                 : og_message_set(why, OG_FAILED, "state '%.80s' has no act '%.63s'", state,
                                  json_is_string(choice) ? json_string_value(choice) : "");
}

og_status og_process_ask(og_process_asker *asker, const char *state, int32_t count,
                         const char *const *act, double *answer, og_answer *kind,
                         og_message *message)
{
    og_child_line got = {"nothing", 7};
    og_message why = {""};
    json_error_t error;
    char *request = write_request(state, count, act);
    if (request == NULL) {
        return og_message_set(message, OG_FAILED,
                              "policy 'command:%.60s': a state or an act is not UTF-8, or memory "
                              "is out",
                              asker->command);
    }
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
                     : read_answer(line, state, count, act, answer, kind, &why);
    }
    json_decref(line);
    if (status == OG_STOPPED) {
        og_message_set(message, status, "%s", why.text);
    } else if (status != OG_OK) {
        og_message_set(message, status, "policy 'command:%.60s': %s; asked: %.*s; answered: %.*s",
                       asker->command, why.text,
                       (int)strcspn(request, "\n") < SHOWN ? (int)strcspn(request, "\n") : SHOWN,
                       request, got.length < SHOWN ? (int)got.length : SHOWN, got.text);
    }
    free(request);
    return status;
}
