#ifndef OG_DP_BASE_LIBRARY_H
#define OG_DP_BASE_LIBRARY_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Opens a plugin, a shared object with one function, `entry_point`, that returns a structure whose
 * first member is an int32_t, its version: 1 .. version_max. `what` names it in messages
 * ("policy"). OG_BAD_INPUT with a message if it is none; then *library and *out are not written.
 * Close *library, which the structure is part of, with og_library_close.
 */
og_status og_library_open(const char *path, const char *entry_point, const char *what,
                          int32_t version_max, void **library, const void **out,
                          og_message *message);
void og_library_close(void *library); /* NULL is fine */

#endif
