#ifndef OG_DP_BASE_UTF8_H
#define OG_DP_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character that the text begins with, 1 to 4; 0: it begins with none, as names
 * of files may. At the end of the text 1. */
size_t og_utf8_bytes(const char *text);

#endif
