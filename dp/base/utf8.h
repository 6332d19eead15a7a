#ifndef OG_DP_BASE_UTF8_H
#define OG_DP_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character at the begin of the text, 1 to 4; 0 if it is invalid, as in some
 * file names. At the end of the text 1. */
size_t og_utf8_bytes(const char *text);

#endif
