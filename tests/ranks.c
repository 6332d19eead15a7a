/* Ranks as threads: a lock, and a letter box for each pair of them. */
#include "tests/ranks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *words; /* NULL: empty */
    int count;
} box;

typedef struct {
    int ranks;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    box *box; /* [from][to] */
    int64_t sent;
    /* A meeting of all: */
    int here;
    uint64_t meeting;
    int64_t folded, answer;
    void *told;
} square;

typedef struct {
    og_world world;
    square *on;
    rank_work *work;
    void *user;
} person;

static void fail_if(bool failed)
{
    if (failed) {
        abort();
    }
}

/* The last one to come opens the door. */
static void meet(square *on)
{
    uint64_t meeting = on->meeting;
    if (++on->here == on->ranks) {
        on->here = 0;
        on->answer = on->folded;
        on->meeting++;
        pthread_cond_broadcast(&on->changed);
    }
    while (meeting == on->meeting) {
        pthread_cond_wait(&on->changed, &on->lock);
    }
}

static int64_t fold(void *self, int64_t mine, og_world_fold how)
{
    person *p = self;
    square *on = p->on;
    pthread_mutex_lock(&on->lock);
    bool first = on->here == 0;
    bool least = how == OG_WORLD_LEAST;
    on->folded = first ? mine : !least ? on->folded + mine : mine < on->folded ? mine : on->folded;
    meet(on);
    int64_t answer = on->answer;
    meet(on); /* no rank starts the next before all have read this one */
    pthread_mutex_unlock(&on->lock);
    return answer;
}

static void tell(void *self, int from, void *data, size_t bytes)
{
    person *p = self;
    square *on = p->on;
    pthread_mutex_lock(&on->lock);
    if (p->world.rank == from) {
        on->told = data;
    }
    meet(on);
    if (p->world.rank != from) {
        memcpy(data, on->told, bytes);
    }
    meet(on);
    pthread_mutex_unlock(&on->lock);
}

static void swap(void *self, int to, const void *send, int send_count, int from, void *receive,
                 int receive_count)
{
    person *p = self;
    square *on = p->on;
    int me = p->world.rank;
    box *out = &on->box[me * on->ranks + to], *in = &on->box[from * on->ranks + me];
    fail_if(to == me || from == me || send_count > p->world.parcel);
    pthread_mutex_lock(&on->lock);
    if (send_count > 0) {
        *out = (box){send, send_count};
        on->sent += send_count;
        pthread_cond_broadcast(&on->changed);
    }
    if (receive_count > 0) {
        while (in->words == NULL) {
            pthread_cond_wait(&on->changed, &on->lock);
        }
        fail_if(in->count != receive_count);
        memcpy(receive, in->words, (size_t)receive_count * sizeof(uint64_t));
        in->words = NULL;
        pthread_cond_broadcast(&on->changed);
    }
    while (send_count > 0 && out->words != NULL) {
        pthread_cond_wait(&on->changed, &on->lock);
    }
    pthread_mutex_unlock(&on->lock);
}

static void *live(void *self)
{
    person *p = self;
    p->work(p->user, &p->world);
    return NULL;
}

int64_t ranks_run(int ranks, int parcel, rank_work *work, void *user)
{
    square on = {.ranks = ranks};
    pthread_mutex_init(&on.lock, NULL);
    pthread_cond_init(&on.changed, NULL);
    on.box = calloc((size_t)ranks * (size_t)ranks, sizeof *on.box);
    person *people = calloc((size_t)ranks, sizeof *people);
    pthread_t *threads = calloc((size_t)ranks, sizeof *threads);
    fail_if(on.box == NULL || people == NULL || threads == NULL);
    for (int i = 0; i < ranks; i++) {
        people[i] = (person){.on = &on, .work = work, .user = user};
        people[i].world = (og_world){.rank = i,
                                     .ranks = ranks,
                                     .self = &people[i],
                                     .fold = fold,
                                     .tell = tell,
                                     .parcel = parcel,
                                     .swap = swap};
        fail_if(pthread_create(&threads[i], NULL, live, &people[i]) != 0);
    }
    for (int i = 0; i < ranks; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_mutex_destroy(&on.lock);
    pthread_cond_destroy(&on.changed);
    free(on.box);
    free(people);
    free(threads);
    return on.sent;
}
