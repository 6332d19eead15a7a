/*
 * Prints the help of a command from its rows: --help lists the basic ones, --help-all each in one
 * line, --help-page the text of a manual page (tools/manpage).
 */
#include <stdio.h>
#include <string.h>

#include "tools/option/options.h"

enum {
    WIDTH = 80,
    COLUMN = 28, /* column of the options' texts */
    LINE_BYTES = 256,
    PLAIN_ROWS = 15, /* up to this many options are listed without headings */
};

/* The heading of a topic, and the topic under which --help lists its options. */
static const struct {
    const char *heading;
    og_topic basic;
} sections[OG_TOPIC_COUNT] = {
    [OG_TOPIC_PROBLEM] = {"Problem", OG_TOPIC_PROBLEM},
    [OG_TOPIC_PRICES] = {"Prices", OG_TOPIC_PROBLEM},
    [OG_TOPIC_FEATURES] = {"Features", OG_TOPIC_PROBLEM},
    [OG_TOPIC_WORKERS] = {"Workers", OG_TOPIC_PROBLEM},
    [OG_TOPIC_SOURCES] = {"Sources", OG_TOPIC_PROBLEM},
    [OG_TOPIC_ASSIGNMENT] = {"Assignment", OG_TOPIC_PROBLEM},
    [OG_TOPIC_LABELERS] = {"Labelers", OG_TOPIC_PROBLEM},
    [OG_TOPIC_RANKING] = {"Ranking", OG_TOPIC_PROBLEM},
    [OG_TOPIC_DEADLINE] = {"Deadline", OG_TOPIC_PROBLEM},
    [OG_TOPIC_POLICIES] = {"Policies", OG_TOPIC_POLICIES},
    [OG_TOPIC_QUESTIONS] = {"Questions", OG_TOPIC_QUESTIONS},
    [OG_TOPIC_TRUTH] = {"Truth", OG_TOPIC_QUESTIONS},
    [OG_TOPIC_OUTPUT] = {"Output", OG_TOPIC_OUTPUT},
    [OG_TOPIC_FILES] = {"Files", OG_TOPIC_FILES},
    [OG_TOPIC_LIMITS] = {"Limits", OG_TOPIC_LIMITS},
};

bool option_shown(const command *chosen, const og_option_row *row)
{
    size_t length = strlen(chosen->name);
    const char *at = row->only;
    if (row->hidden) {
        return false;
    }
    while (at != NULL && *at != '\0') {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, chosen->name, word) == 0) {
            return true;
        }
        at += word + strspn(at + word, " ");
    }
    return at == NULL;
}

/* Writes "  -T, --budget=N"; returns its length. */
static int row_name(const og_option_row *row, char line[LINE_BYTES])
{
    char letter[8] = "    ";
    if (row->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    }
    return snprintf(line, LINE_BYTES, "  %s--%s%s%s", letter, row->name,
                    row->argument != NULL ? "=" : "", row->argument != NULL ? row->argument : "");
}

/* The option's text, whether it is required, and its default. */
static void row_text(const og_option_row *row, bool own, char text[LINE_BYTES])
{
    const char *fallback = row->fallback;
    snprintf(text, LINE_BYTES, "%s%s%s%s%s", row->brief,
             row->required != NULL && own ? " (required)" : "",
             fallback != NULL ? " (default: " : "", fallback != NULL ? fallback : "",
             fallback != NULL ? ")" : "");
}

/* Prints words after `used` characters of a line; further lines begin at COLUMN. */
static void print_words(const char *text, int used)
{
    bool first = true;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (!first && used + 1 + length > WIDTH) {
            printf("\n%*s", COLUMN, "");
            used = COLUMN;
        } else if (!first) {
            putchar(' ');
            used++;
        }
        printf("%.*s", length, text);
        used += length;
        text += length + (int)strspn(text + length, " ");
        first = false;
    }
    putchar('\n');
}

void print_option(const og_option_row *row, bool own)
{
    char name[LINE_BYTES], text[LINE_BYTES];
    int used = row_name(row, name);
    int gap = used + 2 <= COLUMN ? COLUMN - used : 2;
    row_text(row, own, text);
    printf("%s%*s", name, gap, "");
    print_words(text, used + gap);
}

/* Prints an option in one line, without its default if that does not fit. */
static void print_line(const og_option_row *row, bool own)
{
    char name[LINE_BYTES], text[LINE_BYTES];
    int used = row_name(row, name);
    int gap = used + 2 <= COLUMN ? COLUMN - used : 2;
    row_text(row, own, text);
    printf("%s%*s%s\n", name, gap, "", used + gap + (int)strlen(text) <= WIDTH ? text : row->brief);
}

static bool is_listed(const command *chosen, const og_option_row *row, help_kind kind)
{
    return option_shown(chosen, row) && (kind != HELP_BASIC || row->basic);
}

/* Prints the options of one topic, with a heading if requested. */
static void print_section(const command *chosen, const option_list *list, og_topic topic,
                          help_kind kind, bool headings)
{
    bool begun = false;
    for (int32_t i = 0; i < list->count; i++) {
        const og_option_row *row = list->row[i];
        og_topic at = kind == HELP_BASIC ? sections[row->topic].basic : row->topic;
        if (at != topic || !is_listed(chosen, row, kind)) {
            continue;
        }
        if (!begun && headings) {
            puts(sections[topic].heading);
        }
        begun = true;
        if (kind == HELP_BASIC) {
            print_option(row, list->family[i] == NULL);
        } else {
            print_line(row, list->family[i] == NULL);
        }
    }
}

static void print_usage(const command *chosen)
{
    const char *word = chosen->word.argument;
    if (chosen->usage != NULL) {
        printf("Usage: optgap %s %s\n", chosen->name, chosen->usage);
    } else {
        printf("Usage: optgap %s [OPTION...]%s%s\n", chosen->name, word != NULL ? " " : "",
               word != NULL ? word : "");
    }
}

/* Prints the text of a manual page; tools/manpage breaks the lines. */
static void print_page(const command *chosen, const option_list *list, bool json)
{
    char name[LINE_BYTES];
    printf("%s\n\n", chosen->about);
    for (int topic = OG_TOPIC_NONE; topic < OG_TOPIC_COUNT; topic++) {
        for (int32_t i = 0; i < list->count; i++) {
            const og_option_row *row = list->row[i];
            if ((int)row->topic == topic && option_shown(chosen, row)) {
                row_name(row, name);
                printf("%s\n          %s%s%s%s\n", name, row->help,
                       row->fallback != NULL ? " (default: " : "",
                       row->fallback != NULL ? row->fallback : "",
                       row->fallback != NULL ? ")" : "");
            }
        }
    }
    puts("  -h, --help\n          print the main options\n"
         "      --help-all\n          print every option in one line");
    printf("\n%s\n", chosen->details);
    if (json) {
        puts("\nThe page optgap-json(7) lists the keys that --json prints.");
    }
}

void print_command_help(const command *chosen, help_kind kind)
{
    option_list list;
    int32_t listed = 0;
    bool json = false;
    options_list(chosen, NULL, &list);
    for (int32_t i = 0; i < list.count; i++) {
        listed += is_listed(chosen, list.row[i], kind);
        json |= strcmp(list.row[i]->name, "json") == 0;
    }
    print_usage(chosen);
    if (kind == HELP_PAGE) {
        print_page(chosen, &list, json);
        return;
    }
    puts(chosen->brief);
    if (kind == HELP_BASIC) {
        printf("\n%s\n", chosen->example);
    }
    puts("");
    bool headings = kind == HELP_ALL || listed > PLAIN_ROWS;
    for (int topic = OG_TOPIC_NONE + 1; topic < OG_TOPIC_COUNT; topic++) {
        print_section(chosen, &list, (og_topic)topic, kind, headings);
    }
    printf("%s  -h, --help                print this help\n"
           "      --help-all            print every option\n",
           headings ? "\n" : "");
    if (kind == HELP_BASIC && chosen->notes != NULL) {
        printf("\n%s\n", chosen->notes);
    }
    if (chosen->families != FAMILY_NONE) {
        puts("Topics: optgap help words, instances, policies, truth, prices, workers, ...");
    } else {
        puts("Words: optgap help words");
    }
    printf("Manual: man optgap-%s%s\n", chosen->name, json ? "; JSON keys: man 7 optgap-json" : "");
}
