/* Sorting that can be stopped: the order of qsort, whatever the length, and an end at the stop. */
#include "dp/base/sort.h"
#include "tests/random_problem.h"
#include "tests/support.h"

typedef struct {
    uint32_t key;
    uint32_t place;
    uint8_t more[5];
} item;

static int by_key(const void *one, const void *other)
{
    const item *x = one, *y = other;
    int order = (x->key > y->key) - (x->key < y->key);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static item *draw_items(random_source *random, size_t count)
{
    item *items = calloc(count + 1, sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < count; i++) {
        items[i] = (item){.key = (uint32_t)random_below(random, 1000), .place = (uint32_t)i};
    }
    return items;
}

OG_SUITE(sort, 60);

OG_TEST(the_order_is_that_of_qsort)
{
    static const size_t counts[] = {
        0, 1, 100, OG_SORT_RUN, OG_SORT_RUN + 1, 2 * OG_SORT_RUN, 5 * OG_SORT_RUN + 17};
    random_source random = random_start(test_seed(77));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        item *mine = draw_items(&random, counts[k]);
        item *theirs = calloc(counts[k] + 1, sizeof *theirs);
        memcpy(theirs, mine, counts[k] * sizeof *mine);
        ck_assert_int_eq(og_sort(mine, counts[k], sizeof *mine, by_key, NULL), OG_OK);
        qsort(theirs, counts[k], sizeof *theirs, by_key);
        ck_assert_int_eq(memcmp(mine, theirs, counts[k] * sizeof *mine), 0);
        free(mine);
        free(theirs);
    }
}

OG_TEST(a_stop_ends_it)
{
    random_source random = random_start(test_seed(78));
    item *items = draw_items(&random, 3 * OG_SORT_RUN);
    og_stop stop = og_stop_for(NULL, 0);
    og_stop_end(&stop);
    ck_assert_int_eq(og_sort(items, 3 * OG_SORT_RUN, sizeof *items, by_key, &stop), OG_STOPPED);
    free(items);
}
