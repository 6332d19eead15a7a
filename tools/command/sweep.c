/* The command sweep: asks a command line for every combination of values, into a file of answers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dp/base/world.h"
#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"
#include "tools/sweep/cells.h"
#include "tools/sweep/grid.h"

/* ---- the words of both commands ---- */

/* Options of sweep itself, wherever they are; all others are those of the command that is asked. */
static const char *const own_options[] = {"for",     "part",   "retry",      "dry-run",
                                          "threads", "memory", "time-limit", "quiet"};

typedef struct {
    char **own; /* [own_count] words of sweep, the first is its name */
    int own_count;
    const char **word; /* [count] words of the command */
    int count;
    const command *asked; /* NULL: not named */
} split;

/* True if the word is this long option; *value if the next word is its value. */
static bool is_own(const char *word, bool *value)
{
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++) {
        size_t length = strlen(own_options[i]);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, own_options[i], length) == 0 &&
            (word[2 + length] == '\0' || word[2 + length] == '=')) {
            bool takes = strcmp(own_options[i], "retry") != 0 &&
                         strcmp(own_options[i], "quiet") != 0 &&
                         strcmp(own_options[i], "dry-run") != 0;
            *value = takes && word[2 + length] == '\0';
            return true;
        }
    }
    return false;
}

/* The command of this name if it answers a question about a problem with one document. */
static const command *question_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        option_list list;
        if (strcmp(commands[i]->name, name) != 0 || commands[i]->word.read != keep_instance) {
            continue;
        }
        options_list(commands[i], NULL, &list);
        return og_option_find(list.row, list.count, "json") >= 0 ? commands[i] : NULL;
    }
    return NULL;
}

static split split_words(int argc, char **argv)
{
    split s = {.own = allocate((size_t)argc + 1, sizeof *s.own),
               .word = allocate((size_t)argc + 1, sizeof *s.word)};
    bool file = false;
    s.own[s.own_count++] = argv[0];
    for (int i = 1; i < argc; i++) {
        bool value = false;
        bool asks_help = strcmp(argv[i], "-h") == 0 || strncmp(argv[i], "--help", 6) == 0;
        const command *named =
            file && s.asked == NULL && s.count == 0 ? question_command(argv[i]) : NULL;
        if (is_own(argv[i], &value) || asks_help || (!file && argv[i][0] != '-' && s.count == 0)) {
            file = file || argv[i][0] != '-';
            s.own[s.own_count++] = argv[i];
            if (value && i + 1 < argc) {
                s.own[s.own_count++] = argv[++i];
            }
        } else if (named != NULL) {
            s.asked = named;
        } else if (strcmp(argv[i], "--json") != 0) {
            s.word[s.count++] = argv[i];
        }
    }
    return s;
}

/* Refuses the name of a command that cannot be asked. */
static og_status check_command(const split *s, og_message *message)
{
    char names[OG_MESSAGE_BYTES] = "";
    const char *first = s->asked == NULL && s->count > 0 ? s->word[0] : "";
    bool named = false;
    for (size_t i = 0; commands[i] != NULL; i++) {
        size_t length = strlen(names);
        named = named || strcmp(commands[i]->name, first) == 0;
        if (question_command(commands[i]->name) != NULL) {
            snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                     commands[i]->name);
        }
    }
    return named ? og_message_set(message, OG_BAD_INPUT, "a sweep asks one of %.200s, not %.40s",
                                  names, first)
                 : OG_OK;
}

/* ---- cells ---- */

typedef struct {
    int32_t word; /* of a combination */
    bool joined;  /* --name and the value behind it */
} place;

typedef struct {
    const command *asked;
    command_runner *run;
    const answers *file;
    cell *cell; /* [count] not in the file, once each */
    int64_t count, room;
    int64_t seen, cells; /* combinations; those of the part */
    int32_t part, parts;
    bool plain;   /* `place` can be found */
    place *place; /* [place_count] of each word of a key, in the combination; NULL: unknown */
    int32_t place_count;
} listing;

static void put_hash(og_document *files, const char *name, uint64_t hash)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    og_put_text(files, name, text);
}

/* True if the word, --name=value, names a file that the command writes: it is not asked about. */
static bool is_output(const command *asked, const char *word)
{
    option_list list;
    char name[64];
    options_list(asked, NULL, &list);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    int row = og_option_find(list.row, list.count, name);
    return row >= 0 && list.row[row]->kind == OG_OPTION_OUTPUT;
}

/* A file that a word or its value names, as it is or, with @, as a file of words. */
static og_status hash_word(const command *asked, og_document **files, og_document *whole,
                           const char *word, og_message *message)
{
    struct stat about;
    const char *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    const char *path = value != NULL ? value + 1 : word;
    path += path[0] == '@';
    char *name = allocate(strlen(path) + 8, 1);
    uint64_t hash = 0;
    og_status status = OG_OK;
    stpcpy(stpcpy(name, "table:"), path);
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        (value == NULL || !is_output(asked, word))) {
        status = og_policy_name_file_hash(name, &hash, message);
    }
    if (hash != 0) {
        *files = *files != NULL ? *files : og_put_object(whole, "files");
        put_hash(*files, path, hash);
    }
    free(name);
    return status;
}

/* A key: what is asked, and the contents of the files that the words and these policies name. */
static og_status key_of(const command *asked, char *const *word, int32_t count,
                        const og_policy_name *policies, int32_t policy_count, char **out,
                        og_message *message)
{
    og_document *key = og_document_new(), *files = NULL;
    og_document *words = og_put_array(key, "asked");
    og_status status = OG_OK;
    og_put_text(words, NULL, asked->name);
    for (int32_t i = 0; i < count; i++) {
        og_put_text(words, NULL, word[i]);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        status = hash_word(asked, &files, key, word[i], message);
    }
    for (int32_t i = 0; status == OG_OK && i < policy_count; i++) {
        uint64_t hash = 0;
        status = og_policy_name_file_hash(policies[i].name, &hash, message);
        if (status == OG_OK && hash != 0) {
            files = files != NULL ? files : og_put_object(key, "files");
            put_hash(files, policies[i].name, hash);
        }
    }
    *out = status == OG_OK ? og_document_json_line(key) : NULL;
    og_document_free(key);
    return status == OG_OK && *out == NULL ? og_message_set(message, OG_NO_MEMORY, "out of memory")
                                           : status;
}

/* Refuses what would not come back as one document. */
static og_status check_request(const command_request *request, og_message *message)
{
    const char *form = request->csv ? "csv" : request->latex ? "latex" : NULL;
    if (form != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a sweep stores JSON; omit --%s, and make tables from its file",
                              form);
    }
    return OG_OK;
}

/* True if the word and, if it is an option's name, its value behind it make this word of a key. */
static bool makes(char *const *word, int32_t at, int32_t count, const char *wanted, bool *joined)
{
    size_t length = strlen(word[at]);
    *joined = strncmp(word[at], "--", 2) == 0 && strncmp(word[at], wanted, length) == 0 &&
              wanted[length] == '=' && at + 1 < count &&
              strcmp(wanted + length + 1, word[at + 1]) == 0;
    return *joined || strcmp(word[at], wanted) == 0;
}

/* Finds the order that the words of all combinations have in their keys, from one of them: options
 * have other places there, but their values still follow them. */
static void find_order(listing *to, char *const *word, int32_t count, const command_request *read)
{
    bool *used = allocate((size_t)count, sizeof *used);
    int32_t left = count;
    to->place = allocate((size_t)count, sizeof *to->place);
    for (int32_t i = 0, next = 0; left >= 0 && i < read->asked_count; i++) {
        /* First the word behind the last one: the value of -T. */
        bool joined = false,
             good = next < count && !used[next] && strcmp(word[next], read->asked[i]) == 0;
        int32_t at = good ? next : 0;
        while (!good && at < count &&
               !(good = !used[at] && makes(word, at, count, read->asked[i], &joined))) {
            at++;
        }
        left = good ? left - 1 - joined : -1;
        if (good) {
            used[at] = used[at + joined] = true;
            to->place[to->place_count++] = (place){at, joined};
            next = at + 1 + joined;
        }
    }
    if (left != 0) {
        free(to->place);
        to->place = NULL;
        to->place_count = 0;
    }
    free(used);
}

/* True if the file has these words, found without reading them as options. */
static bool has_words(const listing *to, char *const *word)
{
    char *key = NULL;
    char **ordered = allocate((size_t)to->place_count, sizeof *ordered);
    for (int32_t i = 0; i < to->place_count; i++) {
        const place *from = &to->place[i];
        const char *first = word[from->word], *value = from->joined ? word[from->word + 1] : "";
        ordered[i] = allocate(strlen(first) + strlen(value) + 2, 1);
        stpcpy(stpcpy(stpcpy(ordered[i], first), from->joined ? "=" : ""), value);
    }
    og_status status = key_of(to->asked, ordered, to->place_count, NULL, 0, &key, NULL);
    bool found = status == OG_OK && answers_has(to->file, key);
    for (int32_t i = 0; i < to->place_count; i++) {
        free(ordered[i]);
    }
    free(key);
    free(ordered);
    return found;
}

/* True if all combinations have the same options, and no policies in files, whose names are known
 * only when they are read. */
static bool is_plain(const split *s, const command_request *request)
{
    static const char *const kinds[] = {"table:", "plugin:", "command:"};
    bool plain = true;
    for (int i = 0; i < s->count; i++) {
        const char *word = s->word[i];
        plain = plain && (word[0] != '-' || strchr(word, '%') == NULL);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            plain = plain && strstr(word, kinds[k]) == NULL;
        }
    }
    for (int32_t i = 0; i < request->name_count; i++) { /* no value is an option */
        const char *text = request->names[i];
        plain = plain && strstr(text, "=-") == NULL && strstr(text, ",-") == NULL &&
                strstr(text, " -") == NULL;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            plain = plain && strstr(text, kinds[k]) == NULL;
        }
    }
    return plain;
}

/* Adds a combination's cell, unless the file has it, after checking its words. */
static og_status add_cell(void *user, char *const *word, int32_t count, og_message *message)
{
    listing *to = user;
    command_request request;
    help_kind help = HELP_NONE;
    if (to->seen++ % to->parts != to->part - 1) {
        return OG_OK;
    }
    to->cells++;
    if (to->place != NULL && has_words(to, word)) {
        return OG_OK;
    }
    char **argv = allocate((size_t)count + 2, sizeof *argv);
    char *key = NULL;
    argv[0] = (char *)to->asked->name;
    memcpy(argv + 1, word, (size_t)count * sizeof *argv);
    og_status status = options_read(to->asked, count + 1, argv, &request, &help, message);
    OG_THEN(status, check_request(&request, message));
    OG_THEN(status, key_of(to->asked, request.asked, request.asked_count, request.wish.policies,
                           request.wish.policy_count, &key, message));
    if (status == OG_OK && to->plain) {
        find_order(to, word, count, &request);
        to->plain = false;
    }
    request_clear(&request);
    free(argv);
    if (status != OG_OK) {
        return status;
    }
    if (answers_has(to->file, key)) {
        free(key);
        return OG_OK;
    }
    if (to->count == to->room) {
        to->room = 2 * to->room + 16;
        to->cell = grow(to->cell, (size_t)to->room, sizeof *to->cell);
    }
    cell *one = &to->cell[to->count++];
    *one =
        (cell){.word = allocate((size_t)count + 1, sizeof *one->word), .count = count, .key = key};
    for (int32_t i = 0; i < count; i++) {
        one->word[i] = allocate(strlen(word[i]) + 1, 1);
        strcpy(one->word[i], word[i]);
    }
    return OG_OK;
}

static int by_key(const void *one, const void *other)
{
    const cell *const *a = one, *const *b = other;
    int order = strcmp((*a)->key, (*b)->key);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* Keeps the first of equal cells. */
static void keep_first(listing *cells)
{
    const cell **order = allocate((size_t)cells->count, sizeof *order);
    bool *drop = allocate((size_t)cells->count, sizeof *drop);
    int64_t kept = 0;
    for (int64_t i = 0; i < cells->count; i++) {
        order[i] = &cells->cell[i];
    }
    qsort(order, (size_t)cells->count, sizeof *order, by_key);
    for (int64_t i = 1; i < cells->count; i++) {
        drop[order[i] - cells->cell] = strcmp(order[i]->key, order[i - 1]->key) == 0;
    }
    for (int64_t i = 0; i < cells->count; i++) {
        if (drop[i]) {
            cell_clear(&cells->cell[i]);
        } else {
            cells->cell[kept++] = cells->cell[i];
        }
    }
    cells->count = kept;
    free(order);
    free(drop);
}

static void listing_clear(listing *cells)
{
    for (int64_t i = 0; i < cells->count; i++) {
        cell_clear(&cells->cell[i]);
    }
    free(cells->cell);
    free(cells->place);
}

/* ---- the sweep ---- */

static int show_counts(const command_request *request, const listing *cells, const cells_done *done)
{
    og_document *document = og_document_new();
    og_show_field(document, "Study", "%s", request->wish.file);
    og_show_field(document, "Cells", "%" PRId64, cells->cells);
    og_show_field(document, "Computed now", "%" PRId64, done->done);
    show_part(document);
    if (done->interrupted) {
        note("interrupted after %.1f s: %" PRId64 " cells are missing; the same command continues",
             progress_seconds(), cells->count - done->done);
        return EXIT_LIMIT;
    }
    if (done->stopped > 0) {
        note("a limit ended %" PRId64
             " of the cells; with --retry the same command asks them again",
             done->stopped);
    }
    return done->stopped > 0 ? EXIT_LIMIT : EXIT_RESULT;
}

/* Prints what would be asked: the beginnings of lines of the file. */
static int print_keys(const listing *cells)
{
    for (int64_t i = 0; i < cells->count; i++) {
        puts(cells->cell[i].key);
    }
    return EXIT_RESULT;
}

/* Prints the number of cells and one of them as a command line. */
static void note_cells(const listing *cells)
{
    char *line = cell_line(cells->asked, &cells->cell[cells->count - 1]);
    note("%" PRId64 " cell%s to ask, the last: %s", cells->count, cells->count == 1 ? "" : "s",
         line);
    free(line);
}

/* Asks the missing cells. */
static og_status ask_cells(const command_request *request, listing *cells, answers *file,
                           cells_done *done, og_message *message)
{
    const cells_work work = {.asked = cells->asked,
                             .cell = cells->cell,
                             .count = cells->count,
                             .threads = request->wish.ask.settings.threads,
                             .memory_bytes = request->wish.ask.settings.memory_bytes,
                             .seconds_max = request->wish.ask.seconds_max,
                             .run = cells->run,
                             .into = file};
    if (cells->count > 0 && !request->quiet) {
        note_cells(cells);
    }
    progress_catch_signals();
    return cells_ask(&work, done, message);
}

static int sweep(const command_request *request, const split *s, command_runner *run)
{
    og_message message = {""}, closing = {""};
    grid *names = NULL;
    answers *file = NULL;
    cells_done done = {0};
    listing cells = {.asked = s->asked != NULL ? s->asked : &command_compare,
                     .run = run,
                     .plain = is_plain(s, request),
                     .part = request->parts > 0 ? request->part : 1,
                     .parts = request->parts > 0 ? request->parts : 1};
    og_status status = grid_new(request->names, request->name_count, &names, &message);
    OG_THEN(status, answers_open(request->wish.file, request->retry, &file, &message));
    cells.file = file;
    OG_THEN(status, grid_each(names, s->word, s->count, add_cell, &cells, &message));
    if (status == OG_OK && answers_cut(file) > 0) {
        note("%s: the last line was cut off and does not count", request->wish.file);
    }
    if (status == OG_OK) {
        keep_first(&cells);
    }
    if (status == OG_OK && !request->wish.ask.dry_run) {
        status = ask_cells(request, &cells, file, &done, &message);
    }
    og_status closed = answers_close(file, &closing);
    int code = status != OG_OK             ? complain(status, &message)
               : closed != OG_OK           ? complain(closed, &closing)
               : request->wish.ask.dry_run ? print_keys(&cells)
                                           : show_counts(request, &cells, &done);
    grid_free(names);
    listing_clear(&cells);
    return code;
}

int sweep_run(int argc, char **argv, const og_world *world, command_runner *run)
{
    split s = split_words(argc, argv);
    command_request request;
    help_kind help = HELP_NONE;
    og_message message = {""};
    int code = EXIT_RESULT;
    og_status status = options_read(&command_sweep, s.own_count, s.own, &request, &help, &message);
    if (status == OG_OK && help == HELP_NONE && og_world_ranks(world) > 1 && request.parts == 0) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "under mpirun each process needs a file and a --part of its own");
    }
    OG_THEN(status, help == HELP_NONE ? check_command(&s, &message) : OG_OK);
    if (status != OG_OK) {
        code = complain(status, &message);
    } else if (help != HELP_NONE) {
        print_command_help(&command_sweep, help);
    } else {
        progress_begin(request.quiet, 0);
        code = sweep(&request, &s, run);
    }
    request_clear(&request);
    free(s.own);
    free(s.word);
    return code;
}

static og_status keep_name(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    (void)row;
    (void)message;
    request->names = grow(request->names, (size_t)request->name_count + 1, sizeof *request->names);
    request->names[request->name_count++] = text;
    return OG_OK;
}

static og_status read_part(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    long part = 0, parts = 0;
    char end = '\0';
    if (sscanf(text, "%6ld/%6ld%c", &part, &parts, &end) != 2 || part < 1 || part > parts ||
        strspn(text, "0123456789/") != strlen(text)) {
        return og_option_refuse(row, text, message, "I/N with 1 <= I <= N, such as 1/8");
    }
    request->part = (int32_t)part;
    request->parts = (int32_t)parts;
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION(CUSTOM, "for", "NAME=VALUES", command_request, names, .read = keep_name,
              .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "values of a name: K=2,5,10 or T=1:12; repeatable",
              .help = "values of a name, which the command line uses as %NAME or %{NAME}: a list "
                      "2,3,5, ranges 1:12 and 10:50:10, or words. Values that hold commas are "
                      "separated by blanks, 'P=1,1 2,1', and a single one ends with a blank. 1.2K "
                      "and 2K+1 are computed from another name and rounded down. May be repeated"),
    OG_OPTION(CUSTOM, "part", "I/N", command_request, part, .read = read_part, .example = "1/8",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "ask only every N-th cell, from the I-th on",
              .help = "ask only every N-th cell, from the I-th on: for several machines, each with "
                      "its own file; cat joins them"),
    OG_OPTION(SWITCH, "retry", NULL, command_request, retry, .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "ask cells again that reached a limit",
              .help = "ask cells again that reached a limit"),
    OG_OPTION(SWITCH, "dry-run", NULL, command_request, wish.ask.dry_run, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "print the missing cells, and ask nothing",
              .help = "print the cells that are not in the file, each as the beginning of its "
                      "line, and ask nothing"),
    OG_OPTION_TABLE(og_thread_rows),
    OG_OPTION(SECONDS, "time-limit", "SECONDS", command_request, wish.ask.seconds_max,
              .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "time limit for each cell (default: none)",
              .help = "time limit for each cell, in seconds; the bracket proved so far is stored "
                      "(default: no limit)",
              .example = "60"),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_sweep = {
    .name = "sweep",
    .summary = "ask a question for every combination of values, into a file",
    .word = OG_OPTION(PATH, NULL, "FILE.jsonl", command_request, wish.file, .what = "study",
                      .required = "no FILE is given: the file for the answers, study.jsonl"),
    .usage = "[OPTION...] FILE.jsonl COMMAND WORD...",
    .brief = "Ask COMMAND (compare, solve, bound, query, simulate, index, tree) for every\n"
             "combination of values, and append each answer to FILE.jsonl.",
    .example = "  optgap sweep few.jsonl --quiet --for K=2,3 --for T=1:6 compare -T %T %Kx1,1\n"
               "  optgap plot few.jsonl gap-budget --instances 3 -o gap.svg",
    .notes = "After an interruption the same command continues. 'optgap plot' draws the\n"
             "answers, 'optgap report' writes a page of them.",
    .about = "Asks a question for every combination of values, and appends each answer to a file, "
             "a study.",
    .details =
        "A name stands for its value as %NAME or %{NAME}, and %% is a percent sign. COMMAND is one "
        "of compare, solve, bound, query, simulate, index and tree, with all its options; without "
        "one it is compare.\n"
        "\n"
        "  optgap sweep few.jsonl --quiet --for K=2,3,5 --for T=1:12 compare -T %T %Kx1,1\n"
        "  optgap sweep few.jsonl --quiet --for K=2,3,5 --for T=1:12 compare -T %T %Kx1,1 --retry\n"
        "  optgap sweep hf.jsonl --quiet --for K=10,20 --for T=1.2K simulate -T %T --runs 9 "
        "%Kx1,1\n"
        "  optgap sweep wrong.jsonl --quiet --for A=1:4 --for B=1:4 compare -T 6 --assume %A,%B "
        "3x1,1\n"
        "  optgap sweep power.jsonl --quiet --for X=0:1:0.1 compare -T 3 --truth list:%X 1,1\n"
        "  optgap sweep part-3.jsonl --quiet --part 3/8 --for T=1:12 compare -T %T 5x1,1\n"
        "\n"
        "Each answer is a line: what was asked, and the JSON document. What has a line is not "
        "asked again, however its options are written, so that after an interruption the same "
        "command continues; delete a line to ask it anew. --threads, --memory, --time-limit (of "
        "each cell) and --quiet can be changed in between. If a limit ended a cell, its line says "
        "so as \"stopped\", beside the proved bracket, and --retry asks it again.\n"
        "\n"
        "Cells are asked at the same time, each with one thread and its share of --memory, as long "
        "as there are more cells than threads; a cell that needs more is asked at the end, alone. "
        "The values do not depend on the number of threads. Only one sweep writes a file.\n"
        "\n"
        "A file that the words name (table:FILE, a program of command:CMD) is part of what is "
        "asked: if it has changed, the same command asks again.\n"
        "\n"
        "Exit status: 0 all cells are answered; 1 the file cannot be written (lines written "
        "earlier remain); 2 bad input, and the file is not changed; 3 a limit was reached in some "
        "cells, or Ctrl-C.",
    .options = options,
};
