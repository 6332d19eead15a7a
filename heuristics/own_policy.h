#ifndef OG_HEURISTICS_OWN_POLICY_H
#define OG_HEURISTICS_OWN_POLICY_H

#include "dp/base/parallel.h"
#include "dp/base/status.h"
#include "dp/engine/act.h"
#include "heuristics/policy.h"
#include "optgap.h"

/* A policy that is a function of the caller's, which is asked with the lock held: of one kind or of
 * the other. */
typedef struct og_own_policy {
    og_callback callback; /* for independent instances; choose NULL: none */
    og_decide *decide;    /* for families whose states are told as situations; NULL: none */
    void *user;           /* of decide */
    og_lock *lock;
} og_own_policy;

/*
 * How a family's problem is told in numbers (og_situation). Instances are numbered as they were
 * given, and so are workers, of whom there is one where nobody asks who labels.
 */
typedef struct {
    const void *self; /* borrowed */
    int32_t instances, workers;
    int32_t budget;          /* labels in all */
    int32_t left;            /* that can be given from the root on */
    const int32_t *positive; /* [instances] labels before the root; NULL: none. One worker only */
    const int32_t *negative;
    bool once;    /* each pair is labelled at most once */
    bool renames; /* the model takes instances or workers that are alike for each other, but for a
                     strategy with a belief that has no records of them */
    /* Add the labels that a state, as the model shows it, has had since the root. */
    void (*count)(const void *self, const void *state, int32_t *positive, int32_t *negative,
                  int32_t *left);
    og_label_choice (*choice)(const void *self, og_act act); /* copies is not filled in */
    og_act (*act)(const void *self, og_label_choice choice);
} og_situations;

/* The strategy that is this policy's function, which is borrowed; *of is copied. It leaves final
 * decisions to the exact posterior. OG_BAD_INPUT with a message if it is none for situations. */
struct og_strategy;
og_status og_own_strategy(const og_policy_name *policy, const og_situations *of,
                          struct og_strategy *out, og_message *message);

/* What a function of the caller's came to: `words` are its own, if it wrote any. */
og_status og_own_status(og_status status, og_message *words, og_message *message);

#endif
