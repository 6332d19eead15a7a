#ifndef OG_HEURISTICS_POLICY_H
#define OG_HEURISTICS_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"
#include "heuristics/indices.h"
#include "heuristics/rule.h"

/*
 * Policies by name: converts a name such as "cvar-kg:0.5" to its index on a problem's arms, and the
 * index to ranks in which exactly equal indices tie. Each family of problems has a table of its
 * policies, and names are parsed with such a table. Definitions and references are in the files of
 * the indices, such as index.c and gittins.c.
 */
enum { OG_POLICY_NAME_BYTES = 1024, OG_POLICY_OURS_BYTES = 64 }; /* room for a path */

/* Type of a policy's parameter, if it has one. */
typedef enum {
    OG_PARAMETER_PART,    /* a number from 0 to less than 1 */
    OG_PARAMETER_LOOK,    /* the same, or a whole number from 2 to OG_BUDGET_MAX */
    OG_PARAMETER_SHARE,   /* a number from 0 to 1 */
    OG_PARAMETER_FACTOR,  /* a number from 0 to OG_BUDGET_MAX */
    OG_PARAMETER_COUNT,   /* a whole number from 1 to OG_BUDGET_MAX */
    OG_PARAMETER_FILE,    /* the name of a file */
    OG_PARAMETER_COMMAND, /* words for a shell */
    OG_PARAMETER_POLICY,  /* the name of a policy of the same table that can be evaluated exactly */
    OG_PARAMETER_STOPPING, /* numbers, and perhaps the name of a policy of the same table
                            * (heuristics/index/stopping.h) */
    OG_PARAMETER_OWN,      /* parsed by the family that has the policy */
} og_parameter;

/* One row of a table of policies. */
typedef struct {
    const char *name;      /* without parameter */
    const char *parameter; /* "ALPHA", "[:DELTA]" if it may be missing, or "" */
    const char *summary;   /* one line */
    const char *source;    /* its reference */
    bool valued_exactly;   /* false: its value can only be simulated */
    og_parameter form;
    const char *noun;      /* for a file, a command or a policy: "file" */
    const char *example;   /* of a required parameter */
    const char *objective; /* the only objective that it supports; NULL: any other */
    const char *topics;    /* of the help, whose problems support it, if not only the objective's;
                              NULL: they are. Those of rules and indices follow */
    const og_rule *rule;   /* of one label, for all families with prospects; NULL: none */
    bool exact;            /* the rule uses the exact posterior, where others approximate it */
    const struct og_policy_making
        *making; /* private to heuristics/registry: how to make it for independent instances */
} og_policy_row;

typedef struct {
    const og_policy_row *row; /* [count] */
    size_t count;
} og_policy_table;

/* The policies of independent instances. */
const og_policy_table *og_policies_independent(void);

#define OG_TIE_TOLERANCE 1e-12

typedef struct {
    char name[OG_POLICY_NAME_BYTES]; /* as given, without OURS= */
    char ours[OG_POLICY_OURS_BYTES]; /* OURS, of OURS=command:CMD; empty: none */
    int kind;                        /* the row of its table */
    bool has_parameter;
    double parameter;            /* ALPHA, DELTA, D; 0 if it is a FILE, CMD or NAME */
    og_fraction parameter_exact; /* the parameter as a fraction */
    double answer_seconds; /* time limit for each answer of a policy that is a program; 10 unless
                              the caller sets it */
    double tie_relative;   /* user-defined indices within this of the largest tie with it
                              (dp/base/ties.h); OG_TIE_TOLERANCE unless the caller sets it */
    const struct og_user_policy *function; /* the caller's function (heuristics/user_policy.h),
                                             borrowed; NULL: the name identifies the policy */
} og_policy_name;

/* Its name in results. */
const char *og_policy_name_shown(const og_policy_name *policy);

/* A policy that calls this function; `name` can be any text. */
og_policy_name og_policy_name_of(const char *name, const struct og_user_policy *function);

/* The rule of a policy that looks one label ahead; false if it is none. */
bool og_policy_name_rule(const og_policy_name *policy, og_rule_use *out);

/* OG_BAD_INPUT with a message for a policy that asks for posteriors, if an arm has none, and for
 * one that looks at posteriors after more labels, if an arm's payoff is a list of values. */
og_status og_policy_name_check_arms(const og_policy_name *policy, const og_arms *arms,
                                    og_message *message);

/* OG_BAD_INPUT with a message: "policy 'kos' does not support ...; 'optgap policies TOPIC' ...". */
og_status og_policy_name_refuse(const og_policy_name *policy, const char *problems,
                                const char *topic, og_message *message);

/* Parses a name, with its parameter after a colon if it has one. table:, command: and plugin: may
 * follow OURS=, a name for results that is no policy's. OG_BAD_INPUT with a message that
 * names the mistake: an unknown name (with the nearest and the list of policies), or a parameter
 * that is missing, out of range, not supported or not a number.
 *
 * The FILE of table:FILE is read when its index or ranks are made, which may then return OG_FAILED
 * or OG_BAD_INPUT with a message. It must have every posterior of levels 0 .. budget - left, for
 * every `left` that the file distinguishes (heuristics/index/table_file.h defines the format). */
og_status og_policy_name_parse(const char *name, og_policy_name *out, og_message *message);

/* The same with the rows of this table. The functions below are for policies of independent
 * instances.
 */
og_status og_policy_name_parse_in(const og_policy_table *table, const char *name,
                                  og_policy_name *out, og_message *message);

/*
 * Computes a hash (XXH3) of the files that a policy's name refers to, for independent instances.
 * For table:FILE and plugin:FILE this is FILE, for command:CMD every word of CMD that is a regular
 * file, for rollout:NAME the files of NAME. 0: no such files. Files that a program reads in
 * addition are not included. OG_BAD_INPUT as og_policy_name_parse; OG_FAILED with a message for a
 * file that cannot be read to its end; OG_NO_MEMORY. *hash is written on success only.
 */
og_status og_policy_name_file_hash(const char *name, uint64_t *hash, og_message *message);

/*
 * How a policy is simulated (bench/simulation/simulate.h). Most policies use ranks. Policies that
 * draw random numbers, or depend on the history of an instance, have no ranks: og_policy_name_ranks
 * returns OG_BAD_INPUT with a message, and their value can only be simulated
 * (og_policy_row.valued_exactly is false).
 */
typedef enum { OG_PLAYED_BY_RANKS, OG_PLAYED_THOMPSON, OG_PLAYED_UCB1_TUNED } og_played;
og_played og_policy_name_played(const og_policy_name *policy);

/* True if its index may differ between mirror images of instances: (a, b) at threshold d and (b, a)
 * at 1 - d. */
bool og_policy_name_apart(const og_policy_name *policy);

/* True if its index of a node depends only on the outcome of one label there. Then arms of any
 * depth in which the node can be labelled give it the same index, up to rounding. */
bool og_policy_name_one_label(const og_policy_name *policy);

/* True if it depends on the labels since the start, and not only on the posterior. */
bool og_policy_name_recalls(const og_policy_name *policy);

/* True if its choice needs all instances: an instance alone has other prices, or another estimate
 * of the workers. */
bool og_policy_name_together(const og_policy_name *policy);

/* True if its index is not compared with the price of a label: it has a stopping rule of its own,
 * is the user's own policy, which may have one, has an index that is no gain and uses all labels,
 * or compares the price with Q itself (lookahead). */
bool og_policy_name_ignores_price(const og_policy_name *policy);

/* True if its index is the expected gain per label of some number of labels. */
bool og_policy_name_gains_by_label(const og_policy_name *policy);

/* True for the named rules, alone or before a policy. */
bool og_policy_name_is_rule(const og_policy_name *policy);

/* True if it contains a solver, which uses og_policy_use's memory. */
bool og_policy_name_has_solver(const og_policy_name *policy);

/* True if it looks at the whole state, but its choice there needs no value of a policy, and so is
 * available in large problems: dual and lp-update. */
bool og_policy_name_in_state(const og_policy_name *policy);

/* The number of labels of one instance that its value of a state counts on: D of lookahead:D, and
 * OG_BUDGET_MAX, all that are left, for other policies with a solver; 0: no more than the arms that
 * the state has. */
int32_t og_policy_name_ahead(const og_policy_name *policy);

/* A row of og_policies_independent, for help texts; NULL past the last. */
const og_policy_row *og_policy_row_at(size_t row);

/* True if the problems of this topic of the help support the policy. */
bool og_policy_row_fits(const og_policy_row *row, const char *topic);

/* Purpose and resources of an index or ranks. */
typedef struct {
    int32_t whole_budget;  /* T */
    int threads;           /* as above; a chooser runs on the calling thread */
    uint64_t memory_bytes; /* total limit for the solvers inside a policy; 0: three quarters of the
                              physical memory */
    bool roots; /* the ranks are only needed for the root state with all labels left. Index policies
                   that can skip their table then have only these ranks, and may give equal ranks to
                   roots whose index is not the largest */
    og_stop *stop; /* ends the making and those solvers; NULL: none */
    /* Labels that have a price: the arms with the standard arm as the last, for a POLICY behind a
     * stopping rule that is compared with the price. NULL: no price, or no such policy. Borrowed.
     */
    const og_arms *with_standard;
    double price;               /* of a label, as user-defined policies see it; 0: none */
    bool picks_only;            /* only its choice in one state is needed, not its value */
    struct og_kept_roots *kept; /* what is known of roots from earlier states; NULL: nothing */
} og_policy_use;

/* use->whole_budget is T for the policies that depend on it (gittins-inf), usually arms->budget.
 * OG_BAD_INPUT if the policy has no index (uniform); OG_STOPPED if use->stop ends it. The bits do
 * not depend on use->threads. */
og_status og_policy_name_index(const og_policy_name *policy, const og_arms *arms,
                               const og_policy_use *use, og_index **out, og_message *message);

/*
 * Cost of an index and of ranks, for one Beta arm and budget T. Policies that look one label ahead
 * take O(T^2) time and memory. gittins-fh takes 12 T^3 / 6 bytes and a time that grows like T^4.3
 * and more (0.03 s at T = 100, 0.5 s at 200, 48 s at 600, 825 s and 2 GB at 1000). kg-star and
 * lagrangian take the same memory or twice as much, T^3 / 6 steps, and half as many in fractions if
 * ties are settled exactly (2 s at T = 280). lagrangian also searches for its prices
 * (og_bound_lagrangian_vector) and probabilities. gittins-inf takes O(T^2) memory and, with the
 * default DELTA, 3 s at T = 100. OG_NO_MEMORY with a message if the memory is not available.
 *
 * Ranks of the policy's index. Ties are settled exactly if the arms are rational and the policy is
 * not gittins-inf; otherwise indices with overlapping error bounds tie (see tolerance_ties).
 * kg-star and lagrangian are settled exactly only up to some 2 million pairs (posterior, left),
 * mirror images counted once. Mirror images and equal posteriors always tie, except in user-defined
 * policies: table:FILE, command:CMD, plugin:FILE and functions tie if their numbers do, within
 * tie_relative. If all numbers that are compared are whole numbers or fractions, only equal ones
 * tie.
 *
 * The program of command:CMD is started at the first question to the ranks, and ended with them;
 * heuristics/whole_state/command.h defines the protocol.
 *
 * dual:D, midway:NAME and lp-update solve the fluid problem of every state, with GLPK, and refuse
 * labels with prices: OG_BAD_INPUT with a message. heuristics/whole_state/fluid_policy.c defines
 * them and their ties. Scores are doubles with an error of at most 5e-11; those within 1e-9 tie,
 * and tolerance_ties counts differences between 1e-10 and 1e-7. If a fluid problem is not solved to
 * 1e-11, OG_STOPPED with a message. A state of a small problem takes 0.1 to 0.2 ms.
 *
 * lagrangian uses the prices of the problem in `arms`, with its counts and budget, and ignores
 * whole_budget. Indices tie if buying now is as good as later, which is often. Then the instance
 * with the larger probability of a purchase goes first, in the solution of the relaxed problem with
 * most entropy (heuristics/index/draw.h). Probabilities are doubles without a proved error: those
 * within 1e-5 of each other, in odds, tie; if they differ, tolerance_ties counts them. If the
 * prices are not fractions with small terms, advantages with overlapping error bounds tie. A build
 * without GLPK does not support lagrangian, and one without Jansson does not support command:CMD:
 * OG_BAD_INPUT with a message.
 */
og_status og_policy_name_ranks(const og_policy_name *policy, const og_arms *arms,
                               int32_t whole_budget, int threads, og_ranks **out,
                               og_message *message);

/* True if the ranks are made only for the roots, which takes negligible time. */
bool og_policy_name_roots(const og_policy_name *policy, const og_policy_use *use);

/*
 * The same with these settings; og_policy_name_ranks has the default limit and no watch. For
 * policies that look at the whole state the ranks have a chooser (dp/product/chooser.h), and borrow
 * `arms`. Making them is cheap; each question costs as much as their solvers. lookahead:D and
 * rollout:NAME need the memory and time of og_solver_q_at for every state in question. If arms are
 * rational, they also need those of og_exact_q_at for states with Qs that doubles cannot separate.
 * OG_STOPPED if these do not fit in the limit. Inside rollout, NAME's ties are broken at random,
 * whatever the tie rule of rollout is.
 */
og_status og_policy_name_ranks_for(const og_policy_name *policy, const og_arms *arms,
                                   const og_policy_use *use, og_ranks **out, og_message *message);

/* The same, and its index from the same computation: *index, NULL for a policy without one. */
og_status og_policy_name_ranks_and_index(const og_policy_name *policy, const og_arms *arms,
                                         const og_policy_use *use, og_ranks **out, og_index **index,
                                         og_message *message);

#endif
