/* Reliability of probabilities, and Platt scaling with one factor, found by bisection. */
#include "bench/recorded/calibration.h"

#include <math.h>

static const double limits[OG_RELIABILITY_BINS + 1] = {0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};

/* ln(p / (1 - p)), with p at least 1e-12 from 0 and 1. */
static double log_odds(double p)
{
    p = fmin(fmax(p, 1e-12), 1 - 1e-12);
    return log(p) - log1p(-p);
}

double og_calibrated(double probability, double factor)
{
    return 1 / (1 + exp(-factor * log_odds(probability)));
}

/* The derivative of the log likelihood in s, which falls with s. */
static double slope(const double *probability, const bool *right, int64_t count,
                    const double target[2], double factor)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum +=
            (target[right[i]] - og_calibrated(probability[i], factor)) * log_odds(probability[i]);
    }
    return sum;
}

/* Calls that are coins tell nothing. */
static double find_factor(const double *probability, const bool *right, int64_t count)
{
    int64_t found[2] = {0}; /* wrong, right */
    double low = 0, high = OG_CALIBRATION_MOST;
    for (int64_t i = 0; i < count; i++) {
        found[right[i]] += probability[i] != 0.5;
    }
    const double target[2] = {1 / (double)(found[0] + 2),
                              (double)(found[1] + 1) / (double)(found[1] + 2)};
    if (found[0] + found[1] == 0) {
        return 1;
    }
    for (int32_t round = 0; round < 100 && low < high; round++) {
        double middle = low + (high - low) / 2;
        bool rises = slope(probability, right, count, target, middle) > 0;
        low = rises ? middle : low;
        high = rises ? high : middle;
    }
    return low;
}

og_reliability og_reliability_of(const double *probability, const bool *right, int64_t count)
{
    og_reliability made = {.calls = count};
    for (int32_t k = 0; k < OG_RELIABILITY_BINS; k++) {
        made.bin[k].low = limits[k];
        made.bin[k].high = limits[k + 1];
    }
    for (int64_t i = 0; i < count; i++) {
        made.right += right[i];
    }
    made.factor = find_factor(probability, right, count);
    for (int64_t i = 0; i < count; i++) {
        int32_t k = 0;
        while (k + 1 < OG_RELIABILITY_BINS && probability[i] >= limits[k + 1]) {
            k++;
        }
        double calibrated = og_calibrated(probability[i], made.factor);
        made.bin[k].calls++;
        made.bin[k].right += right[i];
        made.bin[k].expected += probability[i];
        made.bin[k].calibrated += calibrated;
        made.expected += probability[i];
    }
    return made;
}
