/*
 * Finds the minimum of a convex function of a price.
 *
 * B is convex and piecewise linear, and each evaluation returns its value and its slope to the
 * right, which is a supporting line. The two lines of the bracket meet at a height below which B
 * cannot fall within the bracket. B is evaluated at the price where they meet, and the new line
 * replaces one of them. If B equals this height, it is the minimum. If the bracket shrinks too
 * slowly, B is evaluated at its middle instead.
 */
#include "heuristics/bounds/upper_lines.h"

#include <math.h>

enum { EVALUATIONS_MOST = 400 };

/* The price where the lines of a bracket meet. *height, their height there, is a lower bound on B
 * in the bracket. */
static double meeting_price(const og_line *left, const og_line *right, double *height)
{
    double slopes = right->slope - left->slope;
    double width = right->price - left->price;
    double step = (right->slope * width - (right->value - left->value)) / slopes;
    *height = left->value + left->slope * step;
    return left->price + step;
}

/* Shrinks the bracket to the minimum; *best is the line with the least value. */
static og_status close_in(og_line_at *at, void *context, og_line left, og_line right, og_line *best,
                          bool *converged)
{
    double width = INFINITY;
    for (int i = 0; i < EVALUATIONS_MOST; i++) {
        double height;
        double price = meeting_price(&left, &right, &height);
        bool meets = price > left.price && price < right.price;
        if (!meets || best->value <= height + best->error) {
            *converged = true;
            return OG_OK;
        }
        /* In every second round: if the round before did not halve the bracket, cut it in the
         * middle. */
        if (i % 2 == 1 && right.price - left.price > width / 2) {
            price = left.price + (right.price - left.price) / 2;
        }
        if (i % 2 == 0) {
            width = right.price - left.price;
        }
        og_line middle;
        OG_TRY(at(context, price, &middle));
        if (middle.value < best->value) {
            *best = middle;
        }
        if (middle.slope < 0) {
            left = middle;
        } else {
            right = middle;
        }
    }
    return OG_OK;
}

og_status og_lines_least(og_line_at *at, void *context, double least, double dearest, og_line *best,
                         bool *converged)
{
    og_line right;
    *converged = true;
    og_status status = at(context, least, best);
    if (status != OG_OK || best->slope >= 0) {
        return status;
    }
    og_line left = *best;
    OG_TRY(at(context, dearest, &right));
    if (right.value < best->value) {
        *best = right;
    }
    *converged = false;
    return close_in(at, context, left, right, best, converged);
}
