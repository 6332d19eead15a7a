/* Files of indices (table:FILE): rows that are accepted are in order, each once, found again, and
 * in the order of their decimals; places read as indices give the same table. */
#include <math.h>

#include "heuristics/index/table_file.h"
#include "heuristics/policy.h"
#include "tests/fuzz.h"

static int compare_keys(const og_table_row *x, const og_table_row *y)
{
    int order = og_fraction_compare(x->a, y->a);
    if (order == 0) {
        order = og_fraction_compare(x->b, y->b);
    }
    return order != 0 ? order : (x->left > y->left) - (x->left < y->left);
}

static void check_rows(const og_table *table)
{
    fuzz_check(table->row_count >= 1, "accepted without a row");
    for (size_t i = 0; i < table->row_count; i++) {
        const og_table_row *row = &table->row[i];
        fuzz_check(isfinite(row->index), "an index that is no number");
        fuzz_check(row->a.num > 0 && row->b.num > 0, "a parameter that is not positive");
        fuzz_check(table->by_left ? row->left >= 1 : row->left == 0, "impossible labels left");
        fuzz_check(row->place < table->row_count, "places with gaps");
        fuzz_check(row->place <= row->value, "more places than values");
        fuzz_check(i == 0 || compare_keys(row - 1, row) < 0, "rows out of order");
        fuzz_check(og_table_find(table, row->a, row->b, row->left) == row, "a row is not found");
        /* Rounding is monotone: of neighbours, and so of all. */
        fuzz_check(i == 0 || row->index == row[-1].index ||
                       (row->index > row[-1].index) == (row->value > row[-1].value),
                   "values in another order than indices");
        fuzz_check(i == 0 || row->place == row[-1].place ||
                       (row->place > row[-1].place) == (row->value > row[-1].value),
                   "places in another order than values");
    }
}

/* Last row first, so that the order of the file decides nothing. */
static void check_read_back(const og_table *table)
{
    char *text = NULL, a[64], b[64];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    og_table *again = NULL;
    fuzz_check(file != NULL, "out of memory");
    for (size_t i = table->row_count; i-- > 0;) {
        const og_table_row *row = &table->row[i];
        og_fraction_format(row->a, a, sizeof a);
        og_fraction_format(row->b, b, sizeof b);
        fprintf(file, "%s\t%s\t", a, b);
        if (table->by_left) {
            fprintf(file, "%" PRId32 "\t", row->left);
        }
        fprintf(file, "%" PRIu32 "\n", row->place);
    }
    fclose(file);
    fuzz_check(og_table_read(fuzz_file(text, size), 0, NULL, &again, NULL) == OG_OK,
               "not read back");
    bool same = again->by_left == table->by_left && again->row_count == table->row_count;
    for (size_t i = 0; same && i < table->row_count; i++) {
        same = compare_keys(&again->row[i], &table->row[i]) == 0 &&
               again->row[i].place == table->row[i].place;
    }
    fuzz_check(same, "another table when read back");
    og_table_free(again);
    free(text);
}

FUZZ_TARGET(table)
{
    og_table *table = NULL;
    og_message message = {""};
    og_status status =
        og_table_read(fuzz_file(data, size), OG_TIE_TOLERANCE, NULL, &table, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && table == NULL, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_rows(table);
    check_read_back(table);
    og_table_free(table);
}
