/*
 * Reads recorded comparisons. The scores' file, which lists the items, is read first; items and
 * workers get their final numbers at the end.
 */
#include "bench/recorded/pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/classes.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/names.h"
#include "dp/base/rows.h"

enum { SHOWN = 40, HEADING_BYTES = 64 };

typedef struct {
    og_rows rows;
    const og_tables *how;
    og_names items, workers;
    bool scored;
    double *score; /* [scored items] */
    int64_t *line; /* of each score */
    size_t score_room, line_room;
    og_pair *pair; /* with items and workers in the order of their names' first appearance */
    size_t count, pair_room;
    int64_t skipped, draws, missing;
    char heading[2][HEADING_BYTES]; /* of the columns of the two items; "" without a header */
} reader;

static const char *plain_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

/* ---- scores ---- */

static bool keep_score(reader *in, uint32_t item, double score)
{
    og_rows *rows = &in->rows;
    size_t count = (size_t)item + 1;
    double *grown = og_rows_grown(rows, in->score, &in->score_room, count, sizeof *grown);
    in->score = grown != NULL ? grown : in->score;
    int64_t *line = og_rows_grown(rows, in->line, &in->line_room, count, sizeof *line);
    in->line = line != NULL ? line : in->line;
    if (grown == NULL || line == NULL) {
        return false;
    }
    grown[item] = score;
    line[item] = rows->line;
    return true;
}

/* Equal scores of an item are one. */
static bool add_score(reader *in, const og_columns *columns)
{
    og_rows *rows = &in->rows;
    const char *name = og_columns_field(columns, OG_COLUMN_ITEM);
    const char *text = og_columns_field(columns, OG_COLUMN_SCORE);
    uint32_t item = 0, known = in->items.count;
    double score;
    if (!og_rows_decimal(rows, text, &score)) {
        return og_rows_fail(rows, "the score must be a number, not '%.*s'", SHOWN, text);
    }
    if (!og_names_number(&in->items, rows, name, &item)) {
        return false;
    }
    if (item == known) {
        return keep_score(in, item, score);
    }
    return in->score[item] == score ||
           og_rows_fail(rows,
                        "item '%.*s' has two scores, %.10g in line %" PRId64
                        " and %.10g in line %" PRId64,
                        SHOWN, name, in->score[item], in->line[item], score, rows->line);
}

static og_status read_scores(reader *in, const char *path, const og_rows_limits *limits,
                             og_message *message)
{
    static const og_column column[] = {OG_COLUMN_ITEM, OG_COLUMN_SCORE};
    const og_columns_wanted wanted = {column, 2, false, NULL, 0};
    og_columns columns;
    og_rows_open(&in->rows, plain_path(path), OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = og_columns_find(&columns, &in->rows, in->how, &wanted);
    while (fine && og_columns_next(&columns)) {
        fine = add_score(in, &columns);
    }
    return og_rows_close(&in->rows);
}

/* ---- comparisons ---- */

static bool find_item(reader *in, const char *name, uint32_t *out)
{
    uint32_t known = in->items.count;
    return og_names_number(&in->items, &in->rows, name, out) &&
           (!in->scored || *out < known ||
            og_rows_fail(&in->rows, "item '%.*s' has no score", SHOWN, name));
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
    pair += in->count++;
    *pair = (og_pair){.item = {item[0], item[1]}, .first = won == FIRST, .draw = won == DRAW};
    return og_names_number(&in->workers, &in->rows, worker, &pair->worker);
}

static bool drops_draws(const og_tables *how)
{
    return how != NULL && how->draws != NULL && strcmp(how->draws, "drop") == 0;
}

static bool check_names(reader *in, const char *const name[2], const char *worker, bool named)
{
    const char *lacks = *name[0] == '\0'           ? "left item"
                        : *name[1] == '\0'         ? "right item"
                        : named && *worker == '\0' ? "worker"
                                                   : NULL;
    return lacks == NULL || og_rows_fail(&in->rows, "the %s is missing", lacks);
}

static bool add_pair(reader *in, const og_columns *columns)
{
    bool named = og_columns_have(columns, OG_COLUMN_WORKER);
    const char *const name[2] = {og_columns_field(columns, OG_COLUMN_LEFT),
                                 og_columns_field(columns, OG_COLUMN_RIGHT)};
    const char *worker = named ? og_columns_field(columns, OG_COLUMN_WORKER) : "";
    const char *word = og_columns_field(columns, OG_COLUMN_WINNER);
    bool missing = og_label_is_missing(in->how, word);
    uint32_t item[2] = {0, 0};
    if (missing && in->scored) {
        in->missing++;
        return true;
    }
    winner won = missing ? NOBODY : winner_of(in, name, word);
    if (won == NOBODY && !missing) {
        return og_rows_fail(&in->rows,
                            "the winner '%.*s' is neither '%.*s' nor '%.*s'; a draw is 'tie', "
                            "'draw' or '='",
                            SHOWN, word, SHOWN, name[0], SHOWN, name[1]);
    }
    if (!check_names(in, name, worker, named && !missing) || !find_item(in, name[0], &item[0]) ||
        !find_item(in, name[1], &item[1])) {
        return false;
    }
    bool itself = item[0] == item[1] && !missing;
    in->missing += missing;
    in->skipped += itself;
    in->draws += won == DRAW && !itself;
    bool omitted = missing || itself || (won == DRAW && drops_draws(in->how));
    return omitted || keep_pair(in, item, won, worker);
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
    const og_columns_wanted wanted = {column, 4, true, NULL, 1};
    og_columns columns;
    og_rows *rows = &in->rows;
    og_rows_open(rows, plain_path(path), OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = og_columns_find(&columns, rows, in->how, &wanted);
    if (fine) {
        keep_headings(in, &columns);
    }
    while (fine && og_columns_next(&columns)) {
        fine = add_pair(in, &columns);
    }
    if (rows->status == OG_OK && (in->scored ? in->count == 0 : in->items.count < 2)) {
        og_rows_fail(rows, in->scored ? "no comparison of two items" : "fewer than two items");
    }
    return og_rows_close(rows);
}

/* ---- numbers ---- */

/* Copies the names; list[count] receives them. */
static og_status copy_names(const og_names *names, og_arena *arena, const char **list)
{
    const char *text = og_names_copy(names, arena);
    OG_TRY(OG_ALLOCATED(text));
    for (uint32_t i = 0; i < names->count; i++) {
        list[i] = text + names->start[i];
    }
    return OG_OK;
}

/* number[item]: with scores those of compared items, in the order of the scores. */
static void number_items(const reader *in, uint32_t *number, og_pairs *out)
{
    for (size_t k = 0; k < in->count; k++) {
        number[in->pair[k].item[0]] = number[in->pair[k].item[1]] = 1;
    }
    for (uint32_t i = 0; i < in->items.count; i++) {
        if (number[i] == 0 && in->scored) {
            continue;
        }
        if (in->scored) {
            out->score[out->item_count] = in->score[i];
        }
        out->item[out->item_count] = out->item[i];
        number[i] = out->item_count++;
    }
}

typedef struct {
    const char *name;
    uint32_t number;
} entry;

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const entry *)left)->name, ((const entry *)right)->name);
}

/* number[worker]: in the order of their names. */
static void number_workers(entry *list, uint32_t *number, og_pairs *out)
{
    for (uint32_t w = 0; w < out->worker_count; w++) {
        list[w] = (entry){out->worker[w], w};
    }
    qsort(list, out->worker_count, sizeof *list, compare_entries);
    for (uint32_t w = 0; w < out->worker_count; w++) {
        number[list[w].number] = w;
        out->worker[w] = list[w].name;
    }
}

static void number_pairs(const reader *in, const uint32_t *item, const uint32_t *worker,
                         og_pairs *out)
{
    for (size_t k = 0; k < in->count; k++) {
        const og_pair *from = &in->pair[k];
        uint32_t left = item[from->item[0]], right = item[from->item[1]];
        bool turned = left > right;
        out->pair[k] = (og_pair){.item = {turned ? right : left, turned ? left : right},
                                 .worker = worker[from->worker],
                                 .first = !from->draw && from->first != turned,
                                 .draw = from->draw};
    }
}

static og_status number_all(const reader *in, og_pairs *out)
{
    og_arena arena = {0};
    og_pairs made = {.count = (int64_t)in->count,
                     .worker_count = in->workers.count,
                     .skipped = in->skipped,
                     .draws = in->draws,
                     .missing = in->missing};
    made.pair = og_arena_array(&made.arena, in->count, sizeof *made.pair);
    made.item = og_arena_array(&made.arena, in->items.count, sizeof *made.item);
    made.worker = og_arena_array(&made.arena, in->workers.count, sizeof *made.worker);
    made.score =
        in->scored ? og_arena_array(&made.arena, in->items.count, sizeof *made.score) : NULL;
    uint32_t *item = og_arena_array(&arena, in->items.count, sizeof *item);
    uint32_t *worker = og_arena_array(&arena, in->workers.count, sizeof *worker);
    entry *list = og_arena_array(&arena, in->workers.count, sizeof *list);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arena_status(&made.arena));
    OG_THEN(status, copy_names(&in->items, &made.arena, made.item));
    OG_THEN(status, copy_names(&in->workers, &made.arena, made.worker));
    if (status == OG_OK) {
        number_items(in, item, &made);
        number_workers(list, worker, &made);
        number_pairs(in, item, worker, &made);
    }
    og_arena_clear(&arena);
    if (status != OG_OK) {
        og_arena_clear(&made.arena);
        return status;
    }
    *out = made;
    return OG_OK;
}

og_status og_pairs_read(const char *pairs_path, const char *scores_path,
                        const og_settings *settings, og_pairs *out, og_message *message)
{
    reader in = {.how = settings != NULL ? settings->tables : NULL, .scored = scores_path != NULL};
    const og_rows_limits limits = og_table_limits(settings);
    OG_TRY(og_tables_check(in.how, message));
    og_status status = in.scored ? read_scores(&in, scores_path, &limits, message) : OG_OK;
    int64_t scores_trimmed = in.rows.trimmed;
    OG_THEN(status, read_pairs(&in, pairs_path, &limits, message));
    OG_THEN(status, number_all(&in, out));
    if (status == OG_OK) {
        out->trimmed = in.rows.trimmed;
        out->scores_trimmed = scores_trimmed;
    }
    og_names_clear(&in.items);
    og_names_clear(&in.workers);
    free(in.score);
    free(in.line);
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
