/*
 * Labels that take time, as a family whose budget is the number of workers. Waiting cannot increase
 * the value, so the bounds of labels seen one by one hold too.
 */
#include "bench/families/delayed/delayed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/posterior.h"
#include "bench/simulation/sources.h"
#include "heuristics/families/delayed_policy.h"

typedef struct {
    og_groups instances;
    const og_delay *delay; /* from the options */
    int32_t whole_budget;
    og_arms *arms;
} delayed;

/* Most states of instances with workers at work, over all arms, in the tables of a bound. */
static const double tables_most = 2e8;

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    delayed *own = problem;
    if (own != NULL) {
        og_arms_free(own->arms);
        og_groups_clear(&own->instances);
    }
    free(own);
}

static og_status make_problem(delayed *problem, const og_problem_text *given,
                              const og_settings *settings, og_message *message)
{
    OG_TRY(og_delay_check(problem->delay, message));
    OG_TRY(og_problem_text_instances(given, &problem->instances, message));
    return og_arms_new(&problem->instances, settings, &problem->arms, message);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    const og_delayed_options *options = given->options;
    if (given->budget >= 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T and --arrivals cannot be combined; give --arrivals");
    }
    delayed *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    og_problem_text workers = *given;
    workers.budget = own->whole_budget = options->workers;
    own->delay = &options->delay;
    og_status status = make_problem(own, &workers, settings, message);
    return OG_MADE(status, own, close_problem, problem);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const delayed *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->instances.budget,
                             .decisions = og_groups_size(&own->instances),
                             .acts = own->instances.group_count,
                             .metric = {.unit = "correct calls"}};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh,hu-frazier";
}

static void describe(const void *problem, og_document *document)
{
    enum { RATE_BYTES = 48 };
    const delayed *own = problem;
    char arrival[RATE_BYTES];
    char service[RATE_BYTES];
    og_document *object = og_describe_problem(document, &own->instances, "Arrivals");
    og_put_number(object, "arrival_rate", og_fraction_double(own->delay->arrival_rate));
    og_put_number(object, "service_rate", og_fraction_double(own->delay->service_rate));
    og_fraction_format(own->delay->arrival_rate, arrival, sizeof arrival);
    og_fraction_format(own->delay->service_rate, service, sizeof service);
    og_show_field(document, "Rates", "arrivals %s, each label %s", arrival, service);
}

/* ---- acts: here acts are groups, in the model they are arms ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const delayed *own = problem;
    int32_t count = own->arms->group_count < room ? own->arms->group_count : room;
    for (int32_t g = 0; g < count; g++) {
        open[g] = (og_act_open){{{(uint32_t)own->arms->arm_of_group[g], (uint32_t)g, 0}},
                                own->arms->group_size[g]};
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const delayed *own = problem;
    og_group_format(og_groups_at(&own->instances, act.part[1]), text, size);
}

/* ---- values ---- */

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    const delayed *own = problem;
    return og_delayed_model(own->arms, own->delay, question, settings->memory_bytes, out, message);
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const delayed *own = problem;
    if (exact != NULL) {
        return og_family_lacks(&og_family_delayed, "--arithmetic exact", message);
    }
    *value = og_arms_prior_value(own->arms, error);
    return OG_OK;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const delayed *own = problem;
    return og_delayed_strategy_new(name, own->arms, own->delay, use, out, message);
}

static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const delayed *own = problem;
    double workers = own->arms->budget;
    if (use->which > 1) {
        return og_bound_of_arms(own->arms, use, out, exact, message);
    }
    if (own->arms->arm_count * workers * workers * workers * workers / 24 > tables_most) {
        return OG_OK;
    }
    og_status status =
        use->which == 0
            ? og_bound_delayed_scalar(own->arms, own->delay, use->settings->memory_bytes,
                                      use->settings->threads, og_stop_of(use->settings), out)
            : og_bound_delayed_vector(own->arms, own->delay, use->settings->memory_bytes,
                                      use->settings->threads, og_stop_of(use->settings), out);
    return status == OG_NO_MEMORY ? OG_OK : status; /* the other bound needs no such tables */
}

/* ---- state by state: an act is an instance ---- */

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    const delayed *own = problem;
    char words[OG_GROUP_TEXT_BYTES + 32];
    og_text out = og_text_begin(text, size);
    og_posterior_format(own->arms->arm[act.part[0]], act.part[1], words, sizeof words);
    og_text_add(&out, "%s", words);
    if (act.part[2] > 0) {
        og_text_add(&out, " (%" PRIu32 " at work)", act.part[2]);
    }
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const og_delayed_state *now = state;
    og_text out = og_text_begin(text, size);
    for (int32_t i = 0; i < now->count; i++) {
        char words[OG_GROUP_TEXT_BYTES + 64];
        const og_delayed_instance *instances = &now->item[i].instance;
        step_text(
            problem,
            (og_act){{(uint32_t)instances->arm, instances->node, (uint32_t)instances->at_work}},
            words, sizeof words);
        og_text_add(&out, "%s", i > 0 ? "  " : "");
        if (now->item[i].copies > 1) {
            og_text_add(&out, "%" PRIu32 "x", now->item[i].copies);
        }
        og_text_add(&out, "%s", words);
    }
    if (now->left == 0) {
        og_text_add(&out, "all workers are placed");
    }
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    const delayed *own = problem;
    char instance[OG_GROUP_TEXT_BYTES + 32], label[16];
    bool arrives = act.part[0] == (uint32_t)OG_DELAYED_NOBODY;
    if (answer == OG_ANSWER_NONE) {
        snprintf(text, size, "%s", arrives ? "the next worker arrives" : "");
        return;
    }
    og_label_format(own->arms->arm[act.part[0]], act.part[1], answer, label, sizeof label);
    og_posterior_format(own->arms->arm[act.part[0]], act.part[1], instance, sizeof instance);
    snprintf(text, size, "%s for %s", label, instance);
}

static og_source source(const void *problem, const og_truth *truth)
{
    const delayed *own = problem;
    return og_source_delayed(&own->instances, truth, own->delay);
}

/* ---- options ---- */

static const og_option_row rows[] = {
    OG_OPTION(
        FRACTION, "arrival-rate", "R", og_delayed_options, delay.arrival_rate,
        .topic = OG_TOPIC_DEADLINE, .brief = "mean number of workers that arrive per unit of time",
        .help = "mean number of workers that arrive per unit of time, at random moments. A "
                "worker is given one instance at once",
        .required =
            "--arrival-rate R is missing: the mean number of workers that arrive per unit of time"),
    OG_OPTION(
        FRACTION, "service-rate", "R", og_delayed_options, delay.service_rate,
        .topic = OG_TOPIC_DEADLINE, .brief = "labels per unit of time of a busy worker",
        .help = "with --arrival-rate: labels per unit of time of a busy worker. The time of a "
                "label is random (exponential), 1/R on average",
        .required = "--service-rate R is missing: the labels per unit of time of a busy worker"),
    OG_OPTION(
        INT32, "arrivals", "U", og_delayed_options, workers, .was = "workers",
        .topic = OG_TOPIC_DEADLINE, .brief = "number of arrivals, which replaces -T",
        .help =
            "with --arrival-rate: number of workers that arrive in all, 0 to 1000000. Replaces -T",
        .most = OG_BUDGET_MAX,
        .required = "--arrivals U is missing: the number of workers that arrive"),
    OG_OPTION_LAST,
};

static const og_option_set option_set = {.rows = rows, .bytes = sizeof(og_delayed_options)};

const og_family og_family_delayed = {
    .name = "delayed",
    .options = &option_set,
    .own_budget = true,
    .model = {.own_policies = true,
              .bounds = og_bounds_of_arms,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .prior = prior,
              .strategy = strategy,
              .model = open_model,
              .first_part = true,
              .bound = bound},
    .words = {.problems = "labels that take time",
              .budget_name = "Arrivals",
              .describe = describe,
              .act_text = act_text,
              .act_parts = {1, -1},
              .state_text = state_text,
              .step_text = step_text,
              .answer_text = answer_text},
    .runs = {.source = source},
};
