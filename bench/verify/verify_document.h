#ifndef OG_BENCH_VERIFY_VERIFY_DOCUMENT_H
#define OG_BENCH_VERIFY_VERIFY_DOCUMENT_H

#include "bench/document.h"
#include "bench/verify/verify.h"

/* The whole document of the command `verify`; `file` is the file's name. */
og_document *og_verification_describe(const char *file, const og_verification *found);

#endif
