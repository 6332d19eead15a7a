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
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402

LABELS = pathlib.Path(__file__).resolve().parent / "data" / "sample-labels.tsv"
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


class ResultCase(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

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
            self.assertEqual((totals["labels"], totals["ties"], totals["gold"]), (160, ties, 15))
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
        self.assertEqual(result["totals"], {"labels": 5, "ties": 1, "gold": 2, "right": 1.5,
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
