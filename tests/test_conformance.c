/*
 * Every family of the table against its case (tests/conformance.h), asked through bench/family.h
 * alone: values against the definition under all tie rules, fractions, the same bits whatever the
 * number of threads, reductions, Q, bounds, explanations, runs, refusals.
 */
#include "tests/conformance.h"

#include <float.h>

#include "bench/families/table.h"
#include "bench/history.h"
#include "bench/questions/bounds.h"
#include "bench/questions/explain.h"
#include "bench/simulation/simulate.h"
#include "dp/base/arena.h"
#include "dp/base/rational.h"
#include "tests/families.h"
#include "tests/question.h"
#include "tests/support.h"

enum { TEXT_BYTES = 400, ACTS = 64, RUNS = 400 };

/* What happens to an instance so rarely may be missing where all runs are alike. */
#define RARE 0.01

const og_case *const og_cases[] = {
    &og_case_independent, &og_case_priced,   &og_case_delayed,    &og_case_batch,
    &og_case_deadline,    &og_case_workers,  &og_case_features,   &og_case_ranking,
    &og_case_sources,     &og_case_labelers, &og_case_assignment, NULL,
};

static const unsigned reductions_off[] = {OG_REDUCE_SORT,  OG_REDUCE_MERGE, OG_REDUCE_CAP,
                                          OG_REDUCE_FORCE, OG_REDUCE_BOUND, OG_REDUCE_TWO,
                                          OG_REDUCE_ALL};

/* ---- a problem ---- */

typedef struct {
    const og_case *by;
    og_problem *given;
    const og_family *family;
    void *problem;
    og_problem_size sizes;
    og_settings settings;
    og_problem_text opened; /* its texts are in: */
    char text[TEXT_BYTES];
    char words[TEXT_BYTES + 80]; /* and how to find it again */
} random_sample;

static void sample_init(random_sample *sample, const og_case *by, random_source *random,
                        uint64_t seed, int round)
{
    char *text = sample->text;
    og_message message = {""};
    *sample = (random_sample){.by = by, .settings = question_settings(OG_REDUCE_ALL, 1)};
    sample->settings.memory_bytes = UINT64_C(1) << 28;
    if (round < 0) {
        snprintf(text, TEXT_BYTES, "%s", by->fixed[-1 - round]);
    } else {
        by->draw(random, text, TEXT_BYTES);
    }
    snprintf(sample->words, sizeof sample->words, "%s: %s (TEST_SEED=%" PRIu64 ", case %d)",
             by->family, text, seed, round);
    question_ok(question_open(by->family, text, &sample->settings, &sample->given, &sample->opened,
                              &sample->problem, &message),
                &message, sample->words);
    sample->family = sample->given->family;
    sample->family->model.sizes(sample->problem, &sample->sizes);
}

static void sample_clear(random_sample *sample)
{
    og_family_close(sample->family, sample->problem);
    og_problem_free(sample->given);
}

/* The optimum, or a policy as it is made by these numbers of threads. */
enum { THREADS = 3 };
static const int threads_of[THREADS] = {1, 2, 7};

typedef struct {
    const char *name;        /* NULL: the optimum */
    og_strategy by[THREADS]; /* zeroes: the optimum */
} case_play;

static case_play play_of(const random_sample *sample, const char *policy)
{
    case_play made = {.name = policy};
    og_message message = {""};
    og_settings settings = sample->settings;
    for (int i = 0; i < THREADS; i++) {
        settings.threads = threads_of[i];
        question_ok(family_strategy(sample->family, sample->problem, policy, &settings, &made.by[i],
                                    &message),
                    &message, sample->words);
    }
    return made;
}

static void play_clear(case_play *play)
{
    for (int i = 0; i < THREADS; i++) {
        og_strategy_free(&play->by[i]);
    }
}

/* As fractions where *out has room for them. */
static og_status try_value(const random_sample *sample, const case_play *by, og_ties ties,
                           unsigned reductions, int threads, og_value_found *out,
                           og_message *message)
{
    og_settings settings = sample->settings;
    og_solution solution = {.self = NULL};
    const og_value_asked asked = {.by = by->name != NULL ? &by->by[threads] : NULL,
                                  .ties = ties,
                                  .reductions = reductions,
                                  .fractions = out->value != NULL};
    settings.reductions = reductions;
    settings.threads = threads_of[threads];
    og_status status =
        og_family_solve(sample->family, sample->problem, &asked, &settings, &solution, message);
    if (status == OG_OK) {
        status = solution.value(solution.self, out, message);
    }
    og_solution_free(&solution);
    return status;
}

static og_value_found value_with(const random_sample *sample, const case_play *by, og_ties ties,
                                 unsigned reductions, int threads)
{
    og_message message = {""};
    og_value_found found = {.called_value = NAN};
    og_status status = try_value(sample, by, ties, reductions, threads, &found, &message);
    test_assert_msg(status == OG_OK, "%s: %s: %s", sample->words, by->name, message.text);
    return found;
}

/* Two numbers with these errors. */
static void check_near(const random_sample *sample, const char *policy, og_ties ties,
                       const char *what, double x, double y, double error)
{
    test_assert_msg(fabs(x - y) <= error,
                    "%s: %s, ties %s: %s: %.17g and %.17g, apart by %g, not %g", sample->words,
                    policy != NULL ? policy : "the optimum", og_ties_name(ties), what, x, y,
                    fabs(x - y), error);
}

/* ---- one value ---- */

static void check_oracle(const random_sample *sample, const char *policy, og_ties ties,
                         const og_value_found *found)
{
    const case_question asked = {.problem = sample->given,
                                 .history = sample->opened.history,
                                 .policy = policy,
                                 .ties = ties};
    double called = NAN, truth = sample->by->oracle(&asked, &called);
    double error = found->result.error_bound + sample->by->error;
    test_assert_msg(policy != NULL || !isnan(truth), "%s: no oracle of the optimum", sample->words);
    if (!isnan(truth)) {
        check_near(sample, policy, ties, "the definition", found->result.value, truth,
                   error + 4 * DBL_EPSILON * fabs(truth));
    }
    if (!isnan(called)) {
        check_near(sample, policy, ties, "called by the posterior", found->called_value, called,
                   error + 4 * DBL_EPSILON * fabs(called));
    }
}

static void check_threads(const random_sample *sample, const case_play *by, og_ties ties,
                          const og_value_found *found)
{
    for (int i = 1; i < THREADS; i++) {
        og_value_found other = value_with(sample, by, ties, OG_REDUCE_ALL, i);
        test_assert_msg(memcmp(&other.result.value, &found->result.value, sizeof(double)) == 0 &&
                            memcmp(&other.result.gain, &found->result.gain, sizeof(double)) == 0,
                        "%s: %s: other bits with %d threads", sample->words, by->name,
                        threads_of[i]);
    }
}

static void check_reductions(const random_sample *sample, const case_play *by, og_ties ties,
                             const og_value_found *found)
{
    for (size_t i = 0; i < sizeof reductions_off / sizeof *reductions_off; i++) {
        og_value_found other = value_with(sample, by, ties, OG_REDUCE_ALL & ~reductions_off[i], 0);
        check_near(sample, by->name, ties, "without a reduction", other.result.value,
                   found->result.value, other.result.error_bound + found->result.error_bound);
    }
}

/* As fractions, which round to the doubles. */
static void check_fractions(const random_sample *sample, const case_play *by, og_ties ties,
                            const og_value_found *found)
{
    og_message message = {""};
    OWN_MPQ value = MPQ_NEW, gain = MPQ_NEW;
    og_value_found exact = {.value = value, .gain = gain};
    og_status status = try_value(sample, by, ties, OG_REDUCE_ALL, 0, &exact, &message);
    if (by->name == NULL || status != OG_BAD_INPUT) { /* a policy may have no fraction */
        question_ok(status, &message, sample->words);
        test_assert_msg(oracle_within(found->result.value, found->result.error_bound, value),
                        "%s: %s: the fraction is %.17g, not %.17g", sample->words, by->name,
                        mpq_get_d(value), found->result.value);
        og_value_found rounded = *found;
        rounded.result.value = mpq_get_d(value);
        rounded.result.error_bound = 0;
        check_oracle(sample, by->name, ties, &rounded);
    }
}

static og_value_found check_value(const random_sample *sample, const case_play *by, og_ties ties)
{
    og_value_found found = value_with(sample, by, ties, OG_REDUCE_ALL, 0);
    check_oracle(sample, by->name, ties, &found);
    check_threads(sample, by, ties, &found);
    check_reductions(sample, by, ties, &found);
    if (sample->sizes.rational) {
        check_fractions(sample, by, ties, &found);
    }
    return found;
}

/* ---- the optimum's Q, and bounds ---- */

/* The value without labels, as it is told alone, and by the definition. */
static void check_prior(const random_sample *sample, const og_value_found *best)
{
    double prior = NAN, error = NAN;
    og_message message = {""};
    question_ok(og_family_prior(sample->family, sample->problem, &prior, &error, NULL, &message),
                &message, sample->words);
    error += best->result.error_bound + 4 * DBL_EPSILON * fabs(prior);
    check_near(sample, NULL, OG_TIES_BEST, "without labels", prior,
               best->result.value - best->result.gain, error);
    if (!sample->family->own_budget && !sample->by->tasks) {
        og_problem without = *sample->given;
        without.budget = og_history_count(sample->opened.history);
        const case_question asked = {.problem = &without, .history = sample->opened.history};
        double called;
        check_near(sample, NULL, OG_TIES_BEST, "without labels, by definition", prior,
                   sample->by->oracle(&asked, &called), error + sample->by->error);
    }
}

/* Q of an act is the value after it by the definition, less that without labels. */
static void check_act(const random_sample *sample, const og_value_found *best, int32_t number,
                      const og_act *act, double q, double error)
{
    const case_question asked = {.problem = sample->given,
                                 .history = sample->opened.history,
                                 .first = act,
                                 .number = number};
    double called, truth = sample->by->oracle(&asked, &called);
    double prior = best->result.value - best->result.gain;
    if (!isnan(truth)) {
        check_near(sample, NULL, OG_TIES_BEST, "Q by the definition", q + prior, truth,
                   error + best->result.error_bound + sample->by->error +
                       8 * DBL_EPSILON * (fabs(truth) + fabs(prior)));
    }
}

/* As fractions, which round to the doubles. */
static void check_q_exact(const random_sample *sample, const og_act_open *open, int32_t count,
                          const double *q, const double *error)
{
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL, .fractions = true};
    OWN(og_solution) solution = {.self = NULL};
    og_message message = {""};
    mpq_t exact[ACTS];
    for (int32_t i = 0; i < count; i++) {
        mpq_init(exact[i]);
    }
    question_ok(og_family_solve(sample->family, sample->problem, &asked, &sample->settings,
                                &solution, &message),
                &message, sample->words);
    question_ok(solution.q_exact(solution.self, open, count, exact, &message), &message,
                sample->words);
    for (int32_t i = 0; i < count; i++) {
        test_assert_msg(oracle_within(q[i], error[i], exact[i]),
                        "%s: Q of act %d is %.17g, as a fraction %.17g", sample->words, (int)i,
                        q[i], mpq_get_d(exact[i]));
        mpq_clear(exact[i]);
    }
}

static void check_q(const random_sample *sample, const og_value_found *best)
{
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL};
    OWN(og_solution) solution = {.self = NULL};
    og_message message = {""};
    og_act_open open[ACTS];
    double q[ACTS], error[ACTS], largest = -INFINITY, off = 0;
    int32_t count = og_family_acts(sample->family, sample->problem, open, ACTS);
    question_ok(og_family_solve(sample->family, sample->problem, &asked, &sample->settings,
                                &solution, &message),
                &message, sample->words);
    og_status status = solution.q(solution.self, open, count, q, error, &message);
    if (status == OG_BAD_INPUT) { /* nothing can be done */
        check_near(sample, NULL, OG_TIES_BEST, "no Q", best->result.gain, 0,
                   best->result.error_bound);
        count = 0;
    } else {
        question_ok(status, &message, sample->words);
        test_assert_msg(sample->sizes.left > 0, "%s: Q without labels", sample->words);
    }
    for (int32_t i = 0; i < count; i++) {
        off = q[i] > largest ? error[i] : off;
        largest = fmax(largest, q[i]);
        check_act(sample, best, i, &open[i].act, q[i], error[i]);
    }
    if (count > 0 && sample->sizes.rational) {
        check_q_exact(sample, open, count, q, error);
    }
    double error_of_both = 2 * off + best->result.error_bound;
    if (count > 0 && sample->by->perhaps) {
        test_assert_msg(largest >= best->result.gain - error_of_both, "%s: Q %.17g < gain %.17g",
                        sample->words, largest, best->result.gain);
    } else if (count > 0) {
        check_near(sample, NULL, OG_TIES_BEST, "the largest Q", largest, best->result.gain,
                   error_of_both);
    }
}

static void check_bounds(const random_sample *sample, const og_value_found *best)
{
    const double most = sample->sizes.metric.amount
                            ? sample->sizes.most
                            : (double)sample->sizes.decisions; /* all calls right */
    test_assert_msg(best->result.value <= most + best->result.error_bound,
                    "%s: %.17g, at most %.17g", sample->words, best->result.value, most);
    const og_asked asked = og_asked_about(sample->family, sample->problem, &sample->settings);
    og_bounds found;
    og_message message = {""};
    question_ok(og_bounds_find(&asked, &sample->settings, &found, &message), &message,
                sample->words);
    test_assert_msg(og_bounds_least(&found) >= best->result.value - best->result.error_bound,
                    "%s: a bound is %.17g, below the optimum %.17g", sample->words,
                    og_bounds_least(&found), best->result.value);
    og_bounds_clear(&found);
}

/* ---- states ---- */

/* The fractions of the current state are its doubles. */
static void check_exact_step(const random_sample *sample, const og_steps *steps,
                             const og_step_view *view)
{
    const og_expansion *x = view->x;
    og_arena arena = {0};
    og_message message = {""};
    mpq_t *q = og_arena_fractions(&arena, (size_t)x->action_count + 2);
    double *near = og_arena_array(&arena, (size_t)x->action_count, sizeof *near);
    double *error = og_arena_array(&arena, (size_t)x->action_count, sizeof *error);
    mpq_t *sum = &q[x->action_count], *chance = &q[x->action_count + 1];
    ck_assert_int_eq(og_arena_status(&arena), OG_OK);
    question_ok(steps->q_exact(steps->self, q, &message), &message, sample->words);
    question_ok(steps->q(steps->self, near, error, &message), &message, sample->words);
    for (int32_t a = 0; a < x->action_count; a++) {
        const og_action *action = &x->action[a];
        check_near(sample, NULL, OG_TIES_RANDOM, "Q in fractions", og_nearest(q[a]), near[a],
                   error[a] + 1e-15);
        mpq_set_ui(*sum, 0, 1);
        for (int32_t k = 0; k < action->outcome_count; k++) {
            steps->probability_exact(steps->self, &x->outcome[action->outcome_first + k], *chance);
            mpq_add(*sum, *sum, *chance);
        }
        ck_assert_msg(mpq_cmp_ui(*sum, 1, 1) == 0, "%s: probabilities", sample->words);
    }
    og_arena_clear(&arena);
}

/* Families whose values are gains have fractions in each state, if the problem has any. */
static bool has_exact_steps(const random_sample *sample)
{
    static const char *const gains[] = {"independent", "deadline", "batch", "process"};
    bool known = false;
    for (size_t i = 0; i < sizeof gains / sizeof *gains; i++) {
        known = known || strcmp(sample->family->name, gains[i]) == 0;
    }
    return known && sample->sizes.rational;
}

/* One walk from the root: the outcomes of each action have probabilities of sum 1. */
static void check_walk(const random_sample *sample, bool exact)
{
    const og_steps_use use = {.settings = sample->settings, .apart = true, .exact = exact};
    og_message message = {""};
    og_steps steps;
    og_status status = og_family_steps(sample->family, sample->problem, &use, &steps, &message);
    if (exact && status == OG_BAD_INPUT && !has_exact_steps(sample)) {
        return;
    }
    question_ok(status, &message, sample->words);
    exact = exact && steps.q_exact != NULL;
    ck_assert(exact || !use.exact || !has_exact_steps(sample));
    uint64_t *key = calloc(2 * (size_t)steps.key_words_max, sizeof *key);
    ck_assert_ptr_nonnull(key);
    og_step_state here = {.key = key}, next = {.key = key + steps.key_words_max};
    og_step_view view;
    steps.root(steps.self, &here);
    for (int32_t depth = 0; here.words > 0; depth++) {
        question_ok(steps.take(steps.self, &here, &view, &message), &message, sample->words);
        if (exact && view.left > 0) {
            check_exact_step(sample, &steps, &view);
        }
        const int32_t way = depth % (view.x->action_count > 0 ? view.x->action_count : 1);
        for (int32_t a = 0; a < view.x->action_count; a++) {
            const og_action *action = &view.x->action[a];
            double sum = 0;
            for (int32_t k = 0; k < action->outcome_count; k++) {
                steps.next(steps.self, &view.x->outcome[action->outcome_first + k], &next);
                sum += next.probability;
            }
            check_near(sample, NULL, OG_TIES_RANDOM, "probabilities of outcomes", sum, 1, 1e-12);
        }
        if (view.x->action_count == 0) {
            break;
        }
        const og_action *taken = &view.x->action[way];
        steps.next(steps.self,
                   &view.x->outcome[taken->outcome_first + depth % taken->outcome_count], &here);
    }
    free(key);
    og_steps_free(&steps);
}

/* ---- policies ---- */

static void check_explanation(const random_sample *sample, const case_play *by, og_ties ties,
                              const og_value_found *best, const og_value_found *found)
{
    og_message message = {""};
    if (og_family_is_followed(sample->family) &&
        og_explain_refusal(sample->family, &by->by[0]) == NULL) {
        const bool own = by->by[0].belief_bytes > 0 || by->by[0].decide != NULL;
        const og_steps_use use = {
            .settings = sample->settings, .ordered = ties == OG_TIES_FIRST, .along = &by->by[0]};
        const double called =
            isnan(found->called_value) ? found->result.value : found->called_value;
        og_steps steps;
        og_explanation why;
        double sum = 0;
        question_ok(og_family_steps(sample->family, sample->problem, &use, &steps, &message),
                    &message, sample->words);
        const og_explained_policy request = {.family = sample->family,
                                             .problem = sample->problem,
                                             .by = &by->by[0],
                                             .ties = ties,
                                             .optimum = &steps,
                                             .settings = sample->settings};
        og_status status = og_explain(&request, &why, &message);
        if (status == OG_BAD_INPUT && (own || strstr(message.text, "ignores the price") != NULL)) {
            ck_assert(ties == OG_TIES_BEST ||
                      ties == OG_TIES_WORST); /* whose values are not known */
            og_steps_free(&steps);
            return;
        }
        question_ok(status, &message, sample->words);
        for (int32_t left = 1; left <= why.budget; left++) {
            sum += why.stage[left];
        }
        check_near(sample, by->name, ties, "the stages' losses", sum, why.total, 1e-14);
        check_near(sample, by->name, ties, "what is explained", why.total,
                   best->result.value - called,
                   why.error + best->result.error_bound + found->result.error_bound);
        og_explanation_clear(&why);
        og_steps_free(&steps);
    }
}

static void check_runs(const random_sample *sample, const char *name,
                       const og_value_found value[OG_TIES_COUNT])
{
    static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};
    const og_source source = og_family_source(sample->family, sample->problem, NULL);
    og_policy_name policy;
    og_message message = {""};
    og_simulation found, again;
    question_ok(og_policy_name_parse(name, &policy, &message), &message, sample->words);
    og_asked asked = {
        .policies = &policy,
        .policy_count = 1,
        .request = {.ties = ties,
                    .ties_count = 2,
                    .runs = RUNS,
                    .seed = 1,
                    .settings = {.threads = 1, .memory_bytes = sample->settings.memory_bytes}}};
    og_status status = og_simulate_run(&asked, &source, &found, &message);
    if (status == OG_BAD_INPUT && (strstr(message.text, "--history") != NULL ||
                                   strstr(message.text, "labels so far") != NULL)) {
        return; /* runs begin without labels */
    }
    question_ok(status, &message, sample->words);
    asked.request.settings.threads = 3;
    question_ok(og_simulate_run(&asked, &source, &again, &message), &message, sample->words);
    for (int32_t i = 0; i < found.row_count; i++) {
        const og_estimate *mean = found.rows[i].metric, *other = again.rows[i].metric;
        const og_result *exact = &value[found.rows[i].ties].result;
        double off = 5 * mean[OG_EXPECTED].standard_error;
        off = off == 0 && sample->sizes.left > 0 ? RARE * sample->sizes.decisions : off;
        check_near(sample, name, found.rows[i].ties, "the mean of runs", mean[OG_EXPECTED].mean,
                   exact->value, off + found.rounding + exact->error_bound);
        off = sample->sizes.metric.amount ? INFINITY : RARE * sample->sizes.decisions;
        check_near(sample, name, found.rows[i].ties, "the mean of what came", mean[OG_CORRECT].mean,
                   exact->value, 5 * mean[OG_CORRECT].standard_error + off);
        test_assert_msg(mean[OG_EXPECTED].mean == other[OG_EXPECTED].mean &&
                            mean[OG_CORRECT].mean == other[OG_CORRECT].mean,
                        "%s: %s: runs have other bits with 3 threads", sample->words, name);
    }
    og_simulation_clear(&found);
    og_simulation_clear(&again);
}

/* Nothing beats the optimum, and best and worst enclose the others. */
static void check_order(const random_sample *sample, const char *policy, const og_value_found *best,
                        const og_value_found value[OG_TIES_COUNT])
{
    const og_result *most = &value[OG_TIES_BEST].result, *least = &value[OG_TIES_WORST].result;
    const bool free = sample->by->beyond != NULL && strstr(sample->by->beyond, policy) != NULL;
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        const og_result *at = &value[ties].result;
        bool inside =
            at->value <= most->value + at->error_bound + most->error_bound &&
            at->value >= least->value - at->error_bound - least->error_bound &&
            (free || at->value <= best->result.value + at->error_bound + best->result.error_bound);
        test_assert_msg(inside, "%s: %s: %.17g with ties %s, not from %.17g to %.17g to %.17g",
                        sample->words, policy, at->value, og_ties_name((og_ties)ties), least->value,
                        most->value, best->result.value);
    }
}

/* After earlier labels, which a policy may not support. */
static bool is_lost(const random_sample *sample, const case_play *by)
{
    og_value_found found = {.value = NULL};
    og_message message = {""};
    return sample->opened.history != NULL &&
           try_value(sample, by, OG_TIES_FIRST, OG_REDUCE_ALL, 0, &found, &message) ==
               OG_BAD_INPUT &&
           strstr(message.text, "--history") != NULL;
}

/* Thresholds are for two classes. */
static bool needs_threshold(const random_sample *sample, const char *policy)
{
    og_strategy ignored = {.self = NULL};
    og_message message = {""};
    og_status status = family_strategy(sample->family, sample->problem, policy, &sample->settings,
                                       &ignored, &message);
    og_strategy_free(&ignored);
    return status == OG_BAD_INPUT && strstr(message.text, "several classes") != NULL;
}

static void check_policy(const random_sample *sample, const char *policy,
                         const og_value_found *best)
{
    og_value_found value[OG_TIES_COUNT];
    if (needs_threshold(sample, policy)) {
        return;
    }
    case_play by = play_of(sample, policy);
    if (is_lost(sample, &by)) {
        play_clear(&by);
        return;
    }
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        value[ties] = check_value(sample, &by, (og_ties)ties);
        if (sample->opened.history == NULL) { /* else nobody can ask for it */
            check_explanation(sample, &by, (og_ties)ties, best, &value[ties]);
        }
    }
    play_clear(&by);
    check_order(sample, policy, best, value);
    const char *unplayed = sample->by->unplayed;
    bool plays = unplayed == NULL || strstr(policy, unplayed) == NULL;
    if (og_family_is_simulated(sample->family) && plays) {
        check_runs(sample, policy, value);
    }
}

static void check_policies(const random_sample *sample, const char *names,
                           const og_value_found *best)
{
    char text[TEXT_BYTES], *rest = NULL;
    snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok_r(text, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        check_policy(sample, name, best);
    }
}

/* ---- tests ---- */

START_TEST(family_is_what_its_case_says)
{
    const og_case *by = og_cases[_i];
    const uint64_t seed = test_seed(39);
    random_source random = random_start(seed);
    int cases = test_cases(by->rounds);
    int fixed = 0;
    while (fixed < CASE_FIXED && by->fixed[fixed] != NULL) {
        fixed++;
    }
    for (int round = -fixed; round < cases; round++) {
        random_sample sample;
        sample_init(&sample, by, &random, seed, round);
        const case_play optimum = {.name = NULL};
        og_value_found best = check_value(&sample, &optimum, OG_TIES_BEST);
        check_prior(&sample, &best);
        check_q(&sample, &best);
        if (og_family_is_followed(sample.family)) {
            check_walk(&sample, round % 4 == 0);
        }
        check_bounds(&sample, &best);
        if (sample.family->model.policies != NULL) {
            check_policies(&sample, og_family_policies(sample.family, sample.problem), &best);
        }
        if (by->more != NULL) {
            check_policies(&sample, by->more, &best);
        }
        sample_clear(&sample);
    }
}
END_TEST

START_TEST(refusals_say_why)
{
    const og_case *by = og_cases[_i];
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    for (size_t i = 0; i < sizeof by->refused / sizeof *by->refused; i++) {
        og_problem *given = NULL;
        og_problem_text opened;
        void *problem = NULL;
        og_message message = {""};
        char text[TEXT_BYTES];
        if (by->refused[i][0] != NULL) {
            snprintf(text, sizeof text, "%s", by->refused[i][0]);
            og_status status =
                question_open(by->family, text, &settings, &given, &opened, &problem, &message);
            ck_assert_msg(status == OG_BAD_INPUT && strstr(message.text, by->refused[i][1]) != NULL,
                          "%s: %s: %s", by->family, by->refused[i][0], message.text);
            ck_assert_ptr_null(problem);
            og_problem_free(given);
        }
    }
}
END_TEST

START_TEST(every_family_has_a_case)
{
    for (int i = 0; og_families[i] != NULL; i++) {
        int k = 0;
        if (strcmp(og_families[i]->name, "process") == 0) {
            continue; /* functions of a caller, which no words say: tests/test_process.c */
        }
        while (og_cases[k] != NULL && strcmp(og_cases[k]->family, og_families[i]->name) != 0) {
            k++;
        }
        ck_assert_msg(og_cases[k] != NULL, "there is no case for %s", og_families[i]->name);
    }
}
END_TEST

OG_SUITE_RUN(conformance)
{
    Suite *suite = suite_create("conformance");
    for (int i = 0; og_cases[i] != NULL; i++) { /* CK_RUN_CASE=sources runs one family's */
        TCase *family = test_group(suite, og_cases[i]->family, 120);
        tcase_add_loop_test(family, family_is_what_its_case_says, i, i + 1);
        tcase_add_loop_test(family, refusals_say_why, i, i + 1);
    }
    tcase_add_test(test_group(suite, "table", 10), every_family_has_a_case);
    return test_run(suite);
}
