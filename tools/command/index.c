/* The command index: the table of a policy's index. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { FRACTION_BYTES = 48 };

static void print_head(void *user, const char *const *name, int32_t count)
{
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        printf("%s%c", name[i], i + 1 < count ? '\t' : '\n');
    }
}

/* The words of the last line: of most lines the posterior is the same, and often the index. */
typedef struct {
    og_fraction posterior[OG_CLASSES_MAX];
    char words[OG_CLASSES_MAX * FRACTION_BYTES];
    double value;
    og_words number;
} last_line;

static void print_entry(void *user, const char *node, const og_fraction *posterior, int32_t count,
                        int32_t left, double value)
{
    last_line *last = user;
    if (node != NULL) {
        snprintf(last->words, sizeof last->words, "%s\t", node);
    } else if (memcmp(last->posterior, posterior, (size_t)count * sizeof *posterior) != 0) {
        memcpy(last->posterior, posterior, (size_t)count * sizeof *posterior);
        char *at = last->words;
        for (int32_t i = 0; i < count; i++) {
            og_fraction_format(posterior[i], at, FRACTION_BYTES);
            at += strlen(at);
            *at++ = '\t';
        }
        *at = '\0';
    }
    if (memcmp(&value, &last->value, sizeof value) != 0 || last->number.text[0] == '\0') {
        last->value = value;
        last->number = og_words_exact(value);
    }
    printf("%s%" PRId32 "\t%s\n", last->words, left, last->number.text);
}

/* Shows only the note; the lines of the table are already printed. */
static int show_note(const command_request *request, og_document *document)
{
    (void)request;
    const char *words = og_document_text(og_document_find(document, "note"));
    if (!progress_quiet() && words != NULL && words[0] != '\0') {
        note("%s", words);
    }
    og_document_free(document);
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    last_line last = {.value = 0};
    const og_index_lines lines = {.head = print_head, .entry = print_entry, .user = &last};
    const bool whole = request->json || request->csv || request->latex;
    const question about = {.ask = &og_question_index,
                            .opens = true,
                            .fail = fail_by_limit,
                            .show = whole ? NULL : show_note};
    return answer_question(request, &about, whole ? NULL : &lines);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_index_options),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_index = {
    .name = "index",
    .summary = "print a policy's index table",
    .word = INSTANCE_WORDS("1,1"),
    .brief = "Print the index of every posterior that up to N labels can lead to. The policy\n"
             "labels the instance with the largest index.",
    .example = "  optgap index --policy opt-kg -T 5 1,1",
    .notes = "The table has the columns a, b (the posterior), left (labels left) and index.",
    .about = "Prints the index of every posterior that up to N labels can lead to, for every "
             "number of labels left. The policy labels the instance with the largest index.",
    .details = "Example:\n"
               "\n"
               "  optgap index --policy opt-kg -T 5 1,1\n"
               "\n"
               "The columns are a, b, left and index, separated by tabs; the first line names "
               "them. If an index is an approximation, a note on standard error explains it.",
    .options = options,
    .run = run,
};
