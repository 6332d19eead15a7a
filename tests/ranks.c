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

/* A message on its way. */
typedef struct letter letter;
struct letter {
    letter *next;
    int from, to;
    size_t bytes;
    char data[];
};

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
    letter *first; /* in the order of sending */
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

static void send(void *self, int to, const void *data, size_t bytes)
{
    person *p = self;
    letter *l = malloc(sizeof *l + bytes);
    fail_if(l == NULL);
    *l = (letter){.from = p->world.rank, .to = to, .bytes = bytes};
    memcpy(l->data, data, bytes);
    pthread_mutex_lock(&p->on->lock);
    letter **end = &p->on->first;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = l;
    pthread_cond_broadcast(&p->on->changed);
    pthread_mutex_unlock(&p->on->lock);
}

/* The first to this one, of a rank or, below 0, of any. */
static letter **first_of(const person *p, int from)
{
    letter **at = &p->on->first;
    while (*at != NULL && ((*at)->to != p->world.rank || (from >= 0 && (*at)->from != from))) {
        at = &(*at)->next;
    }
    return at;
}

static size_t await(void *self, int *from)
{
    person *p = self;
    pthread_mutex_lock(&p->on->lock);
    while (*first_of(p, -1) == NULL) {
        pthread_cond_wait(&p->on->changed, &p->on->lock);
    }
    const letter *l = *first_of(p, -1);
    *from = l->from;
    size_t bytes = l->bytes;
    pthread_mutex_unlock(&p->on->lock);
    return bytes;
}

static void receive(void *self, int from, void *data, size_t bytes)
{
    person *p = self;
    pthread_mutex_lock(&p->on->lock);
    letter **at = first_of(p, from), *l = *at;
    fail_if(l == NULL || l->bytes != bytes);
    *at = l->next;
    pthread_mutex_unlock(&p->on->lock);
    memcpy(data, l->data, bytes);
    free(l);
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
                                     .swap = swap,
                                     .send = send,
                                     .await = await,
                                     .receive = receive};
        fail_if(pthread_create(&threads[i], NULL, live, &people[i]) != 0);
    }
    for (int i = 0; i < ranks; i++) {
        pthread_join(threads[i], NULL);
    }
    fail_if(on.first != NULL); /* all messages were read */
    pthread_mutex_destroy(&on.lock);
    pthread_cond_destroy(&on.changed);
    free(on.box);
    free(people);
    free(threads);
    return on.sent;
}
