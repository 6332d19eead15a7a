#ifndef OG_DP_BASE_CLOCK_H
#define OG_DP_BASE_CLOCK_H

/* A clock that only moves forward, in seconds. */
double og_seconds(void);

/* The same, up to some milliseconds late, at a fifth of the cost. */
double og_seconds_coarse(void);

/* Processor time of the calling thread, and of all threads of the process. */
double og_seconds_of_thread(void);
double og_seconds_of_process(void);

#endif
