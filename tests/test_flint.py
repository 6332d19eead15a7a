#!/usr/bin/env python3
"""Arb as a part of FLINT 3: its headers in flint/, and no separate library.

    test_flint.py PROGRAM [unittest option...]

PROGRAM's folder is a build. Its compiler checks the files that include Arb with the headers moved.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = None  # set by main
WRAPPER = '#include "dp/base/arb.h"'


def compiler():
    makefile = pathlib.Path(PROGRAM).with_name("build.ninja").read_text()
    return shlex.split(re.search(r"(?m)^rule c_COMPILER\n command = (.*?) \$ARGS", makefile)[1])


def finished(words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=250, **more)


def headers():
    """All that the wrapper includes, by their full names."""
    done = finished([*compiler(), f"-I{SOURCE}", "-M", "-x", "c", str(SOURCE / "dp/base/arb.h")])
    return [pathlib.Path(name) for name in done.stdout.replace("\\\n", " ").split()[1:]]


def users():
    """The files that include the wrapper, headers too."""
    return [path for folder in ("dp", "heuristics", "bench", "tests")
            for path in (SOURCE / folder).rglob("*.[ch]") if WRAPPER in path.read_text()]


class FlintTest(unittest.TestCase):
    def test_headers_in_one_folder_are_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            moved = pathlib.Path(scratch) / "flint"
            moved.mkdir()
            for header in headers():
                text = header.read_text(errors="replace")
                own = "part of Arb" in text
                if own or header.parent.name == "flint":
                    (moved / header.name).write_text(text)
                if own and header.parent.name != "flint":  # where it was it must not be found
                    (moved.parent / header.name).write_text("#error moved to flint/\n")
            self.assertTrue((moved / "arb_hypgeom.h").exists())
            files = users()
            self.assertGreater(len(files), 8)
            done = finished([*compiler(), "-fsyntax-only", "-Werror", "-D_GNU_SOURCE", f"-I{SOURCE}",
                             f"-I{scratch}", "-x", "c", *map(str, files)])
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_build_asks_for_the_library_only_before(self):
        text = (SOURCE / "meson.build").read_text()
        self.assertRegex(text, r"has_header\('flint/arb\.h'[^\n]*\n?[^\n]*: cc\.find_library\('flint-arb'")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
