/*
 * Arms with several classes. Level n holds all vectors of counts with sum n, in dictionary order:
 * the first class's count grows slowest. (With two classes this is the order of dp/arm/arm.h's
 * lattices.) There are binomial(n + C-1, C-1) of them, and binomial(n + C-1, C) before them.
 *
 * Rewards and gains depend on the multiset of parameters alone (dp/prior/dirichlet.h), so they are
 * computed once for all nodes that are permutations of each other. In a family, that is, classes
 * whose parameters differ by whole numbers, the canonical node is the one whose parameters have the
 * same order as the prior's. If labels can reach any arrangement, they can reach this one: the i-th
 * smallest posterior parameter is at least the i-th smallest prior parameter.
 */

#include "dp/arm/arm_builder.h"
#include "dp/arm/arm_shared.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/dirichlet.h"

__extension__ typedef unsigned __int128 wide; /* GNU C */

typedef struct {
    og_arena arena;
    int32_t classes, depth;
    const og_fraction *alpha;
    /* Classes by family, in each by ascending prior; offset: the distance above the family's
     * least. */
    int32_t class_[OG_CLASSES_MAX], offset[OG_CLASSES_MAX], family_end[OG_CLASSES_MAX];
    uint64_t *binomial; /* [depth + C + 1][C + 1] */
} shape;

static uint64_t count_nodes(int32_t classes, int32_t depth)
{
    wide count = 1;
    for (int32_t i = 1; i <= classes; i++) {
        count = count * ((unsigned)depth + (unsigned)i) / (unsigned)i;
        if (count > UINT64_MAX) {
            return UINT64_MAX;
        }
    }
    return (uint64_t)count;
}

/* Families in the order of their first classes. */
static void find_families(shape *s)
{
    bool placed[OG_CLASSES_MAX] = {false};
    int32_t count = 0, distance;
    for (int32_t c = 0; c < s->classes; c++) {
        if (placed[c]) {
            continue;
        }
        int32_t start = count;
        for (int32_t d = c; d < s->classes; d++) {
            if (placed[d] || !og_fraction_distance(s->alpha[d], s->alpha[c], &distance)) {
                continue;
            }
            int32_t at = count++;
            for (; at > start && s->offset[at - 1] > distance; at--) {
                s->offset[at] = s->offset[at - 1];
                s->class_[at] = s->class_[at - 1];
            }
            s->offset[at] = distance;
            s->class_[at] = d;
            placed[d] = true;
        }
        int32_t least = s->offset[start];
        for (int32_t i = start; i < count; i++) {
            s->offset[i] -= least;
            s->family_end[i] = count;
        }
    }
}

static og_status shape_new(const og_group *prior, int32_t depth, shape **out)
{
    shape *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->classes = prior->part_count;
    s->depth = depth;
    s->alpha = prior->alpha;
    find_families(s);
    size_t width = (size_t)s->classes + 1, rows = (size_t)depth + width;
    s->binomial = og_arena_array(&s->arena, rows * width, sizeof *s->binomial);
    if (s->binomial == NULL) {
        og_arena_free(s);
        return OG_NO_MEMORY;
    }
    /* All entries that count nodes of the arm are below 2^32; others may wrap and are never
     * read. */
    for (size_t n = 0; n < rows; n++) {
        s->binomial[n * width] = 1;
        for (size_t k = 1; k < width && n > 0; k++) {
            s->binomial[n * width + k] =
                s->binomial[(n - 1) * width + k - 1] + s->binomial[(n - 1) * width + k];
        }
    }
    *out = s;
    return OG_OK;
}

static uint64_t binomial(const shape *s, int32_t n, int32_t k)
{
    return s->binomial[(size_t)n * ((size_t)s->classes + 1) + (size_t)k];
}

/* Vectors of `classes` counts with this sum. */
static uint64_t vectors(const shape *s, int32_t classes, int32_t sum)
{
    return binomial(s, sum + classes - 1, classes - 1);
}

/* The place of a vector in its level: the vectors whose first count is less, then the place of the
 * rest. */
static uint32_t place_of(const shape *s, int32_t sum, const int32_t *counts)
{
    uint64_t place = 0;
    for (int32_t c = 0; c + 1 < s->classes; c++) {
        int32_t classes = s->classes - c;
        place += vectors(s, classes, sum) - vectors(s, classes, sum - counts[c]);
        sum -= counts[c];
    }
    return (uint32_t)place;
}

static void vector_at(const shape *s, int32_t sum, uint32_t at, int32_t *counts)
{
    uint64_t place = at;
    for (int32_t c = 0; c + 1 < s->classes; c++) {
        int32_t classes = s->classes - c;
        uint64_t all = vectors(s, classes, sum);
        int32_t low = 0, high = sum; /* the largest count with no more vectors before it */
        while (low < high) {
            int32_t middle = high - (high - low) / 2;
            if (all - vectors(s, classes, sum - middle) <= place) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        place -= all - vectors(s, classes, sum - low);
        counts[c] = low;
        sum -= low;
    }
    counts[s->classes - 1] = sum;
}

/* The next vector in the level; false after the last. */
static bool next_vector(const shape *s, int32_t *counts)
{
    int32_t last = s->classes - 1, from = last;
    while (from > 0 && counts[from] == 0) {
        from--;
    }
    if (from == 0) {
        return false;
    }
    int32_t rest = counts[from] - 1;
    counts[from] = 0;
    counts[from - 1]++;
    counts[last] = rest;
    return true;
}

/* The canonical node's counts, and for each class the class that has its parameter there. */
static void canonical_of(const shape *s, const int32_t *counts, int32_t *canonical, int32_t *moved)
{
    int32_t start = 0;
    while (start < s->classes) {
        int32_t value[OG_CLASSES_MAX] = {0}, from[OG_CLASSES_MAX] = {0};
        int32_t end = s->family_end[start];
        for (int32_t i = start; i < end; i++) {
            int32_t own = s->offset[i] + counts[s->class_[i]], at = i;
            for (; at > start && value[at - 1] > own; at--) {
                value[at] = value[at - 1];
                from[at] = from[at - 1];
            }
            value[at] = own;
            from[at] = s->class_[i];
        }
        for (int32_t i = start; i < end; i++) {
            canonical[s->class_[i]] = value[i] - s->offset[i];
            moved[from[i]] = s->class_[i];
        }
        start = end;
    }
}

/* Computes `count` numbers of a node, which permuted nodes share. */
typedef og_status valuer(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                         double *out);

static void add_counts(const shape *s, const int32_t *base, const int32_t *counts, int32_t *all)
{
    for (int32_t c = 0; c < s->classes; c++) {
        all[c] = base[c] + counts[c];
    }
}

/* Looks once in a thousand nodes. */
static bool is_over(og_stop *stop, uint32_t node)
{
    return node % 1024 == 0 && og_stop_asked(stop);
}

/*
 * Fills out[node][width] for all nodes that can be labelled, canonical nodes first. One number
 * (width 1) needs no permutation.
 */
static og_status fill_values(const og_arm *arm, valuer *value_of, int32_t width, og_stop *stop,
                             double *out)
{
    og_dirichlet *dirichlet;
    const shape *s = arm->own;
    const uint32_t *level = arm->level;
    int32_t counts[OG_CLASSES_MAX], canonical[OG_CLASSES_MAX] = {0}, moved[OG_CLASSES_MAX] = {0};
    int32_t base[OG_CLASSES_MAX], all[OG_CLASSES_MAX];
    og_status status = OG_OK;
    OG_TRY(og_arm_shared_take(arm->shared, s->classes, s->alpha, s->depth, &dirichlet, base));
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t n = 0; n < s->depth && status == OG_OK; n++) {
            uint32_t node = level[n];
            vector_at(s, n, 0, counts);
            do {
                double *here = out + (size_t)node * (size_t)width;
                canonical_of(s, counts, canonical, moved);
                uint32_t first = level[n] + place_of(s, n, canonical);
                status = is_over(stop, node) ? OG_STOPPED : OG_OK;
                const double *there = out + (size_t)first * (size_t)width;
                if (status == OG_OK && pass == 0 && first == node) {
                    add_counts(s, base, counts, all);
                    status = og_stop_asked(stop)
                                 ? OG_STOPPED
                                 : value_of(dirichlet, arm->prior.payoff.kind, all, here);
                }
                for (int32_t c = 0; pass == 1 && first != node && c < width; c++) {
                    here[c] = there[width == 1 ? 0 : moved[c]];
                }
                node++;
            } while (status == OG_OK && next_vector(s, counts));
        }
    }
    og_arm_shared_give(arm->shared, dirichlet);
    return status;
}

/* Parameters times their common denominator: exact quotients of whole numbers, rounded once. */
typedef struct {
    mpz_t unit, part[OG_CLASSES_MAX], total;
    bool small; /* all of them are exact as doubles, up to the last level */
} whole_parts;

static void whole_parts_init(whole_parts *w, const shape *s)
{
    mpz_inits(w->unit, w->total, NULL);
    mpz_set_ui(w->unit, 1);
    for (int32_t c = 0; c < s->classes; c++) {
        og_mpz_lcm(w->unit, w->unit, s->alpha[c].den);
    }
    for (int32_t c = 0; c < s->classes; c++) {
        mpz_init(w->part[c]);
        og_mpz_divexact(w->part[c], w->unit, s->alpha[c].den);
        og_mpz_mul(w->part[c], w->part[c], s->alpha[c].num);
        mpz_add(w->total, w->total, w->part[c]);
    }
    mpz_addmul_ui(w->total, w->unit, (uint32_t)s->depth);
    w->small = mpz_sizeinbase(w->total, 2) <= 53;
    mpz_submul_ui(w->total, w->unit, (uint32_t)s->depth);
}

static void whole_parts_clear(whole_parts *w, const shape *s)
{
    mpz_clears(w->unit, w->total, NULL);
    for (int32_t c = 0; c < s->classes; c++) {
        mpz_clear(w->part[c]);
    }
}

static double share_of(const whole_parts *w, int32_t labels, int32_t total_labels, int32_t class_)
{
    if (w->small) {
        double unit = mpz_get_d(w->unit);
        return (mpz_get_d(w->part[class_]) + labels * unit) /
               (mpz_get_d(w->total) + total_labels * unit);
    }
    mpz_t part, total;
    mpz_init_set(part, w->part[class_]);
    mpz_init_set(total, w->total);
    mpz_addmul_ui(part, w->unit, (uint32_t)labels);
    mpz_addmul_ui(total, w->unit, (uint32_t)total_labels);
    double share = og_nearest_quotient(part, total);
    mpz_clear(part);
    mpz_clear(total);
    return share;
}

static og_status fill_tables(const shape *s, og_stop *stop, og_arm *arm)
{
    const uint32_t *level = arm->level;
    double *probability = (double *)arm->probability;
    uint32_t *next = (uint32_t *)arm->next;
    whole_parts w;
    int32_t counts[OG_CLASSES_MAX];
    size_t at = 0;
    bool over = false;
    whole_parts_init(&w, s);
    for (int32_t n = 0; n < s->depth && !over; n++) {
        vector_at(s, n, 0, counts);
        do {
            over = is_over(stop, (uint32_t)at);
            for (int32_t c = 0; c < s->classes; c++, at++) {
                probability[at] = share_of(&w, counts[c], n, c);
                counts[c]++;
                next[at] = level[n + 1] + place_of(s, n + 1, counts);
                counts[c]--;
            }
        } while (!over && next_vector(s, counts));
    }
    whole_parts_clear(&w, s);
    return over ? OG_STOPPED : OG_OK;
}

static og_status allocate(og_arm *arm, const shape *s)
{
    int32_t depth = arm->depth;
    size_t classes = (size_t)s->classes;
    size_t labelled = depth == 0 ? 0 : (size_t)binomial(s, depth - 1 + s->classes, s->classes);
    uint32_t *level = og_arena_array(&arm->arena, (size_t)depth + 2, sizeof *level);
    arm->level = level;
    arm->reward = og_arena_array(&arm->arena, labelled, sizeof(double));
    arm->probability = og_arena_array(&arm->arena, classes * labelled, sizeof(double));
    arm->next = og_arena_array(&arm->arena, classes * labelled, sizeof(uint32_t));
    OG_TRY(og_arena_status(&arm->arena));
    for (int32_t n = 0; n <= depth + 1; n++) {
        level[n] = n == 0 ? 0 : (uint32_t)binomial(s, n - 1 + s->classes, s->classes);
    }
    return OG_OK;
}

static og_status fill_call(const og_arm *arm, double *call)
{
    int32_t no_labels[OG_CLASSES_MAX];
    const shape *s = arm->own;
    og_dirichlet *dirichlet;
    OG_TRY(og_arm_shared_take(arm->shared, s->classes, s->alpha, 0, &dirichlet, no_labels));
    og_status status = og_dirichlet_call(dirichlet, arm->prior.payoff.kind, no_labels, call);
    og_arm_shared_give(arm->shared, dirichlet);
    return status;
}

static og_status build(const og_group *plain, og_stop *stop, og_arm *arm)
{
    shape *s;
    (void)plain;
    OG_TRY(shape_new(&arm->prior, arm->depth, &s));
    arm->own = s;
    arm->outcome_count = s->classes;
    arm->lattice = false;
    arm->rising = true;
    og_worth_kind worth = arm->prior.payoff.kind;
    arm->rational =
        worth == OG_WORTH_SQUARED ||
        (worth != OG_WORTH_LOG && og_dirichlet_is_exact(s->classes, s->alpha, s->depth));
    arm->call_error = arm->reward_error = arm->probability_error = 0x1p-53;
    OG_TRY(allocate(arm, s));
    OG_TRY(fill_tables(s, stop, arm));
    OG_TRY(fill_call(arm, &arm->call));
    return fill_values(arm, og_dirichlet_reward, 1, stop, (double *)arm->reward);
}

static uint64_t bytes_of(const og_group *prior, int32_t depth)
{
    uint64_t classes = (uint64_t)prior->part_count, sum, tables, labelled;
    uint64_t fixed = sizeof(og_arm) + sizeof(shape) + ((uint64_t)depth + 2) * sizeof(uint32_t) +
                     ((uint64_t)depth + classes + 1) * (classes + 1) * sizeof(uint64_t) +
                     og_dirichlet_bytes(prior->part_count, prior->alpha, depth);
    labelled = depth == 0 ? 0 : count_nodes(prior->part_count, depth - 1);
    uint64_t node = sizeof(double) + classes * (sizeof(double) + sizeof(uint32_t));
    if (__builtin_mul_overflow(labelled, node, &tables) ||
        __builtin_add_overflow(tables, fixed, &sum)) {
        return UINT64_MAX;
    }
    return sum;
}

static og_status size_of(const og_group *plain, int32_t depth, const og_settings *settings,
                         og_arm_size *out)
{
    (void)settings;
    *out = (og_arm_size){bytes_of(plain, depth), count_nodes(plain->part_count, depth)};
    return OG_OK;
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    const shape *s = arm->own;
    *error = 0x1p-53;
    return fill_values(arm, og_dirichlet_gains, s->classes, stop, gain);
}

static void counts_of(const og_arm *arm, uint32_t node, int32_t *counts)
{
    int32_t n = og_arm_level(arm, node);
    vector_at(arm->own, n, node - arm->level[n], counts);
}

static void posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    const shape *s = arm->own;
    int32_t counts[OG_CLASSES_MAX];
    counts_of(arm, node, counts);
    for (int32_t c = 0; c < s->classes; c++) {
        parameter[c] = og_fraction_plus(s->alpha[c], counts[c]);
    }
}

static int32_t called(const og_arm *arm, uint32_t node)
{
    og_fraction a[OG_CLASSES_MAX];
    posterior(arm, node, a);
    return og_dirichlet_leader(arm->outcome_count, a);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    const shape *s = arm->own;
    og_worth_kind worth = arm->prior.payoff.kind;
    if (worth != OG_WORTH_CALLS) {
        og_dirichlet_exact_worth(worth, s->classes, s->alpha, out);
        return;
    }
    og_dirichlet_exact_call(s->classes, s->alpha, out);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    const shape *s = arm->own;
    og_worth_kind worth = arm->prior.payoff.kind;
    og_fraction a[OG_CLASSES_MAX];
    mpq_t here;
    posterior(arm, node, a);
    if (worth == OG_WORTH_CALLS) {
        og_dirichlet_exact_gain(s->classes, a, outcome, out);
        return;
    }
    mpq_init(here);
    og_dirichlet_exact_worth(worth, s->classes, a, here);
    a[outcome] = og_fraction_plus(a[outcome], 1);
    og_dirichlet_exact_worth(worth, s->classes, a, out);
    mpq_sub(out, out, here);
    mpq_clear(here);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    const shape *s = arm->own;
    og_fraction a[OG_CLASSES_MAX];
    posterior(arm, node, a);
    if (arm->prior.payoff.kind == OG_WORTH_CALLS) {
        og_dirichlet_exact_reward(s->classes, a, out);
    } else {
        og_arm_exact_sum(arm, node, out);
    }
}

const og_arm_builder og_arm_dirichlet = {
    .size = size_of,
    .build = build,
    .gains = gains,
    .counts = counts_of,
    .called = called,
    .posterior = posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_gain = exact_gain,
};
