#ifndef OG_BENCH_OPTION_H
#define OG_BENCH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * Options as typed rows. A row says what an option is called, of which kind its value is and where
 * in a struct it goes; from rows come parsing, defaults, --help, completion and the names that are
 * offered for a misspelt one. A table of rows ends with OG_OPTION_END, which a zeroed row is.
 */
typedef enum {
    OG_OPTION_END,
    OG_OPTION_ROWS,     /* no option: the rows of another table stand here */
    OG_OPTION_SWITCH,   /* bool: given */
    OG_OPTION_INT32,    /* int32_t: a whole number within least .. most */
    OG_OPTION_INT64,    /* int64_t or uint64_t: likewise */
    OG_OPTION_SECONDS,  /* double, as og_seconds_parse */
    OG_OPTION_BYTES,    /* uint64_t, as og_bytes_parse */
    OG_OPTION_FRACTION, /* og_fraction: a decimal greater than 0 */
    OG_OPTION_EITHER,   /* bool: the second of two choices, and not the first */
    OG_OPTION_CHOICE,   /* const char *: one of the choices; borrowed */
    OG_OPTION_CHOICES,  /* an array of them with room for all choices, each at most once */
    OG_OPTION_NUMBERS,  /* double *: decimals with commas between, at most `most` */
    OG_OPTION_TEXT,     /* const char *: borrowed */
    OG_OPTION_PATH,     /* the same, a file */
    OG_OPTION_OUTPUT,   /* the same, a file that is written; `what` is its kind, "checkpoint" */
    OG_OPTION_POLICY,   /* og_policy_name *: adds one to a list */
    OG_OPTION_POLICIES, /* the same: adds those with commas between */
    OG_OPTION_GROUP,    /* og_groups: adds an INSTANCE word */
    OG_OPTION_CUSTOM,   /* whatever `read` makes of it */
} og_option_kind;

/* What an option is about: options are listed by topic, in this order. */
typedef enum {
    OG_TOPIC_NONE,
    OG_TOPIC_PROBLEM,
    OG_TOPIC_PRICES,
    OG_TOPIC_FEATURES,
    OG_TOPIC_WORKERS,
    OG_TOPIC_SOURCES,
    OG_TOPIC_ASSIGNMENT,
    OG_TOPIC_LABELERS,
    OG_TOPIC_RANKING,
    OG_TOPIC_DEADLINE,
    OG_TOPIC_POLICIES,
    OG_TOPIC_QUESTIONS,
    OG_TOPIC_TRUTH,
    OG_TOPIC_OUTPUT,
    OG_TOPIC_FILES,
    OG_TOPIC_LIMITS,
    OG_TOPIC_COUNT,
} og_topic;

typedef struct og_option_row og_option_row;

/* Reads the text of an option into the struct; og_option_value finds the place. */
typedef og_status og_option_reader(void *options, const og_option_row *row, const char *text,
                                   og_message *message);

struct og_option_row {
    og_option_kind kind;
    const char *name; /* without the dashes; NULL: words that are no option */
    int letter;       /* 0: none */
    const char *was;  /* an earlier name: read wherever `name` is, never listed; NULL: none */
    size_t into;      /* offsets in the struct: of the value; */
    size_t count;     /* lists: of their int32_t count; arrays that grow are the struct's to free */
    size_t given;     /* of a bool that is set when the option is read; 0: none */
    int64_t least, most;
    const char *argument; /* what the value is called; NULL: a switch */
    const char *fallback; /* the default, read like a given value; NULL: none */
    const char *required; /* what to say when it is missing; NULL: it may be */
    const char *choices;  /* with blanks between, at most 16 */
    const char *what;     /* names it in messages; NULL: its name, with dashes */
    const char *example;  /* of a value, or what to give instead of a second one, in messages */
    const char *once;     /* what to say when it is given twice, with who takes only one */
    const char *only;     /* commands that read it, blanks between; NULL: all that have it */
    const char *with;     /* the option of which it says more, and that must be given too */
    const char *about;    /* what it is about, "policies of your own", and whether the struct has */
    bool (*is_there)(const void *options); /* any, once all is read; NULL: it has */
    og_topic topic;
    bool basic;        /* --help lists it; --help-all lists all */
    bool hidden;       /* read, never listed: other rows say the same today */
    const char *brief; /* one line for these lists, at most 55 letters, without the default */
    const char *help;  /* the same at length, for manual pages */
    og_option_reader *read;
    const og_option_row *rows; /* OG_OPTION_ROWS */
};

/*
 * A row: kind, name, what the value is called, and the struct and field it goes to; then at least
 * .topic, .brief and .help = "...". The rows of another table, and the last one.
 */
#define OG_OPTION(kind_, name_, argument_, type_, field_, ...)                                     \
    {                                                                                              \
        .kind = OG_OPTION_##kind_, .name = name_, .argument = argument_,                           \
        .into = offsetof(type_, field_), __VA_ARGS__                                               \
    }
#define OG_OPTION_TABLE(rows_)                                                                     \
    {                                                                                              \
        .kind = OG_OPTION_ROWS, .rows = rows_                                                      \
    }
#define OG_OPTION_LAST                                                                             \
    {                                                                                              \
        .kind = OG_OPTION_END                                                                      \
    }

/* The options of a family: rows that fill a struct of its own. */
typedef struct {
    const og_option_row *rows;
    size_t bytes;                 /* of the struct, which is zeroed at first */
    void (*clear)(void *options); /* frees what it owns, zeroed or not; NULL: nothing */
} og_option_set;

/*
 * Read the text of one option into the struct that the row is about. OG_BAD_INPUT with a message
 * that names the option and says what a value looks like; OG_NO_MEMORY; what `read` returns. A list
 * may hold a part of what was given then; all else is written on success only. Texts are borrowed.
 */
og_status og_option_read(const og_option_row *row, void *options, const char *text,
                         og_message *message);

/* For a row that was not given: reads its default, or OG_BAD_INPUT with what it says where it is
 * required. A list that holds something has had its value from another row. */
og_status og_option_default(const og_option_row *row, void *options, og_message *message);

/* List the rows of a table, those of other tables at their place, behind *count others. */
void og_option_list(const og_option_row *rows, const og_option_row **list, int32_t room,
                    int32_t *count);

/* Where a name stands in a list, today's names before earlier ones; -1: nowhere. */
int32_t og_option_find(const og_option_row *const *list, int32_t count, const char *name);

/* For readers: where the value goes; OG_BAD_INPUT with "--runs must be FORMAT, not 'TEXT'"; and a
 * whole number within the row's limits. */
void *og_option_value(void *options, const og_option_row *row);
og_status og_option_refuse(const og_option_row *row, const char *text, og_message *message,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
og_status og_option_whole(const og_option_row *row, const char *text, int64_t *out,
                          og_message *message);

#endif
