/* Comparisons without scores: numbers are in order of first appearance, and all is the same when it
 * is written again, as winners and losers, and read. */
#include "bench/recorded/pairs.h"
#include "tests/fuzz.h"

static void check_numbers(const og_pairs *of)
{
    fuzz_check(of->item_count >= 2 && of->score == NULL, "accepted without two items");
    for (int64_t k = 0; k < of->count; k++) {
        const og_pair *pair = &of->pair[k];
        fuzz_check(pair->item[0] < pair->item[1] && pair->item[1] < of->item_count &&
                       pair->worker < of->worker_count && !(pair->draw && pair->first),
                   "a number beyond the names");
    }
    for (uint32_t i = 0; i < of->item_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            fuzz_check(strcmp(of->item[i], of->item[j]) != 0, "a name twice");
        }
    }
}

static const char *winner_of(const og_pairs *of, int64_t k)
{
    return of->item[of->pair[k].item[of->pair[k].first ? 0 : 1]];
}

/* A word for a draw that is not the name of an item of the pair. */
static const char *draw_of(const og_pairs *of, int64_t k)
{
    static const char *const words[] = {"tie", "draw", "="};
    int i = 0;
    while (strcmp(words[i], of->item[of->pair[k].item[0]]) == 0 ||
           strcmp(words[i], of->item[of->pair[k].item[1]]) == 0) {
        i++;
    }
    return words[i];
}

static void check_read_back(const og_pairs *of)
{
    char *text = NULL;
    size_t size = 0;
    og_pairs again = {.count = 0};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("label,left,right,worker\n", file);
    for (int64_t k = 0; k < of->count; k++) {
        const char *worker = of->worker[of->pair[k].worker];
        fuzz_quote(file, of->pair[k].draw ? draw_of(of, k) : winner_of(of, k), ',');
        fuzz_quote(file, of->item[of->pair[k].item[0]], ',');
        fuzz_quote(file, of->item[of->pair[k].item[1]], ',');
        fuzz_quote(file, *worker == '\0' ? "nobody" : worker, '\n');
    }
    fclose(file);
    og_status status = og_pairs_read(fuzz_file(text, size), NULL, NULL, &again, NULL);
    fuzz_check(status == OG_OK && again.count == of->count && again.draws == of->draws &&
                   again.skipped == 0 && again.missing == 0,
               "not read back");
    for (int64_t k = 0; k < of->count; k++) {
        bool same = of->pair[k].draw || strcmp(winner_of(&again, k), winner_of(of, k)) == 0;
        fuzz_check(same && again.pair[k].draw == of->pair[k].draw, "read back as something else");
    }
    og_pairs_clear(&again);
    free(text);
}

FUZZ_TARGET(comparisons)
{
    og_pairs of = {.count = 0};
    og_message message = {""};
    og_status status = og_pairs_read(fuzz_file(data, size), NULL, NULL, &of, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_numbers(&of);
    if (of.count > 0) {
        check_read_back(&of);
    }
    og_pairs_clear(&of);
}
