/* Gold labels, matched with the recorded ones by the names of the tasks. */
#include "bench/recorded/gold.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN = 60, PATH_SHOWN = 200, UNKNOWN = 2 };

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
                       entry *entries, uint8_t *found, og_message *message)
{
    for (uint32_t i = 0; i < labels->task_count; i++) {
        entries[i] = (entry){og_labels_task_name(labels, i), i};
        found[i] = UNKNOWN;
    }
    qsort(entries, labels->task_count, sizeof *entries, compare_names);
    for (int64_t i = 0; i < known->label_count; i++) {
        entry key = {og_labels_task_name(known, known->task[i]), 0};
        const entry *at =
            bsearch(&key, entries, labels->task_count, sizeof *entries, compare_names);
        if (at == NULL || found[at->task] != UNKNOWN) {
            return og_message_set(message, OG_BAD_INPUT, "%.*s: task '%.*s' has %s", PATH_SHOWN,
                                  path, NAME_SHOWN, key.name,
                                  at == NULL ? "no labels" : "gold twice");
        }
        found[at->task] = known->label[i];
    }
    for (uint32_t i = 0; i < labels->task_count; i++) {
        if (found[i] == UNKNOWN) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.*s: no gold for task '%.*s', which has labels", PATH_SHOWN,
                                  path, NAME_SHOWN, og_labels_task_name(labels, i));
        }
    }
    return OG_OK;
}

og_status og_gold_read(const char *path, const og_labels *labels, uint8_t *gold,
                       og_message *message)
{
    og_labels known = {0};
    OG_TRY(og_labels_read_tasks(path, &known, message));
    size_t tasks = labels->task_count;
    entry *entries = calloc(tasks + 1, sizeof *entries);
    uint8_t *found = calloc(tasks + 1, 1);
    og_status status = entries == NULL || found == NULL
                           ? OG_NO_MEMORY
                           : match(path, labels, &known, entries, found, message);
    if (status == OG_OK) {
        memcpy(gold, found, tasks);
    }
    free(entries);
    free(found);
    og_labels_clear(&known);
    return status;
}
