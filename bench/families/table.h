#ifndef OG_BENCH_FAMILIES_TABLE_H
#define OG_BENCH_FAMILIES_TABLE_H

#include "bench/family.h"

/* All families of problems, independent instances first, up to NULL. A new family is one row here;
 * only commands look into it: what is done with a problem takes the family from its caller. */
extern const og_family *const og_families[];

/* The reader of --problem, a choice; "calls" is what `labels` was called. */
og_option_reader og_problem_option;

/* A family of which this is an objective, and no option need be given; its INSTANCE words are its
 * own. NULL: none, and of NULL. */
const og_family *og_family_of_objective(const char *objective);

#endif
