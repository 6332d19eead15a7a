/*
 * The trapezoidal rule of dp/prior/dirichlet_rule.h. A column holds, at one x, x f and F of every
 * class after 0 .. depth + 1 labels; columns are computed when an integral first needs them, and
 * kept.
 */
#include "dp/prior/dirichlet_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

typedef struct {
    arb_ptr density; /* [classes][rows] x f; NULL: not made yet */
    arb_ptr below;   /* [classes][rows] F */
} column;

/* Columns of x = e^(ih): side[0] those of i = 0, 1, .., side[1] of i = -1, -2, .. */
typedef struct {
    column *column;
    int64_t capacity;
} column_side;

struct dirichlet_rule {
    int32_t classes, rows;
    slong precision, bits; /* bits: the intended relative accuracy */
    og_fraction alpha[OG_CLASSES_MAX];
    arb_ptr part;      /* [classes] alpha */
    arb_ptr log_gamma; /* [classes] of alpha + 1 */
    arb_t total;       /* sum of the alphas */
    double step;       /* h */
    mag_t error;       /* of the rule, relative to the rule's own value */
    column_side side[2];
    arb_t scratch[3], tail;
};

enum { EXTRA_BITS = 64 };

/* Parameters reach 10^6 and logarithms of gamma functions 10^8: exponents lose 28 bits, and as many
 * again for long products. */
static slong work_bits(const dirichlet_rule *rule)
{
    return rule->precision + EXTRA_BITS;
}

/* The d and h with the fewest columns for 2 cos(d)^-A / (e^(2 pi d/h) - 1) <= 2^-bits: the largest
 * h = 2 pi d / (c - A log cos d), c = (bits + 2) log 2, has d tan d = (c - A log cos d) / A. */
static double choose_step(double total, slong bits, double *strip)
{
    double c = (double)(bits + 2) * M_LN2, low = 0, high = M_PI_2;
    for (int i = 0; i < 40; i++) {
        double d = (low + high) / 2;
        if (total * d * tan(d) < c - total * log(cos(d))) {
            low = d;
        } else {
            high = d;
        }
    }
    *strip = low;
    return 2 * M_PI * low / (c - total * log(cos(low)));
}

/* For any chosen step and strip: e, and e/(1-e), as |rule - V| <= e V. */
static void bound_error(dirichlet_rule *rule, const arb_t total, double strip)
{
    arb_t value, other;
    slong precision = 64;
    og_balls_init(value, other, NULL);
    arb_set_d(value, strip);
    arb_cos(value, value, precision);
    arb_log(value, value, precision);
    arb_mul(value, value, total, precision);
    arb_neg(value, value);
    arb_exp(value, value, precision);
    arb_const_pi(other, precision);
    arb_mul_2exp_si(other, other, 1);
    arb_set_d(rule->scratch[0], strip);
    arb_mul(other, other, rule->scratch[0], precision);
    arb_set_d(rule->scratch[0], rule->step);
    arb_div(other, other, rule->scratch[0], precision);
    arb_expm1(other, other, precision);
    arb_div(value, value, other, precision);
    arb_mul_2exp_si(value, value, 1);
    arb_sub_ui(other, value, 1, precision);
    arb_neg(other, other);
    arb_div(value, value, other, precision);
    arb_get_mag(rule->error, value);
    og_balls_clear(value, other, NULL);
}

static double sum_of(int32_t classes, const og_fraction *alpha)
{
    double sum = 0;
    for (int32_t c = 0; c < classes; c++) {
        sum += og_fraction_double(alpha[c]);
    }
    return sum;
}

static void set_up(dirichlet_rule *rule)
{
    double strip;
    slong work = work_bits(rule);
    arb_t most;
    rule->part = _arb_vec_init(rule->classes);
    rule->log_gamma = _arb_vec_init(rule->classes);
    for (int32_t c = 0; c < rule->classes; c++) {
        og_set_fraction(rule->part + c, rule->alpha[c], work);
        arb_add(rule->total, rule->total, rule->part + c, work);
        arb_add_ui(rule->log_gamma + c, rule->part + c, 1, work);
        arb_lgamma(rule->log_gamma + c, rule->log_gamma + c, work);
    }
    /* The bound grows with A: the h of the largest posterior is valid for all. */
    arb_init(most);
    arb_add_si(most, rule->total, rule->rows - 1, work);
    rule->step =
        choose_step(sum_of(rule->classes, rule->alpha) + rule->rows - 1, rule->bits, &strip);
    bound_error(rule, most, strip);
    arb_clear(most);
}

og_status og_dirichlet_rule_new(int32_t classes, const og_fraction *alpha, int32_t depth,
                                slong precision, dirichlet_rule **out)
{
    dirichlet_rule *rule = calloc(1, sizeof *rule);
    OG_TRY(OG_ALLOCATED(rule));
    rule->classes = classes;
    rule->rows = depth + 2; /* for A < 1, one label more than asked for */
    rule->precision = precision;
    rule->bits = precision - OG_DIRICHLET_GUARD;
    memcpy(rule->alpha, alpha, (size_t)classes * sizeof *alpha);
    mag_init(rule->error);
    og_balls_init(rule->total, rule->tail, rule->scratch[0], rule->scratch[1], rule->scratch[2],
                  NULL);
    set_up(rule);
    *out = rule;
    return OG_OK;
}

static slong cells(const dirichlet_rule *rule)
{
    return (slong)rule->classes * rule->rows;
}

void og_dirichlet_rule_free(dirichlet_rule *rule)
{
    if (rule == NULL) {
        return;
    }
    for (size_t s = 0; s < 2; s++) {
        for (int64_t i = 0; i < rule->side[s].capacity; i++) {
            if (rule->side[s].column[i].density != NULL) {
                _arb_vec_clear(rule->side[s].column[i].density, cells(rule));
                _arb_vec_clear(rule->side[s].column[i].below, cells(rule));
            }
        }
        free(rule->side[s].column);
    }
    _arb_vec_clear(rule->log_gamma, rule->classes);
    _arb_vec_clear(rule->part, rule->classes);
    og_balls_clear(rule->total, rule->tail, rule->scratch[0], rule->scratch[1], rule->scratch[2],
                   NULL);
    mag_clear(rule->error);
    free(rule);
}

/* An arb of two limbs holds them itself; more live on the heap. */
static uint64_t number_bytes(slong precision)
{
    return sizeof(arb_struct) + (precision <= 128 ? 0 : (uint64_t)precision / 8 + 16);
}

uint64_t og_dirichlet_rule_column_bytes(int32_t classes, int32_t depth, slong precision)
{
    return sizeof(column) + 2 * (uint64_t)classes * ((uint64_t)depth + 2) * number_bytes(precision);
}

/*
 * The range of columns: to the left of x = A/(2C) terms fall at least like e^(A t / 2), and finally
 * like e^(A t); to the right of 2A like e^-x.
 */
uint64_t og_dirichlet_rule_columns(int32_t classes, const og_fraction *alpha, int32_t depth,
                                   slong precision)
{
    double strip, nats = (double)precision * M_LN2, least = sum_of(classes, alpha);
    double most = least + depth + 1;
    double step = choose_step(most, precision - OG_DIRICHLET_GUARD, &strip);
    least = least < 1 ? least + 1 : least;
    double left = log(least / (2 * classes)) - 2 * nats / least;
    double right = log(2 * most + 2 * nats);
    return (uint64_t)((right - left) / step) + 64;
}

static bool grow(column_side *side, int64_t at)
{
    if (at < side->capacity) {
        return true;
    }
    int64_t capacity = at + at / 2 + 64;
    column *bigger = realloc(side->column, (size_t)capacity * sizeof *bigger);
    if (bigger == NULL) {
        return false;
    }
    for (int64_t i = side->capacity; i < capacity; i++) {
        bigger[i] = (column){NULL, NULL};
    }
    side->column = bigger;
    side->capacity = capacity;
    return true;
}

/* value *= x / (alpha + k), which makes t_(alpha+k) of t_(alpha+k-1); k < 2^31. */
static void next_term(dirichlet_rule *rule, int32_t c, slong k, const arb_t x, arb_t value)
{
    og_fraction a = rule->alpha[c];
    arb_mul(value, value, x, rule->precision);
    if (a.den == 1) {
        og_arb_div(value, value, a.num + k, rule->precision);
    } else if (a.den < INT64_C(1) << 30) {
        og_arb_mul(value, value, a.den, rule->precision);
        og_arb_div(value, value, a.num + k * a.den, rule->precision);
    } else { /* the numerator may be too long */
        arb_add_si(rule->tail, rule->part + c, k, work_bits(rule));
        arb_div(value, value, rule->tail, rule->precision);
    }
}

/* True if 2^-precision * scale, an upper bound, is more than value. */
static bool negligible(const dirichlet_rule *rule, const arb_t value, const arb_t scale)
{
    mag_t upper, limit;
    mag_init(upper);
    mag_init(limit);
    arb_get_mag(upper, value);
    arb_get_mag_lower(limit, scale);
    mag_mul_2exp_si(limit, limit, -rule->precision);
    bool small = mag_cmp(upper, limit) < 0;
    mag_clear(upper);
    mag_clear(limit);
    return small;
}

/* Raises the error of `sum` by `term` times a factor that is known to a few digits and therefore
 * doubled. */
static void add_rest(const arb_t term, double factor, arb_t sum)
{
    mag_t rest, twice;
    mag_init(rest);
    mag_init(twice);
    arb_get_mag(rest, term);
    mag_set_d(twice, 2 * factor);
    mag_mul(rest, rest, twice);
    arb_add_error_mag(sum, rest);
    mag_clear(rest);
    mag_clear(twice);
}

/* True if x and b, rounded, have a difference that is good to a few digits. */
static bool clearly_less(double x, double b)
{
    return b - x > 1e-6 * b;
}

/*
 * F_b = sum of t_(b+k) for b = alpha + last, term = t_b. The ratios x / (b+k+1) fall, so the rest
 * after t_(b+k) is at most t_(b+k) x / (b+k+1-x). Far to the right F is 1 except for 1 - F_b <= x
 * f_b / (x-b) = t_b b / (x-b), as u^(b-1) e^-u falls at least like e^(-u(x-b)/x) there.
 */
static void sum_terms(dirichlet_rule *rule, int32_t c, slong last, const arb_t x, double x_double,
                      arb_t term, arb_t sum)
{
    double b = og_fraction_double(rule->alpha[c]) + (double)last;
    arb_one(sum);
    if (clearly_less(b, x_double) && negligible(rule, term, sum)) {
        add_rest(term, b / (x_double - b), sum);
        return;
    }
    arb_set(sum, term);
    slong k = last;
    bool done = false;
    while (!done) {
        next_term(rule, c, ++k, x, term);
        arb_add(sum, sum, term, rule->precision);
        b += 1;
        done = clearly_less(x_double, b) && negligible(rule, term, sum);
    }
    add_rest(term, x_double / (b - x_double), sum);
}

static void fill_class(dirichlet_rule *rule, int32_t c, const arb_t log_x, const arb_t x,
                       double x_double, arb_ptr density, arb_ptr below)
{
    slong work = work_bits(rule);
    arb_struct *term = rule->scratch[2];
    og_fraction a = rule->alpha[c];
    arb_mul(term, rule->part + c, log_x, work);
    arb_sub(term, term, x, work);
    arb_sub(term, term, rule->log_gamma + c, work);
    arb_exp(term, term, rule->precision);
    for (int32_t k = 0; k < rule->rows; k++) {
        if (k > 0) {
            next_term(rule, c, k, x, term);
        }
        arb_set(below + k, term);
        og_arb_mul(density + k, term, a.num + k * a.den, rule->precision);
        if (a.den != 1) {
            og_arb_div(density + k, density + k, a.den, rule->precision);
        }
    }
    int32_t last = rule->rows - 1;
    sum_terms(rule, c, last, x, x_double, term, below + last);
    for (int32_t k = last; k-- > 0;) {
        arb_add(below + k, below + k, below + k + 1, rule->precision);
    }
}

static og_status find_column(dirichlet_rule *rule, int64_t i, const column **out)
{
    column_side *side = &rule->side[i < 0];
    int64_t at = i < 0 ? -1 - i : i;
    if (!grow(side, at)) {
        return OG_NO_MEMORY;
    }
    column *here = &side->column[at];
    if (here->density == NULL) {
        slong work = work_bits(rule);
        here->density = _arb_vec_init(cells(rule));
        here->below = _arb_vec_init(cells(rule));
        arb_set_d(rule->scratch[0], rule->step);
        og_arb_mul(rule->scratch[0], rule->scratch[0], i, work);
        arb_exp(rule->scratch[1], rule->scratch[0], work);
        double x = arf_get_d(arb_midref(rule->scratch[1]), ARF_RND_NEAR);
        for (int32_t c = 0; c < rule->classes; c++) {
            fill_class(rule, c, rule->scratch[0], rule->scratch[1], x,
                       here->density + (slong)c * rule->rows, here->below + (slong)c * rule->rows);
        }
    }
    *out = here;
    return OG_OK;
}

/* g at a column. */
static void integrand(dirichlet_rule *rule, const dirichlet_integral *integral, const column *at,
                      arb_t out)
{
    slong precision = rule->precision, rows = rule->rows;
    arb_srcptr f1 = at->density + integral->first * rows + integral->counts[integral->first];
    arb_srcptr F1 = at->below + integral->first * rows + integral->counts[integral->first];
    bool both = integral->kind != DIRICHLET_CHANCE;
    if (both) {
        arb_srcptr f2 = at->density + integral->second * rows + integral->counts[integral->second];
        arb_srcptr F2 = at->below + integral->second * rows + integral->counts[integral->second];
        if (integral->kind == DIRICHLET_PAIR) {
            arb_mul(out, f1, f2, precision);
        } else {
            arb_mul(out, f1, F2, precision);
            arb_submul(out, f2, F1, precision);
        }
    } else {
        arb_set(out, f1);
    }
    for (int32_t j = 0; j < rule->classes; j++) {
        int32_t c = integral->order[j];
        if (c != integral->first && !(both && c == integral->second)) {
            arb_mul(out, out, at->below + c * rows + integral->counts[c], precision);
        }
    }
}

/* True if the rest, at most here * r/(1-r) = here^2 / (previous - here), is negligible; raises
 * *error by it. */
static bool may_end(dirichlet_rule *rule, const arb_t previous, const arb_t here, const arb_t sum,
                    mag_t error)
{
    mag_t rest, limit;
    arb_struct *fall = rule->tail;
    slong of_previous = arf_abs_bound_lt_2exp_si(arb_midref(previous));
    slong of_here = arf_abs_bound_lt_2exp_si(arb_midref(here));
    slong of_sum = arf_abs_bound_lt_2exp_si(arb_midref(sum));
    /* The rest is at least 2^(2 (of_here - 1) - of_previous), and the limit at most this: */
    if (2 * (of_here - 1) - of_previous >= of_sum - rule->bits - 2) {
        return false; /* as for most terms */
    }
    arb_sub(fall, previous, here, MAG_BITS);
    if (!arb_is_positive(fall)) {
        return false;
    }
    mag_init(rest);
    mag_init(limit);
    arb_get_mag_lower(limit, fall);
    arb_get_mag(rest, here);
    mag_mul(rest, rest, rest);
    mag_div(rest, rest, limit);
    arb_get_mag_lower(limit, sum);
    mag_mul_2exp_si(limit, limit, -rule->bits - 2);
    bool ends = mag_cmp(rest, limit) < 0;
    if (ends) {
        mag_add(error, error, rest);
    }
    mag_clear(rest);
    mag_clear(limit);
    return ends;
}

/* g at column i, which the precision must distinguish from 0. */
static og_status term_at(dirichlet_rule *rule, const dirichlet_integral *integral, int64_t i,
                         arb_t out)
{
    const column *at;
    OG_TRY(find_column(rule, i, &at));
    integrand(rule, integral, at, out);
    return arb_is_positive(out) ? OG_OK : OG_STOPPED;
}

/* Adds the terms after i = start in `direction`. */
static og_status sum_towards(dirichlet_rule *rule, const dirichlet_integral *integral,
                             int64_t start, int direction, arb_t sum, mag_t error)
{
    arb_t here, previous;
    og_balls_init(here, previous, NULL);
    og_status status = term_at(rule, integral, start, previous);
    bool done = false;
    for (int64_t i = start + direction; status == OG_OK && !done; i += direction) {
        status = term_at(rule, integral, i, here);
        if (status == OG_OK) {
            arb_add(sum, sum, here, rule->precision);
            done = may_end(rule, previous, here, sum, error);
            arb_swap(previous, here);
        }
    }
    og_balls_clear(here, previous, NULL);
    return status;
}

static double total_double(const dirichlet_rule *rule, const int32_t *counts)
{
    double total = sum_of(rule->classes, rule->alpha);
    for (int32_t c = 0; c < rule->classes; c++) {
        total += counts[c];
    }
    return total;
}

static og_status sum_all(dirichlet_rule *rule, const dirichlet_integral *integral, arb_t out)
{
    mag_t error;
    mag_init(error);
    /* Any start is valid; near the highest term is best. */
    int64_t start =
        (int64_t)(log(total_double(rule, integral->counts) / rule->classes) / rule->step);
    og_status status = term_at(rule, integral, start, out);
    OG_THEN(status, sum_towards(rule, integral, start, 1, out, error));
    OG_THEN(status, sum_towards(rule, integral, start, -1, out, error));
    if (status == OG_OK) {
        mag_t size;
        mag_init(size);
        arb_add_error_mag(out, error);
        arb_get_mag(size, out);
        mag_mul(size, size, rule->error);
        arb_add_error_mag(out, size);
        mag_clear(size);
        arb_set_d(rule->tail, rule->step);
        arb_mul(out, out, rule->tail, rule->precision);
    }
    mag_clear(error);
    return status;
}

void og_dirichlet_share(const dirichlet_rule *rule, const int32_t *counts, int32_t class_,
                        arb_t out)
{
    arb_t total;
    int32_t labels = 0;
    for (int32_t c = 0; c < rule->classes; c++) {
        labels += counts[c];
    }
    arb_init(total);
    arb_add_si(total, rule->total, labels, work_bits(rule));
    arb_add_si(out, rule->part + class_, counts[class_], work_bits(rule));
    arb_div(out, out, total, rule->precision);
    arb_clear(total);
}

void og_dirichlet_divide(const dirichlet_rule *rule, const int32_t *counts, int32_t class_,
                         arb_t value)
{
    og_fraction a = rule->alpha[class_];
    og_arb_mul(value, value, a.den, rule->precision);
    og_arb_div(value, value, a.num + counts[class_] * a.den, rule->precision);
}

/* A < 1, where there can be no labels yet: V(a) = sum of p_k V(a + e_k). */
static og_status from_next(dirichlet_rule *rule, const dirichlet_integral *integral, arb_t out)
{
    dirichlet_integral next = *integral;
    arb_t part, share;
    og_status status = OG_OK;
    og_balls_init(part, share, NULL);
    arb_zero(out);
    for (int32_t j = 0; j < rule->classes && status == OG_OK; j++) {
        int32_t c = integral->order[j];
        next.counts[c]++;
        status = sum_all(rule, &next, part);
        og_dirichlet_share(rule, integral->counts, c, share);
        arb_addmul(out, part, share, rule->precision);
        next.counts[c]--;
    }
    og_balls_clear(part, share, NULL);
    return status;
}

og_status og_dirichlet_integrate(dirichlet_rule *rule, const dirichlet_integral *integral,
                                 arb_t out)
{
    if (total_double(rule, integral->counts) < 1 && integral->kind != DIRICHLET_LEAD) {
        return from_next(rule, integral, out);
    }
    return sum_all(rule, integral, out);
}
