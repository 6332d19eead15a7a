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

static void find_distances(og_fluid *fluid, int32_t arm)
{
    const og_arm *at = fluid->arms->arm[arm];
    site *sites = fluid->sites + fluid->arms->node_offset[arm];
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

static og_status allocate(og_fluid *fluid, uint64_t memory_bytes)
{
    const og_arms *arms = fluid->arms;
    size_t count = (size_t)arms->arm_count;
    fluid->priced = og_arena_array(&fluid->arena, count, sizeof(og_priced_arm *));
    fluid->sites = og_arena_array(&fluid->arena, arms->node_offset[count], sizeof *fluid->sites);
    fluid->reference =
        og_arena_array(&fluid->arena, (size_t)arms->budget + 1, sizeof *fluid->reference);
    OG_TRY(og_arena_status(&fluid->arena));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        OG_TRY(og_priced_arm_new(arms->arm[a], &fluid->priced[a]));
        fluid->dearest = fmax(fluid->dearest, og_priced_arm_dearest(fluid->priced[a]));
        find_distances(fluid, a);
    }
    int64_t words = og_arms_capped(arms) + 1;
    fluid->bytes_most = memory_bytes / 2;
    OG_TRY(og_memo_new(memory_bytes / 2,
                       words < OG_MEMO_KEY_WORDS ? (int32_t)words : OG_MEMO_KEY_WORDS,
                       &fluid->memo));
    og_memo_join(fluid->memo, &fluid->user);
    fluid->joined = true;
    return OG_OK;
}

og_status og_fluid_new(const og_arms *arms, uint64_t memory_bytes, og_stop *stop, og_fluid **out)
{
    og_fluid *fluid = og_arena_new(sizeof *fluid);
    OG_TRY(OG_ALLOCATED(fluid));
    fluid->arms = arms;
    fluid->stop = stop;
    return OG_MADE(allocate(fluid, memory_bytes), fluid, og_fluid_free, out);
}

/* Frees the plans that are not live. */
static void drop_plans(og_fluid *fluid, site *at)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < at->count; i++) {
        if (at->plan[i]->live) {
            at->plan[kept++] = at->plan[i];
        } else {
            fluid->bytes -= sizeof(plan) + (size_t)at->plan[i]->from * sizeof(double);
            free(at->plan[i]);
        }
    }
    at->count = kept;
}

static void forget_plans(og_fluid *fluid)
{
    uint32_t nodes = fluid->sites == NULL ? 0 : fluid->arms->node_offset[fluid->arms->arm_count];
    for (uint32_t n = 0; n < nodes; n++) {
        for (int32_t i = 0; i < fluid->sites[n].count; i++) {
            free(fluid->sites[n].plan[i]);
        }
        free(fluid->sites[n].plan);
        fluid->sites[n].plan = NULL;
        fluid->sites[n].room = 0;
        fluid->sites[n].count = 0;
    }
    fluid->bytes = 0;
}

void og_fluid_free(og_fluid *fluid)
{
    if (fluid == NULL) {
        return;
    }
    og_fluid_leave(fluid);
    forget_plans(fluid);
    for (int32_t a = 0; fluid->priced != NULL && a < fluid->arms->arm_count; a++) {
        og_priced_arm_free(fluid->priced[a]);
    }
    if (fluid->joined) {
        og_memo_leave(&fluid->user);
    }
    og_memo_free(fluid->memo);
    free(fluid->key);
    free(fluid->place);
    free(fluid->seats);
    free(fluid->node);
    free(fluid->gain);
    og_arena_free(fluid);
}

/* ---- the model ---- */

static void mark_live(void *label)
{
    plan *at = label;
    at->live = true;
}

void og_fluid_leave(og_fluid *fluid)
{
    if (!fluid->open) {
        return;
    }
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        site *at = &fluid->sites[fluid->seats[i].node];
        for (int32_t k = 0; k < at->count; k++) {
            at->plan[k]->live = at->plan[k]->from > fluid->left;
        }
    }
    if (fluid->search.master != NULL) {
        og_price_master_each(fluid->search.master, mark_live);
    }
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        drop_plans(fluid, &fluid->sites[fluid->seats[i].node]);
        fluid->sites[fluid->seats[i].node].seat = -1;
    }
    og_price_search_clear(&fluid->search);
    fluid->open = false;
    if (fluid->bytes > fluid->bytes_most) {
        forget_plans(fluid);
    }
}

/* Adds a plan's plane to the model. */
static og_status add_plane(og_fluid *fluid, int32_t number, plan *kept)
{
    double *bought = fluid->search.slope;
    for (int32_t left = fluid->left; left >= 1; left--) {
        bought[fluid->left - left] = left <= kept->from ? kept->bought[left - 1] : 0;
    }
    return og_price_search_cut(&fluid->search,
                               &(og_price_plane){.part = number,
                                                 .weight = fluid->seats[number].weight,
                                                 .intercept = kept->intercept,
                                                 .bought = bought,
                                                 .label = kept});
}

/* Keeps the plan of a seat at the prices that were just evaluated, and adds its plane. */
static og_status keep_plan(og_fluid *fluid, int32_t number, const double *price)
{
    const seat *at = &fluid->seats[number];
    site *where = &fluid->sites[at->node];
    double *bought = fluid->search.slope, intercept = at->gain;
    int32_t from = fluid->left;
    og_priced_arm_bought(fluid->priced[at->arm], at->node - fluid->arms->node_offset[at->arm],
                         bought);
    while (from > 0 && bought[fluid->left - from] == 0) {
        from--;
    }
    size_t bytes = sizeof(plan) + (size_t)from * sizeof(double);
    plan **grown = og_grown(where->plan, &where->room, (size_t)where->count + 1, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    where->plan = grown;
    plan *kept = malloc(bytes);
    OG_TRY(OG_ALLOCATED(kept));
    for (int32_t left = 1; left <= from; left++) {
        kept->bought[left - 1] = bought[fluid->left - left];
        intercept += bought[fluid->left - left] * price[fluid->left - left];
    }
    kept->intercept = intercept;
    kept->from = from;
    kept->live = true;
    where->plan[where->count++] = kept;
    fluid->bytes += bytes;
    return add_plane(fluid, number, kept);
}

/* Computes the gains of all seats of an arm that the state has; *error: of each. */
static og_status value_arm(og_fluid *fluid, int32_t arm, const double *price, double *error)
{
    og_priced_start start = {.low = INT32_MAX, .stages = fluid->left, .node = fluid->node};
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        const seat *at = &fluid->seats[i];
        if (at->arm == arm && at->weight > 0) {
            fluid->node[start.count++] = at->node - fluid->arms->node_offset[arm];
            start.low = at->level < start.low ? at->level : start.low;
            start.high = at->level > start.high ? at->level : start.high;
        }
    }
    *error = 0;
    if (start.count == 0) {
        return OG_OK;
    }
    OG_TRY(og_priced_arm_from(fluid->priced[arm], &start, price, fluid->gain, error));
    int32_t found = 0;
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        if (fluid->seats[i].arm == arm && fluid->seats[i].weight > 0) {
            fluid->seats[i].gain = fluid->gain[found++];
        }
    }
    return OG_OK;
}

/* For og_price_problem. */
static og_status value_and_cut(void *user, const double *price, og_relaxed *out)
{
    og_fluid *fluid = user;
    double unit = DBL_EPSILON / 2, sum = 0, charge = 0, errors = 0;
    bool proposed = price == fluid->search.proposal;
    for (int32_t arm = 0; arm < fluid->arms->arm_count; arm++) {
        double error;
        OG_TRY(value_arm(fluid, arm, price, &error));
        for (int32_t i = 0; i < fluid->seat_count; i++) {
            const seat *at = &fluid->seats[i];
            if (at->arm != arm || at->weight == 0) {
                continue;
            }
            sum += at->weight * at->gain;
            errors += at->weight * error;
            if (at->gain > (proposed ? fluid->search.worth[i] + near_part : 0)) {
                OG_TRY(keep_plan(fluid, i, price));
            }
        }
    }
    for (int32_t l = 0; l < fluid->left; l++) {
        charge += price[l];
    }
    *out = (og_relaxed){.value = sum + charge};
    out->error =
        1.01 * (errors + ((fluid->seat_count + 2) * sum + (fluid->left + 2) * charge) * unit) +
        8 * unit * out->value;
    return OG_OK;
}

static uint64_t work_of(void *user)
{
    (void)user;
    return 0; /* no limit but `stop` */
}

static og_status open_model(og_fluid *fluid, int32_t left)
{
    if (fluid->open && fluid->left == left) {
        return OG_OK;
    }
    og_fluid_leave(fluid);
    fluid->open = true;
    fluid->left = left;
    fluid->seat_count = 0;
    OG_TRY(og_price_search_init(left, &fluid->search));
    fluid->search.problem = (og_price_problem){fluid, value_and_cut, work_of};
    fluid->search.stop = fluid->stop;
    fluid->search.enough = OG_FLUID_GAP;
    fluid->search.proved = true;
    OG_TRY(og_price_master_new(0, left, fluid->dearest, &fluid->search.master));
    og_price_master_limit(fluid->search.master, STEPS_MOST);
    og_price_master_idle(fluid->search.master, IDLE_MOST);
    return OG_OK;
}

/* Gives a node a seat, with its planes. */
static og_status add_seat(og_fluid *fluid, uint32_t node)
{
    size_t need = (size_t)fluid->seat_count + 1;
    seat *seats = og_grown(fluid->seats, &fluid->seat_room, need, sizeof *seats);
    OG_TRY(OG_ALLOCATED(seats));
    fluid->seats = seats;
    uint32_t *nodes = og_grown(fluid->node, &fluid->node_room, need, sizeof *nodes);
    OG_TRY(OG_ALLOCATED(nodes));
    fluid->node = nodes;
    double *gain = og_grown(fluid->gain, &fluid->gain_room, need, sizeof *gain);
    OG_TRY(OG_ALLOCATED(gain));
    fluid->gain = gain;
    int32_t arm = og_arms_arm_of(fluid->arms, node), number;
    OG_TRY(og_price_search_parts(&fluid->search, (int32_t)need));
    OG_TRY(og_price_master_part(fluid->search.master, &number));
    assert(number == fluid->seat_count);
    seats[number] = (seat){.node = node, .arm = arm};
    seats[number].level = og_arm_level(fluid->arms->arm[arm], node - fluid->arms->node_offset[arm]);
    site *at = &fluid->sites[node];
    at->seat = number;
    fluid->seat_count++;
    for (int32_t i = 0; i < at->count; i++) {
        if (at->plan[i]->from <= fluid->left) {
            OG_TRY(add_plane(fluid, number, at->plan[i]));
        }
    }
    return OG_OK;
}

/* Sets the weights; *fresh: a node of the state has no planes. */
static og_status seat_state(og_fluid *fluid, int32_t count, bool *fresh)
{
    *fresh = false;
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        fluid->seats[i].weight = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        site *at = &fluid->sites[fluid->place[i].node];
        if (at->seat < 0) {
            OG_TRY(add_seat(fluid, fluid->place[i].node));
        }
        fluid->seats[at->seat].weight = (double)fluid->place[i].copies;
        *fresh = *fresh || at->count == 0;
    }
    for (int32_t i = 0; i < fluid->seat_count; i++) {
        OG_TRY(og_price_master_weigh(fluid->search.master, i, fluid->seats[i].weight));
    }
    return OG_OK;
}

/* ---- values ---- */

/* Finds prices to begin with: those of the whole problem. */
static og_status find_reference(og_fluid *fluid)
{
    og_upper_bound bound;
    if (fluid->referenced) {
        return OG_OK;
    }
    OG_TRY(og_bound_lagrangian_vector(fluid->arms, 1, fluid->stop, &bound));
    for (int32_t l = 0; l < bound.price_count; l++) {
        fluid->reference[fluid->arms->budget - l] = bound.price[l];
    }
    og_bound_clear(&bound);
    fluid->referenced = true;
    return OG_OK;
}

static og_status begin_at_reference(og_fluid *fluid)
{
    for (int32_t left = 1; left <= fluid->left; left++) {
        fluid->search.trial[fluid->left - left] = fluid->reference[left];
    }
    return og_price_search_value(&fluid->search, fluid->search.trial);
}

static bool is_solved(const og_price_search *search)
{
    double gap = search->found.value - search->least;
    return gap <= OG_FLUID_GAP && gap + search->found.error + search->rounding <= OG_FLUID_ERROR;
}

static og_status solve(og_fluid *fluid, bool fresh)
{
    og_price_search *search = &fluid->search;
    double gap;
    search->found = (og_relaxed){.value = INFINITY};
    search->least = -INFINITY;
    search->converged = false;
    if (fresh) {
        OG_TRY(begin_at_reference(fluid));
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
    OG_TRY(og_stop_status(fluid->stop));
    for (int32_t left = 1; left <= fluid->left; left++) {
        fluid->reference[left] = search->best[fluid->left - left];
    }
    return is_solved(search) ? OG_OK : OG_FAILED;
}

static og_status solve_state(og_fluid *fluid, int32_t count, int32_t left)
{
    bool fresh;
    OG_TRY(open_model(fluid, left));
    OG_TRY(seat_state(fluid, count, &fresh));
    return solve(fluid, fresh);
}

/* Copies the places that can gain; an instance beyond the r-th of equal ones adds nothing. */
static og_status take_places(og_fluid *fluid, const og_fluid_place *place, int32_t count,
                             int32_t left, int32_t *taken)
{
    size_t need = (size_t)count + 1;
    og_fluid_place *own = og_grown(fluid->place, &fluid->place_room, need, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    fluid->place = own;
    uint64_t *key = og_grown(fluid->key, &fluid->key_room, need, sizeof *key);
    OG_TRY(OG_ALLOCATED(key));
    fluid->key = key;
    *taken = 0;
    key[0] = (uint64_t)left + 1;
    for (int32_t i = 0; i < count; i++) {
        assert(i == 0 || place[i - 1].node < place[i].node);
        if (fluid->sites[place[i].node].distance < left) {
            int64_t copies = place[i].copies < left ? place[i].copies : left;
            own[*taken] = (og_fluid_place){place[i].node, copies};
            key[++*taken] = (uint64_t)place[i].node | (uint64_t)copies << 32;
        }
    }
    return OG_OK;
}

/* With one label left. */
static double largest_reward(const og_fluid *fluid, int32_t count)
{
    double largest = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = og_arms_arm_of(fluid->arms, fluid->place[i].node);
        uint32_t node = fluid->place[i].node - fluid->arms->node_offset[arm];
        largest = fmax(largest, fluid->arms->arm[arm]->reward[node]);
    }
    return largest;
}

og_status og_fluid_value(og_fluid *fluid, const og_fluid_place *place, int32_t count, int32_t left,
                         double *value)
{
    int32_t taken;
    OG_TRY(take_places(fluid, place, count, left, &taken));
    if (left <= 1 || taken == 0) {
        *value = left <= 0 ? 0 : largest_reward(fluid, taken);
        return OG_OK;
    }
    int32_t words = taken + 1;
    bool remembered = words <= OG_MEMO_KEY_WORDS;
    uint64_t hash = remembered ? og_memo_hash(fluid->key, words) : 0;
    if (remembered && og_memo_get(&fluid->user, fluid->key, words, hash, value)) {
        return OG_OK;
    }
    OG_TRY(find_reference(fluid));
    og_status status = solve_state(fluid, taken, left);
    if (status == OG_FAILED) { /* GLPK may have lost its way: once more with a new model */
        og_fluid_leave(fluid);
        status = solve_state(fluid, taken, left);
    }
    OG_TRY(status);
    *value = fluid->search.found.value;
    if (remembered) {
        og_memo_put(&fluid->user, fluid->key, words, hash, *value, 1);
    }
    return OG_OK;
}
