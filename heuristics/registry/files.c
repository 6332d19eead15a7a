/*
 * Hashes the files that a policy's name refers to. Only the bytes count: moving or touching a file
 * does not change the hash, editing it does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/file.h"
#include "heuristics/index/stopping.h"
#include "heuristics/policy.h"

enum { CHUNK_BYTES = 16384 };

/* Hashes the file in whole chunks except the last, then its size, so that no two lists of files
 * give the same sequence. */
static og_status add_bytes(FILE *file, const char *path, uint64_t *hash, og_message *message)
{
    char chunk[CHUNK_BYTES];
    uint64_t size = 0;
    uint64_t sum = *hash;
    size_t count;
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0) {
        sum = XXH3_64bits_withSeed(chunk, count, sum);
        size += count;
    }
    if (ferror(file) != 0) {
        return og_message_set(message, OG_FAILED, "%.200s cannot be read", path);
    }
    sum = XXH3_64bits_withSeed(&size, sizeof size, sum);
    *hash = sum != 0 ? sum : 1;
    return OG_OK;
}

/* Ignores paths that are not regular files. A pipe must not be read here, since the policy itself
 * reads it later. */
static og_status add_file(const char *path, uint64_t *hash, og_message *message)
{
    FILE *file = NULL;
    const char *reason = "";
    if (og_file_check_regular(path, &reason) != OG_OK) {
        return OG_OK;
    }
    og_status status = og_file_open(path, &file, &reason);
    if (status != OG_OK) {
        return status == OG_NO_MEMORY ? og_message_set(message, status, "out of memory") : OG_OK;
    }
    status = add_bytes(file, path, hash, message);
    fclose(file);
    return status;
}

/* Reads the shell's next word without its quotes; *at moves past the word and its delimiter. */
static void take_word(const char **at, char *word)
{
    char quote = '\0';
    for (; **at != '\0' && (quote != '\0' || strchr(" \t\n;|&<>()", **at) == NULL); ++*at) {
        if (**at == quote) {
            quote = '\0';
        } else if (quote == '\0' && (**at == '\'' || **at == '"')) {
            quote = **at;
        } else {
            *word++ = **at;
        }
    }
    *word = '\0';
    *at += **at != '\0';
}

static og_status add_words(const char *command, uint64_t *hash, og_message *message)
{
    char word[OG_POLICY_NAME_BYTES];
    og_status status = OG_OK;
    while (status == OG_OK && *command != '\0') {
        take_word(&command, word);
        status = add_file(word, hash, message);
    }
    return status;
}

og_status og_policy_name_file_hash(const char *name, uint64_t *hash, og_message *message)
{
    og_policy_name policy;
    uint64_t found = 0;
    const char *parameter = name;
    og_parameter form = OG_PARAMETER_POLICY;
    /* rollout:table:FILE and agree:2:table:FILE depend on FILE. */
    while (form == OG_PARAMETER_POLICY || form == OG_PARAMETER_STOPPING) {
        const char *whole = parameter;
        OG_TRY(og_policy_name_parse(whole, &policy, message));
        form =
            policy.has_parameter ? og_policy_row_at((size_t)policy.kind)->form : OG_PARAMETER_PART;
        parameter = strchr(whole, ':') != NULL ? strchr(whole, ':') + 1 : "";
        if (form == OG_PARAMETER_STOPPING) {
            og_stopping rule;
            OG_TRY(og_stopping_parse(whole, &rule, &parameter, message));
            form = parameter != NULL ? form : OG_PARAMETER_PART;
        }
    }
    if (form == OG_PARAMETER_FILE) {
        OG_TRY(add_file(parameter, &found, message));
    } else if (form == OG_PARAMETER_COMMAND) {
        OG_TRY(add_words(parameter, &found, message));
    }
    *hash = found;
    return OG_OK;
}
