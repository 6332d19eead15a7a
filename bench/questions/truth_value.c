/* The value under full information. */
#include "bench/questions/truth_value.h"

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/largest.h"

static const double unit = 0x1p-53;

void og_truth_value_of_calls(int64_t instances, bool exact, og_truth_value *out)
{
    out->value = (double)instances;
    out->error = 0;
    out->is_exact = exact;
    if (exact) {
        mpq_set_ui(out->exact, 0, 1);
        og_mpz_set(mpq_numref(out->exact), instances);
    }
}

static void largest_of_list(const og_truth *truth, bool exact, og_truth_value *out)
{
    og_fraction largest = truth->soft[0];
    for (int64_t i = 1; i < truth->count; i++) {
        largest = og_fraction_compare(truth->soft[i], largest) > 0 ? truth->soft[i] : largest;
    }
    out->value = og_fraction_double(largest);
    out->error = 2 * unit * out->value;
    out->is_exact = exact;
    if (exact) {
        og_fraction_get_mpq(out->exact, largest);
    }
}

static void largest_of_laws(const og_truth *truth, const og_groups *groups, bool exact,
                            og_truth_value *out)
{
    og_group all = {.a = truth->a, .b = truth->b, .count = og_groups_size(groups)};
    const og_groups alike = og_groups_of(&all, 1);
    const og_groups *laws = truth->kind == OG_TRUTH_BETA ? &alike : groups;
    out->is_exact = exact && og_largest_exact(laws, out->exact);
    if (out->is_exact) {
        out->value = og_nearest(out->exact);
        out->error = unit * out->value;
    } else {
        out->error = og_largest_mean(laws, &out->value);
    }
}

void og_truth_value_of_bandit(const og_truth *truth, const og_groups *groups, int32_t labels,
                              bool exact, og_truth_value *out)
{
    if (labels == 0) {
        og_truth_value_of_calls(0, exact, out);
        return;
    }
    if (truth->kind == OG_TRUTH_LIST) {
        largest_of_list(truth, exact, out);
    } else {
        largest_of_laws(truth, groups, exact, out);
    }
    out->value *= labels;
    out->error = out->error * labels + unit * out->value;
    if (out->is_exact) {
        mpq_t times;
        mpq_init(times);
        mpq_set_si(times, labels, 1);
        mpq_mul(out->exact, out->exact, times);
        mpq_clear(times);
    }
}
