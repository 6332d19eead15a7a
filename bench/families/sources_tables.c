/* Tables of sources, which are built when they are first needed. */
#include "bench/families/sources_problem.h"
#include "dp/base/parallel.h"

enum { ARMS_SHARE = 4 }; /* the part of the memory that arms may use is 1 / ARMS_SHARE */

static og_status make_arms(const sources *of, const og_settings *settings, og_message *message)
{
    og_arms *arms;
    og_settings share = *settings;
    share.memory_bytes /= ARMS_SHARE;
    OG_TRY(og_arms_new_sources_of(&of->instances, &of->options->given.sources, 1, NULL, &share,
                                  &arms, message));
    og_status status = og_sources_problem_init(arms, &of->made->problem);
    return OG_MADE(status, arms, og_arms_free, &of->made->arms);
}

static og_status make_coupled(const sources *of, og_message *message)
{
    struct made *made = of->made;
    og_status status =
        og_crowd_problem_init(&of->instances, &of->options->given, &made->unknown, message);
    made->coupled = status == OG_OK;
    return status;
}

og_status sources_need(const sources *of, const og_settings *settings, og_message *message)
{
    const struct made *made = of->made;
    og_lock_take(of->lock);
    og_status status = made->coupled || made->arms != NULL ? OG_OK
                       : of->unknown                       ? make_coupled(of, message)
                                                           : make_arms(of, settings, message);
    og_lock_release(of->lock);
    return status;
}
