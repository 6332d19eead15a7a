"""Limits and signals are checked everywhere: long work of every command and family is ended early.

    test_stops_cli.py PROGRAM [unittest option...]

The tests measure processor time, which does not depend on other work of the machine.
"""

import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SANITIZED, FolderCase, run  # noqa: E402

TABLE = pathlib.Path(__file__).parent.parent / "bench/families/list.c"
MOST = 1.5 * (20 if SANITIZED else 1)  # seconds of the processor, from the first to the last
LIMIT = ["--time-limit", "0.3", "--threads", "1"]
NEVER = 20 * (10 if SANITIZED else 1)  # of the processor; a command that takes so long is ended

FEATURES = "one\ttwo\n1\t2\n2\t3\n3\t1\n0\t1\n1\t0\n"

# Work that would take minutes at least; the first word of each line is a command.
LONG = {
    "independent": ["solve -T 400 20x1,1", "solve -T 4000 --problem bandit 2x1,1",
                    "solve -T 4000 --problem bandit --memory 16G 2x1,1", "compare -T 200 20x1,1",
                    "compare -T 60 --priors 1,1~2,1~1,2 --minimax 4x1,1",
                    "simulate -T 3000 --runs 1000000 200x1,1"],
    "delayed": ["solve --arrival-rate 0.1 --service-rate 0.4 --arrivals 1200 1000x1,1",
                "compare --arrival-rate 0.1 --service-rate 0.4 --arrivals 60 100x1,1"],
    "batch": ["compare -T 80 --batch 4 100x1,1"],
    "deadline": ["solve -T 800 --deadline 1000 100x1,1", "compare -T 800 --deadline 1000 100x1,1"],
    "workers": ["solve -T 40 --workers-prior 3x4,1 5x1,1"],
    "features": ["solve -T 40 --features FEATURES"],
    "ranking": ["solve -T 200 --problem ranking 5x1", "solve -T 30 --problem ranking 6x1",
                "compare -T 30 --problem ranking 6x1", "query -T 30 --problem ranking --history 1>2 6x1"],
    "sources": ["solve -T 200 --source a:1:0.7 --source b:2:0.8 60x1,1",
                "compare -T 30 --source a:1:0.7 --source b:2:0.8,0.3 6x1,1"],
    "priced": ["solve -T 2000 --price 0.001 200x1,1"],
    "labelers": ["solve -T 200 --problem labelers --accuracy-prior orders 0.92 0.781 0.625 0.66 0.727",
                 "compare -T 2000 --problem labelers --explore 8,0.5 0.92 0.781 0.625 0.66 0.727"],
    "assignment": ["solve -T 60 --problem assignment --workers-prior 3x4,1 10x1"],
}
# Other commands: `made` makes the files that their options name, without a limit.
COMMANDS = {
    "bound": "bound -T 1000 50x1,1",
    "find": "find uniform --instances 4 -T 20 --parameter 9 --claim gain:0.5",
    "index": "index -T 700 --policy gittins-fh 1,1",
    "next": "next --labels LABELS -T 1000 --batch 100 --policy gittins-fh",
    "replay": "replay --labels LABELS --gold GOLD --runs 1000000",
    "sweep": "sweep STUDY --prior 1,1 --instances 20 --budget 200:202 --policies opt-kg",
    "tree": "tree -T 60 10x1,1",
    "verify": "verify POLICY",
}
BY_CELL = {"sweep"}  # its time limit is one of a cell, of which others follow
READS = {"fit": "fit -", "labels": "labels -"}  # rows without end; a signal ends the program, as long as files are read
SHORT = {"plot", "report", "policies", "completion"}  # they show what is there
PLAYS = {"play"}  # waits for people; a signal ends it at once
# The optimal value is proved at once; the missing part is shown in its row.
PROVED = {LONG["labelers"][1]}


class StopTest(FolderCase):
    def made(self, name):
        """The path of a file that a line names in capitals."""
        path = self.folder / name.lower()
        if path.exists():
            return str(path)
        draw = random.Random(20261125)
        if name == "FEATURES":
            path.write_text(FEATURES, encoding="ascii")
        elif name == "LABELS":
            rows = [f"{task}\tw{worker}\t{int(draw.random() < task % 11 / 10)}\n"
                    for task in range(200) for worker in range(60)]
            path.write_text("task\tworker\tlabel\n" + "".join(rows), encoding="ascii")
        elif name == "GOLD":
            path.write_text("task\tlabel\n" + "".join(f"{task}\t{task % 2}\n" for task in range(200)),
                            encoding="ascii")
        elif name == "POLICY":
            run("solve", "-T", "20" if SANITIZED else "38", "10x1,1", "--quiet", "--export-policy", str(path))
        return str(path)

    def words(self, line):
        return [self.made(word) if word in ("FEATURES", "LABELS", "GOLD", "POLICY", "STUDY") else word.replace("~", " ")
                for word in line.split()]

    def ended(self, words, interrupt=False, given=subprocess.DEVNULL):
        """Seconds of the processor, the exit status, and the outputs."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            begun = subprocess.Popen(
                [test_cli.PROGRAM, *words], stdin=given, stdout=out, stderr=err,
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
        if words[0] == "sweep":  # how many cells are left stands beside the reason
            self.assertIn("interrupted", err, about)
            return
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

    def test_every_command_is_here(self):
        by_family = {line.split()[0] for lines in LONG.values() for line in lines}
        known = {*by_family, *COMMANDS, *READS, *SHORT, *PLAYS}
        self.assertEqual(known, set(test_cli.COMMANDS))
        for command in known - SHORT - PLAYS:
            with self.subTest(command):
                self.assertIn("--time-limit", run(command, "--help").stdout)

    def test_every_command_is_ended(self):
        for command, line in COMMANDS.items():
            with self.subTest(line):
                words = self.words(line)
                if command not in BY_CELL:
                    self.assert_ends(line, [*words, *LIMIT])
                self.assert_ends(line, [*words, "--threads", "1"], interrupt=True)

    def test_reading_without_end_is_ended(self):
        for line in READS.values():
            with self.subTest(line), subprocess.Popen(
                    ["sh", "-c", "printf 'task\\tworker\\tlabel\\n'; exec yes \"$1\"", "sh", "t1\tw1\t1"],
                    stdout=subprocess.PIPE) as rows:
                seconds, code, out, err = self.ended([*line.split(), "--time-limit", "0.3"], given=rows.stdout)
                rows.stdout.close()
                rows.terminate()
                self.assertLess(seconds, MOST)
                self.assertEqual((code, out), (3, ""), err)
                self.assertRegex(err, r"\Aoptgap: [^\n]*not read to its end[^\n]+\n\Z")

    def test_a_comparison_without_tables_has_a_bracket(self):
        for more, least, most in ((["3,1"], "0.875", "1"), (["--objective", "bandit", "3,1"], "0", "15000")):
            words = ["compare", "-T", "15000", "--memory", "16G", *more]
            seconds, code, out, err = self.ended([*words, "--time-limit", "0.01", "--threads", "1"])
            self.assertLess(seconds, MOST)
            self.assertEqual(code, 3, err)
            self.assertIn("while its tables were built", err)
            self.assertRegex(out, rf"(?m)^at least +{least} \(calling without labels\)$")
            self.assertRegex(out, rf"(?m)^at most +{most} \(every call right\)$")

    def test_compare_over_priors_says_what_is_missing(self):
        for more in ([], ["--quiet"]):
            done = run("compare", "-T", "60", "--priors", "1,1 2,1", "--minimax", "--max-states", "500", "2x1,1",
                       "--policies", "kg", *more)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+ was not found[^\n]+\n\Z")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_stops_cli.py PROGRAM [unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
