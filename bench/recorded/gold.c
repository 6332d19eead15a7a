/* Gold labels, matched with the recorded ones by the names of the tasks. */
#include "bench/recorded/gold.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN = 60, PATH_SHOWN = 200, UNKNOWN = 2 };

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static og_status match(const char *path, const og_labels *labels, const og_labels *known,
                       const char **name, uint8_t *found, og_message *message)
{
    for (uint32_t i = 0; i < known->task_count; i++) {
        name[i] = og_labels_task_name(known, i);
    }
    qsort(name, known->task_count, sizeof *name, compare_names);
    for (uint32_t i = 0; i < labels->task_count; i++) {
        const char *task = og_labels_task_name(labels, i);
        if (bsearch(&task, name, known->task_count, sizeof *name, compare_names) == NULL) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.*s: no gold for task '%.*s', which has labels", PATH_SHOWN,
                                  path, NAME_SHOWN, task);
        }
    }
    for (uint32_t i = 0; i < labels->task_count; i++) {
        name[i] = og_labels_task_name(labels, i);
    }
    qsort(name, labels->task_count, sizeof *name, compare_names);
    memset(found, UNKNOWN, labels->task_count);
    for (int64_t i = 0; i < known->label_count; i++) {
        const char *task = og_labels_task_name(known, known->task[i]);
        const char **at = bsearch(&task, name, labels->task_count, sizeof *name, compare_names);
        if (at == NULL) {
            return og_message_set(message, OG_BAD_INPUT, "%.*s: task '%.*s' has no labels",
                                  PATH_SHOWN, path, NAME_SHOWN, task);
        }
        uint8_t *place = &found[at - name];
        if (*place != UNKNOWN) {
            return og_message_set(message, OG_BAD_INPUT, "%.*s: task '%.*s' has gold twice",
                                  PATH_SHOWN, path, NAME_SHOWN, task);
        }
        *place = known->label[i];
    }
    return OG_OK;
}

og_status og_gold_read(const char *path, const og_labels *labels, uint8_t *gold,
                       og_message *message)
{
    og_labels known = {0};
    og_status status = og_labels_read_tasks(path, &known, message);
    if (status != OG_OK) {
        return status;
    }
    size_t most = labels->task_count > known.task_count ? labels->task_count : known.task_count;
    const char **name = calloc(most + 1, sizeof *name);
    uint8_t *found = calloc((size_t)labels->task_count + 1, 1);
    status = name == NULL || found == NULL ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK) {
        status = match(path, labels, &known, name, found, message);
    }
    for (uint32_t i = 0; status == OG_OK && i < labels->task_count; i++) {
        const char *task = og_labels_task_name(labels, i);
        const char **at = bsearch(&task, name, labels->task_count, sizeof *name, compare_names);
        gold[i] = found[at - name];
    }
    free(name);
    free(found);
    og_labels_clear(&known);
    return status;
}
