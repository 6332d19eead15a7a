/*
 * Instances coupled by a weight vector as a family: its policies are those of [Chen, Lin and Zhou,
 * section 6.1]. Their states are counts of labels if their posterior is exact, and histories if
 * not. With more features than can be integrated over, there are no values, only the choices of
 * policies and runs.
 */
#include "bench/families/features/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/words.h"
#include "heuristics/families/features_policy.h"

enum { ACT_BYTES = 32, LIST_BYTES = 256 };

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    features *own = problem;
    if (own != NULL) {
        og_features_free(own->features);
    }
    free(own);
}

static og_status make_problem(features *own, const og_problem_text *given,
                              const og_settings *settings, og_message *message)
{
    const og_features_options *options = own->options;
    const og_feature_table *table = &options->table;
    size_t count = (size_t)table->feature_count;
    double *mean = calloc(2 * count + 1, sizeof *mean);
    OG_TRY(OG_ALLOCATED(mean));
    for (int32_t d = 0; d < table->feature_count; d++) {
        mean[d] = og_features_number(options->mean, options->mean_count, d);
        mean[count + (size_t)d] = og_features_number(options->sd, options->sd_count, d);
    }
    const double *covariance = options->covariance.row;
    const og_features_problem problem = {.instance_count = table->instance_count,
                                         .feature_count = table->feature_count,
                                         .row = table->row,
                                         .mean = mean,
                                         .sd = covariance == NULL ? mean + count : NULL,
                                         .covariance = covariance,
                                         .positive = table->positive,
                                         .negative = table->negative,
                                         .budget = og_problem_text_left(given),
                                         .played = given->runs_only};
    og_status status = og_features_new(&problem, settings->memory_bytes, &own->features, message);
    free(mean);
    return status;
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    if (given->word_count > 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--features reads the instances from a file; omit the INSTANCE words");
    }
    OG_TRY(og_features_options_check(given->options, message));
    features *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    own->whole_budget = given->budget;
    og_status status = make_problem(own, given, settings, message);
    return OG_MADE(status, own, close_problem, problem);
}

static bool has_values(const features *problem)
{
    return og_features_points(problem->features) > 0;
}

static void sizes(const void *problem, og_problem_size *out)
{
    const features *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->features->budget,
                             .decisions = own->features->instance_count,
                             .acts = own->features->instance_count,
                             .metric = {.unit = "correct calls", .counted = true}};
}

static const char *policies(const void *problem)
{
    return has_values(problem) ? "uniform,kg,opt-kg,kg-exact,opt-kg-exact" : "uniform,kg,opt-kg";
}

static const char *numbers_text(const double *value, int32_t count, char words[LIST_BYTES])
{
    size_t length = 0;
    for (int32_t i = 0; i < count && length + OG_WORDS_BYTES + 4 < LIST_BYTES; i++) {
        length += (size_t)snprintf(words + length, LIST_BYTES - length, "%s%s", i > 0 ? "," : "",
                                   og_words_exact(value[i]).text);
    }
    return words;
}

static int64_t labels_so_far(const og_feature_table *table)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < table->instance_count; i++) {
        sum += table->positive[i] + table->negative[i];
    }
    return sum;
}

static void show(const features *problem, og_document *document)
{
    const og_features_options *own = problem->options;
    const og_feature_table *table = &own->table;
    char mean[LIST_BYTES];
    char sd[LIST_BYTES];
    og_show_field(document, "Problem", "%s (%" PRId32 " instance%s, %" PRId32 " feature%s)",
                  own->file, table->instance_count, table->instance_count == 1 ? "" : "s",
                  table->feature_count, table->feature_count == 1 ? "" : "s");
    numbers_text(own->mean, own->mean_count, mean);
    if (own->covariance.row != NULL) {
        og_show_field(document, "Weights", "normal, mean %s, covariance %s", mean,
                      own->covariance_file);
    } else {
        og_show_field(document, "Weights", "normal, mean %s, standard deviation %s", mean,
                      numbers_text(own->sd, own->sd_count, sd));
    }
    if (labels_so_far(table) > 0) {
        og_show_field(document, "Labels so far", "%" PRId64, labels_so_far(table));
    }
    og_show_field(document, "Labels", "%" PRId32, problem->features->budget);
}

static void put_weights(og_document *object, const char *name, const double *number, int32_t count,
                        int32_t feature_count)
{
    og_document *array = og_put_array(object, name);
    for (int32_t d = 0; d < feature_count; d++) {
        og_put_number(array, NULL, og_features_number(number, count, d));
    }
}

static void describe(const void *problem, og_document *document)
{
    const features *opened = problem;
    const og_features_options *own = opened->options;
    const og_feature_table *table = &own->table;
    og_document *object = og_put_object(document, "problem");
    og_document *instances = og_put_array(object, "instances");
    for (int32_t i = 0; i < table->instance_count; i++) {
        og_document *row = og_put_object(instances, NULL);
        og_put_numbers(row, "features", &table->row[(int64_t)i * table->feature_count],
                       table->feature_count);
        og_put_whole(row, "positive", (uint64_t)table->positive[i]);
        og_put_whole(row, "negative", (uint64_t)table->negative[i]);
        og_put_whole(row, "count", 1);
    }
    put_weights(object, "weight_mean", own->mean, own->mean_count, table->feature_count);
    if (own->covariance.row != NULL) {
        og_document *rows = og_put_array(object, "weight_covariance");
        for (int32_t d = 0; d < table->feature_count; d++) {
            og_put_numbers(rows, NULL, &own->covariance.row[(int64_t)d * table->feature_count],
                           table->feature_count);
        }
    } else {
        put_weights(object, "weight_sd", own->sd, own->sd_count, table->feature_count);
    }
    og_put_whole(object, "budget", (uint64_t)opened->features->budget);
    show(opened, document);
}

/* ---- acts: an instance; one action represents all instances with the same features ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const features *own = problem;
    int32_t count = own->features->instance_count;
    for (int32_t i = 0; i < count && i < room; i++) {
        uint32_t action = (uint32_t)own->features->action_of[i];
        open[i] = (og_act_open){{{action, (uint32_t)i, 0}}, 1};
    }
    return count < room ? count : room;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "instance %" PRIu32, act.part[1] + 1);
}

/* ---- values ---- */

static og_status check_values(const features *problem, og_message *message)
{
    return has_values(problem)
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--features supports values for one or two features, not for %ld; "
                                "`optgap query` shows the choices of kg and opt-kg, `optgap "
                                "simulate` estimates values",
                                (long)problem->features->feature_count);
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const features *own = problem;
    if (exact != NULL) {
        return og_family_lacks(&og_family_features, "--arithmetic exact", message);
    }
    OG_TRY(check_values(own, message));
    *value = og_features_prior(own->features, error);
    return OG_OK;
}

static void count_labels(const void *self, const void *state, int32_t *positive, int32_t *negative,
                         int32_t *left)
{
    const features *problem = self;
    const og_features_state *now = state;
    for (int32_t a = 0; a < problem->features->action_count && now->count != NULL; a++) {
        negative[problem->features->first[a]] += now->count[2 * a];
        positive[problem->features->first[a]] += now->count[2 * a + 1];
    }
    *left = now->left;
}

static og_label_choice choice_of(const void *self, og_act act)
{
    const features *problem = self;
    return (og_label_choice){problem->features->first[act.part[0]], 0, 1};
}

static og_act act_of(const void *self, og_label_choice choice)
{
    const features *problem = self;
    return (og_act){
        {(uint32_t)problem->features->action_of[choice.instance], (uint32_t)choice.instance, 0}};
}

static void situations(const void *problem, og_situations *out)
{
    const features *own = problem;
    *out = (og_situations){.self = own,
                           .instances = own->features->instance_count,
                           .workers = 1,
                           .budget = own->whole_budget,
                           .left = own->features->budget,
                           .positive = own->options->table.positive,
                           .negative = own->options->table.negative,
                           .count = count_labels,
                           .choice = choice_of,
                           .act = act_of};
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const features *own = problem;
    if (og_user_policy_decides(name)) {
        og_situations told;
        situations(problem, &told);
        return og_own_strategy(name, &told, use->stop, out, message);
    }
    return og_features_strategy(name, own->features, out, message);
}

/* Without integration points: only the choice at the root. */
typedef struct {
    const features *problem;
    const og_strategy *by;
} without_points;

static og_status no_value(void *self, og_value_found *out, og_message *message)
{
    (void)out;
    return check_values(((const without_points *)self)->problem, message);
}

static og_status no_q(void *self, const og_act_open *open, int32_t count, double *q, double *error,
                      og_message *message)
{
    (void)self;
    (void)open;
    (void)message;
    for (int32_t i = 0; i < count; i++) {
        q[i] = NAN;
        error[i] = INFINITY;
    }
    return OG_OK;
}

static og_status picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message)
{
    const without_points *w = self;
    const og_features_state root = {.features = w->problem->features,
                                    .left = w->problem->features->budget};
    return og_strategy_picks(w->by,
                             (og_strategy_view){.state = &root, .open = open, .count = count}, pick,
                             index, message);
}

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    const features *own = problem;
    (void)settings;
    OG_TRY(check_values(own, message));
    return og_features_model(own->features, question, out);
}

static og_status solve(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const features *own = problem;
    if (!has_values(own)) {
        without_points *w = calloc(1, sizeof *w);
        OG_TRY(OG_ALLOCATED(w));
        *w = (without_points){own, question->by};
        *out = (og_solution){.self = w, .value = no_value, .q = no_q, .picks = picks, .free = free};
        return OG_OK;
    }
    return og_family_solve_by_model(&og_family_features, problem, question, settings, out, message);
}

/* ---- state by state ---- */

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    const features *own = problem;
    snprintf(text, size, "instance %" PRId32, own->features->first[act.part[0]] + 1);
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const og_features_state *now = state;
    og_text out = og_text_begin(text, size);
    for (int32_t a = 0; a < now->features->action_count; a++) {
        int negative = now->count[2 * a], positive = now->count[2 * a + 1];
        if (positive + negative > 0) {
            char words[ACT_BYTES];
            step_text(problem, (og_act){{(uint32_t)a, 0, 0}}, words, sizeof words);
            og_text_add(&out, "%s%s: %d+ %d-", out.length > 0 ? "  " : "", words, positive,
                        negative);
        }
    }
    if (out.length == 0) {
        og_text_add(&out, "no new labels");
    }
}

const og_family og_family_features = {
    .name = "features",
    .options = &og_features_option_set,
    .own_words = true,
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
              .first_part = true,
              .solve = solve},
    .words = {.problems = "instances with features",
              .note = "kg, opt-kg and the like use Laplace's approximation of the posterior, also "
                      "for their "
                      "final calls; kg-exact and the like use the exact one.",
              .describe = describe,
              .act_text = act_text,
              .act_parts = {1, -1},
              .state_text = state_text,
              .step_text = step_text},
    .runs = {.source = features_source, .curves = "labels"},
};
