#ifndef OG_BENCH_ESTIMATE_H
#define OG_BENCH_ESTIMATE_H

/*
 * A mean over the runs and its interval of confidence 95 %, plus an error bound for rounding. For a
 * share the interval is Wilson's, for as many yes-or-no runs as have this variance, but at least
 * the number of runs. So it stays within 0 .. 1 and has positive width even if all runs agree. Of
 * other means it is the usual one, by Student's t.
 */
typedef struct {
    double mean;
    double standard_error;
    double low;
    double high;
} og_estimate;

#endif
