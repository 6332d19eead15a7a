/*
 * Histories in words. Invariant of og_history_apply: the instances of `item` are those of the
 * problem in the order given, each with the labels read so far.
 */
#include "bench/history.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/number.h"

static const char between[] = " \t,";

bool og_history_next(const char **rest, og_history_word *word)
{
    if (*rest == NULL || *(*rest += strspn(*rest, between)) == '\0') {
        return false;
    }
    *word = (og_history_word){*rest, (int32_t)strcspn(*rest, between)};
    *rest += word->length;
    return true;
}

int32_t og_history_count(const char *history)
{
    og_history_word word;
    int32_t count = 0;
    while (count < OG_BUDGET_MAX + 1 && og_history_next(&history, &word)) {
        count++;
    }
    return count;
}

void og_history_describe(const char *history, og_document *document, og_document *problem)
{
    if (history != NULL) {
        og_put_text(problem, "history", history);
        og_show_field(document, "History", "%s", history);
    }
}

og_status og_history_refuse(og_history_word word, og_message *message, const char *format, ...)
{
    const int32_t shown = 40;
    char what[160];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return og_message_set(message, OG_BAD_INPUT, "--history: '%.*s' %s",
                          (int)(word.length < shown ? word.length : shown), word.text, what);
}

/* ---- labels ---- */

/* Read the number before one of these signs, or the whole text; *text moves to the end of the
 * number. */
static bool read_number(const char **text, const char *signs, int64_t most, int32_t *out)
{
    char digits[16];
    size_t length = strcspn(*text, signs);
    int64_t number = 0;
    snprintf(digits, sizeof digits, "%.*s", (int)length, *text);
    bool read = length < sizeof digits && og_number_parse(digits, 1, most, &number);
    *text += length;
    *out = (int32_t)number - 1;
    return read;
}

static bool read_label(const char *text, int64_t instances, int64_t workers, og_history_label *out)
{
    *out = (og_history_label){.worker = -1};
    if (!read_number(&text, "@+-:", instances, &out->instance)) {
        return false;
    }
    if ((*text == '@') != (workers > 0)) {
        return false;
    }
    if (*text == '@') {
        text++;
        if (!read_number(&text, "+-:", workers, &out->worker)) {
            return false;
        }
    }
    if (*text == ':') {
        out->of_class = true;
        text++;
        out->name = (og_history_word){text, (int32_t)strlen(text)};
        out->label = read_number(&text, "", OG_NODE_OUTCOMES_MAX, &out->label) ? out->label : -1;
        return true;
    }
    out->label = *text == '-';
    return *text != '\0' && text[1] == '\0';
}

og_status og_history_label_read(og_history_word word, int64_t instances, int64_t workers,
                                og_history_label *out, og_message *message)
{
    char text[OG_NODE_NAME_BYTES + 32];
    snprintf(text, sizeof text, "%.*s", (int)word.length, word.text);
    if (word.length < (int32_t)sizeof text && read_label(text, instances, workers, out)) {
        out->name.text = word.text + (word.length - out->name.length);
        return OG_OK;
    }
    return workers > 0 ? og_history_refuse(word, message,
                                           "must be a label of an instance, 1 to %lld, by a "
                                           "worker, 1 to %lld, such as 1@1+ or 1@1-",
                                           (long long)instances, (long long)workers)
                       : og_history_refuse(word, message,
                                           "must be a label of an instance, 1 to %lld, such as 1+ "
                                           "or 1-, or 1:2 for its second class",
                                           (long long)instances);
}

/* Moves an instance of a table of nodes along an outcome. */
static og_status follow(og_history_word word, const og_history_label *label, og_group *to,
                        og_message *message)
{
    const og_node_table *table = to->nodes;
    const uint32_t first = table->first[to->root], end = table->first[to->root + 1];
    uint32_t k = first;
    while (label->of_class && k < end &&
           !(strlen(table->outcome[k]) == (size_t)label->name.length &&
             memcmp(table->outcome[k], label->name.text, (size_t)label->name.length) == 0)) {
        k++;
    }
    if (k == end && label->of_class && label->label >= 0) {
        k = first + (uint32_t)label->label;
    }
    if (first == end && label->of_class && label->label == 0) {
        return OG_OK; /* it stays as it is */
    }
    if (!label->of_class || k >= end) {
        return og_history_refuse(word, message,
                                 "must be an outcome of node '%.40s', such as %d:%.40s",
                                 table->node[to->root], (int)label->instance + 1,
                                 first == end ? "1" : table->outcome[first]);
    }
    to->root = table->next[k];
    return OG_OK;
}

static og_status give(og_history_word word, const og_history_label *label, og_group *to,
                      og_message *message)
{
    if (to->kind == OG_PRIOR_MIXTURE) {
        return og_history_refuse(
            word, message,
            "is a label of a mixture, whose posterior cannot be written as an INSTANCE");
    }
    if (to->kind == OG_PRIOR_NODES) {
        return follow(word, label, to, message);
    }
    bool classes = to->kind == OG_PRIOR_DIRICHLET;
    if (classes != label->of_class ||
        (classes && (label->label < 0 || label->label >= to->part_count))) {
        return classes
                   ? og_history_refuse(
                         word, message, "must be a label of one of %d classes, such as %d:%d",
                         (int)to->part_count, (int)label->instance + 1, (int)to->part_count)
                   : og_history_refuse(word, message, "must be a label of two classes, such as %d+",
                                       (int)label->instance + 1);
    }
    og_fraction *parameter = classes             ? &to->alpha[label->label]
                             : label->label == 0 ? &to->a
                                                 : &to->b;
    *parameter = og_fraction_plus(*parameter, 1);
    return og_group_check(to, 0, message);
}

/* A labelled instance and its number. */
typedef struct {
    int32_t instance;
    og_group group;
} labelled;

static int by_instance(const void *x, const void *y)
{
    const labelled *one = x, *other = y;
    return (one->instance > other->instance) - (one->instance < other->instance);
}

/* A hash table of the items: each slot holds a number + 1, or 0 if free. */
typedef struct {
    int32_t *slot; /* [mask + 1], a power of two, at least twice the number of items */
    size_t mask;
} slots;

static og_status slots_init(slots *table, int64_t most)
{
    size_t size = 2;
    while (size < 2 * (size_t)most) {
        size *= 2;
    }
    *table = (slots){.slot = calloc(size, sizeof *table->slot), .mask = size - 1};
    return OG_ALLOCATED(table->slot);
}

/* The state of reading labels. */
typedef struct {
    const og_groups *instances;
    int64_t *end; /* [groups] number of instances in this group and those before it */
    slots seen;   /* of the items */
    labelled *item;
    int32_t count;
} history_reading;

static og_status reading_init(history_reading *reading, const og_groups *instances, int32_t room)
{
    int64_t end = 0;
    *reading =
        (history_reading){.instances = instances,
                          .end = calloc((size_t)instances->group_count + 1, sizeof *reading->end),
                          .item = calloc((size_t)room, sizeof *reading->item)};
    OG_TRY(reading->end == NULL || reading->item == NULL ? OG_NO_MEMORY : OG_OK);
    for (int32_t g = 0; g < instances->group_count; g++) {
        end += og_groups_at(instances, g)->count;
        reading->end[g] = end;
    }
    return slots_init(&reading->seen, room);
}

static void reading_clear(history_reading *reading)
{
    free(reading->end);
    free(reading->item);
    free(reading->seen.slot);
}

/* The group of this instance: the first whose end exceeds its number. */
static const og_group *group_of(const history_reading *reading, int32_t instance)
{
    int32_t low = 0, high = reading->instances->group_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (reading->end[middle] > instance) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return og_groups_at(reading->instances, low);
}

static labelled *item_of(history_reading *reading, int32_t instance)
{
    size_t at =
        (size_t)((uint64_t)instance * UINT64_C(0x9e3779b97f4a7c15) >> 32) & reading->seen.mask;
    for (; reading->seen.slot[at] != 0; at = (at + 1) & reading->seen.mask) {
        labelled *item = &reading->item[reading->seen.slot[at] - 1];
        if (item->instance == instance) {
            return item;
        }
    }
    labelled *item = &reading->item[reading->count++];
    reading->seen.slot[at] = reading->count;
    *item = (labelled){instance, *group_of(reading, instance)};
    item->group.count = 1;
    return item;
}

static og_status read_all(const char *history, history_reading *reading, og_message *message)
{
    og_history_word word;
    int64_t size = og_groups_size(reading->instances);
    while (og_history_next(&history, &word)) {
        og_history_label label;
        OG_TRY(og_history_label_read(word, size, 0, &label, message));
        OG_TRY(give(word, &label, &item_of(reading, label.instance)->group, message));
    }
    return OG_OK;
}

/* Groups of which equal ones are put together. */
typedef struct {
    og_group *group; /* [count] */
    int32_t count;
    slots seen; /* of the groups */
} gathered;

static void add(gathered *to, const og_group *group)
{
    size_t at = (size_t)og_group_hash(group) & to->seen.mask;
    for (; to->seen.slot[at] != 0; at = (at + 1) & to->seen.mask) {
        og_group *same = &to->group[to->seen.slot[at] - 1];
        if (og_group_compare(same, group) == 0) {
            same->count += group->count;
            return;
        }
    }
    to->group[to->count++] = *group;
    to->seen.slot[at] = to->count;
}

/* Rebuild the groups: for each, the rest of the group, then its labelled instances. */
static void regroup(const og_groups *instances, const labelled *item, int32_t count, gathered *out)
{
    int64_t before = 0;
    int32_t first = 0;
    for (int32_t g = 0; g < instances->group_count; g++) {
        og_group rest = *og_groups_at(instances, g);
        int32_t last = first;
        before += rest.count;
        while (last < count && item[last].instance < before) {
            last++;
        }
        rest.count -= last - first;
        if (rest.count > 0) {
            add(out, &rest);
        }
        for (; first < last; first++) {
            add(out, &item[first].group);
        }
    }
}

og_status og_history_apply(const char *history, og_groups *instances, og_message *message)
{
    int32_t room = og_history_count(history);
    if (room == 0) {
        return OG_OK;
    }
    og_groups after;
    history_reading reading;
    size_t most = (size_t)instances->group_count + (size_t)room;
    gathered all = {.group = calloc(most, sizeof *all.group)};
    og_groups_init(&after, instances->budget);
    after.objective = instances->objective;
    og_status status = reading_init(&reading, instances, room);
    OG_THEN(status, OG_ALLOCATED(all.group));
    OG_THEN(status, slots_init(&all.seen, (int64_t)most));
    OG_THEN(status, read_all(history, &reading, message));
    if (status == OG_OK) {
        qsort(reading.item, (size_t)reading.count, sizeof *reading.item, by_instance);
        regroup(instances, reading.item, reading.count, &all);
    }
    for (int32_t g = 0; status == OG_OK && g < all.count; g++) {
        status = og_groups_add(&after, &all.group[g], message);
    }
    free(all.group);
    free(all.seen.slot);
    reading_clear(&reading);
    if (status != OG_OK) {
        og_groups_clear(&after);
        return status;
    }
    og_groups_clear(instances);
    *instances = after;
    return OG_OK;
}
