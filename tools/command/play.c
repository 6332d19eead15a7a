/* play: a person labels, the optimum comments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/document.h"
#include "bench/posterior.h"
#include "bench/simulation/practice.h"
#include "bench/words.h"
#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { LINE_BYTES = 256 };

typedef enum { CHOSEN, SHOWN, ENDED } answer;

/* "positive", "class 2"; "-" where there is nothing to call. */
static void put_call(og_document *row, const og_arm *arm, uint32_t node)
{
    char label[16];
    if (!og_arm_has_calls(arm)) {
        og_put_null(row, "call");
    } else if (arm->lattice) {
        og_put_text(row, "call", og_arm_positive(arm, node) ? "positive" : "negative");
    } else {
        og_label_format(arm, og_arm_called(arm, node), label, sizeof label);
        og_show_cell(row, "call", "class %s", label);
    }
}

static void print_state(const og_practice *game)
{
    og_document *document = og_document_new();
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < game->count; i++) {
        const og_arm *arm = game->arms->arm[game->arm[i]];
        og_document *row = og_put_object(rows, NULL);
        char words[OG_GROUP_TEXT_BYTES];
        int32_t counts[OG_CLASSES_MAX];
        og_posterior_format(arm, game->node[i], words, sizeof words);
        og_arm_counts(arm, game->node[i], counts);
        og_put_whole(row, "instance", (uint64_t)i + 1);
        og_put_text(row, "posterior", words);
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            char label[16];
            og_label_format(arm, k, label, sizeof label);
            og_show_cell(row, "labels", "%s%" PRId32 "%s%s", k > 0 ? "  " : "", counts[k],
                         arm->outcome_count == 2 ? "" : " of class ", label);
        }
        put_call(row, arm, game->node[i]);
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "instance", 'r', "instance", OG_SHOW_PLAIN);
    og_show_column(table, "posterior", 'l', "posterior", OG_SHOW_PLAIN);
    og_show_column(table, "call now", 'l', "call", OG_SHOW_PLAIN);
    og_show_column(table, "labels so far", 'l', "labels", OG_SHOW_PLAIN);
    show_part(document);
}

static void print_values(const og_practice *game)
{
    og_document *document = og_document_new();
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < game->count; i++) {
        bool worse = og_practice_is_worse(game, i);
        og_document *row = og_put_object(rows, NULL);
        og_put_whole(row, "instance", (uint64_t)i + 1);
        og_put_number(row, "q", game->q[i]);
        og_put_number(row, "lost", worse ? game->best - game->q[i] : 0);
        og_put_text(row, "optimal", worse ? "" : "optimal");
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "instance", 'r', "instance", OG_SHOW_PLAIN);
    og_show_column(table, "Q", 'd', "q", OG_SHOW_VALUE);
    og_show_column(table, "lost", 'd', "lost", OG_SHOW_GAP);
    og_show_column(table, "", 'l', "optimal", OG_SHOW_PLAIN);
    show_part(document);
}

/* One line of the player's: the number of an instance, "?" or "q". */
static answer read_choice(const og_practice *game, int32_t *instance)
{
    char line[LINE_BYTES];
    printf("%" PRId32 " label%s left. Which instance (1 to %" PRId32 ", ? for the values, q to "
           "end)? ",
           game->left, game->left == 1 ? "" : "s", game->count);
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
        print_values(game);
        return SHOWN;
    }
    if (!og_number_parse(line, 1, game->count, &number)) {
        printf("'%.40s' is not the number of an instance.\n", line);
        return SHOWN;
    }
    *instance = (int32_t)number - 1;
    return CHOSEN;
}

static void print_turn(const og_practice *game, int32_t instance, bool worse, double lost,
                       const char *best, int32_t label)
{
    char words[16];
    og_label_format(game->arms->arm[game->arm[instance]], label, words, sizeof words);
    printf("Instance %" PRId32 ": the label says %s.\n", instance + 1, words);
    if (worse) {
        printf("That choice cost %s expected correct calls; optimal: %s.\n\n",
               og_words_gap(lost, 0).text, best);
    } else {
        puts("That choice was optimal.\n");
    }
}

/* "2, 3": the instances that it would have been optimal to label. */
static void best_words(const og_practice *game, char words[LINE_BYTES])
{
    size_t length = 0;
    words[0] = '\0';
    for (int32_t i = 0; i < game->count && length + 16 < LINE_BYTES; i++) {
        if (!og_practice_is_worse(game, i)) {
            length += (size_t)snprintf(words + length, LINE_BYTES - length, "%s%" PRId32,
                                       length > 0 ? ", " : "", i + 1);
        }
    }
}

static og_status play(og_practice *game, og_message *message)
{
    og_status status = OG_OK;
    bool prompted = false;
    while (status == OG_OK && game->left > 0) {
        int32_t instance = 0;
        if (!prompted) {
            print_state(game);
            status = og_practice_ask(game, message);
            show_stage(NULL);
            prompted = true;
            if (status != OG_OK) {
                break;
            }
        }
        answer chosen = read_choice(game, &instance);
        if (chosen == ENDED) {
            break;
        }
        if (chosen == CHOSEN) {
            char best[LINE_BYTES];
            bool worse = og_practice_is_worse(game, instance);
            double lost = game->best - game->q[instance];
            best_words(game, best);
            int32_t label = og_practice_label(game, instance);
            print_turn(game, instance, worse, lost, best, label);
            prompted = false;
        }
    }
    return status;
}

static void print_end(const command_request *request, const og_practice *game, double value)
{
    print_state(game);
    printf("\n%s with %" PRId32
           " label%s left. Your choices cost %s expected correct calls in all; "
           "optimal play was worth %s of %" PRId32 " from the start.\n",
           game->left > 0 ? "Ended" : "Done", game->left, game->left == 1 ? "" : "s",
           og_words_gap(game->cost, 0).text, og_words_value(value).text, game->count);
    printf("The same labels again: --seed %" PRIu64 "\n", request->seed);
}

static int practise(command_request *request, const opened *of)
{
    og_message message = {""};
    og_practice game = {.solver = NULL};
    og_result result = {.value = 0};
    const og_arms *arms = arms_of(of, "play");
    if (arms == NULL) {
        return EXIT_USAGE;
    }
    if (request->seed == 0) {
        request->seed = (uint64_t)time(NULL);
    }
    show_stage("solving");
    og_status status = og_practice_init(&game, arms, &request->settings, request->seed, &message);
    if (status == OG_OK) {
        status = og_solver_value(game.solver, &result, &message);
    }
    show_stage(NULL);
    if (status == OG_OK) {
        status = play(&game, &message);
    }
    if (status == OG_OK) {
        print_end(request, &game, result.value);
    }
    og_practice_clear(&game);
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
               "proved error.",
    .options = options,
    .run = run,
};
