/* Plain recursion with a hash table, on raw ordered states. */
#include "bench/speed/baseline.h"

static ladder_outcome solve(const ladder_rung *rung, const ladder_settings *settings,
                            ladder_measure *out)
{
    return baseline_solve(rung, settings, false, out);
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, solve);
}
