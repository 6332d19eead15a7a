/* play: the user labels, and the program shows the cost of each choice; optionally against a
 * policy. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/questions/second_player.h"
#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { LINE_BYTES = 256, STATE_BYTES = 1 << 16 };

typedef enum { CHOSEN, SHOWN, UNDONE, ENDED } answer;

/* The two players, who get the same labels. `other` NULL: there is only one. */
typedef struct {
    og_play *game;
    og_second_player *other;
    const char *name; /* of the other player */
    const char *unit;
} play_match;

/* Prints a paragraph, as wide as the terminal. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char text[4 * LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    og_document *document = og_document_new();
    og_show_paragraph(document, "%s", text);
    show_part(document);
}

static void print_state(const og_play *game)
{
    const og_family *family = game->family;
    og_document *document = og_document_new();
    if (family->words.show_state != NULL) {
        family->words.show_state(game->problem, game->state, document);
    } else {
        char *text = allocate(STATE_BYTES, 1);
        family->words.state_text(game->problem, game->state, text, STATE_BYTES);
        og_show_paragraph(document, "%s", text);
        free(text);
    }
    show_part(document);
}

/* Prints the possible choices with their numbers and values. */
static void print_acts(const og_play *game, bool values)
{
    const char *name = og_family_words_of(game->family).act_name;
    bool words = game->family->words.show_state == NULL;
    og_document *document = og_document_new();
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < game->count; i++) {
        char text[LINE_BYTES];
        bool worse = og_play_is_worse(game, i);
        og_document *row = og_put_object(rows, NULL);
        og_play_act_text(game, i, text, sizeof text);
        og_put_whole(row, "number", (uint64_t)i + 1);
        og_put_text(row, "text", text);
        og_put_result(row, "q", true, game->q[i]);
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

/* "2, 3": the optimal choices. */
static void best_words(const og_play *game, char words[LINE_BYTES])
{
    og_text out = og_text_begin(words, LINE_BYTES);
    for (int32_t i = 0; i < game->count && out.length + 16 < LINE_BYTES; i++) {
        if (!og_play_is_worse(game, i)) {
            og_text_add(&out, "%s%" PRId32, out.length > 0 ? ", " : "", i + 1);
        }
    }
}

static void print_hint(const og_play *game)
{
    char best[LINE_BYTES];
    best_words(game, best);
    say("Optimal: %s.", best);
}

/* True if values are sums of rewards: then there are acts, and no labels. */
static bool is_sum(const og_play *game)
{
    og_problem_size sizes;
    game->family->model.sizes(game->problem, &sizes);
    return sizes.metric.sum;
}

/* Reads one line of the player: the number of an act, or a letter. */
static answer read_choice(const og_play *game, int32_t *act)
{
    const char *name = og_family_words_of(game->family).act_name;
    char line[LINE_BYTES];
    printf("%" PRId32 " %s%s left. Which %s, 1 to %" PRId32 "? ", game->left,
           is_sum(game) ? "act" : "label", game->left == 1 ? "" : "s", name, game->count);
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
    if (strcmp(line, "h") == 0) {
        print_hint(game);
        return SHOWN;
    }
    if (strcmp(line, "u") == 0) {
        return UNDONE;
    }
    if (!og_number_parse(line, 1, game->count, &number)) {
        say("'%.40s' is not the number of %s %s; type a number, or ?, h, u or q.", line,
            strchr("aeiou", name[0]) != NULL ? "an" : "a", name);
        return SHOWN;
    }
    *act = (int32_t)number - 1;
    return CHOSEN;
}

/* Prints events until there is a choice; `name`: of whose game, NULL for the person's. */
static og_status await(og_play *game, const char *name, og_message *message)
{
    char said[LINE_BYTES];
    while (og_play_waits(game)) {
        OG_TRY(og_play_wait(game, said, sizeof said, message));
        if (name != NULL) {
            say("%s: %s.", name, said);
        } else {
            said[0] = (char)toupper(said[0]);
            say("%s.", said);
        }
    }
    return OG_OK;
}

/* Makes the choice, prints its outcome and cost, and waits for the next choice. */
static og_status take_turn(const play_match *match, int32_t act, og_message *message)
{
    og_play *game = match->game;
    char best[LINE_BYTES], text[LINE_BYTES], said[LINE_BYTES];
    bool worse = og_play_is_worse(game, act);
    double lost = game->best - game->q[act];
    best_words(game, best);
    og_play_act_text(game, act, text, sizeof text);
    OG_TRY(og_play_do(game, act, said, sizeof said, message));
    text[0] = (char)toupper(text[0]);
    say(said[0] == '\0'       ? "%s."
        : is_sum(match->game) ? "%s: then %s."
                              : "%s: the label says %s.",
        text, said);
    if (worse) {
        say("That choice cost %s expected %s; optimal: %s.", og_words_gap(lost, 0).text,
            match->unit, best);
    } else {
        say("That choice was optimal.");
    }
    return await(game, NULL, message);
}

/* The other player's turn, if its game is not over. */
static og_status answer_turn(const play_match *match, og_message *message)
{
    char act[LINE_BYTES], said[LINE_BYTES];
    og_second_player *other = match->other;
    if (other == NULL || og_second_player_is_over(other)) {
        return OG_OK;
    }
    OG_TRY(og_second_player_move(other, act, said, sizeof said, message));
    if (act[0] == '\0') {
        say("%s stops.", match->name);
        return OG_OK;
    }
    say(said[0] == '\0'        ? "%s chooses %s."
        : is_sum(&other->game) ? "%s chooses %s: then %s."
                               : "%s labels %s: the label says %s.",
        match->name, act, said);
    return await(&other->game, match->name, message);
}

static og_status undo(const play_match *match, og_message *message)
{
    og_second_player *other = match->other;
    int32_t done = match->game->done;
    if (done == 0) {
        say("There is nothing to undo.");
        return OG_OK;
    }
    if (other != NULL && (other->stopped == done || other->game.done == done)) {
        OG_TRY(og_second_player_undo(other, message));
    }
    OG_TRY(og_play_undo(match->game, message));
    say("The last choice is undone; the same choice gets the same label again.\n");
    return OG_OK;
}

static og_status turn(const play_match *match, int32_t act, og_message *message)
{
    OG_TRY(take_turn(match, act, message));
    OG_TRY(answer_turn(match, message));
    putchar('\n');
    show_stage(NULL);
    return OG_OK;
}

static og_status play(const play_match *match, og_message *message)
{
    og_play *game = match->game;
    bool prompted = false;
    if (!game->over) {
        say("Type the number of %s %s; h for a hint, ? for the value of each choice, u to undo, q "
            "to quit.\n",
            strchr("aeiou", og_family_words_of(game->family).act_name[0]) != NULL ? "an" : "a",
            og_family_words_of(game->family).act_name);
    }
    OG_TRY(await(game, NULL, message));
    OG_TRY(match->other != NULL ? await(&match->other->game, match->name, message) : OG_OK);
    while (!game->over) {
        int32_t act = 0;
        if (!prompted) {
            print_state(game);
            if (game->family->words.show_state == NULL) {
                print_acts(game, false);
            }
        }
        answer chosen = read_choice(game, &act);
        prompted = chosen == SHOWN;
        if (chosen == ENDED) {
            break;
        }
        if (chosen == CHOSEN) {
            OG_TRY(turn(match, act, message));
        } else if (chosen == UNDONE) {
            OG_TRY(undo(match, message));
        }
    }
    return OG_OK;
}

static const char *word_of(double right)
{
    return right > 0.5 ? "right" : right < 0.5 ? "wrong" : "half";
}

/* Prints the truth, and the correct calls of each player. */
static void print_truth(const play_match *match)
{
    double right[2] = {0, 0};
    int32_t count = og_second_player_instances(match->other);
    og_document *document = og_document_new();
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < count; i++) {
        og_revealed truth;
        og_document *row = og_put_object(rows, NULL);
        og_second_player_reveal(match->other, match->game, i, &truth);
        og_put_whole(row, "instance", (uint64_t)i + 1);
        og_show_cell(row, "soft", "%.3f", truth.soft);
        og_put_text(row, "truth", truth.text);
        og_put_text(row, "you", word_of(truth.right[0]));
        og_put_text(row, "other", word_of(truth.right[1]));
        right[0] += truth.right[0];
        right[1] += truth.right[1];
    }
    og_show_paragraph(document, "\nThe truth:");
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "instance", 'r', "instance", OG_SHOW_PLAIN);
    og_show_column(table, "soft label", 'r', "soft", OG_SHOW_PLAIN);
    og_show_column(table, "it is", 'l', "truth", OG_SHOW_PLAIN);
    og_show_column(table, "your call", 'l', "you", OG_SHOW_PLAIN);
    og_show_column(table, match->name, 'l', "other", OG_SHOW_PLAIN);
    og_show_paragraph(
        document,
        "You called %g of %" PRId32
        " right, %s %g. Its choices cost %s expected %s. One game is mostly luck: what counts is "
        "what is expected.",
        right[0], count, match->name, right[1], og_words_gap(match->other->game.cost, 0).text,
        match->unit);
    show_part(document);
}

static void print_end(const command_request *request, const play_match *match,
                      const og_problem_size *sizes)
{
    const og_play *game = match->game;
    char most[32] = "";
    if (!sizes->metric.share && !sizes->metric.amount) {
        snprintf(most, sizeof most, " of %" PRId64, sizes->decisions);
    }
    print_state(game);
    say("\n%s with %" PRId32 " %s%s left. Your choices cost %s expected %s in all; "
        "the optimal policy was worth %s%s from the start.",
        game->over ? "Done" : "Ended", game->left, sizes->metric.sum ? "act" : "label",
        game->left == 1 ? "" : "s", og_words_gap(game->cost, 0).text, sizes->metric.unit,
        og_words_value(game->value).text, most);
    if (match->other != NULL && match->other->reveals) {
        print_truth(match);
    } else if (match->other != NULL) {
        say("The choices of %s cost %s expected %s.", match->name,
            og_words_gap(match->other->game.cost, 0).text, sizes->metric.unit);
    }
    if (sizes->metric.sum && game->over) {
        say("You earned %s.", og_words_value(game->here.value).text);
    }
    if (sizes->metric.sum && match->other != NULL && match->other->game.over) {
        say("%s earned %s.", match->name, og_words_value(match->other->game.here.value).text);
    }
    say("The same %s again: --seed %" PRIu64, sizes->metric.sum ? "outcomes" : "labels",
        request->wish.ask.seed);
}

static og_status begin_match(const command_request *request, const og_asked *asked,
                             play_match *game, og_message *message)
{
    const og_policy_name *against =
        request->wish.policies_given ? &request->wish.policies[0] : NULL;
    show_stage("solving");
    og_status status = og_play_begin(asked->family, asked->problem, &asked->request.settings, NULL,
                                     request->wish.ask.seed, game->game, message);
    if (status == OG_OK && against != NULL) {
        status = og_second_player_begin(asked->family, asked->problem, &asked->request.settings,
                                        against, request->wish.ask.seed, game->other, message);
    }
    show_stage(NULL);
    if (against != NULL) {
        game->name = against->name;
    } else {
        game->other = NULL;
    }
    return status;
}

static og_status practise(og_asked *asked, og_message *message)
{
    command_request *request = asked->user;
    og_play game = {.family = NULL};
    og_second_player other = {.by = {.self = NULL}};
    play_match both = {.game = &game, .other = &other, .unit = asked->sizes.metric.unit};
    if (request->wish.ask.seed == 0) {
        request->wish.ask.seed = (uint64_t)time(NULL);
    }
    og_status status = begin_match(request, asked, &both, message);
    OG_THEN(status, play(&both, message));
    if (status == OG_OK) {
        print_end(request, &both, &asked->sizes);
    }
    og_play_clear(&game);
    og_second_player_clear(&other);
    return status;
}

static int run(command_request *request)
{
    static const og_question_kind kind = {.answer = practise, .no_document = true};
    static const question about = {
        .ask = &kind, .opens = true, .signals_end = true, .fail = fail_by_limit};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_budget_rows),
    OG_SEED_ROW("0",
                "seed of the labels; the same seed gives the same game. 0: a new game each time"),
    OG_OPTION(POLICY, "against", "NAME", command_request, wish.policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "policy that labels next to you, with the same labels",
              .help = "policy that plays next to you and gets the same labels",
              .count = offsetof(command_request, wish.policy_count),
              .given = offsetof(command_request, wish.policies_given)),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_play = {
    .name = "play",
    .summary = "choose labels by hand and see what each choice costs",
    .word = INSTANCE_WORDS("3x1,1"),
    .brief = "Choose labels by hand and see what each choice costs against the optimum.",
    .example = "  optgap play -T 8 3x1,1\n"
               "  optgap play -T 8 --against opt-kg 3x1,1",
    .notes = "Each line of input is the number of an instance, h for a hint, ? for the values\n"
             "of all choices, u to undo or q to quit.",
    .about = "A game for learning: you choose the instance to label, the label is drawn from the "
             "posterior, and the program shows the cost of your choice compared with the optimum.",
    .details = "Examples:\n"
               "\n"
               "  optgap play -T 8 3x1,1\n"
               "  optgap play -T 8 --against opt-kg 3x1,1\n"
               "\n"
               "Each line of input is the number of an instance, h for a hint, ? for the value of "
               "each choice, u to undo, or q to quit. Choices can also come from a file or a pipe. "
               "The cost of a choice is the largest Q minus the Q of this choice, in expected "
               "correct calls; it is 0 if both agree within the proved error.\n"
               "\n"
               "With --against the policy chooses after you. The n-th label of an instance is the "
               "same for both players. At the end the program says what the choices of each "
               "cost and, of Beta and Dirichlet priors, the truth about each instance and whose "
               "calls are right.\n"
               "\n"
               "Options such as --workers-prior or --features select other problem types. Then the "
               "possible choices are listed, a line of input is the number of one of them, and Q "
               "is the gain over the value without labels.",
    .options = options,
    .families = FAMILY_STATES,
    .run = run,
};
