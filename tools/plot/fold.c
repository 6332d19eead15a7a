/*
 * Finds mirror images in a decision tree. Invariant: two states are images of each other only if
 * their posteriors agree after sorting the parameters of each, and if everything below agrees too:
 * their values and, for every action, its value and the probabilities and targets of its outcomes.
 * States lead only to later ones, so they are compared from the last to the first.
 */
#include "tools/plot/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/memory.h"

enum { STATES_MAX = 4000, NUMBERS_MAX = 16, POSTERIORS_MAX = 256 };

/* ---- keys of comparison ---- */

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static int compare_numbers(const void *x, const void *y)
{
    double a = strtod(*(char *const *)x, NULL), b = strtod(*(char *const *)y, NULL);
    return (a > b) - (a < b);
}

static void put_sorted(FILE *to, char **part, int32_t count, const char *between)
{
    qsort(part, (size_t)count, sizeof *part, compare_texts);
    for (int32_t i = 0; i < count; i++) {
        fprintf(to, "%s%s", i > 0 ? between : "", part[i]);
    }
}

/* Returns a posterior, "2,1", with its parameters in ascending order, if they are plain numbers. */
static char *sorted_posterior(char *word)
{
    char *number[NUMBERS_MAX], *rest = NULL, *text = NULL;
    size_t size = 0;
    int32_t count = 0;
    if (strspn(word, "0123456789.,") != strlen(word)) {
        return word;
    }
    for (char *at = strtok_r(word, ",", &rest); at != NULL && count < NUMBERS_MAX;
         at = strtok_r(NULL, ",", &rest)) {
        number[count++] = at;
    }
    qsort(number, (size_t)count, sizeof *number, compare_numbers);
    FILE *to = stream_open(&text, &size);
    for (int32_t i = 0; i < count; i++) {
        fprintf(to, "%s%s", i > 0 ? "," : "", number[i]);
    }
    stream_close(to);
    return text;
}

/* Writes "2x1,1 2,1" with each copy separately, sorted. */
static void put_posteriors(FILE *to, const char *text)
{
    char *copy = allocate(strlen(text), 1), *rest = NULL;
    char *word[POSTERIORS_MAX], *made[POSTERIORS_MAX];
    int32_t count = 0, kept = 0;
    memcpy(copy, text, strlen(text));
    for (char *at = strtok_r(copy, " ", &rest); at != NULL; at = strtok_r(NULL, " ", &rest)) {
        char *by = strchr(at, 'x');
        long copies = by != NULL ? strtol(at, NULL, 10) : 1;
        if (copies < 1 || copies > POSTERIORS_MAX - count) {
            fputs(text, to); /* too many: unchanged */
            count = 0;
            break;
        }
        at = by != NULL ? by + 1 : at;
        char *posterior = sorted_posterior(at);
        if (posterior != at) {
            made[kept++] = posterior;
        }
        for (long i = 0; i < copies; i++) {
            word[count++] = posterior;
        }
    }
    put_sorted(to, word, count, " ");
    while (kept > 0) {
        free(made[--kept]);
    }
    free(copy);
}

static void put_value(FILE *to, const og_tree *tree, double value, mpq_srcptr exact)
{
    if (tree->exact) {
        gmp_fprintf(to, "%Qd ", exact);
    } else {
        fprintf(to, "%.9g ", value + 0.0);
    }
}

/* Key of an action: its value, and the probabilities and targets of its outcomes. The caller frees
 * it. */
static char *action_key(const og_tree *tree, const tree_fold *fold, const og_tree_action *action)
{
    char *all = NULL;
    size_t size;
    int32_t count = action->outcome_count;
    char **part = allocate((size_t)count, sizeof *part);
    for (int32_t k = 0; k < count; k++) {
        const og_tree_outcome *outcome = &tree->outcome[action->outcome_first + k];
        FILE *to = stream_open(&part[k], &size);
        put_value(to, tree, outcome->probability, outcome->exact);
        fprintf(to, "to %d", fold->state[outcome->to]);
        stream_close(to);
    }
    FILE *to = stream_open(&all, &size);
    put_value(to, tree, action->value, action->exact);
    fprintf(to, "%d %.9g ", action->optimal, action->chosen);
    put_posteriors(to, action->text);
    fputs(": ", to);
    put_sorted(to, part, count, "; ");
    for (int32_t k = 0; k < count; k++) {
        free(part[k]);
    }
    free(part);
    stream_close(to);
    return all;
}

/* Key of a state: everything except the names of answers. Also finds actions that are images of
 * others. The caller frees it. */
static char *state_key(const og_tree *tree, tree_fold *fold, const og_tree_state *state)
{
    char *all = NULL;
    size_t size;
    int32_t count = state->action_count;
    char **part = allocate((size_t)count, sizeof *part);
    for (int32_t i = 0; i < count; i++) {
        part[i] = action_key(tree, fold, &tree->action[state->action_first + i]);
        for (int32_t j = 0; j < i; j++) {
            if (strcmp(part[i], part[j]) == 0) {
                fold->action[state->action_first + i] = fold->action[state->action_first + j];
                break;
            }
        }
    }
    FILE *to = stream_open(&all, &size);
    fprintf(to, "%d %d %d ", state->left, state->chance, state->cut);
    put_value(to, tree, state->value, state->exact);
    put_posteriors(to, state->text);
    fputs(" | ", to);
    put_sorted(to, part, count, " | ");
    for (int32_t i = 0; i < count; i++) {
        free(part[i]);
    }
    free(part);
    stream_close(to);
    return all;
}

/* ---- the tree ---- */

/* The earliest of several images is drawn. Until all are found, fold->state is the latest. */
static void find_images(const og_tree *tree, tree_fold *fold)
{
    int32_t count = tree->state_count;
    int32_t *first = allocate((size_t)count, sizeof *first);
    char **key = allocate((size_t)count, sizeof *key);
    for (int32_t i = count - 1; i >= 0; i--) {
        key[i] = state_key(tree, fold, &tree->state[i]);
        for (int32_t j = i + 1; j < count && fold->state[i] == i; j++) {
            if (fold->state[j] == j && tree->state[j].left == tree->state[i].left &&
                strcmp(key[i], key[j]) == 0) {
                fold->state[i] = j;
            }
        }
        first[fold->state[i]] = i;
    }
    for (int32_t i = 0; i < count; i++) {
        fold->state[i] = first[fold->state[i]];
        free(key[i]);
    }
    free(key);
    free(first);
}

/* Marks the states that can be reached from the root through drawn actions and states. */
static void find_shown(const og_tree *tree, tree_fold *fold)
{
    fold->shown[fold->state[0]] = true;
    for (int32_t i = 0; i < tree->state_count; i++) {
        const og_tree_state *state = &tree->state[i];
        for (int32_t a = 0; fold->shown[i] && a < state->action_count; a++) {
            const og_tree_action *action = &tree->action[state->action_first + a];
            if (fold->action[state->action_first + a] != state->action_first + a) {
                fold->folded++;
                continue;
            }
            for (int32_t k = 0; k < action->outcome_count; k++) {
                int32_t to = tree->outcome[action->outcome_first + k].to;
                fold->folded += fold->state[to] != to;
                fold->shown[fold->state[to]] = true;
            }
        }
    }
}

tree_fold fold_tree(const og_tree *tree, bool mirrors)
{
    size_t states = (size_t)tree->state_count, actions = (size_t)tree->action_count;
    tree_fold fold = {.state = allocate(states, sizeof *fold.state),
                      .action = allocate(actions, sizeof *fold.action),
                      .shown = allocate(states, sizeof *fold.shown)};
    for (int32_t i = 0; i < tree->state_count; i++) {
        fold.state[i] = i;
    }
    for (int32_t i = 0; i < tree->action_count; i++) {
        fold.action[i] = i;
    }
    if (mirrors && tree->state_count <= STATES_MAX) {
        find_images(tree, &fold);
    }
    find_shown(tree, &fold);
    return fold;
}

void fold_clear(tree_fold *fold)
{
    free(fold->state);
    free(fold->action);
    free(fold->shown);
    memset(fold, 0, sizeof *fold);
}
