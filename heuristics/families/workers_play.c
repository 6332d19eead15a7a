/*
 * Keeps the indices of all pairs up to date. Rows are instances. The largest index of each row is
 * stored; a row is searched again only if its largest index became smaller.
 *
 * Instances that have their prior, and workers that have theirs, are equal to their neighbours with
 * the same prior: an index is computed once for them.
 */
#include "heuristics/families/workers_play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/bits.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/workers_policy.h"

typedef struct {
    int32_t *kind; /* [count] a number of the prior; -1: it has changed */
    int32_t *kind_at_first;
} worker_kinds;

struct og_workers_play {
    og_arena arena;
    const og_workers_setting *setting;
    og_rule_use rule;
    double *instance, *worker; /* [2 * instances], [width * workers] */
    size_t width;
    double *right;          /* [instances] h */
    double *index;          /* [instances * workers] -INFINITY: the pair cannot be asked */
    double *best;           /* [instances] the largest of each row */
    int32_t *open;          /* [instances] number of pairs that can be asked */
    uint64_t *shut, *asked; /* bits of pairs */
    worker_kinds instances, workers;
    int32_t *which;                  /* [max(instances, workers)] the pairs to be computed, */
    int32_t *from;                   /* the place of each one's index among the computed ones, */
    double *beta, *by, *now, *found; /* and these as for og_workers_indices */
    og_worker_form *form;
};

/* True if all pairs tie. */
static bool any(const og_workers_play *p)
{
    return p->rule.rule->index == NULL;
}

static size_t pair_of(const og_workers_play *p, int32_t instance, int32_t worker)
{
    return (size_t)instance * (size_t)p->setting->workers + (size_t)worker;
}

/* ---- memory ---- */

/* Members with equal priors, of `width` doubles and perhaps a form, that follow each other have the
 * same number. */
static void number_kinds(worker_kinds *kinds, const double *prior, size_t width,
                         const og_worker_form *form, int32_t count)
{
    int32_t kind = 0;
    for (int32_t i = 0; i < count; i++) {
        bool same = i > 0 && (form == NULL || form[i].kind == form[i - 1].kind);
        for (size_t k = (size_t)i * width; same && k < ((size_t)i + 1) * width; k++) {
            same = prior[k] == prior[k - width];
        }
        kind += i > 0 && !same ? 1 : 0;
        kinds->kind_at_first[i] = kind;
    }
}

static size_t words_of(const og_workers_setting *setting)
{
    return og_bits_words((size_t)setting->instances * (size_t)setting->workers);
}

og_status og_workers_play_new(const og_workers_setting *setting, og_workers_play **out)
{
    size_t k = (size_t)setting->instances, m = (size_t)setting->workers, most = k > m ? k : m;
    og_workers_play *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    p->setting = setting;
    p->width = (size_t)og_workers_setting_width(setting);
    p->instance = og_arena_array(&p->arena, 2 * k, sizeof *p->instance);
    p->worker = og_arena_array(&p->arena, p->width * m, sizeof *p->worker);
    p->right = og_arena_array(&p->arena, k, sizeof *p->right);
    p->index = og_arena_array(&p->arena, k * m, sizeof *p->index);
    p->best = og_arena_array(&p->arena, k, sizeof *p->best);
    p->open = og_arena_array(&p->arena, k, sizeof *p->open);
    p->shut = og_arena_array(&p->arena, words_of(setting), sizeof *p->shut);
    p->asked = og_arena_array(&p->arena, words_of(setting), sizeof *p->asked);
    p->instances.kind = og_arena_array(&p->arena, k, sizeof *p->instances.kind);
    p->instances.kind_at_first = og_arena_array(&p->arena, k, sizeof *p->instances.kind);
    p->workers.kind = og_arena_array(&p->arena, m, sizeof *p->workers.kind);
    p->workers.kind_at_first = og_arena_array(&p->arena, m, sizeof *p->workers.kind);
    p->which = og_arena_array(&p->arena, most, sizeof *p->which);
    p->from = og_arena_array(&p->arena, most, sizeof *p->from);
    p->beta = og_arena_array(&p->arena, 2 * most, sizeof *p->beta);
    p->by = og_arena_array(&p->arena, p->width * most, sizeof *p->by);
    p->form = og_arena_array(&p->arena, most, sizeof *p->form);
    p->now = og_arena_array(&p->arena, most, sizeof *p->now);
    p->found = og_arena_array(&p->arena, most, sizeof *p->found);
    OG_TRY(og_arena_whole(p));
    number_kinds(&p->instances, setting->instance, 2, NULL, setting->instances);
    number_kinds(&p->workers, setting->worker, p->width, setting->form, setting->workers);
    *out = p;
    return OG_OK;
}

void og_workers_play_free(og_workers_play *play)
{
    og_arena_free(play);
}

/* ---- indices ---- */

/* Lists the first of each run of equal kinds, and where the others find their index. */
static int32_t list_different(og_workers_play *p, const int32_t *kind, int32_t count)
{
    int32_t used = 0, last = -1;
    for (int32_t i = 0; i < count; i++) {
        bool same = kind[i] >= 0 && last >= 0 && kind[p->which[last]] == kind[i];
        if (!same) {
            p->which[used] = i;
            last = kind[i] >= 0 ? used : last;
            p->from[i] = used++;
        } else {
            p->from[i] = last;
        }
    }
    return used;
}

static void search_row(og_workers_play *p, int32_t i)
{
    const double *row = &p->index[pair_of(p, i, 0)];
    double best = -INFINITY;
    for (int32_t j = 0; j < p->setting->workers; j++) {
        best = row[j] > best ? row[j] : best;
    }
    p->best[i] = best;
}

/* The k-th pair to be computed. */
static void set_pair(og_workers_play *p, int32_t k, int32_t i, int32_t j)
{
    memcpy(&p->beta[2 * k], &p->instance[2 * i], 2 * sizeof *p->beta);
    p->now[k] = p->right[i];
    if (p->setting->form == NULL) { /* the usual case, of fixed length */
        memcpy(&p->by[2 * k], &p->worker[2 * j], 2 * sizeof *p->by);
    } else {
        size_t width = p->width;
        memcpy(&p->by[width * (size_t)k], &p->worker[width * (size_t)j], width * sizeof *p->by);
        p->form[k] = p->setting->form[j];
    }
}

static void compute(og_workers_play *p, int32_t count)
{
    const og_workers_pairs pairs = {.instance = p->beta,
                                    .worker = p->by,
                                    .width = (int32_t)p->width,
                                    .form = p->setting->form != NULL ? p->form : NULL,
                                    .now = p->now,
                                    .count = count};
    og_workers_indices(&p->rule, &pairs, p->found);
}

/* Computes the indices of an instance with all workers. */
static void renew_row(og_workers_play *p, int32_t i)
{
    double *row = &p->index[pair_of(p, i, 0)];
    int32_t count = list_different(p, p->workers.kind, p->setting->workers);
    for (int32_t k = 0; k < count; k++) {
        set_pair(p, k, i, p->which[k]);
    }
    compute(p, count);
    for (int32_t j = 0; j < p->setting->workers; j++) {
        row[j] = og_bits_has(p->shut, pair_of(p, i, j)) ? -INFINITY : p->found[p->from[j]];
    }
    search_row(p, i);
}

/* Computes the indices of a worker with all instances. */
static void renew_column(og_workers_play *p, int32_t j)
{
    int32_t count = list_different(p, p->instances.kind, p->setting->instances);
    for (int32_t k = 0; k < count; k++) {
        set_pair(p, k, p->which[k], j);
    }
    compute(p, count);
    for (int32_t i = 0; i < p->setting->instances; i++) {
        size_t pair = pair_of(p, i, j);
        double before = p->index[pair];
        if (og_bits_has(p->shut, pair)) {
            continue;
        }
        p->index[pair] = p->found[p->from[i]];
        if (p->index[pair] >= p->best[i]) {
            p->best[i] = p->index[pair];
        } else if (before == p->best[i]) {
            search_row(p, i);
        }
    }
}

void og_workers_play_begin(og_workers_play *p, const og_rule_use *rule)
{
    const og_workers_setting *setting = p->setting;
    size_t row = (size_t)setting->workers * sizeof *p->index,
           words = words_of(setting) * sizeof *p->shut;
    p->rule = *rule;
    memcpy(p->instance, setting->instance, 2 * (size_t)setting->instances * sizeof *p->instance);
    memcpy(p->worker, setting->worker, p->width * (size_t)setting->workers * sizeof *p->worker);
    memcpy(p->instances.kind, p->instances.kind_at_first,
           (size_t)setting->instances * sizeof *p->instances.kind);
    memcpy(p->workers.kind, p->workers.kind_at_first,
           (size_t)setting->workers * sizeof *p->workers.kind);
    memset(p->asked, 0, words);
    memset(p->shut, 0, words);
    if (setting->shut != NULL) {
        memcpy(p->shut, setting->shut, words);
    }
    og_workers_right(p->instance, setting->instances, p->right);
    for (int32_t i = 0; i < setting->instances; i++) {
        p->open[i] = setting->workers;
        for (int32_t j = 0; setting->shut != NULL && j < setting->workers; j++) {
            p->open[i] -= og_bits_has(setting->shut, pair_of(p, i, j));
        }
        bool same =
            setting->shut == NULL && i > 0 && p->instances.kind[i] == p->instances.kind[i - 1];
        if (any(p)) {
            continue;
        }
        if (same) {
            memcpy(&p->index[pair_of(p, i, 0)], &p->index[pair_of(p, i - 1, 0)], row);
            p->best[i] = p->best[i - 1];
        } else {
            renew_row(p, i);
        }
    }
}

/* ---- choosing ---- */

/* The k-th pair of a row that can be asked and, unless all tie, has at least this index. */
static int32_t find_in_row(const og_workers_play *p, int32_t i, double least, int64_t k)
{
    for (int32_t j = 0;; j++) {
        size_t pair = pair_of(p, i, j);
        bool there = any(p) ? !og_bits_has(p->shut, pair) : p->index[pair] >= least;
        if (there && k-- == 0) {
            return j;
        }
    }
}

static int64_t count_row(const og_workers_play *p, int32_t i, double least)
{
    const double *row = &p->index[pair_of(p, i, 0)];
    int64_t count = 0;
    if (any(p)) {
        return p->open[i];
    }
    for (int32_t j = 0; p->best[i] >= least && j < p->setting->workers; j++) {
        count += row[j] >= least;
    }
    return count;
}

bool og_workers_play_next(og_workers_play *p, og_ties ties, uint64_t bits, og_workers_choice *out)
{
    double top = -INFINITY;
    int64_t tied = 0, k = 0;
    for (int32_t i = 0; !any(p) && i < p->setting->instances; i++) {
        top = fmax(top, p->best[i]);
    }
    double least = top - OG_WORKERS_TIE;
    for (int32_t i = 0; i < p->setting->instances; i++) {
        tied += p->open[i] > 0 ? count_row(p, i, least) : 0;
    }
    if (tied == 0) {
        return false;
    }
    if (ties != OG_TIES_FIRST) {
        k = (int64_t)(((bits >> 32) * (uint64_t)tied) >> 32); /* pairs are fewer than 2^32 */
    }
    for (int32_t i = 0;; i++) {
        int64_t here = p->open[i] > 0 ? count_row(p, i, least) : 0;
        if (k < here) {
            int32_t j = find_in_row(p, i, least, k);
            double index = any(p) ? 0 : p->index[pair_of(p, i, j)];
            *out = (og_workers_choice){i, j, index, tied};
            return true;
        }
        k -= here;
    }
}

void og_workers_play_shut(og_workers_play *p, int32_t instance, int32_t worker)
{
    size_t pair = pair_of(p, instance, worker);
    if (!og_bits_has(p->shut, pair)) {
        og_bits_add(p->shut, pair);
        p->open[instance]--;
        if (!any(p)) {
            p->index[pair] = -INFINITY;
            search_row(p, instance);
        }
    }
}

bool og_workers_play_tell(og_workers_play *p, int32_t instance, int32_t worker, bool positive)
{
    double *beta = &p->instance[2 * instance], *by = &p->worker[p->width * (size_t)worker];
    const double a = beta[0], b = beta[1];
    double before[OG_WORKER_WIDTH_MAX];
    size_t pair = pair_of(p, instance, worker);
    bool again = og_bits_has(p->asked, pair);
    og_bits_add(p->asked, pair);
    memcpy(before, by, p->width * sizeof *by);
    og_workers_learn(p->setting->form != NULL ? &p->setting->form[worker] : NULL, beta, by,
                     positive);
    if (p->setting->once) {
        og_workers_play_shut(p, instance, worker);
    }
    bool moved = beta[0] != a || beta[1] != b, turned = false;
    for (size_t k = 0; k < p->width; k++) {
        turned = turned || by[k] != before[k];
    }
    if (moved) {
        p->instances.kind[instance] = -1;
        og_workers_right(beta, 1, &p->right[instance]);
    }
    if (turned) {
        p->workers.kind[worker] = -1;
    }
    if (!any(p) && moved) {
        renew_row(p, instance);
    }
    if (!any(p) && turned) {
        renew_column(p, worker);
    }
    return again;
}

const double *og_workers_play_instances(const og_workers_play *p)
{
    return p->instance;
}

const double *og_workers_play_workers(const og_workers_play *p)
{
    return p->worker;
}

/* ---- policies by name ---- */

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    (void)self, (void)view, (void)answer, (void)kind;
    return og_message_set(message, OG_BAD_INPUT, "the policy supports only simulated runs");
}

og_status og_workers_played_new(const og_policy_name *name, og_strategy *out, og_message *message)
{
    og_rule_use rule = {.rule = &og_rule_any};
    bool graph = strcmp(name->name, "kos") == 0 || strncmp(name->name, "kos:", 4) == 0;
    bool known = graph || (og_policy_name_rule(name, &rule) && !rule.exact);
    if (!known) {
        return og_policy_name_refuse(name, "simulated workers of unknown reliability", "workers",
                                     message);
    }
    og_workers_played *own = malloc(sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->rule = rule;
    own->rounds = !graph ? 0 : name->has_parameter ? (int32_t)name->parameter : OG_KOS_ROUNDS;
    memcpy(own->name, name->name, sizeof own->name);
    *out = (og_strategy){
        .self = own, .concurrent = true, .tie = OG_WORKERS_TIE, .choose = choose, .free = free};
    return OG_OK;
}

const og_workers_played *og_workers_played_of(const og_strategy *by)
{
    return by->choose == choose ? by->self : NULL;
}
