/*
 * Labels from sources with prices as a family. If all accuracies are given, instances are
 * independent, and the product of their arms gives the optimum. The engine computes all other
 * values: of policies, and with unknown accuracies.
 */
#include "bench/families/sources/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"
#include "dp/base/world.h"
#include "dp/exact/exact.h"
#include "dp/exact/fractions.h"
#include "dp/families/sources.h"
#include "dp/product/optimum/optimum.h"
#include "dp/product/product.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/sources_bound.h"
#include "heuristics/bounds/sources_unknown_bound.h"
#include "heuristics/families/sources_policy.h"
#include "heuristics/families/sources_unknown_policy.h"

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    sources *own = problem;
    if (own != NULL) {
        og_arms_free(own->unlabelled);
        if (own->made != NULL) {
            og_sources_problem_clear(&own->made->problem);
            og_arms_free(own->made->arms);
            og_crowd_problem_clear(&own->made->unknown);
        }
        if (own->lock != NULL) {
            og_lock_clear(own->lock);
        }
        og_groups_clear(&own->instances);
    }
    og_arena_free(own);
}

static og_status make_problem(sources *problem, const og_problem_text *given, og_message *message)
{
    og_lock *lock = og_arena_array(&problem->arena, 1, sizeof *lock);
    problem->made = og_arena_array(&problem->arena, 1, sizeof *problem->made);
    OG_TRY(og_arena_status(&problem->arena));
    og_lock_init(lock);
    problem->lock = lock;
    OG_TRY(og_problem_text_instances(given, &problem->instances, message));
    og_groups now = problem->instances;
    og_fraction any[OG_SOURCES_MAX]; /* without labels accuracies do not matter */
    for (int32_t j = 0; j < OG_SOURCES_MAX; j++) {
        any[j] = (og_fraction){1, 2};
    }
    const og_sources known = og_crowd_as_known(&problem->options->given, any);
    now.budget = 0;
    return og_arms_new_sources(&now, &known, 1, UINT64_MAX, &problem->unlabelled, message);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    sources *own = og_arena_new(sizeof *own);
    (void)settings;
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    own->unknown = og_crowd_any(&own->options->given);
    own->whole_budget = given->budget;
    og_status status = make_problem(own, given, message);
    return OG_MADE(status, own, close_problem, problem);
}

static bool affordable(const sources *problem, int32_t j)
{
    return problem->options->given.sources.source[j].price <= problem->instances.budget;
}

/* How many of the first `count` sources are affordable: this is the number of the next one's action
 * at the root. */
static uint32_t affordable_of(const sources *problem, int32_t count)
{
    uint32_t number = 0;
    for (int32_t j = 0; j < count; j++) {
        number += affordable(problem, j);
    }
    return number;
}

static void sizes(const void *problem, og_problem_size *out)
{
    const sources *own = problem;
    int32_t open = (int32_t)affordable_of(own, own->options->given.sources.count);
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->instances.budget,
                             .decisions = og_groups_size(&own->instances),
                             .acts = own->instances.group_count * open,
                             .rational = true,
                             .metric = {.unit = "correct calls"}};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "naive,kg,cheapest,dearest";
}

/* Describe an accuracy: a number or the two of a Beta, and its text as given. */
static void describe_accuracy(const sources *problem, int32_t j, og_document *row, og_text *words)
{
    const og_fraction right = problem->options->given.sources.source[j].accuracy;
    const og_fraction wrong = problem->options->given.wrong[j];
    char text[48];
    og_fraction_format(right, text, sizeof text);
    og_text_add(words, ":%s", text);
    if (wrong.den > 0) {
        const double beta[2] = {og_fraction_double(right), og_fraction_double(wrong)};
        og_fraction_format(wrong, text, sizeof text);
        og_text_add(words, ",%s", text);
        og_put_numbers(row, "prior", beta, 2);
    } else {
        og_put_number(row, "accuracy", og_fraction_double(right));
    }
}

static void describe_source(const sources *problem, int32_t j, og_document *row, og_text *words)
{
    const og_label_source *source = &problem->options->given.sources.source[j];
    og_put_text(row, "name", problem->options->name[j]);
    og_put_whole(row, "price", (uint64_t)source->price);
    og_text_add(words, "%s:%d", problem->options->name[j], (int)source->price);
    describe_accuracy(problem, j, row, words);
    if (source->most > 0) {
        og_put_whole(row, "most", (uint64_t)source->most);
        og_text_add(words, ":%d", (int)source->most);
    }
}

static void describe(const void *problem, og_document *document)
{
    const sources *own = problem;
    og_document *object = og_describe_problem(document, &own->instances, "Budget");
    og_document *rows = og_put_array(object, "sources");
    char text[OG_SOURCES_MAX * 128];
    og_text words = og_text_begin(text, sizeof text);
    for (int32_t j = 0; j < own->options->given.sources.count; j++) {
        og_text_add(&words, j > 0 ? " " : "");
        describe_source(own, j, og_put_object(rows, NULL), &words);
    }
    og_show_field(document, "Sources", "%s", text);
}

/* ---- acts ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const sources *own = problem;
    int32_t used = 0;
    for (int32_t g = 0; g < own->instances.group_count; g++) {
        for (int32_t j = 0; j < own->options->given.sources.count; j++) {
            if (affordable(own, j) && used < room) {
                open[used++] = (og_act_open){{{(uint32_t)g, (uint32_t)j, 0}},
                                             og_groups_at(&own->instances, g)->count};
            }
        }
    }
    return used;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const sources *own = problem;
    char instance[OG_GROUP_TEXT_BYTES];
    og_group_format(og_groups_at(&own->instances, act.part[0]), instance, sizeof instance);
    snprintf(text, size, "%.100s by %s", instance, own->options->name[act.part[1]]);
}

/* ---- values ---- */

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const sources *own = problem;
    (void)message;
    *value = og_arms_prior_value(own->unlabelled, error);
    if (exact != NULL) {
        og_arms_exact_call(own->unlabelled, exact);
    }
    return OG_OK;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const sources *own = problem;
    const og_settings settings = {.threads = use->threads,
                                  .memory_bytes = use->memory_bytes,
                                  .watch = og_stop_watch,
                                  .watch_user = use->stop};
    OG_TRY(sources_need(own, &settings, message));
    return own->unknown ? og_crowd_strategy(name, &own->made->unknown, out, message)
                        : og_sources_strategy(name, &own->made->problem, use->stop, out, message);
}

typedef struct {
    const sources *problem;
    const og_arms *arms; /* borrowed */
    og_value_asked question;
    og_settings settings;
    og_optimum *optimum; /* NULL until needed */
} valued;

static og_status need_optimum(valued *v, og_message *message)
{
    return v->optimum != NULL ? OG_OK : og_optimum_new(v->arms, &v->settings, &v->optimum, message);
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    valued *v = self;
    out->called_value = NAN;
    out->tolerance_ties = 0;
    if (v->question.fractions) {
        og_exact *exact = NULL;
        OG_TRY(og_exact_new(v->arms, &v->settings, &exact, message));
        og_status status = og_exact_value(exact, out->value, out->gain, &out->result, message);
        og_exact_free(exact);
        return status;
    }
    OG_TRY(need_optimum(v, message));
    return og_optimum_value(v->optimum, &out->result, message);
}

static og_status q(void *self, const og_act_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    valued *v = self;
    og_arena arena = {0};
    og_state state;
    og_solver *solver;
    if (v->settings.engine == OG_ENGINE_BLOCKS) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--engine blocks does not support the value of each source's label; omit it");
    }
    OG_TRY(need_optimum(v, message));
    OG_TRY(og_optimum_solver(v->optimum, &solver, message));
    double *found = og_arena_array(&arena, (size_t)count, sizeof *found);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_state_first(v->arms, &state));
    bool made = status == OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        const uint32_t *part = open[i].act.part;
        status =
            og_solver_q_of_action(solver, &state, (int32_t)part[0],
                                  affordable_of(v->problem, (int32_t)part[1]), &found[i], message);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        out[i] = found[i];
        error[i] = 1.01 * og_solver_relative_error(solver) * out[i];
    }
    if (made) {
        free((void *)state.group);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *out,
                         og_message *message)
{
    const valued *v = self;
    og_exact *exact = NULL;
    og_state state;
    OG_TRY(og_state_first(v->arms, &state));
    og_status status = og_exact_new(v->arms, &v->settings, &exact, message);
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        const uint32_t *part = open[i].act.part;
        status = og_exact_q_of_action(exact, &state, (int32_t)part[0],
                                      affordable_of(v->problem, (int32_t)part[1]), out[i], message);
    }
    og_exact_free(exact);
    free((void *)state.group);
    return status;
}

static void valued_free(void *self)
{
    valued *v = self;
    og_optimum_free(v->optimum);
    free(v);
}

/* ---- values from the engine: policies, and everything with unknown accuracies ---- */

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    const sources *own = problem;
    const og_settings filled = og_settings_filled(settings);
    OG_TRY(sources_need(own, &filled, message));
    return own->unknown ? og_crowd_model(&own->made->unknown, question, out, message)
                        : og_sources_model(&own->made->problem, question, out, message);
}

/* Blocks support only the optimum with given accuracies, in doubles. */
static og_status check_blocks(const sources *problem, const og_value_asked *question,
                              const og_settings *settings, og_message *message)
{
    const char *option = settings->scratch != NULL              ? "--scratch"
                         : og_world_is_shared(settings->world)  ? "mpirun"
                         : settings->engine == OG_ENGINE_BLOCKS ? "--engine blocks"
                                                                : NULL;
    if (option == NULL) {
        return OG_OK;
    }
    if (question->fractions) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s does not support --arithmetic exact; omit one of them", option);
    }
    return !problem->unknown
               ? OG_OK
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "%s does not support unknown accuracies (--source NAME:PRICE:A,B); omit it",
                     option);
}

static og_status solve(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const sources *own = problem;
    OG_TRY(check_blocks(own, question, settings, message));
    const og_settings filled = og_settings_filled(settings);
    OG_TRY(sources_need(own, &filled, message));
    if (question->by != NULL || own->unknown) {
        return og_family_solve_by_model(&og_family_sources, own, question, settings, out, message);
    }
    valued *v = calloc(1, sizeof *v);
    OG_TRY(OG_ALLOCATED(v));
    *v = (valued){
        .problem = own, .arms = own->made->arms, .question = *question, .settings = *settings};
    *out =
        (og_solution){.self = v, .value = value, .q = q, .q_exact = q_exact, .free = valued_free};
    return OG_OK;
}

/* ---- bounds ---- */

enum { LAGRANGIAN, KNOWN_ACCURACIES };
static const char *const bounds[] = {"lagrangian_scalar", "known_accuracies", NULL};

static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const sources *own = problem;
    og_stop *stop = og_stop_of(use->settings);
    (void)message;
    if (exact != NULL || own->unknown != (use->which == KNOWN_ACCURACIES)) { /* no fractions */
        return OG_OK;
    }
    return use->which == LAGRANGIAN
               ? og_bound_sources(&own->instances, &own->options->given.sources, stop, out)
               : og_bound_sources_unknown(&own->instances, &own->options->given, 0, stop, out);
}

/* ---- state by state: an act names an instance by its place in the state ---- */

/* "2x0.5", the probability of a positive instance; of unknown sources the prior's, with labels. */
static void add_instances(const sources *problem, const void *state, int32_t i, og_text *out)
{
    const og_sources_state *known = state;
    const og_crowd_state *unknown = state;
    int64_t copies = problem->unknown ? unknown->group[i].copies : known->group[i].copies;
    if (copies > 1) {
        og_text_add(out, "%" PRId64 "x", copies);
    }
    if (!problem->unknown) {
        const og_sources_group *at = &known->group[i];
        og_text_add(out, "%.4g", og_sources_positive(problem->made->arms->arm[at->arm], at->node));
        return;
    }
    const og_crowd_group *at = &unknown->group[i];
    og_text_add(out, "%.4g", problem->made->unknown.prior[at->prior].chance[0]);
    for (int32_t j = 0; j < problem->options->given.sources.count; j++) {
        int plus = at->label[2 * j], minus = at->label[2 * j + 1];
        if (plus + minus > 0) {
            og_text_add(out, " %s %d+ %d-", problem->options->name[j], plus, minus);
        }
    }
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const sources *own = problem;
    int32_t count = own->unknown ? ((const og_crowd_state *)state)->count
                                 : ((const og_sources_state *)state)->count;
    og_text out = og_text_begin(text, size);
    if (count == 0) {
        og_text_add(&out, "the budget is spent");
    }
    for (int32_t i = 0; i < count; i++) {
        og_text_add(&out, "%s%" PRId32 ": ", i > 0 ? "  " : "", i + 1);
        add_instances(own, state, i, &out);
    }
}

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    const sources *own = problem;
    snprintf(text, size, "%" PRIu32 " by %s", act.part[0] + 1, own->options->name[act.part[1]]);
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    (void)problem, (void)act;
    snprintf(text, size, "%s", answer == 0 ? "+" : "-");
}

const og_family og_family_sources = {
    .name = "sources",
    .options = &og_sources_option_set,
    .model = {.blocks = true,
              .bounds = bounds,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .prior = prior,
              .strategy = strategy,
              .model = open_model,
              .solve = solve,
              .bound = bound},
    .words = {.problems = "sources of labels with prices",
              .budget_name = "Units",
              .describe = describe,
              .act_text = act_text,
              .state_text = state_text,
              .step_text = step_text,
              .answer_text = answer_text,
              .act_parts = {0, 1}},
    .runs = {.source = sources_source},
};
