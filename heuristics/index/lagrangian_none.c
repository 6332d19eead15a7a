/* Refuses the policy `lagrangian` in a build without GLPK, which would find its prices. */
#include "heuristics/index/index.h"

og_status og_score_lagrangian(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)out;
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%s' needs GLPK, which this build was made without",
                          job->policy->name);
}
