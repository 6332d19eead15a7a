/* Labels in one JSON object with items as keys become a list of rows. */
#include "bench/recorded/items_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/columns.h"
#include "bench/recorded/exports.h"

enum { NAME_BYTES = 200, DIGITS = 15 };

/* What the items have. */
typedef enum { NO_ITEMS, LABELS, LABELS_BY_WORKER, ROWS } content;

/* Is there a key for this column, by --columns or by a usual name? */
static bool has_key(const og_answers *answers, const json_t *object, og_column column)
{
    const char *const *usual = og_column_names(column), *key;
    char given[NAME_BYTES];
    bool found = og_columns_given(answers->how, column, 0, given, sizeof given) &&
                 json_object_get(object, given) != NULL;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        for (int i = 0; !found && usual[i] != NULL; i++) {
            found = og_column_named(key, usual[i]);
        }
    }
    return found;
}

/* Is it a row of labels or of counts without the task? */
static bool is_row(const og_answers *answers, const json_t *object)
{
    return has_key(answers, object, OG_COLUMN_LABEL) || has_key(answers, object, OG_COLUMN_GOLD) ||
           (has_key(answers, object, OG_COLUMN_POSITIVE) &&
            has_key(answers, object, OG_COLUMN_NEGATIVE));
}

/* A value without keys inside: a text, a number, or a list of them. */
static bool is_cell(const json_t *value)
{
    bool cell = !json_is_object(value);
    for (size_t i = 0; cell && i < json_array_size(value); i++) {
        const json_t *one = json_array_get(value, i);
        cell = !json_is_array(one) && !json_is_object(one);
    }
    return cell;
}

/* An item's value; null, {} and [] fit to all. */
static content content_of(const og_answers *answers, const json_t *value)
{
    bool by_worker = json_is_object(value) && !answers->gold, rows = json_array_size(value) > 0;
    const char *key;
    json_t *inner;
    if (is_cell(value)) {
        return LABELS;
    }
    for (size_t i = 0; rows && i < json_array_size(value); i++) {
        const json_t *one = json_array_get(value, i);
        rows = is_row(answers, one) && !has_key(answers, one, OG_COLUMN_TASK);
    }
    if (rows || has_key(answers, value, OG_COLUMN_TASK)) {
        return rows ? ROWS : NO_ITEMS;
    }
    json_object_foreach((json_t *)value, key, inner)
    {
        by_worker = by_worker && is_cell(inner);
    }
    return is_row(answers, value) ? ROWS : by_worker ? LABELS_BY_WORKER : NO_ITEMS;
}

static bool is_empty(const json_t *value)
{
    return json_is_null(value) || (json_is_object(value) && json_object_size(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* Of all items the same; one row among labels by workers means that all are rows. */
static content content_of_all(const og_answers *answers, const json_t *items)
{
    content all = LABELS;
    bool any = false;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)items, key, value)
    {
        content one = is_empty(value) ? all : content_of(answers, value);
        if (one == NO_ITEMS || (any && (one == LABELS) != (all == LABELS))) {
            return NO_ITEMS;
        }
        all = one > all ? one : all;
        any = any || !is_empty(value);
    }
    return any ? all : NO_ITEMS;
}

/* Does the object look like a row of labels, or of an export? */
static bool is_table(const og_answers *answers, const json_t *object, char **names)
{
    static const og_column columns[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL,
                                        OG_COLUMN_GOLD};
    const og_tables *how = answers->how;
    char given[NAME_BYTES];
    const og_rows named = {.field = names, .field_count = (int)json_object_size(object)};
    bool table = og_columns_given(how, OG_COLUMN_TASK, 0, given, sizeof given) ||
                 (how != NULL && (how->wide || og_export_of(&named, how) != OG_EXPORT_NONE));
    for (size_t i = 0; !table && i < sizeof columns / sizeof *columns; i++) {
        table = has_key(answers, object, columns[i]);
    }
    return table;
}

/* ---- rows ---- */

/* Adds {"task": task, ...} with the keys of `row` (NULL: none), the worker and the label (NULL:
 * none); takes over neither. */
static bool add_row(json_t *rows, const char *task, json_t *row, const char *worker, json_t *label,
                    bool gold)
{
    json_t *added = json_object();
    bool fine = json_object_set_new(added, "task", json_string(task)) == 0 &&
                (row == NULL || json_object_update(added, row) == 0) &&
                (worker == NULL || json_object_set_new(added, "worker", json_string(worker)) == 0);
    fine = fine && (label == NULL || json_object_set(added, gold ? "gold" : "label", label) == 0);
    fine = fine && json_array_append(rows, added) == 0;
    json_decref(added);
    return fine;
}

/* Adds the rows of an item; false without memory. */
static bool add_item(json_t *rows, const char *task, json_t *value, content all, bool gold)
{
    const char *worker;
    json_t *inner;
    bool fine = true;
    if (all == LABELS || is_empty(value)) {
        return add_row(rows, task, NULL, NULL, is_cell(value) ? value : NULL, gold);
    }
    for (size_t i = 0; fine && i < json_array_size(value); i++) {
        fine = add_row(rows, task, json_array_get(value, i), NULL, NULL, gold);
    }
    if (all == ROWS && json_is_object(value)) {
        fine = add_row(rows, task, value, NULL, NULL, gold);
    }
    json_object_foreach(all == LABELS_BY_WORKER ? value : NULL, worker, inner)
    {
        fine = fine && add_row(rows, task, NULL, worker, inner, gold);
    }
    return fine;
}

static char *rows_of(const og_answers *answers, const json_t *items, content all)
{
    json_t *rows = json_array();
    const char *key;
    json_t *value;
    bool fine = rows != NULL;
    json_object_foreach((json_t *)items, key, value)
    {
        fine = fine && add_item(rows, key, value, all, answers->gold);
    }
    char *text = fine ? json_dumps(rows, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(rows);
    return text;
}

/* ---- all ---- */

/* Of several objects the keys are columns, and none of them is that of the tasks. */
static bool is_alone(const og_answers *answers, char **names, int count)
{
    og_rows *rows = answers->rows;
    const int64_t line = rows->line;
    if (!og_rows_next(rows)) {
        return rows->status == OG_OK;
    }
    char **field = rows->field;
    rows->line = line;
    rows->field = names;
    rows->field_count = count;
    og_columns_lacks(rows, OG_COLUMN_TASK);
    rows->field = field;
    return false;
}

/* A key that is there twice would drop labels. */
static bool has_each_key_once(const og_answers *answers)
{
    json_error_t error;
    json_t *again = json_loads(answers->rows->field[0], JSON_REJECT_DUPLICATES, &error);
    bool fine = again != NULL;
    json_decref(again);
    return fine || og_rows_fail(answers->rows, "items as keys: %.200s", error.text);
}

char *og_items_as_rows(const og_answers *answers)
{
    json_error_t error;
    json_t *items = json_loads(answers->rows->field[0], 0, &error), *value;
    char **names = calloc(json_object_size(items) + 1, sizeof *names), *text = NULL;
    const char *key;
    int count = 0;
    content all = NO_ITEMS;
    bool fine = items != NULL && names != NULL;
    json_object_foreach(fine ? items : NULL, key, value)
    {
        names[count++] = (char *)key;
    }
    if (fine && !is_table(answers, items, names)) {
        all = content_of_all(answers, items);
    }
    if (all != NO_ITEMS && has_each_key_once(answers) && is_alone(answers, names, count)) {
        text = rows_of(answers, items, all);
        fine = text != NULL;
    }
    if (!fine) {
        og_rows_no_memory(answers->rows);
    } else if (text != NULL) {
        og_answers_form(answers, "JSON with items as keys%s",
                        all == LABELS             ? ", no workers"
                        : all == LABELS_BY_WORKER ? ": workers are keys inside"
                                                  : ", and columns inside");
    }
    free(names);
    json_decref(items);
    return text;
}
