/* Comparisons without scores: numbers are in order of first appearance, and all is the same when it
 * is written again, as winners and losers, and read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/comparisons.h"
#include "tests/fuzz.h"

static void check_numbers(const og_comparisons *of)
{
    fuzz_check(of->item_count >= 2 && of->worker_count >= 1, "accepted without two items");
    for (int64_t k = 0; k < of->count; k++) {
        const og_comparison *row = &of->row[k];
        fuzz_check(row->winner < of->item_count && row->loser < of->item_count &&
                       row->worker < of->worker_count && row->winner != row->loser,
                   "a number beyond the names");
    }
    for (uint32_t i = 0; i < of->item_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            fuzz_check(strcmp(of->item[i], of->item[j]) != 0, "a name twice");
        }
    }
}

static void check_read_back(const og_comparisons *of)
{
    char *text = NULL;
    size_t size = 0;
    og_comparisons again = {.count = 0};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("label,left,right,worker\n", file);
    for (int64_t k = 0; k < of->count; k++) {
        const char *winner = of->item[of->row[k].winner];
        const char *worker = of->worker[of->row[k].worker];
        fuzz_quote(file, winner, ',');
        fuzz_quote(file, winner, ',');
        fuzz_quote(file, of->item[of->row[k].loser], ',');
        fuzz_quote(file, *worker == '\0' ? "nobody" : worker, '\n');
    }
    fclose(file);
    og_status status = og_comparisons_read(fuzz_file(text, size), NULL, &again, NULL);
    fuzz_check(status == OG_OK && again.count == of->count && again.draws == 0, "not read back");
    for (int64_t k = 0; k < of->count; k++) {
        fuzz_check(strcmp(again.item[again.row[k].winner], of->item[of->row[k].winner]) == 0 &&
                       strcmp(again.item[again.row[k].loser], of->item[of->row[k].loser]) == 0,
                   "read back as something else");
    }
    og_comparisons_clear(&again);
    free(text);
}

FUZZ_TARGET(comparisons)
{
    og_comparisons of = {.count = 0};
    og_message message = {""};
    og_status status = og_comparisons_read(fuzz_file(data, size), NULL, &of, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_numbers(&of);
    if (of.count > 0) {
        check_read_back(&of);
    }
    og_comparisons_clear(&of);
}
