/*
 * What policies lose at the same expected number of labels: the gap to the frontier of all policies
 * (bench/questions/frontier.h). The prices that are solved serve all rows.
 */
#include <math.h>

#include "bench/questions/compare_job.h"
#include "bench/questions/frontier.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"

/* First all rows to a coarse width, in shares of the optimal gain; then to a fine one while the
 * states of all prices are few. */
static const double coarse = 3e-5, fine = 1e-12;
static const uint64_t few_states = 1 << 20;
enum { SOLVED_MAX = 400 };

typedef struct {
    const og_compare_job *work;
    og_stop stop;
    og_settings settings;
    uint64_t states;
    og_priced_use use;
    og_frontier *frontier;
} pricing;

static og_status gain_at(void *self, og_fraction price, mpq_t low, mpq_t high, og_message *message)
{
    pricing *p = self;
    return p->work->family->model.priced_gain(p->work->problem, price, &p->use, low, high, message);
}

static bool is_asked(const og_compare_job *work, const og_compare_row *row)
{
    return row->status == OG_OK && !row->simulated && row->labels.known &&
           (!work->out->exact || row->labels.exact);
}

/* True if a policy uses fewer labels than there are. */
static bool stops_early(const og_compare_job *work)
{
    bool early = false;
    for (int32_t i = 0; i < work->out->row_count; i++) {
        const og_compare_row *row = &work->out->rows[i];
        early = early || (is_asked(work, row) &&
                          row->labels.most + row->labels.error < (double)work->sizes.left);
    }
    return early;
}

/* The optimal gain of policies that may stop: that of all labels, unless one can lower the value.
 */
static og_status gain_of_free_labels(pricing *p, mpq_t low, mpq_t high, og_message *message)
{
    const og_comparison *out = p->work->out;
    if (p->work->sizes.losses) {
        return gain_at(p, (og_fraction){0, 1}, low, high, message);
    }
    mpq_t error;
    mpq_init(error);
    if (out->exact) {
        mpq_set(low, out->gain_exact);
    } else {
        mpq_set_d(low, out->optimal.gain);
        mpq_set_d(error, out->optimal.error_bound);
    }
    mpq_add(high, low, error);
    mpq_sub(low, low, error);
    mpq_clear(error);
    return OG_OK;
}

static og_status begin(pricing *p, og_message *message)
{
    const og_compare_job *work = p->work;
    double most = work->family->model.reward_most(work->problem);
    const og_priced_gains gains = {p, gain_at, work->sizes.left,
                                   og_fraction_make((int64_t)ceil(1e6 * most) + 1, 1000000)};
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    og_status status = gain_of_free_labels(p, low, high, message);
    OG_THEN(status, og_frontier_new(&gains, low, high, &p->frontier));
    mpq_clears(low, high, NULL);
    return status;
}

/* The row's equal.labels: those of a policy that gains as much or, in doubles, less by several
 * errors, so that a gain which may be the optimal one is surely below it. */
static og_status find_least(pricing *p, og_compare_row *row, const og_frontier_end *end, mpq_t gain,
                            double noise, og_message *message)
{
    og_compare_equal *equal = &row->equal;
    mpq_t low, high, price;
    mpq_inits(low, high, price, NULL);
    if (!p->work->out->exact) {
        mpq_set_d(low, row->result.gain - 4 * noise);
    } else {
        mpq_set(low, gain);
    }
    mpq_set(gain, low);
    og_status status = og_frontier_labels(p->frontier, gain, end, low, high, price, message);
    if (status == OG_OK) {
        equal->labels = og_nearest(low);
        if (p->work->out->exact) {
            mpq_set(equal->labels_exact, low);
        }
        mpq_sub(high, high, low);
        equal->labels_error = og_nearest(high);
        if (!p->work->out->exact && mpq_sgn(price) > 0) {
            equal->labels_error += 8 * noise / og_nearest(price);
        }
    }
    mpq_clears(low, high, price, NULL);
    return status;
}

static og_status find_row(pricing *p, og_compare_row *row, double width, og_message *message)
{
    const og_comparison *out = p->work->out;
    og_compare_equal *equal = &row->equal;
    const og_compare_equal before = *equal;
    const double noise = 16 * (row->result.error_bound + out->optimal.error_bound);
    const og_frontier_end end = {out->exact ? 0 : fmax(width * out->optimal.gain, noise),
                                 SOLVED_MAX};
    mpq_t labels, gain, low, high, price;
    mpq_inits(labels, gain, low, high, price, NULL);
    if (out->exact) {
        mpq_set(labels, row->labels_exact);
        mpq_set(gain, row->gain_exact);
    } else {
        mpq_set_d(labels, row->labels.least);
        mpq_set_d(gain, row->result.gain);
    }
    og_status status = og_frontier_gain(p->frontier, labels, &end, low, high, price, message);
    if (status == OG_OK) {
        equal->gain = og_nearest(high);
        equal->price = og_nearest(price);
        mpq_sub(low, high, low);
        equal->error = og_nearest(low) + equal->price * row->labels.error + row->result.error_bound;
        if (out->exact) {
            mpq_add(equal->value_exact, high, out->call_exact);
        }
        mpq_sub(high, high, gain);
        equal->gap = og_nearest(high);
        if (equal->gap < 0 || (!out->exact && equal->gap <= noise)) {
            equal->error += fabs(equal->gap);
            equal->gap = 0;
        }
        if (out->exact) {
            mpq_set(equal->gap_exact, high);
            equal->error = fabs(equal->gap) * 0x1p-53 + (mpq_sgn(low) > 0 ? og_nearest(low) : 0);
        }
        status = find_least(p, row, &end, gain, noise, message);
    }
    if (status == OG_OK) {
        equal->known = true;
    } else if (before.known) { /* in doubles, with a wider interval */
        *equal = before;
    }
    mpq_clears(labels, gain, low, high, price, NULL);
    return status;
}

static og_status find_rows(pricing *p, double width, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < p->work->out->row_count; i++) {
        og_compare_row *row = &p->work->out->rows[i];
        if (is_asked(p->work, row)) {
            status = find_row(p, row, width, message);
        }
    }
    return status;
}

og_status og_compare_find_equal(const og_compare_job *work, og_message *message)
{
    const og_family *family = work->family;
    if (family->model.priced_gain == NULL || work->sizes.priced ||
        work->out->optimal_status != OG_OK || !stops_early(work) || og_compare_is_over(work)) {
        return OG_OK;
    }
    pricing p = {.work = work, .stop = og_stop_for(work->stop, 0)};
    p.settings = og_stop_settings(&work->asked->request.settings, &p.stop);
    p.settings.checkpoint = NULL;
    p.settings.states_max = work->out->optimum_states_max;
    p.use = (og_priced_use){&p.settings, work->out->exact, &p.states};
    og_stop_tell(work->stop, "the best with as many labels", 0);
    p.stop.quiet = true;
    og_status status = begin(&p, message);
    OG_THEN(status, find_rows(&p, coarse, message));
    if (status == OG_OK && !work->out->exact && p.states <= few_states) {
        status = find_rows(&p, fine, message);
    }
    work->out->prices_solved = p.frontier != NULL ? og_frontier_solved(p.frontier) : 0;
    og_frontier_free(p.frontier);
    return og_compare_limit_reached(status) ? OG_OK : status; /* then rows stay unknown */
}
