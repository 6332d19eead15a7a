/*
 * table:FILE, a user-defined index. It may ignore mirror images and thresholds, so every node is a
 * separate class. The order is that of the decimals in the file, where neighbours may tie.
 */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heuristics/index/index.h"
#include "heuristics/index/table_file.h"

static og_status missing(const og_table *table, const char *path, const og_arm *arm, uint32_t node,
                         int32_t left, og_message *message)
{
    char words[150], labels[32] = "";
    if (table->by_node) {
        snprintf(words, sizeof words, "%s", og_arm_node_name(arm, node));
    } else {
        og_fraction posterior[2];
        char a[64], b[64];
        og_arm_posterior(arm, node, posterior);
        og_fraction_format(posterior[0], a, sizeof a);
        og_fraction_format(posterior[1], b, sizeof b);
        snprintf(words, sizeof words, "%s,%s", a, b);
    }
    if (table->by_left) {
        snprintf(labels, sizeof labels, " with %" PRId32 " left", left);
    }
    return og_message_set(message, OG_BAD_INPUT, "the table '%.200s' has no index for %s%s", path,
                          words, labels);
}

static const og_table_row *row_of(const og_table *table, const og_arm *arm, uint32_t node,
                                  int32_t left)
{
    og_fraction posterior[2];
    if (table->by_node) {
        return og_table_find_node(table, og_arm_node_name(arm, node), left);
    }
    og_arm_posterior(arm, node, posterior);
    return og_table_find(table, posterior[0], posterior[1], left);
}

/* Looks up the indices of an arm's nodes that can occur with `left` labels left; left is 1 if the
 * table has no such column. */
static og_status look_up_arm(const og_index_job *job, const og_table *table, const char *path,
                             int32_t number, int32_t left, og_scored *scored, og_message *message)
{
    const og_arm *arm = job->arms->arm[number];
    uint32_t nodes = arm->level[job->arms->budget - left + 1];
    int64_t row = table->by_left ? (int64_t)left * job->arms->arm_count + number : number;
    for (uint32_t node = 0; node < nodes; node++) {
        const og_table_row *found = row_of(table, arm, node, left);
        if (found == NULL) {
            return missing(table, path, arm, node, left, message);
        }
        scored->index->index[row][node] = found->index;
    }
    return OG_OK;
}

/* Places and values of the file that occur with one number of labels left: 1 for each. */
typedef struct {
    uint32_t *place; /* [rows of the file] later the ranks of the places */
    uint8_t *value;  /* [rows of the file] */
} met;

/* Computes the places of the classes with `left` labels left, without gaps. Returns how many values
 * tie with a different next value. */
static uint64_t find_places(const og_index_job *job, const og_table *table, int32_t left,
                            const met *seen, uint32_t *place)
{
    uint32_t count = og_twins_with_left(job->twins, job->arms->budget, left), next = 0;
    uint32_t *rank = seen->place;
    uint64_t values = 0;
    memset(rank, 0, table->row_count * sizeof *rank);
    memset(seen->value, 0, table->row_count);
    for (uint32_t c = 0; c < count; c++) {
        const og_arm *arm = job->arms->arm[job->twins->first_arm[c]];
        const og_table_row *found = row_of(table, arm, job->twins->first_node[c], left);
        assert(found != NULL && found->place < table->row_count);
        place[c] = found->place;
        rank[place[c]] = 1;
        seen->value[found->value] = 1;
    }
    if (table->stops) { /* place 0 is theirs, whether they occur or not */
        rank[0] = seen->value[0] = 1;
    }
    for (size_t i = 0; i < table->row_count; i++) {
        values += seen->value[i];
        next += rank[i];
        rank[i] = next - rank[i];
    }
    for (uint32_t c = 0; c < count; c++) {
        place[c] = rank[place[c]];
    }
    return values - next;
}

static og_status places(const og_index_job *job, const og_scored *scored, og_take_places *take,
                        void *sink)
{
    const og_table *table = scored->own;
    og_arena arena = {0};
    const met seen = {og_arena_array(&arena, table->row_count, sizeof(uint32_t)),
                      og_arena_array(&arena, table->row_count, 1)};
    uint32_t *place = og_arena_array(&arena, job->twins->class_count, sizeof *place);
    og_status status = og_arena_status(&arena);
    int32_t last = table->by_left ? job->arms->budget : 1;
    for (int32_t left = 1; status == OG_OK && left <= last && left <= job->arms->budget; left++) {
        uint64_t near = find_places(job, table, left, &seen, place);
        status = take(sink, left, place, near);
    }
    if (status == OG_OK && job->arms->budget == 0 && !table->by_left) {
        status = take(sink, 1, place, 0);
    }
    og_arena_clear(&arena);
    return status;
}

static void free_table(void *table)
{
    og_table_free(table);
}

/* The table names nodes if the instances have them, else posteriors. */
static og_status check_columns(const og_arms *arms, const og_table *table, const char *path,
                               og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        bool nodes = og_arm_table(arms->arm[i]) != NULL;
        if (nodes != table->by_node) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the table '%.200s' has no column%s, which an instance %s", path,
                                  nodes ? " 'node'" : "s 'a' and 'b'",
                                  nodes ? "of arm:FILE needs" : "with a prior needs");
        }
    }
    return OG_OK;
}

og_status og_score_table(const og_index_job *job, og_scored *out, og_message *message)
{
    const char *path = strchr(job->policy->name, ':') + 1;
    og_table *table = NULL;
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        og_prior_kind kind = og_arm_prior(job->arms->arm[i])->kind;
        if (kind != OG_PRIOR_BETA && kind != OG_PRIOR_NODES) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the table '%.200s' supports only Beta priors and arm:FILE; an "
                                  "instance has another",
                                  path);
        }
    }
    const og_rows_limits limits = {.memory_bytes = job->memory_bytes, .stop = job->stop};
    OG_TRY(og_table_read(path, job->policy->tie_relative, &limits, &table, message));
    *out =
        (og_scored){.own = table, .free_own = free_table, .places = places, .stops = table->stops};
    OG_TRY(check_columns(job->arms, table, path, message));
    OG_TRY(og_scored_init(job, table->by_left, false, out));
    int32_t last = table->by_left ? job->arms->budget : 1;
    for (int32_t left = 1; left <= last && left <= job->arms->budget; left++) {
        for (int32_t i = 0; i < job->arms->arm_count; i++) {
            OG_TRY(look_up_arm(job, table, path, i, left, out, message));
        }
    }
    out->index->error = DBL_EPSILON / 2;
    out->index->absolute_error = DBL_TRUE_MIN;
    return OG_OK;
}
