/* Many indices of akg at once against each by itself. */
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_index.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_index, 60);

enum { ITEMS_MAX = 60, WORKERS = 3, ACTS_MAX = ITEMS_MAX * ITEMS_MAX * WORKERS };

OG_TEST_LOOP(test_rises_are_the_definition, 0, test_cases(24))
{
    static og_act_open open[ACTS_MAX];
    static double rise[ACTS_MAX];
    random_source state = random_start(test_seed(7800 + (uint64_t)_i));
    int32_t items = 17 + (int32_t)random_below(&state, ITEMS_MAX - 17), count = 0;
    bool crowd = _i % 2 == 1;
    double a[ITEMS_MAX], worker[2 * WORKERS], after[ITEMS_MAX];
    for (int32_t k = 0; k < items; k++) {
        a[k] = _i % 4 < 2 ? 1 : exp((double)random_below(&state, 12000) / 1000 - 8);
    }
    for (int32_t w = 0; w < WORKERS; w++) {
        worker[2 * w] = w < 2 ? 4 : 2;
        worker[2 * w + 1] = w < 2 ? 1 : 2;
    }
    for (int32_t t = (int32_t)random_below(&state, 20) * items; t > 0; t--) {
        int32_t i = (int32_t)random_below(&state, (uint32_t)items);
        int32_t j = (int32_t)random_below(&state, (uint32_t)items - 1);
        int32_t w = (int32_t)random_below(&state, 2);
        j += j >= i;
        bool turned = (i > j) == (random_below(&state, 8) > 0);
        ck_assert(og_ranking_match(a, items, crowd ? &worker[2 * w] : NULL, turned ? i : j,
                                   turned ? j : i));
    }
    bool few = _i % 3 == 0; /* then rows are summed directly */
    for (uint32_t i = 0; i < (uint32_t)items; i++) {
        for (uint32_t j = i + 1; j < (few ? i + 2 : (uint32_t)items) && j < (uint32_t)items; j++) {
            for (uint32_t w = 0; w == 0 || (crowd && w < WORKERS); w++) {
                open[count++] = (og_act_open){{{i, j, w}}, 1};
            }
        }
    }
    ck_assert(og_ranking_rises(a, items, crowd ? worker : NULL, open, count, NULL, rise) == OG_OK);
    double now = og_ranking_sorted(a, items);
    for (int32_t k = 0; k < count;
         k += 1 + (int32_t)random_below(&state, 1 + (uint32_t)count / 60)) {
        const uint32_t *act = open[k].act.part;
        double known =
            og_ranking_rise(&(og_ranking_match_up){a, items, crowd ? &worker[2 * act[2]] : NULL,
                                                   (int32_t)act[0], (int32_t)act[1]},
                            now, after);
        test_assert_msg(fabs(rise[k] - known) <= 1e-12, "%d items, %u and %u: %.17g, not %.17g",
                        items, act[0], act[1], rise[k], known);
    }
}
