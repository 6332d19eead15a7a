#ifndef OG_BENCH_FAMILY_H
#define OG_BENCH_FAMILY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "bench/environment.h"
#include "bench/option.h"
#include "bench/truth.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "heuristics/own_policy.h"
#include "heuristics/policy.h"

/*
 * A family of problems: independent instances, workers of unknown reliability, ... It knows how a
 * problem is written and described, who may decide in it, how it is valued, played and bounded.
 * What is done with a problem (bench/value, bench/simulation, the commands) is written once, for
 * all families; what a family has not is NULL, and og_family_lacks says so for everybody.
 *
 * A problem never changes once it is open, and every function may be called beside other threads.
 */

/* How a share is told of runs: "in order", "Without comparisons", "of the pairs in order", what it
 * means, what the policies of a run have in common. */
typedef struct {
    const char *in_short, *without, *of_what, *meaning, *same;
} og_share_words;

/* What is counted in the end, and what a gap is of. */
typedef struct {
    const char *unit;            /* "correct calls" */
    bool less_is_better;         /* regret */
    bool share;                  /* at most 1, and not of a number of decisions; told so: */
    bool amount;                 /* of any size and sign: no share and no number of decisions */
    bool rewards;                /* of labels themselves: there are no decisions to be correct */
    const og_share_words *words; /* NULL: as shares of pairs in order */
} og_metric;

/* What a problem is made of, as it was given; all borrowed. */
typedef struct {
    const void *options;      /* the family's own struct, filled from its rows; NULL: it has none */
    const char *const *words; /* [word_count] INSTANCE words */
    int32_t word_count;
    bool payoffs;               /* the family knows payoffs, which words may have behind a '=' */
    const og_groups *instances; /* these in numbers, instead of words; its budget means nothing */
    int32_t budget;             /* -T: labels in all; -1: not given */
    int32_t left;               /* of them, still to give; -1: all that are not in `history` */
    const char *history;        /* what was answered before (bench/history.h); NULL: nothing */
    const char *objective;      /* what is counted; NULL: the family's first */
    double index_seconds;       /* a policy whose index would take longer is refused; 0: any time */
    bool runs_only;      /* of what is opened only its source, its sizes, its words and its prior
                            will be asked for: no table of its values need be there */
    og_message *warning; /* out: what is read, but perhaps not as it was meant; or empty */
} og_given;

typedef struct {
    int32_t budget;    /* labels in all */
    int32_t left;      /* of them, still to give */
    int64_t decisions; /* that are made in the end and counted */
    double most;       /* that all of them can be worth where that is an amount */
    int32_t acts;      /* different ones at the root */
    bool rational;     /* fractions can be had, but for sizes */
    bool unvalued; /* too large for any exact value, whatever memory there is; runs can be played */
    bool priced;   /* labels have a price: how many are bought is told */
    og_metric metric; /* this problem's */
} og_sizes;

/* How a problem is followed state by state. All borrowed. */
typedef struct {
    og_settings settings;  /* threads >= 1, memory_bytes > 0 */
    bool ordered;          /* instances keep the order in which they were given */
    bool apart;            /* and each is one by itself, in every state at the same place */
    bool counted;          /* say in each state what is counted already; else 0 */
    bool exact;            /* and all in fractions; OG_BAD_INPUT with a message if there are none */
    const og_strategy *by; /* values are this one's, whose losses can be known; NULL: optimal */
    og_ties ties;          /* of `by` */
    const og_steps *like;  /* of this problem, optimal; may lend its values. NULL: none */
} og_steps_use;

typedef struct og_family og_family;
struct og_family {
    const char *name;       /* "workers" */
    const char *problems;   /* for messages: "workers of unknown reliability" */
    const char *objectives; /* that --objective names, the usual one first, blanks between; NULL:
                               only what its options choose */
    const char *objective;  /* one that may be named beside its options; NULL: only the usual one */
    const og_option_set *options; /* giving one of them chooses the family; NULL: none */
    bool own_words;               /* the options bring the instances: there are no INSTANCE words */
    bool blocks;                  /* their optimum may come by blocks, whatever `arms` is */
    bool words_or_options;        /* perhaps they do; it says itself what is missing */
    bool own_budget;              /* one of them takes the place of -T */
    const char *budget_name;      /* "Labels" */
    const char *history;          /* what --history looks like: "1+ 2-"; NULL: it is not known */
    const char *acts_name;        /* what acts are called in JSON: "actions" */
    const char *act_name;         /* one of them, for people: "instance" */
    const char *verb;             /* what is done to it: "look into"; NULL: "label" */
    const char *acts_between;     /* what stands between the words of several: "; " */
    const char *const *bounds;    /* names, as in JSON, up to NULL; OG_BOUNDS_MAX at most */
    const char *note;             /* how far figures can be trusted; NULL: errors are proved */

    /* What else is proved of a problem without solving it, beside its bounds, into a document that
     * describes it; NULL: nothing. */
    void (*theory)(const void *problem, og_document *document);

    /* OG_BAD_INPUT with a message; OG_NO_MEMORY or OG_STOPPED if its tables do not fit. */
    og_status (*open)(const og_given *given, const og_settings *settings, void **problem,
                      og_message *message);
    void (*close)(void *problem); /* NULL is fine */

    void (*sizes)(const void *problem, og_sizes *out);
    /* Names of policies valued where none are asked for, commas between; NULL: there are none. */
    const char *(*policies)(const void *problem);
    /* The object "problem" into the document, its keys "instances" and "budget" among them, and
     * fields that describe it. */
    void (*describe)(const void *problem, og_document *document);
    /* What can be done at the root, at most `room`; returns how many, [acts]. */
    int32_t (*acts)(const void *problem, og_open *open, int32_t room);
    void (*act_text)(const void *problem, og_act act, char *text, size_t size);
    /* The next of an array, an object that tells of the act; its Q and the like are put there. */
    og_document *(*put_act)(const void *problem, og_act act, og_document *array);
    /* These two acts are proved to be worth the same. NULL: not known; then there are no near ties
     * either, only acts within the errors of the best. */
    bool (*alike)(const void *problem, og_act x, og_act y);

    /* The value without any label, and its absolute error, proved. `exact`: also the fraction;
     * OG_BAD_INPUT with a message if there is none. */
    og_status (*prior)(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message);

    /* A policy for this problem. OG_BAD_INPUT: unknown here; OG_STOPPED, OG_NO_MEMORY: its index
     * takes too much. With a message. */
    og_status (*strategy)(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message);

    /* What a comparison tells of a valued policy beside its value, into its object, and a table of
     * that for people. NULL: nothing. */
    void (*put_policy)(const void *problem, const og_policy_name *name, bool exact,
                       og_document *object);
    void (*show_policies)(og_document *document, const og_document *policies, bool exact);

    /* Values of the optimum or of a strategy; question->fractions only where sizes say rational.
     * Borrows the problem and the question's strategy. */
    og_status (*solve)(const void *problem, const og_question *question,
                       const og_settings *settings, og_solution *out, og_message *message);

    /* How its states are told in numbers; *out borrows the problem. NULL: they are not. */
    void (*situations)(const void *problem, og_situations *out);

    /* An upper bound, number `which` of `bounds`; *out is untouched where this problem has none.
     * With `exact` also as a fraction; `least` is bound 0 then, where it is known. */
    og_status (*bound)(const void *problem, int32_t which, const og_settings *settings,
                       const og_exact_bound *least, og_upper_bound *out, og_exact_bound *exact,
                       og_message *message);

    /* Where runs come from; truth NULL: the prior. Borrows both. NULL: it cannot be played. */
    og_source (*source)(const void *problem, const og_truth *truth);

    /* What was counted in runs, as the source says, means over the runs: into the object of its
     * policy, and for people. NULL: nothing is counted. */
    void (*put_counts)(const void *problem, const double *counts, og_document *object);
    void (*show_counts)(const void *problem, const char *policy, const double *counts,
                        og_document *document);

    /* The states of play, for trees and explanations, and their words: of a state, as og_stand and
     * og_place show it; of an act in one; of an answer to it, "" where nobody answers. NULL: not
     * known. */
    og_status (*steps)(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message);
    void (*state_text)(const void *problem, const void *state, char *text, size_t size);
    void (*step_text)(const void *problem, og_act act, char *text, size_t size);
    void (*answer_text)(const void *problem, og_act act, int32_t answer, char *text, size_t size);
    /* The next of an array, an object that tells of an act in a state and how many are alike; NULL:
     * its text does. */
    og_document *(*put_step)(const void *problem, og_act act, int64_t copies, og_document *array);
    /* A table of a state whose instances are apart, by their numbers from 1 on, which are those of
     * the acts; NULL: its text tells enough. */
    void (*show_state)(const void *problem, const void *state, og_document *document);

    /* What only a product of arms has: dry runs, exported policies, tables of an index. NULL: it is
     * none. */
    const og_arms *(*arms)(const void *problem);

    /* A checkpoint that is there can be continued from: solve heeds settings->checkpoint. NULL:
     * there are none. */
    og_status (*check_checkpoint)(const void *problem, const og_settings *settings,
                                  og_message *message);
};

enum { OG_BOUNDS_MAX = 8 };

/* ---- what families share ---- */

/* `open` of the family, for whoever has a problem: what is alike for all families is looked at
 * first. */
og_status og_family_open(const og_family *family, const og_given *given,
                         const og_settings *settings, void **problem, og_message *message);

/* The INSTANCE words as groups, and the labels left. OG_BAD_INPUT with a message. */
og_status og_given_instances(const og_given *given, og_groups *out, og_message *message);
int32_t og_given_left(const og_given *given);

/* The word [COUNTx]NUMBER in its parts, the count 1 where there is none; else what is wrong with
 * it, to stand behind the word, and nothing is written. */
const char *og_counted_parse(const char *word, int64_t *count, og_fraction *number);

/* Bounds of independent instances, for families in which nobody can do better than in these:
 * lagrangian_scalar, lagrangian_vector, prevailing_charge, priced_end, and where the settings ask
 * for it joint_end. */
enum { OG_BOUNDS_OF_ARMS = 5 };
extern const char *const og_bounds_of_arms[];
og_status og_bound_of_arms(const og_arms *arms, int32_t which, const og_settings *settings,
                           const og_exact_bound *least, og_upper_bound *out, og_exact_bound *exact,
                           og_message *message);

/* {"text", "instance", "worker"}, the next of an array: the act of labelling an instance of this
 * group, by a worker of that; worker -1: null. */
og_document *og_put_act(og_document *array, const char *text, int32_t instance, int32_t worker);

/* Acts of a family may tell apart what its model does not, in parts behind the first: of the act's
 * parts the solution sees the first alone from now on. OG_NO_MEMORY frees it. */
og_status og_solution_by_first_part(og_solution *solution, og_message *message);

/* A text in a buffer of the caller's that grows by what fits. */
typedef struct {
    char *text;
    size_t size, length;
} og_text;
og_text og_text_begin(char *text, size_t size); /* size >= 1; it is empty */
__attribute__((format(printf, 2, 3))) void og_text_add(og_text *text, const char *format, ...);

/* "correct calls of 3". */
enum { OG_COUNTED_BYTES = 80 };
typedef struct {
    char text[OG_COUNTED_BYTES];
} og_counted_words;
og_counted_words og_counted_of(const og_sizes *sizes);

/* The one answer to all that a family has not: "WHAT does not support PROBLEMS", and
 * to omit it where it is an option. OG_BAD_INPUT. */
og_status og_family_lacks(const og_family *family, const char *what, og_message *message);

#endif
