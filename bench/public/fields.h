#ifndef OG_BENCH_PUBLIC_FIELDS_H
#define OG_BENCH_PUBLIC_FIELDS_H

#include <stddef.h>

#include "optgap.h"

/*
 * The valid values of the fields of the public structs, as rows. One check covers them all, before
 * a struct is used. A field without a row may have any value.
 */
typedef enum {
    OG_FIELD_INT,    /* int, int32_t, bool or an enumeration: least .. most */
    OG_FIELD_INT64,  /* least .. most */
    OG_FIELD_FLAGS,  /* unsigned: only the bits of `most` */
    OG_FIELD_DOUBLE, /* least .. most, not NaN */
    OG_FIELD_TEXT,   /* NULL, or not empty */
    OG_FIELD_WORDS,  /* an array; not NULL if `count` is above 0 */
} og_field_kind;

typedef struct {
    const char *name;
    size_t at; /* offset in the struct */
    og_field_kind kind;
    double least, most;
    size_t count; /* OG_FIELD_WORDS: offset of the int32_t that counts */
} og_field;

/* Each ends with a row without a name; public so that tests can list them. */
extern const og_field og_settings_fields[], og_request_fields[], og_search_fields[],
    og_recording_fields[], og_batch_fields[];

/* Check a struct. OG_BAD_INPUT for the first row that it violates, with the name, the valid values
 * and the value. The struct may be NULL. */
og_status og_fields_check(const og_field *row, const void *object, og_message *message);

#endif
