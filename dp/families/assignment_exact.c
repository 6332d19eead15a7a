/* The posterior of the truths after a table of labels in fractions: the sums of
 * dp/families/assignment.c in whole numbers over one denominator. */
#define OG_CROWD_WHOLE
#include "dp/families/assignment_sums.h"
#include "dp/families/crowd.h"

typedef struct {
    mpq_t *factor;  /* [workers][TOGETHER + 1] */
    mpq_t *under;   /* [1] the denominator of all sums so far */
    mpq_t *scratch; /* [OG_CROWD_SCRATCH] */
} fractions;

static mpq_t *factors_of(const cluster *c, int32_t j, int32_t labels)
{
    const fractions *own = c->own;
    mpq_t *factor = &own->factor[(ptrdiff_t)j * (TOGETHER + 1)];
    og_crowd_factors_exact(
        c->assignment->accuracy[(ptrdiff_t)c->context * c->assignment->workers + j],
        c->assignment->known, labels, factor, mpq_numref(*own->under), own->scratch);
    return factor;
}

static number_in halve(cluster *c, number_in whole)
{
    const fractions *own = c->own;
    mpz_mul_2exp(mpq_numref(*own->under), mpq_numref(*own->under), (mp_bitcnt_t)c->tasks);
    return whole;
}

static void divide(mpq_ptr value, mpq_srcptr under)
{
    mpz_mul(mpq_denref(value), mpq_denref(value), mpq_numref(under));
    mpq_canonicalize(value);
}

og_status og_assignment_weigh_exact(const og_assignment *assignment, const int8_t *label,
                                    mpq_t evidence, mpq_t *plus, mpq_t *minus)
{
    og_arena arena = {0};
    fractions own;
    cluster c = {.assignment = assignment, .own = &own, .label = label};
    own.factor = og_arena_fractions(&arena, (size_t)assignment->workers * (TOGETHER + 1));
    own.under = og_arena_fractions(&arena, 1);
    own.scratch = og_arena_fractions(&arena, OG_CROWD_SCRATCH);
    og_status status = og_arena_status(&arena);
    for (int32_t k = 0; k <= TOGETHER; k++) {
        mpq_inits(c.part[k][0], c.part[k][1], c.sum[k][0], c.sum[k][1], NULL);
    }
    if (status == OG_OK) {
        mpq_set_ui(*own.under, 1, 1);
        mpq_set_ui(evidence, 1, 1);
        weigh(&c, (mpq_t *)evidence, plus, minus);
        divide(evidence, *own.under);
        for (int32_t i = 0; plus != NULL && i < assignment->tasks; i++) {
            divide(plus[i], *own.under);
            divide(minus[i], *own.under);
        }
    }
    for (int32_t k = 0; k <= TOGETHER; k++) {
        mpq_clears(c.part[k][0], c.part[k][1], c.sum[k][0], c.sum[k][1], NULL);
    }
    og_arena_clear(&arena);
    return status;
}
