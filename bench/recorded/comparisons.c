/* Reads recorded comparisons without scores. Names become numbers by a search in a sorted list. */
#include "bench/recorded/comparisons.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/columns.h"
#include "dp/base/rows.h"

enum { LEFT, RIGHT, LABEL, WORKER, COLUMNS, SHOWN = 40 };

/* Names of the rows, three for each: left, right, worker. */
enum { NAMES = 3 };

typedef struct {
    og_rows rows;
    int column[COLUMNS]; /* -1: missing, for the worker only */
    int last;
    char *text;
    size_t bytes, text_room;
    size_t *start; /* [NAMES * count] */
    int8_t *won;   /* [count] 1: left, -1: right, 0: a draw */
    size_t count, start_room, won_room;
} reader;

static bool read_header(reader *in)
{
    static const char *const names[COLUMNS] = {"left", "right", "label", "worker"};
    if (!og_rows_next(&in->rows)) {
        return og_rows_fail(&in->rows, "the file is empty");
    }
    if (!og_rows_columns(&in->rows, names, COLUMNS, in->column)) {
        return false;
    }
    for (int k = LEFT; k < COLUMNS; k++) {
        if (in->column[k] < 0 && k != WORKER) {
            return og_rows_fail(
                &in->rows, "no column '%s' in the header (needed: left, right, label)", names[k]);
        }
        in->last = in->column[k] > in->last ? in->column[k] : in->last;
    }
    return true;
}

static bool add_name(reader *in, size_t place, const char *name)
{
    size_t length = strlen(name) + 1;
    char *text = og_rows_grown(&in->rows, in->text, &in->text_room, in->bytes + length, 1);
    if (text == NULL) {
        return false;
    }
    in->text = text;
    memcpy(text + in->bytes, name, length);
    in->start[NAMES * in->count + place] = in->bytes;
    in->bytes += length;
    return true;
}

static bool read_winner(reader *in, int8_t *won)
{
    const char *left = in->rows.field[in->column[LEFT]], *right = in->rows.field[in->column[RIGHT]];
    const char *winner = in->rows.field[in->column[LABEL]];
    if (*left == '\0' || *right == '\0') {
        return og_rows_fail(&in->rows, "the %s item is missing", *left == '\0' ? "left" : "right");
    }
    bool by_name = strcmp(winner, left) == 0 || strcmp(winner, right) == 0;
    bool draw = strcasecmp(winner, "tie") == 0 || strcasecmp(winner, "draw") == 0 ||
                strcmp(winner, "=") == 0;
    if (!by_name && !draw) {
        return og_rows_fail(&in->rows, "the winner '%.*s' is neither '%.*s' nor '%.*s'", SHOWN,
                            winner, SHOWN, left, SHOWN, right);
    }
    *won = !by_name ? 0 : strcmp(winner, left) == 0 ? 1 : -1;
    return true;
}

static bool read_row(reader *in)
{
    if (in->rows.field_count <= in->last) {
        return og_rows_fail(&in->rows, "%d columns, but the header has more", in->rows.field_count);
    }
    if (in->count == INT32_MAX / NAMES) {
        return og_rows_fail(&in->rows, "more than %d rows", INT32_MAX / NAMES);
    }
    size_t *start = og_rows_grown(&in->rows, in->start, &in->start_room, NAMES * (in->count + 1),
                                  sizeof *start);
    in->start = start != NULL ? start : in->start;
    int8_t *won = og_rows_grown(&in->rows, in->won, &in->won_room, in->count + 1, sizeof *won);
    in->won = won != NULL ? won : in->won;
    if (start == NULL || won == NULL || !read_winner(in, &won[in->count])) {
        return false;
    }
    const char *worker = in->column[WORKER] < 0 ? "" : in->rows.field[in->column[WORKER]];
    if (in->column[WORKER] >= 0 && *worker == '\0') {
        return og_rows_fail(&in->rows, "the worker is missing");
    }
    if (!add_name(in, LEFT, in->rows.field[in->column[LEFT]]) ||
        !add_name(in, RIGHT, in->rows.field[in->column[RIGHT]]) || !add_name(in, 2, worker)) {
        return false;
    }
    in->count++;
    return true;
}

/* ---- numbers ---- */

typedef struct {
    const char *name;
    size_t at;       /* place of the name among all of its kind */
    uint32_t number; /* its number */
} entry;

static int by_name(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int by_place(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* Number the names of list[count], which is sorted by place, in the order of first appearance;
 * names[] and *names_count receive them. */
static void number_names(entry *list, size_t count, const char **names, uint32_t *names_count)
{
    qsort(list, count, sizeof *list, by_name);
    size_t first = 0;
    for (size_t i = 0; i < count; i++) { /* for now the place of the first one */
        first = i == 0 || strcmp(list[i].name, list[i - 1].name) != 0 ? list[i].at : first;
        list[i].number = (uint32_t)first;
    }
    qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0; i < count; i++) {
        if (list[i].number == i) {
            names[*names_count] = list[i].name;
            list[i].number = (*names_count)++;
        } else {
            list[i].number = list[list[i].number].number;
        }
    }
}

static void add_rows(const reader *in, const entry *item, const entry *worker, og_comparisons *out)
{
    for (size_t i = 0; i < in->count; i++) {
        uint32_t left = item[2 * i].number, right = item[2 * i + 1].number;
        out->skipped += left == right;
        out->draws += left != right && in->won[i] == 0;
        if (left != right && in->won[i] != 0) {
            out->row[out->count++] = (og_comparison){
                in->won[i] > 0 ? left : right, in->won[i] > 0 ? right : left, worker[i].number};
        }
    }
}

static og_status number_all(const reader *in, og_comparisons *out)
{
    og_comparisons made = {.trimmed = in->rows.trimmed};
    og_arena arena = {0};
    const char *text = og_arena_copy(&made.arena, in->text, in->bytes, 1);
    entry *item = og_arena_array(&arena, 2 * in->count, sizeof *item);
    entry *worker = og_arena_array(&arena, in->count, sizeof *worker);
    made.row = og_arena_array(&made.arena, in->count, sizeof *made.row);
    made.item = og_arena_array(&made.arena, 2 * in->count, sizeof *made.item);
    made.worker = og_arena_array(&made.arena, in->count, sizeof *made.worker);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arena_status(&made.arena));
    for (size_t i = 0; status == OG_OK && i < in->count; i++) {
        const size_t *start = in->start + NAMES * i;
        item[2 * i] = (entry){text + start[LEFT], 2 * i, 0};
        item[2 * i + 1] = (entry){text + start[RIGHT], 2 * i + 1, 0};
        worker[i] = (entry){text + start[2], i, 0};
    }
    if (status == OG_OK) {
        number_names(item, 2 * in->count, made.item, &made.item_count);
        number_names(worker, in->count, made.worker, &made.worker_count);
        add_rows(in, item, worker, &made);
    }
    og_arena_clear(&arena);
    if (status != OG_OK) {
        og_arena_clear(&made.arena);
        return status;
    }
    *out = made;
    return OG_OK;
}

og_status og_comparisons_read(const char *path, const og_settings *settings, og_comparisons *out,
                              og_message *message)
{
    og_comparisons made = {.count = 0};
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.count = 0};
    og_rows_open(&in.rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, OG_ROWS_BY_HEADER, '\0',
                 &limits, message);
    if (read_header(&in)) {
        while (og_rows_next(&in.rows) && read_row(&in)) {
        }
        if (in.count == 0) {
            og_rows_fail(&in.rows, "a header, but no comparisons");
        }
    }
    og_status status = og_rows_close(&in.rows);
    OG_THEN(status, number_all(&in, &made));
    if (status == OG_OK && made.item_count < 2) {
        og_comparisons_clear(&made);
        status = og_message_set(message, OG_BAD_INPUT, "%.200s: there is only one item", path);
    }
    free(in.text);
    free(in.start);
    free(in.won);
    if (status == OG_OK) {
        *out = made;
    }
    return status;
}

void og_comparisons_clear(og_comparisons *comparisons)
{
    og_arena_clear(&comparisons->arena);
    *comparisons = (og_comparisons){.count = 0};
}
