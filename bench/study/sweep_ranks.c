/* Encodes orders and answers as bytes. */
#include "bench/study/sweep_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"

/* Followed by the policies, as indices into the study. */
typedef struct {
    int64_t at;
    og_sweep_task task;
    int32_t policy_count;
    int32_t ties_count;
    og_ties ties[OG_TIES_COUNT];
    int32_t policy[];
} order;

/* Followed by the rows, then `soft` and each row's `spent`, if they exist. */
typedef struct {
    int64_t at;
    og_status status;
    og_message message;
    bool dropped;
    og_cell found;
} answer;

static size_t order_bytes(const og_sweep_job *work)
{
    return sizeof(order) + (size_t)work->study->policy_count * sizeof(int32_t);
}

/* ---- rank 0 ---- */

og_status og_sweep_send(const og_sweep_job *work, int to, const og_sweep_cell *cell, int64_t at)
{
    const og_world *world = work->settings->world;
    const og_study *study = work->study;
    order *o = calloc(1, order_bytes(work));
    OG_TRY(OG_ALLOCATED(o));
    o->at = cell != NULL ? at : -1;
    for (int32_t i = 0; cell != NULL && i < cell->policy_count; i++) {
        while (strcmp(study->policies[o->policy[i]].name, cell->policies[i].name) != 0) {
            o->policy[i]++;
        }
    }
    if (cell != NULL) {
        o->task = *cell->task;
        o->policy_count = cell->policy_count;
        o->ties_count = cell->ties_count;
        memcpy(o->ties, cell->ties, sizeof o->ties);
    }
    world->send(world->self, to, o, order_bytes(work));
    free(o);
    return OG_OK;
}

og_status og_sweep_wait(const og_sweep_job *work, og_sweep_answer *out)
{
    const og_world *world = work->settings->world;
    size_t bytes = world->await(world->self, &out->rank);
    answer *a = malloc(bytes);
    OG_TRY(OG_ALLOCATED(a));
    world->receive(world->self, out->rank, a, bytes);
    out->at = a->at;
    out->status = a->status;
    out->message = a->message;
    out->dropped = a->dropped;
    out->bytes = a;
    return OG_OK;
}

void og_sweep_answer_cell(const og_sweep_answer *from, og_sweep_cell *cell)
{
    const answer *a = from->bytes;
    og_cell_key key = cell->found.key;
    const og_cell_row *own = cell->found.rows; /* policies are referred to by name */
    size_t size = (size_t)key.instances;
    og_cell_row *rows = (og_cell_row *)((char *)from->bytes + sizeof *a);
    const double *numbers = (const double *)(rows + a->found.row_count);
    cell->found = a->found;
    cell->found.key = key;
    cell->found.rows = rows;
    if (a->found.soft != NULL) {
        cell->found.soft = numbers;
        numbers += size;
    }
    for (int32_t i = 0; i < a->found.row_count; i++) {
        rows[i].policy = own[i].policy;
        if (rows[i].spent != NULL) {
            rows[i].spent = numbers;
            numbers += size;
        }
    }
}

/* ---- the others ---- */

static og_status take_order(og_sweep_job *work, const order *o, og_sweep_cell *cell,
                            og_message *message)
{
    const og_study *study = work->study;
    OG_TRY(og_sweep_cell_begin(work, cell, message));
    for (int32_t i = 0; i < o->policy_count; i++) {
        cell->hash[i] = cell->hash[o->policy[i]]; /* ascending */
        cell->policies[i] = study->policies[o->policy[i]];
    }
    cell->policy_count = o->policy_count;
    cell->ties_count = o->ties_count;
    memcpy(cell->ties, o->ties, sizeof o->ties);
    return og_sweep_cell_rows(cell);
}

static og_status send_answer(const og_sweep_job *work, const answer *a, const og_cell *found)
{
    const og_world *world = work->settings->world;
    size_t size = (size_t)found->key.instances * sizeof(double);
    size_t rows = (size_t)found->row_count * sizeof *found->rows;
    size_t arrays = found->soft != NULL;
    for (int32_t i = 0; i < found->row_count; i++) {
        arrays += found->rows[i].spent != NULL;
    }
    size_t bytes = sizeof *a + rows + arrays * size;
    char *data = calloc(1, bytes), *to = data;
    OG_TRY(OG_ALLOCATED(data));
    memcpy(to, a, sizeof *a);
    to += sizeof *a;
    if (rows > 0) {
        memcpy(to, found->rows, rows);
        to += rows;
    }
    if (found->soft != NULL) {
        memcpy(to, found->soft, size);
        to += size;
    }
    for (int32_t i = 0; i < found->row_count; i++) {
        if (found->rows[i].spent != NULL) {
            memcpy(to, found->rows[i].spent, size);
            to += size;
        }
    }
    world->send(world->self, 0, data, bytes);
    free(data);
    return OG_OK;
}

static og_status do_order(og_sweep_job *work, const order *o)
{
    og_sweep_task task = o->task;
    task.large = true; /* this cell gets all memory */
    og_sweep_cell cell = {.task = &task,
                          .threads = work->settings->threads,
                          .memory_bytes = work->settings->memory_bytes};
    answer a = {.at = o->at};
    double begun = og_seconds();
    a.status = take_order(work, o, &cell, &a.message);
    OG_THEN(a.status, og_sweep_cell_value(work, &cell, &a.message));
    cell.found.seconds = og_seconds() - begun;
    a.dropped = cell.dropped || og_sweep_is_stopped(work);
    a.found = cell.found;
    if (a.status != OG_OK) {
        a.found.row_count = 0;
        a.found.soft = NULL;
    }
    og_status status = send_answer(work, &a, &a.found);
    og_sweep_cell_clear(&cell);
    return status;
}

og_status og_sweep_follow(og_sweep_job *work, og_message *message)
{
    const og_world *world = work->settings->world;
    const answer ready = {.at = -1};
    order *o = calloc(1, order_bytes(work));
    og_status status = o == NULL ? OG_NO_MEMORY : send_answer(work, &ready, &ready.found);
    while (status == OG_OK) {
        int from = 0;
        size_t bytes = world->await(world->self, &from);
        world->receive(world->self, from, o, bytes);
        if (o->at < 0) {
            break;
        }
        status = do_order(work, o);
    }
    free(o);
    return status == OG_OK ? OG_OK : og_message_set(message, status, "out of memory");
}
