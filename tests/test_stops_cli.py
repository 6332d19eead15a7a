"""Limits and signals are checked everywhere: long work of every command and family is ended early.

    test_stops_cli.py PROGRAM [unittest option...]

Nothing is timed: with tests/preload.c the clock runs a second from one look at it to the next, so that each place that looks
now and then looks always. A limit of 8 s is then over at the eighth look, or after a fifth of a second of the processor; a
program that looks 80 times more is killed. So is one that works on without a look (by the kernel, after three seconds of the
processor; all work here would take longer).
bench/speed/measure --set limits has the times.
"""

import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SANITIZED, SCALE, SEED, FolderCase, run  # noqa: E402

TABLE = pathlib.Path(__file__).parent.parent / "bench/families/list.c"
BENT = os.environ.get("OG_PRELOAD", "")  # no such object for sanitizers, where the clock is the real one
LIMIT = "8" if BENT else "0.3"  # seconds, which are looks
NEVER = 3 if BENT else 200 if SANITIZED else 20  # of the processor; a command that takes so long is ended

TRIAL = pathlib.Path(__file__).resolve().parent.parent / "tools/examples/trial.py"
FEATURES = "one\ttwo\n1\t2\n2\t3\n3\t1\n0\t1\n1\t0\n"

# Work that would take minutes at least; the first word of each line is a command.
LONG = {
    "independent": ["solve -T 400 20x1,1", "solve -T 4000 --problem bandit 2x1,1",
                    "solve -T 4000 --problem bandit --memory 16G 2x1,1", "compare -T 200 20x1,1",
                    "simulate -T 3000 --runs 1000000 200x1,1"],
    "delayed": ["solve --arrival-rate 0.1 --service-rate 0.4 --arrivals 1200 1000x1,1",
                "compare --arrival-rate 0.1 --service-rate 0.4 --arrivals 60 100x1,1",
                "bound --arrival-rate 0.1 --service-rate 0.4 --arrivals 1200 1000x1,1"],
    "batch": ["compare -T 80 --batch 4 20x1,1"],
    "deadline": ["solve -T 800 --deadline 1000 100x1,1", "compare -T 800 --deadline 1000 100x1,1", "bound -T 800 --deadline 1000 100x1,1"],
    "workers": ["solve -T 40 --workers-prior 3x4,1 5x1,1"],
    "features": ["solve -T 40 --features FEATURES"],
    "ranking": ["solve -T 200 --problem ranking 5x1", "solve -T 30 --problem ranking 6x1",
                "compare -T 30 --problem ranking 6x1", "query -T 30 --problem ranking --history 1>2 6x1",
                "bound -T 30 --problem ranking 6x1",
                "simulate -T 3000 --runs 1000000 --problem ranking --workers-prior 30x4,1 --policies crowd-bt 900x1"],
    "sources": ["solve -T 200 --source a:1:0.7 --source b:2:0.8 60x1,1",
                "compare -T 30 --source a:1:0.7 --source b:2:0.8,0.3 6x1,1"],
    "priced": ["solve -T 2000 --price 0.001 200x1,1"],
    "labelers": ["solve -T 200 --problem labelers --accuracy-prior orders 0.92 0.781 0.625 0.66 0.727",
                 "compare -T 2000 --problem labelers --explore 8,0.5 0.92 0.781 0.625 0.66 0.727"],
    "assignment": ["solve -T 60 --problem assignment --workers-prior 3x4,1 10x1"],
    "process": [f"solve --process command:python3~{TRIAL}~200~10"],
}
# Other commands: `made` makes the files that their options name, without a limit.
COMMANDS = {
    "bound": "bound -T 1000 50x1,1",
    "find": "find uniform --instances 4 -T 20 --parameter 9 --claim gain:0.5",
    "index": "index -T 700 --policy gittins-fh 1,1",
    "play": "play -T 40 --workers-prior 3x4,1 5x1,1",
    "next": "next --labels LABELS -T 1000 --batch 100 --policy gittins-fh",
    "replay": "replay --labels LABELS --gold GOLD --runs 1000000",
    "sweep": "sweep STUDY --for T=200:202 compare -T %T --policies opt-kg 20x1,1",
    "tree": "tree -T 60 10x1,1",
    "verify": "verify POLICY",
}
BY_CELL = {"sweep"}  # its time limit is one of a cell, of which others follow
READS = {"fit": "fit -", "labels": "labels -"}  # rows without end; a signal ends the program, as long as files are read
SHORT = {"plot", "report", "policies", "completion"}  # they show what is there
# Problems whose tables are small, so that a random limit meets all that comes after them, and their policies.
PLAYED = {
    "-T 300 40x1,1 20x2,1@0.3": "kg opt-kg cvar-kg:0.3 gittins-fh gittins-inf kg-star lagrangian lp-update dual dual:2 "
                                "midway:gittins-fh lookahead:3 nlu rollout:gittins-fh thompson top-two ucb1-tuned apt lsa entropy",
    "-T 3000 2000x1,1": "gittins-fh lp-update lagrangian dual nlu thompson",
    "-T 60 6x1,1,1,1 4x2,1,1,1": "kg gittins-fh gittins-inf nlu",
    "-T 100 2x1,1,1,1,1": "opt-kg nlu",
    "-T 1500 --problem bandit 4x1,1 2x2,1": "gittins-fh gittins-inf thompson dual",
    "-T 1000 --price 0.001 100x1,1": "gittins-fh lagrangian opt-kg",
    "--arrival-rate 0.1 --service-rate 0.4 --arrivals 200 50x1,1": "hu-frazier gittins-fh uniform",
    "-T 400 --deadline 600 50x1,1": "hu-frazier uniform",
    "-T 4000 --workers-prior 100x4,1 1000x1,1": "uniform kg opt-kg kos",
    "-T 60 --features FEATURES": "kg opt-kg",
    "-T 20000 --problem ranking 400x1": "akg akg:10 akg-printed distance rc+uniform",
    "-T 40 --problem ranking --workers-prior 3x4,1 4x1": "akg kg crowd-bt",
    "-T 300 --source a:1:0.7 --source b:2:0.8 60x1,1": "kg cheapest",
    "-T 60 --source a:1:0.7 --source b:2:8,2 6x1,1": "kg cheapest",
    "-T 100000 --problem labelers 0.9 0.85 0.8 0.75 0.7 0.7 0.65 0.65 0.6": "ls-ol bayes-vote",
    "-T 20000 --problem assignment --workers-prior 50x4,1 2000x1": "naive bbta:3 iethresh:0.8 crowdsense:0.1",
}
ASKED = ["simulate --runs 1000000 --policy", "compare --policy", "compare --max-states 100 --max-policy-states 100 --policy",
         "query --policy", "tree --levels 1 --against", "play --against"]
# The optimal value is proved at once; the missing part is shown in its row.
PROVED = {LONG["labelers"][1]}


class StopTest(FolderCase):
    def played_lines(self):
        return [f"{asked} {policy} {problem}" for problem, policies in PLAYED.items() for policy in policies.split()
                for asked in ASKED]

    def test_a_limit_in_the_narrower_search_at_the_same_labels_loses_no_row(self):
        """What the wider search told of the last row stays, with its larger error."""
        words = "compare -T 10 --policy agree:2 --policy beta-stop:0.8 --threads 1 --json 3x1,1".split()
        errors = []
        for limit in range(8000, 30000, 2000) if BENT else ():
            code, out, err = self.ended(words, limit=str(limit))
            self.assertEqual(code, 0, err)
            errors += [row["equal"]["error"] for row in json.loads(out)["policies"][1:] if "equal" in row]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertTrue(not BENT or errors[0] > 100 * errors[-1], errors)

    def test_every_policy_is_ended(self):
        draw = random.Random(SEED)
        ended = 0
        for _ in range(int(60 * SCALE)):
            problem = draw.choice(list(PLAYED))
            line = f"{draw.choice(ASKED)} {draw.choice(PLAYED[problem].split())} {problem}"
            with self.subTest(line):
                limit = str(int(2 ** draw.uniform(2, 15))) if BENT else LIMIT
                code, _, err = self.ended([*self.words(line), "--threads", "1"], limit=limit)
                self.assertIn(code, (0, 2, 3), (line, limit, err))  # 2: refused, as not each is for all; 0: done before
                self.assertRegex(err, r"\Aoptgap: [^\n]+\n\Z" if code > 0 else r"\A\Z", (line, limit))
                ended += code == 3
        self.assertGreater(ended, 20 * min(SCALE, 1))

    @unittest.skipUnless(BENT, "needs a clock that runs by looks")
    def test_labels_of_unfinished_runs_are_not_counted(self):
        words = ["simulate", "-T", "12", "--problem", "ranking", "--policy", "akg", "--counts", "--runs", "1000000", "--json", "5x1"]
        for limit in ("3000", "5555"):
            code, out, err = self.ended([*words, "--threads", "1"], limit=limit)
            self.assertEqual(code, 3, err)
            row = json.loads(out)["policies"][0]
            pairs = [4, 3, 2, 1]  # of that distance, of which the mean is given
            self.assertAlmostEqual(sum(n * mean for n, mean in zip(pairs, row["comparisons_by_distance"])), 12)

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

    def ended(self, words, interrupt=False, given=subprocess.DEVNULL, limit=LIMIT):
        """The exit status and the outputs, at a limit or after an interrupt."""
        bent = BENT and not interrupt and {"LD_PRELOAD": BENT, "OG_BENT": f"run {limit}"}
        words = [*words, *([] if interrupt else ["--time-limit", limit])]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            begun = subprocess.Popen(
                [test_cli.PROGRAM, *words], stdin=given, stdout=out, stderr=err, env={**os.environ, **(bent or {})},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (NEVER, NEVER)))
            if interrupt:
                test_cli.wait_until_signals_are_caught(begun)
                begun.send_signal(signal.SIGINT)
            begun.wait()
            out.seek(0)
            err.seek(0)
            return begun.returncode, out.read(), err.read()

    def assert_ends(self, line, words, interrupt=False):
        code, out, err = self.ended([*words, "--threads", "1"], interrupt)
        about = (line, code, err)
        if line in PROVED and code == 0:
            self.assertEqual(err, "", about)
            return
        self.assertEqual(code, 3, about)
        self.assertNotRegex(out, r"(?<![\w-])(nan|inf)\b", about)
        if words[0] == "sweep":  # how many cells are left stands beside the reason
            self.assertIn("interrupted", err, about)
            return
        if words[0] == "bound" and "while its tables were built" not in err:
            self.assertIn("upper bound", out, about)
        self.assertRegex(err, r"\Aoptgap: [^\n]+\n\Z", about)
        if words[0] == "compare" and "while its tables were built" not in err:
            self.assertIn("At least" if "At least" in out else "at least", out, about)

    def test_every_family_is_here(self):
        families = re.findall(r"&og_family_(\w+),", TABLE.read_text(encoding="utf-8"))
        self.assertEqual(families, list(LONG))

    def test_a_time_limit_ends_all(self):
        for line in (line for lines in LONG.values() for line in lines):
            with self.subTest(line):
                self.assert_ends(line, self.words(line))

    def test_a_signal_ends_all(self):
        for lines in LONG.values():
            with self.subTest(lines[0]):
                self.assert_ends(lines[0], self.words(lines[0]), interrupt=True)

    def test_every_command_is_here(self):
        by_family = {line.split()[0] for lines in LONG.values() for line in lines}
        known = {*by_family, *COMMANDS, *READS, *SHORT}
        self.assertEqual(known, set(test_cli.COMMANDS))
        for command in known - SHORT:
            with self.subTest(command):
                self.assertIn("--time-limit", run(command, "--help").stdout)

    def test_every_command_is_ended(self):
        for command, line in COMMANDS.items():
            with self.subTest(line):
                words = self.words(line)
                if command not in BY_CELL:
                    self.assert_ends(line, words)
                if command != "play":  # which a signal ends at once
                    self.assert_ends(line, words, interrupt=True)

    def test_an_export_is_ended_and_leaves_no_file(self):
        """The optimum takes a moment, and its states a gigabyte and minutes: one of the limits ends them."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "policy")
            for limit in ("1.5",) if SANITIZED else ("1.5", "6", "24"):
                done = run("solve", "-T", "130", "--time-limit", limit, "--export-policy", str(path), "50x1,1")
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
                self.assertEqual(os.listdir(folder), [])
                if "the export was stopped with " in done.stderr:
                    break
            else:
                self.assertTrue(SANITIZED, done.stderr)

    @unittest.skipUnless(BENT, "needs a clock that runs by looks")
    def test_a_long_table_is_ended(self):
        for more in [], ["--json"]:
            code, out, err = self.ended(["index", "-T", "80", "--policy", "opt-kg", "1,1", "--threads", "1", *more], limit="2000")
            self.assertEqual((code, out == ""), (3, more != []), err)
            self.assertIn("the table does not have all rows", err)

    def test_reading_without_end_is_ended(self):
        for line in READS.values():
            with self.subTest(line), subprocess.Popen(
                    ["sh", "-c", "printf 'task\\tworker\\tlabel\\n'; exec yes \"$1\"", "sh", "t1\tw1\t1"],
                    stdout=subprocess.PIPE) as rows:
                code, out, err = self.ended(line.split(), given=rows.stdout)
                rows.stdout.close()
                rows.terminate()
                self.assertEqual((code, out), (3, ""), err)
                self.assertRegex(err, r"\Aoptgap: [^\n]*not read to its end[^\n]+\n\Z")

    def test_a_comparison_without_tables_has_a_bracket(self):
        for more, least, most in ((["3,1"], "0.875", "1"), (["--objective", "bandit", "3,1"], "0", "15000")):
            words = ["compare", "-T", "15000", "--memory", "16G", *more]
            code, out, err = self.ended([*words, "--threads", "1"], limit="1" if BENT else "0.01")
            self.assertEqual(code, 3, err)
            self.assertIn("while its tables were built", err)
            self.assertRegex(out, rf"(?m)^at least +{least} \(calling without labels\)$")
            self.assertRegex(out, rf"(?m)^at most +{most} \(every call right\)$")


def tell_times(limit):
    """Seconds that each line takes beyond its limit, and its exit status; no test, but for bench/speed/measure."""
    case = StopTest("test_every_family_is_here")
    case.setUp()
    lines = [line for lines in LONG.values() for line in lines] + [*COMMANDS.values()] + case.played_lines()
    for line in lines:
        begun = time.monotonic()
        code, _, err = case.ended([*case.words(line), "--threads", "1"], limit=limit)
        print(f"{time.monotonic() - begun - float(limit):6.2f} {code} {line}", flush=True)
    case.doCleanups()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_stops_cli.py PROGRAM [--times LIMIT | unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:2] == ["--times"]:
        BENT = ""
        tell_times(sys.argv[2])
        sys.exit()
    unittest.main(verbosity=1)
