/*
 * The posterior of the truths after a table of labels, in fractions. Over one denominator a factor
 * is a product of whole numbers: with q = a / g, or Beta(a / g, b / g), the factor of r right
 * labels and w wrong ones is
 *
 *   a (a + s) ... (a + (r - 1) s) * b (b + s) ... (b + (w - 1) s)
 *     divided by (a + b) (a + b + s) ... (a + b + (r + w - 1) s),
 *
 * where s = 0 and b = g - a if q is known, and s = g if not.
 */
#include <stddef.h>

#include "dp/base/wide.h"
#include "dp/families/assignment.h"

enum { TOGETHER = OG_ASSIGNMENT_TOGETHER_MAX };

/* Labelled tasks of a context: all of them, or one if q is known. */
typedef struct {
    const og_assignment *of;
    const int8_t *label;
    int32_t context, tasks;
    int32_t task[TOGETHER];
    mpq_t *weight;  /* [workers][TOGETHER + 1] whole: for each number of right labels of a worker */
    mpq_t *part[2]; /* [TOGETHER] whole: the sum for truth -1, +1 of a task */
    mpq_t *whole;   /* [6] scratch: a, b, s, a + b + ks; a term; the product of denominators */
} cluster;

static int8_t label_of(const cluster *c, int32_t k, int32_t j)
{
    return c->label[(ptrdiff_t)c->task[k] * c->of->workers + j];
}

static mpz_ptr weight_of(const cluster *c, int32_t j, int32_t right)
{
    return mpq_numref(c->weight[(ptrdiff_t)j * (TOGETHER + 1) + right]);
}

/* a, b and s of a worker, over one denominator. */
static void read_parameters(const cluster *c, int32_t j)
{
    const og_fraction *pair = c->of->accuracy[(ptrdiff_t)c->context * c->of->workers + j];
    mpz_ptr a = mpq_numref(c->whole[0]), b = mpq_numref(c->whole[1]), s = mpq_numref(c->whole[2]);
    og_mpz_set_pair(pair[0], pair[1], a, b, s);
    if (c->of->known) {
        mpz_set_ui(s, 0);
    }
}

/* of * (from) (from + s) ..., `count` of them. */
static void multiply_rising(mpz_ptr of, mpz_srcptr from, mpz_srcptr step, int32_t count,
                            mpz_ptr scratch)
{
    mpz_set(scratch, from);
    for (int32_t k = 0; k < count; k++) {
        mpz_mul(of, of, scratch);
        mpz_add(scratch, scratch, step);
    }
}

/* The weights for each number of right labels of a worker, and the denominator's part. */
static void weigh_worker(const cluster *c, int32_t j)
{
    mpz_ptr a = mpq_numref(c->whole[0]), b = mpq_numref(c->whole[1]), s = mpq_numref(c->whole[2]);
    mpz_ptr scratch = mpq_numref(c->whole[3]);
    int32_t labels = 0;
    for (int32_t k = 0; k < c->tasks; k++) {
        labels += label_of(c, k, j) != 0;
    }
    read_parameters(c, j);
    for (int32_t r = 0; r <= labels; r++) {
        mpz_set_ui(weight_of(c, j, r), 1);
        multiply_rising(weight_of(c, j, r), a, s, r, scratch);
        multiply_rising(weight_of(c, j, r), b, s, labels - r, scratch);
    }
    mpz_add(a, a, b);
    multiply_rising(mpq_numref(c->whole[5]), a, s, labels, scratch);
}

/* The weight of these truths, a bit for each task. */
static void weigh_truths(const cluster *c, uint32_t truths, mpz_ptr out)
{
    mpz_set_ui(out, 1);
    for (int32_t j = 0; j < c->of->workers; j++) {
        int32_t right = 0;
        for (int32_t k = 0; k < c->tasks; k++) {
            right += label_of(c, k, j) == ((truths >> k & 1) != 0 ? 1 : -1);
        }
        mpz_mul(out, out, weight_of(c, j, right));
    }
}

/* Computes all sums of the cluster; writes its share of the evidence to *here. */
static void sum_cluster(const cluster *c, mpq_ptr here)
{
    mpz_ptr term = mpq_numref(c->whole[4]), under = mpq_numref(c->whole[5]);
    mpz_set_ui(under, 1);
    mpz_mul_2exp(under, under, (mp_bitcnt_t)c->tasks);
    for (int32_t j = 0; j < c->of->workers; j++) {
        weigh_worker(c, j);
    }
    mpq_set_ui(here, 0, 1);
    for (int32_t k = 0; k < c->tasks; k++) {
        mpq_set_ui(c->part[0][k], 0, 1);
        mpq_set_ui(c->part[1][k], 0, 1);
    }
    for (uint32_t truths = 0; truths < UINT32_C(1) << c->tasks; truths++) {
        weigh_truths(c, truths, term);
        mpz_add(mpq_numref(here), mpq_numref(here), term);
        for (int32_t k = 0; k < c->tasks; k++) {
            mpz_ptr sum = mpq_numref(c->part[truths >> k & 1][k]);
            mpz_add(sum, sum, term);
        }
    }
    mpz_set(mpq_denref(here), under);
    mpq_canonicalize(here);
    for (int32_t k = 0; k < 2 * c->tasks; k++) {
        mpq_ptr part = c->part[k % 2][k / 2];
        mpz_set(mpq_denref(part), under);
        mpq_canonicalize(part);
    }
}

/* Collects labelled tasks of a context from *next on, which moves past them. */
static void gather(cluster *c, int32_t context, int32_t *next)
{
    const og_assignment *of = c->of;
    const int32_t most = of->known ? 1 : TOGETHER;
    c->context = context;
    c->tasks = 0;
    while (*next < of->tasks && c->tasks < most) {
        const int8_t *row = &c->label[(ptrdiff_t)*next * of->workers];
        bool labelled = false;
        for (int32_t j = 0; j < of->workers; j++) {
            labelled = labelled || row[j] != 0;
        }
        if (labelled && of->context[*next] == context) {
            c->task[c->tasks++] = *next;
        }
        ++*next;
    }
}

/* Multiplies the evidence so far by the cluster. */
static void multiply(const cluster *c, mpq_srcptr here, mpq_ptr evidence, mpq_t *plus, mpq_t *minus)
{
    for (int32_t i = 0; plus != NULL && i < c->of->tasks; i++) {
        mpq_mul(plus[i], plus[i], here);
        mpq_mul(minus[i], minus[i], here);
    }
    for (int32_t k = 0; plus != NULL && k < c->tasks; k++) {
        mpq_mul(minus[c->task[k]], c->part[0][k], evidence);
        mpq_mul(plus[c->task[k]], c->part[1][k], evidence);
    }
    mpq_mul(evidence, evidence, here);
}

og_status og_assignment_weigh_exact(const og_assignment *of, const int8_t *label, mpq_t evidence,
                                    mpq_t *plus, mpq_t *minus)
{
    og_arena arena = {0};
    cluster c = {.of = of, .label = label};
    c.weight = og_arena_fractions(&arena, (size_t)of->workers * (TOGETHER + 1));
    c.part[0] = og_arena_fractions(&arena, TOGETHER);
    c.part[1] = og_arena_fractions(&arena, TOGETHER);
    c.whole = og_arena_fractions(&arena, 6);
    mpq_t *here = og_arena_fractions(&arena, 1);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        mpq_set_ui(evidence, 1, 1);
        for (int32_t i = 0; plus != NULL && i < of->tasks; i++) {
            mpq_set_ui(plus[i], 1, 2);
            mpq_set_ui(minus[i], 1, 2);
        }
        for (int32_t s = 0; s < of->contexts; s++) {
            for (int32_t next = 0; next < of->tasks;) {
                gather(&c, s, &next);
                if (c.tasks > 0) {
                    sum_cluster(&c, here[0]);
                    multiply(&c, here[0], evidence, plus, minus);
                }
            }
        }
    }
    og_arena_clear(&arena);
    return status;
}
