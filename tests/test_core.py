#!/usr/bin/env python3
"""The core library on one thread: its dependencies, its numbers (the program's), and missing parts.

    test_core.py PROGRAM [unittest option...]

PROGRAM's folder is a build, whose compiler builds the core and tests/core.c in an empty folder.
"""

import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, SANITIZED, main, succeed  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PROBLEM = ["8", "3x1,1", "2,1@0.4", "0.3:1,2+0.7:3,1"]
HEAVY = re.compile(r"\blib(glpk|jansson|argp|gomp|omp)\b")


def compiler():
    makefile = pathlib.Path(PROGRAM).with_name("build.ninja").read_text()
    return re.search(r"(?m)^rule c_COMPILER\n command = (.*?) \$ARGS", makefile)[1]


def program(command, *words):
    return json.loads(succeed([PROGRAM, command, "--json", *words, "-T", *PROBLEM]))


@unittest.skipIf(SANITIZED, "the core is built as users build it")
class CoreTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        # Without optimization and debugging data: a third of the time, and the same bits.
        succeed(["meson", "setup", "--buildtype", "plain", "--werror", "-Dcore_only=true",
             "-Dopenmp=disabled", "-Dtests=disabled", str(cls.folder), str(SOURCE)],
            env={**os.environ, "CC": compiler()})
        succeed(["meson", "compile", "-C", str(cls.folder), "optgap:static_library",
             "optgap:shared_library"])
        libraries = succeed(["pkg-config", "--static", "--libs", "optgap"],
                        env={**os.environ, "PKG_CONFIG_PATH": str(cls.folder / "meson-uninstalled")})
        user = cls.folder / "core"
        succeed([*shlex.split(compiler()), "-Werror", f"-I{SOURCE}", str(SOURCE / "tests/core.c"), "-o",
             str(user), *libraries.replace("-loptgap", "-l:liboptgap.a").split()])
        cls.user = user
        cls.said = {}
        for line in succeed([str(user), *PROBLEM]).splitlines():
            name, _, value = line.partition("\t")
            cls.said.setdefault(name, []).append(value)

    def number(self, name):
        (value,) = self.said[name]
        return float(value)

    def test_needs_nothing_heavy(self):
        for file in (self.folder / "liboptgap.so", self.user):
            needed = re.findall(r"NEEDED.*\[(.*)\]", succeed(["readelf", "-d", str(file)]))
            self.assertTrue(any(name.startswith("libgmp.") for name in needed), needed)
            self.assertEqual([name for name in needed if HEAVY.search(name)], [])

    def test_values_are_the_programs_to_the_bit(self):
        found = program("compare", "--policies", "kg,ucb1-tuned", "--runs", "1000", "--seed", "7")
        self.assertEqual(self.number("solve"), found["optimal"]["value"])
        self.assertEqual(self.number("optimal"), found["optimal"]["value"])
        for row in found["policies"]:
            self.assertEqual(self.number(row["name"]), row["value"], row["name"])
        for name in ("lagrangian_scalar", "prevailing_charge"):
            self.assertEqual(self.number(name), found["bounds"][name]["value"], name)
        self.assertEqual(self.said["json"], ["some"])
        acts = program("query")["instances"]
        self.assertEqual([float(q) for q in self.said["q"]], [act["q"] for act in acts])

    def test_what_it_lacks_it_says(self):
        lacks = "1 policy '{}' needs {}, which this build was made without"
        self.assertEqual(self.number("lagrangian_vector"), float("inf"))
        self.assertEqual(self.said["lagrangian"], [lacks.format("lagrangian", "GLPK")])
        self.assertIn(lacks.format("lagrangian", "GLPK")[2:], self.said["rollout:lagrangian"][0])
        for name in ("dual", "midway:kg", "lp-update"):
            self.assertEqual(self.said[name], [lacks.format(name, "GLPK")])
        self.assertEqual(self.said["command:cat"], [lacks.format("command:cat", "Jansson")])


if __name__ == "__main__":
    main()
