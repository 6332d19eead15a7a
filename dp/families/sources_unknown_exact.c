/*
 * Sources of unknown accuracy in fractions: a table's sum over truths as in
 * dp/families/sources_unknown.c, in whole numbers over one denominator. With A = a / g and B = b /
 * g, n labels of which r are right have the probability
 *
 *   a (a + g) ... (a + (r - 1) g) * b (b + g) ... (b + (n - r - 1) g)
 *     divided by (a + b) (a + b + g) ... (a + b + (n - 1) g).
 */
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/families/sources_unknown.h"
#include "dp/families/sources_unknown_sums.h"

/* Arrays are whole numbers, the numerators of fractions. */
typedef struct {
    og_arena arena;
    const og_crowd_problem *of;
    og_crowd_layout layout;
    mpq_t *forward, *forward_next; /* [vectors] */
    mpq_t *backward;               /* [labelled instances + 1][vectors] */
    mpq_t *weight;                 /* [groups][2] */
    mpq_t *rising[2];              /* [OG_UNKNOWN_LABELS_MAX + 1] of a source: right, wrong */
    mpq_t *scratch;                /* [SCRATCH] */
} sums;

enum { A, B, STEP, FACTOR, UNDER, PART_PLUS, PART_MINUS, EVIDENCE, TOTAL, SCRATCH };

static mpz_ptr at(mpq_t *array, size_t i)
{
    return mpq_numref(array[i]);
}

static og_status make_room(sums *s, int32_t count)
{
    const size_t vectors = s->layout.vectors;
    s->forward = og_arena_fractions(&s->arena, vectors);
    s->forward_next = og_arena_fractions(&s->arena, vectors);
    s->backward = og_arena_fractions(&s->arena, ((size_t)s->layout.instances + 1) * vectors);
    s->weight = og_arena_fractions(&s->arena, 2 * (size_t)count);
    s->rising[0] = og_arena_fractions(&s->arena, (size_t)s->of->labels + 1);
    s->rising[1] = og_arena_fractions(&s->arena, (size_t)s->of->labels + 1);
    s->scratch = og_arena_fractions(&s->arena, SCRATCH);
    return og_arena_status(&s->arena);
}

/* The weights of an instance of a group; multiplies UNDER by the denominators of all its copies. */
static void weigh_group(sums *s, const og_crowd_group *group, mpz_t plus, mpz_t minus)
{
    mpz_ptr a = at(s->scratch, A), b = at(s->scratch, B), g = at(s->scratch, STEP);
    mpz_ptr under = at(s->scratch, FACTOR);
    size_t ignored[2];
    og_mpz_set_pair(s->of->prior[group->prior].part[0], s->of->prior[group->prior].part[1], plus,
                    minus, g);
    mpz_add(under, plus, minus);
    for (int32_t j = 0; j < s->of->source_count; j++) {
        if (!s->of->source[j].known) {
            continue;
        }
        og_mpz_set_pair(s->of->source[j].part[0], s->of->source[j].part[1], a, b, g);
        for (int32_t k = 0; k < group->label[2 * j] + group->label[2 * j + 1]; k++) {
            bool positive = k < group->label[2 * j];
            mpz_mul(plus, plus, positive ? a : b);
            mpz_mul(minus, minus, positive ? b : a);
            mpz_mul(under, under, g);
        }
    }
    if (og_crowd_shift(s->of, &s->layout, group, ignored)) {
        mpz_pow_ui(under, under, (uint32_t)group->copies);
        mpz_mul(at(s->scratch, UNDER), at(s->scratch, UNDER), under);
    }
}

/* from (from + step) ..., for each number of factors. */
static void fill_rising(mpq_t *out, mpz_t from, const mpz_t step, int32_t most)
{
    mpz_set_ui(at(out, 0), 1);
    for (int32_t k = 0; k < most; k++) {
        mpz_mul(at(out, (size_t)k + 1), at(out, (size_t)k), from);
        mpz_add(from, from, step);
    }
}

/* The probabilities of the unknown sources' labels, by number of right ones; multiplies UNDER by
 * denominators. */
static void fill_last(sums *s, mpq_t *last)
{
    mpz_ptr a = at(s->scratch, A), b = at(s->scratch, B), g = at(s->scratch, STEP);
    for (size_t v = 0; v < s->layout.vectors; v++) {
        mpz_set_ui(at(last, v), 1);
    }
    for (int32_t j = 0; j < s->of->source_count; j++) {
        const size_t labels = (size_t)s->layout.labels[j];
        if (s->of->source[j].known || labels == 0) {
            continue;
        }
        og_mpz_set_pair(s->of->source[j].part[0], s->of->source[j].part[1], a, b, g);
        mpz_add(at(s->scratch, FACTOR), a, b);
        fill_rising(s->rising[0], at(s->scratch, FACTOR), g, (int32_t)labels);
        mpz_mul(at(s->scratch, UNDER), at(s->scratch, UNDER), at(s->rising[0], labels));
        fill_rising(s->rising[0], a, g, (int32_t)labels);
        fill_rising(s->rising[1], b, g, (int32_t)labels);
        for (size_t v = 0; v < s->layout.vectors; v++) {
            size_t right = v / s->layout.stride[j] % (labels + 1);
            mpz_mul(at(last, v), at(last, v), at(s->rising[0], right));
            mpz_mul(at(last, v), at(last, v), at(s->rising[1], labels - right));
        }
    }
}

static void go_back(sums *s, const og_crowd_group *group, int32_t count)
{
    const size_t vectors = s->layout.vectors;
    size_t reach = vectors - 1, shift[2], instance = (size_t)s->layout.instances;
    fill_last(s, &s->backward[instance * vectors]);
    for (int32_t g = count; g-- > 0;) {
        bool labelled = og_crowd_shift(s->of, &s->layout, &group[g], shift);
        for (int64_t k = 0; labelled && k < group[g].copies; k++) {
            mpq_t *behind = &s->backward[instance-- * vectors], *here = behind - vectors;
            reach -= shift[0] + shift[1];
            for (size_t v = 0; v <= reach; v++) {
                mpz_mul(at(here, v), at(s->weight, 2 * (size_t)g), at(behind, v + shift[0]));
                mpz_addmul(at(here, v), at(s->weight, 2 * (size_t)g + 1), at(behind, v + shift[1]));
            }
        }
    }
    mpz_set(at(s->scratch, EVIDENCE), at(s->backward, 0));
}

/* The part in which an instance of the group, the next one, has this truth. */
static void sum_part(sums *s, mpz_srcptr weight, size_t reach, mpq_t *behind, mpz_t out)
{
    mpz_set_ui(out, 0);
    for (size_t v = 0; v <= reach; v++) {
        mpz_addmul(out, at(s->forward, v), at(behind, v));
    }
    mpz_mul(out, out, weight);
}

static void step_on(sums *s, int32_t g, size_t reach, const size_t shift[2])
{
    mpq_t *next = s->forward_next;
    for (size_t v = 0; v <= reach + shift[0] + shift[1]; v++) {
        mpz_set_ui(at(next, v), 0);
    }
    for (size_t v = 0; v <= reach; v++) {
        for (size_t t = 0; t < 2; t++) {
            mpz_addmul(at(next, v + shift[t]), at(s->weight, 2 * (size_t)g + t), at(s->forward, v));
        }
    }
    s->forward_next = s->forward;
    s->forward = next;
}

static void add_larger(sums *s, int64_t copies)
{
    mpz_ptr plus = at(s->scratch, PART_PLUS), minus = at(s->scratch, PART_MINUS);
    og_mpz_addmul(at(s->scratch, TOTAL), mpz_cmp(plus, minus) > 0 ? plus : minus, copies);
}

/* Adds the right calls of labelled instances to TOTAL, over UNDER. */
static void go_on(sums *s, const og_crowd_group *group, int32_t count)
{
    const size_t vectors = s->layout.vectors;
    size_t reach = 0, shift[2], instance = 0;
    mpz_set_ui(at(s->forward, 0), 1);
    for (int32_t g = 0; g < count; g++) {
        bool labelled = og_crowd_shift(s->of, &s->layout, &group[g], shift);
        for (int64_t k = 0; labelled && k < group[g].copies; k++) {
            mpq_t *behind = &s->backward[++instance * vectors];
            if (k == 0) {
                mpq_t *weight = &s->weight[2 * (size_t)g];
                sum_part(s, at(weight, 0), reach, behind + shift[0], at(s->scratch, PART_PLUS));
                sum_part(s, at(weight, 1), reach, behind + shift[1], at(s->scratch, PART_MINUS));
                add_larger(s, group[g].copies);
            }
            step_on(s, g, reach, shift);
            reach += shift[0] + shift[1];
        }
    }
}

/* Instances without labels are independent of everything else. */
static void add_unlabelled(sums *s, const og_crowd_group *group, int32_t count, mpq_t out)
{
    mpq_ptr part = s->scratch[PART_PLUS];
    size_t shift[2];
    for (int32_t g = 0; g < count; g++) {
        if (!og_crowd_shift(s->of, &s->layout, &group[g], shift)) {
            mpz_srcptr plus = at(s->weight, 2 * (size_t)g),
                       minus = at(s->weight, 2 * (size_t)g + 1);
            mpz_mul(mpq_numref(part), at(s->scratch, EVIDENCE),
                    mpz_cmp(plus, minus) > 0 ? plus : minus);
            mpz_add(mpq_denref(part), plus, minus);
            mpz_mul(mpq_denref(part), mpq_denref(part), at(s->scratch, UNDER));
            mpq_canonicalize(part);
            og_add_multiple(out, group[g].copies, part);
        }
    }
}

og_status og_crowd_called_exact(const og_crowd_problem *of, const og_crowd_group *group,
                                int32_t count, mpq_t out)
{
    sums s = {.of = of, .layout = og_crowd_layout_of(of, group, count)};
    og_status status = make_room(&s, count);
    if (status == OG_OK) {
        mpz_set_ui(at(s.scratch, UNDER), 1);
        for (int32_t g = 0; g < count; g++) {
            weigh_group(&s, &group[g], at(s.weight, 2 * (size_t)g),
                        at(s.weight, 2 * (size_t)g + 1));
        }
        go_back(&s, group, count);
        go_on(&s, group, count);
        mpz_set(mpq_numref(out), at(s.scratch, TOTAL));
        mpz_set(mpq_denref(out), at(s.scratch, UNDER));
        mpq_canonicalize(out);
        add_unlabelled(&s, group, count, out);
    }
    og_arena_clear(&s.arena);
    return status;
}

/* ---- values ---- */

/* The expected number of right calls without a label. */
void og_crowd_prior_exact(const og_crowd_problem *of, mpq_t out)
{
    mpq_t part, sum;
    mpq_inits(part, sum, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t g = 0; g < of->group_count; g++) {
        const og_fraction *pair = of->prior[of->prior_of_group[g]].part;
        og_fraction_get_mpq(part, pair[0]);
        og_fraction_get_mpq(sum, pair[1]);
        mpq_add(sum, sum, part);
        og_fraction_get_mpq(part, pair[og_fraction_compare(pair[0], pair[1]) < 0]);
        mpq_div(part, part, sum);
        og_add_multiple(out, of->size_of_group[g], part);
    }
    mpq_clears(part, sum, NULL);
}
