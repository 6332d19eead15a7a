/*
 * The ladder, where tests/test_differential.c, test_exact.c and the cases of families leave rungs
 * out: known fractions, priors of any kind, and the bits of large problems on several threads.
 * Errors are what the engine says itself.
 */
#include "dp/product/solve.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(ladder, 60);

enum { GROUPS_MOST = 32 };

static og_result solve(const og_arms *arms, unsigned reductions, int threads, const char *words)
{
    og_settings settings = question_settings(reductions, threads);
    return question_solve(arms, &settings, words);
}

/* ---- the optimum ---- */

OG_TEST(engine_gives_the_known_values)
{
    OWN(golden_rows) known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        bool optimal = strcmp(row->quantity, "optimal") == 0;
        if (!optimal && strcmp(row->quantity, "gain") != 0) {
            continue;
        }
        if (row->budget >= 100 && strcmp(row->problem, "50x1,1") == 0 && !test_is_long()) {
            continue; /* 20 million states */
        }
        if (row->budget >= 80 && test_is_short()) {
            continue;
        }
        OWN(question) q = question_of(row->problem, row->budget);
        og_result result = solve(q.arms, OG_REDUCE_ALL, 2, row->problem);
        double got = optimal ? result.value : result.gain;
        ck_assert_msg(oracle_within(got, result.error_bound + row->tolerance, row->value),
                      "-T %d %s: %s is %.17g, known: %.17g", row->budget, row->problem,
                      row->quantity, got, mpq_get_d(row->value));
        ck_assert(result.error_bound <= 1e-12 * result.value);
        checked++;
    }
    ck_assert_int_ge(checked, 19);
}

/* Priors and thresholds of any kind: "2.37,0.08@0.613". */
static void random_decimals(random_source *source, int instances, int budget, og_groups *out)
{
    char words[512] = "";
    int left = 1 + (int)random_below(source, (uint32_t)instances);
    while (left > 0) {
        uint32_t count = 1 + random_below(source, (uint32_t)left);
        uint32_t most = random_below(source, 2) == 0 ? 300 : 4000;
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%ux%.2f,%.2f@%.3f", used > 0 ? " " : "",
                 count, (1 + random_below(source, most)) / 100.0,
                 (1 + random_below(source, most)) / 100.0,
                 (1 + random_below(source, 999)) / 1000.0);
        left -= (int)count;
    }
    test_problem(words, 1 + (int32_t)random_below(source, (uint32_t)budget), out);
}

/* Where the oracle is too slow: two ways through the engine, each within its own bound. */
OG_TEST(reductions_agree_on_priors_of_any_kind)
{
    uint64_t seed = test_seed(57);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(250); round++) {
        OWN(og_groups) problem;
        char words[400];
        random_decimals(&source, 4, 9, &problem);
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = question_arms(&problem, words);
        og_result plain = solve(arms, OG_REDUCE_SORT, 1, words);
        og_result all = solve(arms, OG_REDUCE_ALL, 1, words);
        ck_assert_msg(fabs(plain.value - all.value) <= plain.error_bound + all.error_bound &&
                          fabs(plain.gain - all.gain) <= plain.error_bound + all.error_bound,
                      "%s (TEST_SEED=%" PRIu64 ", case %d): %.17g with all reductions, %.17g with "
                      "one",
                      words, seed, round, all.value, plain.value);
        ck_assert_msg(all.states <= plain.states, "%s: reductions add states", words);
    }
}

/* ---- Q-values ---- */

typedef struct {
    double q[GROUPS_MOST];
    double error[GROUPS_MOST];
    og_result result;
} q_values;

/* All Q-values, and the value before or after them. */
static void q_of(const og_arms *arms, unsigned reductions, int threads, bool value_first,
                 const char *words, q_values *out)
{
    og_settings settings = question_settings(reductions, threads);
    OWN(og_solver) *solver = NULL;
    og_message message = {""};
    memset(out, 0, sizeof *out);
    ck_assert_int_le(arms->group_count, GROUPS_MOST);
    question_ok(og_solver_new(arms, &settings, &solver, &message), &message, words);
    if (value_first) {
        question_ok(og_solver_value(solver, &out->result, &message), &message, words);
    }
    question_ok(og_solver_q(solver, out->q, out->error, &message), &message, words);
    if (!value_first) {
        question_ok(og_solver_value(solver, &out->result, &message), &message, words);
    }
}

/* ---- threads ---- */

static const struct {
    const char *words;
    int32_t budget;
} for_threads[] = {
    {"10x1,1", 22},
    {"50x1,1", 60},
    {"6x1,1 3x2,1@0.3 2x0.5,0.5", 12},
    {"1x1,1@0.31 1x1,2@0.42 1x2,1@0.53 1x2,2@0.64 1x3,1@0.75", 9},
    {"4x2.5,1.5@0.7 3x30,1 5x0.01,3", 14},
};

/* The numbers, without what may differ: states met, bytes, seconds. */
static bool same_bits(const q_values *x, const q_values *y)
{
    return memcmp(x->q, y->q, sizeof x->q) == 0 &&
           memcmp(x->error, y->error, sizeof x->error) == 0 &&
           memcmp(&x->result.value, &y->result.value, sizeof(double)) == 0 &&
           memcmp(&x->result.gain, &y->result.gain, sizeof(double)) == 0 &&
           memcmp(&x->result.error_bound, &y->result.error_bound, sizeof(double)) == 0;
}

OG_TEST_LOOP(value_and_q_have_the_same_bits_for_every_number_of_threads, 0,
             sizeof for_threads / sizeof *for_threads)
{
    const char *words = for_threads[_i].words;
    OWN(question) q = question_of(words, for_threads[_i].budget);
    q_values one, more;
    q_of(q.arms, OG_REDUCE_ALL, 1, true, words, &one);
    for (int round = 0; round < 5; round++) {
        for (int threads = 2; threads <= 4; threads += 2) {
            q_of(q.arms, OG_REDUCE_ALL, threads, round % 2 == 0, words, &more);
            ck_assert_msg(same_bits(&one, &more), "-T %d %s: %.17g on one thread, %.17g on %d",
                          for_threads[_i].budget, words, one.result.value, more.result.value,
                          threads);
        }
    }
}
