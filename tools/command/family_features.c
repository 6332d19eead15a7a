/* Instances with features on the command line. */
#include "tools/command/family_features.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/features.h"
#include "bench/words.h"
#include "tools/show/memory.h"

enum { NUMBER_BYTES = 64, LIST_BYTES = 256 };

static const double usual_mean = 0;
static const double usual_sd = 1;

static const family_kind kind_features;

/* ---- numbers of the weights: one for all, or one for each ---- */

static double number_at(const number_list *list, double usual, int32_t d)
{
    return list->count == 0 ? usual : list->count == 1 ? list->value[0] : list->value[d];
}

static og_status read_number(const char *text, size_t length, const char *name, double *out,
                             og_message *message)
{
    char word[NUMBER_BYTES] = "";
    char *end = word;
    if (length < sizeof word && strspn(text, "+-.0123456789eE") >= length) {
        memcpy(word, text, length);
        word[length] = '\0';
        *out = strtod(word, &end);
    }
    if (end == word || *end != '\0' || !isfinite(*out)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be a decimal, or one for each feature with commas between, "
                              "not '%.64s'",
                              name, text);
    }
    return OG_OK;
}

static og_status read_numbers(const char *text, const char *name, number_list *out,
                              og_message *message)
{
    og_status status = OG_OK;
    out->count = 0;
    for (const char *rest = text; status == OG_OK && rest != NULL;) {
        size_t length = strcspn(rest, ",");
        if (out->count == OG_FEATURES_MAX) {
            return og_message_set(message, OG_BAD_INPUT, "%s has more than %d numbers", name,
                                  OG_FEATURES_MAX);
        }
        out->value = grow(out->value, (size_t)out->count + 1, sizeof *out->value);
        status = read_number(rest, length, name, &out->value[out->count++], message);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return status;
}

static void format_numbers(const number_list *list, double usual, char *words, size_t size)
{
    size_t length = 0;
    snprintf(words, size, "%g", usual);
    for (int32_t i = 0; i < list->count && length + OG_WORDS_BYTES + 4 < size; i++) {
        length += (size_t)snprintf(words + length, size - length, "%s%s", i > 0 ? "," : "",
                                   og_words_exact(list->value[i]).text);
    }
}

/* ---- the problem ---- */

static og_status check_weights(const request *asked, const number_list *list, const char *name,
                               og_message *message)
{
    if (list->count > 1 && list->count != asked->features.feature_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s has %" PRId32 " numbers and '%.100s' %" PRId32
                              " features; give one number for all or one for each",
                              name, list->count, asked->features_file,
                              asked->features.feature_count);
    }
    return OG_OK;
}

static og_status check(const request *asked, og_message *message)
{
    if (asked->features_file == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--features FILE is missing: the instances and their features");
    }
    if (asked->problem.group_count > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the instances stand in the file of --features; no INSTANCE can be "
                              "given beside it");
    }
    if (!asked->budget_given) {
        return og_message_set(message, OG_BAD_INPUT, "%s", option_budget.required);
    }
    og_status status = check_weights(asked, &asked->weight_mean, "--weight-mean", message);
    if (status == OG_OK) {
        status = check_weights(asked, &asked->weight_sd, "--weight-sd", message);
    }
    for (int32_t i = 0; status == OG_OK && i < asked->weight_sd.count; i++) {
        if (asked->weight_sd.value[i] <= 0) {
            status =
                og_message_set(message, OG_BAD_INPUT, "--weight-sd must be greater than 0, not %g",
                               asked->weight_sd.value[i]);
        }
    }
    return status;
}

static og_status make(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message)
{
    og_status status = check(asked, message);
    if (status != OG_OK) {
        return status;
    }
    const og_feature_table *data = &asked->features;
    size_t count = (size_t)data->feature_count;
    double *mean = allocate(count, sizeof *mean);
    double *sd = allocate(count, sizeof *sd);
    for (int32_t d = 0; d < data->feature_count; d++) {
        mean[d] = number_at(&asked->weight_mean, usual_mean, d);
        sd[d] = number_at(&asked->weight_sd, usual_sd, d);
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
    const og_feature_table *data = &asked->features;
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
        og_put_number(mean, NULL, number_at(&asked->weight_mean, usual_mean, d));
        og_put_number(sd, NULL, number_at(&asked->weight_sd, usual_sd, d));
    }
    og_put_whole(object, "budget", (uint64_t)asked->left);
    og_show_field(document, "Problem", "%s (%" PRId32 " instance%s, %" PRId32 " feature%s)",
                  asked->features_file, data->instance_count, data->instance_count == 1 ? "" : "s",
                  data->feature_count, data->feature_count == 1 ? "" : "s");
    format_numbers(&asked->weight_mean, usual_mean, words[0], LIST_BYTES);
    format_numbers(&asked->weight_sd, usual_sd, words[1], LIST_BYTES);
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

static const family_kind kind_features = {
    .option = "--features",
    .labels = "Labels",
    .own_instances = true,
    .make = make,
    .describe = describe,
    .action = action,
    .note = "Values are those of the true model, by its exact posterior. kg and opt-kg label, and "
            "make their final calls, by Laplace's approximation of it; kg-exact and opt-kg-exact "
            "by itself.",
};

/* ---- options ---- */

static og_status read_features(request *asked, const char *text, og_message *message)
{
    og_feature_table data = {.row = NULL};
    og_status status = family_choose(asked, &kind_features, message);
    if (status == OG_OK) {
        status = og_feature_table_read(text, &data, message);
    }
    if (status == OG_OK) {
        og_feature_table_clear(&asked->features);
        asked->features = data;
        asked->features_file = text;
    }
    return status;
}

static og_status read_weight_mean(request *asked, const char *text, og_message *message)
{
    og_status status = family_choose(asked, &kind_features, message);
    return status == OG_OK ? read_numbers(text, "--weight-mean", &asked->weight_mean, message)
                           : status;
}

static og_status read_weight_sd(request *asked, const char *text, og_message *message)
{
    og_status status = family_choose(asked, &kind_features, message);
    return status == OG_OK ? read_numbers(text, "--weight-sd", &asked->weight_sd, message) : status;
}

const option option_features = {
    .name = "features",
    .argument = "FILE",
    .help = "instances with features that share a weight vector, in the place of INSTANCE: tab "
            "separated, one row for each, the first line names the columns; 'positive' and "
            "'negative' are labels so far",
    .read = read_features,
};

const option option_weight_mean = {
    .name = "weight-mean",
    .argument = "M[,M...]",
    .help = "and the weights' prior is normal with this mean, one for all or one for each "
            "(default: 0)",
    .read = read_weight_mean,
};

const option option_weight_sd = {
    .name = "weight-sd",
    .argument = "S[,S...]",
    .help = "and with this standard deviation (default: 1)",
    .read = read_weight_sd,
};
