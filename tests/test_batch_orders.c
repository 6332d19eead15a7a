/*
 * Batches whose acts order many labels at once: the values of the recursion that orders one label
 * after the other, without bounds, and bounds that no value exceeds. The conformance suite holds
 * values against the definition.
 */
#include "dp/engine/engine.h"
#include "dp/families/deadline.h"
#include "dp/families/deadline_items.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(batch_orders, 300);

static const unsigned singly = OG_REDUCE_ALL & ~(unsigned)OG_REDUCE_BOUND;

static og_status try_model(const question *q, int32_t batch, unsigned reductions, uint64_t memory,
                           og_model *out, og_message *message)
{
    const og_value_asked asked = {.reductions = reductions};
    const og_deadline batches = og_deadline_batches(batch, q->problem.budget);
    return og_deadline_model(q->arms, &batches, &asked, memory, out, message);
}

static og_model model_of(const question *q, int32_t batch, unsigned reductions)
{
    og_model model;
    og_message message = {""};
    question_ok(try_model(q, batch, reductions, QUESTION_MEMORY_BYTES, &model, &message), &message,
                q->words);
    return model;
}

static og_result value_of(const question *q, int32_t batch, unsigned reductions, int threads)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    const og_value_asked asked = {.reductions = reductions};
    og_model model = model_of(q, batch, reductions);
    return question_value(&model, &asked, &settings, q->words).result;
}

/* Q of the first label of each arm's instances. */
static void q_of(const question *q, int32_t batch, unsigned reductions, double *found,
                 double *error)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    const og_value_asked asked = {.reductions = reductions};
    og_model model = model_of(q, batch, reductions);
    og_solution solution = {.self = NULL};
    og_act_open open[8];
    og_message message = {""};
    for (int32_t a = 0; a < q->arms->arm_count; a++) {
        open[a] = (og_act_open){{{(uint32_t)a, 0, 0}}, 1};
    }
    question_ok(og_solution_by_engine(&model, &asked, &settings, &solution, &message), &message,
                q->words);
    question_ok(solution.q(solution.self, open, q->arms->arm_count, found, error, &message),
                &message, q->words);
    og_solution_free(&solution);
}

static void check_values(const question *q, int32_t batch, unsigned others)
{
    const og_result many = value_of(q, batch, OG_REDUCE_ALL, 1);
    const og_result one = value_of(q, batch, others, 1);
    ck_assert_msg(fabs(many.value - one.value) <= many.error_bound + one.error_bound,
                  "%s --batch %d: %.17g, not %.17g", q->words, batch, many.value, one.value);
    for (int threads = 2; threads <= 4; threads += 2) {
        const og_result again = value_of(q, batch, OG_REDUCE_ALL, threads);
        ck_assert_msg(again.value == many.value, "%s --batch %d", q->words, batch);
    }
}

OG_TEST(values_are_those_of_one_label_after_the_other)
{
    static const random_limits limits = {
        .instances = 5, .budget = 8, .mixtures = true, .payoffs = true, .worths = true};
    const uint64_t seed = test_seed(601);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(150); i++) {
        question q = question_plain(&random, &limits, seed, i);
        const int32_t batch = 1 + (int32_t)random_below(&random, 5);
        check_values(&q, batch, singly);
        if (q.problem.budget <= 4) {
            check_values(&q, batch, 0);
        }
        question_free(&q);
    }
}

OG_TEST(first_labels_have_the_same_q)
{
    static const random_limits limits = {.instances = 5, .budget = 7};
    const uint64_t seed = test_seed(602);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(80); i++) {
        question q = question_plain(&random, &limits, seed, i);
        const int32_t batch = 1 + (int32_t)random_below(&random, 5);
        double many[8], one[8], error[2][8];
        if (q.problem.budget > 0) {
            q_of(&q, batch, OG_REDUCE_ALL, many, error[0]);
            q_of(&q, batch, singly, one, error[1]);
        }
        for (int32_t a = 0; q.problem.budget > 0 && a < q.arms->arm_count; a++) {
            ck_assert_msg(fabs(many[a] - one[a]) <= error[0][a] + error[1][a],
                          "%s --batch %d, arm %d: %.17g, not %.17g", q.words, batch, a, many[a],
                          one[a]);
        }
        question_free(&q);
    }
}

/* ---- every act of a state, and its bound ---- */

typedef struct {
    og_model many, one;
    og_memo *memo; /* of `one` */
    og_expansion x;
    uint64_t *key;
    int32_t skipped, within; /* seen: acts that a bound rules out, states within a batch */
} walk;

static void walk_init(walk *w, const question *q, int32_t batch)
{
    *w = (walk){.many = model_of(q, batch, OG_REDUCE_ALL), .one = model_of(q, batch, singly)};
    w->key = calloc((size_t)w->one.key_words_max, sizeof *w->key);
    ck_assert_int_eq(og_memo_new(QUESTION_MEMORY_BYTES, w->one.key_words_max, &w->memo), OG_OK);
    ck_assert_int_eq(w->many.expansion_new(w->many.self, &w->x), OG_OK);
}

static void walk_clear(walk *w)
{
    w->many.expansion_free(&w->x);
    og_memo_free(w->memo);
    og_model_free(&w->many);
    og_model_free(&w->one);
    free(w->key);
}

static double value_after(walk *w, const og_outcome *outcome, int32_t *words)
{
    static const og_engine_use use = {.threads = 1};
    og_engine_info info = {0};
    double value = NAN;
    *words = w->many.successor(w->many.self, &w->x, outcome, w->key, &value);
    ck_assert_int_eq(og_engine_value(&w->one, w->memo, &use, w->key, *words, &value, &info), OG_OK);
    return value;
}

/* Every act of the expanded state is worth at most its bound. */
static void check_acts(walk *w, const char *words)
{
    double best = 0;
    int32_t ignored;
    for (int32_t a = 0; a < w->x.action_count; a++) {
        const og_action *act = &w->x.action[a];
        double value = act->reward;
        if (act->outcome_count == 1) {
            const og_outcome *after = &w->x.outcome[act->outcome_first];
            value += value_after(w, after, &ignored);
            ck_assert_msg(isfinite(act->bound) && value <= act->bound + 1e-12 &&
                              value - act->reward <= after->bound + 1e-12,
                          "%s: %.17g above %.17g", words, value, act->bound);
        }
        best = fmax(best, value);
    }
    for (int32_t a = 0; a < w->x.action_count; a++) {
        w->skipped += w->x.action[a].bound + w->many.margin <= best;
    }
}

/* Walks through random states to the end. */
static void check_walk(walk *w, random_source *random, const char *words)
{
    double value;
    int32_t count = w->many.root(w->many.self, &w->x, NULL, w->key, &value);
    while (count > 0) {
        const moment at = moment_of(w->key[0]);
        ck_assert_int_eq(w->many.expand(w->many.self, w->key, count, &w->x), OG_OK);
        if (at.kind == OG_DEADLINE_WORKER) {
            w->within += at.come > 0;
            check_acts(w, words);
        }
        const og_action *act = &w->x.action[random_below(random, (uint32_t)w->x.action_count)];
        count = 0;
        if (act->outcome_count > 0) {
            const uint32_t k = random_below(random, (uint32_t)act->outcome_count);
            value_after(w, &w->x.outcome[act->outcome_first + (int32_t)k], &count);
        }
    }
}

OG_TEST(no_act_is_worth_more_than_its_bound)
{
    static const random_limits limits = {
        .instances = 5, .budget = 9, .mixtures = true, .payoffs = true};
    const uint64_t seed = test_seed(603);
    random_source random = random_start(seed);
    int32_t skipped = 0;
    for (int i = 0; i < test_cases(60); i++) {
        question q = question_plain(&random, &limits, seed, i);
        walk w;
        walk_init(&w, &q, 1 + (int32_t)random_below(&random, 5));
        for (int k = 0; k < 5; k++) {
            check_walk(&w, &random, q.words);
        }
        ck_assert_int_eq(w.within, 0); /* all labels of a batch at once */
        skipped += w.skipped;
        walk_clear(&w);
        question_free(&q);
    }
    ck_assert_int_gt(skipped, 0);
}

/* 3060 ways to divide 4 labels among 15 instances. */
OG_TEST(a_batch_of_too_many_ways_is_ordered_in_steps)
{
    random_source random = random_start(test_seed(604));
    question q = question_of("1,1 2,1 3,1 4,1 3,2 5,1 4,3 5,2 5,3 6,1 6,3 5,4 6,5 7,6 6,4", 6);
    walk w;
    walk_init(&w, &q, 4);
    check_walk(&w, &random, q.words);
    ck_assert_int_eq(w.within, 1);
    walk_clear(&w);
    check_values(&q, 4, singly);
    question_free(&q);
}

static uint64_t bytes_without_bounds(const question *q, int32_t batch)
{
    og_model model = model_of(q, batch, singly);
    const uint64_t bytes = model.bytes;
    og_model_free(&model);
    return bytes;
}

/* Bounds that do not fit into the memory are left out. */
OG_TEST(values_need_no_bounds)
{
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL};
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    question q = question_of("1,1 2,1 3,3", 8);
    const og_result all = value_of(&q, 3, OG_REDUCE_ALL, 1);
    int32_t with = 0, without = 0;
    for (uint64_t memory = 1 << 12; memory <= 1 << 20; memory += memory / 8) {
        og_model model;
        og_message message = {""};
        if (try_model(&q, 3, OG_REDUCE_ALL, memory, &model, &message) == OG_OK) {
            const bool more = model.bytes > bytes_without_bounds(&q, 3);
            const og_result found = question_value(&model, &asked, &settings, q.words).result;
            ck_assert(fabs(found.value - all.value) <= found.error_bound + all.error_bound);
            with += more;
            without += !more;
        }
    }
    ck_assert(with > 0 && without > 0);
    question_free(&q);
}
