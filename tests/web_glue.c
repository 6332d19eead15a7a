/*
 * The glue of the browser laboratory, with the page's part in C: a question a line on standard
 * input, its answer and a line "--" on standard output.
 *
 *   web_glue [CALLS]
 *
 * After so many calls lab_progress stops the work; 0: never. The page's functions are, by number:
 * nearest to even votes; every instance alike, in weights; one that fails; fewest labels; NaN.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/web/glue.h"

static long calls_left;

bool lab_progress(double settled, double states, double memory_bytes, double seconds)
{
    bool sane = settled >= 0 && settled <= 1 && states >= 0 && memory_bytes >= 0 && seconds >= 0;
    if (!sane) {
        abort();
    }
    return calls_left == 0 || --calls_left > 0;
}

enum { NEAREST, ALIKE, FAILS, FEWEST, NONE };

/* Of one group: copies, threshold, kind, how many parameters and labels, and these. */
static double index_of(int32_t function, const double *group)
{
    const double *parameter = group + 5, *label = parameter + (int)group[3];
    double labels = 0;
    switch (function) {
    case NEAREST:
        return -fabs(parameter[0] - parameter[1]);
    case ALIKE:
        return group[0];
    case FEWEST:
        for (int i = 0; i < (int)group[4]; i++) {
            labels += label[i];
        }
        return -labels;
    default:
        return NAN;
    }
}

int lab_choose(int32_t function, int32_t left, int32_t budget, int32_t count, const double *number,
               double *answer, char *message, int32_t message_bytes)
{
    if (function == FAILS) {
        snprintf(message, (size_t)message_bytes, "%d of %d: x is not defined", (int)left,
                 (int)budget);
        return LAB_FAILED;
    }
    for (int32_t i = 0; i < count; i++) {
        answer[i] = index_of(function, number);
        number += 5 + (int)number[3] + (int)number[4];
    }
    return function == ALIKE ? LAB_WEIGHTS : LAB_INDEX;
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    long calls = argc > 1 ? atol(argv[1]) : 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        calls_left = calls;
        char *answer = lab_ask(line);
        puts(answer != NULL ? answer : "NULL");
        puts("--");
        fflush(stdout); /* the caller may wait for it */
        free(answer);
    }
    free(line);
    return 0;
}
