/* The options of all commands, from their rows: each has its whole name only, and is given once
 * unless its row repeats. */
#include "bench/public/question.h"
#include "tests/support.h"
#include "tools/command/commands.h"

OG_SUITE(options, 20);

static og_status read_words(const command *chosen, const char *const *word, int count,
                            og_message *message)
{
    command_request request;
    help_kind help = HELP_NONE;
    char *argv[4] = {(char *)chosen->name};
    for (int i = 0; i < count; i++) {
        argv[i + 1] = (char *)word[i];
    }
    *message = (og_message){""};
    og_status status = options_read(chosen, count + 1, argv, &request, &help, message);
    request_clear(&request);
    return help != HELP_NONE ? OG_OK : status;
}

static bool has_option(const option_list *list, const char *name)
{
    return strcmp(name, "help") == 0 || og_option_find(list->row, list->count, name) >= 0;
}

/* A command that lacks the option says so, and does not take it for another. */
static void check_lacking(const command *chosen, const option_list *list, const char *name)
{
    og_message message;
    char word[80];
    if (has_option(list, name)) {
        return;
    }
    snprintf(word, sizeof word, "--%s=1,1", name);
    og_status status = read_words(chosen, (const char *[]){word}, 1, &message);
    bool said = strncmp(message.text, "unknown option", 14) == 0 ||
                strncmp(message.text, "with sweep", 10) == 0 ||
                strstr(message.text, "does not support") != NULL;
    ck_assert_msg(status == OG_BAD_INPUT && said, "%s %s: %s", chosen->name, word, message.text);
}

OG_TEST(a_name_is_of_one_option_in_every_command)
{
    for (int i = 0; commands[i] != NULL; i++) {
        option_list list, other;
        options_list(commands[i], NULL, &list);
        for (int32_t j = 0; j < list.count; j++) {
            char name[80];
            snprintf(name, sizeof name, "%s", list.row[j]->name);
            for (size_t length = strlen(name) - 1; length > 0; length--) {
                name[length] = '\0';
                check_lacking(commands[i], &list, name);
            }
        }
        for (int k = 0; commands[k] != NULL; k++) {
            options_list(commands[k], NULL, &other);
            for (int32_t j = 0; j < other.count; j++) {
                check_lacking(commands[i], &list, other.row[j]->name);
            }
        }
    }
}

static bool takes(const og_option_row *row, const char *text)
{
    command_request request;
    memset(&request, 0, sizeof request);
    request.wish.ask.ties = request.wish.ties;
    og_status status = og_option_read(row, &request, text, NULL);
    request_clear(&request);
    return status == OG_OK;
}

/* A value that the row's reader takes; options of families are read later. */
static const char *value_of(const og_option_row *row, bool own)
{
    static const char *const values[] = {"2",   "1/2",   "0.5", "a",   "1,1",
                                         "all", "prior", "kg",  "a=b", "9x9cm"};
    static char choice[40];
    size_t i = 0;
    if (!own || row->argument == NULL) {
        return "1";
    }
    if (row->choices != NULL) {
        snprintf(choice, sizeof choice, "%.*s", (int)strcspn(row->choices, " "), row->choices);
        return choice;
    }
    while (!takes(row, values[i])) {
        ck_assert_msg(++i < sizeof values / sizeof *values, "no value for --%s", row->name);
    }
    return values[i];
}

static bool is_list(const og_option_row *row)
{
    return strstr(row->argument, "...") != NULL || strcmp(row->argument, "NUMBERS") == 0;
}

OG_TEST(an_option_is_given_once_unless_its_row_repeats)
{
    int refused = 0;
    for (int i = 0; commands[i] != NULL; i++) {
        option_list list;
        options_list(commands[i], NULL, &list);
        for (int32_t j = 0; j < list.count; j++) {
            const og_option_row *row = list.row[j];
            og_message message;
            char word[120], expected[120];
            bool told = row->help != NULL && strstr(row->help, "epeat") != NULL;
            snprintf(word, sizeof word, row->argument != NULL ? "--%s=%s" : "--%s", row->name,
                     value_of(row, list.family[j] == NULL));
            snprintf(expected, sizeof expected, "--%s ", row->name);
            read_words(commands[i], (const char *[]){word, word}, 2, &message);
            bool once = strncmp(message.text, expected, strlen(expected)) == 0 &&
                        strstr(message.text, "is given twice; ") != NULL;
            ck_assert_msg(once == !row->repeats, "%s %s: %s", commands[i]->name, word,
                          message.text);
            ck_assert_msg(row->repeats ? told || is_list(row) : !told, "%s %s", commands[i]->name,
                          word);
            refused += once;
        }
    }
    ck_assert_int_gt(refused, 400);
}

OG_TEST(a_word_is_given_once_unless_its_row_repeats)
{
    static const char *const words[] = {"1,1", "2,1", "gap-budget"};
    og_message message;
    read_words(&command_verify, words, 2, &message);
    ck_assert_str_eq(message.text, "verify takes one FILE; omit '2,1'");
    read_words(&command_find, (const char *[]){"kg", "opt-kg"}, 2, &message);
    ck_assert_str_eq(message.text,
                     "find takes one POLICY; omit 'opt-kg' (--against names a second one)");
    for (int i = 0; commands[i] != NULL; i++) {
        if (commands[i]->word.repeats) {
            read_words(commands[i], words, 2, &message);
            ck_assert_msg(strstr(message.text, "omit") == NULL, "%s: %s", commands[i]->name,
                          message.text);
        }
    }
}

/* A command's options are those of the question of optgap.h, and what only the program does with
 * its answer or machine; index has fractions to refuse them. */
OG_TEST(an_option_of_a_command_is_one_of_its_question)
{
    static const char own[] = " output quiet json csv latex size font whole ranks ";
    int questions = 0;
    for (int i = 0; commands[i] != NULL; i++) {
        og_question *question = NULL;
        option_list list;
        if (og_question_new(commands[i]->name, &question, NULL) != OG_OK) {
            continue;
        }
        questions++;
        options_list(commands[i], NULL, &list);
        for (int32_t j = 0; j < list.count; j++) {
            char name[80];
            const og_option_row *row = list.row[j];
            snprintf(name, sizeof name, " %s ", row->name);
            bool left_out = list.family[j] != NULL || strstr(own, name) != NULL ||
                            !option_shown(commands[i], row);
            ck_assert_msg(left_out ||
                              og_option_find(question->row, question->row_count, row->name) >= 0,
                          "--%s of %s is no option of the question", row->name, commands[i]->name);
        }
        og_question_free(question);
    }
    ck_assert_int_eq(questions, 13);
}
