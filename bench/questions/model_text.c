/* Writes files for model checkers line by line. Invariant: the numbers in the first lines, counted
 * by the caller, are those of the states, choices and transitions that follow. */
#include "bench/questions/model_text.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAIN, LABELS, REWARDS, STATES, PATH_BYTES = 4096 };

static const char what_it_is[] = "model";
static const char *const suffixes[OG_MODEL_FILES] = {".tra", ".lab", ".srew", ".states"};

/* ---- files ---- */

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static og_status find_format(const char *path, bool *prism, og_message *message)
{
    if (!ends_in(path, ".drn") && !ends_in(path, suffixes[MAIN])) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--export-model must be NAME.drn (Storm) or NAME.tra (PRISM), not '%.200s'", path);
    }
    if (strlen(path) + strlen(suffixes[STATES]) >= PATH_BYTES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--export-model has a name that is too long; give a shorter one");
    }
    *prism = ends_in(path, suffixes[MAIN]);
    return OG_OK;
}

bool og_model_text_is_prism(const char *path)
{
    return ends_in(path, suffixes[MAIN]);
}

static int32_t file_count(bool prism)
{
    return prism ? OG_MODEL_FILES : 1;
}

static void path_of(const char *given, bool prism, int32_t file, char path[PATH_BYTES])
{
    size_t stem = strlen(given) - (prism ? strlen(suffixes[MAIN]) : 0);
    snprintf(path, PATH_BYTES, "%.*s%s", (int)stem, given, prism ? suffixes[file] : "");
}

og_status og_model_text_check(const char *path, og_message *message)
{
    bool prism;
    OG_TRY(find_format(path, &prism, message));
    for (int32_t i = 0; i < file_count(prism); i++) {
        char name[PATH_BYTES];
        path_of(path, prism, i, name);
        OG_TRY(og_atomic_file_check(name, what_it_is, message));
    }
    return OG_OK;
}

/* ---- lines ---- */

static void put_text(og_model_text *text, int32_t file, const char *words)
{
    size_t length = strlen(words);
    og_atomic_file_write(&text->file[file], words, length);
    text->bytes += length;
}

__attribute__((format(printf, 3, 4))) static void put(og_model_text *text, int32_t file,
                                                      const char *format, ...)
{
    va_list arguments;
    char line[256];
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof line);
    (void)length;
    put_text(text, file, line);
}

/* 17 digits read back the same double. */
static og_status put_number(og_model_text *text, int32_t file, double value, mpq_srcptr exact)
{
    if (!text->exact) {
        put(text, file, "%.17g", value);
        return OG_OK;
    }
    size_t digits = mpz_sizeinbase(mpq_numref(exact), 10) + mpz_sizeinbase(mpq_denref(exact), 10);
    char *words = malloc(digits + 3); /* a sign, a slash, a terminator */
    OG_TRY(OG_ALLOCATED(words));
    put_text(text, file, mpq_get_str(words, 10, exact));
    free(words);
    return OG_OK;
}

static void put_head(og_model_text *text, const og_model_counts *counts)
{
    if (text->prism) {
        put(text, MAIN, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts->states, counts->choices,
            counts->transitions);
        put(text, LABELS, "0=\"init\" 1=\"done\"\n0: 0\n%" PRIu64 ": 1\n", counts->states - 1);
        put(text, REWARDS, "%" PRIu64 " %" PRIu64 "\n", counts->states, counts->rewards);
        return;
    }
    put(text, MAIN, "@type: MDP\n@parameters\n\n@reward_models\ncounted\n@nr_states\n");
    put(text, MAIN, "%" PRIu64 "\n@nr_choices\n%" PRIu64 "\n@model\n", counts->states,
        counts->choices);
}

og_status og_model_text_begin(const char *path, bool exact, const og_model_counts *counts,
                              og_model_text *out, og_message *message)
{
    *out = (og_model_text){.exact = exact};
    OG_TRY(find_format(path, &out->prism, message));
    for (int32_t i = 0; i < file_count(out->prism); i++) {
        char name[PATH_BYTES];
        path_of(path, out->prism, i, name);
        OG_TRY(og_atomic_file_begin(name, what_it_is, &out->file[i], message));
    }
    put_head(out, counts);
    return OG_OK;
}

void og_model_text_comment(og_model_text *text, const char *words)
{
    if (text->prism) {
        put(text, STATES, "%" PRIu64 ": ", text->put.states);
    } else {
        put_text(text, MAIN, "// ");
    }
    put_text(text, text->prism ? STATES : MAIN, words);
    put_text(text, text->prism ? STATES : MAIN, "\n");
}

og_status og_model_text_state(og_model_text *text, double value, mpq_srcptr exact,
                              const char *label)
{
    bool earns = text->exact ? mpq_sgn(exact) != 0 : value != 0;
    uint64_t number = text->put.states++;
    text->put.rewards += earns;
    text->choice = -1;
    if (text->prism) {
        if (earns) {
            put(text, REWARDS, "%" PRIu64 " ", number);
            OG_TRY(put_number(text, REWARDS, value, exact));
            put_text(text, REWARDS, "\n");
        }
        return OG_OK;
    }
    put(text, MAIN, "state %" PRIu64 "%s", number, earns ? " [" : "");
    OG_TRY(earns ? put_number(text, MAIN, value, exact) : OG_OK);
    put(text, MAIN, "%s%s%s\n", earns ? "]" : "", label[0] != '\0' ? " " : "", label);
    return OG_OK;
}

void og_model_text_choice(og_model_text *text, const char *name)
{
    text->put.choices++;
    text->choice++;
    if (text->prism) {
        snprintf(text->name, sizeof text->name, "%s%s",
                 isalpha((unsigned char)name[0]) ? "" : "label_", name);
        for (char *c = text->name; *c != '\0'; c++) {
            *c = isalnum((unsigned char)*c) ? *c : '_';
        }
    } else {
        put_text(text, MAIN, "\taction ");
        put_text(text, MAIN, name);
        put_text(text, MAIN, "\n");
    }
}

og_status og_model_text_target(og_model_text *text, uint64_t state, double value, mpq_srcptr exact)
{
    text->put.transitions++;
    if (text->prism) {
        put(text, MAIN, "%" PRIu64 " %" PRId32 " %" PRIu64 " ", text->put.states - 1, text->choice,
            state);
    } else {
        put(text, MAIN, "\t\t%" PRIu64 " : ", state);
    }
    OG_TRY(put_number(text, MAIN, value, exact));
    put_text(text, MAIN, text->prism ? " " : "");
    put_text(text, MAIN, text->prism ? text->name : "");
    put_text(text, MAIN, "\n");
    return OG_OK;
}

/* The requested file is finished last: if it exists, all exist. */
og_status og_model_text_end(og_model_text *text, og_message *message)
{
    for (int32_t i = file_count(text->prism) - 1; i >= 0; i--) {
        OG_TRY(og_atomic_file_end(&text->file[i], what_it_is, message));
    }
    return OG_OK;
}

void og_model_text_drop(og_model_text *text)
{
    for (int32_t i = 0; i < OG_MODEL_FILES; i++) {
        og_atomic_file_drop(&text->file[i]);
    }
}
