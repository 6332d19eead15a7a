/*
 * Liu and Liu's theorems about LS_OL: constants for its exploration and their bounds on regret. The
 * first term of the printed bounds, which counts explorations, is not a bound: there can be (D1 +
 * 1)(D2 + 1) - 1 explorations, not D1 D2. Theorem 5 is about weighted votes; its constant C must
 * exceed the reciprocals of estimates that are off by eps/4. The paper prints (1 - eps/4)/(1 - p)
 * where our reading, which is never smaller, has (1 + eps/4)/(1 - p).
 */
#include <math.h>
#include <stdlib.h>

#include "bench/families/labelers/problem.h"

typedef struct {
    double gap, delta, largest; /* U(S*) less the second best U; least difference of two p, or of
                                   two sums of log odds; U(S*) less the worst U */
    double more_than_half;      /* probability that more than half of all are right */
    double eps, alpha, explore[2];
    double c, printed_c, printed_explore; /* of weighted votes: C, and C and G1 as printed */
    double first, first_holds, second;    /* terms of the bound */
} theory;

/* The number of strict majorities of m votes, times m. */
static double majorities(int32_t m)
{
    double ways = 0, binomial = 1; /* m over k */
    for (int32_t k = m; 2 * k > m; k--) {
        ways += binomial;
        binomial *= (double)k / (m - k + 1);
    }
    return m * ways;
}

static double least_difference(const og_labelers *game)
{
    double least = INFINITY;
    for (int32_t i = 0; i < game->count; i++) {
        for (int32_t j = 0; j < i; j++) {
            least = fmin(least, fabs(game->chance[i] - game->chance[j]));
        }
    }
    return least;
}

static int compare_numbers(const void *x, const void *y)
{
    double one = *(const double *)x, other = *(const double *)y;
    return (one > other) - (one < other);
}

/* The least positive difference of the sums of log odds of two sets; those below 1e-12 count as
 * rounding. INFINITY if all sums are equal. */
static double least_apart(const og_labelers *game)
{
    double sum[OG_LABELERS_SETS] = {0}, least = INFINITY;
    size_t sets = (size_t)1 << game->count;
    const double rounding = 1e-12;
    for (size_t x = 1; x < sets; x++) {
        int32_t i = __builtin_ctz((uint32_t)x);
        sum[x] = sum[x & (x - 1)] + log(game->chance[i] / game->chance_wrong[i]);
    }
    qsort(sum, sets, sizeof *sum, compare_numbers);
    for (size_t x = 1; x < sets; x++) {
        double apart = sum[x] - sum[x - 1];
        least = apart > rounding ? fmin(least, apart) : least;
    }
    return least;
}

static double more_than_half(const og_labelers *game)
{
    double law[OG_LABELERS_MAX + 1] = {1}, sum = 0;
    for (int32_t i = 0; i < game->count; i++) {
        for (int32_t k = i + 1; k >= 0; k--) {
            law[k] = law[k] * game->chance_wrong[i] + (k > 0 ? law[k - 1] * game->chance[i] : 0);
        }
    }
    for (int32_t k = 0; k <= game->count; k++) {
        sum += 2 * k > game->count ? law[k] : 0;
    }
    return sum;
}

/* Find how much worse the best and the worst of the other sets are. */
static void find_gaps(const labelers *problem, theory *t)
{
    double best = problem->votes.majority[problem->votes.best];
    t->gap = INFINITY;
    for (uint32_t x = 1; x < UINT32_C(1) << problem->given.count; x++) {
        double lost = best - problem->votes.majority[x];
        t->gap = lost > 1e-12 ? fmin(t->gap, lost) : t->gap;
        t->largest = fmax(t->largest, lost);
    }
}

static const double eps_share = 0.999; /* of the upper limit of eps */

/* The constants of theorem 3; returns the bracket that its second term has. */
static double of_majorities(const labelers *problem, theory *t)
{
    double most = 0, sum = 0;
    for (int32_t m = 1; m <= problem->given.count; m += 2) {
        most = fmax(most, majorities(m));
        sum += majorities(m);
    }
    find_gaps(problem, t);
    t->delta = least_difference(&problem->given);
    t->eps = eps_share * fmin(t->gap, t->delta) / 2;
    t->alpha = 1 / most / 2;
    t->explore[0] = 1 / pow((1 / most - t->alpha) * t->eps, 2);
    return 2 * sum + problem->given.count;
}

/* C as printed, or in our reading. */
static double weight_limit(const og_labelers *game, double eps, bool printed)
{
    double c = 0;
    for (int32_t i = 0; i < game->count; i++) {
        double right = (1 + eps / 4) / game->chance[i];
        double wrong = (printed ? 1 - eps / 4 : 1 + eps / 4) / game->chance_wrong[i];
        double small = eps / 4 / fmin(game->chance[i], game->chance_wrong[i]);
        c = fmax(c, fmax(small, fmax(right, wrong)));
    }
    return c;
}

/* The largest of 4 C m and m n(m). */
static double most_of_weighted(const og_labelers *game, double c)
{
    double most = 0;
    for (int32_t m = 1; m <= game->count; m++) {
        most = fmax(most, fmax(4 * c * m, majorities(m)));
    }
    return most;
}

/* The same for theorem 5. The set of a single labeler has the worst weighted vote. */
static double of_weighted(const labelers *problem, theory *t)
{
    const og_labelers *at = &problem->given;
    double sum = 0, worst = 1;
    for (int32_t i = 0; i < at->count; i++) {
        sum += majorities(i + 1);
        worst = fmin(worst, fmax(at->chance[i], at->chance_wrong[i]));
    }
    t->gap = NAN;
    t->largest = problem->votes.weighted - worst;
    t->delta = least_apart(at);
    t->eps = eps_share * t->delta / 2;
    t->c = weight_limit(at, t->eps, false);
    t->printed_c = weight_limit(at, t->eps, true);
    double most = most_of_weighted(at, t->c), printed = most_of_weighted(at, t->printed_c);
    t->alpha = 1 / most / 2;
    t->explore[0] = pow(2 * most / t->eps, 2);
    t->printed_explore = pow(2 * printed / t->eps, 2);
    return 2 * sum + at->count + at->count * at->count / 2.0;
}

static theory theory_of(const labelers *problem)
{
    const double zeta_2 = 1.6449340668482264, zeta_3_2 = 2.6123753486854883; /* z = 1/2 */
    theory t = {.more_than_half = more_than_half(&problem->given)};
    double time = log(problem->left > 0 ? problem->left : 1);
    double bracket =
        problem->options->weighted ? of_weighted(problem, &t) : of_majorities(problem, &t);
    double best = problem->options->weighted ? problem->votes.weighted
                                             : problem->votes.majority[problem->votes.best];
    t.explore[1] = 1 / pow(t.more_than_half - 0.5, 2);
    t.first = best * t.explore[0] * t.explore[1] * time * time;
    t.first_holds = best * (t.explore[0] * time + 1) * (t.explore[1] * time + 1);
    t.second = t.largest * bracket * (2 * zeta_2 + zeta_3_2 / (t.alpha * t.eps));
    return t;
}

/* Theorem 5 has a C only if nobody is always right or always wrong, and an eps only if some sums of
 * log odds differ. */
static og_status check_weighted(const labelers *problem, og_message *message)
{
    const og_labelers *at = &problem->given;
    bool sure = false;
    for (int32_t i = 0; i < at->count; i++) {
        sure = sure || at->chance[i] == 0 || at->chance_wrong[i] == 0;
    }
    if (sure || !isfinite(least_apart(at))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory with --votes weighted requires accuracies other than 0 "
                              "and 1, and one other than 1/2");
    }
    return problem->options->eps > 0
               ? og_message_set(message, OG_BAD_INPUT,
                                "--theory does not support --votes weighted:E; use --votes "
                                "weighted")
               : OG_OK;
}

og_status labelers_check_theory(const labelers *problem, og_message *message)
{
    if (problem->options->unknown != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory does not support --accuracy-prior; omit it");
    }
    if (problem->options->weighted) {
        OG_TRY(check_weighted(problem, message));
    } else if (problem->given.count < 2 || !(least_difference(&problem->given) > 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory requires at least two labelers with different accuracies");
    }
    if (!(more_than_half(&problem->given) > 0.5)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory requires a probability above 1/2 that more than half of "
                              "all labelers are right, not %.6g",
                              more_than_half(&problem->given));
    }
    return OG_OK;
}

void labelers_theory(const void *problem, og_document *document)
{
    const labelers *own = problem;
    if (!own->options->theory && labelers_check_theory(own, NULL) == OG_OK) {
        labelers_describe_theory(own, document, og_document_find(document, "problem"));
    }
}

void labelers_describe_theory(const labelers *own, og_document *document, og_document *problem)
{
    const theory t = theory_of(own);
    og_document *object = og_put_object(problem, "theory");
    og_put_number(object, "gap", t.gap);
    og_put_number(object, "delta", t.delta);
    og_put_number(object, "largest_gap", t.largest);
    og_put_number(object, "more_than_half", t.more_than_half);
    og_put_number(object, "eps", t.eps);
    og_put_number(object, "alpha", t.alpha);
    og_put_numbers(object, "explore", t.explore, 2);
    if (own->options->weighted) {
        og_put_number(object, "c", t.c);
        og_put_number(object, "printed_c", t.printed_c);
        og_put_number(object, "printed_explore", t.printed_explore);
    }
    og_put_number(object, "first_term", t.first);
    og_put_number(object, "first_term_that_holds", t.first_holds);
    og_put_number(object, "second_term", t.second);
    og_show_field(document, "Theory", "G1 %.6g, G2 %.6g (eps %.3g, alpha %.3g)", t.explore[0],
                  t.explore[1], t.eps, t.alpha);
    if (own->options->weighted) {
        og_show_more(document, "; as printed G1 %.6g", t.printed_explore);
    }
    og_show_field(document, "Regret bound",
                  "%.6g + %.6g; the first term is not a proved bound, but %.6g is", t.first,
                  t.second, t.first_holds);
}
