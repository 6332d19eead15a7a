/* Renames equal items and workers of a ranking: all orders of the items are tried, and for each the
 * workers are sorted, which is equivalent to trying all their orders. */
#include "dp/families/ranking_names.h"

#include <string.h>

#include "dp/base/orders.h"

enum { ITEMS = OG_RANKING_ITEMS_MAX };

void og_ranking_names_init(og_ranking_names *names, const og_ranking_prior *prior, bool sorts,
                           int32_t i, int32_t j)
{
    int32_t group[ITEMS];
    uint8_t order[ITEMS] = {0};
    *names = (og_ranking_names){.prior = prior, .sorts = sorts};
    for (int32_t k = 0; k < prior->items; k++) {
        int32_t first = 0;
        while (prior->item[first] != prior->item[k]) {
            first++;
        }
        group[k] = sorts ? first : k;
        group[k] += i >= 0 && (k == i || k == j) ? ITEMS : 0;
        order[k] = (uint8_t)k;
    }
    for (int32_t w = 0; w < prior->workers; w++) {
        int32_t first = 0;
        while (memcmp(prior->worker[first], prior->worker[w], sizeof prior->worker[w]) != 0) {
            first++;
        }
        names->worker_group[w] = first;
    }
    do {
        memcpy(names->order[names->order_count++], order, ITEMS);
    } while (og_orders_next(group, prior->items, order));
}

static void rename_items(const og_ranking_prior *prior, const og_ranking_counts *from,
                         const uint8_t *order, og_ranking_counts *to)
{
    int32_t items = prior->items;
    memset(to, 0, sizeof *to);
    for (int32_t k = 0, p = 0; k < items; k++) {
        to->wins[k] = from->wins[order[k]];
        for (int32_t l = k + 1; l < items; l++, p++) {
            int32_t pair = og_ranking_pair(items, order[k], order[l]);
            to->compared[p] = from->compared[pair];
            for (int32_t w = 0; w < prior->workers; w++) {
                uint32_t said = og_ranking_answer(from, w, pair);
                bool turned = order[k] > order[l] && said != OG_RANKING_UNASKED;
                said = turned ? OG_RANKING_FIRST + OG_RANKING_SECOND - said : said;
                to->said[w] |= said << 2 * p;
            }
        }
    }
}

static void rename_belief(const og_ranking_names *m, const char *from, const uint8_t *order,
                          char *to)
{
    size_t bytes = m->item_bytes[0];
    memcpy(to, from, m->belief_bytes);
    for (int32_t k = 0; k < m->prior->items; k++) {
        memcpy(to + (size_t)k * bytes, from + order[k] * bytes, bytes);
    }
}

static char *record_of(const og_ranking_names *m, char *belief, int32_t worker)
{
    return belief + (size_t)m->prior->items * m->item_bytes[0] + (size_t)worker * m->item_bytes[1];
}

/* Exchanges the names of workers v and w. */
static void swap_workers(const og_ranking_names *m, og_ranking_counts *counts, char *belief,
                         int32_t v, int32_t w)
{
    uint32_t said = counts->said[v];
    counts->said[v] = counts->said[w];
    counts->said[w] = said;
    for (size_t k = 0; belief != NULL && k < m->item_bytes[1]; k++) {
        char *x = record_of(m, belief, v) + k, *y = record_of(m, belief, w) + k, was = *x;
        *x = *y;
        *y = was;
    }
}

static int compare_workers(const og_ranking_names *m, const og_ranking_counts *counts, char *belief,
                           int32_t v, int32_t w)
{
    if (counts->said[v] != counts->said[w] || belief == NULL) {
        return counts->said[v] < counts->said[w] ? -1 : counts->said[v] > counts->said[w];
    }
    return memcmp(record_of(m, belief, v), record_of(m, belief, w), m->item_bytes[1]);
}

/* Sorts equal workers in ascending order. */
static void sort_workers(const og_ranking_names *m, og_ranking_counts *counts, char *belief)
{
    for (int32_t w = 1; w < m->prior->workers; w++) {
        for (int32_t v = w, before; v > 0; v = before) {
            before = v - 1;
            while (before >= 0 && m->worker_group[before] != m->worker_group[v]) {
                before--;
            }
            if (before < 0 || compare_workers(m, counts, belief, before, v) <= 0) {
                break;
            }
            swap_workers(m, counts, belief, before, v);
        }
    }
}

int og_ranking_compare(const og_ranking_counts *x, const og_ranking_counts *y)
{
    int order = memcmp(x->wins, y->wins, sizeof x->wins);
    order = order != 0 ? order : memcmp(x->compared, y->compared, sizeof x->compared);
    return order != 0 ? order : memcmp(x->said, y->said, sizeof x->said);
}

int32_t og_ranking_canonical(const og_ranking_names *m, const og_ranking_counts *from, char *belief,
                             char *const room[2], og_ranking_counts *out)
{
    char *renamed = belief != NULL ? room[0] : NULL, *best = belief != NULL ? room[1] : NULL;
    int32_t which = 0;
    for (int32_t o = 0; o < m->order_count; o++) {
        og_ranking_counts trial;
        int less = -1;
        rename_items(m->prior, from, m->order[o], &trial);
        if (belief != NULL) {
            rename_belief(m, belief, m->order[o], renamed);
        }
        if (m->sorts) {
            sort_workers(m, &trial, renamed);
        }
        if (o > 0) {
            less = og_ranking_compare(&trial, out);
            less = less == 0 && belief != NULL ? memcmp(renamed, best, m->belief_bytes) : less;
        }
        if (less < 0) {
            *out = trial;
            which = o;
            if (belief != NULL) {
                memcpy(best, renamed, m->belief_bytes);
            }
        }
    }
    if (belief != NULL) {
        memcpy(belief, best, m->belief_bytes);
    }
    return which;
}
