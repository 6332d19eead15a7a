#ifndef OG_TESTS_FAMILIES_H
#define OG_TESTS_FAMILIES_H

#include <stdbool.h>

#include "bench/families/delayed/delayed.h"
#include "bench/families/features/features.h"
#include "bench/family.h"
#include "bench/questions/compare.h"
#include "dp/prior/problem.h"

/* A problem of a family from instances in numbers, whose budget is -T where the family takes one,
 * and the struct of the family's options or NULL; as og_family.model.open. Borrows all of it. */
og_status family_open(const og_family *family, const og_groups *instances, const void *options,
                      const og_settings *settings, void **problem, og_message *message);

/* Options of small problems: this many workers, arriving twice as fast as one ends a label; three
 * instances with two features. What they point to is constant. */
og_delayed_options delayed_options(int32_t workers);
og_features_options features_options(void);

/* Creates a policy from its name, as og_family.model.strategy. */
og_status family_strategy(const og_family *family, const void *problem, const char *name,
                          const og_settings *settings, og_strategy *out, og_message *message);

/* Computes the value of a named policy (NULL: the optimum), as og_solution.value. Before that, sets
 * *pick (may be NULL) to whether the policy could take the first of the acts. */
og_status family_value(const og_family *family, const void *problem, const char *name, og_ties ties,
                       const og_settings *settings, bool *pick, og_value_found *out,
                       og_message *message);

/* og_compare_run of independent instances: their family and problem are set. */
og_status compare_independent(const og_groups *problem, og_asked *asked, og_comparison *out,
                              og_message *message);

#endif
