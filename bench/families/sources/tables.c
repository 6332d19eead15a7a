/* Tables of sources, which are built when they are first needed. */
#include "bench/families/sources/problem.h"
#include "dp/base/parallel.h"

enum { ARMS_SHARE = 4 }; /* the part of the memory that arms may use is 1 / ARMS_SHARE */

static og_status make_arms(const sources *problem, const og_settings *settings, og_message *message)
{
    og_arms *arms;
    og_settings share = *settings;
    share.memory_bytes /= ARMS_SHARE;
    OG_TRY(og_arms_new_sources_of(&problem->instances, &problem->options->given.sources, 1, NULL,
                                  &share, &arms, message));
    og_status status = og_sources_problem_init(arms, &problem->made->problem);
    return OG_MADE(status, arms, og_arms_free, &problem->made->arms);
}

static og_status make_coupled(const sources *problem, og_message *message)
{
    struct made *made = problem->made;
    og_status status = og_crowd_problem_init(&problem->instances, &problem->options->given,
                                             &made->unknown, message);
    made->coupled = status == OG_OK;
    return status;
}

og_status sources_need(const sources *problem, const og_settings *settings, og_message *message)
{
    const struct made *made = problem->made;
    og_lock_take(problem->lock);
    og_status status = made->coupled || made->arms != NULL ? OG_OK
                       : problem->unknown                  ? make_coupled(problem, message)
                                                           : make_arms(problem, settings, message);
    og_lock_release(problem->lock);
    return status;
}
