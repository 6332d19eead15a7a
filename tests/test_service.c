/*
 * The library in a service: eight threads at once ask questions of all problem types, some of which
 * are stopped, and each answer has the bytes that it has alone. tools/night asks for half an hour
 * under valgrind.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/public_support.h"
#include "tests/support.h"

OG_SUITE(service, 600);

enum { THREADS = 8, QUESTIONS_USUAL = 400 };

typedef struct {
    question *ask;
    const char *family;
    const char *option[5][2];
    const char *word; /* an instance, or NULL */
    bool exact;
    const char *policy; /* NULL: the default ones */
} block_line;

static const block_line lines[] = {
    {og_solve, "independent", {{"budget", "6"}}, "3x1,1", true, NULL},
    {og_compare, "independent", {{"budget", "8"}}, "4x2,1", false, NULL},
    {og_compare, "independent", {{"budget", "4"}}, "2x1,1", true, NULL},
    {og_query, "independent", {{"budget", "7"}}, "3x1,2@0.4", false, NULL},
    {og_bound, "independent", {{"budget", "9"}}, "5x1,1", false, NULL},
    {og_simulate, "independent", {{"budget", "9"}}, "6x1,1", false, NULL},
    {og_index_table, "independent", {{"budget", "4"}}, "1,1", false, "kg"},
    {og_decision_tree, "independent", {{"budget", "2"}}, "2x1,1", true, NULL},
    {og_compare, "priced", {{"budget", "4"}, {"price", "0.05"}}, "2x1,1", false, NULL},
    {og_compare, "independent", {{"budget", "4"}, {"objective", "bandit"}}, "2x1,1", false, NULL},
    {og_solve, "workers", {{"budget", "3"}, {"workers-prior", "2x4,1"}}, "2x1,1", false, NULL},
    {og_compare,
     "deadline",
     {{"budget", "2"}, {"deadline", "3"}, {"slot-arrivals", "1"}, {"slot-service", "1,0.5"}},
     "2x1,1",
     false,
     NULL},
    {og_query, "ranking", {{"budget", "3"}}, "3x1", false, NULL},
    {og_compare, "labelers", {{"budget", "3"}}, "0.9", false, NULL},
    {og_solve, "assignment", {{"budget", "3"}, {"accuracies", "0.9,0.7"}}, "2x1", false, NULL},
    {og_compare, "independent", {{"budget", "-3"}}, "2x1,1", false, NULL}, /* each of these has */
    {og_solve, "independent", {{"budget", "3"}}, "2xthree", false, NULL},  /* an error */
    {og_simulate, "sources", {{"budget", "3"}, {"source", "a:1:2"}}, "1,1", false, NULL},
};
enum { LINES = sizeof lines / sizeof *lines };

static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)progress;
    atomic_fetch_add((atomic_int *)user, 1);
    return false;
}

/* The document without times, or the message. The caller frees it. */
static char *answer_of(const block_line *line, bool stopped)
{
    og_problem *problem = NULL;
    og_policy *policy = NULL;
    const og_policy *policies[1];
    og_document *report = NULL;
    og_message message = {""};
    og_request request;
    atomic_int looks = 0;
    og_request_default(&request);
    request.no_times = true;
    request.exact = line->exact;
    request.runs = 50;
    request.settings.threads = 1;
    if (stopped) {
        request.settings.watch = stop_at_once;
        request.settings.watch_user = &looks;
    }
    og_status status = og_problem_new(line->family, &problem, &message);
    if (status == OG_OK && line->policy != NULL) {
        status = og_policy_new(line->policy, &policy, &message);
        policies[0] = policy;
        request.policies = policies;
        request.policy_count = 1;
    }
    for (int i = 0; status == OG_OK && i < 5 && line->option[i][0] != NULL; i++) {
        status = og_problem_set(problem, line->option[i][0], line->option[i][1], &message);
    }
    if (status == OG_OK) {
        status = og_problem_add(problem, line->word, &message);
    }
    if (status == OG_OK) {
        status = line->ask(problem, &request, &report, &message);
    }
    char *text = status == OG_OK ? og_document_json(report) : strdup(message.text);
    og_document_free(report);
    og_policy_free(policy);
    og_problem_free(problem);
    return text;
}

static char *alone[LINES];

typedef struct {
    uint64_t seed;
    int count, wrong, stopped;
} asker;

static void *ask_many(void *user)
{
    asker *command = user;
    for (int i = 0; i < command->count; i++) {
        command->seed = command->seed * 6364136223846793005u + 1442695040888963407u;
        const block_line *one = &lines[(command->seed >> 33) % LINES];
        bool stopped = (command->seed >> 60) == 0;
        char *text = answer_of(one, stopped);
        command->stopped += stopped;
        command->wrong += text == NULL || (!stopped && strcmp(text, alone[one - lines]) != 0);
        free(text);
    }
    return NULL;
}

OG_TEST(questions_from_eight_threads_have_the_bytes_that_they_have_alone)
{
    pthread_t thread[THREADS];
    asker command[THREADS];
    int stopped = 0;
    uint64_t seed = test_seed(1);
    for (int i = 0; i < LINES; i++) {
        alone[i] = answer_of(&lines[i], false);
        ck_assert_ptr_nonnull(alone[i]);
        ck_assert_msg((alone[i][0] == '{') == (i < LINES - 3), "%d: %s", i, alone[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        command[i] = (asker){.seed = seed * THREADS + (uint64_t)i,
                             .count = test_cases(QUESTIONS_USUAL) / THREADS + 1};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_many, &command[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(command[i].wrong, 0);
        stopped += command[i].stopped;
    }
    ck_assert(stopped > 0 || test_cases(QUESTIONS_USUAL) < 100);
    for (int i = 0; i < LINES; i++) {
        free(alone[i]);
    }
}
