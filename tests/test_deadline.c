/*
 * Labels with a deadline: the same recursion without reductions and in fractions, for every number
 * of threads; and what the model's fields can hold. Values themselves are held against the
 * definition by the conformance suite.
 */
#include "dp/engine/strategy.h"
#include "dp/families/deadline.h"
#include "heuristics/bounds/deadline_bound.h"
#include "heuristics/families/deadline_policy.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(deadline, 300);

static const uint64_t plenty = UINT64_C(1) << 30;
static const og_policy_use usual = {.threads = 1, .memory_bytes = UINT64_C(1) << 30};

/* A problem, its deadline, and arms for the labels in time. */
typedef struct {
    og_groups problem;
    og_deadline deadline;
    og_arms *arms;
    char words[400];
} random_sample;

static void sample_finish(random_sample *sample)
{
    og_message message = {""};
    char words[160];
    problem_format(&sample->problem, words, sizeof words);
    const og_deadline *d = &sample->deadline;
    int used = snprintf(sample->words, sizeof sample->words,
                        "%s --deadline %d --service %d,%lld/%lld%s%s, one more worker:", words,
                        (int)d->slots, (int)d->phases, (long long)d->advance.num,
                        (long long)d->advance.den, d->turn_away ? " --turn-away" : "",
                        d->late ? " --late-labels" : "");
    for (int32_t m = 0; m < og_deadline_at_once(d); m++) {
        og_fraction one = og_deadline_arrival(d, m);
        used += snprintf(sample->words + used, sizeof sample->words - (size_t)used, " %lld/%lld",
                         (long long)one.num, (long long)one.den);
    }
    ck_assert_msg(og_deadline_check(d, sample->problem.budget, &message) == OG_OK, "%s: %s",
                  sample->words, message.text);
    og_groups in_time = sample->problem;
    in_time.budget = og_deadline_labels(d, sample->problem.budget);
    ck_assert_int_eq(test_arms_new(&in_time, 1, plenty, &sample->arms, &message), OG_OK);
}

static void sample_random(random_sample *sample, random_source *random, const random_limits *limits)
{
    static const og_fraction chances[] = {{1, 1}, {1, 1}, {1, 2}, {3, 10}, {9, 10}};
    random_problem(random, limits, &sample->problem);
    sample->deadline = (og_deadline){.slots = 1 + (int32_t)random_below(random, 7),
                                     .arrival = chances[random_below(random, 5)],
                                     .phases = 1 + (int32_t)random_below(random, 3),
                                     .advance = chances[random_below(random, 5)],
                                     .turn_away = random_below(random, 3) == 0,
                                     .late = random_below(random, 3) == 0,
                                     .at_once = (int32_t)random_below(random, 4)};
    for (int32_t m = 1; m < sample->deadline.at_once; m++) {
        sample->deadline.another[m - 1] = chances[random_below(random, 5)];
    }
    sample_finish(sample);
}

static void sample_clear(random_sample *sample)
{
    og_arms_free(sample->arms);
    og_groups_clear(&sample->problem);
}

static og_result value_with(const random_sample *sample, const og_deadline_policy *policy,
                            og_ties ties, unsigned reductions, int threads)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    const og_strategy by = policy != NULL ? og_deadline_strategy(policy) : (og_strategy){0};
    const og_value_asked asked = {
        .by = policy != NULL ? &by : NULL, .ties = ties, .reductions = reductions};
    og_model model;
    og_message message = {""};
    ck_assert_msg(og_deadline_model(sample->arms, &sample->deadline, &asked, plenty, &model,
                                    &message) == OG_OK,
                  "%s: %s", sample->words, message.text);
    return question_value(&model, &asked, &settings, sample->words).result;
}

/* As many labels in a phase as there can be: all of them, at one instance. */
OG_TEST(a_phase_holds_all_labels)
{
    for (int32_t labels = 1; labels <= 8; labels++) {
        random_sample sample = {
            .deadline = {.slots = 20, .arrival = {1, 1}, .phases = 2, .advance = {1, 1000000}}};
        test_problem("1,1", labels, &sample.problem);
        sample_finish(&sample);
        og_result slow = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        ck_assert(slow.gain >= 0 && slow.gain < 1e-8); /* 20 slots, two phases of 1e-6 each */
        sample.deadline.late = true;
        og_result late = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        sample.deadline = (og_deadline){labels, {1, 1}, 1, {1, 1}, .turn_away = false};
        og_result at_once = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        ck_assert(fabs(late.value - at_once.value) <= late.error_bound + at_once.error_bound);
        sample_clear(&sample);
    }
}

/* ---- one instance on its own, written out ---- */

enum { PHASES = 3 };

/* An instance alone at a price for each label; nothing is merged and nothing left out. */
typedef struct {
    const og_arm *arm;
    const og_deadline *deadline;
    double price;
    bool by_moment; /* prices differ by slot, workers of the slot, and labels left */
} label_buyer;

/* Any numbers >= 0 that differ. */
static double one_price(void *context, int32_t slots, int32_t come, int32_t left)
{
    (void)slots, (void)come, (void)left;
    return *(const double *)context;
}

static double moment_price(void *context, int32_t slots, int32_t come, int32_t left)
{
    return *(const double *)context * ((7 * slots + 3 * come + 5 * left + 22) % 11);
}

/* Of a worker: labels left are no more than can arrive in time, and none where one may send workers
 * away, as each instance would see others. */
static double price_of(const label_buyer *buyer, int slots, int come, int left)
{
    const og_deadline *d = buyer->deadline;
    double price = buyer->price;
    int seen = d->turn_away ? -1 : og_deadline_labels_left(d, slots, come, left);
    return buyer->by_moment ? moment_price(&price, slots, come, seen) : price;
}

typedef struct {
    uint32_t node;
    int under_way[PHASES + 1]; /* by phases to go */
} holding;

static double from_slot(const label_buyer *buyer, holding at, int slots, int come, int left);

/* What a label that arrives gains, and what follows. */
static double arrives(const label_buyer *buyer, holding at, holding moved, int slots, int left);

/* The labels of `at` move one after the other to `moved`, which has the instance's node. */
static double move(const label_buyer *buyer, holding at, holding moved, int slots, int left)
{
    double q = slots == 0 ? 1 : og_fraction_double(buyer->deadline->advance);
    int phase = 1;
    while (phase <= PHASES && at.under_way[phase] == 0) {
        phase++;
    }
    if (phase > PHASES) {
        return slots == 0 ? 0 : from_slot(buyer, moved, slots - 1, 0, left);
    }
    at.under_way[phase]--;
    holding on = moved, stays = moved;
    on.under_way[phase - 1]++;
    stays.under_way[phase]++;
    double gone = phase == 1 || slots == 0 ? arrives(buyer, at, moved, slots, left)
                                           : move(buyer, at, on, slots, left);
    return q < 1 ? q * gone + (1 - q) * move(buyer, at, stays, slots, left) : gone;
}

static double arrives(const label_buyer *buyer, holding at, holding moved, int slots, int left)
{
    const og_arm *arm = buyer->arm;
    double sum = arm->reward[moved.node];
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t edge = (size_t)moved.node * (size_t)arm->outcome_count + (size_t)k;
        holding next = moved;
        next.node = arm->next[edge];
        sum += arm->probability[edge] * move(buyer, at, next, slots, left);
    }
    return sum;
}

static double to_end_of_slot(const label_buyer *buyer, holding at, int slots, int left)
{
    return move(buyer, at, (holding){.node = at.node}, slots, left);
}

static double taken(const label_buyer *buyer, holding at, int slots, int come, int left)
{
    at.under_way[buyer->deadline->phases]++;
    return from_slot(buyer, at, slots, come + 1, left - 1) - price_of(buyer, slots, come, left);
}

/* After `come` workers in this slot. */
static double from_slot(const label_buyer *buyer, holding at, int slots, int come, int left)
{
    const og_deadline *d = buyer->deadline;
    if (slots == 0) {
        return d->late ? to_end_of_slot(buyer, at, 0, 0) : 0;
    }
    double nobody = to_end_of_slot(buyer, at, slots, left);
    if (left == 0 || come == og_deadline_at_once(d)) {
        return nobody;
    }
    double p = og_fraction_double(og_deadline_arrival(d, come));
    double gone = from_slot(buyer, at, slots, come + 1, d->turn_away ? left : left - 1);
    return p * fmax(gone, taken(buyer, at, slots, come, left)) + (1 - p) * nobody;
}

/* The payments of workers who come in time, with the best selection if there is one; `come` of them
 * have come in this slot. */
static double payments(const label_buyer *buyer, int slots, int come, int labels)
{
    const og_deadline *d = buyer->deadline;
    if (slots < (d->late ? 1 : d->phases) || labels == 0) {
        return 0;
    }
    if (come == og_deadline_at_once(d)) {
        return payments(buyer, slots - 1, 0, labels);
    }
    double p = og_fraction_double(og_deadline_arrival(d, come));
    double used =
        price_of(buyer, slots, come, labels) + payments(buyer, slots, come + 1, labels - 1);
    double away = d->turn_away ? payments(buyer, slots, come + 1, labels) : 0;
    return p * fmax(used, away) + (1 - p) * payments(buyer, slots - 1, 0, labels);
}

static const random_limits few = {.instances = 2, .budget = 3};

/* B at these prices, within its error. */
static void check_bound(const random_sample *sample, double price, bool by_moment, double value,
                        double error)
{
    double exact = og_arms_prior_value(sample->arms, NULL);
    for (int32_t a = 0; a < sample->arms->arm_count; a++) {
        const label_buyer one = {sample->arms->arm[a], &sample->deadline, price, by_moment};
        exact += (double)og_arms_copies(sample->arms, a) *
                 from_slot(&one, (holding){0}, sample->deadline.slots, 0, sample->arms->budget);
    }
    const label_buyer workers = {NULL, &sample->deadline, price, by_moment};
    exact += payments(&workers, sample->deadline.slots, 0, sample->arms->budget);
    /* Below, less than a thousand roundings of numbers below 16. */
    ck_assert_msg(fabs(value - error - exact) <= error + 2e-12, "%s: at %g %.17g, not %.17g",
                  sample->words, price, value, exact);
    ck_assert_double_lt(error, 1e-11);
}

OG_TEST(bound_is_the_recursion_of_one_instance_at_its_price)
{
    random_source random = random_start(test_seed(166));
    for (int i = 0; i < test_cases(40); i++) {
        random_sample sample;
        sample_random(&sample, &random, &few);
        sample.deadline.slots = 1 + sample.deadline.slots % 4;
        og_arms_free(sample.arms);
        sample_finish(&sample);
        const og_deadline *d = &sample.deadline;
        og_result best = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        for (int k = 0; k < 4; k++) {
            double price = (double[]){0, 0.01, 0.05, 0.2}[k];
            og_upper_bound out;
            og_message message;
            ck_assert_int_eq(og_bound_deadline_evaluate(sample.arms, d, plenty,
                                                        &(og_deadline_prices){one_price, &price},
                                                        &out, &message),
                             OG_OK);
            check_bound(&sample, price, false, out.value, out.error);
            ck_assert_double_ge(out.value, best.value - best.error_bound);
            price /= 5;
            ck_assert_int_eq(og_bound_deadline_evaluate(sample.arms, d, plenty,
                                                        &(og_deadline_prices){moment_price, &price},
                                                        &out, &message),
                             OG_OK);
            check_bound(&sample, price, true, out.value, out.error);
            ck_assert_double_ge(out.value, best.value - best.error_bound);
        }
        sample_clear(&sample);
    }
}

OG_TEST(prices_by_moment_are_between_one_price_and_the_optimum)
{
    random_source random = random_start(test_seed(169));
    const random_limits limits = {.instances = 4, .budget = 5};
    for (int i = 0; i < test_cases(20); i++) {
        random_sample sample;
        og_upper_bound one, each;
        og_message message;
        sample_random(&sample, &random, &limits);
        ck_assert_int_eq(
            og_bound_deadline(sample.arms, &sample.deadline, plenty, NULL, &one, &message), OG_OK);
        ck_assert_int_eq(
            og_bound_deadline_vector(sample.arms, &sample.deadline, plenty, NULL, &each, &message),
            OG_OK);
        og_result best = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        ck_assert_msg(each.value >= best.value - best.error_bound, "%s", sample.words);
        ck_assert_msg(each.value <= one.value, "%s: %.17g", sample.words, each.value);
        og_bound_clear(&one);
        og_bound_clear(&each);
        sample_clear(&sample);
    }
}

OG_TEST(the_best_price_is_no_worse_than_others)
{
    random_source random = random_start(test_seed(167));
    const random_limits limits = {.instances = 4, .budget = 5};
    for (int i = 0; i < test_cases(20); i++) {
        random_sample sample;
        og_upper_bound bound;
        og_message message;
        sample_random(&sample, &random, &limits);
        ck_assert_int_eq(
            og_bound_deadline(sample.arms, &sample.deadline, plenty, NULL, &bound, &message),
            OG_OK);
        ck_assert(bound.converged);
        og_result best = value_with(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
        ck_assert_double_ge(bound.value, best.value - best.error_bound);
        for (double price = 0; price < 0.3; price += 0.01) {
            og_upper_bound out;
            ck_assert_int_eq(og_bound_deadline_evaluate(sample.arms, &sample.deadline, plenty,
                                                        &(og_deadline_prices){one_price, &price},
                                                        &out, &message),
                             OG_OK);
            ck_assert_double_le(bound.value - 2 * bound.error, out.value);
        }
        og_bound_clear(&bound);
        sample_clear(&sample);
    }
}

/* The labels under way that a number says, as a worker finds them. */
static holding holding_of(const random_sample *sample, uint32_t node, uint32_t under_way)
{
    int32_t bits = og_deadline_bits(&sample->deadline, sample->arms->budget);
    holding at = {.node = node};
    for (int phase = 1; phase <= PHASES; phase++, under_way >>= bits) {
        at.under_way[phase] = (int)(under_way & ((1U << bits) - 1));
    }
    return at;
}

/* How much more taking gives than letting go, at a price. */
static double advantage(const label_buyer *buyer, holding at, const og_deadline_state *now)
{
    return taken(buyer, at, now->slots, now->come, now->left) -
           from_slot(buyer, at, now->slots, now->come + 1, now->left - 1);
}

/* Checks the index of every state of the first arm at which a worker may come. */
static void look_at_indices(const random_sample *sample, const og_deadline_index *index,
                            uint64_t *looked, uint64_t *above)
{
    const og_arm *arm = sample->arms->arm[0];
    int32_t width =
        og_deadline_bits(&sample->deadline, sample->arms->budget) * sample->deadline.phases;
    uint32_t codes = width < 8 ? 1U << width : 256;
    int32_t at_once = og_deadline_at_once(&sample->deadline);
    for (uint32_t at = 0; at < codes * arm->level[arm->depth]; at++) {
        uint32_t node = at / codes, code = at % codes;
        holding held = holding_of(sample, node, code);
        int under_way = held.under_way[1] + held.under_way[2] + held.under_way[3];
        int32_t most = arm->depth - under_way - og_arm_level(arm, node);
        for (int32_t rest = 0; rest < most * sample->deadline.slots * at_once; rest++) {
            const og_deadline_state now = {.left = 1 + rest % most,
                                           .slots = 1 + rest / most / at_once,
                                           .come = rest / most % at_once,
                                           .kind = OG_DEADLINE_WORKER};
            uint32_t state = og_deadline_alone_at(index->alone[0], node, code, &now);
            if (state == OG_ALONE_END) {
                continue;
            }
            double found = index->index[0][state];
            const label_buyer below = {arm, &sample->deadline, found - 1e-9, false};
            const label_buyer beyond = {arm, &sample->deadline, found + 1e-9, false};
            ck_assert_msg(found < 1e-9 || advantage(&below, held, &now) >= 0,
                          "%s: %.17g is too much", sample->words, found);
            ck_assert_msg(advantage(&beyond, held, &now) < 0, "%s: %.17g is too little",
                          sample->words, found);
            ++*looked;
            *above += found > 1e-9;
        }
    }
}

OG_TEST(index_is_the_largest_price_at_which_taking_is_no_worse)
{
    random_source random = random_start(test_seed(168));
    const random_limits limits = {.instances = 2, .budget = 5};
    uint64_t looked = 0, above = 0;
    for (int i = 0; i < test_cases(30); i++) {
        random_sample sample;
        og_message message;
        sample_random(&sample, &random, &limits);
        sample.deadline.slots = 2 + sample.deadline.slots % 4;
        sample.deadline.turn_away = false; /* the index assumes that no worker is turned away */
        og_arms_free(sample.arms);
        sample_finish(&sample);
        og_deadline_index *index = NULL;
        ck_assert_int_eq(
            og_deadline_index_new(sample.arms, &sample.deadline, &usual, &index, &message), OG_OK);
        look_at_indices(&sample, index, &looked, &above);
        og_deadline_index_free(index);
        sample_clear(&sample);
    }
    ck_assert_uint_gt(looked, (uint64_t)test_cases(60));
    ck_assert_uint_gt(above, (uint64_t)test_cases(20));
}

OG_TEST(numbers_out_of_range_are_refused)
{
    const og_deadline good = {4, {1, 2}, 2, {1, 2}, .turn_away = false};
    og_deadline bad[7];
    og_message message;
    for (size_t i = 0; i < 7; i++) {
        bad[i] = good;
    }
    bad[0].slots = OG_DEADLINE_SLOTS_MAX + 1;
    bad[1].arrival = (og_fraction){3, 2};
    bad[2].phases = 0;
    bad[3].advance = (og_fraction){0, 1};
    bad[4].phases = 17;
    bad[4].slots = 100;
    bad[5].at_once = OG_DEADLINE_AT_ONCE_MAX + 1;
    bad[6].at_once = 3;
    bad[6].another[0] = (og_fraction){1, 2}; /* and none for the third */
    ck_assert_int_eq(og_deadline_check(&good, 3, &message), OG_OK);
    for (size_t i = 0; i < 7; i++) {
        ck_assert_int_eq(og_deadline_check(&bad[i], 3, &message), OG_BAD_INPUT);
        ck_assert_ptr_null(strchr(message.text, '\n'));
    }
}
