/* Reads, writes and integrates the prior of a worker: one coin, two coins, or a mixture. */
#include "dp/prior/worker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/rational.h"

/* ---- words ---- */

static og_status refuse(const char *text, const char *because, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "--workers-prior must be [Nx]A,B (one coin), [Nx]A,B/A,B (two coins) "
                          "or [Nx]W*A,B+W*A,B (a mixture), not '%.64s'%s",
                          text, because);
}

/* Reads "C,D", of this length. */
static bool read_pair(const char *text, size_t length, og_component *out)
{
    const char *comma = memchr(text, ',', length);
    return comma != NULL && og_fraction_parse(text, (size_t)(comma - text), &out->a) == OG_OK &&
           og_fraction_parse(comma + 1, length - (size_t)(comma - text) - 1, &out->b) == OG_OK;
}

/* Reads "W*C,D". */
static bool read_part(const char *text, size_t length, og_component *out)
{
    const char *star = memchr(text, '*', length);
    return star != NULL && og_fraction_parse(text, (size_t)(star - text), &out->weight) == OG_OK &&
           read_pair(star + 1, length - (size_t)(star - text) - 1, out);
}

/* The end of a part: the next '+' that is not the sign of an exponent. */
static size_t part_length(const char *text)
{
    size_t length = strcspn(text, "+");
    while (text[length] == '+' && length > 0 &&
           (text[length - 1] == 'e' || text[length - 1] == 'E')) {
        length += 1 + strcspn(text + length + 1, "+");
    }
    return length;
}

static og_status read_mixture(const char *text, const char *word, og_group *out,
                              og_message *message)
{
    double sum = 0;
    out->kind = OG_PRIOR_MIXTURE;
    for (;; word++) {
        size_t length = part_length(word);
        if (out->part_count == OG_PARTS_MAX) {
            return refuse(text, ": at most 10 kinds", message);
        }
        og_component *part = &out->component[out->part_count++];
        if (!read_part(word, length, part)) {
            return refuse(text, "", message);
        }
        sum += og_fraction_double(part->weight);
        word += length;
        if (*word == '\0') {
            break;
        }
    }
    return fabs(sum - 1) <= 1e-9
               ? OG_OK
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "--workers-prior '%.64s': the weights must have the sum 1, not %.10g", text,
                     sum);
}

static og_status read_coins(const char *text, const char *word, og_group *out, og_message *message)
{
    size_t length = strcspn(word, "/");
    out->kind = OG_PRIOR_COINS;
    out->part_count = OG_WORKER_COINS_MAX;
    out->component[0].weight = out->component[1].weight = (og_fraction){1, 1};
    return read_pair(word, length, &out->component[0]) &&
                   read_pair(word + length + 1, strlen(word + length + 1), &out->component[1])
               ? OG_OK
               : refuse(text, "", message);
}

og_status og_worker_parse(const char *text, og_group *out, og_message *message)
{
    og_group made;
    char count[24] = "", one[32];
    const char *word = text + strspn(text, "0123456789");
    bool several = strchr(text, '/') != NULL;
    bool mixed = text[part_length(text)] != '\0' || strpbrk(text, "*:") != NULL;
    if (several && mixed) {
        return refuse(text, "", message);
    }
    if (!several && !mixed) {
        return og_group_parse(text, out, message);
    }
    bool counted = *word == 'x' && word > text;
    if (counted && (size_t)(word - text) < sizeof count) {
        memcpy(count, text, (size_t)(word - text) + 1);
    } else if (counted) {
        return refuse(text, ": the count is too large", message);
    }
    snprintf(one, sizeof one, "%s1,1", count); /* the count is read as that of an instance */
    OG_TRY(og_group_parse(one, &made, message));
    made.a = made.b = (og_fraction){0, 0};
    word = counted ? word + 1 : text;
    OG_TRY(several ? read_coins(text, word, &made, message)
                   : read_mixture(text, word, &made, message));
    og_message fault;
    if (og_group_check(&made, 0, &fault) != OG_OK) {
        const char *why = strstr(fault.text, ": ");
        return refuse(text, why != NULL ? why : "", message);
    }
    *out = made;
    return OG_OK;
}

/* A mixture of instances has colons in place of the stars. */
int og_worker_format(const og_group *group, char *text, size_t size)
{
    int length = og_group_format(group, text, size);
    for (size_t i = 0; group->kind == OG_PRIOR_MIXTURE && i < size && text[i] != '\0'; i++) {
        text[i] = text[i] == ':' ? '*' : text[i];
    }
    return length;
}

/* ---- factors ---- */

int32_t og_worker_coins(const og_group *group)
{
    return group->kind == OG_PRIOR_COINS ? OG_WORKER_COINS_MAX : 1;
}

int32_t og_worker_parts(const og_group *group, int32_t coin, og_component part[OG_PARTS_MAX],
                        double *sum)
{
    *sum = og_group_weight_sum(group);
    if (group->kind == OG_PRIOR_MIXTURE) {
        memcpy(part, group->component, (size_t)group->part_count * sizeof *part);
        return group->part_count;
    }
    part[0] = group->kind == OG_PRIOR_COINS ? group->component[coin]
                                            : (og_component){{1, 1}, group->a, group->b};
    return 1;
}

/* B(a + s, b + f) / B(a, b) for all s + f < side. */
static void fill_integrals(const og_component *part, size_t side, double *ratio)
{
    double a = og_fraction_double(part->a), b = og_fraction_double(part->b);
    for (size_t all = 0; all < side; all++) {
        for (size_t s = 0; s <= all; s++) {
            size_t f = all - s;
            double before = (double)all - 1;
            if (all == 0) {
                ratio[0] = 1;
            } else if (s > 0) {
                ratio[s * side + f] =
                    ratio[(s - 1) * side + f] * ((a + (double)(s - 1)) / (a + b + before));
            } else {
                ratio[f] = ratio[f - 1] * ((b + before) / (a + b + before));
            }
        }
    }
}

double *og_worker_factors(og_arena *arena, const og_group *group, int32_t coin, int32_t side)
{
    size_t n = (size_t)side;
    og_component part[OG_PARTS_MAX];
    double sum;
    int32_t count = og_worker_parts(group, coin, part, &sum);
    double *factor = og_arena_array(arena, n * n, sizeof *factor);
    double *one = count > 1 ? og_arena_array(arena, n * n, sizeof *one) : factor;
    if (factor == NULL || one == NULL) {
        return NULL;
    }
    for (int32_t m = 0; m < count; m++) {
        fill_integrals(&part[m], n, one);
        double weight = og_fraction_double(part[m].weight) / sum;
        for (size_t k = 0; count > 1 && k < n * n; k++) {
            factor[k] += weight * one[k];
        }
    }
    factor[0] = 1; /* not the rounded sum of the weights */
    return factor;
}

int32_t og_worker_roundings(const og_group *group)
{
    return group->kind == OG_PRIOR_MIXTURE ? 2 * group->part_count + 2 : 0;
}

void og_worker_factor_exact(const og_group *group, int32_t coin, int32_t same, int32_t other,
                            mpq_t out)
{
    og_component part[OG_PARTS_MAX];
    mpq_t sum, a, b, term;
    double rounded;
    int32_t count = og_worker_parts(group, coin, part, &rounded);
    mpq_inits(sum, a, b, term, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t m = 0; m < count; m++) {
        og_fraction_get_mpq(a, part[m].a);
        og_fraction_get_mpq(b, part[m].b);
        og_fraction_get_mpq(term, part[m].weight);
        mpq_add(sum, sum, term);
        og_times_rising(term, a, same, false);
        og_times_rising(term, b, other, false);
        mpq_add(a, a, b);
        og_times_rising(term, a, same + other, true);
        mpq_add(out, out, term);
    }
    mpq_div(out, out, sum);
    mpq_clears(sum, a, b, term, NULL);
}
