#include "tests/oracle_assignment.h"

#include <math.h>

static long double number(og_fraction fractions)
{
    return (long double)fractions.num / fractions.den;
}

/* The chance that n labels of a worker in a context are ok times right. */
static long double factor(const oracle_tasks *oracle, int32_t s, int32_t j, int32_t n, int32_t ok)
{
    const og_fraction *pair = oracle->accuracy[s * oracle->workers + j];
    long double product = 1, c = number(pair[0]), d = oracle->known ? 0 : number(pair[1]);
    for (int32_t k = 0; k < n; k++) {
        if (oracle->known) {
            product *= k < ok ? c : 1 - c;
        } else {
            product *= (k < ok ? c + k : d + k - ok) / (c + d + k);
        }
    }
    return product;
}

/* The chance of the labels and of these truths, bit i set where task i is +. */
static long double joint(const oracle_tasks *oracle, const oracle_table *at, uint32_t truths)
{
    long double product = ldexpl(1, -oracle->tasks);
    for (int32_t s = 0; s < oracle->contexts; s++) {
        for (int32_t j = 0; j < oracle->workers; j++) {
            int32_t n = 0, ok = 0;
            for (int32_t i = 0; i < oracle->tasks; i++) {
                int8_t y = at->label[i][j];
                if (oracle->context[i] == s && y != 0) {
                    n++;
                    ok += y == ((truths >> i & 1) != 0 ? 1 : -1);
                }
            }
            product *= factor(oracle, s, j, n, ok);
        }
    }
    return product;
}

long double oracle_evidence(const oracle_tasks *oracle, const oracle_table *at, int32_t i)
{
    long double sum = 0;
    for (uint32_t truths = 0; truths < 1U << oracle->tasks; truths++) {
        if (i < 0 || (truths >> i & 1) != 0) {
            sum += joint(oracle, at, truths);
        }
    }
    return sum;
}

long double oracle_called(const oracle_tasks *oracle, const oracle_table *at)
{
    long double sum = 0, all = oracle_evidence(oracle, at, -1);
    for (int32_t i = 0; i < oracle->tasks; i++) {
        long double plus = oracle_evidence(oracle, at, i);
        sum += fmaxl(plus, all - plus);
    }
    return sum / oracle->tasks;
}

long double oracle_assignment_asked(const oracle_tasks *oracle, const oracle_table *at,
                                    int32_t left, int32_t cell, oracle_cells *by)
{
    long double sum = 0;
    for (int8_t y = -1; y <= 1; y += 2) {
        oracle_table after = *at;
        after.label[cell / oracle->workers][cell % oracle->workers] = y;
        sum += oracle_assignment(oracle, &after, left - 1, by);
    }
    return sum;
}

long double oracle_assignment(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                              oracle_cells *by)
{
    int32_t cell[ORACLE_TASKS * ORACLE_WORKERS], count = 0, tied = 0;
    double answer[ORACLE_TASKS * ORACLE_WORKERS], largest = -INFINITY;
    long double sum = 0, best = -INFINITY;
    for (int32_t k = 0; left > 0 && k < oracle->tasks * oracle->workers; k++) {
        if (at->label[k / oracle->workers][k % oracle->workers] == 0) {
            cell[count++] = k;
        }
    }
    if (count == 0) {
        return oracle_called(oracle, at);
    }
    if (by == NULL) {
        for (int32_t k = 0; k < count; k++) {
            best = fmaxl(best, oracle_assignment_asked(oracle, at, left, cell[k], NULL));
        }
        return best;
    }
    by(oracle, at, left, cell, count, answer);
    for (int32_t k = 0; k < count; k++) {
        largest = fmax(largest, answer[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        if (answer[k] == largest) {
            sum += oracle_assignment_asked(oracle, at, left, cell[k], by);
            tied++;
        }
    }
    return sum / tied;
}
