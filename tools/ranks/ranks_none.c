/* A build without MPI: one rank. */
#include <stdlib.h>

#include "tools/ranks/ranks.h"

const og_world *ranks_begin(void)
{
    return NULL;
}

/* From the environment that OpenMPI and MPICH set. Tasks of a Slurm job are not counted: they may
 * be meant to work separately. */
int ranks_unknown(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    int most = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv("SLURM_JOB_ID") == NULL ? getenv(names[i]) : NULL;
        int count = text != NULL ? atoi(text) : 1;
        most = count > most ? count : most;
    }
    return most;
}

int ranks_on_machine(void)
{
    return 1;
}

int ranks_end(int code)
{
    return code;
}
