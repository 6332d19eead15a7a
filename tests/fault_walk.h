#ifndef OG_TESTS_FAULT_WALK_H
#define OG_TESTS_FAULT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "tests/support.h"

/*
 * Repeats a run so that each time another call fails (tests/faults.h), and checks the conditions
 * after each run. There is an error status, with a one-line message if it needs one, or the same
 * result to the last bit. Outputs are unchanged on error, no memory leaks, and no file stays open.
 */
typedef struct {
    og_status status; /* OG_OK when a run begins */
    og_message message;
    uint64_t digest; /* of the results, where status is OG_OK */
    bool touched;    /* an output changed although its call failed */
} outcome;

typedef struct {
    const char *name;
    void (*run)(outcome *out);
    bool in_turn;                                     /* the n-th call is always the same */
    void (*before)(void);                             /* each run; NULL: nothing */
    const char *(*after)(const outcome *out);         /* the error found; NULL: none */
    void (*run_with)(outcome *out, const void *with); /* used instead if run is NULL */
    const void *with;
} fault_scene;

#define SCENE(name_, ...)                                                                          \
    {                                                                                              \
        .name = name_, .in_turn = true, __VA_ARGS__                                                \
    }

/* Let the n-th call of the scene fail, for all n, `on`: and all that come after it. Fails the test.
 */
void fault_walk(const fault_scene *scene, bool on);

/* The suite of a file of scenes: each is walked once, and once with all later calls failing too.
 * `before` and `after` are called around each. What main returns. */
int fault_suite(const char *name, const fault_scene *scenes, int count, void (*before)(void),
                void (*after)(void));

/* The step from the n-th call to the next call that the walk tests, in a run with this number of
 * calls. */
int64_t fault_stride(int64_t n, int64_t calls, bool on);

void digest(outcome *out, const void *bytes, size_t count);
void digest_double(outcome *out, double value);
void digest_result(outcome *out, const og_result *result);

/* Fill an object that a call may write to. */
void paint(void *object, size_t size);

/* An object that was painted must still be so unless the run is well. */
void check_paint(outcome *out, const void *object, size_t size);

#define PAINT(object) paint(&(object), sizeof(object))
#define CHECK_PAINT(out, object) check_paint(out, &(object), sizeof(object))

#endif
