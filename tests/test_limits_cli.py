"""The program under limits: time, memory, states, signals; and continuing from files.

    test_limits_cli.py PROGRAM [unittest option...]

An interrupted result must be correct: the same bits after continuing, or a valid bracket.
"""

import fcntl
import functools
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SANITIZED, Case, FolderCase, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

# Less where a sanitizer makes everything ten times slower.
RECURSION = ["--engine", "recursion"]
MIDDLE = ["-T", "35", "10x1,1"]
SMALL = ["-T", "40", "10x1,1", *RECURSION]  # a hundred thousand states
LARGE = ["-T", "40" if SANITIZED else "42", "10x1,1", *RECURSION]  # some hundred thousand: a signal comes before their end
OFTEN = ["--checkpoint-every", "0.05" if SANITIZED else "0.01"]  # a small part of the time that these take
ENDLESS = ["-T", "80", "10x1,1"]  # more than either engine can compute here


@functools.cache
def solved(*words):
    """The optimal value without interruption."""
    return json.loads(run("solve", *words, "--json").stdout)["optimal"]


class CheckpointCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "checkpoint")

    def stop_at_first_saving(self, words, *signals):
        """Runs until a checkpoint exists, then sends signals; returns exit status and outputs. Repeats if
        the work ended before the signal, as on a busy machine."""
        for _ in range(20):
            code, out, err = self.signalled_at_first_saving(words, *signals)
            if code != 0:
                break
        self.assertTrue(os.path.exists(self.file))
        return code, out, err

    def signalled_at_first_saving(self, words, *signals):
        pathlib.Path(self.file).unlink(missing_ok=True)
        done = subprocess.Popen(
            [test_cli.PROGRAM, *words, "--checkpoint", self.file, *OFTEN],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        end = time.monotonic() + 200
        while not os.path.exists(self.file) and done.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        for number in signals:
            done.send_signal(number)
        out, err = done.communicate(timeout=200)
        return done.returncode, out, err

    def assert_same_bits(self, found, words):
        plain = solved(*words)
        for key in ("value", "gain", "error_bound"):
            self.assertEqual(found[key], plain[key])


class CheckpointTest(CheckpointCase):
    def test_continues_after_a_kill(self):
        code, out, _ = self.stop_at_first_saving(["solve", *LARGE], signal.SIGKILL)
        self.assertEqual((code, out), (-signal.SIGKILL, ""))
        found = self.document("solve", *LARGE, "--checkpoint", self.file)
        self.assert_same_bits(found["optimal"], LARGE)

    def test_saves_at_a_signal_and_says_how_to_continue(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            code, out, err = self.stop_at_first_saving(["solve", *LARGE], number)
            self.assertEqual((code, out), (3, ""), err)
            self.assertRegex(err, r"\Aoptgap: interrupted [^\n]*\d+ states[^\n]*\n\Z")
            self.assertIn("the same command continues from " + self.file, err)
        found = self.document("solve", *LARGE, "--checkpoint", self.file)
        self.assert_same_bits(found["optimal"], LARGE)

    def test_compare_prints_a_bracket_at_a_signal_and_continues(self):
        words = ["compare", *LARGE, "--policies", "opt-kg,uniform", "--json"]
        code, out, err = self.stop_at_first_saving(words, signal.SIGTERM)
        self.assertEqual(code, 3)
        self.assertIn("continues from", err)
        cut = json.loads(out)
        self.assertIsNone(cut["optimal"]["value"])
        self.assertEqual(cut["optimal"]["limit"], "interrupted")
        self.assertEqual([row["limit"] for row in cut["policies"]], ["interrupted"] * 2)
        found = json.loads(self.answer(*words, "--checkpoint", self.file))
        self.assert_same_bits(found["optimal"], LARGE)
        self.assertLessEqual(cut["bracket"]["lower"], found["optimal"]["value"])
        self.assertGreaterEqual(cut["bracket"]["upper"], found["optimal"]["value"])

    def test_blocks_save_their_layers(self):
        words = ["-T", "48" if SANITIZED else "52", "10x1,1", "--engine", "blocks"]
        for number in (signal.SIGINT, signal.SIGKILL):
            code, out, err = self.stop_at_first_saving(["solve", *words], number)
            self.assertEqual((code, out), (3 if number == signal.SIGINT else -number, ""), err)
            if number == signal.SIGINT:
                self.assertIn("the same command continues from " + self.file, err)
            found = self.document("solve", *words, "--checkpoint", self.file)
            self.assert_same_bits(found["optimal"], tuple(words))
        self.assert_refused(["solve", *words[:-2], "--checkpoint", self.file], "add --engine blocks")
        self.assert_refused(["solve", "-T", "9", "--problem", "bandit", "2x1,1", "--engine", "blocks",
                             "--checkpoint", self.file], "does not support --checkpoint")

    def test_a_second_signal_ends_at_once(self):
        code, out, _ = self.stop_at_first_saving(["solve", *LARGE], signal.SIGTERM, signal.SIGINT)
        self.assertIn(code, (-signal.SIGTERM, -signal.SIGINT))
        self.assertEqual(out, "")

    def test_short_runs_add_up(self):
        begin = time.monotonic()
        self.document("solve", *LARGE)
        slice_seconds = max(0.1, (time.monotonic() - begin) / 2)
        words = ["solve", *LARGE, "--checkpoint", self.file, "--json",
                 "--time-limit", f"{slice_seconds:.3f}"]
        for _ in range(40):
            done = run(*words)
            if done.returncode == 0:
                break
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_bits(json.loads(done.stdout)["optimal"], LARGE)

    def test_refuses_foreign_and_damaged_files_at_once(self):
        self.stop_at_first_saving(["solve", *LARGE], signal.SIGTERM)
        whole = pathlib.Path(self.file).read_bytes()
        for command in ("solve", "compare"):
            words = [command, "--checkpoint", self.file]
            self.assert_refused([*words, *MIDDLE], "another problem")
            middle = len(whole) // 2
            flipped = bytes([whole[middle] ^ 1])
            for damaged in (whole[:-1], whole[:middle], whole[:middle] + flipped + whole[middle + 1:]):
                pathlib.Path(self.file).write_bytes(damaged)
                self.assert_refused([*words, *LARGE], "damaged", code=2)
            pathlib.Path(self.file).write_text("task\tworker\tlabel\n" * 20)
            self.assert_refused([*words, *LARGE], "not a checkpoint")
            pathlib.Path(self.file).write_bytes(whole)

    def test_where_nothing_can_be_written_is_refused_at_once(self):
        nowhere = os.path.join(self.folder, "none", "checkpoint")
        for command in ("solve", "compare"):
            words = [command, *ENDLESS, "--checkpoint", nowhere, *OFTEN]
            self.assert_refused(words, "could not be written", code=1)

    def test_what_cannot_be_saved_is_told_and_the_value_stands(self):
        words = ["solve", *SMALL, "--json", "--checkpoint", self.file, *OFTEN]
        for more in ([], ["--quiet"]):
            done = run_with_small_files(20000, *words, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]*could not be written[^\n]*\n\Z")
            self.assert_same_bits(json.loads(done.stdout)["optimal"], SMALL)
        for limit in ("0.2", "1", "5", "25"):  # on a busy machine nothing is to be saved before the first
            done = run_with_small_files(20000, "solve", *ENDLESS, "--checkpoint", self.file, "--time-limit", limit)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            if "could not be written" in done.stderr:
                break
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]*could not be written[^\n]*\n\Z")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_second_process_is_told_that_the_file_is_in_use(self):
        begun = subprocess.Popen(
            [test_cli.PROGRAM, "solve", *ENDLESS, "--checkpoint", self.file, "--memory", "64M"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(begun.communicate)
        self.addCleanup(begun.kill)
        end = time.monotonic() + 200
        lock = self.file + ".optgap-lock"
        while not (os.path.exists(lock) and os.path.getsize(lock)) and time.monotonic() < end:
            time.sleep(0.01)
        for command in ("solve", "compare"):
            self.assert_refused([command, *SMALL, "--checkpoint", self.file],
                                f"in use by another process ({begun.pid})", code=1)


class SignalTest(Case):
    """Work that would take hours, outside the recursion's many small states."""

    def interrupted(self, *words):
        """Sends a signal as soon as the program catches it; returns exit status and outputs."""
        done = subprocess.Popen([test_cli.PROGRAM, *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(done.kill)
        test_cli.wait_until_signals_are_caught(done)
        done.send_signal(signal.SIGINT)
        out, err = done.communicate(timeout=200)
        return done.returncode, out, err

    def test_bounds_in_fractions_end_with_those_that_are_known(self):
        code, out, err = self.interrupted("bound", "--arithmetic", "exact", "-T", "400", "10x1,1",
                                          "2,3", "--json")
        self.assertEqual(code, 3)
        self.assertRegex(err, r"\Aoptgap: interrupted[^\n]*\n\Z")
        if "while its tables were built" not in err:
            self.assertGreater(json.loads(out)["bounds"]["lagrangian_scalar"]["value"], 5)

    def test_an_index_ends(self):
        code, out, err = self.interrupted("index", "-T", "700", "--policy", "gittins-fh", "1,1")
        self.assertEqual((code, out), (3, ""))
        self.assertRegex(err, r"\Aoptgap: interrupted[^\n]*\n\Z")

    def test_long_runs_and_their_tables_end(self):
        for words in (["-T", "2000", "--problem", "ranking", "--policies", "akg", "200x1"],
                      ["-T", "5000", "--source", "crowd:1:0.7", "1000x1,1"]):
            code, out, err = self.interrupted("simulate", *words)
            self.assertEqual((code, out), (3, ""))
            self.assertRegex(err, r"\Aoptgap: interrupted[^\n]*\n\Z")

    def test_a_comparison_that_only_simulates_says_that_it_was_interrupted(self):
        code, out, _ = self.interrupted("compare", "-T", "2000", "--problem", "ranking", "--policies",
                                        "akg", "200x1")
        self.assertEqual(code, 3)
        self.assertIn("expected share of pairs in order\n", out)
        self.assertIn("Not valued: akg (random): interrupted.", out)

    def test_a_query_with_many_labels_of_a_worker_ends(self):
        instances = [f"{a},{b}" for a in range(1, 5) for b in range(1, 6)]
        code, out, err = self.interrupted("query", "-T", "20", "--policies", "kg-exact",
                                          "--workers-prior", "4,1", *instances)
        self.assertEqual((code, out), (3, ""))
        self.assertRegex(err, r"\Aoptgap: interrupted[^\n]*\n\Z")


class EngineTest(CheckpointCase):
    def test_each_engine_says_so_and_they_agree(self):
        words = ["-T", "38", "8x1,1", "2,1"]
        found = {kind: self.document("solve", *words, "--engine", kind)["optimal"]
                 for kind in ("auto", "recursion", "blocks")}
        self.assertEqual([one["engine"] for one in found.values()], ["blocks", "recursion", "blocks"])
        self.assertEqual(found["auto"]["value"], found["blocks"]["value"])
        self.assertLessEqual(abs(found["blocks"]["value"] - found["recursion"]["value"]),
                             found["blocks"]["error_bound"] + found["recursion"]["error_bound"])
        self.assertRegex(self.answer("solve", *words), r"(?m)^Engine +blocks$")
        words += ["--policies", "opt-kg"]
        self.assertEqual(self.document("compare", *words)["optimal"]["engine"], "blocks")
        self.assertRegex(self.answer("compare", *words), r"; \d+ states in blocks, ")
        queries = [self.document("query", *words, "--engine", kind)["instances"]
                   for kind in ("recursion", "blocks")]
        for one, other in zip(*queries):
            self.assertEqual((one["optimal"], one["near_tie"]), (other["optimal"], other["near_tie"]))
            self.assertLessEqual(abs(one["q"] - other["q"]),
                                 one["error_bound"] + other["error_bound"])

    def test_refuses_what_blocks_cannot_do(self):
        words = [*MIDDLE, "--engine", "blocks"]
        for command in ("solve", "compare"):
            self.assert_refused([command, *words, "--arithmetic", "exact"], "does not support --arithmetic exact")
        exported = ["solve", *words, "--export-policy", self.file]
        self.assert_refused([*exported, "--checkpoint", self.file + ".ck"], "--export-policy does not support")
        self.assert_refused([*exported, "--memory", "1M"], "keeps all layers", code=3)
        self.assertFalse(os.path.exists(self.file))
        found = self.document("query", *words, "--memory", "500K")
        self.assertIn("memory limit", self.answer("query", *words, "--memory", "500K"))
        self.assertIsNone(found["instances"][0]["q"])
        self.assertLess(found["instances"][0]["q_lower"], found["instances"][0]["q_upper"])
        self.assert_refused(["solve", "-T", "3", "--workers-prior", "2,1", "1,1", "--engine", "blocks"],
                            "--engine blocks does not support")
        self.assert_refused(["solve", *MIDDLE, "--engine", "block"], "auto, recursion or blocks")


class TimeTest(Case):
    def test_compare_prints_the_bracket(self):
        words = ["compare", *ENDLESS, "--policies", "kg,opt-kg,uniform", "--json"]
        for seconds in ("0.4", "1.6", "6", "24"):  # a slow machine settles no state before the first
            done = run(*words, "--time-limit", seconds)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"\Aoptgap: the time limit of " + re.escape(seconds) +
                             r" s was reached: [^\n]*\n\Z")
            self.assertIn("--checkpoint", done.stderr)
            found = json.loads(done.stdout)
            if found["optimal"]["states"]:
                break
        for key in ("value", "gain", "error_bound"):
            self.assertIsNone(found["optimal"][key])
        self.assertEqual(found["optimal"]["limit"], "time limit")
        self.assertGreater(found["optimal"]["states"], 0)
        lower, upper = found["bracket"]["lower"], found["bracket"]["upper"]
        self.assertLess(lower, upper)
        for row in found["policies"]:
            # which of the three a row is depends on how fast the machine is
            if row["status"] == "ok":
                self.assertIsNone(row["limit"])
                self.assertLessEqual(row["value"] - row["error_bound"], lower)
                self.assertIsNone(row["gap"])
            elif row["status"] == "simulated":
                self.assertLessEqual(row["low"], lower)
                self.assertLess(row["low"], row["high"])
            else:
                self.assertIsNone(row["value"])
                self.assertIn(row["limit"], ("time limit", "more than 20000000 states"))
        self.assertEqual(upper, min(bound["value"] for bound in found["bounds"].values()
                                    if bound["value"] is not None))

    def test_the_optimum_comes_first_and_every_policy_has_a_number(self):
        # two copies make the optimum small, but not the value of kg; with blocks, because kg has no stages here
        for seconds in ("1", "4", "16"):
            done = run("compare", "-T", "100", "--policies", "kg,opt-kg,uniform", "50x1,1", "--engine", "blocks",
                       "--runs", "500", "--time-limit", seconds, "--json")
            if done.returncode == 0 and '"status": "limit"' not in done.stdout:
                break
        found = json.loads(done.stdout)
        self.assertEqual(found["optimal"]["limit"], None)
        for row in found["policies"]:
            self.assertIn(row["status"], ("ok", "simulated"))
            self.assertLess(row["value"], found["optimal"]["value"] + 0.5)
        self.assertEqual(found["policies"][0]["limit"], "time limit")

    def test_bounds_and_a_policy_leave_time_to_those_after_them(self):
        for seconds in ("1", "4", "16"):
            done = run("compare", "-T", "200", "--policies", "gittins-inf:0.99999,kg", "2x1,1", "--runs", "0",
                       "--time-limit", seconds, "--json")
            slow, quick = json.loads(done.stdout)["policies"]
            if quick["status"] == "ok" or slow["status"] == "ok":
                break
        self.assertEqual((slow["status"], quick["status"]), ("limit", "ok"))

    def test_even_no_time_leaves_a_bracket(self):
        for form in ([], ["--json"]):
            done = run("compare", *ENDLESS, "--time-limit", "0.000001", *form)
            self.assertEqual(done.returncode, 3)
            self.assertIn("not begun", done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["call_value"], 5)
        self.assertGreater(5, found["bracket"]["lower"])
        self.assertEqual(found["bracket"]["upper"], found["bounds"]["lagrangian_scalar"]["value"])
        self.assertIsNone(found["bounds"]["lagrangian_vector"]["value"])
        self.assertIsNone(found["bounds"]["prevailing_charge"]["value"])
        for row in found["policies"]:
            self.assertEqual((row["value"], row["limit"]), (None, "time limit"))

    def test_solve_prints_nothing(self):
        self.assert_refused(["solve", *ENDLESS, "--time-limit", "0.1"],
                            "the time limit of 0.1 s was reached", code=3)

    def test_query_prints_what_is_proved(self):
        done = run("query", *ENDLESS, "--policies", "kg,opt-kg", "--time-limit", "0.1", "--json")
        self.assertEqual((done.returncode, done.stderr),
                         (3, "optgap: the time limit of 0.1 s was reached: Q was not computed\n"))
        for row in json.loads(done.stdout)["instances"]:
            self.assertIsNone(row["q"])
            self.assertLessEqual(row["q_lower"], row["q_upper"])

    def test_enough_time_changes_nothing(self):
        words = ["compare", *MIDDLE, "--policies", "opt-kg,uniform"]
        plain, timed = self.document(*words), self.document(*words, "--time-limit", "200")
        self.assertEqual(plain["optimal"]["value"], timed["optimal"]["value"])
        self.assertEqual([row["value"] for row in plain["policies"]],
                         [row["value"] for row in timed["policies"]])

    def test_refuses_what_is_no_time(self):
        for text in ("0", "-1", "1e3", "nan", "inf", ".", "", "1 ", "0.0", "2000000000"):
            for name in ("--time-limit", "--checkpoint-every"):
                self.assert_refused(["solve", *MIDDLE, f"{name}={text}"], name)


class SizeTest(Case):
    def test_a_quarter_of_the_memory_gives_the_same_bits(self):
        # One thread: two may end just below the size at which the table doubles.
        plain = self.document("solve", *SMALL, "--threads", "1")["optimal"]
        self.assertEqual(plain["forgotten"], 0)
        for part, threads in ((4, "2"),) if SANITIZED else ((4, "1"), (4, "2"), (3, "2")):
            memory = str(plain["memory_bytes"] // part)
            words = [*SMALL, "--memory", memory, "--threads", threads]
            found = self.document("solve", *words)["optimal"]
            self.assertEqual((found["value"], found["gain"]), (plain["value"], plain["gain"]))
            self.assertGreater(found["forgotten"], 0)
            self.assertLessEqual(found["memory_bytes"], int(memory))
        compare = ["compare", "--policies", "uniform"]
        for command in [compare] if SANITIZED else [["solve"], compare]:
            table = self.answer(*command, *SMALL, "--memory", memory)
            self.assertRegex(table, r"(?m)^Forgotten +\d+ states, as the memory was full")
            for line in table.splitlines():
                self.assertLessEqual(len(line), 80)

    def test_sizes_are_read_in_small_letters_too(self):
        for size in ("64M", "64m", "65536k", "1g"):
            self.document("solve", "-T", "5", "3x1,1", "--memory", size)
        self.assert_refused(["solve", "-T", "5", "3x1,1", "--memory", "1b"], "--memory")

    def test_too_many_different_instances_are_counted(self):
        many = [f"{1 + i // 100},{1 + i % 100}" for i in range(6000)]
        words = ["solve", "-T", "3", "--engine", "recursion"]
        done = run(*words, *many)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        found = re.fullmatch(r"optgap: a state can hold 6000 different instances, but the solver"
                             r" supports (\d+); [^\n]+\n", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        most = int(found.group(1))
        self.assertLess(most, 6000)
        self.answer(*words, *many[:most - 100])  # with as many classes the number is the same

    def test_a_policy_too_large_is_said_and_the_others_are_valued(self):
        words = ["compare", *MIDDLE, "--policies", "kg,opt-kg,uniform", "--runs", "0",
                 "--engine", "recursion", "--max-policy-states"]  # few enough for blocks
        found = self.document(*words, "20000")
        kg, opt_kg, uniform = found["policies"]
        self.assertEqual((kg["status"], kg["limit"]), ("limit", "more than 20000 states"))
        for key in ("value", "gain", "gap", "gap_percent", "gain_lost_percent", "gap_at_most"):
            self.assertIsNone(kg[key])
        for row in (opt_kg, uniform):
            self.assertEqual((row["status"], row["limit"]), ("ok", None))
        self.assertIsNotNone(found["optimal"]["value"])
        table = self.answer(*words, "20000")
        self.assertRegex(table, r"(?m)^kg +random +not valued +- +- +-$")
        self.assertIn("Not valued: kg (random): more than 20000 states", " ".join(table.split()))
        whole = self.document(*words, "0")["policies"]
        self.assertEqual([row["status"] for row in whole], ["ok"] * 3)
        self.assertEqual(whole[1]["value"], opt_kg["value"])
        self.assertGreater(whole[0]["states"], 20000)
        self.assert_refused([*words, "-1"], "--max-policy-states")
        self.assert_refused([*words, "1M"], "must be auto or a whole number of states")

    def test_what_is_out_of_reach_is_simulated(self):
        words = ["compare", "-T", "40", "10x1,1", "--policies", "opt-kg,uniform", "--runs", "4000"]
        exact = 8.566321146342709
        done = run(*words, "--max-policy-states", "1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        opt_kg, uniform = found["policies"]
        self.assertEqual((opt_kg["status"], opt_kg["simulated"], opt_kg["runs"]),
                         ("simulated", True, 4000))
        self.assertEqual((uniform["status"], uniform["simulated"]), ("ok", False))
        self.assertLessEqual(abs(opt_kg["value"] - exact), 4 * opt_kg["standard_error"])
        self.assertLess(opt_kg["low"], opt_kg["value"])
        self.assertLess(opt_kg["value"], opt_kg["high"])
        self.assertIsNone(opt_kg["error_bound"])
        # the optimum is known, so the bracket is the optimum
        self.assertFalse(found["bracket"]["lower_simulated"])
        done = run(*words, "--max-policy-states", "1", "--max-states", "1", "--json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--max-states", done.stderr)
        found = json.loads(done.stdout)
        self.assertIsNone(found["optimal"]["value"])
        self.assertTrue(found["bracket"]["lower_simulated"])
        self.assertEqual(found["bracket"]["lower"], found["policies"][0]["low"])
        done = run(*words, "--max-policy-states", "1", "--max-states", "1")
        self.assertRegex(done.stdout, r"(?m)^at least +8\.5\d+ \(likely: opt-kg, ties random")
        self.assertRegex(done.stdout, r"(?m)^Width +0\.0\d+ expected correct calls$")
        self.assertRegex(done.stdout, r"(?m)^opt-kg +random +~8\.5")
        self.assert_refused([*words[:-1], "1"], "--runs must be")

    def test_an_index_that_takes_too_long_is_not_begun(self):
        done = run("compare", "-T", "64", "2x1,1", "--policies", "gittins-fh", "--runs", "0",
                   "--max-states", "1", "--max-index-time", "0.00001")
        self.assertEqual(done.returncode, 3)
        self.assertIn("its index takes too long", " ".join(done.stdout.split()))

    def test_dry_run_bounds_the_states_without_solving(self):
        for words in (["-T", "24", "10x1,1"], ["-T", "16", "5x2,1"], ["-T", "12", "3x1,1@0.7", "2,1"],
                      ["-T", "1", "1,1"], ["-T", "0", "1,1"]):
            found = self.document("solve", *words, "--dry-run")
            self.assertNotIn("optimal", found)
            forecast = found["forecast"]
            solved = self.document("solve", *words)["optimal"]
            self.assertGreaterEqual(forecast["states"], solved["states"], words)
            self.assertGreaterEqual(forecast["memory_bytes"], forecast["table_bytes"])
            self.assertTrue(forecast["blocks"]["exact"])
            blocks = self.document("solve", *words, "--engine", "blocks")["optimal"]
            self.assertEqual(forecast["blocks"]["states"], blocks["states"], words)
        table = self.answer("solve", *ENDLESS, "--dry-run", "--memory", "4M")
        self.assertIn("Nothing was solved", table)
        self.assertRegex(table, r"(?m)^States +at most \d")
        self.assertRegex(table, r"(?m)^In blocks +not counted: ")
        self.assertIsNone(self.document("solve", *ENDLESS, "--dry-run", "--memory", "4M")["forecast"]["blocks"]["states"])
        self.assertRegex(table, r"(?m)^Memory limit +4\.0 MB$")
        for line in table.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assert_refused(["solve", *ENDLESS, "--dry-run", "--memory", "1K"], "limit", code=3)

    def test_a_dry_run_is_of_what_solve_takes(self):
        """No table of the recursion is built if solve builds none, and then its size refuses nothing."""
        for words in (["-T", "120", "--objective", "bandit", "2x1,1"], ["-T", "150", "2x1,1"]):
            forecast = self.document("solve", *words, "--dry-run")["forecast"]
            solved = self.document("solve", *words)["optimal"]
            self.assertIsNone(forecast["bytes_per_state"])
            self.assertEqual((solved["engine"], forecast["states"]), ("blocks", solved["states"]), words)
            self.assertGreaterEqual(forecast["memory_bytes"], 0.9 * solved["memory_bytes"])
        large = ["solve", "--dry-run", "-T", "700", "--objective", "bandit", "2x1,1"]  # the recursion's: 1.3 GB
        forecast = self.document(*large, "--memory", "512M")["forecast"]
        self.assertGreater(forecast["states"], 5e9)
        self.assertLess(forecast["memory_bytes"], 3e8)
        self.assert_refused([*large, "--memory", "64M"], "limit", code=3)

    def test_small_limits_are_said_in_kilobytes(self):
        done = run("solve", "-T", "20", "6x1,1", "--memory", "1K")
        self.assertIn("1.0 KB", done.stderr)
        self.assertNotIn("0.0 MB", done.stderr)


class BoundTest(Case):
    def test_prevailing_charges_lie_between_the_optimum_and_one_price(self):
        for words in (["-T", "24", "10x1,1"], ["-T", "9", "3x2,1@0.3", "0.5,0.7"], ["-T", "0", "1,1"]):
            bounds = self.document("bound", *words)["bounds"]
            optimal = self.document("solve", *words)["optimal"]
            value = bounds["prevailing_charge"]["value"]
            self.assertGreaterEqual(value, optimal["value"] - optimal["error_bound"])
            slack = bounds["prevailing_charge"]["error_bound"] * 2
            self.assertLessEqual(value, bounds["lagrangian_scalar"]["value"] + slack)
            compared = self.document("compare", *words)["bounds"]
            self.assertEqual(compared["prevailing_charge"]["value"], value)
            self.assertIn("prevailing_charge", self.answer("bound", *words))
            end = bounds["priced_end"]  # is never above the others, and says which labels have prices
            slack = end["error_bound"] * 2
            self.assertGreaterEqual(end["value"], optimal["value"] - optimal["error_bound"])
            self.assertLessEqual(end["value"], min(bound["value"] for bound in bounds.values()) + slack)
            self.assertLess(len(end["prices"]), max(1, int(words[1])))

    def test_a_margin_cut_that_does_not_close_is_a_bracket(self):
        words = ["compare", "-T", "70", "--policies", "opt-kg", "--memory", "24M", "--optimum-states", "20000", "20x1,1"]
        found = json.loads(run(*words, "--json").stdout)
        self.assertIsNone(found["optimal"]["value"])
        self.assertEqual(found["bracket"]["upper"], found["bounds"]["margin"]["value"])
        self.assertLess(found["bracket"]["lower"], 10 + 6.997222511113872)
        self.assertGreater(found["bracket"]["upper"], 10 + 6.997222511113872)
        self.assertLess(found["bracket"]["upper"] - found["bracket"]["lower"], 2e-6)
        self.assertIn("(the margin cut)", run(*words).stdout)
        margin = self.document("solve", "-T", "130", "--dry-run", "50x1,1")["forecast"]["margin"]
        self.assertEqual(margin["states"], 515684)
        self.assertNotIn("margin", self.document("solve", "-T", "10", "--dry-run", "3x1,1")["forecast"])

    def test_a_bound_of_very_many_labels_needs_no_tables_of_them(self):
        words = ["--memory", "64M", "-T"]
        whole = self.document("bound", "-T", "3000", "1000x1,1")["bounds"]["lagrangian_scalar"]
        short = self.document("bound", *words, "300000", "100000x1,1")["bounds"]
        self.assertAlmostEqual(short["lagrangian_scalar"]["value"], 100 * whole["value"], delta=1e-8)
        self.assertAlmostEqual(short["lagrangian_scalar"]["price"], whole["price"], delta=1e-12)
        self.assertIsNone(short["prevailing_charge"]["value"])
        text = self.answer("bound", *words, "300000", "100000x1,1")
        self.assertIn("lagrangian_scalar  84150.64103", text)
        self.assertNotIn("prevailing_charge", text)
        # A few instances want so many labels that the memory ends it: all right is then the bound.
        found = self.document("bound", *words, "20000", "10x1,1")["bounds"]["lagrangian_scalar"]
        self.assertEqual((found["value"], found["converged"]), (10, False))

    def test_a_joint_end_is_a_bound_where_it_is_asked_for(self):
        for words in (["-T", "24", "10x1,1"], ["-T", "9", "3x2,1@0.3", "0.5,0.7"], ["-T", "6", "--batch", "2", "3x1,1"],
                      ["-T", "8", "--problem", "bandit", "2x1,1"], ["-T", "8", "--price", "0.02", "4x1,1"],
                      ["-T", "4", "--workers-prior", "2x4,1", "2x1,1"]):
            self.assertNotIn("joint_end", self.document("bound", *words)["bounds"])
            bounds = self.document("bound", "--joint-end", "3", *words)["bounds"]
            optimal = self.document("solve", *words)["optimal"]
            self.assertEqual(bounds["joint_end"]["labels"], 3)
            self.assertGreaterEqual(bounds["joint_end"]["value"], optimal["value"] - optimal["error_bound"], words)
            compared = self.document("compare", "--joint-end", "3", *words)["bounds"]
            self.assertEqual(compared["joint_end"]["value"], bounds["joint_end"]["value"])
        self.assertRegex(self.answer("bound", "-T", "24", "--joint-end", "3", "10x1,1"), r"joint_end .*the last 3 together\n")
        for number in ("0", "9", "-1", "two"):
            self.assert_refused(["bound", "-T", "24", "--joint-end", number, "10x1,1"],
                                "--joint-end must be a whole number from 1 to 8")
        self.assert_refused(["bound", "-T", "3", "--joint-end", "3", "10x1,1"],
                            "--joint-end must be less than the number of labels: 3 is not below 3")


class ProgressTest(Case):
    def shown(self, *words, columns=80):
        """Exit status and all output on a terminal of that width."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        done = subprocess.run([test_cli.PROGRAM, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=side, timeout=200)
        end = b"(end)\r\n"  # a terminal returns output in pieces
        os.write(side, b"(end)\n")
        text = b""
        while not text.endswith(end):
            text += os.read(main, 65536)
        os.close(side)
        os.close(main)
        return done.returncode, text.removesuffix(end).decode()

    def shown_in_time(self, enough, limit, *words, longer=1, **more):
        """The same within a time limit; repeated if the output is not enough, because a busy machine may stop for a
        second. `longer`: the factor of the limit from one try to the next, for a slow machine."""
        for i in range(5):
            code, text = self.shown(*words, "--time-limit", str(limit * longer**i), **more)
            self.assertEqual(code, 3)
            if enough(text):
                break
        return text

    def test_one_line_fits_the_terminal_and_is_erased(self):
        erase = "\r\x1b[K"
        # The first at once, one each half second; of the narrow ones two are enough to see that they fit.
        for columns, least, limit in ((80, 3, 1.2), (40, 2, 0.7), (12, 2, 0.7)):
            text = self.shown_in_time(lambda text: least + 3 <= len(text.split(erase)) <= 8, limit, "solve",
                                      *ENDLESS, "--threads", "1", longer=1.2, columns=columns)
            lines = text.split(erase)
            self.assertEqual(lines.pop(0), "")
            self.assertRegex(lines.pop(), r"\Aoptgap: the time limit [^\n]*\r\n\Z")
            self.assertEqual(lines.pop(), "")  # erased before the message
            for line in lines:
                self.assertLess(len(line), columns)
            self.assertGreaterEqual(len(lines), least)
            self.assertLessEqual(len(lines), 5)
            if columns == 80:
                self.assertRegex(lines[1], r"\Asolving: ([1-9]\d* %, (about [\d.]+ \w+ left, )?)?"
                                 r"([\d.]+( thousand| million)?|counting) states, [^\n]+ s so far\Z")
                self.assertRegex(lines[2], r", [\d.]+ .B, \d+ s so far\Z")
                self.assertNotRegex(text, r"[ :]0 (states|%)")

    def test_compare_shows_what_it_does(self):
        parts = ("policies, 0 of 1 done: kg, ties best: ", "optimum: ")
        text = self.shown_in_time(lambda text: all(part in text for part in parts), 2.2, "compare",
                                  *ENDLESS, "--policies", "kg", "--ties", "best", "--threads", "1", longer=1.6)
        for part in parts:
            self.assertIn(part, text)

    def test_quiet_is_quiet(self):
        self.assertEqual(self.shown("solve", *MIDDLE, "--quiet"), (0, ""))
        self.assertEqual(self.shown("compare", *MIDDLE, "--policies", "opt-kg", "--quiet"), (0, ""))
        for command in ("bound", "query"):
            self.assertEqual(self.shown(command, "-T", "5", "3x1,1", "--quiet"), (0, ""))


class AdviceTest(Case):
    """No message of a command names an option that the command refuses."""

    BLOCKED = [  # each is tried where the command has its options
        ["-T", "80", "--time-limit", "0.1", "10x1,1"],
        ["-T", "80", "--time-limit", "0.1", "--arithmetic", "exact", "10x1,1"],
        ["-T", "25", "--memory", "100K", "9x1,1", "4x3,1", "0.5,2"],
        ["-T", "400", "--memory", "1M", "1,1,1"],
        ["-T", "3", "--arithmetic", "exact", "0.5,1"],
        ["-T", "3", "--arithmetic", "exact", "--engine", "blocks", "2x1,1"],
        ["-T", "3", "--checkpoint", "/nonexistent/file", "2x1,1"],
        ["-T", "3", "--policy", "thompson", "2x1,1"],
        ["-T", "300", "--policy", "gittins-fh", "--max-index-time", "1e-6", "2x1,1"],
        ["-T", "3", "--policy", "table:/nonexistent", "2x1,1"],
        ["-T", "3", "--policy", "kg", "opt-kg", "2x1,1"],
        ["-T", "3", "opt-kg", "2x1,1"],
        ["--arrivals", "3", "--arrival-rate", "1", "--service-rate", "1", "--policy", "nlu", "1,1"],
        ["-T", "3", "1,1", "1.0000000000001,1", "1,1.0000000000001"],
        ["2x1,1"],
        ["-T", "3"],
    ]

    def test_options_that_are_named_are_known(self):
        for command in test_cli.COMMANDS:
            known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", run(command, "--help-all").stdout))
            for words in self.BLOCKED:
                options = {word for word in words if word.startswith("-")}
                if not options <= known or command in ("plot", "report", "sweep"):
                    continue
                done = run(command, *words)
                said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", done.stdout + done.stderr))
                self.assertLessEqual(said - {"--json"}, known, (command, words, done.stderr))


if __name__ == "__main__":
    main()
