#include "tests/question.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/support.h"

void question_ok(og_status status, const og_message *message, const char *words)
{
    ck_assert_msg(status == OG_OK, "%s: status %d: %s", words, status, message->text);
}

og_arms *question_arms(const og_groups *problem, const char *words)
{
    og_arms *arms = NULL;
    og_message message = {""};
    question_ok(og_arms_new(problem, 1, QUESTION_MEMORY_BYTES, &arms, &message), &message, words);
    return arms;
}

question question_of(const char *words, int32_t budget)
{
    question q = {.of = NULL};
    test_problem(words, budget, &q.problem);
    snprintf(q.words, sizeof q.words, "-T %d %s", budget, words);
    q.arms = question_arms(&q.problem, q.words);
    return q;
}

question question_random(random_source *source, const random_limits *limits, uint64_t seed,
                         int round)
{
    question q = {.of = NULL};
    char words[400];
    random_problem(source, limits, &q.problem);
    problem_format(&q.problem, words, sizeof words);
    snprintf(q.words, sizeof q.words, "%s (TEST_SEED=%" PRIu64 ", case %d)", words, seed, round);
    q.arms = question_arms(&q.problem, q.words);
    q.of = oracle_new(&q.problem);
    return q;
}

void question_free(question *q)
{
    if (q->of != NULL) {
        oracle_free(q->of);
    }
    og_arms_free(q->arms);
    og_groups_clear(&q->problem);
}

og_settings question_settings(unsigned reductions, int threads)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.reductions = reductions;
    settings.threads = threads;
    settings.memory_bytes = QUESTION_MEMORY_BYTES;
    return settings;
}

og_status question_try(const og_arms *arms, const og_settings *settings, og_result *result,
                       og_message *message)
{
    og_solver *solver = NULL;
    og_status status = og_solver_new(arms, settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, result, message);
    }
    og_solver_free(solver);
    return status;
}

og_result question_solve(const og_arms *arms, const og_settings *settings, const char *words)
{
    og_message message = {""};
    og_result result = {0};
    question_ok(question_try(arms, settings, &result, &message), &message, words);
    return result;
}
