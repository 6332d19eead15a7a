/*
 * Policies on recorded labels. A run is an order of every instance's labels, the same for all
 * policies; who plays it on which thread changes no bit.
 */
#include "bench/simulation/replay.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/simulation/random.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/product/chooser.h"

/* What all policies share. */
typedef struct {
    const og_replay_request *request;
    og_arms *arms; /* one arm, as deep as the longest list of labels */
    const og_arm *arm;
    uint32_t count; /* instances */
    int32_t *first; /* [count + 1] where an instance's labels begin in `label` */
    uint8_t *label; /* by instance, in the order of the file */
    double
        *positive; /* [nodes] how positive the call is: 1, 0, or 1/2 for a tie that counts half */
    int32_t budget;
} game;

/* How a policy decides. */
typedef struct {
    og_ranks *ranks; /* also of a policy that is asked */
    og_index *index; /* policies whose index depends on the labels left */
    double slack;    /* relative: indices that close tie */
    uint64_t tolerance_ties;
} plan;

/* One run of one policy. */
typedef struct {
    uint32_t *node;        /* [count] */
    double *score;         /* [count]; -INFINITY where no label is left */
    uint8_t *drawn;        /* recorded labels in the order of this run */
    int64_t *copies;       /* [nodes] instances there, for policies that are asked */
    int64_t *open;         /* [nodes] of them, those with labels left */
    og_state_group *group; /* [nodes] */
    double *answer;        /* [nodes] */
    int32_t *group_of;     /* [nodes] */
    double correct;
} run_state;

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the game ---- */

static og_status sort_labels(game *g)
{
    const og_labels *labels = g->request->labels;
    g->first = calloc((size_t)g->count + 2, sizeof *g->first);
    g->label = calloc((size_t)labels->label_count + 1, 1);
    if (g->first == NULL || g->label == NULL) {
        return OG_NO_MEMORY;
    }
    int32_t *next = g->first + 1; /* where the next label goes; ends as the starts */
    for (int64_t i = 0; i < labels->label_count; i++) {
        next[labels->task[i] + 1]++;
    }
    for (uint32_t i = 1; i <= g->count; i++) {
        next[i] += next[i - 1];
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        g->label[next[labels->task[i]]++] = labels->label[i];
    }
    return OG_OK;
}

static int32_t longest(const game *g)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        int32_t length = g->first[i + 1] - g->first[i];
        most = length > most ? length : most;
    }
    return most;
}

static og_status find_calls(game *g)
{
    const og_group *prior = g->request->prior;
    const og_fraction half = {1, 2};
    bool halves =
        g->request->final_ties == OG_FINAL_HALF && og_fraction_compare(prior->threshold, half) == 0;
    g->positive = calloc(g->arm->node_count, sizeof *g->positive);
    if (g->positive == NULL) {
        return OG_NO_MEMORY;
    }
    for (uint32_t node = 0; node < g->arm->node_count; node++) {
        og_fraction parameter[2];
        og_arm_posterior(g->arm, node, parameter);
        bool tie = halves && og_fraction_compare(parameter[0], parameter[1]) == 0;
        g->positive[node] = tie ? 0.5 : og_arm_positive(g->arm, node);
    }
    return OG_OK;
}

static og_status check(const og_replay_request *request, og_message *message)
{
    const og_labels *labels = request->labels;
    if (request->prior->kind != OG_PRIOR_BETA) {
        return og_message_set(message, OG_BAD_INPUT,
                              "recorded labels are replayed with a Beta prior");
    }
    for (int32_t i = 0; i < request->ties_count; i++) {
        if (request->ties[i] != OG_TIES_RANDOM && request->ties[i] != OG_TIES_FIRST) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "ties '%s' need values of states; replay knows random and first",
                                  og_ties_name(request->ties[i]));
        }
    }
    if (labels->label_count > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%lld labels are more than %d",
                              (long long)labels->label_count, OG_BUDGET_MAX);
    }
    if (request->at[request->at_count - 1] > labels->label_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a budget of %d labels, but only %lld are recorded",
                              request->at[request->at_count - 1], (long long)labels->label_count);
    }
    return OG_OK;
}

static og_status game_init(game *g, og_message *message)
{
    const og_replay_request *request = g->request;
    og_status status = check(request, message);
    if (status != OG_OK) {
        return status;
    }
    g->count = request->labels->task_count;
    g->budget = request->at[request->at_count - 1];
    status = sort_labels(g);
    og_problem problem;
    og_problem_init(&problem, 0);
    if (status == OG_OK) {
        og_group prior = *request->prior;
        prior.count = g->count;
        og_problem_init(&problem, longest(g));
        status = og_problem_add(&problem, &prior, message);
    }
    if (status == OG_OK) {
        status = og_arms_new(&problem, 1, request->memory_bytes, &g->arms, message);
    }
    og_problem_clear(&problem);
    if (status == OG_OK) {
        g->arm = g->arms->arm[0];
        status = find_calls(g);
    }
    return status;
}

static void game_clear(game *g)
{
    free(g->first);
    free(g->label);
    free(g->positive);
    og_arms_free(g->arms);
}

/* ---- policies ---- */

static og_status plan_init(const game *g, const og_policy *policy, plan *out, og_message *message)
{
    plan p = {.ranks = NULL};
    og_status status = og_policy_ranks(policy, g->arms, g->budget, 1, &p.ranks, message);
    if (status == OG_OK && p.ranks->chooser_lock == NULL && p.ranks->by_left) {
        status = og_policy_index(policy, g->arms, g->budget, 1, &p.index, message);
    }
    if (status != OG_OK) {
        og_ranks_free(p.ranks);
        return status;
    }
    p.tolerance_ties = p.ranks->tolerance_ties;
    if (p.index != NULL) {
        p.slack = 4 * p.index->error + 0x1p-50;
    }
    *out = p;
    return OG_OK;
}

static void plan_clear(plan *p)
{
    og_ranks_free(p->ranks);
    og_index_free(p->index);
}

/* ---- runs ---- */

static void run_clear(run_state *r)
{
    free(r->node);
    free(r->score);
    free(r->drawn);
    free(r->copies);
    free(r->open);
    free(r->group);
    free(r->answer);
    free(r->group_of);
}

static og_status run_init(const game *g, run_state *r)
{
    size_t count = (size_t)g->count + 1;
    size_t nodes = g->arm->node_count;
    *r = (run_state){.node = calloc(count, sizeof *r->node),
                     .score = calloc(count, sizeof *r->score),
                     .drawn = calloc((size_t)g->first[g->count] + 1, 1),
                     .copies = calloc(nodes, sizeof *r->copies),
                     .open = calloc(nodes, sizeof *r->open),
                     .group = calloc(nodes, sizeof *r->group),
                     .answer = calloc(nodes, sizeof *r->answer),
                     .group_of = calloc(nodes, sizeof *r->group_of)};
    if (r->node == NULL || r->score == NULL || r->drawn == NULL || r->copies == NULL ||
        r->open == NULL || r->group == NULL || r->answer == NULL || r->group_of == NULL) {
        run_clear(r);
        return OG_NO_MEMORY;
    }
    return OG_OK;
}

/* The recorded labels of every instance in a random order, the same for all policies. */
static void shuffle(const game *g, uint64_t run, run_state *r)
{
    memcpy(r->drawn, g->label, (size_t)g->first[g->count]);
    for (uint32_t i = 0; i < g->count; i++) {
        uint8_t *label = &r->drawn[g->first[i]];
        for (uint32_t n = (uint32_t)(g->first[i + 1] - g->first[i]); n > 1; n--) {
            uint32_t other = og_draw_below(og_draw(g->request->seed, OG_DRAW_LABEL, run, i, n), n);
            uint8_t swap = label[n - 1];
            label[n - 1] = label[other];
            label[other] = swap;
        }
    }
}

static int32_t labels_had(const game *g, uint32_t node)
{
    int32_t n = 0;
    while (g->arm->level[n + 1] <= node) {
        n++;
    }
    return n;
}

static double score_of(const game *g, const plan *p, const run_state *r, uint32_t instance,
                       int32_t left)
{
    uint32_t node = r->node[instance];
    int32_t open = g->first[instance + 1] - g->first[instance] - labels_had(g, node);
    if (open == 0) {
        return -INFINITY;
    }
    if (p->ranks->chooser_lock != NULL) {
        return 0;
    }
    if (p->index == NULL) {
        return og_ranks_of(p->ranks, 0, 1)[node];
    }
    return og_index_of(p->index, 0, left < open ? left : open)[node];
}

/* Instances of the largest score, within the slack. */
static double least_tied(const game *g, const plan *p, const run_state *r)
{
    double top = -INFINITY;
    for (uint32_t i = 0; i < g->count; i++) {
        top = r->score[i] > top ? r->score[i] : top;
    }
    return top - p->slack * fabs(top);
}

/* The instance to label, by scores. */
static uint32_t choose_by_score(const game *g, const plan *p, const run_state *r, og_ties ties,
                                uint64_t bits)
{
    double least = least_tied(g, p, r);
    uint32_t tied = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        tied += r->score[i] >= least;
    }
    uint32_t skip = ties == OG_TIES_FIRST ? 0 : og_draw_below(bits, tied);
    uint32_t at = 0;
    while (r->score[at] < least || skip-- > 0) {
        at++;
    }
    return at;
}

/*
 * What a policy that is asked would label: it sees all instances, and those without labels left are
 * passed over. The scores of the open instances become its indices, or, where it draws, 0 for those
 * of the group that was drawn and -1 for others.
 */
static og_status ask(const game *g, const plan *p, run_state *r, int32_t left, uint64_t bits)
{
    int32_t count = 0;
    for (uint32_t node = 0; node < g->arm->node_count; node++) {
        if (r->copies[node] > 0) {
            r->group_of[node] = count;
            r->group[count++] = (og_state_group){0, node, r->copies[node]};
        }
    }
    og_state state = {left, g->budget, count, r->group};
    og_answer kind;
    og_status status = og_ranks_ask(p->ranks, &state, r->answer, &kind);
    if (status != OG_OK) {
        return status;
    }
    if (kind == OG_ANSWER_WEIGHTS) {
        double sum = 0;
        for (int32_t i = 0; i < count; i++) {
            r->answer[i] = r->open[r->group[i].node] > 0 ? r->answer[i] : 0;
            sum += r->answer[i];
        }
        double rest = og_draw_unit(bits) * sum;
        bool chosen = sum == 0; /* nothing it wants is left: any other */
        for (int32_t i = 0; i < count; i++) {
            bool here = !chosen && rest < r->answer[i];
            rest -= r->answer[i];
            r->answer[i] = here ? 0 : -1;
            chosen = chosen || here;
        }
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (r->score[i] > -INFINITY) {
            r->score[i] = r->answer[r->group_of[r->node[i]]];
        }
    }
    return OG_OK;
}

static double correct_call(const game *g, uint32_t instance, uint32_t node)
{
    double positive = g->positive[node];
    return g->request->gold[instance] ? positive : 1 - positive;
}

static void label_one(const game *g, run_state *r, uint32_t instance)
{
    uint32_t node = r->node[instance];
    int32_t had = labels_had(g, node);
    int32_t all = g->first[instance + 1] - g->first[instance];
    uint8_t label = r->drawn[g->first[instance] + had];
    uint32_t next = g->arm->next[(size_t)node * 2 + (label ? 0 : 1)];
    r->correct += correct_call(g, instance, next) - correct_call(g, instance, node);
    r->node[instance] = next;
    r->copies[node]--;
    r->copies[next]++;
    r->open[node]--;
    r->open[next] += had + 1 < all;
}

static void begin(const game *g, const plan *p, run_state *r)
{
    memset(r->node, 0, g->count * sizeof *r->node);
    memset(r->copies, 0, g->arm->node_count * sizeof *r->copies);
    memset(r->open, 0, g->arm->node_count * sizeof *r->open);
    r->copies[0] = g->count;
    r->open[0] = g->count;
    r->correct = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        r->score[i] = score_of(g, p, r, i, g->budget);
        r->correct += correct_call(g, i, 0);
    }
}

/* accuracy, seconds: [at_count]. */
static og_status play(const game *g, const plan *p, og_ties ties, uint64_t run, run_state *r,
                      double *accuracy, double *seconds)
{
    const og_replay_request *request = g->request;
    double start = thread_seconds();
    int32_t told = 0;
    begin(g, p, r);
    for (int32_t given = 0;; given++) {
        while (told < request->at_count && request->at[told] == given) {
            accuracy[told] = r->correct / g->count;
            seconds[told++] = thread_seconds() - start;
        }
        if (given == g->budget) {
            return OG_OK;
        }
        int32_t left = g->budget - given;
        uint64_t bits = og_draw(request->seed, OG_DRAW_TIE, run, 0, (uint32_t)given);
        if (p->ranks->chooser_lock != NULL) {
            /* another number for the group than for the instance within it */
            uint64_t more = og_draw(request->seed, OG_DRAW_TIE, run, 1, (uint32_t)given);
            og_status status = ask(g, p, r, left, more);
            if (status != OG_OK) {
                return status;
            }
        } else if (p->index != NULL && left < g->arms->budget) {
            for (uint32_t i = 0; i < g->count; i++) { /* what is left begins to count */
                r->score[i] = score_of(g, p, r, i, left);
            }
        }
        uint32_t instance = choose_by_score(g, p, r, ties, bits);
        label_one(g, r, instance);
        r->score[instance] = score_of(g, p, r, instance, left - 1 > 0 ? left - 1 : 1);
    }
}

/* ---- the whole ---- */

static void summarise(const og_replay_request *request, const double *accuracy,
                      const double *seconds, int64_t runs, og_replay_row *row)
{
    size_t points = (size_t)request->at_count;
    for (size_t j = 0; j < points; j++) {
        double mean = 0;
        double squares = 0;
        double time_sum = 0;
        for (int64_t n = 0; n < runs; n++) {
            double value = accuracy[(size_t)n * points + j];
            double step = value - mean;
            mean += step / (double)(n + 1);
            squares += step * (value - mean);
            time_sum += seconds[(size_t)n * points + j];
        }
        double error = sqrt(squares / (double)(runs - 1) / (double)runs);
        double half = gsl_cdf_tdist_Pinv(0.975, (double)(runs - 1)) * error;
        row->accuracy[j] = (og_estimate){mean, error, mean - half, mean + half};
        row->seconds[j] = time_sum / (double)runs;
    }
}

/* All runs of one row. */
typedef struct {
    const game *game;
    const plan *plan;
    const og_replay_row *row;
    double *accuracy;
    double *seconds;
    int threads;
    _Atomic int64_t finished;
    atomic_bool stop;
    _Atomic og_status worst;
} row_work;

/* Every thread takes its own share of the runs, so that it makes its scratch once. */
static void replay_share(void *context, int thread)
{
    row_work *of = context;
    const og_replay_request *request = of->game->request;
    size_t points = (size_t)request->at_count;
    run_state r;
    og_status status = run_init(of->game, &r);
    bool made = status == OG_OK;
    for (int64_t n = thread; n < request->runs && status == OG_OK && !of->stop; n += of->threads) {
        shuffle(of->game, (uint64_t)n, &r);
        status = play(of->game, of->plan, of->row->ties, (uint64_t)n, &r,
                      &of->accuracy[(size_t)n * points], &of->seconds[(size_t)n * points]);
        of->finished += status == OG_OK;
        if (thread == 0 && request->interrupted != NULL && request->interrupted(request->user)) {
            of->stop = true;
        }
    }
    if (made) {
        run_clear(&r);
    }
    if (status != OG_OK) {
        of->worst = status;
    }
}

static og_status replay_row(const game *g, const plan *p, og_replay_row *row, double *accuracy,
                            double *seconds, int64_t *done)
{
    row_work of = {.game = g,
                   .plan = p,
                   .row = row,
                   .accuracy = accuracy,
                   .seconds = seconds,
                   .threads = og_thread_count(g->request->threads),
                   .worst = OG_OK};
    og_parallel_team(of.threads, replay_share, &of);
    *done = of.finished;
    return of.worst;
}

static void replay_policy(const game *g, int32_t policy, og_replay *out, double *accuracy,
                          double *seconds)
{
    const og_replay_request *request = g->request;
    plan p;
    og_message message = {""};
    double start = og_seconds();
    og_status status = plan_init(g, &request->policies[policy], &p, &message);
    double table_seconds = og_seconds() - start;
    for (int32_t t = 0; t < request->ties_count; t++) {
        og_replay_row *row = &out->rows[policy * request->ties_count + t];
        row->policy = policy;
        row->ties = request->ties[t];
        row->status = status;
        row->message = message;
        if (status != OG_OK) {
            continue;
        }
        int64_t done;
        row->table_seconds = table_seconds;
        row->status = replay_row(g, &p, row, accuracy, seconds, &done);
        row->tolerance_ties = og_ranks_tolerance_ties(p.ranks);
        if (row->status != OG_OK) {
            og_ranks_failure(p.ranks, &row->message);
        } else if (done < request->runs) {
            row->status = og_message_set(&row->message, OG_STOPPED, "interrupted");
        } else {
            summarise(request, accuracy, seconds, done, row);
        }
    }
    if (status == OG_OK) {
        plan_clear(&p);
    }
}

/* The accuracy of all labels together. */
static double accuracy_of_all(const game *g)
{
    double correct = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t node = 0;
        for (int32_t n = g->first[i]; n < g->first[i + 1]; n++) {
            node = g->arm->next[(size_t)node * 2 + (g->label[n] ? 0 : 1)];
        }
        correct += correct_call(g, i, node);
    }
    return correct / g->count;
}

static og_status rows_new(const og_replay_request *request, og_replay *out)
{
    size_t rows = (size_t)request->policy_count * (size_t)request->ties_count;
    size_t points = (size_t)request->at_count;
    out->row_count = (int32_t)rows;
    out->at_count = request->at_count;
    out->rows = calloc(rows + 1, sizeof *out->rows);
    for (size_t i = 0; out->rows != NULL && i < rows; i++) {
        out->rows[i].accuracy = calloc(points, sizeof *out->rows[i].accuracy);
        out->rows[i].seconds = calloc(points, sizeof *out->rows[i].seconds);
        if (out->rows[i].accuracy == NULL || out->rows[i].seconds == NULL) {
            return OG_NO_MEMORY;
        }
    }
    return out->rows == NULL ? OG_NO_MEMORY : OG_OK;
}

og_status og_replay_run(const og_replay_request *request, og_replay *out, og_message *message)
{
    game g = {.request = request};
    og_replay result = {.runs = request->runs};
    size_t numbers = (size_t)request->runs * (size_t)request->at_count;
    double *accuracy = NULL;
    double *seconds = NULL;
    og_status status = game_init(&g, message);
    if (status == OG_OK) {
        status = rows_new(request, &result);
        accuracy = calloc(numbers, sizeof *accuracy);
        seconds = calloc(numbers, sizeof *seconds);
        status = accuracy == NULL || seconds == NULL ? OG_NO_MEMORY : status;
    }
    for (int32_t i = 0; status == OG_OK && i < request->policy_count; i++) {
        if (request->progress != NULL) {
            request->progress(request->user, request->policies[i].name,
                              (double)i / request->policy_count);
        }
        replay_policy(&g, i, &result, accuracy, seconds);
    }
    if (status == OG_OK) {
        result.all_labels = accuracy_of_all(&g);
        *out = result;
    } else {
        og_replay_clear(&result);
    }
    free(accuracy);
    free(seconds);
    game_clear(&g);
    return status;
}

void og_replay_clear(og_replay *replay)
{
    for (int32_t i = 0; replay->rows != NULL && i < replay->row_count; i++) {
        free(replay->rows[i].accuracy);
        free(replay->rows[i].seconds);
    }
    free(replay->rows);
    memset(replay, 0, sizeof *replay);
}
