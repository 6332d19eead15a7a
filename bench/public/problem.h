#ifndef OG_BENCH_PUBLIC_PROBLEM_H
#define OG_BENCH_PUBLIC_PROBLEM_H

#include "bench/asked.h"
#include "bench/public/named.h"
#include "bench/questions/bounds.h"
#include "dp/base/arena.h"
#include "heuristics/user_policy.h"
#include "optgap.h"

/* The contents of the handles of optgap.h, and functions shared by its implementation (private to
 * bench/public/). */

enum { OG_PROBLEM_OPTIONS = 24 }; /* most rows of a family's options */

struct og_problem {
    og_arena arena; /* copies of texts; first, for og_arena_new */
    const og_family *family;
    void *options;                                /* the family's own struct; NULL: no options */
    const og_option_row *row[OG_PROBLEM_OPTIONS]; /* [row_count] the family's */
    bool seen[OG_PROBLEM_OPTIONS];
    int32_t row_count;
    bool complete;  /* the family's options include the defaults */
    int32_t budget; /* -1: not given */
    bool each;      /* it is for each instance */
    int32_t left;   /* -1: all */
    const char *objective;
    og_reward_function reward; /* its name NULL: none */
    og_groups instances;       /* its budget is ignored; families with their own words use: */
    const char **word;         /* [word_count] */
    int32_t word_count;
    size_t word_room;
};

struct og_policy {
    og_policy_name name;     /* its function is set by a question */
    og_user_policy function; /* without a lock */
    double *index;           /* of a table; passed to the callback as `user`; owned */
    int32_t labels_max;
};

/* The input that describes the problem, for og_family_open; borrows it. OG_BAD_INPUT with a message
 * if something is missing. */
og_status og_problem_texts(og_problem *problem, og_problem_text *out, og_message *message);

/* Open the problem with complete settings, without its warning. */
og_status og_problem_open(og_problem *problem, const og_settings *settings, void **out,
                          og_message *message);

/* The shortest decimal that reads back as the number, which must be positive. OG_BAD_INPUT. */
og_status og_read_number(double number, const char *what, og_fraction *out, og_message *message);

/* Read the price, 0 if labels are free. OG_BAD_INPUT with a message. */
og_status og_stakes_price(const og_stakes *stakes, og_fraction *price, og_message *message);

/* Give the prior of every task the payoff, if there is one, and *values, which a table's payoff
 * borrows and the caller releases; else NULL. OG_BAD_INPUT with a message if the prior has its own
 * payoff; failures of og_worth_values_read. */
og_status og_stakes_apply(const og_stakes *stakes, og_group *prior, og_worth_values **values,
                          og_message *message);

#endif
