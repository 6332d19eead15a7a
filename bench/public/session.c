/* The public session: an open problem, its solver, and where each instance stands. */
#include <stdlib.h>

#include "bench/public/handles.h"
#include "bench/simulation/practice.h"

struct og_session {
    const og_family *family;
    void *problem;
    og_practice episode;
};

static og_status begin(og_session *of, og_problem *problem, const og_settings *given,
                       og_message *message)
{
    og_settings settings;
    og_message warning = {""};
    og_settings_default(&settings);
    settings = og_settings_filled(given != NULL ? given : &settings);
    OG_TRY(og_problem_open(problem, &settings, 0, &of->problem, &warning, message));
    if (of->family->arms == NULL) {
        return og_family_lacks(of->family, "a session", message);
    }
    return og_practice_init(&of->episode, of->family->arms(of->problem), &settings, 0, message);
}

og_status og_session_new(og_problem *problem, const og_settings *settings, og_session **out,
                         og_message *message)
{
    og_message words = {""};
    og_session *made = calloc(1, sizeof *made);
    og_status status = OG_NO_MEMORY;
    if (made != NULL) {
        made->family = problem->family;
        status = begin(made, problem, settings, &words);
    }
    if (status != OG_OK) {
        og_session_free(made);
        return og_message_pass(message, status, &words);
    }
    *out = made;
    return OG_OK;
}

void og_session_free(og_session *session)
{
    if (session != NULL) {
        og_practice_clear(&session->episode);
        if (session->problem != NULL) {
            session->family->close(session->problem);
        }
    }
    free(session);
}

int32_t og_session_size(const og_session *session)
{
    return session->episode.count;
}

int32_t og_session_left(const og_session *session)
{
    return session->episode.left;
}

og_status og_session_q(og_session *session, double *q, double *q_error, bool *optimal,
                       og_message *message)
{
    og_practice *episode = &session->episode;
    og_message words = {""};
    if (episode->left == 0) {
        return og_message_set(message, OG_BAD_INPUT, "no label is left");
    }
    og_status status = og_practice_ask(episode, &words);
    if (status != OG_OK) {
        return og_message_pass(message, status, &words);
    }
    for (int32_t i = 0; i < episode->count; i++) {
        if (q != NULL) {
            q[i] = episode->q[i];
        }
        if (q_error != NULL) {
            q_error[i] = episode->group_error[episode->group_of[i]];
        }
        if (optimal != NULL) {
            optimal[i] = !og_practice_is_worse(episode, i);
        }
    }
    return OG_OK;
}

og_status og_session_label(og_session *session, int32_t instance, int32_t outcome,
                           og_message *message)
{
    og_practice *episode = &session->episode;
    if (episode->left == 0) {
        return og_message_set(message, OG_BAD_INPUT, "no label is left");
    }
    if (instance < 0 || instance >= episode->count) {
        return og_message_set(message, OG_BAD_INPUT, "there is no instance %d among %d",
                              (int)instance, (int)episode->count);
    }
    int32_t outcomes = episode->arms->arm[episode->arm[instance]]->outcome_count;
    if (outcome < 0 || outcome >= outcomes) {
        return og_message_set(message, OG_BAD_INPUT, "a label is 0 to %d, not %d",
                              (int)outcomes - 1, (int)outcome);
    }
    og_practice_hear(episode, instance, outcome);
    return OG_OK;
}
