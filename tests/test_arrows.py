#!/usr/bin/env python3
"""The directions of includes: which folder may include which, and which headers are private.

Every `#include "..."` has its target's path. An include that the table below does not allow is refused.
Only files of FOLDER may include a header with the note "(private to FOLDER/)", and only one file each
the headers of OpenMP, MPI and Arb.
"""

import functools
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import cli  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a room may include beside itself; "dp/*" is dp with all its rooms. Rooms stand on earlier ones,
# so that the table has no circle.
ALLOWED = {room: targets.split() for room, targets in {
    "dp/base": "",
    "dp/prior": "dp/base",
    "dp/arm": "dp/base dp/prior",
    "dp/engine": "dp/base",
    "dp/product": "dp/base dp/prior dp/arm dp/engine",
    "dp/product/blocks": "dp/base dp/prior dp/arm dp/engine dp/product",
    "dp/product/stationary": "dp/base dp/arm dp/engine dp/product",
    "dp/product/bandit": "dp/base dp/prior dp/arm dp/engine dp/product dp/product/blocks",
    "dp/product/margin": "dp/base dp/prior dp/arm dp/engine dp/product",
    "dp/product/optimum": "dp/base dp/prior dp/arm dp/engine dp/product dp/product/blocks "
                          "dp/product/bandit dp/product/margin dp/product/stationary",
    "dp/exact": "dp/base dp/prior dp/arm dp/engine dp/product",
    "dp/export": "dp/base dp/prior dp/arm dp/engine dp/product dp/product/optimum dp/exact",
    "dp/families": "dp/base dp/prior dp/arm dp/engine dp/product dp/exact",
    "heuristics": "dp/*",  # what a policy's row is made of
    "heuristics/index": "dp/* heuristics heuristics/bounds heuristics/index/fast",
    "heuristics/index/fast": "dp/* heuristics",  # what is only speed, and never calls back
    "heuristics/whole_state": "dp/* heuristics heuristics/index heuristics/bounds",
    "heuristics/bounds": "dp/* heuristics",
    "heuristics/families": "dp/* heuristics",
    "heuristics/registry": "dp/* heuristics heuristics/index heuristics/whole_state",
    "bench": "dp/* heuristics/*",  # the interface of a family
    "bench/recorded": "dp/* heuristics/* bench",
    "bench/simulation": "dp/* heuristics/* bench bench/recorded",
    "bench/questions": "dp/* heuristics/* bench bench/recorded bench/simulation",
    # A family knows no other one; the list of them is in the room above.
    **{f"bench/families/{family}": "dp/* heuristics/* bench bench/recorded bench/simulation bench/questions"
       for family in ("assignment", "deadline", "delayed", "features", "independent", "labelers", "process", "ranking",
                      "sources", "workers")},
    "bench/families": "bench bench/families/*",
    "bench/find": "dp/* heuristics/* bench bench/recorded bench/simulation bench/questions",
    "bench/wishes": "dp/* heuristics/* bench bench/recorded bench/simulation bench/families",
    "bench/public": "dp/* heuristics/* bench bench/recorded bench/simulation bench/questions "
                    "bench/families/* bench/find bench/wishes",
    "bench/speed": "dp/* heuristics/* bench",
    "tools/option": "dp/* heuristics/* bench/* tools/show",
    "tools/show": "dp/* heuristics/* bench/* tools/option",
    "tools/plot": "dp/* heuristics/* bench/* tools/option tools/show",
    "tools/ranks": "dp/*",
    "tools/sweep": "dp/* heuristics/* bench/* tools/option tools/show",
    "tools/command": "dp/* heuristics/* bench/* tools/option tools/show tools/plot tools/sweep",
    "tools": "dp/* heuristics/* bench/* tools/*",
    "tools/examples": "",
    "tools/python": "tools/show tools/sweep",
    "tools/web": "dp/base",
}.items()}
# Files that still call each other in a circle. No new ones are allowed; remove those that no longer do.
CIRCLES = [
    "heuristics/registry/policy.c heuristics/whole_state/fluid_policy.c heuristics/whole_state/following.c "
    "heuristics/whole_state/lp_update.c heuristics/whole_state/priced_ranks.c heuristics/whole_state/q_policy.c "
    "heuristics/whole_state/stopping_policy.c",
]
FOLDERS = ("dp", "heuristics", "bench", "tools")  # without sources of their own, some of them
OPENMP = "dp/base/parallel.c"
ARB = "dp/base/arb.h"
MPI = "tools/ranks/ranks_mpi.c"
MADE = ("config.h", "commit.h")  # by the build


@functools.cache
def sources():
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "*.c", "*.h"],
        check=True, capture_output=True, text=True).stdout.split()
    return [name for name in names if (ROOT / name).is_file() and not name.startswith("tests/")]


def room_of(name):
    return str(pathlib.PurePosixPath(name).parent)


@functools.cache
def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@functools.cache
def includes(name, form=r'"([^"]+)"'):
    return re.findall(r"^\s*#\s*include\s+" + form, text_of(name), flags=re.MULTILINE)


def may_include(room, target_room):
    return target_room == room or any(stands_for(allowed, target_room) for allowed in ALLOWED[room])


def stands_for(allowed, room):
    if allowed.endswith("/*"):
        return room == allowed[:-2] or room.startswith(allowed[:-1])
    return room == allowed


@functools.lru_cache(maxsize=None)
def code_of(name):
    """The text without comments and quoted text."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text_of(name), flags=re.DOTALL)


def calls():
    """The files that define the functions that a file calls."""
    declared = {name for header in sources() if header.endswith(".h")
                for name in re.findall(r"\w+_\w+", code_of(header))}
    home, own = {}, {}
    for file in sources():
        if file.endswith(".c") and room_of(file) != ".":
            made = re.findall(r"^(static )?\w[\w *]*?\b(\w+)\([^;{}]*\)\s*\{", code_of(file), re.MULTILINE)
            own[file] = {name for _, name in made}
            home.update((name, file) for static, name in made if not static and name in declared)
    return {file: {home[name] for name in re.findall(r"(?<![.>\w])\w+", code_of(file))
                   if name in home and name not in mine}
            for file, mine in own.items()}


def circles(to):
    """The sets of files in which each file reaches all others."""
    def reach(name):
        seen, open_ = set(), [name]
        while open_:
            new = to[open_.pop()] - seen
            seen |= new
            open_ += new
        return seen

    reached = {name: reach(name) for name in to}
    return {frozenset(other for other in reached[name] if name in reached[other])
            for name in to if name in reached[name]}


class Arrows(unittest.TestCase):
    def test_no_files_call_each_other_in_a_circle(self):
        found = {" ".join(sorted(circle)) for circle in circles(calls())}
        self.assertEqual(found, {" ".join(circle.split()) for circle in CIRCLES})

    def test_a_circle_is_found(self):
        self.assertEqual(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}), {frozenset("bc")})

    def test_every_room_is_in_the_table(self):
        rooms = {room_of(name) for name in sources()} - {"."}
        self.assertEqual(rooms - set(ALLOWED), set())
        self.assertEqual(set(ALLOWED) - rooms - set(FOLDERS), set())

    def test_includes_follow_the_table(self):
        wrong = []
        for name in sources():
            for target in includes(name):
                if target in MADE or target == "optgap.h" or room_of(name) == ".":
                    continue
                if not (ROOT / target).is_file():
                    wrong.append(f"{name}: {target} is no file of this tree")
                elif not may_include(room_of(name), room_of(target)):
                    wrong.append(f"{name} -> {target}")
        self.assertEqual(wrong, [])

    def test_what_is_only_speed_never_calls_back(self):
        self.assertTrue(may_include("heuristics/index", "heuristics/index/fast"))
        self.assertFalse(may_include("heuristics/index/fast", "heuristics/index"))
        fast = {file: to for file, to in calls().items() if room_of(file) == "heuristics/index/fast"}
        self.assertGreater(len(fast), 3)
        self.assertEqual([(file, name) for file, to in fast.items() for name in to if room_of(name) == "heuristics/index"], [])

    def test_the_table_has_no_circle(self):
        def reach(room, seen):
            for other in ALLOWED:
                if other != room and other not in seen and may_include(room, other):
                    seen.add(other)
                    reach(other, seen)
            return seen

        for room in ALLOWED:
            if not room.startswith("tools"):
                self.assertNotIn(room, reach(room, set()), room)

    def test_private_headers_stay_in_their_folder(self):
        wrong = []
        for header in (name for name in sources() if name.endswith(".h")):
            found = re.search(r"\(private\s+to\s+(?:\*\s+)?([\w/]+)", text_of(header))
            if found is None:
                continue
            folder = found.group(1).rstrip("/")
            wrong += [f"{name} -> {header}" for name in sources()
                      if header in includes(name) and not name.startswith(folder + "/")]
        self.assertEqual(wrong, [])

    def test_openmp_is_in_one_file(self):
        for name in sources():
            if name != OPENMP:
                self.assertNotIn("omp.h", includes(name, r"<([^>]+)>"), name)
                self.assertNotRegex(text_of(name), r"#\s*pragma\s+omp", name)

    def test_mpi_is_in_one_file(self):
        for name in sources():
            self.assertEqual("mpi.h" in includes(name, r"<([^>]+)>"), name == MPI, name)

    def test_arb_is_met_in_one_header(self):
        for name in sources():
            own = [header for header in includes(name, r"<([^>]+)>")
                   if re.fullmatch(r"(flint/)?(arb|acb|arf|acf|mag)(_\w+)?\.h", header)]
            self.assertEqual(bool(own), name == ARB, name)

    def test_public_header_includes_the_c_library_only(self):
        if (ROOT / "optgap.h").is_file():
            self.assertEqual(includes("optgap.h"), [])


if __name__ == "__main__":
    cli.main(asks=False)
