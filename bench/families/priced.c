/*
 * Labels that have a price. All is a question about the instances and the standard arm; values are
 * less by the price of all labels then, which is what is earned if none is bought.
 */
#include "bench/families/priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/history.h"
#include "bench/posterior.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/exact/settle.h"
#include "dp/product/chooser.h"
#include "dp/product/optimum/optimum.h"

typedef struct {
    og_groups instances;
    og_fraction price;
    bool paid; /* calls have payoffs */
    int32_t whole_budget;
    og_arms *arms;       /* of the instances, and the standard arm, a group of its own */
    const char *history; /* borrowed */
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

static og_status read_payoff(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    return og_payoff_parse(text, "--payoff", og_option_value(options, row), message);
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "price", "Z", og_priced_options, price,
              .help = "each label costs Z, in units of a correct call or of the payoff, at most T "
                      "are bought, and one may stop at any time; of labelers: right labels that "
                      "one unit of cost is worth",
              .required = "--price Z is missing: what a label costs", .read = read_price),
    OG_OPTION(CUSTOM, "payoff", "TP,FP,FN,TN", og_priced_options, payoff,
              .help = "what a call is worth", .read = read_payoff),
    OG_OPTION_LAST,
};

const og_option_set og_priced_option_set = {.rows = rows, .bytes = sizeof(og_priced_options)};

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    priced *of = problem;
    if (of != NULL) {
        og_arms_free(of->arms);
        og_groups_clear(&of->instances);
    }
    free(of);
}

static og_status take_payoffs(priced *of, const og_payoff *payoff, og_message *message)
{
    for (int32_t i = 0; i < of->instances.group_count; i++) {
        og_group *group = &of->instances.groups[i];
        if (payoff->given && group->kind == OG_PRIOR_DIRICHLET) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--payoff is about two classes, positive and negative; of more, "
                                  "the right call is worth 1");
        }
        if (!group->payoff.given) {
            group->payoff = *payoff;
        }
        of->paid = of->paid || group->payoff.given;
    }
    return OG_OK;
}

static og_status make_arms(priced *of, const og_settings *settings, og_message *message)
{
    og_arms *arms = NULL;
    OG_TRY(og_arms_new_for(&of->instances, settings, &arms, message));
    og_status status = og_arms_add_standard(arms, of->price, &of->arms);
    if (status != OG_OK) {
        og_arms_free(arms);
        return og_message_set(message, status, "out of memory for the posteriors of instances");
    }
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
    *of =
        (priced){.price = options->price, .whole_budget = given->budget, .history = given->history};
    og_given with_payoffs = *given;
    with_payoffs.payoffs = true;
    og_status status = og_given_instances(&with_payoffs, &of->instances, message);
    OG_THEN(status, take_payoffs(of, &options->payoff, message));
    OG_THEN(status, og_history_apply(given->history, &of->instances, message));
    OG_THEN(status, make_arms(of, settings, message));
    return OG_MADE(status, of, close_problem, problem);
}

static void sizes(const void *problem, og_sizes *out)
{
    const priced *of = problem;
    bool rational = true;
    double most = 0;
    for (int32_t i = 0; i < of->instances.group_count; i++) {
        const og_group *group = &of->instances.groups[i];
        rational = rational && og_group_is_whole(group);
        most += (double)group->count *
                fmax(og_payoff_worth(&group->payoff, 0, 0), og_payoff_worth(&group->payoff, 1, 1));
    }
    *out =
        (og_sizes){.budget = of->whole_budget,
                   .left = of->instances.budget,
                   .decisions = og_groups_size(&of->instances),
                   .acts = of->arms->group_count,
                   .rational = rational,
                   .most = most,
                   .metric = {.unit = of->paid ? "payoff less prices" : "correct calls less prices",
                              .amount = true}};
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
    og_document *object = og_describe_problem(document, &of->instances, "Labels");
    og_put_number(object, "price", og_fraction_double(of->price));
    og_fraction_format(of->price, text, sizeof text);
    og_show_field(document, "Price", "%s a label; one may stop", text);
    og_history_describe(of->history, document, object);
}

/* ---- what can be done ---- */

static bool is_stop(const priced *of, og_act act)
{
    return act.part[0] == (uint32_t)of->instances.group_count;
}

static int32_t acts(const void *problem, og_open *open, int32_t room)
{
    const priced *of = problem;
    int32_t count = of->arms->group_count < room ? of->arms->group_count : room;
    for (int32_t i = 0; i < count; i++) {
        open[i] = (og_open){{{(uint32_t)i}}, of->arms->group_size[i]};
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const priced *of = problem;
    if (is_stop(of, act)) {
        og_text out = og_text_begin(text, size);
        og_text_add(&out, "stop");
        return;
    }
    og_group one = of->instances.groups[act.part[0]];
    one.count = 1;
    og_group_format(&one, text, size);
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const priced *of = problem;
    if (!is_stop(of, act)) {
        return og_put_instance(array, &of->instances.groups[act.part[0]], "posterior");
    }
    og_document *object = og_put_object(array, NULL);
    og_put_text(object, "text", "stop");
    og_put_null(object, "posterior");
    og_put_null(object, "count");
    og_put_null(object, "threshold");
    return object;
}

static bool alike(const void *problem, og_act x, og_act y)
{
    const priced *of = problem;
    og_state_group of_x = {of->arms->arm_of_group[x.part[0]], 0, 1};
    og_state_group of_y = {of->arms->arm_of_group[y.part[0]], 0, 1};
    return og_alike(of->arms, &of_x, &of_y);
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const priced *of = problem;
    *value = og_arms_call(of->arms, error);
    if (exact == NULL) {
        return OG_OK;
    }
    og_status status = og_exact_check(of->arms, message);
    if (status == OG_OK) {
        og_arms_exact_call(of->arms, exact);
        *value = og_nearest_quotient(mpq_numref(exact), mpq_denref(exact));
        *error = fabs(*value) * 0x1p-53;
    }
    return status;
}

/* ---- what the standard arm earns is no gain ---- */

/* The price of all labels that are left. */
static void price_of_all(const priced *of, mpq_t out)
{
    mpq_t labels;
    mpq_init(labels);
    mpq_set_si(labels, of->arms->budget, 1);
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

static void ranks_free(void *self)
{
    og_ranks_free(self);
}

static uint64_t ranks_tolerance_ties(void *self)
{
    return og_ranks_tolerance_ties(self);
}

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
    const priced *of = problem;
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
    *out = (og_strategy){
        .self = ranks, .ranks = ranks, .tolerance_ties = ranks_tolerance_ties, .free = ranks_free};
    return OG_OK;
}

/* ---- values ---- */

typedef struct {
    const priced *of;
    og_question question;
    og_settings settings;
    og_optimum *optimum; /* NULL: not needed yet */
} valued;

static og_status need_optimum(valued *v, og_message *message)
{
    return v->optimum != NULL ? OG_OK
                              : og_optimum_new(v->of->arms, &v->settings, &v->optimum, message);
}

static og_status exact_value(const valued *v, og_found *out, og_message *message)
{
    const og_arms *arms = v->of->arms;
    og_exact *exact = NULL;
    og_status status = OG_OK;
    if (v->question.by != NULL) {
        status = og_exact_policy_value(arms, v->question.by->ranks, v->question.ties, &v->settings,
                                       out->value, out->gain, &out->result, message);
    } else {
        status = og_exact_new(arms, &v->settings, &exact, message);
        OG_THEN(status, og_exact_value(exact, out->value, out->gain, &out->result, message));
        og_exact_free(exact);
    }
    if (status == OG_OK) {
        take_off_exactly(v->of, out->value);
        take_off_exactly(v->of, out->gain);
        out->result.value = og_nearest(out->value);
        out->result.gain = og_nearest(out->gain);
        out->result.error_bound = fmax(fabs(out->result.value), fabs(out->result.gain)) * 0x1p-53;
    }
    return status;
}

static og_status value(void *self, og_found *out, og_message *message)
{
    valued *v = self;
    const og_strategy *by = v->question.by;
    og_status status = OG_OK;
    out->called_value = NAN;
    out->tolerance_ties = by != NULL ? og_ranks_tolerance_ties(by->ranks) : 0;
    if (v->question.fractions) {
        return exact_value(v, out, message);
    }
    if (by != NULL) {
        status = og_optimum_policy(v->of->arms, by->ranks, v->question.ties, &v->settings,
                                   &out->result, message);
    } else {
        status = need_optimum(v, message);
        OG_THEN(status, og_optimum_value(v->optimum, &out->result, message));
    }
    if (status == OG_OK) {
        double error = 0;
        take_off(v->of, &out->result.value, &out->result.error_bound);
        take_off(v->of, &out->result.gain, &error);
        out->result.error_bound += error;
    }
    return status;
}

/* Both are of all groups, in their order, which is that of acts(). To stop is worth nothing more:
 * the standard arm's Q is that of one label not bought. */
static og_status q(void *self, const og_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    valued *v = self;
    (void)open;
    OG_TRY(need_optimum(v, message));
    OG_TRY(og_optimum_q(v->optimum, out, error, message));
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
    og_exact *exact = NULL;
    (void)open;
    og_status status = og_exact_new(v->of->arms, &v->settings, &exact, message);
    OG_THEN(status, og_exact_q(exact, out, message));
    og_exact_free(exact);
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        take_off_exactly(v->of, out[i]);
    }
    if (status == OG_OK) {
        mpq_set_ui(out[count - 1], 0, 1);
    }
    return status;
}

static og_status picks(void *self, const og_open *open, int32_t count, bool *pick,
                       og_message *message)
{
    const valued *v = self;
    const og_arms *arms = v->of->arms;
    const og_ranks *ranks = v->question.by->ranks;
    uint32_t best = 0;
    (void)message;
    for (int32_t i = 0; arms->budget > 0 && i < count; i++) {
        int32_t arm = arms->arm_of_group[open[i].act.part[0]];
        uint32_t rank = og_ranks_of(ranks, arm, arms->budget)[0];
        best = rank > best ? rank : best;
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = arms->arm_of_group[open[i].act.part[0]];
        pick[i] = arms->budget > 0 && og_ranks_of(ranks, arm, arms->budget)[0] == best;
    }
    return OG_OK;
}

static void valued_free(void *self)
{
    valued *v = self;
    og_optimum_free(v->optimum);
    free(v);
}

static og_status solve(const void *problem, const og_question *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    valued *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    *v = (valued){.of = problem, .question = *question, .settings = *settings};
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
    OG_TRY(og_bound_of_arms(of->arms, which, settings, NULL, out, NULL, message));
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
    .acts = acts,
    .act_text = act_text,
    .put_act = put_act,
    .alike = alike,
    .prior = prior,
    .strategy = strategy,
    .solve = solve,
    .bound = bound,
};
