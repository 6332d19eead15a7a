/* Labels assigned by a random regular graph, and messages between instances and workers. */
#include "heuristics/families/kos.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(kos, 60);

/* ---- messages: four instances and workers, each pair but (i, i), computed by hand ---- */

enum { FOUR = 4, EDGES = 12 };

static const int8_t signs[EDGES] = {1, 1, -1, 1, -1, 1, -1, -1, 1, 1, -1, 1};

static void run(int32_t rounds, double score[FOUR])
{
    int32_t instance[EDGES], worker[EDGES], used = 0;
    double message[EDGES];
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t j = 0; j < FOUR; j++) {
            if (i != j) {
                instance[used] = i;
                worker[used] = j;
                message[used++] = 1;
            }
        }
    }
    const og_kos_labels labels = {FOUR, FOUR, EDGES, instance, worker, signs};
    ck_assert_int_eq(og_kos_run(&labels, rounds, message, score), OG_OK);
}

OG_TEST(scores_are_those_computed_by_hand)
{
    static const double known[][FOUR] = {{-2, -4, 0, -2}, {6, 4, 8, -2}, {-22, 0, -20, 10}};
    static const double after_ten[FOUR] = {0.016923076923076923, 1, -0.9907692307692307,
                                           0.9953846153846154};
    double score[FOUR];
    for (int32_t rounds = 1; rounds <= 3; rounds++) {
        double most = 0;
        run(rounds, score);
        for (int i = 0; i < FOUR; i++) {
            most = fmax(most, fabs(known[rounds - 1][i]));
        }
        for (int i = 0; i < FOUR; i++) {
            ck_assert_double_eq_tol(score[i], known[rounds - 1][i] / most, 1e-15);
        }
    }
    run(10, score);
    for (int i = 0; i < FOUR; i++) {
        ck_assert_double_eq_tol(score[i], after_ten[i], 1e-12);
    }
}

/* ---- assignment ---- */

static uint64_t next_bits(void *stream)
{
    return random_next(stream);
}

/* Counts by end differ by one at most, and no pair occurs twice if there are enough pairs. */
OG_TEST(assignment_is_regular_and_simple)
{
    enum { SIDE = 12, COUNT = 3 * SIDE * SIDE };
    random_source random = random_start(test_seed(7));
    for (int round = 0; round < 200; round++) {
        int32_t instances = 1 + (int32_t)random_below(&random, SIDE);
        int32_t workers = 1 + (int32_t)random_below(&random, SIDE);
        int32_t pairs = instances * workers,
                count = (int32_t)random_below(&random, 2 * (uint32_t)pairs + 1);
        int32_t instance[COUNT], worker[COUNT], seen[SIDE][SIDE] = {{0}};
        int32_t by_instance[SIDE] = {0}, by_worker[SIDE] = {0}, twice = 0;
        ck_assert_int_eq(
            og_kos_assign(instances, workers, count, next_bits, &random, instance, worker), OG_OK);
        for (int32_t e = 0; e < count; e++) {
            by_instance[instance[e]]++;
            by_worker[worker[e]]++;
            twice += seen[instance[e]][worker[e]]++ > 0;
        }
        for (int32_t i = 0; i < instances; i++) {
            ck_assert_int_le(by_instance[i], count / instances + 1);
            ck_assert_int_ge(by_instance[i], count / instances);
        }
        for (int32_t j = 0; j < workers; j++) {
            ck_assert_int_le(by_worker[j], count / workers + 1);
            ck_assert_int_ge(by_worker[j], count / workers);
        }
        ck_assert_msg(count > pairs - instances - workers || twice == 0,
                      "%d of %d pairs are repeated with %d instances and %d workers", twice, count,
                      instances, workers);
    }
}
