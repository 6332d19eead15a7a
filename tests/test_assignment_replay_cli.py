"""The program's task assignment with recorded labels and random crowds.

    test_assignment_replay_cli.py PROGRAM [unittest option...]
"""

import json
import math
import os
import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402

SHARED = os.environ.get("OPTGAP_SHARED")

ALL = "naive,kg,opt-kg,opt-kg-multi,bbta:0,bbta:1"


class Case(FolderCase):
    def setUp(self):
        super().setUp()
        generator = random.Random(5)
        tasks = [f"t{i}" for i in range(6)]
        self.truth = {task: generator.randrange(2) for task in tasks}
        rows = [f"{task}\tw{j}\t{self.truth[task] ^ (generator.random() < 0.2)}"
                for task in tasks for j in range(4) if (task, j) != ("t1", 2)]
        self.labels = self.file("labels.tsv", "task\tworker\tlabel\n" + "\n".join(rows) + "\n")
        self.gold = self.file("gold.tsv", "task\tlabel\n" + "".join(
            f"{task}\t{truth}\n" for task, truth in self.truth.items()))
        self.contexts = self.file("contexts.tsv", "task\tcontext\n" + "".join(
            f"{task}\t{'red' if i % 2 else 'a blue one'}\n" for i, task in enumerate(tasks)))
        self.rows = rows

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def replay(self, *words):
        return run("replay", "--problem", "assignment", "--gold", self.gold,
                   *([] if "--runs" in words else ["--runs", "3"]), *words)

    def document(self, *words):
        done = self.replay(*words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def refused(self, says, *words, status=2):
        done = run("replay", "--problem", "assignment", *words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Replay(Case):
    def test_all_labels_come_to_the_majority(self):
        sums = dict.fromkeys(self.truth, 0)
        for row in self.rows:
            task, _, label = row.split("\t")
            sums[task] += 1 if (label == "1") == (self.truth[task] == 1) else -1
        right = sum(1 if s > 0 else 0.5 if s == 0 else 0 for s in sums.values()) / len(sums)
        told = self.document("--labels", self.labels, "--fill", "none", "--policies", ALL, "--policy", "bbta:0,skip")
        self.assertEqual((told["tasks"], told["workers"], told["labels"], told["contexts"]),
                         (6, 4, 23, 1))
        self.assertAlmostEqual(told["all_labels_accuracy"], right, delta=1e-12)
        agree = sum(int(label) == self.truth[task] for task, _, label in (row.split("\t") for row in self.rows))
        for row in told["policies"]:
            last = row["points"][-1]
            self.assertEqual(last["labels"], 23)
            if row["name"] == "naive":
                self.assertEqual((last["accuracy"], last["labels_given"]),
                                 (told["all_labels_accuracy"], 23))
            if row["name"] in ("naive", "bbta:0,skip"):
                self.assertEqual((last["labels_new"], last["labels_right"]), (23, agree))
            self.assertLessEqual(last["labels_new"], last["labels_given"])

    def test_fills_and_contexts(self):
        for fill in ("accuracy", "grouse", "grouse:2"):
            told = self.document("--labels", self.labels, "--contexts", self.contexts, "--fill",
                                 fill, "-T", "12", "--at", "8,10", "--policies", ALL)
            self.assertEqual((told["contexts"], told["fill"]), (2, fill))
            self.assertIn(told["fill_accuracy"], (0, 1))  # of one cell
            for row in told["policies"]:
                self.assertEqual([point["labels"] for point in row["points"]], [8, 10, 12])

    def test_a_full_table_has_no_share_of_filled_labels(self):
        full = self.file("full.tsv", "task\tworker\tlabel\n" + "".join(f"{task}\t{worker}\t1\n" for task in self.truth for worker in "ab"))
        done = self.replay("--labels", full, "-T", "4", "--policies", "naive")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("nan", done.stdout)

    def test_crowds_by_threads(self):
        words = ("--crowd", "malicious:5", "--contexts", self.contexts, "-T", "20", "--policies",
                 ALL, "--policy", "iethresh:0.9", "--policy", "crowdsense:-0.1", "--policy",
                 "bbta:1,skip,fresh,plus")
        texts = []
        for threads in ("1", "3"):
            told = self.document(*words, "--threads", threads)
            self.assertEqual((told["crowd"], told["workers"]), ("malicious:5", 5))
            self.assertEqual([row["status"] for row in told["policies"]], ["ok"] * 9)
            texts.append([[(p["accuracy"], p["labels_given"]) for p in row["points"]]
                          for row in told["policies"]])
        self.assertEqual(*texts)

    def test_a_policy_that_cannot_be_played_is_a_row_that_says_so(self):
        told = self.document("--crowd", "one-coin:4", "-T", "3", "--policies", "naive,bbta:1")
        self.assertEqual([row["status"] for row in told["policies"]], ["ok", "not replayed"])
        self.assertIn("explores with 4 labels", told["policies"][1]["message"])

    def test_without_policies(self):
        names = [row["name"] for row in self.document("--labels", self.labels)["policies"]]
        self.assertEqual(names, ["naive", "opt-kg", "bbta:0", "bbta:1"])
        done = self.replay("--labels", self.labels)
        self.assertIn("--fill accuracy draws independent errors", done.stdout)


class Callers(Case):
    def points(self, *words):
        return {row["name"]: row["points"] for row in self.document(*words)["policies"]}

    def test_who_calls_by_majority_has_its_accuracy(self):
        for words in (("--labels", self.labels, "--fill", "none", "--at", "5,9"),
                      ("--crowd", "malicious:5", "--contexts", self.contexts, "-T", "20")):
            for point in self.points(*words, "--policies", "naive")["naive"]:
                self.assertEqual(point["majority"]["mean"], point["accuracy"])
                self.assertAlmostEqual(point["majority"]["standard_error"], point["standard_error"],
                                       delta=1e-15)
                self.assertEqual("called" in point, words[0] == "--crowd")
                self.assertEqual(point["labels_new"], point["labels_given"])

    def test_who_knows_accuracies_knows_what_a_single_worker_is_worth(self):
        """The worker is right in one context; in the others the worker guesses, as a coin would."""
        words = ("--crowd", "spammer-hammer:1", "--contexts", self.contexts, "--runs", "40")
        for points in self.points(*words, "-T", "6", "--policies", ALL).values():
            self.assertEqual((points[-1]["called"]["mean"], points[-1]["called"]["standard_error"]), (0.75, 0))

    def test_among_equals_the_majority_is_the_posterior(self):
        for points in self.points("--crowd", "one-coin:5", "-T", "20", "--policies", ALL).values():
            for point in points:
                self.assertEqual(point["called"]["mean"], point["majority"]["mean"])
        for point in self.points("--crowd", "spammer-hammer:5", "-T", "20", "--policies", "naive")["naive"]:
            self.assertEqual(point["called"]["mean"], point["accuracy"])
            self.assertEqual(point["labels_right"], point["labels_new"])

    def test_nobody_calls_better_than_who_knows_accuracies(self):
        for crowd in ("one-coin:5", "malicious:5", "spammer-hammer:5"):
            words = ("--crowd", crowd, "--contexts", self.contexts, "-T", "15", "--runs", "400")
            for points in self.points(*words, "--policies", ALL).values():
                for point in points:
                    error = 4 * (point["standard_error"] + point["called"]["standard_error"])
                    self.assertLess(point["accuracy"], point["called"]["mean"] + error)
                    self.assertLess(point["majority"]["mean"], point["called"]["mean"] + error)

    def test_differences_are_to_the_first_policy(self):
        of = self.points("--crowd", "malicious:5", "--contexts", self.contexts, "-T", "15", "--policies", ALL)
        first = of["naive"]
        for points in of.values():
            for own, other in zip(points, first):
                for mine, its, of_mine in (({"mean": own["accuracy"]}, {"mean": other["accuracy"]}, own["difference"]),
                                           *((own[k], other[k], own[k]["difference"]) for k in ("majority", "called"))):
                    self.assertAlmostEqual(mine["mean"] - its["mean"], of_mine["mean"], delta=1e-12)
        self.assertEqual({point["difference"]["standard_error"] for point in first}, {0})


class Counts(Case):
    def histogram(self, rows, truth, context=None):
        """Workers by twentieths of right labels, from the rows themselves."""
        right = {}
        for task, worker, label in (row.split("\t") for row in rows):
            if task in truth and (context is None or context[task]):
                right.setdefault(worker, []).append(int(label) == truth[task])
        of = [20 * sum(own) // len(own) for own in right.values()]
        return [sum(min(at, 19) == k for at in of) for k in range(20)]

    def test_recorded_labels(self):
        words = ("--labels", self.labels, "--contexts", self.contexts, "--policies", "naive")
        seen = [{task: i % 2 == s for i, task in enumerate(self.truth)} for s in (0, 1)]
        known = [self.histogram(self.rows, self.truth, of) for of in (None, *seen)]
        for fill in ("none", "accuracy", "grouse"):
            rows = self.document(*words, "--fill", fill, "--counts")["workers_by_accuracy"]
            self.assertEqual([[row["low"], row["high"]] for row in rows],
                             [[k / 20, (k + 1) / 20] for k in range(20)])
            self.assertEqual([row["workers"] for row in rows], known[0])
            for s in (0, 1):
                self.assertEqual([row["by_context"][s] for row in rows], known[1 + s])
        self.assertNotIn("workers_by_accuracy", self.document(*words))
        told = self.replay(*words, "--counts").stdout
        self.assertIn("Accuracy of workers", told)
        self.assertIn("context", told)

    def test_crowds_are_what_they_are_called(self):
        for crowd, there in (("spammer-hammer", (10, 19)), ("one-coin", (12, 18)),
                             ("malicious", (6, 12, 18))):
            words = ("--crowd", f"{crowd}:5", "--contexts", self.contexts, "-T", "9", "--policies",
                     "naive", "--counts")
            one, three = (self.document(*words, "--threads", n)["workers_by_accuracy"]
                          for n in "13")
            self.assertEqual(one, three)
            for s in (0, 1):
                of = [row["by_context"][s] for row in one]
                self.assertAlmostEqual(sum(of), 5, delta=1e-12)
                self.assertLessEqual({k for k, n in enumerate(of) if n > 0}, set(there))
            good = sum(row["by_context"][s] for row in one[18:] for s in (0, 1))
            self.assertAlmostEqual(good, 5, delta=1e-12)
            self.assertAlmostEqual(sum(row["workers"] for row in one), 5, delta=1e-12)

    def test_labels_by_worker(self):
        words = ("-T", "4", "--counts", "--runs", "50", "--policies", "naive,opt-kg,bbta:0",
                 *Simulate.PROBLEM)
        for row in json.loads(run("simulate", *words, "--json").stdout)["policies"]:
            self.assertEqual(len(row["labels_by_worker"]), 3)
            self.assertAlmostEqual(sum(row["labels_by_worker"]), 4, delta=1e-12)
        self.assertIn("naive: labels by worker 1, 2, ...:", run("simulate", *words).stdout)

    def test_is_for_assignment(self):
        done = run("replay", "--labels", self.labels, "--gold", self.gold, "--counts")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--counts requires --problem assignment or ", done.stderr)


class Simulate(Case):
    PROBLEM = ("--problem", "assignment", "--accuracies", "0.9,0.6,0.6;0.6,0.9,0.6", "1", "2")

    def test_means_are_the_exact_values(self):
        words = ("-T", "4", "--policies", "naive,opt-kg,bbta:0", *self.PROBLEM)
        valued, played = (json.loads(run(*line, "--json").stdout)["policies"] for line in (
            ("compare", *words), ("simulate", "--runs", "2000", *words)))
        for exact, mean in zip(valued, played):
            self.assertEqual(exact["name"], mean["name"])
            self.assertLess(abs(exact["value"] - mean["mean"]), 5 * mean["standard_error"])
        told = run("simulate", "--runs", "20", *words).stdout
        self.assertIn("of the tasks right", told)
        self.assertNotIn("pair", told)

    def test_columns_of_the_gold_of_a_crowd(self):
        """It is the only table, so that each column that is named must be there."""
        gold = self.file("other.tsv", "name\tclass\nx\t1\ny\t0\n")
        words = ("simulate", "--problem", "assignment", "--gold", gold, "--crowd", "one-coin:2", "-T", "2", "--runs", "3",
                 "--policies", "naive", "--columns")
        self.assertEqual(run(*words, "task=name,label=class").returncode, 0)
        for columns in ("task=nosuch,label=class", "task=name,label=nosuch", "label=9"):
            done = run(*words, columns)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (columns, done.stderr))

    def test_gold_and_a_crowd_as_replay(self):
        words = ("--problem", "assignment", "--gold", self.gold, "--crowd", "one-coin:4",
                 "--contexts", self.contexts, "-T", "12", "--runs", "5", "--policies", ALL)
        one, two = (json.loads(run(name, *words, "--json").stdout)
                    for name in ("simulate", "replay"))
        self.assertNotEqual(one.pop("command"), two.pop("command"))
        for told in (one, two):
            for row in told["policies"]:
                row.pop("table_seconds")
                row["points"] = [{**point, "seconds": 0} for point in row["points"]]
        self.assertEqual(one, two)

    def test_bad_input_is_one_line(self):
        for says, words in (
                ("--truth other than prior", ("-T", "2", "--truth", "beta:1,1", *self.PROBLEM)),
                ("--truth other than prior", ("-T", "2", "--truth", "workers-list:0.1,0.2", *self.PROBLEM)),
                ("--history", ("-T", "2", "--history", "1@1+", *self.PROBLEM)),
                ("--crowd must be", ("-T", "2", "--problem", "assignment", "--gold", self.gold)),
                ("without instances", ("-T", "2", "--gold", self.gold, *self.PROBLEM)),
                ("requires --gold", ("-T", "2", "--crowd", "one-coin:4", *self.PROBLEM)),
                ("requires workers", ("-T", "2", "--problem", "assignment"))):
            with self.subTest(words=words):
                done = run("simulate", "--policies", "naive", "--runs", "5", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


class Regret(Case):
    TABLE = ((1, 1, 0), (1, 0, 1), (0, 0, 0))
    PROBLEM = ("--problem", "assignment", "--workers-prior", "3x4,1", "3x1")

    def matrix(self, leave_out=0):
        rows = [f"{i + 1}\t{j + 1}\t{label}" for i, row in enumerate(self.TABLE)
                for j, label in enumerate(row)]
        return self.file("matrix.tsv", "task\tworker\tlabel\n" + "\n".join(
            rows[leave_out:]) + "\n")

    def test_known_values(self):
        for name, budget, known, bound in (("bbta:0", 4, 1 / 18, None),
                                           ("bbta:1", 6, 0.0386071648528, 7.44016944264)):
            done = run("compare", "-T", str(budget), "--policy", name, "--matrix", self.matrix(),
                       "--regret", "--json", *self.PROBLEM)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            row = json.loads(done.stdout)["policies"][0]
            self.assertAlmostEqual(row["regret"], known, delta=1e-12)
            if bound is not None:
                self.assertAlmostEqual(row["regret_bound"], bound, delta=1e-10)

    def refused(self, says, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
        self.assertIn(says, done.stderr)

    def test_fixed_labels_need_no_prior(self):
        words = ["compare", "-T", "6", "--problem", "assignment", "--policy", "bbta:1", "--regret-on", self.matrix(), "3x1", "--json"]
        found, given = (json.loads(run(*words, *prior).stdout) for prior in ((), ("--workers-prior", "3x4,1")))
        self.assertEqual(found["policies"][0]["regret"], given["policies"][0]["regret"])
        self.assertEqual(found["optimal"]["value"], given["optimal"]["value"])
        self.assertEqual([worker["prior"] for worker in found["problem"]["workers"]], [[[4, 1]]] * 3)
        for label in ("0", "1001", "x"):
            odd = self.file("odd.tsv", f"task\tworker\tlabel\n1\t{label}\t0\n")
            self.refused("line 2: workers must be", "compare", "-T", "3", "--problem", "assignment", "--regret-on", odd, "3x1")
        self.refused("regular file", "compare", "-T", "3", "--problem", "assignment", "--regret-on", "/dev/null", "3x1")
        self.refused("requires workers", "compare", "-T", "3", "--problem", "assignment", "3x1")

    def test_the_bound_of_the_theorem_has_any_size(self):
        # labels, contexts, workers, N': values of theorem 1
        known = {(5265, 3, 30): {0: 2539.02136998, 1: 2520.47932401}, (11520, 5, 50): {1: 6645.26675698, 10: 6025.20405475},
                 (100, 1, 5): {1: 56.4404095578}}
        for (budget, contexts, workers), bounds in known.items():
            words = [f"100x{s + 1}" for s in range(contexts)]
            done = run("bound", "-T", str(budget), "--problem", "assignment", "--workers-prior", f"{workers}x4,1", *words, "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            theory = json.loads(done.stdout)["problem"]["theory"]
            found = {row["explored"]: row["bound"] for row in theory["regret_bounds"]}
            for explored, bound in bounds.items():
                self.assertAlmostEqual(found[explored], bound, delta=1e-8 * bound)
            self.assertLessEqual(theory["least"]["bound"], min(found.values()))

            def literal(n):
                cells, rate = contexts * workers * n, math.sqrt(math.log(workers) / workers)
                return 2 * math.sqrt((budget - cells) * contexts * workers * math.log(workers)) + contexts * n * n / 4 * rate + contexts * n

            most = min(100, budget // (contexts * workers))
            self.assertAlmostEqual(theory["least"]["bound"], min(map(literal, range(most + 1))), delta=1e-8 * budget)

    def test_bad_input_is_one_line(self):
        odd = self.file("odd.tsv", "task\tworker\tlabel\n1\t4\t0\n")
        for says, words in (("go together", ("--regret",)),
                            ("go together", ("--matrix", self.matrix())),
                            ("has no label for task 1", ("--matrix", self.matrix(1), "--regret")),
                            ("workers from 1 to 3", ("--matrix", odd, "--regret"))):
            with self.subTest(words=words):
                done = run("compare", "-T", "3", *words, *self.PROBLEM)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


class BadInput(Case):
    def test_is_one_line(self):
        gold = ("--gold", self.gold)
        crowd = ("--crowd", "one-coin:3")
        twice = self.file("twice.tsv", "task\tworker\tlabel\n" + self.rows[0] + "\n" + "\n".join(
            self.rows) + "\n")
        three = self.file("three.tsv", "task\tworker\tlabel\nt0\tw\t0\nt1\tw\t1\nt2\tw\t2\n")
        odd = self.file("odd.tsv", "task\tlabel\nt0\t2\n")
        lacks = self.file("lacks.tsv", "task\tcontext\nt0\tred\n")
        none = self.file("none.tsv", "task\tlabel\n")
        for says, words in (
                ("give one", gold),
                ("give one", gold + crowd + ("--labels", self.labels)),
                ("two labels", gold + ("--labels", twice)),
                ("two classes", ("--gold", three.replace("three", "odd"), "--labels", three, "--fill", "grouse")),
                ("no task", ("--gold", none) + crowd),
                ("has no context", gold + crowd + ("--contexts", lacks)),
                ("--crowd must be", gold + ("--crowd", "crowd")),
                ("--fill must be", gold + ("--labels", self.labels, "--fill", "all")),
                ("require each other", gold + crowd + ("--kmeans", "2")),
                ("require each other", gold + crowd + ("--data", self.gold)),
                ("give one", gold + crowd + ("--kmeans", "2", "--data", self.gold, "--contexts",
                                             self.contexts)),
                ("EPS is a number", gold + crowd + ("--policy", "iethresh:x")),
                ("budget", gold + crowd + ("-T", "-1"))):
            with self.subTest(words=words):
                self.refused(says, *words)


@unittest.skipUnless(SHARED, "the recorded labels are not here (OPTGAP_SHARED)")
class Recorded(Case):
    def test_accuracies_of_rte(self):
        data = pathlib.Path(SHARED, "data", "rte")
        if not data.is_dir():
            self.skipTest("rte is not here")
        table = {}
        for name in ("gold", "labels"):
            lines = (data / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
            at = [lines[0].split("\t").index(column) for column in ("task", "worker", "label")
                  if column in lines[0].split("\t")]
            table[name] = [[line.split("\t")[k] for k in at] for line in lines[1:]]
        truth = {task: int(label) for task, label in table["gold"]}
        done = run("replay", "--problem", "assignment", "--labels", str(data / "labels.tsv"),
                   "--gold", str(data / "gold.tsv"), "--fill", "none", "--counts", "-T", "1",
                   "--runs", "2", "--policies", "naive", "--json")
        rows = json.loads(done.stdout)["workers_by_accuracy"]
        self.assertEqual([row["workers"] for row in rows],
                         Counts.histogram(self, ["\t".join(row) for row in table["labels"]], truth))
        self.assertEqual(sum(row["workers"] for row in rows), 164)

    def test_known_accuracies(self):
        """Means of many runs of another author's program, within three standard errors."""
        data = pathlib.Path(SHARED, "data", "uci_ionosphere")
        if not data.is_dir():
            self.skipTest("uci_ionosphere is not here")
        known = {"bbta:0": 0.844, "bbta:1": 0.855, "bbta:10": 0.786, "naive": 0.747}
        words = [word for name in known for word in ("--policy", name)]
        done = run("replay", "--problem", "assignment", "--gold", str(data / "gold.tsv"),
                   "--data", str(data / "data.tsv"), "--kmeans", "3", "--crowd",
                   "spammer-hammer:30", "-T", "1404", "--runs", "8", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in json.loads(done.stdout)["policies"]:
            last = row["points"][-1]
            theirs = 0.01
            self.assertLess(abs(last["accuracy"] - known[row["name"]]),
                            3 * (last["standard_error"] + theirs), row["name"])


if __name__ == "__main__":
    main()
