/*
 * Updates the values of a type's rows in place.
 *
 * A value is the largest of R + p * u + q * v over labels, where u and v are the values after the
 * first outcome and the second, in the order of the recursion. For the last axis they are in the
 * row itself, at the same place after a negative label and one place further after a positive one;
 * so places are updated in ascending order. For other axes they are in two rows of another type, at
 * the same place.
 */
#include <stddef.h>

#include "dp/base/vector.h"
#include "dp/product/bandit/made.h"

/* Inlined into each clone of og_bandit_update, so that the loops use its vector units. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A label of one of the other axes. */
typedef struct {
    double reward, p, q;          /* of the first outcome and the second, */
    const double *first, *second; /* and their rows */
} other_row;

/* The last axis: R, p and q of its nodes. */
typedef struct {
    const double *reward, *p, *q;
    const int64_t *positive;
    bool any;
} last_axis;

static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

/* The label of the last axis at place x. In a mixed row the first outcome of some nodes is the
 * positive label; that of the others is the negative one, which has the same place. */
ALWAYS_INLINE double own_label(const double *at, last_axis l, size_t x, bool mixed)
{
    double first = mixed && l.positive[x] != 0 ? at[1] : at[0];
    double second = mixed && l.positive[x] != 0 ? at[0] : at[1];
    return l.reward[x] + l.p[x] * first + l.q[x] * second;
}

ALWAYS_INLINE void one_axis(double *restrict row, size_t count, last_axis l, bool mixed)
{
    for (size_t x = 0; x < count; x++) {
        row[x] = own_label(row + x, l, x, mixed);
    }
}

/* `a` cannot be the row itself: other types have other rows. */
ALWAYS_INLINE void two_axes(double *restrict row, size_t count, last_axis l, bool mixed,
                            other_row a)
{
    const double *restrict u = a.first, *restrict v = a.second;
    for (size_t x = 0; x < count; x++) {
        double own = own_label(row + x, l, x, mixed);
        row[x] = larger(a.reward + a.p * u[x] + a.q * v[x], own);
    }
}

ALWAYS_INLINE void three_axes(double *restrict row, size_t count, last_axis l, bool mixed,
                              other_row a, other_row b)
{
    const double *restrict u = a.first, *restrict v = a.second;
    const double *restrict w = b.first, *restrict z = b.second;
    for (size_t x = 0; x < count; x++) {
        double own = own_label(row + x, l, x, mixed);
        double better = larger(a.reward + a.p * u[x] + a.q * v[x], own);
        row[x] = larger(b.reward + b.p * w[x] + b.q * z[x], better);
    }
}

ALWAYS_INLINE void four_axes(double *restrict row, size_t count, last_axis l, bool mixed,
                             const other_row *list)
{
    other_row a = list[0], b = list[1], c = list[2];
    const double *restrict u = a.first, *restrict v = a.second;
    const double *restrict w = b.first, *restrict z = b.second;
    const double *restrict s = c.first, *restrict f = c.second;
    for (size_t x = 0; x < count; x++) {
        double own = own_label(row + x, l, x, mixed);
        double better = larger(a.reward + a.p * u[x] + a.q * v[x], own);
        better = larger(b.reward + b.p * w[x] + b.q * z[x], better);
        row[x] = larger(c.reward + c.p * s[x] + c.q * f[x], better);
    }
}

/* The axes other than the last whose label is evaluated. */
typedef struct {
    int32_t count;
    int32_t axis[OG_BANDIT_INSTANCES];
    const og_bandit_type *type[OG_BANDIT_INSTANCES]; /* the type after its label */
    const double *value[OG_BANDIT_INSTANCES];        /* its first row, at the part's first place */
    uint64_t length[OG_BANDIT_INSTANCES];
} row_labels;

static inline row_labels labels_of(const og_bandit *b, const og_bandit_part *part)
{
    const og_bandit_type *type = &b->type[part->type];
    row_labels labels = {.count = 0};
    for (int32_t j = 0; j + 1 < b->axes; j++) {
        if (og_bandit_stands(b, type, part->last, j)) {
            const og_bandit_type *next = &b->type[type->next[j]];
            labels.axis[labels.count] = j;
            labels.type[labels.count] = next;
            labels.value[labels.count] = b->value + next->first + part->from;
            labels.length[labels.count] = og_bandit_length(b, next);
            labels.count++;
        }
    }
    return labels;
}

/* Positive labels of a row. */
static inline void positives_of(const og_bandit *b, const og_bandit_type *type, uint64_t row,
                                int32_t *positive)
{
    for (int32_t j = 0; j + 1 < b->axes; j++) {
        positive[j] = (int32_t)(row / type->stride[j]);
        row %= type->stride[j];
    }
}

/* Those of the next row. */
static inline void step_positives(const og_bandit *b, const og_bandit_type *type, int32_t *positive)
{
    for (int32_t j = b->axes - 2; j >= 0 && ++positive[j] > type->labels[j]; j--) {
        positive[j] = 0;
    }
}

static inline other_row other_of(const og_bandit *b, const og_bandit_type *type,
                                 const row_labels *l, int32_t i, const int32_t *positive)
{
    int32_t j = l->axis[i];
    uint32_t node = b->arm[j]->level[type->labels[j]] + (uint32_t)positive[j];
    uint64_t row = 0;
    for (int32_t k = 0; k + 1 < b->axes; k++) {
        row += (uint64_t)positive[k] * l->type[i]->stride[k];
    }
    const og_bandit_order *order = &b->order[j];
    const double *failed = l->value[i] + row * l->length[i];
    const double *worked = failed + l->type[i]->stride[j] * l->length[i];
    bool first = order->positive[node] != 0;
    return (other_row){.reward = b->arm[j]->reward[node],
                       .p = order->chance[0][node],
                       .q = order->chance[1][node],
                       .first = first ? worked : failed,
                       .second = first ? failed : worked};
}

/* One row. */
ALWAYS_INLINE void update_row(double *restrict row, size_t count, last_axis l, bool mixed,
                              const other_row *other, int32_t others)
{
    switch (others) {
    case 0:
        one_axis(row, count, l, mixed);
        break;
    case 1:
        two_axes(row, count, l, mixed, other[0]);
        break;
    case 2:
        three_axes(row, count, l, mixed, other[0], other[1]);
        break;
    default:
        four_axes(row, count, l, mixed, other);
    }
}

OG_VECTOR_CLONES static void update(const og_bandit *b, const og_bandit_part *part)
{
    const og_bandit_type *type = &b->type[part->type];
    const og_arm *arm = b->arm[b->axes - 1];
    uint32_t node = arm->level[part->last] + (uint32_t)part->from;
    const og_bandit_order *order = &b->order[b->axes - 1];
    last_axis l = {arm->reward + node, order->chance[0] + node, order->chance[1] + node,
                   order->positive + node, order->any[part->last]};
    row_labels list = labels_of(b, part);
    size_t count = (size_t)(part->upto - part->from);
    uint64_t length = og_bandit_length(b, type);
    double *row = b->value + type->first + part->begin * length + part->from;
    int32_t positive[OG_BANDIT_INSTANCES] = {0};
    positives_of(b, type, part->begin, positive);
    for (uint64_t r = part->begin; r < part->end; r++) {
        other_row other[OG_BANDIT_INSTANCES];
        for (int32_t i = 0; i < list.count; i++) {
            other[i] = other_of(b, type, &list, i, positive);
        }
        if (l.any) {
            update_row(row, count, l, true, other, list.count);
        } else {
            update_row(row, count, l, false, other, list.count);
        }
        step_positives(b, type, positive);
        row += length;
    }
}

void og_bandit_last_label(const og_bandit *b, const og_bandit_part *part)
{
    const og_bandit_type *type = &b->type[part->type];
    const og_arm *arm = b->arm[b->axes - 1];
    const double *reward = arm->reward + arm->level[part->last];
    uint64_t length = og_bandit_length(b, type);
    double *row = b->value + type->first + part->begin * length;
    int32_t positive[OG_BANDIT_INSTANCES] = {0};
    positives_of(b, type, part->begin, positive);
    for (uint64_t r = part->begin; r < part->end; r++) {
        double most = 0;
        for (int32_t j = 0; j + 1 < b->axes; j++) {
            most = larger(
                b->arm[j]->reward[b->arm[j]->level[type->labels[j]] + (uint32_t)positive[j]], most);
        }
        for (int32_t x = part->from; x < part->upto; x++) {
            row[x] = larger(reward[x], most);
        }
        step_positives(b, type, positive);
        row += length;
    }
}

static inline void take_larger(double *x, double *y)
{
    double most = larger(*x, *y);
    *x = most;
    *y = most;
}

void og_bandit_exchange(const og_bandit *b, const og_bandit_part *part, int32_t one, int32_t two)
{
    const og_bandit_type *type = &b->type[part->type];
    uint64_t length = og_bandit_length(b, type);
    bool last = two + 1 == b->axes;
    int32_t positive[OG_BANDIT_INSTANCES] = {0};
    positives_of(b, type, part->begin, positive);
    for (uint64_t r = part->begin; r < part->end; r++) {
        double *row = b->value + type->first + r * length;
        uint64_t stride = type->stride[one] * length;
        for (int32_t y = positive[one] + 1; last && y < part->upto; y++) {
            take_larger(&row[y], row + (uint64_t)(y - positive[one]) * stride + positive[one]);
        }
        if (!last && positive[one] < positive[two]) {
            uint64_t more = (uint64_t)(positive[two] - positive[one]);
            double *restrict exchanged = row + more * stride - more * type->stride[two] * length;
            for (int32_t x = part->from; x < part->upto; x++) {
                take_larger(&row[x], &exchanged[x]);
            }
        }
        step_positives(b, type, positive);
    }
}

/* Not cloned itself, because the clones of a function with outside callers would be exported from
 * the library. */
void og_bandit_update(const og_bandit *b, const og_bandit_part *part)
{
    update(b, part);
}
