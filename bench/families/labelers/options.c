/* The options of choosing labelers. */
#include "bench/families/labelers/labelers.h"

#include <string.h>

#include "dp/base/number.h"

/* Read a decimal >= 0 up to the next comma or the end. */
static bool read_decimal(const char **text, og_fraction *out)
{
    size_t length = strcspn(*text, ",");
    bool read = og_fraction_parse(*text, length, out) == OG_OK;
    *text += length;
    return read;
}

static og_status read_explore(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_labelers_options *own = options;
    const char *at = text;
    og_fraction first, second;
    bool read = read_decimal(&at, &first) && *at++ == ',' && read_decimal(&at, &second);
    if (!read || *at != '\0') {
        return og_option_refuse(row, text, message, "two numbers >= 0 separated by a comma, G1,G2");
    }
    own->explore[0] = og_fraction_double(first);
    own->explore[1] = og_fraction_double(second);
    return OG_OK;
}

static og_status read_cost(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    og_labelers_options *own = options;
    const char *at = text;
    int32_t count = 0;
    bool read = true;
    do {
        at += count > 0;
        read = count < OG_LABELERS_MAX && read_decimal(&at, &own->cost[count]);
        count++;
    } while (read && *at == ',');
    if (!read) {
        return og_option_refuse(
            row, text, message,
            "numbers >= 0 separated by commas, one for all or one for each labeler");
    }
    own->cost_count = count;
    return OG_OK;
}

static og_status read_price(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_labelers_options *own = options;
    const char *at = text;
    og_fraction price;
    if (!read_decimal(&at, &price) || *at != '\0') {
        return og_option_refuse(row, text, message, "a number >= 0");
    }
    own->price = price;
    return OG_OK;
}

static og_status read_double(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    const char *at = text;
    og_fraction number;
    if (!read_decimal(&at, &number) || *at != '\0') {
        return og_option_refuse(row, text, message, "a number >= 0");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(number);
    return OG_OK;
}

static og_status read_votes(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_labelers_options *own = options;
    const char *weighted = "weighted", *at = text + strlen(weighted);
    bool is_weighted = strncmp(text, weighted, strlen(weighted)) == 0;
    og_fraction eps = {0, 1};
    if (is_weighted && *at == ':') {
        at++;
        is_weighted = read_decimal(&at, &eps);
    }
    if (!(is_weighted && *at == '\0') && strcmp(text, "majority") != 0) {
        return og_option_refuse(row, text, message,
                                "majority, weighted, or weighted:E with a number E >= 0");
    }
    own->weighted = is_weighted;
    own->eps = og_fraction_double(eps);
    return OG_OK;
}

static og_status read_sets(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    og_labelers_options *own = options;
    size_t length = strcspn(text, ",");
    bool odd = length == 3 && strncmp(text, "odd", length) == 0;
    bool nobody = strcmp(text + length, ",nobody") == 0;
    if ((!odd && (length != 3 || strncmp(text, "all", length) != 0)) ||
        (text[length] != '\0' && !nobody)) {
        return og_option_refuse(row, text, message, "odd, all, odd,nobody or all,nobody");
    }
    own->sets = odd ? "odd" : "all";
    own->nobody = own->nobody || nobody;
    return OG_OK;
}

/* Read the number of contexts, or "unit:Z" for contexts in 0 .. 1. */
static og_status read_contexts(void *options, const og_option_row *row, const char *text,
                               og_message *message)
{
    og_labelers_options *own = options;
    const char *prefix = "unit:", *at = text + strlen(prefix);
    bool unit = strncmp(text, prefix, strlen(prefix)) == 0;
    og_fraction cells = {0, 1};
    int64_t count = 0;
    if (unit ? !read_decimal(&at, &cells) || *at != '\0' || cells.num > cells.den
             : !og_number_parse(text, row->least, row->most, &count)) {
        return og_option_refuse(row, text, message,
                                "a whole number from %d to %d, or unit:Z with Z from 0 to 1",
                                (int)row->least, (int)row->most);
    }
    own->contexts = (int32_t)count;
    own->cells = og_fraction_double(cells);
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(
        CUSTOM, "explore", "G1,G2", og_labelers_options, explore, .topic = OG_TOPIC_LABELERS,
        .brief = "exploration constants of ls-ol",
        .help = "exploration constants of ls-ol: at time t it wants more than G1 ln t testers "
                "(tasks that all labelers label), each labelled more than G2 ln t times",
        .read = read_explore, .fallback = "1,1", .only = "solve query bound compare simulate play"),
    OG_OPTION(
        TEXT, "accuracy-prior", "WHAT", og_labelers_options, unknown, .was = "unknown",
        .topic = OG_TOPIC_LABELERS, .brief = "prior of the accuracies, which are then unknown",
        .help = "prior of the accuracies, which are then unknown. orders: the given accuracies in "
                "any order, with equal probabilities. beta:A,B: independent Betas; the INSTANCE "
                "words only count labelers. FILE: lines WEIGHT P1 P2 ..., separated by tabs"),
    OG_OPTION(CUSTOM, "cost", "C[,C...]", og_labelers_options, cost, .topic = OG_TOPIC_LABELERS,
              .brief = "cost of a vote, for all labelers or each",
              .help = "cost of a vote, one number for all labelers or one for each",
              .read = read_cost, .count = offsetof(og_labelers_options, cost_count),
              .fallback = "0"),
    OG_OPTION(CUSTOM, "cost-weight", "X", og_labelers_options, price, .was = "price",
              .topic = OG_TOPIC_LABELERS, .brief = "right labels that one unit of cost is worth",
              .help = "right labels that one unit of cost is worth", .read = read_price,
              .fallback = "0", .with = "cost"),
    OG_OPTION(CUSTOM, "votes", "HOW", og_labelers_options, weighted, .topic = OG_TOPIC_LABELERS,
              .brief = "counting of votes: majority or weighted[:E]",
              .help = "weight of a vote. majority: all votes are equal. weighted: a vote counts "
                      "the log odds of its labeler's accuracy, known or estimated. weighted:E: a "
                      "sum of log odds below E is a tie (default: majority)",
              .choices = "majority weighted", .read = read_votes),
    OG_OPTION(CUSTOM, "sets", "WHICH", og_labelers_options, sets, .topic = OG_TOPIC_LABELERS,
              .brief = "sets of labelers to ask: odd or all; also odd,nobody",
              .help = "sets of labelers that may be asked, in addition to all of them. odd: those "
                      "of odd size; all: every set. With ',nobody' also the empty set; the label "
                      "is then a coin flip (default: odd for more than 3 labelers, else all)",
              .choices = "odd all odd,nobody all,nobody", .read = read_sets),
    OG_OPTION(
        CUSTOM, "drop", "CHANCE", og_labelers_options, drop, .topic = OG_TOPIC_LABELERS,
        .brief = "drop a labeler at this significance; 0 keeps all",
        .help =
            "with more than three labelers: stop asking the worst one if it differs from the "
            "majority more often than the second worst, at this significance level. 0 keeps all",
        .read = read_double, .fallback = "0", .only = "simulate"),
    OG_OPTION(CUSTOM, "drop-exponent", "C", og_labelers_options, drop_exponent,
              .topic = OG_TOPIC_LABELERS, .brief = "C of the significance exp(-C e^2 n) of --drop",
              .help = "C of the significance of --drop: exp(-C e^2 n) if shares of disagreement "
                      "differ by e after n votes. 1/2 is a bound; larger ones drop sooner",
              .read = read_double, .fallback = "0.5", .with = "drop", .only = "simulate"),
    OG_OPTION(
        CUSTOM, "contexts", "N|unit:Z", og_labelers_options, contexts, .only = "simulate",
        .topic = OG_TOPIC_LABELERS, .brief = "number of contexts of tasks, or unit:Z for a line",
        .help =
            "N: each task belongs to one of N contexts (1 to 1000) with equal probabilities; "
            "policies use only votes from the same context, and with --accuracy-prior each context "
            "has its own accuracies. unit:Z: a context is a number from 0 to 1, accuracies change "
            "linearly with it, and at time t ls-ol estimates them in ceil(t^Z) equal cells",
        .least = 1, .most = 1000, .read = read_contexts, .fallback = "1"),
    OG_OPTION(SWITCH, "theory", NULL, og_labelers_options, theory, .topic = OG_TOPIC_LABELERS,
              .brief = "print the constants of the proved regret bound",
              .help = "print the constants and the bound with which Liu and Liu prove that regret "
                      "is logarithmic",
              .only = "solve query bound compare simulate play", .hidden = true),
    OG_OPTION(SWITCH, "weighted", NULL, og_labelers_options, weighted, .topic = OG_TOPIC_LABELERS,
              .brief = "--votes weighted", .help = "--votes weighted", .hidden = true),
    OG_OPTION(CUSTOM, "eps", "E", og_labelers_options, eps, .topic = OG_TOPIC_LABELERS,
              .brief = "E of --votes weighted:E", .help = "E of --votes weighted:E",
              .read = read_double, .only = "solve query bound compare simulate play",
              .hidden = true),
    OG_OPTION(SWITCH, "allow-nobody", NULL, og_labelers_options, nobody, .topic = OG_TOPIC_LABELERS,
              .brief = "--sets with nobody", .help = "--sets with nobody", .hidden = true),
    OG_OPTION_LAST,
};

const og_option_set og_labelers_option_set = {.rows = rows, .bytes = sizeof(og_labelers_options)};
