#ifndef OG_HEURISTICS_POLICY_H
#define OG_HEURISTICS_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"

/*
 * Policies by name: from a name such as "cvar-kg:0.5" to its index on a problem's arms, and from
 * the index to ranks in which exactly equal indices tie. A family of problems has a table of the
 * policies it knows; a name is read by such a table. Sources and definitions stand beside each
 * index, in index.c, gittins.c and the like.
 */
enum { OG_POLICY_NAME_BYTES = 1024 }; /* room for a path */

/* What a policy's parameter is, where it has one. */
typedef enum {
    OG_PARAMETER_PART,    /* a number from 0 to 1, but not 1 */
    OG_PARAMETER_SHARE,   /* a number from 0 to 1 */
    OG_PARAMETER_COUNT,   /* a whole number from 1 to OG_BUDGET_MAX */
    OG_PARAMETER_FILE,    /* the name of a file */
    OG_PARAMETER_COMMAND, /* words for a shell */
    OG_PARAMETER_POLICY,  /* the name of a policy of the same table, one valued exactly */
    OG_PARAMETER_OWN,     /* read by the family whose policy it is */
} og_parameter;

/* One row of a table of policies. */
typedef struct {
    const char *name;      /* without parameter */
    const char *parameter; /* "ALPHA", "[:DELTA]" where it may be missing, or "" */
    const char *summary;   /* one line */
    const char *source;    /* where it is from */
    bool valued_exactly;   /* false: only simulation tells its value */
    og_parameter form;
    const char *noun;                      /* of a file, a command or a policy: "file" */
    const char *example;                   /* of a parameter that must be given */
    const char *objective;                 /* the only one that it is for; NULL: any other */
    const struct og_policy_making *making; /* private to heuristics/registry: how it is made for
                                              independent instances */
} og_policy_row;

typedef struct {
    const og_policy_row *row; /* [count] */
    size_t count;
} og_policy_table;

/* The policies of independent instances. */
const og_policy_table *og_policies_independent(void);

typedef struct {
    char name[OG_POLICY_NAME_BYTES]; /* as given */
    int kind;                        /* the row of its table */
    bool has_parameter;
    double parameter;            /* ALPHA, DELTA, D; 0 where it is a FILE, CMD or NAME */
    og_fraction parameter_exact; /* the fraction the parameter spells */
    double answer_seconds;       /* a policy that is a program may take so long for an answer; 10
                                    unless the caller sets it */
    double tie_relative;         /* indices of the user's own so near the largest tie with it
                                    (dp/base/ties.h); OG_TIE_TOLERANCE unless the caller sets it */
    const struct og_own_policy *function; /* of the caller's (heuristics/own_policy.h),
                                             borrowed; NULL: it is known by its name */
} og_policy_name;

/* A policy that is this function, whatever it is called. */
og_policy_name og_policy_name_of(const char *name, const struct og_own_policy *function);

/* Read a name, with its parameter after a colon where it takes one. OG_BAD_INPUT with a message
 * that names the mistake: an unknown name (with the nearest and the list of known ones), a
 * parameter missing, out of range, unwanted or not a number. The FILE of table:FILE is read when
 * its index or ranks are made (heuristics/index/table_file.h says what it must hold), which may
 * return OG_FAILED or OG_BAD_INPUT with a message for it: every posterior of levels 0 .. budget -
 * left must be there, for every left that the file tells apart. */
og_status og_policy_name_parse(const char *name, og_policy_name *out, og_message *message);

/* The same by the rows of this table. What follows here is for policies of independent instances.
 */
og_status og_policy_name_parse_in(const og_policy_table *table, const char *name,
                                  og_policy_name *out, og_message *message);

/*
 * A hash (XXH3) of the bytes in the files that a name of a policy of independent instances names:
 * of table:FILE and plugin:FILE, of command:CMD those of its words that are regular files, and of
 * rollout:NAME NAME's. 0: none, or none that is there. What a program reads beside them is not
 * known. OG_BAD_INPUT as og_policy_name_parse; OG_FAILED with a message for a file that cannot be
 * read to its end; OG_NO_MEMORY. *hash is written on success only.
 */
og_status og_policy_name_file_hash(const char *name, uint64_t *hash, og_message *message);

/*
 * How a policy is played (bench/simulation/simulate.h). Most are by their ranks. Those that draw at
 * random, or go by the history of an instance, have none: og_policy_name_ranks is OG_BAD_INPUT with
 * a message, and their value is known by simulation only (og_policy_row.valued_exactly is false).
 */
typedef enum { OG_PLAYED_BY_RANKS, OG_PLAYED_THOMPSON, OG_PLAYED_UCB1_TUNED } og_played;
og_played og_policy_name_played(const og_policy_name *policy);

/* May it tell mirror images of instances apart, (a, b) at threshold d and (b, a) at 1 - d? */
bool og_policy_name_apart(const og_policy_name *policy);

/* Is its index of a node a matter of one label there, and of nothing else? Then arms of any depth
 * in which the node can be labelled have the same index of it, but for rounding. */
bool og_policy_name_one_label(const og_policy_name *policy);

/* Does it go by the labels since the start, and not by the posterior alone? */
bool og_policy_name_recalls(const og_policy_name *policy);

/* Does it hold a solver of its own, which takes og_policy_use's memory? */
bool og_policy_name_has_solver(const og_policy_name *policy);

/* One of og_policies_independent, for help texts; NULL past the last. */
const og_policy_row *og_policy_row_at(size_t row);

/*
 * The index of every node, as doubles: index[left][global node], for left = 1 .. budget
 * and the nodes of levels 0 .. budget - left of each arm.
 */
typedef struct {
    og_arena arena;
    int32_t arm_count;
    int32_t budget;
    bool by_left;
    double **index; /* laid out like og_ranks.rank; in the arena */
    /* Proved: |stored - exact| <= error * |exact| + absolute_error, truncation and rounding. */
    double error;
    double absolute_error;
    char note[160]; /* what the user should know: the truncation of gittins-inf; "" if nothing */
} og_index;

/* As og_ranks_of. */
static inline const double *og_index_of(const og_index *index, int32_t arm, int32_t left)
{
    return index->by_left ? index->index[(int64_t)left * index->arm_count + arm]
                          : index->index[arm];
}

/* What an index and ranks are made for, and with what. */
typedef struct {
    int32_t whole_budget;  /* T */
    int threads;           /* as above; a policy that is asked answers on the thread that asks */
    uint64_t memory_bytes; /* limit of the solvers inside a policy, all together; 0: three quarters
                              of the physical memory */
    bool roots; /* the ranks will be asked about the state of all roots alone, with all labels left:
                   those of an index policy that can do without its table have no other, and may
                   call roots equal whose index is not the largest */
    og_watch *watch; /* of those solvers, one at a time for each policy; NULL: nobody */
    void *watch_user;
    bool picks_only; /* it is asked what it takes in one state; nobody wants its value */
} og_policy_use;

/* use->whole_budget is T for the policies that depend on it (gittins-inf), usually arms->budget.
 * OG_BAD_INPUT if the policy has no index (uniform); OG_STOPPED where use->watch says so. The bits
 * do not depend on use->threads. */
og_status og_policy_name_index(const og_policy_name *policy, const og_arms *arms,
                               const og_policy_use *use, og_index **out, og_message *message);
void og_index_free(og_index *index);

/*
 * Cost of an index and of ranks, for one Beta arm and budget T: O(T^2) time and memory for the
 * policies that look one label ahead; gittins-fh 12 T^3 / 6 bytes and a time that grows like T^4.3
 * and more (0.03 s at T = 100, 0.5 s at 200, 48 s at 600, 825 s and 2 GB at 1000); kg-star and
 * lagrangian the same memory or twice as much, T^3 / 6 steps, and half as many in fractions where
 * ties are settled exactly (2 s at T = 280), lagrangian the search for its prices
 * (og_bound_lagrangian_vector) and for chances too;
 * gittins-inf O(T^2) memory and, with the default DELTA, 3 s at T = 100. OG_NO_MEMORY with a
 * message if it cannot be had.
 *
 * Ranks of the policy's index, ties settled exactly where the arms are rational and the policy is
 * not gittins-inf, by overlapping error bounds where not: see tolerance_ties. kg-star and
 * lagrangian are settled exactly only up to some 2 million pairs (posterior, left), mirror images
 * counted once. Mirror images and equal posteriors tie always,
 * but for the user's own: table:FILE, command:CMD, plugin:FILE and functions tie where their
 * numbers do, within tie_relative, but where all that are compared are whole numbers or fractions;
 * then equal ones alone.
 *
 * The program of command:CMD (heuristics/whole_state/command.h says how it is talked to) is started
 * when the ranks are first asked, and ended with them.
 *
 * lagrangian takes the prices of the problem that `arms` is, its counts and budget; whole_budget
 * means nothing to it. Indices tie wherever buying now is as good as later, which is often: then
 * the larger chance goes first with which a solution of the relaxed problem buys, the one with most
 * entropy (heuristics/index/draw.h). Chances are doubles without a proved error: those within 1e-5
 * of each other, in odds, tie, and where they differ tolerance_ties counts them. Where the prices
 * are no fractions with small terms, advantages tie by overlapping error bounds. Built without GLPK
 * it is refused, and command:CMD without Jansson: OG_BAD_INPUT with a message.
 */
og_status og_policy_name_ranks(const og_policy_name *policy, const og_arms *arms,
                               int32_t whole_budget, int threads, og_ranks **out,
                               og_message *message);

/* Are the ranks made so of the roots alone, and take no time to speak of? */
bool og_policy_name_roots(const og_policy_name *policy, const og_policy_use *use);

/*
 * The same with these settings; og_policy_name_ranks has the default limit and no watch. For
 * policies that look at the whole state the ranks have a chooser (dp/product/chooser.h), and borrow
 * `arms`: making them costs little, asking them what their solvers cost. lookahead:D and
 * rollout:NAME take the memory and time of og_solver_q_at, once for every state they are asked
 * about, and where arms are rational those of og_exact_q_at for states in which Qs are too close to
 * tell apart; OG_STOPPED where the limit does not hold them. NAME's ties are drawn at random inside
 * rollout, whatever rule its own are under.
 */
og_status og_policy_name_ranks_for(const og_policy_name *policy, const og_arms *arms,
                                   const og_policy_use *use, og_ranks **out, og_message *message);

#endif
