/* Finds the columns of tables: by --columns, else by usual names. */
#include "bench/recorded/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/number.h"

enum { WORDS_MAX = 256, SHOWN = 40, SHOWN_COLUMNS = 12, NUMBER_BYTES = 24 };

/* The usual names of each column, the first one its word; as og_column_named wants them. */
static const char *const usual[OG_COLUMN_COUNT][24] = {
    [OG_COLUMN_TASK] = {"task",   "taskid",   "question",   "questionid", "item",
                        "itemid", "instance", "instanceid", "example",    "exampleid",
                        "object", "objectid", "origid",     "document",   "documentid",
                        "docid",  "unitid",   "hitid",      "id",         NULL},
    [OG_COLUMN_WORKER] = {"worker",      "workerid",     "performer",   "performerid",
                          "annotator",   "annotatorid",  "user",        "userid",
                          "username",    "rater",        "raterid",     "labeler",
                          "labelerid",   "labeller",     "coder",       "judge",
                          "workerids",   "amtworkerids", "contributor", "completedby",
                          "participant", "annotatedby",  "labeledby",   NULL},
    [OG_COLUMN_LABEL] = {"label", "answer", "response", "value", "choice", "judgment", "judgement",
                         "vote", "rating", "annotation", "class", "category", NULL},
    [OG_COLUMN_GOLD] = {"gold", "truth", "groundtruth", "goldlabel", "truelabel", "goldtruth",
                        NULL},
    [OG_COLUMN_CONTEXT] = {"context", NULL},
    [OG_COLUMN_ACCURACY] = {"accuracy", "quality", NULL},
    [OG_COLUMN_LEFT] = {"left", "itema", "modela", "optiona", NULL},
    [OG_COLUMN_RIGHT] = {"right", "itemb", "modelb", "optionb", NULL},
    [OG_COLUMN_WINNER] = {"label", "winner", "preferred", "answer", "choice", "response", NULL},
    [OG_COLUMN_WINS_LEFT] = {"winsleft", "leftwins", "winsa", "awins", "modelawins", "winsmodela",
                             "votesleft", "votesa", NULL},
    [OG_COLUMN_WINS_RIGHT] = {"winsright", "rightwins", "winsb", "bwins", "modelbwins",
                              "winsmodelb", "votesright", "votesb", NULL},
    [OG_COLUMN_TIES] = {"ties", "draws", "tie", "draw", NULL},
    [OG_COLUMN_TIMES] = {"times", "count", "n", NULL},
    [OG_COLUMN_RANK] = {"rank", "place", "position", NULL},
    [OG_COLUMN_SESSION] = {"session", "sessionid", "prompt", "promptid", "query", "queryid",
                           "question", "questionid", "group", NULL},
    [OG_COLUMN_ITEM] = {"item", "itemid", "object", "objectid", "task", "model", "name", "id",
                        NULL},
    [OG_COLUMN_SCORE] = {"score", "rating", "truth", "gold", "value", NULL},
    [OG_COLUMN_PROBABILITY] = {"p", "probability", "prob", "predictedprobability", NULL},
    [OG_COLUMN_CAPACITY] = {"capacity", "maxlabels", "quota", NULL},
    [OG_COLUMN_EVENT] = {"event", NULL},
    [OG_COLUMN_POSITIVE] = {"positive", "positives", NULL},
    [OG_COLUMN_NEGATIVE] = {"negative", "negatives", NULL},
};

const char *og_column_word(og_column column)
{
    return usual[column][0];
}

const char *const *og_column_names(og_column column)
{
    return usual[column];
}

/* ---- the words of --columns ---- */

/* A part of --columns; the name is not terminated. */
typedef struct {
    int column; /* -1: without "=" */
    const char *name;
    size_t length;
    int64_t number; /* from 1; 0: not a number */
} word;

typedef struct {
    word word[WORDS_MAX];
    int count;
    bool numbers; /* all of them */
} words;

static int column_of(const char *text, size_t length)
{
    for (int column = 0; column < OG_COLUMN_COUNT; column++) {
        if (strlen(usual[column][0]) == length && memcmp(usual[column][0], text, length) == 0) {
            return column;
        }
    }
    return -1;
}

static int64_t number_in(const char *text, size_t length)
{
    char digits[12];
    int64_t number = 0;
    if (length == 0 || length >= sizeof digits) {
        return 0;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    return og_number_parse(digits, 1, INT32_MAX, &number) ? number : 0;
}

static og_status read_word(const char *text, size_t length, word *out, og_message *message)
{
    const char *equals = memchr(text, '=', length);
    size_t before = equals != NULL ? (size_t)(equals - text) : 0;
    *out = (word){.column = -1, .name = text, .length = length};
    if (equals != NULL) {
        out->column = column_of(text, before);
        out->name = equals + 1;
        out->length = length - before - 1;
        if (out->column < 0) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "--columns must name task, worker, label, gold, context, left, "
                "right, winsleft, winsright, ties, times, rank, session, item, "
                "score, accuracy, p, capacity, event, positive or negative, not '%.*s'",
                (int)(before < SHOWN ? before : SHOWN), text);
        }
    }
    if (out->length == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--columns must be such as task=item,worker=rater,label=answer, or "
                              "numbers, 1,2,3; a name is empty");
    }
    out->number = number_in(out->name, out->length);
    return OG_OK;
}

static og_status read_words(const char *text, words *out, og_message *message)
{
    out->count = 0;
    out->numbers = text != NULL;
    for (const char *rest = text; rest != NULL;) {
        size_t length = strcspn(rest, ",");
        if (out->count == WORDS_MAX) {
            return og_message_set(message, OG_BAD_INPUT, "--columns has more than %d names",
                                  WORDS_MAX);
        }
        word *one = &out->word[out->count++];
        OG_TRY(read_word(rest, length, one, message));
        out->numbers = out->numbers && one->number > 0;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

og_status og_columns_keep(void *options, const og_option_row *row, const char *text,
                          og_message *message)
{
    words all;
    OG_TRY(read_words(text, &all, message));
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static og_status check_choice(const char *name, const char *text, const char *const *choices,
                              og_message *message)
{
    for (int i = 0; text != NULL && choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            return OG_OK;
        }
    }
    return text == NULL ? OG_OK
                        : og_message_set(message, OG_BAD_INPUT, "--%s must not be '%.*s'", name,
                                         SHOWN, text);
}

og_status og_tables_check(const og_tables *how, og_message *message)
{
    static const char *const formats[] = {
        "auto",    "table",   "label-studio",    "prodigy",      "mturk",
        "toloka",  "doccano", "ground-truth",    "figure-eight", "zooniverse",
        "argilla", "potato",  "truth-inference", "gal",          NULL};
    static const char *const encodings[] = {"utf8", "latin1", NULL};
    static const char *const draws[] = {"half", "drop", NULL};
    static const char *const repeats[] = {"first", "last", "all", NULL};
    words all;
    if (how == NULL) {
        return OG_OK;
    }
    OG_TRY(read_words(how->columns, &all, message));
    OG_TRY(check_choice("format", how->format, formats, message));
    OG_TRY(check_choice("encoding", how->encoding, encodings, message));
    OG_TRY(check_choice("repeats", how->repeats, repeats, message));
    return check_choice("draws", how->draws, draws, message);
}

static bool is_optional(const og_columns_wanted *wanted, int place)
{
    return (wanted->optional >> place & 1) != 0;
}

/* The place among the words without "=": with too few for all columns, the optional ones have
 * none. */
static int bare_place(const words *all, const og_columns_wanted *wanted, int place)
{
    int bare = 0, optional = 0;
    for (int i = 0; i < all->count; i++) {
        bare += all->word[i].column < 0;
    }
    for (int i = 0; i < place; i++) {
        optional += is_optional(wanted, i);
    }
    return bare >= wanted->count ? place : is_optional(wanted, place) ? -1 : place - optional;
}

/* The word for the wanted column of this place; NULL: none. */
static const word *word_for(const words *all, const og_columns_wanted *wanted, int place, int next)
{
    og_column column = wanted->column[place];
    int bare = 0, own = bare_place(all, wanted, place);
    column = column == OG_COLUMN_WINNER ? OG_COLUMN_LABEL : column;
    for (int i = 0; i < all->count; i++) {
        const word *one = &all->word[i];
        bool here = one->column >= 0 ? one->column == (int)column : wanted->main && bare++ == own;
        if (here && next-- == 0) {
            return one;
        }
    }
    return NULL;
}

bool og_columns_given(const og_tables *how, og_column column, int next, char *name, size_t bytes)
{
    words all;
    const og_columns_wanted wanted = {&column, 1, false, NULL, 0};
    if (how == NULL || how->columns == NULL || read_words(how->columns, &all, NULL) != OG_OK) {
        return false;
    }
    const word *found = word_for(&all, &wanted, 0, next);
    if (found != NULL) {
        snprintf(name, bytes, "%.*s", (int)found->length, found->name);
    }
    return found != NULL;
}

/* ---- names ---- */

static char next_letter(const char **text)
{
    while (**text != '\0' && strchr(" ._-!", **text) != NULL) {
        ++*text;
    }
    return **text != '\0' ? (char)tolower((unsigned char)*(*text)++) : '\0';
}

bool og_column_named(const char *name, const char *usual_name)
{
    char letter;
    do {
        letter = next_letter(&name);
        if (letter != *usual_name++) {
            return false;
        }
    } while (letter != '\0');
    return true;
}

bool og_column_is_other(const char *name)
{
    static const char *const others[] = {
        "id",        "annotator", "annotation_id", "created_at", "updated_at", "lead_time",
        "agreement", "text",      "image",         "audio",      "video",      "html",
        "url",       "title",     "meta",          "task_id",    "inner_id",   NULL};
    int i = 0;
    while (others[i] != NULL && strcmp(others[i], name) != 0) {
        i++;
    }
    return others[i] != NULL;
}

/* A column that an annotation tool writes about its work; of a long list these are not shown. */
static bool is_about(const char *name)
{
    return *name == '_' || *name == '\0' || og_column_is_other(name);
}

/* Appends the names of the columns of the current row, as many as are short: "'a', 'b', ...". */
static void list_columns(const og_rows *rows, char *text, size_t bytes)
{
    size_t used = 0;
    bool all = rows->field_count <= SHOWN_COLUMNS;
    int shown = 0;
    *text = '\0';
    for (int i = 0; i < rows->field_count && used + SHOWN + 8 < bytes; i++) {
        if (!all && is_about(rows->field[i])) {
            continue;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s'%.*s'", shown > 0 ? ", " : "",
                                 SHOWN, rows->field[i]);
        if (++shown == SHOWN_COLUMNS) {
            break;
        }
    }
    if (shown < rows->field_count) {
        snprintf(text + used, bytes - used, "%s...", shown > 0 ? ", " : "");
    }
}

/* ---- finding ---- */

typedef struct {
    og_columns *columns;
    og_rows *rows;
    const og_columns_wanted *wanted;
    words words;
    bool ended; /* no row comes any more */
} column_finder;

static bool is_taken(const column_finder *finder, int at)
{
    for (int i = 0; i < finder->wanted->count; i++) {
        if (finder->columns->at[finder->wanted->column[i]] == at) {
            return true;
        }
    }
    return false;
}

/* The column with this name, exactly or as og_column_named compares; -1: none. *count of them. */
static int position_of(const column_finder *finder, const char *name, bool exactly, int *count)
{
    int found = -1;
    *count = 0;
    for (int at = finder->rows->field_count; at-- > 0;) {
        const char *field = finder->rows->field[at];
        if (!is_taken(finder, at) &&
            (exactly ? strcmp(field, name) == 0 : og_column_named(field, name))) {
            found = at;
            ++*count;
        }
    }
    return found;
}

/* The name "id" alone is that of a column that the table must have. */
static bool find_usual(column_finder *finder, const char *const *names, og_column column,
                       bool optional)
{
    for (int i = 0; names[i] != NULL; i++) {
        int count;
        if (optional && strcmp(names[i], "id") == 0) {
            continue;
        }
        int at = position_of(finder, names[i], true, &count);
        at = at < 0 ? position_of(finder, names[i], false, &count) : at;
        if (count > 1) {
            return og_rows_fail(finder->rows,
                                "the column '%s' is there twice; give its number, --columns "
                                "%s=NUMBER",
                                names[i], og_column_word(column));
        }
        if (at >= 0) {
            finder->columns->at[column] = at;
            return true;
        }
    }
    return true;
}

/* In a later row of JSON, which may lack a column that the table may lack, or a label. */
static bool may_come(const column_finder *finder, og_column column)
{
    bool label = column == OG_COLUMN_LABEL || column == OG_COLUMN_GOLD ||
                 column == OG_COLUMN_WINNER || column == OG_COLUMN_RANK;
    for (int i = 0; i < finder->wanted->count; i++) {
        label = label || (finder->wanted->column[i] == column && is_optional(finder->wanted, i));
    }
    return label && !finder->ended && finder->rows->keys.count > 0;
}

static bool find_word(column_finder *finder, const word *one, og_column column)
{
    char name[OG_MESSAGE_BYTES];
    int count;
    snprintf(name, sizeof name, "%.*s", (int)one->length, one->name);
    int at = position_of(finder, name, true, &count);
    if (count > 1) {
        return og_rows_fail(finder->rows, "the column '%.*s' of --columns is there twice", SHOWN,
                            name);
    }
    if (at < 0 && one->number > 0) {
        at = one->number <= finder->rows->field_count ? (int)one->number - 1 : -1;
    }
    bool own = finder->wanted->main || one->column > OG_COLUMN_LABEL; /* no other table has it */
    if (at < 0 && own && may_come(finder, column)) {
        finder->columns->lacks = true;
        return true;
    }
    if (at < 0 && own) {
        char list[OG_MESSAGE_BYTES / 2];
        list_columns(finder->rows, list, sizeof list);
        return og_rows_fail(finder->rows, "no column '%.*s' (--columns); there are %s", SHOWN, name,
                            list);
    }
    finder->columns->at[column] = at;
    return true;
}

static bool has_named(const column_finder *finder, const char *name)
{
    int i = 0;
    while (i < finder->rows->field_count && !og_column_named(finder->rows->field[i], name)) {
        i++;
    }
    return i < finder->rows->field_count;
}

/* A hint for a table without this column: its likely kind, and what reads it. */
static const char *hint_for(const column_finder *finder, og_column column)
{
    if (finder->rows->field_count == 1) {
        return "; columns are separated by tabs, commas, semicolons or |";
    }
    if (column == OG_COLUMN_TASK && has_named(finder, "left")) {
        return "; comparisons are for --pairs of replay, or for --problem ranking of query";
    }
    if (column == OG_COLUMN_LABEL && finder->rows->field_count > 2 && !has_named(finder, "left")) {
        return "; for a table with a column for each worker give --wide, for counts of labels "
               "--columns positive=NAME,negative=NAME";
    }
    return finder->wanted->main ? "; a file without a header needs numbers, --columns 1,2,3" : "";
}

static bool fail_without(column_finder *finder, og_column column)
{
    char list[OG_MESSAGE_BYTES / 2];
    const char *name = og_column_word(column);
    list_columns(finder->rows, list, sizeof list);
    return og_rows_fail(finder->rows,
                        "no column '%s'; there are %s; name it by --columns %s=NAME%s",
                        column == OG_COLUMN_GOLD ? og_column_word(OG_COLUMN_LABEL) : name, list,
                        name, hint_for(finder, column));
}

/* True labels: a column called gold goes before the one that has the labels. */
static bool find_gold(column_finder *finder)
{
    const og_column label = OG_COLUMN_LABEL;
    const og_columns_wanted as_label = {&label, 1, false, NULL, 0};
    const word *one = word_for(&finder->words, &as_label, 0, 0);
    const int *at = &finder->columns->at[OG_COLUMN_GOLD];
    return find_usual(finder, usual[OG_COLUMN_GOLD], OG_COLUMN_GOLD, false) &&
           (*at >= 0 || one == NULL || find_word(finder, one, OG_COLUMN_GOLD)) &&
           (*at >= 0 || find_usual(finder, usual[OG_COLUMN_LABEL], OG_COLUMN_GOLD, false));
}

/* In a table with a header. */
static bool find_by_name(column_finder *finder)
{
    const og_columns_wanted *wanted = finder->wanted;
    for (int i = 0; i < wanted->count; i++) {
        const word *one = word_for(&finder->words, wanted, i, 0);
        if (one != NULL && finder->columns->at[wanted->column[i]] < 0 &&
            !find_word(finder, one, wanted->column[i])) {
            return false;
        }
    }
    for (int i = 0; i < wanted->count; i++) {
        og_column column = wanted->column[i];
        if (finder->columns->at[column] < 0 && wanted->usual != NULL) {
            finder->columns->at[column] = wanted->usual[i];
        }
        if (finder->columns->at[column] < 0 &&
            !(column == OG_COLUMN_GOLD
                  ? find_gold(finder)
                  : find_usual(finder, usual[column], column, is_optional(wanted, i)))) {
            return false;
        }
    }
    return true;
}

static bool all_found(const column_finder *finder)
{
    for (int i = 0; i < finder->wanted->count; i++) {
        if (finder->columns->at[finder->wanted->column[i]] < 0 && !is_optional(finder->wanted, i)) {
            return false;
        }
    }
    return true;
}

/* Are the names at these places usual ones of their columns? Then the row is a header. */
static bool is_header(const column_finder *finder)
{
    for (int i = 0; i < finder->wanted->count; i++) {
        og_column column = finder->wanted->column[i];
        int at = finder->columns->at[column];
        const char *field = at >= 0 ? finder->rows->field[at] : usual[column][0];
        bool named = false;
        for (int k = 0; usual[column][k] != NULL; k++) {
            named = named || og_column_named(field, usual[column][k]);
        }
        if (!named) {
            return false;
        }
    }
    return true;
}

/* Where --columns has only numbers. */
static bool find_by_number(column_finder *finder)
{
    const og_columns_wanted *wanted = finder->wanted;
    bool own = wanted->main;
    for (int i = 0; i < wanted->count; i++) {
        own =
            own || (wanted->column[i] == OG_COLUMN_GOLD && word_for(&finder->words, wanted, i, 0));
    }
    og_columns_wanted as_main = *wanted;
    as_main.main = own;
    for (int i = 0; i < wanted->count; i++) {
        og_column column = wanted->column[i];
        const word *one = word_for(&finder->words, &as_main, i, 0);
        int64_t number = one != NULL ? one->number : 0;
        if (is_optional(wanted, i) && number == 0) {
            continue;
        }
        number = own || is_optional(wanted, i) ? number : i + 1;
        if (number == 0) {
            return og_rows_fail(finder->rows, "--columns gives no number for the %s",
                                og_column_word(column));
        }
        if (number > finder->rows->field_count) {
            return og_rows_fail(finder->rows, "%d column%s, but the %s is to be in column %d",
                                finder->rows->field_count,
                                finder->rows->field_count == 1 ? "" : "s", og_column_word(column),
                                (int)number);
        }
        finder->columns->at[column] = (int)number - 1;
    }
    finder->columns->pending = !is_header(finder);
    return true;
}

/* Numbers are those of the main table; another one may have a header. */
static bool find_all(column_finder *finder)
{
    int count = finder->words.count;
    bool numbers = finder->words.numbers;
    if (numbers && finder->wanted->main) {
        return find_by_number(finder);
    }
    finder->words.count = numbers ? 0 : count;
    if (!find_by_name(finder)) {
        return false;
    }
    finder->words.count = count;
    return !numbers || all_found(finder) || find_by_number(finder);
}

/* Get-Another-Label's tables have no header: worker, object, label. */
static const char *words_of(const og_tables *how)
{
    bool triples = how != NULL && how->format != NULL && strcmp(how->format, "gal") == 0;
    return how == NULL ? NULL : how->columns != NULL || !triples ? how->columns : "2,1,3";
}

/* Looks for columns that are missing in the names of the current row. */
static bool look(column_finder *finder)
{
    og_columns *columns = finder->columns;
    const og_columns_wanted *wanted = finder->wanted;
    og_message message = {""};
    columns->known = finder->rows->field_count;
    columns->lacks = false;
    if (read_words(words_of(columns->how), &finder->words, &message) != OG_OK) {
        return og_rows_fail(finder->rows, "%s", message.text);
    }
    if (!find_all(finder)) {
        return false;
    }
    for (int i = 0; i < wanted->count; i++) {
        int at = columns->at[wanted->column[i]];
        columns->last = at > columns->last ? at : columns->last;
    }
    for (int i = 0; i < wanted->count; i++) {
        bool lacks = columns->at[wanted->column[i]] < 0 && !is_optional(wanted, i);
        if (lacks && !may_come(finder, wanted->column[i])) {
            return fail_without(finder, wanted->column[i]);
        }
        columns->lacks = columns->lacks || lacks;
    }
    return true;
}

bool og_columns_find_in(og_columns *columns, og_rows *rows, const og_tables *how,
                        const og_columns_wanted *wanted)
{
    column_finder finder = {.columns = columns, .rows = rows, .wanted = wanted};
    *columns = (og_columns){.rows = rows, .wanted = *wanted, .how = how};
    columns->wanted.usual = NULL;
    for (int i = 0; i < OG_COLUMN_COUNT; i++) {
        columns->at[i] = -1;
    }
    return look(&finder);
}

bool og_columns_find(og_columns *columns, og_rows *rows, const og_tables *how,
                     const og_columns_wanted *wanted)
{
    if (!og_rows_next(rows)) {
        return og_rows_fail(rows, "the file is empty");
    }
    return og_columns_find_in(columns, rows, how, wanted);
}

/* True if all fields are empty: spreadsheets end tables with such rows. */
static bool is_blank(const og_rows *rows)
{
    int at = 0;
    while (at < rows->field_count && *rows->field[at] == '\0') {
        at++;
    }
    return at == rows->field_count;
}

bool og_columns_has(const og_rows *rows, const og_tables *how, og_column column)
{
    char name[OG_MESSAGE_BYTES];
    bool found = og_columns_given(how, column, 0, name, sizeof name);
    for (int i = 0; !found && usual[column][i] != NULL; i++) {
        for (int at = 0; at < rows->field_count; at++) {
            found = found || og_column_named(rows->field[at], usual[column][i]);
        }
    }
    return found;
}

bool og_columns_lacks(og_rows *rows, og_column column)
{
    og_columns none = {.rows = rows};
    const og_columns_wanted wanted = {.column = &column, .count = 1, .main = true};
    column_finder finder = {.columns = &none, .rows = rows, .wanted = &wanted};
    return fail_without(&finder, column);
}

/* Looks for missing columns among the new keys of a JSON object, or of all in the end. */
static bool find_more(og_columns *columns, bool ended)
{
    og_rows *rows = columns->rows;
    char **values = rows->field;
    column_finder finder = {
        .columns = columns, .rows = rows, .wanted = &columns->wanted, .ended = ended};
    rows->field = rows->keys.name;
    rows->field_count = rows->keys.count;
    rows->line = ended ? 0 : rows->line; /* of the whole file */
    bool fine = look(&finder);
    rows->field = values;
    return fine;
}

bool og_columns_next(og_columns *columns)
{
    og_rows *rows = columns->rows;
    bool pending = columns->pending;
    columns->pending = false;
    do {
        if (!pending && !og_rows_next(rows)) {
            if (rows->status == OG_OK && columns->lacks) {
                find_more(columns, true);
            }
            return false;
        }
        pending = false;
    } while (is_blank(rows));
    if (rows->field_count > columns->known && rows->keys.count > 0 && !find_more(columns, false)) {
        return false;
    }
    int count = rows->field_count;
    return count > columns->last || og_rows_fail(rows, "%d field%s, the header needs %d", count,
                                                 count == 1 ? "" : "s", columns->last + 1);
}

bool og_columns_whole(const char *field, int64_t most, int64_t *out)
{
    char digits[NUMBER_BYTES];
    size_t length = strlen(field);
    length -= length > 2 && strcmp(field + length - 2, ".0") == 0 ? 2 : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < sizeof digits ? length : 0), field);
    return og_number_parse(digits, 0, most, out);
}

char *og_files_next(const char **files)
{
    size_t length = strcspn(*files, "\n");
    bool standard = length == 1 && **files == '-';
    char *name = standard ? strdup("/dev/stdin") : strndup(*files, length);
    *files = (*files)[length] == '\n' ? *files + length + 1 : NULL;
    return name;
}

const char *og_files_words(const char *files, char text[OG_FILES_BYTES])
{
    int length = (int)strcspn(files, "\n"), more = 0;
    for (const char *at = files; (at = strchr(at, '\n')) != NULL; at++) {
        more++;
    }
    snprintf(text, OG_FILES_BYTES, more > 0 ? "%.*s and %d more" : "%.*s",
             length < 200 ? length : 200, files, more);
    return text;
}

og_rows_limits og_table_limits(const og_settings *settings)
{
    const og_settings filled = og_settings_filled(settings != NULL ? settings : &(og_settings){0});
    const og_tables *how = filled.tables;
    return (og_rows_limits){.memory_bytes = filled.memory_bytes,
                            .stop = og_stop_of(&filled),
                            .latin1 = how != NULL && how->encoding != NULL &&
                                      strcmp(how->encoding, "latin1") == 0};
}
