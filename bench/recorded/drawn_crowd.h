#ifndef OG_BENCH_RECORDED_DRAWN_CROWD_H
#define OG_BENCH_RECORDED_DRAWN_CROWD_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Crowds as drawn in [Zhang, Ma and Sugiyama 2015, section 5.1]. Each worker has one good context,
 * uniformly at random. The accuracy there and elsewhere is:
 *
 *   spammer-hammer  1, 1/2
 *   one-coin        0.9, 0.6
 *   malicious       0.9, 0.6; in one other random context 0.3
 */
typedef enum {
    OG_CROWD_NONE,
    OG_CROWD_SPAMMER,
    OG_CROWD_ONE_COIN,
    OG_CROWD_MALICIOUS
} og_drawn_crowd_kind;

typedef struct {
    og_drawn_crowd_kind kind;
    int32_t workers;
} og_drawn_crowd;

enum { OG_CROWD_WORKERS_MAX = 10000 };

/* "MODEL:K", K workers. OG_BAD_INPUT with a message. */
og_status og_drawn_crowd_parse(const char *text, og_drawn_crowd *out, og_message *message);

/* Draw accuracy[contexts * workers] of a run. */
void og_drawn_crowd_draw(const og_drawn_crowd *crowd, int32_t contexts, uint64_t seed, uint64_t run,
                         double *accuracy);

#endif
