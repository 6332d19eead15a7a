/*
 * Breaks ties with the Gittins index. Fractions of a class are computed once for each number of
 * labels left, and kept: the same ties come back in many states.
 */
#include "heuristics/index/gittins_ties.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/grow.h"

/* The numbers of a class: gamma - R, then gamma. */
enum { PATIENCE, GAMMA, NUMBERS };

typedef struct kept {
    struct kept *next;
    int32_t left;
    mpq_t number[NUMBERS];
} kept;

typedef struct {
    double value[NUMBERS], radius[NUMBERS];
    uint32_t class;
    bool rational;
} item;

struct og_gittins_ties {
    og_arena arena;
    og_index_job job;
    og_policy_name policy; /* gittins-fh without a parameter */
    og_scored scored;
    kept **kept; /* [class_count] lists */
    item *item;  /* [room] of the state's groups */
    size_t room;
};

static og_status prepare(og_gittins_ties *ties)
{
    og_message unused;
    ties->kept = og_arena_array(&ties->arena, ties->job.twins->class_count, sizeof(kept *));
    OG_TRY(og_arena_status(&ties->arena));
    return og_score_gittins_fh(&ties->job, &ties->scored, &unused);
}

og_status og_gittins_ties_new(const og_arms *arms, const og_twins *twins, int threads,
                              og_stop *stop, og_gittins_ties **out)
{
    og_gittins_ties *ties = og_arena_new(sizeof *ties);
    OG_TRY(OG_ALLOCATED(ties));
    ties->job = (og_index_job){.arms = arms,
                               .policy = &ties->policy,
                               .twins = twins,
                               .whole_budget = arms->budget,
                               .threads = threads,
                               .stop = stop};
    return OG_MADE(prepare(ties), ties, og_gittins_ties_free, out);
}

void og_gittins_ties_free(og_gittins_ties *ties)
{
    if (ties == NULL) {
        return;
    }
    for (uint32_t c = 0; ties->kept != NULL && c < ties->job.twins->class_count; c++) {
        for (kept *at = ties->kept[c], *next; at != NULL; at = next) {
            next = at->next;
            mpq_clears(at->number[PATIENCE], at->number[GAMMA], NULL);
            free(at);
        }
    }
    og_scored_clear(&ties->scored);
    free(ties->item);
    og_arena_free(ties);
}

static og_status find_exact(og_gittins_ties *ties, uint32_t class, int32_t left, const kept **out)
{
    const og_twins *twins = ties->job.twins;
    kept *at = ties->kept[class];
    while (at != NULL && at->left != left) {
        at = at->next;
    }
    *out = at;
    if (at != NULL) {
        return OG_OK;
    }
    at = calloc(1, sizeof *at);
    OG_TRY(OG_ALLOCATED(at));
    mpq_inits(at->number[PATIENCE], at->number[GAMMA], NULL);
    at->left = left;
    at->next = ties->kept[class];
    og_status status = og_exact_gittins_fh(&ties->job, &ties->scored, twins->first_arm[class],
                                           twins->first_node[class], left, at->number[GAMMA]);
    if (status != OG_OK) {
        mpq_clears(at->number[PATIENCE], at->number[GAMMA], NULL);
        free(at);
        return status;
    }
    og_arm_exact_reward(ties->job.arms->arm[twins->first_arm[class]], twins->first_node[class],
                        at->number[PATIENCE]);
    mpq_sub(at->number[PATIENCE], at->number[GAMMA], at->number[PATIENCE]);
    ties->kept[class] = at;
    *out = at;
    return OG_OK;
}

/* Fills the numbers of a group, in doubles, from its class. */
static void look_up(const og_gittins_ties *ties, const og_state_group *group, int32_t left,
                    item *out)
{
    const og_arms *arms = ties->job.arms;
    const og_twins *twins = ties->job.twins;
    out->class = twins->class_of[arms->node_offset[group->arm] + group->node];
    int32_t number = twins->first_arm[out->class];
    const og_arm *arm = arms->arm[number];
    uint32_t node = twins->first_node[out->class];
    double gamma = og_index_of(ties->scored.index, number, left)[node], reward = arm->reward[node];
    double radius = og_scored_radius(&ties->scored, number, node, left);
    out->rational = arm->rational;
    out->value[GAMMA] = gamma;
    out->value[PATIENCE] = gamma - reward;
    out->radius[GAMMA] = radius * (1 + 4 * DBL_EPSILON);
    out->radius[PATIENCE] =
        1.01 * (radius + arm->reward_error * reward + 2 * DBL_EPSILON * (gamma + reward));
}

/* Keeps of the groups with top[i] those within the tolerance of the largest number. */
static void keep_near(const item *items, int which, int32_t count, bool *top)
{
    double largest = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
        largest = top[i] ? fmax(largest, items[i].value[which]) : largest;
    }
    for (int32_t i = 0; i < count; i++) {
        top[i] = top[i] && items[i].value[which] >= largest - OG_GITTINS_TIE;
    }
}

/* Keeps those with the largest fraction. Those whose interval is below another's are out before. */
static og_status keep_largest(og_gittins_ties *ties, int which, const og_state *state, bool *top)
{
    const item *items = ties->item;
    double proved = -INFINITY;
    const kept *best = NULL, *at;
    uint32_t class = OG_TWIN_NONE;
    bool several = false;
    for (int32_t i = 0; i < state->count; i++) {
        proved = top[i] ? fmax(proved, items[i].value[which] - items[i].radius[which]) : proved;
    }
    for (int32_t i = 0; i < state->count; i++) {
        top[i] = top[i] && items[i].value[which] + items[i].radius[which] >= proved;
        several = several || (top[i] && class != OG_TWIN_NONE && items[i].class != class);
        class = top[i] ? items[i].class : class;
    }
    for (int32_t i = 0; several && i < state->count; i++) {
        if (top[i]) {
            OG_TRY(find_exact(ties, items[i].class, state->left, &at));
            best = best == NULL || mpq_cmp(at->number[which], best->number[which]) > 0 ? at : best;
        }
    }
    for (int32_t i = 0; several && i < state->count; i++) {
        if (top[i]) {
            OG_TRY(find_exact(ties, items[i].class, state->left, &at));
            top[i] = mpq_equal(at->number[which], best->number[which]) != 0;
        }
    }
    return OG_OK;
}

og_status og_gittins_ties_break(og_gittins_ties *ties, const og_state *state, bool *top)
{
    size_t need = (size_t)state->count;
    item *items = og_grown(ties->item, &ties->room, need, sizeof *items);
    OG_TRY(OG_ALLOCATED(items));
    ties->item = items;
    bool rational = true;
    int32_t tied = 0;
    for (int32_t i = 0; i < state->count; i++) {
        if (top[i]) {
            look_up(ties, &state->group[i], state->left, &items[i]);
            rational = rational && items[i].rational;
            tied++;
        }
    }
    for (int which = 0; tied > 1 && which < NUMBERS; which++) {
        if (rational) {
            OG_TRY(keep_largest(ties, which, state, top));
        } else {
            keep_near(items, which, state->count, top);
        }
    }
    return OG_OK;
}
