/* Orders of things: the last place that can have a larger thing of those behind it gets the
 * smallest such thing, and the rest becomes ascending. */
#include "dp/base/orders.h"

#include <stddef.h>

static bool same(const int32_t *group, int32_t x, int32_t y)
{
    return group == NULL || group[x] == group[y];
}

static void exchange(uint8_t *x, uint8_t *y)
{
    uint8_t kept = *x;
    *x = *y;
    *y = kept;
}

bool og_orders_next(const int32_t *group, int32_t count, uint8_t *order)
{
    int32_t at = count, with = -1;
    while (with < 0 && at-- > 0) {
        for (int32_t k = at + 1; k < count; k++) {
            if (same(group, order[k], order[at]) && order[k] > order[at] &&
                (with < 0 || order[k] < order[with])) {
                with = k;
            }
        }
    }
    if (with >= 0) {
        exchange(&order[at], &order[with]);
    }
    for (int32_t k = at + 1; k < count; k++) {
        for (int32_t l = k + 1; l < count; l++) {
            if (same(group, order[k], order[l]) && order[l] < order[k]) {
                exchange(&order[k], &order[l]);
            }
        }
    }
    return with >= 0;
}

int64_t og_orders_count(const int32_t *group, int32_t count, int64_t most)
{
    int64_t orders = 1;
    for (int32_t k = 0; k < count && orders <= most; k++) {
        int64_t alike = 1;
        for (int32_t l = 0; l < k; l++) {
            alike += same(group, k, l);
        }
        orders *= alike;
    }
    return orders;
}
