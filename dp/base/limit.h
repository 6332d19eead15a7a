#ifndef OG_DP_BASE_LIMIT_H
#define OG_DP_BASE_LIMIT_H

/* The limit that ended a computation early. */
typedef enum {
    OG_LIMIT_NONE,
    OG_LIMIT_MEMORY,
    OG_LIMIT_STATES, /* policy_states_max, optimum_states_max */
    OG_LIMIT_INDEX,  /* index_seconds_max, or solvers inside a policy were stopped */
    OG_LIMIT_NATURE, /* its value can only be simulated (og_policy_name_played) */
    OG_LIMIT_SIZE,   /* too large for any exact value, whatever memory there is (og_problem_size) */
    OG_LIMIT_TIME,   /* seconds_max */
    OG_LIMIT_INTERRUPT, /* settings.watch ended it */
} og_limit;

#endif
