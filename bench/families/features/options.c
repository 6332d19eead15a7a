/* The options of instances with features: a file of them, and the prior of their weights. */
#include "bench/families/features/features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static og_status read_file(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    og_features_options *own = options;
    og_feature_table table;
    (void)row;
    og_status status = og_feature_table_read(text, &table, message);
    if (status == OG_OK) {
        og_feature_table_clear(&own->table);
        own->table = table;
        own->file = text;
    }
    return status;
}

/* Weights are named like columns with features. */
static og_status read_covariance(void *options, const og_option_row *row, const char *text,
                                 og_message *message)
{
    og_features_options *own = options;
    og_feature_table table;
    (void)row;
    OG_TRY(og_feature_table_read(text, &table, message));
    og_feature_table_clear(&own->covariance);
    own->covariance = table;
    own->covariance_file = text;
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(
        CUSTOM, "features", "FILE", og_features_options, file, .topic = OG_TOPIC_FEATURES,
        .brief = "table of instances with features, replacing INSTANCE",
        .help =
            "table of instances with features, instead of INSTANCE words: one line per instance, "
            "separated by tabs; the first line names the columns. The columns positive and "
            "negative, if present, count the labels so far. All instances share one weight vector",
        .required = "--features FILE is missing: a table of instances and their features",
        .read = read_file),
    OG_OPTION(NUMBERS, "weight-mean", "M[,M...]", og_features_options, mean,
              .topic = OG_TOPIC_FEATURES, .brief = "prior mean of the weights, for all or each",
              .help = "with --features: mean of the normal prior of the weights, one number for "
                      "all or one for each",
              .count = offsetof(og_features_options, mean_count), .most = OG_FEATURES_MAX,
              .fallback = "0", .example = "one for each feature"),
    OG_OPTION(NUMBERS, "weight-sd", "S[,S...]", og_features_options, sd, .topic = OG_TOPIC_FEATURES,
              .brief = "prior standard deviation of the weights",
              .help = "with --features: standard deviation of the normal prior of the weights, one "
                      "number for all or one for each",
              .count = offsetof(og_features_options, sd_count), .most = OG_FEATURES_MAX,
              .given = offsetof(og_features_options, sd_given), .fallback = "1",
              .example = "one for each feature"),
    OG_OPTION(CUSTOM, "weight-covariance", "FILE", og_features_options, covariance_file,
              .topic = OG_TOPIC_FEATURES, .brief = "prior covariance of the weights, a table",
              .help = "with --features: covariance of the normal prior of the weights, instead of "
                      "--weight-sd: a table whose first line names the features in their order, "
                      "then one line per feature",
              .read = read_covariance),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_features_options *own = options;
    og_feature_table_clear(&own->table);
    og_feature_table_clear(&own->covariance);
    free(own->mean);
    free(own->sd);
}

const og_option_set og_features_option_set = {rows, sizeof(og_features_options), clear};

double og_features_number(const double *number, int32_t count, int32_t d)
{
    return number[count == 1 ? 0 : d];
}

static og_status check_count(const og_features_options *options, int32_t count, const char *name,
                             og_message *message)
{
    if (count > 1 && count != options->table.feature_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s has %" PRId32 " numbers and '%.100s' %" PRId32
                              " features; give one number for all or one for each",
                              name, count, options->file, options->table.feature_count);
    }
    return OG_OK;
}

static og_status check_covariance(const og_features_options *options, og_message *message)
{
    const double rounding = 1e-9;
    const og_feature_table *table = &options->covariance;
    int32_t count = options->table.feature_count;
    if (options->sd_given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--weight-sd and --weight-covariance cannot be combined; give one");
    }
    if (table->feature_count != count || table->instance_count != count) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--weight-covariance must have %" PRId32 " lines and columns, one for "
            "each feature of '%.100s', not %" PRId32 " lines and %" PRId32 " columns",
            count, options->file, table->instance_count, table->feature_count);
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < i; j++) {
            double one = table->row[i * count + j], other = table->row[j * count + i];
            if (!(fabs(one - other) <= rounding * fmax(fabs(one), fabs(other)))) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "--weight-covariance must be symmetric; the covariances of "
                                      "weights %" PRId64 " and %" PRId64 " are %g and %g",
                                      j + 1, i + 1, other, one);
            }
        }
    }
    return OG_OK;
}

og_status og_features_options_check(const og_features_options *options, og_message *message)
{
    og_status status = check_count(options, options->mean_count, "--weight-mean", message);
    OG_THEN(status, check_count(options, options->sd_count, "--weight-sd", message));
    for (int32_t i = 0; status == OG_OK && i < options->sd_count; i++) {
        if (options->sd[i] <= 0) {
            status = og_message_set(message, OG_BAD_INPUT,
                                    "--weight-sd must be greater than 0, not %g", options->sd[i]);
        }
    }
    return status == OG_OK && options->covariance.row != NULL ? check_covariance(options, message)
                                                              : status;
}
