/*
 * Masses of a ranking's posterior with workers of unknown reliability. Given the scores, a worker
 * who gave L answers is faithful in k of them with a likelihood c_k, a sum over all choices of k of
 * products of probabilities. The reliability is integrated out:
 *
 *   factor of the worker = sum over k of  c_k * B(mu + k, nu + L - k) / B(mu, nu)
 *
 * Every term is positive. It is a mixture of likelihoods of reliable workers with as many
 * comparisons, so the errors of integrals are at most theirs.
 */
#include "dp/families/ranking_rule.h"

enum { ANSWERS = OG_RANKING_PAIRS_MAX, LANES = OG_RANKING_LANES };

double og_ranking_crowd_numbers(const og_ranking_posterior *posterior)
{
    double points = (double)og_ranking_points(posterior, 0, posterior->prior.items - 1);
    return posterior->prior.workers > 0 ? points * (1 + 2 * posterior->pairs) : 0;
}

static void fill_weights(const og_ranking_posterior *posterior, const struct og_ranking_rule *r)
{
    size_t size = og_ranking_points(posterior, 0, posterior->prior.items - 1);
    for (size_t at = 0; at < size; at++) {
        size_t rest = at;
        r->weight[at] = r->base[at];
        for (int32_t k = posterior->prior.items - 2; k >= 0; k--) {
            r->weight[at] *= r->power[k][rest % (size_t)posterior->nodes[k]];
            rest /= (size_t)posterior->nodes[k];
        }
    }
}

/* The lower place's probability is computed by a separate quotient, so that it keeps its digits. */
static void fill_chances(const og_ranking_posterior *posterior, const struct og_ranking_rule *r,
                         int32_t p, int32_t q)
{
    int32_t last = posterior->prior.items - 1;
    size_t size = og_ranking_points(posterior, 0, last),
           behind = og_ranking_points(posterior, q, last);
    size_t between = og_ranking_points(posterior, p, q);
    for (size_t at = 0; at < size; at++) {
        double ratio = og_ranking_ratio(posterior, r, p, q, at / behind % between);
        r->chance[p][q][at] = 1 / (1 + ratio);
        r->chance[q][p][at] = ratio / (1 + ratio);
    }
}

og_status og_ranking_crowd_tables(og_ranking_posterior *posterior, struct og_ranking_rule *r,
                                  og_stop *stop)
{
    int32_t items = posterior->prior.items;
    size_t size = og_ranking_points(posterior, 0, items - 1);
    if (posterior->prior.workers == 0) {
        return OG_OK;
    }
    r->weight = og_arena_array(&posterior->arena, size, sizeof *r->weight);
    for (int32_t k = 0; k < items * items; k++) {
        r->chance[k / items][k % items] =
            k / items == k % items ? NULL
                                   : og_arena_array(&posterior->arena, size, sizeof ***r->chance);
    }
    OG_TRY(og_arena_status(&posterior->arena));
    fill_weights(posterior, r);
    for (int32_t p = 0; p < items; p++) {
        for (int32_t q = p + 1; q < items && !og_stop_asked(stop); q++) {
            fill_chances(posterior, r, p, q);
        }
    }
    return OG_OK;
}

/* Answers of one worker: at each node the probabilities that they are true, and that they are
 * not. */
typedef struct {
    int32_t count;
    const double *so[ANSWERS], *not_so[ANSWERS];
    double faithful[ANSWERS + 1]; /* B(mu + k, nu + count - k) / B(mu, nu) */
} answers;

static void list_answers(const og_ranking_posterior *posterior, const struct og_ranking_rule *r,
                         const uint8_t *order, const og_ranking_counts *counts, int32_t worker,
                         answers *out)
{
    int32_t items = posterior->prior.items;
    out->count = 0;
    for (int32_t p = 0; p < items; p++) {
        for (int32_t q = p + 1; q < items; q++) {
            int32_t pair = og_ranking_pair(items, order[p], order[q]);
            og_ranking_said said = og_ranking_answer(counts, worker, pair);
            bool upper = (said == OG_RANKING_FIRST) == (order[p] < order[q]);
            if (said != OG_RANKING_UNASKED) {
                out->so[out->count] = upper ? r->chance[p][q] : r->chance[q][p];
                out->not_so[out->count++] = upper ? r->chance[q][p] : r->chance[p][q];
            }
        }
    }
    const double *prior = posterior->prior.worker[worker];
    for (int32_t k = 0; k <= out->count; k++) {
        double ratio = 1;
        for (int32_t l = 0; l < out->count; l++) {
            ratio *= (l < k ? prior[0] + l : prior[1] + l - k) / (prior[0] + prior[1] + l);
        }
        out->faithful[k] = ratio;
    }
}

/* The product over workers of their factors, into product[LANES], from this node on. */
static void multiply_factors(const answers *by, int32_t workers, size_t at, double *product)
{
    for (int32_t w = 0; w < workers; w++) {
        double c[ANSWERS + 1][LANES], sum[LANES] = {0};
        for (size_t lane = 0; lane < LANES; lane++) {
            c[0][lane] = 1;
        }
        for (int32_t l = 0; l < by[w].count; l++) {
            const double *so = &by[w].so[l][at], *not_so = &by[w].not_so[l][at];
            for (size_t lane = 0; lane < LANES; lane++) {
                c[l + 1][lane] = c[l][lane] * so[lane];
            }
            for (int32_t k = l; k >= 0; k--) {
                for (size_t lane = 0; lane < LANES; lane++) {
                    c[k][lane] =
                        c[k][lane] * not_so[lane] + (k > 0 ? c[k - 1][lane] * so[lane] : 0);
                }
            }
        }
        for (int32_t k = 0; k <= by[w].count; k++) {
            for (size_t lane = 0; lane < LANES; lane++) {
                sum[lane] += by[w].faithful[k] * c[k][lane];
            }
        }
        for (size_t lane = 0; lane < LANES; lane++) {
            product[lane] *= sum[lane];
        }
    }
}

double og_ranking_crowd_mass(const og_ranking_posterior *posterior, int32_t which,
                             const og_ranking_counts *counts)
{
    const struct og_ranking_rule *r = &posterior->rule[posterior->rule_of[which]];
    size_t size = og_ranking_points(posterior, 0, posterior->prior.items - 1);
    answers by[OG_RANKING_WORKERS_MAX];
    double sum[LANES] = {0};
    int32_t workers = 0;
    for (int32_t w = 0; w < posterior->prior.workers; w++) {
        list_answers(posterior, r, &posterior->order[which * posterior->prior.items], counts, w,
                     &by[workers]);
        workers += by[workers].count > 0;
    }
    for (size_t at = 0; at < size; at += LANES) {
        double product[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            product[lane] = r->weight[at + lane];
        }
        multiply_factors(by, workers, at, product);
        for (size_t lane = 0; lane < LANES; lane++) {
            sum[lane] += product[lane];
        }
    }
    return posterior->scale * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
