#ifndef OPTGAP_H
#define OPTGAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Computes how far from optimal a policy is that chooses which instance to label next.
 *
 * This is the whole public interface of liboptgap. A problem has a family (independent instances,
 * labels that take time, ...), options and instances. A question has options too. An option is a
 * name and a text, as in the program, so that `optgap compare --help-all` and the manual describe
 * them. The answer is the document that the program prints with --json, a tree of which parts are
 * found by their paths.
 *
 *   og_problem *problem = NULL;
 *   og_question *question = NULL;
 *   og_document *answer = NULL;
 *   og_message message = {""};
 *   og_status status = og_problem_new("independent", &problem, &message);
 *   if (status == OG_OK) {
 *       status = og_problem_set(problem, "budget", "12", &message);
 *   }
 *   if (status == OG_OK) {
 *       status = og_problem_add(problem, "10x1,1", &message);
 *   }
 *   if (status == OG_OK) {
 *       status = og_question_new("compare", &question, &message);
 *   }
 *   if (status == OG_OK) {
 *       status = og_ask(problem, question, &answer, &message);
 *   }
 *   double gap = og_number_at(answer, "policies.1.gap");
 *   ...
 *   og_document_free(answer);
 *   og_question_free(question);
 *   og_problem_free(problem);
 *
 * Errors: a function that can fail returns an og_status and writes one line for a person to
 * *message, which may be NULL; any may return OG_NO_MEMORY. Outputs are written on OG_OK only. An
 * object that refuses an argument is as it was.
 *
 * Memory: arguments must not be NULL unless the comment allows it; functions that free accept NULL.
 * Texts and structs are copied. The library borrows other arguments for the call, except those
 * called "kept", which must outlive the object. Texts that it returns are not to be freed, except
 * by free() where the comment says so.
 *
 * Threads: the library has no global state and prints nothing. One thread at a time may use a
 * handle; any number of threads may share policies and unchanged documents. A call starts threads,
 * so that the option "threads" works in all; with 1, callbacks too run on the calling thread.
 */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(OG_API)
/* set from outside, by generators of bindings that stop at attributes */
#elif defined(__GNUC__)
#define OG_API __attribute__((visibility("default")))
#else
#define OG_API
#endif

/* ---- how a call ended ---- */

typedef enum {
    OG_OK = 0,
    OG_BAD_INPUT, /* an argument breaks the function's contract */
    OG_NO_MEMORY, /* an allocation failed, or a fixed limit would be exceeded */
    OG_STOPPED,   /* a limit was reached before the proof was complete */
    OG_FAILED,    /* a file, a child process or a library underneath failed */
} og_status;

enum { OG_MESSAGE_BYTES = 512 };

/* One line, no newline at its end; always terminated, cut if too long. Options stand in double
 * quotes: "workers-prior". */
typedef struct {
    char text[OG_MESSAGE_BYTES];
} og_message;

/* A few words for a status without a message: "out of memory". Never NULL. */
OG_API const char *og_status_text(og_status status);

/* "0.1.0". */
OG_API const char *og_version(void);

/* ---- progress ---- */

/* Progress of a long computation. */
typedef struct {
    uint64_t states;       /* stored so far, evicted ones included; may lag slightly */
    uint64_t forgotten;    /* evicted because memory was full; they may be expanded again */
    uint64_t memory_bytes; /* held by the tables now */
    double settled; /* estimated share of the first choices that are settled, or share of the runs
                       that are done; 0 .. 1 */
    double seconds; /* since the call began */
} og_progress;

/* Called about ten times a second from one of the working threads. Returning false stops the
 * computation. */
typedef bool og_watch(void *user, const og_progress *progress);

/* ---- documents ---- */

/*
 * A result as a tree of named values: objects, arrays, numbers, texts. Whole ones are new, and the
 * caller frees them. A part is also an og_document and lives as long as the whole. Functions that
 * read accept NULL as an empty document.
 */
typedef struct og_document og_document;

/* The children of objects and arrays; 0 and NULL for other documents, and NULL if there is no such
 * child.
 */
OG_API int32_t og_document_count(const og_document *document);
OG_API og_document *og_document_child(const og_document *document, int32_t i);
OG_API og_document *og_document_find(const og_document *document, const char *name);

OG_API const char *og_document_name(const og_document *document); /* "" if it has no name */
OG_API double og_document_number(const og_document *document);    /* true: 1; NAN: no number */
OG_API const char *og_document_text(const og_document *document); /* NULL if not a text */

/* The number or text of a part by its path: names of members and, from 0, numbers of elements, with
 * dots between them: "policies.0.gap". NAN and NULL also if there is no such part. */
OG_API double og_number_at(const og_document *document, const char *path);
OG_API const char *og_text_at(const og_document *document, const char *path);

/* The document as JSON, byte for byte as the program prints it with --json for the same question,
 * without the last newline. Numbers have 17 digits, so that they read back as the same double;
 * bytes that are not UTF-8 become U+FFFD. Free it with free(). NULL: out of memory. */
OG_API char *og_document_json(const og_document *document);

/* A text of a document, such as the reason for a missing value, in which options are named as in
 * messages and not as on the command line. Free it with free(). NULL: out of memory. */
OG_API char *og_options_named(const char *text);

/* Frees a new document with all its parts. */
OG_API void og_document_free(og_document *document);

/* ---- families ---- */

/* "independent", "delayed", ...; NULL past the last. */
OG_API const char *og_family_name(int32_t number);

/*
 * Describes a family in a new document: {"name", "problems", "options": [{"name", "argument",
 * "help", "default", "required", "was", "hidden"}], "bounds": [NAME], "simulated", "policies":
 * [{"name", "parameter", "summary", "source", "valued_exactly"}]}. "was" is an option's earlier
 * name; a hidden one is supported, but replaced. The list has all policies; a single problem may
 * support fewer, which its questions report. OG_BAD_INPUT: no such family.
 */
OG_API og_status og_family_describe(const char *family, og_document **out, og_message *message);

/* ---- problems ---- */

typedef struct og_problem og_problem;

/* An empty problem. OG_BAD_INPUT: no such family. */
OG_API og_status og_problem_new(const char *family, og_problem **out, og_message *message);
OG_API void og_problem_free(og_problem *problem);

/*
 * Sets an option: `option` is its name in the program without the dashes, `text` its value, or NULL
 * for a switch. All families except "delayed" have "budget", the number of labels, 0 .. 1000000,
 * which must be set, or "Neach": at most N labels for each instance and no common budget, for
 * compare and solve of independent instances and of those with a price; "left", how many of them
 * are left; and "problem", "labels" or "bandit". og_family_describe lists the family's other
 * options. An option may be set again; lists and family options only before the first question.
 * OG_BAD_INPUT: no such option, or a value that it does not accept; OG_FAILED: a file.
 */
OG_API og_status og_problem_set(og_problem *problem, const char *option, const char *text,
                                og_message *message);

/* Adds instances, given as one INSTANCE word of the program: "10x1,1", "2,1@0.3",
 * "0.5:1,3+0.5:3,1", "1,1,1", "3xarm:FILE". The families "labelers" ("2x0.7") and "ranking" ("3x1")
 * have other words, which are read at the first question; they do not support the functions below
 * that add instances. */
OG_API og_status og_problem_add(og_problem *problem, const char *word, og_message *message);

/*
 * Adds `copies` instances, 1 .. 10^9, with the prior Beta(a, b), a and b in 1e-6 .. 1e6. An
 * instance is positive if its soft label is at least `threshold`, 0 < threshold < 1, usually 0.5.
 * Exact arithmetic reads a number as its shortest decimal: 0.3 is the fraction 3/10.
 */
OG_API og_status og_problem_add_beta(og_problem *problem, int64_t copies, double a, double b,
                                     double threshold, og_message *message);

/*
 * Adds `copies` instances, 1 .. 10^9, that no prior describes, given as the text of an arm file
 * (`arm:FILE`, manual page own.md): a line for each outcome of a node, tab separated columns named
 * by the first line, node, outcome, probability, next, value and perhaps reward. A message has the
 * line. Supported by the families "independent" and "priced".
 */
OG_API og_status og_problem_add_arm(og_problem *problem, int64_t copies, const char *table,
                                    og_message *message);

/*
 * Adds instances that have labels already: positive[count] and negative[count], each at least 0,
 * are added to the prior Beta(a, b). Reports list every instance separately, in this order.
 * O(count).
 */
OG_API og_status og_problem_add_counts(og_problem *problem, int32_t count, const int32_t *positive,
                                       const int32_t *negative, double a, double b,
                                       double threshold, og_message *message);

/* Checks that the problem is complete and valid. Like every question, it builds the tables of the
 * priors and frees them. OG_NO_MEMORY or OG_STOPPED: they do not fit. */
OG_API og_status og_problem_check(og_problem *problem, og_message *message);

/* A new document: {"problem": {"instances", "budget", ...}}. */
OG_API og_status og_problem_describe(og_problem *problem, og_document **out, og_message *message);

/* ---- policies ---- */

/* Meaning of a posterior's parameters. */
enum {
    OG_PLUGIN_BETA = 0,    /* a, b */
    OG_PLUGIN_MIXTURE = 1, /* weight, a, b of each component, the weights adding up to 1 */
    OG_PLUGIN_CLASSES = 2, /* the parameter of each class of a Dirichlet */
    OG_PLUGIN_ARM = 3,     /* the number of a table's node, from 0: in the order in which the table
                              first names them, in either column */
};

/* Interchangeable instances. */
typedef struct {
    int64_t copies; /* at least 1 */
    int32_t kind;
    int32_t parameter_count;
    const double *parameter; /* [parameter_count] of the current posterior */
    double threshold;        /* positive: soft label >= threshold; 0.5 for classes and arms */
    int32_t label_count;     /* possible labels: 2, the number of classes, or for OG_PLUGIN_ARM the
                                most outcomes of a node */
    const int32_t *labels;   /* [label_count] labels so far, positive ones first; NULL if the policy
                                does not use them, and for OG_PLUGIN_ARM */
} og_plugin_group;

/*
 * The worth of an instance when labelling ends at this posterior, in place of the option "payoff",
 * for all instances that have no payoff of their own. `name` is shown in documents and
 * messages; `user` is kept and passed on. The answer must depend on `at` alone: kind
 * OG_PLUGIN_BETA, _MIXTURE or _CLASSES, `copies` 1, `parameter` and `labels` as for policies, valid
 * until it returns. Each question calls it once for each posterior that labels reach from each
 * different prior, on the calling thread, before anything else. Its doubles are exact numbers:
 * "arithmetic" exact works. If labels can lower the expected worth, all are used nevertheless, and
 * a question's *message says so; with "price", also 0, policies stop.
 *
 * OG_BAD_INPUT: not of the families "independent" and "priced". In a question OG_BAD_INPUT if a
 * number is not finite or its size is above 10^6, with a message of the posterior; together with
 * the option "payoff"; and for policies that look beyond the budget (gittins-inf).
 */
typedef double og_final_reward(void *user, const og_plugin_group *at);
OG_API og_status og_problem_final_reward(og_problem *problem, const char *name,
                                         og_final_reward *reward, void *user, og_message *message);

/* The state passed to a policy. The library owns it; it is valid until the function returns. */
typedef struct {
    int32_t left;   /* labels left, 1 .. budget */
    int32_t budget; /* labels in all */
    int32_t count;  /* groups, at least 1 */
    const og_plugin_group
        *group;   /* [count] all different; in ascending order of posteriors, or, for a policy that
                     uses labels, in the order of priors as given and then of labels */
    double price; /* of a label, the largest if they differ; 0: none. From version 2 on */
} og_plugin_state;

/*
 * A policy defined by the caller's function, for independent instances. The family "delayed"
 * supports it if it answers with an index: then it is called for each instance separately, with the
 * workers still to come as labels left.
 *
 * The library calls it state by state and never concurrently: not two policies of one call at once,
 * nor a policy and the call's watch. With "threads" 1 it always runs on the calling thread.
 * The same state must always get the same answer: the library asks some states twice, and if the
 * answers differ the call ends with OG_FAILED.
 */
typedef struct {
    void *user; /* passed on; must live as long as the policy */
    /* False: instances with equal posteriors are interchangeable, whatever their labels; true: only
     * those with equal priors and equal labels are, which needs more states. */
    bool looks_at_labels;
    /*
     * Fills answer[state->count] with indices, finite or infinite, not NaN. The group with the
     * largest is labelled, and those within "tie-tolerance" of it tie. Instances of a
     * group with -INFINITY are done: they are not labelled now. If it sets *weights to true (false
     * on entry), the answers are instead the groups' probabilities up to a factor: finite, at least
     * 0 and not all 0.
     *
     * answer[state->count], -INFINITY on entry, is the index of stopping: labelling ends, whatever
     * is left, if no index exceeds it. With weights it is the weight of stopping, -INFINITY
     * counting as 0. A policy that does not stop leaves it.
     *
     * A status other than OG_OK ends the call with that status; message, never NULL, takes a line
     * with the reason.
     */
    og_status (*choose)(void *user, const og_plugin_state *state, double *answer, bool *weights,
                        og_message *message);
} og_callback;

/* A choice: the instance to label and, in families with workers, the worker who labels it. */
typedef struct {
    int32_t instance; /* from 0, in the order given, copies one by one */
    int32_t worker;   /* likewise; 0 in families without workers */
    int64_t copies;   /* number of interchangeable instances that it represents */
} og_label_choice;

/*
 * A state of a problem: the labels so far and the possible choices. Labels of instances with the
 * same features are counted at the first of these instances. The library owns the arrays; they are
 * valid until the next call or, within a callback, until it returns.
 */
typedef struct {
    int32_t left;   /* labels left */
    int32_t budget; /* labels in all */
    int32_t instance_count;
    int32_t worker_count;    /* 1 in families without workers */
    const int32_t *positive; /* [instance_count * worker_count] labels so far, those by worker w of
                                instance i at i * worker_count + w */
    const int32_t *negative;
    int32_t choice_count;
    const og_label_choice *choice; /* [choice_count] possible choices; in a query only the first of
                                      interchangeable ones */
    double price;                  /* 0: labels have no price in these families */
} og_situation;

/* A policy for families with coupled instances: "workers", "features" and "assignment". Like
 * og_callback's choose, with answer[now->choice_count + 1]. The final calls use the exact
 * posterior. For "assignment" the library evaluates such a policy exactly and does not simulate it.
 * A policy that stops can only be simulated. */
typedef og_status og_decide(void *user, const og_situation *now, double *answer, bool *weights,
                            og_message *message);

typedef struct og_policy og_policy;

/* A policy defined by a function. `name`, used in answers, must not be empty, must have fewer than
 * 1024 bytes and must differ from the library's policies. */
OG_API og_status og_policy_callback(const char *name, const og_callback *callback, og_policy **out,
                                    og_message *message);

/* The same for coupled instances; `user` is passed to the function. Other families need a callback
 * instead. */
OG_API og_status og_policy_decide(const char *name, og_decide *decide, void *user, og_policy **out,
                                  og_message *message);

/*
 * A policy defined by a table of indices, for two kinds of label: index[(n + 1) n / 2 + f] is the
 * index of an instance with n labels since the start, f of them negative, n = 0 .. labels_max <=
 * 10000. The table is copied; it must not contain NaN. The largest index is labelled; near ones
 * tie. A question that needs the index of an instance with more labels ends with OG_BAD_INPUT.
 * `name` as above.
 */
OG_API og_status og_policy_numbers(const char *name, int32_t labels_max, const double *index,
                                   og_policy **out, og_message *message);

OG_API void og_policy_free(og_policy *policy);

/*
 * A policy in a shared object, for plugin:FILE.so. It uses no function of the library. Compile it
 * with
 *
 *   cc -shared -fPIC mine.c -o mine.so
 *
 * and give it as plugin:./mine.so. It has one entry point, with this name and no argument:
 *
 *   const og_plugin *optgap_policy(void);
 *
 * Later versions only append members to the structures and then raise OG_PLUGIN_VERSION; plugins of
 * earlier versions keep working, and one of a later version is refused. Version 2 has the price and
 * the last answer.
 */
enum { OG_PLUGIN_VERSION = 2 };

/* What a plugin's `choose` returns. */
enum {
    OG_PLUGIN_FAILED = 0,  /* with a line in message: the call ends with it */
    OG_PLUGIN_INDEX = 1,   /* the group with the largest answer is labelled; near ones tie */
    OG_PLUGIN_WEIGHTS = 2, /* the answers are the groups' probabilities, up to a factor */
};

typedef struct {
    int32_t version; /* OG_PLUGIN_VERSION */
    /* 0: instances with equal posteriors are interchangeable, whatever their labels; 1: only those
     * with equal priors and equal labels are, which needs more states. */
    int32_t looks_at_labels;
    /* Creates the data that `choose` needs for a problem with this budget; NULL if it needs none.
     * On failure returns NULL with a line in message[0 .. message_bytes). */
    void *(*create)(int32_t budget, char *message, size_t message_bytes);
    /*
     * answer[state->count]: finite or infinite, not NaN; weights finite, at least 0 and not all 0.
     * answer[state->count] itself is that of stopping; both as in og_callback. The same state must
     * get the same answer; the library asks some states twice. Only one thread calls at a time.
     */
    int (*choose)(void *own, const og_plugin_state *state, double *answer, char *message,
                  size_t message_bytes);
    void (*destroy)(void *own); /* NULL if create is */
} og_plugin;

/* ---- processes ---- */

/*
 * A finite decision process without cycles, of the caller's own: the family "process". A state is a
 * block of bytes, compared whole, so that what is interchangeable must be written alike. In a state
 * the policy chooses an act, which earns a reward and leads to another state at random; or the
 * state is an end with a value. A state with one act is chance: nothing is decided there. The value
 * of a state is the largest expected sum of rewards and the end's value. Numbers have either sign
 * and are at most OG_PROCESS_NUMBER_MAX.
 */
typedef struct og_expanded og_expanded;

/*
 * `expand` calls end once, or act one or more times, each followed by its outcomes. Arguments are
 * copied. Names of acts differ within a state and have 1 to OG_PROCESS_NAME_BYTES_MAX - 1 bytes;
 * acts keep their order. Probabilities are greater than 0 and those of an act add up to 1 within
 * 1e-12; then they are divided by their sum. Outcomes may lead to the same state. The functions
 * with text take decimals and fractions, "0.25" or "-1/3"; exact fractions need them in all states.
 * A wrong argument ends the question with OG_BAD_INPUT once `expand` returns.
 */
struct og_expanded {
    void (*act)(og_expanded *to, const char *name);
    void (*outcome)(og_expanded *to, double probability, double reward, const void *next,
                    size_t bytes);
    void (*end)(og_expanded *to, double value);
    void (*outcome_text)(og_expanded *to, const char *probability, const char *reward,
                         const void *next, size_t bytes);
    void (*end_text)(og_expanded *to, const char *value);
};

enum {
    OG_PROCESS_VERSION = 1,
    OG_PROCESS_STATE_BYTES_MAX = 4096,
    OG_PROCESS_NAME_BYTES_MAX = 64, /* with the 0 at the end */
};
#define OG_PROCESS_NUMBER_MAX 1e100

/*
 * A problem's first question finds all states that any acts reach, breadth first, and calls
 * `expand` once for each; the problem keeps their table. Afterwards it asks about some 1000 of
 * them, chosen by their hash, a second time; a different answer is OG_FAILED. All calls, also of
 * policies, are made one at a time, on the calling thread. `message` takes a line with the reason
 * of a failure.
 */
typedef struct {
    int32_t version; /* OG_PROCESS_VERSION */
    void *user;
    /* Writes the root to state[OG_PROCESS_STATE_BYTES_MAX] and returns its bytes; 0: it failed. */
    size_t (*root)(void *user, void *state, char *message, size_t message_bytes);
    bool (*expand)(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes); /* false: it failed */
    /* Writes a state for people, as snprintf does; NULL, or a negative result: hexadecimal. */
    int (*text)(void *user, const void *state, size_t bytes, char *text, size_t text_bytes);
} og_process;

/* Gives a problem of the family "process" its process, whose user is kept. OG_BAD_INPUT: another
 * family or version, or a missing function. */
OG_API og_status og_problem_process(og_problem *problem, const og_process *process,
                                    og_message *message);

/* A policy for processes: answer[act_count] are indices or, with *weights = true (false on entry),
 * probabilities up to a factor, as in og_callback. It is not called for states with one act, and a
 * question asks once about each other state that it needs, some of them twice. It cannot stop. For
 * "ranking", "sources" and "labelers" the bytes are the text of the state. */
typedef og_status og_choose_act(void *user, const void *state, size_t bytes, int32_t act_count,
                                const char *const *act, double *answer, bool *weights,
                                og_message *message);

/* A policy defined by this function; `user` is passed to it. `name` as in og_policy_callback. */
OG_API og_status og_policy_process(const char *name, og_choose_act *choose, void *user,
                                   og_policy **out, og_message *message);

/* ---- questions ---- */

/* A question's name and its options. It may be asked about any number of problems. */
typedef struct og_question og_question;

/*
 * `name` is a command of the program:
 *
 *   solve, compare, query, bound, simulate, index, tree   about a problem
 *   verify                                                about a file, and perhaps a process
 *   find                                                  about a grid of problems
 *   replay, next, fit, labels                             about recorded labels
 *
 * OG_BAD_INPUT: no such question.
 */
OG_API og_status og_question_new(const char *name, og_question **out, og_message *message);
OG_API void og_question_free(og_question *question);

/*
 * Sets an option: `option` is its name in the program without the dashes, "time-limit"; `text` its
 * value, "90", or NULL for a switch. `optgap NAME --help-all` and the manual page of the command
 * list the options, their values and their defaults. A word that is no option there is one here:
 * "policy" of find, "file" of verify, "labels" of fit and labels. Not here: what a problem has
 * ("budget", "problem", "left"), and what is about output; "result" of replay is a switch, for
 * "results" in the document. An option that may be repeated there, or that names policies, adds to
 * itself; any other replaces its value. OG_BAD_INPUT: no such option, or a value that it does not
 * accept.
 */
OG_API og_status og_question_set(og_question *question, const char *option, const char *text,
                                 og_message *message);

/* Adds a policy of the caller's own, which is kept, behind those that it has. OG_BAD_INPUT: the
 * question supports no policies. */
OG_API og_status og_question_policy(og_question *question, const og_policy *policy,
                                    og_message *message);

/* The watch is called while the question is asked; `user` is kept. NULL: none. */
OG_API void og_question_watch(og_question *question, og_watch *watch, void *user);

/*
 * Recorded labels in arrays [count], which are kept, in place of the option "labels" of "replay"
 * and "fit": task and worker below count, without holes, label 0 or 1; worker NULL: unknown. gold,
 * for "replay" only, has the true label of each task, 0 or 1. They are checked when the question is
 * asked. OG_BAD_INPUT: another question.
 */
OG_API og_status og_question_set_labels(og_question *question, int64_t count, const uint32_t *task,
                                        const uint32_t *worker, const uint8_t *label,
                                        const uint8_t *gold, og_message *message);

/*
 * Asks a question. `problem` is NULL for one that is not about a problem. *out is a new document,
 * as the program prints it with --json (tools/manual/json.md), without "command", its command line.
 * On OG_OK *message is "" or a line about input that may not mean what the caller intended, or
 * about a limit that left a part of the answer out.
 *
 * OG_BAD_INPUT: the problem or an option is invalid, or the family does not support the question.
 * OG_STOPPED or OG_NO_MEMORY: a limit was reached, or the watch returned false; "compare" and
 * "find" then answer with OG_OK and what is proved, "simulate" and "replay" with the runs so far,
 * if there are two. OG_FAILED: a file or an external policy failed, or the results contradict each
 * other and cannot be trusted. Time and memory grow very fast with the budget and the number of
 * instances; "solve" with "dry-run" gives an upper bound on both, and "bound" and "simulate"
 * support problems of any size.
 */
OG_API og_status og_ask(og_problem *problem, const og_question *question, og_document **out,
                        og_message *message);

/*
 * Q of labelling each instance now, q[count][instances], and best[count][instances], true where
 * that is optimal, in each of `count` states: posterior[count][instances][2] has a and b of each
 * instance's Beta posterior, and left[count] the labels left, 0 .. the problem's budget. For each
 * state what "query" would say, Q within the errors of both, as states that have much in common are
 * evaluated together. The problem, of the family "independent", tells the number of instances
 * (copies are counted one by one; at most 1000), their thresholds and payoffs, and the largest
 * budget; its priors, which must be Betas, are not used. NAN: no labels are left, or a Q has only
 * bounds; then best is true where they prove it. Of the question, a "query" or NULL, only limits
 * are used. On error the arrays are undefined. The threads share the states; no number depends on
 * them.
 */
OG_API og_status og_query_states(og_problem *problem, int64_t count, const double *posterior,
                                 const int32_t *left, const og_question *question, double *q,
                                 bool *best, og_message *message);

/* ---- sessions ---- */

/*
 * A session follows labels as the caller receives them. It keeps the computed states of the
 * optimum, so that later states cost little. It supports "independent", "workers", "features" and
 * "assignment"; in other families a state is more than its labels. Choices are numbered instance *
 * workers + worker. Instances (tasks) and workers are numbered from 0 as they were added, copies
 * one by one; there are at most 1000 independent instances.
 */
typedef struct og_session og_session;

/* The problem is kept: it must outlive the session, unchanged. Of the question, a "query" or NULL
 * for the defaults, the limits and the watch are copied, which may stop any call with OG_STOPPED;
 * not "time-limit". OG_BAD_INPUT: another family, or features whose values cannot be computed. */
OG_API og_status og_session_new(og_problem *problem, const og_question *question, og_session **out,
                                og_message *message);
OG_API void og_session_free(og_session *session);

OG_API int32_t og_session_size(const og_session *session); /* choices */
OG_API int32_t og_session_left(const og_session *session); /* labels left */

/* The current state: the labels so far and the possible choices. With several classes, labels of
 * class 0 count as positive. Valid until the next call with this session. */
OG_API void og_session_situation(og_session *session, og_situation *out);

/* The value of each choice now, as "q" of a query's choices; NAN for one that is not possible (a
 * labelled pair, if each is labelled at most once). Each array has [size] entries or is NULL.
 * OG_BAD_INPUT: no label is left. */
OG_API og_status og_session_q(og_session *session, double *q, double *q_error, bool *optimal,
                              og_message *message);

/* Records a label: 0 for positive, 1 for negative; with several classes, the class. OG_BAD_INPUT:
 * no such choice or outcome, or no label is left. */
OG_API og_status og_session_label(og_session *session, int32_t choice, int32_t outcome,
                                  og_message *message);

#ifdef __cplusplus
}
#endif

#endif
