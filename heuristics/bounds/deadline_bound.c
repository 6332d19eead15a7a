/*
 * Computes the Lagrangian bounds of labels with a deadline. At given prices, one pass over the
 * states of each distinct arm, successors first, computes v_z, and one pass over the moments of
 * workers computes C_z. A second pass over both, from the root, computes how often a worker of each
 * moment is among the T and how often one is taken; the difference is the slope of B in the
 * worker's price.
 *
 * The search. B is convex and piecewise linear in thousands of prices. Interchangeable instances
 * take or leave a worker together, so that the minimum of B lies on an edge. Subgradients find it
 * slowly but need no linear programme. Each step has the length that would reach a target below the
 * best value so far if B were linear (Polyak), in prices weighted with the probability that their
 * worker comes. The target moves closer if it is not reached for a while [Brannlund; Nedic and
 * Bertsekas, "Incremental subgradient methods for nondifferentiable optimization", SIAM J. Optim.
 * 12 (2001)]. The result does not depend on the search: every value is B at prices >= 0.
 *
 * Rounding. Let u = 2^-53, rho and pi the arm's relative errors of R and p, n its outcomes, T the
 * labels, D the slots, W the workers who can come in them, R the largest reward, F >= every
 * computed value, z the largest price. A path has three kinds of steps. There are W means over an
 * arrival: probabilities with error 3u, and 3 roundings. There are at most M = T D moves of a
 * label: probabilities with error pi + (n + 3) u, a mean over n + 1 outcomes, and a reward with
 * error rho and two roundings, which is not 0 for T moves only. There are W workers, whose price
 * adds two roundings. max() does not widen an error:
 *
 *   error <= 1.02 (W 6u F + M (pi + (3n + 10) u) (F + R) + T rho R + W 2u (z + F))
 *
 * The payment of workers is a sum of positive terms through W such means and W sums, with relative
 * error W 8u.
 * Checked by tests/test_deadline.c: bound_is_the_recursion_of_one_instance_at_its_price
 */
#include "heuristics/bounds/deadline_bound.h"

#include <math.h>
#include <stdlib.h>

#include "heuristics/bounds/upper_lines.h"

enum { TAKEN, NOT_TAKEN, SENT_AWAY };

/* Total states visited by a search, smallest and largest number of evaluations, and number of
 * rounds without a lower value after which the target moves closer. */
enum { WORK = 100000000, LEAST = 20, MOST = 2000, PATIENCE = 60 };

typedef struct {
    double value, purchases;
} place;

typedef struct {
    og_arena arena;
    const og_arms *arms;
    const og_deadline *deadline;
    og_deadline_alone **alone; /* [arm_count] */
    double *count;             /* [arm_count] instances */
    place *place;              /* [most states of an arm] */
    double *reach;             /* [most states of an arm] probability of reaching the state */
    int32_t at_once;
    size_t row;     /* labels left, 0 .. T */
    size_t moments; /* [slots][at_once][row] */
    double *price;  /* [moments] with turn_away the same for all labels left */
    double *pays;   /* [moments] payments from this moment on, before the arrival of a worker is
                       decided */
    double *here;   /* [moments] probability of reaching the moment */
    double *free_workers; /* [moments] workers among the T minus workers taken: the slope */
    double *weight;       /* [moments] probability that a worker comes */
    double prior, prior_error;
    double dearest; /* at this price no label is bought */
    int32_t evaluations;
} relaxed_deadline;

/* ---- moments ---- */

static size_t moment_at(const relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left)
{
    size_t slot = (size_t)(slots - 1) * (size_t)relaxed->at_once + (size_t)come;
    return slot * relaxed->row + (size_t)left;
}

/* Finds the next moment at which a worker may come; false if there is none. */
static bool next_moment(const relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left,
                        size_t *next)
{
    if (come == relaxed->at_once) {
        slots--;
        come = 0;
    }
    left = slots > 0 ? og_deadline_labels_left(relaxed->deadline, slots, come, left) : 0;
    *next = left > 0 ? moment_at(relaxed, slots, come, left) : 0;
    return left > 0;
}

static double pays_at(const relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left)
{
    size_t next;
    return next_moment(relaxed, slots, come, left, &next) ? relaxed->pays[next] : 0;
}

/* True if the arriving worker counts among the T: always without turn_away, else if that pays more
 * than turning the worker away. */
static bool is_used(const relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left)
{
    double price = relaxed->price[moment_at(relaxed, slots, come, left)];
    return !relaxed->deadline->turn_away || price + pays_at(relaxed, slots, come + 1, left - 1) >
                                                pays_at(relaxed, slots, come + 1, left);
}

static void chances(const relaxed_deadline *relaxed, int32_t come, double *comes, double *none)
{
    og_fraction p = og_deadline_arrival(relaxed->deadline, come);
    *comes = og_fraction_double(p);
    *none = (double)(p.den - p.num) / (double)p.den;
}

/* C, all moments filled. */
static double find_payments(relaxed_deadline *relaxed)
{
    int32_t labels = relaxed->arms->budget;
    for (int32_t slots = 1; slots <= relaxed->deadline->slots; slots++) {
        for (int32_t come = relaxed->at_once - 1; come >= 0; come--) {
            double comes, none;
            chances(relaxed, come, &comes, &none);
            int32_t most = og_deadline_labels_left(relaxed->deadline, slots, come, labels);
            for (int32_t left = 1; left <= most; left++) {
                size_t at = moment_at(relaxed, slots, come, left);
                bool used = is_used(relaxed, slots, come, left);
                double with = (used ? relaxed->price[at] : 0) +
                              pays_at(relaxed, slots, come + 1, used ? left - 1 : left);
                relaxed->pays[at] =
                    comes * with + none * pays_at(relaxed, slots, relaxed->at_once, left);
            }
        }
    }
    return pays_at(relaxed, relaxed->deadline->slots, 0, labels);
}

static void go_on(relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left,
                  double chance)
{
    size_t next;
    if (next_moment(relaxed, slots, come, left, &next)) {
        relaxed->here[next] += chance;
    }
}

/* The position of a moment's price; with turn_away it is the same for all labels left. */
static size_t price_at(const relaxed_deadline *relaxed, int32_t slots, int32_t come, int32_t left)
{
    return moment_at(relaxed, slots, come, relaxed->deadline->turn_away ? 0 : left);
}

/* Computes how often a worker of each moment is one of the T, after the payments. */
static void find_workers(relaxed_deadline *relaxed)
{
    for (size_t i = 0; i < relaxed->moments; i++) {
        relaxed->here[i] = relaxed->free_workers[i] = relaxed->weight[i] = 0;
    }
    go_on(relaxed, relaxed->deadline->slots, 0, relaxed->arms->budget, 1);
    for (int32_t slots = relaxed->deadline->slots; slots >= 1; slots--) {
        for (int32_t come = 0; come < relaxed->at_once; come++) {
            double comes, none;
            chances(relaxed, come, &comes, &none);
            for (int32_t left = relaxed->arms->budget; left >= 1; left--) {
                double chance = relaxed->here[moment_at(relaxed, slots, come, left)];
                if (chance > 0) {
                    bool used = is_used(relaxed, slots, come, left);
                    go_on(relaxed, slots, come + 1, used ? left - 1 : left, chance * comes);
                    go_on(relaxed, slots, relaxed->at_once, left, chance * none);
                    size_t at = price_at(relaxed, slots, come, left);
                    relaxed->weight[at] += chance * comes;
                    relaxed->free_workers[at] += used * chance * comes;
                }
            }
        }
    }
}

/* ---- instances ---- */

static place place_at(const relaxed_deadline *relaxed, uint32_t state)
{
    return state == OG_ALONE_END ? (place){0, 0} : relaxed->place[state];
}

static uint32_t left_to(const relaxed_deadline *relaxed, const og_alone_way *way)
{
    return way[relaxed->deadline->turn_away ? SENT_AWAY : NOT_TAKEN].to;
}

static place taken_at(const relaxed_deadline *relaxed, const og_alone_state *at,
                      const og_alone_way *way)
{
    place taken = place_at(relaxed, way[TAKEN].to);
    taken.value -= relaxed->price[moment_at(relaxed, at->slots, at->come, at->left)];
    taken.purchases += 1;
    return taken;
}

/* A worker is taken only if that gains something. */
static place serve(const relaxed_deadline *relaxed, const og_alone_state *at,
                   const og_alone_way *way)
{
    place taken = taken_at(relaxed, at, way), left = place_at(relaxed, left_to(relaxed, way));
    return taken.value > left.value ? taken : left;
}

static place value_arm(const relaxed_deadline *relaxed, const og_deadline_alone *alone,
                       double *largest)
{
    for (uint32_t i = 0; i < alone->count; i++) {
        const og_alone_state *at = &alone->state[i];
        const og_alone_way *way = &alone->way[at->first];
        place sum = {at->reward, 0};
        for (uint32_t k = 0; !at->worker && k < at->end - at->first; k++) {
            place next = place_at(relaxed, way[k].to);
            sum.value += way[k].chance * next.value;
            sum.purchases += way[k].chance * next.purchases;
        }
        relaxed->place[i] = at->worker ? serve(relaxed, at, way) : sum;
        *largest = fmax(*largest, relaxed->place[i].value);
    }
    return place_at(relaxed, alone->root);
}

static void come_to(relaxed_deadline *relaxed, uint32_t state, double chance)
{
    if (state != OG_ALONE_END) {
        relaxed->reach[state] += chance;
    }
}

/* Subtracts the workers that `count` instances take, after the evaluation of the arm. */
static void take_workers(relaxed_deadline *relaxed, const og_deadline_alone *alone, double count)
{
    for (uint32_t i = 0; i < alone->count; i++) {
        relaxed->reach[i] = 0;
    }
    come_to(relaxed, alone->root, count);
    for (uint32_t i = alone->count; i-- > 0;) {
        const og_alone_state *at = &alone->state[i];
        const og_alone_way *way = &alone->way[at->first];
        double reach = relaxed->reach[i];
        for (uint32_t k = 0; reach > 0 && !at->worker && k < at->end - at->first; k++) {
            come_to(relaxed, way[k].to, reach * way[k].chance);
        }
        if (reach > 0 && at->worker) {
            bool taken =
                taken_at(relaxed, at, way).value > place_at(relaxed, left_to(relaxed, way)).value;
            come_to(relaxed, taken ? way[TAKEN].to : left_to(relaxed, way), reach);
            relaxed->free_workers[price_at(relaxed, at->slots, at->come, at->left)] -=
                taken * reach;
        }
    }
}

/* ---- B ---- */

static double error_of(const relaxed_deadline *relaxed, const og_arm *arm, double price,
                       double largest)
{
    const double u = 0x1p-53;
    double slots = relaxed->deadline->slots, labels = arm->depth, n = arm->outcome_count;
    double workers = slots * relaxed->at_once;
    double reward = relaxed->dearest;
    double move = arm->probability_error + (3 * n + 10) * u;
    return 1.02 * (workers * 6 * u * largest + labels * slots * move * (largest + reward) +
                   labels * arm->reward_error * reward + workers * 2 * u * (price + largest));
}

/* Computes B and its error at the current prices, and relaxed->free_workers if `slopes`. */
static void evaluate(relaxed_deadline *relaxed, bool slopes, double *bound, double *purchases,
                     double *error)
{
    double pays = find_payments(relaxed), dearest = 0;
    double value = relaxed->prior + pays, bought = 0;
    double off = relaxed->prior_error +
                 1.02 * relaxed->deadline->slots * relaxed->at_once * 8 * 0x1p-53 * pays;
    for (size_t i = 0; i < relaxed->moments; i++) {
        dearest = fmax(dearest, relaxed->price[i]);
    }
    if (slopes) {
        find_workers(relaxed);
    }
    for (int32_t a = 0; a < relaxed->arms->arm_count; a++) {
        double largest = 0;
        place found = value_arm(relaxed, relaxed->alone[a], &largest);
        value += relaxed->count[a] * found.value;
        bought += relaxed->count[a] * found.purchases;
        off += relaxed->count[a] * error_of(relaxed, relaxed->arms->arm[a], dearest, largest);
        if (slopes) {
            take_workers(relaxed, relaxed->alone[a], relaxed->count[a]);
        }
    }
    off += 0x1p-52 * (relaxed->arms->arm_count + 3) * fabs(value);
    relaxed->evaluations++;
    *bound = value;
    *purchases = bought;
    *error = 1.02 * off;
}

static void set_price(relaxed_deadline *relaxed, double price)
{
    for (size_t i = 0; i < relaxed->moments; i++) {
        relaxed->price[i] = price;
    }
}

/* B at one price for all: C is the price times the expected number of workers. */
static og_status line_at(void *context, double price, og_line *out)
{
    relaxed_deadline *relaxed = context;
    double purchases;
    set_price(relaxed, 1);
    double workers = find_payments(relaxed);
    set_price(relaxed, price);
    *out = (og_line){.price = price};
    evaluate(relaxed, false, &out->value, &purchases, &out->error);
    out->slope = workers - purchases;
    return OG_OK;
}

/* ---- a price for each moment ---- */

typedef struct {
    double best, best_error;
    double below; /* distance of the target below the best value */
    int32_t waited;
} progress;

/* One step against the slope, with the length that reaches the target if B is linear; false if the
 * slope is 0. */
static bool step_down(relaxed_deadline *relaxed, double distance)
{
    double length = 0;
    for (size_t i = 0; i < relaxed->moments; i++) {
        if (relaxed->weight[i] > 0 && (relaxed->price[i] > 0 || relaxed->free_workers[i] < 0)) {
            length += relaxed->free_workers[i] * relaxed->free_workers[i] / relaxed->weight[i];
        }
    }
    for (size_t i = 0; length > 0 && i < relaxed->moments; i++) {
        if (relaxed->weight[i] > 0) {
            double price = relaxed->price[i] -
                           distance / length * relaxed->free_workers[i] / relaxed->weight[i];
            relaxed->price[i] = fmin(fmax(price, 0), relaxed->dearest);
        }
    }
    return length > 0;
}

/* With turn_away the prices at 0 labels left are used: copies them to the other numbers of labels
 * left. */
static void copy_prices(relaxed_deadline *relaxed)
{
    for (size_t i = 0; relaxed->deadline->turn_away && i < relaxed->moments; i++) {
        relaxed->price[i] = relaxed->price[i - i % relaxed->row];
    }
}

static int32_t evaluations_most(const relaxed_deadline *relaxed)
{
    uint64_t states = relaxed->moments;
    for (int32_t a = 0; a < relaxed->arms->arm_count; a++) {
        states += relaxed->alone[a]->way_count;
    }
    uint64_t most = WORK / (states + 1);
    return most < LEAST ? LEAST : most > MOST ? MOST : (int32_t)most;
}

/* Searches from the current prices; `first` is B there. */
static og_status search(relaxed_deadline *relaxed, const og_line *first, og_stop *stop,
                        og_upper_bound *out)
{
    progress now = {.best = first->value, .best_error = first->error};
    int32_t most = evaluations_most(relaxed);
    now.below = 0.05 * (now.best - relaxed->prior);
    bool flat = false;
    for (int32_t i = 0; i < most && !flat && (stop == NULL || !og_stop_asked(stop)); i++) {
        double value, purchases, error;
        evaluate(relaxed, true, &value, &purchases, &error);
        now.waited++;
        if (value < now.best) {
            now.waited = value < now.best - 0.1 * now.below ? 0 : now.waited;
            now.best = value;
            now.best_error = error;
        }
        if (now.waited > PATIENCE) {
            now.below /= 2;
            now.waited = 0;
        }
        flat = !step_down(relaxed, value - now.best + now.below);
        copy_prices(relaxed);
    }
    *out = (og_upper_bound){.value = now.best + now.best_error,
                            .error = now.best_error,
                            .evaluations = relaxed->evaluations,
                            .converged = flat};
    return OG_OK;
}

/* ---- opening ---- */

static og_status allocate_moments(relaxed_deadline *relaxed, uint64_t *memory_bytes,
                                  og_message *message)
{
    relaxed->at_once = og_deadline_at_once(relaxed->deadline);
    relaxed->row = (size_t)relaxed->arms->budget + 1;
    relaxed->moments = (size_t)relaxed->deadline->slots * (size_t)relaxed->at_once * relaxed->row;
    uint64_t bytes = relaxed->moments * 5 * sizeof *relaxed->price;
    if (bytes > *memory_bytes) {
        return og_message_set(message, OG_NO_MEMORY,
                              "the prices of workers do not fit the memory limit");
    }
    *memory_bytes -= bytes;
    relaxed->price = og_arena_array(&relaxed->arena, relaxed->moments, sizeof *relaxed->price);
    relaxed->pays = og_arena_array(&relaxed->arena, relaxed->moments, sizeof *relaxed->pays);
    relaxed->here = og_arena_array(&relaxed->arena, relaxed->moments, sizeof *relaxed->here);
    relaxed->free_workers =
        og_arena_array(&relaxed->arena, relaxed->moments, sizeof *relaxed->free_workers);
    relaxed->weight = og_arena_array(&relaxed->arena, relaxed->moments, sizeof *relaxed->weight);
    return og_arena_status(&relaxed->arena);
}

static og_status relaxed_init(relaxed_deadline *relaxed, const og_arms *arms,
                              const og_deadline *deadline, uint64_t memory_bytes, og_stop *stop,
                              og_message *message)
{
    size_t count = (size_t)arms->arm_count;
    uint32_t most = 0;
    *relaxed = (relaxed_deadline){.arms = arms, .deadline = deadline};
    OG_TRY(allocate_moments(relaxed, &memory_bytes, message));
    relaxed->alone = og_arena_array(&relaxed->arena, count, sizeof *relaxed->alone);
    relaxed->count = og_arena_array(&relaxed->arena, count, sizeof *relaxed->count);
    OG_TRY(og_arena_status(&relaxed->arena));
    relaxed->prior = og_arms_prior_value(arms, &relaxed->prior_error);
    for (size_t a = 0; a < count; a++) {
        const og_arm *arm = arms->arm[a];
        relaxed->count[a] = (double)og_arms_copies(arms, (int32_t)a);
        for (uint32_t i = 0; i < arm->level[arm->depth]; i++) {
            relaxed->dearest = fmax(relaxed->dearest, arm->reward[i]);
        }
        OG_TRY(
            og_deadline_alone_new(arm, deadline, memory_bytes, stop, &relaxed->alone[a], message));
        memory_bytes -= relaxed->alone[a]->bytes;
        most = relaxed->alone[a]->count > most ? relaxed->alone[a]->count : most;
    }
    relaxed->place = og_arena_array(&relaxed->arena, most, sizeof *relaxed->place);
    relaxed->reach = og_arena_array(&relaxed->arena, most, sizeof *relaxed->reach);
    return og_arena_status(&relaxed->arena);
}

static void relaxed_clear(relaxed_deadline *relaxed)
{
    for (int32_t a = 0; relaxed->alone != NULL && a < relaxed->arms->arm_count; a++) {
        og_deadline_alone_free(relaxed->alone[a]);
    }
    og_arena_clear(&relaxed->arena);
}

static void set_prices(relaxed_deadline *relaxed, const og_deadline_prices *prices)
{
    for (size_t i = 0; i < relaxed->moments; i++) {
        size_t slot = i / relaxed->row;
        int32_t left = relaxed->deadline->turn_away ? -1 : (int32_t)(i % relaxed->row);
        relaxed->price[i] =
            prices->at(prices->context, 1 + (int32_t)(slot / (size_t)relaxed->at_once),
                       (int32_t)(slot % (size_t)relaxed->at_once), left);
    }
}

og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, const og_deadline_prices *prices,
                                     og_upper_bound *out, og_message *message)
{
    relaxed_deadline relaxed;
    double found = 0, off = 0, purchases;
    og_status status = relaxed_init(&relaxed, arms, deadline, memory_bytes, NULL, message);
    if (status == OG_OK) {
        set_prices(&relaxed, prices);
        evaluate(&relaxed, false, &found, &purchases, &off);
        out->value = found + off;
        out->error = off;
    }
    relaxed_clear(&relaxed);
    return status;
}

og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_stop *stop, og_upper_bound *out, og_message *message)
{
    relaxed_deadline relaxed;
    og_line best;
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = relaxed_init(&relaxed, arms, deadline, memory_bytes, stop, message);
    OG_THEN(status, og_lines_least(line_at, &relaxed, 0, relaxed.dearest, &best, &bound.converged));
    if (status == OG_OK) {
        bound.price[0] = best.price;
        bound.value = best.value + best.error;
        bound.error = best.error;
        bound.evaluations = relaxed.evaluations;
        *out = bound;
    } else {
        og_bound_clear(&bound);
    }
    relaxed_clear(&relaxed);
    return status;
}

og_status og_bound_deadline_vector(const og_arms *arms, const og_deadline *deadline,
                                   uint64_t memory_bytes, og_stop *stop, og_upper_bound *out,
                                   og_message *message)
{
    relaxed_deadline relaxed;
    og_line best;
    bool converged;
    og_status status = relaxed_init(&relaxed, arms, deadline, memory_bytes, stop, message);
    OG_THEN(status, og_lines_least(line_at, &relaxed, 0, relaxed.dearest, &best, &converged));
    if (status == OG_OK) {
        set_price(&relaxed, best.price);
        status = search(&relaxed, &best, stop, out);
    }
    relaxed_clear(&relaxed);
    return status;
}
