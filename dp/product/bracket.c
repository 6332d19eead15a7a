/*
 * Brackets Q of each first label: the value of a policy from below, a priced relaxation from above.
 * Both come from one recursion over an arm: label an instance as long as that is best, each label
 * at a price, or leave it for good for a given value.
 */
#include "dp/product/bracket.h"

#include <float.h>
#include <math.h>

#include "dp/base/golden.h"

enum { PRICES_MOST = 24, PRICES_LEAST = 4, INDEX_DEPTH = 64, INDEX_STEPS = 16 };

static const double work_max = 1e8;    /* nodes, for each end */
static const double entries_max = 4e6; /* largest number of entries in the policy's tables */

typedef struct {
    const og_arms *arms;
    int32_t budget;
    double *room[2]; /* values of two levels */
    double *nothing; /* [budget + 1] zeros */
    double *index;   /* [arm_count] instances are taken in its order */
    double *first;   /* [arm_count] R and the value after it, for the label given now */
    double *alone;   /* [arm_count] v_z of an instance not labelled yet */
    int32_t *line;   /* [line_count] groups, in the order in which they are taken */
    int32_t line_count;
    double *after; /* [line_count + 1][budget] expected gain from here on, by labels left */
    double error;  /* of one value of an arm or of the policy */
    int32_t depth; /* most labels that the policy gives one instance */
    double *upper; /* [group_count] owned by the caller */
} price_bracket;

static uint32_t level_size(const og_arm *arm, int32_t level)
{
    return arm->level[level + 1] - arm->level[level];
}

/*
 * Computes the values of the nodes of a level with so many labels left, at a price for each label
 * and with at most `depth` more labels. leave[r] is the value of leaving with r labels left.
 * Returns the values in the level's order, in one of the rooms.
 */
static const double *play(price_bracket *of, const og_arm *arm, int32_t level, int32_t left,
                          int32_t depth, double price, const double *leave)
{
    int32_t steps = left < depth ? left : depth;
    double *below = of->room[0], *here = of->room[1];
    for (uint32_t i = 0; i < level_size(arm, level + steps); i++) {
        below[i] = leave[left - steps];
    }
    for (int32_t n = steps - 1; n >= 0; n--) {
        uint32_t begin = arm->level[level + n], next = arm->level[level + n + 1];
        for (uint32_t i = begin; i < next; i++) {
            size_t at = (size_t)i * (size_t)arm->outcome_count;
            double value = arm->reward[i] - price;
            for (int32_t k = 0; k < arm->outcome_count; k++) {
                value += arm->probability[at + (size_t)k] * below[arm->next[at + (size_t)k] - next];
            }
            here[i - begin] = fmax(leave[left - n], value);
        }
        double *other = below;
        below = here;
        here = other;
    }
    return below;
}

/* R of the first label, without a price, plus the value after it. */
static double play_first(price_bracket *of, const og_arm *arm, int32_t depth, double price,
                         const double *leave)
{
    const double *child = play(of, arm, 1, of->budget - 1, depth, price, leave);
    double value = arm->reward[0];
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        value += arm->probability[k] * child[arm->next[k] - arm->level[1]];
    }
    return value;
}

static double largest_reward(const og_arms *arms)
{
    double largest = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        for (uint32_t i = 0; i < arm->level[arm->depth]; i++) {
            largest = fmax(largest, arm->reward[i]);
        }
    }
    return largest;
}

/*
 * A value is at most budget * largest reward, prices are at most that reward. Each step rounds
 * outcome_count + 2 times, adds the relative errors of R and p, and errors of later steps are
 * averaged, so they add up over the labels. Twice that covers their products.
 */
static double error_of(const price_bracket *of, double largest)
{
    double unit = 0;
    for (int32_t a = 0; a < of->arms->arm_count; a++) {
        const og_arm *arm = of->arms->arm[a];
        double step = (arm->outcome_count + 4) * DBL_EPSILON + arm->reward_error +
                      arm->probability_error + DBL_EPSILON;
        unit = fmax(unit, step);
    }
    double labels = (double)of->budget;
    return 2 * labels * unit * largest * (labels + 2);
}

/* ---- above ---- */

/* Copies of an instance, at most as many as there are labels. */
static double copies_of(const price_bracket *of, int32_t group)
{
    return fmin((double)of->arms->group_size[group], (double)of->budget);
}

/* Computes the bounds at one price and keeps the smallest so far; returns the largest of them. */
static double bound_at(void *context, double price)
{
    price_bracket *of = context;
    const og_arms *arms = of->arms;
    double sum = price * (of->budget - 1), instances = 2, largest = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        of->first[a] = play_first(of, arms->arm[a], of->budget, price, of->nothing);
        of->alone[a] = play(of, arms->arm[a], 0, of->budget - 1, of->budget, price, of->nothing)[0];
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        sum += copies_of(of, g) * of->alone[arms->arm_of_group[g]];
        instances += copies_of(of, g);
    }
    double rounding = (arms->group_count + 8) * DBL_EPSILON * (sum + 1);
    for (int32_t g = 0; g < arms->group_count; g++) {
        int32_t a = arms->arm_of_group[g];
        double bound = sum - of->alone[a] + of->first[a] + instances * of->error + rounding;
        of->upper[g] = fmin(of->upper[g], bound);
        largest = fmax(largest, bound);
    }
    return largest;
}

/* The bounds are convex in the price. */
static void find_upper(price_bracket *of, double most)
{
    double nodes = 2.0 * of->arms->node_offset[of->arms->arm_count] + 1;
    double prices = fmax(PRICES_LEAST, fmin(PRICES_MOST, work_max / nodes));
    for (int32_t g = 0; g < of->arms->group_count; g++) {
        of->upper[g] = INFINITY;
    }
    og_golden_least(bound_at, of, 0, most, (int32_t)prices);
}

/* ---- below ---- */

/* About the largest price at which labelling the instance at all is worth it. */
static double index_of(price_bracket *of, const og_arm *arm, double most)
{
    double low = 0, high = most;
    for (int32_t i = 0; i < INDEX_STEPS; i++) {
        double price = (low + high) / 2;
        bool buys = play(of, arm, 0, of->budget, INDEX_DEPTH, price, of->nothing)[0] > 0;
        low = buys ? price : low;
        high = buys ? high : price;
    }
    return low;
}

/* The group with the largest index among those not taken yet, the first of equal ones; -1: none. */
static int32_t next_group(const price_bracket *of, const bool *taken)
{
    const og_arms *arms = of->arms;
    int32_t best = -1;
    for (int32_t g = 0; g < arms->group_count; g++) {
        bool larger =
            best < 0 || of->index[arms->arm_of_group[g]] > of->index[arms->arm_of_group[best]];
        best = !taken[g] && larger ? g : best;
    }
    return best;
}

static void line_up(price_bracket *of, int32_t room, bool *taken)
{
    for (int32_t g = next_group(of, taken); g >= 0 && of->line_count < room;
         g = next_group(of, taken)) {
        for (int64_t i = 0; i < of->arms->group_size[g] && of->line_count < room; i++) {
            of->line[of->line_count++] = g;
        }
        taken[g] = true;
    }
}

/* The first place in the line whose tables change if one instance of the group is removed: the
 * place of its last instance, or -1 if enough copies remain. */
static int32_t place_without(const price_bracket *of, int32_t group)
{
    int32_t last = -1;
    int64_t found = 0;
    for (int32_t i = 0; i < of->line_count; i++) {
        if (of->line[i] == group) {
            last = i;
            found++;
        }
    }
    return found == of->arms->group_size[group] ? last : -1;
}

/* The largest depth that the work limit allows; every arm has at most this many outcomes. */
static int32_t depth_for(const price_bracket *of)
{
    double tables = of->line_count;
    int32_t depth = 1;
    for (int32_t g = 0; g < of->arms->group_count; g++) {
        tables += place_without(of, g) + 1;
    }
    for (bool fits = true; fits && depth < of->budget; depth += fits) {
        double nodes = 0;
        for (int32_t a = 0; a < of->arms->arm_count; a++) {
            nodes = fmax(nodes, of->arms->arm[a]->level[depth + 1]);
        }
        fits = nodes * tables * of->budget <= work_max;
    }
    return depth;
}

static double *table_at(const price_bracket *of, int32_t place)
{
    return of->after + (size_t)place * (size_t)of->budget;
}

/* Expected gain for each number of labels, if this instance comes next and `leave` after it. */
static void take(price_bracket *of, int32_t group, const double *leave, double *out)
{
    const og_arm *arm = of->arms->arm[of->arms->arm_of_group[group]];
    for (int32_t left = 0; left < of->budget; left++) {
        out[left] = play(of, arm, 0, left, of->depth, 0, leave)[0];
    }
}

/* `spare` has room for two tables. */
static void find_lower(price_bracket *of, double *spare, double *lower)
{
    for (int32_t i = of->line_count - 1; i >= 0; i--) {
        take(of, of->line[i], table_at(of, i + 1), table_at(of, i));
    }
    for (int32_t g = 0; g < of->arms->group_count; g++) {
        int32_t place = place_without(of, g);
        const double *rest = table_at(of, place < 0 ? 0 : place + 1);
        for (int32_t i = place - 1; i >= 0; i--) {
            double *out = spare + (size_t)(i % 2) * (size_t)of->budget;
            take(of, of->line[i], rest, out);
            rest = out;
        }
        const og_arm *arm = of->arms->arm[of->arms->arm_of_group[g]];
        lower[g] = fmax(0, play_first(of, arm, of->depth, 0, rest) - of->error);
    }
}

/* ---- both ---- */

/* The nodes of the largest level. */
static size_t widest_level(const og_arms *arms)
{
    size_t widest = 1;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        size_t size = level_size(arms->arm[a], arms->budget);
        widest = size > widest ? size : widest;
    }
    return widest;
}

/* Entries that are needed even for the shortest line. */
static double fixed_entries(const og_arms *arms)
{
    return 2.0 * (double)widest_level(arms) + 6.0 * arms->budget + 3.0 * arms->arm_count +
           arms->group_count;
}

static og_status reserve(price_bracket *of, og_arena *arena, double **spare, bool **taken,
                         int32_t room)
{
    const og_arms *arms = of->arms;
    size_t widest = widest_level(arms), budget = (size_t)of->budget;
    of->room[0] = og_arena_array(arena, widest, sizeof *of->room[0]);
    of->room[1] = og_arena_array(arena, widest, sizeof *of->room[1]);
    of->nothing = og_arena_array(arena, budget + 1, sizeof *of->nothing);
    of->index = og_arena_array(arena, (size_t)arms->arm_count, sizeof *of->index);
    of->first = og_arena_array(arena, (size_t)arms->arm_count, sizeof *of->first);
    of->alone = og_arena_array(arena, (size_t)arms->arm_count, sizeof *of->alone);
    of->line = og_arena_array(arena, (size_t)room, sizeof *of->line);
    of->after = og_arena_array(arena, ((size_t)room + 1) * budget, sizeof *of->after);
    *spare = og_arena_array(arena, 2 * budget, sizeof **spare);
    *taken = og_arena_array(arena, (size_t)arms->group_count + 1, sizeof **taken);
    return og_arena_status(arena);
}

og_status og_bracket_q(const og_arms *arms, uint64_t memory_bytes, double *lower, double *upper)
{
    og_arena arena = {0};
    price_bracket of = {.arms = arms, .budget = arms->budget, .upper = upper};
    double *spare = NULL;
    bool *taken = NULL;
    double left = (double)memory_bytes - (double)og_arms_bytes(arms);
    double entries = fmin(entries_max, left / sizeof(double) - fixed_entries(arms));
    double tables = fmin(fmin(of.budget, entries / of.budget), (double)og_arms_instances(arms));
    int32_t room = (int32_t)fmax(0, tables);
    if (room < 1) {
        return OG_NO_MEMORY;
    }
    og_status status = reserve(&of, &arena, &spare, &taken, room);
    if (status == OG_OK) {
        double most = largest_reward(arms);
        of.error = error_of(&of, most);
        for (int32_t a = 0; a < arms->arm_count; a++) {
            of.index[a] = index_of(&of, arms->arm[a], most);
        }
        line_up(&of, room, taken);
        of.depth = depth_for(&of);
        find_lower(&of, spare, lower);
        find_upper(&of, most);
    }
    og_arena_clear(&arena);
    return status;
}
