/* Lists of arrivals and of labels that end: an accepted list keeps its promises, and is the same
 * when it is written again and read. */
#include "bench/recorded/events.h"
#include "tests/fuzz.h"

enum { TASKS = 2, MOST = 4 };

static const og_labels *two_tasks(void)
{
    static char text[] = "a\0b c";
    static size_t start[TASKS] = {0, 2};
    static const og_labels labels = {.task_count = TASKS, .task_text = text, .task_start = start};
    return &labels;
}

static void check_promises(const og_arrival_event *event, int64_t count, int32_t workers)
{
    int64_t arrived = 0, ended = 0;
    for (int64_t k = 0; k < count; k++) {
        arrived += event[k].arrives;
        ended += !event[k].arrives;
        fuzz_check(ended <= arrived, "a label ends before it began");
        fuzz_check(event[k].arrives || event[k].task < TASKS, "no such task");
    }
    fuzz_check(arrived == workers, "another number of arrivals");
}

static void check_read_back(const og_arrival_event *event, int64_t count, int32_t workers)
{
    char *text = NULL;
    size_t size = 0;
    int64_t again_count = -1;
    og_arrival_event *again = NULL;
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("task\tevent\n", file);
    for (int64_t k = 0; k < count; k++) {
        fprintf(file, "%s\t%s\n",
                event[k].arrives ? "" : og_labels_task_name(two_tasks(), event[k].task),
                event[k].arrives ? "arrive" : "done");
    }
    fclose(file);
    og_status status = og_events_read(fuzz_file(text, size), two_tasks(), workers, NULL, &again,
                                      &again_count, NULL);
    fuzz_check(status == OG_OK && again_count == count, "not read back");
    for (int64_t k = 0; k < count; k++) {
        fuzz_check(again[k].arrives == event[k].arrives && again[k].task == event[k].task,
                   "read back as something else");
    }
    free(again);
    free(text);
}

FUZZ_TARGET(events)
{
    int accepted = 0;
    for (int32_t workers = 1; workers <= MOST; workers++) {
        og_arrival_event *event = NULL;
        int64_t count = 0;
        og_message message = {""};
        og_status status = og_events_read(fuzz_file(data, size), two_tasks(), workers, NULL, &event,
                                          &count, &message);
        if (status != OG_OK) {
            fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
            fuzz_check_message(&message);
            continue;
        }
        accepted++;
        check_promises(event, count, workers);
        check_read_back(event, count, workers);
        free(event);
    }
    fuzz_check(accepted <= 1, "two numbers of arrivals");
}
