/* Evidence and calls of a matrix of labels in fractions: the expansion of
 * dp/families/workers_posterior.c, without elimination. */
#include "dp/families/workers_exact.h"

#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

/* Pr(theta >= 1/2 | Beta(a, b)), whole a and b. */
static void set_chance(mpq_t out, uint32_t a, uint32_t b)
{
    og_exact_tail(a, b, 1, 2, mpq_numref(out));
    mpz_set_ui(mpq_denref(out), 1);
    mpz_mul_2exp(mpq_denref(out), mpq_denref(out), a + b - 1);
    mpq_canonicalize(out);
}

/* The factors of a coin; for an instance, whose prior has one, also its probabilities. */
static og_status make_factors(og_workers_fractions *out, const og_group *group, int32_t coin,
                              mpq_t **factor, mpq_t **chance)
{
    int32_t side = out->posterior->side;
    size_t cells = (size_t)side * (size_t)side;
    *factor = og_arena_fractions(&out->arena, cells);
    if (chance != NULL) {
        *chance = og_arena_fractions(&out->arena, cells);
    }
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t s = 0; s < side; s++) {
        for (int32_t f = 0; s + f < side; f++) {
            og_worker_factor_exact(group, coin, s, f, (*factor)[s * side + f]);
            if (chance != NULL) {
                set_chance((*chance)[s * side + f], (uint32_t)(group->a.num + s),
                           (uint32_t)(group->b.num + f));
            }
        }
    }
    return OG_OK;
}

static og_status fill_all(og_workers_fractions *out)
{
    const og_workers_posterior *posterior = out->posterior;
    for (int32_t g = 0; g < posterior->problem->group_count; g++) {
        OG_TRY(make_factors(out, og_groups_at(posterior->problem, g), 0, &out->instance[g],
                            &out->chance[g]));
    }
    for (int32_t j = 0; j < posterior->workers; j++) {
        int32_t g = posterior->worker_group[j];
        for (int32_t k = 0; k < og_worker_coins(og_groups_at(posterior->people, g)); k++) {
            int32_t coin = posterior->coin_of[j][k];
            if (j > 0 && posterior->worker_group[j - 1] == g) {
                out->coin[coin] = out->coin[posterior->coin_of[j - 1][k]];
            } else {
                OG_TRY(make_factors(out, og_groups_at(posterior->people, g), k, &out->coin[coin],
                                    NULL));
            }
        }
    }
    return OG_OK;
}

og_status og_workers_fractions_init(og_workers_fractions *out,
                                    const og_workers_posterior *posterior)
{
    og_workers_fractions made = {.posterior = posterior};
    size_t groups = (size_t)posterior->problem->group_count;
    made.instance = og_arena_array(&made.arena, groups, sizeof *made.instance);
    made.chance = og_arena_array(&made.arena, groups, sizeof *made.chance);
    made.coin = og_arena_array(&made.arena, (size_t)posterior->coins, sizeof *made.coin);
    og_status status = og_arena_status(&made.arena);
    OG_THEN(status, fill_all(&made));
    return OG_MADE_IN(status, made, og_workers_fractions_clear, out);
}

void og_workers_fractions_clear(og_workers_fractions *fractions)
{
    og_arena_clear(&fractions->arena);
    fractions->posterior = NULL;
}

/* ---- the sum ---- */

/* One term after the other: for each label, whether a reliable worker would have been positive. */
typedef struct {
    const og_workers_fractions *fractions;
    int32_t count;
    struct {
        int32_t instance, worker;
        int positives, negatives;
    } pair[OG_WORKERS_PAIRS_MAX];
    int32_t yes[OG_WORKERS_INSTANCES_MAX], no[OG_WORKERS_INSTANCES_MAX];
    int32_t same[OG_WORKER_COINS_MAX * OG_WORKERS_MAX];
    int32_t other[OG_WORKER_COINS_MAX * OG_WORKERS_MAX];
    mpq_t *positive; /* [instances] NULL: not wanted */
    mpq_t *room;     /* [2] */
    mpq_ptr evidence;
} expansion;

static void add_term(const expansion *e, mpz_srcptr ways)
{
    const og_workers_posterior *p = e->fractions->posterior;
    mpq_t *term = &e->room[0], *part = &e->room[1];
    mpq_set_z(*term, ways);
    for (int32_t i = 0; i < p->instances; i++) {
        mpq_mul(*term, *term,
                e->fractions->instance[p->instance_group[i]][e->yes[i] * p->side + e->no[i]]);
    }
    for (int32_t c = 0; c < p->coins; c++) {
        mpq_mul(*term, *term, e->fractions->coin[c][e->same[c] * p->side + e->other[c]]);
    }
    mpq_add(e->evidence, e->evidence, *term);
    for (int32_t i = 0; e->positive != NULL && i < p->instances; i++) {
        mpq_mul(*part, *term,
                e->fractions->chance[p->instance_group[i]][e->yes[i] * p->side + e->no[i]]);
        mpq_add(e->positive[i], e->positive[i], *part);
    }
}

/* As in the posterior: s of the positive labels of a pair, and u of the negative ones, are those of
 * a reliable worker. The counts are added, and taken back. */
static void count_pair(expansion *e, int32_t at, int s, int u, int32_t sign)
{
    int32_t i = e->pair[at].instance, j = e->pair[at].worker;
    const int32_t *coin = e->fractions->posterior->coin_of[j];
    int positives = e->pair[at].positives, negatives = e->pair[at].negatives;
    e->yes[i] += sign * (s + negatives - u);
    e->no[i] += sign * (positives - s + u);
    e->same[coin[0]] += sign * s;
    e->other[coin[0]] += sign * (negatives - u);
    e->same[coin[1]] += sign * u;
    e->other[coin[1]] += sign * (positives - s);
}

static void expand(expansion *e, int32_t at, mpz_srcptr ways)
{
    mpz_t here, choose;
    if (at == e->count) {
        add_term(e, ways);
        return;
    }
    mpz_inits(here, choose, NULL);
    for (int s = 0; s <= e->pair[at].positives; s++) {
        for (int u = 0; u <= e->pair[at].negatives; u++) {
            mpz_bin_uiui(here, (unsigned)e->pair[at].positives, (unsigned)s);
            mpz_bin_uiui(choose, (unsigned)e->pair[at].negatives, (unsigned)u);
            mpz_mul(here, here, choose);
            mpz_mul(here, here, ways);
            count_pair(e, at, s, u, 1);
            expand(e, at + 1, here);
            count_pair(e, at, s, u, -1);
        }
    }
    mpz_clears(here, choose, NULL);
}

og_status og_workers_weigh(const og_workers_fractions *fractions, const og_pair_counts *counts,
                           mpq_t evidence, mpq_ptr right)
{
    const og_workers_posterior *p = fractions->posterior;
    og_arena arena = {0};
    mpz_t one;
    expansion e = {.fractions = fractions, .evidence = evidence};
    e.room = og_arena_fractions(&arena, 2);
    mpq_t *positive = og_arena_fractions(&arena, (size_t)p->instances);
    og_status status = og_arena_status(&arena);
    if (status != OG_OK) {
        og_arena_clear(&arena);
        return status;
    }
    e.positive = right != NULL ? positive : NULL;
    for (int32_t k = 0; k < p->instances * p->workers; k++) {
        if (counts[k].positive + counts[k].negative > 0) {
            e.pair[e.count].instance = k / p->workers;
            e.pair[e.count].worker = k % p->workers;
            e.pair[e.count].positives = counts[k].positive;
            e.pair[e.count++].negatives = counts[k].negative;
        }
    }
    mpz_init_set_ui(one, 1);
    mpq_set_ui(evidence, 0, 1);
    expand(&e, 0, one);
    mpz_clear(one);
    if (right != NULL) {
        mpq_set_ui(right, 0, 1);
        for (int32_t i = 0; i < p->instances; i++) {
            mpq_sub(e.room[0], evidence, positive[i]);
            mpq_add(right, right, mpq_cmp(e.room[0], positive[i]) > 0 ? e.room[0] : positive[i]);
        }
    }
    og_arena_clear(&arena);
    return OG_OK;
}
