/* Golden-section search for the minimum of a convex function. Invariant: the minimum lies between
 * low and high. */
#include "dp/base/golden.h"

#include <math.h>

double og_golden_least(og_golden_function *function, void *user, double low, double high,
                       int32_t points)
{
    const double part = 0.6180339887498949;
    double x = high - part * (high - low), y = low + part * (high - low);
    double at_x = function(user, x), at_y = function(user, y), least = fmin(at_x, at_y);
    for (int32_t i = 2; i < points; i++) {
        if (at_x <= at_y) {
            high = y;
            y = x;
            at_y = at_x;
            x = high - part * (high - low);
            at_x = function(user, x);
            least = fmin(least, at_x);
        } else {
            low = x;
            x = y;
            at_x = at_y;
            y = low + part * (high - low);
            at_y = function(user, y);
            least = fmin(least, at_y);
        }
    }
    return least;
}
