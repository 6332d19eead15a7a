#ifndef OG_HEURISTICS_FAMILIES_WORKERS_PLAY_H
#define OG_HEURISTICS_FAMILIES_WORKERS_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "heuristics/families/workers_moments.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for workers of unknown reliability in runs of any size, one label at a time.
 *
 *   uniform, kg, ...   the rules of one label, as in heuristics/families/workers_policy.h
 *   kos[:N]   [Karger, Oh and Shah 2014], heuristics/families/kos.h: it does not choose one label
 *             after another; N rounds of messages, by default OG_KOS_ROUNDS
 *
 * The index of a pair depends only on its two Betas. So a label changes the indices of one instance
 * and of one worker: at most instances + workers indices, one for each different Beta among them.
 */
typedef struct {
    int32_t instances, workers;
    const double *instance;     /* [2 * instances] priors a, b; borrowed, like the rest */
    const double *worker;       /* [width * workers] c, d; or in other forms, */
    int32_t width;              /* with these (heuristics/families/workers_moments.h): */
    const og_worker_form *form; /* [workers]; NULL: all have one coin, and width is ignored */
    const uint64_t *shut;       /* bit i * workers + j: the pair cannot be asked; NULL: all can */
    bool once;                  /* each pair is asked at most once */
} og_workers_setting;

/* The doubles of a belief about a worker. */
static inline int32_t og_workers_setting_width(const og_workers_setting *setting)
{
    return setting->form != NULL ? setting->width : 2;
}

enum { OG_KOS_ROUNDS = 10, OG_WORKERS_CELLS_MAX = 1 << 26 };

typedef struct {
    og_rule_use rule;
    int32_t rounds; /* of kos; 0: another policy */
    char name[OG_POLICY_NAME_BYTES];
} og_workers_played;

/* The policy with this name as a strategy that only runs support: its `choose` fails with a
 * message. OG_BAD_INPUT with a message: not supported; OG_NO_MEMORY. */
og_status og_workers_played_new(const og_policy_name *name, struct og_strategy *out,
                                og_message *message);
const og_workers_played *og_workers_played_of(const struct og_strategy *by);

/*
 * The state of a run; it belongs to one thread and can be used for many runs. It takes 8 bytes and
 * one or two bits a pair. Copies nothing of the setting. OG_NO_MEMORY.
 */
typedef struct og_workers_play og_workers_play;
og_status og_workers_play_new(const og_workers_setting *setting, og_workers_play **out);
void og_workers_play_free(og_workers_play *play); /* NULL is fine */

/* Starts a run of a policy that is not kos. */
void og_workers_play_begin(og_workers_play *play, const og_rule_use *rule);

/* A choice: a pair, its index, and the number of pairs that tie with it. */
typedef struct {
    int32_t instance, worker;
    double index;
    int64_t tied;
} og_workers_choice;

/* The next pair: one of those within OG_WORKERS_TIE of the largest index, drawn with `bits`, or
 * with OG_TIES_FIRST the first of them, by instance and then by worker. False if no pair is left.
 */
bool og_workers_play_next(og_workers_play *play, og_ties ties, uint64_t bits,
                          og_workers_choice *out);

/* A label of this pair. Returns true if the pair has been asked before. */
bool og_workers_play_tell(og_workers_play *play, int32_t instance, int32_t worker, bool positive);

/* The pair cannot be asked any more. */
void og_workers_play_shut(og_workers_play *play, int32_t instance, int32_t worker);

/* a, b of each instance, and the belief about each worker; valid until the play changes. */
const double *og_workers_play_instances(const og_workers_play *play);
const double *og_workers_play_workers(const og_workers_play *play);

#endif
