/* Sources of unknown accuracy: policies, and values by the engine on their model. */
#include <stdlib.h>

#include "bench/families/sources_problem.h"
#include "heuristics/families/sources_unknown_policy.h"

og_status sources_need_unknown(const sources *of, og_message *message)
{
    struct made *made = of->made;
    og_lock_take(of->lock);
    og_status status = made->coupled ? OG_OK
                                     : og_unknown_problem_init(&of->instances, &of->options->given,
                                                               &made->unknown, message);
    made->coupled = status == OG_OK;
    og_lock_release(of->lock);
    return status;
}

og_status sources_unknown_strategy(const sources *of, const og_policy_name *name, og_strategy *out,
                                   og_message *message)
{
    OG_TRY(sources_need_unknown(of, message));
    return og_unknown_strategy(name, &of->made->unknown, out, message);
}

typedef struct {
    const og_unknown_problem *problem;
    og_question question;
    og_settings settings;
    og_solution engine; /* owned */
} valued;

static og_status value(void *self, og_found *out, og_message *message)
{
    const valued *v = self;
    return v->question.fractions
               ? og_unknown_value_exact(v->problem, &v->question, &v->settings, out, message)
               : v->engine.value(v->engine.self, out, message);
}

static og_status q(void *self, const og_open *open, int32_t count, double *found, double *error,
                   og_message *message)
{
    const valued *v = self;
    return v->engine.q(v->engine.self, open, count, found, error, message);
}

static og_status q_exact(void *self, const og_open *open, int32_t count, mpq_t *found,
                         og_message *message)
{
    const valued *v = self;
    return og_unknown_q_exact(v->problem, &v->settings, open, count, found, message);
}

static og_status picks(void *self, const og_open *open, int32_t count, bool *pick,
                       og_message *message)
{
    const valued *v = self;
    return v->engine.picks(v->engine.self, open, count, pick, message);
}

static void valued_free(void *self)
{
    valued *v = self;
    og_solution_free(&v->engine);
    free(v);
}

og_status sources_unknown_solve(const sources *of, const og_question *question,
                                const og_settings *settings, og_solution *out, og_message *message)
{
    og_model model;
    og_solution engine;
    OG_TRY(sources_need_unknown(of, message));
    OG_TRY(og_unknown_model(&of->made->unknown, question, &model, message));
    OG_TRY(og_solution_by_engine(&model, question, settings, &engine, message));
    valued *v = calloc(1, sizeof *v);
    if (v == NULL) {
        og_solution_free(&engine);
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    *v = (valued){&of->made->unknown, *question, *settings, engine};
    *out = (og_solution){
        .self = v, .value = value, .q = q, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}
