/* A build without MPI: one rank. */
#include "tools/ranks/ranks.h"

const og_world *ranks_begin(void)
{
    return NULL;
}

int ranks_unknown(void)
{
    return ranks_of_environment();
}

int ranks_on_machine(void)
{
    return 1;
}

int ranks_end(int code)
{
    return code;
}
