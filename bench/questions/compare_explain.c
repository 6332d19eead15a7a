/* Explains the losses of a comparison's rows: the last step, with the optimum state by state. */
#include <stdio.h>

#include "bench/questions/compare_job.h"

/* Solve the optimum state by state, once for all rows, in half of the memory. If the family cannot
 * lend values, solve it again for the instances in order. */
static og_status prepare_steps(const og_compare_job *work, og_ties ties, const og_settings *half,
                               og_message *message)
{
    bool ordered = ties == OG_TIES_FIRST;
    bool both = false;
    og_steps_use use = {.settings = *half, .ordered = ordered};
    for (int32_t i = 0; i < work->asked->request.ties_count; i++) {
        both = both || (work->asked->request.ties[i] == OG_TIES_FIRST) != ordered;
    }
    use.settings.states_max = 0;
    use.settings.memory_bytes /= both ? 2 : 1;
    use.like = work->steps[!ordered].self != NULL ? &work->steps[!ordered] : NULL;
    return work->steps[ordered].self != NULL
               ? OG_OK
               : og_family_steps(work->family, work->problem, &use, &work->steps[ordered], message);
}

static og_status carry_belief(const og_compare_job *work, const og_strategy *by, og_ties ties,
                              const og_settings *half, og_steps *out, og_message *message)
{
    og_steps_use use = {.settings = *half, .ordered = ties == OG_TIES_FIRST, .along = by};
    use.settings.states_max = 0;
    return og_family_steps(work->family, work->problem, &use, out, message);
}

static og_status explain(const og_compare_job *work, og_compare_row *row,
                         const og_settings *settings, og_message *message)
{
    og_settings half = *settings;
    half.memory_bytes /= 2;
    half.checkpoint = NULL;
    const og_strategy *by = &work->strategy[row->policy];
    og_steps apart = {.self = NULL}; /* whose states have the policy's belief */
    og_status status = by->belief_bytes > 0
                           ? carry_belief(work, by, row->ties, &half, &apart, message)
                           : prepare_steps(work, row->ties, &half, message);
    const og_explained_policy policy = {
        .family = work->family,
        .problem = work->problem,
        .by = by,
        .ties = row->ties,
        .optimum = by->belief_bytes > 0 ? &apart : &work->steps[row->ties == OG_TIES_FIRST],
        .settings = half};
    OG_THEN(status, og_explain(&policy, &row->explanation, message));
    og_steps_free(&apart);
    return status;
}

static og_status explain_row(const og_compare_job *work, int32_t index, const og_settings *settings,
                             og_message *message)
{
    og_compare_row *row = &work->out->rows[index];
    char stage[OG_POLICY_NAME_BYTES + 64];
    snprintf(stage, sizeof stage, "why: %s, ties %s", work->asked->policies[row->policy].name,
             og_ties_name(row->ties));
    const char *refusal = og_explain_refusal(work->family, &work->strategy[row->policy]);
    if (refusal != NULL) {
        return og_message_set(&row->explain_message, OG_OK, "%s", refusal);
    }
    og_stop_tell(work->stop, stage, 0);
    og_status status =
        og_compare_is_over(work) ? OG_STOPPED : explain(work, row, settings, &row->explain_message);
    row->explained = status == OG_OK;
    row->explain_limit = row->explained ? OG_LIMIT_NONE : og_stop_limit(work->stop);
    if (status == OG_OK) {
        return og_comparison_check_explanation(row, message);
    }
    og_message_complete(&row->explain_message, status);
    if (!og_compare_limit_reached(status) && status != OG_BAD_INPUT) { /* gives the reason */
        *message = row->explain_message;
        return status;
    }
    return OG_OK;
}

og_status og_compare_explain(const og_compare_job *work, og_message *message)
{
    const og_comparison *out = work->out;
    og_settings settings = og_stop_settings(&work->asked->request.settings, work->stop);
    settings.states_max = work->out->policy_states_max;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < out->row_count; i++) {
        bool can = og_family_is_followed(work->family) && out->optimal_status == OG_OK &&
                   out->rows[i].status == OG_OK && !out->rows[i].simulated;
        status = can ? explain_row(work, i, &settings, message) : OG_OK;
    }
    return status;
}
