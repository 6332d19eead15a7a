/*
 * The bound whose last labels are played together: its search against every multiset there is, the
 * theorem's inequality against its definition at every state of two instances, and the bound
 * against the optimum.
 */
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/joint_search.h"
#include "heuristics/bounds/joint_tables.h"
#include "heuristics/bounds/prevailing.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(joint_end, 30);

/* ---- the search ---- */

enum {
    TYPES_MOST = 3,
    LABELS_MOST = 3,
    OUTCOMES = 2,
    EACH = 3, /* kinds that each label makes of what there is */
    KINDS_MOST = TYPES_MOST + EACH * LABELS_MOST,
    POINTS = 3,
    HAND_MOST = TYPES_MOST * LABELS_MOST
};

/* Kinds in levels: what a label makes of one is of the next level, or a type again. */
typedef struct {
    og_joint joint;
    og_joint_kind kind[KINDS_MOST];
    double probability[KINDS_MOST][OUTCOMES];
    uint16_t next[KINDS_MOST][OUTCOMES];
    double alone[KINDS_MOST][LABELS_MOST + 1];
    double width[POINTS];
    double law[POINTS * TYPES_MOST * LABELS_MOST];
} random_joint;

static int32_t level_of(const random_joint *joint, int32_t kind)
{
    int32_t types = joint->joint.types;
    return kind < types ? 0 : 1 + (kind - types) / EACH;
}

static uint16_t random_next_kind(random_source *source, const random_joint *joint, int32_t kind)
{
    int32_t types = joint->joint.types, below = level_of(joint, kind);
    switch (random_below(source, 6)) {
    case 0:
        return OG_JOINT_NONE;
    case 1:
        return (uint16_t)random_below(source, (uint32_t)types);
    default:
        return below < joint->joint.labels
                   ? (uint16_t)(types + below * EACH + (int32_t)random_below(source, EACH))
                   : OG_JOINT_NONE;
    }
}

/* Multiples of a power of two are often equal, and 0. */
static double random_size(random_source *source)
{
    return random_below(source, 4) == 0 ? random_unit(source) / 4 : random_below(source, 5) / 16.0;
}

static void random_laws(random_source *source, random_joint *drawn)
{
    og_joint *joint = &drawn->joint;
    for (int32_t p = 0; p < joint->points; p++) {
        drawn->width[p] = random_size(source);
        for (int32_t t = 0; t < joint->types; t++) {
            double left = 1;
            for (int32_t n = 0; n < joint->charged; n++) {
                double part = random_below(source, 3) == 0 ? left : left * random_unit(source);
                drawn->law[(p * joint->types + t) * joint->charged + n] = part;
                left -= part;
            }
        }
    }
}

static void fill_alone(random_joint *joint)
{
    for (int32_t r = 1; r <= joint->joint.labels; r++) {
        for (int32_t i = 0; i < joint->joint.kinds; i++) {
            double sum = joint->kind[i].reward;
            for (int k = 0; k < OUTCOMES; k++) {
                uint16_t next = joint->next[i][k];
                sum += next == OG_JOINT_NONE ? 0
                                             : joint->probability[i][k] * joint->alone[next][r - 1];
            }
            joint->alone[i][r] = fmax(joint->alone[i][r - 1], sum);
        }
    }
}

static void random_joint_make(random_source *source, random_joint *drawn)
{
    memset(drawn, 0, sizeof *drawn);
    og_joint *joint = &drawn->joint;
    joint->labels = 1 + (int32_t)random_below(source, LABELS_MOST);
    joint->charged = (int32_t)random_below(source, (uint32_t)joint->labels + 1);
    joint->outcomes = OUTCOMES;
    joint->types = 1 + (int32_t)random_below(source, TYPES_MOST);
    joint->kinds = joint->types + EACH * joint->labels;
    joint->points = POINTS;
    for (int32_t i = 0; i < joint->kinds; i++) {
        double p = random_below(source, 5) / 4.0;
        drawn->probability[i][0] = p;
        drawn->probability[i][1] = 1 - p;
        for (int k = 0; k < OUTCOMES; k++) {
            drawn->next[i][k] = random_next_kind(source, drawn, i);
        }
        drawn->kind[i] = (og_joint_kind){.reward = random_size(source),
                                         .worth = i < joint->types ? random_size(source) : 0,
                                         .probability = drawn->probability[i],
                                         .next = drawn->next[i],
                                         .alone = drawn->alone[i]};
    }
    fill_alone(drawn);
    random_laws(source, drawn);
    joint->kind = drawn->kind;
    joint->width = drawn->width;
    joint->law = drawn->law;
}

/* The largest gain of labels on the instances in hand, from its definition. */
static double gain(const random_joint *joint, const uint16_t *hand, int count, int32_t left)
{
    double most = 0;
    for (int i = 0; left > 0 && i < count; i++) {
        uint16_t after[HAND_MOST];
        const og_joint_kind *kind = &joint->kind[hand[i]];
        double sum = kind->reward;
        for (int k = 0; k < OUTCOMES; k++) {
            int rest = 0;
            for (int j = 0; j < count; j++) {
                uint16_t item = j == i ? kind->next[k] : hand[j];
                if (item != OG_JOINT_NONE) {
                    after[rest++] = item;
                }
            }
            sum += kind->probability[k] * gain(joint, after, rest, left - 1);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* E min(charged, N) at a point, over all outcomes of N. */
static double wanted(const random_joint *drawn, const uint16_t *hand, int count, int32_t point,
                     int32_t already)
{
    const og_joint *joint = &drawn->joint;
    if (already >= joint->charged || count == 0) {
        return already < joint->charged ? already : joint->charged;
    }
    const double *law = drawn->law + (point * joint->types + hand[0]) * joint->charged;
    double sum = 0, left = 1;
    for (int32_t n = 0; n < joint->charged; n++) {
        sum += law[n] * wanted(drawn, hand + 1, count - 1, point, already + n);
        left -= law[n];
    }
    return sum + left * joint->charged;
}

static double excess(const random_joint *joint, const uint16_t *hand, int count)
{
    double sum = gain(joint, hand, count, joint->joint.labels);
    for (int i = 0; i < count; i++) {
        sum -= joint->kind[hand[i]].worth;
    }
    for (int32_t p = 0; p < joint->joint.points; p++) {
        sum -= joint->width[p] * wanted(joint, hand, count, p, 0);
    }
    return sum;
}

/* Over all multisets with at most as many copies of a type as there are labels: more add no gain.
 */
static double largest_excess(const random_joint *joint, uint16_t *hand, int count, int32_t type)
{
    if (type == joint->joint.types) {
        return excess(joint, hand, count);
    }
    double most = -INFINITY;
    for (int32_t copies = 0; copies <= joint->joint.labels; copies++) {
        most = fmax(most, largest_excess(joint, hand, count + copies, type + 1));
        if (copies < joint->joint.labels) {
            hand[count + copies] = (uint16_t)type;
        }
    }
    return most;
}

OG_TEST(the_search_finds_the_largest_excess_of_all_multisets)
{
    uint64_t seed = test_seed(22041);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(400); round++) {
        random_joint joint;
        og_joint_found found, small, cut;
        uint16_t hand[HAND_MOST] = {0};
        random_joint_make(&source, &joint);
        double largest = largest_excess(&joint, hand, 0, 0);
        ck_assert_int_eq(og_joint_search(&joint.joint, 0, INT64_MAX, 1 << 28, NULL, &found), OG_OK);
        test_assert_msg(fabs(found.most - largest) <= 1e-13 && found.found == found.most,
                        "seed %llu, round %d: %.17g and %.17g found, %.17g is the largest",
                        (unsigned long long)seed, round, found.most, found.found, largest);
        /* A memory that forgets all the time, and an end before anything was looked into. */
        ck_assert_int_eq(og_joint_search(&joint.joint, 0, INT64_MAX, 0, NULL, &small), OG_OK);
        ck_assert(small.most == found.most && small.expanded == found.expanded);
        ck_assert_int_eq(og_joint_search(&joint.joint, 0, 0, 1 << 28, NULL, &cut), OG_OK);
        test_assert_msg(cut.most >= largest - 1e-13, "seed %llu, round %d: cut short at %.17g",
                        (unsigned long long)seed, round, cut.most);
    }
}

/* ---- the theorem, literally ---- */

enum { PLACES = 2, CHARGED_MOST = 4 };

/* Two instances, and the quantity to be bounded at every state that T - L labels lead to. */
typedef struct {
    const og_joint_ending *ending;
    const og_joint_attempt *try;
    const og_arm *arm[PLACES];
    const double *worth[PLACES];
    double largest; /* excess of the states met so far */
} literal_joint;

static uint32_t after_label(const og_arm *arm, uint32_t x, int32_t k)
{
    return arm->next[(size_t)x * (size_t)arm->outcome_count + (size_t)k];
}

static double chance(const og_arm *arm, uint32_t x, int32_t k)
{
    return arm->probability[(size_t)x * (size_t)arm->outcome_count + (size_t)k];
}

/* The most that labels gain on both instances. */
static double optimum_from(const literal_joint *walk, const uint32_t *at, int32_t left)
{
    double most = 0;
    for (int i = 0; left > 0 && i < PLACES; i++) {
        const og_arm *arm = walk->arm[i];
        double sum = arm->reward[at[i]];
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            uint32_t next[PLACES] = {at[0], at[1]};
            next[i] = after_label(arm, at[i], k);
            sum += chance(arm, at[i], k) * optimum_from(walk, next, left - 1);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* The value of buying at x at a price, and the distribution of the number of purchases. */
static double buy(const literal_joint *walk, int i, uint32_t x, int32_t left, double price,
                  double *law)
{
    const og_arm *arm = walk->arm[i];
    double worth = walk->worth[i][x], sum = -price, bought[CHARGED_MOST + 1] = {0};
    memset(law, 0, (CHARGED_MOST + 1) * sizeof *law);
    law[0] = 1;
    if (left == 0) {
        return worth;
    }
    sum += arm->reward[x];
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        double then[CHARGED_MOST + 1], p = chance(arm, x, k);
        sum += p * buy(walk, i, after_label(arm, x, k), left - 1, price, then);
        for (int n = 0; n <= CHARGED_MOST; n++) {
            bought[n < CHARGED_MOST ? n + 1 : n] += p * then[n];
        }
    }
    if (sum <= worth + 1e-13) {
        return worth;
    }
    memcpy(law, bought, sizeof bought);
    return sum;
}

/* E min(m, N) of a state. */
static double wanted_at(const literal_joint *walk, const uint32_t *at, double price)
{
    double law[PLACES][CHARGED_MOST + 1], sum = 0;
    int32_t charged = walk->try->charged;
    int32_t labels = walk->ending->arms->budget - walk->ending->labels + charged;
    for (int i = 0; i < PLACES; i++) {
        buy(walk, i, at[i], labels - og_arm_level(walk->arm[i], at[i]), price, law[i]);
    }
    for (int n = 0; n <= CHARGED_MOST; n++) {
        for (int m = 0; m <= CHARGED_MOST; m++) {
            sum += law[0][n] * law[1][m] * (n + m < charged ? n + m : charged);
        }
    }
    return sum;
}

/* The integral of a step function that never rises, whose steps are found by halving. */
static double integral_of(const literal_joint *walk, const uint32_t *at, double low, double high,
                          double first, double last)
{
    if (first - last <= 1e-12 || high - low < 1e-9) {
        return (high - low) * first;
    }
    double middle = low + (high - low) / 2, value = wanted_at(walk, at, middle);
    return integral_of(walk, at, low, middle, first, value) +
           integral_of(walk, at, middle, high, value, last);
}

static void visit(literal_joint *walk, const uint32_t *at, int32_t left)
{
    if (left > 0) {
        for (int i = 0; i < PLACES; i++) {
            for (int32_t k = 0; k < walk->arm[i]->outcome_count; k++) {
                uint32_t next[PLACES] = {at[0], at[1]};
                next[i] = after_label(walk->arm[i], at[i], k);
                visit(walk, next, left - 1);
            }
        }
        return;
    }
    double excess = optimum_from(walk, at, walk->ending->labels);
    excess -= walk->worth[0][at[0]] + walk->worth[1][at[1]];
    excess -= integral_of(walk, at, 0, 3, wanted_at(walk, at, 0), wanted_at(walk, at, 3));
    walk->largest = fmax(walk->largest, excess);
}

/* The result of the search is above the excess of every state, and the resulting bound is above the
 * optimum. This compares w, distributions, charges and the theorem with their definitions. */
static void check_literally(const og_arms *arms, const og_upper_bound *scalar,
                            random_source *source, const char *label)
{
    int32_t labels = 1 + (int32_t)random_below(source, (uint32_t)arms->budget - 1);
    labels = labels < CHARGED_MOST ? labels : CHARGED_MOST;
    og_joint_ending ending = {.arms = arms,
                              .threads = 1,
                              .memory_bytes = 1 << 28,
                              .labels = labels,
                              .price = scalar->price[0]};
    og_joint_attempt try = {.dear = ending.price * (0.3 + 1.5 * random_unit(source)),
                            .charged = (int32_t)random_below(source, (uint32_t)labels + 1)};
    og_joint_found found;
    og_upper_bound charges;
    ck_assert_int_eq(og_joint_ending_init(&ending), OG_OK);
    og_joint_choose(&ending, &try);
    ck_assert_int_eq(og_joint_make(&ending, &try), OG_OK);
    ck_assert_int_eq(og_joint_search(&try.joint, 0, INT64_MAX, 1 << 28, NULL, &found), OG_OK);
    literal_joint walk = {.ending = &ending, .try = &try, .largest = -INFINITY};
    const double *worth[PLACES];
    for (int32_t i = 0; i < arms->arm_count; i++) {
        worth[i] = ending.part[i].worth;
    }
    for (int32_t i = 0; i < PLACES; i++) {
        int32_t arm = arms->arm_of_group[i < arms->group_count ? i : 0];
        walk.arm[i] = arms->arm[arm];
        walk.worth[i] = worth[arm];
    }
    const uint32_t root[PLACES] = {0, 0};
    visit(&walk, root, arms->budget - labels);
    test_assert_msg(walk.largest <= found.most + 1e-9, "%s: %d labels, %d charged: %.17g > %.17g",
                    label, (int)labels, (int)try.charged, walk.largest, found.most);
    const og_labels_left left = {
        .worth = worth, .labels = arms->budget - labels + try.charged, .cheap = ending.price};
    ck_assert_int_eq(og_bound_left(arms, &left, 1, NULL, &charges), OG_OK);
    double error, prior = og_arms_prior_value(arms, &error);
    double optimum = prior + optimum_from(&walk, root, arms->budget);
    test_assert_msg(isinf(charges.value) || optimum <= charges.value + walk.largest + 1e-7,
                    "%s: %d labels, %d charged: %.17g > %.17g + %.17g", label, (int)labels,
                    (int)try.charged, optimum, charges.value, walk.largest);
    og_arena_clear(&try.arena);
    og_arena_clear(&ending.arena);
}

OG_TEST(what_is_left_of_the_optimum_at_every_state_is_what_the_theorem_says)
{
    random_source source = random_start(test_seed(22043));
    const char *const words[] = {"2x1,1",       "1,1 2,1",   "2x2,1@0.4",
                                 "1,1 3,2@0.6", "2x0.5,0.5", "3,1 1,1"};
    for (int round = 0; round < test_cases(120); round++) {
        const char *problem = words[round % 6];
        OWN(og_arms) *arms = test_arms_in(problem, 2 + round % 4);
        OWN(og_upper_bound) scalar;
        ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar), OG_OK);
        if (scalar.price[0] > 0) {
            check_literally(arms, &scalar, &source, problem);
        }
    }
}

/* ---- the bound ---- */

static void check_above(const og_groups *problem, uint64_t seed)
{
    OWN(og_arms) *arms = test_arms(problem);
    og_settings plain = question_settings(OG_REDUCE_ALL, 1);
    og_result optimum = question_solve(arms, &plain, "joint end");
    for (int32_t labels = 1; labels <= 5; labels++) {
        OWN(og_upper_bound) bound;
        og_status status = og_bound_joint_end(arms, labels, 1, 1 << 28, NULL, &bound);
        ck_assert_int_eq(status, OG_OK);
        test_assert_msg(bound.value >= optimum.value - optimum.error_bound,
                        "%s: %d labels together: %.17g is below %.17g",
                        problem_with_seed(problem, seed).text, (int)labels, bound.value,
                        optimum.value);
        ck_assert(isfinite(bound.value) ? bound.converged : true);
        ck_assert(isinf(bound.value) || labels < problem->budget);
    }
}

OG_TEST(a_joint_end_is_above_the_optimum)
{
    uint64_t seed = test_seed(22042);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(150); round++) {
        OWN(og_groups) problem;
        random_limits limits = {.instances = 4,
                                .budget = 9,
                                .mixtures = round % 3 == 1,
                                .bandit = round % 5 == 2,
                                .payoffs = round % 5 == 3,
                                .worths = round % 5 == 4};
        random_problem(&source, &limits, &problem);
        check_above(&problem, seed);
    }
}

OG_TEST(a_joint_end_is_above_the_optimum_of_several_classes)
{
    OWN(og_groups) problem;
    test_problem("3x1,1,1 2x2,1,1", 6, &problem);
    check_above(&problem, 0);
}

/* Many instances, where it is worth its time: below every other bound, and each label helps. */
OG_TEST_LOOP(a_joint_end_is_the_smallest_bound_where_there_are_many_instances, 0,
             !test_is_sanitized())
{
    og_upper_bound end, four, three, again;
    OWN(og_arms) *arms = test_arms_in("50x1,1", 200);
    ck_assert_int_eq(og_bound_priced_end(arms, 1, NULL, &end), OG_OK);
    ck_assert_int_eq(og_bound_joint_end(arms, 3, 1, 1 << 28, NULL, &three), OG_OK);
    ck_assert_int_eq(og_bound_joint_end(arms, 4, 1, 1 << 28, NULL, &four), OG_OK);
    ck_assert_int_eq(og_bound_joint_end(arms, 4, 2, 1 << 26, NULL, &again), OG_OK);
    ck_assert(four.converged && four.price_count == 4 && four.price == NULL);
    /* gittins-fh:10 attains 43.04019994. */
    ck_assert(four.value < end.value && four.value <= three.value && four.value > 43.0402);
    ck_assert(four.value < 43.0518);
    ck_assert(memcmp(&four.value, &again.value, sizeof four.value) == 0);
    og_bound_clear(&end);
}

OG_TEST(a_joint_end_needs_fewer_labels_than_there_are_and_memory)
{
    og_upper_bound bound;
    OWN(og_arms) *arms = test_arms_in("3x1,1", 4);
    const int32_t labels[] = {-1, 0, 4, 5, OG_BOUND_JOINT_LABELS_MAX + 1};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        ck_assert_int_eq(og_bound_joint_end(arms, labels[i], 1, 1 << 28, NULL, &bound), OG_OK);
        ck_assert(isinf(bound.value));
    }
    ck_assert_int_eq(og_bound_joint_end(arms, 2, 1, 100, NULL, &bound), OG_OK);
    ck_assert(isinf(bound.value));
}
