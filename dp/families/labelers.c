/*
 * Votes of labelers and LS_OL in doubles. The schedule uses whole numbers: `missing` counts the
 * labels that testers lack of one more than floor(G2 ln t), so it does not matter which tester is
 * labelled again.
 */
#include "dp/families/labelers.h"

#include <float.h>
#include <inttypes.h>

#include "dp/families/labelers_sums.h"

og_fraction og_labelers_complement(og_fraction chance)
{
    return (og_fraction){chance.den - chance.num, chance.den};
}

void og_labelers_set(og_labelers *labelers, int32_t i, og_fraction right)
{
    labelers->right[i] = right;
    labelers->chance[i] = og_fraction_double(right);
    labelers->chance_wrong[i] = og_fraction_double(og_labelers_complement(right));
}

void og_labelers_set_double(og_labelers *labelers, int32_t i, double right, double wrong)
{
    labelers->chance[i] = right;
    labelers->chance_wrong[i] = wrong;
}

/* ---- votes ---- */

/*
 * A distribution of n voters takes 3 n roundings and the probabilities' own n, a sum of it n more;
 * a pattern 2 n, and patterns are added in a tree of depth n, at most 2^n terms.
 */
double og_labelers_error(int32_t count)
{
    return (6 * count + (1 << count) + 8) * DBL_EPSILON;
}

static void fill_votes(crowd *c, og_votes *out)
{
    number strength[OG_LABELERS_MAX], differs[OG_LABELERS_MAX];
    uint32_t all = (UINT32_C(1) << c->count) - 1;
    for (uint32_t set = 0; set <= all; set++) {
        majority(c, c->right, c->wrong, set, &out->majority[set], NULL);
    }
    out->best = best_majority(c, c->right, c->wrong);
    disagreement(c, differs);
    memcpy(out->disagreement, differs, (size_t)c->count * sizeof *differs);
    weigh_by(c, c->right, c->wrong);
    uint32_t voters = best_voters(c);
    out->best_weighted = c->eps > 0 ? voters : best_weighted(c, strength);
    weighted(c, c->right, c->wrong, voters, &out->weighted);
}

og_status og_votes_make(const og_labelers *labelers, og_votes *out)
{
    crowd c;
    og_status status = crowd_init(&c, labelers);
    if (status == OG_OK) {
        fill_votes(&c, out);
    }
    og_arena_clear(&c.arena);
    return status;
}

og_status og_votes_weighted(const og_labelers *labelers, const og_labelers *by, uint32_t set,
                            double *out)
{
    return weighted_by(labelers, by, set, out);
}

/* As og_votes_best, with the weights in `by` and `against`. */
static void best_of_weighted(crowd *c, uint32_t *set, double *right)
{
    number strength[OG_LABELERS_MAX];
    bool listed = c->count <= OG_LABELERS_WEIGHED_MAX;
    *set = !listed      ? (UINT32_C(1) << c->count) - 1
           : c->eps > 0 ? best_voters(c)
                        : best_weighted(c, strength);
    *right = NAN;
    if (listed) {
        weighted(c, c->right, c->wrong, *set, right);
    }
}

og_status og_votes_best(const og_labelers *labelers, bool use_weights, uint32_t *set, double *right)
{
    crowd c;
    og_status status = crowd_init(&c, labelers);
    if (status == OG_OK && use_weights) {
        weigh_by(&c, c.right, c.wrong);
        best_of_weighted(&c, set, right);
    } else if (status == OG_OK) {
        *set = best_majority(&c, c.right, c.wrong);
        majority(&c, c.right, c.wrong, *set, right, NULL);
    }
    og_arena_clear(&c.arena);
    return status;
}

og_status og_votes_majority(const og_labelers *labelers, uint32_t set, double *out)
{
    crowd c;
    og_status status = crowd_init(&c, labelers);
    if (status == OG_OK) {
        majority(&c, c.right, c.wrong, set, out, NULL);
    }
    og_arena_clear(&c.arena);
    return status;
}

/* ---- the schedule ---- */

static int64_t limit_at(const og_ls_ol *by, int which, int32_t time)
{
    double limit = floor(by->explore[which] * log(time) * pow(time, by->cells));
    return limit > by->budget ? (int64_t)by->budget + 1 : (int64_t)limit;
}

void og_ls_ol_begin(const og_ls_ol *by, og_ls_ol_state *out)
{
    *out = (og_ls_ol_state){.by = by, .testers = 1, .times = 1};
}

og_ls_ol_step og_ls_ol_next(og_ls_ol_state *state)
{
    const og_ls_ol *by = state->by;
    int32_t time = ++state->time;
    int64_t times = limit_at(by, 1, time) + 1;
    state->missing += state->testers * (times - state->times);
    state->times = times;
    if (state->missing > 0) {
        state->missing--;
        return OG_LS_OL_AGAIN;
    }
    if (state->testers <= limit_at(by, 0, time)) {
        state->testers++;
        state->missing += times - 1;
        return OG_LS_OL_NEW;
    }
    return OG_LS_OL_EXPLOIT;
}

og_status og_ls_ol_plan(const og_labelers *labelers, const og_ls_ol *by, uint64_t cell_bytes,
                        uint64_t memory_bytes, og_ls_ol_value *out, size_t *cells,
                        og_message *message)
{
    og_ls_ol_state now;
    *out = (og_ls_ol_value){.testers = 0};
    og_ls_ol_begin(by, &now);
    for (int32_t t = 1; t <= by->budget; t++) {
        og_ls_ol_step step = og_ls_ol_next(&now);
        out->steps[step]++;
        if (step == OG_LS_OL_EXPLOIT) {
            out->testers = (int32_t)now.testers;
            out->times = (int32_t)now.times;
        }
    }
    double wanted = pow(out->testers + 1.0, labelers->count);
    if (wanted * (double)cell_bytes > (double)memory_bytes) {
        char text[OG_BYTES_TEXT_BYTES];
        return og_message_set(message, OG_STOPPED,
                              "the distribution of %" PRId32
                              " testers has %.4g cells, more than the memory "
                              "limit of %s holds; fewer testers need a smaller G1 of --explore",
                              out->testers, wanted, og_bytes_format(memory_bytes, text));
    }
    if (out->times > OG_LS_OL_TIMES_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "testers are labelled %" PRId32 " times, more than %d", out->times,
                              OG_LS_OL_TIMES_MAX);
    }
    *cells = (size_t)wanted;
    return OG_OK;
}

/* Roundings of a tester's distribution, of its powers, of the sums over cells and over time. */
static double ls_ol_error(const og_labelers *labelers, const og_ls_ol_value *value, int32_t budget,
                          size_t cells)
{
    double votes = og_labelers_error(labelers->count) / DBL_EPSILON;
    double tester = 2 * labelers->count + value->times * (votes + 4) + 8;
    double law = value->testers * (tester + (1 << labelers->count) + 1);
    double sums = BLOCK_CELLS + (double)cells / BLOCK_CELLS + budget;
    return (votes + law + sums) * DBL_EPSILON;
}

og_status og_ls_ol_run(const og_labelers *labelers, const og_ls_ol *by, uint64_t memory_bytes,
                       og_stop *stop, og_ls_ol_value *out, og_message *message)
{
    selecting s;
    og_ls_ol_value value;
    number total[2];
    size_t cells = 0;
    const uint64_t cell_bytes = 2 * sizeof(number) + sizeof(uint16_t);
    OG_TRY(og_ls_ol_plan(labelers, by, cell_bytes, memory_bytes, &value, &cells, message));
    og_status status = selecting_init(&s, labelers, by, value.testers, cells, stop);
    OG_THEN(status, run_ls_ol(&s, total));
    if (status == OG_OK) {
        value.right = *total[0];
        value.cost = *total[1];
        value.error = ls_ol_error(labelers, &value, by->budget, cells);
        for (size_t x = 0; value.testers > 0 && x < (size_t)1 << labelers->count; x++) {
            value.set[x] = *s.set_law[x];
        }
        *out = value;
    }
    selecting_clear(&s);
    return status;
}

og_status og_ls_ol_select(const og_labelers *labelers, bool use_weights, uint32_t among,
                          const int32_t *agreed, int32_t testers, og_labelers *by, uint32_t *set)
{
    og_labelers some = {.eps = labelers->eps};
    int32_t place[OG_LABELERS_MAX] = {0};
    double smooth = use_weights ? 1 : 0; /* halves */
    uint32_t found;
    crowd c;
    *by = *labelers;
    for (int32_t i = 0; i < labelers->count; i++) {
        double under = 2 * (testers + smooth);
        og_labelers_set_double(by, i, (2 * agreed[i] + smooth) / under,
                               (2 * (testers - agreed[i]) + smooth) / under);
        if ((among >> i & 1) != 0) {
            place[some.count] = i;
            og_labelers_set_double(&some, some.count++, by->chance[i], by->chance_wrong[i]);
        }
    }
    og_status status = crowd_init(&c, &some);
    if (status == OG_OK) {
        number strength[OG_LABELERS_MAX];
        weigh_by(&c, c.right, c.wrong);
        found = !use_weights                           ? best_majority(&c, c.right, c.wrong)
                : some.count > OG_LABELERS_WEIGHED_MAX ? UINT32_MAX
                                                       : best_weighted(&c, strength);
        *set = 0;
        for (int32_t k = 0; k < some.count; k++) {
            *set |= (found >> k & 1) << place[k];
        }
    }
    og_arena_clear(&c.arena);
    return status;
}
