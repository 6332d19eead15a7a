/*
 * Finds one representative of equivalent tables. Every worker gets a mark that does not depend on
 * names or signs, and equal workers are sorted by it. For workers with equal marks all orders are
 * tried, each with signs and rows normalised, and the smallest table is the representative.
 */
#include "dp/families/assignment_names.h"

#include <assert.h>
#include <string.h>

#include "dp/families/assignment_model.h"

typedef struct {
    const og_assignment_names *names;
    og_assignment_room *room;
    const int8_t *label;
    char *belief; /* of `label`; NULL: none */
    bool first;   /* there is no best table yet */
} search;

void og_assignment_names_init(og_assignment_names *names, const og_assignment *assignment,
                              bool sorts, bool turns, og_arena *arena)
{
    *names = (og_assignment_names){.assignment = assignment, .sorts = sorts, .turns = turns};
    names->worker_group =
        og_arena_array(arena, (size_t)assignment->workers, sizeof *names->worker_group);
    names->task_order = og_arena_array(arena, (size_t)assignment->tasks, sizeof *names->task_order);
    if (og_arena_status(arena) != OG_OK) {
        return;
    }
    for (int32_t j = 0; j < assignment->workers; j++) {
        int32_t group = 0;
        while (!og_assignment_workers_alike(assignment, group, j)) {
            group++;
        }
        names->worker_group[j] = group;
    }
    for (int32_t s = 0, used = 0; s < assignment->contexts; s++) {
        for (int32_t i = 0; i < assignment->tasks; i++) {
            if (assignment->context[i] == s) {
                names->task_order[used++] = i;
            }
        }
    }
}

void og_assignment_room_init(const og_assignment_names *names, og_assignment_room *room,
                             og_arena *arena)
{
    const size_t tasks = (size_t)names->assignment->tasks,
                 workers = (size_t)names->assignment->workers;
    room->worker = og_arena_array(arena, workers, sizeof *room->worker);
    room->mark = og_arena_array(arena, workers, sizeof *room->mark);
    for (int k = 0; k < 2; k++) {
        room->row[k] = og_arena_array(arena, tasks, sizeof *room->row[k]);
        room->task[k] = og_arena_array(arena, tasks, sizeof *room->task[k]);
        room->belief[k] = og_arena_array(arena, names->belief_bytes, 1);
    }
}

/* ---- rows ---- */

/* Exchanges +1 and -1 in a row whose first label is -1. */
static uint64_t turned(uint64_t row)
{
    const uint64_t plus = UINT64_C(0x5555555555555555);
    uint64_t lowest = row & (~row + 1);
    return (lowest & plus) != 0 ? row : (row & plus) << 1 | (row >> 1 & plus);
}

static uint64_t row_of(const search *s, int32_t task)
{
    const int32_t workers = s->names->assignment->workers;
    const int8_t *label = &s->label[(ptrdiff_t)task * workers];
    uint64_t row = 0;
    for (int32_t j = 0; j < workers; j++) {
        int8_t said = label[s->room->worker[j]];
        row |= (uint64_t)(said == 0 ? 0 : said == 1 ? 1 : 2) << 2 * j;
    }
    return s->names->turns ? turned(row) : row;
}

static int compare_numbers(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int compare_tasks(const search *s, uint64_t x_row, int32_t x, uint64_t y_row, int32_t y)
{
    const size_t bytes = s->names->item_bytes[0];
    int order = compare_numbers(x_row, y_row);
    return order != 0 || s->belief == NULL
               ? order
               : memcmp(s->belief + (size_t)x * bytes, s->belief + (size_t)y * bytes, bytes);
}

/* Writes the rows in this order of workers, sorted within contexts, into row[0] and task[0]. */
static void arrange_rows(const search *s)
{
    const og_assignment *assignment = s->names->assignment;
    uint64_t *row = s->room->row[0];
    int32_t *task = s->room->task[0];
    for (int32_t p = 0; p < assignment->tasks; p++) {
        int32_t own = s->names->task_order[p], at = p;
        uint64_t code = row_of(s, own);
        while (at > 0 && assignment->context[task[at - 1]] == assignment->context[own] &&
               compare_tasks(s, code, own, row[at - 1], task[at - 1]) < 0) {
            row[at] = row[at - 1];
            task[at] = task[at - 1];
            at--;
        }
        row[at] = code;
        task[at] = own;
    }
}

/* ---- beliefs ---- */

static char *worker_record(const og_assignment_names *names, char *belief, int32_t j)
{
    return belief + (size_t)names->assignment->tasks * names->item_bytes[0] +
           (size_t)j * names->item_bytes[1];
}

/* Writes the belief in the current order of rows and workers into belief[0]; the data after its
 * records are unchanged. */
static void arrange_belief(const search *s)
{
    const og_assignment_names *names = s->names;
    const size_t bytes = names->item_bytes[0];
    char *to = s->room->belief[0];
    memcpy(to, s->belief, names->belief_bytes);
    for (int32_t p = 0; p < names->assignment->tasks; p++) {
        memcpy(to + (size_t)names->task_order[p] * bytes,
               s->belief + (size_t)s->room->task[0][p] * bytes, bytes);
    }
    for (int32_t j = 0; j < names->assignment->workers; j++) {
        memcpy(worker_record(names, to, j), worker_record(names, s->belief, s->room->worker[j]),
               names->item_bytes[1]);
    }
}

/* ---- orders of workers ---- */

static void keep_smaller(search *s)
{
    og_assignment_room *room = s->room;
    int order = s->first ? -1 : 0;
    arrange_rows(s);
    for (int32_t p = 0; order == 0 && p < s->names->assignment->tasks; p++) {
        order = compare_numbers(room->row[0][p], room->row[1][p]);
    }
    if (s->belief != NULL && order <= 0) {
        arrange_belief(s);
        order =
            order != 0 ? order : memcmp(room->belief[0], room->belief[1], s->names->belief_bytes);
    }
    if (order < 0) {
        uint64_t *row = room->row[0];
        int32_t *task = room->task[0];
        char *belief = room->belief[0];
        room->row[0] = room->row[1];
        room->task[0] = room->task[1];
        room->belief[0] = room->belief[1];
        room->row[1] = row;
        room->task[1] = task;
        room->belief[1] = belief;
        s->first = false;
    }
}

/* True if these two workers, at their places, may be exchanged, and that makes a difference. */
static bool tied(const search *s, int32_t j, int32_t k)
{
    const og_assignment_names *names = s->names;
    uint64_t mark = s->room->mark[j];
    if (names->worker_group[j] != names->worker_group[k] || mark != s->room->mark[k]) {
        return false;
    }
    return mark != 0 || (s->belief != NULL &&
                         memcmp(worker_record(names, s->belief, j),
                                worker_record(names, s->belief, k), names->item_bytes[1]) != 0);
}

static void exchange(int32_t *x, int32_t *y)
{
    int32_t kept = *x;
    *x = *y;
    *y = kept;
}

static void try_orders(search *s, int32_t from)
{
    const int32_t workers = s->names->assignment->workers;
    int32_t *worker = s->room->worker;
    int32_t next = from + 1;
    if (from >= workers) {
        keep_smaller(s);
        return;
    }
    try_orders(s, next);
    for (int32_t k = next; k < workers; k++) {
        if (tied(s, worker[from], worker[k])) {
            exchange(&worker[from], &worker[k]);
            try_orders(s, next);
            exchange(&worker[from], &worker[k]);
        }
    }
}

/* The number of these orders, up to more than OG_ASSIGNMENT_ORDERS_MAX. */
static int32_t count_orders(const search *s)
{
    const int32_t workers = s->names->assignment->workers;
    int32_t count = 1;
    for (int32_t j = 0; j < workers && count <= OG_ASSIGNMENT_ORDERS_MAX; j++) {
        int32_t places = 1;
        for (int32_t k = j + 1; k < workers; k++) {
            places += tied(s, s->room->worker[j], s->room->worker[k]);
        }
        count *= places;
    }
    return count;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

/* Marks are 0 for workers without labels; equal marks need more orders. */
static void mark_workers(const search *s)
{
    const og_assignment *assignment = s->names->assignment;
    memset(s->room->mark, 0, (size_t)assignment->workers * sizeof *s->room->mark);
    for (int32_t i = 0; i < assignment->tasks; i++) {
        const int8_t *label = &s->label[(ptrdiff_t)i * assignment->workers];
        int32_t labels = 0, sum = 0;
        for (int32_t j = 0; j < assignment->workers; j++) {
            labels += label[j] != 0;
            sum += label[j];
        }
        for (int32_t j = 0; labels > 0 && j < assignment->workers; j++) {
            int32_t agrees = s->names->turns ? label[j] * sum : label[j] + 4 * sum;
            if (label[j] != 0) {
                s->room->mark[j] += mixed((uint64_t)assignment->context[i] << 32 |
                                          (uint64_t)(labels + 1) << 16 | (uint16_t)agrees);
            }
        }
    }
}

/* Sorts equal workers by their marks; each group keeps its places. */
static void sort_workers(const search *s)
{
    const int32_t *group = s->names->worker_group;
    const uint64_t *mark = s->room->mark;
    int32_t *worker = s->room->worker;
    for (int32_t j = 0; j < s->names->assignment->workers; j++) {
        worker[j] = j;
        for (int32_t at = j, k = j; k-- > 0;) {
            if (group[k] == group[j] && mark[worker[k]] > mark[worker[at]]) {
                exchange(&worker[k], &worker[at]);
                at = k;
            }
        }
    }
}

static void write_table(const og_assignment_names *names, const uint64_t *row, int8_t *out)
{
    const int32_t workers = names->assignment->workers;
    for (int32_t p = 0; p < names->assignment->tasks; p++) {
        int8_t *label = &out[(ptrdiff_t)names->task_order[p] * workers];
        for (int32_t j = 0; j < workers; j++) {
            uint64_t said = row[p] >> 2 * j & 3;
            label[j] = (int8_t)(said == 0 ? 0 : said == 1 ? 1 : -1);
        }
    }
}

void og_assignment_canonical(const og_assignment_names *names, const int8_t *label, char *belief,
                             og_assignment_room *room, int8_t *out)
{
    search s = {names, room, label, belief, true};
    assert(label != out && (belief == NULL || names->belief_bytes > 0));
    if (!names->sorts) {
        memcpy(out, label, (size_t)og_assignment_cells(names->assignment));
        return;
    }
    mark_workers(&s);
    sort_workers(&s);
    if (count_orders(&s) <= OG_ASSIGNMENT_ORDERS_MAX) {
        try_orders(&s, 0);
    } else {
        keep_smaller(&s);
    }
    write_table(names, room->row[1], out);
    if (belief != NULL) {
        memcpy(belief, room->belief[1], names->belief_bytes);
    }
}
