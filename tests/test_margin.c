/*
 * The margin cut: its layers against a recursion over the same cut instances, written out for
 * LOWER, UPPER and SUPPLY, and against known values and the optimum.
 */
#include "dp/base/state_set.h"
#include "dp/base/stop.h"
#include "dp/product/forward.h"
#include "dp/product/margin/margin.h"
#include "dp/product/optimum/optimum.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(margin, 60);

enum { LEFT_MOST = 100 };

/* ---- the recursion ---- */

/* A posterior (c, d) as 128 c' + the margin, c' being c in halves. */
static uint32_t member_of(int32_t minor_halves, int32_t margin)
{
    return (uint32_t)(128 * minor_halves + margin);
}

typedef struct {
    int32_t m;
    bool stays; /* UPPER: beyond m an instance stays at m + 1 */
    /* SUPPLY of K x c,c after its fresh instances: a front instance, and the bulk. */
    bool supply;
    int32_t total;       /* D */
    int32_t most, slack; /* n0, s with the front */
    og_state_set *known[LEFT_MOST];
} cut_problem;

static double pays(int32_t minor_halves) /* of (n, n): 1 / (4^n n B(n, n)) */
{
    double n = 0.5 * minor_halves;
    return exp(lgamma(2 * n) - 2 * lgamma(n) - n * log(4)) / n;
}

static double value_of(cut_problem *cut, const og_copies *list, int32_t count, int32_t left);

/* The value after one instance moved: to == UINT32_MAX: it is gone; from == UINT32_MAX: a new one.
 */
static double value_after(cut_problem *cut, const og_copies *list, int32_t count, uint32_t from,
                          uint32_t to, int32_t left)
{
    og_copies next[32];
    int32_t length = 0;
    bool put = to == UINT32_MAX;
    for (int32_t i = 0; i < count; i++) {
        uint32_t copies = list[i].copies - (list[i].member == from);
        if (!put && list[i].member >= to) {
            bool same = list[i].member == to;
            next[length++] = (og_copies){to, same ? copies + 1 : 1};
            put = true;
            if (same) {
                continue;
            }
        }
        if (copies > 0) {
            next[length++] = (og_copies){list[i].member, copies};
        }
    }
    if (!put) {
        next[length++] = (og_copies){to, 1};
    }
    return value_of(cut, next, length, left);
}

static double label_value(cut_problem *cut, const og_copies *list, int32_t count, uint32_t member,
                          int32_t left)
{
    int32_t minor = (int32_t)member / 128, margin = (int32_t)member % 128;
    double toward = margin == 0 ? 0 : minor / (2.0 * (minor + margin));
    uint32_t away = margin + 1 <= cut->m ? member_of(minor, margin + 1) : UINT32_MAX;
    if (cut->stays) {
        away = margin <= cut->m ? member_of(minor, margin + 1) : member;
    }
    double value = margin == 0 ? pays(minor) : 0;
    if (margin > 0) {
        value += toward *
                 value_after(cut, list, count, member, member_of(minor + 2, margin - 1), left - 1);
    }
    return value + (1 - toward) * value_after(cut, list, count, member, away, left - 1);
}

static int32_t weight_of(const cut_problem *cut, uint32_t member)
{
    int32_t minor = (int32_t)member / 128, margin = (int32_t)member % 128;
    int32_t total = minor + margin; /* 2 c + margin, c in halves */
    return total > cut->total ? total - cut->total : 0;
}

/* The best label of a supply. */
static double supply_value(cut_problem *cut, const og_copies *list, int32_t count, int32_t left)
{
    int32_t weight = 0, excess = 0, bulk = 0, front = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t own = weight_of(cut, list[i].member), margin = (int32_t)list[i].member % 128;
        weight += own * (int32_t)list[i].copies;
        excess += (own > 1 ? own - 1 : 0) * (int32_t)list[i].copies;
        bulk += own == 0 && margin == 2 ? (int32_t)list[i].copies : 0;
        front += own == 0 && margin == 1;
    }
    int32_t most = cut->most - left - (front == 0), slack = cut->slack - (front == 0 ? 2 : 0);
    int32_t missing = left - 2 - bulk > 0 ? left - 2 - bulk : 0;
    double best = 0;
    /* Its posterior follows from (c, c), D = 2 c + 2: whole steps. */
    for (int32_t minor = cut->total - 2; minor <= cut->total + 2 * most; minor += 2) {
        uint32_t member = member_of(minor, cut->m + 1);
        int32_t own = weight_of(cut, member);
        if (own + weight > most ||
            (missing > 0 && (own > 1 ? own - 1 : 0) + excess + missing > slack)) {
            continue;
        }
        double toward = minor / (2.0 * (minor + cut->m + 1));
        double value = toward * value_after(cut, list, count, UINT32_MAX,
                                            member_of(minor + 2, cut->m), left - 1) +
                       (1 - toward) * value_of(cut, list, count, left - 1);
        best = value > best ? value : best;
    }
    return best;
}

static double value_of(cut_problem *cut, const og_copies *list, int32_t count, int32_t left)
{
    uint32_t entry;
    bool added;
    double best = 0;
    if (left == 0) {
        return 0;
    }
    if (cut->known[left] == NULL) {
        ck_assert(og_state_set_new(sizeof(double), &cut->known[left]) == OG_OK);
    }
    if (og_state_set_find(cut->known[left], list, count, &entry)) {
        return *(double *)og_state_set_payload(cut->known[left], entry);
    }
    for (int32_t i = 0; i < count; i++) {
        best = fmax(best, label_value(cut, list, count, list[i].member, left));
    }
    if (cut->supply) {
        best = fmax(best, supply_value(cut, list, count, left));
    }
    ck_assert(og_state_set_put(cut->known[left], list, count, UINT64_MAX, &entry, &added) == OG_OK);
    *(double *)og_state_set_payload(cut->known[left], entry) = best;
    return best;
}

static void forget(cut_problem *cut)
{
    for (int32_t left = 0; left < LEFT_MOST; left++) {
        og_state_set_free(cut->known[left]);
        cut->known[left] = NULL;
    }
}

/* LOWER or UPPER of a problem. */
static double cut_value(const og_groups *problem, int32_t m, bool stays)
{
    cut_problem cut = {.m = m, .stays = stays};
    og_copies list[32];
    int32_t count = 0;
    for (int32_t g = 0; g < problem->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        int32_t a = (int32_t)lround(2 * og_fraction_double(group->a));
        int32_t b = (int32_t)lround(2 * og_fraction_double(group->b));
        int32_t minor = a < b ? a : b, margin = abs(a - b) / 2, at = 0;
        if (margin > m && !stays) {
            continue;
        }
        uint32_t member = member_of(minor, margin > m ? m + 1 : margin);
        while (at < count && list[at].member < member) {
            at++;
        }
        if (at == count || list[at].member != member) {
            memmove(&list[at + 1], &list[at], (size_t)(count - at) * sizeof *list);
            list[at] = (og_copies){member, 0};
            count++;
        }
        list[at].copies += (uint32_t)group->count;
    }
    double value = value_of(&cut, list, count, problem->budget);
    forget(&cut);
    return value;
}

/* ---- the layers ---- */

typedef struct {
    bool fits;
    og_margin_ends ends;
    double states, relative;
} layers;

static layers layers_of(const og_arms *arms, int32_t m, int threads, const char *words)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_message message = {""};
    og_margin *margin;
    og_margin_size size;
    og_result result;
    layers out = {.fits = false};
    ck_assert(og_margin_can(arms));
    ck_assert(og_margin_new(arms, NULL, 0, m, &settings, &margin) == OG_OK);
    og_margin_get_size(margin, &size);
    out.states = size.states;
    out.fits = size.states < 1e8;
    if (out.fits) {
        question_ok(og_margin_solve(margin, &out.ends, &result, &message), &message, words);
        out.relative = og_margin_relative_error(margin);
        ck_assert_msg((double)result.states == size.states, "%s: %g places, %" PRIu64, words,
                      size.states, result.states);
    }
    og_margin_free(margin);
    return out;
}

static void check_near(double found, double known, double relative, const char *words)
{
    test_assert_msg(fabs(found - known) <= relative * fabs(known), "%s: %.17g, not %.17g", words,
                    found, known);
}

static const char *const kinds[][4] = {{"1,1", "2,1", "3,1", "2,2"},
                                       {"2,2", "3,2", "2,4", "3,3"},
                                       {"1.5,1.5", "0.5,1.5", "2.5,1.5", "1.5,3.5"},
                                       {"1,1", "0.5,1.5", "2,1", "1.5,1.5"},
                                       {"0.5,0.5", "1.5,0.5", "2.5,0.5", "1,1"},
                                       {"4,4", "5,3", "4,3", "6,4"}};

OG_TEST(layers_are_the_recursion_over_cut_instances)
{
    uint64_t seed = test_seed(5901);
    random_source source = random_start(seed);
    int fitted = 0, open = 0;
    for (int round = 0; round < test_cases(600); round++) {
        const char *const *kind = kinds[random_below(&source, sizeof kinds / sizeof *kinds)];
        char words[200] = "";
        int groups = 1 + (int)random_below(&source, 3);
        for (int g = 0; g < groups; g++) {
            size_t used = strlen(words);
            int copies = 1 + (int)random_below(&source, g == 0 ? 5 : 2);
            snprintf(words + used, sizeof words - used, "%s%dx%s", g > 0 ? " " : "", copies,
                     kind[random_below(&source, round % 3 == 0 ? 4 : 2)]);
        }
        OWN(question) q = question_of(words, 1 + (int32_t)random_below(&source, 11));
        int32_t m = 1 + (int32_t)random_below(&source, 3);
        char label[800];
        snprintf(label, sizeof label, "%s, m = %d (TEST_SEED=%" PRIu64 ", case %d)", q.words, m,
                 seed, round);
        layers found = layers_of(q.arms, m, 1, label);
        if (!found.fits) {
            continue;
        }
        double lower = cut_value(&q.problem, m, false), upper = cut_value(&q.problem, m, true);
        og_result optimum = question_solve(q.arms, &q.settings, label);
        check_near(found.ends.lower, lower, 1e-13, label);
        test_assert_msg(found.ends.upper >= optimum.gain * (1 - 1e-13),
                        "%s: SUPPLY %.17g below %.17g", label, found.ends.upper, optimum.gain);
        test_assert_msg(lower <= optimum.gain * (1 + 1e-13) && upper >= optimum.gain * (1 - 1e-13),
                        "%s: %.17g to %.17g", label, lower, upper);
        fitted++;
        open += found.ends.upper > found.ends.lower * (1 + 1e-12);
    }
    ck_assert_msg(fitted > test_cases(300) && open > test_cases(30), "%d fitted, %d open", fitted,
                  open);
}

/* K x c,c: LOWER and SUPPLY by their definition after the fresh instances. */
OG_TEST(supply_is_what_its_definition_says)
{
    static const struct {
        const char *prior;
        int32_t halves, instances, budget, m;
    } cases[] = {{"1,1", 2, 3, 12, 2}, {"1,1", 2, 4, 14, 2}, {"1,1", 2, 4, 15, 3},
                 {"2,2", 4, 4, 14, 2}, {"1,1", 2, 3, 14, 3}, {"1.5,1.5", 3, 5, 16, 2},
                 {"1,1", 2, 6, 20, 2}, {"1,1", 2, 3, 16, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[64];
        int32_t k = cases[i].instances, c = cases[i].halves;
        snprintf(words, sizeof words, "%dx%s", k, cases[i].prior);
        OWN(question) q = question_of(words, cases[i].budget);
        layers found = layers_of(q.arms, cases[i].m, 1, q.words);
        ck_assert_msg(found.fits, "%s does not fit", q.words);
        double lower = k * pays(c), upper = lower;
        for (int supply = 0; supply < 2; supply++) {
            /* After K fresh labels and K - 1 of (c+1,c), each with one more if it leads to
             * (c+1,c+1). */
            cut_problem cut = {.m = cases[i].m, .supply = supply, .total = c + 2};
            cut.most = cases[i].budget - 2 * k + 1;
            cut.slack = cases[i].budget - 3 * k > 0 ? cases[i].budget - 3 * k : 0;
            double hit = (double)c / (2 * c + 2), gain = 0;
            for (int32_t j = 0; j < k; j++) {
                double chance = exp(lgamma(k) - lgamma(j + 1) - lgamma(k - j)) * pow(hit, j) *
                                pow(1 - hit, k - 1 - j);
                og_copies list[3] = {{member_of(c, 1), 1},
                                     {member_of(c, 2), (uint32_t)(k - 1 - j)},
                                     {member_of(c + 2, 1), (uint32_t)j}};
                if (k - 1 - j == 0) {
                    list[1] = list[2];
                }
                int32_t left = cases[i].budget - 2 * k + 1 - j,
                        count = 1 + (k - 1 - j > 0) + (j > 0);
                ck_assert(left >= 0);
                gain += chance * (j * pays(c + 2) + value_of(&cut, list, count, left));
            }
            *(supply ? &upper : &lower) += gain;
            forget(&cut);
        }
        check_near(found.ends.lower, lower, 1e-13, q.words);
        /* The difference is rounded up to single precision with each label. */
        double more = (upper - lower) * cases[i].budget * 0x1p-21 + 1e-13 * upper;
        test_assert_msg(found.ends.upper >= upper * (1 - 1e-13) && found.ends.upper <= upper + more,
                        "%s: SUPPLY %.17g, not %.17g", q.words, found.ends.upper, upper);
    }
}

OG_TEST(small_ends_are_known)
{
    static const struct {
        const char *words;
        int32_t budget, m;
        double lower, upper; /* upper: UPPER(m), which SUPPLY is not below */
    } known[] = {{"2x1,1", 6, 1, 5. / 8, 5. / 8},
                 {"4x1,1", 10, 1, 533. / 432, 533. / 432},
                 {"3x2,1", 7, 1, 11. / 48, 205. / 864},
                 {"3x2,1", 7, 2, 205. / 864, 205. / 864},
                 {"3x3,1", 7, 2, 2693. / 40960, 5521. / 81920},
                 {"3x3,1", 7, 3, 5521. / 81920, 5521. / 81920},
                 {"2x2,2", 7, 1, 169. / 320, 137. / 256},
                 {"2x2,2", 7, 2, 137. / 256, 137. / 256},
                 {"5x1,1", 12, 1, 221. / 144, 221. / 144},
                 {"2x4,1", 8, 3, 2743. / 179200, 181. / 10752},
                 {"2x4,1", 8, 4, 181. / 10752, 181. / 10752},
                 {"4x3,2", 8, 1, 581. / 2000, 9431. / 32000},
                 {"4x3,2", 8, 2, 9431. / 32000, 9431. / 32000}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        OWN(question) q = question_of(known[i].words, known[i].budget);
        layers found = layers_of(q.arms, known[i].m, 1, q.words);
        ck_assert_msg(found.fits, "%s does not fit", q.words);
        check_near(found.ends.lower, known[i].lower, 1e-13, q.words);
        test_assert_msg(found.ends.upper >= known[i].upper * (1 - 1e-13), "%s: %.17g below %.17g",
                        q.words, found.ends.upper, known[i].upper);
        check_near(cut_value(&q.problem, known[i].m, false), known[i].lower, 1e-13, q.words);
        check_near(cut_value(&q.problem, known[i].m, true), known[i].upper, 1e-13, q.words);
    }
}

OG_TEST(large_ends_are_known_and_do_not_depend_on_threads)
{
    static const struct {
        const char *words;
        int32_t budget, m;
        /* SUPPLY is between UPPER and the largest known; a separate program has some more states */
        double lower, upper, most, states;
    } known[] = {
        {"20x1,1", 50, 2, 6.363501102347677, 6.363501102347677, 6.363501102347677, 662},
        {"20x1,1", 55, 3, 6.569450645746044, 6.569450645746044, 6.569450645746044, 12340},
        {"20x1,1", 60, 2, 6.739947947134989, 6.739947947134989, 6.739947947134989, 30000},
        {"20x1,1", 65, 2, 6.883496094747919, 6.883496116307298, 6.883496122175123, 153800},
        {"20x1,1", 65, 3, 6.883496116307298, 6.883496116307298, 6.883496116307298, 716900},
        {"20x1,1", 70, 2, 6.997221064665703, 6.997222511113872, 6.99722288806372, 813600},
        {"20x1,1", 70, 3, 6.997222511113872, 6.997222511113872, 6.997222511113872, 5205000},
        {"25x1,1", 75, 2, 8.446353695084197, 8.446353695084197, 8.446353695084197, 140300},
        {"25x1,1", 75, 3, 8.446353695084197, 8.446353695084197, 8.446353695084197, 636800},
        {"30x1,1", 85, 2, 9.978306254988855, 9.978306254988855, 9.978306254988855, 140300},
        {"30x1,1", 85, 3, 9.978306254988855, 9.978306254988855, 9.978306254988855, 636800},
        {"30x1,1", 90, 2, 10.1487226466319, 10.1487226466319, 10.1487226466319, 586700},
        {"40x1,1", 110, 2, 13.19496058993737, 13.19496058993737, 13.19496058993737, 586700},
        {"50x1,1", 115, 3, 15.51146061119698, 15.51146061119698, 15.51146061119698, 12340},
        {"50x1,1", 120, 2, 15.74279198081073, 15.74279198081073, 15.74279198081073, 30000},
        {"50x1,1", 122, 2, 15.83366601011304, 15.83366601011304, 15.83366601011304, 55910},
        {"50x1,1", 122, 3, 15.83366601011304, 15.83366601011304, 15.83366601011304, 214400},
        {"50x1,1", 125, 2, 15.9683600438693, 15.9683600438693, 15.9683600438693, 140300},
        {"50x1,1", 128, 2, 16.10131300318667, 16.10131300318667, 16.10131300318667, 336100},
        {"100x1,1", 225, 2, 30.8241972423613, 30.8241972423613, 30.8241972423613, 140300}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        OWN(question) q = question_of(known[i].words, known[i].budget);
        layers found = layers_of(q.arms, known[i].m, 1, q.words);
        layers twice = layers_of(q.arms, known[i].m, 3, q.words);
        ck_assert_msg(found.fits, "%s does not fit", q.words);
        check_near(found.ends.lower, known[i].lower, 1e-13, q.words);
        test_assert_msg(found.ends.upper >= known[i].upper * (1 - 1e-13) &&
                            found.ends.upper <= known[i].most * (1 + 1e-13),
                        "%s: SUPPLY %.17g", q.words, found.ends.upper);
        test_assert_msg(found.states <= 1.1 * known[i].states &&
                            found.states >= 0.8 * known[i].states,
                        "%s: %g places", q.words, found.states);
        test_assert_msg(memcmp(&found.ends, &twice.ends, sizeof found.ends) == 0,
                        "%s: three threads", q.words);
    }
}

/* Every later state, after any labels, from kept layers: against LOWER's recursion and the optimum.
 */
OG_TEST(kept_layers_enclose_each_later_state)
{
    static const struct {
        const char *words;
        int32_t budget, m;
    } cases[] = {{"3x1,1", 9, 1}, {"3x1,1", 10, 2},    {"3x2,2", 8, 1},
                 {"3x2,1", 8, 2}, {"2x1.5,1.5", 8, 1}, {"4x1,1", 10, 1}};
    int held = 0, asked = 0, open = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(question) q = question_of(cases[i].words, cases[i].budget);
        OWN(og_solver) *solver = NULL;
        og_message message = {""};
        og_margin *margin;
        og_margin_ends ends;
        og_result result;
        og_forward pass;
        question_ok(og_solver_new(q.arms, &q.settings, &solver, &message), &message, q.words);
        ck_assert(og_margin_new(q.arms, NULL, 0, cases[i].m, &q.settings, &margin) == OG_OK);
        og_margin_keep(margin);
        question_ok(og_margin_solve(margin, &ends, &result, &message), &message, q.words);
        ck_assert_int_eq(og_forward_begin(q.arms, OG_FORWARD_SORTED, 0, UINT64_MAX, &pass), OG_OK);
        for (; pass.left > 0; og_forward_next(&pass)) {
            for (uint32_t e = 0; e < og_forward_count(&pass); e++, asked++) {
                double gain;
                uint32_t entry;
                og_forward_take(&pass, e);
                const og_state *state = &pass.state;
                question_ok(og_solver_value_at(solver, state, &gain, &message), &message, q.words);
                og_status status = og_margin_ends_of(margin, state, &ends);
                test_assert_msg(status == OG_BAD_INPUT ||
                                    (status == OG_OK && ends.lower <= gain * (1 + 1e-13) &&
                                     ends.upper >= gain * (1 - 1e-13)),
                                "%s, %d labels left: %.17g to %.17g, not %.17g", q.words,
                                state->left, ends.lower, ends.upper, gain);
                held += status == OG_OK;
                open += status == OG_OK && ends.upper > ends.lower * (1 + 1e-12);
                for (int32_t g = 0; g < state->count; g++) {
                    for (int32_t k = 0; k < 2; k++) {
                        ck_assert_int_eq(og_forward_put(&pass, g, k, &entry), OG_OK);
                    }
                }
            }
        }
        og_forward_clear(&pass);
        og_margin_free(margin);
    }
    ck_assert_msg(held > asked / 2 && open > 0, "%d of %d states are held, %d open", held, asked,
                  open);
}

OG_TEST(other_problems_are_refused)
{
    static const char *const not [] = {"1,1@0.3", "1.5,1", "1,1,1", "1:1,1+1:3,1", "20,1"};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        OWN(question) q = question_of(not [i], 4);
        ck_assert_msg(!og_margin_can(q.arms), "%s", not [i]);
    }
    OWN(question) q = question_of("3x1,1 2x8,8", 9); /* starts of two kinds of bulk */
    layers found = layers_of(q.arms, 2, 1, q.words);
    double gain = question_solve(q.arms, &q.settings, q.words).gain;
    ck_assert(found.fits && found.ends.upper >= gain * (1 - 1e-13));
    ck_assert(found.ends.lower > 0 && found.ends.lower <= gain * (1 + 1e-13));
}

static bool never(void *user, const og_progress *progress)
{
    ++*(int *)user;
    ck_assert(progress->settled >= 0 && progress->settled <= 1);
    return false;
}

OG_TEST(limits_end_the_work)
{
    OWN(question) q = question_of("50x1,1", 150); /* more than a tenth of a second */
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_margin_ends ends = {-1, -1};
    og_message message = {""};
    og_margin *margin;
    og_result result;
    int calls = 0;
    settings.memory_bytes = 3 << 20;
    ck_assert(og_margin_new(q.arms, NULL, 0, 2, &settings, &margin) == OG_OK);
    ck_assert(og_margin_solve(margin, &ends, &result, &message) == OG_STOPPED);
    ck_assert_str_ne(message.text, "");
    og_margin_free(margin);
    settings.memory_bytes = QUESTION_MEMORY_BYTES;
    settings.watch = never;
    settings.watch_user = &calls;
    og_stop stop;
    og_stop_take(&stop, &settings);
    ck_assert(og_margin_new(q.arms, NULL, 0, 2, &settings, &margin) == OG_OK);
    og_status status = og_margin_solve(margin, &ends, &result, &message);
    ck_assert_int_eq(status, OG_STOPPED);
    ck_assert(calls == 1 && ends.lower == -1);
    og_margin_free(margin);
    OWN(question) few = question_of("20x1,1", 70); /* few forced labels: its layers are counted */
    ck_assert(og_margin_new(few.arms, NULL, 0, 2, &settings, &margin) == OG_STOPPED);
}

/* ---- the choice of the engine ---- */

static og_result optimum_of(const og_arms *arms, const og_settings *settings, og_status *status)
{
    og_message message = {""};
    og_result result = {.gain = -1};
    OWN(og_optimum) *optimum = NULL;
    ck_assert(og_optimum_new(arms, settings, &optimum, &message) == OG_OK);
    *status = og_optimum_value(optimum, &result, &message);
    return result;
}

OG_TEST(the_optimum_is_a_cut_that_closes)
{
    static const struct {
        const char *words;
        int32_t budget;
        double gain;
    } known[] = {{"50x1,1", 130, 16.18911882434144},
                 {"100x1,1", 240, 31.51835584497449},
                 {"30x1,1 20x2,1", 110, 16.18911882434144 - 20 * 0.25}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        OWN(question) q = question_of(known[i].words, known[i].budget);
        og_status status;
        og_result cut = optimum_of(q.arms, &q.settings, &status);
        test_assert_msg(status == OG_OK && cut.by_margin && cut.bracketed, "%s: by %s", q.words,
                        og_result_engine(&cut));
        ck_assert_str_eq(og_result_engine(&cut), "margin");
        ck_assert(cut.lower <= cut.gain && cut.gain <= cut.upper);
        ck_assert(cut.upper - cut.gain <= cut.error_bound &&
                  cut.gain - cut.lower <= cut.error_bound);
        check_near(cut.gain, known[i].gain, 1e-13, q.words);
    }
    OWN(question) q = question_of("20x1,1", 70); /* m = 2 does not close */
    og_status status;
    og_result blocks = optimum_of(q.arms, &q.settings, &status);
    ck_assert(status == OG_OK && blocks.by_blocks && blocks.bracketed);
    ck_assert(blocks.lower <= blocks.gain && blocks.gain <= blocks.upper);
    check_near(blocks.gain, 6.997222511113872, 1e-12, q.words);
}

OG_TEST(q_is_enclosed_too)
{
    OWN(question) q = question_of("2,1 8x3,2 41x3,1", 23); /* 50x1,1 with 130 labels, on its way */
    og_message message = {""};
    OWN(og_optimum) *optimum = NULL;
    double found[3], error[3], known[3], known_error[3];
    ck_assert(og_optimum_new(q.arms, &q.settings, &optimum, &message) == OG_OK);
    question_ok(og_optimum_q(optimum, found, error, &message), &message, q.words);
    OWN(og_solver) *solver = NULL;
    question_ok(og_solver_new(q.arms, &q.settings, &solver, &message), &message, q.words);
    question_ok(og_solver_q(solver, known, known_error, &message), &message, q.words);
    for (int g = 0; g < 3; g++) {
        test_assert_msg(fabs(found[g] - known[g]) <= error[g] + known_error[g] && error[g] < 1e-11,
                        "%s: group %d: %.17g, not %.17g", q.words, g, found[g], known[g]);
    }
}

typedef struct {
    uint64_t most;   /* states at which it stops */
    uint64_t states; /* when it was last asked */
    int calls;
} counter;

static bool until(void *user, const og_progress *progress)
{
    counter *c = user;
    c->calls++;
    c->states = progress->states;
    return c->states < c->most;
}

/* The states of the stopped work are those of the cut, and its threads end within the layer. */
OG_TEST(a_stop_in_a_cut_is_final)
{
    OWN(question) q = question_of("50x1,1", 150);
    for (int threads = 1; threads <= 2; threads++) {
        counter c = {.most = 1 << 21}; /* more than come before it */
        og_settings settings = question_settings(OG_REDUCE_ALL, threads);
        settings.watch = until;
        settings.watch_user = &c;
        og_stop stop;
        og_stop_take(&stop, &settings);
        og_message message = {""};
        og_result result = {.gain = -1};
        OWN(og_optimum) *optimum = NULL;
        ck_assert(og_optimum_new(q.arms, &settings, &optimum, &message) == OG_OK);
        ck_assert_int_eq(og_optimum_value(optimum, &result, &message), OG_STOPPED);
        test_assert_msg(!result.by_blocks && result.expanded >= c.states &&
                            result.expanded < c.states + (1 << 20),
                        "%d threads: by %s, %" PRIu64 " states, stopped at %" PRIu64, threads,
                        og_result_engine(&result), result.expanded, c.states);
        ck_assert_msg(strstr(message.text, "stopped after") != NULL, "%s", message.text);
        ck_assert(result.gain == 0 && !result.bracketed);
    }
}

OG_TEST(a_question_asked_again_has_the_same_answer)
{
    OWN(question) q = question_of("50x1,1", 130);
    OWN(og_optimum) *optimum = NULL;
    og_message message = {""};
    ck_assert(og_optimum_new(q.arms, &q.settings, &optimum, &message) == OG_OK);
    og_result one, again;
    question_ok(og_optimum_value(optimum, &one, &message), &message, q.words);
    question_ok(og_optimum_value(optimum, &again, &message), &message, q.words);
    ck_assert(again.by_margin && again.states == one.states && again.gain == one.gain);
}

OG_TEST(a_cut_that_does_not_close_leaves_a_bracket)
{
    OWN(question) q = question_of("30x1,1", 100);
    og_status status;
    q.settings.memory_bytes = 128 << 20; /* for m = 2, and neither for m = 3 nor for blocks */
    q.settings.states_max = 1 << 18;
    og_result found = optimum_of(q.arms, &q.settings, &status);
    ck_assert(status == OG_STOPPED && found.bracketed && !found.by_margin);
    ck_assert(found.lower <= 10.42069867676978 && found.upper >= 10.42069867676978);
    ck_assert(found.upper - found.lower > 1e-9 && found.upper - found.lower < 1e-8);
    q.settings.engine = OG_ENGINE_RECURSION;
    found = optimum_of(q.arms, &q.settings, &status);
    ck_assert(status == OG_STOPPED && !found.bracketed);
}
