/*
 * -T Neach: sums over problems of one instance. The problem holds one part for each different
 * instance, with the number of its copies.
 */
#include "bench/families/independent/each.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/independent/independent.h"
#include "bench/families/independent/priced.h"
#include "bench/families/independent/problem.h"
#include "dp/base/rational.h"
#include "heuristics/bounds/priced_arm.h"

typedef struct {
    void *problem; /* one instance, with N labels */
    int64_t copies;
    int32_t group; /* of the first of them */
    og_fraction price;
} part;

typedef struct {
    const og_family *inner;
    og_groups instances; /* as given; its budget is that of all */
    int32_t most;        /* N */
    part *part;          /* [part_count] */
    int32_t part_count;
    bool priced, prices; /* true if labels have a price; if prices differ */
} each;

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    each *own = problem;
    if (own == NULL) {
        return;
    }
    for (int32_t i = 0; i < own->part_count; i++) {
        og_family_close(own->inner, own->part[i].problem);
    }
    og_groups_clear(&own->instances);
    free(own->part);
    free(own);
}

static og_status read_instances(const og_problem_text *given, each *own, og_message *message)
{
    og_problem_text with_payoffs = *given;
    with_payoffs.payoffs = true;
    OG_TRY(og_problem_text_instances(&with_payoffs, &own->instances, message));
    int64_t instances = og_groups_size(&own->instances);
    if (instances * given->budget > INT32_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T %" PRId32 "each is too much for %" PRId64
                              " instances: their labels must be at most %d in all",
                              given->budget, instances, INT32_MAX);
    }
    own->instances.budget = (int32_t)instances * given->budget;
    return OG_OK;
}

/* The options for a group alone: its own price. */
static og_status take_price(const each *own, const og_problem_text *given, int32_t group,
                            og_priced_options *out, og_message *message)
{
    if (!own->priced) {
        return OG_OK;
    }
    *out = *(const og_priced_options *)given->options;
    if (out->price_count > 1 && out->price_count != own->instances.group_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--price must be one price, or one for each INSTANCE word: %" PRId32
                              ", not %" PRId32,
                              own->instances.group_count, out->price_count);
    }
    out->price[0] = out->price[out->price_count > 1 ? group : 0];
    out->price_count = 1;
    return OG_OK;
}

static og_status open_part(each *own, const og_problem_text *given, const og_settings *settings,
                           const og_group *group, og_priced_options *with, og_message *message)
{
    part *made = &own->part[own->part_count];
    og_problem_text alone = *given;
    og_groups one;
    og_groups_init(&one, given->budget);
    og_status status = og_groups_add(&one, group, message);
    alone.words = NULL;
    alone.instances = &one;
    alone.word_count = 1;
    alone.each = false;
    alone.options = own->priced ? with : given->options;
    OG_THEN(status, og_family_open(own->inner, &alone, settings, &made->problem, message));
    own->part_count += status == OG_OK;
    og_groups_clear(&one);
    return status;
}

/* Opens a part for the group, or adds its copies to that of an identical one. */
static og_status add_part(each *own, const og_problem_text *given, const og_settings *settings,
                          int32_t group, og_message *message)
{
    og_group one = *og_groups_at(&own->instances, group);
    og_priced_options with = {.price_count = 0};
    int64_t copies = one.count;
    one.count = 1;
    OG_TRY(take_price(own, given, group, &with, message));
    for (int32_t i = 0; i < own->part_count; i++) {
        if (og_group_compare(&one, og_groups_at(&own->instances, own->part[i].group)) == 0 &&
            (!own->priced || og_fraction_compare(with.price[0], own->part[i].price) == 0)) {
            own->part[i].copies += copies;
            return OG_OK;
        }
    }
    own->part[own->part_count] = (part){.copies = copies, .group = group, .price = with.price[0]};
    own->prices = own->prices || (own->part_count > 0 && own->priced &&
                                  og_fraction_compare(with.price[0], own->part[0].price) != 0);
    return open_part(own, given, settings, &one, &with, message);
}

static og_status open_problem(const og_family *inner, const og_problem_text *given,
                              const og_settings *settings, void **problem, og_message *message)
{
    each *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->inner = inner;
    own->most = given->budget;
    own->priced = inner == &og_family_priced;
    og_status status = read_instances(given, own, message);
    if (status == OG_OK) {
        own->part = calloc((size_t)own->instances.group_count + 1, sizeof *own->part);
        status = OG_ALLOCATED(own->part);
    }
    for (int32_t i = 0; status == OG_OK && i < own->instances.group_count; i++) {
        status = add_part(own, given, settings, i, message);
    }
    return OG_MADE(status, own, close_problem, problem);
}

static og_status open_independent(const og_problem_text *given, const og_settings *settings,
                                  void **problem, og_message *message)
{
    return open_problem(&og_family_independent, given, settings, problem, message);
}

static og_status open_priced(const og_problem_text *given, const og_settings *settings,
                             void **problem, og_message *message)
{
    return open_problem(&og_family_priced, given, settings, problem, message);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const each *own = problem;
    *out = (og_problem_size){.rational = true};
    for (int32_t i = 0; i < own->part_count; i++) {
        og_problem_size one;
        own->inner->model.sizes(own->part[i].problem, &one);
        out->rational = out->rational && one.rational;
        out->unvalued = out->unvalued || one.unvalued;
        out->priced = one.priced;
        out->losses = out->losses || one.losses;
        out->metric = one.metric;
        out->decisions += one.decisions * own->part[i].copies;
        out->most += one.most * (double)own->part[i].copies;
    }
    out->acts = own->instances.group_count;
    out->budget = out->left = own->instances.budget;
}

static const char *policies(const void *problem)
{
    const each *own = problem;
    return og_family_policies(own->inner, own->part[0].problem);
}

static void describe(const void *problem, og_document *document)
{
    const each *own = problem;
    char text[OG_FRACTION_TEXT_BYTES];
    og_document *object = og_describe_problem(document, &own->instances, "Labels");
    og_put_whole(object, "each", (uint64_t)own->most);
    og_show_more(document, ", at most %" PRId32 " for each instance", own->most);
    if (!own->priced) {
        return;
    }
    og_document *array = own->prices ? og_put_array(object, "price") : object;
    og_show_field(document, "Price", "%s", "");
    for (int32_t i = 0; i < (own->prices ? own->part_count : 1); i++) {
        og_fraction_format(own->part[i].price, text, sizeof text);
        og_put_number(array, own->prices ? NULL : "price", og_fraction_double(own->part[i].price));
        og_show_more(document, "%s%s", i > 0 ? ", " : "", text);
    }
    og_show_more(document, " a label; one may stop");
}

/* ---- values ---- */

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const each *own = problem;
    double sum = 0, sum_error = 0, one, one_error;
    mpq_t fraction, copies;
    mpq_inits(fraction, copies, NULL);
    og_status status = OG_OK;
    if (exact != NULL) {
        mpq_set_ui(exact, 0, 1);
    }
    for (int32_t i = 0; status == OG_OK && i < own->part_count; i++) {
        const part *at = &own->part[i];
        status = og_family_prior(own->inner, at->problem, &one, &one_error,
                                 exact != NULL ? fraction : NULL, message);
        if (status == OG_OK) {
            sum += (double)at->copies * one;
            sum_error += (double)at->copies * one_error + fabs(sum) * 0x1p-51;
        }
        if (status == OG_OK && exact != NULL) {
            mpq_set_si(copies, at->copies, 1);
            mpq_mul(fraction, fraction, copies);
            mpq_add(exact, exact, fraction);
        }
    }
    if (status == OG_OK) {
        *value = exact != NULL ? og_nearest(exact) : sum;
        *error = exact != NULL ? fabs(*value) * 0x1p-53 : sum_error;
    }
    mpq_clears(fraction, copies, NULL);
    return status;
}

/* ---- policies ---- */

/* A policy of each part. */
typedef struct {
    og_strategy *inner; /* [count] */
    int32_t count;
} each_policy;

static void policy_free(void *self)
{
    each_policy *policy = self;
    for (int32_t i = 0; i < policy->count; i++) {
        og_strategy_free(&policy->inner[i]);
    }
    free(policy->inner);
    free(policy);
}

static uint64_t policy_ties(void *self)
{
    const each_policy *policy = self;
    uint64_t sum = 0;
    for (int32_t i = 0; i < policy->count; i++) {
        const og_strategy *inner = &policy->inner[i];
        sum += inner->tolerance_ties != NULL ? inner->tolerance_ties(inner->self) : 0;
    }
    return sum;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const each *own = problem;
    if (og_policy_name_together(name)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' needs all instances together, which -T %" PRId32
                              "each does not support; omit it",
                              name->name, own->most);
    }
    each_policy *policy = calloc(1, sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->inner = calloc((size_t)own->part_count + 1, sizeof *policy->inner);
    og_status status = OG_ALLOCATED(policy->inner);
    og_strategy made = {.self = policy, .free = policy_free, .tolerance_ties = policy_ties};
    og_policy_use alone = *use;
    alone.whole_budget = own->most;
    for (int32_t i = 0; status == OG_OK && i < own->part_count; i++) {
        status = og_family_strategy(own->inner, own->part[i].problem, name, &alone,
                                    &policy->inner[i], message);
        policy->count += status == OG_OK;
        made.beyond = made.beyond || policy->inner[i].beyond;
    }
    return OG_MADE_IN(status, made, og_strategy_free, out);
}

/* ---- solutions ---- */

typedef struct {
    const each *problem;
    og_value_asked question;
    og_settings settings;
} sum_of_parts;

static void add_result(og_result *sum, const og_result *one, double copies)
{
    sum->value += copies * one->value;
    sum->gain += copies * one->gain;
    sum->error_bound += copies * one->error_bound + (fabs(sum->value) + fabs(sum->gain)) * 0x1p-51;
    sum->states += one->states;
    sum->forgotten += one->forgotten;
    sum->expanded += one->expanded;
    sum->seconds += one->seconds;
    sum->memory_bytes =
        one->memory_bytes > sum->memory_bytes ? one->memory_bytes : sum->memory_bytes;
    sum->by_blocks = sum->by_blocks || one->by_blocks;
    sum->by_stages = !sum->by_blocks && (sum->by_stages || one->by_stages);
}

static void add_labels(og_labels_paid *sum, const og_labels_paid *one, double copies)
{
    sum->known = sum->known && one->known;
    sum->exact = sum->exact && one->exact;
    sum->least += copies * one->least;
    sum->most += copies * one->most;
    sum->error += copies * one->error + sum->most * 0x1p-51;
}

static og_status value_part(const sum_of_parts *sum_up, int32_t i, og_value_found *out,
                            og_message *message)
{
    const each *own = sum_up->problem;
    og_value_asked question = sum_up->question;
    og_solution solution = {.self = NULL};
    if (question.by != NULL) {
        question.by = &((const each_policy *)sum_up->question.by->self)->inner[i];
    }
    og_status status = og_family_solve(own->inner, own->part[i].problem, &question,
                                       &sum_up->settings, &solution, message);
    OG_THEN(status, solution.value(solution.self, out, message));
    og_solution_free(&solution);
    return status;
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    const sum_of_parts *sum_up = self;
    const each *own = sum_up->problem;
    bool exact = out->value != NULL, called = false;
    og_value_found sum = {.labels = {.known = true, .exact = exact && out->labels_exact != NULL},
                          .labels_exact = out->labels_exact,
                          .value = out->value,
                          .gain = out->gain};
    og_status status = OG_OK;
    mpq_t one_value, one_gain, one_labels, labels;
    mpq_inits(one_value, one_gain, one_labels, labels, NULL);
    if (exact) {
        mpq_set_ui(out->value, 0, 1);
        mpq_set_ui(out->gain, 0, 1);
    }
    if (out->labels_exact != NULL) {
        mpq_set_ui(out->labels_exact, 0, 1);
    }
    for (int32_t i = 0; status == OG_OK && i < own->part_count; i++) {
        og_value_found one = {.called_value = NAN,
                              .labels_exact = sum.labels.exact ? one_labels : NULL,
                              .value = exact ? one_value : NULL,
                              .gain = exact ? one_gain : NULL};
        double copies = (double)own->part[i].copies;
        status = value_part(sum_up, i, &one, message);
        add_result(&sum.result, &one.result, copies);
        add_labels(&sum.labels, &one.labels, copies);
        called = called || !isnan(one.called_value);
        sum.called_value +=
            copies * (isnan(one.called_value) ? one.result.value : one.called_value);
        sum.tolerance_ties += one.tolerance_ties;
        if (status == OG_OK && exact) {
            og_add_multiple(out->value, own->part[i].copies, one_value);
            og_add_multiple(out->gain, own->part[i].copies, one_gain);
            og_add_multiple(labels, own->part[i].copies, one_labels);
        }
    }
    if (status == OG_OK && sum.labels.exact) {
        mpq_set(out->labels_exact, labels);
    }
    mpq_clears(one_value, one_gain, one_labels, labels, NULL);
    if (status == OG_OK && exact) {
        sum.result.value = og_nearest(sum.value);
        sum.result.gain = og_nearest(sum.gain);
        sum.result.error_bound = fmax(fabs(sum.result.value), fabs(sum.result.gain)) * 0x1p-53;
    }
    sum.called_value = called ? sum.called_value : NAN;
    if (status == OG_OK || status == OG_STOPPED) {
        *out = sum;
    }
    return status;
}

static og_status solve(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    sum_of_parts *made = malloc(sizeof *made);
    (void)message;
    OG_TRY(OG_ALLOCATED(made));
    *made = (sum_of_parts){problem, *question, *settings};
    *out = (og_solution){.self = made, .value = value, .free = free};
    return OG_OK;
}

/* ---- labels that would have a price ---- */

/* The price is rounded, which changes the gain by at most the labels times the difference. */
static og_status gain_in_doubles(const og_arm *arm, og_fraction price, double *gain, double *error)
{
    og_priced_arm *priced = NULL;
    og_priced found;
    double z = og_fraction_double(price);
    og_status status = og_priced_arm_new(arm, &priced);
    OG_THEN(status, og_priced_arm_constant(priced, z, NULL, &found));
    og_priced_arm_free(priced);
    OG_TRY(status);
    *gain = found.gain;
    *error = found.error + arm->depth * z * 0x1p-52;
    return OG_OK;
}

static og_status priced_gain(const void *problem, og_fraction price, const og_priced_use *use,
                             mpq_t low, mpq_t high, og_message *message)
{
    const each *own = problem;
    og_stop *stop = og_stop_of(use->settings);
    og_status status = OG_OK;
    mpq_t one;
    mpq_init(one);
    (void)message;
    mpq_set_ui(low, 0, 1);
    mpq_set_ui(high, 0, 1);
    for (int32_t i = 0; status == OG_OK && i < own->part_count; i++) {
        const og_arm *arm = og_family_arms(own->inner, own->part[i].problem)->arm[0];
        const og_fraction least = og_arms_problem_least_reward(own->part[i].problem, price);
        double gain = 0, error = 0;
        if (og_stop_asked(stop)) {
            status = OG_STOPPED;
        } else if (use->fractions) {
            status = og_arm_priced_gain_exact(arm, own->most, least, stop, one);
        } else {
            status = gain_in_doubles(arm, least, &gain, &error);
            mpq_set_d(one, gain);
        }
        *use->states += arm->node_count;
        og_add_multiple(high, own->part[i].copies, one);
        og_add_multiple(low, own->part[i].copies, one);
        mpq_set_d(one, error);
        og_add_multiple(high, own->part[i].copies, one);
        og_add_multiple(low, -own->part[i].copies, one);
    }
    mpq_clear(one);
    return status;
}

static double reward_most(const void *problem)
{
    const each *own = problem;
    double most = 0;
    for (int32_t i = 0; i < own->part_count; i++) {
        most = fmax(most, og_arms_problem_reward_most(own->part[i].problem));
    }
    return most;
}

#define OG_FAMILY_EACH(family_name, opener, priced, most)                                          \
    {                                                                                              \
        .name = family_name, .each = true,                                                         \
        .model = {.own_policies = true,                                                            \
                  .open = opener,                                                                  \
                  .close = close_problem,                                                          \
                  .sizes = sizes,                                                                  \
                  .policies = policies,                                                            \
                  .prior = prior,                                                                  \
                  .strategy = strategy,                                                            \
                  .solve = solve,                                                                  \
                  .priced_gain = priced,                                                           \
                  .reward_most = most},                                                            \
        .words = {.problems = "instances with a budget each (-T Neach)",                           \
                  .acts_name = "instances",                                                        \
                  .act_name = "instance",                                                          \
                  .acts_between = " ",                                                             \
                  .describe = describe},                                                           \
    }

const og_family og_family_each =
    OG_FAMILY_EACH("independent", open_independent, priced_gain, reward_most);
const og_family og_family_each_priced = OG_FAMILY_EACH("priced", open_priced, NULL, NULL);
