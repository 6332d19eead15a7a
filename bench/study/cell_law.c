/* Rows of cells under a truth, or with a wrong belief. */
#include "bench/study/cell_law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool og_cell_law_is(const og_cell_key *key)
{
    return key->runs == 0 && strcmp(key->truth, "prior") != 0;
}

/* Copy the data about single instances that figures need. */
static og_status take_instances(const og_characteristics *found, og_arena *arena, og_cell_row *row)
{
    size_t size = (size_t)found->instances;
    double *spent = og_arena_array(arena, size + 1, sizeof *spent);
    double *wrong = og_arena_array(arena, size + 1, sizeof *wrong);
    OG_TRY(og_arena_status(arena));
    for (size_t i = 0; i < size; i++) {
        spent[i] = found->labels[found->slot[i]];
        wrong[i] = found->wrong[found->slot[i]];
    }
    row->spent = spent;
    row->wrong = wrong;
    return OG_OK;
}

static void take_mean(const og_comparison *from, const og_characteristics *found, bool believed,
                      og_cell_row *row)
{
    row->correct = found->mean;
    row->correct_low = found->mean - found->mean_error;
    row->correct_high = found->mean + found->mean_error;
    row->states = found->states;
    row->seconds = found->seconds;
    row->value = row->gain = row->error = row->low = row->high = NAN;
    if (believed) {
        row->value = found->mean;
        row->gain = found->mean - from->call;
        row->error = found->mean_error + from->call_error + 0x1p-52 * found->mean;
        row->low = row->value - row->error;
        row->high = row->value + row->error;
    }
}

static og_status take_row(const og_comparison *from, const og_compare_truth *truth,
                          const og_study_law *law, og_arena *arena, og_cell_row *row)
{
    row->known = truth->known;
    if (!truth->known) {
        bool told = row->reason[0] != '\0' && strcmp(row->reason, "limit") != 0;
        if (!told) {
            snprintf(row->reason, sizeof row->reason, "%.150s", truth->message.text);
        }
        row->value = row->gain = row->error = row->low = row->high = NAN;
        return OG_OK;
    }
    take_mean(from, &truth->found, law->believed, row);
    return law->actual && law->truth.kind == OG_TRUTH_LIST
               ? take_instances(&truth->found, arena, row)
               : OG_OK;
}

/* Clear the optimum: it belongs to the prior and says nothing about another truth. */
static void forget_optimum(og_cell *to)
{
    to->call = to->value = to->gain = to->error = NAN;
    to->lower = to->upper = to->scalar = to->vector = to->prevailing = NAN;
}

og_status og_cell_law_take(const og_comparison *from, const og_study_law *law, og_arena *arena,
                           og_cell *to)
{
    if (!law->believed && !law->actual) {
        return OG_OK;
    }
    for (int32_t i = 0; i < from->row_count; i++) {
        OG_TRY(take_row(from, &from->rows[i].truth, law, arena, &to->rows[i]));
    }
    OG_TRY(take_row(from, &from->optimal_truth, law, arena, &to->rows[to->row_count - 1]));
    if (law->actual) {
        forget_optimum(to);
    }
    if (law->actual && law->truth.kind == OG_TRUTH_LIST) {
        double *soft = og_arena_array(arena, (size_t)law->truth.count + 1, sizeof *soft);
        OG_TRY(og_arena_status(arena));
        for (int64_t i = 0; i < law->truth.count; i++) {
            soft[i] = og_fraction_double(law->truth.soft[i]);
        }
        to->soft = soft;
    }
    return OG_OK;
}
