/* Files of comparisons and scores, separated by a form feed: an accepted file is numbered as
 * documented, and is the same after it is written and read again. */
#include <math.h>

#include "bench/recorded/pairs.h"
#include "tests/fuzz.h"

static og_status read_both(const void *pairs, size_t pairs_size, const void *scores,
                           size_t scores_size, og_pairs *out, og_message *message)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.memory_bytes = UINT64_C(1) << 26;
    const char *path = fuzz_file(pairs, pairs_size);
    const og_pairs_files files = {path, fuzz_file(scores, scores_size), NULL};
    return og_pairs_read(&files, &settings, out, message);
}

/* Every item is compared, every worker compares, and no number is beyond the last. */
static void check_numbers(const og_pairs *pairs)
{
    size_t items = pairs->item_count, workers = pairs->worker_count, used = 0;
    char *met = calloc(items + workers, 1);
    fuzz_check(met != NULL, "out of memory");
    for (int64_t k = 0; k < pairs->count; k++) {
        const og_pair *pair = &pairs->pair[k];
        fuzz_check(pair->item[0] < pair->item[1] && pair->item[1] < items, "a pair that is none");
        fuzz_check(pair->worker < workers, "a worker who is none");
        met[pair->item[0]] = met[pair->item[1]] = met[items + pair->worker] = 1;
    }
    for (size_t k = 0; k < items + workers; k++) {
        used += met[k] != 0;
    }
    fuzz_check(used == items + workers, "an item or a worker without a comparison");
    for (size_t i = 0; i < items; i++) {
        fuzz_check(isfinite(pairs->score[i]), "a score that is no number");
    }
    free(met);
}

static bool same(const og_pairs *x, const og_pairs *y)
{
    bool equal = x->count == y->count && x->item_count == y->item_count &&
                 x->worker_count == y->worker_count && y->skipped == 0 &&
                 memcmp(x->score, y->score, x->item_count * sizeof *x->score) == 0;
    for (int64_t k = 0; equal && k < x->count; k++) {
        const og_pair *one = &x->pair[k], *other = &y->pair[k];
        equal = one->item[0] == other->item[0] && one->item[1] == other->item[1] &&
                one->worker == other->worker && one->first == other->first;
    }
    return equal;
}

/* With numbers for names. Every second comparison is turned around. */
static void check_read_back(const og_pairs *pairs)
{
    char *text[2] = {NULL, NULL};
    size_t size[2];
    og_pairs again;
    FILE *rows = open_memstream(&text[0], &size[0]), *scores = open_memstream(&text[1], &size[1]);
    fuzz_check(rows != NULL && scores != NULL, "out of memory");
    fputs("left\tright\tlabel\tworker\n", rows);
    for (int64_t k = 0; k < pairs->count; k++) {
        const og_pair *pair = &pairs->pair[k];
        fprintf(rows, "%u\t%u\t%u\t%010u\n", pair->item[k % 2], pair->item[1 - k % 2],
                pair->item[pair->first ? 0 : 1], pair->worker);
    }
    fputs("score,item\n", scores);
    for (uint32_t i = 0; i < pairs->item_count; i++) {
        fprintf(scores, "%.17g,%u\n", pairs->score[i], i);
    }
    fclose(rows);
    fclose(scores);
    fuzz_check(read_both(text[0], size[0], text[1], size[1], &again, NULL) == OG_OK &&
                   same(pairs, &again),
               "not read back");
    og_pairs_clear(&again);
    free(text[0]);
    free(text[1]);
}

FUZZ_TARGET(pairs)
{
    og_pairs pairs;
    og_message message = {""};
    const uint8_t *scores;
    size_t scores_size, first = fuzz_cut(data, size, &scores, &scores_size);
    og_status status = read_both(data, first, scores, scores_size, &pairs, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    fuzz_check(pairs.count >= 1 && pairs.skipped >= 0, "accepted without a comparison");
    check_numbers(&pairs);
    check_read_back(&pairs);
    og_pairs_clear(&pairs);
}
