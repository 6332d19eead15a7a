/*
 * A process that is a program: it gets a line for the root, then a line for each batch of states,
 * and answers each. The answers of a batch are kept until its states are expanded, in its order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/answers.h"
#include "bench/families/process/problem.h"
#include "dp/base/clock.h"

enum { SHOWN = 160, ANSWER_BYTES = 1 << 28 };
static const double answer_seconds = 60; /* for a line */

/* Batches begin with one state and grow while their answers are quick, so that the time limit is
 * one for few states of a slow program. */
enum { BATCH_FACTOR = 4 };
static const double quick_seconds = 0.5, slow_seconds = 5;

struct process_child {
    char *command;
    og_child *child;
    process_answers answers; /* of the batch */
    int32_t batch;           /* most states of the next line */
    og_stop *stop;
};

void process_child_close(process_child *child)
{
    if (child != NULL) {
        og_child_end(child->child);
        process_answers_clear(&child->answers);
        free(child->command);
    }
    free(child);
}

static int part_of(size_t length)
{
    return length < SHOWN ? (int)length : SHOWN;
}

/* Reads an answer. */
typedef og_status reader(void *self, og_child_line line, og_message *why);

/* Asks with this object, which it releases, and has the answer read. */
static og_status ask(process_child *child, json_t *request, reader *read, void *self,
                     og_message *message)
{
    const og_answer_limits limits = {answer_seconds, ANSWER_BYTES, child->stop};
    og_child_line got = {"nothing", strlen("nothing")};
    og_message why = {""};
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
    OG_THEN(status, read(self, got, &why));
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

typedef struct {
    void *state;
    size_t bytes;
} root_place;

static og_status read_root(void *self, og_child_line line, og_message *why)
{
    root_place *root = self;
    return process_answers_root(line, root->state, &root->bytes, why);
}

static size_t write_root(void *user, void *state, char *message, size_t message_bytes)
{
    root_place root = {state, 0};
    og_message why = {""};
    og_status status = ask(user, json_pack("{s:b}", "root", 1), read_root, &root, &why);
    og_message_complete(&why, status);
    snprintf(message, message_bytes, "%s", why.text);
    return status == OG_OK ? root.bytes : 0;
}

static void resize_batch(process_child *child, double seconds)
{
    if (seconds < quick_seconds && child->batch < OG_PROCESS_BATCH) {
        child->batch *= BATCH_FACTOR;
    } else if (seconds > slow_seconds && child->batch > 1) {
        child->batch /= BATCH_FACTOR;
    }
}

typedef struct {
    process_answers *answers;
    int32_t count;
} batch_place;

static og_status read_batch(void *self, og_child_line line, og_message *why)
{
    const batch_place *batch = self;
    return process_answers_read(batch->answers, line, batch->count, why);
}

static og_status ahead(void *user, int32_t *count, const og_process_state *state,
                       og_message *message)
{
    process_child *child = user;
    *count = *count < child->batch ? *count : child->batch;
    batch_place batch = {&child->answers, *count};
    json_t *states = json_array();
    for (int32_t i = 0; i < *count; i++) {
        if (json_array_append_new(states, json_stringn(state[i].state, state[i].bytes)) != 0) {
            json_decref(states);
            return OG_NO_MEMORY;
        }
    }
    og_message why = {""};
    double begun = og_seconds();
    og_status status = ask(child, json_pack("{s:o}", "expand", states), read_batch, &batch, &why);
    resize_batch(child, og_seconds() - begun);
    return status == OG_OK ? OG_OK
                           : og_message_set(message, status, "%s%s",
                                            status == OG_FAILED ? "process: " : "", why.text);
}

static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes)
{
    process_child *child = user;
    (void)state, (void)bytes;
    return process_answers_tell(&child->answers, to, message, message_bytes);
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
    child->batch = 1;
    child->command = strdup(command);
    source->ahead = ahead;
    source->process = (og_process){.version = OG_PROCESS_VERSION,
                                   .user = child,
                                   .root = write_root,
                                   .expand = expand,
                                   .text = write_text};
    return OG_MADE(OG_ALLOCATED(child->command), child, process_child_close, out);
}
