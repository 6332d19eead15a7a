#ifndef OG_TESTS_ORACLE_DELAYED_H
#define OG_TESTS_ORACLE_DELAYED_H

#include <gmp.h>

#include "dp/base/ties.h"
#include "dp/prior/problem.h"

/*
 * Labels that take time as Hu and Frazier define them: ordered instances, values and not gains,
 * rationals, every event. Shares no code with dp/families/delayed.c. For the smallest problems
 * only. As exact as tests/oracle.h; misuse and a failed allocation abort.
 */
enum { ORACLE_DELAYED_INSTANCES = 8, ORACLE_DELAYED_WORKERS = 16 };

typedef struct oracle_delayed oracle_delayed;

/* U is the problem's budget; arrival and service are the rates. */
oracle_delayed *oracle_delayed_new(const og_groups *problem, const mpq_t arrival,
                                   const mpq_t service);
void oracle_delayed_free(oracle_delayed *oracle);

/* What a policy goes by: larger first; `left` workers to come, the one to place included. */
typedef void oracle_delayed_index(mpq_t out, int group, int s, int f, int at_work, int left,
                                  const void *data);

/* The value of the policy, at the first arrival; index NULL: the optimum. */
void oracle_delayed_value(oracle_delayed *oracle, oracle_delayed_index *index, const void *data,
                          og_ties ties, mpq_t out);

/* The gain still to come if the first worker is given to an instance of the group and play is
 * optimal after that. */
void oracle_delayed_q(oracle_delayed *oracle, int group, mpq_t out);

/* A single instance of the group, with price[l] for worker l + 1: its value net of payments, after
 * s, f labels, with at_work workers at work on it and `used` workers gone. */
void oracle_delayed_priced(const oracle_delayed *oracle, int group, mpq_t *price, int s, int f,
                           int at_work, int used, mpq_t out);

#endif
