/*
 * Reads recorded comparisons. Names become numbers by searching a sorted list. The scores' file,
 * which lists the items, is read first; workers are sorted at the end.
 */
#include "bench/recorded/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/base/rows.h"

enum { SHOWN = 40, ITEM = 0, SCORE, WORKER = 0, LEFT, RIGHT, LABEL };

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
    names items, workers;
    double *score; /* [items.count] */
    size_t score_room;
    entry *entry;    /* [items.count] sorted by name */
    uint32_t *named; /* [items.count] number of a compared item, plus 1; 0: not compared */
    og_pair *pair;
    size_t count, pair_room;
    int64_t skipped;
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

static entry *sorted_entries(const names *of)
{
    entry *list = calloc(of->count + 1, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < of->count; i++) {
        list[i] = (entry){of->text + of->start[i], (uint32_t)i};
    }
    qsort(list, of->count, sizeof *list, compare_entries);
    return list;
}

/* Find these columns in the header; *last is the largest column number. */
static bool read_header(og_rows *rows, const char *const *name, int count, int *column, int *last)
{
    if (!og_rows_next(rows)) {
        return og_rows_fail(rows, "the file is empty");
    }
    if (!og_rows_columns(rows, name, count, column)) {
        return false;
    }
    *last = 0;
    for (int i = 0; i < count; i++) {
        if (column[i] < 0) {
            return og_rows_fail(rows, "no column '%s' in the header", name[i]);
        }
        *last = column[i] > *last ? column[i] : *last;
    }
    return true;
}

static bool whole_row(og_rows *rows, int last)
{
    return rows->field_count > last ||
           og_rows_fail(rows, "%d columns, but the header has more", rows->field_count);
}

/* ---- scores ---- */

static bool add_score(reader *in, const int *column)
{
    og_rows *rows = &in->rows;
    double *score =
        og_rows_grown(rows, in->score, &in->score_room, in->items.count + 1, sizeof *score);
    if (score == NULL) {
        return false;
    }
    in->score = score;
    if (!og_rows_decimal(rows, rows->field[column[SCORE]], &score[in->items.count])) {
        return og_rows_fail(rows, "the score must be a number, not '%.*s'", SHOWN,
                            rows->field[column[SCORE]]);
    }
    return add_name(rows, &in->items, rows->field[column[ITEM]]);
}

static og_status read_scores(reader *in, const char *path, const og_rows_limits *limits,
                             og_message *message)
{
    static const char *const names_of[] = {"item", "score"};
    int column[2], last = 0;
    og_rows *rows = &in->rows;
    og_rows_open(rows, path, OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = read_header(rows, names_of, 2, column, &last);
    while (fine && og_rows_next(rows)) {
        fine = whole_row(rows, last) && add_score(in, column);
    }
    if (rows->status == OG_OK) {
        in->entry = sorted_entries(&in->items);
        if (in->entry == NULL) {
            og_rows_no_memory(rows);
        }
    }
    for (size_t k = 1; in->entry != NULL && k < in->items.count; k++) {
        if (strcmp(in->entry[k - 1].name, in->entry[k].name) == 0) {
            og_rows_fail(rows, "item '%.*s' has two scores", SHOWN, in->entry[k].name);
            break;
        }
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

static bool add_pair(reader *in, const int *column)
{
    og_rows *rows = &in->rows;
    const char *left = rows->field[column[LEFT]], *right = rows->field[column[RIGHT]];
    const char *winner = rows->field[column[LABEL]];
    uint32_t item[2] = {0, 0};
    bool left_won = strcmp(winner, left) == 0;
    if (!left_won && strcmp(winner, right) != 0) {
        return og_rows_fail(rows, "the winner '%.*s' is neither '%.*s' nor '%.*s'", SHOWN, winner,
                            SHOWN, left, SHOWN, right);
    }
    if (!find_item(in, left, &item[0]) || !find_item(in, right, &item[1])) {
        return false;
    }
    if (item[0] == item[1]) {
        in->skipped++;
        return true;
    }
    og_pair *pair = og_rows_grown(rows, in->pair, &in->pair_room, in->count + 1, sizeof *pair);
    if (pair == NULL) {
        return false;
    }
    in->pair = pair;
    bool turned = item[0] > item[1];
    in->pair[in->count++] =
        (og_pair){{item[turned], item[!turned]}, 0, turned ? !left_won : left_won};
    return add_name(rows, &in->workers, rows->field[column[WORKER]]);
}

static og_status read_pairs(reader *in, const char *path, const og_rows_limits *limits,
                            og_message *message)
{
    static const char *const names_of[] = {"worker", "left", "right", "label"};
    int column[4], last = 0;
    og_rows *rows = &in->rows;
    og_rows_open(rows, path, OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = read_header(rows, names_of, 4, column, &last);
    while (fine && og_rows_next(rows)) {
        fine = whole_row(rows, last) && add_pair(in, column);
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
        out->pair[k] =
            (og_pair){{in->named[pair->item[0]] - 1, in->named[pair->item[1]] - 1}, 0, pair->first};
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
    og_pairs made = {.count = (int64_t)in->count, .skipped = in->skipped};
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
    reader in = {.count = 0};
    const og_rows_limits limits = {settings->memory_bytes, og_stop_of(settings)};
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
    free(in.entry);
    free(in.named);
    free(in.pair);
    return status;
}

void og_pairs_clear(og_pairs *pairs)
{
    og_arena_clear(&pairs->arena);
    *pairs = (og_pairs){.count = 0};
}
