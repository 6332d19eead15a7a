/* The options of labels with a deadline. --service is K or K,Q. */
#include <stdlib.h>
#include <string.h>

#include "bench/families/deadline.h"

static bool read_phases(const char *text, size_t length, int32_t *out)
{
    char *end;
    long number =
        length > 0 && length < 6 && *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
    *out = (int32_t)number;
    return number >= 1 && end == text + length;
}

static og_status read_service(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_deadline_options *own = options;
    const char *comma = strchr(text, ',');
    size_t length = comma != NULL ? (size_t)(comma - text) : strlen(text);
    og_fraction advance = {1, 1};
    int32_t phases;
    if (!read_phases(text, length, &phases) ||
        (comma != NULL && og_fraction_parse(comma + 1, strlen(comma + 1), &advance) != OG_OK) ||
        advance.num < 1 || advance.num > advance.den) {
        return og_option_refuse(row, text, message,
                                "K or K,Q: a whole number of slots, such as 3, or of phases and "
                                "the chance greater than 0 and at most 1 that one ends in a slot, "
                                "such as 2,0.4");
    }
    own->deadline.phases = phases;
    own->deadline.advance = advance;
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(INT32, "deadline", "D", og_deadline_options, deadline.slots,
              .help = "labels take time and must be there after D slots of time; at most T are "
                      "asked for",
              .least = 1, .most = OG_DEADLINE_SLOTS_MAX,
              .required = "--deadline D is missing: after how many slots labels must be there"),
    OG_OPTION(FRACTION, "arrival", "P", og_deadline_options, deadline.arrival,
              .help = "with --deadline: the chance that a worker comes in a slot, who is given one "
                      "instance at once",
              .fallback = "1"),
    OG_OPTION(CUSTOM, "service", "K[,Q]", og_deadline_options, deadline.phases,
              .help = "with --deadline: a label takes K slots, or K phases that each end in a slot "
                      "with chance Q",
              .fallback = "1", .read = read_service),
    OG_OPTION(SWITCH, "turn-away", NULL, og_deadline_options, deadline.turn_away,
              .help = "with --deadline: a worker may be sent away, which costs none of the T"),
    OG_OPTION(SWITCH, "late-labels", NULL, og_deadline_options, deadline.late,
              .help = "with --deadline: labels under way at the deadline count too"),
    OG_OPTION_LAST,
};

const og_option_set og_deadline_option_set = {.rows = rows, .bytes = sizeof(og_deadline_options)};
