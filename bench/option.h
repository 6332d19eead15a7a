#ifndef OG_BENCH_OPTION_H
#define OG_BENCH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * Options as typed rows. A row gives the name of an option, the kind of its value and the place in
 * a struct where the value is stored. Parsing, defaults, --help, completion and the suggestions for
 * misspelt names are built from the rows. A table of rows ends with OG_OPTION_END, which is a
 * zeroed row.
 */
typedef enum {
    OG_OPTION_END,
    OG_OPTION_ROWS,     /* no option: the rows of another table are inserted here */
    OG_OPTION_SWITCH,   /* bool: given */
    OG_OPTION_INT32,    /* int32_t: a whole number from `least` to `most` */
    OG_OPTION_INT64,    /* int64_t or uint64_t: likewise */
    OG_OPTION_SECONDS,  /* double, as og_seconds_parse */
    OG_OPTION_BYTES,    /* uint64_t, as og_bytes_parse */
    OG_OPTION_FRACTION, /* og_fraction: a decimal greater than 0 */
    OG_OPTION_EITHER,   /* bool: true for the second of two choices, false for the first */
    OG_OPTION_CHOICE,   /* const char *: one of the choices; borrowed */
    OG_OPTION_CHOICES,  /* an array of them with room for all choices, each at most once */
    OG_OPTION_NUMBERS,  /* double *: decimals separated by commas, at most `most` */
    OG_OPTION_TEXT,     /* const char *: borrowed */
    OG_OPTION_PATH,     /* the same, a file */
    OG_OPTION_OUTPUT,   /* the same, a file to write; `what` is its kind, "checkpoint" */
    OG_OPTION_POLICY,   /* og_policy_name *: adds one to a list */
    OG_OPTION_POLICIES, /* the same: adds several, separated by commas */
    OG_OPTION_GROUP,    /* og_groups: adds an INSTANCE word */
    OG_OPTION_CUSTOM,   /* parsed by `read` */
} og_option_kind;

/* The topic of an option. Options are listed by topic, in this order. */
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

/* Reads an option's text into the struct; og_option_value returns the place. */
typedef og_status og_option_reader(void *options, const og_option_row *row, const char *text,
                                   og_message *message);

struct og_option_row {
    og_option_kind kind;
    const char *name; /* without the dashes; NULL: words that are not an option */
    int letter;       /* 0: none */
    const char *was;  /* an earlier name, parsed like `name` and never listed; NULL: none */
    size_t into;      /* offsets in the struct: of the value; */
    size_t count;     /* lists: of their int32_t count; the struct owns arrays that grow */
    size_t given;     /* of a bool that becomes true when the option is read; 0: none */
    int64_t least, most;
    const char *argument; /* the name of the value; NULL: a switch */
    const char *fallback; /* the default, parsed like a given value; NULL: none */
    const char *required; /* the message if it is missing; NULL: it is optional */
    const char *choices;  /* separated by blanks, at most 16 */
    const char *what;     /* its name in messages; NULL: the option name with dashes */
    const char *example;  /* for messages: an example of a value, or what to give in place of a
                             second word */
    bool repeats;         /* may be given several times: each adds to the others */
    const char *only;     /* commands that read it, separated by blanks; NULL: all that have it */
    const char *with;     /* options separated by blanks; it refines one that must be given too */
    const char *about; /* its subject, "policies of your own", and a test whether the struct has */
    bool (*is_there)(const void *options); /* any, after all options are read; NULL: it has */
    og_topic topic;
    bool basic;        /* listed by --help; --help-all lists all options */
    bool hidden;       /* parsed, but never listed: other rows replace it */
    const char *brief; /* one line for these lists: at most 55 letters, without the default */
    const char *help;  /* the long text for manual pages */
    og_option_reader *read;
    const og_option_row *rows; /* OG_OPTION_ROWS */
};

/*
 * A row: its kind, name, name of the value, and the struct and field that receive the value; then
 * at least .topic, .brief and .help = "...". OG_OPTION_TABLE inserts the rows of another table,
 * OG_OPTION_LAST ends a table.
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

/* The options of a family: rows that fill the family's own struct. */
typedef struct {
    const og_option_row *rows;
    size_t bytes;                 /* size of the struct, which is zeroed first */
    void (*clear)(void *options); /* frees its memory, zeroed or not; NULL: nothing */
} og_option_set;

/*
 * Read the text of one option into the struct of the row. Errors: OG_BAD_INPUT with a message that
 * names the option and describes a valid value; OG_NO_MEMORY; the status of `read`. After an error
 * a list of numbers may hold a part of those given; everything else is written on success only.
 * Texts are borrowed.
 */
og_status og_option_read(const og_option_row *row, void *options, const char *text,
                         og_message *message);

/* Checks that a text is given unless the row is a switch, and copies it to the arena: *kept, NULL
 * for a switch. OG_BAD_INPUT with a message; OG_NO_MEMORY. */
og_status og_option_keep(const og_option_row *row, og_arena *arena, const char *text,
                         const char **kept, og_message *message);

/* For a row that was not given: reads its default. If it is required, returns OG_BAD_INPUT with the
 * row's message. A list that is not empty received its value from another row. */
og_status og_option_default(const og_option_row *row, void *options, og_message *message);

/* Append the rows of a table to a list of *count rows; the rows of inserted tables come at their
 * place. */
void og_option_list(const og_option_row *rows, const og_option_row **list, int32_t room,
                    int32_t *count);

/* List all rows of a set (NULL: none); returns their number. */
int32_t og_option_set_list(const og_option_set *set, const og_option_row **list, int32_t room);

/* The place of a name in a list, current names before earlier ones; -1: not there. */
int32_t og_option_find(const og_option_row *const *list, int32_t count, const char *name);

/* For readers. The place of the value; OG_BAD_INPUT with "--runs must be FORMAT, not 'TEXT'"; a
 * whole number within the row's limits. */
void *og_option_value(void *options, const og_option_row *row);
int32_t *og_option_count(void *options, const og_option_row *row); /* of a list */
og_status og_option_refuse(const og_option_row *row, const char *text, og_message *message,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
og_status og_option_whole(const og_option_row *row, const char *text, int64_t *out,
                          og_message *message);

#endif
