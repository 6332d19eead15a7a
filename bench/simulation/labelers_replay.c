/*
 * LS_OL on recorded votes. Invariant: labeler i voted on asked_of[i] testers, and on agreed[i] of
 * them the vote was the tester's label.
 */
#include "bench/simulation/labelers_replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/gold.h"
#include "bench/simulation/concluded.h"
#include "bench/simulation/curve.h"
#include "bench/simulation/simulate.h"
#include "dp/base/arena.h"
#include "dp/base/number.h"

enum { NO_VOTE = 255, POLICIES = 2, LS_OL = 0, EVERYBODY = 1, TURN_STEPS_MAX = 2000 };
enum { ERROR_MAX = 1000 }; /* largest distance of two classes; beyond, an error is 0 or 1 */
enum { ORDER, TIES };      /* places in addresses of random numbers */

/* Sums over the runs, after the tasks of a point. */
typedef struct {
    double wrong, squares, right_share, votes;
    int64_t scored; /* runs with gold for one of the tasks */
} point_sums;

typedef struct {
    double accuracy, squares; /* mean over the scored runs so far, and the squares of differences
                                 from it */
    double votes, size;       /* sums over the runs */
    int64_t sized;            /* runs with an exploitation */
    int64_t scored;           /* runs with gold for one of the tasks */
    point_sums *at;           /* [at_count] */
    double *error;            /* [error_max + 1] shares of labels */
} sums;

typedef struct {
    og_arena arena;
    const og_request *request;
    const og_replay_input *given;
    const og_labels *labels;
    const uint8_t *gold;
    uint32_t tasks, labelers;
    uint32_t budget; /* tasks of a run */
    int32_t *at;     /* [at_count] the last is the budget */
    int32_t at_count;
    int32_t classes;
    int32_t number[OG_CLASSES_MAX]; /* of the classes; their distance is the error of a label: */
    bool numbered;                  /* or, without numbers, 0 or 1; */
    int32_t error_max;              /* the largest */
    double *disagreed;              /* [at_count * labelers] sums over the runs */
    uint8_t *vote;                  /* [tasks * labelers] or NO_VOTE */
    uint32_t *task;                 /* [tasks] in this run's order */
    uint32_t *agreed, *asked_of;    /* [labelers] */
    uint32_t *differed;      /* [labelers] votes that differ from the plurality, of asked_of */
    bool *here, *chosen;     /* [labelers] not dropped; in the set */
    uint32_t *order;         /* [labelers] by estimate */
    double *estimate, *law;  /* [labelers], [labelers + 1]; for weighted votes: */
    double *odds, *strength; /* [labelers] log odds of the estimates, and their sizes */
    uint64_t run;
    uint32_t drawn, everybody;     /* number of votes by all labelers so far */
    int64_t *dropped, *dropped_at; /* [labelers] number of runs that dropped the labeler, and the
                                      times */
    sums sum[POLICIES];
    og_document *results; /* NULL: not requested */
    og_concluded *found;  /* votes of this run; NULL: do not keep them */
    int32_t *called;      /* [tasks] outcomes of this run */
    bool *tester;         /* [tasks] */
} replay;

static const char *name_of(const replay *r, int policy)
{
    return policy == EVERYBODY            ? "everybody"
           : r->given->recording.weighted ? "ls-ol-weighted"
                                          : "ls-ol";
}

static uint32_t draw_below(replay *r, uint32_t count)
{
    return og_draw_below(og_draw(r->request->seed, OG_DRAW_TIE, r->run, TIES, r->drawn++), count);
}

/* ---- votes ---- */

static int32_t outcome_of(const replay *r, uint8_t label)
{
    return r->labels->class_count > 2 ? label : 1 - label;
}

/* The label from the votes of a set on the task, weighted by `odds` (NULL: equally); *votes is the
 * number of votes. */
static uint8_t label_by(replay *r, uint32_t task, const bool *set, const double *odds,
                        uint32_t *votes)
{
    const double tie = 1e-12;
    double sum[OG_CLASSES_MAX] = {0}, most = -INFINITY;
    uint32_t ties = 0;
    const uint8_t *vote = &r->vote[(size_t)task * r->labelers];
    *votes = 0;
    for (uint32_t i = 0; i < r->labelers; i++) {
        if (set[i] && vote[i] != NO_VOTE) {
            sum[vote[i]] += odds != NULL ? odds[i] : 1;
            ++*votes;
            if (r->found != NULL) {
                og_concluded_add(r->found, task, i, outcome_of(r, vote[i]));
            }
        }
    }
    for (int32_t c = 0; c < r->classes; c++) {
        most = fmax(most, sum[c]);
    }
    for (int32_t c = 0; c < r->classes; c++) {
        ties += sum[c] >= most - tie * (*votes + 1);
    }
    uint32_t which = ties > 1 ? draw_below(r, ties) : 0;
    uint8_t label = 0;
    while (sum[label] < most - tie * (*votes + 1) || which-- > 0) {
        label++;
    }
    return label;
}

/* Drop the labeler who differs most, if chance hardly explains it. */
static void drop(replay *r, uint32_t time)
{
    double worst = -1, second = -1;
    uint32_t who = 0, left = 0;
    for (uint32_t i = 0; i < r->labelers; i++) {
        double mean = r->asked_of[i] > 0 ? (double)r->differed[i] / r->asked_of[i] : 0;
        if (r->here[i]) {
            second = fmax(second, fmin(mean, worst));
            who = mean > worst ? i : who;
            worst = fmax(mean, worst);
            left++;
        }
    }
    double apart = worst - second;
    if (left > 3 && exp(-r->given->drop_exponent * apart * apart * r->everybody) < r->given->drop) {
        r->here[who] = false;
        r->dropped[who]++;
        r->dropped_at[who] += time;
    }
}

/* All labelers vote, and the task becomes a tester. */
static uint8_t add_tester(replay *r, uint32_t task, uint32_t time, uint32_t *votes)
{
    uint8_t label = label_by(r, task, r->here, NULL, votes);
    for (uint32_t i = 0; i < r->labelers; i++) {
        uint8_t vote = r->vote[(size_t)task * r->labelers + i];
        if (r->here[i] && vote != NO_VOTE) {
            r->asked_of[i]++;
            r->agreed[i] += vote == label;
            r->differed[i] += vote != label;
        }
    }
    r->everybody++;
    if (r->given->drop > 0) {
        drop(r, time);
    }
    return label;
}

/* ---- the best set ---- */

/* Sort the remaining labelers into `order`, the largest first; returns their number. */
static uint32_t sort_labelers(replay *r, const double *by)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->labelers; i++) {
        if (r->here[i]) {
            uint32_t at = count++;
            for (; at > 0 && by[r->order[at - 1]] < by[i]; at--) {
                r->order[at] = r->order[at - 1];
            }
            r->order[at] = i;
        }
    }
    return count;
}

static uint32_t choose(replay *r, uint32_t size)
{
    memset(r->chosen, 0, r->labelers * sizeof *r->chosen);
    for (uint32_t n = 0; n < size; n++) {
        r->chosen[r->order[n]] = true;
    }
    return size;
}

/* Find the smallest prefix of odd size whose majority is best; returns its size. */
static uint32_t choose_set(replay *r)
{
    const double tie = 1e-12;
    double largest = -1;
    for (uint32_t i = 0; i < r->labelers; i++) {
        r->estimate[i] = r->asked_of[i] > 0 ? (double)r->agreed[i] / r->asked_of[i] : 0.5;
    }
    uint32_t count = sort_labelers(r, r->estimate), best = 1;
    memset(r->law, 0, ((size_t)r->labelers + 1) * sizeof *r->law);
    r->law[0] = 1; /* distribution of the number of right votes */
    for (uint32_t n = 0; n < count; n++) {
        double p = r->estimate[r->order[n]], right = 0;
        for (uint32_t k = n + 1; k > 0; k--) {
            r->law[k] = r->law[k] * (1 - p) + r->law[k - 1] * p;
            right += 2 * k > n + 1 ? r->law[k] : 0;
        }
        r->law[0] *= 1 - p;
        if (n % 2 == 0 && right > largest * (1 + tie)) {
            largest = right;
            best = n + 1;
        }
    }
    return choose(r, best);
}

/* ---- weighted votes ---- */

typedef struct {
    const replay *r;
    uint32_t size;
    double others; /* sum of the sizes of all others' log odds */
    int32_t steps;
} turning;

/* True if votes of the first labelers, from the k-th on, can come so close to a tie that the others
 * can change the result. `later` is the most that these can add. Among equal labelers, those who
 * agree come first. */
static bool can_turn(turning *t, uint32_t k, double sum, double later, bool agreed)
{
    const double tie = 1e-12;
    if (fabs(sum) - later >= t->others - tie * (t->others + 1)) {
        return false;
    }
    if (k == t->size || ++t->steps > TURN_STEPS_MAX) {
        return true;
    }
    double own = t->r->strength[t->r->order[k]];
    bool alike = k > 0 && own == t->r->strength[t->r->order[k - 1]];
    return ((agreed || !alike) && can_turn(t, k + 1, sum + own, later - own, true)) ||
           (k > 0 && can_turn(t, k + 1, sum - own, later - own, false));
}

/* Choose the set that decides; returns its size. */
static uint32_t choose_weighted(replay *r)
{
    for (uint32_t i = 0; i < r->labelers; i++) {
        double agreed = r->agreed[i] + 0.5, differed = r->differed[i] + 0.5;
        r->odds[i] = log(agreed / differed);
        r->strength[i] = fabs(r->odds[i]);
    }
    uint32_t size = sort_labelers(r, r->strength);
    double all = 0, others = 0;
    for (uint32_t n = 0; n < size; n++) {
        all += r->strength[r->order[n]];
    }
    while (size > 1) {
        others += r->strength[r->order[size - 1]];
        turning t = {.r = r, .size = size - 1, .others = others};
        if (can_turn(&t, 0, 0, all - others, true)) {
            break;
        }
        size--;
    }
    return choose(r, size);
}

/* ---- runs ---- */

typedef struct {
    sums *sum; /* of the policy */
    double right, known, votes, size, exploited;
    int32_t tasks, noted;        /* labelled, and points reached */
    double error[ERROR_MAX + 1]; /* labels with this error */
} tally;

/* Add up what a point of the curve needs, if the run has reached the next one. */
static void note_point(const replay *r, tally *t)
{
    if (t->noted < r->at_count && t->tasks == r->at[t->noted]) {
        point_sums *point = &t->sum->at[t->noted++];
        double wrong = t->known - t->right;
        point->wrong += wrong;
        point->squares += wrong * wrong;
        point->right_share += t->known > 0 ? t->right / t->known : 0;
        point->scored += t->known > 0;
        point->votes += t->votes;
    }
}

static void count_label(replay *r, uint32_t task, uint8_t label, uint32_t votes, tally *t)
{
    r->called[task] = outcome_of(r, label);
    uint8_t gold = r->gold[task];
    t->votes += votes;
    t->known += gold != OG_GOLD_NONE;
    t->right += gold != OG_GOLD_NONE && gold == label;
    if (gold != OG_GOLD_NONE) {
        int32_t apart = abs(r->number[gold] - r->number[label]);
        t->error[r->numbered ? apart : gold != label]++;
    }
    t->tasks++;
    note_point(r, t);
}

static void play_ls_ol(replay *r, tally *t)
{
    uint32_t testers = 0, size = 0, votes;
    bool weighted = r->given->recording.weighted;
    size_t labelers = r->labelers;
    memset(r->agreed, 0, labelers * sizeof *r->agreed);
    memset(r->asked_of, 0, labelers * sizeof *r->asked_of);
    memset(r->differed, 0, labelers * sizeof *r->differed);
    memset(r->here, true, labelers * sizeof *r->here);
    r->everybody = 0;
    for (uint32_t time = 0; time < r->budget; time++) {
        uint32_t task = r->task[time];
        if (time == 0 || testers <= floor(r->given->recording.explore * log(time))) {
            uint8_t label = add_tester(r, task, time, &votes);
            r->tester[task] = true;
            count_label(r, task, label, votes, t);
            testers++;
            size = 0;
            continue;
        }
        size = size > 0 ? size : weighted ? choose_weighted(r) : choose_set(r);
        uint8_t label = label_by(r, task, r->chosen, weighted ? r->odds : NULL, &votes);
        count_label(r, task, label, votes, t);
        t->size += size;
        t->exploited++;
    }
}

static void play_everybody(replay *r, tally *t)
{
    uint32_t votes;
    memset(r->here, true, r->labelers * sizeof *r->here);
    for (uint32_t time = 0; time < r->budget; time++) {
        uint8_t label = label_by(r, r->task[time], r->here, NULL, &votes);
        count_label(r, r->task[time], label, votes, t);
    }
}

/* ---- what a run concluded ---- */

static void put_tasks(const replay *r, int policy, og_document *object)
{
    og_concluded_totals totals = {0};
    og_document *rows = og_put_array(object, "tasks");
    for (uint32_t i = 0; i < r->tasks; i++) {
        uint8_t gold = r->gold[i];
        og_document *row = og_concluded_put_task(rows, r->found, i);
        og_concluded_put_call(row, r->found, r->called[i]);
        if (policy == LS_OL) {
            og_put_bool(row, "tester", r->tester[i]);
        }
        bool right = gold != OG_GOLD_NONE && r->called[i] == outcome_of(r, gold);
        og_concluded_count(&totals, r->found, r->called[i], gold, right);
    }
    og_concluded_put_totals(object, r->found, &totals, false);
}

static void put_labelers(const replay *r, int policy, const uint32_t *order, og_document *rows)
{
    for (uint32_t k = 0; k < r->labelers; k++) {
        uint32_t i = order[k];
        og_document *row = og_concluded_put_worker(rows, r->found, i);
        if (policy == LS_OL) {
            og_put_whole(row, "testers", r->asked_of[i]);
            og_put_whole(row, "agreements", r->agreed[i]);
            og_put_number(row, "reliability", r->estimate[i]);
            if (r->given->recording.weighted) {
                og_put_number(row, "weight", r->odds[i]);
            }
            og_put_bool(row, "used", r->chosen[i]);
            og_put_bool(row, "dropped", !r->here[i]);
        }
    }
}

static og_status conclude(replay *r, int policy)
{
    uint32_t *order;
    og_document *object = og_put_object(og_document_find(r->results, "results"), NULL);
    og_put_text(object, "policy", name_of(r, policy));
    og_put_text(object, "ties", og_ties_name(OG_TIES_RANDOM));
    if (policy == LS_OL) { /* the set of the next task that is no tester */
        choose_set(r);
        if (r->given->recording.weighted) {
            choose_weighted(r);
        }
    }
    og_concluded_compare(r->found);
    OG_TRY(og_concluded_order(r->found, policy == LS_OL ? r->estimate : NULL, &order));
    put_tasks(r, policy, object);
    put_labelers(r, policy, order, og_put_array(object, "workers"));
    return OG_OK;
}

static void play(replay *r, int policy, tally *t)
{
    note_point(r, t);
    if (policy == LS_OL) {
        play_ls_ol(r, t);
    } else {
        play_everybody(r, t);
    }
}

/* Play the run, and keep the votes and what they lead to if that is requested. */
static og_status play_kept(replay *r, int policy, tally *t)
{
    og_concluded found;
    if (r->results == NULL || r->run > 0) {
        play(r, policy, t);
        return OG_OK;
    }
    OG_TRY(og_concluded_new(r->labels, r->labels->label_count, &found));
    r->found = &found;
    memset(r->tester, 0, r->tasks * sizeof *r->tester);
    for (uint32_t i = 0; i < r->tasks; i++) {
        r->called[i] = OG_CONCLUDED_UNDECIDED; /* until it is labelled */
    }
    play(r, policy, t);
    og_status status = conclude(r, policy);
    r->found = NULL;
    og_concluded_clear(&found);
    return status;
}

/* ---- all runs ---- */

static og_status add_run(replay *r, int policy)
{
    sums *sum = &r->sum[policy];
    tally t = {.sum = sum};
    OG_TRY(play_kept(r, policy, &t));
    double known = t.known > 0 ? t.known : 1, above = t.right / known - sum->accuracy;
    if (t.known > 0) {
        sum->accuracy += above / (double)++sum->scored;
        sum->squares += above * (t.right / known - sum->accuracy);
    }
    sum->votes += t.votes;
    for (int32_t k = 0; k <= r->error_max; k++) {
        sum->error[k] += t.error[k] / known;
    }
    sum->size += t.exploited > 0 ? t.size / t.exploited : 0;
    sum->sized += t.exploited > 0;
    return OG_OK;
}

static void shuffle(replay *r)
{
    for (uint32_t i = 0; i < r->tasks; i++) {
        r->task[i] = i;
    }
    for (uint32_t i = r->given->in_order ? 0 : r->tasks; i > 1; i--) {
        uint64_t bits = og_draw(r->request->seed, OG_DRAW_ARRIVAL, r->run, ORDER, i);
        uint32_t other = og_draw_below(bits, i), kept = r->task[i - 1];
        r->task[i - 1] = r->task[other];
        r->task[other] = kept;
    }
}

/* ---- disagreements ---- */

/* Add a task's disagreements with the plurality to the points from number `first` on. */
static void add_disagreements(replay *r, uint32_t task, int32_t first)
{
    int64_t votes[OG_CLASSES_MAX] = {0};
    const uint8_t *vote = &r->vote[(size_t)task * r->labelers];
    for (uint32_t i = 0; i < r->labelers; i++) {
        if (vote[i] != NO_VOTE) {
            votes[vote[i]]++;
        }
    }
    for (uint32_t i = 0; i < r->labelers; i++) {
        if (vote[i] != NO_VOTE) {
            double differs = og_concluded_differs(votes, r->classes, vote[i]);
            for (int32_t k = first; k < r->at_count; k++) {
                r->disagreed[(size_t)k * r->labelers + i] += differs;
            }
        }
    }
}

static void count_disagreements(replay *r)
{
    int32_t point = 0;
    for (uint32_t time = 0; time < r->budget; time++) {
        point += r->at[point] == (int32_t)time;
        add_disagreements(r, r->task[time], point);
    }
}

/* ---- the simulation ---- */

/* Give the classes their numbers if all are whole numbers that are near enough to each other; else
 * any two have the same distance. */
static void number_classes(replay *r)
{
    int64_t number[OG_CLASSES_MAX] = {0}, least = INT64_MAX, most = INT64_MIN;
    bool numbers = true;
    for (int32_t c = 0; numbers && c < r->classes; c++) {
        const char *name = og_labels_class_name(r->labels, c);
        numbers = og_number_parse(name, 0, INT32_MAX, &number[c]);
        least = number[c] < least ? number[c] : least;
        most = number[c] > most ? number[c] : most;
    }
    numbers = numbers && most - least <= ERROR_MAX;
    r->error_max = numbers ? (int32_t)(most - least) : 1;
    for (int32_t c = 0; c < r->classes; c++) {
        r->number[c] = numbers ? (int32_t)number[c] : 0;
    }
    r->numbered = numbers;
}

static og_status take_points(replay *r, og_message *message)
{
    const og_recording *given = &r->given->recording;
    if (given->budget > (int64_t)r->tasks) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the budget (-T) must be from 0 to %" PRIu32
                              ", the tasks with labels, not %" PRId32,
                              r->tasks, given->budget);
    }
    r->budget = given->budget >= 0 ? (uint32_t)given->budget : r->tasks;
    r->at = og_arena_array(&r->arena, (size_t)given->at_count + 2, sizeof *r->at);
    OG_TRY(OG_ALLOCATED(r->at));
    return og_curve_budgets(&(og_curve){.at = given->at, .at_count = given->at_count}, r->budget,
                            "tasks", r->at, &r->at_count, message);
}

static og_status begin_replay(replay *r, og_message *message)
{
    const og_request *request = r->request;
    const og_labels *labels = r->labels;
    if (request->runs < 2 || request->runs > OG_RUNS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "--runs must be from 2 to %" PRId64,
                              OG_RUNS_MAX);
    }
    size_t count = labels->worker_count, votes = count * labels->task_count;
    OG_TRY(og_labels_need_workers(labels, "--problem labelers", message));
    if (count == 0 || votes > OG_LABELERS_VOTES_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem labelers requires labels, and at most %d tasks times "
                              "workers",
                              OG_LABELERS_VOTES_MAX);
    }
    r->tasks = labels->task_count;
    r->labelers = labels->worker_count;
    r->classes = og_labels_classes(labels);
    OG_TRY(take_points(r, message));
    number_classes(r);
    for (int policy = 0; policy < POLICIES; policy++) {
        sums *sum = &r->sum[policy];
        sum->at = og_arena_array(&r->arena, (size_t)r->at_count, sizeof *sum->at);
        sum->error = og_arena_array(&r->arena, (size_t)r->error_max + 1, sizeof *sum->error);
    }
    r->disagreed = og_arena_array(&r->arena, (size_t)r->at_count * count, sizeof *r->disagreed);
    r->vote = og_arena_array(&r->arena, votes, sizeof *r->vote);
    r->task = og_arena_array(&r->arena, r->tasks, sizeof *r->task);
    r->agreed = og_arena_array(&r->arena, count, sizeof *r->agreed);
    r->asked_of = og_arena_array(&r->arena, count, sizeof *r->asked_of);
    r->differed = og_arena_array(&r->arena, count, sizeof *r->differed);
    r->here = og_arena_array(&r->arena, count, sizeof *r->here);
    r->chosen = og_arena_array(&r->arena, count, sizeof *r->chosen);
    r->order = og_arena_array(&r->arena, count, sizeof *r->order);
    r->estimate = og_arena_array(&r->arena, count, sizeof *r->estimate);
    r->odds = og_arena_array(&r->arena, count, sizeof *r->odds);
    r->strength = og_arena_array(&r->arena, count, sizeof *r->strength);
    r->law = og_arena_array(&r->arena, count + 1, sizeof *r->law);
    r->dropped = og_arena_array(&r->arena, count, sizeof *r->dropped);
    r->dropped_at = og_arena_array(&r->arena, count, sizeof *r->dropped_at);
    r->called = og_arena_array(&r->arena, r->tasks, sizeof *r->called);
    r->tester = og_arena_array(&r->arena, r->tasks, sizeof *r->tester);
    OG_TRY(og_arena_status(&r->arena));
    if (request->result) {
        r->results = og_document_new();
        og_put_array(r->results, "results");
    }
    memset(r->vote, NO_VOTE, votes);
    for (int64_t row = labels->label_count; row-- > 0;) { /* the first vote is kept */
        r->vote[labels->task[row] * count + labels->worker[row]] = labels->label[row];
    }
    return OG_OK;
}

static double standard_error(double sum, double squares, double runs)
{
    double mean = sum / runs;
    return sqrt(fmax(0, squares / runs - mean * mean) / (runs - 1));
}

static void put_points(og_document *object, const replay *r, const sums *sum, double runs)
{
    og_document *points = og_put_array(object, "points");
    for (int32_t k = 0; k < r->at_count; k++) {
        const point_sums *at = &sum->at[k];
        og_document *point = og_put_object(points, NULL);
        char name[32];
        og_put_whole(point, "tasks", (uint64_t)r->at[k]);
        og_put_number(point, "accuracy", at->right_share / (double)at->scored);
        og_put_number(point, "wrong", at->wrong / runs);
        og_put_number(point, "wrong_standard_error", standard_error(at->wrong, at->squares, runs));
        og_put_number(point, "votes", at->votes / runs);
        snprintf(name, sizeof name, "wrong at %" PRId32, r->at[k]);
        og_show_cell(object, name, "%.1f", at->wrong / runs);
    }
}

/* Errors of the labels: their mean, and the shares of at most 0, 1, ... */
static void put_errors(og_document *object, const replay *r, const sums *sum)
{
    double mean = 0, up_to[ERROR_MAX + 1], share = 0, runs = (double)sum->scored;
    for (int32_t k = 0; k <= r->error_max; k++) {
        mean += k * sum->error[k] / runs;
        share += sum->error[k] / runs;
        up_to[k] = share;
    }
    og_put_number(object, "error", mean);
    og_put_numbers(object, "error_at_most", up_to, r->error_max + 1);
    if (sum->scored > 0) {
        og_show_cell(object, "error", "%.4f", mean);
    }
}

/* What no run has, is null, and its cell is empty. */
static void put_policy(og_document *policies, const replay *r, int policy, int64_t runs)
{
    const sums *sum = &r->sum[policy];
    double count = (double)sum->scored, mean = sum->scored > 0 ? sum->accuracy : NAN;
    double off = sum->scored > 1 ? sqrt(sum->squares / (count - 1) / count) : NAN;
    double votes = r->budget > 0 ? sum->votes / r->budget / (double)runs : NAN;
    og_document *object = og_put_object(policies, NULL);
    og_put_text(object, "name", name_of(r, policy));
    og_put_number(object, "accuracy", mean);
    og_put_number(object, "standard_error", off);
    og_put_number(object, "votes_per_task", votes);
    og_put_number(object, "set_size", sum->sized > 0 ? sum->size / (double)sum->sized : NAN);
    put_points(object, r, sum, (double)runs);
    if (r->request->counts) {
        put_errors(object, r, sum);
    }
    if (sum->scored > 1) {
        og_show_cell(object, "accuracy", "%.2f (%.2f)", 100 * mean, 100 * off);
    }
    if (r->budget > 0) {
        og_show_cell(object, "votes_per_task", "%.1f", votes);
    }
    if (sum->sized > 0) {
        og_show_cell(object, "set_size", "%.1f", sum->size / (double)sum->sized);
    }
}

static void put_dropped(og_document *document, const replay *r)
{
    og_document *dropped = og_put_array(document, "dropped");
    for (uint32_t i = 0; i < r->labelers; i++) {
        if (r->dropped[i] > 0) {
            og_document *object = og_put_object(dropped, NULL);
            og_put_text(object, "name", og_labels_worker_name(r->labels, i));
            og_put_whole(object, "runs", (uint64_t)r->dropped[i]);
            og_put_number(object, "time", (double)r->dropped_at[i] / (double)r->dropped[i]);
        }
    }
    if (og_document_count(dropped) > 0) {
        og_document *table = og_show_table(document, dropped);
        og_show_column(table, "dropped", 'l', "name", OG_SHOW_PLAIN);
        og_show_column(table, "in runs", 'r', "runs", OG_SHOW_PLAIN);
        og_show_column(table, "mean time", 'd', "time", OG_SHOW_VALUE);
    }
}

/* Disagreements of each labeler at the points; for people, of those with the most. */
static void put_disagreements(og_document *document, const replay *r, int64_t runs)
{
    enum { SHOWN = 20 };
    const double *last = &r->disagreed[(size_t)(r->at_count - 1) * r->labelers];
    og_document *workers = og_put_array(document, "workers"), *rows = og_show_rows(document);
    for (uint32_t i = 0; i < r->labelers; i++) {
        og_document *object = og_put_object(workers, NULL);
        og_put_text(object, "name", og_labels_worker_name(r->labels, i));
        og_put_number(object, "disagreements", last[i] / (double)runs);
        og_document *points = og_put_array(object, "points");
        for (int32_t k = 0; k < r->at_count; k++) {
            og_put_number(points, NULL, r->disagreed[(size_t)k * r->labelers + i] / (double)runs);
        }
        r->order[i] = i;
    }
    for (uint32_t n = 0; n < r->labelers && n < SHOWN; n++) { /* the next one with the most */
        for (uint32_t k = n + 1; k < r->labelers; k++) {
            uint32_t kept = r->order[n];
            if (last[r->order[k]] > last[kept]) {
                r->order[n] = r->order[k];
                r->order[k] = kept;
            }
        }
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "name", og_labels_worker_name(r->labels, r->order[n]));
        og_show_cell(row, "disagreements", "%.1f", last[r->order[n]] / (double)runs);
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, r->labelers > SHOWN ? "labeler\n(20 of all)" : "labeler", 'l', "name",
                   OG_SHOW_PLAIN);
    og_show_column(table, "disagreements with\nthe plurality", 'd', "disagreements", OG_SHOW_PLAIN);
}

static og_document *describe(const replay *r, int64_t runs)
{
    const og_request *request = r->request;
    const og_recording *given = &r->given->recording;
    og_document *document = og_document_new();
    og_put_text(document, "objective", "labelers");
    og_put_whole(document, "tasks", r->tasks);
    og_put_whole(document, "labelers", r->labelers);
    og_put_whole(document, "budget", r->budget);
    char names[OG_FILES_BYTES];
    const double explore[] = {given->explore, 0};
    og_put_numbers(document, "explore", explore, 2);
    og_put_whole(document, "runs", (uint64_t)runs);
    og_put_whole(document, "seed", request->seed);
    og_show_field(document, "Labels", "%s (%" PRIu32 " tasks, %" PRIu32 " labelers)",
                  og_files_words(given->labels_file, names), r->tasks, r->labelers);
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", runs, request->seed);
    og_document *policies = og_put_array(document, "policies");
    for (int policy = 0; policy < POLICIES; policy++) {
        put_policy(policies, r, policy, runs);
    }
    og_document *table = og_show_table(document, policies);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "accuracy, %\n(std. error)", 'l', "accuracy", OG_SHOW_PLAIN);
    og_show_column(table, "votes\na task", 'r', "votes_per_task", OG_SHOW_PLAIN);
    og_show_column(table, "mean size of\nthe best set", 'r', "set_size", OG_SHOW_PLAIN);
    if (request->counts) {
        og_show_column(table, "mean\nerror", 'd', "error", OG_SHOW_PLAIN);
    }
    if (given->at_count > 0) {
        og_curve_show(document, policies, r->at, r->at_count,
                      &(og_curve_words){"tasks", "wrong labels", "wrong at "});
    }
    put_dropped(document, r);
    if (request->counts) {
        put_disagreements(document, r, runs);
    }
    return document;
}

og_status og_labelers_replay_run(const og_asked *asked, const og_labels *labels,
                                 const uint8_t *gold, og_document **out, og_message *message)
{
    const og_request *request = &asked->request;
    replay r = {.request = request, .given = asked->given, .labels = labels, .gold = gold};
    int64_t done = 0;
    og_status status = begin_replay(&r, message);
    while (status == OG_OK && done < request->runs &&
           og_stop_look(og_stop_of(&request->settings)) == OG_LIMIT_NONE) {
        r.run = (uint64_t)done++;
        r.drawn = 0;
        shuffle(&r);
        if (request->counts) {
            count_disagreements(&r);
        }
        for (int policy = 0; status == OG_OK && policy < POLICIES; policy++) {
            status = add_run(&r, policy);
        }
    }
    if (status == OG_OK && done < 2) {
        status = og_message_set(message, OG_STOPPED, "stopped before two runs were done");
    }
    if (status == OG_OK) {
        *out = describe(&r, done);
        og_put_all(*out, r.results);
        r.results = NULL;
    }
    og_document_free(r.results);
    og_arena_clear(&r.arena);
    return status;
}
