#ifndef OG_DP_FAMILIES_SOURCES_UNKNOWN_SUMS_H
#define OG_DP_FAMILIES_SOURCES_UNKNOWN_SUMS_H

#include <assert.h>

#include "dp/families/crowd_number.h"
#include "dp/families/sources_unknown.h"

/*
 * A table's sum over truths in numbers of one kind (private to dp/families/): a template that
 * dp/families/sources_unknown.c uses for doubles and dp/families/sources_unknown_exact.c for whole
 * numbers.
 *
 * A vector of right labels of the unknown sources is the number with these as digits, to the bases
 * labels + 1. After the labels of some instances the largest number is that of all these labels
 * being right. A further instance adds the number of its positive, or of its negative labels, so
 * sums never leave the table. Smaller numbers that are impossible are multiplied by 0.
 */
typedef struct {
    const og_crowd_problem *problem;
    const og_crowd_group *group; /* [count] */
    int32_t count;
    int32_t labels[OG_SOURCES_MAX]; /* of each source */
    size_t stride[OG_SOURCES_MAX];  /* of a digit; 0: known */
    size_t vectors;
    size_t instances;               /* with labels */
    number *factor[OG_SOURCES_MAX]; /* [labels + 1] of an unknown source, by right ones */
    number *forward, *forward_next; /* [vectors] */
    number *backward;               /* [instances + 1][vectors]; first the whole sum */
    number *part;                   /* [2] scratch */
} sums;

/* The numbers that an instance of a group adds if it is positive, negative; true if it has
 * labels. */
static bool shift_of(const sums *s, int32_t g, size_t shift[2])
{
    bool labelled = false;
    shift[0] = shift[1] = 0;
    for (int32_t j = 0; j < s->problem->source_count; j++) {
        for (int answer = 0; answer < 2; answer++) {
            labelled = labelled || s->group[g].label[2 * j + answer] > 0;
            shift[answer] += (size_t)s->group[g].label[2 * j + answer] * s->stride[j];
        }
    }
    return labelled;
}

/* Everything but the numbers. */
static sums sums_begin(const og_crowd_problem *problem, const og_crowd_group *group, int32_t count)
{
    sums s = {.problem = problem, .group = group, .count = count, .vectors = 1};
    for (int32_t j = 0; j < problem->source_count; j++) {
        const bool known = problem->source[j].known;
        for (int32_t g = 0; g < count; g++) {
            int32_t labels = group[g].label[2 * j] + group[g].label[2 * j + 1];
            s.labels[j] += labels > 0 ? labels * (int32_t)group[g].copies : 0;
        }
        s.stride[j] = known ? 0 : s.vectors;
        s.vectors *= known ? 1 : (size_t)s.labels[j] + 1;
    }
    for (int32_t g = 0; g < count; g++) {
        size_t ignored[2];
        s.instances += shift_of(&s, g, ignored) ? (size_t)group[g].copies : 0;
    }
    return s;
}

/* The probabilities of the unknown sources' labels, by number of right ones. */
static void fill_last(const sums *s, number *last)
{
    for (size_t v = 0; v < s->vectors; v++) {
        size_t rest = v;
        number_set(&last[v], 1);
        for (int32_t j = 0; j < s->problem->source_count; j++) {
            size_t labels = (size_t)s->labels[j];
            if (s->stride[j] > 0 && labels > 0) {
                number_multiply(&last[v], s->factor[j][rest % (labels + 1)]);
                rest /= labels + 1;
            }
        }
    }
}

/* Goes back through all labelled instances. */
static void go_back(const sums *s, number *plus, number *minus)
{
    size_t reach = s->vectors - 1, instance = s->instances, shift[2];
    fill_last(s, &s->backward[instance * s->vectors]);
    for (int32_t g = s->count; g-- > 0;) {
        bool labelled = shift_of(s, g, shift);
        for (int64_t k = 0; labelled && k < s->group[g].copies; k++) {
            number *behind = &s->backward[instance-- * s->vectors], *here = behind - s->vectors;
            reach -= shift[0] + shift[1];
            for (size_t v = 0; v <= reach; v++) {
                number_set_products(&here[v], plus[g], behind[v + shift[0]], minus[g],
                                    behind[v + shift[1]]);
            }
        }
    }
    assert(reach == 0 && instance == 0);
}

static void step_on(sums *s, number_in plus, number_in minus, size_t reach, const size_t shift[2])
{
    number *next = s->forward_next;
    for (size_t v = 0; v <= reach + shift[0] + shift[1]; v++) {
        number_set(&next[v], 0);
    }
    for (size_t v = 0; v <= reach; v++) {
        number_add_product(&next[v + shift[0]], plus, s->forward[v]);
        number_add_product(&next[v + shift[1]], minus, s->forward[v]);
    }
    s->forward_next = s->forward;
    s->forward = next;
}

/* On entry plus[g] and minus[g] are the weights of an instance of group g: its prior, and labels of
 * known sources. On return they are the parts of the sum in which it is positive, negative. */
static void sum_truths(sums *s, number *plus, number *minus)
{
    size_t reach = 0, instance = 0, shift[2];
    go_back(s, plus, minus);
    number_set(&s->forward[0], 1);
    for (int32_t g = 0; g < s->count; g++) {
        if (!shift_of(s, g, shift)) {
            number_multiply(&plus[g], s->backward[0]);
            number_multiply(&minus[g], s->backward[0]);
            continue;
        }
        number *behind = &s->backward[(instance + 1) * s->vectors];
        number_sum(&s->part[0], plus[g], s->forward, behind + shift[0], reach + 1);
        number_sum(&s->part[1], minus[g], s->forward, behind + shift[1], reach + 1);
        for (int64_t k = 0; k < s->group[g].copies; k++) {
            step_on(s, plus[g], minus[g], reach, shift);
            reach += shift[0] + shift[1];
            instance++;
        }
        number_move(&plus[g], &s->part[0]);
        number_move(&minus[g], &s->part[1]);
    }
}

#endif
