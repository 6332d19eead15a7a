/*
 * Later states by layers that are kept, against the recursion: the same values within both proved
 * errors, of the optimum and of policies, and the choice between the two.
 */
#include "dp/product/forward.h"
#include "dp/product/optimum/query_cache.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(kept, 60);

static og_query_cache *kept_of(const og_arms *arms, og_engine engine, og_query_cache_use use,
                               og_solver *solver)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_query_cache *kept = NULL;
    settings.engine = engine;
    question_ok(og_query_cache_new(arms, &settings, use, solver, &kept, &message), &message,
                "kept");
    return kept;
}

static og_solver *solver_of(const og_arms *arms)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_solver *solver = NULL;
    question_ok(og_solver_new(arms, &settings, &solver, &message), &message, "solver");
    return solver;
}

/* How many states of a forward pass over all acts are kept; all that are agree with the solver. */
static int check_states(const char *words, const og_query_cache *kept, og_solver *solver,
                        og_forward *pass, int *asked)
{
    double relative = 1.01 * og_solver_relative_error(solver);
    double q[64], error[64];
    int known = 0;
    for (; pass->left > 0; og_forward_next(pass)) {
        for (uint32_t i = 0; i < og_forward_count(pass); i++, ++*asked) {
            double gain, of_kept, own;
            og_message message = {""};
            uint32_t entry;
            og_forward_take(pass, i);
            const og_state *state = &pass->state;
            ck_assert_int_le(state->count, 64);
            question_ok(og_solver_value_at(solver, state, &gain, &message), &message, words);
            question_ok(og_solver_q_at(solver, state, q, error, &message), &message, words);
            if (og_query_cache_value_at(kept, state, &of_kept, &own) == OG_OK) {
                known++;
                test_assert_msg(fabs(of_kept - gain) <= own + relative * gain,
                                "%s: %.17g, not %.17g", words, of_kept, gain);
            }
            for (int32_t g = 0; g < state->count; g++) {
                const og_arm *arm = pass->arms->arm[state->group[g].arm];
                if (og_query_cache_q_of(kept, state, g, &of_kept, &own) == OG_OK) {
                    test_assert_msg(fabs(of_kept - q[g]) <= own + error[g],
                                    "%s: Q %.17g, not %.17g", words, of_kept, q[g]);
                }
                for (int32_t k = 0; k < arm->outcome_count; k++) {
                    ck_assert_int_eq(og_forward_put(pass, g, k, &entry), OG_OK);
                }
            }
        }
    }
    return known;
}

OG_TEST(kept_states_are_worth_what_the_solver_says)
{
    uint64_t seed = test_seed(2311);
    random_source source = random_start(seed);
    int known[2] = {0}, asked[2] = {0};
    for (int round = 0; round < test_cases(300); round++) {
        og_query_cache_use use = round / 8 % 2 == 0 ? OG_KEPT_ALL : OG_KEPT_FORCED;
        OWN(question) q = question_of_any_kind(&source, seed, round);
        OWN(og_solver) *solver = solver_of(q.arms);
        og_query_cache *kept = kept_of(q.arms, OG_ENGINE_BLOCKS, use, solver);
        og_forward pass;
        if (kept != NULL && q.arms->budget <= 7) {
            ck_assert_int_eq(og_forward_begin(q.arms, OG_FORWARD_SORTED, 0, UINT64_MAX, &pass),
                             OG_OK);
            known[use] += check_states(q.words, kept, solver, &pass, &asked[use]);
            og_forward_clear(&pass);
        }
        og_query_cache_free(kept);
    }
    for (int use = 0; use < 2; use++) {
        ck_assert_msg(known[use] > asked[use] / 8 && known[use] > 0,
                      "%d: %d of %d states are known", use, known[use], asked[use]);
    }
}

OG_TEST(kept_states_of_a_policy_are_worth_what_its_solver_says)
{
    uint64_t seed = test_seed(2317);
    random_source source = random_start(seed);
    int known = 0, asked = 0;
    for (int round = 0; round < test_cases(150); round++) {
        OWN(question) q = question_of_any_kind(&source, seed, round);
        OWN(og_ranks) *ranks = question_ranks(&source, &q, round, round % 2 == 0);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        OWN(og_solver) *solver = NULL;
        og_query_cache *kept = NULL;
        og_forward pass;
        settings.engine = OG_ENGINE_BLOCKS;
        question_ok(
            og_solver_new_policy(q.arms, ranks, OG_TIES_RANDOM, &settings, &solver, &message),
            &message, "solver");
        question_ok(og_query_cache_new_policy(q.arms, ranks, &settings, solver, &kept, &message),
                    &message, "kept");
        if (kept != NULL && q.arms->budget <= 7) {
            ck_assert_int_eq(og_forward_begin(q.arms, OG_FORWARD_SORTED, 0, UINT64_MAX, &pass),
                             OG_OK);
            known += check_states(q.words, kept, solver, &pass, &asked);
            og_forward_clear(&pass);
        }
        og_query_cache_free(kept);
    }
    ck_assert_msg(known == asked && known > 0, "%d of %d states are known", known, asked);
}

/* The recursion runs first, and stores its results. */
OG_TEST(layers_are_kept_where_the_recursion_takes_more)
{
    static const struct {
        const char *words;
        int32_t budget;
        bool kept;
    } rows[] = {
        {"3x1,1", 60, true}, {"3x1,1", 8, false}, {"50x1,1", 40, false}, {"3x1,1", 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(question) q = question_of(rows[i].words, rows[i].budget);
        OWN(og_solver) *solver = solver_of(q.arms);
        og_query_cache *kept = kept_of(q.arms, OG_ENGINE_AUTO, OG_KEPT_ALL, solver);
        ck_assert_msg((kept != NULL) == rows[i].kept, "%s, %d labels", q.words, rows[i].budget);
        og_query_cache_free(kept);
        ck_assert_ptr_null(kept_of(q.arms, OG_ENGINE_RECURSION, OG_KEPT_ALL, solver));
    }
}

/* A play by labels at random; Q of each group along it, of the cut's layers and of the recursion.
 */
OG_TEST(layers_of_a_cut_are_kept_where_blocks_are_large)
{
    OWN(question) q = question_of("50x1,1", 112);
    OWN(og_solver) *solver = solver_of(q.arms);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    uint64_t seed = test_seed(5902);
    random_source source = random_start(seed);
    og_query_cache *kept = NULL;
    og_message message = {""};
    og_result root;
    og_forward pass;
    double q_kept[64], e_kept[64], q_known[64], e_known[64];
    question_ok(og_query_cache_new(q.arms, &settings, OG_KEPT_FORCED, solver, &kept, &message),
                &message, q.words);
    ck_assert_ptr_null(kept); /* the recursion ends within its share */
    OWN(question) large = question_of("50x1,1", 130);
    OWN(og_solver) *begun = solver_of(large.arms);
    kept = kept_of(large.arms, OG_ENGINE_AUTO, OG_KEPT_ALL, begun);
    ck_assert_ptr_nonnull(kept);
    og_query_cache_value(kept, &root);
    ck_assert(root.by_margin && fabs(root.gain - 16.18911882434144) <= 1e-12);
    ck_assert_int_eq(og_forward_begin(large.arms, OG_FORWARD_SORTED, 0, UINT64_MAX, &pass), OG_OK);
    for (; pass.left > 0; og_forward_next(&pass)) {
        uint32_t entry;
        og_forward_take(&pass, 0);
        const og_state *state = &pass.state;
        for (int32_t g = 0; g < state->count; g++) {
            test_assert_msg(og_query_cache_q_of(kept, state, g, &q_kept[g], &e_kept[g]) == OG_OK,
                            "%s: %d labels left, group %d is not held (TEST_SEED=%" PRIu64 ")",
                            large.words, state->left, g, seed);
        }
        question_ok(state->left <= 12
                        ? og_solver_q_at(begun, state, q_known, e_known, &message)
                        : og_query_cache_q_at(kept, begun, state, q_known, e_known, &message),
                    &message, large.words);
        for (int32_t g = 0; g < state->count; g++) {
            test_assert_msg(fabs(q_kept[g] - q_known[g]) <= e_kept[g] + e_known[g],
                            "%s: %d labels left, group %d: %.17g, not %.17g", large.words,
                            state->left, g, q_kept[g], q_known[g]);
        }
        int32_t at = (int32_t)random_below(&source, (uint64_t)state->count);
        ck_assert_int_eq(og_forward_put(&pass, at, (int32_t)random_below(&source, 2), &entry),
                         OG_OK);
    }
    og_forward_clear(&pass);
    og_query_cache_free(kept);
}
