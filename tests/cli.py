"""Functions that the program's tests share: runs, documents, refusals.

The first argument of a test file is the program.
"""

import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

# How many random cases a test takes, times this; and which.
SCALE = float(os.environ.get("TEST_SCALE", "1"))
SEED = int(os.environ.get("TEST_SEED", "1"))
SANITIZED = os.environ.get("OG_SANITIZED", "")  # "address,undefined", "thread", "coverage"; "": no such build
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
# `python3` is this one: where a launcher chooses one of several, it takes longer than the programs that it starts.
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
# A shell's background job ignores Ctrl-C, and so would the programs that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def some(cases):
    """Half of them times the scale, drawn: for cases that each start the program, and are many."""
    cases = list(cases)
    return random.Random(SEED).sample(cases, min(len(cases), math.ceil(len(cases) * SCALE / 2)))


def run(*words, given=None, environment=None, folder=None, program=None, **more):
    """Runs the program with separate outputs; `given` is its standard input."""
    source = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    return subprocess.run([program or PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=900, env={**os.environ, **(environment or {})}, cwd=folder,
                          **source, **more)


def succeed(words, **more):
    """Standard output of any command, which must succeed."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=900, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


class Case(unittest.TestCase):
    maxDiff = None

    def answer(self, *words):
        """Standard output of a run that must succeed, with nothing on standard error."""
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def document(self, *words):
        return json.loads(self.answer(*words, "--json"))

    def assert_near(self, value, truth, error, about=None):
        truth, tolerance = truth if isinstance(truth, tuple) else (truth, 0)
        off = abs(Fraction(value) - truth)
        self.assertLessEqual(off, Fraction(error) + tolerance, (about, value, float(truth)))

    def assert_refused(self, words, expected, code=2):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
        self.assertIn(expected, done.stderr, words)


class FolderCase(Case):
    """Each test has an empty folder, which is removed after it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)


def main(asks=True):
    """Runs the tests of the started file; `asks`: they need the program."""
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        sys.argv.pop(1)
    elif asks:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} PROGRAM [unittest option...]")
    unittest.main()
