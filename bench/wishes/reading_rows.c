/* The options of all questions that read labels, comparisons and tables about tasks: how to read
 * them; and of those that do no more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/columns.h"
#include "bench/wishes/wishes.h"

enum { AT_MAX = 10000 };

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
    const og_wishes *wishes = options;
    return wishes->file != NULL || wishes->batch.labels_file != NULL ||
           wishes->replay.recording.labels_file != NULL;
}

/* Of any kind. */
static bool has_answers(const void *options)
{
    const og_wishes *wishes = options;
    return has_labels(options) || wishes->batch.pairs_file != NULL ||
           wishes->replay.recording.pairs_file != NULL ||
           wishes->replay.recording.gold_file != NULL;
}

#define OF_LABELS .about = "a file of labels (--labels FILE)", .is_there = has_labels

const og_option_row og_reading_rows[] = {
    OG_OPTION(CUSTOM, "columns", "LIST", og_wishes, tables.columns, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "columns by name or number: task=item,label=answer",
              .help = "which columns of the tables to use, task=item,worker=rater,label=answer; "
                      "names or numbers from 1. Only numbers, 1,2,3: files without a header, and "
                      "the columns of their task, worker and label (of comparisons: worker, left, "
                      "right, label)",
              .read = og_columns_keep),
    OG_OPTION(CUSTOM, "missing", "VALUE,...", og_wishes, tables.missing, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "labels that mean no label, like empty cells",
              .help = "labels that mean no label, such as unsure,-1; they are counted and told, "
                      "like empty cells",
              .read = keep_word, .about = "a file of labels (--labels FILE)",
              .is_there = has_answers),
    OG_OPTION(CHOICE, "encoding", "NAME", og_wishes, tables.encoding, .topic = OG_TOPIC_FILES,
              .brief = "encoding of the tables: utf8 or latin1",
              .help = "the encoding of the tables: utf8 or latin1", .fallback = "utf8",
              .choices = "utf8 latin1"),
    OG_OPTION_LAST,
};

const og_option_row og_draw_rows[] = {
    OG_OPTION(CHOICE, "draws", "HOW", og_wishes, tables.draws, .topic = OG_TOPIC_RANKING,
              .brief = "with --pairs: draws are half a win, or dropped",
              .help =
                  "with --pairs: what a draw (tie, draw or =) is. half: half a win of each item "
                  "(replay: in each run a win of one of them at random). drop: nothing",
              .fallback = "half", .choices = "half drop"),
    OG_OPTION_LAST,
};

const og_option_row og_label_rows[] = {
    OG_OPTION_TABLE(og_reading_rows),
    OG_OPTION(CHOICE, "format", "NAME", og_wishes, tables.format, .topic = OG_TOPIC_FILES,
              .brief = "format of the labels, such as label-studio or gal",
              .help = "the format of the labels: auto, by looking; table; the name of a tool; "
                      "truth-inference; or gal, columns worker, task and label without a header",
              .fallback = "auto",
              .choices = "auto table label-studio prodigy mturk toloka doccano ground-truth "
                         "figure-eight zooniverse argilla potato truth-inference gal",
              OF_LABELS),
    OG_OPTION(SWITCH, "wide", NULL, og_wishes, tables.wide, .topic = OG_TOPIC_FILES,
              .brief = "--labels has a column for each worker",
              .help = "the labels have a column for each worker, with blanks for no label: all "
                      "columns but those of task and gold, or those of --columns worker=NAME",
              OF_LABELS),
    OG_OPTION(CUSTOM, "classes", "CLASS,...", og_wishes, tables.classes, .topic = OG_TOPIC_FILES,
              .brief = "all classes in their order: neg,neutral,pos",
              .help =
                  "all classes of the labels in their order, neg,neutral,pos; of two the second "
                  "is positive (default: those that occur, sorted, and two if there are fewer)",
              .read = keep_word),
    OG_OPTION(CHOICE, "repeats", "WHICH", og_wishes, tables.repeats, .topic = OG_TOPIC_FILES,
              .brief = "of a worker's labels for a task: first, last, all",
              .help = "which of a worker's several labels for a task count: first, last or all",
              .fallback = "all", .choices = "first last all", OF_LABELS),
    OG_OPTION(CUSTOM, "positive", "CLASS", og_wishes, tables.positive, .topic = OG_TOPIC_FILES,
              .brief = "which of two classes is positive",
              .help = "which of two classes is positive (default: the second one in order)",
              .read = keep_word, OF_LABELS),
    OG_OPTION_LAST,
};

/* Budgets that ascend, [*count]; owned by the caller. */
static og_status read_budgets(const og_option_row *row, const char *text, int32_t *at,
                              int32_t *count, og_message *message)
{
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        OG_TRY(og_option_whole(row, word, &point, message));
        if (*count == AT_MAX || (*count > 0 && point <= at[*count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at must be at most %d budgets in ascending order, not '%.40s'",
                                  AT_MAX, word);
        }
        at[(*count)++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

og_status og_keep_budgets(void *options, const og_option_row *row, const char *text,
                          og_message *message)
{
    og_wishes *wishes = options;
    int32_t *at = calloc(strlen(text) / 2 + 1, sizeof *at), count = 0;
    og_status status = OG_ALLOCATED(at);
    OG_THEN(status, read_budgets(row, text, at, &count, message));
    if (status != OG_OK) {
        free(at);
        return status;
    }
    free(wishes->at);
    wishes->at = at;
    wishes->at_count = count;
    return OG_OK;
}

const og_option_row og_fit_options[] = {
    OG_OPTION(CHOICE, "method", "METHOD", og_wishes, labels.method, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "ml (maximum likelihood), moments or paper",
              .help = "ml: maximum likelihood of the beta-binomial distribution. moments: its "
                      "moments, corrected for the noise of the counts. paper: moments of the "
                      "tasks' shares of positive labels, without this correction (Hu and Frazier)",
              .fallback = "ml", .choices = "ml moments paper"),
    OG_OPTION_TABLE(og_label_rows),
    OG_OPTION_TABLE(og_time_rows),
    OG_OPTION_LAST,
};

const og_option_row og_labels_options[] = {
    OG_OPTION(PATH, "gold", "FILE", og_wishes, labels.gold_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "true labels: columns task, label",
              .help = "the true labels, a table with the columns task and label; perhaps the same "
                      "file"),
    OG_OPTION(OUTPUT, "output", "FILE", og_wishes, labels.output, .topic = OG_TOPIC_OUTPUT,
              .letter = 'o', .what = "table", .basic = true,
              .brief = "write the labels as a plain table",
              .help = "also write the labels as a table with the columns task, worker and label, "
                      "with commas if FILE ends in .csv, else with tabs"),
    OG_OPTION_TABLE(og_label_rows),
    OG_OPTION_TABLE(og_time_rows),
    OG_OPTION_LAST,
};
