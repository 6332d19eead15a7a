/* Sorts the lines of labels, and sums over points. */
#include "bench/recorded/crowd_lines.h"

#include <stdlib.h>

int og_crowd_lines_compare(const og_crowd_line *a, const og_crowd_line *b)
{
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at)
                          : (a->rest > b->rest) - (a->rest < b->rest);
}

static int compare(const void *x, const void *y)
{
    return og_crowd_lines_compare(x, y);
}

void og_crowd_lines_sort(og_crowd_line *line, uint32_t count)
{
    uint64_t moves = 32 + 4 * (uint64_t)count; /* more take longer than sorting */
    for (uint32_t i = 1; i < count && moves > 0; i++) {
        og_crowd_line one = line[i];
        uint32_t at = i;
        for (; at > 0 && moves > 0 && compare(&line[at - 1], &one) > 0; at--, moves--) {
            line[at] = line[at - 1];
        }
        line[at] = one;
    }
    if (moves == 0) {
        qsort(line, count, sizeof *line, compare);
    }
}

double og_crowd_sum(const double *term, int32_t count)
{
    const double *last = term + count - 1;
    double sum[4] = {0}; /* apart, because one would wait for each addition */
    int32_t half = count / 2, i = 0;
    for (; i + 4 <= half; i += 4) {
        sum[0] += term[i] + last[-i];
        sum[1] += term[i + 1] + last[-i - 1];
        sum[2] += term[i + 2] + last[-i - 2];
        sum[3] += term[i + 3] + last[-i - 3];
    }
    for (; i < half; i++) {
        sum[0] += term[i] + last[-i];
    }
    sum[1] += count % 2 == 1 ? term[half] : 0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
