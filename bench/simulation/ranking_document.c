/* Writes how often pairs are compared in runs: by their distance in rank, by worker, and each. */
#include "bench/simulation/ranking_document.h"

#include "bench/family.h"
#include "bench/simulation/sources.h"

/* A row for each rank; a pair is in two of them. */
static void put_pairs(int32_t items, const double *counts, og_document *object)
{
    og_document *rows = og_put_array(object, "comparisons_by_rank");
    for (int32_t i = 0; i < items; i++) {
        og_document *row = og_put_array(rows, NULL);
        for (int32_t j = 0; j < items; j++) {
            og_put_number(row, NULL, i == j ? 0 : counts[og_ranking_pair(items, i, j)]);
        }
    }
}

void og_ranking_put_counts(int32_t items, int32_t workers, const double *counts,
                           og_document *object)
{
    og_document *pairs = og_put_array(object, "comparisons_by_distance");
    for (int32_t d = 1; d < items; d++) {
        og_put_number(pairs, NULL, counts[d - 1] / (items - d));
    }
    if (workers > 0) {
        og_put_numbers(object, "comparisons_by_worker", &counts[items - 1], workers);
    }
    if (items <= OG_RANKING_COUNTED_MAX) {
        put_pairs(items, &counts[items - 1 + workers], object);
    }
}

void og_ranking_show_counts(int32_t items, int32_t workers, const char *policy,
                            const double *counts, og_document *document)
{
    enum { SHOWN = 20, NUMBER = 16 };
    char words[SHOWN * NUMBER];
    og_text text = og_text_begin(words, sizeof words);
    for (int32_t d = 1; d < items && d <= SHOWN; d++) {
        og_text_add(&text, " %.3g", counts[d - 1] / (items - d));
    }
    og_show_paragraph(document, "%s: comparisons of a pair, by rank distance 1, 2, ...:%s%s",
                      policy, words, items > SHOWN + 1 ? " ..." : "");
    text = og_text_begin(words, sizeof words);
    for (int32_t w = 0; w < workers && w < SHOWN; w++) {
        og_text_add(&text, " %.3g", counts[items - 1 + w]);
    }
    if (workers > 0) {
        og_show_paragraph(document, "%s: comparisons by worker 1, 2, ...:%s%s", policy, words,
                          workers > SHOWN ? " ..." : "");
    }
}
