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
    const char *ask;
    const char *family;
    const char *option[5][2];
    const char *word; /* an instance, or NULL */
    bool exact;
    const char *policy; /* NULL: the default ones */
} block_line;

static const block_line lines[] = {
    {"solve", "independent", {{"budget", "6"}}, "3x1,1", true, NULL},
    {"compare", "independent", {{"budget", "8"}}, "4x2,1", false, NULL},
    {"compare", "independent", {{"budget", "4"}}, "2x1,1", true, NULL},
    {"query", "independent", {{"budget", "7"}}, "3x1,2@0.4", false, NULL},
    {"bound", "independent", {{"budget", "9"}}, "5x1,1", false, NULL},
    {"simulate", "independent", {{"budget", "9"}}, "6x1,1", false, NULL},
    {"index", "independent", {{"budget", "4"}}, "1,1", false, "kg"},
    {"tree", "independent", {{"budget", "2"}}, "2x1,1", true, NULL},
    {"compare", "priced", {{"budget", "4"}, {"price", "0.05"}}, "2x1,1", false, NULL},
    {"compare", "independent", {{"budget", "4"}, {"objective", "bandit"}}, "2x1,1", false, NULL},
    {"solve", "workers", {{"budget", "3"}, {"workers-prior", "2x4,1"}}, "2x1,1", false, NULL},
    {"compare",
     "deadline",
     {{"budget", "2"}, {"deadline", "3"}, {"slot-arrivals", "1"}, {"slot-service", "1,0.5"}},
     "2x1,1",
     false,
     NULL},
    {"query", "ranking", {{"budget", "3"}}, "3x1", false, NULL},
    {"compare", "labelers", {{"budget", "3"}}, "0.9", false, NULL},
    {"solve", "assignment", {{"budget", "3"}, {"accuracies", "0.9,0.7"}}, "2x1", false, NULL},
    {"compare", "independent", {{"budget", "-3"}}, "2x1,1", false, NULL}, /* each of these has */
    {"solve", "independent", {{"budget", "3"}}, "2xthree", false, NULL},  /* an error */
    {"simulate", "sources", {{"budget", "3"}, {"source", "a:1:2"}}, "1,1", false, NULL},
};
enum { LINES = sizeof lines / sizeof *lines };

static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)progress;
    atomic_fetch_add((atomic_int *)user, 1);
    return false;
}

/* The document without times, or the message. The caller frees it. */
static char *text_of(const block_line *line, bool stopped)
{
    og_problem *problem = NULL;
    og_question *question = NULL;
    og_document *report = NULL;
    og_message message = {""};
    atomic_int looks = 0;
    const char *const runs = strstr("compare simulate", line->ask) != NULL ? "runs" : NULL;
    const char *const wishes[][2] = {{"threads", "1"},
                                     {"no-times", NULL},
                                     {runs, "50"},
                                     {line->exact ? "arithmetic" : NULL, "exact"},
                                     {line->policy != NULL ? "policy" : NULL, line->policy}};
    og_status status = og_problem_new(line->family, &problem, &message);
    if (status == OG_OK) {
        status = og_question_new(line->ask, &question, &message);
    }
    for (size_t i = 0; status == OG_OK && i < sizeof wishes / sizeof *wishes; i++) {
        if (wishes[i][0] != NULL) {
            status = og_question_set(question, wishes[i][0], wishes[i][1], &message);
        }
    }
    if (status == OG_OK && stopped) {
        og_question_watch(question, stop_at_once, &looks);
    }
    for (int i = 0; status == OG_OK && i < 5 && line->option[i][0] != NULL; i++) {
        status = og_problem_set(problem, line->option[i][0], line->option[i][1], &message);
    }
    if (status == OG_OK) {
        status = og_problem_add(problem, line->word, &message);
    }
    if (status == OG_OK) {
        status = og_ask(problem, question, &report, &message);
    }
    char *text = status == OG_OK ? og_document_json(report) : strdup(message.text);
    og_document_free(report);
    og_question_free(question);
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
        char *text = text_of(one, stopped);
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
        alone[i] = text_of(&lines[i], false);
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
