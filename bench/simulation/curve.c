/* Curves: results at several budgets. */
#include "bench/simulation/curve.h"

#include <inttypes.h>
#include <stdio.h>

enum { COLUMNS = 5 };

og_status og_curve_budgets(const og_curve *given, int64_t budget, const char *unit, int32_t *at,
                           int32_t *at_count, og_message *message)
{
    int32_t used = 0;
    for (int32_t i = 0; i < given->at_count; i++) {
        if (given->at[i] < 0 || (i > 0 && given->at[i] <= given->at[i - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at must be budgets in ascending order, not %" PRId32
                                  " after %" PRId32,
                                  given->at[i], i > 0 ? given->at[i - 1] : 0);
        }
        if (given->at[i] > budget) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at %" PRId32 " is more than the budget of %" PRId64 " %s",
                                  given->at[i], budget, unit);
        }
        at[used++] = given->at[i];
    }
    if (used == 0 || at[used - 1] < budget) {
        at[used++] = (int32_t)budget;
    }
    *at_count = used;
    return OG_OK;
}

/* A table with the budgets from number `first` on. */
static void show_part(og_document *document, const og_document *rows, const int32_t *at,
                      int32_t count, const og_curve_words *words)
{
    og_document *table = og_show_table(document, rows);
    og_show_column(table, words->title, 'l', "name", OG_SHOW_PLAIN);
    if (og_document_count(rows) > 0 &&
        og_document_find(og_document_child(rows, 0), "ties") != NULL) {
        og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    }
    for (int32_t j = 0; j < count; j++) {
        char heading[32], name[64];
        snprintf(heading, sizeof heading, "%" PRId32 "\n%s", at[j], words->unit);
        snprintf(name, sizeof name, "%s%" PRId32, words->cell, at[j]);
        og_show_column(table, heading, 'l', name, OG_SHOW_PLAIN);
    }
}

void og_curve_show(og_document *document, const og_document *rows, const int32_t *at,
                   int32_t at_count, const og_curve_words *words)
{
    for (int32_t from = 0; from < at_count; from += COLUMNS) {
        int32_t rest = at_count - from;
        show_part(document, rows, &at[from], rest < COLUMNS ? rest : COLUMNS, words);
    }
}
