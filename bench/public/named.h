#ifndef OG_BENCH_PUBLIC_NAMED_H
#define OG_BENCH_PUBLIC_NAMED_H

#include <stddef.h>

#include "optgap.h"

/* Return the status with these words, in which an option --NAME is "NAME", or if they are empty
 * with the text of the status. Functions of optgap.h whose messages may name options end with it.
 */
og_status og_message_pass(og_message *message, og_status status, const og_message *words);

#endif
