#ifndef OG_TOOLS_RANKS_RANKS_H
#define OG_TOOLS_RANKS_RANKS_H

#include "dp/base/world.h"

/*
 * The processes that mpirun started together, as a world (dp/base/world.h). Only this folder uses
 * MPI; without -Dmpi=enabled there is always one rank.
 *
 * Only rank 0 prints. The output of other ranks is discarded, except the error of a rank that fails
 * alone.
 */

/* Call it before any output. NULL: this process is alone. */
const og_world *ranks_begin(void);

/* Number of ranks on this machine, which share its cores and memory; at least 1. */
int ranks_on_machine(void);

/* In a build without MPI, or with another MPI than mpirun's: the number of processes that mpirun
 * started together, each of which would do the whole work. Otherwise 1. */
int ranks_unknown(void);

/* The number of processes in the environment that OpenMPI and MPICH set; 1 in tasks of a Slurm job,
 * which may be meant to work separately. */
int ranks_of_environment(void);

/*
 * Call it last, after all output. Waits for the other ranks and returns the exit status, which is
 * the same for all: 0, or the least other one. If one rank fails while others still work, all end
 * with its status, and its line is on standard error.
 */
int ranks_end(int code);

#endif
