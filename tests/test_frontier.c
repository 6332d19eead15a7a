/*
 * The frontier of labels and gains, against values that were found as sums of polygons, without any
 * price (golden-own.json of the specification).
 */
#include "bench/families/independent/each.h"
#include "bench/families/independent/independent.h"
#include "bench/questions/frontier.h"
#include "dp/base/rational.h"
#include "tests/support.h"

#include <math.h>

OG_SUITE(frontier, 60);

typedef struct {
    const char *problem; /* words, separated by blanks */
    int32_t budget;
    bool each;
    const char *labels, *value; /* the value is the best with so many labels */
    const char *policy, *least; /* and this one needs so many */
} golden;

/* The policies' own values and labels are theirs. */
static const golden known[] = {
    {"1,1", 5, false, "7/3", "13/16", "13/16", "7/3"},
    {"2x1,1", 5, false, "41/9", "77/48", "77/48", "38/9"},
    {"2,1", 6, false, "44/15", "1559/1824", "323/384", "209/105"},
    {"2x1,1", 8, false, "36/5", "107/64", "53/32", "161/30"},
    {"3x1,1", 8, false, "8", "175/72", "19/8", "17/3"},
    {"2x2,1 5,2", 6, false, "166/45", "39707/15552", "1465/576", "148/45"},
    {"2x1,1@0.4", 6, false, "13/3", "22040813/13500000", "75667/46875", "1121383/307080"},
    {"1,1", 9, false, "349/70", "1278/1465", "279/320", "683/140"},
    {"2x1,1", 6, false, "4", "51/32", "3/2", "2"},
    {"2x1,1", 3, false, "0", "1", "1", "0"},
    {"2x1,1 2,1", 4, false, "525/256", "36903/16384", "16385/8192", "2049/2048"},
    {"2x1,1 2,1", 5, true, "7", "139/56", "39/16", "6"},
    {"10x1,1", 7, true, "37", "20705/2432", "135/16", "222/7"},
    {"10x2,1", 8, true, "940/21", "40999/4688", "2235/256", "4637/112"},
    {"4x5,2", 6, true, "12", "3697/1024", "57/16", "0"},
    {"100x1,1", 8, true, "320", "51325/608", "8075/96", "6280/21"},
    {"1,1@0.3 2,2", 6, true, "3631/420", "46290203/28000000", "690941389/420000000", "473/70"},
};

typedef struct {
    const og_family *family;
    void *problem;
    og_settings settings;
    og_problem_size sizes;
    og_priced_use use;
    uint64_t states;
} opened;

static void open_problem(const golden *g, bool fractions, opened *out)
{
    char text[80], *rest = text;
    const char *words[4];
    og_message message = {""};
    og_problem_text given = {.words = words, .budget = g->budget, .left = -1, .each = g->each};
    snprintf(text, sizeof text, "%s", g->problem);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        words[given.word_count++] = word;
    }
    *out = (opened){.family = g->each ? &og_family_each : &og_family_independent};
    og_settings_default(&out->settings);
    out->settings.threads = 1;
    out->use = (og_priced_use){&out->settings, fractions, &out->states};
    ck_assert_int_eq(og_family_open(out->family, &given, &out->settings, &out->problem, &message),
                     OG_OK);
    out->family->model.sizes(out->problem, &out->sizes);
}

static og_status gain_at(void *self, og_fraction price, mpq_t low, mpq_t high, og_message *message)
{
    const opened *problem = self;
    return problem->family->model.priced_gain(problem->problem, price, &problem->use, low, high,
                                              message);
}

static og_frontier *frontier_of(opened *problem)
{
    og_frontier *made = NULL;
    og_message message = {""};
    OWN_MPQ low = MPQ_NEW;
    OWN_MPQ high = MPQ_NEW;
    double none = problem->family->model.reward_most(problem->problem);
    const og_priced_gains gains = {problem, gain_at, problem->sizes.left,
                                   og_fraction_make((int64_t)ceil(1e6 * none) + 1, 1000000)};
    ck_assert_int_eq(gain_at(problem, (og_fraction){0, 1}, low, high, &message), OG_OK);
    ck_assert_int_eq(og_frontier_new(&gains, low, high, &made), OG_OK);
    return made;
}

static void check(const golden *g, bool fractions)
{
    opened it;
    og_message message = {""};
    double prior, error;
    OWN_MPQ number = MPQ_NEW;
    OWN_MPQ low = MPQ_NEW;
    OWN_MPQ high = MPQ_NEW;
    OWN_MPQ price = MPQ_NEW;
    OWN_MPQ call = MPQ_NEW;
    OWN_MPQ want = MPQ_NEW;
    open_problem(g, fractions, &it);
    og_frontier *f = frontier_of(&it);
    const og_frontier_end end = {fractions ? 0 : 1e-10, 300};
    ck_assert_int_eq(og_family_prior(it.family, it.problem, &prior, &error, call, &message), OG_OK);
    mpq_set_str(number, g->labels, 10);
    ck_assert_int_eq(og_frontier_gain(f, number, &end, low, high, price, &message), OG_OK);
    mpq_set_str(want, g->value, 10);
    mpq_sub(want, want, call);
    ck_assert_msg(mpq_cmp(low, want) <= 0 && mpq_cmp(want, high) <= 0, "%s: F(%s) in %g .. %g",
                  g->problem, g->labels, mpq_get_d(low), mpq_get_d(high));
    ck_assert_msg(fractions ? mpq_equal(low, high) : mpq_get_d(high) - mpq_get_d(low) <= 1e-9,
                  "%s: F(%s) in %.17g .. %.17g after %d prices", g->problem, g->labels,
                  mpq_get_d(low), mpq_get_d(high), (int)og_frontier_solved(f));
    mpq_set_str(number, g->policy, 10);
    mpq_sub(number, number, call);
    ck_assert_int_eq(og_frontier_labels(f, number, &end, low, high, price, &message), OG_OK);
    mpq_set_str(want, g->least, 10);
    ck_assert_msg(mpq_cmp(low, want) <= 0 && (!fractions || mpq_cmp(want, high) <= 0),
                  "%s: labels for %s in %g .. %g, not %s", g->problem, g->policy, mpq_get_d(low),
                  mpq_get_d(high), g->least);
    ck_assert_msg(fractions ? mpq_equal(low, high) : fabs(mpq_get_d(low) - mpq_get_d(want)) < 1e-6,
                  "%s: labels for %s in %.17g .. %.17g", g->problem, g->policy, mpq_get_d(low),
                  mpq_get_d(high));
    og_frontier_free(f);
    og_family_close(it.family, it.problem);
}

OG_TEST(frontier_ends_at_the_sums_of_polygons_in_fractions)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check(&known[i], true);
    }
}

OG_TEST(frontier_bounds_the_sums_of_polygons_in_doubles)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check(&known[i], false);
    }
}
