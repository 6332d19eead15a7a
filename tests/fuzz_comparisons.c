/* Comparisons without scores: numbers are in order of the names, and all is the same when it
 * is written again, as winners and losers, and read. */
#include "bench/recorded/pairs.h"
#include "tests/fuzz.h"

static void check_numbers(const og_pairs *pairs)
{
    fuzz_check(pairs->item_count >= 2 && pairs->score == NULL, "accepted without two items");
    for (int64_t k = 0; k < pairs->count; k++) {
        const og_pair *pair = &pairs->pair[k];
        fuzz_check(pair->item[0] < pair->item[1] && pair->item[1] < pairs->item_count &&
                       pair->worker < pairs->worker_count && !(pair->draw && pair->first),
                   "a number beyond the names");
    }
    for (uint32_t i = 0; i < pairs->item_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            fuzz_check(strcmp(pairs->item[i], pairs->item[j]) != 0, "a name twice");
        }
    }
}

static const char *winner_of(const og_pairs *pairs, int64_t k)
{
    return pairs->item[pairs->pair[k].item[pairs->pair[k].first ? 0 : 1]];
}

/* A word for a draw that is not the name of an item of the pair. */
static const char *draw_of(const og_pairs *pairs, int64_t k)
{
    static const char *const words[] = {"tie", "draw", "="};
    int i = 0;
    while (strcmp(words[i], pairs->item[pairs->pair[k].item[0]]) == 0 ||
           strcmp(words[i], pairs->item[pairs->pair[k].item[1]]) == 0) {
        i++;
    }
    return words[i];
}

static void check_read_back(const og_pairs *pairs)
{
    char *text = NULL;
    size_t size = 0;
    og_pairs again = {.count = 0};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("label,left,right,worker\n", file);
    for (int64_t k = 0; k < pairs->count; k++) {
        const char *worker = pairs->worker[pairs->pair[k].worker];
        fuzz_quote(file, pairs->pair[k].draw ? draw_of(pairs, k) : winner_of(pairs, k), ',');
        fuzz_quote(file, pairs->item[pairs->pair[k].item[0]], ',');
        fuzz_quote(file, pairs->item[pairs->pair[k].item[1]], ',');
        fuzz_quote(file, *worker == '\0' ? "nobody" : worker, '\n');
    }
    fclose(file);
    og_status status =
        og_pairs_read(&(og_pairs_files){.pairs = fuzz_file(text, size)}, NULL, &again, NULL);
    fuzz_check(status == OG_OK && again.count == pairs->count && again.draws == pairs->draws &&
                   again.skipped == 0 && again.missing == 0,
               "not read back");
    for (int64_t k = 0; k < pairs->count; k++) {
        bool same = pairs->pair[k].draw || strcmp(winner_of(&again, k), winner_of(pairs, k)) == 0;
        fuzz_check(same && again.pair[k].draw == pairs->pair[k].draw,
                   "read back as something else");
    }
    og_pairs_clear(&again);
    free(text);
}

FUZZ_TARGET(comparisons)
{
    og_pairs pairs = {.count = 0};
    og_message message = {""};
    og_status status =
        og_pairs_read(&(og_pairs_files){.pairs = fuzz_file(data, size)}, NULL, &pairs, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_numbers(&pairs);
    if (pairs.count > 0) {
        check_read_back(&pairs);
    }
    og_pairs_clear(&pairs);
}
