/* The options of sources: --source NAME:PRICE:P[:MOST] or NAME:PRICE:A,B[:MOST], one for each. */
#include "bench/families/sources/sources.h"

#include <stdlib.h>
#include <string.h>

/* Read a whole number of 1 to `most` that extends up to `end`. */
static bool read_whole(const char *text, const char *end, int32_t most, int32_t *out)
{
    char *stop;
    long number = strtol(text, &stop, 10);
    bool whole = text < end && *text >= '0' && *text <= '9' && stop == end;
    *out = whole && number >= 1 && number <= most ? (int32_t)number : 0;
    return *out > 0;
}

static bool is_parameter(og_fraction value)
{
    double number = og_fraction_double(value);
    return number >= OG_PARAMETER_MIN && number <= OG_PARAMETER_MAX;
}

/* Read P or A,B up to `end`; *wrong is zeros for P. */
static bool read_accuracy(const char *text, const char *end, og_fraction *right, og_fraction *wrong)
{
    const char *comma = memchr(text, ',', (size_t)(end - text));
    const char *first_end = comma != NULL ? comma : end;
    *wrong = (og_fraction){0, 0};
    if (og_fraction_parse(text, (size_t)(first_end - text), right) != OG_OK) {
        return false;
    }
    return comma == NULL
               ? right->num <= right->den
               : og_fraction_parse(comma + 1, (size_t)(end - comma - 1), wrong) == OG_OK &&
                     is_parameter(*right) && is_parameter(*wrong);
}

/* PRICE:P[:MOST], PRICE:A,B[:MOST] */
static bool read_numbers(const char *text, og_label_source *out, og_fraction *wrong)
{
    const char *chance = strchr(text, ':'), *end = text + strlen(text);
    if (chance == NULL || !read_whole(text, chance, OG_ARM_COST_MAX, &out->price)) {
        return false;
    }
    const char *most = strchr(chance + 1, ':');
    out->most = 0;
    return (most == NULL || read_whole(most + 1, end, OG_BUDGET_MAX, &out->most)) &&
           read_accuracy(chance + 1, most != NULL ? most : end, &out->accuracy, wrong);
}

static og_status read_source(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_sources_options *own = options;
    og_sources *sources = &own->given.sources;
    const char *price = strchr(text, ':');
    og_label_source source;
    og_fraction wrong;
    size_t length = price != NULL ? (size_t)(price - text) : 0;
    if (length == 0 || length >= OG_SOURCE_NAME_BYTES ||
        !read_numbers(price + 1, &source, &wrong)) {
        return og_option_refuse(
            row, text, message,
            "NAME:PRICE:P[:MOST] or NAME:PRICE:A,B[:MOST], a name of at most %d letters, a whole "
            "price of 1 to %d, the probability from 0 to 1 that a label is right or its Beta with "
            "A and B of %g to %g, and the most labels for an instance",
            OG_SOURCE_NAME_BYTES - 1, OG_ARM_COST_MAX, OG_PARAMETER_MIN, OG_PARAMETER_MAX);
    }
    for (int32_t j = 0; j < sources->count; j++) {
        if (strlen(own->name[j]) == length && memcmp(own->name[j], text, length) == 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "two sources have the name '%s'; give different names",
                                  own->name[j]);
        }
    }
    if (sources->count == OG_SOURCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "--source can be given at most %d times",
                              OG_SOURCES_MAX);
    }
    memcpy(own->name[sources->count], text, length);
    own->given.wrong[sources->count] = wrong;
    sources->source[sources->count++] = source;
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "source", "NAME:PRICE:P[:MOST]", og_sources_options, given,
              .topic = OG_TOPIC_SOURCES, .brief = "source of labels, its price and accuracy",
              .help = "a source of labels. A label costs PRICE (a whole number) of the budget -T "
                      "and is right with probability P. A,B in place of P: the probability is "
                      "unknown, the same for all instances, and has the prior Beta(A,B). MOST: "
                      "labels that an instance can get from this source (default: no limit). An "
                      "INSTANCE A,B is positive with probability A/(A+B). May be repeated",
              .count = offsetof(og_sources_options, given.sources.count), .read = read_source,
              .repeats = true, .required = "--source NAME:PRICE:P is missing: a source of labels"),
    OG_OPTION_LAST,
};

const og_option_set og_sources_option_set = {.rows = rows, .bytes = sizeof(og_sources_options)};
