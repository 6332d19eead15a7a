/* Reads gold labels and matches them with the recorded ones by task name. */
#include "bench/recorded/gold.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"

enum { NAME_SHOWN = 60, PATH_SHOWN = 200 };

typedef struct {
    const char *name;
    uint32_t task;
} entry;

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const entry *)left)->name, ((const entry *)right)->name);
}

/* entries: [task_count] by name; found: [task_count]. */
static og_status match(const char *path, const og_labels *labels, const og_labels *known,
                       entry *entries, uint8_t *found, og_gold_count *count, og_message *message)
{
    *count = (og_gold_count){.missing = labels->task_count};
    for (uint32_t i = 0; i < labels->task_count; i++) {
        entries[i] = (entry){og_labels_task_name(labels, i), i};
        found[i] = OG_GOLD_NONE;
    }
    qsort(entries, labels->task_count, sizeof *entries, compare_names);
    for (int64_t i = 0; i < known->label_count; i++) {
        entry key = {og_labels_task_name(known, known->task[i]), 0};
        const entry *at =
            bsearch(&key, entries, labels->task_count, sizeof *entries, compare_names);
        if (at == NULL) {
            count->unknown++;
            continue;
        }
        if (found[at->task] != OG_GOLD_NONE && found[at->task] != known->label[i]) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.*s: task '%.*s' has two different gold labels", PATH_SHOWN,
                                  path, NAME_SHOWN, key.name);
        }
        count->missing -= found[at->task] == OG_GOLD_NONE;
        found[at->task] = known->label[i];
    }
    return count->missing < labels->task_count
               ? OG_OK
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "%.*s: no task with labels has gold; task '%.*s' has none, for example",
                     PATH_SHOWN, path, NAME_SHOWN, og_labels_task_name(labels, 0));
}

og_status og_gold_read(const char *path, const og_labels *labels, const og_settings *settings,
                       uint8_t *gold, og_gold_count *count, og_message *message)
{
    og_labels known = {0};
    OG_TRY(og_labels_read_tasks(path, labels, settings, &known, message));
    og_gold_count counted;
    size_t tasks = labels->task_count;
    og_arena arena = {0};
    entry *entries = og_arena_array(&arena, tasks, sizeof *entries);
    uint8_t *found = og_arena_array(&arena, tasks, 1);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, match(path, labels, &known, entries, found, &counted, message));
    if (status == OG_OK) {
        memcpy(gold, found, tasks);
        *count = counted;
        count->trimmed = known.trimmed;
    }
    og_arena_clear(&arena);
    og_labels_clear(&known);
    return status;
}
