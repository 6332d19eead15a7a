/*
 * Stopping rules of one instance: their numbers, and the nodes of an arm at which they are done.
 */
#include "heuristics/index/stopping.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/arena.h"

enum { LOOK_NODES = 4096 };

/* ---- words ---- */

/* Checks the numbers; the part of the message after the name, or NULL. */
typedef const char *check(const og_fraction *number);

static const og_fraction half = {1, 2}, one = {1, 1};

static bool is_whole(og_fraction x, int32_t least)
{
    return og_fraction_is_integer(x) && x.num >= least && x.num <= OG_BUDGET_MAX;
}

static bool is_majority(og_fraction x)
{
    return og_fraction_compare(x, half) > 0 && og_fraction_compare(x, one) <= 0;
}

static const char *check_count(const og_fraction *number)
{
    return is_whole(number[0], 0) ? NULL : "N must be a whole number from 0 on";
}

static const char *check_many(const og_fraction *number)
{
    return is_whole(number[0], 1) ? NULL : "M must be a whole number from 1 on";
}

static const char *check_majority(const og_fraction *number)
{
    return is_majority(number[0]) ? NULL : "C must be above 0.5 and at most 1";
}

static const char *check_sprt(const og_fraction *number)
{
    const og_fraction *wrong = &number[2];
    mpq_t sum, other;
    mpq_inits(sum, other, NULL);
    og_fraction_get_mpq(sum, wrong[0]);
    og_fraction_get_mpq(other, wrong[1]);
    mpq_add(sum, sum, other);
    bool below = mpq_cmp_ui(sum, 1, 1) < 0;
    mpq_clears(sum, other, NULL);
    return number[0].num == 0 || og_fraction_compare(number[1], one) >= 0
               ? "P0 must be above 0, and P1 below 1"
           : og_fraction_compare(number[0], number[1]) >= 0 ? "P0 must be less than P1"
           : wrong[0].num == 0 || wrong[1].num == 0         ? "A and B must be above 0"
           : !below                                         ? "A + B must be below 1"
                                                            : NULL;
}

static const char *check_doubling(const og_fraction *number)
{
    return !is_whole(number[0], 1)         ? "N must be a whole number from 1 on"
           : !is_whole(number[1], 1)       ? "MAX must be a whole number from 1 on"
           : number[0].num > number[1].num ? "N must be at most MAX"
           : !is_majority(number[2])       ? "Q must be above 0.5 and at most 1"
                                           : NULL;
}

static const struct {
    const char *name;
    int count;
    const char *numbers, *with, *example;
    check *check;
} kinds[] = {
    [OG_STOPPING_FIXED] = {"fixed", 1, "N", "N a whole number from 0 on", "5", check_count},
    [OG_STOPPING_AGREE] = {"agree", 1, "M", "M a whole number from 1 on", "2", check_many},
    [OG_STOPPING_LEAD] = {"lead", 1, "M", "M a whole number from 1 on", "2", check_many},
    [OG_STOPPING_BETA] = {"beta-stop", 1, "C", "C above 0.5 and at most 1", "0.95", check_majority},
    [OG_STOPPING_SPRT] = {"sprt", 4, "P0,P1,A,B", "0 < P0 < P1 < 1, A and B above 0, A + B below 1",
                          "0.3,0.7,0.1,0.1", check_sprt},
    [OG_STOPPING_DOUBLING] = {"doubling", 3, "N,MAX,Q",
                              "1 <= N <= MAX, and Q above 0.5 and at most 1", "2,8,0.75",
                              check_doubling},
};

static og_status needs_numbers(og_stopping_kind kind, og_message *message)
{
    static const char *const counts[] = {"", "a number", "", "three numbers", "four numbers"};
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%s' needs %s: %s:%s with %s, such as %s:%s", kinds[kind].name,
                          counts[kinds[kind].count], kinds[kind].name, kinds[kind].numbers,
                          kinds[kind].with, kinds[kind].name, kinds[kind].example);
}

/* Reads the numbers of the text, which ends at the first colon; false if there are not so many. */
static bool read_numbers(const char *text, int count, og_fraction *out, const char **end,
                         const char **bad)
{
    *bad = NULL;
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(text, ",:");
        if (length == 0 || (i > 0 && *(text - 1) != ',')) {
            return false;
        }
        if (*bad == NULL && og_fraction_parse(text, length, &out[i]) != OG_OK) {
            *bad = text;
        }
        text += length;
        if (i + 1 < count && *text++ != ',') {
            return false;
        }
    }
    *end = text;
    return *text == '\0' || *text == ':';
}

og_status og_stopping_parse(const char *name, og_stopping *out, const char **policy,
                            og_message *message)
{
    size_t length = strcspn(name, ":");
    og_stopping_kind kind = OG_STOPPING_FIXED;
    while (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, name, length) != 0) {
        kind++;
        assert(kind <= OG_STOPPING_DOUBLING);
    }
    og_stopping rule = {.kind = kind};
    const char *end = "", *bad;
    if (name[length] == '\0' ||
        !read_numbers(name + length + 1, kinds[kind].count, rule.number, &end, &bad)) {
        return needs_numbers(kind, message);
    }
    rule.words = (int32_t)(end - name);
    if (bad != NULL && kinds[kind].count > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.*s': '%.*s' is not a decimal number of at most 18 digits",
                              rule.words, name, (int)strcspn(bad, ",:"), bad);
    }
    const char *fault = bad == NULL                        ? kinds[kind].check(rule.number)
                        : kinds[kind].check == check_count ? "N must be a whole number from 0 on"
                        : kinds[kind].check == check_many  ? "M must be a whole number from 1 on"
                                                           : "C must be above 0.5 and at most 1";
    if (fault != NULL) {
        return og_message_set(message, OG_BAD_INPUT, "policy '%.*s': %s", rule.words, name, fault);
    }
    if (*end == ':' && end[1] == '\0') {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.100s': after the last colon the name of a policy is "
                              "missing, such as %.*s:kg",
                              name, rule.words, name);
    }
    *out = rule;
    *policy = *end == ':' ? end + 1 : NULL;
    return OG_OK;
}

bool og_stopping_counts(const og_stopping *rule)
{
    return rule->kind != OG_STOPPING_BETA;
}

/* ---- labels of an instance ---- */

typedef struct {
    int32_t all, most, second, positive;
} counted;

static counted count(const og_arm *arm, uint32_t node)
{
    int32_t labels[OG_CLASSES_MAX];
    counted out = {0};
    if (og_arm_table(arm) != NULL) { /* only for `fixed` */
        out.all = og_arm_level(arm, node);
        return out;
    }
    og_arm_counts(arm, node, labels);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        out.all += labels[k];
        out.second = labels[k] > out.most     ? out.most
                     : labels[k] > out.second ? labels[k]
                                              : out.second;
        out.most = labels[k] > out.most ? labels[k] : out.most;
    }
    out.positive = labels[0];
    return out;
}

static bool is_doubling_done(const og_fraction *number, const counted *at)
{
    int64_t n = (int64_t)number[0].num;
    while (n < at->all) {
        n *= 2;
    }
    return at->all >= number[1].num ||
           (n == at->all && number[2].den * at->most >= number[2].num * n);
}

/* ---- Wald's test ---- */

typedef struct {
    double up, down;  /* ln(P1/P0), ln((1-P1)/(1-P0)) */
    double high, low; /* ln((1-B)/A), ln(B/(1-A)) */
    mpq_t ratio[2], limit[2];
} wald;

/* out = x / y. */
static void divide(og_fraction x, og_fraction y, mpq_t out, mpq_t room)
{
    og_fraction_get_mpq(out, x);
    og_fraction_get_mpq(room, y);
    mpq_div(out, out, room);
}

static og_fraction rest(og_fraction x)
{
    return og_fraction_make(x.den - x.num, x.den);
}

static double log_of(const mpq_t x)
{
    return log(mpq_get_d(x));
}

static void wald_init(const og_fraction *number, wald *out)
{
    mpq_t room;
    mpq_inits(room, out->ratio[0], out->ratio[1], out->limit[0], out->limit[1], NULL);
    divide(number[1], number[0], out->ratio[0], room);
    divide(rest(number[1]), rest(number[0]), out->ratio[1], room);
    divide(rest(number[3]), number[2], out->limit[0], room);
    divide(number[3], rest(number[2]), out->limit[1], room);
    out->up = log_of(out->ratio[0]);
    out->down = log_of(out->ratio[1]);
    out->high = log_of(out->limit[0]);
    out->low = log_of(out->limit[1]);
    mpq_clear(room);
}

static void wald_clear(wald *w)
{
    mpq_clears(w->ratio[0], w->ratio[1], w->limit[0], w->limit[1], NULL);
}

static void multiply_power(mpq_t out, const mpq_t base, int32_t exponent)
{
    mpq_t power;
    mpq_init(power);
    mpz_pow_ui(mpq_numref(power), mpq_numref(base), (uint32_t)exponent);
    mpz_pow_ui(mpq_denref(power), mpq_denref(base), (uint32_t)exponent);
    mpq_mul(out, out, power);
    mpq_clear(power);
}

/* Doubles decide unless L is near a limit: their error is some 1e-16 of each term. */
static bool is_sprt_done(const wald *w, const counted *at)
{
    const double unsure = 1e-12;
    int32_t negative = at->all - at->positive;
    double up = at->positive * w->up, down = negative * w->down;
    double size = unsure * (up - down + fabs(w->high) + fabs(w->low) + 1);
    double over = up + down - w->high, under = w->low - up - down;
    if (fabs(over) > size && fabs(under) > size) {
        return over > 0 || under > 0;
    }
    mpq_t ratio;
    mpq_init(ratio);
    mpq_set_ui(ratio, 1, 1);
    multiply_power(ratio, w->ratio[0], at->positive);
    multiply_power(ratio, w->ratio[1], negative);
    bool done = mpq_cmp(ratio, w->limit[0]) >= 0 || mpq_cmp(ratio, w->limit[1]) <= 0;
    mpq_clear(ratio);
    return done;
}

/* ---- the probability of the call ---- */

/*
 * The instance without payoff and bonus, whose value h is the probability of its likelier class.
 * Values of nodes follow from gains; the nodes whose value is near C are looked at alone.
 */
typedef struct {
    const og_arm *plain;
    mpq_t limit;
    double nearest; /* of the limit */
} sure;

/* The instance at this node as a problem of its own; false for a mixture, which has none. */
static bool alone(const og_arm *arm, uint32_t node, og_group *out)
{
    og_fraction parameter[OG_CLASSES_MAX];
    *out = *og_arm_prior(arm);
    if (out->kind == OG_PRIOR_MIXTURE) {
        return false;
    }
    og_arm_posterior(arm, node, parameter);
    for (int32_t k = 0; out->kind == OG_PRIOR_DIRICHLET && k < out->part_count; k++) {
        out->alpha[k] = parameter[k];
    }
    if (out->kind == OG_PRIOR_BETA) {
        out->a = parameter[0];
        out->b = parameter[1];
    }
    return true;
}

/* The sign of value - limit, of an exact value or one rounded to nearest; 0 and one more near tie
 * if rounding hides it. */
static int compare_rounded(const sure *s, const og_arm *at, uint64_t *near)
{
    mpq_t value, gap, half_unit;
    mpq_inits(value, gap, half_unit, NULL);
    if (at->rational) {
        og_arm_exact_call(at, value);
    } else {
        mpq_set_d(value, at->call);
        mpq_set_d(half_unit, at->call_error * at->call);
    }
    mpq_sub(gap, value, s->limit);
    int sign = mpq_sgn(gap);
    mpq_abs(gap, gap);
    if (mpq_cmp(gap, half_unit) <= 0) {
        *near += !at->rational;
        sign = 0;
    }
    mpq_clears(value, gap, half_unit, NULL);
    return sign;
}

/* h of a node of a mixture: that of the prior plus the gains on the way. */
static void exact_value(const og_arm *arm, const uint32_t *from, uint32_t node, mpq_t out)
{
    mpq_t gain;
    mpq_init(gain);
    og_arm_exact_call(arm, out);
    while (node > 0) {
        uint32_t before = from[node] / (uint32_t)arm->outcome_count;
        og_arm_exact_gain(arm, before, (int32_t)(from[node] % (uint32_t)arm->outcome_count), gain);
        mpq_add(out, out, gain);
        node = before;
    }
    mpq_clear(gain);
}

static og_status decide_near(const sure *s, const uint32_t *from, uint32_t node, bool *done,
                             uint64_t *near, og_message *message)
{
    og_group group;
    og_arm *at = NULL;
    int sign = 0;
    if (alone(s->plain, node, &group)) {
        OG_TRY(og_arm_new(&group, 0, UINT64_MAX, &at, message));
        sign = compare_rounded(s, at, near);
        og_arm_free(at);
    } else if (s->plain->rational) {
        mpq_t value;
        mpq_init(value);
        exact_value(s->plain, from, node, value);
        sign = mpq_cmp(value, s->limit);
        mpq_clear(value);
    } else {
        ++*near;
    }
    *done = sign >= 0;
    return OG_OK;
}

/* value[node] and how each node is first reached: from[node] is an outcome. */
static og_status add_gains(const og_arm *arm, og_stop *stop, double *gain, double *value,
                           uint32_t *from, double *error)
{
    size_t outcomes = arm->level[arm->depth] * (size_t)arm->outcome_count;
    double each, size = arm->call, u = 0x1p-53;
    OG_TRY(og_arm_gains(arm, stop, gain, &each));
    value[0] = arm->call;
    for (size_t i = outcomes; i-- > 0;) {
        from[arm->next[i]] = (uint32_t)i;
    }
    for (uint32_t node = 1; node < arm->node_count; node++) {
        value[node] = value[from[node] / (uint32_t)arm->outcome_count] + gain[from[node]];
        size = fmax(size, fabs(gain[from[node]]));
    }
    /* At most depth gains of at most `size`, their errors and roundings. */
    *error = 1.01 * (arm->call * arm->call_error + (arm->depth + 1.0) * (size * each + 2 * u));
    return OG_OK;
}

static og_status find_sure_nodes(const sure *s, og_stop *stop, bool *done, uint64_t *near,
                                 og_message *message)
{
    const og_arm *arm = s->plain;
    og_arena arena = {0};
    double *gain = og_arena_array(&arena, arm->level[arm->depth] * (size_t)arm->outcome_count + 1,
                                  sizeof *gain);
    double *value = og_arena_array(&arena, arm->node_count, sizeof *value);
    uint32_t *from = og_arena_array(&arena, arm->node_count, sizeof *from);
    double error;
    og_status status = og_arena_status(&arena);
    OG_THEN(status, add_gains(arm, stop, gain, value, from, &error));
    for (uint32_t node = 0; status == OG_OK && node < arm->level[arm->depth]; node++) {
        done[node] = value[node] > s->nearest;
        if (fabs(value[node] - s->nearest) <= error + 0x1p-52) {
            status = decide_near(s, from, node, &done[node], near, message);
        }
        if (status == OG_OK && node % LOOK_NODES == 0 && og_stop_asked(stop)) {
            status = OG_STOPPED;
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* The arm itself if its values are probabilities of a call, else one that is made for them. */
static og_status find_sure(og_fraction limit, const og_arm *arm, uint64_t memory_bytes,
                           og_stop *stop, bool *done, uint64_t *near, og_message *message)
{
    og_group group = *og_arm_prior(arm);
    sure s = {.nearest = og_fraction_double(limit)};
    og_arm *made = NULL;
    if (arm->bandit || arm->paying || group.payoff.given) {
        group.payoff = (og_payoff){.given = false};
        group.bonus = (og_fraction){0, 0};
        group.count = 1;
        OG_TRY(og_arm_new(&group, arm->depth, memory_bytes > 0 ? memory_bytes : UINT64_MAX, &made,
                          message));
    }
    s.plain = made != NULL ? made : arm;
    mpq_init(s.limit);
    og_fraction_get_mpq(s.limit, limit);
    og_status status = find_sure_nodes(&s, stop, done, near, message);
    mpq_clear(s.limit);
    og_arm_free(made);
    return status;
}

/* ---- all rules ---- */

static bool is_done(const og_stopping *rule, const wald *w, const counted *at)
{
    const og_fraction *number = rule->number;
    switch (rule->kind) {
    case OG_STOPPING_FIXED:
        return at->all >= number[0].num;
    case OG_STOPPING_AGREE:
        return at->most >= number[0].num;
    case OG_STOPPING_LEAD:
        return at->most - at->second >= number[0].num;
    case OG_STOPPING_SPRT:
        return is_sprt_done(w, at);
    case OG_STOPPING_DOUBLING:
        return is_doubling_done(number, at);
    case OG_STOPPING_BETA:
        break;
    }
    assert(false);
    return false;
}

og_status og_stopping_find(const og_stopping *rule, const og_arm *arm, uint64_t memory_bytes,
                           og_stop *stop, bool *done, uint64_t *near, og_message *message)
{
    wald w;
    const bool test = rule->kind == OG_STOPPING_SPRT;
    og_status status = OG_OK;
    if (rule->kind == OG_STOPPING_BETA) {
        return find_sure(rule->number[0], arm, memory_bytes, stop, done, near, message);
    }
    if (test && arm->outcome_count != 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy 'sprt' supports two classes only; an instance has %d",
                              (int)arm->outcome_count);
    }
    if (test) {
        wald_init(rule->number, &w);
    }
    for (uint32_t node = 0; status == OG_OK && node < arm->level[arm->depth]; node++) {
        counted at = count(arm, node);
        done[node] = is_done(rule, &w, &at);
        status = node % LOOK_NODES == 0 && og_stop_asked(stop) ? OG_STOPPED : OG_OK;
    }
    if (test) {
        wald_clear(&w);
    }
    return status;
}
