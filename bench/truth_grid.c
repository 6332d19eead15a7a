/* Grids of truths and beliefs: lists the points of ranges of exact decimals. */
#include "bench/truth_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "grid:";

/* Limit for numbers, so that adding steps does not overflow. */
static const og_fraction number_most = {INT64_C(1000000000000), 1};
static const int64_t den_most = 1000000000;

enum { WORDS_MAX = 1000, INSTANCES_MAX = 1000000 };

bool og_truth_is_grid(const char *text)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* FROM, FROM + STEP, ... */
typedef struct {
    og_fraction from, step;
    int64_t count;
} truth_range;

/* from + i * step; false if that is not an og_fraction. */
static bool range_at(const truth_range *range, int64_t i, og_fraction *out)
{
    og_fraction at =
        og_fraction_make(range->from.num * range->step.den + i * range->step.num * range->from.den,
                         range->from.den * range->step.den);
    if (at.num > OG_FRACTION_MAX || at.den > OG_FRACTION_MAX) {
        return false;
    }
    *out = at;
    return true;
}

/* The number of points up to `to`; 0 if too many. */
static int64_t count_up_to(truth_range *range, og_fraction to)
{
    int64_t count = 0;
    og_fraction at;
    while (count <= OG_POINTS_MAX && range_at(range, count, &at) &&
           og_fraction_compare(at, to) <= 0) {
        count++;
    }
    return count <= OG_POINTS_MAX ? count : 0;
}

/* Parse text[0 .. length): "X" or "X:X:X". */
static bool parse_range(const char *text, size_t length, truth_range *out)
{
    og_fraction number[3];
    int count = 0;
    for (const char *at = text, *end = text + length; at <= end && count < 3;) {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        const char *stop = colon != NULL ? colon : end;
        if (og_fraction_parse(at, (size_t)(stop - at), &number[count]) != OG_OK ||
            number[count].den > den_most || og_fraction_compare(number[count], number_most) > 0) {
            return false;
        }
        count++;
        at = stop + 1;
        if (count == 3 && stop != end) {
            return false;
        }
    }
    *out = (truth_range){.from = number[0], .step = {0, 1}, .count = 1};
    if (count == 1) {
        return true;
    }
    if (count == 2) {
        return false;
    }
    out->step = number[2];
    out->count = out->step.num > 0 ? count_up_to(out, number[1]) : 0;
    return out->count > 0;
}

static og_status refuse_truth(const char *text, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "--truth '%.64s' must be grid:FROM:TO:STEP with numbers from 0 to 1 for "
                          "all instances, such as grid:0.1:0.9:0.1, or one word for each, such as "
                          "grid:0.1:0.9:0.1,0.5, with ranges of equal length and at most %d points",
                          text, (int)OG_POINTS_MAX);
}

/* Parse words separated by commas; *moves is the number of points. False if they are not a grid. */
static bool parse_words(const char *text, truth_range *word, int32_t *count, int64_t *moves)
{
    static const og_fraction one = {1, 1};
    *count = 0;
    *moves = 1;
    for (const char *at = text; at != NULL;) {
        size_t length = strcspn(at, ",");
        og_fraction last;
        truth_range *now = &word[*count];
        if (*count == WORDS_MAX || !parse_range(at, length, now) ||
            !range_at(now, now->count - 1, &last) || og_fraction_compare(last, one) > 0 ||
            (now->count > 1 && *moves > 1 && now->count != *moves)) {
            return false;
        }
        *moves = now->count > 1 ? now->count : *moves;
        ++*count;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

static og_status take_point(const truth_range *word, int32_t count, int64_t i, og_point_taker *take,
                            void *user, og_message *message)
{
    char text[OG_POINT_BYTES];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", count == 1 ? prefix : "list:");
    for (int32_t k = 0; k < count; k++) {
        char number[48];
        og_fraction at;
        bool fits = range_at(&word[k], word[k].count > 1 ? i : 0, &at);
        og_fraction_format(at, number, sizeof number);
        if (!fits || strchr(number, '/') != NULL || used + strlen(number) + 2 > sizeof text) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: the point '%.40s' has too many digits; give fewer",
                                  number);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? "," : "", number);
    }
    return take != NULL ? take(user, text, message) : OG_OK;
}

og_status og_truth_points(const char *text, og_point_taker *take, void *user, og_message *message)
{
    truth_range *word = calloc(WORDS_MAX, sizeof *word);
    int32_t count = 0;
    int64_t moves = 0;
    OG_TRY(OG_ALLOCATED(word));
    bool good = og_truth_is_grid(text) && parse_words(text + strlen(prefix), word, &count, &moves);
    og_status status = good ? OG_OK : refuse_truth(text, message);
    for (int64_t i = 0; status == OG_OK && i < moves; i++) {
        status = take_point(word, count, i, take, user, message);
    }
    free(word);
    return status;
}

og_status og_truth_at(const char *point, int64_t instances, og_truth *out, og_message *message)
{
    og_fraction soft;
    if (!og_truth_is_grid(point)) {
        return og_truth_parse(point, out, message);
    }
    const char *number = point + strlen(prefix);
    if (og_fraction_parse(number, strlen(number), &soft) != OG_OK) {
        return refuse_truth(point, message);
    }
    if (instances > INSTANCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth supports at most %d instances; give fewer",
                              (int)INSTANCES_MAX);
    }
    og_truth made = {.kind = OG_TRUTH_LIST, .count = instances};
    made.soft = calloc((size_t)instances + 1, sizeof *made.soft);
    OG_TRY(OG_ALLOCATED(made.soft));
    for (int64_t i = 0; i < instances; i++) {
        made.soft[i] = soft;
    }
    *out = made;
    return OG_OK;
}
