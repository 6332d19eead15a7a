#ifndef OG_TESTS_OWN_H
#define OG_TESTS_OWN_H

/*
 * Objects that are freed where their block ends, and values that are cleared there, the last one
 * first: OWN(og_arms) *arms = ...; OWN(og_groups) problem;
 */
#define OWN(type_) __attribute__((cleanup(own_##type_))) type_

void own_golden_rows(void *at);
void own_og_arm(void *at);
void own_og_arms(void *at);
void own_og_blocks(void *at);
void own_og_comparison(void *at);
void own_og_exact(void *at);
void own_og_features(void *at);
void own_og_groups(void *at);
void own_og_index(void *at);
void own_og_layers(void *at);
void own_og_optimum(void *at);
void own_og_ranks(void *at);
void own_og_simulation(void *at);
void own_og_solution(void *at);
void own_og_solver(void *at);
void own_og_strategy(void *at);
void own_og_twins(void *at);
void own_og_upper_bound(void *at);
void own_oracle_arms(void *at);
void own_question(void *at);

#endif
