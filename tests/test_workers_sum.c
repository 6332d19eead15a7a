/*
 * The evidence of workers' labels by elimination, against the same sum expanded term by term.
 */
#include <float.h>

#include "dp/families/workers.h"
#include "dp/families/workers_sum.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(workers_sum, 300);

typedef struct {
    char words[256];
    og_workers_posterior posterior;
} random_sample;

static void sample_init(random_sample *sample, const char *instances, const char *workers,
                        int32_t labels)
{
    og_groups problem, others;
    og_message message = {""};
    test_problem(instances, labels, &problem);
    test_workers(workers, &others);
    snprintf(sample->words, sizeof sample->words, "-T %d %s --workers-prior %s", (int)labels,
             instances, workers);
    og_status status =
        og_workers_posterior_init(&sample->posterior, &problem, &others, labels, &message);
    ck_assert_msg(status == OG_OK, "%s: %s", sample->words, message.text);
    og_groups_clear(&problem);
    og_groups_clear(&others);
}

/* Some labels on random pairs; on `worker` alone if that is not negative. */
static void random_counts(random_source *random, const og_workers_posterior *p, int32_t worker,
                          og_pair_counts *counts)
{
    memset(counts, 0, OG_WORKERS_PAIRS_MAX * sizeof *counts);
    for (int32_t n = 0; n < p->labels; n++) {
        uint32_t i = random_below(random, (uint32_t)p->instances);
        uint32_t j = worker >= 0 ? (uint32_t)worker : random_below(random, (uint32_t)p->workers);
        og_pair_counts *pair = &counts[i * (uint32_t)p->workers + j];
        *(random_below(random, 2) == 0 ? &pair->positive : &pair->negative) += 1;
    }
}

static void assert_sums_agree(const random_sample *sample, const og_pair_counts *counts,
                              double steps_max)
{
    const og_workers_posterior *p = &sample->posterior;
    double e, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
    double f, above[OG_WORKERS_INSTANCES_MAX], below[OG_WORKERS_INSTANCES_MAX];
    double error = 2 * og_workers_posterior_error(p), parts = error + 4 * DBL_EPSILON;
    og_workers_expand(p, counts, &e, positive, negative);
    ck_assert(og_workers_eliminate(p, counts, steps_max, &f, above, below));
    ck_assert_msg(fabs(e - f) <= error * e, "%s: %.17g and %.17g", sample->words, e, f);
    for (int32_t i = 0; i < p->instances; i++) {
        ck_assert_msg(fabs(positive[i] - above[i]) <= parts * e &&
                          fabs(negative[i] - below[i]) <= parts * e,
                      "%s: instance %d: %.17g %.17g and %.17g %.17g", sample->words, (int)i,
                      positive[i], negative[i], above[i], below[i]);
    }
    double alone;
    ck_assert(og_workers_eliminate(p, counts, steps_max, &alone, NULL, NULL));
    ck_assert(alone == f);
}

OG_TEST(elimination_agrees_with_the_expansion)
{
    static const char *const instances[] = {"1,1", "3x1,1", "2,1 2x0.5,1.5", "5x2,3", "6x1,1"};
    static const char *const workers[] = {"4,1",
                                          "2x4,1 1,3",
                                          "3x2,1",
                                          "4x4,1 0.5,0.5",
                                          "2x4,1/1,2 3,1",
                                          "3,1/0.5,0.5",
                                          "0.5*4,1+0.5*1,2 2,1/3,1"};
    random_source random = random_start(test_seed(74));
    for (int i = 0; i < test_cases(100); i++) {
        random_sample sample;
        og_pair_counts counts[OG_WORKERS_PAIRS_MAX];
        sample_init(&sample, instances[random_below(&random, 5)], workers[random_below(&random, 7)],
                    (int32_t)random_below(&random, 13));
        random_counts(&random, &sample.posterior, -1, counts);
        assert_sums_agree(&sample, counts, INFINITY);
        og_workers_posterior_clear(&sample.posterior);
    }
}

/* Sixteen labels of one worker on eight instances, and of eight workers on one instance. */
OG_TEST(elimination_takes_far_fewer_steps_than_there_are_terms)
{
    static const char *const words[][2] = {{"8x1,1", "4,1"}, {"1,1", "8x4,1"}};
    for (int way = 0; way < 2; way++) {
        random_sample sample;
        og_pair_counts counts[OG_WORKERS_PAIRS_MAX] = {{0, 0}};
        double evidence;
        sample_init(&sample, words[way][0], words[way][1], 16);
        for (int k = 0; k < 8; k++) {
            counts[k] = (og_pair_counts){(uint8_t)(1 + k % 2), (uint8_t)(1 - k % 2)};
        }
        double terms = og_workers_terms(&sample.posterior, counts);
        assert_sums_agree(&sample, counts, terms);
        ck_assert(!og_workers_eliminate(&sample.posterior, counts, 1, &evidence, NULL, NULL));
        og_workers_posterior_clear(&sample.posterior);
        sample_init(&sample, way == 0 ? "32x1,1" : "1,1", way == 0 ? "4,1" : "32x4,1", 60);
        double sum = 0, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
        for (int k = 0; k < 32; k++) {
            counts[k] = (og_pair_counts){1, 0};
        }
        for (uint8_t sign = 0; sign < 2; sign++) { /* the last label is positive or negative */
            counts[31] = (og_pair_counts){sign == 0, sign};
            og_workers_evidence(&sample.posterior, counts, &evidence, positive, negative);
            sum += evidence;
        }
        counts[31] = (og_pair_counts){0, 0};
        og_workers_evidence(&sample.posterior, counts, &evidence, positive, negative);
        ck_assert_double_eq_tol(sum / evidence, 1, 1e-12);
        ck_assert_double_eq_tol((positive[0] + negative[0]) / evidence, 1, 1e-12);
        og_workers_posterior_clear(&sample.posterior);
    }
}
