#ifndef OG_BENCH_STUDY_STUDY_H
#define OG_BENCH_STUDY_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/truth.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * What a study compares: policies on every problem of a grid, priors x numbers of instances x
 * budgets. Its values are set by key, from the command line and from a file alike:
 *
 *   prior          an INSTANCE word without COUNT, "1,1" or "2,1@0.3", perhaps with options of a
 *                  family, or a family's own words (bench/study/study_family.h); each further one
 *                  adds to it
 *   instances      numbers of instances: "2,3,5", "10:50:10" (from, to, step), or both
 *   budget         labels to give, likewise
 *   policies       names with commas between them; "all": every policy that needs no parameter;
 *                  without runs, every such policy that has an exact value
 *   policy         one name, parameter and commas included; adds to the list, like policies
 *   ties           rules, as --ties
 *   max-policy-states  most states of one policy's exact valuation, 0: any number
 *   runs           0: exact values and optima; else policies are played so many times
 *   seed           of the runs; with runs only
 *   truth          by what labels fall, as in compare and, with runs, in simulate: prior, beta:A,B,
 *                  list:X,X,...; without runs also a grid of them (bench/truth_grid.h), each point
 *                  of which is a cell of its own
 *   assume         A,B, or a grid of them: policies believe in this Beta, labels falling by the
 *                  prior; each further one adds to it; without runs and truth only
 *   max-index-time most seconds for making one index that is played
 */
enum { OG_STUDY_KEYS = 12, OG_STUDY_CELLS_MAX = 1000000, OG_STUDY_LEFT_OUT_BYTES = 160 };

typedef struct {
    int32_t prior_count;
    char **priors; /* [prior_count] as og_study_family_format writes them, an INSTANCE word that is
                      a group as og_group_format does; owned */
    int32_t instances_count;
    int64_t *instances; /* ascending, no two alike, like the budgets; owned */
    int32_t budget_count;
    int64_t *budgets;
    int32_t policy_count;
    og_policy_name *policies;               /* no two of one name; owned */
    bool all_policies;                      /* "all" was among them */
    char left_out[OG_STUDY_LEFT_OUT_BYTES]; /* those of "all" that only runs could value, commas
                                               between */
    int32_t ties_count;
    og_ties ties[OG_TIES_COUNT];
    uint64_t policy_states_max;
    int64_t runs;
    uint64_t seed;
    og_truth truth;
    char *truth_text; /* as given; owned */
    int32_t belief_count;
    char **beliefs; /* [belief_count] as given; owned */
    int32_t law_count;
    char **laws; /* [law_count] of every problem, once the study is complete (bench/study/law.h);
                    with runs one, the truth as given; owned */
    double index_seconds_max;
    bool given[OG_STUDY_KEYS]; /* which keys were set, in the order of the list above */
} og_study;

/*
 * Set a key. OG_BAD_INPUT with a message that names what is wrong, with the known keys where this
 * one is not. A zeroed og_study is empty. On error it may hold a part of the list that was given.
 */
og_status og_study_set(og_study *study, const char *key, const char *text, og_message *message);

/*
 * Read a study file: lines "key = value", keys as above; empty lines and what follows a # say
 * nothing. Keys that were set before the call keep their values, so that a command line goes before
 * the file. OG_BAD_INPUT with the path and the line; OG_FAILED where it cannot be read.
 */
og_status og_study_read(const char *path, og_study *study, og_message *message);

/*
 * Give the keys that are not set their defaults (policies uniform,kg,opt-kg,gittins-fh,gittins-inf;
 * ties random; policy-states 20000000; runs 0; seed 1; truth prior; index-time 60) and check that
 * the study is whole. OG_BAD_INPUT with a message: no prior, instances or budget; seed
 * without runs; a belief or a grid of truths with them; a family's words that are wrong; a tie rule
 * that cannot be played; a policy without an exact value where there are no runs, unless it came
 * with "all" (then it is left out); more than OG_STUDY_CELLS_MAX problems.
 */
og_status og_study_complete(og_study *study, og_message *message);

/*
 * The problem of one cell of a prior that is a group: `instances` times it. Free it with
 * og_groups_clear. OG_BAD_INPUT with a message where one of the numbers is out of range.
 */
og_status og_study_problem(const char *prior, int64_t instances, int64_t budget, og_groups *out,
                           og_message *message);

/*
 * The command line's words for the study, "--prior 1,1 --instances 2,3 ...", quoted for a shell;
 * without what is the default. *text is the caller's to free. OG_NO_MEMORY.
 */
og_status og_study_words(const og_study *study, char **text);

void og_study_clear(og_study *study);

#endif
