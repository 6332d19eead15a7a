/*
 * Reads recorded comparisons. Names become numbers by searching a sorted list. The scores' file,
 * which lists the items, is read first; workers are sorted at the end.
 */
#include "bench/recorded/pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/classes.h"
#include "bench/recorded/columns.h"
#include "dp/base/rows.h"

enum { SHOWN = 40, HEADING_BYTES = 64 };

/* Names one after another, and the start of each. */
typedef struct {
    char *text;
    size_t bytes, room;
    size_t *start;
    size_t count, start_room;
} names;

typedef struct {
    const char *name;
    uint32_t number;
} entry;

typedef struct {
    og_rows rows;
    const og_tables *how;
    names items, workers;
    double *score; /* [items.count] */
    int64_t *line; /* [items.count] of each score */
    size_t score_room, line_room;
    entry *entry;    /* [items.count] sorted by name */
    uint32_t *named; /* [items.count] number of a compared item, plus 1; 0: not compared */
    og_pair *pair;
    size_t count, pair_room;
    int64_t skipped, draws, missing;
    char heading[2][HEADING_BYTES]; /* of the columns of the two items; "" without a header */
} reader;

static bool add_name(og_rows *rows, names *to, const char *name)
{
    size_t length = strlen(name) + 1;
    char *text = og_rows_grown(rows, to->text, &to->room, to->bytes + length, 1);
    if (text == NULL) {
        return false;
    }
    to->text = text;
    size_t *start =
        og_rows_grown(rows, to->start, &to->start_room, to->count + 1, sizeof *to->start);
    if (start == NULL) {
        return false;
    }
    to->start = start;
    memcpy(text + to->bytes, name, length);
    start[to->count++] = to->bytes;
    to->bytes += length;
    return true;
}

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const entry *)left)->name, ((const entry *)right)->name);
}

/* The same; equal names in their order. */
static int compare_in_order(const void *left, const void *right)
{
    const entry *x = left, *y = right;
    int order = compare_entries(x, y);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static entry *sorted_entries(const names *of)
{
    entry *list = calloc(of->count + 1, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < of->count; i++) {
        list[i] = (entry){of->text + of->start[i], (uint32_t)i};
    }
    qsort(list, of->count, sizeof *list, compare_in_order);
    return list;
}

/* ---- scores ---- */

static bool add_score(reader *in, const og_columns *columns)
{
    og_rows *rows = &in->rows;
    size_t count = in->items.count;
    const char *score = og_columns_field(columns, OG_COLUMN_SCORE);
    double *grown = og_rows_grown(rows, in->score, &in->score_room, count + 1, sizeof *grown);
    in->score = grown != NULL ? grown : in->score;
    int64_t *line = og_rows_grown(rows, in->line, &in->line_room, count + 1, sizeof *line);
    in->line = line != NULL ? line : in->line;
    if (grown == NULL || line == NULL) {
        return false;
    }
    line[count] = rows->line;
    if (!og_rows_decimal(rows, score, &grown[count])) {
        return og_rows_fail(rows, "the score must be a number, not '%.*s'", SHOWN, score);
    }
    return add_name(rows, &in->items, og_columns_field(columns, OG_COLUMN_ITEM));
}

/* Equal scores of an item are one. */
static void merge_scores(reader *in)
{
    for (size_t k = 1; k < in->items.count; k++) {
        entry *one = &in->entry[k - 1], *other = &in->entry[k];
        if (strcmp(one->name, other->name) != 0) {
            continue;
        }
        if (in->score[one->number] != in->score[other->number]) {
            og_rows_fail(&in->rows,
                         "item '%.*s' has two scores, %.10g in line %" PRId64
                         " and %.10g in line %" PRId64,
                         SHOWN, one->name, in->score[one->number], in->line[one->number],
                         in->score[other->number], in->line[other->number]);
            return;
        }
        other->number = one->number;
    }
}

static og_status read_scores(reader *in, const char *path, const og_rows_limits *limits,
                             og_message *message)
{
    static const og_column column[] = {OG_COLUMN_ITEM, OG_COLUMN_SCORE};
    const og_columns_wanted wanted = {column, 2, false, NULL};
    og_columns columns;
    og_rows *rows = &in->rows;
    og_rows_open(rows, path, OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = og_columns_find(&columns, rows, in->how, &wanted);
    while (fine && og_columns_next(&columns)) {
        fine = add_score(in, &columns);
    }
    if (rows->status == OG_OK) {
        in->entry = sorted_entries(&in->items);
        if (in->entry == NULL) {
            og_rows_no_memory(rows);
        }
    }
    if (rows->status == OG_OK) {
        merge_scores(in);
    }
    return og_rows_close(rows);
}

/* ---- comparisons ---- */

static bool find_item(reader *in, const char *name, uint32_t *out)
{
    const entry key = {name, 0};
    const entry *found =
        bsearch(&key, in->entry, in->items.count, sizeof *in->entry, compare_entries);
    if (found == NULL) {
        return og_rows_fail(&in->rows, "item '%.*s' has no score", SHOWN, name);
    }
    *out = found->number;
    return true;
}

/* Who won: the first or the second of the row's items, or neither. */
typedef enum { FIRST, SECOND, DRAW, NOBODY } winner;

static winner winner_of(const reader *in, const char *const item[2], const char *word)
{
    static const char *const draws[] = {"tie", "draw", "=", "tie (bothbad)", NULL};
    static const char *const side[2] = {"left", "right"};
    for (int k = 0; k < 2; k++) {
        if (strcmp(word, item[k]) == 0) {
            return k == 0 ? FIRST : SECOND;
        }
    }
    for (int k = 0; draws[k] != NULL; k++) {
        if (strcasecmp(word, draws[k]) == 0) {
            return DRAW;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (strcasecmp(word, side[k]) == 0 || strcasecmp(word, in->heading[k]) == 0) {
            return k == 0 ? FIRST : SECOND;
        }
    }
    return NOBODY;
}

static bool keep_pair(reader *in, const uint32_t item[2], winner won, const char *worker)
{
    og_pair *pair = og_rows_grown(&in->rows, in->pair, &in->pair_room, in->count + 1, sizeof *pair);
    if (pair == NULL) {
        return false;
    }
    in->pair = pair;
    bool turned = item[0] > item[1], first = (won == FIRST) != turned;
    in->pair[in->count++] = (og_pair){
        .item = {item[turned], item[!turned]}, .first = won != DRAW && first, .draw = won == DRAW};
    return add_name(&in->rows, &in->workers, worker);
}

static bool drops_draws(const og_tables *how)
{
    return how != NULL && how->draws != NULL && strcmp(how->draws, "drop") == 0;
}

static bool add_pair(reader *in, const og_columns *columns)
{
    og_rows *rows = &in->rows;
    const char *const name[2] = {og_columns_field(columns, OG_COLUMN_LEFT),
                                 og_columns_field(columns, OG_COLUMN_RIGHT)};
    const char *word = og_columns_field(columns, OG_COLUMN_WINNER);
    uint32_t item[2] = {0, 0};
    if (og_label_is_missing(in->how, word)) {
        in->missing++;
        return true;
    }
    winner won = winner_of(in, name, word);
    if (won == NOBODY) {
        return og_rows_fail(rows,
                            "the winner '%.*s' is neither '%.*s' nor '%.*s'; a draw is 'tie', "
                            "'draw' or '='",
                            SHOWN, word, SHOWN, name[0], SHOWN, name[1]);
    }
    if (!find_item(in, name[0], &item[0]) || !find_item(in, name[1], &item[1])) {
        return false;
    }
    if (item[0] == item[1]) {
        in->skipped++;
        return true;
    }
    in->draws += won == DRAW;
    return (won == DRAW && drops_draws(in->how)) ||
           keep_pair(in, item, won, og_columns_field(columns, OG_COLUMN_WORKER));
}

/* The names of the items' columns may stand for the items that won. */
static void keep_headings(reader *in, const og_columns *columns)
{
    if (!columns->pending) {
        snprintf(in->heading[0], HEADING_BYTES, "%s", og_columns_field(columns, OG_COLUMN_LEFT));
        snprintf(in->heading[1], HEADING_BYTES, "%s", og_columns_field(columns, OG_COLUMN_RIGHT));
    }
}

static og_status read_pairs(reader *in, const char *path, const og_rows_limits *limits,
                            og_message *message)
{
    static const og_column column[] = {OG_COLUMN_WORKER, OG_COLUMN_LEFT, OG_COLUMN_RIGHT,
                                       OG_COLUMN_WINNER};
    const og_columns_wanted wanted = {column, 4, true, NULL};
    og_columns columns;
    og_rows *rows = &in->rows;
    og_rows_open(rows, path, OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = og_columns_find(&columns, rows, in->how, &wanted);
    if (fine) {
        keep_headings(in, &columns);
    }
    while (fine && og_columns_next(&columns)) {
        fine = add_pair(in, &columns);
    }
    if (rows->status == OG_OK && in->count == 0) {
        og_rows_fail(rows, "no comparison of two items");
    }
    return og_rows_close(rows);
}

/* ---- reading both files ---- */

/* Number the compared items in the order of the scores' file. */
static void number_items(reader *in, og_pairs *out)
{
    for (size_t k = 0; k < in->count; k++) {
        in->named[in->pair[k].item[0]] = in->named[in->pair[k].item[1]] = 1;
    }
    for (size_t i = 0; i < in->items.count; i++) {
        if (in->named[i] > 0) {
            out->score[out->item_count] = in->score[i];
            in->named[i] = ++out->item_count;
        }
    }
    for (size_t k = 0; k < in->count; k++) {
        og_pair *pair = &in->pair[k];
        out->pair[k] = *pair;
        out->pair[k].item[0] = in->named[pair->item[0]] - 1;
        out->pair[k].item[1] = in->named[pair->item[1]] - 1;
    }
}

static void number_workers(const entry *by_name, og_pairs *out)
{
    for (int64_t k = 0; k < out->count; k++) {
        bool other = k == 0 || strcmp(by_name[k - 1].name, by_name[k].name) != 0;
        out->worker_count += other;
        out->pair[by_name[k].number].worker = out->worker_count - 1;
    }
}

static og_status number_all(reader *in, og_pairs *out)
{
    og_pairs made = {.count = (int64_t)in->count,
                     .skipped = in->skipped,
                     .draws = in->draws,
                     .missing = in->missing};
    made.pair = og_arena_array(&made.arena, in->count, sizeof *made.pair);
    made.score = og_arena_array(&made.arena, in->items.count, sizeof *made.score);
    in->named = calloc(in->items.count + 1, sizeof *in->named);
    entry *by_name = sorted_entries(&in->workers);
    og_status status = og_arena_status(&made.arena);
    if (status != OG_OK || in->named == NULL || by_name == NULL) {
        free(by_name);
        og_arena_clear(&made.arena);
        return OG_NO_MEMORY;
    }
    number_items(in, &made);
    number_workers(by_name, &made);
    free(by_name);
    *out = made;
    return OG_OK;
}

og_status og_pairs_read(const char *pairs_path, const char *scores_path,
                        const og_settings *settings, og_pairs *out, og_message *message)
{
    reader in = {.how = settings->tables};
    const og_rows_limits limits = og_table_limits(settings);
    OG_TRY(og_tables_check(in.how, message));
    og_status status = read_scores(&in, scores_path, &limits, message);
    int64_t scores_trimmed = in.rows.trimmed;
    OG_THEN(status, read_pairs(&in, pairs_path, &limits, message));
    OG_THEN(status, number_all(&in, out));
    if (status == OG_OK) {
        out->trimmed = in.rows.trimmed;
        out->scores_trimmed = scores_trimmed;
    }
    free(in.items.text);
    free(in.items.start);
    free(in.workers.text);
    free(in.workers.start);
    free(in.score);
    free(in.line);
    free(in.entry);
    free(in.named);
    free(in.pair);
    return status;
}

static void warn_count(og_message *note, const char *path, int64_t count, const char *what,
                       const char *words)
{
    const og_message before = *note;
    if (count > 0) {
        og_message_set(note, OG_OK, "%s%s%.200s: %" PRId64 " %s%s %s", before.text,
                       *before.text != '\0' ? "; " : "", path, count, what, count == 1 ? "" : "s",
                       words);
    }
}

void og_pairs_warning(const og_pairs *pairs, const char *path, const og_settings *settings,
                      og_message *note)
{
    warn_count(note, path, pairs->skipped, "comparison", "of an item with itself left out");
    warn_count(note, path, pairs->missing, "row", "without a winner left out");
    warn_count(note, path, pairs->draws, "draw",
               drops_draws(settings->tables) ? "left out" : "counted as half a win for each item");
    og_rows_note(note, path, pairs->trimmed);
}

void og_pairs_clear(og_pairs *pairs)
{
    og_arena_clear(&pairs->arena);
    *pairs = (og_pairs){.count = 0};
}
