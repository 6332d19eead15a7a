/*
 * Policies of processes. A state with one act is chance, and no policy is asked about it. Tables,
 * functions and commands are asked once about each other state: their answers are kept, so that all
 * parts of a question get the same ones, and the caller's functions are not called for what is
 * known. An answer that stops is refused here, for all questions.
 */
#include "heuristics/process_policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/rows.h"
#include "dp/base/sort.h"
#include "heuristics/steady.h"
#include "heuristics/user_policy.h"
#include "heuristics/whole_state/coupled_command.h"

/* A row of a table file; while it is read, texts are places in the chooser's `words`. */
typedef struct {
    size_t state, act;
} place;

typedef struct {
    const char *state, *act;
} row;

typedef struct chooser chooser;
struct chooser {
    og_arena arena;
    const og_process_table *table;
    og_status (*answer)(chooser *c, og_answer *kind, og_message *message); /* fills `now` */
    const og_user_policy *function;
    og_coupled_asker *asker; /* of a command */
    const char *name;
    double tie_relative;
    og_stop *stop;
    og_steady steady;
    const char **act; /* [acts_max] of the current state, like the next three */
    uint32_t state;
    int32_t count;
    double *now;        /* [acts_max] the answer about the current state */
    double *kept;       /* [act_count] answers by acts, */
    uint8_t *kept_kind; /* [state_count] and their kinds plus 1; 0: not asked yet */
    char *text;         /* [OG_PROCESS_TEXT_BYTES] */
    char *words;        /* [word_bytes] of a table file */
    size_t word_bytes, word_room, row_count, place_room;
    place *place; /* [row_count] */
    row *row;     /* [row_count] sorted by states */
};

static void chooser_free(void *self)
{
    chooser *c = self;
    if (c != NULL) {
        og_coupled_asker_free(c->asker);
        og_steady_clear(&c->steady);
        free(c->words);
        free(c->place);
    }
    og_arena_free(c);
}

static void take_state(chooser *c, const og_strategy_view *view)
{
    const og_process_view *seen = view->state;
    c->state = seen->state;
    c->count = view->count;
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
        return og_process_ask(c->asker, c->text, c->count, c->act, c->now, kind, message);
    }
    uint64_t first = table->key_first[c->state];
    og_status status = c->function->act(c->function->user, table->key + first,
                                        table->key_first[c->state + 1] - first, c->count, c->act,
                                        c->now, &weights, &words);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status answer_by_asking(chooser *c, og_answer *kind, og_message *message)
{
    OG_TRY(og_own_stopped(c->stop, message));
    if (c->asker != NULL) {
        write_text(c);
    }
    const og_steady_question question = {.ask = ask,
                                         .self = c,
                                         .answer = c->now,
                                         .count = c->count,
                                         .tie_relative = c->tie_relative,
                                         .prefix = "",
                                         .policy = c->name,
                                         .weights = c->asker != NULL ? "{\"weights\":[...]}"
                                                                     : OG_STEADY_FUNCTION};
    return og_steady_ask(&c->steady, &question, kind, message);
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

static og_status answer_by_table(chooser *c, og_answer *kind, og_message *message)
{
    write_text(c);
    memset(c->now, 0, (size_t)c->count * sizeof *c->now);
    *kind = OG_ANSWER_INDEX;
    size_t first = find_row(c), r = first;
    for (; r < c->row_count && strcmp(c->row[r].state, c->text) == 0; r++) {
        const char *name = c->row[r].act;
        int32_t i = find_act(c, name);
        if (i == c->count) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.100s': state '%.100s' has no act '%.63s'", c->name,
                                  c->text, name);
        }
        c->now[i] = 1;
    }
    return r > first
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "policy '%.100s' has no row for state '%.100s'", c->name, c->text);
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

/* ---- all of them ---- */

static bool is_stop(const chooser *c, og_answer kind)
{
    bool stops = kind == OG_ANSWER_INDEX;
    for (int32_t i = 0; i < c->count; i++) {
        stops = stops && c->now[i] == -INFINITY;
    }
    return stops;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    chooser *c = self;
    take_state(c, view);
    double *kept = c->kept + c->table->act_first[c->state];
    *kind = OG_ANSWER_INDEX;
    if (c->count == 1) {
        answer[0] = 1;
        return OG_OK;
    }
    if (c->kept_kind[c->state] == 0) {
        OG_TRY(c->answer(c, kind, message));
        if (is_stop(c, *kind)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.100s' stops, which processes do not support: an end "
                                  "has no acts",
                                  c->name);
        }
        memcpy(kept, c->now, (size_t)c->count * sizeof *kept);
        c->kept_kind[c->state] = (uint8_t)(*kind + 1);
    }
    *kind = (og_answer)(c->kept_kind[c->state] - 1);
    memcpy(answer, kept, (size_t)c->count * sizeof *kept);
    return OG_OK;
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
    c->answer = answer_by_asking;
    return OG_OK;
}

static og_status make_chooser(chooser *c, const og_policy_name *policy, const og_policy_use *use,
                              og_strategy *out, og_message *message)
{
    const og_process_table *table = c->table;
    const char *colon = strchr(policy->name, ':');
    size_t acts = (size_t)table->acts_max + 1;
    OG_TRY(og_process_room(table, table->act_count * sizeof *c->kept + table->state_count,
                           use->memory_bytes, message));
    c->act = og_arena_array(&c->arena, acts, sizeof *c->act);
    c->now = og_arena_array(&c->arena, acts, sizeof *c->now);
    c->kept = og_arena_array(&c->arena, table->act_count, sizeof *c->kept);
    c->kept_kind = og_arena_array(&c->arena, table->state_count, sizeof *c->kept_kind);
    c->text = og_arena_array(&c->arena, OG_PROCESS_TEXT_BYTES, 1);
    c->name = og_arena_copy(&c->arena, policy->name, strlen(policy->name) + 1, 1);
    OG_TRY(og_arena_status(&c->arena));
    *out = (og_strategy){.self = c,
                         .one_thread = true,
                         .tie_relative = policy->tie_relative,
                         .choose = choose,
                         .free = chooser_free};
    if (policy->function != NULL) {
        return make_function(c, policy, message);
    }
    if (strncmp(policy->name, "command:", 8) == 0) {
        c->answer = answer_by_asking;
        return og_coupled_asker_new(colon + 1, policy->answer_seconds, use->stop, &c->asker,
                                    message);
    }
    c->answer = answer_by_table;
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
