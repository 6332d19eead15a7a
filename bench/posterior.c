/* A posterior in words. */
#include "bench/posterior.h"

#include <stdio.h>

og_group og_posterior_group(const og_arm *arm, uint32_t node)
{
    og_group group = *og_arm_prior(arm);
    og_fraction parameter[OG_CLASSES_MAX];
    group.count = 1;
    switch (group.kind) {
    case OG_PRIOR_BETA:
        og_arm_posterior(arm, node, parameter);
        group.a = parameter[0];
        group.b = parameter[1];
        break;
    case OG_PRIOR_DIRICHLET:
        og_arm_posterior(arm, node, parameter);
        for (int32_t i = 0; i < group.part_count; i++) {
            group.alpha[i] = parameter[i];
        }
        break;
    case OG_PRIOR_MIXTURE:
    case OG_PRIOR_COINS: /* of workers, not of arms */
    case OG_PRIOR_NODES:
        break;
    }
    return group;
}

void og_posterior_format(const og_arm *arm, uint32_t node, char *words, size_t size)
{
    if (og_arm_node_name(arm, node) != NULL) {
        snprintf(words, size, "%s", og_arm_node_name(arm, node));
        return;
    }
    og_group group = og_posterior_group(arm, node);
    int32_t counts[OG_CLASSES_MAX];
    int length = og_group_format(&group, words, size);
    if (group.kind == OG_PRIOR_MIXTURE && node > 0 && length >= 0 && (size_t)length < size) {
        og_arm_counts(arm, node, counts);
        snprintf(words + length, size - (size_t)length, " after %d+ %d-", counts[0], counts[1]);
    }
}

void og_label_format(const og_arm *arm, uint32_t node, int32_t label, char *words, size_t size)
{
    const char *name = og_arm_outcome_name(arm, node, label);
    if (name != NULL) {
        snprintf(words, size, "%s", name);
    } else if (arm->outcome_count == 2) {
        snprintf(words, size, "%s", label == 0 ? "+" : "-");
    } else {
        snprintf(words, size, "%d", label + 1);
    }
}
