/*
 * A process that is a program: it gets a line for the root, then a line for each batch of states,
 * and answers each. The answers of a batch are kept until its states are expanded, in its order.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process_problem.h"
#include "dp/base/rational.h"
#include "heuristics/whole_state/child.h"

enum { SHOWN = 160, ANSWER_BYTES = 1 << 28, NUMBER_BYTES = 32 };
static const double answer_seconds = 60; /* for a batch */

struct process_child {
    char *command;
    og_child *child;
    json_t *answers; /* an array, of the batch; NULL: none */
    size_t at;       /* the answer of the next state */
    og_stop *stop;
};

void process_child_close(process_child *child)
{
    if (child != NULL) {
        og_child_end(child->child);
        json_decref(child->answers);
        free(child->command);
    }
    free(child);
}

static int part_of(size_t length)
{
    return length < SHOWN ? (int)length : SHOWN;
}

/* Asks with this object, which it releases, for an object with one key. */
static og_status ask(process_child *child, json_t *request, const char *key, json_t **out,
                     og_message *message)
{
    const og_answer_limits limits = {answer_seconds, ANSWER_BYTES, child->stop};
    og_child_line got = {"nothing", strlen("nothing")};
    og_message why = {""};
    json_error_t error;
    char *text = json_dumps(request, JSON_COMPACT);
    size_t length = text != NULL ? strlen(text) : 0;
    char *line = text != NULL ? realloc(text, length + 2) : NULL;
    json_decref(request);
    if (line == NULL) {
        free(text);
        return OG_NO_MEMORY;
    }
    memcpy(line + length, "\n", 2);
    og_status status =
        child->child != NULL ? OG_OK : og_child_start(child->command, &child->child, &why);
    OG_THEN(status,
            og_child_ask(child->child, (og_child_line){line, length + 1}, &limits, &got, &why));
    json_t *answer = NULL;
    if (status == OG_OK) {
        answer = json_loadb(got.text, got.length, JSON_REJECT_DUPLICATES, &error);
        *out = json_incref(json_object_get(answer, key));
        if (answer == NULL) {
            status = og_message_set(&why, OG_FAILED, "its answer is not JSON (%.80s)", error.text);
        } else if (*out == NULL) {
            status = og_message_set(&why, OG_FAILED, "its answer has no \"%s\"", key);
        }
        json_decref(answer);
    }
    if (status == OG_FAILED) {
        og_message_set(message, status, "'command:%.60s': %s; asked: %.*s%s; answered: %.*s%s",
                       child->command, why.text, part_of(length), line, length > SHOWN ? "..." : "",
                       part_of(got.length), got.text, got.length > SHOWN ? "..." : "");
    } else if (status != OG_OK) {
        og_message_set(message, status, "%s", why.text);
    }
    free(line);
    return status;
}

static size_t write_root(void *user, void *state, char *message, size_t message_bytes)
{
    process_child *child = user;
    json_t *root = NULL;
    og_message why = {""};
    og_status status = ask(child, json_pack("{s:b}", "root", 1), "state", &root, &why);
    size_t bytes = json_is_string(root) ? json_string_length(root) : 0;
    if (bytes > 0 && bytes <= OG_PROCESS_STATE_BYTES_MAX) {
        memcpy(state, json_string_value(root), bytes);
    } else {
        bytes = 0;
        snprintf(message, message_bytes, "%s",
                 status != OG_OK ? why.text : "the root must be a text of 1 to 4096 bytes");
    }
    json_decref(root);
    return bytes;
}

static og_status ahead(void *user, int32_t count, const og_process_state *state,
                       og_message *message)
{
    process_child *child = user;
    json_t *states = json_array(), *answers = NULL;
    for (int32_t i = 0; i < count; i++) {
        if (json_array_append_new(states, json_stringn(state[i].state, state[i].bytes)) != 0) {
            json_decref(states);
            return OG_NO_MEMORY;
        }
    }
    og_message why = {""};
    og_status status = ask(child, json_pack("{s:o}", "expand", states), "expanded", &answers, &why);
    if (status == OG_OK && json_array_size(answers) != (size_t)count) {
        status = og_message_set(&why, OG_FAILED,
                                "'command:%.60s': it was asked about %" PRId32
                                " states and expanded %zu",
                                child->command, count, json_array_size(answers));
    }
    if (status != OG_OK) {
        json_decref(answers);
        return og_message_set(message, status, "%s%s", status == OG_FAILED ? "process: " : "",
                              why.text);
    }
    json_decref(child->answers);
    child->answers = answers;
    child->at = 0;
    return OG_OK;
}

/* A whole number or a text as a text, NULL for another value. */
static const char *as_text(const json_t *value, char number[NUMBER_BYTES])
{
    if (json_is_integer(value)) {
        snprintf(number, NUMBER_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return number;
    }
    return value == NULL ? "0" : json_string_value(value);
}

static double as_double(const json_t *value)
{
    double number = NAN;
    mpq_t exact;
    if (!json_is_string(value)) {
        return value == NULL ? 0 : json_is_number(value) ? json_number_value(value) : NAN;
    }
    mpq_init(exact);
    if (og_process_number(json_string_value(value), exact)) {
        number = og_nearest(exact);
    }
    mpq_clear(exact);
    return number;
}

static bool tell_outcome(const json_t *outcome, og_expanded *to)
{
    const json_t *p = json_array_get(outcome, 0), *reward = json_array_get(outcome, 2);
    const json_t *next = json_array_get(outcome, 1);
    char number[2][NUMBER_BYTES];
    const char *texts[] = {as_text(p, number[0]), as_text(reward, number[1])};
    size_t size = json_array_size(outcome);
    if (size < 2 || size > 3 || !json_is_string(next)) {
        return false;
    }
    if (texts[0] != NULL && texts[1] != NULL) {
        to->outcome_text(to, texts[0], texts[1], json_string_value(next), json_string_length(next));
    } else {
        to->outcome(to, as_double(p), as_double(reward), json_string_value(next),
                    json_string_length(next));
    }
    return true;
}

static bool tell_acts(json_t *acts, og_expanded *to)
{
    const char *name;
    json_t *outcomes;
    json_object_foreach(acts, name, outcomes)
    {
        to->act(to, name);
        for (size_t k = 0; k < json_array_size(outcomes); k++) {
            if (!tell_outcome(json_array_get(outcomes, k), to)) {
                return false;
            }
        }
    }
    return json_is_object(acts);
}

static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes)
{
    process_child *child = user;
    json_t *answer = json_array_get(child->answers, child->at++);
    json_t *end = json_object_get(answer, "end"), *acts = json_object_get(answer, "acts");
    char number[NUMBER_BYTES];
    (void)state, (void)bytes;
    bool told = json_object_size(answer) == 1 && (end != NULL || acts != NULL);
    if (told && end != NULL) {
        const char *text = as_text(end, number);
        if (text != NULL) {
            to->end_text(to, text);
        } else {
            to->end(to, as_double(end));
        }
    } else if (told) {
        told = tell_acts(acts, to);
    }
    if (!told) {
        snprintf(message, message_bytes,
                 "the program must answer {\"end\":VALUE} or {\"acts\":{\"ACT\":"
                 "[[PROBABILITY,\"STATE\",REWARD],...],...}}");
    }
    return told;
}

static int write_text(void *user, const void *state, size_t bytes, char *text, size_t text_bytes)
{
    (void)user;
    return snprintf(text, text_bytes, "%.*s", (int)bytes, (const char *)state);
}

og_status process_child_open(const char *command, og_stop *stop, process_child **out,
                             og_process_source *source, og_message *message)
{
    process_child *child = calloc(1, sizeof *child);
    (void)message;
    OG_TRY(OG_ALLOCATED(child));
    child->stop = stop;
    child->command = strdup(command);
    source->ahead = ahead;
    source->process = (og_process){.version = OG_PROCESS_VERSION,
                                   .user = child,
                                   .root = write_root,
                                   .expand = expand,
                                   .text = write_text};
    return OG_MADE(OG_ALLOCATED(child->command), child, process_child_close, out);
}
