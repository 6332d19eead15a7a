#ifndef OG_TESTS_SEARCH_PROBLEM_H
#define OG_TESTS_SEARCH_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/engine/model.h"
#include "dp/engine/solution.h"
#include "dp/engine/strategy.h"

/*
 * A problem that lives in the tests alone: a thing lies in one of a few boxes, a look into its box
 * finds it with some chance and costs something, and in the end one box is named. An act is a box,
 * an answer 1 where the thing is found. Masses need not add up to 1: values are as large then.
 */
enum { BOXES = 3 };

typedef struct {
    int boxes, looks;
    double mass[BOXES];  /* of the thing in each box; boxes alike stand together */
    double found[BOXES]; /* the chance that a look finds it, where it is there */
    double cost;         /* of a look */
} search;

#define SEARCH_ROUNDING 1e-12

/* What a strategy is shown. */
typedef struct {
    int left;
    int looks[BOXES];
    bool found; /* it has just been found, in the box... */
    int box;
} shown;

/* Of the thing where these looks into its box found nothing; of all boxes; the largest; and that of
 * the box with the largest score, drawn at random where several have it. */
double mass_of(const search *items, const int *looks, int box);
double whole_mass(const search *boxes, const int *looks);
double largest_mass(const search *boxes, const int *looks);
double named_mass(const search *boxes, const int *looks, const double *score);

/* For og_solution_by_engine. Copies *boxes. */
og_model search_model(const search *boxes, const og_value_asked *question);

#endif
