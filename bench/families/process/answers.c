/* Reads the answers of a process's program. */
#include "bench/families/process/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/rational.h"

enum { NUMBER_BYTES = 32 };

void process_answers_clear(process_answers *answers)
{
    json_decref(answers->list);
    *answers = (process_answers){NULL, 0};
}

/* The value of a line's key, to be released. */
static og_status read_line(og_child_line line, const char *key, json_t **out, og_message *message)
{
    json_error_t error;
    json_t *answer = json_loadb(line.text, line.length, JSON_REJECT_DUPLICATES, &error);
    if (answer == NULL) {
        return og_message_set(message, OG_FAILED, "its answer is not JSON (%.80s)", error.text);
    }
    *out = json_incref(json_object_get(answer, key));
    json_decref(answer);
    return *out != NULL ? OG_OK
                        : og_message_set(message, OG_FAILED, "its answer has no \"%s\"", key);
}

og_status process_answers_root(og_child_line line, void *state, size_t *bytes, og_message *message)
{
    json_t *root = NULL;
    OG_TRY(read_line(line, "state", &root, message));
    size_t length = json_string_length(root); /* 0: not a text */
    og_status status = OG_OK;
    if (length >= 1 && length <= OG_PROCESS_STATE_BYTES_MAX) {
        memcpy(state, json_string_value(root), length);
        *bytes = length;
    } else {
        status = og_message_set(message, OG_FAILED, "the root must be a text of 1 to %d bytes",
                                OG_PROCESS_STATE_BYTES_MAX);
    }
    json_decref(root);
    return status;
}

og_status process_answers_read(process_answers *answers, og_child_line line, int32_t count,
                               og_message *message)
{
    json_t *list = NULL;
    OG_TRY(read_line(line, "expanded", &list, message));
    if (json_array_size(list) != (size_t)count) {
        og_status status = og_message_set(message, OG_FAILED,
                                          "it was asked about %" PRId32 " states and expanded %zu",
                                          count, json_array_size(list));
        json_decref(list);
        return status;
    }
    json_decref(answers->list);
    *answers = (process_answers){list, 0};
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
    if (og_rational_parse(exact, json_string_value(value))) {
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

bool process_answers_tell(process_answers *answers, og_expanded *to, char *message,
                          size_t message_bytes)
{
    json_t *answer = json_array_get(answers->list, answers->next++);
    json_t *end = json_object_get(answer, "end"), *acts = json_object_get(answer, "acts");
    char number[NUMBER_BYTES];
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
