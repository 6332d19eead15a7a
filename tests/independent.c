/* Comparisons of independent instances, the family that most tests look at. */
#include "tests/independent.h"

#include "bench/families/independent.h"

og_status compare_independent(const og_problem *problem, og_compare_request *request,
                              og_comparison *out, og_message *message)
{
    og_family family = {.free = NULL};
    og_status status = og_family_independent(problem, request->policy_count, &request->settings, 0,
                                             &family, message);
    request->family = &family;
    if (status == OG_OK) {
        status = og_compare(request, out, message);
    }
    request->family = NULL;
    og_family_free(&family);
    return status;
}
