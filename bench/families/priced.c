/*
 * Labels that have a price. All is a question about the instances and the standard arm; values are
 * less by the price of all labels then, which is what is earned if none is bought.
 */
#include "bench/families/priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/arms_problem.h"
#include "bench/history.h"
#include "dp/base/rational.h"

typedef struct {
    og_arms_problem
        common; /* its arms: of the instances, and the standard arm, a group of its own */
    og_fraction price;
} priced;

/* ---- options ---- */

static og_status read_price(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_fraction value;
    if (og_fraction_parse(text, strlen(text), &value) != OG_OK || value.num == 0 ||
        value.num / value.den >= OG_PAYOFF_MAX || value.den > OG_PAYOFF_MAX) {
        return og_option_refuse(row, text, message,
                                "a decimal greater than 0 and less than 1000000, such as 0.01, of "
                                "at most six decimals");
    }
    *(og_fraction *)og_option_value(options, row) = value;
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "price", "Z", og_priced_options, price,
              .help = "each label costs Z, in units of a correct call or of the payoff, at most T "
                      "are bought, and one may stop at any time; of labelers: right labels that "
                      "one unit of cost is worth",
              .required = "--price Z is missing: what a label costs", .read = read_price),
    OG_CALL_OPTIONS(og_priced_options, calls),
    OG_OPTION_LAST,
};

const og_option_set og_priced_option_set = {.rows = rows, .bytes = sizeof(og_priced_options)};

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    priced *of = problem;
    if (of != NULL) {
        og_arms_problem_clear(&of->common);
    }
    free(of);
}

static og_status add_standard(priced *of, og_message *message)
{
    og_arms *all = NULL;
    if (og_arms_add_standard(of->common.arms, of->price, &all) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY,
                              "out of memory for the posteriors of instances");
    }
    of->common.arms = all;
    return OG_OK;
}

static og_status open_problem(const og_given *given, const og_settings *settings, void **problem,
                              og_message *message)
{
    const og_priced_options *options = given->options;
    priced *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->price = options->price;
    og_status status = og_arms_problem_open(given, &options->calls, settings, &of->common, message);
    OG_THEN(status, add_standard(of, message));
    return OG_MADE(status, of, close_problem, problem);
}

static void sizes(const void *problem, og_sizes *out)
{
    const og_arms_problem *of = problem;
    og_arms_problem_sizes(of, out);
    out->metric = (og_metric){.unit = of->paid ? "payoff less prices" : "correct calls less prices",
                              .amount = true};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh";
}

static void describe(const void *problem, og_document *document)
{
    char text[48];
    const priced *of = problem;
    og_document *object = og_describe_problem(document, &of->common.instances, "Labels");
    og_put_number(object, "price", og_fraction_double(of->price));
    og_fraction_format(of->price, text, sizeof text);
    og_show_field(document, "Price", "%s a label; one may stop", text);
    og_history_describe(of->common.history, document, object);
}

/* ---- what can be done ---- */

static bool is_stop(const void *problem, og_act act)
{
    const og_arms_problem *of = problem;
    return act.part[0] == (uint32_t)of->instances.group_count;
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

/* ---- what the standard arm earns is no gain ---- */

/* The price of all labels that are left. */
static void price_of_all(const priced *of, mpq_t out)
{
    mpq_t labels;
    mpq_init(labels);
    mpq_set_si(labels, of->common.arms->budget, 1);
    og_fraction_get_mpq(out, of->price);
    mpq_mul(out, out, labels);
    mpq_clear(labels);
}

/* *value less that, and what rounding it may add to *error. */
static void take_off(const priced *of, double *value, double *error)
{
    mpq_t exact, price;
    mpq_inits(exact, price, NULL);
    price_of_all(of, price);
    mpq_set_d(exact, *value);
    mpq_sub(exact, exact, price);
    *value = og_nearest(exact);
    *error += fabs(*value) * 0x1p-52;
    mpq_clears(exact, price, NULL);
}

static void take_off_exactly(const priced *of, mpq_t value)
{
    mpq_t price;
    mpq_init(price);
    price_of_all(of, price);
    mpq_sub(value, value, price);
    mpq_clear(price);
}

/* ---- policies ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    size_t length = strcspn(name, ":");
    while (*names != NULL && (strlen(*names) != length || strncmp(*names, name, length) != 0)) {
        names++;
    }
    return *names != NULL;
}

/* Indices that are an expected gain, which the price is held against: where none is above it, the
 * policy stops. uniform never does. */
static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    static const char *const known[] = {"uniform", "kg",         "opt-kg", "pess-kg",
                                        "cvar-kg", "gittins-fh", NULL};
    const og_arms_problem *of = problem;
    og_ranks *ranks = NULL;
    if (!is_one_of(name->name, known)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.100s' knows no prices of labels; uniform, kg, opt-kg, "
                              "pess-kg, cvar-kg:ALPHA and gittins-fh do",
                              name->name);
    }
    og_policy_use all = *use;
    all.roots = false; /* og_ranks_prefer looks at every node */
    OG_TRY(og_policy_name_ranks_for(name, of->arms, &all, &ranks, message));
    og_ranks_prefer(ranks, of->arms, of->arms->arm_count - 1, strcmp(name->name, "uniform") == 0);
    *out = og_strategy_of_ranks(ranks);
    return OG_OK;
}

/* ---- values ---- */

typedef struct {
    const priced *of;
    og_solution inner; /* of all arms */
} valued;

static og_status value(void *self, og_found *out, og_message *message)
{
    const valued *v = self;
    og_result *found = &out->result;
    double error = 0;
    OG_TRY(v->inner.value(v->inner.self, out, message));
    if (out->value == NULL) {
        take_off(v->of, &found->value, &found->error_bound);
        take_off(v->of, &found->gain, &error);
        found->error_bound += error;
        return OG_OK;
    }
    take_off_exactly(v->of, out->value);
    take_off_exactly(v->of, out->gain);
    found->value = og_nearest(out->value);
    found->gain = og_nearest(out->gain);
    found->error_bound = fmax(fabs(found->value), fabs(found->gain)) * 0x1p-53;
    return OG_OK;
}

/* To stop is worth nothing more: the standard arm's Q is that of one label not bought. It is the
 * last act. */
static og_status q(void *self, const og_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    const valued *v = self;
    OG_TRY(v->inner.q(v->inner.self, open, count, out, error, message));
    for (int32_t i = 0; i < count; i++) {
        take_off(v->of, &out[i], &error[i]);
    }
    out[count - 1] = error[count - 1] = 0;
    return OG_OK;
}

static og_status q_exact(void *self, const og_open *open, int32_t count, mpq_t *out,
                         og_message *message)
{
    const valued *v = self;
    OG_TRY(v->inner.q_exact(v->inner.self, open, count, out, message));
    for (int32_t i = 0; i < count; i++) {
        take_off_exactly(v->of, out[i]);
    }
    mpq_set_ui(out[count - 1], 0, 1);
    return OG_OK;
}

static og_status picks(void *self, const og_open *open, int32_t count, bool *pick,
                       og_message *message)
{
    const valued *v = self;
    return v->inner.picks(v->inner.self, open, count, pick, message);
}

static void valued_free(void *self)
{
    valued *v = self;
    og_solution_free(&v->inner);
    free(v);
}

static og_status solve(const void *problem, const og_question *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    valued *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    v->of = problem;
    og_status status = og_arms_problem_solve(problem, question, settings, &v->inner, message);
    if (status != OG_OK) {
        free(v);
        return status;
    }
    *out = (og_solution){
        .self = v, .value = value, .q = q, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}

/* Of all instances and the standard arm, less what that earns; not in fractions. */
static og_status bound(const void *problem, int32_t which, const og_settings *settings,
                       const og_exact_bound *least, og_upper_bound *out, og_exact_bound *exact,
                       og_message *message)
{
    const priced *of = problem;
    (void)least;
    if (exact != NULL) {
        return OG_OK;
    }
    OG_TRY(og_bound_of_arms(of->common.arms, which, settings, NULL, out, NULL, message));
    double rounding = 0;
    take_off(of, &out->value, &rounding);
    out->value += rounding;
    out->error += 2 * rounding;
    return OG_OK;
}

const og_family og_family_priced = {
    .name = "priced",
    .problems = "labels that have a price",
    .options = &og_priced_option_set,
    .acts_name = "instances",
    .act_name = "instance",
    .acts_between = " ",
    .budget_name = "Labels",
    .history = "1+ 2-",
    .bounds = og_bounds_of_arms,
    .open = open_problem,
    .close = close_problem,
    .sizes = sizes,
    .policies = policies,
    .describe = describe,
    .acts = og_arms_problem_acts,
    .act_text = act_text,
    .put_act = put_act,
    .alike = og_arms_problem_alike,
    .prior = og_arms_problem_prior,
    .strategy = strategy,
    .solve = solve,
    .bound = bound,
};
