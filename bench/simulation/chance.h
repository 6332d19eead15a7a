#ifndef OG_BENCH_SIMULATION_CHANCE_H
#define OG_BENCH_SIMULATION_CHANCE_H

#include "bench/truth.h"
#include "dp/arm/arm.h"

/*
 * Policies that neither an index nor the state describes (private to bench/simulation/): they draw
 * at random, or depend on the history of an instance. Their value can only be simulated.
 *
 *   thompson     draw t for every instance from its posterior, and label the largest
 *                t R1 + (1 - t) R2. R1 and R2 are the gains of the call from a positive and a
 *                negative label.
 *   ucb1-tuned   label the largest mean + sqrt(ln(n)/n_i min(1/4, var + sqrt(2 ln(n)/n_i))), with
 *                the mean and variance of the gains of the instance's n_i labels, and n labels in
 *                all. Instances without labels come first [after Auer, Cesa-Bianchi and Fischer,
 *                Machine Learning 47 (2002), 235-256]. If labels take time, n and n_i include those
 *                under way; the mean and the variance are of the labels that came, 0 without any.
 *
 * Hu and Frazier cite both without a definition for labels; these are our interpretation. Numbers
 * tie if they are equal to the last bit, as for mirror images with mirrored labels. Symmetric
 * instances have R1 = R2, so equal ones tie whatever t is drawn.
 */

/* More numbers than GSL uses for one Beta variate; T times as many have addresses. */
enum { OG_CHANCE_NUMBERS = 4096 };

/* The index of an instance in this node after so many labels, with the arm's gains (og_arm_gains);
 * the arm has a Beta prior. */
double og_chance_thompson(const og_arm *arm, const double *gain, uint32_t node, int32_t labels,
                          const og_draw_place *place);

/* The gains of an instance's labels that came. */
typedef struct {
    double labels, sum, squares;
} og_chance_gains;

static inline void og_chance_gained(og_chance_gains *gains, double gain)
{
    gains->labels++;
    gains->sum += gain;
    gains->squares += gain * gain;
}

/* own: n_i; all: n. */
double og_chance_ucb(const og_chance_gains *gains, double own, double all);

#endif
