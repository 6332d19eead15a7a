#ifndef OG_TOOLS_RANKS_RANKS_H
#define OG_TOOLS_RANKS_RANKS_H

#include "dp/base/world.h"

/*
 * The processes that mpirun started together, as a world (dp/base/world.h). The only place where
 * the program meets MPI; without -Dmpi=enabled there is one rank always.
 *
 * Rank 0 speaks for all: what the others print goes nowhere, but for why one of them ended alone.
 */

/* Before anything is printed. NULL: this process is alone. */
const og_world *ranks_begin(void);

/* How many of them share this machine, which is what each of them asks for its cores and its
 * memory; at least 1. */
int ranks_on_machine(void);

/* How many processes were started together, by a program that knows no MPI, and so would each do
 * the whole work; 1 otherwise. */
int ranks_unknown(void);

/*
 * The last thing, with everything printed: waits for the others, and returns the exit status. Where
 * one fails and the others are still at work, all of them are ended with its status, and its line
 * is on standard error.
 */
int ranks_end(int code);

#endif
