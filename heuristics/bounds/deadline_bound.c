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

static size_t moment_at(const relaxed_deadline *of, int32_t slots, int32_t come, int32_t left)
{
    size_t slot = (size_t)(slots - 1) * (size_t)of->at_once + (size_t)come;
    return slot * of->row + (size_t)left;
}

/* Finds the next moment at which a worker may come; false if there is none. */
static bool next_moment(const relaxed_deadline *of, int32_t slots, int32_t come, int32_t left,
                        size_t *next)
{
    if (come == of->at_once) {
        slots--;
        come = 0;
    }
    left = slots > 0 ? og_deadline_labels_left(of->deadline, slots, come, left) : 0;
    *next = left > 0 ? moment_at(of, slots, come, left) : 0;
    return left > 0;
}

static double pays_at(const relaxed_deadline *of, int32_t slots, int32_t come, int32_t left)
{
    size_t next;
    return next_moment(of, slots, come, left, &next) ? of->pays[next] : 0;
}

/* True if the arriving worker counts among the T: always without turn_away, else if that pays more
 * than turning the worker away. */
static bool is_used(const relaxed_deadline *of, int32_t slots, int32_t come, int32_t left)
{
    double price = of->price[moment_at(of, slots, come, left)];
    return !of->deadline->turn_away ||
           price + pays_at(of, slots, come + 1, left - 1) > pays_at(of, slots, come + 1, left);
}

static void chances(const relaxed_deadline *of, int32_t come, double *comes, double *none)
{
    og_fraction p = og_deadline_arrival(of->deadline, come);
    *comes = og_fraction_double(p);
    *none = (double)(p.den - p.num) / (double)p.den;
}

/* C, all moments filled. */
static double find_payments(relaxed_deadline *of)
{
    int32_t labels = of->arms->budget;
    for (int32_t slots = 1; slots <= of->deadline->slots; slots++) {
        for (int32_t come = of->at_once - 1; come >= 0; come--) {
            double comes, none;
            chances(of, come, &comes, &none);
            int32_t most = og_deadline_labels_left(of->deadline, slots, come, labels);
            for (int32_t left = 1; left <= most; left++) {
                size_t at = moment_at(of, slots, come, left);
                bool used = is_used(of, slots, come, left);
                double with = (used ? of->price[at] : 0) +
                              pays_at(of, slots, come + 1, used ? left - 1 : left);
                of->pays[at] = comes * with + none * pays_at(of, slots, of->at_once, left);
            }
        }
    }
    return pays_at(of, of->deadline->slots, 0, labels);
}

static void go_on(relaxed_deadline *of, int32_t slots, int32_t come, int32_t left, double chance)
{
    size_t next;
    if (next_moment(of, slots, come, left, &next)) {
        of->here[next] += chance;
    }
}

/* The position of a moment's price; with turn_away it is the same for all labels left. */
static size_t price_at(const relaxed_deadline *of, int32_t slots, int32_t come, int32_t left)
{
    return moment_at(of, slots, come, of->deadline->turn_away ? 0 : left);
}

/* Computes how often a worker of each moment is one of the T, after the payments. */
static void find_workers(relaxed_deadline *of)
{
    for (size_t i = 0; i < of->moments; i++) {
        of->here[i] = of->free_workers[i] = of->weight[i] = 0;
    }
    go_on(of, of->deadline->slots, 0, of->arms->budget, 1);
    for (int32_t slots = of->deadline->slots; slots >= 1; slots--) {
        for (int32_t come = 0; come < of->at_once; come++) {
            double comes, none;
            chances(of, come, &comes, &none);
            for (int32_t left = of->arms->budget; left >= 1; left--) {
                double chance = of->here[moment_at(of, slots, come, left)];
                if (chance > 0) {
                    bool used = is_used(of, slots, come, left);
                    go_on(of, slots, come + 1, used ? left - 1 : left, chance * comes);
                    go_on(of, slots, of->at_once, left, chance * none);
                    size_t at = price_at(of, slots, come, left);
                    of->weight[at] += chance * comes;
                    of->free_workers[at] += used * chance * comes;
                }
            }
        }
    }
}

/* ---- instances ---- */

static place place_at(const relaxed_deadline *of, uint32_t state)
{
    return state == OG_ALONE_END ? (place){0, 0} : of->place[state];
}

static uint32_t left_to(const relaxed_deadline *of, const og_alone_way *way)
{
    return way[of->deadline->turn_away ? SENT_AWAY : NOT_TAKEN].to;
}

static place taken_at(const relaxed_deadline *of, const og_alone_state *at, const og_alone_way *way)
{
    place taken = place_at(of, way[TAKEN].to);
    taken.value -= of->price[moment_at(of, at->slots, at->come, at->left)];
    taken.purchases += 1;
    return taken;
}

/* A worker is taken only if that gains something. */
static place serve(const relaxed_deadline *of, const og_alone_state *at, const og_alone_way *way)
{
    place taken = taken_at(of, at, way), left = place_at(of, left_to(of, way));
    return taken.value > left.value ? taken : left;
}

static place value_arm(const relaxed_deadline *of, const og_deadline_alone *alone, double *largest)
{
    for (uint32_t i = 0; i < alone->count; i++) {
        const og_alone_state *at = &alone->state[i];
        const og_alone_way *way = &alone->way[at->first];
        place sum = {at->reward, 0};
        for (uint32_t k = 0; !at->worker && k < at->end - at->first; k++) {
            place next = place_at(of, way[k].to);
            sum.value += way[k].chance * next.value;
            sum.purchases += way[k].chance * next.purchases;
        }
        of->place[i] = at->worker ? serve(of, at, way) : sum;
        *largest = fmax(*largest, of->place[i].value);
    }
    return place_at(of, alone->root);
}

static void come_to(relaxed_deadline *of, uint32_t state, double chance)
{
    if (state != OG_ALONE_END) {
        of->reach[state] += chance;
    }
}

/* Subtracts the workers that `count` instances take, after the evaluation of the arm. */
static void take_workers(relaxed_deadline *of, const og_deadline_alone *alone, double count)
{
    for (uint32_t i = 0; i < alone->count; i++) {
        of->reach[i] = 0;
    }
    come_to(of, alone->root, count);
    for (uint32_t i = alone->count; i-- > 0;) {
        const og_alone_state *at = &alone->state[i];
        const og_alone_way *way = &alone->way[at->first];
        double reach = of->reach[i];
        for (uint32_t k = 0; reach > 0 && !at->worker && k < at->end - at->first; k++) {
            come_to(of, way[k].to, reach * way[k].chance);
        }
        if (reach > 0 && at->worker) {
            bool taken = taken_at(of, at, way).value > place_at(of, left_to(of, way)).value;
            come_to(of, taken ? way[TAKEN].to : left_to(of, way), reach);
            of->free_workers[price_at(of, at->slots, at->come, at->left)] -= taken * reach;
        }
    }
}

/* ---- B ---- */

static double error_of(const relaxed_deadline *of, const og_arm *arm, double price, double largest)
{
    const double u = 0x1p-53;
    double slots = of->deadline->slots, labels = arm->depth, n = arm->outcome_count;
    double workers = slots * of->at_once;
    double reward = of->dearest;
    double move = arm->probability_error + (3 * n + 10) * u;
    return 1.02 * (workers * 6 * u * largest + labels * slots * move * (largest + reward) +
                   labels * arm->reward_error * reward + workers * 2 * u * (price + largest));
}

/* Computes B and its error at the current prices, and of->free_workers if `slopes`. */
static void evaluate(relaxed_deadline *of, bool slopes, double *bound, double *purchases,
                     double *error)
{
    double pays = find_payments(of), dearest = 0;
    double value = of->prior + pays, bought = 0;
    double off = of->prior_error + 1.02 * of->deadline->slots * of->at_once * 8 * 0x1p-53 * pays;
    for (size_t i = 0; i < of->moments; i++) {
        dearest = fmax(dearest, of->price[i]);
    }
    if (slopes) {
        find_workers(of);
    }
    for (int32_t a = 0; a < of->arms->arm_count; a++) {
        double largest = 0;
        place found = value_arm(of, of->alone[a], &largest);
        value += of->count[a] * found.value;
        bought += of->count[a] * found.purchases;
        off += of->count[a] * error_of(of, of->arms->arm[a], dearest, largest);
        if (slopes) {
            take_workers(of, of->alone[a], of->count[a]);
        }
    }
    off += 0x1p-52 * (of->arms->arm_count + 3) * fabs(value);
    of->evaluations++;
    *bound = value;
    *purchases = bought;
    *error = 1.02 * off;
}

static void set_price(relaxed_deadline *of, double price)
{
    for (size_t i = 0; i < of->moments; i++) {
        of->price[i] = price;
    }
}

/* B at one price for all: C is the price times the expected number of workers. */
static og_status line_at(void *context, double price, og_line *out)
{
    relaxed_deadline *of = context;
    double purchases;
    set_price(of, 1);
    double workers = find_payments(of);
    set_price(of, price);
    *out = (og_line){.price = price};
    evaluate(of, false, &out->value, &purchases, &out->error);
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
static bool step_down(relaxed_deadline *of, double distance)
{
    double length = 0;
    for (size_t i = 0; i < of->moments; i++) {
        if (of->weight[i] > 0 && (of->price[i] > 0 || of->free_workers[i] < 0)) {
            length += of->free_workers[i] * of->free_workers[i] / of->weight[i];
        }
    }
    for (size_t i = 0; length > 0 && i < of->moments; i++) {
        if (of->weight[i] > 0) {
            double price = of->price[i] - distance / length * of->free_workers[i] / of->weight[i];
            of->price[i] = fmin(fmax(price, 0), of->dearest);
        }
    }
    return length > 0;
}

/* With turn_away the prices at 0 labels left are used: copies them to the other numbers of labels
 * left. */
static void copy_prices(relaxed_deadline *of)
{
    for (size_t i = 0; of->deadline->turn_away && i < of->moments; i++) {
        of->price[i] = of->price[i - i % of->row];
    }
}

static int32_t evaluations_most(const relaxed_deadline *of)
{
    uint64_t states = of->moments;
    for (int32_t a = 0; a < of->arms->arm_count; a++) {
        states += of->alone[a]->way_count;
    }
    uint64_t most = WORK / (states + 1);
    return most < LEAST ? LEAST : most > MOST ? MOST : (int32_t)most;
}

/* Searches from the current prices; `first` is B there. */
static og_status search(relaxed_deadline *of, const og_line *first, og_stop *stop,
                        og_upper_bound *out)
{
    progress now = {.best = first->value, .best_error = first->error};
    int32_t most = evaluations_most(of);
    now.below = 0.05 * (now.best - of->prior);
    bool flat = false;
    for (int32_t i = 0; i < most && !flat && (stop == NULL || !og_stop_asked(stop)); i++) {
        double value, purchases, error;
        evaluate(of, true, &value, &purchases, &error);
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
        flat = !step_down(of, value - now.best + now.below);
        copy_prices(of);
    }
    *out = (og_upper_bound){.value = now.best + now.best_error,
                            .error = now.best_error,
                            .evaluations = of->evaluations,
                            .converged = flat};
    return OG_OK;
}

/* ---- opening ---- */

static og_status allocate_moments(relaxed_deadline *of, uint64_t *memory_bytes, og_message *message)
{
    of->at_once = og_deadline_at_once(of->deadline);
    of->row = (size_t)of->arms->budget + 1;
    of->moments = (size_t)of->deadline->slots * (size_t)of->at_once * of->row;
    uint64_t bytes = of->moments * 5 * sizeof *of->price;
    if (bytes > *memory_bytes) {
        return og_message_set(message, OG_NO_MEMORY,
                              "the prices of workers do not fit the memory limit");
    }
    *memory_bytes -= bytes;
    of->price = og_arena_array(&of->arena, of->moments, sizeof *of->price);
    of->pays = og_arena_array(&of->arena, of->moments, sizeof *of->pays);
    of->here = og_arena_array(&of->arena, of->moments, sizeof *of->here);
    of->free_workers = og_arena_array(&of->arena, of->moments, sizeof *of->free_workers);
    of->weight = og_arena_array(&of->arena, of->moments, sizeof *of->weight);
    return og_arena_status(&of->arena);
}

static og_status relaxed_init(relaxed_deadline *of, const og_arms *arms,
                              const og_deadline *deadline, uint64_t memory_bytes, og_stop *stop,
                              og_message *message)
{
    size_t count = (size_t)arms->arm_count;
    uint32_t most = 0;
    *of = (relaxed_deadline){.arms = arms, .deadline = deadline};
    OG_TRY(allocate_moments(of, &memory_bytes, message));
    of->alone = og_arena_array(&of->arena, count, sizeof *of->alone);
    of->count = og_arena_array(&of->arena, count, sizeof *of->count);
    OG_TRY(og_arena_status(&of->arena));
    of->prior = og_arms_prior_value(arms, &of->prior_error);
    for (size_t a = 0; a < count; a++) {
        const og_arm *arm = arms->arm[a];
        of->count[a] = (double)og_arms_copies(arms, (int32_t)a);
        for (uint32_t i = 0; i < arm->level[arm->depth]; i++) {
            of->dearest = fmax(of->dearest, arm->reward[i]);
        }
        OG_TRY(og_deadline_alone_new(arm, deadline, memory_bytes, stop, &of->alone[a], message));
        memory_bytes -= of->alone[a]->bytes;
        most = of->alone[a]->count > most ? of->alone[a]->count : most;
    }
    of->place = og_arena_array(&of->arena, most, sizeof *of->place);
    of->reach = og_arena_array(&of->arena, most, sizeof *of->reach);
    return og_arena_status(&of->arena);
}

static void relaxed_clear(relaxed_deadline *of)
{
    for (int32_t a = 0; of->alone != NULL && a < of->arms->arm_count; a++) {
        og_deadline_alone_free(of->alone[a]);
    }
    og_arena_clear(&of->arena);
}

static void set_prices(relaxed_deadline *of, const og_deadline_prices *prices)
{
    for (size_t i = 0; i < of->moments; i++) {
        size_t slot = i / of->row;
        int32_t left = of->deadline->turn_away ? -1 : (int32_t)(i % of->row);
        of->price[i] = prices->at(prices->context, 1 + (int32_t)(slot / (size_t)of->at_once),
                                  (int32_t)(slot % (size_t)of->at_once), left);
    }
}

og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, const og_deadline_prices *prices,
                                     og_upper_bound *out, og_message *message)
{
    relaxed_deadline of;
    double found = 0, off = 0, purchases;
    og_status status = relaxed_init(&of, arms, deadline, memory_bytes, NULL, message);
    if (status == OG_OK) {
        set_prices(&of, prices);
        evaluate(&of, false, &found, &purchases, &off);
        out->value = found + off;
        out->error = off;
    }
    relaxed_clear(&of);
    return status;
}

og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_stop *stop, og_upper_bound *out, og_message *message)
{
    relaxed_deadline of;
    og_line best;
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = relaxed_init(&of, arms, deadline, memory_bytes, stop, message);
    OG_THEN(status, og_lines_least(line_at, &of, of.dearest, &best, &bound.converged));
    if (status == OG_OK) {
        bound.price[0] = best.price;
        bound.value = best.value + best.error;
        bound.error = best.error;
        bound.evaluations = of.evaluations;
        *out = bound;
    } else {
        og_bound_clear(&bound);
    }
    relaxed_clear(&of);
    return status;
}

og_status og_bound_deadline_vector(const og_arms *arms, const og_deadline *deadline,
                                   uint64_t memory_bytes, og_stop *stop, og_upper_bound *out,
                                   og_message *message)
{
    relaxed_deadline of;
    og_line best;
    bool converged;
    og_status status = relaxed_init(&of, arms, deadline, memory_bytes, stop, message);
    OG_THEN(status, og_lines_least(line_at, &of, of.dearest, &best, &converged));
    if (status == OG_OK) {
        set_price(&of, best.price);
        status = search(&of, &best, stop, out);
    }
    relaxed_clear(&of);
    return status;
}
