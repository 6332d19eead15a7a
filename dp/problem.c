/*
 * Problems and the INSTANCE words they are given as. Words are read strictly: strtod
 * would take "0x1,1" for hexadecimal, "nan", and what follows a number.
 */
#include "dp/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bounds of a parameter as fractions: 1e-6 and 1e6. */
static const og_fraction parameter_min = {1, 1000000};
static const og_fraction parameter_max = {1000000, 1};
static const og_fraction one_half = {1, 2};

/* A part of the word being read. */
typedef struct {
    const char *text;
    size_t length;
} piece;

enum { QUOTE_BYTES = 80 };

/* A piece of input fit for a one-line message: in quotes, cut if long, nothing unprintable. */
typedef struct {
    char text[QUOTE_BYTES];
} quoted;

static quoted quote(piece part)
{
    quoted out;
    size_t room = sizeof out.text - sizeof "'...'", used = 0;
    bool cut = part.length > room;
    out.text[used++] = '\'';
    for (size_t i = 0; i < (cut ? room : part.length); i++) {
        char c = part.text[i];
        out.text[used++] = c >= ' ' && c <= '~' ? c : '?';
    }
    strcpy(out.text + used, cut ? "...'" : "'");
    return out;
}

static piece piece_of(const char *text)
{
    return (piece){text, strlen(text)};
}

/* Cut `whole` at the first `mark`: the part before goes to *head, the part after stays. False and
 * unchanged if there is none. */
static bool cut_at(piece *whole, char mark, piece *head)
{
    const char *at = memchr(whole->text, mark, whole->length);
    if (at == NULL)
        return false;
    size_t length = (size_t)(at - whole->text);
    *head = (piece){whole->text, length};
    whole->text += length + 1;
    whole->length -= length + 1;
    return true;
}

static bool spells_negative_number(piece part)
{
    og_fraction ignored;
    return part.length > 1 && part.text[0] == '-' &&
           og_fraction_parse(part.text + 1, part.length - 1, &ignored) == OG_OK;
}

/* Digits only; saturates above the limit of counts. */
static bool read_count(piece part, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < part.length; i++) {
        if (part.text[i] < '0' || part.text[i] > '9')
            return false;
        if (*out <= OG_COUNT_MAX)
            *out = *out * 10 + (part.text[i] - '0');
    }
    return part.length > 0;
}

static og_status parse_count(piece part, piece word, int64_t *out, og_message *message)
{
    if (!read_count(part, out))
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: the count %s before 'x' is not a whole number",
                              quote(word).text, quote(part).text);
    if (*out < 1)
        return og_message_set(message, OG_BAD_INPUT, "instance %s: the count must be at least 1",
                              quote(word).text);
    if (*out > OG_COUNT_MAX)
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: the count must be at most %" PRId64, quote(word).text,
                              OG_COUNT_MAX);
    return OG_OK;
}

static og_status parse_number(piece part, piece word, const char *what, og_fraction *out,
                              og_message *message)
{
    if (part.length == 0)
        return og_message_set(message, OG_BAD_INPUT, "instance %s: %s is missing", quote(word).text,
                              what);
    if (og_fraction_parse(part.text, part.length, out) == OG_OK)
        return OG_OK;
    if (spells_negative_number(part))
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: %s is %s but must be greater than 0", quote(word).text,
                              what, quote(part).text);
    return og_message_set(message, OG_BAD_INPUT,
                          "instance %s: %s is %s, not a decimal number of at most 18 digits",
                          quote(word).text, what, quote(part).text);
}

/* The limits of a group's own numbers, for words and for the C interface; `word` is how it is
 * spelled. */
static og_status check_parameter(og_fraction value, const char *what, piece word,
                                 og_message *message)
{
    if (value.num <= 0)
        return og_message_set(message, OG_BAD_INPUT, "instance %s: %s must be greater than 0",
                              quote(word).text, what);
    if (og_fraction_compare(value, parameter_min) < 0 ||
        og_fraction_compare(value, parameter_max) > 0)
        return og_message_set(message, OG_BAD_INPUT, "instance %s: %s must lie between %g and %g",
                              quote(word).text, what, OG_PARAMETER_MIN, OG_PARAMETER_MAX);
    return OG_OK;
}

static og_status check_group(const og_group *group, piece word, og_message *message)
{
    og_status status = check_parameter(group->a, "the parameter A", word, message);
    if (status == OG_OK)
        status = check_parameter(group->b, "the parameter B", word, message);
    if (status != OG_OK)
        return status;
    if (group->threshold.num <= 0 || group->threshold.num >= group->threshold.den)
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: the threshold must lie strictly between 0 and 1",
                              quote(word).text);
    return OG_OK;
}

static int occurrences(piece part, char mark)
{
    int count = 0;
    for (size_t i = 0; i < part.length; i++)
        count += part.text[i] == mark;
    return count;
}

/* W:A,B+W:A,B; also without its weights, but "+1,1" and "1e+3,1" are numbers. */
static bool looks_like_mixture(piece prior)
{
    return occurrences(prior, ':') > 0 ||
           (occurrences(prior, '+') > 0 && occurrences(prior, ',') > 1);
}

static og_status parse_prior(piece prior, piece word, og_group *out, og_message *message)
{
    piece first;
    if (looks_like_mixture(prior))
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: mixtures of priors (W:A,B+W:A,B) are not supported yet",
                              quote(word).text);
    if (!cut_at(&prior, ',', &first))
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: a prior needs two parameters, A,B", quote(word).text);
    if (occurrences(prior, ',') > 0)
        return og_message_set(
            message, OG_BAD_INPUT,
            "instance %s: three or more parameters (several classes) are not supported yet",
            quote(word).text);
    og_status status = parse_number(first, word, "the parameter A", &out->a, message);
    if (status != OG_OK)
        return status;
    return parse_number(prior, word, "the parameter B", &out->b, message);
}

/* Only an 'x' before the first comma follows a count: in "1,1x" it is junk behind a number. */
static bool cut_count(piece *rest, piece *count)
{
    piece first, front = *rest;
    if (cut_at(&front, ',', &first))
        front = first;
    if (!cut_at(&front, 'x', count))
        return false;
    rest->text += count->length + 1;
    rest->length -= count->length + 1;
    return true;
}

static og_status parse_word(piece word, og_group *out, og_message *message)
{
    piece rest = word, count, prior;
    og_status status;
    *out = (og_group){.threshold = one_half, .count = 1};
    if (cut_count(&rest, &count)) {
        status = parse_count(count, word, &out->count, message);
        if (status != OG_OK)
            return status;
    }
    if (cut_at(&rest, '@', &prior)) {
        status = parse_number(rest, word, "the threshold", &out->threshold, message);
        if (status != OG_OK)
            return status;
    } else {
        prior = rest;
    }
    status = parse_prior(prior, word, out, message);
    return status != OG_OK ? status : check_group(out, word, message);
}

og_status og_group_parse(const char *text, og_group *out, og_message *message)
{
    og_group group;
    piece word = piece_of(text);
    if (word.length == 0)
        return og_message_set(message, OG_BAD_INPUT,
                              "an instance is empty; expected [COUNTx]A,B[@D], such as 10x1,1");
    og_status status = parse_word(word, &group, message);
    if (status == OG_OK)
        *out = group;
    return status;
}

int og_group_format(const og_group *group, char *text, size_t size)
{
    char a[48], b[48], threshold[48], count[24] = "", at[50] = "";
    og_fraction_format(group->a, a, sizeof a);
    og_fraction_format(group->b, b, sizeof b);
    og_fraction_format(group->threshold, threshold, sizeof threshold);
    if (group->count != 1)
        snprintf(count, sizeof count, "%" PRId64 "x", group->count);
    if (og_fraction_compare(group->threshold, one_half) != 0)
        snprintf(at, sizeof at, "@%s", threshold);
    return snprintf(text, size, "%s%s,%s%s", count, a, b, at);
}

void og_problem_init(og_problem *problem, int32_t budget)
{
    *problem = (og_problem){.budget = budget};
}

/* A posterior is a fraction too: value + labels must stay within its limits. */
static bool posteriors_fit(og_fraction value, int32_t labels)
{
    return value.num <= OG_FRACTION_MAX && labels <= (OG_FRACTION_MAX - value.num) / value.den;
}

static bool in_lowest_terms(og_fraction value)
{
    return value.den >= 1 && value.num >= -OG_FRACTION_MAX && value.num <= OG_FRACTION_MAX &&
           value.den <= OG_FRACTION_MAX && og_fraction_make(value.num, value.den).den == value.den;
}

og_status og_group_check(const og_group *group, int32_t labels, og_message *message)
{
    char text[160];
    if (!in_lowest_terms(group->a) || !in_lowest_terms(group->b) ||
        !in_lowest_terms(group->threshold))
        return og_message_set(message, OG_BAD_INPUT,
                              "an instance has a number that is not a fraction in lowest terms");
    og_group_format(group, text, sizeof text);
    piece word = piece_of(text);
    og_status status = check_group(group, word, message);
    if (status != OG_OK)
        return status;
    if (group->count < 1 || group->count > OG_COUNT_MAX)
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: the count must lie between 1 and %" PRId64,
                              quote(word).text, OG_COUNT_MAX);
    if (!posteriors_fit(group->a, labels) || !posteriors_fit(group->b, labels))
        return og_message_set(message, OG_BAD_INPUT,
                              "instance %s: too many digits for %" PRId32
                              " labels: the parameters plus the labels must be fractions of whole "
                              "numbers up to 1e18",
                              quote(word).text, labels);
    return OG_OK;
}

/* The array's capacity is the smallest power of two that holds its groups, so it needs no field. */
static og_status make_room(og_problem *problem)
{
    int32_t used = problem->group_count;
    if ((used & (used - 1)) != 0)
        return OG_OK;
    size_t capacity = used == 0 ? 1 : 2 * (size_t)used;
    og_group *groups = realloc(problem->groups, capacity * sizeof *groups);
    if (groups == NULL)
        return OG_NO_MEMORY;
    problem->groups = groups;
    return OG_OK;
}

og_status og_problem_add(og_problem *problem, const og_group *group, og_message *message)
{
    og_status status = og_group_check(group, problem->budget, message);
    if (status != OG_OK)
        return status;
    if (group->count > OG_COUNT_MAX - og_problem_size(problem))
        return og_message_set(message, OG_BAD_INPUT, "more than %" PRId64 " instances in all",
                              OG_COUNT_MAX);
    if (make_room(problem) != OG_OK)
        return og_message_set(message, OG_NO_MEMORY, "out of memory for the list of instances");
    problem->groups[problem->group_count++] = *group;
    return OG_OK;
}

int64_t og_problem_size(const og_problem *problem)
{
    int64_t size = 0;
    for (int32_t i = 0; i < problem->group_count; i++)
        size += problem->groups[i].count;
    return size;
}

void og_problem_clear(og_problem *problem)
{
    free(problem->groups);
    *problem = (og_problem){0};
}
