/* Upper bounds of a ranking: the value after all comparisons. */
#include <float.h>
#include <math.h>

#include "dp/families/ranking_bounds.h"
#include "dp/families/ranking_rule.h"

enum { ITEMS = OG_RANKING_ITEMS_MAX };

/* ---- all comparisons ---- */

/* Outcomes of the pairs from `pair` on, each compared `times` more: sum of the best rankings. */
static double sum_outcomes(const og_ranking_posterior *p, og_ranking_counts *counts, int32_t pair,
                           int32_t times, double ways)
{
    int32_t i = 0, j = pair + 1;
    double sum = 0;
    if (pair == p->pairs) {
        double above[ITEMS * ITEMS];
        og_ranking_masses(p, counts, above);
        return ways * og_ranking_best(p->prior.items, above);
    }
    while (j >= p->prior.items) { /* the pair's items: rows of a triangle */
        j -= p->prior.items - i - 2;
        i++;
    }
    counts->compared[pair] = (uint8_t)(counts->compared[pair] + times);
    for (int32_t won = 0; won <= times; won++) { /* by i; the ways are a binomial coefficient */
        counts->wins[i] = (uint8_t)(counts->wins[i] + won);
        counts->wins[j] = (uint8_t)(counts->wins[j] + times - won);
        sum += sum_outcomes(p, counts, pair + 1, times, ways);
        counts->wins[i] = (uint8_t)(counts->wins[i] - won);
        counts->wins[j] = (uint8_t)(counts->wins[j] - (times - won));
        ways *= (double)(times - won) / (won + 1);
    }
    counts->compared[pair] = (uint8_t)(counts->compared[pair] - times);
    return sum;
}

/* The same with workers: outcomes of all answers still possible, from this pair and worker on. */
static double sum_answers(const og_ranking_posterior *p, const og_ranking_counts *counts, int32_t i,
                          int32_t j, int32_t worker)
{
    double above[ITEMS * ITEMS], sum = 0;
    if (worker == p->prior.workers) {
        worker = 0;
        j++;
    }
    if (j == p->prior.items) {
        i++;
        j = i + 1;
    }
    if (j >= p->prior.items) {
        og_ranking_masses(p, counts, above);
        return og_ranking_best(p->prior.items, above);
    }
    bool asked = og_ranking_answer(counts, worker, og_ranking_pair(p->prior.items, i, j)) !=
                 OG_RANKING_UNASKED;
    for (int32_t k = 0; k < (asked ? 1 : 2); k++) {
        og_ranking_counts next = *counts;
        if (!asked) {
            og_ranking_add(&p->prior, &next, k == 0 ? i : j, k == 0 ? j : i, worker);
        }
        sum += sum_answers(p, &next, i, j, worker + 1);
    }
    return sum;
}

og_status og_ranking_everything(const og_ranking *ranking, uint64_t memory_bytes, og_stop *stop,
                                double *value, double *error)
{
    const og_ranking_posterior *own = &ranking->posterior;
    const og_ranking_prior *prior = &own->prior;
    const double steps_most = 1e9;
    bool crowd = prior->workers > 0;
    og_ranking_posterior p;
    og_ranking_counts counts = ranking->start;
    int32_t all =
        crowd ? og_ranking_labels(prior, ranking->had, INT32_MAX) : own->pairs * ranking->budget;
    double outcomes = crowd ? pow(2, all) : pow(ranking->budget + 1.0, own->pairs);
    double points = own->order_count * (double)og_ranking_points(own, 0, prior->items - 1);
    *value = NAN;
    if (ranking->had + all > OG_RANKING_LABELS_MAX ||
        outcomes * points * (crowd ? ranking->had + all : 1) > steps_most) {
        return OG_OK;
    }
    og_status status =
        og_ranking_posterior_init(&p, prior, ranking->had + all, memory_bytes, stop, NULL);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status;
    }
    *value = (crowd ? sum_answers(&p, &counts, 0, 1, 0)
                    : sum_outcomes(&p, &counts, 0, ranking->budget, 1)) /
             ranking->mass;
    *error = 2 * (own->error + p.error) + (outcomes + p.labels * own->pairs + 64) * DBL_EPSILON;
    og_ranking_posterior_clear(&p);
    return OG_OK;
}
