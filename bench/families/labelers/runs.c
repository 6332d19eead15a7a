/*
 * Simulates the choice of labelers. Accuracies are drawn from the prior, truths and votes for each
 * task. All policies of a run meet the same truth and the same first votes; votes on a tester that
 * is labelled again are new. Votes are stored as the set of labelers who are right, since no rule
 * depends on the labels' names. A number of contexts is simulated as separate runs, each with its
 * accuracies, clock, testers and estimates. Contexts in 0 .. 1 form one run; then `at` holds the
 * accuracies in the context of the current task.
 *
 * Expected labels and regrets are those of the sets asked: the probability that their vote is
 * right. That of a weighted vote of many labelers has too many patterns; then the label counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/labelers/problem.h"
#include "bench/random.h"
#include "dp/base/grow.h"
#include "dp/engine/strategy.h"

/* Places in the addresses of random numbers; those below HYPOTHESIS are for labelers. */
enum { FIRST_VOTE, HYPOTHESIS = 1000, COIN, AGAIN, WHICH, CONTEXT, CONTEXT_SEED };
enum { LEFT_ALWAYS = 3 }; /* --drop never leaves fewer labelers */

typedef struct {
    uint32_t first;                /* labelers whose first vote was right */
    int32_t labelled, right_twice; /* number of right majorities, ties broken with a coin */
    bool right;                    /* whether its label is right */
    double context;
} tester;

typedef struct {
    og_arena arena;
    const labelers *problem;
    const og_truth *truth; /* of accuracies, if problem->played; NULL: as given */
    const int32_t *at;     /* [at_count] tasks at which a curve has points */
    int32_t at_count;
} setting;

typedef struct {
    og_arena arena;
    const setting *all;
    const labelers *problem; /* all->problem */
    uint64_t run_seed, run;
    uint64_t seed;          /* of this context */
    int32_t *tasks;         /* [contexts] of each */
    int32_t *hypothesis_of; /* [contexts], or of the contexts 0 and 1 */
    int32_t left;           /* of this context */
    const og_labelers *at;  /* accuracies of this context, or of the current task: */
    og_labelers between;
    og_labelers own;   /* accuracies drawn for this run, if problem->played */
    bool has_majority; /* U of a set, with these accuracies: */
    uint32_t majority_of;
    double majority_right;
    uint32_t best_set;          /* with these accuracies; for a task of it: */
    double best_right, best_of; /* probability of a right label, and cost */
    double context;             /* from 0 to 1 */
    uint32_t drawn;             /* random numbers used so far */
    tester *testers;
    size_t room;
    int32_t count;
    int32_t agreed[OG_LABELERS_MAX];
    uint32_t here;                            /* labelers not dropped */
    int32_t differed[OG_LABELERS_MAX], asked; /* votes of each, and votes against the majority */
    uint32_t set;                             /* chosen at so many labels: */
    int64_t set_of;
    double set_right; /* probability that its vote is right */
    bool weighs;      /* votes are weighted, with these estimates: */
    og_labelers by;
    double *weight;                  /* [hypotheses] */
    double right, expected, cost;    /* so far */
    double best_expected, best_cost; /* of the best sets so far */
    int32_t done, noted;             /* tasks, and points of the curve; */
    double *curve;                   /* its metrics; NULL: none */
    double prior;                    /* probability of a right label without votes */
} episode;

static double unit(episode *e, og_draw_purpose purpose, uint32_t place, uint32_t number)
{
    return og_draw_unit(og_draw(e->seed, purpose, e->run, place, number));
}

static bool coin(episode *e)
{
    return unit(e, OG_DRAW_TIE, COIN, e->drawn++) < 0.5;
}

/* ---- contexts from 0 to 1 ---- */

static bool has_unit_contexts(const episode *e)
{
    return e->problem->options->contexts == 0;
}

static void take_context(episode *e, double context)
{
    e->context = context;
    if (!has_unit_contexts(e)) {
        return;
    }
    const og_labelers *from = &e->problem->prior->at[e->hypothesis_of[0]];
    const og_labelers *to = &e->problem->prior->at[e->hypothesis_of[1]];
    for (int32_t i = 0; i < from->count; i++) {
        double right = context * (to->chance[i] - from->chance[i]);
        double wrong = context * (to->chance_wrong[i] - from->chance_wrong[i]);
        og_labelers_set_double(&e->between, i, from->chance[i] + right,
                               from->chance_wrong[i] + wrong);
    }
}

/* Draw the context of this task. */
static void arrive(episode *e, int32_t time)
{
    take_context(e, has_unit_contexts(e) ? unit(e, OG_DRAW_TRUTH, CONTEXT, (uint32_t)time) : 0);
}

/* Count the testers in the cell of the current task, and add each labeler's agreements with them to
 * `agreed`. */
static int32_t count_cell(const episode *e, int32_t time, int32_t *agreed)
{
    double cells = ceil(pow(time, e->problem->options->cells)), cell = floor(cells * e->context);
    int32_t testers = 0;
    for (int32_t k = 0; k < e->count; k++) {
        const tester *t = &e->testers[k];
        bool here = floor(cells * t->context) == cell;
        testers += here;
        for (int32_t i = 0; here && i < e->at->count; i++) {
            agreed[i] += ((t->first >> i & 1) != 0) == t->right;
        }
    }
    return testers;
}

/* ---- votes ---- */

/* Draw which labelers of a set are right; `again`: the tester is labelled again. */
static uint32_t vote(episode *e, uint32_t set, uint32_t number, bool again)
{
    const og_labelers *at = e->at;
    uint32_t right = 0;
    for (int32_t i = 0; i < at->count; i++) {
        uint32_t place = (uint32_t)i + (again ? AGAIN : FIRST_VOTE);
        bool voted = (set >> i & 1) != 0;
        right |= (uint32_t)(voted && unit(e, OG_DRAW_LABEL, place, number) < at->chance[i]) << i;
    }
    return right;
}

static bool majority(episode *e, uint32_t set, uint32_t right)
{
    int32_t apart = 2 * __builtin_popcount(right) - __builtin_popcount(set);
    return apart > 0 || (apart == 0 && coin(e));
}

/* U of a set for the current task. */
static og_status majority_right(episode *e, uint32_t set, double *out)
{
    if (!e->has_majority || e->majority_of != set || has_unit_contexts(e)) {
        OG_TRY(og_votes_majority(e->at, set, &e->majority_right));
        e->has_majority = true;
        e->majority_of = set;
    }
    *out = e->majority_right;
    return OG_OK;
}

/* The same for votes weighted with `by`; NAN for too many labelers. */
static og_status weighted_right(const episode *e, uint32_t set, double *out)
{
    *out = NAN;
    return __builtin_popcount(set) <= OG_LABELERS_WEIGHED_MAX
               ? og_votes_weighted(e->at, &e->by, set, out)
               : OG_OK;
}

static double cost_of(const episode *e, uint32_t set)
{
    const og_labelers *at = &e->problem->given;
    double cost = 0;
    for (int32_t i = 0; i < at->count; i++) {
        cost += (set >> i & 1) != 0 ? og_fraction_double(at->cost[i]) : 0;
    }
    return cost;
}

/* Write the metrics of the curve if it has a point here. */
static void note(episode *e)
{
    const setting *all = e->all;
    if (e->noted < all->at_count && e->done == all->at[e->noted]) {
        double *point = &e->curve[e->noted++];
        point[LABELERS_ACCURACY * all->at_count] = e->right / e->done;
        point[LABELERS_REWARD * all->at_count] = e->expected / e->done;
        point[LABELERS_REGRET * all->at_count] = e->best_expected - e->expected;
        point[LABELERS_COST_REGRET * all->at_count] = e->cost - e->best_cost;
    }
}

/* Count a task's label and its probability of being right, NAN if that is not known. */
static void label(episode *e, bool right, double expected, uint32_t set)
{
    e->right += right;
    e->expected += isnan(expected) ? right : expected;
    e->cost += cost_of(e, set);
    e->best_expected += e->best_right;
    e->best_cost += e->best_of;
    e->done++;
    note(e);
}

/* ---- LS_OL ---- */

/* Drop the worst labeler for good if chance does not explain the difference from the second
 * worst. */
static void drop(episode *e)
{
    double worst = -1, second = -1;
    int32_t who = 0;
    for (int32_t i = 0; i < e->problem->given.count; i++) {
        double mean = (double)e->differed[i] / e->asked;
        if ((e->here >> i & 1) != 0) {
            second = fmax(second, fmin(mean, worst));
            who = mean > worst ? i : who;
            worst = fmax(mean, worst);
        }
    }
    double apart = worst - second;
    if (__builtin_popcount(e->here) > LEFT_ALWAYS &&
        exp(-e->problem->options->drop_exponent * apart * apart * e->asked) <
            e->problem->options->drop) {
        e->here &= ~(UINT32_C(1) << who);
    }
}

static void agree(episode *e, const tester *t, int32_t change)
{
    for (int32_t i = 0; i < e->problem->given.count; i++) {
        bool agrees = ((t->first >> i & 1) != 0) == t->right;
        e->agreed[i] += agrees ? change : 0;
    }
}

/* All labelers vote on a tester; its label is the majority of its labels so far. */
static bool label_tester(episode *e, tester *t, uint32_t votes)
{
    bool right = majority(e, e->here, votes);
    bool before = t->labelled > 0;
    if (before) {
        agree(e, t, -1);
    } else {
        t->first = votes;
    }
    t->right_twice += right ? 2 : 0;
    t->labelled++;
    t->right = t->right_twice == t->labelled ? coin(e) : t->right_twice > t->labelled;
    agree(e, t, 1);
    e->asked++;
    for (int32_t i = 0; i < e->problem->given.count; i++) {
        e->differed[i] += ((votes >> i & 1) != 0) != right;
    }
    if (e->problem->options->drop > 0) {
        drop(e);
    }
    e->set_of = -1;
    return right;
}

static og_status add_tester(episode *e, uint32_t votes, bool *right)
{
    tester *grown = og_grown(e->testers, &e->room, (size_t)e->count + 1, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    e->testers = grown;
    grown[e->count] = (tester){.labelled = 0};
    grown[e->count].context = e->context;
    *right = label_tester(e, &grown[e->count++], votes);
    return OG_OK;
}

/* Draw one of the testers that were labelled fewer than `times` times. */
static tester *draw_tester(episode *e, int64_t times)
{
    int32_t open = 0;
    for (int32_t k = 0; k < e->count; k++) {
        open += e->testers[k].labelled < times;
    }
    uint64_t bits = og_draw(e->seed, OG_DRAW_TIE, e->run, WHICH, e->drawn++);
    int32_t which = (int32_t)og_draw_below(bits, (uint32_t)open);
    for (int32_t k = 0;; k++) {
        which -= e->testers[k].labelled < times;
        if (which < 0) {
            return &e->testers[k];
        }
    }
}

/* Choose the set, with estimates from these testers. Without testers it is all labelers, with one
 * vote each. */
static og_status select_by(episode *e, const og_ls_ol *by, const int32_t *agreed, int32_t testers)
{
    e->weighs = by->weighted && testers > 0;
    e->set = e->here;
    OG_TRY(testers > 0 ? og_ls_ol_select(&e->problem->given, by->weighted, e->here, agreed, testers,
                                         &e->by, &e->set)
                       : OG_OK);
    return e->weighs ? weighted_right(e, e->set, &e->set_right)
                     : majority_right(e, e->set, &e->set_right);
}

static og_status select_set(episode *e, const og_ls_ol *by, int32_t time)
{
    if (has_unit_contexts(e)) {
        int32_t agreed[OG_LABELERS_MAX] = {0}, testers = count_cell(e, time, agreed);
        return select_by(e, by, agreed, testers);
    }
    if (e->set_of == e->asked) {
        return OG_OK;
    }
    e->set_of = e->asked;
    return select_by(e, by, e->agreed, e->count);
}

static bool weighted_vote(episode *e, uint32_t set, uint32_t right)
{
    double odds = 0;
    const double tie = 1e-12;
    for (int32_t i = 0; i < e->by.count; i++) {
        double one = (set >> i & 1) != 0 ? log(e->by.chance[i] / e->by.chance_wrong[i]) : 0;
        odds += (right >> i & 1) != 0 ? one : -one;
    }
    return fabs(odds) < fmax(tie, e->by.eps) ? coin(e) : odds > 0;
}

/* Label a tester again, in the tester's own context. */
static void label_again(episode *e, tester *t)
{
    uint32_t asked = e->here; /* one of them may leave */
    take_context(e, t->context);
    label_tester(e, t, vote(e, asked, e->drawn++, true));
    label(e, coin(e), 0.5, asked);
}

static og_status step_ls_ol(episode *e, const og_ls_ol *by, og_ls_ol_state *now)
{
    bool right = false;
    double expected;
    uint32_t asked = e->here; /* one of them may leave */
    og_ls_ol_step step = og_ls_ol_next(now);
    arrive(e, now->time);
    switch (step) {
    case OG_LS_OL_AGAIN:
        label_again(e, draw_tester(e, now->times));
        return OG_OK;
    case OG_LS_OL_NEW:
        OG_TRY(majority_right(e, asked, &expected));
        OG_TRY(add_tester(e, vote(e, asked, (uint32_t)now->time, false), &right));
        label(e, right, expected, asked);
        return OG_OK;
    case OG_LS_OL_EXPLOIT:
        break;
    }
    OG_TRY(select_set(e, by, now->time));
    uint32_t votes = vote(e, e->set, (uint32_t)now->time, false);
    label(e, e->weighs ? weighted_vote(e, e->set, votes) : majority(e, e->set, votes), e->set_right,
          e->set);
    return OG_OK;
}

static og_status play_ls_ol(episode *e, const og_strategy *strategy, og_labelers_way way)
{
    og_ls_ol by = labelers_algorithm(e->problem, way);
    og_ls_ol_state now;
    bool right;
    by.budget = e->left;
    og_ls_ol_begin(&by, &now);
    arrive(e, 0);
    OG_TRY(add_tester(e, vote(e, e->here, 0, false), &right));
    for (int32_t t = 1; t <= by.budget; t++) {
        OG_TRY(og_run_status(strategy, t));
        OG_TRY(step_ls_ol(e, &by, &now));
    }
    return OG_OK;
}

/* ---- policies that use the prior ---- */

/* Update the weights of the hypotheses after these votes. Returns the probability that the votes,
 * as bits, are the right labels. */
static double learn(episode *e, uint32_t set, uint32_t votes)
{
    const og_labelers_prior *prior = e->problem->prior;
    double ones = 0, all = 0;
    for (int32_t h = 0; h < prior->hypotheses; h++) {
        double right = e->weight[h], wrong = e->weight[h];
        for (int32_t i = 0; i < prior->count; i++) {
            bool in = (set >> i & 1) != 0, one = (votes >> i & 1) != 0;
            const og_labelers *at = &prior->at[h];
            right *= !in ? 1 : one ? at->chance[i] : at->chance_wrong[i];
            wrong *= !in ? 1 : one ? at->chance_wrong[i] : at->chance[i];
        }
        e->weight[h] = right + wrong;
        ones += right;
        all += right + wrong;
    }
    for (int32_t h = 0; h < prior->hypotheses; h++) {
        e->weight[h] /= all;
    }
    return ones / all;
}

static og_status play_knowing(episode *e, const og_strategy *by, og_labelers_way way)
{
    const labelers *problem = e->problem;
    double expected = 0;
    int32_t c = 0;
    if (!problem->played) {
        memcpy(e->weight, problem->game->weight,
               (size_t)problem->prior->hypotheses * sizeof *e->weight);
        c = og_labelers_greedy(problem->game, e->weight);
    }
    bool fixed = way == OG_LABELERS_BY_EVERYBODY || way == OG_LABELERS_BY_BAYES_VOTE;
    e->by = *e->at;
    for (int32_t t = 1; t <= e->left; t++) {
        OG_TRY(og_run_status(by, t));
        uint32_t set = fixed             ? e->here
                       : problem->played ? e->best_set
                                         : problem->game->choice[c].members;
        arrive(e, t);
        uint32_t votes = vote(e, set, (uint32_t)t, false);
        if (problem->options->weighted) { /* accuracies are known, and the set does not change */
            OG_TRY(t > 1 ? OG_OK : weighted_right(e, set, &expected));
            label(e, weighted_vote(e, set, votes), expected, set);
            continue;
        }
        if (way == OG_LABELERS_BY_BAYES_VOTE) {
            double one = learn(e, set, votes);
            bool tie = fabs(one - 0.5) < OG_LABELERS_TIE; /* rounding must not decide */
            label(e, tie ? coin(e) : one > 0.5, fmax(one, 1 - one), set);
            continue;
        }
        OG_TRY(majority_right(e, set, &expected));
        label(e, majority(e, set, votes), expected, set);
        if (way == OG_LABELERS_BY_GREEDY) {
            learn(e, set, votes);
            c = og_labelers_greedy(problem->game, e->weight);
        }
    }
    return OG_OK;
}

/* ---- the environment ---- */

static int32_t draw_hypothesis(const labelers *problem, double rest)
{
    int32_t h = 0;
    while (h + 1 < problem->prior->hypotheses && (rest -= problem->game->weight[h]) >= 0) {
        h++;
    }
    return h;
}

static int32_t drawn_hypotheses(const labelers *problem)
{
    return problem->options->contexts == 0 ? 2 : problem->options->contexts;
}

/* Draw the accuracies of a run from the truth. */
static void draw_accuracies(episode *e)
{
    const og_truth *truth = e->all->truth;
    e->own = e->problem->given;
    for (int32_t i = 0; truth != NULL && i < e->own.count; i++) {
        const og_draw_place from = {e->run_seed, OG_DRAW_TRUTH, e->run, (uint32_t)i, 0};
        double low = og_fraction_double(truth->a), high = og_fraction_double(truth->b);
        double right = truth->kind == OG_TRUTH_UNIFORM
                           ? low + (high - low) * og_beta_draw(1, 1, &from)
                           : og_beta_draw(low, high, &from);
        og_labelers_set_double(&e->own, i, right, 1 - right);
    }
}

/* The seed of a context; a single context uses the seed of the run. */
static uint64_t seed_of(const episode *e, uint64_t seed, uint64_t run, int32_t context)
{
    return e->problem->options->contexts <= 1
               ? seed
               : og_draw(seed, OG_DRAW_TRUTH, run, CONTEXT_SEED, (uint32_t)context);
}

/* Draw the number of tasks and the accuracies of each context, all contexts being equally likely;
 * or draw the accuracies of the contexts 0 and 1. */
static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *counts)
{
    episode *e = self;
    int32_t contexts = e->problem->options->contexts;
    (void)counts;
    e->run_seed = seed;
    e->run = run;
    if (e->problem->played) {
        draw_accuracies(e);
        e->tasks[0] = e->problem->left;
        return;
    }
    for (int32_t c = 0; c < drawn_hypotheses(e->problem); c++) {
        uint32_t number = contexts == 0 ? (uint32_t)c : 0;
        uint64_t bits = og_draw(seed_of(e, seed, run, c), OG_DRAW_TRUTH, run, HYPOTHESIS, number);
        e->tasks[c] = contexts <= 1 ? e->problem->left : 0;
        e->hypothesis_of[c] = draw_hypothesis(e->problem, og_draw_unit(bits));
    }
    for (int32_t t = 0; contexts > 1 && t < e->problem->left; t++) {
        uint64_t bits = og_draw(seed, OG_DRAW_TRUTH, run, CONTEXT, (uint32_t)t);
        e->tasks[og_draw_below(bits, (uint32_t)contexts)]++;
    }
}

/* Find the best set for the accuracies, which regrets are compared with: that of the votes that the
 * policy counts, as in `compare`. */
static og_status find_best(episode *e, og_labelers_way way)
{
    const og_labelers_options *options = e->problem->options;
    bool weighted =
        options->weighted || (way == OG_LABELERS_BY_LS_OL_WEIGHTED && options->unknown == NULL);
    if (has_unit_contexts(e)) {
        e->best_right = e->best_of = NAN;
        return OG_OK;
    }
    OG_TRY(og_votes_best(e->at, weighted, &e->best_set, &e->best_right));
    if (options->nobody && e->best_right < 0.5) {
        e->best_set = 0;
        e->best_right = 0.5;
    }
    e->best_of = isnan(e->best_right) ? NAN : cost_of(e, e->best_set);
    return OG_OK;
}

/* Play a context. It depends only on its own tasks, so contexts may be played one after the
 * other. */
static og_status play_context(episode *e, const og_strategy *by, int32_t context)
{
    og_labelers_way way = og_labelers_way_of(by);
    e->seed = seed_of(e, e->run_seed, e->run, context);
    e->at = has_unit_contexts(e) ? &e->between
            : e->problem->played ? &e->own
                                 : &e->problem->prior->at[e->hypothesis_of[context]];
    e->left = e->tasks[context];
    e->count = e->asked = 0;
    e->drawn = 0;
    e->here = (UINT32_C(1) << e->problem->given.count) - 1;
    e->set_of = -1;
    memset(e->agreed, 0, sizeof e->agreed);
    memset(e->differed, 0, sizeof e->differed);
    e->has_majority = false;
    OG_TRY(find_best(e, way));
    bool learns = way == OG_LABELERS_BY_LS_OL || way == OG_LABELERS_BY_LS_OL_WEIGHTED;
    return learns ? play_ls_ol(e, by, way) : play_knowing(e, by, way);
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    episode *e = self;
    double price = og_fraction_double(e->problem->options->price);
    (void)ties, (void)message;
    e->right = e->expected = e->cost = e->best_expected = e->best_cost = 0;
    e->done = e->noted = 0;
    e->curve = &metric[OG_CORRECT + 1];
    note(e); /* without tasks */
    for (int32_t c = 0; c == 0 || c < e->problem->options->contexts; c++) {
        OG_TRY(play_context(e, by, c));
    }
    metric[OG_EXPECTED] = e->expected - price * e->cost - e->prior; /* a gain */
    metric[OG_CORRECT] = e->right - price * e->cost;
    return OG_OK;
}

static void episode_free(void *self)
{
    episode *e = self;
    if (e != NULL) {
        free(e->testers);
    }
    og_arena_free(e);
}

static og_status make_environment(void *self, og_environment *out)
{
    const setting *all = self;
    const labelers *problem = all->problem;
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->all = all;
    e->problem = problem;
    size_t hypotheses = problem->played ? 0 : (size_t)problem->prior->hypotheses;
    e->weight = og_arena_array(&e->arena, hypotheses, sizeof *e->weight);
    e->between = problem->given;
    e->tasks = og_arena_array(&e->arena, (size_t)drawn_hypotheses(problem), sizeof *e->tasks);
    e->hypothesis_of =
        og_arena_array(&e->arena, (size_t)drawn_hypotheses(problem), sizeof *e->hypothesis_of);
    double error;
    og_status status = og_arena_status(&e->arena);
    OG_THEN(status, og_family_prior(&og_family_labelers, problem, &e->prior, &error, NULL, NULL));
    if (status != OG_OK) {
        episode_free(e);
        return status;
    }
    *out = (og_environment){.self = e, .begin = begin, .play = play, .free = episode_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    return og_family_strategy(&og_family_labelers, ((const setting *)self)->problem, policy, NULL,
                              out, message);
}

static og_status check_truth(const labelers *problem, const og_truth *truth, og_message *message)
{
    if (og_truth_is_prior(truth)) {
        return OG_OK;
    }
    if (!problem->played) {
        return og_family_lacks(&og_family_labelers, "--truth other than prior", message);
    }
    bool drawn = truth->kind == OG_TRUTH_UNIFORM || truth->kind == OG_TRUTH_BETA;
    return drawn && truth->workers == NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--truth must be prior, uniform:LO,HI or beta:A,B with --problem "
                                "labelers; the INSTANCE words are a list of accuracies");
}

static og_status check_curve(const og_source *source, const labelers *problem, og_message *message)
{
    if (source->at_count > 1 && source->at[0] == 0) {
        return og_message_set(message, OG_BAD_INPUT, "--at must be tasks from 1 to -T, not 0");
    }
    return source->at_count > 1 && problem->options->contexts != 1
               ? og_message_set(message, OG_BAD_INPUT, "--at does not support --contexts; omit it")
               : OG_OK;
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const labelers *problem = source->problem;
    const og_truth *truth = source->truth;
    double scale = problem->played ? 1 : problem->game->scale;
    double error =
        problem->played ? og_labelers_error(OG_LABELERS_WEIGHED_MAX) : problem->game->error;
    (void)use;
    for (int32_t i = 0; problem->options->contexts == 0 && i < problem->given.count; i++) {
        scale += og_fraction_double(problem->options->price) *
                 og_fraction_double(problem->given.cost[i]);
    }
    OG_TRY(check_truth(problem, truth, message));
    OG_TRY(check_curve(source, problem, message));
    if (problem->options->drop > 0 && problem->given.count <= LEFT_ALWAYS) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--drop requires more than %d labelers, and there are %d; omit it",
                              LEFT_ALWAYS, problem->given.count);
    }
    setting *all = og_arena_new(sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->problem = problem;
    all->truth = og_truth_is_prior(truth) ? NULL : truth;
    all->at = source->at;
    all->at_count = source->at_count;
    *out = (og_environments){.self = all,
                             .totals = 2,
                             .metric_count = 2 + LABELERS_POINT_METRICS * source->at_count,
                             .size = problem->left,
                             .gain_max = problem->left * scale,
                             .run_error = problem->left * error * scale,
                             .all_labels = NAN,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = og_arena_free};
    return og_family_prior(&og_family_labelers, problem, &out->prior, &out->prior_error, NULL,
                           message);
}

og_source labelers_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}

void labelers_put_point(const char *policy, const og_estimate *metric, int32_t at_count,
                        og_document *object)
{
    static const char *const names[LABELERS_POINT_METRICS][2] = {
        [LABELERS_REWARD] = {"reward", "reward_standard_error"},
        [LABELERS_REGRET] = {"regret", "regret_standard_error"},
        [LABELERS_COST_REGRET] = {"cost_regret", "cost_regret_standard_error"}};
    (void)policy;
    for (int32_t k = LABELERS_REWARD; k < LABELERS_POINT_METRICS; k++) {
        og_put_number(object, names[k][0], metric[k * at_count].mean);
        og_put_number(object, names[k][1], metric[k * at_count].standard_error);
    }
}
