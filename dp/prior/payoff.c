/* What calls are worth: reading, checking, comparing. What follows from it: dp/prior/payoff.h. */
#include "dp/prior/payoff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const og_fraction zero = {0, 1}, one = {1, 1};

static og_payoff filled(const og_payoff *payoff)
{
    const og_payoff usual = {.worth = {{one, zero}, {zero, one}}};
    return payoff->given ? *payoff : usual;
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
    return x * og_fraction_make(x, y).den;
}

/* 0: beyond OG_PAYOFF_MAX. */
static int64_t common_denominator(const og_payoff *payoff)
{
    int64_t den = 1;
    for (int i = 0; i < 4 && den > 0; i++) {
        den = least_common_multiple(den, payoff->worth[i / 2][i % 2].den);
        den = den <= OG_PAYOFF_MAX ? den : 0;
    }
    return den;
}

og_payoff_whole og_payoff_in_whole(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    og_payoff_whole out = {.den = common_denominator(&full)};
    for (int i = 0; i < 4; i++) {
        og_fraction value = full.worth[i / 2][i % 2];
        out.worth[i / 2][i % 2] = value.num * (out.den / value.den);
    }
    out.up = out.worth[0][0] - out.worth[1][0];
    out.down = out.worth[1][1] - out.worth[0][1];
    return out;
}

og_status og_payoff_check(const og_payoff *payoff, const char *what, og_message *message)
{
    og_payoff full = filled(payoff);
    bool fine = true;
    for (int i = 0; i < 4; i++) {
        fine = fine && in_range(full.worth[i / 2][i % 2]);
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
                              "%s: it makes no difference what is called, as TP = FN and TN = FP",
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
    og_payoff read = {.given = true};
    const char *at = text;
    bool fine = true;
    for (int i = 0; fine && i < 4; i++) {
        size_t length = strcspn(at, ",");
        fine = (at[length] == ',') == (i < 3) && read_worth(at, length, &read.worth[i / 2][i % 2]);
        at += length + (i < 3);
    }
    if (!fine) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be TP,FP,FN,TN, four decimals such as 1,-5,0,1, not '%.60s'",
                              what, text);
    }
    OG_TRY(og_payoff_check(&read, what, message));
    const og_payoff usual = {.given = false};
    *out = og_payoff_compare(&read, &usual) == 0 ? usual : read;
    return OG_OK;
}

int og_payoff_format(const og_payoff *payoff, char *text, size_t size)
{
    char number[4][48];
    og_payoff full = filled(payoff);
    for (int i = 0; i < 4; i++) {
        og_fraction_format(full.worth[i / 2][i % 2], number[i], sizeof number[i]);
    }
    return snprintf(text, size, "%s,%s,%s,%s", number[0], number[1], number[2], number[3]);
}

double og_payoff_worth(const og_payoff *payoff, int call, int truth)
{
    og_payoff full = filled(payoff);
    return og_fraction_double(full.worth[call][truth]);
}

double og_payoff_scale(const og_payoff *payoff)
{
    og_payoff_whole whole = og_payoff_in_whole(payoff);
    return (double)(whole.up > whole.down ? whole.up : whole.down) / (double)whole.den;
}

double og_payoff_most(const og_payoff *payoff)
{
    double most = 0;
    for (int i = 0; i < 4; i++) {
        most = fmax(most, fabs(og_payoff_worth(payoff, i / 2, i % 2)));
    }
    return most;
}

int og_payoff_compare(const og_payoff *x, const og_payoff *y)
{
    og_payoff of_x = filled(x), of_y = filled(y);
    int order = 0;
    for (int i = 0; order == 0 && i < 4; i++) {
        order = og_fraction_compare(of_x.worth[i / 2][i % 2], of_y.worth[i / 2][i % 2]);
    }
    return order;
}

og_payoff og_payoff_mirror(const og_payoff *payoff)
{
    og_payoff full = filled(payoff);
    og_payoff mirror = {
        .given = payoff->given,
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
