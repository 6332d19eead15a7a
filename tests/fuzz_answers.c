/* Files of labels in any form, after a byte that chooses how they are read, and true labels behind
 * a form feed: accepted labels are numbered as documented, and the same when they are written as a
 * plain table and read again. */
#include "bench/recorded/gold.h"
#include "bench/recorded/labels.h"
#include "bench/request.h"
#include "dp/engine/settings.h"
#include "tests/fuzz.h"

static const og_tables ways[] = {
    {.columns = NULL},
    {.format = "label-studio"},
    {.format = "prodigy"},
    {.format = "doccano"},
    {.format = "mturk"},
    {.format = "toloka"},
    {.format = "gal", .missing = "x,-1"},
    {.format = "table", .encoding = "latin1"},
    {.wide = true},
    {.wide = true, .columns = "1", .missing = "?"},
    {.wide = true, .columns = "task=a,worker=2,worker=b,gold=c"},
    {.columns = "3,1,2,gold=4"},
    {.columns = "task=data.id,label=mood", .positive = "a"},
    {.columns = "task=id,worker=annotator", .missing = "0", .positive = "1"},
    {.columns = "item,2,label=c", .encoding = "latin1"},
};

enum { WAYS = sizeof ways / sizeof *ways };

static void check_read_back(const og_labels *labels)
{
    char *text = NULL;
    size_t size = 0;
    og_labels again;
    const og_tables how = {.format = "table", .positive = og_labels_class_name(labels, 1)};
    og_settings settings;
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    og_settings_default(&settings);
    settings.tables = labels->class_count == 2 ? &how : NULL;
    fputs("worker|label|task\n", file);
    for (int64_t i = 0; i < labels->label_count; i++) {
        fuzz_quote(file, og_labels_worker_name(labels, labels->worker[i]), '|');
        fuzz_quote(file, og_labels_class_name(labels, labels->label[i]), '|');
        fuzz_quote(file, og_labels_task_name(labels, labels->task[i]), '\n');
    }
    fclose(file);
    fuzz_check(og_labels_read(fuzz_file(text, size), &settings, &again, NULL) == OG_OK &&
                   again.label_count == labels->label_count && again.missing == 0 &&
                   again.class_count <= labels->class_count,
               "not read back");
    for (int64_t i = 0; i < labels->label_count; i++) {
        fuzz_check(strcmp(og_labels_task_name(labels, labels->task[i]),
                          og_labels_task_name(&again, again.task[i])) == 0 &&
                       strcmp(og_labels_worker_name(labels, labels->worker[i]),
                              og_labels_worker_name(&again, again.worker[i])) == 0 &&
                       strcmp(og_labels_class_name(labels, labels->label[i]),
                              og_labels_class_name(&again, again.label[i])) == 0,
                   "another label when read back");
    }
    og_labels_clear(&again);
    free(text);
}

static void check_gold(const og_labels *labels, const char *path, const og_settings *settings)
{
    uint8_t *gold = calloc(labels->task_count, 1);
    og_gold_count count;
    og_message message = {""};
    fuzz_check(gold != NULL, "out of memory");
    og_status status = og_gold_read(path, labels, settings, gold, &count, &message);
    int64_t known = 0;
    for (uint32_t i = 0; status == OG_OK && i < labels->task_count; i++) {
        fuzz_check(gold[i] == OG_GOLD_NONE || gold[i] < og_labels_classes(labels),
                   "gold of no class");
        known += gold[i] != OG_GOLD_NONE;
    }
    if (status == OG_OK) {
        fuzz_check(known > 0 && known + count.missing == labels->task_count,
                   "wrong counts of gold");
    } else {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal of gold");
        fuzz_check_message(&message);
    }
    free(gold);
}

FUZZ_TARGET(answers)
{
    og_labels labels;
    og_message message = {""};
    og_settings settings;
    const uint8_t *second;
    size_t second_size, start = size > 0;
    size_t first = fuzz_cut(data + start, size - start, &second, &second_size);
    og_settings_default(&settings);
    settings.memory_bytes = UINT64_C(1) << 26;
    settings.tables = &ways[size > 0 ? data[0] % WAYS : 0];
    og_status status = og_labels_read(fuzz_file(data + start, first), &settings, &labels, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    for (int64_t i = 0; i < labels.label_count; i++) {
        fuzz_check(labels.label[i] < og_labels_classes(&labels), "a label of no class");
    }
    fuzz_check_numbers(labels.task, labels.label_count, labels.task_count, labels.task_count);
    fuzz_check_numbers(labels.worker, labels.label_count, labels.named_count, labels.worker_count);
    check_gold(&labels, fuzz_file(second, second_size), &settings);
    check_read_back(&labels);
    og_labels_clear(&labels);
}
