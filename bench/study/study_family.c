/* Options of a family behind a study's prior, read by the family's own rows. */
#include "bench/study/study_family.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/table.h"

enum { ROWS_MAX = 16, NUMBER_BYTES = 24 };

/* Words up to the next that begins with a dash are one option. */
og_status og_study_family_format(const char *prior, char *text, size_t size, og_message *message)
{
    og_text out = og_text_begin(text, size);
    const char *at = prior + strcspn(prior, " \t");
    for (at += strspn(at, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        if (strncmp(at, "--", 2) != 0 || length == 2) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "'%.*s' is no option; a prior is an INSTANCE and perhaps options "
                                  "of a family, such as '1,1 --workers-prior=4,1'",
                                  (int)length, at);
        }
        og_text_add(&out, " %.*s", (int)length, at);
        at += length;
        const char *value = at + strspn(at, " \t");
        if (*value != '\0' && strncmp(value, "--", 2) != 0) {
            length = strcspn(value, " \t");
            og_text_add(&out, "=%.*s", (int)length, value);
            at = value + length;
        }
        if (out.length + 1 >= size) {
            return og_message_set(message, OG_BAD_INPUT, "a prior's options are too long");
        }
    }
    return OG_OK;
}

static int32_t list_rows(const og_family *family, const og_option_row **row)
{
    int32_t count = 0;
    if (family->options != NULL) {
        og_option_list(family->options->rows, row, ROWS_MAX, &count);
    }
    return count;
}

static const og_option_row *find_row(const og_family *family, const char *name)
{
    const og_option_row *row[ROWS_MAX];
    int32_t count = list_rows(family, row);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(row[i]->name, name) == 0) {
            return row[i];
        }
    }
    return NULL;
}

/* "Workers" are --workers: the row that takes the place of the budget. */
static const og_option_row *budget_row(const og_family *family)
{
    char name[NUMBER_BYTES];
    snprintf(name, sizeof name, "%s", family->budget_name);
    name[0] = (char)tolower(name[0]);
    return family->own_budget ? find_row(family, name) : NULL;
}

static og_status choose_family(const char *name, og_study_family *out, og_message *message)
{
    const og_family *first = out->options == NULL ? NULL : out->family;
    for (int i = 0; og_families[i] != NULL; i++) {
        const og_family *family = og_families[i];
        if (find_row(family, name) == NULL) {
            continue;
        }
        if (family->own_words) {
            return og_family_lacks(family, "sweep", message);
        }
        if (first != NULL && first != family) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--%s is of another kind of problem than the options before it",
                                  name);
        }
        out->family = family;
        out->options = first != NULL ? out->options : calloc(1, family->options->bytes);
        return out->options != NULL ? OG_OK : OG_NO_MEMORY;
    }
    return og_message_set(message, OG_BAD_INPUT, "no family of problems has an option --%.64s",
                          name);
}

/* One option, "--name=value" or "--name"; the text is cut in two. */
static og_status read_option(char *word, og_study_family *out, bool given[ROWS_MAX],
                             og_message *message)
{
    const og_option_row *row[ROWS_MAX];
    char *value = strchr(word, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    OG_TRY(choose_family(word + 2, out, message));
    int32_t count = list_rows(out->family, row);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(row[i]->name, word + 2) != 0) {
            continue;
        }
        given[i] = true;
        if (row[i] == budget_row(out->family)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%s is the study's budget; leave it out of the prior", word);
        }
        if ((value == NULL) != (row[i]->kind == OG_OPTION_SWITCH)) {
            return og_message_set(message, OG_BAD_INPUT, "%s takes %s value", word,
                                  value == NULL ? "a" : "no");
        }
        return og_option_read(row[i], out->options, value, message);
    }
    return OG_OK;
}

static og_status fill_rest(og_study_family *out, int64_t budget, const bool given[ROWS_MAX],
                           og_message *message)
{
    const og_option_row *row[ROWS_MAX];
    char number[NUMBER_BYTES];
    int32_t count = list_rows(out->family, row);
    snprintf(number, sizeof number, "%" PRId64, budget);
    for (int32_t i = 0; i < count; i++) {
        if (!given[i]) {
            OG_TRY(row[i] == budget_row(out->family)
                       ? og_option_read(row[i], out->options, number, message)
                       : og_option_default(row[i], out->options, message));
        }
    }
    return OG_OK;
}

og_status og_study_family_read(const char *prior, int64_t budget, og_study_family *out,
                               og_message *message)
{
    bool given[ROWS_MAX] = {false};
    char *rest = NULL;
    *out = (og_study_family){.family = og_families[0]};
    out->text = strdup(prior);
    if (out->text == NULL) {
        return OG_NO_MEMORY;
    }
    strtok_r(out->text, " ", &rest); /* the INSTANCE */
    for (char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        OG_TRY(read_option(word, out, given, message));
    }
    return out->options != NULL ? fill_rest(out, budget, given, message) : OG_OK;
}

void og_study_family_clear(og_study_family *family)
{
    if (family->options != NULL && family->family->options->clear != NULL) {
        family->family->options->clear(family->options);
    }
    free(family->options);
    free(family->text);
    *family = (og_study_family){.family = NULL};
}

og_given og_study_family_given(const og_study_family *family, const og_groups *instances)
{
    return (og_given){.options = family->options,
                      .instances = instances,
                      .budget = family->family->own_budget ? -1 : instances->budget,
                      .left = -1};
}
