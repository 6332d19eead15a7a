/* Reads a prior on the accuracies of labelers from a file: hypotheses, a line each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/labelers/labelers.h"
#include "dp/base/grow.h"
#include "dp/base/rows.h"

typedef struct {
    og_rows rows;
    int32_t labelers, count;
    og_fraction *number; /* [count * (labelers + 1)] each row: weight, then accuracies */
    size_t room;
    double sum;
} reader;

static bool read_line(reader *in)
{
    size_t columns = (size_t)in->labelers + 1;
    if (in->rows.field_count != in->labelers + 1) {
        return og_rows_fail(&in->rows,
                            "%d numbers; expected a weight and the accuracies of %d labelers",
                            in->rows.field_count, (int)in->labelers);
    }
    if (in->count == OG_LABELERS_HYPOTHESES_MAX) {
        return og_rows_fail(&in->rows, "there are more than %d hypotheses",
                            OG_LABELERS_HYPOTHESES_MAX);
    }
    og_fraction *grown =
        og_grown(in->number, &in->room, ((size_t)in->count + 1) * columns, sizeof *grown);
    if (grown == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    in->number = grown;
    for (size_t i = 0; i < columns; i++) {
        const char *text = in->rows.field[i];
        og_fraction *number = &grown[(size_t)in->count * columns + i];
        bool read = og_fraction_parse(text, strlen(text), number) == OG_OK;
        if (!read || number->num > number->den) {
            return og_rows_fail(&in->rows, "numbers must be from 0 to 1, not '%.24s'", text);
        }
    }
    in->sum += og_fraction_double(grown[(size_t)in->count++ * columns]);
    return true;
}

/* Split the table into weights and accuracies. */
static og_status make_prior(const reader *in, const og_labelers *game, og_labelers_prior **out)
{
    size_t count = (size_t)in->count, columns = (size_t)in->labelers + 1;
    og_fraction *weight = calloc(count * columns, sizeof *weight);
    OG_TRY(OG_ALLOCATED(weight));
    for (size_t h = 0; h < count; h++) {
        weight[h] = in->number[h * columns];
        memcpy(&weight[count + h * (columns - 1)], &in->number[h * columns + 1],
               (columns - 1) * sizeof *weight);
    }
    og_status status = og_labelers_prior_given(game, weight, weight + count, in->count, out);
    free(weight);
    return status;
}

og_status og_labelers_read_prior(const char *path, const og_labelers *game, og_labelers_prior **out,
                                 og_message *message)
{
    const double apart = 1e-9;
    reader in = {.labelers = game->count};
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '#', NULL, message); /* the number of rows is
                                                               limited above */
    while (og_rows_next(&in.rows) && read_line(&in)) {
    }
    og_status status = og_rows_close(&in.rows);
    if (status == OG_OK && !(fabs(in.sum - 1) <= apart)) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "%.200s: the weights of the hypotheses must add up to 1, not %.12g",
                                path, in.sum);
    }
    OG_THEN(status, make_prior(&in, game, out));
    free(in.number);
    return status;
}
