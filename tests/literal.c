#include "tests/literal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

long double literal_value_of_act(const literal *by, const literal_place *at, int32_t act)
{
    literal_place next[LITERAL_ANSWERS];
    long double chance[LITERAL_ANSWERS];
    if (act < 0) {
        return literal_value(by, at);
    }
    long double sum = by->reward != NULL ? by->reward(by, at, act) : 0;
    int32_t count = by->answers(by, at, act, next, chance);
    for (int32_t k = 0; k < count; k++) {
        sum += chance[k] > 0 ? chance[k] * literal_value(by, &next[k]) : 0;
    }
    return sum;
}

/* Which acts the policy may take. */
static void choose(const literal *by, const literal_place *at, int32_t count, bool *taken)
{
    long double index[LITERAL_ACTS], largest = -INFINITY;
    for (int32_t a = 0; a < count; a++) {
        index[a] = by->policy != NULL && count > 1 ? by->index(by, at, a) : 0;
        largest = fmaxl(largest, index[a]);
    }
    long double least = largest - (by->tie > 0 ? by->tie : LITERAL_TIE);
    bool first = by->policy != NULL && by->ties == OG_TIES_FIRST;
    for (int32_t a = 0; a < count; a++) {
        taken[a] = index[a] >= least;
        for (int32_t b = 0; first && b < a; b++) {
            taken[a] = taken[a] && !taken[b];
        }
    }
}

long double literal_value(const literal *by, const literal_place *at)
{
    int32_t count = by->acts(by, at), tied = 0;
    bool taken[LITERAL_ACTS];
    long double sum = 0, most = -INFINITY, least = INFINITY;
    if (count == 0) {
        return by->worth(by, at);
    }
    choose(by, at, count, taken);
    for (int32_t a = 0; a < count; a++) {
        if (taken[a]) {
            long double value = literal_value_of_act(by, at, a);
            sum += value;
            most = fmaxl(most, value);
            least = fminl(least, value);
            tied++;
        }
    }
    return by->policy == NULL || by->ties == OG_TIES_BEST ? most
           : by->ties == OG_TIES_WORST                    ? least
                                                          : sum / tied;
}

long double literal_ahead(const literal *by, const literal_place *at, int32_t act)
{
    literal_place next[LITERAL_ANSWERS];
    long double chance[LITERAL_ANSWERS], sum = 0;
    int32_t count = by->answers(by, at, act, next, chance);
    for (int32_t k = 0; k < count; k++) {
        sum += chance[k] > 0 ? chance[k] * by->worth(by, &next[k]) : 0;
    }
    return sum;
}

static long double best_part(long double alpha, int32_t count, const long double *chance,
                             const long double *gain)
{
    long double least = INFINITY;
    for (int32_t c = 0; c < count; c++) {
        long double sum = gain[c];
        for (int32_t k = 0; k < count; k++) {
            sum += chance[k] * fmaxl(gain[k] - gain[c], 0) / alpha;
        }
        least = fminl(least, sum);
    }
    return least;
}

long double literal_rule(const char *name, int32_t count, const long double *chance,
                         const long double *gain)
{
    const char *colon = strchr(name, ':');
    long double mean = 0, largest = -INFINITY, smallest = INFINITY;
    long double alpha = colon != NULL ? strtold(colon + 1, NULL) : NAN;
    for (int32_t k = 0; k < count; k++) {
        mean += chance[k] > 0 ? chance[k] * gain[k] : 0;
        largest = chance[k] > 0 ? fmaxl(largest, gain[k]) : largest;
        smallest = chance[k] > 0 ? fminl(smallest, gain[k]) : smallest;
    }
    long double entropy = 0, likely = 0;
    for (int32_t k = 0; k < count; k++) {
        entropy -= chance[k] > 0 ? chance[k] * logl(chance[k]) : 0;
        likely = fmaxl(likely, chance[k]);
    }
    return strcmp(name, "entropy") == 0                    ? entropy
           : strcmp(name, "least-confidence") == 0         ? 1 - likely
           : strncmp(name, "cvar-kg", 7) == 0 && alpha > 0 ? best_part(alpha, count, chance, gain)
           : strncmp(name, "cvar-kg", 7) == 0              ? largest
           : strncmp(name, "pess-kg", 7) == 0              ? smallest
           : strncmp(name, "opt-kg", 6) == 0               ? largest
           : strncmp(name, "kg", 2) == 0                   ? mean
                                                           : 0;
}

long double literal_rule_of_act(const literal *by, const literal_place *at, int32_t act)
{
    literal_place next[LITERAL_ANSWERS];
    long double chance[LITERAL_ANSWERS], gain[LITERAL_ANSWERS], now = by->worth(by, at);
    int32_t count = by->answers(by, at, act, next, chance);
    for (int32_t k = 0; k < count; k++) {
        gain[k] = chance[k] > 0 ? by->worth(by, &next[k]) - now : 0;
    }
    return literal_rule(by->policy, count, chance, gain);
}

/* A binomial's tail. */
long double literal_positive(int32_t a, int32_t b, long double threshold)
{
    const int32_t n = a + b - 1;
    long double sum = 0, ways = 1;
    for (int32_t j = 0; j < a; j++) {
        sum += ways * powl(threshold, j) * powl(1 - threshold, n - j);
        ways = ways * (n - j) / (j + 1);
    }
    return sum;
}
