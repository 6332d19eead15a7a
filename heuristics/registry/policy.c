/*
 * The registry of policies: names, parameters, and the way from a name to index and ranks. A policy
 * is known by its row; everything about it that is not its arithmetic stands there.
 */
#include "heuristics/policy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "dp/base/suggest.h"
#include "heuristics/asking.h"
#include "heuristics/index/index.h"
#include "heuristics/index/rank.h"
#include "heuristics/index/twin.h"
#include "heuristics/whole_state/command.h"
#include "heuristics/whole_state/plugin.h"

typedef enum { NO_PARAMETER, OPTIONAL_PARAMETER, REQUIRED_PARAMETER } parameter_use;

static og_make_ranks ranks_by_command, ranks_by_plugin, refuse_ranks;

typedef struct {
    og_policy_info info;
    parameter_use use;
    bool one_allowed;    /* the parameter may be 1; 0 always may */
    const char *text;    /* the parameter is no number but this: "file" */
    bool named;          /* the text is a policy's name */
    bool whole;          /* the parameter is a whole number, at least 1; that of an index is for
                            labels that take time only */
    bool apart;          /* may tell mirror images and equal posteriors apart */
    const char *example; /* of a required parameter */
    og_score *score;     /* this and the next NULL: all instances alike */
    og_make_ranks *make; /* looks at the whole state; NULL: an index policy */
    og_played played;
} row;

static const char bertsekas[] = "Bertsekas, Tsitsiklis and Wu, Journal of Heuristics 3 (1997)";
static const char brown_smith[] =
    "Hu and Frazier, ties after Brown and Smith, Management Science 66 (2020)";
static const char chen_lin_zhou[] = "Chen, Lin and Zhou, JMLR 16 (2015)";
static const char frazier_powell[] = "Frazier and Powell, Decision Analysis 7 (2010)";
static const char hu_frazier[] = "Hu and Frazier, Bayes-optimal effort allocation in crowdsourcing";
static const char ipeirotis[] =
    "Ipeirotis, Provost, Sheng and Wang, Data Min. Knowl. Disc. 28 (2014)";
static const char xie_frazier[] = "Xie and Frazier (2013), in Chen, Lin and Zhou, JMLR 16 (2015)";

static const row rows[] = {
    {.info = {"uniform", "", "any instance, whatever is known of it", chen_lin_zhou, true}},
    {.info = {"kg", "", "largest expected gain of one label (knowledge gradient)", chen_lin_zhou,
              true},
     .score = og_score_kg},
    {.info = {"opt-kg", "", "largest gain if the label turns out well (optimistic)", chen_lin_zhou,
              true},
     .score = og_score_opt_kg},
    {.info = {"pess-kg", "", "largest gain if the label turns out badly (pessimistic)",
              chen_lin_zhou, true},
     .score = og_score_pess_kg},
    {.info = {"cvar-kg", "ALPHA", "mean gain over the best share ALPHA of outcomes", chen_lin_zhou,
              true},
     .use = REQUIRED_PARAMETER,
     .one_allowed = true,
     .example = "0.5",
     .score = og_score_cvar_kg},
    {.info = {"gittins-fh", "",
              "largest gain per label that stopping in time allows (finite horizon)", hu_frazier,
              true},
     .score = og_score_gittins_fh},
    {.info = {"gittins-inf", "[:DELTA]",
              "the same with labels discounted by DELTA; default 1 - 1/T", xie_frazier, true},
     .use = OPTIONAL_PARAMETER,
     .score = og_score_gittins_inf},
    {.info = {"kg-star", "",
              "largest expected gain per label of any number of labels on one instance",
              frazier_powell, true},
     .score = og_score_kg_star},
    {.info = {"lagrangian", "",
              "largest advantage of buying over waiting at the bound's prices, then chance of it",
              brown_smith, true},
     .score = og_score_lagrangian},
    {.info = {"lookahead", "D",
              "largest gain of a label and optimal play, as if at most D labels were left",
              chen_lin_zhou, true},
     .use = REQUIRED_PARAMETER,
     .whole = true,
     .example = "2",
     .make = og_make_lookahead},
    {.info = {"nlu", "", "most uncertain class, with the labellers' quality estimated", ipeirotis,
              true},
     .make = og_make_nlu},
    {.info = {"rollout", "NAME",
              "largest gain of a label and policy NAME after it (its ties at random)", bertsekas,
              true},
     .use = REQUIRED_PARAMETER,
     .text = "policy",
     .named = true,
     .example = "kg",
     .make = og_make_rollout},
    {.info = {"thompson", "", "largest gain of a label if a soft label drawn at random is true",
              hu_frazier, false},
     .make = refuse_ranks,
     .played = OG_PLAYED_THOMPSON},
    {.info = {"ucb1-tuned", "", "largest gain of labels so far, and a bonus where they are few",
              hu_frazier, false},
     .make = refuse_ranks,
     .played = OG_PLAYED_UCB1_TUNED},
    {.info = {"table", "FILE", "the index that FILE tells, in the format 'optgap index' prints",
              "the user's own", true},
     .use = REQUIRED_PARAMETER,
     .text = "file",
     .apart = true,
     .example = "index.tsv",
     .score = og_score_table},
    {.info = {"command", "CMD", "what the program CMD answers, asked a line of JSON for each state",
              "the user's own", true},
     .use = REQUIRED_PARAMETER,
     .text = "command",
     .example = "'python3 mine.py'",
     .make = ranks_by_command},
    {.info = {"plugin", "FILE.so", "what a function in the shared object FILE.so answers",
              "the user's own", true},
     .use = REQUIRED_PARAMETER,
     .text = "file",
     .example = "./mine.so",
     .make = ranks_by_plugin},
    {.info = {"kg-exact", "", "kg; where it approximates the posterior, by the exact one",
              chen_lin_zhou, true},
     .score = og_score_kg},
    {.info = {"opt-kg-exact", "", "opt-kg; where it approximates the posterior, by the exact one",
              chen_lin_zhou, true},
     .score = og_score_opt_kg},
    {.info = {"hu-frazier", "[:N]",
              "gittins-fh; where labels take time an index of its own, at most N labels each",
              hu_frazier, true},
     .use = OPTIONAL_PARAMETER,
     .whole = true,
     .score = og_score_gittins_fh},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0], WORD_SHOWN = 60 };

const og_policy_info *og_policy_info_at(size_t number)
{
    return number < ROW_COUNT ? &rows[number].info : NULL;
}

static og_status unknown_name(const char *word, size_t length, og_message *message)
{
    char known[OG_MESSAGE_BYTES] = "", given[WORD_SHOWN + 1], hint[OG_SUGGESTION_BYTES];
    const char *names[ROW_COUNT];
    size_t used = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const og_policy_info *info = &rows[i].info;
        names[i] = info->name;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s%s%s", i > 0 ? ", " : "",
                                 info->name, rows[i].use == REQUIRED_PARAMETER ? ":" : "",
                                 info->parameter);
    }
    snprintf(given, sizeof given, "%.*s", (int)(length < WORD_SHOWN ? length : WORD_SHOWN), word);
    return og_message_set(message, OG_BAD_INPUT, "unknown policy '%s'%s (known: %s)", given,
                          og_suggestion(given, names, ROW_COUNT, hint), known);
}

static og_status bad_parameter(const row *of, const char *text, const char *fault,
                               og_message *message)
{
    const char *name = of->info.parameter;
    name += strspn(name, "[:"); /* an optional one is written [:NAME] */
    return og_message_set(message, OG_BAD_INPUT, "policy '%s': '%.40s' %s: 0 <= %.*s %s 1",
                          of->info.name, text, fault, (int)strcspn(name, "]"), name,
                          of->one_allowed ? "<=" : "<");
}

/* A policy with a value that can be improved on. */
static og_status read_name(const row *of, const char *text, og_message *message)
{
    og_policy inner;
    og_status status = og_policy_parse(text, &inner, message);
    if (status == OG_OK && !rows[inner.kind].info.valued_exactly) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s': '%.200s' is simulated only, no exact value of it is "
                              "known",
                              of->info.name, text);
    }
    return status;
}

static og_status read_parameter(const row *of, const char *text, og_policy *out,
                                og_message *message)
{
    const og_fraction one = {1, 1};
    og_fraction value = {0, 1};
    if (of->use == NO_PARAMETER) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' takes no parameter, '%.40s' is given", of->info.name,
                              text);
    }
    if (of->text != NULL) {
        OG_TRY(of->named ? read_name(of, text, message) : OG_OK);
        if (*text == '\0') {
            return og_message_set(message, OG_BAD_INPUT, "policy '%s': no %s is named",
                                  of->info.name, of->text);
        }
        out->has_parameter = true;
        out->parameter = 0;
        out->parameter_exact = value;
        return OG_OK;
    }
    if (of->whole) {
        bool whole = og_fraction_parse(text, strlen(text), &value) == OG_OK &&
                     og_fraction_is_integer(value) && value.num >= 1 && value.num <= OG_BUDGET_MAX;
        out->has_parameter = whole;
        out->parameter = og_fraction_double(value);
        out->parameter_exact = value;
        return whole ? OG_OK
                     : og_message_set(message, OG_BAD_INPUT,
                                      "policy '%s': '%.40s' is not a whole number from 1 to %d",
                                      of->info.name, text, OG_BUDGET_MAX);
    }
    if (*text == '-' && og_fraction_parse(text + 1, strlen(text + 1), &value) == OG_OK) {
        return bad_parameter(of, text, "is out of range", message);
    }
    if (og_fraction_parse(text, strlen(text), &value) != OG_OK) {
        return bad_parameter(of, text, "is not a decimal number of at most 18 digits", message);
    }
    int order = og_fraction_compare(value, one);
    if (order > 0 || (order == 0 && !of->one_allowed)) {
        return bad_parameter(of, text, "is out of range", message);
    }
    out->has_parameter = true;
    out->parameter = og_fraction_double(value);
    out->parameter_exact = value;
    return OG_OK;
}

og_status og_policy_parse(const char *name, og_policy *out, og_message *message)
{
    size_t length = strcspn(name, ":");
    og_policy policy = {.kind = -1, .answer_seconds = OG_ANSWER_SECONDS};
    if (strlen(name) >= sizeof policy.name) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.40s...': a name has at most %d characters", name,
                              OG_POLICY_NAME_BYTES - 1);
    }
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strlen(rows[i].info.name) == length && memcmp(rows[i].info.name, name, length) == 0) {
            policy.kind = i;
        }
    }
    if (policy.kind < 0) {
        return unknown_name(name, length, message);
    }
    const row *of = &rows[policy.kind];
    strcpy(policy.name, name);
    if (name[length] == ':') {
        OG_TRY(read_parameter(of, name + length + 1, &policy, message));
    } else if (of->use == REQUIRED_PARAMETER) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' needs a parameter: %s:%s, such as %s:%s", name, name,
                              of->info.parameter, name, of->example);
    }
    *out = policy;
    return OG_OK;
}

/* What ranks and index are both made from; nothing is left to free on failure. */
static og_status score(const og_policy *policy, og_index_job *job, og_twins **twins,
                       og_scored *scored, og_message *message)
{
    const row *of = &rows[policy->kind];
    if (of->whole && policy->has_parameter) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s': the number is for labels that take time; where they "
                              "come at once this is gittins-fh",
                              policy->name);
    }
    og_status status =
        of->apart ? og_twins_new_apart(job->arms, twins) : og_twins_new(job->arms, twins);
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for the order of the posteriors");
    }
    job->twins = *twins;
    status = of->score(job, scored, message);
    if (status != OG_OK) {
        og_twins_free(*twins);
        *twins = NULL;
    }
    return status;
}

og_status og_policy_index(const og_policy *policy, const og_arms *arms, int32_t whole_budget,
                          int threads, og_index **out, og_message *message)
{
    if (rows[policy->kind].make == refuse_ranks) {
        return refuse_ranks(policy, arms, NULL, NULL, message);
    }
    if (rows[policy->kind].make != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' has no index: it looks at all instances together",
                              policy->name);
    }
    if (rows[policy->kind].score == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "policy '%s' has no index", policy->name);
    }
    og_index_job job = {.arms = arms,
                        .policy = policy,
                        .whole_budget = whole_budget,
                        .threads = og_thread_count(threads)};
    og_twins *twins = NULL;
    og_scored scored;
    OG_TRY(score(policy, &job, &twins, &scored, message));
    *out = og_scored_take_index(&scored);
    og_twins_free(twins);
    return OG_OK;
}

static og_status ranks_by_command(const og_policy *policy, const og_arms *arms,
                                  const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_command_use how = {.command = strchr(policy->name, ':') + 1,
                          .answer_seconds = policy->answer_seconds,
                          .memory_bytes = use->memory_bytes};
    return og_command_ranks(&how, arms, out, message);
}

static og_status refuse_ranks(const og_policy *policy, const og_arms *arms,
                              const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return og_message_set(message, OG_BAD_INPUT, "policy '%s' can only be simulated: it %s",
                          policy->name,
                          rows[policy->kind].played == OG_PLAYED_THOMPSON
                              ? "draws at random"
                              : "goes by what earlier labels gained, not by posteriors");
}

og_played og_policy_played(const og_policy *policy)
{
    return rows[policy->kind].played;
}

bool og_policy_has_solver(const og_policy *policy)
{
    og_make_ranks *make = rows[policy->kind].make;
    return make == og_make_lookahead || make == og_make_rollout;
}

static og_status ranks_by_plugin(const og_policy *policy, const og_arms *arms,
                                 const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)use;
    return og_plugin_ranks(strchr(policy->name, ':') + 1, arms, out, message);
}

og_status og_policy_ranks(const og_policy *policy, const og_arms *arms, int32_t whole_budget,
                          int threads, og_ranks **out, og_message *message)
{
    og_policy_use use = {.whole_budget = whole_budget, .threads = threads};
    return og_policy_ranks_for(policy, arms, &use, out, message);
}

static og_status make_ranks(const og_policy *policy, const og_arms *arms, const og_policy_use *use,
                            og_ranks **out, og_message *message)
{
    og_policy_use filled = *use;
    if (filled.memory_bytes == 0) {
        og_settings settings;
        og_settings_default(&settings);
        filled.memory_bytes = settings.memory_bytes;
    }
    return rows[policy->kind].make(policy, arms, &filled, out, message);
}

og_status og_policy_ranks_for(const og_policy *policy, const og_arms *arms,
                              const og_policy_use *use, og_ranks **out, og_message *message)
{
    if (rows[policy->kind].make != NULL) {
        return make_ranks(policy, arms, use, out, message);
    }
    if (rows[policy->kind].score == NULL) {
        og_status status = og_ranks_new_uniform(arms, out);
        return status == OG_OK ? OG_OK
                               : og_message_set(message, status, "out of memory for the ranks");
    }
    og_index_job job = {.arms = arms,
                        .policy = policy,
                        .whole_budget = use->whole_budget,
                        .threads = og_thread_count(use->threads)};
    og_twins *twins = NULL;
    og_scored scored;
    OG_TRY(score(policy, &job, &twins, &scored, message));
    og_status status = og_rank(&job, &scored, out, NULL);
    if (status != OG_OK) {
        og_message_set(message, status, "out of memory for the ranks of the posteriors");
    }
    og_scored_clear(&scored);
    og_twins_free(twins);
    return status;
}
