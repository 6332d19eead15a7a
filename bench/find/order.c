/*
 * Lists the problems of a grid in order. Priors are sorted from the simplest on, so those up to a
 * largest parameter come first. A problem is a nondecreasing sequence of their numbers (any
 * sequence if the order of instances matters). A class is listed by stepping through all sequences
 * of its priors in dictionary order and skipping those of other classes. A step is thousands of
 * times cheaper than evaluating a problem.
 */
#include "bench/find/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- thresholds ---- */

og_status og_order_thresholds_parse(const char *text, og_order_grid *grid, og_message *message)
{
    grid->threshold_count = 0;
    for (const char *rest = text; rest != NULL;) {
        size_t length = strcspn(rest, ",");
        og_fraction value = {0, 1};
        if (grid->threshold_count == OG_ORDER_THRESHOLDS_MAX ||
            og_fraction_parse(rest, length, &value) != OG_OK || value.num <= 0 ||
            value.num >= value.den) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--thresholds must be decimals between 0 and 1 with commas "
                                  "between, at most %d, not '%.80s'",
                                  OG_ORDER_THRESHOLDS_MAX, text);
        }
        grid->threshold[grid->threshold_count++] = value;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

/* ---- priors ---- */

static int32_t largest_of(const og_order_prior *prior)
{
    return prior->a > prior->b ? prior->a : prior->b;
}

/* Order by the largest parameter, the sum, the threshold, and larger a first. */
static int by_size(const void *left, const void *right)
{
    const og_order_prior *x = left, *y = right;
    int32_t of_x[] = {largest_of(x), x->a + x->b, x->threshold, y->a};
    int32_t of_y[] = {largest_of(y), y->a + y->b, y->threshold, x->a};
    for (int i = 0; i < 4; i++) {
        if (of_x[i] != of_y[i]) {
            return of_x[i] < of_y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The number of the threshold 1 - d; the count if there is none. */
static int32_t mirror_of(const og_order_grid *grid, int32_t threshold)
{
    og_fraction d = grid->threshold[threshold];
    og_fraction mirror = og_fraction_make(d.den - d.num, d.den);
    int32_t i = 0;
    while (i < grid->threshold_count && og_fraction_compare(grid->threshold[i], mirror) != 0) {
        i++;
    }
    return i;
}

/* True if the mirror image represents this prior. */
static bool stands_elsewhere(const og_order_grid *grid, const og_order_prior *prior)
{
    int32_t mirror = mirror_of(grid, prior->threshold);
    return !grid->apart &&
           (mirror < prior->threshold || (mirror == prior->threshold && prior->a < prior->b));
}

static void list_priors(og_order *order)
{
    const og_order_grid *grid = &order->grid;
    for (int32_t threshold = 0; threshold < grid->threshold_count; threshold++) {
        for (int32_t a = 1; a <= grid->parameter; a++) {
            for (int32_t b = 1; b <= grid->parameter; b++) {
                og_order_prior prior = {a, b, threshold};
                if (!stands_elsewhere(grid, &prior)) {
                    order->prior[order->prior_count++] = prior;
                }
            }
        }
    }
    qsort(order->prior, (size_t)order->prior_count, sizeof *order->prior, by_size);
}

static bool is_within(int32_t value, int32_t most)
{
    return value >= 1 && value <= most;
}

static og_status check_grid(const og_order_grid *grid, og_message *message)
{
    if (!is_within(grid->instances, OG_ORDER_INSTANCES_MAX) ||
        !is_within(grid->budget, OG_ORDER_BUDGET_MAX) ||
        !is_within(grid->parameter, OG_ORDER_PARAMETER_MAX) ||
        !is_within(grid->threshold_count, OG_ORDER_THRESHOLDS_MAX)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "the grid is empty or too large; change --instances, -T, --parameter or --thresholds");
    }
    for (int32_t i = 0; i < grid->threshold_count; i++) {
        og_fraction d = grid->threshold[i];
        if (d.num <= 0 || d.num >= d.den) {
            return og_message_set(message, OG_BAD_INPUT, "--thresholds must be between 0 and 1");
        }
        for (int32_t j = 0; j < i; j++) {
            if (og_fraction_compare(d, grid->threshold[j]) == 0) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "--thresholds has a number twice; give each once");
            }
        }
    }
    return OG_OK;
}

og_status og_order_init(const og_order_grid *grid, og_order *out, og_message *message)
{
    *out = (og_order){.grid = *grid};
    OG_TRY(check_grid(grid, message));
    size_t most = (size_t)grid->parameter * (size_t)grid->parameter;
    out->prior =
        og_arena_array(&out->arena, most * (size_t)grid->threshold_count, sizeof *out->prior);
    OG_TRY(OG_ALLOCATED(out->prior));
    list_priors(out);
    return OG_OK;
}

void og_order_clear(og_order *order)
{
    og_arena_clear(&order->arena);
    memset(order, 0, sizeof *order);
}

/* ---- classes ---- */

/* The least sum of parameters: one prior (largest, 1), all others (1, 1). */
static int32_t least_sum(const og_order_problem *at)
{
    return at->largest + 1 + 2 * (at->instances - 1);
}

/* Start a class with the first prior for all instances. */
static void begin_class(og_order *order)
{
    og_order_problem *at = &order->at;
    memset(at->prior, 0, sizeof at->prior);
    order->within = 0;
    while (order->within < order->prior_count &&
           largest_of(&order->prior[order->within]) <= at->largest) {
        order->within++;
    }
}

/* Move to the next class; false past the last. */
static bool next_class(og_order *order)
{
    og_order_problem *at = &order->at;
    if (at->instances > 0 && at->sum < 2 * at->largest * at->instances) {
        at->sum++;
        begin_class(order);
        return true;
    }
    if (at->instances > 0 && at->largest < order->grid.parameter) {
        at->largest++;
    } else if (at->instances > 0 && at->budget < order->grid.budget) {
        at->budget++;
        at->largest = 1;
    } else if (at->instances < order->grid.instances) {
        at->instances++;
        at->budget = at->largest = 1;
    } else {
        return false;
    }
    at->sum = least_sum(at);
    begin_class(order);
    return true;
}

/* ---- problems ---- */

static bool is_of_class(const og_order *order)
{
    const og_order_problem *at = &order->at;
    int32_t largest = 0, sum = 0;
    for (int32_t i = 0; i < at->instances; i++) {
        const og_order_prior *prior = &order->prior[at->prior[i]];
        largest = largest_of(prior) > largest ? largest_of(prior) : largest;
        sum += prior->a + prior->b;
    }
    return largest == at->largest && sum == at->sum;
}

/* Move to the next sequence of priors; false past the last. */
static bool next_priors(og_order *order)
{
    og_order_problem *at = &order->at;
    for (int32_t i = at->instances - 1; i >= 0; i--) {
        if (at->prior[i] + 1 < order->within) {
            int32_t next = ++at->prior[i];
            for (int32_t j = i + 1; j < at->instances; j++) {
                at->prior[j] = order->grid.ordered ? 0 : next;
            }
            return true;
        }
    }
    return false;
}

bool og_order_next(og_order *order)
{
    og_order_problem *at = &order->at;
    bool fresh = at->instances == 0 || !next_priors(order), new_class = fresh;
    if (fresh && !next_class(order)) {
        return false;
    }
    while (!is_of_class(order)) {
        if (!next_priors(order)) {
            new_class = true;
            if (!next_class(order)) {
                return false;
            }
        }
    }
    at->number++;
    at->first = new_class ? at->number : at->first;
    return true;
}

double og_order_count(const og_order *order)
{
    const double priors = order->prior_count;
    double count = 0;
    for (int32_t k = 1; k <= order->grid.instances; k++) {
        double ways = 1;
        for (int32_t i = 0; i < k; i++) {
            ways *= order->grid.ordered ? priors : (priors + i) / (i + 1);
        }
        count += order->grid.budget * ways;
    }
    return round(count);
}

/* ---- the problem in numbers and words ---- */

/* The group of equal instances from *at on; moves *at after them. */
static og_group group_at(const og_order *order, const og_order_problem *problem, int32_t *at)
{
    const int32_t number = problem->prior[*at];
    const og_order_prior *prior = &order->prior[number];
    og_group group = {.a = {prior->a, 1},
                      .b = {prior->b, 1},
                      .threshold = order->grid.threshold[prior->threshold],
                      .kind = OG_PRIOR_BETA};
    while (*at < problem->instances && problem->prior[*at] == number) {
        group.count++;
        ++*at;
    }
    return group;
}

og_status og_order_groups(const og_order *order, const og_order_problem *problem, og_groups *out,
                          og_message *message)
{
    og_groups_init(out, problem->budget);
    for (int32_t i = 0; i < problem->instances;) {
        og_group group = group_at(order, problem, &i);
        OG_TRY(og_groups_add(out, &group, message));
    }
    return OG_OK;
}

void og_order_text(const og_order *order, const og_order_problem *problem,
                   char text[OG_ORDER_TEXT_BYTES])
{
    size_t length = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < problem->instances && length + 1 < OG_ORDER_TEXT_BYTES;) {
        if (i > 0) {
            text[length++] = ' ';
        }
        og_group group = group_at(order, problem, &i);
        length += (size_t)og_group_format(&group, text + length, OG_ORDER_TEXT_BYTES - length);
    }
}
