#!/usr/bin/env python3
"""Recorded labels that take time (replay --arrival-rate): definitions, known values, refusals.

    test_arrivals_cli.py PROGRAM [unittest option...]

The literal definition below shares no code with the program: all histories of a small table, one event
after another. Known values and RTE come from ../shared (OPTGAP_SHARED) and are skipped without it.
"""

import collections
import functools
import itertools
import json
import math
import os
import pathlib
import shlex
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("OPTGAP_SHARED") or ROOT.parent / "shared")
GOLDEN = SHARED / "spec" / "golden-crowds.json"
RTE = SHARED / "data" / "rte"
ARRIVAL, SERVICE = Fraction(1, 10), Fraction(2, 5)
RATES = ["--arrival-rate", "0.1", "--service-rate", "0.4"]
TABLE = {"t1": [1, 1, 0], "t2": [0, 1], "t3": [1], "t4": [0, 0]}
GOLD = {"t1": 1, "t2": 0, "t3": 1}  # t4 is never drawn


# ---- the definition: tasks are (positive and negative labels left, a, b, workers at work, gains) ----

Task = collections.namedtuple("Task", "ones zeros a b work gains")


@functools.cache
def right(a, b):
    """h = Pr(the call is right) of whole numbers."""
    positive = Fraction(sum(math.comb(a + b - 1, j) for j in range(a)), 2 ** (a + b - 1))
    return max(positive, 1 - positive)


def gains(a, b):
    return right(a + 1, b) - right(a, b), right(a, b + 1) - right(a, b)


@functools.cache
def gain(a, b, work):
    """The expected gain of one more label after those under way."""
    if work > 0:
        return (a * gain(a + 1, b, work - 1) + b * gain(a, b + 1, work - 1)) / (a + b)
    return (a * gains(a, b)[0] + b * gains(a, b)[1]) / (a + b)


@functools.cache
def worth(price, a, b, work, left, most):
    """Of one instance that can get `most` more labels, with `left` workers to come, each at this price."""
    if left == 0:
        return 0.0
    hired = taking(price, a, b, work, left, most)
    sums = float(ARRIVAL) * max(worth(price, a, b, work, left - 1, most), hired)
    if work > 0:
        sums += float(SERVICE) * work * (a * worth(price, a + 1, b, work - 1, left, most)
                                         + b * worth(price, a, b + 1, work - 1, left, most)) / (a + b)
    return sums / float(ARRIVAL + SERVICE * work)


def taking(price, a, b, work, left, most):
    if most == 0:
        return -math.inf
    return float(gain(a, b, work)) - price + worth(price, a, b, work + 1, left - 1, most - 1)


@functools.cache
def price_of(a, b, work, left, most):
    """The greatest price at which hiring now is no worse than waiting, by halving."""
    low, high = 0.0, 0.5
    for _ in range(34):
        middle = (low + high) / 2
        better = taking(middle, a, b, work, left, most) >= worth(middle, a, b, work, left - 1, most) - 1e-13
        low, high = (middle, high) if better else (low, middle)
    return low


def ucb(task, come):
    own = len(task.gains) + task.work
    if own == 0:
        return math.inf
    seen = [float(x) for x in task.gains] or [0.0]
    mean = sum(seen) / len(seen)
    variance = max(0.0, sum(x * x for x in seen) / len(seen) - mean * mean)
    ratio = math.log(come) / own
    return mean + math.sqrt(ratio * min(0.25, variance + math.sqrt(2 * ratio)))


def index_of(policy, task, left, workers):
    most = task.ones + task.zeros - task.work
    if most == 0:
        return -math.inf
    return {"uniform": lambda: 0, "kg": lambda: float(gain(task.a, task.b, 0)),
            "opt-kg": lambda: float(max(gains(task.a, task.b))),
            "hu-frazier": lambda: price_of(task.a, task.b, task.work, left, most),
            "ucb1-tuned": lambda: ucb(task, workers - left)}[policy]()


def tied(policy, tasks, left, workers):
    index = [index_of(policy, task, left, workers) for task in tasks]
    top = max(index)
    return [k for k, x in enumerate(index) if x > -math.inf and (x == top or x >= top - 1e-8)]


def means(policy, tasks, gold, workers):
    """The mean accuracy, believed accuracy and number of labels of all histories."""
    @functools.cache
    def go(tasks, left):
        work = sum(task.work for task in tasks)
        if left == 0 and work == 0:
            calls = [Fraction(1, 2) if t.a == t.b else Fraction((t.a > t.b) == truth) for t, truth in zip(tasks, gold)]
            given = sum(len(task.gains) for task in tasks)
            return [float(sum(calls) / len(tasks)), float(sum(right(t.a, t.b) for t in tasks) / len(tasks)), given]
        total = [0.0, 0.0, 0.0]

        def add(chance, tasks, left):
            for i, value in enumerate(go(tasks, left)):
                total[i] += float(chance) * value

        rate = (ARRIVAL if left > 0 else 0) + SERVICE * work
        if left > 0:
            picks = tied(policy, tasks, left, workers)
            for k in picks:
                task = tasks[k]._replace(work=tasks[k].work + 1)
                add(ARRIVAL / rate / len(picks), (*tasks[:k], task, *tasks[k + 1:]), left - 1)
            if not picks:
                add(ARRIVAL / rate, tasks, left - 1)
        for k, t in enumerate(tasks):
            for count, positive in ((t.ones, 1), (t.zeros, 0)):
                if t.work > 0 and count > 0:
                    new = Task(t.ones - positive, t.zeros - (1 - positive), t.a + positive, t.b + 1 - positive,
                               t.work - 1, (*t.gains, gains(t.a, t.b)[1 - positive]))
                    add(SERVICE * t.work / rate * Fraction(count, t.ones + t.zeros), (*tasks[:k], new, *tasks[k + 1:]), left)
        return total

    return go(tuple(tasks), workers)


class Files(FolderCase):
    def setUp(self):
        super().setUp()
        self.write("labels.tsv", ["task\tworker\tlabel", *(f"{task}\tw{j}\t{label}" for task, labels in TABLE.items()
                                                           for j, label in enumerate(labels))])
        self.write("gold.tsv", ["task\tlabel", *(f"{task}\t{label}" for task, label in GOLD.items())])
        self.usual = ["replay", "--labels", str(self.folder / "labels.tsv"), "--gold", str(self.folder / "gold.tsv"), *RATES]

    def write(self, name, lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(self.folder / name)

    def read(self, name):
        heading, *rows = (line.split("\t") for line in (self.folder / name).read_text(encoding="utf-8").splitlines())
        return [dict(zip(heading, row)) for row in rows]


class Definition(Files):
    def test_means_are_those_of_all_histories(self):
        policies = ["uniform", "kg", "opt-kg", "hu-frazier", "ucb1-tuned"]
        for tasks, workers in ((2, 4), (3, 8)):  # the second loses workers
            found = self.document(*self.usual, "--arrivals", str(workers), "--tasks", str(tasks), "--prior", "2,1", "--runs",
                                  "20000", "--policies", ",".join(policies))
            draws = list(itertools.combinations(GOLD, tasks))
            for row in found["policies"]:
                if workers > 4 and row["name"] not in ("uniform", "opt-kg"):
                    continue
                truth = [sum(x) / len(draws) for x in zip(*(
                    means(row["name"], [Task(sum(TABLE[t]), len(TABLE[t]) - sum(TABLE[t]), 2, 1, 0, ()) for t in draw],
                          [GOLD[t] for t in draw], workers) for draw in draws))]
                for key, error, value in (("accuracy", "standard_error", truth[0]), ("believed", "believed_error", truth[1])):
                    self.assertLessEqual(abs(row[key] - value), 5 * row[error] + 1e-12, (row["name"], key, value))
                self.assertAlmostEqual(row["labels"], truth[2], delta=0.05)

    def test_thompson_draws_from_the_posterior(self):
        count = 100
        self.write("labels.tsv", ["task\tworker\tlabel", "t1\tw0\t1", *(f"t1\tw{j}\t0" for j in range(1, count))])
        events = self.write("events.tsv", ["event\ttask", *["arrive\t"] * count])
        self.answer(*self.usual, "--arrivals", str(count), "--prior", "2,1", "--events", events, "--runs", "2", "--policy",
                    "thompson", "--trace", str(self.folder / "trace.tsv"))
        first, second = (float(x) for x in gains(2, 1))
        drawn = [(float(row["score"]) - second) / (first - second) for row in self.read("trace.tsv")]
        self.assertEqual(len(set(drawn)), count)
        for power, mean, square in ((1, 2 / 3, 1 / 2), (2, 1 / 2, 1 / 3)):  # moments of Beta(2,1)
            self.assertLess(abs(sum(x ** power for x in drawn) / count - mean), 5 * math.sqrt((square - mean ** 2) / count))

    def test_a_trace_is_a_list_of_events(self):
        for policy in ("hu-frazier", "gittins-fh"):
            words = [*self.usual, "--arrivals", "5", "--order", "file", "--ties", "first", "--runs", "2", "--policy", policy]
            one, other = str(self.folder / "one.tsv"), str(self.folder / "other.tsv")
            first = self.document(*words, "--trace", one)
            second = self.document(*words, "--trace", other, "--events", one)
            self.assertEqual(self.read("one.tsv"), self.read("other.tsv"))
            self.assertEqual(first["bound_per_task"], second["bound_per_task"])
            self.assertEqual(sum(row["event"] == "done" for row in self.read("one.tsv")), 5)

    def test_the_prior_is_fitted_to_the_tasks_held_out(self):
        rows = [f"t{i}\tw{j}\t{int((i * 7 + j * j) % (3 + i % 2) > 0)}" for i in range(12) for j in range(5)]
        self.write("labels.tsv", ["task\tworker\tlabel", *rows])
        self.write("gold.tsv", ["task\tlabel", *(f"t{i}\t{i % 2}" for i in range(12))])
        held = self.write("held.tsv", ["task\tworker\tlabel", *rows[:30]])
        words = [*self.usual, "--arrivals", "3", "--runs", "2"]
        for method in ("paper", "ml", "moments"):
            done = run("fit", "--method", method, "--json", held)
            if done.returncode == 0:
                found = self.document(*words, "--holdout", "first:6", *(["--method", method] if method != "paper" else []))
                for x, y in zip(found["prior"], json.loads(done.stdout)["prior"]):
                    self.assertAlmostEqual(x / y, 1, delta=1e-11)
                self.assertEqual((found["held_out"], found["method"], found["tasks_drawn"]), (6, method, 6))
        priors = {tuple(self.document(*words, "--holdout", "6", "--seed", str(seed))["prior"]) for seed in (1, 1, 2, 3)}
        self.assertGreater(len(priors), 1)
        own = self.document(*words, "--holdout", "6", "--prior", "2,1")
        self.assertEqual((own["prior"], own["method"], own["held_out"]), ([2, 1], None, 6))


class Known(Files):
    """Values of the specification, from a program that shares no code."""

    def setUp(self):
        super().setUp()
        if not GOLDEN.exists():
            self.skipTest(f"no {GOLDEN} (set OPTGAP_SHARED)")
        self.known = json.loads(GOLDEN.read_text(encoding="utf-8"))["hu_frazier"]

    def test_traces(self):
        for case in self.known["traces"]:
            for name, text in case["files"].items():
                (self.folder / name).write_text(text, encoding="utf-8")
            words = shlex.split(case["command"].replace("--runs 1 ", "--runs 2 "))[1:]
            done = run(*words, folder=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""), case["id"])
            rows = self.read("trace.tsv")
            self.assertEqual(len(rows), len(case["events"]))
            for row, event in zip(rows, case["events"]):
                self.assertEqual((row["event"], row["task"]), (event["event"], f"t{event['task']}"), case["id"])
                if event["event"] == "arrive":
                    self.assertAlmostEqual(float(row["score"]), event["indices"][event["task"] - 1], delta=1e-9)
                else:
                    self.assertEqual(Fraction(row["a"]), Fraction(event["a"]))
                    self.assertEqual(Fraction(row["b"]), Fraction(event["b"]))

    def rte(self, tasks, workers, runs, *more):
        if not RTE.exists():
            self.skipTest(f"no {RTE} (set OPTGAP_SHARED)")
        return self.document("replay", "--labels", str(RTE / "labels.tsv"), "--gold", str(RTE / "gold.tsv"), "--holdout",
                             "first:50", "--tasks", str(tasks), *RATES, "--arrivals", str(workers), "--runs", str(runs), *more)

    def check(self, found, rows):
        for row in rows:
            at = next(policy for policy in found["policies"] if policy["name"] == row["policy"])
            for key, error in (("accuracy", "se"), ("believed", "believed_se")):
                own = at["standard_error" if key == "accuracy" else "believed_error"]
                self.assertLessEqual(abs(at[key] - row[key]), 4 * math.hypot(own, row[error]), row)
            self.assertAlmostEqual(found["bound_per_task"], row["bound_per_task"], delta=1e-5)
            self.assertAlmostEqual(found["price"], row["price"], delta=1e-5)
            for x, y in zip(found["prior"], row["prior"]):
                self.assertAlmostEqual(x, y, delta=1e-10)

    def test_figure_2(self):
        policies = "hu-frazier,opt-kg,thompson,ucb1-tuned,uniform"
        for tasks, workers, runs in ((10, 12, 2000), (100, 120, 100)):
            rows = [row for row in self.known["figure2"] if row["K"] == tasks]
            self.check(self.rte(tasks, workers, runs, "--policies", policies), rows)

    def test_other_fits(self):
        rows = [row for row in self.known["priors"] if row["K"] == 100]
        for method in ("moments", "ml"):
            found = self.rte(100, 120, 100, "--method", method, "--policies", "hu-frazier,opt-kg")
            own = [row for row in rows if abs(row["prior"][0] - found["prior"][0]) < 1e-3]
            self.assertEqual(len(own), 2)
            self.check(found, own)


class Refused(Files):
    def test_events(self):
        words = [*self.usual, "--runs", "2", "--policies", "uniform", "--order", "file", "--ties", "first", "--arrivals", "2"]
        for rows, said in ((["arrive\t"], "1 arrivals, but --arrivals is 2"), (["arrive\t"] * 3, "3 arrivals"),
                           (["arrive\t", "left\tt1"], "line 3: the event must be arrive or done, not 'left'"),
                           (["arrive\t", "done\tt9"], "task 't9' ends, which has no labels"),
                           (["done\tt1", "arrive\t", "arrive\t"], "line 2: a label of task 't1' ends, but none is under way"),
                           (["arrive\t", "done\tt2", "arrive\t"],
                            "uniform: event 2 of --events ends a label of task 't2', but none is under way")):
            self.assert_refused([*words, "--events", self.write("events.tsv", ["event\ttask", *rows])], said)
        self.assert_refused([*words, "--events", self.write("events.tsv", ["event\twhat", "arrive\t", "done\ta"])],
                            "the task of the label that ends is missing")
        self.assert_refused([*words, "--events", str(self.folder / "none.tsv")], "none.tsv")

    def test_options(self):
        words = [*self.usual, "--runs", "2"]
        both = [*words, "--arrivals", "3"]
        self.assert_refused(words, "--arrival-rate requires --arrivals U")
        self.assert_refused([*words[:-4], *both[-4:]], "--arrival-rate requires --service-rate R")
        for more, said in ((["--tasks", "4"], "--tasks 4 is more than the 3 tasks with gold"),
                           (["--holdout", "first:2", "--tasks", "2", "--prior", "1,1"], "1 tasks with gold that are not held out"),
                           (["--holdout", "4"], "--holdout 4 leaves none of the 4 tasks"),
                           (["--holdout", "first:x"], "--holdout must be a number of tasks"),
                           (["--method", "ml"], "--method requires --holdout"),
                           (["--holdout", "2", "--method", "ml", "--prior", "1,1"], "--prior and --method cannot be combined"),
                           (["--policy", "nlu"], "'nlu' is not an index of one task"),
                           (["--policy", "hu-frazier:3"], "give hu-frazier"), (["-T", "3"], "--arrival-rate does not support --budget; omit it"),
                           (["--at", "1"], "--arrival-rate does not support --at; omit it"), (["--price", "0.1"], "--arrival-rate does not support --price; omit it"),
                           (["--workers-prior", "4,1"], "--arrival-rate does not support --workers-prior"),
                           (["--prior", "1,1,1"], "--prior")):
            self.assert_refused([*both, *more], said)
        self.assert_refused(["0" if word == "0.1" else word for word in both], "--arrival-rate must be")


if __name__ == "__main__":
    main()
