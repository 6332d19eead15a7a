#ifndef OG_TESTS_CONFORMANCE_H
#define OG_TESTS_CONFORMANCE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/public/problem.h"
#include "dp/base/ties.h"
#include "tests/random_problem.h"

/*
 * What each family of bench/families/list.c is held against by tests/test_conformance.c, which
 * asks it through bench/family.h alone. A new family needs a row here, and has all checks for it.
 */
enum { CASE_FIXED = 8 };

/* What an oracle is asked. */
typedef struct {
    const og_problem *problem;
    const char *history; /* earlier answers, as --history takes them; NULL: none */
    const char *policy;  /* NULL: the optimum */
    og_ties ties;        /* of the policy */
    const og_act *first; /* the optimum after this act at the root; NULL: whatever */
    int32_t number;      /* of that act among all */
} case_question;

typedef struct {
    const char *family;
    int rounds;
    /* Words of a random problem, small enough for the oracle, as the program takes them: "-T 3
     * 2x1,1 --price 0.1", with commas between the words of --history. */
    void (*draw)(random_source *random, char *text, size_t size);
    /* The value by a definition that shares nothing with the model. NAN: it does not know this
     * policy, these ties or this act. And what a policy with a belief of its own is worth where the
     * posterior calls, if that is known. */
    double (*oracle)(const case_question *asked, double *called);
    bool tasks;       /* -T are tasks, without which nothing is worth anything */
    bool perhaps;     /* the state that Q is of may not come about; else its largest is the gain */
    double error;     /* of the oracle, beside what the nearest double is off */
    const char *more; /* policies beside those that the family names, commas between; NULL: none */
    const char *beyond;   /* policies that may do what the optimum may not; NULL: none */
    const char *unplayed; /* part of names of policies that runs do not support; NULL: none */
    const char *fixed[CASE_FIXED]; /* words of problems that are asked before the random ones */
    const char *refused[4][2];     /* words of a problem, and what they are refused with */
} og_case;

extern const og_case *const og_cases[]; /* up to NULL */

/* In files of a few families each. */
extern const og_case og_case_independent, og_case_priced, og_case_delayed, og_case_batch,
    og_case_deadline, og_case_workers, og_case_features, og_case_ranking, og_case_sources,
    og_case_labelers, og_case_assignment;

/* One of the words. */
#define CASE_PICK(random_, words_)                                                                 \
    ((words_)[random_below(random_, (uint32_t)(sizeof(words_) / sizeof *(words_)))])

#endif
