/*
 * The table of policies for independent instances, and the construction of a policy's index and
 * ranks from its name. A policy's row holds all its properties except its arithmetic.
 */
#include "heuristics/policy.h"

#include <stdio.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/asking.h"
#include "heuristics/index/index.h"
#include "heuristics/index/rank.h"
#include "heuristics/index/stopping.h"
#include "heuristics/index/symmetry.h"
#include "heuristics/user_policy.h"
#include "heuristics/whole_state/command.h"
#include "heuristics/whole_state/plugin.h"

static og_make_ranks ranks_by_command, ranks_by_plugin, refuse_ranks, refuse_objective,
    refuse_workers;

/* What a policy that looks at the whole state values there, after a label. */
typedef enum {
    VALUES_NOTHING,
    VALUES_A_FEW_LABELS, /* as many as its parameter, with a solver */
    VALUES_THE_FLUID,    /* the fluid problem of all labels left */
    VALUES_A_POLICY,     /* of all labels left, with a solver */
} values;

/* How a policy is made. */
struct og_policy_making {
    og_score *score;     /* if this and `make` are NULL, all instances have the same rank */
    og_make_ranks *make; /* looks at the whole state; NULL: an index policy */
    bool roots;          /* its score supports og_index_job.roots */
    bool one_label;      /* og_policy_name_one_label */
    bool recalls;        /* og_policy_name_recalls */
    bool together;       /* og_policy_name_together */
    bool asks_prior;     /* it needs posteriors, which a table of nodes does not have */
    bool beyond;         /* it looks at posteriors that the labels do not reach */
    values values;
    bool apart;    /* may give different indices to mirror images and to equal posteriors */
    bool no_gain;  /* its index is no gain that can be compared with a price */
    bool by_label; /* an expected gain per label, which can */
    bool counts;   /* with a number it may to posteriors after different numbers of labels */
    og_played played;
};

#define MADE_BY(...) (&(const struct og_policy_making){__VA_ARGS__})

/* Of rules: kg is the arms' reward, the others follow from gains. */
static const struct og_policy_making by_mean = {
    .score = og_score_kg, .roots = true, .one_label = true};
static const struct og_policy_making by_rule = {
    .score = og_score_rule, .roots = true, .one_label = true};

/* They count an instance's own labels, which equal posteriors of different priors do not share. */
static const struct og_policy_making by_apt = {
    .score = og_score_apt, .recalls = true, .asks_prior = true, .apart = true, .no_gain = true};
static const struct og_policy_making by_lsa = {
    .score = og_score_lsa, .recalls = true, .asks_prior = true, .apart = true, .no_gain = true};

static const char bertsekas[] = "Bertsekas, Tsitsiklis and Wu, Journal of Heuristics 3 (1997)";
static const char auer[] =
    "Auer, Cesa-Bianchi and Fischer, Machine Learning 47 (2002); for labels, optgap";
static const char brown_zhang[] = "Brown and Zhang (2025), on fluid value functions; ties: optgap";
static const char exact_posterior[] = "optgap, after Chen, Lin and Zhou, JMLR 16 (2015)";
static const char folklore[] = "folklore";
static const char gast_gaujal_yan[] =
    "Gast, Gaujal and Yan, arXiv 2106.10067 (2021); its choice among solutions: optgap";
static const char gradient[] =
    "Frazier, Powell and Dayanik, SIAM Journal on Control and Optimization 47 (2008)";
static const char lagrangian_prices[] =
    "optgap, with the prices of a bound of Hu and Frazier and ties after Brown and Smith, "
    "Management Science 66 (2020)";
static const char optgap[] = "optgap";
static const char thompson[] = "Thompson, Biometrika 25 (1933); for labels, optgap";
static const char chen_jiao_lin[] = "Chen, Jiao and Lin, JMLR 17 (2016)";
static const char locatelli[] = "Locatelli, Gutzeit and Carpentier, ICML (2016)";
static const char russo[] = "Russo, Operations Research 68 (2020); for labels, optgap";
static const char settles[] =
    "uncertainty sampling: Settles, Active learning literature survey (2009)";
static const char tao[] = "Tao, Blanco, Peng and Zhou, NeurIPS (2019)";
static const char negahban_oh_shah[] = "Negahban, Oh and Shah, NIPS (2012)";
static const char pfeiffer[] = "Pfeiffer, Gao, Mao, Chen and Rand, AAAI (2012)";
static const char chen_bennett[] = "Chen, Bennett, Collins-Thompson and Horvitz, WSDM (2013)";
static const char chen_lin_zhou[] = "Chen, Lin and Zhou, JMLR 16 (2015)";
static const char donmez[] = "Donmez, Carbonell and Schneider, KDD (2009)";
static const char ertekin[] = "Ertekin, Rudin and Hirsh, Data Min. Knowl. Disc. 28 (2014)";
static const char frazier_powell[] = "Frazier and Powell, Decision Analysis 7 (2010)";
static const char hu_frazier[] = "Hu and Frazier, Bayes-optimal effort allocation in crowdsourcing";
static const char ipeirotis[] =
    "a reading of Ipeirotis, Provost, Sheng and Wang, Data Min. Knowl. Disc. 28 (2014)";
static const char karger_oh_shah[] = "Karger, Oh and Shah, Operations Research 62 (2014)";
static const char liu_liu[] = "Liu and Liu, SIGMETRICS (2015)";
static const char zhang_ma_sugiyama[] = "Zhang, Ma and Sugiyama, Neural Computation 27 (2015)";
static const char wald[] = "Wald, Annals of Mathematical Statistics 16 (1945)";
static const char xie_frazier[] = "Xie and Frazier (2013), in Chen, Lin and Zhou, JMLR 16 (2015)";

static og_status score_hu_frazier(const og_index_job *job, og_scored *out, og_message *message)
{
    if (job->policy->has_parameter) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' supports a number only for labels that take time; "
                              "otherwise omit it, or use gittins-fh",
                              job->policy->name);
    }
    return og_score_gittins_fh(job, out, message);
}

static const struct og_policy_making by_stopping_rule = {.make = og_make_stopping, .apart = true};
#define STOPPING_RULE .form = OG_PARAMETER_STOPPING, .topics = "prices", .making = &by_stopping_rule

static const og_policy_row rows[] = {
    {"uniform", "", "any instance, each with the same probability", folklore, true,
     .rule = &og_rule_any, .making = MADE_BY(.score = NULL, .one_label = true)},
    {"kg", "", "largest expected gain of one label (knowledge gradient)", gradient, true,
     .rule = &og_rule_mean, .making = &by_mean},
    {"opt-kg", "", "largest gain if the label turns out well (optimistic)", chen_lin_zhou, true,
     .rule = &og_rule_best, .making = &by_rule},
    {"pess-kg", "", "largest gain if the label turns out badly (pessimistic)", chen_lin_zhou, true,
     .rule = &og_rule_worst, .making = &by_rule},
    {"cvar-kg", "ALPHA", "mean gain over the best share ALPHA of outcomes", chen_lin_zhou, true,
     .form = OG_PARAMETER_SHARE, .example = "0.5", .rule = &og_rule_best_part, .making = &by_rule},
    {"entropy", "", "largest entropy of the next label, by its predicted probabilities", settles,
     true, .rule = &og_rule_entropy, .making = &by_rule},
    {"least-confidence", "",
     "smallest probability of the likeliest next label; with two classes as entropy", settles, true,
     .rule = &og_rule_unsure, .making = &by_rule},
    {"apt", "[:E]",
     "least sqrt(n) (d + E): n labels of its own, whose share is d from the threshold", locatelli,
     true, .form = OG_PARAMETER_SHARE, .topics = "prices", .making = &by_apt},
    {"lsa", "[:A]", "least A n d^2 + ln(n)/2, with apt's n and d (default: 1.35)", tao, true,
     .form = OG_PARAMETER_FACTOR, .topics = "prices", .making = &by_lsa},
    {"gittins-fh", "[:N]",
     "largest expected gain per label if labelling may stop at any time; with N, as if N labels "
     "were left, or T less the instance's labels if that is fewer",
     hu_frazier, true, .form = OG_PARAMETER_COUNT, .topics = "prices",
     .making =
         MADE_BY(.score = og_score_gittins_fh, .roots = true, .counts = true, .by_label = true)},
    {"gittins-inf", "[:DELTA]",
     "the same with the discount factor DELTA (default: 1 - 1/T), or, from 2 on, as if so many "
     "labels were left",
     xie_frazier, true, .form = OG_PARAMETER_LOOK,
     .making = MADE_BY(.score = og_score_gittins_inf, .roots = true, .beyond = true)},
    {"kg-star", "", "largest expected gain per label of any number of labels on one instance",
     frazier_powell, true, .topics = "prices",
     .making = MADE_BY(.score = og_score_kg_star, .by_label = true)},
    {"lagrangian", "",
     "largest advantage of a label over none at the bound's prices; then its probability",
     lagrangian_prices, true, .making = MADE_BY(.score = og_score_lagrangian, .together = true)},
    {"lp-update", "", "lagrangian, with its prices found again in every state", gast_gaujal_yan,
     true,
     .making = MADE_BY(.make = og_make_lp_update, .together = true, .values = VALUES_THE_FLUID)},
    {"dual", "[:D]",
     "largest gain of a label and the fluid bound after it; D labels before the bound", brown_zhang,
     true, .form = OG_PARAMETER_COUNT,
     .making = MADE_BY(.make = og_make_dual, .together = true, .values = VALUES_THE_FLUID)},
    {"midway", "NAME",
     "largest gain of a label and the mean of the fluid bound and policy NAME after it", optgap,
     true, .form = OG_PARAMETER_POLICY, .noun = "policy", .example = "gittins-fh",
     .making = MADE_BY(.make = og_make_midway, .together = true, .apart = true,
                       .values = VALUES_A_POLICY)},
    {"lookahead", "D",
     "largest gain of a label followed by optimal choices, as if at most D labels were left",
     chen_lin_zhou, true, .form = OG_PARAMETER_COUNT, .example = "2", .topics = "prices",
     .making = MADE_BY(.make = og_make_lookahead, .values = VALUES_A_FEW_LABELS, .no_gain = true)},
    {"nlu", "",
     "most uncertain class, for an estimated quality of the workers (estimation: our reading)",
     ipeirotis, true,
     .making = MADE_BY(.make = og_make_nlu, .together = true, .recalls = true, .asks_prior = true,
                       .apart = true)},
    {"rollout", "NAME", "largest gain of a label followed by policy NAME (with random ties)",
     bertsekas, true, .form = OG_PARAMETER_POLICY, .noun = "policy", .example = "kg",
     .making = MADE_BY(.make = og_make_rollout, .apart = true, .values = VALUES_A_POLICY)},
    {"thompson", "", "largest gain of a label under a soft label drawn from the posterior",
     thompson, false,
     .making = MADE_BY(.make = refuse_ranks, .asks_prior = true, .played = OG_PLAYED_THOMPSON)},
    {"top-two", "",
     "the largest or the second largest of thompson's draw, each with probability 1/2", russo, true,
     .topics = "prices",
     .making = MADE_BY(.make = og_make_top_two, .together = true, .apart = true, .asks_prior = true,
                       .no_gain = true)},
    {"ucb1-tuned", "", "largest mean gain of the labels so far, plus a bonus for few labels", auer,
     false,
     .making = MADE_BY(.make = refuse_ranks, .asks_prior = true, .played = OG_PLAYED_UCB1_TUNED)},
    {"fixed", "N[:POLICY]", "stops at N labels of an instance; fewest labels first, or POLICY",
     folklore, true, .example = "5", STOPPING_RULE},
    {"agree", "M[:POLICY]", "stops at M equal labels of an instance (2: two of three)", folklore,
     true, .example = "2", STOPPING_RULE},
    {"lead", "M[:POLICY]", "stops at M more labels of a class than of any other", folklore, true,
     .example = "2", STOPPING_RULE},
    {"beta-stop", "C[:POLICY]", "stops when a call is right with probability C", folklore, true,
     .example = "0.95", STOPPING_RULE},
    {"sprt", "P0,P1,A,B[:POLICY]",
     "stops by the likelihood ratio of soft labels P1 and P0, for error probabilities A and B",
     wald, true, .example = "0.3,0.7,0.1,0.1", STOPPING_RULE},
    {"doubling", "N,MAX,Q[:POLICY]",
     "stops at N, 2N, 4N, ... labels of which a share Q is equal, or at MAX", optgap, true,
     .example = "2,8,0.75", STOPPING_RULE},
    {"table", "FILE", "an index read from FILE, as 'optgap index' prints it", "the user's own",
     true, .form = OG_PARAMETER_FILE, .noun = "file", .example = "index.tsv", .topics = "prices",
     .making = MADE_BY(.score = og_score_table, .apart = true)},
    {"command", "CMD", "the choice of the program CMD, which gets a line of JSON for each state",
     "the user's own", true, .form = OG_PARAMETER_COMMAND, .noun = "command",
     .example = "'python3 mine.py'",
     .topics = "prices deadline workers features assignment ranking sources labelers",
     .making = MADE_BY(.make = ranks_by_command, .apart = true)},
    {"plugin", "FILE.so", "the choice of a function in the shared object FILE.so", "the user's own",
     true, .form = OG_PARAMETER_FILE, .noun = "file", .example = "./mine.so",
     .topics = "prices deadline", .making = MADE_BY(.make = ranks_by_plugin, .apart = true)},
    {"kg-exact", "", "kg with the exact posterior, where kg uses an approximation", exact_posterior,
     true, .rule = &og_rule_mean, .exact = true, .making = &by_mean},
    {"opt-kg-exact", "", "opt-kg with the exact posterior, where opt-kg uses an approximation",
     exact_posterior, true, .rule = &og_rule_best, .exact = true, .making = &by_rule},
    {"pess-kg-exact", "", "pess-kg with the exact posterior, where pess-kg approximates it",
     exact_posterior, true, .rule = &og_rule_worst, .exact = true, .making = &by_rule},
    {"cvar-kg-exact", "ALPHA", "cvar-kg with the exact posterior, where cvar-kg approximates it",
     exact_posterior, true, .form = OG_PARAMETER_SHARE, .example = "0.5",
     .rule = &og_rule_best_part, .exact = true, .making = &by_rule},
    {"hu-frazier", "[:N]",
     "gittins-fh; with --deadline and --arrival-rate, an index that counts labels under way; N: at "
     "most N labels each",
     hu_frazier, true, .form = OG_PARAMETER_COUNT, .topics = "prices",
     .making = MADE_BY(.score = score_hu_frazier, .roots = true, .by_label = true)},
    {"akg", "[:B]",
     "ranking: largest increase of the expected accuracy; B comparisons at a time (simulate only)",
     chen_jiao_lin, true, .form = OG_PARAMETER_COUNT, .objective = "ranking",
     .making = MADE_BY(.make = refuse_objective)},
    {"distance", "", "ranking: the pair with the nearest parameters of the approximate posterior",
     chen_jiao_lin, true, .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"sorting", "", "ranking: any pair; ranks by akg's approximate posterior", chen_jiao_lin, true,
     .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"akg-printed", "", "ranking: akg with the misprint of its paper", chen_jiao_lin, false,
     .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"rc+uniform", "", "ranking: any pair; ranks by a random walk to winners", negahban_oh_shah,
     false, .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"rc+akg", "", "ranking: the pairs of akg; ranks by a random walk to winners", negahban_oh_shah,
     false, .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"adaptive-polling", "", "ranking: most information about normally distributed scores",
     pfeiffer, false, .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"crowd-bt", "", "ranking: most information about normally distributed scores and workers",
     chen_bennett, false, .objective = "ranking", .making = MADE_BY(.make = refuse_objective)},
    {"ls-ol", "", "labelers: the best set for estimated accuracies, which it explores with testers",
     liu_liu, true, .objective = "labelers", .making = MADE_BY(.make = refuse_objective)},
    {"ls-ol-weighted", "", "labelers: the same, with votes weighted by log odds", liu_liu, true,
     .objective = "labelers", .making = MADE_BY(.make = refuse_objective)},
    {"everybody", "", "labelers: all of them", liu_liu, true, .objective = "labelers",
     .making = MADE_BY(.make = refuse_objective)},
    {"best-set", "", "labelers: the best set for the true accuracies", liu_liu, true,
     .objective = "labelers", .making = MADE_BY(.make = refuse_objective)},
    {"greedy", "", "labelers: the smallest set with the best majority under the posterior", optgap,
     true, .objective = "labelers", .making = MADE_BY(.make = refuse_objective)},
    {"bayes-vote", "",
     "labelers: all of them; the label is the more probable one given all votes so far", optgap,
     true, .objective = "labelers", .making = MADE_BY(.make = refuse_objective)},
    {"naive", "", "assignment: any label, and majorities at the end; sources: any label",
     zhang_ma_sugiyama, true, .objective = "assignment", .topics = "sources assignment",
     .making = MADE_BY(.make = refuse_objective)},
    {"bbta", "[:N[,OPTION...]]",
     "assignment: the least certain task, by a worker drawn by past losses; N tasks of each "
     "context to explore; skip, fresh, plus",
     zhang_ma_sugiyama, true, .form = OG_PARAMETER_OWN, .noun = "number", .objective = "assignment",
     .making = MADE_BY(.make = refuse_objective)},
    {"kos", "[:N]",
     "workers: a random regular graph of labels; calls after N rounds of messages (default: 10)",
     karger_oh_shah, false, .form = OG_PARAMETER_COUNT, .objective = "workers",
     .making = MADE_BY(.make = refuse_workers)},
    {"cheapest", "", "sources: largest expected gain among the cheapest labels", optgap, true,
     .objective = "assignment", .topics = "sources", .making = MADE_BY(.make = refuse_objective)},
    {"dearest", "", "sources: largest expected gain among the dearest labels", optgap, true,
     .objective = "assignment", .topics = "sources", .making = MADE_BY(.make = refuse_objective)},
    {"first", "", "process: the act that is listed first", folklore, true, .objective = "process",
     .making = MADE_BY(.make = refuse_objective)},
    {"opt-kg-multi", "", "assignment: opt-kg separately in each context", zhang_ma_sugiyama, true,
     .objective = "assignment", .making = MADE_BY(.make = refuse_objective)},
    {"iethresh", "EPS",
     "assignment: all workers whose upper confidence limit is at least EPS of the largest", donmez,
     true, .form = OG_PARAMETER_OWN, .noun = "number", .example = "0.9", .objective = "assignment",
     .making = MADE_BY(.make = refuse_objective)},
    {"crowdsense", "EPS", "assignment: good workers until the weighted vote is clear by EPS",
     ertekin, true, .form = OG_PARAMETER_OWN, .noun = "number", .example = "0.1",
     .objective = "assignment", .making = MADE_BY(.make = refuse_objective)},
};

static const og_policy_table independent = {rows, sizeof rows / sizeof *rows};

const og_policy_table *og_policies_independent(void)
{
    return &independent;
}

const og_policy_row *og_policy_row_at(size_t number)
{
    return number < independent.count ? &rows[number] : NULL;
}

static bool is_one_of(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

bool og_policy_row_fits(const og_policy_row *row, const char *topic)
{
    if (is_one_of("instances labels bandit", topic)) {
        return row->objective == NULL;
    }
    if (row->rule != NULL) { /* rankings approximate no rule but kg, which is akg */
        return strcmp(topic, "ranking") == 0 ? row->exact || row->rule->index == NULL
                                             : strcmp(topic, "labelers") != 0;
    }
    const char *topics = row->topics != NULL      ? row->topics
                         : row->objective != NULL ? row->objective
                                                  : "";
    return is_one_of(topics, topic) ||
           (strcmp(topic, "deadline") == 0 && row->making->score != NULL);
}

og_status og_policy_name_parse(const char *name, og_policy_name *out, og_message *message)
{
    return og_policy_name_parse_in(&independent, name, out, message);
}

/* Data for making ranks or an index. */
typedef struct {
    og_index_job job;
    og_stop stop; /* each has its moment, also one that is needed late */
    og_twins *twins;
    og_scored scored;
} policy_scoring;

/* 0 means the default limit. */
static uint64_t memory_of(const og_policy_use *use)
{
    const og_settings given = {.memory_bytes = use->memory_bytes};
    return og_settings_filled(&given).memory_bytes;
}

/* The caller must clear `out`, also on failure. */
static og_status score(const og_policy_name *policy, const og_arms *arms, const og_policy_use *use,
                       bool ordered, policy_scoring *out, og_message *message)
{
    const og_policy_row *row = &rows[policy->kind];
    *out = (policy_scoring){.stop = og_stop_for(use->stop, 0),
                            .job = {.arms = arms,
                                    .kept = use->kept,
                                    .policy = policy,
                                    .whole_budget = use->whole_budget,
                                    .roots = og_policy_name_roots(policy, use),
                                    .ordered = ordered,
                                    .threads = og_thread_count(use->threads),
                                    .memory_bytes = memory_of(use),
                                    .stop = &out->stop}};
    out->job.first = use->roots && !out->job.roots;
    og_twins_kind kind = row->making->apart                             ? OG_TWINS_APART
                         : row->making->counts && policy->has_parameter ? OG_TWINS_OF_A_LEVEL
                                                                        : OG_TWINS_ALL;
    og_status status = out->job.roots ? og_twins_new_roots(arms, kind, &out->twins)
                                      : og_twins_new(arms, kind, &out->stop, &out->twins);
    if (status == OG_OK) {
        out->job.twins = out->twins;
        og_policy_name_rule(policy, &out->job.rule);
        status = row->making->score(&out->job, &out->scored, message);
    }
    return status;
}

/* Sets the message for endings that are not specific to a policy. */
static og_status tell_end(const policy_scoring *scoring, og_status status, og_message *message)
{
    const char *name = scoring->job.policy->name;
    if (status == OG_NO_MEMORY) {
        og_message_set(message, status, "out of memory for the index of policy '%.60s'", name);
    } else if (status == OG_STOPPED && og_stop_status(&scoring->stop) == OG_STOPPED) {
        og_message_set(message, status, "the index of policy '%.60s' was stopped", name);
    }
    return status;
}

static void scoring_clear(policy_scoring *scoring)
{
    og_scored_clear(&scoring->scored);
    og_twins_free(scoring->twins);
}

og_status og_policy_name_index(const og_policy_name *policy, const og_arms *arms,
                               const og_policy_use *use, og_index **out, og_message *message)
{
    const struct og_policy_making *made = rows[policy->kind].making;
    if (made->make == refuse_ranks || rows[policy->kind].objective != NULL) {
        return made->make(policy, arms, NULL, NULL, message);
    }
    if (made->score == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "policy '%s' has no index%s", policy->name,
                              made->make != NULL ? ": it looks at all instances together" : "");
    }
    OG_TRY(og_policy_name_check_arms(policy, arms, message));
    policy_scoring scoring;
    og_status status = score(policy, arms, use, false, &scoring, message);
    if (status == OG_OK) {
        *out = og_scored_take_index(&scoring.scored);
    }
    status = tell_end(&scoring, status, message);
    scoring_clear(&scoring);
    return status;
}

static og_status ranks_by_command(const og_policy_name *policy, const og_arms *arms,
                                  const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_command_use how = {.command = strchr(policy->name, ':') + 1,
                          .answer_seconds = policy->answer_seconds,
                          .tie_relative = policy->tie_relative,
                          .memory_bytes = use->memory_bytes,
                          .price = use->price,
                          .stop = use->stop};
    return og_command_ranks(&how, arms, out, message);
}

static og_status refuse_ranks(const og_policy_name *policy, const og_arms *arms,
                              const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return og_message_set(message, OG_BAD_INPUT, "policy '%s' can only be simulated: it %s",
                          policy->name,
                          rows[policy->kind].making->played == OG_PLAYED_THOMPSON
                              ? "draws random numbers"
                              : "depends on the gains of earlier labels, not on posteriors");
}

static og_status refuse_objective(const og_policy_name *policy, const og_arms *arms,
                                  const og_policy_use *use, og_ranks **out, og_message *message)
{
    const char *objective = rows[policy->kind].objective;
    (void)arms;
    (void)use;
    (void)out;
    if (strcmp(objective, "process") == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' chooses an act of a process and requires --process",
                              policy->name);
    }
    return og_message_set(message, OG_BAD_INPUT, "policy '%s' %s and requires --problem %s",
                          policy->name,
                          strcmp(objective, "ranking") == 0    ? "compares pairs"
                          : strcmp(objective, "labelers") == 0 ? "asks labelers"
                                                               : "assigns workers to tasks",
                          objective);
}

static og_status refuse_workers(const og_policy_name *policy, const og_arms *arms,
                                const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%s' assigns labels to workers; give --workers-prior A,B",
                          policy->name);
}

bool og_policy_name_rule(const og_policy_name *policy, og_rule_use *out)
{
    const og_policy_row *row = &rows[policy->kind];
    bool own = policy->function != NULL;
    *out = (og_rule_use){own ? policy->function->rule : row->rule, policy->parameter_exact,
                         policy->parameter, !own && row->exact};
    return out->rule != NULL;
}

og_status og_policy_name_check_arms(const og_policy_name *policy, const og_arms *arms,
                                    og_message *message)
{
    const og_policy_row *row = &rows[policy->kind];
    bool counts = row->form == OG_PARAMETER_STOPPING && strcmp(row->name, "fixed") != 0;
    if (policy->function != NULL) {
        return OG_OK;
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_payoff *payoff = &og_arm_prior(arms->arm[a])->payoff;
        if (row->making->beyond && payoff->kind == OG_WORTH_VALUES) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.64s' looks beyond the budget, where payoff %.200s has "
                                  "no values; choose gittins-fh",
                                  policy->name, og_payoff_name(payoff));
        }
        if ((row->making->asks_prior || counts) && og_arm_table(arms->arm[a]) != NULL) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "policy '%.64s' needs instances with a prior; arm:%.200s has none", policy->name,
                og_arm_table(arms->arm[a])->name);
        }
    }
    return OG_OK;
}

og_status og_policy_name_refuse(const og_policy_name *policy, const char *problems,
                                const char *topic, og_message *message)
{
    if (og_policy_name_is_rule(policy)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' stops, which %s does not support; choose one of "
                              "'optgap policies %s'",
                              policy->name, problems, topic);
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' does not support %s; choose one of 'optgap policies %s'",
                          policy->name, problems, topic);
}

og_played og_policy_name_played(const og_policy_name *policy)
{
    return rows[policy->kind].making->played;
}

bool og_policy_name_roots(const og_policy_name *policy, const og_policy_use *use)
{
    const og_policy_row *row = &rows[policy->kind];
    return use->roots && row->making->roots &&
           (row->making->counts || row->form != OG_PARAMETER_COUNT || !policy->has_parameter);
}

bool og_policy_name_one_label(const og_policy_name *policy)
{
    return policy->function == NULL && rows[policy->kind].making->one_label;
}

/* The policy whose name is in this one's; false if there is none. */
static bool name_inside(const og_policy_name *policy, og_policy_name *out)
{
    const char *name = NULL;
    og_stopping rule;
    const og_parameter form = rows[policy->kind].form;
    if (policy->function == NULL && form == OG_PARAMETER_POLICY) {
        name = strchr(policy->name, ':') + 1;
    } else if (policy->function == NULL && form == OG_PARAMETER_STOPPING) {
        og_stopping_parse(policy->name, &rule, &name, NULL);
    }
    return name != NULL && og_policy_name_parse(name, out, NULL) == OG_OK;
}

/* The policy that does what a stopping rule leaves to it. */
static og_policy_name behind_rule(const og_policy_name *policy)
{
    og_policy_name at = *policy;
    while (rows[at.kind].form == OG_PARAMETER_STOPPING && name_inside(&at, &at)) {
    }
    return at;
}

bool og_policy_name_recalls(const og_policy_name *policy)
{
    og_policy_name other;
    og_stopping rule;
    const char *ignored;
    if (policy->function != NULL) {
        return false;
    }
    if (rows[policy->kind].form == OG_PARAMETER_STOPPING &&
        og_stopping_parse(policy->name, &rule, &ignored, NULL) == OG_OK &&
        og_stopping_counts(&rule)) {
        return true;
    }
    return name_inside(policy, &other) ? og_policy_name_recalls(&other)
                                       : rows[policy->kind].making->recalls;
}

bool og_policy_name_is_rule(const og_policy_name *policy)
{
    return policy->function == NULL && rows[policy->kind].form == OG_PARAMETER_STOPPING;
}

bool og_policy_name_gains_by_label(const og_policy_name *policy)
{
    return policy->function == NULL && rows[policy->kind].making->by_label;
}

bool og_policy_name_ignores_price(const og_policy_name *policy)
{
    const og_policy_row *row = &rows[policy->kind];
    og_rule_use use;
    if (og_policy_name_rule(policy, &use)) {
        return use.rule->no_gain;
    }
    return policy->function != NULL || row->form == OG_PARAMETER_STOPPING ||
           row->form == OG_PARAMETER_COMMAND || row->form == OG_PARAMETER_FILE ||
           row->making->no_gain;
}

bool og_policy_name_apart(const og_policy_name *policy)
{
    return policy->function != NULL || rows[policy->kind].making->apart;
}

bool og_policy_name_together(const og_policy_name *policy)
{
    og_policy_name inner;
    return policy->function == NULL &&
           (rows[policy->kind].making->together ||
            (name_inside(policy, &inner) && og_policy_name_together(&inner)));
}

bool og_policy_name_has_solver(const og_policy_name *policy)
{
    return rows[behind_rule(policy).kind].making->values != VALUES_NOTHING;
}

bool og_policy_name_in_state(const og_policy_name *policy)
{
    return rows[behind_rule(policy).kind].making->values == VALUES_THE_FLUID;
}

int32_t og_policy_name_ahead(const og_policy_name *given)
{
    const og_policy_name behind = behind_rule(given), *policy = &behind;
    values valued = rows[policy->kind].making->values;
    return valued == VALUES_NOTHING        ? 0
           : valued == VALUES_A_FEW_LABELS ? (int32_t)policy->parameter
                                           : OG_BUDGET_MAX;
}

static og_status ranks_by_plugin(const og_policy_name *policy, const og_arms *arms,
                                 const og_policy_use *use, og_ranks **out, og_message *message)
{
    return og_plugin_ranks(policy, arms, use, out, message);
}

og_policy_name og_policy_name_of(const char *name, const struct og_user_policy *function)
{
    og_policy_name out = {.tie_relative = OG_TIE_TOLERANCE, .function = function};
    bool ruled = function != NULL && function->rule != NULL;
    while (ruled ? rows[out.kind].making != &by_rule
                 : rows[out.kind].making->make != ranks_by_plugin) {
        out.kind++;
    }
    snprintf(out.name, sizeof out.name, "%s", name);
    return out;
}

og_status og_policy_name_ranks(const og_policy_name *policy, const og_arms *arms,
                               int32_t whole_budget, int threads, og_ranks **out,
                               og_message *message)
{
    og_policy_use use = {.whole_budget = whole_budget, .threads = threads};
    return og_policy_name_ranks_for(policy, arms, &use, out, message);
}

static og_status make_ranks(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_policy_use filled = *use;
    filled.memory_bytes = memory_of(use);
    filled.roots = false; /* a policy inside it also sees later states */
    return rows[policy->kind].making->make(policy, arms, &filled, out, message);
}

/* `index` may be NULL. */
static og_status ranks_of(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_index **index,
                          og_message *message)
{
    OG_TRY(og_policy_name_check_arms(policy, arms, message));
    if (rows[policy->kind].making->make != NULL) {
        return make_ranks(policy, arms, use, out, message);
    }
    if (rows[policy->kind].making->score == NULL) {
        og_status status = og_ranks_new_uniform(arms, out);
        return status == OG_OK ? OG_OK
                               : og_message_set(message, status, "out of memory for the ranks");
    }
    policy_scoring scoring;
    og_status status = score(policy, arms, use, index == NULL, &scoring, message);
    OG_THEN(status, og_rank(&scoring.job, &scoring.scored, out, NULL));
    if (status == OG_OK && index != NULL) {
        *index = og_scored_take_index(&scoring.scored);
    }
    status = tell_end(&scoring, status, message);
    scoring_clear(&scoring);
    return status;
}

og_status og_policy_name_ranks_for(const og_policy_name *policy, const og_arms *arms,
                                   const og_policy_use *use, og_ranks **out, og_message *message)
{
    return ranks_of(policy, arms, use, out, NULL, message);
}

og_status og_policy_name_ranks_and_index(const og_policy_name *policy, const og_arms *arms,
                                         const og_policy_use *use, og_ranks **out, og_index **index,
                                         og_message *message)
{
    *index = NULL;
    return ranks_of(policy, arms, use, out, index, message);
}
