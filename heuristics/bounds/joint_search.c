/*
 * Branch and bound over the multisets of instances with which the jointly played labels can start.
 *
 * S is built type by type, in the order of the types. Let S have no type after `from`. Instances
 * that are added to S later have the types from there on, cost their w and raise U. So for every
 * extension of S the excess is at most
 *
 *   G'(S) - sum over S of w - U(S),
 *
 * where G' may also label any number of instances of the types from `from` on, and pays w of such
 * an instance at its first label. This holds because w >= 0, U does not fall when S grows, and
 * buying instances in advance is not better than buying them when needed. An instance that is free
 * (w = 0) can be bought again, so it is not kept in the hand.
 *
 * At most as many instances of one kind can be used as labels are left, so more are dropped, and so
 * are instances that the labels left cannot improve. Both reduce the number of states and change no
 * value.
 */
#include "heuristics/bounds/joint_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/grow.h"

/* Instances in hand (those that can be labelled), in ascending order of their kinds; the rest of
 * `item` is 0. */
typedef struct {
    uint16_t left;
    uint16_t from;
    uint16_t count;
    uint16_t item[OG_JOINT_ITEMS];
} joint_hand;

typedef struct {
    double value;
    joint_hand key; /* count UINT16_MAX: an empty place */
} entry;

/* S, and the bound on all its extensions. */
typedef struct {
    double bound;
    joint_hand set; /* from: the first type that may be added next; left: unused */
} branch;

typedef struct {
    const og_joint *joint;
    entry *memo; /* [room], a power of two */
    size_t room, used, room_max;
    branch *heap;
    size_t heap_room, heap_count;
    double *law;  /* [points * charged] distributions of N for the current S, and scratch space */
    double *sum;  /* [charged] */
    double worth; /* total w of the current S */
    int64_t work_max;
    og_stop *stop;
    bool over; /* a limit was reached: values from now on are INFINITY and must not be used */
    og_joint_found found;
} joint_search;

/* ---- gains of labels ---- */

static void memo_clear(entry *memo, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        memo[i].key.count = UINT16_MAX;
    }
}

static entry *memo_place(entry *memo, size_t room, const joint_hand *key)
{
    size_t at = (size_t)XXH3_64bits(key, sizeof *key) & (room - 1);
    while (memo[at].key.count != UINT16_MAX && memcmp(&memo[at].key, key, sizeof *key) != 0) {
        at = (at + 1) & (room - 1);
    }
    return &memo[at];
}

/* Doubles the table, or empties it if the memory limit does not allow that. */
static void memo_make_room(joint_search *search)
{
    size_t room = 2 * search->room;
    entry *memo = room <= search->room_max ? malloc(room * sizeof *memo) : NULL;
    if (memo == NULL) {
        memo_clear(search->memo, search->room);
        search->used = 0;
        return;
    }
    memo_clear(memo, room);
    for (size_t i = 0; i < search->room; i++) {
        if (search->memo[i].key.count != UINT16_MAX) {
            *memo_place(memo, room, &search->memo[i].key) = search->memo[i];
        }
    }
    free(search->memo);
    search->memo = memo;
    search->room = room;
}

static void memo_add(joint_search *search, const joint_hand *key, double value)
{
    if (3 * (search->used + 1) > 2 * search->room) {
        memo_make_room(search);
    }
    *memo_place(search->memo, search->room, key) = (entry){value, *key};
    search->used++;
}

/* True if another instance of this kind is always available at no cost. */
static bool is_free(const og_joint *joint, uint16_t kind, int32_t from)
{
    return kind < joint->types && kind >= from && joint->kind[kind].worth <= 0;
}

/* Adds an instance to the hand, unless it is of no use. */
static void take(const og_joint *joint, joint_hand *hand, uint16_t kind)
{
    int32_t alike = 0;
    if (joint->kind[kind].alone[hand->left] <= 0 || is_free(joint, kind, hand->from)) {
        return;
    }
    while (alike < hand->count && hand->item[hand->count - 1 - alike] == kind) {
        alike++;
    }
    if (alike < hand->left) {
        hand->item[hand->count++] = kind;
    }
}

/* The hand after a label: its item `without` (-1: none) has become `kind`, and one label less is
 * left. */
static joint_hand hand_after(const og_joint *joint, const joint_hand *before, int32_t without,
                             uint16_t kind)
{
    joint_hand after = {.left = (uint16_t)(before->left - 1), .from = before->from};
    bool put = kind == OG_JOINT_NONE;
    for (int32_t i = 0; i < before->count; i++) {
        if (!put && i != without && before->item[i] >= kind) {
            take(joint, &after, kind);
            put = true;
        }
        if (i != without) {
            take(joint, &after, before->item[i]);
        }
    }
    if (!put) {
        take(joint, &after, kind);
    }
    return after;
}

static double gain_most(joint_search *search, const joint_hand *at);

/* The gain of a label on an instance of this kind, which is in hand (at `without`) or bought now.
 */
static double gain_of(joint_search *search, const joint_hand *at, int32_t without, uint16_t kind)
{
    const og_joint *joint = search->joint;
    const og_joint_kind *it = &joint->kind[kind];
    double sum = it->reward;
    search->found.work++;
    for (int32_t k = 0; k < joint->outcomes; k++) {
        if (it->probability[k] > 0) {
            joint_hand after = hand_after(joint, at, without, it->next[k]);
            sum += it->probability[k] * gain_most(search, &after);
        }
    }
    return sum;
}

/* G', or G if no type follows `from`. */
static double gain_most(joint_search *search, const joint_hand *at)
{
    const og_joint *joint = search->joint;
    double most = 0;
    if (at->left == 0 || (at->count == 0 && at->from >= joint->types)) {
        return 0;
    }
    const entry *known = memo_place(search->memo, search->room, at);
    if (known->key.count != UINT16_MAX) {
        return known->value;
    }
    search->over =
        search->over || search->found.work >= search->work_max || og_stop_asked(search->stop);
    if (search->over) {
        return INFINITY;
    }
    for (int32_t i = 0; i < at->count; i++) {
        if (i == 0 || at->item[i] != at->item[i - 1]) {
            most = fmax(most, gain_of(search, at, i, at->item[i]));
        }
    }
    for (int32_t t = at->from; t < joint->types; t++) {
        const og_joint_kind *type = &joint->kind[t];
        if (type->alone[at->left] > type->worth) {
            most = fmax(most, gain_of(search, at, -1, (uint16_t)t) - type->worth);
        }
    }
    if (search->over) {
        return INFINITY;
    }
    memo_add(search, at, most);
    return most;
}

/* G' of S with the types from `from` on. */
static double gain_of_set(joint_search *search, const joint_hand *set, int32_t from)
{
    joint_hand at = {.left = (uint16_t)search->joint->labels, .from = (uint16_t)from};
    for (int32_t i = 0; i < set->count; i++) {
        take(search->joint, &at, set->item[i]);
    }
    return gain_most(search, &at);
}

/* ---- demand for labels ---- */

/* Adds the demand of one more instance of this type at the point to the distribution `law`. */
static void add_wanted(const joint_search *search, int32_t point, uint16_t type, double *law)
{
    int32_t charged = search->joint->charged;
    const double *one = search->joint->law +
                        ((size_t)point * (size_t)search->joint->types + type) * (size_t)charged;
    for (int32_t n = charged - 1; n >= 0; n--) {
        double sum = 0;
        for (int32_t j = 0; j <= n; j++) {
            sum += law[n - j] * one[j];
        }
        law[n] = sum;
    }
}

static double mean_wanted(const og_joint *joint, const double *law)
{
    double mean = joint->charged;
    for (int32_t n = 0; n < joint->charged; n++) {
        mean -= (joint->charged - n) * law[n];
    }
    return mean;
}

/* Computes the distributions and w of S. */
static void set_at_hand(joint_search *search, const joint_hand *set)
{
    const og_joint *joint = search->joint;
    search->worth = 0;
    for (int32_t i = 0; i < set->count; i++) {
        search->worth += joint->kind[set->item[i]].worth;
    }
    for (int32_t p = 0; p < joint->points; p++) {
        double *law = search->law + (size_t)p * (size_t)joint->charged;
        for (int32_t n = 0; n < joint->charged; n++) {
            law[n] = n == 0;
        }
        for (int32_t i = 0; i < set->count; i++) {
            add_wanted(search, p, set->item[i], law);
        }
    }
}

/* U of the current S with one more instance. */
static double wanted_with(joint_search *search, uint16_t type)
{
    const og_joint *joint = search->joint;
    double wanted = 0;
    for (int32_t p = 0; p < joint->points; p++) {
        const double *law = search->law + (size_t)p * (size_t)joint->charged;
        memcpy(search->sum, law, (size_t)joint->charged * sizeof *law);
        add_wanted(search, p, type, search->sum);
        wanted += joint->width[p] * mean_wanted(joint, search->sum);
    }
    return wanted;
}

/* ---- the search ---- */

static bool heap_push(joint_search *search, const branch *new)
{
    branch *heap = og_grown(search->heap, &search->heap_room, search->heap_count + 1, sizeof *heap);
    if (heap == NULL) {
        return false;
    }
    search->heap = heap;
    size_t at = search->heap_count++;
    while (at > 0 && heap[(at - 1) / 2].bound < new->bound) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = *new;
    return true;
}

static branch heap_pop(joint_search *search)
{
    branch top = search->heap[0], last = search->heap[--search->heap_count];
    size_t at = 0;
    for (size_t down = 1; down < search->heap_count; down = 2 * at + 1) {
        if (down + 1 < search->heap_count &&
            search->heap[down + 1].bound > search->heap[down].bound) {
            down++;
        }
        if (!(search->heap[down].bound > last.bound)) {
            break;
        }
        search->heap[at] = search->heap[down];
        at = down;
    }
    search->heap[at] = last;
    return top;
}

/* Adds one instance of each possible type to S. Omits extensions that cannot exceed the best value
 * found. If a limit is reached first, S stays in the heap. */
static og_status look_into(joint_search *search, const branch *from)
{
    const og_joint *joint = search->joint;
    set_at_hand(search, &from->set);
    for (int32_t t = from->set.from; t < joint->types; t++) {
        branch next = {.set = from->set};
        joint_hand *set = &next.set;
        int32_t alike = 0;
        while (alike < set->count && set->item[set->count - 1 - alike] == t) {
            alike++;
        }
        if (alike == joint->labels) {
            continue;
        }
        set->item[set->count++] = (uint16_t)t;
        set->from = (uint16_t)t;
        double cost = search->worth + joint->kind[t].worth + wanted_with(search, (uint16_t)t);
        next.bound = fmin(from->bound, gain_of_set(search, set, t) - cost);
        double excess = gain_of_set(search, set, joint->types) - cost;
        if (search->over) {
            return heap_push(search, from) ? OG_OK : OG_NO_MEMORY;
        }
        search->found.found = fmax(search->found.found, excess);
        if (next.bound > search->found.found && !heap_push(search, &next)) {
            return OG_NO_MEMORY;
        }
        search->found.items_max =
            set->count > search->found.items_max ? set->count : search->found.items_max;
    }
    return OG_OK;
}

static og_status look(joint_search *search, double near)
{
    joint_hand empty = {.left = 0};
    branch root = {.bound = gain_of_set(search, &empty, 0)};
    if (!heap_push(search, &root)) {
        return OG_NO_MEMORY;
    }
    while (search->heap_count > 0 && search->heap[0].bound > search->found.found + near &&
           !search->over && search->heap[0].set.count + search->joint->labels < OG_JOINT_ITEMS) {
        branch top = heap_pop(search);
        search->found.expanded++;
        OG_TRY(look_into(search, &top));
    }
    search->found.most =
        fmax(search->found.found, search->heap_count > 0 ? search->heap[0].bound : 0);
    return OG_OK;
}

og_status og_joint_search(const og_joint *joint, double near, int64_t work_max,
                          uint64_t memory_bytes, og_stop *stop, og_joint_found *out)
{
    joint_search search = {
        .joint = joint, .room = 1 << 12, .room_max = 1 << 12, .work_max = work_max, .stop = stop};
    size_t charged = (size_t)joint->charged;
    while (search.room_max < SIZE_MAX / 4 / sizeof *search.memo &&
           3 * search.room_max * sizeof *search.memo <= memory_bytes) {
        search.room_max *= 2; /* while it grows, the old and the new table exist */
    }
    search.memo = malloc(search.room * sizeof *search.memo);
    search.law = malloc(((size_t)joint->points * charged + 1) * sizeof *search.law);
    search.sum = malloc((charged + 1) * sizeof *search.sum);
    og_status status =
        search.memo != NULL && search.law != NULL && search.sum != NULL ? OG_OK : OG_NO_MEMORY;
    if (status == OG_OK) {
        memo_clear(search.memo, search.room);
        status = look(&search, near);
    }
    free(search.memo);
    free(search.law);
    free(search.sum);
    free(search.heap);
    *out = search.found;
    return status;
}
