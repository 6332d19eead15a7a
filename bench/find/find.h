#ifndef OG_BENCH_FIND_FIND_H
#define OG_BENCH_FIND_FIND_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "bench/find/order.h"
#include "bench/value/compare.h"
#include "dp/base/ties.h"
#include "heuristics/policy.h"

/*
 * The smallest problem of a grid in which a policy does not do what is claimed of it: lose nothing
 * against the optimum, be worth what another policy is worth, keep a share of the value or of the
 * gain.
 *
 * Problems are valued in fractions in their order (bench/find/order.h), and the search ends with
 * the first class that has one against the claim; of several the answer is the one with the largest
 * loss, and of these the first. Where there is nothing to keep a share of, the optimum gaining 0,
 * a policy that loses (it pays for labels) loses more than any share. So whatever is said to be the
 * smallest is: every problem of every smaller class was valued, and the claim held.
 */
typedef enum {
    OG_CLAIM_OPTIMAL, /* value >= that of the optimum; the loss is their difference */
    OG_CLAIM_EQUAL,   /* value = that of the other policy; the difference */
    OG_CLAIM_VALUE, /* value >= share * value of the optimum, or the other policy; the share lost */
    OG_CLAIM_GAIN,  /* gain >= share * its gain; the share lost */
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

typedef struct {
    const og_family *family; /* whose problems are instances in numbers; borrowed, as all else */
    const og_policy_name *policy;
    const og_policy_name *against; /* NULL: the optimum */
    og_ties ties;                  /* of both policies */
    og_claim claim;      /* OG_CLAIM_EQUAL only with `against`, OG_CLAIM_OPTIMAL without */
    bool worst;          /* instead: the largest loss of the whole grid */
    og_order_grid grid;  /* ordered is filled in, and apart as the policies need it, where it is not
                            set: as the options below need it */
    const void *options; /* of the family, those of every problem; NULL: the usual */
    const char *stakes;  /* the same in words, " --price 0.05", each with a blank before it; "" */
    bool prices;         /* values of policies may be below 0, being less by prices */
    bool losses;         /* and all values, calls being worth something negative */
    /* Problems are valued side by side, each on one thread and in its share of the memory; what
     * does not fit is valued again alone.
     * checkpoint, a file that remembers how far the search is: saved every checkpoint_seconds and
     * at the end, gone on from where it is there; NULL: none. watch means nothing. */
    og_settings settings;
    double seconds_max;              /* for the search; 0: any time */
    bool (*interrupted)(void *user); /* true ends it; from all threads at once; NULL: nobody */
    /* How far it is, and which share of the grid is done; may be NULL. */
    void (*progress)(void *user, const char *stage, double share);
    void *user;
} og_find_request;

typedef struct {
    og_order order;
    og_order_problem last; /* all problems up to this one were valued; number 0: none */
    bool complete;         /* no problem of the grid is left that could be the answer */
    og_message why;        /* else: why not */
    uint64_t tolerance;    /* problems in which ties of a policy hang on a tolerance */
    og_order_problem best; /* against the claim; number 0: none so far. Where the search is not
                              complete a later one of its class may lose more */
    mpq_t loss;            /* of `best` */
    bool whole;            /* it is no share: there is nothing to have a share of */
    /* Where the search is complete and has an answer: that problem, open, and the policies on it in
     * fractions, explained. */
    const og_family *family;
    void *problem;
    og_policy_name policies[2];
    og_compare_request request;
    og_comparison comparison;
} og_found_problem;

/*
 * Fill *out, in any case to be cleared with og_found_problem_clear, and not to be moved. OG_OK also
 * where a limit ended the search. OG_BAD_INPUT with a message: a grid out of range, a policy
 * without an exact value, a file of another search or none of a search. OG_FAILED if what was
 * computed contradicts itself, a policy fails, or the file cannot be written.
 *
 * Where no limit is reached, the answer, and what the file holds in the end, do not depend on the
 * number of threads.
 */
og_status og_find_run(const og_find_request *request, og_found_problem *out, og_message *message);

void og_found_problem_clear(og_found_problem *found); /* a zeroed one is fine */

#endif
