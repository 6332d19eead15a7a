#ifndef OG_TOOLS_COMMAND_COMMANDS_H
#define OG_TOOLS_COMMAND_COMMANDS_H

#include "dp/base/world.h"
#include "tools/option/options.h"

/* The commands of the program, each in tools/command/NAME.c. */
extern const command command_compare;
extern const command command_solve;
extern const command command_query;
extern const command command_bound;
extern const command command_index;
extern const command command_fit;
extern const command command_labels;
extern const command command_next;
extern const command command_simulate;
extern const command command_plot;
extern const command command_report;
extern const command command_sweep;
extern const command command_verify;
extern const command command_policies;
extern const command command_find;
extern const command command_replay;
extern const command command_tree;
extern const command command_play;
extern const command command_completion;

/* Runs one command on this process alone; argv[0] is its name. Returns the exit status. */
typedef int command_runner(const command *chosen, int argc, char **argv);

/* Runs sweep, whose words are those of two commands; `run` answers its cells. */
int sweep_run(int argc, char **argv, const og_world *world, command_runner *run);

/* All commands in the order of the help, ended by NULL. */
extern const command *const commands[];

/* Prints the help of a topic; false if there is none of that name. The names, ended by NULL. */
bool print_topic(const char *name);
extern const char *const topic_names[];
enum { TOPICS_MAX = 16 };

#endif
