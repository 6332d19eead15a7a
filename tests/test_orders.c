/* Orders of things within groups, against all tuples. */
#include "dp/base/orders.h"

#include "tests/support.h"

OG_SUITE(orders, 60);

enum { PLACES = 4 };

/* Is it an order of these things, each at a place of its group? */
static bool is_order(const int32_t *group, const uint8_t *things, const uint8_t *tuple)
{
    bool fits = true;
    for (int k = 0; k < PLACES; k++) {
        int had = 0, has = 0;
        for (int l = 0; l < PLACES; l++) {
            had += things[l] == things[k];
            has += tuple[l] == things[k];
        }
        fits = fits && had == has && (group == NULL || group[tuple[k]] == group[k]);
    }
    return fits;
}

/* Tuples in dictionary order are numbers to the base PLACES. */
static int64_t check_all(const int32_t *group, const uint8_t things[PLACES])
{
    uint8_t order[PLACES], tuple[PLACES];
    int64_t count = 0;
    bool more = true;
    memcpy(order, things, sizeof order);
    for (int number = 0; number < 256; number++) {
        for (int k = 0; k < PLACES; k++) {
            tuple[k] = (uint8_t)(number >> 2 * (PLACES - 1 - k) & 3);
        }
        if (is_order(group, things, tuple)) {
            ck_assert(more);
            ck_assert_mem_eq(order, tuple, sizeof order);
            more = og_orders_next(group, PLACES, order);
            count++;
        }
    }
    ck_assert(!more);
    ck_assert_mem_eq(order, things, sizeof order);
    return count;
}

OG_TEST(orders_are_all_tuples_that_fit_in_dictionary_order)
{
    static const uint8_t things[PLACES] = {0, 1, 2, 3};
    for (int number = 0; number < 256; number++) {
        int32_t group[PLACES];
        for (int k = 0; k < PLACES; k++) {
            group[k] = number >> 2 * k & 3;
        }
        int64_t count = check_all(group, things);
        ck_assert_int_eq(count, og_orders_count(group, PLACES, 1000));
        ck_assert_int_gt(og_orders_count(group, PLACES, count - 1), count - 1);
    }
    ck_assert_int_eq(check_all(NULL, things), 24);
}

OG_TEST(equal_things_are_not_exchanged)
{
    ck_assert_int_eq(check_all(NULL, (uint8_t[]){0, 0, 1, 3}), 12);
    ck_assert_int_eq(check_all(NULL, (uint8_t[]){1, 1, 2, 2}), 6);
    ck_assert_int_eq(check_all(NULL, (uint8_t[]){2, 2, 2, 2}), 1);
}
