/*
 * Masses of a ranking's posterior. In one order of the items, best first, let r_k be the score of
 * the (k+1)-th divided by that of the k-th, and x_k = r_1 ... r_(k-1) the k-th score divided by the
 * best. Then
 *
 *   mass = const * integral over [0,1]^(items-1) of
 *          prod_k r_k^(A_k - 1 + e_k) * prod over pairs p < q of (1 + x_q / x_p)^-n_pq
 *          * (sum x)^-A0
 *
 * with A_k the sum of the priors of the items below the k-th place, and e_k the number of wins of
 * one of them over one at or above it: all their wins minus the comparisons among themselves.
 * Powers r^(A_k - 1) are the weight of the rule. All other factors are looked up in tables, one for
 * each pair of places and number of comparisons, over the nodes of the coordinates between the two.
 *
 * The sum over the last coordinate depends only on the wins of the item at the last place and on
 * its comparisons with each of the others: far fewer cases than states and orders. So it is kept,
 * for each case and all nodes of the other coordinates, and an order costs a sum over these.
 */
#include "dp/families/ranking_posterior.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "dp/base/orders.h"
#include "dp/families/ranking_rule.h"

enum {
    PLACES = OG_RANKING_ITEMS_MAX,
    LANES = OG_RANKING_LANES,
    MASSES = PLACES * PLACES,
    ORDERS_MAX = 720,
    ASK_EVERY = 4096,    /* points of a table */
    KEPT_MOST = 1 << 26, /* numbers of all kept sums */
};

typedef struct og_ranking_rule rule;

/* ---- tables ---- */

/* Bytes of the tables of one rule. */
static double rule_bytes(const og_ranking_posterior *posterior)
{
    int32_t last = posterior->prior.items - 1;
    double rows = posterior->labels + 1.0, numbers = (double)og_ranking_points(posterior, 0, last);
    for (int32_t p = 0; p < last; p++) {
        numbers += (rows + 1) * posterior->nodes[p];
        for (int32_t q = p + 1; q < posterior->prior.items; q++) {
            numbers += rows * (double)og_ranking_points(posterior, p, q);
        }
    }
    return (numbers + og_ranking_crowd_numbers(posterior)) * sizeof(double);
}

/* The first of the rules that has the same weight in this coordinate. */
static const rule *first_like(const og_ranking_posterior *posterior, const rule *r, int32_t k)
{
    const rule *first = posterior->rule;
    while (first->below[k] != r->below[k]) {
        first++;
    }
    return first;
}

static og_status rule_nodes(const og_ranking_posterior *posterior, const rule *r, int32_t k)
{
    size_t n = (size_t)posterior->nodes[k];
    const rule *like = first_like(posterior, r, k);
    if (like == r) {
        OG_TRY(og_ranking_nodes(r->below[k], posterior->nodes[k], r->node[k], r->power[k]));
    } else {
        memcpy(r->node[k], like->node[k], n * sizeof **r->node);
        memcpy(r->power[k], like->power[k], n * sizeof **r->power);
    }
    for (size_t i = n; i < n * ((size_t)posterior->labels + 1); i++) {
        r->power[k][i] = r->power[k][i - n] * r->node[k][i % n];
    }
    return OG_OK;
}

/* True if the work must end. Checked now and then while a table is filled. */
static bool is_over(og_stop *stop, size_t at)
{
    return at % ASK_EVERY == 0 && og_stop_asked(stop);
}

/* (1 + x_q / x_p)^-m over the nodes of coordinates p .. q - 1, the last of them fastest. */
static void fill_factor(const og_ranking_posterior *posterior, const rule *r, int32_t p, int32_t q,
                        og_stop *stop)
{
    size_t size = og_ranking_points(posterior, p, q);
    double *table = r->factor[p][q];
    for (size_t at = 0; at < size && !is_over(stop, at); at++) {
        double ratio = og_ranking_ratio(posterior, r, p, q, at);
        table[at] = 1;
        for (int32_t m = 1; m <= posterior->labels; m++) {
            table[(size_t)m * size + at] = table[(size_t)(m - 1) * size + at] / (1 + ratio);
        }
    }
}

static void fill_base(const og_ranking_posterior *posterior, const rule *r, og_stop *stop)
{
    size_t size = og_ranking_points(posterior, 0, posterior->prior.items - 1);
    double whole = 0;
    for (int32_t i = 0; i < posterior->prior.items; i++) {
        whole += posterior->prior.item[i];
    }
    for (size_t at = 0; at < size && !is_over(stop, at); at++) {
        double sum = 1; /* 1 + r_1 (1 + r_2 (...)), from the inside */
        size_t rest = at;
        for (int32_t k = posterior->prior.items - 2; k >= 0; k--) {
            sum = 1 + r->node[k][rest % (size_t)posterior->nodes[k]] * sum;
            rest /= (size_t)posterior->nodes[k];
        }
        r->base[at] = pow(sum, -whole);
    }
}

static og_status rule_init(og_ranking_posterior *posterior, rule *r, og_stop *stop)
{
    size_t rows = (size_t)posterior->labels + 1;
    int32_t last = posterior->prior.items - 1;
    r->base =
        og_arena_array(&posterior->arena, og_ranking_points(posterior, 0, last), sizeof *r->base);
    for (int32_t p = 0; p < last; p++) {
        size_t n = (size_t)posterior->nodes[p];
        r->node[p] = og_arena_array(&posterior->arena, n, sizeof **r->node);
        r->power[p] = og_arena_array(&posterior->arena, rows * n, sizeof **r->power);
        for (int32_t q = p + 1; q < posterior->prior.items; q++) {
            r->factor[p][q] = og_arena_array(
                &posterior->arena, rows * og_ranking_points(posterior, p, q), sizeof ***r->factor);
        }
    }
    OG_TRY(og_arena_status(&posterior->arena));
    for (int32_t k = 0; k < last; k++) {
        OG_TRY(rule_nodes(posterior, r, k));
    }
    for (int32_t p = 0; p < last; p++) {
        for (int32_t q = p + 1; q < posterior->prior.items; q++) {
            fill_factor(posterior, r, p, q, stop);
        }
    }
    fill_base(posterior, r, stop);
    return og_ranking_crowd_tables(posterior, r, stop);
}

/* ---- one order ---- */

/* The data on which an integral depends. Orders of equal items share many of them. */
typedef struct {
    int32_t rule;
    uint8_t upsets[PLACES - 1]; /* e_k */
    uint8_t compared[OG_RANKING_PAIRS_MAX];
} exponents;

/* Its rows of the tables. */
typedef struct {
    const og_ranking_posterior *posterior;
    const rule *rule;
    const double *power[PLACES - 1];
    const double *factor[PLACES][PLACES];
    const double *sum; /* kept sums over the last coordinate; NULL: not to be had */
} integral;

/* The sum over the last coordinate; at[p]: the node of coordinates p .. last - 1. */
static double sum_last(const integral *w, const size_t at[PLACES])
{
    int32_t last = w->posterior->prior.items - 2;
    size_t n = (size_t)w->posterior->nodes[last];
    const double *base = &w->rule->base[at[0] * n];
    const double *power = w->power[last], *near = w->factor[last][last + 1];
    const double *row[PLACES];
    double sum[LANES] = {0};
    for (int32_t p = 0; p < last; p++) {
        row[p] = &w->factor[p][last + 1][at[p] * n];
    }
    for (size_t i = 0; i < n; i += LANES) {
        double term[LANES];
        for (size_t k = 0; k < LANES; k++) {
            term[k] = base[i + k] * power[i + k] * near[i + k];
        }
        for (int32_t p = 0; p < last; p++) {
            for (size_t k = 0; k < LANES; k++) {
                term[k] *= row[p][i + k];
            }
        }
        for (size_t k = 0; k < LANES; k++) {
            sum[k] += term[k];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* ---- sums over the last coordinate ---- */

enum { NOT_MADE, IN_THE_MAKING, MADE };

static double choose(int32_t n, int32_t k)
{
    double ways = 1;
    for (int32_t i = 1; i <= k; i++) {
        ways = ways * (n - k + i) / i;
    }
    return ways;
}

/* The number of cases: comparisons of the last item with each other, at most `labels` in all, and
 * its wins. */
static double kept_cases(const og_ranking_posterior *posterior)
{
    int32_t others = posterior->prior.items - 1;
    return choose(posterior->labels + others, others) * (posterior->labels + 1);
}

/* The place of a case: partial sums of the comparisons do not fall, and the places of such
 * sequences are sums of binomials. */
static size_t place_of(const og_ranking_posterior *posterior, const exponents *e)
{
    int32_t last = posterior->prior.items - 1, sum = 0;
    double place = 0;
    for (int32_t p = 0; p < last; p++) {
        sum += e->compared[og_ranking_pair(posterior->prior.items, p, last)];
        place += choose(sum + p, p + 1);
    }
    return (size_t)place * (size_t)(posterior->labels + 1) + e->upsets[last - 1];
}

/* The sums of this case, made now if no thread has begun them; NULL if another thread makes them or
 * there is no room. */
static const double *kept_sums(const integral *w, const exponents *e)
{
    const og_ranking_posterior *posterior = w->posterior;
    int32_t last = posterior->prior.items - 2;
    if (w->rule->sum == NULL) {
        return NULL;
    }
    size_t place = place_of(posterior, e), points = og_ranking_points(posterior, 0, last);
    assert(place < posterior->kept);
    double *sum = &w->rule->sum[place * points];
    _Atomic uint8_t *made = &w->rule->made[place];
    uint8_t state = NOT_MADE; /* pairs with the store below */
    if (!atomic_compare_exchange_strong_explicit(made, &state, IN_THE_MAKING, memory_order_acquire,
                                                 memory_order_acquire)) {
        return state == MADE ? sum : NULL;
    }
    for (size_t point = 0; point < points; point++) {
        size_t at[PLACES] = {0};
        for (int32_t p = 0; p < last; p++) {
            at[p] = point % og_ranking_points(posterior, p, last);
        }
        sum[point] = sum_last(w, at);
    }
    atomic_store_explicit(made, MADE, memory_order_release);
    return sum;
}

static og_status keep_sums(og_ranking_posterior *posterior, rule *r)
{
    if (posterior->kept > 0) {
        size_t points = og_ranking_points(posterior, 0, posterior->prior.items - 2);
        r->sum = og_arena_array(&posterior->arena, posterior->kept * points, sizeof *r->sum);
        r->made = og_arena_array(&posterior->arena, posterior->kept, sizeof *r->made);
    }
    return og_arena_status(&posterior->arena);
}

/* Decides whether sums are kept: if they take at most a quarter of the memory. */
static void choose_kept(og_ranking_posterior *posterior, int32_t rules, uint64_t memory_bytes)
{
    double cases = kept_cases(posterior);
    bool several = posterior->prior.items > 2 && posterior->prior.workers == 0;
    double points =
        several ? (double)og_ranking_points(posterior, 0, posterior->prior.items - 2) : 0;
    double numbers = rules * cases * points, bytes = numbers * sizeof(double) + rules * cases;
    if (several && numbers <= KEPT_MOST && bytes <= (double)memory_bytes / 4) {
        posterior->kept = (size_t)cases;
        posterior->bytes += (uint64_t)bytes;
    }
}

/* The sum over coordinate k and those after it. */
static double sum_from(const integral *w, int32_t k, const size_t before[PLACES])
{
    double sum = 0;
    if (k >= w->posterior->prior.items - 2 || k >= PLACES - 2) { /* second: for compilers */
        return w->sum != NULL ? w->sum[before[0]] : sum_last(w, before);
    }
    for (int32_t i = 0; i < w->posterior->nodes[k]; i++) {
        size_t at[PLACES] = {0};
        double factor = w->power[k][i];
        for (int32_t p = 0; p <= k; p++) {
            at[p] = (p < k ? before[p] * (size_t)w->posterior->nodes[k] : 0) + (size_t)i;
            factor *= w->factor[p][k + 1][at[p]];
        }
        sum += factor * sum_from(w, k + 1, at);
    }
    return sum;
}

static int32_t compared(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                        int32_t i, int32_t j)
{
    return counts->compared[og_ranking_pair(posterior->prior.items, i, j)];
}

static void set_exponents(const og_ranking_posterior *posterior, int32_t which,
                          const og_ranking_counts *counts, exponents *out)
{
    int32_t items = posterior->prior.items, upsets = 0;
    const uint8_t *order = &posterior->order[which * items];
    memset(out, 0, sizeof *out);
    out->rule = posterior->rule_of[which];
    for (int32_t p = items - 1; p >= 0; p--) {
        upsets += counts->wins[order[p]];
        for (int32_t q = p + 1; q < items; q++) {
            int32_t times = compared(posterior, counts, order[p], order[q]);
            out->compared[og_ranking_pair(items, p, q)] = (uint8_t)times;
            upsets -= times;
        }
        assert(upsets >= 0 && upsets <= posterior->labels);
        if (p > 0) {
            out->upsets[p - 1] = (uint8_t)upsets;
        }
    }
}

static double order_mass(const og_ranking_posterior *posterior, const exponents *e)
{
    integral w = {.posterior = posterior, .rule = &posterior->rule[e->rule]};
    const size_t root[PLACES] = {0};
    for (int32_t k = 0; k < posterior->prior.items - 1; k++) {
        w.power[k] = &w.rule->power[k][(size_t)e->upsets[k] * (size_t)posterior->nodes[k]];
    }
    for (int32_t p = 0; p < posterior->prior.items; p++) {
        for (int32_t q = p + 1; q < posterior->prior.items; q++) {
            size_t row = e->compared[og_ranking_pair(posterior->prior.items, p, q)];
            w.factor[p][q] = &w.rule->factor[p][q][row * og_ranking_points(posterior, p, q)];
        }
    }
    w.sum = kept_sums(&w, e);
    return posterior->scale * sum_from(&w, 0, root);
}

/* mass[order_count], each integral once; 0 for those skipped because of the stop. */
static void order_masses(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                         og_stop *stop, double *mass)
{
    exponents list[ORDERS_MAX];
    for (int32_t s = 0; s < posterior->order_count; s++) {
        int32_t same = 0;
        set_exponents(posterior, s, counts, &list[s]);
        while (memcmp(&list[same], &list[s], sizeof *list) != 0) {
            same++;
        }
        mass[s] = same < s ? mass[same] : og_stop_asked(stop) ? 0 : order_mass(posterior, &list[s]);
    }
}

void og_ranking_add(const og_ranking_prior *prior, og_ranking_counts *counts, int32_t winner,
                    int32_t loser, int32_t worker)
{
    int32_t pair = og_ranking_pair(prior->items, winner, loser);
    if (prior->workers == 0) {
        counts->wins[winner]++;
        counts->compared[pair]++;
    } else {
        assert(og_ranking_answer(counts, worker, pair) == OG_RANKING_UNASKED);
        uint32_t said = winner < loser ? OG_RANKING_FIRST : OG_RANKING_SECOND;
        counts->said[worker] |= said << 2 * pair;
    }
}

double og_ranking_masses(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                         double *above)
{
    return og_ranking_masses_until(posterior, counts, NULL, above);
}

double og_ranking_masses_until(const og_ranking_posterior *posterior,
                               const og_ranking_counts *counts, og_stop *stop, double *above)
{
    double sum = 0, mass[ORDERS_MAX];
    memset(above, 0, (size_t)(posterior->prior.items * posterior->prior.items) * sizeof *above);
    if (posterior->prior.workers == 0) {
        order_masses(posterior, counts, stop, mass);
    }
    for (int32_t s = 0; s < posterior->order_count; s++) {
        const uint8_t *order = &posterior->order[s * posterior->prior.items];
        if (posterior->prior.workers > 0) {
            mass[s] = og_stop_asked(stop) ? 0 : og_ranking_crowd_mass(posterior, s, counts);
        }
        sum += mass[s];
        for (int32_t p = 0; p < posterior->prior.items; p++) {
            for (int32_t q = p + 1; q < posterior->prior.items; q++) {
                above[order[p] * posterior->prior.items + order[q]] += mass[s];
            }
        }
    }
    return sum;
}

/* ---- rankings ---- */

double og_ranking_best(int32_t items, const double *above)
{
    double best[1 << PLACES];
    best[0] = 0;
    for (int32_t set = 1; set < 1 << items; set++) { /* the items on top */
        best[set] = 0;
        for (int32_t j = 0; j < items; j++) { /* the lowest of them */
            double sum = best[set & ~(1 << j)];
            for (int32_t k = 0; k < items; k++) {
                sum += (set >> k & 1) == 0 ? above[j * items + k] : 0;
            }
            best[set] = (set >> j & 1) != 0 && sum > best[set] ? sum : best[set];
        }
    }
    return best[(1 << items) - 1] / (items * (items - 1) / 2);
}

double og_ranking_score(int32_t items, const double *above, const double *score)
{
    const double equal = 1e-10;
    double sum = 0;
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            double apart = score[i] - score[j];
            double up = above[i * items + j], down = above[j * items + i];
            bool same = fabs(apart) <= equal * fmax(fabs(score[i]), fabs(score[j]));
            sum += same ? (up + down) / 2 : apart > 0 ? up : down;
        }
    }
    return sum / (items * (items - 1) / 2);
}

/* ---- choice of rules ---- */

/* All orders of the items, in dictionary order. */
static og_status list_orders(og_ranking_posterior *posterior)
{
    uint8_t now[PLACES];
    posterior->order_count = 1;
    for (int32_t i = 0; i < posterior->prior.items; i++) {
        now[i] = (uint8_t)i;
        posterior->order_count *= i + 1;
    }
    posterior->order = og_arena_array(&posterior->arena,
                                      (size_t)(posterior->order_count * posterior->prior.items), 1);
    posterior->rule_of = og_arena_array(&posterior->arena, (size_t)posterior->order_count,
                                        sizeof *posterior->rule_of);
    posterior->rule =
        og_arena_array(&posterior->arena, (size_t)posterior->order_count, sizeof *posterior->rule);
    OG_TRY(og_arena_status(&posterior->arena));
    for (int32_t s = 0; s < posterior->order_count; s++) {
        memcpy(&posterior->order[s * posterior->prior.items], now, (size_t)posterior->prior.items);
        og_orders_next(NULL, posterior->prior.items, now);
    }
    return OG_OK;
}

/* The rules that the orders need, without their tables; returns their number. */
static int32_t name_rules(og_ranking_posterior *posterior)
{
    int32_t count = 0;
    for (int32_t s = 0; s < posterior->order_count; s++) {
        rule wanted = {.below = {0}};
        double below = 0;
        int32_t same = 0;
        for (int32_t k = posterior->prior.items - 1; k > 0; k--) {
            below += posterior->prior.item[posterior->order[s * posterior->prior.items + k]];
            wanted.below[k - 1] = below;
        }
        while (same < count &&
               memcmp(posterior->rule[same].below, wanted.below, sizeof wanted.below)) {
            same++;
        }
        posterior->rule[same] = wanted;
        count += same == count;
        posterior->rule_of[s] = same;
    }
    return count;
}

/* Chooses the nodes of every coordinate, for all rules, and proves their total error. */
static og_status choose_nodes(og_ranking_posterior *posterior, int32_t rules, og_message *message)
{
    const double wanted = 1e-13;
    for (int32_t k = 0; k < posterior->prior.items - 1; k++) {
        double worst = 0;
        for (int32_t r = 0; r < rules; r++) {
            const rule *own = &posterior->rule[r];
            double error = 0;
            int32_t nodes = first_like(posterior, own, k) != own
                                ? 1
                                : og_ranking_nodes_needed(&posterior->prior, posterior->labels, k,
                                                          own->below[k], wanted, &error);
            if (nodes == 0) {
                return og_message_set(message, OG_STOPPED,
                                      "a proved error of %g in the integrals over the scores takes "
                                      "more than %d points a coordinate",
                                      wanted, OG_RANKING_NODES_MAX);
            }
            posterior->nodes[k] = nodes > posterior->nodes[k] ? nodes : posterior->nodes[k];
            worst = fmax(worst, error);
        }
        posterior->error += 1.01 * worst; /* of the product of all (1 + error) */
    }
    int32_t *last = &posterior->nodes[posterior->prior.items - 2];
    *last += (LANES - *last % LANES) % LANES;
    return OG_OK;
}

/*
 * Relative, of a sum of positive products. A node has an error of half a unit in the last place,
 * which changes a term by at most N + A0 of these. A comparison multiplies by a quotient of a
 * product of ratios, with a worker in a polynomial whose coefficients are quotients; (sum x)^-A0
 * comes from a sum of products. Sums are added to as often as there are nodes, and orders.
 */
static double rounding_of(const og_ranking_posterior *posterior)
{
    int32_t items = posterior->prior.items;
    double whole = 0, terms = 16 + items * items + posterior->order_count;
    for (int32_t i = 0; i < items; i++) {
        whole += posterior->prior.item[i];
    }
    for (int32_t k = 0; k < items - 1; k++) {
        terms += posterior->prior.workers > 0 ? 0 : posterior->nodes[k];
    }
    if (posterior->prior.workers > 0) { /* all points one after the other, in lanes */
        terms += (double)(og_ranking_points(posterior, 0, items - 1) / LANES);
    }
    return (terms + (3 * items + 10) * posterior->labels + 5 * items * whole) * DBL_EPSILON / 2;
}

og_status og_ranking_stopped(const og_stop *stop, og_message *message)
{
    return og_stop_status(stop) == OG_OK ? OG_OK : og_stop_building(message);
}

static og_status make_tables(og_ranking_posterior *posterior, uint64_t memory_bytes, og_stop *stop,
                             og_message *message)
{
    const og_ranking_counts none = {.wins = {0}};
    double above[MASSES];
    OG_TRY(list_orders(posterior));
    int32_t rules = name_rules(posterior);
    OG_TRY(choose_nodes(posterior, rules, message));
    posterior->error += rounding_of(posterior);
    double bytes = rules * rule_bytes(posterior);
    if (bytes > (double)memory_bytes) {
        return og_message_set(message, OG_STOPPED,
                              "the integrals over the scores of %d items need tables of %.3g GB, "
                              "more than the memory limit (--memory) holds",
                              (int)posterior->prior.items, bytes / 1e9);
    }
    posterior->bytes = (uint64_t)bytes;
    choose_kept(posterior, rules, memory_bytes - posterior->bytes);
    for (int32_t i = 0; i < rules; i++) {
        OG_TRY(rule_init(posterior, &posterior->rule[i], stop));
        OG_TRY(keep_sums(posterior, &posterior->rule[i]));
    }
    posterior->scale = 1 / og_ranking_masses_until(posterior, &none, stop, above);
    return og_ranking_stopped(stop, message);
}

og_status og_ranking_posterior_init(og_ranking_posterior *out, const og_ranking_prior *prior,
                                    int32_t labels, uint64_t memory_bytes, og_stop *stop,
                                    og_message *message)
{
    int32_t items = prior->items;
    og_ranking_posterior posterior = {
        .prior = *prior, .pairs = items * (items - 1) / 2, .labels = labels, .scale = 1};
    assert(items >= 2 && items <= OG_RANKING_ITEMS_MAX && labels <= OG_RANKING_LABELS_MAX);
    assert(prior->workers <= OG_RANKING_WORKERS_MAX);
    og_status status = make_tables(&posterior, memory_bytes, stop, message);
    return OG_MADE_IN(status, posterior, og_ranking_posterior_clear, out);
}

void og_ranking_posterior_clear(og_ranking_posterior *posterior)
{
    og_arena_clear(&posterior->arena);
    *posterior = (og_ranking_posterior){.labels = 0};
}
