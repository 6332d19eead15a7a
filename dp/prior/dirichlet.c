/*
 * Computes the values of a Dirichlet posterior as sums of integrals (dp/prior/dirichlet.h), rounded
 * to nearest: the precision of each ball is raised until all of it rounds to one double.
 */
#include "dp/prior/dirichlet.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/prior/beta_walk.h"
#include "dp/prior/dirichlet_rule.h"

/* Two words decide nearly every number. A number that the last precision leaves open lies halfway
 * between two doubles, or at zero, to TINY_BITS, and counts as that. */
static const slong precisions[] = {128, 256, 512};
enum { PRECISION_COUNT = sizeof precisions / sizeof *precisions, TINY_BITS = 384 };

struct og_dirichlet {
    int32_t classes, depth;
    og_fraction alpha[OG_CLASSES_MAX];
    dirichlet_rule *rule[PRECISION_COUNT]; /* NULL: not needed yet */
};

/* A posterior being evaluated at one precision. Places are the classes by decreasing parameters. */
typedef struct {
    const og_dirichlet *dirichlet;
    dirichlet_rule *rule;
    slong precision;
    int32_t counts[OG_CLASSES_MAX];
    int32_t class_[OG_CLASSES_MAX]; /* of a place */
    og_fraction a[OG_CLASSES_MAX];  /* of a place */
    int32_t first[OG_CLASSES_MAX];  /* the first place with the same parameter */
    bool known[OG_CLASSES_MAX][OG_CLASSES_MAX];
    arb_t pair[OG_CLASSES_MAX][OG_CLASSES_MAX]; /* U, if known */
    og_worth_kind worth;
    bool is_chance[OG_CLASSES_MAX];
    arb_t chance[OG_CLASSES_MAX]; /* I, if known */
} node;

og_status og_dirichlet_new(int32_t classes, const og_fraction *alpha, int32_t depth,
                           og_dirichlet **out)
{
    og_dirichlet *dirichlet = calloc(1, sizeof *dirichlet);
    OG_TRY(OG_ALLOCATED(dirichlet));
    dirichlet->classes = classes;
    dirichlet->depth = depth;
    memcpy(dirichlet->alpha, alpha, (size_t)classes * sizeof *alpha);
    *out = dirichlet;
    return OG_OK;
}

void og_dirichlet_free(og_dirichlet *dirichlet)
{
    if (dirichlet == NULL) {
        return;
    }
    for (size_t i = 0; i < PRECISION_COUNT; i++) {
        og_dirichlet_rule_free(dirichlet->rule[i]);
    }
    free(dirichlet);
}

uint64_t og_dirichlet_bytes(int32_t classes, const og_fraction *alpha, int32_t depth)
{
    return sizeof(og_dirichlet) + og_dirichlet_rule_columns(classes, alpha, depth, precisions[0]) *
                                      og_dirichlet_rule_column_bytes(classes, depth, precisions[0]);
}

static void node_init(node *at, const og_dirichlet *dirichlet, dirichlet_rule *rule,
                      slong precision, const int32_t *counts)
{
    int32_t classes = dirichlet->classes;
    assert(classes >= 2 && classes <= OG_CLASSES_MAX);
    at->dirichlet = dirichlet;
    at->rule = rule;
    at->precision = precision;
    for (int32_t c = 0; c < classes; c++) {
        og_fraction a = og_fraction_plus(dirichlet->alpha[c], counts[c]);
        int32_t j = c;
        at->counts[c] = counts[c];
        for (; j > 0 && og_fraction_compare(at->a[j - 1], a) < 0; j--) {
            at->a[j] = at->a[j - 1];
            at->class_[j] = at->class_[j - 1];
        }
        at->a[j] = a;
        at->class_[j] = c;
    }
    for (int32_t i = 0; i < classes; i++) {
        bool same = i > 0 && og_fraction_compare(at->a[i], at->a[i - 1]) == 0;
        at->first[i] = same ? at->first[i - 1] : i;
        at->is_chance[i] = false;
        arb_init(at->chance[i]);
        for (int32_t j = 0; j < classes; j++) {
            at->known[i][j] = false;
            arb_init(at->pair[i][j]);
        }
    }
}

static void node_clear(node *at)
{
    for (int32_t i = 0; i < at->dirichlet->classes; i++) {
        arb_clear(at->chance[i]);
        for (int32_t j = 0; j < at->dirichlet->classes; j++) {
            arb_clear(at->pair[i][j]);
        }
    }
}

static dirichlet_integral integral_of(const node *at, dirichlet_kind kind, int32_t first,
                                      int32_t second)
{
    dirichlet_integral integral = {.kind = kind,
                                   .first = at->class_[first],
                                   .second = at->class_[second],
                                   .order = at->class_};
    for (int32_t c = 0; c < at->dirichlet->classes; c++) {
        integral.counts[c] = at->counts[c];
    }
    return integral;
}

/* U of two places; for equal parameters it is the same number. */
static og_status pair_of(node *at, int32_t i, int32_t j, arb_srcptr *out)
{
    int32_t low = at->first[i < j ? i : j], high = at->first[i < j ? j : i];
    if (low == high) {
        high++;
    }
    if (!at->known[low][high]) {
        dirichlet_integral integral = integral_of(at, DIRICHLET_PAIR, low, high);
        OG_TRY(og_dirichlet_integrate(at->rule, &integral, at->pair[low][high]));
        at->known[low][high] = true;
    }
    *out = at->pair[low][high];
    return OG_OK;
}

/* sum of U_ci over c /= i. */
static og_status rise_of(node *at, int32_t i, arb_t out)
{
    arb_srcptr pair;
    arb_zero(out);
    for (int32_t c = 0; c < at->dirichlet->classes; c++) {
        if (c != i) {
            OG_TRY(pair_of(at, c, i, &pair));
            arb_add(out, out, pair, at->precision);
        }
    }
    return OG_OK;
}

/* D of the node after one more label, place i before place 0, if that label flips the call. */
static og_status lead_of(node *at, int32_t i, arb_t out)
{
    if (at->first[i] == 0) {
        arb_srcptr pair;
        OG_TRY(rise_of(at, i, out));
        OG_TRY(pair_of(at, 0, i, &pair));
        arb_add(out, out, pair, at->precision);
        og_dirichlet_divide(at->rule, at->counts, at->class_[i], out);
        return OG_OK;
    }
    dirichlet_integral integral = integral_of(at, DIRICHLET_LEAD, i, 0);
    integral.counts[integral.first]++;
    return og_dirichlet_integrate(at->rule, &integral, out);
}

/* Compares place i after one more label with the leader, place 0. */
static int compare_after_label(const node *at, int32_t i)
{
    return og_fraction_compare(og_fraction_plus(at->a[i], 1), at->a[0]);
}

static og_status reward_ball(node *at, arb_t out)
{
    arb_t lead, share;
    og_status status = OG_OK;
    og_balls_init(lead, share, NULL);
    arb_zero(out);
    for (int32_t i = 1; i < at->dirichlet->classes && compare_after_label(at, i) > 0; i++) {
        if (i == 1 || at->first[i] != at->first[i - 1]) {
            status = lead_of(at, i, lead);
        }
        if (status != OG_OK) {
            break;
        }
        og_dirichlet_share(at->rule, at->counts, at->class_[i], share);
        arb_addmul(out, lead, share, at->precision);
    }
    og_balls_clear(lead, share, NULL);
    return status;
}

static og_status gain_ball(node *at, int32_t i, arb_t out)
{
    arb_srcptr pair;
    arb_t fall;
    if (at->first[i] == 0) {
        og_status status = rise_of(at, i, out);
        og_dirichlet_divide(at->rule, at->counts, at->class_[i], out);
        return status;
    }
    og_status status = OG_OK;
    OG_TRY(pair_of(at, 0, i, &pair));
    arb_init(fall);
    arb_set(fall, pair);
    og_dirichlet_divide(at->rule, at->counts, at->class_[i], fall);
    arb_zero(out);
    if (compare_after_label(at, i) > 0) {
        status = lead_of(at, i, out);
    }
    arb_sub(out, out, fall, at->precision);
    arb_clear(fall);
    return status;
}

static og_status call_ball(node *at, arb_t out)
{
    dirichlet_integral integral = integral_of(at, DIRICHLET_CHANCE, 0, 0);
    return og_dirichlet_integrate(at->rule, &integral, out);
}

typedef enum { VALUE_CALL, VALUE_REWARD, VALUE_GAINS } value_kind;

/* ---- worths that are not of calls ---- */

/* I of a place; for equal parameters it is the same number. */
static og_status chance_of(node *at, int32_t i, arb_srcptr *out)
{
    int32_t first = at->first[i];
    if (!at->is_chance[first]) {
        dirichlet_integral integral = integral_of(at, DIRICHLET_CHANCE, first, first);
        OG_TRY(og_dirichlet_integrate(at->rule, &integral, at->chance[first]));
        at->is_chance[first] = true;
    }
    *out = at->chance[first];
    return OG_OK;
}

/* D_ck of two places. */
static og_status change_of(node *at, int32_t c, int32_t k, arb_t out)
{
    arb_srcptr pair;
    if (c == k) {
        OG_TRY(rise_of(at, k, out));
    } else {
        OG_TRY(pair_of(at, c, k, &pair));
        arb_neg(out, pair);
    }
    og_dirichlet_divide(at->rule, at->counts, at->class_[k], out);
    return OG_OK;
}

/* out = I (I - 1), or I ln I; `room` is scratch. */
static void worth_ball(const node *at, arb_srcptr chance, arb_t out, arb_t room)
{
    if (at->worth == OG_WORTH_BRIER) {
        arb_sub_ui(room, chance, 1, at->precision);
    } else {
        arb_log(room, chance, at->precision);
    }
    arb_mul(out, chance, room, at->precision);
}

static og_status call_worth(node *at, arb_t out, arb_t part, arb_t room)
{
    arb_srcptr chance;
    arb_zero(out);
    for (int32_t c = 0; c < at->dirichlet->classes; c++) {
        OG_TRY(chance_of(at, c, &chance));
        worth_ball(at, chance, part, room);
        arb_add(out, out, part, at->precision);
    }
    return OG_OK;
}

/* Adds to `out` the summand of R of one class, without p_k; change is D_ck. */
static void add_divergence(const node *at, arb_srcptr chance, arb_t change, arb_t out, arb_t room)
{
    if (at->worth == OG_WORTH_BRIER) {
        arb_addmul(out, change, change, at->precision);
        return;
    }
    arb_div(room, change, chance, at->precision);
    arb_log1p(room, room, at->precision);
    arb_add(change, change, chance, at->precision);
    arb_addmul(out, change, room, at->precision);
}

/* Adds to `out` a class's part of the gain, of brier D (2I + D - 1). */
static void add_gain(const node *at, arb_srcptr chance, arb_t change, arb_t out, arb_t room)
{
    if (at->worth == OG_WORTH_BRIER) {
        arb_mul_2exp_si(room, chance, 1);
        arb_add(room, room, change, at->precision);
        arb_sub_ui(room, room, 1, at->precision);
        arb_addmul(out, room, change, at->precision);
        return;
    }
    arb_log(room, chance, at->precision);
    arb_submul(out, room, chance, at->precision);
    arb_add(change, change, chance, at->precision);
    arb_log(room, change, at->precision);
    arb_addmul(out, room, change, at->precision);
}

/* The sum over all classes after a label of place k. */
static og_status sum_after(node *at, bool gain, int32_t k, arb_t out, arb_t change, arb_t room)
{
    arb_srcptr chance;
    arb_zero(out);
    for (int32_t c = 0; c < at->dirichlet->classes; c++) {
        OG_TRY(chance_of(at, c, &chance));
        OG_TRY(change_of(at, c, k, change));
        (gain ? add_gain : add_divergence)(at, chance, change, out, room);
    }
    return OG_OK;
}

static og_status reward_worth(node *at, arb_t out, arb_t part, arb_t room)
{
    arb_t after;
    og_status status = OG_OK;
    arb_init(after);
    arb_zero(out);
    for (int32_t k = 0; status == OG_OK && k < at->dirichlet->classes; k++) {
        status = sum_after(at, false, k, after, part, room);
        og_dirichlet_share(at->rule, at->counts, at->class_[k], part);
        arb_addmul(out, after, part, at->precision);
    }
    arb_clear(after);
    return status;
}

static og_status named_value(node *at, value_kind kind, int32_t i, arb_t out)
{
    arb_t part, room;
    og_balls_init(part, room, NULL);
    og_status status = kind == VALUE_REWARD  ? reward_worth(at, out, part, room)
                       : kind == VALUE_GAINS ? sum_after(at, true, i, out, part, room)
                                             : call_worth(at, out, part, room);
    og_balls_clear(part, room, NULL);
    return status;
}

/* Squared: closed forms, as gains from values. */
static void variance_values(const og_dirichlet *dirichlet, const int32_t *counts, value_kind kind,
                            double *out)
{
    og_fraction a[OG_CLASSES_MAX];
    mpq_t here, next, part, sum;
    mpq_inits(here, next, part, sum, NULL);
    for (int32_t c = 0; c < dirichlet->classes; c++) {
        a[c] = og_fraction_plus(dirichlet->alpha[c], counts[c]);
        og_fraction_get_mpq(part, a[c]);
        mpq_add(sum, sum, part);
    }
    og_dirichlet_exact_worth(OG_WORTH_SQUARED, dirichlet->classes, a, here);
    if (kind == VALUE_REWARD) { /* R = -h / (A+1) */
        mpq_set_ui(part, 1, 1);
        mpq_add(sum, sum, part);
        mpq_neg(here, here);
        mpq_div(here, here, sum);
    }
    *out = og_nearest(here);
    for (int32_t c = 0; kind == VALUE_GAINS && c < dirichlet->classes; c++) {
        a[c] = og_fraction_plus(a[c], 1);
        og_dirichlet_exact_worth(OG_WORTH_SQUARED, dirichlet->classes, a, next);
        a[c] = og_fraction_plus(dirichlet->alpha[c], counts[c]);
        mpq_sub(next, next, here);
        out[c] = og_nearest(next);
    }
    mpq_clears(here, next, part, sum, NULL);
}

/* ---- all values ---- */

/* Value i of a kind; OG_STOPPED if the precision does not decide it. */
static og_status one_value(node *at, value_kind kind, int32_t i, bool last, double *out)
{
    arb_t ball;
    arb_init(ball);
    og_status status = at->worth != OG_WORTH_CALLS ? named_value(at, kind, i, ball)
                       : kind == VALUE_REWARD      ? reward_ball(at, ball)
                       : kind == VALUE_GAINS       ? gain_ball(at, i, ball)
                                                   : call_ball(at, ball);
    if (status == OG_OK && !og_nearest_of_ball(ball, at->precision, last ? TINY_BITS : 0, out)) {
        status = OG_STOPPED;
    }
    *out += 0.0; /* no negative zero */
    arb_clear(ball);
    return status;
}

static og_status all_values(node *at, value_kind kind, bool last, double *out)
{
    og_status status = OG_OK;
    if (kind != VALUE_GAINS) {
        return one_value(at, kind, 0, last, out);
    }
    for (int32_t i = 0; i < at->dirichlet->classes && status == OG_OK; i++) {
        if (at->first[i] != i) {
            out[at->class_[i]] = out[at->class_[i - 1]];
        } else {
            status = one_value(at, kind, i, last, &out[at->class_[i]]);
        }
    }
    return status;
}

static og_status valued(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                        value_kind kind, double *out)
{
    og_status status = OG_STOPPED;
    if (worth == OG_WORTH_SQUARED) {
        variance_values(dirichlet, counts, kind, out);
        return OG_OK;
    }
    for (size_t p = 0; p < PRECISION_COUNT && status == OG_STOPPED; p++) {
        if (dirichlet->rule[p] == NULL) {
            OG_TRY(og_dirichlet_rule_new(dirichlet->classes, dirichlet->alpha, dirichlet->depth,
                                         precisions[p], &dirichlet->rule[p]));
        }
        node at;
        node_init(&at, dirichlet, dirichlet->rule[p], precisions[p], counts);
        at.worth = worth;
        status = all_values(&at, kind, p + 1 == PRECISION_COUNT, out);
        node_clear(&at);
    }
    return status == OG_STOPPED ? OG_FAILED : status;
}

og_status og_dirichlet_call(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                            double *call)
{
    return valued(dirichlet, worth, counts, VALUE_CALL, call);
}

og_status og_dirichlet_reward(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                              double *reward)
{
    og_status status = valued(dirichlet, worth, counts, VALUE_REWARD, reward);
    if (worth != OG_WORTH_CALLS) {
        *reward = fmax(*reward, DBL_MIN);
        return status;
    }
    return status == OG_OK && *reward != 0 && *reward < DBL_MIN ? OG_FAILED : status;
}

og_status og_dirichlet_gains(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                             double *gain)
{
    return valued(dirichlet, worth, counts, VALUE_GAINS, gain);
}
