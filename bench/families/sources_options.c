/* The options of sources of known accuracy: --source NAME:PRICE:P, one for each. */
#include "bench/families/sources.h"

#include <stdlib.h>
#include <string.h>

/* A price: a whole number up to the next colon. */
static bool read_price(const char *text, const char *end, int32_t *out)
{
    char *stop;
    long price = strtol(text, &stop, 10);
    bool whole = text < end && *text >= '0' && *text <= '9' && stop == end;
    *out = whole && price >= 1 && price <= OG_ARM_COST_MAX ? (int32_t)price : 0;
    return *out > 0;
}

static og_status read_source(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_sources_options *own = options;
    const char *price = strchr(text, ':');
    const char *chance = price != NULL ? strchr(price + 1, ':') : NULL;
    og_label_source source;
    size_t length = price != NULL ? (size_t)(price - text) : 0;
    if (chance == NULL || length == 0 || length >= OG_SOURCE_NAME_BYTES ||
        !read_price(price + 1, chance, &source.price) ||
        og_fraction_parse(chance + 1, strlen(chance + 1), &source.accuracy) != OG_OK ||
        source.accuracy.num > source.accuracy.den) {
        return og_option_refuse(row, text, message,
                                "NAME:PRICE:P, a name of at most %d letters, a whole price of 1 to "
                                "%d, and the chance from 0 to 1 that a label is right",
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
    OG_OPTION(CUSTOM, "source", "NAME:PRICE:P", og_sources_options, sources,
              .help = "labels are bought: each of this source costs PRICE of the budget -T and is "
                      "right with chance P; an instance A,B is positive with chance A/(A+B); may "
                      "be given several times",
              .count = offsetof(og_sources_options, sources.count), .read = read_source,
              .required = "--source NAME:PRICE:P is missing: where labels come from"),
    OG_OPTION_LAST,
};

const og_option_set og_sources_option_set = {.rows = rows, .bytes = sizeof(og_sources_options)};
