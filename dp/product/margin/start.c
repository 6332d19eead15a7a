/*
 * Forced labels from the roots to the starts: theorem 8 of bench/studies/THEOREMS.md, for any
 * instances at threshold 1/2.
 *
 * A (k, k) is labelled if d >= k for all other instances. Else, if two instances are in one
 * (c+1, c) or more, whose target and gain are the largest that any instance can reach, then that is
 * labelled, or the least (k, k) if labels are scarce (dp/product/two_copies.h).
 *
 * The totals of all instances add up to a number that grows by one with each label. So a multiset
 * of nodes determines the labels left, and entries come in the order of the labels.
 */
#include <string.h>

#include "dp/base/stop.h"
#include "dp/product/margin/made.h"

enum { GROUPS = 64 }; /* different posteriors of a state */

typedef struct {
    const og_margin *g;
    og_state_set *set;
    int32_t starts;
} walk;

static const og_margin_node *node_at(const walk *w, const og_copies *group)
{
    return &w->g->nodes.node[group->member];
}

/* The least (k, k); -1: none is waiting. */
static int32_t least_diagonal(const walk *w, const og_copies *list, int32_t count)
{
    int32_t least = -1;
    for (int32_t i = 0; i < count; i++) {
        const og_margin_node *x = node_at(w, &list[i]);
        if (x->margin == 0 && (least < 0 || !og_margin_is_beyond(x, node_at(w, &list[least])))) {
            least = i;
        }
    }
    return least;
}

static bool is_forced_diagonal(const walk *w, const og_copies *list, int32_t count, int32_t at)
{
    bool forced = true;
    for (int32_t i = 0; forced && i < count; i++) {
        forced = i == at || og_margin_is_beyond(node_at(w, &list[i]), node_at(w, &list[at]));
    }
    return forced;
}

/* Two copies of the node that reaches most; -1: none. *lambda: as in dp/product/two_copies.h. */
static int32_t two_copies(const walk *w, const og_copies *list, int32_t count, double *lambda)
{
    for (int32_t at = 0; at < count; at++) {
        const og_margin_node *x = node_at(w, &list[at]);
        if (x->margin != 1 || list[at].copies < 2 || x->after[OG_TOWARD] < 0) {
            continue;
        }
        double target = w->g->nodes.node[x->after[OG_TOWARD]].reward;
        double gain = x->chance[OG_TOWARD] * target;
        bool best = target > 0;
        for (int32_t i = 0; best && i < count; i++) {
            const og_margin_node *y = node_at(w, &list[i]);
            best = y->target_reach <= target && y->gain_reach <= gain;
        }
        if (best) {
            *lambda = gain / (1 + x->chance[OG_TOWARD]);
            return at;
        }
    }
    return -1;
}

/* The instance whose label is forced; -1: none. */
static int32_t forced_label(const walk *w, const og_copies *list, int32_t count, int32_t left)
{
    double lambda;
    int64_t enough = left, bad = 0; /* e */
    int32_t least = left >= 1 ? least_diagonal(w, list, count) : -1;
    if (least >= 0 && is_forced_diagonal(w, list, count, least)) {
        return least;
    }
    int32_t at = left >= 1 ? two_copies(w, list, count, &lambda) : -1;
    for (int32_t i = 0; at >= 0 && i < count; i++) {
        const og_margin_node *x = node_at(w, &list[i]);
        enough -= x->margin == 0 && x->reward >= lambda ? list[i].copies : 0;
        bad += x->margin == 0 && x->reward < lambda ? list[i].copies : 0;
    }
    if (at >= 0 && enough <= 0) {
        return least;
    }
    return enough >= 2 || bad == 0 ? at : -1;
}

static og_status put(walk *w, const og_copies *list, int32_t count, int32_t left, uint32_t *entry)
{
    bool added;
    if (og_state_set_count(w->set) >= OG_MARGIN_STEPS) {
        return OG_STOPPED;
    }
    OG_TRY(og_state_set_put(w->set, list, count, UINT64_MAX, entry, &added));
    if (added) {
        og_margin_step *step = og_state_set_payload(w->set, *entry);
        *step = (og_margin_step){.left = left, .start = -1};
    }
    return OG_OK;
}

static og_status follow(walk *w, uint32_t entry)
{
    og_copies list[GROUPS], moved[GROUPS + 1];
    int32_t count;
    const og_copies *own = og_state_set_at(w->set, entry, &count);
    og_margin_step step = *(og_margin_step *)og_state_set_payload(w->set, entry);
    if (step.left == 0) {
        return OG_OK;
    }
    int32_t at = count <= GROUPS ? forced_label(w, own, count, step.left) : -1;
    if (at < 0) {
        step.start = w->starts++;
    } else {
        memcpy(list, own, (size_t)count * sizeof *list);
        const og_margin_node *x = node_at(w, &list[at]);
        step.reward = x->reward;
        for (int k = 0; k < 2; k++) {
            step.chance[k] = x->chance[k];
            if (x->chance[k] > 0) {
                int32_t length =
                    og_multiset_replace(list, count, list[at].member, (uint32_t)x->after[k], moved);
                OG_TRY(put(w, moved, length, step.left - 1, &step.after[k]));
            }
        }
    }
    memcpy(og_state_set_payload(w->set, entry), &step, sizeof step);
    return OG_OK;
}

/* The node that stands for an instance; -1: beyond the grid. */
static int32_t node_of_group(const og_margin *g, const og_state *root, const og_state_group *group)
{
    int32_t node = og_margin_node_of(g->arms, &g->nodes, group->arm, group->node, INT32_MAX);
    int32_t near = og_margin_node_of(g->arms, &g->nodes, group->arm, group->node, g->m + 1);
    bool there = near >= 0 && g->nodes.node[near].level <= g->arms->budget - root->left;
    return there ? near : node;
}

static og_status put_root(walk *w, const og_state *root, uint32_t *entry)
{
    og_copies list[GROUPS];
    int32_t count = 0;
    for (int32_t i = 0; i < root->count; i++) {
        const og_state_group *group = &root->group[i];
        int32_t node = node_of_group(w->g, root, group), at = 0;
        if (node < 0 || group->copies > UINT16_MAX) {
            return OG_STOPPED;
        }
        if (group->copies == 0) {
            continue;
        }
        while (at < count && list[at].member < (uint32_t)node) {
            at++;
        }
        if (at < count && list[at].member == (uint32_t)node) {
            list[at].copies += (uint32_t)group->copies;
            continue;
        }
        if (count == GROUPS) {
            return OG_STOPPED;
        }
        memmove(&list[at + 1], &list[at], (size_t)(count - at) * sizeof *list);
        list[at] = (og_copies){(uint32_t)node, (uint32_t)group->copies};
        count++;
    }
    return put(w, list, count, root->left, entry);
}

og_status og_margin_starts(const og_margin *g, const og_state *root, int32_t count,
                           uint32_t *root_entry, int32_t *starts, og_state_set **out)
{
    walk w = {.g = g};
    OG_TRY(og_state_set_new(sizeof(og_margin_step), &w.set));
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        status = put_root(&w, &root[i], &root_entry[i]);
    }
    for (uint32_t entry = 0; status == OG_OK && entry < og_state_set_count(w.set); entry++) {
        status = entry % 1024 == 1023 && og_stop_asked(og_stop_of(&g->settings))
                     ? OG_STOPPED
                     : follow(&w, entry);
    }
    *starts = w.starts;
    return OG_MADE(status, w.set, og_state_set_free, out);
}
