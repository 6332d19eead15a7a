/* Checks deadlines, and counts the labels that can arrive in time. */
#include "dp/families/deadline.h"

/* Number of slots, of so many, whose labels can still arrive. */
static int32_t slots_in_time(const og_deadline *deadline, int32_t slots)
{
    int32_t in_time = deadline->late ? slots : slots - deadline->phases + 1;
    return in_time > 0 ? in_time : 0;
}

int32_t og_deadline_labels_left(const og_deadline *deadline, int32_t slots, int32_t come,
                                int32_t labels)
{
    int32_t in_time = slots_in_time(deadline, slots) * og_deadline_at_once(deadline) - come;
    in_time = in_time > 0 ? in_time : 0;
    return in_time < labels ? in_time : labels;
}

int32_t og_deadline_labels(const og_deadline *deadline, int32_t labels)
{
    return og_deadline_labels_left(deadline, deadline->slots, 0, labels);
}

og_deadline og_deadline_batches(int32_t batch, int32_t labels)
{
    const og_fraction sure = {1, 1};
    int32_t size = batch < labels ? batch : labels > 0 ? labels : 1;
    return (og_deadline){.slots = labels > size ? (labels - 1) / size + 1 : 1,
                         .arrival = sure,
                         .phases = 1,
                         .advance = sure,
                         .at_once = size,
                         .batches = true};
}

static bool is_chance(og_fraction value)
{
    return value.num > 0 && value.num <= value.den;
}

static bool arrivals_are_chances(const og_deadline *deadline)
{
    bool good = deadline->at_once >= 0 &&
                (deadline->batches || deadline->at_once <= OG_DEADLINE_AT_ONCE_MAX);
    for (int32_t m = 0; good && m < og_deadline_at_once(deadline); m++) {
        good = is_chance(og_deadline_arrival(deadline, m));
    }
    return good;
}

og_status og_deadline_check(const og_deadline *deadline, int32_t labels, og_message *message)
{
    if (deadline->batches &&
        (deadline->slots > OG_DEADLINE_SLOTS_MAX || deadline->at_once > OG_DEADLINE_BATCH_MAX)) {
        return og_message_set(message, OG_STOPPED,
                              "at most %d batches of at most %d labels are supported",
                              (int)OG_DEADLINE_SLOTS_MAX, (int)OG_DEADLINE_BATCH_MAX);
    }
    if (deadline->slots < 1 || deadline->slots > OG_DEADLINE_SLOTS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "the deadline must be from 1 to %d slots",
                              (int)OG_DEADLINE_SLOTS_MAX);
    }
    if (!arrivals_are_chances(deadline)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "at most %d workers may arrive in a slot, each with a probability "
                              "greater than 0 and at most 1",
                              (int)OG_DEADLINE_AT_ONCE_MAX);
    }
    if (deadline->phases < 1 || !is_chance(deadline->advance)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a label must have at least 1 phase, which ends in a slot with a "
                              "probability greater than 0 and at most 1");
    }
    int32_t bits = og_deadline_bits(deadline, og_deadline_labels(deadline, labels));
    if (deadline->phases > OG_DEADLINE_CODE_BITS / bits) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "a service of %d phases is too long for %d labels: at most %d phases are supported",
            (int)deadline->phases, (int)labels, OG_DEADLINE_CODE_BITS / bits);
    }
    return OG_OK;
}
