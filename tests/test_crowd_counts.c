/* Tasks of several classes labelled with two coins: equal coins are one coin, whose sums share no
 * code with these; and numbers, limits and equal classes. */
#include "bench/recorded/crowd_counts.h"

#include "bench/recorded/crowd_classes.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(crowd_counts, 60);

enum { LABELS = 60 };

typedef struct {
    og_arena arena;
    og_crowd_line own[OG_CLASSES_MAX][LABELS], *line[OG_CLASSES_MAX];
    int32_t count[OG_CLASSES_MAX], classes;
    double alpha[OG_CLASSES_MAX];
} sample;

/* Labels with a random class and, as `rest` is the same for all others, one coin. */
static void draw(random_source *random, int32_t classes, int32_t labels, sample *s)
{
    *s = (sample){.classes = classes};
    for (int32_t k = 0; k < classes; k++) {
        s->line[k] = s->own[k];
        s->alpha[k] = k % 2 == 0 ? 1 : 0.2 + random_unit(random);
    }
    for (int32_t l = 0; l < labels; l++) {
        uint32_t k = random_below(random, random_below(random, (uint32_t)classes) + 1);
        double at = 0.3 + 0.7 * random_unit(random);
        s->own[k][s->count[k]++] =
            (og_crowd_line){.at = at, .rest = (1 - at) / (classes - 1), .label = (uint32_t)l};
    }
    for (int32_t k = 0; k < classes; k++) {
        og_crowd_lines_sort(s->own[k], (uint32_t)s->count[k]);
    }
}

static const struct {
    int32_t classes, labels;
} sizes[] = {{3, 1}, {3, 4}, {3, 40}, {4, 12}, {5, 7}, {10, 5}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void assert_same_task(sample *s, og_crowd_counts *all, og_crowd_classes *other)
{
    double chance[OG_CLASSES_MAX], there[OG_CLASSES_MAX] = {0}, power[2 * LABELS];
    int32_t count[OG_CLASSES_MAX], last = s->classes - 1;
    ck_assert_int_eq(og_crowd_counts_take(all, s->line, s->count, NULL), OG_OK);
    og_crowd_counts_means(all);
    static og_crowd_line means[OG_CLASSES_MAX][LABELS];
    memcpy(means, s->own, sizeof means);
    ck_assert_int_eq(og_crowd_counts_call(all, NULL, chance), OG_OK);
    og_crowd_classes_take(other, s->line, s->count);
    og_crowd_classes_means(other, s->line);
    og_crowd_classes_keep(other, power, count);
    ck_assert_int_eq(og_crowd_classes_calls(other, power, count, 1, NULL, there), OG_OK);
    for (int32_t k = 0; k <= last; k++) {
        ck_assert_msg(fabs(chance[k] - there[k]) <= 1e-11, "%d: %.17g and %.17g", k, chance[k],
                      there[k]);
        for (int32_t i = 0; i < s->count[k]; i++) {
            const og_crowd_line *x = &means[k][i], *y = &s->own[k][i];
            ck_assert_msg(fabs(x->mean.right - y->mean.right) <= 1e-11, "%d: %.17g and %.17g", k,
                          x->mean.right, y->mean.right);
            ck_assert(k < last || fabs(x->mean.right + x->mean.wrong - 1) <= 1e-15);
            ck_assert(x->mean.right + x->mean.wrong <= 1 + 1e-15);
        }
    }
}

OG_TEST_LOOP(equal_coins_are_one_coin, 0, SIZES)
{
    random_source random = random_start(5 + (uint64_t)_i);
    static sample s;
    for (int round = 0; round < test_cases(8); round++) {
        og_crowd_counts all;
        og_crowd_classes other;
        draw(&random, sizes[_i].classes, sizes[_i].labels, &s);
        ck_assert_int_eq(og_crowd_counts_init(&s.arena, s.classes, LABELS, &all), OG_OK);
        ck_assert_int_eq(og_crowd_classes_init(&s.arena, s.classes, LABELS, &other), OG_OK);
        og_crowd_counts_begin(&all, s.alpha);
        og_crowd_classes_begin(&other, s.alpha);
        for (int again = 0; again < 2; again++) { /* the second time from what is kept */
            assert_same_task(&s, &all, &other);
        }
        og_crowd_counts_clear(&all);
        og_arena_clear(&s.arena);
    }
}

/* Each entry has its number, and one more label in a group leads to the entry that has it. */
OG_TEST(numbers_lead_to_numbers)
{
    for (int32_t dims = 1; dims < 5; dims++) {
        og_arena arena = {0};
        og_crowd_numbers numbers;
        ck_assert_int_eq(og_crowd_numbers_init(&arena, dims, 6, &numbers), OG_OK);
        for (int32_t sum = 0; sum < 6; sum++) {
            for (uint32_t entry = numbers.first[sum]; entry < numbers.first[sum + 1]; entry++) {
                const uint16_t *here = numbers.count + entry * (uint32_t)dims;
                int32_t labels = 0;
                for (int32_t j = 0; j < dims; j++) {
                    uint32_t next = numbers.next[entry * (uint32_t)dims + (uint32_t)j];
                    const uint16_t *there = numbers.count + next * (uint32_t)dims;
                    labels += here[j];
                    for (int32_t i = 0; i < dims; i++) {
                        ck_assert_int_eq(there[i], here[i] + (i == j ? 1 : 0));
                    }
                }
                ck_assert_int_eq(labels, sum);
            }
        }
        og_arena_clear(&arena);
    }
}

OG_TEST(too_many_labels_are_refused)
{
    static sample s;
    og_crowd_counts all;
    og_message message;
    random_source random = random_start(1);
    draw(&random, 10, LABELS, &s);
    ck_assert_int_eq(og_crowd_counts_init(&s.arena, 10, LABELS, &all), OG_OK);
    og_crowd_counts_begin(&all, s.alpha);
    ck_assert_int_eq(og_crowd_counts_take(&all, s.line, s.count, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "--workers-prior A,B/A,B, two coins, does not support a task "
                                   "with 60 labels of 10 classes; give A,B");
    og_crowd_counts_clear(&all);
    og_arena_clear(&s.arena);
}
