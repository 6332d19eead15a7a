/* Worths of instances: reads, checks and compares them. dp/prior/payoff.h gives the consequences.
 */
#include "dp/prior/payoff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const og_fraction zero = {0, 1}, one = {1, 1};

static const char *const names[] = {[OG_WORTH_CALLS] = "accuracy",
                                    [OG_WORTH_BRIER] = "brier",
                                    [OG_WORTH_SQUARED] = "squared",
                                    [OG_WORTH_LOG] = "log"};
enum { NAME_COUNT = sizeof names / sizeof *names };

static bool of_calls(const og_payoff *payoff)
{
    return !payoff->given || payoff->kind == OG_WORTH_CALLS;
}

static og_payoff filled(const og_payoff *payoff)
{
    og_payoff usual = {.worth = {{one, zero}, {zero, one}}, .undecided = zero};
    og_payoff full = payoff->given && of_calls(payoff) ? *payoff : usual;
    full.undecided = full.third ? full.undecided : zero;
    return full;
}

int og_payoff_call_count(const og_payoff *payoff)
{
    return payoff->given && payoff->third ? 3 : 2;
}

const char *og_payoff_name(const og_payoff *payoff)
{
    return of_calls(payoff)                  ? NULL
           : payoff->kind == OG_WORTH_VALUES ? payoff->values->name
                                             : names[payoff->kind];
}

/* Value of the call; the payoff is filled. */
static og_fraction worth_of(const og_payoff *full, int call, int truth)
{
    return call == OG_CALL_UNDECIDED ? full->undecided : full->worth[call][truth];
}

static bool in_range(og_fraction value)
{
    return value.den >= 1 && value.den <= OG_PAYOFF_MAX && value.num <= OG_PAYOFF_MAX * value.den &&
           value.num >= -OG_PAYOFF_MAX * value.den &&
           og_fraction_make(value.num, value.den).den == value.den;
}

/* Both are at most OG_PAYOFF_MAX. */
static int64_t least_common_multiple(int64_t x, int64_t y)
{
    return x * (int64_t)og_fraction_make(x, y).den;
}

/* 0: beyond OG_PAYOFF_MAX. */
static int64_t common_denominator(const og_payoff *payoff)
{
    int64_t den = 1;
    for (int i = 0; i < 2 * OG_CALL_COUNT && den > 0; i++) {
        den = least_common_multiple(den, (int64_t)worth_of(payoff, i / 2, i % 2).den);
        den = den <= OG_PAYOFF_MAX ? den : 0;
    }
    return den;
}

/* ---- calls that can be best ---- */

typedef struct {
    int call;
    og_fraction of_negative, of_positive; /* the call's value; over `den` in whole numbers: */
    int64_t at[2];                        /* at P = 0 and at P = 1 */
} block_line;

static block_line line_of(const og_payoff *full, int call, int64_t den)
{
    block_line out = {.call = call,
                      .of_negative = worth_of(full, call, 1),
                      .of_positive = worth_of(full, call, 0)};
    out.at[0] = (int64_t)out.of_negative.num * (den / (int64_t)out.of_negative.den);
    out.at[1] = (int64_t)out.of_positive.num * (den / (int64_t)out.of_positive.den);
    return out;
}

static int64_t slope(const block_line *line)
{
    return line->at[1] - line->at[0];
}

/* Drops the i-th of them. */
static int drop(block_line *lines, int count, int i)
{
    memmove(&lines[i], &lines[i + 1], (size_t)(count - i - 1) * sizeof *lines);
    return count - 1;
}

/* Inserts by slope; of parallel lines the better stays, or the existing one if they are equal. */
static int insert(block_line *lines, int count, const block_line *added)
{
    int i = 0;
    while (i < count && slope(&lines[i]) < slope(added)) {
        i++;
    }
    if (i < count && slope(&lines[i]) == slope(added)) {
        lines[i] = added->at[0] > lines[i].at[0] ? *added : lines[i];
        return count;
    }
    memmove(&lines[i + 1], &lines[i], (size_t)(count - i) * sizeof *lines);
    lines[i] = *added;
    return count + 1;
}

/* True if the middle one of three is above the others where they cross, at P = d0 / (d0 + d1). */
static bool rises_above(const block_line *low, const block_line *middle, const block_line *high)
{
    og_wide d0 = low->at[0] - high->at[0], d1 = high->at[1] - low->at[1];
    return d1 * (middle->at[0] - low->at[0]) + d0 * (middle->at[1] - low->at[1]) > 0;
}

/* Keeps those of three, sorted by slope, that are the largest somewhere in (0, 1). */
static int keep_largest(block_line *lines, int count)
{
    if (count == 3 && !rises_above(&lines[0], &lines[1], &lines[2])) {
        count = drop(lines, count, 1);
    }
    while (count > 1 && lines[1].at[0] >= lines[0].at[0]) {
        count = drop(lines, count, 0);
    }
    while (count > 1 && lines[count - 2].at[1] >= lines[count - 1].at[1]) {
        count--;
    }
    return count;
}

static og_payoff two_calls(const block_line *low, const block_line *high)
{
    return (og_payoff){
        .given = true,
        .worth = {{high->of_positive, high->of_negative}, {low->of_positive, low->of_negative}}};
}

og_payoff_calls og_payoff_in_calls(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    og_payoff_calls out = {.count = 2, .call = {OG_CALL_NEGATIVE, OG_CALL_POSITIVE}};
    block_line lines[OG_CALL_COUNT], worse;
    int64_t den = common_denominator(&full);
    bool third = false;
    int count = 0;
    for (int call = 0; call < OG_CALL_COUNT; call++) {
        block_line added = line_of(&full, call, den);
        count = insert(lines, count, &added);
    }
    count = keep_largest(lines, count);
    for (int i = 0; i < count; i++) {
        third = third || lines[i].call == OG_CALL_UNDECIDED;
    }
    if (og_payoff_call_count(payoff) == 2 || !third) {
        full.third = false;
        full.undecided = zero;
        out.between[0] = payoff->given && payoff->third ? full : *payoff;
        return out;
    }
    out.count = count == 3 ? 3 : 2;
    for (int i = 0; i < OG_CALL_COUNT; i++) {
        out.call[i] = lines[i < count ? i : count - 1].call;
    }
    worse = lines[0];
    worse.of_positive = og_fraction_plus(worse.of_positive, -1);
    out.between[0] = count == 1 ? two_calls(&worse, &lines[0]) : two_calls(&lines[0], &lines[1]);
    if (count == 3) {
        out.between[1] = two_calls(&lines[1], &lines[2]);
        out.between[2] = two_calls(&lines[0], &lines[2]);
    }
    return out;
}

og_payoff_whole og_payoff_in_whole(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    og_payoff_whole out = {.den = common_denominator(&full)};
    for (int i = 0; i < 4; i++) {
        og_fraction value = full.worth[i / 2][i % 2];
        out.worth[i / 2][i % 2] = (int64_t)value.num * (out.den / (int64_t)value.den);
    }
    out.up = out.worth[0][0] - out.worth[1][0];
    out.down = out.worth[1][1] - out.worth[0][1];
    return out;
}

og_status og_payoff_check(const og_payoff *payoff, const char *what, og_message *message)
{
    og_payoff full = filled(payoff);
    bool fine = true;
    if (!of_calls(payoff)) {
        return (int)payoff->kind < NAME_COUNT ||
                       (payoff->kind == OG_WORTH_VALUES && payoff->values != NULL)
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT, "%s is of an unsupported kind", what);
    }
    for (int i = 0; i < 2 * OG_CALL_COUNT; i++) {
        fine = fine && in_range(worth_of(&full, i / 2, i % 2));
    }
    if (!fine || common_denominator(&full) == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must lie between -1000000 and 1000000 and have at most six "
                              "decimals",
                              what);
    }
    og_payoff_whole whole = og_payoff_in_whole(&full);
    if (whole.up < 0 || whole.down < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s: a wrong call may not be worth more than the right one, so TP >= "
                              "FN and TN >= FP",
                              what);
    }
    if (whole.up == 0 && whole.down == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s: both calls have the same value, because TP = FN and TN = FP",
                              what);
    }
    return OG_OK;
}

/* A decimal of either sign. */
static bool read_worth(const char *text, size_t length, og_fraction *out)
{
    bool minus = length > 0 && *text == '-';
    if (og_fraction_parse(text + minus, length - minus, out) != OG_OK) {
        return false;
    }
    out->num = minus ? -out->num : out->num;
    return true;
}

og_status og_payoff_parse(const char *text, const char *what, og_payoff *out, og_message *message)
{
    og_fraction worth[2 * OG_CALL_COUNT] = {zero};
    const char *at = text;
    int count = 0;
    bool fine = true, more = true;
    for (int i = 0; i < NAME_COUNT; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (og_payoff){.given = i != OG_WORTH_CALLS, .kind = (og_worth_kind)i};
            return OG_OK;
        }
    }
    if (og_payoff_file(text) != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s does not support table:FILE here; give numbers or a name", what);
    }
    for (; fine && more && count < 5; count++) {
        size_t length = strcspn(at, ",");
        fine = read_worth(at, length, &worth[count]);
        more = at[length] == ',';
        at += length + more;
    }
    if (!fine || more || count < 4) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be TP,FP,FN,TN[,U], accuracy, brier, squared, log or "
                              "table:FILE, not '%.60s'",
                              what, text);
    }
    og_payoff read = {.given = true,
                      .third = count == 5,
                      .worth = {{worth[0], worth[1]}, {worth[2], worth[3]}},
                      .undecided = worth[4]};
    OG_TRY(og_payoff_check(&read, what, message));
    const og_payoff usual = {.given = false};
    *out = og_payoff_compare(&read, &usual) == 0 ? usual : read;
    return OG_OK;
}

const char *og_payoff_file(const char *text)
{
    static const char prefix[] = "table:";
    const size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 && text[length] != '\0' ? text + length : NULL;
}

bool og_price_read(const char *text, size_t length, og_fraction *out)
{
    return og_fraction_parse(text, length, out) == OG_OK && out->num > 0 &&
           out->num / out->den < OG_PAYOFF_MAX && OG_PAYOFF_MAX % out->den == 0;
}

og_status og_price_parse(const char *text, const char *what, og_fraction *out, og_message *message)
{
    og_fraction price;
    if (!og_price_read(text, strlen(text), &price)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be a decimal greater than 0 and less than 1000000, such as "
                              "0.01, of at most six decimals, not '%.60s'",
                              what, text);
    }
    *out = price;
    return OG_OK;
}

int og_payoff_format(const og_payoff *payoff, char *text, size_t size)
{
    char number[OG_CALL_COUNT * 2][48];
    og_payoff full = filled(payoff);
    if (!of_calls(payoff)) {
        return snprintf(text, size, "%s", og_payoff_name(payoff));
    }
    for (int i = 0; i < OG_CALL_COUNT * 2; i++) {
        og_fraction_format(worth_of(&full, i / 2, i % 2), number[i], sizeof number[i]);
    }
    return snprintf(text, size, "%s,%s,%s,%s%s%s", number[0], number[1], number[2], number[3],
                    full.third ? "," : "", full.third ? number[4] : "");
}

double og_payoff_worth(const og_payoff *payoff, int call, int truth)
{
    og_payoff full = filled(payoff);
    return og_fraction_double(worth_of(&full, call, truth));
}

double og_payoff_scale(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    int64_t den = common_denominator(&full), scale = 0;
    for (int x = 0; x < og_payoff_call_count(payoff); x++) {
        block_line of_x = line_of(&full, x, den);
        for (int y = 0; y < og_payoff_call_count(payoff); y++) {
            block_line of_y = line_of(&full, y, den);
            for (int p = 0; p < 2; p++) {
                scale = of_x.at[p] - of_y.at[p] > scale ? of_x.at[p] - of_y.at[p] : scale;
            }
        }
    }
    return (double)scale / (double)den;
}

/* The largest -h of a name; the number of classes is at least 2. */
static double largest_lack(og_worth_kind kind, int32_t classes)
{
    return kind == OG_WORTH_LOG ? log(classes) * (1 + 0x1p-50)
           : classes == 2       ? 0.25
                                : 1 - 1.0 / classes;
}

double og_payoff_missing(const og_payoff *payoff, int32_t classes)
{
    return !payoff->given                    ? 1 - 1.0 / classes
           : payoff->kind == OG_WORTH_CALLS  ? og_payoff_scale(payoff) / 2
           : payoff->kind == OG_WORTH_VALUES ? payoff->values->most - payoff->values->least
                                             : largest_lack(payoff->kind, classes);
}

double og_payoff_most(const og_payoff *payoff, int32_t classes)
{
    double most = 0;
    if (!of_calls(payoff)) {
        return payoff->kind == OG_WORTH_VALUES
                   ? fmax(fabs(payoff->values->most), fabs(payoff->values->least))
                   : largest_lack(payoff->kind, classes);
    }
    for (int i = 0; i < 2 * og_payoff_call_count(payoff); i++) {
        most = fmax(most, fabs(og_payoff_worth(payoff, i / 2, i % 2)));
    }
    return most;
}

bool og_payoff_may_lose(const og_payoff *payoff)
{
    bool loses = true;
    if (!of_calls(payoff)) {
        return payoff->kind != OG_WORTH_VALUES || payoff->values->least < 0;
    }
    for (int call = 0; call < og_payoff_call_count(payoff); call++) {
        loses =
            loses && fmin(og_payoff_worth(payoff, call, 0), og_payoff_worth(payoff, call, 1)) < 0;
    }
    return loses;
}

double og_payoff_best(const og_payoff *payoff)
{
    double best = fmax(og_payoff_worth(payoff, 0, 0), og_payoff_worth(payoff, 1, 1));
    if (!of_calls(payoff)) {
        return payoff->kind == OG_WORTH_VALUES ? payoff->values->most : 0;
    }
    return og_payoff_call_count(payoff) == 3 ? fmax(best, og_payoff_worth(payoff, 2, 0)) : best;
}

int og_payoff_compare(const og_payoff *x, const og_payoff *y)
{
    if (!x->given && !y->given) {
        return 0;
    }
    og_payoff of_x = filled(x), of_y = filled(y);
    int order = of_x.third - of_y.third;
    if (!of_calls(x) || !of_calls(y)) {
        og_worth_kind kind = of_calls(x) ? OG_WORTH_CALLS : x->kind;
        og_worth_kind other = of_calls(y) ? OG_WORTH_CALLS : y->kind;
        return kind != other             ? (kind > other) - (kind < other)
               : kind == OG_WORTH_VALUES ? og_worth_values_compare(x->values, y->values)
                                         : 0;
    }
    for (int i = 0; order == 0 && i < 2 * OG_CALL_COUNT; i++) {
        order = og_fraction_compare(worth_of(&of_x, i / 2, i % 2), worth_of(&of_y, i / 2, i % 2));
    }
    return order;
}

og_payoff og_payoff_mirror(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    if (!of_calls(payoff)) {
        og_payoff same = *payoff;
        same.values = NULL;
        return same;
    }
    og_payoff mirror = {
        .given = payoff->given,
        .third = payoff->third,
        .undecided = payoff->undecided,
        .worth = {{full.worth[1][1], full.worth[1][0]}, {full.worth[0][1], full.worth[0][0]}}};
    return mirror;
}

bool og_payoff_is_even(const og_payoff *payoff)
{
    og_payoff_whole whole = og_payoff_in_whole(payoff);
    return whole.up == whole.down;
}

bool og_payoff_is_symmetric(const og_payoff *payoff)
{
    og_payoff mirror = og_payoff_mirror(payoff);
    return og_payoff_compare(payoff, &mirror) == 0;
}
