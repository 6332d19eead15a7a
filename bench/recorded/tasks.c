/* Reads tables about tasks; reads contexts from them or finds contexts by clustering. */
#include "bench/recorded/tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/columns.h"
#include "dp/base/arena.h"
#include "dp/base/rows.h"

enum { TASK, WORD, TWO };

/* ---- tasks and words ---- */

typedef struct {
    og_rows rows;
    size_t text_room, start_room, line_room, bytes;
    int64_t *line; /* [found.count] */
    og_task_words found;
} context_reader;

static bool add_word(context_reader *reader, const char *word)
{
    size_t length = strlen(word) + 1;
    char *text = og_rows_grown(&reader->rows, reader->found.text, &reader->text_room,
                               reader->bytes + length, 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text + reader->bytes, word, length);
    reader->found.text = text;
    reader->bytes += length;
    return true;
}

static bool add_row(context_reader *reader, const og_columns *columns, og_column word)
{
    const og_column column[TWO] = {OG_COLUMN_TASK, word};
    size_t count = (size_t)reader->found.count;
    size_t *start = og_rows_grown(&reader->rows, reader->found.start, &reader->start_room,
                                  2 * count + 2, sizeof *start);
    reader->found.start = start != NULL ? start : reader->found.start;
    int64_t *line =
        og_rows_grown(&reader->rows, reader->line, &reader->line_room, count + 1, sizeof *line);
    reader->line = line != NULL ? line : reader->line;
    if (start == NULL || line == NULL || count == INT32_MAX / 2) {
        return start != NULL && line != NULL &&
               og_rows_fail(&reader->rows, "there are too many tasks");
    }
    line[count] = reader->rows.line;
    for (int k = TASK; k < TWO; k++) {
        start[2 * count + (size_t)k] = reader->bytes;
        if (!add_word(reader, og_columns_field(columns, column[k]))) {
            return false;
        }
    }
    reader->found.count++;
    return true;
}

typedef struct {
    const char *name;
    int32_t row;
} entry;

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const entry *)left)->name, ((const entry *)right)->name);
}

/* The same; equal names in their order. */
static int compare_in_order(const void *left, const void *right)
{
    const entry *x = left, *y = right;
    int order = compare_entries(x, y);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* The entries sorted by name; NULL if memory runs out. */
static entry *sorted_entries(const og_task_words *words)
{
    entry *list = calloc((size_t)words->count + 1, sizeof *list);
    for (int32_t k = 0; list != NULL && k < words->count; k++) {
        list[k] = (entry){og_task_name(words, k), k};
    }
    if (list != NULL) {
        qsort(list, (size_t)words->count, sizeof *list, compare_in_order);
    }
    return list;
}

/* Equal rows of a task are one; rows that differ are refused, and without a column beside the task
 * all second ones. */
static og_status merge_rows(context_reader *reader, const char *path, bool lone,
                            og_message *message)
{
    og_status status = OG_OK;
    og_task_words *found = &reader->found;
    entry *list = sorted_entries(found);
    OG_TRY(OG_ALLOCATED(list));
    for (int32_t k = 1; status == OG_OK && k < found->count; k++) {
        int32_t one = list[k - 1].row, other = list[k].row;
        if (strcmp(list[k - 1].name, list[k].name) != 0) {
            continue;
        }
        if (lone || strcmp(og_task_word(found, one), og_task_word(found, other)) != 0) {
            status = og_message_set(message, OG_BAD_INPUT,
                                    "%.200s: task '%.40s' has two lines%s, %" PRId64 " and %" PRId64
                                    "; give one",
                                    path, list[k].name, lone ? "" : " with different values",
                                    reader->line[one], reader->line[other]);
        }
        reader->line[other] = -1;
    }
    free(list);
    int32_t kept = 0;
    for (int32_t k = 0; status == OG_OK && k < found->count; k++) {
        if (reader->line[k] >= 0) {
            memmove(&found->start[2 * kept++], &found->start[2 * k], 2 * sizeof *found->start);
        }
    }
    found->count = status == OG_OK ? kept : found->count;
    return status;
}

og_status og_task_words_read(const char *path, og_column column, const og_settings *settings,
                             og_task_words *out, og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    const og_column both[TWO] = {OG_COLUMN_TASK, column};
    const og_columns_wanted wanted = {both, column == OG_COLUMN_TASK ? 1 : TWO,
                                      column == OG_COLUMN_GOLD, NULL, 0};
    og_columns columns;
    context_reader reader = {.bytes = 0};
    og_rows_open(&reader.rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    bool fine = og_columns_find(&columns, &reader.rows, settings != NULL ? settings->tables : NULL,
                                &wanted);
    while (fine && og_columns_next(&columns)) {
        fine = add_row(&reader, &columns, column);
    }
    og_status status = og_rows_close(&reader.rows);
    if (status == OG_OK && reader.found.count == 0) {
        status =
            og_message_set(message, OG_BAD_INPUT, "%.200s: no tasks; give a line for each", path);
    }
    OG_THEN(status, merge_rows(&reader, path, column == OG_COLUMN_TASK, message));
    free(reader.line);
    if (status != OG_OK) {
        og_task_words_clear(&reader.found);
        return status;
    }
    *out = reader.found;
    out->trimmed = reader.rows.trimmed;
    return OG_OK;
}

void og_task_words_clear(og_task_words *words)
{
    free(words->text);
    free(words->start);
    *words = (og_task_words){.count = 0};
}

/* The class of each task in the order in which they come. */
static bool number_truths(const og_task_words *words, const og_tables *how, og_rows *rows,
                          og_class_list *classes, int8_t *truth)
{
    for (int32_t k = 0; k < words->count; k++) {
        const char *word = og_task_word(words, k);
        char *label = strdup(strcmp(word, "+1") == 0 ? "1" : word);
        uint8_t class = 0;
        if (label == NULL) {
            return og_rows_no_memory(rows);
        }
        bool fine = og_label_is_missing(how, label)
                        ? og_rows_fail(rows, "task '%.40s' has no label", og_task_name(words, k))
                        : og_classes_number(classes, rows, label, &class);
        free(label);
        if (!fine) {
            return false;
        }
        truth[k] = (int8_t) class;
    }
    return true;
}

og_status og_task_truths(const og_task_words *words, const char *path, const og_tables *how,
                         og_class_list *classes, int8_t *truth, og_message *message)
{
    og_rows rows = {.path = path, .message = message}; /* takes failures, of the whole file */
    uint8_t place[OG_CLASSES_READ];
    *classes = (og_class_list){.count = 0};
    if (!og_classes_begin(classes, &rows, how) ||
        !number_truths(words, how, &rows, classes, truth) ||
        !og_classes_sort(classes, &rows, how, place)) {
        return rows.status;
    }
    for (int32_t k = 0; k < words->count; k++) {
        truth[k] = og_class_code(classes->count, (int32_t)place[(uint8_t)truth[k]]);
    }
    return og_classes_check(classes->count, path, message);
}

/* ---- contexts from a file ---- */

/* Write the row of each of the tasks among the words to row[count]. */
static og_status find_tasks(const og_task_words *words, const char *path,
                            const og_contexts *contexts, const char *lacks, int32_t *row,
                            og_message *message)
{
    og_status status = OG_OK;
    entry *list = sorted_entries(words);
    OG_TRY(OG_ALLOCATED(list));
    for (int32_t i = 0; status == OG_OK && i < contexts->count; i++) {
        const entry key = {contexts->name[i], 0};
        const entry *found =
            bsearch(&key, list, (size_t)words->count, sizeof *list, compare_entries);
        if (found == NULL) {
            status = og_message_set(message, OG_BAD_INPUT, "%.200s: task '%.40s' has no %s", path,
                                    contexts->name[i], lacks);
        } else {
            row[i] = found->row;
        }
    }
    free(list);
    return status;
}

/* Number the words in the order of first appearance. */
static void number_words(const og_task_words *words, const int32_t *row, int32_t *first,
                         og_contexts *contexts)
{
    int32_t used = 0;
    for (int32_t i = 0; i < contexts->count; i++) {
        int32_t s = 0;
        while (s < used &&
               strcmp(og_task_word(words, first[s]), og_task_word(words, row[i])) != 0) {
            s++;
        }
        if (s == used) {
            first[used++] = row[i];
        }
        contexts->context[i] = s;
    }
    contexts->contexts = used;
    contexts->trimmed = words->trimmed;
}

og_status og_contexts_read(const char *path, const og_settings *settings, og_contexts *contexts,
                           og_message *message)
{
    og_task_words words = {.count = 0};
    og_arena arena = {0};
    OG_TRY(og_task_words_read(path, OG_COLUMN_CONTEXT, settings, &words, message));
    int32_t *row = og_arena_array(&arena, (size_t)contexts->count, sizeof *row);
    int32_t *first = og_arena_array(&arena, (size_t)contexts->count, sizeof *first);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, find_tasks(&words, path, contexts, "context", row, message));
    if (status == OG_OK) {
        number_words(&words, row, first, contexts);
    }
    og_arena_clear(&arena);
    og_task_words_clear(&words);
    return status;
}

/* ---- k-means ---- */

typedef struct {
    og_arena arena;
    int32_t count, features, clusters;
    double *point;  /* [count * features] */
    double *center; /* [clusters * features] */
    double *far;    /* [count] squared distance to the nearest center so far */
    int32_t *size;  /* [clusters] */
} cluster_means;

static double distance(const cluster_means *means, int32_t i, int32_t cluster)
{
    const double *x = means->point + (int64_t)i * means->features;
    const double *y = means->center + (int64_t)cluster * means->features;
    double sum = 0;
    for (int32_t f = 0; f < means->features; f++) {
        sum += (x[f] - y[f]) * (x[f] - y[f]);
    }
    return sum;
}

/* Scale a column by a power of two so that its largest number is between 1/2 and 1, and no square
 * leaves the range of doubles. Powers of two cause no relevant rounding. */
static void scale_by_two(cluster_means *means, int32_t f)
{
    double most = 0;
    int exponent;
    for (int32_t i = 0; i < means->count; i++) {
        most = fmax(most, fabs(means->point[(int64_t)i * means->features + f]));
    }
    frexp(most, &exponent);
    for (int32_t i = 0; i < means->count; i++) {
        double *x = &means->point[(int64_t)i * means->features + f];
        *x = ldexp(*x, -exponent);
    }
}

/* Scale all columns; a constant column carries no information and becomes 0. */
static void scale(cluster_means *means)
{
    for (int32_t f = 0; f < means->features; f++) {
        double mean = 0, variance = 0;
        scale_by_two(means, f);
        for (int32_t i = 0; i < means->count; i++) {
            mean += means->point[(int64_t)i * means->features + f] / means->count;
        }
        for (int32_t i = 0; i < means->count; i++) {
            double off = means->point[(int64_t)i * means->features + f] - mean;
            variance += off * off / means->count;
        }
        for (int32_t i = 0; i < means->count; i++) {
            double *x = &means->point[(int64_t)i * means->features + f];
            *x = variance > 0 ? (*x - mean) / sqrt(variance) : 0;
        }
    }
}

/* Draw tasks as centers; fewer than wanted if there are not enough different ones. */
static void draw_centers(cluster_means *means, int32_t wanted, uint64_t seed)
{
    double all = 0;
    for (int32_t i = 0; i < means->count; i++) {
        means->far[i] = 1;
        all += 1;
    }
    for (means->clusters = 0; means->clusters < wanted && all > 0; means->clusters++) {
        uint64_t bits = og_draw(seed, OG_DRAW_TRUTH, 0, 0, (uint32_t)means->clusters);
        double rest = og_draw_unit(bits) * all;
        int32_t chosen = means->count - 1;
        for (int32_t i = 0; i < means->count; i++) {
            rest -= means->far[i];
            if (means->far[i] > 0 && rest < 0) {
                chosen = i;
                break;
            }
        }
        memcpy(means->center + (int64_t)means->clusters * means->features,
               means->point + (int64_t)chosen * means->features,
               (size_t)means->features * sizeof *means->center);
        all = 0;
        for (int32_t i = 0; i < means->count; i++) {
            double near = distance(means, i, means->clusters);
            means->far[i] = means->clusters == 0 ? near : fmin(means->far[i], near);
            all += means->far[i];
        }
    }
}

/* Assign each task to its nearest center; true if one has moved. */
static bool assign(const cluster_means *means, int32_t *context)
{
    bool moved = false;
    for (int32_t i = 0; i < means->count; i++) {
        int32_t best = 0;
        for (int32_t c = 1; c < means->clusters; c++) {
            best = distance(means, i, c) < distance(means, i, best) ? c : best;
        }
        moved = moved || context[i] != best;
        context[i] = best;
    }
    return moved;
}

/* Move the centers to the means of their tasks; a center without a task stays. */
static void move_centers(cluster_means *means, const int32_t *context)
{
    memset(means->size, 0, (size_t)means->clusters * sizeof *means->size);
    for (int32_t i = 0; i < means->count; i++) {
        means->size[context[i]]++;
    }
    for (int32_t c = 0; c < means->clusters; c++) {
        for (int32_t f = 0; means->size[c] > 0 && f < means->features; f++) {
            means->center[(int64_t)c * means->features + f] = 0;
        }
    }
    for (int32_t i = 0; i < means->count; i++) {
        for (int32_t f = 0; f < means->features; f++) {
            means->center[(int64_t)context[i] * means->features + f] +=
                means->point[(int64_t)i * means->features + f] / means->size[context[i]];
        }
    }
}

/* Write the columns that are features to column[field_count]; returns their number. */
static int32_t feature_columns(const og_columns *columns, int *column)
{
    int32_t count = 0;
    for (int k = 0; k < columns->rows->field_count; k++) {
        bool label = !columns->pending && og_column_named(columns->rows->field[k], "label");
        if (k != columns->at[OG_COLUMN_TASK] && !label) {
            column[count++] = k;
        }
    }
    return count;
}

/* Read a line into the point of its task. */
static bool read_point(cluster_means *means, og_rows *rows, const int *column, int32_t task)
{
    for (int32_t f = 0; f < means->features; f++) {
        double *to = &means->point[(int64_t)task * means->features + f];
        if (column[f] >= rows->field_count || !og_rows_decimal(rows, rows->field[column[f]], to)) {
            return og_rows_fail(rows, "column %d must be a number", column[f] + 1);
        }
    }
    return true;
}

/* Read the lines again for their numbers; task_of[count] is the task of a row plus 1, or 0. */
static void read_lines(cluster_means *means, og_rows *rows, const og_tables *how,
                       const int32_t *task_of, int32_t count)
{
    static const og_column task_column[] = {OG_COLUMN_TASK};
    const og_columns_wanted wanted = {task_column, 1, false, NULL, 0};
    og_columns columns;
    int32_t line = 0;
    if (!og_columns_find(&columns, rows, how, &wanted)) {
        return;
    }
    int *column = og_arena_array(&means->arena, (size_t)rows->field_count, sizeof *column);
    means->features = column != NULL ? feature_columns(&columns, column) : 0;
    means->point = og_arena_array(&means->arena, (size_t)means->count * (size_t)means->features,
                                  sizeof *means->point);
    if (column == NULL || means->point == NULL) {
        og_rows_no_memory(rows);
        return;
    }
    if (means->features == 0) {
        og_rows_fail(rows,
                     "no column with numbers; give at least one in addition to task and label");
    }
    while (rows->status == OG_OK && og_columns_next(&columns)) {
        int32_t task = line < count ? task_of[line++] : 0;
        if (task > 0 && !read_point(means, rows, column, task - 1)) {
            break;
        }
    }
}

/* row[count] are the rows of the tasks. */
static og_status read_points(cluster_means *means, const char *path, const og_settings *settings,
                             const int32_t *row, int32_t rows_in_all, og_message *message)
{
    og_rows rows;
    const og_rows_limits limits = og_table_limits(settings);
    int32_t *task_of = og_arena_array(&means->arena, (size_t)rows_in_all, sizeof *task_of);
    OG_TRY(OG_ALLOCATED(task_of));
    for (int32_t i = 0; i < means->count; i++) {
        task_of[row[i]] = i + 1;
    }
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    read_lines(means, &rows, settings != NULL ? settings->tables : NULL, task_of, rows_in_all);
    return og_rows_close(&rows);
}

static og_status cluster(cluster_means *means, int32_t wanted, uint64_t seed, og_stop *stop,
                         int32_t *context)
{
    const int32_t rounds = 100000;
    means->center = og_arena_array(&means->arena, (size_t)wanted * (size_t)means->features,
                                   sizeof *means->center);
    means->far = og_arena_array(&means->arena, (size_t)means->count, sizeof *means->far);
    means->size = og_arena_array(&means->arena, (size_t)wanted, sizeof *means->size);
    OG_TRY(og_arena_status(&means->arena));
    scale(means);
    draw_centers(means, wanted, seed);
    for (int32_t i = 0; i < means->count; i++) {
        context[i] = -1;
    }
    /* the sum of squared distances falls in each round, up to rounding */
    for (int32_t k = 0; k < rounds && !og_stop_asked(stop) && assign(means, context); k++) {
        move_centers(means, context);
    }
    return og_stop_status(stop);
}

og_status og_contexts_cluster(const char *path, int32_t wanted, uint64_t seed,
                              const og_settings *settings, og_contexts *contexts,
                              og_message *message)
{
    og_task_words words = {.count = 0};
    cluster_means *by = og_arena_new(sizeof *by);
    OG_TRY(OG_ALLOCATED(by));
    by->count = contexts->count;
    int32_t *row = og_arena_array(&by->arena, (size_t)contexts->count, sizeof *row);
    og_status status = og_arena_status(&by->arena);
    OG_THEN(status, og_task_words_read(path, OG_COLUMN_TASK, settings, &words, message));
    OG_THEN(status, find_tasks(&words, path, contexts, "line", row, message));
    OG_THEN(status, read_points(by, path, settings, row, words.count, message));
    OG_THEN(status, cluster(by, wanted, seed, og_stop_of(settings), contexts->context));
    if (status == OG_OK) {
        contexts->contexts = by->clusters;
        contexts->trimmed = words.trimmed;
    }
    og_task_words_clear(&words);
    og_arena_free(by);
    return status;
}
