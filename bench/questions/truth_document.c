/* Writes the results under a truth: for each policy in JSON, and as tables for people. */
#include "bench/questions/truth_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/truth_grid.h"
#include "bench/words.h"
#include "dp/base/ties.h"
#include "dp/base/wide.h"

/* Limits of tables for people; larger ones are only for programs. */
enum { COLUMNS_MAX = 8, ROWS_MAX = 30, NUMBERS_MAX = 1000000 };

/* ---- for programs ---- */

static void put_by_instance(og_document *object, const char *name,
                            const og_characteristics *characteristics, const double *slot)
{
    og_document *array = og_put_array(object, name);
    for (int64_t i = 0; i < characteristics->instances; i++) {
        og_put_number(array, NULL, slot[characteristics->slot[i]]);
    }
}

static void put_fractions(og_document *object, const char *name, int64_t count, const int32_t *slot,
                          mpq_t *value)
{
    og_document *array = og_put_array(object, name);
    for (int64_t i = 0; i < count; i++) {
        og_put_fraction(array, NULL, value[slot != NULL ? slot[i] : i]);
    }
}

/* For each instance the probabilities of 0, 1, .. labels, up to the most that it can receive. */
static void put_laws(og_document *object, const og_characteristics *characteristics)
{
    if ((double)characteristics->instances * (characteristics->budget + 1.0) > NUMBERS_MAX) {
        og_put_null(object, "labels_law");
        return;
    }
    og_document *array = og_put_array(object, "labels_law");
    for (int64_t i = 0; i < characteristics->instances; i++) {
        const double *law = &characteristics->labels_law[(size_t)characteristics->slot[i] *
                                                         ((size_t)characteristics->budget + 1)];
        int32_t most = characteristics->budget;
        while (most > 0 && law[most] == 0) {
            most--;
        }
        og_document *one = og_put_array(array, NULL);
        for (int32_t n = 0; n <= most; n++) {
            og_put_number(one, NULL, law[n]);
        }
    }
}

static double regret_of(const og_comparison *found, const og_characteristics *characteristics)
{
    return found->informed.value - characteristics->mean;
}

static double regret_error(const og_comparison *found, const og_characteristics *characteristics)
{
    return found->informed.error + characteristics->mean_error +
           0x1p-53 * fabs(regret_of(found, characteristics));
}

static void put_exactly(og_document *object, const og_comparison *found,
                        const og_characteristics *characteristics)
{
    bool known = found->informed.is_exact;
    mpq_t regret;
    mpq_init(regret);
    if (known) {
        mpq_sub(regret, found->informed.exact, characteristics->moment[0]);
    }
    og_put_fraction(object, "mean_exact", characteristics->moment[0]);
    og_put_fraction(object, "variance_exact", characteristics->moment[1]);
    og_put_fraction(object, "regret_exact", known ? regret : NULL);
    put_fractions(object, "law_exact", characteristics->most + 1, NULL, characteristics->law_exact);
    if (characteristics->wrong != NULL) {
        put_fractions(object, "wrong_exact", characteristics->instances, characteristics->slot,
                      characteristics->wrong_exact);
    }
    put_fractions(object, "labels_exact", characteristics->instances, characteristics->slot,
                  characteristics->labels_exact);
    mpq_clear(regret);
}

static void put_price(og_document *object, const og_characteristics *characteristics, double value,
                      double error, mpq_srcptr exact)
{
    og_put_number(object, "price", value - characteristics->mean);
    og_put_number(object, "price_error_bound",
                  error + characteristics->mean_error + 0x1p-53 * value);
    if (exact != NULL) {
        mpq_t price;
        mpq_init(price);
        mpq_sub(price, exact, characteristics->moment[0]);
        og_put_fraction(object, "price_exact", price);
        mpq_clear(price);
    }
}

static void put_found(og_document *object, const og_comparison *found,
                      const og_characteristics *characteristics)
{
    og_put_number(object, "mean", characteristics->mean);
    og_put_result(object, "error_bound", true, characteristics->mean_error);
    og_put_number(object, "variance", characteristics->variance);
    og_put_number(object, "variance_error_bound", characteristics->variance_error);
    og_put_number(object, "regret", regret_of(found, characteristics));
    og_put_number(object, "regret_error_bound", regret_error(found, characteristics));
    og_put_number(object, "relative_error", characteristics->relative_error);
    og_put_numbers(object, "law", characteristics->law, (int32_t)characteristics->most + 1);
    if (characteristics->wrong != NULL) {
        put_by_instance(object, "wrong", characteristics, characteristics->wrong);
    }
    put_by_instance(object, "labels", characteristics, characteristics->labels);
    put_laws(object, characteristics);
    if (characteristics->moment != NULL) {
        put_exactly(object, found, characteristics);
    }
    og_put_whole(object, "states", characteristics->states);
    og_put_number(object, "seconds", characteristics->seconds);
}

void og_truth_put(og_document *object, const og_comparison *found, const og_compare_row *row)
{
    bool believed = found->under.believed != NULL;
    const char *name = believed ? "believed" : "truth";
    const char *limit = believed ? "believed_limit" : "truth_limit";
    const og_compare_truth *truth = row != NULL ? &row->truth : &found->optimal_truth;
    const og_result *value = row != NULL ? &row->result : &found->optimal;
    if (!truth->known) {
        og_put_null(object, name);
        og_put_text(object, limit, truth->message.text);
        return;
    }
    og_document *under = og_put_object(object, name);
    og_put_text(object, limit, NULL);
    put_found(under, found, &truth->found);
    if (believed) {
        put_price(under, &truth->found, value->value, value->error_bound,
                  !found->exact ? NULL
                  : row != NULL ? row->value_exact
                                : found->optimal_exact);
    }
}

/* ---- for people ---- */

/* The counted quantity in the words of tables and of their explanations. */
typedef struct {
    const char *column, *exactly, *chance, *expected;
    const char *shortfall, *short_by; /* column of regret_of, and its explanation */
} counted;

static const counted calls = {
    .column = "correct",
    .exactly = "correct exactly",
    .chance = "probability of so\nmany correct calls",
    .expected = "the expected correct calls",
    .shortfall = "wrong",
    .short_by = "Wrong: the expected wrong calls.",
};

static const counted bandit = {
    .column = "positive",
    .exactly = "positive exactly",
    .chance = "probability of so\nmany positive labels",
    .expected = "the expected positive labels",
    .shortfall = "regret",
    .short_by =
        "Regret: what all labels of the instance with the largest soft label would earn more.",
};

static const counted *counted_by(const og_asked *asked)
{
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    return og_arm_has_calls(arms->arm[0]) ? &calls : &bandit;
}

/* The players: the optimal policy and the given policies, with their values in the problem as
 * given. */
typedef struct {
    const og_compare_truth *truth;
    const char *name, *ties;
    double value, error;
} player;

typedef struct {
    const og_asked *asked;
    const og_comparison *found;
    int32_t count;
} truth_players;

static player player_at(const truth_players *players, int32_t i)
{
    if (i == 0) {
        const og_result *optimal = &players->found->optimal;
        return (player){&players->found->optimal_truth, "optimal", og_ties_name(OG_TIES_RANDOM),
                        optimal->value, optimal->error_bound};
    }
    const og_compare_row *row = &players->found->rows[i - 1];
    return (player){&row->truth, og_policy_name_shown(&players->asked->policies[row->policy]),
                    og_ties_name(row->ties), row->result.value, row->result.error_bound};
}

static void show_means(og_document *document, const truth_players *players)
{
    const counted *words = counted_by(players->asked);
    og_document *rows = og_show_rows(document);
    bool exact = players->found->exact;
    for (int32_t i = 0; i < players->count; i++) {
        player who = player_at(players, i);
        const og_characteristics *found = &who.truth->found;
        if (!who.truth->known) {
            continue;
        }
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "name", who.name);
        og_put_text(row, "ties", who.ties);
        og_put_number(row, "mean", found->mean);
        og_put_number(row, "deviation", sqrt(found->variance));
        og_put_number(row, "regret", regret_of(players->found, found));
        og_show_cell(row, "price", "%s",
                     og_words_gap(who.value - found->mean, who.error + found->mean_error).text);
        og_put_fraction(row, "exactly", found->moment != NULL ? found->moment[0] : NULL);
    }
    og_document *table = og_show_table(document, rows);
    bool believed = players->found->under.believed != NULL;
    og_show_column(table, believed ? "with the belief" : "under the truth", 'l', "name",
                   OG_SHOW_PLAIN);
    og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    og_show_column(table, words->column, 'd', "mean", OG_SHOW_VALUE);
    og_show_column(table, "standard\ndeviation", 'd', "deviation", OG_SHOW_GAP);
    og_show_column(table, words->shortfall, 'd', "regret", OG_SHOW_GAP);
    if (believed) {
        og_show_column(table, "price of\nthe belief", 'd', "price", OG_SHOW_PLAIN);
    }
    if (exact) {
        og_show_column(table, words->exactly, 'l', "exactly", OG_SHOW_FRACTION);
    }
}

/* Add a column for each player; cells are named "0", "1", .. */
static void show_columns(og_document *table, const truth_players *players)
{
    for (int32_t i = 0; i < players->count; i++) {
        player who = player_at(players, i);
        char heading[OG_POLICY_NAME_BYTES + 16], name[16];
        bool several = players->asked->request.ties_count > 1 && i > 0;
        snprintf(heading, sizeof heading, "%s%s%s", who.name, several ? "\n" : "",
                 several ? who.ties : "");
        snprintf(name, sizeof name, "%" PRId32, i);
        if (who.truth->known) {
            og_show_column(table, heading, 'd', name, OG_SHOW_PLAIN);
        }
    }
}

static void show_number(og_document *row, int32_t i, double value)
{
    char name[16];
    snprintf(name, sizeof name, "%" PRId32, i);
    og_show_cell(row, name, "%s", og_words_gap(value, 0).text);
}

static void show_law(og_document *document, const truth_players *players, int64_t most)
{
    og_document *rows = og_show_rows(document);
    for (int64_t k = 0; k <= most; k++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_whole(row, "so many", (uint64_t)k);
        for (int32_t i = 0; i < players->count; i++) {
            player who = player_at(players, i);
            if (who.truth->known) {
                show_number(row, i, who.truth->found.law[k]);
            }
        }
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, counted_by(players->asked)->chance, 'r', "so many", OG_SHOW_PLAIN);
    show_columns(table, players);
}

/* True if the next instance has the same results for all players and the same truth. */
static bool goes_on(const truth_players *players, int64_t at)
{
    const og_truth *truth = players->found->under.truth;
    for (int32_t i = 0; i < players->count; i++) {
        const og_compare_truth *by = player_at(players, i).truth;
        if (by->known && by->found.slot[at] != by->found.slot[at + 1]) {
            return false;
        }
    }
    return truth == NULL || truth->kind != OG_TRUTH_LIST ||
           og_fraction_compare(truth->soft[at], truth->soft[at + 1]) == 0;
}

/* Add rows for runs of equal instances and return their number. `labels`: show labels, else wrong
 * calls. */
static int32_t put_instances(og_document *rows, const truth_players *players, int64_t instances,
                             bool labels)
{
    const og_truth *truth = players->found->under.truth;
    int32_t count = 0;
    for (int64_t first = 0, last; first < instances && count <= ROWS_MAX; first = last + 1) {
        char soft[48];
        for (last = first; last + 1 < instances && goes_on(players, last); last++) {
        }
        og_document *row = og_put_object(rows, NULL);
        og_show_cell(row, "instance", "%" PRId64, first + 1);
        if (last > first) {
            og_show_cell(row, "instance", "-%" PRId64, last + 1);
        }
        if (truth != NULL && truth->kind == OG_TRUTH_LIST) {
            og_fraction_format(truth->soft[first], soft, sizeof soft);
            og_show_cell(row, "truth", "%s", soft);
        }
        for (int32_t i = 0; i < players->count; i++) {
            player who = player_at(players, i);
            const og_characteristics *found = &who.truth->found;
            if (who.truth->known) {
                show_number(row, i, (labels ? found->labels : found->wrong)[found->slot[first]]);
            }
        }
        count++;
    }
    return count;
}

static void show_instances(og_document *document, const truth_players *players, int64_t instances,
                           bool labels)
{
    og_document *rows = og_show_rows(document);
    if (put_instances(rows, players, instances, labels) > ROWS_MAX) {
        return;
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, labels ? "expected\nlabels" : "probability of\na wrong call", 'r',
                   "instance", OG_SHOW_PLAIN);
    const og_truth *truth = players->found->under.truth;
    if (truth != NULL && truth->kind == OG_TRUTH_LIST) {
        og_show_column(table, "truth", 'd', "truth", OG_SHOW_PLAIN);
    }
    show_columns(table, players);
}

static void show_unknown(og_document *document, const truth_players *players)
{
    for (int32_t i = 0; i < players->count; i++) {
        player who = player_at(players, i);
        if (!who.truth->known) {
            og_show_paragraph(document, "Not followed: %s (%s): %s.", who.name, who.ties,
                              who.truth->message.text);
        }
    }
}

/* The results of one player; NULL if there are none. */
static const og_characteristics *known_of(const og_asked *asked, const og_comparison *found)
{
    const truth_players players = {asked, found, found->row_count + 1};
    const og_characteristics *known = NULL;
    for (int32_t i = 0; i < players.count; i++) {
        const og_compare_truth *truth = player_at(&players, i).truth;
        known = truth->known ? &truth->found : known;
    }
    return known;
}

static bool goes_by_value(const og_asked *asked)
{
    for (int32_t i = 0; i < asked->request.ties_count; i++) {
        if (og_ties_by_value(asked->request.ties[i])) {
            return true;
        }
    }
    return false;
}

void og_truth_legend(og_document *document, const og_asked *asked, const og_comparison *found)
{
    const counted *words = counted_by(asked);
    bool believed = found->under.believed != NULL;
    if (known_of(asked, found) == NULL) {
        return;
    }
    og_show_paragraph(
        document,
        "%s (%s): %s if %s. %s%s Optimal: the policy that is "
        "optimal for the assumed prior.%s",
        believed ? "With the belief" : "Under the truth", og_compare_under_text(asked),
        words->expected,
        believed ? "policies assume this prior, but INSTANCE is true"
                 : "this is true and policies assume INSTANCE",
        words->short_by, believed ? " Price of the belief: the value above minus this one." : "",
        goes_by_value(asked) ? " Ties best and worst: the tie-breaker knows the truth." : "");
}

void og_truth_show(og_document *document, const og_asked *asked, const og_comparison *found)
{
    const truth_players players = {asked, found, found->row_count + 1};
    const og_characteristics *known = known_of(asked, found);
    if (known != NULL) {
        show_means(document, &players);
    }
    if (known != NULL && players.count <= COLUMNS_MAX) {
        if (known->most <= ROWS_MAX) {
            show_law(document, &players, known->most);
        }
        if (known->wrong != NULL) {
            show_instances(document, &players, known->instances, false);
        }
        show_instances(document, &players, known->instances, true);
    }
    show_unknown(document, &players);
}

/* ---- a grid of truths ---- */

/* "0.3", or if instances differ "0.2,0.5". */
static void format_soft(const og_truth *truth, char *text, size_t size)
{
    og_text out = og_text_begin(text, size);
    bool alike = true;
    for (int64_t i = 1; i < truth->count; i++) {
        alike = alike && og_fraction_compare(truth->soft[i], truth->soft[0]) == 0;
    }
    for (int64_t i = 0; i < (alike ? 1 : truth->count); i++) {
        char soft[48];
        og_fraction_format(truth->soft[i], soft, sizeof soft);
        og_text_add(&out, "%s%s", i > 0 ? "," : "", soft);
    }
}

static void put_point(og_document *parent, const char *name, const og_compare_point *point)
{
    if (!point->known) {
        og_put_null(parent, name);
        return;
    }
    og_document *object = og_put_object(parent, name);
    og_put_number(object, "mean", point->mean);
    og_put_result(object, "error_bound", true, point->error);
    og_put_number(object, "variance", point->variance);
}

void og_truth_grid_put(og_document *document, const og_comparison *found)
{
    og_document *truths = og_put_array(document, "truths");
    const og_compare_point *point = found->grid;
    for (int32_t i = 0; i < found->under.grid_count; i++, point += found->row_count + 1) {
        const og_truth *truth = &found->under.grid[i];
        char words[OG_POINT_BYTES];
        og_document *row = og_put_object(truths, NULL);
        format_soft(truth, words, sizeof words);
        og_document *soft = og_put_array(row, "truth");
        for (int64_t k = 0; k < truth->count; k++) {
            og_put_number(soft, NULL, og_fraction_double(truth->soft[k]));
        }
        og_show_cell(row, "truth", "%s", words);
        og_document *policies = og_put_array(row, "policies");
        for (int32_t k = 0; k < found->row_count; k++) {
            put_point(policies, NULL, &point[k]);
        }
        put_point(row, "optimal", &point[found->row_count]);
        for (int32_t k = 0; k <= found->row_count; k++) {
            char key[32];
            const og_compare_point *at = &point[k == 0 ? found->row_count : k - 1];
            snprintf(key, sizeof key, "column%" PRId32, k);
            og_show_cell(row, key, "%s", at->known ? og_words_value(at->mean).text : "-");
        }
    }
}

void og_truth_grid_show(og_document *document, const og_asked *asked, const og_comparison *found,
                        const og_document *truths)
{
    const truth_players players = {asked, found, found->row_count + 1};
    if (players.count > COLUMNS_MAX) {
        og_show_paragraph(document, "More policies than a table has columns; use --json.");
        return;
    }
    const counted *words = counted_by(asked);
    og_document *table = og_show_table(document, truths);
    og_show_column(table, "truth", 'l', "truth", OG_SHOW_PLAIN);
    for (int32_t k = 0; k < players.count; k++) {
        char key[32], heading[OG_POLICY_NAME_BYTES + 32];
        player who = player_at(&players, k);
        snprintf(key, sizeof key, "column%" PRId32, k);
        snprintf(heading, sizeof heading, "%s\n%s", who.name,
                 asked->request.ties_count > 1 ? who.ties : words->column);
        og_show_column(table, heading, 'd', key, OG_SHOW_PLAIN);
    }
}

void og_truth_grid_legend(og_document *document, const og_asked *asked, const og_comparison *found)
{
    if (found->row_count + 1 > COLUMNS_MAX) {
        return;
    }
    const counted *words = counted_by(asked);
    og_problem_size sizes;
    asked->family->model.sizes(asked->problem, &sizes);
    og_show_paragraph(document,
                      "Under each truth of %s: %s of %" PRId64
                      " if this is the soft label of every instance, or of each in turn, and "
                      "policies assume INSTANCE. Optimal: the policy that is optimal for the "
                      "assumed prior.",
                      og_compare_under_text(asked), words->expected,
                      words == &bandit ? (int64_t)sizes.left : found->under.grid[0].count);
}
