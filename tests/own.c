#include "tests/own.h"

#include "bench/questions/compare.h"
#include "bench/simulation/simulate.h"
#include "dp/arm/arm.h"
#include "dp/engine/solution.h"
#include "dp/engine/strategy.h"
#include "dp/exact/exact.h"
#include "dp/families/features.h"
#include "dp/prior/problem.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/layers.h"
#include "dp/product/optimum/optimum.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/index/index.h"
#include "heuristics/index/symmetry.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/support.h"

#define POINTER(type_, free_)                                                                      \
    void own_##type_(void *at)                                                                     \
    {                                                                                              \
        free_(*(type_ **)at);                                                                      \
    }
#define VALUE(type_, clear_)                                                                       \
    void own_##type_(void *at)                                                                     \
    {                                                                                              \
        clear_(at);                                                                                \
    }

POINTER(og_arm, og_arm_free)
POINTER(og_arms, og_arms_free)
POINTER(og_blocks, og_blocks_free)
POINTER(og_exact, og_exact_free)
POINTER(og_features, og_features_free)
POINTER(og_index, og_index_free)
POINTER(og_layers, og_layers_free)
POINTER(og_optimum, og_optimum_free)
POINTER(og_ranks, og_ranks_free)
POINTER(og_solver, og_solver_free)
POINTER(og_twins, og_twins_free)
POINTER(oracle_arms, oracle_free)
VALUE(golden_rows, golden_clear)
VALUE(og_comparison, og_comparison_clear)
VALUE(og_groups, og_groups_clear)
VALUE(og_simulation, og_simulation_clear)
VALUE(og_solution, og_solution_free)
VALUE(og_strategy, og_strategy_free)
VALUE(og_upper_bound, og_bound_clear)
VALUE(question, question_free)
