"""Workers of unknown reliability in runs: simulate and replay against definitions and known values.

    test_crowd_cli.py PROGRAM [unittest option...]

The literal definition below shares no code with the program: the paper's formulas in fractions, all
pairs computed anew at each label. Known values come from ../shared (OPTGAP_SHARED) and are skipped
without it.
"""

import json
import math
import os
import pathlib
import random
import shlex
import sys
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import SCALE, SEED, FolderCase, main  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("OPTGAP_SHARED") or ROOT.parent / "shared")
GOLDEN = SHARED / "spec" / "golden-crowds.json"
TIE = 1e-10


def right(a, b):
    """h = Pr(the call is right): a sum of positive terms."""
    if a == b:
        return 0.5
    p, q = float(max(a, b)), float(min(a, b))
    term = math.exp(math.lgamma(p + q) - math.lgamma(p + 1) - math.lgamma(q) - (p + q) * math.log(2))
    wrong, n = 0.0, 0
    while term > 1e-19 * (wrong + 1e-300):
        wrong += term
        term *= (p + q + n) / (2 * (p + 1 + n))
        n += 1
    return 1 - wrong


def fit(mean, second):
    size = (mean - second) / (second - mean * mean)
    return mean * size, (1 - mean) * size


def match(task, worker, positive):
    """Equations 38 to 45 of Chen, Lin and Zhou, in fractions."""
    (a, b), (c, d) = task, (worker if positive else worker[::-1])
    chance = a * c + b * d
    theta = fit(a * ((a + 1) * c + b * d) / ((a + b + 1) * chance),
                a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * chance))
    rho = fit(c * (a * (c + 1) + b * d) / ((c + d + 1) * chance),
              c * (c + 1) * (a * (c + 2) + b * d) / ((c + d + 1) * (c + d + 2) * chance))
    return theta, rho if positive else rho[::-1]


def index_of(policy, task, worker):
    (a, b), (c, d) = task, worker
    gain = [right(*match(task, worker, sign)[0]) - right(a, b) if c != d else 0.0 for sign in (True, False)]
    chance = float((a * c + b * d) / ((a + b) * (c + d)))
    name, _, part = policy.partition(":")
    if name == "uniform":
        return 0.0
    if name == "kg":
        return chance * gain[0] + (1 - chance) * gain[1]
    if name == "cvar-kg":
        best = chance if gain[0] >= gain[1] else 1 - chance
        share = min(best, float(part))
        return (share * max(gain) + (float(part) - share) * min(gain)) / float(part)
    return max(gain) if name == "opt-kg" else min(gain)


def rows_of(path):
    head, *lines = path.read_text().splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"))) for line in lines]


class Folder(FolderCase):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "trace.tsv"

    def traced(self, *words):
        self.document(*words, "--trace", str(self.trace))
        return rows_of(self.trace)


class DefinitionTest(Folder):
    POLICIES = ("uniform", "kg", "opt-kg", "pess-kg", "cvar-kg:0.8", "cvar-kg:0.3")

    def check(self, rows, policy, tasks, workers, once, first):
        asked = set()
        for step, row in enumerate((row for row in rows if row["policy"] == policy), 1):
            i, j = int(row["task"]) - 1, int(row["worker"]) - 1
            index = {(k, l): index_of(policy, tasks[k], workers[l]) for k in range(len(tasks))
                     for l in range(len(workers)) if not (once and (k, l) in asked)}
            most = max(index.values())
            tied = [pair for pair in sorted(index) if index[pair] >= most - TIE]
            about = (policy, step, row)
            self.assertEqual(int(row["step"]), step, about)
            self.assertEqual(int(row["tied"]), len(tied), about)
            self.assertTrue((i, j) == tied[0] if first else (i, j) in tied, (about, tied))
            self.assertAlmostEqual(float(row["score"]), index[i, j], delta=1e-13, msg=about)
            tasks[i], workers[j] = match(tasks[i], workers[j], row["label"] == "1")
            for key, value in zip("abcd", tasks[i] + workers[j]):
                self.assertAlmostEqual(float(row[key]) / float(value), 1, delta=1e-11, msg=about)
            tasks[i] = tuple(Fraction(float(x)) for x in tasks[i])
            workers[j] = tuple(Fraction(float(x)) for x in workers[j])
            asked.add((i, j))
        return len(asked)

    def test_each_label_is_that_of_the_definition(self):
        source = random.Random(SEED)
        for _ in range(max(1, round(6 * SCALE))):
            tasks = [source.choice(((1, 1), (1, 1), (2, 1), (1, 3))) for _ in range(source.randint(1, 5))]
            workers = [source.choice(((4, 1), (4, 1), (3, 1), (1, 2), (2, 2))) for _ in range(source.randint(1, 4))]
            once, first = source.random() < 0.5, source.random() < 0.5
            words = ["simulate", "-T", "14", "--runs", "2", "--seed", str(source.randint(1, 10**6)), "--policies",
                     ",".join(self.POLICIES), "--ties", "first" if first else "random", *(["--once"] if once else []),
                     *(f"--workers-prior={c},{d}" for c, d in workers), *(f"{a},{b}" for a, b in tasks)]
            rows = self.traced(*words)
            for policy in self.POLICIES:
                own = [row for row in rows if row["policy"] == policy]
                self.assertEqual(len(own), min(14, len(tasks) * len(workers)) if once else 14, words)
                fractions = [[tuple(map(Fraction, pair)) for pair in pairs] for pairs in (tasks, workers)]
                self.check(rows, policy, *fractions, once, first)


class RunsTest(Folder):
    def test_means_are_the_exact_values(self):
        for words in (["-T", "3", "--workers-prior", "2x4,1", "2x1,1"],
                      ["-T", "4", "--once", "--workers-prior", "4,1", "--workers-prior", "2,2", "1,1", "2,1"],
                      ["-T", "3", "--workers-prior=6,1/1,2", "--workers-prior=0.7*6,1+0.3*1,6", "1,1", "2,1"]):
            names = "uniform,kg,opt-kg,pess-kg,cvar-kg:0.8"
            exact = self.document("compare", "--policies", names, *words)["policies"]
            found = self.document("simulate", "--policies", names, "--runs", "20000", *words)["policies"]
            for known, row in zip(exact, found):
                self.assertAlmostEqual(row["mean"], known["value"], delta=4.5 * row["standard_error"], msg=words)

    def test_points_are_runs_of_fewer_labels(self):
        words = ["simulate", "--runs", "50", "--workers-prior", "6x4,1", "--policies", "uniform,opt-kg", "5x1,1"]
        whole = self.document(*words, "-T", "20", "--at", "0,7")
        part = self.document(*words, "-T", "7")
        for row, short in zip(whole["policies"], part["policies"]):
            self.assertEqual([point["labels"] for point in row["points"]], [0, 7, 20])
            for key in ("accuracy", "standard_error", "believed", "repeats", "majority"):
                self.assertEqual(row["points"][1][key], short["points"][0][key], key)
            self.assertEqual(row["points"][0]["believed"], 0.5)
            self.assertAlmostEqual(row["mean"], 5 * row["points"][2]["accuracy"], delta=1e-12)

    def test_counts_add_up(self):
        found = self.document("simulate", "-T", "30", "--runs", "20", "--counts", "--workers-prior", "3x4,1",
                              "--policies", "opt-kg,kos", "5x1,1")
        for row in found["policies"]:
            self.assertAlmostEqual(sum(row["by_worker"]), 30)
            self.assertAlmostEqual(sum(row["by_instance"]), 30)
        self.assertEqual(row["by_instance"], [6] * 5)  # a regular graph, of single edges only if there are enough

    def test_no_pair_is_asked_twice_with_once(self):
        found = self.document("simulate", "-T", "40", "--runs", "20", "--once", "--workers-prior", "3x4,1",
                              "--policies", "uniform,opt-kg", "--counts", "5x1,1")
        for row in found["policies"]:
            self.assertEqual(row["points"][0]["repeats"], 0)
            self.assertEqual((row["by_worker"], row["by_instance"]), ([5] * 3, [3] * 5))  # 15 pairs

    def test_one_label_a_worker_leaves_kos_undecided(self):
        found = self.document("simulate", "-T", "12", "--runs", "20", "--workers-prior", "12x4,1", "--policies",
                              "kos,kos:1", "4x1,1")
        self.assertEqual([row["accuracy"] for row in found["policies"]], [0.5, 0.5])

    def test_sizes_without_limits_of_exact_values(self):
        found = self.document("simulate", "-T", "200", "--runs", "2", "--threads", "1", "--workers-prior", "300x4,1",
                              "--policies", "opt-kg", "200x1,1")
        self.assertEqual(found["runs"], 2)

    def test_refusals(self):
        def refuse(words, expected):
            self.assert_refused(["simulate", *shlex.split(words)], expected)
        crowd = "-T 4 --workers-prior 2x4,1 2x1,1"
        refuse(f"--at 3,2 {crowd}", "--at must be")
        refuse(f"--at 2,9 {crowd}", "--at 9 is more than the budget of 4 labels")
        refuse(f"--trace {self.folder}/t -T 4 2x1,1", "--trace")
        refuse(f"--truth list:1,0,1 {crowd}", "--truth lists 3 numbers, but there are 2 instances")
        refuse(f"--truth workers-list:1 {crowd}", "--truth lists 1 numbers, but there are 2 workers")
        refuse(f"--truth list:1,1.5 {crowd}", "must be from 0 to 1")
        refuse(f"--truth workers-list:1,2 {crowd}", "must be from 0 to 1")
        refuse(f"--truth dirichlet:1,2 {crowd}", "--problem ranking")
        refuse(f"--policy kos:0 {crowd}", "is not a whole number from 1")
        refuse(f"--policy nlu {crowd}", "'nlu'")
        refuse("--policy kos -T 4 2x1,1", "--workers-prior")
        refuse(f"--history 1@1+ {crowd}", "--history")
        refuse(f"--trace {self.folder}/t -T 4 --workers-prior 2,1/1,1 2x1,1", "two coins or mixtures")
        self.assertEqual(list(self.folder.iterdir()), [])


class ReplayTest(Folder):
    LABELS = "".join(f"t{i}\tw{j}\t{(i * j + i // 2) % 2}\n" for i in range(6) for j in range(4) if (i + j) % 5)

    def setUp(self):
        super().setUp()
        self.labels, self.gold = self.folder / "labels.tsv", self.folder / "gold.tsv"
        self.labels.write_text("task\tworker\tlabel\n" + self.LABELS + "t0\tw1\t1\n")
        self.gold.write_text("task\tlabel\n" + "".join(f"t{i}\t{i % 2}\n" for i in range(5)))
        self.words = ["replay", "--quiet", "--labels", str(self.labels), "--gold", str(self.gold), "--workers-prior", "4,1"]

    def test_every_recorded_label_is_given_once(self):
        rows = self.traced(*self.words, "-T", "all", "--runs", "2", "--policies", "uniform,kg,pess-kg,kos")
        recorded = sorted(line.split("\t") for line in self.labels.read_text().splitlines()[1:])
        for policy in ("uniform", "kg", "pess-kg", "kos"):
            given = sorted([row["task"], row["worker"], row["label"]] for row in rows if row["policy"] == policy)
            self.assertEqual(given, recorded)
        for step, row in enumerate((row for row in rows if row["policy"] == "kos"), 1):  # a graph has no scores
            self.assertEqual((row["step"], {row[key] for key in ("score", "tied", *"abcd")}), (str(step), {""}))

    def test_points(self):
        found = self.document(*self.words, "-T", "10", "--at", "0,4", "--runs", "5", "--policies", "opt-kg,kos", "--prior",
                              "2,1", "--final-ties", "positive")
        self.assertEqual(found["workers_prior"], [4, 1])
        for row in found["policies"]:
            self.assertEqual([point["labels"] for point in row["points"]], [0, 4, 10])
        start = found["policies"][0]["points"][0]
        self.assertEqual((start["accuracy"], start["believed"]), (2 / 5, 0.75))  # all are called positive
        self.assertIsNone(row["points"][0]["believed"])

    def test_two_coins_and_mixtures(self):
        for prior, shown in (("4,1/2,1", [[4, 1], [2, 1]]), ("0.5*4,1+0.5*1,2", [[0.5, 4, 1], [0.5, 1, 2]])):
            result = self.folder / "result.json"
            found = self.document(*self.words[:-1], prior, "-T", "10", "--runs", "2", "--policies", "uniform,opt-kg",
                                  "--result", str(result))
            self.assertEqual(found["workers_prior"], shown)
            workers = json.loads(result.read_text())[1]["workers"]
            self.assertEqual({len(row["posterior"][1]) for row in workers}, {len(shown[1])})
            self.assertTrue(all(0 < row["reliability"] < 1 for row in workers))

    def test_priors_in_files(self):
        """Those of all tasks and workers as in the files are the same as those given for all others."""
        def tables(tasks, workers):
            (self.folder / "tasks.tsv").write_text("b,Item,a\n" + "".join(f"{b},{name},{a}\n" for name, a, b in tasks))
            (self.folder / "workers.tsv").write_text("worker\tc\td\n" + "".join(f"{name}\t{c}\t{d}\n" for name, c, d in workers))
            return ["--task-priors", str(self.folder / "tasks.tsv"), "--worker-priors", str(self.folder / "workers.tsv")]

        all_tasks, all_workers = [(f"t{i}", 2, 1) for i in range(6)], [(f"w{j}", 4, 1) for j in range(4)]
        policies = lambda *words: self.document(*words, "--no-times", "--runs", "3", "--policies", "opt-kg,kos:1")["policies"]
        known = policies(*self.words, "--prior", "2,1")
        given = tables(all_tasks + [("elsewhere", 1, 9)], all_workers)
        self.assertEqual(policies(*self.words[:-2], *given), known)
        self.assertEqual(policies(*self.words, "--prior", "2,1", *tables(all_tasks[:2], all_workers[:1])), known)
        given = tables([("t0", 1, 9), *all_tasks[1:]], [("w0", 1, 2), *all_workers[1:]])
        self.assertNotEqual(policies(*self.words, *given), known)
        found = self.document(*self.words, "--runs", "2", "-T", "0", "--policies", "opt-kg", *given)
        self.assertEqual((found["task_priors"], found["worker_priors"]), (given[1], given[3]))
        self.assertEqual(found["policies"][0]["points"][0]["accuracy"], 3 / 5)  # t0 is called negative, all others positive

    def test_bad_priors_in_files(self):
        def refuse(option, text, expected, words=self.words[:-2] + ["--worker-priors", "W"]):
            for name, content in (("all", "worker\tc\td\n" + "".join(f"w{j}\t4\t1\n" for j in range(4))), ("table", text)):
                (self.folder / name).write_text(content)
            words = [str(self.folder / "all") if word == "W" else word for word in words]
            self.assert_refused([*words, option, str(self.folder / "table")], expected)

        def some(text, expected):
            refuse("--task-priors", text, expected)

        some("task\ta\tb\nt0\t1\t1\n", "task 't1' has no prior; add a line, or give --prior A,B")
        some("task\ta\tb\nx\t1\t1\n", "task 't0' has no prior; add a line, as no name is one of --labels")
        some("task\ta\n", "the first line must name the columns task, a and b")
        some("t0\t1\t1\n", "no column 'task'")
        some("task\ta\tb\nt0\t0\t1\n", "'0' must be a number from 1e-06 to 1e+06")
        some("task\ta\tb\nt0\tone\t1\n", "'one' must be a number")
        some("task\ta\tb\nt0\t1\t1\nt0\t2\t1\n", "task 't0' has two different priors, here and in line 2")
        refuse("--worker-priors", "worker\tc\td\nw3\t1\t1\n", "worker 'w1' has no prior; add a line, or give --workers-prior A,B",
               self.words[:-2])
        refuse("--worker-priors", "worker\ta\tb\n", "the first line must name the columns worker, c and d", self.words[:-2])
        refuse("--task-priors", "task\ta\tb\n", "--task-priors requires --labels with --workers-prior; give both or neither", self.words[:-2])

    def test_labels_of_a_pair_come_in_the_order_of_the_file(self):
        self.labels.write_text("task\tworker\tlabel\n" + "".join(f"t0\tw0\t{k}\n" for k in (1, 1, 0, 1, 0, 0, 0, 1)))
        words = [*self.words, "--policies", "opt-kg", "--runs", "2", "--seed"]
        given = {order: ["".join(row["label"] for row in self.traced(*words, seed, "--order", order)) for seed in "123"]
                 for order in ("file", "random")}
        self.assertEqual(given["file"], ["11010001"] * 3)
        self.assertGreater(len(set(given["random"])), 1)
        self.assert_refused([*words, "1", "--order", "backwards"], "--order")

    def test_refusals(self):
        self.assert_refused([*self.words, "--price", "0.1"], "--price")
        self.assert_refused([*self.words, "--prior", "1,1@0.3"], "threshold must be 0.5")
        self.assert_refused([*self.words[:-1], "2x4,1"], "one prior for all")
        self.assert_refused([*self.words[:-1], "2,1/2,1", "--trace", str(self.trace)], "two coins or mixtures")
        self.assert_refused([*self.words, "--policy", "gittins-fh"], "gittins-fh")
        self.assert_refused([*self.words, "-T", "3", "--at", "4"], "--at 4 is more than")
        self.assert_refused([*self.words[:-2], "--trace", str(self.trace)], "or --labels with --workers-prior; give both or neither")
        self.assertFalse(self.trace.exists())


@unittest.skipUnless(GOLDEN.exists(), "the known values of played crowds are not here (OPTGAP_SHARED)")
class KnownTest(Folder):
    @classmethod
    def setUpClass(cls):
        cls.golden = json.loads(GOLDEN.read_text())

    def check_trace(self, case, words):
        rows = self.traced(*words)
        self.assertEqual(len(rows), len(case["steps"]), case["id"])
        for row, step in zip(rows, case["steps"]):
            self.assertEqual([row["task"].lstrip("t"), row["worker"].lstrip("w"), row["label"], row["tied"]],
                             [str(step[key]) for key in ("task", "worker", "label", "tied")], (case["id"], step))
            for key in ("a", "b", "c", "d"):
                self.assertAlmostEqual(float(row[key]) / float(step[key]), 1, delta=1e-11, msg=(case["id"], step))
            rounding = 4 * sys.float_info.epsilon  # of differences of probabilities near 1
            self.assertAlmostEqual(float(row["score"]), step["score"], delta=1e-11 * abs(step["score"]) + rounding, msg=case["id"])

    def words(self, command, *changes):
        """The words after the program's name, two runs in place of one, which simulate does not support."""
        words = shlex.split(command)[1:]
        for old, new in (("--runs 1", "--runs 2"), *changes):
            words = shlex.split(shlex.join(words).replace(old, new))
        return [word for word in words if word != "--json"]

    def test_simulated_traces(self):
        for case in self.golden["played"]["traces"]:
            if "simulate" in case["command"]:
                words = self.words(case["command"])
                at = words.index("--trace")
                self.check_trace(case, words[:at] + words[at + 2:])

    def test_replayed_traces(self):
        for case in self.golden["played"]["traces"]:
            if "replay" in case["command"]:
                for name, text in case["files"].items():
                    (self.folder / name).write_text(text)
                words = [str(self.folder / word) if word in case["files"] else word for word in self.words(case["command"])]
                at = words.index("--trace")
                self.check_trace(case, words[:at] + words[at + 2:])

    def test_recorded_rte(self):
        folder = SHARED / "data" / "rte"
        found = self.document("replay", "--labels", str(folder / "labels.tsv"), "--gold", str(folder / "gold.tsv"), "-T", "all",
                              "--workers-prior", "4,1", "--at", "1600,3200", "--runs", "10", "--policies", "kos:1,uniform")
        known = {800 * case["labels_per_task"]: case for case in self.golden["kos"]["rte_random_labels"]}
        for point in found["policies"][0]["points"]:
            case = known[point["labels"]]
            for mean, error, (value, spread) in ((point["accuracy"], point["standard_error"], case["kos1"]),
                                                 (point["majority"]["mean"], point["majority"]["standard_error"], case["majority"])):
                self.assertLessEqual(abs(mean - value), 4 * math.hypot(error, spread) + 1e-4, (case, point))
        for row in found["policies"]:
            self.assertAlmostEqual(row["points"][-1]["majority"]["mean"], 717.5 / 800)  # all labels
        self.assertAlmostEqual(found["all_labels_accuracy"], 717.5 / 800)

    def check_means(self, case, runs):
        words = self.words(case["command"], ("--runs 250", f"--runs {runs}"))
        points = self.document(*words)["policies"][0]["points"]
        for point, at, mean, error in zip(points, case["at"], case["mean"], case["se"]):
            self.assertEqual(point["labels"], at)
            spread = math.hypot(point["standard_error"], error) + 0.004 * (error == 0)
            self.assertLessEqual(abs(point["accuracy"] - mean), 4 * spread, (case["id"], point))

    def test_means_of_figure_11(self):
        chosen = [case for case in self.golden["played"]["figure11"] + self.golden["played"]["variants"]
                  if "rho 4,1" in case["id"]]
        for case in chosen:
            self.check_means(case, max(2, round(24 * SCALE)))

    def test_kos_at_home(self):
        case = self.golden["kos"]["hard_truth"][0]
        truth = "list:" + ",".join(str(i % 2) for i in range(case["K"]))
        found = self.document("simulate", "-T", "4000", "--at", "1000,2000", "--runs", "40", "--policy", "kos",
                              "--truth", truth + " workers:2,1", "--workers-prior", "200x2,1", "200x1,1")
        for k, point in enumerate(found["policies"][0]["points"]):
            for value, error, mean, own in ((point["accuracy"], point["standard_error"], case["mean"][k], case["se"][k]),
                                            (point["majority"]["mean"], point["majority"]["standard_error"],
                                             case["majority"][k], case["majority_se"][k])):
                self.assertLessEqual(abs(value - mean), 4 * math.hypot(error, own), (k, value, mean))


if __name__ == "__main__":
    main()
