/*
 * Choosing labelers as a family: words, history and output. -T counts the tasks to come and those
 * of --history.
 */
#include "bench/families/labelers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/families/labelers_problem.h"
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
static og_status add_labelers(labelers *of, const char *word, int32_t most, og_message *message)
{
    int64_t count;
    og_fraction right;
    const char *wrong = og_counted_parse(word, &count, &right);
    if (wrong != NULL || right.num > right.den) {
        return bad_word(word, wrong != NULL ? wrong : "has no probability from 0 to 1", message);
    }
    if (count > most - of->given.count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem labelers supports at most %d labelers%s; give fewer", most,
                              most < LABELERS ? ", and more in simulate" : "");
    }
    for (int64_t k = 0; k < count; k++) {
        og_labelers_set(&of->given, of->given.count++, right);
    }
    return OG_OK;
}

static og_status read_words(labelers *of, const og_problem_text *given, og_message *message)
{
    for (int32_t w = 0; w < given->word_count; w++) {
        OG_TRY(add_labelers(of, given->words[w],
                            given->runs_only ? LABELERS : OG_LABELERS_EXACT_MAX, message));
    }
    if (given->instances != NULL || of->given.count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem labelers requires words [COUNTx]P, such as 0.9 0.7 0.6");
    }
    if (of->whole_budget < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N is missing: the number of tasks, such as -T 12");
    }
    return OG_OK;
}

static og_status take_costs(labelers *of, og_message *message)
{
    const og_labelers_options *options = of->options;
    of->given.eps = options->eps;
    if (options->cost_count != 1 && options->cost_count != of->given.count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--cost has %" PRId32 " numbers for %" PRId32 " labelers",
                              options->cost_count, of->given.count);
    }
    for (int32_t i = 0; i < of->given.count; i++) {
        of->given.cost[i] = options->cost[options->cost_count == 1 ? 0 : i];
    }
    return OG_OK;
}

/* ---- history ---- */

static og_status add_votes(labelers *of, og_history_word word, og_message *message)
{
    og_labelers_votes votes = {0, 0};
    if (word.length != of->given.count || strspn(word.text, "01-") < (size_t)word.length) {
        return og_history_refuse(word, message,
                                 "must have 1, 0 or - (not asked) for each of %" PRId32 " labelers",
                                 of->given.count);
    }
    for (int32_t i = 0; i < word.length; i++) {
        votes.asked |= (uint32_t)(word.text[i] != '-') << i;
        votes.ones |= (uint32_t)(word.text[i] == '1') << i;
    }
    of->history[of->had++] = votes;
    return OG_OK;
}

static og_status read_history(labelers *of, const og_problem_text *given, og_message *message)
{
    const char *rest = given->history;
    og_history_word word;
    of->words = given->history;
    of->left = og_problem_text_left(given);
    of->history = og_arena_array(&of->arena, (size_t)og_history_count(rest), sizeof *of->history);
    OG_TRY(og_arena_status(&of->arena));
    while (og_history_next(&rest, &word)) {
        OG_TRY(add_votes(of, word, message));
    }
    return OG_OK;
}

/* ---- the prior ---- */

static og_status read_beta(const labelers *of, const char *text, og_labelers_prior **out,
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
    return og_labelers_prior_beta(&of->given, a, b, of->whole_budget, out, message);
}

static og_status read_prior(labelers *of, og_message *message)
{
    const char *unknown = of->options->unknown;
    if (unknown == NULL) {
        return og_labelers_prior_known(&of->given, &of->prior);
    }
    if (of->options->weighted) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--votes weighted does not support --accuracy-prior; omit it, or use "
                              "--policy bayes-vote");
    }
    if (strcmp(unknown, "orders") == 0) {
        return og_labelers_prior_orders(&of->given, &of->prior, message);
    }
    return strncmp(unknown, "beta:", 5) == 0
               ? read_beta(of, unknown + 5, &of->prior, message)
               : og_labelers_read_prior(unknown, &of->given, &of->prior, message);
}

static og_status make_game(labelers *of, og_message *message)
{
    const og_labelers_options *options = of->options;
    const og_labelers_rules rules = {
        .budget = of->left,
        .price = options->price,
        .odd = options->sets != NULL ? strcmp(options->sets, "odd") == 0 : of->given.count > 3,
        .nobody = options->nobody,
        .weighted = options->weighted,
        .had = of->had,
        .history = of->history};
    OG_TRY(og_labelers_problem_new(of->prior, &rules, of->memory_bytes, &of->game, message));
    if (of->game->kinds > 0 && of->left > LEARNING_TASKS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "--accuracy-prior supports at most %d tasks (-T), not %" PRId32,
                              LEARNING_TASKS_MAX, of->left);
    }
    return OG_OK;
}

/* Refuse what is computed from the value of every set, or from the words' accuracies. */
static og_status check_played(const labelers *of, og_message *message)
{
    const og_labelers_options *options = of->options;
    const char *what = options->unknown != NULL ? "--accuracy-prior"
                       : of->had > 0            ? "--history"
                       : options->price.num > 0 ? "--cost-weight"
                       : options->contexts != 1 ? "--contexts"
                       : options->theory        ? "--theory"
                                                : NULL;
    if (what == NULL) {
        return OG_OK;
    }
    return of->given.count > OG_LABELERS_EXACT_MAX
               ? og_message_set(message, OG_BAD_INPUT, "%s supports at most %d labelers; omit it",
                                what, OG_LABELERS_EXACT_MAX)
               : og_message_set(message, OG_BAD_INPUT, "%s does not support --truth; omit it",
                                what);
}

/* Find the best set for each hypothesis, as if the accuracies were known, and its expected right
 * labels and cost. */
static og_status find_best(labelers *of)
{
    of->best_set = og_arena_array(&of->arena, (size_t)of->prior->hypotheses, sizeof *of->best_set);
    OG_TRY(og_arena_status(&of->arena));
    for (int32_t h = 0; h < of->prior->hypotheses; h++) {
        const og_labelers *at = &of->prior->at[h];
        og_votes votes;
        OG_TRY(og_votes_make(at, &votes));
        uint32_t best = of->options->weighted ? votes.best_weighted : votes.best;
        double right = of->options->weighted ? votes.weighted : votes.majority[best];
        if (of->options->nobody && right < 0.5) {
            best = 0;
            right = 0.5;
        }
        of->best_set[h] = best;
        of->best_right += of->game->weight[h] * right;
        for (int32_t i = 0; i < at->count; i++) {
            double cost = og_fraction_double(at->cost[i]);
            of->best_cost += (best >> i & 1) != 0 ? of->game->weight[h] * cost : 0;
        }
    }
    return OG_OK;
}

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    labelers *of = problem;
    if (of != NULL) {
        og_labelers_problem_free(of->game);
        og_labelers_prior_free(of->prior);
        if (of->lock != NULL) {
            og_lock_clear(of->lock);
        }
    }
    og_arena_free(of);
}

static og_status make_problem(labelers *of, const og_problem_text *given, og_message *message)
{
    og_lock *lock = og_arena_array(&of->arena, 1, sizeof *lock);
    of->worth = og_arena_array(&of->arena, (size_t)2 * OG_LABELERS_WAYS, sizeof *of->worth);
    OG_TRY(og_arena_status(&of->arena));
    og_lock_init(lock);
    of->lock = lock;
    OG_TRY(read_words(of, given, message));
    OG_TRY(take_costs(of, message));
    OG_TRY(read_history(of, given, message));
    of->played = of->given.count > OG_LABELERS_EXACT_MAX ||
                 (given->truth != NULL && strcmp(given->truth, "prior") != 0);
    if (of->played) {
        return check_played(of, message);
    }
    OG_TRY(og_votes_make(&of->given, &of->votes));
    if (of->options->theory) {
        OG_TRY(labelers_check_theory(of, message));
    }
    OG_TRY(read_prior(of, message));
    OG_TRY(make_game(of, message));
    return find_best(of);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    labelers *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    of->options = given->options;
    of->whole_budget = given->budget;
    of->memory_bytes = settings->memory_bytes;
    return OG_MADE(make_problem(of, given, message), of, close_problem, problem);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const labelers *of = problem;
    *out = (og_problem_size){.budget = of->whole_budget,
                             .left = of->left,
                             .decisions = of->left,
                             .acts = of->left > 0 && !of->played ? of->game->choices : 0,
                             .rational = !of->played && of->prior->rational,
                             .metric = {.unit = "right labels", .by_truth = true}};
}

static const char *policies(const void *problem)
{
    const labelers *of = problem;
    return of->options->contexts == 0     ? "ls-ol,everybody"
           : of->had > 0                  ? "everybody,greedy"
           : of->options->unknown == NULL ? "ls-ol,everybody,best-set"
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

static void put_labelers(const labelers *of, og_document *object)
{
    og_document *rows = og_put_array(object, "instances");
    for (int32_t i = 0; i < of->given.count; i++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_numbers(row, "prior", &of->given.chance[i], 1);
        og_put_whole(row, "count", 1);
        og_put_number(row, "cost", og_fraction_double(of->given.cost[i]));
        og_put_number(row, "disagreement",
                      of->options->unknown == NULL && !of->played ? of->votes.disagreement[i]
                                                                  : NAN);
    }
}

static void words_of(const labelers *of, char *words, size_t size)
{
    og_text out = og_text_begin(words, size);
    for (int32_t i = 0, count = 0; i < of->given.count; i += count) {
        char number[WORD_BYTES];
        for (count = 1; i + count < of->given.count &&
                        og_fraction_compare(of->given.right[i + count], of->given.right[i]) == 0;) {
            count++;
        }
        og_fraction_format(of->given.right[i], number, sizeof number);
        og_text_add(&out, "%s", i > 0 ? " " : "");
        og_text_add(&out, count > 1 ? "%" PRId32 "x%s" : "%.0" PRId32 "%s", count > 1 ? count : 0,
                    number);
    }
}

/* U of every set, if the accuracies are given. */
static void put_majorities(const labelers *of, og_document *object)
{
    og_document *best = og_put_array(object, "best_set");
    uint32_t members = of->options->weighted ? of->votes.best_weighted : of->votes.best;
    for (int32_t i = 0; i < of->given.count; i++) {
        if ((members >> i & 1) != 0) {
            og_put_whole(best, NULL, (uint64_t)i);
        }
    }
    og_put_number(object, "best_right", of->best_right);
    og_put_number(object, "everybody_right",
                  of->votes.majority[(UINT32_C(1) << of->given.count) - 1]);
    og_put_number(object, "weighted_right", of->votes.weighted);
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
    const labelers *of = problem;
    char words[LABELERS * WORD_BYTES], set[3 * LABELERS + WORD_BYTES];
    og_document *object = og_put_object(document, "problem");
    put_labelers(of, object);
    og_put_whole(object, "budget", (uint64_t)of->whole_budget);
    og_put_text(object, "objective", "labelers");
    og_put_numbers(object, "explore", of->options->explore, 2);
    og_put_text(object, "unknown", of->options->unknown);
    og_put_whole(object, "hypotheses", of->played ? 1 : (uint64_t)of->prior->hypotheses);
    words_of(of, words, sizeof words);
    og_show_field(document, "Problem", "%s (%" PRId32 " labeler%s)", words, of->given.count,
                  of->given.count == 1 ? "" : "s");
    if (of->options->unknown == NULL && !of->played) {
        put_majorities(of, object);
        set_text(of->options->weighted ? of->votes.best_weighted : of->votes.best, set, sizeof set);
        og_show_field(document, "Best set", "%s, right with probability %.6g", set, of->best_right);
    } else if (!of->played) {
        bool beta = strncmp(of->options->unknown, "beta:", 5) == 0;
        og_show_field(document, "Accuracies", "unknown (%s), %" PRId32 " hypotheses%s",
                      of->options->unknown, of->prior->hypotheses,
                      beta ? ", assumed to be exact to 13 digits" : "");
    }
    og_history_describe(of->words, document, object);
    og_show_field(document, "Tasks", "%" PRId32, of->left);
    describe_contexts(of->options, document, object);
    if (of->options->theory) {
        labelers_describe_theory(of, document, object);
    }
}

/* ---- acts: a set of labelers ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const labelers *of = problem;
    int32_t count = 0;
    for (int32_t c = 0; of->left > 0 && c < of->game->choices && count < room; c++) {
        open[count++] = (og_act_open){{{of->game->choice[c].members, 0, 0}}, 1};
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
    const labelers *of = problem;
    if (of->played) {
        *value = of->left * 0.5;
        *error = 0;
        return OG_OK;
    }
    if (exact == NULL) {
        *value = of->left * fmin(0.5, of->game->still);
        *error = of->left * of->game->error * of->game->scale;
        return OG_OK;
    }
    if (!of->prior->rational) {
        return og_family_lacks(&og_family_labelers, "--arithmetic exact with --accuracy-prior beta",
                               message);
    }
    mpq_t half;
    mpq_init(half);
    mpq_set_ui(half, 1, 2);
    og_status status = og_labelers_value_exact(of->game, OG_LABELERS_STILL, NULL, exact, message);
    if (status == OG_OK) {
        mpq_set(exact, mpq_cmp(exact, half) > 0 ? half : exact);
        mpq_set_si(half, of->left, 1);
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
    const labelers *of = problem;
    og_labelers_way way;
    (void)use;
    if (name->function != NULL) {
        return og_family_lacks(&og_family_labelers, "a policy of your own", message);
    }
    OG_TRY(og_labelers_way_parse(name->name, &way, message));
    OG_TRY(labelers_check_way(of, way, message));
    return og_labelers_strategy(way, of->game, out);
}

/* ---- state by state ---- */

static og_status steps(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message)
{
    const labelers *of = problem;
    const og_question optimum = {.reductions = 0}; /* labelers keep their names */
    const og_question question = {.by = use->by, .ties = use->ties};
    og_model model;
    OG_TRY(labelers_check_contexts(of, message));
    if (use->exact) {
        return og_family_lacks(&og_family_labelers, "--arithmetic exact with tree", message);
    }
    if (use->by != NULL && use->by->beyond) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "policies ls-ol and bayes-vote do not support single states; choose another policy");
    }
    OG_TRY(og_labelers_model(of->game, &optimum, &model));
    return og_steps_by_engine(&model, &question, &use->settings, out, message);
}

static void votes_text(const labelers *of, uint32_t members, uint32_t ones, og_text *out)
{
    for (int32_t i = 0; i < of->given.count; i++) {
        og_text_add(out, "%c", (members >> i & 1) == 0 ? '-' : (ones >> i & 1) != 0 ? '1' : '0');
    }
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const labelers *of = problem;
    const og_labelers_state *now = state;
    og_text out = og_text_begin(text, size);
    for (int32_t c = 0; c < of->game->choices; c++) {
        const og_labelers_choice *choice = &of->game->choice[c];
        for (int32_t k = choice->kind_first; k < choice->kind_first + choice->kinds; k++) {
            if (now->times[k] > 0) {
                og_text_add(&out, "%s", out.length > 0 ? ", " : "");
                votes_text(of, choice->members, of->game->kind_ones[k], &out);
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
    .problems = "labelers",
    .objectives = "labelers",
    .options = &og_labelers_option_set,
    .acts_name = "actions",
    .act_name = "set",
    .verb = "ask",
    .acts_between = "; ",
    .budget_name = "Tasks",
    .history = "110 1-0",
    .bounds = bound_names,
    .legend = "ls-ol labels tasks again and bayes-vote calls labels with all votes, which the "
              "optimum may not: their gaps may be negative.",
    .open = open_problem,
    .close = close_problem,
    .sizes = sizes,
    .policies = policies,
    .describe = describe,
    .acts = acts,
    .act_text = act_text,
    .put_act = put_act,
    .prior = prior,
    .theory = labelers_theory,
    .strategy = strategy,
    .put_policy = labelers_put_policy,
    .curves = "tasks",
    .put_point = labelers_put_point,
    .show_policies = labelers_show_policies,
    .solve = labelers_solve,
    .bound = labelers_bound,
    .source = labelers_source,
    .steps = steps,
    .state_text = state_text,
    .step_text = act_text,
    .answer_text = answer_text,
};
