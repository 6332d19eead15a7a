#ifndef OG_BENCH_RECORDED_CALIBRATION_H
#define OG_BENCH_RECORDED_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Compares the probabilities that calls are right with gold, and corrects them. With one factor s
 * a corrected probability q has
 *
 *   ln(q / (1 - q)) = s ln(p / (1 - p)),
 *
 * where s >= 0 maximises the likelihood of the calls with gold, with the targets (R + 1) / (R + 2)
 * for the R right calls and 1 / (W + 2) for the W wrong ones in place of 1 and 0; calls of
 * probability 1/2, which are coins, are not counted. Source: Platt,
 * "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers (1999),
 * here without the constant, so that a call that is a coin stays one.
 */
enum { OG_RELIABILITY_BINS = 8, OG_CALIBRATION_MOST = 50 };

/* Calls with low <= p < high; the last bin contains its upper end. */
typedef struct {
    double low, high;
    int64_t calls, right;
    double expected;   /* sum of p */
    double calibrated; /* sum of q */
} og_reliability_bin;

typedef struct {
    og_reliability_bin bin[OG_RELIABILITY_BINS];
    int64_t calls, right; /* with gold */
    double expected;
    double factor; /* s, 0 .. OG_CALIBRATION_MOST */
} og_reliability;

/* probability[count] of calls that are right or not. Without calls that count the factor is 1. */
og_reliability og_reliability_of(const double *probability, const bool *right, int64_t count);

/* The corrected probability. */
double og_calibrated(double probability, double factor);

#endif
