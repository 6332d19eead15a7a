/* Files of labels: an accepted file is numbered as documented, and is the same after its rows are
 * written and read again. */
#include "bench/recorded/labels.h"
#include "tests/fuzz.h"

static void check_counts(const og_labels *labels)
{
    int64_t *ones = malloc(2 * (size_t)labels->task_count * sizeof *ones), sum = 0;
    fuzz_check(ones != NULL, "out of memory");
    int64_t *total = ones + labels->task_count;
    og_labels_count(labels, ones, total);
    for (uint32_t task = 0; task < labels->task_count; task++) {
        fuzz_check(ones[task] >= 0 && ones[task] <= total[task] && total[task] >= 1,
                   "impossible counts");
        sum += total[task];
    }
    fuzz_check(sum == labels->label_count, "counts that do not add up");
    free(ones);
}

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
    return memcmp(x->task, y->task, count * sizeof *x->task) == 0 &&
           memcmp(x->worker, y->worker, count * sizeof *x->worker) == 0 &&
           memcmp(x->label, y->label, count) == 0;
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
    fuzz_check(labels.label_count >= 1, "accepted without a label");
    for (int64_t i = 0; i < labels.label_count; i++) {
        fuzz_check(labels.label[i] < og_labels_classes(&labels), "a label of no class");
    }
    fuzz_check_numbers(labels.task, labels.label_count, labels.task_count);
    fuzz_check_numbers(labels.worker, labels.label_count, labels.worker_count);
    if (og_labels_classes(&labels) == 2) {
        check_counts(&labels);
    }
    check_read_back(&labels);
    og_labels_clear(&labels);
}
