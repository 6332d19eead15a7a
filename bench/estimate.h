#ifndef OG_BENCH_ESTIMATE_H
#define OG_BENCH_ESTIMATE_H

/* A mean over the runs, and the interval that holds the truth with probability 95 %: Student's t,
 * plus what rounding may have done. */
typedef struct {
    double mean;
    double standard_error;
    double low;
    double high;
} og_estimate;

#endif
