/*
 * Problems and the INSTANCE words that describe them. Words are read strictly: strtod would read
 * "0x1,1" as hexadecimal, accept "nan", and ignore anything after a number.
 */
#include "dp/prior/problem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/utf8.h"
#include "dp/prior/respell.h"

/* The bounds of a parameter as fractions: 1e-6 and 1e6. */
static const og_fraction parameter_min = {1, 1000000};
static const og_fraction parameter_max = {1000000, 1};
static const og_fraction one_half = {1, 2};
static const char nodes_prefix[] = "arm:";

/* A part of the word being read. */
typedef struct {
    const char *text;
    size_t length;
} piece;

enum { QUOTE_BYTES = 80 };

/* A piece of input made fit for a one-line message: in quotes, cut if long, without unprintable
 * characters, UTF-8 unchanged. */
typedef struct {
    char text[QUOTE_BYTES];
} quoted;

/* Bytes of the character that begins there; 1 for an invalid one, and for one that the piece
 * cuts. */
static size_t bytes_at(piece part, size_t at)
{
    size_t bytes = og_utf8_bytes(part.text + at);
    return bytes > 0 && bytes <= part.length - at ? bytes : 1;
}

static quoted quote(piece part)
{
    quoted out;
    size_t room = sizeof out.text - sizeof "'...'", used = 0;
    bool cut = part.length > room;
    out.text[used++] = '\'';
    for (size_t i = 0, bytes; i < part.length && used + (bytes = bytes_at(part, i)) <= room + 1;
         i += bytes) {
        bool shown = part.text[i] >= ' ' && part.text[i] <= '~';
        memcpy(out.text + used, shown || bytes > 1 ? part.text + i : "?", bytes);
        used += bytes;
    }
    strcpy(out.text + used, cut ? "...'" : "'");
    return out;
}

static piece piece_of(const char *text)
{
    return (piece){text, strlen(text)};
}

/* Takes the first `length` characters; they and the one after them are removed from `whole`. */
static piece cut_off(piece *whole, size_t length)
{
    piece head = {whole->text, length};
    whole->text += length + 1;
    whole->length -= length + 1;
    return head;
}

/* Cuts `whole` at the first `mark`: the part before goes to *head, the part after stays. False and
 * unchanged if there is none. */
static bool cut_at(piece *whole, char mark, piece *head)
{
    const char *at = memchr(whole->text, mark, whole->length);
    if (at != NULL) {
        *head = cut_off(whole, (size_t)(at - whole->text));
    }
    return at != NULL;
}

/* "instance WORD: ..." */
__attribute__((format(printf, 3, 4))) static og_status refuse(og_message *message, piece word,
                                                              const char *format, ...)
{
    char reason[OG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return og_message_set(message, OG_BAD_INPUT, "instance %s: %s", quote(word).text, reason);
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
        if (part.text[i] < '0' || part.text[i] > '9') {
            return false;
        }
        if (*out <= OG_COUNT_MAX) {
            *out = *out * 10 + (part.text[i] - '0');
        }
    }
    return part.length > 0;
}

static og_status parse_count(piece part, piece word, int64_t *out, og_message *message)
{
    if (!read_count(part, out)) {
        return refuse(message, word, "the count %s before 'x' is not a whole number",
                      quote(part).text);
    }
    if (*out < 1) {
        return refuse(message, word, "the count must be at least 1");
    }
    if (*out > OG_COUNT_MAX) {
        return refuse(message, word, "the count must be at most %" PRId64, OG_COUNT_MAX);
    }
    return OG_OK;
}

static og_status parse_number(piece part, piece word, const char *what, og_fraction *out,
                              og_message *message)
{
    if (part.length == 0) {
        return refuse(message, word, "%s is missing", what);
    }
    if (og_fraction_parse(part.text, part.length, out) == OG_OK) {
        return OG_OK;
    }
    if (spells_negative_number(part)) {
        return refuse(message, word, "%s is %s but must be greater than 0", what, quote(part).text);
    }
    return refuse(message, word, "%s is %s, not a decimal number of at most 18 digits", what,
                  quote(part).text);
}

/* The limits of a group's numbers, for words and for the C interface; `word` is their spelling. */
static og_status check_parameter(og_fraction value, const char *what, piece word,
                                 og_message *message)
{
    if (value.num <= 0) {
        return refuse(message, word, "%s must be greater than 0", what);
    }
    if (og_fraction_compare(value, parameter_min) < 0 ||
        og_fraction_compare(value, parameter_max) > 0) {
        return refuse(message, word, "%s must lie between %g and %g", what, OG_PARAMETER_MIN,
                      OG_PARAMETER_MAX);
    }
    return OG_OK;
}

static og_status check_pair(og_fraction a, og_fraction b, piece word, og_message *message)
{
    OG_TRY(check_parameter(a, "the parameter A", word, message));
    return check_parameter(b, "the parameter B", word, message);
}

static og_status check_part_count(const og_group *group, piece word, og_message *message)
{
    bool mixture = group->kind == OG_PRIOR_MIXTURE;
    if (group->part_count > OG_PARTS_MAX) {
        return refuse(message, word, "there may be at most %d %s", OG_PARTS_MAX,
                      mixture ? "components" : "classes");
    }
    if (group->part_count < (mixture ? 1 : OG_CLASSES_MIN)) {
        return refuse(message, word, "too few %s", mixture ? "components" : "classes");
    }
    return OG_OK;
}

static og_status check_mixture(const og_group *group, piece word, og_message *message)
{
    og_group plain;
    OG_TRY(check_part_count(group, word, message));
    for (int32_t i = 0; i < group->part_count; i++) {
        const og_component *part = &group->component[i];
        OG_TRY(check_parameter(part->weight, "a weight", word, message));
        OG_TRY(check_pair(part->a, part->b, word, message));
    }
    if (!og_group_plain(group, &plain)) {
        return refuse(message, word,
                      "the weights have too many digits: as whole numbers "
                      "they would pass 1e18");
    }
    return OG_OK;
}

static og_status check_dirichlet(const og_group *group, piece word, og_message *message)
{
    OG_TRY(check_part_count(group, word, message));
    for (int32_t i = 0; i < group->part_count; i++) {
        OG_TRY(check_parameter(group->alpha[i], "every parameter", word, message));
    }
    return OG_OK;
}

static og_status check_payoff(const og_group *group, piece word, og_message *message)
{
    if (!group->payoff.given) {
        return OG_OK;
    }
    OG_TRY(og_payoff_check(&group->payoff, "a payoff", message));
    if (group->kind == OG_PRIOR_DIRICHLET && group->payoff.kind == OG_WORTH_CALLS) {
        return refuse(message, word,
                      "a payoff needs two classes; of more, the right call is worth 1");
    }
    if (group->kind != OG_PRIOR_BETA && group->payoff.kind == OG_WORTH_VALUES &&
        !group->payoff.values->by_node) {
        return refuse(message, word,
                      "a payoff table:FILE needs instances with one Beta prior, A,B");
    }
    return OG_OK;
}

static og_status check_group(const og_group *group, piece word, og_message *message)
{
    switch (group->kind) {
    case OG_PRIOR_BETA:
        OG_TRY(check_pair(group->a, group->b, word, message));
        break;
    case OG_PRIOR_MIXTURE:
        OG_TRY(check_mixture(group, word, message));
        break;
    case OG_PRIOR_DIRICHLET:
        OG_TRY(check_dirichlet(group, word, message));
        break;
    case OG_PRIOR_COINS:
        OG_TRY(check_pair(group->component[0].a, group->component[0].b, word, message));
        OG_TRY(check_pair(group->component[1].a, group->component[1].b, word, message));
        break;
    case OG_PRIOR_NODES:
        break;
    }
    if (group->threshold.num <= 0 || group->threshold.num >= group->threshold.den) {
        return refuse(message, word, "the threshold must lie strictly between 0 and 1");
    }
    return check_payoff(group, word, message);
}

static int occurrences(piece part, char mark)
{
    int count = 0;
    for (size_t i = 0; i < part.length; i++) {
        count += part.text[i] == mark;
    }
    return count;
}

/* W:A,B+W:A,B; also without its weights, but "+1,1" and "1e+3,1" are numbers. */
static bool looks_like_mixture(piece prior)
{
    return occurrences(prior, ':') > 0 ||
           (occurrences(prior, '+') > 0 && occurrences(prior, ',') > 1);
}

static og_status parse_pair(piece pair, piece word, og_fraction *a, og_fraction *b,
                            og_message *message)
{
    piece first;
    if (!cut_at(&pair, ',', &first)) {
        return refuse(message, word,
                      "a prior needs two parameters, A,B, in one word with its count, such as "
                      "10x1,1");
    }
    OG_TRY(parse_number(first, word, "the parameter A", a, message));
    return parse_number(pair, word, "the parameter B", b, message);
}

static og_status parse_component(piece text, piece word, og_component *out, og_message *message)
{
    piece weight;
    if (!cut_at(&text, ':', &weight)) {
        return refuse(message, word,
                      "the component %s of a mixture has no weight; expected "
                      "W:A,B+W:A,B",
                      quote(text).text);
    }
    if (occurrences(text, ',') > 1) {
        return refuse(message, word, "the component %s of a mixture must have two parameters",
                      quote(text).text);
    }
    OG_TRY(parse_number(weight, word, "a weight", &out->weight, message));
    return parse_pair(text, word, &out->a, &out->b, message);
}

/* Takes the part before the next '+' that is not the sign of an exponent. */
static bool cut_component(piece *rest, piece *component)
{
    for (size_t i = 0; i < rest->length; i++) {
        bool exponent = i > 0 && (rest->text[i - 1] == 'e' || rest->text[i - 1] == 'E');
        if (rest->text[i] == '+' && !exponent) {
            *component = cut_off(rest, i);
            return true;
        }
    }
    return false;
}

/* Reads components or classes. Parts beyond the limit are counted, for the check, and not read. */
static og_status parse_parts(piece prior, piece word, og_group *out, og_message *message)
{
    piece part;
    bool mixture = out->kind == OG_PRIOR_MIXTURE;
    for (bool more = true; more && out->part_count <= OG_PARTS_MAX; out->part_count++) {
        int32_t i = out->part_count;
        more = mixture ? cut_component(&prior, &part) : cut_at(&prior, ',', &part);
        part = more ? part : prior;
        if (i < OG_PARTS_MAX) {
            OG_TRY(mixture ? parse_component(part, word, &out->component[i], message)
                           : parse_number(part, word, "a parameter", &out->alpha[i], message));
        }
    }
    return OG_OK;
}

static og_status parse_prior(piece prior, piece word, og_group *out, og_message *message)
{
    out->kind = looks_like_mixture(prior)     ? OG_PRIOR_MIXTURE
                : occurrences(prior, ',') > 1 ? OG_PRIOR_DIRICHLET
                                              : OG_PRIOR_BETA;
    return out->kind == OG_PRIOR_BETA ? parse_pair(prior, word, &out->a, &out->b, message)
                                      : parse_parts(prior, word, out, message);
}

/* Only an 'x' before the first comma follows a count: in "1,1x" it is junk after a number. */
static bool cut_count(piece *rest, piece *count)
{
    piece first, front = *rest;
    if (cut_at(&front, ',', &first)) {
        front = first;
    }
    if (!cut_at(&front, 'x', count)) {
        return false;
    }
    cut_off(rest, count->length);
    return true;
}

/* True for a name or the like, in which no single part can be reported as wrong. */
static bool is_no_instance(piece word)
{
    return isalpha((unsigned char)word.text[0]) && occurrences(word, ',') == 0;
}

/* Removes and reads the text after a '='; `paid`: it is allowed. */
static og_status cut_payoff(piece *rest, piece word, bool paid, og_payoff *out, og_message *message)
{
    char text[OG_PAYOFF_TEXT_BYTES];
    piece front;
    if (!cut_at(rest, '=', &front)) {
        return OG_OK;
    }
    if (!paid) {
        return refuse(
            message, word,
            "a payoff (=TP,FP,FN,TN) is supported only for independent instances; omit it");
    }
    snprintf(text, sizeof text, "%.*s",
             rest->length < sizeof text ? (int)rest->length : (int)sizeof text - 1, rest->text);
    *rest = front;
    return og_payoff_parse(text, "the payoff after the '=' of an instance", out, message);
}

static og_status parse_word(piece word, bool paid, og_group *out, og_message *message)
{
    piece rest = word, count, prior;
    if (is_no_instance(word)) {
        return refuse(message, word, "expected [COUNTx]A,B[@D], such as 10x1,1");
    }
    *out = (og_group){.threshold = one_half, .count = 1};
    OG_TRY(cut_payoff(&rest, word, paid, &out->payoff, message));
    if (cut_count(&rest, &count)) {
        OG_TRY(parse_count(count, word, &out->count, message));
    }
    bool threshold = cut_at(&rest, '@', &prior);
    if (threshold) {
        OG_TRY(parse_number(rest, word, "the threshold", &out->threshold, message));
    } else {
        prior = rest;
    }
    OG_TRY(parse_prior(prior, word, out, message));
    if (threshold && out->kind == OG_PRIOR_DIRICHLET) {
        return refuse(message, word,
                      "a threshold needs two classes; of %" PRId32
                      " the one with the largest share is called",
                      out->part_count);
    }
    return check_group(out, word, message);
}

static og_status parse(const char *text, bool paid, og_group *out, og_message *message)
{
    og_group group;
    char meant[OG_RESPELT_BYTES];
    piece word = piece_of(text);
    if (word.length == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "an instance is empty; expected [COUNTx]A,B[@D], such as 10x1,1");
    }
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && strncmp(text + digits, nodes_prefix, strlen(nodes_prefix)) == 0) {
        return refuse(message, word, "write an x after the count: %.*sx%.60s", (int)digits, text,
                      text + digits);
    }
    og_status status = parse_word(word, paid, &group, message);
    if (status == OG_OK) {
        *out = group;
    } else if (message != NULL && og_group_respell(text, og_group_is_word, meant)) {
        size_t used = strlen(message->text);
        snprintf(message->text + used, sizeof message->text - used, "; did you mean '%s'?", meant);
    }
    return status;
}

const char *og_group_payoff_file(const char *text)
{
    const char *paid = strchr(text, '=');
    return paid != NULL && og_group_file(text) == NULL ? og_payoff_file(paid + 1) : NULL;
}

const char *og_group_file(const char *text)
{
    const char *rest = text + strspn(text, "0123456789");
    if (rest > text && *rest++ != 'x') {
        return NULL;
    }
    return strncmp(rest, nodes_prefix, strlen(nodes_prefix)) == 0 ? rest + strlen(nodes_prefix)
                                                                  : NULL;
}

og_status og_group_of_nodes(const char *text, const og_node_table *nodes, og_group *out,
                            og_message *message)
{
    piece word = piece_of(text), rest = word, count;
    og_group group = {.kind = OG_PRIOR_NODES, .threshold = one_half, .count = 1, .nodes = nodes};
    if (cut_at(&rest, 'x', &count) && count.length < strspn(text, "0123456789") + 1) {
        OG_TRY(parse_count(count, word, &group.count, message));
    }
    *out = group;
    return OG_OK;
}

og_status og_group_parse(const char *text, og_group *out, og_message *message)
{
    return parse(text, false, out, message);
}

bool og_group_is_word(const char *text)
{
    og_group ignored;
    return og_group_parse(text, &ignored, NULL) == OG_OK;
}

og_status og_group_parse_paid(const char *text, og_group *out, og_message *message)
{
    return parse(text, true, out, message);
}

/* Appends to text[0 .. size) like snprintf; *used is the length that a large enough text would
 * have. */
static void append(char *text, size_t size, size_t *used, const char *words)
{
    size_t length = strlen(words);
    if (*used < size) {
        snprintf(text + *used, size - *used, "%s", words);
    }
    *used += length;
}

static void append_number(char *text, size_t size, size_t *used, og_fraction value,
                          const char *before)
{
    char words[OG_FRACTION_TEXT_BYTES];
    og_fraction_format(value, words, sizeof words);
    append(text, size, used, before);
    append(text, size, used, words);
}

static void append_prior(const og_group *group, char *text, size_t size, size_t *used)
{
    switch (group->kind) {
    case OG_PRIOR_BETA:
        append_number(text, size, used, group->a, "");
        append_number(text, size, used, group->b, ",");
        return;
    case OG_PRIOR_MIXTURE:
        for (int32_t i = 0; i < group->part_count; i++) {
            append_number(text, size, used, group->component[i].weight, i > 0 ? "+" : "");
            append_number(text, size, used, group->component[i].a, ":");
            append_number(text, size, used, group->component[i].b, ",");
        }
        return;
    case OG_PRIOR_DIRICHLET:
        for (int32_t i = 0; i < group->part_count; i++) {
            append_number(text, size, used, group->alpha[i], i > 0 ? "," : "");
        }
        return;
    case OG_PRIOR_COINS:
        for (int32_t i = 0; i < 2; i++) {
            append_number(text, size, used, group->component[i].a, i > 0 ? "/" : "");
            append_number(text, size, used, group->component[i].b, ",");
        }
        return;
    case OG_PRIOR_NODES:
        append(text, size, used, nodes_prefix);
        append(text, size, used, group->nodes->name);
        if (group->root > 0) {
            append(text, size, used, " at ");
            append(text, size, used, group->nodes->node[group->root]);
        }
        return;
    }
}

int og_group_format(const og_group *group, char *text, size_t size)
{
    char count[24] = "";
    size_t used = 0;
    if (group->count != 1) {
        snprintf(count, sizeof count, "%" PRId64 "x", group->count);
    }
    append(text, size, &used, count);
    append_prior(group, text, size, &used);
    if (group->kind != OG_PRIOR_DIRICHLET && og_fraction_compare(group->threshold, one_half) != 0) {
        append_number(text, size, &used, group->threshold, "@");
    }
    if (group->payoff.given) {
        char payoff[OG_PAYOFF_TEXT_BYTES];
        const char *name = og_payoff_name(&group->payoff);
        og_payoff_format(&group->payoff, payoff, sizeof payoff);
        append(text, size, &used, "=");
        append(text, size, &used, name != NULL ? name : payoff);
    }
    return (int)used;
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

/* True if `ok` holds for every parameter. */
static bool numbers_ok(const og_group *group, bool (*ok)(og_fraction, int32_t), int32_t labels)
{
    if (group->kind == OG_PRIOR_BETA) {
        return ok(group->a, labels) && ok(group->b, labels);
    }
    bool all = true;
    for (int32_t i = 0; i < group->part_count; i++) {
        all = all && (group->kind == OG_PRIOR_DIRICHLET
                          ? ok(group->alpha[i], labels)
                          : ok(group->component[i].a, labels) && ok(group->component[i].b, labels));
    }
    return all;
}

static bool written_in_lowest_terms(og_fraction value, int32_t labels)
{
    (void)labels;
    return in_lowest_terms(value);
}

static bool whole_parameter(og_fraction value, int32_t labels)
{
    (void)labels;
    return og_fraction_is_integer(value);
}

bool og_group_is_whole(const og_group *group)
{
    return numbers_ok(group, whole_parameter, 0);
}

static bool is_written_well(const og_group *group)
{
    bool ok = in_lowest_terms(group->threshold) && numbers_ok(group, written_in_lowest_terms, 0);
    for (int32_t i = 0; group->kind == OG_PRIOR_MIXTURE && i < group->part_count; i++) {
        ok = ok && in_lowest_terms(group->component[i].weight);
    }
    return ok;
}

/* `word` is for messages. */
static og_status check_as(const og_group *group, int32_t labels, piece word, og_message *message)
{
    OG_TRY(check_group(group, word, message));
    if (group->count < 1 || group->count > OG_COUNT_MAX) {
        return refuse(message, word, "the count must lie between 1 and %" PRId64, OG_COUNT_MAX);
    }
    if (!numbers_ok(group, posteriors_fit, labels)) {
        return refuse(message, word,
                      "too many digits for %" PRId32
                      " labels: the parameters plus the labels must be fractions of whole "
                      "numbers up to 1e18",
                      labels);
    }
    return OG_OK;
}

/* "FILE: no value for 3,2, which 2x1,1 reaches with 3 labels" */
static og_status check_table(const og_group *group, int32_t labels, og_message *message)
{
    char words[OG_GROUP_TEXT_BYTES], a_text[OG_FRACTION_TEXT_BYTES], b_text[OG_FRACTION_TEXT_BYTES];
    const og_worth_values *values = group->payoff.values;
    for (int32_t n = 0; n <= labels; n++) {
        for (int32_t s = 0; s <= n; s++) {
            og_fraction a = og_fraction_plus(group->a, s), b = og_fraction_plus(group->b, n - s);
            if (og_worth_values_find(values, a, b) != NULL) {
                continue;
            }
            og_group prior = *group;
            prior.payoff = (og_payoff){.given = false};
            og_group_format(&prior, words, sizeof words);
            og_fraction_format(a, a_text, sizeof a_text);
            og_fraction_format(b, b_text, sizeof b_text);
            return og_message_set(
                message, OG_BAD_INPUT,
                "%.200s: no value for %s,%s, which %.100s reaches with %" PRId32 " label%s",
                og_payoff_file(values->name), a_text, b_text, words, n, n == 1 ? "" : "s");
        }
    }
    return OG_OK;
}

og_status og_group_check(const og_group *group, int32_t labels, og_message *message)
{
    char text[OG_GROUP_TEXT_BYTES];
    if (group->kind < OG_PRIOR_BETA || group->kind > OG_PRIOR_NODES || group->part_count < 0 ||
        group->part_count > OG_PARTS_MAX ||
        (group->kind == OG_PRIOR_COINS && group->part_count != 2) ||
        (group->kind == OG_PRIOR_NODES &&
         (group->nodes == NULL || group->root >= group->nodes->node_count))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "an instance has a prior of an unsupported kind");
    }
    if (!is_written_well(group)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "an instance has a number that is not a fraction in lowest terms");
    }
    if (check_as(group, labels, piece_of(""), NULL) == OG_OK) {
        bool table = group->payoff.kind == OG_WORTH_VALUES && !group->payoff.values->by_node;
        return table ? check_table(group, labels, message) : OG_OK;
    }
    og_group_format(group, text, sizeof text); /* takes longer than the rest */
    return check_as(group, labels, piece_of(text), message);
}
