/*
 * The options of labels with a deadline, and of labels in batches. --slot-service is K or K,Q.
 * --slot-arrivals is the distribution of the number of workers who arrive in a slot, P1,P2,...: the
 * probabilities of exactly one, two, ... The model uses the conditional probability of one more
 * after so many.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/families/deadline/deadline.h"

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
        return og_option_refuse(
            row, text, message,
            "K or K,Q: a whole number of slots, such as 3, or of phases and the probability "
            "greater than 0 and at most 1 that one ends in a slot, such as 2,0.4");
    }
    own->deadline.phases = phases;
    own->deadline.advance = advance;
    return OG_OK;
}

/* Probabilities are multiples of 1/ARRIVAL_UNIT, so that sums are exact. */
#define ARRIVAL_UNIT INT64_C(1000000000)

/* Read a probability in units; false if it is not one. */
static bool read_share(const char *text, size_t length, int64_t *out)
{
    og_fraction share;
    if (og_fraction_parse(text, length, &share) != OG_OK || share.num > share.den ||
        ARRIVAL_UNIT % share.den != 0) {
        return false;
    }
    *out = (int64_t)share.num * (ARRIVAL_UNIT / (int64_t)share.den);
    return true;
}

/* Read [*count] probabilities of 1, 2, ... workers. The last one must not be 0, and their sum must
 * be at most 1. */
static bool read_law(const char *text, int64_t *law, int32_t *count)
{
    int64_t sum = 0;
    bool more = true;
    for (*count = 0; more && *count < OG_DEADLINE_AT_ONCE_MAX; ++*count) {
        size_t length = strcspn(text, ",");
        if (!read_share(text, length, &law[*count])) {
            return false;
        }
        sum += law[*count];
        more = text[length] == ',';
        text += length + more;
    }
    return !more && law[*count - 1] > 0 && sum <= ARRIVAL_UNIT;
}

static og_status read_arrival(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_deadline *deadline = &((og_deadline_options *)options)->deadline;
    int64_t law[OG_DEADLINE_AT_ONCE_MAX], more = 0; /* probability of at least so many workers */
    int32_t count = 1;
    og_fraction one;
    if (strchr(text, ',') == NULL && og_fraction_parse(text, strlen(text), &one) == OG_OK &&
        one.num > 0 && one.num <= one.den) {
        deadline->arrival = one;
        deadline->at_once = 1;
        return OG_OK;
    }
    if (strchr(text, ',') == NULL || !read_law(text, law, &count)) {
        return og_option_refuse(
            row, text, message,
            "a probability greater than 0 and at most 1, such as 0.5, or the "
            "probabilities of one worker, two, ..., such as 0.3,0.1: at most 8, "
            "of at most nine decimals, the last one greater than 0, their sum "
            "at most 1");
    }
    deadline->at_once = count;
    for (int32_t m = count - 1; m >= 0; m--) { /* at least one more after m */
        int64_t beyond = more;
        more += law[m];
        if (m + 1 < count) {
            deadline->another[m] = og_fraction_make(beyond, more);
        }
    }
    deadline->arrival = og_fraction_make(more, ARRIVAL_UNIT);
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(
        INT32, "deadline", "D", og_deadline_options, deadline.slots, .topic = OG_TOPIC_DEADLINE,
        .brief = "number of time slots in which labels must arrive",
        .help = "number of time slots, 1 to 10000. Labels take time, and only those that "
                "arrive within D slots count. -T is the most labels to ask for",
        .least = 1, .most = OG_DEADLINE_SLOTS_MAX,
        .required = "--deadline D is missing: the number of slots in which labels must arrive"),
    OG_OPTION(CUSTOM, "slot-arrivals", "P[,P...]", og_deadline_options, deadline.arrival,
              .was = "arrival", .topic = OG_TOPIC_DEADLINE,
              .brief = "probability that a worker arrives in a slot",
              .help = "with --deadline: probability that a worker arrives in a slot. With several "
                      "numbers: the probabilities that exactly one worker arrives, exactly two, "
                      "and so on, up to eight. A worker is given one instance at once",
              .fallback = "1", .read = read_arrival),
    OG_OPTION(CUSTOM, "slot-service", "K[,Q]", og_deadline_options, deadline.phases,
              .was = "service", .topic = OG_TOPIC_DEADLINE,
              .brief = "slots per label, or phases ending with probability Q",
              .help = "with --deadline: duration of a label: K slots, or K phases that each end in "
                      "a slot with probability Q",
              .fallback = "1", .read = read_service),
    OG_OPTION(SWITCH, "turn-away", NULL, og_deadline_options, deadline.turn_away,
              .topic = OG_TOPIC_DEADLINE, .brief = "allow a worker to be sent away, at no cost",
              .help = "with --deadline: allow a worker to be sent away, at no cost"),
    OG_OPTION(SWITCH, "late-labels", NULL, og_deadline_options, deadline.late,
              .topic = OG_TOPIC_DEADLINE, .brief = "count labels that arrive after the deadline",
              .help = "with --deadline: count labels that arrive after the deadline"),
    OG_OPTION_LAST,
};

const og_option_set og_deadline_option_set = {.rows = rows, .bytes = sizeof(og_deadline_options)};

static const og_option_row batch_rows[] = {
    OG_OPTION(INT32, "batch", "B", og_batch_options, batch, .topic = OG_TOPIC_DEADLINE,
              .basic = true, .brief = "choose B labels at a time, before seeing any of them",
              .help = "choose B labels at a time, before any of them is seen", .least = 1,
              .most = OG_BUDGET_MAX),
    OG_OPTION_LAST,
};

const og_option_set og_batch_option_set = {.rows = batch_rows, .bytes = sizeof(og_batch_options)};
