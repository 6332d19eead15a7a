/*
 * The public session: an open problem, the labels so far, and a solver. For independent instances
 * the solver uses the posteriors; the solution of a coupled family receives the labels.
 */
#include <math.h>

#include "bench/public/question.h"
#include "bench/simulation/person_play.h"

struct og_session {
    og_arena arena; /* of the arrays; first, for og_arena_new */
    const og_family *family;
    og_stop stop; /* of the call at work */
    void *problem;
    og_person_play episode; /* if its arms are NULL, the rest is used */
    og_solution solution;   /* kept from state to state */
    og_situations told;
    int32_t left;
    int32_t pairs;     /* instances * workers */
    int32_t *given[2]; /* [pairs] labels since the root: positive, negative */
    int32_t *positive; /* [pairs] the same plus those before the root */
    int32_t *negative;
    og_label_choice *choice; /* [pairs] the open choices */
    og_act_open *open;       /* [pairs] the same; scratch, like the next two */
    double *q, *error;       /* [pairs] */
};

static og_status reserve(og_session *session)
{
    og_arena *arena = &session->arena;
    size_t pairs = (size_t)session->told.instances * (size_t)session->told.workers;
    session->pairs = (int32_t)pairs;
    session->given[0] = og_arena_array(arena, pairs, sizeof *session->given[0]);
    session->given[1] = og_arena_array(arena, pairs, sizeof *session->given[1]);
    session->positive = og_arena_array(arena, pairs, sizeof *session->positive);
    session->negative = og_arena_array(arena, pairs, sizeof *session->negative);
    session->choice = og_arena_array(arena, pairs, sizeof *session->choice);
    session->open = og_arena_array(arena, pairs, sizeof *session->open);
    session->q = og_arena_array(arena, pairs, sizeof *session->q);
    session->error = og_arena_array(arena, pairs, sizeof *session->error);
    return og_arena_status(arena);
}

static og_status begin_coupled(og_session *session, const og_settings *settings,
                               og_message *message)
{
    const og_value_asked question = {.reductions = settings->reductions};
    if (session->family->model.situations == NULL) {
        return og_family_lacks(session->family, "a session", message);
    }
    session->family->model.situations(session->problem, &session->told);
    OG_TRY(og_family_solve(session->family, session->problem, &question, settings,
                           &session->solution, message));
    return session->solution.q_at != NULL ? OG_OK
                                          : og_family_lacks(session->family, "a session", message);
}

static og_status begin_independent(og_session *session, const og_settings *settings,
                                   og_message *message)
{
    OG_TRY(og_person_play_init(&session->episode, og_family_arms(session->family, session->problem),
                               settings, message));
    og_problem_size sizes;
    session->family->model.sizes(session->problem, &sizes);
    session->told = (og_situations){.instances = session->episode.count,
                                    .workers = 1,
                                    .budget = sizes.budget,
                                    .left = sizes.left};
    return OG_OK;
}

static og_status open_session(og_session *session, og_problem *problem, const og_question *question,
                              og_message *message)
{
    og_settings settings = og_question_settings(question);
    settings.checkpoint = settings.scratch = NULL; /* texts of the question, which may go */
    settings.tables = NULL;
    og_stop_take(&session->stop, &settings);
    OG_TRY(og_problem_open(problem, &settings, &session->problem, message));
    OG_TRY(session->family->model.arms != NULL ? begin_independent(session, &settings, message)
                                               : begin_coupled(session, &settings, message));
    session->left = session->told.left;
    return reserve(session);
}

og_status og_session_new(og_problem *problem, const og_question *question, og_session **out,
                         og_message *message)
{
    og_message words = {""};
    og_session *made = og_arena_new(sizeof *made);
    og_status status = OG_NO_MEMORY;
    if (made != NULL) {
        made->family = problem->family;
        status = open_session(made, problem, question, &words);
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
        og_person_play_clear(&session->episode);
        og_solution_free(&session->solution);
        if (session->problem != NULL) {
            og_family_close(session->family, session->problem);
        }
        og_arena_free(session);
    }
}

int32_t og_session_size(const og_session *session)
{
    return session->pairs;
}

int32_t og_session_left(const og_session *session)
{
    return session->left;
}

/* ---- the current state ---- */

static bool is_open(const og_session *session, int32_t pair)
{
    return session->left > 0 &&
           !(session->told.once && session->given[0][pair] + session->given[1][pair] > 0);
}

void og_session_situation(og_session *session, og_situation *out)
{
    const og_situations *told = &session->told;
    int32_t count = 0;
    for (int32_t k = 0; k < session->pairs; k++) {
        session->positive[k] =
            session->given[0][k] + (told->positive != NULL ? told->positive[k] : 0);
        session->negative[k] =
            session->given[1][k] + (told->negative != NULL ? told->negative[k] : 0);
        if (is_open(session, k)) {
            session->choice[count++] = (og_label_choice){k / told->workers, k % told->workers, 1};
        }
    }
    *out = (og_situation){.left = session->left,
                          .budget = told->budget,
                          .instance_count = told->instances,
                          .worker_count = told->workers,
                          .positive = session->positive,
                          .negative = session->negative,
                          .choice_count = count,
                          .choice = session->choice};
}

static og_status ask_coupled(og_session *session, og_message *message)
{
    const og_counts at = {session->left, session->given[0], session->given[1]};
    int32_t count = 0;
    for (int32_t k = 0; k < session->pairs; k++) {
        const og_label_choice choice = {k / session->told.workers, k % session->told.workers, 1};
        if (is_open(session, k)) {
            session->open[count++] =
                (og_act_open){session->told.act(session->told.self, choice), 1};
        }
    }
    OG_TRY(session->solution.q_at(
        session->solution.self, &at,
        &(og_act_values){session->open, count, session->q, session->error}, message));
    for (int32_t k = session->pairs - 1; k >= 0; k--) {
        bool open = is_open(session, k);
        count -= open;
        session->q[k] = open ? session->q[count] : NAN;
        session->error[k] = open ? session->error[count] : INFINITY;
    }
    return OG_OK;
}

og_status og_session_q(og_session *session, double *q, double *q_error, bool *optimal,
                       og_message *message)
{
    og_message words = {""};
    double proved = 0;
    if (session->left == 0) {
        return og_message_set(message, OG_BAD_INPUT, "no label is left");
    }
    og_stop_extend(&session->stop, INFINITY);
    og_status status =
        session->episode.arms != NULL
            ? og_person_play_ask(&session->episode, session->q, session->error, &words)
            : ask_coupled(session, &words);
    if (status != OG_OK) {
        return og_message_pass(message, status, &words);
    }
    for (int32_t k = 0; k < session->pairs; k++) {
        proved = fmax(proved, session->q[k] - session->error[k]);
    }
    for (int32_t k = 0; k < session->pairs; k++) {
        if (q != NULL) {
            q[k] = session->q[k];
        }
        if (q_error != NULL) {
            q_error[k] = session->error[k];
        }
        if (optimal != NULL) {
            optimal[k] = session->q[k] + session->error[k] >= proved;
        }
    }
    return OG_OK;
}

/* ---- a label ---- */

static og_status check_label(const og_session *session, int32_t choice, int32_t outcome,
                             og_message *message)
{
    const og_person_play *episode = &session->episode;
    if (session->left == 0) {
        return og_message_set(message, OG_BAD_INPUT, "no label is left");
    }
    if (choice < 0 || choice >= session->pairs) {
        return og_message_set(message, OG_BAD_INPUT, "there is no choice %d among %d", (int)choice,
                              (int)session->pairs);
    }
    if (!is_open(session, choice)) {
        return og_message_set(message, OG_BAD_INPUT, "choice %d was labelled already", (int)choice);
    }
    int32_t outcomes =
        episode->arms != NULL ? episode->arms->arm[episode->arm[choice]]->outcome_count : 2;
    return outcome >= 0 && outcome < outcomes
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "the label must be 0 to %d, not %d",
                                (int)outcomes - 1, (int)outcome);
}

og_status og_session_label(og_session *session, int32_t choice, int32_t outcome,
                           og_message *message)
{
    OG_TRY(check_label(session, choice, outcome, message));
    if (session->episode.arms != NULL) {
        og_person_play_hear(&session->episode, choice, outcome);
    }
    session->given[outcome > 0][choice]++;
    session->left--;
    return OG_OK;
}
