#include "tests/oracle_state.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle.h"

enum { BITS = 1200, NLU_ROUNDS = 100 };

static void quit(const char *why)
{
    fprintf(stderr, "oracle_state: %s\n", why);
    abort();
}

void oracle_state_init(const og_groups *problem, oracle_state *out)
{
    if (og_groups_size(problem) > ORACLE_STATE_INSTANCES || problem->budget > ORACLE_STATE_BUDGET) {
        quit("the problem is too large");
    }
    out->count = 0;
    out->budget = problem->budget;
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, d = MPQ_NEW;
    for (int g = 0; g < problem->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        for (int64_t copy = 0; copy < group->count; copy++) {
            int i = out->count++;
            for (int s = 0; s <= ORACLE_STATE_BUDGET; s++) {
                for (int f = 0; f <= ORACLE_STATE_BUDGET; f++) {
                    mpq_ptr h = out->h[i][s][f];
                    mpq_ptr one = out->one[i][s][f];
                    mpq_inits(h, one, NULL);
                    mpq_set_si(a, group->a.num + s, 1);
                    mpq_set_si(b, group->b.num + f, 1);
                    og_fraction_get_mpq(d, group->threshold);
                    oracle_positive(h, a, b, d);
                    mpq_set_ui(one, 1, 1);
                    mpq_sub(one, one, h);
                    if (mpq_cmp(one, h) > 0) {
                        mpq_set(h, one);
                    }
                    mpq_add(b, a, b);
                    mpq_div(one, a, b);
                }
            }
        }
    }
}

void oracle_state_clear(oracle_state *oracle)
{
    for (int i = 0; i < oracle->count; i++) {
        for (int s = 0; s <= ORACLE_STATE_BUDGET; s++) {
            for (int f = 0; f <= ORACLE_STATE_BUDGET; f++) {
                mpq_clears(oracle->h[i][s][f], oracle->one[i][s][f], NULL);
            }
        }
    }
}

static void value(const oracle_state *oracle, const char *policy, og_ties ties,
                  const oracle_history *at, mpq_t out);

/* Label instance i, then follow the policy. */
static void value_after(const oracle_state *oracle, const char *policy, og_ties ties,
                        const oracle_history *at, int i, mpq_t out)
{
    mpq_t one, zero;
    mpq_srcptr p = oracle->one[i][at->ones[i]][at->zeros[i]];
    oracle_history next = *at;
    mpq_inits(one, zero, NULL);
    next.left--;
    next.ones[i]++;
    value(oracle, policy, ties, &next, one);
    next.ones[i]--;
    next.zeros[i]++;
    value(oracle, policy, ties, &next, zero);
    mpq_sub(one, one, zero);
    mpq_mul(one, one, p);
    mpq_add(out, one, zero);
    mpq_clears(one, zero, NULL);
}

static void value(const oracle_state *oracle, const char *policy, og_ties ties,
                  const oracle_history *at, mpq_t out)
{
    bool pick[ORACLE_STATE_INSTANCES];
    int picked = 0;
    OWN_MPQ found = MPQ_NEW, sum = MPQ_NEW;
    for (int i = 0; at->left == 0 && i < oracle->count; i++) {
        mpq_add(sum, sum, oracle->h[i][at->ones[i]][at->zeros[i]]);
    }
    for (int i = 0; i < oracle->count; i++) {
        pick[i] = true;
    }
    if (at->left > 0 && policy != NULL) {
        oracle_state_picks(oracle, policy, at, pick);
    }
    for (int i = 0; at->left > 0 && i < oracle->count; i++) {
        if (!pick[i] || (picked > 0 && ties == OG_TIES_FIRST)) {
            continue;
        }
        value_after(oracle, policy, ties, at, i, found);
        int order = picked == 0 ? 0 : mpq_cmp(found, sum);
        if (ties == OG_TIES_RANDOM) {
            mpq_add(sum, sum, found);
        } else if (picked == 0 || (ties == OG_TIES_BEST ? order > 0 : order < 0)) {
            mpq_set(sum, found);
        }
        picked++;
    }
    if (ties == OG_TIES_RANDOM && picked > 0) {
        mpq_set_si(found, picked, 1);
        mpq_div(sum, sum, found);
    }
    mpq_set(out, sum);
}

static void pick_largest(const oracle_state *oracle, mpq_t *index, bool *pick)
{
    int best = 0;
    for (int i = 1; i < oracle->count; i++) {
        best = mpq_cmp(index[i], index[best]) > 0 ? i : best;
    }
    for (int i = 0; i < oracle->count; i++) {
        pick[i] = mpq_equal(index[i], index[best]);
    }
}

/* Values after a label of each, in the problem with at most `left` labels left. */
static void pick_by_value(const oracle_state *oracle, const char *policy, const oracle_history *at,
                          int left, bool *pick)
{
    mpq_t q[ORACLE_STATE_INSTANCES];
    oracle_history seen = *at;
    seen.left = seen.left < left ? seen.left : left;
    for (int i = 0; i < oracle->count; i++) {
        mpq_init(q[i]);
        value_after(oracle, policy, policy == NULL ? OG_TIES_BEST : OG_TIES_RANDOM, &seen, i, q[i]);
    }
    pick_largest(oracle, q, pick);
    for (int i = 0; i < oracle->count; i++) {
        mpq_clear(q[i]);
    }
}

static void pick_by_score(const oracle_state *oracle, const oracle_history *at, bool *pick)
{
    double score[ORACLE_STATE_INSTANCES];
    double top = 0;
    oracle_nlu(oracle->count, at->ones, at->zeros, score);
    for (int i = 0; i < oracle->count; i++) {
        top = score[i] > top ? score[i] : top;
    }
    for (int i = 0; i < oracle->count; i++) {
        pick[i] = score[i] >= top - 1e-9;
    }
}

void oracle_state_picks(const oracle_state *oracle, const char *policy, const oracle_history *at,
                        bool *pick)
{
    if (strncmp(policy, "lookahead:", 10) == 0) {
        pick_by_value(oracle, NULL, at, atoi(policy + 10), pick);
    } else if (strncmp(policy, "rollout:", 8) == 0) {
        pick_by_value(oracle, policy + 8, at, oracle->budget, pick);
    } else if (strcmp(policy, "kg") == 0) { /* a label, then the call */
        pick_by_value(oracle, NULL, at, 1, pick);
    } else if (strcmp(policy, "nlu") == 0) {
        pick_by_score(oracle, at, pick);
    } else if (strcmp(policy, "uniform") == 0) {
        memset(pick, true, (size_t)oracle->count * sizeof *pick);
    } else {
        quit("unknown policy");
    }
}

void oracle_state_value(const oracle_state *oracle, const char *policy, og_ties ties, mpq_t out)
{
    oracle_history at = {.left = oracle->budget};
    value(oracle, policy, policy == NULL ? OG_TIES_BEST : ties, &at, out);
}

/* ---- nlu ---- */

typedef struct {
    mpfr_t agree, disagree;
} agreement_rate;

/* x (x + 1) .. (x + count - 1) */
static void rising(mpfr_t out, const mpfr_t x, int count)
{
    mpfr_t factor;
    mpfr_init2(factor, BITS);
    mpfr_set_si(out, 1, MPFR_RNDN);
    for (int i = 0; i < count; i++) {
        mpfr_add_si(factor, x, i, MPFR_RNDN);
        mpfr_mul(out, out, factor, MPFR_RNDN);
    }
    mpfr_clear(factor);
}

/* share * B(A + agreeing, D + disagreeing)/B(A, D), as B(x, y) = G(x) G(y)/G(x + y) with
 * G(x + 1) = x G(x) */
static void evidence(mpfr_t out, const mpfr_t share, const agreement_rate *rate, int agreeing,
                     int disagreeing)
{
    mpfr_t part, sum;
    mpfr_inits2(BITS, part, sum, NULL);
    mpfr_add(sum, rate->agree, rate->disagree, MPFR_RNDN);
    rising(out, rate->agree, agreeing);
    rising(part, rate->disagree, disagreeing);
    mpfr_mul(out, out, part, MPFR_RNDN);
    rising(part, sum, agreeing + disagreeing);
    mpfr_div(out, out, part, MPFR_RNDN);
    mpfr_mul(out, out, share, MPFR_RNDN);
    mpfr_clears(part, sum, NULL);
}

/* Method of moments; fraction of `yes` among all labels, weights w or 1 - w. */
static void fit_rate(int count, const int *yes, const int *no, mpfr_t *w, bool complement,
                     agreement_rate *rate)
{
    mpfr_t weight, mean, variance, f, part, most;
    mpfr_inits2(BITS, weight, mean, variance, f, part, most, NULL);
    for (int pass = 0; pass < 2; pass++) {
        mpfr_set_zero(weight, 1);
        mpfr_set_zero(most, 1); /* the sum of this pass */
        for (int i = 0; i < count; i++) {
            if (yes[i] + no[i] == 0) {
                continue;
            }
            mpfr_set_si(f, yes[i], MPFR_RNDN);
            mpfr_div_si(f, f, yes[i] + no[i], MPFR_RNDN);
            if (pass == 1) {
                mpfr_sub(f, f, mean, MPFR_RNDN);
                mpfr_sqr(f, f, MPFR_RNDN);
            }
            mpfr_set(part, w[i], MPFR_RNDN);
            if (complement) {
                mpfr_si_sub(part, 1, w[i], MPFR_RNDN);
            }
            mpfr_add(weight, weight, part, MPFR_RNDN);
            mpfr_mul(part, part, f, MPFR_RNDN);
            mpfr_add(most, most, part, MPFR_RNDN);
        }
        mpfr_div(pass == 0 ? mean : variance, most, weight, MPFR_RNDN);
    }
    mpfr_si_sub(most, 1, mean, MPFR_RNDN);
    mpfr_mul(most, most, mean, MPFR_RNDN); /* m (1 - m) */
    mpfr_sub(part, most, variance, MPFR_RNDN);
    if (mpfr_cmp_d(variance, 1e-300) > 0 && mpfr_cmp_d(part, 1e-300) > 0) {
        mpfr_div(f, most, variance, MPFR_RNDN);
        mpfr_sub_si(f, f, 1, MPFR_RNDN); /* q */
        mpfr_mul(rate->agree, mean, f, MPFR_RNDN);
        mpfr_si_sub(mean, 1, mean, MPFR_RNDN);
        mpfr_mul(rate->disagree, mean, f, MPFR_RNDN);
    }
    mpfr_clears(weight, mean, variance, f, part, most, NULL);
}

/* One round's w; the largest move. */
static double weigh(int count, const int *ones, const int *zeros, const mpfr_t share,
                    const agreement_rate *positive, const agreement_rate *negative, mpfr_t *w)
{
    double moved = 0;
    mpfr_t yes, no, rest;
    mpfr_inits2(BITS, yes, no, rest, NULL);
    mpfr_si_sub(rest, 1, share, MPFR_RNDN);
    for (int i = 0; i < count; i++) {
        if (ones[i] + zeros[i] == 0) {
            continue;
        }
        evidence(yes, share, positive, ones[i], zeros[i]);
        evidence(no, rest, negative, zeros[i], ones[i]);
        mpfr_add(no, no, yes, MPFR_RNDN);
        mpfr_div(yes, yes, no, MPFR_RNDN);
        mpfr_sub(no, yes, w[i], MPFR_RNDN);
        mpfr_abs(no, no, MPFR_RNDN);
        double move = mpfr_get_d(no, MPFR_RNDN);
        moved = move > moved ? move : moved;
        mpfr_set(w[i], yes, MPFR_RNDN);
    }
    mpfr_clears(yes, no, rest, NULL);
    return moved;
}

static void rounds(int count, const int *ones, const int *zeros, mpfr_t *w)
{
    agreement_rate positive, negative;
    mpfr_t share;
    mpfr_inits2(BITS, share, positive.agree, positive.disagree, negative.agree, negative.disagree,
                NULL);
    mpfr_set_d(share, 0.5, MPFR_RNDN);
    mpfr_set_si(positive.agree, 2, MPFR_RNDN);
    mpfr_set_si(negative.agree, 2, MPFR_RNDN);
    mpfr_set_si(positive.disagree, 1, MPFR_RNDN);
    mpfr_set_si(negative.disagree, 1, MPFR_RNDN);
    for (int round = 1; round <= NLU_ROUNDS; round++) {
        double moved = weigh(count, ones, zeros, share, &positive, &negative, w);
        if (round > 1 && moved <= 1e-9) {
            break;
        }
        int labelled = 0;
        mpfr_set_zero(share, 1);
        for (int i = 0; i < count; i++) {
            if (ones[i] + zeros[i] > 0) {
                mpfr_add(share, share, w[i], MPFR_RNDN);
                labelled++;
            }
        }
        mpfr_div_si(share, share, labelled, MPFR_RNDN);
        fit_rate(count, ones, zeros, w, false, &positive);
        fit_rate(count, zeros, ones, w, true, &negative);
    }
    mpfr_clears(share, positive.agree, positive.disagree, negative.agree, negative.disagree, NULL);
}

void oracle_nlu(int count, const int *ones, const int *zeros, double *score)
{
    int labels = 0;
    mpfr_t *w = malloc((size_t)count * sizeof *w);
    if (w == NULL) {
        quit("no memory");
    }
    for (int i = 0; i < count; i++) {
        mpfr_init2(w[i], BITS);
        mpfr_set_d(w[i], 0.5, MPFR_RNDN);
        labels += ones[i] + zeros[i];
    }
    if (labels > 0) {
        rounds(count, ones, zeros, w);
    }
    for (int i = 0; i < count; i++) {
        mpfr_t rest;
        mpfr_init2(rest, BITS);
        mpfr_si_sub(rest, 1, w[i], MPFR_RNDN);
        score[i] = mpfr_get_d(mpfr_less_p(w[i], rest) ? w[i] : rest, MPFR_RNDN);
        mpfr_clears(rest, w[i], NULL);
    }
    free(w);
}
