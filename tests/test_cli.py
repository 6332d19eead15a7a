"""The program's output, refusals and exit statuses.

    test_cli.py PROGRAM [unittest option...]
"""

import contextlib
import fcntl
import functools
import json
import math
import os
import pathlib
import pty
import re
import resource
import signal
import shutil
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM, SANITIZED, Case, main, run, some  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
DATA = SOURCE / "tests" / "data"
SAMPLE = str(DATA / "sample-labels.tsv")

COMMANDS = ["compare", "solve", "query", "bound", "index", "fit", "labels", "next", "simulate", "sweep", "plot",
            "report", "find", "replay", "tree", "play", "verify", "policies", "completion"]
TOPICS = ["words", "instances", "truth", "prices", "features", "workers", "sources", "assignment", "labelers", "ranking",
          "deadline", "limits", "files"]
POLICIES = ["uniform", "kg", "opt-kg", "pess-kg", "gittins-fh", "gittins-inf"]
TIES = ["random", "first", "best", "worst"]
EPSILON = sys.float_info.epsilon

# The sanitizers of the build, or coverage. Where one of these makes everything ten times slower, the
# examples of the help that take no second do.


@functools.cache
def printed(*words):
    """Standard output of a command that prints the same each time, such as help."""
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, ""), words
    return done.stdout


def wait_until_signals_are_caught(process, pid=None):
    """Before that, a signal would end the program at once. `pid`: another process that it started."""
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{pid or process.pid}/status").read_text(encoding="ascii")
        caught = int(re.search(r"(?m)^SigCgt:\s*(\w+)$", status).group(1), 16)
        if caught >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.01)


def wait_until_all_is_read(process):
    """Waits until the program has read its standard input and waits for more."""
    waiting = b"\1\0\0\0"
    while any(waiting) and process.poll() is None:
        time.sleep(0.002)
        waiting = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))


def wait_until_it_has_a_child(process):
    def parent(path):
        try:
            return path.read_text(encoding="ascii", errors="replace").rsplit(") ", 1)[1].split()[1]
        except OSError:
            return None

    stats = pathlib.Path("/proc")
    while process.poll() is None and str(process.pid) not in map(parent, stats.glob("[0-9]*/stat")):
        time.sleep(0.002)


def run_with_small_files(size, *words, stdout=subprocess.PIPE):
    """Like run, with a limit on the size of files."""
    if "thread" in SANITIZED:
        raise unittest.SkipTest("the thread sanitizer writes a larger file of its own")
    if "coverage" in SANITIZED:
        raise unittest.SkipTest("the counts of lines would be cut")
    return subprocess.run(
        [PROGRAM, *words],
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
        timeout=250,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


class ExplainTest(Case):
    def test_losses_add_up_to_the_gap(self):
        found = self.document("compare", "-T", "7", "--policies", "uniform,kg,opt-kg", "--ties",
                              ",".join(TIES), "--explain", "3x1,1", "2,1@0.3")
        self.assertEqual(len(found["policies"]), 12)
        for row in found["policies"]:
            why = row["explain"]
            stages = {stage["left"]: stage["loss"] for stage in why["stages"]}
            about = (row["name"], row["ties"])
            self.assertEqual(list(stages), list(range(7, 0, -1)), about)
            self.assertAlmostEqual(sum(stages.values()), row["gap"], delta=1e-12, msg=about)
            for made in why["decisions"]:
                self.assertAlmostEqual(made["contribution"], made["probability"] * made["loss"])
                chosen = sum(group["chosen"] * group["q"] for group in made["state"])
                best = max(group["q"] for group in made["state"])
                self.assertAlmostEqual(best - chosen, made["loss"], delta=1e-12, msg=about)
                self.assertEqual(sum(group["count"] for group in made["state"]), 4)

    def test_in_fractions_it_explains_the_same_gap(self):
        words = ["compare", "-T", "6", "--policies", "kg", "--explain", "3x1,1"]
        ours = self.document(*words)["policies"][0]
        exact = self.document(*words, "--arithmetic", "exact")["policies"][0]
        self.assertEqual(ours["explain"]["stages"], exact["explain"]["stages"])
        self.assertAlmostEqual(exact["explain"]["total"], float(Fraction(exact["gap_exact"])),
                               delta=1e-12)

    def test_the_case_in_which_the_index_is_not_optimal(self):
        words = ["compare", "-T", "2", "--policies", "gittins-fh", "--explain", "2x2,1", "3,3"]
        (made,) = self.document(*words)["policies"][0]["explain"]["decisions"]
        ahead, behind = made["state"]
        self.assertEqual((ahead["text"], ahead["chosen"], ahead["optimal"]), ("2x2,1", 0, True))
        self.assertEqual((behind["text"], behind["chosen"], behind["optimal"]), ("3,3", 1, False))
        self.assertAlmostEqual(made["loss"], 1 / 96, delta=1e-14)
        text = self.answer(*words)
        self.assertIn("Why gittins-fh (ties random) loses 0.01042:", text)
        self.assertIn("2x2,1 3,3: labels 3,3; optimal: 2,1", text)

    def test_what_loses_nothing_says_so(self):
        text = self.answer("compare", "-T", "6", "--policies", "opt-kg", "--explain", "10x1,1")
        self.assertIn("opt-kg (ties random) loses nothing", text)

    def test_what_is_too_large_is_not_explained(self):
        words = ["compare", "-T", "14", "--policies", "uniform", "--max-policy-states", "1000",
                 "--explain", "10x1,1"]
        row = self.document(*words)["policies"][0]
        self.assertEqual((row["status"], row["explain"]), ("ok", None))
        self.assertIn("more than 1000 states", row["explain_limit"])
        self.assertIn("Not explained: uniform (ties random)", self.answer(*words))


class CompareTest(Case):
    problem = ["3x1,1", "2,1@0.3"]

    def test_keys_of_the_contract(self):
        found = self.document("compare", "-T", "6", *self.problem)
        self.assertEqual(found["problem"]["budget"], 6)
        first, second = found["problem"]["instances"]
        self.assertEqual((first["prior"], first["count"], first["threshold"]), ([1, 1], 3, 0.5))
        self.assertEqual((second["prior"], second["count"], second["threshold"]), ([2, 1], 1, 0.3))
        for key in ("value", "gain", "error_bound", "accuracy", "states", "seconds"):
            self.assertIn(key, found["optimal"])
        self.assertEqual(found["optimal"]["accuracy"], "double")
        self.assertNotIn("value_exact", found["optimal"])
        for name in ("lagrangian_scalar", "lagrangian_vector", "prevailing_charge", "priced_end"):
            self.assertGreater(found["bounds"][name]["value"], 0)
        default = ["uniform", "kg", "opt-kg", "gittins-fh", "gittins-inf"]
        self.assertEqual([row["name"] for row in found["policies"]], default)
        for row in found["policies"]:
            for key in ("ties", "value", "gap", "gap_percent", "gain_lost_percent"):
                self.assertIn(key, row)

    def test_gaps_and_percentages_are_what_they_say(self):
        found = self.document("compare", "-T", "6", "--ties", ",".join(TIES), *self.problem)
        optimal = found["optimal"]
        for row in found["policies"]:
            gap = max(0.0, optimal["gain"] - row["gain"])
            self.assertEqual(row["gap"], gap)
            close = {"rel_tol": 4 * EPSILON}
            self.assertTrue(math.isclose(row["gap_percent"], 100 * gap / optimal["value"], **close))
            self.assertTrue(
                math.isclose(row["gain_lost_percent"], 100 * gap / optimal["gain"], **close)
            )
            self.assertGreaterEqual(row["gap_at_most"] + row["gap_error_bound"], row["gap"])
        self.assertGreater(max(row["gap_percent"] for row in found["policies"]), 0)

    def test_values_are_in_order(self):
        found = self.document("compare", "-T", "7", "--ties", ",".join(TIES), *self.problem)
        optimal = found["optimal"]
        top = optimal["value"] + optimal["error_bound"]
        rows = {(row["name"], row["ties"]): row for row in found["policies"]}
        for name in {name for name, _ in rows}:
            order = [rows[name, rule] for rule in ("worst", "random", "best")]
            order += [{"value": top, "error_bound": 0}]
            for low, high in zip(order, order[1:]):
                slack = low["error_bound"] + high["error_bound"]
                self.assertLessEqual(low["value"], high["value"] + slack, name)
        bounds = found["bounds"]
        self.assertLessEqual(optimal["value"] - optimal["error_bound"],
                             bounds["lagrangian_vector"]["value"])
        self.assertLessEqual(bounds["lagrangian_vector"]["value"],
                             bounds["lagrangian_scalar"]["value"] * (1 + 1e-7))
        self.assertLessEqual(found["bracket"]["lower"], optimal["value"])
        self.assertGreaterEqual(found["bracket"]["upper"], optimal["value"])

    def test_policy_takes_the_rest_of_its_word_and_adds_to_policies(self):
        found = self.document(
            "compare", "-T", "3", "--policy", "cvar-kg:0.5", "--policies", "kg,uniform", "2x1,1"
        )
        names = [row["name"] for row in found["policies"]]
        self.assertEqual(names, ["cvar-kg:0.5", "kg", "uniform"])

    def test_the_alias_is_the_policy(self):
        found = self.document("compare", "-T", "6", "--policies", "gittins-fh,hu-frazier", "3x4,1")
        one, other = found["policies"]
        self.assertEqual((one["name"], other["name"]), ("gittins-fh", "hu-frazier"))
        self.assertEqual(one["value"], other["value"])

    def test_instances_keep_their_order_where_ties_go_to_the_first(self):
        values = set()
        for words in (["1,1", "3,3"], ["3,3", "1,1"]):
            found = self.document("compare", "-T", "1", "--policies", "uniform", "--ties", "first",
                                  *words)
            values.add(found["policies"][0]["gain"])
        self.assertEqual(sorted(values), [5 / 32, 1 / 4])

    def test_nothing_to_gain_is_a_gain_of_zero(self):
        for words in (["-T", "0", "3x1,1"], ["-T", "3", "9,1", "2x1,20"]):
            found = self.document("compare", *words)
            self.assertEqual(found["optimal"]["gain"], 0)
            for row in found["policies"]:
                self.assertEqual((row["gain"], row["gap"]), (0, 0))
                self.assertEqual((row["gap_percent"], row["gain_lost_percent"]), (0, 0))
            self.answer("compare", *words)


class QueryTest(Case):
    def test_toy_example_of_the_paper(self):
        found = self.document("query", "-T", "1", "3,1", "2,2", "2,1")
        self.assertEqual(found["left"], 1)
        self.assertEqual([row["q"] for row in found["instances"]], [0, 3 / 16, 0])
        self.assertEqual([row["optimal"] for row in found["instances"]], [False, True, False])
        self.assertEqual([row["posterior"] for row in found["instances"]], [[3, 1], [2, 2], [2, 1]])
        self.assertEqual([row["count"] for row in found["instances"]], [1, 1, 1])
        self.assertEqual(found["policies"]["kg"], [1])
        self.assertEqual(found["policies"]["uniform"], [0, 1, 2])

    def test_where_the_finite_horizon_gittins_index_errs(self):
        found = self.document("query", "-T", "2", "2x2,1", "3,3")
        pair, other = found["instances"]
        self.assert_near(pair["q"], Fraction(1, 6), pair["error_bound"])
        self.assert_near(other["q"], Fraction(5, 32), other["error_bound"])
        self.assertEqual((pair["optimal"], other["optimal"]), (True, False))
        self.assertEqual(found["policies"]["gittins-fh"], [1])
        table = self.answer("query", "-T", "2", "2x2,1", "3,3")
        self.assertRegex(table, r"(?m)^2,1 +2 +0\.1666666667 +0 +optimal$")
        self.assertRegex(table, r"(?m)^3,3 +1 +0\.15625 +0\.01042$")

    def test_left_is_told_apart_from_the_whole_budget(self):
        found = self.document("query", "-T", "9", "--left", "2", "2x2,1", "3,3")
        self.assertEqual((found["left"], found["budget"]), (2, 9))
        self.assert_near(found["instances"][0]["q"], Fraction(1, 6), 1e-15)

    def test_the_largest_q_is_the_optimal_gain(self):
        words = ["-T", "5", "2x1,1", "2,1@0.3", "0.5,0.7"]
        best = self.document("query", *words)
        optimal = self.document("solve", *words)["optimal"]
        rows = best["instances"]
        q = max(row["q"] for row in rows)
        error = max(row["error_bound"] for row in rows) + optimal["error_bound"]
        self.assertLessEqual(abs(q - optimal["gain"]), error)
        for row in rows:
            self.assertEqual(row["optimal"], row["lost"] == 0)

    def test_nothing_to_decide(self):
        found = self.document("query", "-T", "0", "2,1", "3,3")
        self.assertEqual([row["q"] for row in found["instances"]], [None, None])
        self.assertEqual([row["optimal"] for row in found["instances"]], [False, False])
        self.assertEqual([row["text"] for row in found["problem"]["instances"]], ["2,1", "3,3"])
        self.assertIn("No labels are left", self.answer("query", "-T", "0", "2,1"))
        dead = self.document("query", "-T", "2", "9,1", "1,20")
        self.assertEqual([row["q"] for row in dead["instances"]], [0, 0])
        self.assertEqual([row["optimal"] for row in dead["instances"]], [True, True])

    def test_a_history_is_the_state_that_it_leads_to(self):
        for history, words, after in (
            ("1+ 3- 1+", ["4", "3x1,1"], ["3,1", "1,1", "1,2"]),
            ("2:3, 2:1", ["4", "2x1,1,1"], ["1,1,1", "2,1,2"]),
            ("4-", ["3", "2x2,1@0.3", "2x1,1"], ["2x2,1@0.3", "1,1", "1,2"]),
            ("", ["3", "2x2,1"], ["2x2,1"]),
        ):
            budget, *instances = words
            told = self.document("query", "-T", budget, "--history", history, *instances)
            left = told["left"]
            self.assertEqual(left, int(budget) - len(history.split()))
            shown = self.document("query", "-T", budget, "--left", str(left), *after)
            self.assertEqual(told["q"], shown["q"], history)
            self.assertEqual(sorted((action["text"], action["q"]) for action in told["instances"]),
                             sorted((action["text"], action["q"]) for action in shown["instances"]))

    def test_what_is_no_history(self):
        words = ["query", "-T", "4", "3x1,1", "--history"]
        for history, expected in (
            ("4+", "'4+' must be a label of an instance, 1 to 3, such as 1+ or 1-"),
            ("1", "'1' must be a label"), ("1*", "'1*' must be a label"), ("0+", "'0+' must be a label"),
            ("1+-", "'1+-' must be a label"), ("1@1+", "'1@1+' must be a label"),
            ("1:2", "'1:2' must be a label of two classes, such as 1+"),
            ("1+ " * 5, "--history has 5 words, more than the whole budget, -T 4"),
        ):
            self.assert_refused([*words, history], expected)
        self.assert_refused([*words, "1+", "--left", "2"], "--left 2 and --history disagree")
        self.assert_refused(["query", "-T", "2", "1,1,1", "--history", "1:4"],
                            "must be a label of one of 3 classes, such as 1:3")
        self.assert_refused(["query", "-T", "2", "0.5:1,1+0.5:5,1", "--history", "1+"], "a mixture")
        self.assert_refused(["query", "-T", "2", "1,1", "--history", "1+", "--source", "a:1:0.9"], "--history does not support")


class IndexTest(Case):
    def test_lines_are_tab_separated_and_complete(self):
        lines = self.answer("index", "--policy", "opt-kg", "-T", "5", "1,1").splitlines()
        self.assertEqual(lines[0], "a\tb\tleft\tindex")
        rows = [line.split("\t") for line in lines[1:]]
        self.assertEqual(len(rows), sum((n + 1) * (5 - n) for n in range(5)))
        values = {tuple(map(int, row[:3])): float(row[3]) for row in rows}
        self.assertEqual(values[2, 1, 1], 1 / 8)
        self.assertEqual(values[3, 2, 2], 1 / 8)
        self.assertEqual(values[5, 1, 1], values[1, 5, 1])

    def test_fractions_stay_readable(self):
        lines = self.answer("index", "--policy", "kg", "-T", "2", "0.5,1.25").splitlines()
        self.assertTrue(lines[1].startswith("0.5\t1.25\t1\t"))
        self.assertTrue(lines[-1].startswith("1.5\t1.25\t1\t"))


class FitTest(Case):
    def fractions(self):
        tasks = {}
        for row in (line.split("\t") for line in pathlib.Path(SAMPLE).read_text().split("\n")[1:]):
            if len(row) >= 3:
                tasks.setdefault(row[0], []).append(int(row[2]))
        return [Fraction(sum(labels), len(labels)) for labels in tasks.values()]

    def test_the_paper_s_formula(self):
        shares = self.fractions()
        mean = sum(shares) / len(shares)
        variance = sum((share - mean) ** 2 for share in shares) / len(shares)
        q = mean * (1 - mean) / variance - 1
        found = self.document("fit", "--method", "paper", SAMPLE)
        for value, truth in zip(found["prior"], (mean * q, (1 - mean) * q)):
            self.assertTrue(math.isclose(value, truth, rel_tol=1e-12), (value, float(truth)))
        self.assertEqual(found["tasks"], len(shares))
        self.assertEqual((found["method"], found["standard_error"]), ("paper", None))

    def test_likelihood_is_the_default(self):
        done = run("fit", SAMPLE)
        self.assertEqual((done.returncode, done.stdout), (0, "1.25598715532,1.18151957349\n"))
        self.assertEqual(done.stderr, "optgap: standard errors 0.577, 0.534\n")
        found = self.document("fit", SAMPLE)
        self.assertEqual([f"{error:.3g}" for error in found["standard_error"]], ["0.577", "0.534"])
        self.assertEqual(found["method"], "ml")

    def test_its_line_is_an_instance(self):
        for method in ("moments", "ml", "paper"):
            line = self.answer("fit", "--quiet", "--method", method, SAMPLE)
            self.assertRegex(line, r"\A[0-9.e+-]+,[0-9.e+-]+\n\Z")
            prior = self.document("fit", "--method", method, SAMPLE)["prior"]
            found = self.document("compare", "-T", "4", "10x" + line.strip())
            for value, given in zip(found["problem"]["instances"][0]["prior"], prior):
                self.assertTrue(math.isclose(value, given, rel_tol=1e-11))

    def test_refuses_what_holds_no_prior(self):
        head = "task\tworker\tlabel\n"
        cases = [
            ("", "empty"),
            ("task\tworker\n1\t2\n", "label"),
            ("worker\tlabel\n1\t1\n", "task"),
            (head, "no label"),
            (head + "t1\tw\t1\nt2\tw\tx\n", "3"),
            (head + "t1\tw\t1\nt2\tw\n", "3"),
            (head + "t1\tw\t1\nt1\tv\t0\n", "one task"),
            (head + "t1\tw\t1\nt1\tv\t0\nt2\tw\t1\nt2\tv\t0\n", ""),
            (head + "t1\tw\t1\nt1\tv\t1\nt2\tw\t0\nt2\tv\t0\n", "unanimous"),
            (head + "t1\tw\t1\nt2\tw\t1\n", ""),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.tsv")
            for text, expected in cases:
                pathlib.Path(path).write_text(text)
                self.assert_refused(["fit", path], expected)
            self.assert_refused(["fit", os.path.join(folder, "none.tsv")], "none.tsv")


class SimulateTest(Case):
    """The figures themselves are tested in test_simulate.c; here, what the program makes of them."""

    def test_keys_of_the_contract(self):
        seen = self.document("simulate", "-T", "8", "--runs", "4000", "--seed", "3", "--policies",
                             "opt-kg,kg", "--ties", "random,first", "3x1,1")
        self.assertEqual((seen["runs"], seen["seed"], seen["truth"]), (4000, 3, "prior"))
        self.assertEqual(seen["problem"]["budget"], 8)
        exact = {("opt-kg", "random"): 2.43009259259, ("opt-kg", "first"): 2.42916666666,
                 ("kg", "random"): 2.403317901234568, ("kg", "first"): 2.34375}
        rows = {(row["name"], row["ties"]): row for row in seen["policies"]}
        self.assertEqual(list(rows), list(exact))
        for key, row in rows.items():
            low, high = row["interval"]
            half = row["mean"] - low
            self.assertAlmostEqual(high - row["mean"], half, delta=1e-12)
            # Student's t for 3999 degrees of freedom, and the rounding allowed for
            self.assertAlmostEqual(half, 1.9605574 * row["standard_error"], delta=1e-6)
            self.assertLessEqual(abs(row["mean"] - exact[key]), 4 * row["standard_error"], key)
            off = abs(row["accuracy"] - exact[key] / 3)
            self.assertLessEqual(off, 4 * row["accuracy_standard_error"], key)
            low, high = row["accuracy_interval"]
            self.assertTrue(low < row["accuracy"] < high)
            first = seen["policies"][seen["difference_to"]]
            self.assertAlmostEqual(row["difference"]["mean"], row["mean"] - first["mean"], 11)

    def test_seeds_and_runs_decide(self):
        words = ["simulate", "-T", "8", "--policy", "kg", "--runs", "100", "3x1,1"]
        one, again, other = (self.document(*words, "--seed", seed)["policies"] for seed in "112")
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)

    def test_the_truth_may_differ_from_the_prior(self):
        words = ["simulate", "-T", "0", "--policy", "kg", "--runs", "64"]
        seen = self.document(*words, "--truth", "list:0,.9,0.2,0.5", "1,1", "2x2,1", "1,1")
        self.assertEqual(seen["policies"][0]["accuracy"], 0.5)
        seen = self.document(*words, "--truth", "beta:1000000,0.001", "7x1,1")
        self.assertEqual((seen["truth"], seen["policies"][0]["accuracy"]),
                         ("beta:1000000,0.001", 1))

    def test_a_policy_that_takes_too_long_leaves_the_others(self):
        words = ["simulate", "-T", "1000", "--runs", "64", "--max-index-time", "1"]
        seen = self.document(*words, "--policies", "gittins-fh,opt-kg", "50x1,1")["policies"]
        self.assertEqual([row["status"] for row in seen], ["limit", "ok"])
        self.assertIsNone(seen[0]["mean"])
        self.assertIn("1000 labels", seen[0]["limit"])
        self.assert_refused([*words, "--policy", "gittins-fh", "50x1,1"], "gittins-fh", code=3)

    def test_a_time_limit_ends_with_the_runs_done(self):
        done = run("simulate", "-T", "100", "--runs", "1000000000", "--time-limit", "0.3",
                   "--policy", "opt-kg", "--json", "50x1,1")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\Aoptgap: the time limit .* of 1000000000 runs are done\n\Z")
        seen = json.loads(done.stdout)
        self.assertTrue(2 <= seen["runs"] < 10**9)
        self.assertTrue(math.isfinite(seen["policies"][0]["mean"]))

    def test_an_earlier_name_is_not_abbreviated(self):
        """So that a name which is not there is not taken for one that nobody sees."""
        for option in ("--policy-timeou", "--policy-t"):
            self.assert_refused(["compare", option, "3", "1,1"], f"unknown option '{option}' of compare")
        for option in ("--policy", "--policies", "--policy=kg"):
            self.assert_refused(["find", option, "kg"], "write the policy's name alone")

    def test_bad_words(self):
        for words, expected in (
            ("--runs 1", "--runs"),
            ("--runs 1e4", "1e4"),
            ("--seed -1", "--seed"),
            ("--ties best", "only --ties random and first, not 'best'"),
            ("--truth beta:1", "beta:A,B"),
            ("--truth uniform", "prior, beta:A,B or list"),
            ("--truth list:0.5,0.5", "2 soft labels, but there are 3"),
            ("--truth list:0.5,2,1", "soft label 2"),
            ("--max-index-time 0", "--max-index-time"),
        ):
            self.assert_refused(["simulate", "-T", "3", *words.split(), "3x1,1"], expected)


class RefusalTest(Case):
    """Status 2, one line on standard error that names the mistake, nothing on standard output."""

    def test_bad_words(self):
        instance = {
            "0,1": "greater than 0",
            "-1,1": "negative",
            "1,0": "greater than 0",
            "nan,1": "nan",
            "1,inf": "inf",
            "1,1x": "1,1x",
            "0x1,1": "count",
            "00x1,1": "count",
            "1": "two parameters",
            "1,": "",
            ",1": "",
            "": "empty",
            "1,1@0": "threshold",
            "1,1@1": "threshold",
            "1,1@1.5": "threshold",
            "1,1@-0.1": "threshold",
            "1,1@nan": "threshold",
            "1,1@": "threshold",
            "1.5x1,1": "count",
            "-3x1,1": "",
            "99999999999x1,1": "1000000000",
            "1e400,1": "1e400",
            "1,1,1@0.5": "a threshold needs two classes",
            "1:1,1+2,2": "has no weight",
            "1,1\n2,2": "1,1?2,2",
        }
        for word, expected in instance.items():
            for command in ("compare", "solve", "query", "bound"):
                self.assert_refused([command, "-T", "3", word], expected)

    def test_what_to_type_is_said(self):
        for words, expected in (
            ("compare -T 3 10 x 1,1", "in one word with its count, such as 10x1,1"),
            ("compare -T 3 10X1,1", "; did you mean '10x1,1'?"),
            ("compare -T 3 10×1,1", "instance '10×1,1': "),
            ("compare -T 3 10×1,1", "; did you mean '10x1,1'?"),
            ("compare -T 3 1;1", "; did you mean '1,1'?"),
            ("compare -T 3 1:1", "; did you mean '1,1'?"),
            ("compare -T 3 1,1 extra", "expected [COUNTx]A,B[@D], such as 10x1,1"),
            ("compare -T 3 --policy kg opt-kg 1,1", "write --policies kg,opt-kg"),
            ("compare -T 3 --policies kg opt-kg", "write --policies kg,opt-kg"),
            ("compare -T 3 --policy kg sprt:0.3,0.7,0.1,0.1 1,1", "write --policy sprt:0.3,0.7,0.1,0.1"),
            ("compare -T 3 --policy kg,opt-kg 1,1", "write --policies kg,opt-kg"),
            ("solve -T 3 --policies kg 1,1", "'optgap compare' values policies"),
            ("compare -T 3 -K 10 1,1", "write K before the prior: 10x1,1"),
            ("compare -T 3 --exact 1,1", "write --arithmetic exact"),
            ("compare -T 3 --threshold 0.3 1,1", "write it behind the prior: 1,1@0.3"),
            ("simulate -T 3 --truth 0.3,0.7 2x1,1", "write list:0.3,0.7"),
            ("tree -T 12 5x1,1", "--levels N for the first ones, or --states N"),
            ("solve -T 3 opt-kg 1,1", "expected [COUNTx]A,B[@D]"),
            ("-v", "'optgap --version' prints the version"),
            ("compare -v", "'optgap --version' prints the version"),
            ("compare -o x -T 3 1,1", "write '> FILE' behind the command"),
            ("version", "did you mean '--version'?"),
        ):
            self.assert_refused(words.split(), expected)

    def test_bad_options(self):
        cases = [
            ("-T -1 1,1", "-1"),
            ("-T 1.5 1,1", "1.5"),
            ("-T 3x 1,1", "3x"),
            ("-T 0x3 1,1", "0x3"),
            ("-T 1000001 1,1", "1000000"),
            ("-T 99999999999999999999 1,1", "1000000"),
            ("-T 3", "INSTANCE"),
            ("1,1", "-T"),
            ("1,1 -T", "needs a value"),
            ("-T 3 --policy nonsense 1,1", "unknown policy 'nonsense'"),
            ("-T 3 --policy bananas 1,1", "see optgap policies"),
            ("-T 3 --policies kg,optkg 1,1", "opt-kg"),
            ("-T 3 --policies kg,,kg 1,1", "kg,,kg"),
            ("-T 3 --policy cvar-kg 1,1", "ALPHA"),
            ("-T 3 --policy cvar-kg: 1,1", "ALPHA"),
            ("-T 3 --policy cvar-kg:1.5 1,1", "1.5"),
            ("-T 3 --policy cvar-kg:-0.1 1,1", "-0.1"),
            ("-T 3 --policy cvar-kg:nan 1,1", "nan"),
            ("-T 3 --policy gittins-inf:1 1,1", "DELTA"),
            ("-T 3 --policy gittins-inf:-0.5 1,1", "-0.5"),
            ("-T 3 --policy kg:1 1,1", "kg"),
            ("-T 3 --ties frist 1,1", "first"),
            ("-T 3 --ties random,random 1,1", "twice"),
            ("-T 3 --arithmetic exact 0.5,0.5", "proved error bound"),
            ("-T 3 --arithmetic exact --checkpoint file 1,1", "--checkpoint"),
            ("-T 3 --arithmetic single 1,1", "single"),
            ("-T 3 --threads 0 1,1", "--threads"),
            ("-T 3 --threads 2000 1,1", "1024"),
            ("-T 3 --memory 0 1,1", "--memory"),
            ("-T 3 --memory 1Q 1,1", "1Q"),
            ("-T 3 --json=yes 1,1", "--json"),
            ("-T 3 --quiet=yes 1,1", "--quiet"),
            ("-T 3 --checkpoint= 1,1", "--checkpoint"),
            ("-T 3 --check file 1,1", "unknown option '--check' of compare; did you mean '--checkpoint'?"),
            ("-T 3 --dry-run 1,1", "--dry-run"),
            ("-T 3 --polcies kg 1,1", "--policies"),
            ("-T 3 --pol kg 1,1", "did you mean '--policy'?"),
            ("-T 3 --prior 1,1", "unknown option '--prior' of compare"),
            ("-T 3 -T 4 1,1", "--budget (-T) is given twice; give it once"),
            ("-T 3 --ties first --ties random 1,1", "--ties is given twice; write one list with commas"),
            ("-T 3 -x 1,1", "-x"),
        ]
        for words, expected in cases:
            self.assert_refused(["compare", *words.split()], expected)

    def test_bad_commands(self):
        self.assert_refused(["compar", "-T", "1", "1,1"], "'compare'")
        self.assert_refused(["sovle"], "'solve'")
        self.assert_refused(["--versoin"], "'--version'")
        self.assert_refused(["-T", "3", "1,1"], "follow the command")
        self.assert_refused(["help", "comapre"], "'compare'")
        self.assert_refused(["solve", "-T", "3", "--policy", "kg", "1,1"], "--policy")
        self.assert_refused(["query", "-T", "3", "--left", "4", "1,1"], "--left 4")
        self.assert_refused(["index", "-T", "3", "1,1"], "--policy")
        self.assert_refused(["index", "-T", "3", "--policy", "uniform", "1,1"], "uniform")
        self.assert_refused(["index", "-T", "2", "--policy", "kg", "1,1", "1,1@0.3"], "threshold")
        self.assert_refused(["fit"], "labels")
        self.assert_refused(["fit", "a.tsv", "b.tsv"], "a.tsv")
        self.assert_refused(["fit", "--method", "mle", SAMPLE], "ml, moments or paper")

    def test_instances_may_not_outnumber_the_limit_together(self):
        self.assert_refused(["bound", "-T", "1", "999999999x1,1", "2x1,1"], "1000000000")


class OutputTest(Case):
    tables = [
        ["compare", "-T", "12", "--ties", "random,worst", "10x1.2323648844,0.9197676359"],
        ["compare", "-T", "6", "--policies", "cvar-kg:0.333333333,gittins-inf:0.000001", "3x1,1",
         "2,1@0.3", "0.5,0.5", "123456,123457@0.4999", "17,16", "3.25,4.75@0.123456789"],
        ["compare", "-T", "0", "3x1,1"],
        ["solve", "-T", "12", "10x1,1"],
        ["query", "-T", "6", "3x1,1", "2,1@0.3", "0.5,0.5", "123456,123457@0.4999", "17,16",
         "3.25,4.75@0.123456789"],
        ["bound", "-T", "12", "10x1,1", "2,1@0.3"],
        ["simulate", "-T", "12", "--runs", "200", "--ties", "random,first", "10x1.2323648844,0.919"],
        ["simulate", "-T", "1000", "--runs", "64", "--truth", "list:" + ",".join(50 * ["0.75"]),
         "--max-index-time", "0.5", "50x1,1"],
        ["simulate", "-T", "0", "--runs", "64", "3x1,1"],
        ["simulate", "-T", "3", "--runs", "64", "--policy", "gittins-inf:0.000001", "9x2,1", "1,1"],
        ["policies"],
        ["--help"],
        ["--version"],
    ]

    def test_tables_and_help_fit_80_columns(self):
        helps = [[command, which] for command in COMMANDS for which in ("--help", "--help-all")]
        for words in self.tables + helps + [["help", topic] for topic in TOPICS]:
            for line in printed(*words).splitlines():
                self.assertLessEqual(len(line), 80, (words, line))
                self.assertEqual(line, line.rstrip(), words)

    def run_example(self, example, folder):
        path = {"PATH": os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]}
        done = subprocess.run("exec " + example if "|" not in example else example, shell=True, env={**os.environ, **path},
                              cwd=folder, capture_output=True, text=True, timeout=250, stdin=subprocess.DEVNULL)
        told = done.stderr if "optgap next" not in example else ""  # next tells its summary there
        self.assertEqual((done.returncode, told), (0, ""), example)

    def test_every_help_has_an_example_that_works(self):
        with tempfile.TemporaryDirectory() as folder:
            labels = pathlib.Path(SAMPLE).read_text()
            pathlib.Path(folder, "labels.tsv").write_text(labels)
            pathlib.Path(folder, "tasks.tsv").write_text("task\n" + "".join(f"new{i}\n" for i in range(9)))
            tasks = dict.fromkeys(line.split("\t")[0] for line in labels.splitlines()[1:])
            gold = "".join(f"{task}\t1\n" for task in tasks)
            pathlib.Path(folder, "gold.tsv").write_text("task\tlabel\n" + gold)
            pathlib.Path(folder, "pairs.tsv").write_text(
                "worker\tleft\tright\tlabel\nann\tred\tblue\tred\nbob\tblue\tred\tblue\n")
            pathlib.Path(folder, "scores.tsv").write_text("item\tscore\nred\t2\nblue\t1\n")
            pathlib.Path(folder, "items.tsv").write_text("x\ty\n1\t0\n0\t1\n1\t1\n")
            shutil.copy(SOURCE / "tools" / "examples" / "own-policy.py",
                        pathlib.Path(folder, "mine.py"))
            texts = {command: printed(command, "--help") + printed(command, "--help-page") for command in COMMANDS}
            texts |= {topic: printed("help", topic) for topic in TOPICS}
            seen = set()
            for name, text in texts.items():
                examples = re.findall(r"(?m)^  (optgap .*)$", text)
                self.assertTrue(any(name in example for example in examples) or name in TOPICS and examples, name)
                for example in examples[:1] if SANITIZED else examples:  # the others hold values
                    if example not in seen:
                        self.run_example(example, folder)
                    seen.add(example)

    def options(self, command, which):
        """{name: the rest of its line} of a list of options."""
        return dict(re.findall(r"(?m)^  (?:-\w,|   ) --([\w-]+)(.*)$", printed(command, which)))

    def test_help_is_short(self):
        self.assertLessEqual(len(printed("--help").splitlines()), 42)
        for name in COMMANDS + TOPICS:
            text = printed("help", name)
            self.assertLessEqual(len(text.splitlines()), 45, name)
            self.assertNotRegex(text, r"JSON: ", name)
        for command in COMMANDS:
            text = printed(command, "--help")
            self.assertEqual(text, printed("help", command))
            self.assertEqual(text, self.answer(command, "-h"))
            every, basic = self.options(command, "--help-all"), self.options(command, "--help")
            self.assertLessEqual(basic.keys(), every.keys(), command)
            for option, rest in every.items():
                brief = re.search(r"  (\S.*)$", rest)
                self.assertTrue(brief, (command, option))
                self.assertLessEqual(len(re.sub(r" \((default:.*|required)\)$", "", brief[1])), 55, (command, option))
                self.assertFalse(brief[1].endswith("."), (command, option))

    def test_help_and_pages_name_options_that_exist(self):
        known = set(re.findall(r"--[a-z][a-z-]*", printed("completion", "bash")))
        others = {"--python", "--prefix", "--bind-to", "--no-build-isolation", "--no-isolation"}  # of other programs
        texts = {name: printed("help", name) for name in COMMANDS + TOPICS}
        for page in [SOURCE / "README.md", *sorted((SOURCE / "tools" / "manual").glob("*.md"))]:
            prose = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
            texts[page.name] = " ".join(re.findall(r"`([^`\n]+)`", prose))
        for name, text in texts.items():
            self.assertEqual(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - known - others, set(), name)

    def test_every_option_has_a_topic(self):
        """What a manual page lists is under some heading of --help-all, which begins with the first topic."""
        for command in COMMANDS:
            page = set(re.findall(r"(?m)^  (?:-\w,|   ) --([\w-]+)", printed(command, "--help-page")))
            self.assertEqual(page, self.options(command, "--help-all").keys(), command)

    def test_help_lists_what_the_command_takes(self):
        """No option of a list is refused because of the command."""
        for command in COMMANDS:
            for option, rest in some(self.options(command, "--help-all").items()):
                value = ["1"] if rest.startswith("=") else []
                done = run(command, "--" + option, *value)
                self.assertNotRegex(done.stderr, rf"--{option} is for .*, not for {command};|unknown option", (command, option))
        for command, option in (("compare", "--gold"), ("solve", "--crowd"), ("query", "--contexts"), ("simulate", "--regret")):
            self.assertNotIn(option[2:], self.options(command, "--help-all"))
            value = ["1"] if option != "--regret" else []
            words = [command, "-T", "2", "--problem", "assignment", "--workers-prior", "4,1", option, *value, "1"]
            self.assert_refused(words, f"{command} does not support {option}; omit it, or use ")

    # What was called otherwise: a command with the old words, and those of today that say the same.
    LABELERS, ASSIGNMENT = "-T 4 0.9 0.8 0.7 0.6 --problem labelers", "-T 2 --problem assignment --workers-prior 2x4,1 1"
    RENAMED = [
        ("compare -T 3 3x1,1", "--objective calls", "--problem labels"),
        ("solve -T 3 3x1,1", "--objective calls", ""),
        ("compare -T 3 2x1,1", "--objective bandit", "--problem bandit"),
        ("compare -T 3 2x1,1", "--believe 3,1", "--assume 3,1"),
        ("solve --arrival-rate 1 --service-rate 1 2x1,1", "--workers 3", "--arrivals 3"),
        ("solve -T 2 --deadline 4 2x1,1", "--arrival 0.5 --service 2,0.5", "--slot-arrivals 0.5 --slot-service 2,0.5"),
        ("compare " + LABELERS, "--cost 0.1 --price 0.5", "--cost 0.1 --cost-weight 0.5"),
        ("compare " + LABELERS, "--unknown orders", "--accuracy-prior orders"),
        ("compare -T 3 3x1,1", "--policy-states 1000", "--max-policy-states 1000"),
        ("compare -T 3 3x1,1", "--optimum-states 1000", "--max-states 1000"),
        ("compare " + ASSIGNMENT, "--leaves 1000", "--max-histories 1000"),
        ("compare -T 3 3x1,1", "--index-time 9", "--max-index-time 9"),
        ("compare -T 3 3x1,1 --policy command:cat", "--policy-timeout 0", "--max-answer-time 0"),
        ("compare " + LABELERS, "--weighted", "--votes weighted"),
        ("compare " + LABELERS, "--weighted --eps 0.6", "--votes weighted:0.6"),
        ("compare " + LABELERS, "", "--votes majority"),
        ("compare " + LABELERS, "--sets all --allow-nobody", "--sets all,nobody"),
        ("compare " + ASSIGNMENT + " --policy bbta:0", "--matrix MATRIX --regret", "--regret-on MATRIX"),
        ("bound " + LABELERS, "--theory", ""),
    ]
    HIDDEN = {word for _, old, _ in RENAMED for word in old.split() if word.startswith("--")} - {"--sets", "--cost", "--price"}

    def test_what_was_called_otherwise_is_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "matrix.tsv")
            path.write_text("task\tworker\tlabel\n1\t1\t1\n1\t2\t0\n")
            for line, old, new in self.RENAMED:
                told = []
                for words in (old, new):
                    done = run(*line.split(), *words.replace("MATRIX", str(path)).split(), "--threads", "1", "--json")
                    told.append((done.returncode, done.stderr,
                                 re.sub(r'"(command|seconds|table_seconds|memory_bytes)": [^\n]*', "", done.stdout)))
                self.assertEqual(*told, (line, old, new))
                self.assertEqual(told[0][0], 2 if "--policy-timeout" in old else 0, (line, told))

    def test_what_was_called_otherwise_is_not_listed(self):
        listed = [printed(command, "--help-all") + printed(command, "--help-page") for command in COMMANDS]
        listed += [self.answer("completion", shell) for shell in ("bash", "zsh", "fish")]
        listed += [printed("help", topic) for topic in TOPICS]
        for text in listed:
            options = {word for word in re.findall(r"--[a-z-]+", text) if word in self.HIDDEN}
            options |= {"--" + word for word in re.findall(r"(?m) -l ([a-z-]+)", text)} & self.HIDDEN
            self.assertEqual(options, set(), text[:200])
        every = set().union(*(self.options(command, "--help-all") for command in COMMANDS))
        for _, _, new in self.RENAMED:
            for word in new.split():
                self.assertTrue(not word.startswith("--") or word[2:] in every, new)
        self.assertEqual(len(self.options("compare", "--help")), 22)

    def test_topics(self):
        self.assertEqual(self.answer("help", "topics").split(), ["policies", *TOPICS])
        listed = printed("--help")
        for topic in ["policies", *TOPICS]:
            self.assertIn(topic, listed.partition("help TOPIC")[2])
        self.assert_refused(["help", "rankin"], "'ranking'")

    # Small problems of each topic that has policies.
    ACCEPTING = {
        "instances": ["compare -T 2 2x1,1"],
        "labels": ["compare -T 2 2x1,1"],
        "bandit": ["compare -T 2 --problem bandit 2x1,1"],
        "prices": ["compare -T 2 --price 0.1 2x1,1"],
        "features": ["compare -T 1 --features FEATURES"],
        "workers": ["compare -T 1 --workers-prior 2x4,1 2x1,1",
                    "simulate --runs 2 -T 1 --workers-prior 2x4,1 2x1,1"],
        "sources": ["compare -T 2 --source a:1:0.7 --source b:2:0.9 1,1", "compare -T 2 --source a:1:2,1 1,1"],
        "assignment": ["compare -T 2 --problem assignment --workers-prior 2x4,1 1"],
        "labelers": ["compare -T 2 --problem labelers 0.9 0.7 0.6",
                     "compare -T 2 --problem labelers --accuracy-prior orders 0.9 0.7 0.6"],
        "ranking": ["compare -T 1 --problem ranking 3x1", "simulate --runs 2 -T 1 --problem ranking 3x1",
                    "simulate --runs 2 -T 1 --problem ranking --workers-prior 2x4,1 3x1"],
        "deadline": ["compare -T 2 --batch 2 2x1,1", "compare -T 1 --deadline 2 2x1,1",
                     "compare --arrival-rate 1 --service-rate 1 --arrivals 2 2x1,1"],
    }
    PARAMETERS = {"cvar-kg": "0.5", "cvar-kg-exact": "0.5", "lookahead": "2", "rollout": "kg", "midway": "kg", "iethresh": "0.9", "crowdsense": "0.1",
                  "fixed": "5", "agree": "2", "lead": "2", "beta-stop": "0.95", "sprt": "0.3,0.7,0.1,0.1", "doubling": "2,8,0.75"}

    def test_policies_of_a_topic_are_those_that_its_problems_accept(self):
        every = [row["name"] for row in self.document("policies")["policies"]]
        with tempfile.TemporaryDirectory() as folder:
            own = {"table": str(pathlib.Path(folder, "index.tsv")),
                   "command": f"python3 {folder}/any.py",
                   "plugin": str(pathlib.Path(folder, "mine.so"))}
            pathlib.Path(own["table"]).write_text(self.answer("index", "-T", "2", "--policy", "kg", "1,1"))
            pathlib.Path(folder, "any.py").write_text("import json, sys\nfor line in sys.stdin:\n    now = json.loads(line)\n"
                                                      "    print(json.dumps({'index': [0] * len(now.get('counts') or now['acts'])}),"
                                                      " flush=True)\n")
            built = subprocess.run(["cc", "-shared", "-fPIC", "-I", str(SOURCE), "-o", own["plugin"],
                                    str(SOURCE / "tools" / "examples" / "own-plugin.c")], capture_output=True).returncode == 0
            def accepts(problems, names):
                named = [(name, self.PARAMETERS.get(name, own.get(name))) for name in names if name != "plugin" or built]
                policies = [word for name, more in named for word in ("--policy", f"{name}:{more}" if more else name)]
                return any(run(*words, "--quiet", "--threads", "1", *policies).returncode == 0 for words in problems)

            for topic, problems in self.ACCEPTING.items():
                listed = [row["name"] for row in self.document("policies", topic)["policies"]]
                problems = [words.replace("FEATURES", str(DATA / "features.tsv")).split() for words in problems]
                if not accepts(problems, listed):  # some need another problem than the rest
                    for name in listed:
                        self.assertTrue(accepts(problems, [name]), (topic, name))
                others = [name for name in every if name not in listed and (name != "plugin" or built)]
                for name in some(others):
                    self.assertFalse(accepts(problems, [name]), (topic, name))
        for word in ("rank", "limits"):
            for topic in self.ACCEPTING:
                self.assert_refused(["policies", word], topic)

    def test_a_bare_program_prints_its_help(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", self.answer("--help")))

    def test_help_lists_commands(self):
        text = printed("--help")
        for command in COMMANDS:
            self.assertIn("\n  " + command + " ", text)
        text = self.answer("compare", "--help")
        for words in (["-hT"], ["-hT", "1", "1,1"], ["--help", "--unknown"], ["-h", "-T"]):
            self.assertEqual(self.answer("compare", *words), text, words)
        self.assertRegex(self.answer("--version"), r"\Aoptgap \d+\.\d+\.\d+\n\Z")

    def test_without_times_equal_questions_have_equal_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            gold = pathlib.Path(folder, "gold.tsv")
            gold.write_text("task\tlabel\nreview-07\t1\nreview-15\t0\n")
            for words in (["solve", "-T", "6", "3x1,1"], ["compare", "-T", "6", "3x1,1", "--truth", "beta:2,1"],
                          ["simulate", "-T", "6", "--runs", "50", "3x1,1"],
                          ["replay", "--labels", SAMPLE, "--gold", str(gold), "--runs", "2"]):
                found = [self.answer(*words, "--threads", "1", "--json", "--no-times") for _ in range(2)]
                self.assertEqual(*found, words)
                times = re.findall(r'"(?:table_)?seconds": (.*?),?\n', found[0])
                self.assertEqual(set(times), {"null"}, words)

    def test_json_numbers_read_back_as_the_same_double(self):
        commands = [
            ["compare", "-T", "6", "3x1.1,0.7", "2,1@0.3"],
            ["solve", "-T", "6", "3x1.1,0.7"],
            ["query", "-T", "6", "3x1.1,0.7", "2,1@0.3"],
            ["bound", "-T", "6", "3x1.1,0.7"],
            ["simulate", "-T", "6", "--runs", "100", "3x1.1,0.7"],
            ["index", "-T", "6", "--policy", "kg", "1.1,0.7"],
            ["fit", SAMPLE],
        ]
        for words in commands:
            seen = []
            json.loads(self.answer(*words, "--json"), parse_float=lambda text: seen.append(text))
            self.assertTrue(seen, words)
            for text in seen:
                exact = format(float(text), ".17g").partition("e")[0]
                self.assertIn(text.partition("e")[0], (exact, exact + ".0"), words)

    def test_the_result_must_arrive(self):
        for words in (["solve", "-T", "3", "1,1"], ["index", "-T", "60", "--policy", "kg", "1,1"],
                      ["--help"], ["compare", "-T", "3", "--json", "1,1"], ["fit", SAMPLE]):
            for target in (">/dev/full", ">&-"):
                done = subprocess.run(["sh", "-c", f'exec "$@" {target}', "sh", PROGRAM, *words],
                                      stderr=subprocess.PIPE, text=True, timeout=100)
                self.assertEqual(done.returncode, 1, (words, target))
                self.assertRegex(done.stderr, r"\Aoptgap: the result could not be written: .+\n\Z")

    def test_progress_is_for_terminals_and_leaves_none_of_itself(self):
        main, side = pty.openpty()
        words = ["compare", "-T", "3", "--threads", "1", "2x1,1"]
        done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=side, text=True,
                              timeout=100)
        os.close(side)
        shown = b""
        with contextlib.suppress(OSError):  # a terminal that all have left ends so
            while part := os.read(main, 65536):
                shown += part
        shown = shown.decode()
        os.close(main)
        self.assertEqual(done.returncode, 0)
        self.assertIn("optimum ...", shown)
        self.assertRegex(shown, r"policies, \d of 5 done: \S+, ties random \.\.\.")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_the_locale_changes_nothing(self):
        words = ["solve", "-T", "3", "2x1.5,1"]
        plain = json.loads(run(*words, "--json").stdout)["optimal"]["value"]
        other = run(*words, "--json", environment={"LC_ALL": "de_DE.UTF-8"})
        self.assertEqual(json.loads(other.stdout)["optimal"]["value"], plain)

    def test_threads_do_not_change_a_bit(self):
        def without_sizes(node):
            sizes = ("seconds", "memory_bytes", "states", "forgotten", "command")
            if isinstance(node, dict):
                return {key: without_sizes(node[key]) for key in node if key not in sizes}
            return [without_sizes(value) for value in node] if isinstance(node, list) else node

        commands = [
            ["compare", "-T", "9", "--ties", "random,first,worst", "4x1.3,0.7", "2,1@0.3"],
            ["solve", "-T", "24", "10x1,1"],
            ["query", "-T", "7", "3x1,1", "2,1@0.3"],
            ["bound", "-T", "20", "10x1.2,1", "2x2,1@0.4"],
            ["index", "-T", "12", "--policy", "gittins-fh", "1.2,1"],
            ["simulate", "-T", "12", "--runs", "1000", "--ties", "random,first", "4x1.3,0.7"],
        ]
        for words in commands:
            one, two = (self.document(*words, "--threads", count) for count in ("1", "2"))
            self.assertEqual(without_sizes(one), without_sizes(two), words)


class BracketTest(Case):
    """Queries whose Q values take too long: bounds that are proved nevertheless, with status 0."""

    words = ["-T", "60", "10x1,1", "2.5,1", "3,3@0.7", "1,4", "--policies", "uniform,opt-kg"]

    def test_query_answers_whatever_the_size(self):
        found = self.document("query", *self.words)
        acts = found["instances"]
        self.assertIn("limit", found["bracket"]["limit"])
        self.assertEqual([act["q"] for act in acts], [None] * 4)
        best = found["bracket"]["best"]
        self.assertEqual(max(act["q_lower"] for act in acts), acts[best]["q_lower"])
        for i, act in enumerate(acts):
            others = max(other["q_upper"] for j, other in enumerate(acts) if j != i)
            self.assertEqual(act["lost_at_most"], max(0, others - act["q_lower"]))
            self.assertEqual(act["optimal"], act["lost_at_most"] == 0)
        self.assertEqual(found["policies"]["uniform"], [0, 1, 2, 3])
        table = self.answer("query", "-T", "20", "6x1,1", "2x3,1", "--memory", "30K")
        self.assertRegex(table, r"Labelling \S+ is proved to lose at most [0-9.]+; whether")
        self.assertIn("Q at least", table)

    def test_brackets_hold_the_q_that_a_longer_search_proves(self):
        words = ["-T", "20", "6x1,1", "2x3,1"]
        known = self.document("query", *words)["instances"]
        found = self.document("query", *words, "--memory", "30K")["instances"]
        for act, truth in zip(found, known):
            self.assertLessEqual(act["q_lower"], truth["q"] + truth["error_bound"])
            self.assertGreaterEqual(act["q_upper"], truth["q"] - truth["error_bound"])


class LimitTest(Case):
    """Exit status 3: nothing wrong on standard output, the reason on standard error."""

    words = ["-T", "20", "6x1,1"]

    def test_solve_prints_nothing_and_says_why(self):
        for memory in ("1K", "16K"):
            self.assert_refused(["solve", *self.words, "--memory", memory], "limit", code=3)
        self.assert_refused(["query", *self.words, "--memory", "1K"], "limit", code=3)

    def test_tables_that_cannot_fit_are_refused_at_once(self):
        for command, word in ("solve", "1,1"), ("bound", "0.5:1,1+0.5:2,5"), ("compare", "1,1"):
            self.assert_refused([command, "-T", "100000", "--memory", "1G", word], "1", code=3)

    def test_compare_prints_the_bracket(self):
        done = run("compare", *self.words, "--memory", "16K", "--policies", "kg,opt-kg", "--json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("limit", done.stderr)
        found = json.loads(done.stdout)
        truth = self.document("solve", *self.words)["optimal"]["value"]
        self.assertIsNone(found["optimal"]["value"])
        self.assertIsNone(found["optimal"]["gain"])
        self.assertLess(found["bracket"]["lower"], truth)
        self.assertGreater(found["bracket"]["upper"], truth)
        for row in found["policies"]:
            for key in ("gap", "gap_percent", "gain_lost_percent"):
                self.assertIsNone(row[key])
        table = run("compare", *self.words, "--memory", "16K", "--policies", "kg")
        self.assertEqual(table.returncode, 3)
        self.assertIn("not proved", table.stdout)
        for line in table.stdout.splitlines():
            self.assertLessEqual(len(line), 80)


if __name__ == "__main__":
    main()
