#ifndef OG_TOOLS_OPTION_OPTIONS_H
#define OG_TOOLS_OPTION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/families/feature_file.h"
#include "bench/simulation/truth.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/families/delayed.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * Options. Each stands once, as a row; a command lists its rows, and from that list come parsing,
 * defaults, --help and the names that are offered for a misspelt one.
 */

struct family_kind;

/* A key of a study and its value, as given; both borrowed. */
typedef struct {
    const char *key;
    const char *text;
} study_word;

typedef struct {
    double *value; /* [count] */
    int32_t count;
} number_list;

/* What a command was asked to do. */
typedef struct {
    og_problem problem; /* budget: labels left */
    int32_t budget;     /* -T, or --workers */
    bool budget_given;  /* by -T */
    bool workers_given; /* by --workers */
    og_problem crew;    /* --workers-prior: workers of unknown reliability; no budget */
    bool once;          /* --once */
    og_delay delay;     /* rates that were not given have the denominator 0 */
    int32_t left;       /* --left; the budget if not given */
    og_policy *policies;
    int32_t policy_count;
    bool usual_policies; /* none were asked for: those that the kind of problem is known for */
    const struct family_kind *kind; /* tools/option/family.h; NULL: independent instances */
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    og_settings settings;      /* threads and memory filled in, defaults included */
    double time_limit_seconds; /* 0: none */
    double answer_seconds;     /* --policy-timeout; 0: the usual */
    uint64_t policy_states;    /* most states of one policy's valuation; 0: any number */
    uint64_t optimum_states;   /* the same of the optimum */
    bool policy_states_usual;  /* this and the next: `auto` */
    bool optimum_states_usual;
    bool exact;
    bool quiet;
    bool dry_run;
    bool explain;
    bool all_optimal;
    bool all_actions;          /* tree: follow all of them */
    int32_t tree_states;       /* most states to draw */
    const char *export_policy; /* NULL: not wanted */
    bool json;
    bool maximum_likelihood;
    int64_t runs;
    uint64_t seed;
    og_truth truth;
    const char *truth_text; /* as given */
    double index_seconds;   /* most for making one index */
    const char *file;
    const char *labels_file; /* replay */
    bool left_open;          /* the budget is all labels that are recorded */
    const char *gold_file;
    int32_t *at; /* [at_count] budgets to tell accuracy at; owned */
    int32_t at_count;
    bool final_positive; /* calls exactly at 1/2 are positive, not half */
    og_feature_table features;
    const char *features_file; /* NULL: none */
    number_list weight_mean;   /* one for all features, or one for each */
    number_list weight_sd;
    study_word *study_words; /* [study_word_count] */
    int32_t study_word_count;
    const char *study_file; /* NULL: none */
    bool retry;
    bool csv;
    const char *plot;   /* the kind of figure */
    const char *output; /* -o */
    bool logarithmic;
} request;

typedef og_status option_reader(request *asked, const char *text, og_message *message);

typedef struct {
    const char *name;     /* without the dashes */
    int letter;           /* 0: none */
    const char *argument; /* what the value is called; NULL: a switch */
    const char *fallback; /* the default, read like a given value; NULL: none */
    const char *required; /* what to say when it is missing; NULL: it may be */
    const char *choices;  /* what the value can be, with blanks between, for completion; NULL: what
                             `argument` says */
    const char *help;     /* without the default, which is added */
    option_reader *read;
} option;

/* Rows that several commands share. */
extern const option option_budget;
extern const option option_policy;
extern const option option_policies;
extern const option option_policy_timeout;
extern const option option_ties;
extern const option option_arithmetic;
extern const option option_objective;
extern const option option_threads;
extern const option option_memory;
extern const option option_time_limit;
extern const option option_checkpoint;
extern const option option_checkpoint_every;
extern const option option_quiet;
extern const option option_index_time;
extern const option option_json;

enum { OPTION_THREADS_MAX = 1024 };

/* Readers for rows of a command's own. `what` names the number in the message. */
og_status read_integer(const char *text, const char *what, int64_t least, int64_t most,
                       int64_t *out, og_message *message);
og_status read_budget(request *asked, const char *text, og_message *message);

og_status read_runs(request *asked, const char *text, og_message *message);
og_status read_seed(request *asked, const char *text, og_message *message);

og_status read_policy(request *asked, const char *text, og_message *message);

/* Append one INSTANCE word to the request's problem. */
og_status read_instance(request *asked, const char *text, og_message *message);

typedef struct {
    const char *name;
    const char *summary;          /* one line for the list of commands */
    const char *arguments;        /* "INSTANCE..."; NULL: none */
    const char *choices;          /* what they can be, as those of an option */
    const char *about;            /* --help, before the options */
    const char *details;          /* --help, after the options: an example, what comes out */
    const option *const *options; /* up to NULL */
    bool lists_policies;          /* --help ends with the known policies */
    option_reader *read_argument; /* a word that is no option */
    const char *argument_missing; /* what to say if there is none; NULL: it takes none */
    int (*run)(request *asked);   /* returns the exit status */
} command;

/*
 * Read a command's words, argv[0] being the command's name. Returns OG_OK;
 * OG_BAD_INPUT or OG_NO_MEMORY with a message. *help is set, and the rest left unread, at
 * --help. The request must be cleared in any case.
 */
og_status options_read(const command *verb, int argc, char **argv, request *asked, bool *help,
                       og_message *message);

void options_help(const command *verb);

void request_clear(request *asked);

#endif
