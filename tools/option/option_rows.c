/* The rows that several commands share, and what reads their values. */
#include "tools/option/options.h"

#include <string.h>

#include "bench/simulation/simulate.h"
#include "dp/base/number.h"
#include "dp/base/suggest.h"
#include "tools/show/memory.h"

enum { WORD_BYTES = 128 };

og_status read_integer(const char *text, const char *what, int64_t least, int64_t most,
                       int64_t *out, og_message *message)
{
    if (!og_number_parse(text, least, most, out)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be a whole number from %lld to %lld, not '%.64s'", what,
                              (long long)least, (long long)most, text);
    }
    return OG_OK;
}

og_status read_budget(request *asked, const char *text, og_message *message)
{
    int64_t budget = 0;
    og_status status = read_integer(text, "the budget (-T)", 0, OG_BUDGET_MAX, &budget, message);
    if (status == OG_OK) {
        asked->budget = (int32_t)budget;
        asked->budget_given = true;
    }
    return status;
}

og_status read_runs(request *asked, const char *text, og_message *message)
{
    return read_integer(text, "--runs", 2, OG_RUNS_MAX, &asked->runs, message);
}

og_status read_seed(request *asked, const char *text, og_message *message)
{
    int64_t seed = 0;
    og_status status = read_integer(text, "--seed", 0, INT64_MAX, &seed, message);
    if (status == OG_OK) {
        asked->seed = (uint64_t)seed;
    }
    return status;
}

og_status read_policy(request *asked, const char *text, og_message *message)
{
    og_policy policy;
    og_status status = og_policy_parse(text, &policy, message);
    if (status == OG_OK) {
        size_t count = (size_t)asked->policy_count + 1;
        asked->policies = grow(asked->policies, count, sizeof *asked->policies);
        asked->policies[asked->policy_count++] = policy;
    }
    return status;
}

og_status read_instance(request *asked, const char *text, og_message *message)
{
    og_group group;
    og_status status = og_group_parse(text, &group, message);
    return status == OG_OK ? og_problem_add(&asked->problem, &group, message) : status;
}

/* Call `read` for every word between commas. */
static og_status read_list(request *asked, const char *text, option_reader *read,
                           og_message *message)
{
    og_status status = OG_OK;
    const char *rest = text;
    while (status == OG_OK && rest != NULL) {
        char word[WORD_BYTES];
        size_t length = strcspn(rest, ",");
        if (length == 0 || length >= sizeof word) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "'%.64s' is not a list of names with commas between them", text);
        }
        memcpy(word, rest, length);
        word[length] = '\0';
        status = read(asked, word, message);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return status;
}

static og_status read_policies(request *asked, const char *text, og_message *message)
{
    return read_list(asked, text, read_policy, message);
}

static og_status unknown_ties(const char *text, og_message *message)
{
    const char *names[OG_TIES_COUNT];
    for (int i = 0; i < OG_TIES_COUNT; i++) {
        names[i] = og_ties_name((og_ties)i);
    }
    char hint[OG_SUGGESTION_BYTES];
    return og_message_set(
        message, OG_BAD_INPUT, "unknown tie rule '%.64s'%s (known: %s, %s, %s, %s)", text,
        og_suggestion(text, names, OG_TIES_COUNT, hint), names[0], names[1], names[2], names[3]);
}

static og_status read_tie(request *asked, const char *text, og_message *message)
{
    og_ties ties;
    if (og_ties_parse(text, &ties) != OG_OK) {
        return unknown_ties(text, message);
    }
    for (int32_t i = 0; i < asked->ties_count; i++) {
        if (asked->ties[i] == ties) {
            return og_message_set(message, OG_BAD_INPUT, "--ties names '%s' twice", text);
        }
    }
    asked->ties[asked->ties_count++] = ties;
    return OG_OK;
}

static og_status read_ties(request *asked, const char *text, og_message *message)
{
    asked->ties_count = 0;
    return read_list(asked, text, read_tie, message);
}

static og_status read_arithmetic(request *asked, const char *text, og_message *message)
{
    asked->exact = strcmp(text, "exact") == 0;
    if (asked->exact || strcmp(text, "double") == 0) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "--arithmetic must be double or exact, not '%.64s'", text);
}

static og_status read_objective(request *asked, const char *text, og_message *message)
{
    bool bandit = strcmp(text, "bandit") == 0;
    if (!bandit && strcmp(text, "calls") != 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--objective must be calls or bandit, not '%.64s'", text);
    }
    asked->problem.objective = bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    return OG_OK;
}

static og_status read_threads(request *asked, const char *text, og_message *message)
{
    int64_t threads = 0;
    og_status status = read_integer(text, "--threads", 1, OPTION_THREADS_MAX, &threads, message);
    if (status == OG_OK) {
        asked->settings.threads = (int)threads;
    }
    return status;
}

static og_status read_memory(request *asked, const char *text, og_message *message)
{
    if (!og_bytes_parse(text, &asked->settings.memory_bytes)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--memory must be a number of bytes such as 16M or 2G "
                              "(K, M, G, T; at most 1024T), not '%.64s'",
                              text);
    }
    return OG_OK;
}

static og_status read_seconds(const char *text, const char *name, double *out, og_message *message)
{
    if (!og_seconds_parse(text, out)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be a number of seconds greater than 0, such as 90 or 0.5 "
                              "(at most 1000000000), not '%.64s'",
                              name, text);
    }
    return OG_OK;
}

static og_status read_time_limit(request *asked, const char *text, og_message *message)
{
    return read_seconds(text, "--time-limit", &asked->time_limit_seconds, message);
}

static og_status read_policy_timeout(request *asked, const char *text, og_message *message)
{
    return read_seconds(text, "--policy-timeout", &asked->answer_seconds, message);
}

static og_status read_checkpoint(request *asked, const char *text, og_message *message)
{
    if (text[0] == '\0') {
        return og_message_set(message, OG_BAD_INPUT, "--checkpoint needs the name of a file");
    }
    asked->settings.checkpoint = text;
    return OG_OK;
}

static og_status read_checkpoint_every(request *asked, const char *text, og_message *message)
{
    return read_seconds(text, "--checkpoint-every", &asked->settings.checkpoint_seconds, message);
}

static og_status read_quiet(request *asked, const char *text, og_message *message)
{
    (void)text;
    (void)message;
    asked->quiet = true;
    return OG_OK;
}

static og_status read_json(request *asked, const char *text, og_message *message)
{
    (void)text;
    (void)message;
    asked->json = true;
    return OG_OK;
}

const option option_budget = {
    .name = "budget",
    .letter = 'T',
    .argument = "N",
    .required = "-T N (--budget N) is missing: how many labels there are to give",
    .help = "labels to give, 0 to 1000000; required",
    .read = read_budget,
};

const option option_policy = {
    .name = "policy",
    .argument = "NAME",
    .help = "a policy; may be given several times",
    .read = read_policy,
};

const option option_policies = {
    .name = "policies",
    .argument = "NAME[,NAME...]",
    .fallback = "uniform,kg,opt-kg,gittins-fh,gittins-inf",
    .help = "several policies at once",
    .read = read_policies,
};

const option option_policy_timeout = {
    .name = "policy-timeout",
    .argument = "SECONDS",
    .fallback = "10",
    .help = "how long a policy that is a program (command:CMD) may take for one answer",
    .read = read_policy_timeout,
};

const option option_ties = {
    .name = "ties",
    .argument = "RULE[,RULE...]",
    .fallback = "random",
    .help = "which of a policy's equally good instances is labelled: random (all alike), first "
            "(the one given first), best, worst (the tied instance whose continuation is worth "
            "most, least); policies are valued under each rule",
    .read = read_ties,
};

const option option_arithmetic = {
    .name = "arithmetic",
    .argument = "KIND",
    .fallback = "double",
    .choices = "double exact",
    .help = "double, with a proved error bound, or exact: fractions, for priors of whole numbers "
            "(decimals of thresholds are the fractions they spell)",
    .read = read_arithmetic,
};

const option option_objective = {
    .name = "objective",
    .argument = "WHAT",
    .fallback = "calls",
    .choices = "calls bandit",
    .help = "what to expect much of: calls, correct ones in the end; or bandit, positive labels on "
            "the way, the classical Bernoulli bandit, whose arms are the instances",
    .read = read_objective,
};

const option option_threads = {
    .name = "threads",
    .argument = "N",
    .help = "threads to use, 1 to 1024 (default: one per core)",
    .read = read_threads,
};

const option option_memory = {
    .name = "memory",
    .argument = "SIZE",
    .help = "memory limit, such as 16M or 2G (default: three quarters of the physical memory)",
    .read = read_memory,
};

const option option_time_limit = {
    .name = "time-limit",
    .argument = "SECONDS",
    .help = "stop after so long, with status 3 if the optimum is not proved by then (default: no "
            "limit)",
    .read = read_time_limit,
};

const option option_checkpoint = {
    .name = "checkpoint",
    .argument = "FILE",
    .help = "keep what is known of the optimum in FILE, saved at intervals, at Ctrl-C or SIGTERM "
            "and at a limit; the same command continues from it",
    .read = read_checkpoint,
};

const option option_checkpoint_every = {
    .name = "checkpoint-every",
    .argument = "SECONDS",
    .fallback = "300",
    .help = "time between two savings",
    .read = read_checkpoint_every,
};

const option option_quiet = {
    .name = "quiet",
    .help = "no progress line and no warnings",
    .read = read_quiet,
};

const option option_json = {
    .name = "json",
    .help = "print one JSON object instead of a table",
    .read = read_json,
};

static og_status read_index_time(request *asked, const char *text, og_message *message)
{
    if (!og_seconds_parse(text, &asked->index_seconds)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--index-time must be a number of seconds greater than 0, such as "
                              "600 (at most 1000000000), not '%.64s'",
                              text);
    }
    return OG_OK;
}

const option option_index_time = {
    .name = "index-time",
    .argument = "SECONDS",
    .fallback = "60",
    .help = "a policy whose index would take longer than that to compute is left out",
    .read = read_index_time,
};
