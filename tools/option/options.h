#ifndef OG_TOOLS_OPTION_OPTIONS_H
#define OG_TOOLS_OPTION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/families/table.h"
#include "bench/wishes/wishes.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * Options of the program. Each is one row (bench/option.h). A command lists its rows, and the
 * functions that a family must have so that the command also takes the family's rows. Parsing,
 * defaults, --help, completion and suggestions for misspelt names are made from this list.
 */

/* An option for another program and its value, as given; both borrowed. */
typedef struct {
    const char *key;
    const char *text;
} kept_word;

/* The parsed arguments of a command: what its question gets, and what only the program uses. */
typedef struct {
    og_wishes wish; /* of the question; first, for the rows of bench/wishes/wishes.h. Its threads
                       and memory are set, by default or option */
    int32_t part, parts; /* sweep: parts 0: all */
    bool retry;
    const char **word; /* [word_count] INSTANCEs; the array is owned */
    int32_t word_count;
    const char **word_file; /* [word_file_count] the files that words were read from; owned */
    int32_t word_file_count;
    char **own_block; /* [own_block_count] texts, such as lines of these files; owned */
    int32_t own_block_count;
    size_t own_left;              /* free bytes at the beginning of the last block */
    const og_family *family;      /* NULL: not chosen with an option */
    void *family_options;         /* the family's own struct; NULL: it has no options */
    bool own_threads, own_memory; /* these were given */
    bool quiet;
    bool has_checkpoint; /* the command and the family support one */
    int32_t ranks;       /* solve: with ask.dry_run; 0: the actual number */
    bool tree_whole;     /* also draw mirror images */
    bool json;
    bool latex;         /* at most one of latex, json and csv is set */
    char *command_line; /* can be typed again; owned */
    char **asked; /* [asked_count] what is asked, in one form for all ways to write it: options
                     in the order of the rows, -T N or --name=value, then the other words;
                     without those that change no answer (threads, memory, time-limit, quiet,
                     json). Owned, with its texts */
    int32_t asked_count;
    const char *result_file;
    const char **names; /* sweep: [name_count] values of --for; the array is owned */
    int32_t name_count;
    kept_word *kept; /* plot, tree: [kept_count]; the array is owned */
    int32_t kept_count;
    bool csv;
    const char *plot;            /* the kind of figure */
    const char *output;          /* --output */
    const char *data;            /* plot: file for the numbers; NULL: none */
    struct og_kept_roots *roots; /* query -: kept between lines (og_asked) */
} command_request;

/* Tables of rows about what is printed. */
extern const og_option_row quiet_rows[];
extern const og_option_row json_rows[];
extern const og_option_row output_rows[]; /* quiet, json */
extern const og_option_row table_rows[];  /* quiet, json, csv, latex */

/* The names of og_label_rows, for the list of a question. */
#define LABELS_READ " columns missing encoding format classes repeats positive wide "

/* Rows of options that Python reads: keep_for_python adds each to `kept`. */
og_status keep_for_python(void *options, const og_option_row *row, const char *text,
                          og_message *message);
#define KEPT(name_, argument_, ...)                                                                \
    OG_OPTION(CUSTOM, name_, argument_, command_request, kept, .read = keep_for_python,            \
              .basic = true, __VA_ARGS__)

/* Of a picture; with_: the option that they need, or NULL. */
#define PAPER_ROWS(usual_size_, usual_points_, with_)                                              \
    KEPT("size", "WxH", .topic = OG_TOPIC_OUTPUT,                                                  \
         .brief = "size in pixels, or with a unit, such as 12x9cm",                                \
         .help = "width and height in pixels (1/96 inch), or with a unit: 12x9cm, 5x4in "          \
                 "(default: " usual_size_ ")",                                                     \
         .with = with_),                                                                           \
        KEPT("font", "NAME,POINTS", .topic = OG_TOPIC_OUTPUT,                                      \
             .brief = "font and size, such as Times,10",                                           \
             .help = "font name, size in points, or both, such as 'Times,10' (default: "           \
                     "sans-serif, " usual_points_ " points)",                                      \
             .with = with_)

/* The words of a command: a file, or INSTANCEs. */
#define FILE_WORD(argument_, ...)                                                                  \
    OG_OPTION(PATH, NULL, argument_, command_request, wish.file, __VA_ARGS__)
#define INSTANCE_WORDS(example_)                                                                   \
    OG_OPTION(CUSTOM, NULL, "INSTANCE...", command_request, word, .read = keep_instance,           \
              .repeats = true, .required = "no INSTANCE is given, such as " example_)

/*
 * Keeps an INSTANCE word for the family, which parses it (tools/command/open.h). @FILE adds the
 * words of a file, separated by blanks and line ends; lines that begin with # are ignored
 * (dp/base/rows.h), and @- is standard input. OG_BAD_INPUT also if a file has no INSTANCE, or more
 * than INSTANCES_MAX.
 */
og_option_reader keep_instance;

/* Adds the INSTANCEs of a line, which is cut into words and must outlive the request. */
void keep_instances(command_request *request, char *line);

/* Zeroed bytes for a text, which belong to the request. */
char *own_room(command_request *request, size_t bytes);

enum { INSTANCES_MAX = 1000000 };

/* The functions that a family must have so that a command supports its options. */
typedef enum {
    FAMILY_NONE,
    FAMILY_VALUES,
    FAMILY_BOUNDS,
    FAMILY_RUNS,
    FAMILY_STATES,
    FAMILY_FILES, /* of policies, with code of its own */
} family_use;

/* A question that a command can answer. */
typedef struct {
    const char *name; /* its name in messages, "--problem labelers"; NULL ends a list */
    const char
        *reads; /* names of the command's options that it uses, separated by blanks; NULL: all */
    bool (*asked)(const command_request *request); /* true if the request asks it; the first such
                                                      question counts; NULL: always */
    const char *reads_of_family;                   /* as `reads`, of the family's options */
} option_question;

typedef struct {
    const char *name;
    const char *summary; /* one line for the list of commands */
    og_option_row word;  /* words that are not options; zeroed: there are none */
    const char *usage;   /* --help: the words after the name; NULL: [OPTION...] and the word */
    const char *brief;   /* --help: the purpose, in lines */
    const char *example; /* --help: example commands, in lines */
    const char *notes;   /* --help: lines after the options; NULL: none */
    const char *about;   /* manual page: text before the options */
    const char *details; /* manual page: text after the options */
    const og_option_row *options;
    const option_question *questions; /* NULL: one question, which uses all options */
    family_use families;
    bool ranks;                           /* supports several ranks */
    int (*run)(command_request *request); /* returns the exit status */
} command;

enum { OPTIONS_MAX = 80 };

/* All rows of a command, followed by those of families. */
typedef struct {
    const og_option_row *row[OPTIONS_MAX + 3]; /* [count] */
    const og_family *family[OPTIONS_MAX];      /* [count] NULL: the command's own row */
    int32_t count;
} option_list;

/* Lists a command's rows. An option that several families have is listed once, at the same place
 * for every `wanted`: the row of that family, or (NULL) of the first that has it. */
void options_list(const command *chosen, const og_family *wanted, option_list *out);

/* Help to print instead of a result. */
typedef enum {
    HELP_NONE,
    HELP_BASIC, /* --help: the options that most people need */
    HELP_ALL,   /* --help-all: every option in one line, by topic */
    HELP_PAGE,  /* --help-page: the text of a manual page */
} help_kind;

/*
 * Parses a command's words; argv[0] is the command's name. Returns OG_OK; OG_BAD_INPUT or
 * OG_NO_MEMORY with a message. At --help and similar options *help is set, and the rest is not
 * read. The caller must clear the request in any case.
 */
og_status options_read(const command *chosen, int argc, char **argv, command_request *request,
                       help_kind *help, og_message *message);

/* Returns OG_BAD_INPUT with a message if a given option (seen[i] for row i) is not used by the
 * requested question. */
og_status check_questions(const command *chosen, const command_request *request,
                          const option_list *list, const bool *seen, og_message *message);

/* Advice for an option that other programs have and this one lacks, beginning with "; "; NULL:
 * none. */
const char *option_habit(const char *word);

/*
 * Checks the files that a request names, before the work begins. OG_BAD_INPUT with a message:
 * another option names an output file too, or the file holds data that must not be lost. OG_FAILED:
 * it cannot be written (dp/base/file.h).
 */
og_status check_files(const command *chosen, const command_request *request, og_message *message);

/* True if the command supports the option, so that help and completion list it. */
bool option_shown(const command *chosen, const og_option_row *row);

void print_command_help(const command *chosen, help_kind kind); /* on standard output */

/* Prints a row as in --help: its name and value, its text, and its default. */
void print_option(const og_option_row *row, bool own);

/* The program's name and these words, quoted for a shell where necessary; to be freed. */
char *options_line(int argc, char **argv);

void request_clear(command_request *request);

#endif
