#ifndef OG_TESTS_QUESTION_H
#define OG_TESTS_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/public/problem.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/product/solve.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"

/*
 * A problem with what answers it is asked for: arms for the engine, the oracle for the truth. What
 * cannot be had fails the test, with the problem as the program takes it.
 */
enum { QUESTION_MEMORY_BYTES = 1 << 30 };

typedef struct {
    og_groups problem;
    og_arms *arms;
    oracle_arms *oracle;  /* made by question_random; else NULL, or the caller's to set */
    char words[512];      /* "-T 5 2x1,1 3,2@0.3", and with what finds a random one again */
    og_settings settings; /* all reductions, one thread */
} question;

question question_of(const char *words, int32_t budget);

/* The next random problem; seed and round are for the words. */
question question_random(random_source *source, const random_limits *limits, uint64_t seed,
                         int round);

/* The same without an oracle. */
question question_plain(random_source *source, const random_limits *limits, uint64_t seed,
                        int round);

/* The next of any kind: Betas, mixtures, thresholds, bandits, Dirichlet classes; few labels. */
question question_of_any_kind(random_source *source, uint64_t seed, int round);

void question_free(question *q);

/* Arms on one thread. */
og_arms *question_arms(const og_groups *problem, const char *words);

/* The ranks of a named policy; those of a random policy, or random ranks with many ties. The caller
 * frees them. */
og_ranks *question_named_ranks(const og_arms *arms, const char *name, const char *words);
og_ranks *question_ranks(random_source *source, const question *q, int round, bool by_left);

/* Memory: QUESTION_MEMORY_BYTES. */
og_settings question_settings(unsigned reductions, int threads);

/* The value of a model by the engine, which takes it over, with these settings. */
og_value_found question_value(og_model *model, const og_value_asked *asked,
                              const og_settings *settings, const char *words);

/* Fails the test where status is not OG_OK. */
void question_ok(og_status status, const og_message *message, const char *words);

/* Computes the optimum with a separate solver. */
og_status question_try(const og_arms *arms, const og_settings *settings, og_result *result,
                       og_message *message);
og_result question_solve(const og_arms *arms, const og_settings *settings, const char *words);

/* A problem of a family from words as the program takes them, "-T 3 2x1,1 --price 0.1", with commas
 * between those of --history; and that open. The words are cut apart and borrowed. The caller frees
 * *given, also after an error, and closes *problem. */
og_status question_open(const char *family, char *words, const og_settings *settings,
                        og_problem **given, og_problem_text *text, void **problem,
                        og_message *message);

#endif
