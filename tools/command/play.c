/* play: a person labels, the optimum comments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/simulation/practice.h"
#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/show/number.h"
#include "tools/show/posterior.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { LINE_BYTES = 256 };

typedef enum { CHOSEN, SHOWN, ENDED } answer;

static void print_state(const og_practice *game)
{
    static const char *const headings[] = {"instance", "posterior", "call now", "labels so far"};
    table *grid = table_new("rlll", headings);
    for (int32_t i = 0; i < game->count; i++) {
        const og_arm *arm = game->arms->arm[game->arm[i]];
        char words[OG_GROUP_TEXT_BYTES];
        char labels[LINE_BYTES] = "";
        size_t length = 0;
        int32_t counts[OG_CLASSES_MAX];
        posterior_words(arm, game->node[i], words, sizeof words);
        og_arm_counts(arm, game->node[i], counts);
        for (int32_t k = 0; k < arm->outcome_count && length < sizeof labels; k++) {
            char label[16];
            label_words(arm, k, label, sizeof label);
            length += (size_t)snprintf(labels + length, sizeof labels - length, "%s%" PRId32 "%s%s",
                                       k > 0 ? "  " : "", counts[k],
                                       arm->outcome_count == 2 ? "" : " of class ", label);
        }
        table_cell(grid, "%" PRId32, i + 1);
        table_cell(grid, "%s", words);
        char call[32] = "-";
        if (og_arm_has_calls(arm) && arm->lattice) {
            snprintf(call, sizeof call, "%s",
                     og_arm_positive(arm, game->node[i]) ? "positive" : "negative");
        } else if (og_arm_has_calls(arm)) {
            char label[16];
            label_words(arm, og_arm_called(arm, game->node[i]), label, sizeof label);
            snprintf(call, sizeof call, "class %s", label);
        }
        table_cell(grid, "%s", call);
        table_cell(grid, "%s", labels);
    }
    table_print(grid, stdout);
    table_free(grid);
}

static void print_values(const og_practice *game)
{
    static const char *const headings[] = {"instance", "Q", "lost", ""};
    table *grid = table_new("rddl", headings);
    char number[NUMBER_TEXT_BYTES];
    for (int32_t i = 0; i < game->count; i++) {
        bool worse = og_practice_is_worse(game, i);
        table_cell(grid, "%" PRId32, i + 1);
        number_format_value(game->q[i], number);
        table_cell(grid, "%s", number);
        number_format_gap(worse ? game->best - game->q[i] : 0, 0, number);
        table_cell(grid, "%s", number);
        table_cell(grid, "%s", worse ? "" : "optimal");
    }
    table_print(grid, stdout);
    table_free(grid);
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
    char number[NUMBER_TEXT_BYTES];
    char words[16];
    label_words(game->arms->arm[game->arm[instance]], label, words, sizeof words);
    printf("Instance %" PRId32 ": the label says %s.\n", instance + 1, words);
    if (worse) {
        number_format_gap(lost, 0, number);
        printf("That choice cost %s expected correct calls; optimal: %s.\n\n", number, best);
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
    bool asked = false;
    while (status == OG_OK && game->left > 0) {
        int32_t instance = 0;
        if (!asked) {
            print_state(game);
            status = og_practice_ask(game, message);
            show_stage(NULL);
            asked = true;
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
            asked = false;
        }
    }
    return status;
}

static void print_end(const request *asked, const og_practice *game, double value)
{
    char cost[NUMBER_TEXT_BYTES];
    char number[NUMBER_TEXT_BYTES];
    print_state(game);
    number_format_value(value, number);
    number_format_gap(game->cost, 0, cost);
    printf("\n%s with %" PRId32
           " label%s left. Your choices cost %s expected correct calls in all; "
           "optimal play was worth %s of %" PRId32 " from the start.\n",
           game->left > 0 ? "Ended" : "Done", game->left, game->left == 1 ? "" : "s", cost, number,
           game->count);
    printf("The same labels again: --seed %" PRIu64 "\n", asked->seed);
}

static int run(request *asked)
{
    og_message message = {""};
    og_arms *arms = NULL;
    og_practice game = {.solver = NULL};
    og_settings settings = asked->settings;
    og_result result = {.value = 0};
    if (asked->seed == 0) {
        asked->seed = (uint64_t)time(NULL);
    }
    og_status status =
        og_arms_new(&asked->problem, settings.threads, settings.memory_bytes, &arms, &message);
    if (status == OG_OK) {
        show_stage("solving");
        status = og_practice_init(&game, arms, &settings, asked->seed, &message);
    }
    if (status == OG_OK) {
        status = og_solver_value(game.solver, &result, &message);
    }
    show_stage(NULL);
    if (status == OG_OK) {
        status = play(&game, &message);
    }
    if (status == OG_OK) {
        print_end(asked, &game, result.value);
    }
    og_practice_clear(&game);
    og_arms_free(arms);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
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
    .summary = "label by hand and hear what each choice cost",
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
