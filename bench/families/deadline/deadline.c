/*
 * Labels that take time and must arrive before a deadline, and labels in batches, as two families
 * of one model.
 */
#include "bench/families/deadline/deadline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/posterior.h"
#include "bench/simulation/sources.h"
#include "dp/base/rational.h"
#include "dp/exact/fractions.h"
#include "dp/product/optimum/optimum.h"
#include "heuristics/bounds/deadline_bound.h"
#include "heuristics/families/deadline_policy.h"
#include "heuristics/families/delayed_policy.h"

typedef struct {
    og_groups instances;
    og_groups in_time;           /* the same, with as many labels as can be requested in time */
    const og_deadline *deadline; /* from the options, or `batches` */
    int32_t batch;               /* 0: not in batches */
    og_deadline batches;
    int32_t whole_budget;
    og_arms *arms; /* of `in_time` */
} dated;

/* Most states of the optimum of labels seen one by one, a bound for batches: some ten seconds. */
static const uint64_t one_by_one_states = 5000000;

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    dated *own = problem;
    if (own != NULL) {
        og_arms_free(own->arms);
        og_groups_clear(&own->instances);
    }
    free(own);
}

static og_status make_problem(dated *problem, const og_problem_text *given,
                              const og_settings *settings, og_message *message)
{
    OG_TRY(og_problem_text_instances(given, &problem->instances, message));
    if (problem->batch > 0) {
        problem->batches = og_deadline_batches(problem->batch, problem->instances.budget);
    }
    OG_TRY(og_deadline_check(problem->deadline, problem->instances.budget, message));
    problem->in_time = problem->instances;
    problem->in_time.budget = og_deadline_labels(problem->deadline, problem->instances.budget);
    return og_arms_new(&problem->in_time, settings, &problem->arms, message);
}

/* `deadline` NULL: in batches. */
static og_status open_as(const og_deadline *deadline, int32_t batch, const og_problem_text *given,
                         const og_settings *settings, void **problem, og_message *message)
{
    dated *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->deadline = deadline != NULL ? deadline : &own->batches;
    own->batch = batch;
    own->whole_budget = given->budget;
    og_status status = make_problem(own, given, settings, message);
    return OG_MADE(status, own, close_problem, problem);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    const og_deadline_options *options = given->options;
    return open_as(&options->deadline, 0, given, settings, problem, message);
}

static og_status open_batches(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    const og_batch_options *options = given->options;
    return open_as(NULL, options->batch, given, settings, problem, message);
}

static bool rational(const dated *problem)
{
    for (int32_t a = 0; a < problem->arms->arm_count; a++) {
        if (!problem->arms->arm[a]->rational) {
            return false;
        }
    }
    return true;
}

static void sizes(const void *problem, og_problem_size *out)
{
    const dated *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->instances.budget,
                             .decisions = og_groups_size(&own->instances),
                             .acts = own->instances.group_count + own->deadline->turn_away,
                             .rational = rational(own),
                             .metric = {.unit = "correct calls"}};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh,hu-frazier";
}

static const char *batch_policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh";
}

/* ---- description ---- */

static void describe_service(const og_deadline *deadline, og_text *out)
{
    char chance[48];
    if (deadline->advance.num == deadline->advance.den) {
        og_text_add(out, "%" PRId32 "%s", deadline->phases,
                    deadline->phases == 1 ? " slot" : " slots");
        return;
    }
    og_fraction_format(deadline->advance, chance, sizeof chance);
    og_text_add(out, "%" PRId32 " %s with probability %s", deadline->phases,
                deadline->phases == 1 ? "phase that ends in a slot"
                                      : "phases, each of which ends in a slot",
                chance);
}

/* The probability that exactly so many workers arrive in a slot, 1 .. at_once. */
static double arrivals_chance(const og_deadline *deadline, int32_t workers)
{
    mpq_t chance, other;
    mpq_inits(chance, other, NULL);
    mpq_set_ui(chance, 1, 1);
    for (int32_t m = 0; m < workers; m++) {
        og_fraction_get_mpq(other, og_deadline_arrival(deadline, m));
        mpq_mul(chance, chance, other);
    }
    if (workers < og_deadline_at_once(deadline)) {
        og_fraction_get_mpq(other, og_deadline_arrival(deadline, workers));
        mpz_sub(mpq_numref(other), mpq_denref(other), mpq_numref(other));
        mpq_canonicalize(other);
        mpq_mul(chance, chance, other);
    }
    double found = og_nearest(chance);
    mpq_clears(chance, other, NULL);
    return found;
}

static void put_arrivals(const og_deadline *deadline, og_document *object)
{
    int32_t most = og_deadline_at_once(deadline);
    if (most == 1) {
        og_put_number(object, "arrival", og_fraction_double(deadline->arrival));
        return;
    }
    og_document *array = og_put_array(object, "arrival");
    for (int32_t m = 1; m <= most; m++) {
        og_put_number(array, NULL, arrivals_chance(deadline, m));
    }
}

static void describe_arrivals(const og_deadline *deadline, og_text *out)
{
    char chance[48];
    int32_t most = og_deadline_at_once(deadline);
    if (most == 1) {
        og_fraction_format(deadline->arrival, chance, sizeof chance);
        og_text_add(out,
                    deadline->arrival.num == deadline->arrival.den
                        ? "a worker in each"
                        : "a worker in each with probability %s",
                    chance);
        return;
    }
    for (int32_t m = 1; m <= most; m++) {
        og_text_add(out, m == 1 ? "in each %" PRId32 " worker" : ", %" PRId32, m);
        og_text_add(out, " with probability %.9g", arrivals_chance(deadline, m));
    }
}

static void describe(const void *problem, og_document *document)
{
    const dated *own = problem;
    const og_deadline *deadline = own->deadline;
    char text[400];
    og_text words = og_text_begin(text, sizeof text);
    og_document *object = og_describe_problem(document, &own->instances, "Labels");
    og_put_whole(object, "deadline", (uint64_t)deadline->slots);
    put_arrivals(deadline, object);
    og_document *service = og_put_object(object, "service");
    og_put_whole(service, "phases", (uint64_t)deadline->phases);
    og_put_number(service, "chance", og_fraction_double(deadline->advance));
    og_put_bool(object, "turn_away", deadline->turn_away);
    og_put_bool(object, "late_labels", deadline->late);
    og_put_whole(object, "labels_in_time", (uint64_t)own->arms->budget);
    og_text_add(&words, "%" PRId32 "%s, ", deadline->slots,
                deadline->slots == 1 ? " slot" : " slots");
    describe_arrivals(deadline, &words);
    og_text_add(&words, "%s", deadline->turn_away ? ", workers may be sent away" : "");
    og_show_field(document, "Deadline", "%s", text);
    words = og_text_begin(text, sizeof text);
    describe_service(deadline, &words);
    og_text_add(&words, "%s", deadline->late ? ", late labels count" : "");
    og_show_field(document, "Service", "%s", text);
}

static void describe_batches(const void *problem, og_document *document)
{
    const dated *own = problem;
    og_document *object = og_describe_problem(document, &own->instances, "Labels");
    og_put_whole(object, "batch", (uint64_t)own->batch);
    og_show_field(document, "Batches", "%" PRId32 " labels each, seen when all are there",
                  own->batch);
}

/* ---- acts: here acts are groups, in the model they are arms ---- */

static bool is_away(const dated *problem, og_act act)
{
    return act.part[0] == (uint32_t)problem->arms->arm_count;
}

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const dated *own = problem;
    int32_t used = 0;
    for (int32_t g = 0; g < own->arms->group_count && used < room; g++) {
        open[used++] = (og_act_open){{{(uint32_t)own->arms->arm_of_group[g], (uint32_t)g, 0}},
                                     own->arms->group_size[g]};
    }
    if (own->deadline->turn_away && used < room) {
        open[used++] = (og_act_open){og_deadline_away(own->arms), 1};
    }
    return used;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const dated *own = problem;
    if (is_away(own, act)) {
        snprintf(text, size, "nobody");
    } else {
        og_group_format(og_groups_at(&own->instances, act.part[1]), text, size);
    }
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const dated *own = problem;
    char text[OG_GROUP_TEXT_BYTES];
    act_text(problem, act, text, sizeof text);
    return og_put_act(array, text, is_away(own, act) ? -1 : (int32_t)act.part[1], -1);
}

/* ---- values ---- */

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const dated *own = problem;
    *value = og_arms_prior_value(own->arms, error);
    if (exact == NULL) {
        return OG_OK;
    }
    OG_TRY(og_exact_check(own->arms, message));
    og_arms_exact_call(own->arms, exact);
    *value = og_nearest(exact);
    *error = fabs(*value) * 0x1p-53;
    return OG_OK;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const dated *own = problem;
    return own->batch > 0
               ? og_delayed_strategy_new(name, own->arms, NULL, use, out, message)
               : og_deadline_strategy_new(name, own->arms, own->deadline, use, out, message);
}

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    const dated *own = problem;
    OG_TRY(question->fractions ? og_exact_check(own->arms, message) : OG_OK);
    return og_deadline_model(own->arms, own->deadline, question, settings->memory_bytes, out,
                             message);
}

/* The lower of this problem's own bound and that of immediate labels, which can be lower if workers
 * may be sent away. A bound beyond the memory limit is omitted: the others need less. */
static og_status vector_bound(const dated *problem, const og_settings *settings,
                              og_upper_bound *out, og_message *message)
{
    og_upper_bound own = {.value = INFINITY}, at_once = {.value = INFINITY};
    og_status status =
        og_bound_deadline_vector(problem->arms, problem->deadline, settings->memory_bytes,
                                 og_stop_of(settings), &own, message);
    if (status != OG_OK && status != OG_NO_MEMORY && status != OG_STOPPED) {
        return status;
    }
    status = og_bound_of_arms(problem->arms, &(og_bound_use){.which = 1, .settings = settings},
                              &at_once, NULL, message);
    bool less = status == OG_OK && at_once.value < own.value;
    if (status == OG_OK || isfinite(own.value)) {
        *out = less ? at_once : own;
        og_bound_clear(less ? &own : &at_once);
        return OG_OK;
    }
    return status;
}

/* Bounds that price labels are this problem's own, and have no fractions. */
static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const dated *own = problem;
    if (use->which > 1) {
        return og_bound_of_arms(own->arms, use, out, exact, message);
    }
    if (exact != NULL) {
        return OG_OK;
    }
    if (use->which == 1) {
        return vector_bound(own, use->settings, out, message);
    }
    og_status status = og_bound_deadline(own->arms, own->deadline, use->settings->memory_bytes,
                                         og_stop_of(use->settings), out, message);
    return status == OG_NO_MEMORY || status == OG_STOPPED ? OG_OK : status;
}

/* The bounds of labels seen one by one, and the optimum of such labels plus its error bound. */
static const char *const batch_bounds[] = {"lagrangian_scalar",
                                           "lagrangian_vector",
                                           "prevailing_charge",
                                           "priced_end",
                                           "joint_end",
                                           "one_by_one",
                                           NULL};

static og_status bound_batches(const void *problem, const og_bound_use *use, og_upper_bound *out,
                               og_exact_bound *exact, og_message *message)
{
    const dated *own = problem;
    if (use->which < OG_BOUNDS_OF_ARMS) {
        return og_bound_of_arms(own->arms, use, out, exact, message);
    }
    og_optimum *optimum = NULL;
    og_result result;
    og_settings limited = *use->settings;
    limited.states_max = one_by_one_states;
    og_status status = og_optimum_new(own->arms, &limited, &optimum, message);
    OG_THEN(status, og_optimum_value(optimum, &result, message));
    og_optimum_free(optimum);
    if (status == OG_OK) {
        *out = (og_upper_bound){.value = result.value + result.error_bound,
                                .error = 2 * result.error_bound,
                                .converged = true};
    }
    return status == OG_NO_MEMORY || status == OG_STOPPED ? OG_OK : status;
}

/* ---- state by state: an act is an instance ---- */

/* Labels under way and the phases left: " (1 due in 2 slots)". */
static void add_under_way(const dated *problem, uint32_t under_way, og_text *out)
{
    int32_t bits = og_deadline_bits(problem->deadline, problem->arms->budget);
    const char *before = " (";
    if (problem->batch > 0 && under_way > 0) {
        og_text_add(out, " (%" PRIu32 " under way)", under_way);
        return;
    }
    for (int32_t phase = 1; under_way != 0; phase++, under_way >>= bits) {
        uint32_t labels = under_way & ((UINT32_C(1) << bits) - 1);
        if (labels > 0) {
            og_text_add(out, "%s%" PRIu32 " with %" PRId32 " to go", before, labels, phase);
            before = ", ";
        }
    }
    og_text_add(out, "%s", before[0] == ',' ? ")" : "");
}

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    const dated *own = problem;
    char words[OG_GROUP_TEXT_BYTES + 32];
    og_text out = og_text_begin(text, size);
    if (is_away(own, act)) {
        og_text_add(&out, "nobody");
        return;
    }
    og_posterior_format(own->arms->arm[act.part[0]], act.part[1], words, sizeof words);
    og_text_add(&out, "%s", words);
    add_under_way(own, act.part[2], &out);
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const dated *own = problem;
    const og_deadline_state *now = state;
    og_text out = og_text_begin(text, size);
    if (now->count > 0 && own->batch == 0) {
        int32_t slot = own->deadline->slots - now->slots + 1;
        og_text_add(&out, now->slots > 0 ? "slot %" PRId32 ": " : "late: ", slot);
    }
    for (int32_t i = 0; i < now->count; i++) {
        char words[OG_GROUP_TEXT_BYTES + 64];
        const og_deadline_item item = og_deadline_item_at(now, i);
        og_act act = {{(uint32_t)item.arm, item.node, item.under_way}};
        step_text(problem, act, words, sizeof words);
        og_text_add(&out, "%s", i > 0 ? "  " : "");
        if (item.copies > 1) {
            og_text_add(&out, "%" PRIu32 "x", item.copies);
        }
        og_text_add(&out, "%s", words);
    }
    if (own->batch > 0) {
        og_text_add(&out, now->left > 0    ? ""
                          : now->count > 0 ? ", all labels are ordered"
                                           : "all labels are ordered");
    } else if (now->count == 0) {
        og_text_add(&out, "nothing more to come");
    } else if (now->left == 0) {
        og_text_add(&out, "; no label is asked for any more");
    }
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    static const char *const events[] = {
        [OG_DEADLINE_COMES] = "a worker comes",
        [OG_DEADLINE_NONE_COMES] = "no worker comes",
        [OG_DEADLINE_GIVEN] = "",
        [OG_DEADLINE_STAYS] = "a label takes longer",
        [OG_DEADLINE_GOES_ON] = "a label goes on",
    };
    const dated *own = problem;
    char instance[OG_GROUP_TEXT_BYTES + 32], label[16];
    if (answer == OG_ANSWER_NONE) {
        snprintf(text, size, "%s", events[act.part[1]]);
        return;
    }
    if (is_away(own, act)) {
        text[0] = '\0';
        return;
    }
    og_label_format(own->arms->arm[act.part[0]], act.part[1], answer, label, sizeof label);
    og_posterior_format(own->arms->arm[act.part[0]], act.part[1], instance, sizeof instance);
    snprintf(text, size, "%s for %s", label, instance);
}

static og_source source(const void *problem, const og_truth *truth)
{
    const dated *own = problem;
    return og_source_deadline(&own->in_time, truth, own->deadline);
}

const og_family og_family_deadline = {
    .name = "deadline",
    .options = &og_deadline_option_set,
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
    .words = {.problems = "labels with a deadline",
              .describe = describe,
              .act_text = act_text,
              .put_act = put_act,
              .state_text = state_text,
              .step_text = step_text,
              .answer_text = answer_text},
    .runs = {.source = source},
};

const og_family og_family_batch = {
    .name = "batch",
    .options = &og_batch_option_set,
    .model = {.own_policies = true,
              .bounds = batch_bounds,
              .open = open_batches,
              .close = close_problem,
              .sizes = sizes,
              .policies = batch_policies,
              .acts = acts,
              .prior = prior,
              .strategy = strategy,
              .model = open_model,
              .first_part = true,
              .bound = bound_batches},
    .words = {.problems = "labels in batches",
              .acts_name = "instances",
              .act_name = "instance",
              .describe = describe_batches,
              .act_text = act_text,
              .act_parts = {1, -1},
              .state_text = state_text,
              .step_text = step_text,
              .answer_text = answer_text},
};
