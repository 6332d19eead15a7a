/*
 * Matrix games and the least largest regret by themselves: games of known value, and what ends the
 * work. That both ends hold is tested by every history in tests/test_regret_cli.py.
 */
#include "heuristics/bounds/minimax.h"
#include "heuristics/bounds/minimax_game.h"
#include "tests/support.h"

OG_SUITE(minimax, 60);

static void assert_game(int32_t rows, int32_t columns, const double *loss, double value)
{
    double row[8], column[8], most = -INFINITY, least = INFINITY;
    ck_assert_int_eq(og_game_solve(rows, columns, loss, row, column), OG_OK);
    for (int32_t f = 0; f < columns; f++) {
        double sum = 0;
        for (int32_t k = 0; k < rows; k++) {
            sum += row[k] * loss[k * columns + f];
        }
        most = fmax(most, sum);
    }
    for (int32_t k = 0; k < rows; k++) {
        double sum = 0;
        for (int32_t f = 0; f < columns; f++) {
            sum += column[f] * loss[k * columns + f];
        }
        least = fmin(least, sum);
    }
    ck_assert_double_eq_tol(most, value, 1e-12);
    ck_assert_double_eq_tol(least, value, 1e-12);
}

OG_TEST(games_of_known_value)
{
    static const double coins[] = {0, 1, 1, 0}, saddle[] = {3, 1, 2, 2, 4, 0, 5, 6, 7},
                        hands[] = {0, 1, -1, -1, 0, 1, 1, -1, 0}, alone[] = {0.25},
                        mixed[] = {1, 4, 3, 2}; /* 5/2: rows 1/4, 3/4 */
    assert_game(2, 2, coins, 0.5);
    assert_game(3, 3, saddle, 2.5); /* of rows 1 and 2 half each: the third is worse throughout */
    assert_game(3, 3, hands, 0);
    assert_game(1, 1, alone, 0.25);
    assert_game(2, 2, mixed, 2.5);
}

static og_group prior(int64_t a, int64_t b)
{
    return (og_group){.a = {a, 1}, .b = {b, 1}, .threshold = {1, 2}, .count = 1};
}

static const og_fraction half = {1, 2};

static og_minimax_question question_of(const og_group *priors, const double *optimal,
                                       const double *error, const int64_t *count, int32_t budget)
{
    og_minimax_question question = {.prior = priors,
                                    .prior_count = 2,
                                    .threshold = &half,
                                    .count = count,
                                    .class_count = 1,
                                    .budget = budget,
                                    .optimal = optimal,
                                    .optimal_error = error};
    og_settings_default(&question.settings);
    question.settings.memory_bytes = UINT64_C(1) << 26;
    return question;
}

/* Two values that are 7/8 whatever is done: errors of theirs widen the ends by as much. */
OG_TEST(errors_of_the_optimum_widen_both_ends)
{
    const og_group priors[] = {prior(3, 1), prior(1, 3)};
    const double optimal[] = {0.875, 0.875}, none[] = {0, 0}, some[] = {0.01, 0.01};
    const int64_t one = 1;
    og_minimax *exact = NULL, *wide = NULL;
    og_message message = {""};
    og_minimax_question question = question_of(priors, optimal, none, &one, 1);
    ck_assert_int_eq(og_minimax_find(&question, &exact, &message), OG_OK);
    question.optimal_error = some;
    ck_assert_int_eq(og_minimax_find(&question, &wide, &message), OG_OK);
    ck_assert(exact->lower <= 0.09375 && exact->upper >= 0.09375);
    ck_assert_double_eq_tol(exact->upper - exact->lower, 0, 1e-12);
    ck_assert_double_eq_tol(wide->upper - exact->upper, 0.01, 1e-12);
    ck_assert_double_eq_tol(exact->lower - wide->lower, 0.01, 1e-12);
    og_minimax_free(exact);
    og_minimax_free(wide);
}

static bool never(void *user, const og_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

OG_TEST(limits_end_it_with_a_message)
{
    const og_group priors[] = {prior(3, 1), prior(1, 3)};
    const double optimal[] = {9, 9}, error[] = {1e-9, 1e-9};
    const int64_t count = 10;
    og_message message = {""};
    og_minimax *found = NULL;
    og_minimax_question question = question_of(priors, optimal, error, &count, 12);
    question.settings.states_max = 100;
    ck_assert_int_eq(og_minimax_find(&question, &found, &message), OG_STOPPED);
    ck_assert_str_eq(message.text, "more than 100 states");
    question.settings.states_max = 0;
    question.settings.memory_bytes = 100000;
    ck_assert_int_eq(og_minimax_find(&question, &found, &message), OG_STOPPED);
    ck_assert_str_eq(message.text, "the states of all policies do not fit the memory limit");
    question = question_of(priors, optimal, error, &count, 40); /* takes longer than a look */
    question.settings.memory_bytes = UINT64_C(1) << 32;
    og_stop stop;
    question.settings.watch = never;
    og_stop_take(&stop, &question.settings);
    ck_assert_int_eq(og_minimax_find(&question, &found, &message), OG_STOPPED);
    ck_assert_str_eq(message.text, "the work was stopped");
    ck_assert_ptr_null(found);
}
