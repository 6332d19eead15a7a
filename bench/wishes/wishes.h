#ifndef OG_BENCH_WISHES_H
#define OG_BENCH_WISHES_H

#include "bench/asked.h"
#include "bench/option.h"
#include "bench/simulation/simulate.h"

/*
 * The options of all questions, which the program's commands and og_question_set both read: one
 * list of rows for each question.
 */

/* What the options of a question say; of those that a question does not have, nothing. */
typedef struct {
    og_request ask;
    og_replay_input replay; /* the input of a question, like the next; what several questions have
                               is below, until the question is asked (og_wishes_given) */
    og_batch batch;         /* next */
    og_labels_input labels; /* fit, labels */
    og_search search;       /* find */
    og_tables tables;       /* ask.settings.tables */
    og_stakes stakes;
    const char *objective;    /* of the problem, like the next three; as given */
    int32_t budget;           /* -1: not given */
    bool each;                /* it is for each instance */
    int32_t left;             /* -1: not given */
    og_policy_name *policies; /* [policy_count] owned, like against, at and sources */
    int32_t policy_count;
    bool policies_given;     /* otherwise they are the family's default policies */
    og_policy_name *against; /* find: [against_count] none or one */
    int32_t against_count;
    og_ties ties[OG_TIES_COUNT]; /* [ask.ties_count] ask.ties */
    double answer_seconds;       /* --max-answer-time; 0: the default */
    int32_t *at;                 /* [at_count] budgets to report */
    int32_t at_count;
    const char **sources; /* next: [source_count] */
    int32_t source_count;
    const char *file;       /* verify, and of other commands */
    const char *trace_file; /* simulate; NULL: none */
} og_wishes;

/* Without options; it does not move afterwards. og_wishes_clear may follow on zeros. */
void og_wishes_init(og_wishes *wishes);
void og_wishes_clear(og_wishes *wishes);

/* Tells the policies what the options say about the policies of a user. */
void og_wishes_set_policies(og_wishes *wishes);

/* The inputs of questions (og_asked.given) on recorded labels and of a search. A search finds the
 * policy `against` behind the others; OG_NO_MEMORY. */
const og_batch *og_wishes_next(og_wishes *wishes);
const og_replay_input *og_wishes_replay(og_wishes *wishes);
og_status og_wishes_find(og_wishes *wishes, const og_search **out);

/* OG_BAD_INPUT with a message if --labels, --pairs or an option that belongs to another is missing.
 */
og_status og_wishes_check_replay(const og_wishes *wishes, og_message *message);

/* True if these recorded labels are those of workers of unknown reliability; that take time. */
bool og_replay_has_people(const og_replay_input *given);
bool og_replay_is_delayed(const og_replay_input *given);

/* The options of each question. */
extern const og_option_row og_solve_options[], og_compare_options[], og_query_options[],
    og_bound_options[], og_simulate_options[], og_index_options[], og_tree_options[],
    og_verify_options[], og_find_options[], og_replay_options[], og_next_options[],
    og_fit_options[], og_labels_options[];

/* Tables of rows that several of them share. */
extern const og_option_row og_budget_rows[], og_each_budget_rows[]; /* the second also has Neach */
extern const og_option_row og_policy_rows[];     /* policy, policies, and og_own_policy_rows */
extern const og_option_row og_own_policy_rows[]; /* max-answer-time, tie-tolerance */
extern const og_option_row og_ties_rows[];
extern const og_option_row og_arithmetic_rows[];
extern const og_option_row og_joint_end_rows[];
extern const og_option_row og_objective_rows[];
extern const og_option_row og_stakes_rows[]; /* price, payoff; the same for all instances */
extern const og_option_row og_thread_rows[]; /* threads, memory */
extern const og_option_row og_engine_rows[];
extern const og_option_row og_time_rows[];  /* time-limit */
extern const og_option_row og_limit_rows[]; /* threads, memory, time-limit */
extern const og_option_row og_checkpoint_rows[];
extern const og_option_row og_scratch_rows[];
extern const og_option_row og_reading_rows[]; /* how tables are read: columns, missing, encoding; */
extern const og_option_row og_label_rows[];   /* and those of labels: positive */
extern const og_option_row og_draw_rows[];    /* and of comparisons: draws */
extern const og_option_row og_no_times_rows[];
extern const og_option_row og_index_time_rows[];

#define OG_TIES_CHOICES "random first best worst"

/* Rows of questions that simulate; INT64_MAX is the largest seed. */
#define OG_RUNS_ROW(usual_, help_)                                                                 \
    OG_OPTION(INT64, "runs", "N", og_wishes, ask.runs, .least = 2, .most = OG_RUNS_MAX,            \
              .topic = OG_TOPIC_LIMITS, .basic = true, .brief = "number of runs of each policy",   \
              .fallback = usual_, .help = help_)
#define OG_SEED_ROW(usual_, help_)                                                                 \
    OG_OPTION(INT64, "seed", "N", og_wishes, ask.seed, .most = INT64_MAX, .fallback = usual_,      \
              .topic = OG_TOPIC_LIMITS, .brief = "seed of the random numbers", .help = help_)

/* Keeps the budgets of --at, which must ascend. */
og_option_reader og_keep_budgets;

#endif
