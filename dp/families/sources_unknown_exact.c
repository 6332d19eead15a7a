/*
 * Sources of unknown accuracy in fractions: a table's sum over truths as in
 * dp/families/sources_unknown.c, in whole numbers over one denominator.
 */
#define OG_CROWD_WHOLE
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/families/crowd.h"
#include "dp/families/sources_unknown_sums.h"

typedef struct {
    og_arena arena;
    sums sums;
    mpq_t *plus, *minus; /* [count] */
    mpq_t *scratch;      /* [SCRATCH] */
} fractions;

enum { A, B, STEP, COPY, UNDER = OG_CROWD_SCRATCH, SCRATCH };

static mpz_ptr at(mpq_t *array, size_t i)
{
    return mpq_numref(array[i]);
}

static og_status make_room(fractions *f)
{
    sums *s = &f->sums;
    s->forward = og_arena_fractions(&f->arena, s->vectors);
    s->forward_next = og_arena_fractions(&f->arena, s->vectors);
    s->backward = og_arena_fractions(&f->arena, (s->instances + 1) * s->vectors);
    s->part = og_arena_fractions(&f->arena, 2);
    for (int32_t j = 0; j < s->problem->source_count; j++) {
        size_t side = (size_t)s->labels[j] + 1;
        s->factor[j] = s->stride[j] > 0 ? og_arena_fractions(&f->arena, side) : NULL;
    }
    f->plus = og_arena_fractions(&f->arena, (size_t)s->count);
    f->minus = og_arena_fractions(&f->arena, (size_t)s->count);
    f->scratch = og_arena_fractions(&f->arena, SCRATCH);
    return og_arena_status(&f->arena);
}

/* The weights of an instance of a group. With labels they are whole, and UNDER is multiplied by the
 * denominators of all copies. */
static void weigh_group(fractions *f, const og_crowd_group *group, mpq_ptr plus, mpq_ptr minus)
{
    const og_fraction *prior = f->sums.problem->prior[group->prior].part;
    mpz_ptr a = at(f->scratch, A), b = at(f->scratch, B), g = at(f->scratch, STEP);
    mpz_ptr under = at(f->scratch, COPY);
    bool labelled = false;
    og_mpz_set_pair(prior[0], prior[1], mpq_numref(plus), mpq_numref(minus), g);
    mpz_add(under, mpq_numref(plus), mpq_numref(minus));
    for (int32_t j = 0; j < f->sums.problem->source_count; j++) {
        const og_crowd_source *source = &f->sums.problem->source[j];
        const int32_t labels = group->label[2 * j] + group->label[2 * j + 1];
        labelled = labelled || labels > 0;
        if (!source->known || labels == 0) {
            continue;
        }
        og_mpz_set_pair(source->part[0], source->part[1], a, b, g);
        for (int32_t k = 0; k < labels; k++) {
            bool positive = k < group->label[2 * j];
            mpz_mul(mpq_numref(plus), mpq_numref(plus), positive ? a : b);
            mpz_mul(mpq_numref(minus), mpq_numref(minus), positive ? b : a);
            mpz_mul(under, under, g);
        }
    }
    if (labelled) {
        mpz_pow_ui(under, under, (uint32_t)group->copies);
        mpz_mul(at(f->scratch, UNDER), at(f->scratch, UNDER), under);
    } else {
        mpz_set(mpq_denref(plus), under);
        mpz_set(mpq_denref(minus), under);
    }
}

og_status og_crowd_called_exact(const og_crowd_problem *problem, const og_crowd_group *group,
                                int32_t count, mpq_t out, mpq_ptr table)
{
    fractions f = {.sums = sums_begin(problem, group, count)};
    og_status status = make_room(&f);
    if (status == OG_OK) {
        mpz_set_ui(at(f.scratch, UNDER), 1);
        for (int32_t i = 0; i < count; i++) {
            weigh_group(&f, &group[i], f.plus[i], f.minus[i]);
        }
        for (int32_t j = 0; j < problem->source_count; j++) {
            if (f.sums.stride[j] > 0) {
                og_crowd_factors_exact(problem->source[j].part, false, f.sums.labels[j],
                                       f.sums.factor[j], at(f.scratch, UNDER), f.scratch);
            }
        }
        sum_truths(&f.sums, f.plus, f.minus);
        mpq_set_ui(out, 0, 1);
        for (int32_t i = 0; i < count; i++) {
            mpq_ptr larger = mpq_cmp(f.plus[i], f.minus[i]) > 0 ? f.plus[i] : f.minus[i];
            mpq_canonicalize(larger);
            og_add_multiple(out, group[i].copies, larger);
        }
        mpz_mul(mpq_denref(out), mpq_denref(out), at(f.scratch, UNDER));
        mpq_canonicalize(out);
        if (table != NULL) {
            mpq_canonicalize(f.plus[0]);
            mpq_canonicalize(f.minus[0]);
            mpq_add(table, f.plus[0], f.minus[0]);
            mpz_mul(mpq_denref(table), mpq_denref(table), at(f.scratch, UNDER));
            mpq_canonicalize(table);
        }
    }
    og_arena_clear(&f.arena);
    return status;
}

/* ---- values ---- */

/* The expected number of right calls without a label. */
void og_crowd_prior_exact(const og_crowd_problem *problem, mpq_t out)
{
    mpq_t part, sum;
    mpq_inits(part, sum, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t g = 0; g < problem->group_count; g++) {
        const og_fraction *pair = problem->prior[problem->prior_of_group[g]].part;
        og_fraction_get_mpq(part, pair[0]);
        og_fraction_get_mpq(sum, pair[1]);
        mpq_add(sum, sum, part);
        og_fraction_get_mpq(part, pair[og_fraction_compare(pair[0], pair[1]) < 0]);
        mpq_div(part, part, sum);
        og_add_multiple(out, problem->size_of_group[g], part);
    }
    mpq_clears(part, sum, NULL);
}
