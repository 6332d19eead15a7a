/*
 * Ranking by comparisons as a family. -T counts the comparisons to come and those of --history.
 */
#include "bench/families/ranking.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/history.h"
#include "bench/simulation/sources.h"
#include "dp/base/fraction.h"
#include "dp/base/golden.h"
#include "dp/base/number.h"
#include "dp/base/parallel.h"
#include "dp/families/ranking_bounds.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_policy.h"

enum {
    SMALL = OG_RANKING_ITEMS_MAX,
    ITEMS = OG_RANKING_PLAYED_MAX,
    WORKERS = OG_RANKING_CROWD_MAX,
    WORD_BYTES = 48,
};

/* The exact side, made when it is first asked for. */
typedef struct {
    og_lock lock;
    bool tried;
    og_status status;
    og_message why;
    og_ranking *ranking;
} exact_side;

typedef struct {
    og_act act;
    bool first; /* won */
} comparison;

typedef struct {
    int32_t items, workers;
    og_fraction parameter[ITEMS];             /* of the Dirichlet */
    int32_t group[ITEMS];                     /* by equal parameters */
    double start_belief[ITEMS + 2 * WORKERS]; /* the prior: items, then mu, nu of the workers */
    double belief[ITEMS + 2 * WORKERS];       /* that stands in for the posterior at the root */
    bool small; /* exact values are known; else the next two mean nothing */
    og_ranking_prior prior;
    og_ranking_counts start;
    comparison *made; /* [had] the history */
    int32_t had;
    int32_t whole_budget;
    int32_t left;
    uint64_t memory_bytes;
    const char *history; /* borrowed */
    const og_ranking_options *options;
    exact_side *exact;
    og_ranking_problem played;
} ranking;

/* ---- words ---- */

static og_status bad_word(const char *word, const char *why, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "item '%.60s' %s; --objective ranking takes [COUNTx]A, COUNT items with "
                          "the Dirichlet parameter A > 0, such as 3x1",
                          word, why);
}

static og_status add_items(ranking *of, const char *word, og_message *message)
{
    int64_t count;
    og_fraction parameter;
    const char *wrong = og_counted_parse(word, &count, &parameter);
    if (wrong != NULL || parameter.num <= 0) {
        return bad_word(word,
                        wrong != NULL ? wrong : "has no parameter that is a decimal greater than 0",
                        message);
    }
    if (count > ITEMS - of->items) {
        return og_message_set(message, OG_STOPPED, "a ranking is of up to %d items; these are more",
                              ITEMS);
    }
    for (int64_t k = 0; k < count; k++) {
        int32_t i = of->items++;
        of->parameter[i] = parameter;
        of->group[i] = i;
        for (int32_t j = i; j-- > 0;) {
            of->group[i] = og_fraction_compare(of->parameter[j], parameter) == 0 ? j : of->group[i];
        }
    }
    return OG_OK;
}

/* "I>J", with workers "I>J@W". */
static bool parse_comparison(const ranking *of, char *word, int64_t *winner, int64_t *loser,
                             int64_t *worker)
{
    char *than = strchr(word, '>'), *by = strchr(word, '@');
    bool crowd = of->workers > 0;
    if (than == NULL || (by != NULL) != crowd || (crowd && by < than)) {
        return false;
    }
    *than = '\0';
    if (crowd) {
        *by = '\0';
    }
    *worker = 1;
    return og_number_parse(word, 1, of->items, winner) &&
           og_number_parse(than + 1, 1, of->items, loser) && *winner != *loser &&
           (!crowd || og_number_parse(by + 1, 1, of->workers, worker));
}

static og_act act_of(int32_t i, int32_t j, int32_t w)
{
    return (og_act){{(uint32_t)(i < j ? i : j), (uint32_t)(i < j ? j : i), (uint32_t)w}};
}

/* Has this worker compared the pair? Others can be asked again. */
static bool was_asked(const ranking *of, og_act act)
{
    for (int32_t k = 0; of->workers > 0 && k < of->had; k++) {
        if (og_act_equal(of->made[k].act, act)) {
            return true;
        }
    }
    return false;
}

static og_status learn(ranking *of, int32_t i, int32_t j, int32_t w, og_message *message)
{
    double *worker = of->workers > 0 ? &of->belief[of->items + 2 * w] : NULL;
    comparison *made = realloc(of->made, ((size_t)of->had + 1) * sizeof *made);
    if (made == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->made = made;
    made[of->had++] = (comparison){act_of(i, j, w), i < j};
    if (of->small) {
        og_ranking_add(&of->prior, &of->start, i, j, w);
    }
    if (!og_ranking_match(of->belief, of->items, worker, i, j)) {
        return og_message_set(message, OG_FAILED,
                              "--history: at '%" PRId32 ">%" PRId32
                              "' the belief leaves the range of doubles",
                              i + 1, j + 1);
    }
    return OG_OK;
}

static og_status add_comparison(ranking *of, og_history_word told, og_message *message)
{
    char word[WORD_BYTES];
    int64_t winner = 0, loser = 0, worker = 0;
    snprintf(word, sizeof word, "%.*s", (int)told.length, told.text);
    if (!parse_comparison(of, word, &winner, &loser, &worker)) {
        bool crowd = of->workers > 0;
        return og_history_refuse(
            told, message,
            "no comparison of two different items of 1 to %" PRId32 "%s, such as 1>2%s", of->items,
            crowd ? " by one of the workers" : "", crowd ? "@1" : "");
    }
    int32_t i = (int32_t)winner - 1, j = (int32_t)loser - 1, w = (int32_t)worker - 1;
    if (was_asked(of, act_of(i, j, w))) {
        return og_history_refuse(told, message,
                                 "a second comparison of this pair by worker %" PRId32, w + 1);
    }
    return learn(of, i, j, w, message);
}

static og_status read_history(ranking *of, const char *rest, og_message *message)
{
    og_history_word word;
    while (og_history_next(&rest, &word)) {
        OG_TRY(add_comparison(of, word, message));
    }
    return OG_OK;
}

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    ranking *of = problem;
    if (of != NULL) {
        if (of->exact != NULL) {
            og_ranking_free(of->exact->ranking);
            og_lock_clear(&of->exact->lock);
        }
        free(of->exact);
        free(of->made);
    }
    free(of);
}

static og_status read_words(ranking *of, const og_given *given, og_message *message)
{
    for (int32_t w = 0; w < given->word_count; w++) {
        OG_TRY(add_items(of, given->words[w], message));
    }
    if (given->instances != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the items of a ranking are given as words, [COUNTx]A");
    }
    if (of->items < 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a ranking needs at least two items, such as 3x1");
    }
    if (of->whole_budget < 0) {
        return og_message_set(message, OG_BAD_INPUT, "-T must be at least 0 for a ranking");
    }
    return OG_OK;
}

static og_status add_workers(ranking *of, const og_group *group, og_message *message)
{
    if (group->kind != OG_PRIOR_BETA || group->threshold.num * 2 != group->threshold.den) {
        char text[OG_GROUP_TEXT_BYTES];
        og_group_format(group, text, sizeof text);
        return og_message_set(message, OG_BAD_INPUT,
                              "workers %.64s: a worker of a ranking has a Beta, such as 4,1", text);
    }
    if (group->count > WORKERS - of->workers) {
        return og_message_set(message, OG_STOPPED, "a ranking has up to %d workers; these are more",
                              WORKERS);
    }
    for (int64_t k = 0; k < group->count; k++) {
        double *worker = &of->start_belief[of->items + 2 * of->workers++];
        worker[0] = og_fraction_double(group->a);
        worker[1] = og_fraction_double(group->b);
    }
    return OG_OK;
}

static og_status read_prior(ranking *of, og_message *message)
{
    const og_groups *workers = of->options != NULL ? &of->options->workers : NULL;
    for (int32_t g = 0; workers != NULL && g < workers->group_count; g++) {
        OG_TRY(add_workers(of, &workers->groups[g], message));
    }
    for (int32_t i = 0; i < of->items; i++) {
        of->start_belief[i] = og_fraction_double(of->parameter[i]);
    }
    memcpy(of->belief, of->start_belief, sizeof of->belief);
    of->small = of->items <= SMALL && of->workers <= OG_RANKING_WORKERS_MAX;
    if (of->small) {
        of->prior.items = of->items;
        of->prior.workers = of->workers;
        memcpy(of->prior.item, of->belief, (size_t)of->items * sizeof *of->belief);
        memcpy(of->prior.worker, &of->belief[of->items],
               (size_t)of->workers * sizeof *of->prior.worker);
    }
    if (of->options != NULL && of->options->once && of->workers == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--once is about workers: --workers-prior A,B");
    }
    return OG_OK;
}

/* ---- the exact side ---- */

static og_status make_exact(const ranking *of, og_ranking **out, og_message *message)
{
    if (!of->small) {
        return og_message_set(message, OG_STOPPED,
                              "exact values are known for up to %d items and %d workers; these are "
                              "more",
                              SMALL, OG_RANKING_WORKERS_MAX);
    }
    if (of->whole_budget > OG_RANKING_LABELS_MAX) {
        return og_message_set(message, OG_STOPPED, "exact values are known for -T of up to %d",
                              OG_RANKING_LABELS_MAX);
    }
    return og_ranking_new(&of->prior, &of->start, of->had, of->left, of->memory_bytes, out,
                          message);
}

/* As og_ranking_new, once for all. */
static og_status exact_of(const ranking *of, const og_ranking **out, og_message *message)
{
    exact_side *exact = of->exact;
    og_lock_take(&exact->lock);
    if (!exact->tried) {
        exact->status = make_exact(of, &exact->ranking, &exact->why);
        exact->tried = exact->status != OG_NO_MEMORY;
    }
    og_status status = exact->status;
    if (message != NULL && status != OG_OK) {
        *message = exact->why;
    }
    *out = exact->ranking;
    og_lock_release(&exact->lock);
    return status;
}

static og_status exact_for_runs(void *self, const og_ranking **out, og_message *message)
{
    return exact_of(self, out, message);
}

static int32_t pair_count(const ranking *of)
{
    return of->items * (of->items - 1) / 2;
}

static og_status fill(ranking *of, const og_given *given, const og_settings *settings,
                      og_message *message)
{
    of->options = given->options;
    of->history = given->history;
    of->whole_budget = given->budget;
    OG_TRY(read_words(of, given, message));
    OG_TRY(read_prior(of, message));
    OG_TRY(read_history(of, given->history, message));
    of->left = og_given_left(given);
    int64_t open = (int64_t)pair_count(of) * of->workers - of->had;
    of->left = of->workers > 0 && open < of->left ? (int32_t)open : of->left;
    of->memory_bytes = settings->memory_bytes;
    of->exact = calloc(1, sizeof *of->exact);
    if (of->exact == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    og_lock_init(&of->exact->lock);
    of->played = (og_ranking_problem){.setting = {of->items, of->workers, of->start_belief},
                                      .budget = of->left,
                                      .had = of->had,
                                      .exact = exact_for_runs,
                                      .self = of};
    return OG_OK;
}

static og_status open_problem(const og_given *given, const og_settings *settings, void **problem,
                              og_message *message)
{
    ranking *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    og_status status = fill(of, given, settings, message);
    if (status != OG_OK) {
        close_problem(of);
        return status;
    }
    *problem = of;
    return OG_OK;
}

/* ---- what can be done: a pair, by a worker where there are some ---- */

/* NULL: only counted. */
static int32_t acts(const void *problem, og_open *open, int32_t room)
{
    const ranking *of = problem;
    int32_t count = 0;
    for (int32_t i = 0; of->left > 0 && i < of->items; i++) {
        for (int32_t j = i + 1; j < of->items; j++) {
            for (int32_t w = 0; (w == 0 || w < of->workers) && count < room; w++) {
                og_open next = {act_of(i, j, w), 1};
                if (was_asked(of, next.act)) {
                    continue;
                }
                if (open != NULL) {
                    open[count] = next;
                }
                count++;
            }
        }
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const ranking *of = problem;
    og_text out = og_text_begin(text, size);
    og_text_add(&out, "%" PRIu32 " and %" PRIu32, act.part[0] + 1, act.part[1] + 1);
    if (of->workers > 0) {
        og_text_add(&out, " by worker %" PRIu32, act.part[2] + 1);
    }
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const ranking *of = problem;
    char text[WORD_BYTES];
    og_document *object = og_put_object(array, NULL);
    act_text(problem, act, text, sizeof text);
    og_put_text(object, "text", text);
    og_document *pair = og_put_array(object, "pair");
    og_put_whole(pair, NULL, act.part[0]);
    og_put_whole(pair, NULL, act.part[1]);
    if (of->workers > 0) {
        og_put_whole(object, "worker", act.part[2]);
    } else {
        og_put_null(object, "worker");
    }
    return object;
}

static void sizes(const void *problem, og_sizes *out)
{
    const ranking *of = problem;
    *out = (og_sizes){.budget = of->whole_budget,
                      .left = of->left,
                      .decisions = 1,
                      .unvalued = !of->small || of->whole_budget > OG_RANKING_LABELS_MAX,
                      .acts = acts(problem, NULL, INT32_MAX),
                      .metric = {.unit = "share of pairs in order", .share = true}};
}

static const char *policies(const void *problem)
{
    const ranking *of = problem;
    if (of->workers > 0) {
        return of->items <= 4 ? "uniform,kg-exact,akg" : "uniform,akg";
    }
    return of->items <= 4 ? "uniform,distance,kg-exact,akg" : "uniform,distance,akg";
}

static void describe_workers(const ranking *of, og_document *object, og_document *document)
{
    const og_groups *priors = &of->options->workers;
    og_document *rows = og_put_array(object, "workers");
    for (int32_t g = 0; g < priors->group_count; g++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_parameters(row, "prior", &priors->groups[g]);
        og_put_whole(row, "count", (uint64_t)priors->groups[g].count);
    }
    og_put_bool(object, "once", true);
    og_show_instances(document, "Workers", priors, "worker");
    og_show_more(document, ", each asked once about a pair at most");
}

static void describe(const void *problem, og_document *document)
{
    const ranking *of = problem;
    char words[ITEMS * WORD_BYTES];
    og_text text = og_text_begin(words, sizeof words);
    og_document *object = og_put_object(document, "problem");
    og_document *rows = og_put_array(object, "instances");
    for (int32_t i = 0, count = 0; i < of->items; i += count) {
        char number[WORD_BYTES];
        og_document *row = og_put_object(rows, NULL);
        for (count = 1; i + count < of->items && of->group[i + count] == of->group[i];) {
            count++;
        }
        og_fraction_format(of->parameter[i], number, sizeof number);
        og_text_add(&text, i > 0 ? " " : "");
        og_text_add(&text, count > 1 ? "%" PRId32 "x%s" : "%.0" PRId32 "%s", count > 1 ? count : 0,
                    number);
        double parameter = og_fraction_double(of->parameter[i]);
        og_put_numbers(row, "prior", &parameter, 1);
        og_put_whole(row, "count", (uint64_t)count);
    }
    og_put_whole(object, "budget", (uint64_t)of->whole_budget);
    og_put_text(object, "objective", "ranking");
    og_show_field(document, "Problem", "%s (%" PRId32 " items to rank)", words, of->items);
    if (of->workers > 0) {
        describe_workers(of, object, document);
    }
    og_history_describe(of->history, document, object);
    og_show_field(document, "Comparisons", "%" PRId32, of->left);
}

/* ---- values ---- */

static og_status refuse_fractions(og_message *message)
{
    return og_family_lacks(&og_family_ranking, "--arithmetic exact", message);
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const ranking *of = problem;
    if (exact != NULL) {
        return refuse_fractions(message);
    }
    const og_ranking *known;
    og_status status = exact_of(of, &known, message);
    if (status == OG_STOPPED && of->had == 0) { /* then the belief is what is known */
        *value = og_ranking_sorted(of->belief, of->items);
        *error = 1e-12;
        return OG_OK;
    }
    OG_TRY(status);
    *value = known->prior;
    *error = known->prior * og_ranking_error(known);
    return OG_OK;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const ranking *of = problem;
    (void)use;
    if (name->function != NULL) {
        return og_family_lacks(&og_family_ranking, "a policy of your own", message);
    }
    const og_ranking *known;
    og_status status = exact_of(of, &known, message);
    if (status == OG_STOPPED) {
        const og_ranking_setting setting = {of->items, of->workers, of->belief};
        return og_ranking_player(name, &setting, out, message);
    }
    OG_TRY(status);
    return og_ranking_strategy(name, known, of->belief, out, message);
}

/* Where no value is known, what a policy would ask still is. */
typedef struct {
    og_arena arena;
    og_message why;
    const og_strategy *by;
    int32_t *won;
    og_ranking_played shown;
} picks_only;

static og_status value_unknown(void *self, og_found *out, og_message *message)
{
    (void)out;
    return og_message_set(message, OG_STOPPED, "%s", ((const picks_only *)self)->why.text);
}

static og_status q_unknown(void *self, const og_open *open, int32_t count, double *q, double *error,
                           og_message *message)
{
    (void)open, (void)count, (void)q, (void)error;
    return value_unknown(self, NULL, message);
}

static og_status pick(void *self, const og_open *open, int32_t count, bool *picked,
                      og_message *message)
{
    const picks_only *of = self;
    return og_strategy_picks(of->by, &of->shown, open, count, picked, message);
}

static og_status solve_picks(const ranking *of, const og_question *question, const og_message *why,
                             og_solution *out)
{
    picks_only *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    size_t items = (size_t)of->items;
    made->why = *why;
    made->by = question->by;
    made->won = og_arena_array(&made->arena, items * items, sizeof *made->won);
    made->shown = (og_ranking_played){.items = of->items, .won = made->won};
    made->shown.exact.left = of->left;
    for (int32_t k = 0; made->won != NULL && k < of->had; k++) {
        const comparison *one = &of->made[k];
        uint32_t winner = one->act.part[one->first ? 0 : 1], loser = one->act.part[one->first];
        made->won[winner * (uint32_t)of->items + loser]++;
    }
    *out = (og_solution){
        .self = made, .value = value_unknown, .q = q_unknown, .picks = pick, .free = og_arena_free};
    og_status status = og_arena_status(&made->arena);
    if (status != OG_OK) {
        og_solution_free(out);
    }
    return status;
}

static og_status solve(const void *problem, const og_question *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const ranking *of = problem;
    og_model model;
    const og_ranking *known;
    og_message why = {""};
    og_status status = exact_of(of, &known, &why);
    if (status == OG_STOPPED) {
        return solve_picks(of, question, &why, out);
    }
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", why.text);
    }
    OG_TRY(og_ranking_model(known, question, &model));
    return og_solution_by_engine(&model, question, settings, out, message);
}

/* ---- bounds ---- */

enum { BOUND_PAIRS, BOUND_SPLIT, BOUND_EVERYTHING };

/* The least bound so far, and its price. */
typedef struct {
    og_ranking_split *split;
    double value, error, price;
} search;

static double at_price(void *user, double price)
{
    search *s = user;
    double error, value = og_ranking_split_value(s->split, price, &error);
    if (value + error < s->value) {
        *s = (search){s->split, value + error, error, price};
    }
    return value;
}

/* Every pair for itself: at price 0; at the best price. */
static og_status bound_pairs(const og_ranking *of, int32_t which, const og_settings *settings,
                             og_upper_bound *out)
{
    const double price_most = 0.2;
    const int32_t points = 42; /* to 1e-9 */
    og_stop stop;
    search s = {.value = INFINITY};
    og_stop_init(&stop, settings->watch, settings->watch_user);
    og_status status =
        og_ranking_split_new(of, settings->threads, settings->memory_bytes, &stop, &s.split);
    double *price = NULL;
    if (status == OG_OK) {
        at_price(&s, 0);
        if (which == BOUND_SPLIT) {
            og_golden_least(at_price, &s, 0, price_most, points);
            price = malloc(sizeof *price);
            status = OG_ALLOCATED(price);
        }
    }
    if (status == OG_OK) {
        *out = (og_upper_bound){.value = s.value, .error = s.error, .converged = true};
        if (price != NULL) {
            *price = s.price;
            out->price = price;
            out->price_count = 1;
        }
    }
    og_ranking_split_free(s.split);
    return status == OG_STOPPED ? OG_OK : status;
}

static og_status bound(const void *problem, int32_t which, const og_settings *settings,
                       const og_exact_bound *least, og_upper_bound *out, og_exact_bound *exact,
                       og_message *message)
{
    const ranking *of = problem;
    double value = NAN, error = 0;
    (void)least;
    if (exact != NULL) {
        return refuse_fractions(message);
    }
    const og_ranking *known;
    og_status status = exact_of(of, &known, message);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status;
    }
    if (which != BOUND_EVERYTHING) {
        return bound_pairs(known, which, settings, out);
    }
    OG_TRY(og_ranking_everything(known, settings->memory_bytes, &value, &error));
    if (!isnan(value)) {
        *out = (og_upper_bound){.value = value + error, .error = error, .converged = true};
    }
    return OG_OK;
}

/* ---- state by state ---- */

static og_status steps(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message)
{
    const ranking *of = problem;
    const og_question optimum = {.reductions = 0}; /* items keep their names */
    const og_question question = {.by = use->by, .ties = use->ties};
    og_model model;
    if (use->exact) {
        return refuse_fractions(message);
    }
    const og_ranking *known;
    OG_TRY(exact_of(of, &known, message));
    OG_TRY(og_ranking_model(known, &optimum, &model));
    model.scale = 0; /* each state is measured, the root among them */
    return og_steps_by_engine(&model, &question, &use->settings, out, message);
}

/* "1>2@1, 1>3@2", as a history. */
static void add_answers(const ranking *of, const og_ranking_counts *counts, og_text *out)
{
    for (int32_t i = 0, pair = 0; i < of->items; i++) {
        for (int32_t j = i + 1; j < of->items; j++, pair++) {
            for (int32_t w = 0; w < of->workers; w++) {
                og_ranking_said said = og_ranking_answer(counts, w, pair);
                if (said != OG_RANKING_UNASKED) {
                    bool first = said == OG_RANKING_FIRST;
                    og_text_add(out, "%s%" PRId32 ">%" PRId32 "@%" PRId32,
                                out->length > 0 ? ", " : "", first ? i + 1 : j + 1,
                                first ? j + 1 : i + 1, w + 1);
                }
            }
        }
    }
    og_text_add(out, "%s", out->length > 0 ? "" : "no comparison");
}

static void add_wins(const ranking *of, const og_ranking_counts *counts, og_text *out)
{
    for (int32_t i = 0; i < of->items; i++) {
        og_text_add(out, "%s%d", i > 0 ? " " : "wins ", counts->wins[i]);
    }
    const char *before = "; compared ";
    for (int32_t i = 0, p = 0; i < of->items; i++) {
        for (int32_t j = i + 1; j < of->items; j++, p++) {
            if (counts->compared[p] > 0) {
                og_text_add(out, "%s%" PRId32 "-%" PRId32, before, i + 1, j + 1);
                if (counts->compared[p] > 1) {
                    og_text_add(out, " x%d", counts->compared[p]);
                }
                before = ", ";
            }
        }
    }
}

static og_source source(const void *problem, const og_truth *truth)
{
    return og_source_ranking(&((const ranking *)problem)->played, truth);
}

/* ---- runs ---- */

/* Comparisons of a pair, by how far the two stand apart, then of each worker. */
static void put_counts(const void *problem, const double *counts, og_document *object)
{
    const ranking *of = problem;
    og_document *pairs = og_put_array(object, "comparisons_by_distance");
    for (int32_t d = 1; d < of->items; d++) {
        og_put_number(pairs, NULL, counts[d - 1] / (of->items - d));
    }
    if (of->workers > 0) {
        og_put_numbers(object, "comparisons_by_worker", &counts[of->items - 1], of->workers);
    }
}

static void show_counts(const void *problem, const char *policy, const double *counts,
                        og_document *document)
{
    const ranking *of = problem;
    const int32_t shown = 20;
    char words[40 * WORD_BYTES];
    og_text text = og_text_begin(words, sizeof words);
    for (int32_t d = 1; d < of->items && d <= shown; d++) {
        og_text_add(&text, " %.3g", counts[d - 1] / (of->items - d));
    }
    og_show_paragraph(document, "%s: comparisons of a pair, by rank distance 1, 2, ...:%s%s",
                      policy, words, of->items > shown + 1 ? " ..." : "");
    text = og_text_begin(words, sizeof words);
    for (int32_t w = 0; w < of->workers && w < shown; w++) {
        og_text_add(&text, " %.3g", counts[of->items - 1 + w]);
    }
    if (of->workers > 0) {
        og_show_paragraph(document, "%s: comparisons by worker 1, 2, ...:%s%s", policy, words,
                          of->workers > shown ? " ..." : "");
    }
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const ranking *of = problem;
    const og_ranking_state *now = state;
    og_text out = og_text_begin(text, size);
    if (of->workers > 0) {
        add_answers(of, now->counts, &out);
    } else {
        add_wins(of, now->counts, &out);
    }
}

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    act_text(problem, act, text, size);
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "%" PRIu32 " wins", act.part[answer == 1 ? 0 : 1] + 1);
}

static const char *const bound_names[] = {"pairs", "split", "everything", NULL};

const og_family og_family_ranking = {
    .name = "ranking",
    .problems = "ranking",
    .objectives = "ranking",
    .options = &og_ranking_option_set,
    .acts_name = "actions",
    .act_name = "pair",
    .verb = "compare",
    .acts_between = "; ",
    .budget_name = "Comparisons",
    .history = "1>2 3>1",
    .bounds = bound_names,
    .note = "Values are the expected share of pairs that stand as their scores do. akg, distance "
            "and sorting rank the items by a belief of their own; 'called exactly' is what they "
            "are worth if the exact posterior does.",
    .open = open_problem,
    .close = close_problem,
    .sizes = sizes,
    .policies = policies,
    .describe = describe,
    .acts = acts,
    .act_text = act_text,
    .put_act = put_act,
    .prior = prior,
    .strategy = strategy,
    .solve = solve,
    .bound = bound,
    .source = source,
    .put_counts = put_counts,
    .show_counts = show_counts,
    .steps = steps,
    .state_text = state_text,
    .step_text = step_text,
    .answer_text = answer_text,
};
