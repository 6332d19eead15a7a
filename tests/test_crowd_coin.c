/* Densities of coins: means by the fraction and in a window, compared with sums over all points. */
#include "bench/recorded/crowd_coin.h"

#include "dp/prior/beta_nodes.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(crowd_coin, 60);

enum { LINES_MAX = 3000, POINTS_MAX = 256 };

typedef struct {
    og_arena arena;
    og_coin_rule rule;
    og_coin coin;
    og_crowd_line own[2][LINES_MAX], *line[2];
    uint32_t count[2];
} sample;

/* Lines of a coin that is right with probability `right`, from tasks that are more or less sure. */
static void draw(random_source *random, double a, double b, uint32_t lines, sample *s)
{
    double right = random_unit(random), sure = random_unit(random);
    int32_t points = 32;
    while (points < 4 * sqrt(lines)) {
        points += 16;
    }
    *s = (sample){.count = {0, 0}};
    ck_assert_int_eq(og_coin_rule_new(&s->arena, points, &s->rule), OG_OK);
    ck_assert_int_eq(og_coin_init(&s->arena, points, &s->coin), OG_OK);
    ck_assert_int_eq(og_beta_nodes(a, b, points, s->rule.at, s->rule.rest, s->rule.weight), OG_OK);
    for (uint32_t l = 0; l < lines; l++) {
        uint32_t kind = random_below(random, 4) == 0;
        double at = 0.5 + sure * (random_unit(random) - 0.5);
        at = (random_unit(random) < right) == (at < 0.5) ? 1 - at : at;
        at = kind == 0 ? at : 1 - at;
        s->own[kind][s->count[kind]++] = (og_crowd_line){.at = at, .rest = 1 - at};
    }
    s->line[0] = s->own[0];
    s->line[1] = s->own[1];
}

static const double priors[][2] = {{4, 1}, {1, 1}, {0.6, 0.4}, {200, 3}};
static const uint32_t numbers[] = {1, 20, 48, 100, 400, 3000};
enum { PRIORS = 4, NUMBERS = 6 };

static void assert_near(double x, double y, const sample *s)
{
    ck_assert_msg(fabs(x - y) <= 1e-12 * y, "%u and %u lines, %d terms: %.17g and %.17g",
                  s->count[0], s->count[1], (int)s->coin.terms, x, y);
}

static void assert_same_means(sample *s)
{
    static og_crowd_line all[2][LINES_MAX];
    og_coin_take(&s->coin, &s->rule, (og_coin_window){0, 0}, s->line, s->count);
    og_coin_means(&s->coin, true, s->line, s->count);
    memcpy(all, s->own, sizeof all);
    og_coin_means(&s->coin, false, s->line, s->count);
    for (int32_t kind = 0; kind < 2; kind++) {
        for (uint32_t l = 0; l < s->count[kind]; l++) {
            assert_near(s->line[kind][l].mean.right, all[kind][l].mean.right, s);
            assert_near(s->line[kind][l].mean.wrong, all[kind][l].mean.wrong, s);
        }
    }
}

OG_TEST_LOOP(means_are_sums_over_points, 0, NUMBERS)
{
    random_source random = random_start(5 + (uint64_t)_i);
    static sample s;
    int32_t fractions = 0;
    for (int32_t round = 0; round < test_cases(20); round++) {
        const double *prior = priors[round % PRIORS];
        draw(&random, prior[0], prior[1], numbers[_i], &s);
        assert_same_means(&s);
        fractions += s.coin.terms > 0;
        og_arena_clear(&s.arena);
    }
    ck_assert_int_eq(fractions > 0, numbers[_i] >= 48);
}

/* From any guess, all points are found that are not negligible, with the same bits. */
OG_TEST(windows_hold_all_points_that_matter)
{
    random_source random = random_start(2);
    static sample s;
    for (int32_t round = 0; round < test_cases(60); round++) {
        const double *prior = priors[round % PRIORS];
        double density[POINTS_MAX];
        draw(&random, prior[0], prior[1], numbers[2 + round % 4], &s);
        og_coin_take(&s.coin, &s.rule, (og_coin_window){0, 0}, s.line, s.count);
        og_coin_window all = s.coin.window;
        memcpy(density, s.coin.density, sizeof(double) * (size_t)all.end);
        og_coin_window guess = {(int32_t)random_below(&random, (uint32_t)s.rule.count - 2), 0};
        guess.end = guess.first + 2;
        og_coin_take(&s.coin, &s.rule, guess, s.line, s.count);
        ck_assert_int_eq(s.coin.window.first, all.first);
        ck_assert_int_eq(s.coin.window.end, all.end);
        for (int32_t p = all.first; p < all.end; p++) {
            ck_assert(s.coin.density[p] == density[p]);
        }
        og_arena_clear(&s.arena);
    }
}
