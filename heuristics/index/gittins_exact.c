/*
 * Computes the finite-horizon Gittins index in fractions, where ranks need it: Dinkelbach's
 * iteration as in gittins.c with exact decisions. It starts from the best rule at the stored
 * index, which is the right rule or close to it, and ends when a rule's ratio equals the price at
 * which the rule is best.
 */
#include "heuristics/index/fast/gittins_root.h"
#include "heuristics/index/index.h"

/* Earnings and number of labels of the best rule; both 0: stop. */
typedef struct {
    mpq_t earned, labels;
} exact_worth;

typedef struct {
    const og_gittins_place *from;
    const og_strip *strip;
    mpq_srcptr price;
    exact_worth *here, *below; /* [width] */
    mpq_t p, term;
} exact_walk;

/* The node's sums over outcomes; `first_below` is the node of below[0]. */
static void sum_outcomes(exact_walk *w, uint32_t node, uint32_t first_below, exact_worth *out)
{
    const og_arm *arm = w->from->known->arms->arm[w->from->arm];
    og_arm_exact_reward(arm, node, out->earned);
    mpq_set_ui(out->labels, 1, 1);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t outcome = node * (size_t)arm->outcome_count + (size_t)k;
        const exact_worth *next = &w->below[arm->next[outcome] - first_below];
        if (mpq_sgn(next->labels) == 0) {
            continue;
        }
        og_arm_exact_probability(arm, node, k, w->p);
        mpq_mul(w->term, w->p, next->earned);
        mpq_add(out->earned, out->earned, w->term);
        mpq_mul(w->term, w->p, next->labels);
        mpq_add(out->labels, out->labels, w->term);
    }
}

static void stop_unless_it_pays(exact_walk *w, exact_worth *worth)
{
    mpq_mul(w->term, w->price, worth->labels);
    if (mpq_cmp(worth->earned, w->term) <= 0) {
        mpq_set_ui(worth->earned, 0, 1);
        mpq_set_ui(worth->labels, 0, 1);
    }
}

static void clear_worths(exact_worth *worth, og_node_range range)
{
    for (uint32_t i = 0; i <= range.last - range.first; i++) {
        mpq_set_ui(worth[i].earned, 0, 1);
        mpq_set_ui(worth[i].labels, 0, 1);
    }
}

/* Computes the ratio of the best rule at w->price. */
static void walk_strip(exact_walk *w, int32_t levels, mpq_t ratio)
{
    const og_strip *strip = w->strip;
    clear_worths(w->below, strip->reached[levels]);
    for (int32_t k = levels - 1; k >= 0; k--) {
        og_node_range reached = strip->reached[k], open = strip->open[k];
        clear_worths(w->here, reached);
        for (uint32_t node = open.first; node <= open.last; node++) {
            exact_worth *own = &w->here[node - reached.first];
            sum_outcomes(w, node, strip->reached[k + 1].first, own);
            if (k > 0) {
                stop_unless_it_pays(w, own);
            }
        }
        exact_worth *done = w->here;
        w->here = w->below;
        w->below = done;
    }
    mpq_div(ratio, w->below[0].earned, w->below[0].labels);
}

/* Allocates pairs of fractions, all 0. */
static exact_worth *allocate_worths(og_arena *arena, size_t count)
{
    _Static_assert(sizeof(exact_worth) == 2 * sizeof(mpq_t), "a pair of fractions");
    return (exact_worth *)og_arena_fractions(arena, 2 * count);
}

static size_t widest_reached(const og_strip *strip, int32_t levels)
{
    size_t widest = 1;
    for (int32_t k = 0; k <= levels; k++) {
        size_t width = (size_t)(strip->reached[k].last - strip->reached[k].first) + 1;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static og_status best_exact_ratio(const og_gittins_place *from, mpq_srcptr price, og_strip *strip,
                                  mpq_t ratio)
{
    /* Rounded towards 0: the strip at a lower price contains this one's. */
    double low = mpq_get_d(price);
    const og_gittins_known *known = from->known;
    int32_t levels = 0;
    if (!known->index->by_left) {
        double doubt = 2 * low * known->left_error[0] + known->absolute;
        const og_arm *arm = known->arms->arm[from->arm];
        OG_TRY(og_strip_open_root(arm, from->left, low, doubt, strip, &levels));
    } else {
        levels = og_strip_open(from, low, strip);
    }
    size_t width = widest_reached(strip, levels);
    og_arena arena = {0};
    exact_walk w = {.from = from,
                    .strip = strip,
                    .price = price,
                    .here = allocate_worths(&arena, width),
                    .below = allocate_worths(&arena, width)};
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        mpq_inits(w.p, w.term, NULL);
        walk_strip(&w, levels, ratio);
        mpq_clears(w.p, w.term, NULL);
    }
    og_arena_clear(&arena);
    return status;
}

og_status og_exact_gittins_fh(const og_index_job *job, const og_scored *scored, int32_t arm,
                              uint32_t node, int32_t left, mpq_t out)
{
    left = job->roots ? og_gittins_root_left(job) : left;
    const og_gittins_known known = {.arms = job->arms,
                                    .index = scored->index,
                                    .left_error = scored->left_error,
                                    .absolute = scored->absolute};
    og_gittins_place from = {&known, arm, node, left};
    double stored = og_index_of(scored->index, arm, left)[node];
    mpq_set_ui(out, 0, 1);
    if (stored == 0) {
        return OG_OK;
    }
    og_arena arena = {0};
    og_strip strip = og_strip_new(&arena, left);
    og_status status = og_arena_status(&arena);
    mpq_t price;
    mpq_init(price);
    mpq_set_d(out, stored);
    while (status == OG_OK && !mpq_equal(price, out)) {
        mpq_set(price, out);
        status = best_exact_ratio(&from, price, &strip, out);
    }
    mpq_clear(price);
    og_arena_clear(&arena);
    return status;
}
