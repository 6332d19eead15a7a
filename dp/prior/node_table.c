/*
 * Reads tables of nodes. Rows are kept until all are read, because a node may be named before its
 * rows; then the outcomes are sorted by node.
 */
#include "dp/prior/node_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/rational.h"
#include "dp/base/utf8.h"

typedef enum { NODE, OUTCOME, PROBABILITY, NEXT, VALUE, REWARD, COLUMN_COUNT } column;

static const char *const column_names[COLUMN_COUNT] = {"node", "outcome", "probability",
                                                       "next", "value",   "reward"};

enum { NUMBER_MOST = 1000000, CHUNK_BYTES = 1 << 16, NUMBER_BYTES = 100 };

/* A node while the file is read. */
typedef struct {
    const char *name;
    int64_t line; /* of the first row that names it */
    bool has_rows, has_value, stays;
    uint32_t outcomes;
    mpq_t value;
} node_row;

typedef struct {
    uint32_t node, next;
    int64_t line;
    const char *name;
    bool rewarded;
    mpq_t probability, reward; /* reward: if it is rewarded */
} outcome_row;

typedef struct {
    og_rows rows;
    int position[COLUMN_COUNT]; /* -1: no such column */
    node_row *nodes;
    size_t node_count, node_room;
    outcome_row *outcomes;
    size_t outcome_count, outcome_room;
    uint32_t *slot; /* [slot_count] hash table of nodes + 1, 0 is free; at most half full */
    size_t slot_count;
    og_node_table *table; /* its arena keeps the names */
    char *chunk;          /* room for more names, [chunk_left] */
    size_t chunk_left;
} reader;

/* ---- names ---- */

static const char *keep(reader *in, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (bytes > in->chunk_left) {
        in->chunk = og_arena_array(&in->table->arena, CHUNK_BYTES, 1);
        in->chunk_left =
            in->chunk != NULL && og_rows_hold(&in->rows, CHUNK_BYTES) ? CHUNK_BYTES : 0;
    }
    if (in->chunk_left == 0) {
        og_rows_no_memory(&in->rows);
        return NULL;
    }
    char *kept = memcpy(in->chunk, text, bytes);
    in->chunk += bytes;
    in->chunk_left -= bytes;
    return kept;
}

static bool check_name(reader *in, const char *what, const char *name)
{
    size_t length = strlen(name), bytes;
    if (length >= OG_NODE_NAME_BYTES) {
        return og_rows_fail(&in->rows, "the name of %s has more than %d bytes: '%.60s...'", what,
                            OG_NODE_NAME_BYTES - 1, name);
    }
    for (const char *at = name; *at != '\0'; at += bytes) {
        bytes = og_utf8_bytes(at);
        if (bytes == 0 || (unsigned char)*at < ' ' || *at == 0x7f) {
            return og_rows_fail(&in->rows, "the name of %s has a byte that is not text: '%s'", what,
                                name);
        }
    }
    return true;
}

static uint32_t *slot_of(uint32_t *slot, size_t slot_count, const node_row *nodes, const char *name)
{
    size_t at = (size_t)XXH3_64bits(name, strlen(name)) & (slot_count - 1);
    while (slot[at] != 0 && strcmp(nodes[slot[at] - 1].name, name) != 0) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slot[at];
}

static bool more_slots(reader *in)
{
    size_t count = in->slot_count == 0 ? 256 : 2 * in->slot_count;
    uint32_t *slot = calloc(count, sizeof *slot);
    if (slot == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    for (size_t i = 0; i < in->node_count; i++) {
        *slot_of(slot, count, in->nodes, in->nodes[i].name) = (uint32_t)i + 1;
    }
    free(in->slot);
    in->slot = slot;
    in->slot_count = count;
    return true;
}

/* The node of this name, a new one if there is none. */
static bool find_node(reader *in, const char *name, uint32_t *out)
{
    if (!check_name(in, "a node", name) ||
        (2 * (in->node_count + 1) > in->slot_count && !more_slots(in))) {
        return false;
    }
    uint32_t *slot = slot_of(in->slot, in->slot_count, in->nodes, name);
    if (*slot == 0) {
        node_row *grown =
            og_rows_grown(&in->rows, in->nodes, &in->node_room, in->node_count + 1, sizeof *grown);
        const char *kept = grown != NULL ? keep(in, name) : NULL;
        in->nodes = grown != NULL ? grown : in->nodes;
        if (kept == NULL) {
            return false;
        }
        in->nodes[in->node_count] = (node_row){.name = kept, .line = in->rows.line};
        mpq_init(in->nodes[in->node_count].value);
        *slot = (uint32_t)++in->node_count;
    }
    *out = *slot - 1;
    return true;
}

/* ---- rows ---- */

static const char *field(const reader *in, column which)
{
    int at = in->position[which];
    return at >= 0 && at < in->rows.field_count ? in->rows.field[at] : "";
}

static bool read_columns(reader *in)
{
    if (!og_rows_columns(&in->rows, column_names, COLUMN_COUNT, in->position)) {
        return false;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (in->position[c] < 0 && c != REWARD) {
            return og_rows_fail(&in->rows,
                                "the column '%s' is missing; columns are node, outcome, "
                                "probability, next, value and perhaps reward",
                                column_names[c]);
        }
    }
    return true;
}

static bool read_number(reader *in, column which, mpq_t out)
{
    const char *text = field(in, which);
    if (!og_rational_parse(out, text)) {
        return og_rows_fail(&in->rows, "%s '%.60s' is not a decimal or a fraction",
                            column_names[which], text);
    }
    return (mpq_cmp_si(out, NUMBER_MOST, 1) <= 0 && mpq_cmp_si(out, -NUMBER_MOST, 1) >= 0) ||
           og_rows_fail(&in->rows, "%s '%.60s' must lie between -%d and %d", column_names[which],
                        text, NUMBER_MOST, NUMBER_MOST);
}

/* A number for a message: a fraction if it is short, else its first digits. */
static const char *shown(const mpq_t value, char text[NUMBER_BYTES])
{
    bool brief = mpz_sizeinbase(mpq_numref(value), 10) + mpz_sizeinbase(mpq_denref(value), 10) < 30;
    if (brief) {
        mpq_get_str(text, 10, value);
    } else {
        snprintf(text, NUMBER_BYTES, "%.15g", og_nearest(value));
    }
    return text;
}

static bool read_value(reader *in, node_row *node)
{
    char before[NUMBER_BYTES], now[NUMBER_BYTES];
    mpq_t value;
    if (*field(in, VALUE) == '\0') {
        return true;
    }
    mpq_init(value);
    bool read = read_number(in, VALUE, value);
    if (read && node->has_value && !mpq_equal(node->value, value)) {
        read = og_rows_fail(&in->rows, "node '%s' has two values, %s and %s", node->name,
                            shown(node->value, before), shown(value, now));
    } else if (read) {
        mpq_swap(node->value, value);
        node->has_value = true;
    }
    mpq_clear(value);
    return read;
}

static bool read_outcome(reader *in, uint32_t node)
{
    uint32_t next;
    outcome_row *grown = og_rows_grown(&in->rows, in->outcomes, &in->outcome_room,
                                       in->outcome_count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    in->outcomes = grown;
    if (*field(in, OUTCOME) == '\0' || *field(in, PROBABILITY) == '\0' ||
        *field(in, NEXT) == '\0') {
        return og_rows_fail(&in->rows, "an outcome needs its name, a probability and a next node");
    }
    if (!check_name(in, "an outcome", field(in, OUTCOME)) ||
        !find_node(in, field(in, NEXT), &next)) {
        return false;
    }
    outcome_row *own = &grown[in->outcome_count];
    *own = (outcome_row){
        .node = node, .next = next, .line = in->rows.line, .name = keep(in, field(in, OUTCOME))};
    if (own->name == NULL) {
        return false;
    }
    own->rewarded = *field(in, REWARD) != '\0';
    mpq_init(own->probability);
    if (own->rewarded) {
        mpq_init(own->reward);
    }
    in->outcome_count++;
    if (!read_number(in, PROBABILITY, own->probability) ||
        (own->rewarded && !read_number(in, REWARD, own->reward))) {
        return false;
    }
    if (mpq_sgn(own->probability) <= 0) {
        return og_rows_fail(&in->rows, "probability '%.60s' must be above 0",
                            field(in, PROBABILITY));
    }
    return ++in->nodes[node].outcomes <= OG_NODE_OUTCOMES_MAX ||
           og_rows_fail(&in->rows, "node '%s' has more than %d outcomes", in->nodes[node].name,
                        OG_NODE_OUTCOMES_MAX);
}

static bool read_row(reader *in)
{
    uint32_t number;
    if (in->rows.field_count > 1 && *field(in, NODE) == '\0') {
        return og_rows_fail(&in->rows, "the node is missing");
    }
    if (!find_node(in, field(in, NODE), &number)) {
        return false;
    }
    node_row *node = &in->nodes[number];
    node->has_rows = true;
    if (!read_value(in, node)) {
        return false;
    }
    bool outcome = *field(in, OUTCOME) != '\0' || *field(in, PROBABILITY) != '\0' ||
                   *field(in, NEXT) != '\0' || *field(in, REWARD) != '\0';
    node->stays = node->stays || !outcome;
    return !outcome || read_outcome(in, number);
}

/* ---- the table ---- */

static bool check_nodes(reader *in)
{
    for (size_t i = 0; i < in->node_count; i++) {
        const node_row *node = &in->nodes[i];
        if (!node->has_rows) {
            return og_rows_fail_at(&in->rows, node->line, "node '%s' is not defined", node->name);
        }
        if (!node->has_value) {
            return og_rows_fail_at(&in->rows, node->line, "node '%s' has no value", node->name);
        }
        if (node->stays && node->outcomes > 0) {
            return og_rows_fail_at(&in->rows, 0, "node '%s' has an outcome and a row without one",
                                   node->name);
        }
    }
    return true;
}

static bool allocate(reader *in)
{
    og_node_table *table = in->table;
    og_arena *arena = &table->arena;
    size_t nodes = in->node_count, outcomes = in->outcome_count;
    table->node_count = (uint32_t)nodes;
    table->node = og_arena_array(arena, nodes, sizeof *table->node);
    table->value = og_arena_fractions(arena, nodes);
    table->first = og_arena_array(arena, nodes + 1, sizeof *table->first);
    table->outcome = og_arena_array(arena, outcomes, sizeof *table->outcome);
    table->next = og_arena_array(arena, outcomes, sizeof *table->next);
    table->probability = og_arena_fractions(arena, outcomes);
    table->reward = og_arena_fractions(arena, outcomes);
    table->gain = og_arena_fractions(arena, nodes);
    return og_arena_status(arena) == OG_OK || og_rows_no_memory(&in->rows);
}

/* Divides the probabilities of a node by their sum. */
static bool divide_by_sum(reader *in, uint32_t node)
{
    const og_node_table *table = in->table;
    mpq_t sum, apart;
    mpq_inits(sum, apart, NULL);
    for (uint32_t k = table->first[node]; k < table->first[node + 1]; k++) {
        mpq_add(sum, sum, table->probability[k]);
    }
    bool one = mpq_cmp_ui(sum, 1, 1) == 0 || table->first[node] == table->first[node + 1];
    mpq_set_ui(apart, 1, 1);
    mpq_sub(apart, sum, apart);
    bool near = one || fabs(og_nearest(apart)) <= 1e-12;
    for (uint32_t k = table->first[node]; near && !one && k < table->first[node + 1]; k++) {
        mpq_div(table->probability[k], table->probability[k], sum);
    }
    near = near || og_rows_fail_at(&in->rows, 0, "probabilities of node '%s' add up to %.15g",
                                   table->node[node], og_nearest(sum));
    mpq_clears(sum, apart, NULL);
    return near;
}

/* Moves the rows to the table. */
static void take_rows(reader *in)
{
    og_node_table *table = in->table;
    table->outcome_most = 1;
    for (uint32_t i = 0; i < table->node_count; i++) {
        uint32_t outcomes = in->nodes[i].outcomes;
        table->node[i] = in->nodes[i].name;
        mpq_swap(table->value[i], in->nodes[i].value);
        table->first[i + 1] = table->first[i] + outcomes;
        table->outcome_most = outcomes > table->outcome_most ? outcomes : table->outcome_most;
        in->nodes[i].outcomes = table->first[i]; /* the place of the node's next outcome */
    }
    for (size_t i = 0; i < in->outcome_count; i++) {
        outcome_row *row = &in->outcomes[i];
        uint32_t place = in->nodes[row->node].outcomes++;
        table->outcome[place] = row->name;
        table->next[place] = row->next;
        mpq_swap(table->probability[place], row->probability);
        if (row->rewarded) {
            mpq_swap(table->reward[place], row->reward);
        }
        table->rewards = table->rewards || mpq_sgn(table->reward[place]) != 0;
    }
}

static bool check_outcomes(reader *in)
{
    const og_node_table *table = in->table;
    for (size_t i = 0; i < in->outcome_count; i++) {
        const outcome_row *row = &in->outcomes[i];
        uint32_t k = table->first[row->node];
        while (table->outcome[k] != row->name) {
            if (strcmp(table->outcome[k], row->name) == 0) {
                return og_rows_fail_at(&in->rows, row->line, "node '%s' has two outcomes '%s'",
                                       table->node[row->node], row->name);
            }
            k++;
        }
    }
    for (uint32_t i = 0; i < table->node_count; i++) {
        if (!divide_by_sum(in, i)) {
            return false;
        }
    }
    return true;
}

/* R of each node: the sum of p (reward + h(next)), less h, since the probabilities add up to 1. */
static void find_gains(const og_node_table *table)
{
    mpq_t part;
    mpq_init(part);
    for (uint32_t i = 0; i < table->node_count; i++) {
        for (uint32_t k = table->first[i]; k < table->first[i + 1]; k++) {
            mpq_srcptr earned = table->value[table->next[k]];
            if (mpq_sgn(table->reward[k]) != 0) {
                mpq_add(part, table->reward[k], earned);
                earned = part;
            }
            if (mpq_sgn(earned) != 0) {
                mpq_mul(part, table->probability[k], earned);
                mpq_add(table->gain[i], table->gain[i], part);
            }
        }
        if (table->first[i] < table->first[i + 1]) {
            mpq_sub(table->gain[i], table->gain[i], table->value[i]);
        }
    }
    mpq_clear(part);
}

static void reader_clear(reader *in)
{
    for (size_t i = 0; i < in->node_count; i++) {
        mpq_clear(in->nodes[i].value);
    }
    for (size_t i = 0; i < in->outcome_count; i++) {
        mpq_clear(in->outcomes[i].probability);
        if (in->outcomes[i].rewarded) {
            mpq_clear(in->outcomes[i].reward);
        }
    }
    free(in->nodes);
    free(in->outcomes);
    free(in->slot);
}

/* Reads all rows of the opened file. */
static og_status read_all(reader *in, og_node_table **out)
{
    if (in->table == NULL) {
        og_rows_no_memory(&in->rows);
    } else if (og_rows_next(&in->rows) && read_columns(in)) {
        while (og_rows_next(&in->rows) && read_row(in)) {
        }
    }
    if (in->rows.status == OG_OK && in->node_count == 0) {
        og_rows_fail_at(&in->rows, 0, "the table has no node");
    }
    if (in->rows.status == OG_OK && check_nodes(in) && allocate(in)) {
        take_rows(in);
        if (check_outcomes(in)) {
            find_gains(in->table);
        }
    }
    og_status status = og_rows_close(&in->rows);
    reader_clear(in);
    return OG_MADE(status, in->table, og_arena_free, out);
}

static og_node_table *table_new(const char *name)
{
    og_node_table *table = og_arena_new(sizeof *table);
    if (table != NULL) {
        table->held = 1;
        table->name = og_arena_copy(&table->arena, name, strlen(name) + 1, 1);
    }
    if (table != NULL && table->name == NULL) {
        og_arena_free(table);
        return NULL;
    }
    return table;
}

og_status og_node_table_read(const char *path, const og_rows_limits *limits, og_node_table **out,
                             og_message *message)
{
    reader in = {.table = table_new(path)};
    og_rows_open(&in.rows, path, '\t', '\0', limits, message);
    return read_all(&in, out);
}

og_status og_node_table_read_text(const char *name, const char *text, size_t bytes,
                                  og_node_table **out, og_message *message)
{
    reader in = {.table = table_new(name)};
    og_rows_open_text(&in.rows, name, text, bytes, '\t', '\0', NULL, message);
    return read_all(&in, out);
}

og_node_table *og_node_table_hold(const og_node_table *table)
{
    og_node_table *held = (og_node_table *)table;
    if (held != NULL) {
        __atomic_fetch_add(&held->held, 1, __ATOMIC_RELAXED);
    }
    return held;
}

void og_node_table_release(const og_node_table *table)
{
    og_node_table *held = (og_node_table *)table;
    if (held != NULL && __atomic_sub_fetch(&held->held, 1, __ATOMIC_ACQ_REL) == 0) {
        og_arena_free(held);
    }
}

static int compare_numbers(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

static int compare_outcomes(const og_node_table *x, const og_node_table *y, uint32_t k)
{
    int order = compare_numbers(x->next[k], y->next[k]);
    order = order != 0 ? order : strcmp(x->outcome[k], y->outcome[k]);
    order = order != 0 ? order : mpq_cmp(x->probability[k], y->probability[k]);
    return order != 0 ? order : mpq_cmp(x->reward[k], y->reward[k]);
}

int og_node_table_compare(const og_node_table *x, const og_node_table *y)
{
    if (x == y) {
        return 0;
    }
    int order = compare_numbers(x->node_count, y->node_count);
    for (uint32_t i = 0; order == 0 && i < x->node_count; i++) {
        order = strcmp(x->node[i], y->node[i]);
        order = order != 0 ? order : mpq_cmp(x->value[i], y->value[i]);
        order = order != 0 ? order : compare_numbers(x->first[i + 1], y->first[i + 1]);
    }
    for (uint32_t k = 0; order == 0 && k < x->first[x->node_count]; k++) {
        order = compare_outcomes(x, y, k);
    }
    return order;
}

void og_node_table_range(const og_node_table *table, int32_t labels, double *least, double *most)
{
    double lowest = 0, highest = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t i = 0; i < table->node_count; i++) {
        double value = og_nearest(table->value[i]);
        *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
    for (uint32_t k = 0; table->rewards && k < table->first[table->node_count]; k++) {
        double reward = og_nearest(table->reward[k]);
        lowest = fmin(lowest, reward);
        highest = fmax(highest, reward);
    }
    *least += labels * lowest;
    *most += labels * highest;
}

void og_node_table_gain(const og_node_table *table, uint32_t node, uint32_t outcome, mpq_t out)
{
    assert(outcome >= table->first[node] && outcome < table->first[node + 1]);
    mpq_sub(out, table->value[table->next[outcome]], table->value[node]);
    if (mpq_sgn(table->reward[outcome]) != 0) {
        mpq_add(out, out, table->reward[outcome]);
    }
}
