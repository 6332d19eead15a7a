/* Runs of items are sorted by qsort and then merged, in pairs. */
#include "dp/base/sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t size;
    int (*compare)(const void *one, const void *other);
    og_stop *stop;
} sorting;

/* Merges from[0 .. middle) and from[middle .. count) into `to`. */
static og_status merge(const sorting *by, const char *from, size_t middle, size_t count, char *to)
{
    size_t one = 0, other = middle;
    for (size_t i = 0; i < count; i++) {
        if (i % OG_SORT_RUN == 0 && og_stop_asked(by->stop)) {
            return og_stop_status(by->stop);
        }
        bool first = one < middle && (other == count || by->compare(from + one * by->size,
                                                                    from + other * by->size) <= 0);
        size_t at = first ? one++ : other++;
        memcpy(to + i * by->size, from + at * by->size, by->size);
    }
    return OG_OK;
}

/* One round: runs of this width become twice as wide. */
static og_status merge_all(const sorting *by, const char *from, size_t width, size_t count,
                           char *to)
{
    for (size_t i = 0; i < count; i += 2 * width) {
        size_t here = count - i < 2 * width ? count - i : 2 * width;
        OG_TRY(
            merge(by, from + i * by->size, here < width ? here : width, here, to + i * by->size));
    }
    return OG_OK;
}

og_status og_sort(void *items, size_t count, size_t size,
                  int (*compare)(const void *one, const void *other), og_stop *stop)
{
    const sorting by = {size, compare, stop};
    char *from = items, *to = NULL, *more = NULL;
    og_status status = OG_OK;
    for (size_t i = 0; i < count; i += OG_SORT_RUN) {
        if (i > 0 && og_stop_asked(stop)) {
            return og_stop_status(stop);
        }
        qsort(from + i * size, count - i < OG_SORT_RUN ? count - i : OG_SORT_RUN, size, compare);
    }
    if (count > OG_SORT_RUN) {
        to = more = malloc(count * size);
        status = OG_ALLOCATED(more);
    }
    for (size_t width = OG_SORT_RUN; status == OG_OK && width < count; width *= 2) {
        status = merge_all(&by, from, width, count, to);
        char *swap = from;
        from = to;
        to = swap;
    }
    if (status == OG_OK && from != items) {
        memcpy(items, from, count * size);
    }
    free(more);
    return status;
}
