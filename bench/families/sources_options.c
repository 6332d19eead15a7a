/* The options of sources of known accuracy: --source NAME:PRICE:P[:MOST], one for each. */
#include "bench/families/sources.h"

#include <stdlib.h>
#include <string.h>

/* A whole number of 1 to `most` up to `end`. */
static bool read_whole(const char *text, const char *end, int32_t most, int32_t *out)
{
    char *stop;
    long number = strtol(text, &stop, 10);
    bool whole = text < end && *text >= '0' && *text <= '9' && stop == end;
    *out = whole && number >= 1 && number <= most ? (int32_t)number : 0;
    return *out > 0;
}

/* PRICE:P[:MOST] */
static bool read_numbers(const char *text, og_label_source *out)
{
    const char *chance = strchr(text, ':'), *end = text + strlen(text);
    if (chance == NULL || !read_whole(text, chance, OG_ARM_COST_MAX, &out->price)) {
        return false;
    }
    const char *most = strchr(chance + 1, ':');
    size_t length = (size_t)((most != NULL ? most : end) - (chance + 1));
    out->most = 0;
    return (most == NULL || read_whole(most + 1, end, OG_BUDGET_MAX, &out->most)) &&
           og_fraction_parse(chance + 1, length, &out->accuracy) == OG_OK &&
           out->accuracy.num <= out->accuracy.den;
}

static og_status read_source(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_sources_options *own = options;
    const char *price = strchr(text, ':');
    og_label_source source;
    size_t length = price != NULL ? (size_t)(price - text) : 0;
    if (length == 0 || length >= OG_SOURCE_NAME_BYTES || !read_numbers(price + 1, &source)) {
        return og_option_refuse(row, text, message,
                                "NAME:PRICE:P[:MOST], a name of at most %d letters, a whole price "
                                "of 1 to %d, the chance from 0 to 1 that a label is right, and how "
                                "many labels it gives an instance at most",
                                OG_SOURCE_NAME_BYTES - 1, OG_ARM_COST_MAX);
    }
    for (int32_t j = 0; j < own->sources.count; j++) {
        if (strlen(own->name[j]) == length && memcmp(own->name[j], text, length) == 0) {
            return og_message_set(message, OG_BAD_INPUT, "two sources are called '%s'",
                                  own->name[j]);
        }
    }
    if (own->sources.count == OG_SOURCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "at most %d sources can be given",
                              OG_SOURCES_MAX);
    }
    memcpy(own->name[own->sources.count], text, length);
    own->sources.source[own->sources.count++] = source;
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "source", "NAME:PRICE:P[:MOST]", og_sources_options, sources,
              .help = "labels are bought: each of this source costs PRICE of the budget -T and is "
                      "right with chance P; an instance gets MOST of them, or any number; an "
                      "instance A,B is positive with chance A/(A+B); may be given several times",
              .count = offsetof(og_sources_options, sources.count), .read = read_source,
              .required = "--source NAME:PRICE:P is missing: where labels come from"),
    OG_OPTION_LAST,
};

const og_option_set og_sources_option_set = {.rows = rows, .bytes = sizeof(og_sources_options)};
