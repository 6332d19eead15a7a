#ifndef OG_TOOLS_SHOW_RESULTS_H
#define OG_TOOLS_SHOW_RESULTS_H

#include "bench/document.h"
#include "tools/option/options.h"

/*
 * Shows a document like `show`, and first writes its "results" to the file of --result, if that is
 * given; without the file nothing is shown. The file is JSON if its name ends in .json, otherwise
 * one table, with commas for .csv and else with tabs. A row of the table is a task, a worker or
 * another row of a policy's result (its kind), or one of the totals; the other columns are the
 * values that any row has, in the order in which they first appear. An array becomes the columns
 * NAME_1, NAME_2, ...
 */
int show_with_results(const command_request *request, og_document *document);

#endif
