/*
 * Simulates workers of unknown reliability with drawn or recorded labels. The n-th label of an
 * instance uses the same random number for every policy. A policy that assigns labels by a graph
 * starts anew at each budget of the curve.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/random.h"
#include "bench/simulation/concluded.h"
#include "bench/simulation/sources.h"
#include "bench/simulation/workers_document.h"
#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/kos.h"
#include "heuristics/families/workers_play.h"
#include "heuristics/user_policy.h"

/* Addresses of a policy's own draws. */
enum { WHICH = 0, GRAPHS = 1 };

typedef struct {
    og_arena arena;
    og_workers_world own;
    const og_workers_world *from; /* that */
    int32_t known;                /* instances with a truth */
    int32_t *start;               /* [instances + 1] recorded rows by instance: */
    int32_t *row;                 /* [labels] in the order of the file */
    double prior;                 /* sum of h */
    double all_labels;            /* share of the majority of all recorded labels; else NAN */
} place;

typedef struct {
    og_arena arena;
    const place *all;
    uint64_t seed, run;
    uint64_t *labels;           /* [instances + workers] */
    double *soft;               /* [instances] */
    double (*faithful)[2];      /* [workers] if a reliable worker would say +, and if not */
    int32_t *given;             /* [instances] labels so far */
    double *votes;              /* [instances] their sum */
    int32_t *queue;             /* [labels] recorded rows, by instance in the order of this run */
    bool *used;                 /* [labels] by place in the queue */
    int32_t *instance, *worker; /* [budget] edges of a graph */
    int8_t *label;
    double *message, *score; /* [budget], [instances] */
    og_workers_play *play;
    int32_t count, repeats; /* labels of this run; of pairs that had been asked */
} episode;

/* ---- truth ---- */

static double draw_soft(const og_truth *truth, const double prior[2], int64_t i,
                        const og_draw_place *from)
{
    if (truth->kind == OG_TRUTH_LIST) {
        return og_fraction_double(truth->soft[i]);
    }
    return truth->kind == OG_TRUTH_BETA
               ? og_beta_draw(og_fraction_double(truth->a), og_fraction_double(truth->b), from)
               : og_beta_draw(prior[0], prior[1], from);
}

/* The reliabilities of a worker by its prior. A worker with one coin has one. */
static void draw_worker(const episode *e, int32_t j, const og_draw_place *at, double out[2])
{
    const og_workers_setting *setting = &e->all->from->setting;
    const double *prior = &setting->worker[(ptrdiff_t)og_workers_setting_width(setting) * j];
    og_draw_place second = *at;
    second.instance += (uint32_t)setting->workers;
    if (setting->form != NULL && setting->form[j].kind == OG_PRIOR_MIXTURE) {
        double rest = og_draw_unit(og_draw(e->seed, OG_DRAW_TRUTH, e->run, second.instance, 0));
        for (int32_t m = 1; m < setting->form[j].parts && rest >= prior[0]; m++, prior += 3) {
            rest -= prior[0];
        }
        prior++;
    }
    out[0] = out[1] = og_beta_draw(prior[0], prior[1], at);
    if (setting->form != NULL && setting->form[j].kind == OG_PRIOR_COINS) {
        out[1] = og_beta_draw(prior[2], prior[3], &second);
    }
}

static void draw_truth(episode *e)
{
    static const og_truth by_prior = {.kind = OG_TRUTH_PRIOR};
    const og_workers_world *from = e->all->from;
    const og_truth *truth = from->truth != NULL ? from->truth : &by_prior;
    const og_truth *reliable = truth->workers != NULL ? truth->workers : &by_prior;
    const og_workers_setting *setting = &from->setting;
    for (int32_t i = 0; i < setting->instances + setting->workers; i++) {
        og_draw_place at = {e->seed, OG_DRAW_TRUTH, e->run, (uint32_t)i, 0};
        int32_t j = i - setting->instances;
        if (j < 0) {
            e->soft[i] = draw_soft(truth, &setting->instance[2 * i], i, &at);
        } else if (reliable->kind == OG_TRUTH_PRIOR) {
            draw_worker(e, j, &at, e->faithful[j]);
        } else {
            e->faithful[j][0] = e->faithful[j][1] = draw_soft(reliable, NULL, j, &at);
        }
    }
}

/* Puts the recorded rows of each instance in an order that is the same for all policies. */
static void draw_order(episode *e)
{
    const place *all = e->all;
    for (int32_t i = 0; i < all->from->setting.instances; i++) {
        int32_t first = all->start[i], count = all->start[i + 1] - first, *queue = &e->queue[first];
        memcpy(queue, &all->row[first], (size_t)count * sizeof *queue);
        for (int32_t k = count - 1; all->from->shuffled && k > 0; k--) {
            uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, (uint32_t)i, (uint32_t)k);
            uint32_t other = og_draw_below(bits, (uint32_t)k + 1);
            int32_t kept = queue[k];
            queue[k] = queue[other];
            queue[other] = kept;
        }
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    e->seed = seed;
    e->run = run;
    e->labels = labels;
    if (e->all->from->labels == NULL) {
        draw_truth(e);
    } else {
        draw_order(e);
    }
}

/* ---- scores ---- */

/* Positive: 1, 0, or the share of a tie. */
static double call_of(const episode *e, double for_it, double against, double rounding)
{
    double apart = for_it - against, tie = rounding * fmax(for_it, against);
    return fabs(apart) > tie ? apart > 0 : e->all->from->final_ties == OG_FINAL_HALF ? 0.5 : 1;
}

/* 1 if a call is right; instances without a truth count 0. */
static double right_of(const place *all, const double *soft, int32_t i, double positive)
{
    const uint8_t *gold = all->from->gold;
    if (all->from->labels == NULL) {
        return soft[i] >= 0.5 ? positive : 1 - positive;
    }
    return gold[i] == OG_GOLD_NONE ? 0 : gold[i] == 1 ? positive : 1 - positive;
}

/* Scores above 0 call their instances positive; those of 0 count one half. */
static double share_by_scores(const place *all, const double *soft, const double *score)
{
    double right = 0;
    for (int32_t i = 0; i < all->from->setting.instances; i++) {
        right += right_of(all, soft, i, score[i] == 0 ? 0.5 : score[i] > 0);
    }
    return right / all->known;
}

static double share_by_betas(const episode *e)
{
    const double rounding = 1e-9, *beta = og_workers_play_instances(e->play);
    double right = 0;
    for (int32_t i = 0; i < e->all->from->setting.instances; i++) {
        double positive = call_of(e, beta[2 * i], beta[2 * i + 1], rounding);
        right += right_of(e->all, e->soft, i, positive);
    }
    return right / e->all->known;
}

static double share_by_votes(const episode *e)
{
    return share_by_scores(e->all, e->soft, e->votes);
}

static double believed(const episode *e)
{
    int32_t count = e->all->from->setting.instances;
    return og_workers_right_sum(og_workers_play_instances(e->play), count) / count;
}

/* ---- labels ---- */

static bool draw_label(const episode *e, int32_t i, int32_t j, uint64_t bits)
{
    double theta = e->soft[i];
    const double *rho = e->faithful[j];
    return og_draw_unit(bits) < theta * rho[0] + (1 - theta) * (1 - rho[1]);
}

/* The place of the next recorded row of a pair; `more` is true if there is another one. */
static int32_t find_row(const episode *e, int32_t i, int32_t j, bool *more)
{
    const og_labels *labels = e->all->from->labels;
    int32_t found = -1;
    *more = false;
    for (int32_t k = e->all->start[i]; k < e->all->start[i + 1]; k++) {
        if (!e->used[k] && labels->worker[e->queue[k]] == (uint32_t)j) {
            *more = found >= 0;
            found = found < 0 ? k : found;
        }
        if (*more) {
            break;
        }
    }
    return found;
}

static void count_label(episode *e, int32_t i, int32_t j, bool positive)
{
    e->votes[i] += positive ? 1 : -1;
    e->given[i]++;
    e->count++;
    if (e->labels != NULL) {
        e->labels[i]++;
        e->labels[e->all->from->setting.instances + j]++;
    }
}

static void trace_label(const episode *e, int32_t i, int32_t j, bool positive, const char *policy)
{
    const og_workers_world *from = e->all->from;
    fprintf(from->trace, "%" PRId32 "\t%s\t", e->count, policy);
    if (from->labels != NULL) {
        fprintf(from->trace, "%s\t%s", og_labels_task_name(from->labels, (uint32_t)i),
                og_labels_worker_name(from->labels, (uint32_t)j));
    } else {
        fprintf(from->trace, "%" PRId32 "\t%" PRId32, i + 1, j + 1);
    }
    fprintf(from->trace, "\t%d\t", positive);
}

static void trace(const episode *e, const og_workers_choice *at, bool positive, const char *policy)
{
    const double *beta = &og_workers_play_instances(e->play)[2 * at->instance];
    const double *by = &og_workers_play_workers(e->play)[2 * at->worker];
    trace_label(e, at->instance, at->worker, positive, policy);
    fprintf(e->all->from->trace, "%.17g\t%" PRId64 "\t%.17g\t%.17g\t%.17g\t%.17g\n", at->index,
            at->tied, beta[0], beta[1], by[0], by[1]);
}

/* Buys one label; false if no pair can be asked. */
static bool step(episode *e, const og_workers_played *by, og_ties ties)
{
    const og_workers_world *from = e->all->from;
    og_workers_choice at;
    uint64_t which = og_draw(e->seed, OG_DRAW_TIE, e->run, WHICH, (uint32_t)e->count);
    if (!og_workers_play_next(e->play, ties, which, &at)) {
        return false;
    }
    bool positive, more = true;
    if (from->labels != NULL) {
        int32_t k = find_row(e, at.instance, at.worker, &more);
        e->used[k] = true;
        positive = from->labels->label[e->queue[k]] == 1;
    } else {
        uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, (uint32_t)at.instance,
                                (uint32_t)e->given[at.instance]);
        positive = draw_label(e, at.instance, at.worker, bits);
    }
    e->repeats += og_workers_play_tell(e->play, at.instance, at.worker, positive);
    if (!more) {
        og_workers_play_shut(e->play, at.instance, at.worker);
    }
    count_label(e, at.instance, at.worker, positive);
    if (from->trace != NULL && e->run == 0) {
        trace(e, &at, positive, by->name);
    }
    return true;
}

/* ---- runs ---- */

/* The metrics at a budget of the curve. */
typedef struct {
    double accuracy, believed, majority;
} point;

static og_status advance(episode *e, const og_strategy *by, og_ties ties, int32_t until, point *out,
                         og_message *message)
{
    enum { BETWEEN = 64 }; /* labels between two looks at the clock */
    bool goes_on = true;
    while (goes_on && e->count < until) {
        if (e->count % BETWEEN == 0 && og_stop_asked(by->stop)) {
            return og_message_set(message, OG_STOPPED, "the run was stopped");
        }
        goes_on = step(e, og_workers_played_of(by), ties);
    }
    *out = (point){share_by_betas(e), believed(e), share_by_votes(e)};
    return OG_OK;
}

typedef struct {
    const episode *e;
    uint32_t place, number;
} stream;

static uint64_t next_bits(void *self)
{
    stream *s = self;
    return og_draw(s->e->seed, OG_DRAW_GUESS, s->e->run, s->place, s->number++);
}

/* A first message: a normal variate with mean 1 and variance 1. */
static double normal(stream *s)
{
    double radius = sqrt(-2 * log(1 - og_draw_unit(next_bits(s))));
    return 1 + radius * cos(2 * M_PI * og_draw_unit(next_bits(s)));
}

/* Recorded labels for a graph: one of each instance, then a second one, and so on; a random part of
 * the last round. Returns their number. */
static int32_t take_recorded(episode *e, int32_t until, stream *s)
{
    const place *all = e->all;
    int32_t count = all->from->setting.instances, used = 0, *order = e->given;
    memset(e->used, 0, (size_t)all->from->labels->label_count * sizeof *e->used);
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int32_t k = count - 1; k > 0; k--) {
        uint32_t other = og_draw_below(next_bits(s), (uint32_t)k + 1);
        int32_t kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    for (int32_t round = 0, before = -1; used < until && used > before; round++) {
        before = used;
        for (int32_t k = 0; k < count && used < until; k++) {
            int32_t i = order[k], at = all->start[i] + round;
            if (at < all->start[i + 1]) {
                e->used[at] = true;
                e->instance[used] = i;
                e->worker[used] = (int32_t)all->from->labels->worker[e->queue[at]];
                e->label[used++] = all->from->labels->label[e->queue[at]] == 1 ? 1 : -1;
            }
        }
    }
    return used;
}

static og_status play_graph(episode *e, const og_workers_played *by, int32_t number, int32_t until,
                            point *out)
{
    const og_workers_setting *setting = &e->all->from->setting;
    stream s = {e, (uint32_t)(GRAPHS + number), 0};
    uint64_t *labels = e->labels;
    int32_t edges = until;
    if (e->all->from->labels != NULL) {
        edges = take_recorded(e, until, &s);
    } else {
        OG_TRY(og_kos_assign(setting->instances, setting->workers, until, next_bits, &s,
                             e->instance, e->worker));
    }
    memset(e->votes, 0, (size_t)setting->instances * sizeof *e->votes);
    memset(e->given, 0, (size_t)setting->instances * sizeof *e->given);
    e->count = 0;
    bool last = number + 1 == e->all->from->at_count; /* the graph of the whole budget */
    e->labels = last ? labels : NULL;
    for (int32_t k = 0; k < edges; k++) {
        int32_t i = e->instance[k], j = e->worker[k];
        if (e->all->from->labels == NULL) {
            e->label[k] = draw_label(e, i, j, next_bits(&s)) ? 1 : -1;
        }
        e->message[k] = normal(&s);
        count_label(e, i, j, e->label[k] > 0);
        if (last && e->all->from->trace != NULL && e->run == 0) {
            trace_label(e, i, j, e->label[k] > 0, by->name);
            fputs("\t\t\t\t\t\n", e->all->from->trace); /* a graph has no scores */
        }
    }
    e->labels = labels;
    const og_kos_labels given = {setting->instances, setting->workers, edges,
                                 e->instance,        e->worker,        e->label};
    OG_TRY(og_kos_run(&given, by->rounds, e->message, e->score));
    *out = (point){share_by_scores(e->all, e->soft, e->score), NAN, share_by_votes(e)};
    return OG_OK;
}

static void start_run(episode *e, const og_workers_played *by)
{
    const og_workers_setting *setting = &e->all->from->setting;
    e->count = e->repeats = 0;
    memset(e->votes, 0, (size_t)setting->instances * sizeof *e->votes);
    memset(e->given, 0, (size_t)setting->instances * sizeof *e->given);
    if (e->all->from->labels != NULL) {
        memset(e->used, 0, (size_t)e->all->from->labels->label_count * sizeof *e->used);
    }
    if (by->rounds == 0) {
        og_workers_play_begin(e->play, &by->rule);
    }
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    episode *e = self;
    const og_workers_world *from = e->all->from;
    const og_workers_played *played = og_workers_played_of(by);
    const double started = og_seconds_of_thread();
    double *curve = from->labels == NULL ? &metric[OG_WORKERS_TOTALS] : metric;
    point at = {0};
    start_run(e, played);
    for (int32_t k = 0; k < from->at_count; k++) {
        OG_TRY(played->rounds > 0 ? play_graph(e, played, k, from->at[k], &at)
                                  : advance(e, by, ties, from->at[k], &at, message));
        curve[OG_WORKERS_ACCURACY * from->at_count + k] = at.accuracy;
        curve[OG_WORKERS_SECONDS * from->at_count + k] = og_seconds_of_thread() - started;
        curve[OG_WORKERS_BELIEVED * from->at_count + k] = isnan(at.believed) ? 0 : at.believed;
        curve[OG_WORKERS_REPEATS * from->at_count + k] = e->repeats;
        curve[OG_WORKERS_MAJORITY * from->at_count + k] = at.majority;
    }
    if (from->labels == NULL) {
        metric[OG_CORRECT] = at.accuracy * from->setting.instances;
        metric[OG_EXPECTED] = metric[OG_CORRECT] - e->all->prior; /* a gain */
    }
    return OG_OK;
}

/* ---- what a run concluded ---- */

/* The outcome that an instance is called, by its score (kos) or its Beta. */
static int32_t outcome_of(const episode *e, int32_t i, bool graph)
{
    const double rounding = 1e-9, *beta = og_workers_play_instances(e->play) + 2 * (size_t)i;
    double positive = !graph             ? call_of(e, beta[0], beta[1], rounding)
                      : e->score[i] == 0 ? 0.5
                                         : e->score[i] > 0;
    return positive == 0.5 ? OG_CONCLUDED_TIE : positive > 0.5 ? 0 : 1;
}

static void put_instances(const episode *e, const og_concluded *found, bool graph,
                          const double *right, og_document *object)
{
    int32_t count = e->all->from->setting.instances;
    const double *beta = og_workers_play_instances(e->play);
    og_document *rows = og_put_array(object, "tasks");
    og_concluded_totals totals = {0};
    double largest = 0;
    for (int32_t i = 0; graph && i < count; i++) {
        largest = fmax(largest, fabs(e->score[i]));
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t outcome = outcome_of(e, i, graph);
        double positive = outcome == OG_CONCLUDED_TIE ? 0.5 : outcome == 0;
        og_document *row = og_concluded_put_task(rows, found, (uint32_t)i);
        og_concluded_put_call(row, found, outcome);
        if (graph) {
            og_put_number(row, "score", largest > 0 ? e->score[i] / largest : 0);
        } else {
            og_put_number(row, "probability", right[i]);
            og_put_numbers(row, "posterior", &beta[2 * i], 2);
            totals.expected += right[i];
        }
        og_concluded_count(&totals, found, outcome, e->all->from->gold[i],
                           right_of(e->all, NULL, i, positive));
    }
    og_concluded_put_totals(object, found, &totals, !graph);
}

static const og_worker_form *form_of(const episode *e, uint32_t worker)
{
    const og_worker_form *form = e->all->from->setting.form;
    return form != NULL ? &form[worker] : NULL;
}

static const double *belief_of(const episode *e, uint32_t worker)
{
    size_t width = (size_t)og_workers_setting_width(&e->all->from->setting);
    return &og_workers_play_workers(e->play)[width * worker];
}

static void put_workers(const episode *e, const og_concluded *found, const uint32_t *order,
                        const double *reliability, og_document *object)
{
    og_document *rows = og_put_array(object, "workers");
    for (int32_t k = 0; k < e->all->from->setting.workers; k++) {
        uint32_t j = order[k];
        og_document *row = og_concluded_put_worker(rows, found, j);
        if (reliability != NULL) {
            og_put_number(row, "reliability", reliability[j]);
            og_workers_put_belief(row, "posterior", form_of(e, j), belief_of(e, j));
        }
    }
}

static og_status describe(const episode *e, bool graph, og_concluded *found, og_document *object)
{
    const og_workers_setting *setting = &e->all->from->setting;
    double *right = og_arena_array(&found->arena, (size_t)setting->instances, sizeof *right);
    double *mean = og_arena_array(&found->arena, (size_t)setting->workers, sizeof *mean);
    uint32_t *order;
    OG_TRY(og_arena_status(&found->arena));
    for (uint32_t j = 0; !graph && j < (uint32_t)setting->workers; j++) {
        mean[j] = og_worker_mean(form_of(e, j), belief_of(e, j));
    }
    if (!graph) {
        og_workers_right(og_workers_play_instances(e->play), setting->instances, right);
    }
    OG_TRY(og_concluded_order(found, graph ? NULL : mean, &order));
    put_instances(e, found, graph, right, object);
    put_workers(e, found, order, graph ? NULL : mean, object);
    return OG_OK;
}

static og_status conclude(void *self, const og_strategy *by, og_document *object,
                          og_message *message)
{
    const episode *e = self;
    const og_labels *labels = e->all->from->labels;
    og_concluded found;
    (void)message;
    if (labels == NULL) {
        return OG_OK;
    }
    OG_TRY(og_concluded_new(labels, labels->label_count, &found));
    for (int64_t k = 0; k < labels->label_count; k++) {
        if (e->used[k]) {
            int32_t row = e->queue[k];
            og_concluded_add(&found, labels->task[row], labels->worker[row],
                             og_labels_outcome(labels, row));
        }
    }
    og_concluded_compare(&found);
    og_status status = describe(e, og_workers_played_of(by)->rounds > 0, &found, object);
    og_concluded_clear(&found);
    return status;
}

/* ---- opening ---- */

static void episode_free(void *self)
{
    if (self != NULL) {
        og_workers_play_free(((episode *)self)->play);
    }
    og_arena_free(self);
}

static og_status make_environment(void *self, og_environment *out)
{
    const place *all = self;
    const og_workers_setting *setting = &all->from->setting;
    size_t instances = (size_t)setting->instances, workers = (size_t)setting->workers;
    size_t budget = (size_t)all->from->at[all->from->at_count - 1];
    size_t rows = all->from->labels != NULL ? (size_t)all->from->labels->label_count : 0;
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->all = all;
    e->soft = og_arena_array(&e->arena, instances, sizeof *e->soft);
    e->faithful = og_arena_array(&e->arena, workers, sizeof *e->faithful);
    e->given = og_arena_array(&e->arena, instances, sizeof *e->given);
    e->votes = og_arena_array(&e->arena, instances, sizeof *e->votes);
    e->score = og_arena_array(&e->arena, instances, sizeof *e->score);
    e->queue = og_arena_array(&e->arena, rows, sizeof *e->queue);
    e->used = og_arena_array(&e->arena, rows, sizeof *e->used);
    e->instance = og_arena_array(&e->arena, budget, sizeof *e->instance);
    e->worker = og_arena_array(&e->arena, budget, sizeof *e->worker);
    e->label = og_arena_array(&e->arena, budget, sizeof *e->label);
    e->message = og_arena_array(&e->arena, budget, sizeof *e->message);
    og_status status = og_arena_status(&e->arena);
    OG_THEN(status, og_workers_play_new(setting, &e->play));
    if (status != OG_OK) {
        episode_free(e);
        return status;
    }
    *out = (og_environment){
        .self = e, .begin = begin, .play = play, .result = conclude, .free = episode_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    (void)self;
    if (og_user_policy_decides(policy)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "workers of unknown reliability do not support simulating policy "
                              "'%.64s', a function or a program; compare gives its exact value",
                              policy->name);
    }
    return og_workers_played_new(policy, out, message);
}

/* Only shares of correct calls have Wilson's interval. */
static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    const og_workers_world *from = ((const place *)self)->from;
    int32_t part = (metric - (from->labels == NULL ? OG_WORKERS_TOTALS : 0)) / from->at_count;
    bool total = from->labels == NULL && metric < OG_WORKERS_TOTALS;
    (void)policy;
    return !total && (part == OG_WORKERS_ACCURACY || part == OG_WORKERS_MAJORITY) ? 1 : 0;
}

/* The share that the majority of all recorded labels calls rightly; a tie counts one half. */
static og_status score_all_labels(place *all)
{
    const og_labels *labels = all->from->labels;
    size_t instances = (size_t)all->from->setting.instances;
    double *votes = og_arena_array(&all->arena, instances, sizeof *votes);
    OG_TRY(OG_ALLOCATED(votes));
    for (int64_t k = 0; k < labels->label_count; k++) {
        votes[labels->task[k]] += labels->label[k] == 1 ? 1 : -1;
    }
    all->all_labels = share_by_scores(all, NULL, votes);
    return OG_OK;
}

/* Sorts the recorded rows by instance. */
static og_status sort_rows(place *all)
{
    const og_workers_world *from = all->from;
    const og_labels *labels = from->labels;
    int32_t instances = from->setting.instances;
    all->start = og_arena_array(&all->arena, (size_t)instances + 2, sizeof *all->start);
    all->row = og_arena_array(&all->arena, (size_t)labels->label_count, sizeof *all->row);
    OG_TRY(og_arena_status(&all->arena));
    for (int64_t k = 0; k < labels->label_count; k++) {
        all->start[labels->task[k] + 2]++;
    }
    for (int32_t i = 0; i < instances; i++) {
        all->start[i + 2] += all->start[i + 1];
        all->known += from->gold[i] != OG_GOLD_NONE;
    }
    for (int64_t k = 0; k < labels->label_count; k++) {
        all->row[all->start[labels->task[k] + 1]++] = (int32_t)k;
    }
    return OG_OK;
}

static og_status fill_place(place *all)
{
    const og_workers_setting *setting = &all->from->setting;
    all->prior = og_workers_right_sum(setting->instance, setting->instances);
    all->all_labels = NAN;
    if (all->from->labels == NULL) {
        all->known = setting->instances;
        return OG_OK;
    }
    OG_TRY(sort_rows(all));
    return score_all_labels(all);
}

static og_status check_size(const og_workers_setting *setting, const og_environment_use *use,
                            og_message *message)
{
    int64_t pairs = (int64_t)setting->instances * setting->workers;
    if ((uint64_t)pairs * sizeof(double) * (uint64_t)use->threads > use->memory_bytes) {
        return og_message_set(message, OG_STOPPED,
                              "%" PRId64 " pairs need more than the memory limit (--memory)",
                              pairs);
    }
    return OG_OK;
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const og_workers_world *from = source->problem;
    const double epsilon = 0x1p-52;
    int32_t instances = from->setting.instances;
    bool drawn = from->labels == NULL;
    OG_TRY(check_size(&from->setting, use, message));
    place *all = og_arena_new(sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->own = *from;
    all->from = from = &all->own;
    if (source->truth != NULL) {
        all->own.truth = source->truth;
    }
    if (source->at != NULL) {
        all->own.at = source->at;
        all->own.at_count = source->at_count;
    }
    all->own.trace = source->trace != NULL ? source->trace : from->trace;
    og_status status = fill_place(all);
    if (status != OG_OK) {
        og_arena_free(all);
        return status;
    }
    *out = (og_environments){.self = all,
                             .instances = instances + from->setting.workers,
                             .totals = OG_WORKERS_TOTALS,
                             .metric_count = OG_WORKERS_METRICS * from->at_count +
                                             (drawn ? OG_WORKERS_TOTALS : 0),
                             .prior = drawn ? all->prior : 0,
                             .size = drawn ? instances : 1,
                             .gain_max = instances,
                             .run_error = (instances + 2.0) * instances * epsilon,
                             .whole = whole,
                             .all_labels = all->all_labels,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = og_arena_free};
    return OG_OK;
}

og_source og_source_workers(const og_workers_world *world)
{
    return (og_source){.open = open_runs, .problem = world};
}
