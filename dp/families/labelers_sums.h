#ifndef OG_DP_FAMILIES_LABELERS_SUMS_H
#define OG_DP_FAMILIES_LABELERS_SUMS_H

#include <stdbool.h>
#include <string.h>

#include "dp/families/labelers_number.h"

/*
 * Votes and LS_OL in numbers of one kind (private to dp/families/): a template that
 * dp/families/labelers.c uses for doubles and dp/families/labelers_exact.c for fractions. All sums
 * have terms that are not negative; a probability and its complement are separate sums, so that
 * relative errors stay small. dp/families/labelers.h describes the results.
 */
enum { CROWD_TEMPORARIES = 4, BLOCK_CELLS = 1024, LOOK_CELLS = 1024 };

typedef struct {
    og_arena arena;
    int32_t count;             /* labelers */
    number *right, *wrong;     /* [count] */
    number *by, *against;      /* [count] estimates, and 1 minus them */
    number *law;               /* [count + 2] scratch: distribution of the number of right votes */
    number *chance, *yes, *no; /* [count + 1] scratch: probability of a pattern so far */
    number *one, *half, *zero; /* [1] */
    number *temporary;         /* [CROWD_TEMPORARIES] */
    double eps;                /* sums of log odds below it tie; 0: only equal ones */
} crowd;

static void crowd_fill(crowd *c, const og_labelers *labelers)
{
    number_set_ratio(c->one[0], 1, 1);
    number_set_ratio(c->half[0], 1, 2);
    for (int32_t i = 0; i < labelers->count; i++) {
        number_set_chance(c->right[i], labelers, i, true);
        number_set_chance(c->wrong[i], labelers, i, false);
    }
}

static og_status crowd_init(crowd *c, const og_labelers *labelers)
{
    size_t count = (size_t)labelers->count;
    *c = (crowd){.count = labelers->count, .eps = labelers->eps};
    c->right = numbers_new(&c->arena, count);
    c->wrong = numbers_new(&c->arena, count);
    c->by = numbers_new(&c->arena, count);
    c->against = numbers_new(&c->arena, count);
    c->law = numbers_new(&c->arena, count + 2);
    c->chance = numbers_new(&c->arena, count + 1);
    c->yes = numbers_new(&c->arena, count + 1);
    c->no = numbers_new(&c->arena, count + 1);
    c->one = numbers_new(&c->arena, 1);
    c->half = numbers_new(&c->arena, 1);
    c->zero = numbers_new(&c->arena, 1);
    c->temporary = numbers_new(&c->arena, CROWD_TEMPORARIES);
    OG_TRY(og_arena_status(&c->arena));
    crowd_fill(c, labelers);
    return OG_OK;
}

/* ---- majorities ---- */

/* Adds one more voter to the distribution of the number of right votes of n. */
static void law_add(number *law, int32_t n, number_in right, number_in wrong)
{
    number_multiply(law[n + 1], law[n], right);
    for (int32_t k = n; k > 0; k--) {
        number_multiply(law[k], law[k], wrong);
        number_add_product(law[k], law[k - 1], right);
    }
    number_multiply(law[0], law[0], wrong);
}

/* The probability that more than half of n votes are right, with ties counting half; and its
 * complement (NULL: not wanted). `more`: number of right votes in addition to these, of n in
 * all. */
static void law_majority(const crowd *c, number *law, int32_t votes, int32_t more, int32_t n,
                         number_out out, number_out lost)
{
    number_set(out, c->zero[0]);
    if (lost != NULL) {
        number_set(lost, c->zero[0]);
    }
    for (int32_t k = 0; k <= votes; k++) {
        int32_t twice = 2 * (k + more);
        if (twice >= n) {
            number_add_product(out, law[k], twice > n ? c->one[0] : c->half[0]);
        }
        if (twice <= n && lost != NULL) {
            number_add_product(lost, law[k], twice < n ? c->one[0] : c->half[0]);
        }
    }
}

/* U(S) with these accuracies, and 1 minus it (NULL: not wanted). */
static void majority(crowd *c, number *right, number *wrong, uint32_t set, number_out out,
                     number_out lost)
{
    int32_t n = 0;
    number_set(c->law[0], c->one[0]);
    for (int32_t i = 0; i < c->count; i++) {
        if ((set >> i & 1) != 0) {
            law_add(c->law, n++, right[i], wrong[i]);
        }
    }
    law_majority(c, c->law, n, 0, n, out, lost);
}

/* Sorts labelers by their value in `key`, best first, equal ones by their numbers. */
static void sort_labelers(const crowd *c, number *key, int32_t *order)
{
    for (int32_t i = 0; i < c->count; i++) {
        int32_t at = i;
        for (; at > 0 && number_compare(key[order[at - 1]], key[i]) < 0; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* The best set for these accuracies: a prefix of odd size. */
static uint32_t best_majority(crowd *c, number *right, number *wrong)
{
    int32_t order[OG_LABELERS_MAX] = {0};
    uint32_t set = 0, best = 0;
    number_out value = c->temporary[0], largest = c->temporary[1];
    sort_labelers(c, right, order);
    number_set(c->law[0], c->one[0]);
    for (int32_t n = 0; n < c->count; n++) {
        law_add(c->law, n, right[order[n]], wrong[order[n]]);
        set |= UINT32_C(1) << order[n];
        if (n % 2 == 0) {
            law_majority(c, c->law, n + 1, 0, n + 1, value, NULL);
            if (best == 0 || number_compare_tied(value, largest) > 0) {
                number_set(largest, value);
                best = set;
            }
        }
    }
    return best;
}

/* ---- weighted votes ---- */

/* 1, 0, -1: these votes favour the label, tie, favour the other one. */
static int outcome_of(const crowd *c, number_in yes, number_in no)
{
    if (c->eps > 0) {
        double sum = number_log(yes) - number_log(no);
        return fabs(sum) < c->eps ? 0 : sum > 0 ? 1 : -1;
    }
    return number_compare_tied(yes, no);
}

/* Adds the probability that the vote of `set`, weighted with `by` and `against`, is right, from
 * labeler i on. */
static void add_patterns(crowd *c, number *right, number *wrong, uint32_t set, int32_t i,
                         int32_t depth, number_out sum)
{
    while (i < c->count && (set >> i & 1) == 0) {
        i++;
    }
    if (i == c->count) {
        int outcome = outcome_of(c, c->yes[depth], c->no[depth]);
        if (outcome >= 0) {
            number_add_product(sum, c->chance[depth], outcome > 0 ? c->one[0] : c->half[0]);
        }
        return;
    }
    for (int vote = 0; vote < 2; vote++) {
        number_multiply(c->chance[depth + 1], c->chance[depth], vote ? right[i] : wrong[i]);
        number_multiply(c->yes[depth + 1], c->yes[depth], vote ? c->by[i] : c->against[i]);
        number_multiply(c->no[depth + 1], c->no[depth], vote ? c->against[i] : c->by[i]);
        add_patterns(c, right, wrong, set, i + 1, depth + 1, sum);
    }
}

/* The probability that the vote of `set`, weighted with `by` and `against`, is right with these
 * accuracies. */
static void weighted(crowd *c, number *right, number *wrong, uint32_t set, number_out out)
{
    number_set(c->chance[0], c->one[0]);
    number_set(c->yes[0], c->one[0]);
    number_set(c->no[0], c->one[0]);
    number_set(out, c->zero[0]);
    add_patterns(c, right, wrong, set, 0, 0, out);
}

/* The best set for `by` and `against`: the larger of the two determines the order. */
static uint32_t best_weighted(crowd *c, number *strength)
{
    int32_t order[OG_LABELERS_MAX] = {0};
    uint32_t set = 0, best = 0;
    number_out value = c->temporary[0], largest = c->temporary[1];
    for (int32_t i = 0; i < c->count; i++) {
        bool more = number_compare(c->by[i], c->against[i]) > 0;
        number_set(strength[i], more ? c->by[i] : c->against[i]);
    }
    sort_labelers(c, strength, order);
    for (int32_t n = 0; n < c->count; n++) {
        set |= UINT32_C(1) << order[n];
        weighted(c, c->by, c->against, set, value);
        if (best == 0 || number_compare_tied(value, largest) > 0) {
            number_set(largest, value);
            best = set;
        }
    }
    return best;
}

/* The set with the best vote weighted with `by` and `against`: that of all labelers. If near sums
 * are ties, one more voter can make a tie; then it is the smallest best set. */
static uint32_t best_voters(crowd *c)
{
    uint32_t best = 0, all = (UINT32_C(1) << c->count) - 1;
    number_out value = c->temporary[0], largest = c->temporary[1];
    for (int32_t n = 1; n <= c->count && c->eps > 0; n++) {
        for (uint32_t set = 1; set <= all; set++) {
            if (__builtin_popcount(set) != n) {
                continue;
            }
            weighted(c, c->by, c->against, set, value);
            if (best == 0 || number_compare_tied(value, largest) > 0) {
                number_set(largest, value);
                best = set;
            }
        }
    }
    return best != 0 ? best : all;
}

static void weigh_by(crowd *c, number *right, number *wrong)
{
    for (int32_t i = 0; i < c->count; i++) {
        number_set(c->by[i], right[i]);
        number_set(c->against[i], wrong[i]);
    }
}

/* As og_votes_weighted. */
static og_status weighted_by(const og_labelers *labelers, const og_labelers *by, uint32_t set,
                             number_out out)
{
    crowd c, other;
    og_status status = crowd_init(&c, labelers);
    og_status second = crowd_init(&other, by);
    if (status == OG_OK && second == OG_OK) {
        weigh_by(&c, other.right, other.wrong);
        c.eps = by->eps;
        weighted(&c, c.right, c.wrong, set, out);
    }
    og_arena_clear(&c.arena);
    og_arena_clear(&other.arena);
    return status != OG_OK ? status : second;
}

/* The probability that each differs from the majority of all. */
static void disagreement(crowd *c, number *out)
{
    for (int32_t i = 0; i < c->count; i++) {
        number_out right = c->temporary[0], wrong = c->temporary[1];
        int32_t n = 0;
        number_set(c->law[0], c->one[0]);
        for (int32_t j = 0; j < c->count; j++) {
            if (j != i) {
                law_add(c->law, n++, c->right[j], c->wrong[j]);
            }
        }
        law_majority(c, c->law, n, 1, n + 1, right, wrong);
        number_multiply(out[i], c->right[i], wrong);
        law_majority(c, c->law, n, 0, n + 1, right, wrong);
        number_add_product(out[i], c->wrong[i], right);
    }
}

/* ---- testers ---- */

/* own[2^count]: probabilities of the votes of a task, right ones as bits. */
static void votes_law(crowd *c, number *own)
{
    number_set(own[0], c->one[0]);
    for (int32_t i = 0; i < c->count; i++) {
        for (uint32_t x = 0; x < UINT32_C(1) << i; x++) {
            number_multiply(own[x | UINT32_C(1) << i], own[x], c->right[i]);
            number_multiply(own[x], own[x], c->wrong[i]);
        }
    }
}

/* good[3], bad[3]: probabilities that the majority of `times` majorities is right, is wrong, if the
 * first of them is wrong, a coin, right. others[times] is scratch. */
static void tester_label(crowd *c, int32_t times, number *others, number *good, number *bad)
{
    number_out u = c->temporary[0], lost = c->temporary[1];
    majority(c, c->right, c->wrong, (UINT32_C(1) << c->count) - 1, u, lost);
    number_set(others[0], c->one[0]);
    for (int32_t n = 0; n + 1 < times; n++) {
        law_add(others, n, u, lost);
    }
    for (int32_t first = 0; first < 2; first++) {
        law_majority(c, others, times - 1, first, times, good[2 * first], bad[2 * first]);
    }
    number_add(good[1], good[0], good[2]);
    number_multiply(good[1], good[1], c->half[0]);
    number_add(bad[1], bad[0], bad[2]);
    number_multiply(bad[1], bad[1], c->half[0]);
}

/* Distribution of one tester labelled `times` times: law[2^count] over the labelers that agreed
 * with it. */
static og_status tester_law(crowd *c, int32_t times, number *law)
{
    og_arena local = {0};
    uint32_t all = (UINT32_C(1) << c->count) - 1;
    number *own = numbers_new(&local, (size_t)all + 1);
    number *others = numbers_new(&local, (size_t)times + 1);
    number *good = numbers_new(&local, 3), *bad = numbers_new(&local, 3);
    og_status status = og_arena_status(&local);
    if (status == OG_OK) {
        votes_law(c, own);
        tester_label(c, times, others, good, bad);
    }
    for (uint32_t x = 0; status == OG_OK && x <= all; x++) {
        int32_t votes = 2 * __builtin_popcount(x);
        int32_t way = votes > c->count ? 2 : votes == c->count ? 1 : 0;
        number_multiply(law[x], own[x], good[way]);
        number_add_product(law[x], own[all ^ x], bad[2 - way]);
    }
    og_arena_clear(&local);
    return status;
}

/* ---- selection in LS_OL ---- */

typedef struct {
    crowd c;
    const og_ls_ol *by;
    og_arena arena;
    uint32_t base; /* one more than the largest number of testers */
    size_t place[OG_LABELERS_MAX], offset[OG_LABELERS_SETS];
    number *law; /* [base^count] of how often each agreed, after so many testers: */
    int32_t testers, times;
    number *tester;       /* [2^count] of one, labelled `times` times */
    int32_t selected;     /* number of testers for which these were made; 0: none */
    uint16_t *set;        /* [base^count] */
    number *accuracy;     /* [base^count] of its weighted vote; NULL: with majorities, by set: */
    number *accuracy_of;  /* [2^count] */
    number *cost_of;      /* [2^count] */
    number *set_law;      /* [2^count] of the set at the current exploitation */
    number *strength;     /* [count] scratch */
    number *right, *cost; /* [1] of the current exploitation */
    og_stop *stop;
} selecting;

/* The next cell of the box 0 .. last in each place, descending; false after the first. */
static bool next_down(const selecting *s, uint32_t *at, uint32_t last, size_t *cell)
{
    for (int32_t i = 0; i < s->c.count; i++) {
        if (at[i] > 0) {
            at[i]--;
            *cell -= s->place[i];
            return true;
        }
        at[i] = last;
        *cell += last * s->place[i];
    }
    return false;
}

static size_t last_cell(const selecting *s, uint32_t last, uint32_t *at)
{
    size_t cell = 0;
    for (int32_t i = 0; i < s->c.count; i++) {
        at[i] = last;
        cell += last * s->place[i];
    }
    return cell;
}

/* True if the walk over cells must end. There are many cells, each of which is quick. */
static bool is_over(const selecting *s, uint32_t *looks)
{
    return ++*looks % LOOK_CELLS == 0 && og_stop_asked(s->stop);
}

/* Adds one more tester: cells are updated in descending order, each from cells below it. */
static void convolve(selecting *s)
{
    uint32_t at[OG_LABELERS_MAX];
    uint32_t last = (uint32_t)++s->testers;
    size_t cell = last_cell(s, last, at);
    uint32_t looks = 0;
    number_out sum = s->c.temporary[0];
    do {
        uint32_t some = 0;
        for (int32_t i = 0; i < s->c.count; i++) {
            some |= (uint32_t)(at[i] > 0) << i;
        }
        number_multiply(sum, s->law[cell], s->tester[0]);
        for (uint32_t agreed = some; agreed > 0; agreed = (agreed - 1) & some) {
            number_add_product(sum, s->law[cell - s->offset[agreed]], s->tester[agreed]);
        }
        number_set(s->law[cell], sum);
    } while (next_down(s, at, last, &cell) && !is_over(s, &looks));
}

static og_status count_testers(selecting *s, int32_t testers, int32_t times)
{
    if (times != s->times || testers < s->testers) {
        OG_TRY(tester_law(&s->c, times, s->tester));
        s->times = times;
        s->testers = 0;
        uint32_t at[OG_LABELERS_MAX];
        size_t cell = last_cell(s, s->base - 1, at);
        uint32_t looks = 0;
        do {
            number_set(s->law[cell], s->c.zero[0]);
        } while (next_down(s, at, s->base - 1, &cell) && !is_over(s, &looks));
        number_set(s->law[0], s->c.one[0]);
    }
    while (s->testers < testers && !og_stop_asked(s->stop)) {
        convolve(s);
    }
    return og_stop_status(s->stop);
}

static void select_in(selecting *s, const uint32_t *at, int32_t testers, size_t cell)
{
    crowd *c = &s->c;
    for (int32_t i = 0; i < c->count; i++) {
        int64_t agreed = at[i], not_agreed = testers - agreed;
        int64_t smooth = s->by->weighted ? 1 : 0; /* halves */
        number_set_ratio(c->by[i], 2 * agreed + smooth, 2 * (testers + smooth));
        number_set_ratio(c->against[i], 2 * not_agreed + smooth, 2 * (testers + smooth));
    }
    if (s->by->weighted) {
        s->set[cell] = (uint16_t)best_weighted(c, s->strength);
        weighted(c, c->right, c->wrong, s->set[cell], s->accuracy[cell]);
    } else {
        s->set[cell] = (uint16_t)best_majority(c, c->by, c->against);
    }
}

static og_status select_all(selecting *s, int32_t testers)
{
    uint32_t at[OG_LABELERS_MAX];
    size_t cell = last_cell(s, (uint32_t)testers, at);
    if (s->selected == testers) {
        return OG_OK;
    }
    s->selected = testers;
    do {
        select_in(s, at, testers, cell);
    } while (next_down(s, at, (uint32_t)testers, &cell) && !og_stop_asked(s->stop));
    return og_stop_status(s->stop);
}

/* The value and cost of an exploitation, summed in blocks of cells, so that rounding stays
 * small. */
static og_status sum_cells(selecting *s)
{
    uint32_t at[OG_LABELERS_MAX];
    size_t cell = last_cell(s, (uint32_t)s->testers, at);
    number_out right = s->c.temporary[2], cost = s->c.temporary[3];
    bool more = true;
    uint32_t looks = 0;
    number_set(s->right[0], s->c.zero[0]);
    number_set(s->cost[0], s->c.zero[0]);
    for (uint32_t x = 0; x < UINT32_C(1) << s->c.count; x++) {
        number_set(s->set_law[x], s->c.zero[0]);
    }
    while (more && !is_over(s, &looks)) {
        number_set(right, s->c.zero[0]);
        number_set(cost, s->c.zero[0]);
        for (int32_t k = 0; more && k < BLOCK_CELLS; k++) {
            uint32_t set = s->set[cell];
            number_add_product(right, s->law[cell],
                               s->by->weighted ? s->accuracy[cell] : s->accuracy_of[set]);
            number_add_product(cost, s->law[cell], s->cost_of[set]);
            number_add(s->set_law[set], s->set_law[set], s->law[cell]);
            more = next_down(s, at, (uint32_t)s->testers, &cell);
        }
        number_add(s->right[0], s->right[0], right);
        number_add(s->cost[0], s->cost[0], cost);
    }
    return og_stop_status(s->stop);
}

/* An exploitation with so many testers, each labelled so often: right, cost and set_law. */
static og_status exploit(selecting *s, int32_t testers, int32_t times)
{
    bool known = s->selected == testers && s->testers == testers && s->times == times;
    if (!known) {
        OG_TRY(count_testers(s, testers, times));
        OG_TRY(select_all(s, testers));
        OG_TRY(sum_cells(s));
    }
    return OG_OK;
}

/* Runs LS_OL, after selecting_init. total[2]: right labels and cost. */
static og_status run_ls_ol(selecting *s, number *total)
{
    og_ls_ol_state now;
    uint32_t all = (UINT32_C(1) << s->c.count) - 1;
    og_ls_ol_begin(s->by, &now);
    number_set(total[0], s->c.zero[0]);
    number_set(total[1], s->c.zero[0]);
    for (int32_t t = 1; t <= s->by->budget; t++) {
        og_ls_ol_step step = og_ls_ol_next(&now);
        if (step == OG_LS_OL_EXPLOIT) {
            OG_TRY(exploit(s, (int32_t)now.testers, (int32_t)now.times));
        }
        number_add(total[0], total[0],
                   step == OG_LS_OL_EXPLOIT ? s->right[0]
                   : step == OG_LS_OL_NEW   ? s->accuracy_of[all]
                                            : s->c.half[0]);
        number_add(total[1], total[1], step == OG_LS_OL_EXPLOIT ? s->cost[0] : s->cost_of[all]);
    }
    return OG_OK;
}

static void fill_sets(selecting *s, const og_labelers *labelers)
{
    crowd *c = &s->c;
    for (uint32_t x = 0; x < UINT32_C(1) << c->count; x++) {
        majority(c, c->right, c->wrong, x, s->accuracy_of[x], NULL);
        for (int32_t i = 0; i < c->count; i++) {
            if ((x >> i & 1) != 0) {
                s->offset[x] += s->place[i];
                number_set_fraction(c->temporary[0], labelers->cost[i]);
                number_add(s->cost_of[x], s->cost_of[x], c->temporary[0]);
            }
        }
    }
}

static void selecting_clear(selecting *s)
{
    og_arena_clear(&s->c.arena);
    og_arena_clear(&s->arena);
}

/* For at most so many testers; `cells` is (testers + 1)^count. */
static og_status selecting_init(selecting *s, const og_labelers *labelers, const og_ls_ol *by,
                                int32_t testers, size_t cells, og_stop *stop)
{
    size_t sets = (size_t)1 << labelers->count, place = 1;
    *s = (selecting){.by = by, .base = (uint32_t)testers + 1, .stop = stop};
    OG_TRY(crowd_init(&s->c, labelers));
    for (int32_t i = 0; i < labelers->count; i++, place *= s->base) {
        s->place[i] = place;
    }
    s->right = numbers_new(&s->arena, 1);
    s->cost = numbers_new(&s->arena, 1);
    s->law = numbers_new(&s->arena, cells);
    s->tester = numbers_new(&s->arena, sets);
    s->set = og_arena_array(&s->arena, cells, sizeof *s->set);
    s->accuracy = by->weighted ? numbers_new(&s->arena, cells) : NULL;
    s->accuracy_of = numbers_new(&s->arena, sets);
    s->cost_of = numbers_new(&s->arena, sets);
    s->set_law = numbers_new(&s->arena, sets);
    s->strength = numbers_new(&s->arena, (size_t)labelers->count);
    OG_TRY(og_arena_status(&s->arena));
    fill_sets(s, labelers);
    return OG_OK;
}

#endif
