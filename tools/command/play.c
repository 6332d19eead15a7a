/* play: a person labels, the optimum comments. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/document.h"
#include "bench/value/play.h"
#include "bench/words.h"
#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { LINE_BYTES = 256, STATE_BYTES = 1 << 16 };

typedef enum { CHOSEN, SHOWN, ENDED } answer;

static void print_state(const og_play *game)
{
    const og_family *family = game->family;
    og_document *document = og_document_new();
    if (family->show_state != NULL) {
        family->show_state(game->problem, game->state, document);
    } else {
        char *text = allocate(STATE_BYTES, 1);
        family->state_text(game->problem, game->state, text, STATE_BYTES);
        og_show_paragraph(document, "%s", text);
        free(text);
    }
    show_part(document);
}

/* What can be done, by its numbers; with what it is worth. */
static void print_acts(const og_play *game, bool values)
{
    const char *name = game->family->act_name;
    bool words = game->family->show_state == NULL;
    og_document *document = og_document_new();
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < game->count; i++) {
        char text[LINE_BYTES];
        bool worse = og_play_is_worse(game, i);
        og_document *row = og_put_object(rows, NULL);
        og_play_act_text(game, i, text, sizeof text);
        og_put_whole(row, "number", (uint64_t)i + 1);
        og_put_text(row, "text", text);
        og_put_number(row, "q", game->q[i]);
        og_put_number(row, "lost", worse ? game->best - game->q[i] : 0);
        og_put_text(row, "optimal", worse ? "" : "optimal");
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, name, 'r', "number", OG_SHOW_PLAIN);
    if (words) {
        og_show_column(table, "", 'l', "text", OG_SHOW_PLAIN);
    }
    if (values) {
        og_show_column(table, "Q", 'd', "q", OG_SHOW_VALUE);
        og_show_column(table, "lost", 'd', "lost", OG_SHOW_GAP);
        og_show_column(table, "", 'l', "optimal", OG_SHOW_PLAIN);
    }
    show_part(document);
}

/* One line of the player's: the number of an act, "?" or "q". */
static answer read_choice(const og_play *game, int32_t *act)
{
    const char *name = game->family->act_name;
    char line[LINE_BYTES];
    printf("%" PRId32 " label%s left. Which %s (1 to %" PRId32 ", ? for the values, q to end)? ",
           game->left, game->left == 1 ? "" : "s", name, game->count);
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL) {
        putchar('\n');
        return ENDED;
    }
    line[strcspn(line, "\r\n")] = '\0';
    int64_t number;
    if (strcmp(line, "q") == 0) {
        return ENDED;
    }
    if (strcmp(line, "?") == 0) {
        print_acts(game, true);
        return SHOWN;
    }
    if (!og_number_parse(line, 1, game->count, &number)) {
        printf("'%.40s' is not the number of %s %s.\n", line,
               strchr("aeiou", name[0]) != NULL ? "an" : "a", name);
        return SHOWN;
    }
    *act = (int32_t)number - 1;
    return CHOSEN;
}

/* "2, 3": what it would have been optimal to do. */
static void best_words(const og_play *game, char words[LINE_BYTES])
{
    og_text out = og_text_begin(words, LINE_BYTES);
    for (int32_t i = 0; i < game->count && out.length + 16 < LINE_BYTES; i++) {
        if (!og_play_is_worse(game, i)) {
            og_text_add(&out, "%s%" PRId32, out.length > 0 ? ", " : "", i + 1);
        }
    }
}

/* Do it, say what came of it and what it cost, and wait for the next decision. */
static og_status take_turn(og_play *game, int32_t act, const char *unit, og_message *message)
{
    char best[LINE_BYTES], text[LINE_BYTES], said[LINE_BYTES];
    bool worse = og_play_is_worse(game, act);
    double lost = game->best - game->q[act];
    best_words(game, best);
    og_play_act_text(game, act, text, sizeof text);
    OG_TRY(og_play_do(game, act, said, sizeof said, message));
    text[0] = (char)toupper(text[0]);
    printf(said[0] != '\0' ? "%s: the label says %s.\n" : "%s.\n", text, said);
    if (worse) {
        printf("That choice cost %s expected %s; optimal: %s.\n", og_words_gap(lost, 0).text, unit,
               best);
    } else {
        puts("That choice was optimal.");
    }
    while (og_play_waits(game)) {
        OG_TRY(og_play_wait(game, said, sizeof said, message));
        said[0] = (char)toupper(said[0]);
        printf("%s.\n", said);
    }
    putchar('\n');
    return OG_OK;
}

static og_status play(og_play *game, const char *unit, og_message *message)
{
    bool prompted = false;
    while (!game->over) {
        int32_t act = 0;
        if (!prompted) {
            print_state(game);
            if (game->family->show_state == NULL) {
                print_acts(game, false);
            }
        }
        prompted = true;
        answer chosen = read_choice(game, &act);
        if (chosen == ENDED) {
            break;
        }
        if (chosen == CHOSEN) {
            OG_TRY(take_turn(game, act, unit, message));
            show_stage(NULL);
            prompted = false;
        }
    }
    return OG_OK;
}

static void print_end(const command_request *request, const og_play *game, const og_sizes *sizes)
{
    char most[32] = "";
    if (!sizes->metric.share) {
        snprintf(most, sizeof most, " of %" PRId64, sizes->decisions);
    }
    print_state(game);
    printf("\n%s with %" PRId32 " label%s left. Your choices cost %s expected %s in all; "
           "optimal play was worth %s%s from the start.\n",
           game->over ? "Done" : "Ended", game->left, game->left == 1 ? "" : "s",
           og_words_gap(game->cost, 0).text, sizes->metric.unit, og_words_value(game->value).text,
           most);
    printf("The same labels again: --seed %" PRIu64 "\n", request->seed);
}

static int practise(command_request *request, const opened *of)
{
    og_message message = {""};
    og_play game;
    if (request->seed == 0) {
        request->seed = (uint64_t)time(NULL);
    }
    show_stage("solving");
    og_status status =
        og_play_begin(of->family, of->problem, &request->settings, request->seed, &game, &message);
    show_stage(NULL);
    if (status == OG_OK) {
        status = play(&game, of->sizes.metric.unit, &message);
    }
    if (status == OG_OK) {
        print_end(request, &game, &of->sizes);
    }
    og_play_clear(&game);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

static int run(command_request *request)
{
    opened of;
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = practise(request, &of);
    }
    close_problem(&of);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    SEED_ROW("0",
             "of the labels that are drawn, for the same game again; 0: another one every time"),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_play = {
    .name = "play",
    .summary = "label by hand and see what each choice costs",
    .word = INSTANCE_WORDS("3x1,1"),
    .about = "A game for learning: you choose which instance is labelled, a label is drawn from "
             "its posterior, and the exact optimum says what the choice cost.",
    .details = "Example:\n"
               "\n"
               "  optgap play -T 8 3x1,1\n"
               "\n"
               "Every line of input is the number of an instance, ? for what each is worth, or q "
               "to end. Choices can come from a file or a pipe too. A cost is the difference "
               "between the best Q and that of your choice, expected correct calls; 0 within the "
               "proved error. Options such as --workers-prior or --features choose other "
               "problems: then every line of input is the number of what can be done, which is "
               "listed, and Q is counted from the value without any label.",
    .options = options,
    .families = FAMILY_STATES,
    .run = run,
};
