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

/* By og_export. */
static const char *const titles[] = {
    "", "Mechanical Turk", "Toloka", "Label Studio", "Figure Eight", "Zooniverse", "Potato"};
static const char *const names[] = {"",           "mturk", "toloka", "label-studio", "figure-eight",
                                    "zooniverse", "potato"};

enum { EXPORTS = sizeof names / sizeof *names };

static bool has_options(const og_rows *rows)
{
    int at = rows->field_count;
    while (at-- > 0 && strstr(rows->field[at], ":::") == NULL) {
    }
    return at >= 0;
}

og_export og_export_of(const og_rows *rows, const og_tables *how)
{
    const char *format = how != NULL ? how->format : NULL;
    for (int i = 1; format != NULL && i < EXPORTS; i++) {
        if (strcmp(format, names[i]) == 0) {
            return (og_export)i;
        }
    }
    if (format != NULL && strcmp(format, "auto") != 0) {
        return OG_EXPORT_NONE;
    }
    return find(rows, "HITId") >= 0 && find(rows, "WorkerId") >= 0 ? OG_EXPORT_MTURK
           : find(rows, "ASSIGNMENT:worker_id") >= 0               ? OG_EXPORT_TOLOKA
           : find(rows, "annotation_id") >= 0 && find(rows, "annotator") >= 0
               ? OG_EXPORT_LABEL_STUDIO
           : find(rows, "_unit_id") >= 0 && find(rows, "_worker_id") >= 0 ? OG_EXPORT_FIGURE_EIGHT
           : find(rows, "annotations") >= 0 && find(rows, "subject_ids") >= 0 ? OG_EXPORT_ZOONIVERSE
           : find(rows, "instance_id") >= 0 && has_options(rows)              ? OG_EXPORT_POTATO
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

/* ---- Figure Eight ---- */

static int gold_of(const og_rows *rows, int label)
{
    char name[OG_MESSAGE_BYTES];
    snprintf(name, sizeof name, "%s_gold", rows->field[label]);
    return find(rows, name);
}

/* The only question: a column with another one of the same name and "_gold". */
static int only_question(const og_rows *rows)
{
    int found = -1, count = 0;
    for (int at = 0; at < rows->field_count; at++) {
        if (gold_of(rows, at) >= 0) {
            found = at;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

/* ---- the classes of radio buttons ---- */

/* Columns "Answer.NAME.CLASS", or "NAME:::CLASS", of one NAME, true (or not empty) for the class
 * that was chosen. */
typedef struct {
    int at[CLASSES_MAX];
    char class[CLASSES_MAX][CLASS_BYTES];
    int count;
    bool any; /* each text chooses */
} choice_buttons;

/* The beginning of a button's class in the name of its column; NULL: it is none. */
static const char *class_in(const char *field, bool potato)
{
    static const char beginning[] = "Answer.";
    const char *mark = potato                     ? strstr(field, ":::")
                       : begins(field, beginning) ? strrchr(field + sizeof beginning - 1, '.')
                                                  : NULL;
    return mark == NULL ? NULL : mark + (potato ? 3 : 1);
}

/* The buttons of the question that is wanted; NULL: of the only one. */
static void find_buttons(const og_rows *rows, bool potato, const char *wanted, choice_buttons *out)
{
    size_t length = 0, mark = potato ? 3 : 1;
    const char *name = NULL;
    out->count = 0;
    out->any = potato;
    for (int at = 0; at < rows->field_count; at++) {
        const char *field = rows->field[at], *class = class_in(field, potato);
        size_t own = class != NULL ? (size_t)(class - field) - mark : 0;
        if (class == NULL ||
            (wanted != NULL && (strlen(wanted) != own || strncmp(field, wanted, own) != 0))) {
            continue;
        }
        bool other = name != NULL && (own != length || strncmp(field, name, own) != 0);
        if (other || out->count == CLASSES_MAX || strlen(class) >= CLASS_BYTES) {
            out->count = 0;
            return;
        }
        name = field;
        length = own;
        strcpy(out->class[out->count], class);
        out->at[out->count++] = at;
    }
}

static bool is_pressed(const choice_buttons *buttons, const char *field)
{
    return buttons->any ? *field != '\0' && strcasecmp(field, "false") != 0
                        : strcasecmp(field, "true") == 0;
}

/* The chosen class, "" for none; NULL, and a failure, for several. */
static char *pressed(og_rows *rows, choice_buttons *buttons)
{
    static char none[] = "";
    char *found = none;
    for (int i = 0; i < buttons->count; i++) {
        bool on =
            buttons->at[i] < rows->field_count && is_pressed(buttons, rows->field[buttons->at[i]]);
        if (on && found != none) {
            og_rows_fail(rows, "'%.*s' and '%.*s' are both chosen; one answer is expected", SHOWN,
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
    int usual[3];                    /* of task, worker, label */
    int status;                      /* -1: none */
    char question[OG_MESSAGE_BYTES]; /* of Zooniverse and Potato, "": the only one */
    choice_buttons buttons;
} export_table;

static void look_at_mturk(export_table *table, const og_rows *rows, bool gold)
{
    int task = by_beginning(rows, "Input.", OG_COLUMN_TASK, false);
    table->usual[0] = task >= 0 ? task : find(rows, "HITId");
    table->usual[1] = find(rows, "WorkerId");
    table->usual[2] = gold ? by_beginning(rows, "Input.", OG_COLUMN_GOLD, false)
                           : by_beginning(rows, "Answer.", OG_COLUMN_LABEL, true);
    table->status = find(rows, "AssignmentStatus");
    if (!gold && table->usual[2] < 0) {
        find_buttons(rows, false, NULL, &table->buttons);
        table->usual[2] = table->buttons.count > 0 ? table->buttons.at[0] : -1;
    }
}

static void look_at_toloka(export_table *table, const og_rows *rows, bool gold)
{
    int task = by_beginning(rows, "INPUT:", OG_COLUMN_TASK, true);
    table->usual[0] = task >= 0 ? task : find(rows, "ASSIGNMENT:task_id");
    table->usual[1] = find(rows, "ASSIGNMENT:worker_id");
    table->usual[2] = by_beginning(rows, gold ? "GOLDEN:" : "OUTPUT:", OG_COLUMN_LABEL, true);
    table->status = gold ? -1 : find(rows, "ASSIGNMENT:status");
}

static void look_at_potato(export_table *table, const og_rows *rows)
{
    table->usual[0] = find(rows, "instance_id");
    table->usual[1] = find(rows, "user");
    find_buttons(rows, true, *table->question != '\0' ? table->question : NULL, &table->buttons);
    table->usual[2] = table->buttons.count > 0 ? table->buttons.at[0] : -1;
}

static void look(export_table *table, const og_rows *rows, bool gold)
{
    table->usual[0] = table->usual[1] = table->usual[2] = table->status = -1;
    if (table->kind == OG_EXPORT_MTURK) {
        look_at_mturk(table, rows, gold);
    } else if (table->kind == OG_EXPORT_TOLOKA) {
        look_at_toloka(table, rows, gold);
    } else if (table->kind == OG_EXPORT_POTATO && !gold) {
        look_at_potato(table, rows);
    } else if (table->kind == OG_EXPORT_FIGURE_EIGHT) {
        int label = only_question(rows);
        table->usual[0] = find(rows, "_unit_id");
        table->usual[1] = find(rows, "_worker_id");
        table->usual[2] = gold && label >= 0 ? gold_of(rows, label) : label;
        table->status = gold ? -1 : find(rows, "_tainted");
    } else if (table->kind == OG_EXPORT_ZOONIVERSE) {
        table->usual[0] = find(rows, "subject_ids");
        table->usual[1] = find(rows, "user_name");
        table->usual[2] = gold ? -1 : find(rows, "annotations");
    } else {
        table->usual[0] = find(rows, "id");
        table->usual[1] = find(rows, "annotator");
        table->usual[2] = gold ? -1 : only_label(rows);
    }
}

/* Work that was not accepted gives no label. */
static bool is_refused(const export_table *table, const og_rows *rows)
{
    static const char *const words[] = {"rejected", "skipped", "expired", "active", "true", NULL};
    for (int i = 0; table->status >= 0 && table->status < rows->field_count && words[i] != NULL;
         i++) {
        if (strcasecmp(rows->field[table->status], words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The label in the row; *owned is to be freed. NULL, and a failure of the rows: there are several.
 */
static char *label_of(export_table *table, const og_columns *columns, og_column last, char **owned)
{
    static char nothing[] = "";
    og_rows *rows = columns->rows;
    char *label = og_columns_field(columns, last);
    if (is_refused(table, rows)) {
        return nothing;
    }
    if (table->buttons.count > 0) {
        return pressed(rows, &table->buttons);
    }
    if (table->kind == OG_EXPORT_ZOONIVERSE && *label == '[') {
        return *owned = og_answer_to(rows, label, table->question);
    }
    /* a list of one object */
    bool json = table->kind == OG_EXPORT_MTURK && *label == '[';
    return json ? *owned = og_answer_in_json(rows, label) : label;
}

static bool take_row(export_table *table, const og_columns *columns, const og_answers *answers)
{
    char nothing[] = "", *owned = NULL;
    char *label =
        label_of(table, columns, answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL, &owned);
    bool going = label != NULL &&
                 og_answers_take(
                     answers, og_columns_field(columns, OG_COLUMN_TASK),
                     answers->gold ? nothing : og_columns_field(columns, OG_COLUMN_WORKER), label);
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
                    answers->gold ? "" : name[columns->at[OG_COLUMN_WORKER]],
                    label >= 0 ? name[label] : "", /* may come in a later object */
                    table->buttons.count > 0 ? " and the like" : "");
}

/* A question's name in place of its column, of Zooniverse and Potato. */
static bool asks(export_table *table, const og_answers *answers)
{
    char *name = table->question;
    bool inside = table->kind == OG_EXPORT_ZOONIVERSE || table->kind == OG_EXPORT_POTATO;
    bool given =
        inside && og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof table->question);
    if (!given || find(answers->rows, name) >= 0) {
        *name = '\0';
        return false;
    }
    return true;
}

void og_answers_read_export(const og_answers *answers, og_export kind)
{
    static const og_column label_columns[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL};
    static const og_column gold_columns[] = {OG_COLUMN_TASK, OG_COLUMN_GOLD};
    export_table table = {.kind = kind};
    char name[OG_MESSAGE_BYTES];
    bool asked = asks(&table, answers);
    look(&table, answers->rows, answers->gold);
    const int gold_usual[2] = {table.usual[0], table.usual[2]};
    const og_columns_wanted wanted = {answers->gold ? gold_columns : label_columns,
                                      answers->gold ? 2 : 3, !answers->gold,
                                      answers->gold ? gold_usual : table.usual, 0};
    const og_columns_wanted two = {label_columns, 2, true, table.usual, 0};
    og_columns columns;
    bool fixed = asked && !answers->gold && table.usual[2] >= 0; /* --columns names no column */
    bool going = og_columns_find_in(&columns, answers->rows, answers->how, fixed ? &two : &wanted);
    if (!going) {
        return;
    }
    if (fixed) {
        columns.at[OG_COLUMN_LABEL] = table.usual[2];
        columns.last = columns.last > table.usual[2] ? columns.last : table.usual[2];
    } else if (og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof name)) {
        table.buttons.count = 0;
    }
    name_columns(answers, &table, &columns);
    if (kind == OG_EXPORT_TOLOKA) {
        og_rows_quote(answers->rows);
    }
    while (going && og_columns_next(&columns)) {
        going = take_row(&table, &columns, answers);
    }
}
