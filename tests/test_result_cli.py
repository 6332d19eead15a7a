"""What policies concluded: replay --result, through the program.

    test_result_cli.py PROGRAM [unittest option...]
"""

import collections
import csv
import json
import math
import os
import pathlib
import sys
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, FolderCase, main, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABELS = ROOT / "tests" / "data" / "sample-labels.tsv"
SHARED = pathlib.Path(os.environ.get("OPTGAP_SHARED") or ROOT.parent / "shared") / "data"
GRID = {"t1": "110", "t2": "001", "t3": "101"}  # labels of the workers w1, w2, w3


def table(path, comma="\t"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=comma))


def of_kind(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def above_half(a, b):
    """Pr(theta >= 1/2) for whole a, b: of a + b - 1 fair coins at most a - 1 are heads."""
    coins = a + b - 1
    return Fraction(sum(math.comb(coins, k) for k in range(a)), 2 ** coins)


def disagreements(labels):
    """By worker, literally: labels that are not the plurality's, a tie by the share of the others."""
    votes, differ = collections.defaultdict(collections.Counter), collections.Counter()
    for task, _, label in labels:
        votes[task][label] += 1
    for task, worker, label in labels:
        best = [one for one, count in votes[task].items() if count == max(votes[task].values())]
        differ[worker] += Fraction(sum(one != label for one in best), len(best))
    return differ


class ResultCase(FolderCase):
    def write(self, name, head, rows):
        path = self.folder / name
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in [head, *rows]))
        return str(path)

    def results(self, *words):
        """The same results from the JSON on standard output and in a file."""
        file = self.folder / "result.json"
        document = self.document("replay", *words, "--result", str(file))
        self.assertEqual(json.loads(file.read_text()), document["results"])
        return document["results"]

    def gold(self, tasks, labels=None):
        return self.write("gold.tsv", ("task", "label"), [(t, labels[t] if labels else 1) for t in tasks])


class LabelsTest(ResultCase):
    def setUp(self):
        super().setUp()
        self.labels = [tuple(row.values()) for row in table(LABELS)]
        self.tasks = list(dict.fromkeys(row[0] for row in self.labels))
        self.truth = {task: i % 2 for i, task in enumerate(self.tasks[:15])}
        self.words = "--labels", str(LABELS), "--gold", self.gold(self.truth, self.truth), "--runs", "2"

    def test_all_labels_give_counts_posteriors_and_calls(self):
        for result in self.results(*self.words, "--prior", "2,1", "--policies", "uniform,kg", "--ties", "random,first"):
            right = expected = ties = 0
            for row in result["tasks"]:
                mine = [label for task, _, label in self.labels if task == row["task"]]
                ones, zeros = mine.count("1"), mine.count("0")
                a, b = 2 + ones, 1 + zeros
                chance = above_half(a, b)
                call = "1" if a > b else "0" if a < b else "tie"
                self.assertEqual((row["positive"], row["negative"], row["call"]), (ones, zeros, call))
                self.assertEqual(row["posterior"], [a, b])
                self.assert_near(row["probability"], max(chance, 1 - chance), 1e-13)
                expected += max(chance, 1 - chance)
                ties += call == "tie"
                if row["task"] in self.truth:
                    right += Fraction(1, 2) if call == "tie" else int(call == str(self.truth[row["task"]]))
            totals = result["totals"]
            self.assertEqual([row["task"] for row in result["tasks"]], self.tasks)
            self.assertEqual((totals["labels"], totals["tied"], totals["gold"]), (160, ties, 15))
            self.assert_near(totals["right"], right, 0)
            self.assert_near(totals["expected"], expected, 1e-12)

    def test_disagreements_are_with_the_plurality_of_the_labels_bought(self):
        truth = disagreements(self.labels)
        (result,) = self.results(*self.words, "--policy", "uniform")
        given = collections.Counter(worker for _, worker, _ in self.labels)
        shares = []
        for row in result["workers"]:
            worker = row["worker"]
            self.assertEqual(row["labels"], given[worker])
            self.assert_near(row["disagreements"], truth[worker], 1e-13)
            shares.append((truth[worker] / given[worker], worker))
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(len(shares), len(given))

    def test_some_labels_count_only_those_bought(self):
        (result,) = self.results(*self.words, "--policy", "opt-kg", "-T", "40")
        self.assertEqual(result["totals"]["labels"], 40)
        self.assertEqual(sum(row["positive"] + row["negative"] for row in result["tasks"]), 40)
        self.assertEqual(sum(row["labels"] for row in result["workers"]), 40)

    def test_the_first_run_alone_decides(self):
        first = [self.results(*self.words[:-1], runs, "--policy", "kg", "-T", "40", "--threads", threads)
                 for runs, threads in (("2", "1"), ("30", "2"))]
        self.assertEqual(first[0], first[1])

    def test_a_payoff_has_worths_and_undecided_calls(self):
        (result,) = self.results(*self.words, "--policy", "uniform", "--payoff", "1,0,0,1,0.9")
        worths = {row["call"]: [] for row in result["tasks"]}
        for row in result["tasks"]:
            worths[row["call"]].append(row["payoff"])
            self.assertNotIn("probability", row)
        self.assertTrue(all(worth >= 0.9 - 1e-12 for all in worths.values() for worth in all))
        self.assertTrue(all(abs(worth - 0.9) < 1e-12 for worth in worths["undecided"]))

    def test_classes_have_counts_and_names(self):
        rows = [("a", "v", "cat"), ("a", "w", "dog"), ("a", "x", "dog"), ("b", "v", "emu"), ("b", "w", "cat")]
        labels = self.write("classes.tsv", ("task", "worker", "label"), rows)
        gold = self.gold("ab", {"a": "dog", "b": "emu"})
        (result,) = self.results("--labels", labels, "--gold", gold, "--runs", "2", "--policy", "uniform")
        self.assertEqual([row["call"] for row in result["tasks"]], ["dog", "tie"])
        self.assertEqual(sorted(map(sorted, (row["counts"] for row in result["tasks"]))), [[0, 1, 1], [0, 1, 2]])
        self.assertEqual([(row["worker"], row["disagreements"]) for row in result["workers"]],
                         [("x", 0), ("w", 0.5 / 1), ("v", 1.5)])
        self.assertEqual(result["totals"], {"labels": 5, "tied": 1, "gold": 2, "right": 1.5,
                                            "expected": sum(row["probability"] for row in result["tasks"])})


class WorkersTest(ResultCase):
    def setUp(self):
        super().setUp()
        rows = [(task, f"w{j + 1}", label) for task, labels in GRID.items() for j, label in enumerate(labels)]
        self.rows = rows
        self.words = ("--labels", self.write("labels.tsv", ("task", "worker", "label"), rows), "--gold",
                      self.gold(GRID), "--prior", "1,1", "--workers-prior", "4,1", "--runs", "2", "--ties", "first")

    def test_posteriors_are_the_last_of_the_trace(self):
        trace = self.folder / "trace.tsv"
        for policy, budget in (("opt-kg", "9"), ("kg", "5"), ("uniform", "7")):
            (result,) = self.results(*self.words, "--policy", policy, "-T", budget, "--trace", str(trace))
            tasks, workers = {t: [1, 1] for t in GRID}, {f"w{j}": [4, 1] for j in (1, 2, 3)}
            bought = []
            for row in table(trace):
                tasks[row["task"]] = [float(row["a"]), float(row["b"])]
                workers[row["worker"]] = [float(row["c"]), float(row["d"])]
                bought.append((row["task"], row["worker"], row["label"]))
            self.assertEqual({row["task"]: row["posterior"] for row in result["tasks"]}, tasks)
            self.assertEqual({row["worker"]: row["posterior"] for row in result["workers"]}, workers)
            differ = disagreements(bought)
            for row in result["workers"]:
                c, d = workers[row["worker"]]
                self.assertEqual(row["reliability"], c / (c + d))
                self.assertEqual(row["disagreements"], float(differ[row["worker"]]) if row["labels"] else None)
            order = [(-row["reliability"], row["worker"]) for row in result["workers"]]
            self.assertEqual(order, sorted(order))
            self.assertEqual(result["totals"]["labels"], len(bought))
            expected = sum(row["probability"] for row in result["tasks"])
            self.assertAlmostEqual(result["totals"]["expected"], expected, delta=1e-12)

    def test_the_golden_trace_ends_as_it_is_known(self):
        (result,) = self.results(*self.words, "--policy", "opt-kg")  # the last label is that of t2 by w3
        a, b = result["tasks"][1]["posterior"]
        self.assertAlmostEqual(a / 1.0737901800148019, 1, delta=1e-11)
        self.assertAlmostEqual(b / 1.6072247072604017, 1, delta=1e-11)
        c, d = next(row["posterior"] for row in result["workers"] if row["worker"] == "w3")
        self.assertAlmostEqual(c / 3.3909865016570477, 1, delta=1e-11)
        self.assertAlmostEqual(d / 1.1455333245101665, 1, delta=1e-11)

    def test_kos_has_scores_and_no_posteriors(self):
        (result,) = self.results(*self.words, "--policy", "kos:100")
        scores = [row["score"] for row in result["tasks"]]
        self.assertEqual(max(map(abs, scores)), 1)
        for row in result["tasks"]:
            self.assertEqual(row["call"], "1" if row["score"] > 0 else "0")
            self.assertNotIn("posterior", row)
        differ = disagreements(self.rows)
        self.assertEqual({row["worker"]: row["disagreements"] for row in result["workers"]},
                         {worker: float(differ[worker]) for worker in ("w1", "w2", "w3")})
        self.assertNotIn("expected", result["totals"])


class PairsTest(ResultCase):
    def replay(self, rows, *words):
        pairs = self.write("pairs.tsv", ("worker", "left", "right", "label"), rows)
        items = sorted({item for row in rows for item in row[1:3]})
        gold = self.write("scores.tsv", ("item", "score"), [(item, len(items) - k) for k, item in enumerate(items)])
        return pairs, self.results("--pairs", pairs, "--gold", gold, "--runs", "2", *words)

    def test_two_items_have_the_exact_posterior(self):
        # With two items the scores' Dirichlet is conjugate, so parameters are wins.
        rows = [("v", "x", "y", "x"), ("w", "x", "y", "y"), ("v", "x", "y", "x"), ("v", "y", "x", "x")]
        pairs = self.write("pairs.tsv", ("worker", "left", "right", "label"), rows)
        gold = self.write("scores.tsv", ("item", "score"), [("x", 2), ("y", 1)])
        for result in self.results("--pairs", pairs, "--gold", gold, "--runs", "2", "--prior", "2",
                                   "--policies", "uniform,distance,akg,rc+akg"):
            found = [(row["item"], row["rank"], row["wins"], row["losses"]) for row in result["items"]]
            self.assertEqual(found, [("x", 1, 3, 1), ("y", 2, 1, 3)])
            for row in result["items"]:
                self.assertAlmostEqual(row["parameter"], 2 + row["wins"], delta=1e-12)
                self.assertAlmostEqual(row["score"], (2 + row["wins"]) / 8, delta=1e-13)
            self.assertEqual([(row["worker"], row["labels"], row["disagreements"]) for row in result["workers"]],
                             [("v", 3, 0), ("w", 1, 1)])
            self.assertEqual((result["totals"]["labels"], result["totals"]["right"]), (4, 1))
            self.assertAlmostEqual(result["totals"]["expected"], float(above_half(5, 3)), delta=1e-12)

    def test_one_comparison_gives_known_parameters(self):
        """Fractions of the specification: winner, other, loser; next to them the worker."""
        rows = [("w", "x", "y", "x"), ("w", "y", "z", "y"), ("w", "x", "z", "x")]
        for more, known, coin in (((), (36 / 23, 27 / 23, 18 / 23), None),
                                  (("--workers-prior", "4,1"), (90 / 71, 75 / 71, 60 / 71), [4, 1])):
            _, (result,) = self.replay(rows, "--policy", "akg", "-T", "1", *more)
            order = sorted(result["items"], key=lambda row: row["losses"] - row["wins"])
            for row, parameter in zip(order, known, strict=True):
                self.assertAlmostEqual(row["parameter"], parameter, delta=1e-14)
                self.assertAlmostEqual(row["score"], parameter / sum(known), delta=1e-14)
            for row in result["workers"]:
                for found, right in zip(row.get("posterior", []), coin or []):
                    self.assertAlmostEqual(found, right, delta=1e-13)
            indices = [row["index"] for row in result["pairs"]]
            self.assertEqual(indices, sorted(indices, reverse=True))

    def test_comparisons_are_counted(self):
        names = "abcdef"
        rows = [(f"w{(5 * i + j) % 4}", names[i], names[j], names[j if (3 * i + j) % 4 == 0 else i])
                for i in range(6) for j in range(i + 1, 6) for _ in range(2)]
        for more in (), ("--workers-prior", "3,1"):
            for result in self.replay(rows, *more, "--policies", "uniform,akg,rc+uniform")[1]:
                rank = {row["item"]: row["rank"] for row in result["items"]}
                wins, differ, asked = collections.Counter(), collections.Counter(), collections.Counter()
                for worker, left, right, winner in rows:
                    loser = left if winner == right else right
                    wins[winner] += 1
                    asked[worker] += 1
                    differ[worker] += rank[winner] > rank[loser]
                self.assertEqual({row["item"]: row["wins"] for row in result["items"]}, {n: wins[n] for n in rank})
                self.assertEqual({row["worker"]: (row["labels"], row["disagreements"]) for row in result["workers"]},
                                 {worker: (asked[worker], differ[worker]) for worker in asked})
                total = sum(row["parameter"] for row in result["items"])
                self.assertAlmostEqual(result["totals"]["parameters"], total, delta=1e-9 * total)
                pairs = [row["index"] for row in result["pairs"]]
                self.assertEqual((len(pairs), pairs), (4, sorted(pairs, reverse=True)))
                order = sorted(rank, key=rank.get)
                right = sum(order[i] < order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
                self.assertAlmostEqual(result["totals"]["right"], right, delta=1e-9)


class LabelersTest(ResultCase):
    def setUp(self):
        super().setUp()
        self.labels = [tuple(row.values()) for row in table(LABELS)]
        self.tasks = list(dict.fromkeys(row[0] for row in self.labels))
        self.words = ("--problem", "labelers", "--labels", str(LABELS), "--runs", "2", "--gold",
                      self.gold(self.tasks))

    def test_everybody_has_all_votes(self):
        _, result = self.results(*self.words)
        differ = disagreements(self.labels)
        self.assertEqual(result["policy"], "everybody")
        for row in result["workers"]:
            self.assert_near(row["disagreements"], differ[row["worker"]], 1e-13)
        self.assertEqual(result["totals"]["labels"], 160)
        right = sum(row["call"] == "1" for row in result["tasks"])
        self.assertEqual((result["totals"]["right"], result["totals"]["positive"]), (right, right))

    def check_testers(self, result, explore):
        testers, wanted = {row["task"]: row["call"] for row in result["tasks"] if row["tester"]}, 0
        for time in range(len(self.tasks)):
            wanted += time == 0 or wanted <= math.floor(explore * math.log(time))
        self.assertEqual(len(testers), wanted)
        for row in result["workers"]:
            votes = [(task, label) for task, worker, label in self.labels
                     if worker == row["worker"] and task in testers]
            agreed = sum(label == testers[task] for task, label in votes)
            self.assertEqual((row["testers"], row["agreements"]), (len(votes), agreed))
            self.assertEqual(row["reliability"], agreed / len(votes) if votes else 0.5)

    def test_testers_and_the_set_are_those_of_the_definition(self):
        result, _ = self.results(*self.words, "--explore", "3,0")
        self.check_testers(result, 3)
        estimates = [row["reliability"] for row in result["workers"]]
        self.assertEqual(estimates, sorted(estimates, reverse=True))
        values = {}
        for size in range(1, len(estimates) + 1, 2):
            law = [1.0]
            for p in estimates[:size]:
                law = [(1 - p) * x + p * y for x, y in zip(law + [0], [0] + law)]
            values[size] = sum(law[size // 2 + 1:])
        size = min(n for n in values if values[n] >= max(values.values()) * (1 - 1e-12))
        used = sorted(row["reliability"] for row in result["workers"] if row["used"])
        self.assertEqual(used[::-1], estimates[:size])
        self.assertFalse(any(row["dropped"] for row in result["workers"]))

    def test_weights_are_log_odds(self):
        result, _ = self.results(*self.words, "--explore", "2,0", "--votes", "weighted", "--drop", "0.9")
        self.assertEqual(result["policy"], "ls-ol-weighted")
        self.assertTrue(any(row["dropped"] for row in result["workers"]))
        used = [abs(row["weight"]) for row in result["workers"] if row["used"]]
        others = [abs(row["weight"]) for row in result["workers"] if not row["used"] and not row["dropped"]]
        self.assertLessEqual(max(others, default=0), min(used))
        for row in result["workers"]:
            if not row["dropped"]:
                odds = (row["agreements"] + 0.5) / (row["testers"] - row["agreements"] + 0.5)
                self.assertAlmostEqual(row["weight"], math.log(odds), delta=1e-12)


class AssignmentTest(ResultCase):
    def setUp(self):
        super().setUp()
        self.grid = {f"t{i}": [(7 * i * i + 3 * j + i * j) % 3 != 0 for j in range(4)] for i in range(9)}
        rows = [(task, f"w{j}", int(label)) for task, labels in self.grid.items() for j, label in enumerate(labels)]
        contexts = self.write("contexts.tsv", ("task", "context"), [(task, i % 2) for i, task in enumerate(self.grid)])
        self.words = ("--problem", "assignment", "--labels", self.write("labels.tsv", ("task", "worker", "label"), rows),
                      "--gold", self.gold(self.grid), "--runs", "2", "--fill", "none")
        self.rows, self.contexts = [(task, worker, str(label)) for task, worker, label in rows], ("--contexts", contexts)

    def test_exploration_counts_the_losses(self):
        (result,) = self.results(*self.words, *self.contexts, "--policy", "bbta:9,plus", "-T", "36")
        differ = disagreements(self.rows)
        sums = {task: 2 * sum(labels) - 4 for task, labels in self.grid.items()}
        for row in result["tasks"]:
            self.assertAlmostEqual(row["score"], sums[row["task"]] / 4, delta=1e-15)
            self.assertEqual(row["call"], "1" if sums[row["task"]] >= 0 else "0")
        for row in result["workers"]:
            j = int(row["worker"][1:])
            losses = [sum(labels[j] != (sums[task] >= 0) for i, (task, labels) in enumerate(self.grid.items())
                          if i % 2 == context) for context in (0, 1)]
            self.assertEqual((row["loss"], row["weight"]), (losses, [1, 1]))
            self.assertEqual((row["labels"], row["disagreements"]), (9, float(differ[row["worker"]])))

    def test_weights_follow_from_the_losses(self):
        for explored, budget in ((1, 20), (0, 30)):
            (result,) = self.results(*self.words, "--policy", f"bbta:{explored},fresh", "-T", str(budget))
            losses = [row["loss"][0] for row in result["workers"]]
            eta = math.sqrt(math.log(4) / ((budget - 4 * explored) * 4))
            for row in result["workers"]:
                weight = math.exp(-eta * (row["loss"][0] - min(losses)))
                self.assertAlmostEqual(row["weight"][0], weight, delta=1e-12)

    def test_other_policies_have_calls_and_no_weights(self):
        for result in self.results(*self.words, "--policies", "naive,kg"):
            differ = disagreements(self.rows)
            self.assertNotIn("loss", result["workers"][0])
            self.assertEqual({row["worker"]: row["disagreements"] for row in result["workers"]},
                             {f"w{j}": float(differ[f"w{j}"]) for j in range(4)})
        for row in self.results(*self.words, "--policy", "naive")[0]["tasks"]:
            ones = sum(self.grid[row["task"]])
            self.assertEqual(row["call"], "1" if ones > 2 else "0" if ones < 2 else "tie")

    def test_drawn_crowds_refuse_it(self):
        words = ["replay", "--problem", "assignment", "--crowd", "one-coin:3", "--gold", self.words[5]]
        self.assert_refused([*words, "--result", str(self.folder / "x")], "--result does not support --crowd")
        self.assertFalse((self.folder / "x").exists())


@unittest.skipUnless((SHARED / "rte").exists(), "the recorded labels are not here (OPTGAP_SHARED)")
class KnownTest(ResultCase):
    """Numbers of programs that share no code with this one."""

    def words(self, name):
        return "--labels", str(SHARED / name / "labels.tsv"), "--gold", str(SHARED / name / "gold.tsv"), "--runs", "2"

    def test_counts_and_disagreements(self):
        known = {"rte": (8000, 65, 717.5, 696.3662109375, 2003, {"w1": 4.5, "w2": 70.5, "w9": 354.5}),
                 "temp": (4620, 17, 432.5, 416.560546875, 1138, {"w4": 172, "w8": 241}),
                 "bluebirds": (4212, 0, 82, 100.85657155194724, 1277, {"w39": 14, "w885": 73})}
        for name, (labels, ties, right, expected, differ, some) in known.items():
            (result,) = self.results(*self.words(name), "--prior", "1,1", "--policy", "uniform")
            totals = result["totals"]
            self.assertEqual((totals["labels"], totals["tied"], totals["right"]), (labels, ties, right))
            self.assertAlmostEqual(totals["expected"], expected, delta=1e-9)
            found = {row["worker"]: row["disagreements"] for row in result["workers"]}
            self.assertEqual((sum(found.values()), {worker: found[worker] for worker in some}), (differ, some))
        _, everybody = self.results("--problem", "labelers", *self.words("bluebirds"))
        self.assertEqual(sum(row["disagreements"] for row in everybody["workers"]), 1277)

    def test_kos(self):
        (result,) = self.results(*self.words("rte"), "--workers-prior", "4,1", "--policy", "kos:100")
        self.assertEqual(result["totals"]["right"], 398)

    def test_rankings(self):
        folder = SHARED / "countrypop"
        words = "--pairs", str(folder / "pairs.tsv"), "--workers-prior", "4,1"
        (result,) = self.results(*words, "--gold", str(folder / "gold.tsv"), "--runs", "2", "--policy", "uniform")
        wins = {row["item"]: row["wins"] for row in result["items"]}
        self.assertEqual([wins[str(k)] for k in range(1, 16)],
                         [412, 365, 310, 225, 259, 196, 171, 164, 230, 187, 194, 76, 158, 128, 109])


class IndicesTest(Case):
    """query --json: the numbers that a choice was made from."""

    def check_choices(self, found):
        for name, picks in found["policies"].items():
            indices = found["indices"].get(name)
            if indices is not None:
                most = max(indices)
                self.assertEqual([i for i, index in enumerate(indices) if abs(index - most) <= 1e-10], picks, name)

    def test_independent_instances(self):
        found = self.document("query", "-T", "3", "--policies", "uniform,kg,opt-kg,gittins-fh", "1,1", "2,1", "2,2")
        gains = []
        for a, b in ((1, 1), (2, 1), (2, 2)):
            h = {side: max(chance, 1 - chance) for side, chance in (
                (None, above_half(a, b)), (1, above_half(a + 1, b)), (0, above_half(a, b + 1)))}
            gains.append((Fraction(a, a + b) * h[1] + Fraction(b, a + b) * h[0] - h[None],
                          max(h[1], h[0]) - h[None]))
        for name, k in ("kg", 0), ("opt-kg", 1):
            for index, gain in zip(found["indices"][name], gains, strict=True):
                self.assert_near(index, gain[k], 1e-14)
        self.assertEqual(set(found["indices"]), {"kg", "opt-kg"})
        self.check_choices(found)

    def test_workers_have_the_known_indices(self):
        # the second and the fourth step of the trace once-3x3 (played-crowds.md)
        words = ["query", "--workers-prior", "3x4,1", "--once", "--policies", "kg,opt-kg,pess-kg", "3x1,1"]
        for left, history, known in ((2, "1@1+", {"kg": 0.1421024895167468, "opt-kg": 0.1421024895167468}),
                                     (1, "1@1+ 2@1- 3@1+", {"kg": 0.0012674421397174916, "opt-kg": 0.1139152455840823,
                                                            "pess-kg": -0.1421024895167468})):
            found = self.document(*words, "-T", str(left + history.count("@")), "--history", history)
            for name, index in known.items():
                self.assertAlmostEqual(max(found["indices"][name]), index, delta=2e-15, msg=name)
            self.check_choices(found)

    def test_other_problem_types_choose_the_largest(self):
        for words in (("--problem", "ranking", "-T", "3", "--policies", "distance,akg", "--history", "1>2", "3x1"),
                      ("--problem", "assignment", "--workers-prior", "3x4,1", "-T", "2", "--policies", "kg-exact", "2x1"),
                      ("--source", "a:1:0.7", "--source", "b:2:0.9", "-T", "3", "1,1")):
            found = self.document("query", *words)
            self.assertGreater(len(found["indices"]), 0)
            self.check_choices(found)

    def test_without_labels_or_policies_there_are_none(self):
        self.assertEqual(self.document("query", "-T", "0", "--policy", "kg", "2x1,1")["indices"], {})


class FileTest(ResultCase):
    def setUp(self):
        super().setUp()
        self.words = ("--labels", str(LABELS), "--gold",
                      self.gold(dict.fromkeys(row["task"] for row in table(LABELS))), "--runs", "2",
                      "--policies", "uniform,kg", "-T", "60")

    def test_tables_have_the_numbers_of_the_json(self):
        results = self.results(*self.words)
        for end, comma in ((".tsv", "\t"), (".csv", ","), ("", "\t")):
            file = self.folder / ("table" + end)
            self.answer("replay", *self.words, "--result", str(file))
            for result in results:
                for kind, part in (("task", result["tasks"]), ("worker", result["workers"])):
                    found = {}
                    for row in (r for r in table(file, comma) if r["kind"] == kind and r["policy"] == result["policy"]):
                        found[row["name"]] = row
                    self.assertEqual(list(found), [row[kind] for row in part])
                    for row in part:
                        for name, value in row.items():
                            cells = ([found[row[kind]][f"{name}_{k + 1}"] for k in range(len(value))]
                                     if isinstance(value, list) else [found[row[kind]].get(name, row[kind])])
                            for cell, one in zip(cells, value if isinstance(value, list) else [value]):
                                self.assertEqual(cell if isinstance(one, str) else float(cell or "nan") if one is not None
                                                 else None, one)
                totals = {r["name"]: float(r["value"]) for r in table(file, comma)
                          if r["kind"] == "total" and r["policy"] == result["policy"]}
                self.assertEqual(totals, result["totals"])

    def test_without_the_option_nothing_is_added(self):
        self.assertNotIn("results", self.document("replay", *self.words))

    def test_refusals_leave_every_file_as_it_was(self):
        file = self.folder / "result.tsv"
        file.write_text("mine")
        self.assert_refused(["replay", *self.words, "--result", str(file), "--policy", "nonsense"], "nonsense")
        self.assert_refused(["replay", *self.words, "--result", str(self.folder / "none" / "x.tsv")], "x.tsv", code=1)
        self.assert_refused(["replay", *self.words, "--result", self.words[3]], "same file")
        self.assertEqual(file.read_text(), "mine")
        labels = self.write("tab.csv", (), [])
        pathlib.Path(labels).write_text('task,worker,label\n"a\tb",v,1\nc,v,0\n')
        gold = self.folder / "tab-gold.csv"
        gold.write_text('task,label\n"a\tb",1\nc,0\n')
        words = ["replay", "--labels", labels, "--gold", str(gold), "--runs", "2", "--policy", "uniform", "--result"]
        self.assert_refused([*words, str(file)], "give --result FILE.csv")
        self.assertEqual(file.read_text(), "mine")
        self.answer(*words, str(self.folder / "fine.csv"))
        self.assertEqual(table(self.folder / "fine.csv", ",")[0]["name"], "a\tb")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["fine.csv", "gold.tsv", "result.tsv", "tab-gold.csv", "tab.csv"])

    def test_other_questions_refuse_it(self):
        self.assertEqual(run("simulate", "-T", "3", "--result", "x", "3x1,1").returncode, 2)


if __name__ == "__main__":
    main()
