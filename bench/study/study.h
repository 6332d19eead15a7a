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
 * A study compares policies on every problem of a grid: priors x numbers of instances x budgets.
 * Its values are set by key, from the command line or a file:
 *
 *   prior          an INSTANCE word without COUNT, "1,1" or "2,1@0.3", perhaps with options of a
 *                  family, or a family's own words (bench/study/study_family.h); each further one
 *                  adds to it
 *   instances      numbers of instances: "2,3,5", "10:50:10" (from, to, step), or both
 *   budget         labels to give, likewise
 *   policies       names separated by commas; "all": every policy that needs no parameter;
 *                  without runs, every such policy that has an exact value
 *   policy         one name, parameter and commas included; adds to the list, like policies
 *   ties           rules, as --ties
 *   policy-states  most states to evaluate one policy exactly, 0: any number
 *   runs           0: exact values and optima; else the number of runs of a simulation
 *   seed           of the runs; with runs only
 *   truth          the truth, as in compare or, with runs, in simulate: prior, beta:A,B,
 *                  list:X,X,...; without runs also a grid of them (bench/truth_grid.h), with a
 *                  cell for each point
 *   believe        A,B, or a grid of them: policies assume this Beta, and labels follow the
 *                  prior; each further one adds to it; only without runs and truth
 *   index-time     most seconds for building one index in simulations
 */
enum { OG_STUDY_KEYS = 12, OG_STUDY_CELLS_MAX = 1000000, OG_STUDY_LEFT_OUT_BYTES = 160 };

typedef struct {
    int32_t prior_count;
    char **priors; /* [prior_count] in the form of og_study_family_format, an INSTANCE word that is
                      a group in that of og_group_format; owned */
    int32_t instances_count;
    int64_t *instances; /* ascending and distinct, like the budgets; owned */
    int32_t budget_count;
    int64_t *budgets;
    int32_t policy_count;
    og_policy_name *policies;               /* names are distinct; owned */
    bool all_policies;                      /* "all" was among them */
    char left_out[OG_STUDY_LEFT_OUT_BYTES]; /* those of "all" that can only be simulated, separated
                                               by commas */
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
    char **laws; /* [law_count] of every problem, after og_study_complete (bench/study/law.h); with
                    runs only one, the truth as given; owned */
    double index_seconds_max;
    bool given[OG_STUDY_KEYS]; /* true for each key that was set, in the order of the list above */
} og_study;

/*
 * Set a key. OG_BAD_INPUT with a message; for an unknown key it lists the valid ones. A zeroed
 * og_study is empty. On error it may hold a part of the given list.
 */
og_status og_study_set(og_study *study, const char *key, const char *text, og_message *message);

/*
 * Read a study file: lines "key = value", with the keys above; empty lines and text after a # are
 * ignored. Keys that were set before the call keep their values, so a command line overrides the
 * file. OG_BAD_INPUT with the path and the line; OG_FAILED if it cannot be read.
 */
og_status og_study_read(const char *path, og_study *study, og_message *message);

/*
 * Set the missing keys to their defaults (policies uniform,kg,opt-kg,gittins-fh,gittins-inf; ties
 * random; policy-states 20000000; runs 0; seed 1; truth prior; index-time 60) and check that the
 * study is complete. OG_BAD_INPUT with a message: no prior, instances or budget; seed without runs;
 * a belief or a grid of truths with runs; invalid words of a family; a tie rule that cannot be
 * simulated; without runs a policy without an exact value, unless it came from "all" (then it is
 * omitted); more than OG_STUDY_CELLS_MAX problems.
 */
og_status og_study_complete(og_study *study, og_message *message);

/* True if nothing is set. */
bool og_study_empty(const og_study *study);

/*
 * The problem of a cell whose prior is a group: `instances` copies of it. Free it with
 * og_groups_clear. OG_BAD_INPUT with a message if a number is out of range.
 */
og_status og_study_problem(const char *prior, int64_t instances, int64_t budget, og_groups *out,
                           og_message *message);

/*
 * The command line's words for the study, "--prior 1,1 --instances 2,3 ...", quoted for a shell and
 * without defaults. The caller frees *text. OG_NO_MEMORY.
 */
og_status og_study_words(const og_study *study, char **text);

void og_study_clear(og_study *study);

#endif
