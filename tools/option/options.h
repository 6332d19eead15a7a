#ifndef OG_TOOLS_OPTION_OPTIONS_H
#define OG_TOOLS_OPTION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "bench/option.h"
#include "bench/simulation/simulate.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * Options of the program. Each stands once, as a row (bench/option.h); a command lists its rows and
 * says what a family of problems must have whose rows it takes too, and from that list come
 * parsing, defaults, --help, completion and the names that are offered for a misspelt one.
 */

/* A key of a study and its value, as given; both borrowed. */
typedef struct {
    const char *key;
    const char *text;
} study_word;

/* The parsed arguments of a command. */
typedef struct {
    const char **word; /* [word_count] INSTANCEs; the array is owned */
    int32_t word_count;
    const char **word_file; /* [word_file_count] the files that some of them are from; likewise */
    int32_t word_file_count;
    char **own_text; /* [own_text_count] lines of these, owned */
    int32_t own_text_count;
    const og_family *family; /* NULL: no option has chosen one */
    void *family_options;    /* the family's own struct; NULL: it has none */
    double explore, drop;    /* replay of labelers */
    bool weighted;           /* likewise */
    const char *objective;   /* as given */
    const char *prior;       /* replay: of every task, as given */
    int32_t budget;          /* -T; -1: not given */
    int32_t left;            /* --left; -1: not given */
    const char *history;
    og_policy_name *policies;
    int32_t policy_count;
    bool policies_given; /* else they are those that the family is known for */
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    og_settings settings;         /* threads and memory filled in, defaults included */
    bool own_threads, own_memory; /* they were given */
    double time_limit_seconds;    /* 0: none */
    double answer_seconds;        /* --max-answer-time; 0: the usual */
    double tie_tolerance;         /* of the user's own indices */
    uint64_t policy_states;       /* most states of one policy's valuation; 0: any number */
    uint64_t optimum_states;      /* the same of the optimum */
    bool exact;
    bool quiet;
    bool has_checkpoint; /* the command and the family have one */
    bool dry_run;
    int32_t ranks; /* solve: with dry_run; 0: as many as there are */
    bool explain;
    bool all_optimal;
    bool all_actions;          /* tree: follow all of them */
    int32_t tree_states;       /* most states to draw */
    int32_t tree_levels;       /* labels that are followed; 0: all */
    bool tree_whole;           /* mirror images too */
    const char *export_policy; /* NULL: not wanted */
    const char *export_model;  /* likewise */
    bool json;
    bool latex;         /* and csv below: at most one of the three */
    char *command_line; /* as it can be typed again; owned */
    const char *method; /* fit */
    int64_t runs;
    uint64_t seed;
    const char *truth;   /* as given, and readable */
    const char *believe; /* compare: likewise */
    const char *priors;  /* compare; NULL: none */
    bool minimax;        /* compare */
    bool counts;
    const char *pairs_file, *workers_prior;
    double index_seconds; /* most for making one index */
    const char *file;
    const char *labels_file; /* replay */
    bool left_open;          /* the budget is all labels that are recorded */
    const char *gold_file;
    int32_t *at; /* [at_count] budgets to tell accuracy at; owned */
    int32_t at_count;
    const char *contexts_file, *data_file, *crowd, *fill; /* of task assignment */
    int32_t clusters;
    bool final_positive;     /* calls exactly at 1/2 are positive, not half */
    study_word *study_words; /* [study_word_count] */
    int32_t study_word_count;
    const char *study_file; /* NULL: none */
    const char *merge_file; /* likewise */
    int32_t part, parts;    /* parts 0: all */
    bool retry;
    bool csv;
    const char *plot;   /* the kind of figure */
    const char *output; /* -o */
    const char *data;   /* plot: the numbers; NULL: not wanted, like the output */
    bool logarithmic;
    og_fraction reach;    /* compare */
    const char *axis;     /* the unit of gaps */
    const char *title;    /* NULL: the figure's own */
    const char *size;     /* WxH, as given, and readable; NULL: the usual, like the font */
    const char *font;     /* NAME, NAME,POINTS or POINTS, likewise */
    const char **renames; /* [rename_count] POLICY=Name; the array is owned */
    int32_t rename_count;
    og_policy_name *against; /* find: [against_count] none or one; owned */
    int32_t against_count;
    int32_t instances, parameter; /* find: the most */
    const char *thresholds;       /* find */
    const char *claim;            /* find: as given; NULL: the usual */
    bool worst;
    og_stakes stakes; /* find, next, replay: as given */
    int32_t batch;    /* next, and all below */
    bool final_calls;
    const char *tasks_file, *closed_file, *free_file, *model_strength;
    int32_t max_per_task, per_batch; /* 0: not given */
    const char **sources;            /* [source_count] as given; the array is owned */
    int32_t source_count;
    og_tables tables; /* settings.tables */
} command_request;

/* Tables of rows that several commands share. */
extern const og_option_row budget_rows[];
extern const og_option_row policy_rows[];     /* policy, policies, and of own ones */
extern const og_option_row own_policy_rows[]; /* the latter: policy-timeout, tie-tolerance */
extern const og_option_row ties_rows[];
extern const og_option_row arithmetic_rows[];
extern const og_option_row bound_rows[];
extern const og_option_row objective_rows[];
extern const og_option_row stakes_rows[]; /* price, payoff, of all instances alike */
extern const og_option_row thread_rows[]; /* threads, memory */
extern const og_option_row engine_rows[];
extern const og_option_row time_rows[];  /* time-limit */
extern const og_option_row limit_rows[]; /* threads, memory, time-limit */
extern const og_option_row checkpoint_rows[];
extern const og_option_row scratch_rows[];
extern const og_option_row reading_rows[]; /* how tables are read: columns, missing, encoding; */
extern const og_option_row label_rows[];   /* and those of labels: positive */
extern const og_option_row quiet_rows[];
extern const og_option_row json_rows[];
extern const og_option_row output_rows[]; /* quiet, json */
extern const og_option_row table_rows[];  /* quiet, json, csv, latex */
extern const og_option_row index_time_rows[];

/* The names of label_rows, for the list of a question. */
#define LABELS_READ " columns missing encoding format positive wide "

#define TIES_CHOICES "random first best worst"

/* Rows of those that play; INT64_MAX is the largest seed. */
#define RUNS_ROW(usual_, help_)                                                                    \
    OG_OPTION(INT64, "runs", "N", command_request, runs, .least = 2, .most = OG_RUNS_MAX,          \
              .topic = OG_TOPIC_LIMITS, .basic = true, .brief = "number of runs of each policy",   \
              .fallback = usual_, .help = help_)
#define SEED_ROW(usual_, help_)                                                                    \
    OG_OPTION(INT64, "seed", "N", command_request, seed, .most = INT64_MAX, .fallback = usual_,    \
              .topic = OG_TOPIC_LIMITS, .brief = "seed of the random numbers", .help = help_)

/* The words of a command: a file, or INSTANCEs. */
#define FILE_WORD(argument_, ...)                                                                  \
    OG_OPTION(PATH, NULL, argument_, command_request, file, __VA_ARGS__)
#define INSTANCE_WORDS(example_)                                                                   \
    OG_OPTION(CUSTOM, NULL, "INSTANCE...", command_request, word, .read = keep_instance,           \
              .required = "no INSTANCE is given, such as " example_)

/*
 * Keep an INSTANCE word for the family, which reads it (tools/command/open.h), or those of @FILE,
 * blanks and line ends between, lines that begin with # left out (dp/base/rows.h; @- is standard
 * input). OG_BAD_INPUT also where a file has none, or more than INSTANCES_MAX.
 */
og_option_reader keep_instance;

/* Keep a truth as text when it can be read (bench/truth.h). */
og_option_reader keep_truth;
og_option_reader keep_truths; /* or a grid of them */

/* Those of a line, which is cut into them and borrowed. */
void keep_instances(command_request *request, char *line);

enum { INSTANCES_MAX = 1000000 };

/* The functions that a family must have, so that a command supports its options. */
typedef enum {
    FAMILY_NONE,
    FAMILY_VALUES,
    FAMILY_BOUNDS,
    FAMILY_RUNS,
    FAMILY_STATES,
} family_use;

/* A question that a command can be asked. */
typedef struct {
    const char *name;  /* as it is asked, "--problem labelers"; NULL ends a list of them */
    const char *reads; /* names of the command's options, blanks between; NULL: all of them */
    bool (*asked)(const command_request *request); /* the first one counts; NULL: yes */
} option_question;

typedef struct {
    const char *name;
    const char *summary; /* one line for the list of commands */
    og_option_row word;  /* of words that are no option, but for the name; zeroed: it takes none */
    const char *usage;   /* --help: after the name; NULL: [OPTION...] and the word */
    const char *brief;   /* --help: what it does, in lines; */
    const char *example; /* lines behind that; */
    const char *notes;   /* lines behind the options; NULL: none */
    const char *about;   /* manual page, before the options */
    const char *details; /* manual page, after the options: examples, what comes out */
    const og_option_row *options;
    const option_question *questions; /* NULL: one, which reads all of them */
    family_use families;
    bool ranks;                           /* several processes can do it together */
    int (*run)(command_request *request); /* returns the exit status */
} command;

enum { OPTIONS_MAX = 80 };

/* All rows of a command, those of families at the end. */
typedef struct {
    const og_option_row *row[OPTIONS_MAX + 3]; /* [count] */
    const og_family *family[OPTIONS_MAX];      /* whose row it is; NULL: the command's */
    int32_t count;
} option_list;

/* An option that several families have stands once, at the same place for every `wanted`: of these
 * families the one whose row it is, else (NULL) the first that has it. */
void options_list(const command *chosen, const og_family *wanted, option_list *out);

/* Help to print instead of a result. */
typedef enum {
    HELP_NONE,
    HELP_BASIC, /* --help: the options that most people need */
    HELP_ALL,   /* --help-all: every option in one line, by topic */
    HELP_PAGE,  /* --help-page: what a manual page is made of */
} help_kind;

/*
 * Read a command's words, argv[0] being the command's name. Returns OG_OK;
 * OG_BAD_INPUT or OG_NO_MEMORY with a message. *help is set, and the rest left unread, at
 * --help and the like. The request must be cleared in any case.
 */
og_status options_read(const command *chosen, int argc, char **argv, command_request *request,
                       help_kind *help, og_message *message);

/* OG_BAD_INPUT with one sentence where an option was given, seen[i] of row i, that the question at
 * hand does not read. */
og_status check_questions(const command *chosen, const command_request *request,
                          const option_list *list, const bool *seen, og_message *message);

/* What to type instead of an option that other programs have and that is not known here, beginning
 * with "; "; NULL: nothing in particular. */
const char *option_habit(const char *word);

/*
 * The files that a request names, before anything else is done with them: OG_BAD_INPUT with a
 * message where one of them is to be written and another option names it too, or where it holds
 * what must not be lost; OG_FAILED if it cannot be written (dp/base/file.h).
 */
og_status check_files(const command *chosen, const command_request *request, og_message *message);

/* The command does not refuse it: it is for the list of options, and for completion. */
bool option_shown(const command *chosen, const og_option_row *row);

void print_command_help(const command *chosen, help_kind kind); /* on standard output */

/* A row as in --help: its name and value, its text, and its default. */
void print_option(const og_option_row *row, bool own);

void request_clear(command_request *request);

#endif
