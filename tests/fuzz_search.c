/* The file of a search: an accepted file is within its limits, and is the same when it is written
 * again. */
#include "bench/find/find_file.h"
#include "tests/fuzz.h"

static const char search[] = "kg --ties random";

static void check_read_back(const og_search_position *of)
{
    char text[sizeof *of + 256];
    og_search_position again;
    int length = snprintf(text, sizeof text,
                          "optgap-search\t1\nsearch\t%s\nsettled\t%" PRIu64
                          "\nlast\t%s\nbest\t%" PRIu64 "\ntolerance\t%" PRIu64 "\n",
                          search, of->settled, of->last, of->best, of->tolerance);
    og_status status =
        og_search_position_read(fuzz_file(text, (size_t)length), search, &again, NULL);
    fuzz_check(status == OG_OK && again.settled == of->settled && again.best == of->best &&
                   again.tolerance == of->tolerance && strcmp(again.last, of->last) == 0,
               "not read back");
}

FUZZ_TARGET(search)
{
    og_search_position of;
    og_message message = {""};
    og_status status = og_search_position_read(fuzz_file(data, size), search, &of, &message);
    if (status == OG_OK) {
        fuzz_check(of.best <= of.settled && of.tolerance <= of.settled, "too many problems");
        check_read_back(&of);
    } else {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check(of.settled == 0, "written to without success");
        fuzz_check_message(&message);
    }
}
