/*
 * Layers of blocks over ranks, which are threads here. Any number of ranks, threads and numbers in
 * a message gives the bits of one process; the traffic equals the forecast; a rank that stops or
 * has too little memory ends all ranks with the same status.
 */
#include <time.h>
#include <unistd.h>

#include "bench/families/table.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/optimum/optimum.h"
#include "tests/question.h"
#include "tests/ranks.h"
#include "tests/support.h"

OG_SUITE(ranks, 60);

enum { RANKS_MOST = 7 };

/* Task and result of each rank. */
typedef struct {
    const og_arms *arms;
    const char *words;
    unsigned use;
    og_settings settings[RANKS_MOST];
    og_status status[RANKS_MOST];
    og_result result[RANKS_MOST];
    og_message message[RANKS_MOST];
    og_blocks_size size[RANKS_MOST];
} work;

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static work work_of(const question *q, unsigned use, int threads)
{
    work w = {.arms = q->arms, .words = q->words, .use = use};
    for (int i = 0; i < RANKS_MOST; i++) {
        w.settings[i] = question_settings(OG_REDUCE_ALL, threads);
    }
    return w;
}

static void by_blocks(void *user, const og_world *world)
{
    work *w = user;
    int i = world->rank;
    og_settings settings = w->settings[i];
    settings.world = world;
    OWN(og_blocks) *blocks = NULL;
    w->status[i] = og_blocks_new(w->arms, w->use, &settings, NULL, &blocks, &w->message[i]);
    if (w->status[i] == OG_OK) {
        og_blocks_get_size(blocks, &w->size[i]);
        w->status[i] = og_blocks_solve(blocks, &w->result[i], &w->message[i]);
    }
}

static void by_optimum(void *user, const og_world *world)
{
    work *w = user;
    int i = world->rank;
    og_settings settings = w->settings[i];
    settings.world = world;
    OWN(og_optimum) *optimum = NULL;
    w->status[i] = og_optimum_new(w->arms, &settings, &optimum, &w->message[i]);
    if (w->status[i] == OG_OK) {
        w->status[i] = og_optimum_value(optimum, &w->result[i], &w->message[i]);
    }
}

static void assert_same(const work *w, int ranks, const og_result *alone)
{
    for (int i = 0; i < ranks; i++) {
        question_ok(w->status[i], &w->message[i], w->words);
        const og_result *found = &w->result[i];
        test_assert_msg(
            same_bits(found->value, alone->value) && same_bits(found->gain, alone->gain) &&
                same_bits(found->error_bound, alone->error_bound) && found->states == alone->states,
            "%s: use %u, rank %d of %d: %.17g, %" PRIu64 " states; alone %.17g, %" PRIu64, w->words,
            w->use, i, ranks, found->value, found->states, alone->value, alone->states);
    }
}

static og_result solve_alone(const question *q, unsigned use)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result result = {0};
    question_ok(og_blocks_new(q->arms, use, &settings, NULL, &blocks, &message), &message,
                q->words);
    question_ok(og_blocks_solve(blocks, &result, &message), &message, q->words);
    og_blocks_free(blocks);
    return result;
}

OG_TEST(any_number_of_ranks_has_the_bits_of_one)
{
    uint64_t seed = test_seed(2301);
    random_source source = random_start(seed);
    static const unsigned uses[] = {0, OG_BLOCKS_FOLD, OG_BLOCKS_ALL, OG_BLOCKS_ALL,
                                    OG_BLOCKS_FOLD | OG_BLOCKS_CONTRACT};
    static const int parcels[] = {1, 3, 50, OG_WORLD_PARCEL};
    int64_t sent_in_all = 0;
    for (int round = 0; round < test_cases(200); round++) {
        OWN(question) q = question_of_any_kind(&source, seed, round);
        unsigned use = uses[round % 5];
        og_result alone = solve_alone(&q, use);
        int ranks = 2 + round % (RANKS_MOST - 1);
        work w = work_of(&q, use, 1 + round % 3);
        int64_t sent = ranks_run(ranks, parcels[round % 4], by_blocks, &w);
        assert_same(&w, ranks, &alone);
        for (int i = 0; i < ranks && q.arms->budget > 0; i++) {
            test_assert_msg(w.result[i].sent_bytes == 8 * (uint64_t)sent &&
                                w.size[i].sent_bytes == 8 * (double)sent &&
                                w.result[i].ranks == ranks && w.size[i].ranks == ranks &&
                                same_bits(w.size[i].bytes, w.size[0].bytes),
                            "%s: %d ranks sent %" PRId64 " numbers, foretold were %g bytes",
                            q.words, ranks, sent, w.size[i].sent_bytes);
        }
        sent_in_all += sent;
    }
    ck_assert_int_gt(sent_in_all, 0);
}

/* Layers large enough for threads; 1 to 4 ranks. */
OG_TEST_LOOP(large_layers_are_shared, 1, 5)
{
    static const struct {
        const char *words;
        int32_t budget;
    } rows[] = {{"10x1,1", 44}, {"4x1,1 3x2,1@0.4 1,2", 19}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(question) q = question_of(rows[i].words, rows[i].budget);
        og_result alone = solve_alone(&q, OG_BLOCKS_ALL);
        work w = work_of(&q, OG_BLOCKS_ALL, 2);
        ranks_run(_i, OG_WORLD_PARCEL, by_blocks, &w);
        assert_same(&w, _i, &alone);
    }
}

/* The more ranks, the less each holds and reads; the parts of all are the whole. */
OG_TEST(work_is_cut_evenly)
{
    OWN(question) q = question_of("10x1,1", 40);
    double before = INFINITY;
    for (int ranks = 2; ranks <= 64; ranks *= 2) {
        const og_world world = {.ranks = ranks, .parcel = 1};
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        og_blocks *blocks = NULL;
        og_blocks_size size, whole;
        bool exact = false;
        question_ok(og_optimum_forecast(q.arms, &settings, &whole, &exact, &message), &message,
                    q.words);
        settings.world = &world;
        question_ok(og_blocks_new(q.arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message),
                    &message, q.words);
        og_blocks_get_size(blocks, &size);
        ck_assert_msg(size.bytes < before, "%d ranks: %g bytes, %g before", ranks, size.bytes,
                      before);
        ck_assert(exact && size.states == whole.states && whole.ranks == 0);
        before = size.bytes;
        og_blocks_free(blocks);
        question_ok(og_optimum_forecast(q.arms, &settings, &whole, &exact, &message), &message,
                    q.words);
        ck_assert(exact && whole.ranks == ranks && same_bits(whole.sent_bytes, size.sent_bytes) &&
                  same_bits(whole.bytes, size.bytes));
    }
}

OG_TEST(the_optimum_is_the_same_over_ranks)
{
    static const struct {
        const char *words;
        int32_t budget;
        og_engine engine;
        og_objective objective;
    } rows[] = {{"3x1,1 2,1", 5, OG_ENGINE_AUTO, OG_OBJECTIVE_CALLS}, /* the recursion ends it */
                {"10x1,1", 36, OG_ENGINE_AUTO, OG_OBJECTIVE_CALLS},   /* blocks at once */
                {"20x1,1", 40, OG_ENGINE_AUTO, OG_OBJECTIVE_CALLS},   /* both in turn */
                {"4x1,1", 8, OG_ENGINE_BLOCKS, OG_OBJECTIVE_CALLS},
                {"2x1,1", 0, OG_ENGINE_BLOCKS, OG_OBJECTIVE_CALLS},
                {"3x1,1", 12, OG_ENGINE_BLOCKS, OG_OBJECTIVE_BANDIT}}; /* in place: rank 0 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(og_groups) problem;
        test_problem(rows[i].words, rows[i].budget, &problem);
        problem.objective = rows[i].objective;
        OWN(og_arms) *arms = question_arms(&problem, rows[i].words);
        work w = {.arms = arms, .words = rows[i].words};
        for (int rank = 0; rank < RANKS_MOST; rank++) {
            w.settings[rank] = question_settings(OG_REDUCE_ALL, 1);
            w.settings[rank].engine = rows[i].engine;
        }
        og_optimum *optimum = NULL;
        og_message message = {""};
        og_result alone = {0};
        question_ok(og_optimum_new(arms, &w.settings[0], &optimum, &message), &message, w.words);
        question_ok(og_optimum_value(optimum, &alone, &message), &message, w.words);
        og_optimum_free(optimum);
        for (int ranks = 1; ranks <= 4; ranks++) {
            ranks_run(ranks, 100, by_optimum, &w);
            assert_same(&w, ranks, &alone);
            for (int rank = 0; rank < ranks; rank++) {
                ck_assert_int_eq(w.result[rank].by_blocks, alone.by_blocks);
            }
        }
    }
}

/* Each layer begins so late that the watch is called in it, however fast the machine is. */
static int64_t fold_late(void *self, int64_t mine, og_world_fold how)
{
    const og_world *world = self;
    nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    return world->fold(world->self, mine, how);
}

static void tell_late(void *self, int from, void *data, size_t bytes)
{
    const og_world *world = self;
    world->tell(world->self, from, data, bytes);
}

static void swap_late(void *self, int to, const void *send, int send_count, int from, void *receive,
                      int receive_count)
{
    const og_world *world = self;
    world->swap(world->self, to, send, send_count, from, receive, receive_count);
}

static void by_late_blocks(void *user, const og_world *world)
{
    og_world late = *world, own = *world;
    late.self = &own;
    late.fold = fold_late;
    late.tell = tell_late;
    late.swap = swap_late;
    by_blocks(user, &late);
}

static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user;
    return progress->states == 0; /* not while types are counted */
}

/* Any rank may be the one that stops. */
OG_TEST(a_rank_that_stops_stops_all)
{
    OWN(question) q = question_of("10x1,1", 30);
    for (int which = 0; which < 3; which++) {
        work w = work_of(&q, OG_BLOCKS_ALL, 1);
        og_stop stop;
        w.settings[which].watch = stop_at_once;
        og_stop_take(&stop, &w.settings[which]);
        ranks_run(3, OG_WORLD_PARCEL, by_late_blocks, &w);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(w.status[i], OG_STOPPED);
            ck_assert_msg(strstr(w.message[i].text, "was stopped after") != NULL, "%s",
                          w.message[i].text);
            ck_assert_uint_eq(w.result[i].states, w.result[0].states);
            ck_assert(w.result[i].states > 0);
        }
    }
}

OG_TEST(a_rank_without_memory_ends_all)
{
    OWN(question) q = question_of("10x1,1", 48);
    for (int which = 0; which < 3; which++) {
        work w = work_of(&q, OG_BLOCKS_ALL, 1);
        for (int i = 0; i < 3; i++) {
            w.settings[i].engine = OG_ENGINE_BLOCKS;
        }
        w.settings[which].memory_bytes = 2 << 20;
        ranks_run(3, 100, by_optimum, &w);
        char whose[16] = "";
        if (which > 0) {
            snprintf(whose, sizeof whose, "rank %d: ", which);
        }
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(w.status[i], OG_STOPPED);
            ck_assert_msg(strncmp(w.message[i].text, whose, strlen(whose)) == 0 &&
                              strstr(w.message[i].text, "memory limit of 2.0 MB") != NULL,
                          "%s", w.message[i].text);
        }
    }
}

OG_TEST(what_ranks_cannot_share_is_refused)
{
    OWN(question) q = question_of("2x1,1", 3);
    static const char *const words[] = {"--scratch", "--checkpoint", "--engine recursion"};
    for (int which = 0; which < 3; which++) {
        work w = work_of(&q, OG_BLOCKS_ALL, 1);
        for (int i = 0; i < 2; i++) {
            w.settings[i].scratch = which == 0 ? "/tmp" : NULL;
            w.settings[i].checkpoint = which == 1 ? "/tmp/none" : NULL;
            w.settings[i].engine = which == 2 ? OG_ENGINE_RECURSION : OG_ENGINE_AUTO;
        }
        ranks_run(2, 100, by_optimum, &w);
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(w.status[i], OG_BAD_INPUT);
            ck_assert_msg(strstr(w.message[i].text, words[which]) != NULL, "%s", w.message[i].text);
        }
    }
}

static void no_swap(void *self, int to, const void *send, int send_count, int from, void *receive,
                    int receive_count)
{
    (void)self, (void)to, (void)send, (void)send_count, (void)from, (void)receive;
    ck_assert_int_eq(receive_count, 0);
}

/* Before a word of the problem is read. */
OG_TEST(families_without_blocks_are_refused)
{
    const og_world world = {.ranks = 2, .swap = no_swap};
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    const og_problem_text given = {.budget = -1, .left = -1};
    int32_t refused = 0;
    settings.world = &world;
    for (int32_t i = 0; og_families[i] != NULL; i++) {
        const og_family *family = og_families[i];
        og_message message = {""};
        void *problem = NULL;
        if (family->model.arms == NULL && !family->model.blocks) {
            ck_assert_int_eq(og_family_open(family, &given, &settings, &problem, &message),
                             OG_BAD_INPUT);
            ck_assert_msg(strstr(message.text, "omit mpirun") != NULL, "%s: %s", family->name,
                          message.text);
            refused++;
        }
    }
    ck_assert_int_gt(refused, 0);
}
