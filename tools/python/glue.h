#ifndef OG_TOOLS_PYTHON_GLUE_H
#define OG_TOOLS_PYTHON_GLUE_H

/*
 * What stands between optgap.h and Python, in the source that cffi writes: a state as arrays
 * without holes for the functions of the package, and a watch that needs no interpreter.
 */
#include <Python.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"
#include "tools/show/columns.h"
#include "tools/sweep/answers.h"

int optgap_main(int argc, char **argv); /* the program */

/* A state of independent instances, for one call of a policy. */
typedef struct {
    int32_t left, budget;
    int32_t count;           /* groups of instances that are alike */
    int32_t width;           /* most parameters of a group */
    int32_t label_width;     /* different labels of a group, 0 where they are not looked at */
    const double *posterior; /* [count * width] rows, shorter ones with NAN at their ends */
    const double *threshold; /* [count] */
    const int64_t *copies;   /* [count] */
    const int32_t *labels;   /* [count * label_width] */
    double price;            /* of a label */
} python_state;

/* What a function of the package returns. */
enum { PYTHON_FAILED, PYTHON_INDEX, PYTHON_WEIGHTS };

/* Written by cffi: they call the functions of these names in tools/python/optgap/_policies.py. */
static int python_choose(void *policy, const python_state *state, double *answer);
static int python_decide(void *policy, const og_situation *now, double *answer);
static double python_worth(void *worth, const og_plugin_group *at); /* an og_final_reward */

static og_status python_ended(int kind, bool *weights, og_message *message)
{
    *weights = kind == PYTHON_WEIGHTS;
    if (kind == PYTHON_FAILED) {
        strcpy(message->text, "a policy raised an exception");
    }
    return kind == PYTHON_FAILED ? OG_FAILED : OG_OK;
}

static python_state python_widths(const og_plugin_state *state)
{
    python_state flat = {
        .left = state->left, .budget = state->budget, .count = state->count, .price = state->price};
    for (int32_t g = 0; g < state->count; g++) {
        const og_plugin_group *group = &state->group[g];
        flat.width = group->parameter_count > flat.width ? group->parameter_count : flat.width;
        if (group->labels != NULL && group->label_count > flat.label_width) {
            flat.label_width = group->label_count;
        }
    }
    return flat;
}

/* For og_callback.choose; user is the package's handle of the policy. */
static og_status python_ask(void *user, const og_plugin_state *state, double *answer, bool *weights,
                            og_message *message)
{
    python_state flat = python_widths(state);
    size_t count = (size_t)flat.count, width = (size_t)flat.width;
    size_t label_width = (size_t)flat.label_width;
    double *posterior = malloc(count * (8 * (width + 2) + 4 * label_width));
    if (posterior == NULL) {
        return OG_NO_MEMORY;
    }
    double *threshold = posterior + count * width;
    int64_t *copies = (int64_t *)(threshold + count);
    int32_t *labels = (int32_t *)(copies + count);
    for (size_t g = 0; g < count; g++) {
        const og_plugin_group *group = &state->group[g];
        for (size_t k = 0; k < width; k++) {
            bool there = k < (size_t)group->parameter_count;
            posterior[g * width + k] = there ? group->parameter[k] : NAN;
        }
        for (size_t k = 0; k < label_width; k++) {
            bool there = group->labels != NULL && k < (size_t)group->label_count;
            labels[g * label_width + k] = there ? group->labels[k] : 0;
        }
        threshold[g] = group->threshold;
        copies[g] = group->copies;
    }
    flat.posterior = posterior;
    flat.threshold = threshold;
    flat.copies = copies;
    flat.labels = labels;
    int kind = python_choose(user, &flat, answer);
    free(posterior);
    return python_ended(kind, weights, message);
}

/* An og_decide. */
static og_status python_ask_coupled(void *user, const og_situation *now, double *answer,
                                    bool *weights, og_message *message)
{
    return python_ended(python_decide(user, now, answer), weights, message);
}

/* A process of the package: its states are numbers, which are their bytes. Written by cffi: they
 * call the functions of these names in tools/python/optgap/_process.py. */
static bool python_process_tell(void *process, int64_t number, og_expanded *to);
static int python_process_show(void *process, int64_t number, char *text, size_t size);
static int python_play(void *policy, int64_t number, int32_t count, const char *const *act,
                       double *answer);

static int64_t python_number(const void *state)
{
    int64_t number;
    memcpy(&number, state, sizeof number);
    return number;
}

static size_t python_process_root(void *user, void *state, char *message, size_t message_bytes)
{
    (void)user, (void)message, (void)message_bytes;
    memset(state, 0, sizeof(int64_t));
    return sizeof(int64_t);
}

static bool python_process_expand(void *user, const void *state, size_t bytes, og_expanded *to,
                                  char *message, size_t message_bytes)
{
    (void)bytes;
    bool told = python_process_tell(user, python_number(state), to);
    if (!told && message_bytes > 0) {
        strncpy(message, "expand raised an exception", message_bytes - 1);
    }
    return told;
}

static int python_process_text(void *user, const void *state, size_t bytes, char *text, size_t size)
{
    (void)bytes;
    return python_process_show(user, python_number(state), text, size);
}

static void python_tell_act(og_expanded *to, const char *name)
{
    to->act(to, name);
}

static void python_tell_outcome(og_expanded *to, double probability, double reward, int64_t next)
{
    to->outcome(to, probability, reward, &next, sizeof next);
}

static void python_tell_outcome_text(og_expanded *to, const char *probability, const char *reward,
                                     int64_t next)
{
    to->outcome_text(to, probability, reward, &next, sizeof next);
}

static void python_tell_end(og_expanded *to, double value)
{
    to->end(to, value);
}

static void python_tell_end_text(og_expanded *to, const char *value)
{
    to->end_text(to, value);
}

/* An og_choose_act. */
static og_status python_choose_act(void *user, const void *state, size_t bytes, int32_t count,
                                   const char *const *act, double *answer, bool *weights,
                                   og_message *message)
{
    (void)bytes;
    return python_ended(python_play(user, python_number(state), count, act, answer), weights,
                        message);
}

/* The same where the state is a text. */
static int python_told(void *policy, const char *state, size_t bytes, int32_t count,
                       const char *const *act, double *answer);

static og_status python_choose_told(void *user, const void *state, size_t bytes, int32_t count,
                                    const char *const *act, double *answer, bool *weights,
                                    og_message *message)
{
    return python_ended(python_told(user, state, bytes, count, act, answer), weights, message);
}

/* A question at work: who waits for it reads progress, and sets stop. */
typedef struct {
    int stop;
    og_progress progress;
} python_work;

static bool python_look(void *user, const og_progress *progress)
{
    python_work *work = user;
    work->progress = *progress;
    return !__atomic_load_n(&work->stop, __ATOMIC_RELAXED);
}

static void python_stop(python_work *work)
{
    __atomic_store_n(&work->stop, 1, __ATOMIC_RELAXED);
}

/* A document's table for LaTeX, as the program prints it; the caller frees it. NULL: no memory, no
 * table, or no such column. */
static char *python_latex(const og_document *document, const char *command,
                          const latex_choice *chosen, int32_t count)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    bool shown = to != NULL && latex_print(to, document, command, chosen, count);
    bool kept = to != NULL && fclose(to) == 0;
    if (!shown || !kept) {
        free(text);
        return NULL;
    }
    return text;
}

/* Arrow's C data and stream interfaces: tables of other libraries. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static struct ArrowArrayStream *python_new_stream(void)
{
    return calloc(1, sizeof(struct ArrowArrayStream));
}

/* The destructor of a capsule with a stream. A consumer that took the stream has set release to
 * NULL. */
static void python_end_stream(void *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream != NULL && stream->release != NULL) {
        stream->release(stream);
    }
    free(stream);
}

#endif
