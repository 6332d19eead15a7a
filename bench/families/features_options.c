/* The options of instances with features: a file of them, and the prior of their weights. */
#include "bench/families/features.h"

#include <inttypes.h>
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
              .fallback = "1", .example = "one for each feature"),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_features_options *own = options;
    og_feature_table_clear(&own->table);
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

og_status og_features_options_check(const og_features_options *options, og_message *message)
{
    og_status status = check_count(options, options->mean_count, "--weight-mean", message);
    if (status == OG_OK) {
        status = check_count(options, options->sd_count, "--weight-sd", message);
    }
    for (int32_t i = 0; status == OG_OK && i < options->sd_count; i++) {
        if (options->sd[i] <= 0) {
            status = og_message_set(message, OG_BAD_INPUT,
                                    "--weight-sd must be greater than 0, not %g", options->sd[i]);
        }
    }
    return status;
}
