/*
 * The relaxed problem's solution that draws: that it is one, by duality; that none has more
 * entropy; and chances that are known.
 */
#include "heuristics/index/draw.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/random_workers.h"
#include "tests/support.h"

OG_SUITE(draw, 120);

enum { MEMORY = 1 << 30 };

/* A problem, its prices and draw, and literal tables: the advantage, R, and the probability of a
 * positive label. */
typedef struct {
    og_groups problem;
    char words[256];
    og_arms *arms;
    random_market at;
    double nil; /* numbers within this of 0 count as 0 */
    og_twins *twins;
    og_draw *draw;
    oracle_arms *advantage, *reward, *positive;
} fault_scene;

static void reward_of(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    mpq_sub(out, arm->h[oracle_node(s + 1, f)], arm->h[oracle_node(s, f + 1)]);
    mpq_mul(out, out, arm->p1[oracle_node(s, f)]);
    mpq_add(out, out, arm->h[oracle_node(s, f + 1)]);
    mpq_sub(out, out, arm->h[oracle_node(s, f)]);
}

static void positive_of(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    mpq_set(out, arm->p1[oracle_node(s, f)]);
}

static oracle_arms *table_of(const og_groups *problem, oracle_index *index, const void *data)
{
    oracle_arms *oracle = oracle_new(problem);
    oracle_choose(oracle, index, data);
    return oracle;
}

/* Takes the problem. */
static fault_scene scene_of(const og_groups *problem)
{
    fault_scene out = {.problem = *problem};
    problem_format(&out.problem, out.words, sizeof out.words);
    ck_assert_int_eq(test_arms_new(&out.problem, 1, MEMORY, &out.arms, NULL), OG_OK);
    out.at = market_of(out.arms, 1);
    out.nil = market_nil(&out.at);
    out.draw = market_draw(&out.at, out.arms, &out.twins);
    out.advantage = table_of(&out.problem, market_advantage, &out.at);
    out.reward = table_of(&out.problem, reward_of, NULL);
    out.positive = table_of(&out.problem, positive_of, NULL);
    return out;
}

static void scene_clear(fault_scene *scene)
{
    oracle_free(scene->advantage);
    oracle_free(scene->reward);
    oracle_free(scene->positive);
    og_draw_free(scene->draw);
    og_twins_free(scene->twins);
    market_clear(&scene->at);
    og_arms_free(scene->arms);
    og_groups_clear(&scene->problem);
}

static double literal(const oracle_arms *oracle, int group, int s, int f, int left)
{
    OWN_MPQ value = MPQ_NEW;
    oracle_index_at(oracle, group, s, f, left, value);
    double out = mpq_get_d(value);
    return out;
}

static double lean_of(const fault_scene *scene, int group, int s, int f, int left)
{
    uint32_t first = scene->arms->node_offset[scene->arms->arm_of_group[group]];
    return scene->draw->lean[left][scene->twins->class_of[first + (uint32_t)oracle_node(s, f)]];
}

/* What a plan of chances gives, all instances together. */
typedef struct {
    double bought[16]; /* expected labels at each stage */
    double gain;       /* expected rewards */
    double surprise;   /* expected -ln of the draw's chance of what the plan does */
} outcome;

/* Chances of the draw; with a source others at random wherever the draw has a choice. */
static void follow(const fault_scene *scene, int group, random_source *source, outcome *out)
{
    int budget = scene->at.budget, s, f;
    double *there = calloc((size_t)oracle_node(0, budget + 1) + 1, sizeof *there);
    there[0] = (double)og_groups_at(&scene->problem, group)->count;
    for (int left = budget; left >= 1; left--) {
        /* The most labels first: purchases move mass to visited places. */
        for (int n = budget - left; n >= 0; n--) {
            for (s = 0; s <= n; s++) {
                f = n - s;
                double lean = lean_of(scene, group, s, f, left);
                double chance = 1 / (1 + exp(-lean)), taken = chance;
                if (source != NULL && isfinite(lean)) {
                    taken = random_below(source, 1001) / 1000.0;
                }
                double buys = taken * there[oracle_node(s, f)];
                double waits = there[oracle_node(s, f)] - buys;
                out->bought[budget - left] += buys;
                out->surprise += buys > 0 ? buys * log1p(exp(-lean)) : 0;
                out->surprise += waits > 0 ? waits * log1p(exp(lean)) : 0;
                there[oracle_node(s, f)] = waits;
                if (buys == 0) {
                    continue;
                }
                double up = literal(scene->positive, group, s, f, left);
                out->gain += buys * literal(scene->reward, group, s, f, left);
                there[oracle_node(s + 1, f)] += buys * up;
                there[oracle_node(s, f + 1)] += buys * (1 - up);
            }
        }
    }
    free(there);
}

static outcome follow_all(const fault_scene *scene, random_source *source)
{
    outcome out = {.gain = 0};
    for (int group = 0; group < scene->problem.group_count; group++) {
        follow(scene, group, source, &out);
    }
    return out;
}

/* Checks with the literal advantage: the solution buys above 0, waits below 0 or if nothing can be
 * gained, and otherwise draws. */
static void check_slackness(const fault_scene *scene, int group, int s, int f)
{
    bool gains = false;
    for (int left = 1; left <= scene->at.budget - s - f; left++) {
        double advantage = literal(scene->advantage, group, s, f, left);
        double lean = lean_of(scene, group, s, f, left);
        bool priced = mpq_get_d(scene->at.price[scene->at.budget - left]) > scene->nil;
        bool draws = fabs(advantage) <= scene->nil && (priced || gains);
        gains = gains || advantage > scene->nil;
        ck_assert_msg(draws ? isfinite(lean)
                            : lean == (advantage > scene->nil ? INFINITY : -INFINITY),
                      "%s: group %d after %d,%d with %d left: advantage %.17g, lean %.17g",
                      scene->words, group, s, f, left, advantage, lean);
    }
}

/*
 * Its probabilities are 0 and 1 if the advantage requires this, and it buys one label at every
 * stage with a price. So its gain is the bound, and since no plan gains more than the bound, it is
 * optimal.
 */
static void check_optimal(const fault_scene *scene)
{
    outcome plan = follow_all(scene, NULL);
    double allowed = 1e-12, call = og_arms_prior_value(scene->arms, NULL);
    for (int l = 0; l < scene->at.budget; l++) {
        double price = mpq_get_d(scene->at.price[l]), off = plan.bought[l] - 1;
        double most = OG_DRAW_RIDGE * fabs(scene->draw->charge[l]) + scene->draw->steep + 1e-12;
        ck_assert_msg(off <= most && (price <= scene->nil || -off <= most),
                      "%s: %.17g labels at stage %d, charge %g, slope %g", scene->words,
                      plan.bought[l], l + 1, scene->draw->charge[l], scene->draw->steep);
        ck_assert(fabs(plan.bought[l] - scene->draw->bought[l]) <= 1e-12);
        allowed += price * fabs(off) + scene->nil;
    }
    ck_assert_msg(fabs(call + plan.gain - scene->at.found.bound) <= allowed,
                  "%s: the plan's value is %.17g, the bound %.17g", scene->words, call + plan.gain,
                  scene->at.found.bound);
}

/*
 * Entropy is concave. Its slope at the draw, towards any plan that respects the advantages, is the
 * difference of the plans' surprise; a purchase at a stage without a price adds mu to the unused
 * part there. If both together depend only on labels bought, at the rate mu, then the slope to
 * every plan that buys as many is 0, and the draw has the largest entropy.
 */
static void check_entropy(const fault_scene *scene, random_source *source)
{
    outcome plan = follow_all(scene, NULL), other = follow_all(scene, source);
    double slope = other.surprise - plan.surprise, size = 1 + plan.surprise + other.surprise;
    for (int l = 0; l < scene->at.budget; l++) {
        double more = other.bought[l] - plan.bought[l];
        slope -= scene->draw->charge[l] * more;
        size += fabs(scene->draw->charge[l]) * (1 + fabs(more));
        bool priced = mpq_get_d(scene->at.price[l]) > scene->nil;
        double spare = priced ? 0 : exp(-scene->draw->charge[l]);
        double off = 1 - plan.bought[l] - spare + OG_DRAW_RIDGE * scene->draw->charge[l];
        ck_assert_msg(fabs(off) <= scene->draw->steep + 1e-12, "%s: stage %d", scene->words, l + 1);
    }
    ck_assert_msg(fabs(slope) <= 1e-12 * size, "%s: slope %g of %g", scene->words, slope, size);
}

static void check_scenes(uint64_t default_seed, random_limits limits)
{
    uint64_t seed = test_seed(default_seed);
    random_source source = random_start(seed);
    double steep = 0;
    for (int round = 0; round < test_cases(60); round++) {
        og_groups problem;
        random_problem(&source, &limits, &problem);
        fault_scene scene = scene_of(&problem);
        steep = fmax(steep, scene.draw->steep);
        for (int group = 0; group < problem.group_count; group++) {
            for (int n = 0; n < problem.budget; n++) {
                for (int s = 0; s <= n; s++) {
                    check_slackness(&scene, group, s, n - s);
                }
            }
        }
        check_optimal(&scene);
        for (int i = 0; i < 3; i++) {
            check_entropy(&scene, &source);
        }
        scene_clear(&scene);
    }
    ck_assert_msg(steep <= 1e-7, "seed %llu: slope %g", (unsigned long long)seed, steep);
}

OG_TEST(draw_is_the_best_plan_with_most_entropy_at_fractions)
{
    check_scenes(3401, (random_limits){.instances = 6, .budget = 6, .integers = true});
}

OG_TEST(draw_is_the_best_plan_with_most_entropy_at_any_priors)
{
    check_scenes(3402, (random_limits){.instances = 5, .budget = 6, .mixtures = true});
}

/* With three fresh instances and two labels of the same price each buys one with the chance 2/3,
 * and one label is bought at each stage: 1/3 of three, then 1/2 of the two that wait. */
OG_TEST(draw_of_fresh_instances_shares_the_labels_out)
{
    static const struct {
        const char *words;
        int budget, left;
        double chance;
    } rows[] = {
        {"3x1,1", 2, 2, 1. / 3},     {"3x1,1", 2, 1, 1. / 2},    {"2x1,1 1,1", 2, 2, 1. / 3},
        {"50x1,1", 20, 20, 1. / 50}, {"50x1,1", 20, 8, 1. / 38}, {"50x1,1", 20, 1, 1. / 31},
        {"1000000x1,1", 3, 2, 1e-6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWN(og_groups) problem;
        og_twins *twins;
        test_problem(rows[i].words, rows[i].budget, &problem);
        OWN(og_arms) *arms = NULL;
        ck_assert_int_eq(test_arms_new(&problem, 1, MEMORY, &arms, NULL), OG_OK);
        random_market at = market_of(arms, 1);
        og_draw *draw = market_draw(&at, arms, &twins);
        double chance = 1 / (1 + exp(-draw->lean[rows[i].left][0]));
        ck_assert_msg(fabs(chance - rows[i].chance) <= 1e-4 * rows[i].chance,
                      "%s, %d left: chance %.10g, expected %.10g", rows[i].words, rows[i].left,
                      chance, rows[i].chance);
        og_draw_free(draw);
        og_twins_free(twins);
        market_clear(&at);
    }
}

/* Prices have to be right to the last digits for this: beside them next to nothing ties, and no
 * chances make up for it. */
OG_TEST(draw_keeps_to_one_label_a_stage_where_there_are_many_stages)
{
    static const struct {
        const char *words;
        int budget;
    } rows[] = {{"10x1,1", 80}, {"20x1,1", 200}, {"10x1,1 20x2,1", 300}, {"9x0.7,1.3@0.4", 120}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].budget >= 200 && test_is_short()) {
            continue;
        }
        OWN(og_groups) problem;
        og_twins *twins;
        OWN(og_arms) *arms = NULL;
        test_problem(rows[i].words, rows[i].budget, &problem);
        ck_assert_int_eq(test_arms_new(&problem, 1, MEMORY, &arms, NULL), OG_OK);
        random_market at = market_of(arms, 1);
        og_draw *draw = market_draw(&at, arms, &twins);
        for (int l = 0; l < at.budget; l++) {
            bool priced = mpq_get_d(at.price[l]) > market_nil(&at);
            double off = draw->bought[l] - 1;
            ck_assert_msg(off <= 1e-5 && (!priced || off >= -1e-5),
                          "%s, stage %d of %d: %.10g labels, slope %g", rows[i].words, l + 1,
                          at.budget, draw->bought[l], draw->steep);
        }
        og_draw_free(draw);
        og_twins_free(twins);
        market_clear(&at);
    }
}

OG_TEST(draw_has_no_row_where_there_is_no_label)
{
    og_groups problem;
    test_problem("2x1,1", 0, &problem);
    fault_scene scene = scene_of(&problem);
    ck_assert(scene.draw->budget == 0 && scene.draw->lean[0] == NULL && scene.draw->steep == 0);
    scene_clear(&scene);
    og_draw_free(NULL);
}

/* Of the first label only, places that no instance reaches are left out. */
OG_TEST(first_labels_have_the_bits_of_all)
{
    const uint64_t seed = test_seed(5311);
    const random_limits limits = {.instances = 6, .budget = 12};
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(60); round++) {
        og_groups problem;
        random_problem(&source, &limits, &problem);
        fault_scene scene = scene_of(&problem);
        const int32_t budget = problem.budget;
        og_twins *twins;
        og_draw *first = market_draw_for(&scene.at, scene.arms, true, &twins);
        ck_assert(first->steep == scene.draw->steep);
        for (int32_t l = 0; l < budget; l++) {
            ck_assert_msg(first->bought[l] == scene.draw->bought[l] &&
                              first->charge[l] == scene.draw->charge[l],
                          "%s, stage %d", scene.words, l + 1);
        }
        for (uint32_t c = 0; budget > 0 && c < og_twins_with_left(twins, budget, budget); c++) {
            ck_assert_msg(first->lean[budget][c] == scene.draw->lean[budget][c], "%s, class %u",
                          scene.words, c);
        }
        og_draw_free(first);
        og_twins_free(twins);
        scene_clear(&scene);
    }
}
