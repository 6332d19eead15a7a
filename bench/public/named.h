#ifndef OG_BENCH_PUBLIC_NAMED_H
#define OG_BENCH_PUBLIC_NAMED_H

#include <stddef.h>

#include "optgap.h"

/* What an option can be that is not a field of og_request or og_settings. */
typedef enum {
    OG_NAMED_OPTIONS, /* an option of og_problem_set: "workers-prior", quoted */
    OG_NAMED_FIELDS   /* a field of another struct, without a problem: workers_prior */
} og_naming;

/* Return the status with these words, in which options are named as `naming` says, or if they are
 * empty with the text of the status. Functions of optgap.h whose messages may name options end with
 * it. */
og_status og_message_pass(og_message *message, og_status status, const og_message *words,
                          og_naming naming);

#endif
