/*
 * Cells are asked by children, one after the other, which run their commands and send what these
 * printed. So a cell has all that a command has, and one that is killed takes no other with it.
 * Children leave Ctrl-C to their parent, and end with it: a signal of its own stops a command,
 * which then ends the programs that it has started, and is no answer.
 */
#include "tools/sweep/cells.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dp/base/clock.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { WAIT_MILLISECONDS = 100, CHUNK_BYTES = 1 << 16, EXTRA_WORDS = 8, NUMBER_BYTES = 48 };
enum { END_SIGNAL = SIGUSR1 }; /* from the parent */

static const double end_seconds = 3; /* for the programs that a command has started */

/* What a child is asked, and what it sends first; then the bytes of both outputs. */
typedef struct {
    int64_t cell;
    int32_t threads;
    bool alone; /* with all memory */
} order;

typedef struct {
    int32_t code; /* exit status */
    uint32_t output, errors;
} answer_head;

typedef struct {
    pid_t process;       /* 0: none */
    int orders, answers; /* ends of pipes */
    int64_t cell;        /* -1: it waits */
    bool alone;
    char *text; /* [length] of the answer so far; owned */
    size_t length, room;
} child;

typedef struct {
    const cells_work *work;
    child *child;   /* [work->threads] */
    int64_t next;   /* cell */
    int64_t *again; /* [again_count] cells that need all memory; owned */
    int64_t again_count, again_next;
    int32_t running; /* cells */
    cells_done *out;
    og_message *message;
} pool;

void cell_clear(cell *one)
{
    for (int32_t i = 0; i < one->count; i++) {
        free(one->word[i]);
    }
    free(one->word);
    free(one->key);
}

char *cell_line(const command *asked, const cell *one)
{
    char **argv = allocate((size_t)one->count + 1, sizeof *argv);
    argv[0] = (char *)asked->name;
    memcpy(argv + 1, one->word, (size_t)one->count * sizeof *argv);
    char *line = options_line(one->count + 1, argv);
    free(argv);
    return line;
}

/* ---- in a child ---- */

static bool read_all(int from, void *bytes, size_t count)
{
    char *to = bytes;
    ssize_t now = 0;
    while (count > 0 && ((now = read(from, to, count)) > 0 || (now < 0 && errno == EINTR))) {
        to += now > 0 ? now : 0;
        count -= now > 0 ? (size_t)now : 0;
    }
    return count == 0;
}

static bool write_all(int to, const void *bytes, size_t count)
{
    const char *from = bytes;
    ssize_t now = 0;
    while (count > 0 && ((now = write(to, from, count)) >= 0 || errno == EINTR)) {
        from += now > 0 ? now : 0;
        count -= now > 0 ? (size_t)now : 0;
    }
    return count == 0;
}

/* Runs a cell's command with its shares; returns its exit status. */
static int run_cell(const cells_work *work, const order *asked)
{
    const cell *one = &work->cell[asked->cell];
    char threads[NUMBER_BYTES], memory[NUMBER_BYTES], seconds[NUMBER_BYTES];
    const char *shares[] = {work->asked->name, "--json", "--quiet", threads, memory, seconds};
    int argc = work->seconds_max > 0 ? 6 : 5;
    char **argv = allocate((size_t)one->count + EXTRA_WORDS, sizeof *argv);
    snprintf(threads, NUMBER_BYTES, "--threads=%" PRId32, asked->threads);
    snprintf(memory, NUMBER_BYTES, "--memory=%" PRIu64,
             work->memory_bytes / (uint64_t)(asked->alone ? 1 : work->threads));
    snprintf(seconds, NUMBER_BYTES, "--time-limit=%.17g", work->seconds_max);
    memcpy(argv, shares, (size_t)argc * sizeof *argv);
    memcpy(argv + argc, one->word, (size_t)one->count * sizeof *argv);
    int code = work->run(work->asked, argc + one->count, argv);
    free(argv);
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? code : EXIT_FAILED;
}

/* Sends the content of a file in memory, and empties it. */
static bool send_content(int to, int from, size_t size)
{
    void *text = size > 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, from, 0) : NULL;
    bool sent = text != MAP_FAILED && write_all(to, text, size);
    if (size > 0 && text != MAP_FAILED) {
        munmap(text, size);
    }
    return sent && ftruncate(from, 0) == 0 && lseek(from, 0, SEEK_SET) == 0;
}

/* Answers orders until there are no more. */
static void work_on(const cells_work *work, int orders, int back)
{
    order asked;
    int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    progress_stop_on(END_SIGNAL);
    prctl(PR_SET_PDEATHSIG, END_SIGNAL);
    bool good = dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0;
    while (good && read_all(orders, &asked, sizeof asked)) {
        answer_head head = {.code = run_cell(work, &asked)};
        if (progress_interrupted()) {
            break;
        }
        head.output = (uint32_t)lseek(output, 0, SEEK_END);
        head.errors = (uint32_t)lseek(errors, 0, SEEK_END);
        good = write_all(back, &head, sizeof head) && send_content(back, output, head.output) &&
               send_content(back, errors, head.errors);
    }
    _exit(good ? EXIT_RESULT : EXIT_FAILED);
}

/* ---- children ---- */

static og_status start_child(pool *p, child *at)
{
    int orders[2] = {-1, -1}, back[2] = {-1, -1};
    pid_t process = pipe2(orders, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0 ? fork() : -1;
    int reason = errno;
    if (process == 0) {
        close(orders[1]);
        work_on(p->work, orders[0], back[1]);
    }
    const int unused[] = {orders[0], back[1], process < 0 ? orders[1] : -1,
                          process < 0 ? back[0] : -1};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (unused[i] >= 0) {
            close(unused[i]);
        }
    }
    if (process < 0) {
        return og_message_set(p->message, OG_FAILED, "no process can be started for cells: %s",
                              strerror(reason));
    }
    *at = (child){.process = process, .orders = orders[1], .answers = back[0], .cell = -1};
    return OG_OK;
}

/* Ends a child and empties its place; returns how it ended. */
static int end_child(child *at)
{
    int how = 0;
    kill(at->process, SIGKILL);
    while (waitpid(at->process, &how, 0) < 0 && errno == EINTR) {
    }
    close(at->orders);
    close(at->answers);
    free(at->text);
    *at = (child){.process = 0};
    return how;
}

/* Ends all children; those at work end their programs first. */
static void end_children(pool *p)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    double deadline = og_seconds() + end_seconds;
    for (int32_t i = 0; i < p->work->threads; i++) {
        if (p->child[i].process > 0 && p->child[i].cell >= 0) {
            kill(p->child[i].process, END_SIGNAL);
        }
    }
    for (int32_t i = 0; i < p->work->threads; i++) {
        const child *at = &p->child[i];
        siginfo_t how = {0};
        while (at->process > 0 && at->cell >= 0 && og_seconds() < deadline &&
               waitid(P_PID, (id_t)at->process, &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               how.si_pid == 0) {
            nanosleep(&nap, NULL);
        }
        if (at->process > 0) {
            end_child(&p->child[i]);
        }
    }
}

/* Gives a child the next cell. */
static og_status give_cell(pool *p, child *at, int64_t number, bool alone)
{
    int64_t left = p->work->count - number;
    const order asked = {.cell = number,
                         .alone = alone,
                         .threads = alone                     ? p->work->threads
                                    : left < p->work->threads ? p->work->threads / (int32_t)left
                                                              : 1};
    if (at->process == 0) {
        OG_TRY(start_child(p, at));
    }
    at->cell = number;
    at->alone = alone;
    at->length = 0;
    p->running++;
    bool sent = write_all(at->orders, &asked, sizeof asked);
    (void)sent; /* a child that ended is seen when its answer is read */
    return OG_OK;
}

/* ---- answers ---- */

/* The first line on standard error, without the program's name. */
static void read_error(const char *text, char words[OG_MESSAGE_BYTES])
{
    static const char name[] = "optgap: ";
    bool named = strncmp(text, name, sizeof name - 1) == 0;
    const char *from = named ? text + sizeof name - 1 : text;
    snprintf(words, OG_MESSAGE_BYTES, "%.*s", (int)strcspn(from, "\n"), from);
}

static og_status cell_failed(pool *p, int64_t number, int code, const char *errors)
{
    char error[OG_MESSAGE_BYTES];
    char *line = cell_line(p->work->asked, &p->work->cell[number]);
    read_error(errors, error);
    og_status status = og_message_set(p->message, code == EXIT_USAGE ? OG_BAD_INPUT : OG_FAILED,
                                      "%.200s: %s", line + strlen("optgap "),
                                      error[0] != '\0' ? error : "its output could not be kept");
    free(line);
    return status;
}

static og_status child_died(pool *p, child *at)
{
    char *line = cell_line(p->work->asked, &p->work->cell[at->cell]);
    p->running--;
    int how = end_child(at);
    og_status status = og_message_set(p->message, OG_FAILED, "%.200s: its process ended with %s %d",
                                      line, WIFSIGNALED(how) ? "signal" : "status",
                                      WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    free(line);
    return status;
}

/* Why a limit ended it: the limit that its document names, else its message. */
static void stop_words(const char *output, const char *errors, char words[OG_MESSAGE_BYTES])
{
    static const char key[] = "\"limit\": \"";
    const char *found = strstr(output, key);
    if (found != NULL) {
        found += sizeof key - 1;
        snprintf(words, OG_MESSAGE_BYTES, "%.*s", (int)strcspn(found, "\""), found);
    } else {
        read_error(errors, words);
    }
}

/* Stores a whole answer. */
static og_status take_answer(pool *p, child *at, const answer_head *head)
{
    char stopped[OG_MESSAGE_BYTES];
    char *output = at->text + sizeof *head;
    char *errors = output + head->output + 1;
    memmove(errors, errors - 1, head->errors);
    output[head->output] = errors[head->errors] = '\0';
    int64_t number = at->cell;
    at->cell = -1;
    p->running--;
    if (head->code != EXIT_RESULT && head->code != EXIT_LIMIT) {
        return cell_failed(p, number, head->code, errors);
    }
    bool limited = head->code == EXIT_LIMIT;
    if (limited) {
        stop_words(output, errors, stopped);
        if (!at->alone && p->work->threads > 1 && strstr(stopped, "memory") != NULL) {
            p->again[p->again_count++] = number;
            return OG_OK;
        }
    }
    OG_TRY(answers_add(p->work->into, p->work->cell[number].key, limited ? stopped : NULL,
                       head->output > 0 ? output : NULL, p->message));
    p->out->done++;
    p->out->stopped += limited;
    return OG_OK;
}

/* Reads what the child has sent. */
static og_status read_answer(pool *p, child *at)
{
    if (at->room - at->length < CHUNK_BYTES) {
        at->room = 2 * at->room + 2 * CHUNK_BYTES;
        at->text = grow(at->text, at->room, 1);
    }
    /* Two bytes are left for the ends of both texts. */
    ssize_t count = read(at->answers, at->text + at->length, at->room - at->length - 2);
    if (count < 0 && errno == EINTR) {
        return OG_OK;
    }
    if (count <= 0) {
        return child_died(p, at);
    }
    answer_head head;
    at->length += (size_t)count;
    memcpy(&head, at->text, sizeof head);
    bool whole =
        at->length >= sizeof head && at->length == sizeof head + (size_t)head.output + head.errors;
    return whole ? take_answer(p, at, &head) : OG_OK;
}

/* ---- the pool ---- */

/* Gives cells to children that wait. */
static og_status give_cells(pool *p)
{
    const cells_work *work = p->work;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < work->threads && p->next < work->count; i++) {
        if (p->child[i].process == 0 || p->child[i].cell < 0) {
            status = give_cell(p, &p->child[i], p->next++, false);
        }
    }
    if (status == OG_OK && p->running == 0 && p->again_next < p->again_count) {
        status = give_cell(p, &p->child[0], p->again[p->again_next++], true);
    }
    return status;
}

/* Waits until a child has written or a tenth of a second is over. */
static og_status wait_for_answers(pool *p)
{
    og_status status = OG_OK;
    struct pollfd *wait = allocate((size_t)p->work->threads, sizeof *wait);
    for (int32_t i = 0; i < p->work->threads; i++) {
        bool works = p->child[i].process > 0 && p->child[i].cell >= 0;
        wait[i] = (struct pollfd){.fd = works ? p->child[i].answers : -1, .events = POLLIN};
    }
    if (poll(wait, (nfds_t)p->work->threads, WAIT_MILLISECONDS) > 0) {
        for (int32_t i = 0; status == OG_OK && i < p->work->threads; i++) {
            if (wait[i].fd >= 0 && wait[i].revents != 0) {
                status = read_answer(p, &p->child[i]);
            }
        }
    }
    free(wait);
    return status;
}

static bool has_more(const pool *p)
{
    return p->next < p->work->count || p->again_next < p->again_count;
}

static void show_count(const pool *p)
{
    char words[NUMBER_BYTES + 32];
    snprintf(words, sizeof words, "%" PRId64 " of %" PRId64 " cells", p->out->done, p->work->count);
    show_stage(words);
}

og_status cells_ask(const cells_work *work, cells_done *out, og_message *message)
{
    pool p = {.work = work, .out = out, .message = message};
    og_status status = OG_OK;
    *out = (cells_done){0};
    p.child = allocate((size_t)work->threads, sizeof *p.child);
    p.again = allocate((size_t)work->count, sizeof *p.again);
    signal(SIGPIPE, SIG_IGN);
    fflush(stdout); /* a child has no part of it */
    while (status == OG_OK && !out->interrupted && (p.running > 0 || has_more(&p))) {
        int64_t before = out->done;
        status = give_cells(&p);
        OG_THEN(status, p.running > 0 ? wait_for_answers(&p) : OG_OK);
        out->interrupted = progress_interrupted();
        if (out->done > before) {
            show_count(&p);
        }
    }
    end_children(&p);
    show_stage(NULL);
    free(p.child);
    free(p.again);
    return status;
}
