#ifndef OG_TESTS_RANDOM_WORKERS_H
#define OG_TESTS_RANDOM_WORKERS_H

#include <gmp.h>

#include "dp/arm/arm.h"
#include "heuristics/index/draw.h"
#include "heuristics/index/lagrangian.h"
#include "tests/oracle.h"

/* The prices of the policy `lagrangian`, and the behaviour of one instance at these prices, from
 * the definition. */
typedef struct {
    int budget;
    mpq_t *price; /* [budget] */
    og_market found;
} random_market;

random_market market_of(const og_arms *arms, int threads);
void market_clear(random_market *market);

/* Advantages and prices that are no further from 0 are 0. */
double market_nil(const random_market *market);

/* The relaxed problem's solution at these prices, and its classes; the caller frees both. */
og_draw *market_draw(const random_market *market, const og_arms *arms, og_twins **twins);

/* The same; `first`: of the first label only. */
og_draw *market_draw_for(const random_market *market, const og_arms *arms, bool first,
                         og_twins **twins);

/* An oracle_index: the advantage of buying over waiting, in the form of values: h at the end minus
 * payments. `data` is the market. */
void market_advantage(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data);

#endif
