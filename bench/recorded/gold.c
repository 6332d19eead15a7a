/* Reads gold labels and matches them with the recorded ones by task name. */
#include "bench/recorded/gold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/answers.h"
#include "bench/recorded/columns.h"
#include "dp/base/arena.h"

enum { NAME_SHOWN = 60, PATH_SHOWN = 200 };

typedef struct {
    const char *name;
    uint32_t task;
} entry;

typedef struct {
    const og_tables *how;
    const og_labels *labels;
    og_class_list classes;
    bool dash;      /* "-" is a class */
    entry *entries; /* [task_count] by name */
    uint8_t *found; /* [task_count] */
    int64_t *line;  /* [task_count] of the gold that was found */
    og_gold_count count;
} reader;

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const entry *)left)->name, ((const entry *)right)->name);
}

static bool take(void *user, og_rows *rows, char *task, char *worker, char *label)
{
    reader *in = user;
    uint8_t class;
    const entry key = {task, 0};
    (void)worker;
    if (og_label_is_missing(in->how, label) || (og_label_is_dash(label) && !in->dash)) {
        return true;
    }
    if (*task == '\0') {
        return og_rows_fail(rows, "the task is missing");
    }
    if (!og_classes_number(&in->classes, rows, label, &class)) {
        return false;
    }
    const entry *at = bsearch(&key, in->entries, in->labels->task_count, sizeof key, compare_names);
    if (at == NULL) {
        in->count.unknown++;
        return true;
    }
    uint8_t *known = &in->found[at->task];
    if (*known != OG_GOLD_NONE && *known != class) {
        return og_rows_fail(rows,
                            "task '%.*s' has two different gold labels, '%s' here and '%s' in line "
                            "%" PRId64,
                            NAME_SHOWN, task, in->classes.name[class], in->classes.name[*known],
                            in->line[at->task]);
    }
    in->count.missing -= *known == OG_GOLD_NONE;
    in->line[at->task] = *known == OG_GOLD_NONE ? rows->line : in->line[at->task];
    *known = class;
    return true;
}

/* The classes of the labels, in their order. */
static void take_classes(reader *in)
{
    in->classes.fixed = true;
    in->classes.count = og_labels_classes(in->labels);
    for (int32_t k = 0; k < in->classes.count; k++) {
        in->dash = in->dash || og_label_is_dash(og_labels_class_name(in->labels, k));
        in->classes.name[k] = (char *)og_labels_class_name(in->labels, k); /* only read */
    }
}

static og_status read_file(reader *in, const char *path, const og_settings *settings,
                           og_message *message)
{
    const og_labels *labels = in->labels;
    og_rows rows;
    const og_rows_limits limits = og_table_limits(settings);
    if (labels->task_count == 0) {
        return og_message_set(message, OG_BAD_INPUT, "%.*s: there are no labels to compare with it",
                              PATH_SHOWN, path);
    }
    in->count.missing = labels->task_count;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        in->entries[i] = (entry){og_labels_task_name(labels, i), i};
        in->found[i] = OG_GOLD_NONE;
    }
    qsort(in->entries, labels->task_count, sizeof *in->entries, compare_names);
    take_classes(in);
    og_rows_open(&rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, OG_ROWS_BY_HEADER, '\0',
                 &limits, message);
    const og_answers answers = {
        .rows = &rows, .how = in->how, .gold = true, .take = take, .user = in};
    og_answers_read(&answers);
    if (rows.status == OG_OK && in->count.missing == labels->task_count) {
        og_rows_close(&rows);
        return og_message_set(
            message, OG_BAD_INPUT,
            "%.*s: no task with labels has gold; task '%.*s' has none, for example", PATH_SHOWN,
            path, NAME_SHOWN, og_labels_task_name(labels, 0));
    }
    og_status status = og_rows_close(&rows);
    in->count.trimmed = rows.trimmed;
    return status;
}

og_status og_gold_read(const char *path, const og_labels *labels, const og_settings *settings,
                       uint8_t *gold, og_gold_count *count, og_message *message)
{
    size_t tasks = labels->task_count;
    og_arena arena = {0};
    reader in = {.how = settings != NULL ? settings->tables : NULL,
                 .labels = labels,
                 .entries = og_arena_array(&arena, tasks, sizeof *in.entries),
                 .found = og_arena_array(&arena, tasks, 1),
                 .line = og_arena_array(&arena, tasks, sizeof *in.line)};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, read_file(&in, path, settings, message));
    if (status == OG_OK) {
        memcpy(gold, in.found, tasks);
        *count = in.count;
    }
    og_arena_clear(&arena);
    return status;
}
