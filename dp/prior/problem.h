#ifndef OG_DP_PRIOR_PROBLEM_H
#define OG_DP_PRIOR_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/node_table.h"
#include "dp/prior/payoff.h"

/*
 * A label-budget problem as the user gives it: groups of instances with a prior each, and the
 * number of labels.
 */
typedef enum {
    OG_PRIOR_BETA,      /* the soft label is Beta(a, b) */
    OG_PRIOR_MIXTURE,   /* it is one of several Betas, with probabilities given by weights */
    OG_PRIOR_DIRICHLET, /* three or more classes, whose shares are Dirichlet(alpha) */
    OG_PRIOR_COINS,     /* only of a worker (dp/prior/worker.h): two Betas */
    OG_PRIOR_NODES,     /* no prior: a table of nodes (dp/prior/node_table.h) */
} og_prior_kind;

enum {
    OG_PARTS_MAX = 10,  /* components of a mixture */
    OG_CLASSES_MIN = 3, /* of a Dirichlet prior */
    OG_CLASSES_MAX = OG_PARTS_MAX,
    OG_GROUP_TEXT_BYTES = 4096, /* enough for every og_group_format */
};

/* One Beta of a mixture. */
typedef struct {
    og_fraction weight; /* > 0; only its ratio to the other weights counts */
    og_fraction a;      /* > 0 */
    og_fraction b;      /* > 0 */
} og_component;

/*
 * A group holds `count` instances with the same prior (or posterior). With two classes an instance
 * is positive if its soft label is >= threshold; with more it belongs to the class with the
 * largest share.
 */
typedef struct {
    og_fraction a;         /* > 0; OG_PRIOR_BETA, like b */
    og_fraction b;         /* > 0 */
    og_fraction threshold; /* 0 < threshold < 1; not for OG_PRIOR_DIRICHLET: 1/2 there */
    int64_t count;         /* 1 .. OG_COUNT_MAX */
    og_prior_kind kind;
    int32_t part_count; /* components, 1 .. OG_PARTS_MAX, classes or coins; 0 for OG_PRIOR_BETA */
    og_payoff payoff;   /* zeroed: a call is worth 1 if it is right; OG_PRIOR_DIRICHLET: of calls
                         * no other, tables of values only for OG_PRIOR_BETA */
    og_fraction bonus;  /* > 0: gain of every label of the instance whatever its answer, as for a
                         * label that is cheaper than others; zeroed: none */
    union {
        og_component component[OG_PARTS_MAX]; /* OG_PRIOR_MIXTURE: [part_count]; OG_PRIOR_COINS:
                                                 [2], whose weights are 1 */
        og_fraction alpha[OG_CLASSES_MAX];    /* OG_PRIOR_DIRICHLET: [part_count] > 0 */
        struct {                              /* OG_PRIOR_NODES */
            const og_node_table *nodes;       /* borrowed, but see og_groups */
            uint32_t root;                    /* the node at which the instance is */
        };
    };
} og_group;

/* An INSTANCE word of such a table, "3xarm:judge.tsv": its file, or NULL if it is none. The second
 * function makes the word's group of that file's table, at its first node; OG_BAD_INPUT as
 * og_group_parse. */
const char *og_group_file(const char *text);
og_status og_group_of_nodes(const char *text, const og_node_table *nodes, og_group *out,
                            og_message *message);

/* The file of a word with a table of worths, "2,1=table:worth.tsv"; NULL if it has none. */
const char *og_group_payoff_file(const char *text);

/* The quantity whose expectation is maximised. */
typedef enum {
    OG_OBJECTIVE_CALLS,  /* the number of instances called right at the end */
    OG_OBJECTIVE_BANDIT, /* the number of positive labels: the classical Bernoulli bandit */
} og_objective;

typedef struct {
    int32_t budget; /* labels to give, 0 .. OG_BUDGET_MAX */
    og_objective objective;
    int32_t group_count;
    int32_t kind_count;
    og_group *kind; /* [kind_count], each different group once, in the order of their first places;
                     * owned, and holds their tables of nodes and the values of their payoffs */
    int32_t *kind_of; /* [group_count], the groups in the order given; NULL: each is its own kind */
    int32_t *slot;    /* [2 kind_room], a power of two: a hash table: a kind's number + 1, or 0 */
    size_t kind_room;
    int64_t added; /* instances counted by og_groups_add */
} og_groups;

/* The group at a place. Whatever changes groups must do so for each kind. */
static inline const og_group *og_groups_at(const og_groups *problem, int32_t place)
{
    return &problem->kind[problem->kind_of != NULL ? problem->kind_of[place] : place];
}

#define OG_BUDGET_MAX 1000000
#define OG_COUNT_MAX INT64_C(1000000000) /* instances of one problem, all groups together */
#define OG_PARAMETER_MIN 1e-6
#define OG_PARAMETER_MAX 1e6

/*
 * Read one INSTANCE word: `[COUNTx]A,B[@D]`, a mixture `[COUNTx]W:A,B+W:A,B...[@D]`, or classes
 * `[COUNTx]A,B,C...`. Returns OG_BAD_INPUT with a message that names the word and its error. Writes
 * every field of *out; fields that the kind does not use are zeroed.
 */
og_status og_group_parse(const char *text, og_group *out, og_message *message);
bool og_group_is_word(const char *text); /* og_group_parse reads it */

/* The same, with an optional payoff, as og_payoff_parse: `[COUNTx]A,B[@D][=TP,FP,FN,TN]`, which the
 * other function refuses. */
og_status og_group_parse_paid(const char *text, og_group *out, og_message *message);

/* Writes the group as an INSTANCE word ("10x1,1", "2,1@0.3=1,-5,0,1"; no "1x", no "@0.5", no
 * "=1,0,0,1"; weights as they were given); a table's node that is not its first, which no word has,
 * as "arm:judge.tsv at hot". Returns the result of snprintf. */
int og_group_format(const og_group *group, char *text, size_t size);

/*
 * Checks that the numbers are in range: fractions in lowest terms, parameters and weights within
 * OG_PARAMETER_MIN .. OG_PARAMETER_MAX, 0 < threshold < 1, count within 1 .. OG_COUNT_MAX, and a
 * valid number of parts for the kind. Every parameter plus `labels` must be an og_fraction, a
 * mixture must have an og_group_plain, and a table of payoffs a value of each posterior that so
 * many labels reach. OG_BAD_INPUT with a message if not.
 */
og_status og_group_check(const og_group *group, int32_t labels, og_message *message);

/*
 * The same prior in its normal form: the weights of a mixture as whole numbers without a common
 * divisor, its components in ascending order and each once; a mixture of one component as a Beta.
 * Two groups have the same prior, threshold and payoff if og_group_compare of their plain forms is
 * 0. The count stays. Returns false, *out undefined, if the whole weights add up to more than
 * OG_FRACTION_MAX.
 */
bool og_group_plain(const og_group *group, og_group *out);

/* An order of priors, thresholds and payoffs, with the numbers as given; ignores counts. */
int og_group_compare(const og_group *x, const og_group *y);

/* Equal for groups that og_group_compare treats as equal. */
uint64_t og_group_hash(const og_group *group);

/* 0 if there is none. */
og_fraction og_group_bonus(const og_group *group);

/* True if all parameters are whole numbers. Weights and the threshold need not be. */
bool og_group_is_whole(const og_group *group);

/* The sum of a mixture's weights as given, rounded; 1 for other kinds. */
double og_group_weight_sum(const og_group *group);

/* An empty problem, OG_OBJECTIVE_CALLS; nothing is allocated yet. */
void og_groups_init(og_groups *problem, int32_t budget);

/* The problem of the caller's groups, which it borrows; not for the functions below that change
 * it. */
og_groups og_groups_of(og_group *group, int32_t count);

/* Appends a copy of the group. Checks the group (og_group_check with the budget) and the total of
 * counts. OG_BAD_INPUT or OG_NO_MEMORY leave the groups as they are. O(1) on average. */
og_status og_groups_add(og_groups *problem, const og_group *group, og_message *message);

/* Removes the groups from `group_count` on; keeps their kinds. O(those). */
void og_groups_cut(og_groups *problem, int32_t group_count);

/* The number of instances: the sum of the counts. O(groups). */
int64_t og_groups_size(const og_groups *problem);

void og_groups_clear(og_groups *problem);

#endif
