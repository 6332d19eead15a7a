/*
 * The program optgap: finds the command, reads its options, runs it, and checks that its output was
 * written.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "config.h"
#include "dp/base/suggest.h"
#include "tools/command/commands.h"
#include "tools/ranks/ranks.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* clang-format off */
const command *const commands[] = { /* one a line */
    &command_compare,
    &command_solve,
    &command_query,
    &command_bound,
    &command_index,
    &command_fit,
    &command_labels,
    &command_next,
    &command_simulate,
    &command_sweep,
    &command_plot,
    &command_report,
    &command_find,
    &command_replay,
    &command_tree,
    &command_play,
    &command_verify,
    &command_policies,
    &command_completion,
    NULL,
};
/* clang-format on */

enum { COMMAND_COUNT = sizeof commands / sizeof *commands - 1 };

/* The commands by purpose, for the help. */
static const char *const purposes[][2] = {
    {"Choose labels", "next query play"},
    {"Evaluate policies", "compare find simulate replay"},
    {"Solve a problem", "solve bound tree verify"},
    {"Run a study", "sweep plot report"},
    {"Look up", "labels fit policies index completion"},
};

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_commands(FILE *to)
{
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        fprintf(to, "%s\n", purposes[i][0]);
        for (const char *at = purposes[i][1]; *at != '\0'; at += strspn(at, " ")) {
            char name[16];
            size_t length = strcspn(at, " ");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            fprintf(to, "  %-10s  %s\n", name, find_command(name)->summary);
            at += length;
        }
    }
}

static void print_help(FILE *to)
{
    fputs("Usage: optgap COMMAND [OPTION...] INSTANCE...\n"
          "Labels are few and can be wrong. Which instance (thing to label) should get the\n"
          "next one? A policy decides. At the end each instance is called positive or\n"
          "negative. optgap computes how far policies are from the best possible one.\n"
          "\n"
          "Example: three instances and two labels left. So far they have 1, 3 and 3\n"
          "positive and 0, 1 and 3 negative labels; add 1 to each count.\n"
          "\n"
          "  optgap compare -T 2 2,1 4,2 4,4\n"
          "\n",
          to);
    print_commands(to);
    fputs("\n"
          "An INSTANCE is [COUNTx]A,B: COUNT instances (default: 1), each with A - 1\n"
          "positive and B - 1 negative labels so far. 10x1,1 is ten without labels.\n"
          "\n"
          "Help: optgap help COMMAND (main options), optgap help TOPIC: words, instances,\n"
          "policies, truth, prices, features, workers, sources, assignment, labelers,\n"
          "ranking, deadline, limits, files. Version: optgap --version.\n"
          "Exit status: 0 success; 1 failure; 2 bad usage or input; 3 a limit was reached.\n",
          to);
}

static int print_version(void)
{
    puts("optgap " OG_VERSION);
    return EXIT_RESULT;
}

/* Reports an unknown command, or an option before the command. */
static int unknown_word(const char *word)
{
    const char *names[COMMAND_COUNT + 2] = {"--help", "--version"};
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i + 2] = commands[i]->name;
    }
    const char *habit = option_habit(word);
    char hint[OG_SUGGESTION_BYTES];
    if (habit != NULL) {
        note("unknown option '%.64s' before the command%s", word, habit);
    } else if (word[0] == '-') {
        note(
            "unknown option '%.64s' before the command%s (other options follow the command: optgap "
            "compare %.64s ...)",
            word, og_suggestion(word, names, 2, hint), word);
    } else {
        note("unknown command '%.64s'%s ('optgap --help' lists the commands)", word,
             og_suggestion(word, names, COMMAND_COUNT + 2, hint));
    }
    return EXIT_USAGE;
}

/* Refuses commands without MPI support if several ranks run: each would do the whole work. */
static og_status check_ranks(const command *chosen, const og_world *world, og_message *message)
{
    if (ranks_unknown() > 1 && chosen->ranks) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "optgap was started as %d ranks but built without this mpirun's MPI; omit mpirun, or "
            "build it with -Dmpi_library=ompi-c or mpich and -Dmpi=enabled",
            ranks_unknown());
    }
    if (og_world_ranks(world) > 1 && !chosen->ranks) {
        return og_message_set(message, OG_BAD_INPUT, "'%s' does not support ranks; omit mpirun",
                              chosen->name);
    }
    return OG_OK;
}

/* Divides the machine's threads and memory among its ranks, unless options set them. */
static void take_share(command_request *request, const og_world *world)
{
    og_settings *settings = &request->wish.ask.settings;
    int ranks = ranks_on_machine();
    settings->world = world;
    if (!request->own_threads && ranks > 1) {
        settings->threads = settings->threads > ranks ? settings->threads / ranks : 1;
    }
    if (!request->own_memory) {
        settings->memory_bytes /= (uint64_t)ranks;
    }
}

static int run_command(const command *chosen, int argc, char **argv, const og_world *world)
{
    command_request request;
    help_kind help = HELP_NONE;
    og_message message = {""};
    int code = EXIT_RESULT;
    og_status status = options_read(chosen, argc, argv, &request, &help, &message);
    take_share(&request, world);
    OG_THEN(status, help != HELP_NONE ? OG_OK : check_ranks(chosen, world, &message));
    if (status != OG_OK) {
        code = complain(status, &message);
    } else if (help != HELP_NONE) {
        print_command_help(chosen, help);
    } else {
        progress_begin(request.quiet, request.wish.ask.seconds_max);
        status = check_files(chosen, &request, &message);
        code = status == OG_OK ? chosen->run(&request) : complain(status, &message);
    }
    request_clear(&request);
    return code;
}

static int run_alone(const command *chosen, int argc, char **argv)
{
    return run_command(chosen, argc, argv, NULL);
}

static int unknown_topic(const char *name)
{
    const char *names[COMMAND_COUNT + TOPICS_MAX];
    size_t count = COMMAND_COUNT;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    for (size_t i = 0; topic_names[i] != NULL; i++) {
        names[count++] = topic_names[i];
    }
    char hint[OG_SUGGESTION_BYTES];
    note("'optgap help' must be followed by a command or a topic, not '%.64s'%s ('optgap --help' "
         "lists both)",
         name, og_suggestion(name, names, count, hint));
    return EXIT_USAGE;
}

/* "optgap help [COMMAND or TOPIC]"; if a word is both, it is the command. */
static int help_on(const char *name)
{
    const command *chosen = name != NULL ? find_command(name) : NULL;
    if (chosen != NULL) {
        print_command_help(chosen, HELP_BASIC);
    } else if (name == NULL) {
        print_help(stdout);
    } else if (!print_topic(name)) {
        return unknown_topic(name);
    }
    return EXIT_RESULT;
}

static int dispatch(int argc, char **argv, const og_world *world)
{
    if (argc < 2) {
        print_help(stderr); /* standard output is only for results */
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        return help_on(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    if (strcmp(argv[1], command_sweep.name) == 0) {
        return sweep_run(argc - 1, argv + 1, world, run_alone);
    }
    const command *chosen = find_command(argv[1]);
    return chosen != NULL ? run_command(chosen, argc - 1, argv + 1, world) : unknown_word(argv[1]);
}

int optgap_main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit: the write fails instead */
    /* Holds a whole result: if memory fails while it is printed, no part of it is written. */
    static char whole[1 << 20];
    setvbuf(stdout, whole, _IOFBF, sizeof whole);
    int code = dispatch(argc, argv, ranks_begin());
    bool failed = ferror(stdout) != 0;
    if (failed) {
        __fpurge(stdout); /* discard a partial result */
    }
    errno = 0;
    if (fclose(stdout) != 0 || failed) {
        note("the result could not be written: %s", errno != 0 ? strerror(errno) : "output error");
        code = EXIT_FAILED;
    }
    return ranks_end(code);
}
