#ifndef OG_BENCH_FAMILY_H
#define OG_BENCH_FAMILY_H

#include <gmp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "bench/environment.h"
#include "bench/estimate.h"
#include "bench/option.h"
#include "bench/request.h"
#include "bench/truth.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"
#include "dp/exact/fractions.h"
#include "dp/export/export.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "heuristics/policy.h"
#include "heuristics/user_policy.h"

/*
 * A family of problems (for users: a problem type), such as independent instances or workers of
 * unknown reliability. It reads and describes a problem, provides its policies, values, runs and
 * bounds. The code that works with problems (bench/questions, bench/simulation, the commands)
 * is written once for all families. og_family_lacks writes the message for what is not supported.
 *
 * A problem never changes once it is open, and every function may be called from several threads at
 * once.
 */

/* Words for a share in the output of runs: "in order", "Without comparisons", "of the pairs in
 * order", its meaning, and what all policies of a run share. */
typedef struct {
    const char *in_short, *without, *of_what, *meaning, *same;
} og_share_words;

/* The quantity that values and gaps are about. */
typedef struct {
    const char *unit;    /* "correct calls" */
    bool less_is_better; /* regret */
    bool share;          /* at most 1, and not a share of a number of decisions; its words: */
    bool amount;         /* of any size and sign: no share and no number of decisions */
    bool sum;            /* an amount that is the sum of what a run earns: nothing is called */
    bool rewards;        /* earned by the labels themselves: there are no calls at the end */
    bool counted;        /* runs count correct calls: no posterior says how many to expect */
    bool by_truth;       /* runs expect correct calls from the truth, whatever policies assume */
    const og_share_words *words; /* NULL: the words for shares of pairs in order */
} og_metric;

/* A function as the worth of instances. */
typedef struct {
    const char *name;
    og_final_reward *reward;
    void *user;
} og_reward_function;

/* Tables of nodes (arm:FILE) that a question has read: each file is read once. */
typedef struct {
    const og_node_table **table; /* [count] held; a table's name is its file */
    size_t count, room;
} og_tables_read;
void og_tables_read_clear(og_tables_read *read);

/* The input that describes a problem; all borrowed. */
typedef struct {
    const void *options; /* the family's own struct, filled from its rows; NULL: the family has no
                            options */
    const char *const *words; /* [word_count] INSTANCE words */
    int32_t word_count;
    bool payoffs; /* the family supports payoffs, which may follow a '=' in an INSTANCE word, and
                   * tables of nodes */
    og_tables_read *tables;           /* of files that were read before; NULL: they are read anew */
    const og_settings *limits;        /* of reading files; NULL: none */
    const og_groups *instances;       /* the instances, in place of words; its budget is ignored */
    int32_t budget;                   /* -T: labels in all; -1: not given */
    bool each;                        /* -T Neach: `budget` is for each instance */
    int32_t left;                     /* labels left; -1: all that are not in `history` */
    const char *history;              /* earlier answers (bench/history.h); NULL: none */
    const char *objective;            /* the name of the problem; NULL: the family's first */
    const og_reward_function *reward; /* of instances without a payoff; NULL: none */
    double index_seconds; /* a policy whose index would take longer is refused; 0: any time */
    bool runs_only;    /* only the source, sizes, words and prior will be used, so tables of values
                          need not be built */
    bool bounds_only;  /* only bounds, sizes, words and prior, so tables of all labels need not be
                          built if there are very many */
    const char *truth; /* with runs_only: of the runs, as in og_request; NULL: the prior */
    og_message *warning; /* out: a warning about input that was perhaps meant otherwise; or empty */
} og_problem_text;

typedef struct {
    int32_t budget;    /* labels in all */
    int32_t left;      /* labels left */
    int64_t decisions; /* number of final calls */
    double most;       /* the most that all calls can be worth, if the metric is an amount */
    int32_t acts;      /* number of different acts at the root */
    bool rational;     /* exact fractions are supported, if the size allows */
    bool unvalued;     /* too large for exact values, whatever the memory; runs can be simulated */
    bool priced;       /* labels have a price: the number of labels bought is shown */
    bool losses;       /* labels that must be used may lower the value */
    og_metric metric;  /* this problem's */
} og_problem_size;

/* How to walk a problem state by state. All borrowed. */
typedef struct {
    og_settings settings; /* threads >= 1, memory_bytes > 0 */
    bool ordered;         /* instances keep the order in which they were given */
    bool apart;           /* and no instances are grouped: each has the same place in every state */
    bool counted;         /* each state gives the value counted so far; else 0 */
    bool exact;           /* all in fractions too; OG_BAD_INPUT with a message if not supported */
    const og_strategy *by;    /* the policy whose values are given, for losses; NULL: the optimum */
    og_ties ties;             /* of `by` */
    const og_strategy *along; /* a policy whose belief the states carry; NULL: none. OG_BAD_INPUT
                                 if it has one and the family's states cannot */
    const og_steps *like;     /* optimal steps of this problem that may lend values; NULL: none */
} og_steps_use;

typedef struct {
    int32_t which; /* index into og_family.bounds */
    const og_settings *settings;
    const og_exact_bound *least; /* bound 0 as a fraction; NULL: not available */
} og_bound_use;

typedef struct {
    const og_settings *settings;
    bool fractions;
    uint64_t *states; /* grows by the states that a question takes */
} og_priced_use;

/*
 * A family consists of three tables: what is computed, how it is told, and runs. Each says only
 * what is the family's own; a NULL member means the default below, or if there is none, that the
 * family does not support it. Callers use the functions after the tables, which know the defaults.
 */

/* What is computed. `open`, `sizes` and `model` are enough: the rest follows from the model, with
 * the policy uniform. */
typedef struct {
    bool blocks;               /* blocks may compute the optimum, even if `arms` is NULL */
    bool keeps_names;          /* followed state by state, equal items are never renamed */
    bool first_part;           /* the model knows only the first part of an act */
    bool own_policies;         /* `strategy` makes those of the user's own too; else they are told
                                  the words of states and acts (heuristics/named_policy.h) */
    const char *const *bounds; /* names as in JSON, ended by NULL; OG_BOUNDS_MAX at most */

    /* OG_BAD_INPUT with a message; OG_NO_MEMORY or OG_STOPPED if its tables do not fit. */
    og_status (*open)(const og_problem_text *given, const og_settings *settings, void **problem,
                      og_message *message);
    void (*close)(void *problem); /* NULL is allowed; default: free */

    void (*sizes)(const void *problem, og_problem_size *out);
    /* The default policies to evaluate, separated by commas; NULL: none; default: uniform. */
    const char *(*policies)(const void *problem);
    /* List the acts at the root, at most `room`; returns their number. Default: the model's. */
    int32_t (*acts)(const void *problem, og_act_open *open, int32_t room);
    /* True if the two acts are proved to be worth the same. Without it no such proof is available;
     * then there are no near ties either, only acts within the errors of the best. */
    bool (*alike)(const void *problem, og_act x, og_act y);

    /* The value without any label, and a proved bound of its absolute error. `exact`, if not NULL,
     * receives the fraction; OG_BAD_INPUT with a message if there is none. Default: the model's. */
    og_status (*prior)(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message);

    /* A policy for this problem. OG_BAD_INPUT: not supported here. OG_STOPPED, OG_NO_MEMORY: its
     * index needs too much time or memory. Each with a message. Default: uniform. */
    og_status (*strategy)(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message);

    /* The decision process, for a question about the optimum or a policy. */
    og_model_open *model;

    /* Values of the optimum or of a strategy; question->fractions only if sizes.rational is true.
     * Borrows the problem and the question's strategy. Default: the model, by the engine. */
    og_status (*solve)(const void *problem, const og_value_asked *question,
                       const og_settings *settings, og_solution *out, og_message *message);

    /* A walk through the states, for trees, explanations and play. Default: the model's. */
    og_status (*steps)(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message);

    /* An upper bound; *out is untouched if this problem has none. With `exact` also as a fraction.
     */
    og_status (*bound)(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message);

    /* Write an optimal policy to a file (settings of the request, export_policy, all_optimal), and
     * evaluate such a file with code of its own, into a document. Products of arms do without:
     * their files have a form of their own. */
    og_status (*export_policy)(const void *problem, const og_request *request, og_export_info *out,
                               og_message *message);
    og_status (*verify)(const void *problem, const char *file, const og_settings *settings,
                        og_document *document, og_message *message);

    /* For a problem whose labels have no price: bounds of the optimal gain if each costs `price`
     * and labelling may stop at any time, equal for fractions. And the largest expected gain of any
     * one label. */
    og_status (*priced_gain)(const void *problem, og_fraction price, const og_priced_use *use,
                             mpq_t low, mpq_t high, og_message *message);
    double (*reward_most)(const void *problem);

    /* How its states are written as numbers; *out borrows the problem. */
    void (*situations)(const void *problem, og_situations *out);

    /* The arms of a product of arms: needed for dry runs, exported policies and tables of an
     * index. Default: NULL, for other problems. */
    const og_arms *(*arms)(const void *problem);

    /* The indices of a policy for these acts now, where a solution's picks have ranks only; those
     * whose table takes much longer than the ranks are not computed. */
    og_status (*indices)(const void *problem, const og_policy_name *policy,
                         const og_policy_use *use, const og_act_open *act, int32_t count,
                         double *index, og_message *message);

    /* Check that an existing checkpoint can be continued; solve uses settings->checkpoint. */
    og_status (*check_checkpoint)(const void *problem, const og_settings *settings,
                                  og_message *message);
} og_family_model;

/* How it is told. Texts of a state and an act are written into text[size]. */
typedef struct {
    const char *problems;     /* for messages: "workers of unknown reliability"; required */
    const char *budget_name;  /* default "Labels" */
    const char *history;      /* an example of --history: "1+ 2-"; NULL: not supported */
    const char *acts_name;    /* the name of acts in JSON; default "actions" */
    const char *act_name;     /* one of them, for people; default "label" */
    const char *verb;         /* for an act: "look into"; default "label" */
    const char *acts_between; /* separator between the words of several acts; default "; " */
    const char *note;   /* on the accuracy of policies' figures; NULL: error bounds are proved */
    const char *legend; /* of the words in compare's tables; NULL: the usual ones */

    /* Add the object "problem" to the document, with the keys "instances" and "budget" among
     * others, and fields that describe it. Default: the budget. */
    void (*describe)(const void *problem, og_document *document);
    /* What else is proved of a problem without solving it, beside its bounds. */
    void (*theory)(const void *problem, og_document *document);

    void (*act_text)(const void *problem, og_act act, char *text, size_t size);
    /* Append to an array an object that describes the act; the caller adds Q and the like. Default:
     * og_put_act with the next. */
    og_document *(*put_act)(const void *problem, og_act act, og_document *array);
    int8_t act_parts[2]; /* the parts of an act that number its instance and worker; -1: none */

    /* Words for a state (as in og_step_view and og_step_state), for an act in it (default:
     * act_text) and for an answer to the act, "" if there is none (default: og_sign_text). */
    void (*state_text)(const void *problem, const void *state, char *text, size_t size);
    void (*step_text)(const void *problem, og_act act, char *text, size_t size);
    void (*answer_text)(const void *problem, og_act act, int32_t answer, char *text, size_t size);
    /* Append an object that describes an act in a state and the number of its copies. Without it
     * the text is enough. */
    og_document *(*put_step)(const void *problem, og_act act, int64_t copies, og_document *array);
    /* Show a table of a state with ungrouped instances, numbered from 1 like the acts. Without it
     * the text is enough. */
    void (*show_state)(const void *problem, const void *state, og_document *document);

    /* Add further results about an evaluated policy to its object in a comparison, and show a table
     * of them for people. */
    void (*put_policy)(const void *problem, const og_policy_name *name, bool exact, og_stop *stop,
                       og_document *object);
    void (*show_policies)(og_document *document, const og_document *policies, bool exact);
} og_family_words;

/* Runs. */
typedef struct {
    /* The source of runs; a NULL truth means the prior. Borrows both. Default: the model's
     * outcomes, drawn from the prior. OG_BAD_INPUT: another truth. */
    og_source (*source)(const void *problem, const og_truth *truth);

    /* Counts of the source, as means over the runs: added to the object of the policy, and shown
     * for people. Default: they are the labels of each instance. */
    void (*put_counts)(const void *problem, const double *counts, og_document *object);
    void (*show_counts)(const void *problem, const char *policy, const double *counts,
                        og_document *document);

    const char *curves; /* what the budgets of a curve count, "labels"; NULL: no curves */
    /* Add further metrics of a budget of a curve to an object: metric[0], [at_count],
     * [2 * at_count].. are this budget's. `policy` is its name. Without it there is a curve only if
     * it is asked for. */
    void (*put_point)(const char *policy, const og_estimate *metric, int32_t at_count,
                      og_document *object);
    const char *trace; /* head of the table of the first run's labels; NULL: not supported */
} og_family_runs;

typedef struct og_family og_family;
struct og_family {
    const char *name;             /* "workers" */
    const char *objectives;       /* names for --problem, the usual one first, separated by blanks;
                                     NULL: chosen only by its options */
    const og_option_set *options; /* giving one of them chooses the family; NULL: no options */
    bool own_words;               /* the options give the instances: there are no INSTANCE words */
    bool words_or_options;        /* they may; `open` reports missing input itself */
    bool own_budget;              /* one of the options replaces -T */
    bool each;                    /* of problems with -T Neach */
    const og_family *apart;       /* of the same problems with -T Neach; NULL: not supported */
    og_family_model model;
    og_family_words words;
    og_family_runs runs;
};

/* ---- the tables with their defaults; arguments as above ---- */

void og_family_close(const og_family *family, void *problem);
const og_arms *og_family_arms(const og_family *family, const void *problem);
const char *og_family_policies(const og_family *family, const void *problem);
int32_t og_family_acts(const og_family *family, const void *problem, og_act_open *open,
                       int32_t room);
bool og_family_alike(const og_family *family, const void *problem, og_act x, og_act y);
og_status og_family_prior(const og_family *family, const void *problem, double *value,
                          double *error, mpq_ptr exact, og_message *message);
og_status og_family_strategy(const og_family *family, const void *problem,
                             const og_policy_name *name, const og_policy_use *use, og_strategy *out,
                             og_message *message);
og_status og_family_solve(const og_family *family, const void *problem,
                          const og_value_asked *question, const og_settings *settings,
                          og_solution *out, og_message *message);
/* OG_BAD_INPUT also if the family does not support it. */
og_status og_family_steps(const og_family *family, const void *problem, const og_steps_use *use,
                          og_steps *out, og_message *message);
og_source og_family_source(const og_family *family, const void *problem, const og_truth *truth);
/* The default runs, for policies of the user's own that the family's runs do not know. */
og_source og_family_source_by_model(const og_family *family, const void *problem,
                                    const og_truth *truth);

/* The defaults, for families that do so unless a problem needs more. */
og_status og_family_solve_by_model(const og_family *family, const void *problem,
                                   const og_value_asked *question, const og_settings *settings,
                                   og_solution *out, og_message *message);
og_status og_family_steps_by_model(const og_family *family, const void *problem,
                                   const og_steps_use *use, og_steps *out, og_message *message);

/* The words with their defaults, and the functions of which one has a default. */
og_family_words og_family_words_of(const og_family *family);
void og_family_describe_problem(const og_family *family, const void *problem,
                                og_document *document);
og_document *og_family_put_act(const og_family *family, const void *problem, og_act act,
                               og_document *array);

/* True if the family has states to follow, for trees, explanations and play; and if it has runs. */
bool og_family_is_followed(const og_family *family);
bool og_family_is_simulated(const og_family *family);

enum { OG_BOUNDS_MAX = 8 };

/* ---- what families share ---- */

/* Read the value of -T, N or Neach. OG_BAD_INPUT as og_option_whole. */
og_status og_budget_read(const og_option_row *row, const char *text, int32_t *budget, bool *each,
                         og_message *message);

/* The message for a budget of each instance, of its number, where it is not supported. */
#define OG_EACH_SUPPORT "-T %" PRId32 "each is supported by solve and compare"

/* Open a problem of the family: check what all families have in common, then call its `open`. */
og_status og_family_open(const og_family *family, const og_problem_text *given,
                         const og_settings *settings, void **problem, og_message *message);

/* An INSTANCE word with an optional payoff, or of a table of nodes; `given` has the tables and
 * limits. The caller holds its tables once, until the second function. Errors as og_group_parse,
 * og_node_table_read and og_worth_values_read. */
og_status og_family_group(const char *word, const og_problem_text *given, og_group *out,
                          og_message *message);
void og_family_group_release(const og_group *group);

/* Read the INSTANCE words as groups, and the labels left. OG_BAD_INPUT with a message. */
og_status og_problem_text_instances(const og_problem_text *given, og_groups *out,
                                    og_message *message);
int32_t og_problem_text_left(const og_problem_text *given);

/* Split the word [COUNTx]NUMBER into its parts; a missing count is 1. Returns NULL; on failure the
 * end of a message that begins with the word, and nothing is written. */
const char *og_counted_parse(const char *word, int64_t *count, og_fraction *number);

/* Bounds of independent instances, for families whose optimum is at most theirs: lagrangian_scalar,
 * lagrangian_vector, prevailing_charge, priced_end and, if the settings ask for it, joint_end. */
enum { OG_BOUNDS_OF_ARMS = 5 };
extern const char *const og_bounds_of_arms[];
og_status og_bound_of_arms(const og_arms *arms, const og_bound_use *use, og_upper_bound *out,
                           og_exact_bound *exact, og_message *message);

/* Append {"text", "instance", "worker"} to an array: the act of labelling an instance of group
 * `instance` by a worker of group `worker`; -1 becomes null. */
og_document *og_put_act(og_document *array, const char *text, int32_t instance, int32_t worker);

/* An answer_text: "+" for the answer 1, otherwise "-". */
void og_sign_text(const void *problem, og_act act, int32_t answer, char *text, size_t size);

/* A text in the caller's buffer; text is appended as far as it fits. */
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
} og_unit_text;
og_unit_text og_counted_of(const og_problem_size *sizes);

/* The message for everything that a family does not support: "WHAT does not support PROBLEMS", with
 * advice to omit `what` if it is an option. Returns OG_BAD_INPUT. */
og_status og_family_lacks(const og_family *family, const char *what, og_message *message);

#endif
