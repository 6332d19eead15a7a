#ifndef OG_BENCH_RECORDED_CROWD_COIN_H
#define OG_BENCH_RECORDED_CROWD_COIN_H

#include "bench/recorded/crowd_lines.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * The density of a variable between 0 and 1, at the points of its prior: exp(weight) times one line
 * for each label. Lines of the second kind have x and 1 - x exchanged.
 *
 * The logarithm of a product of lines is concave in x. So two points that are computed bound it
 * beyond them, and of a density with many lines only the points that are not negligible are
 * computed, from those of the pass before on.
 *
 * The mean of x without a line, at x + rest (1 - x) = c + s u with u = x - mean, is
 *
 *   mean - s b_1 / (c + s a_1 - s^2 b_2 / (c + s a_2 - ...)),
 *
 * the continued fraction of the density's orthogonal polynomials (a, b: their recurrence). Its
 * error after m terms is that of Gauss's rule of m points for 1 / (c + s u): it is largest at a
 * line whose zero is nearest to the points. m is so large that it is small there.
 */
enum { OG_COIN_LANES = 16, OG_COIN_TERMS = 32 };

/* Points of a prior: x, 1 - x, and the logarithm of the weight. */
typedef struct {
    int32_t count;              /* 0: not made yet, perhaps with room */
    bool ordered;               /* x ascends */
    double *at, *rest, *weight; /* [count] and room for OG_COIN_LANES more */
} og_coin_rule;

/* Points whose density is not negligible. */
typedef struct {
    int32_t first, end; /* both 0: all */
} og_coin_window;

typedef struct {
    const og_coin_rule *rule;
    og_coin_window window;
    double *log;      /* [points + OG_COIN_LANES] of the product of all lines */
    double *density;  /* [points + OG_COIN_LANES] in the window, relative to the largest */
    double *room[3];  /* the same size */
    int32_t terms;    /* of the fraction; 0: none */
    double mean, off; /* of x and 1 - x */
    double shift[OG_COIN_TERMS], square[OG_COIN_TERMS];
} og_coin;

/* Makes room for that many points, and zeros behind them. OG_NO_MEMORY. */
og_status og_coin_rule_new(og_arena *arena, int32_t points, og_coin_rule *out);

/* OG_NO_MEMORY. */
og_status og_coin_init(og_arena *arena, int32_t points, og_coin *out);

/* Finds the density, in a window that is first guessed. */
void og_coin_take(og_coin *coin, const og_coin_rule *rule, og_coin_window guess,
                  og_crowd_line *const line[2], const uint32_t count[2]);

/* Fills the mean of each line: of x and 1 - x without it, in the order of its kind. With
 * `mirrored`, exchanged kinds give the mirror images, bit by bit: slower if there are many. */
void og_coin_means(og_coin *coin, bool mirrored, og_crowd_line *const line[2],
                   const uint32_t count[2]);

/* c, d of the Beta with the mean and the variance of the density. */
void og_coin_beta(const og_coin *coin, double out[2]);

#endif
