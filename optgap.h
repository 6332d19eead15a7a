#ifndef OPTGAP_H
#define OPTGAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Computes how far from optimal a policy is that chooses which instance to label next.
 *
 * This is the whole public interface of liboptgap. A problem has a family (independent instances,
 * labels that take time, ...), options (a name and a text, as in the program) and instances. A
 * request holds the question; the answer is the document that the program prints with --json, a
 * tree of which parts are found by their paths.
 *
 *   og_problem *problem = NULL;
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
 *       status = og_compare(problem, NULL, &answer, &message);
 *   }
 *   double gap = og_number_at(answer, "policies.1.gap");
 *   ...
 *   og_document_free(answer);
 *   og_problem_free(problem);
 *
 * Errors: a function that can fail returns an og_status and writes one line for a person to
 * *message, which may be NULL. Outputs are written on OG_OK only. Arguments must not be NULL unless
 * the comment allows it. The library borrows them for the call, except those called "kept".
 *
 * Threads: the library has no global state and prints nothing. One thread at a time may use a
 * handle; any number of threads may share policies and unchanged documents. A call starts threads,
 * so that settings.threads work in all; with 1, callbacks too run on the calling thread.
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

/* One line, no newline at its end; always terminated, cut if too long. Fields have their names, and
 * options of og_problem_set stand in double quotes: "workers-prior". */
typedef struct {
    char text[OG_MESSAGE_BYTES];
} og_message;

/* A few words for a status without a message: "out of memory". Never NULL; not to be freed. */
OG_API const char *og_status_text(og_status status);

/* "0.1.0". Not to be freed. */
OG_API const char *og_version(void);

/* ---- how values are computed ---- */

/* Tie-breaking: which of the tied instances is labelled. */
typedef enum {
    OG_TIES_RANDOM, /* each with the same probability, every copy counted */
    OG_TIES_FIRST,  /* the one given first; instances keep their order */
    OG_TIES_BEST,   /* the one whose continuation under the same rule is worth most */
    OG_TIES_WORST,  /* the one whose continuation under the same rule is worth least */
} og_ties;

enum { OG_TIES_COUNT = 4 };

/* The reductions of the search. Each is exact and can be switched off, so that a test can compare
 * the value with and without it. */
enum {
    OG_REDUCE_SORT = 1,   /* 1: the order of instances does not matter */
    OG_REDUCE_MERGE = 2,  /* 2: equivalent nodes are one class, dead ones are dropped */
    OG_REDUCE_CAP = 4,    /* 3: copies that can never all be used are dropped; needs SORT */
    OG_REDUCE_FORCE = 8,  /* 4: a label that is at least as good as anything later is taken */
    OG_REDUCE_BOUND = 16, /* 5: actions that cannot win are skipped */
    OG_REDUCE_TWO = 32,   /* 6: two copies of the best arm force its label; needs SORT */
    OG_REDUCE_ALL = 63,
};

/* Which exact algorithm computes the optimum of independent instances in doubles. All give the same
 * value within its error bound. Only the recursion computes other values and other families. */
typedef enum {
    OG_ENGINE_AUTO,      /* the cheapest one by counted states, also a margin cut: two problems
                            without instances far from the threshold, if both ends agree. The choice
                            is deterministic */
    OG_ENGINE_RECURSION, /* with a memory and bounds */
    OG_ENGINE_BLOCKS, /* layers of dense tensors; OG_BAD_INPUT if they do not support the problem */
} og_engine;

/* Progress of a long computation. */
typedef struct {
    uint64_t states;       /* stored so far, evicted ones included; may lag slightly */
    uint64_t forgotten;    /* evicted because memory was full; they may be expanded again */
    uint64_t memory_bytes; /* held by the tables now */
    double settled; /* estimated share of the first choices that are settled, or share of the runs
                       that are done; 0 .. 1 */
    double seconds; /* since the call began */
} og_progress;

/* A group of processes that compute together; the library only passes it on. */
typedef struct og_world og_world;

/* Called about ten times a second from one of the working threads. Returning false stops the
 * computation. */
typedef bool og_watch(void *user, const og_progress *progress);

/*
 * How tables of labels, true labels, comparisons, scores and contexts are read; the words are those
 * of the options of `optgap fit`. All zeros: tables whose columns have usual names. Borrowed.
 */
typedef struct {
    const char *columns;  /* "task=item,worker=rater", names or numbers from 1 of the columns; all
                             numbers: files without a header. NULL: the usual names */
    const char *missing;  /* values that are no label, "unsure,-1"; NULL: only empty cells */
    const char *positive; /* which of two classes is positive; NULL: the second one in order */
    const char *classes;  /* all classes in their order, "neg,neutral,pos"; NULL: those that occur,
                             sorted, and two if there are fewer */
    const char *repeats; /* of labels of a worker for a task, "first", "last" or "all"; NULL: all */
    const char *format;  /* of files of labels, "label-studio"; NULL: found by looking */
    const char *encoding; /* "latin1"; NULL: UTF-8 */
    const char *draws;    /* in comparisons, "half" or "drop"; NULL: half a win for each item */
    bool wide;            /* labels have a column for each worker */
} og_tables;

typedef struct {
    int threads;           /* at most OG_THREADS_MAX; 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned reductions; /* OG_REDUCE_* for the optimum; a policy's value uses those that are exact
                            for the policy */
    og_engine engine;    /* for the optimum's value and Q, and for values of index policies */
    og_watch *watch;     /* NULL: no progress calls */
    void *watch_user;
    uint64_t states_max; /* stop after this many expanded states; 0: no limit. Each thread checks
                            this and memory after every 4096 states that it expands. A state of
                            blocks or of a margin cut counts as 1/40 */
    bool stop_when_full; /* stop at the memory limit instead of evicting the states that are
                            cheapest to compute again */
    /*
     * A checkpoint file for the optimum. It is read first, if it exists, and written at intervals
     * and when the computation is stopped. It holds states of the recursion, which then computes
     * the optimum, or with OG_ENGINE_BLOCKS whole layers. Borrowed; NULL: none.
     */
    const char *checkpoint;
    /* Least time between two checkpoints, which take at most a tenth of the time. 0:
     * OG_CHECKPOINT_SECONDS. */
    double checkpoint_seconds;
    /*
     * A folder for layers of blocks that do not fit in memory_bytes. They stay there if the
     * computation is stopped or killed, and the same computation resumes from the last whole layer.
     * They are removed once the value is computed. Borrowed; NULL: none.
     */
    const char *scratch;
    /* The ranks that compute the optimum of independent instances together, with layers of blocks,
     * as the program does under mpirun. Borrowed; NULL: this process alone. */
    const og_world *world;
    /* For bounds on independent instances: also compute the bound that plays the last joint_end
     * labels jointly. 0 .. 8 and less than the budget, else OG_BAD_INPUT; 0: omit it. It takes
     * longer than other bounds. */
    int32_t joint_end;
    const og_tables *tables; /* for questions about recorded labels; borrowed; NULL: as zeros */
} og_settings;

enum { OG_CHECKPOINT_SECONDS = 300, OG_THREADS_MAX = 1024 };

/* One thread per core, three quarters of the memory, all reductions, no watch. */
OG_API void og_settings_default(og_settings *settings);

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

/* Frees a new document with all its parts; NULL is fine. */
OG_API void og_document_free(og_document *document);

/* ---- families ---- */

/* "independent", "delayed", ...; NULL past the last. Not to be freed. */
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

/* An empty problem. OG_BAD_INPUT: no such family; OG_NO_MEMORY. */
OG_API og_status og_problem_new(const char *family, og_problem **out, og_message *message);
OG_API void og_problem_free(og_problem *problem); /* NULL is fine */

/*
 * Sets an option. `option` is the program's name without the dashes; `text` is its value, which is
 * copied, or NULL for a switch. All families except "delayed" have "budget", the number of labels,
 * 0 .. 1000000, which must be set, or "Neach": at most N labels for each instance and no common
 * budget, for og_compare and og_solve of independent instances and of those with a price; "left",
 * how many of them are left; and "problem", "labels" or "bandit". og_family_describe lists the
 * family's other options. An option may be set again; lists and family options only before the
 * first question. OG_BAD_INPUT: no such option, or a value that it does not accept; OG_FAILED: a
 * file; OG_NO_MEMORY.
 */
OG_API og_status og_problem_set(og_problem *problem, const char *option, const char *text,
                                og_message *message);

/* Adds instances, given as one INSTANCE word of the program: "10x1,1", "2,1@0.3",
 * "0.5:1,3+0.5:3,1", "1,1,1", "3xarm:FILE". OG_BAD_INPUT leaves the problem as it was. The families
 * "labelers"
 * ("2x0.7") and "ranking" ("3x1") have other words, which are read at the first question; these
 * families do not support the two functions below. */
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
 * (`arm:FILE`, manual page own.md): a line for each outcome of a node, tab separated
 * columns named by the first line, node, outcome, probability, next, value and perhaps reward. The
 * text is copied. OG_BAD_INPUT, with a message of the line, leaves the problem as it was. Supported
 * by the families "independent" and "priced".
 */
OG_API og_status og_problem_add_arm(og_problem *problem, int64_t copies, const char *table,
                                    og_message *message);

/*
 * Adds instances that have labels already: positive[count] and negative[count], each at least 0,
 * are added to the prior Beta(a, b). Reports list every instance separately, in this order. On
 * error none is added. O(count).
 */
OG_API og_status og_problem_add_counts(og_problem *problem, int32_t count, const int32_t *positive,
                                       const int32_t *negative, double a, double b,
                                       double threshold, og_message *message);

/* Checks that the problem is complete and valid. Like every question, it builds the tables of the
 * priors and frees them. OG_BAD_INPUT; OG_NO_MEMORY or OG_STOPPED if they do not fit. */
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
                              first     names them, in either column */
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
 * for all instances that have no payoff of their own. `name`, copied, is shown in documents and
 * messages; `user`, borrowed, is passed on. The answer must depend on `at` alone: kind
 * OG_PLUGIN_BETA, _MIXTURE or _CLASSES, `copies` 1, `parameter` and `labels` as for policies, valid
 * until it returns. Each question calls it once for each posterior that labels reach from each
 * different prior, on the calling thread, before anything else. Its doubles are exact numbers:
 * og_request.exact works. If labels can lower the expected worth, all are used nevertheless, and a
 * question's *message says so; with "price", also 0, policies stop.
 *
 * OG_BAD_INPUT: not of the families "independent" and "priced". In a question OG_BAD_INPUT if a
 * number is not finite or its size is above 10^6, with a message of the posterior; together with
 * the option "payoff"; and for policies that look beyond the budget (gittins-inf). OG_NO_MEMORY.
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
 * nor a policy and the call's watch. With settings.threads 1 it always runs on the calling thread.
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
     * largest is labelled, and those within og_request.tie_tolerance of it tie. Instances of a
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
    const og_label_choice *choice; /* [choice_count] possible choices; in og_query only the first of
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

/* A policy with a name of the program: "opt-kg", "cvar-kg:0.5", "command:python3 mine.py";
 * "mine=command:python3 mine.py" is "mine" in answers. OG_BAD_INPUT: no such policy. */
OG_API og_status og_policy_new(const char *name, og_policy **out, og_message *message);

/* A policy defined by a function; *callback is copied. `name`, used in answers, is copied too; it
 * must not be empty, must have fewer than 1024 bytes and must differ from the library's policies.
 */
OG_API og_status og_policy_callback(const char *name, const og_callback *callback, og_policy **out,
                                    og_message *message);

/* The same for coupled instances; `user` is passed to the function. Other families need a callback
 * instead. */
OG_API og_status og_policy_decide(const char *name, og_decide *decide, void *user, og_policy **out,
                                  og_message *message);

/*
 * A policy defined by a table of indices, for two kinds of label: index[(n + 1) n / 2 + f] is the
 * index of an instance with n labels since the start, f of them negative, n = 0 .. labels_max <=
 * 10000. The table is copied and must not contain NaN. The largest index is labelled; near ones
 * tie. A question that needs the index of an instance with more labels ends with OG_BAD_INPUT.
 * `name` as above.
 */
OG_API og_status og_policy_numbers(const char *name, int32_t labels_max, const double *index,
                                   og_policy **out, og_message *message);

OG_API const char *og_policy_text(const og_policy *policy); /* its name in answers */
OG_API void og_policy_free(og_policy *policy);              /* NULL is fine */

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

/* Gives a problem of the family "process" its process; *process is copied, its user is kept.
 * OG_BAD_INPUT: another family or version, or a missing function. */
OG_API og_status og_problem_process(og_problem *problem, const og_process *process,
                                    og_message *message);

/* A policy for processes: answer[act_count] are indices or, with *weights = true (false on entry),
 * probabilities up to a factor, as in og_callback. It is not called for states with one act, and a
 * question asks once about each other state that it needs, some of them twice. It cannot stop. */
typedef og_status og_choose_act(void *user, const void *state, size_t bytes, int32_t act_count,
                                const char *const *act, double *answer, bool *weights,
                                og_message *message);

/* A policy defined by this function; `user` is passed to it. `name` as in og_policy_callback. */
OG_API og_status og_policy_process(const char *name, og_choose_act *choose, void *user,
                                   og_policy **out, og_message *message);

/* ---- questions ---- */

#define OG_STATES_USUAL UINT64_MAX /* see below */

/*
 * A question's options. Each function lists the fields that it uses; all use settings and
 * seconds_max. The library borrows everything. NULL instead of a request means the default one. A
 * field out of its range, a NaN, an empty text or a missing array is OG_BAD_INPUT with the field's
 * name, even if the function does not use the field.
 */
typedef struct {
    og_settings settings;             /* its watch can end any question */
    double seconds_max;               /* time limit, checked about ten times a second; 0: none */
    const og_policy *const *policies; /* [policy_count] */
    int32_t policy_count;             /* 0: the family's usual policies */
    const og_ties
        *ties; /* [ties_count] compare and simulate: evaluate each policy under each of these */
    int32_t ties_count; /* 0: random */
    bool exact;   /* also compute fractions; OG_BAD_INPUT if the problem does not support them */
    bool explain; /* compare: why each policy loses */
    /* compare: largest number of states for one policy's value, and for the optimum; 0: no limit.
     * OG_STATES_USUAL for a policy means 20 million, or four times the optimum's states if that is
     * more. For the optimum it means no limit while all states fit in memory. Once some were
     * evicted it means 20 million, or for more than 100 labels proportionally fewer; with
     * seconds_max or a checkpoint it still means no limit. */
    uint64_t policy_states_max, optimum_states_max;
    double index_seconds_max; /* time limit for computing an index; a policy that exceeds it is
                                 omitted; 0: none */
    int64_t runs;  /* simulate: 2 .. 10^9; compare: for policies without an exact value, 0: none */
    uint64_t seed; /* of these runs */
    const char *truth; /* simulate: "prior", "beta:A,B" or "list:X,X,...", for a ranking also
                          "dirichlet:A,A,...", and "workers:A,B" or "workers-list:X,X,..."; NULL:
                          prior. compare: also evaluate under this truth, for independent instances,
                          or under each of "grid:FROM:TO:STEP"; NULL: no */
    /* compare: "A,B": also evaluate policies that assume the prior Beta(A,B) for every instance,
     * while the problem's priors generate the labels; NULL: no. OG_BAD_INPUT together with truth.
     */
    const char *believe;
    /* compare: the document then contains only the least number of labels, up to the budget, after
     * which the expected share of correct calls is at least this, 0 .. 1, for the optimal policy
     * and each of the policies. 0: no. Not together with truth, believe, explain and exact.
     */
    double reach;
    bool counts; /* simulate: count the labels of each instance; in a ranking or assignment, how
                    often each worker labels each item */
    bool result; /* replay: the document's "results" hold what the first run of each policy
                    concluded */
    const char *export_policy; /* solve: a file for the optimal policy; NULL: none */
    bool all_optimal;          /* write all optimal actions of each state to it, not one */
    const char *export_model;  /* solve: NAME.drn or NAME.tra, for model checkers; NULL: none */
    bool dry_run;              /* solve: only compute how much time and memory it can take */
    /*
     * Relative tolerance, 0 .. 1, within which indices of user-defined policies (table:, command:,
     * plugin:, functions, numbers) tie; near ties are counted. 0: only equal indices tie. In
     * descending order, the largest index ties with those within the tolerance of it; the largest
     * of the rest begins the next group.
     */
    double tie_tolerance;
    int32_t tree_states_max; /* largest number of states of a tree; OG_BAD_INPUT if it has more */
    int32_t tree_levels;     /* number of labels that a tree follows; 0: all */
    bool all_actions;        /* a tree follows every action, not only optimal ones */
    /* query: the labels so far, in the words of --history: "1+ 2-", "1:win", "1@2+"; NULL: none.
     * The budget then counts these too, and instances are priors. OG_BAD_INPUT: another word, more
     * labels than the budget, or a family that does not support it. */
    const char *history;
    bool no_times; /* times in the document are null: equal questions have equal documents */
} og_request;

#define OG_TIE_TOLERANCE 1e-12

/* Random ties, 60 seconds for an index, 10000 runs, seed 1, OG_TIE_TOLERANCE, trees of at most 300
 * states; the other fields as the program's defaults. */
OG_API void og_request_default(og_request *request);

/*
 * Each of these functions opens the problem, answers one question and closes it again.
 * OG_BAD_INPUT: the problem or the request is invalid, or the family does not support it.
 * OG_STOPPED or OG_NO_MEMORY: a limit was reached, or the watch returned false. OG_FAILED: a file
 * or an external policy failed, or the results contradict each other and cannot be trusted. *out is
 * a new document, as the program prints it with --json (tools/manual/json.md), without "command",
 * its command line. On OG_OK *message is "" or a line about input that may not mean what the caller
 * intended, or about a limit that left a part of the answer out.
 */

/* Computes the optimal value: optimal.value, optimal.error_bound, ... Uses exact, export_policy,
 * export_model, all_optimal, dry_run. Time and memory grow very fast with the budget and the number
 * of instances; dry_run gives an upper bound on both. */
OG_API og_status og_solve(og_problem *problem, const og_request *request, og_document **out,
                          og_message *message);

/*
 * Compares policies with the optimum: computes bounds, then policies, then the optimum. OG_OK even
 * if a limit ended a part of it: optimal.limit and the policies' limits name it, and the bracket is
 * valid. Uses all fields except export_policy, export_model, all_optimal, dry_run and history.
 */
OG_API og_status og_compare(og_problem *problem, const og_request *request, og_document **out,
                            og_message *message);

/* Finds the optimal choices now, and the policies' choices. Uses policies, exact
 * and history. Costs as much as og_solve. When seconds_max is over, independent instances have
 * bounds on Q in the document instead. */
OG_API og_status og_query(og_problem *problem, const og_request *request, og_document **out,
                          og_message *message);

/* States in arrays, which are borrowed. */
typedef struct {
    int64_t count;
    const double *posterior; /* [count][instances][2] a and b of each instance's Beta posterior */
    const int32_t *left;     /* [count] labels left, 0 .. the problem's budget */
} og_states;

enum { OG_STATES_INSTANCES_MAX = 1000 };

/*
 * Q of labelling each instance now, q[count][instances], and best[count][instances], true where
 * that is optimal: for each state what og_query would say, Q within the errors of both, as states
 * that have much in common are evaluated together. The problem, of the family
 * "independent", tells the number of instances (copies are counted one by one), their thresholds
 * and payoffs, and the largest budget; its priors, which must be Betas, are not used. NAN: no
 * labels are left, or a Q has only bounds; then best is true where they prove it. Uses settings and
 * seconds_max of the request, which may be NULL. On error the arrays are undefined. The threads
 * share the states; no number depends on them.
 */
OG_API og_status og_query_states(og_problem *problem, const og_states *states,
                                 const og_request *request, double *q, bool *best,
                                 og_message *message);

/* Computes upper bounds without solving. Uses exact. Supports problems of
 * any size. */
OG_API og_status og_bound(og_problem *problem, const og_request *request, og_document **out,
                          og_message *message);

/* Simulates policies. OG_OK with fewer runs, at least two, if time or the watch ended it. Uses
 * policies, ties (random and first), runs, seed, truth, index_seconds_max. */
OG_API og_status og_simulate(og_problem *problem, const og_request *request, og_document **out,
                             og_message *message);

/*
 * Tabulates the index of the request's one policy for every posterior that up to T labels of an
 * instance can reach, and for every number of labels that can then be left. The document has
 * "columns", "rows" and proved errors, as `optgap index --json`. Uses policies. Only for
 * "independent"; OG_BAD_INPUT: instances with different thresholds, or a policy without an index.
 * T^3 / 6 rows.
 */
OG_API og_status og_index_table(og_problem *problem, const og_request *request, og_document **out,
                                og_message *message);

/*
 * Builds the decision tree of the optimal policy. The document has "states", as `optgap tree
 * --json`: the root first, each state once, with its value, its actions with their values, and the
 * states that their outcomes lead to. With one policy it also has that policy's choices (ties
 * broken at random), the states that they lead to, and what they lose. Uses policies, exact,
 * tree_states_max, tree_levels and all_actions. Costs as much as og_solve, and a Q for every
 * action. OG_BAD_INPUT: the tree is too large, the family does not support trees, or there are
 * several policies or one with a belief of its own.
 */
OG_API og_status og_decision_tree(og_problem *problem, const og_request *request, og_document **out,
                                  og_message *message);

/*
 * Checks an exported policy with code that shares only the tables of posteriors with the engine.
 * The document has value, gain and error_bound of the policy, and bounds on the optimum. Of
 * settings (NULL for the defaults) it uses threads, memory_bytes and the watch. OG_BAD_INPUT: no
 * such file, not a policy file, or a policy that contradicts its file's claims.
 */
OG_API og_status og_verify(const char *file, const og_settings *settings, og_document **out,
                           og_message *message);

/* ---- prices of labels and payoffs of calls, the same for all instances ---- */

typedef struct {
    const char *price;  /* of each label, "0.05", in units of a correct call or of the payoff; the
                           policy may stop before the budget is used. NULL: labels are free and all
                           of the budget is used */
    const char *payoff; /* of a call, "TP,FP,FN,TN", with ",U" if it may be left undecided, or
                           "brier", "squared" or "log"; NULL: "1,0,0,1" */
} og_stakes;

/* ---- searches ---- */

/* A grid of problems, searched from the smallest: fewer instances, fewer labels, smaller
 * parameters. */
typedef struct {
    const char *claim; /* about the first policy: "value:C" or "gain:C", its value or gain is at
                          least C times the other's; NULL: it loses nothing */
    bool worst; /* find the problem of the grid with the largest loss, not the smallest problem */
    int32_t instances;      /* the largest of each; 0: 3 instances, */
    int32_t budget;         /* 4 labels, */
    int32_t parameter;      /* and Beta priors with whole parameters from 1 to 4 */
    const char *thresholds; /* "0.5,0.3"; NULL: 0.5 */
    og_stakes stakes;       /* the same for every problem */
} og_search;

/*
 * Finds the smallest problem in which a policy loses against the optimum, has another value than a
 * second policy, or violates the claim, as `optgap find`. Every smaller problem was evaluated in
 * fractions. Of the request it uses one or two policies, one tie rule, seconds_max and settings;
 * settings.checkpoint stores the progress of the search. OG_OK also if a limit ended it: then
 * search.complete is false, and search.limit says why. The document has "search", and "found"
 * (null: nothing) with "problem", "optimal" and "policies" as in og_compare. OG_BAD_INPUT: an
 * invalid claim or grid, a policy without an exact value, or another search's file; with a price, a
 * policy that does not support prices; with a price or payoff, a claim about a share of a value
 * that may be negative.
 */
OG_API og_status og_find(const og_search *search, const og_request *request, og_document **out,
                         og_message *message);

/* ---- recorded labels ---- */

/*
 * Recorded labels, and the true calls (gold). They come from files, or from arrays if labels_file
 * is NULL. Tasks are numbered from 0 without holes, and every task has gold.
 */
typedef struct {
    const char *labels_file; /* a table with the columns task, worker, label */
    const char *gold_file;   /* likewise: task, label */
    int64_t count;
    const uint32_t *task;   /* [count] below count */
    const uint32_t *worker; /* [count] below count; NULL: unknown */
    const uint8_t *label;   /* [count] 0 or 1 */
    const uint8_t *gold;    /* [tasks] 0 or 1 */
    const char
        *prior; /* of every task, "A,B", "A,B@D" or, for classes, "A,B,C"; NULL: 1 for each class */
    int32_t budget;      /* number of labels; -1: all recorded ones */
    int32_t at_count;    /* 0: fifths of the budget */
    const int32_t *at;   /* [at_count] budgets at which accuracy is reported, increasing; the whole
                            budget is added */
    bool final_positive; /* call a task positive if it is undecided in the end, instead of counting
                            it half */
    /* Recorded comparisons of two items instead of labels; gold_file then has the items' scores,
     * and `prior` is A of every item. workers_prior is the prior of each worker's accuracy, "4,1";
     * NULL: workers are assumed to be always right. */
    const char *pairs_file;
    const char *workers_prior;
    og_stakes stakes; /* of labels; with a price, every policy except uniform stops when no index
                         exceeds it */
    /* "assignment" of workers to tasks, or "labelers", with files, and without prior, comparisons,
     * stakes and final_positive; NULL: "labels". The rest is as the program's options. */
    const char *problem;
    const char *contexts_file, *fill; /* of assignment; NULL: one context, "accuracy" */
    double explore;                   /* G1 of labelers; 0: 1 */
    bool weighted;                    /* votes of labelers */
} og_recording;

/*
 * Runs policies on recorded labels, drawn without replacement, as `optgap replay` does. The
 * document has the mean shares of tasks called as in gold, for several budgets; with a price or a
 * payoff also the worth of the calls minus the price of the labels. A policy that replay does not
 * support gets a row with the reason. Uses policies, ties (random and first), runs (20 if request
 * is NULL), seed and result; labelers have their own policies, and no rows.
 */
OG_API og_status og_replay(const og_recording *labels, const og_request *request, og_document **out,
                           og_message *message);

/* Recorded labels, and a budget for more. Files are tables whose first line names the columns. */
typedef struct {
    const char
        *labels_file;  /* columns task, worker, label; may be empty, or NULL, with tasks_file */
    const char *prior; /* of every task, as in og_recording; NULL: fitted to the labels, with
                          workers_prior together with the workers; 1,1 if the labels
                          differ by no more than chance */
    int32_t budget;    /* labels left; with 0 none is chosen */
    int32_t batch;     /* labels to choose, at least 1; at most as many as are possible */
    bool final_calls;  /* instead of choosing tasks, report each task's call now */
    og_stakes stakes;  /* with a price, only tasks that are worth a label are chosen */
    const char *tasks_file; /* column task: more tasks, which may have no label. Column p: a model's
                               probability that the task is positive; may be empty */
    const char *model_strength; /* p counts as so many labels; NULL or "auto": fitted */
    const char *closed_file;    /* column task: tasks that get no more labels */
    const char *free_file;      /* column worker: those who can label, each a task once; with a
                                   column task only these pairs. NULL: workers are not named */
    int32_t max_per_task;       /* labels of a task, with those that it has; 0: any number */
    int32_t per_batch;          /* labels of a task in a batch, at most 20; 0: 1 */
    /* With final_calls: */
    const char *gold_file;     /* columns task, label, for some tasks: how reliable calls are */
    const char *workers_prior; /* "4,1": workers of unknown reliability, with this prior of their
                                  accuracy. With pairs_file likewise */
    /* Recorded comparisons instead of labels: columns left, right, label (the winner) and, perhaps,
     * worker. `prior` is A of every item; the policy is akg or distance. The batch has pairs, and
     * final_calls gives the ranking. */
    const char *pairs_file;
    /* Labels are bought: "NAME:PRICE:P" or "NAME:PRICE:P:MOST", as --source; "A,B" for P is the
     * prior of each worker's unknown accuracy, and the name "*" has all other workers. The budget
     * counts units, a label's worker is "NAME" or "NAME:anything", and p of tasks_file is the
     * prior. */
    const char *const *sources;
    int32_t source_count;
} og_batch;

/*
 * Chooses the tasks that the request's one policy (none: gittins-fh:10) would label next without
 * seeing any label of the batch, and bounds the loss. The document is as `optgap next
 * --json`. Uses policies and seed. If no label is worth its price, no task is chosen; "stop" means
 * that this is proved. OG_BAD_INPUT: an invalid file or batch, a policy without an index for single
 * tasks, a price together with final calls or several labels of a task in a batch, or two payoffs.
 */
OG_API og_status og_next_batch(const og_batch *labels, const og_request *request, og_document **out,
                               og_message *message);

/* Method for fitting a prior to labels. */
typedef enum {
    OG_FIT_MOMENTS, /* moments of the beta-binomial, corrected for the noise of counting; the fit
                       may not exist */
    OG_FIT_ML,      /* its maximum likelihood */
    OG_FIT_PAPER,   /* moments of the tasks' fractions of positive labels, noise included [Hu and
                       Frazier]: far too wide if tasks have few labels */
} og_fit_method;

enum { OG_FIT_CLASSES_MAX = 10 };

/*
 * Fit a prior to recorded labels of tasks: Beta(a, b), or a Dirichlet for three or more classes.
 * Give it to og_problem_add_beta or, with three or more classes, as an INSTANCE word.
 *
 * og_fit_file reads a file of labels as `tables` describes; NULL: as zeros. It fills
 * prior[0 .. *count - 1], which has room for OG_FIT_CLASSES_MAX: a and b, or one parameter for each
 * class in the order of the classes. og_fit_labels reads arrays [count]; tasks are numbered from 0
 * without holes, and labels are 0 or 1. OG_BAD_INPUT: an invalid file, or labels that fit no prior;
 * the message names an alternative.
 */
OG_API og_status og_fit_file(const char *file, const og_tables *tables, og_fit_method method,
                             double *prior, int32_t *count, og_message *message);
OG_API og_status og_fit_labels(int64_t count, const uint32_t *task, const uint8_t *label,
                               og_fit_method method, double *a, double *b, og_message *message);

/* ---- sessions ---- */

/*
 * A session follows labels as the caller receives them. It keeps the computed states of the
 * optimum, so that later states cost little. It supports "independent", "workers", "features" and
 * "assignment"; in other families a state is more than its labels. Choices are numbered instance *
 * workers + worker. Instances (tasks) and workers are numbered from 0 as they were added, copies
 * one by one; there are at most 1000 independent instances. One thread at a time may use it.
 */
typedef struct og_session og_session;

/* The problem is kept: it must outlive the session, unchanged. settings, NULL for the defaults, are
 * copied; their watch may stop any call with OG_STOPPED. OG_BAD_INPUT: another family, or features
 * whose values cannot be computed. */
OG_API og_status og_session_new(og_problem *problem, const og_settings *settings, og_session **out,
                                og_message *message);
OG_API void og_session_free(og_session *session); /* NULL is fine */

OG_API int32_t og_session_size(const og_session *session); /* choices */
OG_API int32_t og_session_left(const og_session *session); /* labels left */

/* The current state: the labels so far and the possible choices. With several classes, labels of
 * class 0 count as positive. Valid until the next call with this session. */
OG_API void og_session_situation(og_session *session, og_situation *out);

/* The value of each choice now, as "q" of og_query's choices; NAN for one that is not possible (a
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
