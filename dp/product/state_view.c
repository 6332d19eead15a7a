/* Builds the state that a policy sees, and the share of each group in its choice. */
#include "dp/product/state_view.h"

#include "dp/base/ties.h"
#include "dp/product/chooser.h"

og_status og_shown_init(const og_characteristics_question *question,
                        const og_truth_law_arms *actual, int32_t room, og_shown *out)
{
    size_t groups = (size_t)room;
    *out = (og_shown){.actual = actual, .ranks = question->ranks, .ties = question->ties};
    out->order = og_arena_array(&out->arena, groups, sizeof *out->order);
    out->seen = og_arena_array(&out->arena, groups, sizeof *out->seen);
    out->seen_as = og_arena_array(&out->arena, groups, sizeof *out->seen_as);
    out->weight = og_arena_array(&out->arena, groups + 1, sizeof *out->weight);
    out->share = og_arena_array(&out->arena, groups, sizeof *out->share);
    return og_arena_status(&out->arena);
}

void og_shown_clear(og_shown *shown)
{
    og_arena_clear(&shown->arena);
}

static og_state_group believed(const og_shown *shown, const og_forward *pass, int32_t i)
{
    og_state_group group = pass->group[i];
    group.arm = shown->actual->base[group.arm];
    return group;
}

static bool stands_before(const og_shown *shown, const og_forward *pass, int32_t i, int32_t j)
{
    og_state_group x = believed(shown, pass, i), y = believed(shown, pass, j);
    return x.arm != y.arm ? x.arm < y.arm : x.node < y.node;
}

/* Joins neighbours of one posterior; if order does not matter, all instances of one posterior are
 * neighbours. */
static void see(og_shown *shown, const og_forward *pass)
{
    int32_t count = pass->state.count;
    for (int32_t i = 0; i < count; i++) {
        int32_t at = i;
        while (shown->ties != OG_TIES_FIRST && at > 0 &&
               stands_before(shown, pass, i, shown->order[at - 1])) {
            shown->order[at] = shown->order[at - 1];
            at--;
        }
        shown->order[at] = i;
    }
    shown->seen_count = 0;
    for (int32_t i = 0; i < count; i++) {
        og_state_group group = believed(shown, pass, shown->order[i]);
        int32_t last = shown->seen_count - 1;
        if (last >= 0 && shown->seen[last].arm == group.arm &&
            shown->seen[last].node == group.node) {
            shown->seen[last].copies += group.copies;
        } else {
            shown->seen[++last] = group;
            shown->seen_count++;
        }
        shown->seen_as[shown->order[i]] = last;
    }
}

/* The share of group i in the labels of the instances that look like it. */
static og_shown_share share_of(const og_shown *shown, const og_forward *pass, int32_t i)
{
    int32_t as = shown->seen_as[i];
    int64_t copies = pass->group[i].copies;
    double weight = shown->weight[as];
    switch (shown->ties) {
    case OG_TIES_RANDOM:
        return (og_shown_share){weight, weight > 0 ? copies : 0, shown->seen[as].copies};
    case OG_TIES_FIRST:
        return (og_shown_share){weight, weight > 0 && (i == 0 || shown->seen_as[i - 1] != as), 1};
    case OG_TIES_BEST:
    case OG_TIES_WORST:
        break;
    }
    return (og_shown_share){weight, weight > 0 ? copies : 0, copies};
}

og_status og_shown_look(og_shown *shown, const og_forward *pass, og_message *message)
{
    see(shown, pass);
    const og_state state = {pass->left, pass->arms->budget, shown->seen_count, shown->seen};
    og_status status =
        og_ranks_pick(shown->ranks, &state, shown->ties, shown->weight, &shown->kind);
    if (status != OG_OK) {
        og_ranks_failure(shown->ranks, message);
        return status;
    }
    shown->stop = shown->weight[state.count];
    if (shown->stop > 0 && shown->kind == OG_ANSWER_WEIGHTS && og_ties_by_value(shown->ties)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the policy draws whether it stops, which --ties best and worst do "
                              "not support with a truth");
    }
    for (int32_t i = 0; i < pass->state.count; i++) {
        shown->share[i] = share_of(shown, pass, i);
    }
    return OG_OK;
}

/* True if the tied groups have weight 1 together, because the tie rule labels one of them. */
static bool is_one(const og_shown *shown)
{
    return shown->kind == OG_ANSWER_INDEX && og_ties_by_value(shown->ties);
}

double og_shown_total(const og_shown *shown)
{
    double sum = shown->stop;
    for (int32_t i = 0; !is_one(shown) && i < shown->seen_count; i++) {
        sum += shown->weight[i];
    }
    return is_one(shown) ? 1 : sum;
}

void og_shown_total_exact(const og_shown *shown, mpq_t out, mpq_t scratch)
{
    mpq_set_d(out, is_one(shown) ? 1 : shown->stop);
    for (int32_t i = 0; !is_one(shown) && i < shown->seen_count; i++) {
        mpq_set_d(scratch, shown->weight[i]);
        mpq_add(out, out, scratch);
    }
}
