#ifndef OG_BENCH_QUESTIONS_TRUTH_DOCUMENT_H
#define OG_BENCH_QUESTIONS_TRUTH_DOCUMENT_H

#include "bench/document.h"
#include "bench/questions/compare.h"

/*
 * Add the results under a truth, or with a wrong belief, to the object of a row or, if `row` is
 * NULL, of the optimum: "truth" or "believed", null if missing, and then the reason as
 * "truth_limit" or "believed_limit". With a wrong belief also its price: the loss from the belief.
 */
void og_truth_put(og_document *object, const og_comparison *found, const og_compare_row *row);

/* Show the same for all policies as tables, and list missing results. The legend explains their
 * words. */
void og_truth_show(og_document *document, const og_asked *asked, const og_comparison *found);
void og_truth_legend(og_document *document, const og_asked *asked, const og_comparison *found);

/* For a grid of truths: the array "truths", and a table of that array. */
void og_truth_grid_put(og_document *document, const og_comparison *found);
void og_truth_grid_show(og_document *document, const og_asked *asked, const og_comparison *found,
                        const og_document *truths);
void og_truth_grid_legend(og_document *document, const og_asked *asked, const og_comparison *found);

#endif
