/*
 * Computes the bound with a joint end: charges for all labels except the last L, which are played
 * jointly.
 *
 * Notation. h(x): the worth of an instance at node x without labels; R(x): the gain of a label.
 * V_L(S): the optimum with L labels from a state S, a multiset of nodes; G_L(S) = V_L(S) - sum of
 * h. w >= 0: any numbers, one for each node. m: any number of labels, 0 <= m <= L. D = T - L + m.
 * Let an instance be worth h + w in the end. Then v_z(x) is the value at x of an optimal buyer with
 * the price z and at most D labels, N_x(z) the number of labels that the optimal buyer with fewest
 * purchases buys, and
 *
 *   U(S) = integral over z > 0 of E[min(m, sum of N_x(z))] dz.
 *
 * Theorem.  V <= sum of (h + w)(priors) + integral of E[min(D, sum of N(z))] dz
 *                + sup over all S of (G_L(S) - sum over S of w - U(S)).
 *
 * Proof. Let S be the state with L labels left under any policy. V_L(S) is at most the supremum
 * plus W(S) = sum of (h + w) + U(S). It remains to show that E[W(S)] is at most the first line. The
 * slope of v_z in z is -E N, so (h + w)(x) is v_0(x) minus the integral of E N_x, and
 *
 *   W(S) = sum of v_0(x) - integral of E[(sum of N_x(z) - m)^+] dz.
 *
 * The expected v_0 of an instance does not rise when it is labelled. Let k be the number of labels
 * of an instance before S. The buyer at z who starts at the instance's prior and sees the same
 * labels buys at most k before S and N_x(z) after it: N(z) <= k + N_x(z). The k add up to T - L = D
 * - m, so that sum of N_x(z) - m >= sum of N(z) - D, and E[W(S)] is at most
 *
 *   sum of v_0(priors) - integral of E[(sum of N(z) - D)^+] dz,
 *
 * which is the first line. QED
 *
 * Any w and m give a valid bound. A good choice uses two facts. U includes that labels are worth
 * less when few instances want them, so w need not be fitted to one price of the last labels. With
 * w = v - h at a price slightly above the prevailing ones, w = 0 for all instances except those
 * that would be labelled at once. G includes effects that charges and prices ignore: with few
 * labels left, plans that need several labels do not start, and some instances that need one or two
 * labels can be kept for the end.
 *
 * Nodes that are rarely reached get a larger w. From the level on at which fewer than `rare`
 * instances are expected to want another label, w also includes the price once more. From the level
 * for `never` on, w is at least the gain of L labels on the instance alone. Such nodes need not be
 * in S, since G_L then grows by no more than w. The supremum over all other S is found by branch
 * and bound (joint_search.h).
 *
 * U is bounded from below: N is computed at some prices, and each N is used for all prices down to
 * the next smaller one. An instance whose gain is too small to be certain in doubles counts as
 * buying nothing.
 *
 * Rounding. With rho, pi the arms' errors of rewards and probabilities, u = 2^-53, k outcomes, R
 * and w the largest of their kind and L R >= G: a step of G has an error of rho R + (pi + (k + 4)
 * u) (L + 1) (R + w), and G has L steps; `slack` is their sum. A node whose gain alone is below w
 * by less than the slack remains in the search. The distribution of N up to m labels takes m steps,
 * and n convolutions for n instances, all terms >= 0: a relative error of n (m (pi + (k + 1) u) +
 * (m + 1) u).
 * Checked by tests/test_joint_end.c:
 * what_is_left_of_the_optimum_at_every_state_is_what_the_theorem_says
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/joint_search.h"
#include "heuristics/bounds/joint_tables.h"
#include "heuristics/bounds/prevailing.h"

/* Candidate prices for w, relative to the scalar bound's price. */
static const double dear_of_price[] = {1.1, 1.05, 1.15};

/* Relative gap at which the search ends, and its limits on evaluated labels: for few labels, to
 * choose w and m (a second), and for all labels (a few minutes). */
static const double near = 1e-6;
static const int64_t work_few = 5000000, work_most = INT64_C(5000000000);

static const int32_t few_labels = 4;

static const double unit = DBL_EPSILON / 2;

/* The error of the search's result; see the head of the file. */
static double allowance(const og_joint_ending *ending, const og_joint_attempt *try, int32_t items)
{
    double charged = try->charged, labels = ending->labels;
    double gains = 3 * og_joint_slack(ending, try->worth);
    double worths = items * (items + 2.0) * unit * try->worth;
    double laws = items * (charged * ending->error + (charged + 1) * unit);
    int32_t points = try->joint.points;
    double highest = points > 0 ? try->point[points - 1] : 0;
    double wanted = highest * charged * (laws + (charged + points + 4) * unit);
    double sums = 4 * unit * (labels * ending->reward + items * try->worth + charged * highest);
    return 1.1 * (gains + worths + wanted + sums);
}

static og_status charge(const og_joint_ending *ending, const og_joint_attempt *try,
                        og_upper_bound *out)
{
    int32_t arms = ending->arms->arm_count;
    const double **worth = malloc((size_t)arms * sizeof *worth);
    OG_TRY(OG_ALLOCATED(worth));
    for (int32_t i = 0; i < arms; i++) {
        worth[i] = ending->part[i].worth;
    }
    const og_labels_left left = {.worth = worth,
                                 .labels = ending->arms->budget - ending->labels + try->charged,
                                 .cheap = ending->price};
    og_status status = og_bound_left(ending->arms, &left, ending->threads, ending->stop, out);
    free(worth);
    return status;
}

/* Computes the bound for m and the w of a price; INFINITY if no bound was proved. */
static og_status attempt_at(const og_joint_ending *ending, double dear, int32_t charged,
                            og_upper_bound *out)
{
    og_joint_attempt try = {.dear = dear, .charged = charged};
    og_joint_found found = {.most = INFINITY};
    og_joint_choose(ending, &try);
    og_status status = charge(ending, &try, out);
    OG_THEN(status, og_joint_make(ending, &try));
    OG_THEN(status, og_joint_search(&try.joint, near * fabs(out->value),
                                    ending->labels <= few_labels ? work_few : work_most,
                                    ending->memory_bytes, ending->stop, &found));
    if (status == OG_OK) {
        double rounding = allowance(ending, &try, found.items_max);
        double size = fabs(out->value) + found.most;
        out->error += 1.01 * rounding + 4 * unit * size;
        out->value += found.most + 1.01 * rounding + 4 * unit * size;
        out->converged = out->converged && found.most - found.found <= near * size;
    } else if (status == OG_STOPPED) {
        *out = (og_upper_bound){.value = INFINITY};
        status = OG_OK;
    }
    og_arena_clear(&try.arena);
    return status;
}

/* A choice of w and m. */
typedef struct {
    double dear;   /* relative to the scalar bound's price */
    int32_t fewer; /* L - m */
} choice;

/* Evaluates one more choice; replaces *chosen and *best if it is better. */
static og_status take_better(const og_joint_ending *ending, choice next, choice *chosen,
                             og_upper_bound *best)
{
    og_upper_bound found;
    int32_t charged = ending->labels - next.fewer;
    if (charged < 0 || charged > ending->labels || og_stop_asked(ending->stop)) {
        return OG_OK;
    }
    OG_TRY(attempt_at(ending, next.dear * ending->price, charged, &found));
    found.evaluations += best->evaluations;
    best->evaluations = found.evaluations;
    if (found.value < best->value) {
        *best = found;
        *chosen = next;
    }
    return OG_OK;
}

/* Finds the best price with m = L - 2, then tries m one larger and one smaller. */
static og_status choose(const og_joint_ending *ending, choice *chosen, og_upper_bound *best)
{
    choice first = {.fewer = ending->labels < 2 ? ending->labels : 2};
    for (size_t i = 0; i < sizeof dear_of_price / sizeof *dear_of_price; i++) {
        first.dear = dear_of_price[i];
        OG_TRY(take_better(ending, first, chosen, best));
    }
    const choice centre = *chosen;
    for (int step = -1; step <= 1; step += 2) {
        choice other = {centre.dear, centre.fewer + step};
        OG_TRY(take_better(ending, other, chosen, best));
    }
    return OG_OK;
}

static bool is_possible(const og_arms *arms, int32_t labels)
{
    bool possible = labels >= 1 && labels <= OG_BOUND_JOINT_LABELS_MAX && labels < arms->budget;
    for (int32_t i = 0; possible && i < arms->arm_count; i++) {
        possible = arms->arm[i]->action_first == NULL && arms->arm[i]->cost == NULL;
    }
    return possible;
}

static uint64_t bytes_of(const og_arms *arms, int32_t labels)
{
    uint64_t node = 2 * sizeof(double) + sizeof(int32_t) + sizeof(uint16_t) +
                    (2 * (uint64_t)labels + 1) * sizeof(double);
    uint64_t nodes = 0, bytes;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        nodes += arms->arm[i]->node_count;
    }
    return __builtin_mul_overflow(nodes, node, &bytes) ? UINT64_MAX : bytes;
}

/* Computes the bound with `labels` joint labels: with the choice or, if there is none yet, the best
 * of several. */
static og_status play_together(og_joint_ending *ending, int32_t labels, choice *chosen,
                               og_upper_bound *best)
{
    ending->labels = labels;
    og_status status = og_joint_ending_init(ending);
    if (status == OG_OK) {
        status = chosen->dear > 0 ? take_better(ending, *chosen, chosen, best)
                                  : choose(ending, chosen, best);
    }
    og_arena_clear(&ending->arena);
    return status;
}

og_status og_bound_joint_end(const og_arms *arms, int32_t labels, int threads,
                             uint64_t memory_bytes, og_stop *stop, og_upper_bound *out)
{
    og_joint_ending ending = {.arms = arms, .threads = threads, .stop = stop};
    og_upper_bound scalar, best = {.value = INFINITY};
    uint64_t tables = bytes_of(arms, labels);
    choice chosen = {0};
    og_status status = OG_OK;
    if (is_possible(arms, labels) && tables <= memory_bytes) {
        ending.memory_bytes = memory_bytes - tables;
        OG_TRY(og_bound_lagrangian_scalar(arms, threads, NULL, &scalar));
        ending.price = scalar.price[0];
        og_bound_clear(&scalar);
        /* A choice that is good for few labels, which takes little time, is good for more. */
        int32_t few = labels < few_labels ? labels : few_labels;
        for (int32_t l = few; status == OG_OK && l <= labels && ending.price > 0; l++) {
            if (l == few || chosen.dear > 0) {
                status = play_together(&ending, l, &chosen, &best);
            }
        }
    }
    if (status == OG_OK) {
        best.price_count = labels;
        *out = best;
    }
    return status;
}
