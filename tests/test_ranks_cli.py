"""Layers of blocks over the ranks of mpirun: the same bits, and one answer.

    test_ranks_cli.py PROGRAM [unittest option...]

OG_WITH_MPI: programs built with an MPI, separated by colons.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import Case, main, run  # noqa: E402

WORDS = ["-T", "46", "10x1,1", "--engine", "blocks"]
WITHOUT_BLOCKS = [["--deadline", "6", "--arrival", "0.5", "--service", "2,0.5", "2x1,1"], ["--source", "a:1:3,1", "2x1,1"]]
GRID = ["--for", "T=1:6", "compare", "-T", "%T", "--policies", "kg,uniform", "2x1,1"]
LONG = ["-T", "62", "10x1,1", "--engine", "blocks", "--threads", "1"]  # seconds


class WithoutMpiTest(Case):
    def test_a_dry_run_tells_what_ranks_take(self):
        words = ["solve", *WORDS, "--dry-run"]
        alone = self.document(*words)["forecast"]["blocks"]
        before, sent = alone["memory_bytes"], 0
        for ranks in (2, 4, 8):
            found = self.document(*words, "--ranks", str(ranks))["forecast"]["blocks"]
            self.assertEqual((found["states"], found["ranks"]), (alone["states"], ranks))
            self.assertGreater(found["sent_bytes"], sent)
            sent = found["sent_bytes"]
        self.assertNotIn("ranks", alone)
        self.assertRegex(self.answer(*words, "--ranks", "2"), r"(?m)^Ranks +2, of which each has .* sent$")
        large = ["solve", "-T", "60", "10x1,1", "--dry-run"]
        before = self.document(*large)["forecast"]["blocks"]["memory_bytes"]
        for ranks in (2, 4, 8):
            bytes_now = self.document(*large, "--ranks", str(ranks))["forecast"]["blocks"]["memory_bytes"]
            self.assertLess(bytes_now, 0.75 * before)
            before = bytes_now

    def test_the_number_of_ranks_is_for_dry_runs(self):
        self.assert_refused(["solve", *WORDS, "--ranks", "2"], "mpirun -n 2")
        self.assert_refused(["solve", *WORDS, "--dry-run", "--ranks", "0"], "--ranks")
        self.assert_refused(["solve", *WORDS, "--dry-run", "--ranks", "65536"], "--ranks")

    def test_each_of_several_processes_would_do_the_whole_work(self):
        started = {"OMPI_COMM_WORLD_SIZE": "4"}
        done = run("solve", "-T", "3", "2x1,1", environment=started)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: optgap was started as 4 ranks [^\n]+-Dmpi=enabled\n\Z")
        self.assertEqual(run("bound", "-T", "3", "2x1,1", environment=started).returncode, 0)
        job = {**started, "SLURM_JOB_ID": "7"}  # tasks of a job may each have a problem of their own
        self.assertEqual(run("solve", "-T", "3", "2x1,1", environment=job).returncode, 0)


class MpiCase(Case):
    """The same tests with each MPI."""

    program = None

    @classmethod
    def setUpClass(cls):
        if cls.program is None:
            raise unittest.SkipTest(f"no program with {cls.library}")
        cls.starter = shutil.which(cls.mpirun)
        if cls.starter is None:
            raise unittest.SkipTest(f"no {cls.mpirun}")
        cls.known = json.loads(run("solve", *WORDS, "--json").stdout)["optimal"]
        # The rank that fails waits seconds for the other: beside all tests before the one that looks at it.
        cls.waits = cls.start((1, "solve", *WORDS), (1, "solve", "-T", "3", "@/none"))

    @classmethod
    def start(cls, *parts):
        """Each part: how many ranks, and their words."""
        words = [cls.starter, *cls.options]
        for i, (ranks, *given) in enumerate(parts):
            words += [*([":"] if i > 0 else []), "-n", str(ranks), cls.program, *given]
        begun = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(begun.kill)
        return begun

    def end(self, begun):
        """Its status, its output, and the program's own lines about errors."""
        out, err = begun.communicate(timeout=120)
        return begun.returncode, out, [line for line in err.splitlines() if line.startswith("optgap: ")]

    def ranks(self, *parts):
        return self.end(self.start(*parts))

    def assert_refused_by_ranks(self, *refusals):
        """Each: a word of the message, and parts. They begin together, as most of their time is waiting."""
        for expected, begun in [(expected, self.start(*parts)) for expected, *parts in refusals]:
            self.assert_ends_refused(begun, expected)

    def assert_ends_refused(self, begun, expected, code=2):
        status, out, lines = self.end(begun)
        self.assertEqual((out, len(lines)), ("", 1), lines)
        if code is None:
            self.assertNotEqual(status, 0)
        else:
            self.assertEqual(status, code)
        self.assertIn(expected, lines[0])

    def test_any_number_of_ranks_has_the_same_bits(self):
        for ranks in (1, 2, 3, 4):
            status, out, lines = self.ranks((ranks, "solve", *WORDS, "--json", "--threads", "1"))
            self.assertEqual((status, lines), (0, []))
            found = json.loads(out)["optimal"]
            for key in ("value", "gain", "error_bound", "states", "engine"):
                self.assertEqual(found[key], self.known[key], ranks)
            if ranks == 1:
                self.assertNotIn("ranks", found)
                continue
            forecast = self.document("solve", *WORDS, "--dry-run", "--ranks", str(ranks))["forecast"]["blocks"]
            self.assertEqual((found["ranks"], found["sent_bytes"]), (ranks, forecast["sent_bytes"]))

    def test_a_sweep_needs_a_part_for_each_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            study = os.path.join(folder, "ranks.jsonl")
            self.assert_refused_by_ranks(("each process needs a file and a --part of its own", (2, "sweep", study, *GRID)))
            self.assertEqual(os.listdir(folder), [])

    def test_rank_0_speaks_for_all(self):
        status, out, lines = self.ranks((3, "solve", "-T", "5", "3x1,1"))  # the recursion ends it
        self.assertEqual((status, out.count("Optimal value"), lines), (0, 1, []))
        status, out, lines = self.ranks((2, "solve", *WORDS, "--dry-run"))
        self.assertEqual((status, lines), (0, []))
        self.assertEqual(len(re.findall(r"(?m)^Ranks +2,", out)), 1)

    def test_what_ranks_cannot_do_is_refused(self):
        self.assert_refused_by_ranks(
            ("'compare' does not support ranks", (2, "compare", "-T", "3", "2x1,1")),
            ("do not support --scratch", (2, "solve", *WORDS, "--scratch", "/tmp")),
            ("do not support --arithmetic exact", (2, "solve", "-T", "3", "2x1,1", "--arithmetic", "exact")),
            ("--checkpoint", (2, "solve", *WORDS, "--checkpoint", "/tmp/none")),
            ("do not support --engine recursion", (2, "solve", "-T", "3", "2x1,1", "--engine", "recursion")))

    def test_problems_without_blocks_are_refused(self):
        self.assert_refused_by_ranks(*(("mpirun", (2, "solve", "-T", "3", *words)) for words in WITHOUT_BLOCKS))

    def test_all_end_where_one_cannot_go_on(self):
        small = self.start((1, "solve", *WORDS), (1, "solve", *WORDS, "--memory", "2M"))
        limited = self.start((2, "solve", *LONG, "--time-limit", "0.3"))
        self.assert_ends_refused(small, "rank 1: the memory limit of 2.0 MB", code=3)
        self.assert_ends_refused(limited, "the time limit of 0.3 s", code=3)
        # OpenMPI's starter has been seen to crash as it ends them.
        self.assert_ends_refused(self.waits, "'/none' cannot be opened", code=None)

    def test_ranks_that_differ_end_with_one_status(self):
        usage = (1, "solve", "-T", "3", "nonsense")  # MPICH would make 3 of 2 and 1, and of 2 and 3
        for other in (["-T", "3", "2x1,1"], [*WORDS, "--memory", "2M"]):
            self.assertEqual(self.ranks((1, "solve", *other), usage)[0], 2)

    def test_a_launcher_of_another_mpi_is_refused(self):
        starter = shutil.which("mpirun.openmpi" if self.library == "MPICH" else "mpirun.mpich")
        if starter is None:
            self.skipTest("no other MPI")
        options = OpenMpiTest.options if self.library == "MPICH" else []
        done = subprocess.run([starter, *options, "-n", "2", self.program, "solve", "-T", "3", "2x1,1"], capture_output=True,
                              text=True, timeout=100)
        self.assertEqual((done.returncode, "Optimal" in done.stdout), (2, False))
        self.assertIn("started as 2 ranks but built without this mpirun's MPI; omit mpirun", done.stderr)

    def workers(self, begun):
        """The ranks that a launcher has started so far, directly or through its helpers."""
        found, parents = [], {begun.pid}
        stats = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                name, rest = path.read_text(encoding="ascii").rsplit(") ", 1)
            except OSError:
                continue
            stats.append((int(name.split(" ", 1)[0]), name.split("(", 1)[1], int(rest.split()[1])))
        for _ in range(3):
            parents |= {pid for pid, _, parent in stats if parent in parents}
        found = [pid for pid, name, _ in stats if pid in parents and name.startswith("optgap-")]
        return found

    def wait_for_ranks(self, begun, count):
        while len(self.workers(begun)) < count and begun.poll() is None:
            time.sleep(0.01)
        workers = self.workers(begun)
        self.assertEqual(len(workers), count)
        for pid in workers:  # MPI has begun by then
            test_cli.wait_until_signals_are_caught(begun, pid)
        return workers

    def test_a_signal_ends_all(self):
        begun = self.start((2, "solve", *LONG))
        self.wait_for_ranks(begun, 2)
        begun.send_signal(signal.SIGINT)
        _, out, lines = self.end(begun)  # MPICH's starter may say 0 where both its ranks said 3
        self.assertNotIn("Optimal", out)
        self.assertRegex("\n".join(lines), r"\A(optgap: interrupted after [^\n]+)?\Z")

    def test_a_killed_rank_ends_all(self):
        begun = self.start((3, "solve", *LONG))
        workers = self.wait_for_ranks(begun, 3)
        os.kill(max(workers), signal.SIGKILL)
        status, out, _ = self.end(begun)
        self.assertNotEqual(status, 0)
        self.assertNotIn("Optimal", out)  # MPICH's starter says there what happened
        end = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{pid}") for pid in workers) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual([pid for pid in workers if os.path.exists(f"/proc/{pid}")], [])


class OpenMpiTest(MpiCase):
    library = "OpenMPI"
    mpirun = "mpirun.openmpi"
    # Ranks that are told to end get no second to do so.
    options = ["--allow-run-as-root", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"]


class MpichTest(MpiCase):
    library = "MPICH"
    mpirun = "mpirun.mpich"
    options = []


del MpiCase

if __name__ == "__main__":
    for built in filter(None, os.environ.get("OG_WITH_MPI", "").split(":")):
        (MpichTest if "mpich" in os.path.basename(built) else OpenMpiTest).program = built
    main()
