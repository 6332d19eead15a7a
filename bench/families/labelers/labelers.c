/*
 * Choosing labelers as a family: words, history and output. -T counts the tasks to come and those
 * of --history.
 */
#include "bench/families/labelers/labelers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/families/labelers/problem.h"
#include "bench/history.h"
#include "dp/base/rational.h"

enum { LABELERS = OG_LABELERS_MAX, WORD_BYTES = 48, LEARNING_TASKS_MAX = 255 };

/* ---- words ---- */

static og_status bad_word(const char *word, const char *why, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "labeler '%.60s' %s; --problem labelers expects [COUNTx]P, COUNT "
                          "labelers who are right with probability P, such as 0.9 or 3x0.7",
                          word, why);
}

/* `most`: of this question. */
static og_status add_labelers(labelers *problem, const char *word, int32_t most,
                              og_message *message)
{
    int64_t count;
    og_fraction right;
    const char *wrong = og_counted_parse(word, &count, &right);
    if (wrong != NULL || right.num > right.den) {
        return bad_word(word, wrong != NULL ? wrong : "has no probability from 0 to 1", message);
    }
    if (count > most - problem->given.count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem labelers supports at most %d labelers%s; give fewer", most,
                              most < LABELERS ? ", and more in simulate" : "");
    }
    for (int64_t k = 0; k < count; k++) {
        og_labelers_set(&problem->given, problem->given.count++, right);
    }
    return OG_OK;
}

static og_status read_words(labelers *problem, const og_problem_text *given, og_message *message)
{
    for (int32_t w = 0; w < given->word_count; w++) {
        OG_TRY(add_labelers(problem, given->words[w],
                            given->runs_only ? LABELERS : OG_LABELERS_EXACT_MAX, message));
    }
    if (given->instances != NULL || problem->given.count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem labelers requires words [COUNTx]P, such as 0.9 0.7 0.6");
    }
    if (problem->whole_budget < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N is missing: the number of tasks, such as -T 12");
    }
    return OG_OK;
}

static og_status take_costs(labelers *problem, og_message *message)
{
    const og_labelers_options *options = problem->options;
    problem->given.eps = options->eps;
    if (options->cost_count != 1 && options->cost_count != problem->given.count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--cost has %" PRId32 " numbers for %" PRId32 " labelers",
                              options->cost_count, problem->given.count);
    }
    for (int32_t i = 0; i < problem->given.count; i++) {
        problem->given.cost[i] = options->cost[options->cost_count == 1 ? 0 : i];
    }
    return OG_OK;
}

/* ---- history ---- */

static og_status add_votes(labelers *problem, og_history_word word, og_message *message)
{
    og_labelers_votes votes = {0, 0};
    if (word.length != problem->given.count || strspn(word.text, "01-") < (size_t)word.length) {
        return og_history_refuse(word, message,
                                 "must have 1, 0 or - (not asked) for each of %" PRId32 " labelers",
                                 problem->given.count);
    }
    for (int32_t i = 0; i < word.length; i++) {
        votes.asked |= (uint32_t)(word.text[i] != '-') << i;
        votes.ones |= (uint32_t)(word.text[i] == '1') << i;
    }
    problem->history[problem->had++] = votes;
    return OG_OK;
}

static og_status read_history(labelers *problem, const og_problem_text *given, og_message *message)
{
    const char *rest = given->history;
    og_history_word word;
    problem->words = given->history;
    problem->left = og_problem_text_left(given);
    problem->history =
        og_arena_array(&problem->arena, (size_t)og_history_count(rest), sizeof *problem->history);
    OG_TRY(og_arena_status(&problem->arena));
    while (og_history_next(&rest, &word)) {
        OG_TRY(add_votes(problem, word, message));
    }
    return OG_OK;
}

/* ---- the prior ---- */

static og_status read_beta(const labelers *problem, const char *text, og_labelers_prior **out,
                           og_message *message)
{
    og_fraction a, b;
    size_t length = strcspn(text, ",");
    bool read = text[length] == ',' && og_fraction_parse(text, length, &a) == OG_OK &&
                og_fraction_parse(text + length + 1, strlen(text + length + 1), &b) == OG_OK;
    if (!read || a.num == 0 || b.num == 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--accuracy-prior beta must be beta:A,B with two numbers > 0, not '%.60s'", text);
    }
    return og_labelers_prior_beta(&problem->given, a, b, problem->whole_budget, out, message);
}

static og_status read_prior(labelers *problem, og_message *message)
{
    const char *unknown = problem->options->unknown;
    if (unknown == NULL) {
        return og_labelers_prior_known(&problem->given, &problem->prior);
    }
    if (problem->options->weighted) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--votes weighted does not support --accuracy-prior; omit it, or use "
                              "--policy bayes-vote");
    }
    if (strcmp(unknown, "orders") == 0) {
        return og_labelers_prior_orders(&problem->given, &problem->prior, message);
    }
    return strncmp(unknown, "beta:", 5) == 0
               ? read_beta(problem, unknown + 5, &problem->prior, message)
               : og_labelers_read_prior(unknown, &problem->given, &problem->prior, message);
}

static og_status make_game(labelers *problem, og_message *message)
{
    const og_labelers_options *options = problem->options;
    const og_labelers_rules rules = {
        .budget = problem->left,
        .price = options->price,
        .odd = options->sets != NULL ? strcmp(options->sets, "odd") == 0 : problem->given.count > 3,
        .nobody = options->nobody,
        .weighted = options->weighted,
        .had = problem->had,
        .history = problem->history};
    OG_TRY(og_labelers_problem_new(problem->prior, &rules, problem->memory_bytes, &problem->game,
                                   message));
    if (problem->game->kinds > 0 && problem->left > LEARNING_TASKS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "--accuracy-prior supports at most %d tasks (-T), not %" PRId32,
                              LEARNING_TASKS_MAX, problem->left);
    }
    return OG_OK;
}

/* Refuse what is computed from the value of every set, or from the words' accuracies. */
static og_status check_played(const labelers *problem, og_message *message)
{
    const og_labelers_options *options = problem->options;
    const char *what = options->unknown != NULL ? "--accuracy-prior"
                       : problem->had > 0       ? "--history"
                       : options->price.num > 0 ? "--cost-weight"
                       : options->contexts != 1 ? "--contexts"
                       : options->theory        ? "--theory"
                                                : NULL;
    if (what == NULL) {
        return OG_OK;
    }
    return problem->given.count > OG_LABELERS_EXACT_MAX
               ? og_message_set(message, OG_BAD_INPUT, "%s supports at most %d labelers; omit it",
                                what, OG_LABELERS_EXACT_MAX)
               : og_message_set(message, OG_BAD_INPUT, "%s does not support --truth; omit it",
                                what);
}

/* Find the best set for each hypothesis, as if the accuracies were known, and its expected right
 * labels and cost. */
static og_status find_best(labelers *problem)
{
    problem->best_set = og_arena_array(&problem->arena, (size_t)problem->prior->hypotheses,
                                       sizeof *problem->best_set);
    OG_TRY(og_arena_status(&problem->arena));
    for (int32_t h = 0; h < problem->prior->hypotheses; h++) {
        const og_labelers *at = &problem->prior->at[h];
        og_votes votes;
        OG_TRY(og_votes_make(at, &votes));
        uint32_t best = problem->options->weighted ? votes.best_weighted : votes.best;
        double right = problem->options->weighted ? votes.weighted : votes.majority[best];
        if (problem->options->nobody && right < 0.5) {
            best = 0;
            right = 0.5;
        }
        problem->best_set[h] = best;
        problem->best_right += problem->game->weight[h] * right;
        for (int32_t i = 0; i < at->count; i++) {
            double cost = og_fraction_double(at->cost[i]);
            problem->best_cost += (best >> i & 1) != 0 ? problem->game->weight[h] * cost : 0;
        }
    }
    return OG_OK;
}

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    labelers *own = problem;
    if (own != NULL) {
        og_labelers_problem_free(own->game);
        og_labelers_prior_free(own->prior);
        if (own->lock != NULL) {
            og_lock_clear(own->lock);
        }
    }
    og_arena_free(own);
}

static og_status make_problem(labelers *problem, const og_problem_text *given, og_message *message)
{
    og_lock *lock = og_arena_array(&problem->arena, 1, sizeof *lock);
    problem->worth =
        og_arena_array(&problem->arena, (size_t)2 * OG_LABELERS_WAYS, sizeof *problem->worth);
    OG_TRY(og_arena_status(&problem->arena));
    og_lock_init(lock);
    problem->lock = lock;
    OG_TRY(read_words(problem, given, message));
    OG_TRY(take_costs(problem, message));
    OG_TRY(read_history(problem, given, message));
    problem->played = problem->given.count > OG_LABELERS_EXACT_MAX ||
                      (given->truth != NULL && strcmp(given->truth, "prior") != 0);
    if (problem->played) {
        return check_played(problem, message);
    }
    OG_TRY(og_votes_make(&problem->given, &problem->votes));
    if (problem->options->theory) {
        OG_TRY(labelers_check_theory(problem, message));
    }
    OG_TRY(read_prior(problem, message));
    OG_TRY(make_game(problem, message));
    return find_best(problem);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    labelers *own = og_arena_new(sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    own->whole_budget = given->budget;
    own->memory_bytes = settings->memory_bytes;
    return OG_MADE(make_problem(own, given, message), own, close_problem, problem);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const labelers *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->left,
                             .decisions = own->left,
                             .acts = own->left > 0 && !own->played ? own->game->choices : 0,
                             .rational = !own->played && own->prior->rational,
                             .metric = {.unit = "right labels", .by_truth = true}};
}

static const char *policies(const void *problem)
{
    const labelers *own = problem;
    return own->options->contexts == 0     ? "ls-ol,everybody"
           : own->had > 0                  ? "everybody,greedy"
           : own->options->unknown == NULL ? "ls-ol,everybody,best-set"
                                           : "ls-ol,everybody,greedy,bayes-vote";
}

/* ---- output ---- */

static og_text set_text(uint32_t members, char *text, size_t size)
{
    og_text out = og_text_begin(text, size);
    for (int32_t i = 0; i < LABELERS; i++) {
        if ((members >> i & 1) != 0) {
            og_text_add(&out, "%s%" PRId32, out.length > 0 ? " " : "", i + 1);
        }
    }
    if (members == 0) {
        og_text_add(&out, "nobody");
    }
    return out;
}

static void put_labelers(const labelers *problem, og_document *object)
{
    og_document *rows = og_put_array(object, "instances");
    for (int32_t i = 0; i < problem->given.count; i++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_numbers(row, "prior", &problem->given.chance[i], 1);
        og_put_whole(row, "count", 1);
        og_put_number(row, "cost", og_fraction_double(problem->given.cost[i]));
        og_put_number(row, "disagreement",
                      problem->options->unknown == NULL && !problem->played
                          ? problem->votes.disagreement[i]
                          : NAN);
    }
}

static void words_of(const labelers *problem, char *words, size_t size)
{
    og_text out = og_text_begin(words, size);
    for (int32_t i = 0, count = 0; i < problem->given.count; i += count) {
        char number[WORD_BYTES];
        for (count = 1;
             i + count < problem->given.count &&
             og_fraction_compare(problem->given.right[i + count], problem->given.right[i]) == 0;) {
            count++;
        }
        og_fraction_format(problem->given.right[i], number, sizeof number);
        og_text_add(&out, "%s", i > 0 ? " " : "");
        og_text_add(&out, count > 1 ? "%" PRId32 "x%s" : "%.0" PRId32 "%s", count > 1 ? count : 0,
                    number);
    }
}

/* U of every set, if the accuracies are given. */
static void put_majorities(const labelers *problem, og_document *object)
{
    og_document *best = og_put_array(object, "best_set");
    for (int32_t i = 0; i < problem->given.count; i++) {
        if ((problem->best_set[0] >> i & 1) != 0) {
            og_put_whole(best, NULL, (uint64_t)i);
        }
    }
    og_put_number(object, "best_right", problem->best_right);
    og_put_number(object, "everybody_right",
                  problem->votes.majority[(UINT32_C(1) << problem->given.count) - 1]);
    og_put_number(object, "weighted_right", problem->votes.weighted);
}

static void describe_contexts(const og_labelers_options *options, og_document *document,
                              og_document *problem)
{
    if (options->contexts == 0) {
        og_put_number(problem, "cells", options->cells);
        og_show_field(document, "Contexts", "from 0 to 1, in ceil(t^%g) cells", options->cells);
    } else if (options->contexts > 1) {
        og_put_whole(problem, "contexts", (uint64_t)options->contexts);
        og_show_field(document, "Contexts", "%" PRId32, options->contexts);
    }
}

static void describe(const void *problem, og_document *document)
{
    const labelers *own = problem;
    char words[LABELERS * WORD_BYTES], set[3 * LABELERS + WORD_BYTES];
    og_document *object = og_put_object(document, "problem");
    put_labelers(own, object);
    og_put_whole(object, "budget", (uint64_t)own->whole_budget);
    og_put_text(object, "objective", "labelers");
    og_put_numbers(object, "explore", own->options->explore, 2);
    og_put_text(object, "unknown", own->options->unknown);
    og_put_whole(object, "hypotheses", own->played ? 1 : (uint64_t)own->prior->hypotheses);
    words_of(own, words, sizeof words);
    og_show_field(document, "Problem", "%s (%" PRId32 " labeler%s)", words, own->given.count,
                  own->given.count == 1 ? "" : "s");
    if (own->options->unknown == NULL && !own->played) {
        put_majorities(own, object);
        set_text(own->best_set[0], set, sizeof set);
        og_show_field(document, "Best set", "%s, right with probability %.6g", set,
                      own->best_right);
    } else if (!own->played) {
        og_show_field(document, "Accuracies", "unknown (%s), %" PRId32 " hypotheses",
                      own->options->unknown, own->prior->hypotheses);
    }
    og_history_describe(own->words, document, object);
    og_show_field(document, "Tasks", "%" PRId32, own->left);
    describe_contexts(own->options, document, object);
    if (own->options->theory) {
        labelers_describe_theory(own, document, object);
    }
}

/* ---- acts: a set of labelers ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const labelers *own = problem;
    int32_t count = 0;
    for (int32_t c = 0; own->left > 0 && c < own->game->choices && count < room; c++) {
        open[count++] = (og_act_open){{{own->game->choice[c].members, 0, 0}}, 1};
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    set_text(act.part[0], text, size);
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    char text[3 * LABELERS + WORD_BYTES];
    og_document *object = og_put_object(array, NULL);
    act_text(problem, act, text, sizeof text);
    og_put_text(object, "text", text);
    og_document *set = og_put_array(object, "set");
    for (int32_t i = 0; i < LABELERS; i++) {
        if ((act.part[0] >> i & 1) != 0) {
            og_put_whole(set, NULL, (uint64_t)i);
        }
    }
    return object;
}

/* ---- values ---- */

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const labelers *own = problem;
    if (own->played) {
        *value = own->left * 0.5;
        *error = 0;
        return OG_OK;
    }
    if (exact == NULL) {
        *value = own->left * fmin(0.5, own->game->still);
        *error = own->left * own->game->error * own->game->scale;
        return OG_OK;
    }
    if (!own->prior->rational) {
        return og_family_lacks(&og_family_labelers, "--arithmetic exact with --accuracy-prior beta",
                               message);
    }
    mpq_t half;
    mpq_init(half);
    mpq_set_ui(half, 1, 2);
    og_status status = og_labelers_value_exact(own->game, OG_LABELERS_STILL, NULL, exact, message);
    if (status == OG_OK) {
        mpq_set(exact, mpq_cmp(exact, half) > 0 ? half : exact);
        mpq_set_si(half, own->left, 1);
        mpq_mul(exact, exact, half);
        *value = og_nearest(exact);
        *error = fabs(*value) * 0x1p-53;
    }
    mpq_clear(half);
    return status;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const labelers *own = problem;
    og_labelers_way way;
    (void)use;
    OG_TRY(og_labelers_way_parse(name->name, &way, message));
    OG_TRY(labelers_check_way(own, way, message));
    return og_labelers_strategy(way, own->game, out);
}

/* ---- state by state ---- */

static void votes_text(const labelers *problem, uint32_t members, uint32_t ones, og_text *out)
{
    for (int32_t i = 0; i < problem->given.count; i++) {
        og_text_add(out, "%c", (members >> i & 1) == 0 ? '-' : (ones >> i & 1) != 0 ? '1' : '0');
    }
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const labelers *own = problem;
    const og_labelers_state *now = state;
    og_text out = og_text_begin(text, size);
    for (int32_t c = 0; c < own->game->choices; c++) {
        const og_labelers_choice *choice = &own->game->choice[c];
        for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds; k++) {
            if (now->times[k] > 0) {
                og_text_add(&out, "%s", out.length > 0 ? ", " : "");
                votes_text(own, choice->members, own->game->kind_ones[k], &out);
                if (now->times[k] > 1) {
                    og_text_add(&out, " x%d", now->times[k]);
                }
            }
        }
    }
    if (out.length == 0) {
        og_text_add(&out, "nothing known");
    }
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    og_text out = og_text_begin(text, size);
    if (answer >= 0) {
        votes_text(problem, act.part[0], (uint32_t)answer, &out);
        og_text_add(&out, " or ");
        votes_text(problem, act.part[0], act.part[0] & ~(uint32_t)answer, &out);
    }
}

static const char *const bound_names[] = {"told", "told_later", "bayes_vote", NULL};

const og_family og_family_labelers = {
    .name = "labelers",
    .objectives = "labelers",
    .options = &og_labelers_option_set,
    .model = {.bounds = bound_names,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .prior = prior,
              .strategy = strategy,
              .keeps_names = true,
              .model = labelers_model,
              .solve = labelers_solve,
              .bound = labelers_bound},
    .words = {.problems = "labelers",
              .act_name = "set",
              .verb = "ask",
              .budget_name = "Tasks",
              .history = "110 1-0",
              .legend =
                  "ls-ol labels tasks again and bayes-vote calls labels with all votes, which the "
                  "optimum may not: their gaps may be negative.",
              .describe = describe,
              .act_text = act_text,
              .put_act = put_act,
              .theory = labelers_theory,
              .put_policy = labelers_put_policy,
              .show_policies = labelers_show_policies,
              .state_text = state_text,
              .answer_text = answer_text},
    .runs = {.curves = "tasks", .put_point = labelers_put_point, .source = labelers_source},
};
