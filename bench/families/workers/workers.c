/*
 * Workers of unknown reliability as a family. Its bounds are those of reliable workers, whose
 * answers a policy could falsify at random.
 */
#include "bench/families/workers/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/history.h"
#include "dp/exact/fractions.h"
#include "dp/families/workers_exact.h"
#include "heuristics/families/workers_policy.h"

#define OG_HISTORIES_MAX 2147483648.0

enum { ACT_BYTES = 2 * OG_GROUP_TEXT_BYTES };

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    workers *own = problem;
    if (own != NULL) {
        og_workers_posterior_clear(&own->posterior);
        og_arms_free(own->arms);
        og_arena_clear(&own->arena);
        og_groups_clear(&own->instances);
    }
    free(own);
}

/* ---- history ---- */

static og_status read_history(const workers *problem, og_pair_label *label, og_message *message)
{
    int64_t instances = og_groups_size(&problem->instances);
    int64_t people = og_groups_size(&problem->options->workers);
    const char *rest = problem->history;
    og_history_word word;
    for (int32_t i = 0; og_history_next(&rest, &word); i++) {
        og_history_label read;
        OG_TRY(og_history_label_read(word, instances, people, &read, message));
        if (read.of_class) {
            return og_history_refuse(word, message, "must be a label of two classes, such as 1@1+");
        }
        label[i] = (og_pair_label){read.instance, read.worker, read.label == 0};
        for (int32_t j = 0; problem->options->once && j < i; j++) {
            if (label[j].instance == read.instance && label[j].worker == read.worker) {
                return og_history_refuse(word, message,
                                         "is a second label by this worker for this instance");
            }
        }
    }
    return OG_OK;
}

/* The labels in all are limited: with --once to the number of pairs. */
static og_status make_posterior(workers *problem, og_message *message)
{
    const og_groups *priors = &problem->options->workers;
    int32_t had = og_history_count(problem->history), budget = had + problem->instances.budget;
    int32_t labels = og_workers_labels(og_groups_size(&problem->instances), og_groups_size(priors),
                                       budget, problem->options->once);
    OG_TRY(og_workers_posterior_init(&problem->posterior, &problem->instances, priors, labels,
                                     message));
    if (had == 0) {
        return OG_OK;
    }
    og_pair_label *label = calloc((size_t)had, sizeof *label);
    og_status status = OG_ALLOCATED(label);
    OG_THEN(status, read_history(problem, label, message));
    OG_THEN(status, og_workers_posterior_begin(&problem->posterior, label, had));
    free(label);
    return status;
}

static og_status make_problem(workers *problem, const og_problem_text *given,
                              const og_settings *settings, og_message *message)
{
    OG_TRY(og_problem_text_instances(given, &problem->instances, message));
    OG_TRY(og_workers_check(&problem->instances, &problem->options->workers, message));
    problem->had = og_history_count(problem->history);
    if (given->runs_only) {
        return workers_make_world(problem, message);
    }
    OG_TRY(make_posterior(problem, message));
    OG_TRY(workers_make_world(problem, message));
    og_groups given_out = problem->instances;
    given_out.budget = problem->posterior.labels;
    return og_arms_new(&given_out, settings, &problem->arms, message);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    workers *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    own->whole_budget = given->budget;
    own->history = given->history;
    og_status status = make_problem(own, given, settings, message);
    return OG_MADE(status, own, close_problem, problem);
}

/* ---- acts: the first of equal instances or workers with the same labels represents all ---- */

static bool is_first_instance(const og_workers_posterior *p, int32_t i)
{
    size_t row = (size_t)p->workers * sizeof *p->counts;
    for (int32_t k = 0; k < i; k++) {
        if (p->instance_group[k] == p->instance_group[i] &&
            memcmp(&p->counts[k * p->workers], &p->counts[i * p->workers], row) == 0) {
            return false;
        }
    }
    return true;
}

static bool is_first_worker(const og_workers_posterior *p, int32_t j)
{
    for (int32_t k = 0; k < j; k++) {
        bool same = p->worker_group[k] == p->worker_group[j];
        for (int32_t i = 0; same && i < p->instances; i++) {
            const og_pair_counts *row = &p->counts[i * p->workers];
            same = row[k].positive == row[j].positive && row[k].negative == row[j].negative;
        }
        if (same) {
            return false;
        }
    }
    return true;
}

/* A NULL open means to count only. */
static int32_t list_acts(const workers *problem, og_act_open *open, int32_t room)
{
    const og_workers_posterior *p = &problem->posterior;
    int32_t used = 0;
    for (int32_t i = 0; i < p->instances; i++) {
        for (int32_t j = 0; is_first_instance(p, i) && j < p->workers && used < room; j++) {
            const og_pair_counts *had = &p->counts[i * p->workers + j];
            bool again = problem->options->once && had->positive + had->negative > 0;
            if (again || !is_first_worker(p, j)) {
                continue;
            }
            if (open != NULL) {
                open[used] = (og_act_open){{{(uint32_t)i, (uint32_t)j, 0}}, 1};
            }
            used++;
        }
    }
    return used;
}

static bool is_rational(const workers *problem)
{
    bool whole = problem->arms != NULL;
    for (int32_t g = 0; whole && g < problem->instances.group_count; g++) {
        whole = problem->arms->arm[problem->arms->arm_of_group[g]]->rational;
    }
    return whole;
}

static void sizes(const void *problem, og_problem_size *out)
{
    const workers *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->instances.budget,
                             .decisions = og_groups_size(&own->instances),
                             .unvalued = own->arms == NULL,
                             .rational = is_rational(own),
                             .acts = own->arms != NULL ? list_acts(own, NULL, INT32_MAX) : 0,
                             .metric = {.unit = "correct calls", .counted = true}};
}

static const char *policies(const void *problem)
{
    return ((const workers *)problem)->arms != NULL ? "uniform,kg,opt-kg,opt-kg-exact"
                                                    : "uniform,kg,opt-kg";
}

static void describe(const void *problem, og_document *document)
{
    const workers *own = problem;
    const og_groups *priors = &own->options->workers;
    og_document *object = og_describe_problem(document, &own->instances, "Labels");
    og_document *rows = og_put_array(object, "workers");
    for (int32_t g = 0; g < priors->group_count; g++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_parameters(row, "prior", og_groups_at(priors, g));
        og_put_whole(row, "count", (uint64_t)og_groups_at(priors, g)->count);
    }
    og_put_bool(object, "once", own->options->once);
    og_history_describe(own->history, document, object);
    og_show_workers(document, priors);
    if (own->options->once) {
        og_show_more(document, ", each asked once about an instance at most");
    }
}

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    return list_acts(problem, open, room);
}

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "instance %" PRIu32 " by worker %" PRIu32, act.part[0] + 1,
             act.part[1] + 1);
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const workers *own = problem;
    if (own->posterior.had > 0) { /* after labels, equal priors do not mean equal workers */
        step_text(problem, act, text, size);
        return;
    }
    char worker[OG_GROUP_TEXT_BYTES];
    char instance[OG_GROUP_TEXT_BYTES];
    int32_t g = own->posterior.instance_group[act.part[0]];
    int32_t v = own->posterior.worker_group[act.part[1]];
    og_group_format(og_groups_at(&own->instances, g), instance, sizeof instance);
    og_worker_format(og_groups_at(&own->options->workers, v), worker, sizeof worker);
    snprintf(text, size, "%.100s by %.100s", instance, worker);
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const workers *own = problem;
    char text[ACT_BYTES];
    act_text(problem, act, text, sizeof text);
    og_document *object = og_put_act(array, text, own->posterior.instance_group[act.part[0]],
                                     own->posterior.worker_group[act.part[1]]);
    og_document *pair = own->posterior.had > 0 ? og_put_array(object, "pair") : NULL;
    for (int part = 0; pair != NULL && part < 2; part++) {
        og_put_whole(pair, NULL, act.part[part]);
    }
    return object;
}

/* ---- values ---- */

/* The problem was opened for its runs only. */
static og_status workers_valued(const workers *problem, og_message *message)
{
    return problem->arms != NULL
               ? OG_OK
               : og_message_set(message, OG_STOPPED,
                                "there are no exact values without the exact posterior");
}

static og_status prior_exact(const workers *problem, mpq_ptr exact)
{
    og_workers_fractions fractions;
    mpq_t evidence;
    OG_TRY(og_workers_fractions_init(&fractions, &problem->posterior));
    mpq_init(evidence);
    og_status status = og_workers_weigh(&fractions, problem->posterior.counts, evidence, exact);
    if (status == OG_OK) {
        mpq_div(exact, exact, evidence);
    }
    mpq_clear(evidence);
    og_workers_fractions_clear(&fractions);
    return status;
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const workers *own = problem;
    if (exact != NULL && !is_rational(own)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arithmetic exact requires priors A,B of instances in small whole "
                              "numbers, if workers have --workers-prior; omit it");
    }
    OG_TRY(exact != NULL ? prior_exact(own, exact) : OG_OK);
    *value = own->arms != NULL ? own->posterior.prior : own->prior;
    *error = own->arms != NULL ? own->posterior.prior_error
                               : 1e-14 * (double)own->world.setting.instances;
    return OG_OK;
}

static void count_labels(const void *self, const void *state, int32_t *positive, int32_t *negative,
                         int32_t *left)
{
    const workers *problem = self;
    const og_workers_state *now = state;
    for (int32_t k = 0; k < problem->posterior.instances * problem->posterior.workers; k++) {
        positive[k] += now->counts[k].positive;
        negative[k] += now->counts[k].negative;
    }
    *left = now->left;
}

static og_label_choice choice_of(const void *self, og_act act)
{
    (void)self;
    return (og_label_choice){(int32_t)act.part[0], (int32_t)act.part[1], 1};
}

static og_act act_of(const void *self, og_label_choice choice)
{
    (void)self;
    return (og_act){{(uint32_t)choice.instance, (uint32_t)choice.worker, 0}};
}

static void situations(const void *problem, og_situations *out)
{
    const workers *own = problem;
    *out = (og_situations){.self = own,
                           .instances = own->posterior.instances,
                           .workers = own->posterior.workers,
                           .budget = own->whole_budget,
                           .left = own->posterior.labels - own->posterior.had,
                           .once = own->options->once,
                           .renames = true,
                           .count = count_labels,
                           .choice = choice_of,
                           .act = act_of};
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const workers *own = problem;
    const og_workers_posterior *p = &own->posterior;
    int32_t labels = p->labels - p->had;
    double histories = pow(2.0 * p->instances * p->workers, labels);
    og_strategy made;
    OG_TRY(workers_valued(own, message));
    if (og_user_policy_decides(name)) {
        og_situations told;
        situations(problem, &told);
        return og_own_strategy(name, &told, use->stop, out, message);
    }
    OG_TRY(og_workers_strategy(name, p, &own->instances, &own->options->workers, &made, message));
    if (made.belief_bytes > 0 && histories > OG_HISTORIES_MAX && !use->picks_only) {
        og_strategy_free(&made);
        return og_message_set(
            message, OG_BAD_INPUT,
            "%d pairs and %d labels have up to %.3g histories, and policy '%.32s' depends on the "
            "order of labels: at most 2^31 histories are supported; give fewer labels",
            (int)(p->instances * p->workers), (int)labels, histories, name->name);
    }
    *out = made;
    return OG_OK;
}

/* ---- the optimum ---- */

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    const workers *own = problem;
    (void)settings;
    OG_TRY(workers_valued(own, message));
    return og_workers_model(&own->posterior, own->options->once, question, out);
}

static og_status solve(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    OG_TRY(workers_valued(problem, message));
    if (question->fractions && question->by != NULL) {
        return og_family_lacks(&og_family_workers, "--arithmetic exact with policies", message);
    }
    return og_family_solve_by_model(&og_family_workers, problem, question, settings, out, message);
}

/* ---- state by state: equal instances and workers may change places, labels keep their names
 * ---- */

/* The labels of an instance: " (2+ 1- by worker 1, 1- by worker 2)". */
static void add_labels(og_text *out, const og_pair_counts *counts, int32_t worker_count)
{
    const char *before = " (";
    for (int32_t j = 0; j < worker_count; j++) {
        int positive = counts[j].positive, negative = counts[j].negative;
        if (positive + negative == 0) {
            continue;
        }
        og_text_add(out, "%s", before);
        if (positive > 0) {
            og_text_add(out, "%d+ ", positive);
        }
        if (negative > 0) {
            og_text_add(out, "%d- ", negative);
        }
        og_text_add(out, "by worker %" PRId32, j + 1);
        before = ", ";
    }
    og_text_add(out, "%s", strcmp(before, ", ") == 0 ? ")" : "");
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const workers *own = problem;
    const og_workers_posterior *p = &own->posterior;
    const og_workers_state *now = state;
    og_text out = og_text_begin(text, size);
    for (int32_t i = 0; i < p->instances; i++) {
        char words[OG_GROUP_TEXT_BYTES];
        og_group one = *og_groups_at(&own->instances, p->instance_group[i]);
        one.count = 1;
        og_group_format(&one, words, sizeof words);
        og_text_add(&out, "%s%s", i > 0 ? "  " : "", words);
        add_labels(&out, &now->counts[i * p->workers], p->workers);
    }
}

static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const workers *own = problem;
    return own->had > 0 || own->arms == NULL
               ? OG_OK
               : og_bound_of_arms(own->arms, use, out, exact, message);
}

/* ---- options ---- */

static const og_option_row rows[] = {
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_workers_options, workers,
              .topic = OG_TOPIC_WORKERS, .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "N workers (default: 1) of unknown reliability: a worker answers like a "
                      "reliable one with a probability that has the prior Beta(A,B), otherwise the "
                      "opposite. A,B/C,D: two probabilities, if the reliable answer is + and if it "
                      "is -. W*A,B+W*C,D...: a mixture with weights of sum 1. May be repeated",
              .count = offsetof(og_workers_options, workers.group_count), .repeats = true,
              .required = "--workers-prior A,B is missing: the prior of the workers' accuracy"),
    OG_OPTION(SWITCH, "once", NULL, og_workers_options, once, .topic = OG_TOPIC_WORKERS,
              .brief = "ask each worker at most once per instance",
              .help = "with --workers-prior: ask each worker at most once about an instance"),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_workers_options *own = options;
    og_groups_clear(&own->workers);
}

static const og_option_set option_set = {rows, sizeof(og_workers_options), clear};

const og_family og_family_workers = {
    .name = "workers",
    .options = &option_set,
    .model = {.own_policies = true,
              .bounds = og_bounds_of_arms,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .situations = situations,
              .prior = prior,
              .strategy = strategy,
              .model = open_model,
              .solve = solve,
              .bound = bound},
    .words =
        {.problems = "workers of unknown reliability",
         .history = "1@1+ 2@1-",
         .note =
             "Indices of policies other than kg-exact and the like are doubles without a proved "
             "error: those within 1e-10 tie.",
         .legend = "Policies other than kg-exact and the like make their own final calls. Upper "
                   "bounds are those of reliable workers.",
         .describe = describe,
         .act_text = act_text,
         .put_act = put_act,
         .state_text = state_text,
         .step_text = step_text},
    .runs = {.source = workers_source,
             .put_counts = workers_put_counts,
             .show_counts = workers_show_counts,
             .curves = "labels",
             .put_point = og_workers_put_point,
             .trace = "step\tpolicy\ttask\tworker\tlabel\tscore\ttied\ta\tb\tc\td\n"},
};
