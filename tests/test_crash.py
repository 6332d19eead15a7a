"""The program where the ground goes away under it: killed at any moment, on a disk that is full at any
write, interrupted at any call.

    test_crash.py PROGRAM [unittest option...]

Afterwards each file is whole, the old one or the new one, nothing is left beside it, and the same
command ends with the same bits. TEST_SCALE=100 makes a thousand of the ten kills and full disks of
each test, TEST_SEED=N falls on other moments. Calls are made to fail by strace.
"""

import itertools
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
import test_files_cli  # noqa: E402
import test_sweep  # noqa: E402
from test_cli import SAMPLE, SANITIZED  # noqa: E402

SCALE = float(os.environ.get("TEST_SCALE", "1"))
SEED = os.environ.get("TEST_SEED", "1")
CASES = math.ceil(10 * SCALE)
SOLVE = ["solve", "-T", "34" if SANITIZED else "40", "10x1,1", "--engine", "recursion", "--json"]
TIMES = {"seconds", "table_seconds", "memory_bytes", "states", "forgotten", "wall_seconds"}


def tell(cases):
    """For the night check, which adds them up."""
    print(f"\nCases: {cases}", file=sys.stderr)


def without_times(found):
    """A document without what may differ between two runs of a command."""
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in TIMES}
    if isinstance(found, list):
        return [without_times(value) for value in found]
    return found


class KillTest(test_sweep.SweepCase):
    """SIGKILL at random moments."""

    def killed_after(self, seconds, words):
        """Whether it was killed, and what it printed."""
        begun = subprocess.Popen([test_cli.PROGRAM, *words], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = begun.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            begun.kill()
            out, err = begun.communicate()
        self.assertIn(begun.returncode, (0, -signal.SIGKILL), err)
        return begun.returncode != 0, out

    def test_a_solve_with_a_checkpoint(self):
        draw = random.Random(f"solve {SEED}")
        checkpoint, copy = self.folder / "checkpoint", self.folder / "copy"
        words = [*SOLVE, "--checkpoint", str(checkpoint), "--checkpoint-every", "0.002"]
        begun = time.monotonic()
        known = self.document(*SOLVE)["optimal"]
        longest = 1.5 * (time.monotonic() - begun)
        kills = saved = 0
        while kills < CASES:
            killed, out = self.killed_after(draw.uniform(0, longest), words)
            kills += killed
            if not killed:
                self.assert_same(json.loads(out)["optimal"], known)
                checkpoint.unlink()
                continue
            longest *= 1.01 if not checkpoint.exists() else 1
            if checkpoint.exists() and draw.random() < 0.5:
                saved += 1
                shutil.copy(checkpoint, copy)
                self.assert_same(self.document(*SOLVE, "--checkpoint", str(copy))["optimal"], known)
                copy.unlink()
        tell(kills)
        self.assertGreater(saved, 0)
        self.assert_same(self.document(*words[:-1], "300")["optimal"], known)
        self.assertLessEqual(set(os.listdir(self.folder)), {"checkpoint"})

    def assert_same(self, found, known):
        for key in ("value", "gain", "error_bound"):
            self.assertEqual(found[key], known[key])

    def test_an_exported_policy(self):
        """The old file or the new one."""
        draw = random.Random(f"export {SEED}")
        out = self.folder / "policy"
        words = ["solve", "-T", "14", "3x1,1", "--quiet", "--all-optimal", "--export-policy", str(out)]
        begun = time.monotonic()
        self.answer(*words)
        longest = 1.2 * (time.monotonic() - begun)
        whole = out.read_bytes()
        kills = 0
        while kills < CASES:
            old = draw.choice([whole, b""])
            out.write_bytes(old)
            kills += self.killed_after(draw.uniform(0, longest), words)[0]
            self.assertIn(out.read_bytes(), (whole, old))
        tell(kills)
        self.answer(*words)
        self.assertEqual(out.read_bytes(), whole)
        self.assertEqual(os.listdir(self.folder), ["policy"])

    @unittest.skipUnless(SCALE > 1, "test_sweep kills one")
    def test_a_sweep(self):
        known = self.straight()
        kills = 0
        for seed in itertools.count():
            kills += self.kill_sometimes(signal.SIGKILL, f"sweep {SEED} {seed}")
            self.assertEqual(self.query(test_sweep.VALUES), known)
            self.assertEqual(set(os.listdir(self.folder)), {"study.db", "straight.db"})
            if kills >= CASES:
                break
            pathlib.Path(self.db).unlink()
        tell(kills)


@unittest.skipIf(SANITIZED, "leaks cannot be looked for under strace")
@unittest.skipUnless(shutil.which("strace"), "strace: not installed")
class FaultCase(test_files_cli.FolderCase):
    """A call to the system, the n-th of its kind, that fails. Each scene is a command line and the
    outputs that it writes."""

    def setUp(self):
        super().setUp()
        self.out = str(self.folder / "out")
        self.scenes = [
            ["solve", "-T", "30", "10x1,1", "--engine", "recursion", "--threads", "1", "--json",
             "--checkpoint", self.out, "--checkpoint-every", "0.001"],
            ["solve", "-T", "8", "2x1,1", "--json", "--all-optimal", "--export-policy", self.out],
            ["sweep", self.out, "--prior", "1,1", "--instances", "2", "--budget", "1:3", "--threads",
             "1", "--policies", "kg"],
            ["report", self.db, "-o", self.out],
            ["plot", self.db, "value", "-o", self.out + ".svg"],
            ["simulate", "-T", "5", "3x1,1", "--runs", "100", "--json", "--threads", "1"],
            ["replay", "--labels", SAMPLE, "--gold", str(self.gold), "--runs", "2", "--json",
             "--policies", "kg", "--threads", "1"],
            ["index", "-T", "20", "--policy", "kg", "1,1"],
        ]
        self.known = {}

    def traced(self, words, *options):
        done = subprocess.run(["strace", "-f", "-qq", "-o", str(self.folder / "trace"), *options,
                               test_cli.PROGRAM, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=250)
        return done

    def calls(self, words, kinds):
        """[(kind, n)]: what can fail in this command line."""
        self.forget()
        done = self.traced(words, "-c", "-e", "trace=" + ",".join(kinds))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.known[words[0], words[-1]] = (done.stdout, self.outputs())
        counted = re.findall(r"(\d+)(?: +\d+)? +(\w+)$", (self.folder / "trace").read_text(), re.MULTILINE)
        return [(kind, n + 1) for number, kind in counted if kind in kinds for n in range(int(number))]

    def forget(self):
        for name in self.names() - {"study.db", "gold.tsv"}:
            (self.folder / name).unlink()

    def names(self):
        return set(os.listdir(self.folder)) - {"trace"}

    def outputs(self):
        """{name: content} of what is written; of a study, its results."""
        found = {}
        for name in self.names() - {"study.db", "gold.tsv"}:
            content = (self.folder / name).read_bytes()
            if content.startswith(b"SQLite"):
                with sqlite3.connect(self.folder / name) as database:
                    self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
                    content = database.execute("SELECT prior, budget, value FROM result").fetchall()
            found[name] = content
        return found

    def same_answer(self, words, found, known):
        if "--json" in words:
            found, known = (without_times(json.loads(text)) for text in (found, known))
        elif words[0] == "sweep":
            return True
        return found == known

    def check(self, words, done, before, where):
        """The answer, or one line and status 1; each output as it was or as it is to be."""
        answer, written = self.known[words[0], words[-1]]
        about = (where, done.returncode, done.stderr, done.stdout[-300:])
        self.assertIn(done.returncode, (0, 1), about)
        if done.returncode == 0:
            self.assertTrue(self.same_answer(words, done.stdout, answer), about)
        elif "+" not in where and words[0] not in ("plot", "report"):  # gnuplot met it as well, and the line may be what could not be written
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", about)
            self.assertTrue(not done.stdout or "result" in done.stderr, about)
        if "--checkpoint" in words or words[0] == "sweep":
            return
        outputs = self.outputs()
        self.assertLessEqual(set(outputs), set(written), about)
        for name in outputs:
            self.assertIn(outputs[name], (before.get(name), written[name]), about)
        if done.returncode == 0:
            self.assertEqual(outputs, written, about)

    def walk(self, kinds, error, cases, on=("",)):
        """Random ones of all calls of all scenes; afterwards the command line ends as it should."""
        draw = random.Random(f"{error} {SEED}")
        possible = [(words, call) for words in self.scenes for call in self.calls(words, kinds)]
        few = {}
        for words, call in possible:  # one scene has a thousand, another three
            few.setdefault((words[0], words[-1]), []).append((words, call))
        tell(cases)
        for _ in range(cases):
            words, (kind, n) = draw.choice(draw.choice(sorted(few.values())))
            self.forget()
            if draw.random() < 0.5:
                self.answer_or_nothing(words)
            before = self.outputs()
            where = f"{kind}:error={error}:when={n}{draw.choice(on)}"
            done = self.traced(words, "--seccomp-bpf", "-e", "trace=" + kind, "-e", "inject=" + where)
            self.check(words, done, before, where + " in " + " ".join(words))
            again = test_cli.run(*words)
            self.assertEqual((again.returncode, again.stderr), (0, ""), (where, words))
            self.assertTrue(self.same_answer(words, again.stdout, self.known[words[0], words[-1]][0]), where)
            self.assertEqual(self.names(), {"study.db", "gold.tsv", *self.known[words[0], words[-1]][1]}, where)

    def answer_or_nothing(self, words):
        self.assertEqual(test_cli.run(*words).returncode, 0)


class FullDiskTest(FaultCase):
    def test_any_write_finds_the_disk_full(self):
        self.walk(["write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "rename"], "ENOSPC",
                  CASES, ("", "+"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_crash.py PROGRAM [unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
