/*
 * Labels that have a price. The problem is solved as the instances and a standard arm that earns
 * the price. Then values are reduced by the price of all labels, which the standard arm earns if no
 * label is bought.
 */
#include "bench/families/independent/priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/independent/each.h"
#include "bench/families/independent/problem.h"
#include "bench/history.h"
#include "bench/simulation/priced.h"
#include "dp/base/rational.h"
#include "heuristics/prices.h"

typedef struct {
    og_arms_problem
        common;        /* its arms: of the instances, and the standard arm as a separate group */
    og_fraction price; /* the largest; a group's price is this less its bonus. With an offset of the
                        * problem's rewards both include it, and common.offset is 0 */
    og_fraction shown; /* the largest price alone */
    bool prices;       /* true if prices differ */
    /* The same without the standard arm, for policies that stop by a rule of their own: each label
     * that they use costs `price`. */
    og_arms alone_arms;
    og_arms_problem alone;
} priced;

/* ---- options ---- */

static og_status read_price(void *self, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_priced_options *options = self;
    const char *at = text;
    bool more = true;
    options->price_count = 0;
    while (more && options->price_count < OG_PRICES_MAX) {
        size_t length = strcspn(at, ",");
        og_fraction *price = &options->price[options->price_count++];
        bool free_label = og_fraction_parse(at, length, price) == OG_OK && price->num == 0;
        if (!free_label && !og_price_read(at, length, price)) {
            return og_option_refuse(
                row, text, message,
                "a decimal from 0 to less than 1000000, such as 0.01, of at most six decimals, or "
                "one for each INSTANCE word, separated by commas");
        }
        more = at[length] == ',';
        at += length + more;
    }
    return more ? og_option_refuse(row, text, message, "at most 100 prices") : OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "price", "Z[,Z...]", og_priced_options, price, .topic = OG_TOPIC_PRICES,
              .basic = true, .brief = "price of a label; labelling may stop early",
              .help = "price of a label, in correct calls or in units of --payoff. At most -T "
                      "labels are bought, and a policy may stop at any time. Several numbers: one "
                      "for each INSTANCE word",
              .required = "--price Z is missing: the price of a label", .read = read_price),
    OG_CALL_OPTIONS(og_priced_options, calls),
    OG_OPTION_LAST,
};

const og_option_set og_priced_option_set = {.rows = rows, .bytes = sizeof(og_priced_options)};

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    priced *own = problem;
    if (own != NULL) {
        og_arms_problem_clear(&own->common);
    }
    free(own);
}

static og_status add_standard(priced *problem, og_message *message)
{
    og_arms *all = NULL;
    if (og_arms_add_standard(problem->common.arms, problem->price, &all) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY,
                              "out of memory for the posteriors of instances");
    }
    problem->common.arms = all;
    return OG_OK;
}

/* x - y >= 0; denominators divide OG_PAYOFF_MAX. */
static og_fraction difference(og_fraction x, og_fraction y)
{
    return og_fraction_make(x.num * y.den - y.num * x.den, x.den * y.den);
}

static og_fraction sum(og_fraction x, og_fraction y)
{
    return og_fraction_make(x.num * y.den + y.num * x.den, x.den * y.den);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    const og_priced_options *options = given->options;
    og_fraction bonus[OG_PRICES_MAX];
    priced *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->price = options->price[0];
    for (int32_t i = 1; i < options->price_count; i++) {
        int order = og_fraction_compare(options->price[i], own->price);
        own->prices = own->prices || order != 0;
        own->price = order > 0 ? options->price[i] : own->price;
    }
    for (int32_t i = 0; i < options->price_count; i++) {
        bonus[i] = difference(own->price, options->price[i]);
    }
    const og_arms_problem_options with = {.calls = options->calls,
                                          .bonus = options->price_count > 1 ? bonus : NULL,
                                          .bonus_count = options->price_count,
                                          .may_stop = true};
    og_status status = og_arms_problem_open(given, &with, settings, &own->common, message);
    own->shown = own->price;
    if (status == OG_OK && own->common.offset.num > 0) {
        own->price = sum(own->price, own->common.offset);
        own->common.offset = (og_fraction){0, 1};
    }
    OG_THEN(status, add_standard(own, message));
    if (status == OG_OK) {
        own->alone = own->common;
        own->alone_arms = og_arms_without_standard(own->common.arms);
        own->alone.arms = &own->alone_arms;
        own->alone.fee = own->price;
    }
    return OG_MADE(status, own, close_problem, problem);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const og_arms_problem *given = problem;
    og_arms_problem_sizes(given, out);
    out->priced = true;
    out->metric = (og_metric){
        .unit = given->paid ? "payoff less prices" : "correct calls less prices", .amount = true};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh";
}

/* The price of a label for this group. */
static og_fraction price_of(const priced *problem, const og_group *group)
{
    return difference(problem->price, og_group_bonus(group));
}

static void describe(const void *problem, og_document *document)
{
    char text[48], words[OG_GROUP_TEXT_BYTES];
    const priced *own = problem;
    const og_groups *instances = &own->common.instances;
    og_document *object = og_describe_problem(document, instances, "Labels");
    og_fraction_format(own->shown, text, sizeof text);
    if (!own->prices) {
        og_put_number(object, "price", og_fraction_double(own->shown));
        og_show_field(document, "Price", "%s a label; one may stop", text);
    } else {
        og_document *array = og_put_array(object, "price");
        og_show_field(document, "Price", "%s", "");
        for (int32_t i = 0; i < instances->group_count; i++) {
            og_group one = *og_groups_at(instances, i);
            one.count = 1;
            og_group_format(&one, words, sizeof words);
            og_fraction_format(price_of(own, &one), text, sizeof text);
            og_put_number(array, NULL, og_fraction_double(price_of(own, &one)));
            og_show_more(document, "%s%s a label of %s", i > 0 ? ", " : "", text, words);
        }
        og_show_more(document, "; one may stop");
    }
    og_history_describe(own->common.history, document, object);
}

/* ---- acts ---- */

static bool is_stop(const void *problem, og_act act)
{
    const og_arms_problem *given = problem;
    return act.part[0] == (uint32_t)given->instances.group_count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    if (is_stop(problem, act)) {
        og_text out = og_text_begin(text, size);
        og_text_add(&out, "stop");
    } else {
        og_arms_problem_act_text(problem, act, text, size);
    }
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    if (!is_stop(problem, act)) {
        return og_arms_problem_put_act(problem, act, array);
    }
    og_document *object = og_put_object(array, NULL);
    og_put_text(object, "text", "stop");
    og_put_null(object, "posterior");
    og_put_null(object, "count");
    og_put_null(object, "threshold");
    return object;
}

/* ---- the earnings of the standard arm are not a gain ---- */

/* Subtract the price of all labels that are left from *value, and add the rounding error to
 * *error. */
static void take_off(const priced *problem, double *value, double *error)
{
    og_take_off(problem->common.arms->budget, problem->price, value, error);
}

static void take_off_exactly(const priced *problem, mpq_t value)
{
    og_take_off_exactly(problem->common.arms->budget, problem->price, value);
}

/* ---- policies ---- */

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const priced *own = problem;
    og_ranks *ranks = NULL;
    og_policy_use priced_use = *use;
    priced_use.price = og_fraction_double(own->price);
    priced_use.with_standard = own->common.arms;
    OG_TRY(og_arms_problem_check_history(&own->common, name, message));
    OG_TRY(og_policy_name_ignores_price(name)
               ? og_priced_ranks_alone(name, &own->alone_arms, &priced_use, &ranks, message)
               : og_priced_ranks(name, own->common.arms, &priced_use, &ranks, message));
    *out = og_strategy_of_ranks(ranks);
    return OG_OK;
}

/* True for a policy whose ranks leave out the standard arm. */
static bool is_alone(const priced *problem, const og_strategy *by)
{
    return by != NULL && by->ranks->arm_count < problem->common.arms->arm_count;
}

/* ---- values ---- */

typedef struct {
    const priced *problem;
    og_value_asked question;
    og_value_asked inner_question; /* the same, but labels are counted here */
    og_settings settings;
    og_solution inner; /* of all arms */
} valued;

/* The gain with the standard arm, if it earns `reward`, and its error bound. */
static og_status gain_at(const valued *v, og_fraction reward, mpq_t gain, double *error,
                         og_message *message)
{
    og_arms_problem other = v->problem->common;
    og_solution solution = {.self = NULL};
    og_value_found found = {.called_value = NAN};
    mpq_t value;
    mpq_init(value);
    if (v->question.fractions) {
        found.value = value;
        found.gain = gain;
    }
    og_status status = og_arms_with_standard(v->problem->common.arms, reward, &other.arms);
    if (status == OG_OK) {
        status =
            og_arms_problem_solve(&other, &v->inner_question, &v->settings, &solution, message);
        OG_THEN(status, solution.value(solution.self, &found, message));
        og_solution_free(&solution);
        og_arms_with_standard_free(other.arms);
    }
    if (status == OG_OK && !v->question.fractions) {
        mpq_set_d(gain, found.result.gain);
        *error = found.result.error_bound;
    }
    mpq_clear(value);
    return status;
}

/* Labels left, less (gain(reward + step) - gain) / step, for step != 0. */
static og_status labels_by(const valued *v, og_fraction reward, mpq_srcptr gain, double gain_error,
                           double *labels, double *error, og_message *message)
{
    mpq_t other, step, from;
    double other_error = 0;
    mpq_inits(other, step, from, NULL);
    og_status status = gain_at(v, reward, other, &other_error, message);
    if (status == OG_OK) {
        og_fraction_get_mpq(step, reward);
        og_fraction_get_mpq(from, v->problem->price);
        mpq_sub(step, step, from);
        mpq_sub(other, other, gain);
        mpq_div(other, other, step);
        mpq_set_si(from, v->problem->common.arms->budget, 1);
        mpq_sub(from, from, other);
        mpq_abs(step, step);
        *labels = og_nearest(from);
        *error = fmax(*error, (gain_error + other_error) / og_nearest(step) * (1 + 0x1p-50) +
                                  fabs(*labels) * 0x1p-52);
    }
    mpq_clears(other, step, from, NULL);
    return status;
}

/*
 * Compute the number of labels bought from values alone. If the standard arm earns z, a fixed
 * policy earns G + z N, where N is the mean number of labels not bought. This is a straight line in
 * z, so two rewards give its slope. The optimum is the maximum of such lines and so convex in z.
 * Hence the slope of a chord to the right of z is at least the slope of any policy that is optimal
 * at z. A chord to the left has at most that slope. The ties best and worst depend on the reward.
 */
static og_status count_labels(valued *v, mpq_srcptr gain, double gain_error, og_labels_paid *out,
                              og_message *message)
{
    bool policy = v->question.by != NULL;
    const og_fraction price = v->problem->price;
    og_fraction far =
        og_fraction_plus(price, (int32_t)ceil(og_arms_scale(v->problem->common.arms)));
    const int64_t parts = v->question.fractions ? 1000000 : 10000; /* step: price / parts */
    const og_fraction next = price.num == 0
                                 ? og_fraction_make(1, parts)
                                 : og_fraction_make(price.num * (parts + 1), price.den * parts);
    if (policy && v->question.ties != OG_TIES_RANDOM && v->question.ties != OG_TIES_FIRST) {
        return OG_OK;
    }
    og_fraction more = policy ? far : next;
    OG_TRY(labels_by(v, more, gain, gain_error, &out->least, &out->error, message));
    out->most = out->least;
    if (!policy && price.num == 0) { /* free: all may be used */
        out->most = v->problem->common.arms->budget;
    } else if (!policy) {
        og_fraction less = og_fraction_make(price.num * (parts - 1), price.den * parts);
        OG_TRY(labels_by(v, less, gain, gain_error, &out->most, &out->error, message));
    }
    double budget = v->problem->common.arms->budget;
    out->least = out->least <= out->error ? 0 : fmin(out->least, budget);
    out->most = policy                             ? out->least
                : out->most >= budget - out->error ? budget
                                                   : fmax(out->most, out->least);
    out->known = true;
    return OG_OK;
}

/* Add the labels bought. The memory of the values can be reused. If a limit is reached, the number
 * stays unknown. */
static og_status add_labels(valued *v, og_value_found *out, og_message *message)
{
    og_message ignored = {""};
    mpq_t gain;
    if (!v->question.labels) {
        return OG_OK;
    }
    og_solution_free(&v->inner);
    mpq_init(gain);
    if (v->question.fractions) {
        mpq_set(gain, out->gain);
    } else {
        mpq_set_d(gain, out->result.gain);
    }
    og_status status = count_labels(v, gain, v->question.fractions ? 0 : out->result.error_bound,
                                    &out->labels, &ignored);
    mpq_clear(gain);
    if (status != OG_OK && status != OG_STOPPED && status != OG_NO_MEMORY) {
        return og_message_set(message, status, "%s", ignored.text);
    }
    return og_arms_problem_solve(v->problem, &v->inner_question, &v->settings, &v->inner, message);
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    valued *v = self;
    og_result *found = &out->result;
    double error = 0;
    OG_TRY(v->inner.value(v->inner.self, out, message));
    OG_TRY(add_labels(v, out, message));
    if (out->value == NULL) {
        take_off(v->problem, &found->value, &found->error_bound);
        take_off(v->problem, &found->gain, &error);
        found->error_bound += error;
        if (fabs(found->gain) <= found->error_bound) { /* no certain digit: no share */
            found->error_bound += fabs(found->gain);
            found->gain = 0;
        }
        return OG_OK;
    }
    take_off_exactly(v->problem, out->value);
    take_off_exactly(v->problem, out->gain);
    found->value = og_nearest(out->value);
    found->gain = og_nearest(out->gain);
    found->error_bound = fmax(fabs(found->value), fabs(found->gain)) * 0x1p-53;
    return OG_OK;
}

/* Set the Q of stopping, the last act, to its value: the standard arm's Q is that of one label not
 * bought. */
static og_status q(void *self, const og_act_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    const valued *v = self;
    OG_TRY(v->inner.q(v->inner.self, open, count, out, error, message));
    for (int32_t i = 0; i < count; i++) {
        take_off(v->problem, &out[i], &error[i]);
    }
    out[count - 1] = error[count - 1] = 0;
    return OG_OK;
}

static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *out,
                         og_message *message)
{
    const valued *v = self;
    OG_TRY(v->inner.q_exact(v->inner.self, open, count, out, message));
    for (int32_t i = 0; i < count; i++) {
        take_off_exactly(v->problem, out[i]);
    }
    mpq_set_ui(out[count - 1], 0, 1);
    return OG_OK;
}

static og_status picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message)
{
    const valued *v = self;
    return v->inner.picks(v->inner.self, open, count, pick, index, message);
}

static void valued_free(void *self)
{
    valued *v = self;
    og_solution_free(&v->inner);
    free(v);
}

static og_status solve(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const priced *own = problem;
    if (is_alone(own, question->by)) {
        return og_arms_problem_solve(&own->alone, question, settings, out, message);
    }
    valued *v = calloc(1, sizeof *v);
    OG_TRY(OG_ALLOCATED(v));
    *v = (valued){
        .problem = own, .question = *question, .inner_question = *question, .settings = *settings};
    v->inner_question.labels = false;
    og_status status =
        og_arms_problem_solve(problem, &v->inner_question, settings, &v->inner, message);
    if (status != OG_OK) {
        free(v);
        return status;
    }
    *out = (og_solution){
        .self = v, .value = value, .q = q, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}

static og_status steps(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message)
{
    const priced *own = problem;
    if (is_alone(own, use->by)) { /* what it pays from a state on is not told by its gains */
        return og_message_set(message, OG_BAD_INPUT,
                              "a policy that ignores the price has no values in single states; "
                              "choose ties random or first");
    }
    return og_priced_steps(own->common.arms, own->price, use, out, message);
}

/* The bound of the instances and the standard arm, less the standard arm's earnings. */
static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const priced *own = problem;
    return exact != NULL ? OG_OK : og_bound_less(own->common.arms, own->price, use, out, message);
}

static og_source source(const void *problem, const og_truth *truth)
{
    const priced *own = problem;
    return og_source_priced(&own->common.instances, truth, &own->price);
}

const og_family og_family_priced = {
    .name = "priced",
    .options = &og_priced_option_set,
    .apart = &og_family_each_priced,
    .model = {.own_policies = true,
              .bounds = og_bounds_of_arms,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = og_arms_problem_acts,
              .alike = og_arms_problem_alike,
              .prior = og_arms_problem_prior,
              .strategy = strategy,
              .solve = solve,
              .bound = bound,
              .steps = steps},
    .words = {.problems = "labels that have a price",
              .acts_name = "instances",
              .act_name = "instance",
              .acts_between = " ",
              .history = "1+ 2-",
              .describe = describe,
              .act_text = act_text,
              .put_act = put_act,
              .verb = "choose",
              .state_text = og_arms_problem_state_text,
              .step_text = og_arms_problem_step_text,
              .answer_text = og_arms_problem_answer_text,
              .put_step = og_arms_problem_put_step,
              .show_state = og_arms_problem_show_state},
    .runs = {.source = source},
};
