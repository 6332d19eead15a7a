"""Limits and signals that somebody looks at: in every family, something long is ended early.

    test_stops_cli.py PROGRAM [unittest option...]

What is measured is processor time, which does not depend on what else the machine does.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from test_cli import SANITIZED, Case, run  # noqa: E402

TABLE = pathlib.Path(__file__).parent.parent / "bench/families/table.c"
MOST = 1.5 * (10 if SANITIZED else 1)  # seconds of the processor, from the first to the last
LIMIT = ["--time-limit", "0.3", "--threads", "1"]
NEVER = 20 * (10 if SANITIZED else 1)  # of the processor; whoever takes so long is ended

FEATURES = "one\ttwo\n1\t2\n2\t3\n3\t1\n0\t1\n1\t0\n"

# What would take minutes at the least; the first word of each line is a command.
LONG = {
    "independent": ["solve -T 400 20x1,1", "solve -T 4000 --problem bandit 2x1,1", "compare -T 200 20x1,1",
                    "compare -T 60 --priors 1,1~2,1~1,2 --minimax 4x1,1",
                    "simulate -T 3000 --runs 1000000 200x1,1"],
    "delayed": ["solve --arrival-rate 0.1 --service-rate 0.4 --arrivals 1200 1000x1,1",
                "compare --arrival-rate 0.1 --service-rate 0.4 --arrivals 60 100x1,1"],
    "batch": ["compare -T 80 --batch 4 100x1,1"],
    "deadline": ["solve -T 800 --deadline 1000 100x1,1", "compare -T 800 --deadline 1000 100x1,1"],
    "workers": ["solve -T 40 --workers-prior 3x4,1 5x1,1"],
    "features": ["solve -T 40 --features FEATURES"],
    "ranking": ["solve -T 200 --problem ranking 5x1"],
    "sources": ["solve -T 200 --source a:1:0.7 --source b:2:0.8 60x1,1",
                "compare -T 30 --source a:1:0.7 --source b:2:0.8,0.3 6x1,1"],
    "priced": ["solve -T 2000 --price 0.001 200x1,1"],
    "labelers": ["solve -T 200 --problem labelers --accuracy-prior orders 0.92 0.781 0.625 0.66 0.727",
                 "compare -T 2000 --problem labelers --explore 8,0.5 0.92 0.781 0.625 0.66 0.727"],
    "assignment": ["solve -T 60 --problem assignment --workers-prior 3x4,1 10x1"],
}
# The optimum is proved at once, and what is left is said in its row.
PROVED = {LONG["labelers"][1]}


class StopTest(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "features.tsv")
        pathlib.Path(self.file).write_text(FEATURES, encoding="ascii")

    def words(self, line):
        return [self.file if word == "FEATURES" else word.replace("~", " ") for word in line.split()]

    def ended(self, words, interrupt=False):
        """Seconds of the processor, the exit status, and the outputs."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            begun = subprocess.Popen(
                [test_cli.PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (NEVER, NEVER)))
            if interrupt:
                test_cli.wait_until_signals_are_caught(begun)
                begun.send_signal(signal.SIGINT)
            _, status, used = os.wait4(begun.pid, 0)
            begun.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            return used.ru_utime + used.ru_stime, begun.returncode, out.read(), err.read()

    def assert_ends(self, line, words, interrupt=False):
        seconds, code, out, err = self.ended(words, interrupt)
        about = (line, seconds, code, err)
        self.assertLess(seconds, MOST, about)
        if line in PROVED and code == 0:
            self.assertEqual(err, "", about)
            return
        self.assertEqual(code, 3, about)
        if words[0] == "bound" and "while its tables were built" not in err:
            self.assertIn("upper bound", out, about)
        self.assertRegex(err, r"\Aoptgap: [^\n]+\n\Z", about)
        if words[0] == "compare" and "--priors" not in words:
            self.assertIn("At least" if "At least" in out else "at least", out, about)

    def test_every_family_is_here(self):
        families = re.findall(r"&og_family_(\w+),", TABLE.read_text(encoding="utf-8"))
        self.assertEqual(families, list(LONG))

    def test_a_time_limit_ends_all(self):
        for line in (line for lines in LONG.values() for line in lines):
            with self.subTest(line):
                self.assert_ends(line, [*self.words(line), *LIMIT])

    def test_a_signal_ends_all(self):
        for lines in LONG.values():
            with self.subTest(lines[0]):
                self.assert_ends(lines[0], [*self.words(lines[0]), "--threads", "1"], interrupt=True)

    def test_who_can_take_long_has_a_time_limit(self):
        for command in ("bound", "compare", "find", "index", "query", "replay", "simulate", "solve", "sweep", "tree"):
            with self.subTest(command):
                self.assertIn("--time-limit", run(command, "--help").stdout)

    def test_an_index_and_a_bound_are_ended(self):
        for line in ("index -T 700 --policy gittins-fh 1,1", "bound -T 1000 50x1,1"):
            with self.subTest(line):
                self.assert_ends(line, [*line.split(), *LIMIT])
                self.assert_ends(line, [*line.split(), "--threads", "1"], interrupt=True)

    def test_compare_over_priors_says_what_is_missing(self):
        for more in ([], ["--quiet"]):
            done = run("compare", "-T", "60", "--priors", "1,1 2,1", "--minimax", "--max-states", "500", "2x1,1",
                       "--policies", "kg", *more)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+ not known[^\n]+\n\Z")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_stops_cli.py PROGRAM [unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
