#ifndef OG_BENCH_FIND_FIND_H
#define OG_BENCH_FIND_FIND_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/family.h"
#include "bench/find/order.h"
#include "bench/questions/compare.h"
#include "dp/base/ties.h"
#include "heuristics/policy.h"

/*
 * Finds the smallest problem of a grid in which a claim about a policy fails. The claims are: the
 * policy is optimal, it has the same value as another policy, or it keeps a share of the value or
 * of the gain.
 *
 * Problems are evaluated in fractions in their order (bench/find/order.h). The search ends with the
 * first class that holds a counterexample; among several in the class, the answer has the largest
 * loss, and among these it is the first. If the optimum gains 0, there is nothing to share; then a
 * policy that loses (it pays for labels) loses more than any share. So the answer is proved to be
 * smallest: every problem of every smaller class was evaluated, and the claim held.
 */
typedef enum {
    OG_CLAIM_OPTIMAL, /* value >= that of the optimum; the loss is their difference */
    OG_CLAIM_EQUAL,   /* value = that of the other policy; the loss is the absolute difference */
    OG_CLAIM_VALUE,   /* value >= share * value of the optimum, or of the other policy; the loss is
                         the share lost */
    OG_CLAIM_GAIN,    /* gain >= share * its gain; the loss is the share lost */
} og_claim_kind;

typedef struct {
    og_claim_kind kind;
    og_fraction share; /* OG_CLAIM_VALUE and OG_CLAIM_GAIN: greater than 0 and at most 1; else
                          zeros */
} og_claim;

/* "value:0.99", "gain:0.5". OG_BAD_INPUT with a message. */
og_status og_claim_parse(const char *text, og_claim *out, og_message *message);

enum { OG_CLAIM_TEXT_BYTES = 64 };

/* "optimal", "equal", "value:0.99". */
void og_claim_text(const og_claim *claim, char text[OG_CLAIM_TEXT_BYTES]);

/* What is searched, beside the question's policies and tie rule. */
typedef struct {
    const og_family *family; /* its problems must be instances in numbers; borrowed, like the
                                rest */
    og_claim claim;      /* OG_CLAIM_EQUAL only with a second policy, OG_CLAIM_OPTIMAL without */
    bool worst;          /* find instead the largest loss of the whole grid */
    og_order_grid grid;  /* `ordered` is set here; `apart` too if the policies need it; the caller
                            sets it if the options below need it */
    const void *options; /* of the family, for every problem; NULL: defaults */
    const char *stakes;  /* the same as text, " --price 0.05", each after a blank; or "" */
    bool prices;         /* values of policies may be below 0, because of prices */
    bool losses;         /* all values may be below 0, because calls may have negative worth */
} og_find_scope;

typedef struct {
    og_order order;
    og_order_problem last; /* all problems up to this one were evaluated; number 0: none */
    bool complete;         /* no remaining problem of the grid can be the answer */
    og_message why;        /* if not complete, the reason */
    uint64_t tolerance;    /* number of problems in which ties of a policy depend on a tolerance */
    og_order_problem best; /* the best counterexample; number 0: none so far. If the search is not
                              complete, a later one of its class may lose more */
    mpq_t loss;            /* of `best` */
    bool whole;            /* the loss is not a share, because the optimum gains nothing */
    /* If the search is complete and has an answer: that problem, open, and the policies on it,
     * evaluated in fractions and explained. */
    const og_family *family;
    void *problem;
    og_policy_name policies[2];
    og_asked asked;
    og_comparison comparison;
} og_found_problem;

/* The second policy of the question; NULL: the optimum. */
const og_policy_name *og_find_against(const og_asked *asked);

/*
 * Search for the question's one or two policies under its one tie rule. Problems are evaluated in
 * parallel, each on one thread with its share of the memory; one that does not fit is evaluated
 * again alone. The settings' checkpoint is a file with the progress of the search, saved every
 * checkpoint_seconds and at the end; an existing file is continued; NULL: none. The stop ends the
 * search, and gets the share of the grid that is done.
 *
 * Fill *out; clear it in any case with og_found_problem_clear, and do not move it. Returns OG_OK
 * even if a limit ended the search. OG_BAD_INPUT with a message: a grid out of range, a policy
 * without an exact value, or a file that belongs to another search or to none. OG_FAILED if results
 * contradict each other, a policy fails, or the file cannot be written.
 *
 * If no limit is reached, the answer and the final file do not depend on the number of threads.
 */
og_status og_find_run(const og_asked *asked, const og_find_scope *scope, og_found_problem *out,
                      og_message *message);

void og_found_problem_clear(og_found_problem *found); /* may be zeroed */

#endif
