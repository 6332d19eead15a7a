/*
 * Draws soft labels for simulations. GSL's rejection sampling needs a varying number of uniform
 * numbers for a Beta variate. Each (run, instance) has a separate stream, so this number does not
 * matter.
 */
#include "bench/truth.h"

#include <float.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"

static const og_fraction zero = {0, 1}, one = {1, 1};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static og_status parse_beta(const char *text, og_truth *out, og_message *message)
{
    const char *comma = strchr(text, ',');
    og_group group = {.threshold = {1, 2}, .count = 1};
    if (comma == NULL || og_fraction_parse(text, (size_t)(comma - text), &group.a) != OG_OK ||
        og_fraction_parse(comma + 1, strlen(comma + 1), &group.b) != OG_OK) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--truth must be beta:A,B with two numbers, such as beta:4,1, not 'beta:%.64s'", text);
    }
    og_message fault = {""};
    if (og_group_check(&group, 0, &fault) != OG_OK) {
        return og_message_set(message, OG_BAD_INPUT, "--truth beta:%.64s: %.300s", text,
                              fault.text);
    }
    *out = (og_truth){.kind = OG_TRUTH_BETA, .a = group.a, .b = group.b};
    return OG_OK;
}

static og_status parse_uniform(const char *text, og_truth *out, og_message *message)
{
    size_t length = strcspn(text, ",");
    og_fraction low, high;
    if (text[length] != ',' || og_fraction_parse(text, length, &low) != OG_OK ||
        og_fraction_parse(text + length + 1, strlen(text + length + 1), &high) != OG_OK ||
        og_fraction_compare(low, high) > 0 || og_fraction_compare(high, one) > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth must be uniform:LO,HI with 0 <= LO <= HI <= 1, such as "
                              "uniform:0.6,1, not 'uniform:%.64s'",
                              text);
    }
    *out = (og_truth){.kind = OG_TRUTH_UNIFORM, .a = low, .b = high};
    return OG_OK;
}

static og_status parse_list(const char *text, og_truth_kind kind, og_truth *out,
                            og_message *message)
{
    int64_t count = 1;
    for (const char *at = text; *at != '\0'; at++) {
        count += *at == ',';
    }
    og_fraction *soft = malloc((size_t)count * sizeof *soft);
    if (soft == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for the list of soft labels");
    }
    const char *word = text;
    for (int64_t i = 0; i < count; i++) {
        size_t length = strcspn(word, ",");
        if (og_fraction_parse(word, length, &soft[i]) != OG_OK ||
            og_fraction_compare(soft[i], zero) < 0) {
            free(soft);
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: number %" PRId64
                                  " must be a decimal of at least 0, not '%.*s'",
                                  i + 1, length < 64 ? (int)length : 64, word);
        }
        word += length + 1;
    }
    *out = (og_truth){.kind = kind, .count = count, .soft = soft};
    return OG_OK;
}

static og_status parse_part(const char *text, og_truth *out, og_message *message)
{
    if (strcmp(text, "prior") == 0) {
        *out = (og_truth){.kind = OG_TRUTH_PRIOR};
        return OG_OK;
    }
    if (has_prefix(text, "beta:")) {
        return parse_beta(text + strlen("beta:"), out, message);
    }
    if (has_prefix(text, "list:")) {
        return parse_list(text + strlen("list:"), OG_TRUTH_LIST, out, message);
    }
    if (has_prefix(text, "dirichlet:")) {
        return parse_list(text + strlen("dirichlet:"), OG_TRUTH_DIRICHLET, out, message);
    }
    if (has_prefix(text, "uniform:")) {
        return parse_uniform(text + strlen("uniform:"), out, message);
    }
    if (has_prefix(text, "grid:")) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth grid:... is supported only by compare");
    }
    if (*text != '\0' && text[strspn(text, "0123456789.,/")] == '\0') {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth is list:X,X,... for the soft labels of instances; write "
                              "list:%.64s",
                              text);
    }
    return og_message_set(
        message, OG_BAD_INPUT,
        "--truth must be prior, beta:A,B or list:X,X,..., with --problem ranking also "
        "dirichlet:A,A,..., workers:A,B or workers-list:X,X,..., with --problem labelers "
        "uniform:LO,HI, not '%.64s'",
        text);
}

static og_status parse_workers(const char *text, og_truth *out, og_message *message)
{
    out->workers = calloc(1, sizeof *out->workers);
    OG_TRY(OG_ALLOCATED(out->workers));
    return has_prefix(text, "workers:")
               ? parse_beta(text + strlen("workers:"), out->workers, message)
               : parse_list(text + strlen("workers-list:"), OG_TRUTH_LIST, out->workers, message);
}

og_status og_truth_parse(const char *text, og_truth *out, og_message *message)
{
    const char *workers = strstr(text, "workers");
    size_t length = workers != NULL ? (size_t)(workers - text) : strlen(text);
    og_truth found = {.kind = OG_TRUTH_PRIOR};
    og_status status = OG_OK;
    if (workers != NULL &&
        (!(has_prefix(workers, "workers:") || has_prefix(workers, "workers-list:")) ||
         (length > 0 && text[length - 1] != ' '))) {
        return parse_part(text, out, message); /* writes the message */
    }
    if (length > 0) {
        char *part = strndup(text, workers != NULL ? length - 1 : length);
        status = part != NULL ? parse_part(part, &found, message) : OG_NO_MEMORY;
        free(part);
    } else if (workers == NULL) {
        status = parse_part(text, &found, message);
    }
    if (status == OG_OK && workers != NULL) {
        status = parse_workers(workers, &found, message);
    }
    if (status == OG_OK) {
        *out = found;
    } else {
        og_truth_clear(&found);
    }
    return status;
}

og_status og_belief_parse(const char *text, og_group *out, og_message *message)
{
    og_group belief;
    og_message fault = {""};
    bool plain = strpbrk(text, "x@") == NULL;
    if (!plain || og_group_parse(text, &belief, &fault) != OG_OK || belief.kind != OG_PRIOR_BETA) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--assume must be A,B, one prior for all instances, such as 2,1, not '%.64s'", text);
    }
    *out = belief;
    return OG_OK;
}

static og_status check_soft(const og_truth *truth, og_message *message)
{
    char number[48];
    for (int64_t i = 0; i < truth->count; i++) {
        if (og_fraction_compare(truth->soft[i], one) > 0) {
            og_fraction_format(truth->soft[i], number, sizeof number);
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: soft label %" PRId64 " must be from 0 to 1, not '%s'",
                                  i + 1, number);
        }
    }
    return OG_OK;
}

og_status og_truth_check_list(const og_truth *truth, int64_t count, const char *what,
                              const char *name, og_message *message)
{
    if (truth == NULL || truth->kind != OG_TRUTH_LIST) {
        return OG_OK;
    }
    if (truth->count != count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth lists %" PRId64 " numbers, but there are %" PRId64 " %s",
                              truth->count, count, name);
    }
    for (int64_t i = 0; i < truth->count; i++) {
        if (og_fraction_compare(truth->soft[i], one) > 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: the %s %" PRId64 " must be from 0 to 1", what, i + 1);
        }
    }
    return OG_OK;
}

bool og_truth_is_prior(const og_truth *truth)
{
    return truth == NULL || (truth->kind == OG_TRUTH_PRIOR && truth->workers == NULL);
}

og_status og_truth_for_labelers(const og_truth *truth, og_message *message)
{
    return truth == NULL || truth->kind != OG_TRUTH_UNIFORM
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--truth uniform:LO,HI requires --problem labelers");
}

og_status og_truth_check(const og_truth *truth, const og_groups *problem, og_message *message)
{
    int64_t size = og_groups_size(problem);
    OG_TRY(og_truth_for_labelers(truth, message));
    if (truth->kind == OG_TRUTH_DIRICHLET || truth->workers != NULL) {
        return og_message_set(message, OG_BAD_INPUT, "--truth %s requires --problem ranking",
                              truth->workers != NULL ? "workers:A,B" : "dirichlet:A,A,...");
    }
    for (int32_t g = 0; truth->kind != OG_TRUTH_PRIOR && g < problem->group_count; g++) {
        if (og_groups_at(problem, g)->kind == OG_PRIOR_NODES) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth needs instances with a prior; arm:%.200s has none",
                                  og_groups_at(problem, g)->nodes->name);
        }
        if (og_groups_at(problem, g)->kind == OG_PRIOR_DIRICHLET) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "several classes support only --truth prior; omit --truth");
        }
    }
    OG_TRY(check_soft(truth, message));
    if (truth->kind != OG_TRUTH_LIST || truth->count == size) {
        return OG_OK;
    }
    return og_message_set(
        message, OG_BAD_INPUT,
        "--truth lists %" PRId64 " soft label%s, but there %s %" PRId64 " instance%s", truth->count,
        truth->count == 1 ? "" : "s", size == 1 ? "is" : "are", size, size == 1 ? "" : "s");
}

static uint64_t stream_next(void *state)
{
    og_draw_place *place = state;
    return og_draw(place->seed, place->purpose, place->run, place->instance, place->number++);
}

static void stream_set(void *state, unsigned long seed)
{
    (void)seed; /* GSL sets a seed when it creates a generator; here the address replaces it */
    (void)state;
}

static unsigned long stream_get(void *state)
{
    return (uint32_t)stream_next(state);
}

static double stream_unit(void *state)
{
    return og_draw_unit(stream_next(state));
}

static const gsl_rng_type stream_type = {
    .name = "philox4x32-10",
    .max = UINT32_MAX,
    .min = 0,
    .size = sizeof(og_draw_place),
    .set = stream_set,
    .get = stream_get,
    .get_double = stream_unit,
};

/* Draw a component with probability proportional to its weight. */
static const og_component *draw_component(const og_group *group, og_draw_place *place)
{
    double left = stream_unit(place) * og_group_weight_sum(group);
    int32_t m = 0;
    for (; m + 1 < group->part_count; m++) {
        left -= og_fraction_double(group->component[m].weight);
        if (left < 0) {
            break;
        }
    }
    return &group->component[m];
}

double og_beta_draw(double a, double b, const og_draw_place *from)
{
    og_draw_place place = *from;
    gsl_rng generator = {.type = &stream_type, .state = &place};
    if (a == 1 && b == 1) {
        return stream_unit(&place);
    }
    return gsl_ran_beta(&generator, a, b);
}

double og_gamma_draw(double a, const og_draw_place *from)
{
    og_draw_place place = *from;
    gsl_rng generator = {.type = &stream_type, .state = &place};
    return fmax(gsl_ran_gamma(&generator, a, 1), DBL_MIN);
}

double og_truth_draw(const og_truth *truth, const og_group *group, uint64_t seed, uint64_t run,
                     uint32_t instance)
{
    og_draw_place at = {seed, OG_DRAW_TRUTH, run, instance, 0};
    og_fraction a = truth->a, b = truth->b;
    if (truth->kind == OG_TRUTH_PRIOR) {
        a = group->a;
        b = group->b;
        if (group->kind == OG_PRIOR_MIXTURE) {
            const og_component *part = draw_component(group, &at);
            a = part->a;
            b = part->b;
        }
    }
    return og_beta_draw(og_fraction_double(a), og_fraction_double(b), &at);
}

int32_t og_truth_draw_classes(const og_group *group, uint64_t seed, uint64_t run, uint32_t instance,
                              double *cut)
{
    og_draw_place place = {seed, OG_DRAW_TRUTH, run, instance, 0};
    gsl_rng generator = {.type = &stream_type, .state = &place};
    double alpha[OG_CLASSES_MAX] = {0}, share[OG_CLASSES_MAX] = {0}, sum = 0;
    int32_t classes = group->part_count, largest = 0;
    for (int32_t c = 0; c < classes; c++) {
        alpha[c] = og_fraction_double(group->alpha[c]);
    }
    gsl_ran_dirichlet(&generator, (size_t)classes, alpha, share);
    for (int32_t c = 0; c < classes; c++) {
        largest = share[c] > share[largest] ? c : largest;
        sum += share[c];
        if (c + 1 < classes) {
            cut[c] = sum;
        }
    }
    return largest;
}

void og_truth_clear(og_truth *truth)
{
    if (truth->workers != NULL) {
        free(truth->workers->soft);
        free(truth->workers);
    }
    free(truth->soft);
    *truth = (og_truth){0};
}
