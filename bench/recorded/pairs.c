/*
 * Reads recorded comparisons. The scores' file, which lists the items, is read first; items and
 * workers get their final numbers at the end.
 */
#include "bench/recorded/pairs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/classes.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/names.h"
#include "dp/base/rows.h"

enum { SHOWN = 40, HEADING_BYTES = 64, COMPARISONS_MAX = 1000000000 };

/* An item's place in a ranking; 1 is the best. */
typedef struct rank {
    uint32_t session, ranker, item;
    double place;
} rank;

typedef struct {
    og_rows rows;
    const og_tables *how;
    og_names items, workers;
    og_names codes;     /* words for winners that are no names */
    int64_t *code_line; /* where each was first */
    size_t code_room;
    bool scored;
    double *score; /* [scored items] */
    int64_t *line; /* of each score */
    size_t score_room, line_room;
    og_names sessions, rankers; /* of rankings */
    struct rank *rank;
    size_t rank_count, rank_room;
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

static bool is_listed(const char *word, const char *const *list)
{
    while (*list != NULL && strcmp(*list, word) != 0) {
        list++;
    }
    return *list != NULL;
}

/* Lower case, without the ".0" of numbers, and of the rest only letters, digits and < = >. */
static void plain_word(const char *word, char *out, size_t bytes)
{
    size_t length = strlen(word), used = 0;
    length -= length > 2 && strcmp(word + length - 2, ".0") == 0 ? 2 : 0;
    for (size_t i = 0; i < length && used + 1 < bytes; i++) {
        unsigned char letter = (unsigned char)word[i];
        if (isalnum(letter) || strchr("<=>", letter) != NULL) {
            out[used++] = (char)tolower(letter);
        }
    }
    out[used] = '\0';
}

/* Cuts "model" of "modela", and "wins" of "leftwins". */
static void cut_word(char **word)
{
    static const char *const before[] = {"model",  "item",      "option", "response",  "answer",
                                         "output", "assistant", "system", "candidate", NULL};
    static const char *const after[] = {"vote", "wins", "win", "won", "isbetter", "better", NULL};
    for (int k = 0; before[k] != NULL; k++) {
        size_t length = strlen(before[k]);
        *word += strncmp(*word, before[k], length) == 0 ? length : 0;
    }
    for (int k = 0; after[k] != NULL; k++) {
        size_t length = strlen(*word), cut = strlen(after[k]);
        if (length > cut && strcmp(*word + length - cut, after[k]) == 0) {
            (*word)[length - cut] = '\0';
        }
    }
}

static winner meaning_of(const char *text)
{
    static const char *const left[] = {"left", "first", "l", "a", "1", "a>b", "a>>b", "b<a", NULL};
    static const char *const right[] = {"right", "second", "r",   "b", "2",
                                        "b>a",   "b>>a",   "a<b", NULL};
    static const char *const draw[] = {
        "tie",          "tied",         "draw", "drawn",    "=",           "equal",
        "equals",       "even",         "same", "both",     "neither",     "a=b",
        "bothbad",      "tiebothbad",   "0",    "bothgood", "equallygood", "equallybad",
        "nopreference", "nodifference", NULL};
    char plain[HEADING_BYTES], *word = plain;
    plain_word(text, plain, sizeof plain);
    if (is_listed(word, draw)) {
        return DRAW;
    }
    cut_word(&word);
    return is_listed(word, draw)    ? DRAW
           : is_listed(word, left)  ? FIRST
           : is_listed(word, right) ? SECOND
                                    : NOBODY;
}

/* A word that may also be the name of an item, which decides at the end of the file. */
static bool keep_code(reader *in, const char *word)
{
    uint32_t number = 0, known = in->codes.count;
    if (!og_names_number(&in->codes, &in->rows, word, &number)) {
        return false;
    }
    size_t count = (size_t)number + 1;
    int64_t *line = og_rows_grown(&in->rows, in->code_line, &in->code_room, count, sizeof *line);
    in->code_line = line != NULL ? line : in->code_line;
    if (line != NULL && number == known) {
        line[number] = in->rows.line;
    }
    return line != NULL;
}

static bool fail_winner(reader *in, const char *const item[2], const char *word)
{
    return og_rows_fail(&in->rows,
                        "the winner '%.*s' is neither '%.*s' nor '%.*s'; left or right, A or B, or "
                        "1 or 2 is the item of that column, and a draw is 'tie', 'draw' or '='",
                        SHOWN, word, SHOWN, item[0], SHOWN, item[1]);
}

static bool find_winner(reader *in, const char *const item[2], const char *word, winner *out)
{
    static const char *const draws[] = {"tie", "draw", "=", "tie (bothbad)", NULL};
    static const char *const side[2] = {"left", "right"};
    for (int k = 0; k < 2; k++) {
        if (strcmp(word, item[k]) == 0) {
            *out = k == 0 ? FIRST : SECOND;
            return true;
        }
    }
    for (int k = 0; draws[k] != NULL; k++) {
        if (strcasecmp(word, draws[k]) == 0) {
            *out = DRAW;
            return true;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (strcasecmp(word, side[k]) == 0 || strcasecmp(word, in->heading[k]) == 0) {
            *out = k == 0 ? FIRST : SECOND;
            return true;
        }
    }
    *out = meaning_of(word);
    return *out != NOBODY ? keep_code(in, word) : fail_winner(in, item, word);
}

static bool is_number(const char *word, char digit)
{
    return word[0] == digit && (word[1] == '\0' || strcmp(word + 1, ".0") == 0);
}

/* No code may be the name of an item. 0 is a draw only beside 1 and 2: beside 1 alone it may mean
 * the other item. */
static bool check_codes(reader *in)
{
    bool two = false;
    for (uint32_t c = 0; c < in->codes.count; c++) {
        two = two || is_number(og_name(&in->codes, c), '2');
    }
    for (uint32_t c = 0; c < in->codes.count; c++) {
        const char *word = og_name(&in->codes, c);
        for (uint32_t i = 0; i < in->items.count; i++) {
            if (strcmp(og_name(&in->items, i), word) == 0) {
                return og_rows_fail(&in->rows,
                                    "the winner '%.*s' of line %" PRId64
                                    " is an item, but neither of the two there; give names of "
                                    "winners, or left and right",
                                    SHOWN, word, in->code_line[c]);
            }
        }
        if (!two && is_number(word, '0')) {
            return og_rows_fail(&in->rows,
                                "the winner '0' of line %" PRId64
                                " is a draw only where 1 and 2 are the items; write left, right "
                                "or tie",
                                in->code_line[c]);
        }
    }
    return true;
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

/* A whole number of comparisons in this column; `usual` without the column or in an empty field. */
static bool find_number(reader *in, const og_columns *columns, og_column column, int64_t usual,
                        int64_t *out)
{
    const char *text = og_columns_field(columns, column);
    *out = usual;
    return *text == '\0' || og_columns_whole(text, COMPARISONS_MAX, out) ||
           og_rows_fail(&in->rows,
                        "the number of comparisons must be a whole number from 0 to %d, not "
                        "'%.*s'",
                        COMPARISONS_MAX, SHOWN, text);
}

/* The items of the row and its comparisons: times[FIRST], [SECOND], [DRAW]; of one without a winner
 * times[NOBODY]. */
typedef struct {
    const char *name[2], *worker;
    int64_t times[NOBODY + 1];
    bool named; /* it has a worker's name */
} pairs_row;

static bool read_wins(reader *in, const og_columns *columns, pairs_row *row)
{
    return find_number(in, columns, OG_COLUMN_WINS_LEFT, 0, &row->times[FIRST]) &&
           find_number(in, columns, OG_COLUMN_WINS_RIGHT, 0, &row->times[SECOND]) &&
           find_number(in, columns, OG_COLUMN_TIES, 0, &row->times[DRAW]);
}

static bool read_winner(reader *in, const og_columns *columns, pairs_row *row)
{
    const char *word = og_columns_field(columns, OG_COLUMN_WINNER);
    winner won = NOBODY;
    int64_t times;
    if ((!og_label_is_missing(in->how, word) && !find_winner(in, row->name, word, &won)) ||
        !find_number(in, columns, OG_COLUMN_TIMES, 1, &times)) {
        return false;
    }
    row->times[won] = times;
    return true;
}

static bool keep_row(reader *in, const pairs_row *row, const uint32_t item[2])
{
    for (winner won = FIRST; won <= DRAW; won++) {
        int64_t times = row->times[won];
        bool itself = item[0] == item[1];
        in->skipped += itself ? times : 0;
        in->draws += won == DRAW && !itself ? times : 0;
        bool omitted = itself || (won == DRAW && drops_draws(in->how));
        for (int64_t k = 0; !omitted && k < times; k++) {
            if (!keep_pair(in, item, won, row->worker)) {
                return false;
            }
        }
    }
    return true;
}

static bool add_pair(reader *in, const og_columns *columns)
{
    pairs_row row = {.name = {og_columns_field(columns, OG_COLUMN_LEFT),
                              og_columns_field(columns, OG_COLUMN_RIGHT)},
                     .worker = "",
                     .named = og_columns_have(columns, OG_COLUMN_WORKER)};
    uint32_t item[2] = {0, 0};
    row.worker = row.named ? og_columns_field(columns, OG_COLUMN_WORKER) : "";
    if (!(og_columns_have(columns, OG_COLUMN_WINS_LEFT) ? read_wins(in, columns, &row)
                                                        : read_winner(in, columns, &row))) {
        return false;
    }
    bool missing = row.times[NOBODY] > 0;
    in->missing += missing;
    if (missing && in->scored) {
        return true;
    }
    return check_names(in, row.name, row.worker, row.named && !missing) &&
           find_item(in, row.name[0], &item[0]) && find_item(in, row.name[1], &item[1]) &&
           keep_row(in, &row, item);
}

/* ---- rankings ---- */

static bool add_rank(reader *in, const og_columns *columns)
{
    og_rows *rows = &in->rows;
    const char *text = og_columns_field(columns, OG_COLUMN_RANK);
    char key[OG_MESSAGE_BYTES];
    bool named = og_columns_have(columns, OG_COLUMN_WORKER);
    const char *worker = named ? og_columns_field(columns, OG_COLUMN_WORKER) : "";
    const char *session = og_columns_have(columns, OG_COLUMN_SESSION)
                              ? og_columns_field(columns, OG_COLUMN_SESSION)
                              : "";
    const char *const name[2] = {og_columns_field(columns, OG_COLUMN_ITEM), "right"};
    rank one = {.place = 0};
    snprintf(key, sizeof key, "%.400s\n%.400s", worker, session);
    if (!check_names(in, name, worker, named) || !find_item(in, name[0], &one.item)) {
        return false;
    }
    if (og_label_is_missing(in->how, text)) {
        in->missing++;
        return true;
    }
    if (!og_rows_decimal(rows, text, &one.place)) {
        return og_rows_fail(rows, "the rank must be a number, not '%.*s'", SHOWN, text);
    }
    rank *grown = og_rows_grown(rows, in->rank, &in->rank_room, in->rank_count + 1, sizeof *grown);
    in->rank = grown != NULL ? grown : in->rank;
    if (grown == NULL || !og_names_number(&in->sessions, rows, key, &one.session) ||
        !og_names_number(&in->rankers, rows, worker, &one.ranker)) {
        return false;
    }
    grown[in->rank_count++] = one;
    return true;
}

static int compare_ranks(const void *left, const void *right)
{
    const rank *a = left, *b = right;
    return a->session != b->session ? (a->session > b->session) - (a->session < b->session)
           : a->place != b->place   ? (a->place > b->place) - (a->place < b->place)
                                    : (a->item > b->item) - (a->item < b->item);
}

/* A ranking is a comparison of each two of its items; those at one place are draws. */
static bool keep_rankings(reader *in)
{
    bool fine = true;
    if (in->rank_count > 0) {
        qsort(in->rank, in->rank_count, sizeof *in->rank, compare_ranks);
    }
    for (size_t i = 0; fine && i < in->rank_count; i++) {
        const rank *one = &in->rank[i];
        pairs_row row = {.worker = og_name(&in->rankers, one->ranker)};
        for (size_t j = i + 1; fine && j < in->rank_count; j++) {
            const rank *other = &in->rank[j];
            if (other->session != one->session) {
                break;
            }
            bool draw = one->place == other->place;
            row.times[FIRST] = !draw;
            row.times[DRAW] = draw;
            fine = keep_row(in, &row, (const uint32_t[2]){one->item, other->item});
        }
    }
    in->rank_count = 0;
    return fine;
}

/* The names of the items' columns may stand for the items that won. */
static void keep_headings(reader *in, const og_columns *columns)
{
    if (!columns->pending && og_columns_have(columns, OG_COLUMN_LEFT)) {
        snprintf(in->heading[0], HEADING_BYTES, "%s", og_columns_field(columns, OG_COLUMN_LEFT));
        snprintf(in->heading[1], HEADING_BYTES, "%s", og_columns_field(columns, OG_COLUMN_RIGHT));
    }
}

/* True if --columns gives this column, or a usual name of it is in the row. */
static bool has_column(const reader *in, og_column column)
{
    char name[HEADING_BYTES];
    const char *const *usual = og_column_names(column);
    bool found = og_columns_given(in->how, column, 0, name, sizeof name);
    for (int at = 0; at < in->rows.field_count; at++) {
        for (int k = 0; usual[k] != NULL; k++) {
            found = found || og_column_named(in->rows.field[at], usual[k]);
        }
    }
    return found;
}

static bool find_columns(reader *in, og_columns *columns)
{
    static const og_column label[] = {OG_COLUMN_WORKER, OG_COLUMN_LEFT, OG_COLUMN_RIGHT,
                                      OG_COLUMN_WINNER, OG_COLUMN_TIMES};
    static const og_column wins[] = {OG_COLUMN_WORKER,    OG_COLUMN_LEFT,       OG_COLUMN_RIGHT,
                                     OG_COLUMN_WINS_LEFT, OG_COLUMN_WINS_RIGHT, OG_COLUMN_TIES};
    static const og_column ranks[] = {OG_COLUMN_ITEM, OG_COLUMN_RANK, OG_COLUMN_WORKER,
                                      OG_COLUMN_SESSION};
    static const og_columns_wanted ranked = {
        .column = ranks, .count = 4, .main = true, .optional = 12};
    if (!og_rows_next(&in->rows)) {
        return og_rows_fail(&in->rows, "the file is empty");
    }
    if (has_column(in, OG_COLUMN_RANK) && !has_column(in, OG_COLUMN_LEFT)) {
        return og_columns_find_in(columns, &in->rows, in->how, &ranked);
    }
    bool counted = has_column(in, OG_COLUMN_WINS_LEFT) && has_column(in, OG_COLUMN_WINS_RIGHT);
    bool keys = in->rows.keys.count > 0; /* then more columns may come */
    const og_columns_wanted wanted = {.column = counted ? wins : label,
                                      .count = counted
                                                   ? 5 + (keys || has_column(in, OG_COLUMN_TIES))
                                                   : 4 + (keys || has_column(in, OG_COLUMN_TIMES)),
                                      .main = true,
                                      .optional = counted ? 1 | 1 << 5 : 1 | 1 << 4};
    return og_columns_find_in(columns, &in->rows, in->how, &wanted);
}

static og_status read_pairs(reader *in, const char *path, const og_rows_limits *limits,
                            og_message *message)
{
    og_columns columns;
    og_rows *rows = &in->rows;
    og_rows_open(rows, plain_path(path), OG_ROWS_BY_HEADER, '\0', limits, message);
    bool none = !in->scored && in->items.count > 0 && og_rows_peek(rows) == '\0';
    bool fine = !none && find_columns(in, &columns);
    if (fine) {
        keep_headings(in, &columns);
    }
    while (fine && og_columns_next(&columns)) {
        fine = og_columns_have(&columns, OG_COLUMN_RANK) ? add_rank(in, &columns)
                                                         : add_pair(in, &columns);
    }
    fine = fine && rows->status == OG_OK && keep_rankings(in);
    if (rows->status == OG_OK && check_codes(in) &&
        (in->scored ? in->count == 0 : in->items.count < 2)) {
        og_rows_fail(rows, in->scored ? "no comparison of two items" : "fewer than two items");
    }
    return og_rows_close(rows);
}

/* Items that may be compared, or not yet. */
static og_status read_items(reader *in, const char *path, const og_rows_limits *limits,
                            og_message *message)
{
    static const og_column column[] = {OG_COLUMN_ITEM};
    const og_columns_wanted wanted = {column, 1, false, NULL, 0};
    og_columns columns;
    uint32_t item;
    og_rows_open(&in->rows, plain_path(path), OG_ROWS_BY_HEADER, '\0', limits, message);
    bool fine = og_columns_find(&columns, &in->rows, in->how, &wanted);
    while (fine && og_columns_next(&columns)) {
        fine = find_item(in, og_columns_field(&columns, OG_COLUMN_ITEM), &item);
    }
    return og_rows_close(&in->rows);
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

/* number[item]: of compared items, in the order of the scores. */
static void number_scored(const reader *in, uint32_t *number, og_pairs *out)
{
    for (size_t k = 0; k < in->count; k++) {
        number[in->pair[k].item[0]] = number[in->pair[k].item[1]] = 1;
    }
    for (uint32_t i = 0; i < in->items.count; i++) {
        if (number[i] != 0) {
            out->score[out->item_count] = in->score[i];
            out->item[out->item_count] = out->item[i];
            number[i] = out->item_count++;
        }
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

/* number[count]: in the order of their names, which are sorted. */
static void number_names(entry *list, uint32_t count, uint32_t *number, const char **name)
{
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (entry){name[i], i};
    }
    qsort(list, count, sizeof *list, compare_entries);
    for (uint32_t i = 0; i < count; i++) {
        number[list[i].number] = i;
        name[i] = list[i].name;
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
    entry *list = og_arena_array(&arena, (size_t)in->workers.count + in->items.count, sizeof *list);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arena_status(&made.arena));
    OG_THEN(status, copy_names(&in->items, &made.arena, made.item));
    OG_THEN(status, copy_names(&in->workers, &made.arena, made.worker));
    if (status == OG_OK) {
        if (in->scored) {
            number_scored(in, item, &made);
        } else {
            made.item_count = in->items.count;
            number_names(list, made.item_count, item, made.item);
        }
        number_names(list, made.worker_count, worker, made.worker);
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

og_status og_pairs_read(const og_pairs_files *files, const og_settings *settings, og_pairs *out,
                        og_message *message)
{
    reader in = {.how = settings != NULL ? settings->tables : NULL,
                 .scored = files->scores != NULL};
    const og_rows_limits limits = og_table_limits(settings);
    OG_TRY(og_tables_check(in.how, message));
    og_status status = in.scored ? read_scores(&in, files->scores, &limits, message) : OG_OK;
    int64_t scores_trimmed = in.rows.trimmed;
    if (status == OG_OK && files->items != NULL) {
        status = read_items(&in, files->items, &limits, message);
    }
    int64_t items_trimmed = in.rows.trimmed, trimmed = 0;
    for (const char *rest = files->pairs; status == OG_OK && rest != NULL;) {
        char *path = og_files_next(&rest);
        status = OG_ALLOCATED(path);
        OG_THEN(status, read_pairs(&in, path, &limits, message));
        trimmed += in.rows.trimmed;
        free(path);
    }
    OG_THEN(status, number_all(&in, out));
    if (status == OG_OK) {
        out->trimmed = trimmed;
        out->scores_trimmed = scores_trimmed;
        out->items_trimmed = files->items != NULL ? items_trimmed : 0;
    }
    og_names_clear(&in.items);
    og_names_clear(&in.workers);
    og_names_clear(&in.codes);
    og_names_clear(&in.sessions);
    og_names_clear(&in.rankers);
    free(in.rank);
    free(in.score);
    free(in.line);
    free(in.code_line);
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
