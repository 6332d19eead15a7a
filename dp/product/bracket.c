/*
 * Brackets Q of each first label: the value of a policy from below, a priced relaxation from above.
 * Both come from one recursion over an arm: label an instance as long as that is best, each label
 * at a price, or leave it for good for a given value.
 */
#include "dp/product/bracket.h"

#include <float.h>
#include <math.h>

#include "dp/base/golden.h"

enum { PRICES_MOST = 24, PRICES_LEAST = 4, INDEX_DEPTH = 64, INDEX_STEPS = 16, LOOK_LEVELS = 16 };

static const double work_max = 1e8;    /* nodes, for each end */
static const double entries_max = 4e6; /* largest number of entries in the policy's tables */

typedef struct {
    const og_arms *arms;
    og_stop *stop;
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

static bool is_over(const price_bracket *bracket)
{
    return og_stop_asked(bracket->stop);
}

/*
 * Computes the values of the nodes of a level with so many labels left, at a price for each label
 * and with at most `depth` more labels. leave[r] is the value of leaving with r labels left.
 * Returns the values in the level's order, in one of the rooms; of no meaning once it is over.
 */
static const double *play(price_bracket *bracket, const og_arm *arm, int32_t level, int32_t left,
                          int32_t depth, double price, const double *leave)
{
    int32_t steps = left < depth ? left : depth;
    double *below = bracket->room[0], *here = bracket->room[1];
    for (uint32_t i = 0; i < level_size(arm, level + steps); i++) {
        below[i] = leave[left - steps];
    }
    for (int32_t n = steps - 1; n >= 0 && (n % LOOK_LEVELS != 0 || !is_over(bracket)); n--) {
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
static double play_first(price_bracket *bracket, const og_arm *arm, int32_t depth, double price,
                         const double *leave)
{
    const double *child = play(bracket, arm, 1, bracket->budget - 1, depth, price, leave);
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
static double error_of(const price_bracket *bracket, double largest)
{
    double unit = 0;
    for (int32_t a = 0; a < bracket->arms->arm_count; a++) {
        const og_arm *arm = bracket->arms->arm[a];
        double step = (arm->outcome_count + 4) * DBL_EPSILON + arm->reward_error +
                      arm->probability_error + DBL_EPSILON;
        unit = fmax(unit, step);
    }
    double labels = (double)bracket->budget;
    return 2 * labels * unit * largest * (labels + 2);
}

/* ---- above ---- */

/* Copies of an instance, at most as many as there are labels. */
static double copies_of(const price_bracket *bracket, int32_t group)
{
    return fmin((double)bracket->arms->group_size[group], (double)bracket->budget);
}

/* Computes the bounds at one price and keeps the smallest so far; returns the largest of them. */
static double bound_at(void *context, double price)
{
    price_bracket *bracket = context;
    const og_arms *arms = bracket->arms;
    double sum = price * (bracket->budget - 1), instances = 2, largest = 0;
    for (int32_t a = 0; a < arms->arm_count && !is_over(bracket); a++) {
        bracket->first[a] =
            play_first(bracket, arms->arm[a], bracket->budget, price, bracket->nothing);
        bracket->alone[a] = play(bracket, arms->arm[a], 0, bracket->budget - 1, bracket->budget,
                                 price, bracket->nothing)[0];
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        sum += copies_of(bracket, g) * bracket->alone[arms->arm_of_group[g]];
        instances += copies_of(bracket, g);
    }
    if (is_over(bracket)) {
        return INFINITY;
    }
    double rounding = (arms->group_count + 8) * DBL_EPSILON * (sum + 1);
    for (int32_t g = 0; g < arms->group_count; g++) {
        int32_t a = arms->arm_of_group[g];
        double bound =
            sum - bracket->alone[a] + bracket->first[a] + instances * bracket->error + rounding;
        bracket->upper[g] = fmin(bracket->upper[g], bound);
        largest = fmax(largest, bound);
    }
    return largest;
}

/* The bounds are convex in the price. */
static void find_upper(price_bracket *bracket, double most)
{
    double nodes = 2.0 * bracket->arms->node_offset[bracket->arms->arm_count] + 1;
    double prices = fmax(PRICES_LEAST, fmin(PRICES_MOST, work_max / nodes));
    og_golden_least(bound_at, bracket, 0, most, (int32_t)prices);
}

/* ---- below ---- */

/* About the largest price at which labelling the instance at all is worth it. */
static double index_of(price_bracket *bracket, const og_arm *arm, double most)
{
    double low = 0, high = most;
    for (int32_t i = 0; i < INDEX_STEPS; i++) {
        double price = (low + high) / 2;
        bool buys =
            play(bracket, arm, 0, bracket->budget, INDEX_DEPTH, price, bracket->nothing)[0] > 0;
        low = buys ? price : low;
        high = buys ? high : price;
    }
    return low;
}

/* The group with the largest index among those not taken yet, the first of equal ones; -1: none. */
static int32_t next_group(const price_bracket *bracket, const bool *taken)
{
    const og_arms *arms = bracket->arms;
    int32_t best = -1;
    for (int32_t g = 0; g < arms->group_count; g++) {
        bool larger = best < 0 || bracket->index[arms->arm_of_group[g]] >
                                      bracket->index[arms->arm_of_group[best]];
        best = !taken[g] && larger ? g : best;
    }
    return best;
}

static void line_up(price_bracket *bracket, int32_t room, bool *taken)
{
    for (int32_t g = next_group(bracket, taken); g >= 0 && bracket->line_count < room;
         g = next_group(bracket, taken)) {
        for (int64_t i = 0; i < bracket->arms->group_size[g] && bracket->line_count < room; i++) {
            bracket->line[bracket->line_count++] = g;
        }
        taken[g] = true;
    }
}

/* The first place in the line whose tables change if one instance of the group is removed: the
 * place of its last instance, or -1 if enough copies remain. */
static int32_t place_without(const price_bracket *bracket, int32_t group)
{
    int32_t last = -1;
    int64_t found = 0;
    for (int32_t i = 0; i < bracket->line_count; i++) {
        if (bracket->line[i] == group) {
            last = i;
            found++;
        }
    }
    return found == bracket->arms->group_size[group] ? last : -1;
}

/* The largest depth that the work limit allows; every arm has at most this many outcomes. */
static int32_t depth_for(const price_bracket *bracket)
{
    double tables = bracket->line_count;
    int32_t depth = 1;
    for (int32_t g = 0; g < bracket->arms->group_count; g++) {
        tables += place_without(bracket, g) + 1;
    }
    for (bool fits = true; fits && depth < bracket->budget; depth += fits) {
        double nodes = 0;
        for (int32_t a = 0; a < bracket->arms->arm_count; a++) {
            nodes = fmax(nodes, bracket->arms->arm[a]->level[depth + 1]);
        }
        fits = nodes * tables * bracket->budget <= work_max;
    }
    return depth;
}

static double *table_at(const price_bracket *bracket, int32_t place)
{
    return bracket->after + (size_t)place * (size_t)bracket->budget;
}

/* Expected gain for each number of labels, if this instance comes next and `leave` after it. */
static void take(price_bracket *bracket, int32_t group, const double *leave, double *out)
{
    const og_arm *arm = bracket->arms->arm[bracket->arms->arm_of_group[group]];
    for (int32_t left = 0; left < bracket->budget && !is_over(bracket); left++) {
        out[left] = play(bracket, arm, 0, left, bracket->depth, 0, leave)[0];
    }
}

/* `spare` has room for two tables. */
static void find_lower(price_bracket *bracket, double *spare, double *lower)
{
    for (int32_t i = bracket->line_count - 1; i >= 0; i--) {
        take(bracket, bracket->line[i], table_at(bracket, i + 1), table_at(bracket, i));
    }
    for (int32_t g = 0; g < bracket->arms->group_count && !is_over(bracket); g++) {
        int32_t place = place_without(bracket, g);
        const double *rest = table_at(bracket, place < 0 ? 0 : place + 1);
        for (int32_t i = place - 1; i >= 0; i--) {
            double *out = spare + (size_t)(i % 2) * (size_t)bracket->budget;
            take(bracket, bracket->line[i], rest, out);
            rest = out;
        }
        const og_arm *arm = bracket->arms->arm[bracket->arms->arm_of_group[g]];
        double value = play_first(bracket, arm, bracket->depth, 0, rest) - bracket->error;
        lower[g] = is_over(bracket) ? lower[g] : fmax(0, value);
    }
}

/* ---- both ---- */

/* One label and no more; and v_z = 0 at the price of the largest R. */
static void begin_at(const price_bracket *bracket, double most, double *lower)
{
    const og_arms *arms = bracket->arms;
    for (int32_t g = 0; g < arms->group_count; g++) {
        double first = arms->arm[arms->arm_of_group[g]]->reward[0];
        lower[g] = fmax(0, first - bracket->error);
        bracket->upper[g] = first + most * (bracket->budget - 1) + bracket->error;
    }
}

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

static og_status reserve(price_bracket *bracket, og_arena *arena, double **spare, bool **taken,
                         int32_t room)
{
    const og_arms *arms = bracket->arms;
    size_t widest = widest_level(arms), budget = (size_t)bracket->budget;
    bracket->room[0] = og_arena_array(arena, widest, sizeof *bracket->room[0]);
    bracket->room[1] = og_arena_array(arena, widest, sizeof *bracket->room[1]);
    bracket->nothing = og_arena_array(arena, budget + 1, sizeof *bracket->nothing);
    bracket->index = og_arena_array(arena, (size_t)arms->arm_count, sizeof *bracket->index);
    bracket->first = og_arena_array(arena, (size_t)arms->arm_count, sizeof *bracket->first);
    bracket->alone = og_arena_array(arena, (size_t)arms->arm_count, sizeof *bracket->alone);
    bracket->line = og_arena_array(arena, (size_t)room, sizeof *bracket->line);
    bracket->after = og_arena_array(arena, ((size_t)room + 1) * budget, sizeof *bracket->after);
    *spare = og_arena_array(arena, 2 * budget, sizeof **spare);
    *taken = og_arena_array(arena, (size_t)arms->group_count + 1, sizeof **taken);
    return og_arena_status(arena);
}

og_status og_bracket_q(const og_arms *arms, uint64_t memory_bytes, og_stop *stop, double *lower,
                       double *upper)
{
    og_arena arena = {0};
    price_bracket bracket = {.arms = arms, .stop = stop, .budget = arms->budget, .upper = upper};
    double *spare = NULL;
    bool *taken = NULL;
    double left = (double)memory_bytes - (double)og_arms_bytes(arms);
    double entries = fmin(entries_max, left / sizeof(double) - fixed_entries(arms));
    double tables =
        fmin(fmin(bracket.budget, entries / bracket.budget), (double)og_arms_instances(arms));
    int32_t room = (int32_t)fmax(0, tables);
    if (room < 1) {
        return OG_NO_MEMORY;
    }
    og_status status = reserve(&bracket, &arena, &spare, &taken, room);
    double most = largest_reward(arms);
    if (status == OG_OK) {
        bracket.error = error_of(&bracket, most);
        begin_at(&bracket, most, lower);
        for (int32_t a = 0; a < arms->arm_count && !is_over(&bracket); a++) {
            bracket.index[a] = index_of(&bracket, arms->arm[a], most);
        }
    }
    if (status == OG_OK && !is_over(&bracket)) {
        line_up(&bracket, room, taken);
        bracket.depth = depth_for(&bracket);
        find_lower(&bracket, spare, lower);
        find_upper(&bracket, most);
    }
    og_arena_clear(&arena);
    return status;
}
