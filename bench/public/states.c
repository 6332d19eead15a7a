/*
 * Q of many states of independent instances. States that take little once similar ones are known
 * are answered together (states_shared.c), the others opened and solved one by one, as a query
 * does it. No number depends on the threads.
 */
#include <flint/flint.h>
#include <math.h>
#include <stdlib.h>

#include "bench/families/independent/independent.h"
#include "bench/public/question.h"
#include "bench/public/states_shared.h"
#include "bench/questions/query.h"

enum { INSTANCES_MAX = 1000 };

typedef struct {
    const double *posterior; /* [count][instances][2] */
    const int32_t *left;     /* [count] */
    og_settings settings;    /* of one state */
    og_problem_text from;    /* the problem, whose instances are not used */
    og_group *instance;      /* [instances] its instances, one by one; owned */
    int32_t instances;
    double *q;
    bool *best;
    bool *done; /* [count] answered together */
    og_lock lock;
    int64_t failed; /* the first state that failed, -1: none; what it says: */
    og_message words;
} states_work;

static og_status read_posterior(const states_work *work, int64_t number, og_group *group,
                                og_message *message)
{
    for (int32_t i = 0; i < work->instances; i++) {
        const double *at = &work->posterior[2 * (number * work->instances + i)];
        group[i] = work->instance[i];
        OG_TRY(og_read_number(at[0], "a", &group[i].a, message));
        OG_TRY(og_read_number(at[1], "b", &group[i].b, message));
    }
    return OG_OK;
}

/* Without labels left there is no choice. */
static void write_answer(const states_work *work, int64_t number, const og_query_result *found)
{
    for (int32_t i = 0; i < work->instances; i++) {
        int64_t at = number * work->instances + i;
        work->q[at] = found->q != NULL ? found->q[i] : NAN;
        work->best[at] = found->q != NULL && found->optimal[i];
    }
}

static og_status solve_state(const states_work *work, int64_t number, og_group *group,
                             og_message *message)
{
    const og_family *family = &og_family_independent;
    const og_groups groups = og_groups_of(group, work->instances);
    og_problem_text from = work->from;
    og_query_result found = {.count = 0};
    void *problem = NULL;
    from.instances = &groups;
    from.budget = work->left[number];
    from.left = -1;
    OG_TRY(read_posterior(work, number, group, message));
    OG_TRY(og_family_open(family, &from, &work->settings, &problem, message));
    const og_asked asked = og_asked_about(family, problem, &work->settings);
    og_status status = og_query_run(&asked, &found, message);
    if (status == OG_OK) {
        write_answer(work, number, &found);
    }
    og_query_clear(&found);
    og_family_close(family, problem);
    return status;
}

static og_status answer_state(void *context, int thread, int64_t number)
{
    states_work *work = context;
    og_message words = {""};
    if (work->done[number]) {
        return OG_OK;
    }
    if (og_stop_asked(og_stop_of(&work->settings))) {
        return OG_STOPPED;
    }
    og_group *group = calloc((size_t)work->instances + 1, sizeof *group);
    og_status status = OG_ALLOCATED(group);
    OG_THEN(status, solve_state(work, number, group, &words));
    free(group);
    if (thread != 0) {
        flint_cleanup(); /* a worker thread may not run again */
    }
    if (status != OG_OK) {
        og_lock_take(&work->lock);
        if (work->failed < 0 || number < work->failed) {
            work->failed = number;
            work->words = words;
        }
        og_lock_release(&work->lock);
    }
    return status;
}

/* The instances of the problem one by one; only their posteriors differ from state to state. */
static og_status take_instances(states_work *work, const og_groups *given, og_message *message)
{
    int64_t count = og_groups_size(given);
    if (count > INSTANCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a list of states supports at most %d instances each, not %lld",
                              INSTANCES_MAX, (long long)count);
    }
    work->instance = calloc((size_t)count + 1, sizeof *work->instance);
    OG_TRY(OG_ALLOCATED(work->instance));
    for (int32_t g = 0; g < given->group_count; g++) {
        if (og_groups_at(given, g)->kind != OG_PRIOR_BETA) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "a list of states supports only instances with one Beta prior");
        }
        for (int64_t i = 0; i < og_groups_at(given, g)->count; i++) {
            work->instance[work->instances] = *og_groups_at(given, g);
            work->instance[work->instances++].count = 1;
        }
    }
    return OG_OK;
}

static og_status check_left(const og_problem *problem, int64_t count, const int32_t *left,
                            og_message *message)
{
    for (int64_t i = 0; i < count; i++) {
        if (left[i] < 0 || left[i] > problem->budget) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "state %lld has %ld labels left; must be from 0 to %ld",
                                  (long long)i, (long)left[i], (long)problem->budget);
        }
    }
    return OG_OK;
}

/* A caller's function may not be called for other posteriors than each state's. */
static og_status answer_together(states_work *work, int64_t count, int threads)
{
    const og_state_rows rows = {.posterior = work->posterior,
                                .left = work->left,
                                .instance = work->instance,
                                .count = count,
                                .instances = work->instances,
                                .from = &work->from,
                                .settings = &work->settings,
                                .q = work->q,
                                .best = work->best};
    work->done = calloc((size_t)count + 1, sizeof *work->done);
    OG_TRY(OG_ALLOCATED(work->done));
    return work->from.reward != NULL || count < 2
               ? OG_OK
               : og_state_rows_answer(&rows, threads, work->done);
}

static og_status answer_all(og_problem *problem, states_work *work, int64_t count,
                            og_message *message)
{
    OG_TRY(og_problem_texts(problem, &work->from, message));
    if (problem->family != &og_family_independent || problem->each) {
        return og_family_lacks(problem->family, "a list of states", message);
    }
    if (work->settings.checkpoint != NULL || work->settings.scratch != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a list of states does not support --%s; omit it",
                              work->settings.checkpoint != NULL ? "checkpoint" : "scratch");
    }
    OG_TRY(check_left(problem, count, work->left, message));
    OG_TRY(take_instances(work, &problem->instances, message));
    int threads = work->from.reward != NULL ? 1 : work->settings.threads; /* caller's function */
    work->settings.threads = 1;
    work->settings.memory_bytes /= (uint64_t)threads;
    og_status status = answer_together(work, count, threads);
    OG_THEN(status, og_parallel_items(threads, count, 1, answer_state, work));
    return status == OG_OK || work->failed < 0
               ? status
               : og_message_set(message, status, "state %lld: %.400s", (long long)work->failed,
                                og_message_words(&work->words, status));
}

og_status og_query_states(og_problem *problem, int64_t count, const double *posterior,
                          const int32_t *left, const og_question *question, double *q, bool *best,
                          og_message *message)
{
    og_message words = {""};
    og_stop stop;
    double seconds = question != NULL ? question->wishes.ask.seconds_max : 0;
    states_work work = {.posterior = posterior,
                        .left = left,
                        .settings = og_question_settings(question),
                        .q = q,
                        .best = best,
                        .failed = -1};
    og_stop_take(&stop, &work.settings);
    stop.end = seconds > 0 ? stop.begun + seconds : stop.end;
    og_lock_init(&work.lock);
    og_status status = answer_all(problem, &work, count, &words);
    og_lock_clear(&work.lock);
    free(work.instance);
    free(work.done);
    return og_message_pass(message, status, &words);
}
