/*
 * Builds the actual distributions of labels and the verdicts of final calls, for labels that do not
 * follow the assumed prior.
 *
 * Invariant: an arm here has the same nodes as the assumed arm, so a posterior keeps its number,
 * and the arm's base alone identifies what a policy sees. This also holds for the arm of a mixture
 * that labels really follow, because all arms of two outcomes are numbered alike.
 */
#include "dp/product/truth_law.h"

#include <stdlib.h>

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/tails.h"

/* ---- arms ---- */

typedef struct {
    int32_t base, run;
    og_truth_law actual;
} labelled;

static int compare_actual(const og_truth_law *x, const og_truth_law *y)
{
    if (x->fixed != y->fixed) {
        return x->fixed ? -1 : 1;
    }
    if (x->fixed) {
        return og_fraction_compare(x->soft, y->soft);
    }
    if (x->mixed != NULL || y->mixed != NULL) {
        int32_t first = x->mixed != NULL ? x->mixed_number : -1;
        int32_t second = y->mixed != NULL ? y->mixed_number : -1;
        return (first > second) - (first < second);
    }
    int by_a = og_fraction_compare(x->a, y->a);
    return by_a != 0 ? by_a : og_fraction_compare(x->b, y->b);
}

static int compare_labelled(const void *left, const void *right)
{
    const labelled *x = left, *y = right;
    return x->base != y->base ? (x->base > y->base) - (x->base < y->base)
                              : compare_actual(&x->actual, &y->actual);
}

static bool is_new_arm(const labelled *sorted, int32_t i)
{
    return i == 0 || compare_labelled(&sorted[i - 1], &sorted[i]) != 0;
}

/* Sorts the runs by their arms. */
static labelled *sort_runs(const og_characteristics_question *question, og_arena *arena)
{
    labelled *sorted = og_arena_array(arena, (size_t)question->run_count + 1, sizeof *sorted);
    for (int32_t i = 0; sorted != NULL && i < question->run_count; i++) {
        const og_truth_law_run *run = &question->run[i];
        sorted[i] = (labelled){question->arms->arm_of_group[run->group], i, run->actual};
    }
    if (sorted != NULL) {
        qsort(sorted, (size_t)question->run_count, sizeof *sorted, compare_labelled);
    }
    return sorted;
}

static og_status allocate(const og_characteristics_question *question, int32_t arm_count,
                          og_truth_law_arms *out)
{
    size_t runs = (size_t)question->run_count + 1, count = (size_t)arm_count + 1;
    og_arena *arena = &out->arena;
    out->arms = (og_arms){.budget = question->arms->budget,
                          .arm_count = arm_count,
                          .group_count = question->run_count};
    out->arms.arm = og_arena_array(arena, count, sizeof *out->arms.arm);
    out->arms.node_offset = og_arena_array(arena, count, sizeof *out->arms.node_offset);
    out->arms.arm_of_group = og_arena_array(arena, runs, sizeof *out->arms.arm_of_group);
    out->arms.group_size = og_arena_array(arena, runs, sizeof *out->arms.group_size);
    out->base = og_arena_array(arena, count, sizeof *out->base);
    out->actual = og_arena_array(arena, count, sizeof *out->actual);
    return og_arena_status(arena);
}

/* Counts the nodes of all arms; more than 2^32 are treated as too many bytes. */
static uint64_t fill_arms(const og_characteristics_question *question, const labelled *sorted,
                          og_truth_law_arms *out)
{
    uint64_t nodes = 0;
    int32_t arm = -1;
    for (int32_t i = 0; i < question->run_count; i++) {
        if (is_new_arm(sorted, i)) {
            arm++;
            out->base[arm] = sorted[i].base;
            out->actual[arm] = sorted[i].actual;
            out->arms.arm[arm] = question->arms->arm[sorted[i].base];
            out->arms.node_offset[arm] = (uint32_t)nodes;
            nodes += out->arms.arm[arm]->node_count;
        }
        out->arms.arm_of_group[sorted[i].run] = arm;
        out->arms.group_size[sorted[i].run] = question->run[sorted[i].run].count;
        out->instances += question->run[sorted[i].run].count;
    }
    out->arms.node_offset[arm + 1] = (uint32_t)nodes;
    return nodes;
}

og_status og_truth_law_arms_init(const og_characteristics_question *question,
                                 og_truth_law_arms *out, og_message *message)
{
    int32_t arm_count = 0;
    *out = (og_truth_law_arms){.decides = og_arm_has_calls(question->arms->arm[0])};
    labelled *sorted = sort_runs(question, &out->arena);
    for (int32_t i = 0; sorted != NULL && i < question->run_count; i++) {
        arm_count += is_new_arm(sorted, i);
    }
    OG_TRY(sorted == NULL ? OG_NO_MEMORY : allocate(question, arm_count, out));
    uint64_t nodes = fill_arms(question, sorted, out);
    size_t verdicts = out->decides ? (size_t)nodes : 0;
    out->bytes = verdicts * (sizeof *out->verdict + (question->exact ? sizeof *out->wrong : 0));
    if (nodes > UINT32_MAX || out->bytes > question->settings.memory_bytes / 2) {
        return og_message_set(message, OG_STOPPED,
                              "the memory limit does not hold the posteriors of instances with "
                              "different actual soft labels");
    }
    out->verdict = og_arena_array(&out->arena, verdicts, sizeof *out->verdict);
    out->wrong = question->exact ? og_arena_fractions(&out->arena, verdicts) : NULL;
    return og_arena_status(&out->arena);
}

void og_truth_law_arms_clear(og_truth_law_arms *law)
{
    og_arena_clear(&law->arena);
}

/* ---- labels ---- */

static og_fraction missing_to_one(og_fraction part)
{
    return og_fraction_make(part.den - part.num, part.den);
}

static void counts_of(const og_truth_law_arms *law, const og_state_group *group, int32_t *counts)
{
    og_arm_counts(law->arms.arm[group->arm], group->node, counts);
}

double og_truth_law_chance(const og_truth_law_arms *law, const og_state_group *group, int outcome)
{
    const og_truth_law *actual = &law->actual[group->arm];
    int32_t counts[2];
    if (actual->fixed) {
        return og_fraction_double(outcome == 0 ? actual->soft : missing_to_one(actual->soft));
    }
    if (actual->mixed != NULL) {
        return actual->mixed->probability[2 * (size_t)group->node + (size_t)outcome];
    }
    counts_of(law, group, counts);
    double a = og_fraction_double(actual->a) + counts[0];
    double b = og_fraction_double(actual->b) + counts[1];
    return (outcome == 0 ? a : b) / (a + b);
}

void og_truth_law_chance_exact(const og_truth_law_arms *law, const og_state_group *group,
                               int outcome, mpq_ptr out)
{
    const og_truth_law *actual = &law->actual[group->arm];
    int32_t counts[2];
    if (actual->fixed) {
        og_fraction_get_mpq(out, outcome == 0 ? actual->soft : missing_to_one(actual->soft));
        return;
    }
    if (actual->mixed != NULL) {
        og_arm_exact_probability(actual->mixed, group->node, outcome, out);
        return;
    }
    mpq_t other;
    mpq_init(other);
    counts_of(law, group, counts);
    og_fraction_get_mpq(out,
                        og_fraction_plus(outcome == 0 ? actual->a : actual->b, counts[outcome]));
    og_fraction_get_mpq(
        other, og_fraction_plus(outcome == 0 ? actual->b : actual->a, counts[1 - outcome]));
    mpq_add(other, other, out);
    mpq_div(out, out, other);
    mpq_clear(other);
}

/* ---- calls ---- */

/* A call is wrong if the soft label is on the other side of the threshold. */
static void chances_of_call(bool positive, double below, double above, og_verdict *out)
{
    *out = positive ? (og_verdict){below, above} : (og_verdict){above, below};
}

/* For a posterior, or for a mixture after its labels. NULL means that no fraction is wanted. */
static void tell_exactly(bool positive, const og_group *group, const int32_t *counts, mpq_ptr wrong)
{
    mpq_t other;
    if (wrong == NULL) {
        return;
    }
    mpq_init(other);
    mpq_ptr below = positive ? wrong : other, above = positive ? other : wrong;
    if (counts != NULL) {
        og_mixture_exact_tails(group, counts[0], counts[1], below, above);
    } else {
        og_beta_exact_tails(group, below, above);
    }
    mpq_clear(other);
}

static og_status look_at(og_truth_law_arms *law, const og_state_group *group, og_verdict *verdict,
                         mpq_ptr wrong)
{
    const og_arm *arm = law->arms.arm[group->arm];
    const og_truth_law *actual = &law->actual[group->arm];
    bool positive = og_arm_positive(arm, group->node);
    og_group now = arm->prior;
    if (actual->fixed) {
        bool is = og_fraction_compare(actual->soft, now.threshold) >= 0;
        *verdict = (og_verdict){positive != is, positive == is};
        if (wrong != NULL) {
            mpq_set_ui(wrong, positive != is, 1);
        }
        return OG_OK;
    }
    int32_t counts[2];
    double below, above;
    counts_of(law, group, counts);
    if (actual->mixed != NULL) {
        og_group prior = actual->mixed->prior;
        prior.threshold = now.threshold;
        OG_TRY(og_mixture_tails(&prior, counts[0], counts[1], &below, &above));
        chances_of_call(positive, below, above, verdict);
        tell_exactly(positive, &prior, counts, wrong);
        return OG_OK;
    }
    now = (og_group){.a = og_fraction_plus(actual->a, counts[0]),
                     .b = og_fraction_plus(actual->b, counts[1]),
                     .threshold = now.threshold,
                     .count = 1};
    OG_TRY(og_beta_tails(&now, &below, &above));
    chances_of_call(positive, below, above, verdict);
    tell_exactly(positive, &now, NULL, wrong);
    return OG_OK;
}

og_status og_truth_law_verdict(og_truth_law_arms *law, const og_state_group *group, uint32_t *node)
{
    *node = law->arms.node_offset[group->arm] + group->node;
    og_verdict *known = &law->verdict[*node];
    return known->wrong + known->right > 0
               ? OG_OK
               : look_at(law, group, known, law->wrong != NULL ? law->wrong[*node] : NULL);
}

/* ---- score of a final state ---- */

int64_t og_truth_law_positives(const og_truth_law_arms *law, const og_state_group *group)
{
    int32_t counts[2];
    counts_of(law, group, counts);
    return group->copies * counts[0];
}

static og_status add_right(og_truth_law_arms *law, const og_state_group *group, double *mean,
                           mpq_ptr exact)
{
    uint32_t node;
    OG_TRY(og_truth_law_verdict(law, group, &node));
    *mean += (double)group->copies * law->verdict[node].right;
    if (exact != NULL) {
        mpq_t right;
        mpq_init(right);
        mpq_set_ui(right, 1, 1);
        mpq_sub(right, right, law->wrong[node]);
        og_add_multiple(exact, group->copies, right);
        mpq_clear(right);
    }
    return OG_OK;
}

og_status og_truth_law_score(og_truth_law_arms *law, const og_state *state, double *mean,
                             mpq_ptr exact)
{
    int64_t positives = 0;
    *mean = 0;
    if (exact != NULL) {
        mpq_set_ui(exact, 0, 1);
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        if (law->decides) {
            OG_TRY(add_right(law, group, mean, exact));
        } else {
            positives += og_truth_law_positives(law, group);
        }
    }
    *mean += (double)positives;
    if (exact != NULL && !law->decides) {
        og_mpz_set(mpq_numref(exact), positives);
    }
    return OG_OK;
}
