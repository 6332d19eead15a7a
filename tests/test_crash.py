"""The program under failures: kills at random moments, a full disk at any write, interrupted system calls,
Ctrl-C at any reading of the clock, clocks that jump, and short reads and writes.

    test_crash.py PROGRAM [unittest option...]

Afterwards each file is complete, the old one or the new one; no other files are left; and the same command
ends with the same bits. TEST_SCALE=250 makes a thousand cases of each test instead of four, TEST_SEED=N
selects other moments.
"""

import functools
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
import test_files_cli  # noqa: E402
import test_sweep  # noqa: E402
from cli import PROGRAM, SANITIZED, SCALE, SEED, main  # noqa: E402
from test_cli import SAMPLE  # noqa: E402

CASES = math.ceil(4 * SCALE)
SOLVE = ["solve", "-T", "38" if SANITIZED else "40", "10x1,1", "--engine", "recursion"]
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
        """True if it was killed; and its output."""
        begun = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL,
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
        words = [*SOLVE, "--json", "--checkpoint", str(checkpoint), "--checkpoint-every", "0.002"]
        begun = time.monotonic()
        known = self.document(*SOLVE)["optimal"]
        longest = 1.5 * (time.monotonic() - begun)
        kills = saved = 0
        while kills < CASES or saved == 0:
            killed, out = self.killed_after(draw.uniform(0, longest), words)
            kills += killed
            if not killed:
                self.assert_same(json.loads(out)["optimal"], known)
                checkpoint.unlink(missing_ok=True)  # short work ends before it is saved
                continue
            longest *= 1.01 if not checkpoint.exists() else 1
            if checkpoint.exists() and draw.random() < 0.5:
                saved += 1
                shutil.copy(checkpoint, copy)
                self.assert_same(self.document(*SOLVE, "--checkpoint", str(copy))["optimal"], known)
                copy.unlink()
        tell(kills)
        self.assert_same(self.document(*SOLVE, "--checkpoint", str(checkpoint), "--checkpoint-every", "300")["optimal"], known)
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

    def test_a_sweep(self):
        """Lines that were written stay, and the same command writes the others."""
        draw = random.Random(f"sweep {SEED}")
        begun = time.monotonic()
        self.sweep(*test_sweep.GRID)
        longest = 1.2 * (time.monotonic() - begun)
        known, kills = self.answers(), 0
        os.remove(self.path)
        while kills < CASES:
            killed, _ = self.killed_after(draw.uniform(0, longest), ["sweep", self.path, "--quiet", *test_sweep.GRID])
            kills += killed
            if not killed:
                self.assertEqual(self.answers(), known)
                os.remove(self.path)
        tell(kills)
        self.sweep(*test_sweep.GRID)
        self.assertEqual(self.answers(), known)
        self.assertEqual(len(self.lines()), len(known))
        self.assertLessEqual(set(os.listdir(self.folder)), {"study.jsonl"})


class FaultCase(test_files_cli.StudyCase):
    """A failure in a scene's command line: the n-th call of a kind fails."""

    def setUp(self):
        super().setUp()
        self.own = {"study.jsonl", "gold.tsv", "policy.py"}
        self.out = str(self.folder / "out")
        policy = self.folder / "policy.py"
        policy.write_text("import sys\nfor line in sys.stdin:\n    print('{\"choose\": 0}', flush=True)\n")
        solve = ["solve", "-T", "30", "10x1,1", "--engine", "recursion", "--json"]
        one = ["--threads", "1"]
        self.scenes = [
            [*solve, *one, "--checkpoint", self.out, "--checkpoint-every", "0.001"],
            ["solve", "-T", "8", "2x1,1", "--json", "--all-optimal", "--export-policy", self.out],
            ["solve", "-T", "3", "1,1", "2,1", "--json", "--export-model", self.out + ".drn"],
            ["sweep", self.out, "--quiet", *one, "--for", "T=1:3", "compare", "-T", "%T", "--policies", "kg", "2x1,1"],
            ["report", self.db, "-o", self.out],
            ["plot", self.db, "value", "-o", self.out + ".svg"],
            ["simulate", "-T", "5", "3x1,1", "--runs", "100", "--json", *one],
            ["replay", "--labels", SAMPLE, "--gold", str(self.gold), "--runs", "2", "--json", "--policies", "kg", *one],
            ["index", "-T", "20", "--policy", "kg", "1,1"],
            ["compare", "-T", "4", "1,1", "--json", *one, "--policy", f"command:{sys.executable} {policy}"],
        ]
        self.known = functools.cache(self.straight)  # of the scenes that are drawn: two of them take a second

    def straight(self, *words):
        """Its output and files without a failure. What is there is forgotten."""
        self.forget()
        done = test_cli.run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout, self.outputs()

    def names(self):
        return set(os.listdir(self.folder)) - self.own

    def forget(self):
        for name in self.names():
            (self.folder / name).unlink()

    def outputs(self):
        """{name: content} of the written files; for a study its results; for a checkpoint only that it exists."""
        found = {}
        for name in self.names():
            content = (self.folder / name).read_bytes()
            if content.startswith(b'{"asked"'):
                content = [(line["asked"], without_times(line["answer"])["policies"]) for line in map(json.loads, content.splitlines())]
            found[name] = content
        return found

    def same_answer(self, words, found):
        known = self.known(*words)[0]
        if "--json" in words:
            found, known = (without_times(json.loads(text)) for text in (found, known))
        if words[0] == "compare" and any(row["limit"] == "interrupted" for row in found["policies"]):
            found["policies"] = known["policies"]  # the optimum decides the status; the row says why it is not valued
            late = [name for name, bound in found["bounds"].items() if not bound["converged"]]  # nor are they sought
            found["bounds"].update({name: known["bounds"][name] for name in late})
        return words[0] == "sweep" or found == known

    def may_stay(self, words):
        return {"out"} if "--checkpoint" in words else set()

    def check(self, words, done, before, statuses, about):
        """Checks the answer, or the status and line of a failure; each output is the old one or the new one."""
        written = self.known(*words)[1]
        about = (about, words, done.returncode, done.stderr, done.stdout[-300:])
        self.assertIn(done.returncode, (0, *statuses), about)
        self.assertRegex(done.stderr, r"\A([^\n]+\n)*\Z", about)
        if done.returncode == 0:
            self.assertTrue(self.same_answer(words, done.stdout), about)
        if "--checkpoint" in words or words[0] == "sweep":
            return
        outputs = self.outputs()
        self.assertLessEqual(set(outputs), set(written), about)
        for name in outputs:
            self.assertIn(outputs[name], (before.get(name), written[name]), about)
        if done.returncode == 0:
            self.assertEqual(outputs, written, about)

    def one(self, words, old, attempt, statuses, about):
        """Runs with and without the outputs of an earlier run; then once more without a failure."""
        self.known(*words)
        self.forget()
        if old:
            test_cli.run(*words)
        before = self.outputs()
        done = attempt(words)
        self.check(words, done, before, statuses, about)
        again = test_cli.run(*words)
        self.assertEqual((again.returncode, again.stderr), (0, ""), (about, words))
        self.assertTrue(self.same_answer(words, again.stdout), (about, words))
        stays = self.may_stay(words)  # a checkpoint is there or not, by the clock
        self.assertEqual(self.names() - stays, set(self.known(*words)[1]) - stays, (about, words))
        return done


@unittest.skipIf(SANITIZED, "leaks cannot be looked for under strace")
@unittest.skipUnless(shutil.which("strace"), "strace: not installed")
class CallTest(FaultCase):
    """System calls that fail, with strace."""

    def traced(self, words, *options):
        self.own.add("trace")
        return subprocess.run(["strace", "-qq", "-o", str(self.folder / "trace"), *options,
                               PROGRAM, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=250)

    def counts(self, words, kinds):
        """{kind: how often it is called}. What is there is forgotten."""
        self.forget()
        done = self.traced(words, "-c", "-e", "trace=" + ",".join(kinds))
        self.assertEqual(done.returncode, 0, (done.stderr, words))
        rows = [row.split() for row in (self.folder / "trace").read_text().splitlines()]
        return {row[-1]: int(row[3]) for row in rows if row and row[-1] in kinds}

    def walk(self, kinds, error, on=("",)):
        """Random calls of random scenes, except those of the loader before main."""
        draw = random.Random(f"{error} {SEED}")
        loader = {**self.counts(["--version"], kinds), "write": 0}

        @functools.cache
        def calls(*words):
            return [(kind, n) for kind, number in self.counts(words, kinds).items()
                    for n in range(loader.get(kind, 0) + 1, number + 1)]

        tell(CASES)
        cases = 0
        while cases < CASES:
            words = draw.choice(self.scenes)
            if not calls(*words):
                continue
            cases += 1
            kind, n = draw.choice(calls(*words))
            stays = draw.choice(on)  # for Python, too; and the line about it is lost
            where = f"{kind}:error={error}:when={n}{stays}"
            options = [*(["-f", "--seccomp-bpf"] if stays else []), "-e", "trace=" + kind, "-e", "inject=" + where]
            done = self.one(words, draw.random() < 0.5, lambda words, options=options: self.traced(words, *options),
                            [1], where)
            if done.returncode != 0 and not stays:
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", (where, words))
                self.assertTrue(not done.stdout or "result" in done.stderr, (where, words, done.stdout))

    def test_any_write_finds_the_disk_full(self):
        self.walk(["write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "rename"], "ENOSPC", ("", "+"))

    def test_any_call_is_interrupted(self):
        self.walk(["read", "write", "openat", "fsync", "wait4", "poll", "clock_nanosleep", "flock"], "EINTR")


@unittest.skipUnless(os.environ.get("OG_PRELOAD"), "no shared object is made for this build")
class BentTest(FaultCase):
    """The clock, Ctrl-C and short reads and writes, by tests/preload.c."""

    def bent(self, how):
        return lambda words: test_cli.run(*words, environment={"LD_PRELOAD": os.environ["OG_PRELOAD"], "OG_BENT": how})

    def walk(self, kinds, statuses):
        draw = random.Random(f"{kinds} {SEED}")
        tell(CASES)
        for _ in range(CASES):
            how = f"{draw.choice(kinds)} {draw.randrange(1, 2 ** draw.randrange(1, 12) + 1)}"
            done = self.one(draw.choice(self.scenes), draw.random() < 0.5, self.bent(how), statuses, how)
            if done.returncode > 0:
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", how)

    def test_the_clock_jumps(self):
        self.walk(["clock", "back"], [])

    def test_any_look_at_the_clock_meets_a_signal(self):
        self.walk(["signal"], [3, -signal.SIGINT])

    def test_calls_that_may_wait_are_interrupted(self):
        self.walk(["break"], [])

    def test_reads_and_writes_are_short(self):
        self.walk(["short"], [])


if __name__ == "__main__":
    main()
