/* Instances with features on the command line. */
#include "bench/families/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/words.h"
#include "tools/option/family.h"
#include "tools/show/memory.h"

enum { LIST_BYTES = 256 };

static void format_numbers(const double *value, int32_t count, char *words, size_t size)
{
    size_t length = 0;
    for (int32_t i = 0; i < count && length + OG_WORDS_BYTES + 4 < size; i++) {
        length += (size_t)snprintf(words + length, size - length, "%s%s", i > 0 ? "," : "",
                                   og_words_exact(value[i]).text);
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

static void describe(const request *asked, og_document *document)
{
    const og_features_options *own = asked->family_options;
    const og_feature_table *data = &own->table;
    char words[2][LIST_BYTES];
    og_document *object = og_put_object(document, "problem");
    og_document *instances = og_put_array(object, "instances");
    for (int32_t i = 0; i < data->instance_count; i++) {
        og_document *row = og_put_object(instances, NULL);
        og_put_numbers(row, "features", &data->row[(int64_t)i * data->feature_count],
                       data->feature_count);
        og_put_whole(row, "positive", (uint64_t)data->positive[i]);
        og_put_whole(row, "negative", (uint64_t)data->negative[i]);
        og_put_whole(row, "count", 1);
    }
    og_document *mean = og_put_array(object, "weight_mean");
    og_document *sd = og_put_array(object, "weight_sd");
    for (int32_t d = 0; d < data->feature_count; d++) {
        og_put_number(mean, NULL, og_features_number(own->mean, own->mean_count, d));
        og_put_number(sd, NULL, og_features_number(own->sd, own->sd_count, d));
    }
    og_put_whole(object, "budget", (uint64_t)asked->left);
    og_show_field(document, "Problem", "%s (%" PRId32 " instance%s, %" PRId32 " feature%s)",
                  own->file, data->instance_count, data->instance_count == 1 ? "" : "s",
                  data->feature_count, data->feature_count == 1 ? "" : "s");
    format_numbers(own->mean, own->mean_count, words[0], LIST_BYTES);
    format_numbers(own->sd, own->sd_count, words[1], LIST_BYTES);
    og_show_field(document, "Weights", "normal, mean %s, standard deviation %s", words[0],
                  words[1]);
    if (labels_so_far(data) > 0) {
        og_show_field(document, "Labels so far", "%" PRId64, labels_so_far(data));
    }
    og_show_field(document, "Labels", "%" PRId32, asked->left);
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
    .describe = describe,
    .action = action,
    .note = "Values are those of the true model, by its exact posterior. kg and opt-kg label, and "
            "make their final calls, by Laplace's approximation of it; kg-exact and opt-kg-exact "
            "by itself.",
};
