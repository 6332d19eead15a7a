"""The program's replay. Usage: test_replay_cli.py OPTGAP"""

import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM as OPTGAP, FolderCase, main  # noqa: E402

LABELS = "task\tworker\tlabel\na\tw1\t1\na\tw2\t1\nb\tw1\t0\nb\tw2\t1\nc\tw1\t0\n"
GOLD = "task\tlabel\nc\t0\nb\t1\na\t1\n"


# ---- the definition: which task is labelled until when, if all labels of a task are equal ----


def worths(a, b, payoff):
    """The values of the calls at Beta(a, b), threshold 1/2: positive, negative, perhaps undecided."""
    n = a + b - 1
    positive = Fraction(sum(math.comb(n, j) for j in range(a)), 2 ** n)
    both = positive, 1 - positive
    return [sum(w * p for w, p in zip(payoff[i:i + 2], both)) for i in (0, 2)] + list(payoff[4:])


def value(a, b, payoff):
    return max(worths(a, b, payoff))


def after(a, b):
    return (Fraction(a, a + b), (a + 1, b)), (Fraction(b, a + b), (a, b + 1))


def alone(a, b, horizon, price, payoff):
    """The expected gain of labels of one task, less their prices, with optimal stopping."""
    if horizon == 0:
        return 0
    gain = sum(p * (value(*new, payoff) + alone(*new, horizon - 1, price, payoff)) for p, new in after(a, b))
    return max(0, gain - value(a, b, payoff) - price)


def gittins(a, b, horizon, payoff):
    """The largest price at which `alone` is positive, to 2^-40."""
    low, high = Fraction(0), Fraction(8)
    for _ in range(43):
        middle = (low + high) / 2
        low, high = (middle, high) if alone(a, b, horizon, middle, payoff) > 0 else (low, middle)
    return low


def index_of(policy, a, b, horizon, payoff):
    if policy == "gittins-fh":
        return gittins(a, b, horizon, payoff)
    gains = [value(*new, payoff) - value(a, b, payoff) for _, new in after(a, b)]
    return {"uniform": 0, "kg": sum(p * g for (p, _), g in zip(after(a, b), gains)), "opt-kg": max(gains)}[policy]


def played(policy, tasks, budget, price, payoff):
    """Of tasks (label, labels recorded, gold): score, bought and share called rightly after 0, 1, ... labels,
    the first of those that tie being labelled."""
    had, points = [0] * len(tasks), []
    state = lambda i: (1 + had[i], 1) if tasks[i][0] else (1, 1 + had[i])  # noqa: E731
    over = False
    for left in range(budget, -1, -1):
        bought, right, score = sum(had), Fraction(0), -price * sum(had)
        for i, (_, _, gold) in enumerate(tasks):
            worth = worths(*state(i), payoff)
            best = [call for call in range(len(worth)) if worth[call] == max(worth)]
            even = payoff[0] - payoff[2] == payoff[3] - payoff[1] and len(payoff) == 4
            best = best if even else best[:1]  # positive, then negative
            right += sum(Fraction(call == 1 - gold, len(best)) for call in best)
            score += sum((payoff[2 * call + 1 - gold] if call < 2 else payoff[4]) / Fraction(len(best)) for call in best)
        points.append((score, bought, right / len(tasks)))
        index = {i: index_of(policy, *state(i), min(left, tasks[i][1] - had[i]), payoff)
                 for i in range(len(tasks)) if had[i] < tasks[i][1]} if left else {}
        near = Fraction(1, 2 ** 38)
        over = over or not index or (price > 0 and policy != "uniform" and max(index.values()) <= price + near)
        if not over:
            had[min(i for i in index if index[i] >= max(index.values()) - near)] += 1
    return points


class Replay(FolderCase):
    def setUp(self):
        super().setUp()
        self.labels = self.write("labels.tsv", LABELS)
        self.gold = self.write("gold.tsv", GOLD)

    def run_replay(self, *words, labels=None, gold=None):
        return subprocess.run([OPTGAP, "replay", "--labels", labels or self.labels, "--gold",
                               gold or self.gold, *words], capture_output=True, text=True, timeout=120)

    def assert_refused(self, done, *parts):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_points_and_json(self):
        done = self.run_replay("--at", "0,2", "--policies", "kg,uniform", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["all_labels_accuracy"], 2.5 / 3)
        for row in found["policies"]:
            self.assertEqual([point["labels"] for point in row["points"]], [0, 2, 5])
            self.assertEqual(row["points"][0]["accuracy"], 0.5)
            self.assertAlmostEqual(row["points"][2]["accuracy"], 2.5 / 3, 14)

    def test_policies_are_compared_run_by_run(self):
        words = ("--json", "-T", "5", "--at", "3", "--runs", "40", "--policies")
        found = [{row["name"]: row["points"] for row in json.loads(self.run_replay(*words, names).stdout)["policies"]}
                 for names in ("uniform,kg", "kg,uniform")]
        for at in range(2):
            uniform, kg = (found[0][name][at] for name in ("uniform", "kg"))
            self.assertEqual([uniform["difference"][part] for part in ("mean", "standard_error")], [0, 0])
            more, less = kg["difference"], found[1]["uniform"][at]["difference"]
            self.assertAlmostEqual(more["mean"], kg["accuracy"] - uniform["accuracy"], delta=1e-12)
            self.assertAlmostEqual(more["mean"], -less["mean"], delta=1e-12)
            self.assertAlmostEqual(more["standard_error"], less["standard_error"], delta=1e-12)
            self.assertAlmostEqual(sum(more["interval"]), 2 * more["mean"], delta=1e-9)
        table = self.run_replay(*words[1:], "uniform,kg").stdout
        self.assertIn("Accuracy minus that of uniform (ties random), run by run", " ".join(table.split()))
        self.assertNotIn("run by run", self.run_replay(*words[1:], "kg").stdout)

    def test_prices_and_payoffs(self):
        source, early = random.Random(3), 0
        for _ in range(16):
            tasks = [(source.randint(0, 1), source.randint(1, 3), source.randint(0, 1)) for _ in range(4)]
            price = source.choice(["0", "0.25", "0.1", "0.046875", "0.02"])
            payoff = source.choice([(1, 0, 0, 1), (1, -2, 0, 1), (2, 0, 0, 2), (1, -1, -1, 1, Fraction(1, 4))])
            rows = [f"t{i}\tw{j}\t{label}\n" for i, (label, count, _) in enumerate(tasks) for j in range(count)]
            labels = self.write("l", "task\tworker\tlabel\n" + "".join(rows))
            gold = self.write("g", "task\tlabel\n" + "".join(f"t{i}\t{true}\n" for i, (_, _, true) in enumerate(tasks)))
            budget = source.randint(1, len(rows))
            stakes = [*(["--price", price] if price != "0" else []), "--payoff", ",".join(str(float(x)) for x in payoff)]
            policies = ["uniform", "kg", "opt-kg", "gittins-fh"]
            done = self.run_replay("--json", "-T", str(budget), "--at", ",".join(map(str, range(budget + 1))), "--runs", "2",
                                   "--ties", "first", "--policies", ",".join(policies), *stakes, labels=labels, gold=gold)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for policy, row in zip(policies, json.loads(done.stdout)["policies"]):
                expected = played(policy, tasks, budget, Fraction(price), payoff)
                about = (policy, tasks, budget, stakes)
                early += expected[-1][1] < budget
                for point, (score, bought, right) in zip(row["points"], expected):
                    self.assertAlmostEqual(point["accuracy"], float(right), 12, about)
                    if price != "0" or payoff != (1, 0, 0, 1):
                        self.assertEqual(point["bought"], bought, about)
                        self.assertAlmostEqual(point["score"]["mean"], float(score), 12, about)
                    else:
                        self.assertNotIn("score", point)
        self.assertGreater(early, 10)

    def test_the_table_of_scores(self):
        done = self.run_replay("--price", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("Price       0.1 a label; one may stop", "correct calls less prices", "bought"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("gittins-inf", done.stdout)
        rows = json.loads(self.run_replay("--price", "0.3", "--policies", "uniform,kg", "--json").stdout)["policies"]
        for row in rows:  # kg stops at once in each run, but it might not; uniform buys all labels
            point = row["points"][-1]
            bought = point["bought"]
            self.assertEqual(bought, 5 if row["name"] == "uniform" else 0)
            self.assertEqual(point["standard_error"], 0)
            self.assertEqual(point["high"] == point["low"] == point["accuracy"], row["name"] == "uniform")
        paid = self.run_replay("--prior", "1,1=1,-2,0,1")
        self.assertIn("Payoff: of the tasks with gold.", paid.stdout)

    def test_stakes_that_are_refused(self):
        for words, part in (
            (["--price", "0"], "--price must be a decimal"),
            (["--price", "0.1,0.2"], "--price must be a decimal"),
            (["--payoff", "1,2"], "--payoff must be"),
            (["--prior", "1,1=1,0,0,2", "--payoff", "1,0,0,3"], "cannot be combined"),
            (["--problem", "labelers", "--price", "0.1"], "--problem labelers does not support --price; omit it"),
            (["--problem", "assignment", "--payoff", "1,0,0,2"], "--problem assignment does not support --payoff; omit it"),
        ):
            self.assert_refused(self.run_replay(*words), part)
        pairs = self.write("p", "worker\tleft\tright\tlabel\nw\ta\tb\ta\n")
        scores = self.write("s", "item\tscore\na\t1\nb\t2\n")
        done = subprocess.run([OPTGAP, "replay", "--pairs", pairs, "--gold", scores, "--price", "0.1"],
                              capture_output=True, text=True, timeout=60)
        self.assert_refused(done, "--pairs does not support --price; omit it")
        done = self.run_replay("--price", "0.1", "--policies", "kg,nlu", "--json")
        kg, nlu = json.loads(done.stdout)["policies"]
        self.assertEqual((kg["status"], nlu["status"]), ("ok", "not replayed"))
        self.assertIn("does not support --price", nlu["message"])

    def test_the_table(self):
        done = self.run_replay("--policies", "opt-kg", "--ties", "random,first", "-T", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("accuracy 83.333 %; ties count half", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 110)

    def test_classes(self):
        """Two labels of three classes: half of a tie is right where its classes are equally likely."""
        labels = self.write("l", "task,worker,label\na,x,cat\na,y,dog\nb,x,owl\nb,x,owl\nc,x,dog\n")
        gold = self.write("g", "task,label\na,dog\nb,owl\nc,cat\n")
        done = self.run_replay("--json", "--policies", "opt-kg,uniform", labels=labels, gold=gold)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["all_labels_accuracy"], (0.5 + 1 + 0) / 3)
        self.assertEqual(found["repeated_labels"], 1)
        for row in found["policies"]:
            self.assertAlmostEqual(row["points"][-1]["accuracy"], 0.5, 14)
        self.assert_refused(self.run_replay("--prior", "1,1", labels=labels, gold=gold), "3 classes",
                            "Dirichlet")

    def test_the_same_seed_is_the_same_result(self):
        texts = [self.run_replay("--policies", "uniform", "--json", "--seed", seed).stdout for seed in "112"]
        points = [[p["accuracy"] for p in json.loads(text)["policies"][0]["points"]] for text in texts]
        self.assertEqual(points[0], points[1])

    def test_tasks_that_do_not_match_are_named(self):
        done = self.run_replay("--json", gold=self.write("g", GOLD + "d\t1\nd\t0\n"))
        found = json.loads(done.stdout)
        self.assertEqual((found["tasks_without_gold"], found["gold_without_labels"]), (0, 2))
        done = self.run_replay("--json", gold=self.write("g", "task\tlabel\na\t1\nb\t0\nc\t\n"))
        found = json.loads(done.stdout)
        self.assertEqual((found["tasks_without_gold"], found["gold_without_labels"]), (1, 0))
        self.assertEqual(found["all_labels_accuracy"], 1.5 / 2)  # of a and b: b is undecided
        self.assertEqual(found["repeated_labels"], 0)
        self.assert_refused(self.run_replay(gold=self.write("g", "task\tlabel\nd\t1\n")), "no task")
        self.assert_refused(self.run_replay(gold=self.write("g", GOLD + "a\t0\n")), "'a'",
                            "two different")
        self.assert_refused(self.run_replay(gold=self.write("g", "task\tcolour\na\t1\n")), "label")
        self.assert_refused(self.run_replay(gold=self.write("g", GOLD + "a\t2\n")), "line 5", "'2'")

    def test_bad_options_are_refused(self):
        self.assert_refused(self.run_replay("-T", "6"), "6", "more than the 5 recorded labels")
        self.assert_refused(self.run_replay("--at", "3,2"), "--at")
        self.assert_refused(self.run_replay("--at", "9"), "9")
        self.assert_refused(self.run_replay("--prior", "2x1,1"), "--prior")
        self.assert_refused(self.run_replay("--prior", "1,1,1"), "Beta")
        self.assert_refused(self.run_replay("--final-ties", "third"), "half or positive")
        self.assert_refused(self.run_replay("--ties", "best"), "best")
        self.assert_refused(self.run_replay("more"), "no argument")
        self.assert_refused(self.run_replay(labels=os.path.join(self.folder, "none")), "none")
        done = subprocess.run([OPTGAP, "replay", "--labels", self.labels], capture_output=True, text=True,
                              timeout=60)
        self.assert_refused(done, "--gold")


if __name__ == "__main__":
    main()
