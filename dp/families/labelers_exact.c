/* Votes of labelers and LS_OL in fractions: the sums of dp/families/labelers.c with other
 * numbers. */
#define OG_LABELERS_FRACTIONS
#include "dp/families/labelers_sums.h"

enum { FRACTION_BYTES = 256 }; /* least size of a cell; it grows with the number of testers */

og_status og_votes_make_exact(const og_labelers *labelers, mpq_t *majorities, mpq_t *differs,
                              mpq_ptr best_vote, uint32_t *best)
{
    crowd c;
    og_status status = crowd_init(&c, labelers);
    for (uint32_t x = 0;
         status == OG_OK && majorities != NULL && x < UINT32_C(1) << labelers->count; x++) {
        majority(&c, c.right, c.wrong, x, majorities[x], NULL);
    }
    if (status == OG_OK && differs != NULL) {
        disagreement(&c, differs);
    }
    if (status == OG_OK && best_vote != NULL) {
        weigh_by(&c, c.right, c.wrong);
        weighted(&c, c.right, c.wrong, best_voters(&c), best_vote);
    }
    if (status == OG_OK && best != NULL) {
        *best = best_majority(&c, c.right, c.wrong);
    }
    og_arena_clear(&c.arena);
    return status;
}

og_status og_votes_weighted_exact(const og_labelers *labelers, const og_labelers *by, uint32_t set,
                                  mpq_t out)
{
    return weighted_by(labelers, by, set, out);
}

static void copy_out(const selecting *s, number *total, og_ls_ol_exact *out)
{
    og_ls_ol_value *value = &out->rounded;
    mpq_set(out->right, total[0]);
    mpq_set(out->cost, total[1]);
    value->right = og_nearest(out->right);
    value->cost = og_nearest(out->cost);
    value->error = 0x1p-53;
    for (size_t x = 0; x < (size_t)1 << s->c.count; x++) {
        value->set[x] = value->testers > 0 ? og_nearest(s->set_law[x]) : 0;
        if (out->set != NULL) {
            mpq_set(out->set[x], value->testers > 0 ? s->set_law[x] : s->c.zero[0]);
        }
    }
}

og_status og_ls_ol_run_exact(const og_labelers *labelers, const og_ls_ol *by, uint64_t memory_bytes,
                             og_stop *stop, og_ls_ol_exact *out, og_message *message)
{
    selecting s;
    og_ls_ol_value value;
    size_t cells = 0;
    OG_TRY(og_ls_ol_plan(labelers, by, FRACTION_BYTES, memory_bytes, &value, &cells, message));
    og_status status = selecting_init(&s, labelers, by, value.testers, cells, stop);
    number *total = status == OG_OK ? numbers_new(&s.arena, 2) : NULL;
    OG_THEN(status, total != NULL ? run_ls_ol(&s, total) : OG_NO_MEMORY);
    if (status == OG_OK) {
        out->rounded = value;
        copy_out(&s, total, out);
    }
    selecting_clear(&s);
    return status;
}
