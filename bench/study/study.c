/*
 * Reads a study's grid: keys and values from the command line or a file. Lists are sorted and
 * without repetition, so that different ways to write a study give the same study.
 */
#include "bench/study/study.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/simulate.h"
#include "bench/study/law.h"
#include "bench/study/study_family.h"
#include "bench/truth_grid.h"
#include "dp/base/rows.h"

/*
 * The table of keys for the command line, the file, the defaults and the words of a repeated
 * command.
 */

enum {
    NAME_BYTES = 160,
    LIST_MAX = 10000, /* names, and priors */
    LIST_BYTES = 256,
    COUNT_BYTES = 24, /* of an INSTANCE word, including the x */
    OPTIONS_BYTES = 1024,
};

static const double seconds_most = 1e9;

typedef og_status reader(og_study *study, const char *text, og_message *message);

typedef struct {
    const char *name;
    const char *fallback; /* NULL: none */
    reader *read;
    const char *was; /* its earlier name; NULL: none */
} key;

/* Enlarge `block` by one element; NULL if memory runs out, and `block` is unchanged. */
static void *one_more(void *block, int32_t count, size_t size)
{
    return realloc(block, ((size_t)count + 1) * size);
}

static og_status check_length(int32_t count, const char *what, og_message *message)
{
    return count < LIST_MAX
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "at most %d %s are supported; give fewer",
                                (int)LIST_MAX, what);
}

/* -- Values ----------------------------------------------------------------------------------- */

/* Read digits from *text and move it after them; false if there are none or the number exceeds
 * `most`. */
static bool take_number(const char **text, int64_t most, int64_t *out)
{
    const char *at = *text;
    int64_t value = 0;
    while (isdigit((unsigned char)*at)) {
        value = 10 * value + (*at++ - '0');
        if (value > most) {
            return false;
        }
    }
    bool found = at != *text;
    *text = at;
    *out = value;
    return found;
}

static og_status read_whole(const char *text, const char *name, int64_t least, int64_t most,
                            int64_t *out, og_message *message)
{
    const char *at = text;
    int64_t value = 0;
    if (!take_number(&at, most, &value) || *at != '\0' || value < least) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must be a whole number from %" PRId64 " to %" PRId64
                              ", not '%.64s'",
                              name, least, most, text);
    }
    *out = value;
    return OG_OK;
}

static og_status read_large(const char *text, const char *name, uint64_t *out, og_message *message)
{
    int64_t value = 0;
    OG_TRY(read_whole(text, name, 0, INT64_C(1) << 62, &value, message));
    *out = (uint64_t)value;
    return OG_OK;
}

/* Insert a number in ascending order, unless it is there. */
static og_status insert_number(int64_t **list, int32_t *count, int64_t value)
{
    int32_t at = *count;
    while (at > 0 && (*list)[at - 1] > value) {
        at--;
    }
    if (at > 0 && (*list)[at - 1] == value) {
        return OG_OK;
    }
    int64_t *longer = one_more(*list, *count, sizeof *longer);
    OG_TRY(OG_ALLOCATED(longer));
    memmove(longer + at + 1, longer + at, (size_t)(*count - at) * sizeof *longer);
    longer[at] = value;
    *list = longer;
    ++*count;
    return OG_OK;
}

/* Read items "FROM[:TO[:STEP]]" separated by commas. */
static og_status read_numbers(const char *text, const char *name, int64_t least, int64_t most,
                              int64_t **list, int32_t *count, og_message *message)
{
    const char *at = text;
    bool more = true;
    while (more) {
        int64_t from = 0, to = 0, step = 1;
        bool good = take_number(&at, most, &from);
        to = from;
        if (good && *at == ':') {
            at++;
            good = take_number(&at, most, &to);
        }
        if (good && *at == ':') {
            at++;
            good = take_number(&at, most, &step);
        }
        more = *at == ',';
        if (!good || from < least || to < from || step < 1 || (*at != '\0' && !more)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%s must be numbers from %" PRId64 " to %" PRId64
                                  " such as 2,3,5 or 10:50:10 (from, to, step), not '%.64s'",
                                  name, least, most, text);
        }
        if ((to - from) / step + *count >= OG_STUDY_CELLS_MAX) {
            return og_message_set(message, OG_BAD_INPUT, "'%.64s' has too many numbers; give fewer",
                                  text);
        }
        for (int64_t value = from; value <= to; value += step) {
            if (insert_number(list, count, value) != OG_OK) {
                return OG_NO_MEMORY;
            }
        }
        at += more;
    }
    return OG_OK;
}

static og_status read_instances(og_study *study, const char *text, og_message *message)
{
    return read_numbers(text, "instances", 1, OG_COUNT_MAX, &study->instances,
                        &study->instances_count, message);
}

static og_status read_budget(og_study *study, const char *text, og_message *message)
{
    return read_numbers(text, "budget", 0, OG_BUDGET_MAX, &study->budgets, &study->budget_count,
                        message);
}

/* Normalise the INSTANCE word at the start of a prior. */
static og_status format_group(const char *prior, char *word, size_t size, og_message *message)
{
    og_group group;
    size_t length = strcspn(prior, " ");
    snprintf(word, size, "%.*s", (int)length, prior);
    OG_TRY(og_group_parse(word, &group, message));
    length = (size_t)og_group_format(&group, word, OG_GROUP_TEXT_BYTES);
    snprintf(word + length, size - length, "%s", prior + strcspn(prior, " "));
    return OG_OK;
}

static og_status read_prior(og_study *study, const char *text, og_message *message)
{
    og_study_family family;
    char word[OG_GROUP_TEXT_BYTES + OPTIONS_BYTES], given[OPTIONS_BYTES];
    OG_TRY(og_study_family_format(text, given, sizeof given, message));
    og_status status = og_study_family_read(given, 1, 0, &family, message);
    snprintf(word, sizeof word, "%s", given);
    if (status == OG_OK && !family.by_words) {
        status = format_group(given, word, sizeof word, message);
    }
    og_study_family_clear(&family);
    OG_TRY(status);
    return og_study_add_text(&study->priors, &study->prior_count, word, "priors", message);
}

static og_status read_policy(og_study *study, const char *text, og_message *message)
{
    og_policy_name policy;
    OG_TRY(og_policy_name_parse(text, &policy, message));
    for (int32_t i = 0; i < study->policy_count; i++) {
        if (strcmp(study->policies[i].name, policy.name) == 0) {
            return OG_OK;
        }
    }
    OG_TRY(check_length(study->policy_count, "policies", message));
    og_policy_name *longer = one_more(study->policies, study->policy_count, sizeof *longer);
    OG_TRY(OG_ALLOCATED(longer));
    longer[study->policy_count++] = policy;
    study->policies = longer;
    return OG_OK;
}

/* Add every policy that needs no parameter; hu-frazier is another name of gittins-fh. */
static og_status read_all_policies(og_study *study, og_message *message)
{
    og_status status = OG_OK;
    study->all_policies = true;
    for (size_t i = 0; status == OG_OK && og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *info = og_policy_row_at(i);
        bool needs = isupper((unsigned char)info->parameter[0]);
        if (!needs && info->objective == NULL && strcmp(info->name, "hu-frazier") != 0) {
            status = read_policy(study, info->name, message);
        }
    }
    return status;
}

/* Call `read` for every word between commas. */
static og_status read_list(og_study *study, const char *text, reader *read, og_message *message)
{
    og_status status = OG_OK;
    for (const char *rest = text; status == OG_OK && rest != NULL;) {
        char word[NAME_BYTES];
        size_t length = strcspn(rest, ",");
        if (length == 0 || length >= sizeof word) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "expected names with commas between them, not '%.64s'", text);
        }
        memcpy(word, rest, length);
        word[length] = '\0';
        status = read(study, word, message);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return status;
}

static og_status read_policies(og_study *study, const char *text, og_message *message)
{
    return strcmp(text, "all") == 0 ? read_all_policies(study, message)
                                    : read_list(study, text, read_policy, message);
}

static og_status read_tie(og_study *study, const char *text, og_message *message)
{
    og_ties ties;
    if (og_ties_parse(text, &ties) != OG_OK) {
        return og_message_set(message, OG_BAD_INPUT,
                              "unknown tie rule '%.64s' (known: %s, %s, %s, %s)", text,
                              og_ties_name(OG_TIES_RANDOM), og_ties_name(OG_TIES_FIRST),
                              og_ties_name(OG_TIES_BEST), og_ties_name(OG_TIES_WORST));
    }
    for (int32_t i = 0; i < study->ties_count; i++) {
        if (study->ties[i] == ties) {
            return OG_OK;
        }
    }
    study->ties[study->ties_count++] = ties;
    return OG_OK;
}

static og_status read_ties(og_study *study, const char *text, og_message *message)
{
    return read_list(study, text, read_tie, message);
}

static og_status read_policy_states(og_study *study, const char *text, og_message *message)
{
    return read_large(text, "max-policy-states", &study->policy_states_max, message);
}

static og_status read_runs(og_study *study, const char *text, og_message *message)
{
    OG_TRY(read_whole(text, "runs", 0, OG_RUNS_MAX, &study->runs, message));
    return study->runs != 1
               ? OG_OK
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "runs must be 0 or at least 2, not 1, because one run has no interval");
}

static og_status read_seed(og_study *study, const char *text, og_message *message)
{
    return read_large(text, "seed", &study->seed, message);
}

/* Grids are expanded when the study is complete. */
static og_status read_truth(og_study *study, const char *text, og_message *message)
{
    og_truth truth = {.kind = OG_TRUTH_PRIOR};
    OG_TRY(og_truth_is_grid(text) ? og_truth_points(text, NULL, NULL, message)
                                  : og_truth_parse(text, &truth, message));
    char *copy = strdup(text);
    if (copy == NULL) {
        og_truth_clear(&truth);
        return OG_NO_MEMORY;
    }
    og_truth_clear(&study->truth);
    free(study->truth_text);
    study->truth = truth;
    study->truth_text = copy;
    return OG_OK;
}

static og_status read_believe(og_study *study, const char *text, og_message *message)
{
    OG_TRY(og_belief_points(text, NULL, NULL, message));
    return og_study_add_text(&study->beliefs, &study->belief_count, text, "beliefs", message);
}

static og_status read_index_time(og_study *study, const char *text, og_message *message)
{
    char *end = NULL;
    double seconds = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
    if (end == NULL || *end != '\0' || !(seconds > 0 && seconds <= seconds_most)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "max-index-time must be a number of seconds greater than 0, such as 60, "
            "not '%.64s'",
            text);
    }
    study->index_seconds_max = seconds;
    return OG_OK;
}

enum {
    PRIOR,
    INSTANCES,
    BUDGET,
    POLICIES,
    POLICY,
    TIES,
    STATES,
    RUNS,
    SEED,
    TRUTH,
    BELIEVE,
    INDEX_TIME
};

static const key keys[OG_STUDY_KEYS] = {
    [PRIOR] = {"prior", NULL, read_prior, NULL},
    [INSTANCES] = {"instances", NULL, read_instances, NULL},
    [BUDGET] = {"budget", NULL, read_budget, NULL},
    [POLICIES] = {"policies", "uniform,kg,opt-kg,gittins-fh,gittins-inf", read_policies, NULL},
    [POLICY] = {"policy", NULL, read_policy, NULL},
    [TIES] = {"ties", "random", read_ties, NULL},
    [STATES] = {"max-policy-states", "20000000", read_policy_states, "policy-states"},
    [RUNS] = {"runs", "0", read_runs, NULL},
    [SEED] = {"seed", "1", read_seed, NULL},
    [TRUTH] = {"truth", "prior", read_truth, NULL},
    [BELIEVE] = {"assume", NULL, read_believe, "believe"},
    [INDEX_TIME] = {"max-index-time", "60", read_index_time, "index-time"},
};

static int find_key(const char *name)
{
    int at = 0;
    while (at < OG_STUDY_KEYS && strcmp(keys[at].name, name) != 0 &&
           (keys[at].was == NULL || strcmp(keys[at].was, name) != 0)) {
        at++;
    }
    return at;
}

static og_status unknown_key(const char *name, og_message *message)
{
    char list[LIST_BYTES] = "";
    for (int i = 0; i < OG_STUDY_KEYS; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", keys[i].name);
    }
    return og_message_set(message, OG_BAD_INPUT, "unknown key '%.64s' (known: %s)", name, list);
}

og_status og_study_set(og_study *study, const char *name, const char *text, og_message *message)
{
    int at = find_key(name);
    if (at == OG_STUDY_KEYS) {
        return unknown_key(name, message);
    }
    og_status status = keys[at].read(study, text, message);
    if (status == OG_OK) {
        study->given[at] = true;
    }
    return status;
}

/* -- The file --------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

/* Read one line without its end. `before`: keys that keep their values. */
static og_status read_line(og_study *study, const bool *before, char *line, og_message *message)
{
    line[strcspn(line, "#")] = '\0';
    char *name = trim(line);
    if (name[0] == '\0') {
        return OG_OK;
    }
    char *equals = strchr(name, '=');
    if (equals == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "expected 'key = value', not '%.64s'", name);
    }
    *equals = '\0';
    name = trim(name);
    char *text = trim(equals + 1);
    int at = find_key(name);
    bool kept = at < OG_STUDY_KEYS && before[at];
    /* Both add to one list, so either on the command line overrides both in the file. */
    if (at == POLICIES || at == POLICY) {
        kept = before[POLICIES] || before[POLICY];
    }
    if (!kept) {
        return og_study_set(study, name, text, message);
    }
    og_study checked = {0};
    og_status status = og_study_set(&checked, name, text, message);
    og_study_clear(&checked);
    return status;
}

og_status og_study_read(const char *path, og_study *study, og_message *message)
{
    og_message said = {""};
    bool before[OG_STUDY_KEYS];
    og_rows rows;
    memcpy(before, study->given, sizeof before);
    og_rows_open(&rows, path, '\0', '#', NULL, message); /* the lists have limits */
    while (og_rows_next(&rows)) {
        og_status status = read_line(study, before, rows.field[0], &said);
        if (status == OG_NO_MEMORY) {
            og_rows_no_memory(&rows);
        } else if (status != OG_OK) {
            og_rows_fail(&rows, "%s", said.text);
        }
    }
    return og_rows_close(&rows);
}

/* -- The whole -------------------------------------------------------------------------------- */

static og_status check_runs(const og_study *study, og_message *message)
{
    if (study->runs == 0 && study->given[SEED]) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "seed requires runs, because exact values do not depend on it; give runs or omit seed");
    }
    if (study->runs > 0 && (study->belief_count > 0 || og_truth_is_grid(study->truth_text))) {
        return og_message_set(message, OG_BAD_INPUT, "%s does not support runs; omit one of them",
                              study->belief_count > 0 ? "assume" : "a grid of truths");
    }
    for (int32_t i = 0; study->runs > 0 && i < study->ties_count; i++) {
        if (study->ties[i] != OG_TIES_RANDOM && study->ties[i] != OG_TIES_FIRST) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "runs support only ties random and first, not '%s'",
                                  og_ties_name(study->ties[i]));
        }
    }
    return OG_OK;
}

static og_status check_groups(const og_study *study, const char *prior, int64_t instances,
                              og_message *message)
{
    og_groups problem;
    OG_TRY(og_study_problem(prior, instances, 0, &problem, message));
    og_status status = og_study_laws_check(study, &problem, instances, message);
    og_groups_clear(&problem);
    return status;
}

/* Check a family's words by opening a problem; limits are reported later, in the cell. */
static og_status check_words(const og_study_family *family, og_message *message)
{
    og_settings settings;
    void *problem = NULL;
    og_settings_default(&settings);
    const og_problem_text given = og_study_family_given(family, NULL);
    og_status status = family->family->open(&given, &settings, &problem, message);
    family->family->close(problem);
    return status == OG_STOPPED ? OG_OK : status;
}

/* With runs, the family must have a source of runs. */
static og_status check_family(const og_study *study, const char *prior, int64_t instances,
                              og_message *message)
{
    og_study_family family;
    og_status status = og_study_family_read(prior, instances, 0, &family, message);
    if (status == OG_OK && study->runs > 0 && family.family->source == NULL) {
        status = og_family_lacks(family.family, "--runs", message);
    }
    if (status == OG_OK && study->runs == 0 && !og_study_is_plain(study) &&
        family.family->arms == NULL) {
        status = og_family_lacks(family.family, study->belief_count > 0 ? "--assume" : "--truth",
                                 message);
    }
    OG_THEN(status, family.by_words ? check_words(&family, message)
                                    : check_groups(study, prior, instances, message));
    og_study_family_clear(&family);
    return status;
}

static og_status check_families(const og_study *study, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; i < study->prior_count; i++) {
        for (int32_t k = 0; status == OG_OK && k < study->instances_count; k++) {
            status = check_family(study, study->priors[i], study->instances[k], message);
        }
    }
    return status;
}

/* Without runs, policies need exact values. */
static og_status check_policies(og_study *study, og_message *message)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < study->policy_count; i++) {
        const og_policy_name *policy = &study->policies[i];
        size_t used = strlen(study->left_out);
        if (study->runs > 0 || og_policy_row_at((size_t)policy->kind)->valued_exactly) {
            study->policies[kept++] = *policy;
        } else if (study->all_policies) {
            snprintf(study->left_out + used, sizeof study->left_out - used, "%s%s",
                     used > 0 ? ", " : "", policy->name);
        } else {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.64s' has no exact value; omit it, or simulate all "
                                  "policies with --runs N",
                                  policy->name);
        }
    }
    study->policy_count = kept;
    return OG_OK;
}

og_status og_study_complete(og_study *study, og_message *message)
{
    static const int required[] = {PRIOR, INSTANCES, BUDGET};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (!study->given[required[i]]) {
            return og_message_set(message, OG_BAD_INPUT, "%s is missing in the study; give it",
                                  keys[required[i]].name);
        }
    }
    for (int i = 0; i < OG_STUDY_KEYS; i++) {
        bool named = i == POLICIES && study->policy_count > 0;
        if (!study->given[i] && keys[i].fallback != NULL && !named) {
            OG_TRY(keys[i].read(study, keys[i].fallback, message));
        }
    }
    OG_TRY(check_runs(study, message));
    OG_TRY(og_study_laws_make(study, message));
    double cells = (double)study->prior_count * study->instances_count * study->budget_count *
                   study->law_count;
    if (cells > OG_STUDY_CELLS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the study has %.0f problems; at most %d are supported", cells,
                              (int)OG_STUDY_CELLS_MAX);
    }
    OG_TRY(check_policies(study, message));
    return check_families(study, message);
}

og_status og_study_problem(const char *prior, int64_t instances, int64_t budget, og_groups *out,
                           og_message *message)
{
    og_group group;
    char word[COUNT_BYTES + OG_GROUP_TEXT_BYTES];
    if (budget < 0 || budget > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "the budget must be from 0 to %d",
                              OG_BUDGET_MAX);
    }
    snprintf(word, sizeof word, "%" PRId64 "x%.*s", instances, (int)strcspn(prior, " "), prior);
    og_status status = og_group_parse(word, &group, message);
    if (status == OG_OK) {
        og_groups_init(out, (int32_t)budget);
        status = og_groups_add(out, &group, message);
        if (status != OG_OK) {
            og_groups_clear(out);
        }
    }
    return status;
}

/* -- Words ------------------------------------------------------------------------------------ */

/* Quote a text as one word for a shell. */
static void quote(FILE *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                ",.:-_/@+=";
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        fputs(text, to);
        return;
    }
    fputc('\'', to);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, to);
    }
    fputc('\'', to);
}

/* Write the list, equal steps as FROM:TO:STEP. */
static void write_numbers(FILE *to, const int64_t *list, int32_t count)
{
    for (int32_t i = 0; i < count;) {
        int32_t last = i;
        int64_t step = i + 1 < count ? list[i + 1] - list[i] : 0;
        while (last + 1 < count && list[last + 1] - list[last] == step) {
            last++;
        }
        fprintf(to, "%s%" PRId64, i > 0 ? "," : "", list[i]);
        if (last - i >= 2) {
            fprintf(to, ":%" PRId64, list[last]);
            if (step > 1) {
                fprintf(to, ":%" PRId64, step);
            }
            i = last;
        }
        i++;
    }
}

/* Write the policies; names with a comma are written separately. */
static void write_policies(const og_study *study, FILE *to)
{
    bool in_list = false;
    for (int32_t i = 0; i < study->policy_count; i++) {
        const char *name = study->policies[i].name;
        bool alone = strchr(name, ',') != NULL;
        fputs(alone ? " --policy " : in_list ? "," : " --policies ", to);
        quote(to, name);
        in_list = !alone;
    }
}

static void write_words(const og_study *study, FILE *to)
{
    for (int32_t i = 0; i < study->prior_count; i++) {
        fputs(i > 0 ? " --prior " : "--prior ", to);
        quote(to, study->priors[i]);
    }
    fputs(" --instances ", to);
    write_numbers(to, study->instances, study->instances_count);
    fputs(" --budget ", to);
    write_numbers(to, study->budgets, study->budget_count);
    write_policies(study, to);
    for (int32_t i = 0; i < study->ties_count; i++) {
        fprintf(to, "%s%s", i > 0 ? "," : " --ties ", og_ties_name(study->ties[i]));
    }
    if (study->runs == 0 && study->given[STATES]) {
        fprintf(to, " --max-policy-states %" PRIu64, study->policy_states_max);
    }
    if (study->runs > 0) {
        fprintf(to, " --runs %" PRId64 " --seed %" PRIu64 " --truth ", study->runs, study->seed);
        quote(to, study->truth_text);
    } else if (study->given[TRUTH]) {
        fputs(" --truth ", to);
        quote(to, study->truth_text);
    }
    for (int32_t i = 0; i < study->belief_count; i++) {
        fputs(" --assume ", to);
        quote(to, study->beliefs[i]);
    }
    if (study->given[INDEX_TIME]) {
        fprintf(to, " --max-index-time %.17g", study->index_seconds_max);
    }
}

og_status og_study_words(const og_study *study, char **text)
{
    char *words = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&words, &size);
    OG_TRY(OG_ALLOCATED(to));
    write_words(study, to);
    bool failed = ferror(to) != 0;
    if (fclose(to) != 0 || failed) {
        free(words);
        return OG_NO_MEMORY;
    }
    *text = words;
    return OG_OK;
}

void og_study_clear(og_study *study)
{
    for (int32_t i = 0; i < study->prior_count; i++) {
        free(study->priors[i]);
    }
    free(study->priors);
    for (int32_t i = 0; i < study->belief_count; i++) {
        free(study->beliefs[i]);
    }
    free(study->beliefs);
    for (int32_t i = 0; i < study->law_count; i++) {
        free(study->laws[i]);
    }
    free(study->laws);
    free(study->instances);
    free(study->budgets);
    free(study->policies);
    free(study->truth_text);
    og_truth_clear(&study->truth);
    memset(study, 0, sizeof *study);
}
