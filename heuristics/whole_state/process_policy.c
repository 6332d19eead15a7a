/* Policies of processes. */
#include "heuristics/process_policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/rows.h"
#include "dp/base/sort.h"
#include "heuristics/steady.h"
#include "heuristics/user_policy.h"
#include "heuristics/whole_state/process_command.h"

/* A row of a table file; while it is read, texts are places in the chooser's `words`. */
typedef struct {
    size_t state, act;
} place;

typedef struct {
    const char *state, *act;
} row;

typedef struct {
    og_arena arena;
    const og_process_table *table;
    const og_user_policy *function;
    og_process_asker *asker; /* of a command */
    const char *name;
    double tie_relative;
    og_stop *stop;
    og_steady steady;
    const char **act; /* [acts_max] of the current state, like the next three */
    uint32_t state;
    int32_t count;
    double *answer; /* the caller's */
    char *text;     /* [OG_PROCESS_TEXT_BYTES] */
    char *words;    /* [word_bytes] of a table file */
    size_t word_bytes, word_room, row_count, place_room;
    place *place;       /* [row_count] */
    row *row;           /* [row_count] sorted by states */
    og_lock own, *lock; /* held while it is asked */
    bool made;          /* `own` */
} chooser;

static void chooser_free(void *self)
{
    chooser *c = self;
    if (c != NULL) {
        og_process_asker_free(c->asker);
        og_steady_clear(&c->steady);
        free(c->words);
        free(c->place);
        if (c->made) {
            og_lock_clear(&c->own);
        }
    }
    og_arena_free(c);
}

static void take_state(chooser *c, const og_strategy_view *view, double *answer)
{
    const og_process_view *seen = view->state;
    c->state = seen->state;
    c->count = view->count;
    c->answer = answer;
    for (int32_t i = 0; i < view->count; i++) {
        uint32_t act = c->table->act_first[seen->state] + view->open[i].act.part[0];
        c->act[i] = og_process_act_name(c->table, act);
    }
}

static void write_text(chooser *c)
{
    og_process_state_text(c->table, c->state, c->text, OG_PROCESS_TEXT_BYTES);
}

/* ---- the first act ---- */

static og_status choose_first(void *self, const og_strategy_view *view, double *answer,
                              og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = i == 0;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

/* ---- functions and commands ---- */

static og_status ask(void *self, og_answer *kind, og_message *message)
{
    chooser *c = self;
    const og_process_table *table = c->table;
    og_message words = {""};
    bool weights = false;
    if (c->asker != NULL) {
        return og_process_ask(c->asker, c->text, c->count, c->act, c->answer, kind, message);
    }
    uint64_t first = table->key_first[c->state];
    og_status status = c->function->act(c->function->user, table->key + first,
                                        table->key_first[c->state + 1] - first, c->count, c->act,
                                        c->answer, &weights, &words);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status choose_by_asking(void *self, const og_strategy_view *view, double *answer,
                                  og_answer *kind, og_message *message)
{
    chooser *c = self;
    OG_TRY(og_own_stopped(c->stop, message));
    og_lock_take(c->lock);
    take_state(c, view, answer);
    if (c->asker != NULL) {
        write_text(c);
    }
    const og_steady_question question = {.ask = ask,
                                         .self = c,
                                         .answer = answer,
                                         .count = view->count,
                                         .tie_relative = c->tie_relative,
                                         .prefix = "",
                                         .policy = c->name,
                                         .weights = c->asker != NULL ? "{\"weights\":[...]}"
                                                                     : OG_STEADY_FUNCTION};
    og_status status = og_steady_ask(&c->steady, &question, kind, message);
    og_lock_release(c->lock);
    return status;
}

/* ---- tables ---- */

static int compare_rows(const void *x, const void *y)
{
    const row *a = x, *b = y;
    int by_state = strcmp(a->state, b->state);
    return by_state != 0 ? by_state : (a->state > b->state) - (a->state < b->state);
}

/* The first row of the current state, or the first after it. */
static size_t find_row(const chooser *c)
{
    size_t low = 0, high = c->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(c->row[middle].state, c->text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int32_t find_act(const chooser *c, const char *name)
{
    int32_t i = 0;
    while (i < c->count && strcmp(c->act[i], name) != 0) {
        i++;
    }
    return i;
}

static og_status look_up(chooser *c, double *answer, og_message *message)
{
    write_text(c);
    size_t first = find_row(c), r = first;
    for (; r < c->row_count && strcmp(c->row[r].state, c->text) == 0; r++) {
        const char *name = c->row[r].act;
        int32_t i = find_act(c, name);
        if (i == c->count) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.100s': state '%.100s' has no act '%.63s'", c->name,
                                  c->text, name);
        }
        answer[i] = 1;
    }
    return r > first
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "policy '%.100s' has no row for state '%.100s'", c->name, c->text);
}

static og_status choose_by_table(void *self, const og_strategy_view *view, double *answer,
                                 og_answer *kind, og_message *message)
{
    chooser *c = self;
    og_lock_take(c->lock);
    take_state(c, view, answer);
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = 0;
    }
    *kind = OG_ANSWER_INDEX;
    og_status status = look_up(c, answer, message);
    og_lock_release(c->lock);
    return status;
}

static size_t keep_word(chooser *c, og_rows *rows, const char *word)
{
    size_t at = c->word_bytes, bytes = strlen(word) + 1;
    char *words = og_rows_grown(rows, c->words, &c->word_room, at + bytes, 1);
    if (words != NULL) {
        c->words = words;
        memcpy(words + at, word, bytes);
        c->word_bytes += bytes;
    }
    return at;
}

static bool keep_row(chooser *c, og_rows *rows, const int *position)
{
    if (position[0] >= rows->field_count || position[1] >= rows->field_count) {
        return og_rows_fail(rows, "a row needs a state and an act");
    }
    place *grown = og_rows_grown(rows, c->place, &c->place_room, c->row_count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    c->place = grown;
    size_t state = keep_word(c, rows, rows->field[position[0]]);
    size_t act = keep_word(c, rows, rows->field[position[1]]);
    grown[c->row_count++] = (place){state, act};
    return rows->status == OG_OK;
}

static og_status read_table(chooser *c, const char *path, const og_policy_use *use,
                            og_message *message)
{
    static const char *const names[] = {"state", "act"};
    const og_rows_limits limits = {.memory_bytes = use->memory_bytes, .stop = use->stop};
    int position[2] = {-1, -1};
    og_rows rows;
    og_rows_open(&rows, path, '\t', '\0', &limits, message);
    bool going = og_rows_next(&rows) && og_rows_columns(&rows, names, 2, position);
    if (going && (position[0] < 0 || position[1] < 0)) {
        going = og_rows_fail(&rows, "the columns of a policy must be state and act");
    }
    while (going && og_rows_next(&rows)) {
        going = keep_row(c, &rows, position);
    }
    OG_TRY(og_rows_close(&rows));
    c->row = og_arena_array(&c->arena, c->row_count, sizeof *c->row);
    OG_TRY(og_arena_status(&c->arena));
    for (size_t r = 0; r < c->row_count; r++) {
        c->row[r] = (row){c->words + c->place[r].state, c->words + c->place[r].act};
    }
    return og_sort(c->row, c->row_count, sizeof *c->row, compare_rows, use->stop);
}

/* ---- making ---- */

static og_status make_function(chooser *c, const og_policy_name *policy, og_message *message)
{
    if (policy->function->act == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' is a function for another type of problem; a process "
                              "supports functions of a state and its acts",
                              policy->name);
    }
    c->function = policy->function;
    c->lock = policy->function->lock;
    return OG_OK;
}

static og_status make_chooser(chooser *c, const og_policy_name *policy, const og_policy_use *use,
                              og_strategy *out, og_message *message)
{
    const char *colon = strchr(policy->name, ':');
    bool command = strncmp(policy->name, "command:", 8) == 0;
    og_lock_init(&c->own);
    c->made = true;
    c->lock = &c->own;
    c->act = og_arena_array(&c->arena, (size_t)c->table->acts_max + 1, sizeof *c->act);
    c->text = og_arena_array(&c->arena, OG_PROCESS_TEXT_BYTES, 1);
    c->name = og_arena_copy(&c->arena, policy->name, strlen(policy->name) + 1, 1);
    OG_TRY(og_arena_status(&c->arena));
    *out = (og_strategy){.self = c, .tie_relative = policy->tie_relative, .free = chooser_free};
    if (policy->function != NULL) {
        out->choose = choose_by_asking;
        return make_function(c, policy, message);
    }
    if (command) {
        out->choose = choose_by_asking;
        return og_process_asker_new(colon + 1, policy->answer_seconds, use->stop, &c->asker);
    }
    out->choose = choose_by_table;
    return read_table(c, colon + 1, use, message);
}

og_status og_process_strategy(const og_policy_name *policy, const og_process_table *table,
                              const og_policy_use *use, og_strategy *out, og_message *message)
{
    bool own = policy->function != NULL;
    if (!own && strcmp(policy->name, "uniform") == 0) {
        *out = (og_strategy){.choose = og_strategy_choose_any, .concurrent = true};
        return OG_OK;
    }
    if (!own && strcmp(policy->name, "first") == 0) {
        *out = (og_strategy){.choose = choose_first, .concurrent = true};
        return OG_OK;
    }
    if (!own && strncmp(policy->name, "table:", 6) != 0 &&
        strncmp(policy->name, "command:", 8) != 0) {
        return og_policy_name_refuse(policy, "processes", "process", message);
    }
    chooser *c = og_arena_new(sizeof *c);
    OG_TRY(OG_ALLOCATED(c));
    c->table = table;
    c->tie_relative = policy->tie_relative;
    c->stop = use->stop;
    og_strategy made = {.self = NULL};
    og_status status = make_chooser(c, policy, use, &made, message);
    if (status != OG_OK) {
        chooser_free(c);
        return status;
    }
    *out = made;
    return OG_OK;
}
