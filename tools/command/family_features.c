/* Instances with features on the command line. */
#include "bench/families/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/option/family.h"
#include "tools/show/json.h"
#include "tools/show/memory.h"
#include "tools/show/number.h"
#include "tools/show/report.h"

enum { LIST_BYTES = 256 };

static void format_numbers(const double *value, int32_t count, char *words, size_t size)
{
    size_t length = 0;
    for (int32_t i = 0; i < count && length + NUMBER_TEXT_BYTES + 4 < size; i++) {
        char number[NUMBER_TEXT_BYTES];
        number_format_exact(value[i], number);
        length += (size_t)snprintf(words + length, size - length, "%s%s", i > 0 ? "," : "", number);
    }
}

/* ---- the problem ---- */

static og_status check(const request *asked, og_message *message)
{
    if (asked->problem.group_count > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the instances stand in the file of --features; no INSTANCE can be "
                              "given beside it");
    }
    return og_features_options_check(asked->family_options, message);
}

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    og_status status = check(asked, message);
    if (status != OG_OK) {
        return status;
    }
    const og_features_options *own = asked->family_options;
    const og_feature_table *data = &own->table;
    size_t count = (size_t)data->feature_count;
    double *mean = allocate(count, sizeof *mean);
    double *sd = allocate(count, sizeof *sd);
    for (int32_t d = 0; d < data->feature_count; d++) {
        mean[d] = og_features_number(own->mean, own->mean_count, d);
        sd[d] = og_features_number(own->sd, own->sd_count, d);
    }
    og_features_problem problem = {.instance_count = data->instance_count,
                                   .feature_count = data->feature_count,
                                   .row = data->row,
                                   .mean = mean,
                                   .sd = sd,
                                   .positive = data->positive,
                                   .negative = data->negative,
                                   .budget = asked->left};
    status = og_family_features(&problem, policy_count, &asked->settings, out, message);
    free(mean);
    free(sd);
    return status;
}

static int64_t labels_so_far(const og_feature_table *data)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < data->instance_count; i++) {
        sum += data->positive[i] + data->negative[i];
    }
    return sum;
}

static void fields(const request *asked, table *rows)
{
    const og_features_options *own = asked->family_options;
    const og_feature_table *data = &own->table;
    char mean[LIST_BYTES];
    char sd[LIST_BYTES];
    table_cell(rows, "Problem");
    table_cell(rows, "%s (%" PRId32 " instance%s, %" PRId32 " feature%s)", own->file,
               data->instance_count, data->instance_count == 1 ? "" : "s", data->feature_count,
               data->feature_count == 1 ? "" : "s");
    format_numbers(own->mean, own->mean_count, mean, sizeof mean);
    format_numbers(own->sd, own->sd_count, sd, sizeof sd);
    table_cell(rows, "Weights");
    table_cell(rows, "normal, mean %s, standard deviation %s", mean, sd);
    if (labels_so_far(data) > 0) {
        table_cell(rows, "Labels so far");
        table_cell(rows, "%" PRId64, labels_so_far(data));
    }
    table_cell(rows, "Labels");
    table_cell(rows, "%" PRId32, asked->left);
}

static json_t *problem_object(const request *asked)
{
    const og_features_options *own = asked->family_options;
    const og_feature_table *data = &own->table;
    json_t *object = object_new();
    json_t *instances = array_new();
    for (int32_t i = 0; i < data->instance_count; i++) {
        json_t *row = object_new();
        object_put(row, "features",
                   reals(&data->row[(int64_t)i * data->feature_count], data->feature_count));
        object_put(row, "positive", whole((uint64_t)data->positive[i]));
        object_put(row, "negative", whole((uint64_t)data->negative[i]));
        object_put(row, "count", whole(1));
        array_add(instances, row);
    }
    object_put(object, "instances", instances);
    json_t *mean = array_new();
    json_t *sd = array_new();
    for (int32_t d = 0; d < data->feature_count; d++) {
        array_add(mean, real(og_features_number(own->mean, own->mean_count, d)));
        array_add(sd, real(og_features_number(own->sd, own->sd_count, d)));
    }
    object_put(object, "weight_mean", mean);
    object_put(object, "weight_sd", sd);
    object_put(object, "budget", whole((uint64_t)asked->left));
    return object;
}

static void action(const request *asked, const og_first_action *first, char *words, size_t size)
{
    (void)asked;
    snprintf(words, size, "instance %" PRId32, first->instance + 1);
}

const family_kind family_features = {
    .option = "--features",
    .options = &og_features_option_set,
    .labels = "Labels",
    .own_instances = true,
    .make = make,
    .fields = fields,
    .problem = problem_object,
    .action = action,
    .note = "Values are those of the true model, by its exact posterior. kg and opt-kg label, and "
            "make their final calls, by Laplace's approximation of it; kg-exact and opt-kg-exact "
            "by itself.",
};
