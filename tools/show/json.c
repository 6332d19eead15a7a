/* JSON through Jansson; without memory the program ends here. */
#include "tools/show/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/show/number.h"

static void check(int failed)
{
    if (failed) {
        fputs("optgap: out of memory\n", stderr);
        _exit(1); /* nothing was printed yet */
    }
}

static json_t *checked(json_t *value)
{
    check(value == NULL);
    return value;
}

json_t *object_new(void)
{
    return checked(json_object());
}

json_t *array_new(void)
{
    return checked(json_array());
}

void object_put(json_t *object, const char *key, json_t *value)
{
    check(json_object_set_new(object, key, value) != 0);
}

void array_add(json_t *array, json_t *value)
{
    check(json_array_append_new(array, value) != 0);
}

json_t *real(double value)
{
    return isfinite(value) ? checked(json_real(value)) : json_null();
}

json_t *whole(uint64_t value)
{
    return checked(json_integer((json_int_t)value));
}

json_t *phrase(const char *words)
{
    return checked(json_string(words));
}

json_t *reals(const double *values, int32_t count)
{
    json_t *array = array_new();
    for (int32_t i = 0; i < count; i++) {
        array_add(array, real(values[i]));
    }
    return array;
}

/* [weight, a, b] for every component, the weights adding up to 1. */
static json_t *components(const og_group *group)
{
    json_t *array = array_new();
    double sum = og_group_weight_sum(group);
    for (int32_t i = 0; i < group->part_count; i++) {
        const og_component *part = &group->component[i];
        double values[] = {og_fraction_double(part->weight) / sum, og_fraction_double(part->a),
                           og_fraction_double(part->b)};
        array_add(array, reals(values, 3));
    }
    return array;
}

json_t *parameters(const og_group *group)
{
    double values[OG_CLASSES_MAX] = {og_fraction_double(group->a), og_fraction_double(group->b)};
    if (group->kind == OG_PRIOR_MIXTURE) {
        return components(group);
    }
    for (int32_t i = 0; i < group->part_count; i++) {
        values[i] = og_fraction_double(group->alpha[i]);
    }
    return reals(values, group->kind == OG_PRIOR_BETA ? 2 : group->part_count);
}

json_t *instance(const og_group *group, const char *key)
{
    char words[OG_GROUP_TEXT_BYTES];
    json_t *object = object_new();
    og_group_format(group, words, sizeof words);
    object_put(object, "text", phrase(words));
    object_put(object, key, parameters(group));
    object_put(object, "count", whole((uint64_t)group->count));
    bool classes = group->kind == OG_PRIOR_DIRICHLET;
    object_put(object, "threshold",
               classes ? checked(json_null()) : real(og_fraction_double(group->threshold)));
    return object;
}

json_t *problem_json(const og_problem *problem)
{
    json_t *object = object_new();
    json_t *instances = array_new();
    for (int32_t i = 0; i < problem->group_count; i++) {
        array_add(instances, instance(&problem->groups[i], "prior"));
    }
    object_put(object, "instances", instances);
    object_put(object, "budget", whole((uint64_t)problem->budget));
    object_put(object, "objective",
               phrase(problem->objective == OG_OBJECTIVE_BANDIT ? "bandit" : "calls"));
    return object;
}

json_t *fraction_json(mpq_srcptr value)
{
    if (value == NULL) {
        return json_null();
    }
    char *text = fraction_text(value);
    json_t *words = phrase(text);
    free(text);
    return words;
}

json_t *optimal_json(const og_result *result, bool exact, mpq_srcptr value, mpq_srcptr gain)
{
    json_t *object = object_new();
    object_put(object, "value", real(result->value));
    object_put(object, "gain", real(result->gain));
    if (exact) {
        object_put(object, "value_exact", fraction_json(value));
        object_put(object, "gain_exact", fraction_json(gain));
    }
    object_put(object, "error_bound", real(result->error_bound));
    object_put(object, "accuracy", phrase(exact ? "exact" : "double"));
    object_put(object, "states", whole(result->states));
    object_put(object, "forgotten", whole(result->forgotten));
    object_put(object, "memory_bytes", whole(result->memory_bytes));
    object_put(object, "seconds", real(result->seconds));
    return object;
}

static json_t *bound_json(const og_bound *bound)
{
    json_t *object = object_new();
    object_put(object, "value", real(bound->value));
    object_put(object, "error_bound", real(bound->error));
    object_put(object, "converged", json_boolean(bound->converged));
    return object;
}

/* At one price, or at one for each label. */
static void put_fractions(json_t *object, const og_exact_bound *bound, bool many)
{
    json_t *prices = many ? array_new() : NULL;
    object_put(object, "value_exact", fraction_json(og_exact_bound_value(bound)));
    for (int32_t i = 0; many && i < bound->price_count; i++) {
        array_add(prices, fraction_json(bound->number[i]));
    }
    if (!many) {
        object_put(object, "price_exact",
                   fraction_json(bound->number != NULL ? bound->number[0] : NULL));
    } else if (bound->number != NULL) {
        object_put(object, "prices_exact", prices);
    } else {
        json_decref(prices);
        object_put(object, "prices_exact", json_null());
    }
}

json_t *bounds_json(const og_bound *scalar, const og_bound *vector, const og_bound *prevailing,
                    const og_exact_bound *scalar_exact, const og_exact_bound *vector_exact)
{
    json_t *bounds = object_new();
    json_t *one = bound_json(scalar);
    json_t *many = bound_json(vector);
    object_put(one, "price", real(scalar->price != NULL ? scalar->price[0] : NAN));
    object_put(many, "prices", reals(vector->price, vector->price_count));
    json_t *charge = bound_json(prevailing);
    if (scalar_exact != NULL) {
        put_fractions(one, scalar_exact, false);
        put_fractions(many, vector_exact, true);
        object_put(charge, "value_exact", json_null());
    }
    object_put(bounds, "lagrangian_scalar", one);
    object_put(bounds, "lagrangian_vector", many);
    object_put(bounds, "prevailing_charge", charge);
    return bounds;
}

void document_print(json_t *document)
{
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    check(text == NULL);
    puts(text);
    free(text);
    json_decref(document);
}
