#ifndef OG_HEURISTICS_USER_POLICY_H
#define OG_HEURISTICS_USER_POLICY_H

#include <string.h>

#include "dp/base/parallel.h"
#include "dp/base/status.h"
#include "dp/engine/act.h"
#include "heuristics/policy.h"
#include "optgap.h"

/* A policy defined by a caller's function, which is called with the lock held; rules without it, by
 * any number of threads. Exactly one of callback.choose, `decide`, `act` and `rule` is set. */
typedef struct og_user_policy {
    og_callback callback; /* for independent instances; choose NULL: none */
    og_decide *decide;    /* for families with states passed as og_situation; NULL: none */
    og_choose_act *act;   /* for processes; NULL: none */
    void *user;           /* argument of decide and act */
    const og_rule *rule;  /* for families with prospects; NULL: none */
    og_lock *lock;
} og_user_policy;

/* The posterior at a node as a caller's function receives it: parameter[OG_POSTERIOR_NUMBERS] and
 * labels[OG_CLASSES_MAX] keep its numbers; labels NULL: it does not look at them. */
enum { OG_POSTERIOR_NUMBERS = 3 * OG_PARTS_MAX };
og_plugin_group og_user_group(const og_arm *arm, uint32_t node, int64_t copies, double *parameter,
                              int32_t *labels);

/* True for command:CMD. */
static inline bool og_user_policy_asks(const og_policy_name *policy)
{
    return policy->function == NULL && strncmp(policy->name, "command:", 8) == 0;
}

/* True for a function of situations or of states and for a program, false for a rule and for other
 * names. */
static inline bool og_user_policy_decides(const og_policy_name *policy)
{
    return policy->function != NULL ? policy->function->rule == NULL : og_user_policy_asks(policy);
}

/*
 * How a family's states are translated to og_situation. Instances and workers are numbered in the
 * given order; families without workers have one worker.
 */
typedef struct {
    const void *self; /* borrowed */
    int32_t instances, workers;
    int32_t budget;          /* labels in all */
    int32_t left;            /* labels left at the root */
    const int32_t *positive; /* [instances] labels before the root; NULL: none. One worker only */
    const int32_t *negative;
    bool once;    /* each pair is labelled at most once */
    bool renames; /* the model may exchange interchangeable instances or workers, unless the
                     strategy has a belief without records of them */
    /* Adds the labels of a state, in the model's form, since the root. */
    void (*count)(const void *self, const void *state, int32_t *positive, int32_t *negative,
                  int32_t *left);
    og_label_choice (*choice)(const void *self, og_act act); /* copies is not filled in */
    og_act (*act)(const void *self, og_label_choice choice);
} og_situations;

/* The strategy that calls this policy's function, which is borrowed, or asks its program;
 * *situations is copied. The
 * exact posterior makes the final calls. A slow function ends with the stop (NULL: never), which is
 * looked at before each call. OG_BAD_INPUT with a message if the function does not take situations.
 */
struct og_strategy;
og_status og_own_strategy(const og_policy_name *policy, const og_situations *situations,
                          og_stop *stop, struct og_strategy *out, og_message *message);

/* OG_STOPPED with a message if the stop is over: before each call of a function. */
og_status og_own_stopped(og_stop *stop, og_message *message);

/* Converts the status of a caller's function to a status and message of the library; `words` is the
 * message that the function wrote, if any. */
og_status og_own_status(og_status status, og_message *words, og_message *message);

#endif
