#ifndef OG_BENCH_ESTIMATE_H
#define OG_BENCH_ESTIMATE_H

/*
 * A mean over the runs, and the interval that holds the truth with probability 95 %, by Student's
 * t: of a share Wilson's, for as many yes-or-no runs as have this variance, at least those there
 * are, so that it stays from 0 to 1 and has a width where all runs agree; of other means the usual
 * one. Plus what rounding may have done.
 */
typedef struct {
    double mean;
    double standard_error;
    double low;
    double high;
} og_estimate;

#endif
