/*
 * Finds all states of a process breadth first, from a queue that is the table itself: state i is
 * expanded when all states before it are. The caller's answer for a state is written to a draft and
 * checked; then its states get their numbers, and it becomes rows of the table.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/families/process_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { TWICE = 1000 };
static const double sum_tolerance = 1e-12;

/* One outcome of the draft. */
typedef struct {
    double probability, reward;
    uint32_t exact[2]; /* numbers; only of texts */
    size_t key, bytes; /* in the draft's keys */
} drafted;

typedef struct {
    char name[OG_PROCESS_NAME_BYTES_MAX];
    size_t outcome_first;
} drafted_act;

typedef struct {
    uint32_t tag, entry; /* entry 0: free, else a number plus 1 */
} slot;

typedef struct {
    slot *slot;
    uint64_t slots; /* a power of two; 0: none yet */
    uint64_t used;
} places;

typedef struct {
    og_expanded to; /* first: the caller's pointer to it is one to this */
    og_process_table *table;
    const og_process_source *source;
    uint64_t memory_bytes, other_bytes;
    og_stop *stop;
    places states, numbers, names;
    size_t state_room, key_room, act_room, outcome_room, exact_room, end_room, name_room,
        number_room, nearest_room;
    /* The draft. */
    uint32_t state; /* that it is of */
    drafted *outcome;
    drafted_act *act;
    char *key;
    size_t outcome_count, act_count, key_bytes, draft_room[3];
    bool ended, real; /* the state is an end; it has a double */
    double end;
    uint32_t end_exact;
    og_status status;    /* the first mistake, */
    og_message *message; /* and its words */
} finder;

/* ---- memory ---- */

static og_status full(finder *f)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(f->message, OG_NO_MEMORY, "process: more than %u states in %s",
                          (unsigned)f->table->state_count, og_bytes_format(f->memory_bytes, limit));
}

/* Grows an array by a quarter, if the limit has room for it and for what each state needs later. */
static og_status grow(finder *f, void *array, size_t *room, size_t needed, size_t size)
{
    void **place = array;
    if (needed <= *room) {
        return OG_OK;
    }
    size_t larger = needed + needed / 4 + 64;
    uint64_t later = OG_PROCESS_STATE_BYTES * (uint64_t)f->table->state_count;
    if (f->table->bytes + f->other_bytes + (larger - *room) * size + later > f->memory_bytes) {
        return full(f);
    }
    void *grown = realloc(*place, larger * size);
    OG_TRY(OG_ALLOCATED(grown));
    f->table->bytes += (larger - *room) * size;
    *place = grown;
    *room = larger;
    return OG_OK;
}

/* Doubles the slots; `hash` of an entry. */
static og_status widen(finder *f, places *in, uint64_t (*hash)(const finder *f, uint32_t entry))
{
    uint64_t slots = in->slots > 0 ? 2 * in->slots : 1024;
    if (f->table->bytes + f->other_bytes + (slots - in->slots) * sizeof(slot) > f->memory_bytes) {
        return full(f);
    }
    free(in->slot);
    in->slot = calloc(slots, sizeof *in->slot);
    OG_TRY(OG_ALLOCATED(in->slot));
    f->other_bytes += (slots - in->slots) * sizeof(slot);
    in->slots = slots;
    for (uint32_t i = 0; i < in->used; i++) {
        uint64_t h = hash(f, i), at = h & (slots - 1);
        while (in->slot[at].entry != 0) {
            at = (at + 1) & (slots - 1);
        }
        in->slot[at] = (slot){(uint32_t)(h >> 32), i + 1};
    }
    return OG_OK;
}

/* The slot of the entry for which `same` is true, or a free one. */
static slot *find(const finder *f, const places *in, uint64_t hash,
                  bool (*same)(const finder *f, uint32_t entry, const void *what), const void *what)
{
    uint64_t at = hash & (in->slots - 1);
    for (; in->slot[at].entry != 0; at = (at + 1) & (in->slots - 1)) {
        if (in->slot[at].tag == (uint32_t)(hash >> 32) && same(f, in->slot[at].entry - 1, what)) {
            break;
        }
    }
    return &in->slot[at];
}

static bool is_full(const places *in)
{
    return in->used + in->used / 2 + 1 > in->slots;
}

static void take_slot(places *in, slot *at, uint64_t hash)
{
    *at = (slot){(uint32_t)(hash >> 32), (uint32_t)++in->used};
}

/* ---- states ---- */

static uint64_t hash_of_state(const finder *f, uint32_t state)
{
    const og_process_table *table = f->table;
    uint64_t first = table->key_first[state];
    return XXH3_64bits(table->key + first, table->key_first[state + 1] - first);
}

static bool same_state(const finder *f, uint32_t state, const void *what)
{
    const og_process_table *table = f->table;
    const og_process_state *key = what;
    uint64_t first = table->key_first[state];
    return table->key_first[state + 1] - first == key->bytes &&
           memcmp(table->key + first, key->state, key->bytes) == 0;
}

static og_status number_state(finder *f, og_process_state key, uint64_t hash, uint32_t *out)
{
    og_process_table *table = f->table;
    if (is_full(&f->states)) {
        OG_TRY(widen(f, &f->states, hash_of_state));
    }
    slot *at = find(f, &f->states, hash, same_state, &key);
    if (at->entry == 0) {
        size_t count = table->state_count,
               bytes = table->key_first != NULL ? table->key_first[count] : 0;
        size_t room = f->state_room;
        if (count >= UINT32_MAX - 2) {
            return full(f);
        }
        OG_TRY(grow(f, &table->act_first, &room, count + 2, sizeof *table->act_first));
        OG_TRY(grow(f, &table->key_first, &f->state_room, count + 2, sizeof *table->key_first));
        OG_TRY(grow(f, &table->key, &f->key_room, bytes + key.bytes, 1));
        memcpy(table->key + bytes, key.state, key.bytes);
        table->key_first[count] = bytes;
        table->key_first[count + 1] = bytes + key.bytes;
        table->state_count++;
        take_slot(&f->states, at, hash);
    }
    *out = at->entry - 1;
    return OG_OK;
}

/* ---- names of acts ---- */

static uint64_t hash_of_text(const char *text)
{
    return XXH3_64bits(text, strlen(text));
}

static uint64_t hash_of_name(const finder *f, uint32_t name)
{
    return hash_of_text(f->table->name[name].text);
}

static bool same_name(const finder *f, uint32_t name, const void *what)
{
    return strcmp(f->table->name[name].text, what) == 0;
}

static og_status number_name(finder *f, const char *name, uint32_t *out)
{
    og_process_table *table = f->table;
    uint64_t hash = hash_of_text(name);
    if (is_full(&f->names)) {
        OG_TRY(widen(f, &f->names, hash_of_name));
    }
    slot *at = find(f, &f->names, hash, same_name, name);
    if (at->entry == 0) {
        OG_TRY(grow(f, &table->name, &f->name_room, (size_t)table->name_count + 1,
                    sizeof *table->name));
        memcpy(table->name[table->name_count++].text, name, strlen(name) + 1);
        take_slot(&f->names, at, hash);
    }
    *out = at->entry - 1;
    return OG_OK;
}

/* ---- fractions ---- */

static uint64_t hash_of_fraction(mpq_srcptr value)
{
    uint64_t hash = XXH3_64bits(mpz_limbs_read(mpq_numref(value)),
                                mpz_size(mpq_numref(value)) * sizeof(mp_limb_t));
    return XXH3_64bits_withSeed(mpz_limbs_read(mpq_denref(value)),
                                mpz_size(mpq_denref(value)) * sizeof(mp_limb_t), hash) +
           (uint64_t)(mpq_sgn(value) < 0);
}

static uint64_t hash_of_number(const finder *f, uint32_t number)
{
    return hash_of_fraction(f->table->number[number]);
}

static bool same_number(const finder *f, uint32_t number, const void *what)
{
    return mpq_equal(f->table->number[number], (mpq_srcptr)what) != 0;
}

static og_status number_fraction(finder *f, mpq_srcptr value, uint32_t *out)
{
    og_process_table *table = f->table;
    uint64_t hash = hash_of_fraction(value);
    if (is_full(&f->numbers)) {
        OG_TRY(widen(f, &f->numbers, hash_of_number));
    }
    slot *at = find(f, &f->numbers, hash, same_number, value);
    if (at->entry == 0) {
        size_t count = table->number_count;
        OG_TRY(grow(f, &table->nearest, &f->nearest_room, count + 1, sizeof *table->nearest));
        OG_TRY(grow(f, &table->number, &f->number_room, count + 1, sizeof *table->number));
        mpq_init(table->number[count]);
        mpq_set(table->number[count], value);
        table->nearest[count] = og_nearest(value);
        table->number_count++;
        table->bytes +=
            (mpz_size(mpq_numref(value)) + mpz_size(mpq_denref(value)) + 4) * sizeof(mp_limb_t);
        take_slot(&f->numbers, at, hash);
    }
    *out = at->entry - 1;
    return OG_OK;
}

static mpq_srcptr fraction(const finder *f, uint32_t number)
{
    return f->table->number[number];
}

/* ---- the draft: calls from `expand` ---- */

enum { SHOWN_BYTES = 2 * OG_PROCESS_SHOWN };

static const char *shown(const finder *f, char text[SHOWN_BYTES])
{
    og_process_state_text(f->table, f->state, text, SHOWN_BYTES);
    return text;
}

/* The first mistake counts. `what` follows the state and, if there is one, the act. */
static void refuse(finder *f, const char *what, const char *detail)
{
    char text[SHOWN_BYTES];
    const drafted_act *act = f->act_count > 0 ? &f->act[f->act_count - 1] : NULL;
    if (f->status == OG_OK) {
        f->status =
            og_message_set(f->message, OG_BAD_INPUT, "process: state '%s'%s%s%s%s%s",
                           shown(f, text), act != NULL ? ", act '" : "",
                           act != NULL ? act->name : "", act != NULL ? "': " : ": ", what, detail);
    }
}

static void refuse_number(finder *f, const char *what, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%s %.12g", what, number);
    refuse(f, isnan(number) ? what : text, isnan(number) ? " nan" : "");
}

static void refuse_act(finder *f, const char *format, const char *name)
{
    char text[SHOWN_BYTES], words[2 * OG_PROCESS_NAME_BYTES_MAX];
    snprintf(words, sizeof words, format, name);
    if (f->status == OG_OK) {
        f->status = og_message_set(f->message, OG_BAD_INPUT, "process: state '%s' %s",
                                   shown(f, text), words);
    }
}

static bool draft_room(finder *f, int which, void *array, size_t needed, size_t size)
{
    void **place = array;
    if (needed > f->draft_room[which]) {
        size_t larger = 2 * needed + 16;
        if (larger > f->memory_bytes / size) {
            f->status = full(f);
            return false;
        }
        void *grown = realloc(*place, larger * size);
        if (grown == NULL) {
            f->status = OG_NO_MEMORY;
            return false;
        }
        *place = grown;
        f->draft_room[which] = larger;
    }
    return true;
}

static void add_act(og_expanded *to, const char *name)
{
    finder *f = (finder *)to;
    size_t bytes = name != NULL ? strnlen(name, OG_PROCESS_NAME_BYTES_MAX) : 0;
    if (f->status != OG_OK) {
        return;
    }
    if (bytes == 0 || bytes == OG_PROCESS_NAME_BYTES_MAX) {
        refuse_act(f, "has an act whose name is empty or longer than 63 bytes%s", "");
        return;
    }
    if (f->ended) {
        refuse_act(f, "has a value and the act '%s'; an end has no acts", name);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        if ((unsigned char)name[i] < ' ') {
            refuse_act(f, "has an act with a control character in its name%s", "");
            return;
        }
    }
    for (size_t i = 0; i < f->act_count; i++) {
        if (strcmp(f->act[i].name, name) == 0) {
            refuse_act(f, "has two acts '%s'", name);
            return;
        }
    }
    if (draft_room(f, 0, &f->act, f->act_count + 1, sizeof *f->act)) {
        drafted_act *act = &f->act[f->act_count++];
        memcpy(act->name, name, bytes + 1);
        act->outcome_first = f->outcome_count;
    }
}

static void add_outcome(finder *f, const drafted *outcome, const void *next, size_t bytes)
{
    if (f->status != OG_OK) {
        return;
    }
    if (f->act_count == 0) {
        refuse(f, "an outcome comes before its act", "");
    } else if (!(outcome->probability > 0 && outcome->probability <= OG_PROCESS_NUMBER_MAX)) {
        refuse_number(f, "probability", outcome->probability);
    } else if (outcome->probability < DBL_MIN) {
        refuse(f, "a probability is below 1e-307", "");
    } else if (!(fabs(outcome->reward) <= OG_PROCESS_NUMBER_MAX)) {
        refuse_number(f, "reward", outcome->reward);
    } else if (bytes == 0 || bytes > OG_PROCESS_STATE_BYTES_MAX) {
        refuse(f, "an outcome's state must have 1 to 4096 bytes", "");
    } else if (draft_room(f, 1, &f->outcome, f->outcome_count + 1, sizeof *f->outcome) &&
               draft_room(f, 2, &f->key, f->key_bytes + bytes, 1)) {
        drafted *added = &f->outcome[f->outcome_count++];
        *added = *outcome;
        added->key = f->key_bytes;
        added->bytes = bytes;
        memcpy(f->key + f->key_bytes, next, bytes);
        f->key_bytes += bytes;
    }
}

static void outcome(og_expanded *to, double probability, double reward, const void *next,
                    size_t bytes)
{
    finder *f = (finder *)to;
    const drafted added = {.probability = probability, .reward = reward + 0.0};
    f->real = true;
    add_outcome(f, &added, next, bytes);
}

static void add_end(finder *f, double value)
{
    if (f->status != OG_OK) {
        return;
    }
    if (f->act_count > 0 || f->ended) {
        f->act_count = 0;
        refuse(f, f->ended ? "two values" : "a value and acts; an end has no acts", "");
    } else if (!(fabs(value) <= OG_PROCESS_NUMBER_MAX)) {
        refuse_number(f, "value", value);
    } else {
        f->ended = true;
        f->end = value + 0.0; /* no -0 */
    }
}

static void end(og_expanded *to, double value)
{
    finder *f = (finder *)to;
    f->real = true;
    add_end(f, value);
}

/* A text as a number; NAN after a mistake. */
static double read_text(finder *f, const char *what, const char *text, uint32_t *number)
{
    double nearest = NAN;
    mpq_t value;
    mpq_init(value);
    if (f->status == OG_OK && (text == NULL || !og_rational_parse(value, text))) {
        char words[SHOWN_BYTES];
        snprintf(words, sizeof words, "%s '%.60s' is not a number such as 0.25 or -1/3", what,
                 text != NULL ? text : "");
        refuse(f, words, "");
    } else if (f->status == OG_OK) {
        f->status = number_fraction(f, value, number);
        nearest = f->status == OG_OK ? f->table->nearest[*number] : NAN;
    }
    mpq_clear(value);
    return nearest;
}

static void outcome_text(og_expanded *to, const char *probability, const char *reward,
                         const void *next, size_t bytes)
{
    finder *f = (finder *)to;
    drafted added = {0};
    added.probability = read_text(f, "probability", probability, &added.exact[0]);
    added.reward = read_text(f, "reward", reward, &added.exact[1]);
    add_outcome(f, &added, next, bytes);
}

static void end_text(og_expanded *to, const char *value)
{
    finder *f = (finder *)to;
    add_end(f, read_text(f, "value", value, &f->end_exact));
}

/* ---- checking and storing a draft ---- */

static size_t drafted_end(const finder *f, size_t act)
{
    return act + 1 < f->act_count ? f->act[act + 1].outcome_first : f->outcome_count;
}

/* Divides probabilities by their sum, which is 1 + d: the sum's rounding is kept apart, so that
 * each quotient is rounded once, but for a part of 1e-12 of its rounding. */
static bool divide_by_sum(drafted *outcome, size_t count, double *sum)
{
    double rest = 0;
    *sum = 0;
    for (size_t k = 0; k < count; k++) {
        double p = outcome[k].probability, next = *sum + p, part = next - *sum;
        rest += (*sum - (next - part)) + (p - part);
        *sum = next;
    }
    double over = (*sum - 1) + rest;
    for (size_t k = 0; over != 0 && k < count; k++) {
        outcome[k].probability -= outcome[k].probability * (over / (1 + over));
    }
    return fabs(over) <= sum_tolerance;
}

static og_status divide_exactly(finder *f, drafted *outcome, size_t count, bool *is_one,
                                double *nearest)
{
    og_status status = OG_OK;
    mpq_t sum, part;
    mpq_inits(sum, part, NULL);
    for (size_t k = 0; k < count; k++) {
        mpq_add(sum, sum, fraction(f, outcome[k].exact[0]));
    }
    *nearest = og_nearest(sum);
    *is_one = mpq_cmp_ui(sum, 1, 1) == 0;
    if (!*is_one) {
        mpq_set_ui(part, 1, 1);
        mpq_sub(part, sum, part);
        *is_one = fabs(og_nearest(part)) <= sum_tolerance;
        for (size_t k = 0; *is_one && status == OG_OK && k < count; k++) {
            mpq_div(part, fraction(f, outcome[k].exact[0]), sum);
            status = number_fraction(f, part, &outcome[k].exact[0]);
            outcome[k].probability = og_nearest(part);
        }
    }
    mpq_clears(sum, part, NULL);
    return status;
}

static og_status check_act(finder *f, size_t act)
{
    size_t first = f->act[act].outcome_first, count = drafted_end(f, act) - first;
    char words[SHOWN_BYTES];
    double sum = 0;
    bool is_one = true;
    if (count > 0 && f->real) {
        is_one = divide_by_sum(f->outcome + first, count, &sum);
    } else if (count > 0) {
        OG_TRY(divide_exactly(f, f->outcome + first, count, &is_one, &sum));
    }
    if (count == 0 || !is_one) {
        snprintf(words, sizeof words, "probabilities add up to %.12g", sum);
        f->act_count = act + 1;
        refuse(f, count == 0 ? "it has no outcome" : words, "");
    }
    return f->status;
}

static og_status stopped(const finder *f)
{
    return og_message_set(f->message, OG_STOPPED,
                          "the work was stopped when %u states of the process had been found",
                          (unsigned)f->table->state_count);
}

/* Gets the caller's answer for a state as a checked draft. */
static og_status draft(finder *f, uint32_t state)
{
    const og_process_table *table = f->table;
    char words[OG_MESSAGE_BYTES] = "", text[SHOWN_BYTES];
    uint64_t first = table->key_first[state];
    f->state = state;
    f->outcome_count = f->act_count = f->key_bytes = 0;
    f->ended = f->real = false;
    bool done =
        f->source->process.expand(f->source->process.user, table->key + first,
                                  table->key_first[state + 1] - first, &f->to, words, sizeof words);
    words[sizeof words - 1] = '\0';
    if (!done && og_stop_look(f->stop) != OG_LIMIT_NONE) {
        return stopped(f);
    }
    if (!done) {
        f->status = OG_FAILED;
        return og_message_set(f->message, OG_FAILED, "process: state '%s': %s", shown(f, text),
                              words[0] != '\0' ? words : "it could not be expanded");
    }
    if (!f->ended && f->act_count == 0) {
        refuse_act(f, "has no act and no value%s", "");
    }
    for (size_t a = 0; f->status == OG_OK && a < f->act_count; a++) {
        f->status = check_act(f, a);
    }
    return f->status;
}

static og_status store_outcome(finder *f, const drafted *added, uint64_t hash, bool *sorted)
{
    og_process_table *table = f->table;
    const og_process_state key = {f->key + added->key, added->bytes};
    uint32_t next;
    OG_TRY(number_state(f, key, hash, &next));
    if (table->rational) {
        OG_TRY(grow(f, &table->exact, &f->exact_room, (size_t)table->outcome_count + 1,
                    sizeof *table->exact));
        memcpy(table->exact[table->outcome_count], added->exact, sizeof added->exact);
    }
    OG_TRY(grow(f, &table->outcome, &f->outcome_room, (size_t)table->outcome_count + 1,
                sizeof *table->outcome));
    table->outcome[table->outcome_count++] =
        (og_process_outcome){added->probability, added->reward, next};
    table->negative = table->negative || added->reward < 0;
    *sorted = *sorted && next > f->state;
    return table->outcome_count < UINT32_MAX - 1 ? OG_OK : full(f);
}

static og_status store_act(finder *f, size_t act, bool *sorted)
{
    enum { AHEAD = 64 };
    og_process_table *table = f->table;
    size_t first = f->act[act].outcome_first, after = drafted_end(f, act);
    uint64_t hash[AHEAD];
    OG_TRY(grow(f, &table->act, &f->act_room, (size_t)table->act_count + 2, sizeof *table->act));
    OG_TRY(number_name(f, f->act[act].name, &table->act[table->act_count].name));
    table->act[table->act_count++].outcome_first = table->outcome_count;
    for (size_t k = first; k < after; k++) {
        if ((k - first) % AHEAD == 0) {
            for (size_t j = k; j < after && j < k + AHEAD; j++) {
                hash[j - k] = XXH3_64bits(f->key + f->outcome[j].key, f->outcome[j].bytes);
                __builtin_prefetch(&f->states.slot[hash[j - k] & (f->states.slots - 1)]);
            }
        }
        OG_TRY(store_outcome(f, &f->outcome[k], hash[(k - first) % AHEAD], sorted));
    }
    int32_t count = (int32_t)(after - first);
    table->outcomes_max = count > table->outcomes_max ? count : table->outcomes_max;
    return OG_OK;
}

static og_status store(finder *f, bool *sorted)
{
    og_process_table *table = f->table;
    table->act_first[f->state] = table->act_count;
    if (f->real && table->rational) {
        table->rational = false;
        table->real_state = f->state;
        table->bytes -= f->exact_room * sizeof *table->exact;
        free(table->exact);
        table->exact = NULL;
    }
    if (f->ended) {
        OG_TRY(
            grow(f, &table->end, &f->end_room, (size_t)table->end_count + 1, sizeof *table->end));
        table->end[table->end_count++] = (og_process_end){f->state, f->end_exact, f->end};
        table->negative = table->negative || f->end < 0;
    }
    for (size_t a = 0; a < f->act_count; a++) {
        OG_TRY(store_act(f, a, sorted));
    }
    int32_t acts = (int32_t)f->act_count;
    table->acts_max = acts > table->acts_max ? acts : table->acts_max;
    return OG_OK;
}

/* ---- a second answer ---- */

static bool same_outcome(const finder *f, const drafted *again, uint32_t outcome)
{
    const og_process_outcome *first = &f->table->outcome[outcome];
    const og_process_state key = {f->key + again->key, again->bytes};
    return first->probability == again->probability && first->reward == again->reward &&
           same_state(f, first->next, &key);
}

static bool is_same(const finder *f)
{
    const og_process_table *table = f->table;
    uint32_t act = table->act_first[f->state];
    bool same = og_process_acts(table, f->state) == f->act_count;
    for (size_t a = 0; same && a < f->act_count; a++) {
        size_t first = f->act[a].outcome_first, count = drafted_end(f, a) - first;
        uint32_t at = table->act[act + a].outcome_first;
        same = strcmp(og_process_act_name(table, act + (uint32_t)a), f->act[a].name) == 0 &&
               og_process_outcomes(table, act + (uint32_t)a) == count;
        for (size_t k = 0; same && k < count; k++) {
            same = same_outcome(f, &f->outcome[first + k], at + (uint32_t)k);
        }
    }
    return same;
}

static bool is_same_end(const finder *f, uint32_t *end)
{
    const og_process_table *table = f->table;
    while (*end < table->end_count && table->end[*end].state < f->state) {
        ++*end;
    }
    bool was = *end < table->end_count && table->end[*end].state == f->state;
    return was == f->ended && (!was || table->end[*end].value == f->end);
}

/* ---- all states ---- */

/* Before the next of `count` states is expanded: tells the source of those that come next, if it
 * has expanded what it was told. *told is set to how many it has been told. */
static og_status tell(const finder *f, const uint32_t *state, uint32_t next, uint32_t count,
                      uint32_t *told)
{
    og_process_state ahead[OG_PROCESS_BATCH];
    const og_process_table *table = f->table;
    if (og_stop_asked(f->stop)) {
        return stopped(f);
    }
    if (f->source->ahead == NULL || next < *told) {
        return OG_OK;
    }
    int32_t taken = 0;
    for (; taken < OG_PROCESS_BATCH && next + (uint32_t)taken < count; taken++) {
        uint32_t s = next + (uint32_t)taken;
        s = state != NULL ? state[s] : s;
        ahead[taken] = (og_process_state){table->key + table->key_first[s],
                                          table->key_first[s + 1] - table->key_first[s]};
    }
    OG_TRY(f->source->ahead(f->source->process.user, &taken, ahead, f->message));
    *told = next + (uint32_t)taken;
    return OG_OK;
}

static og_status find_all(finder *f, bool *sorted)
{
    uint32_t told = 0;
    for (uint32_t s = 0; s < f->table->state_count; s++) {
        OG_TRY(tell(f, NULL, s, f->table->state_count, &told));
        OG_TRY(draft(f, s));
        OG_TRY(store(f, sorted));
    }
    return OG_OK;
}

static og_status ask_again(finder *f)
{
    const og_process_table *table = f->table;
    uint32_t again[TWICE], count = 0, of_end = 0, told = 0;
    uint64_t every = (table->state_count + TWICE - 1) / TWICE;
    for (uint32_t s = 0; s < table->state_count && count < TWICE; s++) {
        if ((hash_of_state(f, s) >> 20) % every == 0) {
            again[count++] = s;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        char text[SHOWN_BYTES];
        OG_TRY(tell(f, again, i, count, &told));
        OG_TRY(draft(f, again[i]));
        if (!is_same(f) || !is_same_end(f, &of_end)) {
            return og_message_set(f->message, OG_FAILED,
                                  "process: state '%s' was expanded in two ways when asked twice; "
                                  "the answer must depend on the state alone",
                                  shown(f, text));
        }
    }
    return OG_OK;
}

static og_status find_root(finder *f)
{
    char root[OG_PROCESS_STATE_BYTES_MAX], words[OG_MESSAGE_BYTES] = "";
    uint32_t number;
    size_t bytes = f->source->process.root(f->source->process.user, root, words, sizeof words);
    words[sizeof words - 1] = '\0';
    if (bytes == 0 && og_stop_look(f->stop) != OG_LIMIT_NONE) {
        return stopped(f);
    }
    if (bytes == 0) {
        return og_message_set(f->message, OG_FAILED, "process: %s",
                              words[0] != '\0' ? words : "it has no root");
    }
    if (bytes > sizeof root) {
        return og_message_set(f->message, OG_BAD_INPUT,
                              "process: the root must have 1 to 4096 bytes");
    }
    return number_state(f, (og_process_state){root, bytes}, XXH3_64bits(root, bytes), &number);
}

static og_status find_states(finder *f, bool *sorted)
{
    og_process_table *table = f->table;
    og_stop_tell(f->stop, "finding states", 0);
    OG_TRY(find_root(f));
    OG_TRY(find_all(f, sorted));
    OG_TRY(grow(f, &table->act, &f->act_room, (size_t)table->act_count + 2, sizeof *table->act));
    table->act[table->act_count].outcome_first = table->outcome_count;
    table->act_first[table->state_count] = table->act_count;
    return ask_again(f);
}

og_status og_process_states(const og_process_source *source, uint64_t memory_bytes, og_stop *stop,
                            og_process_table *table, bool *sorted, og_message *message)
{
    og_message words = {""};
    finder f = {.to = {.act = add_act,
                       .outcome = outcome,
                       .end = end,
                       .outcome_text = outcome_text,
                       .end_text = end_text},
                .table = table,
                .source = source,
                .memory_bytes = memory_bytes,
                .stop = stop,
                .message = &words};
    table->process = source->process;
    table->rational = true;
    *sorted = true;
    og_status status = find_states(&f, sorted);
    free(f.states.slot);
    free(f.numbers.slot);
    free(f.names.slot);
    free(f.outcome);
    free(f.act);
    free(f.key);
    if (status != OG_OK && message != NULL) {
        *message = words;
    }
    return status;
}
