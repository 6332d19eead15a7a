#ifndef OG_DP_FAMILIES_LABELERS_RULE_H
#define OG_DP_FAMILIES_LABELERS_RULE_H

#include "dp/families/labelers_game.h"
#include "dp/families/labelers_number.h"

/*
 * Everybody votes, and the label is the likelier one given all votes so far: a sum over how often
 * each outcome occurs, in numbers of one kind (private to dp/families/). It is a template like
 * dp/families/labelers_sums.h. An outcome is a set of votes up to their complement, with a one as
 * the last labeler's vote: it is given by the bits of the others.
 */
typedef struct {
    og_arena arena;
    int32_t count, tasks; /* labelers, and the most tasks before the one that is labelled */
    size_t hypotheses, kinds;
    number *own;       /* [2^count * hypotheses] probabilities of votes if the label is a one */
    number *mass;      /* [(kinds + 1) * hypotheses] of the outcomes before each */
    number *temporary; /* [3] the last is 0 */
    number *sum;       /* [kinds + 1] partial sums by levels, so that rounding stays small */
    og_stop *stop;
} rule;

/* Adds the next task's label, given the masses before kind `kinds`. */
static void rule_label(rule *r)
{
    number *mass = &r->mass[r->kinds * r->hypotheses];
    size_t all = 2 * r->kinds - 1;
    for (size_t x = 0; x < r->kinds; x++) {
        for (size_t way = 0; way < 2; way++) {
            number *own = &r->own[(way == 0 ? x : all ^ x) * r->hypotheses];
            number_set(r->temporary[way], r->temporary[2]);
            for (size_t h = 0; h < r->hypotheses; h++) {
                number_add_product(r->temporary[way], mass[h], own[h]);
            }
        }
        bool more = number_compare(r->temporary[0], r->temporary[1]) > 0;
        number_add(r->sum[r->kinds], r->sum[r->kinds], r->temporary[more ? 0 : 1]);
    }
}

/* Walks over all counts of the kinds from `kind` on, after `before` tasks. */
static void rule_walk(rule *r, size_t kind, int32_t before)
{
    size_t all = 2 * r->kinds - 1;
    number *mass = &r->mass[kind * r->hypotheses], *next = mass + r->hypotheses;
    number factor;
    number_set(r->sum[kind], r->temporary[2]);
    if (kind == r->kinds) {
        rule_label(r);
        return;
    }
    number_init(factor);
    for (size_t h = 0; h < r->hypotheses; h++) {
        number_set(next[h], mass[h]);
    }
    rule_walk(r, kind + 1, before);
    number_add(r->sum[kind], r->sum[kind], r->sum[kind + 1]);
    for (int32_t n = 1; before + n <= r->tasks && !og_stop_asked(r->stop); n++) {
        for (size_t h = 0; h < r->hypotheses; h++) {
            number_add(factor, r->own[kind * r->hypotheses + h],
                       r->own[(all ^ kind) * r->hypotheses + h]);
            number_multiply(next[h], next[h], factor);
            number_set_ratio(factor, before + n, n);
            number_multiply(next[h], next[h], factor);
        }
        rule_walk(r, kind + 1, before + n);
        number_add(r->sum[kind], r->sum[kind], r->sum[kind + 1]);
    }
    number_clear(factor);
}

static void rule_fill(rule *r, const og_labelers_prior *prior)
{
    number chance;
    number_init(chance);
    for (size_t h = 0; h < r->hypotheses; h++) {
        for (size_t x = 0; x < 2 * r->kinds; x++) {
            number_out own = r->own[x * r->hypotheses + h];
            number_set_ratio(own, 1, 1);
            for (int32_t i = 0; i < r->count; i++) {
                number_set_chance(chance, &prior->at[h], i, (x >> i & 1) != 0);
                number_multiply(own, own, chance);
            }
        }
    }
    number_clear(chance);
}

/* Steps of rule_walk, times the number of hypotheses. */
static double rule_steps(const og_labelers_problem *game)
{
    double kinds = exp2(game->prior->count - 1), tasks = game->rules.budget - 1, states = 1;
    for (int32_t k = 1; k <= kinds; k++) {
        states *= (tasks + k) / k;
    }
    return states * (2 * kinds + 1) * game->prior->hypotheses;
}

/* The caller fills mass[hypotheses]. */
static og_status rule_init(rule *r, const og_labelers_problem *game, og_stop *stop)
{
    *r = (rule){.count = game->prior->count,
                .tasks = game->rules.budget - 1,
                .hypotheses = (size_t)game->prior->hypotheses,
                .kinds = (size_t)1 << (game->prior->count - 1),
                .stop = stop};
    r->own = numbers_new(&r->arena, 2 * r->kinds * r->hypotheses);
    r->mass = numbers_new(&r->arena, (r->kinds + 1) * r->hypotheses);
    r->temporary = numbers_new(&r->arena, 3);
    r->sum = numbers_new(&r->arena, r->kinds + 1);
    OG_TRY(og_arena_status(&r->arena));
    rule_fill(r, game->prior);
    return OG_OK;
}

#endif
