/* The options of all commands that read labels, comparisons and tables about tasks: how to read
 * them. */
#include <stdio.h>
#include <string.h>

#include "bench/recorded/columns.h"
#include "tools/option/options.h"
#include "tools/show/memory.h"

static og_status keep_word(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    if (*text == '\0') {
        return og_option_refuse(row, text, message, "%s", row->argument);
    }
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static bool has_labels(const void *options)
{
    const command_request *request = options;
    return request->file != NULL || request->batch.labels_file != NULL ||
           request->replay.recording.labels_file != NULL;
}

/* Of any kind. */
static bool has_answers(const void *options)
{
    const command_request *request = options;
    return has_labels(options) || request->batch.pairs_file != NULL ||
           request->replay.recording.pairs_file != NULL ||
           request->replay.recording.gold_file != NULL;
}

#define OF_LABELS .about = "a file of labels (--labels FILE)", .is_there = has_labels

const og_option_row reading_rows[] = {
    OG_OPTION(CUSTOM, "columns", "LIST", command_request, tables.columns, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "columns by name or number: task=item,label=answer",
              .help = "which columns of the tables to use, task=item,worker=rater,label=answer; "
                      "names or numbers from 1. Only numbers, 1,2,3: files without a header, and "
                      "the columns of their task, worker and label (of comparisons: worker, left, "
                      "right, label)",
              .read = og_columns_keep),
    OG_OPTION(
        CUSTOM, "missing", "VALUE,...", command_request, tables.missing, .topic = OG_TOPIC_FILES,
        .basic = true, .brief = "labels that mean no label, like empty cells",
        .help = "labels that mean no label, such as unsure,-1; they are counted and told, "
                "like empty cells",
        .read = keep_word, .about = "a file of labels (--labels FILE)", .is_there = has_answers),
    OG_OPTION(CHOICE, "encoding", "NAME", command_request, tables.encoding, .topic = OG_TOPIC_FILES,
              .brief = "encoding of the tables: utf8 or latin1",
              .help = "the encoding of the tables: utf8 or latin1", .fallback = "utf8",
              .choices = "utf8 latin1"),
    OG_OPTION_LAST,
};

const og_option_row draw_rows[] = {
    OG_OPTION(CHOICE, "draws", "HOW", command_request, tables.draws, .topic = OG_TOPIC_RANKING,
              .brief = "with --pairs: draws are half a win, or dropped",
              .help =
                  "with --pairs: what a draw (tie, draw or =) is. half: half a win of each item "
                  "(replay: in each run a win of one of them at random). drop: nothing",
              .fallback = "half", .choices = "half drop"),
    OG_OPTION_LAST,
};

const og_option_row label_rows[] = {
    OG_OPTION_TABLE(reading_rows),
    OG_OPTION(CHOICE, "format", "NAME", command_request, tables.format, .topic = OG_TOPIC_FILES,
              .brief = "format of the labels, such as label-studio or gal",
              .help = "the format of the labels: auto, by looking; table; the name of a tool; "
                      "truth-inference; or gal, columns worker, task and label without a header",
              .fallback = "auto",
              .choices = "auto table label-studio prodigy mturk toloka doccano ground-truth "
                         "figure-eight zooniverse argilla potato truth-inference gal",
              OF_LABELS),
    OG_OPTION(SWITCH, "wide", NULL, command_request, tables.wide, .topic = OG_TOPIC_FILES,
              .brief = "--labels has a column for each worker",
              .help = "the labels have a column for each worker, with blanks for no label: all "
                      "columns but those of task and gold, or those of --columns worker=NAME",
              OF_LABELS),
    OG_OPTION(CUSTOM, "classes", "CLASS,...", command_request, tables.classes,
              .topic = OG_TOPIC_FILES, .brief = "all classes in their order: neg,neutral,pos",
              .help =
                  "all classes of the labels in their order, neg,neutral,pos; of two the second "
                  "is positive (default: those that occur, sorted, and two if there are fewer)",
              .read = keep_word),
    OG_OPTION(CHOICE, "repeats", "WHICH", command_request, tables.repeats, .topic = OG_TOPIC_FILES,
              .brief = "of a worker's labels for a task: first, last, all",
              .help = "which of a worker's several labels for a task count: first, last or all",
              .fallback = "all", .choices = "first last all", OF_LABELS),
    OG_OPTION(CUSTOM, "positive", "CLASS", command_request, tables.positive,
              .topic = OG_TOPIC_FILES, .brief = "which of two classes is positive",
              .help = "which of two classes is positive (default: the second one in order)",
              .read = keep_word, OF_LABELS),
    OG_OPTION_LAST,
};

og_status keep_budgets(void *options, const og_option_row *row, const char *text,
                       og_message *message)
{
    enum { AT_MAX = 10000 };
    command_request *request = options;
    request->at_count = 0;
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        OG_TRY(og_option_whole(row, word, &point, message));
        if (request->at_count == AT_MAX ||
            (request->at_count > 0 && point <= request->at[request->at_count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at must be at most %d budgets in ascending order, not '%.40s'",
                                  AT_MAX, word);
        }
        request->at = grow(request->at, (size_t)request->at_count + 1, sizeof *request->at);
        request->at[request->at_count++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}
