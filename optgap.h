#ifndef OPTGAP_H
#define OPTGAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How far from optimal is a policy that decides what to label next?
 *
 * This is the whole public interface of liboptgap. A problem has a family (independent instances,
 * labels that take time, ...), options by name and text, as the program takes them, and instances.
 * What is asked about it is filled in as a request; what comes back is a report: numbers, and
 * beside them the document that the program prints with --json.
 *
 *   og_problem *problem = NULL;
 *   og_report *report = NULL;
 *   og_message message = {""};
 *   og_status status = og_problem_new("independent", &problem, &message);
 *   if (status == OG_OK) {
 *       status = og_problem_set(problem, "budget", "12", &message);
 *   }
 *   if (status == OG_OK) {
 *       status = og_problem_add(problem, "10x1,1", &message);
 *   }
 *   if (status == OG_OK) {
 *       status = og_compare(problem, NULL, &report, &message);
 *   }
 *   ...
 *   og_report_free(report);
 *   og_problem_free(problem);
 *
 * Errors: a function that can fail returns an og_status and writes one line for a person to
 * *message, which may be NULL. Outputs are written on OG_OK only. Arguments are never NULL unless
 * it says so; all but those called "kept" are borrowed for the call.
 *
 * Threads: nothing is shared behind the caller's back, and nothing is printed. A handle is for one
 * thread at a time, policies and documents that nobody changes for any number of them. A call
 * starts threads of its own, settings.threads in all; with 1, everything it calls is called on the
 * calling thread.
 */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OG_API __attribute__((visibility("default")))
#else
#define OG_API
#endif

/* ---- how a call ended ---- */

typedef enum {
    OG_OK = 0,
    OG_BAD_INPUT, /* an argument breaks the function's contract */
    OG_NO_MEMORY, /* an allocation failed, or a fixed limit would be passed */
    OG_STOPPED,   /* a limit was reached before the proof was complete */
    OG_FAILED,    /* a file, a child process or a library underneath failed */
} og_status;

enum { OG_MESSAGE_BYTES = 512 };

/* One line, no newline at its end; always terminated, cut if too long. */
typedef struct {
    char text[OG_MESSAGE_BYTES];
} og_message;

/* A few words for a status without a message: "out of memory". Never NULL; not to be freed. */
OG_API const char *og_status_text(og_status status);

/* "0.1.0". Not to be freed. */
OG_API const char *og_version(void);

/* ---- how values are computed ---- */

/* Which of the tied instances is labelled. */
typedef enum {
    OG_TIES_RANDOM, /* every tied instance with the same probability, copies counted */
    OG_TIES_FIRST,  /* the one given first; instances keep their order */
    OG_TIES_BEST,   /* the one whose continuation under the same rule is worth most */
    OG_TIES_WORST,  /* the one whose continuation under the same rule is worth least */
} og_ties;

enum { OG_TIES_COUNT = 4 };

/* The reductions of the search, each exact and each switchable, so that a test can compare a value
 * with and without it. */
enum {
    OG_REDUCE_SORT = 1,   /* 1: the order of instances does not matter */
    OG_REDUCE_MERGE = 2,  /* 2: equivalent nodes are one class, dead ones are dropped */
    OG_REDUCE_CAP = 4,    /* 3: copies that can never all be used are dropped; needs SORT */
    OG_REDUCE_FORCE = 8,  /* 4: a label that is at least as good as anything later is taken */
    OG_REDUCE_BOUND = 16, /* 5: actions that cannot win are skipped */
    OG_REDUCE_TWO = 32,   /* 6: two copies of the best arm force its label; needs SORT */
    OG_REDUCE_ALL = 63,
};

/* Which of two exact ways leads to the optimum of independent instances, in doubles. Other values,
 * and those of other families, come from the recursion alone. The same value within its error
 * bound. */
typedef enum {
    OG_ENGINE_AUTO,      /* the one that takes less, by counted states: the same choice always */
    OG_ENGINE_RECURSION, /* with a memory and bounds */
    OG_ENGINE_BLOCKS,    /* layers of dense tensors; OG_BAD_INPUT where they cannot do it */
} og_engine;

/* How far a long computation has come. */
typedef struct {
    uint64_t states;       /* remembered so far, forgotten ones included; lags a little behind */
    uint64_t forgotten;    /* of them, because memory was full: they may be expanded again */
    uint64_t memory_bytes; /* held by the tables now */
    double settled;        /* share of the first decisions that is settled, an estimate, or of the
                              runs or cells that are done; 0 .. 1 */
    double seconds;        /* since the call */
} og_progress;

/* Processes that compute together; the library only passes it on. */
typedef struct og_world og_world;

/* Called about ten times a second from one of the threads at work; false stops the computation. */
typedef bool og_watch(void *user, const og_progress *progress);

typedef struct {
    int threads;           /* at most OG_THREADS_MAX; 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned
        reductions;   /* OG_REDUCE_*; the optimum uses all of them, a policy what is exact for it */
    og_engine engine; /* of the optimum's value and Q, and of index policies' values */
    og_watch *watch;  /* NULL: nobody is told */
    void *watch_user;
    uint64_t states_max; /* stop after so many states were expanded; 0: no such limit. Every thread
                            looks at this and at memory each 4096 states of its own. A state of
                            blocks counts as a fortieth */
    bool stop_when_full; /* stop when the memory limit is reached, instead of forgetting what is
                            cheapest to compute again */
    /*
     * A file for what is known of the optimum: read first, if it is there; written at intervals
     * and when the computation is stopped. It holds states of the recursion, which then computes
     * it, or with OG_ENGINE_BLOCKS whole layers. Borrowed; NULL: none.
     */
    const char *checkpoint;
    /* Between two writings, at least; they take a tenth of the time at most. 0:
     * OG_CHECKPOINT_SECONDS. */
    double checkpoint_seconds;
    /*
     * A folder for layers of blocks that memory_bytes does not hold. They stay there when the
     * computation is stopped or killed, the same one goes on from the last whole one, and they are
     * removed once the value is known. Borrowed; NULL: none.
     */
    const char *scratch;
    /* Ranks that compute the optimum of independent instances together, by layers of blocks, as the
     * program does where it is started by mpirun. Borrowed; NULL: this process alone. */
    const og_world *world;
    /* Bounds of independent instances: of the last so many labels played together as well, 0 .. 8
     * and fewer than the budget, else OG_BAD_INPUT; 0: no. It takes longer than other bounds. */
    int32_t joint_end;
} og_settings;

enum { OG_CHECKPOINT_SECONDS = 300, OG_THREADS_MAX = 1024 };

/* One thread per core, three quarters of the memory, all reductions, nobody who watches. */
OG_API void og_settings_default(og_settings *settings);

/* ---- documents ---- */

/*
 * What was found, as a tree of named values: objects, arrays, numbers, texts. Part of the report
 * that it came with, or the caller's to free where a function says "new". A part, too, is an
 * og_document, good as long as the whole. Functions that read take NULL: there is nothing in it.
 */
typedef struct og_document og_document;

/* The children of objects and arrays; 0 and NULL elsewhere, and NULL where there is no such child.
 */
OG_API int32_t og_document_count(const og_document *document);
OG_API og_document *og_document_child(const og_document *document, int32_t i);
OG_API og_document *og_document_find(const og_document *document, const char *name);

OG_API const char *og_document_name(const og_document *document); /* "" where there is none */
OG_API double og_document_number(const og_document *document);    /* NAN where it is none */
OG_API const char *og_document_text(const og_document *document); /* NULL where it is none */

/* JSON, byte for byte what the program prints with --json for the same question, without the last
 * newline; numbers with 17 digits, so that they read back as the same double; bytes that are no
 * UTF-8 become U+FFFD. To be freed with free(); NULL: no memory,
 * or a build without Jansson, which knows no JSON. */
OG_API char *og_document_json(const og_document *document);

/* The whole of a new one; NULL is fine. */
OG_API void og_document_free(og_document *document);

/* ---- families ---- */

/* "independent", "delayed", ...; NULL past the last. Not to be freed. */
OG_API const char *og_family_name(int32_t number);

/*
 * A new document of what can be said about problems of a family: {"name", "problems", "options":
 * [{"name", "argument", "help", "default", "required"}], "bounds": [NAME], "simulated", "policies":
 * [{"name", "parameter", "summary", "source", "valued_exactly"}]}. The policies are all there are:
 * which of them a problem takes, its questions say. OG_BAD_INPUT: no such family.
 */
OG_API og_status og_family_describe(const char *family, og_document **out, og_message *message);

/* ---- problems ---- */

typedef struct og_problem og_problem;

/* An empty problem. OG_BAD_INPUT: no such family; OG_NO_MEMORY. */
OG_API og_status og_problem_new(const char *family, og_problem **out, og_message *message);
OG_API void og_problem_free(og_problem *problem); /* NULL is fine */

/*
 * Set an option by the name that the program has for it, without the dashes, and a text, which is
 * copied. All families but "delayed" have "budget", 0 .. 1000000 labels in all, which must be set;
 * "left", how many of them are still to give; and "objective", "calls" or "bandit". The rest is the
 * family's: og_family_describe. A switch takes NULL. What was set may be set again, lists and the
 * options of a family only until the first question. OG_BAD_INPUT: no such option, or a text that
 * it does not take; OG_FAILED: a file; OG_NO_MEMORY.
 */
OG_API og_status og_problem_set(og_problem *problem, const char *option, const char *text,
                                og_message *message);

/* The next instances, as one INSTANCE word of the program: "10x1,1", "2,1@0.3", "0.5:1,3+0.5:3,1",
 * "1,1,1". OG_BAD_INPUT leaves the problem as it was. Families with words of their own, "labelers"
 * ("2x0.7") and "ranking" ("3x1"), read them with the first question, and take none in numbers. */
OG_API og_status og_problem_add(og_problem *problem, const char *word, og_message *message);

/*
 * The same in numbers: `copies` instances, 1 .. 10^9, with the prior Beta(a, b), 1e-6 .. 1e6 each;
 * an instance is positive where its soft label is at least `threshold`, 0 < threshold < 1, usually
 * 0.5. A number stands for the shortest decimal that reads back as it: 0.3 is the fraction 3/10.
 */
OG_API og_status og_problem_add_beta(og_problem *problem, int64_t copies, double a, double b,
                                     double threshold, og_message *message);

/*
 * Instances that have labels already: positive[count] and negative[count], each at least 0, added
 * to the prior Beta(a, b). Every instance is one of its own in reports, in this order. On error
 * none was added. O(count).
 */
OG_API og_status og_problem_add_counts(og_problem *problem, int32_t count, const int32_t *positive,
                                       const int32_t *negative, double a, double b,
                                       double threshold, og_message *message);

/* Could it be asked about? As every question does, it makes the tables of the priors and forgets
 * them. OG_BAD_INPUT; OG_NO_MEMORY or OG_STOPPED if they do not fit. */
OG_API og_status og_problem_check(og_problem *problem, og_message *message);

/* A new document: {"problem": {"instances", "budget", ...}}. */
OG_API og_status og_problem_describe(og_problem *problem, og_document **out, og_message *message);

/* ---- policies ---- */

/* What the parameters of a posterior are. */
enum {
    OG_PLUGIN_BETA = 0,    /* a, b */
    OG_PLUGIN_MIXTURE = 1, /* weight, a, b of each component, the weights adding up to 1 */
    OG_PLUGIN_CLASSES = 2, /* the parameter of each class of a Dirichlet */
};

/* Instances that are alike. */
typedef struct {
    int64_t copies; /* at least 1 */
    int32_t kind;
    int32_t parameter_count;
    const double *parameter; /* [parameter_count] of the posterior now */
    double threshold;        /* positive means soft label >= threshold; 0.5 for classes */
    int32_t label_count;     /* different labels: 2, or as many as classes */
    const int32_t *labels;   /* [label_count] labels so far, positive ones first; NULL where the
                                policy does not look at them */
} og_plugin_group;

/* What a policy is shown. Everything is the caller's, and good until the function returns. */
typedef struct {
    int32_t left;                 /* labels left, 1 .. budget */
    int32_t budget;               /* labels in all */
    int32_t count;                /* groups, at least 1 */
    const og_plugin_group *group; /* [count] no two alike; by posteriors ascending, or, for a policy
                                     that looks at labels, by priors as given and by labels */
} og_plugin_state;

/*
 * A policy that is a function of the caller's, for independent instances; and where labels take
 * time, if it answers with an index: there it is asked about each instance on its own, with the
 * workers still to come as labels left. It is asked state by
 * state, never twice at the same time, and neither are two of one call, nor one and the call's
 * watch; with settings.threads 1 always on the calling thread. The same state must always get the
 * same answer: some are asked twice, and where the answers differ the work ends with OG_FAILED.
 */
typedef struct {
    void *user; /* passed on; must live as long as the policy */
    /* False: equal posteriors are alike, however they came about; true: only equal priors with
     * equal labels are. Which needs more states. */
    bool looks_at_labels;
    /*
     * answer[state->count]: the group with the largest is labelled, and those within
     * og_request.tie_tolerance of it tie; finite or infinite, not NaN. With *weights set to true
     * (it is false before) the groups' probabilities up to a factor: finite, at least 0 and not all
     * 0. Any status but OG_OK ends the work with it; message, never NULL, is for a line about why.
     */
    og_status (*choose)(void *user, const og_plugin_state *state, double *answer, bool *weights,
                        og_message *message);
} og_callback;

/* A label that can be given: of an instance, by a worker where it is chosen who labels. */
typedef struct {
    int32_t instance; /* from 0, in the order given, copies one by one */
    int32_t worker;   /* likewise; 0 where nobody asks who labels */
    int64_t copies;   /* instances alike that it stands for */
} og_label_choice;

/*
 * A state of a problem in numbers: all that is known are the labels so far. Those of instances with
 * the same features are counted at the first of them. Arrays are not the caller's, and good until
 * the next call or, in a function of the caller's, until it returns.
 */
typedef struct {
    int32_t left;   /* labels left */
    int32_t budget; /* labels in all */
    int32_t instance_count;
    int32_t worker_count;    /* 1 where nobody asks who labels */
    const int32_t *positive; /* [instance_count * worker_count] labels so far, those by worker w of
                                instance i at i * worker_count + w */
    const int32_t *negative;
    int32_t choice_count;
    const og_label_choice *choice; /* [choice_count] what can be done; in og_query, of what is alike
                                the first alone */
} og_situation;

/* A policy for families whose instances are coupled: "workers", "features" and "assignment". As
 * og_callback's choose, for answer[now->choice_count]. In the end the exact posterior decides.
 * Those of "assignment" are valued, not simulated. */
typedef og_status og_decide(void *user, const og_situation *now, double *answer, bool *weights,
                            og_message *message);

typedef struct og_policy og_policy;

/* By name: "opt-kg", "cvar-kg:0.5", "command:python3 mine.py". OG_BAD_INPUT: no such policy. */
OG_API og_status og_policy_new(const char *name, og_policy **out, og_message *message);

/* By a function; *callback is copied. `name`, for reports, is copied too: not empty, under 1024
 * bytes and not that of a policy the library knows. */
OG_API og_status og_policy_callback(const char *name, const og_callback *callback, og_policy **out,
                                    og_message *message);

/* The same for coupled instances; `user` is passed on. Other families refuse it, and
 * take a callback. */
OG_API og_status og_policy_decide(const char *name, og_decide *decide, void *user, og_policy **out,
                                  og_message *message);

/*
 * By numbers, for two labels: index[(n + 1) n / 2 + f] of an instance that has had n labels since
 * the start, f of them negative, n = 0 .. labels_max <= 10000; copied. The largest is labelled,
 * near ones tie; no NaN. A question in which it is asked about an instance with more labels ends
 * with OG_BAD_INPUT. `name` as above.
 */
OG_API og_status og_policy_numbers(const char *name, int32_t labels_max, const double *index,
                                   og_policy **out, og_message *message);

OG_API const char *og_policy_text(const og_policy *policy); /* its name, as given */
OG_API void og_policy_free(og_policy *policy);              /* NULL is fine */

/*
 * A policy in a shared object, for plugin:FILE.so. It needs no function of the library. It is
 * compiled by
 *
 *   cc -shared -fPIC mine.c -o mine.so
 *
 * given as plugin:./mine.so, and has one entry point with this name and no argument:
 *
 *   const og_plugin *optgap_policy(void);
 *
 * Structures are only ever added to at their ends, and then OG_PLUGIN_VERSION grows; a plugin of
 * another version is refused.
 */
enum { OG_PLUGIN_VERSION = 1 };

/* What a plugin's `choose` returns. */
enum {
    OG_PLUGIN_FAILED = 0,  /* with a line in message: the work ends with it */
    OG_PLUGIN_INDEX = 1,   /* the group with the largest answer is labelled; near ones tie */
    OG_PLUGIN_WEIGHTS = 2, /* the answers are the groups' probabilities, up to a factor */
};

typedef struct {
    int32_t version; /* OG_PLUGIN_VERSION */
    /* 0: equal posteriors are alike, however they came about; 1: only equal priors with equal
     * labels are. Which needs more states. */
    int32_t looks_at_labels;
    /* Make what `choose` needs for a problem of this budget; NULL: nothing is needed. Returns NULL
     * and a line in message[0 .. message_bytes) if it cannot. */
    void *(*create)(int32_t budget, char *message, size_t message_bytes);
    /*
     * answer[state->count]: finite or infinite, not NaN; weights finite, at least 0 and not all 0.
     * The same state must get the same answer; some are asked twice. One thread at a time calls.
     */
    int (*choose)(void *own, const og_plugin_state *state, double *answer, char *message,
                  size_t message_bytes);
    void (*destroy)(void *own); /* NULL where create is */
} og_plugin;

/* ---- questions ---- */

#define OG_STATES_USUAL UINT64_MAX /* see below */

/*
 * What is asked; each function says what it looks at, and all look at settings and seconds_max.
 * Everything is borrowed. NULL instead of a request is the default one. A field out of its range,
 * a NaN, an empty text or a missing array is OG_BAD_INPUT with its name, looked at or not.
 */
typedef struct {
    og_settings settings; /* its watch can end any question */
    double seconds_max;   /* 0: any time; a limit that is looked at about ten times a second */
    const og_policy *const *policies; /* [policy_count] */
    int32_t policy_count;             /* 0: those that the family is known for */
    const og_ties *ties; /* [ties_count] each policy under each of them; compare and simulate */
    int32_t ties_count;  /* 0: random */
    bool exact;          /* fractions too; OG_BAD_INPUT where there are none */
    bool explain;        /* compare: why each policy loses */
    /* compare: most states of one policy's value, and of the optimum; 0: any number.
     * OG_STATES_USUAL of a policy is 20 million, or four times what the optimum took, if that is
     * more. Of the optimum it is any number while memory holds them; once some were forgotten 20
     * million, fewer in proportion over 100 labels, and any number with seconds_max or a
     * checkpoint. */
    uint64_t policy_states_max, optimum_states_max;
    double index_seconds_max; /* a policy whose index would take longer is left out; 0: any time */
    int64_t runs;  /* simulate: 2 .. 10^9; compare: of policies without an exact value; 0: never */
    uint64_t seed; /* of these runs */
    const char *truth; /* simulate: "prior", "beta:A,B" or "list:X,X,...", of a ranking also
                          "dirichlet:A,A,...", and "workers:A,B" or "workers-list:X,X,...";
                          NULL: prior. compare: also what play comes to under it, of
                          independent instances, or under each of "grid:FROM:TO:STEP"; NULL: no */
    /* compare: "A,B", the Beta that policies take every prior for, while labels fall as the problem
     * says: what play comes to then; NULL: no. Not beside truth: OG_BAD_INPUT. */
    const char *believe;
    /*
     * compare: "A,B A,B ...", each number perhaps FROM:TO or FROM:TO:STEP; NULL: no. The document
     * is then about regret alone: by how much policies, believing in the problem or in any of these
     * Betas, fall short of the optimum where labels fall by each of them. The report's policies
     * have their largest regret as `gap`. Not with truth, believe and explain; with exact
     * fractions too, where these Betas have whole numbers.
     */
    const char *priors;
    bool minimax; /* and the least largest regret of all policies, bracketed: lower, upper; not with
                     exact */
    bool counts;  /* simulate: of a ranking or assignment, count who is asked what */
    const char *export_policy; /* solve: a file for what optimal play labels; NULL: none */
    bool all_optimal;          /* in it: all optimal actions, not one of each state */
    const char *export_model;  /* solve: NAME.drn or NAME.tra, for model checkers; NULL: none */
    bool dry_run;              /* solve: nothing but how much it can take */
    /*
     * Indices of the user's own (table:, command:, plugin:, functions, numbers) that lie so near
     * the largest, relative to it, tie with it and are counted; 0: equal ones only. Sorted, the
     * largest takes those within this along, the largest of the rest begins the next group. 0 .. 1.
     */
    double tie_tolerance;
    int32_t tree_states_max; /* most states of a tree; a larger one is OG_BAD_INPUT */
    int32_t tree_levels;     /* labels that a tree follows; 0: all */
    bool all_actions;        /* a tree follows every action, not the optimal ones only */
} og_request;

#define OG_TIE_TOLERANCE 1e-12

/* Random ties, 60 seconds for an index, 10000 runs, seed 1, OG_TIE_TOLERANCE, trees of
 * 300 states, the rest as the program has it. */
OG_API void og_request_default(og_request *request);

/* One policy under one tie rule, in the order of the policies, tie rules within. What is not known
 * is NAN. */
typedef struct {
    const char *policy;
    og_ties ties;
    og_status status;        /* OG_OK; else it has no value, and `why` says why */
    const char *why;         /* "" with OG_OK */
    bool simulated;          /* an estimate: value is a mean, error_bound half its 95 % interval */
    double value, gain;      /* expected in the end; of it what labels bring */
    double error_bound;      /* |value - exact| is at most this, proved unless simulated */
    double gap;              /* compare: the optimal value minus this one */
    double gap_error;        /* |gap - exact| is at most this */
    double gap_most;         /* compare: the gap is at most this, from the best upper bound */
    double accuracy;         /* simulate: mean share of decisions that were correct */
    double difference;       /* simulate: value minus that of the first policy, run by run */
    double difference_error; /* its standard error */
} og_report_policy;

/* query: something that can be done now. */
typedef struct {
    const char *text; /* "2,1": as the program writes it */
    int64_t copies;   /* instances that are alike */
    double q;         /* gain still to come if it is done and play is optimal then; NAN: unknown */
    double q_error;   /* |q - exact| is at most this */
    double lost;      /* the best q minus this */
    bool optimal;     /* not proved worse than another */
    bool near_tie;    /* optimal, and so is another that is not proved to be worth the same */
} og_report_act;

typedef struct {
    const char *name;
    double value; /* NAN: not known here */
} og_report_bound;

/* What was found. What a question is not about is 0 or NAN; everything is the report's own. */
typedef struct {
    const og_document *document; /* of everything, as the program prints it with --json, but for
                                    "command", its command line */
    const char *warning;         /* "" or what is read, but perhaps not as it was meant */
    og_status optimal_status;    /* compare: OG_OK; OG_STOPPED or OG_NO_MEMORY: a limit was reached,
                                    lower and upper are all that is known */
    double prior;                /* the value without any label */
    double value, gain;          /* optimal */
    double error_bound;          /* |value - exact| is at most this, proved */
    double lower, upper;         /* the optimal value is between these, errors included */
    uint64_t states;             /* remembered */
    double seconds;              /* wall clock */
    int64_t runs;                /* simulate: done */
    int32_t policy_count;
    const og_report_policy *policy; /* [policy_count] */
    int32_t bound_count;
    const og_report_bound *bound; /* [bound_count] */
    int32_t act_count;
    const og_report_act *act; /* [act_count] */
    const bool *pick; /* query: [policy][act] all acts tied for the policy's choice, policies as in
                         the request */
} og_report;

/*
 * Each of these opens the problem, answers one question and closes it again. OG_BAD_INPUT: what the
 * problem or the request says cannot be, or this family does not support. OG_STOPPED or
 * OG_NO_MEMORY: a limit was reached, or the watch returned false. OG_FAILED: a file or a policy
 * from outside; or what was found contradicts itself, and nothing can be trusted. *out is to be
 * freed by og_report_free.
 */

/* The optimal value: prior, value, gain, error_bound, states. Looks at exact, export_policy,
 * all_optimal, dry_run. Takes time and memory that grow with budget and instances beyond all
 * bounds: dry_run says how much at most. */
OG_API og_status og_solve(og_problem *problem, const og_request *request, og_report **out,
                          og_message *message);

/*
 * Policies beside the optimum: bounds, then policies, then the optimum. OG_OK also where a limit
 * ended a part of it: optimal_status and the policies' statuses say so, and the bracket holds.
 * Looks at all but export_policy, all_optimal and dry_run.
 */
OG_API og_status og_compare(og_problem *problem, const og_request *request, og_report **out,
                            og_message *message);

/* What to do now, and what policies would do: act and pick. Looks at policies and exact. Costs what
 * og_solve does. */
OG_API og_status og_query(og_problem *problem, const og_request *request, og_report **out,
                          og_message *message);

/* Upper bounds without solving: prior, bound and upper. Looks at exact. Any size. */
OG_API og_status og_bound(og_problem *problem, const og_request *request, og_report **out,
                          og_message *message);

/* Policies played many times; OG_OK with fewer runs where time or the watch ended them, two at
 * least. Looks at policies, ties (random and first), runs, seed, truth, index_seconds_max. */
OG_API og_status og_simulate(og_problem *problem, const og_request *request, og_report **out,
                             og_message *message);

/*
 * The index of every posterior that up to T labels of an instance can lead to, for every number of
 * labels that can then be left, by the request's one policy: the document's "columns", "rows" and
 * proved errors, as `optgap index --json`. Looks at policies. For "independent"; OG_BAD_INPUT:
 * instances with different thresholds, or a policy without an index. T^3 / 6 rows.
 */
OG_API og_status og_index_table(og_problem *problem, const og_request *request, og_report **out,
                                og_message *message);

/*
 * The decision tree of optimal play: the document's "states", the root first, each once, with its
 * value, its actions with theirs, and where their outcomes lead, as `optgap tree --json`. Looks at
 * exact, tree_states_max, tree_levels and all_actions. Costs what og_solve does, and a Q for every
 * action. OG_BAD_INPUT: a tree that is larger, or a family without states to show.
 */
OG_API og_status og_decision_tree(og_problem *problem, const og_request *request, og_report **out,
                                  og_message *message);

/*
 * An exported policy, checked by code that shares nothing with the engine but the tables of
 * posteriors: value, gain and error_bound of its choices, and lower; upper too, of the optimum,
 * where every choice was compared with all others. Of settings, NULL for the default ones, it looks
 * at threads, memory_bytes and the watch. OG_BAD_INPUT: no such file, no policy file, or not what
 * it claims to be.
 */
OG_API og_status og_verify(const char *file, const og_settings *settings, og_report **out,
                           og_message *message);

OG_API void og_report_free(og_report *report); /* NULL is fine */

/* ---- studies ---- */

/* Every problem of a grid with every policy, into a database. */
typedef struct {
    const char *database;    /* an SQLite file, made where there is none */
    const char *file;        /* a study: lines "key = value"; NULL: none */
    int32_t count;           /* of what follows, which counts more than the file */
    const char *const *key;  /* [count] as the program's options: "prior", "instances", "budget",
                                "policies", "ties", "runs", ... */
    const char *const *text; /* [count] "1,1", "10:50:10", "kg,opt-kg" */
    int32_t part, parts;     /* only the problems of this part of the grid, 1 .. parts, which are
                                about as long as each other; parts 0: all */
    const char *merge;       /* a database whose problems are stored here too, instead of a grid:
                                what a part came to elsewhere; NULL: none */
    bool retry;              /* compute again what a limit ended */
    double cell_seconds_max; /* for each problem; 0: any time */
    const char *commit;      /* of the caller's source, for the database; NULL: unknown */
    int32_t recompute_count;
    const char *const *recompute; /* [recompute_count] policies of the study: what its problems have
                                     stored of them is dropped first */
} og_grid;

/*
 * Fill the database, as `optgap sweep` does; what is there already is not computed again, but for
 * values of a policy whose files (table:FILE, plugin:FILE, those that are words of command:CMD)
 * have other bytes now. Looks at
 * settings and seconds_max. OG_OK also where a limit or the watch ended it, with what is stored by
 * then: optimal_status is OG_STOPPED then, and warning says what is missing. The report's document
 * says how many problems there are, and how many were stored before, computed now or ended by a
 * limit. OG_BAD_INPUT: the study, a database of another version, or a build without SQLite;
 * OG_FAILED: the database cannot be written.
 */
OG_API og_status og_sweep(const og_grid *grid, const og_request *request, og_report **out,
                          og_message *message);

/* ---- what labels cost and calls are worth, of all instances alike ---- */

typedef struct {
    const char *price;  /* of each label, "0.05", in units of a correct call or of the payoff: at
                           most the budget is bought, and one may stop; NULL: labels are given */
    const char *payoff; /* of a call, "TP,FP,FN,TN", and ",U" if it may be left undecided; NULL:
                           "1,0,0,1" */
} og_stakes;

/* ---- searches ---- */

/* A grid of problems, from the smallest on: fewer instances, fewer labels, smaller parameters. */
typedef struct {
    const char *claim; /* of the first policy: "value:C" or "gain:C", its value or gain is at least
                          C times the other's; NULL: it loses nothing */
    bool worst;        /* the problem of the whole grid in which most is lost, not the smallest */
    int32_t instances; /* the most of each; 0: 3 instances, */
    int32_t budget;    /* 4 labels, */
    int32_t parameter; /* and Beta priors of whole parameters from 1 to 4 */
    const char *thresholds; /* "0.5,0.3"; NULL: 0.5 */
    og_stakes stakes;       /* of every problem */
} og_search;

/*
 * The smallest problem in which a policy loses against the optimum, or is worth something else than
 * a second policy, or does not keep the share that is claimed, as `optgap find`: every smaller one
 * was valued in fractions. Of the request: one or two policies, one tie rule, seconds_max,
 * settings; settings.checkpoint remembers how far the search is. OG_OK also where a limit ended it:
 * optimal_status is OG_STOPPED then. The document has "search", and "found" (null: nothing) with
 * "problem", "optimal" and "policies" as og_compare has them. OG_BAD_INPUT: a claim or grid that is
 * none, a policy without an exact value, another search's file; with a price, a policy that knows
 * none, and with price or payoff a share of what may be negative.
 */
OG_API og_status og_find(const og_search *search, const og_request *request, og_report **out,
                         og_message *message);

/* ---- recorded labels ---- */

/*
 * Labels that were recorded, and gold: what is true. From files, or from arrays where labels_file
 * is NULL. Every number from 0 to the largest task is there, and every task has gold.
 */
typedef struct {
    const char *labels_file; /* a table with the columns task, worker, label */
    const char *gold_file;   /* likewise: task, label */
    int64_t count;
    const uint32_t *task;   /* [count] below count */
    const uint32_t *worker; /* [count] below count; NULL: not known */
    const uint8_t *label;   /* [count] 0 or 1 */
    const uint8_t *gold;    /* [tasks] 0 or 1 */
    const char *prior;      /* of every task, "A,B", "A,B@D" or, of classes, "A,B,C";
                               NULL: 1 for each class */
    int32_t budget;         /* labels to give; -1: all that are recorded */
    int32_t at_count;       /* 0: fifths of the budget */
    const int32_t *at;   /* [at_count] budgets at which accuracy is reported, each larger than the
                            one before; the whole budget is added */
    bool final_positive; /* a task that is undecided in the end is called positive, instead of
                            counting half */
    /* Comparisons of two items instead, and with gold_file their scores; each worker with this
     * prior, "4,1", or NULL: all of them are taken to be right. `prior` is then A of every item. */
    const char *pairs_file;
    const char *workers_prior;
    og_stakes stakes; /* of labels; with a price policies stop where no index is above it,
                         but for uniform */
} og_recording;

/*
 * Policies on recorded labels, drawn without replacement, as `optgap replay` plays them: accuracy
 * and value are the mean share of tasks called as gold says, with all labels of the budget; the
 * document has the other budgets. With a price or a payoff, value is what the calls are worth less
 * what was paid, in calls or what they pay, and accuracy stays the share. A policy that cannot be
 * played here is a row that says so. Looks at policies, ties (random and first), runs (20 where
 * request is NULL) and seed.
 */
OG_API og_status og_replay(const og_recording *labels, const og_request *request, og_report **out,
                           og_message *message);

/* Recorded labels, and some that are left to give. */
typedef struct {
    const char *labels_file; /* a table with the columns task, worker, label */
    const char *prior;       /* of every task, as in og_recording; NULL: fitted to the labels */
    int32_t budget;          /* labels left to give, at least 1 */
    int32_t batch;           /* tasks to name, each once: 1 .. budget */
    bool final_calls;        /* instead of tasks, what each is called now */
    og_stakes stakes;        /* with a price only tasks that are worth a label are named */
} og_batch;

/*
 * The tasks that the request's one policy (none: opt-kg) would label next, before it sees any label
 * of the batch, and what that can lose: the report's document, as `optgap next --json`. Looks at
 * policies and seed. Where no label is worth its price no task is named; "stop": that is proved.
 * OG_BAD_INPUT: the file, a batch that cannot be, a policy without an index of a task of its own,
 * a price for final calls, or two payoffs.
 */
OG_API og_status og_next_batch(const og_batch *labels, const og_request *request, og_report **out,
                               og_message *message);

/* How a prior is fitted to labels. */
typedef enum {
    OG_FIT_MOMENTS, /* moments of the beta-binomial, without the noise of counting; there may be
                       none */
    OG_FIT_ML,      /* its maximum likelihood */
    OG_FIT_PAPER,   /* moments of the tasks' fractions of positive labels, noise included [Hu and
                       Frazier]: far too wide where tasks have few labels */
} og_fit_method;

enum { OG_FIT_CLASSES_MAX = 10 };

/*
 * The prior that fits recorded labels of tasks, which can be given to og_problem_add_beta or, with
 * three classes and more, as an INSTANCE word: Beta(a, b), or a Dirichlet.
 * From a file, tab separated with a first line that names the columns task, worker and label:
 * prior[0 .. *count - 1], of room for OG_FIT_CLASSES_MAX, a and b or a parameter for each class in
 * the order of the classes; or from arrays [count], every number from 0 to the largest task there,
 * labels 0 or 1. OG_BAD_INPUT: the file, or labels that fit none; the message says what to do
 * instead.
 */
OG_API og_status og_fit_file(const char *file, og_fit_method method, double *prior, int32_t *count,
                             og_message *message);
OG_API og_status og_fit_labels(int64_t count, const uint32_t *task, const uint8_t *label,
                               og_fit_method method, double *a, double *b, og_message *message);

/* ---- sessions ---- */

/*
 * Labels given one after the other by somebody else: what is known of the optimum is kept, so that
 * a later state costs little. For "independent", "workers", "features" and "assignment": where
 * labels take time a state is more than its labels. Choices are numbered instance * workers +
 * worker, instances (tasks) and workers from 0 as they were added, copies one by one; at most 1000
 * of independent instances. For one thread at a time.
 */
typedef struct og_session og_session;

/* The problem is kept: it must live as long, unchanged. settings, NULL for the default ones, are
 * copied; their watch may stop any call, with OG_STOPPED. OG_BAD_INPUT: another family, or features
 * of which no values are known. */
OG_API og_status og_session_new(og_problem *problem, const og_settings *settings, og_session **out,
                                og_message *message);
OG_API void og_session_free(og_session *session); /* NULL is fine */

OG_API int32_t og_session_size(const og_session *session); /* choices */
OG_API int32_t og_session_left(const og_session *session); /* labels left */

/* The state at hand: the labels so far, those of several classes counted as positive where they are
 * of class 0, and what can be done; good until the next call with this session. */
OG_API void og_session_situation(og_session *session, og_situation *out);

/* What each choice now is worth, as og_report_act; NAN for one that is not open (a pair that was
 * labelled, where each is labelled at most once). Each array [size], or NULL where it is not
 * wanted. OG_BAD_INPUT: no label is left. */
OG_API og_status og_session_q(og_session *session, double *q, double *q_error, bool *optimal,
                              og_message *message);

/* A label was given: 0 for positive, 1 for negative, of several classes the class. OG_BAD_INPUT
 * with a choice or outcome that there is not, or when no label is left. */
OG_API og_status og_session_label(og_session *session, int32_t choice, int32_t outcome,
                                  og_message *message);

#ifdef __cplusplus
}
#endif

#endif
