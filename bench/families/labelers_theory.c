/*
 * Liu and Liu's theorems about LS_OL: constants for its exploration and their bounds on regret. The
 * first term of the printed bounds, which counts explorations, is not a bound: there can be (D1 +
 * 1)(D2 + 1) - 1 explorations, not D1 D2.
 */
#include <math.h>

#include "bench/families/labelers_problem.h"
#include "bench/words.h"

typedef struct {
    double gap, delta, largest; /* U(S*) less the second best U; least difference of two p; U(S*)
                                   less the worst U */
    double more_than_half;      /* probability that more than half of all are right */
    double eps, alpha, explore[2];
    double first, first_holds, second; /* terms of the bound */
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

static double least_difference(const og_labelers *of)
{
    double least = INFINITY;
    for (int32_t i = 0; i < of->count; i++) {
        for (int32_t j = 0; j < i; j++) {
            least = fmin(least, fabs(of->chance[i] - of->chance[j]));
        }
    }
    return least;
}

static double more_than_half(const og_labelers *of)
{
    double law[OG_LABELERS_MAX + 1] = {1}, sum = 0;
    for (int32_t i = 0; i < of->count; i++) {
        for (int32_t k = i + 1; k >= 0; k--) {
            law[k] = law[k] * of->chance_wrong[i] + (k > 0 ? law[k - 1] * of->chance[i] : 0);
        }
    }
    for (int32_t k = 0; k <= of->count; k++) {
        sum += 2 * k > of->count ? law[k] : 0;
    }
    return sum;
}

/* Find how much worse the best and the worst of the other sets are. */
static void find_gaps(const labelers *of, theory *t)
{
    double best = of->votes.majority[of->votes.best];
    t->gap = INFINITY;
    for (uint32_t x = 1; x < UINT32_C(1) << of->given.count; x++) {
        double lost = best - of->votes.majority[x];
        t->gap = lost > 1e-12 ? fmin(t->gap, lost) : t->gap;
        t->largest = fmax(t->largest, lost);
    }
}

static theory theory_of(const labelers *of)
{
    const double share = 0.999; /* of the upper limit of eps */
    const double zeta_2 = 1.6449340668482264, zeta_3_2 = 2.6123753486854883; /* z = 1/2 */
    theory t = {.delta = least_difference(&of->given),
                .more_than_half = more_than_half(&of->given)};
    double most = 0, sum = 0, time = log(of->left > 0 ? of->left : 1);
    for (int32_t m = 1; m <= of->given.count; m += 2) {
        most = fmax(most, majorities(m));
        sum += majorities(m);
    }
    find_gaps(of, &t);
    t.eps = share * fmin(t.gap, t.delta) / 2;
    t.alpha = 1 / most / 2;
    t.explore[0] = 1 / pow((1 / most - t.alpha) * t.eps, 2);
    t.explore[1] = 1 / pow(t.more_than_half - 0.5, 2);
    double best = of->votes.majority[of->votes.best];
    t.first = best * t.explore[0] * t.explore[1] * time * time;
    t.first_holds = best * (t.explore[0] * time + 1) * (t.explore[1] * time + 1);
    t.second =
        t.largest * (2 * sum + of->given.count) * (2 * zeta_2 + zeta_3_2 / (t.alpha * t.eps));
    return t;
}

og_status labelers_check_theory(const labelers *of, og_message *message)
{
    if (of->options->unknown != NULL || of->options->weighted) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--theory does not support --accuracy-prior and --votes weighted; omit them");
    }
    if (!(least_difference(&of->given) > 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory requires different accuracies of all labelers");
    }
    if (!(more_than_half(&of->given) > 0.5)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--theory requires a probability above 1/2 that more than half of "
                              "all labelers are right, not %.6g",
                              more_than_half(&of->given));
    }
    return OG_OK;
}

void labelers_theory(const void *problem, og_document *document)
{
    const labelers *of = problem;
    if (!of->options->theory && labelers_check_theory(of, NULL) == OG_OK) {
        labelers_describe_theory(of, document, og_document_find(document, "problem"));
    }
}

void labelers_describe_theory(const labelers *of, og_document *document, og_document *problem)
{
    const theory t = theory_of(of);
    og_document *object = og_put_object(problem, "theory");
    og_put_number(object, "gap", t.gap);
    og_put_number(object, "delta", t.delta);
    og_put_number(object, "largest_gap", t.largest);
    og_put_number(object, "more_than_half", t.more_than_half);
    og_put_number(object, "eps", t.eps);
    og_put_number(object, "alpha", t.alpha);
    og_put_numbers(object, "explore", t.explore, 2);
    og_put_number(object, "first_term", t.first);
    og_put_number(object, "first_term_that_holds", t.first_holds);
    og_put_number(object, "second_term", t.second);
    og_show_field(document, "Theory", "G1 %.6g, G2 %.6g (eps %.3g, alpha %.3g)", t.explore[0],
                  t.explore[1], t.eps, t.alpha);
    og_show_field(document, "Regret bound",
                  "%.6g + %.6g; the first term is not a proved bound, but %.6g is", t.first,
                  t.second, t.first_holds);
}
