#ifndef OG_DP_PRIOR_NODE_TABLE_H
#define OG_DP_PRIOR_NODE_TABLE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/rows.h"
#include "dp/base/status.h"

/*
 * An instance as a table of nodes, for problems that no prior describes (arm:FILE). The first row
 * names the columns: node, outcome, probability, next, value and perhaps reward. A row is an
 * outcome of a node:
 *
 *   node         the node; that of the first row is the root
 *   outcome      the outcome's name, once in a node
 *   probability  > 0; those of a node add up to 1 within 1e-12 and are divided by their sum
 *   next         the node after it; loops are allowed
 *   value        h, the worth of the instance if labelling ends here: the same in all rows of the
 *                node; one of them must have it
 *   reward       earned at once with this outcome; empty: 0
 *
 * A node without outcomes has one row with its name and value alone. It stays as it is: a label
 * there earns nothing. Numbers are those of og_rational_parse, of at most 1e6 in size.
 */
enum { OG_NODE_OUTCOMES_MAX = 64, OG_NODE_NAME_BYTES = 64 }; /* a name with its end */

typedef struct {
    og_arena arena;
    int32_t held;          /* atomic: how often it is held */
    const char *name;      /* of the file */
    uint32_t node_count;   /* node 0 is the root */
    uint32_t outcome_most; /* the most outcomes of a node, at least 1 */
    bool rewards;          /* a reward is not 0 */
    const char **node;     /* [node_count] names */
    mpq_t *value;          /* [node_count] h */
    uint32_t *first;       /* [node_count + 1] first outcome of a node; none for one that stays */
    const char **outcome;  /* [first[node_count]] names, in the order of the rows */
    uint32_t *next;        /* [...] */
    mpq_t *probability;    /* [...] */
    mpq_t *reward;         /* [...] */
    mpq_t *gain;           /* [node_count] R, the expected gain of a label, with rewards */
} og_node_table;

/*
 * Reads a file, or a text whose messages begin with `name`. `limits` may be NULL. OG_BAD_INPUT with
 * a message of the file and, where it helps, the line; and the failures of og_rows_open. The caller
 * holds the table once.
 */
og_status og_node_table_read(const char *path, const og_rows_limits *limits, og_node_table **out,
                             og_message *message);
og_status og_node_table_read_text(const char *name, const char *text, size_t bytes,
                                  og_node_table **out, og_message *message);

/* Holds a table once more; it is freed when all who hold it have released it. Any thread. NULL is
 * fine. */
og_node_table *og_node_table_hold(const og_node_table *table);
void og_node_table_release(const og_node_table *table);

/* An order of contents; ignores the names of files. */
int og_node_table_compare(const og_node_table *x, const og_node_table *y);

/* The least and the most that an instance can be worth, with rewards, after at most so many
 * labels: bounds. */
void og_node_table_range(const og_node_table *table, int32_t labels, double *least, double *most);

/* The gain of an outcome, reward + h(next) - h(node), exactly. */
void og_node_table_gain(const og_node_table *table, uint32_t node, uint32_t outcome, mpq_t out);

#endif
