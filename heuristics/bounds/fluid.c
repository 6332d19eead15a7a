/*
 * Computes fluid values by cutting planes; fluid.h has the definition and the method.
 *
 * One model (price_master.h) serves all states with as many labels left that are asked for before
 * og_fluid_leave: it has a seat for each node, and a state sets the seats' weights. It begins with
 * the kept planes of its nodes. For a node without planes the search begins at the prices of the
 * last state, by labels left, and at first at those of the whole problem: prices change little from
 * one decision to the next.
 *
 * Rounding of the upper bound: as in relaxation.c. Gains have proved errors; a sum of n positive
 * terms adds (n + 1) units of its last place.
 */
#include "heuristics/bounds/fluid.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/engine/memo.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/price_search.h"

/* A plane that was slack in this many solutions in a row is dropped. */
enum { IDLE_MOST = 3, IDLE_MOST_SEARCH = 20 };

/* Limit of the simplex method's steps in one solution: usually there are fewer than a hundred. */
enum { STEPS_MOST = 2000 };

/* Proposals that are tried at first, without smoothing: usually one is enough. */
enum { QUICK_STEPS = 3 };

/* GLPK's tolerances at the end: the first is usually enough. */
enum { TOLERANCES = 2 };
static const double tolerances[TOLERANCES] = {1e-12, 1e-14};

/* A part of the model is right if it is this near to its value. */
static const double near_part = 1e-14;

/* A plan for an instance at a node, by labels left. */
typedef struct {
    double intercept; /* what it earns */
    int32_t from;     /* the largest number of labels left at which it buys */
    bool live;
    double bought[]; /* [from] */
} plan;

/* What is kept of a node. */
typedef struct {
    plan **plan; /* [count] */
    size_t room;
    int32_t count;
    int32_t seat;     /* in the model; -1: none */
    int32_t distance; /* labels before a label can gain; INT32_MAX: none can */
} site;

/* A node in the model. */
typedef struct {
    uint32_t node; /* global */
    int32_t arm;
    int32_t level;
    double weight;
    double gain; /* at the last prices */
} seat;

struct og_fluid {
    og_arena arena;
    const og_arms *arms;
    og_stop *stop;
    og_priced_arm **priced; /* [arm_count] */
    site *sites;            /* [global nodes] */
    double dearest;
    double *reference; /* [budget + 1] prices by labels left, to begin with */
    bool referenced;
    og_memo *memo;
    og_memo_user user;
    bool joined;
    uint64_t *key;         /* [key_room] */
    og_fluid_place *place; /* [place_room] of the state, those that can gain */
    size_t key_room, place_room;
    uint64_t bytes, bytes_most; /* of plans */
    /* The model: */
    bool open;
    int32_t left;
    og_price_search search;
    seat *seats; /* [seat_room] */
    size_t seat_room;
    int32_t seat_count;
    uint32_t *node; /* [node_room] scratch: nodes of one arm, then gains */
    double *gain;
    size_t node_room, gain_room;
};

/* ---- nodes ---- */

static void find_distances(og_fluid *of, int32_t arm)
{
    const og_arm *at = of->arms->arm[arm];
    site *sites = of->sites + of->arms->node_offset[arm];
    for (uint32_t node = at->node_count; node-- > 0;) {
        int32_t least = INT32_MAX;
        bool last = node >= at->level[at->depth];
        for (int32_t k = 0; !last && k < at->outcome_count; k++) {
            int32_t next =
                sites[at->next[(size_t)node * (size_t)at->outcome_count + (size_t)k]].distance;
            least = next < least ? next : least;
        }
        bool gains = !last && at->reward[node] > 0;
        sites[node].seat = -1;
        sites[node].distance = gains ? 0 : least == INT32_MAX ? least : least + 1;
    }
}

static og_status allocate(og_fluid *of, uint64_t memory_bytes)
{
    const og_arms *arms = of->arms;
    size_t count = (size_t)arms->arm_count;
    of->priced = og_arena_array(&of->arena, count, sizeof(og_priced_arm *));
    of->sites = og_arena_array(&of->arena, arms->node_offset[count], sizeof *of->sites);
    of->reference = og_arena_array(&of->arena, (size_t)arms->budget + 1, sizeof *of->reference);
    OG_TRY(og_arena_status(&of->arena));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        OG_TRY(og_priced_arm_new(arms->arm[a], &of->priced[a]));
        of->dearest = fmax(of->dearest, og_priced_arm_dearest(of->priced[a]));
        find_distances(of, a);
    }
    int64_t words = og_arms_capped(arms) + 1;
    of->bytes_most = memory_bytes / 2;
    OG_TRY(og_memo_new(memory_bytes / 2,
                       words < OG_MEMO_KEY_WORDS ? (int32_t)words : OG_MEMO_KEY_WORDS, &of->memo));
    og_memo_join(of->memo, &of->user);
    of->joined = true;
    return OG_OK;
}

og_status og_fluid_new(const og_arms *arms, uint64_t memory_bytes, og_stop *stop, og_fluid **out)
{
    og_fluid *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    of->arms = arms;
    of->stop = stop;
    return OG_MADE(allocate(of, memory_bytes), of, og_fluid_free, out);
}

/* Frees the plans that are not live. */
static void drop_plans(og_fluid *of, site *at)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < at->count; i++) {
        if (at->plan[i]->live) {
            at->plan[kept++] = at->plan[i];
        } else {
            of->bytes -= sizeof(plan) + (size_t)at->plan[i]->from * sizeof(double);
            free(at->plan[i]);
        }
    }
    at->count = kept;
}

static void forget_plans(og_fluid *of)
{
    uint32_t nodes = of->sites == NULL ? 0 : of->arms->node_offset[of->arms->arm_count];
    for (uint32_t n = 0; n < nodes; n++) {
        for (int32_t i = 0; i < of->sites[n].count; i++) {
            free(of->sites[n].plan[i]);
        }
        free(of->sites[n].plan);
        of->sites[n].plan = NULL;
        of->sites[n].room = 0;
        of->sites[n].count = 0;
    }
    of->bytes = 0;
}

void og_fluid_free(og_fluid *of)
{
    if (of == NULL) {
        return;
    }
    og_fluid_leave(of);
    forget_plans(of);
    for (int32_t a = 0; of->priced != NULL && a < of->arms->arm_count; a++) {
        og_priced_arm_free(of->priced[a]);
    }
    if (of->joined) {
        og_memo_leave(&of->user);
    }
    og_memo_free(of->memo);
    free(of->key);
    free(of->place);
    free(of->seats);
    free(of->node);
    free(of->gain);
    og_arena_free(of);
}

/* ---- the model ---- */

static void mark_live(void *label)
{
    plan *at = label;
    at->live = true;
}

void og_fluid_leave(og_fluid *of)
{
    if (!of->open) {
        return;
    }
    for (int32_t i = 0; i < of->seat_count; i++) {
        site *at = &of->sites[of->seats[i].node];
        for (int32_t k = 0; k < at->count; k++) {
            at->plan[k]->live = at->plan[k]->from > of->left;
        }
    }
    if (of->search.master != NULL) {
        og_price_master_each(of->search.master, mark_live);
    }
    for (int32_t i = 0; i < of->seat_count; i++) {
        drop_plans(of, &of->sites[of->seats[i].node]);
        of->sites[of->seats[i].node].seat = -1;
    }
    og_price_search_clear(&of->search);
    of->open = false;
    if (of->bytes > of->bytes_most) {
        forget_plans(of);
    }
}

/* Adds a plan's plane to the model. */
static og_status add_plane(og_fluid *of, int32_t number, plan *kept)
{
    double *bought = of->search.slope;
    for (int32_t left = of->left; left >= 1; left--) {
        bought[of->left - left] = left <= kept->from ? kept->bought[left - 1] : 0;
    }
    return og_price_search_cut(&of->search, &(og_price_plane){.part = number,
                                                              .weight = of->seats[number].weight,
                                                              .intercept = kept->intercept,
                                                              .bought = bought,
                                                              .label = kept});
}

/* Keeps the plan of a seat at the prices that were just evaluated, and adds its plane. */
static og_status keep_plan(og_fluid *of, int32_t number, const double *price)
{
    const seat *at = &of->seats[number];
    site *where = &of->sites[at->node];
    double *bought = of->search.slope, intercept = at->gain;
    int32_t from = of->left;
    og_priced_arm_bought(of->priced[at->arm], at->node - of->arms->node_offset[at->arm], bought);
    while (from > 0 && bought[of->left - from] == 0) {
        from--;
    }
    size_t bytes = sizeof(plan) + (size_t)from * sizeof(double);
    plan **grown = og_grown(where->plan, &where->room, (size_t)where->count + 1, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    where->plan = grown;
    plan *kept = malloc(bytes);
    OG_TRY(OG_ALLOCATED(kept));
    for (int32_t left = 1; left <= from; left++) {
        kept->bought[left - 1] = bought[of->left - left];
        intercept += bought[of->left - left] * price[of->left - left];
    }
    kept->intercept = intercept;
    kept->from = from;
    kept->live = true;
    where->plan[where->count++] = kept;
    of->bytes += bytes;
    return add_plane(of, number, kept);
}

/* Computes the gains of all seats of an arm that the state has; *error: of each. */
static og_status value_arm(og_fluid *of, int32_t arm, const double *price, double *error)
{
    og_priced_start start = {.low = INT32_MAX, .stages = of->left, .node = of->node};
    for (int32_t i = 0; i < of->seat_count; i++) {
        const seat *at = &of->seats[i];
        if (at->arm == arm && at->weight > 0) {
            of->node[start.count++] = at->node - of->arms->node_offset[arm];
            start.low = at->level < start.low ? at->level : start.low;
            start.high = at->level > start.high ? at->level : start.high;
        }
    }
    *error = 0;
    if (start.count == 0) {
        return OG_OK;
    }
    OG_TRY(og_priced_arm_from(of->priced[arm], &start, price, of->gain, error));
    int32_t found = 0;
    for (int32_t i = 0; i < of->seat_count; i++) {
        if (of->seats[i].arm == arm && of->seats[i].weight > 0) {
            of->seats[i].gain = of->gain[found++];
        }
    }
    return OG_OK;
}

/* For og_price_problem. */
static og_status value_and_cut(void *user, const double *price, og_relaxed *out)
{
    og_fluid *of = user;
    double unit = DBL_EPSILON / 2, sum = 0, charge = 0, errors = 0;
    bool proposed = price == of->search.proposal;
    for (int32_t arm = 0; arm < of->arms->arm_count; arm++) {
        double error;
        OG_TRY(value_arm(of, arm, price, &error));
        for (int32_t i = 0; i < of->seat_count; i++) {
            const seat *at = &of->seats[i];
            if (at->arm != arm || at->weight == 0) {
                continue;
            }
            sum += at->weight * at->gain;
            errors += at->weight * error;
            if (at->gain > (proposed ? of->search.worth[i] + near_part : 0)) {
                OG_TRY(keep_plan(of, i, price));
            }
        }
    }
    for (int32_t l = 0; l < of->left; l++) {
        charge += price[l];
    }
    *out = (og_relaxed){.value = sum + charge};
    out->error = 1.01 * (errors + ((of->seat_count + 2) * sum + (of->left + 2) * charge) * unit) +
                 8 * unit * out->value;
    return OG_OK;
}

static uint64_t work_of(void *user)
{
    (void)user;
    return 0; /* no limit but `stop` */
}

static og_status open_model(og_fluid *of, int32_t left)
{
    if (of->open && of->left == left) {
        return OG_OK;
    }
    og_fluid_leave(of);
    of->open = true;
    of->left = left;
    of->seat_count = 0;
    OG_TRY(og_price_search_init(left, &of->search));
    of->search.problem = (og_price_problem){of, value_and_cut, work_of};
    of->search.stop = of->stop;
    of->search.enough = OG_FLUID_GAP;
    of->search.proved = true;
    OG_TRY(og_price_master_new(0, left, of->dearest, &of->search.master));
    og_price_master_limit(of->search.master, STEPS_MOST);
    og_price_master_idle(of->search.master, IDLE_MOST);
    return OG_OK;
}

/* Gives a node a seat, with its planes. */
static og_status add_seat(og_fluid *of, uint32_t node)
{
    size_t need = (size_t)of->seat_count + 1;
    seat *seats = og_grown(of->seats, &of->seat_room, need, sizeof *seats);
    OG_TRY(OG_ALLOCATED(seats));
    of->seats = seats;
    uint32_t *nodes = og_grown(of->node, &of->node_room, need, sizeof *nodes);
    OG_TRY(OG_ALLOCATED(nodes));
    of->node = nodes;
    double *gain = og_grown(of->gain, &of->gain_room, need, sizeof *gain);
    OG_TRY(OG_ALLOCATED(gain));
    of->gain = gain;
    int32_t arm = og_arms_arm_of(of->arms, node), number;
    OG_TRY(og_price_search_parts(&of->search, (int32_t)need));
    OG_TRY(og_price_master_part(of->search.master, &number));
    assert(number == of->seat_count);
    seats[number] = (seat){.node = node, .arm = arm};
    seats[number].level = og_arm_level(of->arms->arm[arm], node - of->arms->node_offset[arm]);
    site *at = &of->sites[node];
    at->seat = number;
    of->seat_count++;
    for (int32_t i = 0; i < at->count; i++) {
        if (at->plan[i]->from <= of->left) {
            OG_TRY(add_plane(of, number, at->plan[i]));
        }
    }
    return OG_OK;
}

/* Sets the weights; *fresh: a node of the state has no planes. */
static og_status seat_state(og_fluid *of, int32_t count, bool *fresh)
{
    *fresh = false;
    for (int32_t i = 0; i < of->seat_count; i++) {
        of->seats[i].weight = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        site *at = &of->sites[of->place[i].node];
        if (at->seat < 0) {
            OG_TRY(add_seat(of, of->place[i].node));
        }
        of->seats[at->seat].weight = (double)of->place[i].copies;
        *fresh = *fresh || at->count == 0;
    }
    for (int32_t i = 0; i < of->seat_count; i++) {
        OG_TRY(og_price_master_weigh(of->search.master, i, of->seats[i].weight));
    }
    return OG_OK;
}

/* ---- values ---- */

/* Finds prices to begin with: those of the whole problem. */
static og_status find_reference(og_fluid *of)
{
    og_upper_bound bound;
    if (of->referenced) {
        return OG_OK;
    }
    OG_TRY(og_bound_lagrangian_vector(of->arms, 1, of->stop, &bound));
    for (int32_t l = 0; l < bound.price_count; l++) {
        of->reference[of->arms->budget - l] = bound.price[l];
    }
    og_bound_clear(&bound);
    of->referenced = true;
    return OG_OK;
}

static og_status begin_at_reference(og_fluid *of)
{
    for (int32_t left = 1; left <= of->left; left++) {
        of->search.trial[of->left - left] = of->reference[left];
    }
    return og_price_search_value(&of->search, of->search.trial);
}

static bool is_solved(const og_price_search *search)
{
    double gap = search->found.value - search->least;
    return gap <= OG_FLUID_GAP && gap + search->found.error + search->rounding <= OG_FLUID_ERROR;
}

static og_status solve(og_fluid *of, bool fresh)
{
    og_price_search *search = &of->search;
    double gap;
    search->found = (og_relaxed){.value = INFINITY};
    search->least = -INFINITY;
    search->converged = false;
    if (fresh) {
        OG_TRY(begin_at_reference(of));
    }
    for (int i = 0; i < QUICK_STEPS && !is_solved(search); i++) {
        OG_TRY(og_price_search_propose(search, &gap));
        OG_TRY(og_price_search_value(search, search->proposal));
    }
    og_price_master_idle(search->master, is_solved(search) ? IDLE_MOST : IDLE_MOST_SEARCH);
    for (int i = 0; i < TOLERANCES && !is_solved(search); i++) {
        search->tolerance = tolerances[i];
        OG_TRY(og_price_search_run(search));
    }
    og_price_master_tolerance(search->master, OG_PRICE_TOLERANCE);
    og_price_master_idle(search->master, IDLE_MOST);
    OG_TRY(og_stop_status(of->stop));
    for (int32_t left = 1; left <= of->left; left++) {
        of->reference[left] = search->best[of->left - left];
    }
    return is_solved(search) ? OG_OK : OG_FAILED;
}

static og_status solve_state(og_fluid *of, int32_t count, int32_t left)
{
    bool fresh;
    OG_TRY(open_model(of, left));
    OG_TRY(seat_state(of, count, &fresh));
    return solve(of, fresh);
}

/* Copies the places that can gain; an instance beyond the r-th of equal ones adds nothing. */
static og_status take_places(og_fluid *of, const og_fluid_place *place, int32_t count, int32_t left,
                             int32_t *taken)
{
    size_t need = (size_t)count + 1;
    og_fluid_place *own = og_grown(of->place, &of->place_room, need, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    of->place = own;
    uint64_t *key = og_grown(of->key, &of->key_room, need, sizeof *key);
    OG_TRY(OG_ALLOCATED(key));
    of->key = key;
    *taken = 0;
    key[0] = (uint64_t)left + 1;
    for (int32_t i = 0; i < count; i++) {
        assert(i == 0 || place[i - 1].node < place[i].node);
        if (of->sites[place[i].node].distance < left) {
            int64_t copies = place[i].copies < left ? place[i].copies : left;
            own[*taken] = (og_fluid_place){place[i].node, copies};
            key[++*taken] = (uint64_t)place[i].node | (uint64_t)copies << 32;
        }
    }
    return OG_OK;
}

/* With one label left. */
static double largest_reward(const og_fluid *of, int32_t count)
{
    double largest = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = og_arms_arm_of(of->arms, of->place[i].node);
        uint32_t node = of->place[i].node - of->arms->node_offset[arm];
        largest = fmax(largest, of->arms->arm[arm]->reward[node]);
    }
    return largest;
}

og_status og_fluid_value(og_fluid *of, const og_fluid_place *place, int32_t count, int32_t left,
                         double *value)
{
    int32_t taken;
    OG_TRY(take_places(of, place, count, left, &taken));
    if (left <= 1 || taken == 0) {
        *value = left <= 0 ? 0 : largest_reward(of, taken);
        return OG_OK;
    }
    int32_t words = taken + 1;
    bool remembered = words <= OG_MEMO_KEY_WORDS;
    uint64_t hash = remembered ? og_memo_hash(of->key, words) : 0;
    if (remembered && og_memo_get(&of->user, of->key, words, hash, value)) {
        return OG_OK;
    }
    OG_TRY(find_reference(of));
    og_status status = solve_state(of, taken, left);
    if (status == OG_FAILED) { /* GLPK may have lost its way: once more with a new model */
        og_fluid_leave(of);
        status = solve_state(of, taken, left);
    }
    OG_TRY(status);
    *value = of->search.found.value;
    if (remembered) {
        og_memo_put(&of->user, of->key, words, hash, *value, 1);
    }
    return OG_OK;
}
