/*
 * Computes the bound with prevailing charges: the integral of F(z) = E[min(T, N(z))] over the
 * prices z, where N(z) is the number of labels that a buyer at the price z buys of all instances
 * together [Weber, "On the Gittins index for multiarmed bandits", Annals of Applied Probability 2
 * (1992)].
 *
 * The bound holds for rewards of either sign. Let v_z(x, s) >= 0 be the most that can be earned at
 * x with s labels at the price z each, and N_x(z) the least number of labels that an optimal buyer
 * buys. v is convex in z, its slope is -E N, and it is 0 for large z, so v_0 is the integral of
 * E N. Let any policy give an instance k of its T labels and lead it from x_0 to x. On average its
 * earnings plus v_0 do not rise, so it earns at most v_0(x_0, T) - E v_0(x, T - k), the integral of
 * E[N(z) - N_x(z)]. The buyer who starts at x_0 buys at most k labels before x and N_x(z) from
 * there: N(z) <= k + N_x(z). So the instance earns at most the integral of E[min(k, N(z))], and all
 * instances together at most that of E[min(T, sum of N(z))]. The N(z) depend only on the instances'
 * labels, not on the policy. (THEOREMS.md, theorem 7, has the full proof.)
 *
 * Priced ends. With the last `stages` labels the optimum has few choices left: plans that need
 * several labels can no longer start. Charges ignore this; prices for these labels include it. Let
 * p be these prices and w(x) the most that one instance at x can earn net of them (priced_arm.h).
 * For the state S before these labels, weak duality gives
 *
 *   G_stages(S) <= sum of p + sum over instances of w(x_i),
 *
 * so that V is at most the sum of p and the optimum of a problem with T - stages labels, where an
 * instance is worth h + w in the end. There a label earns R + sum p_k w(next_k) - w, of either
 * sign, as the argument above allows. Below, T then means T - stages, and W, N, v refer to this
 * problem. Charges are never negative, since a label may be omitted.
 *
 * One instance's number of charges above z is the number of labels bought at the price z, of at
 * most T, by a buyer who continues while buying has a positive value (priced_arm.h). Instances are
 * independent, so the distribution of N is a product of powers of polynomials; only the
 * coefficients below T matter.
 *
 * F never rises. Let W(z) = sum of v_z over instances, whose slope is -E N, and L = E[(N - T)^+] =
 * E N - F, which never rises either. Then a cell a .. b of a grid satisfies
 *
 *   F(b) (b - a),  W(a) - W(b) - L(a) (b - a)  <=  integral of F
 *                                              <=  F(a) (b - a),  W(a) - W(b) - L(b) (b - a).
 *
 * Cells with the widest of these gaps are cut at the intersection of the tangents of W at both
 * ends. If a cell has only one step inside, the intersection is this step, and the gap vanishes.
 *
 * Rounding. Let E be the priced arm's proved error of v, hats computed.
 *
 * - Decisions. A buyer at z gains at least d more at z - d. So exact buying at z + E implies
 *   computed buying at z, which implies exact buying at z - E: N(z + E) <= N^(z) <= N(z - E), path
 *   by path. So F^(a) is used for a + E .. b + E, which leaves T E for 0 .. E; above the dearest
 *   price no label is bought. L on a + E .. b - E is at least that of N^(b); the rest of the cell,
 *   2 E wide, is charged T.
 * - Probabilities. A change of one instance's distribution changes F by at most the sum over n < T
 *   of the change of P(N_i > n): replace the instances one at a time; min(T, .) is 1-Lipschitz.
 *   This is og_priced_arm_bought_error times E N_i for the priced arm, plus u for each n, for the
 *   rounded differences of the survival function.
 * - Products. All terms are >= 0, so every product of polynomials adds (T + 1) u to the
 *   coefficients' relative errors. A product of c factors has at most the errors of c products, in
 *   any order of multiplication. Coefficients below `negligible` are set to 0, which only
 *   increases F.
 *
 * Checked by tests/test_prevailing.c: prevailing_charge_equals_the_largest_charges_of_all_histories
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/grow.h"
#include "dp/base/parallel.h"
#include "dp/base/vector.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/prevailing.h"
#include "heuristics/bounds/priced_arm.h"

/* Limits on the sum of all gaps, relative to the value: for resolving every step, and for an
 * acceptable result. */
static const double all_steps = 2e-14;
static const double near_enough = 4e-7;
static const double enough_to_compare = 1e-5; /* for comparing ends */
static const double converged_error = 1e-6;

/* Limits on the work, in evaluated nodes and products of coefficients: for all steps (a quarter of
 * a second), and for an acceptable result (half a minute on one core). */
static const uint64_t work_for_steps = UINT64_C(300000000);
static const uint64_t work_most = UINT64_C(40000000000);

static const double negligible = 1e-200;

static const double unit = DBL_EPSILON / 2;

enum { POINTS_MOST = 2000000 };

/* Values at one price. */
typedef struct {
    double price;
    double worth;       /* W */
    double worth_error; /* |worth - exact| */
    double bought;      /* E N */
    double bought_error;
    double taken;       /* F */
    double taken_error; /* F <= taken + taken_error, for the computed decisions */
    double arm_error;   /* E of this price */
    uint64_t work;
} point;

typedef struct {
    int32_t left; /* points */
    int32_t right;
    double gap;
} cell;

/* Work space of one thread. */
typedef struct {
    og_priced_arm **priced; /* [arm_count] */
    double *survival;       /* [budget + 1] */
    double *law;            /* [budget] each */
    double *power;
    double *square;
    double *product;
} power_bench;

/* The end after the charged labels, and the accuracy of the integral. */
typedef struct {
    const double *price; /* [stages] of the last labels */
    int32_t stages;
    const double *const *worth; /* [arm_count] w of the nodes, instead of prices; else NULL */
    int32_t labels;             /* number of charged labels, with `worth` */
    double cheap;               /* a price where the integral is cut first */
    double enough;
} end;

typedef struct {
    og_arena arena; /* all except points and cells, which grow */
    const og_arms *arms;
    int threads;
    og_stop *stop;
    const end *with;
    int32_t budget; /* labels before the end */
    double *count;  /* [arm_count] instances */
    double *end;    /* [arm_count] w of the prior */
    double *end_error;
    double instances;
    power_bench *desk; /* [threads] */
    point *at;         /* [points_room] */
    cell *cells;       /* [cells_room] */
    int32_t points;
    int32_t cell_count;
    size_t points_room, cells_room;
    double prior;  /* value without any label */
    double enough; /* largest sum of gaps, relative to the value */
    uint64_t work;
} stage_integral;

static og_status bench_init(stage_integral *whole, power_bench *bench)
{
    const og_arms *arms = whole->arms;
    og_arena *arena = &whole->arena;
    size_t budget = (size_t)whole->budget;
    bench->priced = og_arena_array(arena, (size_t)arms->arm_count, sizeof(og_priced_arm *));
    bench->survival = og_arena_array(arena, budget + 1, sizeof(double));
    bench->law = og_arena_array(arena, budget + 1, sizeof(double));
    bench->power = og_arena_array(arena, budget + 1, sizeof(double));
    bench->square = og_arena_array(arena, budget + 1, sizeof(double));
    bench->product = og_arena_array(arena, budget + 1, sizeof(double));
    OG_TRY(og_arena_status(arena));
    const end *with = whole->with;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        if (with->worth != NULL) {
            whole->end[i] = with->worth[i][0];
            OG_TRY(og_priced_arm_left(arm, with->labels, with->worth[i], &bench->priced[i]));
        } else if (with->stages > 0) {
            OG_TRY(og_priced_arm_ended(arm, with->price, with->stages, &bench->priced[i],
                                       &whole->end[i], &whole->end_error[i]));
        } else {
            OG_TRY(og_priced_arm_new(arm, &bench->priced[i]));
        }
    }
    return OG_OK;
}

static void integral_clear(stage_integral *integral)
{
    for (int i = 0; integral->desk != NULL && i < integral->threads; i++) {
        for (int32_t a = 0; integral->desk[i].priced != NULL && a < integral->arms->arm_count;
             a++) {
            og_priced_arm_free(integral->desk[i].priced[a]);
        }
    }
    free(integral->at);
    free(integral->cells);
    og_arena_clear(&integral->arena);
}

static og_status integral_init(const og_arms *arms, const end *with, int threads,
                               stage_integral *integral)
{
    double work = 5000.0 * arms->node_offset[arms->arm_count]; /* nanoseconds */
    size_t arm_count = (size_t)arms->arm_count;
    *integral =
        (stage_integral){.arms = arms,
                         .with = with,
                         .budget = with->worth != NULL ? with->labels : arms->budget - with->stages,
                         .enough = with->enough,
                         .threads = og_threads_worth(og_thread_count(threads), work)};
    assert(integral->threads >= 1);
    integral->count = og_arena_array(&integral->arena, arm_count, sizeof *integral->count);
    integral->end = og_arena_array(&integral->arena, arm_count, sizeof *integral->end);
    integral->end_error = og_arena_array(&integral->arena, arm_count, sizeof *integral->end_error);
    integral->desk =
        og_arena_array(&integral->arena, (size_t)integral->threads, sizeof *integral->desk);
    OG_TRY(og_arena_status(&integral->arena));
    integral->instances = (double)og_arms_instances(arms);
    for (int32_t i = 0; i < arms->group_count; i++) {
        integral->count[arms->arm_of_group[i]] += (double)arms->group_size[i];
    }
    for (int i = 0; i < integral->threads; i++) {
        OG_TRY(bench_init(integral, &integral->desk[i]));
    }
    return OG_OK;
}

/* x := x y, coefficients below `terms`; `room` is scratch space of that size. Returns the new
 * length. */
OG_VECTOR_CLONES
static int32_t multiply_series(double *x, int32_t x_terms, const double *y, int32_t y_terms,
                               int32_t terms, double *room, uint64_t *work)
{
    int32_t length = x_terms + y_terms - 1 < terms ? x_terms + y_terms - 1 : terms;
    memset(room, 0, (size_t)length * sizeof *room);
    for (int32_t i = 0; i < x_terms; i++) {
        int32_t count = length - i < y_terms ? length - i : y_terms;
        double factor = x[i];
        if (factor == 0) {
            continue;
        }
        double *restrict to = room + i;
        for (int32_t j = 0; j < count; j++) {
            to[j] += factor * y[j];
        }
        *work += (uint64_t)count;
    }
    for (int32_t i = 0; i < length; i++) {
        x[i] = room[i] >= negligible ? room[i] : 0;
    }
    while (length > 1 && x[length - 1] == 0) {
        length--;
    }
    return length;
}

/* Converts the survival function of one instance's purchases to probabilities: the coefficients
 * below `terms`.
 */
static int32_t one_instance(const double *survival, int32_t terms, double *law)
{
    double before = 1;
    int32_t length = 1;
    for (int32_t n = 0; n < terms; n++) {
        /* Rounding must not make it rise. */
        double after = survival[n] < before ? survival[n] : before;
        law[n] = before - after;
        before = after;
        length = law[n] > 0 ? n + 1 : length;
    }
    return length;
}

/* law := law * bench->power ^ count. */
static int32_t multiply_power(power_bench *bench, int32_t law_terms, int32_t power_terms,
                              int64_t count, int32_t terms, uint64_t *work)
{
    for (int64_t left = count;;) {
        if (left & 1) {
            law_terms = multiply_series(bench->law, law_terms, bench->power, power_terms, terms,
                                        bench->product, work);
        }
        left >>= 1;
        if (left == 0) {
            return law_terms;
        }
        memcpy(bench->square, bench->power, (size_t)power_terms * sizeof *bench->square);
        power_terms = multiply_series(bench->power, power_terms, bench->square, power_terms, terms,
                                      bench->product, work);
    }
}

/* Computes E[min(T, N)] and its error from the distribution; `changed` is the total error of the
 * survival functions. */
static void take(const stage_integral *integral, const double *law, int32_t law_terms,
                 double changed, point *at)
{
    int32_t budget = integral->budget;
    double missing = 0;
    for (int32_t m = 0; m < law_terms; m++) {
        missing += (budget - m) * law[m];
    }
    double products = integral->instances + integral->arms->arm_count + 1;
    double relative = 1.01 * (products * (budget + 1.0) + budget + 2) * unit;
    at->taken = fmin(fmax(0, budget - missing), fmin(budget, at->bought));
    at->taken_error = changed + relative * missing + unit * budget + DBL_MIN;
    at->bought_error = changed;
    /* A bound that needs no products. */
    double most = fmin(budget, at->bought + changed);
    at->taken_error = fmax(0, fmin(at->taken_error, most - at->taken));
}

static og_status value_point(const stage_integral *integral, power_bench *desk, point *at)
{
    int32_t budget = integral->budget, law_terms = 1;
    double changed = 0;
    uint64_t work = 0;
    double price = at->price;
    *at = (point){.price = price};
    desk->law[0] = 1;
    for (int32_t i = 0; i < integral->arms->arm_count; i++) {
        og_priced part;
        uint64_t before = og_priced_arm_work(desk->priced[i]);
        OG_TRY(og_priced_arm_constant(desk->priced[i], price, desk->survival, &part));
        work += og_priced_arm_work(desk->priced[i]) - before;
        at->worth += integral->count[i] * part.gain;
        at->worth_error += integral->count[i] * part.error;
        at->bought += integral->count[i] * part.purchases;
        at->arm_error = fmax(at->arm_error, part.error);
        changed +=
            integral->count[i] * part.purchases * og_priced_arm_bought_error(desk->priced[i]);
        int32_t terms = one_instance(desk->survival, budget, desk->power);
        if (part.purchases > 0) {
            changed += integral->count[i] * budget * unit;
            law_terms =
                multiply_power(desk, law_terms, terms, (int64_t)integral->count[i], budget, &work);
        }
    }
    double sums = 1.01 * (integral->arms->arm_count + 1) * unit;
    at->worth_error = 1.01 * at->worth_error + sums * at->worth;
    take(integral, desk->law, law_terms, 1.01 * changed + 2 * sums * at->bought, at);
    at->work = work;
    return OG_OK;
}

/* A job for the threads: evaluates the points first .. points - 1, whose prices are set. */
typedef struct {
    const stage_integral *integral;
    int32_t first;
} batch;

static og_status value_one(void *context, int thread, int64_t i)
{
    const batch *what = context;
    return value_point(what->integral, &what->integral->desk[thread],
                       &what->integral->at[what->first + i]);
}

static og_status value_points(stage_integral *integral, int32_t first)
{
    batch what = {.integral = integral, .first = first};
    OG_TRY(og_parallel_items(integral->threads, integral->points - first, 1, value_one, &what));
    for (int32_t i = first; i < integral->points; i++) {
        integral->work += integral->at[i].work;
    }
    return OG_OK;
}

/* Makes room for `more` points, and as many cells. */
static og_status reserve_points(stage_integral *integral, int32_t more)
{
    size_t need = (size_t)integral->points + (size_t)more;
    point *at = og_grown(integral->at, &integral->points_room, need, sizeof *at);
    integral->at = at != NULL ? at : integral->at;
    cell *cells = og_grown(integral->cells, &integral->cells_room, need, sizeof *cells);
    integral->cells = cells != NULL ? cells : integral->cells;
    return at != NULL && cells != NULL ? OG_OK : OG_NO_MEMORY;
}

static double gap_between(const point *a, const point *b)
{
    double width = b->price - a->price;
    double sold = a->worth - b->worth;
    double high = fmin(a->taken * width, sold - (b->bought - b->taken) * width);
    double low = fmax(b->taken * width, sold - (a->bought - a->taken) * width);
    return fmax(0, high - low);
}

static cell cell_between(const stage_integral *integral, int32_t left, int32_t right)
{
    return (cell){left, right, gap_between(&integral->at[left], &integral->at[right])};
}

/* The intersection of the tangents, slightly shifted: the step itself belongs to the cell on its
 * right, and its price is known only up to rounding. */
static double cut_price(const point *a, const point *b)
{
    double width = b->price - a->price;
    double turn = a->bought - b->bought;
    if (!(turn > 0)) {
        return a->price + width / 2;
    }
    double step = (a->worth - b->worth - b->bought * width) / turn;
    double margin = fmin(width / 2, 8 * unit * b->price + 2 * unit * a->worth / turn);
    return a->price + fmin(fmax(step, margin), width - margin);
}

static int compare_gaps(const void *x, const void *y)
{
    const cell *left = x, *right = y;
    if (left->gap != right->gap) {
        return left->gap < right->gap ? 1 : -1;
    }
    return (left->left > right->left) - (left->left < right->left);
}

/* Cuts the cells with the widest gaps, in their sorted order: an eighth of them, at least eight.
 * *cut is their number. */
static og_status cut_cells(stage_integral *integral, int32_t *cut)
{
    int32_t most = integral->cell_count / 8 + 8, before = integral->cell_count;
    int32_t first = integral->points;
    *cut = 0;
    OG_TRY(reserve_points(integral, most + 1));
    for (int32_t i = 0; i < before && *cut < most; i++) {
        cell old = integral->cells[i];
        double price = cut_price(&integral->at[old.left], &integral->at[old.right]);
        if (old.gap <= 0) {
            break;
        }
        if (price <= integral->at[old.left].price || price >= integral->at[old.right].price) {
            continue;
        }
        integral->at[integral->points] = (point){.price = price};
        integral->cells[i].right = integral->points;
        integral->cells[integral->cell_count++] = (cell){integral->points++, old.right, 0};
        ++*cut;
    }
    OG_TRY(value_points(integral, first));
    for (int32_t i = 0; i < integral->cell_count; i++) {
        if (integral->cells[i].left >= first || integral->cells[i].right >= first) {
            integral->cells[i] =
                cell_between(integral, integral->cells[i].left, integral->cells[i].right);
        }
    }
    qsort(integral->cells, (size_t)integral->cell_count, sizeof *integral->cells, compare_gaps);
    return OG_OK;
}

static double sum_of_gaps(const stage_integral *integral)
{
    double sum = 0;
    for (int32_t i = integral->cell_count - 1; i >= 0; i--) {
        sum += integral->cells[i].gap;
    }
    return sum;
}

static og_status refine(stage_integral *integral)
{
    int32_t cut = 1;
    while (cut > 0 && integral->points < POINTS_MOST) {
        double gaps = sum_of_gaps(integral);
        double enough =
            integral->work < work_for_steps ? fmin(all_steps, integral->enough) : integral->enough;
        if (gaps <= enough * fabs(integral->prior) || integral->work > work_most ||
            og_stop_asked(integral->stop)) {
            break;
        }
        OG_TRY(cut_cells(integral, &cut));
    }
    return OG_OK;
}

/* Computes the upper sum, its rounding error and the remaining gaps. */
static void add_up(const stage_integral *integral, double prior_error, og_upper_bound *out)
{
    double arm_error = 0, sum = 0, allowance = 0;
    double budget = integral->budget;
    for (int32_t i = 0; i < integral->points; i++) {
        arm_error = fmax(arm_error, integral->at[i].arm_error);
    }
    for (int32_t i = integral->cell_count - 1; i >= 0; i--) {
        const point *a = &integral->at[integral->cells[i].left],
                    *b = &integral->at[integral->cells[i].right];
        double width = b->price - a->price;
        double first = a->taken * width, first_error = a->taken_error * width;
        double second = a->worth - b->worth - (b->bought - b->taken) * width;
        double second_error = a->worth_error + b->worth_error +
                              (b->bought_error + b->taken_error) * width +
                              2 * arm_error * (budget + b->bought) + 4 * unit * a->worth;
        bool better = second + second_error < first + first_error;
        sum += better ? fmax(0, second) : first;
        allowance += better ? second_error : first_error;
    }
    double total = integral->prior + sum;
    double rounding = (integral->cell_count + 8.0) * unit * (sum + allowance) +
                      5 * unit * (fabs(integral->prior) + sum);
    allowance = 1.01 * (allowance + budget * arm_error + rounding + prior_error);
    out->error = allowance + 1.01 * sum_of_gaps(integral);
    out->value = total + allowance;
}

static og_status integrate(stage_integral *integral, double cheap, double dearest,
                           double prior_error, og_upper_bound *out)
{
    const double prices[] = {0, cheap, dearest};
    OG_TRY(reserve_points(integral, 3));
    for (int i = 0; i < 3; i++) {
        if (i == 0 || prices[i] > prices[i - 1]) {
            integral->at[integral->points++] = (point){.price = prices[i]};
        }
    }
    OG_TRY(value_points(integral, 0));
    for (int32_t i = 0; i + 1 < integral->points; i++) {
        integral->cells[integral->cell_count++] = cell_between(integral, i, i + 1);
    }
    qsort(integral->cells, (size_t)integral->cell_count, sizeof *integral->cells, compare_gaps);
    OG_TRY(refine(integral));
    add_up(integral, prior_error, out);
    return OG_OK;
}

/* Sets integral->prior, the bound without any label before the end. Returns its error. */
static double add_prior(stage_integral *integral)
{
    double error, size;
    integral->prior = og_arms_prior_value(integral->arms, &error);
    size = fabs(integral->prior);
    for (int32_t i = 0; i < integral->arms->arm_count; i++) { /* w is 0 without an end */
        integral->prior += integral->count[i] * integral->end[i];
        size += integral->count[i] * integral->end[i];
        error += integral->count[i] * integral->end_error[i];
    }
    for (int32_t l = 0; l < integral->with->stages; l++) {
        integral->prior += integral->with->price[l];
        size += integral->with->price[l];
    }
    return 1.01 * error +
           1.01 * (2.0 * integral->arms->arm_count + integral->with->stages) * unit * size;
}

static og_status prevail(const og_arms *arms, const end *with, int threads, og_stop *stop,
                         og_upper_bound *out)
{
    stage_integral integral;
    double dearest = 0;
    og_status status = integral_init(arms, with, threads, &integral);
    integral.stop = stop;
    for (int32_t i = 0; i < arms->arm_count && status == OG_OK; i++) {
        dearest = fmax(dearest, og_priced_arm_dearest(integral.desk[0].priced[i]));
    }
    if (status == OG_OK && dearest > 0 && integral.budget > 0) {
        double prior_error = add_prior(&integral);
        status = integrate(&integral, fmin(with->cheap, dearest), dearest, prior_error, out);
        out->evaluations = integral.points;
    }
    integral_clear(&integral);
    return status;
}

/* Computes the bound with an end, and stores the end's prices. */
static og_status charge_and_price(const og_arms *arms, const end *with, int threads, og_stop *stop,
                                  og_upper_bound *out)
{
    size_t size = (size_t)with->stages * sizeof *with->price;
    og_upper_bound bound = {.value = INFINITY, .price_count = with->stages};
    if (with->stages > 0) {
        bound.price = malloc(size);
        OG_TRY(OG_ALLOCATED(bound.price));
        memcpy(bound.price, with->price, size);
    }
    og_status status = prevail(arms, with, threads, stop, &bound);
    if (status != OG_OK) {
        og_bound_clear(&bound);
        return status;
    }
    bound.converged = bound.error <= converged_error * fabs(bound.value);
    *out = bound;
    return OG_OK;
}

/* Replaces the bound with `known` if it is not below that one. Without an end this never happens in
 * exact arithmetic, and the two agree up to the gaps. Unclosed gaps are no evidence about the value
 * of `known`. */
static void take_least(const og_upper_bound *known, og_upper_bound *bound)
{
    bound->converged = bound->error <= converged_error * fabs(known->value);
    if (!(bound->value < known->value)) {
        bool near = isfinite(bound->value) && bound->converged;
        bound->error = near ? fmax(bound->error, known->error) : known->error;
        bound->value = known->value;
    }
    bound->evaluations += known->evaluations;
}

og_status og_bound_prevailing_charge(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    og_upper_bound scalar, bound = {.value = INFINITY};
    OG_TRY(og_bound_lagrangian_scalar(arms, threads, NULL, &scalar));
    const end none = {.cheap = scalar.price[0], .enough = near_enough};
    og_status status = prevail(arms, &none, threads, stop, &bound);
    if (status == OG_OK) {
        take_least(&scalar, &bound);
        *out = bound;
    }
    og_bound_clear(&scalar);
    return status;
}

og_status og_bound_left(const og_arms *arms, const og_labels_left *left, int threads, og_stop *stop,
                        og_upper_bound *out)
{
    const end with = {
        .worth = left->worth, .labels = left->labels, .cheap = left->cheap, .enough = near_enough};
    return charge_and_price(arms, &with, threads, stop, out);
}

og_status og_bound_priced_end_at(const og_arms *arms, const double *price, int32_t stages,
                                 int threads, og_stop *stop, og_upper_bound *out)
{
    if (stages < 1 || stages >= arms->budget) {
        return OG_BAD_INPUT;
    }
    for (int32_t l = 0; l < stages; l++) {
        if (!(price[l] >= 0 && price[l] <= OG_BOUND_PRICE_MAX)) {
            return OG_BAD_INPUT;
        }
    }
    const end with = {.price = price, .stages = stages, .cheap = price[0], .enough = near_enough};
    return charge_and_price(arms, &with, threads, stop, out);
}

/* Finds the best bound without an end or with an end of 1, 2, 4, ... labels, at the last prices of
 * `vector`. It tries longer ends until they no longer improve the bound. */
static og_status find_end(const og_arms *arms, const og_upper_bound *vector, int threads,
                          og_stop *stop, end *best)
{
    double least = INFINITY;
    *best = (end){.cheap = vector->price[0], .enough = near_enough};
    for (int32_t stages = 0; stages < vector->price_count && !og_stop_asked(stop);
         stages = stages == 0 ? 1 : 2 * stages) {
        end with = *best;
        og_upper_bound found;
        with.price = vector->price + (vector->price_count - stages);
        with.stages = stages;
        with.enough = enough_to_compare;
        OG_TRY(charge_and_price(arms, &with, threads, stop, &found));
        double value = found.value;
        og_bound_clear(&found);
        if (value < least) {
            least = value;
            best->price = with.price;
            best->stages = stages;
        } else if (stages > 2) {
            break;
        }
    }
    return OG_OK;
}

og_status og_bound_priced_end(const og_arms *arms, int threads, og_stop *stop, og_upper_bound *out)
{
    og_upper_bound vector, bound = {.value = INFINITY};
    OG_TRY(og_bound_lagrangian_vector(arms, threads, stop, &vector));
    og_status status = OG_OK;
    if (isfinite(vector.value) && vector.price_count > 0) {
        end with;
        status = find_end(arms, &vector, threads, stop, &with);
        OG_THEN(status, charge_and_price(arms, &with, threads, stop, &bound));
    }
    if (status == OG_OK) {
        take_least(&vector, &bound);
        *out = bound;
    }
    og_bound_clear(&vector);
    return status;
}
