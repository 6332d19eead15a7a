/* Tables that other programs export. */
#include "bench/recorded/exports.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/answers_json.h"
#include "bench/recorded/columns.h"

enum { SHOWN = 40, CLASSES_MAX = 64, CLASS_BYTES = 64 };

static int find(const og_rows *rows, const char *name)
{
    int at = rows->field_count;
    while (at-- > 0 && strcmp(rows->field[at], name) != 0) {
    }
    return at;
}

static const char *const titles[] = {"", "Mechanical Turk", "Toloka", "Label Studio"};

og_export og_export_of(const og_rows *rows, const og_tables *how)
{
    static const char *const names[] = {"mturk", "toloka", "label-studio"};
    const char *format = how != NULL ? how->format : NULL;
    for (int i = 0; format != NULL && i < 3; i++) {
        if (strcmp(format, names[i]) == 0) {
            return (og_export)(OG_EXPORT_MTURK + i);
        }
    }
    if (format != NULL && strcmp(format, "auto") != 0) {
        return OG_EXPORT_NONE;
    }
    return find(rows, "HITId") >= 0 && find(rows, "WorkerId") >= 0 ? OG_EXPORT_MTURK
           : find(rows, "ASSIGNMENT:worker_id") >= 0               ? OG_EXPORT_TOLOKA
           : find(rows, "annotation_id") >= 0 && find(rows, "annotator") >= 0
               ? OG_EXPORT_LABEL_STUDIO
               : OG_EXPORT_NONE;
}

/* ---- columns by their beginning ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The only column that begins so, or of several the one whose rest is a usual name; -1: none. */
static int by_beginning(const og_rows *rows, const char *beginning, og_column column, bool lone)
{
    const char *const *usual = og_column_names(column);
    int found = -1, count = 0;
    for (int at = 0; at < rows->field_count; at++) {
        if (begins(rows->field[at], beginning)) {
            found = at;
            count++;
        }
    }
    if (lone && count == 1) {
        return found;
    }
    for (int i = 0; usual[i] != NULL; i++) {
        for (int at = 0; at < rows->field_count; at++) {
            if (begins(rows->field[at], beginning) &&
                og_column_named(rows->field[at] + strlen(beginning), usual[i])) {
                return at;
            }
        }
    }
    return -1;
}

/* ---- Label Studio ---- */

static int only_label(const og_rows *rows)
{
    int found = -1, count = 0;
    for (int at = 0; at < rows->field_count; at++) {
        if (!og_column_is_other(rows->field[at])) {
            found = at;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

/* ---- the classes of radio buttons ---- */

/* Columns "Answer.NAME.CLASS" of one NAME, true for the class that was chosen. */
typedef struct {
    int at[CLASSES_MAX];
    char class[CLASSES_MAX][CLASS_BYTES];
    int count;
} choice_buttons;

static void find_buttons(const og_rows *rows, choice_buttons *out)
{
    static const char beginning[] = "Answer.";
    size_t length = 0;
    const char *name = NULL;
    out->count = 0;
    for (int at = 0; at < rows->field_count; at++) {
        const char *field = rows->field[at];
        const char *point =
            begins(field, beginning) ? strrchr(field + sizeof beginning - 1, '.') : NULL;
        if (point == NULL) {
            continue;
        }
        size_t own = (size_t)(point - field);
        bool other = name != NULL && (own != length || strncmp(field, name, own) != 0);
        if (other || out->count == CLASSES_MAX || strlen(point + 1) >= CLASS_BYTES) {
            out->count = 0;
            return;
        }
        name = field;
        length = own;
        strcpy(out->class[out->count], point + 1);
        out->at[out->count++] = at;
    }
}

/* The chosen class, "" for none; NULL, and a failure, for several. */
static char *pressed(og_rows *rows, choice_buttons *buttons)
{
    static char none[] = "";
    char *found = none;
    for (int i = 0; i < buttons->count; i++) {
        bool on = buttons->at[i] < rows->field_count &&
                  strcasecmp(rows->field[buttons->at[i]], "true") == 0;
        if (on && found != none) {
            og_rows_fail(rows, "'%.*s' and '%.*s' are both true; one answer is expected", SHOWN,
                         found, SHOWN, buttons->class[i]);
            return NULL;
        }
        found = on ? buttons->class[i] : found;
    }
    return found;
}

/* ---- reading ---- */

typedef struct {
    og_export kind;
    int usual[3]; /* of task, worker, label */
    int status;   /* -1: none */
    bool json;    /* the label is JSON */
    choice_buttons buttons;
} export_table;

static void look(export_table *table, const og_rows *rows, bool gold)
{
    table->usual[0] = table->usual[1] = table->usual[2] = table->status = -1;
    if (table->kind == OG_EXPORT_MTURK) {
        int task = by_beginning(rows, "Input.", OG_COLUMN_TASK, false);
        table->usual[0] = task >= 0 ? task : find(rows, "HITId");
        table->usual[1] = find(rows, "WorkerId");
        table->usual[2] = gold ? by_beginning(rows, "Input.", OG_COLUMN_GOLD, false)
                               : by_beginning(rows, "Answer.", OG_COLUMN_LABEL, true);
        table->status = find(rows, "AssignmentStatus");
        if (!gold && table->usual[2] < 0) {
            find_buttons(rows, &table->buttons);
            table->usual[2] = table->buttons.count > 0 ? table->buttons.at[0] : -1;
        }
    } else if (table->kind == OG_EXPORT_TOLOKA) {
        int task = by_beginning(rows, "INPUT:", OG_COLUMN_TASK, true);
        table->usual[0] = task >= 0 ? task : find(rows, "ASSIGNMENT:task_id");
        table->usual[1] = find(rows, "ASSIGNMENT:worker_id");
        table->usual[2] = by_beginning(rows, gold ? "GOLDEN:" : "OUTPUT:", OG_COLUMN_LABEL, true);
        table->status = gold ? -1 : find(rows, "ASSIGNMENT:status");
    } else {
        table->usual[0] = find(rows, "id");
        table->usual[1] = find(rows, "annotator");
        table->usual[2] = gold ? -1 : only_label(rows);
    }
}

/* Work that was not accepted gives no label. */
static bool is_refused(const export_table *table, const og_rows *rows)
{
    static const char *const words[] = {"rejected", "skipped", "expired", "active", NULL};
    for (int i = 0; table->status >= 0 && table->status < rows->field_count && words[i] != NULL;
         i++) {
        if (strcasecmp(rows->field[table->status], words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool take_row(export_table *table, const og_columns *columns, bool gold,
                     og_answer_taker *take, void *user)
{
    og_rows *rows = columns->rows;
    char nothing[] = "", *owned = NULL;
    char *label = og_columns_field(columns, gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL);
    if (table->buttons.count > 0) {
        label = pressed(rows, &table->buttons);
    }
    if (is_refused(table, rows)) {
        label = nothing;
    } else if (table->json && label != NULL && *label != '\0') {
        label = owned = og_answer_in_json(rows, label);
    }
    bool going =
        label != NULL && take(user, rows, og_columns_field(columns, OG_COLUMN_TASK),
                              gold ? nothing : og_columns_field(columns, OG_COLUMN_WORKER), label);
    free(owned);
    return going;
}

static void name_columns(const og_answers *answers, const export_table *table,
                         const og_columns *columns)
{
    char **name = answers->rows->field;
    int label = columns->at[answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL];
    og_answers_form(answers, "%s: task '%.60s', worker '%.60s', label '%.60s'%s",
                    titles[table->kind], name[columns->at[OG_COLUMN_TASK]],
                    answers->gold ? "" : name[columns->at[OG_COLUMN_WORKER]], name[label],
                    table->buttons.count > 0 ? " and the like" : "");
}

void og_answers_read_export(const og_answers *answers, og_export kind)
{
    static const og_column label_columns[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL};
    static const og_column gold_columns[] = {OG_COLUMN_TASK, OG_COLUMN_GOLD};
    export_table table = {.kind = kind};
    char name[OG_MESSAGE_BYTES];
    look(&table, answers->rows, answers->gold);
    const int gold_usual[2] = {table.usual[0], table.usual[2]};
    const og_columns_wanted wanted = {answers->gold ? gold_columns : label_columns,
                                      answers->gold ? 2 : 3, !answers->gold,
                                      answers->gold ? gold_usual : table.usual, 0};
    og_columns columns;
    bool going = og_columns_find_in(&columns, answers->rows, answers->how, &wanted);
    if (!going) {
        return;
    }
    if (og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof name)) {
        table.buttons.count = 0;
    }
    int label = columns.at[answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL];
    table.json = strcmp(answers->rows->field[label], "Answer.taskAnswers") == 0;
    name_columns(answers, &table, &columns);
    if (kind == OG_EXPORT_TOLOKA) {
        og_rows_quote(answers->rows);
    }
    while (going && og_columns_next(&columns)) {
        going = take_row(&table, &columns, answers->gold, answers->take, answers->user);
    }
}
