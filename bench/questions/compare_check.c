/*
 * Concludes a comparison and checks it: values from independent recursions and bounds must satisfy
 * policy <= optimum <= bound.
 */
#include <math.h>

#include "bench/questions/compare.h"
#include "dp/base/rational.h"

static og_status contradiction(og_message *message, const char *what, double high, double low)
{
    return og_message_set(
        message, OG_FAILED,
        "the results contradict each other (%s: %.17g > %.17g): please report this", what, high,
        low);
}

/* A payoff may be negative; then there is no percentage. */
static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

/* If there is no gain, there is no share, unless nothing is lost. */
static double percent_lost(double lost, double error, double gain)
{
    return gain > 0 ? 100 * lost / gain : fabs(lost) <= error ? 0 : NAN;
}

static og_status fill_gap(const og_comparison *out, og_compare_row *row, og_message *message)
{
    double gap = out->optimal.gain - row->result.gain;
    double error = out->optimal.error_bound + row->result.error_bound;
    bool either = row->simulated || row->beyond;
    if (!(gap >= -error) && !either) {
        return contradiction(message, "a policy above the optimum", row->result.gain,
                             out->optimal.gain);
    }
    row->gap = gap > 0 || either ? gap : 0; /* an estimate may have the other sign */
    row->gap_error = error;
    if (out->exact) {
        mpq_sub(row->gap_exact, out->gain_exact, row->gain_exact);
        if (mpq_sgn(row->gap_exact) < 0 && !either) {
            return contradiction(message, "a policy above the optimum", row->result.gain,
                                 out->optimal.gain);
        }
        row->gap = og_nearest_quotient(mpq_numref(row->gap_exact), mpq_denref(row->gap_exact));
        row->gap_error = fabs(row->gap) * 0x1p-53;
    }
    row->gap_percent = percent_of(row->gap, out->optimal.value);
    row->gain_lost_percent = percent_lost(row->gap, row->gap_error, out->optimal.gain);
    return OG_OK;
}

static void fill_gap_most(const og_comparison *out, og_compare_row *row)
{
    double least = row->result.value - row->result.error_bound;
    double gap = out->upper - least;
    double gain = out->upper - (out->call - out->call_error);
    row->gap_most = gap > 0 ? gap : 0;
    row->gap_most_percent = percent_of(row->gap_most, out->upper);
    if (row->result.gain >= 0) {
        row->gain_lost_most_percent = gain > 0 ? fmin(100, 100 * row->gap_most / gain) : 0;
    } else { /* it falls as the optimum grows */
        gain = out->lower - (out->call + out->call_error);
        row->gain_lost_most_percent = percent_lost(out->lower - least, 0, gain);
    }
}

/* Set lower and upper, from the optimum if it is known, else from the policies and the bounds. */
static og_status fill_bracket(og_comparison *out, og_message *message)
{
    out->lower = out->sum ? -out->most : out->losses ? -INFINITY : out->call - out->call_error;
    out->lower_row = -1;
    for (int32_t i = 0; i < out->row_count; i++) {
        const og_compare_row *row = &out->rows[i];
        double least = row->result.value - row->result.error_bound;
        if (row->status == OG_OK && !row->simulated && !row->beyond && !(least <= out->lower)) {
            out->lower = least;
            out->lower_row = i;
        }
    }
    const og_result *optimal = &out->optimal;
    double cut = optimal->bracketed ? out->call + optimal->lower : -INFINITY;
    cut -= out->call_error + fabs(cut) * 0x1p-52;
    if (out->optimal_status != OG_OK && optimal->bracketed && cut > out->lower) {
        out->lower = cut;
        out->lower_row = -1;
        out->lower_margin = true;
    }
    out->upper = og_bounds_least(&out->bounds);
    if (!isfinite(out->upper)) {
        out->upper = out->most;
    }
    if (!(out->lower <= out->upper)) {
        return contradiction(message, "a policy above a bound", out->lower, out->upper);
    }
    for (int32_t i = 0; out->optimal_status != OG_OK && i < out->row_count; i++) {
        const og_compare_row *row = &out->rows[i];
        double likely = fmin(row->estimate.low, out->upper);
        if (row->status == OG_OK && row->simulated && likely > out->lower) {
            out->lower = likely;
            out->lower_row = i;
            out->lower_margin = false;
            out->lower_simulated = true;
        }
    }
    if (out->optimal_status == OG_OK) {
        double error = out->optimal.error_bound;
        if (!(out->optimal.value - error <= out->upper)) {
            return contradiction(message, "the optimum above a bound", out->optimal.value,
                                 out->upper);
        }
        out->lower = out->optimal.value - error;
        out->upper = fmin(out->upper, out->optimal.value + error);
        out->lower_row = -1;
    }
    return OG_OK;
}

/* Check the same as fill_bracket does for doubles, but without an error margin. */
static og_status check_bounds_exact(const og_comparison *out, og_message *message)
{
    for (int32_t i = 0; out->optimal_status == OG_OK && i < out->bounds.count; i++) {
        mpq_srcptr value = og_exact_bound_value(&out->bounds.exact[i]);
        if (value != NULL && mpq_cmp(out->optimal_exact, value) > 0) {
            return contradiction(message, "the optimum above a bound", out->optimal.value,
                                 out->bounds.bound[i].value);
        }
    }
    return OG_OK;
}

og_status og_comparison_conclude(og_comparison *comparison, og_message *message)
{
    og_status status = fill_bracket(comparison, message);
    if (status == OG_OK && comparison->exact) {
        status = check_bounds_exact(comparison, message);
    }
    for (int32_t i = 0; status == OG_OK && i < comparison->row_count; i++) {
        og_compare_row *row = &comparison->rows[i];
        if (row->status != OG_OK) {
            continue;
        }
        if (comparison->optimal_status == OG_OK) {
            status = fill_gap(comparison, row, message);
        }
        fill_gap_most(comparison, row);
    }
    return status;
}

og_status og_comparison_check_explanation(const og_compare_row *row, og_message *message)
{
    const og_explanation *found = &row->explanation;
    bool own = !isnan(row->called_value);
    double calls = own ? row->called_value - row->result.value : 0;
    double explained = found->total + calls;
    if (fabs(explained - row->gap) <= found->error + (own ? 2 : 1) * row->gap_error) {
        return OG_OK;
    }
    return contradiction(message, "a gap and its explanation", fmax(explained, row->gap),
                         fmin(explained, row->gap));
}
