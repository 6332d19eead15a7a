/*
 * Ranking by comparisons as a family: opens and describes a problem. -T counts the comparisons to
 * come and those of --history.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/families/ranking/problem.h"
#include "bench/history.h"
#include "bench/simulation/ranking_document.h"
#include "dp/base/fraction.h"

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    ranking *own = problem;
    if (own != NULL) {
        if (own->exact != NULL) {
            og_ranking_free(own->exact->ranking);
            og_lock_clear(&own->exact->lock);
        }
        free(own->exact);
        free(own->made);
    }
    free(own);
}

static og_status exact_for_runs(void *self, const og_ranking **out, og_message *message)
{
    return ranking_exact(self, NULL, out, message); /* few items: a moment */
}

static int32_t pair_count(const ranking *problem)
{
    return problem->items * (problem->items - 1) / 2;
}

static og_status make_problem(ranking *problem, const og_problem_text *given,
                              const og_settings *settings, og_message *message)
{
    problem->options = given->options;
    problem->history = given->history;
    problem->whole_budget = given->budget;
    OG_TRY(ranking_read(problem, given, message));
    problem->left = og_problem_text_left(given);
    int64_t open = (int64_t)pair_count(problem) * problem->workers - problem->had;
    problem->left = problem->workers > 0 && open < problem->left ? (int32_t)open : problem->left;
    problem->memory_bytes = settings->memory_bytes;
    problem->stop = og_stop_of(settings);
    problem->exact = calloc(1, sizeof *problem->exact);
    OG_TRY(OG_ALLOCATED(problem->exact));
    og_lock_init(&problem->exact->lock);
    problem->played = (og_ranking_problem){
        .setting = {problem->items, problem->workers, problem->start_belief, NULL},
        .budget = problem->left,
        .had = problem->had,
        .exact = exact_for_runs,
        .self = problem};
    return OG_OK;
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    ranking *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    og_status status = make_problem(own, given, settings, message);
    return OG_MADE(status, own, close_problem, problem);
}

/* ---- acts: a pair and, if there are workers, a worker ---- */

/* A NULL open means to count only. */
static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const ranking *own = problem;
    int32_t count = 0;
    if (open == NULL) { /* a worker compares a pair once */
        int64_t pairs = (int64_t)own->items * (own->items - 1) / 2;
        int64_t all = own->workers > 0 ? pairs * own->workers - own->had : pairs;
        return own->left == 0 ? 0 : all < room ? (int32_t)all : room;
    }
    for (int32_t i = 0; own->left > 0 && i < own->items; i++) {
        for (int32_t j = i + 1; j < own->items; j++) {
            for (int32_t w = 0; (w == 0 || w < own->workers) && count < room; w++) {
                og_act_open next = {ranking_act(i, j, w), 1};
                if (ranking_was_asked(own, next.act)) {
                    continue;
                }
                open[count++] = next;
            }
        }
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const ranking *own = problem;
    og_text out = og_text_begin(text, size);
    og_text_add(&out, "%" PRIu32 " and %" PRIu32, act.part[0] + 1, act.part[1] + 1);
    if (own->workers > 0) {
        og_text_add(&out, " by worker %" PRIu32, act.part[2] + 1);
    }
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const ranking *own = problem;
    char text[RANKING_WORD_BYTES];
    og_document *object = og_put_object(array, NULL);
    act_text(problem, act, text, sizeof text);
    og_put_text(object, "text", text);
    og_document *pair = og_put_array(object, "pair");
    og_put_whole(pair, NULL, act.part[0]);
    og_put_whole(pair, NULL, act.part[1]);
    if (own->workers > 0) {
        og_put_whole(object, "worker", act.part[2]);
    } else {
        og_put_null(object, "worker");
    }
    return object;
}

static void sizes(const void *problem, og_problem_size *out)
{
    const ranking *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->left,
                             .decisions = 1,
                             .unvalued = !own->small || own->whole_budget > OG_RANKING_LABELS_MAX,
                             .acts = acts(problem, NULL, INT32_MAX),
                             .metric = {.unit = "share of pairs in order", .share = true}};
}

static const char *policies(const void *problem)
{
    const ranking *own = problem;
    if (own->workers > 0) {
        return own->items <= 4 ? "uniform,kg-exact,akg" : "uniform,akg";
    }
    return own->items <= 4 ? "uniform,distance,kg-exact,akg" : "uniform,distance,akg";
}

static void describe_workers(const ranking *problem, og_document *object, og_document *document)
{
    const og_groups *priors = &problem->options->workers;
    og_document *rows = og_put_array(object, "workers");
    for (int32_t g = 0; g < priors->group_count; g++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_parameters(row, "prior", og_groups_at(priors, g));
        og_put_whole(row, "count", (uint64_t)og_groups_at(priors, g)->count);
    }
    og_put_bool(object, "once", true);
    og_show_workers(document, priors);
    og_show_more(document, ", each asked once about a pair at most");
}

static void describe(const void *problem, og_document *document)
{
    const ranking *own = problem;
    char words[OG_RANKING_PLAYED_MAX * RANKING_WORD_BYTES];
    og_text text = og_text_begin(words, sizeof words);
    og_document *object = og_put_object(document, "problem");
    og_document *rows = og_put_array(object, "instances");
    for (int32_t i = 0, count = 0; i < own->items; i += count) {
        char number[RANKING_WORD_BYTES];
        og_document *row = og_put_object(rows, NULL);
        for (count = 1; i + count < own->items && own->group[i + count] == own->group[i];) {
            count++;
        }
        og_fraction_format(own->parameter[i], number, sizeof number);
        og_text_add(&text, i > 0 ? " " : "");
        og_text_add(&text, count > 1 ? "%" PRId32 "x%s" : "%.0" PRId32 "%s", count > 1 ? count : 0,
                    number);
        double parameter = og_fraction_double(own->parameter[i]);
        og_put_numbers(row, "prior", &parameter, 1);
        og_put_whole(row, "count", (uint64_t)count);
    }
    og_put_whole(object, "budget", (uint64_t)own->whole_budget);
    og_put_text(object, "objective", "ranking");
    og_show_field(document, "Problem", "%s (%" PRId32 " items to rank)", words, own->items);
    if (own->workers > 0) {
        describe_workers(own, object, document);
    }
    og_history_describe(own->history, document, object);
    og_show_field(document, "Comparisons", "%" PRId32, own->left);
}

/* "1>2@1, 1>3@2", as a history. */
static void add_answers(const ranking *problem, const og_ranking_counts *counts, og_text *out)
{
    for (int32_t i = 0, pair = 0; i < problem->items; i++) {
        for (int32_t j = i + 1; j < problem->items; j++, pair++) {
            for (int32_t w = 0; w < problem->workers; w++) {
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

static void add_wins(const ranking *problem, const og_ranking_counts *counts, og_text *out)
{
    for (int32_t i = 0; i < problem->items; i++) {
        og_text_add(out, "%s%d", i > 0 ? " " : "wins ", counts->wins[i]);
    }
    const char *before = "; compared ";
    for (int32_t i = 0, p = 0; i < problem->items; i++) {
        for (int32_t j = i + 1; j < problem->items; j++, p++) {
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

static void put_counts(const void *problem, const double *counts, og_document *object)
{
    const ranking *own = problem;
    og_ranking_put_counts(own->items, own->workers, counts, object);
}

static void show_counts(const void *problem, const char *policy, const double *counts,
                        og_document *document)
{
    const ranking *own = problem;
    og_ranking_show_counts(own->items, own->workers, policy, counts, document);
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const ranking *own = problem;
    const og_ranking_state *now = state;
    og_text out = og_text_begin(text, size);
    if (own->workers > 0) {
        add_answers(own, now->counts, &out);
    } else {
        add_wins(own, now->counts, &out);
    }
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "%" PRIu32 " wins", act.part[answer == 1 ? 0 : 1] + 1);
}

static const char *const bound_names[] = {"pairs", "split", "everything", NULL};

/* ---- options ---- */

static const og_option_row rows[] = {
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_ranking_options, workers,
              .topic = OG_TOPIC_RANKING, .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "N workers (default: 1) whose reliability is unknown: a worker names the "
                      "winner of a comparison with a probability that has the prior Beta(A,B), "
                      "otherwise the other item. May be repeated",
              .count = offsetof(og_ranking_options, workers.group_count), .repeats = true),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_ranking_options *own = options;
    og_groups_clear(&own->workers);
}

static const og_option_set option_set = {rows, sizeof(og_ranking_options), clear};

const og_family og_family_ranking = {
    .name = "ranking",
    .objectives = "ranking",
    .options = &option_set,
    .model = {.bounds = bound_names,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .prior = ranking_prior,
              .strategy = ranking_strategy,
              .keeps_names = true,
              .model = ranking_model,
              .solve = ranking_solve,
              .bound = ranking_bound},
    .words = {.problems = "ranking",
              .act_name = "pair",
              .verb = "compare",
              .budget_name = "Comparisons",
              .history = "1>2 3>1",
              .legend = "akg, distance and sorting rank the items by a belief of their own.",
              .describe = describe,
              .act_text = act_text,
              .put_act = put_act,
              .state_text = state_text,
              .answer_text = answer_text},
    .runs = {.source = source,
             .curves = "labels",
             .put_counts = put_counts,
             .show_counts = show_counts},
};
