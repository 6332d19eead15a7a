/* The plain form of an instance's prior, by which instances are compared, hashed and put together.
 */
#include "dp/prior/problem.h"

#include <stdlib.h>
#include <xxhash.h>

#include "dp/base/wide.h"

static int compare_pairs(og_fraction a, og_fraction b, og_fraction other_a, og_fraction other_b)
{
    int order = og_fraction_compare(a, other_a);
    return order != 0 ? order : og_fraction_compare(b, other_b);
}

static int compare_components(const void *left, const void *right)
{
    const og_component *x = left, *y = right;
    int order = compare_pairs(x->a, x->b, y->a, y->b);
    return order != 0 ? order : og_fraction_compare(x->weight, y->weight);
}

static int compare_nodes(const og_group *x, const og_group *y)
{
    int order = og_node_table_compare(x->nodes, y->nodes);
    return order != 0 ? order : (x->root > y->root) - (x->root < y->root);
}

int og_group_compare(const og_group *x, const og_group *y)
{
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->part_count != y->part_count) {
        return x->part_count < y->part_count ? -1 : 1;
    }
    int order = x->kind == OG_PRIOR_BETA    ? compare_pairs(x->a, x->b, y->a, y->b)
                : x->kind == OG_PRIOR_NODES ? compare_nodes(x, y)
                                            : 0;
    for (int32_t i = 0; order == 0 && i < x->part_count; i++) {
        order = x->kind == OG_PRIOR_DIRICHLET
                    ? og_fraction_compare(x->alpha[i], y->alpha[i])
                    : compare_components(&x->component[i], &y->component[i]);
    }
    order = order != 0 ? order : og_fraction_compare(x->threshold, y->threshold);
    order = order != 0 ? order : og_payoff_compare(&x->payoff, &y->payoff);
    return order != 0 ? order : og_fraction_compare(og_group_bonus(x), og_group_bonus(y));
}

/* Omits payoff and bonus: equal groups may or may not have them given. */
uint64_t og_group_hash(const og_group *group)
{
    og_fraction part[3 * OG_PARTS_MAX + 1] = {group->threshold};
    size_t count = 1;
    if (group->kind == OG_PRIOR_BETA) {
        part[count++] = group->a;
        part[count++] = group->b;
    }
    if (group->kind == OG_PRIOR_NODES) { /* contents are left to the comparison */
        part[count++] = (og_fraction){group->nodes->node_count, group->root};
    }
    for (int32_t i = 0; i < group->part_count; i++) {
        if (group->kind == OG_PRIOR_DIRICHLET) {
            part[count++] = group->alpha[i];
        } else {
            part[count++] = group->component[i].weight;
            part[count++] = group->component[i].a;
            part[count++] = group->component[i].b;
        }
    }
    return XXH3_64bits_withSeed(part, count * sizeof *part, (uint64_t)group->kind);
}

og_fraction og_group_bonus(const og_group *group)
{
    return group->bonus.den == 0 ? (og_fraction){0, 1} : group->bonus;
}

/* Makes the weights whole numbers without a common divisor. */
static bool make_weights_whole(og_group *group)
{
    mpz_t common, divisor, sum, whole[OG_PARTS_MAX];
    mpz_inits(common, divisor, sum, NULL);
    mpz_set_ui(common, 1);
    for (int32_t i = 0; i < group->part_count; i++) {
        og_mpz_lcm(common, common, group->component[i].weight.den);
    }
    for (int32_t i = 0; i < group->part_count; i++) {
        mpz_init(whole[i]);
        og_mpz_divexact(whole[i], common, group->component[i].weight.den);
        og_mpz_mul(whole[i], whole[i], group->component[i].weight.num);
        mpz_gcd(divisor, divisor, whole[i]);
        mpz_add(sum, sum, whole[i]);
    }
    mpz_divexact(sum, sum, divisor);
    og_mpz_set(common, OG_FRACTION_MAX);
    bool fits = mpz_cmp(sum, common) <= 0;
    for (int32_t i = 0; i < group->part_count; i++) {
        if (fits) {
            mpz_divexact(whole[i], whole[i], divisor);
            group->component[i].weight = (og_fraction){og_mpz_get_wide(whole[i]), 1};
        }
        mpz_clear(whole[i]);
    }
    mpz_clears(common, divisor, sum, NULL);
    return fits;
}

/* Merges equal components; the weights are whole and their sum fits. */
static void merge_components(og_group *group)
{
    int32_t kept = 0;
    for (int32_t i = 1; i < group->part_count; i++) {
        og_component *last = &group->component[kept], *next = &group->component[i];
        if (compare_pairs(last->a, last->b, next->a, next->b) == 0) {
            last->weight.num += next->weight.num;
        } else {
            group->component[++kept] = *next;
        }
    }
    group->part_count = kept + 1;
}

bool og_group_plain(const og_group *group, og_group *out)
{
    *out = *group;
    if (group->kind != OG_PRIOR_MIXTURE) {
        return true;
    }
    if (!make_weights_whole(out)) {
        return false;
    }
    qsort(out->component, (size_t)out->part_count, sizeof *out->component, compare_components);
    merge_components(out);
    /* Weights such as 1 and 1, merged into one component of weight 2, still have a divisor. */
    make_weights_whole(out);
    if (out->part_count == 1) {
        *out = (og_group){.a = out->component[0].a,
                          .b = out->component[0].b,
                          .threshold = out->threshold,
                          .count = out->count,
                          .payoff = out->payoff,
                          .bonus = out->bonus};
    }
    return true;
}

double og_group_weight_sum(const og_group *group)
{
    double sum = 0;
    if (group->kind != OG_PRIOR_MIXTURE) {
        return 1;
    }
    for (int32_t i = 0; i < group->part_count; i++) {
        sum += og_fraction_double(group->component[i].weight);
    }
    return sum;
}
