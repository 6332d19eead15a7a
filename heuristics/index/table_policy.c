/*
 * table:FILE, an index of the user's own. It need not know of mirror images or thresholds, so every
 * node is a class of its own; its order is that of the decimals in the file.
 */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/index/index.h"
#include "heuristics/index/table_file.h"

static og_status missing(const og_table *table, const char *path, const og_fraction *posterior,
                         int32_t left, og_message *message)
{
    char a[64], b[64], labels[32] = "";
    og_fraction_format(posterior[0], a, sizeof a);
    og_fraction_format(posterior[1], b, sizeof b);
    if (table->by_left) {
        snprintf(labels, sizeof labels, " with %" PRId32 " left", left);
    }
    return og_message_set(message, OG_BAD_INPUT, "the table '%.200s' has no index for %s,%s%s",
                          path, a, b, labels);
}

static const og_table_row *row_of(const og_table *table, const og_arm *arm, uint32_t node,
                                  int32_t left, og_fraction *posterior)
{
    og_arm_posterior(arm, node, posterior);
    return og_table_find(table, posterior[0], posterior[1], left);
}

/* The indices of an arm's nodes that `left` labels can be left at; left is 1 where the table does
 * not ask for it. */
static og_status look_up_arm(const og_index_job *job, const og_table *table, const char *path,
                             int32_t number, int32_t left, og_scored *scored, og_message *message)
{
    const og_arm *arm = job->arms->arm[number];
    uint32_t nodes = arm->level[job->arms->budget - left + 1];
    int64_t row = table->by_left ? (int64_t)left * job->arms->arm_count + number : number;
    for (uint32_t node = 0; node < nodes; node++) {
        og_fraction posterior[2];
        const og_table_row *found = row_of(table, arm, node, left, posterior);
        if (found == NULL) {
            return missing(table, path, posterior, left, message);
        }
        scored->index->index[row][node] = found->index;
    }
    return OG_OK;
}

typedef struct {
    uint32_t place, class;
} placed;

static int compare_placed(const void *x, const void *y)
{
    const placed *left = x, *right = y;
    int order = (left->place > right->place) - (left->place < right->place);
    return order != 0 ? order : (left->class > right->class) - (left->class < right->class);
}

static og_status take_left(const og_index_job *job, const og_table *table, int32_t left,
                           placed *order, uint32_t *place, og_take_places *take, void *sink)
{
    uint32_t count = og_twins_with_left(job->twins, job->arms->budget, left), rank = 0;
    for (uint32_t c = 0; c < count; c++) {
        og_fraction posterior[2];
        const og_arm *arm = job->arms->arm[job->twins->first_arm[c]];
        /* It was there when the index was made. */
        order[c] =
            (placed){row_of(table, arm, job->twins->first_node[c], left, posterior)->place, c};
    }
    qsort(order, count, sizeof *order, compare_placed);
    for (uint32_t i = 0; i < count; i++) {
        rank += i > 0 && order[i].place != order[i - 1].place;
        place[order[i].class] = rank;
    }
    return take(sink, left, place);
}

static og_status places(const og_index_job *job, const og_scored *scored, og_take_places *take,
                        void *sink)
{
    const og_table *table = scored->own;
    size_t classes = job->twins->class_count;
    og_arena arena = {0};
    placed *order = og_arena_array(&arena, classes, sizeof *order);
    uint32_t *place = og_arena_array(&arena, classes, sizeof *place);
    og_status status = og_arena_status(&arena);
    int32_t last = table->by_left ? job->arms->budget : 1;
    for (int32_t left = 1; status == OG_OK && left <= last && left <= job->arms->budget; left++) {
        status = take_left(job, table, left, order, place, take, sink);
    }
    if (status == OG_OK && job->arms->budget == 0 && !table->by_left) {
        status = take(sink, 1, place);
    }
    og_arena_clear(&arena);
    return status;
}

static void free_table(void *table)
{
    og_table_free(table);
}

og_status og_score_table(const og_index_job *job, og_scored *out, og_message *message)
{
    const char *path = strchr(job->policy->name, ':') + 1;
    og_scored scored = {0};
    og_table *table = NULL;
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        if (og_arm_prior(job->arms->arm[i])->kind != OG_PRIOR_BETA) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the table '%.200s' is about Beta posteriors; there are other "
                                  "priors among the instances",
                                  path);
        }
    }
    OG_TRY(og_table_read(path, &table, message));
    og_status status = og_scored_init(job->arms, table->by_left, false, &scored);
    if (status != OG_OK) {
        og_message_set(message, status, "out of memory for the table of the index");
    }
    int32_t last = table->by_left ? job->arms->budget : 1;
    for (int32_t left = 1; left <= last && left <= job->arms->budget; left++) {
        for (int32_t i = 0; status == OG_OK && i < job->arms->arm_count; i++) {
            status = look_up_arm(job, table, path, i, left, &scored, message);
        }
    }
    if (status != OG_OK) {
        og_scored_clear(&scored);
        og_table_free(table);
        return status;
    }
    scored.index->error = DBL_EPSILON / 2;
    scored.index->absolute_error = DBL_TRUE_MIN;
    scored.places = places;
    scored.own = table;
    scored.free_own = free_table;
    *out = scored;
    return OG_OK;
}
