"""Sweeps of a command line over a grid, into a file of answers.

    test_sweep.py PROGRAM [unittest option...]
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, SANITIZED, SEED, FolderCase, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

PASSING = ("seconds", "memory_bytes", "command", "threads")
GRID = ["--for", "K=2,3,5", "--for", "T=1:4", "compare", "-T", "%T", "--policies", "kg,uniform", "%Kx1,1"]


def lasting(value):
    """A document without what differs from run to run."""
    if isinstance(value, dict):
        return {name: lasting(inner) for name, inner in value.items() if name not in PASSING}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


class SweepCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.path = str(self.folder / "study.jsonl")

    def sweep(self, *words, code=0, **more):
        done = run("sweep", self.path, *words, folder=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def lines(self):
        return [json.loads(line) for line in self.text().splitlines()]

    def answers(self):
        return {json.dumps(line["asked"]): lasting(line.get("answer")) for line in self.lines()}

    def asked(self):
        return [" ".join(line["asked"][1:]) for line in self.lines()]

    def counts(self, done):
        return tuple(int(line.split()[-1]) for line in done.stdout.splitlines()[1:3])


class GridTest(SweepCase):
    def test_answers_are_what_the_commands_print(self):
        self.sweep(*GRID)
        for line in self.lines():
            printed = json.loads(run(*line["asked"], "--json").stdout)
            self.assertEqual(lasting(line["answer"]), lasting(printed))
            self.assertEqual((line["answer"]["version"], line["answer"]["commit"]),
                             (printed["version"], printed["commit"]))
        self.assertEqual(len(self.lines()), 12)

    VALUES = [  # texts of --for, the words of the command, and what they are for each cell
        (["T=1,3"], "-T %T 1,1", ["-T 1 1,1", "-T 3 1,1"]),
        (["T=1:3"], "-T %T 1,1", ["-T 1 1,1", "-T 2 1,1", "-T 3 1,1"]),
        (["T=0:4:2,7"], "-T %T 1,1", ["-T 0 1,1", "-T 2 1,1", "-T 4 1,1", "-T 7 1,1"]),
        (["K=1,4", "T=1.3K"], "-T %T %Kx1,1", ["-T 1 1x1,1", "-T 5 4x1,1"]),
        (["T=2K-1", "K=1,2"], "-T %T %Kx1,1", ["-T 1 1x1,1", "-T 3 2x1,1"]),
        (["K=2", "T=1:K"], "-T %T %Kx1,1", ["-T 1 2x1,1", "-T 2 2x1,1"]),
        (["P=1,1 2,1"], "-T 1 2x%P", ["-T 1 2x1,1", "-T 1 2x2,1"]),
        (["P=1", "PQ=2"], "-T 1 %PQx%{P},1", ["-T 1 2x1,1"]),
        (["Z=0.1:0.3:0.1"], "-T 1 --price %Z 1,1", ["-T 1 --price=0.1 1,1", "-T 1 --price=0.2 1,1",
                                                     "-T 1 --price=0.3 1,1"]),
        (["Z=1e-3,2.5e-01"], "-T 1 --price %Z 1,1", ["-T 1 --price=1e-3 1,1", "-T 1 --price=2.5e-01 1,1"]),
        (["e=2", "T=1e"], "-T %T 1,1", ["-T 2 1,1"]),
        (["p=kg,opt-kg"], "-T 1 --policies %p 1,1", ["-T 1 --policies=kg 1,1", "-T 1 --policies=opt-kg 1,1"]),
        ([], "-T 2 1,1", ["-T 2 1,1"]),
    ]

    def test_values_ranges_and_sums_make_these_cells(self):
        for texts, words, expected in self.VALUES:
            if os.path.exists(self.path):
                os.remove(self.path)
            names = [word for text in texts for word in ("--for", text)]
            self.sweep(*names, "compare", *words.split())
            self.assertEqual(sorted(self.asked()), sorted(expected), texts)

    def test_other_spellings_are_the_same_cells(self):
        first = self.sweep("--for", "T=1:2", "compare", "-T", "%T", "--policies", "kg", "2x1,1")
        self.assertEqual(self.counts(first), (2, 2))
        for words in (["--policies=kg", "--budget=%T", "2x1,1"], ["-T%T", "2x1,1", "--policies", "kg", "--threads=1"],
                      ["--quiet", "-T", "%T", "--policy", "kg", "2x1,1"]):
            again = self.sweep("--for", "T=1:3", "compare", *words)
            expected = (3, 3 if "--policy" in words else 1 if "--policies=kg" in words else 0)
            self.assertEqual(self.counts(again), expected, words)

    def test_every_question_of_a_problem_can_be_asked(self):
        for command in ("solve", "bound", "query", "tree"):
            self.sweep("--for", "T=1:2", command, "-T", "%T", "2,1", "1,1")
        self.sweep("--for", "T=2", "simulate", "-T", "%T", "--runs", "10", "2x1,1")
        self.sweep("--for", "T=2", "index", "-T", "%T", "--policy", "kg", "1,1")
        self.sweep("--for", "T=2", "-T", "%T", "1,1")
        found = [line["asked"][0] for line in self.lines()]
        self.assertEqual(found, ["solve", "solve", "bound", "bound", "query", "query", "tree", "tree", "simulate",
                                 "index", "compare"])

    def test_a_changed_file_is_another_cell(self):
        table = self.write("mine.tsv", run("index", "--policy", "kg", "-T", "2", "1,1").stdout)
        words = ["--for", "T=1:2", "compare", "-T", "%T", "--policies", "table:mine.tsv,kg", "2x1,1"]
        self.assertEqual(self.counts(self.sweep(*words)), (2, 2))
        self.assertEqual(self.counts(self.sweep(*words)), (2, 0))
        with open(table, "a", encoding="utf-8") as file:
            file.write("# changed\n")
        self.assertEqual(self.counts(self.sweep(*words)), (2, 2))
        self.assertEqual(len({json.dumps(line["files"]) for line in self.lines()}), 2)

    def test_a_file_that_is_written_is_not_asked_about(self):
        words = ["--for", "T=1:2", "solve", "-T", "%T", "--export-policy", str(self.folder / "policy%T"), "2x1,1"]
        for expected in (2, 0, 0):
            self.assertEqual(self.counts(self.sweep(*words)), (2, expected))

    def test_any_number_of_threads_gives_the_same_bits(self):
        self.sweep(*GRID, "--threads", "1")
        one = self.answers()
        os.remove(self.path)
        self.sweep(*GRID, "--threads", "3")
        self.assertEqual(self.answers(), one)

    def test_parts_are_the_whole(self):
        self.sweep(*GRID)
        whole = self.answers()
        text = ""
        for part in range(1, 4):
            os.remove(self.path)
            self.sweep("--part", f"{part}/3", *GRID)
            self.assertEqual(len(self.lines()), 4)
            text += self.text()
        self.write("study.jsonl", text)
        self.assertEqual(self.answers(), whole)
        self.assertEqual(self.counts(self.sweep(*GRID)), (12, 0))


class BadInputTest(SweepCase):
    REFUSED = [
        (["--for", "T=1:", "-T", "%T", "1,1"], "a range must be FROM:TO"),
        (["--for", "T=1:2:3:4", "-T", "%T", "1,1"], "a range must be FROM:TO"),
        (["--for", "T=3:1", "-T", "%T", "1,1"], "FROM must be at most TO"),
        (["--for", "T=1:9:0", "-T", "%T", "1,1"], "the step in '1:9:0' must be greater than 0"),
        (["--for", "T=1", "-T", "%K", "1,1"], "no --for gives"),
        (["--for", "T=2K", "-T", "%T", "1,1"], "uses 'K', which no --for names"),
        (["--for", "T=2K", "--for", "K=2T", "-T", "%T", "1,1"], "in a circle"),
        (["--for", "K=kg", "--for", "T=2K", "-T", "%T", "1,1"], "needs numbers for K, not 'kg'"),
        (["--for", "T=1:2000000", "-T", "%T", "1,1"], "more than 1000000 cells"),
        (["--for", "K=1:10000000000", "--for", "T=2:1", "-T", "%T", "%Kx1,1"], "more than 1000000 cells"),
        (["--for", "T", "-T", "%T", "1,1"], "--for must be NAME=VALUES"),
        (["--for", "T=1,,2", "-T", "%T", "1,1"], "a value is empty"),
        (["--for", "T=1", "--for", "T=2", "-T", "%T", "1,1"], "given twice"),
        (["--for", "T=1", "-T", "%T", "1,1,x"], "compare -T 1 1,1,x: instance '1,1,x'"),
        (["--for", "T=1,x", "-T", "%T", "1,1"], "not 'x'"),
        (["--for", "T=1", "solve", "-T", "%T", "--csv", "1,1"], "omit --csv"),
        (["--for", "T=1", "replay", "-T", "%T"], "asks one of compare, solve, "),
        (["--for", "T=1", "--part", "3/2", "-T", "%T", "1,1"], "--part must be I/N"),
    ]

    def test_each_gets_one_line_and_leaves_no_file(self):
        for words, expected in self.REFUSED:
            done = self.sweep(*words, "--quiet", code=2)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
            self.assertIn(expected, done.stderr)
            self.assertEqual((done.stdout, os.listdir(self.folder)), ("", []), words)

    def test_other_files_are_refused_and_kept(self):
        for text, expected in (("a,b\n1,2\n", "line 1: it is not an answer"), ("SQLite format 3\0x", "is a database"),
                               ('{"asked": ["solve"], "answer": {}}\n{"answer": {}}\n', "line 2: it is not")):
            self.write("study.jsonl", text)
            done = self.sweep(*GRID, code=2)
            self.assertIn(expected, done.stderr)
            self.assertEqual(self.text(), text)
        os.remove(self.path)
        os.mkdir(self.path)
        self.assertIn("is a folder", self.sweep(*GRID, code=2).stderr)


class InterruptionTest(SweepCase):
    def test_an_empty_line_is_read_over(self):
        self.sweep("--for", "T=1:2", "compare", "-T", "%T", "1,1")
        self.write("study.jsonl", "\n" + self.text().replace("\n", "\n\n"))
        self.assertEqual(self.counts(self.sweep("--for", "T=1:3", "compare", "-T", "%T", "1,1")), (3, 1))

    def test_a_last_line_that_was_cut_is_asked_again(self):
        self.sweep(*GRID)
        whole = self.answers()
        text = self.text()
        cuts = {len(text) - 1, text.rindex("\n", 0, len(text) - 1) + 1, text.rindex("\n", 0, len(text) - 1) + 9}
        for cut in sorted(cuts):
            self.write("study.jsonl", text[:cut])
            self.assertEqual(self.counts(self.sweep(*GRID)), (12, 1), cut)
            self.assertEqual(self.answers(), whole)

    def test_kills_and_signals_lose_no_cell(self):
        """After each, every line is whole and none is lost; in the end the answers are those of one run."""
        self.sweep(*GRID)
        whole = self.answers()
        os.remove(self.path)
        draw = random.Random(SEED)
        kept = 0
        for number in [signal.SIGKILL, signal.SIGINT, signal.SIGTERM] * 2:
            done = subprocess.Popen([PROGRAM, "sweep", self.path, *GRID], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wanted = draw.randrange(kept, kept + 3)
            while done.poll() is None and self.whole_lines() < wanted:
                pass
            done.send_signal(number)
            done.communicate(timeout=300)
            self.assertIn(done.returncode, (0, 3, -number))
            self.assertGreaterEqual(self.whole_lines(), kept)
            kept = self.whole_lines()
        self.sweep(*GRID)
        self.assertEqual(self.answers(), whole)
        self.assertEqual(os.listdir(self.folder), ["study.jsonl"])

    def whole_lines(self):
        if not os.path.exists(self.path):
            return 0
        with open(self.path, "rb") as file:
            return sum(line.endswith(b"\n") and json.loads(line) is not None for line in file)

    def test_a_signal_for_all_its_processes_is_no_answer(self):
        """As a terminal, `timeout`, Slurm and systemd send it; the programs of policies end too, after SIGKILL as well."""
        for number, times in ((signal.SIGTERM, 1), (signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGKILL, 1)):
            command = f"command:echo $$ >>{self.folder}/pids; exec sleep 600"
            words = ["--for", "T=1:3", "compare", "-T", "%T", "--policy", command, "2x1,1"]
            done = subprocess.Popen([PROGRAM, "sweep", self.path, "--threads", "3", *words], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            while len(self.words_of("pids")) < 3:
                pass
            if number == signal.SIGKILL:
                done.kill()
            else:
                os.killpg(done.pid, number)
                for _ in range(1, times):
                    time.sleep(0.05)
                    os.killpg(done.pid, number)
            done.communicate(timeout=300)
            self.assertIn(done.returncode, (-9,) if number == signal.SIGKILL else (3,) if times == 1 else (3, -2))
            self.assertEqual(self.whole_lines(), 0)
            deadline = time.monotonic() + 300
            for pid in self.words_of("pids"):
                while os.path.exists(f"/proc/{pid}") and "sleep" in self.words_of(f"/proc/{pid}/cmdline"):
                    self.assertTrue(number == signal.SIGKILL or times > 1)
                    time.sleep(0.01)
                    self.assertLess(time.monotonic(), deadline)
            os.remove(self.folder / "pids")

    def words_of(self, path):
        try:
            return (self.folder / path).read_text().replace("\0", " ").split()
        except FileNotFoundError:
            return []

    def test_a_second_writer_is_refused_with_the_number_of_the_first(self):
        words = ["--for", "T=1", "compare", "-T", "%T", "--policy", "command:cat >/dev/null; sleep 60", "1,1"]
        first = subprocess.Popen([PROGRAM, "sweep", self.path, *words], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        try:
            first.stderr.readline()  # it names its cells once it has the file
            done = self.sweep(*GRID, code=1)
            self.assertIn(str(first.pid), done.stderr)
        finally:
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=300)
        self.assertEqual(first.returncode, 3)

    @unittest.skipIf(SANITIZED, "the sanitizer writes files of its own")
    def test_a_full_disk_leaves_whole_lines_and_the_same_command_continues(self):
        self.sweep(*GRID)
        whole = self.answers()
        os.remove(self.path)
        done = run_with_small_files(1 << 14, "sweep", self.path, *GRID)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"study.jsonl cannot be written: ")
        self.assertEqual(self.whole_lines(), len(self.lines()))
        self.sweep(*GRID)
        self.assertEqual(self.answers(), whole)

    def test_a_limit_leaves_its_bracket_until_it_is_asked_again(self):
        words = ["--for", "T=80", "compare", "-T", "%T", "--policies", "kg", "20x1,1,1,1"]
        self.sweep(*words, "--time-limit", "0.05", code=3)
        line = self.lines()[0]
        self.assertEqual(line["stopped"], "time limit")
        self.assertLess(line["answer"]["bracket"]["lower"], line["answer"]["bracket"]["upper"])
        self.assertEqual(self.counts(self.sweep(*words)), (1, 0))
        self.sweep(*words, "--retry", "--time-limit", "0.05", code=3)
        self.assertEqual(len(self.lines()), 2)

    def test_a_cell_that_fails_is_named(self):
        words = ["--for", "T=1", "compare", "-T", "%T", "--policy", "command:false", "2x1,1"]
        done = self.sweep(*words, "--quiet", code=1)
        self.assertRegex(done.stderr, r"\Aoptgap: compare -T 1 --policy command:false 2x1,1: policy 'command:false': ")


if __name__ == "__main__":
    main()
