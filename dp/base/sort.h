#ifndef OG_DP_BASE_SORT_H
#define OG_DP_BASE_SORT_H

#include <stddef.h>

#include "dp/base/stop.h"

/*
 * Sorts items [count] of this many bytes as qsort does, for long arrays: it looks at the stop
 * (NULL: none). OG_NO_MEMORY (it needs as much again from OG_SORT_RUN items on) and OG_STOPPED: the
 * items are in any order.
 */
enum { OG_SORT_RUN = 1 << 14 };
og_status og_sort(void *items, size_t count, size_t size,
                  int (*compare)(const void *one, const void *other), og_stop *stop);

#endif
