/* The file of a search: an accepted file is within its limits, and is the same when it is written
 * again. */
#include "bench/find/find_file.h"
#include "tests/fuzz.h"

static const char search[] = "kg --ties random";

static void check_read_back(const og_search_position *position)
{
    char text[sizeof *position + 256];
    og_search_position again;
    int length =
        snprintf(text, sizeof text,
                 "optgap-search\t1\nsearch\t%s\nsettled\t%" PRIu64 "\nlast\t%s\nbest\t%" PRIu64
                 "\ntolerance\t%" PRIu64 "\n",
                 search, position->settled, position->last, position->best, position->tolerance);
    og_status status =
        og_search_position_read(fuzz_file(text, (size_t)length), search, &again, NULL);
    fuzz_check(status == OG_OK && again.settled == position->settled &&
                   again.best == position->best && again.tolerance == position->tolerance &&
                   strcmp(again.last, position->last) == 0,
               "not read back");
}

FUZZ_TARGET(search)
{
    og_search_position position;
    og_message message = {""};
    og_status status = og_search_position_read(fuzz_file(data, size), search, &position, &message);
    if (status == OG_OK) {
        fuzz_check(position.best <= position.settled && position.tolerance <= position.settled,
                   "too many problems");
        check_read_back(&position);
    } else {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check(position.settled == 0, "written to without success");
        fuzz_check_message(&message);
    }
}
