/*
 * Follows the policy forwards: each state has the probability of reaching it, and the gain is the
 * sum over states of probability times reward. So the file is read once, in its order, and only the
 * states of two successive numbers of labels left are in memory.
 *
 * Errors, relative, all terms being >= 0 (u = 2^-53). A probability is a product, over the labels
 * so far, of p (with error probability_error) and, if several actions are listed, a share (one
 * division). This adds two roundings for each label, and one for each of its summands but the
 * first. A summand of the gain adds the reward's error and one more product. The sum is
 * compensated: 2u and a second order term [Neumaier, Z. angew. Math. Mech. 54 (1974), 39-51].
 * Probabilities below 2^-1022 lose digits; the gain of each such state is below 2^-1022.
 */
#include "bench/questions/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/questions/verify_actions.h"
#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/file.h"
#include "dp/base/state_set.h"
#include "dp/export/policy_file.h"

/* A state that the policy reaches. */
typedef struct {
    double probability;
    uint32_t summands;
    bool seen; /* found in the file */
} visit;

typedef struct {
    og_arena arena;
    const char *name;
    const og_settings *settings;
    og_message *message;
    og_policy_reader *reader;
    const og_policy_header *header;
    og_arms *arms;
    int32_t **needed; /* [arm_count][nodes] least number of labels that can change the node's
                         call */
    og_state_set *here;
    og_state_set *below;
    og_verify_optimum *optimum; /* NULL: not available */
    og_verify_exact *exact;     /* NULL: not available */
    og_verify_actions actions;
    uint64_t table_bytes;
    int32_t room;
    int32_t count;
    og_copies *list;             /* [room] the current state, members ascending */
    const og_policy_item **item; /* [room] in the same order */
    og_copies *mixed;            /* [room] */
    double sum;                  /* of the gain */
    double rest;                 /* compensation of its rounding errors */
    uint32_t summands_most;
    double error; /* relative error of a Q computed here; of a Q from the exporter: */
    double doubt;
    og_verification found;
} checker;

static const double unit = 0x1p-53;

static og_status wrong(const checker *c, const og_policy_state *state, const char *what)
{
    char text[256];
    og_policy_state_format(state, text, sizeof text);
    return og_message_set(c->message, OG_BAD_INPUT, "the policy %s is wrong in line %llu, %s: %s",
                          c->name, (unsigned long long)og_policy_reader_line(c->reader), text,
                          what);
}

static og_status too_large(const checker *c)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(c->message, OG_STOPPED,
                          "the memory limit of %s is too small for the states of %s",
                          og_bytes_format(c->settings->memory_bytes, limit), c->name);
}

/* ---- the problem ---- */

static og_status build_arms(checker *c)
{
    const og_policy_header *h = c->header;
    og_groups problem;
    og_groups_init(&problem, h->budget);
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < h->prior_count; i++) {
        status = og_groups_add(&problem, &h->prior[i], c->message);
    }
    c->found.instances = og_groups_size(&problem);
    OG_THEN(status, og_arms_new(&problem, c->settings, &c->arms, c->message));
    og_groups_clear(&problem);
    if (status == OG_OK && c->arms->arm_count != h->prior_count) {
        status = og_message_set(c->message, OG_BAD_INPUT,
                                "the policy %s is wrong: it lists the same prior twice", c->name);
    }
    return status;
}

/* Compute for each node the least number of labels until one can have a reward, from the last level
 * up. */
static og_status build_needed(checker *c)
{
    const og_arms *arms = c->arms;
    c->needed = og_arena_array(&c->arena, (size_t)arms->arm_count, sizeof *c->needed);
    OG_TRY(og_arena_status(&c->arena));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        c->table_bytes += (uint64_t)arm->node_count * (8 + 12 * (uint64_t)arm->outcome_count + 4);
        if (c->table_bytes >= c->settings->memory_bytes) {
            return too_large(c);
        }
        int32_t *needed = og_arena_array(&c->arena, arm->node_count, sizeof *needed);
        c->needed[a] = needed;
        OG_TRY(og_arena_status(&c->arena));
        for (uint32_t node = arm->node_count; node-- > 0;) {
            int32_t least = INT32_MAX;
            bool last = node >= arm->level[arm->depth];
            for (int32_t k = 0; !last && k < arm->outcome_count; k++) {
                uint32_t next = arm->next[(size_t)node * (size_t)arm->outcome_count + (size_t)k];
                least = needed[next] < least ? needed[next] : least;
            }
            least = least == INT32_MAX ? least : least + 1;
            needed[node] = !last && arm->reward[node] > 0 ? 1 : least;
        }
    }
    return OG_OK;
}

static void take_errors(checker *c)
{
    double p_error = 0;
    double r_error = 0;
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        p_error = fmax(p_error, c->arms->arm[a]->probability_error);
        r_error = fmax(r_error, c->arms->arm[a]->reward_error);
    }
    /* A label with two outcomes has two products and two sums; the factor covers second order
     * terms. */
    c->error = 1.03 * (c->header->budget * (p_error + 4 * unit) + r_error) + 4 * unit;
    /* The exporter treats values within 16 units as equal (dp/product/two_copies.c), at every
     * label. */
    c->doubt = 1.03 * (c->header->budget * (p_error + 20 * unit) + r_error) + 8 * unit;
    c->found.error_bound = 1.01 * (c->header->budget * (p_error + 2 * unit) + r_error + 4 * unit);
}

/* Add the expected root. */
static og_status put_root(checker *c)
{
    const og_arms *arms = c->arms;
    c->room = c->header->prior_count + c->header->budget + 2;
    int64_t most = c->found.instances + 2;
    c->room = most < c->room ? (int32_t)most : c->room;
    c->list = og_arena_array(&c->arena, (size_t)c->room, sizeof *c->list);
    c->item = og_arena_array(&c->arena, (size_t)c->room, sizeof *c->item);
    c->mixed = og_arena_array(&c->arena, (size_t)c->room, sizeof *c->mixed);
    OG_TRY(og_arena_status(&c->arena));
    for (int32_t i = 0; i < arms->group_count; i++) {
        int32_t a = arms->arm_of_group[i];
        c->list[a] = (og_copies){arms->node_offset[a], (uint32_t)arms->group_size[i]};
    }
    c->count = arms->arm_count;
    OG_TRY(og_state_set_new(sizeof(visit), &c->here));
    OG_TRY(og_state_set_new(sizeof(visit), &c->below));
    if (arms->budget == 0) {
        return OG_OK;
    }
    uint32_t root;
    bool added;
    og_status status = og_state_set_put(c->here, c->list, c->count,
                                        c->settings->memory_bytes - c->table_bytes, &root, &added);
    if (status == OG_OK) {
        ((visit *)og_state_set_payload(c->here, root))->probability = 1;
    }
    return status == OG_STOPPED ? too_large(c) : status;
}

/* Half of the memory left may be used for the values of all states, and half of the rest for
 * fractions. */
static og_status value_all_actions(checker *c)
{
    uint64_t states = c->settings->states_max;
    og_verify_limits limits = {.states_max = states > 0 ? states : OG_VERIFY_STATES,
                               .memory_bytes = (c->settings->memory_bytes - c->table_bytes) / 2,
                               .stop = og_stop_of(c->settings)};
    og_status status = og_verify_optimum_new(c->arms, c->list, c->count, &limits, &c->optimum,
                                             &c->found.optimum_states);
    if (status == OG_OK) {
        c->found.optimal = true;
        c->table_bytes += limits.memory_bytes;
        limits = (og_verify_limits){.states_max = OG_VERIFY_EXACT_STATES,
                                    .memory_bytes = limits.memory_bytes / 2,
                                    .stop = og_stop_of(c->settings)};
        status = og_verify_exact_new(c->arms, c->optimum, c->error, &limits, &c->exact);
        c->table_bytes += c->exact != NULL ? limits.memory_bytes : 0;
    }
    OG_TRY(status == OG_STOPPED ? OG_OK : status);
    c->actions = (og_verify_actions){.arms = c->arms,
                                     .optimum = c->optimum,
                                     .exact = c->exact,
                                     .error = c->error,
                                     .doubt = c->doubt,
                                     .all = c->header->all};
    return og_verify_actions_init(&c->actions, &c->arena, c->room);
}

/* ---- one state ---- */

/* Convert the state to a multiset of global nodes, with the items in the same order. False if it
 * has too many items. */
static bool take_state(checker *c, const og_policy_state *state)
{
    const og_arms *arms = c->arms;
    if (state->count > c->room - 1) {
        return false;
    }
    c->count = state->count;
    for (int32_t i = 0; i < state->count; i++) {
        const og_policy_item *item = &state->item[i];
        int32_t a = arms->arm_of_group[item->prior];
        uint32_t member = arms->node_offset[a] +
                          arms->arm[a]->level[item->positive + item->negative] +
                          (uint32_t)item->positive;
        int32_t at = i;
        for (; at > 0 && c->list[at - 1].member > member; at--) {
            c->list[at] = c->list[at - 1];
            c->item[at] = c->item[at - 1];
        }
        c->list[at] = (og_copies){member, (uint32_t)item->copies};
        c->item[at] = item;
    }
    return true;
}

static void add_gain(checker *c, double term)
{
    double sum = c->sum + term;
    c->rest += c->sum >= term ? (c->sum - sum) + term : (term - sum) + c->sum;
    c->sum = sum;
}

static og_status follow(checker *c, int32_t i, double probability, int32_t left)
{
    int32_t number = og_arms_arm_of(c->arms, c->list[i].member);
    const og_arm *arm = c->arms->arm[number];
    uint32_t offset = c->arms->node_offset[number];
    uint32_t node = c->list[i].member - offset;
    uint64_t held = c->table_bytes + og_state_set_bytes(c->here);
    uint64_t limit = c->settings->memory_bytes > held ? c->settings->memory_bytes - held : 0;
    add_gain(c, probability * arm->reward[node]);
    for (int32_t k = 0; left > 1 && k < arm->outcome_count; k++) {
        size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        int32_t count = og_multiset_replace(c->list, c->count, c->list[i].member,
                                            offset + arm->next[at], c->mixed);
        uint32_t entry;
        bool added;
        og_status status = og_state_set_put(c->below, c->mixed, count, limit, &entry, &added);
        if (status != OG_OK) {
            return status == OG_STOPPED ? too_large(c) : status;
        }
        visit *next = og_state_set_payload(c->below, entry);
        next->probability += probability * arm->probability[at];
        next->summands++;
        if (next->summands > c->summands_most) {
            c->summands_most = next->summands;
        }
    }
    return OG_OK;
}

static bool nothing_to_gain(const checker *c, int32_t left)
{
    for (int32_t i = 0; i < c->count; i++) {
        int32_t a = og_arms_arm_of(c->arms, c->list[i].member);
        if (c->needed[a][c->list[i].member - c->arms->node_offset[a]] <= left) {
            return false;
        }
    }
    return true;
}

static og_status check_state(checker *c, const og_policy_state *state)
{
    uint32_t entry;
    if (!take_state(c, state) || !og_state_set_find(c->here, c->list, c->count, &entry)) {
        return wrong(c, state, "the choices do not lead to this state");
    }
    visit *at = og_state_set_payload(c->here, entry);
    if (at->seen) {
        return wrong(c, state, "the state is listed twice");
    }
    at->seen = true;
    if (state->any) {
        return nothing_to_gain(c, state->left)
                   ? OG_OK
                   : wrong(c, state, "a label can still gain something");
    }
    int32_t chosen = 0;
    bool near = false;
    double loss = 0;
    og_message why;
    for (int32_t i = 0; i < c->count; i++) {
        chosen += c->item[i]->choice != OG_CHOICE_NONE;
        near = near || c->item[i]->choice == OG_CHOICE_NEAR;
    }
    c->found.near_ties += near;
    double share = at->probability / chosen;
    og_status status =
        og_verify_actions_check(&c->actions, c->list, c->item, c->count, state->left, &loss, &why);
    if (status != OG_OK) {
        return status == OG_BAD_INPUT ? wrong(c, state, why.text) : status;
    }
    c->found.loss_bound += at->probability * loss;
    for (int32_t i = 0; i < c->count; i++) {
        if (c->item[i]->choice != OG_CHOICE_NONE) {
            OG_TRY(follow(c, i, share, state->left));
        }
    }
    return OG_OK;
}

/* ---- the whole file ---- */

/* After reading all states with `left` labels left, check that none is missing. */
static og_status end_level(checker *c, int32_t left)
{
    for (uint32_t entry = 0; entry < og_state_set_count(c->here); entry++) {
        if (((const visit *)og_state_set_payload(c->here, entry))->seen) {
            continue;
        }
        char text[256];
        size_t used = (size_t)snprintf(text, sizeof text, "%d left:", left);
        int32_t count;
        const og_copies *list = og_state_set_at(c->here, entry, &count);
        for (int32_t i = 0; i < count && used < sizeof text; i++) {
            int32_t a = og_arms_arm_of(c->arms, list[i].member);
            int32_t labels[2];
            og_arm_counts(c->arms->arm[a], list[i].member - c->arms->node_offset[a], labels);
            int32_t prior = 0;
            while (c->arms->arm_of_group[prior] != a) {
                prior++;
            }
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%d:%d,%dx%u",
                                 i > 0 ? ";" : " ", prior, labels[0], labels[1], list[i].copies);
        }
        return og_message_set(
            c->message, OG_BAD_INPUT,
            "the policy %s is wrong: its choices lead to a state that is missing, %s", c->name,
            text);
    }
    /* a product with p, a share, and all sums except the first */
    c->found.error_bound += 1.01 * unit * (c->summands_most > 1 ? c->summands_most - 1 : 0);
    c->summands_most = 0;
    og_state_set *swap = c->here;
    c->here = c->below;
    c->below = swap;
    og_state_set_empty(c->below);
    return OG_OK;
}

/* True if the watch stopped the work; otherwise fractions stopped at their own limit. */
static bool is_stopped(checker *c)
{
    enum { SOME = 256 };
    return (c->found.states % SOME == 0 && og_stop_asked(og_stop_of(c->settings))) ||
           og_stop_status(og_stop_of(c->settings)) != OG_OK;
}

static og_status read_states(checker *c)
{
    int32_t left = c->header->budget;
    for (;;) {
        const og_policy_state *state = NULL;
        bool more;
        og_status status = og_policy_reader_next(c->reader, &state, &more, c->message);
        int32_t reached = more ? (status == OG_OK ? state->left : left) : 0;
        while (status == OG_OK && left > reached) {
            status = end_level(c, left--);
        }
        if (status == OG_OK && more) {
            status = check_state(c, state);
            c->found.states++;
        }
        if (status == OG_OK && is_stopped(c)) {
            status = og_message_set(c->message, OG_STOPPED, "the check of %s was stopped", c->name);
        }
        if (status != OG_OK || !more) {
            return status;
        }
    }
}

/* Check that the policy has the value stated in the file. */
static og_status compare_value(checker *c)
{
    og_verification *found = &c->found;
    double call_error;
    double call = og_arms_prior_value(c->arms, &call_error);
    found->gain = c->sum + c->rest;
    found->value = call + found->gain;
    /* so far found->error_bound is the relative error of the gain */
    double relative = found->error_bound;
    found->error_bound = 1.01 * found->gain * relative + call_error + found->value * unit +
                         (double)found->states * DBL_MIN;
    double stated_most = 1.01 * (c->doubt * found->gain + call_error + found->value * unit);
    if (found->stated_error > stated_most + found->error_bound) {
        return og_message_set(c->message, OG_BAD_INPUT,
                              "the policy %s is wrong: it states an error of %.3g, but rounding "
                              "explains at most %.3g",
                              c->name, found->stated_error, stated_most);
    }
    double allowed = found->stated_error + found->error_bound;
    double gain_off = fabs(found->gain - c->header->gain);
    double value_off = fabs(found->value - found->stated_value);
    if (!(value_off <= allowed) || !(gain_off <= allowed)) {
        return og_message_set(c->message, OG_BAD_INPUT,
                              "the policy %s is wrong: from the root its gain is %.17g and its "
                              "value %.17g, but it states %.17g and %.17g",
                              c->name, found->gain, found->value, c->header->gain,
                              found->stated_value);
    }
    return OG_OK;
}

static void say_certified(checker *c)
{
    og_verification *found = &c->found;
    unsigned long long states = (unsigned long long)found->optimum_states;
    if (found->optimal && found->loss_bound == 0) {
        og_message_set(&found->certified, OG_OK,
                       "the policy's value and its optimality: it is optimal, all actions of all "
                       "%llu states that any policy can reach were valued",
                       states);
    } else if (found->optimal) {
        og_message_set(&found->certified, OG_OK,
                       "the policy's value and its optimality: it is within %.2g of optimal, "
                       "proved, all actions of all %llu states that any policy can reach were "
                       "valued",
                       found->loss_bound, states);
    } else {
        uint64_t most = c->settings->states_max;
        og_message_set(&found->certified, OG_OK,
                       "the policy's value, not its optimality: valuing all actions takes "
                       "more than %llu states or the memory limit",
                       (unsigned long long)(most > 0 ? most : OG_VERIFY_STATES));
    }
}

static og_status check(checker *c)
{
    OG_TRY(build_arms(c));
    take_errors(c);
    OG_TRY(build_needed(c));
    OG_TRY(put_root(c));
    OG_TRY(value_all_actions(c));
    OG_TRY(read_states(c));
    OG_TRY(compare_value(c));
    /* the sum of the losses, each times its state's probability, rounded up */
    c->found.loss_bound *= 1 + 1e-6;
    return OG_OK;
}

static void checker_clear(checker *c)
{
    og_state_set_free(c->here);
    og_state_set_free(c->below);
    og_verify_exact_free(c->exact);
    og_verify_optimum_free(c->optimum);
    og_arms_free(c->arms);
    og_policy_reader_free(c->reader);
    og_arena_clear(&c->arena);
}

og_status og_verify_run(FILE *file, const char *name, const og_settings *settings,
                        og_verification *out, og_message *message)
{
    checker c = {.name = name, .settings = settings, .message = message};
    OG_TRY(og_policy_reader_new(file, name, &c.reader, message));
    c.header = og_policy_reader_header(c.reader);
    c.found.budget = c.header->budget;
    c.found.all = c.header->all;
    c.found.stated_value = c.header->value;
    c.found.stated_error = c.header->error_bound;
    og_status status = check(&c);
    if (status == OG_NO_MEMORY) {
        og_message_set(message, status, "out of memory");
    }
    if (status == OG_OK) {
        say_certified(&c);
        *out = c.found;
    }
    checker_clear(&c);
    return status;
}

og_status og_verify_path(const char *path, const og_settings *settings, og_verification *out,
                         og_message *message)
{
    FILE *file;
    const char *reason = "";
    og_status status = og_file_open(path, &file, &reason);
    if (status != OG_OK) {
        return og_message_set(message, status, "the policy %s could not be read: %s", path, reason);
    }
    status = og_verify_run(file, path, settings, out, message);
    fclose(file);
    return status;
}
