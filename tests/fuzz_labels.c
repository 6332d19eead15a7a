/* Files of labels: an accepted file is numbered as documented, and is the same after its rows are
 * written and read again. */
#include "bench/recorded/labels.h"
#include "tests/fuzz.h"

static bool same(const og_labels *x, const og_labels *y)
{
    if (x->label_count != y->label_count || x->task_count != y->task_count ||
        x->worker_count != y->worker_count) {
        return false;
    }
    size_t count = (size_t)x->label_count;
    for (uint32_t i = 0; i < x->task_count; i++) {
        if (strcmp(og_labels_task_name(x, i), og_labels_task_name(y, i)) != 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < x->worker_count; i++) {
        if (strcmp(og_labels_worker_name(x, i), og_labels_worker_name(y, i)) != 0) {
            return false;
        }
    }
    return count == 0 || (memcmp(x->task, y->task, count * sizeof *x->task) == 0 &&
                          memcmp(x->worker, y->worker, count * sizeof *x->worker) == 0 &&
                          memcmp(x->label, y->label, count) == 0);
}

static void check_read_back(const og_labels *labels)
{
    char *text = NULL;
    size_t size = 0;
    og_labels again;
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("other,task,worker,label\n", file);
    for (int64_t i = 0; i < labels->label_count; i++) {
        fputc(',', file);
        fuzz_quote(file, og_labels_task_name(labels, labels->task[i]), ',');
        fuzz_quote(file, og_labels_worker_name(labels, labels->worker[i]), ',');
        fuzz_quote(file, og_labels_class_name(labels, labels->label[i]), '\n');
    }
    fclose(file);
    fuzz_check(og_labels_read(fuzz_file(text, size), NULL, &again, NULL) == OG_OK &&
                   same(labels, &again),
               "not read back");
    og_labels_clear(&again);
    free(text);
}

FUZZ_TARGET(labels)
{
    og_labels labels;
    og_message message = {""};
    og_status status = og_labels_read(fuzz_file(data, size), NULL, &labels, &message);
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
    check_read_back(&labels);
    og_labels_clear(&labels);
}
