/*
 * optgap: how far from optimal is a labelling policy?
 *
 * Finds the command, lets it read its options and run, and makes sure that what
 * was printed has arrived.
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

static void print_help(void)
{
    puts("Usage: optgap COMMAND [OPTION...] INSTANCE...\n"
         "How far from optimal is a policy that decides what to label next?\n"
         "\n"
         "Solves the Bayesian label-budget problem exactly, values policies exactly on it,\n"
         "and bounds from above what it does not solve.\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    puts("\n"
         "An INSTANCE is [COUNTx]A,B[@D]: COUNT things to label (default 1) whose chance\n"
         "of a positive label has the prior, or the posterior so far, Beta(A,B); one is\n"
         "truly positive if that chance is at least D (default 0.5). With a uniform prior\n"
         "and s positive and f negative labels so far, that is A = 1+s, B = 1+f. @FILE\n"
         "stands for the INSTANCEs in a file.\n"
         "\n"
         "Example: ten fresh instances and twelve labels\n"
         "\n"
         "  optgap compare -T 12 10x1,1\n"
         "\n"
         "'optgap COMMAND --help' explains a command; --version names this version.\n"
         "Exit status: 0 a result was printed; 1 something failed; 2 bad usage or input;\n"
         "3 a limit was reached before the optimum was proved.");
}

static int print_version(void)
{
    puts("optgap " OG_VERSION);
    return EXIT_RESULT;
}

/* What stands where the command belongs and is none. */
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

/* Each of several processes would do all of what knows nothing of ranks. */
static og_status check_ranks(const command *chosen, const og_world *world, og_message *message)
{
    if (ranks_unknown() > 1 && chosen->ranks) {
        return og_message_set(message, OG_BAD_INPUT,
                              "this is one of %d ranks, and optgap was built without MPI: leave "
                              "mpirun out, or build it with -Dmpi=enabled",
                              ranks_unknown());
    }
    if (og_world_ranks(world) > 1 && !chosen->ranks) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%s' knows nothing of ranks: leave mpirun out", chosen->name);
    }
    return OG_OK;
}

/* Of the machine, unless it was said how much. */
static void take_share(command_request *request, const og_world *world)
{
    og_settings *settings = &request->settings;
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
    bool help = false;
    og_message message = {""};
    int code = EXIT_RESULT;
    og_status status = options_read(chosen, argc, argv, &request, &help, &message);
    take_share(&request, world);
    OG_THEN(status, help ? OG_OK : check_ranks(chosen, world, &message));
    if (status != OG_OK) {
        code = complain(status, &message);
    } else if (help) {
        options_help(chosen);
    } else {
        progress_begin(request.quiet, request.time_limit_seconds);
        status = check_files(chosen, &request, &message);
        code = status == OG_OK ? chosen->run(&request) : complain(status, &message);
    }
    request_clear(&request);
    return code;
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* "optgap help", "optgap help COMMAND": what many programs understand. */
static int help_on(const char *name)
{
    const command *chosen = name != NULL ? find_command(name) : NULL;
    if (chosen == NULL && name != NULL) {
        return unknown_word(name);
    }
    if (chosen != NULL) {
        options_help(chosen);
    } else {
        print_help();
    }
    return EXIT_RESULT;
}

static int dispatch(int argc, char **argv, const og_world *world)
{
    if (argc < 2) {
        note("a command is missing, such as 'optgap compare'; 'optgap --help' lists them");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        return help_on(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    const command *chosen = find_command(argv[1]);
    return chosen != NULL ? run_command(chosen, argc - 1, argv + 1, world) : unknown_word(argv[1]);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
    /* Large enough for a result: none of it is out yet where memory fails while it is printed. */
    static char whole[1 << 20];
    setvbuf(stdout, whole, _IOFBF, sizeof whole);
    int code = dispatch(argc, argv, ranks_begin());
    bool failed = ferror(stdout) != 0;
    if (failed) {
        __fpurge(stdout); /* what stands in its buffer is not the result */
    }
    errno = 0;
    if (fclose(stdout) != 0 || failed) {
        note("the result could not be written: %s", errno != 0 ? strerror(errno) : "output error");
        code = EXIT_FAILED;
    }
    return ranks_end(code);
}
