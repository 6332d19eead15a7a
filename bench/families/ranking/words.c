/*
 * Reads the items, workers and comparisons of a ranking. Each is added to the problem as it is
 * read, a comparison also to the belief, so that the next one is checked against all before it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/ranking/problem.h"
#include "bench/history.h"
#include "dp/base/fraction.h"
#include "dp/base/number.h"

/* ---- items and workers ---- */

static og_status bad_word(const char *word, const char *why, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "item '%.60s' %s; --problem ranking expects [COUNTx]A, COUNT items with "
                          "the Dirichlet parameter A > 0, such as 3x1",
                          word, why);
}

static og_status add_items(ranking *problem, const char *word, og_message *message)
{
    int64_t count;
    og_fraction parameter;
    const char *wrong = og_counted_parse(word, &count, &parameter);
    if (wrong != NULL || parameter.num <= 0) {
        return bad_word(word, wrong != NULL ? wrong : "has no parameter greater than 0", message);
    }
    if (count > OG_RANKING_PLAYED_MAX - problem->items) {
        return og_message_set(message, OG_STOPPED,
                              "--problem ranking supports at most %d items; give fewer",
                              OG_RANKING_PLAYED_MAX);
    }
    for (int64_t k = 0; k < count; k++) {
        int32_t i = problem->items++;
        problem->parameter[i] = parameter;
        problem->group[i] = i;
        for (int32_t j = i; j-- > 0;) {
            problem->group[i] =
                og_fraction_compare(problem->parameter[j], parameter) == 0 ? j : problem->group[i];
        }
    }
    return OG_OK;
}

static og_status read_words(ranking *problem, const og_problem_text *given, og_message *message)
{
    for (int32_t w = 0; w < given->word_count; w++) {
        OG_TRY(add_items(problem, given->words[w], message));
    }
    if (given->instances != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem ranking requires words [COUNTx]A, such as 3x1");
    }
    if (problem->items < 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem ranking requires at least two items, such as 3x1");
    }
    if (problem->whole_budget < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N is missing: the number of comparisons, such as -T 12");
    }
    return OG_OK;
}

static og_status add_workers(ranking *problem, const og_group *group, og_message *message)
{
    if (group->kind != OG_PRIOR_BETA || group->threshold.num * 2 != group->threshold.den) {
        char text[OG_GROUP_TEXT_BYTES];
        og_group_format(group, text, sizeof text);
        return og_message_set(
            message, OG_BAD_INPUT,
            "--workers-prior must be a Beta, [COUNTx]A,B such as 4,1, not '%.64s'", text);
    }
    if (group->count > OG_RANKING_CROWD_MAX - problem->workers) {
        return og_message_set(message, OG_STOPPED,
                              "--problem ranking supports at most %d workers; give fewer",
                              OG_RANKING_CROWD_MAX);
    }
    for (int64_t k = 0; k < group->count; k++) {
        double *worker = &problem->start_belief[problem->items + 2 * problem->workers++];
        worker[0] = og_fraction_double(group->a);
        worker[1] = og_fraction_double(group->b);
    }
    return OG_OK;
}

static og_status read_prior(ranking *problem, og_message *message)
{
    const og_groups *workers = problem->options != NULL ? &problem->options->workers : NULL;
    for (int32_t g = 0; workers != NULL && g < workers->group_count; g++) {
        OG_TRY(add_workers(problem, og_groups_at(workers, g), message));
    }
    for (int32_t i = 0; i < problem->items; i++) {
        problem->start_belief[i] = og_fraction_double(problem->parameter[i]);
    }
    problem->small =
        problem->items <= OG_RANKING_ITEMS_MAX && problem->workers <= OG_RANKING_WORKERS_MAX;
    if (problem->small) {
        problem->prior.items = problem->items;
        problem->prior.workers = problem->workers;
        memcpy(problem->prior.item, problem->start_belief,
               (size_t)problem->items * sizeof *problem->start_belief);
        memcpy(problem->prior.worker, &problem->start_belief[problem->items],
               (size_t)problem->workers * sizeof *problem->prior.worker);
    }
    return OG_OK;
}

/* ---- the history ---- */

/* "I>J", with workers "I>J@W". */
static bool parse_comparison(const ranking *problem, char *word, int64_t *winner, int64_t *loser,
                             int64_t *worker)
{
    char *than = strchr(word, '>'), *by = strchr(word, '@');
    bool crowd = problem->workers > 0;
    if (than == NULL || (by != NULL) != crowd || (crowd && by < than)) {
        return false;
    }
    *than = '\0';
    if (crowd) {
        *by = '\0';
    }
    *worker = 1;
    return og_number_parse(word, 1, problem->items, winner) &&
           og_number_parse(than + 1, 1, problem->items, loser) && *winner != *loser &&
           (!crowd || og_number_parse(by + 1, 1, problem->workers, worker));
}

bool ranking_was_asked(const ranking *problem, og_act act)
{
    for (int32_t k = 0; problem->workers > 0 && k < problem->had; k++) {
        if (og_act_equal(problem->made[k].act, act)) {
            return true;
        }
    }
    return false;
}

static og_status learn(ranking *problem, int32_t i, int32_t j, int32_t w)
{
    og_told *made = realloc(problem->made, ((size_t)problem->had + 1) * sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    problem->made = made;
    made[problem->had++] = (og_told){ranking_act(i, j, w), i < j};
    if (problem->small) {
        og_ranking_add(&problem->prior, &problem->start, i, j, w);
    }
    return OG_OK;
}

static og_status add_comparison(ranking *problem, og_history_word told, og_message *message)
{
    char word[RANKING_WORD_BYTES];
    int64_t winner = 0, loser = 0, worker = 0;
    snprintf(word, sizeof word, "%.*s", (int)told.length, told.text);
    if (!parse_comparison(problem, word, &winner, &loser, &worker)) {
        bool crowd = problem->workers > 0;
        return og_history_refuse(
            told, message,
            "must be a comparison of two different items from 1 to %" PRId32 "%s, such as 1>2%s",
            problem->items, crowd ? " by one of the workers" : "", crowd ? "@1" : "");
    }
    int32_t i = (int32_t)winner - 1, j = (int32_t)loser - 1, w = (int32_t)worker - 1;
    if (ranking_was_asked(problem, ranking_act(i, j, w))) {
        return og_history_refuse(told, message,
                                 "is a second comparison of this pair by worker %" PRId32, w + 1);
    }
    return learn(problem, i, j, w);
}

static og_status read_history(ranking *problem, const char *rest, og_message *message)
{
    og_history_word word;
    while (og_history_next(&rest, &word)) {
        OG_TRY(add_comparison(problem, word, message));
    }
    return OG_OK;
}

og_status ranking_read(ranking *problem, const og_problem_text *given, og_message *message)
{
    OG_TRY(read_words(problem, given, message));
    OG_TRY(read_prior(problem, message));
    return read_history(problem, given->history, message);
}
