/*
 * Finds mirror images in a decision tree. Invariant: two states are images of each other only if
 * their posteriors agree after sorting the parameters of each, and if everything below agrees too:
 * their values and, for every action, its value and the probabilities and targets of its outcomes.
 * States lead only to later ones, so they are compared from the last to the first.
 */
#include <stdio.h> /* before gmp.h, which declares functions on streams only after it */
#include <stdlib.h>
#include <string.h>

#include "bench/questions/tree_fold.h"

enum { STATES_MAX = 4000, NUMBERS_MAX = 16, POSTERIORS_MAX = 256 };

typedef struct {
    og_arena *arena; /* of the result and of all keys */
    const og_tree *tree;
    og_tree_fold *fold;
} folding;

/* ---- keys of comparison ---- */

/* A text of any length, which the arena keeps. Without memory it is NULL, and the arena has failed.
 */
typedef struct {
    FILE *to;
    char *text;
    size_t size;
} written;

static bool begin(og_arena *arena, written *w)
{
    w->to = open_memstream(&w->text, &w->size);
    arena->failed = arena->failed || w->to == NULL;
    return w->to != NULL;
}

static char *end(og_arena *arena, written *w)
{
    bool whole = ferror(w->to) == 0;
    arena->failed = fclose(w->to) != 0 || !whole || arena->failed;
    char *kept = og_arena_copy(arena, w->text, w->size + 1, 1);
    free(w->text);
    return kept;
}

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
static char *sorted_posterior(og_arena *arena, char *word)
{
    char *number[NUMBERS_MAX], *rest = NULL;
    int32_t count = 0;
    written w;
    if (strspn(word, "0123456789.,") != strlen(word)) {
        return word;
    }
    for (char *at = strtok_r(word, ",", &rest); at != NULL && count < NUMBERS_MAX;
         at = strtok_r(NULL, ",", &rest)) {
        number[count++] = at;
    }
    qsort(number, (size_t)count, sizeof *number, compare_numbers);
    if (!begin(arena, &w)) {
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        fprintf(w.to, "%s%s", i > 0 ? "," : "", number[i]);
    }
    return end(arena, &w);
}

/* Writes "2x1,1 2,1" with each copy separately, sorted. */
static void put_posteriors(og_arena *arena, FILE *to, const char *text)
{
    char *copy = og_arena_copy(arena, text, strlen(text) + 1, 1), *rest = NULL;
    char *word[POSTERIORS_MAX];
    int32_t count = 0;
    if (copy == NULL) {
        return;
    }
    for (char *at = strtok_r(copy, " ", &rest); at != NULL; at = strtok_r(NULL, " ", &rest)) {
        char *by = strchr(at, 'x');
        long copies = by != NULL ? strtol(at, NULL, 10) : 1;
        if (copies < 1 || copies > POSTERIORS_MAX - count) {
            fputs(text, to); /* too many: unchanged */
            count = 0;
            break;
        }
        char *posterior = sorted_posterior(arena, by != NULL ? by + 1 : at);
        if (posterior == NULL) {
            return;
        }
        for (long i = 0; i < copies; i++) {
            word[count++] = posterior;
        }
    }
    put_sorted(to, word, count, " ");
}

/* Not by gmp_fprintf, which is large in a web page. */
static void put_value(const folding *f, FILE *to, double value, mpq_srcptr exact)
{
    if (!f->tree->exact) {
        fprintf(to, "%.9g ", value + 0.0);
        return;
    }
    size_t digits = mpz_sizeinbase(mpq_numref(exact), 10) + mpz_sizeinbase(mpq_denref(exact), 10);
    char *text = og_arena_array(f->arena, digits + 3, 1);
    if (text != NULL) {
        fprintf(to, "%s ", mpq_get_str(text, 10, exact));
    }
}

/* An outcome's probability and target. */
static char *outcome_key(const folding *f, const og_tree_outcome *outcome)
{
    written w;
    if (!begin(f->arena, &w)) {
        return NULL;
    }
    put_value(f, w.to, outcome->probability, outcome->exact);
    fprintf(w.to, "to %d", f->fold->state[outcome->to]);
    return end(f->arena, &w);
}

/* Key of an action: its value, and the keys of its outcomes. NULL: no memory, as of all keys. */
static char *action_key(const folding *f, const og_tree_action *action)
{
    int32_t count = action->outcome_count;
    char **part = og_arena_array(f->arena, (size_t)count, sizeof *part);
    written w;
    for (int32_t k = 0; k < count && !f->arena->failed; k++) {
        part[k] = outcome_key(f, &f->tree->outcome[action->outcome_first + k]);
    }
    if (f->arena->failed || !begin(f->arena, &w)) {
        return NULL;
    }
    put_value(f, w.to, action->value, action->exact);
    fprintf(w.to, "%d %.9g ", action->optimal, action->chosen);
    put_posteriors(f->arena, w.to, action->text);
    fputs(": ", w.to);
    put_sorted(w.to, part, count, "; ");
    return end(f->arena, &w);
}

/* Key of a state: everything except the names of answers. Also finds actions that are images of
 * others. */
static char *state_key(const folding *f, const og_tree_state *state)
{
    int32_t count = state->action_count, *image = f->fold->action + state->action_first;
    char **part = og_arena_array(f->arena, (size_t)count, sizeof *part);
    written w;
    for (int32_t i = 0; i < count && !f->arena->failed; i++) {
        part[i] = action_key(f, &f->tree->action[state->action_first + i]);
        for (int32_t j = 0; j < i && part[i] != NULL; j++) {
            if (strcmp(part[i], part[j]) == 0) {
                image[i] = image[j];
                break;
            }
        }
    }
    if (f->arena->failed || !begin(f->arena, &w)) {
        return NULL;
    }
    fprintf(w.to, "%d %d %d ", state->left, state->chance, state->cut);
    put_value(f, w.to, state->value, state->exact);
    put_posteriors(f->arena, w.to, state->text);
    fputs(" | ", w.to);
    put_sorted(w.to, part, count, " | ");
    return end(f->arena, &w);
}

/* ---- the tree ---- */

/* The earliest of several images is drawn. Until all are found, fold->state is the latest. */
static og_status find_images(const folding *f)
{
    int32_t count = f->tree->state_count, *image = f->fold->state;
    int32_t *first = og_arena_array(f->arena, (size_t)count, sizeof *first);
    char **key = og_arena_array(f->arena, (size_t)count, sizeof *key);
    OG_TRY(og_arena_status(f->arena));
    for (int32_t i = count - 1; i >= 0; i--) {
        const og_tree_state *state = &f->tree->state[i];
        key[i] = state_key(f, state);
        OG_TRY(og_arena_status(f->arena));
        for (int32_t j = i + 1; j < count && image[i] == i; j++) {
            if (image[j] == j && f->tree->state[j].left == state->left &&
                strcmp(key[i], key[j]) == 0) {
                image[i] = j;
            }
        }
        first[image[i]] = i;
    }
    for (int32_t i = 0; i < count; i++) {
        image[i] = first[image[i]];
    }
    return OG_OK;
}

/* Marks the states that can be reached from the root through drawn actions and states. */
static void find_shown(const og_tree *tree, og_tree_fold *fold)
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

og_status og_tree_fold_find(og_arena *arena, const og_tree *tree, bool mirrors, og_tree_fold *out)
{
    size_t states = (size_t)tree->state_count, actions = (size_t)tree->action_count;
    og_tree_fold fold = {.state = og_arena_array(arena, states, sizeof *fold.state),
                         .action = og_arena_array(arena, actions, sizeof *fold.action),
                         .shown = og_arena_array(arena, states, sizeof *fold.shown)};
    OG_TRY(og_arena_status(arena));
    for (int32_t i = 0; i < tree->state_count; i++) {
        fold.state[i] = i;
    }
    for (int32_t i = 0; i < tree->action_count; i++) {
        fold.action[i] = i;
    }
    if (mirrors && tree->state_count <= STATES_MAX) {
        OG_TRY(find_images(&(folding){arena, tree, &fold}));
    }
    find_shown(tree, &fold);
    *out = fold;
    return OG_OK;
}
