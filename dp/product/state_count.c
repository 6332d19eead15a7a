/*
 * Sums over final states. Each state gives the number of correct calls or, for a bandit, of
 * positive labels, which its nodes count. All terms are at least 0, so relative errors do not grow
 * by adding up. To the error of a state's probability are added a few roundings for each instance
 * whose call is open, one of a long double for each addition, and a few for the final sums.
 */
#include <float.h>

#include "dp/base/rational.h"
#include "dp/product/truth_law.h"

static size_t slots_of(const og_truth_law_arms *law, const og_characteristics_question *question)
{
    return question->ties == OG_TIES_FIRST ? (size_t)law->instances : (size_t)law->arms.arm_count;
}

static int64_t most_of(const og_truth_law_arms *law)
{
    return law->decides ? law->instances : law->arms.budget;
}

static size_t numbers_of(const og_truth_law_arms *law, const og_characteristics_question *question)
{
    return (size_t)most_of(law) + 1 +
           slots_of(law, question) * ((size_t)question->arms->budget + 2);
}

uint64_t og_state_count_bytes(const og_truth_law_arms *law,
                              const og_characteristics_question *question)
{
    size_t each = sizeof(double) + (question->exact ? 2 * sizeof(mpq_t) : sizeof(long double));
    return (uint64_t)(numbers_of(law, question) + (size_t)law->instances) * each;
}

og_status og_state_count_init(og_truth_law_arms *law, const og_characteristics_question *question,
                              og_state_count *out)
{
    size_t instances = (size_t)law->instances + 1, slots = slots_of(law, question);
    size_t most = (size_t)most_of(law) + 1, wrong = law->decides ? slots : 0;
    size_t gets = slots * ((size_t)question->arms->budget + 1);
    *out = (og_state_count){.arms = law,
                            .exact = question->exact,
                            .in_order = question->ties == OG_TIES_FIRST,
                            .most = most_of(law),
                            .slot_count = (int32_t)slots};
    og_arena *arena = &out->arena;
    if (question->exact) {
        out->law_exact = og_arena_fractions(arena, most);
        out->wrong_exact = og_arena_fractions(arena, wrong);
        out->gets_exact = og_arena_fractions(arena, gets);
        out->chance_exact = og_arena_fractions(arena, instances);
        out->term = og_arena_fractions(arena, 2);
    } else {
        out->law = og_arena_array(arena, most, sizeof *out->law);
        out->wrong = og_arena_array(arena, wrong, sizeof *out->wrong);
        out->gets = og_arena_array(arena, gets, sizeof *out->gets);
        out->chance = og_arena_array(arena, instances, sizeof *out->chance);
    }
    return og_arena_status(arena);
}

void og_state_count_clear(og_state_count *tally)
{
    og_arena_clear(&tally->arena);
}

/* Adds the labels of `copies` instances of this group to the slot. */
static void add_labels(og_state_count *tally, const og_state_group *group, int64_t slot,
                       int64_t copies, double probability, mpq_srcptr exact)
{
    const og_truth_law_arms *law = tally->arms;
    int32_t labels = og_arm_level(law->arms.arm[group->arm], group->node);
    size_t gets = (size_t)slot * ((size_t)law->arms.budget + 1) + (size_t)labels;
    tally->added++;
    if (tally->exact) {
        og_add_multiple(tally->gets_exact[gets], copies, exact);
    } else {
        tally->gets[gets] += probability * (double)copies;
    }
}

static void add_wrong(og_state_count *tally, const og_state_group *group, int64_t slot,
                      int64_t copies, double probability, mpq_srcptr exact)
{
    const og_truth_law_arms *law = tally->arms;
    uint32_t node = law->arms.node_offset[group->arm] + group->node;
    if (!law->decides) {
        return;
    }
    if (tally->exact) {
        mpq_mul(tally->term[0], exact, law->wrong[node]);
        og_add_multiple(tally->wrong_exact[slot], copies, tally->term[0]);
    } else {
        tally->wrong[slot] += probability * (double)copies * law->verdict[node].wrong;
    }
}

/* Adds the group: instances `first` .. in the given order or, without an order, a part of its
 * arm's. */
static void add_group(og_state_count *tally, const og_state_group *group, int64_t first,
                      double probability, mpq_srcptr exact)
{
    int64_t slots = tally->in_order ? group->copies : 1;
    int64_t each = tally->in_order ? 1 : group->copies;
    for (int64_t j = 0; j < slots; j++) {
        int64_t slot = tally->in_order ? first + j : group->arm;
        add_labels(tally, group, slot, each, probability, exact);
        add_wrong(tally, group, slot, each, probability, exact);
    }
}

/* Adds one more open call, with known probabilities, to `count` others. */
static void convolve(const og_state_count *tally, uint32_t node, int64_t count)
{
    const og_verdict *by = &tally->arms->verdict[node];
    double *chance = tally->chance;
    if (!tally->exact) {
        chance[count + 1] = chance[count] * by->right;
        for (int64_t k = count; k > 0; k--) {
            chance[k] = chance[k] * by->wrong + chance[k - 1] * by->right;
        }
        chance[0] *= by->wrong;
        return;
    }
    mpq_srcptr wrong = tally->arms->wrong[node];
    mpq_ptr right = tally->term[0], part = tally->term[1];
    mpq_set_ui(right, 1, 1);
    mpq_sub(right, right, wrong);
    mpq_mul(tally->chance_exact[count + 1], tally->chance_exact[count], right);
    for (int64_t k = count; k > 0; k--) {
        mpq_mul(tally->chance_exact[k], tally->chance_exact[k], wrong);
        mpq_mul(part, tally->chance_exact[k - 1], right);
        mpq_add(tally->chance_exact[k], tally->chance_exact[k], part);
    }
    mpq_mul(tally->chance_exact[0], tally->chance_exact[0], wrong);
}

/* Adds the distribution of a score that is at least `sure`, with `count` more calls that may be
 * correct. */
static void add_law(const og_state_count *tally, int64_t sure, int64_t count, double probability,
                    mpq_srcptr exact)
{
    for (int64_t k = 0; k <= count; k++) {
        if (tally->exact) {
            mpq_mul(tally->term[0], exact, tally->chance_exact[k]);
            mpq_add(tally->law_exact[sure + k], tally->law_exact[sure + k], tally->term[0]);
        } else {
            tally->law[sure + k] += probability * tally->chance[k];
        }
    }
}

/* The group's part of the score: `sure` is certain, `open` is the number of calls that may be
 * correct. */
static og_status score(og_state_count *tally, const og_state_group *group, int64_t *sure,
                       int64_t *open)
{
    og_truth_law_arms *law = tally->arms;
    uint32_t node;
    if (!law->decides) {
        *sure += og_truth_law_positives(law, group);
        return OG_OK;
    }
    OG_TRY(og_truth_law_verdict(law, group, &node));
    if (law->actual[group->arm].fixed) {
        *sure += law->verdict[node].right > 0 ? group->copies : 0;
        return OG_OK;
    }
    for (int64_t j = 0; j < group->copies; j++) {
        convolve(tally, node, (*open)++);
    }
    return OG_OK;
}

og_status og_state_count_add(og_state_count *tally, const og_state *state, double probability,
                             mpq_srcptr exact)
{
    int64_t first = 0, sure = 0, open = 0;
    if (tally->exact) {
        mpq_set_ui(tally->chance_exact[0], 1, 1);
    } else {
        tally->chance[0] = 1;
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        OG_TRY(score(tally, group, &sure, &open));
        add_group(tally, group, first, probability, exact);
        first += group->copies;
    }
    add_law(tally, sure, open, probability, exact);
    return OG_OK;
}

/* ---- results ---- */

static const double unit = 0x1p-53, least = 1e-290;

static og_status allocate_told(const og_state_count *tally, og_characteristics *out)
{
    size_t instances = (size_t)out->instances, slots = (size_t)tally->slot_count;
    size_t gets = slots * ((size_t)out->budget + 1), most = (size_t)tally->most + 1;
    bool decides = tally->arms->decides;
    og_arena *arena = &out->arena;
    out->slot_count = tally->slot_count;
    out->most = tally->most;
    out->law = og_arena_array(arena, most, sizeof *out->law);
    out->slot = og_arena_array(arena, instances, sizeof *out->slot);
    out->wrong = decides ? og_arena_array(arena, slots, sizeof *out->wrong) : NULL;
    out->labels = og_arena_array(arena, slots, sizeof *out->labels);
    out->labels_law = og_arena_array(arena, gets, sizeof *out->labels_law);
    if (tally->exact) {
        out->moment = og_arena_fractions(arena, 2);
        out->law_exact = og_arena_fractions(arena, most);
        out->wrong_exact = decides ? og_arena_fractions(arena, slots) : NULL;
        out->labels_exact = og_arena_fractions(arena, slots);
        out->labels_law_exact = og_arena_fractions(arena, gets);
    }
    return og_arena_status(arena);
}

/* Number of instances in each slot, [slot_count]; also sets the slot of each instance. */
static void share_slots(const og_state_count *tally, og_characteristics *out, int64_t *shares)
{
    const og_arms *arms = &tally->arms->arms;
    int64_t at = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t i = 0; i < arms->group_size[g]; i++, at++) {
            out->slot[at] = tally->in_order ? (int32_t)at : arms->arm_of_group[g];
            shares[out->slot[at]]++;
        }
    }
}

static void tell_slot(const og_state_count *tally, int32_t slot, int64_t shares,
                      og_characteristics *out)
{
    size_t first = (size_t)slot * ((size_t)out->budget + 1);
    long double labels = 0;
    for (int32_t n = 0; n <= out->budget; n++) {
        out->labels_law[first + (size_t)n] =
            (double)(tally->gets[first + (size_t)n] / (long double)shares);
        labels += n * tally->gets[first + (size_t)n];
    }
    out->labels[slot] = (double)(labels / (long double)shares);
    if (out->wrong != NULL) {
        out->wrong[slot] = (double)(tally->wrong[slot] / (long double)shares);
    }
}

static void tell_slot_exactly(const og_state_count *tally, int32_t slot, int64_t shares,
                              og_characteristics *out)
{
    size_t first = (size_t)slot * ((size_t)out->budget + 1);
    mpq_t part;
    mpq_init(part);
    mpq_set_ui(part, 1, (unsigned long)shares);
    for (int32_t n = 0; n <= out->budget; n++) {
        mpq_ptr law = out->labels_law_exact[first + (size_t)n];
        mpq_mul(law, tally->gets_exact[first + (size_t)n], part);
        og_add_multiple(out->labels_exact[slot], n, law);
        out->labels_law[first + (size_t)n] = og_nearest(law);
    }
    if (out->wrong != NULL) {
        mpq_mul(out->wrong_exact[slot], tally->wrong_exact[slot], part);
        out->wrong[slot] = og_nearest(out->wrong_exact[slot]);
    }
    out->labels[slot] = og_nearest(out->labels_exact[slot]);
    mpq_clear(part);
}

/* With m the computed mean, the mean of (k - m)^2 is the variance plus (m - exact mean)^2. */
static void tell_law(const og_state_count *tally, og_characteristics *out)
{
    long double mean = 0, variance = 0;
    for (int64_t k = 0; k <= out->most; k++) {
        out->law[k] = (double)tally->law[k];
        mean += (long double)k * tally->law[k];
    }
    out->mean = (double)mean;
    for (int64_t k = 0; k <= out->most; k++) {
        double off = (double)k - out->mean;
        variance += tally->law[k] * off * off;
    }
    out->variance = (double)variance;
    out->mean_error = out->relative_error * out->mean + least;
    out->variance_error =
        1.01 * (out->relative_error * out->variance + out->mean_error * out->mean_error) + least;
}

static void tell_law_exactly(const og_state_count *tally, og_characteristics *out)
{
    mpq_ptr mean = out->moment[0], variance = out->moment[1];
    for (int64_t k = 0; k <= out->most; k++) {
        mpq_set(out->law_exact[k], tally->law_exact[k]);
        out->law[k] = og_nearest(tally->law_exact[k]);
        og_add_multiple(mean, k, tally->law_exact[k]);
        og_add_multiple(variance, k * k, tally->law_exact[k]);
    }
    mpq_mul(tally->term[0], mean, mean);
    mpq_sub(variance, variance, tally->term[0]);
    out->mean = og_nearest(mean);
    out->variance = og_nearest(variance);
    out->mean_error = unit * out->mean;
    out->variance_error = unit * out->variance;
}

og_status og_state_count_tell(const og_state_count *tally, double relative_error, uint64_t states,
                              og_characteristics *out)
{
    out->instances = tally->arms->instances;
    out->budget = tally->arms->arms.budget;
    OG_TRY(allocate_told(tally, out));
    int64_t *shares = og_arena_array(&out->arena, (size_t)tally->slot_count, sizeof *shares);
    OG_TRY(og_arena_status(&out->arena));
    share_slots(tally, out, shares);
    double added = (double)tally->added + (double)states + (double)out->most + out->budget;
    out->relative_error = tally->exact
                              ? unit
                              : 1.01 * (relative_error + (3 * (double)out->instances + 16) * unit +
                                        added * (double)LDBL_EPSILON);
    for (int32_t i = 0; i < tally->slot_count; i++) {
        if (tally->exact) {
            tell_slot_exactly(tally, i, shares[i], out);
        } else {
            tell_slot(tally, i, shares[i], out);
        }
    }
    if (tally->exact) {
        tell_law_exactly(tally, out);
    } else {
        tell_law(tally, out);
    }
    return OG_OK;
}
