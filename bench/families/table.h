#ifndef OG_BENCH_FAMILIES_TABLE_H
#define OG_BENCH_FAMILIES_TABLE_H

#include "bench/family.h"

/* All families of problems, independent instances first, ended by NULL. A new family is one row
 * here. Only commands use this table; all other code takes the family from its caller. */
extern const og_family *const og_families[];

/* The reader of --problem, a choice; "calls" is what `labels` was called. */
og_option_reader og_problem_option;

/* The family that has this objective and defines its own INSTANCE words, so that no further option
 * is needed. NULL if there is none, or if `objective` is NULL. */
const og_family *og_family_of_objective(const char *objective);

#endif
