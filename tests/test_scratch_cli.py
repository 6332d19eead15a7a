"""Layers of blocks in files of a folder, --scratch: the same bits as in memory, also after failures.

    test_scratch_cli.py PROGRAM [unittest option...]
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, SANITIZED, FolderCase, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

WORDS = ["-T", "44", "10x1,1", "--engine", "blocks"]
SMALL = [*WORDS, "--memory", "4M"]  # holds all but the layers
# An interrupt is checked ten times a second: this takes longer.
SLOW = ["-T", "52", "10x1,1", "--engine", "blocks", "--memory", "16M"]
LARGE = ["-T", "52", "10x1,1", "--memory", "24M"]  # 64 MB of layers


class ScratchCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.scratch = ["--scratch", self.folder]

    @classmethod
    def setUpClass(cls):
        cls.known = json.loads(run("solve", *WORDS, "--json").stdout)["optimal"]

    def names(self):
        return sorted(os.listdir(self.folder))

    def layers(self):
        return [name for name in self.names() if name.endswith(".layer")]

    def assert_known(self, found, known=None):
        for key in ("value", "gain", "error_bound", "states"):
            self.assertEqual(found[key], (known or self.known)[key])

    def assert_goes_on(self, words=SMALL):
        """The same command without a failure: the same bits, and no files are left."""
        known = None if words is SMALL else self.document("solve", *words[:-2])["optimal"]
        self.assert_known(self.document("solve", *words, *self.scratch)["optimal"], known)
        self.assertEqual(self.names(), [])

    def start(self, *words):
        begun = subprocess.Popen([PROGRAM, *words, *self.scratch], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(begun.kill)
        return begun

    def stop_at_a_layer(self, number, *words):
        """Sends a signal as soon as there is a layer; repeats if it was too late. One thread, so that another core is
        free for this loop, which does not sleep."""
        for _ in range(100):
            begun = self.start("solve", *words, "--threads", "1")
            while not self.layers() and begun.poll() is None:
                pass
            begun.send_signal(number)
            out, err = begun.communicate(timeout=200)
            if begun.returncode != 0:
                break
        self.assertEqual(out, "")
        return begun.returncode, err


class ValueTest(ScratchCase):
    def test_the_same_bits(self):
        for threads in ("1", "2", "3"):
            found = self.document("solve", *SMALL, *self.scratch, "--threads", threads)["optimal"]
            self.assert_known(found)
            self.assertGreater(found["disk_bytes"], 2 ** 20)
            self.assertLessEqual(found["memory_bytes"], 4 * 2 ** 20)
            self.assertEqual(self.names(), [])
        self.assertRegex(self.answer("solve", *SMALL, *self.scratch), r"(?m)^On disk +[\d.]+ MB at most$")

    def test_memory_that_holds_the_layers_is_taken(self):
        found = self.document("solve", *WORDS, *self.scratch)["optimal"]
        self.assert_known(found)
        self.assertNotIn("disk_bytes", found)

    def test_comparisons_and_queries(self):
        words = ["-T", "40", "9x1,1", "2,1", "--engine", "blocks"]
        small = ["--memory", "8M", *self.scratch]
        policies = ["--policies", "opt-kg,uniform"]
        found = self.document("compare", *words, *policies, *small)
        known = self.document("compare", *words, *policies)
        self.assertEqual(found["optimal"]["value"], known["optimal"]["value"])
        self.assertEqual([row["value"] for row in found["policies"]], [row["value"] for row in known["policies"]])
        self.assertGreater(found["optimal"]["disk_bytes"], 0)
        found = self.document("query", *words, "--policies", "kg", *small)
        known = self.document("query", *words, "--policies", "kg")
        self.assertEqual([row["q"] for row in found["instances"]], [row["q"] for row in known["instances"]])
        self.assertEqual(self.names(), [])

    def test_a_dry_run_knows_the_bytes(self):
        forecast = self.document("solve", *SMALL, *self.scratch, "--dry-run")["forecast"]["blocks"]
        found = self.document("solve", *SMALL, *self.scratch)["optimal"]
        self.assertTrue(forecast["exact"])
        self.assertEqual((forecast["states"], forecast["disk_bytes"]), (found["states"], found["disk_bytes"]))
        self.assertRegex(self.answer("solve", *SMALL, *self.scratch, "--dry-run"), r"(?m)^On disk +[\d.]+ MB at a time")

    @unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
    def test_the_process_stays_within_the_limit(self):
        def most(*words):
            pid = os.posix_spawn(PROGRAM, [PROGRAM, *words, *self.scratch], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
            status, usage = os.wait4(pid, 0)[1:]
            self.assertEqual(status, 0)
            return usage.ru_maxrss * 1024
        limit, least = 24 * 2 ** 20, most("solve", "-T", "2", "2x1,1")
        self.assertLessEqual(most("solve", *LARGE), limit + least)
        self.assertGreater(self.document("solve", *LARGE, *self.scratch)["optimal"]["disk_bytes"], 2 * limit)


class StopTest(ScratchCase):
    def test_killed_at_any_moment(self):
        for _ in range(4):
            code, _ = self.stop_at_a_layer(signal.SIGKILL, *SMALL)
            self.assertEqual(code, -signal.SIGKILL)
            self.assertTrue(self.layers())
        self.assert_goes_on()

    def test_interrupted(self):
        code, err = self.stop_at_a_layer(signal.SIGINT, *SLOW)
        self.assertEqual(code, 3)
        self.assertRegex(err, r"\Aoptgap: interrupted [^\n]*; \d+ of 52 layers are in " +
                         re.escape(str(self.folder)) + r", from which the same command continues\n\Z")
        self.assertEqual(self.names(), self.layers())
        self.assert_goes_on(SLOW)

    def test_what_is_damaged_is_refused(self):
        self.stop_at_a_layer(signal.SIGINT, *SLOW)
        path = self.folder / self.layers()[-1]
        whole = path.read_bytes()
        middle = len(whole) // 2
        for damaged in (whole[:-1], b"", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]):
            path.write_bytes(damaged)
            self.assert_refused(["solve", *SLOW, *self.scratch], "is damaged", code=2)
        path.write_bytes(whole)
        self.assert_goes_on(SLOW)

    def test_a_full_disk(self):
        done = run_with_small_files(10 ** 6, "solve", *SMALL, *self.scratch)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: the scratch file [^\n]* could not be written: [^\n]*\n\Z")
        self.assertEqual(self.names(), self.layers())
        self.assert_goes_on()

    @unittest.skipIf(SANITIZED, "leaks cannot be looked for under strace")
    @unittest.skipUnless(shutil.which("strace"), "strace: not installed")
    def test_calls_that_fail(self):
        # strace counts the calls of each thread for itself, so there is one. Its first pwrite signs the lock, which works
        # without that.
        for call, n in (("pwrite64", 2), ("pwrite64", 40), ("fdatasync", 3), ("rename", 5), ("fallocate", 7)):
            done = subprocess.run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e",
                 f"inject={call}:error=ENOSPC:when={n}", PROGRAM, "solve", *SMALL, *self.scratch, "--threads", "1"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=250)
            self.assertEqual((done.returncode, done.stdout), (1, ""), (call, done.stderr))
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]* could not be written: No space left[^\n]*\n\Z")
            self.assertEqual(self.names(), self.layers())
            self.assert_goes_on()


class RefusalTest(ScratchCase):
    def test_what_is_no_folder(self):
        file = self.folder / "file"
        file.touch()
        for path in (str(self.folder / "none"), str(file)):
            for command in ("solve", "compare", "query"):
                self.assert_refused([command, *SMALL, "--scratch", path], "scratch folder", code=2)
        self.assert_refused(["solve", *SMALL, "--scratch", "/proc"], "could not be written", code=1)

    def test_what_has_no_blocks(self):
        words = ["solve", "-T", "5", *self.scratch]
        self.assert_refused([*words, "2x1,1", "--engine", "recursion"], "--engine recursion")
        self.assert_refused([*words, "2x1,1", "--checkpoint", str(self.folder / "file")], "--checkpoint")
        self.assert_refused([*words, "2x1,1", "--arithmetic", "exact"], "does not support --scratch")
        self.assert_refused([*words, "2x1,1", "--workers-prior", "4,1"], "--scratch does not support")


if __name__ == "__main__":
    main()
